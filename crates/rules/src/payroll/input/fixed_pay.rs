//! Lines of fixed pay and their kinds.

use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::is_false;
use crate::amount::Amount;
use crate::days::Days;
use crate::named::serde_by_name;

/// A fixed line of pay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FixedPay {
    /// Kind.
    pub kind: FixedKind,
    /// Index in `Employee::jobs`.
    pub job: usize,
    /// Dollars.
    pub amount: Amount,
    /// Whether 29 USC 207(e) excludes it from the regular rate: discretionary bonuses, gifts and the like.
    #[serde(default, skip_serializing_if = "is_false")]
    pub excluded: bool,
    /// First and last day of the time in which it was earned; `None` for the workweeks that the payroll settles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earned: Option<Days>,
}

impl FixedPay {
    /// Creates pay that counts towards the regular rate of the workweeks that the payroll settles.
    pub const fn new(kind: FixedKind, job: usize, amount: Amount) -> Self {
        Self { kind, job, amount, excluded: false, earned: None }
    }
}

/// Kinds of fixed pay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum FixedKind {
    /// Tips paid with the check.
    #[strum(serialize = "paycheck_tips")]
    PaycheckTips,
    /// Tips the employee already has: wages, but not paid again.
    #[strum(serialize = "cash_tips")]
    CashTips,
    /// Adjustment of a previous calculation; ignored, because it is recalculated.
    #[strum(serialize = "minimum_wage_adjustment")]
    MinimumWageAdjustment,
    /// A bonus.
    #[strum(serialize = "bonus")]
    Bonus,
    /// Commission, correction or any other wages.
    #[strum(serialize = "earnings")]
    Earnings,
    /// Regular wages given as an amount, because another provider paid them.
    #[strum(serialize = "wages")]
    Wages,
}

serde_by_name!(FixedKind);

/// Name of the minimum wage adjustment line.
pub const MINIMUM_WAGE_ADJUSTMENT: &str = "Minimum Wage Adjustment";

impl FixedKind {
    /// Returns the kind of a line by name, case-insensitive.
    pub fn of_name(name: &str) -> Self {
        let named = [
            ("Paycheck Tips", Self::PaycheckTips),
            ("Cash Tips", Self::CashTips),
            (MINIMUM_WAGE_ADJUSTMENT, Self::MinimumWageAdjustment),
            ("Bonus", Self::Bonus),
        ];
        let found = named.into_iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map_or(Self::Earnings, |(_, kind)| kind)
    }

    /// Whether the line is tips.
    pub fn is_tips(self) -> bool {
        matches!(self, Self::PaycheckTips | Self::CashTips)
    }

    /// Whether the line is supplemental wages. Tips and overtime are treated as regular wages, as 26 CFR
    /// 31.3402(g)-1(a)(1)(iv) and (v) permit.
    pub fn is_supplemental(self) -> bool {
        matches!(self, Self::Bonus | Self::Earnings)
    }
}
