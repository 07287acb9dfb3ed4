//! Skipping the payroll of a pay period: it pays nobody and is processed like any other, which settles the period. The payroll of a
//! transition, or of an employee's last pay period, is first created if it does not exist.

use jiff::civil::Date;
use rules::days::Days;
use rules::{Checks, Violation, check};
use store::Tx;
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::error::Error;
use crate::patch::{Patch, as_is};
use crate::pay::pay_schedules::service::guard_schedules;
use crate::pay::payrolls::calendar::dismissals::LastPeriod;
use crate::pay::payrolls::calendar::periods::PayPeriod;
use crate::pay::payrolls::calendar::{dismissals, transitions};
use crate::pay::payrolls::record::payroll::{DISMISSAL, Payroll, TRANSITION};
use crate::pay::payrolls::record::rows;
use crate::pay::payrolls::service::blockers::refuse_blocked;
use crate::pay::payrolls::service::create::store_new;
use crate::pay::payrolls::service::details::{check_employee_ids, find_guarded, store_payroll};
use crate::platform::jobs;
use crate::records::id_of;
use crate::version::Change;

/// The type of a regular payroll.
const REGULAR: &str = "Regular";
/// A type without payrolls, because regular payrolls pay new employees.
const HIRED: &str = "Hired employee";
/// Every payroll type in the API.
pub const SKIPPED: [&str; 4] = [REGULAR, HIRED, DISMISSAL, TRANSITION];

/// Skips a payroll.
#[derive(Debug, Clone, Default)]
pub struct SkipPayroll {
    /// one of [`SKIPPED`]
    pub payroll_type: Patch<String>,
    /// first day of its pay period
    pub start_date: Patch<Date>,
    /// last day of its pay period; the pay period that contains today when left out
    pub end_date: Patch<Date>,
    /// the pay schedule it belongs to
    pub pay_schedule_uuid: Patch<String>,
    /// the employees whose last pay periods are skipped; only for payrolls of final wages
    pub employee_uuids: Patch<Vec<String>>,
}

/// The days and other criteria for finding payrolls.
struct Named {
    start: Option<Date>,
    end: Option<Date>,
    schedule: Option<Uuid>,
    employees: Vec<Uuid>,
    today: Date,
}

impl Named {
    /// Whether the pay period has the given days; without a last day, whether it is the current one.
    fn fits_period(&self, start: Date, end: Date) -> bool {
        self.end.map_or((start..=end).contains(&self.today), |named| named == end)
            && self.start.is_none_or(|named| named == start)
    }

    fn is_of(&self, schedule: Option<Uuid>) -> bool {
        self.schedule.is_none_or(|named| Some(named) == schedule)
    }

    /// Whether the named schedule, if any, is the one that the employees are leaving. If all employees change together, the schedule is not
    /// compared, because no other transition could be meant.
    fn is_of_left(&self, period: &PayPeriod) -> bool {
        period.whole_days.is_none() || self.is_of(period.pay_schedule)
    }
}

/// Skips the payroll of a regular pay period, of a transition, or of last pay periods: it is calculated for nobody and submitted in the
/// background.
///
/// # Errors
/// Every violation of the input; 422 with every blocker, and if no unsubmitted payroll has these days; a store error.
pub fn skip_payroll(tx: &mut Tx<'_>, caller: &Caller, input: &SkipPayroll) -> Result<(), Error> {
    for id in find_open(tx, caller, input)? {
        let mut one = find_guarded(tx, caller, id)?;
        crate::pay::payrolls::service::details::refuse_submitted(&one)?;
        refuse_blocked(tx, caller, one.check_date)?;
        jobs::cancel_job(tx, caller.company, jobs::JobKind::PayrollCalculate, id)?;
        one.forget_calculation();
        one.skipped = true;
        store_payroll(tx, caller, &mut one, "skipped")?;
        let now = tx.now();
        jobs::schedule_job(tx, caller.company, jobs::JobKind::PayrollAuto, id, now)?;
    }
    Ok(())
}

