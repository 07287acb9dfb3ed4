//! Pairs of tokens.
//!
//! An access token is valid for two hours; its refresh token gets the next pair. A response may be lost, and several processes may refresh
//! at the same time: until the new pair is used, and for at most [`REPEATABLE`] seconds, the old refresh token returns the same pair again.
//! For this purpose the successor's text is stored, sealed with the company's key. The first use of the new access token, or of the new
//! refresh token, revokes the old refresh token and deletes the text ([`confirm_token_use`], which `auth` calls).
//!
//! A replaced refresh token that is presented later was copied: it ends its whole family (RFC 9700, section 4.14.2), because nothing tells
//! the thief from the owner. A refresh token expires if it is not used for [`IDLE_DAYS`]; a family that goes back to a consent ends
//! [`CONSENT_DAYS`] after it.
//!
//! A unit that decides about a family takes the family's guard first; one that creates tokens takes the guard of the company's access
//! ([`connections::lock_company_access`]) before it, so that whoever ends the access at the same time sees the pair.

use jiff::{Timestamp, ToSpan};
use serde_json::json;
use store::record::Cursor;
use store::{Place, Tx, Unread, params};
use uuid::Uuid;

use crate::access::connections;
use crate::access::scope::Scopes;
use crate::access::tokens as auth;
use crate::access::tokens::{Actor, Caller, NewToken, Token, TokenKind};
use crate::error::Error;
use crate::platform::audit;

store::statements! {
    INSERT = "INSERT INTO token_pairs (refresh_hash, access_hash, id, family_id, ends_at, replaces) VALUES ($1, $2, $3, $4, $5, $6)";
    FIND = "SELECT t.application_id, t.company_id, t.user_id, t.scopes, t.expires_at, t.revoked_at, \
            p.id, p.family_id, p.ends_at, p.replaces, p.successor, p.succeeded_at \
            FROM tokens t JOIN token_pairs p ON p.refresh_hash = t.hash WHERE t.hash = $1";
    // Joined by the refresh token: the access token of the pair may have expired and been deleted.
    UNCONFIRMED = "SELECT t.company_id, p.family_id, p.refresh_hash, p.replaces FROM token_pairs p JOIN tokens t ON t.hash = p.refresh_hash \
                   WHERE p.access_hash = $1 AND p.replaces IS NOT NULL";
    OWNER = "SELECT t.application_id, t.company_id, p.family_id FROM tokens t \
             LEFT JOIN token_pairs p ON p.refresh_hash = t.hash WHERE t.hash = $1";
    SCOPES = "SELECT scopes FROM tokens WHERE hash = $1";
    FAMILIES = "SELECT DISTINCT p.family_id, t.scopes FROM tokens t JOIN token_pairs p ON p.refresh_hash = t.hash \
                WHERE t.company_id = $1 AND t.application_id = $2 AND t.revoked_at IS NULL ORDER BY p.family_id";
    SUCCEED = "UPDATE token_pairs SET successor = $1, succeeded_at = $2 WHERE refresh_hash = $3 AND successor IS NULL";
    FORGET_SUCCESSOR = "UPDATE token_pairs SET successor = NULL WHERE refresh_hash = $1";
    CONFIRM = "UPDATE token_pairs SET replaces = NULL WHERE refresh_hash = $1 AND replaces IS NOT NULL";
    REVOKE = "UPDATE tokens SET revoked_at = $1 WHERE hash = $2 AND revoked_at IS NULL";
    REVOKE_ACCESS_OF_FAMILY = "UPDATE tokens SET revoked_at = $1 WHERE revoked_at IS NULL AND hash IN \
                               (SELECT access_hash FROM token_pairs WHERE family_id = $2)";
    REVOKE_REFRESH_OF_FAMILY = "UPDATE tokens SET revoked_at = $1 WHERE revoked_at IS NULL AND hash IN \
                                (SELECT refresh_hash FROM token_pairs WHERE family_id = $2)";
    FORGET_FAMILY = "UPDATE token_pairs SET successor = NULL, replaces = NULL WHERE family_id = $1";
    FORGET_ALL = "UPDATE token_pairs SET successor = NULL, replaces = NULL WHERE refresh_hash IN \
                  (SELECT hash FROM tokens WHERE company_id = $1 AND application_id = $2)";
    REVOKE_ALL = "UPDATE tokens SET revoked_at = $1 WHERE company_id = $2 AND application_id = $3 AND revoked_at IS NULL";
}

