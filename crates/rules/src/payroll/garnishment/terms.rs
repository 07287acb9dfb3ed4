//! Terms of garnishments.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::levy::TaxLevy;
use crate::amount::Amount;
use crate::named::serde_by_name;
use crate::withholding::federal::PayFrequency;

/// Payment periods of income withholding orders.
pub const PAYMENT_PERIODS: [PayFrequency; 4] = [
    PayFrequency::EveryWeek,
    PayFrequency::EveryOtherWeek,
    PayFrequency::TwicePerMonth,
    PayFrequency::Monthly,
];

/// Type of a garnishment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, VariantArray, IntoStaticStr, EnumString)]
pub enum GarnishmentType {
    /// Child support, by an income withholding order.
    #[strum(serialize = "child_support")]
    ChildSupport,
    /// IRS levy
    #[strum(serialize = "federal_tax_lien")]
    FederalTaxLien,
    /// State tax levy.
    #[strum(serialize = "state_tax_lien")]
    StateTaxLien,
    /// Student loan in default.
    #[strum(serialize = "student_loan")]
    StudentLoan,
    /// Creditor garnishment after a judgment.
    #[strum(serialize = "creditor_garnishment")]
    CreditorGarnishment,
    /// Other federal agency debt.
    #[strum(serialize = "federal_loan")]
    FederalLoan,
    /// Any other order.
    #[strum(serialize = "other_garnishment")]
    OtherGarnishment,
}

serde_by_name!(GarnishmentType);

/// Terms of a garnishment, as validated by [`super::check()`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GarnishmentTerms {
    /// Whether it is active.
    pub active: bool,
    /// Whether a court or an agency ordered it; otherwise it is a plain deduction.
    pub court_ordered: bool,
    /// Type; `None` for a plain deduction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub garnishment_type: Option<GarnishmentType>,
    /// Dollars, or percent of disposable earnings.
    pub amount: Amount,
    /// Whether `amount` is a percentage.
    pub deduct_as_percentage: bool,
    /// Maximum per pay period in dollars; for child support, per payment period of the order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pay_period_maximum: Option<Amount>,
    /// Maximum per calendar year in dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annual_maximum: Option<Amount>,
    /// Maximum in total in dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_amount: Option<Amount>,
    /// Number of deductions; ignored if recurring.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<i64>,
    /// Whether it is withheld from every pay.
    pub recurring: bool,
    /// Details of a child support order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub child_support: Option<ChildSupport>,
    /// Date of service on the employer, which decides the order among garnishments; defaults to the date of receipt or creation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub served_on: Option<Date>,
    /// Last pay date on which it is withheld.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ends_on: Option<Date>,
    /// What a tax levy states about the employee; without it, a federal levy leaves what it leaves without a statement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tax_levy: Option<TaxLevy>,
    /// Chapter of the Bankruptcy Code under which a court ordered the employer to pay the trustee: 12 or 13.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bankruptcy_chapter: Option<i64>,
    /// Whether the employer takes the fee that the state of work allows ([`super::EmployerFee`]).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub employer_fee: bool,
}

/// Details of a child support order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChildSupport {
    /// Period of the dollar cap, one of [`PAYMENT_PERIODS`].
    pub payment_period: PayFrequency,
    /// Details of the income withholding order.
    pub order: IncomeWithholdingOrder,
}

/// Details of an income withholding order, if known. Dollars are per payment period.
///
/// If parts are specified, the remainder of the dollar cap is current support if that is not specified,
/// otherwise arrears. Without parts the whole dollar cap is current support.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IncomeWithholdingOrder {
    /// Current support.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current_support: Option<Amount>,
    /// Past-due support.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrears: Option<Amount>,
    /// Cash medical support.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub medical_support: Option<Amount>,
    /// Health insurance premium ordered by a National Medical Support Notice: it is deducted as a benefit, and reduces
    /// what the limit leaves for arrears.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub health_insurance_premium: Option<Amount>,
    /// Whether arrears are older than twelve weeks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrears_over_12_weeks: Option<bool>,
    /// Whether the employee supports another spouse or child.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supports_other_family: Option<bool>,
    /// Date of receipt by the employer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub received_on: Option<Date>,
}

