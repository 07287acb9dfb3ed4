//! Hours worked, as entered: for the whole pay period, by workweek or by day, and by location.
//!
//! A line is identified by its job, name, days and location. Hours of the same job and name are entered in one way only: hours by day
//! replace those by workweek and those of the whole pay period, and vice versa.

use jiff::ToSpan;
use jiff::civil::Date;
use rules::Amount;
use rules::days::Days;
use rules::payroll::{Job, Worked};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::millionths;
use crate::pay::payrolls::record::entered::Entered;
use crate::pay::payrolls::record::kinds::HourlyKind;
use crate::pay::payrolls::record::paycheck::JobPaid;

/// Hours of a day.
pub(in crate::pay::payrolls) const HOURS_OF_A_DAY: Amount = Amount::from_millionths(24_000_000);

/// Hours of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hours {
    /// the job
    pub job: Uuid,
    /// kind of hours
    pub kind: HourlyKind,
    /// first day of the workweek; `None` for hours of a day or of the whole pay period
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub week: Option<Date>,
    /// the day on which they were worked
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<Date>,
    /// where they were worked; `None` for the work location of those days
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<Uuid>,
    /// how many
    #[serde(with = "millionths")]
    pub hours: Amount,
}

/// Returns the total hours in the days of a payroll.
pub fn hours_of_days(Days { first: start, last: end }: Days) -> Amount {
    let days = i64::from((end - start).get_days()) + 1;
    HOURS_OF_A_DAY * days
}

/// Returns the first day of the workweek that contains `day`.
pub(in crate::pay::payrolls) fn start_of(first_day: Date, day: Date) -> Date {
    day.saturating_sub((day - first_day).get_days().rem_euclid(7).days())
}

/// Returns the last day of the workweek that contains `day`.
pub(in crate::pay::payrolls) fn end_of(first_day: Date, day: Date) -> Date {
    start_of(first_day, day).saturating_add(6.days())
}

/// The period for which hours are given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::pay::payrolls) enum By {
    Period,
    Workweek,
    Day,
}

impl Hours {
    pub(in crate::pay::payrolls) fn entered_by(&self) -> By {
        match (self.date, self.week) {
            (Some(_), _) => By::Day,
            (None, Some(_)) => By::Workweek,
            (None, None) => By::Period,
        }
    }

    /// Whether it covers the whole pay period.
    pub fn of_period(&self) -> bool {
        self.entered_by() == By::Period
    }

    /// Whether the workweek in which they were worked is known.
    pub fn of_workweek(&self) -> bool {
        !self.of_period()
    }

    /// Returns the first and last day on which they were worked, within the pay period.
    pub fn days_worked(&self, Days { first: start, last: end }: Days) -> Days {
        match (self.date, self.week) {
            (Some(day), _) => Days { first: day, last: day },
            (None, Some(week)) => {
                Days { first: week.max(start), last: week.saturating_add(6.days()).min(end) }
            }
            (None, None) => Days { first: start, last: end },
        }
    }

    /// Whether it gives neither the time nor the location of the work.
    pub(in crate::pay::payrolls) fn is_whole(&self) -> bool {
        self.of_period() && self.location.is_none()
    }

    pub(in crate::pay::payrolls) fn is_of(&self, job: Uuid, kind: HourlyKind) -> bool {
        self.job == job && self.kind == kind
    }

    /// Whether this line replaces another.
    pub(in crate::pay::payrolls) fn replaces_line(&self, other: &Self) -> bool {
        let found_again = (self.week, self.date, self.location) == (other.week, other.date, other.location);
        self.is_of(other.job, other.kind) && (found_again || self.entered_by() != other.entered_by())
    }
}

impl Entered {
    /// Returns a job's hours of a kind, on all days and at all locations.
    pub fn hours_of_job(&self, job: Uuid, kind: HourlyKind) -> Amount {
        self.of_line(job, kind).map(|line| line.hours).sum()
    }

    /// Returns a job's hours of a kind as a calculation classified them.
    pub fn hours_paid(&self, job: Uuid, kind: HourlyKind, paid: &JobPaid) -> Amount {
        if paid.hours == [Amount::ZERO; 3] {
            return self.hours_of_job(job, kind);
        }
        let of_period = self.of_line(job, kind).filter(|line| line.of_period());
        of_period.map(|line| line.hours).sum::<Amount>() + paid.hours[kind.kind_index()]
    }

