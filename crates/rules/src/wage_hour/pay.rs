//! The regular rate of a workweek and the premium for its overtime (29 CFR 778.107 to 778.122).
//!
//! The regular rate is all remuneration of the week, except what 29 USC 207(e) excludes, divided by all hours worked; with
//! several rates it is their weighted average (29 CFR 778.115). Straight time is paid for every hour; the premium is half the
//! regular rate for overtime and the full regular rate for double time. The regular rate is rounded half up to the cent, as in
//! the regulation's examples, and the premium is rounded once for the week.
//!
//! If employer and employee agreed before the work on overtime at the rate in effect (29 USC 207(g)(2), 29 CFR 778.419), an
//! hour's own rate, plus the remuneration other than rates spread over all hours, replaces the regular rate in its premium.

use jiff::civil::Date;

use super::hours::{Sorted, Worked};
use crate::amount::{Amount, Rounding};
use crate::explain::{Operation, Step, Trace};
use crate::payroll::by_weight;
use crate::ratio::Ratio;

/// Remuneration of a week other than its hourly rates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remuneration {
    /// Name, for the explanation.
    pub name: String,
    /// Dollars.
    pub amount: Amount,
    /// Whether 29 USC 207(e) excludes it: discretionary bonuses (29 CFR 778.211), gifts (778.212), expenses (778.217), pay for
    /// hours not worked (778.218).
    pub excluded: bool,
}

/// A weekly salary of a nonexempt employee.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Salary {
    /// For a fixed number of hours; hours above it are paid at the resulting rate (29 CFR 778.113).
    ForHours {
        /// Dollars per week.
        amount: Amount,
        /// Hours that the salary covers.
        hours: Amount,
    },
    /// For all hours worked, however many: the rate falls with the hours (29 CFR 778.114).
    ForAllHours {
        /// Dollars per week.
        amount: Amount,
    },
}

/// The pay of a week.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WeekPay {
    /// Straight time for all hours, or the salary plus the pay for hours above it.
    pub straight_time: Amount,
    /// Dollars per hour, in whole cents.
    pub regular_rate: Amount,
    /// Premium for overtime and double time.
    pub premium: Amount,
}

/// The premium of a week.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Premium {
    /// Dollars per hour, in whole cents.
    pub regular_rate: Amount,
    /// Premium of all lines.
    pub total: Amount,
    /// Premium for the overtime and for the double time of each line, in whole cents.
    pub of_lines: Vec<[Amount; 2]>,
}

const HOURS: i64 = 1_000_000;

/// Returns the pay for the hours of a week, without the remuneration in `others`, which is paid on its own lines. The
/// explanation has the root figure `overtime_premium`.
///
/// `agreed` says for each line whether overtime at the rate in effect was agreed. `None` on overflow.
pub fn week_pay<T: Trace>(
    trace: &mut T,
    lines: &[(Worked, Sorted)],
    agreed: &[bool],
    salary: Option<Salary>,
    others: &[Remuneration],
) -> Option<WeekPay> {
    let hours = sum_amounts(lines.iter().map(|(line, _)| line.hours))?;
    let at =
        |rate| lines.iter().map(|(line, sorted)| (Worked { rate, ..*line }, *sorted)).collect::<Vec<_>>();
    let (straight_time, found) = match salary {
        None => {
            let straight = sum_of(lines.iter().map(|(line, _)| pay_for_hours(line.rate, line.hours)))?;
            (straight, overtime_premium(trace, lines, agreed, others)?)
        }
        Some(Salary::ForAllHours { amount }) => {
            let salary = Remuneration { name: "salary".to_owned(), amount, excluded: false };
            let all: Vec<_> = std::iter::once(salary).chain(others.iter().cloned()).collect();
            (amount, overtime_premium(trace, &at(Amount::ZERO), &[], &all)?)
        }
        Some(Salary::ForHours { amount, hours: included }) => {
            // The rate follows from the hours that the salary covers.
            let rate = divide_by_hours(amount, included)?;
            let above = hours.checked_sub(included)?.max(Amount::ZERO);
            let straight = amount.checked_add(pay_for_hours(rate, above)?)?;
            (straight, overtime_premium(trace, &at(rate), &[], others)?)
        }
    };
    Some(WeekPay { straight_time, regular_rate: found.regular_rate, premium: found.total })
}

