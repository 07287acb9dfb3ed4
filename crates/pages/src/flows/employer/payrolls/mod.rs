//! Payrolls as the employer runs them: the list of payrolls to run, the entries for each employee, the preview, the
//! submission, and cancelling it before the deadline.

pub mod blocked;
mod course;
mod days;
mod hours;
mod kind;
mod receipt;
mod sums;
mod warnings;

use askama::Template;
use axum::Router;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use axum::routing::get;
use jiff::civil::Date;
use jiff::{Timestamp, ToSpan};
use rules::payroll::holidays;
use rules::payroll::schedule::BANKING_DAYS;
use store::Tx;
use uuid::Uuid;

use self::blocked::Blocked;
use super::super::form::{Form, Problems};
use super::super::frame::{Entry, Frame, Screen};
use super::super::pager::{Asked, Pager, Part, ROWS, rows_and_total};
use super::super::plain::{back_label, foreign_form_page, render_template};
use super::super::{Outcome, PageRequest, guard_response, read_form, visit_reading, visit_writing};
use crate::flows::texts::Texts;
use domain::Error;
use domain::language::{Language, fill_placeholders};
use domain::pay::payrolls::record::deadlines::earliest_check_date;
use domain::pay::payrolls::record::deadlines::submission_deadline;
use domain::pay::payrolls::record::payroll::{Payroll, Request as Standing};
use domain::pay::payrolls::service;
use domain::pay::payrolls::service::ListPayrolls;
use domain::people::flows::session::Visitor;
use interface::app::App;
use interface::http::{Id, InPayroll};
use interface::query::Query;

/// Months ahead of today in which payrolls are shown.
const AHEAD: i64 = 2;

/// The pages of one payroll.
pub fn routes() -> Router<App> {
    Router::new()
        .route("/flow/payrolls/{payroll}", get(show_payroll).post(submit_payroll_action))
        .route("/flow/payrolls/{payroll}/receipt.csv", get(show_file))
        .route("/flow/payrolls/{payroll}/stubs/{employee}", get(show_stub))
        .route("/flow/payrolls/{payroll}/hours", get(show_hours).post(save_hours))
        .route("/flow/payrolls/{payroll}/hours/{employee}", get(show_days).post(save_days))
}

/// A record in a list, with its own page.
pub struct Line {
    pub path: String,
    pub title: String,
    pub detail: String,
    pub state: &'static str,
    pub mood: &'static str,
}

/// Records of one kind, such as payrolls to run or past ones.
pub struct List {
    pub title: &'static str,
    pub lines: Vec<Line>,
    pub pager: Option<Pager>,
}

#[derive(Template)]
#[template(path = "flow/payrolls.html")]
pub struct ListPage<'a> {
    pub frame: &'a Frame,
    pub t: &'static Texts,
    pub title: &'static str,
    pub blocked_title: &'static str,
    pub blocked: Vec<Blocked>,
    /// where a new record begins, with the label
    pub start: Option<(String, &'static str)>,
    pub lists: Vec<List>,
    /// what an empty list says
    pub none: &'static str,
    pub refused: bool,
    pub back: String,
}

/// The payrolls that can be run, and the most recent ones.
pub fn list_payrolls(tx: &mut Tx<'_>, visitor: &Visitor, frame: &Frame) -> Result<String, Error> {
    let (t, e) = (frame.texts, frame.texts.employer);
    let end = visitor.caller.today(tx).saturating_add(AHEAD.months());
    let filter = ListPayrolls {
        start: Some(end.saturating_sub(1.years()).saturating_add(1.day())),
        end: Some(end),
        by_check_date: true,
        ..ListPayrolls::default()
    };
    let open = ListPayrolls { processed: Some(false), ..filter };
    let done = ListPayrolls { processed: Some(true), descending: true, ..filter };
    let mut read = |asked, filter: &ListPayrolls| {
        Part::read_page(asked, |page| {
            Ok(rows_and_total(service::list_payrolls(tx, &visitor.caller, filter, page)?))
        })
    };
    let (to_run, run) = (read(frame.pages.open, &open)?, read(frame.pages.page, &done)?);
    let to = |page, open| format!("{}?page={page}&open={open}", Screen::Payrolls.path());
    let moment = (tx.now(), visitor.caller.today(tx));
    let lines =
        |part: &Part<Vec<Payroll>>| part.rows.iter().map(|one| payroll_line(t, one, moment)).collect();
    let mut lists = vec![List {
        title: e.payrolls_to_run,
        lines: lines(&to_run),
        pager: to_run.page_links(t, e.payrolls_to_run, |open| to(run.page, open)),
    }];
    if run.total > 0 {
        lists.push(List {
            title: e.payrolls_run,
            lines: lines(&run),
            pager: run.page_links(t, e.payrolls_run, |page| to(page, to_run.page)),
        });
    }
    let blocked = blocked::next_payroll_blockers(tx, visitor, frame)?;
    render_template(&ListPage {
        frame,
        t,
        title: e.payrolls_title,
        blocked_title: e.blocked_title,
        blocked,
        start: None,
        lists,
        none: e.payrolls_none,
        refused: false,
        back: back_label(frame),
    })
}

