//! Gross pay of a job: salary, hourly pay and minimum wage adjustment.
//!
//! Rates of pay and minimum wages may change within a pay period. So a range of days is cut into [`Segment`]s
//! of constant rates, hours are distributed evenly and exactly over calendar days, and each line of a range
//! is rounded once, half up. Salaries are prorated over the calendar days of the pay period between the first
//! and the last day of work.
//!
//! Minimum wage adjustment (29 USC 203(m), 206; 29 CFR 531.50 to 531.60):
//!
//! - an overtime hour pays `max(1.5 x rate, 1.5 x minimum wage - tip credit)`, rounded half up to the cent;
//! - the required pay is the minimum wage per regular hour, and 1.5 and 2 times it (rounded half up to the
//!   cent) per overtime and double overtime hour;
//! - tips are credited up to the tip credit per hour; tips are allocated to ranges by hours;
//! - the adjustment is the required pay minus the wages and credited tips of the range, rounded half up.
//!
//! Hours whose workweek is known are paid by workweek instead ([`super::workweeks`]).
//!
//! Decisions: overtime of a salaried job pays 1.5 and 2 times its yearly pay divided by 2,080. Overtime of hours that are
//! entered for the whole pay period is paid at the rate of its job, for nothing tells which hours it belongs to.

use jiff::ToSpan;
use jiff::civil::Date;
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::input::{Compensation, Floor, Job, Payroll, TimeOff, Worked};
use super::output::JobPay;
use super::schedule::days_between;
use crate::Named;
use crate::amount::{Amount, Rounding};
use crate::compensation::{PayTerms, PaymentUnit, annualised};
use crate::explain::{Operation, Step, Trace};
use crate::ratio::Ratio;

/// Hours per year, to convert salaries to hourly rates.
pub(super) const HOURS_OF_A_YEAR: i64 = 2_080;

/// Days with constant pay terms and minimum wage.
#[derive(Clone, Copy)]
pub(super) struct Segment<'j> {
    from: Date,
    /// The fraction of the range's days.
    days: i64,
    of: i64,
    pub(super) terms: &'j PayTerms,
    pub(super) floor: Option<Floor>,
}

/// Overtime class of an hour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
enum Kind {
    #[strum(serialize = "regular")]
    Regular,
    #[strum(serialize = "overtime")]
    Overtime,
    #[strum(serialize = "double_overtime")]
    DoubleOvertime,
}

/// Wages of a range, with or without the adjustment.
#[derive(Default)]
struct Wages {
    regular: Amount,
    overtime: Amount,
    double_overtime: Amount,
}

impl Wages {
    fn total(&self) -> Option<Amount> {
        self.regular.checked_add(self.overtime)?.checked_add(self.double_overtime)
    }

    fn inputs(&self, step: Step) -> Step {
        step.input("regular_pay", self.regular)
            .input("overtime_pay", self.overtime)
            .input("double_overtime_pay", self.double_overtime)
    }
}

impl Kind {
    fn times(self) -> (i64, i64) {
        match self {
            Self::Regular => (1, 1),
            Self::Overtime => (3, 2),
            Self::DoubleOvertime => (2, 1),
        }
    }

    fn hours(self, worked: &Worked) -> Amount {
        match self {
            Self::Regular => worked.regular,
            Self::Overtime => worked.overtime,
            Self::DoubleOvertime => worked.double_overtime,
        }
    }
}

/// Returns the pay of a job in a pay period. `tips` are the job's tips of both kinds; `figure` names the
/// job's pay in the explanation.
///
/// `None` on overflow.
pub(super) fn of_job<T: Trace>(
    trace: &mut T,
    (payroll, job): (&Payroll, &Job),
    tips: Amount,
    figure: impl FnOnce() -> String,
) -> Option<JobPay> {
    trace.open();
    let mut pay = JobPay { salary: salary(trace, payroll, job)?, ..JobPay::default() };
    let stretches: Vec<(&Worked, Vec<Segment>)> =
        job.worked.iter().map(|worked| (worked, segments(job, days_worked(job, worked)))).collect();
    let parts: Vec<(&Worked, &[Segment])> = stretches
        .iter()
        .flat_map(|(worked, all)| adjusted_runs(all).map(move |part| (*worked, part)))
        .collect();
    let shares = tips_by_hours(trace, &parts, tips)?;
    for ((place, part), tips) in (1..).zip(&parts).zip(shares) {
        stretch(trace, payroll, (place, *part), tips, &mut pay)?;
    }
    if !job.time_off.is_empty() {
        let days = segments(job, employed(payroll, job).unwrap_or((payroll.start, payroll.end)));
        for (place, off) in (1..).zip(&job.time_off) {
            pay.time_off.push(time_off(trace, payroll, (place, off), &days)?);
        }
    }
    let total = pay.total()?;
    trace.close(|| {
        let wages = [pay.regular, pay.overtime, pay.double_overtime, pay.make_up];
        let hours = wages.into_iter().try_fold(Amount::ZERO, Amount::checked_add).unwrap_or(total);
        let step = Step::new(figure(), Operation::Sum, total).input("salary", pay.salary);
        let step =
            if parts.len() == 1 { step.input("pay_of_stretch_1", hours) } else { step.input("hours", hours) };
        (1..).zip(&pay.time_off).fold(step, |step, (place, pay)| step.input(time_off_name(place), *pay))
    });
    Some(pay)
}

