//! Benefits on the wire.

mod employee;
mod input;
#[cfg(test)]
mod tests;

pub use employee::{
    AppliedPlan, BenefitOnPayroll, BenefitTerms, BenefitTimeline, EmployeeBenefit, EmployeeBenefitPlan,
    PlannedChange, PlannedPayroll, TimelineRange,
};
pub use input::{
    ApplyPlan, BulkItem, CreateCompanyBenefit, CreateEmployeeBenefit, PayPeriodInput, PlanInput, TierInput,
    TimelineWish, UpdateCompanyBenefit, UpdateEmployeeBenefit, UpdateManyEmployeeBenefits,
};

use domain::access::tokens::Caller;
use domain::benefits::rows::company::{CatchUpType, CompanyBenefitUsage};
use domain::benefits::rows::payroll::BenefitItem;
use domain::benefits::service::company::CompanyBenefitDetails;
use domain::benefits::service::{COMPANY_BENEFITS, summary};
use domain::records::version_text;
use rules::Named;
use rules::payroll::benefits::BenefitType;
use rules::payroll::benefits::requirements::{self, Requirement};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::values::CatchUpName;

/// A benefit type.
#[derive(Debug, Serialize, ToSchema)]
pub struct SupportedBenefit {
    /// number of the benefit type
    pub benefit_type: i64,
    /// its name
    pub name: &'static str,
    /// its description
    pub description: &'static str,
    /// the deduction is pre-tax
    pub pretax: bool,
    /// the deduction is post-tax
    pub posttax: bool,
    /// the company's contribution is imputed income
    pub imputed: bool,
    /// it pays for health care
    pub healthcare: bool,
    /// it is a retirement plan
    pub retirement: bool,
    /// the law limits the yearly contributions
    pub yearly_limit: bool,
    /// the category under which it is listed
    pub category: &'static str,
    /// whether the caller's token may create company benefits of it
    pub writable_by_application: bool,
}

impl SupportedBenefit {
    /// The answer for a type of benefit.
    pub fn new(caller: &Caller, kind: &BenefitType) -> Self {
        let marks = kind.marks;
        Self {
            benefit_type: kind.code,
            name: kind.name,
            description: kind.description,
            pretax: marks.pretax,
            posttax: marks.posttax,
            imputed: marks.imputed,
            healthcare: marks.healthcare,
            retirement: marks.retirement,
            yearly_limit: marks.yearly_limit,
            category: kind.category,
            writable_by_application: caller.scopes.contains("company_benefits:write"),
        }
    }
}

/// How a form presents one field.
#[derive(Debug, Serialize, ToSchema)]
pub struct FieldRequirement {
    /// whether a value is required
    pub required: bool,
    /// whether a value can be entered
    pub editable: bool,
    /// the default: value and type (`currency`, `boolean` or `text`)
    #[schema(value_type = Option<Object>)]
    pub default_value: Option<Value>,
    /// the allowed values, if they form a list
    pub choices: Option<Vec<&'static str>>,
}

impl From<Requirement> for FieldRequirement {
    fn from(of: Requirement) -> Self {
        Self {
            required: of.required,
            editable: of.editable,
            default_value: of.default_value.map(|(value, kind)| json!({ "value": value, "type": kind })),
            choices: of.choices,
        }
    }
}

/// The fields of a benefit type's records.
#[derive(Debug, Serialize, ToSchema)]
pub struct BenefitTypeRequirements {
    /// the employee's deduction
    pub employee_deduction: FieldRequirement,
    /// the company's contribution
    pub contribution: FieldRequirement,
    /// whether the deduction is a percentage
    pub deduct_as_percentage: FieldRequirement,
    /// whether the employee makes catch-up contributions
    pub catch_up: FieldRequirement,
    /// which legal limit applies
    pub limit_option: FieldRequirement,
    /// the most that the company contributes in a year
    pub company_contribution_annual_maximum: FieldRequirement,
    /// insured amount as a multiple of the yearly salary
    pub coverage_salary_multiplier: FieldRequirement,
    /// insured amount in dollars
    pub coverage_amount: FieldRequirement,
}

