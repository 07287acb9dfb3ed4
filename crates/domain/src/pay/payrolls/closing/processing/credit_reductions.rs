//! The amount a company owes for a year because the credit against federal unemployment tax (FUTA) was reduced in some states.
//!
//! A year's reductions are announced in November and count toward the liability of its fourth quarter: they are due once for the year, by
//! the end of January, and no payroll includes them. They are calculated from the year's FUTA wages on request. If the company's taxes are
//! deposited, they are posted in the books after the year has ended, and included in the deposit for the fourth quarter.

use std::collections::BTreeMap;

use jiff::ToSpan;
use jiff::civil::{Date, date};
use rules::days::Days;
use rules::deposits::business;
use rules::deposits::reduced_credit_counts_on;
use rules::explain::{Node, Recorder};
use rules::payroll::taxes::{FutaCreditReductions, credit_reduction};
use rules::taxes::book::FUTA_CREDIT_REDUCTION;
use rules::{Amount, Checks, Violation};
use serde_json::json;
use store::{Store, Tx, params};
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::company::companies;
use crate::error::Error;
use crate::money::deposits;
use crate::patch::Patch;
use crate::pay::books::Posting;
use crate::pay::books::rows as books;
use crate::pay::payrolls::facts::year_to_date;
use crate::pay::payrolls::record::payroll::TABLE;
use crate::pay::payrolls::run::snapshot::AT_ONCE;
use crate::platform::{audit, jobs, law};

store::statements! {
    EMPLOYEES = "SELECT id FROM employees WHERE company_id = $1 AND id > $2 ORDER BY id LIMIT $3";
}

/// The amount owed for a year.
#[derive(Debug, Clone)]
pub struct CreditReductions {
    /// the calendar year
    pub year: i16,
    /// whether the table has reductions for the year; if not, they have not been announced or not been imported yet
    pub announced: bool,
    /// due date
    pub due_on: Date,
    /// states with FUTA wages for which the credit was reduced, in order
    pub states: Vec<ReducedState>,
    /// FUTA wages without a known state: from opening balances, and from paychecks calculated by an earlier version
    pub wages_without_state: Amount,
    /// total of all states
    pub total: Amount,
    /// how the amounts were calculated
    pub figures: Vec<Node>,
}

/// A state for which the credit was reduced.
#[derive(Debug, Clone)]
pub struct ReducedState {
    /// two-letter code
    pub state: String,
    /// FUTA wages of the year
    pub wages: Amount,
    /// credit reduction in percent
    pub percent: Amount,
    /// amount owed
    pub amount: Amount,
}

/// Returns the amount the company owes for a year, according to the processed payrolls.
///
/// # Errors
/// 422 for an invalid year; a store error.
pub fn of_year(tx: &mut Tx<'_>, caller: &Caller, year: &Patch<i64>) -> Result<CreditReductions, Error> {
    let mut checks = Checks::new();
    let year = year.optional("year", &mut checks, calendar_year);
    checks.finish()?;
    let year = year.unwrap_or_else(|| caller.today(tx).year());
    let reductions = law::futa_credit_reductions(tx)?;
    in_year(tx, caller.company, &reductions, year)
}

fn in_year(
    tx: &mut Tx<'_>,
    company: Uuid,
    reductions: &FutaCreditReductions,
    year: i16,
) -> Result<CreditReductions, Error> {
    let (by_state, without) = futa_wages_by_state(tx, company, year)?;
    let mut recorder = Recorder::default();
    let (mut states, mut total) = (Vec::new(), Amount::ZERO);
    for (state, wages) in by_state {
        let Some(percent) = reductions.reduction_of_state(&state, year) else { continue };
        let amount = credit_reduction(&mut recorder, &state, (wages, percent)).ok_or_else(too_large)?;
        total = total.checked_add(amount).ok_or_else(too_large)?;
        states.push(ReducedState { state, wages, percent, amount });
    }
    Ok(CreditReductions {
        year,
        announced: has_reductions_for(reductions, year),
        due_on: due_on(year),
        states,
        wages_without_state: without,
        total,
        figures: recorder.finish(),
    })
}

/// Whether the table has reductions for a year.
fn has_reductions_for(reductions: &FutaCreditReductions, year: i16) -> bool {
    reductions.iter().any(|(held, ..)| held == year)
}

