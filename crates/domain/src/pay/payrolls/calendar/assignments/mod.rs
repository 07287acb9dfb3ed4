//! Assignment of employees to pay schedules, and changes from one schedule to another.
//!
//! [`AssignmentType`] determines how a company assigns schedules. If all its employees follow one schedule and always have, another
//! schedule replaces it for everybody at once: unsubmitted payrolls of the old one are deleted, and those of the new one begin with its
//! first period without paid days. Otherwise each employee moves or stays, as of the coming pay periods (`rules::payroll::assignment`), and
//! the members of payrolls change accordingly (`plan`, `moves`).
//!
//! The days between the two schedules are a transition, paid by an off-cycle payroll with the reason `Transition from old pay schedule`.

mod input;
mod moves;
mod plan;

use std::collections::BTreeMap;

use jiff::ToSpan;
use rules::Named;
use rules::days::Days;
use rules::payroll::assignment::AssignmentType;
use rules::payroll::schedule::PayPeriod;
use serde_json::json;
use store::Tx;
use uuid::Uuid;

pub use input::{Assign, DepartmentChoice, EmployeeChoice};
pub(in crate::pay::payrolls) use plan::ALL as STATEMENTS;

pub use moves::{delete_schedule_choices, department_deleted, departments_changed, employee_changed};

use crate::access::tokens::Caller;
use crate::error::Error;
use crate::events;
use crate::paging::Page;
use crate::pay::pay_schedules::rows as schedules;
use crate::pay::pay_schedules::rows::Schedule;
use crate::pay::pay_schedules::schedule_spans;
use crate::pay::pay_schedules::schedule_spans::Settings;
use crate::pay::pay_schedules::service::{TABLE, guard_schedules};
use crate::pay::payrolls::calendar::assignments::input::NewAssignments;
use crate::pay::payrolls::calendar::assignments::plan::Plan;
use crate::pay::payrolls::calendar::members::Member;
use crate::pay::payrolls::calendar::{members, regular};
use crate::pay::payrolls::record::payroll::Payroll;
use crate::pay::payrolls::record::rows;
use crate::people::departments;
use crate::platform::audit;

/// A company's assignment of schedules.
#[derive(Debug)]
pub struct Current {
    /// the assignment type, and the company-wide schedules
    pub settings: Settings,
    /// chosen schedules, by employee or department
    pub choices: BTreeMap<Uuid, Uuid>,
}

/// The changes that an assignment would make.
#[derive(Debug)]
pub struct Preview {
    /// the assignment type that would apply
    pub kind: AssignmentType,
    /// the employees whose schedule would change
    pub changes: Vec<EmployeeChange>,
}

/// The change that an assignment would make for an employee.
#[derive(Debug, Clone)]
pub struct EmployeeChange {
    /// the employee
    pub employee: Uuid,
    /// first name
    pub first_name: String,
    /// last name
    pub last_name: String,
    /// the schedule that the employee would follow
    pub schedule: Schedule,
    /// its first period
    pub first: PayPeriod,
    /// the days before that period that belong to no other pay period; `None` if there are none
    pub transition: Option<Days>,
}

/// Returns the company's assignment; `None` while it has no schedule.
pub fn current_assignment(tx: &mut Tx<'_>, caller: &Caller) -> Result<Option<Current>, Error> {
    let Some(everybodys) = schedules::default_of(tx, caller.company)? else { return Ok(None) };
    let settings = schedule_spans::assignment_settings(tx, caller.company)?;
    let choices = schedule_spans::chosen_schedules(tx, caller.company)?;
    Ok(Some(Current { settings: Settings { default: Some(everybodys.id), ..settings }, choices }))
}

/// Returns the changes that an assignment would make, without storing anything.
///
/// # Errors
/// Every violation of the input; a store error.
pub fn preview_assignment(tx: &mut Tx<'_>, caller: &Caller, input: &Assign) -> Result<Preview, Error> {
    let wanted = input.validate_request(tx, caller)?;
    let kind = wanted.settings.kind;
    if is_of_everybody(tx, caller, &wanted)? {
        return Ok(Preview { kind, changes: company_wide_changes(tx, caller, &wanted)? });
    }
    let plan = Plan::of_company(tx, caller, &wanted.settings, &wanted.choices)?;
    Ok(Preview { kind, changes: plan.employee_changes(tx, caller)? })
}

