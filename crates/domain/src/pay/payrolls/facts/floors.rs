//! The pay terms of a job with the minimum wages they are adjusted to: those chosen for the job, by place and day.

use std::collections::BTreeMap;
use std::fmt::Display;

use jiff::ToSpan;
use jiff::civil::Date;
use rules::Amount;
use rules::compensation::PaymentUnit;
use rules::days::Days;
use rules::payroll::{Compensation, Floor};
use uuid::Uuid;

use crate::pay::compensations::rows as pay;
use crate::pay::compensations::service::adjustment;
use crate::pay::minimum_wages::table::{Doubt, Outdated};
use crate::pay::minimum_wages::{Place, Table};
use crate::pay::payrolls::facts::circumstances::workplaces::spans_in_force;
use crate::pay::payrolls::facts::context::{Context, not_renewed};
use crate::pay::payrolls::record::hours::Hours;
use crate::pay::payrolls::record::texts;
use crate::pay::payrolls::record::warning::Warning;
use crate::people::addresses::rows::WorkAddress;

/// Where a job is done.
pub(in crate::pay::payrolls) struct Whereabouts<'a> {
    pub(in crate::pay::payrolls) works: &'a [WorkAddress],
    /// the lines of hours of the job
    pub(in crate::pay::payrolls) hours: &'a [&'a Hours],
    /// the days whose hours count
    pub(in crate::pay::payrolls) days: Days,
}

/// A work location, and the days of work there.
#[derive(Clone, Copy)]
struct At<'c> {
    location: Uuid,
    place: &'c Place,
    days: Days,
}

impl<'c> At<'c> {
    /// Returns a location; `None` if it is not one of the company.
    fn of(context: &'c Context, location: Uuid, days: Days) -> Option<Self> {
        Some(Self { location, place: context.places.get(&location)?, days })
    }

    /// Returns the days there within a range of days, if there are any.
    fn within(self, range: Days) -> Option<Self> {
        let (first, last) = (self.days.first.max(range.first), self.days.last.min(range.last));
        (first <= last).then_some(Self { days: Days { first, last }, ..self })
    }
}

impl Whereabouts<'_> {
    /// Returns the work locations, in order: those of the work addresses, and on days with most of their hours at another location, that
    /// location.
    fn work_places<'c>(&self, context: &'c Context) -> Vec<At<'c>> {
        let mut found = Vec::new();
        let visits = self.main_location_by_day();
        for (work, days) in spans_in_force(self.works, self.days, |work| work.effective_date) {
            let Some(at) = At::of(context, work.location, days) else { continue };
            let Days { first: mut from, last } = days;
            for (day, location) in visits.range(from..=last) {
                let Some(visited) = At::of(context, *location, Days { first: *day, last: *day }) else {
                    continue;
                };
                found.extend(at.within(Days { first: from, last: day.saturating_sub(1.day()) }));
                found.push(visited);
                from = day.saturating_add(1.day());
            }
            found.extend(at.within(Days { first: from, last }));
        }
        found
    }

    /// Returns the location with the most hours for each day, unless that is the work address.
    fn main_location_by_day(&self) -> BTreeMap<Date, Uuid> {
        let mut by_day: BTreeMap<Date, BTreeMap<Option<Uuid>, Amount>> = BTreeMap::new();
        for line in self.hours {
            if let Some(day) = line.date {
                *by_day.entry(day).or_default().entry(line.location).or_default() += line.hours;
            }
        }
        let most = |(day, places): (Date, BTreeMap<Option<Uuid>, Amount>)| {
            let (location, _) = places.into_iter().max_by_key(|(_, hours)| *hours)?;
            Some((day, location?))
        };
        by_day.into_iter().filter_map(most).collect()
    }

    /// Returns other locations whose minimum wages are checked for warnings: those of hours without a date, and of hours on days with the
    /// most hours elsewhere.
    fn other_places<'c>(&self, context: &'c Context) -> Vec<At<'c>> {
        let most = self.main_location_by_day();
        let elsewhere = self.hours.iter().filter(|line| line.hours > Amount::ZERO && line.location.is_some());
        let apart =
            elsewhere.filter(|line| line.date.is_none_or(|day| most.get(&day) != line.location.as_ref()));
        apart.filter_map(|line| At::of(context, line.location?, line.days_worked(self.days))).collect()
    }
}

