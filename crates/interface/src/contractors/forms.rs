//! Operations on contractors' tax forms.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::company::document_links;
use domain::contractors::forms;
use domain::returns::forms::rows::TaxForm;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use crate::app::App;
use crate::contractors::created_status;
use crate::error::Error;
use crate::field::Field;
use crate::http::{Call, Id, Input, Owned};
use crate::input;
use crate::people::forms::wire::{Form, FormPdf};
use crate::values::IdText;

/// Operations on contractors' tax forms.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_contractor_forms))
        .routes(routes!(get_contractor_form))
        .routes(routes!(get_contractor_form_pdf))
        .routes(routes!(generate_1099))
}

/// A tax form of a contractor.
#[derive(Debug, Serialize, ToSchema)]
pub struct Form1099 {
    #[serde(flatten)]
    form: Form,
    /// the contractor
    contractor_uuid: Option<Uuid>,
}

impl From<TaxForm> for Form1099 {
    fn from(form: TaxForm) -> Self {
        Self { contractor_uuid: form.contractor, form: Box::new(form).into() }
    }
}

input! {
    /// The Form 1099-NEC of which a draft is made.
    Generate1099 => forms::Generate1099 {
        /// the contractor
        #[schema(required)]
        contractor_id: IdText,
        /// the year, from 2015 to the present one; the previous one by default
        #[schema(nullable)]
        year: i64,
    }
}

/// List a contractor's tax forms
///
/// Forms 1099-NEC of closed years, and drafts. A closed year has forms of those whose pay reached the threshold of the year, or
/// from whom anything was withheld.
#[utoipa::path(get, path = "/v1/contractors/{contractor_uuid}/forms", tag = "Contractor forms",
    params(("contractor_uuid" = Uuid, Path, description = "The contractor")),
    responses((status = 200, description = "The forms", body = Vec<Form1099>)),
    security(("company_access" = ["contractor_forms:read"])))]
async fn list_contractor_forms(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.read_all(call, move |tx, caller| {
        Ok(forms::list_tax_forms(tx, caller, id)?.into_iter().map(Form1099::from).collect::<Vec<_>>())
    })
    .await
}

/// Read a contractor's tax form
///
/// Whether it is a draft, and the year to which it applies.
#[utoipa::path(get, path = "/v1/contractors/{contractor_uuid}/forms/{form_id}", tag = "Contractor forms",
    params(
        ("contractor_uuid" = Uuid, Path, description = "The contractor"),
        ("form_id" = Uuid, Path, description = "The form")),
    responses((status = 200, description = "The form", body = Form1099)),
    security(("company_access" = ["contractor_forms:read"])))]
async fn get_contractor_form(
    State(app): State<App>,
    call: Call,
    Path(Owned { owner: contractor, id: form }): Path<Owned>,
) -> Result<Response, Error> {
    app.read_json(call, move |tx, caller| {
        Ok(Form1099::from(forms::find_tax_form(tx, caller, contractor, form)?))
    })
    .await
}

/// Get a URL at which a contractor's tax form can be downloaded as PDF
///
/// The boxes of the form with their figures; of the taxpayer identification number, the last digits. The URL works for ten
/// minutes without a token, so that a browser can open it.
#[utoipa::path(get, path = "/v1/contractors/{contractor_uuid}/forms/{form_id}/pdf", tag = "Contractor forms",
    params(
        ("contractor_uuid" = Uuid, Path, description = "The contractor"),
        ("form_id" = Uuid, Path, description = "The form")),
    responses((status = 200, description = "The address", body = FormPdf)),
    security(("company_access" = ["contractor_forms:read"])))]
async fn get_contractor_form_pdf(
    State(app): State<App>,
    call: Call,
    Path(Owned { owner: contractor, id: form }): Path<Owned>,
) -> Result<Response, Error> {
    let base = app.settings.flow_url.clone().unwrap_or_default();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        let form = forms::find_tax_form(tx, caller, contractor, form)?.id;
        Ok(FormPdf::new(&base, form, &document_links::create_for_tax_form(tx, caller, form)?))
    })
    .await
}

/// Make a draft of a contractor's Form 1099-NEC
///
/// From what was paid in the year so far, for trying out what follows (`contractor.form.created`). A draft is made anew each
/// time, whatever the pay comes to, and is final once the year is closed; a final form is returned as it is.
#[utoipa::path(post, path = "/v1/sandbox/generate_1099", tag = "Contractor forms",
    request_body = Generate1099,
    responses((status = 201, description = "The form", body = Form1099)),
    security(("company_access" = ["contractors:write"])))]
async fn generate_1099(
    State(app): State<App>,
    call: Call,
    Input(input): Input<Generate1099>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_or(call, move |tx, caller| {
        Ok((created_status(caller), Form1099::from(forms::generate_1099(tx, caller, &command)?)))
    })
    .await
}
