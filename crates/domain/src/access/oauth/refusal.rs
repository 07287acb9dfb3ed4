//! Errors of the authorization server.

use super::reasons::Reason;

/// An OAuth error response (RFC 6749, section 5.2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// the error code
    pub reason: Reason,
    /// shown to everyone
    pub description: String,
    /// what did not match: shown only under `stipend dev`
    pub detail: Option<String>,
    /// seconds after which the request may be retried
    pub wait: Option<u64>,
    /// how many tokens were revoked because of the request
    pub revoked: u64,
}

impl Refusal {
    /// A refusal without detail.
    pub fn new(reason: Reason, description: impl Into<String>) -> Self {
        Self { reason, description: description.into(), detail: None, wait: None, revoked: 0 }
    }

    /// `invalid_request`, about what the caller sent.
    pub fn invalid_request(description: impl Into<String>) -> Self {
        Self::new(Reason::InvalidRequest, description)
    }

    /// `invalid_client`
    pub fn invalid_client(detail: impl Into<String>) -> Self {
        let description = "The client is unknown, or its credentials are wrong.";
        Self { detail: Some(detail.into()), ..Self::new(Reason::InvalidClient, description) }
    }

    /// `invalid_grant`
    pub fn invalid_grant(detail: impl Into<String>) -> Self {
        let description = "The code or token is unknown, expired, used or revoked, or was not issued to this client \
                    with this redirect_uri.";
        Self { detail: Some(detail.into()), ..Self::new(Reason::InvalidGrant, description) }
    }

    /// `temporarily_unavailable`, with the seconds to wait. No RFC defines an error for this; the status code says it.
    pub fn too_many(wait: u64) -> Self {
        let description = "Too many requests from this IP address; try again later.";
        Self { wait: Some(wait), ..Self::new(Reason::TemporarilyUnavailable, description) }
    }

    /// The description, with the detail where developers read it.
    pub fn description_for(&self, dev: bool) -> String {
        match &self.detail {
            Some(detail) if dev => format!("{} ({detail})", self.description),
            _ => self.description.clone(),
        }
    }
}
