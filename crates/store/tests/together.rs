//! Reading units that wait together are run together: each of them has the result that it would have alone.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends where it fails")]

#[path = "../../../tests/support/line.rs"]
mod line;
#[path = "../../../tests/support/postgres.rs"]
mod postgres_server;
mod support;

use line::Line;
use store::{Error, Store, Tx, params};
use support::{Bench, company, id, on_both_engines, runtime};
use tokio::task::JoinSet;

store::statements! {
    INSERT = "INSERT INTO samples (company_id, id, n) VALUES ($1, $2, $3)";
    ONE = "SELECT n FROM samples WHERE company_id = $1 AND id = $2";
    NEXT = "SELECT n FROM samples WHERE company_id = $1 AND n > $2 ORDER BY n LIMIT 2";
    CHANGE = "UPDATE samples SET n = $3 WHERE company_id = $1 AND id = $2";
    BAD = "SELECT 1 / (n - $3) FROM samples WHERE company_id = $1 AND id = $2";
}

/// Units that may wait together: with the one that waits first, so many as are asked together at most.
const UNITS: i64 = 8;

/// After so many the next one is known to wait once, and what those before it have sent has come.
const KNOWN: i64 = 5;

/// What a unit does besides reading a row and those behind it.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Does {
    NothingElse,
    /// it asks for what it could know only from an answer
    AsksOn,
    /// it asks what cannot be answered
    Fails,
    /// it does not do what it has announced
    AsksOther,
    Panics,
}

/// What it should come to.
fn right(number: i64, does: Does) -> Option<(Option<i64>, Vec<i64>)> {
    let behind: Vec<i64> = (number + 1..UNITS * 2).take(2).collect();
    match does {
        Does::NothingElse => Some((Some(number), behind)),
        Does::AsksOn => Some((Some(number), vec![number + 1])),
        Does::AsksOther => Some((Some(number), (1..=2).collect())),
        Does::Fails | Does::Panics => None,
    }
}

fn read(tx: &mut Tx<'_>, number: i64, does: Does) -> Result<(Option<i64>, Vec<i64>), Error> {
    tx.announce_query(ONE, params![company(), id(number)])?;
    if does == Does::Fails {
        tx.announce_query(BAD, params![company(), id(number), number])?;
    }
    tx.announce_query(NEXT, params![company(), number])?;
    let found = tx.find_row(ONE, params![company(), id(number)], |row| row.get::<i64>(0))?;
    if does == Does::Fails {
        let found =
            tx.find_row(BAD, params![company(), id(number), number], |row| row.get::<Option<i64>>(0))?;
        found.flatten().expect("a file gives NULL where a server refuses");
    }
    assert!(does != Does::Panics, "as it should");
    let from = if does == Does::AsksOther { 0 } else { number };
    let mut behind = tx.query_rows(NEXT, params![company(), from], |row| row.get::<i64>(0))?;
    if does == Does::AsksOn {
        behind = tx.query_rows(ONE, params![company(), id(behind[0])], |row| row.get::<i64>(0))?;
    }
    Ok((found, behind))
}

async fn fill(store: &Store) {
    let fill = |tx: &mut Tx<'_>| {
        (0..UNITS * 2).try_for_each(|n| tx.insert_row(INSERT, params![company(), id(n), n]))
    };
    store.write::<_, Error, _>(fill).await.unwrap();
}

async fn ask(store: &Store, number: i64, does: Does) -> Result<(Option<i64>, Vec<i64>), Error> {
    store.read(move |tx: &mut Tx<'_>| read(tx, number, does)).await
}

/// Has units wait while another one is run, and returns what each came to, in their order.
async fn together(store: &Store, units: &[(i64, Does)]) -> Vec<Result<(Option<i64>, Vec<i64>), Error>> {
    let ask = |(number, does): (i64, Does)| {
        let store = store.clone();
        async move { ask(&store, number, does).await }
    };
    support::at_once(store, false, units.iter().copied().map(ask)).await
}

/// A store with one connection, through a line that counts; nothing where there is no server.
async fn through_a_line() -> Option<(Line, Store)> {
    let (line, url) = Line::before(&postgres_server::server()?.database());
    let store = support::open_with_one_connection(&url);
    fill(&store).await;
    Some((line, store))
}

#[test]
fn units_that_wait_are_asked_in_one_piece() {
    runtime().block_on(async {
        let Some((line, store)) = through_a_line().await else { return };
        for number in 0..KNOWN {
            ask(&store, number, Does::NothingElse).await.unwrap();
        }
        let units: Vec<_> = (0..UNITS).map(|number| (number, Does::NothingElse)).collect();
        let before = line.sent();
        let came = together(&store, &units).await;
        assert_eq!(line.sent() - before, 1);
        for ((number, does), came) in units.iter().zip(came) {
            assert_eq!(Some(came.unwrap()), right(*number, *does));
        }
    });
}

#[test]
fn a_unit_that_waits_twice_now_and_then_is_sent_at_once_again_soon() {
    runtime().block_on(async {
        let Some((line, store)) = through_a_line().await else { return };
        for number in 0..KNOWN {
            ask(&store, number, Does::NothingElse).await.unwrap();
        }
        for _ in 0..3 {
            ask(&store, 1, Does::AsksOn).await.unwrap();
            for number in 0..KNOWN {
                ask(&store, number, Does::NothingElse).await.unwrap();
            }
            let before = line.sent();
            for number in 0..5 {
                ask(&store, number, Does::NothingElse).await.unwrap();
            }
            assert_eq!(line.sent() - before, 5);
        }
    });
}

#[test]
fn each_unit_comes_to_what_it_would_alone_whatever_the_others_do() {
    let others = [Does::AsksOn, Does::Fails, Does::AsksOther, Does::Panics];
    on_both_engines(async |bench: Bench| {
        for does in others {
            let fresh = bench.fresh();
            let store = fresh.open_with(|options| options.threads = Some(1));
            fill(&store).await;
            // Known as a unit that waits once.
            for number in 0..KNOWN {
                ask(&store, number, Does::NothingElse).await.unwrap();
            }
            for at in [0, 3, UNITS - 1] {
                let of = |number: i64| if number == at { does } else { Does::NothingElse };
                let units: Vec<_> = (0..UNITS).map(|number| (number, of(number))).collect();
                let came = together(&store, &units).await;
                for ((number, does), came) in units.iter().zip(came) {
                    assert_eq!(came.ok(), right(*number, *does), "{number} {does:?}");
                }
            }
        }
    });
}

#[test]
fn whoever_comes_after_a_commit_sees_it_among_others_that_wait() {
    on_both_engines(async |bench: Bench| {
        let store = bench.open_with(|options| options.threads = Some(3));
        fill(&store).await;
        let mut callers = JoinSet::new();
        for caller in 0..16_i64 {
            let store = store.clone();
            callers.spawn(async move {
                for step in 0..40_i64 {
                    let (row, value) = (id(caller % (UNITS * 2)), 1_000 + caller * 100 + step);
                    let change = move |tx: &mut Tx<'_>| {
                        tx.change_rows(CHANGE, params![company(), row, value]).map(|changed| changed.is_one())
                    };
                    assert!(store.write::<_, Error, _>(change).await.unwrap());
                    let one = move |tx: &mut Tx<'_>| {
                        tx.find_row(ONE, params![company(), row], |row| row.get::<i64>(0))
                    };
                    assert_eq!(store.read::<_, Error, _>(one).await.unwrap(), Some(value));
                }
            });
        }
        callers.join_all().await;
    });
}
