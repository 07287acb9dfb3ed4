//! The file as a stream: each record is written once, totals come from the same pass, and memory does not grow with the number of
//! employees.

use std::collections::BTreeMap;
use std::io::Write;

use rules::Named as _;
use rules::payroll::taxes::PayrollTaxes;
use rules::places::number_of_state;

use super::Error;
use super::check::{self, Finding};
use super::layout::{Kind, Layout};
use super::parties::{Employer, Submitter};
use super::parts::{self, form_amounts, set_address, set_contact, set_party};
use super::positions::OCCUPATION_FIELDS;
use super::record::{Record, Value};
use crate::payment::StateTaxed;
use crate::w2::{Person, W2};

/// What was written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Written {
    /// employers
    pub employers: u64,
    /// Forms W-2
    pub employees: u64,
    /// bytes
    pub bytes: u64,
}

/// Writes a file.
///
/// `employer` begins an employer and completes the one before; `finish` completes the file. A writer that is dropped leaves an incomplete
/// file: write to a temporary place first.
#[derive(Debug)]
pub struct Writer<'l, W> {
    layout: &'l Layout,
    taxes: &'l PayrollTaxes,
    out: W,
    open: Option<OpenEmployer>,
    written: Written,
}

/// An employer whose totals are not written yet.
#[derive(Debug)]
struct OpenEmployer {
    employer: Employer,
    totals: Totals,
}

/// What the forms of an employer come to.
#[derive(Debug, Default)]
pub(super) struct Totals {
    pub employees: u64,
    others: u64,
    amounts: BTreeMap<String, i64>,
}

impl Totals {
    /// Makes the records of a form that the Social Security Administration reads, RW and RO if it has any of its amounts, and adds them up.
    pub(super) fn add_form<'l>(&mut self, layout: &'l Layout, form: &W2) -> Result<Vec<Record<'l>>, Error> {
        let mut own = of_person(layout, "RW", &form.person)?;
        let mut other = Record::new(layout, "RO");
        let mut has_other = false;
        for (key, cents) in form_amounts(form) {
            let value = Value::Cents(cents);
            if layout.find_field("RW", &key).is_some() {
                own.set_field(&key, value)?;
            } else if layout.find_field("RO", &key).is_some() {
                other.set_field(&key, value)?;
                has_other |= cents != 0;
            } else {
                continue;
            }
            *self.amounts.entry(key.into_owned()).or_default() += cents;
        }
        for (key, code) in OCCUPATION_FIELDS.iter().zip(&form.occupations) {
            if layout.find_field("RW", key).is_some() {
                own.set_field(key, Value::Text(code))?;
            } else if layout.find_field("RO", key).is_some() {
                other.set_field(key, Value::Text(code))?;
                has_other = true;
            }
        }
        self.employees += 1;
        let mut records = vec![own];
        if has_other {
            records.push(other);
            self.others += 1;
        }
        Ok(records)
    }

    /// The records that sum them up: RT, and RU if any form has a record RO.
    pub(super) fn total_records<'l>(
        &self,
        layout: &'l Layout,
        employer: &Employer,
    ) -> Result<Vec<Record<'l>>, Error> {
        let mut totals = self.total_record(layout, "RT")?;
        totals.set_field("records", Value::Count(self.employees))?;
        totals.set_field("third_party_sick_pay_tax", Value::Cents(employer.sick_pay_tax))?;
        let mut records = vec![totals];
        if self.others > 0 {
            let mut totals = self.total_record(layout, "RU")?;
            totals.set_field("records", Value::Count(self.others))?;
            records.push(totals);
        }
        Ok(records)
    }

    fn total_record<'l>(&self, layout: &'l Layout, name: &'static str) -> Result<Record<'l>, Error> {
        let mut totals = Record::new(layout, name);
        for field in layout.record_fields(name) {
            if field.kind == Kind::Money && !field.sum_of.is_empty() {
                let sum = self.amounts.get(&field.sum_of).copied().unwrap_or_default();
                totals.set_field(&field.key, Value::Cents(sum))?;
            }
        }
        Ok(totals)
    }
}

impl<'l, W: Write> Writer<'l, W> {
    /// Begins a file.
    ///
    /// # Errors
    /// The submitter's data would be turned back, or the output can't be written.
    pub fn new(
        layout: &'l Layout,
        taxes: &'l PayrollTaxes,
        submitter: &Submitter,
        out: W,
    ) -> Result<Self, Error> {
        refuse_blocking(check::submitter_findings(layout, submitter))?;
        let mut writer = Self { layout, taxes, out, open: None, written: Written::default() };
        let record = of_submitter(layout, submitter)?;
        writer.write_record(&record)?;
        Ok(writer)
    }

    /// Begins an employer.
    ///
    /// # Errors
    /// Its data would be turned back, the one before has no employees, or the output can't be written.
    pub fn begin_employer(&mut self, employer: &Employer) -> Result<(), Error> {
        self.close_employer()?;
        refuse_blocking(check::employer_findings(self.layout, employer))?;
        let record = of_employer(self.layout, employer)?;
        self.write_record(&record)?;
        self.open = Some(OpenEmployer { employer: employer.clone(), totals: Totals::default() });
        self.written.employers += 1;
        Ok(())
    }

