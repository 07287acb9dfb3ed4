//! Which vintages of reference data are in use, and which tables of law are missing.

use askama::Template;
use axum::Router;
use axum::extract::{Request, State};
use axum::response::Response;
use axum::routing::get;

use super::access;
use super::access::For;
use super::frame;
use super::frame::Frame;
use domain::datasets;
use interface::app::App;

pub(super) fn routes() -> Router<App> {
    Router::new().route("/console/data", get(show_data))
}

struct Line {
    kind: &'static str,
    vintage: String,
    rows: String,
    checksum: String,
    from: String,
}

#[derive(Template)]
#[template(path = "console/data.html")]
struct DataPage<'a> {
    frame: &'a Frame,
    lines: Vec<Line>,
    missing: Vec<MissingLine>,
}

/// A table of law that is missing.
struct MissingLine {
    kind: &'static str,
    year: i16,
    of: String,
}

async fn show_data(State(app): State<App>, request: Request) -> Response {
    access::show_page(&app, request, For::Everybody, |tx, visit| {
        let lines = datasets::vintages_in_use(tx)?.into_iter().map(|one| Line {
            kind: one.kind,
            rows: one.rows.map_or_else(|| "not opened yet".to_owned(), |rows| rows.to_string()),
            from: one.imported_at.map_or_else(
                || "built in".to_owned(),
                |at| format!("imported {}", visit.frame.dates.format_moment(at)),
            ),
            vintage: one.vintage,
            checksum: one.checksum,
        });
        let missing = datasets::missing_entries(tx)?.into_iter().map(|table| MissingLine {
            kind: table.kind,
            year: table.year,
            of: table.of.join(", "),
        });
        let missing = missing.collect();
        frame::render_page(&DataPage { frame: &visit.frame, lines: lines.collect(), missing })
    })
    .await
}
