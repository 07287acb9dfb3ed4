//! Which hours of a workweek are overtime.
//!
//! The hours of each day are sorted first, if the state counts hours by day: hours above the daily limit are overtime, those above
//! the next limit double time, and all hours of a seventh consecutive day overtime, in some states only in a week that is long
//! enough. Then regular hours above the weekly limit are overtime; an hour that is already overtime by day does not count toward
//! that limit. Hours of a day and of the week are taken in the order in which they were worked: the last ones are overtime.

use jiff::civil::Date;

use super::rule::{OvertimeRule, SeventhDay};
use crate::amount::Amount;

/// Hours of a job on a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Worked {
    /// The day.
    pub date: Date,
    /// Index of the job.
    pub job: usize,
    /// Hours; at most 24 a day across all jobs.
    pub hours: Amount,
    /// Straight-time pay of the hours, in dollars per hour.
    pub rate: Amount,
}

/// The hours of a [`Worked`], sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sorted {
    /// At the straight-time rate.
    pub regular: Amount,
    /// At one and a half times the regular rate.
    pub overtime: Amount,
    /// At twice the regular rate.
    pub double: Amount,
}

impl Sorted {
    /// Moves the last of the regular hours to overtime.
    fn move_to_overtime(&mut self, hours: Amount) -> Option<()> {
        self.regular = self.regular.checked_sub(hours)?;
        self.overtime = self.overtime.checked_add(hours)?;
        Some(())
    }
}

/// Sorts the hours of the workweek that begins on `start`; `lines` are in the order in which they were worked.
/// `minimum_wage` is the state's, in dollars per hour.
///
/// `None` on overflow, which hours of a week never reach, and for a line outside the week.
pub fn sort_hours(
    rule: &OvertimeRule,
    start: Date,
    minimum_wage: Amount,
    lines: &[Worked],
) -> Option<Vec<Sorted>> {
    let mut sorted = vec![Sorted::default(); lines.len()];
    let mut by_day = [Amount::ZERO; 7];
    let of_week = lines.iter().try_fold(Amount::ZERO, |sum, line| sum.checked_add(line.hours))?;
    let counts_seventh = match rule.seventh_day {
        SeventhDay::No => false,
        SeventhDay::Yes => worked_on_each_day_before(start, lines),
        SeventhDay::LongWeeks => of_week > rule.weekly_overtime && worked_on_each_day_before(start, lines),
    };
    for (line, into) in lines.iter().zip(&mut sorted) {
        let place = usize::try_from((line.date - start).get_days()).ok().filter(|place| *place < 7)?;
        let before = by_day[place];
        by_day[place] = before.checked_add(line.hours)?;
        let seventh = counts_seventh && place == 6;
        let (first, second) = match (rule.daily_limit(line.rate, minimum_wage), rule.seventh_day) {
            (_, SeventhDay::LongWeeks) if seventh => (Some(Amount::ZERO), None),
            (Some(limit), SeventhDay::Yes) if seventh => (Some(Amount::ZERO), Some(limit)),
            (limit, _) => (limit, rule.daily_double),
        };
        *into = of_day(line.hours, before, first, second)?;
    }
    let mut counted = Amount::ZERO;
    for into in &mut sorted {
        let left = rule.weekly_overtime.checked_sub(counted)?.max(Amount::ZERO);
        counted = counted.checked_add(into.regular)?;
        let above = into.regular.checked_sub(left)?.max(Amount::ZERO);
        into.move_to_overtime(above)?;
    }
    Some(sorted)
}

/// Whether there was work on each of the first six days of the week.
fn worked_on_each_day_before(start: Date, lines: &[Worked]) -> bool {
    (0..6).all(|place| {
        lines.iter().any(|line| (line.date - start).get_days() == place && line.hours > Amount::ZERO)
    })
}

/// Sorts hours by the two limits of the day; `before` are the hours already worked that day.
fn of_day(hours: Amount, before: Amount, first: Option<Amount>, second: Option<Amount>) -> Option<Sorted> {
    let until = before.checked_add(hours)?;
    let above = |limit: Option<Amount>| match limit {
        Some(limit) => until.checked_sub(before.max(limit)).map(|above| above.max(Amount::ZERO)),
        None => Some(Amount::ZERO),
    };
    let (beyond_first, double) = (above(first)?, if first.is_some() { above(second)? } else { Amount::ZERO });
    Some(Sorted {
        regular: hours.checked_sub(beyond_first)?,
        overtime: beyond_first.checked_sub(double)?,
        double,
    })
}
