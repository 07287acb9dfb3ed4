//! Partner applications: the clients of the API.
//!
//! An application has a secret, or is a *public client*: one that runs where anyone could read a secret, and that proves with PKCE that it
//! started the authorization. Its redirect URIs are compared character by character.

use jiff::Timestamp;
use rules::{Checks, Violation};
use serde_json::json;
use store::record::Cursor;
use store::{Json, Row, Tx, params};
use subtle::ConstantTimeEq;
use uuid::Uuid;

use crate::access::scope::Scopes;
use crate::access::tokens as auth;
use crate::access::tokens::{NewToken, Token, TokenKind};
use crate::error::Error;
use crate::loopback::is_loopback_host;
use crate::records::parse_id;
use crate::version::ApiVersion;

store::statements! {
    INSERT = "INSERT INTO applications (id, name, secret_hash, redirect_uris, minimum_version, strict, scopes, created_at) \
              VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    FIND = "SELECT id, name, secret_hash, redirect_uris, minimum_version, scopes, disabled_at FROM applications WHERE id = $1";
    AFTER = "SELECT id, name, secret_hash, redirect_uris, minimum_version, scopes, disabled_at FROM applications \
             WHERE id > $1 ORDER BY id LIMIT $2";
    DISABLE = "UPDATE applications SET disabled_at = $1 WHERE id = $2 AND disabled_at IS NULL";
    ENABLE = "UPDATE applications SET disabled_at = NULL WHERE id = $1 AND disabled_at IS NOT NULL";
    DELETE = "DELETE FROM applications WHERE id = $1 AND disabled_at IS NOT NULL";
    SET_SCOPES = "UPDATE applications SET scopes = $1 WHERE id = $2";
    SET_SECRET = "UPDATE applications SET secret_hash = $1 WHERE id = $2";
}

/// Maximum redirect URIs of an application.
const MOST_ADDRESSES: usize = 20;
/// Maximum characters of a redirect URI.
const LONGEST_ADDRESS: usize = 1_000;
/// Maximum characters of a name.
const LONGEST_NAME: usize = 100;

/// The credentials of a new application, shown once.
pub struct Created {
    /// the application, and its OAuth client_id
    pub id: Uuid,
    /// OAuth client_secret; `None` for a public client
    pub secret: Option<Token>,
    /// token for the application's own operations, sent as `Authorization: Token …`; never expires. `None` for a public client
    pub api_token: Option<Token>,
}

store::hidden!(Created);

/// A new application.
#[derive(Debug, Clone)]
pub struct NewApplication {
    /// shown when asking for consent
    pub name: String,
    /// allowed redirect URIs
    pub redirect_uris: Vec<String>,
    /// whether it cannot keep a secret
    pub public: bool,
    /// the maximum scopes of its tokens
    pub scopes: Scopes,
    /// the version of requests that name none
    pub version: ApiVersion,
    /// whether a request with names that are not read is refused, and not only told of them
    pub strict: bool,
}

impl NewApplication {
    /// An application with a secret and all scopes.
    pub fn new(name: &str, redirect_uris: &[&str]) -> Self {
        Self {
            name: name.to_owned(),
            redirect_uris: redirect_uris.iter().map(|uri| (*uri).to_owned()).collect(),
            public: false,
            scopes: Scopes::ALL,
            version: ApiVersion::NEWEST,
            strict: false,
        }
    }

    /// Checks the input.
    ///
    /// # Errors
    /// Every violation.
    pub fn check_input(self) -> Result<Self, Vec<Violation>> {
        let mut checks = Checks::new();
        let mut require = |holds: bool, key: &str, must: &str| {
            checks.require(holds, || Violation::invalid(key, format!("{key} must {must}")));
        };
        let is_named = !self.name.trim().is_empty() && self.name.chars().count() <= LONGEST_NAME;
        require(is_named, "name", &format!("have 1 to {LONGEST_NAME} characters"));
        let few = self.redirect_uris.len() <= MOST_ADDRESSES;
        require(few, "redirect_uris", &format!("have at most {MOST_ADDRESSES} items"));
        require(self.scopes != Scopes::parse(""), "scopes", "name at least one scope");
        let leads_back = !(self.public && self.redirect_uris.is_empty());
        require(leads_back, "redirect_uris", "be given for a public client, which cannot sign in otherwise");
        for (place, uri) in self.redirect_uris.iter().take(MOST_ADDRESSES).enumerate() {
            if let Err(why) = redirect_uri(uri, self.public) {
                checks.push(Violation::invalid(
                    "redirect_uris",
                    format!("redirect_uris (item {}) {why}", place + 1),
                ));
            }
        }
        checks.finish()?;
        Ok(self)
    }
}

