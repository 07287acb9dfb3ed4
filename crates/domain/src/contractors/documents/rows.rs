//! Records of contractors' documents and of their signatures.

use jiff::Timestamp;
use rules::Named;
use store::record::Cursor;
use store::{Tx, params};
use uuid::Uuid;

use super::content::ContractorDocumentKind;
use crate::error::Error;
use crate::people::forms::signature::Signature;

/// Table of the signatures.
pub(super) const SIGNATURES: &str = "contractor_document_signatures";

store::record! {
    /// A document of a contractor.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ContractorDocument in "contractor_documents" {
        key {
            /// the contractor
            pub contractor: Uuid = "contractor_id",
            /// identifier
            pub id: Uuid,
        }
        fixed {
            /// its kind
            pub kind: ContractorDocumentKind as text = "name",
        }
        fields {
            /// whether a signature is required
            pub requires_signing: bool,
            /// keyed fingerprint of the content, when a signature was last requested or given
            pub digest: Vec<u8>,
            /// when it was signed; `None` while a signature is required
            pub signed_at: Option<Timestamp>,
        }
        times { created_at, updated_at }
    }
}

store::statements! {
    records ContractorDocument;
    OF_CONTRACTOR = store::text!(ContractorDocument::SELECT, " AND contractor_id = $2 ORDER BY id");
    BY_ID = store::text!(ContractorDocument::SELECT, " AND id = $2");
    LAST_SIGNATURE = "SELECT id, digest, content, signature_text, signed_by_ip, signed_at FROM contractor_document_signatures \
                      WHERE company_id = $1 AND contractor_id = $2 AND document_id = $3 ORDER BY id DESC LIMIT 1";
    INSERT_SIGNATURE = "INSERT INTO contractor_document_signatures (company_id, contractor_id, document_id, id, digest, content, \
                        signature_text, agreed, signed_by_ip, signed_by_kind, signed_by_id, signed_at) \
                        VALUES ($1, $2, $3, $4, $5, $6, $7, true, $8, $9, $10, $11)";
    FORGET_DOCUMENTS = "DELETE FROM contractor_documents WHERE company_id = $1 AND contractor_id = $2";
    FORGET_SIGNATURES = "DELETE FROM contractor_document_signatures WHERE company_id = $1 AND contractor_id = $2";
}

/// The documents of a contractor, oldest first.
pub fn of_contractor(
    tx: &mut Tx<'_>,
    company: Uuid,
    contractor: Uuid,
) -> Result<Vec<ContractorDocument>, Error> {
    Ok(tx.try_query(OF_CONTRACTOR, params![company, contractor], ContractorDocument::read)?)
}

/// A document of any contractor of the company.
pub fn by_id(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<Option<ContractorDocument>, Error> {
    Ok(tx.try_find(BY_ID, params![company, id], ContractorDocument::read)?)
}

/// The last signature under a document.
pub fn last_signature(
    tx: &mut Tx<'_>,
    company: Uuid,
    document: &ContractorDocument,
) -> Result<Option<Signature>, Error> {
    let key = params![company, document.contractor, document.id];
    let found = tx
        .try_find(LAST_SIGNATURE, key, |row| Signature::read_columns(&mut Cursor::new(row, SIGNATURES, 0)))?;
    found.map(|sealed| sealed.unseal_fields(tx, company, SIGNATURES)).transpose()
}

/// Stores a signature by an actor of some kind.
pub fn insert_signature(
    tx: &mut Tx<'_>,
    company: Uuid,
    document: &ContractorDocument,
    new: &Signature,
    (actor_kind, actor): (&str, Uuid),
) -> Result<(), Error> {
    let [content, text] = new.seal_fields(tx, company, SIGNATURES)?;
    let parameters = params![
        company,
        document.contractor,
        document.id,
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

/// Deletes the documents of a contractor who is being deleted.
pub fn delete_documents(tx: &mut Tx<'_>, company: Uuid, contractor: Uuid) -> Result<(), Error> {
    for statement in [FORGET_DOCUMENTS, FORGET_SIGNATURES] {
        let _there_may_be_none = tx.change_rows(statement, params![company, contractor])?.rows();
    }
    Ok(())
}
