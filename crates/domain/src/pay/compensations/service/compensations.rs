//! What can be done with compensations.

use jiff::civil::Date;
use rules::Named;
use rules::compensation::{FlsaStatus, PayTerms, PaymentUnit};
use rules::{Checks, Violation, check};
use store::Tx;
use uuid::Uuid;

use super::{COMPENSATIONS, TITLE, adjustment, find_job, find_job_guarded, may_have_several_jobs};
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::events;
use crate::field::{Field, as_is};
use crate::paging::{Listed, Page};
use crate::pay::compensations::rows;
use crate::pay::compensations::rows::{Compensation, Job, Pay};
use crate::pay::compensations::shapes;
use crate::pay::compensations::shapes::{CreateCompensation, UpdateCompensation};
use crate::pay::compensations::view;
use crate::people::{employees, onboarding};
use crate::platform::audit;
use crate::records::{Changes, room_for, version_text};

/// Compensations of a job at the most.
const MOST: usize = 200;

/// A page of the job's compensations: the current one, or every one in the order of creation.
///
/// # Errors
/// "Not found"; a store error.
pub fn list(
    tx: &mut Tx<'_>,
    caller: &Caller,
    job: Uuid,
    all: bool,
    page: Page,
) -> Result<Listed<shapes::Compensation>, Error> {
    let (job, pay) = find_job(tx, caller, job)?;
    let current = pay.current(job.id, caller.today(tx)).map(|current| current.id);
    let told = pay.of_job(job.id).iter().filter(|c| all || current == Some(c.id));
    Ok(Listed::slice(page, told.map(|c| view::of_job(&job, c)).collect()))
}

