//! Use cases of rehires: planning, changing and canceling the rehire of an employee who has left.
//!
//! Jobs, pay, addresses, certificates, benefits, garnishments and year-to-date totals carry over, because the employer is the same. On the
//! first day back, a job stores the work address and emits the event that the rehire has taken effect.

use jiff::civil::Date;
use rules::employment::Again;
use rules::{Checks, Violation, check};
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use super::commands::{CreateRehire, UpdateRehire};
use super::rows;
use super::{Employment, Rehire};
use crate::access::tokens::Caller;
use crate::company::{companies, locations};
use crate::error::Error;
use crate::events;
use crate::patch::{self, Patch, as_is};
use crate::pay::compensations;
use crate::people::addresses::commands::CreateWorkAddress;
use crate::people::{addresses, employees};
use crate::platform::hooks::EmployeeAspect;
use crate::platform::jobs::JobKind;
use crate::platform::{audit, hooks, jobs};
use crate::records::{Changes, id_of, version_text};

/// Table name of rehires in versions and audit entries.
pub const TABLE: &str = Rehire::TABLE;

/// Employment types of a rehire; any other text is stored as `not_set`.
pub const STATUSES: [&str; 6] =
    ["part_time", "full_time", "part_time_eligible", "variable", "seasonal", "not_set"];

/// Maximum characters of an employment type.
const LONGEST_STATUS: usize = 100;

/// A rehire as of a day.
#[derive(Debug, Clone)]
pub struct Returning {
    /// the record
    pub rehire: Rehire,
    /// whether the first day back has come
    pub active: bool,
    /// what the employee must provide again
    pub again: Vec<Again>,
}

