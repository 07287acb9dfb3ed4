//! Operations on links to hosted pages.

pub mod wire;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::people::flows::portal::Member;
use domain::people::flows::{portal, service};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::wire::{CreateFlow, Flow, MemberPortalInvitation};
use crate::app::App;
use crate::error::Error;
use crate::http::{Call, Id, InCompany, Input};

/// Operations on links to hosted pages.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(create_flow))
        .routes(routes!(revoke_flow))
        .routes(routes!(
            get_member_portal_invitation,
            create_member_portal_invitation,
            cancel_member_portal_invitation
        ))
        .routes(routes!(
            get_contractor_portal_invitation,
            create_contractor_portal_invitation,
            cancel_contractor_portal_invitation
        ))
}

/// Read a contractor's invitation to their own place
///
/// Whether its link was opened, and whether it can still be opened.
#[utoipa::path(get, path = "/v1/contractors/{contractor_uuid}/member_portal_invitations", tag = "Onboarding",
    params(("contractor_uuid" = Uuid, Path, description = "The contractor")),
    responses((status = 200, description = "How the invitation stands", body = MemberPortalInvitation)),
    security(("company_access" = ["member_portal_invitation:read"])))]
async fn get_contractor_portal_invitation(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.read_json(call, move |tx, caller| {
        Ok(MemberPortalInvitation::from(portal::invitation_standing(tx, caller, Member::Contractor(id))?))
    })
    .await
}

/// Invite a contractor to their own place
///
/// A link to pages with the contractor's details, bank account and documents, which you send to the contractor: the service
/// sends no e-mail. Inviting again makes a new one and revokes the one before.
#[utoipa::path(post, path = "/v1/contractors/{contractor_uuid}/member_portal_invitations", tag = "Onboarding",
    params(("contractor_uuid" = Uuid, Path, description = "The contractor")),
    responses((status = 201, description = "The link (extension: published clients expect no body)", body = Flow)),
    security(("company_access" = ["member_portal_invitation:write"])))]
async fn create_contractor_portal_invitation(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    let base = app.settings.flow_url.clone().unwrap_or_default();
    app.write_json(call, StatusCode::CREATED, move |tx, caller| {
        Ok(Flow::new(&base, &portal::invite_member(tx, caller, Member::Contractor(id))?))
    })
    .await
}

/// Cancel a contractor's invitation to their own place
///
/// Its link can no longer be opened, and pages that were opened with it end at once.
#[utoipa::path(delete, path = "/v1/contractors/{contractor_uuid}/member_portal_invitations", tag = "Onboarding",
    params(("contractor_uuid" = Uuid, Path, description = "The contractor")),
    responses((status = 204, description = "It is cancelled")),
    security(("company_access" = ["member_portal_invitation:write"])))]
async fn cancel_contractor_portal_invitation(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.write_json(call, StatusCode::NO_CONTENT, move |tx, caller| {
        portal::cancel_invitation(tx, caller, Member::Contractor(id))
    })
    .await
}

/// Read an employee's invitation to their own place
///
/// Whether its link was opened, and whether it can still be opened.
#[utoipa::path(get, path = "/v1/employees/{employee_id}/member_portal_invitations", tag = "Onboarding",
    params(("employee_id" = Uuid, Path, description = "The employee")),
    responses((status = 200, description = "How the invitation stands", body = MemberPortalInvitation)),
    security(("company_access" = ["member_portal_invitation:read"])))]
async fn get_member_portal_invitation(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.read_json(call, move |tx, caller| {
        Ok(MemberPortalInvitation::from(portal::invitation_standing(tx, caller, Member::Employee(id))?))
    })
    .await
}

/// Invite an employee to their own place
///
/// A link to pages with the employee's details, pay stubs, time off and deductions, which you send to the employee: the
/// service sends no e-mail. It expires like every link to hosted pages; inviting again makes a new one and revokes the one
/// before. `employee.invited_to_partner_portal` is sent.
#[utoipa::path(post, path = "/v1/employees/{employee_id}/member_portal_invitations", tag = "Onboarding",
    params(("employee_id" = Uuid, Path, description = "The employee")),
    responses((status = 201, description = "The link (extension: published clients expect no body)", body = Flow)),
    security(("company_access" = ["member_portal_invitation:write"])))]
async fn create_member_portal_invitation(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    let base = app.settings.flow_url.clone().unwrap_or_default();
    app.write_json(call, StatusCode::CREATED, move |tx, caller| {
        Ok(Flow::new(&base, &portal::invite_member(tx, caller, Member::Employee(id))?))
    })
    .await
}

/// Cancel an employee's invitation to their own place
///
/// Its link can no longer be opened, and pages that were opened with it end at once. The onboarding goes on as it stands.
#[utoipa::path(delete, path = "/v1/employees/{employee_id}/member_portal_invitations", tag = "Onboarding",
    params(("employee_id" = Uuid, Path, description = "The employee")),
    responses((status = 204, description = "It is cancelled")),
    security(("company_access" = ["member_portal_invitation:write"])))]
async fn cancel_member_portal_invitation(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.write_json(call, StatusCode::NO_CONTENT, move |tx, caller| {
        portal::cancel_invitation(tx, caller, Member::Employee(id))
    })
    .await
}

/// Create a link to hosted pages for an employee, for a contractor or for the company
///
/// The link expires an hour after its last use and a day after its creation, opens the given steps, and is sent by you
/// to the employee, or to whoever acts for the company. It can be opened fifty times, on three devices at a time.
/// Before bank accounts are changed, the page asks for the last four digits of the employee's Social Security number, of
/// the contractor's taxpayer identification number, or of the signatory's number on the pages of a company; five wrong
/// answers in a day are reported by the event `employee.confirmation_failed`, `contractor.confirmation_failed` or
/// `company.confirmation_failed`.
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
    app.write_json(call, StatusCode::CREATED, move |tx, caller| {
        Ok(Flow::new(&base, &service::create_link(tx, caller, &command)?))
    })
    .await
}

/// Revoke a link to hosted pages
///
/// An extension. The link can no longer be opened, and pages that were opened with it end at once. No-op if the link
/// has expired.
#[utoipa::path(delete, path = "/v1/companies/{company_uuid}/flows/{flow_uuid}", tag = "Onboarding",
    params(
        ("company_uuid" = Uuid, Path, description = "The company of the token"),
        ("flow_uuid" = Uuid, Path, description = "The `uuid` with which the link was answered")),
    responses((status = 204, description = "It is revoked")),
    security(("company_access" = ["flows:write"])))]
async fn revoke_flow(
    State(app): State<App>,
    call: Call,
    Path(InCompany { id, .. }): Path<InCompany>,
) -> Result<Response, Error> {
    app.write_json(call, StatusCode::NO_CONTENT, move |tx, caller| service::revoke_link(tx, caller, id)).await
}
