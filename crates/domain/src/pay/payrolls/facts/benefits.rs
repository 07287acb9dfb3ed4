//! Benefits as paychecks are calculated from them.

use jiff::civil::Date;
use rules::Amount;
use rules::Named;
use rules::payroll::benefits::{self, Benefit, BenefitToDate, BenefitType, Contribution, LimitOption, Tier};
use rules::window::Window;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{amount, amount_of, is_false};

/// A record of a benefit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BenefitFacts {
    /// the company's benefit
    pub benefit: Uuid,
    /// the employee's record
    pub record: Uuid,
    /// what the company calls it
    pub name: String,
    /// number of its type
    pub code: i64,
    /// first and last day
    pub window: (Date, Option<Date>),
    /// deduction, and whether it is percent
    pub deduction: (i64, bool),
    /// dollars of a year at the most, of the employee and of the company
    #[serde(default)]
    pub maxima: (Option<i64>, Option<i64>),
    /// what the company gives
    pub contribution: ContributionFacts,
    /// whether the company gives at most what the employee does
    #[serde(default, skip_serializing_if = "is_false")]
    pub elective: bool,
    /// which legal limit counts
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit_option: Option<String>,
    /// whether more is deferred because of age
    #[serde(default, skip_serializing_if = "is_false")]
    pub catch_up: bool,
    /// dollars that are insured, and how many yearly salaries
    #[serde(default)]
    pub coverage: (Option<i64>, i64),
    /// whether the deduction lowers taxable income, where the record says so
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reduces: Option<bool>,
}

/// What the company gives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ContributionFacts {
    /// dollars
    Amount(i64),
    /// percent of gross pay
    Percentage(i64),
    /// by what the employee gives: matched percent up to a percent of pay
    Tiered(Vec<(i64, i64)>),
}

impl BenefitFacts {
    /// The record as it is stored here.
    pub fn of(benefit: &Benefit<Uuid>) -> Self {
        let terms = &benefit.terms;
        let millionths = |amount: Option<Amount>| amount.map(Amount::millionths);
        Self {
            benefit: benefit.company_benefit,
            record: benefit.record,
            name: benefit.name.clone(),
            code: benefit.kind.code,
            window: (benefit.window.effective, benefit.window.expiration),
            deduction: (terms.deduction.millionths(), terms.deduct_as_percentage),
            maxima: (
                millionths(terms.deduction_annual_maximum),
                millionths(terms.contribution_annual_maximum),
            ),
            contribution: match &terms.contribution {
                Contribution::Amount(dollars) => ContributionFacts::Amount(dollars.millionths()),
                Contribution::Percentage(percent) => ContributionFacts::Percentage(percent.millionths()),
                Contribution::Tiered(tiers) => ContributionFacts::Tiered(
                    tiers.iter().map(|tier| (tier.rate.millionths(), tier.threshold.millionths())).collect(),
                ),
            },
            elective: terms.elective,
            limit_option: terms.limit_option.map(|option| option.as_str().to_owned()),
            catch_up: terms.catch_up,
            coverage: (millionths(terms.coverage_amount), terms.coverage_salary_multiplier.millionths()),
            reduces: terms.reduces_taxable_income,
        }
    }

    pub(super) fn benefit(&self) -> Option<Benefit<Uuid>> {
        let kind = BenefitType::find(self.code)?;
        Some(Benefit {
            company_benefit: self.benefit,
            record: self.record,
            name: self.name.clone(),
            kind,
            window: Window { effective: self.window.0, expiration: self.window.1 },
            terms: benefits::BenefitElection {
                deduction: amount(self.deduction.0),
                deduct_as_percentage: self.deduction.1,
                deduction_annual_maximum: amount_of(self.maxima.0),
                contribution: match &self.contribution {
                    ContributionFacts::Amount(dollars) => Contribution::Amount(amount(*dollars)),
                    ContributionFacts::Percentage(percent) => Contribution::Percentage(amount(*percent)),
                    ContributionFacts::Tiered(tiers) => Contribution::Tiered(
                        tiers
                            .iter()
                            .map(|(rate, most)| Tier { rate: amount(*rate), threshold: amount(*most) })
                            .collect(),
                    ),
                },
                elective: self.elective,
                contribution_annual_maximum: amount_of(self.maxima.1),
                limit_option: self.limit_option.as_deref().and_then(LimitOption::parse),
                catch_up: self.catch_up,
                coverage_amount: amount_of(self.coverage.0),
                coverage_salary_multiplier: amount(self.coverage.1),
                reduces_taxable_income: self.reduces,
            },
            active: true,
            company_active: true,
        })
    }
}

/// What was taken and given before in the year.
pub(super) fn taken((benefit, code, deduction, contribution): &(Uuid, i64, i64, i64)) -> BenefitToDate<Uuid> {
    BenefitToDate {
        company_benefit: *benefit,
        code: *code,
        deduction: amount(*deduction),
        contribution: amount(*contribution),
    }
}
