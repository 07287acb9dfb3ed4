//! Records of companies' forms and of their signatures.

use jiff::Timestamp;
use rules::Named;
use store::record::Cursor;
use store::{Tx, params};
use uuid::Uuid;

use super::content::CompanyFormKind;
use crate::error::Error;
use crate::people::forms::signature::Signature;

/// Table of the signatures.
pub(super) const SIGNATURES: &str = "company_form_signatures";

store::record! {
    /// A form of a company.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Form in "company_forms" {
        key {
            /// identifier
            pub id: Uuid,
        }
        fixed {
            /// its kind
            pub kind: CompanyFormKind as text = "name",
        }
        fields {
            /// whether a signature is required
            pub requires_signing: bool,
            /// keyed fingerprint of the content, when a signature was last requested or given
            pub digest: Vec<u8>,
        }
        times {
            created_at,
            /// when a signature was last requested or given
            pub updated_at: Timestamp
        }
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
pub fn of_company(tx: &mut Tx<'_>, company: Uuid) -> Result<Vec<Form>, Error> {
    Ok(tx.try_query(OF_COMPANY, params![company], Form::read)?)
}

/// The last signature under a form.
pub fn last_signature(tx: &mut Tx<'_>, company: Uuid, form: Uuid) -> Result<Option<Signature>, Error> {
    let found = tx.try_find(LAST_SIGNATURE, params![company, form], |row| {
        Signature::read_columns(&mut Cursor::new(row, SIGNATURES, 0))
    })?;
    found.map(|sealed| sealed.unseal_fields(tx, company, SIGNATURES)).transpose()
}

/// Stores a signature by an actor of some kind.
pub fn insert_signature(
    tx: &mut Tx<'_>,
    company: Uuid,
    form: Uuid,
    new: &Signature,
    (actor_kind, actor): (&str, Uuid),
) -> Result<(), Error> {
    let [content, text] = new.seal_fields(tx, company, SIGNATURES)?;
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
    Ok(tx.insert_row(INSERT_SIGNATURE, parameters)?)
}
