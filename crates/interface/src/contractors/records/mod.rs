//! Operations on contractors.

pub mod wire;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::contractors::profiles::rows::{ContractorFilter, ContractorKey};
use domain::contractors::profiles::service;
use domain::contractors::records;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::wire::{Contractor, CreateContractor, UpdateContractor};
use crate::app::App;
use crate::error::Error;
use crate::http::{Call, Id, Input};
use crate::named::Enum;
use crate::sort::Sort;
use crate::{names, query};

/// Operations on contractors.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(list_contractors, create_contractor)).routes(routes!(
        get_contractor,
        update_contractor,
        delete_contractor
    ))
}

names! {
    /// What an answer with contractors may include.
    ContractorInclude {
        CompanyName = "company_name",
        PortalInvitations = "portal_invitations",
    }
}

query! {
    /// Which contractors are listed, and what is included.
    ListContractors {
        /// A part of first and last name, or of the name of a business
        search_term: Option<String>,
        /// type, onboarding_status, name and created_at, separated by commas, each with :asc or :desc
        sort_by: Sort<ContractorKey>,
        /// Whether onboarding is finished
        onboarded: Option<bool>,
        /// Whether onboarding is finished and the contractor works today
        onboarded_active: Option<bool>,
        /// Whether the contractor is dismissed, or about to be
        terminated: Option<bool>,
        /// Whether the dismissal is in effect today
        terminated_today: Option<bool>,
        /// company_name, portal_invitations, separated by commas
        include: Vec<Enum<ContractorInclude>>,
        ..page
    }

    /// What is included with a contractor.
    GetContractor {
        /// As in the list of contractors
        include: Vec<Enum<ContractorInclude>>,
    }
}

impl From<ListContractors> for ContractorFilter {
    fn from(query: ListContractors) -> Self {
        Self {
            search_term: query.search_term,
            onboarded: query.onboarded,
            leaving: query.terminated,
            left: query.terminated_today,
            active: query.onboarded_active,
            sort: query.sort_by.ascending_order(),
        }
    }
}

/// List contractors
///
/// Oldest first, or as `sort_by` says. Without `page` and `per` the list is complete, up to 10,000 contractors; several filters
/// are combined with "and".
#[utoipa::path(get, path = "/v1/companies/{company_uuid}/contractors", tag = "Contractors",
    params(
        ("company_uuid" = Uuid, Path, description = "The company of the token"),
        ListContractors),
    responses((status = 200, description = "The contractors", body = Vec<Contractor>)),
    security(("company_access" = ["contractors:read"])))]
async fn list_contractors(
    State(app): State<App>,
    call: Call,
    query: ListContractors,
) -> Result<Response, Error> {
    let (page, include) = (query.page, query.include.clone());
    let filter = ContractorFilter::from(query);
    app.list_json(call, move |tx, caller| {
        let company_name = include.contains(&Enum(ContractorInclude::CompanyName));
        let listed = service::list_contractors(tx, caller, &filter, company_name, page)?;
        listed.try_map(|one| wire::with_invitation(tx, caller, one, &include))
    })
    .await
}

/// Create a contractor
///
/// An individual or a business. With `self_onboarding` the contractor enters personal data on hosted pages, through a link.
#[utoipa::path(post, path = "/v1/companies/{company_uuid}/contractors", tag = "Contractors",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    request_body = CreateContractor,
    responses((status = 201, description = "The new contractor", body = Contractor)),
    security(("company_access" = ["contractors:manage"])))]
async fn create_contractor(
    State(app): State<App>,
    call: Call,
    Input(input): Input<CreateContractor>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::CREATED, move |tx, caller| {
        Ok(Contractor::new(caller, service::create_contractor(tx, caller, &command)?))
    })
    .await
}

/// Read a contractor
///
/// With address and department; `include` adds more.
#[utoipa::path(get, path = "/v1/contractors/{contractor_uuid}", tag = "Contractors",
    params(
        ("contractor_uuid" = Uuid, Path, description = "The contractor"),
        GetContractor),
    responses((status = 200, description = "The contractor", body = Contractor)),
    security(("company_access" = ["contractors:read"])))]
async fn get_contractor(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    query: GetContractor,
) -> Result<Response, Error> {
    app.read_json(call, move |tx, caller| {
        let company_name = query.include.contains(&Enum(ContractorInclude::CompanyName));
        let found = service::get_contractor(tx, caller, id, company_name)?;
        wire::with_invitation(tx, caller, found, &query.include)
    })
    .await
}

/// Update a contractor
///
/// Omitted fields keep their values. An update without changes returns the same version. A change of the type after
/// onboarding affects Form 1099-NEC of the year.
#[utoipa::path(put, path = "/v1/contractors/{contractor_uuid}", tag = "Contractors",
    params(("contractor_uuid" = Uuid, Path, description = "The contractor")),
    request_body = UpdateContractor,
    responses((status = 200, description = "The contractor as updated", body = Contractor)),
    security(("company_access" = ["contractors:write"])))]
async fn update_contractor(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<UpdateContractor>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        Ok(Contractor::new(caller, service::update_contractor(tx, caller, id, &command)?))
    })
    .await
}

/// Delete a contractor
///
/// Refused (422) for a contractor with payments; dismiss the contractor instead.
#[utoipa::path(delete, path = "/v1/contractors/{contractor_uuid}", tag = "Contractors",
    params(("contractor_uuid" = Uuid, Path, description = "The contractor")),
    responses((status = 204, description = "Deleted")),
    security(("company_access" = ["contractors:manage"])))]
async fn delete_contractor(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.write_json(call, StatusCode::NO_CONTENT, move |tx, caller| {
        records::service::delete_contractor(tx, caller, id)
    })
    .await
}
