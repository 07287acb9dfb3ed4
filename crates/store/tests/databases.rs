//! Databases in which no store is created: those with an encoding other than UTF8, and those of another program. Needs PostgreSQL.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends where it fails")]

#[path = "../../../tests/support/postgres.rs"]
mod postgres_server;
mod support;

use store::{Clock, Store};
use support::{Bench, MIGRATIONS, on_both_engines, options};

/// An empty database of an encoding.
fn encoded(server: &postgres_server::Server, name: &str, encoding: &str) -> String {
    let like = server.database();
    let address = like[..like.rfind('/').unwrap()].to_owned();
    let create = format!("CREATE DATABASE {name} ENCODING '{encoding}' LOCALE 'C' TEMPLATE template0");
    server.run(&format!("{address}/postgres"), &create);
    format!("{address}/{name}")
}

fn told(url: &str) -> String {
    Store::open(url, options(MIGRATIONS)).err().expect("it is refused").to_string()
}

#[test]
fn a_store_is_made_only_in_a_database_that_has_every_letter() {
    let Some(server) = postgres_server::server() else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = format!("sqlite:{}", folder.path().join("from.db").display());
    drop(Store::open(&file, options(MIGRATIONS)).unwrap());
    let number = std::process::id();
    for (encoding, name) in [("LATIN1", format!("latin_{number}")), ("SQL_ASCII", format!("ascii_{number}"))]
    {
        let url = encoded(server, &name, encoding);
        let why = told(&url);
        assert!(why.contains(&format!("is {encoding}, but must be UTF8")), "{why}");
        assert!(why.contains("ENCODING 'UTF8' TEMPLATE template0"), "{why}");
        let copied = store::copy_store(&file, &url, MIGRATIONS, &|_, _| {});
        assert!(copied.unwrap_err().to_string().contains("must be UTF8"));
        let tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'";
        assert_eq!(server.run(&url, tables), "0", "nothing was made");
    }
}

#[test]
fn a_store_that_is_in_a_database_of_another_encoding_goes_on_and_says_so() {
    let Some(server) = postgres_server::server() else { return };
    let (made, url) = (server.database(), encoded(server, &format!("old_{}", std::process::id()), "LATIN1"));
    let store = Store::open(&made, options(MIGRATIONS)).unwrap();
    assert_eq!(store.operator_caution(), None);
    drop(store);
    // As a process that stopped early left it: the record of migrations is there, and empty.
    server.run(
        &url,
        "CREATE TABLE schema_migrations (name text NOT NULL, steps bigint NOT NULL, finished_at timestamptz, checksum text NOT NULL, \
         PRIMARY KEY (name)); \
         CREATE TABLE schema_lease (id bigint NOT NULL, holder uuid NOT NULL, lease_until timestamptz NOT NULL, PRIMARY KEY (id))",
    );
    let store = Store::open(&url, options(MIGRATIONS)).unwrap();
    assert!(store.operator_caution().unwrap().starts_with("the encoding of the database is not UTF8"));
}

#[test]
fn the_tables_of_another_program_are_named_at_once() {
    on_both_engines(async |bench: Bench| {
        if bench.is_memory() {
            return; // nobody else has it
        }
        let theirs = "CREATE TABLE schema_migrations (version varchar(255) PRIMARY KEY)";
        match bench.url().strip_prefix("sqlite:") {
            Some(path) => rusqlite::Connection::open(path).unwrap().execute_batch(theirs).unwrap(),
            None => drop(postgres_server::server().unwrap().run(bench.url(), theirs)),
        }
        let begun = Clock::monotonic();
        let why = told(bench.url());
        assert!(why.contains("another program") && why.contains("schema_migrations"), "{why}");
        assert!((Clock::monotonic() - begun).as_secs() < 10, "nobody is waited for");
    });
}
