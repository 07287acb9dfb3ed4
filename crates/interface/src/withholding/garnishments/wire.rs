//! Garnishments and agencies on the wire.

use domain::records::version_text;
use domain::withholding::garnishments::rows::TABLE;
use domain::withholding::garnishments::service::GarnishmentDetails;
use domain::withholding::garnishments::{commands, rows};
use jiff::civil::Date;
use rules::payroll::garnishment::{
    Agencies, Agency, FipsCode, GarnishmentType, Identifier, ManualReason, Remittance,
};
use rules::{Amount, Named};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::field::Field;
use crate::values::{
    DateText, DecimalText, GarnishmentText, GarnishmentTypeName, IdentifierText, LevyStatusName, LineText,
    StateText, SupportPeriodName, VersionText,
};
use crate::{input, objects};

/// The child support agencies.
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
    /// name of the agency
    pub name: String,
    /// whether the employer must pay the agency directly, because the service cannot pay it today
    pub manual_payment_required: bool,
    /// why: `agency_takes_no_electronic_payments`, `no_bank` (the operator has set up none) or `no_account_of_agency` (its
    /// account is not imported) (an extension)
    pub remittance_reason: Option<&'static str>,
    /// a reminder for the employer in that case
    pub remittance_reminder: Option<&'static str>,
    /// the codes to which an order can be paid
    pub fips_codes: Vec<AgencyFipsCode>,
    /// the identifiers that an order requires
    pub required_attributes: Vec<AgencyAttribute>,
}

/// A code to which an order can be paid.
#[derive(Debug, Serialize, ToSchema)]
pub struct AgencyFipsCode {
    /// 5 or 7 digits
    pub code: String,
    /// null if the code is for the whole state
    pub county: Option<String>,
}

/// An identifier that an order requires.
#[derive(Debug, Serialize, ToSchema)]
pub struct AgencyAttribute {
    /// `case_number`, `order_number` or `remittance_number`
    pub key: &'static str,
    /// label of the field
    pub label: &'static str,
}

impl ChildSupportData {
    /// The answer for these agencies.
    pub fn new(agencies: &Agencies) -> Self {
        Self { agencies: agencies.iter().map(ChildSupportAgency::from).collect() }
    }
}

impl From<&Agency> for ChildSupportAgency {
    fn from(agency: &Agency) -> Self {
        Self {
            state: agency.state.clone(),
            name: agency.name.clone(),
            manual_payment_required: agency.manual.is_some(),
            remittance_reason: agency.manual.map(ManualReason::as_str),
            remittance_reminder: agency.manual.map(ManualReason::reminder),
            fips_codes: agency.fips_codes.iter().map(AgencyFipsCode::from).collect(),
            required_attributes: agency.required.iter().copied().map(AgencyAttribute::from).collect(),
        }
    }
}

impl From<&FipsCode> for AgencyFipsCode {
    fn from(code: &FipsCode) -> Self {
        Self { code: code.code.clone(), county: code.county.clone() }
    }
}

impl From<Identifier> for AgencyAttribute {
    fn from(identifier: Identifier) -> Self {
        Self { key: identifier.as_str(), label: identifier.label() }
    }
}

