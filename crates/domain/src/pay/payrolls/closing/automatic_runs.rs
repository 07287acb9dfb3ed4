//! Payrolls of a schedule with `auto_payroll`: a day before their deadline they are calculated and submitted automatically, with the data
//! entered until then.
//!
//! A skipped payroll is calculated and submitted the same way, but at once (`service::skip`).
//!
//! If something blocks a payroll, it reports the reason, as after a failed calculation, and waits for a person to act.

use serde_json::{Value, json};
use store::{Store, Tx};
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::company::companies;
use crate::error::{Error, violations_json};
use crate::pay::pay_schedules::rows as schedules;
use crate::pay::payrolls::calendar::regular::schedule_automatic_run;
use crate::pay::payrolls::closing::lifecycle;
use crate::pay::payrolls::record::commands::SubmitPayroll;
use crate::pay::payrolls::record::payroll::{Request, TABLE};
use crate::pay::payrolls::record::rows;
use crate::pay::payrolls::run::calculation;
use crate::pay::payrolls::service::blockers;
use crate::pay::payrolls::service::details;
use crate::platform::audit;

/// Calls [`schedule_automatic_run`] for every unsubmitted payroll of a pay schedule.
pub fn schedule_open(tx: &mut Tx<'_>, company: Uuid, of: Uuid) -> Result<(), Error> {
    let open = rows::open_of_schedule(tx, company, of)?;
    open.iter().try_for_each(|payroll| schedule_automatic_run(tx, company, payroll))
}

/// The result of the first step.
enum Readiness {
    /// the payroll is no longer to be run
    No,
    /// the blockers, as error items
    Blocked(Value),
    /// the payroll can be calculated
    Yes,
}

/// Runs a payroll that is due, if its schedule still has `auto_payroll` or it was skipped, and it is not submitted yet.
pub async fn run_payroll(store: &Store, company: Uuid, payroll: Uuid) -> Result<(), Error> {
    match store.write(move |tx| begin_run(tx, company, payroll)).await? {
        Readiness::No => return Ok(()),
        Readiness::Blocked(errors) => {
            return calculation::store_calculation_errors(store, company, payroll, errors).await;
        }
        Readiness::Yes => calculation::calculate_payroll(store, company, payroll).await?,
    }
    match store.write(move |tx| submit_calculated(tx, company, payroll)).await {
        // Somebody changed the payroll in the meantime, and knows about it.
        Err(Error::Violations(why)) => {
            tracing::warn!(%company, %payroll, ?why, "a payroll could not be submitted automatically");
            Ok(())
        }
        other => other,
    }
}

fn begin_run(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<Readiness, Error> {
    tx.take_guard(company, TABLE, id)?;
    let Some(mut one) = rows::find_payroll(tx, company, id)? else { return Ok(Readiness::No) };
    let schedule = match one.pay_schedule {
        Some(schedule) => schedules::Schedule::find(tx, company, schedule)?,
        None => None,
    };
    let wanted = schedule.is_some_and(|schedule| schedule.auto_payroll) && !one.off_cycle;
    if !(wanted || one.skipped) || one.submitted_at.is_some() {
        return Ok(Readiness::No);
    }
    let caller = Caller::for_service(company, companies::time_zone(tx, company)?);
    calculation::request_calculation(tx, &caller, &mut one)?;
    assert!(rows::update_payroll(tx, company, &one)?, "the row was read under its guard");
    audit::record_audit_entry(tx, &caller, "calculation_requested", (TABLE, id), &json!({}))?;
    match blockers::refuse_blocked(tx, &caller, one.check_date) {
        Ok(()) => Ok(Readiness::Yes),
        Err(Error::Violations(violations)) => Ok(Readiness::Blocked(violations_json(&violations))),
        Err(error) => Err(error),
    }
}

fn submit_calculated(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<(), Error> {
    let caller = Caller::for_service(company, companies::time_zone(tx, company)?);
    let calculated = details::find_payroll(tx, &caller, id)?.request == Some(Request::CalculateSuccess);
    if calculated { lifecycle::submit_payroll(tx, &caller, id, &SubmitPayroll::default()) } else { Ok(()) }
}
