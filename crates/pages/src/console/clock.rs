//! The test clock: what it shows, buttons that move it forward, and what happened on the way. Only under `stipend dev`.

use askama::Template;
use axum::Router;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use jiff::civil::Date;
use jiff::{Timestamp, ToSpan};
use rules::Named;
use serde_json::json;
use store::Tx;

use super::access;
use super::access::For;
use super::audit::name_of_work;
use super::frame;
use super::frame::Frame;
use super::show::{Dates, moment_value, plain_words};
use domain::access::tokens::Caller;
use domain::company::companies::rows as companies;
use domain::paging::Page;
use domain::pay::payrolls::calendar::regular::start_of_day;
use domain::pay::payrolls::service as payrolls;
use domain::pay::payrolls::service::ListPayrolls;
use domain::platform::jobs::work;
use domain::platform::jobs::work::Due;
use interface::access::oauth::params::Params;
use interface::app::App;
use interface::error::Error;
use interface::journal::Moved;
use interface::test_clock as clock;
use interface::test_clock::Advance;

/// Maximum of jobs listed for a move.
const FIRED: usize = 200;

pub(super) fn routes() -> Router<App> {
    Router::new().route("/console/clock", get(show_clock).post(advance_clock))
}

/// Steps for which there is a button, in seconds.
const STEPS: [(&str, i64); 5] =
    [("1 minute", 60), ("1 hour", 3_600), ("1 day", 86_400), ("1 week", 604_800), ("30 days", 2_592_000)];

/// Maximum of upcoming jobs listed, and how far ahead they are searched.
const COMING: i64 = 8;
/// Maximum of companies whose next check date is looked up.
const COMPANIES: i64 = 50;
const AHEAD_DAYS: i64 = 60;

/// A job that falls due.
struct Coming {
    at: String,
    /// as the form sends it: a second later, so that the job has run
    to: String,
    kind: String,
    /// its company; empty if it has none
    company: String,
}

/// `payroll.paid` as `Payroll paid`.
pub(super) fn job_kind_label(name: &str) -> String {
    plain_words(&name.replace('.', " "))
}

impl Coming {
    fn from_due_job(due: &Due, company: String, dates: Dates) -> Self {
        let to = due.due.saturating_add(1.second()).unwrap_or(due.due);
        Self {
            at: dates.format_moment(due.due),
            to: moment_value(to),
            kind: job_kind_label(due.kind.as_str()),
            company,
        }
    }
}

struct Fired {
    at: String,
    kind: String,
    /// the record's name and owner; empty if it has neither
    record: String,
    company: String,
}

