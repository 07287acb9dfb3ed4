//! Section 2 of Form I-9: the documents that the employer examined, and the employer's signature. Nothing can be changed once it is signed.

use jiff::Timestamp;
use rules::i9::documents::{self, Document, Entered};
use rules::{Checks, Violation, check};
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use super::commands::{I9DocumentInput, SignI9, UpdateI9Documents};
use super::content::EmployeeFormKind;
use super::rows::{self, I9Review};
use super::service::{emit_form_event, json_bytes};
use super::{i9, signing};
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::events;
use crate::patch::{self, Patch, as_is};
use crate::people::employees;
use crate::platform::audit;

/// Table of the documents and the signature, for audit entries.
pub const TABLE: &str = I9Review::TABLE;

/// Maximum number of documents: the parts of a combined List A document.
const MOST: usize = 3;
/// Maximum length of the signer's title, in characters.
const TITLE: usize = 100;
/// Maximum length of the additional information, in characters.
const NOTE: usize = 1_000;

/// An examined document, stored as sealed JSON.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Examined {
    /// identifier, kept by a replacement document of the same kind
    pub id: Uuid,
    /// name of a `rules::i9::documents::Kind`
    pub kind: String,
    /// one of the titles of that kind
    pub title: String,
    /// document number, if it has one
    pub number: Option<String>,
    /// expiration date (YYYY-MM-DD), if it has one
    pub expires: Option<String>,
    /// issuing authority
    pub authority: String,
}

store::hidden!(Examined);

impl Examined {
    fn new(id: Uuid, document: Document) -> Self {
        Self {
            id,
            kind: document.kind.name.to_owned(),
            title: document.title.to_owned(),
            number: document.number,
            expires: document.expires.map(|day| day.to_string()),
            authority: document.authority,
        }
    }

    fn entered_document(&self) -> Entered<'_> {
        Entered {
            kind: &self.kind,
            title: &self.title,
            number: self.number.as_deref(),
            expires: self.expires.as_deref(),
            authority: &self.authority,
        }
    }
}

/// The employer's signature, stored as sealed JSON.
#[derive(Serialize, Deserialize)]
struct Signed {
    name: String,
    title: String,
    ip: String,
    additional_info: Option<String>,
    alt_procedure: bool,
    actor_kind: String,
    actor: Uuid,
}

/// The employer's signature, as shown.
#[derive(Debug, Clone)]
pub struct EmployerSigned {
    /// time of signing
    pub at: Timestamp,
    /// additional information
    pub additional_info: Option<String>,
    /// whether the documents were examined under the alternative procedure
    pub alt_procedure: bool,
}

/// Returns the documents of a review; empty before the first is entered.
fn open_documents(tx: &mut Tx<'_>, company: Uuid, review: Option<&I9Review>) -> Result<Vec<Examined>, Error> {
    let Some(review) = review else { return Ok(Vec::new()) };
    let json = tx.unseal_field(I9Review::review_place(company, review.id, "documents"), &review.documents)?;
    Ok(rows::parse_json(TABLE, "documents", &json)?)
}

/// Returns the employer's signature; `None` before the employer has signed.
pub fn find_employer_signature(
    tx: &mut Tx<'_>,
    company: Uuid,
    employee: Uuid,
) -> Result<Option<EmployerSigned>, Error> {
    let Some(review) = I9Review::find(tx, company, employee)? else { return Ok(None) };
    let (Some(sealed), Some(at)) = (&review.signature, review.signed_at) else { return Ok(None) };
    let json = tx.unseal_field(I9Review::review_place(company, review.id, "signature"), sealed)?;
    let Signed { additional_info, alt_procedure, .. } = rows::parse_json(TABLE, "signature", &json)?;
    Ok(Some(EmployerSigned { at, additional_info, alt_procedure }))
}

/// Rejects a change once the employer has signed.
///
/// # Errors
/// A violation if the employer has signed.
pub fn refuse_if_signed(review: Option<&I9Review>) -> Result<(), Error> {
    match review.is_some_and(|review| review.signed_at.is_some()) {
        true => Err(Error::from(Violation::invalid_operation(
            "The employer has signed Form I-9, so the authorization and its documents can no longer be changed.",
        ))),
        false => Ok(()),
    }
}

