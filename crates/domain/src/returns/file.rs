//! The file in which the Forms W-2 of a closed year go to the Social Security Administration (EFW2), and the one with Forms W-2c (EFW2C). A
//! person uploads them.
//!
//! It is written of the forms as they were closed, in spans of employees, so that memory does not grow with their number: once to find
//! every reason why it would be turned back, and once to write it. The same forms and the same submitter make the same bytes.

use std::io::Write;

use returns::efw2::corrected::{self, CorrectedLayout};
use returns::efw2::{
    self, Checker, Employer, Employment, Finding, KindOfEmployer, Layout, Party, Submitter, Writer,
};
use returns::w2::{Address, W2};
use rules::Violation;
use rules::company::FilingForm;
use rules::payroll::taxes::PayrollTaxes;
use serde_json::json;
use sha2::{Digest as _, Sha256};
use store::{Store, Tx};
use uuid::Uuid;

use super::forms::content::{Content, Figures, FormOf, TaxFormKind};
use super::forms::rows::{self, TaxForm};
use super::forms::service::TABLE;
use super::positions;
use crate::access::tokens::Caller;
use crate::company::companies;
use crate::company::taxes::rows as details;
use crate::error::Error;
use crate::people::forms::content::Employer as FormEmployer;
use crate::platform::law::Tables;
use crate::platform::{audit, confirmations};

/// Forms that are read at a time.
const AT_ONCE: i64 = 200;

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// Forms W-2
    pub employees: u64,
    /// bytes
    pub bytes: u64,
    /// SHA-256 of the file
    pub digest: Vec<u8>,
    /// what a person should look at, although the file is accepted
    pub alerts: Vec<String>,
}

/// A closed year whose file is written.
pub struct ClosedYear {
    pub(super) company: Uuid,
    pub(super) form: TaxForm,
    pub(super) employer: Employer,
    pub(super) layout: Layout,
    pub(super) taxes: PayrollTaxes,
}

/// Counts and hashes what is written.
pub(super) struct Hashed<W> {
    out: W,
    hash: Sha256,
}

impl<W> Hashed<W> {
    pub(super) fn new(out: W) -> Self {
        Self { out, hash: Sha256::new() }
    }

    /// Returns where it was written, and the digest.
    pub(super) fn finish(self) -> (W, Vec<u8>) {
        (self.out, self.hash.finalize().to_vec())
    }
}

impl<W: Write> Write for Hashed<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let count = self.out.write(bytes)?;
        self.hash.update(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}

impl ClosedYear {
    /// Finds the closed Forms W-2 and W-3 of a year.
    ///
    /// # Errors
    /// 422 for a year that is not closed, or whose layout or rates are not in the tables; a store error.
    pub async fn find_closed_year(store: &Store, company: Uuid, year: i16) -> Result<Self, Error> {
        store.read(move |tx| Self::read_closed_year(tx, company, year)).await
    }

