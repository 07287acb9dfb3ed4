//! Pages that were overwritten in a store's file that has no checksums (`checksums.rs` has those that have them): once it is
//! found, nothing is answered from it any more, rather than a part.

#![allow(clippy::unwrap_used, reason = "a test ends where it fails")]

#[path = "../../../tests/support/postgres.rs"]
mod postgres_server;
mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use store::{Care, Clock, Error, Options, Store, Tx, params};
use support::MIGRATIONS;
use uuid::Uuid;

store::statements! {
    INSERT = "INSERT INTO samples (company_id, id, t) VALUES ($1, $2, $3)";
    LIST = "SELECT id FROM samples WHERE company_id = $1";
}

const ROWS: usize = 4_110;
const PAGE: usize = 4_096;
/// The first byte of a page that holds rows: of a table by its key, and of one that is kept by the order of its key.
const LEAVES: [u8; 2] = [13, 10];

fn options() -> Options {
    support::options(MIGRATIONS)
}

async fn list(store: &Store) -> Result<usize, Error> {
    let rows = |tx: &mut Tx<'_>| tx.query_rows(LIST, params![Uuid::from_u128(1)], |row| row.get::<Uuid>(0));
    store.read(rows).await.map(|rows| rows.len())
}

/// A store with many rows, as a file without a log beside it.
async fn filled(folder: &Path) -> (String, PathBuf) {
    let store = Store::open(&support::file_url(folder), options()).unwrap();
    let fill = |tx: &mut Tx<'_>| {
        for _ in 0..ROWS {
            let id = tx.new_id();
            tx.insert_row(
                INSERT,
                params![Uuid::from_u128(1), id, "forty bytes of text that fill a page sooner"],
            )?;
        }
        Ok::<_, Error>(())
    };
    store.write(fill).await.unwrap();
    assert_eq!(list(&store).await.unwrap(), ROWS);
    drop(store);
    let file = folder.join("whole.db");
    support::without_checksums(&folder.join("test.db"), &file);
    (format!("sqlite:{}", file.display()), file)
}

/// What is done to pages of rows.
enum Damage {
    /// their bytes from here on are overwritten
    From(usize),
    /// each becomes a copy of the page of rows after it
    Copied,
}

/// Damages three pages of rows.
fn damage(file: &Path, how: Damage) {
    let mut bytes = fs::read(file).unwrap();
    let pages = bytes.chunks(PAGE).enumerate().skip(1);
    let leaves: Vec<_> = pages.filter(|(_, page)| LEAVES.contains(&page[0])).map(|(at, _)| at).collect();
    // Those in the middle of the file hold rows; some small tables have pages, too.
    let chosen: Vec<_> = leaves.iter().copied().skip(leaves.len() / 2).take(4).collect();
    for two in chosen.windows(2) {
        let (page, next) = (two[0] * PAGE, two[1] * PAGE);
        match how {
            Damage::From(from) => bytes[page + from..page + PAGE].fill(0xff),
            Damage::Copied => bytes.copy_within(next..next + PAGE, page),
        }
    }
    fs::write(file, bytes).unwrap();
}

fn run(test: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap()
        .block_on(test);
}

#[test]
fn rows_that_nothing_leads_to_any_more_are_missed_by_reading_all_pages() {
    for how in [Damage::Copied, Damage::From(PAGE / 2), Damage::From(1)] {
        run(async {
            let folder = tempfile::tempdir().unwrap();
            let (url, file) = filled(folder.path()).await;
            damage(&file, how);
            let care = Some(Care { check_every: Duration::from_millis(50) });
            let store = Store::open(&url, Options { care, ..options() }).unwrap();
            let begun = Clock::monotonic();
            while store.damage_found().is_none() {
                assert!((Clock::monotonic() - begun) < Duration::from_secs(20), "the damage was not found");
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            assert!(matches!(list(&store).await, Err(Error::Damaged(_))));
            let write = store.write(|tx: &mut Tx<'_>| {
                let id = tx.new_id();
                tx.insert_row(INSERT, params![Uuid::from_u128(2), id, "x"])
            });
            assert!(matches!(write.await, Err(Error::Damaged(_))));
            // A copy would lack rows, and may be taken for better than an older one.
            let copy = folder.path().join("copy.db");
            let refused = store::backup_file(&url, &copy).unwrap_err().to_string();
            assert!(refused.contains("the store is damaged"), "{refused}");
            assert!(
                fs::read_dir(folder.path())
                    .unwrap()
                    .all(|file| { !file.unwrap().file_name().to_string_lossy().starts_with("copy.db") })
            );
        });
    }
}

#[test]
fn a_unit_that_meets_a_broken_page_is_refused_and_so_is_all_that_comes_later() {
    run(async {
        let folder = tempfile::tempdir().unwrap();
        let (url, file) = filled(folder.path()).await;
        damage(&file, Damage::From(1));
        let store = Store::open(&url, options()).unwrap();
        assert!(matches!(list(&store).await, Err(Error::Damaged(_))));
        assert!(store.damage_found().is_some());
        let nothing = store.read(|_: &mut Tx<'_>| Ok::<_, Error>(()));
        assert!(matches!(nothing.await, Err(Error::Damaged(_))));
    });
}

#[test]
fn a_whole_store_is_found_whole_again_and_again() {
    run(async {
        let folder = tempfile::tempdir().unwrap();
        let (url, _) = filled(folder.path()).await;
        let care = Some(Care { check_every: Duration::from_millis(20) });
        let store = Store::open(&url, Options { care, ..options() }).unwrap();
        for _ in 0..20 {
            tokio::time::sleep(Duration::from_millis(20)).await;
            assert_eq!((list(&store).await.unwrap(), store.damage_found()), (ROWS, None));
        }
        store::backup_file(&url, &folder.path().join("copy.db")).unwrap();
    });
}
