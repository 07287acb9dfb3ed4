//! Operations on the addresses of employees, and their shapes.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::field::Field;

/// Where an employee lives from a day on.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct HomeAddress {
    /// identifier
    pub uuid: Uuid,
    /// who lives there
    pub employee_uuid: Uuid,
    /// first day, YYYY-MM-DD
    pub effective_date: String,
    /// whether the taxes of the home are withheld where the law does not ask for it
    pub courtesy_withholding: bool,
    /// house number and street
    pub street_1: String,
    /// second address line
    pub street_2: Option<String>,
    /// city
    pub city: String,
    /// two letters
    pub state: String,
    /// ZIP code
    pub zip: String,
    /// always `USA`
    pub country: String,
    /// whether it is the one that counts today
    pub active: bool,
    /// concurrency token, to be sent with an update
    pub version: String,
}

/// A new home address.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct CreateHomeAddress {
    /// house number and street, at most 100 characters
    #[schema(required)]
    pub street_1: Field<String>,
    /// second address line
    pub street_2: Field<String>,
    /// city, at most 100 characters
    #[schema(required)]
    pub city: Field<String>,
    /// two letters
    #[schema(required)]
    pub state: Field<String>,
    /// five digits, or five, a hyphen and four
    #[schema(required)]
    pub zip: Field<String>,
    /// first day, YYYY-MM-DD; today by default
    pub effective_date: Field<String>,
    /// whether the taxes of the home are withheld where the law does not ask for it; false by default
    pub courtesy_withholding: Field<bool>,
}

/// What an update changes; what is left out stays.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct UpdateHomeAddress {
    /// the version as last read
    #[schema(required)]
    pub version: Field<String>,
    /// house number and street
    pub street_1: Field<String>,
    /// second address line; empty or null clears it
    pub street_2: Field<String>,
    /// city
    pub city: Field<String>,
    /// two letters
    pub state: Field<String>,
    /// ZIP code
    pub zip: Field<String>,
    /// first day, YYYY-MM-DD; null leaves it
    pub effective_date: Field<String>,
    /// whether the taxes of the home are withheld where the law does not ask for it
    pub courtesy_withholding: Field<bool>,
}

/// Where an employee works from a day on.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct WorkAddress {
    /// identifier
    pub uuid: Uuid,
    /// who works there
    pub employee_uuid: Uuid,
    /// one of the company's locations
    pub location_uuid: Uuid,
    /// first day, YYYY-MM-DD
    pub effective_date: String,
    /// whether it is the one that counts today
    pub active: bool,
    /// concurrency token, to be sent with an update
    pub version: String,
    /// house number and street of the location
    pub street_1: String,
    /// second address line of the location
    pub street_2: Option<String>,
    /// city of the location
    pub city: String,
    /// two letters, of the location
    pub state: String,
    /// ZIP code of the location
    pub zip: String,
    /// always `USA`
    pub country: String,
}

/// A new work address.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct CreateWorkAddress {
    /// one of the company's locations
    #[schema(required)]
    pub location_uuid: Field<String>,
    /// first day, YYYY-MM-DD; by default the hire date for an employee's first work address, and else today
    pub effective_date: Field<String>,
}

/// What an update changes; what is left out stays.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct UpdateWorkAddress {
    /// the version as last read
    #[schema(required)]
    pub version: Field<String>,
    /// one of the company's locations
    pub location_uuid: Field<String>,
    /// first day, YYYY-MM-DD; null leaves it
    pub effective_date: Field<String>,
}
