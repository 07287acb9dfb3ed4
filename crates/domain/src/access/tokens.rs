//! Tokens and callers: who makes a request, and what is known of it once it has been authenticated.
//!
//! A token is 256 random bits as URL-safe text; the store holds its SHA-256 and what it grants. A company token belongs to one company, a
//! system token (or the older API token, sent with the scheme `Token`) to an application. A [`Grant`] is cached for at most a second, and
//! dropped at once when it is revoked on this node, so requests need no look-up and a revocation on another node takes at most a second.
//!
//! A [`Caller`] is a grant with the data of one request. Services take the company from it and from nowhere else: that is what separates
//! companies.

use rules::Named;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use strum::{EnumString, IntoStaticStr, VariantArray};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use sha2::{Digest, Sha256};
use store::record::Cursor;
use store::{Clock, Tx, Unread, params};
use uuid::Uuid;

use crate::access::connections;
use crate::access::scope::Scopes;
use crate::error::Error;
use crate::version::ApiVersion;

/// Valid tokens of the application `$1` to which nobody consented: its own, and those of companies that it manages and that never
/// consented to it. A company that it created has an administrator from the start, who is not asked.
macro_rules! unconsented {
    () => {
        "application_id = $1 AND revoked_at IS NULL AND (user_id IS NULL OR company_id IN \
         (SELECT company_id FROM connections WHERE application_id = $1 AND manages = $2 AND consented_at IS NULL AND ended_at IS NULL))"
    };
}

store::statements! {
    FIND = "SELECT t.kind, t.application_id, t.company_id, t.user_id, t.scopes, t.expires_at, t.revoked_at, \
            a.minimum_version, a.strict, a.disabled_at, p.replaces FROM tokens t JOIN applications a ON a.id = t.application_id \
            LEFT JOIN token_pairs p ON p.access_hash = t.hash WHERE t.hash = $1";
    // A separate query: a token is placed by its hash, its company with the records of the company.
    TIME_ZONE = "SELECT time_zone FROM companies WHERE company_id = $1";
    INSERT = "INSERT INTO tokens (hash, kind, application_id, company_id, user_id, scopes, created_at, expires_at) \
              VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    REVOKE_KIND = "UPDATE tokens SET revoked_at = $1 WHERE company_id IS NULL AND application_id = $2 AND kind = $3 \
                   AND revoked_at IS NULL";
    UNCONSENTED = concat!("SELECT DISTINCT scopes FROM tokens WHERE ", unconsented!(), " ORDER BY scopes");
    EXTEND = concat!("UPDATE tokens SET scopes = $3 WHERE scopes = $4 AND ", unconsented!());
    REVOKE_CONSENTED = "UPDATE tokens SET revoked_at = $1 WHERE company_id = $2 AND application_id = $3 AND user_id = $4 \
                        AND revoked_at IS NULL";
    CONSENTED = "SELECT DISTINCT application_id FROM tokens WHERE company_id = $1 AND user_id = $2 AND revoked_at IS NULL \
                 ORDER BY application_id";
    HELD = "SELECT DISTINCT scopes FROM tokens WHERE company_id = $1 AND application_id = $2 AND revoked_at IS NULL \
            AND (expires_at IS NULL OR expires_at > $3) ORDER BY scopes";
    HOLDS_ONE = "SELECT 1 FROM tokens WHERE company_id = $1 AND application_id = $2 AND revoked_at IS NULL LIMIT 1";
}

/// What a token is good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum TokenKind {
    /// one company's data
    #[strum(serialize = "company")]
    Company,
    /// the application's own work
    #[strum(serialize = "system")]
    System,
    /// the application's own work, in the older form
    #[strum(serialize = "api")]
    Api,
    /// only for exchanging it for a new company token
    #[strum(serialize = "refresh")]
    Refresh,
}

/// A token's text with its hash. Its `Debug` shows neither.
pub struct Token {
    /// shown once to its owner
    pub text: String,
    /// kept in the store
    pub hash: [u8; 32],
}

