//! Pay schedules: pay periods and pay dates.
//!
//! A schedule is defined by an anchor pay period: its last day and pay date. All others are derived from it
//! and numbered from 0 at the anchor ([`PaySchedule::period`]). Periods are contiguous and do not overlap.
//!
//! - Weekly and biweekly: both dates advance by 7 or 14 days.
//! - Monthly, quarterly and annually: both dates keep their day of the month, or the last one in shorter
//!   months. If the anchor period ends on the last day of its month, all periods do.
//! - Twice per month: there are two pay days (`day_1` and `day_2`; 31 is the last day of the month) and two
//!   period ends, half a month apart: the anchor's and, if that is the 15th or the last of the month, the
//!   other of the two, otherwise the day 15 days before or after it.
//!
//! Pay dates that are not banking days ([`super::holidays`]) move to the previous banking day.

use jiff::civil::{Date, date};
use jiff::{Span, ToSpan};

use super::holidays::{self, is_banking_day};
use crate::Named;
use crate::violation::{Checks, Violation};
use crate::withholding::federal::PayFrequency;

/// Frequencies of pay schedules, in the order of messages.
pub const FREQUENCIES: [PayFrequency; 6] = [
    PayFrequency::EveryWeek,
    PayFrequency::EveryOtherWeek,
    PayFrequency::TwicePerMonth,
    PayFrequency::Monthly,
    PayFrequency::Quarterly,
    PayFrequency::Annually,
];
/// Maximum number of days between the end of a pay period and its pay date.
pub const MAX_ARREARS: i32 = 60;
/// Maximum number of pay periods in a preview: ten years of weeks.
pub const MAX_PREVIEW: usize = 530;
/// Default number of banking days from the payroll deadline to the pay date.
pub const BANKING_DAYS: u8 = 2;
/// Day of the month that means its last day.
const LAST: i8 = 31;

/// Definition of a pay schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PayScheduleTerms {
    /// One of [`FREQUENCIES`].
    pub frequency: PayFrequency,
    /// First pay date, before or after moving to a banking day.
    pub anchor_pay_date: Date,
    /// Last day of the pay period paid on that date.
    pub anchor_end_of_pay_period: Date,
    /// Monthly and Twice per month: pay day, as a day of the month
    pub day_1: Option<i8>,
    /// Twice per month: second pay day
    pub day_2: Option<i8>,
}

/// A validated pay schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PaySchedule {
    frequency: PayFrequency,
    rhythm: Rhythm,
    /// Pay date of the anchor, before moving to a banking day.
    anchor_pay_date: Date,
    anchor_end: Date,
}

/// Recurrence of dates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rhythm {
    Days(i32),
    /// Every so many months, on these days of the month.
    Months {
        step: i32,
        pay_day: i8,
        end_day: i8,
    },
    /// Both ascending.
    Halves {
        pay_days: [i8; 2],
        end_days: [i8; 2],
    },
}

/// A pay period; dates are inclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PayPeriod {
    /// First day.
    pub start: Date,
    /// Last day.
    pub end: Date,
    /// Pay date.
    pub check_date: Date,
}

impl PayPeriod {
    /// Returns the number of days in the period.
    pub fn days(&self) -> i32 {
        days_between(self.start, self.end) + 1
    }

    /// Returns the payroll deadline: `banking_days` before the pay date.
    pub fn run_payroll_by(&self, banking_days: u8) -> Date {
        holidays::banking_days_before(self.check_date, banking_days)
    }
}

/// A preview of a pay schedule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview {
    /// Periods in order.
    pub periods: Vec<PayPeriod>,
    /// Bank holidays in the range.
    pub holidays: Vec<Date>,
}

impl PaySchedule {
    /// Creates a schedule.
    ///
    /// # Errors
    /// All violations, by field:
    /// - `frequency` is one of [`FREQUENCIES`];
    /// - `day_1` and `day_2` are days of a month (1 to 31); Twice per month needs two different ones, Monthly
    ///   may have `day_1`, and other frequencies have none;
    /// - the anchor pay date falls on such a day, not before the period begins and at most [`MAX_ARREARS`]
    ///   days after it ends;
    /// - the years are 1900 to 2200.
    pub fn new(terms: &PayScheduleTerms) -> Result<Self, Vec<Violation>> {
        let mut checks = Checks::new();
        checks.extend(check_days(terms));
        for (key, day) in [
            ("anchor_pay_date", terms.anchor_pay_date),
            ("anchor_end_of_pay_period", terms.anchor_end_of_pay_period),
        ] {
            checks.require((1900..=2200).contains(&day.year()), || {
                Violation::invalid(key, format!("{key} must be in the years 1900 to 2200"))
            });
        }
        checks.finish()?;
        let rhythm = derive_rhythm(terms).map_err(|violation| vec![violation])?;
        let schedule = Self {
            frequency: terms.frequency,
            rhythm,
            anchor_pay_date: terms.anchor_pay_date,
            anchor_end: terms.anchor_end_of_pay_period,
        };
        let anchor = schedule.period(0);
        let late = days_between(anchor.end, terms.anchor_pay_date);
        if terms.anchor_pay_date < anchor.start || late > MAX_ARREARS {
            let message = format!(
                "anchor_pay_date must be from the first day of the pay period ({}) until {MAX_ARREARS} days after \
                 its last",
                anchor.start
            );
            return Err(vec![Violation::invalid("anchor_pay_date", message)]);
        }
        Ok(schedule)
    }

