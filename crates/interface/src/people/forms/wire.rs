//! Employees' forms on the wire.

use domain::access::tokens::Token;
use domain::people::forms::commands::{self, ElectronicSignature, PreparerInput};
use domain::people::forms::i9::{self, I9Details};
use domain::people::forms::rows;
use domain::records::version_text;
use domain::returns::forms::rows::{State, TaxForm};
use domain::returns::forms::service::EmployeeForm;
use domain::returns::statements;
use rules::Named;
use rules::i9::DocumentType;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use utoipa::openapi::{RefOr, Schema};
use uuid::Uuid;

use crate::field::{Field, Wire};
use crate::input;
use crate::values::{
    IdText, IpText, LongLineText, OptionalDateText, OptionalLineText, OptionalStateText, OptionalZipText,
    RightToWork, VersionText,
};
use domain::patch::Patch;

/// Media type of documents.
pub const CONTENT_TYPE: &str = "application/pdf";

/// A form of an employee or of a company.
#[derive(Debug, Serialize, ToSchema)]
pub struct Form {
    /// identifier
    pub uuid: Uuid,
    /// of an employee `US_W-4`, `employee_direct_deposit`, `US_I-9` or `US_W-2`; of a company `US_8655`,
    /// `company_direct_deposit`, `US_941`, `US_944`, `US_940` or `US_W-3`
    pub name: &'static str,
    /// title
    pub title: &'static str,
    /// description of its purpose
    pub description: &'static str,
    /// whether it is a tax form whose period is not closed: its figures may change
    pub draft: bool,
    /// the year to which it applies; null if it is not for a year
    pub year: Option<i64>,
    /// the quarter of a tax form, from 1 to 4; null if it is not for a quarter
    pub quarter: Option<i64>,
    /// whether it must be signed: it is unsigned, or its data has changed since the signature. Tax forms are not signed
    pub requires_signing: bool,
    /// always `application/pdf`
    pub document_content_type: &'static str,
}

impl From<rows::Form> for Form {
    fn from(form: rows::Form) -> Self {
        Self {
            uuid: form.id,
            name: form.kind.as_str(),
            title: form.kind.title(),
            description: form.kind.description(),
            draft: false,
            year: form.year,
            quarter: None,
            requires_signing: form.requires_signing,
            document_content_type: CONTENT_TYPE,
        }
    }
}

impl From<Box<TaxForm>> for Form {
    fn from(form: Box<TaxForm>) -> Self {
        Self {
            uuid: form.id,
            name: form.kind.as_str(),
            title: form.kind.title(),
            description: form.kind.description(),
            draft: form.state == State::Draft,
            year: Some(form.year),
            quarter: form.quarter,
            requires_signing: false,
            document_content_type: CONTENT_TYPE,
        }
    }
}

impl From<EmployeeForm> for Form {
    fn from(form: EmployeeForm) -> Self {
        match form {
            EmployeeForm::Signed(form) => form.into(),
            EmployeeForm::Tax(form) => form.into(),
        }
    }
}

/// A tax form of an employee.
#[derive(Debug, Serialize, ToSchema)]
pub struct GeneratedForm {
    #[serde(flatten)]
    form: Form,
    /// the employee
    employee_uuid: Option<Uuid>,
}

impl From<TaxForm> for GeneratedForm {
    fn from(form: TaxForm) -> Self {
        Self { employee_uuid: form.employee, form: Box::new(form).into() }
    }
}

input! {
    /// The Form W-2 of which a draft is made.
    GenerateW2 => statements::GenerateW2 {
        /// the employee
        #[schema(required)]
        employee_id: IdText,
        /// the year, from 2015 to the present one; the previous one by default
        #[schema(nullable)]
        year: i64,
    }
}

/// Where a form can be downloaded as PDF.
#[derive(Debug, Serialize, ToSchema)]
pub struct FormPdf {
    /// the form
    pub uuid: Uuid,
    /// works for 10 minutes without a header, for this form only
    pub document_url: String,
    /// always `application/pdf`
    pub document_content_type: &'static str,
}

