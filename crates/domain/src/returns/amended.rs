//! Amended returns: Form 941-X of a closed quarter, and Forms W-2c with Form W-3c of a closed year, from what was closed and what is right
//! today.
//!
//! They are closed like a return: kept with a digest, and never changed. The next one begins where the last one ended. The tax of Form 941-X is
//! calculated on differences, so the books are changed by the cents by which they would owe something else than both returns together.

use std::collections::BTreeMap;

use jiff::civil::Date;
use returns::form_941::Line941;
use returns::w2c::W3c;
use returns::{Form941X, Quarter, W2, W2c, format_dollars};
use rules::days::Days;
use rules::{Named as _, Violation};
use serde_json::json;
use store::{Store, Tx};
use uuid::Uuid;

use super::closing::{Basis, Cents, TRIES};
use super::figures::{self, YearFigures};
use super::forms::content::{Content, Figures, FormOf, TaxFormKind, Value};
use super::forms::rows::{self, State, TaxForm};
use super::forms::service::{self, TABLE};
use super::gather::{self, ReturnPeriod};
use super::{lines, statements};
use crate::access::tokens::Caller;
use crate::company::companies;
use crate::error::Error;
use crate::events;
use crate::pay::payrolls::record::payroll::TABLE as PAYROLLS;
use crate::people::employees::Employee;
use crate::platform::audit;
use crate::platform::law::Tables;

/// Maximum Forms W-2c that one Form W-3c sums up; the next ones follow with another.
const MOST_STATEMENTS: usize = 1_000;
/// Statements that are read at a time.
const AT_ONCE: i64 = 200;
/// Maximum cents that rounding can change the books by: half a cent for each line of Form 941-X and for each tax of the return.
const MOST_CENTS: u64 = 10;

/// What is amended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amendment {
    /// a quarter: Form 941-X
    Quarter(Quarter),
    /// the statements of a year: Forms W-2c and W-3c
    Statements(i16),
}

impl Amendment {
    fn year(self) -> i16 {
        match self {
            Self::Quarter(quarter) => quarter.year(),
            Self::Statements(year) => year,
        }
    }

    /// The form that is amended.
    fn original_form(self) -> FormOf {
        match self {
            Self::Quarter(quarter) => {
                FormOf { kind: TaxFormKind::F941, year: quarter.year(), quarter: Some(quarter.number()) }
            }
            Self::Statements(year) => FormOf { kind: TaxFormKind::W3, year, quarter: None },
        }
    }

    /// The form that amends it.
    fn amending_form(self) -> FormOf {
        let kind = if matches!(self, Self::Quarter(_)) { TaxFormKind::F941X } else { TaxFormKind::W3C };
        FormOf { kind, ..self.original_form() }
    }
}

/// The statements that are corrected, by employee.
type Corrected = BTreeMap<Uuid, W2c>;

/// Closes the amended return of what has changed since a return was filed.
///
/// # Errors
/// "Not found" for an unknown company; 422 for a return that is not filed, and if nothing has changed that it corrects; a store error.
pub async fn close_amended_return(
    store: &Store,
    caller: &Caller,
    amendment: Amendment,
) -> Result<TaxForm, Error> {
    let (company, year) = (caller.company, amendment.year());
    for _ in 0..TRIES {
        let read = move |tx: &mut Tx<'_>| {
            companies::find_company(tx, company)?.ok_or(Error::NotFound)?;
            filed_original(tx, company, amendment)?;
            let figures = figures::of_year(tx, company, year)?;
            let corrected = match amendment {
                Amendment::Quarter(_) => Corrected::new(),
                Amendment::Statements(year) => statements_to_correct(tx, company, year)?,
            };
            Ok::<_, Error>((figures, corrected, Basis::read_basis(tx, company, year)?))
        };
        let (figures, corrected, basis) = store.read(read).await?;
        let by = caller.clone();
        let closed = store.write(move |tx| {
            tx.take_guard(company, PAYROLLS, company)?;
            rows::lock_company_forms(tx, company)?;
            if Basis::read_basis(tx, company, year)? != basis {
                return Ok(None);
            }
            match amendment {
                Amendment::Quarter(quarter) => quarter_amended(tx, &by, quarter, &figures),
                Amendment::Statements(_) => statements_amended(tx, &by, amendment, &corrected),
            }
            .map(Some)
        });
        if let Some(form) = closed.await? {
            return Ok(form);
        }
    }
    Err(Error::from(Violation::invalid_operation(
        "Payrolls of the year are being processed; try again in a moment.",
    )))
}

