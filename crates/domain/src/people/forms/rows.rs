//! Records of employees' forms: forms, signatures, answers for Form I-9, and the documents examined for it.

use jiff::Timestamp;
use rules::Named;
use serde::de::DeserializeOwned;
use store::record::Cursor;
use store::{Place, Tx, Unread, params};
use uuid::Uuid;
use zeroize::Zeroizing;

use super::content::EmployeeFormKind;
use super::signature::Signature;
use crate::error::Error;

/// Table of the signatures.
pub(super) const SIGNATURES: &str = "employee_form_signatures";

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
            /// kind of form
            pub kind: EmployeeFormKind as text = "name",
        }
        fields {
            /// tax year; only for forms that apply to one year
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
    /// The documents that an employer examined for section 2 of Form I-9, and the employer's signature.
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
            /// sealed JSON of the signature, once signed
            pub signature: Option<Vec<u8>> as secret,
            /// time of signing
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
    LAST_SIGNATURE = "SELECT id, digest, content, signature_text, signed_by_ip, signed_at, preparers FROM employee_form_signatures \
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
    /// Seals the JSON of the answers of the record `id`.
    pub fn seal_answers(tx: &mut Tx<'_>, company: Uuid, id: Uuid, json: &[u8]) -> Result<Vec<u8>, Error> {
        Ok(tx.seal_field(i9_place(company, id), json)?)
    }

    /// Unseals the JSON of the answers.
    pub fn unseal_json(&self, tx: &mut Tx<'_>, company: Uuid) -> Result<Zeroizing<Vec<u8>>, Error> {
        Ok(tx.unseal_field(i9_place(company, self.id), &self.content)?)
    }
}

impl I9Review {
    /// Returns the place of one of the row's sealed columns.
    pub fn review_place(company: Uuid, id: Uuid, column: &'static str) -> Place {
        Place { owner: company, table: Self::TABLE, row: id, column }
    }
}

fn i9_place(company: Uuid, id: Uuid) -> Place {
    Place { owner: company, table: I9::TABLE, row: id, column: "content" }
}

/// Returns the employee's forms, oldest first.
pub fn of_employee(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<Vec<Form>, Error> {
    Ok(tx.try_query(OF_EMPLOYEE, params![company, employee], Form::read)?)
}

fn preparers_place(company: Uuid, signature: Uuid) -> Place {
    Place { owner: company, table: SIGNATURES, row: signature, column: "preparers" }
}

/// Returns the digest of a form's last signature.
pub fn last_digest(
    tx: &mut Tx<'_>,
    company: Uuid,
    employee: Uuid,
    form: Uuid,
) -> Result<Option<Vec<u8>>, Error> {
    Ok(tx.find_row(LAST_DIGEST, params![company, employee, form], |row| row.get::<Vec<u8>>(0))?)
}

/// A signature with the JSON of its preparers (`signing::Preparer`).
pub type Prepared = (Signature, Zeroizing<Vec<u8>>);

/// Returns a form's last signature.
pub fn last_signature(
    tx: &mut Tx<'_>,
    company: Uuid,
    employee: Uuid,
    form: Uuid,
) -> Result<Option<Prepared>, Error> {
    let found = tx.try_find(LAST_SIGNATURE, params![company, employee, form], |row| {
        let mut next = Cursor::new(row, SIGNATURES, 0);
        Ok::<_, store::Error>((Signature::read_columns(&mut next)?, next.read_plain::<Vec<u8>>("preparers")?))
    })?;
    let Some((sealed, preparers)) = found else { return Ok(None) };
    let preparers = tx.unseal_field(preparers_place(company, sealed.id), &preparers)?;
    Ok(Some((sealed.unseal_fields(tx, company, SIGNATURES)?, preparers)))
}

/// Stores a signature with the JSON of its preparers and the actor who gave it.
pub fn insert_signature(
    tx: &mut Tx<'_>,
    company: Uuid,
    (employee, form): (Uuid, Uuid),
    (new, preparers): (&Signature, &[u8]),
    (actor_kind, actor): (&str, Uuid),
) -> Result<(), Error> {
    let [content, text] = new.seal_fields(tx, company, SIGNATURES)?;
    let preparers = tx.seal_field(preparers_place(company, new.id), preparers)?;
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
    Ok(tx.insert_row(INSERT_SIGNATURE, parameters)?)
}

/// Sets whether Form I-9 is requested; returns `false` if the employee does not exist. The employee's version does not change.
pub fn set_i9_document(
    tx: &mut Tx<'_>,
    company: Uuid,
    employee: Uuid,
    i9_document: bool,
) -> Result<bool, Error> {
    let now = tx.now();
    Ok(tx.change_rows(SET_I9_DOCUMENT, params![i9_document, now, company, employee])?.is_one())
}

/// Deletes all records of an employee's forms.
pub fn delete_form_records(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<(), Error> {
    for statement in [FORGET_FORMS, FORGET_SIGNATURES, FORGET_I9_REVIEW, FORGET_I9] {
        let _there_may_be_none = tx.change_rows(statement, params![company, employee])?.rows();
    }
    Ok(())
}

/// Parses the JSON of an unsealed column.
///
/// # Errors
/// The JSON cannot be parsed.
pub fn parse_json<T: DeserializeOwned>(
    table: &'static str,
    column: &'static str,
    json: &[u8],
) -> Result<T, store::Error> {
    // The parser's message may contain part of the value, so it is not passed on.
    serde_json::from_slice(json).map_err(|error| {
        let at = (error.line(), error.column());
        Unread::new(format!("holds invalid JSON (line {}, column {})", at.0, at.1)).into_error(table, column)
    })
}

/// Decodes the text of an unsealed column.
///
/// # Errors
/// The bytes are not UTF-8.
pub fn decode_utf8(table: &'static str, column: &'static str, bytes: &[u8]) -> Result<String, store::Error> {
    let text =
        std::str::from_utf8(bytes).map_err(|_| Unread::new("is not UTF-8").into_error(table, column))?;
    Ok(text.to_owned())
}
