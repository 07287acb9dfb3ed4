//! Discards calculations of payrolls based on data that has changed since: the employment (an employee leaves, stays after all, comes
//! back, was hired on another day, or has only now been onboarded); the accounts that receive the pay; year-to-date sums (amounts paid
//! elsewhere are reported only now, or a payroll that paid the same employees was canceled); or the payee of a garnishment (the company
//! would be debited for an amount that nobody remits).
//!
//! The calculation is discarded just as when the members of a payroll change in any other way. So nobody is paid for days after the
//! last day of work, paid twice for the same days, or left out.

use crate::pay::payrolls::calendar::employed_days;
use rules::Amount;
use rules::employment::Held;
use rules::payroll::{AfterDeath, Job};
use store::Tx;
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::error::Error;
use crate::pay::compensations;
use crate::pay::payrolls::calendar::{members, regular};
use crate::pay::payrolls::facts::payment;
use crate::pay::payrolls::record::inputs::Input;
use crate::pay::payrolls::record::payroll::TABLE;
use crate::pay::payrolls::record::payroll::{Payroll, Request};
use crate::pay::payrolls::record::{results, rows};
use crate::people::employment;
use crate::people::payment_methods::payable;
use crate::platform::hooks::EmployeeAspect;

/// Discards the calculations of payrolls that would now pay an employee for different days, or in a different way.
pub fn employee_changed(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    aspect: EmployeeAspect,
) -> Result<(), Error> {
    use EmployeeAspect::{Employment, Onboarded, PaymentMethod, PlannedReturn, StartDate};
    let concerns = matches!(aspect, Employment | Onboarded | PaymentMethod | PlannedReturn | StartDate);
    // An employee who is still being onboarded is in no payroll.
    if !concerns || !members::could_ever_be(tx, caller.company, employee)? {
        return Ok(());
    }
    forget_where(tx, caller, |tx, one| match aspect {
        PaymentMethod => goes_elsewhere(tx, caller.company, one, employee),
        _ => pays_otherwise(tx, caller.company, one, employee),
    })
}

/// Discards the calculations of payrolls that pay an employee in `year` or later: amounts paid elsewhere in that year, which their
/// year-to-date sums depend on, were reported only after the calculation.
pub(in crate::pay::payrolls) fn sums_changed(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    year: i16,
) -> Result<(), Error> {
    forget_where(tx, caller, |tx, one| {
        let later = one.check_date.year() >= year;
        let Some(run) = one.run.filter(|_| later) else { return Ok(false) };
        Ok(results::find_outcome(tx, caller.company, run, employee)?.is_some())
    })
}

/// Discards the calculations that withhold for a garnishment whose payee has changed.
pub fn payee_changed(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    garnishment: Uuid,
) -> Result<(), Error> {
    forget_where(tx, caller, |tx, one| {
        let Some(run) = one.run else { return Ok(false) };
        let Some(outcome) = results::find_outcome(tx, caller.company, run, employee)? else {
            return Ok(false);
        };
        Ok(outcome
            .read_paycheck()?
            .deductions
            .iter()
            .any(|taken| taken.id == garnishment && taken.amount > Amount::ZERO))
    })
}

/// Discards the calculations that are based on a canceled payroll and pay any of the employees whom it paid.
pub(in crate::pay::payrolls) fn payroll_cancelled(
    tx: &mut Tx<'_>,
    caller: &Caller,
    cancelled: &Payroll,
) -> Result<(), Error> {
    forget_where(tx, caller, |tx, one| rows::rests_on(tx, caller.company, one, cancelled))
}

fn forget_where(
    tx: &mut Tx<'_>,
    caller: &Caller,
    changed: impl Fn(&mut Tx<'_>, &Payroll) -> Result<bool, Error>,
) -> Result<(), Error> {
    // All guards first: a calculation that ends concurrently either sees this change, or is seen here.
    for open in rows::unsubmitted_payrolls(tx, caller.company)? {
        tx.take_guard(caller.company, TABLE, open.id)?;
    }
    for one in rows::unsubmitted_payrolls(tx, caller.company)? {
        if !one.skipped && changed(tx, &one)? {
            regular::forget_calculation(tx, caller, one)?;
        }
    }
    Ok(())
}

/// Whether a payroll, if calculated now, would pay an employee for different days, no longer pay them, or newly pay them, or whether
/// the time of payment relative to the employee's death has changed.
fn pays_otherwise(tx: &mut Tx<'_>, company: Uuid, one: &Payroll, employee: Uuid) -> Result<bool, Error> {
    let Some(run) = one.run else { return Ok(false) };
    let excluded = Input::find(tx, company, one.id, employee)?.is_some_and(|input| input.excluded);
    let is_paid = !excluded && members::find_member(tx, company, one, employee)?.is_some();
    let Some(outcome) = results::find_outcome(tx, company, run, employee)? else { return Ok(is_paid) };
    let Some(inputs) = outcome.readable_inputs(one.id).filter(|_| is_paid) else { return Ok(true) };
    let held = employment::rows::of_employee(tx, company, employee)?;
    let jobs = compensations::rows::of_employee(tx, company, employee)?.jobs;
    let begun = jobs.iter().filter(|job| job.hire_date <= one.end);
    let after_death = held.date_of_death().and_then(|died| AfterDeath::on_pay_date(died, one.check_date));
    if after_death != inputs.after_death {
        return Ok(true);
    }
    // Changes after the pay period do not affect it.
    let within = |days: Held| Held { until: days.until.filter(|day| *day <= one.end), ..days };
    let now = begun.map(|job| within(employed_days::days_held(one, job.employment_dates(), Some(&held))));
    let then = inputs.jobs.iter().map(Job::days_held);
    Ok(!now.eq(then.map(within)))
}

/// Whether an employee's pay, if calculated now, would go to other accounts, be divided among them differently, or be paid by check.
fn goes_elsewhere(tx: &mut Tx<'_>, company: Uuid, one: &Payroll, employee: Uuid) -> Result<bool, Error> {
    // A calculation in progress detects the change by itself.
    let Some(run) = one.run.filter(|_| one.request == Some(Request::CalculateSuccess)) else {
        return Ok(false);
    };
    let Some(outcome) = results::find_outcome(tx, company, run, employee)? else { return Ok(false) };
    let Some(member) = members::find_member(tx, company, one, employee)? else { return Ok(false) };
    let Some(inputs) = outcome.readable_inputs(one.id) else { return Ok(true) };
    let entered = Input::find(tx, company, one.id, employee)?.map(|input| input.entered).unwrap_or_default();
    let plan = payable::of_employee(tx, company, employee)?.plan;
    Ok(inputs.payment != payment::payment_input(one, &member, &entered, plan))
}