/// Lifetime of an access token in seconds.
pub const LIFETIME: i64 = 7_200;
/// For how many seconds after a refresh the old refresh token returns the same pair again.
pub const REPEATABLE: i64 = 60;
/// Days after which a refresh token that was not used expires.
pub const IDLE_DAYS: i64 = 100;
/// Days after a consent for which its tokens can be renewed.
pub const CONSENT_DAYS: i64 = 730;
/// Table of pairs, for sealed fields.
const TABLE: &str = "token_pairs";
/// Guard of a family.
const GUARD: &str = "token_family";

/// For whom a pair of tokens is issued.
#[derive(Debug, Clone)]
pub struct Holder {
    /// the application that uses it
    pub application: Uuid,
    /// the only company that it can access
    pub company: Uuid,
    /// the administrator who consented, or for whom the company was created
    pub user: Option<Uuid>,
    /// its scopes, separated by spaces
    pub scopes: String,
}

/// A pair of tokens, to be shown once.
pub struct Pair {
    /// text of the access token
    pub access: String,
    /// text of the refresh token
    pub refresh: String,
    /// creation time
    pub created_at: Timestamp,
    /// its scopes, separated by spaces
    pub scopes: String,
}

store::hidden!(Pair);

impl Holder {
    fn new_token<'a>(&self, kind: TokenKind, scopes: &'a str, expires_at: Option<Timestamp>) -> NewToken<'a> {
        NewToken {
            kind,
            application: self.application,
            company: Some(self.company),
            user: self.user,
            scopes,
            expires_at,
        }
    }
}

impl Pair {
    /// The text in which it is stored.
    fn stored_text(&self) -> String {
        format!("{} {} {}", self.access, self.refresh, self.created_at)
    }

    /// Seconds until the access token expires.
    pub fn expires_in(&self, now: Timestamp) -> i64 {
        (self.created_at.as_second() + LIFETIME - now.as_second()).max(0)
    }
}

/// The pairs that follow one another from one first pair.
#[derive(Debug, Clone, Copy)]
struct Family {
    id: Uuid,
    /// when the last of its refresh tokens expires, however often they are used; `None` for a family without a consent
    ends_at: Option<Timestamp>,
}

impl Family {
    /// When a refresh token that is issued now expires.
    fn refresh_until(self, now: Timestamp) -> Timestamp {
        let idle = now + (IDLE_DAYS * 24).hours();
        self.ends_at.map_or(idle, |end| idle.min(end))
    }
}

/// Creates the first pair of a new family without a consent, for a company that the application created; no other token of the application
/// is revoked.
pub fn issue_pair(tx: &mut Tx<'_>, holder: &Holder) -> Result<Pair, Error> {
    let family = Family { id: tx.new_id(), ends_at: None };
    create_token_pair(tx, holder, &holder.scopes, family, None)
}

/// Creates the first pair of the family of a consent. Families of the same application with strictly more scopes end: the company has
/// decided anew. Returns the number of their tokens, too.
pub fn issue_consented(
    tx: &mut Tx<'_>,
    caller: &Caller,
    holder: &Holder,
    family: Uuid,
) -> Result<(Pair, u64), Error> {
    let consented = Scopes::parse(&holder.scopes);
    let families = tx.try_query(FAMILIES, params![holder.company, holder.application], |row| {
        let mut next = Cursor::new(row, "token_pairs", 0);
        let (id, scopes): (Uuid, String) = (next.read_plain("family_id")?, next.read_plain("scopes")?);
        Ok::<_, store::Error>((id, Scopes::parse(&scopes)))
    })?;
    let mut revoked = 0;
    for (wider, _) in
        families.iter().filter(|(_, scopes)| consented.is_within(*scopes) && *scopes != consented)
    {
        revoked += revoke_family(tx, caller, *wider)?;
    }
    let family = Family { id: family, ends_at: Some(tx.now() + (CONSENT_DAYS * 24).hours()) };
    Ok((create_token_pair(tx, holder, &holder.scopes, family, None)?, revoked))
}

