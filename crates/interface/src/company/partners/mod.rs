//! Operations on companies that a partner manages, and on their administrators.

pub mod wire;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::company::partners::{admins, migration, service, terms};
use domain::version::Change;
use rules::company::migration::Severity;
use serde_json::json;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::wire::{
    AcceptTerms, AddAdmin, Admin, CreatePartnerCompany, Disassociated, Migrate, MigrationFinding,
    PartnerCompany, Readiness, RetrieveTerms, Terms,
};
use crate::app::App;
use crate::error::Error;
use crate::http::{Call, Id, InCompany, Input};
use crate::query;

/// Operations on companies that a partner manages, and on their administrators.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(create_partner_managed_company))
        .routes(routes!(accept_terms_of_service))
        .routes(routes!(retrieve_terms_of_service))
        .routes(routes!(get_terms, get_terms_of_user, accept_terms))
        .routes(routes!(get_migration_readiness))
        .routes(routes!(migrate_company))
        .routes(routes!(disassociate_company))
        .routes(routes!(disconnect_app_integration))
        .routes(routes!(list_admins, create_admin))
        .routes(routes!(remove_admin))
}

/// Create a company with its primary administrator
///
/// Returns tokens that are valid for this company alone.
#[utoipa::path(post, path = "/v1/partner_managed_companies", tag = "Company migration",
    request_body = CreatePartnerCompany,
    responses((status = 200, description = "The company's identifier and tokens", body = PartnerCompany)),
    security(("system_access" = ["partner_managed_companies:create"])))]
async fn create_partner_managed_company(
    State(app): State<App>,
    call: Call,
    Input(input): Input<CreatePartnerCompany>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        Ok(PartnerCompany::from(service::create_partner_company(tx, caller, &command)?))
    })
    .await
}

/// Accept the terms of service
///
/// Deprecated in version 2026-06-15 in favour of POST terms_of_service, and then answers without a body.
#[utoipa::path(post, path = "/v1/partner_managed_companies/{company_uuid}/accept_terms_of_service", tag = "Company migration",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    request_body = AcceptTerms,
    responses((status = 200, description = "The terms are accepted. Versions before 2026-06-15 answer with \
        `latest_terms_accepted`, as PUT terms_of_service does.")),
    security(("company_access" = ["terms_of_services:write"])))]
async fn accept_terms_of_service(
    State(app): State<App>,
    call: Call,
    Input(input): Input<AcceptTerms>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        terms::accept_terms(tx, caller, &command)?;
        let answer = Terms { latest_terms_accepted: true };
        Ok((!caller.version.includes_change(Change::TermsWithoutBody)).then_some(answer))
    })
    .await
}

/// Read whether a user has accepted the terms of service
///
/// Deprecated in version 2026-06-15 in favour of PUT terms_of_service, and then answers without a body.
#[utoipa::path(post, path = "/v1/partner_managed_companies/{company_uuid}/retrieve_terms_of_service", tag = "Company migration",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    request_body = RetrieveTerms,
    responses((status = 200, description = "No body. Versions before 2026-06-15 answer with `latest_terms_accepted`, \
        as PUT terms_of_service does.")),
    security(("company_access" = ["terms_of_services:read"])))]
async fn retrieve_terms_of_service(
    State(app): State<App>,
    call: Call,
    Input(input): Input<RetrieveTerms>,
) -> Result<Response, Error> {
    let command = input.into();
    app.read_json(call, move |tx, caller| {
        let answer = Terms { latest_terms_accepted: terms::accepted_by_user(tx, caller, &command)? };
        Ok((!caller.version.includes_change(Change::TermsWithoutBody)).then_some(answer))
    })
    .await
}

/// Read whether the terms of service are accepted for a company
///
/// This is about the current terms: a new edition must be accepted again.
#[utoipa::path(get, path = "/v1/partner_managed_companies/{company_uuid}/terms_of_service", tag = "Company migration",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    responses((status = 200, description = "Whether a payroll administrator has accepted them", body = Terms)),
    security(("company_access" = ["terms_of_services:read"])))]
