//! Pay frequency.

use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::named::serde_by_name;

/// How often wages are paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, VariantArray, IntoStaticStr, EnumString)]
pub enum PayFrequency {
    /// 52 paychecks a year.
    #[strum(serialize = "Every week")]
    EveryWeek,
    /// 26 paychecks a year.
    #[strum(serialize = "Every other week")]
    EveryOtherWeek,
    /// 24 paychecks a year.
    #[strum(serialize = "Twice per month")]
    TwicePerMonth,
    /// 12 paychecks a year.
    #[strum(serialize = "Monthly")]
    Monthly,
    /// 4 paychecks a year.
    #[strum(serialize = "Quarterly")]
    Quarterly,
    /// 2 paychecks a year.
    #[strum(serialize = "Semiannually")]
    Semiannually,
    /// 1 paycheck a year.
    #[strum(serialize = "Annually")]
    Annually,
    /// 260 paychecks a year: five working days in each of 52 weeks.
    #[strum(serialize = "Daily")]
    Daily,
}

serde_by_name!(PayFrequency);

impl PayFrequency {
    /// Whether pay periods are one workweek or two.
    pub fn is_of_workweeks(self) -> bool {
        matches!(self, Self::EveryWeek | Self::EveryOtherWeek)
    }

    /// Returns the pay periods per year. Source: IRS Publication 15-T, Worksheet 1A, Table 3; an annual frequency has
    /// one.
    pub fn periods_per_year(self) -> i64 {
        match self {
            Self::EveryWeek => 52,
            Self::EveryOtherWeek => 26,
            Self::TwicePerMonth => 24,
            Self::Monthly => 12,
            Self::Quarterly => 4,
            Self::Semiannually => 2,
            Self::Annually => 1,
            Self::Daily => 260,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Named;

    #[test]
    fn a_year_has_so_many_paychecks() {
        let periods: Vec<_> = PayFrequency::ALL.iter().map(|one| one.periods_per_year()).collect();
        assert_eq!(periods, [52, 26, 24, 12, 4, 2, 1, 260]);
    }

    #[test]
    fn the_words_of_requests_and_answers_are_the_same() {
        for &frequency in PayFrequency::ALL {
            assert_eq!(PayFrequency::parse(frequency.as_str()), Some(frequency));
        }
        assert_eq!(PayFrequency::parse("weekly"), None);
    }
}
