//! Operations on the supported benefit types and on a company's benefits.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::benefits::service::{bulk, company, employee, summary, supported};
use rules::Checks;
use rules::payroll::benefits::kind;
use utoipa::openapi::Schema;
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, Type};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::wire::{
    BenefitSummary, BenefitTypeRequirements, CompanyBenefit, CompanyBenefitWithEmployeeBenefits,
    CreateCompanyBenefit, EmployeeBenefit, SupportedBenefit, UpdateCompanyBenefit,
    UpdateManyEmployeeBenefits,
};
use super::{BenefitInclude, Day};
use crate::app::App;
use crate::error::Error;
use crate::http::{Call, Id, Input};
use crate::named::Enum;
use crate::query;
use crate::query::{Parameter, Query, parameter_violation};

/// Operations on the supported benefit types and on a company's benefits.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_supported_benefits))
        .routes(routes!(get_supported_benefit))
        .routes(routes!(get_benefit_requirements))
        .routes(routes!(list_company_benefits, create_company_benefit))
        .routes(routes!(get_company_benefit, update_company_benefit, delete_company_benefit))
        .routes(routes!(get_company_benefit_summary))
        .routes(routes!(list_employee_benefits_of_company_benefit, update_many_employee_benefits))
}

/// List the supported benefit types
///
/// The types are the same for every company. Send a type's number as `benefit_type` to create a company benefit of it.
#[utoipa::path(get, path = "/v1/benefits", tag = "Company benefits",
    responses((status = 200, description = "The types, by number", body = Vec<SupportedBenefit>)),
    security(("company_access" = ["benefits:read"])))]
async fn list_supported_benefits(State(app): State<App>, call: Call) -> Result<Response, Error> {
    app.read_all(call, |_, caller| {
        Ok(kind::ALL.iter().map(|kind| SupportedBenefit::new(caller, kind)).collect::<Vec<_>>())
    })
    .await
}

/// Read a benefit type
///
/// Its name, its category, and its tax treatment.
#[utoipa::path(get, path = "/v1/benefits/{benefit_id}", tag = "Company benefits",
    params(("benefit_id" = String, Path, description = "The number of the benefit type")),
    responses((status = 200, description = "The type", body = SupportedBenefit)),
    security(("company_access" = ["benefits:read"])))]
async fn get_supported_benefit(
    State(app): State<App>,
    call: Call,
    Path(id): Path<String>,
) -> Result<Response, Error> {
    app.read_json(call, move |_, caller| {
        Ok(SupportedBenefit::new(caller, supported::find_supported_type(&id)?))
    })
    .await
}

/// Read which fields the records of a benefit type need
///
/// The fields that your form has to ask for, with their defaults.
#[utoipa::path(get, path = "/v1/benefits/{benefit_id}/requirements", tag = "Company benefits",
    params(("benefit_id" = String, Path, description = "The number of the benefit type")),
    responses((status = 200, description = "By field", body = BenefitTypeRequirements)),
    security(("company_access" = ["benefits:read"])))]
async fn get_benefit_requirements(
    State(app): State<App>,
    call: Call,
    Path(id): Path<String>,
) -> Result<Response, Error> {
    app.read_json(call, move |_, _| Ok(BenefitTypeRequirements::new(supported::find_supported_type(&id)?)))
        .await
}

query! {
    /// Which benefits are listed.
    ListCompanyBenefits {
        /// true for active benefits only, false for inactive ones only
        active: Option<bool>,
        /// Only these benefit types: their numbers, separated by commas
        benefit_type: Types,
        /// Whether to include the number of enrolled employees
        enrollment_count: bool,
    }

    /// What is included with a benefit.
    GetCompanyBenefit {
        /// Whether to include the employees' records; also requires the scope employee_benefits:read
        with_employee_benefits: bool,
        /// all_benefits: with with_employee_benefits every record of each employee, not only the current one
        include: Vec<Enum<BenefitInclude>>,
    }

    /// Which payrolls are summed.
    GetCompanyBenefitSummary {
        /// First check date; defaults to the first day of end_date's year, or of the current year
        start_date: Day,
        /// Last check date; defaults to the last day of that year
        end_date: Day,
        /// Whether to include each payroll of each employee
        detailed: bool,
    }

    /// Which records are listed.
    ListEmployeeBenefitsOfCompanyBenefit {
        /// all_benefits: every record of each employee, not only the current one
        include: Vec<Enum<BenefitInclude>>,
        ..page
    }
}

