//! Which companies a partner application is connected to. Whoever gets a company token for an application connects
//! the two ([`crate::access::tokens::issue`] sees to it); [`end`] takes the connection back. An application hears of a company's
//! events only while they are connected.

use jiff::Timestamp;
use store::record::Cursor;
use store::{Tx, params};
use uuid::Uuid;

use crate::error::Error;

store::statements! {
    BEGIN = "INSERT INTO connections (company_id, application_id, connected_at) VALUES ($1, $2, $3) \
             ON CONFLICT (company_id, application_id) DO UPDATE SET ended_at = NULL, \
             connected_at = CASE WHEN connections.ended_at IS NULL THEN connections.connected_at ELSE excluded.connected_at END";
    END = "UPDATE connections SET ended_at = $1 WHERE company_id = $2 AND application_id = $3 AND ended_at IS NULL";
    OF_COMPANY = "SELECT c.application_id, a.name, c.connected_at, c.ended_at FROM connections c JOIN applications a ON a.id = c.application_id \
                  WHERE c.company_id = $1 ORDER BY c.application_id LIMIT $2";
    OF_APPLICATION = "SELECT company_id FROM connections WHERE application_id = $1 AND company_id > $2 AND ended_at IS NULL \
                      ORDER BY company_id LIMIT $3";
    COUNT = "SELECT count(company_id) FROM connections WHERE application_id = $1 AND ended_at IS NULL";
    EXISTS = "SELECT connected_at FROM connections WHERE company_id = $1 AND application_id = $2";
}

/// Connects a company and an application; where they are connected already, nothing changes.
///
/// # Errors
/// A store error.
pub fn begin(tx: &mut Tx<'_>, company: Uuid, application: Uuid) -> Result<(), Error> {
    let now = tx.now();
    Ok(tx.insert(BEGIN, params![company, application, now])?)
}

/// Ends the connection of a company and an application; returns whether there was one.
///
/// # Errors
/// A store error.
pub fn end(tx: &mut Tx<'_>, company: Uuid, application: Uuid) -> Result<bool, Error> {
    let now = tx.now();
    Ok(tx.change(END, params![now, company, application])?.one())
}

/// Whether the application is connected to the company, or was at some time.
///
/// # Errors
/// A store error.
pub fn known(tx: &mut Tx<'_>, company: Uuid, application: Uuid) -> Result<bool, Error> {
    Ok(tx.find(EXISTS, params![company, application], |row| row.get::<Timestamp>(0))?.is_some())
}

/// An application that is connected to a company, or was.
#[derive(Debug, Clone)]
pub struct Connected {
    /// the application
    pub application: Uuid,
    /// its name
    pub name: String,
    /// when they were connected
    pub connected_at: Timestamp,
    /// when the connection was taken back
    pub ended_at: Option<Timestamp>,
}

/// The applications of a company, those that were connected among them.
///
/// # Errors
/// A store error.
pub fn of_company(tx: &mut Tx<'_>, company: Uuid, most: i64) -> Result<Vec<Connected>, Error> {
    Ok(tx.try_query(OF_COMPANY, params![company, most], |row| {
        let mut next = Cursor::new(row, "connections", 0);
        Ok::<_, store::Error>(Connected {
            application: next.plain("application_id")?,
            name: next.plain("name")?,
            connected_at: next.plain("connected_at")?,
            ended_at: next.plain("ended_at")?,
        })
    })?)
}

/// Companies that an application is connected to, in the order of their identifiers, those after one of them.
///
/// # Errors
/// A store error.
pub fn of_application(
    tx: &mut Tx<'_>,
    application: Uuid,
    after: Uuid,
    most: i64,
) -> Result<Vec<Uuid>, Error> {
    Ok(tx.try_query(OF_APPLICATION, params![application, after, most], |row| {
        Cursor::new(row, "connections", 0).plain::<Uuid>("company_id")
    })?)
}

/// How many companies an application is connected to.
///
/// # Errors
/// A store error.
pub fn count(tx: &mut Tx<'_>, application: Uuid) -> Result<i64, Error> {
    Ok(tx.find(COUNT, params![application], |row| row.get::<i64>(0))?.unwrap_or(0))
}