/// Creates the first pair of a new family that never expires: for a demo world, whose clock is advanced. Later pairs have the usual
/// lifetimes.
pub fn issue_lasting(tx: &mut Tx<'_>, holder: &Holder) -> Result<Pair, Error> {
    let family = Family { id: tx.new_id(), ends_at: None };
    store_pair(tx, holder, &holder.scopes, family, None, (None, None))
}

/// Creates a pair with the usual lifetimes; `scopes` are those of its access token.
fn create_token_pair(
    tx: &mut Tx<'_>,
    holder: &Holder,
    scopes: &str,
    family: Family,
    replaces: Option<&[u8; 32]>,
) -> Result<Pair, Error> {
    let now = tx.now();
    let ends = (Some(now + LIFETIME.seconds()), Some(family.refresh_until(now)));
    store_pair(tx, holder, scopes, family, replaces, ends)
}

fn store_pair(
    tx: &mut Tx<'_>,
    holder: &Holder,
    scopes: &str,
    family: Family,
    replaces: Option<&[u8; 32]>,
    (access_until, refresh_until): (Option<Timestamp>, Option<Timestamp>),
) -> Result<Pair, Error> {
    let access = auth::issue_token(tx, &holder.new_token(TokenKind::Company, scopes, access_until))?;
    let refresh =
        auth::issue_token(tx, &holder.new_token(TokenKind::Refresh, &holder.scopes, refresh_until))?;
    let id = tx.new_id();
    tx.insert_row(INSERT, params![&refresh.hash, &access.hash, id, family.id, family.ends_at, replaces])?;
    Ok(Pair { access: access.text, refresh: refresh.text, created_at: tx.now(), scopes: scopes.to_owned() })
}

/// The result of using a refresh token.
#[derive(Debug)]
pub enum Refreshed {
    /// the next pair; the same one while the response may have been lost
    Pair(Pair),
    /// the application has no such token
    Unknown,
    /// it was not used for too long, or the consent is too old
    Expired,
    /// a requested scope is not among the token's
    OtherScope,
    /// it was revoked, or replaced: it may be stolen
    Reused {
        /// whose token it was
        company: Uuid,
        /// the family of the pair
        family: Uuid,
        /// whether it was replaced seconds ago, so that a second process of its owner may have sent it
        just_replaced: bool,
    },
}

/// Issues the next pair for an application's refresh token. `scopes`, if requested, narrow the access token (RFC 6749, section 6); the new
/// refresh token keeps the scopes of the old one.
pub fn refresh_pair(
    tx: &mut Tx<'_>,
    application: Uuid,
    text: &str,
    scopes: Option<&str>,
) -> Result<Refreshed, Error> {
    let hash = Token::hash_of(text);
    let Some(seen) = find_token(tx, &hash)? else { return Ok(Refreshed::Unknown) };
    let company = seen.holder.company;
    connections::lock_company_access(tx, company)?;
    tx.take_guard(company, GUARD, seen.family.id)?;
    // Read again: under the guards nobody else changes the pair or ends what it is based on.
    let Some(held) = find_token(tx, &hash)? else { return Ok(Refreshed::Unknown) };
    if held.holder.application != application {
        return Ok(Refreshed::Unknown);
    }
    let now = tx.now();
    let just_replaced = held.succeeded_at.is_some_and(|at| now < at + REPEATABLE.seconds());
    if held.revoked || (held.succeeded_at.is_some() && !just_replaced) {
        return Ok(Refreshed::Reused { company, family: held.family.id, just_replaced });
    }
    if held.expires_at.is_some_and(|end| end <= now) {
        return Ok(Refreshed::Expired);
    }
    let scopes = match scopes {
        None => held.holder.scopes.clone(),
        Some(named) if Scopes::parse(&held.holder.scopes).contains_all(named) => {
            Scopes::parse(named).to_text()
        }
        Some(_) => return Ok(Refreshed::OtherScope),
    };
    let place = Place { owner: company, table: TABLE, row: held.id, column: "successor" };
    if let Some(sealed) = &held.successor {
        let text = tx.unseal_field(place, sealed)?;
        return Ok(Refreshed::Pair(unseal_pair(tx, &text)?));
    }
    // The sender of this refresh token has received the response that contained it.
    if let Some(replaced) = &held.replaces {
        confirm_pair(tx, &hash, replaced)?;
    }
    let pair = create_token_pair(tx, &held.holder, &scopes, held.family, Some(&hash))?;
    let sealed = tx.seal_field(place, pair.stored_text().as_bytes())?;
    let succeeded = tx.change_rows(SUCCEED, params![&sealed, now, &hash])?.is_one();
    assert!(succeeded, "under its guard a refresh token is replaced once");
    Ok(Refreshed::Pair(pair))
}

