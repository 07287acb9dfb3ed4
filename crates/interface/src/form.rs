//! Forms with a file in them (multipart/form-data), as browsers and `curl -F` send them.
//!
//! A form is read into memory whole, as every body is, counts towards the same memory budget, and is parsed before its
//! handler runs. It may be larger and take longer than a JSON body, because it carries a file.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use domain::company::attachments::service::LARGEST as LARGEST_FILE;
use domain::digest;
use multer::Multipart;
use sha2::{Digest, Sha256};

use crate::error::Error;
use crate::held;
use crate::held::{Budget, Held};
use crate::http::Call;
use crate::shares::Client;

/// The media type of a form.
pub const MEDIA_TYPE: &str = "multipart/form-data";
/// Maximum bytes of a form: a file and its surroundings.
const LARGEST: usize = LARGEST_FILE + (64 << 10);
/// How long a form may take to arrive.
const TIME: Duration = Duration::from_secs(60);
/// Maximum parts of a form.
const MOST_PARTS: usize = 16;
/// Maximum characters of a boundary (RFC 2046, 5.1.1).
const BOUNDARY: usize = 70;
/// How many times a form is counted while it is parsed: the parser copies it, and each of its parts.
const COPIES: usize = 2;

/// A form that was sent.
pub struct Form {
    parts: Vec<Part>,
    _held: Held,
}

/// One of its parts.
struct Part {
    name: String,
    file_name: Option<String>,
    content: Bytes,
}

store::hidden!(Form);

impl Form {
    /// The file of a part, with its name where it has one.
    pub fn file(&self, name: &str) -> Option<(Option<&str>, &[u8])> {
        let part = self.parts.iter().find(|part| part.name == name)?;
        Some((part.file_name.as_deref(), &part.content))
    }

    /// The text of a part; parts that are not text are not accepted.
    pub fn text_part(&self, name: &str) -> Option<&str> {
        let (_, content) = self.file(name)?;
        Some(std::str::from_utf8(content).unwrap_or("\0"))
    }

    /// The fingerprint by which forms are compared for idempotency. The boundary, which differs between attempts, is
    /// not part of it.
    pub fn fingerprint(&self) -> Bytes {
        let mut hash = Sha256::new();
        for Part { name, file_name, content } in &self.parts {
            digest::hash_part(&mut hash, name.as_bytes());
            digest::hash_part(&mut hash, file_name.as_deref().unwrap_or_default().as_bytes());
            digest::hash_part(&mut hash, content);
        }
        Bytes::copy_from_slice(&hash.finalize())
    }
}

/// The form of a request, for a handler whose description declares [`MEDIA_TYPE`].
pub struct FormInput(pub Arc<Form>);

impl<S: Sync> FromRequestParts<S> for FormInput {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Error> {
        let call = parts.extensions.get::<Call>();
        let form = call.and_then(Call::form);
        form.map(Self).ok_or_else(|| Error::internal("the route names no form in the description"))
    }
}

/// The form of a request.
///
/// # Errors
/// 415, 413, 400 if it cannot be parsed, 408 if it did not arrive in time, 503 if there is no memory for it.
pub async fn read_form(budget: &Arc<Budget>, client: &Client, request: &mut Request) -> Result<Form, Error> {
    let boundary = part_boundary(request.headers())?;
    let body = held::receive_body((budget, client), request, LARGEST, TIME).await?;
    let room = budget.reserve_bytes(client, COPIES * body.len(), false)?;
    let parts = read_parts(body, boundary).await?;
    drop(room);
    let length = parts.iter().map(|part| part.content.len()).sum();
    Ok(Form { parts, _held: budget.reserve_bytes(client, length, true)? })
}

/// The boundary between the parts of a form.
fn part_boundary(headers: &HeaderMap) -> Result<String, Error> {
    let value = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    match multer::parse_boundary(value) {
        Ok(boundary) if (1..=BOUNDARY).contains(&boundary.len()) => Ok(boundary),
        Ok(_) => Err(Error::Unreadable(format!(
            "The boundary in Content-Type must have 1 to {BOUNDARY} characters."
        ))),
        Err(multer::Error::NoBoundary) => {
            Err(Error::Unreadable("The Content-Type of a form must name its boundary.".to_owned()))
        }
        Err(_) => Err(Error::NotForm),
    }
}

async fn read_parts(body: Bytes, boundary: String) -> Result<Vec<Part>, Error> {
    let refused = |why: &str| Err(Error::Unreadable(why.to_owned()));
    let mut multipart = Multipart::new(Body::from(body).into_data_stream(), boundary);
    let mut parts: Vec<Part> = Vec::new();
    while let Some(field) = multipart.next_field().await.map_err(|error| unreadable_form(&error))? {
        let Some(name) = field.name().map(str::to_owned) else {
            return refused("Each part of a form must have a name.");
        };
        if parts.len() == MOST_PARTS {
            return refused("The form has too many parts.");
        }
        if parts.iter().any(|part| part.name == name) {
            return refused("The form has two parts with the same name.");
        }
        if field.content_type().is_some_and(|kind| kind.type_() == "multipart") {
            return refused("A part of the form is itself a form, which is not supported.");
        }
        let file_name = field.file_name().map(str::to_owned);
        let content = field.bytes().await.map_err(|error| unreadable_form(&error))?;
        parts.push(Part { name, file_name, content });
    }
    Ok(parts)
}

