//! Refusals of the authorization server.

use super::reasons::Reason;

/// Why the authorization server refuses (RFC 6749, section 5.2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// why
    pub reason: Reason,
    /// shown to everybody
    pub description: String,
    /// which part did not match: shown under `stipend dev` only
    pub detail: Option<String>,
    /// seconds after which the same request may be served
    pub wait: Option<u64>,
}

impl Refusal {
    /// A refusal without detail.
    pub fn new(reason: Reason, description: impl Into<String>) -> Self {
        Self { reason, description: description.into(), detail: None, wait: None }
    }

    /// `invalid_request`: says nothing but what the caller sent.
    pub fn request(description: impl Into<String>) -> Self {
        Self::new(Reason::InvalidRequest, description)
    }

    /// `invalid_client`
    pub fn client(detail: impl Into<String>) -> Self {
        let description = "The client is not known, or its credentials are not right.";
        Self { detail: Some(detail.into()), ..Self::new(Reason::InvalidClient, description) }
    }

    /// `invalid_grant`
    pub fn grant(detail: impl Into<String>) -> Self {
        let description = "The code or token is unknown, expired, used or revoked, or was not given to this client \
                    with this redirect_uri.";
        Self { detail: Some(detail.into()), ..Self::new(Reason::InvalidGrant, description) }
    }

    /// `temporarily_unavailable`, with the seconds to wait. No publication names an error for this; the status says it.
    pub fn too_many(wait: u64) -> Self {
        let description = "Too many requests come from this address; try again later.";
        Self { wait: Some(wait), ..Self::new(Reason::TemporarilyUnavailable, description) }
    }

    /// The description, with the detail where a developer reads it.
    pub fn description_for(&self, dev: bool) -> String {
        match &self.detail {
            Some(detail) if dev => format!("{} ({detail})", self.description),
            _ => self.description.clone(),
        }
    }
}
