//! The data set of minimum wages, and which of its rows apply where and when.
//!
//! Several authorities set a minimum wage for the same place; each that applies is told, the newest figure of each,
//! and whoever pays chooses. Where an authority has a rule for the county, its rule for the whole state does not
//! count there; a rule with a condition (a size, an industry) never displaces one without.
//!
//! Rows of type `Tipped` hold the part of the wage that tips may cover (the tip credit). They are never chosen; the
//! credit beside a chosen wage is that of the same authority, or else the federal one. Where an authority tells
//! several kinds of tipped work apart, the smallest credit counts, which is never too little for the employee.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use jiff::civil::Date;
use rules::{Amount, check};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::places;

/// Rows of a data set at the most.
const MOST_ROWS: usize = 100_000;
/// Territories that have a minimum wage of their own beside the states of [`check::STATES`].
const TERRITORIES: [&str; 3] = ["GU", "PR", "VI"];
/// The largest figure that is no slip of the keyboard, in dollars an hour.
const LARGEST: Amount = Amount::from_cents(100_000);

/// Who sets a minimum wage, the closest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Authority {
    /// a city
    City,
    /// a county
    County,
    /// a state
    State,
    /// the United States
    Federal,
}

impl Authority {
    /// Every authority, the closest first.
    pub const ALL: [Self; 4] = [Self::City, Self::County, Self::State, Self::Federal];

    /// The text in data and answers.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::City => "City",
            Self::County => "County",
            Self::State => "State",
            Self::Federal => "Federal",
        }
    }
}

/// For whom a minimum wage is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum WageType {
    /// everybody
    Regular,
    /// an industry, named in the notes
    Industry,
    /// people with tips: what the employer pays at least, with the credit for tips
    Tipped,
}

impl WageType {
    const ALL: [Self; 3] = [Self::Regular, Self::Industry, Self::Tipped];

    /// The text in data and answers.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Regular => "Regular",
            Self::Industry => "Regular-Industry-Specific",
            Self::Tipped => "Tipped",
        }
    }
}

/// A figure of a rule, from a day on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MinimumWage {
    /// names the rule: the same for every figure that it ever had
    pub rule: Uuid,
    /// who set it
    pub authority: Authority,
    /// two letters; empty for the federal one
    pub state: String,
    /// five digits; empty for all counties
    pub county: String,
    /// empty for all cities
    pub city: String,
    /// words for a part of the place, such as `unincorporated`
    pub region: String,
    /// for whom
    pub wage_type: WageType,
    /// words for whom it holds, such as `26 or more employees`
    pub condition: String,
    /// dollars an hour
    pub wage: Amount,
    /// dollars an hour that tips may cover; only with type `Tipped`
    pub tip_credit: Option<Amount>,
    /// first day
    pub effective_date: Date,
    /// last day, where the rule ended without a newer figure
    pub until: Option<Date>,
    /// from which day on the figure is known to be out of date, where the newer one is not held
    pub outdated_from: Option<Date>,
    /// where the figure was taken from
    pub source: String,
    /// words
    pub remarks: String,
}

/// Where somebody works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// two letters
    pub state: String,
    /// five digits, where it is known
    pub county: Option<&'static str>,
    /// as it stands in the address
    pub city: String,
}

impl Place {
    /// The place of an address.
    pub fn of(state: &str, city: &str, zip: &str) -> Self {
        Self { state: state.to_owned(), county: places::county_of_zip(zip), city: city.trim().to_owned() }
    }
}

/// Every minimum wage that is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// by state, with the federal rows first; those of a rule in the order of their days
    rows: Vec<MinimumWage>,
}

/// A row as it stands in the file. Columns that are not named here are passed over.
#[derive(Deserialize)]
struct Line {
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

/// The file that comes with the program.
pub(super) const BUILT_IN_TEXT: &str = include_str!("../../../../../data/minimum_wages.csv");

static BUILT_IN: LazyLock<Arc<Table>> = LazyLock::new(|| match Table::parse(BUILT_IN_TEXT) {
    Ok(table) => Arc::new(table),
    Err(fault) => panic!("data/minimum_wages.csv: {fault}"),
});

impl Table {
    /// The data set that comes with the program.
    pub fn built_in() -> &'static Arc<Self> {
        &BUILT_IN
    }