fn payroll_line(t: &'static Texts, one: &Payroll, (now, today): (Timestamp, Date)) -> Line {
    let e = t.employer;
    let by = holidays::banking_days_before(one.check_date, BANKING_DAYS);
    let is_over = one.submitted_at.is_none() && !one.check_only && now > submission_deadline(one.check_date);
    let payday = if is_over { earliest_check_date(now, today) } else { one.check_date };
    let days = [one.start, one.end, by, payday].map(|day| t.format_day(day));
    let values = [("from", &*days[0]), ("until", &days[1]), ("by", &days[2]), ("payday", &days[3])];
    let detail = if one.is_processed() {
        e.payroll_of
    } else if one.check_only {
        e.payroll_checks
    } else if is_over {
        e.payroll_over
    } else {
        e.payroll_by
    };
    let (state, mood) = payroll_status(t, one);
    Line {
        path: payroll_path(one.id),
        title: kind::payroll_title(t, one),
        detail: fill_placeholders(detail, &values),
        state,
        mood,
    }
}

/// The status of a payroll, in a word, with its color.
fn payroll_status(t: &Texts, one: &Payroll) -> (&'static str, &'static str) {
    let e = t.employer;
    match one.request {
        _ if one.is_processed() && one.skipped => (e.state_skipped, "plain"),
        _ if one.is_processed() => (e.state_processed, "good"),
        Some(Standing::Submitting | Standing::SubmitSuccess) => (e.state_submitting, "open"),
        Some(Standing::Calculating) => (e.state_calculating, "open"),
        Some(Standing::CalculateSuccess) => (e.state_calculated, "open"),
        Some(Standing::Failed) => (e.state_failed, "bad"),
        None if one.inputs > 0 => (e.state_entered, "plain"),
        None => (e.state_new, "plain"),
    }
}

/// The address of a payroll.
fn payroll_path(id: Uuid) -> String {
    format!("{}/{id}", Screen::Payrolls.path())
}

/// The address of the page for entering a payroll's hours.
fn hours_path(id: Uuid) -> String {
    format!("{}/hours", payroll_path(id))
}

/// The address of the page for entering an employee's hours by day.
fn days_path(id: Uuid, employee: Uuid) -> String {
    format!("{}/{employee}", hours_path(id))
}

/// The frame of a payroll's page, with its own steps; `None` if the flow has no payrolls.
fn frame_of(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    language: Language,
    (one, hours): (&Payroll, bool),
) -> Result<Option<Frame>, Error> {
    let frame = Frame::load(tx, visitor, Some(language))?;
    if !frame.shows_any_of(&[Screen::Payrolls]) {
        return Ok(None);
    }
    let (t, e) = (frame.texts, frame.texts.employer);
    let calculated = one.run.is_some() && one.calculated_at.is_some();
    let at = if hours {
        0
    } else if one.submitted_at.is_some() {
        2
    } else {
        1
    };
    let entry = |place: usize, title, path, done: bool| Entry {
        title,
        path,
        done,
        mark: if done { t.step_done } else { t.step_open },
        current: place == at,
    };
    let trail = vec![
        entry(0, e.step_hours, hours_path(one.id), calculated || one.submitted_at.is_some()),
        entry(1, e.step_preview, payroll_path(one.id), one.submitted_at.is_some()),
        entry(2, e.step_receipt, payroll_path(one.id), one.is_processed()),
    ];
    let within = format!("/{}{}", one.id, if hours { "/hours" } else { "" });
    Ok(Some(frame.at_screen(Screen::Payrolls).within_screen(within, trail)))
}

/// The payroll of an address, if it belongs to the company and the flow has payrolls.
fn find_payroll(tx: &mut Tx<'_>, visitor: &Visitor, id: Uuid) -> Result<Option<Payroll>, Error> {
    match visitor.is_employer() {
        true => match service::find_payroll(tx, &visitor.caller, id) {
            Ok(one) => Ok(Some(one)),
            Err(Error::NotFound) => Ok(None),
            Err(error) => Err(error),
        },
        false => Ok(None),
    }
}

