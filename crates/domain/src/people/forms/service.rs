//! Which forms an employee has, what they show, and signing them.
//!
//! A form requires signing exactly when what it shows today is not what the last signature under it was for. So the
//! records are brought up to date ([`refresh`]) in the unit of work of every change of an employee's data, under the
//! employee's guard.

use jiff::tz::TimeZone;
use rules::Named;
use rules::{Checks, Violation, effective};
use serde_json::json;
use sha2::{Digest, Sha256};
use store::Tx;
use uuid::Uuid;
use zeroize::Zeroizing;

use super::content::{
    Address, Content, Deposit, DirectDepositContent, Employer, FormData, I9Content, Kind, Masked, Name,
    Snapshot, W4Answers, W4Content,
};
use super::document::{Document, Signature};
use super::i9;
use super::rows;
use super::rows::Form;
use super::signing;
use super::signing::Preparer;
use crate::access::tokens::Caller;
use crate::company::{companies, locations};
use crate::error::Error;
use crate::events;
use crate::events::EventType;
use crate::field::as_is;
use crate::people::employees;
use crate::people::employees::{DocumentsConfig, Employee};
use crate::people::forms::shapes;
use crate::people::forms::shapes::{SignForm, UpdateDocumentsConfig};
use crate::people::{addresses, onboarding, payment_methods};
use crate::platform::audit;
use crate::withholding::taxes;

/// Table of the record, in audit entries.
pub const TABLE: &str = "employee_forms";

