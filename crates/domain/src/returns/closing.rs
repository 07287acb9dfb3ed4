//! Closing a quarter or a year: its form is kept with its digest, and the cents by which the form differs from the taxes of the paychecks
//! are posted to the books, in one transaction.
//!
//! Figures are read first, so that a long read holds up no writer. The unit that closes checks under its guards that nothing that they are
//! made of has changed, and otherwise has them read again.

use jiff::civil::{Date, date};
use returns::form_941::Line941;
use returns::{AnnualLine, Form941, Form944, Quarter};
use rules::Named as _;
use rules::days::Days;
use rules::taxes::book::{MEDICARE, SOCIAL_SECURITY};
use rules::{Checks, Violation};
use serde_json::json;
use store::{Store, Tx};
use uuid::Uuid;

use super::figures::{self, YearFigures};
use super::forms::content::{Content, FormOf, TaxFormKind};
use super::forms::rows::{self, State, TaxForm};
use super::forms::service::{self, TABLE};
use super::{amended, lines, outside_deposits, statements};
use crate::access::tokens::Caller;
use crate::company::companies;
use crate::contractors::forms as necs;
use crate::error::Error;
use crate::events;
use crate::money::deposits;
use crate::paging::Page;
use crate::pay::books::Posting;
use crate::pay::books::rows as books;
use crate::pay::external_payrolls::rows as external;
use crate::pay::payrolls::record::payroll::TABLE as PAYROLLS;
use crate::pay::payrolls::record::rows as payrolls;
use crate::platform::audit;

/// How often figures are read anew because something was paid in the meantime.
pub(super) const TRIES: usize = 5;
/// Maximum characters of a receipt, and of a reason.
const MOST_TEXT: usize = 200;

/// What is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Period {
    /// a quarter: Form 941
    Quarter(Quarter),
    /// the withheld taxes of a year, of a company that files no Forms 941: Form 944
    Withheld(i16),
    /// the unemployment tax of a year: Form 940
    Unemployment(i16),
    /// the statements of a year: Forms W-2 and W-3
    Statements(i16),
    /// the statements of contractors of a year: Forms 1099-NEC
    Contractors(i16),
}

impl Period {
    fn year(self) -> i16 {
        match self {
            Self::Quarter(quarter) => quarter.year(),
            Self::Withheld(year)
            | Self::Unemployment(year)
            | Self::Statements(year)
            | Self::Contractors(year) => year,
        }
    }

    /// The form of which its close makes a snapshot.
    pub fn form_of_period(self) -> FormOf {
        match self {
            Self::Quarter(quarter) => {
                FormOf { kind: TaxFormKind::F941, year: quarter.year(), quarter: Some(quarter.number()) }
            }
            Self::Withheld(year) => FormOf { kind: TaxFormKind::F944, year, quarter: None },
            Self::Unemployment(year) => FormOf { kind: TaxFormKind::F940, year, quarter: None },
            Self::Statements(year) => FormOf { kind: TaxFormKind::W3, year, quarter: None },
            Self::Contractors(year) => FormOf { kind: TaxFormKind::F1096, year, quarter: None },
        }
    }

    /// Its last day.
    pub fn last_day(self) -> Date {
        match self {
            Self::Quarter(quarter) => quarter.last_day(),
            _ => date(self.year(), 12, 31),
        }
    }

    fn first_day(self) -> Date {
        match self {
            Self::Quarter(quarter) => quarter.first_day(),
            _ => date(self.year(), 1, 1),
        }
    }
}

/// What the figures of a year are made of: payrolls and deposits with their versions.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Basis(Vec<(Uuid, i64)>);

impl Basis {
    pub(super) fn read_basis(tx: &mut Tx<'_>, company: Uuid, year: i16) -> Result<Self, Error> {
        let days = Days { first: date(year, 1, 1), last: date(year, 12, 31) };
        let paid = payrolls::processed_payrolls(tx, company, days)?;
        let mut all: Vec<(Uuid, i64)> = paid.iter().map(|one| (one.id, one.version)).collect();
        all.extend(external::of_company(tx, company)?.iter().map(|one| (one.id, one.version)));
        all.extend(deposits::all_of_company(tx, company)?.iter().map(|one| (one.id, one.version)));
        all.extend(outside_deposits::of_company(tx, company)?.iter().map(|one| (one.id, one.version)));
        all.extend(rows::of_company(tx, company)?.iter().map(|one| (one.id, one.version)));
        Ok(Self(all))
    }
}

