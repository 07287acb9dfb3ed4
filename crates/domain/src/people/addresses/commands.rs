//! Inputs of the use cases of addresses. Fields are as in [`WorkAddress`](super::rows::WorkAddress).

use crate::patch::Patch;

pub use super::rows::{CreateHomeAddress, UpdateHomeAddress};

/// Adds a work address.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "fields are those of the record")]
pub struct CreateWorkAddress {
    pub location_uuid: Patch<String>,
    pub effective_date: Patch<String>,
    pub remote_for_own_convenience: Patch<bool>,
    pub jurisdiction_codes: Patch<Vec<String>>,
}

/// Updates the fields that are given and keeps the rest.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "fields are those of the record")]
pub struct UpdateWorkAddress {
    pub version: Patch<String>,
    pub location_uuid: Patch<String>,
    pub effective_date: Patch<String>,
    pub remote_for_own_convenience: Patch<bool>,
    pub jurisdiction_codes: Patch<Vec<String>>,
}
