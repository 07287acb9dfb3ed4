//! Commands on a signatory. Fields are as in [`Signatory`](super::rows::Signatory).

use crate::patch::Patch;
use jiff::civil::Date;

/// Where a signatory lives.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "fields are those of the record")]
pub struct Address {
    pub street_1: Patch<String>,
    pub street_2: Patch<String>,
    pub city: Patch<String>,
    pub state: Patch<String>,
    pub zip: Patch<String>,
    pub country: Patch<String>,
}

/// The fields of a signatory, to create, invite or update one. `version` is for updates only, which ignore `email`.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "fields are those of the record")]
pub struct SignatoryFields {
    pub version: Patch<String>,
    pub first_name: Patch<String>,
    pub middle_initial: Patch<String>,
    pub last_name: Patch<String>,
    pub title: Patch<String>,
    pub phone: Patch<String>,
    pub birthday: Patch<Date>,
    pub email: Patch<String>,
    pub ssn: Patch<String>,
    pub home_address: Patch<Address>,
}
