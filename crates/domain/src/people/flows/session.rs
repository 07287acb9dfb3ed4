//! Sessions of hosted pages.
//!
//! Opening a link begins a session, identified by a random token in a cookie; only the token's hash is stored. A link can be opened on
//! several devices; each has its own session, and beyond [`DEVICES`] the least recently used one ends. A session expires an hour after its
//! last use and a day after the creation of the link.
//!
//! The token that protects a session's forms against cross-site request forgery is derived from the session token, so it
//! is not stored.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::{Timestamp, ToSpan};
use sha2::{Digest, Sha256};
use store::record::Cursor;
use store::{Tx, params};
use subtle::ConstantTimeEq;
use uuid::Uuid;

use super::rows::{Life, Link, actor_on_pages, note_visit};
use super::types::{FlowEntityKind, kind_of};
use crate::access::tokens::{Caller, Token};
use crate::company::companies;
use crate::contractors::records::Contractor;
use crate::error::Error;
use crate::language::Language;
use crate::people::employees;

store::statements! {
    INSERT = "INSERT INTO flow_sessions (hash, company_id, employee_id, flow_types, link_made, created_at, used_at, link_id, \
              application_id) VALUES ($1, $2, $3, $4, $5, $6, $6, $7, $8)";
    FIND = "SELECT s.company_id, s.employee_id, s.flow_types, s.language, s.link_made, s.used_at, s.link_id, s.confirmed_at, \
            s.application_id, a.disabled_at FROM flow_sessions s LEFT JOIN applications a ON a.id = s.application_id \
            WHERE s.hash = $1";
    OF_LINK = "SELECT hash FROM flow_sessions WHERE company_id = $1 AND link_id = $2 ORDER BY used_at DESC, hash LIMIT $3";
    END = "DELETE FROM flow_sessions WHERE hash = $1";
    END_OF_LINK = "DELETE FROM flow_sessions WHERE company_id = $1 AND link_id = $2";
    END_OF_PERSON = "DELETE FROM flow_sessions WHERE company_id = $1 AND employee_id = $2";
    CONFIRM = "UPDATE flow_sessions SET confirmed_at = $1 WHERE hash = $2";
    USE = "UPDATE flow_sessions SET used_at = $1 WHERE hash = $2";
    END_OF_APPLICATION = "DELETE FROM flow_sessions WHERE company_id = $1 AND (application_id = $2 OR application_id IS NULL)";
    SPEAK = "UPDATE flow_sessions SET language = $1 WHERE hash = $2";
}

/// Minimum seconds between recorded uses, which saves a write per page.
const NOTE_SECONDS: i64 = 60;
/// Maximum number of a link's sessions that are read. Those beyond [`DEVICES`] end whenever one begins, so there are never more.
const MOST_OF_LINK: i64 = 100;

/// Maximum number of sessions per link at a time.
pub const DEVICES: i64 = 3;
/// Minutes for which pay may be redirected after identity is confirmed.
const CONFIRMED_MINUTES: i64 = 30;

/// Ends every session of a link. Returns how many.
pub fn end_of_link(tx: &mut Tx<'_>, company: Uuid, link: Uuid) -> Result<u64, Error> {
    Ok(tx.change_rows(END_OF_LINK, params![company, link])?.rows())
}

/// Ends every session of an employee or contractor. Returns how many.
pub fn end_of_person(tx: &mut Tx<'_>, company: Uuid, person: Uuid) -> Result<u64, Error> {
    Ok(tx.change_rows(END_OF_PERSON, params![company, person])?.rows())
}

/// Ends every session of a company that began with an application's link, and those of unknown origin. Returns how many.
pub fn end_of_application(tx: &mut Tx<'_>, company: Uuid, application: Uuid) -> Result<u64, Error> {
    Ok(tx.change_rows(END_OF_APPLICATION, params![company, application])?.rows())
}

/// A visitor of the hosted pages.
#[derive(Clone)]
pub struct Visitor {
    /// caller that acts for one employee or contractor of one company, or for the company itself
    pub caller: Caller,
    /// the kind of record that the pages are for
    pub kind: FlowEntityKind,
    /// that employee or contractor; nil on the pages of the company itself
    pub person: Uuid,
    /// flow types of the link, separated by commas
    pub flow_types: String,
    /// language chosen on the page
    pub language: Option<Language>,
    /// token that each form must send
    pub form_token: String,
    /// link that began the session; `None` for a session begun by an older version
    pub link: Option<Uuid>,
    /// application that created the link; `None` if unknown
    pub application: Option<Uuid>,
    confirmed_at: Option<Timestamp>,
    hash: [u8; 32],
    stale: bool,
}

store::hidden!(Visitor);

/// The state of a cookie's session.
#[derive(Debug)]
pub enum SessionState {
    /// the session is active
    Active(Box<Visitor>),
    /// the session has expired, or its application was disabled
    Expired(Box<Visitor>),
    /// the session does not exist, or its employee was deleted
    Unknown,
}

