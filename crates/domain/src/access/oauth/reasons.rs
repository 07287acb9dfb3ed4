//! Every reason for which the authorization server refuses, as RFC 6749 names them, with its cause and what to do about
//! it: the list from which answers take the name, and from which `/docs/errors` explains it.

use rules::Named;
use strum::{EnumString, IntoStaticStr, VariantArray};

/// A reason of a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum Reason {
    /// a parameter is missing or wrong
    #[strum(serialize = "invalid_request")]
    InvalidRequest,
    /// the application is not known, or not proved
    #[strum(serialize = "invalid_client")]
    InvalidClient,
    /// the code or refresh token does not count
    #[strum(serialize = "invalid_grant")]
    InvalidGrant,
    /// the application may not do this
    #[strum(serialize = "unauthorized_client")]
    UnauthorizedClient,
    /// there is no such way to tokens
    #[strum(serialize = "unsupported_grant_type")]
    UnsupportedGrantType,
    /// a scope that cannot be had
    #[strum(serialize = "invalid_scope")]
    InvalidScope,
    /// too many requests
    #[strum(serialize = "temporarily_unavailable")]
    TemporarilyUnavailable,
    /// the administrator said no
    #[strum(serialize = "access_denied")]
    AccessDenied,
    /// only codes are given
    #[strum(serialize = "unsupported_response_type")]
    UnsupportedResponseType,
}

impl Reason {
    /// Its place on the page of errors.
    pub fn place(self) -> String {
        format!("oauth_{}", self.as_str())
    }

    /// Why it is answered, and what the caller can do about it.
    pub const fn explained(self) -> (&'static str, &'static str) {
        match self {
            Self::InvalidRequest => (
                "A parameter is missing, is given twice, or has a value that it cannot have.",
                "error_description names the parameter. Parameters of the token endpoint belong into the body, as a form or as JSON.",
            ),
            Self::InvalidClient => (
                "There is no such client_id, or the client_secret is not its own.",
                "Send client_id and client_secret in the body, or by HTTP Basic, and not both ways. A public client sends no secret.",
            ),
            Self::InvalidGrant => (
                "The code or the refresh token is unknown, older than it may be, used already or revoked; or it was given to another \
                 client, or for another redirect_uri or code_challenge.",
                "A code is good once, for ten minutes, with the redirect_uri that it was asked for with. When a refresh token counts no \
                 more, the administrator has to authorize again. Under stipend dev the answer says which part it was.",
            ),
            Self::UnauthorizedClient => (
                "The application is not one that gets tokens in this way: a public client has no token of its own.",
                "Use the code flow with a code_challenge.",
            ),
            Self::UnsupportedGrantType => (
                "grant_type is none of authorization_code, refresh_token and system_access.",
                "Send one of them. The application's own token is got with system_access.",
            ),
            Self::InvalidScope => (
                "scope names something that the application may not ask for, or other scopes than the refresh token was given for.",
                "Leave scope out, or name some of the scopes that the application was created with.",
            ),
            Self::TemporarilyUnavailable => (
                "Too many requests came to the token endpoint from this address (429).",
                "Wait for the seconds of the Retry-After header. A token can be used until it ends: there is no need to get one for each \
                 request.",
            ),
            Self::AccessDenied => (
                "The administrator did not agree to connect the company. It comes to the redirect_uri.",
                "Say what the connection is for, and offer it again.",
            ),
            Self::UnsupportedResponseType => (
                "response_type of the authorization request is not code. It comes to the redirect_uri.",
                "Send response_type=code.",
            ),
        }
    }
}