/// The pair, from its sealed text.
fn unseal_pair(tx: &mut Tx<'_>, kept: &[u8]) -> Result<Pair, Error> {
    let unreadable = || Unread::new("holds no pair of tokens").into_error(TABLE, "successor");
    let text = std::str::from_utf8(kept).map_err(|_| unreadable())?;
    let mut parts = text.split(' ');
    let mut next = || parts.next().map(str::to_owned).ok_or_else(unreadable);
    let (access, refresh, created_at) = (next()?, next()?, next()?);
    let created_at = created_at.parse().map_err(|_| unreadable())?;
    let scopes = tx.try_find(SCOPES, params![&Token::hash_of(&access)], |row| {
        Cursor::new(row, "tokens", 0).read_plain::<String>("scopes")
    })?;
    Ok(Pair { access, refresh, created_at, scopes: scopes.ok_or_else(unreadable)? })
}

struct StoredToken {
    holder: Holder,
    expires_at: Option<Timestamp>,
    revoked: bool,
    id: Uuid,
    family: Family,
    replaces: Option<Vec<u8>>,
    successor: Option<Vec<u8>>,
    succeeded_at: Option<Timestamp>,
}

fn find_token(tx: &mut Tx<'_>, hash: &[u8; 32]) -> Result<Option<StoredToken>, Error> {
    let found = tx.try_find(FIND, params![hash], |row| {
        let mut next = Cursor::new(row, "tokens", 0);
        let (application, company) =
            (next.read_plain("application_id")?, next.read_plain::<Option<Uuid>>("company_id")?);
        let (user, scopes) = (next.read_plain("user_id")?, next.read_plain("scopes")?);
        let expires_at = next.read_plain("expires_at")?;
        let revoked = next.read_plain::<Option<Timestamp>>("revoked_at")?.is_some();
        let Some(company) = company else { return Ok(None) };
        Ok::<_, store::Error>(Some(StoredToken {
            holder: Holder { application, company, user, scopes },
            expires_at,
            revoked,
            id: next.read_plain("id")?,
            family: Family { id: next.read_plain("family_id")?, ends_at: next.read_plain("ends_at")? },
            replaces: next.read_plain("replaces")?,
            successor: next.read_plain("successor")?,
            succeeded_at: next.read_plain("succeeded_at")?,
        }))
    })?;
    Ok(found.flatten())
}

/// A pair that nobody has used yet, in place of another.
struct Unconfirmed {
    company: Option<Uuid>,
    family: Uuid,
    refresh_hash: Vec<u8>,
    replaces: Vec<u8>,
}

fn find_unconfirmed_pair(tx: &mut Tx<'_>, access_hash: &[u8]) -> Result<Option<Unconfirmed>, Error> {
    Ok(tx.try_find(UNCONFIRMED, params![access_hash], |row| {
        let mut next = Cursor::new(row, "token_pairs", 0);
        Ok::<_, store::Error>(Unconfirmed {
            company: next.read_plain("company_id")?,
            family: next.read_plain("family_id")?,
            refresh_hash: next.read_plain("refresh_hash")?,
            replaces: next.read_plain("replaces")?,
        })
    })?)
}