impl Token {
    /// A new token.
    pub fn new(tx: &mut Tx<'_>) -> Self {
        let text = URL_SAFE_NO_PAD.encode(tx.random::<32>());
        Self { hash: Self::hash_of(&text), text }
    }

    /// The hash by which a token with this text is found.
    pub fn hash_of(text: &str) -> [u8; 32] {
        Sha256::digest(text.as_bytes()).into()
    }
}

store::hidden!(Token);

/// What a token grants.
#[derive(Debug)]
pub struct Grant {
    /// kind of token
    pub kind: TokenKind,
    /// whose token it is
    pub application: Uuid,
    /// the one company of a company token
    pub company: Option<Uuid>,
    /// the administrator who consented
    pub user: Option<Uuid>,
    /// its scopes
    pub scopes: Scopes,
    /// the application's default version
    pub default_version: ApiVersion,
    /// whether a request with names that are not read is refused
    pub strict: bool,
    /// the company's time zone; UTC for an application
    pub zone: TimeZone,
    /// identifies the token in the rate limit
    pub hash: [u8; 32],
    /// when it expires, if it does
    pub expires_at: Option<Timestamp>,
    /// monotonic time at which it was read
    pub seen: Duration,
    /// whether this is the first use of a token that replaces another pair
    pub first_use: bool,
}

/// Who makes a request, for the audit log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Actor {
    /// a partner application, with a company token or its own
    Application(Uuid),
    /// an employee on a hosted page
    Employee(Uuid),
    /// a contractor on a hosted page
    Contractor(Uuid),
    /// someone who acts for a company on its hosted pages; the company's id
    Employer(Uuid),
    /// an administrator on a page of the authorization server
    User(Uuid),
    /// the service itself, in a job
    Service,
    /// the operator, at the command line
    Operator,
}

impl Actor {
    /// As it is written to the audit log.
    pub const fn kind_and_id(self) -> (&'static str, Uuid) {
        match self {
            Self::Application(id) => ("application", id),
            Self::Employee(id) => ("employee", id),
            Self::Contractor(id) => ("contractor", id),
            Self::Employer(id) => ("employer", id),
            Self::User(id) => ("user", id),
            Self::Service => ("service", Uuid::nil()),
            Self::Operator => ("operator", Uuid::nil()),
        }
    }
}

/// An authenticated request.
#[derive(Debug, Clone)]
pub struct Caller {
    /// who makes it
    pub actor: Actor,
    /// the only company that it can access; nil if none
    pub company: Uuid,
    /// the company's time zone
    pub zone: TimeZone,
    /// the version that it requests
    pub version: ApiVersion,
    /// the administrator who consented to a company token
    pub consented: Option<Uuid>,
    /// its scopes
    pub scopes: Scopes,
    /// included in the response and in the log
    pub request_id: Arc<str>,
    /// its IP address
    pub ip: IpAddr,
}

impl Caller {
    /// The service itself acting on a company, in a job.
    pub fn for_service(company: Uuid, zone: TimeZone) -> Self {
        Self {
            actor: Actor::Service,
            company,
            zone,
            version: ApiVersion::NEWEST,
            consented: None,
            scopes: Scopes::ALL,
            request_id: Arc::from("background"),
            ip: IpAddr::from([0, 0, 0, 0]),
        }
    }

    /// The operator acting on a company at the command line.
    pub fn for_operator(company: Uuid, zone: TimeZone) -> Self {
        Self { actor: Actor::Operator, request_id: Arc::from("command"), ..Self::for_service(company, zone) }
    }

    /// The company's date at the time of the unit of work.
    pub fn today(&self, tx: &Tx<'_>) -> Date {
        tx.now().to_zoned(self.zone.clone()).date()
    }

    /// The application of the caller, which has records of its own: webhook subscriptions and the list of events.
    ///
    /// # Errors
    /// "Not found" for every other caller.
    pub fn application_id(&self) -> Result<Uuid, Error> {
        if let Actor::Application(application) = self.actor { Ok(application) } else { Err(Error::NotFound) }
    }