async fn get_terms(State(app): State<App>, call: Call) -> Result<Response, Error> {
    app.read_json(call, |tx, caller| {
        Ok(Terms { latest_terms_accepted: terms::are_terms_accepted(tx, caller)? })
    })
    .await
}

/// Read whether a user has accepted a company's terms of service
///
/// This only reads; it is a PUT so that the e-mail address travels in the body, and stays out of URLs and logs.
#[utoipa::path(put, path = "/v1/partner_managed_companies/{company_uuid}/terms_of_service", tag = "Company migration",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    request_body = RetrieveTerms,
    responses((status = 200, description = "Whether the user has", body = Terms)),
    security(("company_access" = ["terms_of_services:read"])))]
async fn get_terms_of_user(
    State(app): State<App>,
    call: Call,
    Input(input): Input<RetrieveTerms>,
) -> Result<Response, Error> {
    let command = input.into();
    app.read_json(call, move |tx, caller| {
        Ok(Terms { latest_terms_accepted: terms::accepted_by_user(tx, caller, &command)? })
    })
    .await
}

/// Accept the terms of service of a company
///
/// Show the terms on your own page, and send who accepted them, from which IP address. Accepting twice has no further
/// effect.
#[utoipa::path(post, path = "/v1/partner_managed_companies/{company_uuid}/terms_of_service", tag = "Company migration",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    request_body = AcceptTerms,
    responses((status = 200, description = "The terms are accepted", body = Terms)),
    security(("company_access" = ["terms_of_services:write"])))]
async fn accept_terms(
    State(app): State<App>,
    call: Call,
    Input(input): Input<AcceptTerms>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        terms::accept_terms(tx, caller, &command)?;
        Ok(Terms { latest_terms_accepted: true })
    })
    .await
}

/// Read what prevents a company's migration
///
/// Blockers refuse the migration, warnings do not. With an empty list of errors the company can migrate now.
#[utoipa::path(get, path = "/v1/partner_managed_companies/{company_uuid}/migration_readiness", tag = "Company migration",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    responses((status = 200, description = "Blockers and warnings", body = Readiness)),
    security(("company_access" = ["partner_managed_companies:read"])))]
async fn get_migration_readiness(State(app): State<App>, call: Call) -> Result<Response, Error> {
    app.read_json(call, |tx, caller| {
        Ok(Readiness::new(caller.company, &migration::migration_findings(tx, caller)?))
    })
    .await
}

/// Move an existing company to the partner's product
///
/// Up to version 2025-11-15 `email` must be the signatory's and `migration_status` is `success`; from version
/// 2026-02-01 no field is required, `migration_status` is true, and `errors` and `warnings` are included.
#[utoipa::path(put, path = "/v1/partner_managed_companies/{company_uuid}/migrate", tag = "Company migration",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    request_body = Migrate,
    responses((status = 200, description = "The company was moved", body = Object)),
    security(("company_access" = ["partner_managed_companies:write"])))]
async fn migrate_company(
    State(app): State<App>,
    call: Call,
    Input(input): Input<Migrate>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        let findings = migration::migrate_company(tx, caller, &command)?;
        let warnings = MigrationFinding::of_severity(&findings, Severity::Warning);
        let company = caller.company;
        Ok(if caller.version.includes_change(Change::MoveTellsFindings) {
            json!({ "company_uuid": company, "migration_status": true, "errors": [], "warnings": warnings })
        } else {
            json!({ "company_uuid": company, "migration_status": "success" })
        })
    })
    .await
}

/// End the connection between the application and a company
///
/// The application's tokens for the company are revoked at once, and its webhooks receive no more of its events. The
/// company keeps all its data.
#[utoipa::path(put, path = "/v1/partner_managed_companies/{company_uuid}/disassociate", tag = "Company migration",
    params(("company_uuid" = Uuid, Path, description = "A company that the application manages")),
    responses((status = 200, description = "The connection has ended", body = Disassociated)),
    security(("system_access" = ["partner_managed_companies:disassociate"])))]