/// Closes a period. Forms W-2 are made first, as drafts; they are final once Form W-3 is, and a close that was cut off goes on when it is
/// repeated.
///
/// # Errors
/// "Not found" for an unknown company; 422 with every reason why it can't be closed yet; a store error.
pub async fn close_period(store: &Store, caller: &Caller, period: Period) -> Result<TaxForm, Error> {
    let company = caller.company;
    if let Period::Contractors(year) = period {
        return close_contractors(store, caller, year).await;
    }
    if let Period::Statements(year) = period
        && let Some(form) = statements::finish_statements(store, company, (TaxFormKind::W2, year)).await?
    {
        return Ok(form);
    }
    for _ in 0..TRIES {
        let read = move |tx: &mut Tx<'_>| {
            companies::find_company(tx, company)?.ok_or(Error::NotFound)?;
            let figures = figures::of_year(tx, company, period.year())?;
            Ok::<_, Error>((figures, Basis::read_basis(tx, company, period.year())?))
        };
        let (figures, basis) = store.read(read).await?;
        if let Period::Statements(year) = period {
            // What can't be closed leaves no drafts behind.
            let (caller, figures) = (caller.clone(), figures.clone());
            store.read(move |tx| refuse_blocked(tx, &caller, period, &figures)).await?;
            statements::draft_all(store, company, year).await?;
        }
        let by = caller.clone();
        let closed = store.write(move |tx| close_with_figures(tx, &by, period, (&figures, &basis))).await?;
        if let Some(form) = closed {
            if let Period::Statements(year) = period {
                statements::finish_statements(store, company, (TaxFormKind::W2, year)).await?;
            }
            return Ok(form);
        }
    }
    Err(Error::from(Violation::invalid_operation(
        "Payrolls of the year are being processed; try again in a moment.",
    )))
}

/// Closes the Forms 1099-NEC of a year: they are made first, as drafts, and are final once Form 1096 is.
async fn close_contractors(store: &Store, caller: &Caller, year: i16) -> Result<TaxForm, Error> {
    let company = caller.company;
    let statements_of = (TaxFormKind::F1099, year);
    if let Some(form) = statements::finish_statements(store, company, statements_of).await? {
        return Ok(form);
    }
    for _ in 0..TRIES {
        let (reader, by) = (caller.clone(), caller.clone());
        store.read(move |tx| refuse_contractors(tx, &reader, year)).await?;
        necs::draft_all(store, company, year).await?;
        if let Some(form) = store.write(move |tx| contractors_closed(tx, &by, year)).await? {
            statements::finish_statements(store, company, statements_of).await?;
            return Ok(form);
        }
    }
    Err(Error::from(Violation::invalid_operation(
        "Contractors of the year are being paid; try again in a moment.",
    )))
}

/// Makes Form 1096 of the drafts of a year; `None` if a payment has changed since they were made.
fn contractors_closed(tx: &mut Tx<'_>, caller: &Caller, year: i16) -> Result<Option<TaxForm>, Error> {
    let company = caller.company;
    // Whoever pays a contractor waits for this guard, and finds the year closed.
    rows::lock_company_forms(tx, company)?;
    refuse_contractors(tx, caller, year)?;
    let of_drafts = necs::sum_of_drafts(tx, company, year)?;
    if of_drafts != necs::year_total(tx, company, year)? {
        return Ok(None);
    }
    let content =
        Content { employer: service::form_employer(tx, company)?, figures: lines::of_1096(&of_drafts) };
    let mut form =
        TaxForm::new_draft(tx, company, Period::Contractors(year).form_of_period(), None, &content)?;
    (form.state, form.closed_at) = (State::Final, Some(tx.now()));
    form.insert(tx, company)?;
    let told = json!({ "name": form.kind.as_str(), "period": form.period_text(), "digest": hex::encode(&form.digest) });
    audit::record_audit_entry(tx, caller, "closed", (TABLE, form.id), &told)?;
    events::emit_of_company(tx, company, events::COMPANY_FORM_CREATED, form.id)?;
    Ok(Some(form))
}

