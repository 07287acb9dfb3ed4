//! Use cases of employment: terminating it, and changing or canceling the termination.
//!
//! Every change first takes the employee's guard. On the day after the last day of work, a job emits the event that the
//! termination has taken effect.

use jiff::ToSpan;
use jiff::civil::Date;
use rules::dated::Dated;
use rules::employment::Departure;
use rules::final_pay::{FinalPayRule, FinalPayTable, Separation};
use rules::{Checks, Violation, check, effective};
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use super::commands::{CreateTermination, UpdateTermination};
use super::rows;
use super::{Employment, Rehire, Termination};
use crate::access::tokens::Caller;
use crate::company::companies;
use crate::error::Error;
use crate::events;
use crate::patch::{self, as_is, some};
use crate::pay::compensations;
use crate::pay::pay_schedules::schedule_spans;
use crate::people::{addresses, employees};
use crate::platform::hooks::EmployeeAspect;
use crate::platform::jobs::JobKind;
use crate::platform::law;
use crate::platform::{audit, hooks, jobs};
use crate::records::{Changes, version_text};

/// Table name of terminations in versions and audit entries.
pub const TABLE: &str = Termination::TABLE;

/// A termination as of a day.
#[derive(Debug, Clone)]
pub struct Standing {
    /// the record
    pub termination: Termination,
    /// whether it has taken effect
    pub active: bool,
    /// whether it can be canceled
    pub cancelable: bool,
    /// the due date of the final wages, if it was looked up (`payrolls::calendar::last_wages`)
    pub final_wages: Option<FinalWages>,
}

/// The due date of the final wages.
#[derive(Debug, Clone)]
pub struct FinalWages {
    /// the rule of the work state
    pub rule: FinalPayRule,
    /// the due date
    pub due_on: Date,
}

impl Standing {
    /// Returns the termination as of a day.
    pub fn as_of_day(termination: Termination, today: Date) -> Self {
        Self {
            active: termination.is_active(today),
            cancelable: termination.is_cancelable(today),
            final_wages: None,
            termination,
        }
    }
}

