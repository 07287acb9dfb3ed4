//! What can be asked for a location. Fields are as in [`Location`](super::rows::Location).

use crate::patch::Patch;

/// Creates a location.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "fields are those of the record")]
pub struct CreateLocation {
    pub phone_number: Patch<String>,
    pub street_1: Patch<String>,
    pub street_2: Patch<String>,
    pub city: Patch<String>,
    pub state: Patch<String>,
    pub zip: Patch<String>,
    pub country: Patch<String>,
    pub mailing_address: Patch<bool>,
    pub filing_address: Patch<bool>,
}

/// Updates what is given and keeps the rest.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "fields are those of the record")]
pub struct UpdateLocation {
    pub version: Patch<String>,
    pub phone_number: Patch<String>,
    pub street_1: Patch<String>,
    pub street_2: Patch<String>,
    pub city: Patch<String>,
    pub state: Patch<String>,
    pub zip: Patch<String>,
    pub country: Patch<String>,
    pub mailing_address: Patch<bool>,
    pub filing_address: Patch<bool>,
}