/// Returns the due date, which is that of the fourth quarter's deposit: January 31, or the next business day if that is not one
/// (Publication 509).
fn due_on(year: i16) -> Date {
    business::from(date(year + 1, 1, 31))
}

/// Posts the cost of a year's credit reductions, less the amount already posted, and has it deposited. `record` identifies the year.
pub async fn accrue_credit_reductions(store: &Store, company: Uuid, record: Uuid) -> Result<(), Error> {
    let Some(year) = deposits::year_of_record(record) else { return Ok(()) };
    let owed = store.read(move |tx| {
        let reductions = law::futa_credit_reductions(tx)?;
        if !has_reductions_for(&reductions, year) {
            return Ok(0);
        }
        in_year(tx, company, &reductions, year).map(|found| found.total.cents_half_up())
    });
    let owed = owed.await?;
    store.write(move |tx| post_reduction_cost(tx, company, year, owed)).await
}

/// Posts the part of `owed` (in cents) that has not been posted before.
fn post_reduction_cost(tx: &mut Tx<'_>, company: Uuid, year: i16, owed: i64) -> Result<(), Error> {
    tx.take_guard(company, TABLE, company)?;
    let (day, agency) = (reduced_credit_counts_on(year), "US");
    let lines = books::taxes_between(tx, company, agency, Days { first: day, last: day })?;
    let before: i64 =
        lines.iter().filter(|line| line.code == FUTA_CREDIT_REDUCTION).map(|line| line.cents).sum();
    let cents = owed - before;
    if cents <= 0 {
        return Ok(());
    }
    let posting = Posting::of_employer_tax(tx, day, FUTA_CREDIT_REDUCTION, None, cents);
    books::insert_posting(tx, company, &posting)?;
    let caller = Caller::for_service(company, companies::time_zone(tx, company)?);
    let told = json!({ "year": year, "cents": cents });
    audit::record_audit_entry(tx, &caller, "reduced_credit", (books::TABLE, posting.run), &told)?;
    deposits::accrue_taxes(tx, company, &posting)
}

/// Schedules another check for the next day while the reductions of a year are missing, until they are due.
pub fn look_again(tx: &mut Tx<'_>, company: Uuid, record: Uuid) -> Result<(), Error> {
    let Some(year) = deposits::year_of_record(record) else { return Ok(()) };
    let reductions = law::futa_credit_reductions(tx)?;
    if has_reductions_for(&reductions, year) {
        return Ok(());
    }
    let caller = Caller::for_service(company, companies::time_zone(tx, company)?);
    if caller.today(tx) > due_on(year) {
        tracing::warn!(%company, year, "no table of credit reductions was imported: their cost is to be paid with Form 940");
        return Ok(());
    }
    let due = tx.now() + 24.hours();
    jobs::schedule_job(tx, company, jobs::JobKind::ReducedCredit, record, due)
}

fn calendar_year(key: &str, year: &i64) -> Result<i16, Violation> {
    let year = i16::try_from(*year).ok().filter(|year| (2020..=2100).contains(year));
    year.ok_or_else(|| Violation::invalid(key, format!("{key} must be a calendar year from 2020 to 2100")))
}

fn too_large() -> Error {
    Error::internal("the wages of a year exceed the largest amount")
}

/// Returns the FUTA wages of a year by state, and those without a known state.
fn futa_wages_by_state(
    tx: &mut Tx<'_>,
    company: Uuid,
    year: i16,
) -> Result<(BTreeMap<String, Amount>, Amount), Error> {
    let (mut by_state, mut without, mut after) =
        (BTreeMap::<String, Amount>::new(), Amount::ZERO, Uuid::nil());
    loop {
        let employees =
            tx.query_rows(EMPLOYEES, params![company, after, AT_ONCE], |row| row.get::<Uuid>(0))?;
        let Some(last) = employees.last() else { return Ok((by_state, without)) };
        after = *last;
        for sums in year_to_date::of_employees(tx, company, &employees, year)?.into_values() {
            let Some(of_year) = sums.years.get(&year) else { continue };
            without += of_year.futa_wages() - of_year.futa_wages_by_state.values().copied().sum::<Amount>();
            for (state, wages) in &of_year.futa_wages_by_state {
                *by_state.entry(state.clone()).or_default() += *wages;
            }
        }
    }
}
