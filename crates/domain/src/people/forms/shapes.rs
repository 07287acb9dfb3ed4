//! Operations on forms, and their shapes.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::rows;
use super::signing::{Agreed, PreparerFields};
use crate::field::Field;

/// The kind of file that a form is given out as.
pub const CONTENT_TYPE: &str = "application/pdf";

/// A form of an employee.
#[derive(Debug, Serialize, ToSchema)]
pub struct Form {
    /// identifier
    pub uuid: Uuid,
    /// `US_W-4`, `employee_direct_deposit` or `US_I-9`
    pub name: &'static str,
    /// for people
    pub title: &'static str,
    /// for people: what it is for
    pub description: &'static str,
    /// always false
    pub draft: bool,
    /// the year that it is for; null where it is for none
    pub year: Option<i64>,
    /// always null
    pub quarter: Option<i64>,
    /// whether the employee has to sign it: not signed yet, or not since its data changed
    pub requires_signing: bool,
    /// always `application/pdf`
    pub document_content_type: &'static str,
}

impl From<&rows::Form> for Form {
    fn from(form: &rows::Form) -> Self {
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

/// Where a form can be had as PDF.
#[derive(Debug, Serialize, ToSchema)]
pub struct FormPdf {
    /// the form
    pub uuid: Uuid,
    /// needs no header, shows this form only, and works for 10 minutes
    pub document_url: String,
    /// always `application/pdf`
    pub document_content_type: &'static str,
}

/// Which documents an employee is to be asked for.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct UpdateDocumentsConfig {
    /// whether Form I-9 is asked for; false when it is left out
    pub i9_document: Field<bool>,
}

/// A signature.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct SignForm {
    /// the legal name as the employee typed it, at most 255 characters
    #[schema(required)]
    pub signature_text: Field<String>,
    /// must be true: the consent to sign electronically
    #[schema(required)]
    pub agree: Field<bool>,
    /// the address that the employee signed from; may stand in the header X-Service-Client-IP instead
    pub signed_by_ip_address: Field<String>,
    /// whether somebody helped to fill Form I-9 in; the other fields that begin so are read only then
    pub preparer: Field<bool>,
    /// the preparer's or translator's first name
    pub preparer_first_name: Field<String>,
    /// the preparer's or translator's last name
    pub preparer_last_name: Field<String>,
    /// house number and street
    pub preparer_street_1: Field<String>,
    /// second address line
    pub preparer_street_2: Field<String>,
    /// city
    pub preparer_city: Field<String>,
    /// two-letter code of the state
    pub preparer_state: Field<String>,
    /// ZIP code
    pub preparer_zip: Field<String>,
    /// the preparer's or translator's consent; true, or the text "true"
    pub preparer_agree: Field<Agreed>,
    /// whether somebody helped to fill Form I-9 in, further; the other fields that begin so are read only then
    pub preparer2: Field<bool>,
    /// the second preparer's first name
    pub preparer2_first_name: Field<String>,
    /// the second preparer's last name
    pub preparer2_last_name: Field<String>,
    /// house number and street
    pub preparer2_street_1: Field<String>,
    /// second address line
    pub preparer2_street_2: Field<String>,
    /// city
    pub preparer2_city: Field<String>,
    /// two-letter code of the state
    pub preparer2_state: Field<String>,
    /// ZIP code
    pub preparer2_zip: Field<String>,
    /// the second preparer's consent; true, or the text "true"
    pub preparer2_agree: Field<Agreed>,
    /// whether somebody helped to fill Form I-9 in, further; the other fields that begin so are read only then
    pub preparer3: Field<bool>,
    /// the third preparer's first name
    pub preparer3_first_name: Field<String>,
    /// the third preparer's last name
    pub preparer3_last_name: Field<String>,
    /// house number and street
    pub preparer3_street_1: Field<String>,
    /// second address line
    pub preparer3_street_2: Field<String>,
    /// city
    pub preparer3_city: Field<String>,
    /// two-letter code of the state
    pub preparer3_state: Field<String>,
    /// ZIP code
    pub preparer3_zip: Field<String>,
    /// the third preparer's consent; true, or the text "true"
    pub preparer3_agree: Field<Agreed>,
    /// whether somebody helped to fill Form I-9 in, further; the other fields that begin so are read only then
    pub preparer4: Field<bool>,
    /// the fourth preparer's first name
    pub preparer4_first_name: Field<String>,
    /// the fourth preparer's last name
    pub preparer4_last_name: Field<String>,
    /// house number and street
    pub preparer4_street_1: Field<String>,
    /// second address line
    pub preparer4_street_2: Field<String>,
    /// city
    pub preparer4_city: Field<String>,
    /// two-letter code of the state
    pub preparer4_state: Field<String>,
    /// ZIP code
    pub preparer4_zip: Field<String>,
    /// the fourth preparer's consent; true, or the text "true"
    pub preparer4_agree: Field<Agreed>,
}

