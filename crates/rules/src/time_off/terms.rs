//! The terms of a policy, and checks for contradictions between them.

use std::fmt;

use jiff::ToSpan;
use jiff::civil::Date;
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::AccrualMethod;
use crate::amount::Amount;
use crate::named::serde_by_name;
use crate::violation::{Checks, Violation};

/// Purpose of time off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, VariantArray, IntoStaticStr, EnumString)]
pub enum PolicyType {
    /// Vacation.
    #[strum(serialize = "vacation")]
    Vacation,
    /// Sickness.
    #[strum(serialize = "sick")]
    Sick,
}

serde_by_name!(PolicyType);

/// A day that recurs every year. February 29 falls on February 28 in years without it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct YearDay {
    month: i8,
    day: i8,
}

impl YearDay {
    /// January 1.
    pub const FIRST: Self = Self { month: 1, day: 1 };

    /// Returns the day of a date.
    pub fn day_of_date(date: Date) -> Self {
        Self { month: date.month(), day: date.day() }
    }

    /// Parses `MM-DD`.
    pub fn parse(text: &str) -> Option<Self> {
        let (month, day) = text.split_once('-')?;
        let digits = |part: &str| part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit());
        if !digits(month) || !digits(day) {
            return None;
        }
        // A leap year has every day.
        Date::new(2024, month.parse().ok()?, day.parse().ok()?).ok().map(Self::day_of_date)
    }

    /// Returns the day as a number: 701 is July 1.
    pub fn sort_number(self) -> i64 {
        i64::from(self.month) * 100 + i64::from(self.day)
    }

    /// Returns the day for a number in the form of [`YearDay::sort_number`].
    pub fn of_number(number: i64) -> Option<Self> {
        let (month, day) = (i8::try_from(number / 100).ok()?, i8::try_from(number % 100).ok()?);
        Date::new(2024, month, day).ok().map(Self::day_of_date)
    }

    fn in_year(self, year: i16) -> Date {
        let last = || Date::new(year, self.month, 28).unwrap_or(Date::MAX);
        Date::new(year, self.month, self.day).unwrap_or_else(|_| last())
    }

    /// Returns the last occurrence on or before a date.
    pub(super) fn latest_occurrence(self, date: Date) -> Date {
        let this_year = self.in_year(date.year());
        if this_year <= date { this_year } else { self.in_year(date.saturating_sub(1.year()).year()) }
    }

    /// Returns the first occurrence after a date.
    pub(super) fn next(self, date: Date) -> Date {
        let this_year = self.in_year(date.year());
        if this_year > date { this_year } else { self.in_year(date.saturating_add(1.year()).year()) }
    }
}

impl fmt::Display for YearDay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02}-{:02}", self.month, self.day)
    }
}

/// How a policy accrues hours, and its limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AccrualTerms {
    /// How hours are earned.
    pub method: AccrualMethod,
    /// Hours per accrual; zero if time off is unlimited.
    pub rate: Amount,
    /// Hours worked or paid that earn `rate`; only with the hourly methods.
    pub rate_unit: Option<Amount>,
    /// Days of employment before hours are earned.
    pub waiting_days: i32,
    /// Maximum hours carried over into a new policy year; all hours without a limit.
    pub carryover_limit: Option<Amount>,
    /// Maximum hours earned in a policy year.
    pub yearly_limit: Option<Amount>,
    /// Maximum balance that accruals can reach.
    pub balance_limit: Option<Amount>,
    /// Day on which the policy year begins.
    pub reset: Option<YearDay>,
}

impl AccrualTerms {
    /// Adds a violation for each term that contradicts the method, keyed by its field in the public interface.
    pub fn check_terms(&self, checks: &mut Checks) {
        let method = self.method;
        let word = crate::Named::as_str(method);
        let mut absent = |key: &str, is_absent: bool| {
            checks.require(is_absent, || {
                Violation::invalid(key, format!("{key} must be null with accrual_method {word}"))
            });
        };
        if method == AccrualMethod::Unlimited {
            absent("accrual_rate", self.rate == Amount::ZERO);
            absent("carryover_limit_hours", self.carryover_limit.is_none());
            absent("max_hours", self.balance_limit.is_none());
            absent("policy_reset_date", self.reset.is_none());
        }
        if method == AccrualMethod::Unlimited || method.is_yearly() {
            absent("max_accrual_hours_per_year", self.yearly_limit.is_none());
            absent("accrual_waiting_period_days", self.waiting_days == 0);
        }
        if !method.is_hourly() {
            absent("accrual_rate_unit", self.rate_unit.is_none());
        }
        checks.require(method == AccrualMethod::Unlimited || self.rate > Amount::ZERO, || {
            let message = format!("accrual_rate must be more than 0 with accrual_method {word}");
            Violation::invalid("accrual_rate", message)
        });
        let unit = self.rate_unit.is_some_and(|unit| unit > Amount::ZERO);
        checks.require(!method.is_hourly() || unit, || {
            let message = format!("accrual_rate_unit must be more than 0 with accrual_method {word}");
            Violation::invalid("accrual_rate_unit", message)
        });
    }
}
