//! Pay of workweeks: straight time, the premium for overtime at the regular rate, and what brings pay up to the minimum wage.
//!
//! Hours that are entered by day or by workweek ([`Job::by_week`]) are paid here, each workweek for itself
//! (29 CFR 778.104); hours of the whole pay period are paid as they were entered ([`super::earnings`]).
//!
//! - Hours by day are sorted by the law of the place of work ([`crate::wage_hour`]). Where overtime was entered beside them, or
//!   hours by workweek, the hours are what was entered; a warning tells overtime that the law asks for beyond it.
//! - Overtime is paid with the payroll in which its workweek ends (29 CFR 778.106); hours of the week that an earlier payroll
//!   paid count, and are not paid again. Until then an hour pays straight time. A week ends early with the last job. Only
//!   payrolls of regular or last wages settle what earlier ones have left.
//! - What counts of a rate is at least the minimum wage: the regular rate includes the tip credit (29 CFR 531.60).
//! - Bonuses and commissions count in the workweeks that they were earned in, spread evenly; those of weeks that were paid
//!   earlier bring a premium of their own (29 CFR 778.209).
//!
//! Decisions: of hours on one day those of the job that comes later in the list were worked later. The regular rate of a job
//! with a salary is its yearly pay divided by 2,080; where the salary is for whatever hours a workweek has (29 CFR 778.114), its pay of a
//! week divided by the hours, and overtime brings half of it.

use std::collections::BTreeMap;

use jiff::ToSpan;
use jiff::civil::Date;

use super::by_weight;
use super::earnings::{Segment, in_segment, segments, yearly};
use super::input::{Employee, FixedKind, FixedPay, Job, Overtime, Payroll, Worked};
use super::output::{JobPay, Warning};
use crate::amount::{Amount, Rounding};
use crate::compensation::PaymentUnit;
use crate::explain::{NoTrace, Operation, Step, Trace};
use crate::ratio::Ratio;
use crate::wage_hour::{self, Remuneration, Sorted};

/// Weeks by which a yearly salary becomes that of a week.
const WEEKS_OF_A_YEAR: i64 = 52;

/// What workweeks pay beside what jobs pay otherwise.
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
    /// Whether they are paid with this payroll; else an earlier one has paid them.
    own: bool,
    agreed: bool,
    /// Whether a salary pays the straight time of all its hours.
    fluctuating: bool,
}

impl Line<'_> {
    fn hours(&self) -> Option<Amount> {
        all_hours(&self.worked)
    }
}

/// Where a workweek stands in a payroll.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Other payrolls have settled it.
    Past,
    /// It ends within it.
    Due,
    /// It goes on.
    Open,
}

/// A workweek with its hours, sorted.
struct Week<'e> {
    start: Date,
    stage: Stage,
    lines: Vec<Line<'e>>,
    sorted: Vec<Sorted>,
    /// Whether overtime is what was entered.
    as_entered: bool,
    /// Whether the payroll pays the overtime of hours that an earlier one has paid straight time for.
    settles_earlier: bool,
}

/// The hours of a job among lines.
fn hours_of(lines: &[Line<'_>], job: usize) -> Option<Amount> {
    let of_job = lines.iter().filter(|line| line.job == job);
    of_job.map(Line::hours).try_fold(Amount::ZERO, |sum, hours| sum.checked_add(hours?))
}

fn all_hours(worked: &Worked) -> Option<Amount> {
    worked.regular.checked_add(worked.overtime)?.checked_add(worked.double_overtime)
}

/// Returns the first day of the workweek of a day.
fn start_of(overtime: &Overtime<'_>, day: Date) -> Date {
    let days = (day - overtime.first_day).get_days();
    day.saturating_sub(days.rem_euclid(7).days())
}

fn stage<K>(payroll: &Payroll, employee: &Employee<'_, K>, start: Date) -> Stage {
    let last = start.saturating_add(6.days());
    let all_left = employee.jobs.iter().all(|job| job.left.is_some_and(|left| left <= payroll.end));
    if last < payroll.start {
        Stage::Past
    } else if last <= payroll.end || (all_left && start <= payroll.end) {
        Stage::Due
    } else {
        Stage::Open
    }
}

/// Returns the tips of a job that belong to its hours of the whole pay period, and those of each workweek, by hours.
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
        *of_week = of_week.checked_add(all_hours(worked)?)?;
    }
    if tips == Amount::ZERO || hours.values().all(|hours| *hours == Amount::ZERO) {
        return Some((tips, BTreeMap::new()));
    }
    let of_period =
        job.worked.iter().map(all_hours).try_fold(Amount::ZERO, |sum, hours| sum.checked_add(hours?))?;
    let weights: Vec<Amount> = std::iter::once(of_period).chain(hours.values().copied()).collect();
    let shares = by_weight(tips, &weights)?;
    let (of_period, of_weeks) = shares.split_first()?;
    Some((*of_period, hours.into_keys().zip(of_weeks.iter().copied()).collect()))
}