/// Assigns schedules to the company's employees. No-op for employees who already follow theirs.
///
/// # Errors
/// Every violation of the input; 422 naming a payroll that prevents the change; a store error.
pub fn assign_schedules(tx: &mut Tx<'_>, caller: &Caller, input: &Assign) -> Result<(), Error> {
    // Changes to departments take the two guards in the same order.
    if input.r#type.value() == Some(&AssignmentType::ByDepartment) {
        tx.take_guard(caller.company, departments::service::TABLE, caller.company)?;
    }
    guard_schedules(tx, caller.company)?;
    let wanted = input.validate_request(tx, caller)?;
    if is_of_everybody(tx, caller, &wanted)? {
        return change_over(tx, caller, &wanted);
    }
    let plan = Plan::of_company(tx, caller, &wanted.settings, &wanted.choices)?;
    plan.refuse_in_the_way(tx, caller)?;
    let before = (
        schedule_spans::assignment_settings(tx, caller.company)?,
        schedule_spans::chosen_schedules(tx, caller.company)?,
    );
    let decided = before != (wanted.settings, wanted.choices.clone());
    if decided {
        schedule_spans::save_settings(tx, caller.company, &wanted.settings)?;
        schedule_spans::save_choices(tx, caller.company, &wanted.choices)?;
    }
    let touched = plan.store_spans(tx, caller)?;
    let mut told: Vec<Uuid> = touched.keys().copied().collect();
    if decided && told.is_empty() {
        told.extend(wanted.settings.default);
    }
    let everybodys = wanted.settings.default.unwrap_or(caller.company);
    if decided || !touched.is_empty() {
        let change = json!({ "assigned": wanted.settings.kind.as_str(), "moved": plan.count_moves() });
        audit::record_audit_entry(tx, caller, "assigned", (TABLE, everybodys), &change)?;
    }
    for schedule in told {
        events::emit_event(tx, caller.company, events::PAY_SCHEDULE_UPDATED, schedule)?;
    }
    regular::follow_moves(tx, caller, &touched)
}

/// Whether everybody is to follow one schedule in a company that has never had another assignment type.
fn is_of_everybody(tx: &mut Tx<'_>, caller: &Caller, wanted: &NewAssignments) -> Result<bool, Error> {
    let single = wanted.settings.kind == AssignmentType::Single;
    Ok(single && schedule_spans::company_wide_spans(tx, caller.company)?.is_empty())
}

/// Returns the changes when another schedule replaces that of the whole company.
fn company_wide_changes(
    tx: &mut Tx<'_>,
    caller: &Caller,
    wanted: &NewAssignments,
) -> Result<Vec<EmployeeChange>, Error> {
    let schedule = wanted.company_wide_schedule(tx, caller)?;
    let before = schedules::default_of(tx, caller.company)?;
    if before.is_some_and(|before| before.id == schedule.id) {
        return Ok(Vec::new());
    }
    // Only submitted payrolls of the old schedule are kept.
    let paid_until = rows::last_submitted_end(tx, caller.company)?;
    let number = regular::first_period(&schedule, paid_until, caller.today(tx))?;
    let first = schedule.pay_periods()?.period(number);
    let after = paid_until.map(|end| end.saturating_add(1.day()));
    let transition = after
        .filter(|after| *after < first.start)
        .map(|after| Days { first: after, last: first.start.saturating_sub(1.day()) });
    // Everybody who could be paid by a payroll of that period.
    let payroll = Payroll::new(
        (Uuid::nil(), tx.now()),
        Days { first: first.start, last: first.end },
        first.check_date,
        schedule.frequency,
    );
    let change = |member: Member| EmployeeChange {
        employee: member.id,
        first_name: member.first_name,
        last_name: member.last_name,
        schedule: schedule.clone(),
        first,
        transition,
    };
    let members = members::list_members(tx, caller.company, &payroll, &[], Page::Whole)?;
    Ok(members.into_iter().map(change).collect())
}

/// Moves everybody to another schedule at once.
fn change_over(tx: &mut Tx<'_>, caller: &Caller, wanted: &NewAssignments) -> Result<(), Error> {
    let schedule = wanted.company_wide_schedule(tx, caller)?;
    let before = schedules::default_of(tx, caller.company)?;
    let Some(before) = before.filter(|before| before.id != schedule.id) else { return Ok(()) };
    schedule_spans::save_settings(tx, caller.company, &wanted.settings)?;
    let change = json!({ "assigned": [before.id, schedule.id] });
    audit::record_audit_entry(tx, caller, "assigned", (TABLE, schedule.id), &change)?;
    events::emit_event(tx, caller.company, events::PAY_SCHEDULE_UPDATED, schedule.id)?;
    regular::change_over(tx, caller, before.id, &schedule)
}

/// Returns the label of a schedule in the preview: its frequency, and its name if it has one.
pub fn schedule_label(schedule: &Schedule) -> String {
    let frequency = schedule.frequency.as_str();
    schedule.custom_name.as_ref().map_or_else(|| frequency.to_owned(), |name| format!("{frequency}, {name}"))
}
