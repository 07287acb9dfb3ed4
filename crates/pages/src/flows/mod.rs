//! Hosted pages: plain forms that lead an employee or a contractor through onboarding, and the employer through the company's
//! onboarding and its payrolls. Every page works without a script.
//!
//! `/flows/{token}` exchanges a link for a session and redirects to `/flow`; from then on URLs contain no secret. Each
//! screen is one module with two functions: `view` (the content, from stored data or from the entries) and `save`
//! (through the same use cases as the API). This module finds the session, verifies that a form came from it, and turns
//! the outcome into a page: after saving, the next open screen; after a refusal, the form again with all entries and a
//! message at each field. Each form is answered by sending the browser on, so that going back never sends it again.

mod address;
mod contractor;
mod deductions;
mod dispatch;
mod documents;
mod employer;
mod federal;
mod form;
mod frame;
mod i9;
mod number;
mod pager;
mod payment;
mod personal;
mod plain;
mod previews;
mod question;
mod review;
mod screen;
mod state;
mod stubs;
mod tax_forms;
pub mod texts;
mod theme;
mod time_off;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Path, Request, State};
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use jiff::tz::TimeZone;
use store::Tx;
use uuid::Uuid;

pub use self::plain::message_page;

use self::dispatch::{Saved, render_screen, save_screen};
pub use self::form::Form;
use self::form::Problems;
use self::frame::{Frame, Screen};
use self::pager::Asked;
use crate::hosted as pages;
use crate::hosted::Allowed;
use domain::Error;
use domain::access::tokens::Caller;
use domain::company::document_links;
use domain::language::Language;
use domain::people::flows::drafts;
use domain::people::flows::service;
use domain::people::flows::service::Opened;
use domain::people::flows::session;
use domain::people::flows::session::{SessionState, Visitor};
use interface::app::App;
use interface::http::{Id, client_ip};
use interface::people::forms::wire::document_url;
use interface::query::Query;

/// Maximum bytes of a form.
const LARGEST: usize = 64 << 10;
/// Seconds after which a page about work in progress is reloaded.
const WAITING_SECONDS: &str = "2";
/// Query parameter with the key of a kept answer.
const ANSWER: &str = "answer";
/// How long a form may take to arrive.
const BODY_TIME: Duration = Duration::from_secs(10);

/// Pages of links.
pub fn routes() -> Router<App> {
    Router::new()
        .route("/flows/{token}", get(open_link))
        .route("/flow", get(resume_flow))
        .route("/flow/language", post(set_language))
        .route("/flow/{screen}", get(show_screen).post(submit_screen))
        .route("/flow/pay_stubs/{payroll}", get(stubs::show_stub))
        .route("/flow/pay_stubs/{payroll}/pdf", get(stubs::show_stub_pdf))
        .route("/flow/tax_forms/{form}/pdf", get(tax_forms::show_form_pdf))
        .merge(employer::payrolls::routes())
        .merge(employer::contractor_payments::routes())
        .route("/flow-documents/{form}", get(redirect_to_document))
        .merge(theme::routes())
        .route("/favicon.ico", get(|| async { StatusCode::NO_CONTENT }))
        .layer(DefaultBodyLimit::max(LARGEST))
}

/// The content of a page, or a redirect.
enum Outcome {
    Page(StatusCode, String),
    /// a page about work in progress, which the browser reloads after a while
    Waiting(String),
    File(stubs::Kind, Vec<u8>),
    GoTo(String),
}

