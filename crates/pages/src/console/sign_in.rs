//! Signing in and out.
//!
//! The page is shown at the requested address, so that after signing in the visitor continues there. It does not reveal
//! whether there is a page at that address.

use askama::Template;
use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::post;

use super::access;
use super::access::PageRequest;
use super::frame;
use super::frame::Frame;
use crate::hosted as pages;
use crate::oauth::sign_in;
use crate::oauth::sign_in::Entered;
use domain::Error;
use domain::access::oauth::sessions;
use domain::people::flows::session::form_token;
use interface::app::App;

pub(super) fn routes() -> Router<App> {
    Router::new().route("/console/sign_in", post(enter)).route("/console/sign_out", post(leave))
}

#[derive(Template)]
#[template(path = "console/sign_in.html")]
struct SignInPage<'a> {
    frame: &'a Frame,
    problem: Option<String>,
    email: &'a str,
    to: &'a str,
}

fn ask_again(
    asked: &PageRequest,
    status: StatusCode,
    problem: Option<String>,
    email: &str,
    to: &str,
) -> Response {
    let frame = Frame::new(None, form_token(&asked.cookie), "", asked.dates);
    match frame::render(&SignInPage { frame: &frame, problem, email, to }) {
        Ok(html) => (status, Html(html)).into_response(),
        Err(error) => error.into_response(),
    }
}

/// Asks the visitor to sign in.
pub fn ask(asked: &PageRequest) -> Response {
    ask_again(asked, StatusCode::OK, None, "", &asked.address)
}

/// An address of the console; anything else becomes its first page.
fn inside(to: &str) -> &str {
    let rest = to.strip_prefix("/console");
    let fits = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?']));
    let plain = to.len() <= 1_000 && to.bytes().all(|b| b.is_ascii_graphic() && b != b'\\');
    if fits && plain { to } else { "/console" }
}

async fn enter(State(app): State<App>, request: Request) -> Response {
    let (asked, form) = match access::form(&app, request).await {
        Ok(read) => read,
        Err(response) => return *response,
    };
    let email = form.get("email").unwrap_or_default().trim().to_owned();
    let password = form.get("password").unwrap_or_default().to_owned();
    let to = inside(form.get("to").unwrap_or_default());
    let known = asked.browser.clone();
    let response = match sign_in::enter(&app, &asked.caller, known, &email, password).await {
        Ok(Entered::As { session, browser }) => {
            let mut response = Redirect::to(to).into_response();
            let base = app.settings.issuer();
            pages::set_user_cookie(Some(&base), &mut response, &session.text);
            pages::set_browser_cookie(Some(&base), &mut response, &browser);
            response
        }
        Ok(Entered::Wrong) => {
            let problem = "The e-mail address or the password is wrong.".to_owned();
            ask_again(&asked, StatusCode::UNPROCESSABLE_ENTITY, Some(problem), &email, to)
        }
        Ok(Entered::TooMany(seconds)) => {
            let minutes = (seconds + 59) / 60;
            let problem = format!("There were too many attempts. Try again in {minutes} minutes.");
            let mut response = ask_again(&asked, StatusCode::TOO_MANY_REQUESTS, Some(problem), &email, to);
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
            response
        }
        Err(error) => access::refusal(&app, &asked, error).await,
    };
    asked.respond(&app, response)
}

async fn leave(State(app): State<App>, request: Request) -> Response {
    let (asked, _) = match access::form(&app, request).await {
        Ok(read) => read,
        Err(response) => return *response,
    };
    let cookie = asked.cookie.clone();
    let ended = app.store.write(move |tx| match sessions::find(tx, &cookie)? {
        Some(session) => session.end(tx),
        None => Ok::<_, Error>(()),
    });
    let response = match ended.await {
        Ok(()) => {
            let mut response = Redirect::to("/console").into_response();
            pages::set_user_cookie(Some(&app.settings.issuer()), &mut response, "");
            response
        }
        Err(error) => access::refusal(&app, &asked, error).await,
    };
    asked.respond(&app, response)
}

#[cfg(test)]
mod tests {
    use super::inside;

    #[test]
    fn after_signing_in_one_stays_in_the_console() {
        for good in ["/console", "/console?page=2", "/console/companies/1?q=a%20b"] {
            assert_eq!(inside(good), good);
        }
        for elsewhere in [
            "",
            "/",
            "//evil.example",
            "https://evil.example/console",
            "/consoles",
            "/console@evil.example",
            "/console/\r\nset-cookie: a=b",
            "/console/\\evil.example",
        ] {
            assert_eq!(inside(elsewhere), "/console", "{elsewhere}");
        }
    }
}
