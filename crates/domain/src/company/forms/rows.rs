//! Records of companies' forms and of the signatures under them.

use jiff::Timestamp;
use rules::Named;
use store::record::Cursor;
use store::{Place, Tx, params};
use uuid::Uuid;
use zeroize::Zeroizing;

use super::content::Kind;
use crate::error::Error;

store::record! {
    /// A form of a company.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Form in "company_forms" {
        key {
            /// identifier
            pub id: Uuid,
        }
        fixed {
            /// which form
            pub kind: Kind as text = "name",
        }
        fields {
            /// whether a signature is required
            pub requires_signing: bool,
            /// keyed fingerprint of the content
            pub digest: Vec<u8>,
        }
        times { created_at, updated_at }
    }
}

store::statements! {
    records Form;
    OF_COMPANY = store::text!(Form::SELECT, " ORDER BY id");
    LAST_SIGNATURE = "SELECT id, digest, content, signature_text, signed_by_ip, signed_at FROM company_form_signatures \
                      WHERE company_id = $1 AND form_id = $2 ORDER BY id DESC LIMIT 1";
    INSERT_SIGNATURE = "INSERT INTO company_form_signatures (company_id, form_id, id, digest, content, signature_text, agreed, \
                        signed_by_ip, signed_by_kind, signed_by_id, signed_at) VALUES ($1, $2, $3, $4, $5, $6, true, $7, $8, $9, $10)";
}

/// The company's forms, oldest first.
///
/// # Errors
/// A store error.
pub fn of_company(tx: &mut Tx<'_>, company: Uuid) -> Result<Vec<Form>, Error> {
    Ok(tx.try_query(OF_COMPANY, params![company], Form::read)?)
}

/// A signature under a form, unsealed. It is stored once and never changed.
pub struct Signature {
    /// identifier
    pub id: Uuid,
    /// keyed fingerprint of the signed content
    pub digest: Vec<u8>,
    /// JSON of the signed content
    pub content: Zeroizing<Vec<u8>>,
    /// legal name as typed
    pub signature_text: Zeroizing<Vec<u8>>,
    /// network address of the signer
    pub ip: String,
    /// when it was signed
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
    let found = tx.try_find(LAST_SIGNATURE, params![company, form], |row| {
        let mut next = Cursor::new(row, "company_form_signatures", 0);
        Ok::<_, store::Error>(Signature {
            id: next.plain("id")?,
            digest: next.plain("digest")?,
            content: Zeroizing::new(next.plain("content")?),
            signature_text: Zeroizing::new(next.plain("signature_text")?),
            ip: next.plain("signed_by_ip")?,
            signed_at: next.plain("signed_at")?,
        })
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
