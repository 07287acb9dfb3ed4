//! Creating off-cycle payrolls.

use jiff::ToSpan;
use jiff::civil::Date;
use rules::days::Days;
use rules::payroll::holidays::banking_day_until;
use rules::withholding::federal::PayFrequency;
use rules::{Checks, Violation, check};
use store::Tx;
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::error::Error;
use crate::paging::Page;
use crate::patch::{Patch, as_is};
use crate::pay::pay_schedules::rows as schedules;
use crate::pay::pay_schedules::rows::Schedule;
use crate::pay::pay_schedules::schedule_spans;
use crate::pay::payrolls::calendar::{dismissals, members, regular, transitions};
use crate::pay::payrolls::record::commands::CreatePayroll;
use crate::pay::payrolls::record::deadlines::earliest_check_date;
use crate::pay::payrolls::record::inputs::Input;
use crate::pay::payrolls::record::payroll::{BONUS, DISMISSAL, Payroll, TRANSITION};
use crate::pay::payrolls::record::rows;
use crate::pay::payrolls::service::details::{
    PayrollDetails, check_employee_ids, check_frequency, payroll_with_members, read_flag, refuse_unknown,
};
use crate::people::employment::Termination;
use crate::records::{id_of, room_for};
use crate::version::Change;

/// Maximum number of unsubmitted payrolls of a company.
const MOST_OPEN: usize = 1_000;
/// Maximum number of days from the first to the last day of a pay period.
const LONGEST: i64 = 366;
/// The reasons for creating an off-cycle payroll.
pub const REASONS: [&str; 5] = [BONUS, "Correction", "Adhoc", DISMISSAL, TRANSITION];

/// Creates an off-cycle payroll.
///
/// # Errors
/// Every violation of the input; a store error.
pub fn create_off_cycle_payroll(
    tx: &mut Tx<'_>,
    caller: &Caller,
    input: &CreatePayroll,
) -> Result<PayrollDetails, Error> {
    let today = caller.today(tx);
    let CheckedRequest {
        reason,
        days: (start, end),
        check_only,
        check_date,
        period,
        skip,
        fixed_rate,
        schedule,
        chosen,
        leaves,
        mut own,
    } = validate_payroll_input(tx, caller, input)?;
    let mut left = None;
    if let (Some(TRANSITION), Some(start), Some(end)) = (reason, start, end) {
        left = transitions::requested_transition(tx, caller, Days { first: start, last: end }, schedule)?;
        let of = left.and_then(|period| period.pay_schedule);
        own = match of {
            Some(id) => Schedule::find(tx, caller.company, id)?,
            None => schedules::default_of(tx, caller.company)?,
        };
    }
    let proposed = last_pay_date(tx, caller, leaves.as_ref(), &input.check_date)?;
    let check_date = proposed.map_or(check_date, |day| day.max(check_date));
    let whole_days = match left {
        Some(period) => period.whole_days,
        None => leaves.as_ref().map_or(Ok(None), |leaves| dismissals::whole_days(tx, caller, leaves))?,
    };
    let open = rows::count_unsubmitted(tx, caller.company)?;
    room_for("payrolls that are not submitted", usize::try_from(open).unwrap_or(usize::MAX), MOST_OPEN)?;

    let frequency = own.map_or(period.unwrap_or(PayFrequency::EveryOtherWeek), |own| own.frequency);
    let new = Payroll {
        pay_schedule: left.and_then(|period| period.pay_schedule).or(schedule),
        whole_days,
        last_day: leaves.map(|leaves| leaves.effective_date),
        off_cycle: true,
        off_cycle_reason: reason.map(str::to_owned),
        chosen_employees: chosen.is_some(),
        withholding_pay_period: period.unwrap_or(frequency),
        skip_regular_deductions: skip,
        fixed_withholding_rate: fixed_rate,
        check_only,
        ..Payroll::new(
            (tx.new_id(), tx.now()),
            Days { first: start.unwrap_or(today), last: end.unwrap_or(today) },
            check_date,
            frequency,
        )
    };
    store_new(tx, caller, &new, chosen)
}

/// A validated request.
struct CheckedRequest<'i> {
    reason: Option<&'i str>,
    days: (Option<Date>, Option<Date>),
    check_only: bool,
    check_date: Date,
    /// the pay frequency used to withhold income tax
    period: Option<PayFrequency>,
    skip: bool,
    fixed_rate: bool,
    schedule: Option<Uuid>,
    chosen: Option<Vec<Uuid>>,
    leaves: Option<Termination>,
    /// the schedule that all of its employees follow
    own: Option<Schedule>,
}

