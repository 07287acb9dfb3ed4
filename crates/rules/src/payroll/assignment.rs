//! Which pay schedule each employee follows from which day, in companies with several.
//!
//! An employee is paid by the consecutive pay periods of a schedule. One who changes schedules stays until the last pay
//! period of the old one that ends before the first of the new one begins. The days between the two are a transition: part of a
//! pay period of the old schedule, paid by a separate payroll. So each day is in exactly one payroll, however often employees change.
//!
//! Days of submitted payrolls do not change, and nobody leaves a pay period that has begun. Before a company's first
//! payment neither restriction applies.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use jiff::ToSpan;
use jiff::civil::Date;
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::schedule::{PayPeriod, PaySchedule};
use crate::amount::Amount;
use crate::compensation::{PayTerms, PaymentUnit};

/// What decides the schedule of an employee.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, VariantArray, IntoStaticStr, EnumString)]
pub enum AssignmentType {
    /// nothing: all employees follow one schedule
    #[strum(serialize = "single")]
    Single,
    /// whether the primary job is paid by the hour
    #[strum(serialize = "hourly_salaried")]
    HourlySalaried,
    /// a choice for the employee
    #[strum(serialize = "by_employee")]
    ByEmployee,
    /// a choice for the department
    #[strum(serialize = "by_department")]
    ByDepartment,
}

impl AssignmentType {
    /// Whether a change of an employee's records can change the schedule.
    pub fn follows_records(self) -> bool {
        matches!(self, Self::HourlySalaried | Self::ByDepartment)
    }
}

/// How a job is paid, as far as assignments depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// by the hour
    Hourly,
    /// a salary, or commissions alone
    Salaried,
}

impl Basis {
    /// Derives it from pay terms; `None` for a job whose pay is not known yet.
    pub fn of(terms: &PayTerms) -> Option<Self> {
        match terms.unit {
            _ if terms.rate == Amount::ZERO && !terms.flsa.is_commission_only() => None,
            PaymentUnit::Hour => Some(Self::Hourly),
            _ => Some(Self::Salaried),
        }
    }
}

/// A schedule that is followed from a day on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stretch<S> {
    /// the schedule
    pub schedule: S,
    /// the first day
    pub first_day: Date,
    /// the previous schedule, for an employee who changes from one to the other
    pub before: Option<S>,
    /// the first of the days before it that are in no pay period of either schedule; `None` if there are no such days
    pub unpaid_from: Option<Date>,
}

/// A new employee, or one who returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Newcomer {
    /// the first day of work
    pub starts: Date,
    /// the last day of the previous employment, if any
    pub left: Option<Date>,
}

/// Whether an employee with these stretches is paid by a pay period of a schedule: follows it on the first day, and does not leave
/// before the last. Before the first stretch, any schedule counts as followed.
pub fn is_paid_in<S: Copy + Eq>(stretches: &[Stretch<S>], schedule: S, (start, end): (Date, Date)) -> bool {
    let on = stretches.iter().rfind(|one| one.first_day <= start);
    let leaves = |one: &Stretch<S>| one.schedule != schedule && one.first_day > start && one.first_day <= end;
    on.is_none_or(|one| one.schedule == schedule) && !stretches.iter().any(leaves)
}

/// A schedule, and the day up to which its payrolls are submitted.
#[derive(Debug, Clone, Copy)]
pub struct Followed {
    /// its pay periods
    pub periods: PaySchedule,
    /// the last day of them that was submitted
    pub settled_until: Option<Date>,
}

/// The facts on which changes of schedule depend.
#[derive(Debug, Clone)]
pub struct Ground<S> {
    /// the company's day
    pub today: Date,
    /// whether the company has paid anything yet
    pub has_paid: bool,
    /// its schedules
    pub schedules: HashMap<S, Followed>,
    /// transitions whose payroll was submitted: the schedule that was left, and their last day
    pub transitions: HashSet<(S, Date)>,
}

impl<S: Copy + Eq + Hash> Ground<S> {
    /// How many of an employee's stretches can no longer change; at least the first.
    pub fn settled(&self, held: &[Stretch<S>]) -> usize {
        let begun = held.iter().rposition(|one| one.first_day <= self.today).unwrap_or(0);
        let mut last = begun;
        while let (Some(one), Some(next)) = (held.get(last), held.get(last + 1)) {
            let until = next.first_day.saturating_sub(1.day());
            let paid = self.settled_in(one).is_some_and(|day| day >= next.first_day);
            // An employee who leaves the schedule is not in the pay period that has begun.
            let leaves = last == begun && self.begun(one).is_some_and(|day| day >= next.first_day);
            let comes = self.settled_in(next).is_some();
            if !paid && !leaves && !comes && !self.transitions.contains(&(one.schedule, until)) {
                break;
            }
            last += 1;
        }
        last + 1
    }