/// Returns the days of a range on which the job was held.
fn days_worked(job: &Job, worked: &Worked) -> (Date, Date) {
    let from = worked.from.max(job.hired);
    let until = job.left.map_or(worked.until, |left| worked.until.min(left));
    if from <= until { (from, until) } else { (worked.from, worked.until) }
}

/// Adds the wages of a range and its minimum wage adjustment.
fn stretch<T: Trace>(
    trace: &mut T,
    payroll: &Payroll,
    (place, (worked, part)): (usize, (&Worked, &[Segment])),
    tips: Amount,
    pay: &mut JobPay,
) -> Option<()> {
    trace.open();
    let wages = wages(trace, payroll, worked, part)?;
    let is_adjusted = part.iter().any(|segment| segment.floor.is_some());
    let make_up = if is_adjusted { make_up(trace, worked, part, &wages, tips)? } else { Amount::ZERO };
    pay.regular = pay.regular.checked_add(wages.regular)?;
    pay.overtime = pay.overtime.checked_add(wages.overtime)?;
    pay.double_overtime = pay.double_overtime.checked_add(wages.double_overtime)?;
    pay.make_up = pay.make_up.checked_add(make_up)?;
    let total = wages.total()?.checked_add(make_up)?;
    trace.close(|| {
        wages
            .inputs(Step::new(format!("pay_of_stretch_{place}"), Operation::Sum, total))
            .input("minimum_wage_adjustment", make_up)
            .input("from", worked.from)
            .input("until", worked.until)
    });
    Some(())
}

/// Returns the days of the pay period on which the job was held.
fn employed(payroll: &Payroll, job: &Job) -> Option<(Date, Date)> {
    let from = payroll.start.max(job.hired);
    let until = job.left.map_or(payroll.end, |left| payroll.end.min(left));
    (from <= until).then_some((from, until))
}

/// Returns the days of the pay period on which the job was held, without those between leaving and coming back.
fn stretches_held(payroll: &Payroll, job: &Job) -> Vec<(Date, Date)> {
    let Some((from, until)) = employed(payroll, job) else { return Vec::new() };
    let stretches = match job.away {
        None => vec![(from, until)],
        Some((first, last)) => vec![
            (from, until.min(first.saturating_sub(1.day()))),
            (from.max(last.saturating_add(1.day())), until),
        ],
    };
    stretches.into_iter().filter(|(from, until)| from <= until).collect()
}

/// Returns the compensation in effect on a day.
fn compensation_on(job: &Job, day: Date) -> Option<&Compensation> {
    let begun = job.compensations.iter().rev().find(|compensation| compensation.effective <= day);
    begun.or(job.compensations.first())
}

pub(super) fn segments(job: &Job, (from, until): (Date, Date)) -> Vec<Segment<'_>> {
    let mut found = Vec::with_capacity(1);
    let mut day = from;
    let mut days_of_all = None;
    while let Some(compensation) = compensation_on(job, day) {
        let floor = compensation.floors.iter().rev().find(|floor| floor.from <= day).copied();
        let of_terms = job.compensations.iter().map(|later| later.effective);
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

/// Groups adjacent segments with and without the adjustment, so that wages of one group never offset the
/// other.
fn adjusted_runs<'s, 'j>(segments: &'s [Segment<'j>]) -> impl Iterator<Item = &'s [Segment<'j>]> {
    segments.chunk_by(|segment, next| segment.floor.is_some() == next.floor.is_some())
}

