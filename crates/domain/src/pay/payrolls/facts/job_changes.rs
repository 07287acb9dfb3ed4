//! Payrolls that pay a job that will be deleted, or will start or end on another day.
//!
//! A paycheck has a line of pay for each job that has begun by the end of its pay period. So a job in a submitted payroll cannot be
//! changed, and a calculation is discarded if the jobs of its payroll change.

use jiff::civil::Date;
use rules::Violation;
use rules::days::Days;
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::error::Error;
use crate::pay::payrolls::calendar::regular;
use crate::pay::payrolls::record::inputs::Input;
use crate::pay::payrolls::record::payroll::{Payroll, TABLE};
use crate::pay::payrolls::record::{results, rows};
use crate::people::employment;

/// Prepares for another last day of a job, from which on payrolls pay it otherwise: `changed` is the first day that is paid otherwise, `last` the
/// last day of work, if there is one. The caller holds the employee's guard.
///
/// # Errors
/// 422 if hours or amounts are entered for the job in an open payroll that begins later; a store error.
pub fn job_ends(
    tx: &mut Tx<'_>,
    caller: &Caller,
    (employee, job): (Uuid, Uuid),
    (changed, last): (Date, Option<Date>),
) -> Result<(), Error> {
    let open = rows::unsubmitted_payrolls(tx, caller.company)?;
    // All guards first, as in `job_to_change`.
    for one in &open {
        tx.take_guard(caller.company, TABLE, one.id)?;
    }
    for one in rows::unsubmitted_payrolls(tx, caller.company)?.into_iter().filter(|one| one.end >= changed) {
        if last.is_some_and(|last| one.start > last) {
            refuse_lines(tx, caller, &one, (employee, job))?;
        }
        if let Some(run) = one.run
            && results::find_outcome(tx, caller.company, run, employee)?.is_some()
        {
            regular::forget_calculation(tx, caller, one)?;
        }
    }
    Ok(())
}

/// Refuses a change while hours or amounts are entered for a job in an open payroll.
fn refuse_lines(
    tx: &mut Tx<'_>,
    caller: &Caller,
    one: &Payroll,
    (employee, job): (Uuid, Uuid),
) -> Result<(), Error> {
    let input = Input::find(tx, caller.company, one.id, employee)?;
    if !input.is_some_and(|input| input.entered.has_lines_of(job)) {
        return Ok(());
    }
    let message = format!(
        "Hours or amounts are entered for this job in the payroll of {} to {}; set them to 0 first.",
        one.start, one.end
    );
    let entity = json!({ "entity_type": "Payroll", "entity_uuid": one.id });
    Err(Error::from(Violation::invalid_operation(message).with_metadata(entity)))
}

/// Prepares for a change that removes a job from, or adds it to, payrolls whose periods end in the given range (`from` included, `until`
/// excluded). The caller holds the employee's guard.
///
/// # Errors
/// 422 if the job would begin after a last day of work, if a submitted payroll pays the job, or if hours or amounts are entered for it
/// in an open payroll; a store error.
pub fn job_to_change(
    tx: &mut Tx<'_>,
    caller: &Caller,
    (employee, job): (Uuid, Uuid),
    Days { first: from, last: until }: Days,
) -> Result<(), Error> {
    let departures = employment::rows::of_employee(tx, caller.company, employee)?.terminations;
    let left = departures.iter().find(|one| (from..until).contains(&one.effective_date));
    if let Some(left) = left.filter(|_| until != Date::MAX) {
        let message = format!("hire_date must not be after the last day of work, {}", left.effective_date);
        return Err(Error::from(Violation::invalid("hire_date", message)));
    }
    // All guards first: a calculation or submission that ends concurrently either sees this change, or is seen here.
    for open in rows::unsubmitted_payrolls(tx, caller.company)? {
        tx.take_guard(caller.company, TABLE, open.id)?;
    }
    if results::is_used(tx, caller.company, employee, Days { first: from, last: until })? {
        return Err(Error::from(Violation::invalid_operation(
            "A submitted payroll pays this job; it cannot be deleted, and its hire date cannot change.",
        )));
    }
    for one in rows::unsubmitted_payrolls(tx, caller.company)? {
        if !(from..until).contains(&one.end) {
            continue;
        }
        refuse_lines(tx, caller, &one, (employee, job))?;
        if let Some(run) = one.run
            && results::find_outcome(tx, caller.company, run, employee)?.is_some()
        {
            regular::forget_calculation(tx, caller, one)?;
        }
    }
    Ok(())
}
