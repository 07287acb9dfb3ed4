//! Use cases of compensations.

use jiff::ToSpan;
use jiff::civil::Date;
use rules::Named;
use rules::compensation::{FlsaStatus, PayTerms, PaymentUnit};
use rules::days::Days;
use rules::salary_level::{SalaryLevels, WorkPlace};
use rules::{Checks, Violation, check};
use store::Tx;
use uuid::Uuid;

use super::adjustment::{self, AdjustmentInput};
use super::{COMPENSATIONS, TITLE, bars_several_jobs, find_job, find_job_guarded, in_words};
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::events;
use crate::paging::{Listed, Page};
use crate::patch::{self, Patch, as_is};
use crate::pay::compensations::commands::{CreateCompensation, UpdateCompensation};
use crate::pay::compensations::rows;
use crate::pay::compensations::rows::{ChosenWage, Compensation, Job, Pay};
use crate::pay::minimum_wages::{self, Place};
use crate::people::employees;
use crate::platform::audit;
use crate::platform::hooks::{self, EmployeeAspect};
use crate::platform::law;
use crate::records::{Changes, room_for, version_text};

/// Maximum number of compensations of a job.
const MOST: usize = 200;

/// A compensation and the title of its job, which is shown if the compensation has none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompensationDetails {
    /// the compensation
    pub compensation: Compensation,
    /// title of the job
    pub job_title: Option<String>,
}

/// Returns a page of the job's compensations: the current one or, with `all`, all of them in order of creation.
///
/// # Errors
/// "Not found"; a store error.
pub fn list_compensations(
    tx: &mut Tx<'_>,
    caller: &Caller,
    job: Uuid,
    all: bool,
    page: Page,
) -> Result<Listed<CompensationDetails>, Error> {
    let (job, pay) = find_job(tx, caller, job)?;
    let current = pay.compensation_on(job.id, caller.today(tx)).map(|current| current.id);
    let listed = pay.of_job(job.id).iter().filter(|c| all || current == Some(c.id)).cloned();
    let listed = Listed::slice(page, listed.collect());
    Ok(listed.map(|compensation| CompensationDetails { compensation, job_title: job.title.clone() }))
}

/// Returns a compensation.
///
/// # Errors
/// "Not found"; a store error.
pub fn compensation_details(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
) -> Result<CompensationDetails, Error> {
    let employee = rows::employee_of_compensation(tx, caller.company, id)?.ok_or(Error::NotFound)?;
    let found = of_employee(tx, caller, employee, id)?;
    Ok(CompensationDetails { compensation: found.compensation, job_title: found.job.title })
}

/// A compensation with its job and all jobs and pay of its employee.
struct Found {
    compensation: Compensation,
    job: Job,
    pay: Pay,
}

fn of_employee(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid, id: Uuid) -> Result<Found, Error> {
    let pay = rows::of_employee(tx, caller.company, employee)?;
    let compensation = pay.compensations.iter().find(|c| c.id == id).cloned().ok_or(Error::NotFound)?;
    let job = pay.find_job(compensation.job).cloned().ok_or(Error::NotFound)?;
    Ok(Found { compensation, job, pay })
}