/// Checks whether a redirect URI may be registered: https, http on localhost, or for a public client a private-use scheme with a dot in it (RFC
/// 8252, section 7.1). No fragment, no wildcard (specification, Authentication 3), no user name.
fn redirect_uri(uri: &str, public: bool) -> Result<(), String> {
    let refuse = |why: &str| Err(format!("must not be {uri}: {why}"));
    if uri.len() > LONGEST_ADDRESS {
        return refuse("it is too long");
    }
    if !uri.bytes().all(|b| b.is_ascii_graphic()) || uri.contains(['\\', '"', '<', '>', '\'', ';', ',']) {
        return refuse("it contains characters that must be percent-encoded in a URL");
    }
    if uri.contains('#') || uri.contains('*') {
        return refuse("fragments and wildcards are not allowed");
    }
    let Some((scheme, rest)) = uri.split_once(':') else { return refuse("it has no scheme") };
    let authority =
        rest.strip_prefix("//").and_then(|rest| rest.split(['/', '?']).next()).unwrap_or_default();
    let host = authority.rsplit_once(':').map_or(authority, |(host, _)| host);
    if authority.contains('@') {
        return refuse("it contains a user name");
    }
    match scheme {
        "https" if !host.is_empty() => Ok(()),
        "http" if is_loopback_host(authority) => Ok(()),
        "http" => refuse("http is allowed only for localhost; use https"),
        own if public && own.contains('.') && own.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'.') => {
            Ok(())
        }
        _ => refuse(
            "it must begin with https://, or for a public client with a scheme such as com.example.app:",
        ),
    }
}

/// Creates an application.
pub fn create_application(tx: &mut Tx<'_>, new: &NewApplication) -> Result<Created, Error> {
    let (id, now) = (tx.new_id(), tx.now());
    let secret = (!new.public).then(|| Token::new(tx));
    let hash: &[u8] = secret.as_ref().map_or(&[], |secret| &secret.hash);
    let uris = json!(new.redirect_uris).to_string();
    let scopes = new.scopes.to_text();
    tx.insert_row(
        INSERT,
        params![id, &new.name, hash, Json(&uris), new.version.as_str(), new.strict, &scopes, now],
    )?;
    let api_token = if new.public { None } else { Some(issue_api_token(tx, id, &scopes)?) };
    Ok(Created { id, secret, api_token })
}

fn issue_api_token(tx: &mut Tx<'_>, application: Uuid, scopes: &str) -> Result<Token, Error> {
    let (kind, company, user, expires_at) = (TokenKind::Api, None, None, None);
    auth::issue_token(tx, &NewToken { kind, application, company, user, scopes, expires_at })
}

/// Gives an application a new secret and a new API token. The previous ones end at once; company tokens and system tokens remain valid.
///
/// # Errors
/// "Not found"; a violation for a public client, which has no secret; a store error.
pub fn rotate_secret(tx: &mut Tx<'_>, id: Uuid) -> Result<Created, Error> {
    let known = tx.try_find(FIND, params![id], read_application)?.ok_or(Error::NotFound)?;
    if known.is_public() {
        return Err(
            Violation::invalid_operation("The application is a public client: it has no secret.").into()
        );
    }
    let secret = Token::new(tx);
    assert!(tx.change_rows(SET_SECRET, params![&secret.hash, id])?.is_one(), "it was read in this unit");
    auth::revoke_kind(tx, id, TokenKind::Api)?;
    let api_token = issue_api_token(tx, id, &known.scopes.to_text())?;
    Ok(Created { id, secret: Some(secret), api_token: Some(api_token) })
}

/// Sets the scopes of an application, the maximum of tokens that it is issued from now on.
pub fn set_scopes(tx: &mut Tx<'_>, id: Uuid, scopes: Scopes) -> Result<(), Error> {
    assert!(tx.change_rows(SET_SCOPES, params![&scopes.to_text(), id])?.is_one(), "it was read in this unit");
    Ok(())
}

/// Disables or enables an application; returns whether that changed anything.
pub fn set_disabled(tx: &mut Tx<'_>, id: Uuid, disabled: bool) -> Result<bool, Error> {
    let now = tx.now();
    let changed = if disabled {
        tx.change_rows(DISABLE, params![now, id])?
    } else {
        tx.change_rows(ENABLE, params![id])?
    };
    Ok(changed.is_one())
}

