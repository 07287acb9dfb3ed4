//! Shapes of garnishments: what requests may say and what answers say.

use jiff::civil::Date;
use rules::Amount;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::field::{Field, objects};

/// Every agency that support is paid to.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChildSupportData {
    /// by state
    pub agencies: Vec<ChildSupportAgency>,
}

/// The agency of a state.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChildSupportAgency {
    /// two letters
    pub state: String,
    /// what people read
    pub name: String,
    /// whether the employer has to pay the agency, because it takes no electronic payments
    pub manual_payment_required: bool,
    /// what to remind the employer of where that is so
    pub remittance_reminder: Option<&'static str>,
    /// the codes that an order can be paid to
    pub fips_codes: Vec<AgencyFipsCode>,
    /// what an order needs
    pub required_attributes: Vec<AgencyAttribute>,
}

/// A code that an order can be paid to.
#[derive(Debug, Serialize, ToSchema)]
pub struct AgencyFipsCode {
    /// 5 or 7 digits
    pub code: String,
    /// null where the code holds for the whole state
    pub county: Option<String>,
}

/// An identifier that an order needs.
#[derive(Debug, Serialize, ToSchema)]
pub struct AgencyAttribute {
    /// `case_number`, `order_number` or `remittance_number`
    pub key: &'static str,
    /// what people read beside the field
    pub label: &'static str,
}

/// What is taken from an employee's pay for a court, an agency or a creditor.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Garnishment {
    /// identifier
    pub uuid: Uuid,
    /// concurrency token, to be sent with an update
    pub version: String,
    /// whose pay it is taken from
    pub employee_uuid: Uuid,
    /// whether it is taken
    pub active: bool,
    /// dollars of each pay, or percent
    pub amount: String,
    /// what people call it; `Child support - ` and the case number for child support
    pub description: String,
    /// whether a court or an agency ordered it
    pub court_ordered: bool,
    /// on how many pays it is taken; does not count when it recurs
    pub times: Option<i64>,
    /// whether it is taken on every pay
    pub recurring: bool,
    /// the most dollars of a calendar year
    pub annual_maximum: Option<String>,
    /// the most dollars in all
    pub total_amount: Option<String>,
    /// the most dollars of a pay period; for child support, of a payment period of the order
    pub pay_period_maximum: Option<String>,
    /// whether `amount` is a percentage
    pub deduct_as_percentage: bool,
    /// what was ordered; null for a plain deduction
    pub garnishment_type: Option<&'static str>,
    /// only for child support
    pub child_support: Option<GarnishmentChildSupport>,
    /// only for child support: what the order says beyond its cap, where it is known
    pub income_withholding_order: Option<IncomeWithholdingOrder>,
    /// only for child support: `automatic`, or `manual` where the employer pays the agency
    pub remittance: Option<&'static str>,
    /// why the employer pays: `agency_requires_manual_payment`
    pub remittance_reason: Option<&'static str>,
    /// what to remind the employer of where that is so
    pub remittance_reminder: Option<&'static str>,
}

/// Whom child support is paid to.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct GarnishmentChildSupport {
    /// the agency's state
    pub state: String,
    /// the period that `pay_period_maximum` is written for
    pub payment_period: &'static str,
    /// one of the agency's codes
    pub fips_code: String,
    /// number of the case
    pub case_number: Option<String>,
    /// number of the order
    pub order_number: Option<String>,
    /// number that stands for the order on payments
    pub remittance_number: Option<String>,
}

/// What an order for support says beyond its cap. Dollars are per payment period.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct IncomeWithholdingOrder {
    /// support that falls due
    pub current_support: Option<String>,
    /// support that is past due
    pub arrears: Option<String>,
    /// cash medical support
    pub medical_support: Option<String>,
    /// whether the arrears are more than twelve weeks old
    pub arrears_over_12_weeks: Option<bool>,
    /// whether the employee supports another spouse or child
    pub supports_other_family: Option<bool>,
    /// when the order was received
    #[schema(value_type = Option<String>, format = Date)]
    pub received_on: Option<Date>,
}

