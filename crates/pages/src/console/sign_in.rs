//! Signing in and out.
//!
//! The page is shown at the requested address, so that after signing in the visitor continues there. It does not reveal
//! whether there is a page at that address.

use askama::Template;
use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, header};
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::post;

use super::access;
use super::access::PageRequest;
use super::frame;
use super::frame::Frame;
use crate::hosted as pages;
use crate::oauth::sign_in;
use crate::oauth::sign_in::Entered;
use crate::refusals::Refusal;
use domain::Error;
use domain::access::oauth::sessions;
use domain::people::flows::session::form_token;
use interface::access::oauth::params::Params;
use interface::app::App;

pub(super) fn routes() -> Router<App> {
    Router::new().route("/console/sign_in", post(sign_in)).route("/console/sign_out", post(sign_out))
}

#[derive(Template)]
#[template(path = "console/sign_in.html")]
struct SignInPage<'a> {
    frame: &'a Frame,
    /// why it failed before
    lines: Vec<String>,
    email: &'a str,
    to: &'a str,
}

/// Asks the visitor to sign in, and says why that failed before.
pub fn sign_in_page(asked: &PageRequest, refused: Option<Refusal>) -> Response {
    let frame = Frame::new(None, form_token(&asked.cookie), "", asked.dates);
    let Refusal { lines, wait, entries, .. } = refused.clone().unwrap_or_default();
    let email = entries.get("email").map_or("", String::as_str);
    let html = match frame::render_page(&SignInPage { frame: &frame, lines, email, to: &asked.address }) {
        Ok(html) => html,
        Err(error) => return error.into_response(),
    };
    let mut response =
        (refused.as_ref().map(Refusal::status_code).unwrap_or_default(), Html(html)).into_response();
    if let Some(seconds) = wait {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

/// An address of the console; anything else becomes its first page.
pub fn console_address(to: &str) -> &str {
    let rest = to.strip_prefix("/console");
    let fits = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?']));
    let plain = to.len() <= 1_000 && to.bytes().all(|b| b.is_ascii_graphic() && b != b'\\');
    if fits && plain { to } else { "/console" }
}

async fn sign_in(State(app): State<App>, request: Request) -> Response {
    let (asked, form) = match access::read_form(&app, request).await {
        Ok(read) => read,
        Err(response) => return *response,
    };
    let email = form.get("email").unwrap_or_default().trim().to_owned();
    let password = form.get("password").unwrap_or_default().to_owned();
    let to = console_address(form.get("to").unwrap_or_default());
    let known = asked.browser.clone();
    let response = match sign_in::sign_in_user(&app, &asked.caller, known, &email, password).await {
        Ok(Entered::As { session, browser }) => {
            let mut response = Redirect::to(to).into_response();
            let base = app.settings.issuer();
            pages::set_user_cookie(Some(&base), &mut response, &session.text);
            pages::set_browser_cookie(Some(&base), &mut response, &browser);
            response
        }
        Ok(Entered::Wrong) => {
            let problem = "The e-mail address or the password is wrong.".to_owned();
            send_back_to_sign_in(
                &app,
                &asked,
                &form,
                Refusal { status: 422, lines: vec![problem], ..Refusal::default() },
            )
            .await
        }
        Ok(Entered::TooMany(seconds)) => {
            let minutes = (seconds + 59) / 60;
            let problem = format!("There were too many attempts. Try again in {minutes} minutes.");
            let wait = Some(seconds);
            send_back_to_sign_in(
                &app,
                &asked,
                &form,
                Refusal { status: 429, lines: vec![problem], wait, ..Refusal::default() },
            )
            .await
        }
        Err(error) => access::error_page(&app, &asked, error).await,
    };
    asked.finish_response(&app, response)
}

/// Sends the browser back to where it was asked to sign in.
async fn send_back_to_sign_in(app: &App, asked: &PageRequest, form: &Params, refused: Refusal) -> Response {
    let refused = refused.with_entries(asked.path(), form.all());
    access::send_to(app, asked, refused, console_address(form.get("to").unwrap_or_default())).await
}

async fn sign_out(State(app): State<App>, request: Request) -> Response {
    let (asked, _) = match access::read_form(&app, request).await {
        Ok(read) => read,
        Err(response) => return *response,
    };
    let cookie = asked.cookie.clone();
    let ended = app.store.write(move |tx| match sessions::find_session(tx, &cookie)? {
        Some(session) => session.end(tx),
        None => Ok::<_, Error>(()),
    });
    let response = match ended.await {
        Ok(()) => {
            let mut response = Redirect::to("/console").into_response();
            pages::set_user_cookie(Some(&app.settings.issuer()), &mut response, "");
            response
        }
        Err(error) => access::error_page(&app, &asked, error).await,
    };
    asked.finish_response(&app, response)
}

#[cfg(test)]
mod tests {
    use super::console_address;

    #[test]
    fn after_signing_in_one_stays_in_the_console() {
        for good in ["/console", "/console?page=2", "/console/companies/1?q=a%20b"] {
            assert_eq!(console_address(good), good);
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
            assert_eq!(console_address(elsewhere), "/console", "{elsewhere}");
        }
    }
}
