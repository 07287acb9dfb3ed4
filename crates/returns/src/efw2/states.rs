//! Forms W-2 for states: when they are due, and the file in which a state takes them (`data/returns/state_w2_returns.csv`).
//!
//! The file is that of the Social Security Administration with the records that the state reads; what it has at other positions is in
//! `state_w2_fields.csv`. Most rows are from an older year or from memory, and are in doubt until an operator has compared them with the
//! agency's specification. A state whose file needs what is not known or not kept has none, with the reason.

use std::io::Write;
use std::sync::LazyLock;

use jiff::civil::{Date, date};
use rules::deposits::business;
use rules::payroll::taxes::PayrollTaxes;
use rules::places::number_of_state;
use rules::taxes::{Confidence, Doubts};
use rules::withholding::TableError;
use serde::Deserialize;
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::check::{self, Check, Finding};
use super::layout::{Layout, RECORDS};
use super::parties::{Employer, Submitter};
use super::record::{Record, Value};
use super::write::{Totals, Written, of_employer, of_state, of_submitter, refuse_blocking};
use super::{Error, RECORD, parts};
use crate::payment::{StateTaxed, Taxed};
use crate::table::{built_in, deserialize_word, deserialize_words, read_rows};
use crate::w2::W2;

/// Forms W-2 for a state.
#[derive(Debug, Clone, Deserialize)]
pub struct StateW2Return {
    /// two-letter code
    pub state: String,
    /// name of the return that goes with them; empty without one
    pub form: String,
    month: i8,
    day: i8,
    /// records of the file, in their order; none without a file
    #[serde(deserialize_with = "deserialize_words")]
    pub records: Vec<String>,
    /// records of which only the state's own fields are written
    #[serde(deserialize_with = "deserialize_words")]
    own: Vec<String>,
    /// why there is no file; empty if there is one
    pub without_file: String,
    /// how far the row can be trusted
    pub confidence: Confidence,
    /// where it is from
    pub source: String,
}

/// What a state has at positions of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
#[strum(serialize_all = "snake_case")]
enum Stated {
    /// nothing
    Blank,
    /// an amount or a number that private employers do not have
    Zeros,
    /// the tax year
    Year,
    /// the employer's EIN
    Ein,
    /// the employer's name
    EmployerName,
    /// the employer's account with the state
    Account,
    /// the state's number
    StateCode,
    /// number of forms
    Count,
    /// box 16, or its sum
    StateWages,
    /// box 17, or its sum
    StateTax,
}

/// A field at a position of the state's own.
#[derive(Debug, Clone, Deserialize)]
struct StateField {
    state: String,
    record: String,
    from: usize,
    to: usize,
    #[serde(deserialize_with = "deserialize_word")]
    value: Stated,
}

static RETURNS: LazyLock<Vec<StateW2Return>> = LazyLock::new(|| {
    let text = include_str!("../../../../data/returns/state_w2_returns.csv");
    built_in("state_w2_returns.csv", parse_returns(text))
});
static FIELDS: LazyLock<Vec<StateField>> = LazyLock::new(|| {
    let text = include_str!("../../../../data/returns/state_w2_fields.csv");
    built_in("state_w2_fields.csv", parse_fields(text))
});

fn parse_returns(csv: &str) -> Result<Vec<StateW2Return>, TableError> {
    let all: Vec<StateW2Return> = read_rows(csv)?;
    for one in &all {
        let fault = |why: &str| Err(TableError::new(format!("{}: {why}", one.state)));
        if number_of_state(&one.state).is_none() {
            return fault("is not the code of a state");
        }
        if one.records.is_empty() == one.without_file.is_empty() {
            return fault("either its records are told, or why there is no file");
        }
        let in_order: Vec<&str> = RECORDS.into_iter().filter(|name| one.has_record(name)).collect();
        if in_order != one.records || one.own.iter().any(|name| !one.has_record(name)) {
            return fault("records must be those of the file, in their order");
        }
        if Date::new(2027, one.month, one.day).is_err() {
            return fault("month and day must be a day of the year");
        }
    }
    Ok(all)
}

