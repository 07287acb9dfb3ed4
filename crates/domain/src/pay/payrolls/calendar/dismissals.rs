//! The last pay periods of departing employees who are paid separately, and the payrolls that pay them.
//!
//! Such a payroll is for one employee and for the whole pay period that contains the last day of work: a salary is prorated by the days
//! worked in that period. If the last day lies between two schedules, the pay period consists of those days. The payroll replaces the
//! regular one, which leaves the employee out. An employee who leaves twice in a pay period has two such payrolls, each until its last day
//! of work.

use jiff::Timestamp;
use jiff::civil::Date;
use rules::days::Days;
use rules::employment::Departure;
use rules::payroll::holidays::{banking_day_until, banking_days_before};
use rules::payroll::schedule::{BANKING_DAYS, PayPeriod};
use rules::withholding::federal::PayFrequency;
use rules::{Checks, Violation};
use serde_json::json;
use store::record::Cursor;
use store::{Row, Tx, params};
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::error::Error;
use crate::events;
use crate::pay::pay_schedules::schedule_spans;
use crate::pay::pay_schedules::schedule_spans::Follows;
use crate::pay::payrolls::calendar::{last_wages, transitions};
use crate::pay::payrolls::record::deadlines::earliest_check_date;
use crate::pay::payrolls::record::payroll::Payroll;
use crate::pay::payrolls::record::{inputs, results};
use crate::people::employees::Employee;
use crate::people::employment;
use crate::people::employment::Termination;
use crate::platform::hooks::EmployeeAspect;
use crate::records::IdRange;

store::statements! {
    MADE = "SELECT p.id, p.submitted_at IS NOT NULL FROM payrolls p \
            JOIN payroll_inputs i ON i.company_id = p.company_id AND i.payroll_id = p.id \
            WHERE p.company_id = $1 AND i.employee_id = $2 AND p.off_cycle = true AND p.off_cycle_reason = 'Dismissed employee' \
            AND (p.last_day = $3 OR (p.last_day IS NULL AND p.start_date <= $3 AND p.end_date >= $3)) ORDER BY p.id LIMIT 1";
    PAID_REGULARLY = "SELECT p.id, p.run_id FROM payrolls p \
                      JOIN payroll_results r ON r.company_id = p.company_id AND r.run_id = p.run_id \
                      WHERE p.company_id = $1 AND r.employee_id = $2 AND p.submitted_at IS NOT NULL \
                      AND (p.off_cycle = false OR p.off_cycle_reason = 'Transition from old pay schedule') \
                      AND p.start_date <= $3 AND p.end_date >= $3 ORDER BY p.id LIMIT 10";
    SUBMITTED = "SELECT id, start_date, end_date FROM payrolls WHERE company_id = $1 AND pay_schedule_id = $2 AND off_cycle = false \
                 AND submitted_at IS NOT NULL AND skipped = false AND start_date <= $3 AND end_date >= $3 ORDER BY id LIMIT 1";
    TOLD = "SELECT id, last_wages_told FROM terminations WHERE company_id = $1 AND employee_id = $2 ORDER BY id";
    SINCE = "SELECT created_at FROM terminations WHERE company_id = $1 AND employee_id = $2 AND id = $3";
    TELL = "UPDATE terminations SET last_wages_told = $1 WHERE company_id = $2 AND employee_id = $3 AND id = $4";
}

/// The last pay period of an employee whose final wages are not paid yet.
#[derive(Debug, Clone)]
pub struct LastPeriod {
    /// the termination
    pub termination: Uuid,
    /// when it was recorded
    pub since: Timestamp,
    /// the employee
    pub employee: Uuid,
    /// first and last name
    pub name: String,
    /// first day of the pay period
    pub start: Date,
    /// last day of the pay period
    pub end: Date,
    /// last day of work
    pub last_day: Date,
    /// when the final wages are to be paid
    pub check_date: Date,
    /// when they can be paid by check, if that is earlier: checks need no days at a bank
    pub by_check: Option<Date>,
    /// the state's deadline for paying them; `None` if unknown
    pub due_on: Option<Date>,
    /// when the company's account is debited
    pub debit_date: Date,
    /// the schedule of the period
    pub pay_schedule: Uuid,
    /// how often that schedule pays
    pub frequency: PayFrequency,
    /// the number of days of the whole pay period, if `start` to `end` is a part of one or of several
    pub whole_days: Option<i64>,
    /// the open payroll that was created for it, if any
    pub payroll: Option<Uuid>,
}

/// The payroll created for an employee's final wages.
pub(super) struct Made {
    pub(super) id: Uuid,
    submitted: bool,
}

