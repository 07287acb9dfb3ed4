//! Operations on a company's books: the journal, the chart of accounts, liabilities and their payments.

pub mod wire;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use domain::money::manual_payments::manual_taxes;
use domain::paging::AskedDays;
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

/// Operations on a company's books.
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
        /// From this day on; defaults to the first day of the year
        start_date: Option<Date>,
        /// Up to this day, at most 366 days later; defaults to the last day of the year
        end_date: Option<Date>,
        /// `json` or `csv`
        format: Option<Enum<JournalFormat>>,
        ..page
    }

    /// Which liabilities.
    ListLiabilities {
        /// As of this day; defaults to today
        as_of: Option<Date>,
        /// true to include liabilities that are fully paid
        all: bool,
        ..page
    }

    /// Which payments.
    ListLiabilityPayments {
        /// From this day on; defaults to the first day of the year
        start_date: Option<Date>,
        /// Up to this day, at most 366 days later; defaults to the last day of the year
        end_date: Option<Date>,
        ..page
    }
}

/// List the journal
///
/// Extension: the double-entry lines of processed payrolls, of the reversals of cancelled ones, of debits of the bank
/// account, of net pay that was paid out and of liabilities that were paid. The lines of an entry (one day, one reason, one payroll or payment) sum
/// to zero. Lines of a payroll never change. With `format=csv` as a table.
#[utoipa::path(get, path = "/v1/companies/{company_uuid}/journal", tag = "Reports",
    params(("company_uuid" = Uuid, Path, description = "The company of the token"), ListJournal),
    responses((status = 200, description = "The lines, by day",
               content((Vec<JournalLine> = "application/json"), (String = "text/csv")))),
    security(("company_access" = ["company_reports:read"])))]
async fn list_journal(State(app): State<App>, call: Call, query: ListJournal) -> Result<Response, Error> {
    let days = AskedDays { from: query.start_date, until: query.end_date };
    let page = query.page;
    if query.format == Some(Enum(JournalFormat::Csv)) {
        return app
            .read_csv(call, move |tx, caller| {
                let listed = journal::list_journal_lines(tx, caller, days, page)?;
                Ok((wire::journal_table(listed.items).to_csv()?, listed.paging))
            })
            .await;
    }
    app.list_json(call, move |tx, caller| {
        Ok(journal::list_journal_lines(tx, caller, days, page)?.map(JournalLine::from))
    })
    .await
}

/// Read the chart of accounts
///
/// Extension: the number and name of each account of the journal.
#[utoipa::path(get, path = "/v1/companies/{company_uuid}/chart_of_accounts", tag = "Reports",
    params(("company_uuid" = Uuid, Path, description = "The company of the token")),
    responses((status = 200, description = "The accounts", body = ChartOfAccounts)),
    security(("company_access" = ["company_reports:read"])))]
async fn get_chart_of_accounts(State(app): State<App>, call: Call) -> Result<Response, Error> {
    app.read_json(call, |tx, caller| Ok(ChartOfAccounts::from(Chart::of_company(tx, caller.company)?))).await
}

/// Change the numbers and names of accounts
///
/// Extension. Omitted fields keep their values. Two accounts cannot have the same number. The journal shows the current numbers
/// and names.
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
    app.write_json(call, StatusCode::OK, move |tx, caller| {
        Ok(ChartOfAccounts::from(accounts::update_chart(tx, caller, &command)?))
    })
    .await
}

/// List liabilities
///
/// Extension: the taxes (by taxing authority), garnishments and benefits that payrolls have accrued, with what has been
/// paid of them.
#[utoipa::path(get, path = "/v1/companies/{company_uuid}/liabilities", tag = "Reports",
    params(("company_uuid" = Uuid, Path, description = "The company of the token"), ListLiabilities),
    responses((status = 200, description = "The liabilities, by account, agency and name", body = Vec<Liability>)),
    security(("company_access" = ["company_reports:read"])))]
async fn list_liabilities(
    State(app): State<App>,
    call: Call,
    query: ListLiabilities,
) -> Result<Response, Error> {
    app.list_json(call, move |tx, caller| {
        let day = query.as_of.unwrap_or_else(|| caller.today(tx));
        let found = liabilities::list_liabilities(tx, caller.company, day, !query.all)?;
        Ok(domain::paging::Listed::slice(query.page, found).map(Liability::from))
    })
    .await
}

/// List the payments of liabilities
///
/// Extension: the recorded payments, by date.
#[utoipa::path(get, path = "/v1/companies/{company_uuid}/liability_payments", tag = "Reports",
    params(("company_uuid" = Uuid, Path, description = "The company of the token"), ListLiabilityPayments),
    responses((status = 200, description = "The payments", body = Vec<LiabilityPayment>)),
    security(("company_access" = ["company_reports:read"])))]
async fn list_liability_payments(
    State(app): State<App>,
    call: Call,
    query: ListLiabilityPayments,
) -> Result<Response, Error> {
    app.list_json(call, move |tx, caller| {
        let found = liabilities::list_liability_payments(
            tx,
            caller,
            AskedDays { from: query.start_date, until: query.end_date },
        )?;
        Ok(domain::paging::Listed::slice(query.page, found).map(LiabilityPayment::from))
    })
    .await
}

/// Record the payment of a liability
///
/// Extension. The service makes no payment here: it records what the company has paid. A payment cannot exceed what is
/// owed; a negative amount corrects an earlier record.
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
    app.write_json(call, StatusCode::CREATED, move |tx, caller| {
        Ok(LiabilityPayment::from(manual_taxes::record_payment(tx, caller, &command)?))
    })
    .await
}
