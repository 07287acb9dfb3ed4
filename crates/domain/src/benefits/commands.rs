//! Inputs of the use cases of benefits.

use jiff::civil::Date;
use rules::Amount;
use rules::payroll::benefits::LimitOption;

use crate::benefits::rows::company::CatchUpType;
use crate::patch::Patch;

/// Creates a company benefit.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "fields are those of the record")]
pub struct CreateCompanyBenefit {
    pub benefit_type: Patch<i64>,
    pub active: Patch<bool>,
    pub description: Patch<String>,
    pub responsible_for_employer_taxes: Patch<bool>,
    pub responsible_for_employee_w2: Patch<bool>,
    pub catch_up_type: Patch<CatchUpType>,
}

/// Updates the given fields of a company benefit; the type never changes.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "fields are those of the record")]
pub struct UpdateCompanyBenefit {
    pub version: Patch<String>,
    pub active: Patch<bool>,
    pub description: Patch<String>,
    pub responsible_for_employer_taxes: Patch<bool>,
    pub responsible_for_employee_w2: Patch<bool>,
    pub catch_up_type: Patch<CatchUpType>,
}

/// The amounts of an employee's benefit, part of several commands.
#[derive(Debug, Clone, Default)]
pub struct TermsPatch {
    /// whether it counts in payrolls
    pub active: Patch<bool>,
    /// dollars per pay period, or percent of gross pay
    pub employee_deduction: Patch<Amount>,
    /// whether `employee_deduction` is a percentage
    pub deduct_as_percentage: Patch<bool>,
    /// dollars per calendar year; null for no maximum
    pub employee_deduction_annual_maximum: Patch<Amount>,
    /// company contribution
    pub contribution: Patch<ContributionPatch>,
    /// whether the company contributes at most the employee's deduction; always true for tiers
    pub elective: Patch<bool>,
    /// dollars per calendar year; null for no maximum
    pub company_contribution_annual_maximum: Patch<Amount>,
    /// name of a [`LimitOption`](rules::payroll::benefits::LimitOption)
    pub limit_option: Patch<LimitOption>,
    /// whether the employee makes catch-up contributions
    pub catch_up: Patch<bool>,
    /// insured dollars
    pub coverage_amount: Patch<Amount>,
    /// insured yearly salaries
    pub coverage_salary_multiplier: Patch<Amount>,
    /// `unset`, `reduces_taxable_income` or `does_not_reduce_taxable_income`
    pub deduction_reduces_taxable_income: Patch<String>,
    /// deprecated: the value of `contribution`, if that is absent
    pub company_contribution: Patch<Amount>,
    /// deprecated: whether `company_contribution` is a percentage
    pub contribute_as_percentage: Patch<bool>,
}

/// A company contribution.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ContributionPatch {
    /// `amount`, `percentage` or `tiered`
    pub kind: Patch<String>,
    /// dollars, percent or tiers
    pub value: Patch<ContributionValue>,
}

/// The value of a company contribution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ContributionValue {
    /// dollars or percent
    Amount(Amount),
    /// tiers in the order of their thresholds
    Tiers(Vec<TierPatch>),
}

/// A tier of a matching scheme.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TierPatch {
    /// percent of the deduction that the company contributes within the tier
    pub rate: Patch<Amount>,
    /// upper end of the tier, in percent of gross pay
    pub threshold: Patch<Amount>,
}

/// Creates a record of an employee's benefit.
#[derive(Debug, Clone, Default)]
pub struct CreateEmployeeBenefit {
    /// the company benefit
    pub company_benefit_uuid: Patch<String>,
    /// first day; 1970-01-01 if absent
    pub effective_date: Patch<Date>,
    /// last day; none if absent
    pub expiration_date: Patch<Date>,
    /// amounts
    pub terms: TermsPatch,
}

/// Updates the given fields of a record of an employee's benefit.
#[derive(Debug, Clone, Default)]
pub struct UpdateEmployeeBenefit {
    /// the version as last read
    pub version: Patch<String>,
    /// first day
    pub effective_date: Patch<Date>,
    /// last day; null for none
    pub expiration_date: Patch<Date>,
    /// amounts
    pub terms: TermsPatch,
}

/// Creates or updates a record of each of several employees.
#[derive(Debug, Clone, Default)]
pub struct UpdateManyEmployeeBenefits {
    /// one item per employee
    pub employee_benefits: Patch<Vec<BulkItem>>,
}

/// Creates or updates the record of one employee.
#[derive(Debug, Clone, Default)]
pub struct BulkItem {
    /// the employee
    pub employee_uuid: Patch<String>,
    /// `create` or `update`; required with dates. Without it, the current record is updated, or one created if there
    /// is none
    pub action: Patch<String>,
    /// the record to update
    pub uuid: Patch<String>,
    /// the version as last read of the record to update
    pub version: Patch<String>,
    /// first day
    pub effective_date: Patch<Date>,
    /// last day
    pub expiration_date: Patch<Date>,
    /// amounts
    pub terms: TermsPatch,
}

/// Plans the changes that lead to a timeline.
#[derive(Debug, Clone, Default)]
pub struct PlanTimeline {
    /// the company benefit
    pub company_benefit_uuid: Patch<String>,
    /// desired windows; days outside of them stay as they are
    pub timeline: Patch<Vec<TimelineWindow>>,
    /// gross pay per payroll in dollars, for amounts that are percentages
    pub gross_pay: Patch<Amount>,
    /// the pay periods to calculate; by default the coming ones of the pay schedule
    pub pay_periods: Patch<Vec<PayPeriod>>,
}

/// Applies a plan.
#[derive(Debug, Clone, Default)]
pub struct ApplyPlan {
    /// as in the plan
    pub company_benefit_uuid: Patch<String>,
    /// as in the plan
    pub timeline: Patch<Vec<TimelineWindow>>,
    /// the hash of the plan
    pub hash: Patch<String>,
}

/// A desired window of a timeline. Absent amounts are those of the record in force on its first day, or else the last
/// one before it, or else the next one.
#[derive(Debug, Clone, Default)]
pub struct TimelineWindow {
    /// first day
    pub effective_date: Patch<Date>,
    /// last day; none if absent
    pub expiration_date: Patch<Date>,
    /// false if the benefit is not in force on these days
    pub enrolled: Patch<bool>,
    /// amounts
    pub terms: TermsPatch,
}

/// A coming pay period.
#[derive(Debug, Clone, Default)]
pub struct PayPeriod {
    /// last day
    pub end_date: Patch<Date>,
    /// check date; the last day if absent
    pub check_date: Patch<Date>,
}