/// Numbers of benefit types.
#[derive(Debug, Clone)]
pub struct Types(Option<Vec<i64>>);

impl Parameter for Types {
    fn read_parameter(query: &Query, key: &str, checks: &mut Checks) -> Self {
        let given: Vec<&str> = query.list_values(key).flat_map(|text| text.split(',')).collect();
        if given.is_empty() {
            return Self(None);
        }
        let read: Option<Vec<i64>> = given.into_iter().map(|number| number.trim().parse().ok()).collect();
        if read.is_none() {
            checks.push(parameter_violation(key, "must be numbers of types, separated by commas"));
        }
        Self(read)
    }
    fn schema() -> Schema {
        ArrayBuilder::new().items(ObjectBuilder::new().schema_type(Type::Integer)).into()
    }
}

/// List a company's benefits
///
/// With `enrollment_count` each one includes the number of employees enrolled today.
#[utoipa::path(get, path = "/v1/companies/{company_id}/company_benefits", tag = "Company benefits",
    params(
        ("company_id" = Uuid, Path, description = "The company"),
        ListCompanyBenefits),
    responses((status = 200, description = "The benefits", body = Vec<CompanyBenefit>)),
    security(("company_access" = ["company_benefits:read"])))]
async fn list_company_benefits(
    State(app): State<App>,
    call: Call,
    query: ListCompanyBenefits,
) -> Result<Response, Error> {
    let filter = company::CompanyBenefitFilter {
        active: query.active,
        types: query.benefit_type.0,
        enrollment_count: query.enrollment_count,
    };
    app.read_all(call, move |tx, caller| {
        let found = company::list_company_benefits(tx, caller, &filter)?.into_iter();
        Ok(found.map(|benefit| CompanyBenefit::new(caller.company, benefit)).collect::<Vec<_>>())
    })
    .await
}

/// Create a company benefit
///
/// The benefit type determines which fields the employees' records have.
#[utoipa::path(post, path = "/v1/companies/{company_id}/company_benefits", tag = "Company benefits",
    params(("company_id" = Uuid, Path, description = "The company")),
    request_body = CreateCompanyBenefit,
    responses((status = 201, description = "The new benefit", body = CompanyBenefit)),
    security(("company_access" = ["company_benefits:write"])))]
async fn create_company_benefit(
    State(app): State<App>,
    call: Call,
    Input(input): Input<CreateCompanyBenefit>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::CREATED, move |tx, caller| {
        Ok(CompanyBenefit::new(caller.company, company::create_company_benefit(tx, caller, &command)?))
    })
    .await
}

/// Read a company benefit
///
/// With `with_employee_benefits` it includes the employees' records.
#[utoipa::path(get, path = "/v1/company_benefits/{company_benefit_id}", tag = "Company benefits",
    params(
        ("company_benefit_id" = Uuid, Path, description = "The benefit"),
        GetCompanyBenefit),
    responses((status = 200, description = "The benefit", body = CompanyBenefitWithEmployeeBenefits)),
    security(
        ("company_access" = ["company_benefits:read"]),
        ("company_access" = ["company_benefits:read", "employee_benefits:read", "employee_benefits:read:phi"])))]
async fn get_company_benefit(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    query: GetCompanyBenefit,
) -> Result<Response, Error> {
    let (employees, all) = (query.with_employee_benefits, !query.include.is_empty());
    app.read_json(call, move |tx, caller| {
        let details = company::get_company_benefit(tx, caller, id, employees, all)?;
        Ok(CompanyBenefitWithEmployeeBenefits::new(caller.company, details))
    })
    .await
}

