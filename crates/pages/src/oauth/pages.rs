//! `/oauth/authorize`: signing in, selecting a company, and consent.
//!
//! The URL contains the application's request, which is validated anew for every page and every form. The cookie
//! identifies the user, and the session has the selected company. A form is accepted only if it comes from one of our
//! pages, carries the token that belongs to the cookie, and names the company that the page showed. After a form the
//! browser is redirected with 303, so that it never repeats a password or a consent; after a refused one to the same page, which
//! says why ([`refusals`]). Only to the application it goes on
//! from a page of ours ([`leave_to_application`]): browsers apply `form-action` to every redirect that follows a form, and nobody knows
//! where an application redirects to. Texts are in the language that the URL or the browser requests.

use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::get;
use serde_json::json;
use store::Tx;
use subtle::ConstantTimeEq;
use uuid::Uuid;

use super::authorize;
use super::authorize::{AuthorizationRequest, Fault};
use super::screens;
use super::screens::{Frame, Message, Screen, ScreenState};
use super::sign_in;
use super::sign_in::Entered;
use crate::hosted as pages;
use crate::hosted::Allowed;
use crate::refusals;
use crate::refusals::{Refusal, Sent};
use domain::Error;
use domain::access::oauth::codes;
use domain::access::oauth::codes::Consent;
use domain::access::oauth::reasons::Reason;
use domain::access::oauth::sessions;
use domain::access::oauth::sessions::Session;
use domain::access::oauth::tokens::Holder;
use domain::access::tokens::{Actor, Caller, Token};
use domain::access::users::rows as users;
use domain::language::Language;
use domain::people::flows::session::form_token;
use domain::platform::audit;
use domain::records::id_of;
use interface::access::oauth::params::Params;
use interface::app::App;
use interface::http::anonymous_caller;

/// Their address.
const PATH: &str = "/oauth/authorize";
/// Maximum bytes of a form.
const LARGEST: usize = 16 << 10;
/// How long a form may take to arrive.
const BODY_TIME: Duration = Duration::from_secs(10);

/// Pages of the authorization server.
pub fn routes() -> Router<App> {
    Router::new()
        .route(PATH, get(show_authorization).post(submit_authorization))
        .layer(DefaultBodyLimit::max(LARGEST))
}

/// The data of one visit.
#[derive(Clone)]
struct PageRequest {
    params: Params,
    language: Language,
    cookie: Option<String>,
    /// the cookie of a browser in which somebody signed in before
    browser: Option<String>,
    issuer: String,
    caller: Caller,
    /// the answer to a form that the address names
    answer: Option<Sent>,
}

impl PageRequest {
    fn from_request(app: &App, request: &Request) -> Result<Self, Box<Response>> {
        let params = Params::of_form(request.uri().query().unwrap_or_default().as_bytes());
        let browser = crate::language::preferred_language(request.headers());
        let params = params.map_err(|refusal| {
            Box::new(fault_page(
                app,
                browser,
                crate::oauth::texts::texts_in_language(browser).fault_address,
                &refusal.description,
            ))
        })?;
        Ok(Self {
            language: authorize::requested_language(&params).unwrap_or(browser),
            params,
            cookie: pages::cookie_value(request.headers(), pages::user_cookie(Some(&app.settings.issuer()))),
            browser: pages::cookie_value(
                request.headers(),
                pages::browser_cookie(Some(&app.settings.issuer())),
            ),
            issuer: app.settings.issuer(),
            caller: anonymous_caller(app, request),
            answer: refusals::sent_answer(&app.settings.issuer(), request),
        })
    }

    /// The application's request, or its error.
    fn read_authorization(&self, tx: &mut Tx<'_>) -> Result<Result<AuthorizationRequest, Fault>, Error> {
        authorize::parse_request(
            tx,
            &self.issuer,
            crate::oauth::texts::texts_in_language(self.language),
            &self.params,
        )
    }

    /// Why the last form of this visitor was refused, if the address says that there is an answer.
    fn last_refusal(&self, tx: &mut Tx<'_>) -> Result<Refusal, Error> {
        let visitor = form_token(self.cookie.as_deref().unwrap_or_default());
        Ok(refusals::find_refusal(tx, &visitor, PATH, self.answer.as_ref())?.unwrap_or_default())
    }

    fn find_session(&self, tx: &mut Tx<'_>) -> Result<Option<Session>, Error> {
        match &self.cookie {
            Some(cookie) => sessions::find_session(tx, cookie),
            None => Ok(None),
        }
    }
}

