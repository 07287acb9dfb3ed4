//! Addresses of employees on the wire.

use domain::people::addresses::{Dated, commands, rows, service};
use domain::records::version_text;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::field::Field;
use crate::input;
use crate::values::{DateText, IdText};

/// Where an employee lives from a day on.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct HomeAddress {
    /// identifier
    pub uuid: Uuid,
    /// who lives there
    pub employee_uuid: Uuid,
    /// first day, YYYY-MM-DD
    #[schema(format = Date)]
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

impl From<Dated<rows::HomeAddress>> for HomeAddress {
    fn from(Dated { address, active }: Dated<rows::HomeAddress>) -> Self {
        Self {
            uuid: address.id,
            employee_uuid: address.employee,
            effective_date: address.effective_date.to_string(),
            courtesy_withholding: address.courtesy_withholding,
            street_1: address.street_1,
            street_2: address.street_2,
            city: address.city,
            state: address.state,
            zip: address.zip,
            country: address.country,
            active,
            version: version_text(service::HOME, address.id, address.version),
        }
    }
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
    #[schema(format = Date)]
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
    /// whether the employee works at home for their own convenience rather than because the employer asks for it: then a
    /// state with a convenience rule taxes that work as work at the location (an extension)
    pub remote_for_own_convenience: bool,
}

impl From<Dated<rows::Workplace>> for WorkAddress {
    fn from(Dated { address: place, active }: Dated<rows::Workplace>) -> Self {
        let work = place.address;
        Self {
            uuid: work.id,
            employee_uuid: work.employee,
            location_uuid: work.location,
            effective_date: work.effective_date.to_string(),
            active,
            version: version_text(service::WORK, work.id, work.version),
            street_1: place.street_1,
            street_2: place.street_2,
            city: place.city,
            state: place.state,
            zip: place.zip,
            country: place.country,
            remote_for_own_convenience: work.remote_for_own_convenience,
        }
    }
}

input! {
    /// A new home address.
    CreateHomeAddress => commands::CreateHomeAddress {
        /// house number and street, at most 100 characters
        #[schema(required)]
        street_1: String,
        /// second address line
        #[schema(nullable)]
        street_2: String,
        /// city, at most 100 characters
        #[schema(required)]
        city: String,
        /// two letters
        #[schema(required)]
        state: String,
        /// five digits, or five, a hyphen and four
        #[schema(required)]
        zip: String,
        /// first day, YYYY-MM-DD; today by default
        #[schema(nullable)]
        effective_date: DateText,
        /// whether the taxes of the home are withheld where the law does not ask for it; false by default
        #[schema(nullable)]
        courtesy_withholding: bool,
    }

    /// What an update changes; what is left out stays.
    UpdateHomeAddress => commands::UpdateHomeAddress {
        /// the version as last read
        #[schema(required)]
        version: String,
        /// house number and street
        street_1: String,
        /// second address line; empty or null clears it
        #[schema(nullable)]
        street_2: String,
        /// city
        city: String,
        /// two letters
        state: String,
        /// ZIP code
        zip: String,
        /// first day, YYYY-MM-DD; null leaves it
        #[schema(nullable)]
        effective_date: DateText,
        /// whether the taxes of the home are withheld where the law does not ask for it
        courtesy_withholding: bool,
    }

    /// A new work address.
    CreateWorkAddress => commands::CreateWorkAddress {
        /// one of the company's locations
        #[schema(required)]
        location_uuid: IdText,
        /// first day, YYYY-MM-DD; by default the hire date for an employee's first work address, and else today
        #[schema(nullable)]
        effective_date: DateText,
        /// whether the employee works at home for their own convenience; false by default (an extension)
        #[schema(nullable)]
        remote_for_own_convenience: bool,
    }

    /// What an update changes; what is left out stays.
    UpdateWorkAddress => commands::UpdateWorkAddress {
        /// the version as last read
        #[schema(required)]
        version: String,
        /// one of the company's locations
        location_uuid: IdText,
        /// first day, YYYY-MM-DD; null leaves it
        #[schema(nullable)]
        effective_date: DateText,
        /// whether the employee works at home for their own convenience (an extension)
        remote_for_own_convenience: bool,
    }
}
