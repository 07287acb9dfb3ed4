//! Operations on locations.

pub mod wire;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::company::locations::{rows, service};
use domain::platform::law::Places;
use store::Tx;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use self::wire::{CreateLocation, Location, UpdateLocation};
use crate::app::App;
use crate::error::Error;
use crate::http::{Call, Id, Input};
use crate::query;

/// Operations on locations.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_locations, create_location))
        .routes(routes!(get_location, update_location))
}

query! {
    /// Which locations are listed.
    ListLocations { ..page }
}

/// List locations
///
/// Oldest first; `filing_address` and `mailing_address` mark the company's filing address and its mailing address.
#[utoipa::path(get, path = "/v1/companies/{company_id}/locations", tag = "Locations",
    params(
        ("company_id" = Uuid, Path, description = "The company of the token"),
        ListLocations),
    responses((status = 200, description = "The locations", body = Vec<Location>)),
    security(("company_access" = ["companies:read"])))]
async fn list_locations(State(app): State<App>, call: Call, query: ListLocations) -> Result<Response, Error> {
    app.list_json(call, move |tx, caller| {
        let places = Places::read_places(tx)?;
        let found = service::list_locations(tx, caller, query.page)?;
        Ok(found.map(move |location| Location::new(caller.company, places.place_names(), location)))
    })
    .await
}

/// Create a location
///
/// The state, county and city of the address determine which minimum wages and state and local taxes apply there.
#[utoipa::path(post, path = "/v1/companies/{company_id}/locations", tag = "Locations",
    params(("company_id" = Uuid, Path, description = "The company of the token")),
    request_body = CreateLocation,
    responses((status = 201, description = "The new location", body = Location)),
    security(("company_access" = ["companies:write"])))]
async fn create_location(
    State(app): State<App>,
    call: Call,
    Input(input): Input<CreateLocation>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::CREATED, move |tx, caller| {
        let location = service::create_location(tx, caller, &command)?;
        location_answer(tx, caller.company, location)
    })
    .await
}

/// Read a location
///
/// Address, phone number, and whether the company files from it.
#[utoipa::path(get, path = "/v1/locations/{location_id}", tag = "Locations",
    params(("location_id" = Uuid, Path, description = "The location")),
    responses((status = 200, description = "The location", body = Location)),
    security(("company_access" = ["companies:read"])))]
async fn get_location(State(app): State<App>, call: Call, Path(Id(id)): Path<Id>) -> Result<Response, Error> {
    app.read_json(call, move |tx, caller| {
        let location = service::find_location(tx, caller, id)?;
        location_answer(tx, caller.company, location)
    })
    .await
}

/// Update a location
///
/// Omitted fields keep their values. Another state, city or ZIP code changes which minimum wages and taxes apply.
#[utoipa::path(put, path = "/v1/locations/{location_id}", tag = "Locations",
    params(("location_id" = Uuid, Path, description = "The location")),
    request_body = UpdateLocation,
    responses((status = 200, description = "The location as updated", body = Location)),
    security(("company_access" = ["companies:write"])))]
async fn update_location(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<UpdateLocation>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        let location = service::update_location(tx, caller, id, &command)?;
        location_answer(tx, caller.company, location)
    })
    .await
}

fn location_answer(
    tx: &mut Tx<'_>,
    company: Uuid,
    location: rows::Location,
) -> Result<Location, domain::Error> {
    Ok(Location::new(company, Places::read_places(tx)?.place_names(), location))
}
