//! Payments of contractors as the employer makes them: the list of payments, the amounts, the preview, the submission, and cancelling them while
//! that is possible. Nothing is stored before the submission: the form of the preview has the entries, and the token of the preview.

mod amounts;
mod entered;
mod group;

use axum::Router;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use axum::routing::get;
use jiff::ToSpan;
use rules::Named as _;
use store::Tx;
use uuid::Uuid;

use super::super::form::Form;
use super::super::frame::{Entry, Frame, Screen};
use super::super::pager::{Asked, Part, rows_and_total};
use super::super::plain::{back_label, render_template};
use super::super::{PageRequest, read_form, visit_reading, visit_writing};
use super::payrolls::{Line, List, ListPage, redirect_elsewhere};
use crate::flows::texts::Texts;
use crate::money::format_amount;
use domain::Error;
use domain::contractors::payments::rows::{Method, Payment};
use domain::contractors::payments::service::{self, GroupDetails};
use domain::language::{Language, fill_placeholders};
use domain::paging::AskedDays;
use domain::people::flows::session::Visitor;
use interface::app::App;
use interface::http::Id;
use interface::query::Query;

/// The last part of the address of the page on which amounts are entered.
const NEW: &str = "new";
/// Months before and after today whose payments are listed.
const MONTHS_BACK: i64 = 6;
const MONTHS_AHEAD: i64 = 12;

/// The pages of payments.
pub fn routes() -> Router<App> {
    Router::new()
        .route("/flow/contractor_payments/new", get(show_amounts).post(save_amounts))
        .route("/flow/contractor_payments/{group}", get(show_group).post(submit_group_action))
}

/// The payments of the last months, and those to come.
pub fn list_payments(tx: &mut Tx<'_>, visitor: &Visitor, frame: &Frame) -> Result<String, Error> {
    let (t, c) = (frame.texts, frame.texts.contractors);
    let today = visitor.caller.today(tx);
    let days = AskedDays {
        from: Some(today.saturating_sub(MONTHS_BACK.months())),
        until: Some(today.saturating_add(MONTHS_AHEAD.months())),
    };
    let listed = Part::read_page(frame.pages.page, |page| {
        Ok(rows_and_total(service::list_groups(tx, &visitor.caller, days, page)?))
    })?;
    let lines = listed.rows.iter().map(|one| payment_group_line(t, one)).collect();
    let to = |page| format!("{}?page={page}", Screen::ContractorPayments.path());
    let list = List { title: c.payments_list, lines, pager: listed.page_links(t, c.payments_list, to) };
    render_template(&ListPage {
        frame,
        t,
        title: c.payments_title,
        blocked_title: c.blocked_title,
        blocked: Vec::new(),
        start: Some((payments_path(NEW), c.pay)),
        lists: vec![list],
        none: c.payments_none,
        refused: false,
        back: back_label(frame),
    })
}

fn payment_group_line(t: &'static Texts, one: &GroupDetails) -> Line {
    let c = t.contractors;
    let (count, sum) = (one.payments.len().to_string(), one.sum_by_method(Method::ALL, Payment::net));
    let (state, mood) = group_status(t, one);
    Line {
        path: payments_path(&one.group.id.to_string()),
        title: fill_placeholders(c.payment_of, &[("day", &t.format_day(one.group.check_date))]),
        detail: fill_placeholders(c.payment_line, &[("count", &count), ("amount", &format_amount(sum))]),
        state,
        mood,
    }
}

/// The status of payments, in a word, with its color. What goes to no account is only recorded here.
fn group_status(t: &Texts, one: &GroupDetails) -> (&'static str, &'static str) {
    let c = t.contractors;
    if one.is_funded() {
        (c.state_funded, "good")
    } else if one.payments.iter().any(Payment::goes_to_account) {
        (c.state_coming, "open")
    } else {
        (c.state_recorded, "plain")
    }
}

/// The address of a page of payments.
fn payments_path(within: &str) -> String {
    format!("{}/{within}", Screen::ContractorPayments.path())
}

/// The steps of making payments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Amounts,
    Preview,
    Receipt,
}

/// The frame of a page of payments, with its own steps; `None` if the link does not have these pages.
fn frame_of(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    language: Language,
    (step, within): (Step, &str),
) -> Result<Option<Frame>, Error> {
    let frame = Frame::load(tx, visitor, Some(language))?;
    if !visitor.is_employer() || !frame.shows_any_of(&[Screen::ContractorPayments]) {
        return Ok(None);
    }
    let t = frame.texts;
    let entry = |title, of: Step| {
        let done = of == Step::Receipt && step == Step::Receipt || (of as u8) < (step as u8);
        let mark = if done { t.step_done } else { t.step_open };
        // Amounts that were submitted are not changed.
        let at = if step == Step::Receipt { within } else { NEW };
        Entry { title, path: payments_path(at), done, mark, current: of == step }
    };
    let trail = vec![
        entry(t.contractors.step_amounts, Step::Amounts),
        entry(t.employer.step_preview, Step::Preview),
        entry(t.employer.step_receipt, Step::Receipt),
    ];
    Ok(Some(frame.at_screen(Screen::ContractorPayments).within_screen(format!("/{within}"), trail)))
}

async fn show_amounts(State(app): State<App>, query: Query, request: Request) -> Response {
    let page = Asked::from_query(&query).page;
    visit_reading(&app, PageRequest::from_request(&app, &request), move |tx, visitor, language| {
        amounts::amounts_page(tx, visitor, language, (page, None), &Default::default())
    })
    .await
}

async fn save_amounts(State(app): State<App>, request: Request) -> Response {
    let asked = PageRequest::from_request(&app, &request);
    let form = match read_form(&app, &asked, request).await {
        Ok(read) => read,
        Err(response) => return *response,
    };
    visit_writing(&app, asked, form, amounts::handle_action, amounts::show_again).await
}

async fn show_group(State(app): State<App>, Path(Id(group)): Path<Id>, request: Request) -> Response {
    visit_reading(&app, PageRequest::from_request(&app, &request), move |tx, visitor, language| {
        match find_group(tx, visitor, group)? {
            Some(one) => group::receipt_page(tx, visitor, language, one, group::Shown::default()),
            None => redirect_elsewhere(tx, visitor),
        }
    })
    .await
}

async fn submit_group_action(
    State(app): State<App>,
    Path(Id(group)): Path<Id>,
    request: Request,
) -> Response {
    let asked = PageRequest::from_request(&app, &request);
    let form = match read_form(&app, &asked, request).await {
        Ok(read) => read,
        Err(response) => return *response,
    };
    let unit = move |tx: &mut Tx<'_>, visitor: &Visitor, language, form: &Form| match find_group(
        tx, visitor, group,
    )? {
        Some(one) => group::handle_action(tx, visitor, language, one, form),
        None => redirect_elsewhere(tx, visitor),
    };
    visit_writing(&app, asked, form, unit, group::show_again(group)).await
}

/// The payments of an address, if they are the company's and the link has these pages.
fn find_group(tx: &mut Tx<'_>, visitor: &Visitor, group: Uuid) -> Result<Option<GroupDetails>, Error> {
    if !visitor.is_employer() || !Frame::load(tx, visitor, None)?.shows_any_of(&[Screen::ContractorPayments])
    {
        return Ok(None);
    }
    match service::find_group(tx, &visitor.caller, group) {
        Ok(one) => Ok(Some(one)),
        Err(Error::NotFound) => Ok(None),
        Err(error) => Err(error),
    }
}