/// Pays the workweeks of an employee into the pay of the jobs. `tips` are those of each job by workweek. The explanation has a
/// figure for each workweek, and one for each bonus of workweeks that were paid earlier.
///
/// `None` on overflow.
pub(super) fn pay<K, T: Trace>(
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
    let weeks = weeks(payroll, employee)?;
    let bonuses = bonuses(payroll, employee, &weeks)?;
    for week in weeks.values().filter(|week| week.lines.iter().any(|line| line.own) || settles(week)) {
        if week.stage == Stage::Past {
            continue;
        }
        let others: Vec<Remuneration> =
            bonuses.iter().filter_map(|bonus| bonus.part(week)).collect::<Option<_>>()?;
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

/// Whether a week that is due has overtime hours that an earlier payroll paid straight time for.
fn settles(week: &Week<'_>) -> bool {
    let premium = |sorted: &Sorted| sorted.overtime > Amount::ZERO || sorted.double > Amount::ZERO;
    week.stage == Stage::Due && week.settles_earlier && week.sorted.iter().any(premium)
}

/// Returns the workweeks of an employee, by their first day.
fn weeks<'e, K>(payroll: &Payroll, employee: &'e Employee<'_, K>) -> Option<BTreeMap<Date, Week<'e>>> {
    let mut found: BTreeMap<Date, Vec<Line<'e>>> = BTreeMap::new();
    for (place, job) in employee.jobs.iter().enumerate() {
        let own = job.by_week.iter().map(|worked| (worked, true));
        for (worked, own) in own.chain(job.paid_before.iter().map(|worked| (worked, false))) {
            let line = Line {
                job: place,
                worked: *worked,
                segments: segments(job, (worked.from, worked.until)),
                own,
                agreed: job.agreed_overtime_rate,
                fluctuating: job.fluctuating_workweek,
            };
            if line.hours()? > Amount::ZERO {
                found.entry(start_of(&employee.overtime, worked.from)).or_default().push(line);
            }
        }
    }
    let each = found.into_iter().map(|(start, mut lines)| {
        // What is added to hours that were paid already counts as worked after them.
        lines.sort_by_key(|line| (line.own, line.worked.from, line.job));
        let stage = match stage(payroll, employee, start) {
            // Outside the schedule a week to which nothing is added stays as it was paid.
            Stage::Due if !payroll.pays_salaries && lines.iter().all(|line| !line.own) => Stage::Past,
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
    let worked: Vec<_> =
        lines.iter().map(|line| counted(payroll, line, hours_of(lines, line.job)?)).collect::<Option<_>>()?;
    wage_hour::sort(overtime.rule, start, overtime.minimum_wage, &worked)
}

/// What an hour of a segment pays straight, in dollars.
fn rate_of(payroll: &Payroll, segment: &Segment<'_>) -> Option<Ratio> {
    match segment.terms.unit {
        PaymentUnit::Hour => Some(Ratio::of(segment.terms.rate)),
        _ => yearly(payroll, segment.terms)?.times(1, super::earnings::HOURS_OF_A_YEAR),
    }
}

/// What an hour of a workweek comes to whose salary is for whatever hours it has: a week's salary divided by them
/// (29 CFR 778.114(a)).
fn rate_of_salary(payroll: &Payroll, segment: &Segment<'_>, hours: Amount) -> Option<Ratio> {
    yearly(payroll, segment.terms)?.times(1, WEEKS_OF_A_YEAR)?.times(1_000_000, hours.millionths())
}

/// The hours of a line at the rate that counts towards the regular rate: at least the minimum wage. `of_job` are the hours of its
/// job in the workweek.
fn counted(payroll: &Payroll, line: &Line<'_>, of_job: Amount) -> Option<wage_hour::Worked> {
    let hours = line.hours()?;
    let mut pay = Ratio::ZERO;
    for segment in &line.segments {
        let by_salary = line.fluctuating && segment.terms.unit != PaymentUnit::Hour;
        let mut rate = match by_salary {
            true => rate_of_salary(payroll, segment, of_job)?,
            false => rate_of(payroll, segment)?,
        };
        if let Some(floor) = segment.floor {
            let least = Ratio::of(floor.minimum_wage);
            rate = if rate.compare(least)?.is_lt() { least } else { rate };
        }
        pay = pay.plus(in_segment(hours, segment)?.product(rate)?)?;
    }
    let rate = pay.times(1_000_000, hours.millionths())?.nearest()?;
    Some(wage_hour::Worked { date: line.worked.from, job: line.job, hours, rate })
}

/// Pays a workweek; returns what it comes to in this payroll.
fn pay_week<T: Trace>(
    trace: &mut T,
    payroll: &Payroll,
    week: &Week<'_>,
    others: &[Remuneration],
    tips: &dyn Fn(usize) -> Option<Amount>,
    jobs: &mut [JobPay],
) -> Option<Amount> {
    trace.open();
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
    if let Some(premium) = premium(trace, payroll, week, others, jobs)? {
        figures.push(("overtime_premium".to_owned(), premium));
    }
    let total = figures.iter().map(|(_, amount)| *amount).try_fold(Amount::ZERO, Amount::checked_add)?;
    trace.close(|| {
        let step = Step::new(format!("workweek_{}", week.start), Operation::Sum, total).input("nothing", Amount::ZERO);
        let step = figures.iter().fold(step, |step, (name, amount)| step.input(name.clone(), *amount));
        let step = step.source("29 CFR 778.104");
        if week.stage != Stage::Open || week.as_entered {
            return step;
        }
        step.note(
            "The workweek goes on after the pay period: its overtime is paid with the payroll in which it ends (29 CFR 778.106).",
        )
    });
    Some(total)
}

/// The hours of a line in a segment that this payroll pays straight time for, by overtime class. A salary covers regular hours; of
/// a line that an earlier payroll has paid, it left out the hours that turn out to be overtime.
fn paid_straight(week: &Week<'_>, line: &Line<'_>, sorted: &Sorted, segment: &Segment<'_>) -> [Amount; 3] {
    let salaried = segment.terms.unit != PaymentUnit::Hour;
    if salaried && line.fluctuating {
        return [Amount::ZERO; 3];
    }
    match (line.own, salaried) {
        (true, false) => [sorted.regular, sorted.overtime, sorted.double],
        (true, true) => [Amount::ZERO, sorted.overtime, sorted.double],
        (false, true) if week.settles_earlier => [Amount::ZERO, sorted.overtime, sorted.double],
        (false, _) => [Amount::ZERO; 3],
    }
}

/// Adds the straight time of a job in a week to its pay, and returns it.
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
        if line.own {
            for (held, hours) in pay.hours.iter_mut().zip([sorted.regular, sorted.overtime, sorted.double]) {
                *held = held.checked_add(hours)?;
            }
        }
    }
    let exact = kinds.into_iter().try_fold(Ratio::ZERO, Ratio::plus)?;
    let total = exact.to_cents(Rounding::HalfUp)?;
    let weights: Vec<Amount> = kinds.into_iter().map(Ratio::nearest).collect::<Option<_>>()?;
    let shares = by_weight(total, &weights)?;
    let into = [&mut pay.regular, &mut pay.overtime, &mut pay.double_overtime];
    for (held, share) in into.into_iter().zip(shares) {
        *held = held.checked_add(share)?;
    }
    trace.open();
    let name = |rate: &Ratio| format!("pay_at_{}", rate.nearest().unwrap_or(Amount::ZERO).to_text(2));
    let product = |(rate, hours): &(Ratio, Ratio)| hours.product(*rate).unwrap_or(Ratio::ZERO).to_value();
    for one in &rates {
        trace.leaf(|| {
            Step::new(name(&one.0), Operation::Product, product(one))
                .input("hours", one.1.to_value())
                .input("rate_an_hour", one.0.to_value())
        });
    }
    trace.close(|| {
        let step = Step::new(format!("straight_time_of_job_{}", job + 1), Operation::Sum, total)
            .input("nothing", Amount::ZERO)
            .rounded("0.01", Rounding::HalfUp);
        rates.iter().fold(step, |step, one| step.input(name(&one.0), product(one)))
    });
    Some(total)
}

/// Returns the minimum wage adjustment of a job in a week; nothing without the adjustment.
fn make_up<T: Trace>(
    trace: &mut T,
    payroll: &Payroll,
    week: &Week<'_>,
    job: usize,
    tips: Amount,
) -> Option<Option<Amount>> {
    let (mut required, mut credit, mut cash) = (Ratio::ZERO, Ratio::ZERO, Ratio::ZERO);
    let mut is_adjusted = false;
    for line in week.lines.iter().filter(|line| line.job == job && line.own) {
        for (segment, floor) in line.segments.iter().filter_map(|segment| Some((segment, segment.floor?))) {
            is_adjusted = true;
            let hours = in_segment(line.hours()?, segment)?;
            required = required.plus(hours.by(floor.minimum_wage)?)?;
            credit = credit.plus(hours.by(floor.tip_credit)?)?;
            cash = cash.plus(hours.product(rate_of(payroll, segment)?)?)?;
        }
    }
    if !is_adjusted {
        return Some(None);
    }
    let credited = Ratio::of(tips).least(credit)?;
    let make_up = required.minus(cash)?.minus(credited)?.or_nothing().to_cents(Rounding::HalfUp)?;
    trace.open();
    trace.leaf(|| {
        Step::new("credited_tips", Operation::Least, credited.to_value())
            .input("tips", tips)
            .input("tip_credit", credit.to_value())
            .source("29 USC 203(m)(2)(A)")
    });
    trace.close(|| {
        Step::new(format!("minimum_wage_adjustment_of_job_{}", job + 1), Operation::Remaining, make_up)
            .input("required", required.to_value())
            .input("cash_wages", cash.to_value())
            .input("credited_tips", credited.to_value())
            .rounded("0.01", Rounding::HalfUp)
            .source("29 USC 203(m), 206; 29 CFR 531.35, 531.59")
    });
    Some(Some(make_up))
}

/// Adds the premium for the overtime of a week to the pay of its jobs, and returns it; nothing without overtime.
fn premium<T: Trace>(
    trace: &mut T,
    payroll: &Payroll,
    week: &Week<'_>,
    others: &[Remuneration],
    jobs: &mut [JobPay],
) -> Option<Option<Amount>> {
    let mut lines = Vec::with_capacity(week.lines.len());
    for (line, sorted) in week.lines.iter().zip(&week.sorted) {
        // What an earlier payroll paid as overtime because it was entered so is not paid again.
        let sorted = if line.own || week.settles_earlier { *sorted } else { Sorted::default() };
        lines.push((counted(payroll, line, hours_of(&week.lines, line.job)?)?, sorted));
    }
    let pays = |(_, sorted): &(_, Sorted)| sorted.overtime > Amount::ZERO || sorted.double > Amount::ZERO;
    if !lines.iter().any(pays) {
        return Some(None);
    }
    let agreed: Vec<bool> = week.lines.iter().map(|line| line.agreed).collect();
    let found = wage_hour::premium(trace, &lines, &agreed, others)?;
    for ((line, _), [overtime, double]) in lines.iter().zip(found.of_lines) {
        let pay = &mut jobs[line.job];
        pay.overtime = pay.overtime.checked_add(overtime)?;
        pay.double_overtime = pay.double_overtime.checked_add(double)?;
    }
    Some(Some(found.total))
}

/// Returns a warning for a week whose overtime, as it was entered, is less than the law asks for.
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
        let sorted = wage_hour::sort(overtime.rule, week.start, overtime.minimum_wage, &worked)?;
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

/// A line of pay that may count towards the regular rate.
struct Bonus<'e> {
    name: String,
    line: &'e FixedPay,
    /// First days of the workweeks that it was earned in, as far as they have ended.
    weeks: Vec<Date>,
}

/// Returns the lines of pay that workweeks may have to count. One whose days are not told was earned in the workweeks that this
/// payroll settles.
fn bonuses<'e, K>(
    payroll: &Payroll,
    employee: &'e Employee<'_, K>,
    weeks: &BTreeMap<Date, Week<'_>>,
) -> Option<Vec<Bonus<'e>>> {
    let overtime = &employee.overtime;
    let earns_overtime = |job: &Job| job.compensations.iter().any(|one| one.terms.flsa.earns_overtime());
    if !employee.jobs.iter().any(earns_overtime) {
        return Some(Vec::new());
    }
    let first_day = employee.jobs.iter().map(|job| job.hired).min()?;
    let lines = employee.fixed.iter().filter(|line| line.kind != FixedKind::MinimumWageAdjustment);
    let mut found = Vec::new();
    for (place, line) in (1..).zip(lines) {
        if !matches!(line.kind, FixedKind::Bonus | FixedKind::Earnings) || line.amount <= Amount::ZERO {
            continue;
        }
        let weeks = match line.earned {
            None => weeks.values().filter(|week| week.stage == Stage::Due).map(|week| week.start).collect(),
            Some((from, until)) => {
                let mut weeks = Vec::new();
                let mut start = start_of(overtime, from.max(first_day));
                while start <= until {
                    if stage(payroll, employee, start) != Stage::Open {
                        weeks.push(start);
                    }
                    start = start.checked_add(7.days()).ok()?;
                }
                weeks
            }
        };
        found.push(Bonus { name: format!("fixed_compensation_{place}"), line, weeks });
    }
    Some(found)
}

