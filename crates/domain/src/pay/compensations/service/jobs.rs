//! Use cases of jobs.

use jiff::ToSpan;
use jiff::civil::Date;
use returns::occupations::TippedOccupations;
use rules::compensation::{FlsaStatus, PaymentUnit};
use rules::days::Days;
use rules::{Amount, Checks, Violation, check};
use store::Tx;
use uuid::Uuid;

use super::{COMPENSATIONS, JOBS, TITLE, bars_several_jobs, find_job, find_job_guarded, in_words};
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::events;
use crate::paging::{Listed, Page};
use crate::patch::{self, as_is, some};
use crate::pay::compensations::commands::{CreateJob, UpdateJob};
use crate::pay::compensations::rows;
use crate::pay::compensations::rows::{Compensation, Job, Pay};
use crate::people::employees;
use crate::platform::audit;
use crate::platform::hooks;
use crate::platform::hooks::EmployeeAspect;
use crate::records::{Changes, room_for, version_text};

/// Maximum characters of a workers' compensation class code; those of states have four to seven.
const CLASS_CODE: usize = 20;
/// Maximum number of jobs of an employee.
const MOST: usize = 20;

/// A job with all jobs and pay of its employee.
#[derive(Debug, Clone)]
pub struct JobDetails {
    /// the job
    pub job: Job,
    /// jobs and pay of the employee
    pub pay: Pay,
    /// the company's current date, which determines current compensations
    pub today: Date,
}

/// Jobs of an employee.
#[derive(Debug)]
pub struct JobList {
    /// the jobs of the page
    pub jobs: Listed<Job>,
    /// all jobs and pay of the employee
    pub pay: Pay,
    /// the company's current date, which determines current compensations
    pub today: Date,
}

/// Returns a page of the employee's jobs, the primary one first.
///
/// # Errors
/// "Not found"; a store error.
pub fn list_jobs(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid, page: Page) -> Result<JobList, Error> {
    employees::service::find_employee(tx, caller, employee)?;
    let pay = rows::of_employee(tx, caller.company, employee)?;
    Ok(JobList { jobs: Listed::slice(page, pay.jobs.clone()), pay, today: caller.today(tx) })
}

