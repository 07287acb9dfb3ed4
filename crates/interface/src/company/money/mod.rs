//! Operations on a company's payments: what a partner's screens read before and while payroll is run.
//!
//! The service holds no customer funds: the operator's bank moves them, according to files that the service creates
//! (`domain::money`). Transactions are the entries of those files.

pub mod after_payday;
pub mod wire;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::company::payment_configs;
use domain::contractors::payments::rows as contractor_payments;
use domain::money::bank::settings::{self, WireTo};
use domain::money::batches::repayments;
use domain::money::deposits;
use domain::money::deposits::{DepositFilter, DepositKey};
use domain::money::funding::{cases, wires};
use domain::money::ledger::purpose::Purpose;
use domain::money::returns::{corrections, recovery};
use domain::money::views::list;
use domain::paging::{AskedDays, Listed};
use domain::pay::payrolls;
use jiff::civil::Date;
use rules::{Amount, Checks, check};
use store::Tx;
use utoipa::openapi::Schema;
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, Type};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::wire::{
    AccountCorrection, AchTransaction, DecideCorrection, DetailedTaxPayment, PayAgain, PaymentConfigs,
    RecoveryCase, ReverseWireTransaction, TaxPayment, UpdatePaymentConfigs, UpdateWireInRequest,
    WireInRequest,
};
use crate::app::App;
use crate::error::Error;
use crate::http::{Call, Id, InCompany, Input};
use crate::query;
use crate::query::{Parameter, Query};
use crate::sort::Sort;

/// Operations on a company's payments.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .merge(after_payday::routes())
        .routes(routes!(get_payment_configs, update_payment_configs))
        .routes(routes!(list_wire_in_requests))
        .routes(routes!(get_wire_in_request, update_wire_in_request))
        .routes(routes!(list_reverse_wire_transactions))
        .routes(routes!(list_tax_payments))
        .routes(routes!(get_tax_payment))
        .routes(routes!(list_recovery_cases))
        .routes(routes!(redebit))
        .routes(routes!(list_ach_transactions))
        .routes(routes!(pay_again))
        .routes(routes!(list_account_corrections))
        .routes(routes!(decide_correction))
}

query! {
    /// Which wire-in requests are listed.
    ListWireInRequests { ..page }

    /// Which reverse wire transactions are listed.
    ListReverseWireTransactions {
        /// Only those of this payroll
        payroll_uuid: Option<uuid::Uuid>,
        ..page
    }

    /// Which corrections of accounts are listed.
    ListAccountCorrections { ..page }

    /// Which tax payments are listed.
    ListTaxPayments {
        /// US for the federal government, or codes of states, separated by commas
        jurisdiction: Jurisdictions,
        /// YYYY-MM-DD: only payments that are due on this day or later
        due_date_from: Option<Date>,
        /// YYYY-MM-DD: only payments that are due on this day or earlier
        due_date_to: Option<Date>,
        /// YYYY-MM-DD: only payments that were sent for this day or later
        payment_sent_on_from: Option<Date>,
        /// YYYY-MM-DD: only payments that were sent for this day or earlier
        payment_sent_on_to: Option<Date>,
        /// YYYY-MM-DD: only payments of a tax period that begins on this day or later
        period_start_from: Option<Date>,
        /// YYYY-MM-DD: only payments of a tax period that begins on this day or earlier
        period_start_to: Option<Date>,
        /// YYYY-MM-DD: only payments of a tax period that ends on this day or later
        period_end_from: Option<Date>,
        /// YYYY-MM-DD: only payments of a tax period that ends on this day or earlier
        period_end_to: Option<Date>,
        /// Only payments of at least this amount, in dollars
        amount_min: Option<Amount>,
        /// Only payments of at most this amount, in dollars
        amount_max: Option<Amount>,
        /// amount, due_date, payment_sent_on, period_end and period_start, separated by commas, each with :asc or :desc
        sort_by: Sort<DepositKey>,
        ..page
    }

    /// Which recovery cases are listed.
    ListRecoveryCases { ..page }

    /// Which transactions are listed.
    ListAchTransactions {
        /// Only transactions of this payroll
        payroll_uuid: Option<uuid::Uuid>,
        /// Only transactions of this contractor payment
        contractor_payment_uuid: Option<uuid::Uuid>,
        /// Only transactions of this type, such as Credit employee pay
        transaction_type: Option<String>,
        /// credit or debit
        payment_direction: Option<String>,
        ..page
    }
}

