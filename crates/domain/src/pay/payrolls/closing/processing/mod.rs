//! Processing a submitted payroll, paying it, and reversing a cancelled one: background jobs that run in many small units of work. Each
//! unit of work also moves a mark, so that nothing is recorded twice after a crash.

pub mod credit_reductions;
pub mod disbursements;
pub mod posting;

use std::sync::Arc;

use jiff::civil::Date;
use store::{Store, Tx};
use uuid::Uuid;

use crate::company::companies;
use crate::error::Error;
use crate::events;
use crate::money::bank::settings;
use crate::money::deposits;
use crate::money::funding::wires;
use crate::money::funding::{self, Mode};
use crate::money::ledger::purpose::Subject;
use crate::pay::books::rows as books;
use crate::pay::payrolls::calendar::regular;
use crate::pay::payrolls::closing::processing::posting::Gathered;
use crate::pay::payrolls::facts::{sources, year_to_date};
use crate::pay::payrolls::record::deadlines::submission_deadline;
use crate::pay::payrolls::record::payroll::TABLE;
use crate::pay::payrolls::record::payroll::{Payroll, Request};
use crate::pay::payrolls::record::{results, rows, runs};
use crate::pay::payrolls::run::calculation::store_change;
use crate::platform::hooks::{self, PayCause, PayChange};
use crate::platform::jobs;

/// Number of employees whose paychecks are recorded or reversed in one unit of work; other writes can run between two units.
const AT_ONCE: i64 = 100;

/// Processes a submitted payroll; no-op for any other.
pub async fn process_payroll(store: &Store, company: Uuid, id: Uuid) -> Result<(), Error> {
    let read = store.read(move |tx| rows::find_payroll(tx, company, id)).await?;
    let Some(payroll) = read.filter(|payroll| payroll.request == Some(Request::Submitting)) else {
        return Ok(());
    };
    let Some(run) = payroll.run else { return Ok(()) };
    let gather = posting::gather_paychecks(store, company, (run, payroll.partner_pays));
    // Paychecks of a submitted payroll no longer change, so they can be gathered for the books while they are recorded.
    let ((), gathered) = tokio::try_join!(record_paychecks(store, company, payroll, run), gather)?;
    let gathered = Arc::new(gathered);
    store.write(move |tx| finish_processing(tx, company, id, &gathered)).await
}

/// Records the amounts of all paychecks, starting where an earlier attempt stopped.
async fn record_paychecks(store: &Store, company: Uuid, payroll: Payroll, run: Uuid) -> Result<(), Error> {
    let payroll = Arc::new(payroll);
    loop {
        let payroll = Arc::clone(&payroll);
        if !store.write(move |tx| record_some(tx, company, &payroll, run)).await? {
            return Ok(());
        }
    }
}

/// Records the amounts of some employees' paychecks; returns whether there may be more. The mark moves in the same unit of work, so
/// that nothing is recorded twice after a crash.
fn record_some(tx: &mut Tx<'_>, company: Uuid, payroll: &Payroll, run: Uuid) -> Result<bool, Error> {
    tx.take_guard(company, "payroll_runs", run)?;
    let Some(marks) = runs::find_run_marks(tx, company, run)? else { return Ok(false) };
    let some = results::outcomes_after(tx, company, run, marks.recorded.unwrap_or(Uuid::nil()), AT_ONCE)?;
    let Some(last) = some.last() else { return Ok(false) };
    let recorded = Some(last.employee);
    sources::record_outcomes(tx, company, (payroll, run), &some)?;
    year_to_date::note_last_paycheck(
        tx,
        company,
        run,
        (marks.recorded.unwrap_or(Uuid::nil()), last.employee),
    )?;
    runs::update_run_marks(tx, company, run, &runs::Marks { recorded, ..marks })?;
    Ok(true)
}

/// Reverses the amounts recorded for a cancelled calculation.
pub async fn reverse_recorded_amounts(store: &Store, company: Uuid, run: Uuid) -> Result<(), Error> {
    while store.write(move |tx| forget_some(tx, company, run)).await? {}
    Ok(())
}

