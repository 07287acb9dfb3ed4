//! What applies on each day, and why.

use jiff::civil::Date;
use rules::Named;
use rules::payroll::benefits::{Benefit, Standing};
use rules::{Category, Violation};
use store::Tx;
use uuid::Uuid;

use super::{EMPLOYEE_PHI, may_see};
use crate::access::tokens::Caller;
use crate::benefits::{payroll, shapes, view};
use crate::error::Error;
use crate::people::employees;

/// Days of a timeline at the most: ten years.
const MOST_DAYS: i32 = 3_660;

/// Which days, and of which benefit.
#[derive(Debug, Clone, Copy, Default)]
pub struct Asked {
    /// only this one of the company's benefits
    pub benefit: Option<Uuid>,
    /// first day; the first of this year without one
    pub start: Option<Date>,
    /// last day; the last of the first day's year without one
    pub end: Option<Date>,
}

/// Stretches of days on which the same holds, by benefit, from the first to the last day asked for.
///
/// # Errors
/// "Not found"; 422 for days that are too many or in the wrong order; a store error.
pub fn get(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    asked: Asked,
) -> Result<Vec<shapes::BenefitTimeline>, Error> {
    employees::service::find(tx, caller, employee)?;
    let start = asked.start.unwrap_or_else(|| caller.today(tx).first_of_year());
    let end = asked.end.unwrap_or_else(|| start.last_of_year());
    check_days(start, end)?;
    let mut benefits = payroll::of_employee(tx, caller.company, employee)?;
    benefits.retain(|b| {
        asked.benefit.is_none_or(|asked| asked == b.company_benefit) && may_see(caller, b.kind, EMPLOYEE_PHI)
    });
    // Those of one benefit stand together, in the order of enrolment.
    let told = benefits.chunk_by_mut(|one, next| one.company_benefit == next.company_benefit).map(|of_one| {
        of_one.sort_by_key(|b| b.window.effective);
        shapes::BenefitTimeline {
            company_benefit_uuid: of_one[0].company_benefit,
            description: of_one[0].name.clone(),
            benefit_type: of_one[0].kind.code,
            days: stretches(of_one, start, end),
        }
    });
    Ok(told.collect())
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

/// What holds from `start` to `end`; the windows are in the order of their days.
fn stretches(windows: &[Benefit<Uuid>], start: Date, end: Date) -> Vec<shapes::TimelineStretch> {
    let mut stretches = Vec::new();
    let mut from = Some(start);
    for (place, benefit) in windows.iter().enumerate() {
        let Some(first) = from.filter(|first| *first <= end) else { break };
        if benefit.window.expiration.is_some_and(|last| last < first) {
            continue;
        }
        let begins = benefit.window.effective.max(first);
        if begins > first {
            let last = begins.yesterday().map_or(end, |day| day.min(end));
            stretches.push(gap(first, last, if place == 0 { Gap::BeforeFirst } else { Gap::Between }));
        }
        if begins > end {
            from = None;
            break;
        }
        let last = benefit.window.expiration.map_or(end, |day| day.min(end));
        stretches.push(stretch(benefit, begins, last));
        from = last.tomorrow().ok();
    }
    if let Some(first) = from.filter(|first| *first <= end) {
        stretches.push(gap(first, end, Gap::AfterLast));
    }
    stretches
}

fn stretch(benefit: &Benefit<Uuid>, first: Date, last: Date) -> shapes::TimelineStretch {
    let standing = benefit.standing(first);
    let rest = match standing {
        Standing::Applies => "it and the company's benefit are active",
        Standing::CompanyInactive => "but the company's benefit is not active",
        Standing::Inactive | Standing::NotInWindow => "but the record is not active",
    };
    shapes::TimelineStretch {
        start_date: first.to_string(),
        end_date: last.to_string(),
        applies: standing == Standing::Applies,
        why: standing.as_str(),
        reason: format!("The record's window ({}) holds these days, and {rest}.", benefit.window)
            .replace("and but", "but"),
        employee_benefit_uuid: Some(benefit.record),
        terms: Some(view::terms(benefit.window, benefit.active, &benefit.terms)),
    }
}

#[derive(Clone, Copy)]
enum Gap {
    BeforeFirst,
    Between,
    AfterLast,
}

fn gap(first: Date, last: Date, gap: Gap) -> shapes::TimelineStretch {
    let (why, reason) = match gap {
        Gap::BeforeFirst => ("before_first_window", "No record's window has begun yet."),
        Gap::Between => ("between_windows", "One record's window has ended and the next has not begun."),
        Gap::AfterLast => ("after_last_window", "The last record's window has ended."),
    };
    shapes::TimelineStretch {
        start_date: first.to_string(),
        end_date: last.to_string(),
        applies: false,
        why,
        reason: reason.to_owned(),
        employee_benefit_uuid: None,
        terms: None,
    }
}
