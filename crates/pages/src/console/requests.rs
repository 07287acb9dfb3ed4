//! API requests and responses, as [`interface::journal`] keeps them under `stipend dev`.

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
use super::show::{Dates, Pages, format_duration, mood_of_status};
use domain::paging::Listed;
use interface::app::App;
use interface::error::Error;
use interface::journal::Entry;
use interface::query::Query;

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/console/requests", get(list_requests))
        .route("/console/requests/{number}", get(show_request))
}

/// Maximum characters of a search.
const LONGEST: usize = 100;

/// The request as a shell command. Headers are not kept, so it uses the token in the shell's `$TOKEN`.
fn curl_command(entry: &Entry, base: &str) -> String {
    let quoted = |text: &str| format!("'{}'", text.replace('\'', r"'\''"));
    let mut command = format!("curl -X {} {}", entry.method, quoted(&format!("{base}{}", entry.address)));
    let mut add = |part: String| command += &format!(" \\\n  {part}");
    add("-H \"Authorization: Bearer $TOKEN\"".to_owned());
    if !entry.version.is_empty() {
        add(format!("-H {}", quoted(&format!("X-Service-API-Version: {}", entry.version))));
    }
    if !entry.asked.is_empty() {
        add("-H 'Content-Type: application/json'".to_owned());
        add(format!("-d {}", quoted(&entry.asked)));
    }
    command
}

struct Line {
    entry: Arc<Entry>,
    at: String,
    took: String,
    mood: &'static str,
}

impl Line {
    fn from_entry(entry: Arc<Entry>, dates: Dates) -> Self {
        Self {
            at: dates.format_moment(entry.at),
            took: format_duration(entry.micros),
            mood: mood_of_status(entry.status),
            entry,
        }
    }
}

#[derive(Template)]
#[template(path = "console/requests.html")]
struct ListPage<'a> {
    frame: &'a Frame,
    /// whether requests are kept at all
    kept: bool,
    only: &'a str,
    /// text that the method and address must contain
    wanted: &'a str,
    lines: Vec<Line>,
    pages: Pages,
}

async fn list_requests(State(app): State<App>, query: Query, request: Request) -> Response {
    let page = Pages::page_number(&query);
    let only = if query.text_value("only") == Some("refused") { "refused" } else { "" };
    let wanted: String = query.text_value("q").unwrap_or_default().trim().chars().take(LONGEST).collect();
    let found = app.journal.as_ref().map(|journal| journal.newest_first());
    access::show_page(&app, request, For::Everybody, move |_, visit| {
        let kept = found.is_some() && visit.is_developer();
        let mut all = found.clone().filter(|_| kept).unwrap_or_default();
        let sought = wanted.to_lowercase();
        all.retain(|entry| {
            let text = || format!("{} {}", entry.method, entry.address).to_lowercase();
            (only.is_empty() || entry.status >= 400) && (sought.is_empty() || text().contains(&sought))
        });
        let total = all.len() as i64;
        let lines = Listed::slice(Pages::rows_of_page(page), all)
            .items
            .into_iter()
            .map(|one| Line::from_entry(one, visit.frame.dates))
            .collect();
        let pages = Pages::of_total(page, total, &[("only", only), ("q", &wanted)]);
        frame::render_page(&ListPage { frame: &visit.frame, kept, only, wanted: &wanted, lines, pages })
    })
    .await
}

#[derive(Template)]
#[template(path = "console/request.html")]
struct OnePage<'a> {
    frame: &'a Frame,
    line: Line,
    /// as a command
    curl: String,
}

async fn show_request(State(app): State<App>, Path(number): Path<String>, request: Request) -> Response {
    let number = number.parse().unwrap_or(0);
    let found = app.journal.as_ref().and_then(|journal| journal.find_entry(number));
    let base = app.public_url.clone();
    access::show_page(&app, request, For::Developer, move |_, visit| {
        let line = Line::from_entry(found.clone().ok_or(Error::NotFound)?, visit.frame.dates);
        let curl = curl_command(&line.entry, &base);
        frame::render_page(&OnePage { frame: &visit.frame, line, curl })
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_a_command_that_a_shell_takes_as_it_was() {
        let entry = Entry {
            number: 1,
            at: jiff::Timestamp::UNIX_EPOCH,
            method: "PUT".to_owned(),
            address: "/v1/employees/7?include=jobs".to_owned(),
            status: 200,
            micros: 1,
            request_id: String::new(),
            version: "2026-06-15".to_owned(),
            unread: String::new(),
            asked: r#"{"last_name":"O'Neil"}"#.to_owned(),
            answered: String::new(),
        };
        let told = curl_command(&entry, "http://127.0.0.1:8080");
        let lines: Vec<_> = told.lines().map(|line| line.trim_end_matches(" \\").trim()).collect();
        assert_eq!(lines[0], "curl -X PUT 'http://127.0.0.1:8080/v1/employees/7?include=jobs'");
        assert!(lines.contains(&"-H \"Authorization: Bearer $TOKEN\""), "{told}");
        assert!(lines.contains(&"-H 'X-Service-API-Version: 2026-06-15'"), "{told}");
        assert_eq!(lines.last(), Some(&r#"-d '{"last_name":"O'\''Neil"}'"#));
    }
}
