//! Use cases of contractors' documents. Every change takes the contractor's guard.

use jiff::Zoned;
use rules::contractor::ContractorType;
use rules::{Checks, Named, Violation};
use serde_json::json;
use store::Tx;
use uuid::Uuid;
use zeroize::Zeroizing;

use super::content::{self, Answers, Content, ContractorDocumentKind, Field, Snapshot};
use super::rows::{self, ContractorDocument, SIGNATURES};
use crate::access::tokens::Caller;
use crate::company::companies;
use crate::contractors::addresses::ContractorAddress;
use crate::contractors::records::service as contractors;
use crate::contractors::records::{self, Contractor};
use crate::error::Error;
use crate::events;
use crate::events::EventType;
use crate::language::Language;
use crate::patch::{self, Patch};
use crate::people::forms::commands::ElectronicSignature;
use crate::people::forms::content::{Address, Masked};
use crate::people::forms::document::{Document, Signature};
use crate::people::forms::{rows as forms, signature, signing};
use crate::platform::hooks::ContractorAspect;
use crate::platform::{audit, hooks};

/// Table of the record, in audit entries.
pub const TABLE: &str = ContractorDocument::TABLE;
/// Maximum number of fields of a signed document.
const MOST_FIELDS: usize = 100;
/// Maximum characters of the value of a field.
const LONGEST: usize = 255;

/// Signs a document.
#[derive(Debug, Clone, Default)]
pub struct SignDocument {
    /// the fields as filled in by the signer, among them `signature_text`
    pub fields: Patch<Vec<FieldInput>>,
    /// consent, and IP address of the signer; the name is one of the fields
    pub signature: ElectronicSignature,
}

/// A field of a document as sent.
#[derive(Debug, Clone, Default)]
pub struct FieldInput {
    /// its key
    pub key: Patch<String>,
    /// its value
    pub value: Patch<String>,
}

/// A field of a document as filled in.
pub struct SignedField {
    /// its key
    pub key: String,
    /// its value
    pub value: String,
}

store::hidden!(SignedField);

/// A document with its fields.
pub struct DocumentDetails {
    /// the record
    pub document: ContractorDocument,
    /// its fields; they are not shown while nothing is to be signed and nothing was
    pub fields: Vec<Field>,
}

store::hidden!(DocumentDetails);

/// The content of a contractor's Form W-9; `None` while name, address or number are missing.
fn load_content(tx: &mut Tx<'_>, caller: &Caller, one: &Contractor) -> Result<Option<Content>, Error> {
    let Some(number) = records::rows::unseal_tin(tx, caller.company, one)? else { return Ok(None) };
    let Some(address) = ContractorAddress::find(tx, caller.company, one.id)? else { return Ok(None) };
    let ContractorAddress { street_1, street_2, city, state, zip, .. } = address;
    Ok(Some(Content {
        kind: one.kind,
        name: one.name(),
        address: Address { street_1, street_2, city, state, zip },
        tin: Masked::new(tx, caller.company, &number)?,
    }))
}

fn content_digest(tx: &mut Tx<'_>, caller: &Caller, content: &Content) -> Result<Vec<u8>, Error> {
    Ok(tx.fingerprint(caller.company, "contractor_documents.digest", &content.to_bytes())?.to_vec())
}

/// Whether the contractor has documents, and all of them are signed.
pub fn is_signed(tx: &mut Tx<'_>, company: Uuid, contractor: Uuid) -> Result<bool, Error> {
    let held = rows::of_contractor(tx, company, contractor)?;
    Ok(!held.is_empty() && held.iter().all(|document| !document.requires_signing))
}

