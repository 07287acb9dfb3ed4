//! Rows of locations.

use jiff::Timestamp;
use rules::check;
use rules::places::{Facts, Found, Side, find_places};
use store::{Tx, params};
use uuid::Uuid;

use super::fields::{optional_line, read_address_line, read_state, read_zip_code};
use super::places::{PlaceAnswers, Postal, SentAnswers};
use crate::editable::editable;
use crate::error::Error;
use crate::paging::Page;
use crate::patch::as_is;

store::record! {
    /// A place where employees work.
    #[derive(Debug, Clone, Default)]
    pub struct Location in "locations" {
        key {
            /// identifier
            pub id: Uuid,
        }
        fields {
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
            /// whether it is the company's filing address; at most one location is
            pub filing_address: bool,
            /// whether it is in use
            pub active: bool,
            /// answers to the questions about the address
            pub place_answers: Option<PlaceAnswers> as json,
        }
        times {
            /// when the record was created
            pub created_at: Timestamp,
            /// when it was last updated
            pub updated_at: Timestamp,
        }
        version
    }
}

editable! {
    Location;
    /// Creates a location.
    create CreateLocation {
        /// answers to the questions about the address
        place_answers: SentAnswers,
    }
    /// Updates what is given and keeps the rest.
    update UpdateLocation {
        /// answers to the questions about the address; null removes them
        place_answers: SentAnswers,
        /// whether it is in use; false closes it
        active: bool,
    }
    required phone_number: String = |key, number| check::parse_phone(key, number);
    required street_1: String = read_address_line;
    optional street_2: String = optional_line;
    required city: String = read_address_line;
    required state: String = read_state;
    required zip: String = read_zip_code;
    preset country: String = |key, country| check::parse_country(key, country).map(str::to_owned);
    preset mailing_address: bool = as_is;
    preset filing_address: bool = as_is;
}

impl Location {
    /// Returns the parts of the address that determine its localities.
    pub fn postal(&self) -> Postal<'_> {
        Postal { state: &self.state, city: &self.city, zip: &self.zip }
    }

    /// Returns the localities of work at the location, with the choices of a whole county if `with_others`.
    pub fn work_localities(&self, with_others: bool) -> Found {
        let answers = self.place_answers.as_ref().and_then(|held| held.for_address(self.postal()));
        find_places(Side::Work, self.postal().address(), Facts { answers, with_others, ..Facts::default() })
    }
}

/// Maximum locations of a company.
pub const MOST: i64 = 1_000;

store::statements! {
    records Location;
    OF_COMPANY = store::text!(Location::SELECT, " ORDER BY id");
    ACTIVE = store::text!(Location::SELECT, " AND active = true ORDER BY id LIMIT $2");
    PAGE = store::text!(Location::SELECT, " ORDER BY id LIMIT $2 OFFSET $3");
    COUNT = "SELECT count(*) FROM locations WHERE company_id = $1";
}

/// Every location of the company, oldest first.
pub fn of_company(tx: &mut Tx<'_>, company: Uuid) -> Result<Vec<Location>, Error> {
    Ok(tx.try_query(OF_COMPANY, params![company], Location::read)?)
}

/// Every location of the company that is in use, oldest first.
pub fn active_locations(tx: &mut Tx<'_>, company: Uuid) -> Result<Vec<Location>, Error> {
    Ok(tx.try_query_all(ACTIVE, params![company], MOST, Location::read)?)
}

/// The locations of a page, oldest first.
pub fn list_locations(tx: &mut Tx<'_>, company: Uuid, page: Page) -> Result<Vec<Location>, Error> {
    let (limit, offset) = page.limit_and_offset();
    Ok(tx.try_query(PAGE, params![company, limit, offset], Location::read)?)
}

/// Number of the company's locations.
pub fn count_locations(tx: &mut Tx<'_>, company: Uuid) -> Result<i64, Error> {
    Ok(tx.find_row(COUNT, params![company], |row| row.get::<i64>(0))?.unwrap_or(0))
}