    /// The owner of the data key that seals the caller's own data: the company, or the application.
    pub fn data_key_owner(&self) -> Uuid {
        match self.actor {
            Actor::Application(application) if self.company.is_nil() => application,
            _ => self.company,
        }
    }
}

/// Reads what a token grants, with the time zone of its company; `None` if it is unknown or revoked, or its application is disabled.
pub fn find_token_grant(tx: &mut Tx<'_>, hash: [u8; 32]) -> Result<Option<Grant>, Error> {
    let found = tx.try_find(FIND, params![&hash], |row| {
        let mut next = Cursor::new(row, "tokens", 0);
        let kind = next.read_text("kind", TokenKind::parse)?;
        let (application, company) = (next.read_plain("application_id")?, next.read_plain("company_id")?);
        let (user, scopes) = (next.read_plain("user_id")?, Scopes::parse(next.read_plain("scopes")?));
        let (expires_at, revoked_at) =
            (next.read_plain("expires_at")?, next.read_plain::<Option<Timestamp>>("revoked_at")?);
        let default_version = next.read_text("minimum_version", ApiVersion::parse)?;
        let strict = next.read_plain("strict")?;
        let disabled_at = next.read_plain::<Option<Timestamp>>("disabled_at")?;
        if revoked_at.or(disabled_at).is_some() {
            return Ok(None);
        }
        Ok::<_, store::Error>(Some(Grant {
            kind,
            application,
            company,
            user,
            scopes,
            default_version,
            strict,
            first_use: next.read_plain::<Option<&[u8]>>("replaces")?.is_some(),
            zone: TimeZone::UTC,
            hash,
            expires_at,
            seen: Clock::monotonic(),
        }))
    })?;
    let Some(mut grant) = found.flatten() else { return Ok(None) };
    if let Some(company) = grant.company {
        let named = tx.try_find(TIME_ZONE, params![company], |row| {
            parse_zone(Cursor::new(row, "companies", 0).read_plain("time_zone")?)
        })?;
        grant.zone = named.unwrap_or(TimeZone::UTC);
    }
    Ok(Some(grant))
}

/// The time zone with this name; UTC if there is none.
fn parse_zone(name: Option<&str>) -> Result<TimeZone, store::Error> {
    let Some(name) = name else { return Ok(TimeZone::UTC) };
    TimeZone::get(name).map_err(|_| Unread::new("names no time zone").into_error("companies", "time_zone"))
}

/// A token to store.
#[derive(Debug, Clone)]
pub struct NewToken<'a> {
    /// kind of token
    pub kind: TokenKind,
    /// whose token it is
    pub application: Uuid,
    /// the company of a company token
    pub company: Option<Uuid>,
    /// the administrator who consented
    pub user: Option<Uuid>,
    /// its scopes, as text
    pub scopes: &'a str,
    /// when it expires; `None` is never
    pub expires_at: Option<Timestamp>,
}

/// Creates and stores a token; the text is returned and not stored. A company token connects its company and its application.
pub fn issue_token(tx: &mut Tx<'_>, new: &NewToken<'_>) -> Result<Token, Error> {
    let token = Token::new(tx);
    let now = tx.now();
    let kind = new.kind.as_str();
    let parameters =
        params![&token.hash, kind, new.application, new.company, new.user, new.scopes, now, new.expires_at];
    tx.insert_row(INSERT, parameters)?;
    if let (TokenKind::Company, Some(company)) = (new.kind, new.company) {
        connections::connect_application(tx, company, new.application)?;
    }
    Ok(token)
}

/// Adds scopes to the tokens of an application to which nobody consented: its API token, its system tokens, and those of companies that it
/// manages and that never consented to it. Each keeps what it had. Returns how many had fewer.
pub fn add_scopes(tx: &mut Tx<'_>, application: Uuid, added: Scopes) -> Result<u64, Error> {
    let texts = tx.try_query(UNCONSENTED, params![application, true], |row| {
        Cursor::new(row, "tokens", 0).read_plain::<String>("scopes")
    })?;
    let mut extended = 0;
    for text in texts {
        let had = Scopes::parse(&text);
        if !added.is_within(had) {
            let has = had.union_with(added).to_text();
            extended += tx.change_rows(EXTEND, params![application, true, &has, &text])?.rows();
        }
    }
    Ok(extended)
}

