//! Documents of contractors on the wire.

use domain::access::tokens::Token;
use domain::contractors::documents::content::Field as Filled;
use domain::contractors::documents::service;
use domain::contractors::documents::service::DocumentDetails;
use domain::people::forms::commands::ElectronicSignature;
use rules::Named;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::field::{Field, List};
use crate::input;
use crate::moment::format_moment;
use crate::people::forms::wire::document_url;
use crate::values::{IpText, LongLineText, MemoText};

/// A document of a contractor.
#[derive(Serialize, ToSchema)]
pub struct ContractorDocument {
    /// identifier
    pub uuid: Uuid,
    /// title
    pub title: &'static str,
    /// `taxpayer_identification_form_w_9`
    pub name: &'static str,
    /// always `Contractor`
    pub recipient_type: &'static str,
    /// the contractor
    pub recipient_uuid: Uuid,
    /// always empty: pages are not served as images; the PDF has them
    #[schema(value_type = Vec<Object>)]
    pub pages: [(); 0],
    /// its fields, filled in as far as they are known
    pub fields: Vec<DocumentField>,
    /// when it was signed; null until then
    #[schema(format = DateTime)]
    pub signed_at: Option<String>,
    /// description of its purpose
    pub description: &'static str,
    /// whether it must be signed: it is unsigned, or its data has changed since the signature
    pub requires_signing: bool,
    /// always false
    pub draft: bool,
    /// always null
    pub year: Option<i64>,
    /// always null
    pub quarter: Option<i64>,
}

store::hidden!(ContractorDocument);

/// A field of a document.
#[derive(Serialize, ToSchema)]
pub struct DocumentField {
    /// its key
    pub key: &'static str,
    /// its value, with SSN and EIN masked; null if it is empty
    pub value: Option<String>,
    /// always null, as the other places: there are no images of pages
    pub x: Option<i64>,
    /// always null
    pub y: Option<i64>,
    /// always null
    pub width: Option<i64>,
    /// always null
    pub height: Option<i64>,
    /// always null
    pub page_number: Option<i64>,
    /// `text`, `checkbox` (`1` or `0`), `signature`, `date`, `ssn`, `ein`, `full_name` or `company_name`
    pub data_type: &'static str,
    /// whether the signer must fill it in
    pub required: bool,
}

store::hidden!(DocumentField);

impl From<Filled> for DocumentField {
    fn from(field: Filled) -> Self {
        Self {
            key: field.key,
            value: field.value,
            x: None,
            y: None,
            width: None,
            height: None,
            page_number: None,
            data_type: field.data_type,
            required: field.required,
        }
    }
}

impl From<DocumentDetails> for ContractorDocument {
    fn from(DocumentDetails { document, fields }: DocumentDetails) -> Self {
        Self {
            uuid: document.id,
            title: document.kind.title(),
            name: document.kind.as_str(),
            recipient_type: "Contractor",
            recipient_uuid: document.contractor,
            pages: [],
            fields: fields.into_iter().map(DocumentField::from).collect(),
            signed_at: document.signed_at.map(format_moment),
            description: document.kind.description(),
            requires_signing: document.requires_signing,
            draft: false,
            year: None,
            quarter: None,
        }
    }
}

/// Where a document can be downloaded.
#[derive(Debug, Serialize, ToSchema)]
pub struct DocumentPdf {
    /// the document
    pub uuid: Uuid,
    /// works for ten minutes without a token
    pub document_url: String,
}

impl DocumentPdf {
    /// The answer for a link to a document; `base` is the URL of the hosted pages.
    pub fn new(base: &str, document: Uuid, link: &Token) -> Self {
        Self { uuid: document, document_url: document_url(base, link) }
    }
}

/// A signature of a document.
#[derive(Debug, Default, Clone, Deserialize, ToSchema)]
#[serde(default)]
pub struct SignDocument {
    /// the fields as the signer filled them in, among them `signature_text`, the legal name
    #[schema(required)]
    pub fields: Field<List<SignedField>>,
    /// must be true: the consent to sign electronically
    #[schema(required)]
    pub agree: Field<bool>,
    /// the signer's IP address; may be sent in the header X-Service-Client-IP instead
    pub signed_by_ip_address: Field<IpText>,
}

impl From<SignDocument> for service::SignDocument {
    fn from(input: SignDocument) -> Self {
        Self {
            fields: input.fields.into(),
            signature: ElectronicSignature {
                agree: input.agree.into(),
                signed_by_ip_address: input.signed_by_ip_address.into(),
                ..ElectronicSignature::default()
            },
        }
    }
}

input! {
    /// A field of a document as the signer filled it in.
    SignedField => service::FieldInput {
        /// its key
        #[schema(required)]
        key: LongLineText,
        /// its value, at most 255 characters; a checkbox is ticked by `1` or `true`
        #[schema(nullable)]
        value: MemoText,
    }
}
