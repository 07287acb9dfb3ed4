//! Why a form of the console or of the authorization server was refused, until the browser has read it.
//!
//! Every form is answered by sending the browser on, so that going back never sends it again; a refused one leads back to
//! the page that it came from. What that page then shows travels in a cookie: whoever signs in is nobody yet, and has no
//! record to keep it in. It is sealed, ends after ten minutes, and belongs to one visitor and one page; the address has
//! the key of the answer that is meant, because the next refusal takes the place of this one. Passwords and tokens are
//! not kept.

use std::collections::BTreeMap;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use jiff::{Timestamp, ToSpan};
use serde::{Deserialize, Serialize};
use store::{Place, Tx};
use uuid::Uuid;

use crate::hosted as pages;
use domain::Error;
use domain::money::bank::settings::OPERATOR;

/// Query parameter with the key of an answer.
pub const ANSWER: &str = "answer";
/// Minutes for which an answer can be read.
const KEPT_MINUTES: i64 = 10;
/// Bytes of an answer beyond which its entries are left out: browsers refuse cookies of more than 4,096 bytes.
const LARGEST: usize = 1_600;
/// Entries that are never kept.
const SECRET: [&str; 4] = ["form_token", "back", "password", "verification_token"];

/// Why a form was refused, and what was entered.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Refusal {
    /// HTTP status of the page that shows it
    pub status: u16,
    /// what is wrong, in the words of the page
    pub lines: Vec<String>,
    /// seconds until the next attempt
    pub wait: Option<i64>,
    /// path that the form was sent to
    pub form: String,
    /// the entries, without those that are secret
    pub entries: BTreeMap<String, String>,
}

/// A refusal as it travels.
#[derive(Serialize, Deserialize)]
struct Letter {
    /// the visitor's form token
    visitor: String,
    /// path of the page
    page: String,
    at: Timestamp,
    refusal: Refusal,
}

/// What a request says of an answer.
#[derive(Debug, Clone)]
pub struct Sent {
    key: Uuid,
    sealed: Vec<u8>,
}

/// Where the browser is sent, and the cookie that it takes along.
pub struct Way {
    /// path and query
    pub address: String,
    cookie: String,
}

store::hidden!(Way);

impl Refusal {
    /// The status of the page that shows it.
    pub fn status_code(&self) -> StatusCode {
        StatusCode::from_u16(self.status).unwrap_or(StatusCode::UNPROCESSABLE_ENTITY)
    }

    /// Adds the entries of a form.
    #[must_use]
    pub fn with_entries<'a>(mut self, form: &str, entries: impl Iterator<Item = (&'a str, &'a str)>) -> Self {
        form.clone_into(&mut self.form);
        let entries = entries.filter(|(name, _)| !SECRET.contains(name));
        self.entries = entries.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        self
    }
}

/// The answer that a request names, if the browser has a cookie for it.
pub fn sent_answer(base: &str, request: &axum::extract::Request) -> Option<Sent> {
    let query = request.uri().query().unwrap_or_default();
    let key = form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == ANSWER)?.1.parse().ok()?;
    let sealed = hex::decode(pages::cookie_value(request.headers(), cookie_name(base))?).ok()?;
    Some(Sent { key, sealed })
}

/// Seals a refusal for a page of a visitor.
pub fn seal_refusal(tx: &mut Tx<'_>, visitor: &str, address: &str, refusal: Refusal) -> Result<Way, Error> {
    let (key, page) = (tx.new_id(), address.split('?').next().unwrap_or_default().to_owned());
    let mut letter = Letter { visitor: visitor.to_owned(), page, at: tx.now(), refusal };
    let mut text = text_of(&letter)?;
    if text.len() > LARGEST {
        letter.refusal.entries.clear();
        letter.refusal.lines.truncate(1);
        text = text_of(&letter)?;
    }
    let cookie = hex::encode(tx.seal_field(sealing_place(key), text.as_bytes())?);
    let joint = if address.contains('?') { '&' } else { '?' };
    Ok(Way { address: format!("{address}{joint}{ANSWER}={key}"), cookie })
}