/// Revokes an application's tokens of one kind that belong to no company; returns how many.
pub fn revoke_kind(tx: &mut Tx<'_>, application: Uuid, kind: TokenKind) -> Result<u64, Error> {
    let now = tx.now();
    Ok(tx.change_rows(REVOKE_KIND, params![now, application, kind.as_str()])?.rows())
}

/// Revokes an application's tokens for a company to which a user consented; returns how many.
pub fn revoke_consented(tx: &mut Tx<'_>, company: Uuid, application: Uuid, user: Uuid) -> Result<u64, Error> {
    let now = tx.now();
    Ok(tx.change_rows(REVOKE_CONSENTED, params![now, company, application, user])?.rows())
}

/// The applications that have a token for a company to which a user consented, or for whom the company was created.
pub fn consented_applications(tx: &mut Tx<'_>, company: Uuid, user: Uuid) -> Result<Vec<Uuid>, Error> {
    Ok(tx.try_query(CONSENTED, params![company, user], |row| {
        Cursor::new(row, "tokens", 0).read_plain::<Uuid>("application_id")
    })?)
}

/// Whether an application has an unrevoked token for a company.
pub fn holds_one(tx: &mut Tx<'_>, company: Uuid, application: Uuid) -> Result<bool, Error> {
    Ok(tx.find_row(HOLDS_ONE, params![company, application], |_| ())?.is_some())
}

/// The scopes of each valid token that an application has for a company, without duplicates.
pub fn scopes_held(tx: &mut Tx<'_>, company: Uuid, application: Uuid) -> Result<Vec<Scopes>, Error> {
    let now = tx.now();
    let held = tx.try_query(HELD, params![company, application, now], |row| {
        Cursor::new(row, "tokens", 0).read_plain::<String>("scopes")
    })?;
    Ok(held.iter().map(|text| Scopes::parse(text)).collect())
}

/// Whether an application has a valid token for a company with a scope.
pub fn holds_scope(tx: &mut Tx<'_>, company: Uuid, application: Uuid, scope: &str) -> Result<bool, Error> {
    Ok(scopes_held(tx, company, application)?.iter().any(|scopes| scopes.contains(scope)))
}

/// Why an application does not reach a company.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unreached {
    /// it is not connected to the company
    NotConnected,
    /// none of its valid tokens for the company has the scope
    MissingScope,
}

/// Why an application with a system token does not reach a company for a scope; `None` if it does.
pub fn unreached_reason(
    tx: &mut Tx<'_>,
    company: Uuid,
    application: Uuid,
    scope: &str,
) -> Result<Option<Unreached>, Error> {
    if !connections::is_open(tx, company, application)? {
        return Ok(Some(Unreached::NotConnected));
    }
    Ok((!holds_scope(tx, company, application, scope)?).then_some(Unreached::MissingScope))
}

/// Whether an application with a system token reaches a company for a scope.
pub fn reaches_company(
    tx: &mut Tx<'_>,
    company: Uuid,
    application: Uuid,
    scope: &str,
) -> Result<bool, Error> {
    Ok(unreached_reason(tx, company, application, scope)?.is_none())
}

/// The application of the caller, for creating something that is later used without a token; `None` for all other callers. A grant stays
/// cached for a moment after its revocation ([`Grant`]): for what outlives that moment, this checks the token under the guard of
/// revocations.
///
/// # Errors
/// "Withdrawn" if the application has no token for the company any more; a store error.
pub fn still_holding(tx: &mut Tx<'_>, caller: &Caller) -> Result<Option<Uuid>, Error> {
    let Actor::Application(application) = caller.actor else { return Ok(None) };
    connections::lock_company_access(tx, caller.company)?;
    if holds_one(tx, caller.company, application)? { Ok(Some(application)) } else { Err(Error::Withdrawn) }
}
