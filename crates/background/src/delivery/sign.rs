//! Signatures, by which a receiver checks that a call comes from the service and that its body is unchanged.
//!
//! `X-Service-Signature`, and under its other name `X-Gusto-Signature`, is the HMAC-SHA256 of the body under the
//! verification token, as 64 lower-case hexadecimal digits (specification, Authentication). The three headers of
//! Standard Webhooks sign the id and the time, too, so that a replayed call can be distinguished from a new one. While a secret is being
//! replaced, the first two headers are made with the old secret and `webhook-signature` with both.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// HMAC-SHA256 of the concatenated parts.
pub fn hmac_sha256(secret: &str, parts: &[&[u8]]) -> [u8; 32] {
    let mac = <Hmac<Sha256> as KeyInit>::new_from_slice(secret.as_bytes());
    let mut mac = mac.unwrap_or_else(|_| panic!("HMAC takes keys of every length"));
    for part in parts {
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}

/// The value of `X-Service-Signature`.
pub fn service_signature(secret: &str, body: &[u8]) -> String {
    hex::encode(hmac_sha256(secret, &[body]))
}

/// The value of `webhook-signature` for one secret; `time` is in Unix seconds.
pub fn standard_signature(secret: &str, id: &str, time: &str, body: &[u8]) -> String {
    let signed = hmac_sha256(secret, &[id.as_bytes(), b".", time.as_bytes(), b".", body]);
    format!("v1,{}", STANDARD.encode(signed))
}

/// The headers of a call.
pub fn signature_headers(
    (secret, previous): (&str, Option<&str>),
    id: &str,
    time: i64,
    body: &[u8],
) -> [(&'static str, String); 5] {
    let time = time.to_string();
    let signature = service_signature(previous.unwrap_or(secret), body);
    let mut standard = standard_signature(secret, id, &time, body);
    if let Some(previous) = previous {
        standard = format!("{standard} {}", standard_signature(previous, id, &time, body));
    }
    [
        ("x-service-signature", signature.clone()),
        ("x-gusto-signature", signature),
        ("webhook-id", id.to_owned()),
        ("webhook-timestamp", time),
        ("webhook-signature", standard),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "2f0c3d6e-5b1a-4c7d-9e8f-0a1b2c3d4e5f";

    #[test]
    fn the_mac_is_that_of_rfc_4231() {
        let known = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
        assert_eq!(service_signature("Jefe", b"what do ya want for nothing?"), known);
    }

    /// Made with Python's hmac module: secret, body, and both signatures (id `id`, time 7).
    #[test]
    fn signatures_of_twenty_bodies_match_those_of_python() {
        let vectors: Vec<[String; 4]> = serde_json::from_str(include_str!("sign_vectors.json")).unwrap();
        assert_eq!(vectors.len(), 20);
        for [secret, body, service, standard] in vectors {
            assert_eq!(service_signature(&secret, body.as_bytes()), service, "{body:?}");
            assert_eq!(standard_signature(&secret, "id", "7", body.as_bytes()), standard, "{body:?}");
        }
    }

    #[test]
    fn a_call_carries_the_same_signature_under_both_names_and_the_three_standard_headers() {
        let headers = signature_headers((SECRET, None), "id", 7, b"{}");
        assert_eq!(headers[0].1, headers[1].1);
        assert_eq!(headers[0].1.len(), 64);
        assert_eq!(headers[3].1, "7");
        assert_eq!(headers[4].1, standard_signature(SECRET, "id", "7", b"{}"));
    }

    #[test]
    fn while_a_secret_is_replaced_the_old_and_the_new_one_both_verify() {
        let headers = signature_headers((SECRET, Some("old")), "id", 7, b"{}");
        assert_eq!(headers[0].1, service_signature("old", b"{}"));
        let both: Vec<_> = headers[4].1.split(' ').collect();
        assert_eq!(both, [SECRET, "old"].map(|secret| standard_signature(secret, "id", "7", b"{}")));
    }
}
