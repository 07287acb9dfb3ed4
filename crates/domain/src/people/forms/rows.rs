//! Records of employees' forms: forms, signatures, answers for Form I-9, and links to documents.

use jiff::Timestamp;
use rules::Named;
use serde::de::DeserializeOwned;
use store::record::Cursor;
use store::{Place, Tx, Unread, params};
use uuid::Uuid;
use zeroize::Zeroizing;

use super::content::Kind;
use crate::error::Error;

store::record! {
    /// A form of an employee.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Form in "employee_forms" {
        key {
            /// the employee
            pub employee: Uuid = "employee_id",
            /// identifier
            pub id: Uuid,
        }
        fixed {
            /// which form
            pub kind: Kind as text = "name",
        }
        fields {
            /// tax year; only of forms for one year
            pub year: Option<i64>,
            /// whether a signature is required
            pub requires_signing: bool,
            /// keyed fingerprint of the content
            pub digest: Vec<u8>,
        }
        times { created_at, updated_at }
    }
}

store::record! {
    /// An employee's answers for Form I-9.
    #[derive(Debug, Clone)]
    pub struct I9 in "employee_i9" {
        key {
            /// the employee
            pub employee: Uuid = "employee_id",
        }
        fixed {
            /// identifier
            pub id: Uuid,
        }
        fields {
            /// sealed JSON of the answers
            pub content: Vec<u8> as secret,
        }
        times { created_at, updated_at }
        version
    }
}

store::record! {
    /// What an employer examined for section 2 of Form I-9, and the signature under it.
    #[derive(Debug, Clone)]
    pub struct I9Review in "employee_i9_reviews" {
        key {
            /// the employee
            pub employee: Uuid = "employee_id",
        }
        fixed {
            /// identifier
            pub id: Uuid,
        }
        fields {
            /// sealed JSON of the documents
            pub documents: Vec<u8> as secret,
            /// sealed JSON of the signature, once it is given
            pub signature: Option<Vec<u8>> as secret,
            /// when it was signed
            pub signed_at: Option<Timestamp>,
        }
        times { created_at, updated_at }
        version
    }
}

store::statements! {
    records Form, I9, I9Review;
    OF_EMPLOYEE = store::text!(Form::SELECT, " AND employee_id = $2 ORDER BY id");
    LAST_DIGEST = "SELECT digest FROM employee_form_signatures WHERE company_id = $1 AND employee_id = $2 AND form_id = $3 \
                   ORDER BY id DESC LIMIT 1";
    LAST_SIGNATURE = "SELECT id, digest, content, signature_text, preparers, signed_by_ip, signed_at FROM employee_form_signatures \
                      WHERE company_id = $1 AND employee_id = $2 AND form_id = $3 ORDER BY id DESC LIMIT 1";
    INSERT_SIGNATURE = "INSERT INTO employee_form_signatures (company_id, employee_id, form_id, id, digest, content, signature_text, \
                        preparers, agreed, signed_by_ip, signed_by_kind, signed_by_id, signed_at) \
                        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, true, $9, $10, $11, $12)";
    SET_I9_DOCUMENT = "UPDATE employees SET i9_document = $1, updated_at = $2 WHERE company_id = $3 AND id = $4";
    FORGET_FORMS = "DELETE FROM employee_forms WHERE company_id = $1 AND employee_id = $2";
    FORGET_SIGNATURES = "DELETE FROM employee_form_signatures WHERE company_id = $1 AND employee_id = $2";
    FORGET_I9_REVIEW = "DELETE FROM employee_i9_reviews WHERE company_id = $1 AND employee_id = $2";
    FORGET_I9 = "DELETE FROM employee_i9 WHERE company_id = $1 AND employee_id = $2";
}

impl I9 {
    /// Seals the JSON of the answers with the identifier `id`.
    ///
    /// # Errors
    /// A store error.
    pub fn seal(tx: &mut Tx<'_>, company: Uuid, id: Uuid, json: &[u8]) -> Result<Vec<u8>, Error> {
        Ok(tx.seal(i9_place(company, id), json)?)
    }

