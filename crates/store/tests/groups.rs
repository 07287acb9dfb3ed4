//! Pipelined statements behave as they do one by one: tested on both engines, because the file engine
//! defines the correct result.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends where it fails")]

#[path = "../../../tests/support/line.rs"]
mod line;
#[path = "../../../tests/support/postgres.rs"]
mod postgres_server;
mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use line::Line;
use store::{Error, Store, Tx, params};
use support::{Bench, company, id, on_both_engines, runtime};

store::statements! {
    INSERT = "INSERT INTO samples (company_id, id, n) VALUES ($1, $2, $3)";
    ONE = "SELECT n FROM samples WHERE company_id = $1 AND id = $2";
    MANY = "SELECT n FROM samples WHERE company_id = $1 ORDER BY n LIMIT $2";
    CHANGE = "UPDATE samples SET n = $3 WHERE company_id = $1 AND id = $2";
    START = "INSERT INTO counters (company_id, n) VALUES ($1, 0)";
    COUNTER = "SELECT n FROM counters WHERE company_id = $1";
    ADD = "UPDATE counters SET n = $1 WHERE company_id = $2";
    BAD = "SELECT 1 / (n - n) FROM counters WHERE company_id = $1";
}

fn one(tx: &mut Tx<'_>, number: i64) -> Result<Option<i64>, Error> {
    tx.find_row(ONE, params![company(), id(number)], |row| row.get::<i64>(0))
}

fn many(tx: &mut Tx<'_>, limit: i64) -> Result<Vec<i64>, Error> {
    tx.query_rows(MANY, params![company(), limit], |row| row.get::<i64>(0))
}

async fn fill(store: &Store) {
    let fill =
        |tx: &mut Tx<'_>| (0..10).try_for_each(|n| tx.insert_row(INSERT, params![company(), id(n), n]));
    store.write::<_, Error, _>(fill).await.unwrap();
}

#[test]
fn what_was_announced_may_be_asked_in_any_order_or_not_at_all() {
    on_both_engines(async |bench: Bench| {
        let store = bench.open();
        fill(&store).await;
        // More than once, for units are run in other ways when it is known how often they wait.
        for _ in 0..20 {
            let read = |tx: &mut Tx<'_>| {
                for number in [1, 2, 3] {
                    tx.announce_query(ONE, params![company(), id(number)])?;
                }
                tx.announce_query(MANY, params![company(), 5_i64])?;
                let (last, first) = (one(tx, 3)?, one(tx, 1)?);
                let (other, some, all) = (one(tx, 7)?, many(tx, 5)?, many(tx, 99)?.len());
                Ok::<_, Error>((last, first, other, some, all))
            };
            let read = store.read(read).await.unwrap();
            assert_eq!(read, (Some(3), Some(1), Some(7), vec![0, 1, 2, 3, 4], 10));
        }
    });
}

/// A line to the server, and a database at the end of it, as it is reached through the line; nothing where there is no server.
fn behind_a_line() -> Option<(Line, String)> {
    postgres_server::server().map(|server| Line::before(&server.database()))
}

#[test]
fn a_statement_is_the_same_wherever_its_text_lies() {
    let Some((line, url)) = behind_a_line() else { return };
    runtime().block_on(async {
        let store = support::open_with_one_connection(&url);
        fill(&store).await;
        let elsewhere = store::Sql::from_macro(Box::leak(ONE.text().to_owned().into_boxed_str()));
        let read = move |tx: &mut Tx<'_>| {
            tx.announce_query(elsewhere, params![company(), id(1)])?;
            tx.announce_query(ONE, params![company(), id(2)])?;
            Ok::<_, Error>((one(tx, 1)?, one(tx, 2)?))
        };
        for _ in 0..5 {
            assert_eq!(store.read(read).await.unwrap(), (Some(1), Some(2)));
        }
        let before = line.sent();
        assert_eq!(store.read(read).await.unwrap(), (Some(1), Some(2)));
        assert_eq!(line.sent() - before, 1);
    });
}

