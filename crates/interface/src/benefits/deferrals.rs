//! Operations on what affects the limits of an employee's deferrals: high earner status, and amounts at another
//! company.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::benefits::{high_earners, other_companies};
use domain::patch::Patch;
use rules::Amount;
use rules::payroll::benefits::BenefitToDate;
use rules::{Checks, Violation};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use crate::app::App;
use crate::error::Error;
use crate::field::Field;
use crate::http::{Call, Id, Input};
use crate::values::Decimal;
use crate::{input, query};

/// Operations on the limits of an employee's deferrals.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_high_earner_statuses, create_high_earner_status))
        .routes(routes!(get_high_earner_status, update_high_earner_status))
        .routes(routes!(list_amounts_from_different_company, put_amounts_from_different_company))
}

input! {
    /// Whether a year's catch-up contributions must be Roth contributions.
    CreateHighEarnerStatus => high_earners::Decide {
        /// the year of the contributions
        #[schema(required)]
        effective_year: i64,
        /// whether they must be
        #[schema(required)]
        is_high_earner: bool,
    }

    /// Whether the year's catch-up contributions must be Roth contributions.
    UpdateHighEarnerStatus => high_earners::DecideAnew {
        /// whether they must be
        #[schema(required)]
        is_high_earner: bool,
    }

    /// A benefit's deductions and contributions at another company in a year.
    PutAmountsFromDifferentCompany => other_companies::PutAmounts {
        /// number of its benefit type: 5, a 401(k)
        #[schema(required)]
        benefit_type: i64,
        /// the year
        #[schema(required)]
        tax_year: i64,
        /// dollars deducted from the employee; 0.00 by default
        #[schema(nullable, value_type = Decimal)]
        ytd_employee_deduction_amount: Amount,
        /// dollars contributed by the company; 0.00 by default
        #[schema(nullable, value_type = Decimal)]
        ytd_company_contribution_amount: Amount,
    }
}

query! {
    /// The year of the list.
    ListAmountsFromDifferentCompany {
        /// from 2000 to 2999; defaults to this year
        tax_year: Patch<i64>,
    }
}

/// Whether a year's catch-up contributions must be Roth contributions (26 U.S.C. 414(v)(7)).
#[derive(Debug, Serialize, ToSchema)]
pub struct HighEarnerStatus {
    /// identifier
    pub id: String,
    /// the year of the contributions
    pub effective_year: i64,
    /// whether they must be
    pub is_high_earner: Option<bool>,
}

impl From<high_earners::HighEarnerStatus> for HighEarnerStatus {
    fn from(status: high_earners::HighEarnerStatus) -> Self {
        Self {
            id: status.id.to_string(),
            effective_year: status.year,
            is_high_earner: Some(status.is_high_earner),
        }
    }
}

/// A benefit's deductions and contributions at another company in a year.
#[derive(Debug, Serialize, ToSchema)]
pub struct AmountsFromDifferentCompany {
    /// identifier
    pub uuid: Uuid,
    /// number of its benefit type
    pub benefit_type: i64,
    /// decimal text, dollars deducted from the employee
    pub ytd_employee_deduction_amount: String,
    /// decimal text, dollars contributed by the company
    pub ytd_company_contribution_amount: String,
}

impl From<BenefitToDate<Uuid>> for AmountsFromDifferentCompany {
    fn from(amounts: BenefitToDate<Uuid>) -> Self {
        Self {
            uuid: amounts.company_benefit,
            benefit_type: amounts.code,
            ytd_employee_deduction_amount: amounts.deduction.to_text(2),
            ytd_company_contribution_amount: amounts.contribution.to_text(2),
        }
    }
}

/// List whether an employee's catch-up contributions must be Roth contributions
///
/// A row for each year with a recorded decision. For other years the status follows from the Social Security wages that
/// payrolls here paid in the previous year.
#[utoipa::path(get, path = "/v1/employees/{employee_uuid}/section603_high_earner_statuses", tag = "Employee benefits",
    params(("employee_uuid" = Uuid, Path, description = "The employee")),
    responses((status = 200, description = "By year", body = Vec<HighEarnerStatus>)),
    security(("company_access" = ["employee_benefits:read"])))]
async fn list_high_earner_statuses(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.read_all(call, move |tx, caller| {
        let found = high_earners::list_decisions(tx, caller, id)?;
        Ok(found.into_iter().map(HighEarnerStatus::from).collect::<Vec<_>>())
    })
    .await
}

