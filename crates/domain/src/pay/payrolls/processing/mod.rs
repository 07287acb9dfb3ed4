//! Processing a payroll that was submitted, paying it, and taking back what was noted of one that was cancelled: work in the
//! background, in many small units whose marks move with them, so that a crash leaves nothing noted twice.

pub mod credit_reductions;
pub mod disbursements;
pub mod posting;

use std::sync::Arc;

use store::{Store, Tx};
use uuid::Uuid;

use self::posting::Gathered;
use super::calculation::run::store_change;
use super::calculation::{sources, sums};
use super::rows::Payroll;
use super::rows::Request;
use super::schedule::regular;
use super::{TABLE, deadline, paid as results, rows};
use crate::company::companies;
use crate::error::Error;
use crate::events;
use crate::money::funding::{self, Mode};
use crate::money::{deposits, settings, wires};
use crate::pay::books::rows as books;
use crate::platform::jobs;

/// Employees whose paychecks are noted, or taken back, in one unit: others write between two of them.
const AT_ONCE: i64 = 100;

/// Processes a submitted payroll; does nothing for another.
///
/// # Errors
/// A store error.
pub async fn process(store: &Store, company: Uuid, id: Uuid) -> Result<(), Error> {
    let read = store.read(move |tx| rows::find(tx, company, id)).await?;
    let Some(payroll) = read.filter(|payroll| payroll.request == Some(Request::Submitting)) else {
        return Ok(());
    };
    let Some(run) = payroll.run else { return Ok(()) };
    let gather = posting::gather(store, company, (run, payroll.partner_pays));
    // Paychecks of a submitted payroll do not change any more: they are gathered for the books while they are noted.
    let ((), gathered) = tokio::try_join!(record(store, company, payroll, run), gather)?;
    let gathered = Arc::new(gathered);
    store.write(move |tx| processed(tx, company, id, &gathered)).await
}

/// Notes what all paychecks took and gave, from where it was left.
async fn record(store: &Store, company: Uuid, payroll: Payroll, run: Uuid) -> Result<(), Error> {
    let payroll = Arc::new(payroll);
    loop {
        let payroll = Arc::clone(&payroll);
        if !store.write(move |tx| record_some(tx, company, &payroll, run)).await? {
            return Ok(());
        }
    }
}

/// Notes what some employees' paychecks took and gave; whether there may be more. The mark moves in the same unit, so
/// that after a crash nothing is noted twice.
fn record_some(tx: &mut Tx<'_>, company: Uuid, payroll: &Payroll, run: Uuid) -> Result<bool, Error> {
    tx.guard(company, "payroll_runs", run)?;
    let Some(marks) = results::marks(tx, company, run)? else { return Ok(false) };
    let some = results::after(tx, company, run, marks.recorded.unwrap_or(Uuid::nil()), AT_ONCE)?;
    let Some(last) = some.last() else { return Ok(false) };
    let recorded = Some(last.employee);
    sources::record(tx, company, (payroll, run), &some)?;
    let mut noted = marks.noted;
    if noted == marks.recorded {
        sums::note(tx, company, run, (noted.unwrap_or(Uuid::nil()), last.employee))?;
        noted = recorded;
    }
    results::mark(tx, company, run, &results::Marks { recorded, noted, ..marks })?;
    Ok(true)
}

/// Undoes what was noted of a cancelled calculation.
///
/// # Errors
/// A store error.
pub async fn forget(store: &Store, company: Uuid, run: Uuid) -> Result<(), Error> {
    while store.write(move |tx| forget_some(tx, company, run)).await? {}
    Ok(())
}

fn forget_some(tx: &mut Tx<'_>, company: Uuid, run: Uuid) -> Result<bool, Error> {
    tx.guard(company, "payroll_runs", run)?;
    let Some(marks) = results::marks(tx, company, run)? else { return Ok(false) };
    let Some(until) = marks.recorded else { return Ok(false) };
    let mut some = results::after(tx, company, run, marks.forgotten.unwrap_or(Uuid::nil()), AT_ONCE)?;
    some.retain(|outcome| outcome.employee <= until);
    let Some(last) = some.last() else {
        // Results may have been swept away before; what they took and gave names the calculation.
        let more = sources::forget_rest(tx, company, (marks.payroll, run))?;
        results::mark(tx, company, run, &results::Marks { forgotten: Some(until), ..marks })?;
        return Ok(more);
    };
    let forgotten = Some(last.employee);
    sources::forget(tx, company, (marks.payroll, run), &some)?;
    for outcome in &some {
        sums::forget(tx, company, run, outcome.employee)?;
    }
    results::mark(tx, company, run, &results::Marks { forgotten, ..marks })?;
    Ok(true)
}