/// Returns the hourly pay in a segment.
fn hourly(payroll: &Payroll, segment: &Segment, kind: Kind) -> Option<Ratio> {
    let (num, den) = kind.times();
    let terms = segment.terms;
    if terms.unit != PaymentUnit::Hour {
        // Regular hours are covered by the salary.
        return match kind {
            Kind::Regular => Some(Ratio::ZERO),
            _ => yearly(payroll, terms)?.times(num, den * HOURS_OF_A_YEAR),
        };
    }
    let rate = Ratio::of(terms.rate).times(num, den)?;
    let Some(floor) = segment.floor.filter(|_| kind != Kind::Regular) else { return Some(rate) };
    let least = Ratio::of(floor.minimum_wage).times(num, den)?.minus(Ratio::of(floor.tip_credit))?;
    let higher = if rate.compare(least)?.is_lt() { least } else { rate };
    higher.to_cents(Rounding::HalfUp).map(Ratio::of)
}

/// Returns the minimum hourly pay, including tips.
fn required_an_hour(floor: &Floor, kind: Kind) -> Option<Amount> {
    let (num, den) = kind.times();
    if kind == Kind::Regular {
        return Some(floor.minimum_wage);
    }
    Ratio::of(floor.minimum_wage).times(num, den)?.to_cents(Rounding::HalfUp)
}

pub(super) fn yearly(payroll: &Payroll, terms: &PayTerms) -> Option<Ratio> {
    annualised(terms, Some(payroll.frequency.periods_per_year())).map(Ratio::of)
}

/// Returns the wages of a group of segments by overtime class.
fn wages<T: Trace>(trace: &mut T, payroll: &Payroll, worked: &Worked, part: &[Segment]) -> Option<Wages> {
    let mut lines = [Amount::ZERO; 3];
    for (kind, line) in Kind::ALL.iter().copied().zip(&mut lines) {
        let hours = kind.hours(worked);
        if hours == Amount::ZERO {
            continue;
        }
        trace.open();
        let mut sum = Ratio::ZERO;
        for segment in part {
            let rate = hourly(payroll, segment, kind)?;
            let pay = in_segment(hours, segment)?.product(rate)?;
            trace.leaf(|| {
                segment_step("pay", kind, segment, hours, pay).input("rate_an_hour", rate.to_value())
            });
            sum = sum.plus(pay)?;
        }
        *line = sum.to_cents(Rounding::HalfUp)?;
        trace.close(|| {
            sum_step(format!("{}_pay", kind.as_str()), part, *line, |segment| {
                let rate = hourly(payroll, segment, kind)?;
                let pay = in_segment(hours, segment)?.product(rate)?;
                Some((segment_name("pay", kind, segment), pay))
            })
        });
    }
    let [regular, overtime, double_overtime] = lines;
    Some(Wages { regular, overtime, double_overtime })
}

pub(super) fn in_segment(hours: Amount, segment: &Segment) -> Option<Ratio> {
    Ratio::of(hours).times(segment.days, segment.of)
}

fn segment_name(what: &str, kind: Kind, segment: &Segment) -> String {
    format!("{}_{what}_from_{}", kind.as_str(), segment.from)
}

/// Explains the hours of a segment times a rate.
fn segment_step(what: &str, kind: Kind, segment: &Segment, hours: Amount, result: Ratio) -> Step {
    let step = Step::new(segment_name(what, kind, segment), Operation::Product, result.to_value())
        .input("hours", hours);
    if (segment.days, segment.of) == (1, 1) { step } else { step.ratio("days", segment.days, segment.of) }
}