/// Opens a link: starts a session and redirects to a clean URL.
async fn open_link(State(app): State<App>, Path(token): Path<String>, request: Request) -> Response {
    // Message scanners fetch links before people do: fetching does not open one.
    if request.method() == Method::HEAD {
        return guard_response(&app, StatusCode::OK.into_response());
    }
    if previews::is_preview(request.headers()) {
        let language = crate::language::preferred_language(request.headers());
        let texts = crate::flows::texts::texts_in_language(language);
        let page = plain::message_page(language, StatusCode::OK, texts.preview_title, texts.preview_text);
        return guard_response(&app, page);
    }
    let PageRequest { language, caller, cookie, .. } = PageRequest::from_request(&app, &request);
    let token = Arc::new(token);
    let asked = Arc::clone(&token);
    // A link that does not exist is refused by a read: guessing costs no write.
    let opened = match app.store.read(move |tx| service::link_exists(tx, &asked)).await {
        Ok(true) => {
            app.store.write(move |tx| service::open_link(tx, &caller, &token, cookie.as_deref())).await
        }
        Ok(false) => Ok(Opened::Unknown),
        Err(error) => Err(error),
    };
    let texts = crate::flows::texts::texts_in_language(language);
    let message = match opened {
        Ok(Opened::For(session)) => {
            let mut response = Redirect::to("/flow").into_response();
            if let Ok(cookie) = HeaderValue::from_str(&cookie_of(&app, &session.text)) {
                response.headers_mut().insert(header::SET_COOKIE, cookie);
            }
            return guard_response(&app, response);
        }
        Ok(Opened::Again) => return guard_response(&app, Redirect::to("/flow").into_response()),
        Ok(Opened::Expired) => (StatusCode::GONE, texts.expired_title, texts.expired_text),
        Ok(Opened::Unknown) => (StatusCode::NOT_FOUND, texts.unknown_title, texts.unknown_text),
        Err(error) => return guard_response(&app, failure_page(language, &error.into())),
    };
    guard_response(&app, plain::message_page(language, message.0, message.1, message.2))
}

/// Continues where the employee stopped.
async fn resume_flow(State(app): State<App>, request: Request) -> Response {
    visit_reading(&app, PageRequest::from_request(&app, &request), |tx, visitor, _| {
        Ok(Outcome::GoTo(Frame::load(tx, visitor, None)?.next_path()))
    })
    .await
}

async fn show_screen(
    State(app): State<App>,
    Path(screen): Path<String>,
    query: Query,
    request: Request,
) -> Response {
    let pages = Asked::from_query(&query);
    visit_reading(&app, PageRequest::from_request(&app, &request), move |tx, visitor, language| {
        let frame = Frame::load(tx, visitor, Some(language))?;
        let Some(screen) = frame.find_screen(&screen) else { return Ok(Outcome::GoTo(frame.next_path())) };
        let kept = match screen.keeps_drafts() {
            true => drafts::find_draft(tx, visitor, screen.name())?.map(|entries| Form::parse(&entries)),
            false => None,
        };
        let frame = frame.at_screen(screen).on_pages(pages).showing_kept(kept.as_ref());
        let page = render_screen(tx, visitor, &frame, kept.as_ref(), Problems::default())?;
        Ok(Outcome::Page(StatusCode::OK, page))
    })
    .await
}

