//! Parameters of OAuth requests, and refusals in the form that OAuth clients read.
//!
//! A parameter that is given twice is refused: which one counts would depend on who reads. One without a value counts
//! as left out (RFC 6749, section 3.1).

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::reasons::Reason;
use crate::error::Error;
use crate::field;

/// Parameters of a request at the most.
const MOST: usize = 40;
/// Bytes of a value at the most.
const LONGEST: usize = 4_096;

/// The parameters of a request.
#[derive(Default, Clone)]
pub struct Params(BTreeMap<String, String>);

impl std::fmt::Debug for Params {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Params({:?})", self.0.keys())
    }
}

impl Params {
    /// Reads a query or the body of a form.
    ///
    /// # Errors
    /// `invalid_request` for a parameter that is given twice or is too long.
    pub fn of_form(text: &[u8]) -> Result<Self, Refusal> {
        let mut read = Self::default();
        for (name, value) in form_urlencoded::parse(text) {
            read.add(name.into_owned(), value.into_owned())?;
        }
        Ok(read)
    }

    /// Reads a JSON object of texts; null counts as left out.
    ///
    /// # Errors
    /// `invalid_request` for anything else, and as for a form.
    pub fn of_json(body: &[u8]) -> Result<Self, Refusal> {
        let object = field::read_body::<Map<String, Value>>(body);
        let object = object.map_err(|error| match error {
            Error::Unreadable(why) => Refusal::request(why),
            _ => Refusal::request("The body cannot be read."),
        })?;
        let mut read = Self::default();
        for (name, value) in object {
            match value {
                Value::Null => {}
                Value::String(text) => read.add(name, text)?,
                _ => return Err(Refusal::request(format!("{} must be text.", shown(&name)))),
            }
        }
        Ok(read)
    }

    fn add(&mut self, name: String, value: String) -> Result<(), Refusal> {
        if value.len() > LONGEST || name.len() > LONGEST || self.0.len() >= MOST {
            return Err(Refusal::request("The request has too many parameters, or too long ones."));
        }
        let shown = shown(&name);
        match self.0.insert(name, value) {
            None => Ok(()),
            Some(_) => Err(Refusal::request(format!("{shown} is given more than once."))),
        }
    }

    /// The value of a parameter; none where it is empty.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// The value of a parameter that must be there.
    ///
    /// # Errors
    /// `invalid_request` that names it.
    pub fn need(&self, name: &str) -> Result<&str, Refusal> {
        self.get(name).ok_or_else(|| Refusal::request(format!("{name} is missing.")))
    }
}

/// A name that a caller chose, short and without anything that could be mistaken.
fn shown(name: &str) -> String {
    let shown: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').take(40).collect();
    if shown.is_empty() { "A parameter".to_owned() } else { shown }
}

/// Why the authorization server refuses (RFC 6749, section 5.2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// why
    pub reason: Reason,
    /// told to everybody
    pub description: String,
    /// which part mismatched: told under `stipend dev` alone
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
        let told = "The client is not known, or its credentials are not right.";
        Self { detail: Some(detail.into()), ..Self::new(Reason::InvalidClient, told) }
    }

    /// `invalid_grant`
    pub fn grant(detail: impl Into<String>) -> Self {
        let told = "The code or token is unknown, expired, used or revoked, or was not given to this client \
                    with this redirect_uri.";
        Self { detail: Some(detail.into()), ..Self::new(Reason::InvalidGrant, told) }
    }

    /// `temporarily_unavailable`, with the seconds to wait. No publication names an error for this; the status says it.
    pub fn too_many(wait: u64) -> Self {
        let told = "Too many requests come from this address; try again later.";
        Self { wait: Some(wait), ..Self::new(Reason::TemporarilyUnavailable, told) }
    }

    /// The description, with the detail where a developer reads it.
    pub fn told(&self, dev: bool) -> String {
        match &self.detail {
            Some(detail) if dev => format!("{} ({detail})", self.description),
            _ => self.description.clone(),
        }
    }
}