/// Deletes a disabled application; returns whether there was one.
pub fn delete_application(tx: &mut Tx<'_>, id: Uuid) -> Result<bool, Error> {
    Ok(tx.change_rows(DELETE, params![id])?.is_one())
}

/// An application, as the authorization server knows it.
#[derive(Debug, Clone)]
pub struct Application {
    /// id, and OAuth client_id
    pub id: Uuid,
    /// shown when asking for consent
    pub name: String,
    /// allowed redirect URIs
    pub redirect_uris: Vec<String>,
    /// the version of requests that name none
    pub version: ApiVersion,
    /// the maximum scopes of its tokens
    pub scopes: Scopes,
    /// when the operator disabled it
    pub disabled_at: Option<Timestamp>,
    secret_hash: Vec<u8>,
}

impl Application {
    /// Whether it cannot keep a secret.
    pub fn is_public(&self) -> bool {
        self.secret_hash.is_empty()
    }

    /// Whether this is its secret; hashes are compared in constant time.
    pub fn has_secret(&self, text: &str) -> bool {
        self.secret_hash.ct_eq(&Token::hash_of(text)).into()
    }
}

fn read_application(row: &Row<'_>) -> Result<Application, store::Error> {
    let mut next = Cursor::new(row, "applications", 0);
    Ok(Application {
        id: next.read_plain("id")?,
        name: next.read_plain("name")?,
        secret_hash: next.read_plain("secret_hash")?,
        redirect_uris: next.read_json("redirect_uris")?,
        version: next.read_text("minimum_version", ApiVersion::parse)?,
        scopes: Scopes::parse(next.read_plain("scopes")?),
        disabled_at: next.read_plain("disabled_at")?,
    })
}

/// The application with this client_id, if any.
pub fn find_application(tx: &mut Tx<'_>, client_id: &str) -> Result<Option<Application>, Error> {
    let Some(id) = parse_id(client_id) else { return Ok(None) };
    Ok(tx.try_find(FIND, params![id], read_application)?)
}

/// Applications by id, after a cursor.
pub fn applications_after(tx: &mut Tx<'_>, id: Uuid, most: i64) -> Result<Vec<Application>, Error> {
    Ok(tx.try_query(AFTER, params![id, most], read_application)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_wrong_with_a_new_application_is_told_by_field() {
        let mut wrong = NewApplication::new(" ", &["https://pos.example/callback", "http://pos.example/"]);
        wrong.scopes = Scopes::parse("");
        let told = wrong.check_input().unwrap_err();
        let keys: Vec<&str> = told.iter().map(|one| &*one.key).collect();
        assert_eq!(keys, ["name", "scopes", "redirect_uris"]);
        assert!(
            told[2].message.starts_with("redirect_uris (item 2) must not be http://pos.example/: "),
            "{told:?}"
        );
        let public = NewApplication { public: true, ..NewApplication::new("Till", &[]) };
        assert_eq!(public.check_input().unwrap_err()[0].key, "redirect_uris");
        assert!(NewApplication::new("Till", &["https://pos.example/callback"]).check_input().is_ok());
    }

    #[test]
    fn only_addresses_that_can_be_compared_and_belong_to_somebody_are_registered() {
        for good in [
            "https://pos.example/callback",
            "https://pos.example:8443/a?tenant=7",
            "http://127.0.0.1:8765/callback",
            "http://[::1]:8765/callback",
            "http://[::1]/callback",
            "http://localhost/callback",
        ] {
            assert_eq!(redirect_uri(good, false), Ok(()), "{good}");
        }
        for wrong in [
            "",
            "pos.example/callback",
            "http://pos.example/callback",
            "http://localhost.evil.example/callback",
            "https://",
            "https://*.pos.example/callback",
            "https://pos.example/callback#top",
            "https://ann@pos.example/callback",
            "https://pos.example/a b",
            "https://pos.example/ä",
            "javascript:alert(1)",
            "data:text/html,x",
            "com.example.app:/callback",
            "https://pos.example/\"><script>",
            "https://pos.example;script-src/x",
        ] {
            assert!(redirect_uri(wrong, false).is_err(), "{wrong}");
        }
        assert_eq!(redirect_uri("com.example.app:/callback", true), Ok(()));
        assert!(redirect_uri("javascript:alert(1)", true).is_err());
    }
}
