//! `/docs`: the API as pages, generated from its description.
//!
//! [`book`] lays the description out once; [`examples`] says how each operation is called, and [`script`] turns that
//! into a few lines of shell; [`errors`] shows every kind of error. The pages load nothing from elsewhere, need no
//! script, and contain nothing secret: only under `stipend dev` the identifiers and tokens of the demo world appear in
//! the examples, and `docs.js` adds a form that sends them.

pub mod areas;
pub mod book;
mod clients;
mod colours;
mod errors;
mod guides;
mod markdown;
mod script;

use std::sync::LazyLock;

use askama::Template;
use axum::Router;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use rules::Named;

use self::book::{Area, Book, Operation, Row};
use self::errors::Shown;
use self::guides::{Found, Guide};
use self::script::Script;
use crate::hosted as pages;
use crate::hosted::Allowed;
use domain::access::oauth::reasons::Reason;
use domain::version::ApiVersion;
use interface::app::App;
use interface::compat;
use interface::error::Error;
use interface::examples;
use interface::query::Query;
use interface::version::Difference;

/// The pages.
pub fn routes() -> Router<App> {
    Router::new()
        .route("/docs", get(index))
        .route("/docs/areas/{slug}", get(show_area))
        .route("/docs/operations/{id}", get(show_operation))
        .route("/", get(show_landing))
        .route("/docs/guides", get(all_guides))
        .route("/docs/guides/{slug}", get(show_guide))
        .route("/docs/search", get(show_search))
        .route("/docs/errors", get(all_errors))
        .route("/docs/versions", get(show_versions))
        .route("/docs/compatibility", get(show_compatibility))
}

/// The frame around a page.
struct Frame {
    title: String,
    areas: &'static [Area],
    /// the area of the page
    area: Option<&'static str>,
    /// the operation of the page
    operation: Option<&'static str>,
    /// the page, if it belongs to no area
    page: &'static str,
    /// the search text
    query: String,
}

impl Frame {
    fn new(title: impl Into<String>, page: &'static str) -> Self {
        Self {
            title: title.into(),
            areas: &Book::get_book().areas,
            area: None,
            operation: None,
            page,
            query: String::new(),
        }
    }

    fn of_area(title: &str, area: &'static Area, operation: Option<&'static str>) -> Self {
        Self { area: Some(&area.slug), operation, ..Self::new(title, "") }
    }

    /// The areas in their groups.
    fn groups(&self) -> Vec<(&'static str, Vec<&'static Area>)> {
        let named = |name: &&str| self.areas.iter().find(|area| area.name == **name);
        let group =
            |(title, names): &(&'static str, &[&str])| (*title, names.iter().filter_map(&named).collect());
        areas::GROUPS.iter().map(group).collect()
    }

    fn is_area(&self, area: &Area) -> bool {
        self.area == Some(&*area.slug)
    }

    fn is_operation(&self, operation: &Operation) -> bool {
        self.operation == Some(&*operation.id)
    }
}

#[derive(Template)]
#[template(path = "docs/index.html")]
struct IndexPage<'a> {
    frame: Frame,
    base: &'a str,
    dev: bool,
    first: String,
    operations: usize,
}

#[derive(Template)]
#[template(path = "docs/area.html")]
struct AreaPage {
    frame: Frame,
    area: &'static Area,
}

/// The example of an operation, for a shell and in the languages of the published clients.
#[derive(Template)]
#[template(path = "docs/call.html")]
struct CallExample {
    shell: String,
    /// of its answer
    status: u16,
    /// whether it does not run by itself
    is_apart: bool,
    clients: Vec<clients::Example>,
}

impl CallExample {
    fn from_operation(app: &App, one: &Operation, script: &Script) -> Self {
        Self {
            shell: script.to_shell(&app.public_url),
            status: one.success,
            is_apart: examples::not_alone(&one.name).is_some(),
            clients: clients::client_examples(&one.id, script, &app.public_url),
        }
    }
}

#[derive(Template)]
#[template(path = "docs/operation.html")]
struct OperationPage {
    frame: Frame,
    area: &'static Area,
    one: &'static Operation,
    call: CallExample,
    /// the script as JSON, for the form that sends it; `None` outside `stipend dev`
    tried: Option<String>,
    /// why the example does not run by itself
    apart: Option<&'static str>,
}

#[derive(Template)]
#[template(path = "docs/errors.html")]
struct ErrorsPage {
    frame: Frame,
    shown: Vec<Shown>,
    reasons: &'static [Reason],
}

