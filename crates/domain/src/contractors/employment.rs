//! Periods of work of contractors: dismissal and rehire, and their cancellation.
//!
//! A dismissal states the last day, a rehire the first day back; both may lie in the past. Their events are sent as soon as they are
//! recorded, and those with `_effective` on the day on which they take effect, by a job.
//!
//! A change can be cancelled until it takes effect. One that was recorded for a day in the past can be cancelled for [`CANCELABLE_DAYS`]
//! days.

use jiff::civil::Date;
use jiff::{Timestamp, ToSpan};
use rules::{Checks, Violation};
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::company::companies;
use crate::contractors::records::rows;
use crate::contractors::records::service::{TABLE, find_guarded};
use crate::contractors::records::{Contractor, Period};
use crate::error::Error;
use crate::events;
use crate::patch::Patch;
use crate::platform::hooks::ContractorAspect;
use crate::platform::jobs::JobKind;
use crate::platform::{audit, hooks, jobs};

/// For how many days after it was recorded a change that lies in the past can be cancelled.
pub const CANCELABLE_DAYS: i32 = 2;

/// Dismisses a contractor.
#[derive(Debug, Clone, Default)]
pub struct CreateContractorTermination {
    /// the last day of work
    pub end_date: Patch<Date>,
}

/// Rehires a contractor.
#[derive(Debug, Clone, Default)]
pub struct CreateContractorRehire {
    /// the first day back
    pub start_date: Patch<Date>,
}

/// Whether the dismissal of a contractor can be cancelled today.
pub fn dismissal_is_cancelable(one: &Contractor, caller: &Caller, today: Date) -> bool {
    let Some(last) = one.dismissal_date.filter(|_| one.rehire_date.is_none()) else { return false };
    last >= today || is_recent(one.dismissed_at, last, caller, today)
}

/// Whether the rehire of a contractor can be cancelled today.
pub fn rehire_is_cancelable(one: &Contractor, caller: &Caller, today: Date) -> bool {
    let Some(first) = one.rehire_date else { return false };
    first > today || is_recent(one.rehired_at, first, caller, today)
}

/// Whether a change was recorded for a day that had come already, at most [`CANCELABLE_DAYS`] days ago.
fn is_recent(recorded: Option<Timestamp>, day: Date, caller: &Caller, today: Date) -> bool {
    recorded.is_some_and(|at| {
        let on = at.to_zoned(caller.zone.clone()).date();
        day <= on && on.saturating_add(CANCELABLE_DAYS.days()) >= today
    })
}

/// Dismisses a contractor, in the past, today or in the future.
///
/// # Errors
/// "Not found"; 422 for a contractor who does not work, or is to be dismissed or rehired, and for a day before the first one; a store
/// error.
pub fn dismiss_contractor(
    tx: &mut Tx<'_>,
    caller: &Caller,
    contractor: Uuid,
    input: &CreateContractorTermination,
) -> Result<(), Error> {
    let before = find_guarded(tx, caller, contractor)?;
    let today = caller.today(tx);
    if let Some(last) = before.last_dismissal_day(today) {
        let message = format!("The contractor's last day is {last} already; cancel that dismissal first.");
        return Err(Error::from(Violation::invalid_operation(message)));
    }
    let mut after = with_present_period(before, today);
    if after.start_date > today {
        let message = format!(
            "The contractor begins on {}; change start_date, or delete the contractor, instead.",
            after.start_date
        );
        return Err(Error::from(Violation::invalid_operation(message)));
    }
    let mut checks = Checks::new();
    let last = input.end_date.required("end_date", &mut checks, |key, day| {
        let day = *day;
        if day >= after.start_date {
            return Ok(day);
        }
        let first = after.start_date;
        Err(Violation::invalid(key, format!("{key} must not be before the contractor's first day, {first}")))
    });
    checks.finish()?;
    let Some(last) = last else { unreachable!("a dismissal without a day is refused") };
    (after.dismissal_date, after.dismissed_at) = (Some(last), Some(tx.now()));
    store_employment_change(tx, caller, &after, ("dismissed", json!({ "end_date": last.to_string() })))?;
    events::emit_event(tx, caller.company, events::CONTRACTOR_DEACTIVATED, after.id)?;
    if last < today {
        return record_departure(tx, caller, after.id);
    }
    schedule_job(tx, caller, JobKind::ContractorLeft, after.id, last.saturating_add(1.day()))
}