    /// Finds the last closed Forms W-2c and W-3c of a year, for [`ClosedYear::write_corrections`].
    ///
    /// # Errors
    /// 422 if there are none, for a year whose layout or rates are not in the tables, and for positions that are not confirmed; a store error.
    pub async fn find_corrections(store: &Store, company: Uuid, year: i16) -> Result<Self, Error> {
        let read = move |tx: &mut Tx<'_>| {
            let closed = Self::read_of(tx, company, FormOf { kind: TaxFormKind::W3C, year, quarter: None })?;
            let key = corrected::key_of(year);
            if confirmations::is_awaiting_confirmation(tx, &key)? {
                let edition = CorrectedLayout::built_in().edition;
                return Err(Error::from(Violation::invalid_operation(format!(
                    "The positions of files with Forms W-2c (EFW2C) were read for {edition} and not for {year}: compare them with the \
                     publication of {year} (data/returns/efw2c.csv), then confirm them (stipend data confirm {key})."
                ))));
            }
            Ok(closed)
        };
        store.read(read).await
    }

    fn read_closed_year(tx: &mut Tx<'_>, company: Uuid, year: i16) -> Result<Self, Error> {
        Self::read_of(tx, company, FormOf { kind: TaxFormKind::W3, year, quarter: None })
    }

    fn read_of(tx: &mut Tx<'_>, company: Uuid, of: FormOf) -> Result<Self, Error> {
        companies::find_company(tx, company)?.ok_or(Error::NotFound)?;
        let (mut all, year) = (rows::of_company(tx, company)?.into_iter(), of.year);
        let form = all.rfind(|form| form.is_form(of) && form.is_closed());
        let form = form.ok_or_else(|| {
            Violation::invalid_operation(match of.kind {
                TaxFormKind::W3C => {
                    format!("There are no Forms W-2c of {year} yet (stipend returns amend --form w-2c).")
                }
                _ => {
                    format!("The Forms W-2 of {year} are not closed yet (stipend returns close --form w-2).")
                }
            })
        })?;
        let layout = positions::confirmed_layout(tx, year)?;
        let tables = Tables::read(tx)?;
        let taxes = tables.payroll_taxes.taxes_of_year(year).cloned().ok_or_else(|| {
            Violation::invalid_operation(format!("The payroll taxes of {year} are not in the tables."))
        })?;
        let filed = details::find_federal(tx, company)?.map(|federal| federal.filing_form);
        let employment = match filed {
            Some(FilingForm::Annual) => Employment::F944,
            Some(FilingForm::Quarterly) | None => Employment::F941,
        };
        let employer = file_employer(&form.read_content(tx, company)?, employment);
        Ok(Self { company, form, employer, layout, taxes })
    }

    /// Checks the file, and writes it if nothing would be turned back.
    ///
    /// # Errors
    /// 422 with every reason why the file would be turned back; an output that can't be written; a store error.
    pub async fn write_file<W: Write>(
        &self,
        store: &Store,
        submitter: &Submitter,
        out: W,
    ) -> Result<(W, Written), Error> {
        let mut checker = Checker::new(&self.layout, &self.taxes, submitter);
        checker.begin_employer(&self.employer);
        let mut after = Uuid::nil();
        while let Some((some, last)) = self.next(store, after).await? {
            some.iter().for_each(|form| checker.check_form(form));
            after = last;
        }
        let alerts = check_findings(checker.finish())?;
        let failed = |why: returns::efw2::Error| Error::internal(why.to_string());
        let hashed = Hashed::new(out);
        let mut writer = Writer::new(&self.layout, &self.taxes, submitter, hashed).map_err(failed)?;
        writer.begin_employer(&self.employer).map_err(failed)?;
        let mut after = Uuid::nil();
        while let Some((some, last)) = self.next(store, after).await? {
            for form in &some {
                writer.write_employee(form).map_err(failed)?;
            }
            after = last;
        }
        let (hashed, written) = writer.finish_file().map_err(failed)?;
        let (out, digest) = hashed.finish();
        Ok((out, Written { employees: written.employees, bytes: written.bytes, digest, alerts }))
    }

    /// Checks the file with the Forms W-2c, and writes it if nothing would be turned back. They are read at once: one Form W-3c has at most 1,000.
    ///
    /// # Errors
    /// 422 with every reason why the file would be turned back; an output that can't be written; a store error.
    pub async fn write_corrections<W: Write>(
        &self,
        store: &Store,
        submitter: &Submitter,
        out: W,
    ) -> Result<(W, Written), Error> {
        let (company, year, closed_at) = (self.company, self.form.calendar_year()?, self.form.closed_at);
        let read = move |tx: &mut Tx<'_>| {
            let mut forms = Vec::new();
            for form in rows::corrected_statements(tx, company, year)? {
                if form.closed_at != closed_at {
                    continue;
                }
                match form.read_content(tx, company)?.figures {
                    Figures::Corrected(form) => forms.push(*form),
                    _ => return Err(Error::internal("a Form W-2c has no statement")),
                }
            }
            Ok(forms)
        };
        let forms = store.read(read).await?;
        let hashed = Hashed::new(out);
        let layouts = (&self.layout, CorrectedLayout::built_in());
        let written = corrected::write_corrections(layouts, (submitter, &self.employer), &forms, hashed);
        let (hashed, written) = written.map_err(|error| match error {
            efw2::Error::Refused(findings) => Error::Violations(
                findings.iter().map(|one| Violation::invalid_operation(one.to_string())).collect(),
            ),
            other => Error::internal(other.to_string()),
        })?;
        let (out, digest) = hashed.finish();
        Ok((out, Written { employees: written.employees, bytes: written.bytes, digest, alerts: Vec::new() }))
    }

    /// Reads the next forms after an employee, with the last one.
    pub(super) async fn next(&self, store: &Store, after: Uuid) -> Result<Option<(Vec<W2>, Uuid)>, Error> {
        let (company, year) = (self.company, self.form.calendar_year()?);
        store
            .read(move |tx| {
                let some = rows::statements_after(tx, company, (TaxFormKind::W2, year), after, AT_ONCE)?;
                let Some(last) = some.last().and_then(|form| form.employee) else { return Ok(None) };
                let mut forms = Vec::with_capacity(some.len());
                for form in some.iter().filter(|form| form.is_closed()) {
                    match form.read_content(tx, company)?.figures {
                        Figures::Statement(form) => forms.push(*form),
                        _ => {
                            return Err(Error::internal("a Form W-2 has no statement"));
                        }
                    }
                }
                Ok(Some((forms, last)))
            })
            .await
    }

    /// Records that the file was written.
    ///
    /// # Errors
    /// 422 if it was written before, unless `again` and the bytes are the same; a store error.
    pub async fn record_file_written(
        &self,
        store: &Store,
        written: &Written,
        again: bool,
    ) -> Result<(), Error> {
        let (company, id, digest) = (self.company, self.form.id, written.digest.clone());
        let employees = written.employees;
        store.write(move |tx| record_written_file(tx, (company, id), (&digest, employees), again)).await
    }

    /// Refuses to write the file once more, unless that is asked for.
    ///
    /// # Errors
    /// 422 if it was written before.
    pub fn refuse_second(&self, again: bool) -> Result<(), Error> {
        refuse_second(&self.form, again)
    }
}

