//! Pay of one workweek: straight time of each job, the minimum wage adjustment, and the overtime premium.

use jiff::ToSpan;

use super::{Line, Stage, Week, hours_of};
use crate::amount::{Amount, Rounding};
use crate::compensation::PaymentUnit;
use crate::explain::{Operation, Step, Trace};
use crate::full_time::{HOURS_PER_YEAR, WEEKS_PER_YEAR};
use crate::payroll::by_weight;
use crate::payroll::earnings::{Segment, credited_tips, in_segment, yearly_pay};
use crate::payroll::input::{Floor, Payroll};
use crate::payroll::output::JobPay;
use crate::ratio::Ratio;
use crate::wage_hour::{self, Remuneration, Sorted};

/// Sources of the minimum wage of a workweek.
const MINIMUM_WAGE: &str = "29 USC 203(m), 206; 29 CFR 531.35, 531.59";

/// Returns the straight-time rate of a segment, in dollars per hour.
fn rate_of(payroll: &Payroll, segment: &Segment<'_>) -> Option<Ratio> {
    match segment.terms.unit {
        PaymentUnit::Hour => Some(Ratio::from_amount(segment.terms.rate)),
        _ => yearly_pay(payroll, segment.terms)?.times(1, HOURS_PER_YEAR),
    }
}

/// Returns the hourly rate of a salary that covers all hours of a workweek: a week's salary divided by its hours
/// (29 CFR 778.114(a)).
fn rate_of_salary(payroll: &Payroll, segment: &Segment<'_>, hours: Amount) -> Option<Ratio> {
    yearly_pay(payroll, segment.terms)?.times(1, WEEKS_PER_YEAR)?.times(1_000_000, hours.millionths())
}

/// Returns the hours of a line with the rate that counts towards the regular rate: at least the minimum wage. `of_job` is the
/// job's hours in the workweek.
pub(super) fn counted_hours(payroll: &Payroll, line: &Line<'_>, of_job: Amount) -> Option<wage_hour::Worked> {
    let hours = line.hours()?;
    let mut pay = Ratio::ZERO;
    for segment in &line.segments {
        let by_salary = line.fluctuating && segment.terms.unit != PaymentUnit::Hour;
        let mut rate = match by_salary {
            true => rate_of_salary(payroll, segment, of_job)?,
            false => rate_of(payroll, segment)?,
        };
        if let Some(floor) = segment.floor {
            let least = Ratio::from_amount(floor.minimum_wage);
            rate = if rate.compare(least)?.is_lt() { least } else { rate };
        }
        pay = pay.plus(in_segment(hours, segment)?.product(rate)?)?;
    }
    let rate = pay.times(1_000_000, hours.millionths())?.nearest_amount()?;
    Some(wage_hour::Worked { date: line.worked.from, job: line.job, hours, rate })
}

/// Pays a workweek; returns its total in this payroll.
pub(super) fn pay_week<T: Trace>(
    trace: &mut T,
    payroll: &Payroll,
    week: &Week<'_>,
    others: &[Remuneration],
    tips: &dyn Fn(usize) -> Option<Amount>,
    jobs: &mut [JobPay],
) -> Option<Amount> {
    trace.open_figure();
    let mut figures: Vec<(String, Amount)> = Vec::new();
    let mut of_week: Vec<usize> = week.lines.iter().map(|line| line.job).collect();
    of_week.sort_unstable();
    of_week.dedup();
    for job in of_week {
        let straight = straight_time(trace, payroll, week, job, &mut jobs[job])?;
        let credited = make_up(trace, payroll, week, job, tips(job).unwrap_or(Amount::ZERO))?;
        figures.push((format!("straight_time_of_job_{}", job + 1), straight));
        if let Some(make_up) = credited {
            jobs[job].make_up = jobs[job].make_up.checked_add(make_up)?;
            figures.push((format!("minimum_wage_adjustment_of_job_{}", job + 1), make_up));
        }
    }
    if let Some(premium) = add_overtime_premium(trace, payroll, week, others, jobs)? {
        figures.push(("overtime_premium".to_owned(), premium));
    }
    let total = figures.iter().map(|(_, amount)| *amount).try_fold(Amount::ZERO, Amount::checked_add)?;
    trace.close_figure(|| {
        let step = Step::new(format!("workweek_{}", week.start), Operation::Sum, total).input("nothing", Amount::ZERO);
        let step = figures.iter().fold(step, |step, (name, amount)| step.input(name.clone(), *amount));
        let step = step.source("29 CFR 778.104");
        let outlasts = week.start.saturating_add(6.days()) > payroll.end;
        if week.stage == Stage::Due && outlasts && week.lines.iter().any(|line| !line.is_own()) {
            return step.note(
                "The payroll in which the workweek ends was processed before: its hours count, and what is owed beyond it is \
                 paid here (29 USC 207(a)(1)).",
            );
        }
        if week.stage != Stage::Open || week.as_entered {
            return step;
        }
        step.note(
            "The workweek goes on after the pay period: its overtime is paid with the payroll in which it ends (29 CFR 778.106).",
        )
    });
    Some(total)
}