/// Cancels a dismissal.
///
/// # Errors
/// "Not found"; 422 without a dismissal that can be cancelled; a store error.
pub fn cancel_dismissal(tx: &mut Tx<'_>, caller: &Caller, contractor: Uuid) -> Result<(), Error> {
    let before = find_guarded(tx, caller, contractor)?;
    let today = caller.today(tx);
    if before.last_dismissal_day(today).is_none() {
        return Err(Error::from(Violation::invalid_operation("There is no dismissal to cancel.")));
    }
    if before.rehire_date.is_some() {
        return Err(Error::from(Violation::invalid_operation("A rehire is planned; cancel it first.")));
    }
    if !dismissal_is_cancelable(&before, caller, today) {
        return Err(Error::from(Violation::invalid_operation(
            "The dismissal has taken effect and can no longer be cancelled; rehire the contractor instead.",
        )));
    }
    let after = Contractor { dismissal_date: None, dismissed_at: None, ..before };
    store_employment_change(tx, caller, &after, ("dismissal_cancelled", json!({})))?;
    jobs::cancel_job(tx, caller.company, JobKind::ContractorLeft, after.id)?;
    events::emit_event(tx, caller.company, events::CONTRACTOR_DEACTIVATION_CANCELLED, after.id)?;
    events::emit_event(tx, caller.company, events::CONTRACTOR_REACTIVATED, after.id)
}

/// Rehires a contractor who has left.
///
/// # Errors
/// "Not found"; 422 for a contractor who works or is to be rehired, and for a day before the last one; a store error.
pub fn rehire_contractor(
    tx: &mut Tx<'_>,
    caller: &Caller,
    contractor: Uuid,
    input: &CreateContractorRehire,
) -> Result<(), Error> {
    let before = find_guarded(tx, caller, contractor)?;
    let today = caller.today(tx);
    let Some(last) = before.last_dismissal_day(today).filter(|last| *last < today) else {
        return Err(Error::from(Violation::invalid_operation(
            "Only a contractor whose last day has passed can be rehired; cancel the dismissal instead.",
        )));
    };
    if let Some(back) = before.rehire_date {
        let message = format!("A rehire on {back} is planned already; cancel it first.");
        return Err(Error::from(Violation::invalid_operation(message)));
    }
    let mut checks = Checks::new();
    let first = input.start_date.required("start_date", &mut checks, |key, day| {
        let day = *day;
        if day > last {
            return Ok(day);
        }
        Err(Violation::invalid(key, format!("{key} must be after the contractor's last day, {last}")))
    });
    checks.finish()?;
    let after = Contractor { rehire_date: first, rehired_at: Some(tx.now()), ..before };
    let Some(first) = first else { unreachable!("a rehire without a day is refused") };
    store_employment_change(tx, caller, &after, ("rehired", json!({ "start_date": first.to_string() })))?;
    events::emit_event(tx, caller.company, events::CONTRACTOR_REACTIVATED, after.id)?;
    if first <= today {
        return record_return(tx, caller, after.id);
    }
    schedule_job(tx, caller, JobKind::ContractorReturned, after.id, first)
}

/// Cancels a rehire.
///
/// # Errors
/// "Not found"; 422 without a rehire that can be cancelled; a store error.
pub fn cancel_rehire(tx: &mut Tx<'_>, caller: &Caller, contractor: Uuid) -> Result<(), Error> {
    let before = find_guarded(tx, caller, contractor)?;
    if before.rehire_date.is_none() {
        return Err(Error::from(Violation::invalid_operation("There is no rehire to cancel.")));
    }
    if !rehire_is_cancelable(&before, caller, caller.today(tx)) {
        return Err(Error::from(Violation::invalid_operation(
            "The rehire has taken effect and can no longer be cancelled; dismiss the contractor instead.",
        )));
    }
    let after = Contractor { rehire_date: None, rehired_at: None, ..before };
    store_employment_change(tx, caller, &after, ("rehire_cancelled", json!({})))?;
    jobs::cancel_job(tx, caller.company, JobKind::ContractorReturned, after.id)?;
    events::emit_event(tx, caller.company, events::CONTRACTOR_REACTIVATION_CANCELLED, after.id)?;
    events::emit_event(tx, caller.company, events::CONTRACTOR_DEACTIVATED, after.id)
}

/// Emits the event that a dismissal has taken effect, on the day after the last one.
pub fn left_effective(tx: &mut Tx<'_>, company: Uuid, contractor: Uuid) -> Result<(), Error> {
    tx.take_guard(company, "contractor", contractor)?;
    let Some(one) = Contractor::find(tx, company, contractor)? else { return Ok(()) };
    let caller = Caller::for_service(company, companies::time_zone(tx, company)?);
    if !one.is_dismissed(caller.today(tx)) {
        return Ok(());
    }
    record_departure(tx, &caller, contractor)?;
    hooks::contractor_changed(tx, &caller, contractor, ContractorAspect::Employment)
}

/// Emits the event that a rehire has taken effect, on the first day back.
pub fn returned_effective(tx: &mut Tx<'_>, company: Uuid, contractor: Uuid) -> Result<(), Error> {
    tx.take_guard(company, "contractor", contractor)?;
    let Some(one) = Contractor::find(tx, company, contractor)? else { return Ok(()) };
    let caller = Caller::for_service(company, companies::time_zone(tx, company)?);
    let is_back = one.rehire_date.is_some_and(|first| first <= caller.today(tx));
    if is_back { record_return(tx, &caller, contractor) } else { Ok(()) }
}

