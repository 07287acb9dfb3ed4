//! What requests and answers look like.

use rules::Amount;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::benefits::input::{ContributionInput, with_terms};
use crate::field::Field;

/// A type of benefit that the service knows.
#[derive(Debug, Serialize, ToSchema)]
pub struct SupportedBenefit {
    /// number of the type
    pub benefit_type: i64,
    /// what it is called
    pub name: &'static str,
    /// what it is
    pub description: &'static str,
    /// the deduction comes before taxes
    pub pretax: bool,
    /// the deduction comes after taxes
    pub posttax: bool,
    /// what the company gives counts as income
    pub imputed: bool,
    /// pays for health care
    pub healthcare: bool,
    /// saves for retirement
    pub retirement: bool,
    /// the law limits what goes into it in a year
    pub yearly_limit: bool,
    /// heading under which it is listed
    pub category: &'static str,
    /// whether the caller's token may create company benefits of it
    pub writable_by_application: bool,
}

/// What a form needs to know of one field.
#[derive(Debug, Serialize, ToSchema)]
pub struct FieldRequirement {
    /// whether a value is needed
    pub required: bool,
    /// whether a value may be entered
    pub editable: bool,
    /// what counts without one: value and type (`currency`, `boolean` or `text`)
    #[schema(value_type = Option<Object>)]
    pub default_value: Option<Value>,
    /// the values there are, where they are a list
    pub choices: Option<Vec<String>>,
}

/// What records of a type ask for, by field.
#[derive(Debug, Serialize, ToSchema)]
pub struct BenefitTypeRequirements {
    /// what is deducted
    pub employee_deduction: FieldRequirement,
    /// what the company gives
    pub contribution: FieldRequirement,
    /// whether the deduction is a percentage
    pub deduct_as_percentage: FieldRequirement,
    /// whether an older employee defers more
    pub catch_up: FieldRequirement,
    /// which legal limit counts
    pub limit_option: FieldRequirement,
    /// the most that the company gives in a year
    pub company_contribution_annual_maximum: FieldRequirement,
    /// what is insured, in yearly salaries
    pub coverage_salary_multiplier: FieldRequirement,
    /// what is insured, in dollars
    pub coverage_amount: FieldRequirement,
}

/// A benefit that a company offers.
#[derive(Debug, Serialize, ToSchema)]
pub struct CompanyBenefit {
    /// identifier
    pub uuid: Uuid,
    /// concurrency token, to be sent with an update
    pub version: String,
    /// whose it is
    pub company_uuid: Uuid,
    /// number of its type; never changes
    pub benefit_type: i64,
    /// whether it counts in payrolls
    pub active: bool,
    /// what the company calls it
    pub description: String,
    /// always `external`: made through this interface
    pub source: &'static str,
    /// always null
    pub partner_name: Option<String>,
    /// whether nothing uses it
    pub deletable: bool,
    /// whether amounts may be percentages
    pub supports_percentage_amounts: bool,
    /// whether the company pays its employer taxes
    pub responsible_for_employer_taxes: bool,
    /// whether the company reports it on Form W-2
    pub responsible_for_employee_w2: bool,
    /// `elective` or `deemed`
    pub catch_up_type: Option<String>,
    /// employees with an active record that has not ended; only with enrollment_count=true
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enrollment_count: Option<i64>,
}

/// A benefit that a company offers, and who has it.
#[derive(Debug, Serialize, ToSchema)]
pub struct CompanyBenefitWithEmployeeBenefits {
    /// the benefit
    #[serde(flatten)]
    pub company_benefit: CompanyBenefit,
    /// the employees' records; only with with_employee_benefits=true
    #[serde(skip_serializing_if = "Option::is_none")]
    pub employee_benefits: Option<Vec<EmployeeBenefit>>,
}

/// A new company benefit.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct CreateCompanyBenefit {
    /// number of a supported type
    #[schema(required)]
    pub benefit_type: Field<i64>,
    /// whether it counts in payrolls; true when left out
    pub active: Field<bool>,
    /// what the company calls it, at most 255 characters
    #[schema(required)]
    pub description: Field<String>,
    /// whether the company pays its employer taxes; false when left out
    pub responsible_for_employer_taxes: Field<bool>,
    /// whether the company reports it on Form W-2; false when left out
    pub responsible_for_employee_w2: Field<bool>,
    /// `elective` or `deemed`; only for retirement plans
    pub catch_up_type: Field<String>,
}