impl FormPdf {
    /// The answer for a link to a form; `base` is the URL of the hosted pages.
    pub fn new(base: &str, form: Uuid, link: &Token) -> Self {
        Self { uuid: form, document_url: document_url(base, link), document_content_type: CONTENT_TYPE }
    }
}

/// The URL of a link to a document; `base` is the URL of the hosted pages.
pub fn document_url(base: &str, link: &Token) -> String {
    format!("{base}/documents/{}", link.text)
}

input! {
    /// Which documents are required of an employee.
    UpdateDocumentsConfig => commands::UpdateDocumentsConfig {
        /// whether Form I-9 is required; false by default
        #[schema(nullable)]
        i9_document: bool,
    }
}

/// A consent: true, or the text "true", which existing clients send for a preparer.
#[derive(Debug, ToSchema)]
#[schema(value_type = bool)]
pub struct Agreed(());

impl Wire for Agreed {
    type Value = bool;
    const EXPECTED: &'static str = <bool as Wire>::EXPECTED;
    fn from_json(value: Value) -> Option<bool> {
        match value {
            Value::Bool(agreed) => Some(agreed),
            Value::String(text) => text.parse().ok(),
            _ => None,
        }
    }
    fn schema() -> RefOr<Schema> {
        <bool as Wire>::schema()
    }
}

/// A signature.
#[derive(Debug, Default, Clone, Deserialize, ToSchema)]
#[serde(default)]
pub struct SignForm {
    /// the legal name as the employee typed it, at most 255 characters
    #[schema(required)]
    pub signature_text: Field<LongLineText>,
    /// must be true: the consent to sign electronically
    #[schema(required)]
    pub agree: Field<bool>,
    /// the employee's IP address; may be sent in the header X-Service-Client-IP instead
    pub signed_by_ip_address: Field<IpText>,
    /// whether a preparer or translator helped with Form I-9; the fields prefixed `preparer_` are read only then
    #[schema(nullable)]
    pub preparer: Field<bool>,
    /// the preparer's or translator's first name
    #[schema(nullable)]
    pub preparer_first_name: Field<OptionalLineText>,
    /// the preparer's or translator's last name
    #[schema(nullable)]
    pub preparer_last_name: Field<OptionalLineText>,
    /// house number and street
    #[schema(nullable)]
    pub preparer_street_1: Field<OptionalLineText>,
    /// second address line
    #[schema(nullable)]
    pub preparer_street_2: Field<OptionalLineText>,
    /// city
    #[schema(nullable)]
    pub preparer_city: Field<OptionalLineText>,
    /// two-letter code of the state
    #[schema(nullable)]
    pub preparer_state: Field<OptionalStateText>,
    /// ZIP code
    #[schema(nullable)]
    pub preparer_zip: Field<OptionalZipText>,
    /// the preparer's or translator's consent; true, or the text "true"
    #[schema(nullable)]
    pub preparer_agree: Field<Agreed>,
    /// whether a second preparer helped with Form I-9; the fields prefixed `preparer2_` are read only then
    #[schema(nullable)]
    pub preparer2: Field<bool>,
    /// the second preparer's first name
    #[schema(nullable)]
    pub preparer2_first_name: Field<OptionalLineText>,
    /// the second preparer's last name
    #[schema(nullable)]
    pub preparer2_last_name: Field<OptionalLineText>,
    /// house number and street
    #[schema(nullable)]
    pub preparer2_street_1: Field<OptionalLineText>,
    /// second address line
    #[schema(nullable)]
    pub preparer2_street_2: Field<OptionalLineText>,
    /// city
    #[schema(nullable)]
    pub preparer2_city: Field<OptionalLineText>,
    /// two-letter code of the state
    #[schema(nullable)]
    pub preparer2_state: Field<OptionalStateText>,
    /// ZIP code
    #[schema(nullable)]
    pub preparer2_zip: Field<OptionalZipText>,
    /// the second preparer's consent; true, or the text "true"
    #[schema(nullable)]
    pub preparer2_agree: Field<Agreed>,
    /// whether a third preparer helped with Form I-9; the fields prefixed `preparer3_` are read only then
    #[schema(nullable)]
    pub preparer3: Field<bool>,
    /// the third preparer's first name
    #[schema(nullable)]
    pub preparer3_first_name: Field<OptionalLineText>,
    /// the third preparer's last name
    #[schema(nullable)]
    pub preparer3_last_name: Field<OptionalLineText>,
    /// house number and street
    #[schema(nullable)]
    pub preparer3_street_1: Field<OptionalLineText>,
    /// second address line
    #[schema(nullable)]
    pub preparer3_street_2: Field<OptionalLineText>,
    /// city
    #[schema(nullable)]
    pub preparer3_city: Field<OptionalLineText>,
    /// two-letter code of the state
    #[schema(nullable)]
    pub preparer3_state: Field<OptionalStateText>,
    /// ZIP code
    #[schema(nullable)]
    pub preparer3_zip: Field<OptionalZipText>,
    /// the third preparer's consent; true, or the text "true"
    #[schema(nullable)]
    pub preparer3_agree: Field<Agreed>,
    /// whether a fourth preparer helped with Form I-9; the fields prefixed `preparer4_` are read only then
    #[schema(nullable)]
    pub preparer4: Field<bool>,
    /// the fourth preparer's first name
    #[schema(nullable)]
    pub preparer4_first_name: Field<OptionalLineText>,
    /// the fourth preparer's last name
    #[schema(nullable)]
    pub preparer4_last_name: Field<OptionalLineText>,
    /// house number and street
    #[schema(nullable)]
    pub preparer4_street_1: Field<OptionalLineText>,
    /// second address line
    #[schema(nullable)]
    pub preparer4_street_2: Field<OptionalLineText>,
    /// city
    #[schema(nullable)]
    pub preparer4_city: Field<OptionalLineText>,
    /// two-letter code of the state
    #[schema(nullable)]
    pub preparer4_state: Field<OptionalStateText>,
    /// ZIP code
    #[schema(nullable)]
    pub preparer4_zip: Field<OptionalZipText>,
    /// the fourth preparer's consent; true, or the text "true"
    #[schema(nullable)]
    pub preparer4_agree: Field<Agreed>,
}