/// Begins a session for a link and returns the token for the cookie. If the link already has the maximum number of sessions, the least
/// recently used one ends.
pub fn begin_session(tx: &mut Tx<'_>, link: &Link) -> Result<Token, Error> {
    let token = Token::new(tx);
    let now = tx.now();
    let Link { company, person, flow_types, life, id, application, .. } = link;
    let held = tx.try_query(OF_LINK, params![company, id, MOST_OF_LINK], |row| {
        Cursor::new(row, "flow_sessions", 0).read_plain::<Vec<u8>>("hash")
    })?;
    for hash in held.iter().skip(DEVICES as usize - 1) {
        let _ended_meanwhile = tx.change_rows(END, params![hash])?.rows();
    }
    let made = life.created_at;
    tx.insert_row(INSERT, params![&token.hash, company, person, flow_types, made, now, id, application])?;
    Ok(token)
}

/// Returns the state of a cookie's session. `caller` provides the data of the request.
pub fn visit_session(tx: &mut Tx<'_>, caller: &Caller, cookie: &str) -> Result<SessionState, Error> {
    let hash = Token::hash_of(cookie);
    let found = tx.try_find(FIND, params![&hash], |row| {
        let mut next = Cursor::new(row, "flow_sessions", 0);
        let (company, person): (Uuid, Uuid) =
            (next.read_plain("company_id")?, next.read_plain("employee_id")?);
        let flow_types: String = next.read_plain("flow_types")?;
        let language = next.text_or_null("language", Language::parse)?;
        let life: (Timestamp, Timestamp) = (next.read_plain("link_made")?, next.read_plain("used_at")?);
        let link: (Option<Uuid>, Option<Timestamp>) =
            (next.read_plain("link_id")?, next.read_plain("confirmed_at")?);
        let maker: (Option<Uuid>, Option<Timestamp>) =
            (next.read_plain("application_id")?, next.read_plain("disabled_at")?);
        Ok::<_, Error>((company, person, flow_types, language, life, link, maker))
    })?;
    let Some((company, person, flow_types, language, life, (link, confirmed_at), maker)) = found else {
        return Ok(SessionState::Unknown);
    };
    let ((created_at, used_at), (application, disabled_at)) = (life, maker);
    let now = tx.now();
    // The pages of a disabled application show nothing.
    let ended =
        disabled_at.is_some() || (Life { created_at, used_at, expired_at: None }).expiry_time() <= now;
    let kind = kind_of(&flow_types);
    if !is_person_on_record(tx, company, kind, person)? {
        return Ok(SessionState::Unknown); // deleted since
    }
    let zone = companies::time_zone(tx, company)?;
    let caller = Caller { actor: actor_on_pages(kind, company, person), company, zone, ..caller.clone() };
    let visitor = Box::new(Visitor {
        caller,
        kind,
        person,
        flow_types,
        language,
        form_token: form_token(cookie),
        link,
        application,
        confirmed_at,
        hash,
        stale: used_at + NOTE_SECONDS.seconds() <= now,
    });
    Ok(if ended { SessionState::Expired(visitor) } else { SessionState::Active(visitor) })
}

/// Whether the person that hosted pages are for is on record.
pub(super) fn is_person_on_record(
    tx: &mut Tx<'_>,
    company: Uuid,
    kind: FlowEntityKind,
    person: Uuid,
) -> Result<bool, Error> {
    Ok(match kind {
        FlowEntityKind::Employee => employees::Employee::find(tx, company, person)?.is_some(),
        FlowEntityKind::Contractor => Contractor::find(tx, company, person)?.is_some(),
        FlowEntityKind::Company => true,
    })
}

impl Visitor {
    /// Whether the pages are those of the company itself.
    pub fn is_employer(&self) -> bool {
        self.kind == FlowEntityKind::Company
    }

    /// Whether the use should be recorded.
    pub fn is_stale(&self) -> bool {
        self.stale
    }

    /// Whether the token belongs to this session's forms.
    pub fn owns_form_token(&self, form_token: &str) -> bool {
        self.form_token.as_bytes().ct_eq(form_token.as_bytes()).into()
    }

    /// Whether the person's identity was confirmed recently.
    pub fn is_confirmed(&self, now: Timestamp) -> bool {
        self.confirmed_at.is_some_and(|at| at + CONFIRMED_MINUTES.minutes() > now)
    }

    /// Records a confirmation of identity.
    pub fn record_confirmation(&self, tx: &mut Tx<'_>) -> Result<(), Error> {
        let now = tx.now();
        let _ended_meanwhile = tx.change_rows(CONFIRM, params![now, &self.hash])?.rows();
        Ok(())
    }

    /// Records that the session was used, and with it its link, which can be opened again until an hour after the last use.
    pub fn note_use(&self, tx: &mut Tx<'_>) -> Result<(), Error> {
        let now = tx.now();
        let _ended_meanwhile = tx.change_rows(USE, params![now, &self.hash])?.rows();
        match self.link {
            Some(link) => note_visit(tx, self.caller.company, link),
            None => Ok(()),
        }
    }

    /// Stores the chosen language.
    pub fn set_language(&self, tx: &mut Tx<'_>, language: Language) -> Result<(), Error> {
        let _ended_meanwhile = tx.change_rows(SPEAK, params![language.code(), &self.hash])?.rows();
        Ok(())
    }
}

/// Derives the token of a session's forms from its cookie.
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
    fn a_form_token_is_derived_from_its_session_without_revealing_it() {
        assert_eq!(form_token("a session"), form_token("a session"));
        assert_ne!(form_token("a session"), form_token("another session"));
        assert!(!form_token("a session").contains("session"));
    }
}
