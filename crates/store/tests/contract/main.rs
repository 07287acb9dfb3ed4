//! The guarantees of the store, tested on both engines. Each test runs on a file store and, if a PostgreSQL server
//! is available, on it.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends where it fails")]

#[path = "../../../../tests/support/postgres.rs"]
mod postgres_server;

#[path = "../support/mod.rs"]
mod support;

mod queues;
mod refused;
mod sealing;

use std::time::Duration;

use store::{Error, Json, Place, Store, Tx, params};
use support::{Bench, on_both_engines};
use uuid::Uuid;

store::statements! {
    INSERT_VALUE = "INSERT INTO samples (company_id, id, t, n, flag, day, at, b, j) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    READ_VALUE = "SELECT t, n, flag, day, at, b, j FROM samples WHERE company_id = $1 AND id = $2";
    COUNT = "SELECT count(*) FROM samples WHERE company_id = $1";
    OUT_OF_ORDER = "SELECT CAST($2 AS text), CAST($1 AS text), CAST($2 AS text), CAST($3 AS bigint)";
    ADD = "UPDATE counters SET n = $1 WHERE company_id = $2";
    COUNTER = "SELECT n FROM counters WHERE company_id = $1";
    START = "INSERT INTO counters (company_id, n) VALUES ($1, 0)";
    TAKES_FOREVER = "WITH RECURSIVE c(x) AS (SELECT CAST(1 AS bigint) UNION ALL SELECT x + 1 FROM c WHERE x < 1000000000000) \
                     INSERT INTO counters (company_id, n) SELECT $1, count(*) FROM c";
    SOME = "SELECT t FROM samples WHERE company_id = $1 ORDER BY t LIMIT $2";
    LATEST = "SELECT max(at) FROM samples";
    NO_SUCH_TABLE = "SELECT 1 FROM nowhere";
}

fn company() -> Uuid {
    Uuid::from_u128(0xC0)
}

fn note(tx: &mut Tx<'_>, text: &str) -> Result<Uuid, Error> {
    let id = tx.new_id();
    let nothing: Option<i64> = None;
    tx.insert_row(
        INSERT_VALUE,
        params![
            company(),
            id,
            text,
            nothing,
            nothing.map(|_| true),
            None::<jiff::civil::Date>,
            tx.now(),
            None::<&[u8]>,
            Json("null")
        ],
    )?;
    Ok(id)
}

async fn notes(store: &Store) -> i64 {
    let count = |tx: &mut Tx<'_>| tx.find_row(COUNT, params![company()], |row| row.get::<i64>(0));
    store.read(count).await.unwrap().unwrap()
}

#[test]
fn every_kind_of_value_comes_back_as_it_was_stored() {
    on_both_engines(async |bench: Bench| {
        let store = bench.open();
        let texts =
            ["007", "1e400", "0123456789abcdef0123456789abcdef", "", "Zoë 💶 O'Neil", "-0", "1.0", "NaN"];
        for text in texts {
            let day: jiff::civil::Date = "2024-02-29".parse().unwrap();
            let at: jiff::Timestamp = "2026-11-21T09:00:00.123456Z".parse().unwrap();
            let json = r#"{"b": 1,  "a":1e400, "a": "twice"}"#;
            let id = store
                .write(move |tx| {
                    let id = tx.new_id();
                    tx.insert_row(
                        INSERT_VALUE,
                        params![company(), id, text, i64::MIN, true, day, at, &b"\0\xff"[..], Json(json)],
                    )?;
                    Ok::<_, Error>(id)
                })
                .await
                .unwrap();
            let read = store
                .read(move |tx| {
                    tx.find_row(READ_VALUE, params![company(), id], |row| {
                        assert_eq!(row.get::<&str>(0), text);
                        assert_eq!(row.get::<i64>(1), i64::MIN);
                        assert!(row.get::<bool>(2));
                        assert_eq!(row.get::<jiff::civil::Date>(3), day);
                        assert_eq!(row.get::<jiff::Timestamp>(4), at);
                        assert_eq!(row.get::<&[u8]>(5), b"\0\xff");
                        assert_eq!(row.json(6), Some(json));
                    })
                })
                .await;
            assert_eq!(read.map_err(|e: Error| e.to_string()), Ok(Some(())));
        }
    });
}