/// Why a form cannot be parsed.
fn unreadable_form(error: &multer::Error) -> Error {
    let why = match error {
        multer::Error::IncompleteFieldData { .. }
        | multer::Error::IncompleteHeaders
        | multer::Error::IncompleteStream => "The form ends before its last boundary.",
        multer::Error::ReadHeaderFailed(_)
        | multer::Error::DecodeHeaderName { .. }
        | multer::Error::DecodeHeaderValue { .. } => "The headers of a part of the form cannot be read.",
        _ => "The body is not a multipart/form-data form.",
    };
    Error::Unreadable(why.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const OF_B: &str = "multipart/form-data; boundary=b";
    const GOOD: &str = "--b\r\nContent-Disposition: form-data; name=\"category\"\r\n\r\ncompliance\r\n--b\r\n\
                        Content-Disposition: form-data; name=\"document\"; filename=\"n.pdf\"\r\n\
                        Content-Type: application/pdf\r\n\r\n%PDF\r\n--b--\r\n";

    async fn form(content_type: &str, body: impl Into<Body>) -> Result<Form, Error> {
        let request = Request::post("/").header(header::CONTENT_TYPE, content_type);
        let client = Client::at_address([192, 0, 2, 1].into());
        read_form(&Budget::new(64 << 20), &client, &mut request.body(body.into()).unwrap()).await
    }

    #[tokio::test]
    async fn a_form_has_texts_and_files() {
        let form = form(OF_B, GOOD).await.unwrap();
        assert_eq!(form.text_part("category"), Some("compliance"));
        assert_eq!(form.file("document"), Some((Some("n.pdf"), &b"%PDF"[..])));
        assert_eq!(
            (form.text_part("other"), form.file("category")),
            (None, Some((None, &b"compliance"[..])))
        );
    }

    #[tokio::test]
    async fn the_same_parts_are_the_same_form_under_any_boundary() {
        let fingerprint = async |kind: &str, body: String| form(kind, body).await.unwrap().fingerprint();
        let first = fingerprint(OF_B, GOOD.to_owned()).await;
        let again = GOOD.replace("--b", "--another");
        assert_eq!(fingerprint("multipart/form-data; boundary=another", again).await, first);
        assert_ne!(fingerprint(OF_B, GOOD.replace("n.pdf", "m.pdf")).await, first);
    }

    #[tokio::test]
    async fn a_form_counts_against_the_room_while_it_is_held() {
        let budget = Budget::new(20_000);
        let body = GOOD.replace("%PDF", &"x".repeat(3_000));
        let post = || Request::post("/").header(header::CONTENT_TYPE, OF_B);
        let client = Client::at_address([192, 0, 2, 1].into());
        let held =
            read_form(&budget, &client, &mut post().body(Body::from(body.clone())).unwrap()).await.unwrap();
        assert_eq!(budget.reserved_bytes(), 3_000 + "compliance".len());
        drop(held);
        assert_eq!(budget.reserved_bytes(), 0);
        let narrow = Budget::new(5_000);
        let refused = read_form(&narrow, &client, &mut post().body(Body::from(body)).unwrap()).await;
        assert!(matches!(refused, Err(Error::NoRoom)), "the copies count, too");
        assert_eq!(narrow.reserved_bytes(), 0);
    }

    #[tokio::test]
    async fn what_is_no_form_is_refused_with_what_is_wrong() {
        let part = |head: &str| format!("--b\r\n{head}\r\n\r\nx\r\n--b--\r\n");
        let named = "Content-Disposition: form-data; name=\"document\"";
        let nested = format!("{named}\r\nContent-Type: multipart/mixed; boundary=c");
        let many: String = (0..17)
            .map(|n| format!("--b\r\nContent-Disposition: form-data; name=\"{n}\"\r\n\r\n\r\n"))
            .collect();
        let huge = format!("Content-Disposition: form-data; name=\"{}\"", "x".repeat(100_000));
        let cases = [
            (OF_B, GOOD[..GOOD.len() - 5].to_owned(), "ends before"),
            (OF_B, GOOD[..GOOD.len() / 2].to_owned(), "ends before"),
            (OF_B, String::new(), "ends before"),
            (OF_B, "{}".to_owned(), "ends before"),
            (OF_B, part("Content-Disposition: form-data"), "must have a name"),
            (OF_B, part("no head at all"), "cannot be read"),
            (OF_B, part(&nested), "itself a form"),
            (OF_B, format!("--b\r\n{named}\r\n\r\nx\r\n{}", part(named)), "same name"),
            (OF_B, format!("{many}--b--\r\n"), "too many parts"),
            ("multipart/form-data", GOOD.to_owned(), "boundary"),
        ];
        for (content_type, body, wrong) in cases {
            let shown = body.chars().take(80).collect::<String>();
            match form(content_type, body).await {
                Err(Error::Unreadable(why)) => assert!(why.contains(wrong), "{shown:?}: {why}"),
                other => panic!("{content_type} {shown:?}: {other:?}"),
            }
        }
        let huge = form(OF_B, part(&huge)).await.unwrap();
        assert_eq!(huge.text_part("document"), None, "a part of another name is none that anybody asks for");
        let empty = "multipart/form-data; boundary=\"\"";
        for other in ["application/json", "multipart/mixed; boundary=b", "", "text/plain", empty] {
            assert!(matches!(form(other, GOOD).await, Err(Error::NotForm)), "{other}");
        }
        let large = GOOD.replace("%PDF", &"x".repeat(LARGEST));
        assert!(matches!(form(OF_B, large).await, Err(Error::TooLarge(LARGEST))));
    }
}
