//! What records of the file with Forms W-2 and of the one with Forms W-2c share.

use std::borrow::Cow;
use std::io::Write;

use rules::Named as _;

use super::Error;
use super::parties::{Contact, Employer, Party, Submitter};
use super::record::{Record, Value};
use crate::w2::{Address, MoneyBox, W2};

/// The key of the field for a code of box 12: one field holds the sum of A and B.
pub(super) fn key_of_code(code: &str) -> Cow<'static, str> {
    match code {
        "A" | "B" => Cow::Borrowed("codes_A_B"),
        code => Cow::Owned(format!("code_{code}")),
    }
}

/// The amounts of a form by key of their field.
pub(super) fn form_amounts(form: &W2) -> Vec<(Cow<'static, str>, i64)> {
    let mut amounts: Vec<(Cow<'static, str>, i64)> =
        MoneyBox::ALL.iter().map(|of| (Cow::Borrowed(of.as_str()), form.amount(*of))).collect();
    for (code, cents) in &form.box_12 {
        let key = key_of_code(code);
        match amounts.iter_mut().find(|(known, _)| *known == key) {
            Some((_, sum)) => *sum += cents,
            None => amounts.push((key, *cents)),
        }
    }
    amounts
}

/// Sets who submits: its numbers, the software and the contact.
pub(super) fn set_submitter<const LENGTH: usize>(
    record: &mut Record<'_, LENGTH>,
    one: &Submitter,
) -> Result<(), Error> {
    let (software, vendor) = one.software.codes();
    record.set_all([
        ("submitter_ein", Value::Text(&one.ein)),
        ("bso_user_id", Value::Text(&one.user_id)),
        ("software_vendor_code", Value::Text(vendor)),
        ("resubmission", Value::Flag(one.resubmission.is_some())),
        ("resubmission_file_id", Value::Text(one.resubmission.as_deref().unwrap_or_default())),
        ("software_code", Value::Text(software)),
        ("preparer_code", Value::Text(one.preparer.as_str())),
    ])?;
    set_contact(record, &one.contact)
}

/// Sets the agent of an employer, if it has one.
pub(super) fn set_agent<const LENGTH: usize>(
    record: &mut Record<'_, LENGTH>,
    one: &Employer,
) -> Result<(), Error> {
    let Some(agent) = &one.agent else { return Ok(()) };
    record.set_all([
        ("agent_indicator", Value::Text(agent.kind.as_str())),
        ("agent_for_ein", Value::Text(&agent.for_ein)),
    ])
}

pub(super) fn set_party<const LENGTH: usize>(
    record: &mut Record<'_, LENGTH>,
    prefix: &str,
    name: &str,
    party: &Party,
) -> Result<(), Error> {
    record.set_field(name, Value::Text(&party.name))?;
    set_address(record, prefix, &party.address)
}

pub(super) fn set_address<const LENGTH: usize>(
    record: &mut Record<'_, LENGTH>,
    prefix: &str,
    address: &Address,
) -> Result<(), Error> {
    let (zip, extension) = address.zip.split_once('-').unwrap_or((&address.zip, ""));
    for (name, text) in [
        ("location_address", address.location.as_str()),
        ("delivery_address", &address.delivery),
        ("city", &address.city),
        ("state", &address.state),
        ("zip", zip),
        ("zip_extension", extension),
    ] {
        record.set_field(&format!("{prefix}{name}"), Value::Text(text))?;
    }
    Ok(())
}

pub(super) fn set_contact<const LENGTH: usize>(
    record: &mut Record<'_, LENGTH>,
    contact: &Contact,
) -> Result<(), Error> {
    record.set_all([
        ("contact_name", Value::Text(&contact.name)),
        ("contact_phone", Value::Text(&contact.phone)),
        ("contact_phone_extension", Value::Text(&contact.extension)),
        ("contact_email", Value::Text(&contact.email)),
        ("contact_fax", Value::Text(&contact.fax)),
    ])
}

/// Writes a record with its line end; returns the bytes.
pub(super) fn write_record<const LENGTH: usize>(
    out: &mut impl Write,
    record: &Record<'_, LENGTH>,
) -> std::io::Result<u64> {
    out.write_all(record.bytes())?;
    out.write_all(b"\r\n")?;
    Ok(LENGTH as u64 + 2)
}
