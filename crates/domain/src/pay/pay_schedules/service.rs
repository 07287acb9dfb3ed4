//! Use cases of pay schedules.

use jiff::ToSpan;
use jiff::civil::Date;
use rules::Named;
use rules::payroll::schedule::{self, BANKING_DAYS, FREQUENCIES, PaySchedule, PayScheduleTerms, Preview};
use rules::wage_hour::FirstDay;
use rules::withholding::federal::PayFrequency;
use rules::{Checks, Violation, check};
use store::Tx;
use uuid::Uuid;

use super::commands::{CreatePaySchedule, PreviewPaySchedule, UpdatePaySchedule};
use super::rows;
use super::rows::Schedule;
use super::schedule_spans;
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::events;
use crate::paging::{Listed, Page};
use crate::patch::{self, Patch, as_is, some};
use crate::platform::audit;
use crate::platform::hooks;
use crate::platform::hooks::ScheduleAspect;
use crate::records::{Changes, id_of, room_for, version_text};

/// Table of the record, in versions and audit entries.
pub const TABLE: &str = "pay_schedules";
/// Maximum number of schedules of a company.
const MOST: usize = 100;
/// Maximum characters of a name.
const NAME: usize = 100;
/// Months of a preview without `end_date`.
const PREVIEW_MONTHS: i64 = 18;
/// Maximum number of years from today to the end of a preview.
const FARTHEST_YEARS: i64 = 10;

/// A page of the company's schedules.
pub fn list_schedules(tx: &mut Tx<'_>, caller: &Caller, page: Page) -> Result<Listed<Schedule>, Error> {
    Ok(Listed::slice(page, rows::of_company(tx, caller.company)?))
}

