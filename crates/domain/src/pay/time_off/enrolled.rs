//! The policies that employees are enrolled in, with their balances.

use std::collections::HashMap;

use store::Tx;
use uuid::Uuid;

use super::rows;
use super::rows::{Enrollment, TimeOffPolicy};
use crate::error::Error;
use crate::records::IdRange;

/// A policy, and an employee's enrollment in it.
#[derive(Debug, Clone)]
pub struct Enrolled {
    /// the policy
    pub policy: TimeOffPolicy,
    /// the employee's enrollment in it
    pub enrollment: Enrollment,
}

/// Announces the queries of [`active_policies`] (see [`Tx::announce`]).
pub fn announce_active(tx: &mut Tx<'_>, company: Uuid, bounds: IdRange) -> Result<(), Error> {
    rows::announce_enrolled_between(tx, company, bounds)?;
    rows::announce_policies_of(tx, company, bounds)
}

/// Returns the active policies of the employees between two (both included), by employee.
pub fn active_policies(
    tx: &mut Tx<'_>,
    company: Uuid,
    bounds: IdRange,
) -> Result<HashMap<Uuid, Vec<Enrolled>>, Error> {
    policies_between(tx, company, bounds, TimeOffPolicy::is_in_use)
}

/// Returns those policies of the employees between two (both included) that are `concerned`, by employee.
pub(super) fn policies_between(
    tx: &mut Tx<'_>,
    company: Uuid,
    bounds: IdRange,
    concerned: impl Fn(&TimeOffPolicy) -> bool,
) -> Result<HashMap<Uuid, Vec<Enrolled>>, Error> {
    let mut found: HashMap<Uuid, Vec<Enrolled>> = HashMap::new();
    let enrollments = rows::enrolled_between(tx, company, bounds)?;
    if enrollments.is_empty() {
        return Ok(found);
    }
    let mut policies = rows::policies_of(tx, company, bounds)?;
    policies.retain(concerned);
    for enrollment in enrollments {
        if let Some(policy) = policies.iter().find(|policy| policy.id == enrollment.policy) {
            let enrolled = Enrolled { policy: policy.clone(), enrollment };
            found.entry(enrolled.enrollment.employee).or_default().push(enrolled);
        }
    }
    Ok(found)
}
