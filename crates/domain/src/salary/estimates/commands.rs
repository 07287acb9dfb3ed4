//! Inputs of the use cases of salary estimates.

use rules::Amount;
use rules::salary::Level;

use crate::patch::Patch;

/// Creates an estimate, or replaces one that is not accepted yet.
#[derive(Debug, Clone, Default)]
pub struct EstimateSalary {
    /// annual net revenue in dollars; without effect on the result
    pub annual_net_revenue: Patch<Amount>,
    /// ZIP code of the business
    pub zip_code: Patch<String>,
    /// the owner's occupations
    pub occupations: Patch<Vec<OccupationShare>>,
}

/// An occupation of the owner.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OccupationShare {
    /// SOC code, with or without a hyphen
    pub code: Patch<String>,
    /// name of a [`Level`](rules::salary::Level)
    pub experience_level: Patch<Level>,
    /// share of working time, from 0 to 1
    pub time_percentage: Patch<Amount>,
    /// whether it is the primary occupation
    pub primary: Patch<bool>,
}

/// Accepts an estimate.
#[derive(Debug, Clone, Default)]
pub struct AcceptEstimate {
    /// a job of the employee; by default the primary one
    pub employee_job_uuid: Patch<String>,
}