/// A deduction from an employee's pay for a court, an agency or a creditor.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Garnishment {
    /// identifier
    pub uuid: Uuid,
    /// concurrency token, to be sent with an update
    pub version: String,
    /// the employee
    pub employee_uuid: Uuid,
    /// whether it is withheld
    pub active: bool,
    /// dollars per paycheck, or percent
    pub amount: String,
    /// its description; `Child support - ` and the case number for child support
    pub description: String,
    /// whether a court or an agency ordered it
    pub court_ordered: bool,
    /// from how many paychecks it is withheld; ignored if it recurs
    pub times: Option<i64>,
    /// whether it is withheld from every paycheck
    pub recurring: bool,
    /// the maximum in a calendar year, dollars
    pub annual_maximum: Option<String>,
    /// the maximum in all, dollars
    pub total_amount: Option<String>,
    /// the maximum per pay period, dollars; for child support, per payment period of the order
    pub pay_period_maximum: Option<String>,
    /// whether `amount` is a percentage
    pub deduct_as_percentage: bool,
    /// the type of order; null for a plain deduction
    pub garnishment_type: Option<&'static str>,
    /// only for child support
    pub child_support: Option<GarnishmentChildSupport>,
    /// only for child support: the order's details beyond its cap, if known
    pub income_withholding_order: Option<IncomeWithholdingOrder>,
    /// when it was served on the employer, which determines the priority of orders; null for the day of creation
    #[schema(value_type = Option<String>, format = Date)]
    pub served_on: Option<Date>,
    /// the last check date on which it is withheld
    #[schema(value_type = Option<String>, format = Date)]
    pub ends_on: Option<Date>,
    /// only for tax levies: the data of the notice and of the employee's statement
    pub tax_levy: Option<TaxLevy>,
    /// chapter 12 or 13 if a bankruptcy court ordered payments to the trustee
    pub bankruptcy_chapter: Option<i64>,
    /// whether the employer charges the fee that the work state allows (an extension)
    pub employer_fee: bool,
    /// for a deduction that pays back pay that was not owed: when the employee agreed to it (an extension)
    #[schema(value_type = Option<String>, format = Date)]
    pub overpayment_agreed_on: Option<Date>,
    /// only for child support: `automatic`, or `manual` if the employer pays the agency
    pub remittance: Option<&'static str>,
    /// why the employer pays: as for the agency, or `payment_information_missing` (an extension) if an electronic payment
    /// cannot identify the case
    pub remittance_reason: Option<&'static str>,
    /// a reminder for the employer in that case
    pub remittance_reminder: Option<&'static str>,
}

/// The payee of child support.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct GarnishmentChildSupport {
    /// the agency's state
    pub state: String,
    /// the payment period of `pay_period_maximum`
    pub payment_period: &'static str,
    /// one of the agency's codes
    pub fips_code: String,
    /// case number
    pub case_number: Option<String>,
    /// order number
    pub order_number: Option<String>,
    /// remittance identifier of the order
    pub remittance_number: Option<String>,
}

/// Details of a support order beyond its cap. Dollars are per payment period.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct IncomeWithholdingOrder {
    /// current support
    pub current_support: Option<String>,
    /// past-due support (arrears)
    pub arrears: Option<String>,
    /// cash medical support
    pub medical_support: Option<String>,
    /// premium of health insurance under a National Medical Support Notice, deducted as a benefit
    pub health_insurance_premium: Option<String>,
    /// whether the arrears are more than twelve weeks old
    pub arrears_over_12_weeks: Option<bool>,
    /// whether the employee supports another spouse or child
    pub supports_other_family: Option<bool>,
    /// when the order was received
    #[schema(value_type = Option<String>, format = Date)]
    pub received_on: Option<Date>,
}

/// The employee's data for a tax levy.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct TaxLevy {
    /// `single`, `married_filing_jointly`, `head_of_household`, or `married_filing_separately`, also for an employee
    /// who gave no statement
    pub filing_status: &'static str,
    /// dependents according to the employee's statement
    pub dependents: i64,
    /// number of conditions, 65 or older and blind, of the employee and the spouse
    pub additional_standard_deductions: i64,
    /// year of the exempt amounts; null for the year of service
    pub year: Option<i16>,
    /// the levying state, two letters; null for a federal levy
    pub state: Option<String>,
}

impl From<&rules::payroll::garnishment::TaxLevy> for TaxLevy {
    fn from(levy: &rules::payroll::garnishment::TaxLevy) -> Self {
        Self {
            filing_status: levy.filing_status.as_str(),
            dependents: levy.dependents,
            additional_standard_deductions: levy.additional,
            year: levy.year,
            state: levy.state.clone(),
        }
    }
}

impl From<GarnishmentDetails> for Garnishment {
    fn from(details: GarnishmentDetails) -> Self {
        let GarnishmentDetails { garnishment: record, remittance } = details;
        let reason = remittance.and_then(Remittance::reason);
        let terms = &record.terms;
        Self {
            uuid: record.id,
            version: version_text(TABLE, record.id, record.version),
            employee_uuid: record.employee,
            active: terms.active,
            amount: terms.amount.to_text(2),
            court_ordered: terms.court_ordered,
            times: terms.times,
            recurring: terms.recurring,
            annual_maximum: amount_text(terms.annual_maximum),
            total_amount: amount_text(terms.total_amount),
            pay_period_maximum: amount_text(terms.pay_period_maximum),
            deduct_as_percentage: terms.deduct_as_percentage,
            garnishment_type: terms.garnishment_type.map(GarnishmentType::as_str),
            child_support: GarnishmentChildSupport::from_garnishment(&record),
            income_withholding_order: IncomeWithholdingOrder::from_garnishment(&record),
            served_on: terms.served_on,
            ends_on: terms.ends_on,
            tax_levy: terms.tax_levy.as_ref().map(TaxLevy::from),
            bankruptcy_chapter: terms.bankruptcy_chapter,
            employer_fee: terms.employer_fee,
            overpayment_agreed_on: record.overpayment_agreed_on,
            remittance: remittance.map(Remittance::as_str),
            remittance_reason: reason.map(ManualReason::as_str),
            remittance_reminder: reason.map(ManualReason::reminder),
            description: record.description,
        }
    }
}

