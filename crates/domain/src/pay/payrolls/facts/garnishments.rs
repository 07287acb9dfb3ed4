//! Garnishments as paychecks are calculated from them.

use jiff::civil::Date;
use rules::Amount;
use rules::Named;
use rules::payroll::garnishment::{self, ChildSupport, GarnishmentType, IncomeWithholdingOrder};
use rules::withholding::federal::PayFrequency;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{amount, amount_of};
use crate::withholding::garnishments::rows::Garnishment as Record;

/// A garnishment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GarnishmentFacts {
    /// the garnishment
    pub id: Uuid,
    /// its description
    pub name: String,
    /// when it was received or made
    pub since: Date,
    /// whether a court or an agency ordered it
    pub court_ordered: bool,
    /// what was ordered
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// dollars or percent
    pub amount: i64,
    /// whether `amount` is percent
    pub percent: bool,
    /// dollars at the most: of a pay period, of a year, in all
    pub maxima: [Option<i64>; 3],
    /// on how many pays
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<i64>,
    /// whether on every pay
    pub recurring: bool,
    /// what an order of child support says
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub support: Option<SupportFacts>,
    /// on how many pays it was taken before, dollars in the year and in all
    pub so_far: (i64, i64, i64),
}

/// What an order of child support says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SupportFacts {
    /// the period of the dollar cap
    pub period: String,
    /// current support, arrears, medical support
    pub parts: [Option<i64>; 3],
    /// whether arrears are over twelve weeks old, and whether another family is supported
    pub said: [Option<bool>; 2],
    /// when the employer received the order
    pub received: Option<Date>,
    /// whether the agency takes no electronic payments
    pub manual: bool,
}

impl GarnishmentFacts {
    /// The record as it is stored here; `manual` says whether its agency takes no electronic payments.
    pub fn of(record: &Record, manual: bool) -> Self {
        let terms = &record.terms;
        let millionths = |amount: Option<Amount>| amount.map(Amount::millionths);
        Self {
            id: record.id,
            name: record.description.clone(),
            since: record.since(),
            court_ordered: terms.court_ordered,
            kind: terms.garnishment_type.map(|kind| kind.as_str().to_owned()),
            amount: terms.amount.millionths(),
            percent: terms.deduct_as_percentage,
            maxima: [terms.pay_period_maximum, terms.annual_maximum, terms.total_amount].map(millionths),
            times: terms.times,
            recurring: terms.recurring,
            support: terms.child_support.as_ref().map(|support| SupportFacts {
                period: support.payment_period.as_str().to_owned(),
                parts: [support.order.current_support, support.order.arrears, support.order.medical_support]
                    .map(millionths),
                said: [support.order.arrears_over_12_weeks, support.order.supports_other_family],
                received: support.order.received_on,
                manual,
            }),
            so_far: (0, 0, 0),
        }
    }

    /// Whether it is an order for child support.
    pub fn is_child_support(&self) -> bool {
        self.kind.as_deref() == Some(GarnishmentType::ChildSupport.as_str())
    }

    /// Why the employer has to pay the agency, if so.
    pub fn manual(&self, off_cycle: bool) -> Option<String> {
        let support = self.support.as_ref()?;
        let paid = garnishment::remittance(support.manual, off_cycle);
        paid.reason().map(|reason| reason.as_str().to_owned())
    }

    /// What the rules take.
    pub fn terms(&self) -> garnishment::GarnishmentTerms {
        let [pay_period_maximum, annual_maximum, total_amount] = self.maxima.map(amount_of);
        garnishment::GarnishmentTerms {
            active: true,
            court_ordered: self.court_ordered,
            garnishment_type: self.kind.as_deref().and_then(GarnishmentType::parse),
            amount: amount(self.amount),
            deduct_as_percentage: self.percent,
            pay_period_maximum,
            annual_maximum,
            total_amount,
            times: self.times,
            recurring: self.recurring,
            child_support: self.support.as_ref().map(|support| {
                let [current_support, arrears, medical_support] = support.parts.map(amount_of);
                let [arrears_over_12_weeks, supports_other_family] = support.said;
                ChildSupport {
                    payment_period: PayFrequency::parse(&support.period).unwrap_or(PayFrequency::Monthly),
                    order: IncomeWithholdingOrder {
                        current_support,
                        arrears,
                        medical_support,
                        arrears_over_12_weeks,
                        supports_other_family,
                        received_on: support.received,
                    },
                }
            }),
        }
    }
}