macro_rules! preparer {
    ($form:ident, $used:ident, $first:ident, $last:ident, $one:ident, $two:ident, $city:ident, $state:ident, $zip:ident, $agree:ident) => {
        PreparerInput {
            used: $form.$used.into(),
            first_name: $form.$first.into(),
            last_name: $form.$last.into(),
            street_1: $form.$one.into(),
            street_2: $form.$two.into(),
            city: $form.$city.into(),
            state: $form.$state.into(),
            zip: $form.$zip.into(),
            agree: $form.$agree.into(),
        }
    };
}

impl From<SignForm> for commands::SignForm {
    #[rustfmt::skip]
    fn from(form: SignForm) -> Self {
        Self {
            signature: ElectronicSignature {
                signature_text: form.signature_text.into(),
                agree: form.agree.into(),
                signed_by_ip_address: form.signed_by_ip_address.into(),
            },
            preparers: [
                preparer!(form, preparer, preparer_first_name, preparer_last_name, preparer_street_1, preparer_street_2, preparer_city, preparer_state, preparer_zip, preparer_agree),
                preparer!(form, preparer2, preparer2_first_name, preparer2_last_name, preparer2_street_1, preparer2_street_2, preparer2_city, preparer2_state, preparer2_zip, preparer2_agree),
                preparer!(form, preparer3, preparer3_first_name, preparer3_last_name, preparer3_street_1, preparer3_street_2, preparer3_city, preparer3_state, preparer3_zip, preparer3_agree),
                preparer!(form, preparer4, preparer4_first_name, preparer4_last_name, preparer4_street_1, preparer4_street_2, preparer4_city, preparer4_state, preparer4_zip, preparer4_agree),
            ],
        }
    }
}

/// Puts the header's IP address into a signature whose body has none: published components omit it, or send an empty
/// text.
pub fn signed_from(signature: &mut ElectronicSignature, header: Option<String>) {
    let field = &mut signature.signed_by_ip_address;
    let given = field.value().is_some_and(|text| !text.is_empty()) || matches!(field, Patch::Invalid(_));
    if !given && let Some(header) = header {
        *field = Patch::Value(header);
    }
}

