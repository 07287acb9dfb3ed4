//! Inputs of the use cases of requests for time off.

use std::collections::BTreeMap;

use rules::Amount;

use crate::patch::Patch;

/// What somebody asks for.
#[derive(Debug, Clone, Default)]
pub struct Asked {
    /// who wants the time off
    pub employee_uuid: Patch<String>,
    /// the policy that it is taken from
    pub policy_uuid: Patch<String>,
    /// first day
    pub start_date: Patch<String>,
    /// last day
    pub end_date: Patch<String>,
    /// hours by day, as YYYY-MM-DD
    pub days: Patch<BTreeMap<String, Amount>>,
}

/// An employee asks for time off.
#[derive(Debug, Clone, Default)]
pub struct CreateRequest {
    /// from the employee to the employer
    pub employee_note: Patch<String>,
    /// what is asked for
    pub asked: Asked,
}

/// An administrator gives time off.
#[derive(Debug, Clone, Default)]
pub struct CreateApproved {
    /// from the employer to the employee
    pub employer_note: Patch<String>,
    /// the administrator; the primary one when left out
    pub approver_uuid: Patch<String>,
    /// what is given
    pub asked: Asked,
}

/// What a request would leave of a balance.
#[derive(Debug, Clone, Default)]
pub struct PreviewRequest {
    /// the request that would be asked for in other terms
    pub request_uuid: Patch<String>,
    /// what would be asked for
    pub asked: Asked,
}

/// An administrator approves a request.
#[derive(Debug, Clone, Default)]
pub struct Approve {
    /// the administrator; the primary one when left out
    pub approver_uuid: Patch<String>,
    /// from the employer to the employee
    pub employer_note: Patch<String>,
    /// other hours than those that were asked for
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
