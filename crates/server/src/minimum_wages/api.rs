//! The operation on minimum wages, and its shape.

use axum::extract::{Path, State};
use axum::response::Response;
use jiff::civil::Date;
use rules::{Checks, check};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use super::{service, table};
use crate::app::App;
use crate::error::Error;
use crate::http::{Call, Id};
use crate::paging::Query;

/// Operations on minimum wages.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(list_minimum_wages))
}

/// A minimum wage of a location.
#[derive(Debug, Serialize, ToSchema)]
pub struct MinimumWage {
    /// identifier of the rule, to be chosen in a compensation; it stays when the figure changes
    pub uuid: Uuid,
    /// decimal text, dollars per hour
    pub wage: String,
    /// `Regular`, or `Regular-Industry-Specific` with the industry in the notes
    pub wage_type: &'static str,
    /// YYYY-MM-DD: since when this is the figure
    pub effective_date: String,
    /// `City`, `County`, `State` or `Federal`
    pub authority: &'static str,
    /// for whom it holds, and whether the figure is known to be out of date
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
}

impl MinimumWage {
    /// The answer for a row as it stands on a day.
    pub fn new(row: &table::MinimumWage, day: Date) -> Self {
        Self {
            uuid: row.rule,
            wage: row.wage.to_text(2),
            wage_type: row.wage_type.as_str(),
            effective_date: row.effective_date.to_string(),
            authority: row.authority.as_str(),
            notes: row.notes(day),
        }
    }
}

/// List the minimum wages that hold at a location
///
/// Each authority that reaches the location is told with its newest figure, the closest authority first. What an
/// employer may count of an employee's tips is not listed.
#[utoipa::path(get, path = "/v1/locations/{location_uuid}/minimum_wages", tag = "Minimum wages",
    params(
        ("location_uuid" = Uuid, Path, description = "The location"),
        ("effective_date" = Option<String>, Query, description = "YYYY-MM-DD: the day on which they hold; today when left out")),
    responses((status = 200, description = "The minimum wages", body = Vec<MinimumWage>)),
    security(("company_access" = ["companies:read"])))]
async fn list_minimum_wages(
    State(app): State<App>,
    call: Call,
    Path(Id(location)): Path<Id>,
    query: Query,
) -> Result<Response, Error> {
    let mut checks = Checks::new();
    let day = query.text("effective_date").and_then(|day| checks.take(check::date("effective_date", day)));
    checks.finish()?;
    app.read(call, move |tx, caller| service::of_location(tx, caller, location, day)).await
}
