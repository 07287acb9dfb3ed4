//! The hours of workweeks, both entered and paid by processed payrolls in the same workweeks, and overtime law at the work location.
//!
//! Payrolls are processed in any order. Hours of a workweek in a processed payroll count in every payroll calculated after it. The
//! payroll in which a workweek ends settles it; a payroll of earlier days that is calculated later pays what is still owed.

use std::collections::{BTreeMap, HashMap};

use jiff::civil::Date;
use rules::Amount;
use rules::days::Days;
use rules::payroll::garnishment::MinimumWages;
use rules::payroll::{Compensation, Job, PaidBefore, Worked};
use rules::wage_hour::{OvertimeRule, SeventhDay};
use store::{Row, Tx, params};
use uuid::Uuid;

use crate::error::Error;
use crate::pay::payrolls::facts::context::Context;
use crate::pay::payrolls::record::entered::Entered;
use crate::pay::payrolls::record::hours::Hours;
use crate::pay::payrolls::record::hours::{end_of, start_of};
use crate::pay::payrolls::record::inputs;
use crate::pay::payrolls::record::inputs::Input;
use crate::pay::payrolls::record::kinds::HourlyKind;
use crate::pay::payrolls::record::paycheck_inputs::{OvertimeFacts, PaycheckInputs};
use crate::pay::payrolls::record::payroll::{DISMISSAL, TRANSITION};
use crate::pay::payrolls::record::texts::{OVERTIME_OF_DAYS, OVERTIME_OF_SEVENTH_DAY, OVERTIME_RULE};
use crate::pay::payrolls::warnings::long_days;
use crate::pay::payrolls::warnings::long_days::ByDay;
use crate::records::IdRange;

store::statements! {
    PROCESSED = "SELECT id, start_date, end_date, run_id, \
                 CASE WHEN off_cycle = false OR off_cycle_reason IN ($5, $6) THEN true ELSE false END, \
                 CASE WHEN skipped = true AND pay_schedule_id = $7 THEN true ELSE false END \
                 FROM payrolls WHERE company_id = $1 AND processed_at IS NOT NULL AND id <> $2 \
                 AND end_date >= $3 AND start_date <= $4 ORDER BY run_number, id LIMIT 1000";
    PAID_BY = "SELECT employee_id FROM payroll_results WHERE company_id = $1 AND run_id = $2 AND employee_id BETWEEN $3 AND $4 \
               ORDER BY employee_id";
}

/// Hours that another payroll has paid, with its pay period.
struct Before {
    period: Days,
    hours: Hours,
    /// index of that payroll among the payrolls found
    place: u16,
}

/// What other payrolls have paid for the workweeks of an employee.
#[derive(Default)]
pub(in crate::pay::payrolls) struct PaidWeeks {
    hours: Vec<Before>,
    /// the pay periods of payrolls that settle workweeks
    settling: Vec<Days>,
    /// hours entered by day
    pub(in crate::pay::payrolls) days: ByDay,
    /// regular hours of other payrolls for the same days: read for an off-cycle payroll with hours of the whole pay period
    pub(in crate::pay::payrolls) regular: Amount,
}

impl PaidWeeks {
    /// Whether the payroll in which a workweek ends has paid.
    fn are_settled(&self, last: Date) -> bool {
        self.settling.iter().any(|Days { first: from, last: until }| (*from..=*until).contains(&last))
    }
}

/// Returns the first day of the earliest workweek that an employee's inputs concern; `None` if they concern no known workweek.
fn concerns_since(first_day: Date, period: Days, entered: &Entered) -> Option<Date> {
    let by_week =
        entered.hourly.iter().filter(|line| line.of_workweek()).map(|line| line.days_worked(period).first);
    let fixed = entered.fixed.iter().map(|line| line.earned);
    let earned = fixed.chain(entered.custom.iter().map(|line| line.earned));
    let earned = earned.filter(|earned| !earned.discretionary).filter_map(|earned| earned.earning_period());
    by_week.chain(earned.map(|Days { first: from, last: _ }| from)).map(|day| start_of(first_day, day)).min()
}