#[test]
fn units_that_draw_nothing_do_not_change_what_others_of_a_seeded_store_draw() {
    on_both_engines(async |bench| {
        let mut drawn = Vec::new();
        for beside in [0, 3] {
            let start: jiff::Timestamp = "2026-11-21T09:00:00Z".parse().unwrap();
            let fresh = bench.fresh();
            let store = fresh.open_with(|options| {
                options.clock = store::Clock::standing_at(start);
                options.seed = Some(42);
            });
            for number in 0..beside {
                let other = Uuid::from_u128(number);
                store.write(move |tx: &mut Tx<'_>| tx.insert_row(START, params![other])).await.unwrap();
            }
            let draw = |tx: &mut Tx<'_>| Ok::<_, Error>((tx.new_id(), tx.random::<16>()));
            drawn.push(store.write(draw).await.unwrap());
        }
        assert_eq!(drawn[0], drawn[1]);
    });
}

#[test]
fn parameters_are_bound_by_their_number_not_by_where_they_stand() {
    on_both_engines(async |bench: Bench| {
        let row = bench
            .open()
            .read(|tx| {
                tx.find_row(OUT_OF_ORDER, params!["one", "two", 3], |row| {
                    (row.get::<String>(0), row.get::<String>(1), row.get::<String>(2), row.get::<i64>(3))
                })
            })
            .await;
        let row: Option<_> = row.map_err(|e: Error| e.to_string()).unwrap();
        assert_eq!(row, Some(("two".into(), "one".into(), "two".into(), 3)));
    });
}

#[test]
fn thirty_two_clients_on_one_hot_employee_lose_no_update_and_none_is_refused() {
    on_both_engines(async |bench: Bench| {
        let store = bench.open();
        store.write(|tx| tx.insert_row(START, params![company()])).await.map_err(|e: Error| e).unwrap();
        let clients: Vec<_> = (0..32)
            .map(|_| {
                let store = store.clone();
                tokio::spawn(async move {
                    for _ in 0..20 {
                        store
                            .write(|tx| {
                                tx.take_guard(company(), "employee", company())?;
                                let n = tx
                                    .find_row(COUNTER, params![company()], |row| row.get::<i64>(0))?
                                    .unwrap();
                                assert!(tx.change_rows(ADD, params![n + 1, company()])?.is_one());
                                Ok::<_, Error>(())
                            })
                            .await
                            .unwrap();
                    }
                })
            })
            .collect();
        for client in clients {
            client.await.unwrap();
        }
        let n = store.read(|tx| tx.find_row(COUNTER, params![company()], |row| row.get::<i64>(0))).await;
        assert_eq!(n.map_err(|e: Error| e.to_string()), Ok(Some(32 * 20)));
    });
}

#[test]
fn a_row_that_another_unit_inserts_first_makes_the_second_unit_look_again() {
    on_both_engines(async |bench: Bench| {
        let store = bench.open();
        let start =
            |tx: &mut Tx<'_>| match tx.find_row(COUNTER, params![company()], |row| row.get::<i64>(0))? {
                Some(_) => Ok::<_, Error>("there already"),
                None => tx.insert_row(START, params![company()]).map(|()| "started"),
            };
        let tries: Vec<_> = (0..16)
            .map(|_| {
                let store = store.clone();
                tokio::spawn(async move { store.write(start).await })
            })
            .collect();
        let mut started = 0;
        for attempt in tries {
            started += usize::from(attempt.await.unwrap().unwrap() == "started");
        }
        assert_eq!(started, 1);
    });
}