/// Explains the sum of segments in cents.
fn sum_step<'j>(
    figure: String,
    part: &[Segment<'j>],
    result: Amount,
    each: impl Fn(&Segment<'j>) -> Option<(String, Ratio)>,
) -> Step {
    let step = Step::new(figure, Operation::Sum, result).rounded("0.01", Rounding::HalfUp);
    part.iter().filter_map(each).fold(step, |step, (name, value)| step.input(name, value.to_value()))
}

/// Returns the minimum wage adjustment.
fn make_up<T: Trace>(
    trace: &mut T,
    worked: &Worked,
    part: &[Segment],
    wages: &Wages,
    tips: Amount,
) -> Option<Amount> {
    trace.open();
    let required = required(trace, worked, part)?;
    let credit = tip_credit(trace, worked, part)?;
    let credited = Ratio::of(tips).least(credit)?;
    trace.leaf(|| {
        Step::new("credited_tips", Operation::Least, credited.to_value())
            .input("tips", tips)
            .input("tip_credit", credit.to_value())
            .source("29 USC 203(m)(2)(A)")
    });
    let paid = wages.total()?;
    trace.leaf(|| wages.inputs(Step::new("cash_wages", Operation::Sum, paid)));
    let missing = required.minus(Ratio::of(paid))?.minus(credited)?.or_nothing();
    let make_up = missing.to_cents(Rounding::HalfUp)?;
    trace.close(|| {
        Step::new("minimum_wage_adjustment", Operation::Remaining, make_up)
            .input("required", required.to_value())
            .input("cash_wages", paid)
            .input("credited_tips", credited.to_value())
            .rounded("0.01", Rounding::HalfUp)
            .source("29 USC 203(m), 206; 29 CFR 531.59")
    });
    Some(make_up)
}

fn required<T: Trace>(trace: &mut T, worked: &Worked, part: &[Segment]) -> Option<Ratio> {
    let each = |segment: &Segment, kind: Kind| {
        let least = required_an_hour(&segment.floor?, kind)?;
        Some((least, in_segment(kind.hours(worked), segment)?.by(least)?))
    };
    trace.open();
    let mut sum = Ratio::ZERO;
    for (segment, kind) in pairs(worked, part) {
        let (least, pay) = each(segment, kind)?;
        trace.leaf(|| {
            segment_step("required", kind, segment, kind.hours(worked), pay).input("minimum_an_hour", least)
        });
        sum = sum.plus(pay)?;
    }
    trace.close(|| {
        let step = Step::new("required", Operation::Sum, sum.to_value()).input("nothing", Amount::ZERO);
        pairs(worked, part).fold(step, |step, (segment, kind)| match each(segment, kind) {
            Some((_, pay)) => step.input(segment_name("required", kind, segment), pay.to_value()),
            None => step,
        })
    });
    Some(sum)
}

fn tip_credit<T: Trace>(trace: &mut T, worked: &Worked, part: &[Segment]) -> Option<Ratio> {
    let hours = all_hours(worked)?;
    let each = |segment: &Segment| in_segment(hours, segment)?.by(segment.floor?.tip_credit);
    let name = |segment: &Segment| format!("tip_credit_from_{}", segment.from);
    trace.open();
    let mut sum = Ratio::ZERO;
    for segment in part {
        let credit = each(segment)?;
        trace.leaf(|| {
            let step = Step::new(name(segment), Operation::Product, credit.to_value())
                .input("all_hours", hours)
                .input("credit_an_hour", segment.floor.map_or(Amount::ZERO, |floor| floor.tip_credit));
            if segment.of == 1 { step } else { step.ratio("days", segment.days, segment.of) }
        });
        sum = sum.plus(credit)?;
    }
    trace.close(|| {
        let step = Step::new("tip_credit", Operation::Sum, sum.to_value());
        part.iter().fold(step, |step, segment| match each(segment) {
            Some(credit) => step.input(name(segment), credit.to_value()),
            None => step,
        })
    });
    Some(sum)
}

/// Returns the segments for each overtime class with hours.
fn pairs<'s, 'j>(
    worked: &'s Worked,
    part: &'s [Segment<'j>],
) -> impl Iterator<Item = (&'s Segment<'j>, Kind)> {
    let kinds = Kind::ALL.iter().copied().filter(|kind| kind.hours(worked) != Amount::ZERO);
    kinds.flat_map(move |kind| part.iter().map(move |segment| (segment, kind)))
}

fn all_hours(worked: &Worked) -> Option<Amount> {
    worked.regular.checked_add(worked.overtime)?.checked_add(worked.double_overtime)
}

/// Allocates the job's tips to ranges by hours, to the cent.
fn tips_by_hours<T: Trace>(
    trace: &mut T,
    parts: &[(&Worked, &[Segment])],
    tips: Amount,
) -> Option<Vec<Amount>> {
    if parts.len() < 2 || tips == Amount::ZERO {
        return Some(vec![tips; parts.len()]);
    }
    let hours = parts.iter().map(|(worked, part)| {
        let days: i64 = part.iter().map(|segment| segment.days).sum();
        all_hours(worked)?.mul_ratio(days, part.first()?.of, Rounding::HalfUp)
    });
    let hours: Vec<Amount> = hours.collect::<Option<_>>()?;
    let shares = super::shares::by_weight(tips, &hours)?;
    for (place, share) in (1_i64..).zip(&shares) {
        trace.leaf(|| {
            let step =
                Step::new(format!("tips_of_stretch_{place}"), Operation::Share, *share).input("tips", tips);
            let weights = (1..).zip(&hours);
            let step = weights.fold(step, |step, (at, hours)| step.input(format!("hours_{at}"), *hours));
            step.ratio("place", place, 1)
        });
    }
    Some(shares)
}

