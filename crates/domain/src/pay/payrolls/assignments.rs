//! Which pay schedule is that of a company's employees.
//!
//! All employees of a company follow one schedule. Another one can be assigned to them: payrolls of the old one that nobody
//! submitted go, and those of the new one begin with its first period of which no day was paid yet. The days between are a
//! transition, which an off-cycle payroll with the reason `Transition from old pay schedule` pays.

use jiff::ToSpan;
use jiff::civil::Date;
use rules::payroll::schedule::PayPeriod;
use rules::{Checks, Named, Violation, check};
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use super::members::{self, Member};
use super::regular;
use super::rows::{self, Payroll};
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::events;
use crate::paging::Page;
use crate::patch::Patch;
use crate::pay::pay_schedules::rows as schedules;
use crate::pay::pay_schedules::rows::Schedule;
use crate::pay::pay_schedules::service::{TABLE, guard};
use crate::platform::audit;
use crate::records::id_of;

/// The way of assigning that is served: one schedule for everybody.
pub const SINGLE: &str = "single";
/// Every way that the interface has a name for.
pub const TYPES: [&str; 4] = [SINGLE, "hourly_salaried", "by_employee", "by_department"];

/// Assigns a pay schedule.
#[derive(Debug, Clone, Default)]
pub struct Assign {
    /// one of [`TYPES`]
    pub kind: Patch<String>,
    /// the schedule of everybody
    pub default_pay_schedule_uuid: Patch<String>,
}

/// What an assignment would change.
#[derive(Debug)]
pub struct Preview {
    /// the schedule that everybody would have
    pub schedule: Schedule,
    /// its first period
    pub first: PayPeriod,
    /// the days between the last period that was paid and that one; none where there are no such days
    pub transition: Option<(Date, Date)>,
    /// whom it concerns; nobody where the schedule is in force already
    pub employees: Vec<Member>,
}

/// The schedule of the company's employees, if there is one.
///
/// # Errors
/// A store error.
pub fn current(tx: &mut Tx<'_>, caller: &Caller) -> Result<Option<Schedule>, Error> {
    schedules::of_employees(tx, caller.company)
}

/// What an assignment would change; nothing is stored.
///
/// # Errors
/// Every violation of the input; a store error.
pub fn preview(tx: &mut Tx<'_>, caller: &Caller, input: &Assign) -> Result<Preview, Error> {
    let schedule = wanted(tx, caller, input)?;
    let before = current(tx, caller)?;
    let today = caller.today(tx);
    // Of the old schedule only what was submitted stays.
    let paid_until = rows::last_submitted_end(tx, caller.company)?;
    let first = schedule.periods()?.period(regular::first_period(&schedule, paid_until, today)?);
    let after = paid_until.map(|end| end.saturating_add(1.day()));
    let transition =
        after.filter(|after| *after < first.start).map(|after| (after, first.start.saturating_sub(1.day())));
    let employees = if before.is_some_and(|before| before.id == schedule.id) {
        Vec::new()
    } else {
        // Whoever could be paid by a payroll of that period.
        let payroll = Payroll::new(
            (Uuid::nil(), tx.now()),
            (first.start, first.end),
            first.check_date,
            schedule.frequency,
        );
        members::page(tx, caller.company, &payroll, &[], Page::Whole)?
    };
    Ok(Preview { schedule, first, transition, employees })
}

/// Assigns a schedule to the company's employees. Nothing changes where it is theirs already.
///
/// # Errors
/// Every violation of the input; a store error.
pub fn assign(tx: &mut Tx<'_>, caller: &Caller, input: &Assign) -> Result<(), Error> {
    guard(tx, caller.company)?;
    let schedule = wanted(tx, caller, input)?;
    let before = current(tx, caller)?;
    let Some(before) = before.filter(|before| before.id != schedule.id) else { return Ok(()) };
    schedules::assign(tx, caller.company, schedule.id)?;
    let change = json!({ "assigned": [before.id, schedule.id] });
    audit::record(tx, caller, "assigned", (TABLE, schedule.id), &change)?;
    events::emit(tx, caller.company, events::PAY_SCHEDULE_UPDATED, schedule.id)?;
    regular::change_over(tx, caller, before.id, &schedule)
}

/// The schedule that is to be that of everybody.
fn wanted(tx: &mut Tx<'_>, caller: &Caller, input: &Assign) -> Result<Schedule, Error> {
    let mut checks = Checks::new();
    let kind = |key: &str, sent: &String| {
        if check::one_of(key, sent, &TYPES)? == SINGLE {
            return Ok(());
        }
        Err(Violation::invalid(
            key,
            format!("{key} must be {SINGLE}: all employees of a company follow one schedule"),
        ))
    };
    input.kind.required("type", &mut checks, kind);
    let id = input
        .default_pay_schedule_uuid
        .required("default_pay_schedule_uuid", &mut checks, |_, id| Ok(id_of(id)));
    let found = match id {
        Some(id) => Schedule::find(tx, caller.company, id)?,
        None => None,
    };
    checks.require(id.is_none() || found.is_some(), || {
        let why = "default_pay_schedule_uuid must be that of a pay schedule of the company";
        Violation::invalid("default_pay_schedule_uuid", why)
    });
    checks.finish()?;
    Ok(found.unwrap_or_else(|| unreachable!("a schedule that is not found is refused")))
}

/// How the preview names a schedule: its frequency, and its name where it has one.
pub fn named(schedule: &Schedule) -> String {
    let frequency = schedule.frequency.as_str();
    schedule.custom_name.as_ref().map_or_else(|| frequency.to_owned(), |name| format!("{frequency}, {name}"))
}