async fn submit_screen(State(app): State<App>, Path(screen): Path<String>, request: Request) -> Response {
    let asked = PageRequest::from_request(&app, &request);
    let form = match read_form(&app, &asked, request).await {
        Ok(read) => read,
        Err(response) => return *response,
    };
    let with_zips = [Screen::Address, Screen::Places, Screen::Signatory, Screen::Contractors];
    let has_zip = with_zips.iter().any(|one| one.name() == screen);
    let zips = match has_zip {
        true => match app.reference.zip_areas.current().await {
            Ok(zips) => Some(zips),
            Err(error) => return guard_response(&app, failure_page(asked.language, &error.into())),
        },
        false => None,
    };
    let again = shown_again(screen.clone());
    let unit = move |tx: &mut Tx<'_>, visitor: &Visitor, language, form: &Form| {
        let frame = Frame::load(tx, visitor, Some(language))?.on_pages(Asked::of_form(form));
        let Some(screen) = frame.find_screen(&screen) else { return Ok(Outcome::GoTo(frame.next_path())) };
        let stored = save_screen(tx, visitor, screen, form, zips.as_deref().map(|held| &held.data));
        let saved = match stored {
            // Sent twice, or from an older page: the entries equal the stored values.
            Err(Error::Stale(stale)) if stale.differing.is_empty() => same_again(form),
            stored => stored?,
        };
        if screen.keeps_drafts() && matches!(saved, Saved::Done | Saved::Stay) {
            drafts::delete_draft(tx, visitor, screen.name())?;
        }
        // Saving may have completed a step, so the next open one is determined afterwards.
        match saved {
            Saved::Done => Ok(Outcome::GoTo(Frame::load(tx, visitor, Some(language))?.path_after(screen))),
            Saved::Stay => Ok(Outcome::GoTo(frame.path_on_page(screen))),
            Saved::Ask => show_screen_again(tx, visitor, frame.at_screen(screen), form, Problems::default()),
            Saved::Unconfirmed(key) => {
                show_screen_again(tx, visitor, frame.at_screen(screen), form, Problems::at_field(key))
            }
            Saved::Refused(refused) => show_screen_again(
                tx,
                visitor,
                frame.at_screen(screen),
                form,
                Problems::from_violations(&[refused]),
            ),
        }
    };
    visit_writing(&app, asked, form, unit, again).await
}

/// A form without changes is treated as an accepted one. A list stays, and a page continues.
fn same_again(form: &Form) -> Saved {
    if form.get("record").is_some() { Saved::Stay } else { Saved::Done }
}

/// Shows a screen again with its entries and problems.
fn shown_again(
    screen: String,
) -> impl Fn(&mut Tx<'_>, &Visitor, Language, &Form, Problems) -> Result<Outcome, Error> + Send + 'static {
    move |tx, visitor, language, form, problems| {
        let frame = Frame::load(tx, visitor, Some(language))?.on_pages(Asked::of_form(form));
        let Some(screen) = frame.find_screen(&screen) else { return Ok(Outcome::GoTo(frame.next_path())) };
        show_screen_again(tx, visitor, frame.at_screen(screen), form, problems)
    }
}

/// A screen again, with its entries, and with problems if there are any.
fn show_screen_again(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    frame: Frame,
    form: &Form,
    problems: Problems,
) -> Result<Outcome, Error> {
    let status = if problems.is_empty() { StatusCode::OK } else { problems.status_code() };
    Ok(Outcome::Page(status, render_screen(tx, visitor, &frame, Some(&form.without_secrets()), problems)?))
}

/// Sets the language of the pages and stays on the page.
async fn set_language(State(app): State<App>, request: Request) -> Response {
    let asked = PageRequest::from_request(&app, &request);
    let form = match read_form(&app, &asked, request).await {
        Ok(read) => read,
        Err(response) => return *response,
    };
    let unit = |tx: &mut Tx<'_>, visitor: &Visitor, _, form: &Form| {
        if let Some(language) = form.get("language").and_then(Language::parse) {
            visitor.set_language(tx, language)?;
        }
        let frame = Frame::load(tx, visitor, None)?;
        let back = form.get("screen").and_then(|here| frame.path_of(here));
        Ok(Outcome::GoTo(back.unwrap_or_else(|| frame.next_path())))
    };
    visit_writing(&app, asked, form, unit, shown_again(String::new())).await
}