/// Refuses to close the Forms 1099-NEC of a year with every reason at once.
fn refuse_contractors(tx: &mut Tx<'_>, caller: &Caller, year: i16) -> Result<(), Error> {
    let (period, mut checks) = (Period::Contractors(year), Checks::new());
    refuse_too_early(tx, caller, period, &mut checks)?;
    for why in necs::closing_blockers(tx, caller.company, year)? {
        checks.push(Violation::invalid_operation(format!("Form 1099-NEC of {year}: {why}.")));
    }
    Ok(checks.finish()?)
}

/// Refuses to close a period before its end, a second time, or without what identifies the employer.
fn refuse_too_early(
    tx: &mut Tx<'_>,
    caller: &Caller,
    period: Period,
    checks: &mut Checks,
) -> Result<(), Error> {
    let (company, of) = (caller.company, period.form_of_period());
    let held = rows::of_company(tx, company)?;
    if let Some(form) = held.iter().find(|form| form.is_form(of) && form.is_closed()) {
        let text =
            format!("Form {} of {} is closed already: {}.", of.kind.code(), form.period_text(), form.id);
        return Err(Error::from(Violation::invalid_operation(text)));
    }
    let last = period.last_day();
    checks.require(caller.today(tx) > last, || {
        Violation::invalid_operation(format!(
            "The period ends on {last}: it can be closed from the next day on."
        ))
    });
    let employer = service::form_employer(tx, company)?;
    checks.require(employer.ein.is_some(), || {
        Violation::invalid_operation("The company has no employer identification number (EIN).")
    });
    checks.require(employer.address.is_some(), || {
        Violation::invalid_operation("The company has no filing address.")
    });
    Ok(())
}

/// Closes a period with figures that were read before; `None` if they may have changed since.
fn close_with_figures(
    tx: &mut Tx<'_>,
    caller: &Caller,
    period: Period,
    (figures, basis): (&YearFigures, &Basis),
) -> Result<Option<TaxForm>, Error> {
    let company = caller.company;
    tx.take_guard(company, PAYROLLS, company)?;
    rows::lock_company_forms(tx, company)?;
    if Basis::read_basis(tx, company, period.year())? != *basis {
        return Ok(None);
    }
    refuse_blocked(tx, caller, period, figures)?;
    let employer = service::form_employer(tx, company)?;
    let made = match period {
        Period::Quarter(quarter) => {
            figures.find_quarter(quarter.number()).map(|one| lines::of_941(&one.form))
        }
        Period::Withheld(_) => figures.form_944.as_ref().map(|one| lines::of_944(&one.form)),
        Period::Unemployment(_) => figures.form_940.as_ref().map(lines::of_940),
        Period::Statements(_) => Some(lines::of_w3(&figures.w3)),
        Period::Contractors(_) => None,
    };
    // A form that can't be made is among the blockers.
    let figures_of = made.ok_or_else(|| Error::internal("a form without blockers was not made"))?;
    let content = Content { employer, figures: figures_of };
    let mut form = TaxForm::new_draft(tx, company, period.form_of_period(), None, &content)?;
    (form.state, form.closed_at) = (State::Final, Some(tx.now()));
    let cents = match period {
        Period::Quarter(quarter) => {
            figures.find_quarter(quarter.number()).map(|one| Cents::of_941(&one.form))
        }
        Period::Withheld(_) => figures.form_944.as_ref().map(|one| Cents::of_944(&one.form)),
        Period::Unemployment(_) | Period::Statements(_) | Period::Contractors(_) => None,
    };
    if let Some(cents) = cents {
        form.posted = cents.to_post;
        form.posting = cents.post_cents(tx, company, period.last_day())?;
    }
    form.insert(tx, company)?;
    let told = json!({ "name": form.kind.as_str(), "period": form.period_text(), "digest": hex::encode(&form.digest), "posted": form.posted });
    audit::record_audit_entry(tx, caller, "closed", (TABLE, form.id), &told)?;
    events::emit_of_company(tx, company, events::COMPANY_FORM_CREATED, form.id)?;
    Ok(Some(form))
}