/// Record whether an employee's catch-up contributions of a year must be Roth contributions
///
/// If they must, pre-tax deductions into a 401(k) or 403(b) stop at the general limit, and Roth deductions continue up
/// to the limit with catch-up contributions. 409 if the year has a decision already.
#[utoipa::path(post, path = "/v1/employees/{employee_uuid}/section603_high_earner_statuses", tag = "Employee benefits",
    params(("employee_uuid" = Uuid, Path, description = "The employee")),
    request_body = CreateHighEarnerStatus,
    responses((status = 201, description = "The status", body = HighEarnerStatus)),
    security(("company_access" = ["employee_benefits:write"])))]
async fn create_high_earner_status(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<CreateHighEarnerStatus>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::CREATED, move |tx, caller| {
        Ok(HighEarnerStatus::from(high_earners::create_decision(tx, caller, id, &command)?))
    })
    .await
}

/// The status of a year in a path.
#[derive(Debug, Deserialize)]
struct StatusPath {
    employee_uuid: Id,
    effective_year: String,
}

/// Read whether an employee's catch-up contributions of a year must be Roth contributions
///
/// 404 for a year without a recorded decision.
#[utoipa::path(get, path = "/v1/employees/{employee_uuid}/section603_high_earner_statuses/{effective_year}",
    tag = "Employee benefits",
    params(
        ("employee_uuid" = Uuid, Path, description = "The employee"),
        ("effective_year" = String, Path, description = "The year")),
    responses((status = 200, description = "The status", body = HighEarnerStatus)),
    security(("company_access" = ["employee_benefits:read"])))]
async fn get_high_earner_status(
    State(app): State<App>,
    call: Call,
    Path(status): Path<StatusPath>,
) -> Result<Response, Error> {
    let (Id(id), year) = (status.employee_uuid, status.effective_year);
    app.read_json(call, move |tx, caller| {
        Ok(HighEarnerStatus::from(high_earners::find_decision(tx, caller, id, &year)?))
    })
    .await
}

/// Change whether an employee's catch-up contributions of a year must be Roth contributions
///
/// Calculated payrolls are not affected.
#[utoipa::path(patch, path = "/v1/employees/{employee_uuid}/section603_high_earner_statuses/{effective_year}",
    tag = "Employee benefits",
    params(
        ("employee_uuid" = Uuid, Path, description = "The employee"),
        ("effective_year" = String, Path, description = "The year")),
    request_body = UpdateHighEarnerStatus,
    responses((status = 200, description = "The status", body = HighEarnerStatus)),
    security(("company_access" = ["employee_benefits:write"])))]
async fn update_high_earner_status(
    State(app): State<App>,
    call: Call,
    Path(status): Path<StatusPath>,
    Input(input): Input<UpdateHighEarnerStatus>,
) -> Result<Response, Error> {
    let (Id(id), year) = (status.employee_uuid, status.effective_year);
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        Ok(HighEarnerStatus::from(high_earners::update_decision(tx, caller, id, &year, &command)?))
    })
    .await
}

/// List an employee's benefit amounts at another company in a year
///
/// They count towards the legal limits, which apply per person.
#[utoipa::path(get, path = "/v1/employees/{employee_id}/ytd_benefit_amounts_from_different_company", tag = "Employee benefits",
    params(("employee_id" = Uuid, Path, description = "The employee"), ListAmountsFromDifferentCompany),
    responses((status = 200, description = "By type of benefit", body = Vec<AmountsFromDifferentCompany>)),
    security(("company_access" = ["employee_benefits:read"])))]
async fn list_amounts_from_different_company(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    query: ListAmountsFromDifferentCompany,
) -> Result<Response, Error> {
    app.read_all(call, move |tx, caller| {
        let mut checks = Checks::new();
        let year = query.tax_year.optional("tax_year", &mut checks, |key, year| {
            if other_companies::YEARS.contains(year) {
                return Ok(*year);
            }
            Err(Violation::invalid(key, format!("{key} must lie between 2000 and 2999")))
        });
        checks.finish()?;
        let found = other_companies::list_reported_contributions(tx, caller, id, year)?;
        Ok(found.into_iter().map(AmountsFromDifferentCompany::from).collect::<Vec<_>>())
    })
    .await
}

/// Report an employee's 401(k) amounts at another company in a year
///
/// Replaces what was reported for the year. Payrolls calculated afterwards stop at what remains of the year's limit.
#[utoipa::path(post, path = "/v1/employees/{employee_id}/ytd_benefit_amounts_from_different_company", tag = "Employee benefits",
    params(("employee_id" = Uuid, Path, description = "The employee")),
    request_body = PutAmountsFromDifferentCompany,
    responses((status = 204, description = "It counts")),
    security(("company_access" = ["employee_benefits:write"])))]
async fn put_amounts_from_different_company(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<PutAmountsFromDifferentCompany>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::NO_CONTENT, move |tx, caller| {
        other_companies::replace_contributions(tx, caller, id, &command)
    })
    .await
}
