//! Changes after the calculation of a payroll, on the wire.

use domain::pay::payrolls::run::since_calculated::ChangedSince;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

/// Changes to records that affect a payroll, between its calculation and its submission.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChangedSinceCalculation {
    /// employees of the payroll whose records changed, such as pay, certificates, garnishments or addresses
    pub employee_count: usize,
    /// the first 25 of them
    pub employee_uuids: Vec<Uuid>,
    /// kinds of changed records that belong to the company, such as `locations`, or were deleted
    pub other_records: Vec<String>,
    /// whether there may be more: only the first 2,000 changes are examined
    pub at_least: bool,
}

impl From<ChangedSince> for ChangedSinceCalculation {
    fn from(changed: ChangedSince) -> Self {
        Self {
            employee_count: changed.count,
            employee_uuids: changed.employees,
            other_records: changed.others.into_iter().collect(),
            at_least: changed.more,
        }
    }
}
