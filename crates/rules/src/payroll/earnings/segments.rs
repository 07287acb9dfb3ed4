//! Segments of constant rates within a range of days, and the explanation of their hours and pay.

use jiff::civil::Date;

use super::Kind;
use crate::Named;
use crate::amount::{Amount, Rounding};
use crate::compensation::{PayTerms, PaymentUnit};
use crate::days::Days;
use crate::explain::{Operation, Step};
use crate::payroll::input::{Compensation, Floor, Job};
use crate::payroll::schedule::days_between;
use crate::ratio::Ratio;

/// Days with constant pay terms and minimum wage.
#[derive(Clone, Copy)]
pub(in crate::payroll) struct Segment<'j> {
    pub(super) from: Date,
    /// The fraction of the range's days.
    pub(super) days: i64,
    pub(super) of: i64,
    pub(in crate::payroll) terms: &'j PayTerms,
    pub(in crate::payroll) floor: Option<Floor>,
}

fn all_compensations(job: &Job) -> impl DoubleEndedIterator<Item = &Compensation> {
    job.compensations.iter().chain(&job.later)
}

/// Returns the compensation in effect on a day.
fn compensation_on(job: &Job, day: Date) -> Option<&Compensation> {
    let begun = all_compensations(job).rev().find(|compensation| compensation.effective <= day);
    begun.or(job.compensations.first())
}

/// Cuts a range of days where pay terms or minimum wage of a job change.
pub(in crate::payroll) fn cut_segments(
    job: &Job,
    Days { first: from, last: until }: Days,
) -> Vec<Segment<'_>> {
    let mut found = Vec::with_capacity(1);
    let mut day = from;
    let mut days_of_all = None;
    while let Some(compensation) = compensation_on(job, day) {
        let floor = compensation.floors.iter().rev().find(|floor| floor.from <= day).copied();
        let floor = floor.filter(|floor| floor.minimum_wage > Amount::ZERO);
        let of_terms = all_compensations(job).map(|later| later.effective);
        let of_floors = compensation.floors.iter().map(|later| later.from);
        let next = of_terms.chain(of_floors).filter(|change| *change > day && *change <= until).min();
        let terms = &compensation.terms;
        let Some(next) = next else {
            // The whole range, or the rest of it.
            let (days, of) = match days_of_all {
                None => (1, 1),
                Some(of) => (i64::from(days_between(day, until)) + 1, of),
            };
            found.push(Segment { from: day, days, of, terms, floor });
            break;
        };
        let of = *days_of_all.get_or_insert_with(|| i64::from(days_between(from, until)) + 1);
        found.push(Segment { from: day, days: i64::from(days_between(day, next)), of, terms, floor });
        day = next;
    }
    found
}

/// Cuts the days to which hours belong. A salary without overtime needs no hours, so if a job is hourly on some of the days, the
/// days with such a salary get none of its hours.
pub(in crate::payroll) fn segments_of_hours(job: &Job, range: Days) -> Vec<Segment<'_>> {
    let mut found = cut_segments(job, range);
    let by_hour = |segment: &Segment<'_>| segment.terms.unit == PaymentUnit::Hour;
    let without_hours = |segment: &Segment<'_>| !by_hour(segment) && !segment.terms.flsa.earns_overtime();
    if !found.iter().any(by_hour) || !found.iter().any(without_hours) {
        return found;
    }
    found.retain(|segment| !without_hours(segment));
    let of = found.iter().map(|segment| segment.days).sum();
    let is_whole = found.len() == 1;
    for segment in &mut found {
        (segment.days, segment.of) = if is_whole { (1, 1) } else { (segment.days, of) };
    }
    found
}

/// Groups adjacent segments with and without the adjustment, so that wages of one group never offset the
/// other.
pub(super) fn adjusted_runs<'s, 'j>(segments: &'s [Segment<'j>]) -> impl Iterator<Item = &'s [Segment<'j>]> {
    segments.chunk_by(|segment, next| segment.floor.is_some() == next.floor.is_some())
}

/// Returns the part of a range's hours that falls in a segment.
pub(in crate::payroll) fn in_segment(hours: Amount, segment: &Segment) -> Option<Ratio> {
    Ratio::from_amount(hours).times(segment.days, segment.of)
}

pub(super) fn segment_name(what: &str, kind: Kind, segment: &Segment) -> String {
    format!("{}_{what}_from_{}", kind.as_str(), segment.from)
}

/// Explains the hours of a segment times a rate.
pub(super) fn segment_step(what: &str, kind: Kind, segment: &Segment, hours: Amount, result: Ratio) -> Step {
    hours_step(segment_name(what, kind, segment), segment, hours, result)
}

/// Explains the hours of a segment times a rate, under a given name.
pub(super) fn hours_step(name: String, segment: &Segment, hours: Amount, result: Ratio) -> Step {
    let step = Step::new(name, Operation::Product, result.to_value()).input("hours", hours);
    if (segment.days, segment.of) == (1, 1) { step } else { step.ratio("days", segment.days, segment.of) }
}

/// Explains the sum of segments in cents.
pub(super) fn sum_step<'j>(
    figure: String,
    part: &[Segment<'j>],
    result: Amount,
    each: impl Fn(&Segment<'j>) -> Option<(String, Ratio)>,
) -> Step {
    let step = Step::new(figure, Operation::Sum, result).rounded("0.01", Rounding::HalfUp);
    part.iter().filter_map(each).fold(step, |step, (name, value)| step.input(name, value.to_value()))
}