/// Returns a compensation, under its employee's guard. The employee never changes, so it can be read before the guard is taken.
fn find_guarded(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<Found, Error> {
    let employee = rows::employee_of_compensation(tx, caller.company, id)?.ok_or(Error::NotFound)?;
    employees::service::find_guarded(tx, caller, employee)?;
    of_employee(tx, caller, employee, id)
}

/// Creates a compensation. The rate defaults to the job's current rate, the effective date to today, and the minimum wage adjustment to
/// that of the preceding compensation.
///
/// # Errors
/// "Not found"; every violation of the input; a store error.
pub fn create_compensation(
    tx: &mut Tx<'_>,
    caller: &Caller,
    job: Uuid,
    input: &CreateCompensation,
) -> Result<CompensationDetails, Error> {
    let (job, pay) = find_job_guarded(tx, caller, job)?;
    let today = caller.today(tx);
    let mut checks = Checks::new();
    let rate = match (&input.rate, pay.compensation_on(job.id, today)) {
        (Patch::Absent | Patch::Null, Some(current)) => Some(current.rate),
        (rate, _) => rate.required("rate", &mut checks, as_is),
    };
    let unit = input.payment_unit.required("payment_unit", &mut checks, as_is);
    let flsa = input.flsa_status.required("flsa_status", &mut checks, as_is);
    let effective_date = match &input.effective_date {
        Patch::Absent | Patch::Null => Some(today),
        day => day.required("effective_date", &mut checks, as_is),
    };
    let title = input.title.optional("title", &mut checks, optional_title);
    let adjustment =
        AdjustmentInput::read_fields(&input.adjust_for_minimum_wage, &input.minimum_wages, &mut checks);
    let terms = match (rate, unit, flsa) {
        (Some(rate), Some(unit), Some(flsa)) => Some(PayTerms { rate, unit, flsa }),
        _ => None,
    };
    // Past days are not checked: pay that took effect in the past is checked against today's law, such as the salary level.
    let day = effective_date.map_or(today, |day| day.max(today));
    let place = minimum_wages::service::place_of_employee(tx, caller, job.employee, day)?;
    let levels = law::in_force::<SalaryLevels>(tx)?;
    let law = PayLaw { levels: &levels, place: work_place(place.as_ref()), day };
    checks.extend(terms.iter().flat_map(|terms| law.check_terms(terms)));
    if let Some(flsa) = flsa {
        check_status(flsa, &pay, effective_date.unwrap_or(today), &mut checks);
    }
    if let Some(day) = effective_date {
        check_day(day, &job, pay.of_job(job.id), &mut checks);
    }
    let minimum_wages = match (unit, effective_date) {
        (Some(unit), Some(day)) => {
            let before = pay.compensation_on(job.id, day);
            let days = Days { first: day, last: last_day(pay.of_job(job.id), day) };
            adjusted_minimum_wages(
                tx,
                caller,
                (&adjustment, before),
                (job.employee, unit, days),
                &mut checks,
            )?
        }
        _ => Vec::new(),
    };
    checks.finish()?;
    room_for("compensations of a job", pay.of_job(job.id).len(), MOST)?;

    let PayTerms { rate, unit, flsa } =
        terms.unwrap_or_else(|| unreachable!("a compensation without terms is rejected"));
    let new = Compensation {
        employee: job.employee,
        job: job.id,
        id: tx.new_id(),
        rate,
        payment_unit: unit,
        flsa_status: flsa,
        effective_date: effective_date.unwrap_or(today),
        title: title.flatten(),
        adjust_for_minimum_wage: !minimum_wages.is_empty(),
        minimum_wages,
        version: 1,
    };
    store_new(tx, caller, &new)?;
    hooks::employee_changed(tx, caller, new.employee, EmployeeAspect::Compensation)?;
    Ok(CompensationDetails { compensation: new, job_title: job.title })
}

/// Returns the minimum wages of a new compensation's adjustment: the given ones, or else those of the preceding compensation if they still
/// apply. They do not apply to a salary or at another work location.
fn adjusted_minimum_wages(
    tx: &mut Tx<'_>,
    caller: &Caller,
    (given, before): (&AdjustmentInput, Option<&Compensation>),
    of: (Uuid, PaymentUnit, Days),
    checks: &mut Checks,
) -> Result<Vec<ChosenWage>, Error> {
    let followed = before.filter(|one| one.adjust_for_minimum_wage && !given.is_given());
    let Some(followed) = followed else {
        return adjustment::minimum_wages_to_store(tx, caller, &given.apply_to(false, &[]), of, checks);
    };
    let mut own = Checks::new();
    let kept = given.apply_to(true, &followed.minimum_wages);
    let kept = adjustment::minimum_wages_to_store(tx, caller, &kept, of, &mut own)?;
    Ok(if own.is_empty() { kept } else { Vec::new() })
}

/// Updates the given fields and keeps the rest.
///
/// # Errors
/// "Not found", 409 for a stale version, every violation of the input; a store error.
pub fn update_compensation(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    input: &UpdateCompensation,
) -> Result<CompensationDetails, Error> {
    let Found { compensation: before, job, pay } = find_guarded(tx, caller, id)?;
    let mut after = before.clone();
    let mut checks = Checks::new();
    let version = patch::check_version(&input.version, &mut checks);
    input.effective_date.update("effective_date", &mut checks, as_is, &mut after.effective_date);
    let day = after.effective_date.max(caller.today(tx));
    let place = minimum_wages::service::place_of_employee(tx, caller, job.employee, day)?;
    let levels = law::in_force::<SalaryLevels>(tx)?;
    match merge_terms(
        input,
        before.pay_terms(),
        PayLaw { levels: &levels, place: work_place(place.as_ref()), day },
    ) {
        Ok(terms) => after.set_terms(terms),
        Err(violations) => checks.extend(violations),
    }
    input.title.update_or_clear("title", &mut checks, optional_title, &mut after.title);
    // A compensation without a title shows the job's title; sending that back does not set a title.
    if before.title.is_none() && after.title == job.title {
        after.title = None;
    }
    let adjustment =
        AdjustmentInput::read_fields(&input.adjust_for_minimum_wage, &input.minimum_wages, &mut checks);
    if adjustment.is_given() || before.adjust_for_minimum_wage && affects_adjustment(&before, &after) {
        let adjustment = adjustment.apply_to(before.adjust_for_minimum_wage, &before.minimum_wages);
        let others = pay.of_job(job.id).iter().filter(|one| one.id != id);
        let days = Days { first: after.effective_date, last: last_day(others, after.effective_date) };
        let of = (job.employee, after.payment_unit, days);
        after.minimum_wages = adjustment::minimum_wages_to_store(tx, caller, &adjustment, of, &mut checks)?;
        after.adjust_for_minimum_wage = !after.minimum_wages.is_empty();
    }
    // Unchanged values are not checked, because they may predate a rule or the second job.
    if after.effective_date != before.effective_date {
        let others: Vec<_> = pay.of_job(job.id).iter().filter(|c| c.id != id).cloned().collect();
        check_day(after.effective_date, &job, &others, &mut checks);
    }
    if after.effective_date != before.effective_date || after.flsa_status != before.flsa_status {
        check_status(after.flsa_status, &pay, after.effective_date, &mut checks);
    }
    checks.finish()?;

    let changes = compensation_changes(&before, &after);
    changes.expect_version(&version.unwrap_or_default(), version_text(COMPENSATIONS, id, before.version))?;
    if !changes.is_empty() {
        store_changed(tx, caller, &before, &after)?;
        after.version += 1;
        hooks::employee_changed(tx, caller, after.employee, EmployeeAspect::Compensation)?;
    }
    Ok(CompensationDetails { compensation: after, job_title: job.title })
}

/// Deletes a compensation that is not the only one of its job.
///
/// # Errors
/// "Not found"; 422 if it is the only one, if the employee has several jobs and the remaining compensations do not allow them, or if a
/// payroll has used it; a store error.
pub fn delete_compensation(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<(), Error> {
    let Found { compensation, job, mut pay } = find_guarded(tx, caller, id)?;
    pay.compensations.retain(|c| c.id != id);
    if pay.of_job(job.id).is_empty() {
        return Err(Error::from(Violation::invalid_operation(
            "The only compensation of a job cannot be deleted; update it instead.",
        )));
    }
    let today = caller.today(tx);
    if pay.jobs.iter().filter(|job| !job.has_ended_before(today)).count() > 1
        && let Some(bar) = bars_several_jobs(&pay, today)
    {
        return Err(Error::from(Violation::invalid_operation(format!(
            "Only an employee with flsa_status Nonexempt can have several jobs, and without this compensation {}.",
            in_words(bar)
        ))));
    }
    hooks::compensation_deleted(tx, caller, compensation.employee, compensation.effective_date)?;
    if !compensation.delete(tx, caller.company)? {
        return Err(Error::NotFound);
    }
    audit::record_audit_entry(tx, caller, "deleted", (COMPENSATIONS, id), &serde_json::json!({}))?;
    events::emit_event(tx, caller.company, events::COMPENSATION_DELETED, id)?;
    hooks::employee_changed(tx, caller, compensation.employee, EmployeeAspect::Compensation)
}

/// Stores a new compensation and emits its event.
pub(super) fn store_new(tx: &mut Tx<'_>, caller: &Caller, new: &Compensation) -> Result<(), Error> {
    new.insert(tx, caller.company)?;
    audit::record_audit_entry(tx, caller, "created", (COMPENSATIONS, new.id), &serde_json::json!({}))?;
    events::emit_event(tx, caller.company, events::COMPENSATION_CREATED, new.id)
}

/// Stores an updated compensation and emits its event.
pub(super) fn store_changed(
    tx: &mut Tx<'_>,
    caller: &Caller,
    before: &Compensation,
    after: &Compensation,
) -> Result<(), Error> {
    assert!(after.update(tx, caller.company)?, "the row was read under its guard");
    audit::record_audit_entry(
        tx,
        caller,
        "updated",
        (COMPENSATIONS, after.id),
        &compensation_changes(before, after).to_json(),
    )?;
    events::emit_event(tx, caller.company, events::COMPENSATION_UPDATED, after.id)
}

fn compensation_changes(before: &Compensation, after: &Compensation) -> Changes {
    let mut changes = Changes::new();
    changes.record_difference("rate", &before.rate.to_text(2), &after.rate.to_text(2));
    changes.record_difference("payment_unit", &before.payment_unit.as_str(), &after.payment_unit.as_str());
    changes.record_difference("flsa_status", &before.flsa_status.as_str(), &after.flsa_status.as_str());
    changes.record_difference("effective_date", &before.effective_date, &after.effective_date);
    changes.record_difference("title", &before.title, &after.title);
    changes.record_difference(
        "adjust_for_minimum_wage",
        &before.adjust_for_minimum_wage,
        &after.adjust_for_minimum_wage,
    );
    changes.record_difference(
        "minimum_wages",
        &adjustment::rules_of(&before.minimum_wages),
        &adjustment::rules_of(&after.minimum_wages),
    );
    changes
}

/// Returns the last day of a compensation that takes effect on `first`: the day before the next compensation of its job takes effect.
fn last_day<'c>(others: impl IntoIterator<Item = &'c Compensation>, first: Date) -> Date {
    let later = others.into_iter().map(|one| one.effective_date).filter(|begins| *begins > first);
    later.min().map_or(Date::MAX, |begins| begins.saturating_sub(1.day()))
}

/// Whether an update changes a field that the minimum wage adjustment depends on.
fn affects_adjustment(before: &Compensation, after: &Compensation) -> bool {
    before.payment_unit != after.payment_unit || before.effective_date != after.effective_date
}

/// Returns the place of work by which the law of a state applies; the federal law alone without an address.
fn work_place(place: Option<&Place>) -> WorkPlace<'_> {
    place.map_or_else(WorkPlace::default, |place| WorkPlace { state: &place.state, county: place.county })
}

