//! Duplicate keys: another unit may have inserted the key first, so the unit is run again once. If it conflicts again, it
//! is at fault, and its caller gets the error at once.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends where it fails")]

#[path = "../../../tests/support/postgres.rs"]
mod postgres_server;
mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use store::{Clock, Error, params};
use support::{Bench, on_both_engines};
use uuid::Uuid;

store::statements! {
    START = "INSERT INTO counters (company_id, n) VALUES ($1, 0)";
}

#[test]
fn a_unit_that_inserts_what_is_there_is_an_error_at_once_and_not_after_five_seconds() {
    on_both_engines(async |bench: Bench| {
        let store = bench.open();
        let company = Uuid::from_u128(0xC0);
        store.write(move |tx| tx.insert_row(START, params![company])).await.map_err(|e: Error| e).unwrap();
        let runs = Arc::new(AtomicU32::new(0));
        let (counted, started) = (Arc::clone(&runs), Clock::monotonic());
        let told = store
            .write(move |tx| {
                counted.fetch_add(1, Ordering::Relaxed);
                tx.insert_row(START, params![company])
            })
            .await;
        assert!(matches!(&told, Err(Error::Engine(text)) if !text.contains("00000000")), "{told:?}");
        assert!(Clock::monotonic() - started < Duration::from_secs(1));
        assert!(runs.load(Ordering::Relaxed) <= 2, "{runs:?} times");
    });
}

#[test]
fn what_is_bound_and_what_opens_other_things_is_not_shown() {
    let shown = format!("{:?}", params!["123-45-6789", 42, &b"secret"[..]]);
    assert!(!shown.contains("6789") && !shown.contains("42") && !shown.contains("115"), "{shown}");
    let keys = store::MasterKeys::parse(&"ab".repeat(32)).unwrap();
    assert!(!format!("{keys:?}").contains("abab"));
}
