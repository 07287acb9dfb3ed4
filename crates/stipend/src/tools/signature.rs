//! `stipend verify-signature`: whether a signature is right, and if not, what was probably done wrong. Each guess is
//! tried, not supposed: the wrong value must follow from it exactly.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use background::delivery::sign::{hmac_sha256, service_signature};

/// What was found out.
#[derive(Debug, PartialEq, Eq)]
pub enum Verdict {
    /// the signature is right
    Right,
    /// it is not, for this reason
    Wrong(String),
}

/// Digits of a signature.
const DIGITS: usize = 64;

/// Compares the value of `X-Service-Signature` with what it should be for these bytes and this secret.
pub fn check_signature(secret: &str, signature: &str, body: &[u8]) -> Verdict {
    let right = service_signature(secret, body);
    if signature == right {
        return Verdict::Right;
    }
    let wrong = wrong_form_reason(signature, secret, body, &right)
        .or_else(|| other_secret(secret, signature, body))
        .or_else(|| other_bytes(secret, signature, body));
    Verdict::Wrong(wrong.unwrap_or_else(|| unknown_signature_reason(signature)))
}

/// The right value in a wrong form.
fn wrong_form_reason(signature: &str, secret: &str, body: &[u8], right: &str) -> Option<String> {
    let found = signature.trim();
    let bare = found.rsplit(['=', ',']).find(|part| !part.is_empty()).unwrap_or(found);
    let base64 = STANDARD.encode(hmac_sha256(secret, &[body]));
    let is_base64 = |text: &str| text.trim_end_matches('=') == base64.trim_end_matches('=');
    if is_base64(found) {
        return Some(
            "it is right, but in base64: the service sends 64 lower-case hexadecimal digits".to_owned(),
        );
    }
    if found == right {
        return Some("it is right, but has blanks around it".to_owned());
    }
    if found.eq_ignore_ascii_case(right) {
        return Some(
            "it is right, but in capitals: the service sends lower-case hexadecimal digits".to_owned(),
        );
    }
    if bare == right {
        return Some("it is right, but has a prefix: the service sends the 64 digits alone".to_owned());
    }
    let cut = (8..DIGITS).contains(&found.len()) && right.starts_with(&found.to_lowercase());
    cut.then(|| format!("it is cut short: {} of {DIGITS} digits", found.len()))
}

/// The signature is that of the same bytes under a secret that is nearly this one.
fn other_secret(secret: &str, signature: &str, body: &[u8]) -> Option<String> {
    let trimmed = secret.trim();
    let decoded = trimmed.strip_prefix("whsec_").and_then(|text| STANDARD.decode(text).ok());
    let decoded = decoded.and_then(|bytes| String::from_utf8(bytes).ok());
    let tries = [
        (Some(trimmed.to_owned()), "without the blanks around it"),
        (Some(trimmed.to_lowercase()), "in small letters, as it was received"),
        (Some(trimmed.to_uppercase()), "in capitals: it was changed before it was used"),
        (Some(trimmed.replace('-', "")), "without its hyphens: it was changed before it was used"),
        (decoded, "decoded from its whsec_ form: X-Service-Signature uses the token itself"),
        (Some(STANDARD.encode(trimmed)), "in base64: X-Service-Signature uses the token itself"),
        (Some(format!("{trimmed}\n")), "with a line break after it"),
        (Some(String::new()), "that is empty"),
    ];
    let fits = |other: &String| service_signature(other, body) == signature.trim().to_lowercase();
    let found = tries.into_iter().find(|(other, _)| other.as_ref().is_some_and(fits));
    found.map(|(_, how)| format!("the bytes are right; the secret is another one: it fits one {how}"))
}

/// The signature is that of nearly the same bytes under this secret.
fn other_bytes(secret: &str, signature: &str, body: &[u8]) -> Option<String> {
    let fits = |bytes: &[u8]| service_signature(secret.trim(), bytes) == signature.trim().to_lowercase();
    let text = String::from_utf8_lossy(body).into_owned();
    let end = text.trim_end_matches(['\r', '\n']);
    let tries = [
        (
            end.to_owned(),
            "without the line break at the end: the file has one byte or two more than were sent",
        ),
        (format!("{text}\n"), "with a line break at the end, which the file lacks"),
        (text.replace("\r\n", "\n"), "with other line breaks"),
        (text.replace('\n', "\r\n"), "with other line breaks"),
        (text.trim_start_matches('\u{feff}').to_owned(), "without a byte order mark"),
        (text.trim().to_owned(), "without blanks around them"),
    ];
    let found = tries.into_iter().find(|(other, _)| fits(other.as_bytes()));
    if let Some((_, how)) = found {
        return Some(format!(
            "the secret is right; the bytes are not those that were signed: it fits them {how}"
        ));
    }
    let value: Value = serde_json::from_slice(body).ok()?;
    let written = [
        value.to_string(),
        spaced_json(&value),
        serde_json::to_string_pretty(&value).ok()?,
        ascii_json(&value),
    ];
    written.iter().any(|other| fits(other.as_bytes())).then(|| {
        "the secret is right; the body was read as JSON and written again, which changes its bytes: sign the bytes as \
         they came"
            .to_owned()
    })
}

