//! Nothing acknowledged is lost, and nothing unacknowledged is half there: a process that writes is killed with
//! SIGKILL at a random moment, and what it had acknowledged is looked up afterwards.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends where it fails")]

#[path = "../../../tests/support/postgres.rs"]
mod postgres_server;
mod support;

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Barrier};
use std::time::Duration;

use store::{Error, Store, Tx, params};
use uuid::Uuid;

store::statements! {
    INSERT = "INSERT INTO samples (company_id, id, n) VALUES ($1, $2, $3)";
    ALL_IDS = "SELECT id, n FROM samples WHERE company_id = $1";
    INSERT_BYTES = "INSERT INTO samples (company_id, id, b) VALUES ($1, $2, $3)";
}

const ROUNDS: u64 = 12;
const ROLE: &str = "STIPEND_TEST_DURABILITY_WRITER";

fn company() -> Uuid {
    Uuid::from_u128(0xC0)
}

/// The child: writes two rows a unit, from eight clients, and prints what was acknowledged.
async fn write_until_killed(url: &str) {
    let store = support::open(url);
    let clients: Vec<_> = (0..8_i64)
        .map(|client| {
            let store = store.clone();
            tokio::spawn(async move {
                for n in 0.. {
                    let pair = store
                        .write(move |tx: &mut Tx<'_>| {
                            let (one, two) = (tx.new_id(), tx.new_id());
                            tx.insert_row(INSERT, params![company(), one, client * 1_000_000 + n])?;
                            tx.insert_row(INSERT, params![company(), two, client * 1_000_000 + n])?;
                            Ok::<_, Error>((one, two))
                        })
                        .await
                        .unwrap();
                    let mut out = std::io::stdout().lock();
                    writeln!(out, "ack {} {}", pair.0, pair.1).unwrap();
                }
            })
        })
        .collect();
    for client in clients {
        client.await.unwrap();
    }
}

#[test]
fn no_acknowledged_write_is_lost_when_the_process_is_killed() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    if let Ok(url) = std::env::var(ROLE) {
        return runtime.block_on(write_until_killed(&url));
    }
    let folder = tempfile::tempdir().unwrap();
    let url = support::file_url(folder.path());
    let mut acknowledged: Vec<Uuid> = Vec::new();
    for round in 0..ROUNDS {
        let mut writer = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "no_acknowledged_write_is_lost_when_the_process_is_killed", "--nocapture"])
            .env(ROLE, &url)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let lines = BufReader::new(writer.stdout.take().unwrap());
        let reader = std::thread::spawn(move || {
            let whole = lines.lines().map_while(Result::ok).filter_map(|line| {
                let mut words = line.strip_prefix("ack ")?.split(' ').map(|word| word.parse::<Uuid>().ok());
                Some([words.next()??, words.next()??])
            });
            whole.flatten().collect::<Vec<_>>()
        });
        std::thread::sleep(Duration::from_millis(60 + (round * 37) % 170));
        writer.kill().unwrap();
        writer.wait().unwrap();
        acknowledged.extend(reader.join().unwrap());

        let store = support::open(&url);
        let rows = runtime.block_on(store.read(|tx| {
            tx.query_rows(ALL_IDS, params![company()], |row| (row.get::<Uuid>(0), row.get::<i64>(1)))
        }));
        let rows = rows.map_err(|e: Error| e).unwrap();
        let stored: std::collections::HashSet<Uuid> = rows.iter().map(|(id, _)| *id).collect();
        let lost = acknowledged.iter().filter(|id| !stored.contains(*id)).count();
        assert_eq!(lost, 0, "of {} acknowledged rows", acknowledged.len());
        assert_eq!(rows.len() % 2, 0, "a unit of two rows is there by half");
    }
    assert!(acknowledged.len() > 100, "only {} rows were acknowledged in all", acknowledged.len());
}

