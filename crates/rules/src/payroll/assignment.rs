//! Which pay schedule each employee follows, and from which day, in companies with several.
//!
//! An employee is paid by the consecutive pay periods of a schedule. An employee who changes schedules stays on the old one through
//! its last pay period that ends before the first pay period of the new one begins. The days in between are a transition: part of a
//! pay period of the old schedule, paid by a separate payroll. So each day is in exactly one payroll, however often employees change.
//!
//! Days of submitted payrolls do not change, and no employee leaves a pay period that has begun. Before a company's first
//! payment, neither restriction applies.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use jiff::ToSpan;
use jiff::civil::Date;
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::schedule::{PayPeriod, PaySchedule};
use crate::amount::Amount;
use crate::compensation::{PayTerms, PaymentUnit};
use crate::days::Days;

/// What determines the schedule of an employee.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, VariantArray, IntoStaticStr, EnumString)]
pub enum AssignmentType {
    /// nothing: all employees follow one schedule
    #[strum(serialize = "single")]
    Single,
    /// whether the primary job is paid by the hour
    #[strum(serialize = "hourly_salaried")]
    HourlySalaried,
    /// chosen for each employee
    #[strum(serialize = "by_employee")]
    ByEmployee,
    /// chosen for each department
    #[strum(serialize = "by_department")]
    ByDepartment,
}

impl AssignmentType {
    /// Whether a change to an employee's records can change the schedule.
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
    /// Derives the basis from pay terms; `None` for a job whose pay is not known yet.
    pub fn from_terms(terms: &PayTerms) -> Option<Self> {
        match terms.unit {
            _ if terms.rate == Amount::ZERO && !terms.flsa.is_commission_only() => None,
            PaymentUnit::Hour => Some(Self::Hourly),
            _ => Some(Self::Salaried),
        }
    }
}

/// A schedule that is followed from a given day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScheduleSpan<S> {
    /// the schedule
    pub schedule: S,
    /// the first day
    pub first_day: Date,
    /// the previous schedule, for an employee who changes from one to the other
    pub before: Option<S>,
    /// the first day before it that is in no pay period of either schedule; `None` if there is no such day
    pub unpaid_from: Option<Date>,
}

/// A new or returning employee.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Newcomer {
    /// the first day of work
    pub starts: Date,
    /// the last day of the previous employment, if any
    pub left: Option<Date>,
}

/// Whether an employee with these spans is paid in a pay period of a schedule: the employee follows the schedule on the first
/// day and still does on the last. Before the first span, any schedule counts as followed.
pub fn is_paid_in<S: Copy + Eq>(
    spans: &[ScheduleSpan<S>],
    schedule: S,
    Days { first: start, last: end }: Days,
) -> bool {
    let on = spans.iter().rfind(|one| one.first_day <= start);
    let leaves =
        |one: &ScheduleSpan<S>| one.schedule != schedule && one.first_day > start && one.first_day <= end;
    on.is_none_or(|one| one.schedule == schedule) && !spans.iter().any(leaves)
}

/// A schedule, and the day through which its payrolls are submitted.
#[derive(Debug, Clone, Copy)]
pub struct Followed {
    /// its pay periods
    pub periods: PaySchedule,
    /// the last day in a submitted payroll
    pub settled_until: Option<Date>,
}

/// The facts that changes of schedule depend on.
#[derive(Debug, Clone)]
pub struct Ground<S> {
    /// today's date at the company
    pub today: Date,
    /// whether the company has paid anything yet
    pub has_paid: bool,
    /// its schedules
    pub schedules: HashMap<S, Followed>,
    /// transitions whose payroll was submitted: the schedule that was left, and the last day of the transition
    pub transitions: HashSet<(S, Date)>,
}

impl<S: Copy + Eq + Hash> Ground<S> {
    /// Returns how many of an employee's spans can no longer change; at least one, the first.
    pub fn settled_count(&self, held: &[ScheduleSpan<S>]) -> usize {
        let begun = held.iter().rposition(|one| one.first_day <= self.today).unwrap_or(0);
        let mut last = begun;
        while let (Some(one), Some(next)) = (held.get(last), held.get(last + 1)) {
            let until = next.first_day.saturating_sub(1.day());
            let paid = self.settled_in(one).is_some_and(|day| day >= next.first_day);
            // An employee who leaves the schedule within the current pay period is not paid in it.
            let leaves = last == begun && self.begun_until(one).is_some_and(|day| day >= next.first_day);
            let comes = self.settled_in(next).is_some();
            if !paid && !leaves && !comes && !self.transitions.contains(&(one.schedule, until)) {
                break;
            }
            last += 1;
        }
        last + 1
    }

