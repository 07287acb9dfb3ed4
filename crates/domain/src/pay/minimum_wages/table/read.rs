//! Reads a row of the file of minimum wages.

use rules::{Amount, Named, check};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::{Authority, MinimumWage, WageType};

/// Territories with a minimum wage of their own, in addition to the states of [`check::STATES`].
const TERRITORIES: [&str; 3] = ["GU", "PR", "VI"];

/// Largest plausible figure, in dollars per hour.
const LARGEST: Amount = Amount::from_cents(100_000);

/// A row of the file. Other columns are ignored.
#[derive(Deserialize)]
pub(super) struct WageLine {
    authority: String,
    state: String,
    #[serde(default)]
    county_fips: String,
    #[serde(default)]
    city: String,
    #[serde(default)]
    region: String,
    wage_type: String,
    #[serde(default)]
    condition: String,
    wage: String,
    #[serde(default)]
    tip_credit: String,
    #[serde(default)]
    tips_from: String,
    effective_date: String,
    #[serde(default)]
    until: String,
    #[serde(default)]
    outdated_from: String,
    #[serde(default)]
    source: String,
    #[serde(default)]
    notes: String,
}

impl WageLine {
    pub(super) fn into_minimum_wage(self) -> Result<MinimumWage, String> {
        let authority = parse_choice("authority", &self.authority, Authority::ALL, Authority::as_str)?;
        let wage_type = parse_choice("wage_type", &self.wage_type, WageType::ALL, WageType::as_str)?;
        let state = match authority {
            Authority::Federal => String::new(),
            _ if TERRITORIES.contains(&self.state.as_str()) => self.state,
            _ => check::parse_state("state", &self.state).map_err(|fault| fault.message)?.to_owned(),
        };
        let is_county = |text: &str| text.len() == 5 && text.bytes().all(|byte| byte.is_ascii_digit());
        if !(self.county_fips.is_empty() || is_county(&self.county_fips)) {
            return Err("county_fips must have five digits or be empty".to_owned());
        }
        if authority == Authority::City && self.city.is_empty() {
            return Err("city is needed with the authority City".to_owned());
        }
        if authority == Authority::County && self.county_fips.is_empty() {
            return Err("county_fips is needed with the authority County".to_owned());
        }
        let wage = parse_dollars("wage", &self.wage)?;
        if wage == Amount::ZERO {
            return Err("wage must be more than 0".to_owned());
        }
        let tip_credit = parse_optional(&self.tip_credit, |text| parse_dollars("tip_credit", text))?;
        let tips_from = parse_optional(&self.tips_from, |text| parse_dollars("tips_from", text))?;
        let day =
            |key: &'static str| move |text: &str| check::parse_date(key, text).map_err(|fault| fault.message);
        let mut made = MinimumWage {
            rule: Uuid::nil(),
            authority,
            state,
            county: if authority == Authority::Federal { String::new() } else { self.county_fips },
            city: self.city,
            region: self.region,
            wage_type,
            condition: self.condition,
            wage,
            tip_credit,
            tips_from: tips_from.unwrap_or_default(),
            effective_date: day("effective_date")(&self.effective_date)?,
            until: parse_optional(&self.until, day("until"))?,
            outdated_from: parse_optional(&self.outdated_from, day("outdated_from"))?,
            source: self.source,
            remarks: self.notes,
        };
        made.rule = rule_id(&made);
        Ok(made)
    }
}

/// The uuid of a rule is derived from authority, place, type and condition.
fn rule_id(row: &MinimumWage) -> Uuid {
    let mut hash = Sha256::new();
    let city = row.city.to_ascii_lowercase();
    let parts = [
        "minimum wage",
        row.authority.as_str(),
        &row.state,
        &row.county,
        &city,
        &row.region,
        row.wage_type.as_str(),
        &row.condition,
    ];
    for part in parts {
        hash.update(part.as_bytes());
        hash.update([0]);
    }
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash.finalize()[..16]);
    uuid::Builder::from_custom_bytes(bytes).into_uuid()
}

fn parse_choice<T: Copy>(
    key: &str,
    value: &str,
    all: &[T],
    as_str: fn(T) -> &'static str,
) -> Result<T, String> {
    let found = all.iter().copied().find(|known| as_str(*known) == value);
    found.ok_or_else(|| {
        let allowed: Vec<_> = all.iter().map(|known| as_str(*known)).collect();
        format!("{key} must be one of: {}", allowed.join(", "))
    })
}

fn parse_dollars(key: &str, value: &str) -> Result<Amount, String> {
    let amount = Amount::parse(value).map_err(|fault| format!("{key} {fault}"))?;
    if amount < Amount::ZERO || amount > LARGEST {
        return Err(format!("{key} must lie between 0 and {LARGEST}"));
    }
    Ok(amount)
}

fn parse_optional<T>(value: &str, read: impl Fn(&str) -> Result<T, String>) -> Result<Option<T>, String> {
    if value.is_empty() { Ok(None) } else { read(value).map(Some) }
}