/// The schedule.
///
/// # Errors
/// "Not found"; a store error.
pub fn find_schedule(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<Schedule, Error> {
    Schedule::find(tx, caller.company, id)?.ok_or(Error::NotFound)
}

/// The guard of the company's schedules and of the payrolls that follow from them.
pub fn guard_schedules(tx: &mut Tx<'_>, company: Uuid) -> Result<(), Error> {
    Ok(tx.take_guard(company, TABLE, company)?)
}

/// Creates a schedule. The first one of a company applies to its employees, and its first payrolls are created at once.
///
/// # Errors
/// Every violation of the input; a store error.
pub fn create_schedule(
    tx: &mut Tx<'_>,
    caller: &Caller,
    input: &CreatePaySchedule,
) -> Result<Schedule, Error> {
    guard_schedules(tx, caller.company)?;
    let mut checks = Checks::new();
    let terms = TermsInput {
        frequency: &input.frequency,
        anchor_pay_date: &input.anchor_pay_date,
        anchor_end_of_pay_period: &input.anchor_end_of_pay_period,
        day_1: &input.day_1,
        day_2: &input.day_2,
    };
    let terms = terms.read_terms(&mut checks);
    let custom_name = input.custom_name.optional("custom_name", &mut checks, check_custom_name);
    let workweek = input.workweek_start_day.optional("workweek_start_day", &mut checks, some).flatten();
    if let Some(terms) = &terms {
        check_workweek(workweek, terms.frequency, &mut checks);
    }
    let terms = terms.filter(|_| checks.is_empty());
    if let Some(Err(violations)) = terms.as_ref().map(PaySchedule::new) {
        checks.extend(violations);
    }
    checks.finish()?;
    room_for("pay schedules of a company", rows::of_company(tx, caller.company)?.len(), MOST)?;
    let terms = terms.unwrap_or_else(|| unreachable!("a schedule without terms is rejected"));
    let new = Schedule {
        id: tx.new_id(),
        frequency: terms.frequency,
        anchor_pay_date: terms.anchor_pay_date,
        anchor_end_of_pay_period: terms.anchor_end_of_pay_period,
        day_1: terms.day_1,
        day_2: terms.day_2,
        custom_name: custom_name.flatten(),
        auto_payroll: false,
        workweek_start_day: workweek,
        active: true,
        version: 1,
    };
    new.insert(tx, caller.company)?;
    audit::record_audit_entry(tx, caller, "created", (TABLE, new.id), &serde_json::json!({}))?;
    events::emit_event(tx, caller.company, events::PAY_SCHEDULE_CREATED, new.id)?;
    hooks::pay_schedule_changed(tx, caller, new.id, ScheduleAspect::New)?;
    Ok(new)
}

/// Updates what is given and keeps the rest. If its terms change, its payrolls that have not been run are recreated.
///
/// # Errors
/// "Not found", 409 for a stale version, every violation of the input; a store error.
pub fn update_schedule(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    input: &UpdatePaySchedule,
) -> Result<Schedule, Error> {
    guard_schedules(tx, caller.company)?;
    let before = find_schedule(tx, caller, id)?;
    let mut after = before.clone();
    let mut checks = Checks::new();
    let version = patch::check_version(&input.version, &mut checks);
    input.frequency.update("frequency", &mut checks, check_frequency, &mut after.frequency);
    input.anchor_pay_date.update("anchor_pay_date", &mut checks, as_is, &mut after.anchor_pay_date);
    let end = &mut after.anchor_end_of_pay_period;
    input.anchor_end_of_pay_period.update("anchor_end_of_pay_period", &mut checks, as_is, end);
    let some_day = |key: &str, day: &i64| day_of_month(key, day).map(Some);
    input.day_1.update_or_clear("day_1", &mut checks, some_day, &mut after.day_1);
    input.day_2.update_or_clear("day_2", &mut checks, some_day, &mut after.day_2);
    input.custom_name.update_or_clear("custom_name", &mut checks, check_custom_name, &mut after.custom_name);
    let workweek = &mut after.workweek_start_day;
    input.workweek_start_day.update_or_clear("workweek_start_day", &mut checks, some, workweek);
    if matches!(input.workweek_start_day, Patch::Absent) && !after.frequency.is_of_workweeks() {
        after.workweek_start_day = None;
    }
    check_workweek(after.workweek_start_day, after.frequency, &mut checks);
    input.auto_pilot.update("auto_pilot", &mut checks, as_is, &mut after.auto_payroll);
    input.auto_payroll.update("auto_payroll", &mut checks, as_is, &mut after.auto_payroll);
    input.active.update("active", &mut checks, as_is, &mut after.active);
    if before.active && !after.active {
        refuse_where_followed(tx, caller, id, &mut checks)?;
    }
    let terms_changed = after.schedule_terms() != before.schedule_terms();
    if checks.is_empty()
        && terms_changed
        && let Err(violations) = PaySchedule::new(&after.schedule_terms())
    {
        checks.extend(violations);
    }
    checks.finish()?;

    let changes = Changes::from(Schedule::changes(&before, &after));
    changes.expect_version(&version.unwrap_or_default(), version_text(TABLE, id, before.version))?;
    if changes.is_empty() {
        return Ok(before);
    }
    assert!(after.update(tx, caller.company)?, "the row was read under its guard");
    audit::record_audit_entry(tx, caller, "updated", (TABLE, id), &changes.to_json())?;
    events::emit_event(tx, caller.company, events::PAY_SCHEDULE_UPDATED, id)?;
    if terms_changed {
        hooks::pay_schedule_changed(tx, caller, id, ScheduleAspect::Terms)?;
    } else if after.auto_payroll && !before.auto_payroll {
        hooks::pay_schedule_changed(tx, caller, id, ScheduleAspect::AutoPayroll)?;
    }
    find_schedule(tx, caller, id)
}

/// Refuses to retire a schedule that somebody follows, or will, and one that the company's new employees follow.
fn refuse_where_followed(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    checks: &mut Checks,
) -> Result<(), Error> {
    let today = caller.today(tx);
    let in_use = schedule_spans::in_use(tx, caller.company, today)?.iter().any(|one| one.id == id);
    let settings = schedule_spans::assignment_settings(tx, caller.company)?;
    let is_named = [settings.default, settings.hourly, settings.salaried].contains(&Some(id));
    checks.require(!(in_use || is_named), || {
        let message = "active must be true while people follow the pay schedule, or are assigned to it: assign them to another one first \
                       (POST /v1/companies/{company_id}/pay_schedules/assign)";
        Violation::invalid("active", message)
    });
    Ok(())
}

/// Refuses a first day of workweeks for pay periods that do not consist of workweeks.
fn check_workweek(day: Option<FirstDay>, frequency: PayFrequency, checks: &mut Checks) {
    checks.require(day.is_none() || frequency.is_of_workweeks(), || {
        let message = "workweek_start_day must be null unless frequency is Every week or Every other week; for other schedules see \
                       workweek_first_day of the payroll settings";
        Violation::invalid("workweek_start_day", message)
    });
}

/// The fields of a command that are the terms of a schedule.
struct TermsInput<'a> {
    frequency: &'a Patch<String>,
    anchor_pay_date: &'a Patch<Date>,
    anchor_end_of_pay_period: &'a Patch<Date>,
    day_1: &'a Patch<i64>,
    day_2: &'a Patch<i64>,
}

