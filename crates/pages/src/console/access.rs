//! Who is visiting, and what they may see.
//!
//! Under `stipend dev` a browser on the machine itself needs no sign-in: the connection comes from a loopback address,
//! names the service by a loopback name, and there is no proxy in between. Everybody else signs in, as on the pages of
//! the authorization server and with the same session, and can see the companies that they administer. Any other
//! company is answered like one that does not exist. An administrator with full access may read everything of a
//! company; one with limited access sees who works there and what happened, and nothing about pay, benefits or other
//! administrators.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::{ConnectInfo, Request};
use axum::http::HeaderMap;
use axum::http::header::{self, HOST};
use axum::response::{Html, IntoResponse, Redirect, Response};
use store::Tx;
use subtle::ConstantTimeEq;
use uuid::Uuid;

use super::frame;
use super::frame::Frame;
use super::show::Dates;
use super::{LARGEST, sign_in};
use crate::hosted as pages;
use crate::refusals;
use crate::refusals::{Refusal, Sent};
use domain::access::oauth::sessions;
use domain::access::oauth::sessions::Session;
use domain::access::scope::Scopes;
use domain::access::tokens::{Actor, Caller, Token};
use domain::access::users::Role;
use domain::access::users::rows as users;
use domain::company::companies;
use domain::loopback::is_loopback_host;
use domain::people::flows::session::form_token;
use domain::version::ApiVersion;
use interface::access::oauth::params::Params;
use interface::app::App;
use interface::error::Error;
use interface::http::{anonymous_caller, disposition};

/// How long a form may take to arrive.
const BODY_TIME: Duration = Duration::from_secs(10);
/// The scopes of an administrator with limited access to a company.
const LIMITED: &str = "companies:read company_onboarding_status:read employees:read jobs:read events:read";

/// Who may see a page.
#[derive(Debug, Clone, Copy)]
pub enum For {
    /// anybody who may use the console
    Everybody,
    /// the developer at the machine
    Developer,
    /// anybody with this scope in this company
    Company(Uuid, &'static str),
}

/// The visitor.
#[derive(Debug, Clone)]
pub enum Who {
    /// the developer at the machine
    Developer,
    /// an administrator
    Admin(Box<Session>),
}

/// A page being viewed.
#[derive(Debug, Clone)]
pub struct PageContext {
    /// the visitor
    pub who: Who,
    /// acts on the page's company, or on none if the page has no company
    pub caller: Caller,
    /// the frame around the page
    pub frame: Frame,
}

impl PageContext {
    /// Whether the visitor is the developer at the machine.
    pub fn is_developer(&self) -> bool {
        matches!(self.who, Who::Developer)
    }

    /// Whether the company's page may show what requires this scope.
    pub fn has_scope(&self, scope: &str) -> bool {
        self.caller.scopes.contains(scope)
    }
}

/// What is known of a request before its sender is identified.
#[derive(Clone)]
pub struct PageRequest {
    at_the_machine: bool,
    /// the session's, or a token to which forms are bound
    pub cookie: String,
    is_new: bool,
    /// the cookie of a browser in which somebody signed in before
    pub browser: Option<String>,
    /// nobody yet, but with the request's own attributes
    pub caller: Caller,
    /// path and query
    pub address: String,
    /// the answer to a form that the address names
    answer: Option<Sent>,
    /// the visitor's date format
    pub dates: Dates,
    same_origin: bool,
}

store::hidden!(PageRequest);

impl PageRequest {
    /// Reads the request.
    fn from_request(app: &App, request: &Request) -> Self {
        let base = app.settings.issuer();
        let cookie = pages::cookie_value(request.headers(), pages::user_cookie(Some(&base)));
        let address = request.uri().path_and_query().map_or("/console", |address| address.as_str());
        Self {
            at_the_machine: app.settings.dev && at_the_machine(request),
            is_new: cookie.is_none(),
            cookie: cookie.unwrap_or_default(),
            browser: pages::cookie_value(request.headers(), pages::browser_cookie(Some(&base))),
            caller: anonymous_caller(app, request),
            address: refusals::lasting_address(address),
            answer: refusals::sent_answer(&base, request),
            dates: visitor_dates(request.headers()),
            same_origin: pages::is_same_origin(Some(&base), request.headers()),
        }
    }