/// Adds the regular hours of other payrolls for the same days, for those with hours of the whole pay period in an off-cycle payroll.
fn add_regular(
    tx: &mut Tx<'_>,
    context: &Context,
    entries: &HashMap<Uuid, Input>,
    found: &mut HashMap<Uuid, PaidWeeks>,
) -> Result<(), Error> {
    let (company, payroll) = (context.company, &context.payroll);
    let is_regular = |line: &Hours| line.kind == HourlyKind::Regular;
    let undated =
        |input: &Input| input.entered.hourly.iter().any(|line| line.of_period() && is_regular(line));
    let members: Vec<Uuid> = entries.iter().filter(|(_, input)| undated(input)).map(|(id, _)| *id).collect();
    if !payroll.off_cycle || members.is_empty() {
        return Ok(());
    }
    let days =
        params![company, payroll.id, payroll.start, payroll.end, TRANSITION, DISMISSAL, payroll.pay_schedule];
    for other in tx.query_rows(PROCESSED, days, |row| row.get::<Uuid>(0))? {
        for member in &members {
            let Some(input) = Input::find(tx, company, other, *member)? else { continue };
            let hours: Amount =
                input.entered.hourly.iter().filter(|line| is_regular(line)).map(|line| line.hours).sum();
            found.entry(*member).or_default().regular += hours;
        }
    }
    Ok(())
}

/// Reads what other payrolls have paid for workweeks of this one, by employee. For a payroll of regular or final wages, all its
/// workweeks are searched for everybody: overtime is due even if no more hours were worked in them. For any other off-cycle payroll,
/// only the workweeks that the inputs concern are searched.
pub(in crate::pay::payrolls) fn paid_before(
    tx: &mut Tx<'_>,
    context: &Context,
    members: &[Uuid],
    entries: &HashMap<Uuid, Input>,
    bounds: IdRange,
) -> Result<HashMap<Uuid, PaidWeeks>, Error> {
    let (company, payroll) = (context.company, &context.payroll);
    let period = payroll.days();
    let settles = payroll.pays_wages_of_its_days();
    let mut since: HashMap<Uuid, Date> = HashMap::new();
    for member in members {
        let entry = entries.get(member);
        let concerned = entry.and_then(|entry| concerns_since(context.workweek, period, &entry.entered));
        let begins = Some(start_of(context.workweek, payroll.start)).filter(|_| settles);
        since.extend([concerned, begins].into_iter().flatten().min().map(|from| (*member, from)));
    }
    let mut found: HashMap<Uuid, PaidWeeks> = HashMap::new();
    add_regular(tx, context, entries, &mut found)?;
    let Some(first) = since.values().min() else { return Ok(found) };
    let until = end_of(context.workweek, payroll.end);
    let parameters = params![company, payroll.id, *first, until, TRANSITION, DISMISSAL, payroll.pay_schedule];
    let read = |row: &Row<'_>| {
        let period: Days = Days { first: row.get(1), last: row.get(2) };
        (row.get::<Uuid>(0), period, row.get::<Option<Uuid>>(3), [row.get::<bool>(4), row.get::<bool>(5)])
    };
    for (place, (id, period, run, [settles, skipped])) in
        (0..).zip(tx.query_rows(PROCESSED, parameters, read)?)
    {
        let ends_week = end_of(context.workweek, period.first.max(*first)) <= period.last.min(until);
        let settles = settles && ends_week;
        if settles && skipped {
            since.keys().for_each(|employee| found.entry(*employee).or_default().settling.push(period));
        } else if let Some(run) = run.filter(|_| settles) {
            let paid = tx.query_rows(PAID_BY, params![company, run, bounds.first, bounds.last], |row| {
                row.get::<Uuid>(0)
            })?;
            paid.into_iter().for_each(|employee| found.entry(employee).or_default().settling.push(period));
        }
        for input in inputs::inputs_between(tx, company, id, bounds)? {
            let Some(first) = since.get(&input.employee) else { continue };
            let into = found.entry(input.employee).or_default();
            if input.excluded {
                // An employee excluded from a processed payroll is not added later.
                into.settling.extend(Some(period).filter(|_| settles));
                continue;
            }
            long_days::add_hours_by_day(&mut into.days, &input.entered);
            let known = input.entered.hourly.iter().filter(|line| line.of_workweek());
            let known = known.filter(|line| (*first..=until).contains(&line.days_worked(period).first));
            into.hours.extend(known.map(|line| Before { period, hours: *line, place }));
        }
    }
    Ok(found)
}

