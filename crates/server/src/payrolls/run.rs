//! Calculating a payroll, processing it and paying it: work in the background, in many small units.
//!
//! A calculation reads everything at one moment, works out the paychecks, and stores them in units of [`AT_ONCE`] under
//! the id of the run, which nobody looks at yet. The last unit sees whether the payroll, the records of its people or the
//! payrolls before it were changed meanwhile. If not, the payroll names the run from then on; if so, all is done again.
//! A crash leaves the payroll as it was, with a run that nobody names and that is swept away later.

use std::sync::Arc;

use jiff::civil::Date;
use jiff::{Timestamp, ToSpan};
use rules::Amount;
use rules::explain::NoTrace;
use rules::payroll::benefits::Limits;
use rules::payroll::taxes::PayrollTaxes;
use rules::payroll::{Paycheck, Payroll as Terms, paycheck};
use rules::withholding::federal::FederalTables;
use serde_json::{Value, json};
use store::{Store, Tx, params};
use uuid::Uuid;

use super::facts::Facts;
use super::paid::{self, Outcome};
use super::rows::{self, Payroll, Request};
use super::snapshot::{self, AT_ONCE, Context};
use super::totals::Totals;
use super::{TABLE, deadline, earliest_check_date, members, regular, sources};
use crate::auth::Caller;
use crate::error::Error;
use crate::{audit, companies, events, jobs};

store::statements! {
    // What bears on pay. Somebody who has just been entered is not paid yet.
    STAMP = "SELECT count(*) FROM audit WHERE company_id = $1 AND id >= $2 AND action <> 'document_requested' \
             AND NOT (entity_type = 'employees' AND action = 'created') AND entity_type IN \
             ('employees', 'employee_jobs', 'compensations', 'work_addresses', 'locations', 'employee_federal_taxes', \
             'employee_state_taxes', 'employee_payment_methods', 'employee_bank_accounts', 'garnishments', 'company_benefits', \
             'employee_benefits', 'opening_balances')";
}

/// How often a calculation is done again when something was changed meanwhile.
const TRIES: usize = 5;
/// Employees of a payroll at the most.
const MOST: usize = 250_000;

/// What a calculation gives.
struct Calculated {
    payroll: Payroll,
    stamp: (Uuid, i64),
    base: i64,
    outcomes: Vec<Outcome>,
    totals: String,
}

/// Calculates a payroll that is to be calculated; does nothing for another.
///
/// # Errors
/// A store error.
pub async fn calculate(store: &Store, company: Uuid, payroll: Uuid) -> Result<(), Error> {
    for _ in 0..TRIES {
        let read = store.read(move |tx| read_and_work_out(tx, company, payroll)).await?;
        let calculated = match read {
            None => return Ok(()),
            Some(Ok(calculated)) => calculated,
            Some(Err(errors)) => return fail(store, company, payroll, errors).await,
        };
        let mut calculated = calculated;
        let outcomes = std::mem::take(&mut calculated.outcomes);
        let of = (payroll, calculated.payroll.check_date);
        let run = store_results(store, company, of, outcomes).await?;
        if store.write(move |tx| flip(tx, company, &calculated, run)).await? {
            return Ok(());
        }
    }
    let message = "records of the company's people were changed again and again while the payroll was calculated; \
                   calculate it once more";
    fail(store, company, payroll, json!([error("base", message)])).await
}

fn error(key: &str, message: &str) -> Value {
    json!({ "error_key": key, "category": "invalid_operation", "message": message })
}

/// The paychecks of a payroll that is to be calculated, or why there are none.
fn read_and_work_out(
    tx: &mut Tx<'_>,
    company: Uuid,
    id: Uuid,
) -> Result<Option<Result<Calculated, Value>>, Error> {
    let Some(payroll) = rows::find(tx, company, id)? else { return Ok(None) };
    if payroll.request != Some(Request::Calculating) {
        return Ok(None);
    }
    let since = lowest_id(tx.now() - 60.seconds());
    let stamp = (since, stamp(tx, company, since)?);
    let base = rows::last_number(tx, company)?;
    let context = Context::read(tx, company, payroll.clone())?;
    let Some(terms) = terms(&payroll) else {
        let year = payroll.check_date.year();
        let why = format!("no tax tables of {year}, the year of the check date, are held");
        return Ok(Some(Err(json!([error("check_date", &why)]))));
    };
    let (mut outcomes, mut totals, mut last) = (Vec::new(), Totals::default(), Uuid::nil());
    loop {
        let some = members::after(tx, company, &payroll, last, AT_ONCE)?;
        let Some(end) = some.last() else { break };
        last = end.id;
        for (employee, facts, sums) in snapshot::facts(tx, &context, &some)? {
            let Some(pay) = work_out(&terms, &facts) else {
                let why = format!("the pay of employee {employee} is larger than an amount can be");
                return Ok(Some(Err(json!([error("base", &why)]))));
            };
            let mut paid = paid::paid(&pay, &facts, payroll.off_cycle);
            paid.warnings.extend(facts.warnings.iter().cloned());
            let sums = sums.with(payroll.check_date.year(), pay.gross, pay.net, &pay.taxable, &paid);
            let outcome = Outcome {
                employee,
                gross: pay.gross,
                net: pay.net,
                check_amount: pay.check_amount,
                paycheck: text(&paid)?,
                facts: text(&facts)?,
                year_to_date: text(&sums)?,
            };
            totals.add(&outcome, &paid, &facts);
            outcomes.push(outcome);
        }
        if outcomes.len() > MOST {
            let why = format!("a payroll has at most {MOST} employees");
            return Ok(Some(Err(json!([error("base", &why)]))));
        }
    }
    let totals = totals.to_text();
    Ok(Some(Ok(Calculated { payroll, stamp, base, outcomes, totals })))
}

