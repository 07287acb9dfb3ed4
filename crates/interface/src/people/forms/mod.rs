//! Operations on employees' forms.

mod i9_documents;
pub mod wire;
pub mod wire_i9;

use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderName, StatusCode};
use axum::response::Response;
use domain::company::document_links;
use domain::paging::Listed;
use domain::people::forms::commands;
use domain::people::forms::{i9, service};
use domain::returns::forms::service as forms;
use domain::returns::statements;
use serde::Deserialize;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::wire::{
    Form, FormPdf, GenerateW2, GeneratedForm, I9Authorization, SignForm, UpdateDocumentsConfig,
    UpdateI9Authorization, signed_from,
};
use crate::app::App;
use crate::error::Error;
use crate::http::{Call, Id, Input};
use crate::people::employees::wire::DocumentsConfig;
use crate::query;

/// An employee and a form in a path.
#[derive(Debug, Clone, Copy, Deserialize)]
struct FormIds {
    employee_id: Id,
    form_id: Id,
}

query! {
    /// Which of the forms.
    ListForms {
        ..page
    }
}

/// The same header as sent by existing clients.
const CLIENT_IP_ALIAS: HeaderName = HeaderName::from_static("x-gusto-client-ip");

/// The signer's IP address, unless the body has it.
const CLIENT_IP: HeaderName = HeaderName::from_static("x-service-client-ip");

/// The signer's IP address according to a header.
pub fn client_ip(headers: &HeaderMap) -> Option<String> {
    let value = [CLIENT_IP, CLIENT_IP_ALIAS].iter().find_map(|name| headers.get(name));
    value.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
}

/// Operations on forms.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(update_documents_config))
        .routes(routes!(list_forms))
        .routes(routes!(get_form))
        .routes(routes!(get_form_pdf))
        .routes(routes!(sign_form))
        .routes(routes!(generate_w2))
        .routes(routes!(get_i9_authorization, update_i9_authorization))
        .merge(i9_documents::routes())
}

/// Set which documents are required of an employee
///
/// With `i9_document` the employee completes section 1 of Form I-9 during onboarding.
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
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        service::configure_documents(tx, caller, id, &command).map(DocumentsConfig::from)
    })
    .await
}

/// List an employee's forms
///
/// Form W-4, the direct deposit authorization and Form I-9, if required, then the Forms W-2 of closed years and drafts of them.
#[utoipa::path(get, path = "/v1/employees/{employee_id}/forms", tag = "Forms",
    params(("employee_id" = Uuid, Path, description = "The employee"), ListForms),
    responses((status = 200, description = "The forms", body = Vec<Form>)),
    security(("company_access" = ["employee_forms:read"])))]
async fn list_forms(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    query: ListForms,
) -> Result<Response, Error> {
    let page = query.page;
    app.list_json(call, move |tx, caller| {
        Ok(Listed::slice(page, forms::of_employee(tx, caller, id)?).map(Form::from))
    })
    .await
}

/// Read a form
///
/// Whether it needs a signature, and the year to which it applies.
#[utoipa::path(get, path = "/v1/employees/{employee_id}/forms/{form_id}", tag = "Forms",
    params(("employee_id" = Uuid, Path, description = "The employee"), ("form_id" = Uuid, Path, description = "The form")),
    responses((status = 200, description = "The form", body = Form)),
    security(("company_access" = ["employee_forms:read"])))]
async fn get_form(State(app): State<App>, call: Call, Path(ids): Path<FormIds>) -> Result<Response, Error> {
    let (employee, form) = (ids.employee_id.0, ids.form_id.0);
    app.read_json(call, move |tx, caller| {
        Ok(Form::from(forms::find_of_employee(tx, caller, employee, form)?))
    })
    .await
}

/// Get a URL at which a form can be downloaded as PDF
///
/// The URL works for ten minutes without a token, so that a browser can open it.
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
    let (employee, form) = (ids.employee_id.0, ids.form_id.0);
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        Ok(FormPdf::new(&base, form, &document_links::create_form_link(tx, caller, employee, form)?))
    })
    .await
}

/// Sign a form
///
/// Send the employee's IP address in the body or in a header.
#[utoipa::path(put, path = "/v1/employees/{employee_id}/forms/{form_id}/sign", tag = "Forms",
    params(
        ("employee_id" = Uuid, Path, description = "The employee"),
        ("form_id" = Uuid, Path, description = "The form"),
        ("X-Service-Client-IP" = Option<String>, Header, description = "The employee's IP address"),
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
    let mut command = commands::SignForm::from(input);
    signed_from(&mut command.signature, client_ip(&headers));
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        Ok(Form::from(service::sign_form(tx, caller, ids.employee_id.0, ids.form_id.0, &command)?))
    })
    .await
}

/// Make a draft of an employee's Form W-2
///
/// From what was paid in the year so far, for trying out what follows (`employee.form.created`). A draft is made anew each
/// time, and is final once the year is closed; a final form is returned as it is.
#[utoipa::path(post, path = "/v1/sandbox/generate_w2", tag = "Forms",
    request_body = GenerateW2,
    responses((status = 200, description = "The form", body = GeneratedForm)),
    security(("company_access" = ["employees:manage"])))]
async fn generate_w2(
    State(app): State<App>,
    call: Call,
    Input(input): Input<GenerateW2>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        Ok(GeneratedForm::from(statements::generate_w2(tx, caller, &command)?))
    })
    .await
}

/// Read an employee's employment authorization
///
/// Section 1 of Form I-9. The document number is not shown, only whether it is on file.
#[utoipa::path(get, path = "/v1/employees/{employee_id}/i9_authorization", tag = "Forms",
    params(("employee_id" = Uuid, Path, description = "The employee")),
    responses((status = 200, description = "The answers; 404 before the first", body = I9Authorization)),
    security(("company_access" = ["employee_forms:read"])))]
async fn get_i9_authorization(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.read_json(call, move |tx, caller| Ok(I9Authorization::from(i9::get_authorization(tx, caller, id)?)))
        .await
}

/// Answer section 1 of Form I-9
///
/// Only if Form I-9 is among the employee's required documents. The required fields depend on `authorization_status`.
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
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        Ok(I9Authorization::from(i9::replace_authorization(tx, caller, id, &command)?))
    })
    .await
}
