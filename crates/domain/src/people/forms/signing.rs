//! A signature as it is sent: the typed name, the consent, where the signer was, and who helped with Form I-9.

use std::net::IpAddr;

use rules::{Category, Checks, Violation, check};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use utoipa::openapi::{RefOr, Schema};

use super::content::Kind;
use super::document::{Line, Section};
use crate::company::locations::fields::{line, optional_line, state, zip};
use crate::field::{Field, Wire};
use crate::people::forms::shapes::SignForm;

/// Characters of a signature at the most.
const LONGEST: usize = 255;

/// A signature that was read.
pub struct Signing {
    /// the legal name as it was typed
    pub text: String,
    /// where the signer was said to be
    pub ip: IpAddr,
    /// who helped
    pub preparers: Vec<Preparer>,
}

/// Somebody who helped to fill Form I-9 in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Preparer {
    first_name: String,
    last_name: String,
    street_1: String,
    street_2: Option<String>,
    city: String,
    state: String,
    zip: String,
}

/// A consent: true, or the text "true", which existing clients send for a preparer.
#[derive(Debug, Clone, Copy, ToSchema)]
#[schema(value_type = bool)]
pub struct Agreed(pub bool);

impl Wire for Agreed {
    const EXPECTED: &'static str = "true or false";
    fn from_json(value: Value) -> Option<Self> {
        match value {
            Value::Bool(agreed) => Some(Self(agreed)),
            Value::String(text) => text.parse().ok().map(Self),
            _ => None,
        }
    }
    fn schema() -> RefOr<Schema> {
        <bool as Wire>::schema()
    }
}

/// The fields of one preparer, as they were sent.
pub struct PreparerFields<'a> {
    /// what its fields begin with, such as `preparer2`
    pub prefix: &'static str,
    /// whether there is one
    pub used: &'a Field<bool>,
    /// first name
    pub first_name: &'a Field<String>,
    /// last name
    pub last_name: &'a Field<String>,
    /// house number and street
    pub street_1: &'a Field<String>,
    /// second address line
    pub street_2: &'a Field<String>,
    /// city
    pub city: &'a Field<String>,
    /// two letters
    pub state: &'a Field<String>,
    /// ZIP code
    pub zip: &'a Field<String>,
    /// the preparer's consent
    pub agree: &'a Field<Agreed>,
}

/// Reads a signature; `header` is the signer's address as a header says it, for a body without one.
pub fn read(input: &SignForm, header: Option<&str>, kind: Kind, checks: &mut Checks) -> Option<Signing> {
    let basics =
        read_basics((&input.signature_text, &input.agree, &input.signed_by_ip_address), header, checks);
    let preparers = match kind {
        Kind::I9 => input.preparers().iter().filter_map(|fields| preparer(fields, checks)).collect(),
        Kind::W4 | Kind::DirectDeposit => Vec::new(),
    };
    let (text, ip) = basics?;
    Some(Signing { text, ip, preparers })
}

/// Reads what every signature has: the typed name, the consent, and where the signer was.
pub fn read_basics(
    (text, agree, ip): (&Field<String>, &Field<bool>, &Field<String>),
    header: Option<&str>,
    checks: &mut Checks,
) -> Option<(String, IpAddr)> {
    let text = text.required("signature_text", checks, |key, text| check::text(key, text, LONGEST));
    let agreed = agreement("agree", agree, checks);
    let ip = match (ip, header) {
        (Field::Absent | Field::Null, Some(header)) => checks.take(address(IP, header)),
        (field, _) => field.required(IP, checks, |key, text| address(key, text)),
    };
    agreed?;
    Some((text?, ip?))
}

const IP: &str = "signed_by_ip_address";

fn address(key: &str, text: &str) -> Result<IpAddr, Violation> {
    let message = || Violation::invalid(key, format!("{key} must be an IP address, such as 203.0.113.7"));
    text.trim().parse().map_err(|_| message())
}

/// A consent that must be given; a refusal is no signature.
fn agreement<T: Wire + Copy + Into<bool>>(key: &str, field: &Field<T>, checks: &mut Checks) -> Option<()> {
    field.required(key, checks, |key, agreed| match (*agreed).into() {
        true => Ok(()),
        false => {
            let message = format!("{key} must be true: without consent there is no signature");
            Err(Violation::new(key, Category::InvalidAttributeValue, message))
        }
    })
}

impl From<Agreed> for bool {
    fn from(agreed: Agreed) -> Self {
        agreed.0
    }
}

fn preparer(fields: &PreparerFields<'_>, checks: &mut Checks) -> Option<Preparer> {
    let key = |name: &str| format!("{}_{name}", fields.prefix);
    if fields.used.optional(fields.prefix, checks, crate::field::as_is) != Some(true) {
        return None;
    }
    let first = fields.first_name.required(&key("first_name"), checks, |k, v| check::person_name(k, v));
    let last = fields.last_name.required(&key("last_name"), checks, |k, v| check::person_name(k, v));
    let street_1 = fields.street_1.required(&key("street_1"), checks, line);
    let street_2 = fields.street_2.optional(&key("street_2"), checks, optional_line);
    let city = fields.city.required(&key("city"), checks, line);
    let state = fields.state.required(&key("state"), checks, state);
    let zip = fields.zip.required(&key("zip"), checks, zip);
    let agreed = agreement(&key("agree"), fields.agree, checks);
    agreed?;
    Some(Preparer {
        first_name: first?,
        last_name: last?,
        street_1: street_1?,
        street_2: street_2.flatten(),
        city: city?,
        state: state?,
        zip: zip?,
    })
}

impl Preparer {
    /// How a document names the preparer.
    pub fn section(&self, number: usize) -> Section {
        let Self { first_name, last_name, street_1, street_2, city, state, zip } = self;
        let street_2 = street_2.as_ref().map(|line| format!("{line}, ")).unwrap_or_default();
        let attested = "I attest, under penalty of perjury, that I have assisted in the completion of section 1 of this \
                        form and that to the best of my knowledge the information is true and correct.";
        Section {
            heading: format!("Preparer or translator {number}"),
            lines: vec![
                Line::new("", "Name", format!("{first_name} {last_name}")),
                Line::new("", "Address", format!("{street_1}, {street_2}{city}, {state} {zip}")),
                Line::new("", attested, "Agreed"),
            ],
        }
    }
}
