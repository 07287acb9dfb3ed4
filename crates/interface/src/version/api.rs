//! The operation that tells what differs between two versions. It is documentation, so it needs no token.

use axum::Json;
use rules::{Category, Checks, Violation};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::Difference;
use crate::app::App;
use crate::error::Error;
use crate::query::Query;
use domain::version::ApiVersion;

/// Operations on versions.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(diff_versions))
}

/// What changes for a client that moves from one version to another.
#[derive(Debug, Serialize, ToSchema)]
pub struct VersionDiff {
    /// the version that the client asks for today
    pub from: &'static str,
    /// the version that it will ask for
    pub to: &'static str,
    /// every difference on the way, oldest first; none where both are the same
    pub changes: Vec<Difference>,
}

/// See what changes between two date versions
///
/// Every difference that the service makes between the two, the operations that it touches, and what a client does
/// about it. It is documentation: no token is needed, and a version header is not read.
#[utoipa::path(get, path = "/v1/versions/diff", tag = "Versions",
    params(
        ("from" = String, Query, description = "The older version, such as 2025-06-15"),
        ("to" = String, Query, description = "The newer version, or the same one; such as 2026-06-15")),
    responses((status = 200, description = "What changes", body = VersionDiff),
              (status = 422, description = "A version is missing or not served, or the order is reversed", body = crate::openapi::ErrorAnswer)))]
async fn diff_versions(query: Query) -> Result<Json<VersionDiff>, Error> {
    let mut checks = Checks::new();
    let (from, to) = (named(&query, "from", &mut checks), named(&query, "to", &mut checks));
    checks.finish()?;
    let (Some(from), Some(to)) = (from, to) else { return Err(Error::Internal) };
    if to.is_before(from) {
        let (from, to) = (from.as_str(), to.as_str());
        let message = format!("from must not be newer than to: ask for from={to}&to={from}");
        return Err(Violation::new("from", Category::InvalidParameter, message).into());
    }
    Ok(Json(VersionDiff { from: from.as_str(), to: to.as_str(), changes: super::between(from, to) }))
}

/// The version that a parameter names.
fn named(query: &Query, key: &str, checks: &mut Checks) -> Option<ApiVersion> {
    let served = ApiVersion::ALL.map(ApiVersion::as_str).join(", ");
    let found = match query.text(key) {
        None => {
            let message = format!("{key} is needed: one of the versions {served}");
            Err(Violation::missing(key, message))
        }
        Some(text) => ApiVersion::parse(text).ok_or_else(|| {
            let message = format!("{key} must be one of the versions {served}");
            Violation::new(key, Category::InvalidParameter, message)
        }),
    };
    checks.take(found)
}
