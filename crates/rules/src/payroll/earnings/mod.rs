//! Gross pay of a job: salary, hourly pay and minimum wage adjustment.
//!
//! Rates of pay and minimum wages may change within a pay period. So a range of days is cut into [`Segment`]s
//! of constant rates, hours are distributed evenly and exactly over calendar days, and each line of a range
//! is rounded once, half up. If a job is hourly on some days of a range, its days with a salary without overtime get none of the
//! hours. Salaries are prorated over the calendar days of the pay period between the first
//! and the last day of work.
//!
//! Minimum wage adjustment (29 USC 203(m), 206; 29 CFR 531.50 to 531.60):
//!
//! - an overtime hour pays `max(1.5 x rate, 1.5 x minimum wage - tip credit)`, rounded half up to the cent; the credit is the part that
//!   the rate leaves, at most the tip credit (29 CFR 531.60);
//! - the required pay is the minimum wage per regular hour, and 1.5 and 2 times it (rounded half up to the
//!   cent) per overtime and double overtime hour;
//! - tips are credited up to the tip credit per hour; tips are allocated to ranges by hours;
//! - the adjustment is the required pay minus the wages and credited tips of the range, rounded half up.
//!
//! Hours whose workweek is known are paid by workweek instead ([`super::workweeks`]).
//!
//! Decisions: a salary covers hours off, except leave without pay ([`deductible_hours`]); in a payroll that pays no salaries, an hour off pays the yearly pay divided by 2,080.
//! Overtime of a salaried job pays 1.5 and 2 times its yearly pay divided by 2,080. Overtime hours that are entered for the
//! whole pay period are paid at the rate of their job, because they cannot be assigned to particular hours.

mod minimum_wage;
mod salary;
mod segments;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use jiff::civil::Date;
use strum::{EnumString, IntoStaticStr, VariantArray};

use self::minimum_wage::make_up;
use self::salary::prorated_salary;
use self::segments::{adjusted_runs, hours_step, segment_name, segment_step, sum_step};
use super::input::{Job, Payroll, TimeOff, Worked};
use super::output::JobPay;
use crate::Named;
use crate::amount::{Amount, Rounding};
use crate::compensation::{PayTerms, PaymentUnit, annualized_pay};
use crate::days::Days;
use crate::explain::{Operation, Step, Trace};
use crate::full_time::HOURS_PER_YEAR;
use crate::ratio::Ratio;

pub(super) use self::minimum_wage::credited_tips;
pub use self::salary::{deductible_hours, salary_of_days};
pub(super) use self::segments::{Segment, cut_segments, in_segment, segments_of_hours};

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
    fn total_wages(&self) -> Option<Amount> {
        self.regular.checked_add(self.overtime)?.checked_add(self.double_overtime)
    }

    fn add_inputs(&self, step: Step) -> Step {
        step.input("regular_pay", self.regular)
            .input("overtime_pay", self.overtime)
            .input("double_overtime_pay", self.double_overtime)
    }
}

