//! Operations on an employee's benefits.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::benefits::service::{employee, planning, timeline};
use domain::pay::payrolls::views::benefit_plans;
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
        /// all_benefits: every record of each benefit, not only the current one
        include: Vec<Enum<BenefitInclude>>,
        ..page
    }

    /// Which benefits are shown, and for which days.
    GetEmployeeBenefitsTimeline {
        /// Only this company benefit
        company_benefit_uuid: Option<Uuid>,
        /// First day; defaults to the first day of this year
        start_date: Day,
        /// Last day; defaults to the last day of the first day's year
        end_date: Day,
    }
}

/// List an employee's benefits
///
/// The current record of each benefit, or the latest one; with include=all_benefits every record.
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
    app.list_json(call, move |tx, caller| {
        Ok(employee::list_employee_benefits(tx, caller, id, all, query.page)?.map(EmployeeBenefit::from))
    })
    .await
}

/// Enroll an employee in a benefit
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
    app.write_json(call, StatusCode::CREATED, move |tx, caller| {
        employee::create_employee_benefit(tx, caller, id, &command).map(EmployeeBenefit::from)
    })
    .await
}

/// Read an employee's benefit record
///
/// Its effective dates, the employee's deduction and the company's contribution.
#[utoipa::path(get, path = "/v1/employee_benefits/{employee_benefit_id}", tag = "Employee benefits",
    params(("employee_benefit_id" = Uuid, Path, description = "The record")),
    responses((status = 200, description = "The record", body = EmployeeBenefit)),
    security(("company_access" = ["employee_benefits:read"])))]
async fn get_employee_benefit(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.read_json(call, move |tx, caller| {
        employee::find_employee_benefit(tx, caller, id).map(EmployeeBenefit::from)
    })
    .await
}

/// Update an employee's benefit record
///
/// Other records do not change: a window that would overlap another record of the same benefit is refused, and the
/// error names that record.
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
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        employee::update_employee_benefit(tx, caller, id, &command).map(EmployeeBenefit::from)
    })
    .await
}

/// Delete an employee's benefit record
///
/// Processed payrolls keep their deductions.
#[utoipa::path(delete, path = "/v1/employee_benefits/{employee_benefit_id}", tag = "Employee benefits",
    params(("employee_benefit_id" = Uuid, Path, description = "The record")),
    responses((status = 204, description = "Deleted")),
    security(("company_access" = ["employee_benefits:write"])))]
async fn delete_employee_benefit(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.write_json(call, StatusCode::NO_CONTENT, move |tx, caller| {
        employee::delete_employee_benefit(tx, caller, id)
    })
    .await
}

/// Plan the changes that lead to a desired benefit timeline, without making them
///
/// Send on which days the benefit should be in force, and with which amounts. The response lists the records to create,
/// update and delete, their effect on a payroll with `gross_pay`, and a hash.
#[utoipa::path(post, path = "/v1/employees/{employee_id}/employee_benefits/plan", tag = "Employee benefits",
    params(("employee_id" = Uuid, Path, description = "The employee")),
    request_body = PlanInput,
    responses((status = 200, description = "The changes and their effect on upcoming payrolls", body = EmployeeBenefitPlan)),
    security(("company_access" = ["employee_benefits:read"])))]
async fn plan_employee_benefits(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<PlanInput>,
) -> Result<Response, Error> {
    let command = input.into();
    app.read_json(call, move |tx, caller| {
        benefit_plans::plan_timeline(tx, caller, id, &command).map(EmployeeBenefitPlan::from)
    })
    .await
}

/// Apply a plan, if nothing has changed since it was made
///
/// Takes the plan's timeline and hash. If anything has changed since, the plan is refused with the current hash, and
/// nothing is changed.
#[utoipa::path(post, path = "/v1/employees/{employee_id}/employee_benefits/plan/apply", tag = "Employee benefits",
    params(("employee_id" = Uuid, Path, description = "The employee")),
    request_body = ApplyPlan,
    responses(
        (status = 200, description = "The records of the benefit after the changes", body = AppliedPlan),
        (status = 409, description = "The plan would be different now; `metadata.current_version` is its hash")),
    security(("company_access" = ["employee_benefits:write"])))]
async fn apply_employee_benefits_plan(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<ApplyPlan>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        planning::apply_plan(tx, caller, id, &command).map(AppliedPlan::from)
    })
    .await
}

/// Read which benefits an employee has on which days, and why
///
/// Ranges of days, each with the record in force and the reason, or why there is none.
#[utoipa::path(get, path = "/v1/employees/{employee_id}/employee_benefits/timeline", tag = "Employee benefits",
    params(
        ("employee_id" = Uuid, Path, description = "The employee"),
        GetEmployeeBenefitsTimeline),
    responses((status = 200, description = "Ranges of days by benefit", body = Vec<BenefitTimeline>)),
    security(("company_access" = ["employee_benefits:read"])))]
async fn get_employee_benefits_timeline(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    query: GetEmployeeBenefitsTimeline,
) -> Result<Response, Error> {
    let filter = timeline::TimelineFilter {
        benefit: query.company_benefit_uuid,
        start: query.start_date.0,
        end: query.end_date.0,
    };
    app.read_json(call, move |tx, caller| {
        let timelines = timeline::employee_timelines(tx, caller, id, filter)?.into_iter();
        Ok(timelines.map(BenefitTimeline::from).collect::<Vec<_>>())
    })
    .await
}