#[test]
fn what_was_announced_before_a_change_is_read_after_it() {
    on_both_engines(async |bench: Bench| {
        let store = bench.open();
        fill(&store).await;
        let write = |tx: &mut Tx<'_>| {
            tx.announce_query(ONE, params![company(), id(1)])?;
            tx.announce_query(ONE, params![company(), id(2)])?;
            let before = one(tx, 1)?;
            assert!(tx.change_rows(CHANGE, params![company(), id(2), 77_i64])?.is_one());
            tx.insert_row(INSERT, params![company(), id(50), 50_i64])?;
            Ok::<_, Error>((before, one(tx, 2)?, one(tx, 50)?))
        };
        assert_eq!(store.write(write).await.unwrap(), (Some(1), Some(77), Some(50)));
    });
}

#[test]
fn a_reading_unit_that_asks_more_than_last_time_still_sees_one_moment() {
    on_both_engines(async |bench: Bench| {
        let store = bench.open_with(|options| options.threads = Some(2));
        store.write::<_, Error, _>(|tx| tx.insert_row(START, params![company()])).await.unwrap();
        let more = Arc::new(AtomicBool::new(false));
        let counter = |tx: &mut Tx<'_>| {
            tx.find_row(COUNTER, params![company()], |row| row.get::<i64>(0)).map(Option::unwrap)
        };
        let asked = Arc::clone(&more);
        let read = move || {
            let asked = Arc::clone(&asked);
            move |tx: &mut Tx<'_>| {
                let first = counter(tx)?;
                let second = if asked.load(Ordering::Acquire) { counter(tx)? } else { first };
                Ok::<_, Error>((first, second))
            }
        };
        // One wait each, so far.
        for _ in 0..20 {
            assert_eq!(store.read(read()).await.unwrap(), (0, 0));
        }
        more.store(true, Ordering::Release);
        let written = Arc::new(AtomicU64::new(0));
        let writing = tokio::spawn({
            let (store, written) = (store.clone(), Arc::clone(&written));
            async move {
                for n in 1..=300_i64 {
                    let add = move |tx: &mut Tx<'_>| {
                        tx.change_rows(ADD, params![n, company()]).map(|changed| changed.is_one())
                    };
                    assert!(store.write::<_, Error, _>(add).await.unwrap());
                    written.fetch_add(1, Ordering::AcqRel);
                }
            }
        });
        while written.load(Ordering::Acquire) < 300 {
            let (first, second) = store.read(read()).await.unwrap();
            assert_eq!(first, second, "two moments");
        }
        writing.await.unwrap();
    });
}

#[test]
fn an_insert_that_fails_later_leaves_nothing_of_its_unit() {
    on_both_engines(async |bench: Bench| {
        let store = bench.open();
        fill(&store).await;
        let runs = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&runs);
        let twice = move |tx: &mut Tx<'_>| {
            counted.fetch_add(1, Ordering::AcqRel);
            one(tx, 1)?;
            tx.insert_row(INSERT, params![company(), id(60), 60_i64])?;
            tx.insert_row(INSERT, params![company(), id(1), 1_i64])?;
            tx.insert_row(INSERT, params![company(), id(61), 61_i64])
        };
        let error = store.write::<(), Error, _>(twice).await.unwrap_err();
        assert!(matches!(error, Error::Engine(_)), "{error:?}");
        // Somebody may have been quicker the first time.
        assert!(runs.load(Ordering::Acquire) >= 1);
        let left = store.read::<_, Error, _>(|tx| Ok((one(tx, 60)?, one(tx, 61)?, many(tx, 99)?.len())));
        assert_eq!(left.await.unwrap(), (None, None, 10));
        // The connection is as good as before.
        store
            .write::<_, Error, _>(|tx| tx.insert_row(INSERT, params![company(), id(62), 62_i64]))
            .await
            .unwrap();
    });
}