    /// The JSON of the answers, unsealed.
    ///
    /// # Errors
    /// A store error.
    pub fn json(&self, tx: &mut Tx<'_>, company: Uuid) -> Result<Zeroizing<Vec<u8>>, Error> {
        Ok(tx.unseal(i9_place(company, self.id), &self.content)?)
    }
}

impl I9Review {
    /// Where a column of the row is sealed.
    pub fn place(company: Uuid, id: Uuid, column: &'static str) -> Place {
        Place { owner: company, table: Self::TABLE, row: id, column }
    }
}

fn i9_place(company: Uuid, id: Uuid) -> Place {
    Place { owner: company, table: I9::TABLE, row: id, column: "content" }
}

/// The employee's forms, oldest first.
///
/// # Errors
/// A store error.
pub fn of_employee(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<Vec<Form>, Error> {
    Ok(tx.try_query(OF_EMPLOYEE, params![company, employee], Form::read)?)
}

/// A signature under a form, unsealed. It is stored once and never changed.
pub struct Signature {
    /// identifier
    pub id: Uuid,
    /// keyed fingerprint of the signed content
    pub digest: Vec<u8>,
    /// JSON of the signed content, a `content::Snapshot`
    pub content: Zeroizing<Vec<u8>>,
    /// legal name as typed
    pub signature_text: Zeroizing<Vec<u8>>,
    /// JSON of the preparers, `signing::Preparer`s
    pub preparers: Zeroizing<Vec<u8>>,
    /// network address of the signer
    pub ip: String,
    /// when it was signed
    pub signed_at: Timestamp,
}

fn place(company: Uuid, id: Uuid, column: &'static str) -> Place {
    Place { owner: company, table: "employee_form_signatures", row: id, column }
}

/// The digest of the last signature under a form.
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
    let found = tx.try_find(LAST_SIGNATURE, params![company, employee, form], |row| {
        let mut next = Cursor::new(row, "employee_form_signatures", 0);
        Ok::<_, store::Error>(Signature {
            id: next.plain("id")?,
            digest: next.plain("digest")?,
            content: Zeroizing::new(next.plain("content")?),
            signature_text: Zeroizing::new(next.plain("signature_text")?),
            preparers: Zeroizing::new(next.plain("preparers")?),
            ip: next.plain("signed_by_ip")?,
            signed_at: next.plain("signed_at")?,
        })
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

/// Sets whether Form I-9 is asked for; false if there is no such employee. The version of the employee is kept.
///
/// # Errors
/// A store error.
pub fn set_i9_document(
    tx: &mut Tx<'_>,
    company: Uuid,
    employee: Uuid,
    i9_document: bool,
) -> Result<bool, Error> {
    let now = tx.now();
    Ok(tx.change(SET_I9_DOCUMENT, params![i9_document, now, company, employee])?.one())
}

/// Deletes everything about an employee's forms.
///
/// # Errors
/// A store error.
pub fn forget(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<(), Error> {
    for statement in [FORGET_FORMS, FORGET_SIGNATURES, FORGET_I9_REVIEW, FORGET_I9] {
        let _there_may_be_none = tx.change(statement, params![company, employee])?.rows();
    }
    Ok(())
}

/// Parses the JSON of an unsealed column.
///
/// # Errors
/// The JSON cannot be parsed.
pub fn parse<T: DeserializeOwned>(
    table: &'static str,
    column: &'static str,
    json: &[u8],
) -> Result<T, store::Error> {
    // The message of the parser may repeat a part of the value.
    serde_json::from_slice(json).map_err(|error| {
        let at = (error.line(), error.column());
        Unread::new(format!("holds invalid JSON (line {}, column {})", at.0, at.1)).of(table, column)
    })
}

/// The text of an unsealed column.
///
/// # Errors
/// The bytes are not UTF-8.
pub fn utf8(table: &'static str, column: &'static str, bytes: &[u8]) -> Result<String, store::Error> {
    let text = std::str::from_utf8(bytes).map_err(|_| Unread::new("is not UTF-8").of(table, column))?;
    Ok(text.to_owned())
}