/// The refusal that a visitor's request names, if it was meant for this page and is not too old.
pub fn find_refusal(
    tx: &mut Tx<'_>,
    visitor: &str,
    page: &str,
    sent: Option<&Sent>,
) -> Result<Option<Refusal>, Error> {
    let Some(sent) = sent else { return Ok(None) };
    let text = match tx.unseal_field(sealing_place(sent.key), &sent.sealed) {
        Ok(text) => text,
        // Another answer's cookie, or one that somebody made up.
        Err(store::Error::Sealed(_)) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let Ok(letter) = serde_json::from_slice::<Letter>(&text) else { return Ok(None) };
    let is_meant = letter.visitor == visitor && letter.page == page;
    let is_new = tx.now() <= letter.at + KEPT_MINUTES.minutes();
    Ok((is_meant && is_new).then_some(letter.refusal))
}

/// Sends the browser on its way.
pub fn redirect_with_refusal(base: &str, way: &Way) -> Response {
    let mut response =
        axum::response::IntoResponse::into_response(axum::response::Redirect::to(&way.address));
    let secure = if pages::is_https(Some(base)) { "; Secure" } else { "" };
    let (name, age) = (cookie_name(base), KEPT_MINUTES * 60);
    let cookie = format!("{name}={}; Path=/{secure}; HttpOnly; SameSite=Lax; Max-Age={age}", way.cookie);
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    response
}

/// An address without what belongs to one visit of it: an earlier answer, and what was done then.
pub fn lasting_address(address: &str) -> String {
    let Some((path, query)) = address.split_once('?') else { return address.to_owned() };
    let is_passing = |pair: &&str| {
        let name = pair.split('=').next().unwrap_or_default();
        name == ANSWER || name == "done"
    };
    let kept: Vec<_> = query.split('&').filter(|pair| !pair.is_empty() && !is_passing(pair)).collect();
    if kept.is_empty() { path.to_owned() } else { format!("{path}?{}", kept.join("&")) }
}

fn cookie_name(base: &str) -> &'static str {
    if pages::is_https(Some(base)) { "__Host-stipend-answer" } else { "stipend-answer" }
}

fn sealing_place(key: Uuid) -> Place {
    Place { owner: OPERATOR, table: "refusals", row: key, column: "cookie" }
}

fn text_of(letter: &Letter) -> Result<String, Error> {
    serde_json::to_string(letter).map_err(Error::failed_operation("a refusal could not be written"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_loses_what_was_answered_and_done_and_nothing_else() {
        for (address, lasts) in [
            ("/console", "/console"),
            ("/console?answer=1", "/console"),
            ("/console/owed?done=recorded&page=2", "/console/owed?page=2"),
            ("/console?q=a%20b&answer=1&only=x", "/console?q=a%20b&only=x"),
            ("/console?answers=2", "/console?answers=2"),
        ] {
            assert_eq!(lasting_address(address), lasts);
        }
    }

    #[test]
    fn no_password_or_token_is_among_the_entries_that_are_kept() {
        let sent =
            [("email", "ann@diner.example"), ("password", "secret"), ("form_token", "t"), ("days", "x")];
        let kept = Refusal::default().with_entries("/console/sign_in", sent.into_iter());
        assert_eq!(kept.entries.keys().collect::<Vec<_>>(), ["days", "email"]);
    }

    #[test]
    fn a_refusal_is_for_one_visitor_and_one_page_and_ends_after_ten_minutes() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let keys = store::MasterKeys::parse(&store::MasterKeys::generate_key()).unwrap();
            let clock = store::Clock::standing_at("2026-06-15T12:00:00Z".parse().unwrap());
            let options = store::Options::new(clock.clone(), keys, domain::SCHEMA);
            let store = store::Store::open("sqlite::memory:", options).unwrap();
            let way = store.write(|tx| {
                let lines = vec!["days must be a whole number".to_owned()];
                seal_refusal(
                    tx,
                    "visitor",
                    "/console/owed?page=2",
                    Refusal { status: 422, lines, ..Refusal::default() },
                )
            });
            let way = way.await.unwrap();
            let (address, key) = way.address.split_once("&answer=").unwrap();
            assert_eq!(address, "/console/owed?page=2");
            let sent = Sent { key: key.parse().unwrap(), sealed: hex::decode(&way.cookie).unwrap() };
            let other = Sent { key: Uuid::from_u128(7), ..sent.clone() };
            let read = store.read(move |tx| {
                let mut told = Vec::new();
                for (visitor, page, sent) in [
                    ("visitor", "/console/owed", Some(&sent)),
                    ("somebody else", "/console/owed", Some(&sent)),
                    ("visitor", "/console/money", Some(&sent)),
                    ("visitor", "/console/owed", Some(&other)),
                    ("visitor", "/console/owed", None),
                ] {
                    told.push(find_refusal(tx, visitor, page, sent)?.is_some());
                }
                Ok::<_, Error>(told)
            });
            assert_eq!(read.await.unwrap(), [true, false, false, false, false]);
        });
    }
}
