//! Texts are compressed for those who accept it.

use std::io::Write;

use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;
use flate2::Compression;
use flate2::write::GzEncoder;
use http_body::Body as _;

/// Bytes below which nothing is gained, and above which an answer goes out as it is.
const SMALLEST: u64 = 1 << 10;
const LARGEST: u64 = 8 << 20;
/// Bytes from which a thread of its own compresses, so that no other answer waits.
const LONG: usize = 64 << 10;
/// Brotli's effort and window: about as fast as gzip, and a tenth smaller.
const EFFORT: u32 = 4;
const WINDOW: u32 = 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Brotli,
    Gzip,
}

impl Encoding {
    /// The better one that is accepted.
    fn best_accepted(headers: &HeaderMap) -> Option<Self> {
        let all = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
        let accepts: Vec<(&str, bool)> =
            all.flat_map(|value| value.split(',')).map(parse_accepted_encoding).collect();
        let said = |name: &str| accepts.iter().find(|(other, _)| other.eq_ignore_ascii_case(name));
        let takes = |name: &str| said(name).or_else(|| said("*")).is_some_and(|(_, taken)| *taken);
        [Self::Brotli, Self::Gzip].into_iter().find(|one| takes(one.name()))
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Brotli => "br",
            Self::Gzip => "gzip",
        }
    }

    fn compress_bytes(self, plain: &[u8]) -> std::io::Result<Vec<u8>> {
        let room = Vec::with_capacity(plain.len() / 3);
        match self {
            Self::Brotli => {
                let mut writer = brotli::CompressorWriter::new(room, 4096, EFFORT, WINDOW);
                writer.write_all(plain)?;
                writer.flush()?;
                Ok(writer.into_inner())
            }
            Self::Gzip => {
                let mut writer = GzEncoder::new(room, Compression::default());
                writer.write_all(plain)?;
                writer.finish()
            }
        }
    }
}

/// An item of Accept-Encoding: its name, and whether it may be used.
fn parse_accepted_encoding(item: &str) -> (&str, bool) {
    let (name, weight) = item.split_once(';').unwrap_or((item, ""));
    let weight = weight.trim().strip_prefix("q=").unwrap_or("1");
    (name.trim(), weight.bytes().any(|byte| (b'1'..=b'9').contains(&byte)))
}

/// Whether an answer is text.
fn is_text(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    kind.starts_with("text/")
        || matches!(kind, "application/json" | "application/problem+json" | "image/svg+xml")
}

/// Compresses the text of an answer whose length is known.
pub async fn compress_response(request: Request, next: Next) -> Response {
    let encoding = Encoding::best_accepted(request.headers());
    let mut response = next.run(request).await;
    let size = response.body().size_hint().exact().unwrap_or_default();
    let headers = response.headers_mut();
    if !is_text(headers) || headers.contains_key(header::CONTENT_ENCODING) {
        return response;
    }
    headers.append(header::VARY, HeaderValue::from_static("Accept-Encoding"));
    match encoding {
        Some(encoding) if (SMALLEST..=LARGEST).contains(&size) => encode_response(response, encoding).await,
        _ => response,
    }
}

async fn encode_response(response: Response, encoding: Encoding) -> Response {
    let (mut parts, body) = response.into_parts();
    let Ok(plain) = axum::body::to_bytes(body, usize::MAX).await else {
        // The answer broke off; so does what is sent of it.
        return Response::from_parts(parts, Body::empty());
    };
    let long = plain.len() >= LONG;
    let same = plain.clone();
    let work = move || encoding.compress_bytes(&same);
    let made = if long { tokio::task::spawn_blocking(work).await.ok() } else { Some(work()) };
    let Some(Ok(smaller)) = made else { return Response::from_parts(parts, Body::from(plain)) };
    parts.headers.remove(header::CONTENT_LENGTH);
    parts.headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding.name()));
    // Another encoding has other bytes.
    let tag = parts.headers.get(header::ETAG).and_then(|tag| tag.to_str().ok());
    if let Some(weak) =
        tag.filter(|tag| !tag.starts_with("W/")).and_then(|tag| format!("W/{tag}").parse().ok())
    {
        parts.headers.insert(header::ETAG, weak);
    }
    Response::from_parts(parts, Body::from(smaller))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(accept: &'static str) -> Option<&'static str> {
        let headers = HeaderMap::from_iter([(header::ACCEPT_ENCODING, HeaderValue::from_static(accept))]);
        Encoding::best_accepted(&headers).map(Encoding::name)
    }

    #[test]
    fn the_better_encoding_that_is_accepted_is_chosen() {
        assert_eq!(chosen("gzip, deflate, br, zstd"), Some("br"));
        assert_eq!(chosen("gzip;q=1.0, br;q=0"), Some("gzip"));
        assert_eq!(chosen("GZIP"), Some("gzip"));
        assert_eq!(chosen("*"), Some("br"));
        assert_eq!(chosen("*;q=0, gzip;q=0.5"), Some("gzip"));
        assert_eq!(chosen("identity"), None);
        assert_eq!(Encoding::best_accepted(&HeaderMap::new()), None);
    }

    #[test]
    fn a_text_becomes_smaller_and_comes_back_whole() {
        let plain = "A line of a page. ".repeat(200).into_bytes();
        let gzip = Encoding::Gzip.compress_bytes(&plain).unwrap();
        let mut back = Vec::new();
        std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(&gzip[..]), &mut back).unwrap();
        assert!(gzip.len() < plain.len() / 10 && back == plain);
        let brotli = Encoding::Brotli.compress_bytes(&plain).unwrap();
        let mut back = Vec::new();
        std::io::Read::read_to_end(&mut brotli::Decompressor::new(&brotli[..], 4096), &mut back).unwrap();
        assert!(brotli.len() < plain.len() / 10 && back == plain);
    }

    #[test]
    fn pages_descriptions_and_drawings_are_texts_and_files_are_not() {
        let is_text = |kind: &'static str| {
            is_text(&HeaderMap::from_iter([(header::CONTENT_TYPE, HeaderValue::from_static(kind))]))
        };
        assert!(
            ["text/html; charset=utf-8", "application/json", "text/csv", "image/svg+xml"]
                .into_iter()
                .all(is_text)
        );
        assert!(!["application/pdf", "image/png", "application/octet-stream"].into_iter().any(is_text));
    }
}