/// Returns the payroll that was created for the final wages of a last day of work.
pub(super) fn final_payroll_of(
    tx: &mut Tx<'_>,
    company: Uuid,
    employee: Uuid,
    last_day: Date,
) -> Result<Option<Made>, Error> {
    let read = |row: &Row<'_>| {
        let mut next = Cursor::new(row, "payrolls", 0);
        Ok::<_, store::Error>(Made {
            id: next.read_plain("id")?,
            submitted: next.read_plain("submitted_at")?,
        })
    };
    Ok(tx.try_find(MADE, params![company, employee, last_day], read)?)
}

/// Whether a payroll of regular wages has paid the days up to the last day of work. A payroll that pays only from a rehire within the same
/// period on does not count.
pub(super) fn is_paid_regularly(
    tx: &mut Tx<'_>,
    company: Uuid,
    employee: Uuid,
    last_day: Date,
) -> Result<bool, Error> {
    let read = |row: &Row<'_>| (row.get::<Uuid>(0), row.get::<Uuid>(1));
    for (payroll, run) in tx.query_rows(PAID_REGULARLY, params![company, employee, last_day], read)? {
        let Some(outcome) = results::find_outcome(tx, company, run, employee)? else { continue };
        let from =
            outcome.readable_inputs(payroll).and_then(|inputs| inputs.jobs.first().map(|job| job.hired));
        if from.is_none_or(|from| from <= last_day) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the last pay periods whose separate payroll is still to be run, by last day of work.
pub fn unprocessed_last_periods(tx: &mut Tx<'_>, caller: &Caller) -> Result<Vec<LastPeriod>, Error> {
    let earliest = earliest_check_date(tx.now(), caller.today(tx));
    let mut found = Vec::new();
    for one in employment::rows::paid_apart(tx, caller.company)? {
        let due_on = last_wages::final_wages_due(tx, caller.company, &one)?.map(|due| due.due_on);
        let Termination { id: termination, employee, effective_date: last_day, .. } = one;
        let made = final_payroll_of(tx, caller.company, employee, last_day)?;
        if made.as_ref().is_some_and(|made| made.submitted)
            || is_paid_regularly(tx, caller.company, employee, last_day)?
        {
            continue;
        }
        let Some(person) = Employee::find(tx, caller.company, employee)? else { continue };
        let Some(last) = last_period(tx, caller, employee, last_day)? else { continue };
        let Last { follows, period, whole_days } = last;
        let since = tx.find_row(SINCE, params![caller.company, employee, termination], |row| row.get(0))?;
        let wanted = pay_date(due_on, period.check_date);
        let (check_date, by_check) = (wanted.max(earliest), wanted.max(caller.today(tx)));
        found.push(LastPeriod {
            termination,
            since: since.unwrap_or_else(|| tx.now()),
            employee,
            name: format!("{} {}", person.first_name, person.last_name),
            start: period.start,
            end: period.end,
            last_day,
            check_date,
            by_check: Some(by_check).filter(|day| *day < check_date),
            due_on,
            debit_date: banking_days_before(check_date, BANKING_DAYS - 1),
            pay_schedule: follows.schedule.id,
            frequency: follows.schedule.frequency,
            whole_days,
            payroll: made.map(|made| made.id),
        });
    }
    Ok(found)
}

/// Tells the company of the final wages of an employee that are to be paid apart, and that they no longer are: after a change of the employment,
/// and when their payroll is submitted, skipped or cancelled.
pub(in crate::pay::payrolls) fn notify_final_wages(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
) -> Result<(), Error> {
    let company = caller.company;
    let read = |row: &Row<'_>| (row.get::<Uuid>(0), row.get::<bool>(1));
    let told = tx.query_rows(TOLD, params![company, employee], read)?;
    if told.is_empty() {
        return Ok(());
    }
    tx.take_guard(company, "employee", employee)?;
    let open = unprocessed_last_periods(tx, caller)?;
    for (termination, was_told) in told {
        let is_open = open.iter().any(|one| one.termination == termination);
        let event = match (was_told, is_open) {
            (false, true) => events::NOTIFICATION_LAST_WAGES_CREATED,
            (true, false) => events::NOTIFICATION_LAST_WAGES_RESOLVED,
            _ => continue,
        };
        let _row_read_under_the_guard =
            tx.change_rows(TELL, params![is_open, company, employee, termination])?.is_one();
        events::emit_of_company(tx, company, event, termination)?;
    }
    Ok(())
}

/// Follows a change of an employee.
pub fn employee_changed(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    aspect: EmployeeAspect,
) -> Result<(), Error> {
    if aspect == EmployeeAspect::Employment { notify_final_wages(tx, caller, employee) } else { Ok(()) }
}

/// As [`notify_final_wages`], for the employees of a payroll of final wages; no-op for any other.
pub(in crate::pay::payrolls) fn tell_of(
    tx: &mut Tx<'_>,
    caller: &Caller,
    payroll: &Payroll,
) -> Result<(), Error> {
    if !payroll.is_dismissal() {
        return Ok(());
    }
    for input in inputs::inputs_between(tx, caller.company, payroll.id, IdRange::ALL)? {
        notify_final_wages(tx, caller, input.employee)?;
    }
    Ok(())
}

/// Returns when final wages are paid: on the period's pay date, unless they are due earlier.
fn pay_date(due_on: Option<Date>, regular: Date) -> Date {
    due_on.map_or(regular, |due| banking_day_until(due).min(regular))
}

/// Returns the pay date that the list of pay periods proposes for the final wages of a termination, even if it is too early to be met.
pub fn proposed_check_date(
    tx: &mut Tx<'_>,
    caller: &Caller,
    leaves: &Termination,
) -> Result<Option<Date>, Error> {
    let Some(last) = last_period(tx, caller, leaves.employee, leaves.effective_date)? else {
        return Ok(None);
    };
    let due_on = last_wages::final_wages_due(tx, caller.company, leaves)?.map(|due| due.due_on);
    Ok(Some(pay_date(due_on, last.period.check_date)))
}

/// The pay period of a last day of work.
struct Last {
    follows: Follows,
    period: PayPeriod,
    /// the number of days of the whole last pay period, if `period` is a part of one or of several
    whole_days: Option<i64>,
}

/// Returns the pay period of a last day of work: that of the schedule the employee follows, or the days between two schedules, which are
/// paid once, as for employees who stay.
fn last_period(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    last_day: Date,
) -> Result<Option<Last>, Error> {
    let Some(follows) = schedule_spans::of_employee(tx, caller.company, employee, last_day)? else {
        return Ok(None);
    };
    let several = !schedule_spans::company_wide_spans(tx, caller.company)?.is_empty();
    let between = transitions::transition_periods(tx, caller, last_day, last_day)?;
    // The days of employees who leave a schedule belong to one of its periods, so `follows` knows them.
    let own = between
        .into_iter()
        .find(|one| one.whole_days.is_none() && (!several || one.pay_schedule == Some(follows.schedule.id)));
    let Some(days) = own else {
        let (period, whole_days) = (follows.period_of(last_day)?, follows.whole_days(last_day)?);
        return Ok(Some(Last { follows, period, whole_days }));
    };
    let last = follows.schedule.pay_periods()?.period_of(days.end);
    let period = PayPeriod { start: days.start, end: days.end, check_date: days.check_date };
    let whole_days =
        Some(i64::from(last.days())).filter(|_| (period.start, period.end) != (last.start, last.end));
    Ok(Some(Last { follows, period, whole_days }))
}

/// Returns the number of days of the whole pay period if a payroll of final wages is for a part of one or of several.
pub fn whole_days(tx: &mut Tx<'_>, caller: &Caller, leaves: &Termination) -> Result<Option<i64>, Error> {
    let last = last_period(tx, caller, leaves.employee, leaves.effective_date)?;
    Ok(last.and_then(|last| last.whole_days))
}

/// Checks a new payroll of final wages, and returns the termination it is for: if there are several in the pay period, the first
/// without a payroll.
pub fn check_final_payroll(
    tx: &mut Tx<'_>,
    caller: &Caller,
    Days { first: start, last: end }: Days,
    employees: Option<&[Uuid]>,
    checks: &mut Checks,
) -> Result<Option<Termination>, Error> {
    let Some([employee]) = employees else {
        let message = "employee_uuids must name exactly one employee in a payroll for a dismissed employee";
        checks.push(Violation::invalid("employee_uuids", message));
        return Ok(None);
    };
    let held = employment::rows::of_employee(tx, caller.company, *employee)?;
    let inside = held.terminations.iter().filter(|one| (start..=end).contains(&one.effective_date));
    let Some(leaves) = next_to_pay(tx, caller, &inside.collect::<Vec<_>>())? else {
        let message = "employee_uuids must name an employee whose last day of work lies between start_date and end_date: \
                       record the termination first";
        checks.push(Violation::invalid("employee_uuids", message));
        return Ok(None);
    };
    let last_day = leaves.effective_date;
    checks.require(leaves.run_termination_payroll, || {
        let message = "employee_uuids names an employee whose last wages are paid by the regular payroll: set \
                       run_termination_payroll of the termination to true first";
        Violation::invalid("employee_uuids", message)
    });
    if let Some(Last { period, .. }) = last_period(tx, caller, *employee, last_day)? {
        for (key, given, expected) in [("start_date", start, period.start), ("end_date", end, period.end)] {
            checks.require(given == expected, || {
                let message = format!(
                    "{key} must be {expected}: the payroll is for the pay period of the last day of work, {last_day}"
                );
                Violation::invalid(key, message)
            });
        }
    }
    if let Some(made) = final_payroll_of(tx, caller.company, *employee, last_day)? {
        let message = "employee_uuids names an employee who already has such a payroll";
        let entities = json!({ "entity_type": "Payroll", "entity_uuid": made.id });
        checks.push(Violation::invalid("employee_uuids", message).with_metadata(entities));
    }
    if is_paid_regularly(tx, caller.company, *employee, last_day)? {
        let message = "employee_uuids names an employee whom a regular payroll has paid for these days; make a \
                       payroll with off_cycle_reason Correction for what is missing";
        checks.push(Violation::invalid("employee_uuids", message));
    }
    Ok(Some(leaves.clone()))
}

/// Returns the first termination that is paid separately and has no payroll, or else one of the terminations to report in the violation.
fn next_to_pay<'t>(
    tx: &mut Tx<'_>,
    caller: &Caller,
    departures: &[&'t Termination],
) -> Result<Option<&'t Termination>, Error> {
    let apart = || departures.iter().copied().filter(|one| one.run_termination_payroll);
    for one in apart() {
        if final_payroll_of(tx, caller.company, one.employee, one.effective_date)?.is_none() {
            return Ok(Some(one));
        }
    }
    Ok(apart().next().or(departures.first().copied()))
}

/// Refuses to change a termination for which a payroll was created, or whose change would leave days of a submitted regular payroll unpaid,
/// or paid although not worked.
///
/// # Errors
/// 422 naming the payroll; a store error.
pub fn refuse_if_made(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    before: Departure,
    after: Option<Departure>,
) -> Result<(), Error> {
    let refused = |payroll: Uuid, message: String| {
        let metadata = json!({ "entity_type": "Payroll", "entity_uuid": payroll });
        Err(Error::from(Violation::invalid_operation(message).with_metadata(metadata)))
    };
    let last_day = before.last_day;
    if let Some(Made { id, submitted }) = final_payroll_of(tx, caller.company, employee, last_day)? {
        let first = if submitted { "cancel" } else { "delete" };
        return refused(id, format!("A payroll was made for the last wages; {first} it first."));
    }
    let Some((id, start, end)) = submitted_payroll_on(tx, caller.company, employee, last_day)? else {
        return Ok(());
    };
    // The payroll left out employees who are paid separately, and this one still is.
    let stays_apart =
        |after: Departure| before.paid_apart && after.paid_apart && (start..=end).contains(&after.last_day);
    if after.is_some_and(stays_apart) {
        return Ok(());
    }
    let paid = if before.paid_apart {
        "left out the last wages, which are paid apart"
    } else {
        "paid the last wages"
    };
    refused(
        id,
        format!(
            "The regular payroll of {start} to {end} was submitted and {paid}; cancel it first, or rehire the employee after {last_day}."
        ),
    )
}

/// Refuses to move or cancel a rehire if a submitted payroll has paid the employee from the first day back, because days would be unpaid,
/// or were paid although not worked.
///
/// # Errors
/// 422 naming the payroll; a store error.
pub fn refuse_if_return_is_paid(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    day: Date,
) -> Result<(), Error> {
    let read = |row: &Row<'_>| (row.get::<Uuid>(0), row.get::<Uuid>(1));
    for (payroll, run) in tx.query_rows(PAID_REGULARLY, params![caller.company, employee, day], read)? {
        let Some(outcome) = results::find_outcome(tx, caller.company, run, employee)? else { continue };
        let inputs = outcome.readable_inputs(payroll);
        if inputs.is_none_or(|inputs| {
            inputs.jobs.iter().any(|job| !job.days_held().days(Days { first: day, last: day }).is_empty())
        }) {
            let message = format!("A submitted payroll pays the employee from {day} on; cancel it first.");
            let metadata = json!({ "entity_type": "Payroll", "entity_uuid": payroll });
            return Err(Error::from(Violation::invalid_operation(message).with_metadata(metadata)));
        }
    }
    Ok(())
}

/// Returns the submitted regular payroll whose pay period contains a day, for the schedule that an employee follows on that day.
fn submitted_payroll_on(
    tx: &mut Tx<'_>,
    company: Uuid,
    employee: Uuid,
    day: Date,
) -> Result<Option<(Uuid, Date, Date)>, Error> {
    let Some(follows) = schedule_spans::of_employee(tx, company, employee, day)? else { return Ok(None) };
    let parameters = params![company, follows.schedule.id, day];
    Ok(tx.query_rows(SUBMITTED, parameters, |row: &Row<'_>| (row.get(0), row.get(1), row.get(2)))?.pop())
}
