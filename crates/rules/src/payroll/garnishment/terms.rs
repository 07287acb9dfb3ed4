//! What a garnishment says.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::amount::Amount;
use crate::named::serde_by_name;
use crate::withholding::federal::PayFrequency;

/// The payment periods that an income withholding order can be written for.
pub const PAYMENT_PERIODS: [PayFrequency; 4] = [
    PayFrequency::EveryWeek,
    PayFrequency::EveryOtherWeek,
    PayFrequency::TwicePerMonth,
    PayFrequency::Monthly,
];

/// What was ordered by a court or an agency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, VariantArray, IntoStaticStr, EnumString)]
pub enum GarnishmentType {
    /// support of a child, with or without its other parent, by an income withholding order
    #[strum(serialize = "child_support")]
    ChildSupport,
    /// a levy of the Internal Revenue Service
    #[strum(serialize = "federal_tax_lien")]
    FederalTaxLien,
    /// a levy of a state's tax authority
    #[strum(serialize = "state_tax_lien")]
    StateTaxLien,
    /// a student loan in default
    #[strum(serialize = "student_loan")]
    StudentLoan,
    /// a creditor with a judgment
    #[strum(serialize = "creditor_garnishment")]
    CreditorGarnishment,
    /// another debt to a federal agency
    #[strum(serialize = "federal_loan")]
    FederalLoan,
    /// any other order
    #[strum(serialize = "other_garnishment")]
    OtherGarnishment,
}

serde_by_name!(GarnishmentType);

/// The terms of one garnishment, valid together by [`super::check`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GarnishmentTerms {
    /// whether it is taken at all
    pub active: bool,
    /// whether a court or an agency ordered it; otherwise it is a plain deduction
    pub court_ordered: bool,
    /// what was ordered; none for a plain deduction
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub garnishment_type: Option<GarnishmentType>,
    /// dollars, or percent of disposable earnings
    pub amount: Amount,
    /// whether `amount` is a percentage
    pub deduct_as_percentage: bool,
    /// the most dollars of one pay period; for child support, of one payment period of the order
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pay_period_maximum: Option<Amount>,
    /// the most dollars of one calendar year
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annual_maximum: Option<Amount>,
    /// the most dollars in all
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_amount: Option<Amount>,
    /// on how many pays it is taken; does not count when it recurs
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<i64>,
    /// whether it is taken on every pay
    pub recurring: bool,
    /// what an order for child support says beyond that
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub child_support: Option<ChildSupport>,
}

/// What an order for child support says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChildSupport {
    /// the period that the dollar cap is written for, one of [`PAYMENT_PERIODS`]
    pub payment_period: PayFrequency,
    /// the parts of the order, and what it says of the employee
    pub order: IncomeWithholdingOrder,
}

/// Details of an income withholding order; each may be unknown. Dollars are per payment period.
///
/// Where parts are named, what is left of the dollar cap is current support if that has no figure of its own, and
/// arrears otherwise. Without any the whole dollar cap is current support.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IncomeWithholdingOrder {
    /// support that falls due in the period
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current_support: Option<Amount>,
    /// support that is past due
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrears: Option<Amount>,
    /// cash medical support
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub medical_support: Option<Amount>,
    /// whether the arrears are more than twelve weeks old
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrears_over_12_weeks: Option<bool>,
    /// whether the employee supports another spouse or child
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supports_other_family: Option<bool>,
    /// when the employer received the order
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub received_on: Option<Date>,
}

/// What was taken for a garnishment before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WithheldToDate {
    /// on how many pays
    pub times: i64,
    /// dollars in the calendar year of the pay date
    pub year: Amount,
    /// dollars in all
    pub total: Amount,
}

impl GarnishmentTerms {
    /// Whether it is an order for child support.
    pub fn is_child_support(&self) -> bool {
        self.garnishment_type == Some(GarnishmentType::ChildSupport)
    }

    /// On how many pays it is taken: a garnishment that neither recurs nor says how often is taken once, but child
    /// support until it is inactive.
    pub fn most_times(&self) -> Option<i64> {
        match (self.recurring, self.times) {
            (true, _) => None,
            (false, Some(times)) => Some(times),
            (false, None) if self.is_child_support() => None,
            (false, None) => Some(1),
        }
    }

    /// The place among the garnishments of a pay; support is 0.
    pub(super) fn rank(&self) -> u8 {
        match self.garnishment_type {
            Some(GarnishmentType::ChildSupport) => 0,
            Some(GarnishmentType::FederalTaxLien) => 1,
            Some(GarnishmentType::StateTaxLien) => 2,
            Some(GarnishmentType::FederalLoan) => 3,
            Some(GarnishmentType::StudentLoan) => 4,
            Some(GarnishmentType::CreditorGarnishment) => 5,
            Some(GarnishmentType::OtherGarnishment) => 6,
            None if self.court_ordered => 6,
            None => 7,
        }
    }
}
