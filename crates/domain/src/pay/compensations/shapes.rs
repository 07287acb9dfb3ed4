//! Operations on jobs and compensations, and their shapes.

use rules::Amount;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::field::Field;

/// A job of an employee.
#[derive(Debug, Serialize, ToSchema)]
pub struct Job {
    /// identifier
    pub uuid: Uuid,
    /// concurrency token, to be sent with an update
    pub version: String,
    /// whose job it is
    pub employee_uuid: Uuid,
    /// YYYY-MM-DD
    pub hire_date: String,
    /// title
    pub title: Option<String>,
    /// whether it is the employee's first job
    pub primary: bool,
    /// decimal text, dollars per payment unit of the current compensation; left out without compensations:read
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<String>,
    /// payment unit of the current compensation; left out without compensations:read
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payment_unit: Option<&'static str>,
    /// the current compensation; left out without compensations:read
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_compensation_uuid: Option<Uuid>,
    /// whether the employee owns more than 2 % of an S corporation
    pub two_percent_shareholder: bool,
    /// whether the state's workers' compensation covers the job
    pub state_wc_covered: Option<bool>,
    /// risk class of the state's workers' compensation
    pub state_wc_class_code: Option<String>,
    /// the current compensation, or every one with include=all_compensations; left out without compensations:read
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compensations: Option<Vec<Compensation>>,
}

/// What a job pays from a day on.
#[derive(Debug, Serialize, ToSchema)]
pub struct Compensation {
    /// identifier
    pub uuid: Uuid,
    /// concurrency token, to be sent with an update
    pub version: String,
    /// the job that pays it
    pub job_uuid: Uuid,
    /// whose pay it is
    pub employee_uuid: Uuid,
    /// decimal text, dollars per payment unit
    pub rate: String,
    /// `Hour`, `Week`, `Month`, `Year` or `Paycheck`
    pub payment_unit: &'static str,
    /// `Exempt`, `Salaried Nonexempt`, `Nonexempt`, `Owner`, `Commission Only Exempt` or `Commission Only Nonexempt`
    pub flsa_status: &'static str,
    /// YYYY-MM-DD: it counts from that day on, until a later one does
    pub effective_date: String,
    /// its own title, or else the job's
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// whether pay is raised to the minimum wage where tips do not reach it
    pub adjust_for_minimum_wage: bool,
    /// the minimum wages that were chosen, with their figures at that time; a payroll takes those in force on each day
    pub minimum_wages: Vec<ChosenWage>,
}

/// A minimum wage that was chosen for a compensation.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ChosenWage {
    /// the minimum wage
    pub uuid: Uuid,
    /// decimal text, dollars per hour
    pub wage: String,
    /// YYYY-MM-DD: since when that was its figure
    pub effective_date: String,
}

/// A new job.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct CreateJob {
    /// title, at most 255 characters; no two jobs of an employee have the same
    #[schema(required)]
    pub title: Field<String>,
    /// YYYY-MM-DD
    #[schema(required)]
    pub hire_date: Field<String>,
    /// whether the employee owns more than 2 % of an S corporation; false when left out
    pub two_percent_shareholder: Field<bool>,
    /// whether the state's workers' compensation covers the job
    pub state_wc_covered: Field<bool>,
    /// risk class of the state's workers' compensation
    pub state_wc_class_code: Field<String>,
}

/// What an update changes; what is left out stays.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct UpdateJob {
    /// the version as last read
    #[schema(required)]
    pub version: Field<String>,
    /// title
    pub title: Field<String>,
    /// YYYY-MM-DD; a first compensation that counts from the hire date on follows it
    pub hire_date: Field<String>,
    /// whether the employee owns more than 2 % of an S corporation
    pub two_percent_shareholder: Field<bool>,
    /// whether the state's workers' compensation covers the job; null clears it
    pub state_wc_covered: Field<bool>,
    /// risk class of the state's workers' compensation; null clears it
    pub state_wc_class_code: Field<String>,
}

/// A new compensation.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct CreateCompensation {
    /// dollars per payment unit, as text or number; the job's current rate when left out
    #[schema(value_type = String)]
    pub rate: Field<Amount>,
    /// `Hour`, `Week`, `Month`, `Year` or `Paycheck`
    #[schema(required)]
    pub payment_unit: Field<String>,
    /// `Exempt`, `Salaried Nonexempt`, `Nonexempt`, `Owner`, `Commission Only Exempt` or `Commission Only Nonexempt`
    #[schema(required)]
    pub flsa_status: Field<String>,
    /// YYYY-MM-DD, not before the hire date; today when left out
    pub effective_date: Field<String>,
    /// title while it counts; the job's when left out
    pub title: Field<String>,
    /// true: payrolls raise the pay to the minimum wage where cash wages and tips do not reach it. Only with
    /// payment_unit Hour, and not in a state that lets tips cover no part of the minimum wage
    pub adjust_for_minimum_wage: Field<bool>,
    /// one or more minimum wages of the work location, with adjust_for_minimum_wage true; the highest counts
    pub minimum_wages: Field<Vec<ChosenMinimumWage>>,
}

/// What an update changes; what is left out stays.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct UpdateCompensation {
    /// the version as last read
    #[schema(required)]
    pub version: Field<String>,
    /// dollars per payment unit, as text or number
    #[schema(value_type = String)]
    pub rate: Field<Amount>,
    /// `Hour`, `Week`, `Month`, `Year` or `Paycheck`
    pub payment_unit: Field<String>,
    /// `Exempt`, `Salaried Nonexempt`, `Nonexempt`, `Owner`, `Commission Only Exempt` or `Commission Only Nonexempt`
    pub flsa_status: Field<String>,
    /// YYYY-MM-DD, not before the hire date
    pub effective_date: Field<String>,
    /// title while it counts; null takes the job's
    pub title: Field<String>,
    /// true: payrolls raise the pay to the minimum wage where cash wages and tips do not reach it. Only with
    /// payment_unit Hour, and not in a state that lets tips cover no part of the minimum wage
    pub adjust_for_minimum_wage: Field<bool>,
    /// one or more minimum wages of the work location, with adjust_for_minimum_wage true; the highest counts
    pub minimum_wages: Field<Vec<ChosenMinimumWage>>,
}

/// A minimum wage that pay is raised to.
#[derive(Debug, Clone, Deserialize, ToSchema)]
pub struct ChosenMinimumWage {
    /// the minimum wage
    pub uuid: String,
}
