//! The file as a stream: each record is written once, totals come from the same pass, and memory does not grow with the number of
//! employees.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::Write;

use rules::Named as _;
use rules::payroll::taxes::PayrollTaxes;
use rules::places::number_of_state;

use super::check::{self, Finding};
use super::layout::{Kind, Layout};
use super::parties::{Contact, Employer, Party, Submitter};
use super::positions::OCCUPATION_FIELDS;
use super::record::{Record, Value};
use super::{Error, RECORD};
use crate::payment::StateTaxed;
use crate::w2::{MoneyBox, Person, W2};

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
    employees: u64,
    others: u64,
    totals: BTreeMap<String, i64>,
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
        refuse(check::submitter(layout, submitter))?;
        let mut writer = Self { layout, taxes, out, open: None, written: Written::default() };
        let record = of_submitter(layout, submitter)?;
        writer.write(&record)?;
        Ok(writer)
    }

    /// Begins an employer.
    ///
    /// # Errors
    /// Its data would be turned back, the one before has no employees, or the output can't be written.
    pub fn employer(&mut self, employer: &Employer) -> Result<(), Error> {
        self.close_employer()?;
        refuse(check::employer(self.layout, employer))?;
        let record = of_employer(self.layout, employer)?;
        self.write(&record)?;
        let totals = BTreeMap::new();
        self.open = Some(OpenEmployer { employer: employer.clone(), employees: 0, others: 0, totals });
        self.written.employers += 1;
        Ok(())
    }

    /// Writes the records of a Form W-2.
    ///
    /// # Errors
    /// They would be turned back, no employer was begun, the form is of another year, or the output can't be written.
    pub fn employee(&mut self, form: &W2) -> Result<(), Error> {
        let layout = self.layout;
        if form.year != layout.year {
            let (person, year, of_file) = (form.person.id.clone(), form.year, layout.year);
            return Err(Error::OtherYear { person, year, of_file });
        }
        let open = self.open.as_mut().ok_or(Error::Order("a form comes after its employer"))?;
        refuse(check::employee(layout, self.taxes, &open.employer, form))?;
        let amounts = amounts(form);
        let mut records = vec![of_person(layout, "RW", &form.person)?];
        let mut other = Record::new(layout, "RO");
        let mut has_other = false;
        for (key, cents) in &amounts {
            let value = Value::Cents(*cents);
            if layout.field("RW", key).is_some() {
                records[0].set(key, value)?;
            } else if layout.field("RO", key).is_some() {
                other.set(key, value)?;
                has_other |= *cents != 0;
            } else {
                continue;
            }
            *open.totals.entry(key.clone().into_owned()).or_default() += cents;
        }
        for (key, code) in OCCUPATION_FIELDS.iter().zip(&form.occupations) {
            if layout.field("RW", key).is_some() {
                records[0].set(key, Value::Text(code))?;
            } else if layout.field("RO", key).is_some() {
                other.set(key, Value::Text(code))?;
                has_other = true;
            }
        }
        if has_other {
            records.push(other);
            open.others += 1;
        }
        for state in &form.states {
            records.push(of_state(layout, &form.person, state)?);
        }
        open.employees += 1;
        self.written.employees += 1;
        records.iter().try_for_each(|record| self.write(record))
    }

    /// Completes the file.
    ///
    /// # Errors
    /// It has no employer, the last one has no employees, or the output can't be written.
    pub fn finish(mut self) -> Result<(W, Written), Error> {
        if self.written.employers == 0 {
            return Err(Error::Order("a file has at least one employer"));
        }
        self.close_employer()?;
        let mut record = Record::new(self.layout, "RF");
        record.set("employees", Value::Count(self.written.employees))?;
        self.write(&record)?;
        self.out.flush()?;
        Ok((self.out, self.written))
    }

    fn close_employer(&mut self) -> Result<(), Error> {
        let Some(open) = self.open.take() else { return Ok(()) };
        if open.employees == 0 {
            return Err(Error::Order("an employer has at least one employee"));
        }
        let mut totals = self.totals("RT", &open)?;
        totals.set("records", Value::Count(open.employees))?;
        totals.set("third_party_sick_pay_tax", Value::Cents(open.employer.sick_pay_tax))?;
        self.write(&totals)?;
        if open.others > 0 {
            let mut totals = self.totals("RU", &open)?;
            totals.set("records", Value::Count(open.others))?;
            self.write(&totals)?;
        }
        Ok(())
    }

    fn totals(&self, record: &'static str, open: &OpenEmployer) -> Result<Record<'l>, Error> {
        let mut totals = Record::new(self.layout, record);
        for field in self.layout.fields(record) {
            if field.kind == Kind::Money && !field.sum_of.is_empty() {
                let sum = open.totals.get(&field.sum_of).copied().unwrap_or_default();
                totals.set(&field.key, Value::Cents(sum))?;
            }
        }
        Ok(totals)
    }

    fn write(&mut self, record: &Record<'_>) -> Result<(), Error> {
        self.out.write_all(record.bytes())?;
        self.out.write_all(b"\r\n")?;
        self.written.bytes += RECORD as u64 + 2;
        Ok(())
    }
}

