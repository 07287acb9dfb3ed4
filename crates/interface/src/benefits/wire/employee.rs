//! Employees' benefits, plans and timelines on the wire.

use domain::benefits::rows::employee as rows;
use domain::benefits::service::{EMPLOYEE_BENEFITS, contribution_json, effect, planning, timeline};
use domain::records::version_text;
use rules::Amount;
use rules::Named;
use rules::payroll::benefits::election::taxable_income_word;
use rules::payroll::benefits::{BenefitElection, Contribution};
use rules::window::Window;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::values::{DayStanding, LimitOption, PlanAction, Standing, TaxableIncome};

/// The days and amounts of an employee's record.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct BenefitTerms {
    /// YYYY-MM-DD: the first day
    #[schema(format = Date)]
    pub effective_date: String,
    /// YYYY-MM-DD: the last day; null while the record is open, and then left out beside a company benefit
    #[schema(value_type = Option<String>, format = Date)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expiration_date: Option<Option<String>>,
    /// whether payrolls apply it
    pub active: bool,
    /// decimal text: dollars per pay period, or percent of gross pay
    pub employee_deduction: String,
    /// whether employee_deduction is percent
    pub deduct_as_percentage: bool,
    /// decimal text: the most that is deducted in a calendar year, dollars
    pub employee_deduction_annual_maximum: Option<String>,
    /// the company's contribution: `type` (`amount`, `percentage` or `tiered`) and `value` (decimal text; for tiers an
    /// object with `tiers`, each with rate, threshold and threshold_delta in percent)
    #[schema(value_type = Object)]
    pub contribution: Value,
    /// whether the company contributes at most as much as the employee
    pub elective: bool,
    /// decimal text: the most that the company contributes in a calendar year, dollars
    pub company_contribution_annual_maximum: Option<String>,
    /// which legal limit applies
    pub limit_option: Option<LimitOption>,
    /// whether the employee makes catch-up contributions because of age
    pub catch_up: bool,
    /// decimal text: insured amount in dollars
    pub coverage_amount: Option<String>,
    /// decimal text: insured amount as a multiple of the yearly salary
    pub coverage_salary_multiplier: String,
    /// `unset` (according to the type), `reduces_taxable_income` or `does_not_reduce_taxable_income`
    #[schema(value_type = TaxableIncome)]
    pub deduction_reduces_taxable_income: &'static str,
    /// deprecated: the value of contribution; omitted for tiers
    #[serde(skip_serializing_if = "Option::is_none")]
    pub company_contribution: Option<String>,
    /// deprecated: whether that is percent; omitted for tiers
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contribute_as_percentage: Option<bool>,
}

impl BenefitTerms {
    /// The answer for the amounts of a window.
    pub fn new(window: Window, active: bool, terms: &BenefitElection) -> Self {
        let maximum = |amount: Option<Amount>| amount.map(|amount| amount.to_text(2));
        // The deprecated fields cannot express tiers.
        let deprecated = match &terms.contribution {
            Contribution::Amount(value) => Some((value.to_text(2), false)),
            Contribution::Percentage(value) => Some((value.to_text(2), true)),
            Contribution::Tiered(_) => None,
        };
        Self {
            effective_date: window.effective.to_string(),
            expiration_date: Some(window.expiration.map(|day| day.to_string())),
            active,
            employee_deduction: terms.deduction.to_text(2),
            deduct_as_percentage: terms.deduct_as_percentage,
            employee_deduction_annual_maximum: maximum(terms.deduction_annual_maximum),
            contribution: contribution_json(&terms.contribution),
            elective: terms.elective,
            company_contribution_annual_maximum: maximum(terms.contribution_annual_maximum),
            limit_option: terms.limit_option.map(LimitOption::from),
            catch_up: terms.catch_up,
            coverage_amount: maximum(terms.coverage_amount),
            coverage_salary_multiplier: terms.coverage_salary_multiplier.to_text(2),
            deduction_reduces_taxable_income: taxable_income_word(terms.reduces_taxable_income),
            contribute_as_percentage: deprecated.as_ref().map(|(_, as_percentage)| *as_percentage),
            company_contribution: deprecated.map(|(value, _)| value),
        }
    }
}

