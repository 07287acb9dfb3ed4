//! The data set of minimum wages, and which of its rows apply where and when.
//!
//! Several authorities set a minimum wage for the same place; the newest figure of each that applies is listed, and the
//! employer chooses. If an authority has a rule for the county, its rule for the whole state does not apply there; a rule
//! with a condition (a size, an industry) never replaces one without.
//!
//! Rows of type `Tipped` have the cash wage of tipped work and the part of the minimum wage that tips may cover (the tip credit).
//! They cannot be chosen; [`tips`] finds the one that belongs to a chosen wage.

mod incorporated;
mod read;
mod tips;
use rules::payroll::garnishment::{MinimumWages, WageBasis};
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};
use strum::{EnumString, IntoStaticStr, VariantArray};

use jiff::ToSpan;
use jiff::civil::Date;
use rules::places::county_of_zip;
use rules::{Amount, Named, city};
use uuid::Uuid;

use self::read::WageLine;
pub use self::tips::{Doubt, Outdated, TipCredit};
use crate::company::locations::places::PlaceAnswers;
use crate::company::locations::rows::Location;
use crate::people::addresses::rows::HomeAddress;

/// Maximum number of rows in a data set.
const MOST_ROWS: usize = 100_000;

/// The federal minimum wage since 24 July 2009, in dollars per hour (29 USC 206(a)(1)): used for days and records without a figure in
/// the table.
pub const FEDERAL_MINIMUM_WAGE: Amount = Amount::from_cents(725);

/// Who sets a minimum wage, most local first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, VariantArray, IntoStaticStr, EnumString)]
pub enum Authority {
    /// a city
    #[strum(serialize = "City")]
    City,
    /// a county
    #[strum(serialize = "County")]
    County,
    /// a state
    #[strum(serialize = "State")]
    State,
    /// the United States
    #[strum(serialize = "Federal")]
    Federal,
}

/// To whom a minimum wage applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, VariantArray, IntoStaticStr, EnumString)]
pub enum WageType {
    /// everybody
    #[strum(serialize = "Regular")]
    Regular,
    /// an industry, named in the notes
    #[strum(serialize = "Regular-Industry-Specific")]
    Industry,
    /// tipped employees: the minimum cash wage, with the tip credit
    #[strum(serialize = "Tipped")]
    Tipped,
}

/// A figure of a rule, from a day on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MinimumWage {
    /// identifier of the rule, the same for all its figures
    pub rule: Uuid,
    /// who set it
    pub authority: Authority,
    /// two letters; empty for the federal one
    pub state: String,
    /// five digits; empty for all counties
    pub county: String,
    /// empty for all cities
    pub city: String,
    /// describes a part of the place, such as `unincorporated`
    pub region: String,
    /// to whom it applies
    pub wage_type: WageType,
    /// condition in words, such as `26 or more employees`
    pub condition: String,
    /// dollars an hour
    pub wage: Amount,
    /// dollars an hour that tips may cover; only with type `Tipped`
    pub tip_credit: Option<Amount>,
    /// dollars an hour of tips that do not count; only what is above them may be covered
    pub tips_from: Amount,
    /// first day
    pub effective_date: Date,
    /// last day, if the rule ended without a newer figure
    pub until: Option<Date>,
    /// first day on which the figure is known to be out of date, or was due to be replaced, if the newer one is missing
    pub outdated_from: Option<Date>,
    /// where the figure was taken from
    pub source: String,
    /// remarks
    pub remarks: String,
}

/// A work location.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// two letters
    pub state: String,
    /// five digits, if known
    pub county: Option<&'static str>,
    /// as in the address
    pub city: String,
    /// as in the address
    pub zip: String,
    /// answers to the questions about the address
    pub answers: Option<PlaceAnswers>,
}

impl Place {
    /// The location of an address.
    pub fn from_address(state: &str, city: &str, zip: &str) -> Self {
        Self {
            state: state.to_owned(),
            county: county_of_zip(zip),
            city: city.trim().to_owned(),
            zip: zip.to_owned(),
            answers: None,
        }
    }