#[derive(Template)]
#[template(path = "docs/versions.html")]
struct VersionsPage {
    frame: Frame,
    default: &'static str,
    /// every version, to choose the two to compare
    all: Vec<&'static str>,
    /// the two versions
    asked: (String, String),
    versions: Vec<(&'static str, Vec<Difference>)>,
}

/// The URL of the service as seen by a browser, without a path.
#[derive(Template)]
#[template(path = "landing.html")]
struct LandingPage {
    dev: bool,
    operations: usize,
}

#[derive(Template)]
#[template(path = "docs/guides.html")]
struct GuidesPage {
    frame: Frame,
    guides: &'static [Guide],
}

#[derive(Template)]
#[template(path = "docs/guide.html")]
struct GuidePage {
    frame: Frame,
    /// the guide up to its first call, or all of it
    html: String,
    /// the first call, and what comes after it
    first: Option<(CallExample, String)>,
    /// its sections
    contents: Vec<markdown::Section>,
}

#[derive(Template)]
#[template(path = "docs/search.html")]
struct SearchPage {
    frame: Frame,
    query: String,
    found: Vec<Found>,
}

#[derive(Template)]
#[template(path = "docs/compatibility.html")]
struct CompatibilityPage {
    frame: Frame,
    rows: &'static [compat::Row],
    counts: [usize; 4],
    events: Vec<compat::EventRow>,
}

impl CompatibilityPage {
    /// The areas in their order, with their operations.
    fn operations_by_area(&self) -> Vec<(&'static str, Vec<&'static compat::Row>)> {
        let mut areas: Vec<(&'static str, Vec<&'static compat::Row>)> = Vec::new();
        for row in self.rows {
            match areas.last_mut() {
                Some((area, rows)) if *area == row.area => rows.push(row),
                _ => areas.push((row.area, vec![row])),
            }
        }
        areas
    }
}

#[derive(Template)]
#[template(path = "docs/message.html")]
struct MessagePage {
    frame: Frame,
}

/// Rows of a shape, each with its nested rows.
#[derive(Template)]
#[template(path = "docs/rows.html")]
struct Rows<'a> {
    rows: &'a [Row],
    /// whether they belong to a request rather than to a response
    asked: bool,
}

impl Rows<'_> {
    fn nested_rows(&self, row: &Row) -> String {
        rows_html(&row.fields, self.asked)
    }
}

/// Rows as HTML.
fn rows_html(rows: &[Row], asked: bool) -> String {
    Rows { rows, asked }.render().unwrap_or_default()
}

/// Text with backticks for code, as HTML.
fn rich_text_html(text: &str) -> String {
    let mut html = String::new();
    for (place, part) in text.split('`').enumerate() {
        let mut escaped = String::with_capacity(part.len());
        for letter in part.chars() {
            match letter {
                '&' => escaped.push_str("&amp;"),
                '<' => escaped.push_str("&lt;"),
                '>' => escaped.push_str("&gt;"),
                '"' => escaped.push_str("&quot;"),
                letter => escaped.push(letter),
            }
        }
        if place % 2 == 1 {
            html += &format!("<code>{escaped}</code>");
        } else {
            html += &escaped;
        }
    }
    html
}

/// The page of an operation, given by method and route.
fn page_of(name: &str) -> Option<String> {
    let mut operations = Book::get_book().operations();
    operations.find(|(_, one)| one.name == name).map(|(_, one)| format!("/docs/operations/{}", one.id))
}

async fn index(State(app): State<App>) -> Response {
    let first =
        Script::for_operation("GET /v1/companies/{company_id}/employees", app.settings.demo.as_deref());
    let page = IndexPage {
        frame: Frame::new("API documentation", "index"),
        base: &app.public_url,
        dev: app.settings.dev,
        first: first.to_shell(&app.public_url),
        operations: Book::get_book().operations().count(),
    };
    page_response(&app, StatusCode::OK, &page)
}

async fn show_area(State(app): State<App>, Path(slug): Path<String>) -> Response {
    match Book::get_book().areas.iter().find(|area| area.slug == slug) {
        Some(area) => page_response(
            &app,
            StatusCode::OK,
            &AreaPage { frame: Frame::of_area(&area.name, area, None), area },
        ),
        None => not_found_page(&app),
    }
}

