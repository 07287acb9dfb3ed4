//! Pairs of tokens.
//!
//! An access token is valid for two hours; its refresh token gets the next pair. Until that next pair is used, the old refresh token
//! returns the same pair again: a lost response can be requested once more, and concurrent requests get the same pair. For this purpose the
//! successor's text is stored for as long, sealed with the company's key; if its access token has expired by then, it is replaced by a new
//! one with the same refresh token. The first use of the new access token, or of the new refresh token, revokes the old refresh token and
//! deletes the text ([`confirm`], which `auth` calls).
//!
//! A unit that decides about a family takes the family's guard first; one that creates tokens takes the guard of the company's access
//! ([`connections::guard`]) before it, so that whoever ends the access at the same time sees the pair.

use jiff::Timestamp;
use serde_json::json;
use store::record::Cursor;
use store::{Place, Tx, Unread, params};
use uuid::Uuid;

use crate::access::connections;
use crate::access::scope::Scopes;
use crate::access::tokens as auth;
use crate::access::tokens::{Actor, Caller, Kind, NewToken, Token};
use crate::error::Error;
use crate::platform::audit;

store::statements! {
    INSERT = "INSERT INTO token_pairs (refresh_hash, access_hash, id, family_id, replaces) VALUES ($1, $2, $3, $4, $5)";
    FIND = "SELECT t.application_id, t.company_id, t.user_id, t.scopes, t.revoked_at, \
            p.access_hash, p.id, p.family_id, p.successor FROM tokens t JOIN token_pairs p ON p.refresh_hash = t.hash WHERE t.hash = $1";
    UNCONFIRMED = "SELECT t.company_id, p.family_id, p.replaces FROM token_pairs p JOIN tokens t ON t.hash = p.access_hash \
                   WHERE p.access_hash = $1 AND p.replaces IS NOT NULL";
    OWNER = "SELECT t.application_id, t.company_id, p.family_id FROM tokens t \
             LEFT JOIN token_pairs p ON p.refresh_hash = t.hash WHERE t.hash = $1";
    SUCCEED = "UPDATE token_pairs SET successor = $1 WHERE refresh_hash = $2 AND successor IS NULL";
    SUCCEED_AGAIN = "UPDATE token_pairs SET successor = $1 WHERE refresh_hash = $2";
    RENEW = "UPDATE token_pairs SET access_hash = $1 WHERE refresh_hash = $2";
    FORGET_SUCCESSOR = "UPDATE token_pairs SET successor = NULL WHERE refresh_hash = $1";
    CONFIRM = "UPDATE token_pairs SET replaces = NULL WHERE access_hash = $1 AND replaces IS NOT NULL";
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
    fn token(&self, kind: Kind, lifetime: Option<i64>) -> NewToken<'_> {
        NewToken {
            kind,
            application: self.application,
            company: Some(self.company),
            user: self.user,
            scopes: &self.scopes,
            lifetime,
        }
    }
}

impl Pair {
    /// The text in which it is stored.
    fn kept(&self) -> String {
        format!("{} {} {}", self.access, self.refresh, self.created_at)
    }

    /// Seconds until the access token expires.
    pub fn expires_in(&self, now: Timestamp) -> i64 {
        (self.created_at.as_second() + LIFETIME - now.as_second()).max(0)
    }
}

/// Creates the first pair of a new family; no other token of the application is revoked.
///
/// # Errors
/// A store error.
pub fn issue_pair(tx: &mut Tx<'_>, holder: &Holder) -> Result<Pair, Error> {
    let family = tx.new_id();
    issue_in_family(tx, holder, family)
}

/// Creates the first pair of a family with a given id.
///
/// # Errors
/// A store error.
pub fn issue_in_family(tx: &mut Tx<'_>, holder: &Holder, family: Uuid) -> Result<Pair, Error> {
    issue(tx, holder, family, None, Some(LIFETIME))
}

/// Creates the first pair of a new family with an access token that never expires: for a demo world, whose clock is advanced. Later pairs
/// have the usual lifetime.
///
/// # Errors
/// A store error.
pub fn issue_lasting(tx: &mut Tx<'_>, holder: &Holder) -> Result<Pair, Error> {
    let family = tx.new_id();
    issue(tx, holder, family, None, None)
}

fn issue(
    tx: &mut Tx<'_>,
    holder: &Holder,
    family: Uuid,
    replaces: Option<&[u8; 32]>,
    lifetime: Option<i64>,
) -> Result<Pair, Error> {
    let access = auth::issue(tx, &holder.token(Kind::Company, lifetime))?;
    let refresh = auth::issue(tx, &holder.token(Kind::Refresh, None))?;
    let id = tx.new_id();
    tx.insert(INSERT, params![&refresh.hash, &access.hash, id, family, replaces])?;
    Ok(Pair {
        access: access.text,
        refresh: refresh.text,
        created_at: tx.now(),
        scopes: holder.scopes.clone(),
    })
}