/// Returns a job.
///
/// # Errors
/// "Not found"; a store error.
pub fn job_details(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<JobDetails, Error> {
    let (job, pay) = find_job(tx, caller, id)?;
    Ok(JobDetails { job, pay, today: caller.today(tx) })
}

/// Creates a job with an empty compensation.
///
/// # Errors
/// "Not found"; every violation of the input; 422 if the employee's pay does not allow a second job; a store error.
pub fn create_job(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    input: &CreateJob,
) -> Result<JobDetails, Error> {
    employees::service::find_guarded(tx, caller, employee)?;
    let pay = rows::of_employee(tx, caller.company, employee)?;
    let today = caller.today(tx);
    let mut checks = Checks::new();
    let title = input.title.required("title", &mut checks, |k, v| check::validate_text(k, v, TITLE));
    let hire_date = input.hire_date.required("hire_date", &mut checks, as_is);
    let shareholder = input.two_percent_shareholder.optional("two_percent_shareholder", &mut checks, as_is);
    let covered = input.state_wc_covered.optional("state_wc_covered", &mut checks, as_is);
    let class_code = input.state_wc_class_code.optional("state_wc_class_code", &mut checks, class_code);
    let agreed =
        input.agreed_overtime_rate.optional("agreed_overtime_rate", &mut checks, check_agreed_overtime);
    let fluctuating = input.fluctuating_workweek.optional("fluctuating_workweek", &mut checks, as_is);
    let occupation = input.tipped_occupation.optional("tipped_occupation", &mut checks, tipped_occupation);
    check_title(title.as_deref(), &pay, &mut checks);
    if let Some(bar) = bars_several_jobs(&pay, today) {
        checks.push(Violation::invalid_operation(format!(
            "Only an employee with flsa_status Nonexempt can have several jobs, and {}; change it first.",
            in_words(bar)
        )));
    }
    checks.finish()?;
    room_for("jobs of an employee", pay.jobs.len(), MOST)?;

    let id = tx.new_id();
    let job = Job {
        employee,
        id,
        title,
        hire_date: hire_date.unwrap_or_else(|| unreachable!("a job without a hire date is rejected")),
        end_date: None,
        is_primary: pay.jobs.is_empty(),
        two_percent_shareholder: shareholder.unwrap_or(false),
        state_wc_covered: covered,
        state_wc_class_code: class_code.flatten(),
        agreed_overtime_rate: agreed.flatten(),
        fluctuating_workweek: fluctuating.unwrap_or(false),
        tipped_occupation: occupation.flatten(),
        version: 1,
    };
    insert_job(tx, caller, &job)?;
    job_details(tx, caller, id)
}

/// Adds a job that the caller has checked, with an empty compensation. The caller holds the employee's guard.
pub fn insert_job(tx: &mut Tx<'_>, caller: &Caller, job: &Job) -> Result<(), Error> {
    job.insert(tx, caller.company)?;
    audit::record_audit_entry(tx, caller, "created", (JOBS, job.id), &serde_json::json!({}))?;
    let compensation = empty_compensation(tx.new_id(), job);
    super::compensations::store_new(tx, caller, &compensation)?;
    events::emit_event(tx, caller.company, events::EMPLOYEE_UPDATED, job.employee)?;
    if job.is_primary {
        hooks::employee_changed(tx, caller, job.employee, EmployeeAspect::StartDate)?;
    }
    Ok(())
}

/// The section of law under which employer and employee can agree, before the work, on overtime at the rate in effect.
pub const AGREED_OVERTIME_RATE: [&str; 1] = ["207(g)(2)"];

#[expect(clippy::ptr_arg, reason = "has the shape of every other check")]
fn check_agreed_overtime(key: &str, section: &String) -> Result<Option<String>, Violation> {
    check::one_of(key, section, &AGREED_OVERTIME_RATE).map(|section| Some(section.to_owned()))
}

/// Returns the initial compensation of a new job, which is updated later.
fn empty_compensation(id: Uuid, job: &Job) -> Compensation {
    Compensation {
        employee: job.employee,
        job: job.id,
        id,
        rate: Amount::ZERO,
        payment_unit: PaymentUnit::Hour,
        flsa_status: FlsaStatus::Nonexempt,
        effective_date: job.hire_date,
        title: None,
        adjust_for_minimum_wage: false,
        minimum_wages: Vec::new(),
        version: 1,
    }
}

/// Updates the given fields and keeps the rest.
///
/// # Errors
/// "Not found", 409 for a stale version, every violation of the input; a store error.
pub fn update_job(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    input: &UpdateJob,
) -> Result<JobDetails, Error> {
    let (before, pay) = find_job_guarded(tx, caller, id)?;
    let mut after = before.clone();
    let mut checks = Checks::new();
    let version = patch::check_version(&input.version, &mut checks);
    apply_job_fields(input, &mut after, &mut checks);
    check_end(&before, &after, &pay, caller.today(tx), &mut checks);
    if after.title != before.title {
        let mut others = pay.clone();
        others.jobs.retain(|other| other.id != id);
        check_title(after.title.as_deref(), &others, &mut checks);
    }
    let first = checks.take_value(moves_along(pay.of_job(id), before.hire_date, after.hire_date)).flatten();
    checks.finish()?;

    let changes = Changes::from(Job::changes(&before, &after));
    changes.expect_version(&version.unwrap_or_default(), version_text(JOBS, id, before.version))?;
    if !changes.is_empty() {
        if changes.has_change("hire_date") {
            let (earlier, later) =
                (before.hire_date.min(after.hire_date), before.hire_date.max(after.hire_date));
            hooks::job_to_change(tx, caller, (after.employee, id), Days { first: earlier, last: later })?;
        }
        if changes.has_change("end_date") {
            let changed = before.end_date.into_iter().chain(after.end_date).min().unwrap_or(after.hire_date);
            hooks::job_ends(
                tx,
                caller,
                (after.employee, id),
                (changed.saturating_add(1.day()), after.end_date),
            )?;
        }
        store_changed(tx, caller, &after, &changes)?;
        if let Some(first) = first {
            let moved = Compensation { effective_date: after.hire_date, ..first.clone() };
            super::compensations::store_changed(tx, caller, first, &moved)?;
        }
        events::emit_event(tx, caller.company, events::EMPLOYEE_UPDATED, after.employee)?;
        if after.is_primary && changes.has_change("hire_date") {
            hooks::employee_changed(tx, caller, after.employee, EmployeeAspect::StartDate)?;
        }
    }
    job_details(tx, caller, id)
}

/// Whether the employee owns more than 2 % of an S corporation; `None` without a job.
pub fn is_two_percent_shareholder(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
) -> Result<Option<bool>, Error> {
    let pay = rows::of_employee(tx, caller.company, employee)?;
    Ok(pay.primary_job().map(|job| job.two_percent_shareholder))
}

/// Sets on the primary job whether the employee owns more than 2 % of an S corporation; returns whether the value changed. The caller holds
/// the employee's guard and emits the event.
///
/// # Errors
/// 422 if there is no job; a store error.
pub fn set_shareholder(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid, flag: bool) -> Result<bool, Error> {
    let pay = rows::of_employee(tx, caller.company, employee)?;
    let Some(before) = pay.primary_job() else {
        let message = "two_percent_shareholder is kept with the primary job; the employee needs a job first";
        return Err(Error::from(Violation::invalid("two_percent_shareholder", message)));
    };
    let after = Job { two_percent_shareholder: flag, ..before.clone() };
    let changes = Changes::from(Job::changes(before, &after));
    if !changes.is_empty() {
        store_changed(tx, caller, &after, &changes)?;
    }
    Ok(!changes.is_empty())
}

/// Sets the tipped occupation of a job, by the code of box 14b of Form W-2; `None` removes it.
///
/// # Errors
/// "Not found"; 422 for a code that is not in the table; a store error.
pub fn set_tipped_occupation(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    code: Option<&str>,
) -> Result<(), Error> {
    let (before, _) = find_job_guarded(tx, caller, id)?;
    let code = code.map(|code| tipped_occupation("code", &code.to_owned())).transpose()?.flatten();
    let after = Job { tipped_occupation: code, ..before.clone() };
    let changes = Changes::from(Job::changes(&before, &after));
    if !changes.is_empty() {
        store_changed(tx, caller, &after, &changes)?;
        events::emit_event(tx, caller.company, events::EMPLOYEE_UPDATED, after.employee)?;
    }
    Ok(())
}

/// Deletes a job other than the primary one, with its compensations.
///
/// # Errors
/// "Not found"; 422 for the primary job, a job that a payroll has paid, or a job with hours or amounts entered; a store error.
pub fn delete_job(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<(), Error> {
    let (job, pay) = find_job_guarded(tx, caller, id)?;
    if job.is_primary {
        return Err(Error::from(Violation::invalid_operation(
            "The primary job of an employee cannot be deleted.",
        )));
    }
    hooks::job_to_change(tx, caller, (job.employee, id), Days { first: job.hire_date, last: Date::MAX })?;
    if !rows::delete_job(tx, caller.company, &job)? {
        return Err(Error::NotFound);
    }
    for compensation in pay.of_job(id) {
        audit::record_audit_entry(
            tx,
            caller,
            "deleted",
            (COMPENSATIONS, compensation.id),
            &serde_json::json!({}),
        )?;
        events::emit_event(tx, caller.company, events::COMPENSATION_DELETED, compensation.id)?;
    }
    audit::record_audit_entry(tx, caller, "deleted", (JOBS, id), &serde_json::json!({}))?;
    events::emit_event(tx, caller.company, events::EMPLOYEE_UPDATED, job.employee)
}

fn store_changed(tx: &mut Tx<'_>, caller: &Caller, after: &Job, changes: &Changes) -> Result<(), Error> {
    assert!(after.update(tx, caller.company)?, "the row was read under its guard");
    audit::record_audit_entry(tx, caller, "updated", (JOBS, after.id), &changes.to_json())
}

/// Reads the risk class of a state's workers' compensation; `None` if blank.
///
/// # Errors
/// The text is too long or has unprintable characters.
#[expect(clippy::ptr_arg, reason = "has the shape of every other check")]
pub fn class_code(key: &str, value: &String) -> Result<Option<String>, Violation> {
    check::optional_text(key, Some(value), CLASS_CODE)
}

/// Returns the codes of occupations in which tips are customary (26 CFR 1.224-1(h)), with the one for others.
pub fn tipped_occupations() -> Vec<&'static str> {
    TippedOccupations::built_in().iter().map(|one| one.code.as_str()).collect()
}

#[expect(clippy::ptr_arg, reason = "has the shape of every other check")]
fn tipped_occupation(key: &str, code: &String) -> Result<Option<String>, Violation> {
    check::one_of(key, code, &tipped_occupations()).map(|code| Some(code.to_owned()))
}

/// Applies the given fields to a job.
fn apply_job_fields(input: &UpdateJob, after: &mut Job, checks: &mut Checks) {
    input.title.update("title", checks, |k, v| check::validate_text(k, v, TITLE).map(Some), &mut after.title);
    input.hire_date.update("hire_date", checks, as_is, &mut after.hire_date);
    input.end_date.update_or_clear("end_date", checks, some, &mut after.end_date);
    input.two_percent_shareholder.update(
        "two_percent_shareholder",
        checks,
        as_is,
        &mut after.two_percent_shareholder,
    );
    input.state_wc_covered.update_or_clear(
        "state_wc_covered",
        checks,
        |_, v| Ok(Some(*v)),
        &mut after.state_wc_covered,
    );
    input.state_wc_class_code.update_or_clear(
        "state_wc_class_code",
        checks,
        class_code,
        &mut after.state_wc_class_code,
    );
    input.agreed_overtime_rate.update_or_clear(
        "agreed_overtime_rate",
        checks,
        check_agreed_overtime,
        &mut after.agreed_overtime_rate,
    );
    input.fluctuating_workweek.update("fluctuating_workweek", checks, as_is, &mut after.fluctuating_workweek);
    input.tipped_occupation.update_or_clear(
        "tipped_occupation",
        checks,
        tipped_occupation,
        &mut after.tipped_occupation,
    );
}

/// Rejects a last day of the primary job, which goes on until the employment ends, one before the first day, and that a job goes on beside pay
/// that does not allow several jobs.
fn check_end(before: &Job, after: &Job, pay: &Pay, today: Date, checks: &mut Checks) {
    let end_date = |message: String| Violation::invalid("end_date", message);
    checks.require(!after.is_primary || after.end_date.is_none(), || {
        end_date(
            "end_date must be null for the primary job, which goes on until the employment ends: change its title and pay instead".to_owned(),
        )
    });
    checks.require(!after.has_ended_before(after.hire_date), || {
        end_date(format!("end_date must not be before hire_date, {}", after.hire_date))
    });
    let goes_on = match (before.end_date, after.end_date) {
        (Some(earlier), Some(later)) => later > earlier,
        (Some(_), None) => true,
        (None, _) => false,
    };
    if let Some(bar) = bars_several_jobs(pay, today).filter(|_| goes_on) {
        checks.push(end_date(format!(
            "end_date must stay: only an employee with flsa_status Nonexempt can have several jobs, and {}",
            in_words(bar)
        )));
    }
}

/// Rejects the title of another job of the employee, ignoring case.
fn check_title(title: Option<&str>, pay: &Pay, checks: &mut Checks) {
    let Some(title) = title else { return };
    let lower = title.to_lowercase();
    let taken =
        pay.jobs.iter().filter_map(|job| job.title.as_deref()).any(|other| other.to_lowercase() == lower);
    checks.require(!taken, || {
        Violation::invalid(
            "title",
            format!("title {title:?} is already the title of another job of the employee"),
        )
    });
}

/// Returns the first compensation of a job if it moves with the hire date, because it has been in effect since the hire date and must
/// remain so.
///
/// # Errors
/// The hire date is after another compensation takes effect, or on the same day if the first compensation moves.
fn moves_along(pay: &[Compensation], from: Date, to: Date) -> Result<Option<&Compensation>, Violation> {
    let first =
        pay.iter().min_by_key(|c| c.effective_date).filter(|c| c.effective_date == from && from != to);
    let stay = pay.iter().filter(|c| first.is_none_or(|first| first.id != c.id));
    let too_late = |day: Date| if first.is_some() { to >= day } else { to > day };
    match stay.map(|c| c.effective_date).min() {
        Some(day) if from != to && too_late(day) => {
            let message =
                format!("hire_date must lie before {day}, when another compensation of the job takes effect");
            Err(Violation::invalid("hire_date", message))
        }
        _ => Ok(first),
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::super::tests::compensation;
    use super::*;

    #[test]
    fn pay_from_the_first_day_of_work_follows_that_day() {
        let pay = [compensation(10, 10, FlsaStatus::Nonexempt), compensation(11, 20, FlsaStatus::Nonexempt)];
        let moved = |from: i8, to: i8| {
            moves_along(&pay, date(2026, 6, from), date(2026, 6, to)).map(|c| c.map(|c| c.id))
        };
        assert_eq!(moved(10, 19), Ok(Some(pay[0].id)));
        assert_eq!(moved(10, 1), Ok(Some(pay[0].id)));
        assert_eq!(moved(10, 10), Ok(None));
        // Pay begins later than the work, so it does not move.
        assert_eq!(moved(5, 10), Ok(None));
        assert_eq!(moved(5, 1), Ok(None));
    }

    #[test]
    fn nobody_is_hired_after_pay_has_begun() {
        let pay = [compensation(10, 10, FlsaStatus::Nonexempt), compensation(11, 20, FlsaStatus::Nonexempt)];
        for (from, to) in [(10, 20), (10, 25), (5, 11)] {
            let violation = moves_along(&pay, date(2026, 6, from), date(2026, 6, to)).unwrap_err();
            assert_eq!(violation.key, "hire_date", "{from} to {to}");
        }
    }

    #[test]
    fn two_jobs_of_an_employee_differ_in_more_than_capital_letters() {
        let id = Uuid::from_u128(2);
        let job = Job {
            employee: Uuid::from_u128(1),
            id,
            title: Some("Head Waiter".to_owned()),
            hire_date: date(2026, 6, 1),
            end_date: None,
            is_primary: true,
            two_percent_shareholder: false,
            state_wc_covered: None,
            state_wc_class_code: None,
            agreed_overtime_rate: None,
            fluctuating_workweek: false,
            tipped_occupation: None,
            version: 1,
        };
        let pay = Pay { jobs: vec![job], compensations: Vec::new() };
        let rejected = |title: &str| {
            let mut checks = Checks::new();
            check_title(Some(title), &pay, &mut checks);
            !checks.is_empty()
        };
        assert!(rejected("HEAD WAITER") && rejected("Head Waiter"));
        assert!(!rejected("Waiter"));
    }
}
