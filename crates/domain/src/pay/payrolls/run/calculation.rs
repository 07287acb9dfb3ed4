//! Calculates a payroll: a background job of many small units of work.
//!
//! A calculation first notes what it depends on: the payroll's version, the latest changes of employees' records, and the payrolls
//! before it. Then it reads batches of [`AT_ONCE`] employees, calculates their paychecks, and stores them under the id of the run, which
//! nothing refers to yet: while one batch is stored, the next is calculated, and the one after that is read. The last unit checks
//! whether anything noted at the start has changed. If not, all batches are consistent with the first moment, and the payroll points to
//! the run from then on. If only records of individual employees have changed, their paychecks are recalculated and replaced; after any
//! other change everything is calculated again. No unit takes longer than reading a batch, however many employees there are, and at most
//! three batches are in memory at a time.
//!
//! A crash leaves the payroll as it was, with a run that nothing refers to and that is deleted later.

use std::collections::BTreeSet;
use std::sync::Arc;

use rules::Amount;
use rules::explain::NoTrace;
use rules::payroll::{Payroll as Terms, calculate_paycheck};
use serde_json::{Value, json};
use store::{Store, Tx};
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::company::{companies, payment_configs};
use crate::error::Error;
use crate::events;
use crate::pay::payrolls::calendar::members;
use crate::pay::payrolls::facts::context::Context;
use crate::pay::payrolls::facts::tables::PayrollTables;
use crate::pay::payrolls::record::deadlines::earliest_check_date;
use crate::pay::payrolls::record::deadlines::submission_deadline;
use crate::pay::payrolls::record::json::to_json;
use crate::pay::payrolls::record::lines::StoredPaycheck;
use crate::pay::payrolls::record::paycheck::Paid;
use crate::pay::payrolls::record::paycheck_inputs::PaycheckInputs;
use crate::pay::payrolls::record::payroll::TABLE;
use crate::pay::payrolls::record::payroll::{Payroll, Request};
use crate::pay::payrolls::record::results::Outcome;
use crate::pay::payrolls::record::runs::RulesUsed;
use crate::pay::payrolls::record::sums::Sums;
use crate::pay::payrolls::record::totals::RunningTotals;
use crate::pay::payrolls::record::{paycheck, results, rows, runs, settings};
pub use crate::pay::payrolls::run::changes::Changed;
use crate::pay::payrolls::run::changes::Moment;
use crate::pay::payrolls::run::records::MemberRecords;
use crate::pay::payrolls::run::snapshot;
use crate::pay::payrolls::run::snapshot::AT_ONCE;
use crate::pay::payrolls::run::snapshot::Snapshot;
use crate::pay::payrolls::warnings::lump_sums;
use crate::platform::law::Missing;
use crate::platform::{audit, jobs};
use crate::withholding::garnishments;
use crate::withholding::garnishments::lump_sums::LumpSum;

/// Maximum attempts at a calculation, which concurrent changes can force to be repeated.
const TRIES: usize = 5;
/// Maximum employees of a payroll.
const MOST: usize = 250_000;
/// Paychecks stored in one unit of work. Each unit waits for the disk once, which on a slow disk takes most of its time; with a
/// whole batch in one unit, other writers would wait twice as long.
const STORED_AT_ONCE: usize = 250;

/// The starting point of a calculation.
struct RunStart {
    context: Context,
    /// the rules and tables at that moment
    rules: RulesUsed,
    /// the changes of records seen by then
    moment: Moment,
    /// number of the last processed payroll
    base: i64,
}

/// The records of a batch of employees.
struct Read {
    records: Vec<MemberRecords>,
    /// the last of its employees, paid or not; `None` if there were no more
    last: Option<Uuid>,
}

/// The paychecks of a batch of employees.
struct Batch {
    outcomes: Vec<Outcome>,
    totals: RunningTotals,
    /// payments that agencies must be notified of before they are made
    lump_sums: Vec<LumpSum>,
}

/// One attempt at a calculation, in three steps. The last step detects changes made during the earlier ones.
pub struct Attempt {
    company: Uuid,
    begun: Arc<RunStart>,
}

/// Paychecks stored under the id of a run.
pub struct Calculated {
    run: Uuid,
    totals: RunningTotals,
    /// payments that agencies must be notified of before they are made
    lump_sums: Vec<LumpSum>,
    /// the changes of records seen by the time they were read
    moment: Moment,
}

