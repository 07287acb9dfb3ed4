//! An administrator's own sessions: where they are signed in, and buttons that end sessions.

use askama::Template;
use axum::Router;
use axum::extract::{Request, State};
use axum::response::Response;
use axum::routing::get;
use serde_json::json;

use super::access;
use super::access::{For, Who};
use super::frame;
use super::frame::Frame;
use super::show::Dates;
use domain::access::oauth::sessions::Listed;
use domain::platform::audit;
use interface::app::App;
use interface::error::Error;
use interface::query::Query;

pub(super) fn routes() -> Router<App> {
    Router::new().route("/console/account", get(show_account).post(end_sessions))
}

struct Line {
    name: String,
    began: String,
    used: String,
    is_this_one: bool,
}

impl Line {
    fn from_session(one: Listed, dates: Dates) -> Self {
        Self {
            name: hex::encode(one.name),
            began: dates.format_moment(one.created_at),
            used: dates.format_moment(one.used_at),
            is_this_one: one.is_this_one,
        }
    }
}

#[derive(Template)]
#[template(path = "console/account.html")]
struct AccountPage<'a> {
    frame: &'a Frame,
    lines: Vec<Line>,
    others: bool,
    /// whether sessions were just ended
    done: bool,
}

async fn show_account(State(app): State<App>, query: Query, request: Request) -> Response {
    let done = query.text_value("done") == Some("ended");
    access::show_page(&app, request, For::Everybody, move |tx, visit| {
        // The developer at the machine is not signed in.
        let Who::Admin(session) = &visit.who else { return Err(Error::NotFound) };
        let lines: Vec<Line> = session
            .of_its_user(tx)?
            .into_iter()
            .map(|one| Line::from_session(one, visit.frame.dates))
            .collect();
        let others = lines.iter().any(|line| !line.is_this_one);
        frame::render_page(&AccountPage { frame: &visit.frame, lines, others, done })
    })
    .await
}

async fn end_sessions(State(app): State<App>, request: Request) -> Response {
    access::submit_form(&app, request, For::Everybody, move |tx, visit, form| {
        let Who::Admin(session) = &visit.who else { return Err(Error::NotFound) };
        let ended = match form.get("session") {
            Some("others") => session.end_others(tx)?,
            name => {
                let name = name.and_then(|name| hex::decode(name).ok()).unwrap_or_default();
                u64::from(session.end_one(tx, &name)?)
            }
        };
        let what = json!({ "ended": { "sessions": ended } });
        audit::record_audit_entry(tx, &visit.caller, "signed_out", ("users", session.user.id), &what)?;
        Ok("/console/account?done=ended".to_owned())
    })
    .await
}
