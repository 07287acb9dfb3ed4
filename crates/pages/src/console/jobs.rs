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
use super::clock::job_kind_label;
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
        .route("/console/companies/{company}/jobs", get(list_jobs))
        .route("/console/companies/{company}/jobs/retry", post(retry_job))
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
    fn from_job(job: JobRecord, name: Option<String>, developer: bool, dates: Dates) -> Self {
        let written = |at: Option<jiff::Timestamp>| at.map(|at| dates.format_moment(at)).unwrap_or_default();
        Self {
            id: job.id,
            kind: job_kind_label(&job.kind),
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

async fn list_jobs(
    State(app): State<App>,
    Path(Id(company)): Path<Id>,
    query: Query,
    request: Request,
) -> Response {
    let done = query.text_value("done") == Some("retried");
    access::show_page(&app, request, For::Company(company, SEE), move |tx, visit| {
        let found = dead_letters::given_up(tx, Some(company), 0)?;
        let (dates, mut lines) = (visit.frame.dates, Vec::with_capacity(found.len()));
        for job in found {
            let name = name_of_work(tx, company, &job.kind, job.entity, dates)?;
            lines.push(Line::from_job(job, name, visit.is_developer(), dates));
        }
        frame::render_page(&ListPage { frame: &visit.frame, lines, may_retry: visit.has_scope(RETRY), done })
    })
    .await
}

async fn retry_job(State(app): State<App>, Path(Id(company)): Path<Id>, request: Request) -> Response {
    access::submit_form(&app, request, For::Company(company, RETRY), move |tx, visit, form| {
        let id = id_of(form.get("job").unwrap_or_default());
        if !dead_letters::retry_job(tx, &visit.caller, id)? {
            return Err(Error::NotFound);
        }
        Ok(format!("/console/companies/{company}/jobs?done=retried"))
    })
    .await
}
