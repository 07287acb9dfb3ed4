//! Commands of jobs and compensations. Fields have the same meaning as in [`Job`](super::rows::Job) and
//! [`Compensation`](super::rows::Compensation).

use jiff::civil::Date;
use rules::Amount;
use rules::compensation::{FlsaStatus, PaymentUnit};
use uuid::Uuid;

use crate::patch::Patch;

/// Creates a job.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "fields are those of the record")]
pub struct CreateJob {
    pub title: Patch<String>,
    pub hire_date: Patch<Date>,
    pub two_percent_shareholder: Patch<bool>,
    pub state_wc_covered: Patch<bool>,
    pub state_wc_class_code: Patch<String>,
    pub agreed_overtime_rate: Patch<String>,
    pub fluctuating_workweek: Patch<bool>,
    pub tipped_occupation: Patch<String>,
}

/// Updates the given fields and keeps the rest.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "fields are those of the record")]
pub struct UpdateJob {
    pub version: Patch<String>,
    pub title: Patch<String>,
    pub hire_date: Patch<Date>,
    pub end_date: Patch<Date>,
    pub two_percent_shareholder: Patch<bool>,
    pub state_wc_covered: Patch<bool>,
    pub state_wc_class_code: Patch<String>,
    pub agreed_overtime_rate: Patch<String>,
    pub fluctuating_workweek: Patch<bool>,
    pub tipped_occupation: Patch<String>,
}

/// Creates a compensation.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "fields are those of the record")]
pub struct CreateCompensation {
    pub rate: Patch<Amount>,
    pub payment_unit: Patch<PaymentUnit>,
    pub flsa_status: Patch<FlsaStatus>,
    pub effective_date: Patch<Date>,
    pub title: Patch<String>,
    pub adjust_for_minimum_wage: Patch<bool>,
    /// identifiers of the minimum wage rules
    pub minimum_wages: Patch<Vec<Uuid>>,
}

/// Updates the given fields and keeps the rest.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "fields are those of the record")]
pub struct UpdateCompensation {
    pub version: Patch<String>,
    pub rate: Patch<Amount>,
    pub payment_unit: Patch<PaymentUnit>,
    pub flsa_status: Patch<FlsaStatus>,
    pub effective_date: Patch<Date>,
    pub title: Patch<String>,
    pub adjust_for_minimum_wage: Patch<bool>,
    /// identifiers of the minimum wage rules
    pub minimum_wages: Patch<Vec<Uuid>>,
}
