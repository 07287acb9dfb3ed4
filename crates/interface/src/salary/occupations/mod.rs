//! The search for occupations.

pub mod wire;

use axum::extract::State;
use axum::response::Response;
use domain::salary::occupations::service;
use rules::Checks;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::wire::FoundOccupation;
use crate::app::App;
use crate::error::Error;
use crate::http::Call;
use crate::query::Query;

/// Operations on occupations.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(search_occupations))
}

/// Find the occupation that somebody means
///
/// By code, by words of titles and alternate titles in any order, by beginnings of words; small typing errors are
/// forgiven. The best come first, at most 100. Without `search`: every occupation, by code.
#[utoipa::path(get, path = "/v1/salary_estimates/occupations", tag = "Salary estimates",
    params(
        ("search" = Option<String>, Query, description = "Code or words, at least 3 characters", example = "bookkeeper"),
        ("page" = Option<i64>, Query, description = "Number of the page, from 1"),
        ("per" = Option<i64>, Query, description = "Rows on a page, 1 to 100; 25 when only page is given")),
    responses((status = 200, description = "What was found, the best first", body = Vec<FoundOccupation>)),
    security(("system_access" = ["salary_estimates:read"]), ("company_access" = ["salary_estimates:read"])))]
async fn search_occupations(State(app): State<App>, call: Call, query: Query) -> Result<Response, Error> {
    let mut checks = Checks::new();
    let page = query.page(&mut checks);
    let search = query.text("search").map(str::to_owned);
    if let Some(search) = &search {
        checks.take(service::check(search));
    }
    checks.finish()?;
    let vintage = app.reference.occupations.current().await?;
    app.list(call, move |_, _| {
        Ok(service::list(&vintage.data, search.as_deref(), page).map(FoundOccupation::from))
    })
    .await
}
