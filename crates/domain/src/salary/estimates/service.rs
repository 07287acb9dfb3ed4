//! Use cases of estimates. Every change takes the guard of the employee first: whether there is an open estimate, and
//! whether it is still open, is decided under it.

use rules::{Amount, Checks, Violation};
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use super::check;
use super::check::Tables;
use super::commands::{AcceptEstimate, EstimateSalary};
use super::rows;
use super::rows::Estimate;
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::pay::compensations;
use crate::people::employees;
use crate::platform::audit;
use crate::records::{Changes, id_of};

/// Table of estimates, in audit entries.
pub const TABLE: &str = "salary_estimates";

/// The estimate.
///
/// # Errors
/// "Not found"; a store error.
pub fn find_estimate(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<Estimate, Error> {
    rows::find_estimate(tx, caller.company, id)?.ok_or(Error::NotFound)
}

/// The estimate under the guard of its employee, if it is not accepted yet.
fn find_open(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<Estimate, Error> {
    // The employee of an estimate never changes, so it can be read before the guard is taken.
    let employee = find_estimate(tx, caller, id)?.employee;
    employees::service::find_guarded(tx, caller, employee)?;
    let estimate = find_estimate(tx, caller, id)?;
    if estimate.accepted_at.is_some() {
        return Err(settled_error());
    }
    Ok(estimate)
}

fn settled_error() -> Error {
    let message = "The salary estimate was accepted and can no longer be changed; create a new one instead.";
    Error::Settled(Violation::invalid_operation(message))
}

/// Creates an estimate, unless the employee has an open one.
///
/// # Errors
/// "Not found"; every violation; a store error.
pub fn create_estimate(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    tables: &Tables,
    input: &EstimateSalary,
) -> Result<Estimate, Error> {
    employees::service::find_guarded(tx, caller, employee)?;
    let checked = check::check_estimate(tables, input)?;
    if let Some(open) = rows::find_open_estimate(tx, caller.company, employee)? {
        let message = "The employee has a salary estimate that is not accepted yet: update or accept it.";
        let metadata = json!({ "entity_type": "SalaryEstimate", "entity_uuid": open });
        return Err(Error::from(Violation::invalid_operation(message).with_metadata(metadata)));
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
    rows::insert_estimate(tx, caller.company, &new)?;
    let changes = json!({ "result": [null, new.result.to_text(2)], "vintage": [null, new.basis.vintage] });
    audit::record_audit_entry(tx, caller, "created", (TABLE, id), &changes)?;
    Ok(new)
}

/// Updates an open estimate, with the newest data.
///
/// # Errors
/// "Not found"; 409 if it was accepted; every violation; a store error.
pub fn update_estimate(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    tables: &Tables,
    input: &EstimateSalary,
) -> Result<Estimate, Error> {
    let before = find_open(tx, caller, id)?;
    let checked = check::check_estimate(tables, input)?;
    let mut after = Estimate {
        revenue: checked.revenue.unwrap_or(before.revenue),
        zip_code: checked.zip_code,
        result: checked.result,
        basis: checked.basis,
        updated_at: tx.now(),
        ..before.clone()
    };
    let mut changes = Changes::new();
    changes.record_difference("zip_code", &before.zip_code, &after.zip_code);
    changes.record_difference("result", &before.result.to_text(2), &after.result.to_text(2));
    changes.record_difference("vintage", &before.basis.vintage, &after.basis.vintage);
    if !rows::update_estimate(tx, caller.company, &after)? {
        return Err(settled_error());
    }
    after.version += 1;
    audit::record_audit_entry(tx, caller, "updated", (TABLE, id), &changes.to_json())?;
    Ok(after)
}

/// Accepts an open estimate for the given job or, by default, the employee's primary job, if any.
///
/// The figure that is accepted is the one of the newest data. If newer data than the estimate's lead to another figure, nothing is
/// accepted: acceptance is permanent, and nobody has seen the other figure yet.
///
/// # Errors
/// "Not found"; 409 if it was accepted, or with both figures if it has to be updated first; 422 if the job is not the
/// employee's; a store error.
pub fn accept_estimate(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    tables: &Tables,
    input: &AcceptEstimate,
) -> Result<Estimate, Error> {
    let mut estimate = find_open(tx, caller, id)?;
    let pay = compensations::rows::of_employee(tx, caller.company, estimate.employee)?;
    let mut checks = Checks::new();
    let named = input.employee_job_uuid.optional("employee_job_uuid", &mut checks, |key, text| {
        let job = pay.find_job(id_of(text)).map(|job| job.id);
        job.ok_or_else(|| Violation::invalid(key, format!("{key} must be a job of this employee")))
    });
    checks.finish()?;
    match check::renew_basis(tables, &estimate.zip_code, &estimate.basis)? {
        Some((basis, result)) if result == estimate.result => estimate.basis = basis,
        newest => return Err(outdated_error(&estimate, tables, newest.map(|(_, result)| result))),
    }
    let job = named.or_else(|| pay.primary_job().map(|job| job.id));
    let now = tx.now();
    (estimate.job, estimate.accepted_at, estimate.updated_at) = (job, Some(now), now);
    if !rows::update_estimate(tx, caller.company, &estimate)? {
        return Err(settled_error());
    }
    estimate.version += 1;
    let changes = json!({ "employee_job_uuid": [null, job], "result": [null, estimate.result.to_text(2)],
                          "vintage": [null, estimate.basis.vintage] });
    audit::record_audit_entry(tx, caller, "accepted", (TABLE, id), &changes)?;
    Ok(estimate)
}

/// The refusal of an estimate that newer data would change; `newest` is `None` if they have no figure for it.
fn outdated_error(estimate: &Estimate, tables: &Tables, newest: Option<Amount>) -> Error {
    let (before, vintage) = (estimate.result.to_text(2), tables.vintage());
    let now = match newest {
        Some(result) => format!("comes to {} a year", result.to_text(2)),
        None => "is no longer possible with its ZIP code and occupations".to_owned(),
    };
    let message = format!(
        "Wage statistics of {vintage} were imported after this estimate of {before} a year was made; with them it {now}. \
         Update it first, then accept it."
    );
    let metadata = json!({
        "result": estimate.result.cents_half_up(),
        "vintage": estimate.basis.vintage,
        "newest_result": newest.map(Amount::cents_half_up),
        "newest_vintage": vintage,
    });
    Error::Settled(Violation::invalid_operation(message).with_metadata(metadata))
}

/// Deletes the estimates of an employee who is being deleted.
pub fn delete_estimates(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Result<(), Error> {
    rows::delete_estimates(tx, caller.company, employee)
}