macro_rules! preparer {
    ($form:ident, $used:ident, $first:ident, $last:ident, $one:ident, $two:ident, $city:ident, $state:ident, $zip:ident, $agree:ident) => {
        PreparerFields {
            prefix: stringify!($used),
            used: &$form.$used,
            first_name: &$form.$first,
            last_name: &$form.$last,
            street_1: &$form.$one,
            street_2: &$form.$two,
            city: &$form.$city,
            state: &$form.$state,
            zip: &$form.$zip,
            agree: &$form.$agree,
        }
    };
}

impl SignForm {
    /// The fields of each preparer.
    #[rustfmt::skip]
    pub fn preparers(&self) -> [PreparerFields<'_>; 4] {
        [
            preparer!(self, preparer, preparer_first_name, preparer_last_name, preparer_street_1, preparer_street_2, preparer_city, preparer_state, preparer_zip, preparer_agree),
            preparer!(self, preparer2, preparer2_first_name, preparer2_last_name, preparer2_street_1, preparer2_street_2, preparer2_city, preparer2_state, preparer2_zip, preparer2_agree),
            preparer!(self, preparer3, preparer3_first_name, preparer3_last_name, preparer3_street_1, preparer3_street_2, preparer3_city, preparer3_state, preparer3_zip, preparer3_agree),
            preparer!(self, preparer4, preparer4_first_name, preparer4_last_name, preparer4_street_1, preparer4_street_2, preparer4_city, preparer4_state, preparer4_zip, preparer4_agree),
        ]
    }
}

/// What an employee says about the right to work (Form I-9, section 1).
#[derive(Debug, Serialize, ToSchema)]
pub struct I9Authorization {
    /// identifier
    pub uuid: Uuid,
    /// the form that shows it; null while Form I-9 is not asked for
    pub form_uuid: Option<Uuid>,
    /// concurrency token, to be sent with an update
    pub version: String,
    /// `citizen`, `noncitizen` (national), `permanent_resident` or `alien` (otherwise authorized to work)
    pub authorization_status: &'static str,
    /// `uscis_alien_registration_number`, `form_i94` or `foreign_passport`; null where none is needed
    pub document_type: Option<&'static str>,
    /// whether the number of the document is held; the number itself never leaves the service
    pub has_document_number: bool,
    /// the country that issued the passport
    pub country: Option<String>,
    /// YYYY-MM-DD: the day on which the authorization ends
    pub expiration_date: Option<String>,
    /// whether the employee has signed Form I-9
    pub employee_signed: bool,
    /// always false: section 2 is not kept here
    pub employer_signed: bool,
}

/// What the employee says, as a whole.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct UpdateI9Authorization {
    /// the version as last read; none for the first answer
    pub version: Field<String>,
    /// `citizen`, `noncitizen`, `permanent_resident` or `alien`
    #[schema(required)]
    pub authorization_status: Field<String>,
    /// needed for `alien`: `uscis_alien_registration_number`, `form_i94` or `foreign_passport`
    pub document_type: Field<String>,
    /// needed with a document; left out, the number that is held for the same document stays
    pub document_number: Field<String>,
    /// needed for `foreign_passport`
    pub country: Field<String>,
    /// YYYY-MM-DD, not in the past; only for `alien`
    pub expiration_date: Field<String>,
}
