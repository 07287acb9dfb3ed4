//! Operations on links to hosted pages.

pub mod wire;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use domain::people::flows::service;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::wire::{CreateFlow, Flow};
use crate::app::App;
use crate::error::Error;
use crate::http::{Call, Input};

/// Operations on links to hosted pages.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(create_flow))
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
    let command = input.into();
    app.write(call, StatusCode::CREATED, move |tx, caller| {
        Ok(Flow::new(&base, &service::create(tx, caller, &command)?))
    })
    .await
}