    /// Returns a schedule with a pay period that ends on `end`, for calculations that do not depend on pay dates.
    pub fn ending_on(frequency: PayFrequency, end: Date) -> Self {
        let end_day = end_day_of(end);
        let by_month = |step| Rhythm::Months { step, pay_day: end_day, end_day };
        let rhythm = match frequency {
            PayFrequency::Daily => Rhythm::Days(1),
            PayFrequency::EveryWeek => Rhythm::Days(7),
            PayFrequency::EveryOtherWeek => Rhythm::Days(14),
            PayFrequency::TwicePerMonth => {
                let end_days = ends_of_halves(end_day);
                Rhythm::Halves { pay_days: end_days, end_days }
            }
            PayFrequency::Monthly => by_month(1),
            PayFrequency::Quarterly => by_month(3),
            PayFrequency::Semiannually => by_month(6),
            PayFrequency::Annually => by_month(12),
        };
        Self { frequency, rhythm, anchor_pay_date: end, anchor_end: end }
    }

    /// Returns the frequency.
    pub fn frequency(&self) -> PayFrequency {
        self.frequency
    }

    /// Returns the pay period with a number: 0 is the anchor, 1 the next, -1 the previous one.
    pub fn period(&self, number: i32) -> PayPeriod {
        let start = add_span(self.period_end(number - 1), 1.day());
        PayPeriod {
            start,
            end: self.period_end(number),
            check_date: holidays::banking_day_until(self.pay_date(number)),
        }
    }

    /// Returns the number of the pay period containing a day.
    pub fn number_of(&self, day: Date) -> i32 {
        let mut number = match self.rhythm {
            Rhythm::Days(days) => days_between(self.anchor_end, day).div_euclid(days),
            Rhythm::Months { step, .. } => months_between(self.anchor_end, day).div_euclid(step),
            Rhythm::Halves { .. } => months_between(self.anchor_end, day) * 2,
        };
        // The estimate is off by a few periods at most, due to days of the month.
        while self.period_end(number) < day {
            number += 1;
        }
        while self.period_end(number - 1) >= day {
            number -= 1;
        }
        number
    }

    /// Returns the pay period containing a day.
    pub fn period_of(&self, day: Date) -> PayPeriod {
        self.period(self.number_of(day))
    }

    /// Returns the pay periods that overlap a range of days, in order.
    pub fn periods(&self, from: Date, until: Date) -> impl Iterator<Item = PayPeriod> + '_ {
        (self.number_of(from)..)
            .map(|number| self.period(number))
            .take_while(move |period| period.start <= until)
    }

    /// Returns the periods that end on or after `from` and are paid by `until`, at most [`MAX_PREVIEW`], with
    /// bank holidays.
    pub fn preview_periods(&self, from: Date, until: Date) -> Preview {
        let coming = (self.number_of(from)..).map(|number| self.period(number));
        let periods = coming.take_while(|period| period.check_date <= until).take(MAX_PREVIEW).collect();
        Preview { periods, holidays: holidays::weekday_holidays(from, until) }
    }

    fn period_end(&self, number: i32) -> Date {
        match self.rhythm {
            Rhythm::Days(days) => {
                add_span(self.anchor_end, i64::from(number).saturating_mul(i64::from(days)).days())
            }
            Rhythm::Months { step, end_day, .. } => {
                in_month(self.anchor_end, number.saturating_mul(step), end_day)
            }
            Rhythm::Halves { end_days, .. } => half_month_date(self.anchor_end, end_days, number),
        }
    }

    /// Returns the pay date before moving to a banking day.
    fn pay_date(&self, number: i32) -> Date {
        match self.rhythm {
            Rhythm::Days(days) => {
                add_span(self.anchor_pay_date, i64::from(number).saturating_mul(i64::from(days)).days())
            }
            Rhythm::Months { step, pay_day, .. } => {
                let anchor =
                    nominal_pay_day(self.anchor_pay_date, &[pay_day]).unwrap_or(self.anchor_pay_date);
                in_month(anchor, number.saturating_mul(step), pay_day)
            }
            Rhythm::Halves { pay_days, .. } => {
                let anchor = nominal_pay_day(self.anchor_pay_date, &pay_days).unwrap_or(self.anchor_pay_date);
                half_month_date(anchor, pay_days, number)
            }
        }
    }
}

