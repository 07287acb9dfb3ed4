//! A stored signature of an employee's or company's form. The signed content and the typed name are sealed.

use jiff::Timestamp;
use store::record::Cursor;
use store::{Place, Tx};
use uuid::Uuid;
use zeroize::Zeroizing;

use crate::error::Error;

/// The signature of a form, unsealed. It is stored once and never changed.
pub struct Signature {
    /// identifier
    pub id: Uuid,
    /// keyed fingerprint of the signed content
    pub digest: Vec<u8>,
    /// JSON of the signed content
    pub content: Zeroizing<Vec<u8>>,
    /// legal name as typed
    pub signature_text: Zeroizing<Vec<u8>>,
    /// IP address of the signer
    pub ip: String,
    /// time of signing
    pub signed_at: Timestamp,
}

impl Signature {
    /// Reads the columns `id, digest, content, signature_text, signed_by_ip, signed_at`. Content and name remain sealed.
    ///
    /// # Errors
    /// [`store::Error::Unreadable`].
    pub(crate) fn read_columns(next: &mut Cursor<'_, '_>) -> Result<Self, store::Error> {
        Ok(Self {
            id: next.read_plain("id")?,
            digest: next.read_plain("digest")?,
            content: Zeroizing::new(next.read_plain("content")?),
            signature_text: Zeroizing::new(next.read_plain("signature_text")?),
            ip: next.read_plain("signed_by_ip")?,
            signed_at: next.read_plain("signed_at")?,
        })
    }

    /// Unseals the content and the name.
    pub(crate) fn unseal_fields(
        self,
        tx: &mut Tx<'_>,
        company: Uuid,
        table: &'static str,
    ) -> Result<Self, Error> {
        let place = |column| Place { owner: company, table, row: self.id, column };
        Ok(Self {
            content: tx.unseal_field(place("content"), &self.content)?,
            signature_text: tx.unseal_field(place("signature_text"), &self.signature_text)?,
            ..self
        })
    }

    /// Returns the content and the name, sealed.
    pub(crate) fn seal_fields(
        &self,
        tx: &mut Tx<'_>,
        company: Uuid,
        table: &'static str,
    ) -> Result<[Vec<u8>; 2], Error> {
        let place = |column| Place { owner: company, table, row: self.id, column };
        Ok([
            tx.seal_field(place("content"), &self.content)?,
            tx.seal_field(place("signature_text"), &self.signature_text)?,
        ])
    }
}
