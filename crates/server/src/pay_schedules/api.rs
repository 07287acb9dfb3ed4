//! Operations on pay schedules, and their shapes.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use rules::Checks;
use rules::Named;
use rules::payroll::schedule as rules_of_schedules;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use super::{rows, service};
use crate::app::App;
use crate::auth::Caller;
use crate::error::Error;
use crate::field::Field;
use crate::http::{Call, Id, Input};
use crate::paging::Query;
use crate::records::version_text;
use crate::version::Change;

/// Operations on pay schedules.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_pay_schedules, create_pay_schedule))
        .routes(routes!(preview_pay_schedule))
        .routes(routes!(get_pay_schedule, update_pay_schedule))
}

/// How often a company pays.
#[derive(Debug, Serialize, ToSchema)]
pub struct PaySchedule {
    /// identifier
    pub uuid: Uuid,
    /// concurrency token, to be sent with an update
    pub version: String,
    /// `Every week`, `Every other week`, `Twice per month`, `Monthly`, `Quarterly` or `Annually`
    pub frequency: &'static str,
    /// YYYY-MM-DD: the first pay date
    pub anchor_pay_date: String,
    /// YYYY-MM-DD: the last day of the pay period that is paid then
    pub anchor_end_of_pay_period: String,
    /// a pay day of the month
    pub day_1: Option<i8>,
    /// the other pay day of the month, with `Twice per month`
    pub day_2: Option<i8>,
    /// its own name, or else its frequency
    pub name: String,
    /// its own name; left out without one
    #[serde(skip_serializing_if = "Option::is_none")]
    pub custom_name: Option<String>,
    /// whether payrolls are to be run without anybody's doing; before version 2025-11-15
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auto_pilot: Option<bool>,
    /// whether payrolls are to be run without anybody's doing; from version 2025-11-15
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auto_payroll: Option<bool>,
    /// whether it is in use
    pub active: bool,
}

impl PaySchedule {
    /// The answer for a schedule.
    pub fn new(caller: &Caller, row: &rows::Schedule) -> Self {
        let renamed = caller.version.has(Change::AutoPayroll);
        let frequency = row.terms.frequency.as_str();
        Self {
            uuid: row.id,
            version: version_text(service::TABLE, row.id, row.version),
            frequency,
            anchor_pay_date: row.terms.anchor_pay_date.to_string(),
            anchor_end_of_pay_period: row.terms.anchor_end_of_pay_period.to_string(),
            day_1: row.terms.day_1,
            day_2: row.terms.day_2,
            name: row.custom_name.clone().unwrap_or_else(|| frequency.to_owned()),
            custom_name: row.custom_name.clone(),
            auto_pilot: (!renamed).then_some(row.auto_payroll),
            auto_payroll: renamed.then_some(row.auto_payroll),
            active: row.active,
        }
    }
}

/// A new pay schedule.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct CreatePaySchedule {
    /// `Every week`, `Every other week`, `Twice per month`, `Monthly`, `Quarterly` or `Annually`
    #[schema(required)]
    pub frequency: Field<String>,
    /// YYYY-MM-DD: the first pay date
    #[schema(required)]
    pub anchor_pay_date: Field<String>,
    /// YYYY-MM-DD: the last day of the pay period that is paid then
    #[schema(required)]
    pub anchor_end_of_pay_period: Field<String>,
    /// a pay day of the month, 1 to 31, where 31 is the last; with `Monthly` and `Twice per month`
    pub day_1: Field<i64>,
    /// the other pay day of the month; with `Twice per month`
    pub day_2: Field<i64>,
    /// its own name, at most 100 characters
    pub custom_name: Field<String>,
}

