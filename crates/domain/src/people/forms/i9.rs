//! An employee's answers for section 1 of Form I-9: the authorization to work in the United States.

use jiff::civil::Date;
use rules::Named;
use rules::i9::{Authorization, DocumentType, Status};
use rules::{Checks, check};
use serde::{Deserialize, Serialize};
use store::{Tx, Unread};
use uuid::Uuid;

use super::commands::UpdateI9Authorization;
use super::content::{EmployeeFormKind, I9Answers, Masked};
use super::i9_documents;
use super::i9_documents::EmployerSigned;
use super::rows;
use super::rows::{Form, I9};
use super::service::json_bytes;
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::patch;
use crate::patch::{Patch, as_is};
use crate::people::employees;
use crate::platform::audit;
use crate::platform::hooks;
use crate::platform::hooks::EmployeeAspect;
use crate::records::{Changes, version_text};

/// Table of the answers, for versions and audit entries.
pub const TABLE: &str = I9::TABLE;

/// The answers as stored: sealed JSON.
#[derive(Serialize, Deserialize)]
struct Stored {
    status: String,
    document: Option<String>,
    number: Option<String>,
    country: Option<String>,
    expires: Option<String>,
}

impl Stored {
    fn parse_authorization(self) -> Result<Authorization, Unread> {
        let unknown = |what: &str| Unread::unknown(format!("holds an unknown {what}"));
        let document =
            self.document.map(|name| DocumentType::parse(&name).ok_or_else(|| unknown("document")));
        let expires =
            self.expires.map(|day| day.parse::<Date>().map_err(|_| Unread::new("holds an invalid date")));
        Ok(Authorization {
            status: Status::parse(&self.status).ok_or_else(|| unknown("status"))?,
            document: document.transpose()?,
            number: self.number,
            country: self.country,
            expires: expires.transpose()?,
        })
    }
}

fn open_sealed_authorization(tx: &mut Tx<'_>, company: Uuid, row: &I9) -> Result<Authorization, Error> {
    let stored: Stored = rows::parse_json(TABLE, "content", &row.unseal_json(tx, company)?)?;
    Ok(stored.parse_authorization().map_err(|why| why.into_error(TABLE, "content"))?)
}

fn seal_authorization(
    tx: &mut Tx<'_>,
    company: Uuid,
    id: Uuid,
    answers: &Authorization,
) -> Result<Vec<u8>, Error> {
    let stored = Stored {
        status: answers.status.as_str().to_owned(),
        document: answers.document.map(|document| document.as_str().to_owned()),
        number: answers.number.clone(),
        country: answers.country.clone(),
        expires: answers.expires.map(|day| day.to_string()),
    };
    I9::seal_answers(tx, company, id, &json_bytes(&stored))
}

