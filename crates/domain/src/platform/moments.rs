//! Whether the clock can be trusted.
//!
//! A machine whose clock was put ahead while the service was down would, at its start, delete and expire what is not old. So a store that
//! was neither changed nor seen by a worker for more than a day waits: no job that depends on the clock runs until an operator confirms the
//! time ([`confirm_time`]).

use jiff::{SignedDuration, Timestamp};
use store::record::Cursor;
use store::{Clock, Store, Tx, params};

use crate::error::Error;

store::statements! {
    PUT = "INSERT INTO clock_marks (name, at) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET at = excluded.at";
    FIND = "SELECT at FROM clock_marks WHERE name = $1";
    FORGET = "DELETE FROM clock_marks WHERE name = $1";
    /// What the test clock of a demo world showed last, and the machine's time then; null while it stands still.
    pub TEST_CLOCK = "SELECT t.at, m.at FROM clock_marks t LEFT JOIN clock_marks m ON m.name = 'test_machine' WHERE t.name = 'test'";
}

/// A worker's heartbeat.
const SEEN: &str = "seen";
/// What a test clock showed.
const TEST: &str = "test";
/// What the machine's clock showed then.
const TEST_MACHINE: &str = "test_machine";
/// An operator's confirmation of the time.
const CONFIRMED: &str = "confirmed";
/// Maximum time between two heartbeats of a running worker, which sends one every ten minutes.
const LONGEST_SILENCE: SignedDuration = SignedDuration::from_mins(25);
/// Maximum time without any sign; more counts as a jump of the clock until someone confirms that the store was only idle.
pub const LONGEST_REST: SignedDuration = SignedDuration::from_hours(24);

/// Records a worker's heartbeat, so that an idle store can be distinguished from a jump of the clock. No-op while a server of a cluster
/// does not answer: the record is on every server.
pub fn note_seen(tx: &mut Tx<'_>) -> Result<(), Error> {
    if !tx.all_servers_answer() {
        return Ok(());
    }
    let now = tx.now();
    Ok(tx.insert_row(PUT, params![SEEN, now])?)
}

/// Time since the last heartbeat, if it is longer ago than that of a running worker; `None` otherwise, and if there never was one.
pub fn unseen_for(tx: &mut Tx<'_>) -> Result<Option<SignedDuration>, Error> {
    let at = tx.try_find(FIND, params![SEEN], |row| {
        Cursor::new(row, "clock_marks", 0).read_plain::<Timestamp>("at")
    })?;
    let now = tx.now();
    Ok(at.map(|at| now.duration_since(at)).filter(|unseen| *unseen > LONGEST_SILENCE))
}

/// Records what the test clock of a demo world shows, so that commands beside the service read the same clock.
pub fn note_test_clock(tx: &mut Tx<'_>, stands: bool) -> Result<(), Error> {
    let now = tx.now();
    tx.insert_row(PUT, params![TEST, now])?;
    if stands {
        let _there_may_be_none = tx.change_rows(FORGET, params![TEST_MACHINE])?.rows();
        return Ok(());
    }
    Ok(tx.insert_row(PUT, params![TEST_MACHINE, Clock::wall_time()])?)
}

/// Confirms the time of the caller's clock; returns it.
pub fn confirm_time(tx: &mut Tx<'_>) -> Result<Timestamp, Error> {
    let now = tx.now();
    tx.insert_row(PUT, params![CONFIRMED, now])?;
    Ok(now)
}

/// Whether the store's clock is trusted: it did not jump, or an operator confirmed a time less than a day from it. Once trusted, it stays
/// so until the process ends.
pub async fn is_believed(store: &Store) -> Result<bool, Error> {
    if store.unconfirmed_step().is_none() {
        return Ok(true);
    }
    let confirmed = store.read(|tx: &mut Tx<'_>| {
        let found = tx.try_find(FIND, params![CONFIRMED], |row| {
            Cursor::new(row, "clock_marks", 0).read_plain::<Timestamp>("at")
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
