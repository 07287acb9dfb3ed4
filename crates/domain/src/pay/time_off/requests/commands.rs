//! Commands of time off requests.

use std::collections::BTreeMap;

use rules::Amount;

use crate::patch::Patch;

/// The requested time off.
#[derive(Debug, Clone, Default)]
pub struct Asked {
    /// who wants the time off
    pub employee_uuid: Patch<String>,
    /// the policy it is taken from
    pub policy_uuid: Patch<String>,
    /// first day
    pub start_date: Patch<String>,
    /// last day
    pub end_date: Patch<String>,
    /// hours by day, as YYYY-MM-DD
    pub days: Patch<BTreeMap<String, Amount>>,
}

/// An employee requests time off.
#[derive(Debug, Clone, Default)]
pub struct CreateRequest {
    /// from the employee to the employer
    pub employee_note: Patch<String>,
    /// the request
    pub asked: Asked,
}

/// An administrator grants time off.
#[derive(Debug, Clone, Default)]
pub struct CreateApproved {
    /// from the employer to the employee
    pub employer_note: Patch<String>,
    /// the administrator; the primary one when left out
    pub approver_uuid: Patch<String>,
    /// the time off
    pub asked: Asked,
}

/// Previews the balance after a request.
#[derive(Debug, Clone, Default)]
pub struct PreviewRequest {
    /// the existing request that it would replace
    pub request_uuid: Patch<String>,
    /// the request
    pub asked: Asked,
}

/// An administrator approves a request.
#[derive(Debug, Clone, Default)]
pub struct Approve {
    /// the administrator; the primary one when left out
    pub approver_uuid: Patch<String>,
    /// from the employer to the employee
    pub employer_note: Patch<String>,
    /// hours by day, if other than requested
    pub days: Patch<BTreeMap<String, Amount>>,
}

/// An administrator declines a request.
#[derive(Debug, Clone, Default)]
pub struct Decline {
    /// from the employer to the employee
    pub employer_note: Patch<String>,
    /// the administrator; the primary one when left out
    pub approver_uuid: Patch<String>,
}