/// Read how payroll is paid
///
/// How many banking days before its check date a payroll must be submitted, and who pays the employees.
#[utoipa::path(get, path = "/v1/companies/{company_uuid}/payment_configs", tag = "Payments",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    responses((status = 200, description = "How payroll is paid", body = PaymentConfigs)),
    security(("company_access" = ["company_payment_configs:read"])))]
async fn get_payment_configs(State(app): State<App>, call: Call) -> Result<Response, Error> {
    app.read_json(call, |tx, caller| {
        Ok(PaymentConfigs::new(caller, &payment_configs::of_company(tx, caller.company)?))
    })
    .await
}

/// Set who pays the employees
///
/// With `partner_owned_disbursement` the partner pays what goes to employees' accounts: the company is not debited for
/// it, no bank file contains it, and the partner reports the status of each payment (`partner_disbursements` of a
/// payroll). This applies to payrolls calculated afterwards. Speed and limit are the same for every company: only the
/// current value is accepted, and any other is refused with the current one. The fields may be sent with or without
/// `payment_configs` around them.
#[utoipa::path(put, path = "/v1/companies/{company_uuid}/payment_configs", tag = "Payments",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    request_body = UpdatePaymentConfigs,
    responses((status = 200, description = "How payroll is paid", body = PaymentConfigs)),
    security(("company_access" = ["company_payment_configs:write"])))]
async fn update_payment_configs(
    State(app): State<App>,
    call: Call,
    Input(input): Input<UpdatePaymentConfigs>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        Ok(PaymentConfigs::new(caller, &payment_configs::update_payment_configs(tx, caller, &command)?))
    })
    .await
}

/// Codes separated by commas: `US` for the federal government, or those of states.
#[derive(Debug, Clone)]
pub struct Jurisdictions(Option<Vec<String>>);

impl Parameter for Jurisdictions {
    fn read_parameter(query: &Query, key: &str, checks: &mut Checks) -> Self {
        let code = |text: &str| {
            let code = text.trim().to_uppercase();
            if code == deposits::JURISDICTION {
                Ok(code)
            } else {
                check::parse_state(key, &code).map(str::to_owned)
            }
        };
        Self(
            query
                .text_value(key)
                .map(|text| text.split(',').filter_map(|one| checks.take_value(code(one))).collect()),
        )
    }
    fn schema() -> Schema {
        let code = ObjectBuilder::new().schema_type(Type::String).pattern(Some("^[A-Za-z]{2}$"));
        ArrayBuilder::new().items(code).into()
    }
}

impl From<ListTaxPayments> for DepositFilter {
    fn from(query: ListTaxPayments) -> Self {
        Self {
            jurisdictions: query.jurisdiction.0,
            due: AskedDays { from: query.due_date_from, until: query.due_date_to },
            sent: AskedDays { from: query.payment_sent_on_from, until: query.payment_sent_on_to },
            period_start: AskedDays { from: query.period_start_from, until: query.period_start_to },
            period_end: AskedDays { from: query.period_end_from, until: query.period_end_to },
            amount: (query.amount_min, query.amount_max),
            sort: query.sort_by.ascending_order(),
        }
    }
}

/// List expected wires
///
/// One for each payroll whose credits wait for a wire, by the operator's setting, and one for each returned debit,
/// until it is presented again.
#[utoipa::path(get, path = "/v1/companies/{company_uuid}/wire_in_requests", tag = "Payments",
    params(("company_uuid" = Uuid, Path, description = "The company of the token"), ListWireInRequests),
    responses((status = 200, description = "The wire-in requests", body = Vec<WireInRequest>)),
    security(("company_access" = ["payrolls:read"])))]