fn text<T: serde::Serialize>(value: &T) -> Result<String, Error> {
    serde_json::to_string(value).map_err(|_| Error::Internal)
}

/// What all employees of a payroll have in common; `None` where no tables of the year of payment are held.
pub(super) fn terms(payroll: &Payroll) -> Option<Terms<'static>> {
    let year = payroll.check_date.year();
    Some(Terms {
        start: payroll.start,
        end: payroll.end,
        check_date: payroll.check_date,
        frequency: payroll.frequency,
        withholding_period: payroll.withholding_pay_period,
        fixed_withholding_rate: payroll.fixed_withholding_rate,
        skip_regular_deductions: payroll.skip_regular_deductions,
        pays_salaries: !payroll.off_cycle
            || payroll.off_cycle_reason.as_deref() == Some("Transition from old pay schedule"),
        federal: FederalTables::built_in(year)?,
        taxes: PayrollTaxes::built_in(year)?,
        benefit_limits: Limits::built_in(),
        federal_minimum_wage: FEDERAL_MINIMUM_WAGE,
    })
}

/// What creditors must leave is counted from this wage an hour (29 USC 206(a)(1); in force since 24 July 2009).
const FEDERAL_MINIMUM_WAGE: Amount = Amount::from_cents(725);

fn work_out(terms: &Terms<'_>, facts: &Facts) -> Option<Paycheck<Uuid>> {
    let orders = facts.garnishment_terms();
    let employee = facts.employee(terms, &orders);
    paycheck(&mut NoTrace, terms, &employee)
}

/// The lowest id that could be made at a moment: ids begin with their time.
fn lowest_id(moment: Timestamp) -> Uuid {
    let millis = u128::try_from(moment.as_millisecond()).unwrap_or(0);
    Uuid::from_u128(millis << 80)
}

/// How many entries of the audit log that bear on pay there are since an id. Units end within seconds, so that what was
/// begun a minute before is there or never will be.
fn stamp(tx: &mut Tx<'_>, company: Uuid, since: Uuid) -> Result<i64, Error> {
    Ok(tx.find(STAMP, params![company, since], |row| row.get::<i64>(0))?.unwrap_or(0))
}

/// Stores results under a new id, in small units.
async fn store_results(
    store: &Store,
    company: Uuid,
    payroll: (Uuid, Date),
    outcomes: Vec<Outcome>,
) -> Result<Uuid, Error> {
    let begun = store.write(move |tx| {
        let run = tx.new_id();
        paid::begin_run(tx, company, run, payroll)?;
        Ok::<_, Error>(run)
    });
    let run = begun.await?;
    let mut rest = outcomes.into_iter();
    loop {
        let some: Vec<Outcome> = rest.by_ref().take(usize::try_from(AT_ONCE).unwrap_or(1)).collect();
        if some.is_empty() {
            return Ok(run);
        }
        let stored = store
            .write(move |tx| some.iter().try_for_each(|outcome| paid::insert(tx, company, run, outcome)));
        stored.await?;
    }
}

/// Lets the payroll name the run, if nothing was changed since its moment; whether that is settled.
fn flip(tx: &mut Tx<'_>, company: Uuid, calculated: &Calculated, run: Uuid) -> Result<bool, Error> {
    let id = calculated.payroll.id;
    tx.guard(company, TABLE, id)?;
    let Some(mut payroll) = rows::find(tx, company, id)? else { return Ok(true) };
    if payroll.request != Some(Request::Calculating) {
        return Ok(true);
    }
    let unchanged = payroll.version == calculated.payroll.version
        && stamp(tx, company, calculated.stamp.0)? == calculated.stamp.1
        && rows::last_number(tx, company)? == calculated.base;
    if !unchanged {
        return Ok(false);
    }
    payroll.run = Some(run);
    payroll.base = Some(calculated.base);
    payroll.calculated_at = Some(tx.now());
    payroll.request = Some(Request::CalculateSuccess);
    payroll.totals.clone_from(&calculated.totals);
    store_change(tx, company, &payroll, "calculated", events::PAYROLL_CALCULATED)?;
    Ok(true)
}

