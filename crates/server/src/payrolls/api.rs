//! Operations on payrolls, and their shapes.

use axum::extract::State;
use axum::response::Response;
use rules::{Checks, check};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use super::periods;
use crate::app::App;
use crate::error::Error;
use crate::http::Call;
use crate::paging::Query;

/// Operations on payrolls.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(list_pay_periods))
}

/// A pay period with its payroll.
#[derive(Debug, Serialize, ToSchema)]
pub struct PayPeriod {
    /// YYYY-MM-DD: first day
    pub start_date: String,
    /// YYYY-MM-DD: last day
    pub end_date: String,
    /// the schedule that it follows from
    pub pay_schedule_uuid: Option<Uuid>,
    /// its payroll
    pub payroll: PeriodPayroll,
}

/// The payroll of a pay period.
#[derive(Debug, Serialize, ToSchema)]
pub struct PeriodPayroll {
    /// identifier; null for a period that has not begun
    pub payroll_uuid: Option<Uuid>,
    /// YYYY-MM-DD: when employees are paid
    pub check_date: String,
    /// whether it was processed
    pub processed: bool,
    /// until when it can be submitted
    pub payroll_deadline: String,
    /// always `regular`
    pub payroll_type: &'static str,
}

/// List the pay periods of a company
#[utoipa::path(get, path = "/v1/companies/{company_id}/pay_periods", tag = "Pay schedules",
    params(
        ("company_id" = Uuid, Path, description = "The company of the token"),
        ("start_date" = Option<String>, Query, description = "YYYY-MM-DD: the first day; six months back when left out"),
        ("end_date" = Option<String>, Query, description = "YYYY-MM-DD: the last day, at most three months ahead; today when left out"),
        ("payroll_types" = Option<String>, Query, description = "regular, transition, or both separated by a comma; regular when left out")),
    responses((status = 200, description = "The pay periods", body = Vec<PayPeriod>)),
    security(("company_access" = ["payrolls:read"])))]
async fn list_pay_periods(State(app): State<App>, call: Call, query: Query) -> Result<Response, Error> {
    let mut checks = Checks::new();
    let start = query.text("start_date").and_then(|day| checks.take(check::date("start_date", day)));
    let end = query.text("end_date").and_then(|day| checks.take(check::date("end_date", day)));
    let types = query.words("payroll_types", &["regular", "transition"], &mut checks);
    checks.finish()?;
    let regular = types.is_empty() || types.contains(&"regular");
    app.read(call, move |tx, caller| periods::list(tx, caller, (start, end), regular)).await
}