/// Follows a change of a contractor's data: makes a missing document, and requires a new signature if the content is not the signed one.
/// The caller holds the contractor's guard.
pub fn contractor_changed(
    tx: &mut Tx<'_>,
    caller: &Caller,
    contractor: Uuid,
    aspect: ContractorAspect,
) -> Result<(), Error> {
    if !matches!(aspect, ContractorAspect::Record | ContractorAspect::Address) {
        return Ok(());
    }
    let one = contractors::find_contractor(tx, caller, contractor)?;
    // The form of a contractor who was onboarded without one may be asked for, too: pay is reported by it.
    let Some(content) = load_content(tx, caller, &one)? else { return Ok(()) };
    let digest = content_digest(tx, caller, &content)?;
    let held = rows::of_contractor(tx, caller.company, contractor)?;
    match held.into_iter().find(|document| document.kind == ContractorDocumentKind::W9) {
        None => create_w9(tx, caller, contractor, digest),
        Some(document) => renew_w9(tx, caller, document, digest),
    }
}

fn create_w9(tx: &mut Tx<'_>, caller: &Caller, contractor: Uuid, digest: Vec<u8>) -> Result<(), Error> {
    let (id, kind) = (tx.new_id(), ContractorDocumentKind::W9);
    let new = ContractorDocument { contractor, id, kind, requires_signing: true, digest, signed_at: None };
    new.insert(tx, caller.company)?;
    audit::record_audit_entry(tx, caller, "created", (TABLE, id), &json!({ "name": [null, kind.as_str()] }))?;
    emit_document_event(tx, caller, events::CONTRACTOR_FORM_CREATED, &new)
}

fn renew_w9(
    tx: &mut Tx<'_>,
    caller: &Caller,
    before: ContractorDocument,
    digest: Vec<u8>,
) -> Result<(), Error> {
    let signed = rows::last_signature(tx, caller.company, &before)?.filter(|last| last.digest == digest);
    let signed_at = signed.map(|last| last.signed_at);
    let after =
        ContractorDocument { requires_signing: signed_at.is_none(), digest, signed_at, ..before.clone() };
    if before == after {
        return Ok(());
    }
    assert!(after.update(tx, caller.company)?, "the row was read under its guard");
    let changes = json!({ "requires_signing": [before.requires_signing, after.requires_signing] });
    audit::record_audit_entry(tx, caller, "updated", (TABLE, after.id), &changes)?;
    emit_document_event(tx, caller, events::CONTRACTOR_FORM_UPDATED, &after)
}

/// The documents of a contractor, oldest first.
///
/// # Errors
/// "Not found"; a store error.
pub fn list_documents(
    tx: &mut Tx<'_>,
    caller: &Caller,
    contractor: Uuid,
) -> Result<Vec<DocumentDetails>, Error> {
    let one = contractors::find_contractor(tx, caller, contractor)?;
    let held = rows::of_contractor(tx, caller.company, one.id)?;
    held.into_iter().map(|document| document_details(tx, caller, &one, document)).collect()
}

