//! Use cases of employees' forms.
//!
//! A form that applies requires signing if and only if its content differs from the content last signed. [`refresh_forms`]
//! updates forms accordingly, in the transaction of every change to an employee's data and under the employee's guard.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use rules::Named;
use rules::employment::Again;
use rules::{Checks, Violation, effective};
use serde_json::json;
use sha2::{Digest, Sha256};
use store::{Tx, Unread};
use uuid::Uuid;
use zeroize::Zeroizing;

use super::commands::{SignForm, UpdateDocumentsConfig};
use super::content::{
    Address, Content, Deposit, DirectDepositContent, EmployeeFormKind, Employer, FormData, I9Content, Masked,
    Name, Snapshot, W4Answers, W4Content,
};
use super::document::{Document, Signature};
use super::i9;
use super::rows;
use super::rows::{Form, SIGNATURES};
use super::signature;
use super::signing;
use super::signing::Preparer;
use crate::access::tokens::Caller;
use crate::company::{companies, locations};
use crate::error::Error;
use crate::events;
use crate::events::EventType;
use crate::language::Language;
use crate::patch::as_is;
use crate::pay::compensations;
use crate::people::employees;
use crate::people::employees::Employee;
use crate::people::{addresses, employment, payment_methods};
use crate::platform::audit;
use crate::platform::hooks;
use crate::platform::hooks::EmployeeAspect;
use crate::withholding::taxes;

/// The documents requested from an employee.
#[derive(Debug, Clone, Copy)]
pub struct DocumentsConfig {
    /// identifier; `None` if no document is requested
    pub uuid: Option<Uuid>,
    /// whether Form I-9 is requested
    pub i9_document: bool,
}

/// Table of the record, for audit entries.
pub const TABLE: &str = Form::TABLE;

/// Returns the current content of each form that applies to the employee.
pub fn load_form_data(tx: &mut Tx<'_>, caller: &Caller, employee: &Employee) -> Result<FormData, Error> {
    let name = employee_name(employee);
    let address = current_home(tx, caller, employee.id)?;
    let ssn = masked_ssn(tx, caller, employee)?;
    let asked = asked_again(tx, caller, employee.id)?;
    let since = |what: Again| {
        let asked = asked.as_ref().filter(|(_, again)| again.contains(&what));
        asked.map(|(back, _)| back.to_string())
    };
    let w4 = taxes::rows::find_federal(tx, caller.company, employee.id)?.map(|answered| W4Content {
        name: name.clone(),
        address: address.clone(),
        ssn: ssn.clone(),
        answers: W4Answers::from(&answered.w4),
        rehired_on: since(Again::FormW4),
        exempt_in: answered.exempt_since.map(|day| day.year()),
    });
    let direct_deposit = direct_deposit(tx, caller, employee)?;
    if !employee.i9_document {
        return Ok(FormData { w4, direct_deposit, i9: None });
    }
    let i9 = I9Content {
        name,
        address,
        date_of_birth: employees::rows::birth_date(tx, caller.company, employee)?.map(|day| day.to_string()),
        ssn,
        email: employee.email.clone(),
        phone: employee.phone.clone(),
        authorization: i9::find_answers(tx, caller.company, employee.id)?,
        rehired_on: since(Again::FormI9),
    };
    Ok(FormData { w4, direct_deposit, i9: Some(i9) })
}

