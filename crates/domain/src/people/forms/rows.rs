//! Rows of forms, signatures, Form I-9 answers and addresses of documents.

use jiff::Timestamp;
use store::{Place, Row, Tx, params};
use uuid::Uuid;
use zeroize::Zeroizing;

use super::content::Kind;
use crate::error::Error;

store::statements! {
    OF_EMPLOYEE = "SELECT id, name, year, requires_signing, digest FROM employee_forms \
                   WHERE company_id = $1 AND employee_id = $2 ORDER BY id";
    FIND = "SELECT id, name, year, requires_signing, digest FROM employee_forms WHERE company_id = $1 AND employee_id = $2 AND id = $3";
    INSERT = "INSERT INTO employee_forms (company_id, employee_id, id, name, year, requires_signing, digest, created_at, updated_at) \
              VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8)";
    UPDATE = "UPDATE employee_forms SET year = $1, requires_signing = $2, digest = $3, updated_at = $4 \
              WHERE company_id = $5 AND employee_id = $6 AND id = $7";
    DELETE = "DELETE FROM employee_forms WHERE company_id = $1 AND employee_id = $2 AND id = $3";
    LAST_DIGEST = "SELECT digest FROM employee_form_signatures WHERE company_id = $1 AND employee_id = $2 AND form_id = $3 \
                   ORDER BY id DESC LIMIT 1";
    LAST_SIGNATURE = "SELECT id, digest, content, signature_text, preparers, signed_by_ip, signed_at FROM employee_form_signatures \
                      WHERE company_id = $1 AND employee_id = $2 AND form_id = $3 ORDER BY id DESC LIMIT 1";
    INSERT_SIGNATURE = "INSERT INTO employee_form_signatures (company_id, employee_id, form_id, id, digest, content, signature_text, \
                        preparers, agreed, signed_by_ip, signed_by_kind, signed_by_id, signed_at) \
                        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, true, $9, $10, $11, $12)";
    FIND_I9 = "SELECT id, content, version FROM employee_i9 WHERE company_id = $1 AND employee_id = $2";
    INSERT_I9 = "INSERT INTO employee_i9 (company_id, employee_id, id, content, version, created_at, updated_at) \
                 VALUES ($1, $2, $3, $4, 1, $5, $5)";
    UPDATE_I9 = "UPDATE employee_i9 SET content = $1, version = version + 1, updated_at = $2 \
                 WHERE company_id = $3 AND employee_id = $4 AND version = $5";
    SET_I9_DOCUMENT = "UPDATE employees SET i9_document = $1, updated_at = $2 WHERE company_id = $3 AND id = $4";
    FIND_LINK = "SELECT company_id, employee_id, form_id, expires_at FROM document_links WHERE hash = $1";
    INSERT_LINK = "INSERT INTO document_links (hash, company_id, employee_id, form_id, created_at, expires_at) \
                   VALUES ($1, $2, $3, $4, $5, $6)";
    FORGET_FORMS = "DELETE FROM employee_forms WHERE company_id = $1 AND employee_id = $2";
    FORGET_SIGNATURES = "DELETE FROM employee_form_signatures WHERE company_id = $1 AND employee_id = $2";
    FORGET_I9 = "DELETE FROM employee_i9 WHERE company_id = $1 AND employee_id = $2";
}

/// A form of an employee.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form {
    /// identifier
    pub id: Uuid,
    /// which form
    pub kind: Kind,
    /// the year that it is for, where it is for one
    pub year: Option<i64>,
    /// whether a signature is asked for
    pub requires_signing: bool,
    /// keyed fingerprint of what it shows
    pub digest: Vec<u8>,
}

fn form(row: &Row<'_>) -> Form {
    let name = row.get::<&str>(1);
    Form {
        id: row.get(0),
        kind: Kind::parse(name).unwrap_or_else(|| panic!("{name} is no form")),
        year: row.get(2),
        requires_signing: row.get(3),
        digest: row.get(4),
    }
}