/// The bodies of creating and of updating, which differ in the version.
macro_rules! inputs {
    ($($(#[$meta:meta])* $field:ident: $type:ty,)+) => {
        /// A new garnishment.
        #[derive(Debug, Default, Clone, Deserialize, ToSchema)]
        #[serde(default)]
        pub struct CreateGarnishment {
            $($(#[$meta])* pub $field: $type,)+
        }

        /// A garnishment as it is to be.
        #[derive(Debug, Default, Clone, Deserialize, ToSchema)]
        #[serde(default)]
        pub struct UpdateGarnishment {
            /// the version as last read
            #[schema(required)]
            pub version: Field<String>,
            $($(#[$meta])* pub $field: $type,)+
        }

        impl UpdateGarnishment {
            /// What the update says beside the version.
            pub fn terms(&self) -> CreateGarnishment {
                CreateGarnishment { $($field: self.$field.clone(),)+ }
            }
        }
    };
}

inputs! {
    /// by default true
    active: Field<bool>,
    /// dollars of each pay, or percent; a new garnishment needs it
    #[schema(value_type = Option<String>)]
    amount: Field<Amount>,
    /// at most 200 characters; not read for child support
    description: Field<String>,
    /// whether a court or an agency ordered it; a new garnishment needs it
    court_ordered: Field<bool>,
    /// `child_support`, `federal_tax_lien`, `state_tax_lien`, `student_loan`, `creditor_garnishment`, `federal_loan`,
    /// `other_garnishment`, or null
    garnishment_type: Field<String>,
    /// on how many pays it is taken
    times: Field<i64>,
    /// by default false
    recurring: Field<bool>,
    /// the most dollars of a calendar year
    #[schema(value_type = Option<String>)]
    annual_maximum: Field<Amount>,
    /// the most dollars of a pay period; needed for child support
    #[schema(value_type = Option<String>)]
    pay_period_maximum: Field<Amount>,
    /// by default false; must be true for child support
    deduct_as_percentage: Field<bool>,
    /// the most dollars in all
    #[schema(value_type = Option<String>)]
    total_amount: Field<Amount>,
    /// needed for child support; what an update does not name stays
    child_support: Field<ChildSupportInput>,
    /// details of the order; what an update does not name stays, null removes all of it
    income_withholding_order: Field<IncomeWithholdingOrderInput>,
}

/// Whom child support is to be paid to.
#[derive(Debug, Default, Clone, Deserialize, ToSchema)]
#[serde(default)]
pub struct ChildSupportInput {
    /// state of an agency, two letters
    pub state: Field<String>,
    /// `Every week`, `Every other week`, `Twice per month` or `Monthly`
    pub payment_period: Field<String>,
    /// one of the agency's codes
    pub fips_code: Field<String>,
    /// number of the case, at most 50 characters
    pub case_number: Field<String>,
    /// number of the order, at most 50 characters
    pub order_number: Field<String>,
    /// number that stands for the order on payments, at most 50 characters
    pub remittance_number: Field<String>,
}

/// What an order says beyond its cap. The dollars are not more than `pay_period_maximum` together.
#[derive(Debug, Default, Clone, Deserialize, ToSchema)]
#[serde(default)]
pub struct IncomeWithholdingOrderInput {
    /// support that falls due in a payment period
    #[schema(value_type = Option<String>)]
    pub current_support: Field<Amount>,
    /// support that is past due
    #[schema(value_type = Option<String>)]
    pub arrears: Field<Amount>,
    /// cash medical support
    #[schema(value_type = Option<String>)]
    pub medical_support: Field<Amount>,
    /// whether the arrears are more than twelve weeks old
    pub arrears_over_12_weeks: Field<bool>,
    /// whether the employee supports another spouse or child
    pub supports_other_family: Field<bool>,
    /// when the order was received, such as 2026-05-01
    pub received_on: Field<String>,
}

objects!(ChildSupportInput: "an object", IncomeWithholdingOrderInput: "an object");

/// What would be taken from a pay for all garnishments of an employee.
#[derive(Debug, Serialize, ToSchema)]
pub struct GarnishmentPreview {
    /// the pay
    pub pay: PreviewedPay,
    /// by garnishment, in the order of creation
    pub deductions: Vec<PreviewedDeduction>,
    /// all of them together
    pub total: String,
    /// what somebody has to look at
    pub warnings: Vec<PreviewWarning>,
    /// how each figure follows from others: enough to work all of them out again
    #[schema(value_type = Vec<Object>)]
    pub explanation: Vec<Value>,
}

/// What would be taken from a pay for one garnishment.
#[derive(Debug, Serialize, ToSchema)]
pub struct GarnishmentExplanation {
    /// the garnishment
    pub garnishment_uuid: Uuid,
    /// the pay
    pub pay: PreviewedPay,
    /// what would be taken
    pub deduction: PreviewedDeduction,
    /// what would be taken for the employee's other garnishments, which share the pay
    pub others: Vec<PreviewedDeduction>,
    /// what somebody has to look at
    pub warnings: Vec<PreviewWarning>,
    /// how each figure follows from others: enough to work all of them out again
    #[schema(value_type = Vec<Object>)]
    pub explanation: Vec<Value>,
}

/// A pay of which garnishments are taken.
#[derive(Debug, Serialize, ToSchema)]
pub struct PreviewedPay {
    /// before anything is taken
    pub gross: String,
    /// whether `gross` was not given, and is what the primary job pays
    pub gross_is_assumed: bool,
    /// how often the employee is paid
    pub pay_frequency: &'static str,
    /// whether the frequency was not given, and no pay schedule tells it
    pub pay_frequency_is_assumed: bool,
    /// the day on which it would be paid
    #[schema(value_type = String, format = Date)]
    pub check_date: Date,
    /// the state of work, whose limits hold; null where no work address is known and the federal ones hold
    pub state: Option<String>,
    /// taxes that law requires to be withheld
    pub taxes: Vec<PreviewedTax>,
    /// gross less these taxes
    pub disposable_earnings: String,
}

/// A tax on a previewed pay.
#[derive(Debug, Serialize, ToSchema)]
pub struct PreviewedTax {
    /// such as `social_security`
    pub name: &'static str,
    /// dollars
    pub amount: String,
}

/// What would be taken for a garnishment.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct PreviewedDeduction {
    /// the garnishment
    pub garnishment_uuid: Uuid,
    /// what people call it
    pub description: String,
    /// what would be taken
    pub amount: String,
    /// what it asks for on its own, before limits and other garnishments
    pub asked: String,
    /// of child support: current and medical support
    pub current_support: String,
    /// of child support: what is past due
    pub arrears: String,
    /// only for child support: `automatic`, or `manual` where the employer pays the agency
    pub remittance: Option<&'static str>,
    /// why the employer pays
    pub remittance_reason: Option<&'static str>,
}

/// What somebody has to look at.
#[derive(Debug, Serialize, ToSchema)]
pub struct PreviewWarning {
    /// for programs, such as `state_tax_not_withheld`
    pub key: &'static str,
    /// for people
    pub message: String,
}

/// What a payroll withheld for child support, and who pays it.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ChildSupportRemittance {
    /// the payroll
    pub payroll_uuid: Uuid,
    /// the garnishment
    pub garnishment_uuid: Uuid,
    /// the employee
    pub employee_uuid: Uuid,
    /// the day on which the employee was paid
    #[schema(value_type = String, format = Date)]
    pub check_date: Date,
    /// whether the payroll was outside the schedule
    pub off_cycle: bool,
    /// the agency's state
    pub state: String,
    /// the agency
    pub agency: String,
    /// the agency's code
    pub fips_code: String,
    /// number of the case
    pub case_number: Option<String>,
    /// number of the order
    pub order_number: Option<String>,
    /// number that stands for the order on payments
    pub remittance_number: Option<String>,
    /// dollars
    pub amount: String,
    /// `automatic`, or `manual` where the employer pays the agency
    pub remittance: String,
    /// why the employer pays
    pub remittance_reason: Option<String>,
    /// when the agency wants the payment; null where that is not known
    #[schema(value_type = Option<String>, format = Date)]
    pub due_on: Option<Date>,
    /// the record that goes with a payment by bank (CCD+), with X in the place of the Social Security number's
    /// digits; null where a value cannot stand in one
    pub addendum: Option<String>,
}
