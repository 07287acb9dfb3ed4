//! The kinds of lines, and their names.

use rules::{Violation, check};
use serde::{Deserialize, Serialize};
use serde_json::Number;

/// Declares the kinds of a line: enums that are stored by name.
macro_rules! kinds {
    ($($(#[$about:meta])* $name:ident { $($(#[$variant_about:meta])* $variant:ident = $text:literal,)+ })+) => {$(
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum $name {
            $($(#[$variant_about])* #[serde(rename = $text)] $variant,)+
        }

        impl $name {
            /// Every kind, in the order in which lines are shown.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// Returns the name of the line.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)+
                }
            }

            /// Returns the kind that a line names, ignoring case.
            pub(in crate::pay::payrolls) fn check(key: &str, name: &str) -> Result<Self, Violation> {
                let found = |name: &str| {
                    Self::ALL.iter().copied().find(|kind| kind.as_str().eq_ignore_ascii_case(name))
                };
                check::parse_named(key, name, &[$($text),+], found)
            }
        }
    )+};
}

kinds! {
    /// Hours worked.
    HourlyKind {
        /// at the regular rate
        Regular = "Regular Hours",
        /// at 1.5 times the rate
        Overtime = "Overtime",
        /// at twice the rate
        DoubleOvertime = "Double overtime",
    }

    /// Lines of pay that are amounts.
    FixedKind {
        /// a bonus
        Bonus = "Bonus",
        /// a commission
        Commission = "Commission",
        /// tips paid with the paycheck
        PaycheckTips = "Paycheck Tips",
        /// tips that the employee has already received
        CashTips = "Cash Tips",
        /// a correction of an earlier paycheck
        Correction = "Correction Payment",
        /// tops up pay to the minimum wage; set only by calculations
        MinimumWageAdjustment = "Minimum Wage Adjustment",
    }

    /// Hours without work.
    TimeOffKind {
        /// vacation
        Vacation = "Vacation Hours",
        /// sick leave
        Sick = "Sick Hours",
        /// holidays
        Holiday = "Holiday Hours",
        /// leave without pay
        Unpaid = "Unpaid Leave Hours",
    }
}

impl HourlyKind {
    /// Returns its index among the kinds.
    pub const fn kind_index(self) -> usize {
        match self {
            Self::Regular => 0,
            Self::Overtime => 1,
            Self::DoubleOvertime => 2,
        }
    }

    /// Returns the rate multiplier in tenths.
    pub const fn multiplier_tenths(self) -> i64 {
        match self {
            Self::Regular => 10,
            Self::Overtime => 15,
            Self::DoubleOvertime => 20,
        }
    }
}

/// Names of hourly lines with their multiplier in tenths.
pub const HOURLY: [(&str, i64); 3] = {
    const fn kind_with_multiplier(kind: HourlyKind) -> (&'static str, i64) {
        (kind.as_str(), kind.multiplier_tenths())
    }
    [
        kind_with_multiplier(HourlyKind::Regular),
        kind_with_multiplier(HourlyKind::Overtime),
        kind_with_multiplier(HourlyKind::DoubleOvertime),
    ]
};

/// Returns a multiplier in tenths as a JSON number: 1, 1.5 or 2.
pub fn multiplier_number(tenths: i64) -> Number {
    let text =
        if tenths % 10 == 0 { (tenths / 10).to_string() } else { format!("{}.{}", tenths / 10, tenths % 10) };
    text.parse().unwrap_or_else(|_| Number::from(0))
}

/// Names of lines of pay that are amounts; the adjustment is set only by calculations.
pub const FIXED: [&str; 6] = [
    FixedKind::Bonus.as_str(),
    FixedKind::Commission.as_str(),
    FixedKind::PaycheckTips.as_str(),
    FixedKind::CashTips.as_str(),
    FixedKind::Correction.as_str(),
    FixedKind::MinimumWageAdjustment.as_str(),
];
/// Names of lines of pay that can be entered: every company has these earning types.
pub const ENTERED_FIXED: [&str; 5] = [FIXED[0], FIXED[1], FIXED[2], FIXED[3], FIXED[4]];
/// Name of the line that also reports reimbursed expenses before version 2025-11-15.
pub const REIMBURSEMENT: &str = "Reimbursement";
/// Name of the line for the overtime premium that a bonus adds to earlier workweeks; set only by calculations.
pub const RECALCULATED_PREMIUM: &str = "Recalculated Overtime Premium";
/// Names of lines of paid time off, which every company has.
pub const TIME_OFF: [&str; 3] =
    [TimeOffKind::Vacation.as_str(), TimeOffKind::Sick.as_str(), TimeOffKind::Holiday.as_str()];
/// Names of lines of time off that can be entered.
pub const ENTERED_TIME_OFF: [&str; 4] = [TIME_OFF[0], TIME_OFF[1], TIME_OFF[2], TimeOffKind::Unpaid.as_str()];

#[cfg(test)]
mod tests {
    use rules::payroll::{FixedKind as PaidAs, MINIMUM_WAGE_ADJUSTMENT};

    use super::*;

    #[test]
    fn lines_are_stored_by_name() {
        let stored = serde_json::to_value(HourlyKind::DoubleOvertime).unwrap();
        assert_eq!(stored, "Double overtime");
        assert_eq!(serde_json::from_value::<HourlyKind>(stored).unwrap(), HourlyKind::DoubleOvertime);
        assert_eq!(FixedKind::MinimumWageAdjustment.as_str(), MINIMUM_WAGE_ADJUSTMENT);
        assert_eq!(PaidAs::of_name(FixedKind::CashTips.as_str()), PaidAs::CashTips);
        assert_eq!(HourlyKind::check("name", "overtime"), Ok(HourlyKind::Overtime));
    }
}