impl TermsInput<'_> {
    /// The terms, if each field is valid; whether they are valid together is not checked.
    fn read_terms(&self, checks: &mut Checks) -> Option<PayScheduleTerms> {
        let frequency = self.frequency.required("frequency", checks, check_frequency);
        let pay_date = self.anchor_pay_date.required("anchor_pay_date", checks, as_is);
        let end = self.anchor_end_of_pay_period.required("anchor_end_of_pay_period", checks, as_is);
        let day_1 = self.day_1.optional("day_1", checks, day_of_month);
        let day_2 = self.day_2.optional("day_2", checks, day_of_month);
        Some(PayScheduleTerms {
            frequency: frequency?,
            anchor_pay_date: pay_date?,
            anchor_end_of_pay_period: end?,
            day_1,
            day_2,
        })
    }
}

/// The pay periods of a schedule with these terms.
///
/// # Errors
/// Every violation of the input.
pub fn preview_pay_periods(
    tx: &mut Tx<'_>,
    caller: &Caller,
    input: &PreviewPaySchedule,
) -> Result<Preview, Error> {
    let mut checks = Checks::new();
    let terms = TermsInput {
        frequency: &input.frequency,
        anchor_pay_date: &input.anchor_pay_date,
        anchor_end_of_pay_period: &input.anchor_end_of_pay_period,
        day_1: &input.day_1,
        day_2: &input.day_2,
    };
    let mut terms = terms.read_terms(&mut checks);
    let existing = match input.pay_schedule_uuid.value() {
        Some(id) => Schedule::find(tx, caller.company, id_of(id))?,
        None => None,
    };
    checks.require(input.pay_schedule_uuid.value().is_none() || existing.is_some(), || {
        Violation::invalid(
            "pay_schedule_uuid",
            "pay_schedule_uuid must name one of the company's pay schedules",
        )
    });
    if let (Some(terms), Some(existing)) = (&mut terms, existing)
        && terms.frequency == existing.frequency
    {
        terms.day_1 = terms.day_1.or(existing.day_1);
        terms.day_2 = terms.day_2.or(existing.day_2);
    }
    let last = input.end_date.optional("end_date", &mut checks, as_is);
    let farthest = caller.today(tx).saturating_add(FARTHEST_YEARS.years());
    checks.require(last.is_none_or(|last| last <= farthest), || {
        Violation::invalid("end_date", format!("end_date must not be after {farthest}"))
    });
    let terms = terms.filter(|_| checks.is_empty());
    let schedule = terms.as_ref().map(PaySchedule::new).transpose();
    let schedule = schedule.unwrap_or_else(|violations| {
        checks.extend(violations);
        None
    });
    checks.finish()?;
    let schedule = schedule.unwrap_or_else(|| unreachable!("a preview without terms is rejected"));
    let first = schedule.period(0);
    let last = last.unwrap_or_else(|| first.check_date.saturating_add(PREVIEW_MONTHS.months()));
    Ok(schedule.preview_periods(first.end, last))
}

/// The day by which a payroll has to be submitted.
pub fn run_payroll_by(period: &schedule::PayPeriod) -> Date {
    period.run_payroll_by(BANKING_DAYS)
}

#[expect(clippy::ptr_arg, reason = "has the shape of every other check")]
fn check_frequency(key: &str, value: &String) -> Result<PayFrequency, Violation> {
    let known = |text: &str| PayFrequency::parse(text).filter(|frequency| FREQUENCIES.contains(frequency));
    check::parse_named(key, value, &FREQUENCIES.map(PayFrequency::as_str), known)
}

#[expect(clippy::ptr_arg, reason = "has the shape of every other check")]
fn check_custom_name(key: &str, value: &String) -> Result<Option<String>, Violation> {
    check::optional_text(key, Some(value), NAME)
}

/// Which days are valid depends on the frequency: [`PaySchedule::new`] checks that.
fn day_of_month(key: &str, value: &i64) -> Result<i8, Violation> {
    i8::try_from(*value).map_err(|_| {
        Violation::invalid(
            key,
            format!("{key} must be a day of the month from 1 to 31, where 31 is the last"),
        )
    })
}
