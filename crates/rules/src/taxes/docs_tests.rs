//! Checks that the table in docs/payroll-taxes.md matches the data.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use jiff::civil::{Date, date};

use super::*;
use crate::Named;
use crate::days::Days;
use crate::withholding::federal::PayFrequency;
use crate::withholding::state::StateTables;
use crate::withholding::state::formula::Formulas;

const DOCS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/payroll-taxes.md");
const BEGIN: &str = "<!-- taxes by state -->\n";
const END: &str = "<!-- end of taxes by state -->";
/// A pay date late in the tables' year, so that figures that came into force during the year apply.
const DAY: Date = date(2026, 12, 15);

fn in_force(tax: &Tax) -> bool {
    tax.is_in_force(DAY) && tax.method != Method::None
}

/// Returns the mark of a doubtful figure.
fn mark(confidence: Confidence) -> String {
    if confidence.is_enough() { String::new() } else { format!(" ({})", confidence.as_str()) }
}

fn income_tax(state: &str) -> String {
    let certificate = StateTables::built_in().get(state);
    let Some(certificate) = certificate else { return "not held".to_owned() };
    if !certificate.wage_tax {
        return "none".to_owned();
    }
    match Formulas::built_in().find_formula(
        state,
        DAY,
        Days { first: DAY, last: DAY },
        PayFrequency::EveryOtherWeek,
    ) {
        Ok(_) => "yes".to_owned(),
        Err(why) => format!("no: {why}"),
    }
}

/// Returns the doubtful rules on income tax for an employee whose home and work are in two states.
fn two_states(state: &str) -> String {
    let Some(rule) = NonresidentTable::built_in().get(state) else { return "not held".to_owned() };
    if !rule.taxes_wages {
        return String::new();
    }
    let rules = [("nonresidents", rule.threshold_confidence), ("residents", rule.residents_confidence)];
    let doubtful: Vec<String> = rules
        .into_iter()
        .filter(|(_, confidence)| !confidence.is_enough())
        .map(|(whom, confidence)| format!("{whom} {}", confidence.as_str()))
        .collect();
    if doubtful.is_empty() { "yes".to_owned() } else { doubtful.join(", ") }
}

/// Returns the names of a state's programs that a payer bears, marking doubtful ones and those without a known figure.
fn programmes(state: &str, payer: Payer) -> String {
    let mut names: BTreeMap<String, Confidence> = BTreeMap::new();
    let mut asked = BTreeSet::new();
    for tax in TaxTable::insurance().of_state(state).iter().filter(|tax| tax.payer == payer && in_force(tax))
    {
        let worst = names.entry(tax.name.clone()).or_insert(tax.confidence);
        *worst = (*worst).max(tax.confidence);
        match tax.method {
            Method::OnReturn(_) => drop(asked.insert((tax.name.clone(), "on the employer's return"))),
            Method::Gap | Method::OwnRate | Method::Ceiling(_) => {
                asked.insert((tax.name.clone(), "by the employer's rate"));
            }
            _ => {}
        }
    }
    if payer == Payer::Employer
        && let Some(row) = UnemploymentTable::built_in().get(state, DAY)
    {
        let known = if row.wage_base.is_some() { row.base_confidence } else { Confidence::Unconfirmed };
        names.insert(format!("{state} SUI"), known);
    }
    let name = |(name, confidence): (&String, &Confidence)| {
        let how = asked.iter().find(|(asked, _)| asked == name).map_or("", |(_, how)| *how);
        let how = if how.is_empty() { String::new() } else { format!(" ({how})") };
        format!("{name}{how}{}", mark(*confidence))
    };
    names.iter().map(name).collect::<Vec<_>>().join(", ")
}

/// Returns a state's places by kind, with the number of doubtful figures; a few places are listed by name.
fn places(state: &str) -> String {
    if state == "MD" {
        return "24 counties, within the income tax".to_owned();
    }
    let mut kinds: BTreeMap<&str, BTreeMap<&str, (String, Confidence)>> = BTreeMap::new();
    for tax in
        TaxTable::built_in_local().iter().filter(|tax| tax.jurisdiction.state == state && in_force(tax))
    {
        let kind = match tax.jurisdiction.level {
            Level::County => "counties",
            Level::City => "cities",
            Level::SchoolDistrict => "school districts",
            Level::SpecialDistrict => "districts",
            Level::Country | Level::State => continue,
        };
        let place = tax.jurisdiction.place.as_str();
        let mut name = crate::places::describe_place(place, crate::places::PlaceNames::built_in()).unwrap().1;
        if tax.method == Method::Gap {
            name += " (figure not known)";
        }
        let held = kinds.entry(kind).or_default().entry(place).or_insert((name, tax.confidence));
        held.1 = held.1.max(tax.confidence);
    }
    if state == "PA" {
        let register = PennsylvaniaTable::built_in().iter();
        kinds
            .entry("cities")
            .or_default()
            .extend(register.map(|row| (row.psd.as_str(), (row.municipality.clone(), row.confidence))));
    }
    let of_kind = |(kind, places): (&&str, &BTreeMap<&str, (String, Confidence)>)| {
        if places.len() <= 8 {
            let named: BTreeSet<String> =
                places.values().map(|(name, confidence)| format!("{name}{}", mark(*confidence))).collect();
            return named.into_iter().collect::<Vec<_>>().join(", ");
        }
        let doubtful = places.values().filter(|(_, confidence)| !confidence.is_enough()).count();
        let doubtful = if doubtful == 0 { String::new() } else { format!(" ({doubtful} in doubt)") };
        format!("{} {kind}{doubtful}", places.len())
    };
    kinds.iter().map(of_kind).collect::<Vec<_>>().join("; ")
}

fn table() -> String {
    let mut table = String::from(
        "| state | income tax | home and work in two states | employee's programs | employer's | places |\n|---|---|---|---|---|---|\n",
    );
    let states: BTreeSet<&str> = UnemploymentTable::built_in().iter().map(|row| row.state.as_str()).collect();
    for state in states {
        let cells = [
            income_tax(state),
            two_states(state),
            programmes(state, Payer::Employee),
            programmes(state, Payer::Employer),
            places(state),
        ];
        writeln!(table, "| {state} | {} |", cells.join(" | ")).unwrap();
    }
    table
}

#[test]
fn the_table_of_the_documentation_is_that_of_the_data() {
    let held = std::fs::read_to_string(DOCS).unwrap();
    let (before, rest) =
        held.split_once(BEGIN).expect("docs/payroll-taxes.md has the beginning of the table");
    let (_, after) = rest.split_once(END).expect("docs/payroll-taxes.md has the end of the table");
    let made = format!("{before}{BEGIN}{}{END}{after}", table());
    if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        std::fs::write(DOCS, &made).unwrap();
    } else {
        assert!(made == held, "docs/payroll-taxes.md is old: INSTA_UPDATE=always renews it");
    }
}