/// Returns the payrolls that the request names.
fn find_open(tx: &mut Tx<'_>, caller: &Caller, input: &SkipPayroll) -> Result<Vec<Uuid>, Error> {
    let mut checks = Checks::new();
    let kind = |key: &str, sent: &String| {
        let known = check::one_of(key, sent, &SKIPPED)?;
        if known != HIRED {
            return Ok(known);
        }
        let why = format!(
            "{key} must be {REGULAR}, {DISMISSAL} or {TRANSITION}: new employees are paid by regular payrolls"
        );
        Err(Violation::invalid(key, why))
    };
    let kind = input.payroll_type.required("payroll_type", &mut checks, kind);
    let apart = kind == Some(DISMISSAL);
    let must_be_named = apart && caller.version.includes_change(Change::SkippedLastPeriodIsNamed);
    let some_id = |_: &str, id: &String| Ok(id_of(id));
    let start = input.start_date.optional("start_date", &mut checks, as_is);
    let (end, schedule) = match must_be_named {
        true => (
            input.end_date.required("end_date", &mut checks, as_is),
            input.pay_schedule_uuid.required("pay_schedule_uuid", &mut checks, some_id),
        ),
        false => (
            input.end_date.optional("end_date", &mut checks, as_is),
            input.pay_schedule_uuid.optional("pay_schedule_uuid", &mut checks, some_id),
        ),
    };
    let people = |key: &str, ids: &Vec<String>| match apart || ids.is_empty() {
        true => check_employee_ids(key, ids),
        false => Err(Violation::invalid(
            key,
            format!("{key} must be empty: such a payroll is skipped for everybody"),
        )),
    };
    let employees = input.employee_uuids.optional("employee_uuids", &mut checks, people).unwrap_or_default();
    let employees = employees.iter().map(|id| id_of(id)).collect();
    checks.finish()?;
    let named = Named { start, end, schedule, employees, today: caller.today(tx) };
    match kind {
        Some(TRANSITION) => of_transition(tx, caller, &named),
        Some(DISMISSAL) => of_last_periods(tx, caller, &named),
        _ => find_regular_payroll(tx, caller, &named),
    }
}

/// Returns the regular payroll of a pay period.
fn find_regular_payroll(tx: &mut Tx<'_>, caller: &Caller, named: &Named) -> Result<Vec<Uuid>, Error> {
    let day = named.end.unwrap_or(named.today);
    let mut fitting = rows::regular_between(tx, caller.company, day, day)?;
    fitting.retain(|one| {
        one.submitted_at.is_none() && named.fits_period(one.start, one.end) && named.is_of(one.pay_schedule)
    });
    let Some(one) = fitting.first() else {
        let why = "end_date, with start_date and pay_schedule_uuid, must name a regular payroll that was not submitted";
        return Err(Violation::invalid("end_date", why).into());
    };
    Ok(vec![one.id])
}

/// Returns the payroll of a transition pay period; creates it if it does not exist.
fn of_transition(tx: &mut Tx<'_>, caller: &Caller, named: &Named) -> Result<Vec<Uuid>, Error> {
    guard_schedules(tx, caller.company)?;
    let day = named.end.unwrap_or(named.today);
    let mut fitting = transitions::transition_periods(tx, caller, day, day)?;
    fitting.retain(|period| named.fits_period(period.start, period.end) && named.is_of_left(period));
    let Some(period) = fitting.first() else {
        let why = "end_date, with start_date, must name a transition pay period, as GET /v1/companies/{company_id}/pay_periods \
                   lists them with payroll_types=transition";
        return Err(Violation::invalid("end_date", why).into());
    };
    match period.payroll {
        Some(made) => Ok(vec![made]),
        None => Ok(vec![transitions::create_transition_payroll(tx, caller, period)?.id]),
    }
}

/// Returns the payrolls of last pay periods, for every employee who leaves in the period or for the named ones; creates them if they do
/// not exist.
fn of_last_periods(tx: &mut Tx<'_>, caller: &Caller, named: &Named) -> Result<Vec<Uuid>, Error> {
    guard_schedules(tx, caller.company)?;
    let mut fitting = dismissals::unprocessed_last_periods(tx, caller)?;
    fitting.retain(|period| {
        named.fits_period(period.start, period.end)
            && named.is_of(Some(period.pay_schedule))
            && (named.employees.is_empty() || named.employees.contains(&period.employee))
    });
    let listed =
        "as GET /v1/companies/{company_id}/pay_periods/unprocessed_termination_pay_periods lists them";
    if fitting.is_empty() {
        let why = format!("end_date, with the other fields, must name a last pay period, {listed}");
        return Err(Violation::invalid("end_date", why).into());
    }
    let waits = |id: &Uuid| fitting.iter().any(|period| period.employee == *id);
    if !named.employees.iter().all(waits) {
        let why =
            format!("employee_uuids must name employees whose last pay period is the named one, {listed}");
        return Err(Violation::invalid("employee_uuids", why).into());
    }
    let mut found = Vec::with_capacity(fitting.len());
    for period in &fitting {
        found.push(match period.payroll {
            Some(made) => made,
            None => create_final_payroll(tx, caller, period)?,
        });
    }
    Ok(found)
}

/// Creates the payroll of a last pay period; returns its id.
fn create_final_payroll(tx: &mut Tx<'_>, caller: &Caller, period: &LastPeriod) -> Result<Uuid, Error> {
    let new = Payroll {
        pay_schedule: Some(period.pay_schedule),
        off_cycle: true,
        off_cycle_reason: Some(DISMISSAL.to_owned()),
        chosen_employees: true,
        whole_days: period.whole_days,
        last_day: Some(period.last_day),
        ..Payroll::new(
            (tx.new_id(), tx.now()),
            Days { first: period.start, last: period.end },
            period.check_date,
            period.frequency,
        )
    };
    Ok(store_new(tx, caller, &new, Some(vec![period.employee]))?.payroll.id)
}