/// What an update changes; what is left out stays.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct UpdateCompanyBenefit {
    /// the version as last read
    #[schema(required)]
    pub version: Field<String>,
    /// whether it counts in payrolls; stays true while an employee is enrolled
    pub active: Field<bool>,
    /// what the company calls it
    pub description: Field<String>,
    /// whether the company pays its employer taxes
    pub responsible_for_employer_taxes: Field<bool>,
    /// whether the company reports it on Form W-2
    pub responsible_for_employee_w2: Field<bool>,
    /// `elective` or `deemed`; null clears it
    pub catch_up_type: Field<String>,
}

/// The days and amounts of an employee's record.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct BenefitTerms {
    /// YYYY-MM-DD: the first day
    pub effective_date: String,
    /// YYYY-MM-DD: the last day; null while the record is open, and then left out beside a company benefit
    #[schema(value_type = Option<String>)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expiration_date: Option<Option<String>>,
    /// whether it counts in payrolls
    pub active: bool,
    /// decimal text: dollars of each pay period, or percent of gross pay
    pub employee_deduction: String,
    /// whether employee_deduction is percent
    pub deduct_as_percentage: bool,
    /// decimal text: dollars of a calendar year at the most
    pub employee_deduction_annual_maximum: Option<String>,
    /// what the company gives: `type` (`amount`, `percentage` or `tiered`) and `value` (decimal text; for tiers an
    /// object with `tiers`, each with rate, threshold and threshold_delta in percent)
    #[schema(value_type = Object)]
    pub contribution: Value,
    /// whether the company gives at most what the employee does
    pub elective: bool,
    /// decimal text: dollars of a calendar year at the most
    pub company_contribution_annual_maximum: Option<String>,
    /// which legal limit counts
    pub limit_option: Option<&'static str>,
    /// whether the employee defers more because of age
    pub catch_up: bool,
    /// decimal text: dollars that are insured
    pub coverage_amount: Option<String>,
    /// decimal text: yearly salaries that are insured
    pub coverage_salary_multiplier: String,
    /// `unset` (as the type says), `reduces_taxable_income` or `does_not_reduce_taxable_income`
    pub deduction_reduces_taxable_income: &'static str,
    /// deprecated: the value of contribution; left out for tiers
    #[serde(skip_serializing_if = "Option::is_none")]
    pub company_contribution: Option<String>,
    /// deprecated: whether that is percent; left out for tiers
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contribute_as_percentage: Option<bool>,
}

/// An employee's record of a benefit: a window of days with its amounts.
#[derive(Debug, Serialize, ToSchema)]
pub struct EmployeeBenefit {
    /// identifier
    pub uuid: Uuid,
    /// concurrency token, to be sent with an update
    pub version: String,
    /// whose it is
    pub employee_uuid: Uuid,
    /// which of the company's benefits
    pub company_benefit_uuid: Uuid,
    /// days and amounts
    #[serde(flatten)]
    pub terms: BenefitTerms,
    /// always null
    pub retirement_loan_identifier: Option<String>,
}

with_terms! {
    /// A new record of an employee's benefit.
    pub struct CreateEmployeeBenefit {
        /// which of the company's benefits
        #[schema(required)]
        pub company_benefit_uuid: Field<String>,
        /// YYYY-MM-DD: the first day; 1970-01-01 when left out
        pub effective_date: Field<String>,
        /// YYYY-MM-DD: the last day; open when left out
        pub expiration_date: Field<String>,
    }
}

with_terms! {
    /// What an update changes; what is left out stays.
    pub struct UpdateEmployeeBenefit {
        /// the version as last read
        #[schema(required)]
        pub version: Field<String>,
        /// YYYY-MM-DD: the first day
        pub effective_date: Field<String>,
        /// YYYY-MM-DD: the last day; null opens the record
        pub expiration_date: Field<String>,
    }
}

