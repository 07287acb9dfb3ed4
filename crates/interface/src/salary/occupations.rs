//! The search for occupations, and its shape.

use axum::extract::State;
use axum::response::Response;
use domain::salary::occupations::shapes::FoundOccupation;
use rules::{Category, Checks, Violation};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::error::Error;
use crate::http::Call;
use crate::query::Query;
use domain::paging::Listed;
use domain::salary::occupations::code_text;
use domain::salary::occupations::data::Occupations;

/// Occupations that a search finds at the most.
const MOST_FOUND: usize = 100;

const LONGEST: usize = 200;

/// Characters of a search at the least and at the most.
const SHORTEST: usize = 3;

/// Operations on occupations.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(search_occupations))
}

fn shown(data: &Occupations, place: usize) -> FoundOccupation {
    let occupation = data.at(place);
    FoundOccupation {
        code: code_text(occupation.code),
        name: occupation.title.to_owned(),
        title: occupation.title.to_owned(),
        description: occupation.description.to_owned(),
    }
}

fn check(search: Option<&str>) -> Result<(), Vec<Violation>> {
    let mut checks = Checks::new();
    if let Some(search) = search {
        let length = search.trim().chars().count();
        checks.require((SHORTEST..=LONGEST).contains(&length), || {
            let message = format!("search must have {SHORTEST} to {LONGEST} characters");
            Violation::new("search", Category::InvalidParameter, message)
        });
    }
    checks.finish()
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
    checks.extend(check(search.as_deref()).err().unwrap_or_default());
    checks.finish()?;
    let vintage = app.reference.occupations.current().await?;
    app.list(call, move |_, _| {
        let data = &vintage.data;
        let found: Vec<usize> = match &search {
            Some(search) => data.search(search).into_iter().take(MOST_FOUND).collect(),
            None => (0..data.len()).collect(),
        };
        let Listed { items, paging } = Listed::slice(page, found);
        Ok(Listed { items: items.into_iter().map(|place| shown(data, place)).collect(), paging })
    })
    .await
}
