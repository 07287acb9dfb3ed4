//! A company's background jobs that failed permanently: why, and a button that retries them.

use askama::Template;
use axum::Router;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use axum::routing::{get, post};
use uuid::Uuid;

use super::access;
use super::access::For;
use super::audit::name_of_work;
use super::clock::kind;
use super::frame;
use super::frame::Frame;
use super::show::Dates;
use domain::platform::jobs::dead_letters::{self, JobRecord};
use domain::records::id_of;
use interface::app::App;
use interface::error::Error;
use interface::http::Id;
use interface::query::Query;

/// Scope for seeing failed jobs.
const SEE: &str = "company_admin:read";
/// Scope for retrying them: it is mostly payrolls that wait for them.
pub(super) const RETRY: &str = "payrolls:write";

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/console/companies/{company}/jobs", get(list))
        .route("/console/companies/{company}/jobs/retry", post(retry))
}

struct Line {
    id: Uuid,
    kind: String,
    /// the record's display name; empty if it has none
    record: String,
    tries: i64,
    reason: String,
    first: String,
    last: String,
}

impl Line {
    fn of(job: JobRecord, name: Option<String>, developer: bool, dates: Dates) -> Self {
        let written = |at: Option<jiff::Timestamp>| at.map(|at| dates.moment(at)).unwrap_or_default();
        Self {
            id: job.id,
            kind: kind(&job.kind),
            record: name.unwrap_or_default(),
            tries: job.tries,
            // Internal causes are for the operator; others give the operator the identifier.
            reason: job.reason.filter(|_| developer).unwrap_or_default(),
            first: written(job.first_failed_at),
            last: written(job.failed_at),
        }
    }
}

#[derive(Template)]
#[template(path = "console/jobs.html")]
struct ListPage<'a> {
    frame: &'a Frame,
    lines: Vec<Line>,
    /// whether jobs can be retried
    may_retry: bool,
    /// whether jobs were just retried
    done: bool,
}

async fn list(
    State(app): State<App>,
    Path(Id(company)): Path<Id>,
    query: Query,
    request: Request,
) -> Response {
    let done = query.text("done") == Some("retried");
    access::page(&app, request, For::Company(company, SEE), move |tx, visit| {
        let found = dead_letters::given_up(tx, Some(company), 0)?;
        let (dates, mut lines) = (visit.frame.dates, Vec::with_capacity(found.len()));
        for job in found {
            let name = name_of_work(tx, company, &job.kind, job.entity, dates)?;
            lines.push(Line::of(job, name, visit.is_developer(), dates));
        }
        frame::render(&ListPage { frame: &visit.frame, lines, may_retry: visit.may(RETRY), done })
    })
    .await
}

async fn retry(State(app): State<App>, Path(Id(company)): Path<Id>, request: Request) -> Response {
    access::act(&app, request, For::Company(company, RETRY), move |tx, visit, form| {
        let id = id_of(form.get("job").unwrap_or_default());
        if !dead_letters::retry(tx, &visit.caller, id)? {
            return Err(Error::NotFound);
        }
        Ok(format!("/console/companies/{company}/jobs?done=retried"))
    })
    .await
}
