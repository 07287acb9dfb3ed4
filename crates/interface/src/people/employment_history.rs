//! The operation that tells from when to when somebody was employed.

use axum::extract::{Path, State};
use axum::response::Response;
use domain::people::employment_history;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::error::Error;
use crate::http::{Call, Id};

/// The operation.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(list_employment_history))
}

/// A time of employment.
#[derive(Debug, Serialize, ToSchema)]
pub struct Employment {
    /// YYYY-MM-DD: its first day
    #[schema(format = Date)]
    pub hire_date: String,
    /// YYYY-MM-DD: its last day; null while it lasts
    #[schema(format = Date)]
    pub termination_date: Option<String>,
    /// whether the employee owns more than 2 % of an S corporation
    pub two_percent_shareholder: bool,
}

impl From<employment_history::Employment> for Employment {
    fn from(employment: employment_history::Employment) -> Self {
        Self {
            hire_date: employment.hire_date.to_string(),
            termination_date: employment.termination_date.map(|day| day.to_string()),
            two_percent_shareholder: employment.two_percent_shareholder,
        }
    }
}

/// List from when to when somebody was employed
///
/// One row for each time of employment; empty before there is a job.
#[utoipa::path(get, path = "/v1/employees/{employee_id}/employment_history", tag = "Employees",
    params(("employee_id" = Uuid, Path, description = "The employee")),
    responses((status = 200, description = "The times of employment, the first one first", body = Vec<Employment>)),
    security(("company_access" = ["employments:read"])))]
async fn list_employment_history(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.read_all(call, move |tx, caller| {
        Ok(employment_history::list(tx, caller, id)?.into_iter().map(Employment::from).collect())
    })
    .await
}
