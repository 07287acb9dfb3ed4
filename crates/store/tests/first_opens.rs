//! Stores that are opened first in a process, at the same moment: SQLite initializes itself, and with it the VFS of the page
//! checksums, while all of them wait for it.

#![allow(clippy::unwrap_used, reason = "a test ends where it fails")]

#[path = "../../../tests/support/postgres.rs"]
mod postgres_server;
mod support;

use std::fs;
use std::process::Command;
use std::sync::Barrier;
use std::thread;

use store::Store;
use support::MIGRATIONS;

/// Set in the processes that the test starts: each of them initializes SQLite once.
const IN_A_PROCESS_OF_ITS_OWN: &str = "STIPEND_TEST_FIRST_OPENS";
const TEST: &str = "stores_that_are_opened_first_at_the_same_moment_all_have_their_checksums";
/// Where the header of a file says how many bytes of each page are reserved, and how many a checksum takes.
const RESERVED_AT: usize = 20;
const CHECKSUM: u8 = 8;
const PROCESSES: usize = 100;
const STORES: usize = 4;

fn open_at_once() {
    let together = Barrier::new(STORES);
    thread::scope(|threads| {
        for _ in 0..STORES {
            threads.spawn(|| {
                let folder = tempfile::tempdir().unwrap();
                together.wait();
                Store::open(&support::file_url(folder.path()), support::options(MIGRATIONS)).unwrap();
                let header = fs::read(folder.path().join("test.db")).unwrap();
                assert_eq!(header[RESERVED_AT], CHECKSUM, "the store was made without room for checksums");
            });
        }
    });
}

#[test]
fn stores_that_are_opened_first_at_the_same_moment_all_have_their_checksums() {
    if std::env::var_os(IN_A_PROCESS_OF_ITS_OWN).is_some() {
        return open_at_once();
    }
    for _ in 0..PROCESSES {
        let mut child = Command::new(std::env::current_exe().unwrap());
        let opened = child.args(["--exact", TEST]).env(IN_A_PROCESS_OF_ITS_OWN, "1").output().unwrap();
        assert!(opened.status.success(), "{}", String::from_utf8_lossy(&opened.stdout));
    }
}