async fn show_authorization(State(app): State<App>, request: Request) -> Response {
    let visit = match PageRequest::from_request(&app, &request) {
        Ok(visit) => visit,
        Err(response) => return *response,
    };
    let asked = visit.clone();
    let looked = app.store.read(move |tx| {
        let read = asked.read_authorization(tx)?;
        let Ok(request) = read else { return Ok(Err(read.err())) };
        let session = asked.find_session(tx)?;
        Ok(Ok((current_screen(tx, &request, session.as_ref())?, request, asked.last_refusal(tx)?)))
    });
    let looked: Result<_, Error> = looked.await;
    match looked {
        Ok(Ok((screen, request, refused))) => screen_page(&app, &visit, &request, screen, &refused).await,
        Ok(Err(Some(Fault::Redirect(to)))) => redirect_response(&app, &to),
        Ok(Err(Some(Fault::Page { text, detail }))) => fault_page(&app, visit.language, text, &detail),
        Ok(Err(None)) => failure_page(
            &app,
            visit.language,
            &interface::error::Error::internal("an authorization has no fault"),
        ),
        Err(error) => failure_page(&app, visit.language, &error.into()),
    }
}

/// The page for the current state of the session.
fn current_screen(
    tx: &mut Tx<'_>,
    asked: &AuthorizationRequest,
    session: Option<&Session>,
) -> Result<Screen, Error> {
    let Some(session) = session else { return Ok(Screen::SignIn) };
    let user = session.user.email.clone();
    let mut companies = users::companies_of(tx, session.user.id)?;
    companies.retain(|company| company.role.may_authorize());
    let several = companies.len() > 1;
    let chosen = session.chosen_for(asked.application.id);
    let at = if several { companies.iter().position(|one| Some(one.company) == chosen) } else { Some(0) };
    Ok(match at.filter(|at| *at < companies.len()) {
        Some(at) => Screen::Consent { user, company: companies.swap_remove(at), several },
        None if companies.is_empty() => Screen::Nowhere(user),
        None => Screen::Choose { user, companies },
    })
}

