//! Which companies a partner application is connected to. Issuing a company token to an application connects the two
//! ([`crate::access::tokens::issue`]); [`disconnect_application`] ends the connection. An application receives a company's events only while they are
//! connected; past connections are kept, so that events from then are still listed.
//!
//! Granting an application access to a company (tokens, links to pages), and revoking it, happen under one guard ([`lock_company_access`]): a grant made
//! while access ends is either revoked with it, or refused afterwards.

use jiff::{SignedDuration, Timestamp};
use store::record::Cursor;
use store::{Tx, params};
use uuid::Uuid;

use crate::error::Error;

store::statements! {
    BEGIN = "INSERT INTO connections (company_id, application_id, connected_at, manages) VALUES ($1, $2, $3, $4) \
             ON CONFLICT (company_id, application_id) DO UPDATE SET ended_at = NULL, \
             connected_at = CASE WHEN connections.ended_at IS NULL THEN connections.connected_at ELSE excluded.connected_at END";
    END = "UPDATE connections SET ended_at = $1, manages = $4 WHERE company_id = $2 AND application_id = $3 AND ended_at IS NULL";
    KEEP = "INSERT INTO past_connections (company_id, application_id, connected_at, ended_at) \
            SELECT company_id, application_id, connected_at, ended_at FROM connections \
            WHERE company_id = $1 AND application_id = $2 AND ended_at IS NOT NULL \
            ON CONFLICT (company_id, application_id, connected_at) DO UPDATE SET ended_at = excluded.ended_at";
    OPEN = "SELECT application_id, manages FROM connections WHERE company_id = $1 AND ended_at IS NULL \
            ORDER BY application_id LIMIT $2";
    IS_MANAGED = "SELECT is_partner_managed FROM companies WHERE company_id = $1";
    NOBODY_MANAGES = "UPDATE connections SET manages = $1 WHERE company_id = $2";
    MADE = "UPDATE connections SET manages = $1, connected_at = $4 WHERE company_id = $2 AND application_id = $3";
    CONSENT = "UPDATE connections SET consented_at = $1 WHERE company_id = $2 AND application_id = $3";
    MANAGE = "UPDATE connections SET manages = $1 WHERE company_id = $2 AND application_id = $3";
    OF_COMPANY = "SELECT c.application_id, a.name, c.connected_at, c.ended_at FROM connections c JOIN applications a ON a.id = c.application_id \
                  WHERE c.company_id = $1 ORDER BY c.application_id LIMIT $2";
    OF_APPLICATION = "SELECT company_id FROM connections WHERE application_id = $1 AND company_id > $2 AND ended_at IS NULL \
                      ORDER BY company_id LIMIT $3";
    COUNT = "SELECT count(company_id) FROM connections WHERE application_id = $1 AND ended_at IS NULL";
    EXISTS = "SELECT connected_at FROM connections WHERE company_id = $1 AND application_id = $2";
}

/// What decides about the access of applications to a company.
const GUARD: &str = "company_access";
/// Clocks of nodes differ by less than this.
const CLOCKS_DIFFER: SignedDuration = SignedDuration::from_secs(60);
/// Maximum applications connected to a company.
const MOST: i64 = 1_000;

/// Takes the guard under which access to a company is granted and revoked.
pub fn lock_company_access(tx: &mut Tx<'_>, company: Uuid) -> Result<(), Error> {
    Ok(tx.take_guard(company, GUARD, company)?)
}

/// Connects a company and an application; no-op if they are already connected.
pub fn connect_application(tx: &mut Tx<'_>, company: Uuid, application: Uuid) -> Result<(), Error> {
    let now = tx.now();
    Ok(tx.insert_row(BEGIN, params![company, application, now, false])?)
}

/// Ends the connection of a company and an application; returns whether there was one.
pub fn disconnect_application(tx: &mut Tx<'_>, company: Uuid, application: Uuid) -> Result<bool, Error> {
    let now = tx.now();
    let ended = tx.change_rows(END, params![now, company, application, false])?.is_one();
    if ended {
        let _kept = tx.change_rows(KEEP, params![company, application])?.rows();
    }
    Ok(ended)
}

/// Records that an administrator of a company consented to an application that it is connected to. This stays true when the connection
/// ends: from now on the company decides what the application's tokens hold.
pub fn note_consent(tx: &mut Tx<'_>, company: Uuid, application: Uuid) -> Result<(), Error> {
    let now = tx.now();
    assert!(
        tx.change_rows(CONSENT, params![now, company, application])?.is_one(),
        "issuing a token connects them"
    );
    Ok(())
}