/// Returns the hours of a line in a segment for which this payroll pays straight time, by overtime class. A salary covers regular
/// hours; a payroll that paid a salaried line before left out the hours that turn out to be overtime.
fn paid_straight(week: &Week<'_>, line: &Line<'_>, sorted: &Sorted, segment: &Segment<'_>) -> [Amount; 3] {
    let salaried = segment.terms.unit != PaymentUnit::Hour;
    if salaried && line.fluctuating {
        return [Amount::ZERO; 3];
    }
    match (line.is_own(), salaried) {
        (true, false) => [sorted.regular, sorted.overtime, sorted.double],
        (_, true) if week.pays_overtime(line) => [Amount::ZERO, sorted.overtime, sorted.double],
        _ => [Amount::ZERO; 3],
    }
}

/// Adds the straight time of a job in a week to the job's pay, and returns it.
fn straight_time<T: Trace>(
    trace: &mut T,
    payroll: &Payroll,
    week: &Week<'_>,
    job: usize,
    pay: &mut JobPay,
) -> Option<Amount> {
    let (mut kinds, mut rates) = ([Ratio::ZERO; 3], Vec::<(Ratio, Ratio)>::new());
    for (line, sorted) in week.lines.iter().zip(&week.sorted).filter(|(line, _)| line.job == job) {
        for segment in &line.segments {
            let rate = rate_of(payroll, segment)?;
            for (hours, kind) in paid_straight(week, line, sorted, segment).into_iter().zip(&mut kinds) {
                if hours == Amount::ZERO {
                    continue;
                }
                let hours = in_segment(hours, segment)?;
                *kind = kind.plus(hours.product(rate)?)?;
                let mut known = rates.iter_mut();
                match known.find(|(held, _)| held.compare(rate).is_some_and(std::cmp::Ordering::is_eq)) {
                    Some((_, sum)) => *sum = sum.plus(hours)?,
                    None => rates.push((rate, hours)),
                }
            }
        }
        if line.is_own() {
            for (held, hours) in pay.hours.iter_mut().zip([sorted.regular, sorted.overtime, sorted.double]) {
                *held = held.checked_add(hours)?;
            }
        }
    }
    let exact = kinds.into_iter().try_fold(Ratio::ZERO, Ratio::plus)?;
    let total = exact.to_cents(Rounding::HalfUp)?;
    let weights: Vec<Amount> = kinds.into_iter().map(Ratio::nearest_amount).collect::<Option<_>>()?;
    let shares = by_weight(total, &weights)?;
    let into = [&mut pay.regular, &mut pay.overtime, &mut pay.double_overtime];
    for (held, share) in into.into_iter().zip(shares) {
        *held = held.checked_add(share)?;
    }
    trace.open_figure();
    let name = |rate: &Ratio| format!("pay_at_{}", rate.nearest_amount().unwrap_or(Amount::ZERO).to_text(2));
    let product = |(rate, hours): &(Ratio, Ratio)| hours.product(*rate).unwrap_or(Ratio::ZERO).to_value();
    for one in &rates {
        trace.add_leaf(|| {
            Step::new(name(&one.0), Operation::Product, product(one))
                .input("hours", one.1.to_value())
                .input("rate_an_hour", one.0.to_value())
        });
    }
    trace.close_figure(|| {
        let step = Step::new(format!("straight_time_of_job_{}", job + 1), Operation::Sum, total)
            .input("nothing", Amount::ZERO)
            .rounded("0.01", Rounding::HalfUp);
        rates.iter().fold(step, |step, one| step.input(name(&one.0), product(one)))
    });
    Some(total)
}

