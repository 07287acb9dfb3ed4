//! The most recent requests to the API with their responses, in memory, only under `stipend dev`.
//!
//! Elsewhere bodies contain Social Security numbers and bank accounts, and are not kept: the router then has no
//! [`record_request`] layer. Here, too, secrets in bodies and URLs are masked before they are kept, headers are not kept at
//! all, and a body that is not JSON is not shown.

use std::collections::VecDeque;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use axum::body::Body;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http_body_util::BodyExt;
use jiff::Timestamp;
use serde_json::Value;
use store::Clock;

use crate::app::App;
use crate::error::Error;
use crate::http::{catch_panic, is_form};
use crate::test_clock::Fired;
use crate::unknown;
use crate::version;

/// Maximum of requests kept.
const MOST: usize = 500;
/// Maximum bytes kept of a body.
const LONGEST: usize = 16 << 10;
/// Maximum bytes inspected of a body: as many as the API accepts.
const LARGEST: usize = 1 << 20;
/// Replaces a secret.
const MASK: &str = "***";

/// A request with its response.
#[derive(Debug)]
pub struct Entry {
    /// from 1 on
    pub number: u64,
    /// when it arrived
    pub at: Timestamp,
    /// such as `GET`
    pub method: String,
    /// path and query, without secrets
    pub address: String,
    /// status of the response
    pub status: u16,
    /// its duration
    pub micros: u64,
    /// its request id
    pub request_id: String,
    /// the version of the response; empty if there was none
    pub version: String,
    /// names of the request that were not read; empty if there were none
    pub unread: String,
    /// its body, without secrets
    pub asked: String,
    /// the response body, without secrets
    pub answered: String,
}

/// The last move of the test clock by a button in the console.
#[derive(Debug, Clone)]
pub struct Moved {
    /// what the clock showed before
    pub from: Timestamp,
    /// what it showed after
    pub to: Timestamp,
    /// the work that fell due
    pub fired: Vec<Fired>,
}

/// What the developer's console remembers.
#[derive(Debug, Default)]
pub struct Journal {
    kept: Mutex<VecDeque<Arc<Entry>>>,
    numbers: AtomicU64,
    moved: Mutex<Option<Moved>>,
}

impl Journal {
    fn keep_entry(&self, mut entry: Entry) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        entry.number = self.numbers.fetch_add(1, Ordering::Relaxed) + 1;
        kept.truncate(MOST - 1);
        kept.push_front(Arc::new(entry));
    }

    /// What is kept.
    pub fn newest_first(&self) -> Vec<Arc<Entry>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).iter().map(Arc::clone).collect()
    }

    /// One request, while it is kept.
    pub fn find_entry(&self, number: u64) -> Option<Arc<Entry>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().find(|entry| entry.number == number).map(Arc::clone)
    }

    /// Remembers a move of the clock, in place of the previous one.
    pub fn note_move(&self, moved: Moved) {
        *self.moved.lock().unwrap_or_else(PoisonError::into_inner) = Some(moved);
    }

    /// The last move of the clock.
    pub fn last_move(&self) -> Option<Moved> {
        self.moved.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Records requests to the API, but not to pages and links.
pub async fn record_request(State(app): State<App>, request: Request, next: Next) -> Response {
    catch_panic(pin!(pass_request(app, request, next))).await
}

async fn pass_request(app: App, request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let Some(journal) = app.journal.as_ref().filter(|_| is_interface(path)) else {
        return next.run(request).await;
    };
    let (at, began) = (app.store.clock().now(), Clock::monotonic());
    let method = request.method().to_string();
    let address = masked_address(request.uri().path(), request.uri().query());
    let (form, oauth) = (is_form(request.headers()), path.starts_with("/oauth/"));
    let sent = Arc::new(Mutex::new(Vec::new()));
    let copy = Arc::clone(&sent);
    let request = request.map(|body| {
        Body::new(body.map_frame(move |frame| {
            if let Some(data) = frame.data_ref() {
                let mut copy = copy.lock().unwrap_or_else(PoisonError::into_inner);
                let room = (LARGEST + 1).saturating_sub(copy.len());
                copy.extend_from_slice(&data[..data.len().min(room)]);
            }
            frame
        }))
    });
    let (parts, body) = next.run(request).await.into_parts();
    let body = match axum::body::to_bytes(body, usize::MAX).await {
        Ok(body) => body,
        Err(error) => return Error::failed_operation("an answer could not be kept")(error).into_response(),
    };
    let took = Clock::monotonic().saturating_sub(began);
    let sent = std::mem::take(&mut *sent.lock().unwrap_or_else(PoisonError::into_inner));
    let header = |names: &[&str]| {
        let found = names.iter().find_map(|name| parts.headers.get(*name)?.to_str().ok());
        found.unwrap_or_default().to_owned()
    };
    journal.keep_entry(Entry {
        number: 0,
        at,
        method,
        address,
        status: parts.status.as_u16(),
        micros: u64::try_from(took.as_micros()).unwrap_or(u64::MAX),
        request_id: header(&["x-request-id"]),
        version: header(&[version::HEADER.as_str(), version::ALIAS.as_str()]),
        unread: header(&[unknown::HEADER.as_str()]),
        asked: if form { masked_form(&sent) } else { masked_body(&sent, oauth) },
        answered: masked_body(&body, oauth),
    });
    Response::from_parts(parts, Body::from(body))
}

fn is_interface(path: &str) -> bool {
    path.starts_with("/v1/") || (path.starts_with("/oauth/") && path != "/oauth/authorize")
}

/// Whether a field of this name is secret. `code` is a secret of the authorization server, but not in an occupation.
fn is_secret(name: &str, oauth: bool) -> bool {
    const PARTS: [&str; 6] = ["token", "secret", "password", "ssn", "account_number", "code_verifier"];
    let shown = name.starts_with("hidden_") || name.starts_with("has_") || name == "token_type";
    !shown && ((oauth && name == "code") || PARTS.into_iter().any(|part| name.contains(part)))
}

fn masked_pairs(text: &[u8]) -> String {
    let pairs = form_urlencoded::parse(text).map(|(name, value)| {
        let value = if is_secret(&name, true) { MASK.into() } else { value };
        format!("{name}={value}")
    });
    pairs.collect::<Vec<_>>().join("&")
}

fn masked_address(path: &str, query: Option<&str>) -> String {
    let address = match query {
        Some(query) => format!("{path}?{}", masked_pairs(query.as_bytes())),
        None => path.to_owned(),
    };
    truncate_text(address)
}

fn masked_form(body: &[u8]) -> String {
    truncate_text(masked_pairs(body))
}

fn masked_body(body: &[u8], oauth: bool) -> String {
    if body.is_empty() {
        return String::new();
    }
    if body.len() > LARGEST {
        return format!("(more than {LARGEST} bytes)");
    }
    let Ok(mut value) = serde_json::from_slice::<Value>(body) else {
        return format!("({} bytes that are not JSON)", body.len());
    };
    mask_secrets(&mut value, oauth);
    truncate_text(serde_json::to_string_pretty(&value).unwrap_or_default())
}

/// Masks secrets: by the name of a field, and in the last segment of a URL.
fn mask_secrets(value: &mut Value, oauth: bool) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                let held = matches!(&*value, Value::Number(_))
                    || value.as_str().is_some_and(|text| !text.is_empty());
                if held && is_secret(name, oauth) {
                    *value = Value::from(MASK);
                } else {
                    mask_secrets(value, oauth);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| mask_secrets(item, oauth)),
        Value::String(text) => {
            for part in ["/flows/", "/documents/"] {
                if let Some((before, _)) = text.split_once(part) {
                    *text = format!("{before}{part}{MASK}");
                }
            }
        }
        _ => {}
    }
}

