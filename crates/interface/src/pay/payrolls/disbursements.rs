//! Operations on payments that a partner makes itself, and on reversed payrolls, of which there are none.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::Response;
use domain::paging::Listed;
use domain::pay::payrolls::processing::disbursements::{self, Disbursed, UpdateDisbursements};
use rules::Named;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use crate::app::App;
use crate::error::Error;
use crate::field::{Field, List};
use crate::http::{Call, Id, Input};
use crate::values::{DisbursementMethodName, DisbursementStatusName, IdText};
use crate::{input, query};

/// Operations on a partner's disbursements, and on reversals.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_payroll_reversals))
        .routes(routes!(get_partner_disbursements, update_partner_disbursements))
}

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
    /// the reason, in an administrator's words
    pub reason: String,
    /// when it was approved
    pub approved_at: Option<String>,
    /// the selected reason
    pub category: Option<String>,
    /// the employees whose pay was reversed
    pub reversed_employee_uuids: Vec<Uuid>,
}

/// Who makes the payments of a payroll.
#[derive(Debug, Serialize, ToSchema)]
pub struct PartnerDisbursements {
    /// the payroll
    pub payroll_uuid: Uuid,
    /// by employee
    pub disbursements: Vec<PartnerDisbursement>,
}

/// Who pays an employee, and the status of the payment.
#[derive(Debug, Serialize, ToSchema)]
pub struct PartnerDisbursement {
    /// the employee
    pub employee_uuid: Uuid,
    /// how the employee is paid
    #[schema(value_type = DisbursementMethodName)]
    pub payment_method: &'static str,
    /// `Pending`: the partner has not made the payment; `Paid`: it has; `Converted to check`: the employer pays by
    /// check instead; `Not partner managed`: the partner does not make it
    #[schema(value_type = DisbursementStatusName)]
    pub payment_status: &'static str,
}

impl PartnerDisbursements {
    fn new(payroll_uuid: Uuid, all: Vec<Disbursed>) -> Self {
        let one = |one: Disbursed| PartnerDisbursement {
            employee_uuid: one.employee,
            payment_method: one.method,
            payment_status: one.status.as_str(),
        };
        Self { payroll_uuid, disbursements: all.into_iter().map(one).collect() }
    }
}

input! {
    /// The status of payments that the partner makes.
    UpdatePartnerDisbursements => disbursements::UpdateDisbursements {
        /// at most 100; omitted employees are unchanged
        #[schema(required)]
        disbursements: List<UpdatePartnerDisbursement>,
    }

    /// The status of a payment that the partner makes.
    UpdatePartnerDisbursement => disbursements::UpdateDisbursement {
        /// the employee
        #[schema(required)]
        employee_uuid: IdText,
        /// how the employee is paid; `Check` alone converts the payment to a check
        #[schema(nullable)]
        payment_method: DisbursementMethodName,
        /// the status of the payment
        #[schema(nullable)]
        payment_status: DisbursementStatusName,
    }
}

/// List a company's reversed payrolls
///
/// Always empty: payrolls are not reversed. A processed payroll can be cancelled until its deadline, and corrected by
/// another payroll afterwards.
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

/// Read who makes the payments of a payroll
///
/// If the company's `payment_configs` had `partner_owned_disbursement` when the payroll was calculated, the partner
/// makes the payments to accounts; employees paid by check, and all employees of other payrolls, are `Not partner
/// managed`. Employees excluded from the payroll are omitted.
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
    app.read(call, move |tx, caller| Ok(PartnerDisbursements::new(id, disbursements::list(tx, caller, id)?)))
        .await
}

/// Report the status of payments that the partner makes
///
/// For a processed payroll that the partner pays out. Once each of its payments is `Paid` or `Converted to check`, the
/// payroll is paid (`payroll.paid`); a payment reported as `Pending` again, because it was returned, does not change
/// that. The response includes all employees, or, for a payroll of more than 10,000 employees, those in the request. It
/// is read after the change is committed, also when a request is repeated with its `Idempotency-Key`.
#[utoipa::path(patch, path = "/v1/companies/{company_id}/payrolls/{payroll_id}/partner_disbursements", tag = "Payrolls",
    params(
        ("company_id" = Uuid, Path, description = "The company of the token"),
        ("payroll_id" = Uuid, Path, description = "The payroll")),
    request_body = UpdatePartnerDisbursements,
    responses((status = 200, description = "By employee", body = PartnerDisbursements)),
    security(("company_access" = ["partner_disbursements:write"])))]
async fn update_partner_disbursements(
    State(app): State<App>,
    call: Call,
    Path(ids): Path<(Id, Id)>,
    Input(input): Input<UpdatePartnerDisbursements>,
) -> Result<Response, Error> {
    let id = ids.1.0;
    let command = Arc::new(UpdateDisbursements::from(input));
    let told = Arc::clone(&command);
    app.write_and_read(
        call,
        move |tx, caller| disbursements::update(tx, caller, id, &command),
        move |tx, caller| Ok(PartnerDisbursements::new(id, disbursements::list_told(tx, caller, id, &told)?)),
    )
    .await
}
