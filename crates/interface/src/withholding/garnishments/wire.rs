//! Garnishments and agencies on the wire.

use domain::records::version_text;
use domain::withholding::garnishments::rows::TABLE;
use domain::withholding::garnishments::service::GarnishmentDetails;
use domain::withholding::garnishments::{commands, rows};
use jiff::civil::Date;
use rules::payroll::garnishment::{
    Agencies, Agency, FipsCode, GarnishmentType, Identifier, ManualReason, Remittance, remittance,
};
use rules::{Amount, Named};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::field::Field;
use crate::values::DateText;
use crate::{input, objects};

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

impl ChildSupportData {
    /// The answer for these agencies.
    pub fn new(agencies: &Agencies) -> Self {
        Self { agencies: agencies.iter().map(ChildSupportAgency::from).collect() }
    }
}

impl From<&Agency> for ChildSupportAgency {
    fn from(agency: &Agency) -> Self {
        let remittance = remittance(agency.manual_payment_required, false);
        Self {
            state: agency.state.clone(),
            name: agency.name.clone(),
            manual_payment_required: agency.manual_payment_required,
            remittance_reminder: remittance.reason().map(ManualReason::reminder),
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
    /// when it was served on the employer, by which orders come before one another; null for the day of creation
    #[schema(value_type = Option<String>, format = Date)]
    pub served_on: Option<Date>,
    /// the last pay date of which it is taken
    #[schema(value_type = Option<String>, format = Date)]
    pub ends_on: Option<Date>,
    /// only for levies for taxes: what the notice and the employee's statement say
    pub tax_levy: Option<TaxLevy>,
    /// 12 or 13 where a bankruptcy court ordered payments to the trustee
    pub bankruptcy_chapter: Option<i64>,
    /// whether the employer takes the fee that the state of work allows (an extension)
    pub employer_fee: bool,
    /// only for child support: `automatic`, or `manual` where the employer pays the agency
    pub remittance: Option<&'static str>,
    /// why the employer pays: `agency_requires_manual_payment`, or `payment_information_missing` (an extension) where an electronic
    /// payment cannot name the case
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
    /// premium of the health insurance that a National Medical Support Notice orders, deducted as a benefit
    pub health_insurance_premium: Option<String>,
    /// whether the arrears are more than twelve weeks old
    pub arrears_over_12_weeks: Option<bool>,
    /// whether the employee supports another spouse or child
    pub supports_other_family: Option<bool>,
    /// when the order was received
    #[schema(value_type = Option<String>, format = Date)]
    pub received_on: Option<Date>,
}

/// What a levy for taxes says of the employee.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct TaxLevy {
    /// `single`, `married_filing_jointly`, `head_of_household`, or `married_filing_separately` as for an employee who gave
    /// no statement
    pub filing_status: &'static str,
    /// dependents of the employee's statement
    pub dependents: i64,
    /// how often the employee or the spouse is 65 or older, or blind
    pub additional_standard_deductions: i64,
    /// year of the exempt amounts; null for that of service
    pub year: Option<i16>,
    /// the state that levies, two letters; null for a federal levy
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
            annual_maximum: text(terms.annual_maximum),
            total_amount: text(terms.total_amount),
            pay_period_maximum: text(terms.pay_period_maximum),
            deduct_as_percentage: terms.deduct_as_percentage,
            garnishment_type: terms.garnishment_type.map(GarnishmentType::as_str),
            child_support: GarnishmentChildSupport::of(&record),
            income_withholding_order: IncomeWithholdingOrder::of(&record),
            served_on: terms.served_on,
            ends_on: terms.ends_on,
            tax_levy: terms.tax_levy.as_ref().map(TaxLevy::from),
            bankruptcy_chapter: terms.bankruptcy_chapter,
            employer_fee: terms.employer_fee,
            remittance: remittance.map(Remittance::as_str),
            remittance_reason: reason.map(ManualReason::as_str),
            remittance_reminder: reason.map(ManualReason::reminder),
            description: record.description,
        }
    }
}