/// Refuses a file that would be turned back, with every reason; returns what a person should look at.
pub(super) fn check_findings(findings: Vec<Finding>) -> Result<Vec<String>, Error> {
    let (blocking, alerts): (Vec<Finding>, Vec<Finding>) =
        findings.into_iter().partition(Finding::blocks_file);
    if !blocking.is_empty() {
        let told = blocking.iter().map(|one| Violation::invalid_operation(one.to_string())).collect();
        return Err(Error::Violations(told));
    }
    Ok(alerts.iter().map(ToString::to_string).collect())
}

fn refuse_second(form: &TaxForm, again: bool) -> Result<(), Error> {
    match form.written_at {
        Some(at) if !again => {
            let message =
                format!("The file was written at {at} already; --again writes the same bytes once more.");
            Err(Error::from(Violation::invalid_operation(message)))
        }
        _ => Ok(()),
    }
}

fn record_written_file(
    tx: &mut Tx<'_>,
    (company, id): (Uuid, Uuid),
    (digest, employees): (&[u8], u64),
    again: bool,
) -> Result<(), Error> {
    rows::lock_company_forms(tx, company)?;
    let mut form = TaxForm::find(tx, company, id)?.filter(TaxForm::is_closed).ok_or(Error::NotFound)?;
    refuse_second(&form, again)?;
    if form.file_digest.as_deref().is_some_and(|before| before != digest) {
        let message = "The file is not the one that was written before: the submitter has changed. Void the form and close it again to write \
                       another file.";
        return Err(Error::from(Violation::invalid_operation(message)));
    }
    if form.file_digest.is_none() {
        (form.file_digest, form.written_at) = (Some(digest.to_vec()), Some(tx.now()));
        assert!(form.update(tx, company)?, "the row was read under its guard");
    }
    let caller = Caller::for_operator(company, companies::time_zone(tx, company)?);
    let told = json!({ "sha256": hex::encode(digest), "forms": employees });
    audit::record_audit_entry(tx, &caller, "written", (TABLE, id), &told)
}

/// An employer as files have it: name, address, and the digits of its EIN.
pub(super) struct Filer {
    pub party: Party,
    pub ein: String,
}

/// Returns an employer as files have it.
pub(super) fn filer_of_employer(of: &FormEmployer) -> Filer {
    let address = of.address.as_ref().map_or_else(Address::default, |address| Address {
        location: address.street_2.clone().unwrap_or_default(),
        delivery: address.street_1.clone(),
        city: address.city.clone(),
        state: address.state.clone(),
        zip: address.zip.clone(),
    });
    let digits = |text: &String| text.chars().filter(char::is_ascii_digit).collect();
    Filer {
        party: Party { name: of.name.clone(), address },
        ein: of.ein.as_ref().map(digits).unwrap_or_default(),
    }
}

fn file_employer(content: &Content, employment: Employment) -> Employer {
    let Filer { party, ein } = filer_of_employer(&content.employer);
    Employer {
        ein,
        agent: None,
        is_terminating: false,
        other_ein: String::new(),
        party,
        kind: KindOfEmployer::None,
        employment,
        contact: None,
        sick_pay_tax: 0,
    }
}