/// Returns the return that is amended.
fn filed_original(tx: &mut Tx<'_>, company: Uuid, amendment: Amendment) -> Result<TaxForm, Error> {
    let of = amendment.original_form();
    let found = rows::of_company(tx, company)?.into_iter().rfind(|form| form.is_form(of) && form.is_closed());
    let (code, amended_by) = (of.kind.code(), amendment.amending_form().kind.code());
    match found {
        Some(form) if form.state == State::Filed => Ok(form),
        Some(form) => Err(Error::from(Violation::invalid_operation(format!(
            "Form {code} of {} is closed, and not filed: take back the close and close it again (stipend returns void). Form {amended_by} corrects \
             what was filed.",
            form.period_text()
        )))),
        None => Err(Error::from(Violation::invalid_operation(format!(
            "Form {code} of {} is not closed: Form {amended_by} corrects what was filed.",
            of.quarter.map_or_else(|| of.year.to_string(), |quarter| format!("{}-Q{quarter}", of.year))
        )))),
    }
}

fn nothing_changed(amendment: Amendment) -> Error {
    let text = format!("Nothing has changed that Form {} corrects.", amendment.amending_form().kind.code());
    Error::from(Violation::invalid_operation(text))
}

/// What was reported of a quarter: by the return, and by the last Form 941-X.
struct Reported {
    lines: BTreeMap<String, i64>,
    last: Option<Form941X>,
    /// total of the return and of all Forms 941-X
    total: i64,
}

impl Reported {
    fn read_reported(
        tx: &mut Tx<'_>,
        company: Uuid,
        quarter: Quarter,
        filed: &TaxForm,
    ) -> Result<Self, Error> {
        let content = filed.read_content(tx, company)?;
        let lines = content.parts().into_iter().flat_map(|part| part.lines);
        let amounts = lines.filter_map(|line| match line.value {
            Value::Cents(cents) if !line.number.is_empty() => Some((line.number, cents)),
            _ => None,
        });
        let lines: BTreeMap<String, i64> = amounts.collect();
        let mut total = lines.get(Line941::Total.as_str()).copied().unwrap_or_default();
        let (of, mut last) = (Amendment::Quarter(quarter).amending_form(), None);
        for form in rows::of_company(tx, company)?.iter().filter(|form| form.is_form(of) && form.is_closed())
        {
            if let Figures::Amended(amended) = form.read_content(tx, company)?.figures {
                total += amended.total_due();
                last = Some(*amended);
            }
        }
        Ok(Self { lines, last, total })
    }

    fn line_amount(&self, line: Line941) -> i64 {
        let amended = self.last.as_ref().and_then(|form| form.corrected_amount(line));
        amended.or_else(|| self.lines.get(line.as_str()).copied()).unwrap_or_default()
    }
}

fn quarter_amended(
    tx: &mut Tx<'_>,
    caller: &Caller,
    quarter: Quarter,
    figures: &YearFigures,
) -> Result<TaxForm, Error> {
    let (company, amendment) = (caller.company, Amendment::Quarter(quarter));
    let original = filed_original(tx, company, amendment)?;
    let reported = Reported::read_reported(tx, company, quarter, &original)?;
    let Some(today) = figures.find_quarter(quarter.number()) else {
        let of = amendment.original_form();
        let why = figures.blockers_of(of).map(|one| one.why.clone()).collect::<Vec<_>>().join("; ");
        return Err(Error::from(Violation::invalid_operation(format!(
            "Form 941 of today cannot be made: {why}."
        ))));
    };
    // What differs from the books is what is corrected; what is not known cannot be.
    let differs: Vec<String> = today.comparisons.iter().filter_map(figures::describe_contradiction).collect();
    let unknown = figures.blockers_of(amendment.original_form()).filter(|one| !differs.contains(&one.why));
    let unknown: Vec<String> = unknown.map(|one| one.why.clone()).collect();
    if !unknown.is_empty() {
        let message = format!("Form 941-X cannot be made: {}.", unknown.join("; "));
        return Err(Error::from(Violation::invalid_operation(message)));
    }
    let tables = Tables::read(tx)?;
    let taxes = tables.payroll_taxes.taxes_of_year(quarter.year()).ok_or_else(|| {
        Violation::invalid_operation(format!(
            "The payroll taxes of {} are not in the tables.",
            quarter.year()
        ))
    })?;
    let amended = Form941X::new(|line| reported.line_amount(line), &today.form, taxes);
    if amended.changed_lines().next().is_none() {
        return Err(nothing_changed(amendment));
    }
    let days = Days { first: quarter.first_day(), last: quarter.last_day() };
    let owed = figures::booked_taxes(tx, company, days)? + today.elsewhere;
    let to_post = reported.total + amended.total_due() - owed;
    if to_post.unsigned_abs() > MOST_CENTS {
        return Err(Error::from(Violation::invalid_operation(format!(
            "The books owe {}, and both returns together {}: that is more than rounding can come to.",
            format_dollars(owed),
            format_dollars(reported.total + amended.total_due())
        ))));
    }
    let cents = Cents::of_amendment(to_post, &today.form);
    let content = Content {
        employer: service::form_employer(tx, company)?,
        figures: Figures::Amended(Box::new(amended)),
    };
    close_amendment(tx, caller, (amendment, &content), Some((cents, quarter.last_day())))
}

