//! The search for occupations.

pub mod wire;

use axum::extract::State;
use axum::response::Response;
use domain::salary::occupations::service;
use rules::Checks;
use utoipa::openapi::Schema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::wire::FoundOccupation;
use crate::app::App;
use crate::error::Error;
use crate::http::Call;
use crate::query;
use crate::query::{Parameter, Query};

/// Operations on occupations.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(search_occupations))
}

query! {
    /// The search.
    SearchOccupations {
        /// Code or words, at least 3 characters
        #[example = "bookkeeper"]
        search: Search,
        ..page
    }
}

/// The words that are long enough to search for.
#[derive(Debug, Clone)]
pub struct Search(Option<String>);

impl Parameter for Search {
    fn read_parameter(query: &Query, key: &str, checks: &mut Checks) -> Self {
        let text = query.text_value(key);
        if let Some(text) = text {
            checks.take_value(service::check_search(text));
        }
        Self(text.map(str::to_owned))
    }
    fn schema() -> Schema {
        Option::<String>::schema()
    }
}

/// Search for an occupation
///
/// By code, or by words or beginnings of words in any order: first every occupation whose name contains them, then every
/// one whose description does, then those found by alternate titles or despite small typing errors. Without `search`:
/// every occupation, by code.
#[utoipa::path(get, path = "/v1/salary_estimates/occupations", tag = "Salary estimates",
    params(SearchOccupations),
    responses((status = 200, description = "The matches, best first", body = Vec<FoundOccupation>)),
    security(("system_access" = ["salary_estimates:read"]), ("company_access" = ["salary_estimates:read"])))]
async fn search_occupations(
    State(app): State<App>,
    call: Call,
    query: SearchOccupations,
) -> Result<Response, Error> {
    let vintage = app.reference.occupations.current().await?;
    app.list_json(call, move |_, _| {
        let found = service::list_occupations(&vintage.data, query.search.0.as_deref(), query.page);
        Ok(found.map(FoundOccupation::from))
    })
    .await
}
