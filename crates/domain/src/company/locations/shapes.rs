//! Operations on locations, and their shapes.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{rows, service};
use crate::field::Field;
use crate::records::version_text;

/// A place where the company's people work.
#[derive(Debug, Serialize, ToSchema)]
pub struct Location {
    /// identifier
    pub uuid: Uuid,
    /// concurrency token, to be sent with an update
    pub version: String,
    /// the employer
    pub company_uuid: Uuid,
    /// ten digits
    pub phone_number: String,
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
    /// whether the company gets its mail here; at most one of its locations
    pub mailing_address: bool,
    /// whether the company files from here; at most one of its locations, and its state gives the company's day
    pub filing_address: bool,
    /// when it was created
    pub created_at: String,
    /// when it was last updated
    pub updated_at: String,
    /// whether it is in use
    pub active: bool,
    /// the opposite of `active`
    pub inactive: bool,
}

impl Location {
    /// The answer for a location of `company`.
    pub fn new(company: Uuid, row: rows::Location) -> Self {
        Self {
            uuid: row.id,
            version: version_text(service::TABLE, row.id, row.version),
            company_uuid: company,
            phone_number: row.phone_number,
            street_1: row.street_1,
            street_2: row.street_2,
            city: row.city,
            state: row.state,
            zip: row.zip,
            country: row.country,
            mailing_address: row.mailing_address,
            filing_address: row.filing_address,
            created_at: moment(row.created_at),
            updated_at: moment(row.updated_at),
            active: row.active,
            inactive: !row.active,
        }
    }
}

/// A new location.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct CreateLocation {
    /// ten digits
    #[schema(required)]
    pub phone_number: Field<String>,
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
    /// `USA`, which is also the default
    pub country: Field<String>,
    /// true: the company gets its mail here and no longer elsewhere; true by default for its first location
    pub mailing_address: Field<bool>,
    /// true: the company files from here and no longer from elsewhere; true by default for its first location
    pub filing_address: Field<bool>,
}

/// What an update changes; what is left out stays.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct UpdateLocation {
    /// the version as last read
    #[schema(required)]
    pub version: Field<String>,
    /// ten digits
    pub phone_number: Field<String>,
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
    /// `USA`
    pub country: Field<String>,
    /// true: the company gets its mail here and no longer elsewhere
    pub mailing_address: Field<bool>,
    /// true: the company files from here and no longer from elsewhere
    pub filing_address: Field<bool>,
}

/// A moment to the millisecond.
fn moment(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_told_in_utc_to_the_millisecond() {
        let at = Timestamp::from_microsecond(1_750_000_000_120_999).unwrap();
        assert_eq!(moment(at), "2025-06-15T15:06:40.120Z");
    }
}
