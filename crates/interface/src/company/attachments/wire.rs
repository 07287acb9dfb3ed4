//! Attachments on the wire.

use domain::company::attachments::rows;
use domain::company::attachments::service::{CHOICES, CreateAttachment};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::form::Form;
use crate::moment::moment;
use crate::named::Enum;
use crate::words;

/// What an attachment is about.
pub type AttachmentCategory = Enum<rows::Category>;

words! {
    /// What a file that is handed in is about.
    AttachmentChoice = CHOICES;
}

/// A file that a company handed in.
#[derive(Debug, Serialize, ToSchema)]
pub struct CompanyAttachment {
    /// identifier
    pub uuid: Uuid,
    /// the name of the file
    pub name: String,
    /// what it is about
    pub category: AttachmentCategory,
    /// when it was handed in
    #[schema(format = DateTime)]
    pub upload_time: String,
}

impl From<rows::Attachment> for CompanyAttachment {
    fn from(attachment: rows::Attachment) -> Self {
        Self {
            uuid: attachment.id,
            name: attachment.name,
            category: Enum(attachment.category),
            upload_time: moment(attachment.created_at),
        }
    }
}

/// Where an attachment can be downloaded.
#[derive(Debug, Serialize, ToSchema)]
pub struct CompanyAttachmentDownloadUrl {
    /// needs no header, and works for 10 minutes
    pub url: String,
}

/// The form with a file that is handed in.
#[derive(Debug, ToSchema)]
pub struct CreateCompanyAttachment {
    /// the file, with its name
    #[schema(format = Binary)]
    pub document: String,
    /// what it is about
    pub category: AttachmentChoice,
}

/// The command of a form.
pub fn upload(form: &Form) -> CreateAttachment<'_> {
    CreateAttachment { document: form.file("document"), category: form.text("category") }
}

/// What may stand in an encoded file name as it is (RFC 8187, 3.2.1).
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The header by which a browser downloads a file under a name: once in letters that every client knows, and once in full.
pub fn disposition(name: &str) -> String {
    let known =
        |c: char| if c.is_ascii_graphic() && !matches!(c, '"' | '\\' | '%') || c == ' ' { c } else { '_' };
    let plain: String = name.chars().map(known).collect();
    format!("attachment; filename=\"{plain}\"; filename*=UTF-8''{}", utf8_percent_encode(name, PLAIN))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_break_out_of_its_header() {
        assert_eq!(
            disposition("notice 1.pdf"),
            "attachment; filename=\"notice 1.pdf\"; filename*=UTF-8''notice%201.pdf"
        );
        assert_eq!(
            disposition("a\"; x=\\é\r\n.pdf"),
            "attachment; filename=\"a_; x=____.pdf\"; filename*=UTF-8''a%22%3B%20x%3D%5C%C3%A9%0D%0A.pdf"
        );
    }
}