/// Returns the rehire of an employee, if there is one since the last termination.
///
/// # Errors
/// "Not found" if the employee does not exist; a store error.
pub fn get_rehire(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Result<Option<Returning>, Error> {
    let employee = employees::service::find_employee(tx, caller, employee)?.id;
    let held = rows::of_employee(tx, caller.company, employee)?;
    match held.latest_rehire().cloned() {
        Some(rehire) => returning_employee(tx, caller, &held, rehire).map(Some),
        None => Ok(None),
    }
}

fn returning_employee(
    tx: &mut Tx<'_>,
    caller: &Caller,
    held: &Employment,
    rehire: Rehire,
) -> Result<Returning, Error> {
    let pay = compensations::rows::of_employee(tx, caller.company, rehire.employee)?;
    let hired = compensations::rows::start_date(&pay).unwrap_or(rehire.effective_date);
    let left = held.terminations.iter().rev().find(|one| one.effective_date < rehire.effective_date);
    let mut again = left.map_or_else(Vec::new, |left| {
        rules::employment::required_on_rehire(hired, left.effective_date, rehire.effective_date)
    });
    if !compensations::rows::has_terms(&pay) {
        again.extend([Again::Compensation, Again::StateCertificate]);
    }
    Ok(Returning { active: rehire.effective_date <= caller.today(tx), rehire, again })
}

/// Plans the rehire of an employee.
///
/// # Errors
/// "Not found"; 422 for an employee who has not left, has died or has a planned rehire; every violation of the input; a store error.
pub fn create_rehire(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    input: &CreateRehire,
) -> Result<Returning, Error> {
    let employee = employees::service::find_guarded(tx, caller, employee)?.id;
    let (held, today) = (rows::of_employee(tx, caller.company, employee)?, caller.today(tx));
    if let Some(planned) = held.latest_rehire() {
        return Err(Error::from(Violation::invalid_operation(format!(
            "A rehire on {} has already been recorded; update it instead.",
            planned.effective_date
        ))));
    }
    if !held.is_terminated(today) {
        return Err(Error::from(Violation::invalid_operation(
            "Only an employee whose employment has ended can be rehired; cancel the termination instead.",
        )));
    }
    if held.date_of_death().is_some() {
        return Err(Error::from(Violation::invalid_operation(
            "The employment ended with the death of the employee; correct separation of the termination if that is wrong.",
        )));
    }
    let mut rehire = Rehire {
        employee,
        id: tx.new_id(),
        effective_date: today,
        work_location: Uuid::nil(),
        file_new_hire_report: false,
        employment_status: None,
        two_percent_shareholder: None,
        version: 1,
    };
    let mut checks = Checks::new();
    fill_rehire(tx, caller, &held, input, &mut rehire, &mut checks)?;
    checks.finish()?;
    rehire.insert(tx, caller.company)?;
    let what = json!({ "employee": employee, "effective_date": rehire.effective_date.to_string() });
    audit::record_audit_entry(tx, caller, "created", (TABLE, rehire.id), &what)?;
    events::emit_event(tx, caller.company, events::EMPLOYEE_REHIRED, employee)?;
    schedule_rehire(tx, caller, &rehire)?;
    hooks::employee_changed(tx, caller, employee, EmployeeAspect::PlannedReturn)?;
    returning_employee(tx, caller, &held, rehire)
}

/// Updates a rehire that has not taken effect.
///
/// # Errors
/// "Not found"; 409 for a stale version; 422 for a rehire that has taken effect, and for a new date if a submitted payroll already pays
/// from the old one; every violation of the input; a store error.
pub fn update_rehire(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    input: &UpdateRehire,
) -> Result<Returning, Error> {
    let employee = employees::service::find_guarded(tx, caller, employee)?.id;
    let held = rows::of_employee(tx, caller.company, employee)?;
    let before = held.latest_rehire().cloned().ok_or(Error::NotFound)?;
    let mut after = before.clone();
    let mut checks = Checks::new();
    let version = patch::check_version(&input.version, &mut checks);
    fill_rehire(tx, caller, &held, &input.create_command(), &mut after, &mut checks)?;
    checks.finish()?;
    let changes = Changes::from(Rehire::changes(&before, &after));
    changes.expect_version(&version.unwrap_or_default(), version_text(TABLE, before.id, before.version))?;
    if changes.is_empty() {
        return returning_employee(tx, caller, &held, before);
    }
    refuse_active(&before, caller.today(tx))?;
    if before.effective_date != after.effective_date {
        hooks::rehire_to_change(tx, caller, employee, before.effective_date)?;
    }
    assert!(after.update(tx, caller.company)?, "the row was read under its guard");
    audit::record_audit_entry(tx, caller, "updated", (TABLE, before.id), &changes.to_json())?;
    events::emit_event(tx, caller.company, events::EMPLOYEE_UPDATED, employee)?;
    schedule_rehire(tx, caller, &after)?;
    hooks::employee_changed(tx, caller, employee, EmployeeAspect::PlannedReturn)?;
    get_rehire(tx, caller, employee)?.ok_or(Error::NotFound)
}

/// Cancels a rehire that has not taken effect.
///
/// # Errors
/// "Not found" if there is none; 422 if it has taken effect or a submitted payroll already pays from its first day; a store error.
pub fn cancel_rehire(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Result<(), Error> {
    let employee = employees::service::find_guarded(tx, caller, employee)?.id;
    let held = rows::of_employee(tx, caller.company, employee)?;
    let old = held.latest_rehire().ok_or(Error::NotFound)?;
    refuse_active(old, caller.today(tx))?;
    hooks::rehire_to_change(tx, caller, employee, old.effective_date)?;
    assert!(old.delete(tx, caller.company)?, "the row was read under its guard");
    audit::record_audit_entry(tx, caller, "deleted", (TABLE, old.id), &json!({ "employee": employee }))?;
    events::emit_event(tx, caller.company, events::EMPLOYEE_REHIRE_CANCELLED, employee)?;
    jobs::cancel_job(tx, caller.company, JobKind::RehireEffective, old.id)?;
    hooks::employee_changed(tx, caller, employee, EmployeeAspect::PlannedReturn)
}

/// Puts a rehire into effect on the first day back: stores the work address and the 2 % ownership, and emits the event.
pub fn took_effect(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<(), Error> {
    let Some(employee) = rows::who_returns(tx, company, id)? else { return Ok(()) };
    tx.take_guard(company, "employee", employee)?;
    let Some(rehire) = Rehire::find(tx, company, employee, id)? else { return Ok(()) };
    let caller = Caller::for_service(company, companies::time_zone(tx, company)?);
    let day = rehire.effective_date;
    if day > caller.today(tx) {
        return schedule_rehire(tx, &caller, &rehire);
    }
    if addresses::rows::active_work_location(tx, company, employee, day)? != Some(rehire.work_location) {
        let works = CreateWorkAddress {
            location_uuid: Patch::Value(rehire.work_location.to_string()),
            effective_date: Patch::Value(day),
            ..CreateWorkAddress::default()
        };
        addresses::service::create_work(tx, &caller, employee, &works)?;
    }
    if let Some(shareholder) = rehire.two_percent_shareholder {
        compensations::service::set_shareholder(tx, &caller, employee, shareholder)?;
    }
    audit::record_audit_entry(tx, &caller, "took_effect", (TABLE, id), &json!({ "employee": employee }))?;
    events::emit_event(tx, company, events::EMPLOYEE_REHIRE_EFFECTIVE, employee)?;
    hooks::employee_changed(tx, &caller, employee, EmployeeAspect::Employment)
}

/// Sets the fields that were sent. All but the employment type and the 2 % ownership are required each time.
fn fill_rehire(
    tx: &mut Tx<'_>,
    caller: &Caller,
    held: &Employment,
    input: &CreateRehire,
    rehire: &mut Rehire,
    checks: &mut Checks,
) -> Result<(), Error> {
    let before = rehire.effective_date;
    let left = held.terminations.last().map(|one| one.effective_date);
    let later = |key: &str, day: &Date| match left {
        Some(left) if *day <= left => {
            Err(Violation::invalid(key, format!("{key} must be after the last day of work, {left}")))
        }
        _ => Ok(*day),
    };
    rehire.effective_date = input.effective_date.required("effective_date", checks, later).unwrap_or(before);
    let report = input.file_new_hire_report.required("file_new_hire_report", checks, as_is);
    rehire.file_new_hire_report = report.unwrap_or(rehire.file_new_hire_report);
    let location = input.work_location_uuid.required("work_location_uuid", checks, |_, id| Ok(id_of(id)));
    if let Some(location) = location {
        let found = locations::rows::Location::find(tx, caller.company, location)?;
        checks.require(found.is_some(), || {
            let message = "work_location_uuid is not one of the company's locations";
            Violation::invalid("work_location_uuid", message)
        });
        rehire.work_location = location;
    }
    let known = |key: &str, word: &String| {
        let word = check::validate_text(key, word, LONGEST_STATUS)?;
        Ok(Some(STATUSES.into_iter().find(|known| *known == word).unwrap_or("not_set").to_owned()))
    };
    input.employment_status.update_or_clear(
        "employment_status",
        checks,
        known,
        &mut rehire.employment_status,
    );
    let shareholder = |_: &str, flag: &bool| Ok(Some(*flag));
    input.two_percent_shareholder.update_or_clear(
        "two_percent_shareholder",
        checks,
        shareholder,
        &mut rehire.two_percent_shareholder,
    );
    Ok(())
}

fn refuse_active(rehire: &Rehire, today: Date) -> Result<(), Error> {
    if rehire.effective_date > today {
        return Ok(());
    }
    Err(Error::from(Violation::invalid_operation(format!(
        "The employee has been back since {}, so the rehire cannot be cancelled; end the employment with a termination.",
        rehire.effective_date
    ))))
}

fn schedule_rehire(tx: &mut Tx<'_>, caller: &Caller, rehire: &Rehire) -> Result<(), Error> {
    let Ok(due) = rehire.effective_date.to_zoned(caller.zone.clone()) else { return Ok(()) };
    jobs::schedule_job(tx, caller.company, JobKind::RehireEffective, rehire.id, due.timestamp())
}