/// Refuses a close with every reason at once.
fn refuse_blocked(
    tx: &mut Tx<'_>,
    caller: &Caller,
    period: Period,
    figures: &YearFigures,
) -> Result<(), Error> {
    let company = caller.company;
    let (of, mut checks) = (period.form_of_period(), Checks::new());
    refuse_too_early(tx, caller, period, &mut checks)?;
    let last = period.last_day();
    let filter = payrolls::PayrollFilter {
        from: period.first_day(),
        until: last,
        by_check_date: true,
        processed: Some(false),
        off_cycle: None,
        descending: false,
    };
    for one in payrolls::list_payrolls(tx, company, &filter, Page::Whole)?.iter().filter(|one| !one.skipped) {
        let state = if one.submitted_at.is_some() {
            "is being processed"
        } else {
            "is not run yet: run it, skip it or delete it"
        };
        checks.push(Violation::invalid_operation(format!(
            "The payroll {} of pay date {} {state}.",
            one.id, one.check_date
        )));
    }
    let other = match period {
        Period::Quarter(_) if figures.files_annually => Some("Form 944 for the year, not Forms 941"),
        Period::Withheld(_) if !figures.files_annually => Some("Forms 941 for its quarters, not Form 944"),
        _ => None,
    };
    if let Some(other) = other {
        checks.push(Violation::invalid_operation(format!(
            "By its federal tax details the company files {other}."
        )));
    }
    for one in figures.blockers_of(of) {
        let text = format!("Form {} of {}: {}.", of.kind.code(), period_text(period), one.why);
        checks.push(Violation::invalid_operation(text));
    }
    Ok(checks.finish()?)
}

fn period_text(period: Period) -> String {
    match period {
        Period::Quarter(quarter) => format!("{}-Q{}", quarter.year(), quarter.number()),
        _ => period.year().to_string(),
    }
}

/// The cents by which the total of a return differs from the taxes of the paychecks.
pub(super) struct Cents {
    /// negative if more was booked
    pub to_post: i64,
    /// the tax that they are of
    code: &'static str,
    /// name of the lines that post them
    name: &'static str,
}

impl Cents {
    /// They are of the employer's Social Security tax, or of its Medicare tax where nobody has wages for the former: the return makes the
    /// employees' part agree with what was withheld.
    fn new(to_post: i64, social_security: i64, name: &'static str) -> Self {
        let code = if social_security == 0 { MEDICARE } else { SOCIAL_SECURITY };
        Self { to_post, code, name }
    }

    fn of_941(form: &Form941) -> Self {
        let social_security = form.amount(Line941::SocialSecurityTax) + form.amount(Line941::TipsTax);
        Self::new(form.to_post, social_security, "Fractions of cents, Form 941")
    }

    /// Those by which the books would owe something else than a return and its amended ones together.
    pub(super) fn of_amendment(to_post: i64, today: &Form941) -> Self {
        let social_security = today.amount(Line941::SocialSecurityTax) + today.amount(Line941::TipsTax);
        Self::new(to_post, social_security, "Fractions of cents, Form 941-X")
    }

    fn of_944(form: &Form944) -> Self {
        let social_security = form.amount(AnnualLine::SocialSecurityTax) + form.amount(AnnualLine::TipsTax);
        Self::new(form.to_post, social_security, "Fractions of cents, Form 944")
    }

    /// Posts them on the last day of the period; returns the posting, if there is anything to post. They are not deposited: the return
    /// settles them.
    pub(super) fn post_cents(
        &self,
        tx: &mut Tx<'_>,
        company: Uuid,
        last_day: Date,
    ) -> Result<Option<Uuid>, Error> {
        if self.to_post == 0 {
            return Ok(None);
        }
        let posting = Posting::of_employer_tax(tx, last_day, self.code, Some(self.name), self.to_post);
        books::insert_posting(tx, company, &posting)?;
        Ok(Some(posting.run))
    }
}

