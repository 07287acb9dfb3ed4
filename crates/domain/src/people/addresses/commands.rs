//! Inputs of the use cases of addresses. Fields are as in [`HomeAddress`](super::rows::HomeAddress) and
//! [`WorkAddress`](super::rows::WorkAddress).

use crate::patch::Patch;

/// Adds a home address.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "fields are those of the record")]
pub struct CreateHomeAddress {
    pub street_1: Patch<String>,
    pub street_2: Patch<String>,
    pub city: Patch<String>,
    pub state: Patch<String>,
    pub zip: Patch<String>,
    pub effective_date: Patch<String>,
    pub courtesy_withholding: Patch<bool>,
}

/// Updates the fields that are given and keeps the rest.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "fields are those of the record")]
pub struct UpdateHomeAddress {
    pub version: Patch<String>,
    pub street_1: Patch<String>,
    pub street_2: Patch<String>,
    pub city: Patch<String>,
    pub state: Patch<String>,
    pub zip: Patch<String>,
    pub effective_date: Patch<String>,
    pub courtesy_withholding: Patch<bool>,
}

/// Adds a work address.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "fields are those of the record")]
pub struct CreateWorkAddress {
    pub location_uuid: Patch<String>,
    pub effective_date: Patch<String>,
}

/// Updates the fields that are given and keeps the rest.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "fields are those of the record")]
pub struct UpdateWorkAddress {
    pub version: Patch<String>,
    pub location_uuid: Patch<String>,
    pub effective_date: Patch<String>,
}