/// The hours of a job in a week that are owed the same minimum wage.
struct Owed {
    floor: Floor,
    hours: Ratio,
    cash: Ratio,
}

impl Owed {
    fn required_wages(&self) -> Option<Ratio> {
        self.hours.times_amount(self.floor.minimum_wage)
    }

    fn credit_tips<T: Trace>(&self, trace: &mut T, tips: Amount) -> Option<Ratio> {
        let (credit, from) =
            (self.hours.times_amount(self.floor.tip_credit)?, self.hours.times_amount(self.floor.tips_from)?);
        credited_tips(trace, tips, credit, from)
    }
}

/// Returns the hours of a job in a week by the minimum wage owed: for each hour, that of its own place and day.
fn owed_by_floor(payroll: &Payroll, week: &Week<'_>, job: usize) -> Option<Vec<Owed>> {
    let mut found: Vec<Owed> = Vec::new();
    for line in week.lines.iter().filter(|line| line.job == job && line.is_own()) {
        for (segment, floor) in line.segments.iter().filter_map(|segment| Some((segment, segment.floor?))) {
            let hours = in_segment(line.hours()?, segment)?;
            let cash = hours.product(rate_of(payroll, segment)?)?;
            match found.iter_mut().find(|one| one.floor.is_like(&floor)) {
                Some(one) => {
                    one.hours = one.hours.plus(hours)?;
                    one.cash = one.cash.plus(cash)?;
                }
                None => found.push(Owed { floor, hours, cash }),
            }
        }
    }
    Some(found)
}

/// Returns the minimum wage adjustment of a job in a week; `Some(None)` if the adjustment does not apply.
fn make_up<T: Trace>(
    trace: &mut T,
    payroll: &Payroll,
    week: &Week<'_>,
    job: usize,
    tips: Amount,
) -> Option<Option<Amount>> {
    let owed = owed_by_floor(payroll, week, job)?;
    let figure = format!("minimum_wage_adjustment_of_job_{}", job + 1);
    match owed.as_slice() {
        [] => Some(None),
        [one] => {
            trace.open_figure();
            let (required, credited) = (one.required_wages()?, one.credit_tips(trace, tips)?);
            let missing = required.minus(one.cash)?.minus(credited)?.or_nothing();
            let make_up = missing.to_cents(Rounding::HalfUp)?;
            trace.close_figure(|| {
                Step::new(figure, Operation::Remaining, make_up)
                    .input("required", required.to_value())
                    .input("cash_wages", one.cash.to_value())
                    .input("credited_tips", credited.to_value())
                    .rounded("0.01", Rounding::HalfUp)
                    .source(MINIMUM_WAGE)
            });
            Some(Some(make_up))
        }
        several => make_up_of(trace, several, figure, tips).map(Some),
    }
}

