//! Signing in with e-mail address and password, so that neither can be guessed.
//!
//! Attempts are counted before the password is looked at, for an e-mail address whether it belongs to somebody or not,
//! and for a place in the network: ten and a hundred in a quarter of an hour. A sign-in that succeeds clears the count
//! of its address. What is answered, and how long it takes, does not tell whether there is such a user.
//!
//! Three steps: [`begin`] in a unit of work, `password::matches` on a thread of its own, [`succeed`] in another unit.

use std::net::IpAddr;

use jiff::{Timestamp, ToSpan};
use serde_json::json;
use sha2::{Digest, Sha256};
use store::{Tx, params};
use uuid::Uuid;

use super::sessions;
use crate::auth::{Actor, Caller, Token};
use crate::error::Error;
use crate::users::rows::{self as users, User};
use crate::{audit, rate};

store::statements! {
    FIND = "SELECT attempts, since FROM sign_in_attempts WHERE subject = $1";
    INSERT = "INSERT INTO sign_in_attempts (subject, attempts, since) VALUES ($1, 1, $2)";
    COUNT = "UPDATE sign_in_attempts SET attempts = $1, since = $2 WHERE subject = $3";
    CLEAR = "DELETE FROM sign_in_attempts WHERE subject = $1";
}

/// Attempts for one e-mail address in [`WINDOW_MINUTES`].
const FOR_AN_ADDRESS: i64 = 10;
/// Attempts from one place in the network in [`WINDOW_MINUTES`].
const FROM_A_PLACE: i64 = 100;
const WINDOW_MINUTES: i64 = 15;

/// Whether a password may be looked at.
#[derive(Debug)]
pub enum Attempt {
    /// it may; the user of the e-mail address, if there is one
    Open(Option<User>),
    /// not before so many seconds have passed
    TooMany(i64),
}

/// Counts an attempt.
///
/// # Errors
/// A store error.
pub fn begin(tx: &mut Tx<'_>, email: &str, ip: IpAddr) -> Result<Attempt, Error> {
    for (subject, most) in [(of_address(email), FOR_AN_ADDRESS), (rate::place(ip), FROM_A_PLACE)] {
        if let Some(seconds) = count(tx, &subject, most)? {
            metrics::counter!("sign_in_refused_total").increment(1);
            return Ok(Attempt::TooMany(seconds));
        }
    }
    Ok(Attempt::Open(users::find_by_email(tx, email)?))
}

/// Counts one more; the seconds to wait where there were too many.
fn count(tx: &mut Tx<'_>, subject: &[u8; 32], most: i64) -> Result<Option<i64>, Error> {
    let mut id = [0; 16];
    id.copy_from_slice(&subject[..16]);
    tx.guard(Uuid::nil(), "sign_in", Uuid::from_bytes(id))?;
    let now = tx.now();
    let found = tx.find(FIND, params![subject], |row| (row.get::<i64>(0), row.get::<Timestamp>(1)))?;
    let Some((attempts, since)) = found else {
        tx.insert(INSERT, params![subject, now])?;
        return Ok(None);
    };
    let end = since + WINDOW_MINUTES.minutes();
    let (attempts, since) = if end <= now { (0, now) } else { (attempts, since) };
    if attempts >= most {
        return Ok(Some((end.as_second() - now.as_second()).max(1)));
    }
    let counted = tx.change(COUNT, params![attempts + 1, since, subject])?.one();
    assert!(counted, "the row was read under its guard");
    Ok(None)
}

/// Signs a user in whose password was right: the token of a new session.
///
/// # Errors
/// A store error.
pub fn succeed(tx: &mut Tx<'_>, caller: &Caller, user: Uuid, email: &str) -> Result<Token, Error> {
    let _was_counted = tx.change(CLEAR, params![&of_address(email)])?.rows();
    let by_user = Caller { actor: Actor::User(user), ..caller.clone() };
    audit::record(tx, &by_user, "signed_in", ("users", user), &json!({}))?;
    sessions::begin(tx, user)
}

fn of_address(email: &str) -> [u8; 32] {
    Sha256::new_with_prefix(b"address\0").chain_update(email.trim().to_lowercase()).finalize().into()
}
