//! The newest change in the store, with which each node compares its own clock.
//!
//! Nodes share a store but not a clock. A calculation depends on earlier changes, and looks for changes since a time of its own clock; a
//! node whose clock is behind would date its results before the changes they depend on.
//!
//! If it is the store that is ahead, because a machine with a fast clock served it, the other nodes are not at fault: a node whose clock
//! agrees with that of the database server, or is trusted by its operator anyway, continues.

use std::time::Duration;

use jiff::Timestamp;
use store::{Tx, params};

use super::LATEST;
use crate::error::Error;

/// How far a node's clock may be behind the newest change and still calculate payrolls. Clocks synchronized by NTP differ by milliseconds,
/// in bad networks by a tenth of a second; five seconds are beyond what NTP tolerates, and far less than the minute for which a calculation
/// looks back for changes.
const TOLERANCE: Duration = Duration::from_secs(5);

/// How far this node's clock is behind the newest change in the store, in microseconds; negative if it is ahead, as it should be. `None` if
/// nothing was changed yet, or the operator has declared the change misdated.
pub fn clock_lag(tx: &mut Tx<'_>) -> Result<Option<i64>, Error> {
    let now = tx.now().as_microsecond();
    let mistaken = tx.dated_ahead();
    let newest = newest_change(tx)?.filter(|newest| mistaken.is_none_or(|mistaken| *newest > mistaken));
    Ok(newest.map(|newest| newest.as_microsecond() - now))
}

/// As [`clock_lag`], if it is so far that no payrolls are calculated here.
pub fn too_far_behind(tx: &mut Tx<'_>) -> Result<Option<i64>, Error> {
    let Some(behind) = clock_lag(tx)?.filter(|behind| is_too_far(*behind)) else { return Ok(None) };
    let now = tx.now().as_microsecond();
    let server = tx.server_time()?.map(|server| server.as_microsecond() - now);
    // The database server's clock decides, if there is one.
    Ok(if server.is_some_and(|apart| !is_too_far(apart) && !is_too_far(-apart)) {
        None
    } else {
        Some(behind)
    })
}

/// When the store was last changed, or a worker last seen in it.
pub fn newest_change(tx: &mut Tx<'_>) -> Result<Option<Timestamp>, Error> {
    let read = |row: &store::Row<'_>| Ok::<_, store::Error>(row.get::<Option<Timestamp>>(0));
    let moments = tx.query_by_server(&["events"], LATEST, params![], read)?;
    Ok(moments.into_iter().flatten().max())
}

/// Whether a clock is so many microseconds behind another that they cannot both be right.
fn is_too_far(behind: i64) -> bool {
    u128::try_from(behind).is_ok_and(|micros| micros > TOLERANCE.as_micros())
}

/// Refuses what must not be dated before the changes that it depends on.
///
/// # Errors
/// [`Error::NotNow`] if this node's clock is behind by more than [`TOLERANCE`]; a store error.
pub fn refuse_behind(tx: &mut Tx<'_>) -> Result<(), Error> {
    let Some(behind) = too_far_behind(tx)? else { return Ok(()) };
    let seconds = behind / 1_000_000;
    Err(Error::NotNow(format!(
        "The clock of this node is {seconds} s behind the newest change in the store, so it calculates no payrolls; \
         nothing was changed. Try again shortly; the operator has to set the clock and restart the node (with clock_may_go_back \
         if the clock is right and the change misdated)."
    )))
}
