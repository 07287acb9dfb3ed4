//! Whether the time is to be believed.
//!
//! A machine whose clock was put ahead while the service was down would sweep and expire, at its start, what is not old. So
//! a store that was neither changed nor seen by a worker for more than a day waits: nothing that falls due by the clock is
//! done until an operator says that the time is right ([`confirm`]).

use jiff::{SignedDuration, Timestamp};
use store::record::Cursor;
use store::{Store, Tx, params};

use crate::error::Error;

store::statements! {
    PUT = "INSERT INTO clock_marks (name, at) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET at = excluded.at";
    FIND = "SELECT at FROM clock_marks WHERE name = $1";
}

/// A worker was at work.
const SEEN: &str = "seen";
/// An operator found the time right.
const CONFIRMED: &str = "confirmed";
/// A worker notes each ten minutes that it is at work.
const LONGEST_SILENCE: SignedDuration = SignedDuration::from_mins(25);
/// Time that may pass unseen; longer is a step of the clock until somebody says that it was only a rest.
pub const LONGEST_REST: SignedDuration = SignedDuration::from_hours(24);

/// Notes that a worker is at work, so that a rest of the store is told from a step of the clock.
///
/// # Errors
/// A store error.
pub fn note_seen(tx: &mut Tx<'_>) -> Result<(), Error> {
    let now = tx.now();
    Ok(tx.insert(PUT, params![SEEN, now])?)
}

/// How long ago a worker was at work, where that is longer than one rests between two notes of it; and nothing where none ever was.
///
/// # Errors
/// A store error.
pub fn unseen_for(tx: &mut Tx<'_>) -> Result<Option<SignedDuration>, Error> {
    let at =
        tx.try_find(FIND, params![SEEN], |row| Cursor::new(row, "clock_marks", 0).plain::<Timestamp>("at"))?;
    let now = tx.now();
    Ok(at.map(|at| now.duration_since(at)).filter(|unseen| *unseen > LONGEST_SILENCE))
}

/// Confirms that it is now what the caller's clock shows; returns that moment.
///
/// # Errors
/// A store error.
pub fn confirm(tx: &mut Tx<'_>) -> Result<Timestamp, Error> {
    let now = tx.now();
    tx.insert(PUT, params![CONFIRMED, now])?;
    Ok(now)
}

/// Whether the store's time is believed: it made no step, or an operator confirmed a time that is less than a day from it.
/// One that is believed stays so until the process ends.
///
/// # Errors
/// A store error.
pub async fn is_believed(store: &Store) -> Result<bool, Error> {
    if store.unconfirmed_step().is_none() {
        return Ok(true);
    }
    let confirmed = store.read(|tx: &mut Tx<'_>| {
        let found = tx.try_find(FIND, params![CONFIRMED], |row| {
            Cursor::new(row, "clock_marks", 0).plain::<Timestamp>("at")
        })?;
        let now = tx.now();
        Ok::<_, Error>(found.is_some_and(|at| now.duration_since(at).abs() < LONGEST_REST))
    });
    let confirmed = confirmed.await?;
    if confirmed {
        store.confirm_step();
    }
    Ok(confirmed)
}