/// Returns the regular rate of a week and the premium for its hours. The rate of a line is the part that counts toward the
/// regular rate. The explanation has the root figure `overtime_premium`.
///
/// `agreed` says for each line whether overtime at the rate in effect was agreed; if empty, for no line. `None` on overflow.
pub fn overtime_premium<T: Trace>(
    trace: &mut T,
    lines: &[(Worked, Sorted)],
    agreed: &[bool],
    others: &[Remuneration],
) -> Option<Premium> {
    let hours = sum_amounts(lines.iter().map(|(line, _)| line.hours))?;
    let included = sum_amounts(others.iter().filter(|one| !one.excluded).map(|one| one.amount))?;
    trace.open_figure();
    let regular_rate = regular_rate(trace, lines, (hours, others))?;
    let of_others = divide_by_hours(included, hours)?;
    let is_agreed = |place: usize| agreed.get(place).copied().unwrap_or(false);
    let (mut exact, mut weights) = (Ratio::ZERO, Vec::with_capacity(2 * lines.len()));
    for (place, (line, sorted)) in lines.iter().enumerate() {
        let base = if is_agreed(place) { line.rate.checked_add(of_others)? } else { regular_rate };
        // Half for overtime, the full rate for double time.
        let parts = [sorted.overtime, sorted.double.checked_add(sorted.double)?];
        for halves in parts {
            exact = exact.plus(Ratio::from_amount(base).times_amount(halves)?.times(1, 2)?)?;
            weights.push(base.mul_ratio(halves.millionths(), 2 * HOURS, Rounding::HalfUp)?);
        }
    }
    let total = exact.to_cents(Rounding::HalfUp)?;
    let shares = by_weight(total, &weights)?;
    let of_lines = shares.chunks(2).map(|pair| [pair[0], pair[1]]).collect();
    let halves = Halves::halves_of_rates(lines, &is_agreed, (regular_rate, of_others))?;
    trace.close_figure(|| premium_step(lines, &halves, regular_rate, total));
    Some(Premium { regular_rate, total, of_lines })
}

/// Returns the hours that count for the premium: overtime once, double time twice.
fn premium_hours(sorted: &Sorted) -> Option<Amount> {
    sum_amounts([sorted.overtime, sorted.double, sorted.double].into_iter())
}

/// The hours of a job at one rate.
struct Group {
    job: usize,
    rate: Amount,
    hours: Amount,
    pay: Ratio,
}

impl Group {
    fn name(&self) -> String {
        format!("job_{}_at_{}", self.job + 1, self.rate.to_text(2))
    }
}

/// Returns the hours of each job at each rate, in order of appearance. `None` on overflow.
fn group_hours(lines: &[(Worked, Sorted)]) -> Option<Vec<Group>> {
    let mut groups: Vec<Group> = Vec::new();
    for (line, _) in lines {
        let Worked { job, rate, hours, .. } = *line;
        match groups.iter_mut().find(|group| (group.job, group.rate) == (job, rate)) {
            Some(group) => group.hours = group.hours.checked_add(hours)?,
            None => groups.push(Group { job, rate, hours, pay: Ratio::ZERO }),
        }
    }
    for group in &mut groups {
        group.pay = Ratio::from_amount(group.rate).times_amount(group.hours)?;
    }
    Some(groups)
}

