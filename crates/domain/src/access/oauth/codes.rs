//! Authorization codes: created when an administrator consents, exchanged once within ten minutes.
//!
//! A code is 256 random bits, stored as a hash, and bound to the application, the redirect URI and the PKCE challenge. A second use of a
//! code with all of these proves that two parties have it: everything issued for it is revoked (RFC 6749, section 4.1.2).
//!
//! An unused code ends with the access that it would grant: when the connection ends, when the consent ends, and when the administrator
//! loses the right to consent.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::{Timestamp, ToSpan};
use serde_json::json;
use sha2::{Digest, Sha256};
use store::record::Cursor;
use store::{Tx, params};
use subtle::ConstantTimeEq;
use uuid::Uuid;

use super::exchange::Issued;
use super::refusal::Refusal;
use super::tokens;
use super::tokens::Holder;
use crate::access::applications::Application;
use crate::access::connections;
use crate::access::tokens::{Actor, Caller, Token};
use crate::access::users;
use crate::company::companies;
use crate::error::Error;
use crate::events;
use crate::platform::audit;

store::statements! {
    INSERT = "INSERT INTO authorization_codes (hash, application_id, company_id, user_id, family_id, redirect_uri, \
              challenge, scopes, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
    FIND = "SELECT application_id, company_id, user_id, family_id, redirect_uri, challenge, scopes, expires_at, used_at \
            FROM authorization_codes WHERE hash = $1";
    USE = "UPDATE authorization_codes SET used_at = $1 WHERE hash = $2 AND used_at IS NULL";
    END_OF_APPLICATION = "DELETE FROM authorization_codes WHERE company_id = $1 AND application_id = $2 AND used_at IS NULL";
    END_OF_USER = "DELETE FROM authorization_codes WHERE company_id = $1 AND user_id = $2 AND used_at IS NULL";
}

/// How long a code can be exchanged.
const MINUTES: i64 = 10;
/// Guard of a consent's code.
const GUARD: &str = "authorization_code";

/// What an administrator has consented to.
#[derive(Debug, Clone)]
pub struct Consent {
    /// for whom
    pub holder: Holder,
    /// who consented
    pub user: Uuid,
    /// redirect URI
    pub redirect_uri: String,
    /// PKCE challenge, method S256
    pub challenge: Option<String>,
}

/// Creates a code; its text is not stored.
pub fn issue_code(tx: &mut Tx<'_>, consent: &Consent) -> Result<String, Error> {
    let Consent { holder, user, redirect_uri, challenge } = consent;
    let (code, family, now) = (Token::new(tx), tx.new_id(), tx.now());
    let parameters = params![
        &code.hash,
        holder.application,
        holder.company,
        user,
        family,
        redirect_uri,
        challenge,
        &holder.scopes,
        now,
        now + MINUTES.minutes()
    ];
    tx.insert_row(INSERT, parameters)?;
    Ok(code.text)
}

struct StoredCode {
    consent: Consent,
    family: Uuid,
    expires_at: Timestamp,
    used: bool,
}

fn find_code(tx: &mut Tx<'_>, hash: &[u8; 32]) -> Result<Option<StoredCode>, Error> {
    Ok(tx.try_find(FIND, params![hash], |row| {
        let mut next = Cursor::new(row, "authorization_codes", 0);
        let (application, company) = (next.read_plain("application_id")?, next.read_plain("company_id")?);
        let (user, family): (Uuid, Uuid) = (next.read_plain("user_id")?, next.read_plain("family_id")?);
        let (redirect_uri, challenge) = (next.read_plain("redirect_uri")?, next.read_plain("challenge")?);
        let scopes = next.read_plain("scopes")?;
        let holder = Holder { application, company, user: Some(user), scopes };
        Ok::<_, store::Error>(StoredCode {
            consent: Consent { holder, user, redirect_uri, challenge },
            family,
            expires_at: next.read_plain("expires_at")?,
            used: next.read_plain::<Option<Timestamp>>("used_at")?.is_some(),
        })
    })?)
}

/// A code with what its sender has to prove.
#[derive(Clone)]
pub struct Presented {
    /// the code
    pub code: String,
    /// redirect URI that it was sent to
    pub redirect_uri: String,
    /// PKCE verifier
    pub verifier: Option<String>,
}

store::hidden!(Presented);