fn parse_fields(csv: &str) -> Result<Vec<StateField>, TableError> {
    let all: Vec<StateField> = read_rows(csv)?;
    for one in &all {
        let is_known = RECORDS.contains(&one.record.as_str());
        if !is_known || one.from < 3 || one.to < one.from || one.to > RECORD {
            let (state, record, from, to) = (&one.state, &one.record, one.from, one.to);
            return Err(TableError::new(format!("{state}, {record}: {from} to {to} is no part of a record")));
        }
    }
    Ok(all)
}

/// Returns the Forms W-2 for a state; `None` for one that taxes no wages, or takes no Forms W-2.
pub fn return_of_state(state: &str) -> Option<&'static StateW2Return> {
    all_returns().iter().find(|one| one.state == state)
}

/// Returns the Forms W-2 for all states, in the order of their codes.
pub fn all_returns() -> &'static [StateW2Return] {
    &RETURNS
}

/// Adds the rows that are in doubt, for an operator to confirm.
pub fn add_doubtful(found: &mut Doubts) {
    for one in all_returns().iter().filter(|one| !one.confidence.is_enough()) {
        let name = format!("{} Forms W-2: when they are due, and the records of their file", one.state);
        let fields: Vec<&StateField> = one.fields().collect();
        found.add_row((one.key(), name), one.confidence, &one.source, &(one, fields));
    }
}

impl StateW2Return {
    /// Returns the key under which an operator confirms the row.
    pub fn key(&self) -> String {
        format!("{}_W2_RETURN", self.state)
    }

    /// Returns when the forms of a year are due, moved to a business day.
    pub fn due_date(&self, year: i16) -> Date {
        business::from(date(year + 1, self.month, self.day))
    }

    fn has_record(&self, record: &str) -> bool {
        self.records.iter().any(|one| one == record)
    }

    fn fields(&self) -> impl Iterator<Item = &'static StateField> {
        FIELDS.iter().filter(|field| field.state == self.state)
    }

    /// What the form says of the state; `None` if it has no line for it.
    pub fn line<'f>(&self, form: &'f W2) -> Option<&'f StateTaxed> {
        form.states.iter().find(|one| one.state == self.state)
    }

    /// Puts what the state has at positions of its own into a record.
    fn complete_record(&self, record: &mut Record<'_>, name: &str, facts: &Facts<'_>) -> Result<(), Error> {
        if self.own.iter().any(|one| one == name) {
            record.clear_fields();
        }
        for field in self.fields().filter(|field| field.record == name) {
            let width = field.to + 1 - field.from;
            let text = facts.field_text(field.value, width);
            record.place_text((field.from, field.to), &text)?;
        }
        Ok(())
    }
}

/// What the fields of a state are filled with.
struct Facts<'f> {
    year: i16,
    employer: &'f Employer,
    account: &'f str,
    state: &'f str,
    count: u64,
    taxed: Taxed,
}

impl Facts<'_> {
    fn field_text(&self, value: Stated, width: usize) -> String {
        match value {
            Stated::Blank => " ".repeat(width),
            Stated::Zeros => "0".repeat(width),
            Stated::Year => format!("{:0>width$}", self.year),
            Stated::Ein => format!("{:<width$}", self.employer.ein),
            Stated::EmployerName => {
                let name: String =
                    self.employer.party.name.to_ascii_uppercase().chars().take(width).collect();
                format!("{name:<width$}")
            }
            Stated::Account => format!("{:<width$}", self.account),
            Stated::StateCode => format!("{:0>width$}", number_of_state(self.state).unwrap_or_default()),
            Stated::Count => format!("{:0>width$}", self.count),
            Stated::StateWages => format!("{:0>width$}", self.taxed.wages),
            Stated::StateTax => format!("{:0>width$}", self.taxed.tax),
        }
    }
}