#[test]
fn a_backup_taken_while_the_store_is_written_to_is_one_committed_state() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let url = support::file_url(folder.path());
    let store = support::open(&url);
    let copy = folder.path().join("copy.db");
    runtime.block_on(async {
        let writing = store.clone();
        let writing = tokio::spawn(async move {
            for n in 0..400_i64 {
                let pair = move |tx: &mut Tx<'_>| {
                    for _ in 0..2 {
                        let id = tx.new_id();
                        tx.insert_row(INSERT, params![company(), id, n])?;
                    }
                    Ok::<_, Error>(())
                };
                writing.write(pair).await.unwrap();
            }
        });
        let (from, to) = (url.clone(), copy.clone());
        tokio::task::spawn_blocking(move || store::backup_file(&from, &to)).await.unwrap().unwrap();
        writing.await.unwrap();
    });
    let copied = support::open(&format!("sqlite:{}", copy.display()));
    let rows = runtime
        .block_on(copied.read(|tx| tx.query_rows(ALL_IDS, params![company()], |row| row.get::<i64>(1))))
        .map_err(|e: Error| e)
        .unwrap();
    assert_eq!(rows.len() % 2, 0);
    assert!(store::backup_file(&url, &copy).is_err(), "an existing file is never overwritten");
}

/// Megabytes of the log at which the writer waits, and what it may write until it looks: in a file of up to a third
/// of a gigabyte, and in one of 700 MB.
const LONGEST_LOG: u64 = 144;
const LONGEST_LOG_OF_MORE: u64 = 300;

/// Writes `megabytes`, and returns the most that the log held meanwhile, in megabytes.
async fn longest_log(store: &Store, log: &Path, megabytes: usize) -> u64 {
    let mut longest = 0;
    for _ in 0..megabytes / 5 {
        let five = |tx: &mut Tx<'_>| {
            let bytes: &[u8] = &[7; 1 << 20];
            (0..5).try_for_each(|_| {
                let id = tx.new_id();
                tx.insert_row(INSERT_BYTES, params![company(), id, bytes])
            })
        };
        store.write::<_, Error, _>(five).await.unwrap();
        longest = longest.max(std::fs::metadata(log).unwrap().len() >> 20);
    }
    longest
}

#[test]
fn the_log_is_copied_back_while_others_write_and_again_when_a_long_reader_has_left() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let url = support::file_url(folder.path());
    let log = folder.path().join(format!("{}-wal", url.rsplit('/').next().unwrap()));
    let store = support::open(&url);
    runtime.block_on(async {
        let longest = longest_log(&store, &log, 300).await;
        assert!(longest <= LONGEST_LOG, "{longest} MB");

        // A reader that begins and stays; what it reads must not be copied over.
        let (reading, (arrived, leave)) =
            (store.clone(), (Arc::new(Barrier::new(2)), Arc::new(Barrier::new(2))));
        let (inside, until) = (Arc::clone(&arrived), Arc::clone(&leave));
        let reader = tokio::spawn(async move {
            let count =
                |tx: &mut Tx<'_>| tx.query_rows(ALL_IDS, params![company()], |row| row.get::<Uuid>(0));
            let twice = move |tx: &mut Tx<'_>| {
                let before = count(tx)?.len();
                inside.wait();
                until.wait();
                Ok::<_, Error>((before, count(tx)?.len()))
            };
            reading.read(twice).await.unwrap()
        });
        arrived.wait();
        let longest = longest_log(&store, &log, 180).await;
        assert!(longest >= 160, "{longest} MB: it cannot begin anew while somebody reads what was before");
        leave.wait();
        assert_eq!(reader.await.unwrap(), (300, 300));
        // However slow the disk is at copying all this: when the log has grown by its bound once more, the writer
        // waits.
        longest_log(&store, &log, 160).await;
        let longest = longest_log(&store, &log, 60).await;
        assert!(longest <= LONGEST_LOG_OF_MORE, "{longest} MB after the reader has left");
    });
}

#[test]
fn a_migration_that_was_cut_off_goes_on_where_it_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let url = support::file_url(folder.path());
    drop(support::open_with_migrations(&url, support::FIRST_HALF));
    // Opening without applying says what to do and changes nothing.
    let error = support::try_open(&url, false).err().unwrap();
    assert_eq!(error.to_string(), "the database needs `stipend migrate` first");
    let store = support::open(&url);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let rows = runtime
        .block_on(store.read(|tx| tx.query_rows(ALL_IDS, params![company()], |row| row.get::<i64>(1))));
    assert_eq!(rows.map_err(|e: Error| e).unwrap(), Vec::<i64>::new());
}