    /// Sets a cookie in a browser that has none.
    async fn with_cookie(mut self, app: &App) -> Result<Self, Box<Response>> {
        if self.is_new {
            let made = app.store.write(|tx| Ok::<_, Error>(Token::new(tx))).await;
            self.cookie = made.map_err(|error| Box::new(error.into_response()))?.text;
        }
        Ok(self)
    }

    /// The path.
    pub fn path(&self) -> &str {
        self.address.split('?').next().unwrap_or_default()
    }

    /// Why the visitor's last form was refused, if the address says that there is an answer.
    fn last_refusal(&self, tx: &mut Tx<'_>) -> Result<Option<Refusal>, Error> {
        Ok(refusals::find_refusal(tx, &form_token(&self.cookie), self.path(), self.answer.as_ref())?)
    }

    /// The visitor, if signed in.
    fn find_visitor(&self, tx: &mut Tx<'_>) -> Result<Option<Who>, Error> {
        if self.at_the_machine {
            return Ok(Some(Who::Developer));
        }
        Ok(sessions::find_session(tx, &self.cookie)?.map(|session| Who::Admin(Box::new(session))))
    }

    /// The page's context, if the visitor may see the page.
    ///
    /// # Errors
    /// "Not found" and "missing scope"; a store error.
    fn page_context(&self, tx: &mut Tx<'_>, page: For) -> Result<Option<PageContext>, Error> {
        let Some(who) = self.find_visitor(tx)? else { return Ok(None) };
        let [.., newest] = ApiVersion::ALL;
        let mut caller = Caller { version: newest, ..self.caller.clone() };
        let mut user = None;
        match &who {
            Who::Developer => caller.actor = Actor::Operator,
            Who::Admin(session) => {
                caller.actor = Actor::User(session.user.id);
                user = Some(session.user.email.clone());
            }
        }
        let mut frame = Frame::new(user, form_token(&self.cookie), &self.address, self.dates);
        frame.developer = matches!(who, Who::Developer);
        frame.refusal = self.last_refusal(tx)?;
        match page {
            For::Everybody => {}
            For::Developer if matches!(who, Who::Developer) => {}
            For::Developer => return Err(Error::NotFound),
            For::Company(company, scope) => {
                caller.scopes = visitor_scopes(tx, &who, company)?.ok_or(Error::NotFound)?;
                let named = companies::rows::find_company(tx, company)?.ok_or(Error::NotFound)?;
                if !caller.scopes.contains(scope) {
                    return Err(Error::MissingScope(scope));
                }
                caller.company = company;
                caller.zone = companies::time_zone(tx, company)?;
                frame.dates = frame.dates.in_time_zone(&caller.zone);
                frame.set_company(company, named.name, caller.scopes);
            }
        }
        Ok(Some(PageContext { who, caller, frame }))
    }

    /// As [`Self::page_context`], for a form: the use of the session is recorded with what the form does.
    ///
    /// # Errors
    /// As [`Self::page_context`].
    fn enter_to_act(&self, tx: &mut Tx<'_>, page: For) -> Result<Option<PageContext>, Error> {
        let visit = self.page_context(tx, page)?;
        if let Some(PageContext { who: Who::Admin(session), .. }) = &visit {
            session.note_use(tx)?;
        }
        Ok(visit)
    }

    /// Refuses everybody but the developer at the machine.
    ///
    /// # Errors
    /// "Not found".
    pub fn must_be_at_the_machine(&self) -> Result<(), Error> {
        if self.at_the_machine { Ok(()) } else { Err(Error::NotFound) }
    }