/// The law that terms of pay are checked against.
#[derive(Clone, Copy)]
struct PayLaw<'a> {
    levels: &'a SalaryLevels,
    place: WorkPlace<'a>,
    day: Date,
}

impl PayLaw<'_> {
    fn check_terms(self, terms: &PayTerms) -> Vec<Violation> {
        rules::compensation::check_terms(terms, self.levels, self.place, self.day)
    }
}

/// Returns the terms after an update, checked against the law at the place of work on a day. Unchanged terms are not checked, because those of a new job are
/// empty.
fn merge_terms(
    input: &UpdateCompensation,
    before: PayTerms,
    law: PayLaw<'_>,
) -> Result<PayTerms, Vec<Violation>> {
    let (mut terms, mut checks) = (before, Checks::new());
    input.rate.update("rate", &mut checks, as_is, &mut terms.rate);
    input.payment_unit.update("payment_unit", &mut checks, as_is, &mut terms.unit);
    input.flsa_status.update("flsa_status", &mut checks, as_is, &mut terms.flsa);
    if checks.is_empty() && terms != before {
        checks.extend(law.check_terms(&terms));
    }
    checks.finish().map(|()| terms)
}

#[expect(clippy::ptr_arg, reason = "has the shape of every other check")]
fn optional_title(key: &str, value: &String) -> Result<Option<String>, Violation> {
    check::optional_text(key, Some(value), TITLE)
}