/// As Python's `json.dumps` writes it: a blank after each comma and colon, and nothing but ASCII.
fn spaced_json(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("[{}]", items.iter().map(spaced_json).collect::<Vec<_>>().join(", ")),
        Value::Object(fields) => {
            let field = |(name, value): (&String, &Value)| {
                format!("{}: {}", ascii_json(&Value::String(name.clone())), spaced_json(value))
            };
            format!("{{{}}}", fields.iter().map(field).collect::<Vec<_>>().join(", "))
        }
        other => ascii_json(other),
    }
}

/// Compact, and nothing but ASCII.
fn ascii_json(value: &Value) -> String {
    let mut made = String::new();
    for c in value.to_string().chars() {
        if c.is_ascii() {
            made.push(c);
        } else {
            let mut units = [0; 2];
            c.encode_utf16(&mut units).iter().for_each(|unit| made += &format!("\\u{unit:04x}"));
        }
    }
    made
}

fn unknown_signature_reason(signature: &str) -> String {
    let signature = signature.trim();
    let hexadecimal = signature.bytes().all(|byte| byte.is_ascii_hexdigit());
    if signature.is_empty() {
        return "there is no signature".to_owned();
    }
    if !hexadecimal || signature.len() != DIGITS {
        return format!(
            "it has {} characters{}; a signature has {DIGITS} hexadecimal digits",
            signature.len(),
            if hexadecimal { "" } else { ", and not only digits" }
        );
    }
    "it belongs to another secret (after a verification token was replaced, the new one was posted to the subscription's \
     url), or to other bytes than those of the file"
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "2f0c3d6e-5b1a-4c7d-9e8f-0a1b2c3d4e5f";
    const BODY: &str = r#"{"uuid":"1","name":"Zoë","list":[1.50,null]}"#;

    fn reason(secret: &str, signature: &str, body: &str) -> String {
        match check_signature(secret, signature, body.as_bytes()) {
            Verdict::Right => panic!("it is right"),
            Verdict::Wrong(why) => why,
        }
    }

    #[test]
    fn a_right_signature_is_right() {
        let signature = service_signature(SECRET, BODY.as_bytes());
        assert_eq!(check_signature(SECRET, &signature, BODY.as_bytes()), Verdict::Right);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let right = service_signature(SECRET, BODY.as_bytes());
        let base64 = STANDARD.encode(hmac_sha256(SECRET, &[BODY.as_bytes()]));
        for (signature, why) in [
            (base64.clone(), "base64"),
            (base64.trim_end_matches('=').to_owned(), "base64"),
            (right.to_uppercase(), "capitals"),
            (format!(" {right}"), "blanks"),
            (format!("sha256={right}"), "prefix"),
            (right[..32].to_owned(), "32 of 64"),
            (right[..63].to_owned(), "63 of 64"),
            (String::new(), "no signature"),
            ("x".repeat(64), "not only digits"),
            ("0".repeat(63), "63 characters"),
            ("0".repeat(64), "another secret"),
        ] {
            assert!(reason(SECRET, &signature, BODY).contains(why), "{signature}");
        }
    }

    #[test]
    fn another_secret_is_told_from_other_bytes() {
        let right = service_signature(SECRET, BODY.as_bytes());
        let whsec = format!("whsec_{}", STANDARD.encode(SECRET));
        for (secret, why) in [
            (format!("{SECRET}\n"), "blanks around it"),
            (SECRET.to_uppercase(), "small letters"),
            (whsec, "whsec_"),
        ] {
            let why_not = reason(&secret, &right, BODY);
            assert!(why_not.contains("the secret is another one") && why_not.contains(why), "{why_not}");
        }
        for (body, why) in [
            (format!("{BODY}\n"), "line break"),
            (format!("\u{feff}{BODY}"), "byte order mark"),
            (
                serde_json::to_string_pretty(&serde_json::from_str::<Value>(BODY).unwrap()).unwrap(),
                "written again",
            ),
        ] {
            let why_not = reason(SECRET, &right, &body);
            assert!(why_not.contains("the secret is right") && why_not.contains(why), "{why_not}");
        }
    }

    #[test]
    fn a_receiver_that_signed_what_it_wrote_itself_is_found_out() {
        let python = r#"{"uuid": "1", "name": "Zo\u00eb", "list": [1.50, null]}"#;
        let signature = service_signature(SECRET, python.as_bytes());
        assert!(reason(SECRET, &signature, BODY).contains("written again"));
    }
}
