//! Operations on single payments of contractors, and on the payments of one contractor.

pub mod groups;
pub mod receipt;
pub mod wire;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::contractors::payments::rows::Method;
use domain::contractors::payments::{service, stub, summary};
use domain::money::views::expected;
use jiff::civil::Date;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::receipt::ContractorPaymentReceipt;
use self::wire::{
    ContractorPayment, ContractorPaymentSummary, ContractorPaymentsPreview, CreateContractorPayment,
    PreviewContractorPayments,
};
use crate::app::App;
use crate::error::Error;
use crate::http::{Call, Id, InCompany, Input};
use crate::query;
use crate::query::Mandatory;

/// Operations on payments of contractors.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_contractor_payments, create_contractor_payment))
        .routes(routes!(preview_contractor_payments))
        .routes(routes!(get_contractor_payment, cancel_contractor_payment))
        .routes(routes!(fund_contractor_payment))
        .routes(routes!(get_contractor_payment_receipt))
        .routes(routes!(get_contractor_payment_pdf))
        .routes(routes!(list_payments_of_contractor))
        .merge(groups::routes())
}

query! {
    /// Which payments are listed.
    ListContractorPayments {
        /// YYYY-MM-DD: first day
        start_date: Mandatory<Option<Date>>,
        /// YYYY-MM-DD: last day; today by default
        end_date: Option<Date>,
        /// Only payments of this contractor
        contractor_uuid: Option<uuid::Uuid>,
        /// Whether each day of a contractor is an item
        group_by_date: bool,
        ..page
    }

    /// Which payments of a contractor are listed.
    ListPaymentsOfContractor { ..page }
}

/// Pay a contractor
///
/// At once, for the given day: contractors with an hourly wage by hours and bonus, others by wage. `Direct Deposit` is made with
/// the file of the cut-off two banking days before, until when the payment can be cancelled; a `Check` is handed over by the
/// company; a `Historical Payment` records what was paid before. Without a taxpayer identification number, or if the contractor
/// is subject to it, 24 % is withheld (backup withholding).
#[utoipa::path(post, path = "/v1/companies/{company_id}/contractor_payments", tag = "Contractor payments",
    params(("company_id" = Uuid, Path, description = "The company of the token")),
    request_body = CreateContractorPayment,
    responses((status = 200, description = "The payment", body = ContractorPayment)),
    security(("company_access" = ["payrolls:run"])))]
async fn create_contractor_payment(
    State(app): State<App>,
    call: Call,
    Input(input): Input<CreateContractorPayment>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        let payment = service::create_payment(tx, caller, &command)?;
        ContractorPayment::read_payment(tx, caller, payment)
    })
    .await
}

/// List payments of contractors
///
/// By contractor, or with `group_by_date` by contractor and day; the item with the newest payment first. Includes the payments
/// of groups.
#[utoipa::path(get, path = "/v1/companies/{company_id}/contractor_payments", tag = "Contractor payments",
    params(("company_id" = Uuid, Path, description = "The company of the token"), ListContractorPayments),
    responses((status = 200, description = "The payments", body = ContractorPaymentSummary)),
    security(("company_access" = ["payrolls:read"])))]
async fn list_contractor_payments(
    State(app): State<App>,
    call: Call,
    query: ListContractorPayments,
) -> Result<Response, Error> {
    let filter = summary::PaymentFilter {
        from: query.start_date.0,
        until: query.end_date,
        contractor: query.contractor_uuid,
        by_date: query.group_by_date,
    };
    app.read_paged(call, move |tx, caller| {
        let mut found = summary::payment_summary(tx, caller, &filter, query.page)?;
        let paging = found.paging.take();
        Ok((ContractorPaymentSummary::new(tx, caller, found), paging))
    })
    .await
}

/// Find out when the company is debited for payments
///
/// A GET with a body. Checks the payments as `POST` does, apart from what blocks them; nothing is stored.
#[utoipa::path(get, path = "/v1/companies/{company_uuid}/contractor_payments/preview", tag = "Contractor payments",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    request_body = PreviewContractorPayments,
    responses((status = 200, description = "When the company is debited", body = ContractorPaymentsPreview)),
    security(("company_access" = ["payrolls:read"])))]
async fn preview_contractor_payments(
    State(app): State<App>,
    call: Call,
    Input(input): Input<PreviewContractorPayments>,
) -> Result<Response, Error> {
    let command = input.into();
    app.read_json(call, move |tx, caller| {
        let (day, method) = service::preview_payments(tx, caller, &command)?;
        let debited = match method {
            Method::DirectDeposit => expected::debit_day(tx, caller.company, None, day)?,
            Method::Check | Method::Historical => day,
        };
        Ok(ContractorPaymentsPreview { expected_debit_date: debited.to_string() })
    })
    .await
}