/// A document with its fields.
///
/// # Errors
/// "Not found"; a store error.
pub fn get_document(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<DocumentDetails, Error> {
    let document = find_document(tx, caller, id)?;
    let one = contractors::find_contractor(tx, caller, document.contractor)?;
    document_details(tx, caller, &one, document)
}

/// A document of any contractor of the company.
///
/// # Errors
/// "Not found"; a store error.
pub fn find_document(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<ContractorDocument, Error> {
    rows::by_id(tx, caller.company, id)?.ok_or(Error::NotFound)
}

fn document_details(
    tx: &mut Tx<'_>,
    caller: &Caller,
    one: &Contractor,
    document: ContractorDocument,
) -> Result<DocumentDetails, Error> {
    let fields = match content_to_show(tx, caller, one, &document)? {
        None => Vec::new(),
        Some(Shown { content, answers, requester, signature }) => {
            let signature = signature.map(|(name, at, _)| (name, at.date().to_string()));
            let signed = signature.as_ref().map(|(name, day)| (name.as_str(), day.as_str()));
            content::w9_fields(&content, answers.as_ref(), &requester, signed)
        }
    };
    Ok(DocumentDetails { document, fields })
}

/// What a document shows.
struct Shown {
    content: Content,
    answers: Option<Answers>,
    requester: String,
    /// typed name, time, and IP address
    signature: Option<(String, Zoned, String)>,
}

/// The signed content, or the content to sign if the document requires signing; the answers of an earlier signature are kept for it.
fn content_to_show(
    tx: &mut Tx<'_>,
    caller: &Caller,
    one: &Contractor,
    document: &ContractorDocument,
) -> Result<Option<Shown>, Error> {
    let last = rows::last_signature(tx, caller.company, document)?;
    let held: Option<Snapshot> =
        last.as_ref().map(|last| forms::parse_json(SIGNATURES, "content", &last.content)).transpose()?;
    if let (Some(last), Some(held), false) = (&last, &held, document.requires_signing) {
        let name = forms::decode_utf8(SIGNATURES, "signature_text", &last.signature_text)?;
        let Snapshot { content, answers, requester } = held.clone();
        let at = last.signed_at.to_zoned(caller.zone.clone());
        let signature = Some((name, at, last.ip.clone()));
        return Ok(Some(Shown { content, answers: Some(answers), requester, signature }));
    }
    let requester = requester_name(tx, caller)?;
    let content = load_content(tx, caller, one)?;
    let answers = held.map(|held| held.answers);
    Ok(content.map(|content| Shown { content, answers, requester, signature: None }))
}

fn requester_name(tx: &mut Tx<'_>, caller: &Caller) -> Result<String, Error> {
    Ok(companies::find_company(tx, caller.company)?.ok_or(Error::NotFound)?.name)
}

/// Signs a document.
///
/// # Errors
/// "Not found"; violations if the document does not require signing or the input is invalid; a store error.
pub fn sign_document(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    input: &SignDocument,
) -> Result<DocumentDetails, Error> {
    let contractor = find_document(tx, caller, id)?.contractor;
    let one = contractors::find_guarded(tx, caller, contractor)?;
    let before = find_document(tx, caller, id)?;
    let content = load_content(tx, caller, &one)?;
    let mut checks = Checks::new();
    checks.require(before.requires_signing && content.is_some(), || {
        Violation::invalid_operation(
            "This document needs no signature. A new one is requested when the contractor's name, address or number changes.",
        )
    });
    let fields = read_fields(&input.fields, &mut checks);
    let answers = Answers::read_answers(&fields, one.kind, &mut checks);
    let typed = fields.iter().rev().find(|field| field.key == "signature_text");
    let typed = typed.map_or(Patch::Absent, |field| Patch::Value(field.value.clone()));
    let electronic = ElectronicSignature { signature_text: typed, ..input.signature.clone() };
    let signing = signing::read_signature(&electronic, &mut checks);
    checks.finish()?;
    let (Some((text, ip)), Some(content), Some(answers)) = (signing, content, answers) else {
        unreachable!("what is missing is refused")
    };
    let withheld = answers.subject_to_backup_withholding;
    let digest = content_digest(tx, caller, &content)?;
    let snapshot = Snapshot { content, answers, requester: requester_name(tx, caller)? };
    let stored =
        serde_json::to_vec(&snapshot).unwrap_or_else(|error| panic!("a content is always JSON: {error}"));
    let signature = signature::Signature {
        id: tx.new_id(),
        digest: digest.clone(),
        content: Zeroizing::new(stored),
        signature_text: Zeroizing::new(text.into_bytes()),
        ip: ip.to_string(),
        signed_at: tx.now(),
    };
    rows::insert_signature(tx, caller.company, &before, &signature, caller.actor.kind_and_id())?;
    let after = ContractorDocument {
        requires_signing: false,
        digest,
        signed_at: Some(signature.signed_at),
        ..before
    };
    assert!(after.update(tx, caller.company)?, "the row was read under its guard");
    audit::record_audit_entry(
        tx,
        caller,
        "signed",
        (TABLE, id),
        &json!({ "requires_signing": [true, false] }),
    )?;
    emit_document_event(tx, caller, events::CONTRACTOR_FORM_SIGNED, &after)?;
    note_withholding(tx, caller, &one, withheld)?;
    hooks::contractor_changed(tx, caller, one.id, ContractorAspect::Signature)?;
    get_document(tx, caller, id)
}

/// Notes that the contractor is subject to backup withholding. Only the employer ends it: a notice of the IRS counts more than a form.
fn note_withholding(tx: &mut Tx<'_>, caller: &Caller, one: &Contractor, withheld: bool) -> Result<(), Error> {
    if !withheld || one.backup_withholding {
        return Ok(());
    }
    let after = Contractor { backup_withholding: true, ..one.clone() };
    assert!(after.update(tx, caller.company)?, "the row was read under its guard");
    let change = json!({ "backup_withholding": [false, true] });
    audit::record_audit_entry(tx, caller, "updated", (contractors::TABLE, one.id), &change)?;
    events::emit_event(tx, caller.company, events::CONTRACTOR_UPDATED, one.id)
}

/// Reads the fields that were filled in. Those that come from the record are as it has them, whatever was sent.
fn read_fields(input: &Patch<Vec<FieldInput>>, checks: &mut Checks) -> Vec<SignedField> {
    if matches!(input, Patch::Absent | Patch::Null) {
        checks.push(Violation::invalid("fields", "fields can't be blank"));
    }
    let mut fields = Vec::new();
    for field in patch::check_items("fields", input, MOST_FIELDS, checks) {
        let key = field.key.required("key", checks, |key, name| {
            if content::KEYS.contains(&name.as_str()) {
                return Ok(name.clone());
            }
            Err(Violation::invalid(key, format!("{key} must be one of: {}", content::KEYS.join(", "))))
        });
        let value = field.value.optional("value", checks, |key, text| {
            if text.chars().count() <= LONGEST {
                return Ok(text.clone());
            }
            Err(Violation::invalid(key, format!("{key} must have at most {LONGEST} characters")))
        });
        fields.extend(key.map(|key| SignedField { key, value: value.unwrap_or_default() }));
    }
    fields
}

/// The document as it is printed: the signed content, or the content to sign.
///
/// # Errors
/// "Not found" if there is nothing to show; a store error.
pub fn printed_document(
    tx: &mut Tx<'_>,
    caller: &Caller,
    document: &ContractorDocument,
) -> Result<Document, Error> {
    let one = contractors::find_contractor(tx, caller, document.contractor)?;
    let Some(shown) = content_to_show(tx, caller, &one, document)? else { return Err(Error::NotFound) };
    let Shown { content, answers, requester, signature } = shown;
    let kind = document.kind;
    let withheld = answers.as_ref().is_some_and(|answers| answers.subject_to_backup_withholding);
    Ok(Document {
        id: document.id,
        language: Language::English,
        title: kind.title(),
        code: "W-9 answers".to_owned(),
        intro: kind.intro(),
        signer: match one.kind {
            ContractorType::Individual => "Contractor",
            ContractorType::Business => "Business",
        },
        signed_by: content.signer_lines(),
        on_behalf_of: ("Requester", vec![requester]),
        sections: content.sections(answers.as_ref()),
        statement: kind.statement(withheld),
        signature: match signature {
            Some((name, at, ip)) => Signature::Given { name, at, ip },
            None => Signature::Missing { before: None },
        },
        preparers: Vec::new(),
        shares: Vec::new(),
    })
}

/// Deletes the documents of a contractor who is being deleted.
pub fn delete_documents(tx: &mut Tx<'_>, caller: &Caller, contractor: Uuid) -> Result<(), Error> {
    rows::delete_documents(tx, caller.company, contractor)
}

fn emit_document_event(
    tx: &mut Tx<'_>,
    caller: &Caller,
    event: EventType,
    document: &ContractorDocument,
) -> Result<(), Error> {
    events::emit_of_contractor(tx, caller.company, event, document.id, document.contractor)
}
