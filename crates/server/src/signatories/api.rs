//! Operations on signatories, and their shapes.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use super::rows::Address;
use super::service;
use crate::app::App;
use crate::error::Error;
use crate::field::{Field, objects};
use crate::http::{Call, Id, Input};

/// Operations on signatories.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_signatories, create_signatory))
        .routes(routes!(invite_signatory))
        .routes(routes!(update_signatory, delete_signatory))
}

/// Somebody who signs for a company.
#[derive(Debug, Serialize, ToSchema)]
pub struct Signatory {
    /// identifier
    pub uuid: Uuid,
    /// first name
    pub first_name: String,
    /// one letter
    pub middle_initial: Option<String>,
    /// last name
    pub last_name: String,
    /// such as `Owner`
    pub title: Option<String>,
    /// ten digits
    pub phone: Option<String>,
    /// where the company's papers go
    pub email: String,
    /// YYYY-MM-DD
    pub birthday: Option<String>,
    /// whether an administrator of the company has this e-mail address
    pub is_admin: bool,
    /// whether the SSN is held; the number itself never leaves the service
    pub has_ssn: bool,
    /// concurrency token, to be sent with an update
    pub version: String,
    /// null while something is missing; then `Skipped`: the service holds what a check of the identity takes, and makes
    /// none itself
    pub identity_verification_status: Option<&'static str>,
    /// where the signatory lives
    pub home_address: Option<SignatoryAddress>,
}

/// Where a signatory lives.
#[derive(Debug, Serialize, ToSchema)]
pub struct SignatoryAddress {
    /// house number and street
    pub street_1: String,
    /// second address line; left out where there is none, for generated clients take no null here
    #[serde(skip_serializing_if = "Option::is_none")]
    pub street_2: Option<String>,
    /// city
    pub city: String,
    /// two letters
    pub state: String,
    /// ZIP code
    pub zip: String,
    /// always `USA`
    pub country: String,
}

impl From<Address> for SignatoryAddress {
    fn from(home: Address) -> Self {
        let Address { street_1, street_2, city, state, zip, country } = home;
        Self { street_1, street_2, city, state, zip, country }
    }
}

/// Where a signatory lives, as it is sent; always as a whole.
#[derive(Debug, Default, Clone, Deserialize, ToSchema)]
#[serde(default)]
pub struct AddressInput {
    /// house number and street
    #[schema(required)]
    pub street_1: Field<String>,
    /// second address line
    pub street_2: Field<String>,
    /// city
    #[schema(required)]
    pub city: Field<String>,
    /// two-letter code of the state
    #[schema(required)]
    pub state: Field<String>,
    /// ZIP code
    #[schema(required)]
    pub zip: Field<String>,
    /// `USA`
    pub country: Field<String>,
}

objects!(AddressInput: "an object with street_1, city, state and zip");

/// What is sent of a signatory. The operations take these fields alike, but for `email`, which an update leaves as it
/// is, and `version`, which only an update has; each needs others of them.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct SignatoryInput {
    /// the version as last read
    pub version: Field<String>,
    /// first name
    pub first_name: Field<String>,
    /// one letter
    pub middle_initial: Field<String>,
    /// last name
    pub last_name: Field<String>,
    /// such as `Owner`
    pub title: Field<String>,
    /// ten digits
    pub phone: Field<String>,
    /// YYYY-MM-DD
    pub birthday: Field<String>,
    /// where the company's papers go
    pub email: Field<String>,
    /// nine digits
    pub ssn: Field<String>,
    /// where the signatory lives; always as a whole
    pub home_address: Field<AddressInput>,
}

/// Describes [`SignatoryInput`] as one operation reads it.
macro_rules! as_read_by {
    ($name:ident, $about:literal, without $left_out:literal, needs $needed:expr) => {
        #[doc = $about]
        #[derive(Debug)]
        pub struct $name;

        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                let mut schema = SignatoryInput::schema();
                if let RefOr::T(Schema::Object(object)) = &mut schema {
                    object.description = Some($about.to_owned());
                    object.properties.remove($left_out);
                    object.required = $needed.map(str::to_owned).to_vec();
                }
                schema
            }
        }

        impl ToSchema for $name {
            fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
                SignatoryInput::schemas(schemas);
            }
        }
    };
}