/// Redirects to a short-lived URL of one of the visitor's documents.
async fn redirect_to_document(
    State(app): State<App>,
    Path(Id(form)): Path<Id>,
    request: Request,
) -> Response {
    let base = app.settings.flow_url.clone().unwrap_or_default();
    let asked = PageRequest::from_request(&app, &request);
    let Some(cookie) = asked.cookie else { return guard_response(&app, expired_page(asked.language)) };
    let caller = asked.caller;
    let made = app.store.write(move |tx| match session::visit_session(tx, &caller, &cookie)? {
        SessionState::Expired(_) | SessionState::Unknown => Ok::<_, Error>(None),
        SessionState::Active(visitor) => {
            // Only the flows that show documents show them; any other link must not open more than its screens.
            let frame = Frame::load(tx, &visitor, None)?;
            if !frame.shows_any_of(&[Screen::Documents, Screen::CompanyForms]) {
                return Err(Error::NotFound);
            }
            visitor.note_use(tx)?;
            let link = document_links::create_for_visitor(tx, &visitor, form)?;
            Ok(Some(document_url(&base, &link)))
        }
    });
    match made.await {
        Ok(Some(url)) => guard_response(&app, Redirect::to(&url).into_response()),
        Ok(None) => guard_response(&app, expired_page(asked.language)),
        Err(error) => guard_response(&app, failure_page(asked.language, &error.into())),
    }
}

/// Runs a reading unit for the holder of the cookie.
async fn visit_reading<F>(app: &App, asked: PageRequest, unit: F) -> Response
where
    F: Fn(&mut Tx<'_>, &Visitor, Language) -> Result<Outcome, Error> + Send + 'static,
{
    let PageRequest { language: browser, cookie, caller, path, answer, .. } = asked;
    let Some(cookie) = cookie else { return guard_response(app, expired_page(browser)) };
    let read = app.store.read(move |tx| match session::visit_session(tx, &caller, &cookie)? {
        SessionState::Expired(_) | SessionState::Unknown => Ok(None),
        SessionState::Active(visitor) => {
            let language = visitor.language.unwrap_or(browser);
            let outcome = match answer {
                Some(key) => kept_answer(tx, &visitor, &path, key),
                None => unit(tx, &visitor, language),
            };
            outcome.map(|outcome| Some((outcome, visitor)))
        }
    });
    match read.await {
        Ok(None) => guard_response(app, expired_page(browser)),
        Ok(Some((outcome, visitor))) => {
            if visitor.is_stale() {
                // If the use of the session cannot be recorded now, the next page records it.
                app.store.write(move |tx| visitor.note_use(tx)).await.ok();
            }
            guard_response(app, outcome_response(outcome))
        }
        Err(error) => guard_response(app, failure_page(browser, &error.into())),
    }
}

/// The kept answer to a form; once it is gone, its page without the entries.
fn kept_answer(tx: &mut Tx<'_>, visitor: &Visitor, path: &str, key: Uuid) -> Result<Outcome, Error> {
    Ok(match drafts::find_answer(tx, visitor, path, key)? {
        Some(answer) => {
            let status = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::OK);
            Outcome::Page(status, answer.page)
        }
        None => Outcome::GoTo(path.to_owned()),
    })
}

/// Keeps a page that answers a form, and sends the browser on to read it; after any other outcome no earlier one is needed.
fn sent_on(tx: &mut Tx<'_>, visitor: &Visitor, path: &str, outcome: Outcome) -> Result<Outcome, Error> {
    match outcome {
        Outcome::Page(status, page) => {
            let key = drafts::keep_answer(tx, visitor, (path, status.as_u16()), &page)?;
            Ok(Outcome::GoTo(format!("{path}?{ANSWER}={key}")))
        }
        outcome => {
            drafts::forget_answer(tx, visitor)?;
            Ok(outcome)
        }
    }
}

/// The outcome of a form.
enum Written {
    /// there is no session
    Over,
    /// the session has ended; the entries are kept for the next one
    Kept,
    /// it was not sent from a page of the session
    Foreign,
    /// it was accepted
    Taken(Outcome),
}

