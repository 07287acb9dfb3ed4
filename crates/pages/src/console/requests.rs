//! What was asked of the interface and answered, as [`interface::journal`] keeps it under `stipend dev`.

use std::sync::Arc;

use askama::Template;
use axum::Router;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use axum::routing::get;

use super::access;
use super::access::For;
use super::frame;
use super::frame::Frame;
use super::show::{Pages, moment, mood_of_status, took};
use domain::paging::Listed;
use interface::app::App;
use interface::error::Error;
use interface::journal::Entry;
use interface::query::Query;

pub(super) fn routes() -> Router<App> {
    Router::new().route("/console/requests", get(list)).route("/console/requests/{number}", get(one))
}

struct Line {
    entry: Arc<Entry>,
    at: String,
    took: String,
    mood: &'static str,
}

impl Line {
    fn of(entry: Arc<Entry>) -> Self {
        Self { at: moment(entry.at), took: took(entry.micros), mood: mood_of_status(entry.status), entry }
    }
}

#[derive(Template)]
#[template(path = "console/requests.html")]
struct ListPage<'a> {
    frame: &'a Frame,
    /// whether requests are kept at all
    kept: bool,
    only: &'a str,
    lines: Vec<Line>,
    pages: Pages,
}

async fn list(State(app): State<App>, query: Query, request: Request) -> Response {
    let page = Pages::asked(&query);
    let only = if query.text("only") == Some("refused") { "refused" } else { "" };
    let found = app.journal.as_ref().map(|journal| journal.newest_first());
    access::page(&app, request, For::Everybody, move |_, visit| {
        let kept = found.is_some() && visit.is_developer();
        let mut all = found.clone().filter(|_| kept).unwrap_or_default();
        all.retain(|entry| only.is_empty() || entry.status >= 400);
        let total = all.len() as i64;
        let lines = Listed::slice(Pages::rows(page), all).items.into_iter().map(Line::of).collect();
        let pages = Pages::of(page, total, &[("only", only)]);
        frame::render(&ListPage { frame: &visit.frame, kept, only, lines, pages })
    })
    .await
}

#[derive(Template)]
#[template(path = "console/request.html")]
struct OnePage<'a> {
    frame: &'a Frame,
    line: Line,
}

async fn one(State(app): State<App>, Path(number): Path<String>, request: Request) -> Response {
    let number = number.parse().unwrap_or(0);
    let found = app.journal.as_ref().and_then(|journal| journal.find(number));
    access::page(&app, request, For::Developer, move |_, visit| {
        let line = Line::of(found.clone().ok_or(Error::NotFound)?);
        frame::render(&OnePage { frame: &visit.frame, line })
    })
    .await
}
