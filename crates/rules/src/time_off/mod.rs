//! Paid time off: how hours are accrued and limited, and what happens to them at year end and on termination.
//!
//! Hours are [`Amount`]s with at most three decimal places. Earned hours are rounded up to the next thousandth, so that a
//! policy with the exact terms of a statute never gives less than required. A balance is the sum of its changes ([`Reason`]);
//! hours taken under an unlimited policy are recorded separately.

mod minimum;
mod request;
mod terms;

pub use minimum::{SickLeaveMinimum, SickLeaveTable};
pub use request::{RequestStatus, Reserve, check_range as range_of_request, parse_days as days_of_request};
pub use terms::{AccrualTerms, PolicyType, YearDay};

use jiff::civil::Date;
use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::amount::{Amount, Rounding};
use crate::full_time::HOURS_PER_YEAR;
use crate::named::serde_by_name;
use crate::ratio::Ratio;

/// Hours in a year of full-time work, used to convert a salary to hours.
const HOURS_OF_A_YEAR: Amount = Amount::from_millionths(HOURS_PER_YEAR * 1_000_000);
/// A thousandth of an hour, in millionths.
const THOUSANDTH: i64 = 1_000;

/// How hours are earned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum AccrualMethod {
    /// No balance; any number of hours can be taken.
    #[strum(serialize = "unlimited")]
    Unlimited,
    /// The same number of hours each pay period.
    #[strum(serialize = "per_pay_period")]
    PerPayPeriod,
    /// All at once at the start of the policy year.
    #[strum(serialize = "per_calendar_year")]
    PerCalendarYear,
    /// All at once on the hire anniversary.
    #[strum(serialize = "per_anniversary_year")]
    PerAnniversaryYear,
    /// Per hour worked, including overtime.
    #[strum(serialize = "per_hour_worked")]
    PerHourWorked,
    /// Per hour worked, excluding overtime.
    #[strum(serialize = "per_hour_worked_no_overtime")]
    PerHourWorkedNoOvertime,
    /// Per hour paid: hours worked, including overtime, and hours off.
    #[strum(serialize = "per_hour_paid")]
    PerHourPaid,
    /// Per hour paid, excluding overtime.
    #[strum(serialize = "per_hour_paid_no_overtime")]
    PerHourPaidNoOvertime,
}

serde_by_name!(AccrualMethod);

impl AccrualMethod {
    /// Whether hours are earned per hour worked or paid.
    pub fn is_hourly(self) -> bool {
        matches!(
            self,
            Self::PerHourWorked
                | Self::PerHourWorkedNoOvertime
                | Self::PerHourPaid
                | Self::PerHourPaidNoOvertime
        )
    }

    /// Whether all hours of a year are granted at once.
    pub fn is_yearly(self) -> bool {
        matches!(self, Self::PerCalendarYear | Self::PerAnniversaryYear)
    }
}

/// Why a balance changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum Reason {
    /// The opening balance of an employee in the policy.
    #[strum(serialize = "starting_balance")]
    Start,
    /// Earned.
    #[strum(serialize = "accrual")]
    Accrual,
    /// Taken, and paid by a payroll.
    #[strum(serialize = "used")]
    Use,
    /// Taken under an unlimited policy, and paid by a payroll. Does not change the balance.
    #[strum(serialize = "used_unlimited")]
    UnlimitedUse,
    /// Not taken, and paid out at the end of employment.
    #[strum(serialize = "paid_out")]
    Payout,
    /// Set manually.
    #[strum(serialize = "adjustment")]
    Adjustment,
    /// In excess of the carryover limit at the start of a new year, and lost.
    #[strum(serialize = "carryover")]
    CarryOver,
    /// The remaining balance, forfeited or transferred when the employee left the policy.
    #[strum(serialize = "removal")]
    Removal,
}

serde_by_name!(Reason);

impl Reason {
    /// Whether the hours change the balance.
    pub fn moves_balance(self) -> bool {
        self != Self::UnlimitedUse
    }
}

