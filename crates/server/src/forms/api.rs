//! Operations on forms, and their shapes.

use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderName, StatusCode};
use axum::response::Response;
use serde::{Deserialize, Serialize};
use store::Tx;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use super::rows;
use super::signing::{Agreed, PreparerFields};
use super::{i9, links, service};
use crate::app::App;
use crate::auth::Caller;
use crate::employees::api::DocumentsConfig;
use crate::error::Error;
use crate::field::Field;
use crate::http::{Call, Id, Input};

/// The kind of file that a form is given out as.
pub const CONTENT_TYPE: &str = "application/pdf";
/// Where the signer's address may stand instead of the body.
const CLIENT_IP: HeaderName = HeaderName::from_static("x-service-client-ip");
/// Its alias, which existing clients send.
const CLIENT_IP_ALIAS: HeaderName = HeaderName::from_static("x-gusto-client-ip");

/// The signer's address as a header says it.
pub fn client_ip(headers: &HeaderMap) -> Option<String> {
    let said = [CLIENT_IP, CLIENT_IP_ALIAS].iter().find_map(|name| headers.get(name));
    said.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
}

/// Operations on forms.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(update_documents_config))
        .routes(routes!(list_forms))
        .routes(routes!(get_form))
        .routes(routes!(get_form_pdf))
        .routes(routes!(sign_form))
        .routes(routes!(get_i9_authorization, update_i9_authorization))
}

/// An employee and a form in a path.
#[derive(Debug, Clone, Copy, Deserialize)]
struct FormIds {
    employee_id: Id,
    form_id: Id,
}

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

/// Say which documents an employee is asked for
///
/// With `i9_document` the employee fills section 1 of Form I-9 during onboarding.
#[utoipa::path(put, path = "/v1/employees/{employee_id}/onboarding_documents_config", tag = "Forms",
    params(("employee_id" = Uuid, Path, description = "The employee")),
    request_body = UpdateDocumentsConfig,
    responses((status = 200, description = "What is asked for now", body = DocumentsConfig)),
    security(("company_access" = ["employees:manage"])))]
async fn update_documents_config(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<UpdateDocumentsConfig>,
) -> Result<Response, Error> {
    app.write(call, StatusCode::OK, move |tx, caller| service::configure(tx, caller, id, &input)).await
}

/// List an employee's forms
///
/// Form W-4, the authorization of direct deposit and Form I-9, as far as they are asked for.
#[utoipa::path(get, path = "/v1/employees/{employee_id}/forms", tag = "Forms",
    params(("employee_id" = Uuid, Path, description = "The employee")),
    responses((status = 200, description = "The forms", body = Vec<Form>)),
    security(("company_access" = ["employee_forms:read"])))]
async fn list_forms(State(app): State<App>, call: Call, Path(Id(id)): Path<Id>) -> Result<Response, Error> {
    app.read(call, move |tx, caller| service::list(tx, caller, id)).await
}

/// Read a form
///
/// Whether it asks for a signature, and the year it belongs to.
#[utoipa::path(get, path = "/v1/employees/{employee_id}/forms/{form_id}", tag = "Forms",
    params(("employee_id" = Uuid, Path, description = "The employee"), ("form_id" = Uuid, Path, description = "The form")),
    responses((status = 200, description = "The form", body = Form)),
    security(("company_access" = ["employee_forms:read"])))]
async fn get_form(State(app): State<App>, call: Call, Path(ids): Path<FormIds>) -> Result<Response, Error> {
    app.read(call, move |tx, caller| service::get(tx, caller, ids.employee_id.0, ids.form_id.0)).await
}

/// Get an address at which a form can be had as PDF
///
/// The address works for ten minutes without a token, so that a browser can open it.
#[utoipa::path(get, path = "/v1/employees/{employee_id}/forms/{form_id}/pdf", tag = "Forms",
    params(("employee_id" = Uuid, Path, description = "The employee"), ("form_id" = Uuid, Path, description = "The form")),
    responses((status = 200, description = "The address", body = FormPdf)),
    security(("company_access" = ["employee_forms:read"])))]
async fn get_form_pdf(
    State(app): State<App>,
    call: Call,
    Path(ids): Path<FormIds>,
) -> Result<Response, Error> {
    let base = app.settings.flow_url.clone().unwrap_or_default();
    let unit = move |tx: &mut Tx<'_>, caller: &Caller| {
        links::create(tx, caller, &base, ids.employee_id.0, ids.form_id.0)
    };
    app.write(call, StatusCode::OK, unit).await
}

/// Sign a form
///
/// The address that the employee signed from stands in the body or in a header.
#[utoipa::path(put, path = "/v1/employees/{employee_id}/forms/{form_id}/sign", tag = "Forms",
    params(
        ("employee_id" = Uuid, Path, description = "The employee"),
        ("form_id" = Uuid, Path, description = "The form"),
        ("X-Service-Client-IP" = Option<String>, Header, description = "The address that the employee signed from"),
        ("X-Gusto-Client-IP" = Option<String>, Header, description = "The same, as existing clients send it")),
    request_body = SignForm,
    responses((status = 200, description = "The form, signed", body = Form)),
    security(("company_access" = ["employee_forms:sign"])))]
async fn sign_form(
    State(app): State<App>,
    call: Call,
    Path(ids): Path<FormIds>,
    headers: HeaderMap,
    Input(input): Input<SignForm>,
) -> Result<Response, Error> {
    let said = client_ip(&headers);
    let unit = move |tx: &mut Tx<'_>, caller: &Caller| {
        service::sign(tx, caller, ids.employee_id.0, ids.form_id.0, &input, said.as_deref())
    };
    app.write(call, StatusCode::OK, unit).await
}

/// Read what an employee says about the right to work
///
/// Section 1 of Form I-9. The number of the document is not told, only whether one is held.
#[utoipa::path(get, path = "/v1/employees/{employee_id}/i9_authorization", tag = "Forms",
    params(("employee_id" = Uuid, Path, description = "The employee")),
    responses((status = 200, description = "What was said; 404 while nothing was", body = I9Authorization)),
    security(("company_access" = ["employee_forms:read"])))]
async fn get_i9_authorization(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.read(call, move |tx, caller| i9::get(tx, caller, id)).await
}

/// Say something about the right to work
///
/// Asked for only where the employee's documents include Form I-9. Which fields are needed follows from
/// `authorization_status`.
#[utoipa::path(put, path = "/v1/employees/{employee_id}/i9_authorization", tag = "Forms",
    params(("employee_id" = Uuid, Path, description = "The employee")),
    request_body = UpdateI9Authorization,
    responses((status = 200, description = "What was said", body = I9Authorization)),
    security(("company_access" = ["employee_forms:sign"])))]
async fn update_i9_authorization(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<UpdateI9Authorization>,
) -> Result<Response, Error> {
    app.write(call, StatusCode::OK, move |tx, caller| i9::put(tx, caller, id, &input)).await
}
