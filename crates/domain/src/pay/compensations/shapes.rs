//! Shapes of jobs and compensations within an employee. A copy of `interface::pay::compensations::wire`, to be removed
//! together with the shapes of employees.

use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

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
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ChosenWage {
    /// the minimum wage
    pub uuid: Uuid,
    /// decimal text, dollars per hour
    pub wage: String,
    /// YYYY-MM-DD: since when that was its figure
    pub effective_date: String,
}
