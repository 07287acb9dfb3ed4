//! How often wages are paid.

/// How often wages are paid, which decides what a paycheck comes to in a year.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PayFrequency {
    /// 52 paychecks a year.
    EveryWeek,
    /// 26 paychecks a year.
    EveryOtherWeek,
    /// 24 paychecks a year.
    TwicePerMonth,
    /// 12 paychecks a year.
    Monthly,
    /// 4 paychecks a year.
    Quarterly,
    /// 2 paychecks a year.
    Semiannually,
    /// 1 paycheck a year.
    Annually,
    /// 260 paychecks a year: five working days in each of 52 weeks.
    Daily,
}

impl PayFrequency {
    /// Every frequency, in the order in which messages list them.
    pub const ALL: [Self; 8] = [
        Self::EveryWeek,
        Self::EveryOtherWeek,
        Self::TwicePerMonth,
        Self::Monthly,
        Self::Quarterly,
        Self::Semiannually,
        Self::Annually,
        Self::Daily,
    ];

    /// The text that stands in requests and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::EveryWeek => "Every week",
            Self::EveryOtherWeek => "Every other week",
            Self::TwicePerMonth => "Twice per month",
            Self::Monthly => "Monthly",
            Self::Quarterly => "Quarterly",
            Self::Semiannually => "Semiannually",
            Self::Annually => "Annually",
            Self::Daily => "Daily",
        }
    }

    /// The frequency of that exact text.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|frequency| frequency.as_str() == text)
    }

    /// Pay periods in a year. Source: IRS Publication 15-T, Worksheet 1A, Table 3; a yearly period is one.
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

    #[test]
    fn a_year_has_so_many_paychecks() {
        let periods = PayFrequency::ALL.map(PayFrequency::periods_per_year);
        assert_eq!(periods, [52, 26, 24, 12, 4, 2, 1, 260]);
    }

    #[test]
    fn the_words_of_requests_and_answers_are_the_same() {
        for frequency in PayFrequency::ALL {
            assert_eq!(PayFrequency::parse(frequency.as_str()), Some(frequency));
        }
        assert_eq!(PayFrequency::parse("weekly"), None);
    }
}