/// Returns the termination of the employee's current employment, if there is one.
///
/// # Errors
/// "Not found"; a store error.
pub fn list_terminations(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Result<Vec<Standing>, Error> {
    let employee = employees::service::find_employee(tx, caller, employee)?.id;
    let (held, today) = (rows::of_employee(tx, caller.company, employee)?, caller.today(tx));
    let Some(one) = held.current_termination(today).cloned() else { return Ok(Vec::new()) };
    Ok(vec![Standing::as_of_day(one, today)])
}

/// Returns the termination of an employee's current employment, by the employee's id or its own.
///
/// # Errors
/// "Not found" without a termination; a store error.
pub fn get_termination(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<Standing, Error> {
    let employee = employee_of(tx, caller, id)?;
    list_terminations(tx, caller, employee)?.pop().ok_or(Error::NotFound)
}

/// Returns the due date of the final wages under the law of the work state; `None` without a work address or a pay schedule. `payday` is
/// the regular pay date for the last day of work, by default the one that the pay schedule gives today.
pub fn final_wages(
    tx: &mut Tx<'_>,
    company: Uuid,
    one: &Termination,
    payday: Option<Date>,
) -> Result<Option<FinalWages>, Error> {
    let last_day = one.effective_date;
    let works = addresses::rows::work_addresses(tx, company, one.employee)?;
    let work = effective::active_record(&works, last_day, |work| work.address.effective_date);
    let table = law::in_force::<Dated<FinalPayTable>>(tx)?;
    let rule = work.and_then(|work| table.edition_on(last_day).rule_of_state(&work.state)).cloned();
    let follows = schedule_spans::of_employee(tx, company, one.employee, last_day)?;
    let (Some(rule), Some(follows)) = (rule, follows) else { return Ok(None) };
    let payday = match payday {
        Some(payday) => payday,
        None => follows.period_of(last_day)?.check_date,
    };
    Ok(Some(FinalWages { due_on: rule.due_on(one.separation, last_day, payday), rule }))
}

/// Returns the employee of the termination with this id; without one, the id is the employee's own.
fn employee_of(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<Uuid, Error> {
    Ok(rows::who_leaves(tx, caller.company, id)?.unwrap_or(id))
}

/// Ends an employment.
///
/// # Errors
/// "Not found"; 422 for an employee who has no job or already has a termination, and for a day before the employment;
/// a store error.
pub fn create_termination(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    input: &CreateTermination,
) -> Result<Standing, Error> {
    let employee = employees::service::find_guarded(tx, caller, employee)?.id;
    let (held, today) = (rows::of_employee(tx, caller.company, employee)?, caller.today(tx));
    if let Some(ends) = held.current_termination(today) {
        return Err(Error::from(Violation::invalid_operation(format!(
            "The employment already ends on {}; update that termination, or rehire the employee.",
            ends.effective_date
        ))));
    }
    let first = first_day(tx, caller, employee, &held)?;
    let mut checks = Checks::new();
    let last_day = input
        .effective_date
        .required("effective_date", &mut checks, |key, day| check_last_day_in_employment(key, *day, first));
    let apart = input.run_termination_payroll.optional("run_termination_payroll", &mut checks, as_is);
    let separation = input.separation.optional("separation", &mut checks, as_is);
    let new_employer = input.new_employer.optional("new_employer", &mut checks, check_new_employer).flatten();
    checks.finish()?;
    let termination = Termination {
        employee,
        id: tx.new_id(),
        effective_date: last_day.unwrap_or(today),
        run_termination_payroll: apart.unwrap_or(false),
        separation,
        new_employer,
        version: 1,
    };
    termination.insert(tx, caller.company)?;
    let what = json!({ "employee": employee, "effective_date": termination.effective_date.to_string() });
    audit::record_audit_entry(tx, caller, "created", (TABLE, termination.id), &what)?;
    events::emit_event(tx, caller.company, events::EMPLOYEE_TERMINATED, employee)?;
    schedule_termination(tx, caller, &termination)?;
    hooks::employee_changed(tx, caller, employee, EmployeeAspect::Employment)?;
    Ok(Standing::as_of_day(termination, today))
}

/// Changes the last day of work, how the final wages are paid, the reason or the new employer.
///
/// # Errors
/// "Not found"; 409 for a stale version; 422 for changing more than the reason and the new employer once the termination
/// has taken effect or a payroll depends on it; every violation of the input; a store error.
pub fn update_termination(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    input: &UpdateTermination,
) -> Result<Standing, Error> {
    let employee = employee_of(tx, caller, id)?;
    let (held, today) = lock_employment(tx, caller, employee)?;
    let before = held.current_termination(today).cloned().ok_or(Error::NotFound)?;
    let mut earlier = held;
    earlier.terminations.pop();
    let first = first_day(tx, caller, employee, &earlier)?;
    let mut after = before.clone();
    let mut checks = Checks::new();
    let version = patch::check_version(&input.version, &mut checks);
    let last_day = input
        .effective_date
        .required("effective_date", &mut checks, |key, day| check_last_day_in_employment(key, *day, first));
    after.effective_date = last_day.unwrap_or(before.effective_date);
    let apart = "run_termination_payroll";
    input.run_termination_payroll.update(apart, &mut checks, as_is, &mut after.run_termination_payroll);
    input.separation.update_or_clear("separation", &mut checks, some, &mut after.separation);
    input.new_employer.update_or_clear(
        "new_employer",
        &mut checks,
        check_new_employer,
        &mut after.new_employer,
    );
    checks.finish()?;
    let changes = Changes::from(Termination::changes(&before, &after));
    changes.expect_version(&version.unwrap_or_default(), version_text(TABLE, before.id, before.version))?;
    if changes.is_empty() {
        return Ok(Standing::as_of_day(before, today));
    }
    if before.is_active(today) && !only_separation(&before, &after) {
        return Err(Error::from(Violation::invalid_operation(format!(
            "The employment ended on {}, so its termination can no longer be changed; rehire the employee.",
            before.effective_date
        ))));
    }
    if !only_separation(&before, &after) {
        hooks::termination_to_change(tx, caller, employee, before.departure(), Some(after.departure()))?;
    }
    assert!(after.update(tx, caller.company)?, "the row was read under its guard");
    audit::record_audit_entry(tx, caller, "updated", (TABLE, before.id), &changes.to_json())?;
    events::emit_event(tx, caller.company, events::EMPLOYEE_UPDATED, employee)?;
    schedule_termination(tx, caller, &after)?;
    hooks::employee_changed(tx, caller, employee, EmployeeAspect::Employment)?;
    get_termination(tx, caller, employee)
}

/// Corrects the last day of an employee who left before the company used the service, as no payroll depends on it.
///
/// # Errors
/// "Not found" without a termination; a violation for an employee who was rehired; a store error.
pub fn correct_last_day(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    last_day: Date,
) -> Result<(), Error> {
    let (mut held, _) = lock_employment(tx, caller, employee)?;
    if !held.rehires.is_empty() {
        return Err(Error::from(Violation::invalid_operation(
            "The employee was rehired, so the earlier employment can no longer be changed.",
        )));
    }
    let before = held.terminations.pop().ok_or(Error::NotFound)?;
    let after = Termination { effective_date: last_day, ..before.clone() };
    let changes = Changes::from(Termination::changes(&before, &after));
    if changes.is_empty() {
        return Ok(());
    }
    assert!(after.update(tx, caller.company)?, "the row was read under its guard");
    audit::record_audit_entry(tx, caller, "updated", (TABLE, before.id), &changes.to_json())?;
    events::emit_event(tx, caller.company, events::EMPLOYEE_UPDATED, employee)?;
    hooks::employee_changed(tx, caller, employee, EmployeeAspect::Employment)
}

/// Cancels a termination, so that the employment continues.
///
/// # Errors
/// "Not found" without a termination; 422 if it cannot be canceled; a store error.
pub fn cancel_termination(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Result<(), Error> {
    let (held, today) = lock_employment(tx, caller, employee)?;
    let old = held.current_termination(today).ok_or(Error::NotFound)?;
    if !old.is_cancelable(today) {
        let why = if old.effective_date > today {
            "A termination payroll was requested: set run_termination_payroll to false first."
        } else {
            "A termination can be cancelled until the day before its effective_date; rehire the employee instead."
        };
        return Err(Error::from(Violation::invalid_operation(why)));
    }
    hooks::termination_to_change(tx, caller, employee, old.departure(), None)?;
    assert!(old.delete(tx, caller.company)?, "the row was read under its guard");
    audit::record_audit_entry(tx, caller, "deleted", (TABLE, old.id), &json!({ "employee": employee }))?;
    events::emit_event(tx, caller.company, events::EMPLOYEE_TERMINATION_CANCELLED, employee)?;
    jobs::cancel_job(tx, caller.company, JobKind::TerminationEffective, old.id)?;
    hooks::employee_changed(tx, caller, employee, EmployeeAspect::Employment)
}

/// Emits the event that a termination has taken effect, or reschedules the job if the day was changed.
pub fn took_effect(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<(), Error> {
    let Some(employee) = rows::who_leaves(tx, company, id)? else { return Ok(()) };
    tx.take_guard(company, "employee", employee)?;
    let Some(termination) = Termination::find(tx, company, employee, id)? else { return Ok(()) };
    let caller = Caller::for_service(company, companies::time_zone(tx, company)?);
    if !termination.is_active(caller.today(tx)) {
        return schedule_termination(tx, &caller, &termination);
    }
    audit::record_audit_entry(tx, &caller, "took_effect", (TABLE, id), &json!({ "employee": employee }))?;
    events::emit_event(tx, company, events::EMPLOYEE_TERMINATED_EFFECTIVE, employee)?;
    hooks::employment_ended(tx, &caller, employee)?;
    hooks::employee_changed(tx, &caller, employee, EmployeeAspect::Employment)
}

/// Deletes the records of an employee who is being deleted.
pub fn delete_employment_records(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Result<(), Error> {
    let held = rows::of_employee(tx, caller.company, employee)?;
    for termination in held.terminations {
        jobs::cancel_job(tx, caller.company, JobKind::TerminationEffective, termination.id)?;
    }
    for rehire in held.rehires {
        jobs::cancel_job(tx, caller.company, JobKind::RehireEffective, rehire.id)?;
    }
    rows::delete_employment_records(tx, caller.company, employee)
}

/// Maximum characters of the new employer's name.
const EMPLOYER: usize = 200;

#[expect(clippy::ptr_arg, reason = "has the shape of every other check")]
fn check_new_employer(key: &str, name: &String) -> Result<Option<String>, Violation> {
    check::optional_text(key, Some(name), EMPLOYER)
}

/// Whether nothing but the reason and the new employer differs, which are often added later.
fn only_separation(before: &Termination, after: &Termination) -> bool {
    (before.effective_date, before.run_termination_payroll)
        == (after.effective_date, after.run_termination_payroll)
}

/// Returns the periods of employment of an employee, earliest first.
///
/// # Errors
/// "Not found"; a store error.
pub fn employment_history(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
) -> Result<Vec<EmploymentSpan>, Error> {
    let employee = employees::service::find_employee(tx, caller, employee)?.id;
    let pay = compensations::rows::of_employee(tx, caller.company, employee)?;
    let Some(job) = pay.primary_job() else { return Ok(Vec::new()) };
    let held = rows::of_employee(tx, caller.company, employee)?;
    let stretches = held.employment_spans(job.hire_date).into_iter().map(|span| {
        let rehire = held.rehires.iter().find(|rehire| rehire.effective_date == span.first).cloned();
        let ended = |end: &Departure| held.terminations.iter().find(|one| one.effective_date == end.last_day);
        EmploymentSpan {
            separation: span.end.as_ref().and_then(ended).and_then(|one| one.separation),
            first: span.first,
            last: span.end.map(|end| end.last_day),
            two_percent_shareholder: job.two_percent_shareholder,
            rehire,
        }
    });
    Ok(stretches.collect())
}

/// A period of employment.
#[derive(Debug, Clone)]
pub struct EmploymentSpan {
    /// first day
    pub first: Date,
    /// last day of work, if it ends
    pub last: Option<Date>,
    /// the reason for the termination; `None` without a termination, or if not given
    pub separation: Option<Separation>,
    /// whether the employee owns more than 2 % of an S corporation
    pub two_percent_shareholder: bool,
    /// the rehire that began it; `None` for the first period
    pub rehire: Option<Rehire>,
}

/// Takes the employee's guard and returns the terminations and rehires, and today.
fn lock_employment(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Result<(Employment, Date), Error> {
    let employee = employees::service::find_guarded(tx, caller, employee)?.id;
    Ok((rows::of_employee(tx, caller.company, employee)?, caller.today(tx)))
}

/// Returns the first day of the employment that a termination would end.
fn first_day(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid, held: &Employment) -> Result<Date, Error> {
    let pay = compensations::rows::of_employee(tx, caller.company, employee)?;
    let Some(hired) = compensations::rows::start_date(&pay) else {
        return Err(Error::from(Violation::invalid_operation(
            "The employee has no job, so there is no employment to end; delete the employee instead.",
        )));
    };
    Ok(held.employment_spans(hired).last().map_or(hired, |span| span.first))
}

fn check_last_day_in_employment(key: &str, day: Date, first: Date) -> Result<Date, Violation> {
    if day < first {
        let message = format!("{key} must not be before the first day of the employment, {first}");
        return Err(Violation::invalid(key, message));
    }
    Ok(day)
}

/// Schedules the job for the start of the day after the last day of work.
fn schedule_termination(tx: &mut Tx<'_>, caller: &Caller, termination: &Termination) -> Result<(), Error> {
    let day = termination.effective_date.saturating_add(1.day());
    let Ok(due) = day.to_zoned(caller.zone.clone()) else { return Ok(()) };
    jobs::schedule_job(tx, caller.company, JobKind::TerminationEffective, termination.id, due.timestamp())
}