impl Kind {
    fn rate_multiple(self) -> (i64, i64) {
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
    trace.open_figure();
    let mut pay = JobPay { salary: prorated_salary(trace, payroll, job)?, ..JobPay::default() };
    let spans: Vec<(&Worked, Vec<Segment>)> =
        job.worked.iter().map(|worked| (worked, segments_of_hours(job, days_worked(job, worked)))).collect();
    let parts: Vec<(&Worked, &[Segment])> =
        spans.iter().flat_map(|(worked, all)| adjusted_runs(all).map(move |part| (*worked, part))).collect();
    let shares = tips_by_hours(trace, &parts, tips)?;
    for ((place, part), tips) in (1..).zip(&parts).zip(shares) {
        pay_range(trace, payroll, (place, *part), tips, &mut pay)?;
    }
    pay.flsa_premium = flsa_premium(job, &pay)?;
    if !job.time_off.is_empty() {
        let days = cut_segments(job, days_employed(payroll, job).unwrap_or(payroll.days()));
        for (place, off) in (1..).zip(&job.time_off) {
            pay.time_off.push(time_off(trace, (payroll, job), (place, off), &days)?);
        }
    }
    let total = pay.total_pay()?;
    trace.close_figure(|| {
        let wages = [pay.regular, pay.overtime, pay.double_overtime, pay.make_up];
        let hours = wages.into_iter().try_fold(Amount::ZERO, Amount::checked_add).unwrap_or(total);
        let step = Step::new(figure(), Operation::Sum, total).input("salary", pay.salary);
        let step =
            if parts.len() == 1 { step.input("pay_of_stretch_1", hours) } else { step.input("hours", hours) };
        (1..).zip(&pay.time_off).fold(step, |step, (place, pay)| step.input(time_off_name(place), *pay))
    });
    Some(pay)
}

/// Returns the part of pay for hours entered as overtime that is beyond the regular rate under the federal law: a third of what pays one and
/// a half times it, a quarter of what pays twice; nothing for a job that the law exempts.
fn flsa_premium(job: &Job, pay: &JobPay) -> Option<Amount> {
    if !job.compensations.iter().any(|one| one.terms.flsa.earns_overtime()) {
        return Some(Amount::ZERO);
    }
    let part =
        |pay: Amount, of: i64| Some(pay.mul_ratio(1, of, Rounding::HalfUp)?.round_to_cents(Rounding::HalfUp));
    part(pay.overtime, 3)?.checked_add(part(pay.double_overtime, 4)?)
}

/// Returns the days of a range on which the job was held.
fn days_worked(job: &Job, worked: &Worked) -> Days {
    let from = worked.from.max(job.hired);
    let until = job.left.map_or(worked.until, |left| worked.until.min(left));
    if from <= until {
        Days { first: from, last: until }
    } else {
        Days { first: worked.from, last: worked.until }
    }
}

/// Adds the wages of a range and its minimum wage adjustment.
fn pay_range<T: Trace>(
    trace: &mut T,
    payroll: &Payroll,
    (place, (worked, part)): (usize, (&Worked, &[Segment])),
    tips: Amount,
    pay: &mut JobPay,
) -> Option<()> {
    trace.open_figure();
    let wages = wages_by_kind(trace, payroll, worked, part)?;
    let is_adjusted = part.iter().any(|segment| segment.floor.is_some());
    let make_up = if is_adjusted { make_up(trace, worked, part, &wages, tips)? } else { Amount::ZERO };
    pay.regular = pay.regular.checked_add(wages.regular)?;
    pay.overtime = pay.overtime.checked_add(wages.overtime)?;
    pay.double_overtime = pay.double_overtime.checked_add(wages.double_overtime)?;
    pay.make_up = pay.make_up.checked_add(make_up)?;
    let total = wages.total_wages()?.checked_add(make_up)?;
    trace.close_figure(|| {
        wages
            .add_inputs(Step::new(format!("pay_of_stretch_{place}"), Operation::Sum, total))
            .input("minimum_wage_adjustment", make_up)
            .input("from", worked.from)
            .input("until", worked.until)
    });
    Some(())
}

/// Returns the days of the pay period on which the job was held.
fn days_employed(payroll: &Payroll, job: &Job) -> Option<Days> {
    let from = payroll.start.max(job.hired);
    let until = job.left.map_or(payroll.end, |left| payroll.end.min(left));
    (from <= until).then_some(Days { first: from, last: until })
}

/// Returns the hourly pay in a segment.
fn hourly_rate(payroll: &Payroll, segment: &Segment, kind: Kind) -> Option<Ratio> {
    let (num, den) = kind.rate_multiple();
    let terms = segment.terms;
    if terms.unit != PaymentUnit::Hour {
        // Regular hours are covered by the salary.
        return match kind {
            Kind::Regular => Some(Ratio::ZERO),
            _ => yearly_pay(payroll, terms)?.times(num, den * HOURS_PER_YEAR),
        };
    }
    let rate = Ratio::from_amount(terms.rate).times(num, den)?;
    let Some(floor) = segment.floor.filter(|_| kind != Kind::Regular) else { return Some(rate) };
    // No more credit is taken for an hour of overtime than for any other: the rate's distance to the minimum wage (29 CFR 531.60).
    let taken = Ratio::from_amount(floor.minimum_wage.checked_sub(terms.rate)?).or_nothing();
    let credit = taken.least(Ratio::from_amount(floor.tip_credit))?;
    let least = Ratio::from_amount(floor.minimum_wage).times(num, den)?.minus(credit)?;
    let higher = if rate.compare(least)?.is_lt() { least } else { rate };
    // The Department of Labor prints the hour of whoever is paid the least cash wage to the cent (Fact Sheet 15: 5.76).
    let whole_credit = credit.compare(Ratio::from_amount(floor.tip_credit))?.is_eq();
    match whole_credit || higher.compare(rate)?.is_eq() {
        true => higher.to_cents(Rounding::HalfUp).map(Ratio::from_amount),
        false => Some(higher),
    }
}

/// Returns the yearly pay.
pub(super) fn yearly_pay(payroll: &Payroll, terms: &PayTerms) -> Option<Ratio> {
    annualized_pay(terms, Some(payroll.frequency.periods_per_year())).map(Ratio::from_amount)
}

/// Returns the wages of a group of segments by overtime class.
fn wages_by_kind<T: Trace>(
    trace: &mut T,
    payroll: &Payroll,
    worked: &Worked,
    part: &[Segment],
) -> Option<Wages> {
    let mut lines = [Amount::ZERO; 3];
    for (kind, line) in Kind::ALL.iter().copied().zip(&mut lines) {
        let hours = kind.hours(worked);
        if hours == Amount::ZERO {
            continue;
        }
        trace.open_figure();
        let mut sum = Ratio::ZERO;
        for segment in part {
            let rate = hourly_rate(payroll, segment, kind)?;
            let pay = in_segment(hours, segment)?.product(rate)?;
            trace.add_leaf(|| {
                segment_step("pay", kind, segment, hours, pay).input("rate_an_hour", rate.to_value())
            });
            sum = sum.plus(pay)?;
        }
        *line = sum.to_cents(Rounding::HalfUp)?;
        trace.close_figure(|| {
            sum_step(format!("{}_pay", kind.as_str()), part, *line, |segment| {
                let rate = hourly_rate(payroll, segment, kind)?;
                let pay = in_segment(hours, segment)?.product(rate)?;
                Some((segment_name("pay", kind, segment), pay))
            })
        });
    }
    let [regular, overtime, double_overtime] = lines;
    Some(Wages { regular, overtime, double_overtime })
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
        worked.total_hours()?.mul_ratio(days, part.first()?.of, Rounding::HalfUp)
    });
    let hours: Vec<Amount> = hours.collect::<Option<_>>()?;
    let shares = super::shares::by_weight(tips, &hours)?;
    for (place, share) in (1_i64..).zip(&shares) {
        trace.add_leaf(|| {
            let step =
                Step::new(format!("tips_of_stretch_{place}"), Operation::Share, *share).input("tips", tips);
            let weights = (1..).zip(&hours);
            let step = weights.fold(step, |step, (at, hours)| step.input(format!("hours_{at}"), *hours));
            step.ratio("place", place, 1)
        });
    }
    Some(shares)
}