impl BenefitTypeRequirements {
    /// The answer for a type of benefit.
    pub fn new(kind: &BenefitType) -> Self {
        let of = requirements::requirements_of_type(kind);
        Self {
            employee_deduction: of.employee_deduction.into(),
            contribution: of.contribution.into(),
            deduct_as_percentage: of.deduct_as_percentage.into(),
            catch_up: of.catch_up.into(),
            limit_option: of.limit_option.into(),
            company_contribution_annual_maximum: of.company_contribution_annual_maximum.into(),
            coverage_salary_multiplier: of.coverage_salary_multiplier.into(),
            coverage_amount: of.coverage_amount.into(),
        }
    }
}

/// A benefit that a company offers.
#[derive(Debug, Serialize, ToSchema)]
pub struct CompanyBenefit {
    /// identifier
    pub uuid: Uuid,
    /// concurrency token, to be sent with an update
    pub version: String,
    /// the company
    pub company_uuid: Uuid,
    /// number of its benefit type; never changes
    pub benefit_type: i64,
    /// whether payrolls apply it
    pub active: bool,
    /// its name
    pub description: String,
    /// always `external`: created through this API
    pub source: &'static str,
    /// always null
    pub partner_name: Option<String>,
    /// whether it is unused, so that it can be deleted
    pub deletable: bool,
    /// whether amounts may be percentages
    pub supports_percentage_amounts: bool,
    /// whether the company pays its employer taxes
    pub responsible_for_employer_taxes: bool,
    /// whether the company reports it on Form W-2
    pub responsible_for_employee_w2: bool,
    /// `elective` or `deemed`
    #[schema(value_type = Option<CatchUpName>)]
    pub catch_up_type: Option<&'static str>,
    /// employees with an active record that has not ended; only with enrollment_count=true
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enrollment_count: Option<i64>,
}

impl CompanyBenefit {
    /// The answer for a benefit of `company`.
    pub fn new(company: Uuid, usage: CompanyBenefitUsage) -> Self {
        let CompanyBenefitUsage { benefit, used, enrollment_count } = usage;
        Self {
            uuid: benefit.id,
            version: version_text(COMPANY_BENEFITS, benefit.id, benefit.version),
            company_uuid: company,
            benefit_type: benefit.kind.code,
            active: benefit.active,
            description: benefit.description,
            source: "external",
            partner_name: None,
            deletable: !used,
            supports_percentage_amounts: benefit.kind.supports_percentages(),
            responsible_for_employer_taxes: benefit.responsible_for_employer_taxes,
            responsible_for_employee_w2: benefit.responsible_for_employee_w2,
            catch_up_type: benefit.catch_up_type.map(CatchUpType::as_str),
            enrollment_count,
        }
    }
}

/// A company benefit with its employees' records.
#[derive(Debug, Serialize, ToSchema)]
pub struct CompanyBenefitWithEmployeeBenefits {
    /// the benefit
    #[serde(flatten)]
    pub company_benefit: CompanyBenefit,
    /// the employees' records; only with with_employee_benefits=true
    #[serde(skip_serializing_if = "Option::is_none")]
    pub employee_benefits: Option<Vec<EmployeeBenefit>>,
}

impl CompanyBenefitWithEmployeeBenefits {
    /// The answer for a benefit of `company`.
    pub fn new(company: Uuid, details: CompanyBenefitDetails) -> Self {
        let employee_benefits = details.employee_benefits;
        Self {
            company_benefit: CompanyBenefit::new(company, details.company_benefit),
            employee_benefits: employee_benefits
                .map(|records| records.into_iter().map(EmployeeBenefit::without_null_expiration).collect()),
        }
    }
}