fn regular_rate<T: Trace>(
    trace: &mut T,
    lines: &[(Worked, Sorted)],
    (hours, others): (Amount, &[Remuneration]),
) -> Option<Amount> {
    let mut all = Ratio::ZERO;
    for (line, _) in lines {
        all = all.plus(Ratio::from_amount(line.rate).times_amount(line.hours)?)?;
    }
    for one in others.iter().filter(|one| !one.excluded) {
        all = all.plus(Ratio::from_amount(one.amount))?;
    }
    if hours <= Amount::ZERO {
        return Some(Amount::ZERO);
    }
    let regular_rate = all.times(HOURS, hours.millionths())?.to_cents(Rounding::HalfUp)?;
    let groups = group_hours(lines)?;
    trace.open_figure();
    trace.open_figure();
    for group in &groups {
        trace.add_leaf(|| {
            Step::new(group.name(), Operation::Product, group.pay.to_value())
                .input("hours", group.hours)
                .input("rate", group.rate)
        });
    }
    trace.close_figure(|| {
        let step = Step::new("remuneration", Operation::Sum, all.to_value()).input("nothing", Amount::ZERO);
        let step = groups.iter().fold(step, |step, group| step.input(group.name(), group.pay.to_value()));
        let included = others.iter().filter(|one| !one.excluded);
        let step = included.fold(step, |step, one| step.input(one.name.clone(), one.amount));
        let left_out: Vec<_> = others
            .iter()
            .filter(|one| one.excluded)
            .map(|one| format!("{} {}", one.name, one.amount))
            .collect();
        let step = step.source("29 CFR 778.108, 778.115, 778.208; 29 USC 207(e)");
        if left_out.is_empty() { step } else { step.note(format!("Left out: {}", left_out.join(", "))) }
    });
    trace.close_figure(|| {
        Step::new("regular_rate", Operation::Quotient, regular_rate)
            .input("remuneration", all.to_value())
            .input("hours", hours)
            .rounded("0.01", Rounding::HalfUp)
            .source("29 CFR 778.109")
    });
    Some(regular_rate)
}

/// The parts of the premium.
struct Halves {
    /// Premium hours at the regular rate.
    hours: Amount,
    /// Half of the regular rate for those hours.
    pay: Ratio,
    /// For each line with an agreed rate in effect and premium hours: its place, its rate, and half of the rate for the hours.
    agreed: Vec<(usize, Amount, Ratio)>,
    /// Whether any line has an agreed rate, with or without premium hours.
    any_agreed: bool,
}

impl Halves {
    /// Returns the parts; `None` on overflow.
    fn halves_of_rates(
        lines: &[(Worked, Sorted)],
        is_agreed: &dyn Fn(usize) -> bool,
        (regular_rate, of_others): (Amount, Amount),
    ) -> Option<Self> {
        let half = |rate: Amount, hours: Amount| Ratio::from_amount(rate).times_amount(hours)?.times(1, 2);
        let (mut hours, mut agreed, mut any_agreed) = (Amount::ZERO, Vec::new(), false);
        for (place, (line, sorted)) in lines.iter().enumerate() {
            let own = premium_hours(sorted)?;
            if !is_agreed(place) {
                hours = hours.checked_add(own)?;
                continue;
            }
            any_agreed = true;
            if own > Amount::ZERO {
                let rate = line.rate.checked_add(of_others)?;
                agreed.push((place, rate, half(rate, own)?));
            }
        }
        Some(Self { hours, pay: half(regular_rate, hours)?, agreed, any_agreed })
    }
}

fn premium_step(lines: &[(Worked, Sorted)], halves: &Halves, regular_rate: Amount, total: Amount) -> Step {
    if !halves.any_agreed {
        return Step::new("overtime_premium", Operation::Product, total)
            .input("regular_rate", regular_rate)
            .input("premium_hours", halves.hours)
            .ratio("half", 1, 2)
            .rounded("0.01", Rounding::HalfUp)
            .source("29 CFR 778.107 to 778.115")
            .note("An hour of overtime counts once, one of double time twice.");
    }
    let step = Step::new("overtime_premium", Operation::Sum, total)
        .input("half_of_the_regular_rate", halves.pay.to_value());
    let step = halves.agreed.iter().fold(step, |step, (place, rate, half)| {
        let name = format!("half_of_{}_on_{}", rate.to_text(2), lines[*place].0.date);
        step.input(name, half.to_value())
    });
    step.rounded("0.01", Rounding::HalfUp)
        .source("29 USC 207(g)(2); 29 CFR 778.415 to 778.421")
        .note("Half of the rate in effect, as was agreed before the work.")
}