fn check_days(terms: &PayScheduleTerms) -> Vec<Violation> {
    use PayFrequency::{Monthly, TwicePerMonth};
    let mut checks = Checks::new();
    checks.require(FREQUENCIES.contains(&terms.frequency), || {
        let words: Vec<_> = FREQUENCIES.iter().map(|frequency| frequency.as_str()).collect();
        Violation::invalid("frequency", format!("frequency must be one of: {}", words.join(", ")))
    });
    let frequency = terms.frequency.as_str();
    let may = [
        ("day_1", terms.day_1, matches!(terms.frequency, Monthly | TwicePerMonth)),
        ("day_2", terms.day_2, terms.frequency == TwicePerMonth),
    ];
    for (key, day, allowed) in may {
        checks.require(day.is_none() || allowed, || {
            Violation::invalid(key, format!("{key} must be null with frequency {frequency}"))
        });
        checks.require(day.is_none_or(|day| (1..=LAST).contains(&day)), || {
            Violation::invalid(
                key,
                format!("{key} must be a day of the month from 1 to 31, where 31 is the last"),
            )
        });
        checks.require(day.is_some() || terms.frequency != TwicePerMonth, || {
            Violation::invalid(key, format!("{key} is required with frequency {frequency}"))
        });
    }
    checks.require(terms.day_1.is_none() || terms.day_1 != terms.day_2, || {
        Violation::invalid("day_2", "day_2 must be different from day_1")
    });
    checks.finish().err().unwrap_or_default()
}

fn derive_rhythm(terms: &PayScheduleTerms) -> Result<Rhythm, Violation> {
    let end = terms.anchor_end_of_pay_period;
    let end_day = end_day_of(end);
    let by_month = |step| {
        let pay = terms.anchor_pay_date;
        let pay_day = terms.day_1.unwrap_or(if pay == pay.last_of_month() { LAST } else { pay.day() });
        nominal_pay_day(pay, &[pay_day]).ok_or_else(|| not_a_pay_day("day_1"))?;
        Ok(Rhythm::Months { step, pay_day, end_day })
    };
    match terms.frequency {
        PayFrequency::EveryWeek => Ok(Rhythm::Days(7)),
        PayFrequency::EveryOtherWeek => Ok(Rhythm::Days(14)),
        PayFrequency::Quarterly => by_month(3),
        PayFrequency::Annually => by_month(12),
        PayFrequency::TwicePerMonth => {
            let mut pay_days = [terms.day_1.unwrap_or(15), terms.day_2.unwrap_or(LAST)];
            pay_days.sort_unstable();
            nominal_pay_day(terms.anchor_pay_date, &pay_days)
                .ok_or_else(|| not_a_pay_day("day_1 or day_2"))?;
            Ok(Rhythm::Halves { pay_days, end_days: ends_of_halves(end_day) })
        }
        // Other frequencies were rejected earlier.
        _ => by_month(1),
    }
}

/// Returns the day of the month on which pay periods end, given the end of one of them.
fn end_day_of(end: Date) -> i8 {
    if end == end.last_of_month() { LAST } else { end.day() }
}

/// Returns, in order, the two days of the month on which half-months end, given one of them.
fn ends_of_halves(end_day: i8) -> [i8; 2] {
    let other = match end_day {
        15 => LAST,
        LAST => 15,
        day if day < 15 => day + 15,
        day => day - 15,
    };
    [end_day.min(other), end_day.max(other)]
}

fn not_a_pay_day(days: &str) -> Violation {
    let message =
        format!("anchor_pay_date must be {days} of its month, or the banking day to which that is moved");
    Violation::invalid("anchor_pay_date", message)
}

/// Returns the pay day of a pay date: the date itself if it is one of the days of the month, or the day from
/// which it was moved to a banking day.
fn nominal_pay_day(paid: Date, days: &[i8]) -> Option<Date> {
    let months =
        [0, 1].into_iter().flat_map(|months| days.iter().map(move |day| in_month(paid, months, *day)));
    let candidates: Vec<Date> = months.collect();
    let is_moved = |day: &Date| is_banking_day(paid) && holidays::banking_day_until(*day) == paid;
    candidates.iter().copied().find(|day| *day == paid).or_else(|| candidates.into_iter().find(is_moved))
}

/// Returns the given day of the month `months` months later, or the last day of a shorter month.
fn in_month(anchor: Date, months: i32, day: i8) -> Date {
    let month = add_span(anchor.first_of_month(), i64::from(months).months());
    date(month.year(), month.month(), day.min(month.days_in_month()))
}

/// Returns the date `number` half-months after `anchor`, which falls on one of the days.
fn half_month_date(anchor: Date, days: [i8; 2], number: i32) -> Date {
    let is_second = in_month(anchor, 0, days[0]) != anchor;
    let halves = number.saturating_add(i32::from(is_second));
    let day = if halves.rem_euclid(2) == 0 { days[0] } else { days[1] };
    in_month(anchor, halves.div_euclid(2), day)
}

/// Saturates at the end of the calendar.
fn add_span(day: Date, span: Span) -> Date {
    day.saturating_add(span)
}

/// Returns the days between two dates; negative if `to` is earlier.
pub(super) fn days_between(from: Date, to: Date) -> i32 {
    (to - from).get_days()
}

fn months_between(from: Date, to: Date) -> i32 {
    let months = |day: Date| i32::from(day.year()) * 12 + i32::from(day.month());
    months(to) - months(from)
}

#[cfg(test)]
#[path = "schedule_tests.rs"]
mod tests;
