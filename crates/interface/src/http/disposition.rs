//! `Content-Disposition`: whether a browser shows a file or downloads it, and under which name (RFC 6266).

use axum::http::HeaderValue;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// Characters that an encoded file name may contain literally (RFC 8187, 3.2.1).
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Shown by the browser, and saved under this name.
pub fn inline_header(name: &str) -> HeaderValue {
    named_header("inline", name)
}

/// Downloaded under this name, and never displayed at the service's own address.
pub fn attachment_header(name: &str) -> HeaderValue {
    named_header("attachment", name)
}

/// The name appears twice: in characters that every client supports, and in full.
fn named_header(kind: &'static str, name: &str) -> HeaderValue {
    let known =
        |c: char| if c.is_ascii_graphic() && !matches!(c, '"' | '\\' | '%') || c == ' ' { c } else { '_' };
    let plain: String = name.chars().map(known).collect();
    let full = utf8_percent_encode(name, PLAIN);
    let text = format!("{kind}; filename=\"{plain}\"; filename*=UTF-8''{full}");
    // Visible ASCII is always a valid header value; if it were not, the download would merely lose its name.
    HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static(kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_break_out_of_its_header() {
        assert_eq!(
            attachment_header("notice 1.pdf"),
            "attachment; filename=\"notice 1.pdf\"; filename*=UTF-8''notice%201.pdf"
        );
        assert_eq!(
            attachment_header("a\"; x=\\é\r\n.pdf"),
            "attachment; filename=\"a_; x=____.pdf\"; filename*=UTF-8''a%22%3B%20x%3D%5C%C3%A9%0D%0A.pdf"
        );
    }

    #[test]
    fn every_name_keeps_whether_the_file_is_shown_or_downloaded_and_what_it_is_called() {
        for name in ["", "stub.pdf", "\0\u{7f}\n", "März.pdf", "給与.pdf", "\u{202e}fdp.exe"] {
            for (kind, value) in
                [("inline; ", inline_header(name)), ("attachment; ", attachment_header(name))]
            {
                let text = value.to_str().unwrap();
                assert!(text.starts_with(kind), "{text}");
                let (_, full) = text.split_once("filename*=UTF-8''").unwrap();
                assert_eq!(percent_encoding::percent_decode_str(full).decode_utf8().unwrap(), name);
            }
        }
    }
}
