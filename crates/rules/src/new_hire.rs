//! Deadlines for reporting newly hired employees, and where to report them.
//!
//! Federal law requires the report within 20 days (42 USC 653a(b)(2)); some states require it sooner. An employee who returns
//! after at least 60 days is also a newly hired employee (42 USC 653a(a)(2)(A)).

use std::collections::BTreeMap;
use std::sync::LazyLock;

use jiff::ToSpan;
use jiff::civil::Date;
use serde::Deserialize;

use crate::amount::Amount;
use crate::dated::Undated;
use crate::taxes::Confidence;
use crate::withholding::{TableError, csv_rows};

/// Code of the row with the federal deadline, used for states without a row.
const FEDERAL: &str = "US";

/// A state's requirements for the report.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct NewHireRule {
    /// Two-letter code; `US` for the federal deadline.
    pub state: String,
    /// Days from the hire to the deadline.
    pub days: i32,
    /// Source of the deadline.
    pub source: String,
    /// Degree of confidence in the deadline; `unconfirmed` where only the federal law was read.
    pub confidence: Confidence,
    /// The directory that receives the report, if its name is known.
    pub directory: Option<String>,
    /// Its web site, if known.
    pub website: Option<String>,
    /// Dollars that a contractor is paid in a calendar year from which on the state asks for a report, within the same days; `None` where it is not
    /// known to ask for any.
    pub contractor_amount: Option<Amount>,
    /// Source of that amount.
    pub contractor_source: Option<String>,
    /// Degree of confidence in it.
    pub contractor_confidence: Option<Confidence>,
}

impl NewHireRule {
    /// Returns the last day to report an employee whose first day of work is `hired`.
    pub fn due_on(&self, hired: Date) -> Date {
        hired.saturating_add(self.days.days())
    }

    /// Whether amount, source and confidence of contractors are all there, or none.
    fn is_whole(&self) -> bool {
        let has = self.contractor_amount.is_some();
        self.contractor_source.is_some() == has && self.contractor_confidence.is_some() == has
    }
}

/// The requirements of each state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewHireTable {
    by_state: BTreeMap<String, NewHireRule>,
    federal: NewHireRule,
}

impl Undated for NewHireTable {
    const FILE: &'static str = include_str!("../../../data/new_hire_reporting.csv");
    const KEY: &'static [&'static str] = &["state"];

    fn read_edition(csv: &str) -> Result<Self, TableError> {
        Self::parse(csv)
    }
}

impl NewHireTable {
    /// Returns the built-in table.
    ///
    /// # Panics
    /// Never: tests read it.
    pub fn built_in() -> &'static Self {
        static TABLE: LazyLock<NewHireTable> = LazyLock::new(|| {
            NewHireTable::parse(NewHireTable::FILE)
                .unwrap_or_else(|error| panic!("new_hire_reporting.csv: {error}"))
        });
        &TABLE
    }

    /// Parses the layout of `new_hire_reporting.csv`.
    ///
    /// # Errors
    /// A row is malformed, or the federal row is missing.
    pub fn parse(csv: &str) -> Result<Self, TableError> {
        let rows = csv_rows::<NewHireRule>(csv)?;
        if let Some(part) = rows.iter().find(|row| !row.is_whole()) {
            let why = "contractor_amount, contractor_source and contractor_confidence belong together";
            return Err(TableError::new(format!("{}: {why}", part.state)));
        }
        let rows = rows.into_iter();
        let mut by_state: BTreeMap<String, NewHireRule> = rows.map(|row| (row.state.clone(), row)).collect();
        let federal = by_state.remove(FEDERAL).ok_or_else(|| TableError::new("there is no row US"))?;
        Ok(Self { by_state, federal })
    }

    /// Returns the row for a two-letter state code: the state's own, or the federal one.
    pub fn rule_of_state(&self, state: &str) -> &NewHireRule {
        self.by_state.get(state).unwrap_or(&self.federal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn a_report_is_due_by_the_state_of_work_and_never_later_than_the_federal_ceiling() {
        let table = NewHireTable::built_in();
        assert_eq!(table.rule_of_state("TX").due_on(date(2026, 3, 1)), date(2026, 3, 21));
        assert_eq!(table.rule_of_state("GA").due_on(date(2026, 12, 28)), date(2027, 1, 7));
        assert_eq!(table.rule_of_state("GA").directory.as_deref(), Some("Georgia New Hire Reporting Center"));
        assert_eq!(table.rule_of_state("AS").days, 20, "a place without a row");
        for rule in table.by_state.values() {
            assert!(
                (1..=table.federal.days).contains(&rule.days) && !rule.source.is_empty(),
                "{}",
                rule.state
            );
        }
        assert_eq!(table.rule_of_state("TX").confidence, Confidence::Secondary, "published lists agree");
        assert_eq!(table.rule_of_state("GU").confidence, Confidence::Unconfirmed, "no list names it");
        let head = "state,days,source,confidence,directory,website";
        assert!(NewHireTable::parse(&format!("{head}\nTX,20,x,primary,,\n")).is_err());
        assert!(NewHireTable::parse(&format!("{head}\nUS,20,x,sure,,\n")).is_err());
    }

    #[test]
    fn a_state_that_asks_for_reports_of_contractors_says_from_which_amount_on_and_where_that_is_from() {
        let table = NewHireTable::built_in();
        let of = |state: &str| table.rule_of_state(state).contractor_amount.map(|amount| amount.to_text(2));
        let asked = [
            ("CA", "600.00"),
            ("CT", "5000.00"),
            ("IA", "2000.01"),
            ("MA", "600.00"),
            ("ME", "2500.00"),
            ("NE", "2000.00"),
            ("NH", "2500.01"),
            ("NJ", "0.00"),
            ("NY", "2500.01"),
            ("OH", "2500.00"),
            ("VA", "0.00"),
            ("WV", "2500.00"),
        ];
        let known = table.by_state.values().filter(|rule| rule.contractor_amount.is_some());
        assert_eq!(known.map(|rule| rule.state.as_str()).collect::<Vec<_>>(), asked.map(|(state, _)| state));
        for (state, amount) in asked {
            assert_eq!(of(state).as_deref(), Some(amount), "{state}");
            assert_ne!(
                table.rule_of_state(state).contractor_confidence,
                Some(Confidence::Unconfirmed),
                "{state}"
            );
        }
        let head = "state,days,source,confidence,directory,website,contractor_amount,contractor_source,contractor_confidence";
        let with = |cells: &str| {
            NewHireTable::parse(&format!("{head}\nUS,20,x,primary,,,,,\nCA,20,x,primary,,,{cells}\n"))
        };
        assert!(
            with("600,y,primary").is_ok() && with("600,,primary").is_err() && with("many,y,primary").is_err()
        );
        // A table of before, without the columns, is still read.
        let before = "state,days,source,confidence,directory,website\nUS,20,x,primary,,\n";
        assert_eq!(NewHireTable::parse(before).unwrap().rule_of_state("CA").contractor_amount, None);
    }
}
