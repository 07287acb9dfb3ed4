//! Every state and local tax in the tables.

use askama::Template;
use axum::Router;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use axum::routing::get;

use super::ROWS;
use super::access;
use super::access::For;
use super::frame;
use super::frame::Frame;
use super::show::Pages;
use domain::pay::payrolls::views::taxes;
use domain::pay::payrolls::views::taxes::Tax;
use interface::app::App;
use interface::http::Id;
use interface::query::Query;
use rules::Named;
use rules::taxes::Payer;

pub(super) fn routes() -> Router<App> {
    Router::new().route("/console/companies/{company}/taxes", get(list_taxes))
}

/// Maximum characters of a search.
const LONGEST: usize = 100;

#[derive(Template)]
#[template(path = "console/taxes.html")]
struct TaxesPage<'a> {
    frame: &'a Frame,
    q: &'a str,
    lines: Vec<Tax>,
    pages: Pages,
}

async fn list_taxes(
    State(app): State<App>,
    Path(Id(company)): Path<Id>,
    query: Query,
    request: Request,
) -> Response {
    let page = Pages::page_number(&query);
    let q: String = query.text_value("q").unwrap_or_default().trim().chars().take(LONGEST).collect();
    access::show_page(&app, request, For::Company(company, "payrolls:read"), move |tx, visit| {
        let mut found = taxes::list_taxes(tx, &visit.caller)?;
        found.retain(|tax| is_called(tax, &q));
        let total = i64::try_from(found.len()).unwrap_or(i64::MAX);
        let rows = usize::try_from(ROWS).unwrap_or(usize::MAX);
        let before = usize::try_from(page - 1).unwrap_or(usize::MAX).saturating_mul(rows);
        let lines = found.into_iter().skip(before).take(rows).collect();
        let pages = Pages::of_total(page, total, &[("q", &q)]);
        frame::render_page(&TaxesPage { frame: &visit.frame, q: &q, lines, pages })
    })
    .await
}

/// Whether the name or the code contains the search text.
fn is_called(tax: &Tax, q: &str) -> bool {
    let q = q.to_lowercase();
    tax.name.to_lowercase().contains(&q) || tax.code.to_lowercase().contains(&q)
}