    /// Reads a file whose header names the columns.
    ///
    /// # Errors
    /// One sentence that names the line and what is wrong there; a file without a federal wage.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
        let mut rows = Vec::new();
        for (index, line) in reader.deserialize::<Line>().enumerate() {
            let number = index + 2;
            // What the reader says of a fault repeats nothing but the names of columns.
            let line = line.map_err(|fault| format!("line {number}: {fault}"))?;
            rows.push(line.read().map_err(|fault| format!("line {number}: {fault}"))?);
            if rows.len() > MOST_ROWS {
                return Err(format!("more than {MOST_ROWS} rows"));
            }
        }
        rows.sort_by(|a, b| (&a.state, a.rule, a.effective_date).cmp(&(&b.state, b.rule, b.effective_date)));
        if let Some(pair) =
            rows.windows(2).find(|p| p[0].rule == p[1].rule && p[0].effective_date == p[1].effective_date)
        {
            let MinimumWage { authority, state, city, effective_date, .. } = &pair[0];
            return Err(format!(
                "two rows of one rule from one day on: {} {state} {city} {effective_date}",
                authority.as_str()
            ));
        }
        if !rows.iter().any(|row| row.authority == Authority::Federal && row.wage_type == WageType::Regular) {
            return Err("there is no federal minimum wage of type Regular".to_owned());
        }
        Ok(Self { rows })
    }

    /// How many rows there are, and how many of them are known to be out of date on a day.
    pub fn count(&self, today: Date) -> (usize, usize) {
        let outdated = self.rows.iter().filter(|row| row.outdated_from.is_some_and(|day| day <= today));
        (self.rows.len(), outdated.count())
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none: never, for a table always has the federal ones.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The figures that differ from those of another table, a sentence each.
    pub fn against(&self, before: &Self) -> Vec<String> {
        let figures = |table: &Self| -> BTreeMap<(String, Date), Amount> {
            let rows = table.rows.iter();
            rows.map(|row| ((row.name(), row.effective_date), row.wage)).collect()
        };
        let (old, new) = (figures(before), figures(self));
        let mut told = Vec::new();
        for ((name, day), wage) in &new {
            match old.get(&(name.clone(), *day)) {
                Some(other) if other == wage => {}
                Some(other) => told.push(format!("{name} from {day}: {wage}, was {other}")),
                None => told.push(format!("{name} from {day}: {wage}")),
            }
        }
        let gone = old.iter().filter(|(key, _)| !new.contains_key(*key));
        told.extend(
            gone.map(|((name, day), wage)| format!("{name} from {day}: no longer there, was {wage}")),
        );
        told
    }

    /// The minimum wages in force at a place on a day that may be chosen: those of the city first, then county,
    /// state and federal.
    pub fn at(&self, place: &Place, day: Date) -> Vec<&MinimumWage> {
        let mut found = self.in_force(place, day);
        found.retain(|row| row.wage_type != WageType::Tipped);
        found.sort_by_key(|row| (row.authority, row.wage_type, row.condition.as_str()));
        found
    }

    /// The rule's figure in force on a day, if the rule applies to the place.
    pub fn rule_at(&self, rule: Uuid, place: &Place, day: Date) -> Option<&MinimumWage> {
        self.at(place, day).into_iter().find(|row| row.rule == rule)
    }

    /// The tip credit that goes with a minimum wage in force at a place on a day.
    pub fn tip_credit(&self, authority: Authority, place: &Place, day: Date) -> Amount {
        let tipped = self.in_force(place, day);
        let least = |authority: Authority| {
            let of_it = tipped.iter().filter(|row| row.authority == authority);
            of_it.filter(|row| row.wage_type == WageType::Tipped).filter_map(|row| row.tip_credit).min()
        };
        least(authority).or_else(|| least(Authority::Federal)).unwrap_or(Amount::ZERO)
    }

    /// The days inside a stretch on which any figure at the place begins or ends.
    pub fn days_of_change(&self, place: &Place, first: Date, last: Date) -> Vec<Date> {
        let of_place = self.rows.iter().filter(|row| row.covers(place));
        let days = of_place.flat_map(|row| {
            let ended = row.until.and_then(|day| day.tomorrow().ok());
            [Some(row.effective_date), ended].into_iter().flatten()
        });
        let mut days: Vec<Date> = days.filter(|day| first < *day && *day <= last).collect();
        days.sort_unstable();
        days.dedup();
        days
    }

    /// The newest figure of each rule that counts at the place, of every type.
    fn in_force(&self, place: &Place, day: Date) -> Vec<&MinimumWage> {
        let mut found: Vec<&MinimumWage> = Vec::new();
        let counts = |row: &&MinimumWage| {
            row.effective_date <= day && row.until.is_none_or(|last| day <= last) && row.covers(place)
        };
        for row in self.rows.iter().filter(counts) {
            match found.iter_mut().find(|other| other.rule == row.rule) {
                Some(other) => *other = row,
                None => found.push(row),
            }
        }
        let displaced = |row: &MinimumWage, all: &[&MinimumWage]| {
            let closer = |other: &&MinimumWage| {
                other.authority == row.authority
                    && other.wage_type == row.wage_type
                    && other.condition == row.condition
                    && row.county.is_empty()
                    && !other.county.is_empty()
            };
            all.iter().any(closer)
        };
        let all = found.clone();
        found.retain(|row| !displaced(row, &all));
        found
    }
}

