//! How the operator's bank takes files. The operator configures it on the command line, for all companies.

use jiff::civil::{Date, Time, time};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use rules::{Checks, Violation};
use serde::{Deserialize, Serialize};
use store::{Place, Tx, params};
use uuid::Uuid;
use zeroize::Zeroizing;

use crate::access::tokens::Caller;
use crate::error::Error;
use crate::platform::audit;

/// The company id and record id of the operator's records.
pub const OPERATOR: Uuid = Uuid::nil();

/// The time in California from which payrolls can no longer be cancelled: no file is made before it.
const EARLIEST_CUT_OFF: Time = time(16, 0, 0, 0);

/// The time zone of the dates of files.
const CALIFORNIA: &str = "America/Los_Angeles";

/// Which accounts fund the credits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Debit {
    /// each employer's account is debited
    #[default]
    Company,
    /// one account of the operator, who already has the money from the employers
    Offset,
}

/// How the bank takes files. Amounts are in cents; `None` means no limit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Terms {
    /// the bank's id for the originator, ten characters
    pub company_id: String,
    /// what receivers see instead of the employer's name, at most 16 characters
    pub company_name: Option<String>,
    /// routing number of the bank
    pub bank_routing: String,
    /// name of the bank
    pub bank_name: String,
    /// the bank's id for the sender of the file, ten characters
    pub origin: String,
    /// name of the sender of the file
    pub origin_name: String,
    /// modifier of the first file of a day: A to Z, then 0 to 9
    pub first_modifier: char,
    /// absolute path of the folder that files go into
    pub folder: String,
    /// time in California at which files are made on the day of a payroll's deadline: 16:00 or later
    pub cut_off: Time,
    /// whether late payments may settle on the same day
    pub same_day: bool,
    /// which accounts fund the credits
    pub debit: Debit,
    /// routing number of the operator's account that is debited
    pub offset_routing: Option<String>,
    /// maximum credits of one file
    pub file_limit: Option<i64>,
    /// maximum credits of one company on a day
    pub company_limit: Option<i64>,
    /// maximum credits of a day
    pub day_limit: Option<i64>,
    /// credits of a file above which it waits for approval
    pub approval_above: Option<i64>,
    /// where companies send wires
    #[serde(default)]
    pub wire: Option<WireTo>,
    /// whether taxes of companies that have set their deposit schedules are deposited
    #[serde(default)]
    pub deposit_taxes: bool,
}

/// Wire instructions, shown to each company that funds by wire.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WireTo {
    /// name of the bank
    pub bank_name: String,
    /// the bank's address
    pub bank_address: String,
    /// who receives the wire
    pub recipient_name: String,
    /// the recipient's address
    pub recipient_address: String,
    /// routing number for wires
    pub routing: String,
    /// account number of the recipient
    pub account: String,
}

impl Terms {
    /// Returns when the file of a payroll with this deadline is made.
    pub fn cut_off_of(&self, deadline: Timestamp) -> Timestamp {
        let zone = TimeZone::get(CALIFORNIA).unwrap_or(TimeZone::UTC);
        self.cut_off_on(deadline.to_zoned(zone).date()).max(deadline)
    }

    /// Returns when files are made on a day.
    pub fn cut_off_on(&self, day: Date) -> Timestamp {
        let zone = TimeZone::get(CALIFORNIA).unwrap_or(TimeZone::UTC);
        let moment = day.to_datetime(self.cut_off).to_zoned(zone);
        moment.map_or(Timestamp::MAX, |moment| moment.timestamp())
    }

