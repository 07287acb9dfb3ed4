//! Schema changes: existing data stays, a migration is applied whole or not at all, and a store is
//! never touched by a program that does not know it.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends where it fails")]

#[path = "../../../tests/support/postgres.rs"]
mod postgres_server;
mod support;

use store::{Error, Migration, Sql, Store, Tx, params};
use support::{Bench, MIGRATIONS, on_both_engines, open_with_migrations, options};
use uuid::Uuid;

const ADD: Migration = Migration {
    name: "0003_size",
    text: "ALTER TABLE samples ADD COLUMN size bigint; -- filled below; in small units
           ALTER TABLE samples ADD COLUMN word text NOT NULL DEFAULT 'date; --';
           REPEAT UPDATE samples SET size = n * 2 WHERE (company_id, id) IN
               (SELECT company_id, id FROM samples WHERE size IS NULL LIMIT 7);
           CREATE INDEX samples_by_size ON samples (company_id, size);",
};
const GROWN: &[Migration] = &[MIGRATIONS[0], MIGRATIONS[1], ADD];
const BROKEN: &[Migration] = &[
    MIGRATIONS[0],
    MIGRATIONS[1],
    Migration {
        name: "0003_size",
        text: "CREATE TABLE more (id uuid NOT NULL, PRIMARY KEY (id));
               UPDATE samples SET n = 0 WHERE n > 0;
               CREATE TABLE more (id uuid NOT NULL, PRIMARY KEY (id));",
    },
];
const EDITED: &[Migration] = &[
    MIGRATIONS[0],
    MIGRATIONS[1],
    Migration { name: "0003_size", text: "ALTER TABLE samples ADD COLUMN size bigint;" },
];

store::statements! {
    INSERT = "INSERT INTO samples (company_id, id, n) VALUES ($1, $2, $3)";
    NUMBERS = "SELECT n FROM samples ORDER BY n";
    SIZES = "SELECT size, word FROM samples ORDER BY size";
    MORE = "SELECT count(*) FROM more";
}

fn ids(numbers: i64) -> impl Iterator<Item = (Uuid, i64)> {
    (1..=numbers).map(|n| (Uuid::from_u128(n.unsigned_abs().into()), n))
}

async fn fill(store: &Store, numbers: i64) {
    let write = move |tx: &mut Tx<'_>| {
        ids(numbers).try_for_each(|(id, n)| tx.insert_row(INSERT, params![Uuid::from_u128(1), id, n]))
    };
    store.write::<_, Error, _>(write).await.unwrap();
}

async fn all<T: Send + 'static>(
    store: &Store,
    sql: Sql,
    read: fn(&store::Row<'_>) -> T,
) -> Result<Vec<T>, Error> {
    store.read(move |tx| tx.query_rows(sql, params![], read)).await
}

fn refused(url: &str, migrations: &'static [Migration]) -> String {
    let told = Store::open(url, options(migrations)).err().expect("it is refused").to_string();
    assert_eq!(told.lines().count(), 1, "{told}");
    told
}

#[test]
fn a_column_is_added_and_filled_in_small_units_while_rows_are_there() {
    on_both_engines(async |bench: Bench| {
        if bench.is_memory() {
            return; // gone when it is closed
        }
        fill(&open_with_migrations(bench.url(), MIGRATIONS), 30).await;
        let store = open_with_migrations(bench.url(), GROWN);
        let sizes = all(&store, SIZES, |row| (row.get::<i64>(0), row.get::<String>(1))).await.unwrap();
        assert_eq!(sizes, ids(30).map(|(_, n)| (2 * n, "date; --".to_owned())).collect::<Vec<_>>());
        drop(store);
        // Nothing is done a second time.
        open_with_migrations(bench.url(), GROWN);
    });
}

#[test]
fn a_migration_that_fails_leaves_nothing_and_the_right_one_is_applied_afterwards() {
    on_both_engines(async |bench: Bench| {
        if bench.is_memory() {
            return; // gone when it is closed
        }
        fill(&open_with_migrations(bench.url(), MIGRATIONS), 3).await;
        let told = refused(bench.url(), BROKEN);
        assert!(told.contains("0003_size") && told.contains("statement 3"), "{told}");
        let store = open_with_migrations(bench.url(), MIGRATIONS);
        let numbers = all(&store, NUMBERS, |row| row.get::<i64>(0)).await.unwrap();
        assert_eq!(numbers, [1, 2, 3], "the second statement was undone");
        assert!(all(&store, MORE, |row| row.get::<i64>(0)).await.is_err(), "and so was the first");
        drop(store);
        open_with_migrations(bench.url(), GROWN);
    });
}

#[test]
fn a_migration_whose_text_was_changed_after_it_was_applied_is_refused_by_name() {
    on_both_engines(async |bench: Bench| {
        if bench.is_memory() {
            return; // gone when it is closed
        }
        drop(open_with_migrations(bench.url(), GROWN));
        let told = refused(bench.url(), EDITED);
        assert!(told.contains("0003_size") && told.contains("changed"), "{told}");
        open_with_migrations(bench.url(), GROWN);
    });
}

#[test]
fn a_store_that_is_newer_than_the_program_is_refused() {
    on_both_engines(async |bench: Bench| {
        if bench.is_memory() {
            return; // gone when it is closed
        }
        drop(open_with_migrations(bench.url(), GROWN));
        let told = refused(bench.url(), MIGRATIONS);
        assert!(told.contains("newer than this program") && told.contains("0003_size"), "{told}");
    });
}

#[test]
fn a_column_that_was_added_is_copied_to_either_engine() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| format!("sqlite:{}", folder.path().join(name).display());
    runtime.block_on(fill(&open_with_migrations(&file("one.db"), MIGRATIONS), 10));
    drop(open_with_migrations(&file("one.db"), GROWN));
    let mut stations = vec![file("one.db"), file("two.db")];
    if let Some(server) = postgres_server::server() {
        stations.extend([server.database(), file("three.db")]);
    }
    for pair in stations.windows(2) {
        let copied = store::copy_store(&pair[0], &pair[1], GROWN, &|_, _| {}).unwrap();
        assert_eq!(copied.iter().find(|table| table.name == "samples").unwrap().rows, 10);
        let store = open_with_migrations(&pair[1], GROWN);
        let sizes = runtime.block_on(all(&store, SIZES, |row| row.get::<i64>(0))).unwrap();
        assert_eq!(sizes, (1..=10).map(|n| 2 * n).collect::<Vec<_>>());
    }
}

#[test]
fn a_store_is_made_only_where_one_may_be_made() {
    on_both_engines(async |bench: Bench| {
        if bench.is_memory() {
            return; // it is always new
        }
        let open = |create: bool| Store::open(bench.url(), store::Options { create, ..options(MIGRATIONS) });
        let told = open(false).err().unwrap().to_string();
        assert!(told.starts_with("there is no store in ") && !told.contains("postgres://"), "{told}");
        if let Some(path) = bench.url().strip_prefix("sqlite:") {
            assert!(!std::path::Path::new(path).exists(), "nor is an empty file left");
            std::fs::write(path, "").unwrap();
            assert!(open(false).is_err(), "an empty file is no store");
        }
        drop(open(true).unwrap());
        open(false).unwrap();
    });
}