/// Records that an application manages a company that it is connected to: it created the company, or migrated it to its product.
pub fn record_managing_application(tx: &mut Tx<'_>, company: Uuid, application: Uuid) -> Result<(), Error> {
    let _others = tx.change_rows(NOBODY_MANAGES, params![false, company])?.rows();
    let _it = tx.change_rows(MANAGE, params![true, company, application])?.rows();
    Ok(())
}

/// As [`record_managing_application`], for a company that the application has just created: the start is dated back a little, so that it also receives events
/// from nodes whose clock is slightly behind.
pub fn manage_new(tx: &mut Tx<'_>, company: Uuid, application: Uuid) -> Result<(), Error> {
    let since = tx.now() - CLOCKS_DIFFER;
    let _it = tx.change_rows(MADE, params![true, company, application, since])?.rows();
    Ok(())
}

/// Applications that are connected to a company, by id, and whether each is known to manage it.
fn connected_applications(tx: &mut Tx<'_>, company: Uuid) -> Result<Vec<(Uuid, Option<bool>)>, Error> {
    Ok(tx.try_query(OPEN, params![company, MOST], |row| {
        let mut next = Cursor::new(row, "connections", 0);
        Ok::<_, store::Error>((next.read_plain("application_id")?, next.read_plain("manages")?))
    })?)
}

/// Whether the application is connected to the company.
pub fn is_open(tx: &mut Tx<'_>, company: Uuid, application: Uuid) -> Result<bool, Error> {
    Ok(connected_applications(tx, company)?.iter().any(|(connected, _)| *connected == application))
}

/// The application that manages a company; none if no partner does. For a company that was connected before this was recorded, it may be
/// any of those connected then, so there can be several.
pub fn managing_applications(tx: &mut Tx<'_>, company: Uuid) -> Result<Vec<Uuid>, Error> {
    if !tx.find_row(IS_MANAGED, params![company], |row| row.get::<bool>(0))?.unwrap_or(false) {
        return Ok(Vec::new());
    }
    let open = connected_applications(tx, company)?;
    let is_noted = open.iter().any(|(_, manages)| *manages == Some(true));
    let wanted = if is_noted { Some(true) } else { None };
    Ok(open.into_iter().filter(|(_, manages)| *manages == wanted).map(|(it, _)| it).collect())
}

/// Whether the application is or ever was connected to the company.
pub fn was_ever_connected(tx: &mut Tx<'_>, company: Uuid, application: Uuid) -> Result<bool, Error> {
    Ok(tx.find_row(EXISTS, params![company, application], |row| row.get::<Timestamp>(0))?.is_some())
}

/// An application that is or was connected to a company.
#[derive(Debug, Clone)]
pub struct Connected {
    /// the application
    pub application: Uuid,
    /// its name
    pub name: String,
    /// when they were connected
    pub connected_at: Timestamp,
    /// when the connection ended
    pub ended_at: Option<Timestamp>,
}

/// The applications of a company, including past ones.
pub fn of_company(tx: &mut Tx<'_>, company: Uuid, most: i64) -> Result<Vec<Connected>, Error> {
    Ok(tx.try_query(OF_COMPANY, params![company, most], |row| {
        let mut next = Cursor::new(row, "connections", 0);
        Ok::<_, store::Error>(Connected {
            application: next.read_plain("application_id")?,
            name: next.read_plain("name")?,
            connected_at: next.read_plain("connected_at")?,
            ended_at: next.read_plain("ended_at")?,
        })
    })?)
}

/// Companies that an application is connected to, by id, after a cursor.
pub fn of_application(
    tx: &mut Tx<'_>,
    application: Uuid,
    after: Uuid,
    most: i64,
) -> Result<Vec<Uuid>, Error> {
    Ok(tx.try_query(OF_APPLICATION, params![application, after, most], |row| {
        Cursor::new(row, "connections", 0).read_plain::<Uuid>("company_id")
    })?)
}

/// Number of companies an application is connected to.
pub fn count_connected_companies(tx: &mut Tx<'_>, application: Uuid) -> Result<i64, Error> {
    Ok(tx.find_row(COUNT, params![application], |row| row.get::<i64>(0))?.unwrap_or(0))
}