async fn list_wire_in_requests(
    State(app): State<App>,
    call: Call,
    query: ListWireInRequests,
) -> Result<Response, Error> {
    app.list_json(call, move |tx, caller| {
        let to = wire_to(tx)?;
        Ok(wires::list_wires(tx, caller, query.page)?.map(|wire| WireInRequest::new(wire, &to)))
    })
    .await
}

/// List reverse wires
///
/// Always empty: payroll is funded by a debit of the company's account, or by a wire that the company or the partner sends
/// (`wire_in_requests`); the service draws nothing from a partner's account.
#[utoipa::path(get, path = "/v1/companies/{company_uuid}/reverse_wire_transactions", tag = "Payments",
    params(("company_uuid" = Uuid, Path, description = "The company of the token"), ListReverseWireTransactions),
    responses((status = 200, description = "The reverse wires: none", body = Vec<ReverseWireTransaction>)),
    security(("company_access" = ["reverse_wire_transactions:read"])))]
async fn list_reverse_wire_transactions(
    State(app): State<App>,
    call: Call,
    query: ListReverseWireTransactions,
) -> Result<Response, Error> {
    app.list_json(call, move |tx, caller| {
        if let Some(payroll) = query.payroll_uuid {
            payrolls::service::find_payroll(tx, caller, payroll)?;
        }
        Ok(Listed::slice(query.page, Vec::<ReverseWireTransaction>::new()))
    })
    .await
}

/// Read an expected wire
///
/// Where to send it, which reference to include, and its status.
#[utoipa::path(get, path = "/v1/wire_in_requests/{wire_in_request_uuid}", tag = "Payments",
    params(("wire_in_request_uuid" = Uuid, Path, description = "The wire-in request")),
    responses((status = 200, description = "The wire-in request", body = WireInRequest)),
    security(("company_access" = ["payrolls:read"])))]
async fn get_wire_in_request(
    State(app): State<App>,
    Path(Id(id)): Path<Id>,
    call: Call,
) -> Result<Response, Error> {
    app.read_json(call, move |tx, caller| {
        let to = wire_to(tx)?;
        Ok(WireInRequest::new(wires::get_wire(tx, caller, id)?, &to))
    })
    .await
}

/// Report that a wire was sent
///
/// The wire then has status `pending_review`. Until it has arrived, the report can be repeated.
#[utoipa::path(put, path = "/v1/wire_in_requests/{wire_in_request_uuid}", tag = "Payments",
    params(("wire_in_request_uuid" = Uuid, Path, description = "The wire-in request")),
    request_body = UpdateWireInRequest,
    responses((status = 200, description = "The wire-in request", body = WireInRequest)),
    security(("company_access" = ["payrolls:run"])))]
async fn update_wire_in_request(
    State(app): State<App>,
    Path(Id(id)): Path<Id>,
    call: Call,
    Input(input): Input<UpdateWireInRequest>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        let to = wire_to(tx)?;
        Ok(WireInRequest::new(wires::report_wire_sent(tx, caller, id, &command)?, &to))
    })
    .await
}

/// The account to which wires are sent; `None` if the operator has not configured one.
fn wire_to(tx: &mut Tx<'_>) -> Result<WireTo, domain::Error> {
    Ok(settings::find_settings(tx)?.and_then(|settings| settings.terms.wire).unwrap_or_default())
}

/// List tax payments
///
/// The deposits of federal taxes that the service makes, or that the employer makes because the service cannot, in the
/// order of their due dates. The list is empty if the operator deposits no taxes.
#[utoipa::path(get, path = "/v1/companies/{company_uuid}/tax_payments", tag = "Payments",
    params(("company_uuid" = Uuid, Path, description = "The company of the token"), ListTaxPayments),
    responses((status = 200, description = "The tax payments", body = Vec<TaxPayment>)),
    security(("company_access" = ["tax_payments:read"])))]
