//! What the connection itself refuses: heads that two could read in two ways, and heads that are too large; and what
//! every answer over https carries.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use crate::binary::{Running, run, stipend};

/// What comes back until the connection ends.
fn said(service: &Running, bytes: &str) -> String {
    let mut stream = TcpStream::connect(service.address()).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    // Who refuses a head may be gone before all of it was sent.
    stream.write_all(bytes.as_bytes()).ok();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).ok();
    String::from_utf8(answer).unwrap()
}

#[test]
fn a_request_that_two_could_read_in_two_ways_is_refused() {
    let service = Running::dev(&["--memory"]);
    let (host, token) = (format!("host: {}\r\n", service.address()), service.authorization());
    let post = format!("POST /v1/companies/{}/employees HTTP/1.1\r\n{host}{token}", service.company());
    let post = post + "content-type: application/json\r\nconnection: close\r\n";
    let chunks = "2\r\n{}\r\n0\r\n\r\n";
    for (bytes, why) in [
        ("GET /healthz HTTP/1.1\r\nconnection: close\r\n\r\n".to_owned(), "needs a Host"),
        (format!("GET /healthz HTTP/1.1\r\n{host}{host}connection: close\r\n\r\n"), "more than one Host"),
        (format!("GET /healthz HTTP/1.1\n{host}connection: close\r\n\r\n"), ""),
        (format!("GET /healthz HTTP/1.1\r\n{host}connection: close\n\n"), ""),
        (format!("{post}transfer-encoding: gzip, chunked\r\n\r\n{chunks}"), ""),
        (format!("{post}transfer-encoding: chunked\r\ncontent-length: 2\r\n\r\n{chunks}"), ""),
        (format!("{post}content-length: 2\r\ncontent-length: 2\r\n\r\n{{}}"), ""),
        (
            format!("{post}transfer-encoding: chunked\r\n\r\n{}", chunks.replace('\r', "")),
            "could not be read",
        ),
    ] {
        let answer = said(&service, &bytes);
        assert!(answer.starts_with("HTTP/1.1 400 ") && answer.contains(why), "{bytes}: {answer}");
        assert_eq!(answer.matches("HTTP/1.1 ").count(), 1, "{answer}");
    }
    // The same, written as it should be, and one after the other.
    let twice =
        format!("GET /healthz HTTP/1.1\r\n{host}\r\n{post}transfer-encoding: chunked\r\n\r\n{chunks}");
    let answer = said(&service, &twice);
    assert!(answer.starts_with("HTTP/1.1 200 ") && answer.contains("HTTP/1.1 422 "), "{answer}");
    let old = said(&service, "GET /healthz HTTP/1.0\r\n\r\n");
    assert!(old.starts_with("HTTP/1.0 421 "), "the demo world goes by its name: {old}");
}

#[test]
fn a_head_may_have_32_kilobytes() {
    let service = Running::dev(&["--memory"]);
    for (size, status) in [(31 << 10, "200"), (33 << 10, "431"), (40 << 10, "431"), (100 << 10, "431")] {
        let start =
            format!("GET /healthz HTTP/1.1\r\nhost: {}\r\nconnection: close\r\nx: ", service.address());
        let padding = "x".repeat(size - start.len());
        let answer = said(&service, &format!("{start}{padding}\r\n\r\n"));
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{size}: {answer}");
    }
}

#[test]
fn over_https_every_answer_tells_the_browser_to_come_back_so() {
    let strict = "strict-transport-security: max-age=31536000";
    for (url, told) in [("https://payroll.example", true), ("http://payroll.example", false)] {
        let (_folder, service) = crate::served(&[("STIPEND_PUBLIC_URL", url)]);
        for path in ["/healthz", "/nowhere", "/v1/token_info", "/docs", "/openapi.json"] {
            let head = format!("GET {path} HTTP/1.1\r\nhost: payroll.example\r\nconnection: close\r\n\r\n");
            let answer = said(&service, &head);
            let head = answer.split("\r\n\r\n").next().unwrap();
            assert_eq!(head.matches(strict).count(), usize::from(told), "{path}: {head}");
        }
    }
}

#[test]
fn a_setting_of_the_environment_is_read_as_it_stands_and_a_list_may_have_one_item() {
    for token in ["0012345678", "48214e10", "1e3"] {
        let (_folder, service) =
            crate::served(&[("STIPEND_METRICS_TOKEN", token), ("STIPEND_WEBHOOK_PORTS", "443")]);
        let get = |token: &str| {
            said(
                &service,
                &format!(
                    "GET /metrics HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\nconnection: close\r\n\r\n"
                ),
            )
        };
        assert!(get(token).starts_with("HTTP/1.1 200"), "{token}");
        assert!(get("12345678").starts_with("HTTP/1.1 401"), "{token}");
    }
    for (name, value) in [
        ("STIPEND_WEBHOOK_PORTS", "443,no"),
        ("STIPEND_RATE_LIMIT", "many"),
        ("STIPEND_PUBLIC_URL", "https://x.example/?q=1"),
    ] {
        let ended = run(stipend().args(["serve", "--memory", "--listen", "127.0.0.1:0"]).env(name, value));
        assert!(
            ended.code == Some(1) && ended.err.to_ascii_uppercase().contains(&name[8..]),
            "{}",
            ended.err
        );
    }
}

#[test]
fn a_key_file_that_everybody_may_read_is_told_at_the_start() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let key = folder.path().join("master.key");
    std::fs::write(&key, run(stipend().args(["keys", "new"])).out).unwrap();
    for (mode, told) in [(0o644, true), (0o640, false)] {
        std::fs::set_permissions(&key, std::fs::Permissions::from_mode(mode)).unwrap();
        // It ends at once, for there is no such address to listen on.
        let ended = run(stipend()
            .args(["serve", "--memory", "--listen", "nowhere"])
            .env("STIPEND_MASTER_KEY_FILE", &key));
        assert_eq!(ended.code, Some(1));
        assert_eq!(ended.err.contains("can read the master keys"), told, "{}", ended.err);
    }
}
