//! Calculating a payroll, processing it and paying it: work in the background, in many small units.
//!
//! A calculation first notes what bears on it: the payroll's version, the changes of its people's records so far, and
//! the payrolls before it. Then it reads stretch after stretch of [`AT_ONCE`] employees, works out their paychecks, and
//! stores them under the id of the run, which nobody looks at yet, while the next stretch is read. The last unit sees
//! whether anything of what it noted has changed. If not, all stretches were read as they were at the first moment,
//! and the payroll names the run from then on; if so, all is done again. No unit is longer than that of a stretch,
//! however many employees there are, and no more than two stretches are held at a time.
//!
//! A crash leaves the payroll as it was, with a run that nobody names and that is swept away later.

use std::sync::Arc;

use jiff::ToSpan;
use rules::explain::NoTrace;
use rules::payroll::{Paycheck, Payroll as Terms, paycheck};
use serde_json::{Value, json};
use store::{Store, Tx, lowest_id, params};
use uuid::Uuid;

use super::inputs::PaycheckInputs;
use super::paid;
use super::paid::{Outcome, RulesUsed};
use super::rows;
use super::rows::{Payroll, Request};
use super::settings;
use super::snapshot;
use super::snapshot::{AT_ONCE, Context};
use super::tables::PayrollTables;
use super::totals::{RunningTotals, Totals};
use super::{TABLE, deadline, earliest_check_date, members, regular, sources, sums, to_json};
use crate::access::tokens::Caller;
use crate::company::companies;
use crate::error::Error;
use crate::events;
use crate::platform::law::Missing;
use crate::platform::{audit, jobs};

store::statements! {
    // What bears on pay. Somebody who has just been entered is not paid yet.
    STAMP = "SELECT count(*) FROM audit WHERE company_id = $1 AND id >= $2 AND action <> 'document_requested' \
             AND NOT (entity_type = 'employees' AND action = 'created') AND entity_type IN \
             ('employees', 'employee_jobs', 'compensations', 'work_addresses', 'locations', 'employee_federal_taxes', \
             'employee_state_taxes', 'employee_payment_methods', 'employee_bank_accounts', 'garnishments', 'company_benefits', \
             'employee_benefits', 'opening_balances', 'payroll_settings')";
}

/// How often a calculation is done again when something was changed meanwhile.
const TRIES: usize = 5;
/// Employees of a payroll at the most.
const MOST: usize = 250_000;
/// Paychecks stored in one unit.
const STORED_AT_ONCE: usize = 100;

/// What a calculation begins with.
struct RunStart {
    context: Context,
    /// the rules and tables of the same moment
    rules: RulesUsed,
    /// since which id changes are counted, and how many there were
    stamp: (Uuid, i64),
    /// place of the last processed payroll
    base: i64,
}

/// The paychecks of a stretch of employees.
struct Batch {
    outcomes: Vec<Outcome>,
    totals: RunningTotals,
    /// the last of them, paid or not; none when there were no more
    last: Option<Uuid>,
}

/// One try at a calculation, in its three steps. What was changed between them is noticed by the last.
pub struct Attempt {
    company: Uuid,
    begun: Arc<RunStart>,
}

/// Paychecks that were stored under the id of a run.
pub struct Calculated {
    run: Uuid,
    totals: Totals,
}

/// Calculates a payroll that is to be calculated; does nothing for another.
///
/// # Errors
/// A store error.
pub async fn calculate(store: &Store, company: Uuid, payroll: Uuid) -> Result<(), Error> {
    for _ in 0..TRIES {
        let Some(attempt) = Attempt::begin(store, company, payroll).await? else { return Ok(()) };
        let Some(calculated) = attempt.store_paychecks(store).await? else { return Ok(()) };
        if attempt.finish(store, calculated).await? {
            return Ok(());
        }
    }
    let message = "records of the company's people were changed again and again while the payroll was calculated; \
                   calculate it once more";
    fail(store, company, payroll, json!([error("base", message)])).await
}

impl Attempt {
    /// Notes what bears on the payroll; nothing for one that is not to be calculated, or cannot be and says so then.
    ///
    /// # Errors
    /// A store error.
    pub async fn begin(store: &Store, company: Uuid, payroll: Uuid) -> Result<Option<Self>, Error> {
        match store.read(move |tx| begin(tx, company, payroll)).await? {
            None => Ok(None),
            Some(Ok(begun)) => Ok(Some(Self { company, begun: Arc::new(begun) })),
            Some(Err(errors)) => {
                fail(store, company, payroll, errors).await?;
                Ok(None)
            }
        }
    }

    /// Works out every paycheck and stores it; nothing where that cannot be, which the payroll says then.
    ///
    /// # Errors
    /// A store error.
    pub async fn store_paychecks(&self, store: &Store) -> Result<Option<Calculated>, Error> {
        match store_paychecks(store, self.company, &self.begun).await? {
            Ok(calculated) => Ok(Some(calculated)),
            Err(errors) => {
                fail(store, self.company, self.begun.context.payroll.id, errors).await?;
                Ok(None)
            }
        }
    }

