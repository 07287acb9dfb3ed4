//! The pool when its server stops responding, or reports that a commit was not replicated: every wait has
//! a timeout, no uncertain outcome is acknowledged, and a server that answers is found. Needs PostgreSQL; the whole of a failover
//! under load is in tests/faults/cluster.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends where it fails")]

#[path = "../../../tests/support/postgres.rs"]
mod postgres_server;

#[path = "../../../tests/support/line.rs"]
mod line;
mod support;

use std::net::TcpListener;
use std::time::Duration;

use line::Line;
use store::{Clock, Error, MasterKeys, Options, Store, Tx, params};
use support::runtime;
use uuid::Uuid;

store::statements! {
    START = "INSERT INTO counters (company_id, n) VALUES ($1, 0)";
    COUNT = "SELECT count(*) FROM counters";
}

const LIMIT: Duration = Duration::from_millis(700);

fn open(url: &str, threads: usize) -> Store {
    let keys = MasterKeys::parse(&"ab".repeat(32)).unwrap();
    let mut options = Options::new(Clock::from_system(), keys, support::MIGRATIONS);
    options.threads = Some(threads);
    options.unit_limit = LIMIT;
    Store::open(url, options).unwrap()
}

fn start(tx: &mut Tx<'_>) -> Result<(), Error> {
    let id = tx.new_id();
    tx.insert_row(START, params![id])
}

async fn count(store: &Store) -> i64 {
    let counted = store.read(|tx| tx.find_row(COUNT, params![], |row| row.get::<i64>(0))).await;
    counted.unwrap_or_else(|error: Error| panic!("{error}")).unwrap()
}

/// The port in `postgres://user@host:port/name`, and the address with others in its place.
fn port(url: &str) -> u16 {
    url.rsplit_once(':').and_then(|(_, rest)| rest.split('/').next()?.parse().ok()).unwrap()
}

fn at(url: &str, hosts: &[u16]) -> String {
    let hosts: Vec<_> = hosts.iter().map(|port| format!("127.0.0.1:{port}")).collect();
    format!("postgres://stipend@{}/{}", hosts.join(","), url.rsplit_once('/').unwrap().1)
}

#[test]
fn a_host_that_takes_the_connection_and_says_nothing_does_not_keep_the_others_from_being_asked() {
    let Some(server) = postgres_server::server() else { return };
    let url = server.database();
    // It listens, as a machine does whose server process is stopped.
    let mute = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = at(&url, &[mute.local_addr().unwrap().port(), port(&url)]);
    let begun = Clock::monotonic();
    let store = open(&url, 1);
    runtime().block_on(store.write(start)).unwrap();
    assert!(Clock::monotonic() - begun < Duration::from_secs(10));
}

#[test]
fn a_server_that_falls_silent_costs_nobody_more_than_a_limit_and_is_used_again_when_it_answers() {
    let Some(server) = postgres_server::server() else { return };
    let url = server.database();
    let line = Line::to(port(&url));
    let store = open(&at(&url, &[line.port]), 1);
    runtime().block_on(async {
        for _ in 0..3 {
            store.write(start).await.unwrap();
        }
        line.be_silent(true);
        let mut units = Vec::new();
        for _ in 0..20 {
            let store = store.clone();
            units.push(tokio::spawn(async move {
                let begun = Clock::monotonic();
                let answer = store.write(start).await;
                (answer, Clock::monotonic() - begun)
            }));
        }
        for unit in units {
            let (answer, took) = unit.await.unwrap();
            assert!(matches!(answer, Err(Error::Busy | Error::Unknown)), "{answer:?}");
            assert!(took < LIMIT * 4, "it took {took:?}");
        }
        line.be_silent(false);
        let mut tries = 0;
        while let Err(error) = store.write(start).await {
            tries += 1;
            assert!(tries < 10, "{error}");
        }
        // The one that was under way may be there or not; those that waited behind it were never begun.
        let there = count(&store).await;
        assert!((4..=5).contains(&there), "{there}");
    });
}

#[test]
fn a_node_that_is_cut_off_in_the_middle_of_a_unit_does_not_keep_the_others_from_its_rows() {
    let Some(server) = postgres_server::server() else { return };
    let url = server.database();
    let line = Line::to(port(&url));
    let (cut_off, other) = (open(&at(&url, &[line.port]), 1), open(&url, 1));
    let id = Uuid::from_u128(9);
    let silence = std::sync::Arc::new(line);
    runtime().block_on(async {
        let from_inside = std::sync::Arc::clone(&silence);
        let unit = cut_off.write(move |tx| {
            tx.take_guard(id, "record", id)?;
            from_inside.be_silent(true);
            tx.insert_row(START, params![id])
        });
        let cut = unit.await;
        assert!(matches!(cut, Err(Error::Busy | Error::Unknown)), "{cut:?}");
        // The server holds the guard for somebody who is gone, until it notices that nothing comes of it.
        let begun = Clock::monotonic();
        while let Err(error) = other.write(move |tx| tx.take_guard(id, "record", id)).await {
            assert!(matches!(error, Error::Busy | Error::Unknown), "{error}");
            assert!(
                Clock::monotonic() - begun < LIMIT * 4,
                "the guard of a node that is gone is never let go"
            );
        }
        assert_eq!(count(&other).await, 0, "nothing of the unit that was cut off");
        silence.be_silent(false);
    });
}

#[test]
fn a_warning_at_commit_is_an_unknown_outcome_and_no_success() {
    let Some(server) = postgres_server::server() else { return };
    let url = server.database();
    let store = open(&url, 1);
    let runtime = runtime();
    runtime.block_on(store.write(start)).unwrap();
    // What a server says that was told to stop waiting for its standby comes at this moment, with this code.
    server.run(
        &url,
        "CREATE FUNCTION warn() RETURNS trigger LANGUAGE plpgsql AS \
         $$ BEGIN RAISE WARNING 'committed locally, but might not have been replicated'; RETURN NULL; END $$; \
         CREATE CONSTRAINT TRIGGER late AFTER INSERT ON counters DEFERRABLE INITIALLY DEFERRED \
         FOR EACH ROW EXECUTE FUNCTION warn()",
    );
    let answer = runtime.block_on(store.write(|tx| tx.insert_row(START, params![Uuid::from_u128(7)])));
    assert!(matches!(answer, Err(Error::Unknown)), "{answer:?}");
    assert_eq!(runtime.block_on(count(&store)), 2, "it was there, which nobody was told");
}