/// Returns the adjustment for several minimum wages: pay above one of them does not offset another, and tips cover the shortfall
/// of each, up to its credit.
fn make_up_of<T: Trace>(trace: &mut T, owed: &[Owed], figure: String, tips: Amount) -> Option<Amount> {
    let below = |place: usize| format!("below_minimum_wage_{place}");
    let covered = |place: usize| format!("tip_credit_{place}");
    let (mut missing, mut credits, mut from) = (Vec::new(), Vec::new(), Ratio::ZERO);
    trace.open_figure();
    for (place, one) in (1..).zip(owed) {
        let (required, credit) = (one.required_wages()?, one.hours.times_amount(one.floor.tip_credit)?);
        let short = required.minus(one.cash)?.or_nothing();
        let usable = credit.least(short)?;
        trace.add_leaf(|| {
            Step::new(below(place), Operation::Remaining, short.to_value())
                .input("required", required.to_value())
                .input("cash_wages", one.cash.to_value())
        });
        trace.add_leaf(|| {
            Step::new(covered(place), Operation::Least, usable.to_value())
                .input("credit", credit.to_value())
                .input(below(place), short.to_value())
        });
        from = from.plus(one.hours.times_amount(one.floor.tips_from)?)?;
        missing.push(short);
        credits.push(usable);
    }
    let sum = |parts: &[Ratio]| parts.iter().try_fold(Ratio::ZERO, |sum, part| sum.plus(*part));
    let (short, credit) = (sum(&missing)?, sum(&credits)?);
    let sum_step = |figure: &'static str, sum: Ratio, name: &dyn Fn(usize) -> String, parts: &[Ratio]| {
        let step = Step::new(figure, Operation::Sum, sum.to_value());
        (1..).zip(parts).fold(step, |step, (place, part)| step.input(name(place), part.to_value()))
    };
    trace.add_leaf(|| sum_step("below_minimum_wage", short, &below, &missing));
    trace.add_leaf(|| sum_step("tip_credit", credit, &covered, &credits));
    let credited = credited_tips(trace, tips, credit, from)?;
    let make_up = short.minus(credited)?.or_nothing().to_cents(Rounding::HalfUp)?;
    trace.close_figure(|| {
        Step::new(figure, Operation::Remaining, make_up)
            .input("below_minimum_wage", short.to_value())
            .input("credited_tips", credited.to_value())
            .rounded("0.01", Rounding::HalfUp)
            .source(MINIMUM_WAGE)
    });
    Some(make_up)
}

/// Hours of a workweek above which the federal law asks for overtime (29 USC 207(a)(1)).
const FEDERAL_HOURS: Amount = Amount::from_cents(4_000);

/// Returns, as a fraction, which part of the overtime hours of a week the federal law requires: those above 40. A state's law may count more.
fn federal_part<L>(week: &Week<'_>, lines: &[(L, Sorted)]) -> Option<(i64, i64)> {
    let mut hours = week.lines.iter().map(Line::hours);
    let all = hours.try_fold(Amount::ZERO, |sum, hours| sum.checked_add(hours?))?;
    let overtime = lines.iter().map(|(_, sorted)| sorted.overtime.checked_add(sorted.double));
    let overtime = overtime.into_iter().try_fold(Amount::ZERO, |sum, hours| sum.checked_add(hours?))?;
    let required = all.checked_sub(FEDERAL_HOURS)?.max(Amount::ZERO).min(overtime);
    // In thousandths of an hour, as hours are entered.
    Some((required.millionths() / 1_000, (overtime.millionths() / 1_000).max(1)))
}

/// Adds the overtime premium of a week to the pay of its jobs, and returns it; `Some(None)` without overtime.
fn add_overtime_premium<T: Trace>(
    trace: &mut T,
    payroll: &Payroll,
    week: &Week<'_>,
    others: &[Remuneration],
    jobs: &mut [JobPay],
) -> Option<Option<Amount>> {
    let mut lines = Vec::with_capacity(week.lines.len());
    for (line, sorted) in week.lines.iter().zip(&week.sorted) {
        // Overtime that another payroll paid is not paid again.
        let sorted = if week.pays_overtime(line) { *sorted } else { Sorted::default() };
        lines.push((counted_hours(payroll, line, hours_of(&week.lines, line.job)?)?, sorted));
    }
    let pays = |(_, sorted): &(_, Sorted)| sorted.overtime > Amount::ZERO || sorted.double > Amount::ZERO;
    if !lines.iter().any(pays) {
        return Some(None);
    }
    let agreed: Vec<bool> = week.lines.iter().map(|line| line.agreed).collect();
    let found = wage_hour::overtime_premium(trace, &lines, &agreed, others)?;
    let federal = federal_part(week, &lines)?;
    for ((line, _), [overtime, double]) in lines.iter().zip(found.of_lines) {
        let pay = &mut jobs[line.job];
        let half = overtime.checked_add(double.mul_ratio(1, 2, Rounding::HalfUp)?)?;
        let required =
            half.mul_ratio(federal.0, federal.1, Rounding::HalfUp)?.round_to_cents(Rounding::HalfUp);
        pay.flsa_premium = pay.flsa_premium.checked_add(required)?;
        pay.overtime = pay.overtime.checked_add(overtime)?;
        pay.double_overtime = pay.double_overtime.checked_add(double)?;
    }
    Some(Some(found.total))
}