impl MinimumWage {
    /// Whether the rule reaches the place.
    fn covers(&self, place: &Place) -> bool {
        match self.authority {
            Authority::Federal => true,
            _ if self.state != place.state => false,
            Authority::City => self.city.eq_ignore_ascii_case(&place.city),
            Authority::State | Authority::County => {
                let here = self.county.is_empty() || place.county == Some(&*self.county);
                let outside = self.region.strip_prefix("outside ");
                here && outside.is_none_or(|city| !city.eq_ignore_ascii_case(&place.city))
            }
        }
    }

    /// Words that name the rule.
    fn name(&self) -> String {
        let place =
            [&self.state, &self.county, &self.city, &self.region].into_iter().filter(|part| !part.is_empty());
        let words = place.map(String::as_str);
        let mut name: Vec<&str> = std::iter::once(self.authority.as_str()).chain(words).collect();
        name.push(self.wage_type.as_str());
        if !self.condition.is_empty() {
            name.push(&self.condition);
        }
        name.join(" ")
    }

    /// What people have to know about it on a day, if anything.
    pub fn notes(&self, day: Date) -> Option<String> {
        let mut notes: Vec<String> = [&self.condition, &self.region, &self.remarks]
            .into_iter()
            .filter(|text| !text.is_empty())
            .cloned()
            .collect();
        if let Some(since) = self.outdated_from.filter(|since| *since <= day) {
            notes.push(format!(
                "known to be out of date since {since}: the figure of {} is the newest that is held",
                self.effective_date
            ));
        }
        (!notes.is_empty()).then(|| notes.join("; "))
    }
}

impl Line {
    fn read(self) -> Result<MinimumWage, String> {
        let authority = word("authority", &self.authority, &Authority::ALL, Authority::as_str)?;
        let wage_type = word("wage_type", &self.wage_type, &WageType::ALL, WageType::as_str)?;
        let state = match authority {
            Authority::Federal => String::new(),
            _ if TERRITORIES.contains(&self.state.as_str()) => self.state,
            _ => check::state("state", &self.state).map_err(|fault| fault.message)?.to_owned(),
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
        let wage = dollars("wage", &self.wage)?;
        if wage == Amount::ZERO {
            return Err("wage must be more than 0".to_owned());
        }
        let tip_credit = optional(&self.tip_credit, |text| dollars("tip_credit", text))?;
        let day = |key: &'static str| move |text: &str| check::date(key, text).map_err(|fault| fault.message);
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
            effective_date: day("effective_date")(&self.effective_date)?,
            until: optional(&self.until, day("until"))?,
            outdated_from: optional(&self.outdated_from, day("outdated_from"))?,
            source: self.source,
            remarks: self.notes,
        };
        made.rule = rule_id(&made);
        Ok(made)
    }
}

/// The uuid of a rule follows from authority, place, type and condition.
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

fn word<T: Copy>(key: &str, value: &str, all: &[T], as_str: fn(T) -> &'static str) -> Result<T, String> {
    let found = all.iter().copied().find(|known| as_str(*known) == value);
    found.ok_or_else(|| {
        let allowed: Vec<_> = all.iter().map(|known| as_str(*known)).collect();
        format!("{key} must be one of: {}", allowed.join(", "))
    })
}

