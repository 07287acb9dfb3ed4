//! Inputs of the use cases of addresses. Fields are as in [`WorkAddress`](super::rows::WorkAddress).

use crate::patch::Patch;

pub use super::rows::{CreateHomeAddress, UpdateHomeAddress};

/// The lines of a home address that is entered together with other data.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "fields are those of the record")]
pub struct Residence {
    pub street_1: Patch<String>,
    pub street_2: Patch<String>,
    pub city: Patch<String>,
    pub state: Patch<String>,
    pub zip: Patch<String>,
}

impl Residence {
    /// The command that adds it.
    pub fn create(&self) -> CreateHomeAddress {
        let Self { street_1, street_2, city, state, zip } = self.clone();
        CreateHomeAddress { street_1, street_2, city, state, zip, ..CreateHomeAddress::default() }
    }

    /// The command that replaces an address with it.
    pub fn update(&self) -> UpdateHomeAddress {
        let Self { street_1, street_2, city, state, zip } = self.clone();
        UpdateHomeAddress { street_1, street_2, city, state, zip, ..UpdateHomeAddress::default() }
    }
}

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
