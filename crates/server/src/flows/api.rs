//! `POST /v1/companies/{company_uuid}/flows`.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;
use utoipa::openapi::{ObjectBuilder, RefOr, Schema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::service;
use crate::app::App;
use crate::error::Error;
use crate::field::{Field, Wire};
use crate::http::{Call, Input};

/// Operations on links to hosted pages.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(create_flow))
}

/// For whom a link is made, and what it leads through.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct CreateFlow {
    /// `employee_self_management`, or some of `employee_form_signing`, `employee_federal_setup`,
    /// `employee_state_setup` and `deductions`, separated by commas
    #[schema(required)]
    pub flow_type: Field<String>,
    /// `Employee`
    #[schema(required)]
    pub entity_type: Field<String>,
    /// the employee
    #[schema(required)]
    pub entity_uuid: Field<String>,
    /// kept for clients that send it; these flows have no options
    pub options: Field<Options>,
}

/// An object that is not looked into.
#[derive(Debug, Clone, Default, ToSchema)]
#[schema(value_type = Object)]
pub struct Options(pub Map<String, Value>);

impl Wire for Options {
    const EXPECTED: &'static str = "an object";
    fn from_json(value: Value) -> Option<Self> {
        if let Value::Object(map) = value { Some(Self(map)) } else { None }
    }
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new().into()
    }
}

/// A link to hosted pages.
#[derive(Debug, Serialize, ToSchema)]
pub struct Flow {
    /// to be handed to the employee; dies an hour after its last use, a day after it was made at the latest
    pub url: String,
}

/// Make a link to hosted pages for one employee
///
/// The link works for one hour at a time and a day in all, opens the steps that are named, and is sent to the
/// employee by you.
#[utoipa::path(post, path = "/v1/companies/{company_uuid}/flows", tag = "Onboarding",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    request_body = CreateFlow,
    responses((status = 201, description = "The link", body = Flow)),
    security(("company_access" = ["flows:write"])))]
async fn create_flow(
    State(app): State<App>,
    call: Call,
    Input(input): Input<CreateFlow>,
) -> Result<Response, Error> {
    let base = app.settings.flow_url.clone().unwrap_or_default();
    app.write(call, StatusCode::CREATED, move |tx, caller| service::create(tx, caller, &base, &input)).await
}