fn time_off_name(place: usize) -> String {
    format!("time_off_{place}")
}

/// Hours off paid at one rate.
struct PartOff<'j> {
    name: String,
    hours: Amount,
    segment: Segment<'j>,
}

/// Returns the hours of a time off line by rate: if rates change in the period, hours of a known day are paid at the rate of that
/// day, and the others are spread over the days of the period.
fn parts_off<'j>(job: &'j Job, off: &TimeOff, days: &[Segment<'j>]) -> Option<Vec<PartOff<'j>>> {
    let mut known: BTreeMap<Date, Amount> = BTreeMap::new();
    if days.len() > 1 {
        for one in &off.days {
            let hours = known.entry(one.day).or_default();
            *hours = hours.checked_add(one.hours)?;
        }
    }
    let rest = known.values().try_fold(off.hours, |rest, hours| rest.checked_sub(*hours))?;
    let spread = days.iter().filter(|_| known.is_empty() || rest > Amount::ZERO).map(|segment| PartOff {
        name: segment_name("time_off", Kind::Regular, segment),
        hours: rest,
        segment: *segment,
    });
    let by_day = known.iter().filter_map(|(day, hours)| {
        let segment = cut_segments(job, Days { first: *day, last: *day }).pop()?;
        Some(PartOff { name: format!("time_off_on_{day}"), hours: *hours, segment })
    });
    Some(spread.chain(by_day).collect())
}

/// Returns the pay for an hour off: nothing extra if a salary covers it, or an hour of the salary if the payroll pays no salaries.
fn rate_off(payroll: &Payroll, off: &TimeOff, segment: &Segment) -> Option<Ratio> {
    if off.unpaid {
        return Some(Ratio::ZERO);
    }
    if !payroll.pays_salaries && segment.terms.is_salary() {
        return yearly_pay(payroll, segment.terms)?.times(1, HOURS_PER_YEAR);
    }
    let rate = hourly_rate(payroll, segment, Kind::Regular)?;
    let is_hourly = segment.terms.unit == PaymentUnit::Hour;
    match segment
        .floor
        .filter(|_| off.at_minimum_wage && is_hourly)
        .map(|floor| Ratio::from_amount(floor.minimum_wage))
    {
        Some(least) if rate.compare(least)?.is_lt() => Some(least),
        _ => Some(rate),
    }
}

/// Returns the pay for a time off line: hours taken at the rates of their days or of the period, hours paid out at the
/// last rate.
fn time_off<T: Trace>(
    trace: &mut T,
    (payroll, job): (&Payroll, &Job),
    (place, off): (usize, &TimeOff),
    days: &[Segment],
) -> Option<Amount> {
    trace.open_figure();
    let mut sum = Ratio::ZERO;
    let mut paid = Vec::new();
    for PartOff { name, hours, segment } in parts_off(job, off, days)? {
        let rate = rate_off(payroll, off, &segment)?;
        let pay = in_segment(hours, &segment)?.product(rate)?;
        trace.add_leaf(|| {
            hours_step(name.clone(), &segment, hours, pay).input("rate_an_hour", rate.to_value())
        });
        sum = sum.plus(pay)?;
        paid.push((name, pay));
    }
    let rate = match days.last() {
        Some(last) if last.terms.unit == PaymentUnit::Hour => Ratio::from_amount(last.terms.rate),
        Some(last) => yearly_pay(payroll, last.terms)?.times(1, HOURS_PER_YEAR)?,
        None => Ratio::ZERO,
    };
    let paid_out = Ratio::from_amount(off.paid_out).product(rate)?;
    trace.add_leaf(|| {
        Step::new("paid_out", Operation::Product, paid_out.to_value())
            .input("hours", off.paid_out)
            .input("rate_an_hour", rate.to_value())
    });
    let pay = sum.plus(paid_out)?.to_cents(Rounding::HalfUp)?;
    trace.close_figure(|| {
        let step = Step::new(time_off_name(place), Operation::Sum, pay).rounded("0.01", Rounding::HalfUp);
        let step = paid.into_iter().fold(step, |step, (name, pay)| step.input(name, pay.to_value()));
        step.input("paid_out", paid_out.to_value())
    });
    Some(pay)
}
