//! The returns of a year: when each is due, what is closed and filed, what changed since, and what is missing.

use jiff::civil::Date;
use returns::deadlines::{Deadline, Deadlines, Return};
use returns::{Quarter, format_dollars};
use rules::dated::Dated;
use store::Tx;
use uuid::Uuid;

use super::checklist::{self, Check};
use super::closing::Period;
use super::figures::YearFigures;
use super::forms::consents;
use super::forms::content::{Changed, Content, FormOf, Part, TaxFormKind};
use super::forms::rows::{self, Correction, TaxForm};
use super::forms::service;
use super::known_years::KnownYear;
use super::of_states::StateReturn;
use super::other_taxes::TaxOfQuarter;
use super::readiness::Missing;
use super::{amended, lines, of_states};
use crate::access::tokens::Caller;
use crate::company::companies;
use crate::contractors::forms as necs;
use crate::error::Error;
use crate::platform::law;

/// A return of a year: when it is due, what was closed, and what changed since.
#[derive(Debug, Clone)]
pub struct DueReturn {
    /// what is closed; `None` for a form that the company fills in itself
    pub period: Option<Period>,
    /// code of the form
    pub form_code: &'static str,
    /// quarter, from 1 to 4; `None` for a form of the year
    pub quarter: Option<i8>,
    /// last day on which it is in time
    pub due: Date,
    /// what was closed, if it was
    pub closed: Option<TaxForm>,
    /// its lines: as they were closed, else as they are today; none if it cannot be made
    pub parts: Vec<Part>,
    /// lines that say something else today
    pub changed: Vec<Changed>,
    /// employees whose Form W-2 is furnished on paper, once they are closed
    pub on_paper: Vec<Uuid>,
    /// its amended returns
    pub amended: Vec<TaxForm>,
    /// what was paid since for the closed period, and is not settled
    pub corrections: Vec<Correction>,
    /// what prevents the close
    pub blockers: Vec<String>,
}

/// The returns of a year, with what is shown beside them.
#[derive(Debug, Clone)]
pub struct YearReturns {
    /// the returns
    pub returns: Vec<DueReturn>,
    /// returns and reports that go to states
    pub of_states: Vec<StateReturn>,
    /// taxes of states and places by quarter
    pub other_taxes: Vec<TaxOfQuarter>,
    /// what is missing for the close of the year, from November on
    pub missing: Vec<Missing>,
    /// what an accountant looks at first
    pub checks: Vec<Check>,
}

/// Returns the returns of a year, with those of contractors if any were paid.
///
/// # Errors
/// "Not found"; 422 for a year whose rates are not known; a store error.
pub fn of_year(tx: &mut Tx<'_>, company: Uuid, year: i16) -> Result<YearReturns, Error> {
    let known = KnownYear::read_year(tx, company, year)?;
    of_known(tx, company, &known)
}

/// Returns the same of figures that are known.
pub fn of_known(tx: &mut Tx<'_>, company: Uuid, known: &KnownYear) -> Result<YearReturns, Error> {
    let KnownYear { figures: now, missing, .. } = known;
    let today = Caller::for_service(company, companies::time_zone(tx, company)?).today(tx);
    let returns = returns_of(tx, company, now)?;
    let of_states = of_states::of_year(tx, now)?;
    let checks = checklist::of_year(tx, company, (now, &returns, missing), today)?;
    let (other_taxes, missing) = (now.other_taxes.clone(), missing.clone());
    Ok(YearReturns { returns, of_states, other_taxes, missing, checks })
}

