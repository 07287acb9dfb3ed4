//! Operations on payments that a partner makes itself, and on pay that was reversed.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::money::returns::voids;
use domain::pay::payrolls::closing::processing::disbursements;
use domain::pay::payrolls::closing::processing::disbursements::{Disbursed, UpdateDisbursements};
use domain::pay::payrolls::closing::reversals;
use domain::pay::payrolls::closing::reversals::Reversal;
use rules::{Amount, Named};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use crate::app::App;
use crate::error::Error;
use crate::field::{Field, List};
use crate::http::{Call, InCompany, InPayrollOfCompany, Input};
use crate::moment::format_moment;
use crate::values::{DisbursementMethodName, DisbursementStatusName, IdText, LongLineText};
use crate::{input, query};

/// Operations on a partner's disbursements, and on reversals.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_payroll_reversals))
        .routes(routes!(void_paycheck))
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
    /// always null: what was not owed leaves the payroll itself, without another payroll
    pub reversal_payroll_uuid: Option<Uuid>,
    /// the reason, in words
    pub reason: String,
    /// when it was approved
    #[schema(format = DateTime)]
    pub approved_at: Option<String>,
    /// the selected reason: `paid_twice`, `wrong_amount` or `wrong_account` (wages and taxes stay), or `not_owed` (the paycheck is void)
    pub category: Option<String>,
    /// the employees whose pay was reversed
    pub reversed_employee_uuids: Vec<Uuid>,
    /// extension: decimal text, the dollars that the employees were paid
    pub amount: String,
    /// extension: `debited` from the employees' accounts again; `returned` to the employer; `owed` by the employee until it is paid back
    pub money: &'static str,
}

impl From<Reversal> for PayrollReversal {
    fn from(one: Reversal) -> Self {
        Self {
            reversed_payroll_uuid: one.payroll,
            reversal_payroll_uuid: None,
            reason: one.reason,
            approved_at: Some(format_moment(one.created_at)),
            category: Some(one.category.as_str().to_owned()),
            reversed_employee_uuids: vec![one.employee],
            amount: Amount::from_cents(one.cents).to_text(2),
            money: one.money.as_str(),
        }
    }
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
    /// A paycheck that was not owed.
    VoidPaycheck => voids::VoidPaycheck {
        /// why it was not owed, at most 255 characters
        #[schema(required)]
        reason: LongLineText,
        /// whether the employee never had the money, or has given it back, such as an uncashed check; false by default: the employee owes it
        returned: bool,
    }

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
/// The pay that was debited from employees' accounts again (`PUT /v1/ach_transactions/{ach_transaction_uuid}/reverse`, or by the operator), within five banking days of the payday, oldest first: an item for
/// each paycheck. It is told by `payroll.reversed`, or `payroll.partially_reversed` while other pay of the payroll stands. If the pay was not
/// owed, the paycheck is void and has left the payroll, its totals, the year to date, the taxes and the books; otherwise the net pay is owed
/// until its payment is recorded (`POST /v1/companies/{company_uuid}/liability_payments`). What was given up is not listed.
#[utoipa::path(get, path = "/v1/companies/{company_id}/payroll_reversals", tag = "Payrolls",
    params(("company_id" = Uuid, Path, description = "The company of the token"), ListPayrollReversals),
    responses((status = 200, description = "The reversals", body = Vec<PayrollReversal>)),
    security(("company_access" = ["payrolls:read"])))]
async fn list_payroll_reversals(
    State(app): State<App>,
    call: Call,
    query: ListPayrollReversals,
) -> Result<Response, Error> {
    app.list_json(call, move |tx, caller| {
        Ok(reversals::list_reversals(tx, caller, query.page)?.map(PayrollReversal::from))
    })
    .await
}

/// Make a paycheck void
///
/// Extension: for a paycheck of a paid payroll that was not owed. Its wages, taxes, deductions, hours off and postings are undone as of the
/// payroll's own pay date; the pay stub is kept, with `voided_at`. If the quarter is closed, a correction of its forms is opened. What the
/// employee was paid is owed to the company (`employee_receivables` of the liabilities) until a payment is recorded
/// (`POST /v1/companies/{company_uuid}/liability_payments`) or a deduction has recovered it (`overpayment_agreed_on` of garnishments); with
/// `returned` it came back. The right amount is paid with an off-cycle payroll. Not for a paycheck on which a later payroll builds, or of an
/// earlier year: enter a `Correction Payment` below zero in the next payroll of the year instead.
#[utoipa::path(put, path = "/v1/companies/{company_id}/payrolls/{payroll_id}/employees/{employee_id}/void", tag = "Payrolls",
    params(
        ("company_id" = Uuid, Path, description = "The company of the token"),
        ("payroll_id" = Uuid, Path, description = "The payroll"),
        ("employee_id" = Uuid, Path, description = "The employee")),
    request_body = VoidPaycheck,
    responses((status = 200, description = "What was undone", body = PayrollReversal)),
    security(("company_access" = ["payrolls:run"])))]
async fn void_paycheck(
    State(app): State<App>,
    call: Call,
    Path(InPayrollOfCompany { payroll, employee, .. }): Path<InPayrollOfCompany>,
    Input(input): Input<VoidPaycheck>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        Ok(PayrollReversal::from(voids::void_paycheck(tx, caller, (payroll, employee), &command)?))
    })
    .await
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
    Path(InCompany { id, .. }): Path<InCompany>,
) -> Result<Response, Error> {
    app.read_json(call, move |tx, caller| {
        Ok(PartnerDisbursements::new(id, disbursements::list_disbursements(tx, caller, id)?))
    })
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
    Path(InCompany { id, .. }): Path<InCompany>,
    Input(input): Input<UpdatePartnerDisbursements>,
) -> Result<Response, Error> {
    let command = Arc::new(UpdateDisbursements::from(input));
    let told = Arc::clone(&command);
    app.write_and_read(
        call,
        move |tx, caller| disbursements::update_disbursements(tx, caller, id, &command),
        move |tx, caller| Ok(PartnerDisbursements::new(id, disbursements::list_told(tx, caller, id, &told)?)),
    )
    .await
}