/// What an update changes; what is left out stays.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct UpdatePaySchedule {
    /// the version as last read
    #[schema(required)]
    pub version: Field<String>,
    /// `Every week`, `Every other week`, `Twice per month`, `Monthly`, `Quarterly` or `Annually`
    pub frequency: Field<String>,
    /// YYYY-MM-DD: the first pay date
    pub anchor_pay_date: Field<String>,
    /// YYYY-MM-DD: the last day of the pay period that is paid then
    pub anchor_end_of_pay_period: Field<String>,
    /// a pay day of the month; null clears it
    pub day_1: Field<i64>,
    /// the other pay day of the month; null clears it
    pub day_2: Field<i64>,
    /// its own name; empty or null clears it
    pub custom_name: Field<String>,
    /// whether payrolls are to be run without anybody's doing
    pub auto_payroll: Field<bool>,
    /// the older name of auto_payroll
    pub auto_pilot: Field<bool>,
}

/// What a preview asks for, as it was sent.
#[derive(Debug, Clone)]
pub struct PreviewAsked {
    /// frequency
    pub frequency: Option<String>,
    /// first pay date
    pub anchor_pay_date: Option<String>,
    /// last day of the first pay period
    pub anchor_end_of_pay_period: Option<String>,
    /// pay day
    pub day_1: Option<String>,
    /// other pay day
    pub day_2: Option<String>,
    /// last pay date that is told
    pub end_date: Option<String>,
}

/// The pay periods that a schedule would bring.
#[derive(Debug, Serialize, ToSchema)]
pub struct Preview {
    /// the periods in order
    pub pay_periods: Vec<PreviewPeriod>,
    /// YYYY-MM-DD: the bank holidays in that time
    pub holidays: Vec<String>,
}

/// A pay period of a preview.
#[derive(Debug, Serialize, ToSchema)]
pub struct PreviewPeriod {
    /// YYYY-MM-DD: first day
    pub start_date: String,
    /// YYYY-MM-DD: last day
    pub end_date: String,
    /// YYYY-MM-DD: when employees have their money; moved before weekends and bank holidays
    pub check_date: String,
    /// YYYY-MM-DD: the last day on which the payroll can be submitted
    pub run_payroll_by: String,
}

impl Preview {
    /// The answer for what the rules say.
    pub fn new(preview: &rules_of_schedules::Preview) -> Self {
        let told = |period: &rules_of_schedules::PayPeriod| PreviewPeriod {
            start_date: period.start.to_string(),
            end_date: period.end.to_string(),
            check_date: period.check_date.to_string(),
            run_payroll_by: service::run_payroll_by(period).to_string(),
        };
        Self {
            pay_periods: preview.periods.iter().map(told).collect(),
            holidays: preview.holidays.iter().map(ToString::to_string).collect(),
        }
    }
}

/// List pay schedules
///
/// A company has one schedule in use; earlier ones stay in the list.
#[utoipa::path(get, path = "/v1/companies/{company_id}/pay_schedules", tag = "Pay schedules",
    params(
        ("company_id" = Uuid, Path, description = "The company of the token"),
        ("page" = Option<i64>, Query, description = "Number of the page, from 1"),
        ("per" = Option<i64>, Query, description = "Rows on a page, 1 to 100; 25 when only page is given")),
    responses((status = 200, description = "The pay schedules", body = Vec<PaySchedule>)),
    security(("company_access" = ["pay_schedules:read"])))]
async fn list_pay_schedules(State(app): State<App>, call: Call, query: Query) -> Result<Response, Error> {
    let mut checks = Checks::new();
    let page = query.page(&mut checks);
    checks.finish()?;
    app.list(call, move |tx, caller| service::list(tx, caller, page)).await
}

/// Create a pay schedule; the first one of a company is that of all its employees
///
/// Two anchors say when the first pay date is and which period it pays; every other date follows from the frequency.
/// A pay date on which banks do not settle moves to the banking day before.
#[utoipa::path(post, path = "/v1/companies/{company_id}/pay_schedules", tag = "Pay schedules",
    params(("company_id" = Uuid, Path, description = "The company of the token")),
    request_body = CreatePaySchedule,
    responses((status = 201, description = "The new pay schedule", body = PaySchedule)),
    security(("company_access" = ["pay_schedules:write"])))]
