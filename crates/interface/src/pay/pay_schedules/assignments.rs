//! Operations on which pay schedule is that of a company's employees.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use domain::pay::pay_schedules::rows::Schedule;
use domain::pay::payrolls::assignments;
use domain::pay::payrolls::members::Member;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use crate::app::App;
use crate::error::Error;
use crate::field::Field;
use crate::http::{Call, Input};
use crate::values::{AssignmentName, IdText};

/// The operations.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(get_pay_schedule_assignments))
        .routes(routes!(preview_pay_schedule_assignment))
        .routes(routes!(assign_pay_schedule))
}

/// Which pay schedule is whose.
#[derive(Debug, Serialize, ToSchema)]
pub struct PayScheduleAssignments {
    /// `single`: all employees follow one schedule; null before there is one
    #[serde(rename = "type")]
    #[schema(value_type = Option<AssignmentName>)]
    pub kind: Option<&'static str>,
    /// of employees who are paid by the hour, where they have a schedule of their own
    pub hourly_pay_schedule_uuid: Option<Uuid>,
    /// of employees with a salary, where they have a schedule of their own
    pub salaried_pay_schedule_uuid: Option<Uuid>,
    /// the schedule of everybody
    pub default_pay_schedule_uuid: Option<Uuid>,
    /// schedules of single employees; null with `single`
    pub employees: Option<Vec<EmployeeAssignment>>,
    /// schedules of departments; null with `single`
    pub departments: Option<Vec<DepartmentAssignment>>,
}

/// The pay schedule of an employee.
#[derive(Debug, Serialize, ToSchema)]
pub struct EmployeeAssignment {
    /// the employee
    pub employee_uuid: Uuid,
    /// the schedule
    pub pay_schedule_uuid: Option<Uuid>,
}

/// The pay schedule of a department.
#[derive(Debug, Serialize, ToSchema)]
pub struct DepartmentAssignment {
    /// the department
    pub department_uuid: Uuid,
    /// the schedule
    pub pay_schedule_uuid: Uuid,
}

impl PayScheduleAssignments {
    fn new(schedule: Option<&Schedule>) -> Self {
        Self {
            kind: schedule.map(|_| assignments::SINGLE),
            hourly_pay_schedule_uuid: None,
            salaried_pay_schedule_uuid: None,
            default_pay_schedule_uuid: schedule.map(|schedule| schedule.id),
            employees: None,
            departments: None,
        }
    }
}

/// What an assignment would change.
#[derive(Debug, Serialize, ToSchema)]
pub struct PayScheduleAssignmentPreview {
    /// how the schedule is assigned
    #[serde(rename = "type")]
    #[schema(value_type = AssignmentName)]
    pub kind: &'static str,
    /// whom it concerns; empty where the schedule is in force already
    pub employee_changes: Vec<EmployeeChange>,
}

/// What an assignment would change for an employee.
#[derive(Debug, Serialize, ToSchema)]
pub struct EmployeeChange {
    /// the employee
    pub employee_uuid: Uuid,
    /// first name
    pub first_name: String,
    /// last name
    pub last_name: String,
    /// frequency and name of the schedule
    pub pay_frequency: String,
    /// the first pay period of the schedule
    pub first_pay_period: FirstPayPeriod,
    /// days before it that no schedule pays; left out where there are none
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transition_pay_period: Option<TransitionPayPeriod>,
}

/// The first pay period of a schedule.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct FirstPayPeriod {
    /// the schedule
    pub pay_schedule_uuid: Uuid,
    /// YYYY-MM-DD: first day
    #[schema(format = Date)]
    pub start_date: String,
    /// YYYY-MM-DD: last day
    #[schema(format = Date)]
    pub end_date: String,
    /// YYYY-MM-DD: when it is paid
    #[schema(format = Date)]
    pub check_date: String,
}

/// Days that no schedule pays.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct TransitionPayPeriod {
    /// YYYY-MM-DD: the first
    #[schema(format = Date)]
    pub start_date: String,
    /// YYYY-MM-DD: the last
    #[schema(format = Date)]
    pub end_date: String,
}

