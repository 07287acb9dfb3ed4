//! Years that the tables of law do not cover.

use std::fmt;
use std::sync::Arc;

use jiff::civil::Date;
use rules::Named as _;
use rules::payroll::Warning;
use rules::payroll::benefits::{Group, Limits};
use rules::payroll::garnishment::{LevyExemptions, NotApplied};
use rules::payroll::taxes::PayrollTaxYears;
use rules::taxes::{LocalTaxes, StatePrograms, Tax, TaxTables, UnemploymentTable};
use rules::withholding::federal::FederalWithholding;
use rules::withholding::state::formula::Formulas;

use super::{LawTable, Tables};

/// The month from which the tables of the next year are expected.
const FROM_MONTH: i8 = 11;

/// A table that does not cover a year. `Display` names the command that imports it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Missing {
    /// the kind of table
    pub kind: &'static str,
    /// the year
    pub year: i16,
    /// the missing states or groups of benefits, if others are covered; empty if none are
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub of: Vec<String>,
}

impl Missing {
    pub(crate) fn of_year(kind: &'static str, year: i16, of: &[&str]) -> Self {
        Self { kind, year, of: of.iter().map(|name| (*name).to_owned()).collect() }
    }
}

impl Missing {
    /// What is missing, without the remedy.
    pub fn missing_what(&self) -> String {
        let Self { kind, year, of } = self;
        let of = if of.is_empty() { String::new() } else { format!(" for {}", of.join(", ")) };
        format!("the table {kind} of {year} is not held{of}")
    }
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.missing_what(), how_to_get(self.kind))
    }
}

/// How the operator gets a table that is missing.
pub fn how_to_get(kind: &str) -> String {
    format!("the operator imports it with: stipend data import {kind} FILE")
}

/// The message of a warning of the rules. The rules do not know how this program gets its tables, so the remedy is added here.
pub fn warning_message(warning: &Warning) -> String {
    let kind = match warning {
        Warning::NonresidentAmountsMissing { .. } => FederalWithholding::KIND,
        Warning::GarnishmentLimit(NotApplied::EarlierYear { .. } | NotApplied::YearNotHeld { .. }) => {
            LevyExemptions::KIND
        }
        _ => return warning.message(),
    };
    format!("{}; {}", warning.message(), how_to_get(kind))
}

/// Which tables hold nothing for a year, of all that payrolls of that year may need.
pub fn missing_of_year(tables: &Tables, year: i16) -> Vec<Missing> {
    let mut missing = missing_of_country(tables, year);
    let groups = tables.benefit_limits.iter().map(|limit| limit.group);
    missing.extend(missing_of_groups(tables, year, groups));
    let mut states: Vec<&str> = tables.state_withholding.iter().map(|of| of.state.as_str()).collect();
    states.dedup();
    states.retain(|state| tables.state_withholding.last_day(state).is_none_or(|day| day.year() < year));
    if !states.is_empty() {
        missing.push(Missing::of_year(Formulas::KIND, year, &states));
    }
    if !tables.levy_exemptions.iter().any(|row| row.year == year) {
        missing.push(Missing::of_year(LevyExemptions::KIND, year, &[]));
    }
    // The built-in tables are of one year, with rows that began earlier and go on.
    if year > TaxTables::YEAR {
        missing.extend(missing_of_states(tables, year));
    }
    missing
}

/// Which states' programs and unemployment insurance, and whether all local taxes, have no row that begins in a year.
fn missing_of_states(tables: &Tables, year: i16) -> Vec<Missing> {
    let mut missing = Vec::new();
    let of_states = [
        (StatePrograms::KIND, tables.state_programs.states_without(year)),
        (UnemploymentTable::KIND, tables.unemployment_insurance.states_without(year)),
    ];
    for (kind, states) in of_states {
        if !states.is_empty() {
            missing.push(Missing::of_year(kind, year, &states.into_iter().collect::<Vec<_>>()));
        }
    }
    let begins = |tax: &Arc<Tax>| tax.from.is_some_and(|from| from.year() == year);
    if !tables.local_taxes.iter().any(begins) {
        missing.push(Missing::of_year(LocalTaxes::KIND, year, &[]));
    }
    missing
}

/// Which of these groups of benefits have no limit for a year, if any has one.
pub fn missing_of_groups(tables: &Tables, year: i16, groups: impl Iterator<Item = Group>) -> Option<Missing> {
    let open = groups.filter(|group| !tables.benefit_limits.covers_year(year, *group));
    let mut open: Vec<&str> = open.map(|group| group.as_str()).collect();
    open.sort_unstable();
    open.dedup();
    (!open.is_empty()).then(|| Missing::of_year(Limits::KIND, year, &open))
}

/// Which tables do not cover a year, of those that every payroll of that year needs.
pub fn missing_of_country(tables: &Tables, year: i16) -> Vec<Missing> {
    let mut missing = Vec::new();
    if tables.federal_withholding.tables_of_year(year).is_none() {
        missing.push(Missing::of_year(FederalWithholding::KIND, year, &[]));
    }
    if tables.payroll_taxes.taxes_of_year(year).is_none() {
        missing.push(Missing::of_year(PayrollTaxYears::KIND, year, &[]));
    }
    missing
}

/// Whether the tables of the next year are expected.
pub fn asks_for_next(today: Date) -> bool {
    today.month() >= FROM_MONTH
}

/// Which tables do not cover this year and, from November on, the next.
pub fn missing_at(tables: &Tables, today: Date) -> Vec<Missing> {
    let mut missing = missing_of_year(tables, today.year());
    if asks_for_next(today) {
        missing.extend(missing_of_year(tables, today.year() + 1));
    }
    missing
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_of_a_missing_table_names_the_command_that_imports_it() {
        let of_levies =
            [NotApplied::EarlierYear { year: 2027, used: 2026 }, NotApplied::YearNotHeld { year: 2027 }];
        for warning in of_levies.map(Warning::GarnishmentLimit) {
            let message = warning_message(&warning);
            assert!(
                message.ends_with("; the operator imports it with: stipend data import levy-exemptions FILE"),
                "{message}"
            );
            assert!(
                !warning.message().contains("stipend"),
                "the rules name no command: {}",
                warning.message()
            );
        }
        let message = warning_message(&Warning::NonresidentAmountsMissing { year: 2027 });
        assert!(message.ends_with("stipend data import federal-withholding FILE"), "{message}");
        let confirmed = NotApplied::Fee { state: "OH".to_owned(), key: None };
        let other = Warning::GarnishmentLimit(confirmed);
        assert_eq!(warning_message(&other), other.message());
    }
}
