//! Browsers in which a user has signed in before. Somebody who guesses passwords must not lock the user out there: their attempts are
//! counted apart. A browser is known by a random token in a cookie, of which the hash is stored; it lets nobody in.

use jiff::Timestamp;
use store::{Tx, params};
use uuid::Uuid;

use crate::access::tokens::Token;
use crate::error::Error;

store::statements! {
    FIND = "SELECT seen_at FROM known_browsers WHERE hash = $1 AND user_id = $2";
    REMEMBER = "INSERT INTO known_browsers (hash, user_id, seen_at) VALUES ($1, $2, $3) \
                ON CONFLICT (hash, user_id) DO UPDATE SET seen_at = excluded.seen_at";
    FORGET = "DELETE FROM known_browsers WHERE user_id = $1";
}

/// Days after its last sign-in for which a browser is known; browsers keep a cookie no longer.
pub const KEPT_DAYS: i64 = 400;

/// Whether the user has signed in with this cookie before.
pub fn is_known_browser(tx: &mut Tx<'_>, user: Uuid, cookie: &str) -> Result<bool, Error> {
    let hash = Token::hash_of(cookie);
    Ok(tx.find_row(FIND, params![&hash, user], |row| row.get::<Timestamp>(0))?.is_some())
}

/// Remembers that the user has signed in; returns the text of the cookie. A cookie that is not known is replaced, because anybody can have
/// made it.
pub fn remember_browser(tx: &mut Tx<'_>, user: Uuid, cookie: Option<&str>) -> Result<String, Error> {
    let known = match cookie {
        Some(cookie) if is_known_browser(tx, user, cookie)? => Some(cookie.to_owned()),
        _ => None,
    };
    let text = known.unwrap_or_else(|| Token::new(tx).text);
    let (hash, now) = (Token::hash_of(&text), tx.now());
    tx.insert_row(REMEMBER, params![&hash, user, now])?;
    Ok(text)
}

/// Forgets every browser of a user.
pub fn forget_browsers(tx: &mut Tx<'_>, user: Uuid) -> Result<(), Error> {
    let _known = tx.change_rows(FORGET, params![user])?.rows();
    Ok(())
}