with_terms! {
    /// One record of a request for many.
    pub struct BulkItem {
        /// whose record it is
        #[schema(required)]
        pub employee_uuid: Field<String>,
        /// `create` or `update`; needed where a date is sent. Without it, an employee who has no record of the benefit
        /// gets one, and of any other the present record is updated
        pub action: Field<String>,
        /// the record to update
        pub uuid: Field<String>,
        /// the version as last read, of the record to update
        pub version: Field<String>,
        /// YYYY-MM-DD: the first day
        pub effective_date: Field<String>,
        /// YYYY-MM-DD: the last day
        pub expiration_date: Field<String>,
    }
}

/// Records of many employees.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct UpdateManyEmployeeBenefits {
    /// one action for each employee
    #[schema(required)]
    pub employee_benefits: Field<Vec<BulkItem>>,
}

with_terms! {
    /// What is wished for some days; amounts that are left out are those of the day before the change, that is, of the
    /// record in force on the first of these days, or the last one before it, or the next one.
    pub struct TimelineWish {
        /// YYYY-MM-DD: the first of the days
        #[schema(required)]
        pub effective_date: Field<String>,
        /// YYYY-MM-DD: the last of the days; without one they do not end
        pub expiration_date: Field<String>,
        /// false: the benefit is not in force on these days
        pub enrolled: Field<bool>,
    }
}

/// A pay period to come.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct PayPeriodInput {
    /// YYYY-MM-DD: its last day
    #[schema(required)]
    pub end_date: Field<String>,
    /// YYYY-MM-DD: the day of payment; the last day when left out
    pub check_date: Field<String>,
}

/// The days of one benefit as they are wished. Days that are not named keep what they have.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct PlanInput {
    /// which of the company's benefits
    #[schema(required)]
    pub company_benefit_uuid: Field<String>,
    /// what is wished for which days, 1 to 100 windows that do not overlap
    #[schema(required)]
    pub timeline: Field<Vec<TimelineWish>>,
    /// dollars of gross pay in each payroll, for amounts that are percentages
    #[schema(value_type = String)]
    pub gross_pay: Field<Amount>,
    /// the pay periods whose payrolls are to be told, at most 60; those to come of the company's pay schedule when left
    /// out
    pub pay_periods: Field<Vec<PayPeriodInput>>,
}

/// A plan that is to be carried out.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct ApplyPlan {
    /// which of the company's benefits, as in the plan
    #[schema(required)]
    pub company_benefit_uuid: Field<String>,
    /// what is wished for which days, as in the plan
    #[schema(required)]
    pub timeline: Field<Vec<TimelineWish>>,
    /// the hash that the plan was answered with
    #[schema(required)]
    pub hash: Field<String>,
}

/// The changes that a wished timeline needs, in an order in which each can also be made by itself.
#[derive(Debug, Serialize, ToSchema)]
pub struct EmployeeBenefitPlan {
    /// stands for the records as they are and the changes; to be sent when the plan is carried out
    pub hash: String,
    /// whose benefit it is
    pub employee_uuid: Uuid,
    /// which of the company's benefits
    pub company_benefit_uuid: Uuid,
    /// none where every day already has what is wished
    pub changes: Vec<PlannedChange>,
    /// what the changes mean for the payrolls to come
    pub payrolls: Vec<PlannedPayroll>,
}

/// A change of a plan.
#[derive(Debug, Serialize, ToSchema)]
pub struct PlannedChange {
    /// `create`, `update` or `delete`
    pub action: &'static str,
    /// the record that changes; null for a new one
    pub employee_benefit_uuid: Option<Uuid>,
    /// its version; null for a new one
    pub version: Option<String>,
    /// as it is; null for a new one
    pub before: Option<BenefitTerms>,
    /// as it will be; null where it goes
    pub after: Option<BenefitTerms>,
}

/// A payroll to come, without and with the plan.
#[derive(Debug, Serialize, ToSchema)]
pub struct PlannedPayroll {
    /// YYYY-MM-DD: the day on which the benefit must be in force
    pub pay_period_end_date: String,
    /// YYYY-MM-DD: the day of payment
    pub check_date: String,
    /// whether the plan makes a difference
    pub changed: bool,
    /// without the plan
    pub before: BenefitOnPayroll,
    /// with the plan
    pub after: BenefitOnPayroll,
}

