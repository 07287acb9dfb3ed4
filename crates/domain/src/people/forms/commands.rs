//! Inputs of the use cases for employees' forms.

use rules::i9::Status;

use crate::patch::Patch;

/// Maximum number of preparers and translators who can sign Form I-9.
pub const PREPARERS: usize = 4;

/// Sets which documents are requested from an employee.
#[derive(Debug, Clone, Default)]
pub struct UpdateDocumentsConfig {
    /// whether Form I-9 is requested; false by default
    pub i9_document: Patch<bool>,
}

/// An electronic signature.
#[derive(Debug, Clone, Default)]
pub struct ElectronicSignature {
    /// legal name as typed by the signer
    pub signature_text: Patch<String>,
    /// consent to sign electronically
    pub agree: Patch<bool>,
    /// IP address of the signer
    pub signed_by_ip_address: Patch<String>,
}

/// Signs a form.
#[derive(Debug, Clone, Default)]
pub struct SignForm {
    /// signature of the employee
    pub signature: ElectronicSignature,
    /// signatures of preparers and translators; only for Form I-9
    pub preparers: [PreparerInput; PREPARERS],
}

/// The signature of a preparer or translator of Form I-9.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "fields are those of `signing::Preparer`")]
pub struct PreparerInput {
    /// whether this preparer signs; if not, the other fields are ignored
    pub used: Patch<bool>,
    pub first_name: Patch<String>,
    pub last_name: Patch<String>,
    pub street_1: Patch<String>,
    pub street_2: Patch<String>,
    pub city: Patch<String>,
    pub state: Patch<String>,
    pub zip: Patch<String>,
    /// consent of the preparer
    pub agree: Patch<bool>,
}

/// Replaces the documents that the employer examined for section 2 of Form I-9.
#[derive(Debug, Clone, Default)]
pub struct UpdateI9Documents {
    /// complete list of documents
    pub documents: Patch<Vec<I9DocumentInput>>,
}

/// A document that the employer examined.
#[derive(Debug, Clone, Default)]
pub struct I9DocumentInput {
    /// name of a `rules::i9::documents::Kind`
    pub document_type: Patch<String>,
    /// one of the titles of that kind
    pub document_title: Patch<String>,
    /// document number, if it has one
    pub document_number: Patch<String>,
    /// expiration date, if it has one
    pub expiration_date: Patch<String>,
    /// issuing authority
    pub issuing_authority: Patch<String>,
}

/// Signs section 2 of Form I-9 on behalf of the employer.
#[derive(Debug, Clone, Default)]
pub struct SignI9 {
    /// signature of the person who examined the documents
    pub signature: ElectronicSignature,
    /// the signer's title
    pub signer_title: Patch<String>,
    /// additional information
    pub additional_info: Patch<String>,
    /// whether the documents were examined under the alternative procedure; false by default
    pub alt_procedure: Patch<bool>,
}

/// Replaces an employee's answers for section 1 of Form I-9.
#[derive(Debug, Clone, Default)]
pub struct UpdateI9Authorization {
    /// version as last read; not needed for the first answers
    pub version: Patch<String>,
    /// name of a `rules::i9::Status`
    pub authorization_status: Patch<Status>,
    /// name of a `rules::i9::DocumentType`
    pub document_type: Patch<String>,
    /// document number; the stored number is kept if absent and the document type is the same
    pub document_number: Patch<String>,
    /// country of issuance of a passport
    pub country: Patch<String>,
    /// date when the work authorization expires
    pub expiration_date: Patch<String>,
}