async fn list_tax_payments(
    State(app): State<App>,
    call: Call,
    query: ListTaxPayments,
) -> Result<Response, Error> {
    let page = query.page;
    let filter = DepositFilter::from(query);
    app.list_json(call, move |tx, caller| {
        let company = caller.company;
        Ok(deposits::list_deposits(tx, company, &filter, page)?.map(|one| TaxPayment::new(company, &one)))
    })
    .await
}

/// Read a tax payment
///
/// With what it pays, by payroll and tax.
#[utoipa::path(get, path = "/v1/companies/{company_uuid}/tax_payments/{tax_payment_uuid}", tag = "Payments",
    params(
        ("company_uuid" = Uuid, Path, description = "The company of the token"),
        ("tax_payment_uuid" = Uuid, Path, description = "The tax payment")),
    responses((status = 200, description = "The tax payment", body = DetailedTaxPayment)),
    security(("company_access" = ["tax_payments:read"])))]
async fn get_tax_payment(
    State(app): State<App>,
    call: Call,
    Path(InCompany { id, .. }): Path<InCompany>,
) -> Result<Response, Error> {
    app.read_json(call, move |tx, caller| {
        let deposit = deposits::get_deposit(tx, caller.company, id)?;
        let items = deposits::deposit_items(tx, caller.company, deposit.id)?;
        Ok(DetailedTaxPayment::new(caller.company, &deposit, items))
    })
    .await
}

/// List returned debits that must be recovered
///
/// One for each payroll, and each group of contractor payments, whose debit was returned. Until it is `recovered`, by presenting the debit again (`redebit`) or
/// by a wire, the company's payrolls are blocked (`pending_recovery_case`) and its credits are held. A returned debit
/// also creates a wire-in request for the same payroll. The list is empty if the operator has not configured a bank.
#[utoipa::path(get, path = "/v1/companies/{company_uuid}/recovery_cases", tag = "Payments",
    params(("company_uuid" = Uuid, Path, description = "The company of the token"), ListRecoveryCases),
    responses((status = 200, description = "The recovery cases", body = Vec<RecoveryCase>)),
    security(("company_access" = ["recovery_cases:read"])))]
async fn list_recovery_cases(
    State(app): State<App>,
    call: Call,
    query: ListRecoveryCases,
) -> Result<Response, Error> {
    app.list_json(call, move |tx, caller| {
        let company = caller.company;
        cases::list_cases(tx, caller, query.page)?.try_map(|one| {
            let payments = match one.purpose {
                Purpose::Contractors => Some(contractor_payments::of_group(tx, company, one.payroll)?),
                Purpose::Payroll | Purpose::TaxDeposit => None,
            };
            let to_accounts = |all: Vec<contractor_payments::Payment>| {
                all.into_iter().filter(|one| one.goes_to_account()).map(|one| one.id).collect()
            };
            Ok(RecoveryCase::new(company, one, payments.map(to_accounts)))
        })
    })
    .await
}

/// Present a returned debit again
///
/// With the next file, to the same account. The network's rules allow it only after `R01` and `R09`, at most twice, and
/// within 180 days; the case is recovered once the debit has settled and two banking days have passed without a return.
/// Meanwhile the wire-in request is canceled.
#[utoipa::path(put, path = "/v1/recovery_cases/{recovery_case_uuid}/redebit", tag = "Payments",
    params(("recovery_case_uuid" = Uuid, Path, description = "The recovery case")),
    responses((status = 202, description = "The debit is presented again")),
    security(("company_access" = ["recovery_cases:write"])))]
async fn redebit(State(app): State<App>, Path(Id(id)): Path<Id>, call: Call) -> Result<Response, Error> {
    app.write_json(call, StatusCode::ACCEPTED, move |tx, caller| recovery::redebit_company(tx, caller, id))
        .await
}