/// Returns the premium that a bonus or commission that is paid later adds to the weeks in which it was earned
/// (29 CFR 778.209): each week's part divided by the hours of the week, half of it for each hour of overtime and all of it for
/// each hour of double time. `weeks` are the first day, the hours and the sorted hours of each week whose hours are known. The
/// bonus is spread evenly over all `count` weeks in which it was earned, as if it could not be allocated to particular weeks
/// (29 CFR 778.209(b)). The explanation has the root figure `figure`.
///
/// `None` on overflow, and if `count` is less than 1.
pub fn premium_when_paid_later<T: Trace>(
    trace: &mut T,
    figure: &str,
    (bonus, count): (Amount, i64),
    weeks: &[(Date, Amount, Sorted)],
) -> Option<Amount> {
    if count < 1 {
        return None;
    }
    let mut of_weeks = Vec::new();
    let mut exact = Ratio::ZERO;
    trace.open_figure();
    for (start, hours, sorted) in weeks {
        let premium_hours = premium_hours(sorted)?;
        if *hours <= Amount::ZERO || premium_hours <= Amount::ZERO {
            continue;
        }
        let part = Ratio::from_amount(bonus)
            .times(1, count)?
            .times_amount(premium_hours)?
            .times(HOURS, 2 * hours.millionths())?;
        exact = exact.plus(part)?;
        let name = format!("premium_of_{start}");
        trace.add_leaf(|| {
            Step::new(name.clone(), Operation::Product, part.to_value())
                .input("bonus", bonus)
                .ratio("of_weeks", 1, count)
                .input("premium_hours", premium_hours)
                .ratio("half_for_each_hour_worked", HOURS, 2 * hours.millionths())
        });
        of_weeks.push((name, part));
    }
    let premium = exact.to_cents(Rounding::HalfUp)?;
    trace.close_figure(|| {
        let step = Step::new(figure.to_owned(), Operation::Sum, premium).input("nothing", Amount::ZERO);
        let step = of_weeks.iter().fold(step, |step, (name, part)| step.input(name.clone(), part.to_value()));
        step.rounded("0.01", Rounding::HalfUp)
            .source("29 CFR 778.209")
            .note("The bonus raises the regular rate of the weeks in which it was earned.")
    });
    Some(premium)
}

/// Returns dollars divided by hours, rounded half up to the cent; zero without hours.
fn divide_by_hours(amount: Amount, hours: Amount) -> Option<Amount> {
    if hours <= Amount::ZERO {
        return Some(Amount::ZERO);
    }
    Some(amount.mul_ratio(HOURS, hours.millionths(), Rounding::HalfUp)?.round_to_cents(Rounding::HalfUp))
}

/// Returns the pay for hours at a rate, rounded half up to the cent.
fn pay_for_hours(rate: Amount, hours: Amount) -> Option<Amount> {
    Some(rate.mul_ratio(hours.millionths(), HOURS, Rounding::HalfUp)?.round_to_cents(Rounding::HalfUp))
}

fn sum_amounts(amounts: impl Iterator<Item = Amount>) -> Option<Amount> {
    let mut amounts = amounts;
    amounts.try_fold(Amount::ZERO, Amount::checked_add)
}

fn sum_of(amounts: impl Iterator<Item = Option<Amount>>) -> Option<Amount> {
    let mut amounts = amounts;
    amounts.try_fold(Amount::ZERO, |sum, amount| sum.checked_add(amount?))
}