/// Checks a Form W-2 for the file of a state; nothing is found of a form without a line for it.
pub fn check_form(
    of: &StateW2Return,
    (layout, taxes): (&Layout, &PayrollTaxes),
    employer: &Employer,
    form: &W2,
) -> Vec<Finding> {
    let Some(line) = of.line(form) else { return Vec::new() };
    let mut found = check::employee_findings(layout, taxes, employer, form);
    let mut push = |check, field: &str, why: String| {
        found.push(Finding { check, who: form.person.id.clone(), field: field.to_owned(), why });
    };
    let account = form.person.state_accounts.get(&of.state).map_or("", |account| account.trim());
    if account.is_empty() {
        let why = format!("is missing: the withholding account of the company with {}", of.state);
        push(Check::Required, "state_employer_account", why);
    }
    if !account.is_ascii() {
        let why = "may hold only ASCII characters".to_owned();
        push(Check::Characters, "state_employer_account", why);
    }
    let account_fields = of.fields().filter(|field| field.value == Stated::Account);
    let narrowest = account_fields.map(|field| field.to + 1 - field.from).min();
    if let Some(width) = narrowest.filter(|width| account.len() > *width) {
        let why = format!("has more than the {width} characters that {} has a place for", of.state);
        push(Check::TooLarge, "state_employer_account", why);
    }
    for (field, cents) in [("box_16", line.taxed.wages), ("box_17", line.taxed.tax)] {
        if cents < 0 {
            push(Check::Negative, field, format!("of {} can't be negative", of.state));
        }
    }
    if line.taxed.tax > 0 && line.taxed.wages == 0 {
        push(Check::TaxWithoutWages, "box_17", format!("of {} needs box 16", of.state));
    }
    found
}

/// Writes the Forms W-2 of an employer for a state. A writer that is dropped leaves an incomplete file: write to a temporary place first.
#[derive(Debug)]
pub struct StateWriter<'l, W> {
    of: &'l StateW2Return,
    layout: &'l Layout,
    taxes: &'l PayrollTaxes,
    employer: Employer,
    account: String,
    totals: Totals,
    taxed: Taxed,
    out: W,
    bytes: u64,
}

impl<'l, W: Write> StateWriter<'l, W> {
    /// Begins the file.
    ///
    /// # Errors
    /// The state has none, data of the submitter or of the employer would be turned back, or the output can't be written.
    pub fn new(
        of: &'l StateW2Return,
        (layout, taxes): (&'l Layout, &'l PayrollTaxes),
        (submitter, employer): (&Submitter, &Employer),
        out: W,
    ) -> Result<Self, Error> {
        if of.records.is_empty() {
            return Err(Error::Order("there is no file for the state"));
        }
        let mut findings = check::submitter_findings(layout, submitter);
        findings.extend(check::employer_findings(layout, employer));
        refuse_blocking(findings)?;
        let (employer, totals) = (employer.clone(), Totals::default());
        let (account, taxed) = (String::new(), Taxed::default());
        let mut writer = Self { of, layout, taxes, employer, account, totals, taxed, out, bytes: 0 };
        writer.put_record("RA", of_submitter(layout, submitter)?)?;
        writer.put_record("RE", of_employer(layout, &writer.employer)?)?;
        Ok(writer)
    }

    /// Writes the records of a Form W-2, if it has a line for the state.
    ///
    /// # Errors
    /// They would be turned back, the form is of another year, or the output can't be written.
    pub fn write_employee(&mut self, form: &W2) -> Result<(), Error> {
        let Some(line) = self.of.line(form) else { return Ok(()) };
        if form.year != self.layout.year {
            let (person, year, of_file) = (form.person.id.clone(), form.year, self.layout.year);
            return Err(Error::OtherYear { person, year, of_file });
        }
        refuse_blocking(check_form(self.of, (self.layout, self.taxes), &self.employer, form))?;
        if let Some(account) = form.person.state_accounts.get(&self.of.state) {
            account.trim().clone_into(&mut self.account);
        }
        self.taxed.wages += line.taxed.wages;
        self.taxed.tax += line.taxed.tax;
        for record in self.totals.add_form(self.layout, form)? {
            self.put_record(record.name(), record)?;
        }
        let mut record = of_state(self.layout, &form.person, line)?;
        self.of.complete_record(&mut record, "RS", &self.facts_for(line.taxed))?;
        self.write_record("RS", &record)
    }