/// Calculates a payroll that is waiting for calculation; no-op for any other.
pub async fn calculate_payroll(store: &Store, company: Uuid, payroll: Uuid) -> Result<(), Error> {
    for _ in 0..TRIES {
        let Some(attempt) = Attempt::begin(store, company, payroll).await? else { return Ok(()) };
        let Some(calculated) = attempt.store_paychecks(store).await? else { return Ok(()) };
        if let Some(again) = attempt.settle_run(store, calculated).await? {
            if again > 0 {
                tracing::info!(%payroll, again, "records of some employees were changed during the calculation");
            }
            return Ok(());
        }
    }
    let message = "records of the company's employees kept changing while the payroll was calculated; \
                   calculate it once more";
    store_calculation_errors(store, company, payroll, json!([error_item("base", message)])).await
}

impl Attempt {
    /// Notes what the payroll depends on; `None` if it does not wait for a calculation, or cannot be calculated, in which case it
    /// stores the reason.
    pub async fn begin(store: &Store, company: Uuid, payroll: Uuid) -> Result<Option<Self>, Error> {
        match store.read(move |tx| prepare_run(tx, company, payroll)).await? {
            None => Ok(None),
            Some(Ok(begun)) => Ok(Some(Self { company, begun: Arc::new(begun) })),
            Some(Err(errors)) => {
                store_calculation_errors(store, company, payroll, errors).await?;
                Ok(None)
            }
        }
    }

    /// Calculates and stores every paycheck; `None` if that is impossible, in which case the payroll stores the reason.
    pub async fn store_paychecks(&self, store: &Store) -> Result<Option<Calculated>, Error> {
        match store_paychecks(store, self.company, &self.begun).await? {
            Ok(calculated) => Ok(Some(calculated)),
            Err(errors) => {
                store_calculation_errors(store, self.company, self.begun.context.payroll.id, errors).await?;
                Ok(None)
            }
        }
    }

    /// Points the payroll to the run, unless something has changed since its paychecks were read; returns what has changed. No-op if the
    /// payroll no longer waits for a calculation.
    pub async fn finish_if_unchanged(
        &self,
        store: &Store,
        calculated: &Arc<Calculated>,
    ) -> Result<Changed, Error> {
        let (company, start, stored) = (self.company, Arc::clone(&self.begun), Arc::clone(calculated));
        store.write(move |tx| point_to_run(tx, company, &start, &stored)).await
    }

    /// Points the payroll to the run, after recalculating the paychecks of employees whose records have changed in the meantime; returns
    /// how many. `None` if the calculation must be repeated, as after a change that affects everybody.
    pub async fn settle_run(self, store: &Store, calculated: Calculated) -> Result<Option<usize>, Error> {
        let (mut calculated, mut again) = (Arc::new(calculated), BTreeSet::new());
        for _ in 0..TRIES {
            let employees = match self.finish_if_unchanged(store, &calculated).await? {
                Changed::Nothing => return Ok(Some(again.len())),
                Changed::Everything => return Ok(None),
                Changed::Employees(employees) => employees,
            };
            again.extend(employees.iter().copied());
            let (company, start, stored) = (self.company, Arc::clone(&self.begun), Arc::clone(&calculated));
            let redone = store
                .write(move |tx| recalculate_paychecks(tx, company, &start, &stored, &employees))
                .await?;
            let Some(redone) = redone else { return Ok(None) };
            calculated = Arc::new(redone);
        }
        Ok(None)
    }
}

/// Returns an error item in the form that payrolls store.
pub(in crate::pay::payrolls) fn error_item(key: &str, message: &str) -> Value {
    json!({ "error_key": key, "category": "invalid_operation", "message": message })
}

