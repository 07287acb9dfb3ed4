//! The two onboarding operations, and their shapes.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use rules::Named;
use rules::onboarding::{Step, StepState};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use super::service;
use crate::app::App;
use crate::error::Error;
use crate::field::Field;
use crate::http::{Call, Id, Input};

/// Operations on onboarding.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(get_onboarding_status, update_onboarding_status))
}

/// Where an employee's onboarding stands.
#[derive(Debug, Serialize, ToSchema)]
pub struct OnboardingStatus {
    /// the employee
    pub uuid: Uuid,
    /// one of the eight statuses
    pub onboarding_status: &'static str,
    /// the steps that concern this employee; all complete once onboarding is finished
    pub onboarding_steps: Vec<StepRecord>,
    /// what stands in the way beside open steps; left out when nothing does
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blockers: Vec<Blocker>,
}

/// A step of onboarding.
#[derive(Debug, Serialize, ToSchema)]
pub struct StepRecord {
    /// for people
    pub title: &'static str,
    /// for programs
    pub id: &'static str,
    /// whether onboarding cannot finish without it
    pub required: bool,
    /// whether it is complete
    pub completed: bool,
    /// ids of the steps that it depends on
    pub requirements: Vec<&'static str>,
}

impl From<StepState> for StepRecord {
    fn from(state: StepState) -> Self {
        Self {
            title: state.step.title(),
            id: state.step.as_str(),
            required: state.required,
            completed: state.completed,
            requirements: state.step.requirements().iter().copied().map(Step::as_str).collect(),
        }
    }
}

/// Something that stands in the way of onboarding.
#[derive(Debug, Serialize, ToSchema)]
pub struct Blocker {
    /// always `ssn`
    pub field: &'static str,
    /// always `duplicate_value`
    pub category: &'static str,
    /// for people
    pub message: &'static str,
}

impl Blocker {
    /// Another employee of the company holds the same SSN.
    pub fn duplicate_ssn() -> Self {
        Self {
            field: "ssn",
            category: "duplicate_value",
            message: "Another employee of this company has the same Social Security number.",
        }
    }
}

/// A status to move to, steps to mark as completed, or both (steps are marked first).
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct UpdateOnboardingStatus {
    /// the status to move to, such as `self_onboarding_invited` or `onboarding_completed`
    pub onboarding_status: Field<String>,
    /// steps to mark
    pub onboarding_steps: Field<Vec<StepMark>>,
}

/// A step to mark as completed.
#[derive(Debug, Default, Clone, Deserialize, ToSchema)]
#[serde(default)]
pub struct StepMark {
    /// id of the step
    #[schema(required)]
    pub id: Field<String>,
    /// always true: a mark cannot be taken back
    #[schema(required)]
    pub completed: Field<bool>,
}

/// Read where onboarding stands
///
/// The status and every step, with what is required, what is completed, and what has to come before.
#[utoipa::path(get, path = "/v1/employees/{employee_id}/onboarding_status", tag = "Onboarding",
    params(("employee_id" = Uuid, Path, description = "The employee")),
    responses((status = 200, description = "Status and steps", body = OnboardingStatus)),
    security(("company_access" = ["employees:read"])))]
async fn get_onboarding_status(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.read(call, move |tx, caller| service::status(tx, caller, id)).await
}

/// Move to another status, or mark steps as completed
///
/// Moves follow the table of statuses, and a refusal names the allowed ones. Steps that you collect on your own pages
/// are marked by `onboarding_steps`.
#[utoipa::path(put, path = "/v1/employees/{employee_id}/onboarding_status", tag = "Onboarding",
    params(("employee_id" = Uuid, Path, description = "The employee")),
    request_body = UpdateOnboardingStatus,
    responses((status = 200, description = "Status and steps afterwards", body = OnboardingStatus)),
    security(("company_access" = ["employees:manage"])))]
async fn update_onboarding_status(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<UpdateOnboardingStatus>,
) -> Result<Response, Error> {
    app.write(call, StatusCode::OK, move |tx, caller| service::update(tx, caller, id, &input)).await
}
