//! Operations on the books: the journal, the chart of accounts, what is owed and what was paid of it.

pub mod wire;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use domain::money::by_hand;
use domain::pay::books::accounts::{self, Chart};
use domain::pay::books::{journal, liabilities};
use jiff::civil::Date;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::wire::{
    ChartOfAccounts, JournalLine, Liability, LiabilityPayment, RecordLiabilityPayment, UpdateChartOfAccounts,
};
use crate::app::App;
use crate::error::Error;
use crate::http::{Call, Input};
use crate::named::Enum;
use crate::{names, query};

/// Operations on the books.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_journal))
        .routes(routes!(get_chart_of_accounts, update_chart_of_accounts))
        .routes(routes!(list_liabilities))
        .routes(routes!(list_liability_payments, record_liability_payment))
}

names! {
    /// The format of the journal.
    JournalFormat { Json = "json", Csv = "csv" }
}

query! {
    /// Which lines of the journal, and in which format.
    ListJournal {
        /// Only of this day or later; the first day of the year without it
        start_date: Option<Date>,
        /// Only of this day or before, at most 366 days later; the last day of the year without it
        end_date: Option<Date>,
        /// `json` or `csv`
        format: Option<Enum<JournalFormat>>,
        ..page
    }

    /// Which liabilities.
    ListLiabilities {
        /// As of this day; today without it
        as_of: Option<Date>,
        /// true for all of them, not only those of which something is owed
        all: bool,
        ..page
    }

    /// Which payments.
    ListLiabilityPayments {
        /// Only of this day or later; the first day of the year without it
        start_date: Option<Date>,
        /// Only of this day or before, at most 366 days later; the last day of the year without it
        end_date: Option<Date>,
        ..page
    }
}

/// List the journal
///
/// Extension: the double-entry lines of processed payrolls, of their reversal where they were cancelled, of net pay that went out and
/// of liabilities that were paid. The lines of an entry (one day, one reason, one payroll or payment) sum to zero. Lines of a payroll
/// never change. With `format=csv` as a table.
#[utoipa::path(get, path = "/v1/companies/{company_uuid}/journal", tag = "Reports",
    params(("company_uuid" = Uuid, Path, description = "The company of the token"), ListJournal),
    responses((status = 200, description = "The lines, by day",
               content((Vec<JournalLine> = "application/json"), (String = "text/csv")))),
    security(("company_access" = ["company_reports:read"])))]
async fn list_journal(State(app): State<App>, call: Call, query: ListJournal) -> Result<Response, Error> {
    let (days, page) = ((query.start_date, query.end_date), query.page);
    if query.format == Some(Enum(JournalFormat::Csv)) {
        return app
            .csv(call, move |tx, caller| {
                let listed = journal::lines(tx, caller, days, page)?;
                Ok((wire::table(listed.items).csv()?, listed.paging))
            })
            .await;
    }
    app.list(call, move |tx, caller| Ok(journal::lines(tx, caller, days, page)?.map(JournalLine::from))).await
}

/// Read the chart of accounts
///
/// Extension: the number and name of each account of the journal.
#[utoipa::path(get, path = "/v1/companies/{company_uuid}/chart_of_accounts", tag = "Reports",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    responses((status = 200, description = "The accounts", body = ChartOfAccounts)),
    security(("company_access" = ["company_reports:read"])))]
async fn get_chart_of_accounts(State(app): State<App>, call: Call) -> Result<Response, Error> {
    app.read(call, |tx, caller| Ok(ChartOfAccounts::from(Chart::of_company(tx, caller.company)?))).await
}

/// Give accounts other numbers and names
///
/// Extension. What is left out stays. Two accounts cannot have one number. The journal shows the numbers and names of today.
#[utoipa::path(put, path = "/v1/companies/{company_uuid}/chart_of_accounts", tag = "Reports",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    request_body = UpdateChartOfAccounts,
    responses((status = 200, description = "The accounts as updated", body = ChartOfAccounts)),
    security(("company_access" = ["company_reports:write"])))]
async fn update_chart_of_accounts(
    State(app): State<App>,
    call: Call,
    Input(input): Input<UpdateChartOfAccounts>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write(call, StatusCode::OK, move |tx, caller| {
        Ok(ChartOfAccounts::from(accounts::update(tx, caller, &command)?))
    })
    .await
}

/// List what is owed
///
/// Extension: taxes by who levies them, garnishments and benefits that payrolls have accrued, with what was paid of them.
#[utoipa::path(get, path = "/v1/companies/{company_uuid}/liabilities", tag = "Reports",
    params(("company_uuid" = Uuid, Path, description = "The company of the token"), ListLiabilities),
    responses((status = 200, description = "The liabilities, by account, agency and name", body = Vec<Liability>)),
    security(("company_access" = ["company_reports:read"])))]
async fn list_liabilities(
    State(app): State<App>,
    call: Call,
    query: ListLiabilities,
) -> Result<Response, Error> {
    app.list(call, move |tx, caller| {
        let day = query.as_of.unwrap_or_else(|| caller.today(tx));
        let found = liabilities::list(tx, caller.company, day, !query.all)?;
        Ok(domain::paging::Listed::slice(query.page, found).map(Liability::from))
    })
    .await
}

/// List the payments of liabilities
///
/// Extension: those that were recorded, by day.
#[utoipa::path(get, path = "/v1/companies/{company_uuid}/liability_payments", tag = "Reports",
    params(("company_uuid" = Uuid, Path, description = "The company of the token"), ListLiabilityPayments),
    responses((status = 200, description = "The payments", body = Vec<LiabilityPayment>)),
    security(("company_access" = ["company_reports:read"])))]
async fn list_liability_payments(
    State(app): State<App>,
    call: Call,
    query: ListLiabilityPayments,
) -> Result<Response, Error> {
    app.list(call, move |tx, caller| {
        let found = liabilities::payments(tx, caller, (query.start_date, query.end_date))?;
        Ok(domain::paging::Listed::slice(query.page, found).map(LiabilityPayment::from))
    })
    .await
}

/// Record that a liability was paid
///
/// Extension. The service pays nobody here: it notes what the company has paid. More than is owed cannot be paid; an amount below zero
/// takes back what was recorded.
#[utoipa::path(post, path = "/v1/companies/{company_uuid}/liability_payments", tag = "Reports",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    request_body = RecordLiabilityPayment,
    responses((status = 201, description = "The payment", body = LiabilityPayment)),
    security(("company_access" = ["company_reports:write"])))]
async fn record_liability_payment(
    State(app): State<App>,
    call: Call,
    Input(input): Input<RecordLiabilityPayment>,
) -> Result<Response, Error> {
    let command = input.into();
    app.write(call, StatusCode::CREATED, move |tx, caller| {
        Ok(LiabilityPayment::from(by_hand::record(tx, caller, &command)?))
    })
    .await
}
