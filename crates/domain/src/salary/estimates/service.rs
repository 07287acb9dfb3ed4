//! What can be done with estimates. They belong to an employee, whose guard every change takes first: whether there is
//! an open estimate, and whether one is still open, is decided under it.

use rules::{Checks, Violation};
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use super::input;
use super::input::Tables;
use super::rows;
use super::rows::Estimate;
use super::view;
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::pay::compensations;
use crate::people::employees;
use crate::platform::audit;
use crate::records::{Changes, id_of};
use crate::salary::estimates::shapes::{AcceptInput, EstimateInput, SalaryEstimate};

/// Table of estimates, in audit entries.
pub const TABLE: &str = "salary_estimates";

/// An estimate, or "not found".
///
/// # Errors
/// "Not found"; a store error.
pub fn find(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<Estimate, Error> {
    rows::find(tx, caller.company, id)?.ok_or(Error::NotFound)
}

/// As it was under the employee's guard; an accepted one is refused.
fn find_open(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<Estimate, Error> {
    // An estimate stays its employee's, so that is known before the guard.
    let employee = find(tx, caller, id)?.employee;
    employees::service::find_guarded(tx, caller, employee)?;
    let estimate = find(tx, caller, id)?;
    if estimate.accepted_at.is_some() {
        return Err(settled());
    }
    Ok(estimate)
}

fn settled() -> Error {
    let message = "The salary estimate was accepted and can no longer be changed; make a new one instead.";
    Error::Settled(Violation::operation(message))
}

/// Reads an estimate.
///
/// # Errors
/// "Not found"; a store error.
pub fn get(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<SalaryEstimate, Error> {
    Ok(view::estimate(&find(tx, caller, id)?, &caller.zone))
}

/// Makes an estimate, unless there is an open one.
///
/// # Errors
/// "Not found"; every violation; a store error.
pub fn create(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    tables: &Tables,
    input: &EstimateInput,
) -> Result<SalaryEstimate, Error> {
    employees::service::find_guarded(tx, caller, employee)?;
    let checked = input::check(tables, input)?;
    if let Some(open) = rows::open(tx, caller.company, employee)? {
        let message =
            "The employee has a salary estimate that is not accepted yet: change or accept that one.";
        let metadata = json!({ "entity_type": "SalaryEstimate", "entity_uuid": open });
        return Err(Error::from(Violation::operation(message).with_metadata(metadata)));
    }
    let (id, now) = (tx.new_id(), tx.now());
    let new = Estimate {
        id,
        employee,
        job: None,
        revenue: checked.revenue.flatten(),
        zip_code: checked.zip_code,
        result: checked.result,
        basis: checked.basis,
        accepted_at: None,
        version: 1,
        created_at: now,
        updated_at: now,
    };
    rows::insert(tx, caller.company, &new)?;
    let told = json!({ "result": [null, new.result.to_text(2)], "vintage": [null, new.basis.vintage] });
    audit::record(tx, caller, "created", (TABLE, id), &told)?;
    Ok(view::estimate(&new, &caller.zone))
}

/// Changes an open estimate, with the newest data.
///
/// # Errors
/// "Not found"; 409 where it was accepted; every violation; a store error.
pub fn update(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    tables: &Tables,
    input: &EstimateInput,
) -> Result<SalaryEstimate, Error> {
    let before = find_open(tx, caller, id)?;
    let checked = input::check(tables, input)?;
    let mut after = Estimate {
        revenue: checked.revenue.unwrap_or(before.revenue),
        zip_code: checked.zip_code,
        result: checked.result,
        basis: checked.basis,
        updated_at: tx.now(),
        ..before.clone()
    };
    let mut changes = Changes::new();
    changes.note("zip_code", &before.zip_code, &after.zip_code);
    changes.note("result", &before.result.to_text(2), &after.result.to_text(2));
    changes.note("vintage", &before.basis.vintage, &after.basis.vintage);
    if !rows::update(tx, caller.company, &after)? {
        return Err(settled());
    }
    after.version += 1;
    audit::record(tx, caller, "updated", (TABLE, id), &changes.to_json())?;
    Ok(view::estimate(&after, &caller.zone))
}

/// Settles an open estimate for a job: the one that is named, or else the primary one, if there is any.
///
/// # Errors
/// "Not found"; 409 where it was accepted; 422 where the job is not the employee's; a store error.
pub fn accept(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    input: &AcceptInput,
) -> Result<SalaryEstimate, Error> {
    let mut estimate = find_open(tx, caller, id)?;
    let pay = compensations::rows::of_employee(tx, caller.company, estimate.employee)?;
    let mut checks = Checks::new();
    let named = input.employee_job_uuid.optional("employee_job_uuid", &mut checks, |key, text| {
        let job = pay.job(id_of(text)).map(|job| job.id);
        job.ok_or_else(|| Violation::invalid(key, format!("{key} must be a job of this employee")))
    });
    checks.finish()?;
    let job = named.or_else(|| pay.primary().map(|job| job.id));
    let now = tx.now();
    if !rows::accept(tx, caller.company, &estimate, job, now)? {
        return Err(settled());
    }
    (estimate.job, estimate.accepted_at, estimate.updated_at) = (job, Some(now), now);
    let told = json!({ "employee_job_uuid": [null, job], "result": [null, estimate.result.to_text(2)] });
    audit::record(tx, caller, "accepted", (TABLE, id), &told)?;
    Ok(view::estimate(&estimate, &caller.zone))
}

/// Deletes the estimates of an employee who is deleted.
///
/// # Errors
/// A store error.
pub fn forget(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Result<(), Error> {
    rows::delete(tx, caller.company, employee)
}
