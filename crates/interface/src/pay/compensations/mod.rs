//! Operations on jobs and compensations.

pub mod wire;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::access::tokens::Caller;
use domain::pay::compensations::service::jobs::JobDetails;
use domain::pay::compensations::service::{compensations, jobs};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::wire::{Compensation, CreateCompensation, CreateJob, Job, UpdateCompensation, UpdateJob};
use crate::app::App;
use crate::error::Error;
use crate::http::{Call, Id, Input};
use crate::named::Enum;
use crate::{names, query};

/// Operations on jobs and compensations.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_jobs, create_job))
        .routes(routes!(get_job, update_job, delete_job))
        .routes(routes!(list_compensations, create_compensation))
        .routes(routes!(get_compensation, update_compensation, delete_compensation))
}

names! {
    /// What an answer with jobs or compensations may include.
    JobInclude { AllCompensations = "all_compensations" }
}

query! {
    /// Which jobs are listed, and what is included.
    ListJobs {
        /// all_compensations: every compensation, not only the current one
        include: Vec<Enum<JobInclude>>,
        ..page
    }

    /// What is included with a job.
    GetJob {
        /// all_compensations: every compensation, not only the current one
        include: Vec<Enum<JobInclude>>,
    }

    /// Which compensations are listed.
    ListCompensations {
        /// all_compensations: every compensation, not only the current one
        include: Vec<Enum<JobInclude>>,
        ..page
    }
}

/// The answer for a job.
fn job_answer(caller: &Caller, details: &JobDetails, all: bool) -> Job {
    Job::new(caller, &details.job, &details.pay, details.today, all)
}

/// List the jobs of an employee
///
/// The primary job first, each with its current compensation.
#[utoipa::path(get, path = "/v1/employees/{employee_id}/jobs", tag = "Jobs and compensations",
    params(
        ("employee_id" = Uuid, Path, description = "The employee"),
        ListJobs),
    responses((status = 200, description = "The jobs, the primary one first", body = Vec<Job>)),
    security(("company_access" = ["jobs:read"])))]
async fn list_jobs(
    State(app): State<App>,
    call: Call,
    Path(Id(employee)): Path<Id>,
    query: ListJobs,
) -> Result<Response, Error> {
    let all = !query.include.is_empty();
    app.list_json(call, move |tx, caller| {
        let list = jobs::list_jobs(tx, caller, employee, query.page)?;
        Ok(list.jobs.map(|job| Job::new(caller, &job, &list.pay, list.today, all)))
    })
    .await
}

/// Create a job, with an empty compensation to be updated
///
/// The first job of an employee is the primary one. Its compensation is empty until it is updated.
#[utoipa::path(post, path = "/v1/employees/{employee_id}/jobs", tag = "Jobs and compensations",
    params(("employee_id" = Uuid, Path, description = "The employee")),
    request_body = CreateJob,
    responses((status = 201, description = "The new job", body = Job)),
    security(("company_access" = ["jobs:write"])))]
async fn create_job(
    State(app): State<App>,
    call: Call,
    Path(Id(employee)): Path<Id>,
    Input(input): Input<CreateJob>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::CREATED, move |tx, caller| {
        Ok(job_answer(caller, &jobs::create_job(tx, caller, employee, &command)?, false))
    })
    .await
}

/// Read a job
///
/// Title, hire date, and the current compensation.
#[utoipa::path(get, path = "/v1/jobs/{job_id}", tag = "Jobs and compensations",
    params(
        ("job_id" = Uuid, Path, description = "The job"),
        GetJob),
    responses((status = 200, description = "The job", body = Job)),
    security(("company_access" = ["jobs:read"])))]
async fn get_job(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    query: GetJob,
) -> Result<Response, Error> {
    let all = !query.include.is_empty();
    app.read_json(call, move |tx, caller| Ok(job_answer(caller, &jobs::job_details(tx, caller, id)?, all)))
        .await
}

/// Update a job
///
/// Omitted fields keep their values. A later hire date moves the compensation that takes effect with the job.
#[utoipa::path(put, path = "/v1/jobs/{job_id}", tag = "Jobs and compensations",
    params(("job_id" = Uuid, Path, description = "The job")),
    request_body = UpdateJob,
    responses((status = 200, description = "The job as updated", body = Job)),
    security(("company_access" = ["jobs:write"])))]
