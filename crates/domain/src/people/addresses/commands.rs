//! Inputs of the address use cases. Fields are as in [`WorkAddress`](super::rows::WorkAddress).

use crate::patch::Patch;
use jiff::civil::Date;

pub use super::rows::{CreateHomeAddress, UpdateHomeAddress};

/// The lines of a home address entered together with other data.
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
    /// Returns the command that adds this residence.
    pub fn create_command(&self) -> CreateHomeAddress {
        let Self { street_1, street_2, city, state, zip } = self.clone();
        CreateHomeAddress { street_1, street_2, city, state, zip, ..CreateHomeAddress::default() }
    }

    /// Returns the command that replaces an address with this residence.
    pub fn update_command(&self) -> UpdateHomeAddress {
        let Self { street_1, street_2, city, state, zip } = self.clone();
        UpdateHomeAddress { street_1, street_2, city, state, zip, ..UpdateHomeAddress::default() }
    }
}

/// Adds a work address.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "fields are those of the record")]
pub struct CreateWorkAddress {
    pub location_uuid: Patch<String>,
    pub effective_date: Patch<Date>,
    pub remote_for_own_convenience: Patch<bool>,
    pub jurisdiction_codes: Patch<Vec<String>>,
}

/// Updates the given fields and keeps the rest.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "fields are those of the record")]
pub struct UpdateWorkAddress {
    pub version: Patch<String>,
    pub location_uuid: Patch<String>,
    pub effective_date: Patch<Date>,
    pub remote_for_own_convenience: Patch<bool>,
    pub jurisdiction_codes: Patch<Vec<String>>,
}
