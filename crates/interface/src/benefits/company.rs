//! Operations on supported benefits and on those of a company.

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
use crate::query::{Parameter, Query, wrong};

/// Operations on supported benefits and on those of a company.
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

/// List the types of benefits that can be offered
///
/// The types are the same for every company. Their numbers are sent as `benefit_type` when a company begins to offer
/// one.
#[utoipa::path(get, path = "/v1/benefits", tag = "Company benefits",
    responses((status = 200, description = "The types, by number", body = Vec<SupportedBenefit>)),
    security(("company_access" = ["benefits:read"])))]
async fn list_supported_benefits(State(app): State<App>, call: Call) -> Result<Response, Error> {
    app.read_all(call, |_, caller| {
        Ok(kind::ALL.iter().map(|kind| SupportedBenefit::new(caller, kind)).collect::<Vec<_>>())
    })
    .await
}

/// Read a type of benefit
///
/// Its name, its category, and how it is taxed.
#[utoipa::path(get, path = "/v1/benefits/{benefit_id}", tag = "Company benefits",
    params(("benefit_id" = String, Path, description = "Number of the type")),
    responses((status = 200, description = "The type", body = SupportedBenefit)),
    security(("company_access" = ["benefits:read"])))]
async fn get_supported_benefit(
    State(app): State<App>,
    call: Call,
    Path(id): Path<String>,
) -> Result<Response, Error> {
    app.read(call, move |_, caller| Ok(SupportedBenefit::new(caller, supported::find(&id)?))).await
}

/// Read which fields the records of a type ask for
///
/// Which fields a form of yours has to ask for, with the values that count when they are left out.
#[utoipa::path(get, path = "/v1/benefits/{benefit_id}/requirements", tag = "Company benefits",
    params(("benefit_id" = String, Path, description = "Number of the type")),
    responses((status = 200, description = "By field", body = BenefitTypeRequirements)),
    security(("company_access" = ["benefits:read"])))]
async fn get_benefit_requirements(
    State(app): State<App>,
    call: Call,
    Path(id): Path<String>,
) -> Result<Response, Error> {
    app.read(call, move |_, _| Ok(BenefitTypeRequirements::new(supported::find(&id)?))).await
}

query! {
    /// Which benefits are listed.
    ListCompanyBenefits {
        /// Only active, or only inactive ones
        active: Option<bool>,
        /// Only of these types: numbers separated by commas
        benefit_type: Types,
        /// Whether to count who is enrolled
        enrollment_count: bool,
    }

    /// What is shown of a benefit.
    GetCompanyBenefit {
        /// Whether to include the records of those who have it; needs the scope employee_benefits:read, too
        with_employee_benefits: bool,
        /// all_benefits: with with_employee_benefits every record, not only the present one of each employee
        include: Vec<Enum<BenefitInclude>>,
    }

    /// Which payrolls are summed up.
    GetCompanyBenefitSummary {
        /// First day of payment; when left out, the first of the year of end_date, or of this year
        start_date: Day,
        /// Last day of payment; the last of that year when left out
        end_date: Day,
        /// Whether to return each payroll of each employee
        detailed: bool,
    }

    /// Which records are listed.
    ListEmployeeBenefitsOfCompanyBenefit {
        /// all_benefits: every record, not only the present one of each employee
        include: Vec<Enum<BenefitInclude>>,
        ..page
    }
}

/// Numbers of types of benefits.
#[derive(Debug, Clone)]
pub struct Types(Option<Vec<i64>>);

impl Parameter for Types {
    fn read(query: &Query, key: &str, checks: &mut Checks) -> Self {
        let given: Vec<&str> = query.given(key).flat_map(|text| text.split(',')).collect();
        if given.is_empty() {
            return Self(None);
        }
        let read: Option<Vec<i64>> = given.into_iter().map(|number| number.trim().parse().ok()).collect();
        if read.is_none() {
            checks.push(wrong(key, "must be numbers of types, separated by commas"));
        }
        Self(read)
    }
    fn schema() -> Schema {
        ArrayBuilder::new().items(ObjectBuilder::new().schema_type(Type::Integer)).into()
    }
}

