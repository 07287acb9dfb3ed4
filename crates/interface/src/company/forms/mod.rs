//! Operations on forms of companies.

pub mod wire;

use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use domain::company::document_links;
use domain::company::forms::service;
use domain::paging::Listed;
use domain::people::forms::commands::ElectronicSignature;
use domain::returns::forms::service as forms;
use domain::returns::forms::service::FormKey;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::wire::{Form, FormPdf, SignCompanyForm};
use crate::app::App;
use crate::error::Error;
use crate::http::{Call, Id, Input};
use crate::people::forms::client_ip;
use crate::people::forms::wire::signed_from;
use crate::query;
use crate::sort::Sort;

/// Operations on forms of companies.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_company_forms))
        .routes(routes!(get_company_form))
        .routes(routes!(get_company_form_pdf))
        .routes(routes!(sign_company_form))
}

query! {
    /// The order of the forms, and which of them.
    ListCompanyForms {
        /// name, year, quarter, draft, document_content_type and created_at, separated by commas, each with :asc or :desc
        sort_by: Sort<FormKey>,
        ..page
    }
}

/// List a company's forms
///
/// A form to sign appears once its data is complete, and needs a new signature when the data changes. A tax form appears when
/// its quarter or year is closed (`company.form.created`).
#[utoipa::path(get, path = "/v1/companies/{company_id}/forms", tag = "Forms",
    params(
        ("company_id" = Uuid, Path, description = "The company of the token"),
        ListCompanyForms),
    responses((status = 200, description = "The forms", body = Vec<Form>)),
    security(("company_access" = ["company_forms:read"])))]
async fn list_company_forms(
    State(app): State<App>,
    call: Call,
    query: ListCompanyForms,
) -> Result<Response, Error> {
    let (sort, page) = (query.sort_by.ascending_order(), query.page);
    app.list_json(call, move |tx, caller| {
        Ok(Listed::slice(page, forms::of_company(tx, caller, &sort)?).map(Form::from))
    })
    .await
}

/// Read a form of a company
///
/// Whether it needs a signature, and the year to which it applies.
#[utoipa::path(get, path = "/v1/forms/{company_form_id}", tag = "Forms",
    params(("company_form_id" = Uuid, Path, description = "The form")),
    responses((status = 200, description = "The form", body = Form)),
    security(("company_access" = ["company_forms:read"])))]
async fn get_company_form(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.read_json(call, move |tx, caller| Ok(Form::from(forms::find_of_company(tx, caller, id)?))).await
}

/// Get a URL at which a company's form can be downloaded as PDF
///
/// The URL works for ten minutes without a token, so that a browser can open it.
#[utoipa::path(get, path = "/v1/forms/{company_form_id}/pdf", tag = "Forms",
    params(("company_form_id" = Uuid, Path, description = "The form")),
    responses((status = 200, description = "The address", body = FormPdf)),
    security(("company_access" = ["company_forms:read"])))]
async fn get_company_form_pdf(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    let base = app.settings.flow_url.clone().unwrap_or_default();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        Ok(FormPdf::new(&base, id, &document_links::create_for_company(tx, caller, id)?))
    })
    .await
}

/// Sign a form of a company
///
/// Send the signatory's IP address in the body or in a header.
#[utoipa::path(put, path = "/v1/forms/{company_form_id}/sign", tag = "Forms",
    params(
        ("company_form_id" = Uuid, Path, description = "The form"),
        ("X-Service-Client-IP" = Option<String>, Header, description = "The signatory's IP address"),
        ("X-Gusto-Client-IP" = Option<String>, Header, description = "The same, as existing clients send it")),
    request_body = SignCompanyForm,
    responses((status = 200, description = "The form, signed", body = Form)),
    security(("company_access" = ["company_forms:sign"])))]
async fn sign_company_form(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    headers: HeaderMap,
    Input(input): Input<SignCompanyForm>,
) -> Result<Response, Error> {
    let mut command = ElectronicSignature::from(input);
    signed_from(&mut command, client_ip(&headers));
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        Ok(Form::from(service::sign_form(tx, caller, id, &command)?))
    })
    .await
}