/// The hours of a paycheck that earn time off.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HoursPaid {
    /// Hours worked, excluding overtime.
    pub regular: Amount,
    /// Hours worked beyond those, at any rate.
    pub overtime: Amount,
    /// Hours off.
    pub off: Amount,
    /// Number of pay periods whose wages the paycheck pays, as a fraction: prorated for a transition to another schedule and for
    /// final wages within a period; `None` for a paycheck in addition to the one of a period.
    pub of_period: Option<(i64, i64)>,
}

/// The state of a balance.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Standing {
    /// Hours available; negative if more hours were taken than earned.
    pub balance: Amount,
    /// Hours earned since the start of the policy year.
    pub earned_in_year: Amount,
    /// Hours earned by other paychecks of the same pay period.
    pub earned_in_period: Amount,
}

/// Hours that a paycheck takes from a balance.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Taken {
    /// Hours off.
    pub used: Amount,
    /// Unused hours that are paid out.
    pub paid_out: Amount,
}

/// Effect of a paycheck on a balance.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Effect {
    /// Hours taken.
    pub taken: Taken,
    /// Hours earned.
    pub earned: Amount,
}

impl Effect {
    /// Returns the nonzero changes to the balance. Hours used come before hours earned because they make room for them.
    pub fn changes(&self) -> Vec<(Reason, Amount)> {
        let minus = |hours: Amount| Amount::from_millionths(-hours.millionths());
        let all = [
            (Reason::Use, minus(self.taken.used)),
            (Reason::Accrual, self.earned),
            (Reason::Payout, minus(self.taken.paid_out)),
        ];
        all.into_iter().filter(|(_, hours)| *hours != Amount::ZERO).collect()
    }

    /// Returns the balance after the paycheck; `None` on overflow.
    pub fn balance_after(&self, balance: Amount) -> Option<Amount> {
        self.changes().into_iter().try_fold(balance, |sum, (_, change)| sum.checked_add(change))
    }
}

/// A day on which a balance changes automatically.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn {
    /// The day.
    pub day: Date,
    /// Whether a policy year begins for which carryover is limited.
    pub carries_over: bool,
    /// Whether the hours of a year are granted.
    pub grants: bool,
}

impl AccrualTerms {
    /// Returns the effect of a paycheck. `begun` indicates whether the waiting period is over by the end of the pay period.
    /// `None` on overflow.
    pub fn paycheck_effect(
        &self,
        standing: Standing,
        hours: &HoursPaid,
        taken: Taken,
        begun: bool,
    ) -> Option<Effect> {
        let left = Standing { balance: standing.balance.checked_sub(taken.used)?, ..standing };
        let earned = if begun { self.earned_by(hours, standing.earned_in_period)? } else { Amount::ZERO };
        Some(Effect { taken, earned: self.within_limits(left, earned)? })
    }

    /// Returns the hours earned, before any limit. A pay period earns once regardless of its number of paychecks: hours already
    /// earned by the others are subtracted.
    fn earned_by(&self, hours: &HoursPaid, in_period: Amount) -> Option<Amount> {
        let HoursPaid { regular, overtime, off, of_period } = *hours;
        let counted = match self.method {
            AccrualMethod::Unlimited | AccrualMethod::PerCalendarYear | AccrualMethod::PerAnniversaryYear => {
                return Some(Amount::ZERO);
            }
            AccrualMethod::PerPayPeriod => {
                let (part, of) = of_period.unwrap_or((0, 1));
                let of_period = self.rate.mul_ratio(part, of, Rounding::Up).map(up_to_thousandth)?;
                return of_period.checked_sub(in_period).map(|left| left.max(Amount::ZERO));
            }
            AccrualMethod::PerHourWorked => regular.checked_add(overtime)?,
            AccrualMethod::PerHourWorkedNoOvertime => regular,
            AccrualMethod::PerHourPaid => regular.checked_add(overtime)?.checked_add(off)?,
            AccrualMethod::PerHourPaidNoOvertime => regular.checked_add(off)?,
        };
        let unit = self.rate_unit.filter(|unit| *unit > Amount::ZERO)?;
        self.rate.mul_ratio(counted.millionths(), unit.millionths(), Rounding::Up).map(up_to_thousandth)
    }