/// The outcome of a form.
enum Acted {
    /// redirect to the application
    Leave(String),
    /// the page again
    Again,
    /// the page again, signed out
    SignedOut,
    /// the page with a problem
    Refused(&'static str),
    /// the request itself is invalid
    Fault(Fault),
}

async fn submit_authorization(State(app): State<App>, request: Request) -> Response {
    let visit = match PageRequest::from_request(&app, &request) {
        Ok(visit) => visit,
        Err(response) => return *response,
    };
    if !pages::is_same_origin(Some(&visit.issuer), request.headers()) {
        return foreign_form_page(&app, visit.language);
    }
    let read = tokio::time::timeout(BODY_TIME, axum::body::to_bytes(request.into_body(), LARGEST)).await;
    let body: Bytes = match read {
        Ok(Ok(body)) => body,
        Ok(Err(_)) => return failure_page(&app, visit.language, &interface::error::Error::TooLarge(LARGEST)),
        Err(_) => return failure_page(&app, visit.language, &interface::error::Error::TooSlow),
    };
    let Ok(form) = Params::of_form(&body) else { return foreign_form_page(&app, visit.language) };
    let owns = visit.cookie.as_deref().map(form_token).is_some_and(|token| {
        token.as_bytes().ct_eq(form.get("form_token").unwrap_or_default().as_bytes()).into()
    });
    if !owns {
        return foreign_form_page(&app, visit.language);
    }
    if form.get("action") == Some("sign_in") {
        return sign_in(&app, &visit, &form).await;
    }
    let asked = visit.clone();
    let acted = app.store.write(move |tx| handle_action(tx, &asked, &form)).await;
    match acted {
        Ok(Acted::Leave(to)) => leave_to_application(&app, visit.language, &to),
        Ok(Acted::Again) => redirect_to_request(&app, &visit, None).await,
        Ok(Acted::SignedOut) => redirect_to_request(&app, &visit, Some(String::new())).await,
        Ok(Acted::Refused(problem)) => send_back(&app, &visit, problem, Refusal::default()).await,
        Ok(Acted::Fault(Fault::Redirect(to))) => leave_to_application(&app, visit.language, &to),
        Ok(Acted::Fault(Fault::Page { text, detail })) => fault_page(&app, visit.language, text, &detail),
        Err(error) => failure_page(&app, visit.language, &error.into()),
    }
}

/// Performs the action of a button, for the user of the session.
fn handle_action(tx: &mut Tx<'_>, visit: &PageRequest, form: &Params) -> Result<Acted, Error> {
    let asked = match visit.read_authorization(tx)? {
        Ok(asked) => asked,
        Err(fault) => return Ok(Acted::Fault(fault)),
    };
    if form.get("action") == Some("deny") {
        return Ok(Acted::Leave(asked.error_redirect(
            &visit.issuer,
            Reason::AccessDenied,
            "The administrator said no.",
        )));
    }
    let Some(session) = visit.find_session(tx)? else { return Ok(Acted::Again) };
    session.note_use(tx)?;
    let now = current_screen(tx, &asked, Some(&session))?;
    let company = form.get("company").map_or(Uuid::nil(), id_of);
    let application = asked.application.id;
    match (form.get("action"), &now) {
        (Some("choose"), Screen::Choose { companies, .. }) => {
            if !companies.iter().any(|one| one.company == company) {
                return Ok(Acted::Refused(
                    crate::oauth::texts::texts_in_language(visit.language).wrong_company,
                ));
            }
            session.remember_company_choice(tx, Some((application, company)))?;
            Ok(Acted::Again)
        }
        (Some("other"), _) => {
            session.remember_company_choice(tx, None)?;
            Ok(Acted::Again)
        }
        (Some("sign_out"), _) => {
            session.end(tx)?;
            Ok(Acted::SignedOut)
        }
        // The selection is kept: a form that is sent twice gets two codes, of which the browser uses the second.
        (Some("allow"), Screen::Consent { company: shown, .. }) if shown.company == company => {
            issue_code(tx, visit, &asked, &session, company).map(Acted::Leave)
        }
        (Some("allow"), _) => {
            Ok(Acted::Refused(crate::oauth::texts::texts_in_language(visit.language).changed))
        }
        _ => Ok(Acted::Again),
    }
}

/// Issues a code for the consent.
fn issue_code(
    tx: &mut Tx<'_>,
    visit: &PageRequest,
    asked: &AuthorizationRequest,
    session: &Session,
    company: Uuid,
) -> Result<String, Error> {
    let user = session.user.id;
    let holder = Holder {
        application: asked.application.id,
        company,
        user: Some(user),
        scopes: asked.scopes.to_text(),
    };
    let by_user = Caller { actor: Actor::User(user), company, ..visit.caller.clone() };
    let what = json!({ "scopes": holder.scopes, "redirect_uri": asked.redirect_uri });
    audit::record_audit_entry(tx, &by_user, "consented", ("applications", asked.application.id), &what)?;
    let (redirect_uri, challenge) = (asked.redirect_uri.clone(), asked.challenge.clone());
    let code = codes::issue_code(tx, &Consent { holder, user, redirect_uri, challenge })?;
    Ok(asked.code_redirect(&visit.issuer, &code))
}

async fn sign_in(app: &App, visit: &PageRequest, form: &Params) -> Response {
    let email = form.get("email").unwrap_or_default().trim().to_owned();
    let entered = form.get("password").unwrap_or_default().to_owned();
    if let Err(response) = request_address(app, visit).await {
        return *response;
    }
    let t = crate::oauth::texts::texts_in_language(visit.language);
    let known = visit.browser.clone();
    let (problem, refused) = match sign_in::sign_in_user(app, &visit.caller, known, &email, entered).await {
        Ok(Entered::As { session, browser }) => {
            let mut response = redirect_to_request(app, visit, Some(session.text)).await;
            pages::set_browser_cookie(Some(&visit.issuer), &mut response, &browser);
            return response;
        }
        Ok(Entered::Wrong) => (t.wrong_password, Refusal::default()),
        Ok(Entered::TooMany(wait)) => {
            (t.too_many, Refusal { status: 429, wait: Some(wait), ..Refusal::default() })
        }
        Err(error) => return failure_page(app, visit.language, &error.into()),
    };
    send_back(app, visit, problem, refused.with_entries(PATH, [("email", &*email)].into_iter())).await
}

/// Sends the browser to the page of the same request, which shows the problem.
async fn send_back(app: &App, visit: &PageRequest, problem: &'static str, refused: Refusal) -> Response {
    let to = match request_address(app, visit).await {
        Ok(to) => to,
        Err(response) => return *response,
    };
    let status = if refused.status == 0 { StatusCode::UNPROCESSABLE_ENTITY.as_u16() } else { refused.status };
    let refused = Refusal { status, lines: vec![problem.to_owned()], ..refused };
    let visitor = form_token(visit.cookie.as_deref().unwrap_or_default());
    match app.store.write(move |tx| refusals::seal_refusal(tx, &visitor, &to, refused.clone())).await {
        Ok(way) => guard_response(app, "", refusals::redirect_with_refusal(&visit.issuer, &way)),
        Err(error) => failure_page(app, visit.language, &error.into()),
    }
}

/// A page of the request; a visitor without a cookie gets one, to which the page's form is bound.
async fn screen_page(
    app: &App,
    visit: &PageRequest,
    asked: &AuthorizationRequest,
    screen: Screen,
    refused: &Refusal,
) -> Response {
    let (cookie, is_new) = match &visit.cookie {
        Some(cookie) => (cookie.clone(), false),
        None => match app.store.write(|tx| Ok::<_, Error>(Token::new(tx))).await {
            Ok(token) => (token.text, true),
            Err(error) => return failure_page(app, visit.language, &error.into()),
        },
    };
    let frame = Frame { language: visit.language, asked: Some(asked), form_token: &form_token(&cookie) };
    let email = refused.entries.get("email").map_or("", String::as_str);
    let state = ScreenState { problem: refused.lines.first().map(String::as_str), email };
    let html = match screens::render_screen(&frame, asked, &screen, &state) {
        Ok(html) => html,
        Err(error) => return failure_page(app, visit.language, &error.into()),
    };
    let status = match &screen {
        Screen::Nowhere(_) => StatusCode::FORBIDDEN,
        _ if !refused.lines.is_empty() => refused.status_code(),
        _ => StatusCode::OK,
    };
    let mut response = (status, Html(html)).into_response();
    if let Some(seconds) = refused.wait {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    if is_new {
        pages::set_user_cookie(Some(&app.settings.issuer()), &mut response, &cookie);
    }
    guard_response(app, asked.own_scheme(), response)
}

/// The address of the same request; for one that is no longer valid, its answer.
async fn request_address(app: &App, visit: &PageRequest) -> Result<String, Box<Response>> {
    let asked = visit.clone();
    let read: Result<_, Error> = app.store.read(move |tx| asked.read_authorization(tx)).await;
    Err(Box::new(match read {
        Ok(Ok(asked)) => return Ok(asked.page_url()),
        Ok(Err(Fault::Redirect(to))) => leave_to_application(app, visit.language, &to),
        Ok(Err(Fault::Page { text, detail })) => fault_page(app, visit.language, text, &detail),
        Err(error) => failure_page(app, visit.language, &error.into()),
    }))
}

/// Redirects the browser to the same request; `session` is the new cookie, empty to delete it.
async fn redirect_to_request(app: &App, visit: &PageRequest, session: Option<String>) -> Response {
    let to = match request_address(app, visit).await {
        Ok(to) => to,
        Err(response) => return *response,
    };
    let mut response = Redirect::to(&to).into_response();
    if let Some(session) = session {
        pages::set_user_cookie(Some(&app.settings.issuer()), &mut response, &session);
    }
    guard_response(app, "", response)
}

/// Sends the browser from a form to the application. A web page is reached from a page of ours, by a new request that has
/// nothing to do with the form; an application of the device opens by a redirect, after which there is no other.
fn leave_to_application(app: &App, language: Language, to: &str) -> Response {
    if !authorize::is_web(to) {
        return guard_response(app, authorize::url_origin(to), Redirect::to(to).into_response());
    }
    let Ok(refresh) = HeaderValue::from_str(&format!("0; url={to}")) else {
        return failure_page(
            app,
            language,
            &interface::error::Error::internal("a redirect URI is no header value"),
        );
    };
    let mut response = match screens::render_leaving(language, to) {
        Ok(html) => Html(html).into_response(),
        Err(error) => return failure_page(app, language, &error.into()),
    };
    response.headers_mut().insert(header::REFRESH, refresh);
    guard_response(app, "", response)
}

fn redirect_response(app: &App, to: &str) -> Response {
    guard_response(app, "", Redirect::to(to).into_response())
}

/// A page outside of any request.
fn message_page(app: &App, language: Language, status: StatusCode, message: &Message<'_>) -> Response {
    let response = match screens::render_message(language, message) {
        Ok(html) => (status, Html(html)).into_response(),
        Err(error) => interface::error::Error::from(error).into_response(),
    };
    guard_response(app, "", response)
}

/// A request that is neither shown to the user nor redirected; the page says which part is wrong.
fn fault_page(app: &App, language: Language, text: &str, detail: &str) -> Response {
    let detail = Some(detail).filter(|_| app.settings.dev);
    let said = Message { title: crate::oauth::texts::texts_in_language(language).fault_title, text, detail };
    message_page(app, language, StatusCode::BAD_REQUEST, &said)
}

/// A form that was sent from elsewhere.
fn foreign_form_page(app: &App, language: Language) -> Response {
    let t = crate::oauth::texts::texts_in_language(language);
    let said = Message { title: t.refused_title, text: t.refused_text, detail: None };
    message_page(app, language, StatusCode::FORBIDDEN, &said)
}

fn failure_page(app: &App, language: Language, error: &interface::error::Error) -> Response {
    let t = crate::oauth::texts::texts_in_language(language);
    let said = Message { title: t.failed_title, text: t.failed_text, detail: None };
    let mut response = message_page(app, language, error.status(), &said);
    interface::error::Cause::attach_cause(&mut response, error);
    response
}

fn is_https(app: &App) -> bool {
    pages::is_https(Some(&app.settings.issuer()))
}

/// These pages cannot be framed, and their forms lead nowhere else, except to an application of the device.
fn guard_response(app: &App, forms_lead_to: &str, response: Response) -> Response {
    pages::guard_response(Allowed { forms_lead_to, framed_by: &[], https: is_https(app) }, response)
}