impl GarnishmentChildSupport {
    fn from_garnishment(record: &rows::Garnishment) -> Option<Self> {
        let (payee, support) = record.payee.as_ref().zip(record.terms.child_support.as_ref())?;
        Some(Self {
            state: payee.state.clone(),
            payment_period: support.payment_period.as_str(),
            fips_code: payee.fips_code.clone(),
            case_number: payee.case_number.clone(),
            order_number: payee.order_number.clone(),
            remittance_number: payee.remittance_number.clone(),
        })
    }
}

impl IncomeWithholdingOrder {
    fn from_garnishment(record: &rows::Garnishment) -> Option<Self> {
        let order = record.order_details()?;
        Some(Self {
            current_support: amount_text(order.current_support),
            arrears: amount_text(order.arrears),
            medical_support: amount_text(order.medical_support),
            health_insurance_premium: amount_text(order.health_insurance_premium),
            arrears_over_12_weeks: order.arrears_over_12_weeks,
            supports_other_family: order.supports_other_family,
            received_on: order.received_on,
        })
    }
}

fn amount_text(amount: Option<Amount>) -> Option<String> {
    amount.map(|amount| amount.to_text(2))
}

/// The bodies of creating and of updating, which differ in the version.
macro_rules! inputs {
    ($($(#[$meta:meta])* $field:ident: $type:ty,)+) => {
        input! {
            /// A new garnishment.
            CreateGarnishment => commands::GarnishmentFields {
                $($(#[$meta])* $field: $type,)+
            }
        }

        /// The new values of a garnishment.
        #[derive(Debug, Default, Clone, Deserialize, ToSchema)]
        #[serde(default)]
        pub struct UpdateGarnishment {
            /// the version as last read
            #[schema(required)]
            pub version: Field<VersionText>,
            $($(#[$meta])* pub $field: Field<$type>,)+
        }

        impl From<UpdateGarnishment> for commands::UpdateGarnishment {
            fn from(body: UpdateGarnishment) -> Self {
                let fields = commands::GarnishmentFields { $($field: body.$field.into(),)+ };
                Self { version: body.version.into(), fields }
            }
        }
    };
}

inputs! {
    /// true by default
    active: bool,
    /// dollars per paycheck, or percent; required for a new garnishment
    #[schema(value_type = DecimalText)]
    amount: Amount,
    /// at most 200 characters; ignored for child support
    #[schema(nullable)]
    description: GarnishmentText,
    /// whether a court or an agency ordered it; required for a new garnishment
    court_ordered: bool,
    /// `child_support`, `federal_tax_lien`, `state_tax_lien`, `student_loan`, `creditor_garnishment`, `federal_loan`,
    /// `other_garnishment`, or null
    #[schema(nullable)]
    garnishment_type: GarnishmentTypeName,
    /// from how many paychecks it is withheld
    #[schema(nullable)]
    times: i64,
    /// false by default
    recurring: bool,
    /// the maximum in a calendar year, dollars
    #[schema(nullable, value_type = DecimalText)]
    annual_maximum: Amount,
    /// the maximum per pay period, dollars; required for child support
    #[schema(nullable, value_type = DecimalText)]
    pay_period_maximum: Amount,
    /// false by default; must be true for child support
    deduct_as_percentage: bool,
    /// the maximum in all, dollars
    #[schema(nullable, value_type = DecimalText)]
    total_amount: Amount,
    /// required for child support; in an update, omitted fields keep their values
    child_support: ChildSupportInput,
    /// details of the order; in an update, omitted fields keep their values, and null removes them all
    #[schema(nullable)]
    income_withholding_order: IncomeWithholdingOrderInput,
    /// when it was served on the employer, such as 2026-05-01
    #[schema(nullable)]
    served_on: DateText,
    /// the last check date on which it is withheld, such as 2026-12-31
    #[schema(nullable)]
    ends_on: DateText,
    /// only for `federal_tax_lien` and `state_tax_lien`: the data of the notice and of the employee's statement; in an
    /// update, omitted fields keep their values, and null removes them all
    #[schema(nullable)]
    tax_levy: TaxLevyInput,
    /// chapter 12 or 13 if a bankruptcy court ordered payments to the trustee, with the type `other_garnishment`
    #[schema(nullable)]
    bankruptcy_chapter: i64,
    /// false by default; whether the employer charges the fee that the work state allows, only with `child_support` and
    /// `creditor_garnishment` (an extension)
    employer_fee: bool,
    /// the day on which the employee agreed in writing that the deduction pays back pay that was not owed: it takes no more than is still owed
    /// (`employee_receivables` of the liabilities). Only with `court_ordered` false and no `garnishment_type` (an extension)
    #[schema(nullable)]
    overpayment_agreed_on: DateText,
}

input! {
    /// The payee of child support.
    ChildSupportInput => commands::ChildSupportFields {
        /// state of an agency, two letters
        state: StateText,
        /// `Every week`, `Every other week`, `Twice per month` or `Monthly`
        payment_period: SupportPeriodName,
        /// one of the agency's codes
        fips_code: LineText,
        /// case number, at most 50 characters
        case_number: IdentifierText,
        /// order number, at most 50 characters
        order_number: IdentifierText,
        /// remittance identifier of the order, at most 50 characters
        remittance_number: IdentifierText,
    }

    /// Details of an order beyond its cap. The dollars together are at most `pay_period_maximum`. They are also
    /// accepted under the names of the federal Income Withholding for Support form (OMB 0970-0154), whose amounts add
    /// up to `current_support`, `medical_support` and `arrears`.
    IncomeWithholdingOrderInput => commands::OrderFields {
        /// current support per payment period
        #[schema(nullable, value_type = DecimalText)]
        current_support: Amount,
        /// past-due support (arrears)
        #[schema(nullable, value_type = DecimalText)]
        arrears: Amount,
        /// cash medical support
        #[schema(nullable, value_type = DecimalText)]
        medical_support: Amount,
        /// premium of health insurance under a National Medical Support Notice, per payment period: it is deducted as a
        /// benefit, and reduces what the limit leaves for arrears
        #[schema(nullable, value_type = DecimalText)]
        health_insurance_premium: Amount,
        /// whether the arrears are more than twelve weeks old
        arrears_over_12_weeks: bool,
        /// whether the employee supports another spouse or child
        supports_other_family: bool,
        /// when the order was received, such as 2026-05-01
        received_on: DateText,
        /// from the form: with the next field, `current_support`
        #[schema(nullable, value_type = DecimalText)]
        current_child_support: Amount,
        /// from the form
        #[schema(nullable, value_type = DecimalText)]
        current_spousal_support: Amount,
        /// from the form: `medical_support`
        #[schema(nullable, value_type = DecimalText)]
        current_cash_medical_support: Amount,
        /// from the form: with the next two fields, `arrears`
        #[schema(nullable, value_type = DecimalText)]
        past_due_child_support: Amount,
        /// from the form
        #[schema(nullable, value_type = DecimalText)]
        past_due_spousal_support: Amount,
        /// from the form
        #[schema(nullable, value_type = DecimalText)]
        past_due_cash_medical_support: Amount,
        /// from the form: `arrears_over_12_weeks`
        arrears_greater_than_12_weeks: bool,
    }
}

input! {
    /// The employee's data for a tax levy. A federal levy with `amount` 0.00 takes everything above the exempt amount;
    /// any other amount is the most that it takes.
    TaxLevyInput => commands::TaxLevyFields {
        /// `single`, `married_filing_jointly`, `head_of_household`, or by default `married_filing_separately`, as for
        /// an employee who gave no statement
        filing_status: LevyStatusName,
        /// dependents according to the employee's statement; none by default
        dependents: i64,
        /// number of conditions, 65 or older and blind, of the employee and the spouse: each person counts once for age
        /// and once for blindness; at most 4 with `married_filing_jointly`, else 2; none by default
        additional_standard_deductions: i64,
        /// year of the exempt amounts; null for the year of service
        #[schema(nullable)]
        year: i64,
        /// the levying state, two letters; required for `state_tax_lien`
        #[schema(nullable)]
        state: StateText,
    }
}

objects!(
    ChildSupportInput: "an object",
    IncomeWithholdingOrderInput: "an object",
    TaxLevyInput: "an object"
);