/// The result of using a refresh token.
#[derive(Debug)]
pub enum Refreshed {
    /// the next pair; the same one until it is used
    Pair(Pair),
    /// the application has no such token
    Unknown,
    /// the requested scopes differ from the token's
    OtherScope,
    /// it was revoked, or replaced by a pair that has been used: it may be stolen
    Withdrawn {
        /// whose token it was
        company: Uuid,
        /// the family of the pair
        family: Uuid,
    },
}

/// Issues the next pair for an application's refresh token; `scopes`, if requested, must equal its own.
///
/// # Errors
/// A store error.
pub fn refresh(
    tx: &mut Tx<'_>,
    application: Uuid,
    text: &str,
    scopes: Option<Scopes>,
) -> Result<Refreshed, Error> {
    let hash = Token::hash_of(text);
    let Some(seen) = find(tx, &hash)? else { return Ok(Refreshed::Unknown) };
    connections::guard(tx, seen.holder.company)?;
    tx.guard(seen.holder.company, GUARD, seen.family)?;
    // Read again: under the guards nobody else changes the pair or ends what it is based on.
    let Some(held) = find(tx, &hash)? else { return Ok(Refreshed::Unknown) };
    if held.holder.application != application {
        return Ok(Refreshed::Unknown);
    }
    if held.revoked {
        return Ok(Refreshed::Withdrawn { company: held.holder.company, family: held.family });
    }
    if scopes.is_some_and(|asked| asked != Scopes::parse(&held.holder.scopes)) {
        return Ok(Refreshed::OtherScope);
    }
    let place = Place { owner: held.holder.company, table: TABLE, row: held.id, column: "successor" };
    if let Some(sealed) = &held.successor {
        let text = tx.unseal(place, sealed)?;
        let kept = reopened(&text, &held.holder.scopes)?;
        if kept.expires_in(tx.now()) > 0 {
            return Ok(Refreshed::Pair(kept));
        }
        let pair = renew(tx, &held.holder, kept)?;
        let sealed = tx.seal(place, pair.kept().as_bytes())?;
        let kept = tx.change(SUCCEED_AGAIN, params![&sealed, &hash])?.one();
        assert!(kept, "under its guard a pair is renewed once");
        return Ok(Refreshed::Pair(pair));
    }
    // The sender of this refresh token has received the response that contained it.
    confirm(tx, &held.access_hash)?;
    let pair = issue(tx, &held.holder, held.family, Some(&hash), Some(LIFETIME))?;
    let sealed = tx.seal(place, pair.kept().as_bytes())?;
    let succeeded = tx.change(SUCCEED, params![&sealed, &hash])?.one();
    assert!(succeeded, "under its guard a refresh token is replaced once");
    Ok(Refreshed::Pair(pair))
}

/// A pair that nobody has used, with a new access token if the old one has expired.
fn renew(tx: &mut Tx<'_>, holder: &Holder, pair: Pair) -> Result<Pair, Error> {
    let access = auth::issue(tx, &holder.token(Kind::Company, Some(LIFETIME)))?;
    let renewed = tx.change(RENEW, params![&access.hash, &Token::hash_of(&pair.refresh)])?.one();
    assert!(renewed, "a pair that is kept is there");
    Ok(Pair { access: access.text, created_at: tx.now(), ..pair })
}

/// The pair, from its sealed text.
fn reopened(kept: &[u8], scopes: &str) -> Result<Pair, Error> {
    let unreadable = || Unread::new("holds no pair of tokens").of(TABLE, "successor");
    let text = std::str::from_utf8(kept).map_err(|_| unreadable())?;
    let mut parts = text.split(' ');
    let mut next = || parts.next().map(str::to_owned).ok_or_else(unreadable);
    let (access, refresh, created_at) = (next()?, next()?, next()?);
    let created_at = created_at.parse().map_err(|_| unreadable())?;
    Ok(Pair { access, refresh, created_at, scopes: scopes.to_owned() })
}

struct Held {
    holder: Holder,
    revoked: bool,
    access_hash: Vec<u8>,
    id: Uuid,
    family: Uuid,
    successor: Option<Vec<u8>>,
}

