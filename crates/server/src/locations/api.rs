//! Operations on locations, and their shapes.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use jiff::Timestamp;
use rules::Checks;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use super::{rows, service};
use crate::app::App;
use crate::error::Error;
use crate::field::Field;
use crate::http::{Call, Id, Input};
use crate::paging::Query;
use crate::records::version_text;

/// Operations on locations.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_locations, create_location))
        .routes(routes!(get_location, update_location))
}

/// A place where the company's people work.
#[derive(Debug, Serialize, ToSchema)]
pub struct Location {
    /// identifier
    pub uuid: Uuid,
    /// concurrency token, to be sent with an update
    pub version: String,
    /// the employer
    pub company_uuid: Uuid,
    /// ten digits
    pub phone_number: String,
    /// house number and street
    pub street_1: String,
    /// second address line
    pub street_2: Option<String>,
    /// city
    pub city: String,
    /// two letters
    pub state: String,
    /// ZIP code
    pub zip: String,
    /// always `USA`
    pub country: String,
    /// whether the company gets its mail here; at most one of its locations
    pub mailing_address: bool,
    /// whether the company files from here; at most one of its locations, and its state gives the company's day
    pub filing_address: bool,
    /// when it was created
    pub created_at: String,
    /// when it was last updated
    pub updated_at: String,
    /// whether it is in use
    pub active: bool,
    /// the opposite of `active`
    pub inactive: bool,
}

impl Location {
    /// The answer for a location of `company`.
    pub fn new(company: Uuid, row: rows::Location) -> Self {
        Self {
            uuid: row.id,
            version: version_text(service::TABLE, row.id, row.version),
            company_uuid: company,
            phone_number: row.phone_number,
            street_1: row.street_1,
            street_2: row.street_2,
            city: row.city,
            state: row.state,
            zip: row.zip,
            country: row.country,
            mailing_address: row.mailing_address,
            filing_address: row.filing_address,
            created_at: moment(row.created_at),
            updated_at: moment(row.updated_at),
            active: row.active,
            inactive: !row.active,
        }
    }
}

/// A moment to the millisecond.
fn moment(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

/// A new location.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct CreateLocation {
    /// ten digits
    #[schema(required)]
    pub phone_number: Field<String>,
    /// house number and street, at most 100 characters
    #[schema(required)]
    pub street_1: Field<String>,
    /// second address line
    pub street_2: Field<String>,
    /// city, at most 100 characters
    #[schema(required)]
    pub city: Field<String>,
    /// two letters
    #[schema(required)]
    pub state: Field<String>,
    /// five digits, or five, a hyphen and four
    #[schema(required)]
    pub zip: Field<String>,
    /// `USA`, which is also the default
    pub country: Field<String>,
    /// true: the company gets its mail here and no longer elsewhere; true by default for its first location
    pub mailing_address: Field<bool>,
    /// true: the company files from here and no longer from elsewhere; true by default for its first location
    pub filing_address: Field<bool>,
}

/// What an update changes; what is left out stays.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct UpdateLocation {
    /// the version as last read
    #[schema(required)]
    pub version: Field<String>,
    /// ten digits
    pub phone_number: Field<String>,
    /// house number and street
    pub street_1: Field<String>,
    /// second address line; empty or null clears it
    pub street_2: Field<String>,
    /// city
    pub city: Field<String>,
    /// two letters
    pub state: Field<String>,
    /// ZIP code
    pub zip: Field<String>,
    /// `USA`
    pub country: Field<String>,
    /// true: the company gets its mail here and no longer elsewhere
    pub mailing_address: Field<bool>,
    /// true: the company files from here and no longer from elsewhere
    pub filing_address: Field<bool>,
}

/// List locations
///
/// Oldest first; `filing_address` and `mailing_address` say from which one the company files and to which one mail
/// goes.
#[utoipa::path(get, path = "/v1/companies/{company_id}/locations", tag = "Locations",
    params(
        ("company_id" = Uuid, Path, description = "The company of the token"),
        ("page" = Option<i64>, Query, description = "Number of the page, from 1"),
        ("per" = Option<i64>, Query, description = "Rows on a page, 1 to 100; 25 when only page is given")),
    responses((status = 200, description = "The locations", body = Vec<Location>)),
    security(("company_access" = ["companies:read"])))]
async fn list_locations(State(app): State<App>, call: Call, query: Query) -> Result<Response, Error> {
    let mut checks = Checks::new();
    let page = query.page(&mut checks);
    checks.finish()?;
    app.list(call, move |tx, caller| service::list(tx, caller, page)).await
}

/// Create a location
///
/// The state, county and city of the address decide which minimum wages and which taxes of states count there.
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
    app.write(call, StatusCode::CREATED, move |tx, caller| service::create(tx, caller, &input)).await
}

/// Read a location
///
/// Address, phone number, and whether the company files from it.
#[utoipa::path(get, path = "/v1/locations/{location_id}", tag = "Locations",
    params(("location_id" = Uuid, Path, description = "The location")),
    responses((status = 200, description = "The location", body = Location)),
    security(("company_access" = ["companies:read"])))]
async fn get_location(State(app): State<App>, call: Call, Path(Id(id)): Path<Id>) -> Result<Response, Error> {
    app.read(call, move |tx, caller| service::get(tx, caller, id)).await
}

/// Update a location
///
/// What is left out stays. Another state, city or ZIP code changes which minimum wages and taxes count.
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
    app.write(call, StatusCode::OK, move |tx, caller| service::update(tx, caller, id, &input)).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_told_in_utc_to_the_millisecond() {
        let at = Timestamp::from_microsecond(1_750_000_000_120_999).unwrap();
        assert_eq!(moment(at), "2025-06-15T15:06:40.120Z");
    }
}
