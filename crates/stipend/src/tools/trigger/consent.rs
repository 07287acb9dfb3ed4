//! What a person does: an administrator signs in on the pages of the service and lets the application in, somebody with
//! a link guesses whose it is; and what a company answers when a state asks.

use axum::http::{Request, StatusCode, header};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Bytes;
use serde_json::{Value, json};

use crate::tools::http::Api;
use background::delivery::client::TRY_TIME;
use interface::demo::World;

/// Maximum bytes of a page.
const PAGE: usize = 1 << 20;
/// Pages that the way to a code can have.
const PAGES: usize = 6;

/// Connects the company of the demo world that was not connected from the beginning; what its first pair of tokens was
/// answered with, and the company.
///
/// # Errors
/// One line: there is no such company, or the service refused.
pub async fn connect_company(url: &str, api: &Api, world: &World) -> Result<Value, String> {
    let company = world.companies.iter().find(|company| company.kind == "standalone");
    let company = company.ok_or("the demo world has no company to connect")?;
    let user = world.users.iter().find(|user| user.companies.contains(&company.uuid));
    let user = user.ok_or("nobody of the demo world administers the company")?;
    let application = &world.application;
    let asked = encode_form(&[
        ("client_id", &application.client_id),
        ("redirect_uri", &application.redirect_uri),
        ("response_type", "code"),
    ]);
    let mut browser = Browser { api, url, cookie: String::new() };
    let mut page = browser.open_page("GET", &format!("/oauth/authorize?{asked}"), "").await?;
    let id = company.uuid.to_string();
    for _ in 0..PAGES {
        if let Some(code) = code_in(&page.location) {
            let body = json!({ "grant_type": "authorization_code", "client_id": application.client_id,
                               "client_secret": application.client_secret, "code": code,
                               "redirect_uri": application.redirect_uri });
            let mut given = api.call_operation("POST", "/oauth/token", Some(&body)).await?;
            given["company_uuid"] = id.into();
            return Ok(given);
        }
        if page.location.starts_with('/') {
            page = browser.open_page("GET", &page.location, "").await?;
            continue;
        }
        let fields: Vec<(&str, &str)> = if page.html.contains("name=\"password\"") {
            vec![("action", "sign_in"), ("email", &user.email), ("password", &user.password)]
        } else if page.html.contains("value=\"choose\"") {
            vec![("action", "choose"), ("company", &id)]
        } else {
            vec![("action", "allow"), ("company", &id)]
        };
        let action = text_between(&page.html, "action=\"", "\"").unwrap_or_default().replace("&#38;", "&");
        let fields = [&[("form_token", form_token(&page.html))], fields.as_slice()].concat();
        page = browser.open_page("POST", &action, &encode_form(&fields)).await?;
    }
    Err("the pages of the service did not lead to a code".to_owned())
}

/// Opens a link and fails the identity check until the page is locked.
///
/// # Errors
/// One line: the service cannot be reached, or the link opens nothing.
pub async fn fail_identity_check(url: &str, api: &Api, link: &str, screen: &str) -> Result<(), String> {
    let path = link.find("/flows/").map(|at| &link[at..]).ok_or("the response has no link")?;
    let mut browser = Browser { api, url, cookie: String::new() };
    browser.open_page("GET", path, "").await?;
    let asks = format!("/flow/{screen}");
    for _ in 0..PAGES {
        let page = browser.open_page("GET", &asks, "").await?;
        if !page.html.contains("name=\"ssn_last_four\"") {
            return Ok(());
        }
        let wrong =
            [("form_token", form_token(&page.html)), ("action", "confirm"), ("ssn_last_four", "0000")];
        browser.open_page("POST", &asks, &encode_form(&wrong)).await?;
    }
    Err("the page went on asking".to_owned())
}

/// The token of a page's form.
fn form_token(html: &str) -> &str {
    let tag = html.split('<').find(|tag| tag.contains("name=\"form_token\""));
    tag.and_then(|tag| text_between(tag, "value=\"", "\"")).unwrap_or_default()
}

fn encode_form(fields: &[(&str, &str)]) -> String {
    form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish()
}

fn text_between<'a>(text: &'a str, before: &str, after: &str) -> Option<&'a str> {
    text.split_once(before)?.1.split_once(after).map(|(found, _)| found)
}

/// The code in the address to which a browser is sent back.
fn code_in(location: &str) -> Option<String> {
    let query = location.split_once('?')?.1;
    let mut found = form_urlencoded::parse(query.as_bytes());
    found.find(|(name, _)| name == "code").map(|(_, code)| code.into_owned())
}

/// Keeps the cookie that it is given.
struct Browser<'a> {
    api: &'a Api,
    url: &'a str,
    cookie: String,
}

/// A page, or where it sends the browser.
struct Page {
    html: String,
    location: String,
}

impl Browser<'_> {
    async fn open_page(&mut self, method: &str, path: &str, body: &str) -> Result<Page, String> {
        let request = Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.url.trim_end_matches('/')))
            .header(header::COOKIE, &self.cookie)
            .header("sec-fetch-site", "same-origin")
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(Full::new(Bytes::from(body.to_owned())))
            .map_err(|error| error.to_string())?;
        let gone = |why: &dyn std::fmt::Display| format!("{method} {path} was not answered: {why}");
        let answered = tokio::time::timeout(TRY_TIME, self.api.sender().http_client().request(request)).await;
        let (head, body) = answered.map_err(|why| gone(&why))?.map_err(|why| gone(&why))?.into_parts();
        let body = Limited::new(body, PAGE).collect().await.map_err(|why| gone(&why))?.to_bytes();
        let text = |name| head.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        if let Some((cookie, _)) = text(header::SET_COOKIE).split_once(';') {
            cookie.clone_into(&mut self.cookie);
        }
        // A form that is refused is shown again.
        let shown = [StatusCode::SEE_OTHER, StatusCode::UNPROCESSABLE_ENTITY].contains(&head.status);
        if !head.status.is_success() && !shown {
            return Err(format!("{method} {path} was refused with {}", head.status.as_u16()));
        }
        Ok(Page {
            html: String::from_utf8_lossy(&body).into_owned(),
            location: text(header::REFRESH)
                .split_once("url=")
                .map_or_else(|| text(header::LOCATION), |(_, to)| to)
                .to_owned(),
        })
    }
}

/// An answer to everything that a state asks of a company.
pub fn state_tax_answers(asked: &Value) -> Value {
    let sets = asked["requirement_sets"].as_array().into_iter().flatten().map(|set| {
        let requirements = set["requirements"].as_array().into_iter().flatten().map(|one| {
            let value = match one["metadata"]["type"].as_str() {
                Some("account_number") => json!("12-345678-9"),
                Some("tax_rate") => json!("0.027"),
                _ => one["metadata"]["options"][0]["value"].clone(),
            };
            json!({ "key": one["key"], "value": value })
        });
        json!({ "key": set["key"], "state": set["state"], "requirements": requirements.collect::<Vec<_>>() })
    });
    json!({ "requirement_sets": sets.collect::<Vec<_>>() })
}