/// Cancels the jobs of a contractor who is being deleted.
pub fn cancel_contractor_jobs(tx: &mut Tx<'_>, caller: &Caller, contractor: Uuid) -> Result<(), Error> {
    jobs::cancel_job(tx, caller.company, JobKind::ContractorLeft, contractor)?;
    jobs::cancel_job(tx, caller.company, JobKind::ContractorReturned, contractor)
}

/// The contractor with the period of work that a rehire began as the present one.
fn with_present_period(one: Contractor, today: Date) -> Contractor {
    let (Some(last), Some(back)) = (one.dismissal_date, one.rehire_date) else { return one };
    if back > today {
        return one;
    }
    let mut earlier = one.earlier.clone();
    earlier.push(Period { first: one.start_date, last });
    Contractor {
        earlier,
        start_date: back,
        dismissal_date: None,
        dismissed_at: None,
        rehire_date: None,
        rehired_at: None,
        ..one
    }
}

fn record_departure(tx: &mut Tx<'_>, caller: &Caller, contractor: Uuid) -> Result<(), Error> {
    events::emit_event(tx, caller.company, events::CONTRACTOR_DEACTIVATION_EFFECTIVE, contractor)
}

fn record_return(tx: &mut Tx<'_>, caller: &Caller, contractor: Uuid) -> Result<(), Error> {
    events::emit_event(tx, caller.company, events::CONTRACTOR_REACTIVATION_EFFECTIVE, contractor)
}

fn store_employment_change(
    tx: &mut Tx<'_>,
    caller: &Caller,
    after: &Contractor,
    (what, change): (&'static str, serde_json::Value),
) -> Result<(), Error> {
    assert!(rows::set_periods(tx, caller.company, after)?, "the row was read under its guard");
    audit::record_audit_entry(tx, caller, what, (TABLE, after.id), &change)?;
    hooks::contractor_changed(tx, caller, after.id, ContractorAspect::Employment)
}

/// Schedules a job for the start of a day in the company's time zone.
fn schedule_job(
    tx: &mut Tx<'_>,
    caller: &Caller,
    kind: JobKind,
    contractor: Uuid,
    day: Date,
) -> Result<(), Error> {
    let Ok(due) = day.to_zoned(caller.zone.clone()) else { return Ok(()) };
    jobs::schedule_job(tx, caller.company, kind, contractor, due.timestamp())
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use jiff::tz::TimeZone;

    use super::*;

    fn caller() -> Caller {
        Caller::for_service(Uuid::nil(), TimeZone::UTC)
    }

    fn at(day: Date) -> Option<Timestamp> {
        Some(day.to_zoned(TimeZone::UTC).unwrap().timestamp())
    }

    #[test]
    fn a_dismissal_can_be_cancelled_until_the_last_day_is_over() {
        let (recorded, last) = (date(2026, 5, 1), date(2026, 5, 29));
        let one =
            Contractor { dismissal_date: Some(last), dismissed_at: at(recorded), ..Contractor::default() };
        assert!(dismissal_is_cancelable(&one, &caller(), last));
        assert!(
            !dismissal_is_cancelable(&one, &caller(), date(2026, 5, 30)),
            "it was planned, and took effect"
        );
        let planned = Contractor { rehire_date: Some(date(2026, 9, 1)), ..one };
        assert!(!dismissal_is_cancelable(&planned, &caller(), last), "the rehire goes first");
    }

    #[test]
    fn a_change_for_a_past_day_can_be_cancelled_for_two_days() {
        let (recorded, last) = (date(2026, 6, 10), date(2026, 5, 29));
        let one =
            Contractor { dismissal_date: Some(last), dismissed_at: at(recorded), ..Contractor::default() };
        for (day, may) in [(10, true), (12, true), (13, false)] {
            assert_eq!(dismissal_is_cancelable(&one, &caller(), date(2026, 6, day)), may, "June {day}");
        }
        let back = Contractor { rehire_date: Some(date(2026, 6, 1)), rehired_at: at(recorded), ..one };
        for (day, may) in [(10, true), (12, true), (13, false)] {
            assert_eq!(rehire_is_cancelable(&back, &caller(), date(2026, 6, day)), may, "June {day}");
        }
    }

    #[test]
    fn a_second_dismissal_keeps_the_first_period() {
        let one = Contractor {
            start_date: date(2026, 1, 5),
            dismissal_date: Some(date(2026, 3, 31)),
            rehire_date: Some(date(2026, 5, 4)),
            ..Contractor::default()
        };
        let now = with_present_period(one.clone(), date(2026, 5, 4));
        assert_eq!((now.start_date, now.dismissal_date, now.rehire_date), (date(2026, 5, 4), None, None));
        assert_eq!(now.earlier, [Period { first: date(2026, 1, 5), last: date(2026, 3, 31) }]);
        assert!(now.is_active(date(2026, 2, 1)) && !now.is_active(date(2026, 4, 1)));
        assert_eq!(with_present_period(one.clone(), date(2026, 5, 3)).start_date, one.start_date);
    }
}
