//! Writing units that wait together share a transaction if they can: each of them has the result that it would have alone,
//! on both engines, and nothing is stored twice or partially.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends where it fails")]

#[path = "../../../tests/support/line.rs"]
mod line;
#[path = "../../../tests/support/postgres.rs"]
mod postgres_server;
mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use line::Line;
use store::{Error, Store, Tx, params};
use support::{Bench, company, id, on_both_engines, runtime};
use tokio::task::JoinSet;

store::statements! {
    INSERT = "INSERT INTO samples (company_id, id, n) VALUES ($1, $2, $3)";
    ONE = "SELECT n FROM samples WHERE company_id = $1 AND id = $2";
    ALL_OF = "SELECT n FROM samples WHERE company_id = $1 ORDER BY n LIMIT 9999";
    CHANGE = "UPDATE samples SET n = n + 1000 WHERE company_id = $1 AND id = $2";
    ADD = "INSERT INTO counters (company_id, n) VALUES ($1, $2) ON CONFLICT (company_id) DO UPDATE SET n = counters.n + excluded.n";
    SUM = "SELECT n FROM counters WHERE company_id = $1";
}

/// Units that share a transaction at most.
const UNITS: i64 = 16;
/// After so many the next one is known to be one that can share.
const KNOWN: i64 = 5;

/// What a unit does besides looking for its row, inserting it with another one, and counting it.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Does {
    NothingElse,
    /// it comes to nothing, after it has written
    GivesUp,
    /// it inserts a row that is there
    InsertsTwice,
    /// it changes its row
    Changes,
    /// it reads what it has written
    AsksOn,
    TakesGuard,
    Panics,
}

const EACH: [Does; 6] =
    [Does::GivesUp, Does::InsertsTwice, Does::Changes, Does::AsksOn, Does::TakesGuard, Does::Panics];

/// Whether the row was there.
fn write(tx: &mut Tx<'_>, number: i64, does: Does) -> Result<bool, Error> {
    if does == Does::TakesGuard {
        tx.take_guard(company(), "record", id(0))?;
    }
    if tx.find_row(ONE, params![company(), id(number)], |_| ())?.is_some() {
        return Ok(true);
    }
    tx.insert_row(INSERT, params![company(), id(number), number])?;
    tx.add_amounts(ADD, params![company()], &[1])?;
    tx.insert_row(INSERT, params![company(), id(number + 10_000), number + 10_000])?;
    match does {
        Does::NothingElse | Does::TakesGuard => {}
        Does::GivesUp => return Err(Error::Busy),
        Does::InsertsTwice => tx.insert_row(INSERT, params![company(), id(number), number])?,
        Does::Changes => {
            let changed = tx.change_rows(CHANGE, params![company(), id(number)])?;
            assert!(changed.is_one());
        }
        Does::AsksOn => {
            let found = tx.find_row(ONE, params![company(), id(number)], |row| row.get::<i64>(0))?;
            assert_eq!(found, Some(number));
        }
        Does::Panics => panic!("as it should"),
    }
    Ok(false)
}

/// What is kept of a unit.
fn kept(number: i64, does: Does) -> Vec<i64> {
    match does {
        Does::NothingElse | Does::AsksOn | Does::TakesGuard => vec![number, number + 10_000],
        Does::Changes => vec![number + 1_000, number + 10_000],
        Does::GivesUp | Does::InsertsTwice | Does::Panics => Vec::new(),
    }
}

async fn run(store: Store, number: i64, does: Does) -> Result<bool, Error> {
    store.write(move |tx: &mut Tx<'_>| write(tx, number, does)).await
}

/// Has a store learn what such units do; how many there were.
async fn known(store: &Store) -> i64 {
    for number in 0..KNOWN {
        assert!(!run(store.clone(), number, Does::NothingElse).await.unwrap());
    }
    KNOWN
}

async fn together(store: &Store, units: &[(i64, Does)]) -> Vec<Result<bool, Error>> {
    support::at_once(store, true, units.iter().map(|(number, does)| run(store.clone(), *number, *does))).await
}

async fn all(store: &Store) -> (Vec<i64>, i64) {
    let read = |tx: &mut Tx<'_>| {
        let sum = tx.find_row(SUM, params![company()], |row| row.get::<i64>(0))?;
        Ok::<_, Error>((tx.query_rows(ALL_OF, params![company()], |row| row.get(0))?, sum.unwrap_or(0)))
    };
    store.read(read).await.unwrap()
}

#[test]
fn units_that_wait_are_sent_as_one_would_be() {
    let Some(server) = postgres_server::server() else { return };
    let (line, url) = Line::before(&server.database());
    runtime().block_on(async {
        let store = support::open_with_one_connection(&url);
        let mut next = known(&store).await;
        let mut sent = 0;
        // The first time inserts of several rows are prepared.
        for _ in 0..2 {
            let units: Vec<_> = (next..next + UNITS).map(|number| (number, Does::NothingElse)).collect();
            let before = line.sent();
            for came in together(&store, &units).await {
                assert!(!came.unwrap());
            }
            sent = line.sent() - before;
            next += UNITS;
        }
        assert_eq!(sent, 2, "BEGIN with what all of them read, and what all of them insert with COMMIT");
        let (rows, sum) = all(&store).await;
        assert_eq!((rows.len() as i64, sum), (next * 2, next));
    });
}

