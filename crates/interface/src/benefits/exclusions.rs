//! Operations on the earning types that a retirement plan excludes.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::benefits::service::exclusions;
use domain::pay::payrolls::record::kinds::ENTERED_FIXED;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use crate::app::App;
use crate::error::Error;
use crate::field::{Field, List};
use crate::http::{Call, Id, Input};
use crate::input;
use crate::values::{IdText, LineText};

/// Operations on the earning types that a retirement plan excludes.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(list_contribution_exclusions, update_contribution_exclusions))
}

input! {
    /// Which pay counts for deductions and contributions in percent.
    UpdateContributionExclusions => exclusions::UpdateExclusions {
        /// at most 200 earning types; omitted ones are unchanged
        #[schema(required)]
        contribution_exclusions: List<UpdateContributionExclusion>,
    }

    /// Whether an earning type is excluded.
    UpdateContributionExclusion => exclusions::UpdateExclusion {
        /// the earning type
        #[schema(required)]
        contribution_uuid: IdText,
        /// its name, as it was read; ignored
        #[schema(nullable)]
        contribution_type: LineText,
        /// whether its pay is excluded
        #[schema(required)]
        excluded: bool,
    }
}

/// An earning type, and whether the plan excludes it.
#[derive(Debug, Serialize, ToSchema)]
pub struct ContributionExclusion {
    /// the earning type
    pub contribution_uuid: Uuid,
    /// its name: `Regular` (salaries and regular hours), `Overtime`, `Paid Time Off`, or that of an earning type
    pub contribution_type: String,
    /// whether its pay is excluded
    pub excluded: bool,
}

impl From<exclusions::Exclusion> for ContributionExclusion {
    fn from(one: exclusions::Exclusion) -> Self {
        Self { contribution_uuid: one.earning_type, contribution_type: one.name, excluded: one.excluded }
    }
}

/// List which earning types a retirement plan excludes
///
/// For a 401(k) or a Roth 401(k): every earning type, and whether it is excluded from deductions and contributions in
/// percent and from the thresholds of tiers. Initially nothing is excluded. 422 for other benefit types.
#[utoipa::path(get, path = "/v1/company_benefits/{company_benefit_id}/contribution_exclusions", tag = "Company benefits",
    params(("company_benefit_id" = Uuid, Path, description = "The benefit")),
    responses((status = 200, description = "Every earning type", body = Vec<ContributionExclusion>)),
    security(("company_access" = ["company_benefits:read"])))]
async fn list_contribution_exclusions(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.read_all(call, move |tx, caller| {
        let found = exclusions::list_exclusions(tx, caller, id, &ENTERED_FIXED)?;
        Ok(found.into_iter().map(ContributionExclusion::from).collect())
    })
    .await
}

/// Set which earning types a retirement plan excludes
///
/// For a 401(k) or a Roth 401(k). Exclusions do not affect amounts in dollars or legal limits. Payrolls that were
/// calculated keep what they were calculated with.
#[utoipa::path(put, path = "/v1/company_benefits/{company_benefit_id}/contribution_exclusions", tag = "Company benefits",
    params(("company_benefit_id" = Uuid, Path, description = "The benefit")),
    request_body = UpdateContributionExclusions,
    responses((status = 200, description = "Every earning type", body = Vec<ContributionExclusion>)),
    security(("company_access" = ["company_benefits:write"])))]
async fn update_contribution_exclusions(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<UpdateContributionExclusions>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        let found = exclusions::update_exclusions(tx, caller, id, &command, &ENTERED_FIXED)?;
        Ok(found.into_iter().map(ContributionExclusion::from).collect::<Vec<_>>())
    })
    .await
}