impl From<assignments::Preview> for PayScheduleAssignmentPreview {
    fn from(preview: assignments::Preview) -> Self {
        let first = FirstPayPeriod {
            pay_schedule_uuid: preview.schedule.id,
            start_date: preview.first.start.to_string(),
            end_date: preview.first.end.to_string(),
            check_date: preview.first.check_date.to_string(),
        };
        let transition = preview.transition.map(|(start, end)| TransitionPayPeriod {
            start_date: start.to_string(),
            end_date: end.to_string(),
        });
        let frequency = assignments::named(&preview.schedule);
        let change = |member: Member| EmployeeChange {
            employee_uuid: member.id,
            first_name: member.first_name,
            last_name: member.last_name,
            pay_frequency: frequency.clone(),
            first_pay_period: first.clone(),
            transition_pay_period: transition.clone(),
        };
        Self {
            kind: assignments::SINGLE,
            employee_changes: preview.employees.into_iter().map(change).collect(),
        }
    }
}

/// Which pay schedule is to be whose.
#[derive(Debug, Default, Clone, serde::Deserialize, ToSchema)]
#[serde(default)]
pub struct AssignPaySchedule {
    /// `single`
    #[serde(rename = "type")]
    #[schema(required)]
    pub kind: Field<AssignmentName>,
    /// the schedule of everybody
    #[schema(required)]
    pub default_pay_schedule_uuid: Field<IdText>,
}

impl From<AssignPaySchedule> for assignments::Assign {
    fn from(body: AssignPaySchedule) -> Self {
        Self { kind: body.kind.into(), default_pay_schedule_uuid: body.default_pay_schedule_uuid.into() }
    }
}

/// Read which pay schedule is whose
///
/// All employees of a company follow one schedule: the first, or the one that was assigned to them since.
#[utoipa::path(get, path = "/v1/companies/{company_id}/pay_schedules/assignments", tag = "Pay schedules",
    params(("company_id" = Uuid, Path, description = "The company of the token")),
    responses((status = 200, description = "The assignment", body = PayScheduleAssignments)),
    security(("company_access" = ["pay_schedules:read"])))]
async fn get_pay_schedule_assignments(State(app): State<App>, call: Call) -> Result<Response, Error> {
    app.read(call, |tx, caller| Ok(PayScheduleAssignments::new(assignments::current(tx, caller)?.as_ref())))
        .await
}

/// Preview what another pay schedule would change
///
/// The first period of the schedule for each employee, and the days before it that an off-cycle payroll has to pay. Nothing is
/// stored.
#[utoipa::path(post, path = "/v1/companies/{company_id}/pay_schedules/assignment_preview", tag = "Pay schedules",
    params(("company_id" = Uuid, Path, description = "The company of the token")),
    request_body = AssignPaySchedule,
    responses((status = 200, description = "What would change", body = PayScheduleAssignmentPreview)),
    security(("company_access" = ["pay_schedules:write"])))]
async fn preview_pay_schedule_assignment(
    State(app): State<App>,
    call: Call,
    Input(input): Input<AssignPaySchedule>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write(call, StatusCode::OK, move |tx, caller| {
        Ok(PayScheduleAssignmentPreview::from(assignments::preview(tx, caller, &command)?))
    })
    .await
}

/// Assign a pay schedule to the employees of a company
///
/// Payrolls of the schedule before that nobody submitted are deleted, and those of this one are made from its first period on of
/// which no day was paid yet. The days between, if any, are paid by an off-cycle payroll with the reason
/// `Transition from old pay schedule`. Answers without a body.
#[utoipa::path(post, path = "/v1/companies/{company_id}/pay_schedules/assign", tag = "Pay schedules",
    params(("company_id" = Uuid, Path, description = "The company of the token")),
    request_body = AssignPaySchedule,
    responses((status = 200, description = "Assigned")),
    security(("company_access" = ["pay_schedules:write"])))]
async fn assign_pay_schedule(
    State(app): State<App>,
    call: Call,
    Input(input): Input<AssignPaySchedule>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write(call, StatusCode::OK, move |tx, caller| assignments::assign(tx, caller, &command)).await
}