    /// Returns a job's hours of a kind by workweek, in date order, if they were entered so. Given a day on which workweeks begin, hours that
    /// were entered by day are added up, too.
    pub fn hours_by_workweek(
        &self,
        job: Uuid,
        kind: HourlyKind,
        first_day: Option<Date>,
    ) -> Vec<(Date, Amount)> {
        let mut weeks: Vec<(Date, Amount)> = Vec::new();
        let of_day = |line: &Hours| Some(start_of(first_day?, line.date?));
        let lines = self
            .of_line(job, kind)
            .filter_map(|line| line.week.or_else(|| of_day(line)).zip(Some(line.hours)));
        for (week, hours) in lines {
            match weeks.iter_mut().find(|(held, _)| *held == week) {
                Some((_, sum)) => *sum += hours,
                None => weeks.push((week, hours)),
            }
        }
        weeks.sort_unstable();
        weeks
    }

    /// Returns the lines of a job and kind in date order, if any of them has a day or a location.
    pub fn by_day_and_place(&self, job: Uuid, kind: HourlyKind) -> Vec<&Hours> {
        let mut lines: Vec<&Hours> = self.of_line(job, kind).collect();
        if lines.iter().all(|line| line.date.is_none() && line.location.is_none()) {
            return Vec::new();
        }
        lines.sort_by_key(|line| (line.date, line.week, line.location));
        lines
    }

    /// Whether hours of this kind are entered by day, workweek or location, so that a single total would lose that detail.
    pub fn is_divided(&self, job: Uuid, kind: HourlyKind) -> bool {
        self.of_line(job, kind).any(|line| line.hours > Amount::ZERO && !line.is_whole())
    }

    pub(in crate::pay::payrolls) fn of_line(
        &self,
        job: Uuid,
        kind: HourlyKind,
    ) -> impl Iterator<Item = &Hours> {
        self.hourly.iter().filter(move |line| line.is_of(job, kind))
    }
}

/// Returns a job's hours of a kind in all workweeks together, as classified.
pub fn classified_hours(job: &Job, pay: &JobPaid, kind: HourlyKind) -> Amount {
    let of = |worked: &Worked| match kind {
        HourlyKind::Regular => worked.regular,
        HourlyKind::Overtime => worked.overtime,
        HourlyKind::DoubleOvertime => worked.double_overtime,
    };
    job.worked.iter().map(of).sum::<Amount>() + pay.hours[kind.kind_index()]
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    fn line(week: Option<Date>, date: Option<Date>, location: Option<Uuid>) -> Hours {
        Hours {
            job: Uuid::nil(),
            kind: HourlyKind::Regular,
            week,
            date,
            location,
            hours: Amount::from_cents(800),
        }
    }

    #[test]
    fn hours_are_stored_with_their_days_and_locations() {
        let whole = serde_json::to_value(line(None, None, None)).unwrap();
        assert_eq!(whole.as_object().unwrap().len(), 3, "{whole}");
        let day = line(None, Some(date(2026, 6, 1)), Some(Uuid::max()));
        assert_eq!(serde_json::from_value::<Hours>(serde_json::to_value(day).unwrap()).unwrap(), day);
    }

    #[test]
    fn lines_of_different_days_and_locations_coexist() {
        let (first, second) = (date(2026, 6, 1), date(2026, 6, 2));
        let day = line(None, Some(first), None);
        assert!(day.replaces_line(&day));
        assert!(!day.replaces_line(&line(None, Some(second), None)));
        assert!(!day.replaces_line(&line(None, Some(first), Some(Uuid::nil()))));
        assert!(!line(None, None, None).replaces_line(&line(None, None, Some(Uuid::nil()))));
        // Another way of entering them replaces the previous one.
        assert!(
            day.replaces_line(&line(Some(first), None, None)) && day.replaces_line(&line(None, None, None))
        );
        assert!(
            line(None, None, None).replaces_line(&day) && line(Some(first), None, None).replaces_line(&day)
        );
        assert!(!day.replaces_line(&Hours { kind: HourlyKind::Overtime, ..line(None, None, None) }));
    }

    #[test]
    fn hours_by_workweek_count_on_its_days_within_the_pay_period() {
        let period = Days { first: date(2026, 6, 3), last: date(2026, 6, 16) };
        let week = |day| line(Some(date(2026, 6, day)), None, None).days_worked(period);
        assert_eq!(week(1), Days { first: date(2026, 6, 3), last: date(2026, 6, 7) });
        assert_eq!(week(15), Days { first: date(2026, 6, 15), last: date(2026, 6, 16) });
        assert_eq!(line(None, None, None).days_worked(period), period);
    }
}
