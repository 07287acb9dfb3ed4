//! The binary as an operator and a partner's engineer meet it: started as a process, spoken to over HTTP, stopped by
//! a signal.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends where it fails")]

mod answers;

#[path = "../support/binary.rs"]
mod binary;

mod commands;
mod damage;
mod docs;
mod doubtful;

mod journeys;
mod keys;
mod links;

mod logs;
mod mistakes;
mod offboarding;
mod production;

#[path = "../support/postgres.rs"]
mod postgres;

#[path = "../support/receiver.rs"]
mod receiver;

mod slow;

#[path = "../support/sent_back.rs"]
mod sent_back;

#[path = "../support/sources.rs"]
mod sources;

mod stores;

mod tools;
mod upgrade;

mod wire;
mod worlds;
mod year;

use std::time::Duration;

use binary::{Running, run, stipend};

fn demo(more: &[&str]) -> Running {
    Running::dev(&[&["--memory"], more].concat())
}

/// A demo world in a file, served for real with these settings.
fn served(settings: &[(&str, &str)]) -> (tempfile::TempDir, Running) {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("world.db").display());
    let dev = Running::dev(&["--database-url", &url]);
    let report = dev.report().clone();
    assert_eq!(dev.stop().0, Some(0));
    let settings = [settings, &[("STIPEND_CLOCK_MAY_GO_BACK", "true")]].concat();
    let service = Running::node(&url, &folder.path().join("world.db.key"), report, &settings);
    (folder, service)
}

#[test]
fn a_request_that_runs_when_the_service_is_stopped_is_answered() {
    let service = demo(&["--seed", "3"]);
    let path = format!("/v1/companies/{}/employees", service.company());
    let body = r#"{"first_name":"Noor","last_name":"Haddad"}"#;
    // Half of the request is on its way when the signal comes.
    let half = service.half_a_post(&path, body);
    std::thread::sleep(Duration::from_millis(100));
    service.signal();
    std::thread::sleep(Duration::from_millis(100));
    let answer = half.finish();
    assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
    assert_eq!(service.stop().0, Some(0));
}

#[test]
fn whatever_watches_a_container_learns_whether_the_service_can_serve() {
    let service = demo(&["--seed", "3"]);
    let asks = |url: &str| run(stipend().args(["health", "--url", url]));
    let healthy = asks(service.base());
    assert_eq!((healthy.code, healthy.out.lines().next()), (Some(0), Some("ready")), "{}", healthy.err);
    // Without --url it is the address of the settings, on this machine.
    let port = service.base().rsplit(':').next().unwrap();
    let by_settings = run(stipend().arg("health").env("STIPEND_LISTEN", format!("0.0.0.0:{port}")));
    assert_eq!(by_settings.code, Some(0), "{}", by_settings.err);
    let base = service.base().to_owned();
    assert_eq!(service.stop().0, Some(0));
    let gone = asks(&base);
    assert_eq!((gone.code, gone.out.as_str()), (Some(1), ""));
    assert!(gone.err.contains("it cannot be reached: Connection refused"), "{}", gone.err);
    let told = run(stipend().args(["health", "--json", "--url", &base]));
    let told: (_, serde_json::Value) = (told.code, serde_json::from_str(&told.out).unwrap());
    assert_eq!((told.0, &told.1["ready"]), (Some(1), &false.into()), "{}", told.1);
    for half in ["127.0.0.1:8080", "", "https://"] {
        let refused = asks(half);
        assert!(
            refused.code == Some(2) && refused.err.contains("must begin with http://"),
            "{}",
            refused.err
        );
    }
    assert_eq!(gone.err.trim().lines().count(), 1, "{}", gone.err);
    // The image asks just that.
    let file = include_str!("../../packaging/Containerfile");
    assert!(file.contains(r#"CMD ["/usr/local/bin/stipend", "health"]"#));
}