/// Gives the payroll its place, posts it in the books, and has its taxes deposited where they are.
fn processed(tx: &mut Tx<'_>, company: Uuid, id: Uuid, gathered: &Gathered) -> Result<(), Error> {
    tx.guard(company, TABLE, company)?;
    tx.guard(company, TABLE, id)?;
    let Some(mut payroll) = rows::find(tx, company, id)? else { return Ok(()) };
    if payroll.request != Some(Request::Submitting) {
        return Ok(());
    }
    payroll.request = Some(Request::SubmitSuccess);
    payroll.processed_at = Some(tx.now());
    payroll.run_number = Some(rows::next_number(tx, company)?);
    if let Some(posting) = posting::post(tx, company, &payroll, gathered)? {
        deposits::accrue(tx, company, &posting)?;
    }
    store_change(tx, company, &payroll, "processed", events::PAYROLL_PROCESSED)?;
    let bank = settings::find(tx)?.filter(|_| !payroll.check_only);
    match bank {
        None => await_pay_date(tx, company, &payroll),
        Some(bank) => {
            if funding::keep(tx, company, id)?.mode == Mode::Wire {
                wires::ask(tx, company, id, (payroll.totals.paid_by_bank(), deadline(payroll.check_date)))?;
            }
            let due = bank.terms.cut_off_of(deadline(payroll.check_date)).max(tx.now());
            jobs::schedule(tx, company, jobs::Kind::PayrollCredits, id, due)
        }
    }
}

/// Has a payroll that no bank is told of count as paid when its pay date comes; not one whose payments the partner tells of.
///
/// # Errors
/// A store error.
pub fn await_pay_date(tx: &mut Tx<'_>, company: Uuid, payroll: &Payroll) -> Result<(), Error> {
    if payroll.is_paid_by_partner() {
        return Ok(());
    }
    let zone = companies::time_zone(tx, company)?;
    let due = regular::begins(payroll.check_date, &zone).max(tx.now());
    jobs::schedule(tx, company, jobs::Kind::PayrollPaid, payroll.id, due)
}

/// Notes that payments are made: the bank has the file of its credits, or, where none are generated, the pay date has come. One whose
/// payments the partner makes is paid when the partner says so.
///
/// # Errors
/// A store error.
pub fn paid(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<(), Error> {
    tx.guard(company, TABLE, id)?;
    let Some(payroll) = rows::find(tx, company, id)?.filter(|one| !one.is_paid_by_partner()) else {
        return Ok(());
    };
    note_paid(tx, company, payroll)
}

/// Notes in the books that net pay went out; false where that was noted before. Some of it may be held, so that the payroll is not paid.
///
/// # Errors
/// A store error.
pub fn net_pay_went_out(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<bool, Error> {
    tx.guard(company, TABLE, id)?;
    let Some(run) = rows::find(tx, company, id)?.and_then(|payroll| payroll.run) else { return Ok(false) };
    let day = posting::day_of(tx, company, tx.now())?;
    books::paid(tx, company, run, day)
}

/// Notes that the partner has made the last payment of a payroll that was read under its guard.
pub(super) fn paid_by_partner(tx: &mut Tx<'_>, company: Uuid, payroll: Payroll) -> Result<(), Error> {
    if payroll.is_paid_by_partner() { note_paid(tx, company, payroll) } else { Ok(()) }
}

fn note_paid(tx: &mut Tx<'_>, company: Uuid, mut payroll: Payroll) -> Result<(), Error> {
    if !payroll.is_processed() || payroll.paid_at.is_some() {
        return Ok(());
    }
    let now = tx.now();
    payroll.paid_at = Some(now);
    if let Some(run) = payroll.run {
        let day = posting::day_of(tx, company, now)?;
        let _it_may_have_gone_out_before = books::paid(tx, company, run, day)?;
    }
    store_change(tx, company, &payroll, "paid", events::PAYROLL_PAID)
}