/// That a form was filed, or a correction settled.
#[derive(Debug, Clone)]
pub struct Filing {
    /// the day
    pub on: Date,
    /// the agency's receipt; for a correction also why no amended return is needed
    pub receipt: String,
}

/// Records that a closed form was filed, or that a correction is settled.
///
/// # Errors
/// "Not found"; 422 for a form that is not closed or was filed before, and for an invalid receipt or day; a store error.
pub fn record_filing(tx: &mut Tx<'_>, caller: &Caller, id: Uuid, filing: &Filing) -> Result<(), Error> {
    let (company, Filing { on, receipt }) = (caller.company, filing);
    let on = *on;
    rows::lock_company_forms(tx, company)?;
    let mut checks = Checks::new();
    checks.require(on <= caller.today(tx), || Violation::invalid("on", "on must not lie in the future"));
    check_text("receipt", receipt, &mut checks);
    let told = json!({ "filed_on": on, "receipt": receipt });
    if let Some(mut correction) = rows::Correction::find(tx, company, id)? {
        checks.require(correction.settled_on.is_none(), || {
            Violation::invalid_operation("The correction is settled already.")
        });
        checks.finish()?;
        (correction.settled_on, correction.receipt) = (Some(on), Some(receipt.clone()));
        assert!(correction.update(tx, company)?, "the row was read under its guard");
        audit::record_audit_entry(tx, caller, "settled", (rows::Correction::TABLE, id), &told)?;
        return events::emit_of_company(tx, company, events::NOTIFICATION_TAX_FORM_CORRECTION_RESOLVED, id);
    }
    let mut form =
        service::find_form(tx, company, id)?.filter(TaxForm::is_of_company).ok_or(Error::NotFound)?;
    checks.require(form.state == State::Final, || {
        Violation::invalid_operation(match form.state {
            State::Filed => "The form was filed already; a change of it is filed as an amended return.",
            State::Draft | State::Final | State::Void => "Only a form whose period is closed can be filed.",
        })
    });
    checks.require(form.closed_at.is_none_or(|at| on >= at.to_zoned(caller.zone.clone()).date()), || {
        Violation::invalid("on", "on must not lie before the close")
    });
    checks.finish()?;
    (form.state, form.filed_on, form.receipt) = (State::Filed, Some(on), Some(receipt.clone()));
    assert!(form.update(tx, company)?, "the row was read under its guard");
    audit::record_audit_entry(tx, caller, "filed", (TABLE, id), &told)?;
    settle_by(tx, caller, &form)?;
    events::emit_of_company(tx, company, events::COMPANY_FORM_UPDATED, id)
}

/// Settles the corrections that an amended return covers: those of the form that it amends, from before it was made.
fn settle_by(tx: &mut Tx<'_>, caller: &Caller, amended: &TaxForm) -> Result<(), Error> {
    let kind = match amended.kind {
        TaxFormKind::F941X => TaxFormKind::F941,
        TaxFormKind::W3C => TaxFormKind::W3,
        _ => return Ok(()),
    };
    let company = caller.company;
    let is_original = |form: &TaxForm| {
        form.is_closed() && (form.kind, form.year, form.quarter) == (kind, amended.year, amended.quarter)
    };
    let Some(original) = rows::of_company(tx, company)?.into_iter().rfind(is_original) else { return Ok(()) };
    for mut correction in rows::list_corrections(tx, company, true)? {
        if correction.form != original.id || Some(correction.created_at) > amended.closed_at {
            continue;
        }
        (correction.settled_on, correction.receipt) = (amended.filed_on, amended.receipt.clone());
        assert!(correction.update(tx, company)?, "the row was read under its guard");
        let told = json!({ "by": amended.id });
        audit::record_audit_entry(tx, caller, "settled", (rows::Correction::TABLE, correction.id), &told)?;
        let resolved = events::NOTIFICATION_TAX_FORM_CORRECTION_RESOLVED;
        events::emit_of_company(tx, company, resolved, correction.id)?;
    }
    Ok(())
}