#[test]
fn a_reading_unit_sees_one_moment_even_while_others_write() {
    on_both_engines(async |bench: Bench| {
        if bench.is_memory() {
            return; // one connection: nobody writes meanwhile
        }
        let store = bench.open();
        let reading = store.clone();
        let reading = tokio::spawn(async move {
            reading
                .read(|tx| {
                    let before = tx.find_row(COUNT, params![company()], |row| row.get::<i64>(0))?;
                    std::thread::sleep(Duration::from_millis(80));
                    Ok::<_, Error>(before == tx.find_row(COUNT, params![company()], |row| row.get::<i64>(0))?)
                })
                .await
        });
        tokio::time::sleep(Duration::from_millis(20)).await;
        store.write(|tx| note(tx, "meanwhile")).await.unwrap();
        assert!(reading.await.unwrap().unwrap());
    });
}

#[test]
fn waking_happens_after_commit_and_never_for_a_refused_unit() {
    on_both_engines(async |bench: Bench| {
        let store = bench.open();
        let mut commits = store.watch_commits();
        store
            .write(|tx| {
                tx.wake_workers();
                Err::<(), _>(Error::Sealed("refused"))
            })
            .await
            .unwrap_err();
        assert!(tokio::time::timeout(Duration::from_millis(30), commits.changed()).await.is_err());
        store
            .write(|tx| {
                tx.wake_workers();
                Ok::<_, Error>(())
            })
            .await
            .unwrap();
        tokio::time::timeout(Duration::from_secs(5), commits.changed()).await.unwrap().unwrap();
    });
}

#[test]
fn every_statement_of_the_store_is_understood_by_both_engines() {
    on_both_engines(async |bench: Bench| {
        if bench.is_memory() {
            return; // the same engine as the file
        }
        let _store = bench.open();
        assert_eq!(store::check_statements(bench.url(), &store::own_statements()).unwrap(), []);
    });
}

#[test]
fn the_clock_of_a_store_starts_no_earlier_than_its_latest_change_and_one_that_is_far_behind_is_refused() {
    on_both_engines(async |bench: Bench| {
        if bench.is_memory() {
            return;
        }
        let at = |day: i8| jiff::civil::date(2026, 11, day).at(9, 0, 0, 0).in_tz("UTC").unwrap().timestamp();
        let open = |day: i8, most: Option<u64>| {
            let mut options = support::options(support::MIGRATIONS);
            options.clock = store::Clock::standing_at(at(day));
            options.latest = Some(store::Latest {
                statement: LATEST,
                tables: &[],
                most: most.map(|days| Duration::from_hours(days * 24)),
                may_go_back: false,
                longest_rest: Some(Duration::from_hours(24)),
            });
            Store::open(bench.url(), options)
        };
        let store = open(20, None).unwrap();
        assert_eq!(store.clock().now(), at(20), "an empty store knows of nothing");
        assert_eq!(store.unconfirmed_step(), None);
        store.write(|tx| note(tx, "changed on the twentieth")).await.unwrap();
        drop(store);
        assert_eq!(open(18, None).unwrap().clock().now(), at(20));
        assert_eq!(open(18, Some(2)).unwrap().clock().now(), at(20));
        let store = open(21, Some(2)).unwrap();
        assert_eq!((store.clock().now(), store.unconfirmed_step()), (at(21), None), "a day is no step");
        drop(store);
        let store = open(22, None).unwrap();
        assert_eq!(store.unconfirmed_step(), Some(store::Step { from: at(20), to: at(22) }));
        store.confirm_step();
        assert_eq!(store.unconfirmed_step(), None);
        drop(store);
        let refused = open(17, Some(2)).err().unwrap().to_string();
        assert!(refused.contains("2026-11-17") && refused.contains("2026-11-20"), "{refused}");
    });
}

#[test]
fn a_list_that_is_needed_whole_is_read_whole_or_refused() {
    on_both_engines(async |bench: Bench| {
        let store = bench.open();
        for text in ["a", "b", "c"] {
            store.write(|tx| note(tx, text)).await.unwrap();
        }
        let all = async |most: i64| {
            let read = move |tx: &mut Tx<'_>| {
                tx.try_query_all(SOME, params![company()], most, |row| Ok::<_, Error>(row.get::<String>(0)))
            };
            store.read(read).await
        };
        assert_eq!(all(3).await.unwrap(), ["a", "b", "c"]);
        assert!(matches!(all(2).await, Err(Error::TooMany { most: 2 })));
    });
}