fn forget_some(tx: &mut Tx<'_>, company: Uuid, run: Uuid) -> Result<bool, Error> {
    tx.take_guard(company, "payroll_runs", run)?;
    let Some(marks) = runs::find_run_marks(tx, company, run)? else { return Ok(false) };
    let Some(until) = marks.recorded else { return Ok(false) };
    let mut some =
        results::outcomes_after(tx, company, run, marks.forgotten.unwrap_or(Uuid::nil()), AT_ONCE)?;
    some.retain(|outcome| outcome.employee <= until);
    let Some(last) = some.last() else {
        // Results may already have been deleted; the recorded amounts name the calculation.
        let more = sources::forget_rest(tx, company, (marks.payroll, run))?;
        runs::update_run_marks(tx, company, run, &runs::Marks { forgotten: Some(until), ..marks })?;
        return Ok(more);
    };
    let forgotten = Some(last.employee);
    sources::reverse_recorded_outcomes(tx, company, (marks.payroll, run), &some)?;
    for outcome in &some {
        year_to_date::restore_earlier_paycheck(tx, company, run, outcome.employee)?;
    }
    runs::update_run_marks(tx, company, run, &runs::Marks { forgotten, ..marks })?;
    Ok(true)
}

/// Numbers the payroll, posts it in the books, accrues its tax deposits if deposits are enabled, and schedules its payment.
fn finish_processing(tx: &mut Tx<'_>, company: Uuid, id: Uuid, gathered: &Gathered<'_>) -> Result<(), Error> {
    tx.take_guard(company, TABLE, company)?;
    tx.take_guard(company, TABLE, id)?;
    let Some(mut payroll) = rows::find_payroll(tx, company, id)? else { return Ok(()) };
    if payroll.request != Some(Request::Submitting) {
        return Ok(());
    }
    payroll.request = Some(Request::SubmitSuccess);
    payroll.processed_at = Some(tx.now());
    payroll.run_number = Some(rows::next_number(tx, company)?);
    if let Some(posting) = posting::post_payroll(tx, company, &payroll, gathered)? {
        deposits::accrue_taxes(tx, company, &posting)?;
    }
    store_change(tx, company, &payroll, "processed", events::PAYROLL_PROCESSED)?;
    let change = PayChange { cause: PayCause::Processed, record: id, day: payroll.check_date };
    hooks::pay_changed(tx, company, change)?;
    let bank = settings::find_settings(tx)?.filter(|_| !payroll.check_only);
    match bank {
        None => await_pay_date(tx, company, &payroll),
        Some(bank) => {
            if funding::keep_for_payroll(tx, company, id)?.mode == Mode::Wire {
                let wanted = (payroll.totals.paid_by_bank(), submission_deadline(payroll.check_date));
                wires::request_wire(tx, company, Subject::of_payroll(id, payroll.check_date), wanted)?;
            }
            let due = bank.terms.cut_off_of(submission_deadline(payroll.check_date)).max(tx.now());
            jobs::schedule_job(tx, company, jobs::JobKind::PayrollCredits, id, due)
        }
    }
}

/// Schedules a payroll without bank files to be marked as paid on its pay date; no-op if the partner reports its payments.
pub fn await_pay_date(tx: &mut Tx<'_>, company: Uuid, payroll: &Payroll) -> Result<(), Error> {
    if payroll.is_paid_by_partner() {
        return Ok(());
    }
    let zone = companies::time_zone(tx, company)?;
    let due = regular::start_of_day(payroll.check_date, &zone).max(tx.now());
    jobs::schedule_job(tx, company, jobs::JobKind::PayrollPaid, payroll.id, due)
}

/// Marks a payroll as paid: the bank has the file with its credits or, without bank files, the pay date has arrived. No-op for a payroll
/// whose payments the partner makes, which is paid when the partner reports it.
pub fn mark_payroll_paid(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<(), Error> {
    tx.take_guard(company, TABLE, id)?;
    let Some(payroll) = rows::find_payroll(tx, company, id)?.filter(|one| !one.is_paid_by_partner()) else {
        return Ok(());
    };
    note_paid(tx, company, payroll)
}

/// Posts the net pay as paid out on the day on which it settles, what the bank pays of it out of funds in transit or not; returns false if that
/// was done before. Some of it may be held, so the payroll may not be paid yet.
pub fn net_pay_went_out(
    tx: &mut Tx<'_>,
    company: Uuid,
    id: Uuid,
    (settles, in_transit): (Date, bool),
) -> Result<bool, Error> {
    tx.take_guard(company, TABLE, id)?;
    let Some(payroll) = rows::find_payroll(tx, company, id)? else { return Ok(false) };
    let Some(run) = payroll.run else { return Ok(false) };
    // The bank has the file before the pay date, and pays on it.
    books::record_net_pay_paid(tx, company, run, (settles.max(payroll.check_date), in_transit))
}

/// Marks a payroll, read under its guard, as paid after the partner has made its last payment.
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
        let day = posting::day_of(tx, company, now)?.max(payroll.check_date);
        let _it_may_have_gone_out_before = books::record_net_pay_paid(tx, company, run, (day, false))?;
    }
    store_change(tx, company, &payroll, "paid", events::PAYROLL_PAID)
}
