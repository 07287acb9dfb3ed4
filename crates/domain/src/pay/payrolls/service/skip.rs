//! Skipping the payroll of a pay period: it pays nobody, and is processed like any other, so that the period is settled. That of a
//! transition is made for it.

use jiff::civil::Date;
use rules::withholding::federal::PayFrequency;
use rules::{Checks, Violation, check};
use store::Tx;

use super::create::store_new;
use super::{find_guarded, store};
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::patch::Patch;
use crate::pay::pay_schedules::rows as schedules;
use crate::pay::pay_schedules::service::guard;
use crate::pay::payrolls::blockers::refuse_blocked;
use crate::pay::payrolls::rows::{Payroll, TRANSITION};
use crate::pay::payrolls::{earliest_check_date, periods, rows};
use crate::platform::jobs;
use crate::records::id_of;

/// The type of a regular payroll.
const REGULAR: &str = "Regular";
/// Every type that the interface has a name for.
pub const SKIPPED: [&str; 4] = [REGULAR, "Hired employee", "Dismissed employee", TRANSITION];

/// Skips a payroll.
#[derive(Debug, Clone, Default)]
pub struct SkipPayroll {
    /// one of [`SKIPPED`]
    pub payroll_type: Patch<String>,
    /// first day of its pay period
    pub start_date: Patch<String>,
    /// last day of its pay period; today when left out
    pub end_date: Patch<String>,
    /// the schedule that it follows from
    pub pay_schedule_uuid: Patch<String>,
    /// only of payrolls of single employees
    pub employee_uuids: Patch<Vec<String>>,
}

/// Skips the regular payroll of a pay period, or that of a transition: it is calculated for nobody and submitted in the background.
///
/// # Errors
/// Every violation of the input; 422 with every blocker, and where no open payroll has these days; a store error.
pub fn skip(tx: &mut Tx<'_>, caller: &Caller, input: &SkipPayroll) -> Result<(), Error> {
    let found = find_open(tx, caller, input)?;
    let mut one = find_guarded(tx, caller, found.id)?;
    super::refuse_submitted(&one)?;
    refuse_blocked(tx, caller, one.check_date)?;
    jobs::cancel(tx, caller.company, jobs::Kind::PayrollCalculate, one.id)?;
    one.forget_calculation();
    one.skipped = true;
    store(tx, caller, &mut one, "skipped")?;
    let now = tx.now();
    jobs::schedule(tx, caller.company, jobs::Kind::PayrollAuto, one.id, now)
}

/// The payroll that is meant.
fn find_open(tx: &mut Tx<'_>, caller: &Caller, input: &SkipPayroll) -> Result<Payroll, Error> {
    let mut checks = Checks::new();
    let kind = |key: &str, sent: &String| {
        let known = check::one_of(key, sent, &SKIPPED)?;
        if [REGULAR, TRANSITION].contains(&known) {
            return Ok(known);
        }
        let why = format!(
            "{key} must be {REGULAR} or {TRANSITION}: any other payroll outside the schedule is made only when it is wanted, and can be deleted"
        );
        Err(Violation::invalid(key, why))
    };
    let kind = input.payroll_type.required("payroll_type", &mut checks, kind);
    let date = |key: &str, sent: &String| check::date(key, sent);
    let start: Option<Date> = input.start_date.optional("start_date", &mut checks, date);
    let end: Option<Date> = input.end_date.optional("end_date", &mut checks, date);
    let schedule = input.pay_schedule_uuid.optional("pay_schedule_uuid", &mut checks, |_, id| Ok(id_of(id)));
    let nobody = |key: &str, ids: &Vec<String>| match ids.is_empty() {
        true => Ok(()),
        false => Err(Violation::invalid(
            key,
            format!("{key} must be empty: a regular payroll is skipped for everybody"),
        )),
    };
    input.employee_uuids.optional("employee_uuids", &mut checks, nobody);
    checks.finish()?;
    if kind == Some(TRANSITION) {
        return of_transition(tx, caller, start, end);
    }
    let day = end.unwrap_or_else(|| caller.today(tx));
    let between = rows::regular_between(tx, caller.company, day, day)?.into_iter();
    let mut fitting = between.filter(|one| {
        one.submitted_at.is_none()
            && end.is_none_or(|end| one.end == end)
            && start.is_none_or(|start| one.start == start)
            && schedule.is_none_or(|schedule| one.pay_schedule == Some(schedule))
    });
    fitting.next().ok_or_else(|| {
        let why = "end_date, with start_date and pay_schedule_uuid, must be that of a regular payroll that was not submitted";
        Error::from(Violation::invalid("end_date", why))
    })
}

/// The payroll of a transition pay period, which is made where there is none.
fn of_transition(
    tx: &mut Tx<'_>,
    caller: &Caller,
    start: Option<Date>,
    end: Option<Date>,
) -> Result<Payroll, Error> {
    guard(tx, caller.company)?;
    let today = caller.today(tx);
    let day = end.unwrap_or(today);
    let found = periods::transitions(tx, caller, day, day)?.into_iter();
    let mut fitting =
        found.filter(|period| period.end == day && start.is_none_or(|start| start == period.start));
    let Some(period) = fitting.next() else {
        let why = "end_date, with start_date, must be that of a transition pay period, as GET /v1/companies/{company_id}/pay_periods \
                   lists them with payroll_types=transition";
        return Err(Violation::invalid("end_date", why).into());
    };
    if let Some(made) = period.payroll {
        return rows::find(tx, caller.company, made)?.ok_or(Error::NotFound);
    }
    let frequency = schedules::of_employees(tx, caller.company)?.map(|schedule| schedule.frequency);
    let new = Payroll {
        pay_schedule: period.pay_schedule,
        off_cycle: true,
        off_cycle_reason: Some(TRANSITION.to_owned()),
        ..Payroll::new(
            (tx.new_id(), tx.now()),
            (period.start, period.end),
            period.check_date.max(earliest_check_date(tx.now(), today)),
            frequency.unwrap_or(PayFrequency::EveryOtherWeek),
        )
    };
    store_new(tx, caller, &new, None)?;
    Ok(new)
}
