//! Addresses of employees on the wire.

use domain::people::addresses::jurisdictions::MOST;
use domain::people::addresses::{Dated, commands, rows, service};
use domain::records::version_text;
use domain::version::ApiVersion;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use utoipa::openapi::schema::ArrayBuilder;
use utoipa::openapi::{RefOr, Schema};
use uuid::Uuid;

use crate::company::places::wire::{
    AddressJurisdiction, PlaceAnswers, PlaceQuestion, address_jurisdictions, place_questions,
};
use crate::field::{Field, Wire};
use crate::input;
use crate::values::{
    DateText, IdText, LineText, OptionalLineText, StateText, VersionText, ZipText, text_or_empty,
};

/// A home address with its effective date.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct HomeAddress {
    /// identifier
    pub uuid: Uuid,
    /// the employee
    pub employee_uuid: Uuid,
    /// first day, YYYY-MM-DD
    #[schema(format = Date)]
    pub effective_date: String,
    /// whether taxes of the home address are withheld as a courtesy, where the law does not require it
    pub courtesy_withholding: bool,
    /// house number and street
    pub street_1: String,
    /// second address line; if there is none, null, and an empty string before version 2025-11-15
    pub street_2: Option<String>,
    /// city
    pub city: String,
    /// two letters
    pub state: String,
    /// ZIP code
    pub zip: String,
    /// always `USA`
    pub country: String,
    /// whether it is in effect today
    pub active: bool,
    /// counties, cities and districts whose taxes may apply at the address, by code (an extension)
    pub jurisdictions: Vec<AddressJurisdiction>,
    /// questions about the address that the tables cannot answer, with their answers (an extension)
    pub place_questions: Vec<PlaceQuestion>,
    /// concurrency token, to be sent with an update
    pub version: String,
}

impl HomeAddress {
    /// The response in a version.
    pub fn new(version: ApiVersion, address: Dated<rows::HomeAddress>) -> Self {
        let Dated { address, jurisdictions: places, questions: open, active } = address;
        Self {
            uuid: address.id,
            employee_uuid: address.employee,
            effective_date: address.effective_date.to_string(),
            courtesy_withholding: address.courtesy_withholding,
            street_1: address.street_1,
            street_2: text_or_empty(version, address.street_2),
            city: address.city,
            state: address.state,
            zip: address.zip,
            country: address.country,
            active,
            jurisdictions: address_jurisdictions(places),
            place_questions: place_questions(open),
            version: version_text(service::HOME, address.id, address.version),
        }
    }
}

/// A work address with its effective date.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct WorkAddress {
    /// identifier
    pub uuid: Uuid,
    /// the employee
    pub employee_uuid: Uuid,
    /// one of the company's locations
    pub location_uuid: Uuid,
    /// first day, YYYY-MM-DD
    #[schema(format = Date)]
    pub effective_date: String,
    /// whether it is in effect today
    pub active: bool,
    /// concurrency token, to be sent with an update
    pub version: String,
    /// house number and street of the location
    pub street_1: String,
    /// second address line of the location; if there is none, null, and an empty string before version 2025-11-15
    pub street_2: Option<String>,
    /// city of the location
    pub city: String,
    /// two letters, of the location
    pub state: String,
    /// ZIP code of the location
    pub zip: String,
    /// always `USA`
    pub country: String,
    /// whether the employee works at home for their own convenience rather than at the employer's request: a state with
    /// a convenience rule then taxes that work as if done at the location (an extension)
    pub remote_for_own_convenience: bool,
    /// counties, cities and districts whose taxes may apply at the location, by code (an extension)
    pub jurisdictions: Vec<AddressJurisdiction>,
    /// questions about the location that the tables cannot answer; they are answered with the location (an extension)
    pub place_questions: Vec<PlaceQuestion>,
}

impl WorkAddress {
    /// The response in a version.
    pub fn new(version: ApiVersion, address: Dated<rows::Workplace>) -> Self {
        let Dated { address: place, jurisdictions: places, questions: open, active } = address;
        let work = place.address;
        Self {
            uuid: work.id,
            employee_uuid: work.employee,
            location_uuid: work.location,
            effective_date: work.effective_date.to_string(),
            active,
            version: version_text(service::WORK, work.id, work.version),
            street_1: place.street_1,
            street_2: text_or_empty(version, place.street_2),
            city: place.city,
            state: place.state,
            zip: place.zip,
            country: place.country,
            remote_for_own_convenience: work.remote_for_own_convenience,
            jurisdictions: address_jurisdictions(places),
            place_questions: place_questions(open),
        }
    }
}