/// The deductions and contributions of a company benefit.
#[derive(Debug, Serialize, ToSchema)]
pub struct BenefitSummary {
    /// YYYY-MM-DD: first check date
    #[schema(format = Date)]
    pub start_date: String,
    /// YYYY-MM-DD: last check date
    #[schema(format = Date)]
    pub end_date: String,
    /// the benefit's name
    pub description: String,
    /// decimal text: deducted from employees
    pub company_benefit_deduction: String,
    /// decimal text: contributed by the company
    pub company_benefit_contribution: String,
    /// by employee; only with detailed=true
    #[serde(skip_serializing_if = "Option::is_none")]
    pub employees: Option<Vec<EmployeeSummary>>,
}

impl BenefitSummary {
    /// A summary, with its employees if they were requested.
    pub fn new(summary: summary::BenefitSummary, detailed: bool) -> Self {
        Self {
            start_date: summary.start.to_string(),
            end_date: summary.end.to_string(),
            description: summary.description,
            company_benefit_deduction: summary.deduction.to_string(),
            company_benefit_contribution: summary.contribution.to_string(),
            employees: detailed.then(|| summary.employees.into_iter().map(EmployeeSummary::from).collect()),
        }
    }
}

/// The deductions and contributions of one employee.
#[derive(Debug, Serialize, ToSchema)]
pub struct EmployeeSummary {
    /// the employee
    pub uuid: Uuid,
    /// decimal text: deducted from the employee
    pub company_benefit_deduction: String,
    /// decimal text: contributed by the company
    pub company_benefit_contribution: String,
    /// as company_benefit_deduction
    pub benefit_deduction: String,
    /// as company_benefit_contribution
    pub benefit_contribution: String,
    /// decimal text: gross pay of the payrolls
    pub gross_pay: String,
    /// decimal text: imputed income from this benefit
    pub imputed_pay: String,
    /// by payroll; only with detailed=true
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payroll_benefits: Option<Vec<PayrollBenefit>>,
}

impl From<summary::EmployeeSummary> for EmployeeSummary {
    fn from(summary: summary::EmployeeSummary) -> Self {
        let (deduction, contribution) = (summary.deduction.to_string(), summary.contribution.to_string());
        Self {
            uuid: summary.employee,
            company_benefit_deduction: deduction.clone(),
            company_benefit_contribution: contribution.clone(),
            benefit_deduction: deduction,
            benefit_contribution: contribution,
            gross_pay: summary.gross_pay.to_string(),
            imputed_pay: summary.imputed_pay.to_string(),
            payroll_benefits: summary
                .items
                .map(|items| items.into_iter().map(PayrollBenefit::from).collect()),
        }
    }
}

/// The deductions and contributions of one employee in one payroll.
#[derive(Debug, Serialize, ToSchema)]
pub struct PayrollBenefit {
    /// the payroll
    pub payroll_uuid: Uuid,
    /// such as `Regular`
    pub payroll_type: String,
    /// YYYY-MM-DD
    #[schema(format = Date)]
    pub check_date: String,
    /// decimal text
    pub gross_pay: String,
    /// decimal text
    pub imputed_pay: String,
    /// decimal text
    pub company_benefit_deduction: String,
    /// decimal text
    pub company_benefit_contribution: String,
    /// the pay period
    pub pay_period: SummaryPayPeriod,
}

impl From<BenefitItem> for PayrollBenefit {
    fn from(item: BenefitItem) -> Self {
        Self {
            payroll_uuid: item.payroll,
            payroll_type: item.payroll_type,
            check_date: item.check_date.to_string(),
            gross_pay: item.gross_pay.to_text(2),
            imputed_pay: item.imputed_pay.to_text(2),
            company_benefit_deduction: item.employee_deduction.to_text(2),
            company_benefit_contribution: item.company_contribution.to_text(2),
            pay_period: SummaryPayPeriod {
                start_date: item.period_start.map(|day| day.to_string()),
                end_date: item.period_end.map(|day| day.to_string()),
            },
        }
    }
}

/// A pay period.
#[derive(Debug, Serialize, ToSchema)]
pub struct SummaryPayPeriod {
    /// YYYY-MM-DD
    #[schema(format = Date)]
    pub start_date: Option<String>,
    /// YYYY-MM-DD
    #[schema(format = Date)]
    pub end_date: Option<String>,
}