    /// Writes the records of a Form W-2.
    ///
    /// # Errors
    /// They would be turned back, no employer was begun, the form is of another year, or the output can't be written.
    pub fn write_employee(&mut self, form: &W2) -> Result<(), Error> {
        let layout = self.layout;
        if form.year != layout.year {
            let (person, year, of_file) = (form.person.id.clone(), form.year, layout.year);
            return Err(Error::OtherYear { person, year, of_file });
        }
        let open = self.open.as_mut().ok_or(Error::Order("a form comes after its employer"))?;
        refuse_blocking(check::employee_findings(layout, self.taxes, &open.employer, form))?;
        let mut records = open.totals.add_form(layout, form)?;
        for state in &form.states {
            records.push(of_state(layout, &form.person, state)?);
        }
        self.written.employees += 1;
        records.iter().try_for_each(|record| self.write_record(record))
    }

    /// Completes the file.
    ///
    /// # Errors
    /// It has no employer, the last one has no employees, or the output can't be written.
    pub fn finish_file(mut self) -> Result<(W, Written), Error> {
        if self.written.employers == 0 {
            return Err(Error::Order("a file has at least one employer"));
        }
        self.close_employer()?;
        let mut record = Record::new(self.layout, "RF");
        record.set_field("employees", Value::Count(self.written.employees))?;
        self.write_record(&record)?;
        self.out.flush()?;
        Ok((self.out, self.written))
    }

    fn close_employer(&mut self) -> Result<(), Error> {
        let Some(open) = self.open.take() else { return Ok(()) };
        if open.totals.employees == 0 {
            return Err(Error::Order("an employer has at least one employee"));
        }
        let totals = open.totals.total_records(self.layout, &open.employer)?;
        totals.iter().try_for_each(|record| self.write_record(record))
    }

    fn write_record(&mut self, record: &Record<'_>) -> Result<(), Error> {
        self.written.bytes += parts::write_record(&mut self.out, record)?;
        Ok(())
    }
}

pub(super) fn refuse_blocking(mut findings: Vec<Finding>) -> Result<(), Error> {
    findings.retain(Finding::blocks_file);
    if findings.is_empty() { Ok(()) } else { Err(Error::Refused(findings)) }
}

pub(super) fn of_submitter<'l>(layout: &'l Layout, one: &Submitter) -> Result<Record<'l>, Error> {
    let mut record = Record::new(layout, "RA");
    parts::set_submitter(&mut record, one)?;
    set_party(&mut record, "company_", "company_name", &one.company)?;
    set_party(&mut record, "submitter_", "submitter_name", &one.submitter)?;
    Ok(record)
}

pub(super) fn of_employer<'l>(layout: &'l Layout, one: &Employer) -> Result<Record<'l>, Error> {
    let mut record = Record::new(layout, "RE");
    parts::set_agent(&mut record, one)?;
    record.set_all([
        ("tax_year", Value::Count(layout.year.unsigned_abs().into())),
        ("employer_or_agent_ein", Value::Text(&one.ein)),
        ("terminating_business", Value::Flag(one.is_terminating)),
        ("other_ein", Value::Text(&one.other_ein)),
        ("kind_of_employer", Value::Text(one.kind.as_str())),
        ("employment_code", Value::Text(one.employment.as_str())),
        ("third_party_sick_pay", Value::Flag(one.sick_pay_tax != 0)),
    ])?;
    set_party(&mut record, "", "employer_name", &one.party)?;
    if let Some(one) = &one.contact {
        set_contact(&mut record, one)?;
    }
    Ok(record)
}

fn of_person<'l>(layout: &'l Layout, name: &'static str, person: &Person) -> Result<Record<'l>, Error> {
    let mut record = Record::new(layout, name);
    record.set_all([
        ("ssn", Value::Text(person.ssn.as_deref().unwrap_or("000000000"))),
        ("first_name", Value::Text(&person.first_name)),
        ("middle_name", Value::Text(&person.middle_name)),
        ("last_name", Value::Text(&person.last_name)),
        ("suffix", Value::Text(&person.suffix)),
    ])?;
    set_address(&mut record, "", &person.address)?;
    if name == "RW" {
        record.set_all([
            ("statutory_employee", Value::Flag(person.is_statutory)),
            ("retirement_plan", Value::Flag(person.has_retirement_plan)),
            ("third_party_sick_pay", Value::Flag(person.has_sick_pay)),
        ])?;
    }
    Ok(record)
}

/// The record of a state, which the Social Security Administration does not read. Local taxes are not in it: localities assign codes of
/// their own.
pub(super) fn of_state<'l>(
    layout: &'l Layout,
    person: &Person,
    one: &StateTaxed,
) -> Result<Record<'l>, Error> {
    let mut record = of_person(layout, "RS", person)?;
    let number = number_of_state(&one.state).unwrap_or_default();
    let account = person.state_accounts.get(&one.state).map(String::as_str).unwrap_or_default();
    record.set_all([
        ("state_code", Value::Text(number)),
        ("state_code_for_income_tax", Value::Text(number)),
        ("state_employer_account", Value::Text(account)),
        ("box_16", Value::Cents(one.taxed.wages)),
        ("box_17", Value::Cents(one.taxed.tax)),
    ])?;
    Ok(record)
}
