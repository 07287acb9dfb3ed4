//! Moves employees to another schedule after a change in their records: the pay basis of the primary job, the department, or a hire or
//! rehire.

use std::collections::BTreeSet;

use rules::payroll::assignment::AssignmentType;
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::error::Error;
use crate::events;
use crate::pay::pay_schedules::rows as schedules;
use crate::pay::pay_schedules::schedule_spans;
use crate::pay::pay_schedules::service::guard_schedules;
use crate::pay::payrolls::calendar::assignments::plan::Plan;
use crate::pay::payrolls::calendar::regular;
use crate::people::employees;
use crate::platform::audit;
use crate::platform::hooks::EmployeeAspect;

/// Applies a change to an employee that may move them to another schedule.
///
/// # Errors
/// 422 naming a payroll that prevents the move; a store error.
pub fn employee_changed(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    aspect: EmployeeAspect,
) -> Result<(), Error> {
    let concerned = [EmployeeAspect::StartDate, EmployeeAspect::Compensation, EmployeeAspect::Employment];
    if !concerned.contains(&aspect) || !has_several(tx, caller)? {
        return Ok(());
    }
    // The assignment is read under the guard, so that a concurrent assignment either sees this change or is seen by it.
    guard_schedules(tx, caller.company)?;
    move_one(tx, caller, employee)?;
    if aspect != EmployeeAspect::Employment
        || schedule_spans::company_wide_spans(tx, caller.company)?.is_empty()
    {
        return Ok(());
    }
    // The schedule may lack payrolls because it had no members until now.
    let today = caller.today(tx);
    match schedule_spans::of_employee(tx, caller.company, employee, today)? {
        Some(follows) => regular::go_on(tx, caller, &follows.schedule, today),
        None => Ok(()),
    }
}

/// Applies the move of employees into or out of a department.
///
/// # Errors
/// 422 naming a payroll that prevents the move; a store error.
pub fn departments_changed(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employees: &BTreeSet<Uuid>,
) -> Result<(), Error> {
    if employees.is_empty() || !has_several(tx, caller)? {
        return Ok(());
    }
    guard_schedules(tx, caller.company)?;
    if schedule_spans::assignment_settings(tx, caller.company)?.kind != AssignmentType::ByDepartment {
        return Ok(());
    }
    employees.iter().try_for_each(|employee| move_one(tx, caller, *employee))
}

/// Deletes the schedule chosen for a department that is being deleted.
pub fn department_deleted(tx: &mut Tx<'_>, caller: &Caller, department: Uuid) -> Result<(), Error> {
    delete_schedule_choices(tx, caller, department)
}

/// Deletes the choices for an employee who is being deleted, or for a department.
pub fn delete_schedule_choices(tx: &mut Tx<'_>, caller: &Caller, subject: Uuid) -> Result<(), Error> {
    if !has_several(tx, caller)? {
        return Ok(());
    }
    guard_schedules(tx, caller.company)?;
    schedule_spans::delete_chosen_schedule(tx, caller.company, subject)
}

/// Whether the company has more than one schedule to choose from.
fn has_several(tx: &mut Tx<'_>, caller: &Caller) -> Result<bool, Error> {
    Ok(schedules::of_company(tx, caller.company)?.len() > 1)
}

/// Moves an employee if the records require it.
fn move_one(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Result<(), Error> {
    let settings = schedule_spans::assignment_settings(tx, caller.company)?;
    if !settings.kind.follows_records() {
        return Ok(());
    }
    let plan = Plan::of_employee(tx, caller, &settings, employee)?;
    if plan.count_moves() == 0 {
        return Ok(());
    }
    plan.refuse_in_the_way(tx, caller)?;
    let touched = plan.store_spans(tx, caller)?;
    let moved = json!({ "pay_schedules": touched.keys().collect::<Vec<_>>() });
    audit::record_audit_entry(tx, caller, "schedule_moved", (employees::service::TABLE, employee), &moved)?;
    for schedule in touched.keys() {
        events::emit_event(tx, caller.company, events::PAY_SCHEDULE_UPDATED, *schedule)?;
    }
    regular::follow_moves(tx, caller, &touched)
}
