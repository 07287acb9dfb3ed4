//! The token endpoint: an application authenticates and gets tokens, or revokes them.
//!
//! A refusal is the result of a unit, not an error, so that the revocations of a refused request are committed.

use jiff::ToSpan;
use serde_json::json;
use store::Tx;

use super::codes;
use super::codes::Presented;
use super::reasons::Reason;
use super::refusal::Refusal;
use super::tokens;
use super::tokens::{LIFETIME, Pair, Refreshed};
use crate::access::applications;
use crate::access::applications::Application;
use crate::access::tokens as auth;
use crate::access::tokens::{Actor, Caller, NewToken, TokenKind};
use crate::error::Error;
use crate::platform::audit;
use crate::version::ApiVersion;

/// The credentials of a client.
#[derive(Clone)]
pub struct Client {
    /// client_id
    pub id: String,
    /// client_secret; `None` from a public client
    pub secret: Option<String>,
}

store::hidden!(Client);

impl Client {
    /// The application, if the credentials are correct.
    pub fn authenticate(&self, tx: &mut Tx<'_>) -> Result<Result<Application, Refusal>, Error> {
        let Some(application) = applications::find_application(tx, &self.id)? else {
            return Ok(Err(Refusal::invalid_client("client_id: the application does not exist")));
        };
        if application.disabled_at.is_some() {
            return Ok(Err(Refusal::invalid_client("client_id: the operator has disabled the application")));
        }
        Ok(match &self.secret {
            None if application.is_public() => Ok(application),
            None => Err(Refusal::invalid_client("client_secret: it is missing")),
            Some(_) if application.is_public() => Err(Refusal::invalid_client(
                "client_secret: this application is a public client and has none",
            )),
            Some(secret) if application.has_secret(secret) => Ok(application),
            Some(_) => Err(Refusal::invalid_client("client_secret: it does not match this application")),
        })
    }
}

/// A grant for which tokens are issued.
#[derive(Debug, Clone)]
pub enum Grant {
    /// the first pair, for a code
    Code(Presented),
    /// the next pair
    Refresh {
        /// the refresh token
        token: Box<str>,
        /// requested scopes of the access token, among those of the refresh token; all of them if omitted
        scope: Option<String>,
    },
    /// a token for the application's own operations
    System,
}

/// Issued tokens.
pub struct Granted {
    /// text of the access token
    pub access: String,
    /// text of the refresh token; `None` for an application's own token
    pub refresh: Option<String>,
    /// Unix seconds
    pub created_at: i64,
    /// seconds until the access token expires
    pub expires_in: i64,
    /// its scopes
    pub scopes: String,
    /// the application's default version
    pub version: ApiVersion,
    /// how many other tokens were revoked
    pub revoked: u64,
}

/// A pair of tokens, and the number of tokens that were revoked when it was issued.
pub struct Issued {
    /// the pair
    pub pair: Pair,
    /// how many other tokens were revoked
    pub revoked: u64,
}

/// Serves one request to the token endpoint.
pub fn exchange_grant(
    tx: &mut Tx<'_>,
    caller: &Caller,
    client: &Client,
    grant: &Grant,
) -> Result<Result<Granted, Refusal>, Error> {
    let application = match client.authenticate(tx)? {
        Ok(application) => application,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let issued = match grant {
        Grant::Code(presented) => codes::redeem_code(tx, caller, &application, presented)?,
        Grant::Refresh { token, scope } => refresh_tokens(tx, caller, &application, token, scope.as_deref())?,
        Grant::System => return system_access(tx, caller, &application),
    };
    let now = tx.now();
    Ok(issued.map(|Issued { pair, revoked }| Granted {
        created_at: pair.created_at.as_second(),
        expires_in: pair.expires_in(now),
        access: pair.access,
        refresh: Some(pair.refresh),
        scopes: pair.scopes,
        version: application.version,
        revoked,
    }))
}

fn refresh_tokens(
    tx: &mut Tx<'_>,
    caller: &Caller,
    application: &Application,
    token: &str,
    scope: Option<&str>,
) -> Result<Result<Issued, Refusal>, Error> {
    let refused = |detail: &str| Ok(Err(Refusal::invalid_grant(format!("refresh_token: {detail}"))));
    match tokens::refresh_pair(tx, application.id, token, scope)? {
        Refreshed::Pair(pair) => Ok(Ok(Issued { pair, revoked: 0 })),
        Refreshed::Unknown => refused("this application has no such token"),
        Refreshed::Expired => refused(
            "it was not used for too long, or the consent is too old; the administrator has to authorize again",
        ),
        Refreshed::OtherScope => {
            let description = "scope contains a scope that the refresh token does not have.";
            Ok(Err(Refusal::new(Reason::InvalidScope, description)))
        }
        Refreshed::Reused { company, family, just_replaced } => {
            metrics::counter!("oauth_refresh_reuse_total").increment(1);
            tracing::warn!(application = %application.id, %company, "a revoked refresh token was used");
            // A public client has no secret that would tell its own second process from a thief.
            if just_replaced && !application.is_public() {
                return refused("it was replaced, and the pair that replaced it is in use");
            }
            let by_it = Caller { actor: Actor::Application(application.id), company, ..caller.clone() };
            let revoked = tokens::revoke_family(tx, &by_it, family)?;
            let detail = "refresh_token: it was revoked or replaced before; every token of this consent is now revoked";
            Ok(Err(Refusal { revoked, ..Refusal::invalid_grant(detail) }))
        }
    }
}

/// A token for the application's own operations. Several can be valid at the same time.
fn system_access(
    tx: &mut Tx<'_>,
    caller: &Caller,
    application: &Application,
) -> Result<Result<Granted, Refusal>, Error> {
    if application.is_public() {
        let description = "A public client has no operations of its own.";
        return Ok(Err(Refusal::new(Reason::UnauthorizedClient, description)));
    }
    let scopes = application.scopes.to_text();
    let expires_at = Some(tx.now() + LIFETIME.seconds());
    let token = auth::issue_token(
        tx,
        &NewToken {
            kind: TokenKind::System,
            application: application.id,
            company: None,
            user: None,
            scopes: &scopes,
            expires_at,
        },
    )?;
    let caller = Caller { actor: Actor::Application(application.id), ..caller.clone() };
    audit::record_audit_entry(tx, &caller, "system_access", ("applications", application.id), &json!({}))?;
    let created_at = tx.now().as_second();
    let (version, expires_in) = (application.version, LIFETIME);
    let access = token.text;
    Ok(Ok(Granted { access, refresh: None, created_at, expires_in, scopes, version, revoked: 0 }))
}

/// Revokes a token (RFC 7009); returns how many tokens ended.
pub fn revoke_token(
    tx: &mut Tx<'_>,
    caller: &Caller,
    client: &Client,
    token: &str,
) -> Result<Result<u64, Refusal>, Error> {
    match client.authenticate(tx)? {
        Ok(application) => tokens::revoke_token(tx, caller, application.id, token).map(Ok),
        Err(refusal) => Ok(Err(refusal)),
    }
}
