//! Bonuses and commissions in the workweeks in which they were earned.

use std::collections::BTreeMap;

use jiff::ToSpan;
use jiff::civil::Date;

use super::{Paid, Stage, Week, stage_of_week, start_of};
use crate::amount::{Amount, Rounding};
use crate::days::Days;
use crate::explain::{NoTrace, Trace};
use crate::payroll::input::{Employee, FixedKind, FixedPay, Job, Payroll};
use crate::payroll::output::{JobPay, Warning};
use crate::wage_hour::{self, Remuneration};

/// A line of pay that may count towards the regular rate.
pub(super) struct Bonus<'e> {
    name: String,
    line: &'e FixedPay,
    /// First days of the workweeks in which it was earned, as far as they have ended.
    weeks: Vec<Date>,
}

/// Returns the lines of pay that may count in workweeks. A line without dates was earned in the workweeks that this
/// payroll settles.
pub(super) fn bonus_lines<'e, K>(
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
            Some(Days { first: from, last: until }) => {
                let mut weeks = Vec::new();
                let mut start = start_of(overtime, from.max(first_day));
                while start <= until {
                    if stage_of_week(payroll, employee, start) != Stage::Open {
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

    /// Returns its part of a week that this payroll settles; `None` for a week in which it was not earned.
    pub(super) fn part_of_week(&self, week: &Week<'_>) -> Option<Option<Remuneration>> {
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

    /// Pays the premium that it adds to weeks that earlier payrolls have paid.
    pub(super) fn pay_later<T: Trace>(
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
        let past: Vec<_> = past.map(Week::classified_hours).collect::<Option<_>>()?;
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
