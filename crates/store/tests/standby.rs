//! Standbys: an address that leads to one for a moment, as it may during a failover, and reads that are done on one. Whoever has
//! written something reads it afterwards, and nobody gets an answer of another store. Needs PostgreSQL.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends where it fails")]

#[path = "../../../tests/support/postgres.rs"]
mod postgres_server;

#[path = "../../../tests/support/line.rs"]
mod line;
mod support;

use std::time::Duration;

use line::Line;
use store::{Clock, Error, MasterKeys, Options, Store, params};
use support::runtime;
use uuid::Uuid;

store::statements! {
    START = "INSERT INTO counters (company_id, n) VALUES ($1, 0)";
    THERE = "SELECT n FROM counters WHERE company_id = $1";
}

const LIMIT: Duration = Duration::from_millis(700);

fn options(threads: usize) -> Options {
    let keys = MasterKeys::parse(&"ab".repeat(32)).unwrap();
    let mut options = Options::new(Clock::system(), keys, support::MIGRATIONS);
    options.threads = Some(threads);
    options.unit_limit = LIMIT;
    options
}

/// The port in `postgres://user@host:port/name`.
fn port(url: &str) -> u16 {
    url.rsplit_once(':').and_then(|(_, rest)| rest.split('/').next()?.parse().ok()).unwrap()
}

async fn write(store: &Store, id: Uuid) -> Result<(), Error> {
    store.write(move |tx| tx.insert(START, params![id])).await
}

async fn is_there(store: &Store, id: Uuid) -> Result<bool, Error> {
    let found = store.read(move |tx| tx.find(THERE, params![id], |row| row.get::<i64>(0))).await;
    found.map(|found| found.is_some())
}

#[test]
fn an_address_that_leads_to_a_standby_for_a_moment_is_left_again() {
    let Some(server) = postgres_server::server_to_follow() else { return };
    let standby = server.standby();
    let primary = server.database();
    let (line, url) = Line::before(&primary);
    let store = Store::open(&url, options(6)).unwrap();
    runtime().block_on(async {
        let ids: Vec<_> = (0..60).map(Uuid::from_u128).collect();
        write(&store, ids[0]).await.unwrap();
        // A standby that stays behind: what is read of it is not what was written.
        standby.run("SELECT pg_wal_replay_pause()");
        line.lead_to(standby.port);
        line.cut();
        let units = ids[1..25].iter().map(|id| {
            let (store, id) = (store.clone(), *id);
            tokio::spawn(async move { (write(&store, id).await, is_there(&store, id).await) })
        });
        for unit in units.collect::<Vec<_>>() {
            let (written, read) = unit.await.unwrap();
            assert!(matches!(written, Err(Error::Busy | Error::Unknown)), "{written:?}");
            assert!(matches!(read, Err(Error::Busy | Error::Unknown)), "{read:?}");
        }

        line.lead_to(port(&primary));
        for id in &ids[25..] {
            write(&store, *id).await.unwrap();
        }
        for id in &ids[25..] {
            assert!(is_there(&store, *id).await.unwrap());
        }
    });
}

#[test]
fn the_address_of_a_standby_is_refused() {
    let Some(server) = postgres_server::server_to_follow() else { return };
    let url = server.database();
    drop(Store::open(&url, options(1)).unwrap());
    let standby = server.standby();
    let refused = Store::open(&standby.at(&url), options(1)).err().unwrap().to_string();
    assert!(refused.contains("the server is a standby"), "{refused}");
}

#[test]
fn a_server_that_lets_no_unit_begin_that_writes_is_let_go() {
    let Some(server) = postgres_server::server_to_follow() else { return };
    let url = server.database();
    drop(Store::open(&url, options(1)).unwrap());
    let standby = server.standby();
    // Whoever asks for one that takes no writes gets it.
    let store = Store::open(&(standby.at(&url) + "?target_session_attrs=read-only"), options(1)).unwrap();
    let refused = runtime().block_on(write(&store, Uuid::from_u128(1)));
    assert!(matches!(refused, Err(Error::Busy)), "{refused:?}");
}