fn truncate_text(text: String) -> String {
    if text.len() <= LONGEST {
        return text;
    }
    let end = (0..=LONGEST).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    format!("{}\n… ({} bytes in all)", &text[..end], text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_secret_is_masked_wherever_it_lies() {
        let body = br#"{"ssn":"412551007","has_ssn":true,"name":"Zoe","accounts":[{"account_number":12345,
            "hidden_account_number":"XXXX6789"}],"url":"http://localhost/flows/abc","code":"11-1011",
            "access_token":"t","token_type":"bearer","verification_token":null}"#;
        let shown = masked_body(body, false);
        for secret in ["412551007", "12345", "flows/abc", "\"t\""] {
            assert!(!shown.contains(secret), "{secret} in {shown}");
        }
        for kept in ["Zoe", "XXXX6789", "11-1011", "bearer", "true", "null"] {
            assert!(shown.contains(kept), "{kept} not in {shown}");
        }
        assert_eq!(masked_body(br#"{"code":"abc"}"#, true), "{\n  \"code\": \"***\"\n}");
        let form = masked_form(b"grant_type=authorization_code&code=abc&client_secret=def");
        assert_eq!(form, "grant_type=authorization_code&code=***&client_secret=***");
        assert_eq!(masked_address("/v1/x", Some("page=2&access_token=abc")), "/v1/x?page=2&access_token=***");
    }

    #[test]
    fn a_body_that_is_no_json_is_not_shown() {
        assert_eq!(masked_body(b"ssn 412551007", false), "(13 bytes that are not JSON)");
        assert_eq!(masked_body(b"", false), "");
    }

    #[test]
    fn a_long_body_is_cut_at_a_letter_after_it_was_masked() {
        let body = format!("{{\"name\":\"{}\",\"ssn\":\"412551007\"}}", "é".repeat(LONGEST));
        let shown = masked_body(body.as_bytes(), false);
        assert!(shown.len() < LONGEST + 100 && shown.ends_with("bytes in all)"));
        assert!(!shown.contains("412551007"));
    }

    #[test]
    fn only_the_last_requests_are_kept() {
        let journal = Journal::default();
        for _ in 0..MOST + 3 {
            journal.keep_entry(Entry {
                number: 0,
                at: Timestamp::UNIX_EPOCH,
                method: String::new(),
                address: String::new(),
                status: 200,
                micros: 0,
                request_id: String::new(),
                version: String::new(),
                unread: String::new(),
                asked: String::new(),
                answered: String::new(),
            });
        }
        let kept = journal.newest_first();
        assert_eq!((kept.len(), kept[0].number), (MOST, MOST as u64 + 3));
        assert!(journal.find_entry(1).is_none() && journal.find_entry(4).is_some());
    }
}