    fn check_terms(&self, offset_account: Option<&str>) -> Result<(), Error> {
        let mut checks = Checks::new();
        let mut require = |fine: bool, key: &'static str, must: &str| {
            checks.require(fine, || Violation::invalid(key, format!("{key} must {must}")));
        };
        let plain = |text: &str, most: usize| {
            (1..=most).contains(&text.len()) && text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
        };
        // Operators of the network reject files with identifications of blanks or zeros, and with names that are none.
        let identifies = |text: &str| {
            plain(text, 10) && text.len() == 10 && text.bytes().any(|byte| !matches!(byte, b' ' | b'0'))
        };
        let names = |text: &str, most: usize| {
            plain(text, most) && text.bytes().any(|byte| byte.is_ascii_alphabetic())
        };
        require(identifies(&self.company_id), "company_id", IDENTIFIES);
        let named = self.company_name.as_deref().is_none_or(|name| names(name, 16));
        require(named, "company_name", "have 1 to 16 characters, among them a letter");
        require(ach::Routing::parse(&self.bank_routing).is_ok(), "bank_routing", ROUTING);
        let name = "have 1 to 23 characters, among them a letter";
        require(names(&self.bank_name, 23), "bank_name", name);
        require(identifies(&self.origin), "origin", IDENTIFIES);
        require(names(&self.origin_name, 23), "origin_name", name);
        let modifier = matches!(self.first_modifier, 'A'..='Z' | '0'..='9');
        require(modifier, "first_modifier", "be a capital letter or a digit");
        require(self.folder.starts_with('/'), "folder", "be an absolute path, such as /var/spool/bank");
        require(
            self.cut_off >= EARLIEST_CUT_OFF,
            "cut_off",
            "be 16:00 or later: payrolls can be cancelled until then",
        );
        let offset = self.offset_routing.as_deref();
        let whole = offset.is_none_or(|routing| ach::Routing::parse(routing).is_ok());
        require(whole, "offset_routing", ROUTING);
        let needed = self.debit == Debit::Offset;
        for (key, given) in
            [("offset_routing", offset.is_some()), ("offset_account", offset_account.is_some())]
        {
            require(given || !needed, key, "be given where the operator's account is debited");
        }
        let fits =
            |number: &str| (1..=17).contains(&number.len()) && number.bytes().all(|b| b.is_ascii_digit());
        require(offset_account.is_none_or(fits), "offset_account", "have 1 to 17 digits");
        for (key, limit) in [
            ("file_limit", self.file_limit),
            ("company_limit", self.company_limit),
            ("day_limit", self.day_limit),
            ("approval_above", self.approval_above),
        ] {
            require(limit.is_none_or(|cents| cents > 0), key, "be more than zero");
        }
        if let Some(wire) = &self.wire {
            let texts = [&wire.bank_name, &wire.bank_address, &wire.recipient_name, &wire.recipient_address];
            let told = texts.iter().all(|text| (1..=200).contains(&text.chars().count()));
            let whole = ach::Routing::parse(&wire.routing).is_ok() && fits(&wire.account);
            checks.require(told && whole, || {
                Violation::invalid(
                    "wire",
                    "wire must name bank, recipient, their addresses, routing and account",
                )
            });
        }
        Ok(checks.finish()?)
    }
}

const IDENTIFIES: &str = "have ten characters that are not all blanks and zeros";

const ROUTING: &str = "be a routing number: nine digits, the last of which is a check digit";

store::record! {
    /// How the operator's bank takes files.
    #[derive(Debug, Clone)]
    pub struct BankSettings in "bank_settings" {
        key {
            /// all zeros
            pub id: Uuid,
        }
        fields {
            /// all settings except the account number
            pub terms: Terms as json,
            /// account number of the operator's account that is debited, sealed
            pub offset_account: Option<Vec<u8>> as secret,
        }
        times { created_at, updated_at }
        version
    }
}

store::statements! {
    records BankSettings;
    IS_SET = "SELECT count(*) FROM bank_settings WHERE company_id = $1";
}

/// Returns the settings; `None` if the operator has set none, in which case no files are made.
pub fn find_settings(tx: &mut Tx<'_>) -> Result<Option<BankSettings>, Error> {
    Ok(BankSettings::find(tx, OPERATOR, OPERATOR)?)
}

/// Whether the operator has set how a bank takes files; otherwise no payments are made.
pub fn is_set(tx: &mut Tx<'_>) -> Result<bool, store::Error> {
    Ok(tx.find_row(IS_SET, params![OPERATOR], |row| row.get::<i64>(0))?.is_some_and(|count| count > 0))
}

/// Announces the query of [`is_set`] (see [`Tx::announce`]).
pub fn announce_is_set(tx: &mut Tx<'_>) -> Result<(), store::Error> {
    tx.announce_query(IS_SET, params![OPERATOR])
}

/// Returns the number of the operator's account, opened.
pub fn offset_account(tx: &mut Tx<'_>, settings: &BankSettings) -> Result<Option<Zeroizing<String>>, Error> {
    let Some(sealed) = &settings.offset_account else { return Ok(None) };
    Ok(Some(tx.unseal_text(PLACE, sealed)?))
}

const PLACE: Place =
    Place { owner: OPERATOR, table: BankSettings::TABLE, row: OPERATOR, column: "offset_account" };