/// Returns the starting point of a payroll that waits for a calculation, or why it cannot be calculated.
fn prepare_run(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<Option<Result<RunStart, Value>>, Error> {
    let Some(payroll) = rows::find_payroll(tx, company, id)? else { return Ok(None) };
    if payroll.request != Some(Request::Calculating) {
        return Ok(None);
    }
    // Any node retries a failed job, so one whose clock is right will run it.
    events::newest::refuse_behind(tx)?;
    let settings = settings::of_company(tx, company)?;
    let tables =
        match PayrollTables::read_for_check_date(tx, payroll.check_date, settings.previous_year_tables)? {
            Ok(tables) => tables,
            Err(missing) => return Ok(Some(Err(errors_of(&missing)))),
        };
    let moment = Moment::read_now(tx, company)?;
    let base = rows::last_number(tx, company)?;
    let rules = RulesUsed::read_current(tx, &tables.held)?;
    let context = Context::read(tx, company, payroll, tables)?;
    Ok(Some(Ok(RunStart { context, rules, moment, base })))
}

/// Calculates every paycheck and stores it under a new id, or returns why that is impossible.
async fn store_paychecks(
    store: &Store,
    company: Uuid,
    begun: &Arc<RunStart>,
) -> Result<Result<Calculated, Value>, Error> {
    let start = Arc::clone(begun);
    begun.context.tables.held.store_tables(store).await?;
    let run =
        store.write(move |tx| runs::begin_run(tx, company, &start.context.payroll, &start.rules)).await?;
    let (mut totals, mut lump_sums, mut count) =
        (RunningTotals::new(begun.context.payroll.partner_pays), Vec::new(), 0);
    let (mut next, mut worked) = (read_batch(store, company, begun, Uuid::nil()).await?, Vec::new());
    loop {
        let Read { records, last } = next;
        count += records.iter().map(|one| one.members.len()).sum::<usize>();
        if count > MOST {
            let why = format!("a payroll has at most {MOST} employees");
            return Ok(Err(json!([error_item("base", &why)])));
        }
        let read_on = async {
            match last {
                Some(last) => read_batch(store, company, begun, last).await,
                None => Ok(Read { records: Vec::new(), last }),
            }
        };
        let (stored, batch, read) =
            tokio::join!(store_batch(store, company, run, worked), work_out(begun, records), read_on);
        stored?;
        let batch = match batch? {
            Ok(batch) => batch,
            Err(errors) => return Ok(Err(errors)),
        };
        if last.is_none() {
            return Ok(Ok(Calculated { run, totals, lump_sums, moment: begun.moment.clone() }));
        }
        totals.merge(batch.totals);
        lump_sums.extend(batch.lump_sums);
        (next, worked) = (read?, batch.outcomes);
    }
}

/// Stores the paychecks of a batch in units of work small enough that other writers hardly wait.
async fn store_batch(
    store: &Store,
    company: Uuid,
    run: Uuid,
    mut outcomes: Vec<Outcome>,
) -> Result<(), Error> {
    while !outcomes.is_empty() {
        let some: Vec<Outcome> = outcomes.drain(..outcomes.len().min(STORED_AT_ONCE)).collect();
        let insert = move |tx: &mut Tx<'_>| {
            some.iter().try_for_each(|outcome| results::insert_outcome(tx, company, run, outcome))
        };
        store.write(insert).await?;
    }
    Ok(())
}

/// Reads the records of the next employees after one.
async fn read_batch(store: &Store, company: Uuid, begun: &Arc<RunStart>, after: Uuid) -> Result<Read, Error> {
    let begun = Arc::clone(begun);
    let read = move |tx: &mut Tx<'_>| {
        let context = &begun.context;
        let some = members::members_after(tx, company, &context.payroll, after, AT_ONCE)?;
        let last = some.last().map(|member| member.id);
        // Chosen employees may lie far apart; reading ranges would also read everybody between them.
        let together = if context.payroll.chosen_employees { 1 } else { some.len().max(1) };
        let mut records = Vec::new();
        for some in some.chunks(together) {
            records.extend(MemberRecords::read(tx, context, some)?);
        }
        Ok(Read { records, last })
    };
    store.read(read).await
}

/// Calculates the paychecks of a batch, or returns why that is impossible. This runs outside the store's threads, which stay free for
/// other readers.
async fn work_out(begun: &Arc<RunStart>, records: Vec<MemberRecords>) -> Result<Result<Batch, Value>, Error> {
    let begun = Arc::clone(begun);
    let act = move || {
        let mut inputs = Vec::with_capacity(records.iter().map(|one| one.members.len()).sum());
        for some in records {
            inputs.extend(snapshot::of_members(&begun.context, some)?);
        }
        work_out_some(&begun.context, inputs)
    };
    tokio::task::spawn_blocking(act).await.map_err(Error::failed_operation("calculating paychecks ended"))?
}

fn work_out_some(context: &Context, inputs: Vec<Snapshot>) -> Result<Result<Batch, Value>, Error> {
    let terms = context.tables.terms_of(&context.payroll);
    let mut batch = Batch {
        outcomes: Vec::with_capacity(inputs.len()),
        totals: RunningTotals::new(context.payroll.partner_pays),
        lump_sums: Vec::new(),
    };
    for Snapshot { employee, inputs, sums } in inputs {
        let (outcome, paid) = match outcome_of(context, &terms, employee, &inputs, sums)? {
            Ok(outcome) => outcome,
            Err(errors) => return Ok(Err(errors)),
        };
        batch.totals.add_paycheck(StoredPaycheck { outcome: &outcome, paid: &paid, inputs: Some(&inputs) });
        batch.lump_sums.extend(lump_sums::lump_sum_notices(context, employee, &inputs));
        batch.outcomes.push(outcome);
    }
    Ok(Ok(batch))
}