/// List bank transactions
///
/// The entries of files for the operator's bank, past and planned, in the order of creation. The list is empty if the
/// operator has not configured a bank. A returned payment has status `failed` and the bank's code; one that can no
/// longer be returned, `successful`.
#[utoipa::path(get, path = "/v1/companies/{company_uuid}/ach_transactions", tag = "Payments",
    params(("company_uuid" = Uuid, Path, description = "The company of the token"), ListAchTransactions),
    responses((status = 200, description = "The transactions", body = Vec<AchTransaction>)),
    security(("company_access" = ["ach_transactions:read"])))]
async fn list_ach_transactions(
    State(app): State<App>,
    call: Call,
    query: ListAchTransactions,
) -> Result<Response, Error> {
    app.list_json(call, move |tx, caller| {
        let debits = match query.payment_direction.as_deref() {
            None => None,
            Some("debit") => Some(true),
            Some("credit") => Some(false),
            Some(_) => return Ok(Listed::slice(query.page, Vec::new())),
        };
        let filter = list::TransactionFilter {
            payroll: query.payroll_uuid,
            contractor_payment: query.contractor_payment_uuid,
            transaction_type: query.transaction_type.clone(),
            debits,
        };
        let found = list::list_transactions(tx, caller, &filter, query.page)?;
        Ok(found.map(|one| AchTransaction::new(caller.company, one)))
    })
    .await
}

/// Pay a returned or held amount in another way
///
/// With the next file to another account of the employee, or by a check that the employer writes. For a transaction to
/// an employee that is `failed`, or `unsubmitted` because there was no account for it; child support that is `failed`
/// is paid by the employer (`by_check`), or sent to the agency again by the operator. An amount that was not debited is
/// debited now; an amount that was debited is refunded to the employer if it is paid by check.
#[utoipa::path(put, path = "/v1/ach_transactions/{ach_transaction_uuid}/pay_again", tag = "Payments",
    params(("ach_transaction_uuid" = Uuid, Path, description = "The transaction")),
    request_body = PayAgain,
    responses((status = 202, description = "It is paid again")),
    security(("company_access" = ["payrolls:run"])))]
async fn pay_again(
    State(app): State<App>,
    Path(Id(id)): Path<Id>,
    call: Call,
    Input(input): Input<PayAgain>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::ACCEPTED, move |tx, caller| {
        repayments::as_told(tx, caller, id, &command)
    })
    .await
}

/// List corrections of employees' and contractors' accounts that banks request
///
/// A bank that can identify the right account makes the payment, and reports what must be corrected before the next one
/// (a notification of change). Account numbers are not shown.
#[utoipa::path(get, path = "/v1/companies/{company_uuid}/account_corrections", tag = "Payments",
    params(("company_uuid" = Uuid, Path, description = "The company of the token"), ListAccountCorrections),
    responses((status = 200, description = "The corrections, in the order in which they were requested", body = Vec<AccountCorrection>)),
    security(("company_access" = ["employee_payment_methods:read"])))]
async fn list_account_corrections(
    State(app): State<App>,
    call: Call,
    query: ListAccountCorrections,
) -> Result<Response, Error> {
    app.list_json(call, move |tx, caller| {
        let company = caller.company;
        Ok(corrections::list_corrections(tx, caller, query.page)?
            .map(|one| AccountCorrection::new(company, &one)))
    })
    .await
}

/// Accept or decline a bank's correction of an employee's or contractor's account
///
/// Each correction can be decided once.
#[utoipa::path(put, path = "/v1/account_corrections/{account_correction_uuid}", tag = "Payments",
    params(("account_correction_uuid" = Uuid, Path, description = "The correction")),
    request_body = DecideCorrection,
    responses((status = 200, description = "The correction", body = AccountCorrection)),
    security(("company_access" = ["employee_payment_methods:write"])))]
async fn decide_correction(
    State(app): State<App>,
    Path(Id(id)): Path<Id>,
    call: Call,
    Input(input): Input<DecideCorrection>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        Ok(AccountCorrection::new(caller.company, &corrections::as_told(tx, caller, id, &command)?))
    })
    .await
}