    /// Returns the part of earned hours that the yearly limit and the balance limit allow.
    pub fn within_limits(&self, standing: Standing, earned: Amount) -> Option<Amount> {
        let mut room = earned;
        if let Some(limit) = self.yearly_limit {
            room = room.min(limit.checked_sub(standing.earned_in_year)?);
        }
        if let Some(limit) = self.balance_limit {
            room = room.min(limit.checked_sub(standing.balance)?);
        }
        Some(room.max(Amount::ZERO))
    }

    /// Returns the hours of a year granted at once, within the balance limit.
    pub fn granted_hours(&self, balance: Amount) -> Option<Amount> {
        let hours = if self.method.is_yearly() { self.rate } else { Amount::ZERO };
        self.within_limits(Standing { balance, ..Standing::default() }, hours)
    }

    /// Returns the part of a balance that is lost at the start of a policy year.
    pub fn lost_hours(&self, balance: Amount) -> Option<Amount> {
        match self.carryover_limit {
            Some(limit) if balance > limit => balance.checked_sub(limit),
            _ => Some(Amount::ZERO),
        }
    }

    /// Returns the first day on which hours are earned.
    pub fn first_earning_day(&self, hired: Date) -> Date {
        hired.saturating_add(jiff::Span::new().days(self.waiting_days))
    }

    /// Returns the day on which the policy year begins: the reset day if set, the hire anniversary for policies per anniversary
    /// year, otherwise January 1.
    fn year_day(&self, hired: Date) -> YearDay {
        let anniversary = self.method == AccrualMethod::PerAnniversaryYear;
        self.reset.unwrap_or(if anniversary { YearDay::day_of_date(hired) } else { YearDay::FIRST })
    }

    /// Returns the first day of the policy year that contains `day`.
    pub fn year_of(&self, hired: Date, day: Date) -> Date {
        self.year_day(hired).latest_occurrence(day)
    }

    /// Returns the next day after `after` on which the balance of an employee hired on `hired` changes automatically; `None` if
    /// it never does. The first day of work, and the first after a return, is not an anniversary.
    pub fn next_turn(&self, hired: Date, after: Date) -> Option<Turn> {
        let after = if self.method == AccrualMethod::PerAnniversaryYear { after.max(hired) } else { after };
        let over = self.carryover_limit.map(|_| self.year_day(hired).next(after));
        let given = match self.method {
            AccrualMethod::PerCalendarYear => Some(self.year_day(hired).next(after)),
            AccrualMethod::PerAnniversaryYear => Some(YearDay::day_of_date(hired).next(after)),
            _ => None,
        };
        let day = [over, given].into_iter().flatten().min()?;
        Some(Turn { day, carries_over: over == Some(day), grants: given == Some(day) })
    }
}

/// Returns the hours that a salary counts as: 2,080 hours a year, prorated by the days employed in each pay period, less hours
/// off. `None` on overflow.
pub fn hours_of_salary(
    periods_a_year: i64,
    mut employed: impl Iterator<Item = (i64, i64)>,
    off: Amount,
) -> Option<Amount> {
    let hours = employed.try_fold(Ratio::ZERO, |sum, (days, of)| {
        sum.plus(Ratio::from_amount(HOURS_OF_A_YEAR).times(days, periods_a_year.checked_mul(of)?)?)
    })?;
    Some(hours.nearest_amount()?.checked_sub(off)?.max(Amount::ZERO))
}

fn up_to_thousandth(hours: Amount) -> Amount {
    let over = hours.millionths().rem_euclid(THOUSANDTH);
    let more = if over == 0 { 0 } else { THOUSANDTH - over };
    Amount::from_millionths(hours.millionths().saturating_add(more))
}

#[cfg(test)]
mod tests;