/// Amounts withheld for a garnishment to date.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WithheldToDate {
    /// Number of deductions.
    pub times: i64,
    /// Dollars in the calendar year of the pay date.
    pub year: Amount,
    /// Dollars in total.
    pub total: Amount,
    /// Dollars in earlier paychecks of the same pay period, included in `year` and `total`.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub period: Amount,
    /// Number of those deductions made on off-cycle payrolls, which take no employer fee.
    #[serde(default, skip_serializing_if = "is_none")]
    pub off_cycle_times: i64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_none(count: &i64) -> bool {
    *count == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(amount: &Amount) -> bool {
    *amount == Amount::ZERO
}

impl GarnishmentTerms {
    /// Whether it is child support.
    pub fn is_child_support(&self) -> bool {
        self.garnishment_type == Some(GarnishmentType::ChildSupport)
    }

    /// Returns the maximum number of deductions. Without `recurring` or `times` it is one, but unlimited for
    /// child support.
    pub fn most_times(&self) -> Option<i64> {
        match (self.recurring, self.times) {
            (true, _) => None,
            (false, Some(times)) => Some(times),
            (false, None) if self.is_child_support() => None,
            (false, None) => Some(1),
        }
    }

    /// Returns the first pay date on which it is withheld, with the field that sets it: an order binds the employer from the date
    /// of service.
    pub fn begins_on(&self) -> Option<(&'static str, Date)> {
        let received = || self.child_support.as_ref()?.order.received_on;
        let served = self.served_on.map(|day| ("served_on", day));
        served.or_else(|| received().map(|day| ("received_on", day)))
    }

    /// Returns why nothing is withheld from pay of that check date, if so. Amounts withheld from earlier paychecks of the same pay
    /// period do not end it yet: they and this paycheck share one limit.
    pub fn reason_ended(&self, withheld: &WithheldToDate, check_date: Date) -> Option<&'static str> {
        let used_up = |most: Option<Amount>, taken: Amount| {
            let before = taken.checked_sub(withheld.period).unwrap_or(Amount::ZERO);
            most.is_some_and(|most| before >= most)
        };
        if !self.active {
            Some("The garnishment is not active.")
        } else if self.most_times().is_some_and(|times| withheld.times >= times) {
            Some("It was taken as often as it is to be taken.")
        } else if self.ends_on.is_some_and(|last| check_date > last) {
            Some("The order has ended.")
        } else if self.begins_on().is_some_and(|(_, first)| check_date < first) {
            Some("The order is served after the pay date.")
        } else if used_up(self.total_amount, withheld.total) {
            Some("Its total amount was taken.")
        } else if used_up(self.annual_maximum, withheld.year) {
            Some("What it may take in a year was taken.")
        } else {
            None
        }
    }

    /// Whether it is permanently over on a day, regardless of its date of service and its annual maximum.
    pub fn is_over(&self, withheld: &WithheldToDate, day: Date) -> bool {
        !self.active
            || self.ends_on.is_some_and(|last| day > last)
            || self.most_times().is_some_and(|times| withheld.times >= times)
            || self.total_amount.is_some_and(|most| withheld.total >= most)
    }

    /// Whether it takes all that the law allows: a federal tax levy without an amount of its own.
    pub fn takes_all(&self) -> bool {
        let levy = self.tax_levy.is_some() && self.garnishment_type == Some(GarnishmentType::FederalTaxLien);
        levy && !self.deduct_as_percentage && self.amount == Amount::ZERO
    }

    /// Returns the priority; support is 0.
    pub(super) fn rank(&self) -> u8 {
        match self.garnishment_type {
            Some(GarnishmentType::ChildSupport) => 0,
            _ if self.bankruptcy_chapter.is_some() => 1,
            Some(GarnishmentType::FederalTaxLien) => 2,
            Some(GarnishmentType::StateTaxLien) => 3,
            Some(
                GarnishmentType::FederalLoan
                | GarnishmentType::StudentLoan
                | GarnishmentType::CreditorGarnishment,
            ) => 4,
            Some(GarnishmentType::OtherGarnishment) => 5,
            None if self.court_ordered => 5,
            None => 6,
        }
    }

    /// Returns the order among garnishments of the same rank and date of service.
    pub(super) fn rank_of_a_day(&self) -> u8 {
        match self.garnishment_type {
            Some(GarnishmentType::FederalLoan) => 0,
            Some(GarnishmentType::StudentLoan) => 1,
            _ => 2,
        }
    }
}