async fn update_job(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<UpdateJob>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        Ok(job_answer(caller, &jobs::update_job(tx, caller, id, &command)?, false))
    })
    .await
}

/// Delete a job other than the primary one
///
/// Its compensations are deleted, too. Refused (422) if a submitted payroll includes the job, or if hours or amounts
/// are entered for it in an open payroll.
#[utoipa::path(delete, path = "/v1/jobs/{job_id}", tag = "Jobs and compensations",
    params(("job_id" = Uuid, Path, description = "The job")),
    responses((status = 204, description = "Deleted")),
    security(("company_access" = ["jobs:write"])))]
async fn delete_job(State(app): State<App>, call: Call, Path(Id(id)): Path<Id>) -> Result<Response, Error> {
    app.write_json(call, StatusCode::NO_CONTENT, move |tx, caller| jobs::delete_job(tx, caller, id)).await
}

/// List the compensations of a job
///
/// The current one, or with include=all_compensations all of them by effective date.
#[utoipa::path(get, path = "/v1/jobs/{job_id}/compensations", tag = "Jobs and compensations",
    params(
        ("job_id" = Uuid, Path, description = "The job"),
        ListCompensations),
    responses((status = 200, description = "The compensations", body = Vec<Compensation>)),
    security(("company_access" = ["compensations:read"])))]
async fn list_compensations(
    State(app): State<App>,
    call: Call,
    Path(Id(job)): Path<Id>,
    query: ListCompensations,
) -> Result<Response, Error> {
    let all = !query.include.is_empty();
    app.list_json(call, move |tx, caller| {
        Ok(compensations::list_compensations(tx, caller, job, all, query.page)?.map(Compensation::from))
    })
    .await
}

/// Create a compensation with an effective date
///
/// The current one applies until then; processed payrolls are not changed.
#[utoipa::path(post, path = "/v1/jobs/{job_id}/compensations", tag = "Jobs and compensations",
    params(("job_id" = Uuid, Path, description = "The job")),
    request_body = CreateCompensation,
    responses((status = 201, description = "The new compensation", body = Compensation)),
    security(("company_access" = ["compensations:write"])))]
async fn create_compensation(
    State(app): State<App>,
    call: Call,
    Path(Id(job)): Path<Id>,
    Input(input): Input<CreateCompensation>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::CREATED, move |tx, caller| {
        Ok(Compensation::from(compensations::create_compensation(tx, caller, job, &command)?))
    })
    .await
}

/// Read a compensation
///
/// Rate, payment unit, FLSA status, effective date, and its adjustment to minimum wages.
#[utoipa::path(get, path = "/v1/compensations/{compensation_id}", tag = "Jobs and compensations",
    params(("compensation_id" = Uuid, Path, description = "The compensation")),
    responses((status = 200, description = "The compensation", body = Compensation)),
    security(("company_access" = ["compensations:read"])))]
async fn get_compensation(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.read_json(call, move |tx, caller| {
        Ok(Compensation::from(compensations::compensation_details(tx, caller, id)?))
    })
    .await
}

/// Update a compensation
///
/// Omitted fields keep their values. Processed payrolls are not changed.
#[utoipa::path(put, path = "/v1/compensations/{compensation_id}", tag = "Jobs and compensations",
    params(("compensation_id" = Uuid, Path, description = "The compensation")),
    request_body = UpdateCompensation,
    responses((status = 200, description = "The compensation as updated", body = Compensation)),
    security(("company_access" = ["compensations:write"])))]
async fn update_compensation(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<UpdateCompensation>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        Ok(Compensation::from(compensations::update_compensation(tx, caller, id, &command)?))
    })
    .await
}

/// Delete a compensation that is not the job's only one
///
/// From then on the previous one applies again.
#[utoipa::path(delete, path = "/v1/compensations/{compensation_id}", tag = "Jobs and compensations",
    params(("compensation_id" = Uuid, Path, description = "The compensation")),
    responses((status = 204, description = "Deleted")),
    security(("company_access" = ["compensations:write"])))]
async fn delete_compensation(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.write_json(call, StatusCode::NO_CONTENT, move |tx, caller| {
        compensations::delete_compensation(tx, caller, id)
    })
    .await
}