/// Where a visitor goes who requests what this flow does not include.
pub fn redirect_elsewhere(tx: &mut Tx<'_>, visitor: &Visitor) -> Result<Outcome, Error> {
    Ok(Outcome::GoTo(Frame::load(tx, visitor, None)?.next_path()))
}

async fn show_payroll(
    State(app): State<App>,
    Path(Id(payroll)): Path<Id>,
    query: Query,
    request: Request,
) -> Response {
    let page = Asked::from_query(&query).page;
    visit_reading(&app, PageRequest::from_request(&app, &request), move |tx, visitor, language| {
        let Some(one) = find_payroll(tx, visitor, payroll)? else { return redirect_elsewhere(tx, visitor) };
        course::payroll_page(tx, visitor, language, &one, course::Shown::at_page(page))
    })
    .await
}

async fn submit_payroll_action(
    State(app): State<App>,
    Path(Id(payroll)): Path<Id>,
    request: Request,
) -> Response {
    let asked = PageRequest::from_request(&app, &request);
    let form = match read_form(&app, &asked, request).await {
        Ok(read) => read,
        Err(response) => return *response,
    };
    let unit = move |tx: &mut Tx<'_>, visitor: &Visitor, language, form: &Form| {
        let Some(one) = find_payroll(tx, visitor, payroll)? else { return redirect_elsewhere(tx, visitor) };
        course::handle_action(tx, visitor, language, &one, form)
    };
    visit_writing(&app, asked, form, unit, course::show_again(payroll)).await
}

async fn show_file(State(app): State<App>, Path(Id(payroll)): Path<Id>, request: Request) -> Response {
    visit_reading(&app, PageRequest::from_request(&app, &request), move |tx, visitor, _| {
        receipt::file(tx, visitor, payroll)
    })
    .await
}

async fn show_stub(
    State(app): State<App>,
    Path(InPayroll { payroll, employee }): Path<InPayroll>,
    request: Request,
) -> Response {
    visit_reading(&app, PageRequest::from_request(&app, &request), move |tx, visitor, language| {
        receipt::stub_file(tx, visitor, language, (payroll, employee))
    })
    .await
}

async fn show_hours(
    State(app): State<App>,
    Path(Id(payroll)): Path<Id>,
    query: Query,
    request: Request,
) -> Response {
    let view = hours::View::from_query(&query);
    visit_reading(&app, PageRequest::from_request(&app, &request), move |tx, visitor, language| {
        let Some(one) = find_payroll(tx, visitor, payroll)? else { return redirect_elsewhere(tx, visitor) };
        hours::hours_page(tx, visitor, language, &one, (view, None), &Problems::default())
    })
    .await
}

async fn save_hours(State(app): State<App>, Path(Id(payroll)): Path<Id>, request: Request) -> Response {
    let asked = PageRequest::from_request(&app, &request);
    let form = match read_form(&app, &asked, request).await {
        Ok(read) => read,
        Err(response) => return *response,
    };
    if form.all_values("e").count() > usize::try_from(ROWS).unwrap_or_default() {
        return guard_response(&app, foreign_form_page(asked.language));
    }
    let unit = move |tx: &mut Tx<'_>, visitor: &Visitor, _, form: &Form| {
        let Some(one) = find_payroll(tx, visitor, payroll)? else { return redirect_elsewhere(tx, visitor) };
        hours::save_hours(tx, visitor, &one, form)
    };
    visit_writing(&app, asked, form, unit, hours::show_again(payroll)).await
}

async fn show_days(
    State(app): State<App>,
    Path(InPayroll { payroll, employee }): Path<InPayroll>,
    query: Query,
    request: Request,
) -> Response {
    let view = days::View::by(&query);
    visit_reading(&app, PageRequest::from_request(&app, &request), move |tx, visitor, language| {
        let Some(one) = find_payroll(tx, visitor, payroll)? else { return redirect_elsewhere(tx, visitor) };
        days::page(tx, visitor, language, (&one, employee), (view, None), &Problems::default())
    })
    .await
}

async fn save_days(
    State(app): State<App>,
    Path(InPayroll { payroll, employee }): Path<InPayroll>,
    request: Request,
) -> Response {
    let asked = PageRequest::from_request(&app, &request);
    let form = match read_form(&app, &asked, request).await {
        Ok(read) => read,
        Err(response) => return *response,
    };
    let unit = move |tx: &mut Tx<'_>, visitor: &Visitor, _, form: &Form| {
        let Some(one) = find_payroll(tx, visitor, payroll)? else { return redirect_elsewhere(tx, visitor) };
        days::save(tx, visitor, (&one, employee), form)
    };
    visit_writing(&app, asked, form, unit, days::again(payroll, employee)).await
}