fn returns_of(tx: &mut Tx<'_>, company: Uuid, now: &YearFigures) -> Result<Vec<DueReturn>, Error> {
    let year = now.year;
    let employer = service::form_employer(tx, company)?;
    let kept = rows::of_company(tx, company)?;
    let corrections = rows::list_corrections(tx, company, true)?;
    let fourth = Quarter::of_year(year)[3];
    let withheld = match now.files_annually {
        true => vec![(TaxFormKind::F944, Return::F944, fourth)],
        false => Quarter::of_year(year).map(|quarter| (TaxFormKind::F941, Return::F941, quarter)).to_vec(),
    };
    let mut listed = Vec::new();
    let mut annual =
        vec![(TaxFormKind::F940, Return::F940, fourth), (TaxFormKind::W3, Return::W2ToAgency, fourth)];
    let of_contractors = necs::year_total(tx, company, year)?;
    let is_1096 = |form: &TaxForm| form.kind == TaxFormKind::F1096 && form.year == i64::from(year);
    // Most companies pay no contractors.
    if of_contractors.forms > 0 || kept.iter().any(is_1096) {
        annual.push((TaxFormKind::F1096, Return::F1099Nec, fourth));
    }
    for (kind, of, quarter) in withheld.into_iter().chain(annual) {
        let number = (kind == TaxFormKind::F941).then(|| quarter.number());
        let figures = match (number, kind) {
            (Some(number), _) => now.find_quarter(number).map(|one| lines::of_941(&one.form)),
            (None, TaxFormKind::F944) => now.form_944.as_ref().map(|one| lines::of_944(&one.form)),
            (None, TaxFormKind::W3) => Some(lines::of_w3(&now.w3)),
            (None, TaxFormKind::F1096) => Some(lines::of_1096(&of_contractors)),
            (None, _) => now.form_940.as_ref().map(lines::of_940),
        };
        let this = FormOf { kind, year, quarter: number };
        let form = kept.iter().find(|form| form.is_form(this) && form.is_closed());
        let today = figures.map(|figures| Content { employer: employer.clone(), figures });
        let closed = form.map(|form| form.read_content(tx, company)).transpose()?;
        let is_open = |one: &Correction| form.is_some_and(|form| form.id == one.form);
        let settled = match kind {
            TaxFormKind::F941 => amended::is_settled(tx, company, quarter, now)?,
            TaxFormKind::W3 => {
                kept.iter().any(|one| is_amended(one, this)) && !corrections.iter().any(is_open)
            }
            _ => false,
        };
        let changed = match (&closed, &today) {
            // What the last amended return says is what is right.
            (Some(closed), Some(today)) if !settled => closed.differences(today),
            _ => Vec::new(),
        };
        let of_form = |one: &&Correction| form.is_some_and(|form| form.id == one.form);
        let due = return_deadline(tx, of, quarter)?;
        listed.push(DueReturn {
            period: Some(period_of(kind, quarter)),
            form_code: kind.code(),
            quarter: number,
            due: due.due,
            closed: form.cloned(),
            parts: closed.or(today).map(|content| content.parts()).unwrap_or_default(),
            changed,
            on_paper: match form {
                Some(_) if kind == TaxFormKind::W3 => consents::on_paper(tx, company, year)?,
                _ => Vec::new(),
            },
            amended: kept.iter().filter(|one| is_amended(one, this)).cloned().collect(),
            corrections: corrections.iter().filter(of_form).cloned().collect(),
            blockers: match kind {
                TaxFormKind::F1096 => necs::closing_blockers(tx, company, year)?,
                _ => now.blockers_of(this).map(|one| one.why.clone()).collect(),
            },
        });
    }
    if of_contractors.withheld != 0 {
        listed.push(of_backup_withholding(tx, fourth, of_contractors.withheld)?);
    }
    Ok(listed)
}

/// Whether a form amends another one.
fn is_amended(form: &TaxForm, of: FormOf) -> bool {
    let by = match of.kind {
        TaxFormKind::F941 => TaxFormKind::F941X,
        TaxFormKind::W3 => TaxFormKind::W3C,
        _ => return false,
    };
    form.is_closed() && form.is_form(FormOf { kind: by, ..of })
}

fn period_of(kind: TaxFormKind, quarter: Quarter) -> Period {
    match kind {
        TaxFormKind::F941 | TaxFormKind::F941X => Period::Quarter(quarter),
        TaxFormKind::F944 => Period::Withheld(quarter.year()),
        TaxFormKind::F940 => Period::Unemployment(quarter.year()),
        TaxFormKind::W2 | TaxFormKind::W3 | TaxFormKind::W2C | TaxFormKind::W3C => {
            Period::Statements(quarter.year())
        }
        TaxFormKind::F1099 | TaxFormKind::F1096 => Period::Contractors(quarter.year()),
    }
}

/// Returns when a return is due by the table in force. Deposits that were made in time allow ten days more; the earlier day is safe.
fn return_deadline(tx: &mut Tx<'_>, of: Return, quarter: Quarter) -> Result<Deadline, Error> {
    let table = law::in_force::<Dated<Deadlines>>(tx)?;
    let due = table.edition_on(quarter.last_day()).return_deadline(of, quarter, false);
    due.map_err(|why| Error::internal(why.to_string()))
}

/// Form 945, on which backup withholding is reported (Instructions for Form 945): when it is due, and what to enter. The company fills it in.
fn of_backup_withholding(tx: &mut Tx<'_>, fourth: Quarter, withheld: i64) -> Result<DueReturn, Error> {
    let due = return_deadline(tx, Return::F945, fourth)?.due;
    let why = format!(
        "the form itself, which stipend does not make: lines 2 and 3 are {}",
        format_dollars(withheld)
    );
    Ok(DueReturn {
        period: None,
        form_code: "945",
        quarter: None,
        due,
        closed: None,
        parts: Vec::new(),
        changed: Vec::new(),
        on_paper: Vec::new(),
        amended: Vec::new(),
        corrections: Vec::new(),
        blockers: vec![why],
    })
}
