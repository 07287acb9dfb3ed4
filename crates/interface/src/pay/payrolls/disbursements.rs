//! Operations on what a partner pays out itself, and on payrolls that were reversed: the service pays out, and reverses none.

use axum::extract::{Path, State};
use axum::response::Response;
use domain::paging::{Listed, Page};
use domain::pay::payrolls::service;
use domain::pay::payrolls::service::PayrollEmployee;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use crate::app::App;
use crate::error::Error;
use crate::http::{Call, Id};
use crate::query;

/// Operations on disbursements of a partner, and on reversals.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(list_payroll_reversals)).routes(routes!(get_partner_disbursements))
}

/// How a payment stands that the service makes.
const NOT_PARTNER_MANAGED: &str = "Not partner managed";

query! {
    /// Which reversals are listed.
    ListPayrollReversals { ..page }
}

/// A payroll that was reversed.
#[derive(Debug, Serialize, ToSchema)]
pub struct PayrollReversal {
    /// the payroll
    pub reversed_payroll_uuid: Uuid,
    /// the payroll in which it was reversed
    pub reversal_payroll_uuid: Option<Uuid>,
    /// why, in words of an administrator
    pub reason: String,
    /// when it was approved
    pub approved_at: Option<String>,
    /// why, as it was chosen
    pub category: Option<String>,
    /// whose pay was reversed
    pub reversed_employee_uuids: Vec<Uuid>,
}

/// Who pays the employees of a payroll.
#[derive(Debug, Serialize, ToSchema)]
pub struct PartnerDisbursements {
    /// the payroll
    pub payroll_uuid: Uuid,
    /// by employee
    pub disbursements: Vec<PartnerDisbursement>,
}

/// Who pays an employee.
#[derive(Debug, Serialize, ToSchema)]
pub struct PartnerDisbursement {
    /// the employee
    pub employee_uuid: Uuid,
    /// `Direct Deposit` or `Check`
    pub payment_method: String,
    /// `Not partner managed`: the service pays
    pub payment_status: &'static str,
}

impl PartnerDisbursement {
    /// The answer; nothing for somebody who is left out of the payroll.
    fn new(one: PayrollEmployee) -> Option<Self> {
        let entered = match &one.input {
            Some(input) if input.excluded => return None,
            Some(input) => input.entered.payment_method.clone(),
            None => None,
        };
        Some(Self {
            employee_uuid: one.member.id,
            payment_method: entered.unwrap_or(one.member.payment_method),
            payment_status: NOT_PARTNER_MANAGED,
        })
    }
}

/// List the payrolls of a company that were reversed
///
/// Empty: no payroll is reversed. One that was processed can be cancelled until its deadline, and corrected by another one after it.
#[utoipa::path(get, path = "/v1/companies/{company_id}/payroll_reversals", tag = "Payrolls",
    params(("company_id" = Uuid, Path, description = "The company of the token"), ListPayrollReversals),
    responses((status = 200, description = "The reversals: none", body = Vec<PayrollReversal>)),
    security(("company_access" = ["payrolls:read"])))]
async fn list_payroll_reversals(
    State(app): State<App>,
    call: Call,
    query: ListPayrollReversals,
) -> Result<Response, Error> {
    app.list(call, move |_, _| Ok(Listed::slice(query.page, Vec::<PayrollReversal>::new()))).await
}

/// Read who pays the employees of a payroll
///
/// The service: each payment is `Not partner managed`.
#[utoipa::path(get, path = "/v1/companies/{company_id}/payrolls/{payroll_id}/partner_disbursements", tag = "Payrolls",
    params(
        ("company_id" = Uuid, Path, description = "The company of the token"),
        ("payroll_id" = Uuid, Path, description = "The payroll")),
    responses((status = 200, description = "By employee", body = PartnerDisbursements)),
    security(("company_access" = ["partner_disbursements:read"])))]
async fn get_partner_disbursements(
    State(app): State<App>,
    call: Call,
    Path(ids): Path<(Id, Id)>,
) -> Result<Response, Error> {
    let id = ids.1.0;
    app.read(call, move |tx, caller| {
        let (details, _) = service::get(tx, caller, id, &[], Page::Whole)?;
        let disbursements = details.employees.into_iter().filter_map(PartnerDisbursement::new).collect();
        Ok(PartnerDisbursements { payroll_uuid: id, disbursements })
    })
    .await
}