/// As [`input!`], with the fields of a home address in addition to the struct's own.
macro_rules! input_with_residence {
    ($(#[$about:meta])* $name:ident => $command:ty { $($(#[$field_about:meta])* $field:ident: $type:ty,)* }) => {
        $crate::input! {
            $(#[$about])*
            $name => $command {
                $($(#[$field_about])* $field: $type,)*
            } + residence: domain::people::addresses::commands::Residence {
                /// house number and street
                #[schema(required)]
                street_1: $crate::values::LineText,
                /// second address line
                #[schema(nullable)]
                street_2: $crate::values::OptionalLineText,
                /// city
                #[schema(required)]
                city: $crate::values::LineText,
                /// two-letter code of the state
                #[schema(required)]
                state: $crate::values::StateText,
                /// ZIP code
                #[schema(required)]
                zip: $crate::values::ZipText,
            }
        }
    };
}
pub(crate) use input_with_residence;

input! {
    /// A new home address.
    CreateHomeAddress => commands::CreateHomeAddress {
        /// house number and street, at most 100 characters
        #[schema(required)]
        street_1: LineText,
        /// second address line
        #[schema(nullable)]
        street_2: OptionalLineText,
        /// city, at most 100 characters
        #[schema(required)]
        city: LineText,
        /// two letters
        #[schema(required)]
        state: StateText,
        /// five digits, or five, a hyphen and four
        #[schema(required)]
        zip: ZipText,
        /// first day, YYYY-MM-DD; defaults to today
        #[schema(nullable)]
        effective_date: DateText,
        /// whether taxes of the home address are withheld as a courtesy, where the law does not require it; false by
        /// default
        #[schema(nullable)]
        courtesy_withholding: bool,
        /// the `code`s of `jurisdictions`, each once, if the tables are wrong: they replace what follows from ZIP code,
        /// city and the residence questions of New York, for as long as state, city and ZIP code are unchanged. They
        /// must be localities of the state in the list of taxes. Pennsylvania's PSD code and Ohio's school district are
        /// those of the certificate unless one is among them. Null or omitted, the tables decide (an extension)
        #[schema(nullable)]
        jurisdiction_codes: JurisdictionCodes,
        /// codes of choices by the keys of `place_questions`, for as long as state, city and ZIP code are unchanged
        /// (an extension)
        #[schema(nullable)]
        place_answers: PlaceAnswers,
    }

    /// What an update changes; omitted fields keep their values.
    UpdateHomeAddress => commands::UpdateHomeAddress {
        /// the version as last read
        #[schema(required)]
        version: VersionText,
        /// house number and street
        street_1: LineText,
        /// second address line; empty or null clears it
        #[schema(nullable)]
        street_2: OptionalLineText,
        /// city
        city: LineText,
        /// two letters
        state: StateText,
        /// ZIP code
        zip: ZipText,
        /// first day, YYYY-MM-DD; null leaves it unchanged
        #[schema(nullable)]
        effective_date: DateText,
        /// whether taxes of the home address are withheld as a courtesy, where the law does not require it
        courtesy_withholding: bool,
        /// the `code`s of `jurisdictions`, as for a new address; null lets the tables decide again (an extension)
        #[schema(nullable)]
        jurisdiction_codes: JurisdictionCodes,
        /// codes of choices by the keys of `place_questions`; null for a key removes its answer, null removes all
        /// (an extension)
        #[schema(nullable)]
        place_answers: PlaceAnswers,
    }

    /// A new work address.
    CreateWorkAddress => commands::CreateWorkAddress {
        /// one of the company's locations
        #[schema(required)]
        location_uuid: IdText,
        /// first day, YYYY-MM-DD; defaults to the hire date for an employee's first work address, and otherwise to
        /// today
        #[schema(nullable)]
        effective_date: DateText,
        /// whether the employee works at home for their own convenience; false by default (an extension)
        #[schema(nullable)]
        remote_for_own_convenience: bool,
        /// the `code`s of `jurisdictions`, each once, if the tables are wrong: they replace what follows from the
        /// location's ZIP code and city, for as long as its state, city and ZIP code are unchanged. They must be
        /// localities of the state in the list of taxes. Pennsylvania's PSD code is that of the certificate unless one
        /// is among them. Null or omitted, the tables decide (an extension)
        #[schema(nullable)]
        jurisdiction_codes: JurisdictionCodes,
    }

    /// What an update changes; omitted fields keep their values.
    UpdateWorkAddress => commands::UpdateWorkAddress {
        /// the version as last read
        #[schema(required)]
        version: VersionText,
        /// one of the company's locations
        location_uuid: IdText,
        /// first day, YYYY-MM-DD; null leaves it unchanged
        #[schema(nullable)]
        effective_date: DateText,
        /// whether the employee works at home for their own convenience (an extension)
        remote_for_own_convenience: bool,
        /// the `code`s of `jurisdictions`, as for a new address; null lets the tables decide again (an extension)
        #[schema(nullable)]
        jurisdiction_codes: JurisdictionCodes,
    }
}

/// A list of locality codes.
#[derive(Debug, ToSchema)]
#[schema(value_type = Vec<String>)]
pub struct JurisdictionCodes(());

impl Wire for JurisdictionCodes {
    type Value = Vec<String>;
    const EXPECTED: &'static str = "a list of texts with at most 20 items";
    fn from_json(value: Value) -> Option<Vec<String>> {
        let codes: Vec<String> = serde_json::from_value(value).ok()?;
        (codes.len() <= MOST).then_some(codes)
    }
    fn schema() -> RefOr<Schema> {
        ArrayBuilder::new().items(LineText::schema()).max_items(Some(MOST)).into()
    }
}