    /// Lets the payroll name the run, unless something was changed since the beginning; whether that is settled.
    ///
    /// # Errors
    /// A store error.
    pub async fn finish(self, store: &Store, calculated: Calculated) -> Result<bool, Error> {
        let Self { company, begun } = self;
        store.write(move |tx| flip(tx, company, &begun, &calculated)).await
    }
}

/// An error item, as a payroll keeps it.
pub(super) fn error(key: &str, message: &str) -> Value {
    json!({ "error_key": key, "category": "invalid_operation", "message": message })
}

/// What a payroll that is to be calculated begins with, or why it cannot be.
fn begin(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<Option<Result<RunStart, Value>>, Error> {
    let Some(payroll) = rows::find(tx, company, id)? else { return Ok(None) };
    if payroll.request != Some(Request::Calculating) {
        return Ok(None);
    }
    // Left to a node whose clock is right: work that fails is tried again by whoever comes.
    events::newest::refuse_behind(tx)?;
    let settings = settings::of_company(tx, company)?;
    let tables = match PayrollTables::read(tx, payroll.check_date, settings.previous_year_tables)? {
        Ok(tables) => tables,
        Err(missing) => return Ok(Some(Err(errors_of(&missing)))),
    };
    let since = lowest_id(tx.now() - 60.seconds());
    let stamp = (since, stamp(tx, company, since)?);
    let base = rows::last_number(tx, company)?;
    let rules = RulesUsed::of(tx, &tables.held)?;
    let context = Context::read(tx, company, payroll, tables)?;
    Ok(Some(Ok(RunStart { context, rules, stamp, base })))
}

/// Works out every paycheck and stores it under a new id, or says why that cannot be.
async fn store_paychecks(
    store: &Store,
    company: Uuid,
    begun: &Arc<RunStart>,
) -> Result<Result<Calculated, Value>, Error> {
    let start = Arc::clone(begun);
    let run =
        store.write(move |tx| paid::begin_run(tx, company, &start.context.payroll, &start.rules)).await?;
    let (mut totals, mut count) = (RunningTotals::default(), 0);
    let mut read = read_stretch(store, company, begun, Uuid::nil()).await?;
    loop {
        let Batch { outcomes, totals: some, last } = match read {
            Ok(stretch) => stretch,
            Err(errors) => return Ok(Err(errors)),
        };
        let Some(last) = last else {
            return Ok(Ok(Calculated { run, totals: totals.finish() }));
        };
        totals.merge(some);
        count += outcomes.len();
        if count > MOST {
            let why = format!("a payroll has at most {MOST} employees");
            return Ok(Err(json!([error("base", &why)])));
        }
        let stored = store_stretch(store, company, run, outcomes);
        let (stored, next) = tokio::join!(stored, read_stretch(store, company, begun, last));
        stored?;
        read = next?;
    }
}

/// Stores the paychecks of a stretch in units so small that whoever else writes hardly waits.
async fn store_stretch(
    store: &Store,
    company: Uuid,
    run: Uuid,
    mut outcomes: Vec<Outcome>,
) -> Result<(), Error> {
    while !outcomes.is_empty() {
        let some: Vec<Outcome> = outcomes.drain(..outcomes.len().min(STORED_AT_ONCE)).collect();
        let insert = move |tx: &mut Tx<'_>| {
            some.iter().try_for_each(|outcome| paid::insert(tx, company, run, outcome))
        };
        store.write(insert).await?;
    }
    Ok(())
}

/// The paychecks of the next employees after one, or why there are none.
async fn read_stretch(
    store: &Store,
    company: Uuid,
    begun: &Arc<RunStart>,
    after: Uuid,
) -> Result<Result<Batch, Value>, Error> {
    let begun = Arc::clone(begun);
    store.read(move |tx| work_out_some(tx, company, &begun, after)).await
}

