//! The operation on minimum wages.

pub mod wire;

use axum::extract::{Path, State};
use axum::response::Response;
use domain::pay::minimum_wages::service;
use jiff::civil::Date;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::wire::MinimumWage;
use crate::app::App;
use crate::error::Error;
use crate::http::{Call, Id};
use crate::query;

/// Operations on minimum wages.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(list_minimum_wages))
}

query! {
    /// The date of the list.
    ListMinimumWages {
        /// YYYY-MM-DD: the date on which they are in force; defaults to today
        effective_date: Option<Date>,
    }
}

/// List the minimum wages in force at a location
///
/// The latest figure of each authority with jurisdiction over the location, the most local authority first. Tip credits
/// are not listed.
#[utoipa::path(get, path = "/v1/locations/{location_uuid}/minimum_wages", tag = "Minimum wages",
    params(
        ("location_uuid" = Uuid, Path, description = "The location"),
        ListMinimumWages),
    responses((status = 200, description = "The minimum wages", body = Vec<MinimumWage>)),
    security(("company_access" = ["companies:read"])))]
async fn list_minimum_wages(
    State(app): State<App>,
    call: Call,
    Path(Id(location)): Path<Id>,
    query: ListMinimumWages,
) -> Result<Response, Error> {
    app.read_all(call, move |tx, caller| {
        let found = service::of_location(tx, caller, location, query.effective_date)?;
        let answer: Vec<_> = found.wages.iter().map(|row| MinimumWage::new(row, found.day)).collect();
        Ok(answer)
    })
    .await
}
