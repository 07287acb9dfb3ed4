//! The operation that says what differs between two versions. It is documentation, so it needs no token.

use axum::Json;
use rules::{Category, Checks, Violation};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::Schema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::Difference;
use crate::app::App;
use crate::error::Error;
use crate::query::{Parameter, Query, wrong};
use crate::{named, query};
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
    /// every difference between them, oldest first; empty if both are the same
    pub changes: Vec<Difference>,
}

query! {
    /// Between which versions to look.
    DiffVersions {
        /// The older version, such as 2025-06-15
        from: Served,
        /// The newer version, or the same one; such as 2026-06-15
        to: Served,
    }
}

/// A served version. It is there once the query was read without a fault.
#[derive(Debug, Clone, Copy)]
pub struct Served(Option<ApiVersion>);

impl Parameter for Served {
    const REQUIRED: bool = true;
    fn read(query: &Query, key: &str, checks: &mut Checks) -> Self {
        let served = ApiVersion::ALL.map(ApiVersion::as_str).join(", ");
        let found = match query.text(key) {
            None => {
                let message = format!("{key} is needed: one of the versions {served}");
                Err(Violation::missing(key, message))
            }
            Some(text) => ApiVersion::parse(text)
                .ok_or_else(|| wrong(key, &format!("must be one of the versions {served}"))),
        };
        Self(checks.take(found))
    }
    fn schema() -> Schema {
        named::schema_of_names(&ApiVersion::ALL.map(ApiVersion::as_str))
    }
}

/// See what changes between two date versions
///
/// Every difference that the service makes between the two, the operations that it touches, and what a client does
/// about it. It is documentation: no token is needed, and a version header is not read.
#[utoipa::path(get, path = "/v1/versions/diff", tag = "Versions",
    params(DiffVersions),
    responses((status = 200, description = "What changes", body = VersionDiff),
              (status = 422, description = "A version is missing or not served, or the order is reversed", body = crate::openapi::ErrorAnswer)))]
async fn diff_versions(query: DiffVersions) -> Result<Json<VersionDiff>, Error> {
    let (Some(from), Some(to)) = (query.from.0, query.to.0) else {
        return Err(Error::internal("a version is missing that was checked"));
    };
    if to.is_before(from) {
        let (from, to) = (from.as_str(), to.as_str());
        let message = format!("from must not be newer than to: ask for from={to}&to={from}");
        return Err(Violation::new("from", Category::InvalidParameter, message).into());
    }
    Ok(Json(VersionDiff { from: from.as_str(), to: to.as_str(), changes: super::between(from, to) }))
}
