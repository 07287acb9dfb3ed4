//! Tokens on the wire.

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

/// A request to the token endpoint, as JSON or as a form. The client may also authenticate with HTTP Basic.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body, which is read as parameters from JSON or a form")]
pub struct TokenRequest {
    /// `authorization_code`, `refresh_token` or `system_access`
    #[schema(max_length = 4_096)]
    grant_type: String,
    /// the application
    #[schema(max_length = 4_096)]
    client_id: String,
    /// omitted by a public client
    #[schema(max_length = 4_096)]
    client_secret: Option<String>,
    /// with `authorization_code`: the code, at most ten minutes old
    #[schema(max_length = 4_096)]
    code: Option<String>,
    /// with `authorization_code`: the redirect URI to which the code was sent
    #[schema(max_length = 4_096)]
    redirect_uri: Option<String>,
    /// with `authorization_code`, if the code was requested with a `code_challenge`
    #[schema(max_length = 4_096)]
    code_verifier: Option<String>,
    /// with `refresh_token`: the token
    #[schema(max_length = 4_096)]
    refresh_token: Option<String>,
    /// with `refresh_token`: scopes of the new access token, among those of the refresh token; omitted, all of them
    #[schema(max_length = 4_096)]
    scope: Option<String>,
}

store::hidden!(TokenRequest);

/// Tokens.
#[derive(Serialize, ToSchema)]
pub struct TokenAnswer {
    /// sent as `Authorization: Bearer …`
    pub access_token: String,
    /// `Bearer`
    pub token_type: &'static str,
    /// seconds until the access token expires
    pub expires_in: i64,
    /// Unix seconds; text in version 2024-04-01
    #[schema(value_type = i64)]
    pub created_at: Value,
    /// gets the next pair; omitted for `system_access`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refresh_token: Option<String>,
    /// scopes, separated by spaces
    pub scope: String,
}

store::hidden!(TokenAnswer);

/// Why the authorization server refused the request (RFC 6749, section 5.2).
#[derive(Debug, Serialize, ToSchema)]
pub struct TokenRefusal {
    /// such as `invalid_grant`
    pub error: &'static str,
    /// human-readable text
    pub error_description: String,
    /// URL of the explanation
    pub error_uri: String,
}

/// A request to the revocation endpoint.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body; it is read as parameters, from JSON or a form")]
pub struct RevokeRequest {
    /// an access token, or a refresh token, which is revoked together with every token of the same consent
    #[schema(max_length = 4_096)]
    token: String,
    /// ignored: tokens are found without it
    #[schema(max_length = 4_096)]
    token_type_hint: Option<String>,
    /// the application
    #[schema(max_length = 4_096)]
    client_id: String,
    /// omitted by a public client
    #[schema(max_length = 4_096)]
    client_secret: Option<String>,
}

store::hidden!(RevokeRequest);

/// What the presented token gives access to.
#[derive(Debug, Serialize, ToSchema)]
pub struct TokenInfo {
    /// scopes, separated by spaces
    pub scope: String,
    /// the company or application to which it gives access
    pub resource: TokenResource,
    /// who consented; null for an application's own token
    pub resource_owner: Option<TokenResource>,
}

/// A company, application or user that a token refers to.
#[derive(Debug, Serialize, ToSchema)]
pub struct TokenResource {
    /// `Company` or `Oauth::Application`; for an owner `CompanyAdmin`
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// identifier
    pub uuid: Uuid,
}