    /// A location of the company, with the answers about its address.
    pub fn of_location(location: &Location) -> Self {
        let place = Self::from_address(&location.state, &location.city, &location.zip);
        Self { answers: location.place_answers.clone(), ..place }
    }

    /// An employee's home, with the answers about its address.
    pub fn of_home(home: &HomeAddress) -> Self {
        Self { answers: home.place_answers.clone(), ..Self::from_address(&home.state, &home.city, &home.zip) }
    }
}

/// All minimum wages of a data set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// by state, the federal rows first; those of a rule by effective date
    rows: Vec<MinimumWage>,
}

/// The built-in file.
pub(super) const BUILT_IN_TEXT: &str = include_str!("../../../../../data/minimum_wages.csv");

static BUILT_IN: LazyLock<Arc<Table>> = LazyLock::new(|| match Table::parse(BUILT_IN_TEXT) {
    Ok(table) => Arc::new(table),
    Err(fault) => panic!("data/minimum_wages.csv: {fault}"),
});

impl Table {
    /// The built-in data set.
    pub fn built_in() -> &'static Arc<Self> {
        &BUILT_IN
    }

    /// Reads a file whose header names the columns.
    ///
    /// # Errors
    /// One sentence with the line and what is wrong there, or that the file has no federal wage.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
        let mut rows = Vec::new();
        for (index, line) in reader.deserialize::<WageLine>().enumerate() {
            let number = index + 2;
            // The reader's messages contain names of columns, and no values.
            let line = line.map_err(|fault| format!("line {number}: {fault}"))?;
            rows.push(line.into_minimum_wage().map_err(|fault| format!("line {number}: {fault}"))?);
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
                "two rows of the same rule and effective date: {} {state} {city} {effective_date}",
                authority.as_str()
            ));
        }
        note_renewals(&mut rows);
        if !rows.iter().any(|row| row.authority == Authority::Federal && row.wage_type == WageType::Regular) {
            return Err("there is no federal minimum wage of type Regular".to_owned());
        }
        Ok(Self { rows })
    }

    /// The number of rows, and of those known to be out of date on a day.
    pub fn count_rows(&self, today: Date) -> (usize, usize) {
        let outdated = self.rows.iter().filter(|row| row.outdated_from.is_some_and(|day| day <= today));
        (self.rows.len(), outdated.count())
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no rows: never, because a table has a federal one.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The figures that differ from those of another table, one sentence for each.
    pub fn differences_from(&self, before: &Self) -> Vec<String> {
        let figures = |table: &Self| -> BTreeMap<(String, Date), String> {
            let figure = |row: &MinimumWage| match row.tip_credit {
                Some(credit) if row.tips_from > Amount::ZERO => {
                    format!("{} with a tip credit of {credit} for tips above {}", row.wage, row.tips_from)
                }
                Some(credit) => format!("{} with a tip credit of {credit}", row.wage),
                None => row.wage.to_string(),
            };
            table.rows.iter().map(|row| ((row.name(), row.effective_date), figure(row))).collect()
        };
        let (old, new) = (figures(before), figures(self));
        let mut changes = Vec::new();
        for ((name, day), wage) in &new {
            match old.get(&(name.clone(), *day)) {
                Some(other) if other == wage => {}
                Some(other) => changes.push(format!("{name} from {day}: {wage}, was {other}")),
                None => changes.push(format!("{name} from {day}: {wage}")),
            }
        }
        let gone = old.iter().filter(|(key, _)| !new.contains_key(*key));
        changes.extend(
            gone.map(|((name, day), wage)| format!("{name} from {day}: no longer there, was {wage}")),
        );
        changes
    }

    /// The minimum wages in force at a location on a day that can be chosen: city first, then county, state and federal.
    pub fn choosable_wages(&self, place: &Place, day: Date) -> Vec<&MinimumWage> {
        let mut found = self.in_force(place, day);
        found.retain(|row| row.wage_type != WageType::Tipped);
        found.sort_by_key(|row| (row.authority, row.wage_type, row.condition.as_str()));
        found
    }

    /// The minimum wages in force on a day that apply to everybody at a location, by which the law computes earnings exempt from
    /// garnishments.
    pub fn of_everybody(&self, place: Option<&Place>, day: Date) -> MinimumWages {
        let here = place.map(|place| self.choosable_wages(place, day)).unwrap_or_default();
        let highest = |authorities: &[Authority]| {
            let rows = here.iter().filter(|row| {
                authorities.contains(&row.authority)
                    && row.wage_type == WageType::Regular
                    && row.condition.is_empty()
                    && !place.is_some_and(|place| row.leaves_out(place))
            });
            rows.map(|row| row.wage).max()
        };
        let of_country = self.of_state("").iter().filter(|row| {
            row.authority == Authority::Federal
                && row.wage_type == WageType::Regular
                && row.effective_date <= day
        });
        MinimumWages {
            federal: of_country
                .max_by_key(|row| row.effective_date)
                .map_or(FEDERAL_MINIMUM_WAGE, |row| row.wage),
            state: highest(&[Authority::State]),
            local: highest(&[Authority::County, Authority::City]),
        }
    }

    /// The minimum wage that applies to everybody at a place.
    pub fn general_minimum_wage(&self, place: &Place, day: Date) -> Amount {
        self.of_everybody(Some(place), day).wage_for_basis(WageBasis::Local)
    }

    /// Whether the figure of a rule should have been replaced by a day: it replaced another one after just a year, and is a year old
    /// itself.
    pub fn is_overdue(&self, row: &MinimumWage, day: Date) -> bool {
        let is_old = row.until.is_none() && row.effective_date.saturating_add(1.year()) <= day;
        let is_before = |other: &MinimumWage| {
            other.rule == row.rule && other.effective_date.saturating_add(1.year()) == row.effective_date
        };
        is_old && self.of_state(&row.state).iter().any(is_before)
    }

    /// The states with a figure in force on a day that should have been replaced by then.
    pub fn overdue_states(&self, day: Date) -> Vec<&str> {
        let begun = || self.rows.iter().filter(|row| row.effective_date <= day);
        let is_newest = |row: &&MinimumWage| {
            !begun().any(|other| other.rule == row.rule && other.effective_date > row.effective_date)
        };
        let overdue = begun().filter(|row| self.is_overdue(row, day)).filter(is_newest);
        let mut states: Vec<&str> = overdue.map(|row| row.state.as_str()).collect();
        states.dedup();
        states
    }

    /// A figure that applies to everybody at a location and should have been replaced by a day, if there is one.
    pub fn overdue_of_everybody(&self, place: &Place, day: Date) -> Option<&MinimumWage> {
        let of_everybody = |row: &&MinimumWage| {
            row.wage_type == WageType::Regular && row.condition.is_empty() && !row.leaves_out(place)
        };
        self.choosable_wages(place, day)
            .into_iter()
            .filter(of_everybody)
            .find(|row| self.is_overdue(row, day))
    }

    /// The rule's figure in force on a day, if the rule applies to the place.
    pub fn rule_at(&self, rule: Uuid, place: &Place, day: Date) -> Option<&MinimumWage> {
        self.choosable_wages(place, day).into_iter().find(|row| row.rule == rule)
    }

    /// The days after `first`, until `last`, on which any figure at the location begins or ends.
    pub fn days_of_change(&self, place: &Place, first: Date, last: Date) -> Vec<Date> {
        let of_place = self.of_place(place);
        let days = of_place.flat_map(|row| {
            let ended = row.until.and_then(|day| day.tomorrow().ok());
            [Some(row.effective_date), ended].into_iter().flatten()
        });
        let mut days: Vec<Date> = days.filter(|day| first < *day && *day <= last).collect();
        days.sort_unstable();
        days.dedup();
        days
    }

    /// The rows of a state; the federal ones for an empty text.
    fn of_state(&self, state: &str) -> &[MinimumWage] {
        // Binary search, because payrolls look up every employee: the rows are sorted by state.
        let first = self.rows.partition_point(|row| row.state.as_str() < state);
        let rest = self.rows.get(first..).unwrap_or_default();
        rest.get(..rest.partition_point(|row| row.state == state)).unwrap_or_default()
    }

    /// The rows that apply at a location.
    fn of_place<'a>(&'a self, place: &Place) -> impl Iterator<Item = &'a MinimumWage> {
        let of_state = self.of_state(&place.state).iter().filter(|row| !row.state.is_empty());
        self.of_state("").iter().chain(of_state).filter(move |row| row.covers_place(place))
    }

    /// The newest figure of each rule that applies to the place, of every type.
    fn in_force(&self, place: &Place, day: Date) -> Vec<&MinimumWage> {
        let mut found: Vec<&MinimumWage> = Vec::new();
        let applies =
            |row: &&MinimumWage| row.effective_date <= day && row.until.is_none_or(|last| day <= last);
        for row in self.of_place(place).filter(applies) {
            match found.iter_mut().find(|other| other.rule == row.rule) {
                Some(other) => *other = row,
                None => found.push(row),
            }
        }
        let replaced = |row: &MinimumWage, all: &[&MinimumWage]| {
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
        found.retain(|row| !replaced(row, &all));
        found
    }
}

