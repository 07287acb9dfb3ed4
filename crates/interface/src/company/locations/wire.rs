//! Locations on the wire.

use domain::company::locations::{commands, rows, service};
use domain::people::addresses::jurisdictions::named_localities;
use domain::records::version_text;
use rules::places::PlaceNames;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::company::places::wire::{
    AddressJurisdiction, PlaceAnswers, PlaceQuestion, address_jurisdictions, place_questions,
};
use crate::field::Field;
use crate::input;
use crate::moment::format_moment;
use crate::values::{CountryName, LineText, OptionalLineText, PhoneText, StateText, VersionText, ZipText};

/// A location of the company.
#[derive(Debug, Serialize, ToSchema)]
pub struct Location {
    /// identifier
    pub uuid: Uuid,
    /// concurrency token, to be sent with an update
    pub version: String,
    /// the company
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
    /// whether it is the company's mailing address; at most one location is
    pub mailing_address: bool,
    /// whether it is the company's filing address; at most one location is, and its state's time zone determines the
    /// company's date
    pub filing_address: bool,
    /// when it was created
    #[schema(format = DateTime)]
    pub created_at: String,
    /// when it was last updated
    #[schema(format = DateTime)]
    pub updated_at: String,
    /// whether it is in use
    pub active: bool,
    /// the opposite of `active`
    pub inactive: bool,
    /// counties, cities and districts whose taxes may apply to work there, by code (an extension)
    pub jurisdictions: Vec<AddressJurisdiction>,
    /// questions about the location that the tables cannot answer, with their answers. Payroll cannot be set up before
    /// those that decide about taxes on work are answered (an extension)
    pub place_questions: Vec<PlaceQuestion>,
}

impl Location {
    /// The answer for a location of `company`.
    pub fn new(company: Uuid, names: PlaceNames<'_>, row: rows::Location) -> Self {
        let found = row.work_localities(false);
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
            created_at: format_moment(row.created_at),
            updated_at: format_moment(row.updated_at),
            active: row.active,
            inactive: !row.active,
            jurisdictions: address_jurisdictions(named_localities(found.places, names)),
            place_questions: place_questions(found.questions),
        }
    }
}

input! {
    /// A new location.
    CreateLocation => commands::CreateLocation {
        /// ten digits, with or without punctuation and the country code 1
        #[schema(required)]
        phone_number: PhoneText,
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
        /// `USA`, the default
        #[schema(nullable)]
        country: CountryName,
        /// true: the mailing address becomes this one; true by default for the first location
        #[schema(nullable)]
        mailing_address: bool,
        /// true: the filing address becomes this one; true by default for the first location
        #[schema(nullable)]
        filing_address: bool,
        /// codes of choices by the keys of `place_questions`, for as long as state, city and ZIP code are unchanged
        /// (an extension)
        #[schema(nullable)]
        place_answers: PlaceAnswers,
    }

    /// What an update changes; omitted fields keep their values.
    UpdateLocation => commands::UpdateLocation {
        /// the version as last read
        #[schema(required)]
        version: VersionText,
        /// ten digits, with or without punctuation and the country code 1
        phone_number: PhoneText,
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
        /// `USA`
        country: CountryName,
        /// true: the mailing address becomes this one
        mailing_address: bool,
        /// true: the filing address becomes this one
        filing_address: bool,
        /// codes of choices by the keys of `place_questions`; null for a key removes its answer, null removes all
        /// (an extension)
        #[schema(nullable)]
        place_answers: PlaceAnswers,
        /// false closes the location: nobody may work there, now or later, and it is neither the mailing nor the filing address (an extension)
        active: bool,
    }
}