fn dollars(key: &str, value: &str) -> Result<Amount, String> {
    let amount = Amount::parse(value).map_err(|fault| format!("{key} {fault}"))?;
    if amount < Amount::ZERO || amount > LARGEST {
        return Err(format!("{key} must lie between 0 and {LARGEST}"));
    }
    Ok(amount)
}

fn optional<T>(value: &str, read: impl Fn(&str) -> Result<T, String>) -> Result<Option<T>, String> {
    if value.is_empty() { Ok(None) } else { read(value).map(Some) }
}

/// Whether tips may cover a part of the minimum wage in a state, so that pay can be adjusted to it.
pub fn allows_tip_credit(state: &str) -> bool {
    const LINES: &str = include_str!("../../../../../data/tip_credit_states.csv");
    LINES.lines().skip(1).any(|line| {
        let mut fields = line.split(',');
        fields.next() == Some(state) && fields.next() == Some("1")
    })
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    fn told(place: &Place, day: Date) -> Vec<(Authority, String, String)> {
        let rows = Table::built_in().at(place, day);
        rows.into_iter().map(|row| (row.authority, row.wage.to_text(2), row.condition.clone())).collect()
    }

    fn figures(place: &Place, day: Date) -> Vec<(&'static str, String)> {
        told(place, day).into_iter().map(|(authority, wage, _)| (authority.as_str(), wage)).collect()
    }

    fn figure(authority: &'static str, wage: &str) -> (&'static str, String) {
        (authority, wage.to_owned())
    }

    #[test]
    fn each_authority_that_reaches_the_place_is_told_with_its_newest_figure() {
        let denver = Place::of("CO", "Denver", "80202");
        let in_2025 = [figure("City", "18.81"), figure("State", "14.81"), figure("Federal", "7.25")];
        assert_eq!(figures(&denver, date(2025, 12, 31)), in_2025);
        let in_2026 = [figure("City", "19.29"), figure("State", "15.16"), figure("Federal", "7.25")];
        assert_eq!(figures(&denver, date(2026, 1, 1)), in_2026);
        let texas = Place::of("TX", "San Antonio", "78205");
        assert_eq!(figures(&texas, date(2026, 6, 15)), [figure("State", "7.25"), figure("Federal", "7.25")]);
    }

    #[test]
    fn the_rule_for_a_county_takes_the_place_of_the_states_own() {
        let brooklyn = Place::of("NY", "Brooklyn", "11201");
        assert_eq!(brooklyn.county, Some("36047"));
        assert_eq!(
            figures(&brooklyn, date(2026, 6, 15)),
            [figure("State", "17.00"), figure("Federal", "7.25")]
        );
        let albany = Place::of("NY", "Albany", "12207");
        assert_eq!(
            figures(&albany, date(2026, 6, 15)),
            [figure("State", "16.00"), figure("Federal", "7.25")]
        );
    }

    #[test]
    fn rules_for_a_size_or_an_industry_stand_beside_the_others() {
        let hayward = Place::of("CA", "Hayward", "94541");
        let rows = told(&hayward, date(2026, 2, 1));
        let city: Vec<_> = rows.iter().filter(|row| row.0 == Authority::City).collect();
        assert_eq!(city.len(), 2);
        assert!(rows.iter().any(|row| row.2.contains("fast food") && row.1 == "20.00"));
        let richmond = Place::of("CA", "richmond", "94801");
        assert!(told(&richmond, date(2025, 12, 31)).contains(&(
            Authority::City,
            "17.77".to_owned(),
            String::new()
        )));
        assert!(!told(&richmond, date(2026, 1, 1)).iter().any(|row| row.1 == "17.77"));
    }

    #[test]
    fn a_figure_that_is_known_to_be_old_says_so_from_that_day_on() {
        let place = Place::of("CA", "San Francisco", "94103");
        let of_city = |day| {
            let rows = Table::built_in().at(&place, day);
            rows.into_iter().find(|row| row.authority == Authority::City).and_then(|row| row.notes(day))
        };
        assert_eq!(of_city(date(2026, 6, 30)), None);
        let note = of_city(date(2026, 7, 1)).unwrap();
        assert!(note.contains("out of date since 2026-07-01") && note.contains("2025-07-01"), "{note}");
        let (rows, outdated) = Table::built_in().count(date(2026, 7, 1));
        assert!(rows > 400 && outdated > 10);
    }

    #[test]
    fn a_rule_keeps_its_uuid_when_its_figure_changes_and_in_a_newer_data_set() {
        let texas = Place::of("TX", "San Antonio", "78205");
        let day = date(2026, 12, 1);
        let before = Table::built_in().at(&texas, day);
        let newer = BUILT_IN_TEXT.to_owned() + "State,TX,,,,,Regular,,9.00,,2026-10-01,,,,,\n";
        let newer = Table::parse(&newer).unwrap();
        let after = newer.at(&texas, day);
        assert_eq!(after[0].wage, Amount::from_cents(900));
        let rules = |rows: &[&MinimumWage]| rows.iter().map(|row| row.rule).collect::<Vec<_>>();
        assert_eq!(rules(&before), rules(&after));
        assert_eq!(newer.rule_at(before[0].rule, &texas, date(2026, 9, 30)).unwrap().wage.to_text(2), "7.25");
        assert_eq!(newer.days_of_change(&texas, date(2026, 9, 1), date(2026, 10, 15)), [date(2026, 10, 1)]);
    }

    #[test]
    fn the_credit_for_tips_is_the_authoritys_own_or_else_the_federal_one() {
        let day = date(2026, 6, 15);
        let credit =
            |authority, place: &Place| Table::built_in().tip_credit(authority, place, day).to_text(2);
        assert_eq!(credit(Authority::Federal, &Place::of("TX", "Dallas", "75201")), "5.12");
        assert_eq!(credit(Authority::State, &Place::of("CO", "Pueblo", "81003")), "3.02");
        // Two kinds of tipped work: the smaller credit.
        assert_eq!(credit(Authority::State, &Place::of("NY", "Brooklyn", "11201")), "2.85");
        assert_eq!(credit(Authority::State, &Place::of("TN", "Memphis", "38103")), "5.12");
    }

    #[test]
    fn some_states_let_tips_cover_nothing() {
        let none: Vec<_> =
            check::STATES.iter().map(|state| state.0).filter(|s| !allows_tip_credit(s)).collect();
        assert_eq!(none, ["AK", "CA", "MN", "MT", "NV", "OR", "WA"]);
        assert!(!allows_tip_credit("GU"));
    }

    #[test]
    fn a_file_that_cannot_be_right_is_refused_with_its_line() {
        let header = "authority,state,county_fips,city,wage_type,wage,tip_credit,effective_date\n";
        let refused = |line: &str| Table::parse(&format!("{header}{line}\n")).unwrap_err();
        let golden = [
            (
                "Village,TX,,,Regular,7.25,,2026-01-01",
                "line 2: authority must be one of: City, County, State, Federal",
            ),
            ("State,XX,,,Regular,7.25,,2026-01-01", "line 2: state must be"),
            ("State,TX,,,Regular,-1,,2026-01-01", "line 2: wage must lie between"),
            ("State,TX,,,Regular,0,,2026-01-01", "line 2: wage must be more than 0"),
            ("State,TX,,,Regular,much,,2026-01-01", "line 2: wage must be a decimal number"),
            ("State,TX,,,Regular,7.25,,yesterday", "line 2: effective_date must be a day"),
            ("City,TX,,,Regular,7.25,,2026-01-01", "line 2: city is needed"),
            ("County,TX,,,Regular,7.25,,2026-01-01", "line 2: county_fips is needed"),
            ("County,TX,12,,Regular,7.25,,2026-01-01", "line 2: county_fips must have five digits"),
            ("State,TX,,,Regular,7.25,,2026-01-01", "there is no federal minimum wage"),
            ("State,TX,,,Regular,7.25,,2026-01-01\nState,TX,,,Regular,8,,2026-01-01", "two rows of one rule"),
        ];
        for (line, fault) in golden {
            let said = refused(line);
            assert!(said.starts_with(fault), "{line}: {said}");
        }
        assert!(Table::parse("authority,state\nFederal,US\n").unwrap_err().contains("line 2"));
    }
}
