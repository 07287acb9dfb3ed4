//! Partner applications: who may call the service at all.

use serde_json::json;
use store::{Json, Tx, params};
use uuid::Uuid;

use crate::auth::{self, Kind, NewToken, Token};
use crate::error::Error;
use crate::scope::Scopes;
use crate::version::ApiVersion;

store::statements! {
    INSERT = "INSERT INTO applications (id, name, secret_hash, redirect_uris, minimum_version, scopes, created_at) \
              VALUES ($1, $2, $3, $4, $5, $6, $7)";
}

/// What the developer of an application is told, once.
#[derive(Debug)]
pub struct Created {
    /// the application, and its OAuth client_id
    pub id: Uuid,
    /// OAuth client_secret
    pub secret: Token,
    /// token for the application's own operations, sent as `Authorization: Token …`; never expires
    pub api_token: Token,
}

/// Creates an application with every scope.
///
/// # Errors
/// A store error.
pub fn create(tx: &mut Tx<'_>, name: &str, redirect_uris: &[String]) -> Result<Created, Error> {
    let (id, now) = (tx.new_id(), tx.now());
    let secret = Token::new(tx);
    let uris = json!(redirect_uris).to_string();
    let scopes = Scopes::ALL.to_text();
    let version = ApiVersion::DEFAULT.as_str();
    tx.insert(INSERT, params![id, name, &secret.hash, Json(&uris), version, &scopes, now])?;
    let new = NewToken {
        kind: Kind::Api,
        application: id,
        company: None,
        user: None,
        scopes: &scopes,
        lifetime: None,
    };
    let api_token = auth::issue(tx, &new)?;
    Ok(Created { id, secret, api_token })
}