/// Rejects a status that does not allow several jobs if the employee has them on its day.
fn check_status(flsa: FlsaStatus, pay: &Pay, day: Date, checks: &mut Checks) {
    let others = || pay.jobs.iter().filter(|job| !job.is_primary && !job.has_ended_before(day));
    let fits = others().next().is_none() || rules::compensation::may_have_several_jobs(flsa);
    checks.require(fits, || {
        let others = others().filter_map(|job| job.title.as_deref());
        let others = others.collect::<Vec<_>>().join(", ");
        Violation::invalid(
            "flsa_status",
            format!(
                "flsa_status must be Nonexempt while the employee has jobs other than the primary one ({others}): only hourly pay can be divided \
                 among jobs; end them before that day (end_date), or delete them, which is possible until a payroll that has them is submitted"
            ),
        )
    });
}

/// Rejects a day before the hire date or on the effective date of another compensation of the job.
fn check_day(day: Date, job: &Job, others: &[Compensation], checks: &mut Checks) {
    checks.require(day >= job.hire_date, || {
        let message = format!(
            "effective_date must not be before the hire date of the job, {}; it is {day}",
            job.hire_date
        );
        Violation::invalid("effective_date", message)
    });
    if let Some(other) = others.iter().find(|other| other.effective_date == day) {
        let message = format!(
            "effective_date {day} is already the date of another compensation of the job: update {}",
            other.id
        );
        checks.push(Violation::invalid("effective_date", message));
    }
}

