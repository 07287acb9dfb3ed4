//! Rows of accepted terms of service.

use store::{Tx, params};
use uuid::Uuid;

use crate::error::Error;

store::statements! {
    ACCEPTED_BY = "SELECT user_id FROM terms_acceptances WHERE company_id = $1 AND edition = $2 ORDER BY accepted_at, user_id";
    INSERT = "INSERT INTO terms_acceptances (company_id, user_id, edition, ip_address, external_user_id, accepted_at) \
              VALUES ($1, $2, $3, $4, $5, $6)";
}

/// The users who accepted an edition of the terms for the company.
///
/// # Errors
/// A store error.
pub fn accepted_by(tx: &mut Tx<'_>, company: Uuid, edition: &str) -> Result<Vec<Uuid>, Error> {
    Ok(tx.query(ACCEPTED_BY, params![company, edition], |row| row.get::<Uuid>(0))?)
}

/// Stores that a user accepted an edition of the terms.
///
/// # Errors
/// A store error.
pub fn insert(
    tx: &mut Tx<'_>,
    (company, user): (Uuid, Uuid),
    edition: &str,
    ip: &str,
    external_user: &str,
) -> Result<(), Error> {
    let now = tx.now();
    Ok(tx.insert(INSERT, params![company, user, edition, ip, external_user, now])?)
}
