//! What an employee says about the right to work, for section 1 of Form I-9.

use jiff::civil::Date;
use rules::Named;
use rules::i9::{Authorization, DocumentType, Status};
use rules::{Checks, check};
use serde::{Deserialize, Serialize};
use store::Tx;
use uuid::Uuid;
use zeroize::Zeroizing;

use super::content::{I9Answers, Kind, Masked};
use super::rows;
use super::rows::I9;
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::field;
use crate::field::Field;
use crate::people::forms::shapes::{I9Authorization, UpdateI9Authorization};
use crate::people::{employees, onboarding};
use crate::platform::audit;
use crate::records::{Changes, version_text};

/// Table of the answers, in versions and audit entries.
pub const TABLE: &str = "employee_i9";

/// The answers as they are sealed.
#[derive(Serialize, Deserialize)]
struct Stored {
    status: String,
    document: Option<String>,
    number: Option<String>,
    country: Option<String>,
    expires: Option<String>,
}

fn open(row: &I9) -> Result<Authorization, Error> {
    let stored: Stored = serde_json::from_slice(&row.content).map_err(|_| Error::Internal)?;
    Ok(Authorization {
        status: Status::parse(&stored.status).ok_or(Error::Internal)?,
        document: stored.document.as_deref().and_then(DocumentType::parse),
        number: stored.number,
        country: stored.country,
        expires: stored.expires.and_then(|day| day.parse().ok()),
    })
}

fn close(said: &Authorization) -> Zeroizing<Vec<u8>> {
    let stored = Stored {
        status: said.status.as_str().to_owned(),
        document: said.document.map(|document| document.as_str().to_owned()),
        number: said.number.clone(),
        country: said.country.clone(),
        expires: said.expires.map(|day| day.to_string()),
    };
    Zeroizing::new(
        serde_json::to_vec(&stored).unwrap_or_else(|error| panic!("answers are always JSON: {error}")),
    )
}

/// The answers as a form shows them; none while the question is open.
///
/// # Errors
/// A store error.
pub fn answers(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<Option<I9Answers>, Error> {
    let Some(row) = rows::find_i9(tx, company, employee)? else { return Ok(None) };
    let said = open(&row)?;
    let number = said.number.as_deref().map(|number| Masked::new(tx, company, number)).transpose()?;
    Ok(Some(I9Answers {
        status: said.status.title().to_owned(),
        document: said.document.map(|document| document.title().to_owned()),
        number,
        country: said.country,
        expires: said.expires.map(|day| day.to_string()),
    }))
}

/// What the employee said. "Not found" while nothing was said.
///
/// # Errors
/// "Not found"; a store error.
pub fn get(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Result<I9Authorization, Error> {
    let employee = employees::service::find(tx, caller, employee)?.id;
    let row = rows::find_i9(tx, caller.company, employee)?.ok_or(Error::NotFound)?;
    let said = open(&row)?;
    let forms = rows::of_employee(tx, caller.company, employee)?;
    let form = forms.iter().find(|form| form.kind == Kind::I9);
    Ok(I9Authorization {
        uuid: row.id,
        form_uuid: form.map(|form| form.id),
        version: version_text(TABLE, row.id, row.version),
        authorization_status: said.status.as_str(),
        document_type: said.document.map(DocumentType::as_str),
        has_document_number: said.number.is_some(),
        country: said.country,
        expiration_date: said.expires.map(|day| day.to_string()),
        employee_signed: form.is_some_and(|form| !form.requires_signing),
        employer_signed: false,
    })
}

/// Takes over what the employee says, as a whole; a number that is held stays where none is sent for the same
/// document.
///
/// # Errors
/// "Not found", 409 for a stale version, every violation of the input; a store error.
pub fn put(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    input: &UpdateI9Authorization,
) -> Result<I9Authorization, Error> {
    let employee = employees::service::find_guarded(tx, caller, employee)?.id;
    let row = rows::find_i9(tx, caller.company, employee)?;
    let before = row.as_ref().map(open).transpose()?;
    let (version, after) = read(input, before.as_ref(), caller.today(tx))?;
    match (row, before) {
        (Some(row), Some(before)) => {
            let changes = changes(&before, &after);
            changes.expect_version(&version.unwrap_or_default(), version_text(TABLE, row.id, row.version))?;
            if changes.is_empty() {
                return get(tx, caller, employee);
            }
            let changed = I9 { content: close(&after), ..row };
            assert!(
                rows::update_i9(tx, caller.company, employee, &changed)?,
                "the row was read under its guard"
            );
            audit::record(tx, caller, "updated", (TABLE, changed.id), &changes.to_json())?;
        }
        _ => {
            let new = I9 { id: tx.new_id(), content: close(&after), version: 1 };
            rows::insert_i9(tx, caller.company, employee, &new)?;
            audit::record(tx, caller, "created", (TABLE, new.id), &serde_json::json!({}))?;
        }
    }
    onboarding::service::after_change(tx, caller, employee)?;
    get(tx, caller, employee)
}

fn read(
    input: &UpdateI9Authorization,
    before: Option<&Authorization>,
    today: Date,
) -> Result<(Option<String>, Authorization), Error> {
    let mut checks = Checks::new();
    // The first answer has no version before it.
    let version = match before {
        Some(_) => field::version(&input.version, &mut checks),
        None => input.version.given().cloned(),
    };
    let status = input.authorization_status.required("authorization_status", &mut checks, |key, text| {
        check::named(key, text, &Status::names(), Status::parse)
    });
    let document = match &input.document_type {
        Field::Given(text) if text.is_empty() => None,
        field => field.optional("document_type", &mut checks, |key, text| {
            check::named(key, text, &DocumentType::names(), DocumentType::parse)
        }),
    };
    let number = input.document_number.optional("document_number", &mut checks, |_, text| Ok(text.clone()));
    let country = input.country.optional("country", &mut checks, |_, text| Ok(text.clone()));
    let expires = match &input.expiration_date {
        Field::Given(text) if text.is_empty() => None,
        field => field.optional("expiration_date", &mut checks, |key, text| check::date(key, text)),
    };
    checks.finish()?;
    let status = status.unwrap_or(Status::Citizen);
    let document = document.or((status == Status::PermanentResident).then_some(DocumentType::UscisNumber));
    let held = before.filter(|before| before.document == document).and_then(|before| before.number.clone());
    let number = number.filter(|number| !number.trim().is_empty()).or(held);
    let said = Authorization { status, document, number, country, expires }.checked(today)?;
    Ok((version, said))
}

fn changes(before: &Authorization, after: &Authorization) -> Changes {
    let mut changes = Changes::new();
    changes.note_secret("authorization_status", before.status != after.status);
    changes.note_secret("document_type", before.document != after.document);
    changes.note_secret("document_number", before.number != after.number);
    changes.note_secret("country", before.country != after.country);
    changes.note_secret("expiration_date", before.expires != after.expires);
    changes
}
