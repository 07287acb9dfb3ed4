//! Sessions of administrators, on the pages of the authorization server and in the console.
//!
//! A session is a random token in a cookie, of which the hash is stored. Each sign-in creates a new one. It expires
//! half an hour after its last use and twelve hours after the sign-in. It remembers the company chosen for an
//! application, so that consent is given for the chosen company only.

use jiff::{Timestamp, ToSpan};
use store::record::Cursor;
use store::{Tx, params};
use uuid::Uuid;

use crate::access::tokens::Token;
use crate::access::users::rows as users;
use crate::access::users::rows::User;
use crate::error::Error;

store::statements! {
    INSERT = "INSERT INTO user_sessions (hash, user_id, created_at, used_at) VALUES ($1, $2, $3, $3)";
    FIND = "SELECT user_id, application_id, company_id, created_at, used_at FROM user_sessions WHERE hash = $1";
    CHOOSE = "UPDATE user_sessions SET application_id = $1, company_id = $2 WHERE hash = $3";
    USE = "UPDATE user_sessions SET used_at = $1 WHERE hash = $2";
    END = "DELETE FROM user_sessions WHERE hash = $1";
    OF_USER = "SELECT hash, created_at, used_at FROM user_sessions WHERE user_id = $1 ORDER BY created_at DESC LIMIT $2";
    END_OF_USER = "DELETE FROM user_sessions WHERE user_id = $1 AND hash = $2";
    END_OTHERS = "DELETE FROM user_sessions WHERE user_id = $1 AND hash <> $2";
}

/// A session expires this many minutes after its last use.
const IDLE_MINUTES: i64 = 30;
/// A session expires this many hours after the sign-in.
const WHOLE_HOURS: i64 = 12;
/// Maximum sessions of a user that are listed.
const MOST: i64 = 100;
/// A use is recorded if the last one is older than this.
const NOTE_SECONDS: i64 = 60;

/// A signed-in user.
#[derive(Debug, Clone)]
pub struct Session {
    /// the user
    pub user: User,
    hash: [u8; 32],
    chosen: Option<(Uuid, Uuid)>,
    used_at: Timestamp,
}

/// A session as its user sees it.
#[derive(Debug, Clone)]
pub struct Listed {
    /// identifies it on the page; cannot be used to sign in
    pub name: Vec<u8>,
    /// when it began
    pub created_at: Timestamp,
    /// when it was last used, within a minute
    pub used_at: Timestamp,
    /// whether it is the current one
    pub is_this_one: bool,
}

/// Begins a session; the token's text goes into a cookie.
pub fn begin_session(tx: &mut Tx<'_>, user: Uuid) -> Result<Token, Error> {
    let (token, now) = (Token::new(tx), tx.now());
    tx.insert_row(INSERT, params![&token.hash, user, now])?;
    Ok(token)
}

/// The session's user, unless it has expired.
pub fn find_session(tx: &mut Tx<'_>, cookie: &str) -> Result<Option<Session>, Error> {
    let hash = Token::hash_of(cookie);
    let found = tx.try_find(FIND, params![&hash], |row| {
        let mut next = Cursor::new(row, "user_sessions", 0);
        let user = next.read_plain::<Uuid>("user_id")?;
        let application = next.read_plain::<Option<Uuid>>("application_id")?;
        let chosen = application.zip(next.read_plain::<Option<Uuid>>("company_id")?);
        let created_at = next.read_plain::<Timestamp>("created_at")?;
        Ok::<_, Error>((user, chosen, created_at, next.read_plain::<Timestamp>("used_at")?))
    })?;
    let Some((user, chosen, created_at, used_at)) = found else { return Ok(None) };
    if session_expiry(created_at, used_at) <= tx.now() {
        return Ok(None);
    }
    let user = users::find_user(tx, user)?.filter(|user| user.disabled_at.is_none());
    Ok(user.map(|user| Session { user, hash, chosen, used_at }))
}

/// When a session expires.
fn session_expiry(created_at: Timestamp, used_at: Timestamp) -> Timestamp {
    (used_at + IDLE_MINUTES.minutes()).min(created_at + WHOLE_HOURS.hours())
}

impl Session {
    /// The unexpired sessions of its user, newest first.
    pub fn of_its_user(&self, tx: &mut Tx<'_>) -> Result<Vec<Listed>, Error> {
        let mut found = tx.try_query(OF_USER, params![self.user.id, MOST], |row| {
            let mut next = Cursor::new(row, "user_sessions", 0);
            let name: Vec<u8> = next.read_plain("hash")?;
            let (created_at, used_at) = (next.read_plain("created_at")?, next.read_plain("used_at")?);
            let is_this_one = name == self.hash;
            Ok::<_, store::Error>(Listed { name, created_at, used_at, is_this_one })
        })?;
        let now = tx.now();
        found.retain(|one| session_expiry(one.created_at, one.used_at) > now);
        Ok(found)
    }

    /// Ends one session of its user by the name given by [`Session::of_its_user`]; returns whether there was one.
    pub fn end_one(&self, tx: &mut Tx<'_>, name: &[u8]) -> Result<bool, Error> {
        Ok(tx.change_rows(END_OF_USER, params![self.user.id, name])?.is_one())
    }

    /// Ends all other sessions of its user; returns how many.
    pub fn end_others(&self, tx: &mut Tx<'_>) -> Result<u64, Error> {
        Ok(tx.change_rows(END_OTHERS, params![self.user.id, &self.hash])?.rows())
    }

    /// The company that was chosen for an application.
    pub fn chosen_for(&self, application: Uuid) -> Option<Uuid> {
        self.chosen.filter(|(chosen_for, _)| *chosen_for == application).map(|(_, company)| company)
    }

    /// Remembers the company chosen for an application, or forgets it.
    pub fn remember_company_choice(
        &self,
        tx: &mut Tx<'_>,
        choice: Option<(Uuid, Uuid)>,
    ) -> Result<(), Error> {
        let (application, company) = choice.unzip();
        let _ended_meanwhile = tx.change_rows(CHOOSE, params![application, company, &self.hash])?.rows();
        Ok(())
    }

    /// Whether to record this use: reading page after page does not cause a write each.
    pub fn is_stale(&self, now: Timestamp) -> bool {
        self.used_at + NOTE_SECONDS.seconds() <= now
    }

    /// Records that the session was used now.
    pub fn note_use(&self, tx: &mut Tx<'_>) -> Result<(), Error> {
        let now = tx.now();
        let _ended_meanwhile = tx.change_rows(USE, params![now, &self.hash])?.rows();
        Ok(())
    }

    /// Ends the session.
    pub fn end(&self, tx: &mut Tx<'_>) -> Result<(), Error> {
        let _ended_meanwhile = tx.change_rows(END, params![&self.hash])?.rows();
        Ok(())
    }
}