/// An employee's record of a benefit: a window of days with its amounts.
#[derive(Debug, Serialize, ToSchema)]
pub struct EmployeeBenefit {
    /// identifier
    pub uuid: Uuid,
    /// concurrency token, to be sent with an update
    pub version: String,
    /// the employee
    pub employee_uuid: Uuid,
    /// the company benefit
    pub company_benefit_uuid: Uuid,
    /// days and amounts
    #[serde(flatten)]
    pub terms: BenefitTerms,
    /// always null
    pub retirement_loan_identifier: Option<String>,
}

impl From<rows::EmployeeBenefit> for EmployeeBenefit {
    fn from(record: rows::EmployeeBenefit) -> Self {
        Self {
            uuid: record.id,
            version: version_text(EMPLOYEE_BENEFITS, record.id, record.version),
            employee_uuid: record.employee,
            company_benefit_uuid: record.company_benefit,
            terms: BenefitTerms::new(record.window, record.active, &record.terms),
            retirement_loan_identifier: None,
        }
    }
}

impl EmployeeBenefit {
    /// The record as included in a company benefit, where generated clients do not accept null as the last day.
    pub(super) fn without_null_expiration(record: rows::EmployeeBenefit) -> Self {
        let mut benefit = Self::from(record);
        benefit.terms.expiration_date = benefit.terms.expiration_date.filter(Option::is_some);
        benefit
    }
}

/// The changes that lead to the desired timeline, in an order in which each can also be made by itself.
#[derive(Debug, Serialize, ToSchema)]
pub struct EmployeeBenefitPlan {
    /// hash of the current records and the changes; send it to apply the plan
    pub hash: String,
    /// the employee
    pub employee_uuid: Uuid,
    /// the company benefit
    pub company_benefit_uuid: Uuid,
    /// empty if the timeline is already as desired
    pub changes: Vec<PlannedChange>,
    /// the effect of the changes on upcoming payrolls
    pub payrolls: Vec<PlannedPayroll>,
}

impl From<planning::TimelinePlan> for EmployeeBenefitPlan {
    fn from(plan: planning::TimelinePlan) -> Self {
        Self {
            hash: plan.hash,
            employee_uuid: plan.employee,
            company_benefit_uuid: plan.company_benefit,
            changes: plan.changes.iter().map(PlannedChange::from).collect(),
            payrolls: plan.payrolls.into_iter().map(PlannedPayroll::from).collect(),
        }
    }
}

/// A change of a plan.
#[derive(Debug, Serialize, ToSchema)]
pub struct PlannedChange {
    /// `create`, `update` or `delete`
    #[schema(value_type = PlanAction)]
    pub action: &'static str,
    /// the record that changes; null if it is created
    pub employee_benefit_uuid: Option<Uuid>,
    /// its version; null if it is created
    pub version: Option<String>,
    /// the record before the change; null if it is created
    pub before: Option<BenefitTerms>,
    /// the record after the change; null if it is deleted
    pub after: Option<BenefitTerms>,
}

impl From<&planning::PlannedChange> for PlannedChange {
    fn from(change: &planning::PlannedChange) -> Self {
        let (before, after) = (change.before(), change.after());
        Self {
            action: change.action(),
            employee_benefit_uuid: before.map(|record| record.id),
            version: before.map(|record| version_text(EMPLOYEE_BENEFITS, record.id, record.version)),
            before: before.map(|record| BenefitTerms::new(record.window, record.active, &record.terms)),
            after: after.map(|record| BenefitTerms::new(record.window, record.active, &record.terms)),
        }
    }
}

/// An upcoming payroll, without and with the plan.
#[derive(Debug, Serialize, ToSchema)]
pub struct PlannedPayroll {
    /// YYYY-MM-DD: the day on which the benefit must be in force
    #[schema(format = Date)]
    pub pay_period_end_date: String,
    /// YYYY-MM-DD: the check date
    #[schema(format = Date)]
    pub check_date: String,
    /// whether the plan makes a difference
    pub changed: bool,
    /// without the plan
    pub before: BenefitOnPayroll,
    /// with the plan
    pub after: BenefitOnPayroll,
}

