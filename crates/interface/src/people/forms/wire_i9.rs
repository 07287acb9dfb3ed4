//! Section 2 of Form I-9 on the wire.

use domain::people::forms::commands;
use domain::people::forms::commands::ElectronicSignature;
use domain::people::forms::i9_documents::Examined;
use rules::i9::documents::Kind;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::field::{Field, List};
use crate::input;
use crate::values::{IpText, LineText, LongLineText, NoteText, OptionalDateText, OptionalLineText};

/// A document that an employee can present.
#[derive(Debug, Serialize, ToSchema)]
pub struct I9DocumentOption {
    /// the list of the form: `A`, `B` or `C`; `A1`, `A2` and `A3` are the parts of a document of list A that has several
    pub section: &'static str,
    /// human-readable name
    pub description: &'static str,
    /// machine-readable key
    pub document_type: &'static str,
    /// its possible titles
    pub document_title: Vec<&'static str>,
    /// whether it is commonly presented
    pub common_choice: bool,
}

impl From<&Kind> for I9DocumentOption {
    fn from(kind: &Kind) -> Self {
        Self {
            section: kind.list.name(),
            description: kind.description,
            document_type: kind.name,
            document_title: kind.titles.to_vec(),
            common_choice: kind.common,
        }
    }
}

/// A document that the employer examined. Its number never leaves the service.
#[derive(Serialize, ToSchema)]
pub struct I9Document {
    /// identifier
    pub uuid: Uuid,
    /// the kind of document, as in document_options
    pub document_type: String,
    /// its title, as in document_options
    pub document_title: String,
    /// YYYY-MM-DD: expiration date, if it has one
    #[schema(format = Date)]
    pub expiration_date: Option<String>,
    /// the issuing authority
    pub issuing_authority: String,
}

store::hidden!(I9Document);

impl From<Examined> for I9Document {
    fn from(document: Examined) -> Self {
        Self {
            uuid: document.id,
            document_type: document.kind,
            document_title: document.title,
            expiration_date: document.expires,
            issuing_authority: document.authority,
        }
    }
}

input! {
    /// The documents that the employer examined.
    UpdateI9Documents => commands::UpdateI9Documents {
        /// all of them, at most three: the list is replaced
        #[schema(required)]
        documents: List<ExaminedDocument>,
    }

    /// A document that the employer examined.
    ExaminedDocument => commands::I9DocumentInput {
        /// the kind of document, as in document_options
        #[schema(required)]
        document_type: LineText,
        /// its title, as in document_options
        #[schema(required)]
        document_title: LineText,
        /// its number, at most 100 characters
        #[schema(nullable)]
        document_number: OptionalLineText,
        /// YYYY-MM-DD: expiration date, if it has one; not in the past
        #[schema(nullable)]
        expiration_date: OptionalDateText,
        /// the issuing authority, at most 100 characters
        #[schema(required)]
        issuing_authority: LineText,
    }

    /// The signature of whoever examined the documents for the employer.
    SignI9 => commands::SignI9 {
        /// the signer's title, at most 100 characters
        #[schema(required)]
        signer_title: LineText,
        /// notes, at most 1,000 characters
        #[schema(nullable)]
        additional_info: NoteText,
        /// whether the documents were examined under the alternative procedure; false by default
        #[schema(nullable)]
        alt_procedure: bool,
    }
    + signature: ElectronicSignature {
        /// the signer's legal name
        #[schema(required)]
        signature_text: LongLineText,
        /// consent to sign electronically: true
        #[schema(required)]
        agree: bool,
        /// the signer's IP address, unless a header gives it
        #[schema(nullable)]
        signed_by_ip_address: IpText,
    }
}
