//! Operations on signatories, and their shapes.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::rows::Address;
use crate::field::{Field, objects};

/// Somebody who signs for a company.
#[derive(Debug, Serialize, ToSchema)]
pub struct Signatory {
    /// identifier
    pub uuid: Uuid,
    /// first name
    pub first_name: String,
    /// one letter
    pub middle_initial: Option<String>,
    /// last name
    pub last_name: String,
    /// such as `Owner`
    pub title: Option<String>,
    /// ten digits
    pub phone: Option<String>,
    /// where the company's papers go
    pub email: String,
    /// YYYY-MM-DD
    pub birthday: Option<String>,
    /// whether an administrator of the company has this e-mail address
    pub is_admin: bool,
    /// whether the SSN is held; the number itself never leaves the service
    pub has_ssn: bool,
    /// concurrency token, to be sent with an update
    pub version: String,
    /// null while something is missing; then `Skipped`: the service holds what a check of the identity takes, and makes
    /// none itself
    pub identity_verification_status: Option<&'static str>,
    /// where the signatory lives
    pub home_address: Option<SignatoryAddress>,
}

/// Where a signatory lives.
#[derive(Debug, Serialize, ToSchema)]
pub struct SignatoryAddress {
    /// house number and street
    pub street_1: String,
    /// second address line; left out where there is none, for generated clients take no null here
    #[serde(skip_serializing_if = "Option::is_none")]
    pub street_2: Option<String>,
    /// city
    pub city: String,
    /// two letters
    pub state: String,
    /// ZIP code
    pub zip: String,
    /// always `USA`
    pub country: String,
}

impl From<Address> for SignatoryAddress {
    fn from(home: Address) -> Self {
        let Address { street_1, street_2, city, state, zip, country } = home;
        Self { street_1, street_2, city, state, zip, country }
    }
}

/// Where a signatory lives, as it is sent; always as a whole.
#[derive(Debug, Default, Clone, Deserialize, ToSchema)]
#[serde(default)]
pub struct AddressInput {
    /// house number and street
    #[schema(required)]
    pub street_1: Field<String>,
    /// second address line
    pub street_2: Field<String>,
    /// city
    #[schema(required)]
    pub city: Field<String>,
    /// two-letter code of the state
    #[schema(required)]
    pub state: Field<String>,
    /// ZIP code
    #[schema(required)]
    pub zip: Field<String>,
    /// `USA`
    pub country: Field<String>,
}

objects!(AddressInput: "an object with street_1, city, state and zip");

/// What is sent of a signatory. The operations take these fields alike, but for `email`, which an update leaves as it
/// is, and `version`, which only an update has; each needs others of them.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct SignatoryInput {
    /// the version as last read
    pub version: Field<String>,
    /// first name
    pub first_name: Field<String>,
    /// one letter
    pub middle_initial: Field<String>,
    /// last name
    pub last_name: Field<String>,
    /// such as `Owner`
    pub title: Field<String>,
    /// ten digits
    pub phone: Field<String>,
    /// YYYY-MM-DD
    pub birthday: Field<String>,
    /// where the company's papers go
    pub email: Field<String>,
    /// nine digits
    pub ssn: Field<String>,
    /// where the signatory lives; always as a whole
    pub home_address: Field<AddressInput>,
}
