//! Standbys: an address that leads to one for a moment, as it may during a failover, and reads on a standby. A caller that has
//! written something reads it afterwards, and no answer comes from another store. Needs PostgreSQL.

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
    let mut options = Options::new(Clock::from_system(), keys, support::MIGRATIONS);
    options.threads = Some(threads);
    options.unit_limit = LIMIT;
    options
}

/// The port in `postgres://user@host:port/name`.
fn port(url: &str) -> u16 {
    url.rsplit_once(':').and_then(|(_, rest)| rest.split('/').next()?.parse().ok()).unwrap()
}

async fn write(store: &Store, id: Uuid) -> Result<(), Error> {
    store.write(move |tx| tx.insert_row(START, params![id])).await
}

async fn is_there(store: &Store, id: Uuid) -> Result<bool, Error> {
    let found = store.read(move |tx| tx.find_row(THERE, params![id], |row| row.get::<i64>(0))).await;
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

/// As docs/operations.md says: each unit says itself whether it writes.
#[test]
fn a_server_whose_transactions_are_read_only_by_default_is_written_to() {
    let Some(server) = postgres_server::server() else { return };
    let url = server.database();
    drop(Store::open(&url, options(1)).unwrap());
    let store = Store::open(&(url + "?options=-cdefault_transaction_read_only%3Don"), options(1)).unwrap();
    runtime().block_on(write(&store, Uuid::from_u128(1))).unwrap();
    assert!(runtime().block_on(is_there(&store, Uuid::from_u128(1))).unwrap());
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

/// Makes rows, and reads each at once, wherever that is done.
async fn write_and_read(store: &Store, times: u128) {
    for _ in 0..times {
        let id = store.write(|tx| Ok::<_, Error>(tx.new_id())).await.unwrap();
        write(store, id).await.unwrap();
        let found =
            store.read_anywhere(move |tx| tx.find_row(THERE, params![id], |row| row.get::<i64>(0))).await;
        assert_eq!(found.unwrap_or_else(|error: Error| panic!("{error}")), Some(0), "what was just written");
    }
}

fn with_replica(url: &str, replica: String) -> Store {
    Store::open(url, Options { replica: Some(replica), ..options(6) }).unwrap()
}

#[test]
fn another_database_and_another_cluster_are_no_replica_and_are_named() {
    let Some(server) = postgres_server::server_to_follow() else { return };
    let (url, other) = (server.database(), server.database());
    drop(Store::open(&other, options(1)).unwrap());
    let (standby, elsewhere) = (server.standby(), postgres_server::server_to_follow().unwrap());
    let there = elsewhere.database();
    drop(Store::open(&there, options(1)).unwrap());
    let schema = server.database();
    drop(Store::open(&schema, options(1)).unwrap());
    server.run(&schema, "CREATE SCHEMA pay");
    let in_schema = format!("{schema}?options=-csearch_path%3Dpay");
    for (url, replica, why) in [
        (&url, standby.at(&other), "another database"),
        (&url, standby.at("/postgres"), "another database"),
        (&in_schema, standby.at(&schema), "another database or schema"),
        (&url, there, "another cluster"),
    ] {
        let store = with_replica(url, replica.clone());
        runtime().block_on(write_and_read(&store, 10));
        let told = store.unfit_replica().unwrap_or_default();
        assert!(told.contains(why), "{replica}: {told}");
    }
}

#[test]
fn of_several_standbys_at_one_address_none_is_read_from_that_is_behind() {
    let Some(server) = postgres_server::server_to_follow() else { return };
    let url = server.database();
    drop(Store::open(&url, options(1)).unwrap());
    let standbys = [server.standby(), server.standby()];
    let line = Line::to_each(&standbys.each_ref().map(|standby| standby.port));
    let store = with_replica(
        &url,
        format!("postgres://stipend@127.0.0.1:{}{}", line.port, &url[url.rfind('/').unwrap()..]),
    );
    let reads = |standby: &postgres_server::Standby| -> u32 {
        let reads = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%FROM counters%' AND pid <> pg_backend_pid()";
        standby.run(reads).parse().unwrap()
    };
    runtime().block_on(async {
        write_and_read(&store, 60).await;
        assert!(reads(&standbys[0]) + reads(&standbys[1]) > 0, "they are read from");
        for behind in &standbys {
            behind.run("SELECT pg_wal_replay_pause()");
            for _ in 0..4 {
                write_and_read(&store, 20).await;
                // Other sessions, with whichever of the two.
                line.cut();
            }
            behind.run("SELECT pg_wal_replay_resume()");
        }
    });
}