/// Notes on the newest figure of each rule that replaced another one after just a year when the next one is due: a year later.
fn note_renewals(rows: &mut [MinimumWage]) {
    for at in 1..rows.len() {
        let is_newest = rows.get(at + 1).is_none_or(|next| next.rule != rows[at].rule);
        let (before, row) = (&rows[at - 1], &rows[at]);
        let renewed =
            before.rule == row.rule && before.effective_date.saturating_add(1.year()) == row.effective_date;
        if is_newest && renewed && row.until.is_none() && row.outdated_from.is_none() {
            rows[at].outdated_from = Some(row.effective_date.saturating_add(1.year()));
        }
    }
}

impl MinimumWage {
    /// Whether the rule applies to the location.
    fn covers_place(&self, place: &Place) -> bool {
        match self.authority {
            Authority::Federal => true,
            _ if self.state != place.state => false,
            Authority::City => city::is_same(&self.city, &place.city),
            Authority::State | Authority::County => {
                let here = self.county.is_empty() || place.county == Some(&*self.county);
                let outside = self.region.strip_prefix("outside ");
                here && outside.is_none_or(|within| !city::is_same(within, &place.city))
            }
        }
    }

    /// Whether the rule is for the unincorporated areas of its county, and the address is in a city.
    fn leaves_out(&self, place: &Place) -> bool {
        self.region == "unincorporated" && incorporated::is_city(&self.county, &place.city)
    }