#[derive(Template)]
#[template(path = "console/clock.html")]
struct ClockPage<'a> {
    frame: &'a Frame,
    now: String,
    /// in the format of a form field
    field: String,
    steps: [(&'static str, i64); 5],
    /// the next check date of any company, and the moment at which it begins
    payday: Option<(String, String)>,
    /// machine-readable
    value: String,
    /// the next due jobs
    coming: Vec<Coming>,
    moved: Option<(String, String)>,
    fired: Vec<Fired>,
    /// how many are not listed
    rest: usize,
}

async fn show_clock(State(app): State<App>, request: Request) -> Response {
    let last = app.journal.as_ref().and_then(|journal| journal.last_move());
    let now = app.store.clock().now();
    access::show_page(&app, request, For::Developer, move |tx, visit| {
        let far = now.saturating_add((AHEAD_DAYS * 24).hours()).unwrap_or(now);
        let coming = work::due_until(tx, far, work::EARLIEST, COMING)?;
        let fired = last.as_ref().map(|moved| moved.fired.as_slice()).unwrap_or_default();
        let dates = visit.frame.dates;
        let mut shown = Vec::new();
        for one in fired.iter().take(FIRED) {
            let company = companies::find_company(tx, one.company)?.map(|company| company.name);
            let record = name_of_work(tx, one.company, one.kind, one.uuid, dates)?;
            shown.push(Fired {
                at: dates.format_moment(one.at),
                kind: job_kind_label(one.kind),
                record: record.unwrap_or_default(),
                company: company.unwrap_or_default(),
            });
        }
        frame::render_page(&ClockPage {
            frame: &visit.frame,
            now: dates.format_moment(now),
            field: now.strftime("%Y-%m-%dT%H:%M").to_string(),
            steps: STEPS,
            payday: next_payday(tx, dates)?,
            value: moment_value(now),
            coming: with_companies(tx, &coming, dates)?,
            moved: last
                .as_ref()
                .map(|moved| (dates.format_moment(moved.from), dates.format_moment(moved.to))),
            fired: shown,
            rest: fired.len().saturating_sub(FIRED),
        })
    })
    .await
}

/// The due jobs, with their companies.
fn with_companies(tx: &mut Tx<'_>, coming: &[Due], dates: Dates) -> Result<Vec<Coming>, Error> {
    let mut named = Vec::with_capacity(coming.len());
    for due in coming {
        let company = companies::find_company(tx, due.company)?.map(|company| company.name);
        named.push(Coming::from_due_job(due, company.unwrap_or_default(), dates));
    }
    Ok(named)
}

/// The earliest upcoming check date of any company, and when it begins there.
fn next_payday(tx: &mut Tx<'_>, dates: Dates) -> Result<Option<(String, String)>, Error> {
    let (companies, _) = companies::list_all_companies(tx, Page::Part { page: 1, per: COMPANIES })?;
    let mut earliest: Option<(Timestamp, Date)> = None;
    for company in companies {
        let zone = companies::time_zone(tx, company.id)?;
        let tomorrow = tx.now().to_zoned(zone.clone()).date().saturating_add(1.day());
        let filter = ListPayrolls {
            start: Some(tomorrow),
            end: Some(tomorrow.saturating_add(AHEAD_DAYS.days())),
            by_check_date: true,
            ..ListPayrolls::default()
        };
        let caller = Caller::for_service(company.id, zone.clone());
        let next = payrolls::list_payrolls(tx, &caller, &filter, Page::Part { page: 1, per: 1 })?.items;
        let next = next.first().map(|payroll| (start_of_day(payroll.check_date, &zone), payroll.check_date));
        earliest = [earliest, next].into_iter().flatten().min();
    }
    Ok(earliest.map(|(at, date)| {
        (dates.format_day(date), moment_value(at.saturating_add(1.second()).unwrap_or(at)))
    }))
}

async fn advance_clock(State(app): State<App>, request: Request) -> Response {
    let (asked, form) = match access::read_form(&app, request).await {
        Ok(read) => read,
        Err(response) => return *response,
    };
    let response = match move_clock(&app, &asked, &form).await {
        Ok(()) => Redirect::to("/console/clock").into_response(),
        Err(error) => access::send_back(&app, &asked, &form, error).await,
    };
    asked.finish_response(&app, response)
}

async fn move_clock(app: &App, asked: &access::PageRequest, form: &Params) -> Result<(), Error> {
    asked.must_be_at_the_machine()?;
    let input = match (form.get("seconds").and_then(|text| text.parse::<i64>().ok()), form.get("to")) {
        (Some(seconds), _) => json!({ "seconds": seconds }),
        (None, Some(to)) => json!({ "to": if to.ends_with('Z') { to.to_owned() } else { format!("{to}Z") } }),
        (None, None) => json!({}),
    };
    let input: Advance = serde_json::from_value(input)
        .map_err(Error::failed_operation("a move of the test clock cannot be read"))?;
    let from = app.store.clock().now();
    let done = clock::advance_and_run(app, &input).await?;
    if let Some(journal) = &app.journal {
        journal.note_move(Moved { from, to: done.now, fired: done.fired });
    }
    Ok(())
}
