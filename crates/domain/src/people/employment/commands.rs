//! Inputs of the use cases of employment. Fields are as in [`Termination`](super::Termination).

use crate::patch::Patch;

/// Ends an employment.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "fields are those of the record")]
pub struct CreateTermination {
    pub effective_date: Patch<String>,
    pub run_termination_payroll: Patch<bool>,
}

/// Updates a termination that has not taken effect.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "fields are those of the record")]
pub struct UpdateTermination {
    pub version: Patch<String>,
    pub effective_date: Patch<String>,
    pub run_termination_payroll: Patch<bool>,
}
