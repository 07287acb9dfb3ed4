//! An employee's salary estimates, and the report of one.

use askama::Template;
use axum::Router;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use axum::routing::get;
use store::Tx;
use uuid::Uuid;

use super::access;
use super::access::{File, For, Given, PageContext};
use super::employees::full_name;
use super::frame;
use super::frame::Frame;
use super::picture;
use crate::money::format_amount;
use crate::salary_report as report;
use domain::people::employees;
use domain::people::forms::document::Section;
use domain::records::id_of;
use domain::salary::estimates::rows::Estimate;
use domain::salary::estimates::{rows, service};
use interface::app::App;
use interface::error::Error;
use interface::http::{Id, InCompany};
use interface::query::Query;
use rules::Named;
use rules::salary::{Basis, Level, Occupation};
use serde::Deserialize;

/// Maximum number of estimates shown.
const MOST: i64 = 20;

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/console/companies/{company}/employees/{employee}/salary", get(show_salary_estimates))
        .route(
            "/console/companies/{company}/employees/{employee}/salary/{estimate}/report.pdf",
            get(download_report),
        )
}

struct Line {
    id: Uuid,
    /// whether it is shown
    current: bool,
    result: String,
    zip_code: String,
    vintage: String,
    changed: String,
    accepted: Option<String>,
}

#[derive(Template)]
#[template(path = "console/salary.html")]
struct SalaryPage<'a> {
    frame: &'a Frame,
    company: Uuid,
    employee: Uuid,
    name: String,
    lines: Vec<Line>,
    /// the selected estimate
    shown: Option<Uuid>,
    /// its position among published wages, as a chart
    strip: String,
    sections: Vec<Section>,
}

async fn show_salary_estimates(
    State(app): State<App>,
    Path(InCompany { company, id }): Path<InCompany>,
    query: Query,
    request: Request,
) -> Response {
    let asked = query.text_value("estimate").map(id_of);
    access::show_page(&app, request, For::Company(company, "salary_estimates:read"), move |tx, visit| {
        let employee = employees::service::find_employee(tx, &visit.caller, id)?;
        let found = rows::of_employee(tx, company, id, MOST)?;
        let shown = match asked {
            Some(asked) => Some(estimate_of_employee(tx, visit, id, asked)?),
            None => found.first().map(|newest| newest.id),
        };
        let sections = match shown {
            Some(shown) => report::report_sections(tx, &visit.caller, shown)?,
            None => Vec::new(),
        };
        let strip = match shown {
            Some(shown) => strip_of(&service::find_estimate(tx, &visit.caller, shown)?),
            None => String::new(),
        };
        let lines = found.into_iter().map(|one| Line {
            id: one.id,
            current: shown == Some(one.id),
            result: format_amount(one.result),
            zip_code: one.zip_code,
            vintage: one.basis.vintage,
            changed: visit.frame.dates.format_moment(one.updated_at),
            accepted: one.accepted_at.map(|at| visit.frame.dates.format_moment(at)),
        });
        frame::render_page(&SalaryPage {
            frame: &visit.frame,
            company,
            employee: id,
            name: full_name(&employee.first_name, &employee.last_name),
            lines: lines.collect(),
            shown,
            strip,
            sections,
        })
    })
    .await
}

/// The estimate on the strip of results with the same level for every occupation, from the lowest to the highest.
fn strip_of(estimate: &Estimate) -> String {
    let percentiles = Level::ALL.iter().filter_map(|level| {
        let occupations = estimate.basis.occupations.iter();
        let occupations = occupations.map(|one| Occupation { level: *level, ..one.clone() }).collect();
        let basis = Basis { occupations, ..estimate.basis.clone() };
        Some((level.percentile(), basis.estimated_salary()?))
    });
    picture::wage_strip(&percentiles.collect::<Vec<_>>(), estimate.result)
}

/// The estimate, if it is the employee's.
fn estimate_of_employee(
    tx: &mut Tx<'_>,
    visit: &PageContext,
    employee: Uuid,
    id: Uuid,
) -> Result<Uuid, Error> {
    let found = service::find_estimate(tx, &visit.caller, id)?;
    if found.employee == employee { Ok(found.id) } else { Err(Error::NotFound) }
}

/// The report of an estimate in a path.
#[derive(Debug, Deserialize)]
struct ReportPath {
    company: Id,
    employee: Id,
    estimate: Id,
}

async fn download_report(State(app): State<App>, Path(path): Path<ReportPath>, request: Request) -> Response {
    let (Id(company), Id(employee), Id(estimate)) = (path.company, path.employee, path.estimate);
    access::show_page_or_file(
        &app,
        request,
        For::Company(company, "salary_estimates:read"),
        move |tx, visit| {
            let id = estimate_of_employee(tx, visit, employee, estimate)?;
            let bytes = report::report_pdf(tx, &visit.caller, id)?;
            Ok(Given::File(File {
                kind: "application/pdf",
                name: format!("salary-estimate-{id}.pdf"),
                bytes,
            }))
        },
    )
    .await
}