/// Validates the input.
///
/// # Errors
/// Every violation of the input; a store error.
fn validate_payroll_input<'i>(
    tx: &mut Tx<'_>,
    caller: &Caller,
    input: &'i CreatePayroll,
) -> Result<CheckedRequest<'i>, Error> {
    let today = caller.today(tx);
    let mut checks = Checks::new();
    if let Some(false) = input.off_cycle.required("off_cycle", &mut checks, as_is) {
        let message = "off_cycle must be true: regular payrolls follow from the pay schedule";
        checks.push(Violation::invalid("off_cycle", message));
    }
    let reason = |key: &str, value: &String| check::one_of(key, value, &REASONS);
    let reason = input.off_cycle_reason.required("off_cycle_reason", &mut checks, reason);
    let start = input.start_date.required("start_date", &mut checks, as_is);
    let end = input.end_date.required("end_date", &mut checks, as_is);
    if let (Some(start), Some(end)) = (start, end) {
        let fits = start <= end && end <= start.saturating_add(LONGEST.days());
        checks.require(fits, || {
            let message =
                format!("end_date must not be before start_date, {start}, nor more than a year after it");
            Violation::invalid("end_date", message)
        });
    }
    let check_only = read_flag(&input.is_check_only_payroll, "is_check_only_payroll", &mut checks);
    let check_date = pay_date(tx, caller, input, check_only, &mut checks);
    let period =
        input.withholding_pay_period.optional("withholding_pay_period", &mut checks, check_frequency);
    let skip = read_flag(&input.skip_regular_deductions, "skip_regular_deductions", &mut checks);
    let fixed_rate = read_flag(&input.fixed_withholding_rate, "fixed_withholding_rate", &mut checks);
    let schedule = schedule_left(tx, caller, &input.pay_schedule_uuid, &mut checks)?;
    let chosen = chosen_employees(tx, caller, &input.employee_uuids, end, &mut checks)?;
    let mut own = None;
    if checks.is_empty() && reason != Some(TRANSITION) {
        // A bonus pays for no days of a schedule.
        let for_all = reason == Some(BONUS) && period.is_some();
        let of = (schedule, chosen.as_deref(), for_all);
        own = own_schedule(tx, caller, of, end.unwrap_or(today), &mut checks)?;
    }
    let leaves = termination_to_pay(
        tx,
        caller,
        (reason, start.zip(end).map(|(first, last)| Days { first, last })),
        chosen.as_deref(),
        &mut checks,
    )?;
    checks.finish()?;
    let days = (start, end);
    Ok(CheckedRequest {
        reason,
        days,
        check_only,
        check_date,
        period,
        skip,
        fixed_rate,
        schedule,
        chosen,
        leaves,
        own,
    })
}

/// Returns the termination whose final wages a new payroll pays, if its reason is [`DISMISSAL`].
fn termination_to_pay(
    tx: &mut Tx<'_>,
    caller: &Caller,
    (reason, days): (Option<&str>, Option<Days>),
    chosen: Option<&[Uuid]>,
    checks: &mut Checks,
) -> Result<Option<Termination>, Error> {
    let (Some(DISMISSAL), Some(days)) = (reason, days) else { return Ok(None) };
    dismissals::check_final_payroll(tx, caller, days, chosen, checks)
}

/// Returns the pay date that the list of pay periods proposes for a payroll of final wages, if the request gives none; it can be too early
/// to be met.
fn last_pay_date(
    tx: &mut Tx<'_>,
    caller: &Caller,
    leaves: Option<&Termination>,
    sent: &Patch<Date>,
) -> Result<Option<Date>, Error> {
    match (leaves, sent) {
        (Some(leaves), Patch::Absent | Patch::Null) => dismissals::proposed_check_date(tx, caller, leaves),
        _ => Ok(None),
    }
}

/// Stores a new payroll, with the employees that were chosen for it.
pub(super) fn store_new(
    tx: &mut Tx<'_>,
    caller: &Caller,
    new: &Payroll,
    chosen: Option<Vec<Uuid>>,
) -> Result<PayrollDetails, Error> {
    regular::insert_payroll(tx, caller, new)?;
    for employee in chosen.iter().flatten() {
        Input::new(new.id, *employee).insert(tx, caller.company)?;
    }
    Ok(payroll_with_members(tx, caller, new.id, &[], Page::Whole.or_first())?.0)
}

