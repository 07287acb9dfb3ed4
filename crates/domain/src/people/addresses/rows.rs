//! Rows of home and work addresses. Those of an employee are read in the order of creation.

use jiff::civil::Date;
use rules::effective;
use store::{Row, Tx, params};
use uuid::Uuid;

use crate::error::Error;

/// The columns of a home address, in the order in which [`home`] reads them.
macro_rules! home_columns {
    () => {
        "id, employee_id, effective_date, street_1, street_2, city, state, zip, country, courtesy_withholding, version"
    };
}

store::statements! {
    HOMES = concat!("SELECT ", home_columns!(), " FROM home_addresses WHERE company_id = $1 AND employee_id = $2 ORDER BY id");
    FIND_HOME = concat!("SELECT ", home_columns!(), " FROM home_addresses WHERE company_id = $1 AND id = $2");
    HAS_HOME = "SELECT id FROM home_addresses WHERE company_id = $1 AND employee_id = $2 LIMIT 1";
    INSERT_HOME = "INSERT INTO home_addresses (company_id, employee_id, id, effective_date, street_1, street_2, city, state, zip, \
                   country, courtesy_withholding, version, created_at, updated_at) \
                   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 1, $12, $12)";
    UPDATE_HOME = "UPDATE home_addresses SET effective_date = $1, street_1 = $2, street_2 = $3, city = $4, state = $5, zip = $6, \
                   courtesy_withholding = $7, version = version + 1, updated_at = $8 \
                   WHERE company_id = $9 AND employee_id = $10 AND id = $11 AND version = $12";
    DELETE_HOME = "DELETE FROM home_addresses WHERE company_id = $1 AND employee_id = $2 AND id = $3";
    WORKPLACES = "SELECT w.id, w.employee_id, w.location_id, w.effective_date, w.version, l.street_1, l.street_2, l.city, l.state, \
                  l.zip, l.country FROM work_addresses w JOIN locations l ON l.company_id = w.company_id AND l.id = w.location_id \
                  WHERE w.company_id = $1 AND w.employee_id = $2 ORDER BY w.id";
    WORK_BETWEEN = "SELECT id, employee_id, location_id, effective_date, version FROM work_addresses \
                    WHERE company_id = $1 AND employee_id BETWEEN $2 AND $3 ORDER BY employee_id, id";
    FIND_WORK = "SELECT id, employee_id, location_id, effective_date, version FROM work_addresses WHERE company_id = $1 AND id = $2";
    HAS_WORK = "SELECT id FROM work_addresses WHERE company_id = $1 AND employee_id = $2 LIMIT 1";
    INSERT_WORK = "INSERT INTO work_addresses (company_id, employee_id, id, location_id, effective_date, version, created_at, updated_at) \
                   VALUES ($1, $2, $3, $4, $5, 1, $6, $6)";
    UPDATE_WORK = "UPDATE work_addresses SET location_id = $1, effective_date = $2, version = version + 1, updated_at = $3 \
                   WHERE company_id = $4 AND employee_id = $5 AND id = $6 AND version = $7";
    DELETE_WORK = "DELETE FROM work_addresses WHERE company_id = $1 AND employee_id = $2 AND id = $3";
    HIRE_DATE = "SELECT hire_date FROM employee_jobs WHERE company_id = $1 AND employee_id = $2 AND is_primary = true ORDER BY id LIMIT 1";
}

/// Where an employee lives from a day on.
#[derive(Debug, Clone)]
pub struct HomeAddress {
    /// identifier
    pub id: Uuid,
    /// who lives there
    pub employee: Uuid,
    /// first day
    pub effective_date: Date,
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
    /// whether the taxes of the home are withheld where the law does not ask for it
    pub courtesy_withholding: bool,
    /// counter of updates
    pub version: i64,
}

fn home(row: &Row<'_>) -> HomeAddress {
    HomeAddress {
        id: row.get(0),
        employee: row.get(1),
        effective_date: row.get(2),
        street_1: row.get(3),
        street_2: row.get(4),
        city: row.get(5),
        state: row.get(6),
        zip: row.get(7),
        country: row.get(8),
        courtesy_withholding: row.get(9),
        version: row.get(10),
    }
}

/// Where an employee works from a day on.
#[derive(Debug, Clone)]
pub struct WorkAddress {
    /// identifier
    pub id: Uuid,
    /// who works there
    pub employee: Uuid,
    /// one of the company's
    pub location: Uuid,
    /// first day
    pub effective_date: Date,
    /// counter of updates
    pub version: i64,
}

fn work(row: &Row<'_>) -> WorkAddress {
    WorkAddress {
        id: row.get(0),
        employee: row.get(1),
        location: row.get(2),
        effective_date: row.get(3),
        version: row.get(4),
    }
}

/// A work address with what its location says.
#[derive(Debug, Clone)]
pub struct Workplace {
    /// the work address
    pub address: WorkAddress,
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
}

fn workplace(row: &Row<'_>) -> Workplace {
    Workplace {
        address: work(row),
        street_1: row.get(5),
        street_2: row.get(6),
        city: row.get(7),
        state: row.get(8),
        zip: row.get(9),
        country: row.get(10),
    }
}

