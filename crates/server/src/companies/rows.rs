//! Rows of companies and signatories.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use store::{Row, Tx, params};
use uuid::Uuid;

use crate::error::Error;

store::statements! {
    FIND = "SELECT company_id, name, trade_name, ein, entity_type, contractor_only, company_status, is_partner_managed, \
            join_date, time_zone, version, created_at, updated_at FROM companies WHERE company_id = $1";
    INSERT = "INSERT INTO companies (company_id, name, trade_name, ein, entity_type, contractor_only, company_status, \
              is_partner_managed, join_date, time_zone, version, created_at, updated_at) \
              VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 1, $11, $11)";
    TIME_ZONE = "SELECT time_zone FROM companies WHERE company_id = $1";
    SET_TIME_ZONE = "UPDATE companies SET time_zone = $1, updated_at = $2 WHERE company_id = $3";
    SIGNATORIES = "SELECT id, first_name, last_name, title, phone, email, version FROM signatories WHERE company_id = $1 ORDER BY id";
    INSERT_SIGNATORY = "INSERT INTO signatories (company_id, id, first_name, last_name, title, phone, email, version, created_at, updated_at) \
                        VALUES ($1, $2, $3, $4, $5, $6, $7, 1, $8, $8)";
}

/// A company.
#[derive(Debug, Clone)]
pub struct Company {
    /// identifier
    pub id: Uuid,
    /// legal name
    pub name: String,
    /// name on the shop's sign
    pub trade_name: Option<String>,
    /// employer identification number, nine digits
    pub ein: Option<String>,
    /// such as `LLC`
    pub entity_type: Option<String>,
    /// whether it has contractors only
    pub contractor_only: bool,
    /// `Approved`, `Not Approved` or `Suspended`
    pub company_status: String,
    /// whether a partner runs its payroll
    pub is_partner_managed: bool,
    /// since when
    pub join_date: Option<Date>,
    /// IANA name
    pub time_zone: String,
    /// counter of updates
    pub version: i64,
    /// when it was created
    pub created_at: Timestamp,
    /// when it was last updated
    pub updated_at: Timestamp,
}

fn company(row: &Row<'_>) -> Company {
    Company {
        id: row.get(0),
        name: row.get(1),
        trade_name: row.get(2),
        ein: row.get(3),
        entity_type: row.get(4),
        contractor_only: row.get(5),
        company_status: row.get(6),
        is_partner_managed: row.get(7),
        join_date: row.get(8),
        time_zone: row.get(9),
        version: row.get(10),
        created_at: row.get(11),
        updated_at: row.get(12),
    }
}

/// The company, if it exists.
///
/// # Errors
/// A store error.
pub fn find(tx: &mut Tx<'_>, id: Uuid) -> Result<Option<Company>, Error> {
    Ok(tx.find(FIND, params![id], company)?)
}

/// Stores a new company.
///
/// # Errors
/// A store error.
pub fn insert(tx: &mut Tx<'_>, new: &Company) -> Result<(), Error> {
    let Company { id, name, trade_name, ein, entity_type, contractor_only, company_status, .. } = new;
    let parameters = params![
        id,
        name,
        trade_name,
        ein,
        entity_type,
        *contractor_only,
        company_status,
        new.is_partner_managed,
        new.join_date,
        &new.time_zone,
        new.created_at
    ];
    Ok(tx.insert(INSERT, parameters)?)
}

/// The zone whose date is "today" for the company; UTC for one that does not exist.
///
/// # Errors
/// A store error.
pub fn time_zone(tx: &mut Tx<'_>, company: Uuid) -> Result<TimeZone, Error> {
    let name = tx.find(TIME_ZONE, params![company], |row| row.get::<String>(0))?;
    Ok(name.and_then(|name| TimeZone::get(&name).ok()).unwrap_or(TimeZone::UTC))
}

/// Sets the company's zone.
///
/// # Errors
/// A store error, or "not found".
pub fn set_time_zone(tx: &mut Tx<'_>, company: Uuid, zone: &str) -> Result<(), Error> {
    let now = tx.now();
    if tx.change(SET_TIME_ZONE, params![zone, now, company])?.one() { Ok(()) } else { Err(Error::NotFound) }
}

/// A signatory.
#[derive(Debug, Clone)]
pub struct Signatory {
    /// identifier
    pub id: Uuid,
    /// first name
    pub first_name: String,
    /// last name
    pub last_name: String,
    /// such as `Owner`
    pub title: Option<String>,
    /// ten digits
    pub phone: Option<String>,
    /// where the company's papers go
    pub email: String,
    /// counter of updates
    pub version: i64,
}

/// The company's signatories: one at most.
///
/// # Errors
/// A store error.
pub fn signatories(tx: &mut Tx<'_>, company: Uuid) -> Result<Vec<Signatory>, Error> {
    Ok(tx.query(SIGNATORIES, params![company], |row| Signatory {
        id: row.get(0),
        first_name: row.get(1),
        last_name: row.get(2),
        title: row.get(3),
        phone: row.get(4),
        email: row.get(5),
        version: row.get(6),
    })?)
}

/// Stores a new signatory.
///
/// # Errors
/// A store error.
pub fn insert_signatory(tx: &mut Tx<'_>, company: Uuid, new: &Signatory) -> Result<(), Error> {
    let Signatory { id, first_name, last_name, title, phone, email, .. } = new;
    let now = tx.now();
    Ok(tx.insert(INSERT_SIGNATORY, params![company, id, first_name, last_name, title, phone, email, now])?)
}