    /// The stretches of an employee assigned to schedules from given days: settled ones stay, and the others begin with
    /// the next pay period. `held` has at least one.
    pub fn plan(
        &self,
        held: &[Stretch<S>],
        wanted: &[(Date, S)],
        newcomer: Option<Newcomer>,
    ) -> Vec<Stretch<S>> {
        let fixed = self.settled(held).min(held.len());
        let mut planned = held[..fixed].to_vec();
        for (place, (day, schedule)) in wanted.iter().enumerate() {
            let newcomer = newcomer.filter(|_| place == 0);
            self.lead((&mut planned, fixed), *schedule, *day, newcomer);
        }
        planned
    }

    /// The first pay period of a schedule that begins after a day and is not paid before today.
    pub fn first_after(&self, schedule: S, after: Option<Date>) -> Option<PayPeriod> {
        let periods = &self.schedules.get(&schedule)?.periods;
        let mut number = match after {
            Some(day) => periods.number_of(day).max(0),
            // No period is paid later after its end than by ten others.
            None => periods.number_of(self.today).saturating_sub(10).max(0),
        };
        loop {
            let period = periods.period(number);
            if period.check_date >= self.today && after.is_none_or(|day| period.start > day) {
                return Some(period);
            }
            number += 1;
        }
    }

    /// Changes to a schedule, no earlier than on a given day; the first `fixed` stretches stay.
    fn lead(
        &self,
        (planned, fixed): (&mut Vec<Stretch<S>>, usize),
        schedule: S,
        day: Date,
        newcomer: Option<Newcomer>,
    ) {
        let Some(last) = planned.last().copied().filter(|last| last.schedule != schedule) else { return };
        if let Some(first_day) = newcomer.and_then(|one| self.begins_with(&last, schedule, one)) {
            planned.push(Stretch { schedule, first_day, before: None, unpaid_from: None });
            return;
        }
        let earliest = (day > Date::MIN).then(|| day.saturating_sub(1.day()));
        // Whoever comes is in none of the payrolls that were submitted.
        let settled = self.schedules.get(&schedule).and_then(|followed| followed.settled_until);
        let busy = self.busy_until(&last).max(earliest).max(settled);
        let Some(mut first) = self.first_after(schedule, busy) else { return };
        if first.start <= last.first_day {
            // What was planned and would end before it begins is never followed.
            if planned.len() > fixed {
                planned.pop();
                return self.lead((planned, fixed), schedule, day, None);
            }
            let Some(later) = self.first_after(schedule, Some(last.first_day)) else { return };
            first = later;
        }
        planned.push(Stretch {
            schedule,
            first_day: first.start,
            before: Some(last.schedule),
            unpaid_from: self.unpaid_from(&last, first.start),
        });
    }

    /// The day from which a new or returning employee can follow a schedule from the start: `None` if days of the pay period with
    /// which it would begin were paid by the previous one.
    fn begins_with(&self, last: &Stretch<S>, schedule: S, newcomer: Newcomer) -> Option<Date> {
        let Followed { periods, settled_until } = self.schedules.get(&schedule)?;
        let mut number = periods.number_of(newcomer.starts).max(0);
        // Of pay periods that are over and were submitted nobody new is paid; of one that is not, the schedule before pays meanwhile.
        while settled_until.is_some_and(|day| day >= periods.period(number).start) {
            if settled_until.is_some_and(|day| day >= self.today) {
                return None;
            }
            number += 1;
        }
        let first = periods.period(number);
        let old = &self.schedules.get(&last.schedule)?.periods;
        let paid = newcomer.left.map(|day| old.period_of(day).end);
        let free = paid.is_none_or(|paid| first.start > paid && first.start <= newcomer.starts);
        (free && first.start >= last.first_day).then_some(first.start)
    }

    /// The last day on which a stretch cannot be left; `None` if it can be left on any day.
    fn busy_until(&self, last: &Stretch<S>) -> Option<Date> {
        if last.first_day > self.today {
            return Some(last.first_day.saturating_sub(1.day())).max(self.settled_in(last));
        }
        self.begun(last).max(self.settled_in(last))
    }

    /// The last day of the pay period that has begun, of a stretch that has; none before a company has paid anything.
    fn begun(&self, of: &Stretch<S>) -> Option<Date> {
        let periods = &self.schedules.get(&of.schedule)?.periods;
        if !self.has_paid || of.first_day > self.today {
            return None;
        }
        let begun = periods.period(0).start <= self.today;
        Some(if begun { periods.period_of(self.today).end } else { self.today })
    }

    /// The last day of a stretch that was paid by its own schedule.
    fn settled_in(&self, of: &Stretch<S>) -> Option<Date> {
        let followed = self.schedules.get(&of.schedule)?;
        followed.settled_until.filter(|day| *day >= of.first_day)
    }

    /// The first day that a schedule's pay periods no longer pay to an employee who leaves it before a given day.
    fn unpaid_from(&self, last: &Stretch<S>, next: Date) -> Option<Date> {
        let followed = self.schedules.get(&last.schedule)?;
        let until = next.saturating_sub(1.day());
        let broken = followed.periods.period_of(until);
        let begins = match self.has_paid || last.first_day > self.today {
            true => followed.periods.period(0).start,
            // The first payrolls of a company are of periods that are not paid yet.
            false => self.first_after(last.schedule, None)?.start,
        };
        let from = broken.start.max(last.first_day).max(begins);
        (broken.end > until && from <= until).then_some(from)
    }
}