/// Update a company benefit
///
/// Omitted fields keep their values. An inactive benefit is not deducted in payrolls, and employees cannot be enrolled in it.
#[utoipa::path(put, path = "/v1/company_benefits/{company_benefit_id}", tag = "Company benefits",
    params(("company_benefit_id" = Uuid, Path, description = "The benefit")),
    request_body = UpdateCompanyBenefit,
    responses((status = 200, description = "The benefit as updated", body = CompanyBenefit)),
    security(("company_access" = ["company_benefits:write"])))]
async fn update_company_benefit(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<UpdateCompanyBenefit>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        Ok(CompanyBenefit::new(caller.company, company::update_company_benefit(tx, caller, id, &command)?))
    })
    .await
}

/// Delete a company benefit that is not in use
///
/// While an employee has a record of it, it can only be made inactive.
#[utoipa::path(delete, path = "/v1/company_benefits/{company_benefit_id}", tag = "Company benefits",
    params(("company_benefit_id" = Uuid, Path, description = "The benefit")),
    responses((status = 204, description = "Deleted")),
    security(("company_access" = ["company_benefits:write"])))]
async fn delete_company_benefit(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.write_json(call, StatusCode::NO_CONTENT, move |tx, caller| {
        company::delete_company_benefit(tx, caller, id)
    })
    .await
}

/// Read the deductions and contributions of a company benefit
///
/// Sums over the processed payrolls whose check dates lie in the range.
#[utoipa::path(get, path = "/v1/company_benefits/{company_benefit_id}/summary", tag = "Company benefits",
    params(
        ("company_benefit_id" = Uuid, Path, description = "The benefit"),
        GetCompanyBenefitSummary),
    responses((status = 200, description = "The sums", body = BenefitSummary)),
    security(("company_access" = ["company_benefits:read"])))]
async fn get_company_benefit_summary(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    query: GetCompanyBenefitSummary,
) -> Result<Response, Error> {
    let filter =
        summary::SummaryFilter { start: query.start_date.0, end: query.end_date.0, detailed: query.detailed };
    app.read_json(call, move |tx, caller| {
        Ok(BenefitSummary::new(summary::benefit_summary(tx, caller, id, filter)?, query.detailed))
    })
    .await
}

/// List the employees' records of a company benefit
///
/// Each employee's current record, or the latest one; with include=all_benefits every record.
#[utoipa::path(get, path = "/v1/company_benefits/{company_benefit_id}/employee_benefits", tag = "Employee benefits",
    params(
        ("company_benefit_id" = Uuid, Path, description = "The benefit"),
        ListEmployeeBenefitsOfCompanyBenefit),
    responses((status = 200, description = "The records", body = Vec<EmployeeBenefit>)),
    security(("company_access" = ["employee_benefits:read"])))]
async fn list_employee_benefits_of_company_benefit(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    query: ListEmployeeBenefitsOfCompanyBenefit,
) -> Result<Response, Error> {
    let all = !query.include.is_empty();
    app.list_json(call, move |tx, caller| {
        Ok(employee::list_of_benefit(tx, caller, id, all, query.page)?.map(EmployeeBenefit::from))
    })
    .await
}

/// Create or update many employees' records: all or none
///
/// One invalid item refuses the whole list; the error names it by its index. Each employee may appear only once.
#[utoipa::path(put, path = "/v1/company_benefits/{company_benefit_id}/employee_benefits", tag = "Employee benefits",
    params(("company_benefit_id" = Uuid, Path, description = "The benefit")),
    request_body = UpdateManyEmployeeBenefits,
    responses((status = 200, description = "The records, in the order of the items", body = Vec<EmployeeBenefit>)),
    security(("company_access" = ["employee_benefits:write"])))]
async fn update_many_employee_benefits(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    Input(input): Input<UpdateManyEmployeeBenefits>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        let records = bulk::update_employee_benefits(tx, caller, id, &command)?.into_iter();
        Ok(records.map(EmployeeBenefit::from).collect::<Vec<_>>())
    })
    .await
}
