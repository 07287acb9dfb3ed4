//! Use cases of companies' forms.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use rules::Named;
use rules::{Checks, Violation};
use serde_json::json;
use store::Tx;
use uuid::Uuid;
use zeroize::Zeroizing;

use super::content::{CompanyFormKind, Content, Particular, Signer};
use super::rows;
use super::rows::{Form, SIGNATURES};
use crate::access::tokens::Caller;
use crate::company::signatories;
use crate::company::signatories::{IdentityCheck, Signatory};
use crate::company::taxes::rows as taxes;
use crate::company::{banks as company_banks, companies, locations};
use crate::error::Error;
use crate::events;
use crate::events::EventType;
use crate::language::Language;
use crate::people::forms::commands::ElectronicSignature;
use crate::people::forms::content::{Address, Masked};
use crate::people::forms::document::{Document, Signature};
use crate::people::forms::{rows as employee_forms, signature, signing};
use crate::platform::audit;

/// Table of the record, in audit entries.
pub const TABLE: &str = Form::TABLE;

/// The current content of each form that applies to the company.
fn load_contents(tx: &mut Tx<'_>, caller: &Caller) -> Result<Vec<Content>, Error> {
    let company = companies::find_company(tx, caller.company)?.ok_or(Error::NotFound)?;
    let federal = taxes::find_federal(tx, caller.company)?;
    let places = locations::rows::of_company(tx, caller.company)?;
    let signatory = signatories::of_company(tx, caller.company)?;
    let seat = places.iter().find(|place| place.filing_address);
    let whole = Content {
        company: company.name,
        trade_name: company.trade_name,
        ein: company.ein,
        address: seat.map(|place| Address {
            street_1: place.street_1.clone(),
            street_2: place.street_2.clone(),
            city: place.city.clone(),
            state: place.state.clone(),
            zip: place.zip.clone(),
        }),
        signatory: signatory.as_ref().map(|signatory| Signer {
            name: format!("{} {}", signatory.first_name, signatory.last_name),
            title: signatory.title.clone(),
        }),
        particular: Particular::ReportingAgent { filing_form: String::new() },
    };
    let mut contents = Vec::new();
    if let Some(federal) = federal.filter(|_| whole.ein.is_some() && company.entity_type.is_some()) {
        let filing_form = federal.filing_form.as_str().to_owned();
        contents.push(Content { particular: Particular::ReportingAgent { filing_form }, ..whole.clone() });
    }
    if let Some(account) = company_banks::rows::current_account(tx, caller.company)? {
        let number = account.account_number(tx, caller.company)?;
        let particular = Particular::DirectDeposit {
            routing_number: account.routing_number(tx, caller.company)?,
            account_number: Masked::new(tx, caller.company, &number)?,
            account_type: account.account_type.as_str().to_owned(),
        };
        // This form does not show the EIN.
        contents.push(Content { particular, ein: None, ..whole });
    }
    Ok(contents)
}

/// The fingerprint of a content. Excludes the address: a company that moves needs no new authorization.
fn content_digest(tx: &mut Tx<'_>, caller: &Caller, content: &Content) -> Result<Vec<u8>, Error> {
    let signed = Content { address: None, ..content.clone() };
    Ok(tx.fingerprint(caller.company, "company_forms.digest", &signed.to_bytes())?.to_vec())
}

/// Updates the company's forms after a change of their content: creates missing forms, requires a new signature if the
/// content is not the signed one, and deletes forms that no longer apply, except signed ones.
pub fn refresh_forms(tx: &mut Tx<'_>, caller: &Caller) -> Result<(), Error> {
    tx.take_guard(caller.company, TABLE, caller.company)?;
    let contents = load_contents(tx, caller)?;
    let held = rows::of_company(tx, caller.company)?;
    for &kind in CompanyFormKind::ALL {
        let content = contents.iter().find(|content| content.kind() == kind);
        match (content, held.iter().find(|form| form.kind == kind)) {
            (None, None) => {}
            (Some(content), None) => make_form(tx, caller, content)?,
            (content, Some(form)) => update_form(tx, caller, form, content)?,
        }
    }
    Ok(())
}

