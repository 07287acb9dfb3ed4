//! What a company does about its payments after they were made: held payments, reversals, and what later credits wait for.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::money::batches::{held, reversals};
use domain::money::funding;
use domain::money::ledger::rows::Batch;
use domain::paging::Listed;
use rules::Amount;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use super::wire::event_type;
use crate::app::App;
use crate::error::Error;
use crate::field::Field;
use crate::http::{Call, Id, Input};
use crate::input;
use crate::query;
use crate::values::{CreditsWaitForName, LongLineText, ReversalCategoryName};

/// Operations on payments that were made or are held.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(reverse_payment))
        .routes(routes!(list_held_payments))
        .routes(routes!(release_held_payments))
        .routes(routes!(get_prefunding, update_prefunding))
}

query! {
    /// Which held payments.
    ListHeldPayments { ..page }
}

/// Payments of one kind that are held together.
#[derive(Debug, Serialize, ToSchema)]
pub struct HeldPayment {
    /// identifier
    pub uuid: Uuid,
    /// `Payroll`, `TaxDeposit` or `ContractorPaymentGroup`
    pub payment_event_type: String,
    /// the payroll, the deposit or the group
    pub payment_event_uuid: Uuid,
    /// YYYY-MM-DD: the check date, or the due date of a deposit
    pub payment_event_check_date: String,
    /// such as `Credit employee pay`
    pub transaction_type: String,
    /// decimal text
    pub amount: String,
    /// why they are held
    pub reason: Option<String>,
    /// whether a limit of the operator holds them, which is applied again when they are released
    pub releasable: bool,
}

impl From<Batch> for HeldPayment {
    fn from(one: Batch) -> Self {
        Self {
            uuid: one.id,
            payment_event_type: event_type(one.purpose, "ContractorPaymentGroup"),
            payment_event_uuid: one.payroll,
            payment_event_check_date: one.check_date.to_string(),
            transaction_type: one.kind.transaction_type(one.purpose).to_owned(),
            amount: Amount::from_cents(one.cents).to_text(2),
            releasable: one.is_held_by_limit(),
            reason: one.reason,
        }
    }
}

/// What the credits of a company wait for.
#[derive(Debug, Serialize, ToSchema)]
pub struct Prefunding {
    /// `none`, `debit` (the debit of the company's account settles first) or `wire` (a wire arrives first)
    pub credits_wait_for: &'static str,
    /// banking days that credits wait after the debit settles
    pub days: i64,
}

impl From<funding::Funding> for Prefunding {
    fn from(now: funding::Funding) -> Self {
        Self { credits_wait_for: rules::Named::as_str(now.mode), days: now.days }
    }
}

input! {
    /// A payment that is taken back.
    ReversePayment => reversals::ReversePayment {
        /// `paid_twice` (the default), `wrong_amount` or `wrong_account`: the money comes back and the net pay is owed until it is recorded how it
        /// was paid; `not_owed`: all payments of the paycheck come back, and it is void with its wages and taxes
        #[schema(nullable)]
        category: ReversalCategoryName,
        /// the reason, at most 255 characters
        #[schema(nullable)]
        reason: LongLineText,
    }

    /// What later credits wait for; omitted fields keep their values.
    UpdatePrefunding => funding::UpdatePrefunding {
        /// not less than now: `none`, `debit`, `wire`
        #[schema(nullable)]
        credits_wait_for: CreditsWaitForName,
        /// banking days that credits wait after the debit settles, at most 10; not fewer than now
        #[schema(nullable)]
        days: i64,
    }
}

/// Reverse a payment
///
/// Extension: for pay that the bank has and that was not returned. The same amount is debited from the same account with the next file; the
/// reversal must settle within five banking days of the payment, and the employee must be notified. It is told by `payroll.reversed` or
/// `payroll.partially_reversed`, and listed with the reversed payrolls.
#[utoipa::path(put, path = "/v1/ach_transactions/{ach_transaction_uuid}/reverse", tag = "Payments",
    params(("ach_transaction_uuid" = Uuid, Path, description = "The transaction")),
    request_body = ReversePayment,
    responses((status = 202, description = "It is reversed with the next file")),
    security(("company_access" = ["payrolls:run"])))]
async fn reverse_payment(
    State(app): State<App>,
    Path(Id(id)): Path<Id>,
    call: Call,
    Input(input): Input<ReversePayment>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::ACCEPTED, move |tx, caller| reversals::as_told(tx, caller, id, &command))
        .await
}

/// List held payments
///
/// Extension: payments that are held together, with the reason. A payment that is held for itself is a transaction that is `unsubmitted`.
#[utoipa::path(get, path = "/v1/companies/{company_uuid}/held_payments", tag = "Payments",
    params(("company_uuid" = Uuid, Path, description = "The company of the token"), ListHeldPayments),
    responses((status = 200, description = "The held payments", body = Vec<HeldPayment>)),
    security(("company_access" = ["ach_transactions:read"])))]
async fn list_held_payments(
    State(app): State<App>,
    call: Call,
    query: ListHeldPayments,
) -> Result<Response, Error> {
    app.list_json(call, move |tx, caller| {
        Ok(Listed::slice(query.page, held::list_held_payments(tx, caller)?).map(HeldPayment::from))
    })
    .await
}

/// Release held payments
///
/// Extension: payments that a limit of the operator holds are checked again for the next file, which the same limit applies to. Those that
/// wait for an account, a wire or a recovery are released by that; files that the operator took back are released by the operator.
#[utoipa::path(put, path = "/v1/companies/{company_uuid}/held_payments/release", tag = "Payments",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    responses((status = 200, description = "The payments that were held", body = Vec<HeldPayment>)),
    security(("company_access" = ["payrolls:run"])))]
async fn release_held_payments(State(app): State<App>, call: Call) -> Result<Response, Error> {
    app.write_json(call, StatusCode::OK, |tx, caller| {
        Ok(held::release_held_payments(tx, caller)?.into_iter().map(HeldPayment::from).collect::<Vec<_>>())
    })
    .await
}

/// Read what credits wait for
///
/// Extension: whether the payments of the company's payrolls wait for the debit of its account or for a wire.
#[utoipa::path(get, path = "/v1/companies/{company_uuid}/prefunding", tag = "Payments",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    responses((status = 200, description = "What they wait for", body = Prefunding)),
    security(("company_access" = ["company_payment_configs:read"])))]
async fn get_prefunding(State(app): State<App>, call: Call) -> Result<Response, Error> {
    app.read_json(call, |tx, caller| Ok(Prefunding::from(funding::of_company(tx, caller.company)?))).await
}

/// Have credits wait for more
///
/// Extension: for payrolls processed afterwards. Only more than now: the operator decides whether credits wait for less.
#[utoipa::path(put, path = "/v1/companies/{company_uuid}/prefunding", tag = "Payments",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    request_body = UpdatePrefunding,
    responses((status = 200, description = "What they wait for", body = Prefunding)),
    security(("company_access" = ["company_payment_configs:write"])))]
async fn update_prefunding(
    State(app): State<App>,
    call: Call,
    Input(input): Input<UpdatePrefunding>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        Ok(Prefunding::from(funding::update_funding(tx, caller, &command)?))
    })
    .await
}