#[test]
fn each_unit_comes_to_what_it_would_alone_whatever_the_others_do() {
    on_both_engines(async |bench: Bench| {
        for does in EACH {
            let fresh = bench.fresh();
            let store = fresh.open_with(|options| options.threads = Some(1));
            let mut next = known(&store).await;
            let mut right: Vec<i64> = (0..next).flat_map(|number| kept(number, Does::NothingElse)).collect();
            for at in [0, 5, UNITS - 1] {
                let of = |number: i64| if number == next + at { does } else { Does::NothingElse };
                let units: Vec<_> = (next..next + UNITS).map(|number| (number, of(number))).collect();
                for ((number, does), came) in units.iter().zip(together(&store, &units).await) {
                    let mine = kept(*number, *does);
                    assert_eq!(came.is_ok(), !mine.is_empty(), "{number} {does:?}: {came:?}");
                    right.extend(mine);
                }
                next += UNITS;
            }
            right.sort_unstable();
            let sum = right.iter().filter(|number| **number >= 10_000).count() as i64;
            assert_eq!(all(&store).await, (right, sum), "{does:?}");
        }
    });
}

#[test]
fn of_those_who_insert_the_same_key_in_one_transaction_one_does() {
    on_both_engines(async |bench: Bench| {
        let store = bench.open_with(|options| options.threads = Some(1));
        let next = known(&store).await;
        let units = [(next, Does::NothingElse); 3].into_iter().chain([(next + 1, Does::NothingElse); 2]);
        let came = together(&store, &units.collect::<Vec<_>>()).await;
        let made: Vec<bool> = came.into_iter().map(|was_there| !was_there.unwrap()).collect();
        assert_eq!(made.iter().filter(|made| **made).count(), 2, "{made:?}");
        let (rows, sum) = all(&store).await;
        assert_eq!((rows.len() as i64, sum), ((next + 2) * 2, next + 2));
    });
}

#[test]
fn many_callers_on_many_connections_make_each_row_once_and_count_it_once() {
    const CALLERS: i64 = 24;
    const STEPS: i64 = 60;
    on_both_engines(async |bench: Bench| {
        let store = bench.open();
        let made = Arc::new(AtomicU64::new(0));
        let mut callers = JoinSet::new();
        for caller in 0..CALLERS {
            let (store, made) = (store.clone(), Arc::clone(&made));
            callers.spawn(async move {
                for step in 0..STEPS {
                    // Every third one is what three callers ask for at the same time.
                    let number =
                        if step % 3 == 0 { caller / 3 * STEPS + step } else { 5_000 + caller * STEPS + step };
                    let does =
                        if step % 20 == 7 { EACH[step as usize % EACH.len()] } else { Does::NothingElse };
                    let came = run(store.clone(), number, does).await;
                    match does {
                        Does::NothingElse | Does::Changes | Does::AsksOn | Does::TakesGuard => {
                            made.fetch_add(u64::from(!came.unwrap()), Ordering::AcqRel);
                        }
                        _ => assert!(came.is_err()),
                    }
                }
            });
        }
        callers.join_all().await;
        let made = made.load(Ordering::Acquire);
        let (rows, sum) = all(&store).await;
        assert_eq!((rows.len() as u64, sum as u64), (made * 2, made));
        assert!(made > 1_000, "{made}");
    });
}

#[test]
fn when_the_outcome_of_a_shared_commit_is_unknown_nobody_is_told_that_it_is_done() {
    let Some(server) = postgres_server::server() else { return };
    let url = server.database();
    runtime().block_on(async {
        let store = support::open_with_one_connection(&url);
        let next = known(&store).await;
        // What a server says that was told to stop waiting for its standby.
        server.run(
            &url,
            "CREATE FUNCTION warn() RETURNS trigger LANGUAGE plpgsql AS \
             $$ BEGIN RAISE WARNING 'committed locally, but might not have been replicated'; RETURN NULL; END $$; \
             CREATE CONSTRAINT TRIGGER late AFTER INSERT ON samples DEFERRABLE INITIALLY DEFERRED \
             FOR EACH ROW WHEN (NEW.n < 10000) EXECUTE FUNCTION warn()",
        );
        let units: Vec<_> = (next..next + UNITS).map(|number| (number, Does::NothingElse)).collect();
        for came in together(&store, &units).await {
            assert!(matches!(came, Err(Error::Unknown)), "{came:?}");
        }
        let (rows, sum) = all(&store).await;
        assert_eq!((rows.len() as i64, sum), ((next + UNITS) * 2, next + UNITS), "it was there");
    });
}