/// Returns the prorated salary of the pay period.
fn salary<T: Trace>(trace: &mut T, payroll: &Payroll, job: &Job) -> Option<Amount> {
    let is_salary = |terms: &PayTerms| terms.unit != PaymentUnit::Hour && terms.rate != Amount::ZERO;
    if !payroll.pays_salaries || !job.compensations.iter().any(|compensation| is_salary(&compensation.terms))
    {
        return Some(Amount::ZERO);
    }
    let periods = payroll.frequency.periods_per_year();
    let stretches = stretches_held(payroll, job);
    if stretches.is_empty() {
        return Some(Amount::ZERO);
    }
    let part: Vec<(Segment, (i64, i64))> = stretches
        .into_iter()
        .flat_map(|(from, until)| {
            let held = if (from, until) == (payroll.start, payroll.end) {
                (1, 1)
            } else {
                let of = i64::from(days_between(payroll.start, payroll.end)) + 1;
                (i64::from(days_between(from, until)) + 1, of)
            };
            segments(job, (from, until)).into_iter().map(move |segment| (segment, held))
        })
        .filter(|(segment, _)| is_salary(segment.terms))
        .collect();
    let name = |segment: &Segment| format!("salary_from_{}", segment.from);
    let each = |(segment, held): &(Segment, (i64, i64))| {
        yearly(payroll, segment.terms)?
            .times(1, periods)?
            .times(held.0, held.1)?
            .times(segment.days, segment.of)
    };
    trace.open();
    let mut sum = Ratio::ZERO;
    for one in &part {
        let pay = each(one)?;
        let (segment, held) = one;
        trace.leaf(|| {
            let a_year = annualised(segment.terms, Some(periods)).unwrap_or(Amount::ZERO);
            Step::new(name(segment), Operation::Product, pay.to_value())
                .input("a_year", a_year)
                .ratio("pay_periods", 1, periods)
                .ratio("days_employed", held.0, held.1)
                .ratio("days", segment.days, segment.of)
        });
        sum = sum.plus(pay)?;
    }
    let salary = sum.to_cents(Rounding::HalfUp)?;
    trace.close(|| {
        let step = Step::new("salary", Operation::Sum, salary)
            .input("nothing", Amount::ZERO)
            .rounded("0.01", Rounding::HalfUp);
        part.iter().fold(step, |step, one| match each(one) {
            Some(pay) => step.input(name(&one.0), pay.to_value()),
            None => step,
        })
    });
    Some(salary)
}

fn time_off_name(place: usize) -> String {
    format!("time_off_{place}")
}

/// Returns the pay for a time off line: hours taken at the rates of the period's days, hours paid out at the
/// last rate.
fn time_off<T: Trace>(
    trace: &mut T,
    payroll: &Payroll,
    (place, off): (usize, &TimeOff),
    days: &[Segment],
) -> Option<Amount> {
    trace.open();
    let mut sum = Ratio::ZERO;
    for segment in days {
        let rate = hourly(payroll, segment, Kind::Regular)?;
        let pay = in_segment(off.hours, segment)?.product(rate)?;
        trace.leaf(|| {
            segment_step("time_off", Kind::Regular, segment, off.hours, pay)
                .input("rate_an_hour", rate.to_value())
        });
        sum = sum.plus(pay)?;
    }
    let rate = match days.last() {
        Some(last) if last.terms.unit == PaymentUnit::Hour => Ratio::of(last.terms.rate),
        Some(last) => yearly(payroll, last.terms)?.times(1, HOURS_OF_A_YEAR)?,
        None => Ratio::ZERO,
    };
    let paid_out = Ratio::of(off.paid_out).product(rate)?;
    trace.leaf(|| {
        Step::new("paid_out", Operation::Product, paid_out.to_value())
            .input("hours", off.paid_out)
            .input("rate_an_hour", rate.to_value())
    });
    let pay = sum.plus(paid_out)?.to_cents(Rounding::HalfUp)?;
    trace.close(|| {
        let step = sum_step(time_off_name(place), days, pay, |segment| {
            let rate = hourly(payroll, segment, Kind::Regular)?;
            let pay = in_segment(off.hours, segment)?.product(rate)?;
            Some((segment_name("time_off", Kind::Regular, segment), pay))
        });
        step.input("paid_out", paid_out.to_value())
    });
    Some(pay)
}

#[cfg(test)]
#[path = "earnings_tests.rs"]
mod tests;