/// Takes back a close, as [`void_close`], and makes the Forms W-2 of a voided Form W-3 drafts again.
///
/// # Errors
/// As [`void_close`].
pub async fn take_back(store: &Store, caller: &Caller, id: Uuid, reason: &str) -> Result<(), Error> {
    let (company, by, reason) = (caller.company, caller.clone(), reason.to_owned());
    let form = store.write(move |tx| void_close(tx, &by, id, &reason)).await?;
    match form.kind {
        TaxFormKind::W3 => {
            statements::reopen_statements(store, company, (TaxFormKind::W2, form.calendar_year()?)).await
        }
        TaxFormKind::F1096 => {
            statements::reopen_statements(store, company, (TaxFormKind::F1099, form.calendar_year()?)).await
        }
        TaxFormKind::F941
        | TaxFormKind::F944
        | TaxFormKind::F940
        | TaxFormKind::W2
        | TaxFormKind::F1099
        | TaxFormKind::F941X
        | TaxFormKind::W3C
        | TaxFormKind::W2C => Ok(()),
    }
}

/// Takes back a close that was not filed: its posting is reversed, its corrections are settled, and the period can be closed again. The
/// form stays on record, and is returned.
///
/// # Errors
/// "Not found"; 422 for a form that is not closed or was filed, and without a reason; a store error.
pub fn void_close(tx: &mut Tx<'_>, caller: &Caller, id: Uuid, reason: &str) -> Result<TaxForm, Error> {
    let company = caller.company;
    tx.take_guard(company, PAYROLLS, company)?;
    rows::lock_company_forms(tx, company)?;
    let mut form =
        service::find_form(tx, company, id)?.filter(TaxForm::is_of_company).ok_or(Error::NotFound)?;
    let mut checks = Checks::new();
    check_text("reason", reason, &mut checks);
    checks.require(form.state != State::Filed, || {
        Violation::invalid_operation(
            "The form was filed: file an amended return instead of taking back the close.",
        )
    });
    checks.finish()?;
    form.state = State::Void;
    form.reason = Some(reason.to_owned());
    if let Some(posting) = form.posting {
        books::reverse_posting(tx, company, posting)?;
    }
    assert!(form.update(tx, company)?, "the row was read under its guard");
    audit::record_audit_entry(tx, caller, "voided", (TABLE, id), &json!({ "reason": reason }))?;
    if form.kind == TaxFormKind::W3C {
        amended::take_back_statements(tx, caller, &form)?;
    }
    for mut correction in rows::list_corrections(tx, company, true)?.into_iter().filter(|one| one.form == id)
    {
        let today = caller.today(tx);
        (correction.settled_on, correction.receipt) =
            (Some(today), Some("the close was taken back".to_owned()));
        assert!(correction.update(tx, company)?, "the row was read under its guard");
        events::emit_of_company(
            tx,
            company,
            events::NOTIFICATION_TAX_FORM_CORRECTION_RESOLVED,
            correction.id,
        )?;
    }
    events::emit_of_company(tx, company, events::COMPANY_FORM_UPDATED, id)?;
    Ok(form)
}

fn check_text(key: &str, text: &str, checks: &mut Checks) {
    let fits =
        !text.trim().is_empty() && text.chars().count() <= MOST_TEXT && !text.chars().any(char::is_control);
    checks.require(fits, || {
        Violation::invalid(key, format!("{key} must be 1 to {MOST_TEXT} characters, without line ends"))
    });
}

/// Returns the operator, acting on the records of a company.
///
/// # Errors
/// "Not found"; a store error.
pub fn operator_for_company(tx: &mut Tx<'_>, company: Uuid) -> Result<Caller, Error> {
    companies::find_company(tx, company)?.ok_or(Error::NotFound)?;
    Ok(Caller::for_operator(company, companies::time_zone(tx, company)?))
}