    /// Plans the spans of an employee who is assigned to schedules from given days: settled spans stay, and the others
    /// begin with the next pay period. `held` has at least one.
    pub fn plan_assignments(
        &self,
        held: &[ScheduleSpan<S>],
        wanted: &[(Date, S)],
        newcomer: Option<Newcomer>,
    ) -> Vec<ScheduleSpan<S>> {
        let fixed = self.settled_count(held).min(held.len());
        let mut planned = held[..fixed].to_vec();
        for (place, (day, schedule)) in wanted.iter().enumerate() {
            let newcomer = newcomer.filter(|_| place == 0);
            self.lead_to_schedule((&mut planned, fixed), *schedule, *day, newcomer);
        }
        planned
    }

    /// Returns the first pay period of a schedule that begins after a day and whose pay date is not before today.
    pub fn first_after(&self, schedule: S, after: Option<Date>) -> Option<PayPeriod> {
        let periods = &self.schedules.get(&schedule)?.periods;
        let mut number = match after {
            Some(day) => periods.number_of(day).max(0),
            // No pay date is more than ten periods after the end of its pay period.
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

    /// Changes to a schedule, no earlier than a given day; the first `fixed` spans stay.
    fn lead_to_schedule(
        &self,
        (planned, fixed): (&mut Vec<ScheduleSpan<S>>, usize),
        schedule: S,
        day: Date,
        newcomer: Option<Newcomer>,
    ) {
        let Some(last) = planned.last().copied().filter(|last| last.schedule != schedule) else { return };
        if let Some(first_day) = newcomer.and_then(|one| self.begins_with(&last, schedule, one)) {
            planned.push(ScheduleSpan { schedule, first_day, before: None, unpaid_from: None });
            return;
        }
        let earliest = (day > Date::MIN).then(|| day.saturating_sub(1.day()));
        // An employee who joins a schedule is not in its submitted payrolls.
        let settled = self.schedules.get(&schedule).and_then(|followed| followed.settled_until);
        let busy = self.busy_until(&last).max(earliest).max(settled);
        let Some(mut first) = self.first_after(schedule, busy) else { return };
        if first.start <= last.first_day {
            // A planned span that would end before it begins is never followed.
            if planned.len() > fixed {
                planned.pop();
                return self.lead_to_schedule((planned, fixed), schedule, day, None);
            }
            let Some(later) = self.first_after(schedule, Some(last.first_day)) else { return };
            first = later;
        }
        planned.push(ScheduleSpan {
            schedule,
            first_day: first.start,
            before: Some(last.schedule),
            unpaid_from: self.unpaid_from(&last, first.start),
        });
    }

    /// Returns the day from which a new or returning employee can follow a schedule from the start; `None` if the previous schedule
    /// paid days of the pay period with which it would begin, or pays the current one because its payroll has been submitted.
    fn begins_with(&self, last: &ScheduleSpan<S>, schedule: S, newcomer: Newcomer) -> Option<Date> {
        let Followed { periods, settled_until } = self.schedules.get(&schedule)?;
        let mut number = periods.number_of(newcomer.starts).max(0);
        // No newcomer is paid in submitted pay periods that are over; during one that is not over, the previous schedule pays.
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

    /// Returns the last day on which a span cannot be left; `None` if it can be left on any day.
    fn busy_until(&self, last: &ScheduleSpan<S>) -> Option<Date> {
        if last.first_day > self.today {
            return Some(last.first_day.saturating_sub(1.day())).max(self.settled_in(last));
        }
        self.begun_until(last).max(self.settled_in(last))
    }

    /// Returns the last day of the current pay period of a span that has begun, or today before the schedule's first pay period;
    /// `None` before the company's first payment.
    fn begun_until(&self, of: &ScheduleSpan<S>) -> Option<Date> {
        let periods = &self.schedules.get(&of.schedule)?.periods;
        if !self.has_paid || of.first_day > self.today {
            return None;
        }
        let begun = periods.period(0).start <= self.today;
        Some(if begun { periods.period_of(self.today).end } else { self.today })
    }

    /// Returns the last day of a span that its own schedule has paid.
    fn settled_in(&self, of: &ScheduleSpan<S>) -> Option<Date> {
        let followed = self.schedules.get(&of.schedule)?;
        followed.settled_until.filter(|day| *day >= of.first_day)
    }

    /// Returns the first unpaid day of the pay period that is cut short if an employee leaves its schedule before a given day.
    fn unpaid_from(&self, last: &ScheduleSpan<S>, next: Date) -> Option<Date> {
        let followed = self.schedules.get(&last.schedule)?;
        let until = next.saturating_sub(1.day());
        let broken = followed.periods.period_of(until);
        let begins = match self.has_paid || last.first_day > self.today {
            true => followed.periods.period(0).start,
            // A company's first payrolls are for periods whose pay date has not passed.
            false => self.first_after(last.schedule, None)?.start,
        };
        let from = broken.start.max(last.first_day).max(begins);
        (broken.end > until && from <= until).then_some(from)
    }
}
