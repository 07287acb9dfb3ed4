//! Operations on forms of companies, and their shapes.

use serde::Deserialize;
use utoipa::ToSchema;

use crate::field::Field;

/// A signature for a company.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct SignCompanyForm {
    /// the legal name as the signatory typed it, at most 255 characters
    #[schema(required)]
    pub signature_text: Field<String>,
    /// must be true: the consent to sign electronically
    #[schema(required)]
    pub agree: Field<bool>,
    /// the address that the signatory signed from; may stand in the header X-Service-Client-IP instead
    pub signed_by_ip_address: Field<String>,
}