impl Bonus<'_> {
    fn count(&self) -> i64 {
        i64::try_from(self.weeks.len()).unwrap_or(i64::MAX)
    }

    /// Its part of a week that this payroll settles; nothing of a week that it was not earned in.
    fn part(&self, week: &Week<'_>) -> Option<Option<Remuneration>> {
        if week.stage == Stage::Past || !self.weeks.contains(&week.start) {
            return None;
        }
        let name = match self.count() {
            1 => self.name.clone(),
            count => format!("{}_in_{count}_weeks", self.name),
        };
        let amount = self.line.amount.mul_ratio(1, self.count(), Rounding::HalfUp);
        Some(amount.map(|amount| Remuneration { name, amount, excluded: self.line.excluded }))
    }

    /// Pays the premium that it brings to weeks that earlier payrolls have paid.
    fn pay_later<T: Trace>(
        &self,
        trace: &mut T,
        weeks: &BTreeMap<Date, Week<'_>>,
        jobs: &mut [JobPay],
        paid: &mut Paid,
    ) -> Option<()> {
        if self.line.excluded || self.line.earned.is_none() || self.weeks.is_empty() {
            return Some(());
        }
        let known: Vec<&Week<'_>> = self.weeks.iter().filter_map(|start| weeks.get(start)).collect();
        if known.len() < self.weeks.len() {
            let (known, count) = (known.len(), self.weeks.len());
            paid.warnings.push(Warning::WorkweeksNotKnown { known, count });
        }
        let past = known.into_iter().filter(|week| week.stage == Stage::Past);
        let past: Vec<_> = past.map(Week::sums).collect::<Option<_>>()?;
        let figure = format!("recalculated_premium_of_{}", self.name);
        let bonus = (self.line.amount, self.count());
        let premium = wage_hour::premium_when_paid_later(&mut NoTrace, &figure, bonus, &past)?;
        if premium > Amount::ZERO {
            wage_hour::premium_when_paid_later(trace, &figure, bonus, &past)?;
            let pay = &mut jobs[self.line.job];
            pay.recalculated = pay.recalculated.checked_add(premium)?;
            paid.figures.push((figure, premium));
        }
        Some(())
    }
}

impl Week<'_> {
    /// Its first day, hours and sorted hours.
    fn sums(&self) -> Option<(Date, Amount, Sorted)> {
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
