//! Operations on an employee's benefits.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::benefits::service::{employee, planning, timeline};
use domain::pay::payrolls::read::benefit_plans;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use super::wire::{
    AppliedPlan, ApplyPlan, BenefitTimeline, CreateEmployeeBenefit, EmployeeBenefit, EmployeeBenefitPlan,
    PlanInput, UpdateEmployeeBenefit,
};
use super::{BenefitInclude, Day};
use crate::app::App;
use crate::error::Error;
use crate::http::{Call, Id, Input};
use crate::named::Enum;
use crate::query;

/// Operations on an employee's benefits.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_employee_benefits, create_employee_benefit))
        .routes(routes!(get_employee_benefit, update_employee_benefit, delete_employee_benefit))
        .routes(routes!(plan_employee_benefits))
        .routes(routes!(apply_employee_benefits_plan))
        .routes(routes!(get_employee_benefits_timeline))
}

query! {
    /// Which records are listed.
    ListEmployeeBenefits {
        /// all_benefits: every record, not only the present one of each benefit
        include: Vec<Enum<BenefitInclude>>,
        ..page
    }

    /// Which benefits are shown, and of which days.
    GetEmployeeBenefitsTimeline {
        /// Only this one of the company's benefits
        company_benefit_uuid: Option<Uuid>,
        /// First day; the first of this year when left out
        start_date: Day,
        /// Last day; the last of that year when left out
        end_date: Day,
    }
}

/// List the benefits of an employee
///
/// The present record of each benefit, or the latest one; with include=all_benefits every record.
#[utoipa::path(get, path = "/v1/employees/{employee_id}/employee_benefits", tag = "Employee benefits",
    params(
        ("employee_id" = Uuid, Path, description = "The employee"),
        ListEmployeeBenefits),
    responses((status = 200, description = "The records", body = Vec<EmployeeBenefit>)),
    security(("company_access" = ["employee_benefits:read"])))]
async fn list_employee_benefits(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    query: ListEmployeeBenefits,
) -> Result<Response, Error> {
    let all = !query.include.is_empty();
    app.list(call, move |tx, caller| {
        Ok(employee::list(tx, caller, id, all, query.page)?.map(EmployeeBenefit::from))
    })
    .await
}

/// Give an employee a benefit, from a day on or always
///
/// Without dates the record is the open baseline (effective_date 1970-01-01). An open record of the same benefit that
/// began earlier ends on the day before; any other overlap is refused.
#[utoipa::path(post, path = "/v1/employees/{employee_id}/employee_benefits", tag = "Employee benefits",
    params(("employee_id" = Uuid, Path, description = "The employee")),
    request_body = CreateEmployeeBenefit,
    responses((status = 201, description = "The new record", body = EmployeeBenefit)),
    security(("company_access" = ["employee_benefits:write"])))]
async fn create_employee_benefit(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<CreateEmployeeBenefit>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write(call, StatusCode::CREATED, move |tx, caller| {
        employee::create(tx, caller, id, &command).map(EmployeeBenefit::from)
    })
    .await
}

/// Read a record of an employee's benefit
///
/// Its window of days, what it takes from the employee and what the company gives.
#[utoipa::path(get, path = "/v1/employee_benefits/{employee_benefit_id}", tag = "Employee benefits",
    params(("employee_benefit_id" = Uuid, Path, description = "The record")),
    responses((status = 200, description = "The record", body = EmployeeBenefit)),
    security(("company_access" = ["employee_benefits:read"])))]
async fn get_employee_benefit(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.read(call, move |tx, caller| employee::find(tx, caller, id).map(EmployeeBenefit::from)).await
}

/// Update a record of an employee's benefit; no other record moves
///
/// A window that would overlap another record of the same benefit is refused, and the answer names that record.
#[utoipa::path(put, path = "/v1/employee_benefits/{employee_benefit_id}", tag = "Employee benefits",
    params(("employee_benefit_id" = Uuid, Path, description = "The record")),
    request_body = UpdateEmployeeBenefit,
    responses((status = 200, description = "The record as updated", body = EmployeeBenefit)),
    security(("company_access" = ["employee_benefits:write"])))]