    /// Completes the file.
    ///
    /// # Errors
    /// No form has a line for the state, or the output can't be written.
    pub fn finish_file(mut self) -> Result<(W, Written), Error> {
        if self.totals.employees == 0 {
            return Err(Error::Order("nobody has wages of the state"));
        }
        for record in self.totals.total_records(self.layout, &self.employer)? {
            self.put_record(record.name(), record)?;
        }
        self.put_record("RV", Record::new(self.layout, "RV"))?;
        let mut end = Record::new(self.layout, "RF");
        end.set_field("employees", Value::Count(self.totals.employees))?;
        self.put_record("RF", end)?;
        self.out.flush()?;
        let written = Written { employers: 1, employees: self.totals.employees, bytes: self.bytes };
        Ok((self.out, written))
    }

    fn facts_for(&self, taxed: Taxed) -> Facts<'_> {
        Facts {
            year: self.layout.year,
            employer: &self.employer,
            account: &self.account,
            state: &self.of.state,
            count: self.totals.employees,
            taxed,
        }
    }

    /// Completes a record with what the state has elsewhere, and writes it if the state reads it.
    fn put_record(&mut self, name: &str, mut record: Record<'l>) -> Result<(), Error> {
        self.of.complete_record(&mut record, name, &self.facts_for(self.taxed))?;
        self.write_record(name, &record)
    }

    fn write_record(&mut self, name: &str, record: &Record<'_>) -> Result<(), Error> {
        if self.of.has_record(name) {
            self.bytes += parts::write_record(&mut self.out, record)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use rules::taxes::TaxBook;
    use rules::taxes::book::state_of_income_tax;

    use super::*;

    #[test]
    fn every_state_that_taxes_wages_takes_forms_w_2_but_california_and_new_york() {
        let mut taxing: BTreeSet<&str> =
            TaxBook::built_in().iter().filter_map(|tax| state_of_income_tax(&tax.id.code)).collect();
        // They learn the year from the reports of the quarters, DE 9C and NYS-45.
        assert!(taxing.remove("CA") && taxing.remove("NY"));
        assert_eq!(all_returns().iter().map(|one| one.state.as_str()).collect::<BTreeSet<_>>(), taxing);
    }

    #[test]
    fn fields_of_a_state_belong_to_records_of_its_file_and_do_not_overlap() {
        for field in FIELDS.iter() {
            let of = return_of_state(&field.state).unwrap();
            assert!(of.has_record(&field.record), "{field:?}");
            let overlapping = of.fields().filter(|other| {
                other.record == field.record && other.from <= field.to && field.from <= other.to
            });
            assert_eq!(overlapping.count(), 1, "{field:?}");
        }
        for one in all_returns() {
            let has_fields = |name: &String| one.fields().any(|field| field.record == *name);
            assert!(one.own.iter().all(has_fields), "{}", one.state);
        }
    }

    #[test]
    fn forms_are_due_on_a_business_day_after_the_year() {
        assert_eq!(
            return_of_state("AZ").unwrap().due_date(2026),
            date(2027, 2, 1),
            "31 January 2027 is a Sunday"
        );
        assert_eq!(
            return_of_state("NJ").unwrap().due_date(2026),
            date(2027, 2, 16),
            "15 February 2027 is Washington's Birthday"
        );
        assert_eq!(
            return_of_state("MI").unwrap().due_date(2026),
            date(2027, 3, 1),
            "28 February 2027 is a Sunday"
        );
    }

    #[test]
    fn a_row_that_tells_records_and_why_there_is_no_file_is_a_fault_of_the_table() {
        let head = "state,form,month,day,records,own,without_file,confidence,source";
        let read = |row: &str| parse_returns(&format!("{head}\n{row}\n")).map(|all| all.len());
        assert_eq!(read("AZ,A1-R,1,31,RA RE RS RF,,,memory,x").unwrap(), 1);
        for wrong in [
            "AZ,A1-R,1,31,RA RE RS RF,,not read,memory,x",
            "AZ,A1-R,1,31,,,,memory,x",
            "AZ,A1-R,1,31,RE RA RS RF,,,memory,x",
            "AZ,A1-R,1,31,RA RE RS RF,RV,,memory,x",
            "AZ,A1-R,2,30,RA RE RS RF,,,memory,x",
            "ZZ,A1-R,1,31,RA RE RS RF,,,memory,x",
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
        assert!(parse_fields("state,record,from,to,value\nAZ,RS,2,10,ein\n").is_err());
    }
}
