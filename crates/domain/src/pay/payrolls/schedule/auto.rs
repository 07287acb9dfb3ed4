//! Payrolls of a schedule with `auto_payroll`: a day before their deadline they are calculated and submitted without
//! anybody's doing, with what was entered until then.
//!
//! One that is skipped goes the same way at once (`service::skip`).
//!
//! Where something stands in the way, the payroll says what, as after a calculation that failed, and waits for
//! somebody.

use jiff::ToSpan;
use serde_json::{Value, json};
use store::{Store, Tx};
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::company::companies;
use crate::error::{Error, violations_json};
use crate::pay::pay_schedules::rows as schedules;
use crate::pay::payrolls::calculation::run;
use crate::pay::payrolls::commands::SubmitPayroll;
use crate::pay::payrolls::rows;
use crate::pay::payrolls::rows::{Payroll, Request};
use crate::pay::payrolls::{TABLE, blockers, deadline, service};
use crate::platform::{audit, jobs};

/// Hours before its deadline at which a payroll is run.
const AHEAD: i64 = 24;

/// Has a payroll run in its time. One whose time has come already is left to people.
///
/// # Errors
/// A store error.
pub fn schedule(tx: &mut Tx<'_>, company: Uuid, payroll: &Payroll) -> Result<(), Error> {
    let due = deadline(payroll.check_date) - AHEAD.hours();
    if due <= tx.now() {
        return Ok(());
    }
    jobs::schedule(tx, company, jobs::Kind::PayrollAuto, payroll.id, due)
}

/// The same for every payroll of a pay schedule that nobody has submitted.
///
/// # Errors
/// A store error.
pub fn schedule_open(tx: &mut Tx<'_>, company: Uuid, of: Uuid) -> Result<(), Error> {
    let open = rows::open_of_schedule(tx, company, of)?;
    open.iter().try_for_each(|payroll| schedule(tx, company, payroll))
}

/// What the first step came to.
enum Readiness {
    /// it is not wanted any more
    No,
    /// what stands in the way, as error items
    Blocked(Value),
    /// it can be calculated
    Yes,
}

/// Runs a payroll whose time has come, if its schedule still says so and nobody was quicker.
///
/// # Errors
/// A store error.
pub async fn run(store: &Store, company: Uuid, payroll: Uuid) -> Result<(), Error> {
    match store.write(move |tx| begin(tx, company, payroll)).await? {
        Readiness::No => return Ok(()),
        Readiness::Blocked(errors) => return run::fail(store, company, payroll, errors).await,
        Readiness::Yes => run::calculate(store, company, payroll).await?,
    }
    match store.write(move |tx| submit(tx, company, payroll)).await {
        // Somebody changed it meanwhile, and knows of it.
        Err(Error::Violations(why)) => {
            tracing::warn!(%company, %payroll, ?why, "a payroll was not submitted by itself");
            Ok(())
        }
        other => other,
    }
}

fn begin(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<Readiness, Error> {
    tx.guard(company, TABLE, id)?;
    let Some(mut one) = rows::find(tx, company, id)? else { return Ok(Readiness::No) };
    let schedule = match one.pay_schedule {
        Some(schedule) => schedules::Schedule::find(tx, company, schedule)?,
        None => None,
    };
    let wanted = schedule.is_some_and(|schedule| schedule.auto_payroll) && !one.off_cycle;
    if !(wanted || one.skipped) || one.submitted_at.is_some() {
        return Ok(Readiness::No);
    }
    let caller = Caller::service(company, companies::time_zone(tx, company)?);
    run::request(tx, &caller, &mut one)?;
    assert!(rows::update(tx, company, &one)?, "the row was read under its guard");
    audit::record(tx, &caller, "calculation_requested", (TABLE, id), &json!({}))?;
    match blockers::refuse_blocked(tx, &caller, one.check_date) {
        Ok(()) => Ok(Readiness::Yes),
        Err(Error::Violations(violations)) => Ok(Readiness::Blocked(violations_json(&violations))),
        Err(error) => Err(error),
    }
}

fn submit(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<(), Error> {
    let caller = Caller::service(company, companies::time_zone(tx, company)?);
    let calculated = service::find(tx, &caller, id)?.request == Some(Request::CalculateSuccess);
    if calculated { service::submit(tx, &caller, id, &SubmitPayroll::default()) } else { Ok(()) }
}
