//! The report of a salary estimate, as a page to print or as PDF, for the company's records.

use askama::Template;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderValue, header};
use axum::response::Response;
use interface::http::Id;
use interface::{named, query};
use jiff::tz::TimeZone;
use rules::{Amount, Checks, Named};
use store::Tx;
use utoipa::openapi::Schema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use domain::Error;
use domain::access::tokens::Caller;
use domain::company::companies;
use domain::language::Language;
use domain::people::employees;
use domain::people::forms::document::{Document, DocumentLine, Section, Signature, format_moment};
use domain::people::forms::pdf;
use domain::salary::estimates::{explain, service};
use interface::app::App;
use interface::http::{Call, disposition};
use interface::query::{Parameter, Query, parameter_violation};
use interface::salary::estimates::wire::{
    EstimateAlternative, ExplainedOccupation, SalaryEstimateExplanation,
};
use interface::values::PdfFile;

use crate::money::{dollars_of, format_cents};

const TITLE: &str = "Reasonable Salary Estimate";
const INTRO: &str = "What others are paid for the same work in the same area, by published wage statistics: the measure \
                     for the salary of a shareholder who works for the corporation (26 CFR 1.162-7(b)(3)).";

/// The operation that returns the report.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(report_salary_estimate))
}

/// The format of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// an HTML page
    Html,
    /// a PDF document
    Pdf,
}

impl Format {
    const ALL: [(&str, Self); 2] = [("html", Self::Html), ("pdf", Self::Pdf)];
}

/// HTML by default.
impl Parameter for Format {
    fn read_parameter(query: &Query, key: &str, checks: &mut Checks) -> Self {
        let Some(text) = query.text_value(key) else { return Self::Html };
        let named = Self::ALL.into_iter().find(|(name, _)| *name == text).map(|(_, format)| format);
        if named.is_none() {
            checks.push(parameter_violation(key, "must be html or pdf"));
        }
        named.unwrap_or(Self::Html)
    }
    fn schema() -> Schema {
        named::schema_of_names(&Self::ALL.map(|(name, _)| name))
    }
}

query! {
    /// The format of the response.
    ReportSalaryEstimate {
        /// `html` or `pdf`
        format: Format,
    }
}

/// Responds with the report of an estimate.
///
/// # Errors
/// "Not found"; a store error.
pub async fn report_response(
    app: &App,
    call: Call,
    id: Uuid,
    format: Format,
) -> Result<Response, interface::error::Error> {
    let (caller, _) = call.into_caller_and_key()?;
    let body = app.store.read(move |tx| match format {
        Format::Pdf => report_pdf(tx, &caller, id),
        Format::Html => {
            let (document, head) = report_document(tx, &caller, id)?;
            report_html(&document, &head).map(String::into_bytes)
        }
    });
    let mut response = Response::new(Body::from(body.await?));
    let headers = response.headers_mut();
    let kind = match format {
        Format::Html => "text/html; charset=utf-8",
        Format::Pdf => "application/pdf",
    };
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    let policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
    if format == Format::Pdf {
        let name = disposition::inline_header(&format!("salary-estimate-{id}.pdf"));
        headers.insert(header::CONTENT_DISPOSITION, name);
    }
    Ok(response)
}

/// Print the explanation of a salary estimate
///
/// For the company's records: as a page to print, or with `format=pdf` as PDF.
#[utoipa::path(get, path = "/v1/salary_estimates/{salary_estimate_id}/report", tag = "Salary estimates",
    params(
        ("salary_estimate_id" = Uuid, Path, description = "The estimate"),
        ReportSalaryEstimate),
    responses((status = 200, description = "The report",
               content((String = "text/html"), (PdfFile = "application/pdf")))),
    security(("company_access" = ["salary_estimates:read"])))]
async fn report_salary_estimate(
    State(app): State<App>,
    call: Call,
    Path(Id(id)): Path<Id>,
    query: ReportSalaryEstimate,
) -> Result<Response, interface::error::Error> {
    report_response(&app, call, id, query.format).await
}

/// The header of a page.
struct Head {
    result: String,
    accepted: String,
}

#[derive(Template)]
#[template(path = "salary_report.html")]
struct Page<'p> {
    title: &'static str,
    intro: &'static str,
    id: Uuid,
    result: &'p str,
    accepted: &'p str,
    sections: &'p [Section],
}

