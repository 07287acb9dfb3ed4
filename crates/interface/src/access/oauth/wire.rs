//! Tokens on the wire.

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

/// What a client asks of the token endpoint, as JSON or as a form. The client may also name itself by HTTP Basic.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body; it is read as parameters, from JSON or a form")]
pub struct TokenRequest {
    /// `authorization_code`, `refresh_token` or `system_access`
    grant_type: String,
    /// the application
    client_id: String,
    /// left out by a public client
    client_secret: Option<String>,
    /// with `authorization_code`: the code, ten minutes old at most
    code: Option<String>,
    /// with `authorization_code`: where the code was sent to
    redirect_uri: Option<String>,
    /// with `authorization_code`, when the code was asked for with a `code_challenge`
    code_verifier: Option<String>,
    /// with `refresh_token`: the token
    refresh_token: Option<String>,
}

store::hidden!(TokenRequest);

/// Tokens.
#[derive(Serialize, ToSchema)]
pub struct TokenAnswer {
    /// sent as `Authorization: Bearer …`
    pub access_token: String,
    /// `Bearer`
    pub token_type: &'static str,
    /// seconds until the access token ends
    pub expires_in: i64,
    /// Unix seconds; text in version 2024-04-01
    #[schema(value_type = i64)]
    pub created_at: Value,
    /// gets the next pair; left out for `system_access`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refresh_token: Option<String>,
    /// scopes, separated by spaces
    pub scope: String,
}

store::hidden!(TokenAnswer);

/// Why the authorization server refuses (RFC 6749, section 5.2).
#[derive(Debug, Serialize, ToSchema)]
pub struct TokenRefusal {
    /// such as `invalid_grant`
    pub error: &'static str,
    /// for people
    pub error_description: String,
    /// where it is explained
    pub error_uri: String,
}

/// What a client asks of the revocation endpoint.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body; it is read as parameters, from JSON or a form")]
pub struct RevokeRequest {
    /// an access token, or a refresh token, which ends with all that goes back to the same consent
    token: String,
    /// ignored: tokens are found without it
    token_type_hint: Option<String>,
    /// the application
    client_id: String,
    /// left out by a public client
    client_secret: Option<String>,
}

store::hidden!(RevokeRequest);

/// What the presented token is good for.
#[derive(Debug, Serialize, ToSchema)]
pub struct TokenInfo {
    /// scopes, separated by spaces
    pub scope: String,
    /// what it reaches
    pub resource: TokenResource,
    /// who consented; null for a token of an application
    pub resource_owner: Option<TokenResource>,
}

/// Something that a token speaks of.
#[derive(Debug, Serialize, ToSchema)]
pub struct TokenResource {
    /// `Company` or `Oauth::Application`; of an owner `CompanyAdmin`
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// identifier
    pub uuid: Uuid,
}