/// Returns the bank accounts that pay is split between, in order; `None` if the employee is not paid by direct deposit.
fn direct_deposit(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: &Employee,
) -> Result<Option<DirectDepositContent>, Error> {
    let method =
        payment_methods::rows::payment_method(tx, caller.company, (employee.id, &employee.payment_method))?;
    let Some(plan) = method.plan.filter(|_| method.kind == payment_methods::rows::DIRECT_DEPOSIT) else {
        return Ok(None);
    };
    let held = payment_methods::rows::employee_accounts(tx, caller.company, employee.id)?;
    let mut accounts = Vec::new();
    for split in &plan.splits {
        let Some(account) = held.iter().find(|account| account.id == split.account) else { continue };
        let number = account.account_number(tx, caller.company)?;
        accounts.push(Deposit {
            name: account.name.clone(),
            routing_number: account.routing_number(tx, caller.company)?,
            account_number: Masked::new(tx, caller.company, &number)?,
            account_type: account.account_type.as_str().to_owned(),
            share: Deposit::describe_share(plan.by, split.amount),
        });
    }
    Ok(Some(DirectDepositContent { name: employee_name(employee), accounts }))
}

/// Returns the first day back of a rehired employee and the forms that must be completed again since then.
fn asked_again(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
) -> Result<Option<(Date, Vec<Again>)>, Error> {
    let held = employment::rows::of_employee(tx, caller.company, employee)?;
    let pay = compensations::rows::of_employee(tx, caller.company, employee)?;
    let Some(hired) = compensations::rows::start_date(&pay) else { return Ok(None) };
    Ok(held.asked_again(hired, caller.today(tx)))
}

fn employee_name(employee: &Employee) -> Name {
    let Employee { first_name, middle_initial, last_name, .. } = employee;
    Name { first: first_name.clone(), middle: middle_initial.clone(), last: last_name.clone() }
}