/// Runs a writing unit for a form sent from a page of the session. After a refusal, `again` builds the page.
async fn visit_writing<F, G>(app: &App, asked: PageRequest, form: Form, unit: F, again: G) -> Response
where
    F: Fn(&mut Tx<'_>, &Visitor, Language, &Form) -> Result<Outcome, Error> + Send + 'static,
    G: Fn(&mut Tx<'_>, &Visitor, Language, &Form, Problems) -> Result<Outcome, Error> + Send + 'static,
{
    let PageRequest { language: browser, cookie, caller, screen, path, .. } = asked;
    let Some(cookie) = cookie else { return guard_response(app, expired_page(browser)) };
    let (form, path) = (Arc::new(form), Arc::<str>::from(path));
    let address = Arc::clone(&path);
    let (sent, same) = (Arc::clone(&form), (caller.clone(), cookie.clone()));
    let written = app.store.write(move |tx| match session::visit_session(tx, &caller, &cookie)? {
        SessionState::Unknown => Ok(Written::Over),
        SessionState::Expired(visitor) if keep_entries(tx, &visitor, &screen, &sent)? => Ok(Written::Kept),
        SessionState::Expired(_) => Ok(Written::Over),
        SessionState::Active(visitor)
            if !visitor.owns_form_token(sent.get("form_token").unwrap_or_default()) =>
        {
            Ok(Written::Foreign)
        }
        SessionState::Active(visitor) => {
            visitor.note_use(tx)?;
            let outcome = unit(tx, &visitor, visitor.language.unwrap_or(browser), &sent)?;
            sent_on(tx, &visitor, &address, outcome).map(Written::Taken)
        }
    });
    let problems = match written.await {
        Ok(Written::Over) => return guard_response(app, expired_page(browser)),
        Ok(Written::Kept) => return guard_response(app, expired_kept_page(browser)),
        Ok(Written::Foreign) => return guard_response(app, plain::foreign_form_page(browser)),
        Ok(Written::Taken(outcome)) => return guard_response(app, outcome_response(outcome)),
        Err(Error::Violations(violations)) => Problems::from_violations(&violations),
        Err(Error::Stale(_)) => Problems::stale_record(),
        Err(error) => return guard_response(app, failure_page(browser, &error.into())),
    };
    let (caller, cookie) = same;
    let shown = app.store.write(move |tx| match session::visit_session(tx, &caller, &cookie)? {
        SessionState::Expired(_) | SessionState::Unknown => Ok::<_, Error>(None),
        SessionState::Active(visitor) => {
            let language = visitor.language.unwrap_or(browser);
            let outcome = again(tx, &visitor, language, &form, problems.clone())?;
            sent_on(tx, &visitor, &path, outcome).map(Some)
        }
    });
    match shown.await {
        Ok(Some(outcome)) => guard_response(app, outcome_response(outcome)),
        Ok(None) => guard_response(app, expired_page(browser)),
        Err(error) => guard_response(app, failure_page(browser, &error.into())),
    }
}

/// Keeps the entries on a screen of an ended session; returns whether it did.
fn keep_entries(tx: &mut Tx<'_>, visitor: &Visitor, screen: &str, form: &Form) -> Result<bool, Error> {
    if !visitor.owns_form_token(form.get("form_token").unwrap_or_default()) {
        return Ok(false);
    }
    let frame = Frame::load(tx, visitor, None)?;
    let Some(screen) = frame.find_screen(screen).filter(|screen| screen.keeps_drafts()) else {
        return Ok(false);
    };
    drafts::store_draft(tx, visitor, screen.name(), &form.draft_entries())?;
    Ok(true)
}

fn outcome_response(outcome: Outcome) -> Response {
    match outcome {
        Outcome::Page(status, text) => (status, Html(text)).into_response(),
        // The header acts like a meta element, without being part of the page.
        Outcome::Waiting(text) => ([(header::REFRESH, WAITING_SECONDS)], Html(text)).into_response(),
        Outcome::File(kind, bytes) => stubs::pdf_response(kind, bytes),
        Outcome::GoTo(path) => Redirect::to(&path).into_response(),
    }
}

/// What is known of a request before its session is.
struct PageRequest {
    language: Language,
    cookie: Option<String>,
    /// nobody yet, but with the request's own attributes
    caller: Caller,
    /// last segment of the URL
    screen: String,
    /// the URL without its query
    path: String,
    /// key of the kept answer to a form
    answer: Option<Uuid>,
    same_origin: bool,
}

impl PageRequest {
    fn from_request(app: &App, request: &Request) -> Self {
        let nobody = Caller::for_service(Uuid::nil(), TimeZone::UTC);
        let query = request.uri().query().unwrap_or_default();
        let mut answer = form_urlencoded::parse(query.as_bytes()).filter(|(name, _)| name == ANSWER);
        Self {
            language: crate::language::preferred_language(request.headers()),
            cookie: pages::cookie_value(request.headers(), cookie_name(app)),
            caller: Caller { ip: client_ip(app, request), request_id: Arc::from("page"), ..nobody },
            screen: request.uri().path().rsplit('/').next().unwrap_or_default().to_owned(),
            path: request.uri().path().to_owned(),
            answer: answer.next().and_then(|(_, key)| key.parse().ok()),
            same_origin: pages::is_same_origin(app.settings.flow_url.as_deref(), request.headers()),
        }
    }
}

/// A form, if the browser says that it was sent from one of our pages.
async fn read_form(app: &App, asked: &PageRequest, request: Request) -> Result<Form, Box<Response>> {
    if !asked.same_origin {
        return Err(Box::new(guard_response(app, plain::foreign_form_page(asked.language))));
    }
    let read = tokio::time::timeout(BODY_TIME, axum::body::to_bytes(request.into_body(), LARGEST)).await;
    match read {
        Ok(Ok(body)) => Ok(Form::parse(&body)),
        Ok(Err(_)) => Err(Box::new(guard_response(
            app,
            failure_page(asked.language, &interface::error::Error::TooLarge(LARGEST)),
        ))),
        Err(_) => Err(Box::new(guard_response(
            app,
            failure_page(asked.language, &interface::error::Error::TooSlow),
        ))),
    }
}

fn is_https(app: &App) -> bool {
    pages::is_https(app.settings.flow_url.as_deref())
}

/// `__Host-` binds the cookie to this host alone; browsers accept it over HTTPS only.
fn cookie_name(app: &App) -> &'static str {
    if is_https(app) { "__Host-stipend-flow" } else { "stipend-flow" }
}

fn cookie_of(app: &App, session: &str) -> String {
    let name = cookie_name(app);
    match (is_https(app), app.settings.frame_origins.is_empty()) {
        (false, _) => format!("{name}={session}; Path=/; HttpOnly; SameSite=Lax"),
        (true, true) => format!("{name}={session}; Path=/; Secure; HttpOnly; SameSite=Lax"),
        // Inside a frame of a partner's page this is a third-party cookie: it is partitioned by partner.
        (true, false) => format!("{name}={session}; Path=/; Secure; HttpOnly; SameSite=None; Partitioned"),
    }
}

fn expired_page(language: Language) -> Response {
    let texts = crate::flows::texts::texts_in_language(language);
    plain::message_page(language, StatusCode::GONE, texts.expired_title, texts.expired_text)
}

fn expired_kept_page(language: Language) -> Response {
    let texts = crate::flows::texts::texts_in_language(language);
    plain::message_page(language, StatusCode::GONE, texts.expired_title, texts.expired_kept)
}

fn failure_page(language: Language, error: &interface::error::Error) -> Response {
    let texts = crate::flows::texts::texts_in_language(language);
    let mut response = plain::message_page(language, error.status(), texts.failed_title, texts.failed_text);
    interface::error::Cause::attach_cause(&mut response, error);
    response
}

/// Adds the headers of every page. A partner's page may frame it if that is configured.
fn guard_response(app: &App, response: Response) -> Response {
    let framed_by = &app.settings.frame_origins;
    pages::guard_response(Allowed { forms_lead_to: "", framed_by, https: is_https(app) }, response)
}