/// Calculates the paycheck of an employee as stored, or returns why that is impossible.
fn outcome_of(
    context: &Context,
    terms: &Terms<'_>,
    employee: Uuid,
    inputs: &PaycheckInputs,
    sums: Sums,
) -> Result<Result<(Outcome, Paid), Value>, Error> {
    let payroll = &context.payroll;
    let missing = context.tables.missing_tables_for(payroll, inputs);
    if !missing.is_empty() {
        return Ok(Err(errors_of(&missing)));
    }
    let paid_to = inputs.to_rules_employee(terms, &context.tables);
    let Some(pay) = calculate_paycheck(&mut NoTrace, terms, &paid_to) else {
        let why = format!("the pay of employee {employee} exceeds the largest amount");
        return Ok(Err(json!([error_item("base", &why)])));
    };
    if let Some(beyond) = taken_beyond_pay(inputs, pay.gross, pay.cash_tips) {
        let why = format!(
            "the corrections of employee {employee} take back {} more than the paycheck pays: enter the rest in later payrolls",
            beyond.to_text(2)
        );
        return Ok(Err(json!([error_item("fixed_compensations", &why)])));
    }
    let situation = &paid_to.other_taxes.situation;
    let mut paid = paycheck::to_stored_paycheck(&pay, inputs, situation, payroll.off_cycle);
    paid.warnings.extend(inputs.warnings.iter().cloned());
    let of = (payroll.check_date.year(), payroll.off_cycle, &inputs.circumstances);
    let sums = sums.with_paycheck(of, &pay, situation, &paid);
    if let Some(of_year) = sums.years.get(&payroll.check_date.year()) {
        of_year.note_in(&mut paid);
    }
    let outcome = Outcome {
        employee,
        gross: pay.gross,
        net: pay.net,
        check_amount: pay.check_amount,
        paycheck: to_json(results::TABLE, "paycheck", &paid)?,
        facts: to_json(results::TABLE, "facts", inputs)?,
        year_to_date: to_json(results::TABLE, "year_to_date", &sums)?,
    };
    Ok(Ok((outcome, paid)))
}

/// Returns by how much corrections below zero exceed what a paycheck pays out before taxes; `None` if they do not.
fn taken_beyond_pay(inputs: &PaycheckInputs, gross: Amount, cash_tips: Amount) -> Option<Amount> {
    let takes_back = inputs.fixed.iter().any(|line| line.pay.amount < Amount::ZERO);
    let payable = gross.checked_sub(cash_tips).filter(|_| takes_back)?;
    (payable < Amount::ZERO).then(|| Amount::from_millionths(-payable.millionths()))
}

/// Recalculates the paychecks of employees whose records have changed, and replaces the stored ones. `None` if one cannot be
/// calculated: the calculation is then repeated from the beginning and reports why.
fn recalculate_paychecks(
    tx: &mut Tx<'_>,
    company: Uuid,
    begun: &RunStart,
    calculated: &Calculated,
    employees: &BTreeSet<Uuid>,
) -> Result<Option<Calculated>, Error> {
    let (context, payroll, run) = (&begun.context, &begun.context.payroll, calculated.run);
    // Read before the records, in the same unit of work: the next check detects any change from here on.
    let moment = calculated.moment.read_again(tx, company)?;
    let mut totals = calculated.totals.clone();
    let mut told = calculated.lump_sums.clone();
    told.retain(|one| !employees.contains(&one.employee));
    for employee in employees {
        if let Some(old) = results::find_outcome(tx, company, run, *employee)? {
            let (paid, inputs) = (old.read_paycheck()?, old.read_inputs()?);
            totals.take_off(StoredPaycheck { outcome: &old, paid: &paid, inputs: Some(&inputs) });
            results::delete_outcome(tx, company, run, *employee)?;
        }
        let Some(member) = members::find_member(tx, company, payroll, *employee)? else { continue };
        let Ok(batch) = work_out_some(context, snapshot::read_paycheck_inputs(tx, context, &[member])?)?
        else {
            return Ok(None);
        };
        totals.merge(batch.totals);
        told.extend(batch.lump_sums);
        batch.outcomes.iter().try_for_each(|outcome| results::insert_outcome(tx, company, run, outcome))?;
    }
    Ok(Some(Calculated { run, totals, lump_sums: told, moment }))
}

