//! Every error code of the authorization server, as named in RFC 6749, with its cause and remedy: responses take the code from this list,
//! and `/docs/errors` explains it.

use rules::Named;
use strum::{EnumString, IntoStaticStr, VariantArray};

/// A reason of a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum Reason {
    /// a parameter is missing or invalid
    #[strum(serialize = "invalid_request")]
    InvalidRequest,
    /// the application is unknown, or not authenticated
    #[strum(serialize = "invalid_client")]
    InvalidClient,
    /// the code or refresh token is not valid
    #[strum(serialize = "invalid_grant")]
    InvalidGrant,
    /// the application may not do this
    #[strum(serialize = "unauthorized_client")]
    UnauthorizedClient,
    /// unsupported grant type
    #[strum(serialize = "unsupported_grant_type")]
    UnsupportedGrantType,
    /// a scope that cannot be granted
    #[strum(serialize = "invalid_scope")]
    InvalidScope,
    /// too many requests
    #[strum(serialize = "temporarily_unavailable")]
    TemporarilyUnavailable,
    /// the administrator declined
    #[strum(serialize = "access_denied")]
    AccessDenied,
    /// only codes are issued
    #[strum(serialize = "unsupported_response_type")]
    UnsupportedResponseType,
}

impl Reason {
    /// Its anchor on the page of errors.
    pub fn page_anchor(self) -> String {
        format!("oauth_{}", self.as_str())
    }

    /// The cause, and what the caller can do about it.
    pub const fn cause_and_remedy(self) -> (&'static str, &'static str) {
        match self {
            Self::InvalidRequest => (
                "A parameter is missing, is given twice, or is invalid.",
                "error_description names the parameter. Send the parameters of the token endpoint in the body, as a form or as JSON.",
            ),
            Self::InvalidClient => (
                "The client_id does not exist, or the client_secret does not match it.",
                "Send client_id and client_secret either in the body or by HTTP Basic, not both. A public client sends no secret.",
            ),
            Self::InvalidGrant => (
                "The code or the refresh token is unknown, expired, already used or revoked; or it was issued to another \
                 client, or for another redirect_uri or code_challenge.",
                "A code is valid once, for ten minutes, with the redirect_uri that it was requested with. A refresh token is replaced at each use, \
                 and expires after 100 days without one. If it is no longer valid, the administrator has to authorize again. Under stipend dev the response says what did not match.",
            ),
            Self::UnauthorizedClient => (
                "This application cannot use this grant type: a public client has no token of its own.",
                "Use the code flow with a code_challenge.",
            ),
            Self::UnsupportedGrantType => (
                "grant_type is not authorization_code, refresh_token or system_access.",
                "Send one of them. Use system_access for the application's own token.",
            ),
            Self::InvalidScope => (
                "scope contains a scope that the application, or on a refresh the refresh token, does not have.",
                "Omit scope, or send scopes that the application has; on a refresh, scopes of the refresh token.",
            ),
            Self::TemporarilyUnavailable => (
                "The token endpoint received too many requests from this IP address (429).",
                "Wait for the seconds in Retry-After. A token can be used until it expires: there is no need to get one for each \
                 request.",
            ),
            Self::AccessDenied => (
                "The administrator declined to connect the company. This is sent to the redirect_uri.",
                "Explain what the connection is for, and offer it again.",
            ),
            Self::UnsupportedResponseType => (
                "response_type of the authorization request is not code. This is sent to the redirect_uri.",
                "Send response_type=code.",
            ),
        }
    }
}