/// Replaces the settings. An account that is not given is kept.
///
/// # Errors
/// 422 for every invalid setting; a store error.
pub fn replace_settings(
    tx: &mut Tx<'_>,
    terms: &Terms,
    offset_account: Option<&str>,
) -> Result<BankSettings, Error> {
    tx.take_guard(OPERATOR, BankSettings::TABLE, OPERATOR)?;
    let before = find_settings(tx)?;
    let held = match &before {
        Some(settings) => self::offset_account(tx, settings)?,
        None => None,
    };
    let account = offset_account.or(held.as_deref().map(String::as_str));
    terms.check_terms(account)?;
    let sealed = account.map(|number| tx.seal_field(PLACE, number.as_bytes())).transpose()?;
    let caller = Caller::for_operator(OPERATOR, TimeZone::UTC);
    let mut after = BankSettings { id: OPERATOR, terms: terms.clone(), offset_account: sealed, version: 1 };
    match before {
        None => after.insert(tx, OPERATOR)?,
        Some(before) => {
            after.version = before.version;
            assert!(after.update(tx, OPERATOR)?, "the row was read under its guard");
            after.version += 1;
        }
    }
    let told = serde_json::json!({ "terms": terms });
    audit::record_audit_entry(tx, &caller, "updated", (BankSettings::TABLE, OPERATOR), &told)?;
    Ok(after)
}

/// Returns when the file of payments prepared now is made: two minutes later, so that payrolls of one cut-off share a file.
pub fn file_time(now: Timestamp) -> Timestamp {
    now + 2.minutes()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Settings of a bank that does not exist.
    pub fn terms() -> Terms {
        Terms {
            company_id: "1999999999".into(),
            company_name: None,
            bank_routing: "021000021".into(),
            bank_name: "FIRST EXAMPLE BANK".into(),
            origin: " 021000021".into(),
            origin_name: "STIPEND".into(),
            first_modifier: 'A',
            folder: "/var/spool/bank".into(),
            cut_off: time(16, 0, 0, 0),
            same_day: false,
            debit: Debit::Company,
            offset_routing: None,
            file_limit: None,
            company_limit: None,
            day_limit: None,
            approval_above: None,
            wire: None,
            deposit_taxes: false,
        }
    }

    fn wrong(terms: &Terms) -> Vec<String> {
        match terms.check_terms(None) {
            Ok(()) => Vec::new(),
            Err(Error::Violations(all)) => all.iter().map(|one| one.key.to_string()).collect(),
            Err(other) => panic!("{other:?}"),
        }
    }

    #[test]
    fn each_wrong_setting_is_named() {
        assert!(wrong(&terms()).is_empty());
        let bad = Terms {
            company_id: "12".into(),
            company_name: Some(String::new()),
            bank_routing: "021000022".into(),
            folder: "spool".into(),
            cut_off: time(15, 59, 0, 0),
            debit: Debit::Offset,
            file_limit: Some(0),
            ..terms()
        };
        assert_eq!(
            wrong(&bad),
            [
                "company_id",
                "company_name",
                "bank_routing",
                "folder",
                "cut_off",
                "offset_routing",
                "offset_account",
                "file_limit"
            ]
        );
    }

    #[test]
    fn identifications_of_blanks_and_zeros_and_names_without_a_letter_are_refused() {
        for id in ["          ", "0000000000", "000  00000", "         0"] {
            let bad = Terms { company_id: id.into(), origin: id.into(), ..terms() };
            assert_eq!(wrong(&bad), ["company_id", "origin"], "{id:?}");
        }
        for name in ["000000", "      ", "12-34", "'"] {
            let bad = Terms {
                company_name: Some(name.into()),
                bank_name: name.into(),
                origin_name: name.into(),
                ..terms()
            };
            assert_eq!(wrong(&bad), ["company_name", "bank_name", "origin_name"], "{name:?}");
        }
        let fine =
            Terms { company_name: Some("7-ELEVENTH ST".into()), origin: "0910000190".into(), ..terms() };
        assert!(wrong(&fine).is_empty());
    }

    #[test]
    fn a_file_is_made_on_the_day_of_the_deadline_and_never_before_it() {
        let deadline: Timestamp = "2026-06-24T23:00:00Z".parse().unwrap();
        assert_eq!(terms().cut_off_of(deadline), deadline);
        let later = Terms { cut_off: time(17, 30, 0, 0), ..terms() };
        assert_eq!(later.cut_off_of(deadline).to_string(), "2026-06-25T00:30:00Z");
    }
}