fn current_home(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Result<Option<Address>, Error> {
    let homes = addresses::rows::home_addresses(tx, caller.company, employee)?;
    let active = effective::active_record(&homes, caller.today(tx), |home| home.effective_date);
    Ok(active.map(|home| Address {
        street_1: home.street_1.clone(),
        street_2: home.street_2.clone(),
        city: home.city.clone(),
        state: home.state.clone(),
        zip: home.zip.clone(),
    }))
}

fn masked_ssn(tx: &mut Tx<'_>, caller: &Caller, employee: &Employee) -> Result<Option<Masked>, Error> {
    let ssn = employees::rows::unseal_ssn(tx, caller.company, employee)?;
    ssn.map(|ssn| Masked::new(tx, caller.company, &ssn)).transpose()
}

fn content_digest(tx: &mut Tx<'_>, caller: &Caller, content: &Content) -> Result<Vec<u8>, Error> {
    Ok(tx.fingerprint(caller.company, "employee_forms.digest", &content.to_bytes())?.to_vec())
}

/// Updates the employee's forms if the changed data is part of a form. The caller holds the employee's guard.
pub fn employee_changed(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    aspect: EmployeeAspect,
) -> Result<(), Error> {
    use EmployeeAspect::{
        Compensation, Documents, Employment, FederalTax, HomeAddress, Onboarded, PaymentMethod, Person,
        PlannedReturn, Signature, StartDate, StateTax, WorkAddress,
    };
    match aspect {
        Person | HomeAddress | PaymentMethod | FederalTax | Documents | Employment => {}
        StartDate | Compensation | WorkAddress | StateTax | Signature | PlannedReturn | Onboarded => {
            return Ok(());
        }
    }
    let Some(employee) = Employee::find(tx, caller.company, employee)? else { return Ok(()) };
    refresh_forms(tx, caller, &employee)
}

/// Updates the employee's forms after their content changed: creates missing forms, requires a new signature if the
/// content differs from the signed content, and deletes forms that no longer apply, except signed ones. The caller holds
/// the employee's guard.
pub fn refresh_forms(tx: &mut Tx<'_>, caller: &Caller, employee: &Employee) -> Result<(), Error> {
    let data = load_form_data(tx, caller, employee)?;
    let held = rows::of_employee(tx, caller.company, employee.id)?;
    for &kind in EmployeeFormKind::ALL {
        let content = data.get(kind);
        match (content, held.iter().find(|form| form.kind == kind)) {
            (None, None) => {}
            (Some(content), None) => create_form(tx, caller, employee.id, &content)?,
            (content, Some(form)) => update_form(tx, caller, form, content.as_ref())?,
        }
    }
    Ok(())
}

fn create_form(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid, content: &Content) -> Result<(), Error> {
    let kind = content.kind();
    let form = Form {
        employee,
        id: tx.new_id(),
        kind,
        year: tax_year(tx, caller, kind),
        requires_signing: true,
        digest: content_digest(tx, caller, content)?,
    };
    form.insert(tx, caller.company)?;
    audit::record_audit_entry(
        tx,
        caller,
        "created",
        (TABLE, form.id),
        &json!({ "name": [null, kind.as_str()] }),
    )?;
    emit_form_event(tx, caller, events::FORM_CREATED, form.id, employee)
}

fn update_form(
    tx: &mut Tx<'_>,
    caller: &Caller,
    before: &Form,
    content: Option<&Content>,
) -> Result<(), Error> {
    let signed = rows::last_digest(tx, caller.company, before.employee, before.id)?;
    let Some(content) = content else {
        if signed.is_none() {
            assert!(before.delete(tx, caller.company)?, "the row was read under its guard");
            return audit::record_audit_entry(tx, caller, "deleted", (TABLE, before.id), &json!({}));
        }
        return store_form_change(tx, caller, before, Form { requires_signing: false, ..before.clone() });
    };
    let digest = content_digest(tx, caller, content)?;
    if digest == before.digest && before.requires_signing == (signed.as_ref() != Some(&digest)) {
        return Ok(());
    }
    let requires_signing = signed.is_none_or(|signed| signed != digest);
    // A form that requires a new signature is for the current year.
    let year = if requires_signing { tax_year(tx, caller, before.kind) } else { before.year };
    store_form_change(tx, caller, before, Form { year, requires_signing, digest, ..before.clone() })
}

/// Stores a changed form. Emits an event only if `requires_signing` changed.
fn store_form_change(tx: &mut Tx<'_>, caller: &Caller, before: &Form, after: Form) -> Result<(), Error> {
    if *before == after {
        return Ok(());
    }
    assert!(after.update(tx, caller.company)?, "the row was read under its guard");
    if before.requires_signing != after.requires_signing {
        let changes = json!({ "requires_signing": [before.requires_signing, after.requires_signing] });
        audit::record_audit_entry(tx, caller, "updated", (TABLE, after.id), &changes)?;
        emit_form_event(tx, caller, events::FORM_UPDATED, after.id, after.employee)?;
    }
    Ok(())
}

pub(super) fn emit_form_event(
    tx: &mut Tx<'_>,
    caller: &Caller,
    event: EventType,
    form: Uuid,
    employee: Uuid,
) -> Result<(), Error> {
    events::emit_of_employee(tx, caller.company, event, form, employee)
}

/// Returns the tax year of a form. Only withholding certificates have one.
fn tax_year(tx: &Tx<'_>, caller: &Caller, kind: EmployeeFormKind) -> Option<i64> {
    (kind == EmployeeFormKind::W4).then(|| i64::from(caller.today(tx).year()))
}

/// Whether one of the employee's forms requires signing; `None` if there are no forms.
pub fn waits_for_signature(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Result<Option<bool>, Error> {
    let forms = rows::of_employee(tx, caller.company, employee)?;
    Ok((!forms.is_empty()).then(|| forms.iter().any(|form| form.requires_signing)))
}

/// Returns the employee's forms, oldest first.
///
/// # Errors
/// "Not found"; a store error.
pub fn list_forms(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Result<Vec<Form>, Error> {
    let employee = employees::service::find_employee(tx, caller, employee)?.id;
    rows::of_employee(tx, caller.company, employee)
}

/// Returns a form of the employee.
///
/// # Errors
/// "Not found"; a store error.
pub fn find_form(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid, id: Uuid) -> Result<Form, Error> {
    Form::find(tx, caller.company, employee, id)?.ok_or(Error::NotFound)
}

/// Signs a form.
///
/// # Errors
/// "Not found"; violations if the form does not require signing or cannot be signed yet, or if the input is invalid; a
/// store error.
pub fn sign_form(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    id: Uuid,
    input: &SignForm,
) -> Result<Form, Error> {
    let employee = employees::service::find_guarded(tx, caller, employee)?;
    let before = find_form(tx, caller, employee.id, id)?;
    let content = load_form_data(tx, caller, &employee)?.get(before.kind);
    let mut checks = Checks::new();
    checks.require(before.requires_signing, || {
        Violation::invalid_operation(
            "This form has already been signed. A new signature is requested when its content changes.",
        )
    });
    checks.require(!matches!(&content, Some(Content::I9(i9)) if i9.authorization.is_none()), || {
        Violation::invalid_operation(
            "Form I-9 can be signed once the employee has stated the basis of the right to work (i9_authorization).",
        )
    });
    let signing = signing::check_signing(input, before.kind, &mut checks);
    checks.finish()?;
    // `refresh` ensures that a form that requires signing has content.
    let (Some(signing), Some(content)) = (signing, content) else {
        return Err(Error::internal("a form that is signed has no content"));
    };

    let digest = content_digest(tx, caller, &content)?;
    let signature = signature::Signature {
        id: tx.new_id(),
        digest: digest.clone(),
        content: json_bytes(&make_snapshot(tx, caller, content)?),
        signature_text: Zeroizing::new(signing.text.into_bytes()),
        ip: signing.ip.to_string(),
        signed_at: tx.now(),
    };
    let preparers = json_bytes(&signing.preparers);
    let signed = (&signature, preparers.as_slice());
    rows::insert_signature(tx, caller.company, (employee.id, id), signed, caller.actor.kind_and_id())?;
    let after = Form { requires_signing: false, digest, ..before };
    assert!(after.update(tx, caller.company)?, "the row was read under its guard");
    audit::record_audit_entry(
        tx,
        caller,
        "signed",
        (TABLE, id),
        &json!({ "requires_signing": [true, false] }),
    )?;
    emit_form_event(tx, caller, events::FORM_SIGNED, id, employee.id)?;
    hooks::employee_changed(tx, caller, employee.id, EmployeeAspect::Signature)?;
    find_form(tx, caller, employee.id, id)
}

/// Serializes a value to JSON for sealing.
pub(super) fn json_bytes<T: serde::Serialize>(value: &T) -> Zeroizing<Vec<u8>> {
    Zeroizing::new(
        serde_json::to_vec(value).unwrap_or_else(|error| panic!("a record is always JSON: {error}")),
    )
}

fn make_snapshot(tx: &mut Tx<'_>, caller: &Caller, content: Content) -> Result<Snapshot, Error> {
    let company = companies::find_company(tx, caller.company)?;
    let locations = locations::rows::of_company(tx, caller.company)?;
    let seat = locations
        .iter()
        .find(|place| place.filing_address)
        .or(locations.iter().find(|place| place.mailing_address));
    let employer = Employer {
        name: company.as_ref().map(|company| company.name.clone()).unwrap_or_default(),
        ein: company.and_then(|company| company.ein),
        address: seat.map(|place| Address {
            street_1: place.street_1.clone(),
            street_2: place.street_2.clone(),
            city: place.city.clone(),
            state: place.state.clone(),
            zip: place.zip.clone(),
        }),
    };
    let zone = caller.zone.iana_name().unwrap_or("UTC").to_owned();
    Ok(Snapshot { content, employer, zone })
}

/// Returns the document of a form, with the signed content, or the content to sign if the form requires signing.
///
/// # Errors
/// "Not found" if the form no longer applies and was never signed; a store error.
pub fn form_document(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: &Employee,
    form: &Form,
) -> Result<Document, Error> {
    let last = rows::last_signature(tx, caller.company, employee.id, form.id)?;
    let (snapshot, signature, preparers) = match last {
        Some((last, preparers)) if !form.requires_signing => {
            let snapshot: Snapshot = rows::parse_json(SIGNATURES, "content", &last.content)?;
            let preparers: Vec<Preparer> = rows::parse_json(SIGNATURES, "preparers", &preparers)?;
            let unknown_zone =
                |_| Unread::new("holds an unknown time zone").into_error(SIGNATURES, "content");
            let zone = TimeZone::get(&snapshot.zone).map_err(unknown_zone)?;
            let signature = Signature::Given {
                name: rows::decode_utf8(SIGNATURES, "signature_text", &last.signature_text)?,
                at: last.signed_at.to_zoned(zone),
                ip: last.ip,
            };
            (snapshot, signature, preparers)
        }
        last => {
            let content = load_form_data(tx, caller, employee)?.get(form.kind).ok_or(Error::NotFound)?;
            let before = last.map(|(last, _)| last.signed_at.to_zoned(caller.zone.clone()));
            (make_snapshot(tx, caller, content)?, Signature::Missing { before }, Vec::new())
        }
    };
    Ok(compose_document(form, &snapshot, signature, &preparers))
}

/// Composes the document of a form from a snapshot.
pub fn compose_document(
    form: &Form,
    shown: &Snapshot,
    signature: Signature,
    preparers: &[Preparer],
) -> Document {
    let kind = form.kind;
    let code = match form.year {
        Some(year) => format!("{} \u{B7} {year}", kind.code()),
        None => kind.code().to_owned(),
    };
    Document {
        id: form.id,
        language: Language::English,
        title: kind.title(),
        code,
        intro: kind.intro(),
        signer: "Employee",
        signed_by: shown.content.employee_lines(),
        on_behalf_of: ("Employer", shown.employer.employer_lines()),
        sections: shown.content.sections(),
        statement: kind.statement(),
        signature,
        preparers: (1..).zip(preparers).map(|(number, preparer)| preparer.preparer_section(number)).collect(),
        shares: Vec::new(),
    }
}

/// Sets whether Form I-9 is requested.
///
/// # Errors
/// "Not found", every violation of the input; a store error.
pub fn configure_documents(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    input: &UpdateDocumentsConfig,
) -> Result<DocumentsConfig, Error> {
    let employee = employees::service::find_guarded(tx, caller, employee)?;
    let mut checks = Checks::new();
    let i9_document = input.i9_document.optional("i9_document", &mut checks, as_is).unwrap_or(false);
    checks.finish()?;
    if i9_document != employee.i9_document {
        let found = rows::set_i9_document(tx, caller.company, employee.id, i9_document)?;
        assert!(found, "the row was read under its guard");
        let changes = json!({ "i9_document": [employee.i9_document, i9_document] });
        audit::record_audit_entry(tx, caller, "updated", (employees::service::TABLE, employee.id), &changes)?;
        events::emit_event(tx, caller.company, events::EMPLOYEE_UPDATED, employee.id)?;
        hooks::employee_changed(tx, caller, employee.id, EmployeeAspect::Documents)?;
    }
    Ok(documents_config(caller.company, employee.id, i9_document))
}

/// Returns the documents requested from an employee. The id is derived from the company's and the employee's ids.
pub fn documents_config(company: Uuid, employee: Uuid, i9_document: bool) -> DocumentsConfig {
    let derived = || {
        let mut hash = Sha256::new();
        hash.update("onboarding_documents_config");
        hash.update(company.as_bytes());
        hash.update(employee.as_bytes());
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&hash.finalize()[..16]);
        uuid::Builder::from_custom_bytes(bytes).into_uuid()
    };
    DocumentsConfig { uuid: i9_document.then(derived), i9_document }
}

/// Deletes the forms of a deleted employee.
pub fn delete_forms(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Result<(), Error> {
    rows::delete_form_records(tx, caller.company, employee)
}
