//! The minimum wage adjustment of a range of days.

use super::segments::{Segment, in_segment, segment_name, segment_step};
use super::{Kind, Wages};
use crate::Named;
use crate::amount::{Amount, Rounding};
use crate::explain::{Operation, Step, Trace};
use crate::payroll::input::{Floor, Worked};
use crate::ratio::Ratio;

/// Returns the minimum hourly pay, including tips.
fn required_an_hour(floor: &Floor, kind: Kind) -> Option<Amount> {
    let (num, den) = kind.rate_multiple();
    if kind == Kind::Regular {
        return Some(floor.minimum_wage);
    }
    Ratio::from_amount(floor.minimum_wage).times(num, den)?.to_cents(Rounding::HalfUp)
}

/// Returns the minimum wage adjustment.
pub(super) fn make_up<T: Trace>(
    trace: &mut T,
    worked: &Worked,
    part: &[Segment],
    wages: &Wages,
    tips: Amount,
) -> Option<Amount> {
    trace.open_figure();
    let required = required_wages(trace, worked, part)?;
    let credit = tip_credit(trace, worked, part)?;
    let credited = credited_tips(trace, tips, credit, tips_from(worked, part)?)?;
    let paid = wages.total_wages()?;
    trace.add_leaf(|| wages.add_inputs(Step::new("cash_wages", Operation::Sum, paid)));
    let missing = required.minus(Ratio::from_amount(paid))?.minus(credited)?.or_nothing();
    let make_up = missing.to_cents(Rounding::HalfUp)?;
    trace.close_figure(|| {
        Step::new("minimum_wage_adjustment", Operation::Remaining, make_up)
            .input("required", required.to_value())
            .input("cash_wages", paid)
            .input("credited_tips", credited.to_value())
            .rounded("0.01", Rounding::HalfUp)
            .source("29 USC 203(m), 206; 29 CFR 531.59")
    });
    Some(make_up)
}

/// Returns the tips that count towards the minimum wage: those above the tips that do not count, up to the tip credit.
pub(in crate::payroll) fn credited_tips<T: Trace>(
    trace: &mut T,
    tips: Amount,
    credit: Ratio,
    from: Ratio,
) -> Option<Ratio> {
    let is_whole = from.compare(Ratio::ZERO)?.is_eq();
    let above = Ratio::from_amount(tips).minus(from)?.or_nothing();
    let credited = above.least(credit)?;
    trace.open_figure();
    if !is_whole {
        trace.add_leaf(|| {
            Step::new("tips_that_count", Operation::Remaining, above.to_value())
                .input("tips", tips)
                .input("tips_that_do_not_count", from.to_value())
                .source("Hawaii Revised Statutes 387-2(b)")
        });
    }
    trace.close_figure(|| {
        let step = Step::new("credited_tips", Operation::Least, credited.to_value());
        let step =
            if is_whole { step.input("tips", tips) } else { step.input("tips_that_count", above.to_value()) };
        step.input("tip_credit", credit.to_value()).source("29 USC 203(m)(2)(A)")
    });
    Some(credited)
}

/// Returns the tips that do not count, for all hours.
fn tips_from(worked: &Worked, part: &[Segment]) -> Option<Ratio> {
    let hours = worked.total_hours()?;
    part.iter().try_fold(Ratio::ZERO, |sum, segment| {
        sum.plus(in_segment(hours, segment)?.times_amount(segment.floor?.tips_from)?)
    })
}

fn required_wages<T: Trace>(trace: &mut T, worked: &Worked, part: &[Segment]) -> Option<Ratio> {
    let each = |segment: &Segment, kind: Kind| {
        let least = required_an_hour(&segment.floor?, kind)?;
        Some((least, in_segment(kind.hours(worked), segment)?.times_amount(least)?))
    };
    trace.open_figure();
    let mut sum = Ratio::ZERO;
    for (segment, kind) in segments_by_kind(worked, part) {
        let (least, pay) = each(segment, kind)?;
        trace.add_leaf(|| {
            segment_step("required", kind, segment, kind.hours(worked), pay).input("minimum_an_hour", least)
        });
        sum = sum.plus(pay)?;
    }
    trace.close_figure(|| {
        let step = Step::new("required", Operation::Sum, sum.to_value()).input("nothing", Amount::ZERO);
        segments_by_kind(worked, part).fold(step, |step, (segment, kind)| match each(segment, kind) {
            Some((_, pay)) => step.input(segment_name("required", kind, segment), pay.to_value()),
            None => step,
        })
    });
    Some(sum)
}

fn tip_credit<T: Trace>(trace: &mut T, worked: &Worked, part: &[Segment]) -> Option<Ratio> {
    let hours = worked.total_hours()?;
    let each = |segment: &Segment| in_segment(hours, segment)?.times_amount(segment.floor?.tip_credit);
    let name = |segment: &Segment| format!("tip_credit_from_{}", segment.from);
    trace.open_figure();
    let mut sum = Ratio::ZERO;
    for segment in part {
        let credit = each(segment)?;
        trace.add_leaf(|| {
            let step = Step::new(name(segment), Operation::Product, credit.to_value())
                .input("all_hours", hours)
                .input("credit_an_hour", segment.floor.map_or(Amount::ZERO, |floor| floor.tip_credit));
            if segment.of == 1 { step } else { step.ratio("days", segment.days, segment.of) }
        });
        sum = sum.plus(credit)?;
    }
    trace.close_figure(|| {
        let step = Step::new("tip_credit", Operation::Sum, sum.to_value());
        part.iter().fold(step, |step, segment| match each(segment) {
            Some(credit) => step.input(name(segment), credit.to_value()),
            None => step,
        })
    });
    Some(sum)
}

/// Returns the segments for each overtime class with hours.
fn segments_by_kind<'s, 'j>(
    worked: &'s Worked,
    part: &'s [Segment<'j>],
) -> impl Iterator<Item = (&'s Segment<'j>, Kind)> {
    let kinds = Kind::ALL.iter().copied().filter(|kind| kind.hours(worked) != Amount::ZERO);
    kinds.flat_map(move |kind| part.iter().map(move |segment| (segment, kind)))
}
