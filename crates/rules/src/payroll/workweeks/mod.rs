//! Pay of workweeks: straight time, the overtime premium at the regular rate, and the minimum wage adjustment.
//!
//! Hours entered by day or by workweek ([`Job::by_week`]) are paid here, each workweek on its own
//! (29 CFR 778.104); hours of the whole pay period are paid as entered ([`super::earnings`]).
//!
//! - Hours by day are classified under the law of the place of work ([`crate::wage_hour`]). If overtime or hours by workweek were
//!   also entered, the hours stay as entered; a warning reports overtime that the law requires beyond them.
//! - Overtime is paid with the payroll in which its workweek ends (29 CFR 778.106); hours of the week that another payroll
//!   has paid count, and are not paid again. Until then an hour pays straight time. A week ends early with the last job.
//!   Only payrolls of regular or final wages settle what others have left.
//! - If the payroll in which a workweek ends was processed first, the payroll of the days before pays what is owed beyond it:
//!   hours count in the order in which they were paid, so that overtime already paid is not paid again.
//! - A rate counts as at least the minimum wage: the regular rate includes the tip credit (29 CFR 531.60).
//! - Bonuses and commissions count in the workweeks in which they were earned, spread evenly; for weeks that were paid
//!   earlier, they earn a separate premium (29 CFR 778.209).
//!
//! Decisions: of hours on the same day, those of the job later in the list were worked later. The regular rate of a salaried
//! job is its yearly pay divided by 2,080; if the salary covers all hours of a workweek (29 CFR 778.114), it is the week's pay
//! divided by the hours, and overtime adds half of it.

mod bonuses;
mod week_pay;

use std::collections::BTreeMap;

use jiff::ToSpan;
use jiff::civil::Date;

use self::bonuses::bonus_lines;
use self::week_pay::{counted_hours, pay_week};
use super::by_weight;
use super::earnings::{Segment, segments_of_hours};
use super::input::{Employee, FixedPay, Job, Overtime, Payroll, Worked};
use super::output::{JobPay, Warning};
use crate::amount::Amount;
use crate::days::Days;
use crate::explain::Trace;
use crate::wage_hour::{self, Remuneration, Sorted};

/// What workweeks pay in addition to the other pay of jobs.
#[derive(Default)]
pub(super) struct Paid {
    /// Name of the figure and amount.
    pub(super) figures: Vec<(String, Amount)>,
    pub(super) warnings: Vec<Warning>,
}

/// Hours of a job in a workweek.
struct Line<'e> {
    job: usize,
    worked: Worked,
    segments: Vec<Segment<'e>>,
    paid: Paying,
    agreed: bool,
    /// Whether a salary covers the straight time of all its hours.
    fluctuating: bool,
}

impl Line<'_> {
    fn hours(&self) -> Option<Amount> {
        self.worked.total_hours()
    }

    fn is_own(&self) -> bool {
        self.paid == Paying::Own
    }
}

/// Which payroll pays hours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Paying {
    /// Another payroll, identified by its position, has paid them.
    Before {
        place: u16,
        /// Whether that payroll has paid their overtime.
        settled: bool,
    },
    /// This payroll. Hours added to hours already paid count as worked after them.
    Own,
}

/// State of a workweek in a payroll.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Other payrolls have settled it.
    Past,
    /// It ends within this payroll, or the payroll in which it ends was processed before.
    Due,
    /// It continues after the pay period.
    Open,
}

/// A workweek with its hours, as classified.
struct Week<'e> {
    start: Date,
    stage: Stage,
    lines: Vec<Line<'e>>,
    sorted: Vec<Sorted>,
    /// Whether overtime stays as entered.
    as_entered: bool,
    /// Whether the payroll pays the overtime of hours for which another payroll has paid straight time.
    settles_earlier: bool,
}

impl Week<'_> {
    /// Whether the payroll pays the overtime of a line.
    fn pays_overtime(&self, line: &Line<'_>) -> bool {
        match line.paid {
            Paying::Own => true,
            Paying::Before { settled, .. } => self.settles_earlier && !settled,
        }
    }
}

