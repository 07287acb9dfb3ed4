//! The tax of a county that is part of its state's income tax: Maryland's counties, by the address of the home.
//!
//! A home outside the state bears the state's rate for nonresidents instead. If the address does not tell one county, the rate
//! that the state publishes for employees whose county is not known counts, so that the tax is withheld in any case.

use jiff::civil::Date;

use super::circumstances::LivesAt;
use super::table::{Bracket, Filing, Method, Tax, TaxTable};
use crate::places::is_within_state_tax;
use crate::withholding::state::formula::{CountyBracket, CountyMethod, CountyTax};

/// Suffix of the row for employees whose county is not known.
const UNKNOWN: &str = "-UNKNOWN";
/// Suffix of the row for homes outside the state.
const NONRESIDENT: &str = "-NONRESIDENT";

/// Returns the tax that a state's income tax includes for an employee with this home, on a pay date. `None` if the state's tax
/// includes no county's, or the table has no row in force.
pub fn county_within_state_tax(
    table: &TaxTable,
    state: &str,
    home: &LivesAt,
    day: Date,
) -> Option<CountyTax> {
    let key = |suffix: &str| format!("{state}{suffix}");
    if !is_within_state_tax(&key(UNKNOWN)) {
        return None;
    }
    if !home.state.is_empty() && home.state != state {
        let tax = of_place(table, &key(NONRESIDENT), day)?;
        return Some(CountyTax { whatever_certificate: true, ..tax });
    }
    let mut counties = home.places.iter().filter(|place| place.split('-').next() == Some(state));
    let of_places = match (counties.next(), counties.next()) {
        (Some(county), None) => Some(county.as_str()),
        _ => None,
    };
    let county = home.county_within_state_tax.as_deref().or(of_places);
    let of_address = county.and_then(|county| of_place(table, county, day));
    of_address.or_else(|| of_place(table, &key(UNKNOWN), day))
}

/// Whether a tax stands in for that of a county that is not known.
pub fn is_of_unknown_county(tax: &CountyTax) -> bool {
    tax.place.ends_with(UNKNOWN)
}

fn of_place(table: &TaxTable, place: &str, day: Date) -> Option<CountyTax> {
    let rows =
        || table.of_place(place).iter().filter(|tax| tax.is_in_force(day) && tax.confidence.is_enough());
    let first = rows().next()?;
    let method = match &first.method {
        Method::Rate(percent) => CountyMethod::Rate(*percent),
        Method::ScheduleAnnual(_) => {
            let of =
                |filing| rows().find(|tax| tax.filing == Some(filing)).and_then(|tax| county_brackets(tax));
            CountyMethod::Schedule { single: of(Filing::Single)?, joint: of(Filing::Joint)? }
        }
        _ => return None,
    };
    Some(CountyTax {
        place: place.to_owned(),
        name: first.name.clone(),
        method,
        whatever_certificate: false,
        source: first.source.clone(),
    })
}

fn county_brackets(tax: &Tax) -> Option<Vec<CountyBracket>> {
    let Method::ScheduleAnnual(brackets) = &tax.method else { return None };
    let bracket = |one: &Bracket| CountyBracket { from: one.from, tax: one.tax, percent: one.percent };
    Some(brackets.iter().map(bracket).collect())
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;
    use crate::amount::Amount;

    fn lives(state: &str, places: &[&str]) -> LivesAt {
        LivesAt {
            state: state.to_owned(),
            places: places.iter().map(|place| (*place).to_owned()).collect(),
            ..LivesAt::default()
        }
    }

    fn found(state: &str, places: &[&str]) -> CountyTax {
        county_within_state_tax(TaxTable::built_in_local(), "MD", &lives(state, places), date(2026, 3, 6))
            .unwrap()
    }

    fn rate(tax: &CountyTax) -> String {
        match &tax.method {
            CountyMethod::Rate(percent) => percent.to_text(2),
            CountyMethod::Schedule { single, joint } => {
                format!("{} and {} brackets", single.len(), joint.len())
            }
        }
    }

    #[test]
    fn the_county_of_the_address_decides_and_an_unknown_one_takes_the_rate_for_that() {
        for (state, places, place, expected) in [
            ("MD", &["MD-16"][..], "MD-16", "3.20"),
            ("MD", &["MD-02"], "MD-02", "3 and 3 brackets"),
            ("MD", &["MD-11"], "MD-11", "4 and 4 brackets"),
            ("MD", &[], "MD-UNKNOWN", "3.30"),
            ("MD", &["MD-16", "MD-17"], "MD-UNKNOWN", "3.30"),
            ("", &[], "MD-UNKNOWN", "3.30"),
            ("DE", &["DE-WILMINGTON"], "MD-NONRESIDENT", "2.25"),
        ] {
            let tax = found(state, places);
            assert_eq!((tax.place.as_str(), rate(&tax).as_str()), (place, expected), "{state} {places:?}");
            assert_eq!(is_of_unknown_county(&tax), place == "MD-UNKNOWN");
        }
    }

    #[test]
    fn every_county_of_maryland_has_a_rate_or_a_schedule_within_the_states_range() {
        let of_state = |tax: &&std::sync::Arc<Tax>| tax.jurisdiction.state == "MD";
        let places: std::collections::BTreeSet<&str> = TaxTable::built_in_local()
            .iter()
            .filter(of_state)
            .map(|tax| tax.jurisdiction.place.as_str())
            .collect();
        assert_eq!(places.len(), 26, "23 counties, Baltimore City, unknown counties and nonresidents");
        for place in places {
            let tax = found("MD", &[place]);
            let highest = match &tax.method {
                CountyMethod::Rate(percent) => *percent,
                CountyMethod::Schedule { single, .. } => single.last().unwrap().percent,
            };
            let [low, high] = ["2.25", "3.3"].map(|text| Amount::parse(text).unwrap());
            assert!((low..=high).contains(&highest), "{place}: {highest}");
        }
    }

    #[test]
    fn other_states_have_no_county_in_their_tax() {
        let home = lives("IN", &["IN-49"]);
        assert_eq!(county_within_state_tax(TaxTable::built_in_local(), "IN", &home, date(2026, 3, 6)), None);
    }
}