    /// The words for authority and place, such as `State CA`.
    fn authority_words(&self) -> Vec<&str> {
        let place =
            [&self.state, &self.county, &self.city, &self.region].into_iter().filter(|part| !part.is_empty());
        std::iter::once(self.authority.as_str()).chain(place.map(String::as_str)).collect()
    }

    /// Authority and place in words, such as `State CA`.
    pub fn authority_and_place(&self) -> String {
        self.authority_words().join(" ")
    }

    /// The name of the rule.
    fn name(&self) -> String {
        let mut name = self.authority_words();
        name.push(self.wage_type.as_str());
        if !self.condition.is_empty() {
            name.push(&self.condition);
        }
        name.join(" ")
    }

    /// Condition, region, remarks and whether the figure is out of date on a day, if there are any.
    pub fn notes_on(&self, day: Date) -> Option<String> {
        let mut notes: Vec<String> = [&self.condition, &self.region, &self.remarks]
            .into_iter()
            .filter(|text| !text.is_empty())
            .cloned()
            .collect();
        if let Some(since) = self.outdated_from.filter(|since| *since <= day) {
            notes.push(format!(
                "out of date since {since}: the figure of {} is the newest available",
                self.effective_date
            ));
        }
        (!notes.is_empty()).then(|| notes.join("; "))
    }
}

#[cfg(test)]
mod tests;