/// Returns the hours of a job among lines.
fn hours_of(lines: &[Line<'_>], job: usize) -> Option<Amount> {
    let of_job = lines.iter().filter(|line| line.job == job);
    of_job.map(Line::hours).try_fold(Amount::ZERO, |sum, hours| sum.checked_add(hours?))
}

/// Returns the first day of the workweek that contains a day.
fn start_of(overtime: &Overtime<'_>, day: Date) -> Date {
    let days = (day - overtime.first_day).get_days();
    day.saturating_sub(days.rem_euclid(7).days())
}

fn stage_of_week<K>(payroll: &Payroll, employee: &Employee<'_, K>, start: Date) -> Stage {
    let last = start.saturating_add(6.days());
    let all_left = employee.jobs.iter().all(|job| job.left.is_some_and(|left| left <= payroll.end));
    let settled = employee.overtime.settled_until.is_some_and(|until| last <= until);
    if last < payroll.start {
        Stage::Past
    } else if last <= payroll.end || settled || (all_left && start <= payroll.end) {
        Stage::Due
    } else {
        Stage::Open
    }
}

/// Returns the tips of a job for its hours of the whole pay period, and those for each workweek, allocated by hours.
///
/// `None` on overflow.
pub(super) fn tips_by_week(
    overtime: &Overtime<'_>,
    job: &Job,
    tips: Amount,
) -> Option<(Amount, BTreeMap<Date, Amount>)> {
    let mut hours: BTreeMap<Date, Amount> = BTreeMap::new();
    for worked in &job.by_week {
        let of_week = hours.entry(start_of(overtime, worked.from)).or_default();
        *of_week = of_week.checked_add(worked.total_hours()?)?;
    }
    if tips == Amount::ZERO || hours.values().all(|hours| *hours == Amount::ZERO) {
        return Some((tips, BTreeMap::new()));
    }
    let of_period = job
        .worked
        .iter()
        .map(Worked::total_hours)
        .try_fold(Amount::ZERO, |sum, hours| sum.checked_add(hours?))?;
    let weights: Vec<Amount> = std::iter::once(of_period).chain(hours.values().copied()).collect();
    let shares = by_weight(tips, &weights)?;
    let (of_period, of_weeks) = shares.split_first()?;
    Some((*of_period, hours.into_keys().zip(of_weeks.iter().copied()).collect()))
}

/// Pays the workweeks of an employee into the pay of the jobs. `tips` are those of each job by workweek. The explanation has a
/// figure for each workweek, and one for each bonus for workweeks that were paid earlier.
///
/// `None` on overflow.
pub(super) fn pay_workweeks<K, T: Trace>(
    trace: &mut T,
    (payroll, employee): (&Payroll, &Employee<'_, K>),
    tips: &[BTreeMap<Date, Amount>],
    jobs: &mut [JobPay],
) -> Option<Paid> {
    let mut paid = Paid::default();
    let told = |line: &FixedPay| line.earned.is_some();
    let known = |job: &Job| !(job.by_week.is_empty() && job.paid_before.is_empty());
    if !employee.jobs.iter().any(known) && !employee.fixed.iter().any(told) {
        return Some(paid);
    }
    let weeks = workweeks_of(payroll, employee)?;
    let bonuses = bonus_lines(payroll, employee, &weeks)?;
    for week in weeks.values().filter(|week| week.lines.iter().any(Line::is_own) || settles_overtime(week)) {
        if week.stage == Stage::Past {
            continue;
        }
        let others: Vec<Remuneration> =
            bonuses.iter().filter_map(|bonus| bonus.part_of_week(week)).collect::<Option<_>>()?;
        let tips = |job: usize| tips.get(job).and_then(|of_job| of_job.get(&week.start)).copied();
        let total = pay_week(trace, payroll, week, &others, &tips, jobs)?;
        paid.figures.push((format!("workweek_{}", week.start), total));
        paid.warnings.extend(below_law(employee, week)?);
    }
    for bonus in &bonuses {
        bonus.pay_later(trace, &weeks, jobs, &mut paid)?;
    }
    Some(paid)
}

/// Whether a week that is due has overtime that this payroll pays.
fn settles_overtime(week: &Week<'_>) -> bool {
    let premium = |sorted: &Sorted| sorted.overtime > Amount::ZERO || sorted.double > Amount::ZERO;
    let mut lines = week.lines.iter().zip(&week.sorted);
    week.stage == Stage::Due && lines.any(|(line, sorted)| week.pays_overtime(line) && premium(sorted))
}

/// Returns the workweeks of an employee, by their first day.
fn workweeks_of<'e, K>(payroll: &Payroll, employee: &'e Employee<'_, K>) -> Option<BTreeMap<Date, Week<'e>>> {
    let mut found: BTreeMap<Date, Vec<Line<'e>>> = BTreeMap::new();
    for (place, job) in employee.jobs.iter().enumerate() {
        let own = job.by_week.iter().map(|worked| (worked, Paying::Own));
        let before = job
            .paid_before
            .iter()
            .map(|one| (&one.worked, Paying::Before { place: one.place, settled: one.settled }));
        for (worked, paid) in own.chain(before) {
            let line = Line {
                job: place,
                worked: *worked,
                segments: segments_of_hours(job, Days { first: worked.from, last: worked.until }),
                paid,
                agreed: job.agreed_overtime_rate,
                fluctuating: job.fluctuating_workweek,
            };
            if line.hours()? > Amount::ZERO {
                found.entry(start_of(&employee.overtime, worked.from)).or_default().push(line);
            }
        }
    }
    let each = found.into_iter().map(|(start, mut lines)| {
        lines.sort_by_key(|line| (line.paid, line.worked.from, line.job));
        let stage = match stage_of_week(payroll, employee, start) {
            // Off-cycle, a week to which nothing is added stays as it was paid.
            Stage::Due if !payroll.pays_salaries && !lines.iter().any(Line::is_own) => Stage::Past,
            stage => stage,
        };
        let entered = |line: &Line<'_>| {
            let of = &line.worked;
            of.from != of.until || of.overtime > Amount::ZERO || of.double_overtime > Amount::ZERO
        };
        let as_entered = lines.iter().any(entered);
        let sorted = if as_entered {
            let given = |of: &Worked| Sorted {
                regular: of.regular,
                overtime: of.overtime,
                double: of.double_overtime,
            };
            lines.iter().map(|line| given(&line.worked)).collect()
        } else if stage == Stage::Open {
            lines.iter().map(|line| Sorted { regular: line.worked.regular, ..Sorted::default() }).collect()
        } else {
            sort_by_law(&employee.overtime, payroll, start, &lines)?
        };
        let settles_earlier = payroll.pays_salaries && !as_entered;
        Some((start, Week { start, stage, lines, sorted, as_entered, settles_earlier }))
    });
    each.collect()
}

fn sort_by_law(
    overtime: &Overtime<'_>,
    payroll: &Payroll,
    start: Date,
    lines: &[Line<'_>],
) -> Option<Vec<Sorted>> {
    let worked: Vec<_> = lines
        .iter()
        .map(|line| counted_hours(payroll, line, hours_of(lines, line.job)?))
        .collect::<Option<_>>()?;
    wage_hour::sort_hours(overtime.rule, start, overtime.minimum_wage, &worked)
}

/// Returns a warning for a week whose overtime, as entered, is less than the law requires.
fn below_law<K>(employee: &Employee<'_, K>, week: &Week<'_>) -> Option<Option<Warning>> {
    if !week.as_entered || week.stage != Stage::Due {
        return Some(None);
    }
    let overtime = &employee.overtime;
    let by_day = week.lines.iter().all(|line| line.worked.from == line.worked.until);
    let due = |sorted: &Sorted| sorted.overtime.checked_add(sorted.double);
    let entered = week.sorted.iter().try_fold(Amount::ZERO, |sum, one| sum.checked_add(due(one)?))?;
    let hours = week.lines.iter().try_fold(Amount::ZERO, |sum, line| sum.checked_add(line.hours()?))?;
    let by_law = if by_day {
        let worked = |line: &Line<'_>| {
            let rate = line.segments.first().map_or(Amount::ZERO, |segment| segment.terms.rate);
            Some(wage_hour::Worked { date: line.worked.from, job: line.job, hours: line.hours()?, rate })
        };
        let worked: Vec<_> = week.lines.iter().map(worked).collect::<Option<_>>()?;
        let sorted = wage_hour::sort_hours(overtime.rule, week.start, overtime.minimum_wage, &worked)?;
        sorted.iter().try_fold(Amount::ZERO, |sum, one| sum.checked_add(due(one)?))?
    } else {
        hours.checked_sub(overtime.rule.weekly_overtime)?.max(Amount::ZERO)
    };
    let warning = Warning::OvertimeBelowLaw {
        week: week.start,
        entered,
        due: by_law,
        section: overtime.rule.section.clone(),
    };
    Some((entered < by_law).then_some(warning))
}

impl Week<'_> {
    /// Returns its first day, total hours and classified hours.
    fn classified_hours(&self) -> Option<(Date, Amount, Sorted)> {
        let hours = self.lines.iter().try_fold(Amount::ZERO, |sum, line| sum.checked_add(line.hours()?))?;
        let mut all = Sorted::default();
        for one in &self.sorted {
            all.regular = all.regular.checked_add(one.regular)?;
            all.overtime = all.overtime.checked_add(one.overtime)?;
            all.double = all.double.checked_add(one.double)?;
        }
        Some((self.start, hours, all))
    }
}