/// The pair of this access token is in use: revokes the refresh token that it replaced.
pub fn confirm_token_use(tx: &mut Tx<'_>, access_hash: &[u8]) -> Result<(), Error> {
    let Some(seen) = find_unconfirmed_pair(tx, access_hash)? else { return Ok(()) };
    let Some(company) = seen.company else { return Ok(()) };
    tx.take_guard(company, GUARD, seen.family)?;
    let Some(held) = find_unconfirmed_pair(tx, access_hash)? else { return Ok(()) };
    confirm_pair(tx, &held.refresh_hash, &held.replaces)
}

/// Under the guard of the family: the pair of this refresh token is in use, in place of the one that it replaced.
fn confirm_pair(tx: &mut Tx<'_>, refresh_hash: &[u8], replaced: &[u8]) -> Result<(), Error> {
    let now = tx.now();
    let confirmed = tx.change_rows(CONFIRM, params![refresh_hash])?.rows();
    let withdrawn = tx.change_rows(REVOKE, params![now, replaced])?.rows();
    let forgotten = tx.change_rows(FORGET_SUCCESSOR, params![replaced])?.rows();
    debug_assert!(confirmed == 1 && withdrawn <= 1 && forgotten <= 1, "one pair replaces one");
    Ok(())
}

/// Revokes every token of a family of the caller's company, with an audit entry if one of them was valid; returns how many were.
pub fn revoke_family(tx: &mut Tx<'_>, caller: &Caller, family: Uuid) -> Result<u64, Error> {
    tx.take_guard(caller.company, GUARD, family)?;
    let now = tx.now();
    let mut revoked = 0;
    for statement in [REVOKE_ACCESS_OF_FAMILY, REVOKE_REFRESH_OF_FAMILY] {
        revoked += tx.change_rows(statement, params![now, family])?.rows();
    }
    let pairs = tx.change_rows(FORGET_FAMILY, params![family])?.rows();
    tracing::info!(company = %caller.company, %family, revoked, pairs, "the tokens of a consent were revoked");
    if revoked > 0 {
        audit::record_audit_entry(tx, caller, "revoked", (TABLE, family), &json!({ "tokens": revoked }))?;
    }
    Ok(revoked)
}

/// Revokes every token that an application has for a company; returns how many. The caller holds the guard of the company's access
/// ([`connections::lock_company_access`]). Grants cached in memory end with `auth::Grants::forget_all`, which the handler calls after the unit is
/// committed; on other nodes within a second.
pub fn revoke_all(tx: &mut Tx<'_>, application: Uuid, company: Uuid) -> Result<u64, Error> {
    let now = tx.now();
    let revoked = tx.change_rows(REVOKE_ALL, params![now, company, application])?.rows();
    let _pairs = tx.change_rows(FORGET_ALL, params![company, application])?.rows();
    Ok(revoked)
}

/// Revokes a token of an application: a refresh token with its whole family, any other token alone. A token that does not exist, or that
/// belongs to another application, is ignored (RFC 7009, section 2.2). A revocation is recorded in the audit log. Returns how many tokens
/// ended.
pub fn revoke_token(tx: &mut Tx<'_>, caller: &Caller, application: Uuid, text: &str) -> Result<u64, Error> {
    let hash = Token::hash_of(text);
    let found = tx.try_find(OWNER, params![&hash], |row| {
        let mut next = Cursor::new(row, "tokens", 0);
        let owner: (Uuid, Option<Uuid>) =
            (next.read_plain("application_id")?, next.read_plain("company_id")?);
        let family: Option<Uuid> = next.read_plain("family_id")?;
        Ok::<_, store::Error>((owner.0, owner.1, family))
    })?;
    match found {
        Some((owner, company, family)) if owner == application => {
            let company = company.unwrap_or(Uuid::nil());
            let by_it = Caller { actor: Actor::Application(application), company, ..caller.clone() };
            if let Some(family) = family {
                return revoke_family(tx, &by_it, family);
            }
            let now = tx.now();
            let revoked = tx.change_rows(REVOKE, params![now, &hash])?.rows();
            if revoked > 0 {
                audit::record_audit_entry(
                    tx,
                    &by_it,
                    "revoked",
                    ("applications", application),
                    &json!({ "tokens": 1 }),
                )?;
            }
            Ok(revoked)
        }
        _ => Ok(0),
    }
}
