//! How often somebody has tried to sign in: for an e-mail address, whether it belongs to a user or not, and from a place in
//! the network. What is counted for is known by a digest.

use jiff::{Timestamp, ToSpan};
use store::record::Cursor;
use store::{Tx, params};
use uuid::Uuid;

use crate::error::Error;

store::statements! {
    FIND = "SELECT attempts, since FROM sign_in_attempts WHERE subject = $1";
    INSERT = "INSERT INTO sign_in_attempts (subject, attempts, since) VALUES ($1, 1, $2)";
    COUNT = "UPDATE sign_in_attempts SET attempts = $1, since = $2 WHERE subject = $3";
    CLEAR = "DELETE FROM sign_in_attempts WHERE subject = $1";
}

/// Attempts are counted anew when so many minutes have passed since the first of them.
const WINDOW_MINUTES: i64 = 15;

/// Counts one more attempt; where there were `most` already, the seconds to wait, and nothing is counted.
pub fn count_attempt(tx: &mut Tx<'_>, subject: &[u8; 32], most: i64) -> Result<Option<i64>, Error> {
    let mut id = [0; 16];
    id.copy_from_slice(&subject[..16]);
    tx.take_guard(Uuid::nil(), "sign_in", Uuid::from_bytes(id))?;
    let now = tx.now();
    let found = tx.try_find(FIND, params![subject], |row| {
        let mut next = Cursor::new(row, "sign_in_attempts", 0);
        Ok::<(i64, Timestamp), store::Error>((next.read_plain("attempts")?, next.read_plain("since")?))
    })?;
    let Some((attempts, since)) = found else {
        tx.insert_row(INSERT, params![subject, now])?;
        return Ok(None);
    };
    let end = since + WINDOW_MINUTES.minutes();
    let (attempts, since) = if end <= now { (0, now) } else { (attempts, since) };
    if attempts >= most {
        return Ok(Some((end.as_second() - now.as_second()).max(1)));
    }
    let counted = tx.change_rows(COUNT, params![attempts + 1, since, subject])?.is_one();
    assert!(counted, "the row was read under its guard");
    Ok(None)
}

/// Forgets what was counted.
pub fn clear_attempts(tx: &mut Tx<'_>, subject: &[u8; 32]) -> Result<(), Error> {
    let _was_counted = tx.change_rows(CLEAR, params![subject])?.rows();
    Ok(())
}
