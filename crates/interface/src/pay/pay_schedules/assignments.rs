//! Operations on the assignment of pay schedules to a company's employees.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use domain::pay::payrolls::calendar::assignments;
use rules::Named;
use rules::payroll::assignment::AssignmentType;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use crate::app::App;
use crate::error::Error;
use crate::field::{Field, List};
use crate::http::{Call, Input};
use crate::input;
use crate::values::{IdText, PayScheduleType};

/// The operations.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(get_pay_schedule_assignments))
        .routes(routes!(preview_pay_schedule_assignment))
        .routes(routes!(assign_pay_schedule))
}

/// The assignment of pay schedules to employees.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct PayScheduleAssignments {
    /// how an employee's schedule is determined; null before there is a schedule
    #[serde(rename = "type")]
    #[schema(value_type = Option<PayScheduleType>)]
    pub kind: Option<&'static str>,
    /// the schedule of employees whose primary job is hourly, with `hourly_salaried`
    pub hourly_pay_schedule_uuid: Option<Uuid>,
    /// the schedule of employees whose primary job is salaried, with `hourly_salaried`
    pub salaried_pay_schedule_uuid: Option<Uuid>,
    /// the schedule of all other employees
    pub default_pay_schedule_uuid: Option<Uuid>,
    /// employees with their own schedule, with `by_employee`, else null
    pub employees: Option<Vec<EmployeeAssignment>>,
    /// departments with their own schedule, with `by_department`, else null
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
    fn new(current: Option<assignments::Current>) -> Self {
        let Some(assignments::Current { settings, choices }) = current else { return Self::default() };
        let kind = settings.kind;
        let choices = || choices.iter().map(|(subject, schedule)| (*subject, *schedule));
        let employees = choices().map(|(employee_uuid, schedule)| EmployeeAssignment {
            employee_uuid,
            pay_schedule_uuid: Some(schedule),
        });
        let departments = choices().map(|(department_uuid, pay_schedule_uuid)| DepartmentAssignment {
            department_uuid,
            pay_schedule_uuid,
        });
        Self {
            kind: Some(kind.as_str()),
            hourly_pay_schedule_uuid: settings.hourly,
            salaried_pay_schedule_uuid: settings.salaried,
            default_pay_schedule_uuid: settings.default,
            employees: (kind == AssignmentType::ByEmployee).then(|| employees.collect()),
            departments: (kind == AssignmentType::ByDepartment).then(|| departments.collect()),
        }
    }
}

/// The effects of an assignment.
#[derive(Debug, Serialize, ToSchema)]
pub struct PayScheduleAssignmentPreview {
    /// how the schedule is assigned
    #[serde(rename = "type")]
    #[schema(value_type = PayScheduleType)]
    pub kind: &'static str,
    /// the employees affected; empty if the assignment is in force already
    pub employee_changes: Vec<EmployeeChange>,
}

/// The effect of an assignment on an employee.
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
    /// the first pay period on the schedule
    pub first_pay_period: FirstPayPeriod,
    /// days before it that no schedule pays; omitted if there are none
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
    /// YYYY-MM-DD: the check date
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
        Self {
            kind: preview.kind.as_str(),
            employee_changes: preview.changes.into_iter().map(EmployeeChange::from).collect(),
        }
    }
}

impl From<assignments::EmployeeChange> for EmployeeChange {
    fn from(change: assignments::EmployeeChange) -> Self {
        Self {
            employee_uuid: change.employee,
            pay_frequency: assignments::schedule_label(&change.schedule),
            first_name: change.first_name,
            last_name: change.last_name,
            first_pay_period: FirstPayPeriod {
                pay_schedule_uuid: change.schedule.id,
                start_date: change.first.start.to_string(),
                end_date: change.first.end.to_string(),
                check_date: change.first.check_date.to_string(),
            },
            transition_pay_period: change.transition.map(|days| TransitionPayPeriod {
                start_date: days.first.to_string(),
                end_date: days.last.to_string(),
            }),
        }
    }
}

input! {
    /// The assignment to make.
    AssignPaySchedule => assignments::Assign {
        /// how an employee's schedule is determined: `single` for one schedule for all, `hourly_salaried` by how the
        /// primary job is paid, `by_employee` and `by_department` by the lists given here
        #[schema(required)]
        r#type: PayScheduleType,
        /// the schedule of hourly employees; with `hourly_salaried`, if there are any
        hourly_pay_schedule_uuid: IdText,
        /// the schedule of salaried employees; with `hourly_salaried`, if there are any
        salaried_pay_schedule_uuid: IdText,
        /// the schedule of all other employees, including new ones; with `hourly_salaried` it defaults to that of
        /// salaried employees, and with `partial_assignment` to the current one
        default_pay_schedule_uuid: IdText,
        /// whether the schedules of other employees or departments are kept, with `by_employee` and `by_department`;
        /// false by default, so that they get the default schedule
        partial_assignment: bool,
        /// at most 1,000 employees with their schedules, with `by_employee`
        employees: List<AssignEmployee>,
        /// at most 1,000 departments with their schedules, with `by_department`
        departments: List<AssignDepartment>,
    }

    /// A pay schedule for an employee.
    AssignEmployee => assignments::EmployeeChoice {
        /// an employee of the company, each once
        #[schema(required)]
        employee_uuid: IdText,
        /// a pay schedule of the company
        #[schema(required)]
        pay_schedule_uuid: IdText,
    }

    /// A pay schedule for the employees of a department.
    AssignDepartment => assignments::DepartmentChoice {
        /// a department of the company, each once
        #[schema(required)]
        department_uuid: IdText,
        /// a pay schedule of the company
        #[schema(required)]
        pay_schedule_uuid: IdText,
    }
}

/// Read the assignment of pay schedules
///
/// How an employee's schedule is determined, and the schedules selected. Without an assignment all employees are on the
/// first schedule.
#[utoipa::path(get, path = "/v1/companies/{company_id}/pay_schedules/assignments", tag = "Pay schedules",
    params(("company_id" = Uuid, Path, description = "The company of the token")),
    responses((status = 200, description = "The assignment", body = PayScheduleAssignments)),
    security(("company_access" = ["pay_schedules:read"])))]
async fn get_pay_schedule_assignments(State(app): State<App>, call: Call) -> Result<Response, Error> {
    app.read_json(call, |tx, caller| {
        Ok(PayScheduleAssignments::new(assignments::current_assignment(tx, caller)?))
    })
    .await
}

/// Preview the effects of an assignment
///
/// For each employee affected, the first period on the new schedule, and the days before it that an off-cycle payroll
/// has to pay. Nothing is stored.
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
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        Ok(PayScheduleAssignmentPreview::from(assignments::preview_assignment(tx, caller, &command)?))
    })
    .await
}

/// Assign pay schedules to the employees of a company
///
/// An employee who changes schedules finishes the pay period in progress and moves to the first period of the new
/// schedule that begins after it. The old schedule pays its periods until then; the days in between, if any, are paid
/// by an off-cycle payroll with the reason `Transition from old pay schedule`. A company that replaces its single
/// schedule by another one changes at once: unsubmitted payrolls are deleted, and those of the new schedule are created
/// from its first period without any day already paid. Answers without a body.
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
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        assignments::assign_schedules(tx, caller, &command)
    })
    .await
}
