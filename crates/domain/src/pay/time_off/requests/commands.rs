//! Commands of time off requests.

use jiff::civil::Date;
use std::collections::BTreeMap;

use rules::Amount;

use crate::patch::Patch;

/// The requested time off.
#[derive(Debug, Clone, Default)]
pub struct RequestTimeOff {
    /// employee who takes the time off
    pub employee_uuid: Patch<String>,
    /// policy whose hours are taken
    pub policy_uuid: Patch<String>,
    /// first day
    pub start_date: Patch<Date>,
    /// last day
    pub end_date: Patch<Date>,
    /// hours by day (YYYY-MM-DD)
    pub days: Patch<BTreeMap<String, Amount>>,
}

/// Requests time off for an employee.
#[derive(Debug, Clone, Default)]
pub struct CreateRequest {
    /// note from the employee to the employer
    pub employee_note: Patch<String>,
    /// the request
    pub asked: RequestTimeOff,
}

/// Grants time off: the request is approved at once.
#[derive(Debug, Clone, Default)]
pub struct CreateApproved {
    /// note from the employer to the employee
    pub employer_note: Patch<String>,
    /// the administrator; by default, the primary one
    pub approver_uuid: Patch<String>,
    /// the time off
    pub asked: RequestTimeOff,
}

/// Previews the balance after a request.
#[derive(Debug, Clone, Default)]
pub struct PreviewRequest {
    /// the existing request that it would replace
    pub request_uuid: Patch<String>,
    /// the request
    pub asked: RequestTimeOff,
}

/// Approves a request.
#[derive(Debug, Clone, Default)]
pub struct Approve {
    /// the administrator; by default, the primary one
    pub approver_uuid: Patch<String>,
    /// note from the employer to the employee
    pub employer_note: Patch<String>,
    /// hours by day, if different from the request
    pub days: Patch<BTreeMap<String, Amount>>,
}

/// Declines a request.
#[derive(Debug, Clone, Default)]
pub struct Decline {
    /// note from the employer to the employee
    pub employer_note: Patch<String>,
    /// the administrator; by default, the primary one
    pub approver_uuid: Patch<String>,
}
