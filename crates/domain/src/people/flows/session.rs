//! Sessions of hosted pages.
//!
//! Opening a link makes a session: a random token in a cookie, of which the hash is stored. From then on the cookie
//! says who is there, and the address of a page says nothing. A link can be opened again, on another device too, and
//! makes another session; all of them end with the link, an hour after they were last used and a day after the link
//! was made.
//!
//! The token of a session's forms is derived from the session's own: it needs no place in the store, and a page of
//! another site, which cannot read the cookie, cannot know it.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::{Timestamp, ToSpan};
use sha2::{Digest, Sha256};
use store::{Tx, params};
use subtle::ConstantTimeEq;
use uuid::Uuid;

use super::rows::{Life, Link};
use crate::access::tokens::{Actor, Caller, Token};
use crate::company::companies;
use crate::error::Error;
use crate::language::Language;
use crate::people::employees;

store::statements! {
    INSERT = "INSERT INTO flow_sessions (hash, company_id, employee_id, flow_types, link_made, created_at, used_at) \
              VALUES ($1, $2, $3, $4, $5, $6, $6)";
    FIND = "SELECT company_id, employee_id, flow_types, language, link_made, used_at FROM flow_sessions WHERE hash = $1";
    USE = "UPDATE flow_sessions SET used_at = $1 WHERE hash = $2";
    SPEAK = "UPDATE flow_sessions SET language = $1 WHERE hash = $2";
}

/// A use is noted when the last one is older than this: reading page after page costs no write each.
const NOTE_SECONDS: i64 = 60;

/// Somebody on the hosted pages.
#[derive(Debug, Clone)]
pub struct Visitor {
    /// acts for one employee of one company
    pub caller: Caller,
    /// that employee
    pub employee: Uuid,
    /// what the link leads through, separated by commas
    pub flow_types: String,
    /// chosen on the page, if it was
    pub language: Option<Language>,
    /// to be sent back by each form
    pub form_token: String,
    hash: [u8; 32],
    stale: bool,
}

/// Whether a cookie still stands for somebody.
#[derive(Debug)]
pub enum Visit {
    /// it does
    Here(Box<Visitor>),
    /// it did, and its time is up: who that was
    Ended(Box<Visitor>),
    /// there never was such a session, or it was over long ago
    Over,
}

/// Begins a session for the holder of a link; the token goes into a cookie.
///
/// # Errors
/// A store error.
pub fn begin(tx: &mut Tx<'_>, link: &Link) -> Result<Token, Error> {
    let token = Token::new(tx);
    let now = tx.now();
    let Link { company, employee, flow_types, life, .. } = link;
    tx.insert(INSERT, params![&token.hash, company, employee, flow_types, life.created_at, now])?;
    Ok(token)
}

/// Who holds the cookie; `caller` brings what concerns the request.
///
/// # Errors
/// A store error.
pub fn visit(tx: &mut Tx<'_>, caller: &Caller, cookie: &str) -> Result<Visit, Error> {
    let hash = Token::hash_of(cookie);
    let found = tx.find(FIND, params![&hash], |row| {
        let language = row.get::<Option<&str>>(3).and_then(Language::parse);
        let life = (row.get::<Timestamp>(4), row.get::<Timestamp>(5));
        (row.get::<Uuid>(0), row.get::<Uuid>(1), row.get::<String>(2), language, life)
    })?;
    let Some((company, employee, flow_types, language, (created_at, used_at))) = found else {
        return Ok(Visit::Over);
    };
    let now = tx.now();
    let ended = (Life { created_at, used_at, expired_at: None }).end() <= now;
    if employees::Employee::find(tx, company, employee)?.is_none() {
        return Ok(Visit::Over); // deleted meanwhile
    }
    let zone = companies::time_zone(tx, company)?;
    let caller = Caller { actor: Actor::Employee(employee), company, zone, ..caller.clone() };
    let visitor = Box::new(Visitor {
        caller,
        employee,
        flow_types,
        language,
        form_token: form_token(cookie),
        hash,
        stale: used_at + NOTE_SECONDS.seconds() <= now,
    });
    Ok(if ended { Visit::Ended(visitor) } else { Visit::Here(visitor) })
}

impl Visitor {
    /// Whether the use is to be noted.
    pub fn is_stale(&self) -> bool {
        self.stale
    }

    /// Whether a form was sent from one of this session's pages.
    pub fn owns(&self, form_token: &str) -> bool {
        self.form_token.as_bytes().ct_eq(form_token.as_bytes()).into()
    }

    /// Notes that the session was used now.
    ///
    /// # Errors
    /// A store error.
    pub fn note_use(&self, tx: &mut Tx<'_>) -> Result<(), Error> {
        let now = tx.now();
        let _ended_meanwhile = tx.change(USE, params![now, &self.hash])?.rows();
        Ok(())
    }

    /// Remembers the language that was chosen.
    ///
    /// # Errors
    /// A store error.
    pub fn speak(&self, tx: &mut Tx<'_>, language: Language) -> Result<(), Error> {
        let _ended_meanwhile = tx.change(SPEAK, params![language.code(), &self.hash])?.rows();
        Ok(())
    }
}

/// What each form of the session that a cookie stands for has to send back.
pub fn form_token(cookie: &str) -> String {
    let mut digest = Sha256::new();
    digest.update(b"stipend form\0");
    digest.update(cookie.as_bytes());
    URL_SAFE_NO_PAD.encode(digest.finalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_token_follows_from_its_session_and_does_not_give_it_away() {
        assert_eq!(form_token("a session"), form_token("a session"));
        assert_ne!(form_token("a session"), form_token("another session"));
        assert!(!form_token("a session").contains("session"));
    }
}