/// Returns the kinds of document that an employee with the attested status can present.
///
/// # Errors
/// "Not found" if the employee does not exist or has not answered section 1; a store error.
pub fn acceptable_document_kinds(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
) -> Result<Vec<&'static documents::Kind>, Error> {
    let employee = employees::service::find_employee(tx, caller, employee)?.id;
    Ok(documents::presentable_documents(i9::attested_status(tx, caller, employee)?).collect())
}

/// Returns the examined documents in the order they were entered.
///
/// # Errors
/// "Not found" if the employee does not exist or has not answered section 1; a store error.
pub fn list_documents(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Result<Vec<Examined>, Error> {
    let employee = employees::service::find_employee(tx, caller, employee)?.id;
    i9::attested_status(tx, caller, employee)?;
    let review = I9Review::find(tx, caller.company, employee)?;
    open_documents(tx, caller.company, review.as_ref())
}

/// Replaces the whole list. A document of a kind already on the list keeps its id.
///
/// # Errors
/// "Not found" as in [`list_documents`]; a violation once the employer has signed; every violation of the input; a store error.
pub fn replace_documents(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    input: &UpdateI9Documents,
) -> Result<Vec<Examined>, Error> {
    let employee = employees::service::find_guarded(tx, caller, employee)?.id;
    let status = i9::attested_status(tx, caller, employee)?;
    let review = I9Review::find(tx, caller.company, employee)?;
    refuse_if_signed(review.as_ref())?;
    let before = open_documents(tx, caller.company, review.as_ref())?;

    let today = caller.today(tx);
    let mut checks = Checks::new();
    if matches!(input.documents, Patch::Absent | Patch::Null) {
        checks.push(Violation::missing(
            "documents",
            "documents is needed: send the whole list, or an empty one",
        ));
    }
    let mut after: Vec<Examined> = Vec::new();
    for (place, item) in
        patch::check_items("documents", &input.documents, MOST, &mut checks).iter().enumerate()
    {
        let path = format!("documents[{place}]");
        let Some(document) = read_document(&path, item, status, today, &mut checks) else { continue };
        let key = format!("{path}.document_type");
        let twice = after.iter().any(|one| one.kind == document.kind.name);
        checks.require(!twice, || Violation::invalid(&key, format!("{key} is listed twice")));
        let held = before.iter().find(|one| one.kind == document.kind.name).map(|one| one.id);
        after.push(Examined::new(held.unwrap_or_else(|| tx.new_id()), document));
    }
    checks.finish()?;
    if after != before {
        store_documents(tx, caller, employee, review, &after)?;
    }
    Ok(after)
}

/// Checks one document in a request.
fn read_document(
    path: &str,
    item: &I9DocumentInput,
    status: rules::i9::Status,
    today: jiff::civil::Date,
    checks: &mut Checks,
) -> Option<Document> {
    let key = |name: &str| format!("{path}.{name}");
    #[expect(clippy::ptr_arg, reason = "has the shape of every other check")]
    fn text(_: &str, text: &String) -> Result<String, Violation> {
        Ok(text.clone())
    }
    let kind = item.document_type.required(&key("document_type"), checks, text);
    let title = item.document_title.required(&key("document_title"), checks, text);
    let number = item.document_number.optional(&key("document_number"), checks, text);
    let expires = item.expiration_date.optional(&key("expiration_date"), checks, text);
    let authority = item.issuing_authority.required(&key("issuing_authority"), checks, text);
    let (kind, title, authority) = (kind?, title?, authority?);
    let entered = Entered {
        kind: &kind,
        title: &title,
        number: number.as_deref(),
        expires: expires.as_deref(),
        authority: &authority,
    };
    documents::check_document(path, entered, status, today)
        .map_err(|violations| checks.extend(violations))
        .ok()
}

/// Stores the list of documents.
fn store_documents(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    review: Option<I9Review>,
    documents: &[Examined],
) -> Result<(), Error> {
    let id = review.as_ref().map_or_else(|| tx.new_id(), |review| review.id);
    let place = I9Review::review_place(caller.company, id, "documents");
    let documents = tx.seal_field(place, &json_bytes(&documents))?;
    let secret = json!({ "documents": ["***", "***"] });
    match review {
        Some(review) => {
            let after = I9Review { documents, ..review };
            assert!(after.update(tx, caller.company)?, "the row was read under its guard");
            audit::record_audit_entry(tx, caller, "updated", (TABLE, id), &secret)
        }
        None => {
            let new = I9Review { employee, id, documents, signature: None, signed_at: None, version: 1 };
            new.insert(tx, caller.company)?;
            audit::record_audit_entry(tx, caller, "created", (TABLE, id), &json!({}))
        }
    }
}

/// Removes one document from the list.
///
/// # Errors
/// "Not found" if the document does not exist; a violation once the employer has signed; a store error.
pub fn delete_document(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid, id: Uuid) -> Result<(), Error> {
    let employee = employees::service::find_guarded(tx, caller, employee)?.id;
    let review = I9Review::find(tx, caller.company, employee)?.ok_or(Error::NotFound)?;
    let mut documents = open_documents(tx, caller.company, Some(&review))?;
    let before = documents.len();
    documents.retain(|one| one.id != id);
    if documents.len() == before {
        return Err(Error::NotFound);
    }
    refuse_if_signed(Some(&review))?;
    store_documents(tx, caller, employee, Some(review), &documents)
}

/// Signs section 2 on behalf of the employer.
///
/// # Errors
/// "Not found" before section 1 is answered; violations if the employee has not signed, the documents are insufficient or expired, or the
/// employer has already signed, and every violation of the input; a store error.
pub fn sign_section_2(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    input: &SignI9,
) -> Result<i9::I9Details, Error> {
    let employee = employees::service::find_guarded(tx, caller, employee)?.id;
    let details = i9::get_authorization(tx, caller, employee)?;
    let review = I9Review::find(tx, caller.company, employee)?;
    refuse_if_signed(review.as_ref())?;
    let documents = open_documents(tx, caller.company, review.as_ref())?;

    let mut checks = Checks::new();
    let form = details.form.filter(|form| form.kind == EmployeeFormKind::I9 && !form.requires_signing);
    checks.require(form.is_some(), || {
        Violation::invalid_operation(
            "The employee has to sign section 1 first: Form I-9 is requested and not signed.",
        )
    });
    let (status, today) = (details.answers.status, caller.today(tx));
    let mut kinds = Vec::new();
    for (place, document) in documents.iter().enumerate() {
        match documents::check_document(
            &format!("documents[{place}]"),
            document.entered_document(),
            status,
            today,
        ) {
            Ok(document) => kinds.push(document.kind),
            Err(violations) => checks.extend(violations),
        }
    }
    if kinds.len() == documents.len()
        && let Some(missing) = documents::missing_documents(&kinds)
    {
        checks.push(Violation::invalid_operation(missing));
    }
    let signature = signing::read_signature(&input.signature, &mut checks);
    let title =
        input.signer_title.required("signer_title", &mut checks, |k, v| check::validate_text(k, v, TITLE));
    let note = |k: &str, v: &String| check::optional_text(k, Some(v), NOTE);
    let additional_info = input.additional_info.optional("additional_info", &mut checks, note).flatten();
    let alt_procedure = input.alt_procedure.optional("alt_procedure", &mut checks, as_is).unwrap_or(false);
    checks.finish()?;
    let (Some(review), Some(form), Some((name, ip)), Some(title)) = (review, form, signature, title) else {
        return Err(Error::internal("a field is missing that was checked"));
    };

    let (actor_kind, actor) = caller.actor.kind_and_id();
    let signed = Signed {
        name,
        title,
        ip: ip.to_string(),
        additional_info,
        alt_procedure,
        actor_kind: actor_kind.to_owned(),
        actor,
    };
    let place = I9Review::review_place(caller.company, review.id, "signature");
    let signature = Some(tx.seal_field(place, &json_bytes(&signed))?);
    let after = I9Review { signature, signed_at: Some(tx.now()), ..review };
    assert!(after.update(tx, caller.company)?, "the row was read under its guard");
    audit::record_audit_entry(
        tx,
        caller,
        "signed",
        (TABLE, after.id),
        &json!({ "employer_signed": [false, true] }),
    )?;
    emit_form_event(tx, caller, events::FORM_SIGNED, form.id, employee)?;
    i9::get_authorization(tx, caller, employee)
}