/// Returns the answers as shown on the form; `None` before the employee has answered.
pub fn find_answers(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<Option<I9Answers>, Error> {
    let Some(row) = I9::find(tx, company, employee)? else { return Ok(None) };
    let answers = open_sealed_authorization(tx, company, &row)?;
    let number = answers.number.as_deref().map(|number| Masked::new(tx, company, number)).transpose()?;
    Ok(Some(I9Answers {
        status: answers.status.title().to_owned(),
        document: answers.document.map(|document| document.title().to_owned()),
        number,
        country: answers.country,
        expires: answers.expires.map(|day| day.to_string()),
    }))
}

/// An employee's answers with the form that shows them.
#[derive(Debug, Clone)]
pub struct I9Details {
    /// identifier
    pub id: Uuid,
    /// version number, incremented by each update
    pub version: i64,
    /// the answers
    pub answers: Authorization,
    /// the form, if Form I-9 is requested or was signed
    pub form: Option<Form>,
    /// the employer's signature, once given
    pub employer: Option<EmployerSigned>,
}

/// Returns the employee's answers.
///
/// # Errors
/// "Not found" if the employee does not exist or has no answers; a store error.
pub fn get_authorization(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Result<I9Details, Error> {
    let employee = employees::service::find_employee(tx, caller, employee)?.id;
    let row = I9::find(tx, caller.company, employee)?.ok_or(Error::NotFound)?;
    let answers = open_sealed_authorization(tx, caller.company, &row)?;
    let forms = rows::of_employee(tx, caller.company, employee)?;
    let form = forms.into_iter().find(|form| form.kind == EmployeeFormKind::I9);
    let employer = i9_documents::find_employer_signature(tx, caller.company, employee)?;
    Ok(I9Details { id: row.id, version: row.version, answers, form, employer })
}

/// Returns the status that an employee attested to.
///
/// # Errors
/// "Not found" before the employee has answered; a store error.
pub fn attested_status(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Result<Status, Error> {
    let row = I9::find(tx, caller.company, employee)?.ok_or(Error::NotFound)?;
    Ok(open_sealed_authorization(tx, caller.company, &row)?.status)
}

/// Replaces the employee's answers. If no document number is sent and the document type is unchanged, the stored number is kept.
///
/// # Errors
/// "Not found"; 409 for a stale version; a violation once the employer has signed; every violation of the input; a store error.
pub fn replace_authorization(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    input: &UpdateI9Authorization,
) -> Result<I9Details, Error> {
    let employee = employees::service::find_guarded(tx, caller, employee)?.id;
    let row = I9::find(tx, caller.company, employee)?;
    let before = row.as_ref().map(|row| open_sealed_authorization(tx, caller.company, row)).transpose()?;
    let (version, after) = read_authorization(input, before.as_ref(), caller.today(tx))?;
    match (row, before) {
        (Some(row), Some(before)) => {
            let changes = authorization_changes(&before, &after);
            changes.expect_version(&version.unwrap_or_default(), version_text(TABLE, row.id, row.version))?;
            if changes.is_empty() {
                return get_authorization(tx, caller, employee);
            }
            i9_documents::refuse_if_signed(rows::I9Review::find(tx, caller.company, employee)?.as_ref())?;
            let changed = I9 { content: seal_authorization(tx, caller.company, row.id, &after)?, ..row };
            assert!(changed.update(tx, caller.company)?, "the row was read under its guard");
            audit::record_audit_entry(tx, caller, "updated", (TABLE, changed.id), &changes.to_json())?;
        }
        _ => {
            let id = tx.new_id();
            let content = seal_authorization(tx, caller.company, id, &after)?;
            I9 { employee, id, content, version: 1 }.insert(tx, caller.company)?;
            audit::record_audit_entry(tx, caller, "created", (TABLE, id), &serde_json::json!({}))?;
        }
    }
    hooks::employee_changed(tx, caller, employee, EmployeeAspect::Documents)?;
    get_authorization(tx, caller, employee)
}

fn read_authorization(
    input: &UpdateI9Authorization,
    before: Option<&Authorization>,
    today: Date,
) -> Result<(Option<String>, Authorization), Error> {
    let mut checks = Checks::new();
    // The first answers have no earlier version.
    let version = match before {
        Some(_) => patch::check_version(&input.version, &mut checks),
        None => input.version.value().cloned(),
    };
    let status = input.authorization_status.required("authorization_status", &mut checks, as_is);
    let document = match &input.document_type {
        Patch::Value(text) if text.is_empty() => None,
        field => field.optional("document_type", &mut checks, |key, text| {
            check::parse_named(key, text, &DocumentType::names(), DocumentType::parse)
        }),
    };
    let number = input.document_number.optional("document_number", &mut checks, |_, text| Ok(text.clone()));
    let country = input.country.optional("country", &mut checks, |_, text| Ok(text.clone()));
    let expires = match &input.expiration_date {
        Patch::Value(text) if text.is_empty() => None,
        field => field.optional("expiration_date", &mut checks, |key, text| check::parse_date(key, text)),
    };
    checks.finish()?;
    let status = status.unwrap_or(Status::Citizen);
    let document = document.or((status == Status::PermanentResident).then_some(DocumentType::UscisNumber));
    let held = before.filter(|before| before.document == document).and_then(|before| before.number.clone());
    let number = number.filter(|number| !number.trim().is_empty()).or(held);
    let answers = Authorization { status, document, number, country, expires }.check_authorization(today)?;
    Ok((version, answers))
}

fn authorization_changes(before: &Authorization, after: &Authorization) -> Changes {
    let mut changes = Changes::new();
    changes.note_secret("authorization_status", before.status != after.status);
    changes.note_secret("document_type", before.document != after.document);
    changes.note_secret("document_number", before.number != after.number);
    changes.note_secret("country", before.country != after.country);
    changes.note_secret("expiration_date", before.expires != after.expires);
    changes
}