fn make_form(tx: &mut Tx<'_>, caller: &Caller, content: &Content) -> Result<(), Error> {
    let kind = content.kind();
    let id = tx.new_id();
    let digest = content_digest(tx, caller, content)?;
    let form = Form { id, kind, requires_signing: true, digest, updated_at: tx.now() };
    form.insert(tx, caller.company)?;
    audit::record_audit_entry(
        tx,
        caller,
        "created",
        (TABLE, form.id),
        &json!({ "name": [null, kind.as_str()] }),
    )?;
    emit_form_event(tx, caller, events::COMPANY_FORM_CREATED, form.id)?;
    emit_form_event(tx, caller, events::NOTIFICATION_DOCUMENTS_CREATED, form.id)
}

fn update_form(
    tx: &mut Tx<'_>,
    caller: &Caller,
    before: &Form,
    content: Option<&Content>,
) -> Result<(), Error> {
    let signed = rows::last_signature(tx, caller.company, before.id)?.map(|last| last.digest);
    let after = match (content, &signed) {
        (None, None) => {
            assert!(before.delete(tx, caller.company)?, "the row was read under its guard");
            if before.requires_signing {
                emit_form_event(tx, caller, events::NOTIFICATION_DOCUMENTS_RESOLVED, before.id)?;
            }
            return audit::record_audit_entry(tx, caller, "deleted", (TABLE, before.id), &json!({}));
        }
        (None, Some(_)) => Form { requires_signing: false, ..before.clone() },
        (Some(content), _) => {
            let digest = content_digest(tx, caller, content)?;
            let requires_signing = signed.as_ref() != Some(&digest);
            Form { requires_signing, digest, ..before.clone() }
        }
    };
    // A form that changes again before it is signed keeps the time of the first request.
    if before.requires_signing == after.requires_signing {
        return Ok(());
    }
    assert!(after.update(tx, caller.company)?, "the row was read under its guard");
    let changes = json!({ "requires_signing": [before.requires_signing, after.requires_signing] });
    audit::record_audit_entry(tx, caller, "updated", (TABLE, after.id), &changes)?;
    emit_form_event(tx, caller, events::COMPANY_FORM_UPDATED, after.id)?;
    let told = match after.requires_signing {
        true => events::NOTIFICATION_DOCUMENTS_CREATED,
        false => events::NOTIFICATION_DOCUMENTS_RESOLVED,
    };
    emit_form_event(tx, caller, told, after.id)
}

fn emit_form_event(tx: &mut Tx<'_>, caller: &Caller, event: EventType, form: Uuid) -> Result<(), Error> {
    events::emit_of_company(tx, caller.company, event, form)
}

/// When the last form was signed; `None` while there is none, or one requires signing.
pub fn all_signed_at(tx: &mut Tx<'_>, caller: &Caller) -> Result<Option<Timestamp>, Error> {
    let forms = rows::of_company(tx, caller.company)?;
    let mut last = None;
    for form in &forms {
        if form.requires_signing {
            return Ok(None);
        }
        last = last.max(rows::last_signature(tx, caller.company, form.id)?.map(|last| last.signed_at));
    }
    Ok(last)
}

/// The company's forms, oldest first.
pub fn list_forms(tx: &mut Tx<'_>, caller: &Caller) -> Result<Vec<Form>, Error> {
    rows::of_company(tx, caller.company)
}