/// Keeps an amended return as it is closed.
fn close_amendment(
    tx: &mut Tx<'_>,
    caller: &Caller,
    (amendment, content): (Amendment, &Content),
    cents: Option<(Cents, Date)>,
) -> Result<TaxForm, Error> {
    let company = caller.company;
    let mut form = TaxForm::new_draft(tx, company, amendment.amending_form(), None, content)?;
    (form.state, form.closed_at) = (State::Final, Some(tx.now()));
    if let Some((cents, last_day)) = cents {
        form.posted = cents.to_post;
        form.posting = cents.post_cents(tx, company, last_day)?;
    }
    form.insert(tx, company)?;
    let told = json!({ "name": form.kind.as_str(), "period": form.period_text(), "digest": hex::encode(&form.digest), "posted": form.posted });
    audit::record_audit_entry(tx, caller, "closed", (TABLE, form.id), &told)?;
    events::emit_of_company(tx, company, events::COMPANY_FORM_CREATED, form.id)?;
    Ok(form)
}

/// Returns the first statements of a year that say something else today, in the order of the employees.
fn statements_to_correct(tx: &mut Tx<'_>, company: Uuid, year: i16) -> Result<Corrected, Error> {
    let of = Amendment::Statements(year).amending_form();
    let amended_before =
        rows::of_company(tx, company)?.iter().any(|form| form.is_form(of) && form.is_closed());
    let (mut found, mut after) = (Corrected::new(), Some(Uuid::nil()));
    while let Some(place) = after {
        let ReturnPeriod { found: paid, last } = gather::payments_after(tx, company, year, place)?;
        for (id, original) in original_w2s(tx, company, year, (place, last))? {
            let reported = match amended_before {
                true => last_correction(tx, company, id, year)?.unwrap_or(original),
                false => original,
            };
            let Some(employee) = Employee::find(tx, company, id)? else { continue };
            let payments = paid.get(&id).map(|gathered| gathered.payments.as_slice()).unwrap_or_default();
            let corrected = statements::of_payments(tx, company, &employee, (year, payments))?;
            let form = W2c { reported, corrected };
            if !form.is_needed() {
                continue;
            }
            if !form.corrected.lacks.is_empty() || paid.get(&id).is_some_and(|one| one.has_totals_alone) {
                let message = format!(
                    "{}: what another provider paid is not known enough for Form W-2c.",
                    form.corrected.person.id
                );
                return Err(Error::from(Violation::invalid_operation(message)));
            }
            found.insert(id, form);
            if found.len() == MOST_STATEMENTS {
                return Ok(found);
            }
        }
        after = last;
    }
    Ok(found)
}