/// Returns the compensations of a job in force from the first day whose hours count to the end of the pay period, and the later ones up
/// to the last day whose hours count.
pub(in crate::pay::payrolls) fn compensations_in_force<'c>(
    context: &'c Context,
    warnings: &mut Vec<Warning>,
    held: &[pay::Compensation],
    whereabouts: &Whereabouts<'_>,
) -> (Vec<Compensation>, Vec<Compensation>) {
    let (end, Days { first: start, last: last_day }) = (context.payroll.end, whereabouts.days);
    let mut held: Vec<&pay::Compensation> = held.iter().collect();
    held.sort_by_key(|one| one.effective_date);
    // The first compensation also applies before its first day.
    let first = held.iter().rposition(|one| one.effective_date <= start).unwrap_or(0);
    held.drain(..first);
    let (places, beside) = (whereabouts.work_places(context), whereabouts.other_places(context));
    let has_hours = whereabouts.hours.iter().any(|line| line.hours > Amount::ZERO);
    let mut list = Vec::with_capacity(held.len());
    for (index, one) in held.iter().enumerate() {
        let from = if index == 0 { start } else { one.effective_date.max(start) };
        let next = held.get(index + 1).map_or(last_day, |next| next.effective_date.saturating_sub(1.day()));
        let mut floors = Vec::new();
        if one.adjust_for_minimum_wage {
            let chosen = adjustment::rules_of(&one.minimum_wages);
            let within = |places: &[At<'c>]| {
                places.iter().filter_map(|at| at.within(Days { first: from, last: next })).collect::<Vec<_>>()
            };
            let (within, beside) = (within(&places), within(&beside));
            let found = floors_of(&context.table, &within, &chosen, one.rate);
            let besides = floors_of(&context.table, &beside, &chosen, one.rate);
            warnings.extend(found.missing_from.or(besides.missing_from).map(not_found));
            warnings.extend(found.overdue.or(besides.overdue));
            warnings.extend(found.doubt);
            warnings.extend(found.outdated_credit);
            let mut all = within.iter().chain(&beside);
            let without = all.find(|at| !context.table.allows_tip_credit(&at.place.state, at.days.first));
            warnings.extend(without.map(|at| no_tip_credit(&context.table, at.place, at.days.first)));
            floors = found.floors;
        } else if has_hours
            && one.pay_terms().unit == PaymentUnit::Hour
            && one.pay_terms().flsa.earns_overtime()
        {
            let mut within =
                places.iter().chain(&beside).filter_map(|at| at.within(Days { first: from, last: next }));
            warnings.extend(within.find_map(|at| below_minimum_wage(context, at, one.rate)));
        }
        list.push(Compensation { effective: one.effective_date, terms: one.pay_terms(), floors });
    }
    let begun = list.iter().position(|compensation| compensation.effective > end).unwrap_or(list.len());
    // If all begin later, the first still determines how the job is paid.
    let mut later = list.split_off(begun.max(1).min(list.len()));
    later.retain(|compensation| compensation.effective <= last_day);
    (list, later)
}

/// Minimum wages by their first day.
#[derive(Default)]
struct Floors {
    floors: Vec<Floor>,
    /// the first day on which none of the chosen minimum wages applies
    missing_from: Option<Date>,
    /// warning about the first applicable minimum wage that should have been replaced
    overdue: Option<Warning>,
    /// warning about the first doubt about the kind of tipped work
    doubt: Option<Warning>,
    /// warning about the first tip credit that belongs to an earlier minimum wage
    outdated_credit: Option<Warning>,
}

/// Returns the highest of the chosen minimum wages at each location, on each day on which it may change, with its tip credit; zero from
/// the first day on which none of them applies.
fn floors_of(table: &Table, places: &[At<'_>], chosen: &[Uuid], rate: Amount) -> Floors {
    let mut found = Floors::default();
    for At { place, days: Days { first, last }, .. } in places {
        for day in std::iter::once(*first).chain(table.days_of_change(place, *first, *last)) {
            let in_force = chosen.iter().filter_map(|rule| table.rule_at(*rule, place, day));
            let highest = in_force.max_by_key(|row| row.wage);
            if highest.is_none() {
                found.missing_from.get_or_insert(day);
            }
            let mut floor = Floor {
                from: day,
                minimum_wage: Amount::ZERO,
                tip_credit: Amount::ZERO,
                tips_from: Amount::ZERO,
            };
            if let Some(row) = highest {
                if found.overdue.is_none() && table.is_overdue(row, day) {
                    found.overdue = Some(not_renewed(row, day));
                }
                let tips = table.tip_credit(row, place, day, rate);
                found.doubt =
                    found.doubt.take().or_else(|| Some(kind_not_certain(&tips.doubt?, rate, tips.credit)));
                found.outdated_credit =
                    found.outdated_credit.take().or_else(|| Some(older_credit(&tips.outdated?, tips.credit)));
                (floor.minimum_wage, floor.tip_credit, floor.tips_from) = (row.wage, tips.credit, tips.from);
            }
            let is_new = match found.floors.last() {
                Some(last) => !last.is_like(&floor),
                None => floor.minimum_wage > Amount::ZERO,
            };
            if is_new {
                found.floors.push(floor);
            }
        }
    }
    found
}

/// Warns that the rate does not determine the kind of tipped work, on which the tip credit depends.
fn kind_not_certain(doubt: &Doubt, rate: Amount, credit: Amount) -> Warning {
    let Doubt { kinds, counted } = doubt;
    let values: [(&str, &dyn Display); 4] =
        [("kinds", kinds), ("rate", &rate), ("credit", &credit), ("counted", counted)];
    texts::TIPPED_WORK.to_warning(&values)
}

/// Warns that the tip credit belongs to an earlier minimum wage than the one that applies.
fn older_credit(outdated: &Outdated, credit: Amount) -> Warning {
    let Outdated { minimum_wage, from, credit_since } = outdated;
    let values: [(&str, &dyn Display); 4] =
        [("wage", minimum_wage), ("from", from), ("credit", &credit), ("since", credit_since)];
    texts::TIP_CREDIT_NOT_RENEWED.to_warning(&values)
}

fn not_found(from: Date) -> Warning {
    texts::MINIMUM_WAGE_NOT_FOUND.to_warning(&[("day", &from)])
}

/// Warns if an hourly rate is below the minimum wage of the place on the first day there, and no adjustment raises it.
fn below_minimum_wage(context: &Context, at: At<'_>, rate: Amount) -> Option<Warning> {
    let least = context.least_wage((at.location, at.place), at.days.first);
    (rate < least).then(|| texts::BELOW_MINIMUM_WAGE.to_warning(&[("rate", &rate), ("least", &least)]))
}

/// Warns that an employee whose pay is adjusted works in a state without a tip credit.
fn no_tip_credit(table: &Table, place: &Place, day: Date) -> Warning {
    let least = table.general_minimum_wage(place, day);
    let state = &place.state;
    texts::NO_TIP_CREDIT.to_warning(&[("state", state), ("day", &day), ("least", &least)])
}
