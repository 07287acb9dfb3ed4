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
use crate::query::{Parameter, Query, parameter_violation};
use crate::{named, query};
use domain::version::ApiVersion;

/// Operations on versions.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(diff_versions))
}

/// The differences for a client that migrates from one version to another.
#[derive(Debug, Serialize, ToSchema)]
pub struct VersionDiff {
    /// the client's current version
    pub from: &'static str,
    /// the client's future version
    pub to: &'static str,
    /// every difference, oldest first; empty if both versions are the same
    pub changes: Vec<Difference>,
}

query! {
    /// The versions to compare.
    DiffVersions {
        /// The older version, such as 2025-06-15
        from: Served,
        /// The newer version, such as 2026-06-15; may be the same one
        to: Served,
    }
}

/// A supported version. It is present once the query was parsed without errors.
#[derive(Debug, Clone, Copy)]
pub struct Served(Option<ApiVersion>);

impl Parameter for Served {
    const REQUIRED: bool = true;
    fn read_parameter(query: &Query, key: &str, checks: &mut Checks) -> Self {
        let served = ApiVersion::ALL.map(ApiVersion::as_str).join(", ");
        let found = match query.text_value(key) {
            None => {
                let message = format!("{key} is needed: one of the versions {served}");
                Err(Violation::missing(key, message))
            }
            Some(text) => ApiVersion::parse(text)
                .ok_or_else(|| parameter_violation(key, &format!("must be one of the versions {served}"))),
        };
        Self(checks.take_value(found))
    }
    fn schema() -> Schema {
        named::schema_of_names(&ApiVersion::ALL.map(ApiVersion::as_str))
    }
}

/// List what changes between two date versions
///
/// Every difference between the two, the operations affected, and what a client has to do. This is documentation: no
/// token is needed, and a version header is ignored.
#[utoipa::path(get, path = "/v1/versions/diff", tag = "Versions",
    params(DiffVersions),
    responses((status = 200, description = "What changes", body = VersionDiff),
              (status = 422, description = "A version is missing or unsupported, or the order is reversed", body = crate::openapi::ErrorAnswer)))]
async fn diff_versions(query: DiffVersions) -> Result<Json<VersionDiff>, Error> {
    let (Some(from), Some(to)) = (query.from.0, query.to.0) else {
        return Err(Error::internal("a version is missing that was checked"));
    };
    if to.is_before(from) {
        let (from, to) = (from.as_str(), to.as_str());
        let message = format!("from must not be newer than to: ask for from={to}&to={from}");
        return Err(Violation::new("from", Category::InvalidParameter, message).into());
    }
    Ok(Json(VersionDiff {
        from: from.as_str(),
        to: to.as_str(),
        changes: super::differences_between(from, to),
    }))
}
