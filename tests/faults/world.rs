//! A demo world in a file, and a subscription in it.

use std::time::Duration;

use domain::SCHEMA;
use serde_json::{Value, json};
use store::{Clock, MasterKeys, Options, Store, Tx};
use tempfile::TempDir;

use crate::binary::{Running, run, stipend};
use crate::crowd;
use crate::receiver::Receiver;

/// Somebody to employ.
pub const PERSON: &str = r#"{"first_name":"Robin","last_name":"Haddad"}"#;

/// A place for a world that survives its process.
pub struct Home {
    folder: TempDir,
}

impl Home {
    pub fn new() -> Self {
        Self { folder: TempDir::new().unwrap() }
    }

    pub fn url(&self) -> String {
        format!("sqlite:{}", self.folder.path().join("world.db").display())
    }

    /// The file of the store.
    pub fn file(&self) -> std::path::PathBuf {
        self.folder.path().join("world.db")
    }

    /// The file of its master key.
    pub fn key_file(&self) -> std::path::PathBuf {
        self.folder.path().join("world.db.key")
    }

    /// A further application; what its requests are authorized by.
    pub fn application(&self) -> String {
        let key = self.key_file();
        let create = ["app", "create", "--json", "--name", "Another", "--database-url", &self.url()];
        let done = run(stipend().args(create).env("STIPEND_MASTER_KEY_FILE", key));
        assert_eq!(done.code, Some(0), "{}", done.err);
        let told: Value = serde_json::from_str(&done.out).unwrap();
        format!("Token {}", told["api_token"].as_str().unwrap())
    }

    /// Puts so many people into the company of the running service.
    pub fn crowd(&self, service: &Running, people: i64) {
        let bearer = format!("Bearer {}", service.token());
        let company = service.company();
        let places = call(service, &bearer, "GET", &format!("/v1/companies/{company}/locations"), "");
        let id = |text: &str| text.parse().unwrap();
        let (company, location) = (id(company), id(places[0]["uuid"].as_str().unwrap()));
        let key = std::fs::read_to_string(self.key_file()).unwrap();
        let options = Options::new(Clock::from_system(), MasterKeys::parse(&key).unwrap(), SCHEMA);
        let store = Store::open(&self.url(), options).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let make = move |tx: &mut Tx<'_>| {
            (0..people).try_for_each(|number| crowd::member(tx, company, location, number))
        };
        runtime.block_on(store.write(make)).unwrap();
    }

    /// A copy of the store made while it is in use, with its key, in a place of its own.
    pub fn copy(&self) -> Self {
        let copy = Self::new();
        let to = copy.folder.path().join("world.db");
        let done = run(stipend().args(["backup", "--database-url", &self.url()]).arg(to));
        assert_eq!(done.code, Some(0), "{}", done.err);
        for beside in ["world.db.key", "world.db.world.json"] {
            std::fs::copy(self.folder.path().join(beside), copy.folder.path().join(beside)).unwrap();
        }
        copy
    }

    /// Starts the service on it, with deliveries to this machine allowed.
    pub fn start(&self) -> Running {
        self.start_with(&[])
    }

    /// The same, with no file allowed to grow beyond so many kilobytes.
    pub fn start_limited(&self, kilobytes: u64) -> Running {
        Running::dev_limited(&["--database-url", &self.url()], kilobytes)
    }

    /// The same, with something in its environment.
    pub fn start_with(&self, settings: &[(&str, &str)]) -> Running {
        Running::dev_with(&["--database-url", &self.url()], settings)
    }
}

/// A call with the system token.
pub fn system(service: &Running, method: &str, path: &str, body: &str) -> Value {
    let token = service.report()["system_access_token"].as_str().unwrap();
    call(service, &format!("Bearer {token}"), method, path, body)
}

/// A call that must succeed.
pub fn call(service: &Running, authorization: &str, method: &str, path: &str, body: &str) -> Value {
    let (status, answer) = service.call_as(authorization, method, path, body).unwrap();
    assert!((200..300).contains(&status), "{method} {path} was answered {status}: {answer}");
    if answer.is_empty() { Value::Null } else { serde_json::from_str(&answer).unwrap() }
}

/// Subscribes a receiver to events of employees, and verifies it; the token is returned.
pub fn subscribe(service: &Running, receiver: &Receiver) -> (String, String) {
    let body = json!({ "url": receiver.url, "subscription_types": ["Employee"] }).to_string();
    let made = system(service, "POST", "/v1/webhook_subscriptions", &body);
    let id = made["uuid"].as_str().unwrap().to_owned();
    until("the token came", || receiver.tokens().len() == 1);
    let token = receiver.tokens().pop().unwrap();
    let verify = json!({ "verification_token": token }).to_string();
    system(service, "PUT", &format!("/v1/webhook_subscriptions/{id}/verify"), &verify);
    (id, token)
}

/// Waits until something holds; two minutes at most. How long it took.
pub fn until(what: &str, mut holds: impl FnMut() -> bool) -> Duration {
    let begun = Clock::monotonic();
    loop {
        let waited = Clock::monotonic().saturating_sub(begun);
        if holds() {
            return waited;
        }
        assert!(waited < Duration::from_secs(120), "it never happened that {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Memory of a process's own, in kB: not what it reads of its store in the system's cache.
pub fn memory(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("RssAnon:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// Every event of employees that is listed.
pub fn listed(service: &Running) -> Vec<Value> {
    let mut all: Vec<Value> = Vec::new();
    loop {
        let after = all.last().map_or_else(String::new, |event| {
            format!("&starting_after_uuid={}", event["uuid"].as_str().unwrap())
        });
        let page = system(service, "GET", &format!("/v1/events?limit=100&event_type=employee.*{after}"), "");
        let page = page.as_array().unwrap().clone();
        if page.is_empty() {
            return all;
        }
        all.extend(page);
    }
}