fn find(tx: &mut Tx<'_>, hash: &[u8; 32]) -> Result<Option<Held>, Error> {
    let found = tx.try_find(FIND, params![hash], |row| {
        let mut next = Cursor::new(row, "tokens", 0);
        let (application, company) =
            (next.plain("application_id")?, next.plain::<Option<Uuid>>("company_id")?);
        let (user, scopes) = (next.plain("user_id")?, next.plain("scopes")?);
        let revoked = next.plain::<Option<Timestamp>>("revoked_at")?.is_some();
        let Some(company) = company else { return Ok(None) };
        Ok::<_, store::Error>(Some(Held {
            holder: Holder { application, company, user, scopes },
            revoked,
            access_hash: next.plain("access_hash")?,
            id: next.plain("id")?,
            family: next.plain("family_id")?,
            successor: next.plain("successor")?,
        }))
    })?;
    Ok(found.flatten())
}

/// The pair of this access token is in use: revokes the refresh token that it replaced.
///
/// # Errors
/// A store error.
pub fn confirm(tx: &mut Tx<'_>, access_hash: &[u8]) -> Result<(), Error> {
    let unconfirmed = |tx: &mut Tx<'_>| {
        tx.try_find(UNCONFIRMED, params![access_hash], |row| {
            let mut next = Cursor::new(row, "token_pairs", 0);
            let company: Option<Uuid> = next.plain("company_id")?;
            let (family, replaces): (Uuid, Vec<u8>) = (next.plain("family_id")?, next.plain("replaces")?);
            Ok::<_, store::Error>((company, family, replaces))
        })
    };
    let Some((Some(company), family, _)) = unconfirmed(tx)? else { return Ok(()) };
    tx.guard(company, GUARD, family)?;
    let Some((.., replaced)) = unconfirmed(tx)? else { return Ok(()) };
    let now = tx.now();
    let confirmed = tx.change(CONFIRM, params![access_hash])?.rows();
    let withdrawn = tx.change(REVOKE, params![now, &replaced])?.rows();
    let forgotten = tx.change(FORGET_SUCCESSOR, params![&replaced])?.rows();
    debug_assert!(confirmed == 1 && withdrawn <= 1 && forgotten <= 1, "one pair replaces one");
    Ok(())
}

/// Revokes every token of a family of the caller's company, with an audit entry if one of them was valid.
///
/// # Errors
/// A store error.
pub fn revoke_family(tx: &mut Tx<'_>, caller: &Caller, family: Uuid) -> Result<(), Error> {
    tx.guard(caller.company, GUARD, family)?;
    let now = tx.now();
    let mut revoked = 0;
    for statement in [REVOKE_ACCESS_OF_FAMILY, REVOKE_REFRESH_OF_FAMILY] {
        revoked += tx.change(statement, params![now, family])?.rows();
    }
    let pairs = tx.change(FORGET_FAMILY, params![family])?.rows();
    tracing::info!(company = %caller.company, %family, revoked, pairs, "the tokens of a consent were revoked");
    if revoked > 0 {
        audit::record(tx, caller, "revoked", (TABLE, family), &json!({ "tokens": revoked }))?;
    }
    Ok(())
}

/// Revokes every token that an application has for a company; returns how many. The caller holds the guard of the company's access
/// ([`connections::guard`]). Grants cached in memory end with `auth::Grants::forget_all`, which the handler calls after the unit is
/// committed; on other nodes within a second.
///
/// # Errors
/// A store error.
pub fn revoke_all(tx: &mut Tx<'_>, application: Uuid, company: Uuid) -> Result<u64, Error> {
    let now = tx.now();
    let revoked = tx.change(REVOKE_ALL, params![now, company, application])?.rows();
    let _pairs = tx.change(FORGET_ALL, params![company, application])?.rows();
    Ok(revoked)
}

/// Revokes a token of an application: a refresh token with its whole family, any other token alone. A token that does not exist, or that
/// belongs to another application, is ignored (RFC 7009, section 2.2). A revocation is recorded in the audit log.
///
/// # Errors
/// A store error.
pub fn revoke(tx: &mut Tx<'_>, caller: &Caller, application: Uuid, text: &str) -> Result<(), Error> {
    let hash = Token::hash_of(text);
    let found = tx.try_find(OWNER, params![&hash], |row| {
        let mut next = Cursor::new(row, "tokens", 0);
        let owner: (Uuid, Option<Uuid>) = (next.plain("application_id")?, next.plain("company_id")?);
        let family: Option<Uuid> = next.plain("family_id")?;
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
            if tx.change(REVOKE, params![now, &hash])?.one() {
                audit::record(tx, &by_it, "revoked", ("applications", application), &json!({ "tokens": 1 }))?;
            }
            Ok(())
        }
        _ => Ok(()),
    }
}