/// Returns the schedule that the request names.
fn schedule_left(
    tx: &mut Tx<'_>,
    caller: &Caller,
    field: &Patch<String>,
    checks: &mut Checks,
) -> Result<Option<Uuid>, Error> {
    let Some(id) = field.optional("pay_schedule_uuid", checks, |_, id| Ok(id_of(id))) else {
        return Ok(None);
    };
    if Schedule::find(tx, caller.company, id)?.is_none() {
        let message = "pay_schedule_uuid must be the uuid of a pay schedule of the company";
        checks.push(Violation::invalid("pay_schedule_uuid", message));
    }
    Ok(Some(id))
}

/// Returns the schedule whose frequency a new payroll has. A payroll has a single frequency: if its employees are paid on different ones,
/// it must be limited to some of them, unless it is a bonus `for_all`, whose request says by which of them income tax is withheld.
fn own_schedule(
    tx: &mut Tx<'_>,
    caller: &Caller,
    (named, chosen, for_all): (Option<Uuid>, Option<&[Uuid]>, bool),
    day: Date,
    checks: &mut Checks,
) -> Result<Option<Schedule>, Error> {
    let base = schedule_spans::company_wide_spans(tx, caller.company)?;
    if base.is_empty() {
        return schedules::default_of(tx, caller.company);
    }
    let found = match chosen {
        Some(chosen) => schedule_spans::of_employees(tx, caller.company, (&base, chosen), day)?,
        None => schedule_spans::in_use(tx, caller.company, day)?,
    };
    if chosen.is_none()
        && let Some(named) = named
    {
        return Ok(Schedule::find(tx, caller.company, named)?);
    }
    let several = found.windows(2).any(|two| two[0].frequency != two[1].frequency);
    if several && for_all {
        return Ok(None);
    }
    checks.require(!several, || match chosen {
        Some(_) => Violation::invalid(
            "employee_uuids",
            "employee_uuids must name employees who are paid on the same frequency: make one payroll for each pay schedule; a Bonus can be for all of \
             them with withholding_pay_period, by which income tax is withheld",
        ),
        None => Violation::invalid(
            "pay_schedule_uuid",
            "pay_schedule_uuid must name the pay schedule whose employees the payroll is for: the company's schedules have different \
             frequencies. A Bonus can be for the employees of all of them with withholding_pay_period, by which income tax is withheld",
        ),
    });
    Ok(found.into_iter().next())
}

/// Returns the pay date of a new payroll: the given one, or the earliest possible. Banks pay only on banking days: as with the pay dates
/// of a schedule, the banking day before it is used, which may be in the year before. Checks can be handed out on any day.
fn pay_date(
    tx: &Tx<'_>,
    caller: &Caller,
    input: &CreatePayroll,
    check_only: bool,
    checks: &mut Checks,
) -> Date {
    let today = caller.today(tx);
    let earliest = if check_only { today } else { earliest_check_date(tx.now(), today) };
    let fits = |key: &str, day: &Date| {
        let day = *day;
        if day >= earliest && day <= today.saturating_add(1.years()) {
            return Ok(day);
        }
        let message = format!("{key} must not be before {earliest}, nor more than a year ahead");
        Err(Violation::invalid(key, message))
    };
    let day = input.check_date.optional("check_date", checks, fits).unwrap_or(earliest);
    if check_only { day } else { banking_day_until(day) }
}

/// Returns the employees a new payroll is for; `None` for everybody.
fn chosen_employees(
    tx: &mut Tx<'_>,
    caller: &Caller,
    field: &Patch<Vec<String>>,
    end: Option<Date>,
    checks: &mut Checks,
) -> Result<Option<Vec<Uuid>>, Error> {
    let ids = field.optional("employee_uuids", checks, check_employee_ids).filter(|ids| !ids.is_empty());
    let Some(ids) = ids else {
        // A missing field means everybody in every version; an empty list does so only in the older ones.
        let nobody = matches!(field, Patch::Value(ids) if ids.is_empty());
        checks.require(!(nobody && caller.version.includes_change(Change::OffCycleNamesEmployees)), || {
            let why = "employee_uuids must name at least one employee; omit it for everybody";
            Violation::invalid("employee_uuids", why)
        });
        return Ok(None);
    };
    let mut chosen: Vec<Uuid> = ids.iter().map(|id| id_of(id)).collect();
    chosen.sort_unstable();
    chosen.dedup();
    let known = members::who_could_be(tx, caller.company, end.unwrap_or(Date::MAX), &chosen)?;
    let unknown: Vec<String> = ids.into_iter().filter(|id| !known.contains(&id_of(id))).collect();
    refuse_unknown(&unknown, checks);
    Ok(Some(chosen))
}
