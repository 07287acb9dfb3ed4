//! The page behind a link: who is greeted by whom, and what is still open. It works without a script, loads
//! nothing, and may not be framed or kept.

use askama::Template;
use axum::Router;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use jiff::tz::TimeZone;
use std::sync::Arc;
use uuid::Uuid;

use super::service::{self, Opened};
use crate::app::App;
use crate::auth::{Actor, Caller};
use crate::error::Error;
use crate::http::client_ip;

/// Pages of links.
pub fn routes() -> Router<App> {
    Router::new().route("/flows/{token}", get(open))
}

#[derive(Template)]
#[template(path = "flow_welcome.html")]
struct WelcomePage<'a> {
    first_name: &'a str,
    company: &'a str,
    open_steps: &'a [&'static str],
}

#[derive(Template)]
#[template(path = "flow_message.html")]
struct MessagePage<'a> {
    title: &'a str,
    text: &'a str,
}

async fn open(State(app): State<App>, Path(token): Path<String>, request: Request) -> Response {
    // Whoever holds the link is its employee; who that is, the link says.
    let caller = Caller {
        ip: client_ip(&app, &request),
        request_id: Arc::from("page"),
        actor: Actor::Service,
        ..Caller::service(Uuid::nil(), TimeZone::UTC)
    };
    let token = Arc::new(token);
    let asked = Arc::clone(&token);
    // A link that does not exist is refused by a look: guessing one costs no write.
    let opened = match app.store.read(move |tx| service::exists(tx, &asked)).await {
        Ok(true) => app.store.write(move |tx| service::open(tx, &caller, &token)).await,
        Ok(false) => Ok(Opened::Unknown),
        Err(error) => Err(error),
    };
    match opened {
        Ok(Opened::For(welcome)) => page(
            StatusCode::OK,
            &WelcomePage {
                first_name: &welcome.employee.first_name,
                company: &welcome.company,
                open_steps: &welcome.open_steps,
            },
        ),
        Ok(Opened::Expired) => page(
            StatusCode::GONE,
            &MessagePage {
                title: "This link has expired",
                text: "Links work for a short time, to protect your data. Ask your employer for a new one; what you \
                       have entered is kept.",
            },
        ),
        Ok(Opened::Unknown) => page(
            StatusCode::NOT_FOUND,
            &MessagePage {
                title: "This link does not work",
                text: "It may have been cut short when it was copied. Open it again from the message that you \
                       received, or ask your employer for a new one.",
            },
        ),
        Err(error) => error.into_response(),
    }
}

fn page(status: StatusCode, template: &impl Template) -> Response {
    let Ok(text) = template.render() else { return Error::Internal.into_response() };
    let mut response = (status, Html(text)).into_response();
    let headers = response.headers_mut();
    for (name, value) in [
        (
            header::CONTENT_SECURITY_POLICY,
            "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        ),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::CACHE_CONTROL, "no-store"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}