impl From<effect::PlannedPayroll> for PlannedPayroll {
    fn from(payroll: effect::PlannedPayroll) -> Self {
        Self {
            pay_period_end_date: payroll.period_end.to_string(),
            check_date: payroll.check_date.to_string(),
            changed: payroll.changed,
            before: payroll.before.into(),
            after: payroll.after.into(),
        }
    }
}

/// The benefit in an upcoming payroll.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
pub struct BenefitOnPayroll {
    /// whether the payroll applies it
    pub applies: bool,
    /// `applies`, `not_in_window`, `employee_benefit_inactive` or `company_benefit_inactive`
    pub why: Standing,
    /// the record in force; null if there is none, or if the plan creates it
    pub employee_benefit_uuid: Option<Uuid>,
    /// decimal text; null if it depends on gross pay and none was given
    pub employee_deduction: Option<String>,
    /// decimal text; null if it depends on gross pay and none was given
    pub company_contribution: Option<String>,
}

impl From<effect::BenefitOnPayroll> for BenefitOnPayroll {
    fn from(benefit: effect::BenefitOnPayroll) -> Self {
        Self {
            applies: benefit.applies(),
            why: benefit.standing.into(),
            employee_benefit_uuid: benefit.record,
            employee_deduction: benefit.employee_deduction.map(|amount| amount.to_text(2)),
            company_contribution: benefit.company_contribution.map(|amount| amount.to_text(2)),
        }
    }
}

/// A plan that was applied.
#[derive(Debug, Serialize, ToSchema)]
pub struct AppliedPlan {
    /// the plan's hash
    pub hash: String,
    /// the changes that were made
    pub changes: Vec<PlannedChange>,
    /// the employee's records of the benefit, in the order of creation
    pub employee_benefits: Vec<EmployeeBenefit>,
}

impl From<planning::AppliedPlan> for AppliedPlan {
    fn from(plan: planning::AppliedPlan) -> Self {
        Self {
            hash: plan.hash,
            changes: plan.changes.iter().map(PlannedChange::from).collect(),
            employee_benefits: plan.employee_benefits.into_iter().map(EmployeeBenefit::from).collect(),
        }
    }
}

/// On which days one benefit is in force.
#[derive(Debug, Serialize, ToSchema)]
pub struct BenefitTimeline {
    /// the company benefit
    pub company_benefit_uuid: Uuid,
    /// its name
    pub description: String,
    /// number of its benefit type
    pub benefit_type: i64,
    /// ranges of days, without gaps
    pub days: Vec<TimelineRange>,
}

impl From<timeline::BenefitTimeline> for BenefitTimeline {
    fn from(timeline: timeline::BenefitTimeline) -> Self {
        Self {
            company_benefit_uuid: timeline.company_benefit,
            description: timeline.description,
            benefit_type: timeline.kind.code,
            days: timeline.ranges.into_iter().map(TimelineRange::from).collect(),
        }
    }
}

/// A range of days on which nothing changes.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
pub struct TimelineRange {
    /// YYYY-MM-DD
    #[schema(format = Date)]
    pub start_date: String,
    /// YYYY-MM-DD
    #[schema(format = Date)]
    pub end_date: String,
    /// whether a payroll whose pay period ends on one of these days applies the benefit
    pub applies: bool,
    /// `applies`, `employee_benefit_inactive`, `company_benefit_inactive`, `before_first_window`, `between_windows` or
    /// `after_last_window`
    #[schema(value_type = DayStanding)]
    pub why: &'static str,
    /// the reason as a sentence
    pub reason: String,
    /// the record in force
    pub employee_benefit_uuid: Option<Uuid>,
    /// its days and amounts
    pub terms: Option<BenefitTerms>,
}

impl From<timeline::DayRange> for TimelineRange {
    fn from(span: timeline::DayRange) -> Self {
        let benefit = span.benefit.as_ref();
        Self {
            start_date: span.first.to_string(),
            end_date: span.last.to_string(),
            applies: span.status == timeline::DayStatus::Applies,
            why: span.status.as_str(),
            employee_benefit_uuid: benefit.map(|benefit| benefit.record),
            terms: benefit.map(|benefit| BenefitTerms::new(benefit.window, benefit.active, &benefit.terms)),
            reason: span.reason,
        }
    }
}