async fn update_employee_benefit(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<UpdateEmployeeBenefit>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write(call, StatusCode::OK, move |tx, caller| {
        employee::update(tx, caller, id, &command).map(EmployeeBenefit::from)
    })
    .await
}

/// Delete a record of an employee's benefit
///
/// Payrolls that were processed keep what they took.
#[utoipa::path(delete, path = "/v1/employee_benefits/{employee_benefit_id}", tag = "Employee benefits",
    params(("employee_benefit_id" = Uuid, Path, description = "The record")),
    responses((status = 204, description = "Deleted")),
    security(("company_access" = ["employee_benefits:write"])))]
async fn delete_employee_benefit(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.write(call, StatusCode::NO_CONTENT, move |tx, caller| employee::delete(tx, caller, id)).await
}

/// Plan the changes that a wished timeline of one benefit needs, without making them
///
/// Say on which days the benefit should hold with which amounts; the answer lists the creations, updates and
/// deletions that lead there, what they cost a payroll of `gross_pay`, and a hash.
#[utoipa::path(post, path = "/v1/employees/{employee_id}/employee_benefits/plan", tag = "Employee benefits",
    params(("employee_id" = Uuid, Path, description = "The employee")),
    request_body = PlanInput,
    responses((status = 200, description = "The changes and what they mean for the payrolls to come", body = EmployeeBenefitPlan)),
    security(("company_access" = ["employee_benefits:read"])))]
async fn plan_employee_benefits(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<PlanInput>,
) -> Result<Response, Error> {
    let command = input.into();
    app.read(call, move |tx, caller| {
        benefit_plans::plan(tx, caller, id, &command).map(EmployeeBenefitPlan::from)
    })
    .await
}

/// Carry out a plan, if nothing has changed since it was made
///
/// Takes the timeline and the hash of the plan. When anything has changed since, the plan is refused with the present
/// hash, and nothing is done.
#[utoipa::path(post, path = "/v1/employees/{employee_id}/employee_benefits/plan/apply", tag = "Employee benefits",
    params(("employee_id" = Uuid, Path, description = "The employee")),
    request_body = ApplyPlan,
    responses(
        (status = 200, description = "The records of the benefit as they are now", body = AppliedPlan),
        (status = 409, description = "The plan would be another one by now; `metadata.current_version` is its hash")),
    security(("company_access" = ["employee_benefits:write"])))]
async fn apply_employee_benefits_plan(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<ApplyPlan>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write(call, StatusCode::OK, move |tx, caller| {
        planning::apply(tx, caller, id, &command).map(AppliedPlan::from)
    })
    .await
}

/// Read which benefits an employee has on which days, and why
///
/// Stretches of days, each with the record that holds and the reason, also where none does.
#[utoipa::path(get, path = "/v1/employees/{employee_id}/employee_benefits/timeline", tag = "Employee benefits",
    params(
        ("employee_id" = Uuid, Path, description = "The employee"),
        GetEmployeeBenefitsTimeline),
    responses((status = 200, description = "Stretches of days by benefit", body = Vec<BenefitTimeline>)),
    security(("company_access" = ["employee_benefits:read"])))]
async fn get_employee_benefits_timeline(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    query: GetEmployeeBenefitsTimeline,
) -> Result<Response, Error> {
    let filter = timeline::Filter {
        benefit: query.company_benefit_uuid,
        start: query.start_date.0,
        end: query.end_date.0,
    };
    app.read(call, move |tx, caller| {
        let timelines = timeline::get(tx, caller, id, filter)?.into_iter();
        Ok(timelines.map(BenefitTimeline::from).collect::<Vec<_>>())
    })
    .await
}