    /// The response to this request, with the headers of every page.
    pub fn finish_response(&self, app: &App, mut response: Response) -> Response {
        if self.is_new && !response.headers().contains_key(header::SET_COOKIE) {
            pages::set_user_cookie(Some(&app.settings.issuer()), &mut response, &self.cookie);
        }
        frame::guard_response(app, response)
    }
}

/// The scopes of a visitor in a company; `None` if there are none.
fn visitor_scopes(tx: &mut Tx<'_>, who: &Who, company: Uuid) -> Result<Option<Scopes>, Error> {
    Ok(match who {
        Who::Developer => Some(Scopes::ALL),
        Who::Admin(session) => users::role_in(tx, company, session.user.id)?.map(|role| match role {
            Role::Primary | Role::FullAccess => Scopes::ALL,
            Role::Limited => Scopes::parse(LIMITED),
        }),
    })
}

/// The visitor's date format, by the languages of the browser.
fn visitor_dates(headers: &HeaderMap) -> Dates {
    let accepted = headers.get(header::ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
    Dates::from_accept_language(accepted.unwrap_or_default())
}

/// Whether a browser on this machine speaks to this machine, with nothing in between.
fn at_the_machine(request: &Request) -> bool {
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip());
    let proxied = ["x-forwarded-for", "x-forwarded-host", "x-real-ip", "forwarded", "via"];
    peer.is_some_and(|ip| ip.to_canonical().is_loopback())
        && is_loopback_name(request.headers())
        && !proxied.into_iter().any(|name| request.headers().contains_key(name))
}

fn is_loopback_name(headers: &HeaderMap) -> bool {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    is_loopback_host(host)
}

/// The content of a response.
pub enum Given {
    /// a page
    Page(String),
    /// a file to display
    File(File),
}

/// A file to display, with the name under which it can be saved.
pub struct File {
    /// content type
    pub kind: &'static str,
    /// its name
    pub name: String,
    /// its content
    pub bytes: Vec<u8>,
}

impl IntoResponse for File {
    fn into_response(self) -> Response {
        let mut response = ([(header::CONTENT_TYPE, self.kind)], self.bytes).into_response();
        let name = disposition::inline_header(&self.name);
        response.headers_mut().insert(header::CONTENT_DISPOSITION, name);
        response
    }
}

/// Responds with a page that is read in one unit of work, if the visitor may see it.
pub async fn show_page<F>(app: &App, request: Request, whose: For, unit: F) -> Response
where
    F: Fn(&mut Tx<'_>, &PageContext) -> Result<String, Error> + Send + Sync + 'static,
{
    show_page_or_file(app, request, whose, move |tx, visit| unit(tx, visit).map(Given::Page)).await
}

/// As [`show_page`], for a page that may be a file.
pub async fn show_page_or_file<F>(app: &App, request: Request, whose: For, unit: F) -> Response
where
    F: Fn(&mut Tx<'_>, &PageContext) -> Result<Given, Error> + Send + Sync + 'static,
{
    let asked = PageRequest::from_request(app, &request);
    drop(request);
    let asked = match asked.with_cookie(app).await {
        Ok(asked) => asked,
        Err(response) => return *response,
    };
    let inside = asked.clone();
    let read = app.store.read_anywhere(move |tx| {
        let Some(visit) = inside.page_context(tx, whose)? else { return Ok(Err(inside.last_refusal(tx)?)) };
        let given = unit(tx, &visit)?;
        let status = visit.frame.refusal.as_ref().map(Refusal::status_code).unwrap_or_default();
        let Who::Admin(session) = visit.who else { return Ok(Ok((given, status, None))) };
        let stale = session.is_stale(tx.now());
        Ok::<_, Error>(Ok((given, status, stale.then_some(session))))
    });
    let response = match read.await {
        Ok(Ok((given, status, stale))) => {
            if let Some(session) = stale {
                // If the use of the session cannot be recorded now, the next page records it.
                app.store.write(move |tx| session.note_use(tx)).await.ok();
            }
            match given {
                Given::Page(html) => (status, Html(html)).into_response(),
                Given::File(file) => file.into_response(),
            }
        }
        Ok(Err(refused)) => sign_in::sign_in_page(&asked, refused),
        Err(error) => error_page(app, &asked, error).await,
    };
    asked.finish_response(app, response)
}

/// The error page, for the visitor. After a store failure the visitor is not looked up, so that nobody waits twice.
pub async fn error_page(app: &App, asked: &PageRequest, error: impl Into<Error>) -> Response {
    let (error, inside) = (error.into(), asked.clone());
    let visit = match error {
        Error::Store(_) => None,
        _ => app.store.read(move |tx| inside.page_context(tx, For::Everybody)).await.ok().flatten(),
    };
    let frame = visit.map_or_else(
        || Frame::new(None, form_token(&asked.cookie), &asked.address, asked.dates),
        |visit| visit.frame,
    );
    frame::error_page(&frame, &error)
}

/// Sends the browser back to the page of a refused form, where it is told why; an error that the visitor cannot mend, or a
/// form that names no page, is answered with an error page.
pub async fn send_back(app: &App, asked: &PageRequest, form: &Params, error: impl Into<Error>) -> Response {
    let error = error.into();
    let told = frame::mendable_error_lines(&error).filter(|_| form.get("back").is_some());
    let Some(lines) = told else { return error_page(app, asked, error).await };
    let refused = Refusal { status: error.status().as_u16(), lines, ..Refusal::default() };
    let page = refusals::lasting_address(sign_in::console_address(form.get("back").unwrap_or_default()));
    send_to(app, asked, refused.with_entries(asked.path(), form.all()), &page).await
}

/// Sends the browser on to a page that shows a refusal.
pub async fn send_to(app: &App, asked: &PageRequest, refused: Refusal, page: &str) -> Response {
    let (visitor, page) = (form_token(&asked.cookie), page.to_owned());
    let kept = app.store.write(move |tx| refusals::seal_refusal(tx, &visitor, &page, refused.clone()));
    match kept.await {
        Ok(way) => refusals::redirect_with_refusal(&app.settings.issuer(), &way),
        Err(error) => error_page(app, asked, error).await,
    }
}

/// Reads a form that was sent from one of our pages; answers any other.
pub async fn read_form(app: &App, request: Request) -> Result<(PageRequest, Params), Box<Response>> {
    let asked = PageRequest::from_request(app, &request);
    let body = request.into_body();
    let asked = asked.with_cookie(app).await?;
    let read = tokio::time::timeout(BODY_TIME, axum::body::to_bytes(body, LARGEST)).await;
    let body: Bytes =
        match read.map_err(|_| Error::TooSlow).and_then(|read| read.map_err(|_| Error::TooLarge(LARGEST))) {
            Ok(body) => body,
            Err(error) => {
                let response = error_page(app, &asked, error).await;
                return Err(Box::new(asked.finish_response(app, response)));
            }
        };
    let form = Params::of_form(&body).unwrap_or_default();
    let sent = form.get("form_token").unwrap_or_default();
    let owns: bool = form_token(&asked.cookie).as_bytes().ct_eq(sent.as_bytes()).into();
    if !asked.same_origin || asked.is_new || !owns {
        let response = frame::foreign_form_page(&asked);
        return Err(Box::new(asked.finish_response(app, response)));
    }
    Ok((asked, form))
}

/// Carries out a form in one unit of work, and redirects the browser to the returned address.
pub async fn submit_form<F>(app: &App, request: Request, whose: For, unit: F) -> Response
where
    F: Fn(&mut Tx<'_>, &PageContext, &Params) -> Result<String, Error> + Send + 'static,
{
    let (asked, form) = match read_form(app, request).await {
        Ok(read) => read,
        Err(response) => return *response,
    };
    let (inside, form) = (asked.clone(), Arc::new(form));
    let entries = Arc::clone(&form);
    let written = app.store.write(move |tx| {
        let Some(visit) = inside.enter_to_act(tx, whose)? else { return Ok(None) };
        unit(tx, &visit, &entries).map(Some)
    });
    redirect_after_form(app, &asked, &form, written.await).await
}

/// As [`submit_form`], for what takes several units of work; each of them checks again what it depends on.
pub async fn act_in_steps<F>(app: &App, request: Request, whose: For, steps: F) -> Response
where
    F: AsyncFnOnce(&PageContext, &Params) -> Result<String, domain::Error>,
{
    let (asked, form) = match read_form(app, request).await {
        Ok(read) => read,
        Err(response) => return *response,
    };
    let inside = asked.clone();
    let entered = app.store.write(move |tx| inside.enter_to_act(tx, whose)).await;
    let done = match entered {
        Ok(Some(visit)) => steps(&visit, &form).await.map(Some).map_err(Error::from),
        Ok(None) => Ok(None),
        Err(error) => Err(error),
    };
    redirect_after_form(app, &asked, &form, done).await
}

/// The response to a form: to the address that it leads to, back to its page with the reason of a refusal, or to the start
/// of the console for a visitor who is not signed in.
async fn redirect_after_form(
    app: &App,
    asked: &PageRequest,
    form: &Params,
    done: Result<Option<String>, Error>,
) -> Response {
    let response = match done {
        Ok(to) => Redirect::to(to.as_deref().unwrap_or("/console")).into_response(),
        Err(error) => send_back(app, asked, form, error).await,
    };
    asked.finish_response(app, response)
}
