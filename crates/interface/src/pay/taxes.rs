//! Reference data on state and local taxes.

use axum::extract::{Path, State};
use axum::response::Response;
use domain::paging::Listed;
use domain::pay::payrolls::views::taxes;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::error::Error;
use crate::http::{Call, Id};
use crate::named::Enum;
use crate::pay::payrolls::wire::Jurisdiction;
use crate::query;
use crate::values::{TaxConfidence, TaxPayer};

/// Operations on taxes.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(list_taxes)).routes(routes!(list_employee_taxes))
}

query! {
    /// Which taxes are listed.
    ListTaxes {
        ..page
    }
}

/// A tax in the tables.
#[derive(Debug, Serialize, ToSchema)]
pub struct TaxRecord {
    /// stable code, such as `CA_SDI` or `CA_INCOME`
    pub code: String,
    /// its name on a pay stub
    pub label: String,
    /// the taxing authority
    pub jurisdiction: Jurisdiction,
    /// who pays it
    pub payer: TaxPayer,
    /// whether current paychecks calculate it
    pub supported: bool,
    /// YYYY-MM-DD: first check date that the tables cover; null if always
    #[schema(format = Date)]
    pub from: Option<String>,
    /// YYYY-MM-DD: last check date; null if still in force
    #[schema(format = Date)]
    pub to: Option<String>,
    /// source of the figures
    pub source: String,
    /// how reliable they are; null for a formula that a state has published
    pub confidence: Option<TaxConfidence>,
}

/// A tax that applies to an employee.
#[derive(Debug, Serialize, ToSchema)]
pub struct EmployeeTax {
    /// stable code, such as `CA_SDI` or `CA_INCOME`
    pub code: String,
    /// its name on a pay stub
    pub label: String,
    /// the taxing authority
    pub jurisdiction: Jurisdiction,
    /// who pays it
    pub payer: TaxPayer,
    /// whether paychecks calculate it
    pub worked_out: bool,
    /// why it applies to the employee, or why it is not calculated
    pub why: String,
}

impl From<taxes::Tax> for TaxRecord {
    fn from(tax: taxes::Tax) -> Self {
        Self {
            code: tax.code,
            label: tax.name,
            jurisdiction: tax.jurisdiction.into(),
            payer: Enum(tax.payer),
            supported: tax.supported,
            from: tax.from.map(|day| day.to_string()),
            to: tax.to.map(|day| day.to_string()),
            source: tax.source,
            confidence: tax.confidence.map(Enum),
        }
    }
}

impl From<taxes::EmployeeTax> for EmployeeTax {
    fn from(tax: taxes::EmployeeTax) -> Self {
        Self {
            code: tax.code,
            label: tax.name,
            jurisdiction: tax.jurisdiction.into(),
            payer: Enum(tax.payer),
            worked_out: tax.worked_out,
            why: tax.why,
        }
    }
}

/// List state and local taxes
///
/// An extension. Every tax in the tables, by code: state income taxes, insurance programs, unemployment insurance, and
/// taxes of counties, cities and districts.
#[utoipa::path(get, path = "/v1/taxes", tag = "Taxes",
    params(ListTaxes),
    responses((status = 200, description = "The taxes, by code", body = Vec<TaxRecord>)),
    security(("company_access" = ["payrolls:read"])))]
async fn list_taxes(State(app): State<App>, call: Call, query: ListTaxes) -> Result<Response, Error> {
    app.list_json(call, move |tx, caller| {
        Ok(Listed::slice(query.page, taxes::list_taxes(tx, caller)?).map(TaxRecord::from))
    })
    .await
}

/// List the state and local taxes that apply to an employee
///
/// An extension. As a payroll today would determine them from the addresses, certificates and employer's answers, with
/// the reason for each, and what is missing if one cannot be calculated.
#[utoipa::path(get, path = "/v1/employees/{employee_id}/taxes", tag = "Taxes",
    params(("employee_id" = Uuid, Path, description = "The employee")),
    responses((status = 200, description = "The taxes, by code", body = Vec<EmployeeTax>)),
    security(("company_access" = ["payrolls:read"])))]
async fn list_employee_taxes(
    State(app): State<App>,
    call: Call,
    Path(Id(employee)): Path<Id>,
) -> Result<Response, Error> {
    app.read_json(call, move |tx, caller| {
        let found = taxes::of_employee(tx, caller, employee)?;
        Ok(found.into_iter().map(EmployeeTax::from).collect::<Vec<_>>())
    })
    .await
}