/// List the benefits that a company offers
///
/// With `enrollment_count` each one says how many employees have it today.
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
    let filter = company::Filter {
        active: query.active,
        types: query.benefit_type.0,
        enrollment_count: query.enrollment_count,
    };
    app.read_all(call, move |tx, caller| {
        let found = company::list(tx, caller, &filter)?.into_iter();
        Ok(found.map(|benefit| CompanyBenefit::new(caller.company, benefit)).collect::<Vec<_>>())
    })
    .await
}

/// Create a benefit that the company offers
///
/// The type decides which fields the records of employees have.
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
    app.write(call, StatusCode::CREATED, move |tx, caller| {
        Ok(CompanyBenefit::new(caller.company, company::create(tx, caller, &command)?))
    })
    .await
}

/// Read a benefit that the company offers
///
/// With `with_employee_benefits` it includes the records of those who have it.
#[utoipa::path(get, path = "/v1/company_benefits/{company_benefit_id}", tag = "Company benefits",
    params(
        ("company_benefit_id" = Uuid, Path, description = "The benefit"),
        GetCompanyBenefit),
    responses((status = 200, description = "The benefit", body = CompanyBenefitWithEmployeeBenefits)),
    security(("company_access" = ["company_benefits:read"])))]
async fn get_company_benefit(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    query: GetCompanyBenefit,
) -> Result<Response, Error> {
    let (employees, all) = (query.with_employee_benefits, !query.include.is_empty());
    app.read(call, move |tx, caller| {
        let details = company::get(tx, caller, id, employees, all)?;
        Ok(CompanyBenefitWithEmployeeBenefits::new(caller.company, details))
    })
    .await
}

/// Update a benefit that the company offers
///
/// What is left out stays. An inactive benefit takes nothing from payrolls, and cannot be given to anybody.
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
    app.write(call, StatusCode::OK, move |tx, caller| {
        Ok(CompanyBenefit::new(caller.company, company::update(tx, caller, id, &command)?))
    })
    .await
}

/// Delete a benefit that nothing uses
///
/// As long as an employee has a record of it, it can only be made inactive.
#[utoipa::path(delete, path = "/v1/company_benefits/{company_benefit_id}", tag = "Company benefits",
    params(("company_benefit_id" = Uuid, Path, description = "The benefit")),
    responses((status = 204, description = "Deleted")),
    security(("company_access" = ["company_benefits:write"])))]
async fn delete_company_benefit(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.write(call, StatusCode::NO_CONTENT, move |tx, caller| company::delete(tx, caller, id)).await
}

/// Read what payrolls took and gave for a benefit
///
/// Sums of the processed payrolls that were paid within the days asked for.
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
        summary::Filter { start: query.start_date.0, end: query.end_date.0, detailed: query.detailed };
    app.read(call, move |tx, caller| {
        Ok(BenefitSummary::new(summary::get(tx, caller, id, filter)?, query.detailed))
    })
    .await
}

/// List the records of employees who have a benefit
///
/// The present record of each employee, or the latest one; with include=all_benefits every record.
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
    app.list(call, move |tx, caller| {
        Ok(employee::list_of_benefit(tx, caller, id, all, query.page)?.map(EmployeeBenefit::from))
    })
    .await
}

/// Create or update the records of many employees: all of them or none
///
/// One fault refuses the whole list, and names the item by its index. An employee may stand in it once.
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
    app.write(call, StatusCode::OK, move |tx, caller| {
        let records = bulk::update(tx, caller, id, &command)?.into_iter();
        Ok(records.map(EmployeeBenefit::from).collect::<Vec<_>>())
    })
    .await
}