fn work_out_some(
    tx: &mut Tx<'_>,
    company: Uuid,
    begun: &RunStart,
    after: Uuid,
) -> Result<Result<Batch, Value>, Error> {
    let (context, payroll) = (&begun.context, &begun.context.payroll);
    let terms = context.tables.terms(payroll);
    let some = members::after(tx, company, payroll, after, AT_ONCE)?;
    let mut stretch = Batch {
        outcomes: Vec::with_capacity(some.len()),
        totals: RunningTotals::default(),
        last: some.last().map(|member| member.id),
    };
    // Employees that were chosen may lie far apart; what lies between them is nobody's business here.
    let together = if payroll.chosen_employees { 1 } else { some.len().max(1) };
    for some in some.chunks(together) {
        for (employee, inputs, sums) in snapshot::inputs(tx, context, some)? {
            let missing = context.tables.refused(payroll, &inputs);
            if !missing.is_empty() {
                return Ok(Err(errors_of(&missing)));
            }
            let Some(pay) = work_out(&terms, &context.tables, &inputs) else {
                let why = format!("the pay of employee {employee} is larger than an amount can be");
                return Ok(Err(json!([error("base", &why)])));
            };
            let mut paid = paid::paid(&pay, &inputs, payroll.off_cycle);
            paid.warnings.extend(inputs.warnings.iter().cloned());
            let sums = sums.with(payroll.check_date.year(), pay.gross, pay.net, &pay.taxable, &paid);
            let outcome = Outcome {
                employee,
                gross: pay.gross,
                net: pay.net,
                check_amount: pay.check_amount,
                paycheck: to_json(paid::TABLE, "paycheck", &paid)?,
                facts: to_json(paid::TABLE, "facts", &inputs)?,
                year_to_date: to_json(paid::TABLE, "year_to_date", &sums)?,
            };
            stretch.totals.add(&outcome, &paid, &inputs);
            stretch.outcomes.push(outcome);
        }
    }
    Ok(Ok(stretch))
}

fn work_out(terms: &Terms<'_>, tables: &PayrollTables, inputs: &PaycheckInputs) -> Option<Paycheck<Uuid>> {
    paycheck(&mut NoTrace, terms, &inputs.employee(terms, tables))
}

/// An error item for each table that is missing.
fn errors_of(missing: &[Missing]) -> Value {
    missing.iter().map(|table| error("check_date", &table.to_string())).collect()
}

/// How many entries of the audit log that bear on pay there are since an id. Units end within seconds, so that what was
/// begun a minute before is there or never will be.
fn stamp(tx: &mut Tx<'_>, company: Uuid, since: Uuid) -> Result<i64, Error> {
    Ok(tx.find(STAMP, params![company, since], |row| row.get::<i64>(0))?.unwrap_or(0))
}

/// Lets the payroll name the run, if nothing was changed since it began; whether that is settled.
fn flip(tx: &mut Tx<'_>, company: Uuid, begun: &RunStart, calculated: &Calculated) -> Result<bool, Error> {
    let id = begun.context.payroll.id;
    tx.guard(company, TABLE, id)?;
    let Some(mut payroll) = rows::find(tx, company, id)? else { return Ok(true) };
    if payroll.request != Some(Request::Calculating) {
        return Ok(true);
    }
    let unchanged = payroll.version == begun.context.payroll.version
        && stamp(tx, company, begun.stamp.0)? == begun.stamp.1
        && rows::last_number(tx, company)? == begun.base;
    if !unchanged {
        return Ok(false);
    }
    payroll.run = Some(calculated.run);
    payroll.base = Some(begun.base);
    payroll.calculated_at = Some(tx.now());
    payroll.request = Some(Request::CalculateSuccess);
    payroll.totals.clone_from(&calculated.totals);
    store_change(tx, company, &payroll, "calculated", events::PAYROLL_CALCULATED)?;
    Ok(true)
}

/// Stores what the service itself did with a payroll.
pub(super) fn store_change(
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

/// Notes why a payroll that is to be calculated cannot be.
///
/// # Errors
/// A store error.
pub(super) async fn fail(store: &Store, company: Uuid, id: Uuid, errors: Value) -> Result<(), Error> {
    let failed = store.write(move |tx| {
        tx.guard(company, TABLE, id)?;
        match rows::find(tx, company, id)? {
            Some(payroll) if payroll.request == Some(Request::Calculating) => {
                store_failure(tx, company, payroll, errors.clone())
            }
            _ => Ok(()),
        }
    });
    failed.await
}

/// Stores a payroll as failed, and why.
pub(super) fn store_failure(
    tx: &mut Tx<'_>,
    company: Uuid,
    mut payroll: Payroll,
    errors: Value,
) -> Result<(), Error> {
    payroll.request = Some(Request::Failed);
    payroll.request_errors = errors;
    store_change(tx, company, &payroll, "processing_failed", events::PAYROLL_PROCESSING_FAILED)
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
    sources::record(tx, company, (payroll, run), &some)?;
    let mut noted = marks.noted;
    if noted == marks.recorded {
        sums::note(tx, company, run, (noted.unwrap_or(Uuid::nil()), last.employee))?;
        noted = recorded;
    }
    paid::mark(tx, company, run, &paid::Marks { recorded, noted, ..marks })?;
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
    let Some(last) = some.last() else {
        // Results may have been swept away before; what they took and gave names the calculation.
        let more = sources::forget_rest(tx, company, (marks.payroll, run))?;
        paid::mark(tx, company, run, &paid::Marks { forgotten: Some(until), ..marks })?;
        return Ok(more);
    };
    let forgotten = Some(last.employee);
    sources::forget(tx, company, (marks.payroll, run), &some)?;
    for outcome in &some {
        sums::forget(tx, company, run, outcome.employee)?;
    }
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