#[cfg(test)]
mod tests {
    use rules::Amount;

    use super::*;

    const EMPTY: PayTerms =
        PayTerms { rate: Amount::ZERO, unit: PaymentUnit::Hour, flsa: FlsaStatus::Nonexempt };

    fn text(text: &str) -> Patch<String> {
        Patch::Value(text.to_owned())
    }

    fn merged(input: &UpdateCompensation) -> Result<PayTerms, Vec<String>> {
        let day = jiff::civil::date(2027, 1, 1);
        let law = PayLaw { levels: SalaryLevels::built_in(), place: WorkPlace::default(), day };
        merge_terms(input, EMPTY, law)
            .map_err(|violations| violations.into_iter().map(|violation| violation.key).collect())
    }

    #[test]
    fn pay_of_a_new_job_may_stay_empty_but_not_become_invalid() {
        let title = UpdateCompensation { title: text("Cook"), ..Default::default() };
        assert_eq!(merged(&title), Ok(EMPTY));
        let rate = |cents| UpdateCompensation {
            rate: Patch::Value(Amount::from_cents(cents)),
            ..Default::default()
        };
        assert_eq!(merged(&rate(0)), Ok(EMPTY));
        assert_eq!(merged(&rate(900)).map(|terms| terms.rate), Ok(Amount::from_cents(900)));
        let exempt = UpdateCompensation { flsa_status: text("Exempt").named(), ..Default::default() };
        assert_eq!(merged(&exempt), Err(vec!["rate".to_owned()]));
    }

    #[test]
    fn terms_are_checked_together_only_if_each_is_valid() {
        let invalid = UpdateCompensation {
            rate: Patch::Invalid("a decimal number".into()),
            payment_unit: text("Day").named(),
            flsa_status: text("Sometimes").named(),
            ..Default::default()
        };
        assert_eq!(merged(&invalid).unwrap_err(), ["rate", "payment_unit", "flsa_status"]);
        let owner = UpdateCompensation {
            rate: Patch::Value(Amount::from_cents(50_000)),
            payment_unit: text("Paycheck").named(),
            flsa_status: text("Owner").named(),
            ..Default::default()
        };
        let owner = merged(&owner).unwrap();
        assert_eq!((owner.unit, owner.flsa), (PaymentUnit::Paycheck, FlsaStatus::Owner));
    }

    #[test]
    fn an_unknown_unit_or_status_is_rejected_with_the_allowed_values() {
        let unit: Patch<PaymentUnit> = text("hour").named();
        assert_eq!(unit, Patch::Invalid("one of: Hour, Week, Month, Year, Paycheck".into()));
        let status: Patch<FlsaStatus> = text("Salaried").named();
        let allowed = "one of: Exempt, Salaried Nonexempt, Nonexempt, Owner, Commission Only Exempt";
        assert!(matches!(status, Patch::Invalid(expected) if expected.starts_with(allowed)));
    }
}
