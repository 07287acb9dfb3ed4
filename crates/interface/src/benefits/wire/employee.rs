//! Employees' benefits, plans and timelines on the wire.

use domain::benefits::rows::employee as rows;
use domain::benefits::service::{EMPLOYEE_BENEFITS, contribution, effect, planning, timeline};
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
    /// whether it counts in payrolls
    pub active: bool,
    /// decimal text: dollars of each pay period, or percent of gross pay
    pub employee_deduction: String,
    /// whether employee_deduction is percent
    pub deduct_as_percentage: bool,
    /// decimal text: dollars of a calendar year at most
    pub employee_deduction_annual_maximum: Option<String>,
    /// what the company gives: `type` (`amount`, `percentage` or `tiered`) and `value` (decimal text; for tiers an
    /// object with `tiers`, each with rate, threshold and threshold_delta in percent)
    #[schema(value_type = Object)]
    pub contribution: Value,
    /// whether the company gives at most what the employee does
    pub elective: bool,
    /// decimal text: dollars of a calendar year at most
    pub company_contribution_annual_maximum: Option<String>,
    /// which legal limit counts
    pub limit_option: Option<LimitOption>,
    /// whether the employee defers more because of age
    pub catch_up: bool,
    /// decimal text: dollars that are insured
    pub coverage_amount: Option<String>,
    /// decimal text: yearly salaries that are insured
    pub coverage_salary_multiplier: String,
    /// `unset` (as the type says), `reduces_taxable_income` or `does_not_reduce_taxable_income`
    #[schema(value_type = TaxableIncome)]
    pub deduction_reduces_taxable_income: &'static str,
    /// deprecated: the value of contribution; left out for tiers
    #[serde(skip_serializing_if = "Option::is_none")]
    pub company_contribution: Option<String>,
    /// deprecated: whether that is percent; left out for tiers
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
            contribution: contribution(&terms.contribution),
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
    /// The answer beside a company benefit, where generated clients do not accept null as the last day.
    pub(super) fn without_null_expiration(record: rows::EmployeeBenefit) -> Self {
        let mut benefit = Self::from(record);
        benefit.terms.expiration_date = benefit.terms.expiration_date.filter(Option::is_some);
        benefit
    }
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
    /// the record that changes; null for a new one
    pub employee_benefit_uuid: Option<Uuid>,
    /// its version; null for a new one
    pub version: Option<String>,
    /// as it is; null for a new one
    pub before: Option<BenefitTerms>,
    /// as it will be; null where it goes
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

/// A payroll to come, without and with the plan.
#[derive(Debug, Serialize, ToSchema)]
pub struct PlannedPayroll {
    /// YYYY-MM-DD: the day on which the benefit must be in force
    #[schema(format = Date)]
    pub pay_period_end_date: String,
    /// YYYY-MM-DD: the day of payment
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

/// The benefit in a payroll to come.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
pub struct BenefitOnPayroll {
    /// whether it counts
    pub applies: bool,
    /// `applies`, `not_in_window`, `employee_benefit_inactive` or `company_benefit_inactive`
    pub why: Standing,
    /// the record that is in force; null where none is, and for one that the plan creates
    pub employee_benefit_uuid: Option<Uuid>,
    /// decimal text; null where it depends on gross pay and none was given
    pub employee_deduction: Option<String>,
    /// decimal text; null where it depends on gross pay and none was given
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

impl From<planning::AppliedPlan> for AppliedPlan {
    fn from(plan: planning::AppliedPlan) -> Self {
        Self {
            hash: plan.hash,
            changes: plan.changes.iter().map(PlannedChange::from).collect(),
            employee_benefits: plan.employee_benefits.into_iter().map(EmployeeBenefit::from).collect(),
        }
    }
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

/// Days on which the same holds.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
pub struct TimelineRange {
    /// YYYY-MM-DD
    #[schema(format = Date)]
    pub start_date: String,
    /// YYYY-MM-DD
    #[schema(format = Date)]
    pub end_date: String,
    /// whether a payroll counts the benefit whose pay period ends on one of these days
    pub applies: bool,
    /// `applies`, `employee_benefit_inactive`, `company_benefit_inactive`, `before_first_window`, `between_windows` or
    /// `after_last_window`
    #[schema(value_type = DayStanding)]
    pub why: &'static str,
    /// the same in a sentence
    pub reason: String,
    /// the record in force
    pub employee_benefit_uuid: Option<Uuid>,
    /// its days and amounts
    pub terms: Option<BenefitTerms>,
}

impl From<timeline::DayRange> for TimelineRange {
    fn from(stretch: timeline::DayRange) -> Self {
        let benefit = stretch.benefit.as_ref();
        Self {
            start_date: stretch.first.to_string(),
            end_date: stretch.last.to_string(),
            applies: stretch.status == timeline::DayStatus::Applies,
            why: stretch.status.as_str(),
            employee_benefit_uuid: benefit.map(|benefit| benefit.record),
            terms: benefit.map(|benefit| BenefitTerms::new(benefit.window, benefit.active, &benefit.terms)),
            reason: stretch.reason,
        }
    }
}