impl GarnishmentChildSupport {
    fn of(record: &rows::Garnishment) -> Option<Self> {
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
    fn of(record: &rows::Garnishment) -> Option<Self> {
        let order = record.order()?;
        Some(Self {
            current_support: text(order.current_support),
            arrears: text(order.arrears),
            medical_support: text(order.medical_support),
            health_insurance_premium: text(order.health_insurance_premium),
            arrears_over_12_weeks: order.arrears_over_12_weeks,
            supports_other_family: order.supports_other_family,
            received_on: order.received_on,
        })
    }
}

fn text(amount: Option<Amount>) -> Option<String> {
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

        /// A garnishment as it is to be.
        #[derive(Debug, Default, Clone, Deserialize, ToSchema)]
        #[serde(default)]
        pub struct UpdateGarnishment {
            /// the version as last read
            #[schema(required)]
            pub version: Field<String>,
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
    /// by default true
    active: bool,
    /// dollars of each pay, or percent; a new garnishment needs it
    #[schema(value_type = String)]
    amount: Amount,
    /// at most 200 characters; not read for child support
    #[schema(nullable)]
    description: String,
    /// whether a court or an agency ordered it; a new garnishment needs it
    court_ordered: bool,
    /// `child_support`, `federal_tax_lien`, `state_tax_lien`, `student_loan`, `creditor_garnishment`, `federal_loan`,
    /// `other_garnishment`, or null
    #[schema(nullable)]
    garnishment_type: String,
    /// on how many pays it is taken
    #[schema(nullable)]
    times: i64,
    /// by default false
    recurring: bool,
    /// the most dollars of a calendar year
    #[schema(value_type = Option<String>)]
    annual_maximum: Amount,
    /// the most dollars of a pay period; needed for child support
    #[schema(value_type = Option<String>)]
    pay_period_maximum: Amount,
    /// by default false; must be true for child support
    deduct_as_percentage: bool,
    /// the most dollars in all
    #[schema(value_type = Option<String>)]
    total_amount: Amount,
    /// needed for child support; what an update does not name stays
    child_support: ChildSupportInput,
    /// details of the order; what an update does not name stays, null removes all of it
    #[schema(nullable)]
    income_withholding_order: IncomeWithholdingOrderInput,
    /// when it was served on the employer, such as 2026-05-01
    #[schema(nullable)]
    served_on: DateText,
    /// the last pay date of which it is taken, such as 2026-12-31
    #[schema(nullable)]
    ends_on: DateText,
    /// only for `federal_tax_lien` and `state_tax_lien`: what the notice and the employee's statement say; what an update
    /// does not name stays, null removes all of it
    #[schema(nullable)]
    tax_levy: TaxLevyInput,
    /// 12 or 13 where a bankruptcy court ordered payments to the trustee, with the type `other_garnishment`
    #[schema(nullable)]
    bankruptcy_chapter: i64,
    /// by default false; whether the employer takes the fee that the state of work allows, only with `child_support` and
    /// `creditor_garnishment` (an extension)
    employer_fee: bool,
}

input! {
    /// Whom child support is to be paid to.
    ChildSupportInput => commands::ChildSupportFields {
        /// state of an agency, two letters
        state: String,
        /// `Every week`, `Every other week`, `Twice per month` or `Monthly`
        payment_period: String,
        /// one of the agency's codes
        fips_code: String,
        /// number of the case, at most 50 characters
        case_number: String,
        /// number of the order, at most 50 characters
        order_number: String,
        /// number that stands for the order on payments, at most 50 characters
        remittance_number: String,
    }

    /// What an order says beyond its cap. The dollars are not more than `pay_period_maximum` together. They are taken under the
    /// names of the federal form (OMB 0970-0154), too, whose amounts add up to `current_support`, `medical_support` and `arrears`.
    IncomeWithholdingOrderInput => commands::OrderFields {
        /// support that falls due in a payment period
        #[schema(value_type = Option<String>)]
        current_support: Amount,
        /// support that is past due
        #[schema(value_type = Option<String>)]
        arrears: Amount,
        /// cash medical support
        #[schema(value_type = Option<String>)]
        medical_support: Amount,
        /// premium of the health insurance that a National Medical Support Notice orders, in a payment period: it is deducted as a
        /// benefit, and leaves less of the limit for arrears
        #[schema(value_type = Option<String>)]
        health_insurance_premium: Amount,
        /// whether the arrears are more than twelve weeks old
        arrears_over_12_weeks: bool,
        /// whether the employee supports another spouse or child
        supports_other_family: bool,
        /// when the order was received, such as 2026-05-01
        received_on: DateText,
        /// of the form: with the next one, `current_support`
        #[schema(value_type = Option<String>)]
        current_child_support: Amount,
        /// of the form
        #[schema(value_type = Option<String>)]
        current_spousal_support: Amount,
        /// of the form: `medical_support`
        #[schema(value_type = Option<String>)]
        current_cash_medical_support: Amount,
        /// of the form: with the next two, `arrears`
        #[schema(value_type = Option<String>)]
        past_due_child_support: Amount,
        /// of the form
        #[schema(value_type = Option<String>)]
        past_due_spousal_support: Amount,
        /// of the form
        #[schema(value_type = Option<String>)]
        past_due_cash_medical_support: Amount,
        /// of the form: `arrears_over_12_weeks`
        arrears_greater_than_12_weeks: bool,
    }
}

input! {
    /// What a levy for taxes says of the employee. A federal one with `amount` 0.00 takes all that is above the exempt
    /// amount; another amount is the most that it takes.
    TaxLevyInput => commands::TaxLevyFields {
        /// `single`, `married_filing_jointly`, `head_of_household`, or by default `married_filing_separately` as for an
        /// employee who gave no statement
        filing_status: String,
        /// dependents of the employee's statement, by default none
        dependents: i64,
        /// how often the employee or the spouse is 65 or older, or blind: each counts once for age and once for blindness; at most
        /// 4 with `married_filing_jointly`, else 2, and by default none
        additional_standard_deductions: i64,
        /// year of the exempt amounts; null for that of service
        #[schema(nullable)]
        year: i64,
        /// the state that levies, two letters; needed for `state_tax_lien`
        #[schema(nullable)]
        state: String,
    }
}

objects!(
    ChildSupportInput: "an object",
    IncomeWithholdingOrderInput: "an object",
    TaxLevyInput: "an object"
);