/// The sections of an estimate's report, as on its page.
///
/// # Errors
/// "Not found"; a store error.
pub fn report_sections(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<Vec<Section>, Error> {
    report_document(tx, caller, id).map(|(document, _)| sections_of(&document))
}

/// The report of an estimate as PDF.
///
/// # Errors
/// "Not found"; a store error.
pub fn report_pdf(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<Vec<u8>, Error> {
    report_document(tx, caller, id).map(|(document, _)| pdf::render_pdf(&document))
}

fn sections_of(document: &Document) -> Vec<Section> {
    let parties = Section {
        heading: "Employee and employer".to_owned(),
        lines: vec![
            DocumentLine::new("", document.signer, document.signed_by.join(", ")),
            DocumentLine::new("", document.on_behalf_of.0, document.on_behalf_of.1.join(", ")),
        ],
    };
    std::iter::once(parties).chain(document.sections.iter().cloned()).collect()
}

fn report_html(document: &Document, head: &Head) -> Result<String, Error> {
    let sections = sections_of(document);
    let page = Page {
        title: TITLE,
        intro: INTRO,
        id: document.id,
        result: &head.result,
        accepted: &head.accepted,
        sections: &sections,
    };
    page.render().map_err(Error::failed_operation("a report could not be written"))
}

fn report_document(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<(Document, Head), Error> {
    let estimate = service::find_estimate(tx, caller, id)?;
    let employee = employees::service::find_employee(tx, caller, estimate.employee)?;
    let company = companies::rows::find_company(tx, caller.company)?.ok_or(Error::NotFound)?;
    let at = |at: jiff::Timestamp, zone: &TimeZone| format_moment(&at.to_zoned(zone.clone()));
    let accepted = estimate.accepted_at.map(|accepted| at(accepted, &caller.zone)).unwrap_or_default();
    let updated = at(estimate.updated_at, &caller.zone);
    let explanation = explain::explain_estimate(&estimate)
        .ok_or_else(|| Error::internal("an estimate cannot be explained"))?;
    let explanation = SalaryEstimateExplanation::new(estimate, explanation, &caller.zone);
    let result = format_cents(explanation.result);
    let mut sections = vec![summary_section(&explanation, &result, &accepted, &updated)];
    sections.extend(
        explanation.occupations.iter().enumerate().map(|(place, one)| occupation_section(place, one)),
    );
    sections.push(sensitivity_section(&explanation));
    sections.push(statistics_section(&explanation));
    let document = Document {
        id,
        language: Language::English,
        title: TITLE,
        code: result.clone(),
        intro: INTRO,
        signer: "Employee",
        signed_by: vec![format!("{} {}", employee.first_name, employee.last_name)],
        on_behalf_of: ("Employer", vec![company.name]),
        sections,
        statement: &[],
        signature: Signature::NotAsked,
        preparers: Vec::new(),
        shares: Vec::new(),
    };
    Ok((document, Head { result, accepted }))
}

fn summary_section(
    explanation: &SalaryEstimateExplanation,
    result: &str,
    accepted: &str,
    updated: &str,
) -> Section {
    let mut lines = vec![
        DocumentLine::new("", "Estimated salary a year", result),
        DocumentLine::new("", "ZIP code of the business", &explanation.zip_code),
        DocumentLine::new("", "Worked out", updated),
        DocumentLine::new("", "Accepted", if accepted.is_empty() { "not yet" } else { accepted }),
    ];
    if let Some(revenue) = &explanation.annual_net_revenue {
        lines.push(DocumentLine::new("", "Net revenue of a year", dollars_of(&revenue.amount)));
        let more = if revenue.exceeded { ", more than there is" } else { "" };
        let part = format!("{}{more}", percent_of(&revenue.part));
        lines.push(DocumentLine::new(
            "",
            "Salary as a part of the net revenue (no effect on the estimate)",
            part,
        ));
    }
    Section { heading: "Estimate".to_owned(), lines }
}

/// A part such as `0.2732` as a percentage, with one place.
fn percent_of(part: &str) -> String {
    let whole = Amount::parse(part).ok().and_then(|part| part.millionths().checked_mul(100));
    whole.map_or_else(
        || part.to_owned(),
        |hundredfold| {
            let tenths = (i128::from(hundredfold) + 50_000).div_euclid(100_000);
            format!("{}.{}%", tenths / 10, tenths % 10)
        },
    )
}

fn occupation_section(place: usize, one: &ExplainedOccupation) -> Section {
    let wage = match one.wage_basis {
        "hourly" => "Wage a year (hourly wage times 2,080 hours)",
        "floor" => "Wage a year (published floor)",
        _ => "Wage a year",
    };
    Section {
        heading: format!("Occupation {}: {}", place + 1, one.name),
        lines: vec![
            DocumentLine::new("", "Code of the classification (SOC 2018)", &one.code),
            DocumentLine::new(
                "",
                "Level of experience",
                format!("{}, percentile {}", one.experience_level, one.percentile),
            ),
            DocumentLine::new(
                "",
                "Area",
                format!("{} ({}, {})", one.area.name, one.area.kind, one.area.code),
            ),
            DocumentLine::new("", "Why this area and wage", &one.why),
            DocumentLine::new("", wage, dollars_of(&one.yearly_wage)),
            DocumentLine::new("", "Part of the time", &one.time_percentage),
            DocumentLine::new("", "Wage times part of the time", dollars_of(&one.product)),
        ],
    }
}

fn sensitivity_section(explanation: &SalaryEstimateExplanation) -> Section {
    let shown = |other: &Option<EstimateAlternative>, none: &str| {
        other.as_ref().map_or(none.to_owned(), |other| {
            let sign = if other.difference < 0 { "-" } else { "+" };
            format!("{} ({sign}{})", format_cents(other.result), format_cents(other.difference.abs()))
        })
    };
    let lines = explanation.occupations.iter().flat_map(|one| {
        let level = |other: &Option<EstimateAlternative>| {
            other.as_ref().map_or("-", |other| other.experience_level.0.as_str())
        };
        [
            DocumentLine::new(
                "",
                format!("{}: one level lower ({})", one.name, level(&one.lower)),
                shown(&one.lower, "there is none"),
            ),
            DocumentLine::new(
                "",
                format!("{}: one level higher ({})", one.name, level(&one.higher)),
                shown(&one.higher, "there is none"),
            ),
        ]
    });
    Section { heading: "If the level of experience were another".to_owned(), lines: lines.collect() }
}

fn statistics_section(explanation: &SalaryEstimateExplanation) -> Section {
    Section {
        heading: "How it was worked out".to_owned(),
        lines: vec![
            DocumentLine::new("", "Method", "Sum over the occupations of wage a year times part of the time"),
            DocumentLine::new("", "Rounding", explanation.rounding),
            DocumentLine::new("", "Source of the wages", explanation.statistics.source),
            DocumentLine::new("", "Survey of", &explanation.statistics.vintage),
            DocumentLine::new("", "SHA-256 of the data", &explanation.statistics.checksum),
        ],
    }
}
