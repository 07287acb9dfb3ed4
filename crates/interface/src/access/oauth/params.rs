//! Parameters of OAuth requests, and the client and the grant that they name.
//!
//! A repeated parameter is refused: which of the two counts would depend on the reader. A parameter without a value is
//! treated as omitted (RFC 6749, section 3.1).

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::field;
use domain::Error;
use domain::access::oauth::codes::Presented;
use domain::access::oauth::exchange::{Client, Grant};
use domain::access::oauth::reasons::Reason;
use domain::access::oauth::refusal::Refusal;

/// Maximum parameters of a request.
const MOST: usize = 40;
/// Maximum bytes of a value.
const LONGEST: usize = 4_096;

/// The parameters of a request.
#[derive(Default, Clone)]
pub struct Params(BTreeMap<String, String>);

store::hidden!(Params);

impl Params {
    /// Reads a query or the body of a form.
    ///
    /// # Errors
    /// `invalid_request` for a parameter that is given twice, is too long, or holds a NUL character.
    pub fn of_form(text: &[u8]) -> Result<Self, Refusal> {
        let mut read = Self::default();
        for (name, value) in form_urlencoded::parse(text) {
            read.add_param(name.into_owned(), value.into_owned())?;
        }
        Ok(read)
    }

    /// Reads a JSON object of strings; null is treated as omitted.
    ///
    /// # Errors
    /// `invalid_request` for anything else, and as for a form.
    pub fn of_json(body: &[u8]) -> Result<Self, Refusal> {
        let object = field::read_body::<Map<String, Value>>(body);
        let object = object.map_err(|error| match error {
            Error::Unreadable(why) => Refusal::invalid_request(why),
            _ => Refusal::invalid_request("The body cannot be read."),
        })?;
        let mut read = Self::default();
        for (name, value) in object {
            match value {
                Value::Null => {}
                Value::String(text) => read.add_param(name, text)?,
                _ => {
                    return Err(Refusal::invalid_request(format!("{} must be text.", printable_name(&name))));
                }
            }
        }
        Ok(read)
    }

    fn add_param(&mut self, name: String, value: String) -> Result<(), Refusal> {
        if value.len() > LONGEST || name.len() > LONGEST || self.0.len() >= MOST {
            return Err(Refusal::invalid_request(
                "The request has too many parameters, or one that is too long.",
            ));
        }
        let shown = printable_name(&name);
        // No database server accepts it in text.
        if name.contains('\0') || value.contains('\0') {
            return Err(Refusal::invalid_request(format!("{shown} contains a NUL character.")));
        }
        match self.0.insert(name, value) {
            None => Ok(()),
            Some(_) => Err(Refusal::invalid_request(format!("{shown} is sent more than once."))),
        }
    }

    /// The value of a parameter; `None` if it is empty.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// All parameters, by name.
    pub fn all(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The value of a parameter that must be there.
    ///
    /// # Errors
    /// `invalid_request` that names it.
    pub fn required_value(&self, name: &str) -> Result<&str, Refusal> {
        self.get(name).ok_or_else(|| Refusal::invalid_request(format!("{name} is missing.")))
    }
}

/// A name that a caller chose, shortened and with unusual characters removed, to quote in a message.
fn printable_name(name: &str) -> String {
    let shown: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').take(40).collect();
    if shown.is_empty() { "A parameter".to_owned() } else { shown }
}

/// The credentials of a client: by HTTP Basic or in the body, not both (RFC 6749, section 2.3).
///
/// # Errors
/// `invalid_request` or `invalid_client`.
pub fn client_credentials(basic: Option<(String, String)>, params: &Params) -> Result<Client, Refusal> {
    let (id, secret) = (params.get("client_id"), params.get("client_secret"));
    match basic {
        Some(_) if secret.is_some() => Err(Refusal::invalid_request(
            "The client authenticates twice: with HTTP Basic and with client_secret. Use one of them.",
        )),
        Some((named, _)) if id.is_some_and(|id| id != named) => {
            Err(Refusal::invalid_request("client_id differs from the client in HTTP Basic."))
        }
        Some((id, secret)) => Ok(Client { id, secret: Some(secret).filter(|secret| !secret.is_empty()) }),
        None => match id {
            Some(id) => Ok(Client { id: id.to_owned(), secret: secret.map(str::to_owned) }),
            None => Err(Refusal::invalid_request("client_id is missing.")),
        },
    }
}

/// The grant that a request presents.
///
/// # Errors
/// `invalid_request` or `unsupported_grant_type`.
pub fn requested_grant(params: &Params) -> Result<Grant, Refusal> {
    match params.required_value("grant_type")? {
        "authorization_code" => Ok(Grant::Code(Presented {
            code: params.required_value("code")?.to_owned(),
            redirect_uri: params.required_value("redirect_uri")?.to_owned(),
            verifier: params.get("code_verifier").map(str::to_owned),
        })),
        "refresh_token" => Ok(Grant::Refresh {
            token: params.required_value("refresh_token")?.into(),
            scope: params.get("scope").map(str::to_owned),
        }),
        "system_access" => Ok(Grant::System),
        _ => Err(Refusal::new(
            Reason::UnsupportedGrantType,
            "grant_type must be authorization_code, refresh_token or system_access.",
        )),
    }
}
