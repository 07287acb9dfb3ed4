//! Form 943 as figures, for a company all of whose employees are farmworkers. Nobody is marked as one here, and deposits are made for Form 941
//! or 944, so the form is neither closed nor among the returns of a year.

use returns::Quarter;
use returns::form_943::{Form943, Sums943, Told943};
use rules::Violation;
use rules::days::Days;
use rules::deposits::Schedule;
use store::Tx;
use uuid::Uuid;

use super::forms::content::{Content, TaxFormKind};
use super::forms::service;
use super::{gather, lines};
use crate::company::companies;
use crate::error::Error;
use crate::language::Language;
use crate::people::forms::document::{Document, Signature};
use crate::platform::law::Tables;

/// Its title.
const TITLE: &str = "Form 943, Employer\u{2019}s Annual Federal Tax Return for Agricultural Employees";

/// Returns the figures of a year as Form 943, with the liability of each pay date.
///
/// # Errors
/// "Not found"; 422 for a year whose rates are not known, for pay that is not known enough, and for a form that can't be made, as with tips; a
/// store error.
pub fn of_year(tx: &mut Tx<'_>, company: Uuid, year: i16) -> Result<Form943, Error> {
    companies::find_company(tx, company)?.ok_or(Error::NotFound)?;
    let tables = Tables::read(tx)?;
    let taxes = tables.payroll_taxes.taxes_of_year(year).ok_or_else(|| {
        Violation::invalid("year", format!("year must be one whose payroll taxes are known, not {year}"))
    })?;
    let refused = |why: returns::Error| {
        Error::from(Violation::invalid_operation(format!("Form 943 of {year}: {why}.")))
    };
    let (mut sums, mut employees, mut incomplete) = (Sums943::new(year), 0_u32, 0_u32);
    let day = Quarter::of_year(year)[0].day_of_count();
    gather::for_each_paid_in_year(tx, company, year, |_, _, gathered| {
        employees +=
            u32::from(gathered.periods.iter().any(|Days { first, last }| *first <= day && day <= *last));
        incomplete += u32::from(gathered.has_totals_alone);
        gathered.payments.iter().try_for_each(|payment| sums.add_payment(payment)).map_err(refused)
    })?;
    if incomplete > 0 {
        let why = format!("Form 943 of {year}: earlier pay of {incomplete} people is known only as totals.");
        return Err(Error::from(Violation::invalid_operation(why)));
    }
    let told = Told943 { employees, research_credit: 0, deposits: 0, schedule: Schedule::Semiweekly };
    Form943::new(&sums, taxes, &told).map_err(refused)
}

/// Returns the document of a form. It is a draft, because the form is not closed.
///
/// # Errors
/// "Not found"; a store error.
pub fn document(tx: &mut Tx<'_>, company: Uuid, form: &Form943) -> Result<Document, Error> {
    let content = Content { employer: service::form_employer(tx, company)?, figures: lines::of_943(form) };
    let year = form.year;
    Ok(Document {
        id: company,
        language: Language::English,
        title: TITLE,
        code: format!("943 \u{B7} {year} \u{B7} draft"),
        intro: TaxFormKind::F944.intro(),
        signer: "Employer",
        signed_by: content.employer.employer_lines(),
        on_behalf_of: ("Period", vec![year.to_string()]),
        sections: content.sections(),
        statement: &[],
        signature: Signature::NotAsked,
        preparers: Vec::new(),
        shares: Vec::new(),
    })
}