/// A form of the company.
///
/// # Errors
/// "Not found"; a store error.
pub fn find_form(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<Form, Error> {
    rows::of_company(tx, caller.company)?.into_iter().find(|form| form.id == id).ok_or(Error::NotFound)
}

/// Signs a form.
///
/// # Errors
/// "Not found"; violations if the form does not require signing, the signatory is missing or incomplete, or the input is
/// invalid; a store error.
pub fn sign_form(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    input: &ElectronicSignature,
) -> Result<Form, Error> {
    tx.take_guard(caller.company, TABLE, caller.company)?;
    let before = find_form(tx, caller, id)?;
    let content = load_contents(tx, caller)?.into_iter().find(|content| content.kind() == before.kind);
    let signatory = signatories::of_company(tx, caller.company)?;
    let complete = signatory.as_ref().is_some_and(Signatory::is_complete);
    let failed = signatory.is_some_and(|signatory| signatory.identity_check == Some(IdentityCheck::Fail));
    let mut checks = Checks::new();
    checks.require(before.requires_signing, || {
        Violation::invalid_operation(
            "This form has already been signed. A new signature is requested when its content changes.",
        )
    });
    checks.require(complete, || {
        Violation::invalid_operation(
            "The form cannot be signed yet: the company needs a signatory with complete details.",
        )
    });
    checks.require(!failed, || {
        Violation::invalid_operation(
            "The signatory's identity check failed: forms cannot be signed until it has passed.",
        )
    });
    let signing = signing::read_signature(input, &mut checks);
    checks.finish()?;
    // `refresh` ensures that a form that requires signing applies.
    let (Some((text, ip)), Some(content)) = (signing, content) else {
        return Err(Error::internal("a form that is signed has no content"));
    };

    let digest = content_digest(tx, caller, &content)?;
    let signature = signature::Signature {
        id: tx.new_id(),
        digest: digest.clone(),
        content: Zeroizing::new(content.to_bytes()),
        signature_text: Zeroizing::new(text.into_bytes()),
        ip: ip.to_string(),
        signed_at: tx.now(),
    };
    rows::insert_signature(tx, caller.company, id, &signature, caller.actor.kind_and_id())?;
    let after = Form { requires_signing: false, digest, ..before };
    assert!(after.update(tx, caller.company)?, "the row was read under its guard");
    audit::record_audit_entry(
        tx,
        caller,
        "signed",
        (TABLE, id),
        &json!({ "requires_signing": [true, false] }),
    )?;
    emit_form_event(tx, caller, events::COMPANY_FORM_SIGNED, id)?;
    emit_form_event(tx, caller, events::NOTIFICATION_DOCUMENTS_RESOLVED, id)?;
    Ok(after)
}

/// The document of a form: the signed content, or the content to sign if the form requires signing.
///
/// # Errors
/// "Not found" if the form no longer applies and was never signed; a store error.
pub fn form_document(tx: &mut Tx<'_>, caller: &Caller, form: &Form) -> Result<Document, Error> {
    let last = rows::last_signature(tx, caller.company, form.id)?;
    let zone: &TimeZone = &caller.zone;
    let (content, signature) = match last {
        Some(last) if !form.requires_signing => {
            let content: Content = employee_forms::parse_json(SIGNATURES, "content", &last.content)?;
            let name = employee_forms::decode_utf8(SIGNATURES, "signature_text", &last.signature_text)?;
            (content, Signature::Given { name, at: last.signed_at.to_zoned(zone.clone()), ip: last.ip })
        }
        last => {
            let contents = load_contents(tx, caller)?;
            let content = contents.into_iter().find(|content| content.kind() == form.kind);
            let before = last.map(|last| last.signed_at.to_zoned(zone.clone()));
            (content.ok_or(Error::NotFound)?, Signature::Missing { before })
        }
    };
    let kind = form.kind;
    Ok(Document {
        id: form.id,
        language: Language::English,
        title: kind.title(),
        code: kind.code().to_owned(),
        intro: kind.intro(),
        signer: "Signatory",
        signed_by: content.signer_lines(),
        on_behalf_of: ("Company", content.company_lines()),
        sections: content.sections(),
        statement: kind.statement(),
        signature,
        preparers: Vec::new(),
        shares: Vec::new(),
    })
}
