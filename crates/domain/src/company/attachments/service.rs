//! Use cases of attachments.

use rules::{Checks, Named, Violation, check};
use serde_json::json;
use store::Tx;
use uuid::Uuid;
use zeroize::Zeroizing;

use super::name;
use super::name::FileType;
use super::rows;
use super::rows::{Attachment, Category};
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::platform::audit;
use crate::records::room_for;

/// Table of the record, in audit entries, and guard of a company's attachments.
pub const TABLE: &str = Attachment::TABLE;
/// Maximum attachments of a company.
pub const MOST: usize = 200;
/// Maximum bytes of a file: a scan of many pages, or a backup of a small company's books.
pub const LARGEST: usize = 10 << 20;
/// The categories that can be chosen.
pub const CHOICES: [&str; 2] = ["gep_notice", "compliance"];

/// Uploads a file.
#[derive(Clone, Copy, Default)]
pub struct CreateAttachment<'a> {
    /// the file, with its name if it has one
    pub document: Option<(Option<&'a str>, &'a [u8])>,
    /// one of [`CHOICES`]
    pub category: Option<&'a str>,
}

store::hidden!(CreateAttachment<'a>);

/// An uploaded file.
pub struct File {
    /// its name
    pub name: String,
    /// its type
    pub file_type: FileType,
    /// its content
    pub content: Zeroizing<Vec<u8>>,
}

store::hidden!(File);

/// Every attachment of the company, oldest first.
pub fn list_attachments(tx: &mut Tx<'_>, caller: &Caller) -> Result<Vec<Attachment>, Error> {
    rows::of_company(tx, caller.company)
}

/// An attachment.
///
/// # Errors
/// "Not found"; a store error.
pub fn find_attachment(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<Attachment, Error> {
    Attachment::find(tx, caller.company, id)?.ok_or(Error::NotFound)
}

/// Stores a file.
///
/// # Errors
/// Every violation of the input; 422 if the limit is reached; a store error.
pub fn create_attachment(
    tx: &mut Tx<'_>,
    caller: &Caller,
    input: CreateAttachment<'_>,
) -> Result<Attachment, Error> {
    let mut checks = Checks::new();
    let file = checks.take_value(read_document("document", input.document));
    let category = checks.take_value(read_category("category", input.category));
    checks.finish()?;
    let (Some((name, file_type, content)), Some(category)) = (file, category) else {
        unreachable!("an attachment without a file or a category is refused")
    };
    tx.take_guard(caller.company, TABLE, caller.company)?;
    room_for("attachments of a company", rows::of_company(tx, caller.company)?.len(), MOST)?;
    let length = i64::try_from(content.len()).unwrap_or(i64::MAX);
    let new = Attachment { id: tx.new_id(), name, file_type, category, length, created_at: tx.now() };
    new.insert(tx, caller.company)?;
    new.keep_content(tx, caller.company, content)?;
    let changes = json!({ "category": [null, category.as_str()], "length": [null, length] });
    audit::record_audit_entry(tx, caller, "created", (TABLE, new.id), &changes)?;
    Ok(new)
}

/// The name, type and content of the uploaded file.
fn read_document<'a>(
    key: &str,
    sent: Option<(Option<&str>, &'a [u8])>,
) -> Result<(String, FileType, &'a [u8]), Violation> {
    let Some((file_name, content)) = sent else {
        return Err(Violation::invalid(key, format!("{key} can't be blank")));
    };
    let file_name = file_name
        .ok_or_else(|| Violation::invalid(key, format!("{key} must be a file with a name, not text")))?;
    let (name, file_type) = name::read_file_name(key, file_name)?;
    match content.len() {
        0 => Err(Violation::invalid(key, format!("{key} must be a file that is not empty"))),
        1..=LARGEST => Ok((name, file_type, content)),
        _ => {
            let most = LARGEST >> 20;
            Err(Violation::invalid(key, format!("{key} must be a file of at most {most} MB")))
        }
    }
}

fn read_category(key: &str, sent: Option<&str>) -> Result<Category, Violation> {
    let sent = sent.ok_or_else(|| Violation::invalid(key, format!("{key} can't be blank")))?;
    let name = check::one_of(key, sent, &CHOICES)?;
    Ok(Category::parse(name).unwrap_or_else(|| unreachable!("every choice is a category")))
}

/// Deletes an attachment with its content. Links to it no longer work.
///
/// # Errors
/// "Not found"; a store error.
pub fn delete_attachment(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<(), Error> {
    tx.take_guard(caller.company, TABLE, caller.company)?;
    let attachment = find_attachment(tx, caller, id)?;
    assert!(attachment.delete(tx, caller.company)?, "the row was read under its guard");
    attachment.delete_content(tx, caller.company)?;
    audit::record_audit_entry(tx, caller, "deleted", (TABLE, id), &json!({}))
}

/// The file of an attachment.
pub fn attachment_file(tx: &mut Tx<'_>, company: Uuid, attachment: Attachment) -> Result<File, Error> {
    let content = attachment.content(tx, company)?;
    Ok(File { name: attachment.name, file_type: attachment.file_type, content })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_needs_a_name_and_a_content_within_the_limit() {
        let read = |sent| read_document("document", sent).map_err(|why| why.message);
        assert!(read(None).unwrap_err().contains("can't be blank"));
        assert!(read(Some((None, b"x"))).unwrap_err().contains("with a name"));
        assert!(read(Some((Some("a.pdf"), b""))).unwrap_err().contains("not empty"));
        assert_eq!(
            read(Some((Some("a.pdf"), b"x"))).unwrap(),
            ("a.pdf".to_owned(), FileType::Pdf, &b"x"[..])
        );
        let large = vec![0; LARGEST + 1];
        assert!(read(Some((Some("a.pdf"), &large))).unwrap_err().contains("10 MB"));
        assert!(read(Some((Some("a.pdf"), &large[1..]))).is_ok());
    }

    #[test]
    fn the_category_of_unclassified_files_cannot_be_chosen() {
        assert_eq!(read_category("category", Some("gep_notice")).unwrap(), Category::Notice);
        let why = read_category("category", Some("other")).unwrap_err();
        assert!(why.message.contains("gep_notice, compliance"), "{why:?}");
        assert!(read_category("category", None).is_err());
        assert!(CHOICES.iter().all(|name| Category::parse(name).is_some()));
    }
}