fn refuse(mut findings: Vec<Finding>) -> Result<(), Error> {
    findings.retain(Finding::blocks);
    if findings.is_empty() { Ok(()) } else { Err(Error::Refused(findings)) }
}

/// The key of the field for a code of box 12: one field holds the sum of A and B.
pub(super) fn key_of_code(code: &str) -> Cow<'static, str> {
    match code {
        "A" | "B" => Cow::Borrowed("codes_A_B"),
        code => Cow::Owned(format!("code_{code}")),
    }
}

/// The amounts of a form by key of their field.
pub(super) fn amounts(form: &W2) -> Vec<(Cow<'static, str>, i64)> {
    let mut amounts: Vec<(Cow<'static, str>, i64)> =
        MoneyBox::ALL.iter().map(|of| (Cow::Borrowed(of.as_str()), form.amount(*of))).collect();
    for (code, cents) in &form.box_12 {
        let key = key_of_code(code);
        match amounts.iter_mut().find(|(known, _)| *known == key) {
            Some((_, sum)) => *sum += cents,
            None => amounts.push((key, *cents)),
        }
    }
    amounts
}

fn of_submitter<'l>(layout: &'l Layout, one: &Submitter) -> Result<Record<'l>, Error> {
    let mut record = Record::new(layout, "RA");
    let (software, vendor) = one.software.codes();
    record.set_all([
        ("submitter_ein", Value::Text(&one.ein)),
        ("bso_user_id", Value::Text(&one.user_id)),
        ("software_vendor_code", Value::Text(vendor)),
        ("resubmission", Value::Flag(one.resubmission.is_some())),
        ("resubmission_file_id", Value::Text(one.resubmission.as_deref().unwrap_or_default())),
        ("software_code", Value::Text(software)),
        ("preparer_code", Value::Text(one.preparer.as_str())),
    ])?;
    party(&mut record, "company_", "company_name", &one.company)?;
    party(&mut record, "submitter_", "submitter_name", &one.submitter)?;
    contact(&mut record, &one.contact)?;
    Ok(record)
}

fn of_employer<'l>(layout: &'l Layout, one: &Employer) -> Result<Record<'l>, Error> {
    let mut record = Record::new(layout, "RE");
    let (agent, for_ein) = match &one.agent {
        Some(agent) => (agent.kind.as_str(), agent.for_ein.as_str()),
        None => ("", ""),
    };
    record.set_all([
        ("tax_year", Value::Count(layout.year.unsigned_abs().into())),
        ("agent_indicator", Value::Text(agent)),
        ("employer_or_agent_ein", Value::Text(&one.ein)),
        ("agent_for_ein", Value::Text(for_ein)),
        ("terminating_business", Value::Flag(one.is_terminating)),
        ("other_ein", Value::Text(&one.other_ein)),
        ("kind_of_employer", Value::Text(one.kind.as_str())),
        ("employment_code", Value::Text(one.employment.as_str())),
        ("third_party_sick_pay", Value::Flag(one.sick_pay_tax != 0)),
    ])?;
    party(&mut record, "", "employer_name", &one.party)?;
    if let Some(one) = &one.contact {
        contact(&mut record, one)?;
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
    address(&mut record, "", &person.address)?;
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
fn of_state<'l>(layout: &'l Layout, person: &Person, one: &StateTaxed) -> Result<Record<'l>, Error> {
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

pub(super) fn party<const LENGTH: usize>(
    record: &mut Record<'_, LENGTH>,
    prefix: &str,
    name: &str,
    party: &Party,
) -> Result<(), Error> {
    record.set(name, Value::Text(&party.name))?;
    address(record, prefix, &party.address)
}

pub(super) fn address<const LENGTH: usize>(
    record: &mut Record<'_, LENGTH>,
    prefix: &str,
    address: &crate::w2::Address,
) -> Result<(), Error> {
    let (zip, extension) = address.zip.split_once('-').unwrap_or((&address.zip, ""));
    for (name, text) in [
        ("location_address", address.location.as_str()),
        ("delivery_address", &address.delivery),
        ("city", &address.city),
        ("state", &address.state),
        ("zip", zip),
        ("zip_extension", extension),
    ] {
        record.set(&format!("{prefix}{name}"), Value::Text(text))?;
    }
    Ok(())
}

pub(super) fn contact<const LENGTH: usize>(
    record: &mut Record<'_, LENGTH>,
    contact: &Contact,
) -> Result<(), Error> {
    record.set_all([
        ("contact_name", Value::Text(&contact.name)),
        ("contact_phone", Value::Text(&contact.phone)),
        ("contact_phone_extension", Value::Text(&contact.extension)),
        ("contact_email", Value::Text(&contact.email)),
        ("contact_fax", Value::Text(&contact.fax)),
    ])
}