/// Exchanges a code for the first pair of tokens: the company is connected, and the consenting administrator becomes its primary payroll
/// administrator.
///
/// # Errors
/// A store error. A refusal is a result: its revocations are committed.
pub fn redeem_code(
    tx: &mut Tx<'_>,
    caller: &Caller,
    application: &Application,
    presented: &Presented,
) -> Result<Result<Issued, Refusal>, Error> {
    let hash = Token::hash_of(&presented.code);
    let unknown = || Ok(Err(Refusal::invalid_grant("the code does not exist")));
    let Some(seen) = find_code(tx, &hash)? else { return unknown() };
    let company = seen.consent.holder.company;
    // Everywhere, the guard of roles is taken before that of access.
    tx.take_guard(company, users::service::TABLE, company)?;
    connections::lock_company_access(tx, company)?;
    tx.take_guard(company, GUARD, seen.family)?;
    // Read again: under the guards nobody else uses the code or ends what it is based on.
    let Some(StoredCode { consent, family, expires_at, used }) = find_code(tx, &hash)? else {
        return unknown();
    };
    if let Err(refusal) = check_code_ownership(&consent, application, presented) {
        return Ok(Err(refusal));
    }
    if used {
        let by_it = Caller { actor: Actor::Application(application.id), company, ..caller.clone() };
        let revoked = tokens::revoke_family(tx, &by_it, family)?;
        metrics::counter!("oauth_code_reuse_total").increment(1);
        let detail = "the code was used before; the tokens issued for it are now revoked";
        return Ok(Err(Refusal { revoked, ..Refusal::invalid_grant(detail) }));
    }
    if expires_at <= tx.now() {
        return Ok(Err(Refusal::invalid_grant("the code is older than ten minutes")));
    }
    if !may_authorize(tx, company, consent.user)? {
        return Ok(Err(Refusal::invalid_grant(
            "the administrator who consented may no longer authorize applications for this company",
        )));
    }
    let now = tx.now();
    assert!(tx.change_rows(USE, params![now, &hash])?.is_one(), "under its guard a code is used once");
    let zone = companies::time_zone(tx, company)?;
    let by_user = Caller { actor: Actor::User(consent.user), company, zone, ..caller.clone() };
    let (pair, revoked) = tokens::issue_consented(tx, &by_user, &consent.holder, family)?;
    connections::note_consent(tx, company, application.id)?;
    users::service::make_primary(tx, &by_user, consent.user)?;
    let what = json!({ "application": application.id, "scopes": consent.holder.scopes });
    audit::record_audit_entry(tx, &by_user, "authorized", ("applications", application.id), &what)?;
    events::emit_to(tx, company, events::COMPANY_PARTNER_AUTHORIZED, application.id)?;
    events::emit_to(tx, company, events::COMPANY_PROVISIONED, application.id)?;
    Ok(Ok(Issued { pair, revoked }))
}

/// Whether a user may currently authorize applications for a company.
fn may_authorize(tx: &mut Tx<'_>, company: Uuid, user: Uuid) -> Result<bool, Error> {
    let is_disabled = users::rows::find_user(tx, user)?.is_none_or(|user| user.disabled_at.is_some());
    let role = users::rows::role_in(tx, company, user)?;
    Ok(!is_disabled && role.is_some_and(users::Role::may_authorize))
}

/// Ends an application's unused codes for a company; returns how many.
pub fn end_of_application(tx: &mut Tx<'_>, company: Uuid, application: Uuid) -> Result<u64, Error> {
    Ok(tx.change_rows(END_OF_APPLICATION, params![company, application])?.rows())
}

/// Ends the unused codes to which a user consented for a company; returns how many.
pub fn end_of_user(tx: &mut Tx<'_>, company: Uuid, user: Uuid) -> Result<u64, Error> {
    Ok(tx.change_rows(END_OF_USER, params![company, user])?.rows())
}

/// Whether a code was issued to this application, for this redirect URI and for the sender of the challenge.
fn check_code_ownership(
    consent: &Consent,
    application: &Application,
    presented: &Presented,
) -> Result<(), Refusal> {
    if consent.holder.application != application.id {
        return Err(Refusal::invalid_grant("client_id: the code was issued to another application"));
    }
    if consent.redirect_uri != presented.redirect_uri {
        return Err(Refusal::invalid_grant(
            "redirect_uri: it differs from the one that the code was sent to",
        ));
    }
    match (&consent.challenge, &presented.verifier) {
        (None, None) => Ok(()),
        (None, Some(_)) => {
            Err(Refusal::invalid_grant("code_verifier: the code was requested without a code_challenge"))
        }
        (Some(_), None) => Err(Refusal::invalid_grant("code_verifier: it is missing")),
        (Some(challenge), Some(verifier)) if is_verifier_valid(challenge, verifier) => Ok(()),
        (Some(_), Some(_)) => {
            Err(Refusal::invalid_grant("code_verifier: its SHA-256 in base64url is not the code_challenge"))
        }
    }
}

/// Whether a verifier matches a challenge (RFC 7636, section 4.6).
fn is_verifier_valid(challenge: &str, verifier: &str) -> bool {
    let made = URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.as_bytes()));
    is_verifier(verifier) && bool::from(made.as_bytes().ct_eq(challenge.as_bytes()))
}

/// 43 to 128 unreserved characters (RFC 7636, section 4.1).
fn is_verifier(text: &str) -> bool {
    (43..=128).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._~".contains(&b))
}

/// Whether this is a valid challenge of method S256: 32 bytes in base64url.
pub fn is_challenge(text: &str) -> bool {
    URL_SAFE_NO_PAD.decode(text).is_ok_and(|bytes| bytes.len() == 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 7636, appendix B.
    const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
    const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

    #[test]
    fn the_example_of_the_rfc_verifies_and_variations_do_not() {
        assert!(is_verifier_valid(CHALLENGE, VERIFIER));
        assert!(!is_verifier_valid(CHALLENGE, &VERIFIER.to_lowercase()));
        assert!(!is_verifier_valid(VERIFIER, VERIFIER), "the plain method is not supported");
        assert!(!is_verifier_valid(CHALLENGE, &VERIFIER[..42]));
    }

    #[test]
    fn a_challenge_is_32_bytes_in_base64url() {
        assert!(is_challenge(CHALLENGE));
        for wrong in ["", "abc", &format!("{CHALLENGE}="), &CHALLENGE.replace('-', "+"), &CHALLENGE[..42]] {
            assert!(!is_challenge(wrong), "{wrong}");
        }
    }
}
