//! The applications to which a company is connected: what the tokens of each may do, and a button that ends the connection.

use askama::Template;
use axum::Router;
use axum::extract::{Path, Request, State};
use axum::http::header::LOCATION;
use axum::response::Response;
use axum::routing::{get, post};
use uuid::Uuid;

use super::access;
use super::access::For;
use super::frame;
use super::frame::Frame;
use crate::oauth::{consent, texts};
use domain::access::{applications, connections, tokens};
use domain::company::partners::service as partners;
use domain::language::Language;
use domain::records::id_of;
use interface::app::App;
use interface::error::Error;
use interface::http::Id;
use interface::query::Query;

/// Scope for seeing them.
const SEE: &str = "company_admin:read";
/// Scope for ending a connection: an administrator who may consent may withdraw consent.
const END: &str = "company_admin:write";
/// Query of the page after a connection has ended.
const DONE: &str = "?done=ended";
/// Applications on the page.
const MOST: i64 = 100;

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/console/companies/{company}/applications", get(list_applications))
        .route("/console/companies/{company}/applications/end", post(end_connection))
}

struct Line {
    id: Uuid,
    name: String,
    since: String,
    ended: Option<String>,
    disabled: bool,
    /// what its tokens may do; several if they differ
    held: Vec<Vec<String>>,
}

#[derive(Template)]
#[template(path = "console/applications.html")]
struct ListPage<'a> {
    frame: &'a Frame,
    lines: Vec<Line>,
    /// whether connections can be ended
    may_end: bool,
    /// whether one was just ended
    done: bool,
}

async fn list_applications(
    State(app): State<App>,
    Path(Id(company)): Path<Id>,
    query: Query,
    request: Request,
) -> Response {
    let done = query.text_value("done") == Some("ended");
    access::show_page(&app, request, For::Company(company, SEE), move |tx, visit| {
        let (words, dates) = (texts::texts_in_language(Language::English), visit.frame.dates);
        let mut lines = Vec::new();
        for one in connections::of_company(tx, company, MOST)? {
            let Some(application) = applications::find_application(tx, &one.application.to_string())? else {
                continue;
            };
            let held = tokens::scopes_held(tx, company, one.application)?;
            lines.push(Line {
                id: one.application,
                name: one.name,
                since: dates.format_moment(one.connected_at),
                ended: one.ended_at.map(|at| dates.format_moment(at)),
                disabled: application.disabled_at.is_some(),
                held: held.into_iter().map(|scopes| consent::scope_lines(scopes, words)).collect(),
            });
        }
        lines.sort_by_key(|line| line.ended.is_some());
        frame::render_page(&ListPage { frame: &visit.frame, lines, may_end: visit.has_scope(END), done })
    })
    .await
}

async fn end_connection(State(app): State<App>, Path(Id(company)): Path<Id>, request: Request) -> Response {
    let response = access::submit_form(&app, request, For::Company(company, END), move |tx, visit, form| {
        let application = id_of(form.get("application").unwrap_or_default());
        partners::revoke_consent(tx, &visit.caller, application).map_err(Error::from)?;
        Ok(format!("/console/companies/{company}/applications{DONE}"))
    });
    let response = response.await;
    // This node knows the revocation at once; other nodes notice within a second.
    if response.headers().get(LOCATION).is_some_and(|to| to.as_bytes().ends_with(DONE.as_bytes())) {
        app.grants.forget_all();
    }
    response
}