/// What each form that applies to the employee shows today.
///
/// # Errors
/// A store error.
pub fn load(tx: &mut Tx<'_>, caller: &Caller, employee: &Employee) -> Result<FormData, Error> {
    let name = name(employee);
    let address = home(tx, caller, employee.id)?;
    let ssn = ssn(tx, caller, employee)?;
    let w4 = taxes::rows::find_federal(tx, caller.company, employee.id)?.map(|answered| W4Content {
        name: name.clone(),
        address: address.clone(),
        ssn: ssn.clone(),
        answers: W4Answers::from(&answered.w4),
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
        authorization: i9::answers(tx, caller.company, employee.id)?,
    };
    Ok(FormData { w4, direct_deposit, i9: Some(i9) })
}

/// The accounts that pay goes to, in the order in which they are filled up; nothing for checks.
fn direct_deposit(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: &Employee,
) -> Result<Option<DirectDepositContent>, Error> {
    let method = payment_methods::rows::method(tx, caller.company, employee)?;
    let Some(plan) = method.plan.filter(|_| method.kind == payment_methods::rows::DIRECT_DEPOSIT) else {
        return Ok(None);
    };
    let held = payment_methods::rows::accounts(tx, caller.company, employee.id)?;
    let mut accounts = Vec::new();
    for split in &plan.splits {
        let Some(account) = held.iter().find(|account| account.id == split.account) else { continue };
        let number = account.account_number(tx, caller.company)?;
        accounts.push(Deposit {
            name: account.name.clone(),
            routing_number: account.routing_number(tx, caller.company)?,
            account_number: Masked::new(tx, caller.company, &number)?,
            account_type: account.account_type.as_str().to_owned(),
            share: Deposit::share(plan.by, split.amount),
        });
    }
    Ok(Some(DirectDepositContent { name: name(employee), accounts }))
}

fn name(employee: &Employee) -> Name {
    let Employee { first_name, middle_initial, last_name, .. } = employee;
    Name { first: first_name.clone(), middle: middle_initial.clone(), last: last_name.clone() }
}

fn home(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Result<Option<Address>, Error> {
    let homes = addresses::rows::homes(tx, caller.company, employee)?;
    let active = effective::active(&homes, caller.today(tx), |home| home.effective_date);
    Ok(active.map(|home| Address {
        street_1: home.street_1.clone(),
        street_2: home.street_2.clone(),
        city: home.city.clone(),
        state: home.state.clone(),
        zip: home.zip.clone(),
    }))
}

fn ssn(tx: &mut Tx<'_>, caller: &Caller, employee: &Employee) -> Result<Option<Masked>, Error> {
    let ssn = employees::rows::ssn(tx, caller.company, employee)?;
    ssn.map(|ssn| Masked::new(tx, caller.company, &ssn)).transpose()
}

fn digest(tx: &mut Tx<'_>, caller: &Caller, content: &Content) -> Result<Vec<u8>, Error> {
    Ok(tx.fingerprint(caller.company, "employee_forms.digest", &content.to_bytes())?.to_vec())
}

/// Brings the records of the employee's forms up to date: makes those that are missing, asks for a new signature
/// where the data are no longer those that were signed, and takes back what does not apply any more. What was signed
/// is kept. To be called under the employee's guard, after every change of what a form shows.
///
/// # Errors
/// A store error.
pub fn refresh(tx: &mut Tx<'_>, caller: &Caller, employee: &Employee) -> Result<(), Error> {
    let data = load(tx, caller, employee)?;
    let held = rows::of_employee(tx, caller.company, employee.id)?;
    for kind in Kind::ALL {
        let content = data.get(kind);
        match (content, held.iter().find(|form| form.kind == kind)) {
            (None, None) => {}
            (Some(content), None) => make(tx, caller, employee.id, &content)?,
            (content, Some(form)) => settle(tx, caller, employee.id, form, content.as_ref())?,
        }
    }
    Ok(())
}

fn make(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid, content: &Content) -> Result<(), Error> {
    let kind = content.kind();
    let form = Form {
        id: tx.new_id(),
        kind,
        year: year(tx, caller, kind),
        requires_signing: true,
        digest: digest(tx, caller, content)?,
    };
    rows::insert(tx, caller.company, employee, &form)?;
    audit::record(tx, caller, "created", (TABLE, form.id), &json!({ "name": [null, kind.as_str()] }))?;
    emit(tx, caller, events::FORM_CREATED, form.id, employee)
}

fn settle(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    before: &Form,
    content: Option<&Content>,
) -> Result<(), Error> {
    let signed = rows::last_digest(tx, caller.company, employee, before.id)?;
    let Some(content) = content else {
        if signed.is_none() {
            let deleted = rows::delete(tx, caller.company, employee, before.id)?;
            assert!(deleted, "the row was read under its guard");
            return audit::record(tx, caller, "deleted", (TABLE, before.id), &json!({}));
        }
        return change(tx, caller, employee, before, Form { requires_signing: false, ..before.clone() });
    };
    let digest = digest(tx, caller, content)?;
    if digest == before.digest && before.requires_signing == (signed.as_ref() != Some(&digest)) {
        return Ok(());
    }
    let requires_signing = signed.is_none_or(|signed| signed != digest);
    // A certificate that has to be signed anew is one of the year in which that comes up.
    let year = if requires_signing { year(tx, caller, before.kind) } else { before.year };
    change(tx, caller, employee, before, Form { year, requires_signing, digest, ..before.clone() })
}

/// Stores a form as it is now; whoever watches hears of it if it is told differently.
fn change(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid, before: &Form, after: Form) -> Result<(), Error> {
    if *before == after {
        return Ok(());
    }
    assert!(rows::update(tx, caller.company, employee, &after)?, "the row was read under its guard");
    if before.requires_signing != after.requires_signing {
        let changes = json!({ "requires_signing": [before.requires_signing, after.requires_signing] });
        audit::record(tx, caller, "updated", (TABLE, after.id), &changes)?;
        emit(tx, caller, events::FORM_UPDATED, after.id, employee)?;
    }
    Ok(())
}

fn emit(tx: &mut Tx<'_>, caller: &Caller, event: EventType, form: Uuid, employee: Uuid) -> Result<(), Error> {
    events::emit_of_employee(tx, caller.company, event, form, employee)
}

/// The year that a form is for: withholding certificates are made anew each year.
fn year(tx: &Tx<'_>, caller: &Caller, kind: Kind) -> Option<i64> {
    (kind == Kind::W4).then(|| i64::from(caller.today(tx).year()))
}

/// Whether the employee has forms and none of them requires signing.
///
/// # Errors
/// A store error.
pub fn all_signed(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Result<bool, Error> {
    let forms = rows::of_employee(tx, caller.company, employee)?;
    Ok(!forms.is_empty() && forms.iter().all(|form| !form.requires_signing))
}

/// The employee's forms, in the order of creation.
///
/// # Errors
/// "Not found"; a store error.
pub fn list(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Result<Vec<shapes::Form>, Error> {
    let employee = employees::service::find(tx, caller, employee)?.id;
    Ok(rows::of_employee(tx, caller.company, employee)?.iter().map(Into::into).collect())
}

/// A form.
///
/// # Errors
/// "Not found"; a store error.
pub fn get(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid, id: Uuid) -> Result<shapes::Form, Error> {
    find(tx, caller, employee, id).map(|form| (&form).into())
}

/// The form, or "not found".
///
/// # Errors
/// "Not found"; a store error.
pub fn find(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid, id: Uuid) -> Result<Form, Error> {
    rows::find(tx, caller.company, employee, id)?.ok_or(Error::NotFound)
}

/// Takes the employee's signature; `header` is the signer's address as a header says it.
///
/// # Errors
/// "Not found"; 422 for a form that does not require signing or cannot be signed yet, and for every fault of the
/// input; a store error.
pub fn sign(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    id: Uuid,
    input: &SignForm,
    header: Option<&str>,
) -> Result<shapes::Form, Error> {
    let employee = employees::service::find_guarded(tx, caller, employee)?;
    let before = find(tx, caller, employee.id, id)?;
    let content = load(tx, caller, &employee)?.get(before.kind);
    let mut checks = Checks::new();
    checks.require(before.requires_signing, || {
        Violation::operation(
            "This form is signed already. A new signature is asked for when its data change.",
        )
    });
    checks.require(!matches!(&content, Some(Content::I9(i9)) if i9.authorization.is_none()), || {
        Violation::operation(
            "Form I-9 can be signed once the employee has said what the right to work rests on (i9_authorization).",
        )
    });
    let signing = signing::read(input, header, before.kind, &mut checks);
    checks.finish()?;
    // A form that requires signing applies, or `refresh` would have said otherwise.
    let (Some(signing), Some(content)) = (signing, content) else { return Err(Error::Internal) };

    let digest = digest(tx, caller, &content)?;
    let signature = rows::Signature {
        id: tx.new_id(),
        digest: digest.clone(),
        content: json_bytes(&snapshot(tx, caller, content)?),
        signature_text: Zeroizing::new(signing.text.into_bytes()),
        preparers: json_bytes(&signing.preparers),
        ip: signing.ip.to_string(),
        signed_at: tx.now(),
    };
    rows::insert_signature(tx, caller.company, (employee.id, id), &signature, caller.actor.kind_and_id())?;
    let after = Form { requires_signing: false, digest, ..before };
    assert!(rows::update(tx, caller.company, employee.id, &after)?, "the row was read under its guard");
    audit::record(tx, caller, "signed", (TABLE, id), &json!({ "requires_signing": [true, false] }))?;
    emit(tx, caller, events::FORM_SIGNED, id, employee.id)?;
    onboarding::service::after_change(tx, caller, employee.id)?;
    get(tx, caller, employee.id, id)
}

fn json_bytes<T: serde::Serialize>(value: &T) -> Zeroizing<Vec<u8>> {
    Zeroizing::new(
        serde_json::to_vec(value).unwrap_or_else(|error| panic!("a record is always JSON: {error}")),
    )
}

fn snapshot(tx: &mut Tx<'_>, caller: &Caller, content: Content) -> Result<Snapshot, Error> {
    let company = companies::find(tx, caller.company)?;
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

/// The document of a form: what was signed while that holds, and what is to be signed otherwise.
///
/// # Errors
/// "Not found" for a form that does not apply any more and was never signed; a store error.
pub fn document(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: &Employee,
    form: &Form,
) -> Result<Document, Error> {
    let last = rows::last_signature(tx, caller.company, employee.id, form.id)?;
    let (snapshot, signature, preparers) = match last {
        Some(last) if !form.requires_signing => {
            let snapshot: Snapshot = serde_json::from_slice(&last.content).map_err(|_| Error::Internal)?;
            let preparers: Vec<Preparer> =
                serde_json::from_slice(&last.preparers).map_err(|_| Error::Internal)?;
            let zone = TimeZone::get(&snapshot.zone).unwrap_or(TimeZone::UTC);
            let signature = Signature::Given {
                name: String::from_utf8_lossy(&last.signature_text).into_owned(),
                at: last.signed_at.to_zoned(zone),
                ip: last.ip,
            };
            (snapshot, signature, preparers)
        }
        last => {
            let content = load(tx, caller, employee)?.get(form.kind).ok_or(Error::NotFound)?;
            let before = last.map(|last| last.signed_at.to_zoned(caller.zone.clone()));
            (snapshot(tx, caller, content)?, Signature::Missing { before }, Vec::new())
        }
    };
    Ok(compose(form, &snapshot, signature, &preparers))
}

/// The document of a form that shows a snapshot.
pub fn compose(form: &Form, shown: &Snapshot, signature: Signature, preparers: &[Preparer]) -> Document {
    let kind = form.kind;
    let code = match form.year {
        Some(year) => format!("{} \u{B7} {year}", kind.code()),
        None => kind.code().to_owned(),
    };
    Document {
        id: form.id,
        title: kind.title(),
        code,
        intro: kind.intro(),
        signer: "Employee",
        signed_by: shown.content.employee(),
        on_behalf_of: ("Employer", shown.employer.lines()),
        sections: shown.content.sections(),
        statement: kind.statement(),
        signature,
        preparers: (1..).zip(preparers).map(|(number, preparer)| preparer.section(number)).collect(),
    }
}

/// Says whether Form I-9 is asked for.
///
/// # Errors
/// "Not found", every violation of the input; a store error.
pub fn configure(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    input: &UpdateDocumentsConfig,
) -> Result<DocumentsConfig, Error> {
    let employee = employees::service::find_guarded(tx, caller, employee)?;
    let mut checks = Checks::new();
    let asked = input.i9_document.optional("i9_document", &mut checks, as_is).unwrap_or(false);
    checks.finish()?;
    if asked != employee.i9_document {
        let found = rows::set_i9_document(tx, caller.company, employee.id, asked)?;
        assert!(found, "the row was read under its guard");
        let changes = json!({ "i9_document": [employee.i9_document, asked] });
        audit::record(tx, caller, "updated", (employees::service::TABLE, employee.id), &changes)?;
        events::emit(tx, caller.company, events::EMPLOYEE_UPDATED, employee.id)?;
        onboarding::service::after_change(tx, caller, employee.id)?;
    }
    Ok(documents_config(caller.company, employee.id, asked))
}

/// Which documents an employee is asked for, as it is told. Its identifier follows from the employee's.
pub fn documents_config(company: Uuid, employee: Uuid, i9_document: bool) -> DocumentsConfig {
    let mut hash = Sha256::new();
    hash.update("onboarding_documents_config");
    hash.update(company.as_bytes());
    hash.update(employee.as_bytes());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash.finalize()[..16]);
    let uuid = i9_document.then(|| uuid::Builder::from_custom_bytes(bytes).into_uuid());
    DocumentsConfig { uuid, i9_document }
}

/// Deletes everything about the forms of an employee who was deleted.
///
/// # Errors
/// A store error.
pub fn forget(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Result<(), Error> {
    rows::forget(tx, caller.company, employee)
}