/// An employee's hours by workweek.
pub(in crate::pay::payrolls) struct Workweeks<'e> {
    first_of_week: Date,
    period: Days,
    entered: &'e Entered,
    before: &'e PaidWeeks,
    /// the first day whose pay has to be known
    pub(in crate::pay::payrolls) first_day: Date,
    /// the last day whose pay has to be known
    pub(in crate::pay::payrolls) last_day: Date,
}

impl<'e> Workweeks<'e> {
    pub(in crate::pay::payrolls) fn from_entered(
        context: &Context,
        entered: &'e Entered,
        before: &'e PaidWeeks,
    ) -> Self {
        let period = context.payroll.days();
        let days = || before.hours.iter().map(|one| one.hours.days_worked(one.period)).chain([period]);
        let first_day = days().map(|days| days.first).min().unwrap_or(period.first);
        let last_day = days().map(|days| days.last).max().unwrap_or(period.last);
        Self { first_of_week: context.workweek, period, entered, before, first_day, last_day }
    }

    /// Returns the last day of the workweek that continues after the pay period, if the payroll in which it ends has paid.
    fn settled_until(&self) -> Option<Date> {
        let last = end_of(self.first_of_week, self.period.last);
        Some(last).filter(|last| *last > self.period.last && self.before.are_settled(*last))
    }

    fn lines_of_job(&self, job: Uuid) -> impl Iterator<Item = &'e Hours> {
        self.entered.hourly.iter().filter(move |line| line.job == job)
    }

    /// Returns the hours of a job that are paid as entered: those of the whole pay period, or all hours if the job does not earn overtime.
    pub(in crate::pay::payrolls) fn hours_as_entered(
        &self,
        job: Uuid,
        compensations: &[Compensation],
    ) -> Vec<Worked> {
        let earns = earns_overtime(compensations);
        let lines = self.lines_of_job(job).filter(|line| !earns || line.of_period());
        by_days(lines.map(|line| (line.days_worked(self.period), line)))
    }

    /// Returns the hours of a job whose workweek is known; empty if the job does not earn overtime.
    pub(in crate::pay::payrolls) fn by_week(&self, job: Uuid, compensations: &[Compensation]) -> Vec<Worked> {
        if !earns_overtime(compensations) {
            return Vec::new();
        }
        let own = self.lines_of_job(job).filter(|line| line.of_workweek());
        by_days(own.map(|line| (line.days_worked(self.period), line)))
    }

    /// Returns the hours of a job that other payrolls have paid in those workweeks. Hours in a payroll in which their workweek ends were
    /// paid with their overtime, as were all hours of a workweek that such a payroll has settled.
    pub(in crate::pay::payrolls) fn paid_before(
        &self,
        job: Uuid,
        compensations: &[Compensation],
    ) -> Vec<PaidBefore> {
        if !earns_overtime(compensations) {
            return Vec::new();
        }
        let of_job = self.before.hours.iter().filter(|one| one.hours.job == job);
        let mut by_payroll: BTreeMap<u16, Vec<&Before>> = BTreeMap::new();
        of_job.for_each(|one| by_payroll.entry(one.place).or_default().push(one));
        let each = by_payroll.into_iter().flat_map(|(place, lines)| {
            let until = lines.first().map_or(Date::MIN, |one| one.period.last);
            let worked =
                by_days(lines.into_iter().map(|one| (one.hours.days_worked(one.period), &one.hours)));
            worked.into_iter().map(move |worked| {
                let last = end_of(self.first_of_week, worked.from);
                PaidBefore { worked, place, settled: last <= until || self.before.are_settled(last) }
            })
        });
        each.collect()
    }

    /// Whether all hours were entered by day.
    fn all_by_day(&self) -> bool {
        self.entered.hourly.iter().all(|line| line.date.is_some())
    }
}

