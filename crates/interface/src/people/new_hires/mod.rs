//! New-hire reports to states.

pub mod query;
pub mod wire;

use axum::extract::State;
use axum::response::Response;
use domain::paging::AskedDays;
use domain::people::new_hires;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::query::ListNewHires;
use self::wire::NewHireReport;
use crate::app::App;
use crate::error::Error;
use crate::http::Call;

/// New-hire reports to states.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(list_new_hire_reports))
}

/// List new-hire reports
///
/// An extension. Every employee whose first day of work, or first day back, is in the range: the work state's deadline
/// for the report, the directory that receives it, and its content without the Social Security number. The service does
/// not send reports.
#[utoipa::path(get, path = "/v1/companies/{company_id}/new_hire_reports", tag = "Employment",
    params(
        ("company_id" = Uuid, Path, description = "The company of the token"),
        ListNewHires),
    responses((status = 200, description = "By first day", body = Vec<NewHireReport>)),
    security(("company_access" = ["employments:read"])))]
async fn list_new_hire_reports(
    State(app): State<App>,
    call: Call,
    query: ListNewHires,
) -> Result<Response, Error> {
    let days = AskedDays { from: query.start_date, until: query.end_date };
    app.read_all(call, move |tx, caller| {
        let (employer, found) = new_hires::list_reports(tx, caller, days)?;
        Ok(found.into_iter().map(|one| NewHireReport::new(&employer, one)).collect::<Vec<_>>())
    })
    .await
}