/// Stores what the service itself did with a payroll.
fn store_change(
    tx: &mut Tx<'_>,
    company: Uuid,
    payroll: &Payroll,
    action: &'static str,
    event: events::EventType,
) -> Result<(), Error> {
    assert!(rows::update(tx, company, payroll)?, "the row was read under its guard");
    let caller = Caller::service(company, companies::time_zone(tx, company)?);
    audit::record(tx, &caller, action, (TABLE, payroll.id), &json!({}))?;
    events::emit(tx, company, event, payroll.id)
}

async fn fail(store: &Store, company: Uuid, id: Uuid, errors: Value) -> Result<(), Error> {
    let errors = errors.to_string();
    let failed = store.write(move |tx| {
        tx.guard(company, TABLE, id)?;
        let Some(mut payroll) = rows::find(tx, company, id)? else { return Ok(()) };
        if payroll.request != Some(Request::Calculating) {
            return Ok(());
        }
        payroll.request = Some(Request::Failed);
        payroll.request_errors.clone_from(&errors);
        store_change(tx, company, &payroll, "processing_failed", events::PAYROLL_PROCESSING_FAILED)
    });
    failed.await
}

/// Asks for a calculation. A payroll that is late is paid on the earliest day that can still be met.
pub(super) fn request(tx: &mut Tx<'_>, caller: &Caller, payroll: &mut Payroll) -> Result<(), Error> {
    payroll.forget_calculation();
    payroll.request = Some(Request::Calculating);
    let (now, today) = (tx.now(), caller.today(tx));
    payroll.check_date = payroll.initial_check_date;
    if payroll.check_only {
        payroll.check_date = payroll.check_date.max(today);
    } else if deadline(payroll.check_date) < now {
        payroll.check_date = earliest_check_date(now, today);
    }
    jobs::schedule(tx, caller.company, jobs::Kind::PayrollCalculate, payroll.id, now)
}

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
    let payroll = Arc::new(payroll);
    loop {
        let payroll = Arc::clone(&payroll);
        if !store.write(move |tx| record_some(tx, company, &payroll, run)).await? {
            break;
        }
    }
    store.write(move |tx| processed(tx, company, id)).await
}

/// Notes what some employees' paychecks took and gave; whether there may be more. The mark moves in the same unit, so
/// that after a crash nothing is noted twice.
fn record_some(tx: &mut Tx<'_>, company: Uuid, payroll: &Payroll, run: Uuid) -> Result<bool, Error> {
    tx.guard(company, "payroll_runs", run)?;
    let Some(marks) = paid::marks(tx, company, run)? else { return Ok(false) };
    let some = paid::after(tx, company, run, marks.recorded.unwrap_or(Uuid::nil()), AT_ONCE)?;
    let Some(last) = some.last() else { return Ok(false) };
    let recorded = Some(last.employee);
    sources::record(tx, company, payroll, &some)?;
    paid::mark(tx, company, run, &paid::Marks { recorded, ..marks })?;
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
    let Some(marks) = paid::marks(tx, company, run)? else { return Ok(false) };
    let Some(until) = marks.recorded else { return Ok(false) };
    let mut some = paid::after(tx, company, run, marks.forgotten.unwrap_or(Uuid::nil()), AT_ONCE)?;
    some.retain(|outcome| outcome.employee <= until);
    let Some(last) = some.last() else { return Ok(false) };
    let forgotten = Some(last.employee);
    sources::forget(tx, company, marks.payroll, &some)?;
    paid::mark(tx, company, run, &paid::Marks { forgotten, ..marks })?;
    Ok(true)
}

fn processed(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<(), Error> {
    tx.guard(company, TABLE, company)?;
    tx.guard(company, TABLE, id)?;
    let Some(mut payroll) = rows::find(tx, company, id)? else { return Ok(()) };
    if payroll.request != Some(Request::Submitting) {
        return Ok(());
    }
    payroll.request = Some(Request::SubmitSuccess);
    payroll.processed_at = Some(tx.now());
    payroll.run_number = Some(rows::next_number(tx, company)?);
    store_change(tx, company, &payroll, "processed", events::PAYROLL_PROCESSED)?;
    let zone = companies::time_zone(tx, company)?;
    let due = regular::begins(payroll.check_date, &zone).max(tx.now());
    jobs::schedule(tx, company, jobs::Kind::PayrollPaid, id, due)
}

/// Notes that payments are made, when the pay date of a processed payroll has come.
///
/// # Errors
/// A store error.
pub fn paid(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<(), Error> {
    tx.guard(company, TABLE, id)?;
    let Some(mut payroll) = rows::find(tx, company, id)? else { return Ok(()) };
    if !payroll.is_processed() || payroll.paid_at.is_some() {
        return Ok(());
    }
    payroll.paid_at = Some(tx.now());
    store_change(tx, company, &payroll, "paid", events::PAYROLL_PAID)
}