/// Returns an error item for each missing table.
fn errors_of(missing: &[Missing]) -> Value {
    missing.iter().map(|table| error_item("check_date", &table.to_string())).collect()
}

/// Points the payroll to the run, if nothing has changed since its paychecks were read; returns what has changed.
fn point_to_run(
    tx: &mut Tx<'_>,
    company: Uuid,
    begun: &RunStart,
    calculated: &Calculated,
) -> Result<Changed, Error> {
    let id = begun.context.payroll.id;
    tx.take_guard(company, TABLE, id)?;
    let Some(mut payroll) = rows::find_payroll(tx, company, id)? else { return Ok(Changed::Nothing) };
    if payroll.request != Some(Request::Calculating) {
        return Ok(Changed::Nothing);
    }
    if payroll.version != begun.context.payroll.version || rows::last_number(tx, company)? != begun.base {
        return Ok(Changed::Everything);
    }
    let changed = calculated.moment.changes_since(tx, company)?;
    if changed == Changed::Nothing {
        payroll.run = Some(calculated.run);
        payroll.base = Some(begun.base);
        payroll.calculated_at = Some(tx.now());
        payroll.seen = Some(calculated.moment.entries_seen(calculated.run, tx.now()));
        payroll.request = Some(Request::CalculateSuccess);
        payroll.totals = calculated.totals.clone().into_totals();
        for tax in &payroll.totals.unworked {
            let paychecks = u64::try_from(tax.paychecks).unwrap_or_default();
            metrics::counter!("taxes_not_worked_out_total").increment(paychecks);
        }
        garnishments::lump_sums::replace_lump_sums(tx, company, id, &calculated.lump_sums)?;
        store_change(tx, company, &payroll, "calculated", events::PAYROLL_CALCULATED)?;
    }
    Ok(changed)
}

/// Stores a payroll that the service itself has changed, with its audit entry and event.
pub(in crate::pay::payrolls) fn store_change(
    tx: &mut Tx<'_>,
    company: Uuid,
    payroll: &Payroll,
    action: &'static str,
    event: events::EventType,
) -> Result<(), Error> {
    assert!(rows::update_payroll(tx, company, payroll)?, "the row was read under its guard");
    let caller = Caller::for_service(company, companies::time_zone(tx, company)?);
    audit::record_audit_entry(tx, &caller, action, (TABLE, payroll.id), &json!({}))?;
    events::emit_event(tx, company, event, payroll.id)
}

/// Stores why a payroll that waits for a calculation cannot be calculated.
pub(in crate::pay::payrolls) async fn store_calculation_errors(
    store: &Store,
    company: Uuid,
    id: Uuid,
    errors: Value,
) -> Result<(), Error> {
    let failed = store.write(move |tx| {
        tx.take_guard(company, TABLE, id)?;
        match rows::find_payroll(tx, company, id)? {
            Some(payroll) if payroll.request == Some(Request::Calculating) => {
                store_failure(tx, company, payroll, errors.clone())
            }
            _ => Ok(()),
        }
    });
    failed.await
}

/// Stores a payroll as failed, with the reasons.
pub(in crate::pay::payrolls) fn store_failure(
    tx: &mut Tx<'_>,
    company: Uuid,
    mut payroll: Payroll,
    errors: Value,
) -> Result<(), Error> {
    payroll.request = Some(Request::Failed);
    payroll.request_errors = errors;
    store_change(tx, company, &payroll, "processing_failed", events::PAYROLL_PROCESSING_FAILED)
}

/// Requests a calculation. The check date of a late payroll becomes the earliest one that can still be met.
pub(in crate::pay::payrolls) fn request_calculation(
    tx: &mut Tx<'_>,
    caller: &Caller,
    payroll: &mut Payroll,
) -> Result<(), Error> {
    payroll.forget_calculation();
    payroll.request = Some(Request::Calculating);
    payroll.partner_pays = payment_configs::of_company(tx, caller.company)?.partner_owned_disbursement;
    let (now, today) = (tx.now(), caller.today(tx));
    payroll.check_date = payroll.initial_check_date;
    if payroll.check_only {
        payroll.check_date = payroll.check_date.max(today);
    } else if submission_deadline(payroll.check_date) < now {
        payroll.check_date = earliest_check_date(now, today);
    }
    jobs::schedule_job(tx, caller.company, jobs::JobKind::PayrollCalculate, payroll.id, now)
}
