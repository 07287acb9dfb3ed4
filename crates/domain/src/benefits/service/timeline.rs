//! Which benefits apply on each day, and why.

use jiff::civil::Date;
use rules::payroll::benefits::{Benefit, BenefitType, Standing};
use rules::{Category, Violation};
use store::Tx;
use strum::{EnumString, IntoStaticStr, VariantArray};
use uuid::Uuid;

use super::{EMPLOYEE_PHI, may_see};
use crate::access::tokens::Caller;
use crate::benefits::payroll;
use crate::error::Error;
use crate::people::employees;

/// Maximum number of days of a timeline: ten years.
const MOST_DAYS: i32 = 3_660;

/// Selects days and benefits.
#[derive(Debug, Clone, Copy, Default)]
pub struct TimelineFilter {
    /// only this company benefit
    pub benefit: Option<Uuid>,
    /// first day; by default the first of this year
    pub start: Option<Date>,
    /// last day; by default the last of the year of `start`
    pub end: Option<Date>,
}

/// The timeline of one benefit.
#[derive(Debug, Clone)]
pub struct BenefitTimeline {
    /// the company benefit
    pub company_benefit: Uuid,
    /// the company's name for it
    pub description: String,
    /// its type
    pub kind: &'static BenefitType,
    /// ranges of days without a gap between them
    pub ranges: Vec<DayRange>,
}

/// Consecutive days with the same status.
#[derive(Debug, Clone)]
pub struct DayRange {
    /// first day
    pub first: Date,
    /// last day
    pub last: Date,
    /// whether the benefit applies
    pub status: DayStatus,
    /// the status in a sentence
    pub reason: String,
    /// the record in force
    pub benefit: Option<Benefit<Uuid>>,
}

/// Whether a benefit applies on a day, and why not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum DayStatus {
    /// it applies
    #[strum(serialize = "applies")]
    Applies,
    /// the record is inactive
    #[strum(serialize = "employee_benefit_inactive")]
    EmployeeBenefitInactive,
    /// the company benefit is inactive
    #[strum(serialize = "company_benefit_inactive")]
    CompanyBenefitInactive,
    /// no window has begun
    #[strum(serialize = "before_first_window")]
    BeforeFirstWindow,
    /// one window has ended and the next has not begun
    #[strum(serialize = "between_windows")]
    BetweenWindows,
    /// the last window has ended
    #[strum(serialize = "after_last_window")]
    AfterLastWindow,
}

/// The timelines of the employee's benefits.
///
/// # Errors
/// "Not found"; 422 if there are too many days or the dates are in the wrong order; a store error.
pub fn employee_timelines(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    filter: TimelineFilter,
) -> Result<Vec<BenefitTimeline>, Error> {
    employees::service::find_employee(tx, caller, employee)?;
    let start = filter.start.unwrap_or_else(|| caller.today(tx).first_of_year());
    let end = filter.end.unwrap_or_else(|| start.last_of_year());
    check_days(start, end)?;
    let mut benefits = payroll::of_employee(tx, caller.company, employee)?;
    benefits.retain(|b| {
        filter.benefit.is_none_or(|id| id == b.company_benefit) && may_see(caller, b.kind, EMPLOYEE_PHI)
    });
    // The windows of one benefit are adjacent, in the order of enrollment.
    let by_benefit = benefits.chunk_by_mut(|one, next| one.company_benefit == next.company_benefit);
    let timelines = by_benefit.map(|of_one| {
        of_one.sort_by_key(|b| b.window.effective);
        BenefitTimeline {
            company_benefit: of_one[0].company_benefit,
            description: of_one[0].name.clone(),
            kind: of_one[0].kind,
            ranges: day_ranges(of_one, start, end),
        }
    });
    Ok(timelines.collect())
}

fn check_days(start: Date, end: Date) -> Result<(), Violation> {
    let wrong = |message: String| Err(Violation::new("end_date", Category::InvalidParameter, message));
    if end < start {
        return wrong(format!("end_date must not be before start_date, {start}"));
    }
    if (end - start).get_days() >= MOST_DAYS {
        return wrong(format!("end_date must be less than {MOST_DAYS} days after start_date"));
    }
    Ok(())
}

/// The ranges from `start` to `end`; the windows are in the order of their days.
fn day_ranges(windows: &[Benefit<Uuid>], start: Date, end: Date) -> Vec<DayRange> {
    let mut ranges = Vec::new();
    let mut from = Some(start);
    for (place, benefit) in windows.iter().enumerate() {
        let Some(first) = from.filter(|first| *first <= end) else { break };
        if benefit.window.expiration.is_some_and(|last| last < first) {
            continue;
        }
        let begins = benefit.window.effective.max(first);
        if begins > first {
            let last = begins.yesterday().map_or(end, |day| day.min(end));
            let status = if place == 0 { DayStatus::BeforeFirstWindow } else { DayStatus::BetweenWindows };
            ranges.push(gap_range(first, last, status, if place == 0 { NOT_BEGUN } else { BETWEEN }));
        }
        if begins > end {
            from = None;
            break;
        }
        let last = benefit.window.expiration.map_or(end, |day| day.min(end));
        ranges.push(benefit_day_range(benefit, begins, last));
        from = last.tomorrow().ok();
    }
    if let Some(first) = from.filter(|first| *first <= end) {
        ranges.push(gap_range(first, end, DayStatus::AfterLastWindow, ENDED));
    }
    ranges
}

const NOT_BEGUN: &str = "No record's window has begun yet.";
const BETWEEN: &str = "One record's window has ended and the next has not begun.";
const ENDED: &str = "The last record's window has ended.";

fn benefit_day_range(benefit: &Benefit<Uuid>, first: Date, last: Date) -> DayRange {
    let (status, rest) = match benefit.standing_on(first) {
        Standing::Applies => (DayStatus::Applies, ", and it and the company's benefit are active"),
        Standing::CompanyInactive => {
            (DayStatus::CompanyBenefitInactive, ", but the company's benefit is not active")
        }
        Standing::Inactive | Standing::NotInWindow => {
            (DayStatus::EmployeeBenefitInactive, ", but the record is not active")
        }
    };
    DayRange {
        first,
        last,
        status,
        reason: format!("The record's window ({}) contains these days{rest}.", benefit.window),
        benefit: Some(benefit.clone()),
    }
}

fn gap_range(first: Date, last: Date, status: DayStatus, reason: &str) -> DayRange {
    DayRange { first, last, status, reason: reason.to_owned(), benefit: None }
}