/// An employee's employment authorization (Form I-9, section 1).
#[derive(Debug, Serialize, ToSchema)]
pub struct I9Authorization {
    /// identifier
    pub uuid: Uuid,
    /// the form; null while Form I-9 is not required
    pub form_uuid: Option<Uuid>,
    /// concurrency token, to be sent with an update
    pub version: String,
    /// `citizen`, `noncitizen` (national), `permanent_resident` or `alien` (otherwise authorized to work)
    pub authorization_status: RightToWork,
    /// `uscis_alien_registration_number`, `form_i94` or `foreign_passport`; null if none is required
    pub document_type: Option<&'static str>,
    /// whether the document number is on file; the number itself never leaves the service
    pub has_document_number: bool,
    /// the country that issued the passport
    pub country: Option<String>,
    /// YYYY-MM-DD: the day on which the authorization expires
    #[schema(format = Date)]
    pub expiration_date: Option<String>,
    /// whether the employee has signed Form I-9
    pub employee_signed: bool,
    /// whether the employer has signed section 2; afterwards nothing can be changed
    pub employer_signed: bool,
    /// the employer's notes about the documents
    pub additional_info: Option<String>,
    /// whether the employer examined the documents under the alternative procedure; null before the signature
    pub alt_procedure: Option<bool>,
}

impl From<I9Details> for I9Authorization {
    fn from(details: I9Details) -> Self {
        let I9Details { id, version, answers, form, employer } = details;
        Self {
            uuid: id,
            form_uuid: form.as_ref().map(|form| form.id),
            version: version_text(i9::TABLE, id, version),
            authorization_status: answers.status.into(),
            document_type: answers.document.map(DocumentType::as_str),
            has_document_number: answers.number.is_some(),
            country: answers.country,
            expiration_date: answers.expires.map(|day| day.to_string()),
            employee_signed: form.is_some_and(|form| !form.requires_signing),
            employer_signed: employer.is_some(),
            alt_procedure: employer.as_ref().map(|signed| signed.alt_procedure),
            additional_info: employer.and_then(|signed| signed.additional_info),
        }
    }
}

input! {
    /// All answers of section 1.
    UpdateI9Authorization => commands::UpdateI9Authorization {
        /// the version as last read; omitted for the first answer
        version: VersionText,
        /// `citizen`, `noncitizen`, `permanent_resident` or `alien`
        #[schema(required)]
        authorization_status: RightToWork,
        /// required for `alien`: `uscis_alien_registration_number`, `form_i94` or `foreign_passport`
        #[schema(nullable)]
        document_type: OptionalLineText,
        /// required with a document; if omitted, the number on file for the same document is kept
        #[schema(nullable)]
        document_number: OptionalLineText,
        /// required for `foreign_passport`
        #[schema(nullable)]
        country: OptionalLineText,
        /// YYYY-MM-DD, not in the past; only for `alien`
        #[schema(nullable)]
        expiration_date: OptionalDateText,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn consent_of_a_preparer_is_true_or_the_text_true() {
        let read = |agree: Value| {
            let form: SignForm = serde_json::from_value(json!({ "preparer2_agree": agree })).unwrap();
            let [_, second, ..] = commands::SignForm::from(form).preparers;
            second.agree
        };
        assert_eq!(read(json!(true)), Patch::Value(true));
        assert_eq!(read(json!("true")), Patch::Value(true));
        assert_eq!(read(json!("yes")), Patch::Invalid("true or false".into()));
    }

    #[test]
    fn the_header_gives_the_address_only_if_the_body_has_none() {
        let header = || Some("203.0.113.7".to_owned());
        let mut signature = ElectronicSignature::default();
        signed_from(&mut signature, header());
        assert_eq!(signature.signed_by_ip_address.value(), header().as_ref());
        signature.signed_by_ip_address = Patch::Value(String::new());
        signed_from(&mut signature, header());
        assert_eq!(signature.signed_by_ip_address.value(), header().as_ref());
        signature.signed_by_ip_address = Patch::Value("::1".to_owned());
        signed_from(&mut signature, header());
        assert_eq!(signature.signed_by_ip_address.value().map(String::as_str), Some("::1"));
    }
}
