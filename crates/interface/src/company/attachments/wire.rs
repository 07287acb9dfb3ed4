//! Attachments on the wire.

use domain::company::attachments::rows;
use domain::company::attachments::service::{CHOICES, CreateAttachment};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::form::Form;
use crate::moment::format_moment;
use crate::named::Enum;
use crate::words;

/// The category of an attachment.
pub type AttachmentCategory = Enum<rows::Category>;

words! {
    /// The category of an uploaded file.
    AttachmentChoice = CHOICES;
}

/// A file that a company uploaded.
#[derive(Debug, Serialize, ToSchema)]
pub struct CompanyAttachment {
    /// identifier
    pub uuid: Uuid,
    /// the name of the file
    pub name: String,
    /// its category
    pub category: AttachmentCategory,
    /// when it was uploaded
    #[schema(format = DateTime)]
    pub upload_time: String,
}

impl From<rows::Attachment> for CompanyAttachment {
    fn from(attachment: rows::Attachment) -> Self {
        Self {
            uuid: attachment.id,
            name: attachment.name,
            category: Enum(attachment.category),
            upload_time: format_moment(attachment.created_at),
        }
    }
}

/// Where an attachment can be downloaded.
#[derive(Debug, Serialize, ToSchema)]
pub struct CompanyAttachmentDownloadUrl {
    /// works for 10 minutes, without a header
    pub url: String,
}

/// The form with a file to upload.
#[derive(Debug, ToSchema)]
pub struct CreateCompanyAttachment {
    /// the file, with its name
    #[schema(format = Binary)]
    pub document: String,
    /// its category
    pub category: AttachmentChoice,
}

/// The command of a form.
pub fn create_command(form: &Form) -> CreateAttachment<'_> {
    CreateAttachment { document: form.file("document"), category: form.text_part("category") }
}