as_read_by!(CreateSignatory, "A new signatory.", without "version",
    needs ["first_name", "last_name", "title", "phone", "birthday", "email", "ssn", "home_address"]);
as_read_by!(InviteSignatory, "A signatory who is yet to be completed.", without "version",
    needs ["first_name", "last_name", "email"]);
as_read_by!(UpdateSignatory,
    "A signatory as it is to be. What is left out stays; nothing may be missing afterwards.", without "email",
    needs ["version"]);

/// List a company's signatories
///
/// A company has one signatory at most, so the list has one item or none.
#[utoipa::path(get, path = "/v1/companies/{company_uuid}/signatories", tag = "Signatories",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    responses((status = 200, description = "One signatory or none", body = Vec<Signatory>)),
    security(("company_access" = ["signatories:read"])))]
async fn list_signatories(State(app): State<App>, call: Call) -> Result<Response, Error> {
    app.read(call, service::list).await
}

/// Add the signatory
///
/// A company has one signatory at most.
#[utoipa::path(post, path = "/v1/companies/{company_uuid}/signatories", tag = "Signatories",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    request_body = CreateSignatory,
    responses((status = 200, description = "The signatory", body = Signatory)),
    security(("company_access" = ["signatories:manage"])))]
async fn create_signatory(
    State(app): State<App>,
    call: Call,
    Input(input): Input<SignatoryInput>,
) -> Result<Response, Error> {
    app.write(call, StatusCode::OK, move |tx, caller| service::create(tx, caller, &input)).await
}

/// Add a signatory who completes the record later
///
/// The service sends no e-mail: whoever uses the interface asks the signatory for what is missing, and sends it with an
/// update.
#[utoipa::path(post, path = "/v1/companies/{company_uuid}/signatories/invite", tag = "Signatories",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    request_body = InviteSignatory,
    responses((status = 200, description = "The signatory as far as it is known", body = Signatory)),
    security(("company_access" = ["signatories:manage"])))]
async fn invite_signatory(
    State(app): State<App>,
    call: Call,
    Input(input): Input<SignatoryInput>,
) -> Result<Response, Error> {
    app.write(call, StatusCode::OK, move |tx, caller| service::invite(tx, caller, &input)).await
}

/// Update the signatory
///
/// After an invitation the first update has to bring everything that is missing.
#[utoipa::path(put, path = "/v1/companies/{company_uuid}/signatories/{signatory_uuid}", tag = "Signatories",
    params(
        ("company_uuid" = Uuid, Path, description = "The company of the token"),
        ("signatory_uuid" = Uuid, Path, description = "The signatory")),
    request_body = UpdateSignatory,
    responses((status = 200, description = "The signatory as updated", body = Signatory)),
    security(("company_access" = ["signatories:write"])))]
async fn update_signatory(
    State(app): State<App>,
    call: Call,
    Path(ids): Path<(Id, Id)>,
    Input(input): Input<SignatoryInput>,
) -> Result<Response, Error> {
    app.write(call, StatusCode::OK, move |tx, caller| service::update(tx, caller, ids.1.0, &input)).await
}

/// Delete the signatory
///
/// Another one can be added afterwards.
#[utoipa::path(delete, path = "/v1/companies/{company_uuid}/signatories/{signatory_uuid}", tag = "Signatories",
    params(
        ("company_uuid" = Uuid, Path, description = "The company of the token"),
        ("signatory_uuid" = Uuid, Path, description = "The signatory")),
    responses((status = 204, description = "Deleted")),
    security(("company_access" = ["signatories:manage"])))]
async fn delete_signatory(
    State(app): State<App>,
    call: Call,
    Path(ids): Path<(Id, Id)>,
) -> Result<Response, Error> {
    app.write(call, StatusCode::NO_CONTENT, move |tx, caller| service::delete(tx, caller, ids.1.0)).await
}