/// The compensation.
///
/// # Errors
/// "Not found"; a store error.
pub fn get(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<shapes::Compensation, Error> {
    let employee = rows::employee_of_compensation(tx, caller.company, id)?.ok_or(Error::NotFound)?;
    let found = of_employee(tx, caller, employee, id)?;
    Ok(view::of_job(&found.job, &found.compensation))
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
    let job = pay.job(compensation.job).cloned().ok_or(Error::NotFound)?;
    Ok(Found { compensation, job, pay })
}

/// The compensation under its employee's guard. It stays its employee's, so that is known before the guard.
fn find_guarded(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<Found, Error> {
    let employee = rows::employee_of_compensation(tx, caller.company, id)?.ok_or(Error::NotFound)?;
    employees::service::find_guarded(tx, caller, employee)?;
    of_employee(tx, caller, employee, id)
}

/// Creates a compensation. Without a rate it pays what the job pays now, without a day it counts from today on.
///
/// # Errors
/// "Not found"; every violation of the input; a store error.
pub fn create(
    tx: &mut Tx<'_>,
    caller: &Caller,
    job: Uuid,
    input: &CreateCompensation,
) -> Result<shapes::Compensation, Error> {
    let (job, pay) = find_job_guarded(tx, caller, job)?;
    let today = caller.today(tx);
    let mut checks = Checks::new();
    let rate = match (&input.rate, pay.current(job.id, today)) {
        (Field::Absent | Field::Null, Some(current)) => Some(current.terms.rate),
        (rate, _) => rate.required("rate", &mut checks, as_is),
    };
    let unit = input.payment_unit.required("payment_unit", &mut checks, payment_unit);
    let flsa = input.flsa_status.required("flsa_status", &mut checks, flsa_status);
    let effective_date = match &input.effective_date {
        Field::Absent | Field::Null => Some(today),
        day => day.required("effective_date", &mut checks, |k, v| check::date(k, v)),
    };
    let title = input.title.optional("title", &mut checks, optional_title);
    let wanted = adjustment::Wanted::read(&input.adjust_for_minimum_wage, &input.minimum_wages, &mut checks);
    let terms = match (rate, unit, flsa) {
        (Some(rate), Some(unit), Some(flsa)) => Some(PayTerms { rate, unit, flsa }),
        _ => None,
    };
    checks.extend(terms.iter().flat_map(rules::compensation::check));
    if let Some(flsa) = flsa {
        check_status(flsa, &pay, &mut checks);
    }
    if let Some(day) = effective_date {
        check_day(day, &job, pay.of_job(job.id), &mut checks);
    }
    let adjusted = match (unit, effective_date) {
        (Some(unit), Some(day)) => {
            adjustment::settle(tx, caller, &wanted.onto(false, "[]"), (job.employee, unit, day), &mut checks)?
        }
        _ => "[]".to_owned(),
    };
    checks.finish()?;
    room_for("compensations of a job", pay.of_job(job.id).len(), MOST)?;

    let new = Compensation {
        employee: job.employee,
        job: job.id,
        id: tx.new_id(),
        terms: terms.unwrap_or_else(|| unreachable!("a compensation without terms was refused")),
        effective_date: effective_date.unwrap_or(today),
        title: title.flatten(),
        adjust_for_minimum_wage: adjusted != "[]",
        minimum_wages: adjusted,
        version: 1,
    };
    store_new(tx, caller, &new)?;
    onboarding::service::after_change(tx, caller, job.employee)?;
    Ok(view::of_job(&job, &new))
}

/// Updates what was sent and leaves the rest.
///
/// # Errors
/// "Not found", 409 for a stale version, every violation of the input; a store error.
pub fn update(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    input: &UpdateCompensation,
) -> Result<shapes::Compensation, Error> {
    let Found { compensation: before, job, pay } = find_guarded(tx, caller, id)?;
    let mut after = before.clone();
    let mut checks = Checks::new();
    let version = crate::field::version(&input.version, &mut checks);
    match merge(input, before.terms) {
        Ok(terms) => after.terms = terms,
        Err(violations) => checks.extend(violations),
    }
    input.effective_date.update(
        "effective_date",
        &mut checks,
        |k, v| check::date(k, v),
        &mut after.effective_date,
    );
    input.title.update_or_clear("title", &mut checks, optional_title, &mut after.title);
    let wanted = adjustment::Wanted::read(&input.adjust_for_minimum_wage, &input.minimum_wages, &mut checks);
    if wanted.says_something() || before.adjust_for_minimum_wage && moves_the_adjustment(&before, &after) {
        let wish = wanted.onto(before.adjust_for_minimum_wage, &before.minimum_wages);
        let of = (job.employee, after.terms.unit, after.effective_date);
        after.minimum_wages = adjustment::settle(tx, caller, &wish, of, &mut checks)?;
        after.adjust_for_minimum_wage = after.minimum_wages != "[]";
    }
    // What was stored under older rules, or ended before there was a second job, may stay as it is.
    if after.effective_date != before.effective_date {
        let others: Vec<_> = pay.of_job(job.id).iter().filter(|c| c.id != id).cloned().collect();
        check_day(after.effective_date, &job, &others, &mut checks);
    }
    if after.effective_date != before.effective_date || after.terms.flsa != before.terms.flsa {
        check_status(after.terms.flsa, &pay, &mut checks);
    }
    checks.finish()?;

    let changes = changes(&before, &after);
    changes.expect_version(&version.unwrap_or_default(), version_text(COMPENSATIONS, id, before.version))?;
    if !changes.is_empty() {
        store_changed(tx, caller, &before, &after)?;
        after.version += 1;
        onboarding::service::after_change(tx, caller, after.employee)?;
    }
    Ok(view::of_job(&job, &after))
}

/// Deletes a compensation that is not the only one of its job.
///
/// # Errors
/// "Not found"; 422 when it is, or when what remains does not allow the employee's several jobs; a store error.
pub fn delete(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<(), Error> {
    let Found { compensation, job, mut pay } = find_guarded(tx, caller, id)?;
    pay.compensations.retain(|c| c.id != id);
    if pay.of_job(job.id).is_empty() {
        return Err(Error::from(Violation::operation(
            "The only compensation of a job cannot be deleted; update it instead.",
        )));
    }
    if pay.jobs.len() > 1 && !may_have_several_jobs(&pay, caller.today(tx)) {
        return Err(Error::from(Violation::operation(
            "Without this compensation an older one would count that is not Nonexempt, and the employee has several jobs.",
        )));
    }
    if crate::pay::payrolls::is_used(tx, caller.company, compensation.employee, compensation.effective_date)?
    {
        return Err(Error::from(Violation::operation(
            "A payroll has paid by this compensation, so that it stays.",
        )));
    }
    if !rows::delete_compensation(tx, caller.company, &compensation)? {
        return Err(Error::NotFound);
    }
    audit::record(tx, caller, "deleted", (COMPENSATIONS, id), &serde_json::json!({}))?;
    events::emit(tx, caller.company, events::COMPENSATION_DELETED, id)
}

/// Stores and tells of a new compensation.
pub(super) fn store_new(tx: &mut Tx<'_>, caller: &Caller, new: &Compensation) -> Result<(), Error> {
    rows::insert_compensation(tx, caller.company, new)?;
    audit::record(tx, caller, "created", (COMPENSATIONS, new.id), &serde_json::json!({}))?;
    events::emit(tx, caller.company, events::COMPENSATION_CREATED, new.id)
}

/// Stores and tells of a changed compensation.
pub(super) fn store_changed(
    tx: &mut Tx<'_>,
    caller: &Caller,
    before: &Compensation,
    after: &Compensation,
) -> Result<(), Error> {
    assert!(rows::update_compensation(tx, caller.company, after)?, "the row was read under its guard");
    audit::record(tx, caller, "updated", (COMPENSATIONS, after.id), &changes(before, after).to_json())?;
    events::emit(tx, caller.company, events::COMPENSATION_UPDATED, after.id)
}

fn changes(before: &Compensation, after: &Compensation) -> Changes {
    let mut changes = Changes::new();
    changes.note("rate", &before.terms.rate.to_text(2), &after.terms.rate.to_text(2));
    changes.note("payment_unit", &before.terms.unit.as_str(), &after.terms.unit.as_str());
    changes.note("flsa_status", &before.terms.flsa.as_str(), &after.terms.flsa.as_str());
    changes.note("effective_date", &before.effective_date, &after.effective_date);
    changes.note("title", &before.title, &after.title);
    changes.note("adjust_for_minimum_wage", &before.adjust_for_minimum_wage, &after.adjust_for_minimum_wage);
    changes.note(
        "minimum_wages",
        &adjustment::rules_of(&before.minimum_wages),
        &adjustment::rules_of(&after.minimum_wages),
    );
    changes
}

/// Whether an update changes what a minimum wage adjustment rests on.
fn moves_the_adjustment(before: &Compensation, after: &Compensation) -> bool {
    before.terms.unit != after.terms.unit || before.effective_date != after.effective_date
}

/// The terms after an update. Terms that stay are not judged: those of a new job are empty.
fn merge(input: &UpdateCompensation, before: PayTerms) -> Result<PayTerms, Vec<Violation>> {
    let (mut terms, mut checks) = (before, Checks::new());
    input.rate.update("rate", &mut checks, as_is, &mut terms.rate);
    input.payment_unit.update("payment_unit", &mut checks, payment_unit, &mut terms.unit);
    input.flsa_status.update("flsa_status", &mut checks, flsa_status, &mut terms.flsa);
    if checks.is_empty() && terms != before {
        checks.extend(rules::compensation::check(&terms));
    }
    checks.finish().map(|()| terms)
}

#[expect(clippy::ptr_arg, reason = "has the shape of every other check")]
fn payment_unit(key: &str, value: &String) -> Result<PaymentUnit, Violation> {
    check::named(key, value, &PaymentUnit::names(), PaymentUnit::parse)
}

#[expect(clippy::ptr_arg, reason = "has the shape of every other check")]
fn flsa_status(key: &str, value: &String) -> Result<FlsaStatus, Violation> {
    check::named(key, value, &FlsaStatus::names(), FlsaStatus::parse)
}

#[expect(clippy::ptr_arg, reason = "has the shape of every other check")]
fn optional_title(key: &str, value: &String) -> Result<Option<String>, Violation> {
    check::optional_text(key, Some(value), TITLE)
}

/// Refuses a status that does not allow several jobs while the employee has them.
fn check_status(flsa: FlsaStatus, pay: &Pay, checks: &mut Checks) {
    let fits = pay.jobs.len() < 2 || rules::compensation::may_have_several_jobs(flsa);
    checks.require(fits, || {
        Violation::invalid("flsa_status", "flsa_status must be Nonexempt while the employee has several jobs")
    });
}

/// Refuses a day before work begins, and one from which another compensation of the job counts already.
fn check_day(day: Date, job: &Job, others: &[Compensation], checks: &mut Checks) {
    checks.require(day >= job.hire_date, || {
        let message = format!(
            "effective_date must not be before the hire date of the job, {}; it is {day}",
            job.hire_date
        );
        Violation::invalid("effective_date", message)
    });
    if let Some(other) = others.iter().find(|other| other.effective_date == day) {
        let message =
            format!("effective_date {day} is that of another compensation of the job: update {}", other.id);
        checks.push(Violation::invalid("effective_date", message));
    }
}

#[cfg(test)]
mod tests {
    use rules::Amount;

    use super::*;

    const EMPTY: PayTerms =
        PayTerms { rate: Amount::ZERO, unit: PaymentUnit::Hour, flsa: FlsaStatus::Nonexempt };

    fn merged(body: &str) -> Result<PayTerms, Vec<String>> {
        let input: UpdateCompensation = serde_json::from_str(body).unwrap();
        merge(&input, EMPTY)
            .map_err(|violations| violations.into_iter().map(|violation| violation.key).collect())
    }

    #[test]
    fn what_a_new_job_pays_may_stay_empty_but_not_become_wrong() {
        assert_eq!(merged(r#"{"title":"Cook"}"#), Ok(EMPTY));
        assert_eq!(merged(r#"{"rate":"0.00"}"#), Ok(EMPTY));
        assert_eq!(merged(r#"{"rate":"9"}"#).map(|terms| terms.rate), Ok(Amount::from_cents(900)));
        assert_eq!(merged(r#"{"flsa_status":"Exempt"}"#), Err(vec!["rate".to_owned()]));
    }

    #[test]
    fn terms_are_judged_together_only_where_each_can_be_read() {
        let faults = merged(r#"{"rate":"much","payment_unit":"Day","flsa_status":null}"#).unwrap_err();
        assert_eq!(faults, ["rate", "payment_unit", "flsa_status"]);
        let owner = merged(r#"{"rate":500,"payment_unit":"Paycheck","flsa_status":"Owner"}"#).unwrap();
        assert_eq!((owner.unit, owner.flsa), (PaymentUnit::Paycheck, FlsaStatus::Owner));
    }

    #[test]
    fn an_unknown_unit_or_status_is_told_what_is_allowed() {
        let unit = payment_unit("payment_unit", &"hour".to_owned()).unwrap_err();
        assert_eq!(unit.message, "payment_unit must be one of: Hour, Week, Month, Year, Paycheck");
        let status = flsa_status("flsa_status", &"Salaried".to_owned()).unwrap_err();
        assert!(
            status.message.contains("Exempt, Salaried Nonexempt, Nonexempt, Owner, Commission Only Exempt")
        );
    }
}