async fn disassociate_company(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    let grants = app.clone();
    let ended = app.write_json(call, StatusCode::OK, move |tx, caller| {
        Ok(Disassociated::from(service::disassociate_company(tx, caller, id)?))
    });
    let answer = ended.await?;
    // This node knows the revocation at once; other nodes notice within a second.
    grants.grants.forget_all();
    Ok(answer)
}

/// End an application's connection to a company
///
/// As if an administrator had withdrawn consent: the application's tokens for the company are revoked at once, its
/// links and page sessions end, and its webhooks receive no more of its events. This works for any connected company,
/// not only for one that a partner manages.
#[utoipa::path(post, path = "/v1/companies/{company_id}/disconnect_app_integration", tag = "Company migration",
    params(("company_id" = Uuid, Path, description = "A company that the application is connected to")),
    responses((status = 204, description = "The connection has ended")),
    security(("system_access" = ["companies:disconnect_app_integration"])))]
async fn disconnect_app_integration(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    let grants = app.clone();
    let ended = app.write_json(call, StatusCode::NO_CONTENT, move |tx, caller| {
        service::disconnect_company(tx, caller, id)
    });
    let answer = ended.await?;
    // This node knows the revocation at once; other nodes notice within a second.
    grants.grants.forget_all();
    Ok(answer)
}

query! {
    /// Which administrators are listed.
    ListAdmins { ..page }
}

/// List a company's administrators
///
/// In the order in which they were added. They can sign in to authorize applications.
#[utoipa::path(get, path = "/v1/companies/{company_id}/admins", tag = "Administrators",
    params(
        ("company_id" = Uuid, Path, description = "The company of the token"),
        ListAdmins),
    responses((status = 200, description = "The administrators", body = Vec<Admin>)),
    security(("company_access" = ["company_admin:read"])))]
async fn list_admins(State(app): State<App>, call: Call, query: ListAdmins) -> Result<Response, Error> {
    app.list_json(call, move |tx, caller| Ok(admins::list_admins(tx, caller, query.page)?.map(Admin::from)))
        .await
}

/// Add an administrator with full access, or change the primary one
///
/// A user with this e-mail address gets the role; otherwise a user is created, who can sign in once the operator has
/// issued a password. With `primary` the user becomes the primary payroll administrator, also if the user administers
/// the company already; the previous one keeps full access.
#[utoipa::path(post, path = "/v1/companies/{company_id}/admins", tag = "Administrators",
    params(("company_id" = Uuid, Path, description = "The company of the token")),
    request_body = AddAdmin,
    responses((status = 200, description = "The administrator", body = Admin)),
    security(("company_access" = ["company_admin:write"])))]
async fn create_admin(
    State(app): State<App>,
    call: Call,
    Input(input): Input<AddAdmin>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        Ok(Admin::from(admins::add_admin(tx, caller, &command)?))
    })
    .await
}

/// Remove an administrator
///
/// Extension. The person administers the company no longer, and the applications that the person authorized for it are disconnected. The
/// primary administrator needs a successor first (`POST /v1/companies/{company_id}/admins` with `primary`).
#[utoipa::path(delete, path = "/v1/companies/{company_id}/admins/{admin_uuid}", tag = "Administrators",
    params(
        ("company_id" = Uuid, Path, description = "The company of the token"),
        ("admin_uuid" = Uuid, Path, description = "The administrator")),
    responses((status = 204, description = "The administrator was removed")),
    security(("company_access" = ["company_admin:write"])))]
async fn remove_admin(
    State(app): State<App>,
    call: Call,
    Path(InCompany { id, .. }): Path<InCompany>,
) -> Result<Response, Error> {
    let grants = app.clone();
    let removed =
        app.write_json(call, StatusCode::NO_CONTENT, move |tx, caller| admins::remove_admin(tx, caller, id));
    let answer = removed.await?;
    // This node knows the revocation at once; other nodes notice within a second.
    grants.grants.forget_all();
    Ok(answer)
}