/// The employee's home addresses.
///
/// # Errors
/// A store error.
pub fn homes(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<Vec<HomeAddress>, Error> {
    Ok(tx.query(HOMES, params![company, employee], home)?)
}

/// The home address, if it is one of the company's employees'.
///
/// # Errors
/// A store error.
pub fn find_home(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<Option<HomeAddress>, Error> {
    Ok(tx.find(FIND_HOME, params![company, id], home)?)
}

/// Whether the employee has a home address.
///
/// # Errors
/// A store error.
pub fn has_home(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<bool, Error> {
    Ok(tx.find(HAS_HOME, params![company, employee], |_| ())?.is_some())
}

/// Stores a new home address.
///
/// # Errors
/// A store error.
pub fn insert_home(tx: &mut Tx<'_>, company: Uuid, new: &HomeAddress) -> Result<(), Error> {
    let now = tx.now();
    let parameters = params![
        company,
        new.employee,
        new.id,
        new.effective_date,
        &new.street_1,
        &new.street_2,
        &new.city,
        &new.state,
        &new.zip,
        &new.country,
        new.courtesy_withholding,
        now
    ];
    Ok(tx.insert(INSERT_HOME, parameters)?)
}

/// Stores what the record says, if its version is still that of `changed`; else nothing.
///
/// # Errors
/// A store error.
pub fn update_home(tx: &mut Tx<'_>, company: Uuid, changed: &HomeAddress) -> Result<bool, Error> {
    let now = tx.now();
    let parameters = params![
        changed.effective_date,
        &changed.street_1,
        &changed.street_2,
        &changed.city,
        &changed.state,
        &changed.zip,
        changed.courtesy_withholding,
        now,
        company,
        changed.employee,
        changed.id,
        changed.version
    ];
    Ok(tx.change(UPDATE_HOME, parameters)?.one())
}

/// Deletes a home address.
///
/// # Errors
/// A store error.
pub fn delete_home(tx: &mut Tx<'_>, company: Uuid, address: &HomeAddress) -> Result<bool, Error> {
    Ok(tx.change(DELETE_HOME, params![company, address.employee, address.id])?.one())
}

/// The employee's work addresses with their locations.
///
/// # Errors
/// A store error.
pub fn workplaces(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<Vec<Workplace>, Error> {
    Ok(tx.query(WORKPLACES, params![company, employee], workplace)?)
}

/// The work addresses of the employees between two (both included), those of one together.
///
/// # Errors
/// A store error.
pub fn work_between(
    tx: &mut Tx<'_>,
    company: Uuid,
    (first, last): (Uuid, Uuid),
) -> Result<Vec<WorkAddress>, Error> {
    Ok(tx.query(WORK_BETWEEN, params![company, first, last], work)?)
}

/// The location at which the employee works on `today`.
///
/// # Errors
/// A store error.
pub fn active_work_location(
    tx: &mut Tx<'_>,
    company: Uuid,
    employee: Uuid,
    today: Date,
) -> Result<Option<Uuid>, Error> {
    let all = workplaces(tx, company, employee)?;
    Ok(effective::active(&all, today, |place| place.address.effective_date)
        .map(|place| place.address.location))
}

/// The work address, if it is one of the company's employees'.
///
/// # Errors
/// A store error.
pub fn find_work(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<Option<WorkAddress>, Error> {
    Ok(tx.find(FIND_WORK, params![company, id], work)?)
}

/// Whether the employee has a work address.
///
/// # Errors
/// A store error.
pub fn has_work(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<bool, Error> {
    Ok(tx.find(HAS_WORK, params![company, employee], |_| ())?.is_some())
}

/// Stores a new work address.
///
/// # Errors
/// A store error.
pub fn insert_work(tx: &mut Tx<'_>, company: Uuid, new: &WorkAddress) -> Result<(), Error> {
    let now = tx.now();
    Ok(tx
        .insert(INSERT_WORK, params![company, new.employee, new.id, new.location, new.effective_date, now])?)
}

/// Stores what the record says, if its version is still that of `changed`; else nothing.
///
/// # Errors
/// A store error.
pub fn update_work(tx: &mut Tx<'_>, company: Uuid, changed: &WorkAddress) -> Result<bool, Error> {
    let now = tx.now();
    let parameters = params![
        changed.location,
        changed.effective_date,
        now,
        company,
        changed.employee,
        changed.id,
        changed.version
    ];
    Ok(tx.change(UPDATE_WORK, parameters)?.one())
}

/// Deletes a work address.
///
/// # Errors
/// A store error.
pub fn delete_work(tx: &mut Tx<'_>, company: Uuid, address: &WorkAddress) -> Result<bool, Error> {
    Ok(tx.change(DELETE_WORK, params![company, address.employee, address.id])?.one())
}

/// The hire date of the employee's primary job, if there is one.
///
/// # Errors
/// A store error.
pub fn hire_date(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<Option<Date>, Error> {
    Ok(tx.find(HIRE_DATE, params![company, employee], |row| row.get::<Date>(0))?)
}
