//! Validates a signature: the typed name, consent, IP address, and the preparers of Form I-9.

use std::net::IpAddr;

use rules::{Category, Checks, Violation, check};
use serde::{Deserialize, Serialize};

use super::commands::{ElectronicSignature, PREPARERS, PreparerInput, SignForm};
use super::content::EmployeeFormKind;
use super::document::{DocumentLine, Section};
use crate::company::locations::fields::{optional_line, read_address_line, read_state, read_zip_code};
use crate::patch::{Patch, as_is};

/// Maximum length of a typed name, in characters.
const LONGEST: usize = 255;

/// Field prefix of each preparer.
pub const PREFIXES: [&str; PREPARERS] = ["preparer", "preparer2", "preparer3", "preparer4"];

/// A valid signature of an employee's form.
pub struct Signing {
    /// legal name as typed
    pub text: String,
    /// IP address of the signer
    pub ip: IpAddr,
    /// preparers and translators
    pub preparers: Vec<Preparer>,
}

/// A preparer or translator of Form I-9.
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

/// Checks the signature of a form.
pub fn check_signing(input: &SignForm, kind: EmployeeFormKind, checks: &mut Checks) -> Option<Signing> {
    let signature = read_signature(&input.signature, checks);
    let preparers = match kind {
        EmployeeFormKind::I9 => {
            let fields = PREFIXES.into_iter().zip(&input.preparers);
            fields.filter_map(|(prefix, fields)| read_preparer(prefix, fields, checks)).collect()
        }
        EmployeeFormKind::W4 | EmployeeFormKind::DirectDeposit => Vec::new(),
    };
    let (text, ip) = signature?;
    Some(Signing { text, ip, preparers })
}

/// Checks the typed name, consent and IP address.
pub fn read_signature(input: &ElectronicSignature, checks: &mut Checks) -> Option<(String, IpAddr)> {
    let text = input
        .signature_text
        .required("signature_text", checks, |key, text| check::validate_text(key, text, LONGEST));
    let agreed = check_agreement("agree", &input.agree, checks);
    let ip = input.signed_by_ip_address.required("signed_by_ip_address", checks, |key, text| {
        let message = || Violation::invalid(key, format!("{key} must be an IP address, such as 203.0.113.7"));
        text.trim().parse().map_err(|_| message())
    });
    agreed?;
    Some((text?, ip?))
}

/// Checks a consent, which must be true.
fn check_agreement(key: &str, field: &Patch<bool>, checks: &mut Checks) -> Option<()> {
    field.required(key, checks, |key, agreed| match agreed {
        true => Ok(()),
        false => {
            let message = format!("{key} must be true: without consent there is no signature");
            Err(Violation::new(key, Category::InvalidAttributeValue, message))
        }
    })
}

fn read_preparer(prefix: &str, fields: &PreparerInput, checks: &mut Checks) -> Option<Preparer> {
    let key = |name: &str| format!("{prefix}_{name}");
    if fields.used.optional(prefix, checks, as_is) != Some(true) {
        return None;
    }
    let first = fields.first_name.required(&key("first_name"), checks, |k, v| check::person_name(k, v));
    let last = fields.last_name.required(&key("last_name"), checks, |k, v| check::person_name(k, v));
    let street_1 = fields.street_1.required(&key("street_1"), checks, read_address_line);
    let street_2 = fields.street_2.optional(&key("street_2"), checks, optional_line);
    let city = fields.city.required(&key("city"), checks, read_address_line);
    let state = fields.state.required(&key("state"), checks, read_state);
    let zip = fields.zip.required(&key("zip"), checks, read_zip_code);
    let agreed = check_agreement(&key("agree"), &fields.agree, checks);
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
    /// Returns the preparer's section of a document.
    pub fn preparer_section(&self, number: usize) -> Section {
        let Self { first_name, last_name, street_1, street_2, city, state, zip } = self;
        let street_2 = street_2.as_ref().map(|line| format!("{line}, ")).unwrap_or_default();
        let attested = "I attest, under penalty of perjury, that I have assisted in the completion of section 1 of this \
                        form and that to the best of my knowledge the information is true and correct.";
        Section {
            heading: format!("Preparer or translator {number}"),
            lines: vec![
                DocumentLine::new("", "Name", format!("{first_name} {last_name}")),
                DocumentLine::new("", "Address", format!("{street_1}, {street_2}{city}, {state} {zip}")),
                DocumentLine::new("", attested, "Agreed"),
            ],
        }
    }
}
