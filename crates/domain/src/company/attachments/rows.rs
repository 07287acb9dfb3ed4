//! Rows of attachments. Contents are in another table, so that lists do not read them.

use jiff::Timestamp;
use rules::Named;
use store::record::Cursor;
use store::{Place, Row, Tx, params};
use strum::{EnumString, IntoStaticStr, VariantArray};
use uuid::Uuid;
use zeroize::Zeroizing;

use super::name::FileType;
use crate::error::Error;

/// The subject of an attachment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum Category {
    /// a notice of an agency about an earlier filing
    #[strum(serialize = "gep_notice")]
    Notice,
    /// something that an agency requires to be kept or shown
    #[strum(serialize = "compliance")]
    Compliance,
    /// anything else; cannot be chosen
    #[strum(serialize = "other")]
    Other,
}

store::record! {
    /// A file that a company has uploaded.
    #[derive(Debug, Clone)]
    pub struct Attachment in "company_attachments" {
        key {
            /// identifier
            pub id: Uuid,
        }
        fixed {
            /// the name of the file
            pub name: String,
            /// the type of the file
            pub file_type: FileType as text,
            /// its subject
            pub category: Category as text,
            /// size of the file in bytes
            pub length: i64,
        }
        times {
            /// upload time
            pub created_at: Timestamp,
        }
    }
}

store::statements! {
    records Attachment;
    OF_COMPANY = store::text!(Attachment::SELECT, " ORDER BY id");
    KEEP_CONTENT = "INSERT INTO company_attachment_contents (company_id, id, content) VALUES ($1, $2, $3)";
    CONTENT = "SELECT content FROM company_attachment_contents WHERE company_id = $1 AND id = $2";
    DELETE_CONTENT = "DELETE FROM company_attachment_contents WHERE company_id = $1 AND id = $2";
}

/// Table of the contents.
const CONTENTS: &str = "company_attachment_contents";

/// Every attachment of a company, oldest first.
pub fn of_company(tx: &mut Tx<'_>, company: Uuid) -> Result<Vec<Attachment>, Error> {
    Ok(tx.try_query(OF_COMPANY, params![company], Attachment::read)?)
}

impl Attachment {
    /// Stores the content of the file, sealed.
    pub fn keep_content(&self, tx: &mut Tx<'_>, company: Uuid, content: &[u8]) -> Result<(), Error> {
        let sealed = tx.seal_field(self.content_place(company), content)?;
        Ok(tx.insert_row(KEEP_CONTENT, params![company, self.id, &sealed])?)
    }

    /// The content of the file.
    pub fn content(&self, tx: &mut Tx<'_>, company: Uuid) -> Result<Zeroizing<Vec<u8>>, Error> {
        let sealed = |row: &Row<'_>| Cursor::new(row, CONTENTS, 0).read_plain::<Vec<u8>>("content");
        let sealed = tx.try_find(CONTENT, params![company, self.id], sealed)?;
        let sealed = sealed.ok_or_else(|| Error::internal("an attachment has no content"))?;
        Ok(tx.unseal_field(self.content_place(company), &sealed)?)
    }

    /// Deletes the content of the file.
    pub fn delete_content(&self, tx: &mut Tx<'_>, company: Uuid) -> Result<(), Error> {
        assert!(
            tx.change_rows(DELETE_CONTENT, params![company, self.id])?.is_one(),
            "each attachment has a content"
        );
        Ok(())
    }

    fn content_place(&self, company: Uuid) -> Place {
        Place { owner: company, table: CONTENTS, row: self.id, column: "content" }
    }
}