async fn create_pay_schedule(
    State(app): State<App>,
    call: Call,
    Input(input): Input<CreatePaySchedule>,
) -> Result<Response, Error> {
    app.write(call, StatusCode::CREATED, move |tx, caller| service::create(tx, caller, &input)).await
}

/// Preview the pay periods of a schedule that is not created yet
///
/// Takes what creating a schedule takes, in the query, and stores nothing.
#[utoipa::path(get, path = "/v1/companies/{company_id}/pay_schedules/preview", tag = "Pay schedules",
    params(
        ("company_id" = Uuid, Path, description = "The company of the token"),
        ("frequency" = String, Query, description = "Every week, Every other week, Twice per month, Monthly, Quarterly or Annually"),
        ("anchor_pay_date" = String, Query, description = "YYYY-MM-DD: the first pay date"),
        ("anchor_end_of_pay_period" = String, Query, description = "YYYY-MM-DD: the last day of the pay period that is paid then"),
        ("day_1" = Option<i64>, Query, description = "A pay day of the month"),
        ("day_2" = Option<i64>, Query, description = "The other pay day of the month, with Twice per month"),
        ("end_date" = Option<String>, Query, description = "YYYY-MM-DD: the last pay date that is told; 18 months after the first when left out")),
    responses((status = 200, description = "The pay periods", body = Preview)),
    security(("company_access" = ["pay_schedules:write"])))]
async fn preview_pay_schedule(State(app): State<App>, call: Call, query: Query) -> Result<Response, Error> {
    let text = |key: &str| query.text(key).map(str::to_owned);
    let asked = PreviewAsked {
        frequency: text("frequency"),
        anchor_pay_date: text("anchor_pay_date"),
        anchor_end_of_pay_period: text("anchor_end_of_pay_period"),
        day_1: text("day_1"),
        day_2: text("day_2"),
        end_date: text("end_date"),
    };
    app.read(call, move |tx, caller| service::preview(tx, caller, &asked)).await
}

/// Read a pay schedule
///
/// Frequency, anchors, name, and whether its payrolls run by themselves.
#[utoipa::path(get, path = "/v1/companies/{company_id}/pay_schedules/{pay_schedule_id}", tag = "Pay schedules",
    params(
        ("company_id" = Uuid, Path, description = "The company of the token"),
        ("pay_schedule_id" = Uuid, Path, description = "The pay schedule")),
    responses((status = 200, description = "The pay schedule", body = PaySchedule)),
    security(("company_access" = ["pay_schedules:read"])))]
async fn get_pay_schedule(
    State(app): State<App>,
    call: Call,
    Path(ids): Path<(Id, Id)>,
) -> Result<Response, Error> {
    let (_, Id(id)) = ids;
    app.read(call, move |tx, caller| service::get(tx, caller, id)).await
}

/// Update a pay schedule
///
/// What is left out stays. With `auto_payroll` its payrolls are calculated and submitted without anybody's doing.
#[utoipa::path(put, path = "/v1/companies/{company_id}/pay_schedules/{pay_schedule_id}", tag = "Pay schedules",
    params(
        ("company_id" = Uuid, Path, description = "The company of the token"),
        ("pay_schedule_id" = Uuid, Path, description = "The pay schedule")),
    request_body = UpdatePaySchedule,
    responses((status = 200, description = "The pay schedule as updated", body = PaySchedule)),
    security(("company_access" = ["pay_schedules:write"])))]
async fn update_pay_schedule(
    State(app): State<App>,
    call: Call,
    Path(ids): Path<(Id, Id)>,
    Input(input): Input<UpdatePaySchedule>,
) -> Result<Response, Error> {
    let (_, Id(id)) = ids;
    app.write(call, StatusCode::OK, move |tx, caller| service::update(tx, caller, id, &input)).await
}