fn earns_overtime(compensations: &[Compensation]) -> bool {
    compensations.last().is_some_and(|last| last.terms.flsa.earns_overtime())
}

fn by_days<'h>(lines: impl Iterator<Item = (Days, &'h Hours)>) -> Vec<Worked> {
    let mut by_days: BTreeMap<Days, [Amount; 3]> = BTreeMap::new();
    for (days, line) in lines {
        let [regular, overtime, double_overtime] = by_days.entry(days).or_default();
        *(match line.kind {
            HourlyKind::Regular => regular,
            HourlyKind::Overtime => overtime,
            HourlyKind::DoubleOvertime => double_overtime,
        }) += line.hours;
    }
    let ranges = by_days.into_iter().map(|(Days { first: from, last: until }, hours)| {
        let [regular, overtime, double_overtime] = hours;
        Worked { from, until, regular, overtime, double_overtime }
    });
    ranges.collect()
}

/// Whether enough hours were entered for a law's rule on the seventh day of a long workweek to matter.
fn may_be_a_seventh_day(context: &Context, rule: &OvertimeRule, jobs: &[Job]) -> bool {
    if rule.seventh_day != SeventhDay::LongWeeks {
        return false;
    }
    let earning = jobs.iter().filter(|job| earns_overtime(&job.compensations));
    let hours = earning.flat_map(|job| job.worked.iter().chain(&job.by_week)).filter_map(Worked::total_hours);
    let all: Amount = hours.sum();
    let days = i64::from((context.payroll.end - context.payroll.start).get_days()) + 1;
    all.millionths() > rule.weekly_overtime.millionths() * days / 7
}

/// Adds overtime law for an employee whose workweeks are known, and warns if the state's law depends on daily hours that are not known.
pub(in crate::pay::payrolls) fn add_law(
    context: &Context,
    inputs: &mut PaycheckInputs,
    weeks: &Workweeks<'_>,
    wages: &MinimumWages,
) {
    let rule =
        context.tables.held.overtime_rules.edition_on(context.payroll.end).rule_of_state(&inputs.state.state);
    let minimum_wage = wages.state.map_or(wages.federal, |state| state.max(wages.federal));
    let of_state = rule.is_applicable(context.employer.confirmed_figures());
    let earned = inputs.fixed.iter().map(|line| line.pay.earned);
    let earned =
        earned.chain(inputs.custom.iter().map(|line| line.pay.earned)).any(|earned| earned.is_some());
    let known = |job: &Job| !(job.by_week.is_empty() && job.paid_before.is_empty());
    if earned || inputs.jobs.iter().any(known) {
        let (first_day, settled_until) = (context.workweek, weeks.settled_until());
        inputs.overtime = Some(OvertimeFacts { first_day, minimum_wage, of_state, settled_until });
    }
    let earning = inputs.jobs.iter().filter(|job| earns_overtime(&job.compensations));
    let rates = earning.filter(|job| !(job.worked.is_empty() && job.by_week.is_empty()));
    let mut rates = rates.filter_map(|job| job.compensations.last()).map(|last| last.terms.rate);
    let counts_days = rates.any(|rate| rule.daily_limit(rate, minimum_wage).is_some());
    if !(counts_days || may_be_a_seventh_day(context, rule, &inputs.jobs)) {
        return;
    }
    if !of_state {
        let warning = OVERTIME_RULE.to_warning(&[("section", &rule.section), ("confirm", &rule.key())]);
        inputs.warnings.push(warning);
    } else if !weeks.all_by_day() {
        let text = if counts_days { OVERTIME_OF_DAYS } else { OVERTIME_OF_SEVENTH_DAY };
        inputs.warnings.push(text.to_warning(&[("section", &rule.section)]));
    }
}
