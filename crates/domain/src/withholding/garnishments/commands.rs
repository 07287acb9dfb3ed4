//! Inputs of the use cases of garnishments. Fields are as in [`Garnishment`](super::rows::Garnishment).

use jiff::civil::Date;
use rules::Amount;
use rules::payroll::garnishment::{GarnishmentType, LevyFilingStatus};
use rules::withholding::federal::PayFrequency;

use crate::patch::Patch;

/// The fields of a garnishment. A new garnishment takes the default of what is absent; an updated one keeps it.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "fields are those of the record")]
pub struct GarnishmentFields {
    pub active: Patch<bool>,
    pub amount: Patch<Amount>,
    pub description: Patch<String>,
    pub court_ordered: Patch<bool>,
    pub garnishment_type: Patch<GarnishmentType>,
    pub times: Patch<i64>,
    pub recurring: Patch<bool>,
    pub annual_maximum: Patch<Amount>,
    pub pay_period_maximum: Patch<Amount>,
    pub deduct_as_percentage: Patch<bool>,
    pub total_amount: Patch<Amount>,
    pub child_support: Patch<ChildSupportFields>,
    pub income_withholding_order: Patch<OrderFields>,
    pub served_on: Patch<Date>,
    pub ends_on: Patch<Date>,
    pub tax_levy: Patch<TaxLevyFields>,
    pub bankruptcy_chapter: Patch<i64>,
    pub employer_fee: Patch<bool>,
    pub overpayment_agreed_on: Patch<Date>,
}

/// Updates a garnishment.
#[derive(Debug, Clone, Default)]
pub struct UpdateGarnishment {
    /// version as last read
    pub version: Patch<String>,
    /// new values
    pub fields: GarnishmentFields,
}

/// The payee of child support, and the payment period of the order.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "fields are those of the payee and of the terms")]
pub struct ChildSupportFields {
    pub state: Patch<String>,
    pub payment_period: Patch<String>,
    pub fips_code: Patch<String>,
    pub case_number: Patch<String>,
    pub order_number: Patch<String>,
    pub remittance_number: Patch<String>,
}

/// Details of an income withholding order.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "fields are those of the terms")]
pub struct OrderFields {
    pub current_support: Patch<Amount>,
    pub arrears: Patch<Amount>,
    pub medical_support: Patch<Amount>,
    pub health_insurance_premium: Patch<Amount>,
    pub arrears_over_12_weeks: Patch<bool>,
    pub supports_other_family: Patch<bool>,
    pub received_on: Patch<Date>,
    // The names of the federal form (OMB 0970-0154), whose amounts add up to those above.
    pub current_child_support: Patch<Amount>,
    pub current_spousal_support: Patch<Amount>,
    pub current_cash_medical_support: Patch<Amount>,
    pub past_due_child_support: Patch<Amount>,
    pub past_due_spousal_support: Patch<Amount>,
    pub past_due_cash_medical_support: Patch<Amount>,
    pub arrears_greater_than_12_weeks: Patch<bool>,
}

/// What a tax levy says of the employee.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "fields are those of the terms")]
pub struct TaxLevyFields {
    pub filing_status: Patch<LevyFilingStatus>,
    pub dependents: Patch<i64>,
    pub additional_standard_deductions: Patch<i64>,
    pub year: Patch<i64>,
    pub state: Patch<String>,
}

/// The pay to preview. What is `None` is looked up or assumed.
#[derive(Debug, Clone, Copy, Default)]
pub struct PreviewPay {
    /// gross pay; by default what the primary job pays
    pub gross: Option<Amount>,
    /// pay frequency; by default that of the pay schedule
    pub frequency: Option<PayFrequency>,
    /// income tax of the work state; by default calculated
    pub state_income_tax: Option<Amount>,
    /// check date; by default today
    pub check_date: Option<Date>,
}