async fn show_operation(State(app): State<App>, Path(id): Path<String>) -> Response {
    let Some((area, one)) = Book::get_book().find_operation(&id) else {
        return not_found_page(&app);
    };
    let script = Script::for_operation(&one.name, app.settings.demo.as_deref());
    let page = OperationPage {
        frame: Frame::of_area(&one.summary, area, Some(&one.id)),
        area,
        one,
        call: CallExample::from_operation(&app, one, &script),
        tried: if app.settings.dev { serde_json::to_string(&script).ok() } else { None },
        apart: examples::not_alone(&one.name),
    };
    page_response(&app, StatusCode::OK, &page)
}

async fn all_errors(State(app): State<App>) -> Response {
    let page = ErrorsPage {
        frame: Frame::new("Errors", "errors"),
        shown: errors::error_kinds(&app.public_url),
        reasons: Reason::ALL,
    };
    page_response(&app, StatusCode::OK, &page)
}

/// Every version with what it introduced, or the differences between two of them.
async fn show_versions(State(app): State<App>, query: Query) -> Response {
    let all: Vec<_> = ApiVersion::ALL.into_iter().map(ApiVersion::as_str).collect();
    let asked =
        |name: &str| query.text_value(name).and_then(|text| all.iter().copied().find(|one| *one == text));
    let (from, to) = (asked("from"), asked("to"));
    let mut versions = book::version_history();
    // ISO dates as text sort by date.
    versions
        .retain(|(version, _)| from.is_none_or(|from| *version > from) && to.is_none_or(|to| *version <= to));
    let owned = |one: Option<&str>| one.unwrap_or_default().to_owned();
    let page = VersionsPage {
        frame: Frame::new("Versions", "versions"),
        default: ApiVersion::NEWEST.as_str(),
        asked: (owned(from), owned(to)),
        all,
        versions,
    };
    page_response(&app, StatusCode::OK, &page)
}

async fn show_landing(State(app): State<App>) -> Response {
    let page = LandingPage { dev: app.settings.dev, operations: Book::get_book().operations().count() };
    page_response(&app, StatusCode::OK, &page)
}

async fn all_guides(State(app): State<App>) -> Response {
    page_response(
        &app,
        StatusCode::OK,
        &GuidesPage { frame: Frame::new("Guides", "guides"), guides: guides::ALL },
    )
}

async fn show_guide(State(app): State<App>, Path(slug): Path<String>) -> Response {
    let Some(guide) = guides::find_guide(&slug) else { return not_found_page(&app) };
    let call = guide.first_call();
    let first = call.as_ref().and_then(|call| {
        let (_, one) = Book::get_book().find_operation(call.operation)?;
        let script = Script::for_operation(&one.name, app.settings.demo.as_deref());
        Some((CallExample::from_operation(&app, one, &script), markdown::guide_html(call.after)))
    });
    let page = GuidePage {
        frame: Frame::new(guide.title(), "guides"),
        html: markdown::guide_html(call.map_or(guide.text, |call| call.before)),
        first,
        contents: markdown::guide_sections(guide.text),
    };
    page_response(&app, StatusCode::OK, &page)
}

async fn show_search(State(app): State<App>, query: Query) -> Response {
    let query = query.text_value("q").unwrap_or_default().trim().to_owned();
    let found = guides::search_docs(&query);
    let mut frame = Frame::new("Search", "search");
    frame.query.clone_from(&query);
    page_response(&app, StatusCode::OK, &SearchPage { frame, query, found })
}

async fn show_compatibility(State(app): State<App>) -> Response {
    // The description does not change while the process runs.
    static ROWS: LazyLock<Vec<compat::Row>> =
        LazyLock::new(|| compat::compatibility_table(&crate::routes::description_text()));
    let page = CompatibilityPage {
        frame: Frame::new("Compatibility", "compatibility"),
        counts: compat::count_operations(&ROWS),
        rows: &ROWS,
        events: compat::event_table(),
    };
    page_response(&app, StatusCode::OK, &page)
}

/// The page for whoever opens an address in a browser that has none.
pub fn not_found_page(app: &App) -> Response {
    page_response(app, StatusCode::NOT_FOUND, &MessagePage { frame: Frame::new("No such page", "") })
}

/// A page with its headers.
fn page_response(app: &App, status: StatusCode, page: &impl Template) -> Response {
    let response = match page.render() {
        Ok(html) => (status, Html(html)).into_response(),
        Err(error) => {
            Error::failed_operation("a page of the documentation could not be written")(error).into_response()
        }
    };
    let https = pages::is_https(Some(&app.public_url));
    pages::guard_response(Allowed { forms_lead_to: "", framed_by: &[], https }, response)
}