#[test]
fn a_unit_of_thousands_of_inserts_is_there_whole() {
    on_both_engines(async |bench: Bench| {
        let store = bench.open();
        let write = |tx: &mut Tx<'_>| {
            (0..3_000_i64).try_for_each(|n| tx.insert_row(INSERT, params![company(), id(n), n]))
        };
        store.write::<_, Error, _>(write).await.unwrap();
        let read = store.read::<_, Error, _>(|tx| many(tx, 9_999)).await.unwrap();
        assert_eq!(read, (0..3_000).collect::<Vec<i64>>());
    });
}

#[test]
fn a_statement_that_fails_among_announced_ones_ends_the_unit_and_not_the_connection() {
    let Some(server) = postgres_server::server() else { return };
    runtime().block_on(async {
        let store = support::open(&server.database());
        fill(&store).await;
        store.write::<_, Error, _>(|tx| tx.insert_row(START, params![company()])).await.unwrap();
        for _ in 0..10 {
            let read = |tx: &mut Tx<'_>| {
                tx.announce_query(ONE, params![company(), id(1)])?;
                tx.announce_query(BAD, params![company()])?;
                tx.announce_query(ONE, params![company(), id(2)])?;
                let (first, second) = (one(tx, 1)?, one(tx, 2)?);
                Ok::<_, Error>((first, second))
            };
            let failed = store.read(read).await;
            assert!(matches!(failed, Err(Error::Engine(_))), "{failed:?}");
            assert_eq!(store.read(|tx| one(tx, 2)).await.map_err(|e: Error| e).unwrap(), Some(2));
        }
    });
}

#[test]
fn a_unit_is_sent_to_a_server_in_as_few_pieces_as_it_can_be() {
    let Some((line, url)) = behind_a_line() else { return };
    runtime().block_on(async {
        // One connection: it has what it needs prepared after the first time.
        let store = support::open_with_one_connection(&url);
        fill(&store).await;
        let sent = async |unit: &mut dyn AsyncUnit| {
            for number in 0..5 {
                unit.run(&store, number).await;
            }
            let before = line.sent();
            for number in 5..15 {
                unit.run(&store, number).await;
            }
            (line.sent() - before) / 10
        };
        assert_eq!(sent(&mut Read).await, 1, "a unit that reads once has neither BEGIN nor COMMIT");
        assert_eq!(sent(&mut Write).await, 2, "BEGIN with the guard and what is read; inserts with COMMIT");
    });
}

/// A unit that is run often.
trait AsyncUnit {
    fn run<'a>(
        &'a mut self,
        store: &'a Store,
        number: i64,
    ) -> std::pin::Pin<Box<dyn Future<Output = ()> + 'a>>;
}

struct Read;
struct Write;

impl AsyncUnit for Read {
    fn run<'a>(&'a mut self, store: &'a Store, _: i64) -> std::pin::Pin<Box<dyn Future<Output = ()> + 'a>> {
        Box::pin(async {
            let read = |tx: &mut Tx<'_>| {
                tx.announce_query(ONE, params![company(), id(1)])?;
                tx.announce_query(MANY, params![company(), 3_i64])?;
                Ok::<_, Error>((one(tx, 1)?, many(tx, 3)?))
            };
            assert_eq!(store.read(read).await.unwrap(), (Some(1), vec![0, 1, 2]));
        })
    }
}

impl AsyncUnit for Write {
    fn run<'a>(
        &'a mut self,
        store: &'a Store,
        number: i64,
    ) -> std::pin::Pin<Box<dyn Future<Output = ()> + 'a>> {
        Box::pin(async move {
            let write = move |tx: &mut Tx<'_>| {
                tx.take_guard(company(), "record", id(1))?;
                assert_eq!(one(tx, 1)?, Some(1));
                let at = 100 + number;
                tx.insert_row(INSERT, params![company(), id(at), at])?;
                tx.insert_row(INSERT, params![company(), id(1_000 + at), at])
            };
            store.write::<_, Error, _>(write).await.unwrap();
        })
    }
}
