//! The system calls of a commit. It is counted per thread, so this program has one store and one test.

#![allow(clippy::unwrap_used, reason = "a test ends where it fails")]
#![cfg(target_os = "linux")]

#[path = "../../../tests/support/postgres.rs"]
mod postgres_server;
mod support;

use std::fs;
use std::os::unix::fs::MetadataExt;

use store::{Store, Tx, params};
use support::MIGRATIONS;
use uuid::Uuid;

store::statements! {
    INSERT = "INSERT INTO samples (company_id, id, t, n) VALUES ($1, $2, $3, $4)";
}

const PAGE: u64 = 4_096;

/// Calls that wrote something, made by the thread that writes the store.
fn calls() -> u64 {
    let mut threads = fs::read_dir("/proc/self/task").unwrap().map(|thread| thread.unwrap().path());
    let writer = threads
        .find(|thread| fs::read_to_string(thread.join("comm")).unwrap().trim() == "store-writer")
        .unwrap();
    let counted = fs::read_to_string(writer.join("io")).unwrap();
    counted.lines().find_map(|line| line.strip_prefix("syscw: ")).unwrap().parse().unwrap()
}

#[tokio::test]
async fn the_pages_of_a_transaction_are_written_to_the_log_many_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&support::file_url(folder.path()), support::options(MIGRATIONS)).unwrap();
    let fill = |rows: i64| {
        move |tx: &mut Tx<'_>| -> Result<(), store::Error> {
            for n in 0..rows {
                let id = tx.new_id();
                tx.insert(INSERT, params![Uuid::from_u128(1), id, "some text of a row", n])?;
            }
            Ok(())
        }
    };
    store.write(fill(1)).await.unwrap();
    let mut files = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
    let log = files.find(|path| path.to_string_lossy().ends_with("-wal")).unwrap();
    let size = || fs::metadata(&log).unwrap().size();
    let (calls_before, size_before) = (calls(), size());
    store.write(fill(2_000)).await.unwrap();
    let (calls, pages) = (calls() - calls_before, (size() - size_before) / PAGE);
    println!("{pages} pages in {calls} calls");
    assert!(pages >= 30, "{pages} pages");
    assert!(calls <= pages / 8 + 2, "{pages} pages in {calls} calls");
}