/// Returns the closed Forms W-2 of the employees after one, up to another.
fn original_w2s(
    tx: &mut Tx<'_>,
    company: Uuid,
    year: i16,
    (after, last): (Uuid, Option<Uuid>),
) -> Result<Vec<(Uuid, W2)>, Error> {
    let (mut found, mut place) = (Vec::new(), after);
    loop {
        let some = rows::statements_after(tx, company, (TaxFormKind::W2, year), place, AT_ONCE)?;
        let Some(furthest) = some.last().and_then(|form| form.employee) else { return Ok(found) };
        for form in some.iter().filter(|form| form.is_closed()) {
            let Some(employee) = form.employee.filter(|one| last.is_none_or(|last| *one <= last)) else {
                continue;
            };
            if let Figures::Statement(form) = form.read_content(tx, company)?.figures {
                found.push((employee, *form));
            }
        }
        if last.is_some_and(|last| furthest >= last) {
            return Ok(found);
        }
        place = furthest;
    }
}

/// What the last Form W-2c of an employee says.
fn last_correction(tx: &mut Tx<'_>, company: Uuid, employee: Uuid, year: i16) -> Result<Option<W2>, Error> {
    let mut all = rows::of_employee(tx, company, employee)?.into_iter();
    let of = FormOf { kind: TaxFormKind::W2C, year, quarter: None };
    let Some(form) = all.rfind(|form| form.is_form(of) && form.is_closed()) else { return Ok(None) };
    match form.read_content(tx, company)?.figures {
        Figures::Corrected(form) => Ok(Some(form.corrected)),
        _ => Err(Error::internal("a Form W-2c has no statement")),
    }
}

fn statements_amended(
    tx: &mut Tx<'_>,
    caller: &Caller,
    amendment: Amendment,
    corrected: &Corrected,
) -> Result<TaxForm, Error> {
    let company = caller.company;
    filed_original(tx, company, amendment)?;
    if corrected.is_empty() {
        return Err(nothing_changed(amendment));
    }
    let (employer, mut sums) = (service::form_employer(tx, company)?, W3c::default());
    let of = FormOf { kind: TaxFormKind::W2C, year: amendment.year(), quarter: None };
    for (employee, form) in corrected {
        sums.add_form(form).map_err(|why| Error::internal(why.to_string()))?;
        let content =
            Content { employer: employer.clone(), figures: Figures::Corrected(Box::new(form.clone())) };
        let mut form = TaxForm::new_draft(tx, company, of, Some(*employee), &content)?;
        (form.state, form.closed_at) = (State::Final, Some(tx.now()));
        form.insert(tx, company)?;
        let told = json!({ "name": of.kind.as_str(), "year": of.year, "digest": hex::encode(&form.digest) });
        audit::record_audit_entry(tx, caller, "created", (TABLE, form.id), &told)?;
        events::emit_of_employee(tx, company, events::FORM_CREATED, form.id, *employee)?;
    }
    let content = Content { employer, figures: lines::of_w3c(&sums) };
    close_amendment(tx, caller, (amendment, &content), None)
}

/// Takes back the Forms W-2c of a Form W-3c that is taken back.
pub(super) fn take_back_statements(tx: &mut Tx<'_>, caller: &Caller, of: &TaxForm) -> Result<(), Error> {
    let company = caller.company;
    for mut form in rows::corrected_statements(tx, company, of.calendar_year()?)? {
        if form.closed_at != of.closed_at || form.state != State::Final {
            continue;
        }
        (form.state, form.reason) = (State::Void, of.reason.clone());
        assert!(form.update(tx, company)?, "the row was read under its guard");
        audit::record_audit_entry(tx, caller, "voided", (TABLE, form.id), &json!({ "reason": form.reason }))?;
        if let Some(employee) = form.employee {
            events::emit_of_employee(tx, company, events::FORM_UPDATED, form.id, employee)?;
        }
    }
    Ok(())
}

/// Whether what a Form 941-X says is what a quarter is today, so that nothing is left to correct.
pub(super) fn is_settled(
    tx: &mut Tx<'_>,
    company: Uuid,
    quarter: Quarter,
    figures: &YearFigures,
) -> Result<bool, Error> {
    let of = Amendment::Quarter(quarter).amending_form();
    let mut all = rows::of_company(tx, company)?.into_iter();
    let Some(form) = all.rfind(|form| form.is_form(of) && form.is_closed()) else { return Ok(false) };
    let Figures::Amended(amended) = form.read_content(tx, company)?.figures else { return Ok(false) };
    let Some(today) = figures.find_quarter(quarter.number()) else { return Ok(false) };
    Ok(amended
        .lines
        .iter()
        .all(|line| Line941::parse(&line.of_941).is_some_and(|of| today.form.amount(of) == line.corrected)))
}
