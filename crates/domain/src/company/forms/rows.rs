//! Rows of forms of companies and of the signatures under them.

use jiff::Timestamp;
use store::{Place, Row, Tx, params};
use uuid::Uuid;
use zeroize::Zeroizing;

use super::content::Kind;
use crate::error::Error;

store::statements! {
    OF_COMPANY = "SELECT id, name, requires_signing, digest, created_at FROM company_forms WHERE company_id = $1 ORDER BY id";
    INSERT = "INSERT INTO company_forms (company_id, id, name, requires_signing, digest, created_at, updated_at) \
              VALUES ($1, $2, $3, $4, $5, $6, $6)";
    UPDATE = "UPDATE company_forms SET requires_signing = $1, digest = $2, updated_at = $3 WHERE company_id = $4 AND id = $5";
    DELETE = "DELETE FROM company_forms WHERE company_id = $1 AND id = $2";
    LAST_SIGNATURE = "SELECT id, digest, content, signature_text, signed_by_ip, signed_at FROM company_form_signatures \
                      WHERE company_id = $1 AND form_id = $2 ORDER BY id DESC LIMIT 1";
    INSERT_SIGNATURE = "INSERT INTO company_form_signatures (company_id, form_id, id, digest, content, signature_text, agreed, \
                        signed_by_ip, signed_by_kind, signed_by_id, signed_at) VALUES ($1, $2, $3, $4, $5, $6, true, $7, $8, $9, $10)";
}

/// A form of a company.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form {
    /// identifier
    pub id: Uuid,
    /// which form
    pub kind: Kind,
    /// whether a signature is asked for
    pub requires_signing: bool,
    /// keyed fingerprint of what it shows
    pub digest: Vec<u8>,
    /// when it was made
    pub created_at: Timestamp,
}

fn form(row: &Row<'_>) -> Form {
    let name = row.get::<&str>(1);
    Form {
        id: row.get(0),
        kind: Kind::parse(name).unwrap_or_else(|| panic!("{name} is no form")),
        requires_signing: row.get(2),
        digest: row.get(3),
        created_at: row.get(4),
    }
}

/// The company's forms, in the order of creation.
///
/// # Errors
/// A store error.
pub fn of_company(tx: &mut Tx<'_>, company: Uuid) -> Result<Vec<Form>, Error> {
    Ok(tx.query(OF_COMPANY, params![company], form)?)
}

/// Stores a new form.
///
/// # Errors
/// A store error.
pub fn insert(tx: &mut Tx<'_>, company: Uuid, new: &Form) -> Result<(), Error> {
    let name = new.kind.as_str();
    Ok(tx.insert(INSERT, params![company, new.id, name, new.requires_signing, &new.digest, new.created_at])?)
}

/// Stores what has changed of a form; false if it is gone.
///
/// # Errors
/// A store error.
pub fn update(tx: &mut Tx<'_>, company: Uuid, changed: &Form) -> Result<bool, Error> {
    let now = tx.now();
    let Form { id, requires_signing, digest, .. } = changed;
    Ok(tx.change(UPDATE, params![*requires_signing, digest, now, company, id])?.one())
}

/// Deletes a form; false if it is gone.
///
/// # Errors
/// A store error.
pub fn delete(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<bool, Error> {
    Ok(tx.change(DELETE, params![company, id])?.one())
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
    /// the network address that the signer was said to have
    pub ip: String,
    /// when
    pub signed_at: Timestamp,
}

fn place(company: Uuid, id: Uuid, column: &'static str) -> Place {
    Place { owner: company, table: "company_form_signatures", row: id, column }
}

/// The last signature under a form.
///
/// # Errors
/// A store error.
pub fn last_signature(tx: &mut Tx<'_>, company: Uuid, form: Uuid) -> Result<Option<Signature>, Error> {
    let found = tx.find(LAST_SIGNATURE, params![company, form], |row| Signature {
        id: row.get(0),
        digest: row.get(1),
        content: Zeroizing::new(row.get(2)),
        signature_text: Zeroizing::new(row.get(3)),
        ip: row.get(4),
        signed_at: row.get(5),
    })?;
    let Some(sealed) = found else { return Ok(None) };
    let id = sealed.id;
    Ok(Some(Signature {
        content: tx.unseal(place(company, id, "content"), &sealed.content)?,
        signature_text: tx.unseal(place(company, id, "signature_text"), &sealed.signature_text)?,
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
    form: Uuid,
    new: &Signature,
    (actor_kind, actor): (&str, Uuid),
) -> Result<(), Error> {
    let content = tx.seal(place(company, new.id, "content"), &new.content)?;
    let text = tx.seal(place(company, new.id, "signature_text"), &new.signature_text)?;
    let parameters = params![
        company,
        form,
        new.id,
        &new.digest,
        &content,
        &text,
        &new.ip,
        actor_kind,
        actor,
        new.signed_at
    ];
    Ok(tx.insert(INSERT_SIGNATURE, parameters)?)
}
