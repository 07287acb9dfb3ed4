//! The test clock: what it shows, buttons that move it forward, and what happened on the way. Under `stipend dev`
//! alone.

use askama::Template;
use axum::Router;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use jiff::ToSpan;
use rules::Named;
use serde_json::json;

use super::access;
use super::access::For;
use super::frame;
use super::frame::Frame;
use super::show::{moment, words};
use domain::platform::jobs::work;
use domain::platform::jobs::work::Due;
use interface::access::oauth::params::Params;
use interface::app::App;
use interface::error::Error;
use interface::journal::Moved;
use interface::test_clock as clock;
use interface::test_clock::Advance;

/// Pieces of work of a move that are listed.
const FIRED: usize = 200;

pub(super) fn routes() -> Router<App> {
    Router::new().route("/console/clock", get(show).post(advance))
}

/// Steps for which there is a button, in seconds.
const STEPS: [(&str, i64); 5] =
    [("1 minute", 60), ("1 hour", 3_600), ("1 day", 86_400), ("1 week", 604_800), ("30 days", 2_592_000)];

/// Pieces of work ahead that are listed, and how far ahead is looked.
const COMING: i64 = 8;
const AHEAD_DAYS: i64 = 60;

/// Something that falls due.
struct Coming {
    at: String,
    /// as the form sends it: a second later, so that it is done
    to: String,
    kind: String,
}

impl Coming {
    fn of(due: &Due) -> Self {
        let to = due.due.saturating_add(1.second()).unwrap_or(due.due);
        Self {
            at: moment(due.due),
            to: to.strftime("%Y-%m-%dT%H:%M:%S").to_string(),
            kind: words(due.kind.as_str()),
        }
    }
}

struct Fired {
    at: String,
    kind: String,
    id: String,
}

#[derive(Template)]
#[template(path = "console/clock.html")]
struct ClockPage<'a> {
    frame: &'a Frame,
    now: String,
    /// as a form shows it
    field: String,
    steps: [(&'static str, i64); 5],
    /// what falls due next
    coming: Vec<Coming>,
    moved: Option<(String, String)>,
    fired: Vec<Fired>,
    /// how many were not listed
    rest: usize,
}

async fn show(State(app): State<App>, request: Request) -> Response {
    let last = app.journal.as_ref().and_then(|journal| journal.last_move());
    let now = app.store.clock().now();
    access::page(&app, request, For::Developer, move |tx, visit| {
        let far = now.saturating_add((AHEAD_DAYS * 24).hours()).unwrap_or(now);
        let coming = work::due_until(tx, far, work::EARLIEST, COMING)?;
        let fired = last.as_ref().map(|moved| moved.fired.as_slice()).unwrap_or_default();
        let shown = fired.iter().take(FIRED).map(|one| Fired {
            at: moment(one.at),
            kind: words(one.kind),
            id: one.uuid.to_string(),
        });
        frame::render(&ClockPage {
            frame: &visit.frame,
            now: moment(now),
            field: now.strftime("%Y-%m-%dT%H:%M").to_string(),
            steps: STEPS,
            coming: coming.iter().map(Coming::of).collect(),
            moved: last.as_ref().map(|moved| (moment(moved.from), moment(moved.to))),
            fired: shown.collect(),
            rest: fired.len().saturating_sub(FIRED),
        })
    })
    .await
}

async fn advance(State(app): State<App>, request: Request) -> Response {
    let (asked, form) = match access::form(&app, request).await {
        Ok(read) => read,
        Err(response) => return *response,
    };
    let response = match moved(&app, &asked, &form).await {
        Ok(()) => Redirect::to("/console/clock").into_response(),
        Err(error) => access::refusal(&app, &asked, error).await,
    };
    asked.respond(&app, response)
}

async fn moved(app: &App, asked: &access::PageRequest, form: &Params) -> Result<(), Error> {
    asked.must_be_at_the_machine()?;
    let input = match (form.get("seconds").and_then(|text| text.parse::<i64>().ok()), form.get("to")) {
        (Some(seconds), _) => json!({ "seconds": seconds }),
        (None, Some(to)) => json!({ "to": if to.ends_with('Z') { to.to_owned() } else { format!("{to}Z") } }),
        (None, None) => json!({}),
    };
    let input: Advance =
        serde_json::from_value(input).map_err(Error::failed("a move of the test clock cannot be read"))?;
    let from = app.store.clock().now();
    let done = clock::advance(app, &input).await?;
    if let Some(journal) = &app.journal {
        journal.note_move(Moved { from, to: done.now, fired: done.fired });
    }
    Ok(())
}
