//! The tax of counties that a state's formula includes: Maryland's, and its tax on nonresidents in place of it.

use super::step::{Row, Word};
use crate::amount::Amount;

/// The tax of a county, or what takes its place, which is part of the state's income tax.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountyTax {
    /// Key of the place in the table of local taxes, such as `MD-02`; empty for a rate of the certificate.
    pub place: String,
    /// Name, as a pay stub prints it.
    pub name: String,
    /// How it is calculated.
    pub method: CountyMethod,
    /// Whether it counts whatever rate the certificate has, as the rate of nonresidents does.
    pub whatever_certificate: bool,
    /// Source of the figures; empty for a rate of the certificate.
    pub source: String,
}

/// How the tax of a county is calculated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CountyMethod {
    /// A percentage of the taxable wages.
    Rate(Amount),
    /// Brackets of the taxable wages of a year.
    Schedule {
        /// For single returns.
        single: Vec<CountyBracket>,
        /// For joint returns.
        joint: Vec<CountyBracket>,
    },
}

/// A bracket of a county's schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CountyBracket {
    /// Taxable wages of a year above which it applies.
    pub from: Amount,
    /// Tax of a year at these wages.
    pub tax: Amount,
    /// Percentage of what is above them.
    pub percent: Amount,
}

impl CountyTax {
    /// Creates the tax at a rate of the certificate.
    pub(super) fn of_certificate(percent: Amount) -> Self {
        Self {
            place: String::new(),
            name: "county tax at the rate of the certificate".to_owned(),
            method: CountyMethod::Rate(percent),
            whatever_certificate: false,
            source: String::new(),
        }
    }

    /// Returns the tax that applies to an employee whose certificate has this rate: in a county with a schedule, a rate of the
    /// schedule stands for the schedule.
    pub(super) fn with_answer(county: Option<&Self>, answer: Option<Amount>) -> Option<Self> {
        let Some(answer) = answer else { return county.cloned() };
        let counts = |county: &&Self| county.whatever_certificate || county.has_bracket_of(answer);
        Some(county.filter(counts).cloned().unwrap_or_else(|| Self::of_certificate(answer)))
    }

    fn has_bracket_of(&self, percent: Amount) -> bool {
        match &self.method {
            CountyMethod::Rate(_) => false,
            CountyMethod::Schedule { single, joint } => {
                single.iter().chain(joint).any(|bracket| bracket.percent == percent)
            }
        }
    }

    /// Returns the highest percentage of the county, at which it taxes supplemental wages.
    pub(super) fn highest_percent(&self) -> Amount {
        match &self.method {
            CountyMethod::Rate(percent) => *percent,
            CountyMethod::Schedule { single, joint } => {
                let percents = single.iter().chain(joint).map(|bracket| bracket.percent);
                percents.max().unwrap_or(Amount::ZERO)
            }
        }
    }

    /// Returns the percentage that is added to the state's: that of the printed table at or next above the county's rate; zero for a
    /// county with a schedule.
    pub(super) fn percent_beside(&self, printed: &[Amount]) -> Amount {
        match &self.method {
            CountyMethod::Rate(percent) => {
                printed.iter().copied().find(|printed| printed >= percent).unwrap_or(*percent)
            }
            CountyMethod::Schedule { .. } => Amount::ZERO,
        }
    }

    /// Returns the schedule for the words of a certificate.
    pub(super) fn schedule(&self, word: Option<Word>, joint_word: Option<Word>) -> Option<Vec<Row>> {
        let CountyMethod::Schedule { single, joint } = &self.method else { return None };
        let is_joint = joint_word.is_some() && word == joint_word;
        let row = |bracket: &CountyBracket| Row {
            from: bracket.from,
            base: bracket.tax,
            percent: bracket.percent,
            over: bracket.from,
        };
        Some(if is_joint { joint } else { single }.iter().map(row).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn percent(text: &str) -> Amount {
        Amount::parse(text).unwrap()
    }

    fn schedule() -> CountyTax {
        let bracket = |from: &str, tax: &str, rate: &str| CountyBracket {
            from: percent(from),
            tax: percent(tax),
            percent: percent(rate),
        };
        let single = vec![bracket("0", "0", "2.7"), bracket("50000", "1350", "2.94")];
        CountyTax {
            place: "MD-02".to_owned(),
            name: "Anne Arundel county tax".to_owned(),
            method: CountyMethod::Schedule { joint: single.clone(), single },
            whatever_certificate: false,
            source: "a publication".to_owned(),
        }
    }

    #[test]
    fn a_rate_of_the_certificate_counts_before_the_address_unless_it_is_one_of_the_countys_schedule() {
        let county = schedule();
        let of = |answer: Option<&str>| CountyTax::with_answer(Some(&county), answer.map(percent)).unwrap();
        assert_eq!(of(None), county);
        assert_eq!(of(Some("2.94")), county, "a bracket stands for the schedule");
        assert_eq!(of(Some("3.2")), CountyTax::of_certificate(percent("3.2")));
        assert_eq!(CountyTax::with_answer(None, None), None);
    }

    #[test]
    fn the_rate_of_nonresidents_counts_whatever_the_certificate_says() {
        let nonresident = CountyTax {
            method: CountyMethod::Rate(percent("2.25")),
            whatever_certificate: true,
            ..schedule()
        };
        let found = CountyTax::with_answer(Some(&nonresident), Some(percent("3.2")));
        assert_eq!(found, Some(nonresident));
    }

    #[test]
    fn a_rate_without_a_printed_table_takes_the_next_one_above() {
        let printed = ["2.25", "3", "3.05", "3.2"].map(percent);
        for (rate, expected) in [("2.25", "2.25"), ("3.03", "3.05"), ("3.1", "3.2"), ("4", "4")] {
            let county = CountyTax::of_certificate(percent(rate));
            assert_eq!(county.percent_beside(&printed), percent(expected), "{rate}");
        }
        assert_eq!(schedule().percent_beside(&printed), Amount::ZERO);
    }
}