/// The employee's forms, in the order of creation.
///
/// # Errors
/// A store error.
pub fn of_employee(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<Vec<Form>, Error> {
    Ok(tx.query(OF_EMPLOYEE, params![company, employee], form)?)
}

/// The form, if it is one of the employee's.
///
/// # Errors
/// A store error.
pub fn find(tx: &mut Tx<'_>, company: Uuid, employee: Uuid, id: Uuid) -> Result<Option<Form>, Error> {
    Ok(tx.find(FIND, params![company, employee, id], form)?)
}

/// Stores a new form.
///
/// # Errors
/// A store error.
pub fn insert(tx: &mut Tx<'_>, company: Uuid, employee: Uuid, new: &Form) -> Result<(), Error> {
    let (now, name) = (tx.now(), new.kind.as_str());
    let parameters =
        params![company, employee, new.id, name, new.year, new.requires_signing, &new.digest, now];
    Ok(tx.insert(INSERT, parameters)?)
}

/// Stores what has changed of a form; false if it is gone.
///
/// # Errors
/// A store error.
pub fn update(tx: &mut Tx<'_>, company: Uuid, employee: Uuid, changed: &Form) -> Result<bool, Error> {
    let now = tx.now();
    let Form { id, year, requires_signing, digest, .. } = changed;
    Ok(tx.change(UPDATE, params![*year, *requires_signing, digest, now, company, employee, id])?.one())
}

/// Deletes a form; false if it is gone.
///
/// # Errors
/// A store error.
pub fn delete(tx: &mut Tx<'_>, company: Uuid, employee: Uuid, id: Uuid) -> Result<bool, Error> {
    Ok(tx.change(DELETE, params![company, employee, id])?.one())
}

/// A signature under a form. It is stored once and never changed.
pub struct Signature {
    /// identifier
    pub id: Uuid,
    /// fingerprint of what was signed
    pub digest: Vec<u8>,
    /// a snapshot of it, as JSON
    pub content: Zeroizing<Vec<u8>>,
    /// the legal name as it was typed
    pub signature_text: Zeroizing<Vec<u8>>,
    /// whoever helped to fill the form in, as JSON
    pub preparers: Zeroizing<Vec<u8>>,
    /// the network address that the signer was said to have
    pub ip: String,
    /// when
    pub signed_at: Timestamp,
}

fn place(company: Uuid, id: Uuid, column: &'static str) -> Place {
    Place { owner: company, table: "employee_form_signatures", row: id, column }
}

/// Fingerprint of what the last signature under a form was for.
///
/// # Errors
/// A store error.
pub fn last_digest(
    tx: &mut Tx<'_>,
    company: Uuid,
    employee: Uuid,
    form: Uuid,
) -> Result<Option<Vec<u8>>, Error> {
    Ok(tx.find(LAST_DIGEST, params![company, employee, form], |row| row.get::<Vec<u8>>(0))?)
}

/// The last signature under a form.
///
/// # Errors
/// A store error.
pub fn last_signature(
    tx: &mut Tx<'_>,
    company: Uuid,
    employee: Uuid,
    form: Uuid,
) -> Result<Option<Signature>, Error> {
    let found = tx.find(LAST_SIGNATURE, params![company, employee, form], |row| Signature {
        id: row.get(0),
        digest: row.get(1),
        content: Zeroizing::new(row.get(2)),
        signature_text: Zeroizing::new(row.get(3)),
        preparers: Zeroizing::new(row.get(4)),
        ip: row.get(5),
        signed_at: row.get(6),
    })?;
    let Some(sealed) = found else { return Ok(None) };
    let id = sealed.id;
    Ok(Some(Signature {
        content: tx.unseal(place(company, id, "content"), &sealed.content)?,
        signature_text: tx.unseal(place(company, id, "signature_text"), &sealed.signature_text)?,
        preparers: tx.unseal(place(company, id, "preparers"), &sealed.preparers)?,
        ..sealed
    }))
}

/// Stores a signature by an actor of some kind.
///
/// # Errors
/// A store error.
pub fn insert_signature(
    tx: &mut Tx<'_>,
    company: Uuid,
    (employee, form): (Uuid, Uuid),
    new: &Signature,
    (actor_kind, actor): (&str, Uuid),
) -> Result<(), Error> {
    let content = tx.seal(place(company, new.id, "content"), &new.content)?;
    let text = tx.seal(place(company, new.id, "signature_text"), &new.signature_text)?;
    let preparers = tx.seal(place(company, new.id, "preparers"), &new.preparers)?;
    let parameters = params![
        company,
        employee,
        form,
        new.id,
        &new.digest,
        &content,
        &text,
        &preparers,
        &new.ip,
        actor_kind,
        actor,
        new.signed_at
    ];
    Ok(tx.insert(INSERT_SIGNATURE, parameters)?)
}

/// What an employee said for Form I-9, as JSON.
pub struct I9 {
    /// identifier
    pub id: Uuid,
    /// what was said
    pub content: Zeroizing<Vec<u8>>,
    /// counter of updates
    pub version: i64,
}

fn i9_place(company: Uuid, id: Uuid) -> Place {
    Place { owner: company, table: "employee_i9", row: id, column: "content" }
}

/// What the employee said for Form I-9.
///
/// # Errors
/// A store error.
pub fn find_i9(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<Option<I9>, Error> {
    let found = tx.find(FIND_I9, params![company, employee], |row| I9 {
        id: row.get(0),
        content: Zeroizing::new(row.get(1)),
        version: row.get(2),
    })?;
    let Some(sealed) = found else { return Ok(None) };
    let content = tx.unseal(i9_place(company, sealed.id), &sealed.content)?;
    Ok(Some(I9 { content, ..sealed }))
}

/// Stores what an employee said for Form I-9 for the first time.
///
/// # Errors
/// A store error.
pub fn insert_i9(tx: &mut Tx<'_>, company: Uuid, employee: Uuid, new: &I9) -> Result<(), Error> {
    let now = tx.now();
    let sealed = tx.seal(i9_place(company, new.id), &new.content)?;
    Ok(tx.insert(INSERT_I9, params![company, employee, new.id, &sealed, now])?)
}

/// Stores what an employee says now, if its version is still that of `changed`; else nothing.
///
/// # Errors
/// A store error.
pub fn update_i9(tx: &mut Tx<'_>, company: Uuid, employee: Uuid, changed: &I9) -> Result<bool, Error> {
    let now = tx.now();
    let sealed = tx.seal(i9_place(company, changed.id), &changed.content)?;
    Ok(tx.change(UPDATE_I9, params![&sealed, now, company, employee, changed.version])?.one())
}

/// Stores whether Form I-9 is asked for; false if the employee is gone. The version of the person's record stays.
///
/// # Errors
/// A store error.
pub fn set_i9_document(tx: &mut Tx<'_>, company: Uuid, employee: Uuid, asked: bool) -> Result<bool, Error> {
    let now = tx.now();
    Ok(tx.change(SET_I9_DOCUMENT, params![asked, now, company, employee])?.one())
}

/// The address of a document.
#[derive(Debug, Clone, Copy)]
pub struct Link {
    /// whose document
    pub company: Uuid,
    /// whose document
    pub employee: Uuid,
    /// the form that it shows
    pub form: Uuid,
    /// until when it works
    pub expires_at: Timestamp,
}

/// The link of a token, whether it still works or not.
///
/// # Errors
/// A store error.
pub fn find_link(tx: &mut Tx<'_>, hash: &[u8; 32]) -> Result<Option<Link>, Error> {
    Ok(tx.find(FIND_LINK, params![hash], |row| Link {
        company: row.get(0),
        employee: row.get(1),
        form: row.get(2),
        expires_at: row.get(3),
    })?)
}

/// Stores a new link.
///
/// # Errors
/// A store error.
pub fn insert_link(tx: &mut Tx<'_>, hash: &[u8; 32], new: &Link) -> Result<(), Error> {
    let now = tx.now();
    let Link { company, employee, form, expires_at } = *new;
    Ok(tx.insert(INSERT_LINK, params![hash, company, employee, form, now, expires_at])?)
}

/// Deletes everything about an employee's forms.
///
/// # Errors
/// A store error.
pub fn forget(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<(), Error> {
    for statement in [FORGET_FORMS, FORGET_SIGNATURES, FORGET_I9] {
        let _there_may_be_none = tx.change(statement, params![company, employee])?.rows();
    }
    Ok(())
}