/// Read a payment of a contractor
///
/// With what was withheld and why, and whether it can still be cancelled.
#[utoipa::path(get, path = "/v1/companies/{company_id}/contractor_payments/{contractor_payment_id}", tag = "Contractor payments",
    params(
        ("company_id" = Uuid, Path, description = "The company of the token"),
        ("contractor_payment_id" = Uuid, Path, description = "The payment")),
    responses((status = 200, description = "The payment", body = ContractorPayment)),
    security(("company_access" = ["payrolls:read"])))]
async fn get_contractor_payment(
    State(app): State<App>,
    call: Call,
    Path(InCompany { id, .. }): Path<InCompany>,
) -> Result<Response, Error> {
    app.read_json(call, move |tx, caller| {
        let payment = service::find_payment(tx, caller, id)?;
        ContractorPayment::read_payment(tx, caller, payment)
    })
    .await
}

/// Cancel a payment of a contractor
///
/// While `may_cancel` is true: `Direct Deposit` until 4 pm Pacific time two banking days before its date, the record of other
/// payments at any time. A payment of a group is cancelled alone.
#[utoipa::path(delete, path = "/v1/companies/{company_id}/contractor_payments/{contractor_payment_id}", tag = "Contractor payments",
    params(
        ("company_id" = Uuid, Path, description = "The company of the token"),
        ("contractor_payment_id" = Uuid, Path, description = "The payment")),
    responses((status = 204, description = "Cancelled")),
    security(("company_access" = ["payrolls:run"])))]
async fn cancel_contractor_payment(
    State(app): State<App>,
    call: Call,
    Path(InCompany { id, .. }): Path<InCompany>,
) -> Result<Response, Error> {
    app.write_json(call, StatusCode::NO_CONTENT, move |tx, caller| service::cancel_payment(tx, caller, id))
        .await
}

/// Fund a payment of a contractor
///
/// For developers: stands in for the bank; available only with the setting `test_helpers`.
#[utoipa::path(put, path = "/v1/contractor_payments/{contractor_payment_uuid}/fund", tag = "Contractor payments",
    params(("contractor_payment_uuid" = Uuid, Path, description = "The payment")),
    responses((status = 200, description = "The payment, funded", body = ContractorPayment)),
    security(("company_access" = ["payrolls:run"])))]
async fn fund_contractor_payment(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.settings.for_developers()?;
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        let payment = service::fund_payment(tx, caller, id)?;
        ContractorPayment::read_payment(tx, caller, payment)
    })
    .await
}

/// Read the receipt of a payment of a contractor
///
/// Of a funded payment by direct deposit; 404 for any other.
#[utoipa::path(get, path = "/v1/contractor_payments/{contractor_payment_uuid}/receipt", tag = "Contractor payments",
    params(("contractor_payment_uuid" = Uuid, Path, description = "The payment")),
    responses((status = 200, description = "The receipt", body = ContractorPaymentReceipt)),
    security(("company_access" = ["payrolls:read"])))]
async fn get_contractor_payment_receipt(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    let base = app.public_url.clone();
    app.read_json(call, move |tx, caller| ContractorPaymentReceipt::read_receipt(tx, caller, &base, id)).await
}

/// Download a payment of a contractor as PDF
///
/// As the contractor receives it: what was paid for, what was withheld and why, and the year to date.
#[utoipa::path(get, path = "/v1/contractor_payments/{contractor_payment_id}/pdf", tag = "Contractor payments",
    params(("contractor_payment_id" = Uuid, Path, description = "The payment")),
    responses((status = 200, description = "The document", body = Vec<u8>, content_type = "application/pdf")),
    security(("company_access" = ["payrolls:read"])))]
async fn get_contractor_payment_pdf(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
) -> Result<Response, Error> {
    app.read_pdf(call, "contractor-payment", move |tx, caller| stub::stub_pdf(tx, caller, id)).await
}

/// List the payments of a contractor
///
/// The newest first.
#[utoipa::path(get, path = "/v1/contractors/{contractor_uuid}/payments", tag = "Contractor payments",
    params(("contractor_uuid" = Uuid, Path, description = "The contractor"), ListPaymentsOfContractor),
    responses((status = 200, description = "The payments", body = Vec<ContractorPayment>)),
    security(("company_access" = ["payrolls:read"])))]
async fn list_payments_of_contractor(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    query: ListPaymentsOfContractor,
) -> Result<Response, Error> {
    app.list_json(call, move |tx, caller| {
        let found = service::of_contractor(tx, caller, id, query.page)?;
        Ok(found.map(|(group, payment)| ContractorPayment::new(tx, caller, (&group, &payment))))
    })
    .await
}
