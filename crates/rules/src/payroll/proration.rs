//! The part of a pay period that a payroll pays, for the proration of salaries.

use jiff::civil::Date;

use super::input::Job;
use super::schedule::{PaySchedule, days_between};
use crate::amount::{Amount, Rounding};
use crate::days::Days;
use crate::employment::Held;
use crate::withholding::federal::PayFrequency;

/// How the days of a payroll relate to pay periods.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proration {
    /// A whole pay period.
    Whole,
    /// Part of a pay period of this many days.
    PartOf(i64),
    /// The days before the first pay period of a schedule. However many they are, they are divided into pay periods of its frequency,
    /// counted back from their last day.
    LeadingUp,
}

/// Days of one pay period on which a job was held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    /// First day.
    pub from: Date,
    /// Last day.
    pub until: Date,
    /// Days of the pay period.
    pub of: i64,
}

impl Share {
    /// Returns the days of the share and of the pay period; 1 and 1 if the share is the whole pay period.
    pub fn day_fraction(&self) -> (i64, i64) {
        let days = inclusive_days(self.from, self.until);
        if days == self.of { (1, 1) } else { (days, self.of) }
    }
}

/// Returns the days of a payroll on which a job was held, by pay period, without breaks between leaving and returning.
pub fn employment_shares(
    payroll: Days,
    (frequency, proration): (PayFrequency, Proration),
    days: &Held,
) -> Vec<Share> {
    let periods = pay_period_shares(payroll, (frequency, proration));
    let held = days.days(payroll);
    let within = |Days { first, last }: Days| {
        let clipped =
            move |one: &Share| Share { from: one.from.max(first), until: one.until.min(last), ..*one };
        periods.iter().map(clipped).filter(|share| share.from <= share.until)
    };
    held.into_iter().flat_map(within).collect()
}

/// Returns the pay periods of the days of a payroll; the first may begin before it.
fn pay_period_shares(
    Days { first: start, last: end }: Days,
    (frequency, proration): (PayFrequency, Proration),
) -> Vec<Share> {
    let of_whole = |of| vec![Share { from: start, until: end, of }];
    match proration {
        Proration::Whole => of_whole(inclusive_days(start, end)),
        Proration::PartOf(of) => of_whole(of),
        Proration::LeadingUp => PaySchedule::ending_on(frequency, end)
            .periods(start, end)
            .map(|period| Share { from: period.start, until: period.end, of: period.days().into() })
            .collect(),
    }
}

/// Returns the number of pay periods in the days of a payroll, as a fraction. `None` on overflow.
pub fn periods_paid(payroll: Days, by: (PayFrequency, Proration)) -> Option<(i64, i64)> {
    sum_of_parts(periods_within(payroll, by))
}

/// Returns the pay periods of a payroll, with the first one cut to begin no earlier than the payroll.
fn periods_within(payroll: Days, by: (PayFrequency, Proration)) -> impl Iterator<Item = Share> {
    pay_period_shares(payroll, by)
        .into_iter()
        .map(move |share| Share { from: share.from.max(payroll.first), ..share })
}

fn sum_of_parts(mut shares: impl Iterator<Item = Share>) -> Option<(i64, i64)> {
    shares.try_fold((0_i64, 1_i64), |(sum, of), share| {
        let (days, of_days) = share.day_fraction();
        let sum = sum.checked_mul(of_days)?.checked_add(days.checked_mul(of)?)?;
        let of = of.checked_mul(of_days)?;
        let shared = greatest_divisor(sum, of);
        Some((sum / shared, of / shared))
    })
}

/// The number of pay periods that a paycheck pays: one, or, in a transition between two schedules, several or part of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PeriodsPaid {
    /// Length of a pay period.
    pub frequency: PayFrequency,
    /// Number of pay periods, as a fraction.
    number: (i64, i64),
}

impl PeriodsPaid {
    /// Returns one pay period.
    pub const fn one_period(frequency: PayFrequency) -> Self {
        Self { frequency, number: (1, 1) }
    }

    /// Returns the pay periods of a payroll in which any job was held on any day. A pay period counts as a whole however many of
    /// its days were worked, as in a regular payroll.
    pub fn periods_of_jobs(
        payroll: Days,
        (frequency, proration): (PayFrequency, Proration),
        jobs: &[Job],
    ) -> Self {
        if proration == Proration::Whole {
            return Self::one_period(frequency);
        }
        let held: Vec<_> = jobs.iter().flat_map(|job| job.days_held().days(payroll)).collect();
        let periods = periods_within(payroll, (frequency, proration));
        let worked =
            |share: &Share| held.iter().any(|days| days.first <= share.until && share.from <= days.last);
        let number = sum_of_parts(periods.filter(|share| held.is_empty() || worked(share)));
        Self { frequency, number: number.filter(|(number, _)| *number > 0).unwrap_or((1, 1)) }
    }

    /// Whether it is one pay period.
    pub fn is_one(self) -> bool {
        self.number == (1, 1)
    }

    /// Returns the number of pay periods, as a fraction.
    pub fn number(self) -> (i64, i64) {
        self.number
    }

    /// Returns how many units fall in these pay periods, as a fraction, if there are `times` a year.
    pub fn of_year(self, times: i64) -> (i64, i64) {
        let (number, of) = self.number;
        (times * number, self.frequency.periods_per_year() * of)
    }

    /// Converts an amount for all pay periods to one for each, half up. `None` on overflow.
    pub fn amount_for_each(self, of_all: Amount) -> Option<Amount> {
        let (number, of) = self.number;
        to_cents(of_all, of, number)
    }

    /// Converts an amount for each pay period to one for all, half up. `None` on overflow.
    pub fn amount_for_all(self, of_each: Amount) -> Option<Amount> {
        let (number, of) = self.number;
        to_cents(of_each, number, of)
    }
}

fn to_cents(amount: Amount, times: i64, of: i64) -> Option<Amount> {
    let product = i128::from(amount.millionths()).checked_mul(times.into())?;
    Amount::from_cents_ratio(product, i128::from(of) * 10_000, Rounding::HalfUp)
}

fn greatest_divisor(one: i64, other: i64) -> i64 {
    if other == 0 { one.max(1) } else { greatest_divisor(other, one % other) }
}

fn inclusive_days(from: Date, until: Date) -> i64 {
    i64::from(days_between(from, until)) + 1
}

#[cfg(test)]
#[path = "proration_tests.rs"]
mod tests;
