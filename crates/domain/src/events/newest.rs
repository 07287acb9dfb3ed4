//! The newest change in the store, against which each node holds its own clock.
//!
//! Nodes share a store and not a clock. What is calculated rests on what was changed before, and a calculation looks for
//! changes since a moment of its own clock; a node whose clock is behind would date what it does before what it rests on.
//!
//! Where it is the store that is ahead, because a machine served it whose clock was, the others are not to blame: one whose clock is that of
//! the database server, or that its operator believes all the same, goes on.

use std::time::Duration;

use jiff::Timestamp;
use store::{Tx, params};

use super::LATEST;
use crate::error::Error;

/// How far a node's clock may be behind the newest change and still calculate payrolls. Clocks that NTP looks after differ
/// by milliseconds, in bad networks by a tenth of a second; five seconds are beyond what it leaves alone, and far less
/// than the minute for which a calculation looks back for changes.
const TOLERANCE: Duration = Duration::from_secs(5);

/// How far this node's clock is behind the newest change in the store, in microseconds; negative while it is ahead, as it
/// ought to be. Nothing where nothing was changed yet, or only what its operator takes for dated wrongly.
///
/// # Errors
/// A store error.
pub fn behind(tx: &mut Tx<'_>) -> Result<Option<i64>, Error> {
    let now = tx.now().as_microsecond();
    let mistaken = tx.dated_ahead();
    let newest = moment(tx)?.filter(|newest| mistaken.is_none_or(|mistaken| *newest > mistaken));
    Ok(newest.map(|newest| newest.as_microsecond() - now))
}

/// As [`behind`], where that is so far that no payrolls are calculated here.
///
/// # Errors
/// A store error.
pub fn too_far_behind(tx: &mut Tx<'_>) -> Result<Option<i64>, Error> {
    let Some(behind) = behind(tx)?.filter(|behind| is_too_far(*behind)) else { return Ok(None) };
    let now = tx.now().as_microsecond();
    let server = tx.server_time()?.map(|server| server.as_microsecond() - now);
    // The server's clock is the judge where there is one.
    Ok(if server.is_some_and(|apart| !is_too_far(apart) && !is_too_far(-apart)) {
        None
    } else {
        Some(behind)
    })
}

/// When the store was changed last, or a worker seen in it.
///
/// # Errors
/// A store error.
pub fn moment(tx: &mut Tx<'_>) -> Result<Option<Timestamp>, Error> {
    let moments = tx.query(LATEST, params![], |row| row.get::<Option<Timestamp>>(0))?;
    Ok(moments.into_iter().flatten().max())
}

/// Whether a clock is so many microseconds behind another one that both cannot be right.
fn is_too_far(behind: i64) -> bool {
    u128::try_from(behind).is_ok_and(|micros| micros > TOLERANCE.as_micros())
}

/// Refuses what must not be dated before the changes that it rests on.
///
/// # Errors
/// [`Error::NotNow`] while this node's clock is behind by more than [`TOLERANCE`]; a store error.
pub fn refuse_behind(tx: &mut Tx<'_>) -> Result<(), Error> {
    let Some(behind) = too_far_behind(tx)? else { return Ok(()) };
    let seconds = behind / 1_000_000;
    Err(Error::NotNow(format!(
        "The clock of this node is {seconds} s behind the newest change in the store, so that it calculates no payrolls; \
         nothing was changed. Try again shortly; the operator sets the clock and starts the node again (with clock_may_go_back \
         where it is right, and the change dated wrongly)."
    )))
}
