//! Jobs with their pay terms and hours worked.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::is_false;
use crate::amount::Amount;
use crate::compensation::PayTerms;
use crate::days::Days;
use crate::employment::Held;

/// A job with the hours worked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// First day of work.
    pub hired: Date,
    /// Last day of work, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<Date>,
    /// First and last day between leaving and returning, if both are in one pay period.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub away: Option<Days>,
    /// The same for further departures in the pay period, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub away_again: Vec<Days>,
    /// Compensations by effective date, at least one; the first also applies before its effective date.
    pub compensations: Vec<Compensation>,
    /// Compensations that take effect after the pay period, for hours that other payrolls have already paid.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub later: Vec<Compensation>,
    /// Hours worked, in non-overlapping ranges of days: paid as entered.
    pub worked: Vec<Worked>,
    /// Hours whose workweek is known, by day or within one workweek each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by_week: Vec<Worked>,
    /// Hours of the same workweeks that other payrolls have paid.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paid_before: Vec<PaidBefore>,
    /// Whether overtime at the rate in effect was agreed before the work (29 USC 207(g)(2)).
    #[serde(default, skip_serializing_if = "is_false")]
    pub agreed_overtime_rate: bool,
    /// Whether a salary covers all hours of a workweek, however many (29 CFR 778.114).
    #[serde(default, skip_serializing_if = "is_false")]
    pub fluctuating_workweek: bool,
    /// Paid time off, by line.
    pub time_off: Vec<TimeOff>,
}

impl Job {
    /// Returns the days on which the job is held.
    pub fn days_held(&self) -> Held {
        Held {
            from: self.hired,
            until: self.left,
            away: self.away.iter().chain(&self.away_again).copied().collect(),
        }
    }
}

/// Pay terms from an effective date.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compensation {
    /// Effective date.
    pub effective: Date,
    /// Pay terms.
    pub terms: PayTerms,
    /// Minimum wages for the adjustment, by effective date; empty without the adjustment.
    pub floors: Vec<Floor>,
}

/// Minimum wage for hourly pay from an effective date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Floor {
    /// Effective date.
    pub from: Date,
    /// Dollars per hour: the highest applicable minimum wage; zero from a date on which none applies.
    pub minimum_wage: Amount,
    /// Maximum tip credit in dollars per hour.
    pub tip_credit: Amount,
    /// Tips in dollars per hour that do not count; only tips above them may be credited.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub tips_from: Amount,
}

impl Floor {
    /// Whether another floor requires the same pay, regardless of the effective dates.
    pub fn is_like(&self, other: &Self) -> bool {
        let terms = |floor: &Self| (floor.minimum_wage, floor.tip_credit, floor.tips_from);
        terms(self) == terms(other)
    }
}

fn is_zero(amount: &Amount) -> bool {
    *amount == Amount::ZERO
}

/// Hours worked in a range of days.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Worked {
    /// First day.
    pub from: Date,
    /// Last day.
    pub until: Date,
    /// Regular hours.
    pub regular: Amount,
    /// Overtime hours, at 1.5 times the rate.
    pub overtime: Amount,
    /// Double overtime hours, at twice the rate.
    pub double_overtime: Amount,
}

impl Worked {
    /// Returns all hours. `None` on overflow.
    pub fn total_hours(&self) -> Option<Amount> {
        self.regular.checked_add(self.overtime)?.checked_add(self.double_overtime)
    }
}

/// Hours that another payroll has paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PaidBefore {
    /// The hours.
    #[serde(flatten)]
    pub worked: Worked,
    /// Position of that payroll among those that paid: hours count in the order in which they were paid.
    #[serde(default, skip_serializing_if = "is_first")]
    pub place: u16,
    /// Whether that payroll also paid their overtime; otherwise, the payroll that settles the workweek does.
    #[serde(default, skip_serializing_if = "is_false")]
    pub settled: bool,
}

impl PaidBefore {
    /// Creates hours that the first payroll of a workweek paid at straight time.
    pub fn at_straight_time(worked: Worked) -> Self {
        Self { worked, place: 0, settled: false }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_first(place: &u16) -> bool {
    *place == 0
}

/// Paid time off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeOff {
    /// Hours taken: included in a salary, added to hourly pay.
    pub hours: Amount,
    /// Unused hours paid out on termination.
    pub paid_out: Amount,
    /// The hours taken whose day is known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub days: Vec<DayOff>,
    /// Whether hours taken are paid at no less than the minimum wage, not counting tips.
    #[serde(default, skip_serializing_if = "is_false")]
    pub at_minimum_wage: bool,
    /// Whether the hours are leave without pay, which lowers a salary and adds nothing to hourly pay.
    #[serde(default, skip_serializing_if = "is_false")]
    pub unpaid: bool,
}

impl TimeOff {
    /// Creates time off from hours taken and hours paid out, with no further details.
    pub fn new(hours: Amount, paid_out: Amount) -> Self {
        Self { hours, paid_out, days: Vec::new(), at_minimum_wage: false, unpaid: false }
    }
}

/// Hours taken on a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DayOff {
    /// The day.
    pub day: Date,
    /// Hours.
    pub hours: Amount,
}