/// The benefit in a payroll to come.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
pub struct BenefitOnPayroll {
    /// whether it counts
    pub applies: bool,
    /// `applies`, `not_in_window`, `employee_benefit_inactive` or `company_benefit_inactive`
    pub why: &'static str,
    /// the record that is in force; null where none is, and for one that the plan creates
    pub employee_benefit_uuid: Option<Uuid>,
    /// decimal text; null where it depends on gross pay and none was given
    pub employee_deduction: Option<String>,
    /// decimal text; null where it depends on gross pay and none was given
    pub company_contribution: Option<String>,
}

/// A plan that was carried out.
#[derive(Debug, Serialize, ToSchema)]
pub struct AppliedPlan {
    /// that of the plan
    pub hash: String,
    /// the changes that were made
    pub changes: Vec<PlannedChange>,
    /// the employee's records of the benefit, in the order of creation
    pub employee_benefits: Vec<EmployeeBenefit>,
}

/// What holds of one benefit on which days.
#[derive(Debug, Serialize, ToSchema)]
pub struct BenefitTimeline {
    /// which of the company's benefits
    pub company_benefit_uuid: Uuid,
    /// what the company calls it
    pub description: String,
    /// number of its type
    pub benefit_type: i64,
    /// stretches of days without a gap between them
    pub days: Vec<TimelineStretch>,
}

/// Days on which the same holds.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
pub struct TimelineStretch {
    /// YYYY-MM-DD
    pub start_date: String,
    /// YYYY-MM-DD
    pub end_date: String,
    /// whether a payroll counts the benefit whose pay period ends on one of these days
    pub applies: bool,
    /// `applies`, `employee_benefit_inactive`, `company_benefit_inactive`, `before_first_window`, `between_windows` or
    /// `after_last_window`
    pub why: &'static str,
    /// the same in a sentence
    pub reason: String,
    /// the record in force
    pub employee_benefit_uuid: Option<Uuid>,
    /// its days and amounts
    pub terms: Option<BenefitTerms>,
}

/// What payrolls took and gave for a company's benefit.
#[derive(Debug, Serialize, ToSchema)]
pub struct BenefitSummary {
    /// YYYY-MM-DD: first day of payment
    pub start_date: String,
    /// YYYY-MM-DD: last day of payment
    pub end_date: String,
    /// what the company calls the benefit
    pub description: String,
    /// decimal text: deducted from employees
    pub company_benefit_deduction: String,
    /// decimal text: given by the company
    pub company_benefit_contribution: String,
    /// by employee
    pub employees: Vec<EmployeeSummary>,
}

/// What payrolls took from one employee and gave.
#[derive(Debug, Serialize, ToSchema)]
pub struct EmployeeSummary {
    /// the employee
    pub uuid: Uuid,
    /// decimal text: deducted
    pub company_benefit_deduction: String,
    /// decimal text: given by the company
    pub company_benefit_contribution: String,
    /// as company_benefit_deduction
    pub benefit_deduction: String,
    /// as company_benefit_contribution
    pub benefit_contribution: String,
    /// decimal text: gross pay of the payrolls
    pub gross_pay: String,
    /// decimal text: what counted as income by this benefit
    pub imputed_pay: String,
    /// by payroll; only with detailed=true
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payroll_benefits: Option<Vec<PayrollBenefit>>,
}

/// What one payroll took from one employee and gave.
#[derive(Debug, Serialize, ToSchema)]
pub struct PayrollBenefit {
    /// the payroll
    pub payroll_uuid: Uuid,
    /// such as `Regular`
    pub payroll_type: String,
    /// YYYY-MM-DD
    pub check_date: String,
    /// decimal text
    pub gross_pay: String,
    /// decimal text
    pub imputed_pay: String,
    /// decimal text
    pub company_benefit_deduction: String,
    /// decimal text
    pub company_benefit_contribution: String,
    /// the days that were paid
    pub pay_period: SummaryPayPeriod,
}

/// The days that a payroll paid.
#[derive(Debug, Serialize, ToSchema)]
pub struct SummaryPayPeriod {
    /// YYYY-MM-DD
    pub start_date: Option<String>,
    /// YYYY-MM-DD
    pub end_date: Option<String>,
}
