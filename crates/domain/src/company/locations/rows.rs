//! Rows of locations.

use jiff::Timestamp;
use store::{Row, Tx, params};
use uuid::Uuid;

use crate::error::Error;
use crate::paging::Page;

/// The columns of a location, in the order in which [`location`] reads them.
macro_rules! columns {
    () => {
        "id, phone_number, street_1, street_2, city, state, zip, country, mailing_address, filing_address, active, \
         version, created_at, updated_at"
    };
}

store::statements! {
    FIND = concat!("SELECT ", columns!(), " FROM locations WHERE company_id = $1 AND id = $2");
    OF_COMPANY = concat!("SELECT ", columns!(), " FROM locations WHERE company_id = $1 ORDER BY id");
    PAGE = concat!("SELECT ", columns!(), " FROM locations WHERE company_id = $1 ORDER BY id LIMIT $2 OFFSET $3");
    COUNT = "SELECT count(*) FROM locations WHERE company_id = $1";
    INSERT = "INSERT INTO locations (company_id, id, phone_number, street_1, street_2, city, state, zip, country, \
              mailing_address, filing_address, active, version, created_at, updated_at) \
              VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 1, $13, $13)";
    UPDATE = "UPDATE locations SET phone_number = $1, street_1 = $2, street_2 = $3, city = $4, state = $5, zip = $6, country = $7, \
              mailing_address = $8, filing_address = $9, active = $10, version = version + 1, updated_at = $11 \
              WHERE company_id = $12 AND id = $13 AND version = $14";
}

/// A place where people work.
#[derive(Debug, Clone)]
pub struct Location {
    /// identifier
    pub id: Uuid,
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
    /// whether the company files from here; at most one of its locations
    pub filing_address: bool,
    /// whether it is in use
    pub active: bool,
    /// counter of updates
    pub version: i64,
    /// when the record was created
    pub created_at: Timestamp,
    /// when it was last updated
    pub updated_at: Timestamp,
}

fn location(row: &Row<'_>) -> Location {
    Location {
        id: row.get(0),
        phone_number: row.get(1),
        street_1: row.get(2),
        street_2: row.get(3),
        city: row.get(4),
        state: row.get(5),
        zip: row.get(6),
        country: row.get(7),
        mailing_address: row.get(8),
        filing_address: row.get(9),
        active: row.get(10),
        version: row.get(11),
        created_at: row.get(12),
        updated_at: row.get(13),
    }
}

/// The location, if it is one of the company's.
///
/// # Errors
/// A store error.
pub fn find(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<Option<Location>, Error> {
    Ok(tx.find(FIND, params![company, id], location)?)
}

/// Every location of the company, oldest first.
///
/// # Errors
/// A store error.
pub fn of_company(tx: &mut Tx<'_>, company: Uuid) -> Result<Vec<Location>, Error> {
    Ok(tx.query(OF_COMPANY, params![company], location)?)
}

/// The locations of a page, oldest first.
///
/// # Errors
/// A store error.
pub fn list(tx: &mut Tx<'_>, company: Uuid, page: Page) -> Result<Vec<Location>, Error> {
    let (limit, offset) = page.bounds();
    Ok(tx.query(PAGE, params![company, limit, offset], location)?)
}

/// How many locations the company has.
///
/// # Errors
/// A store error.
pub fn count(tx: &mut Tx<'_>, company: Uuid) -> Result<i64, Error> {
    Ok(tx.find(COUNT, params![company], |row| row.get::<i64>(0))?.unwrap_or(0))
}

/// Stores a new location.
///
/// # Errors
/// A store error.
pub fn insert(tx: &mut Tx<'_>, company: Uuid, new: &Location) -> Result<(), Error> {
    let parameters = params![
        company,
        new.id,
        &new.phone_number,
        &new.street_1,
        &new.street_2,
        &new.city,
        &new.state,
        &new.zip,
        &new.country,
        new.mailing_address,
        new.filing_address,
        new.active,
        new.created_at
    ];
    Ok(tx.insert(INSERT, parameters)?)
}

/// Stores what the record says, if its version is still that of `changed`; else nothing.
///
/// # Errors
/// A store error.
pub fn update(tx: &mut Tx<'_>, company: Uuid, changed: &Location) -> Result<bool, Error> {
    let now = tx.now();
    let parameters = params![
        &changed.phone_number,
        &changed.street_1,
        &changed.street_2,
        &changed.city,
        &changed.state,
        &changed.zip,
        &changed.country,
        changed.mailing_address,
        changed.filing_address,
        changed.active,
        now,
        company,
        changed.id,
        changed.version
    ];
    Ok(tx.change(UPDATE, parameters)?.one())
}
