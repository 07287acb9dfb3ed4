//! Operations on what bears on the limits of an employee's deferrals: high earners, and amounts at another company.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::benefits::{high_earners, other_companies};
use domain::patch::Patch;
use rules::Amount;
use rules::payroll::benefits::BenefitToDate;
use rules::{Checks, Violation};
use serde::Serialize;
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
    /// Whether catch-up contributions of a year have to be Roth contributions.
    CreateHighEarnerStatus => high_earners::Decide {
        /// the year of the contributions
        #[schema(required)]
        effective_year: i64,
        /// whether they have to be
        #[schema(required)]
        is_high_earner: bool,
    }

    /// Whether catch-up contributions of the year have to be Roth contributions.
    UpdateHighEarnerStatus => high_earners::DecideAnew {
        /// whether they have to be
        #[schema(required)]
        is_high_earner: bool,
    }

    /// What a benefit at another company took and gave in a year.
    PutAmountsFromDifferentCompany => other_companies::PutAmounts {
        /// number of its type: 5, a 401(k)
        #[schema(required)]
        benefit_type: i64,
        /// the year
        #[schema(required)]
        tax_year: i64,
        /// dollars of the employee; 0.00 when left out
        #[schema(nullable, value_type = Decimal)]
        ytd_employee_deduction_amount: Amount,
        /// dollars of the company; 0.00 when left out
        #[schema(nullable, value_type = Decimal)]
        ytd_company_contribution_amount: Amount,
    }
}

query! {
    /// Which year is listed.
    ListAmountsFromDifferentCompany {
        /// from 2000 to 2999; this year when left out
        tax_year: Patch<i64>,
    }
}

/// Whether catch-up contributions of a year have to be Roth contributions (26 U.S.C. 414(v)(7)).
#[derive(Debug, Serialize, ToSchema)]
pub struct HighEarnerStatus {
    /// identifier
    pub id: String,
    /// the year of the contributions
    pub effective_year: i64,
    /// whether they have to be
    pub is_high_earner: Option<bool>,
}

impl From<high_earners::Status> for HighEarnerStatus {
    fn from(status: high_earners::Status) -> Self {
        Self {
            id: status.id.to_string(),
            effective_year: status.year,
            is_high_earner: Some(status.is_high_earner),
        }
    }
}

/// What a benefit at another company took and gave in a year.
#[derive(Debug, Serialize, ToSchema)]
pub struct AmountsFromDifferentCompany {
    /// identifier
    pub uuid: Uuid,
    /// number of its type
    pub benefit_type: i64,
    /// decimal text, dollars of the employee
    pub ytd_employee_deduction_amount: String,
    /// decimal text, dollars of the company
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

/// List whether an employee's catch-up contributions have to be Roth contributions
///
/// A row for each year that was decided. For other years the Social Security wages count that payrolls here have paid in the year
/// before.
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
        let found = high_earners::list(tx, caller, id)?;
        Ok(found.into_iter().map(HighEarnerStatus::from).collect::<Vec<_>>())
    })
    .await
}

/// Decide whether an employee's catch-up contributions of a year have to be Roth contributions
///
/// Deductions before taxes into a 401(k) or 403(b) then end at the limit of everybody; those after taxes go on to the limit with
/// catch-up contributions. 409 where the year was decided already.
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
    app.write(call, StatusCode::CREATED, move |tx, caller| {
        Ok(HighEarnerStatus::from(high_earners::create(tx, caller, id, &command)?))
    })
    .await
}

/// Read whether an employee's catch-up contributions of a year have to be Roth contributions
///
/// A year that was not decided is not found.
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
    Path(ids): Path<(Id, String)>,
) -> Result<Response, Error> {
    let (Id(id), year) = ids;
    app.read(call, move |tx, caller| Ok(HighEarnerStatus::from(high_earners::find(tx, caller, id, &year)?)))
        .await
}

/// Decide anew whether an employee's catch-up contributions of a year have to be Roth contributions
///
/// Payrolls that were calculated keep what they were calculated with.
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
    Path(ids): Path<(Id, String)>,
    Input(input): Input<UpdateHighEarnerStatus>,
) -> Result<Response, Error> {
    let (Id(id), year) = ids;
    let command = input.into();
    app.write(call, StatusCode::OK, move |tx, caller| {
        Ok(HighEarnerStatus::from(high_earners::update(tx, caller, id, &year, &command)?))
    })
    .await
}

/// List what an employee's benefits at another company took and gave in a year
///
/// It counts towards the limits that the law sets for the person.
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
        let found = other_companies::list(tx, caller, id, year)?;
        Ok(found.into_iter().map(AmountsFromDifferentCompany::from).collect::<Vec<_>>())
    })
    .await
}

/// Tell what an employee's 401(k) at another company took and gave in a year
///
/// In place of what was told of the year before. Payrolls that are calculated from now on stop at what the limit of the year leaves.
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
    app.write(call, StatusCode::NO_CONTENT, move |tx, caller| other_companies::put(tx, caller, id, &command))
        .await
}
