//! Forms of companies on the wire. Forms and links to documents have the same shapes as employees' forms.

use domain::company::forms::rows;
use domain::people::forms::commands::ElectronicSignature;
use domain::returns::forms::service::CompanyForm;
use rules::Named;

use crate::field::Field;
use crate::input;
use crate::people::forms::wire::CONTENT_TYPE;
pub use crate::people::forms::wire::{Form, FormPdf};
use crate::values::{IpText, LongLineText};

impl From<rows::Form> for Form {
    fn from(form: rows::Form) -> Self {
        Self {
            uuid: form.id,
            name: form.kind.as_str(),
            title: form.kind.title(),
            description: form.kind.description(),
            draft: false,
            year: None,
            quarter: None,
            requires_signing: form.requires_signing,
            document_content_type: CONTENT_TYPE,
        }
    }
}

impl From<CompanyForm> for Form {
    fn from(form: CompanyForm) -> Self {
        match form {
            CompanyForm::Signed(form) => form.into(),
            CompanyForm::Tax(form) => form.into(),
        }
    }
}

input! {
    /// A signature for a company.
    SignCompanyForm => ElectronicSignature {
        /// the legal name as the signatory typed it, at most 255 characters
        #[schema(required)]
        signature_text: LongLineText,
        /// must be true: the consent to sign electronically
        #[schema(required)]
        agree: bool,
        /// the signatory's IP address; may be sent in the header X-Service-Client-IP instead
        signed_by_ip_address: IpText,
    }
}
