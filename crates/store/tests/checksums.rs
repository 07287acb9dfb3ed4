//! Page checksums: with any page of a file or its WAL damaged, a list is complete or refused, and nothing that SQLite writes
//! is taken for damage.

#![allow(clippy::unwrap_used, reason = "a test ends where it fails")]

#[path = "../../../tests/support/postgres.rs"]
mod postgres_server;
mod support;

use std::fs;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use store::{Error, Options, Store, Tx, params};
use support::MIGRATIONS;
use uuid::Uuid;

store::statements! {
    INSERT = "INSERT INTO samples (company_id, id, t, n) VALUES ($1, $2, $3, $4)";
    INSERT_LONG = "INSERT INTO samples (company_id, id, t, n, b) VALUES ($1, $2, $3, $4, $5)";
    LIST = "SELECT t, n FROM samples WHERE company_id = $1 ORDER BY id";
    CHANGE = "UPDATE samples SET t = $2 WHERE company_id = $1";
    DELETE_ODD = "DELETE FROM samples WHERE company_id = $1 AND n % 2 = 1";
}

const COMPANY: Uuid = Uuid::from_u128(1);
const ROWS: i64 = 4_110;
const PAGE: usize = 4_096;
/// Offset of the header's byte of reserved space per page.
const RESERVED_AT: u64 = 20;
/// Sizes of the headers of a WAL and of its frames.
const LOG_HEADER: usize = 32;
const FRAME_HEADER: usize = 24;

type Rows = Vec<(String, i64)>;

fn options() -> Options {
    Options { unit_limit: Duration::from_secs(60), ..support::options(MIGRATIONS) }
}

fn fill(tx: &mut Tx<'_>, rows: i64, text: &str) -> Result<(), Error> {
    for n in 0..rows {
        let id = tx.new_id();
        tx.insert_row(INSERT, params![COMPANY, id, text, n])?;
    }
    Ok(())
}

fn rows(tx: &mut Tx<'_>) -> Result<Rows, Error> {
    tx.query_rows(LIST, params![COMPANY], |row| (row.get(0), row.get(1)))
}

async fn list(store: &Store) -> Result<Rows, Error> {
    store.read(rows).await
}

/// A store of many rows as a file without a log, its bytes, and its rows.
async fn filled(folder: &Path) -> (PathBuf, Vec<u8>, Rows) {
    let store = Store::open(&support::file_url(folder), options()).unwrap();
    store
        .write(|tx: &mut Tx<'_>| fill(tx, ROWS, "forty bytes of text that fill a page sooner"))
        .await
        .unwrap();
    let rows = list(&store).await.unwrap();
    assert_eq!(rows.len() as i64, ROWS);
    let file = folder.join("whole.db");
    store::backup_file(&support::file_url(folder), &file).unwrap();
    let bytes = fs::read(&file).unwrap();
    (file, bytes, rows)
}

fn url(file: &Path) -> String {
    format!("sqlite:{}", file.display())
}

/// Puts bytes in the place of a store, without the log that was beside it.
fn put(file: &Path, bytes: &[u8]) {
    for end in ["-wal", "-shm"] {
        fs::remove_file(format!("{}{end}", file.display())).ok();
    }
    fs::write(file, bytes).unwrap();
}

/// What is done to a page, counted from 0.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Damage {
    Garbage,
    /// the last two thirds
    GarbageWithin,
    Zeros,
    OtherPage,
    OneBit,
}

const DAMAGES: [Damage; 5] =
    [Damage::Garbage, Damage::GarbageWithin, Damage::Zeros, Damage::OtherPage, Damage::OneBit];

fn damage(bytes: &mut [u8], page: usize, how: Damage) {
    let (begin, pages) = (page * PAGE, bytes.len() / PAGE);
    let garbage = |at: usize| (at * 31 % 251) as u8;
    match how {
        Damage::Garbage => (0..PAGE).for_each(|at| bytes[begin + at] = garbage(at)),
        Damage::GarbageWithin => (PAGE / 3..PAGE).for_each(|at| bytes[begin + at] = garbage(at)),
        Damage::Zeros => bytes[begin..begin + PAGE].fill(0),
        Damage::OtherPage => {
            let other = if page + 1 < pages { page + 1 } else { 1 } * PAGE;
            bytes.copy_within(other..other + PAGE, begin);
        }
        // Cells lie at the end of a page, before the checksum.
        Damage::OneBit => bytes[begin + PAGE - 9 - page % 200] ^= 1 << (page % 8),
    }
}

fn run(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.unwrap().block_on(test);
}

/// Asserts that a list is complete or refused; returns why it was refused.
async fn whole_or_refused(file: &Path, expected: &Rows) -> Option<String> {
    let store = match Store::open(&url(file), options()) {
        Ok(store) => store,
        Err(refused) => return Some(refused.to_string()),
    };
    match list(&store).await {
        Ok(rows) => {
            assert_eq!(rows.len(), expected.len(), "the list is short");
            assert!(rows == *expected, "the list is another one");
            None
        }
        Err(Error::Damaged(what)) => {
            assert_eq!(store.damage_found(), Some(what.as_str()));
            assert!(matches!(list(&store).await, Err(Error::Damaged(_))), "it is answered again");
            let write = store.write(|tx: &mut Tx<'_>| fill(tx, 1, "x")).await;
            assert!(matches!(write, Err(Error::Damaged(_))), "it is written to");
            Some(what)
        }
        Err(other) => unreachable!("{other}"),
    }
}

#[test]
fn a_list_is_whole_or_refused_whichever_page_is_damaged_and_the_page_and_file_are_told() {
    run(async {
        let folder = tempfile::tempdir().unwrap();
        let (file, bytes, expected) = filled(folder.path()).await;
        let (mut named, mut tried) = (0, 0);
        for page in 0..bytes.len() / PAGE {
            let how = DAMAGES[page % DAMAGES.len()];
            let mut damaged = bytes.clone();
            damage(&mut damaged, page, how);
            put(&file, &damaged);
            tried += 1;
            if let Some(what) = whole_or_refused(&file, &expected).await {
                let place = format!("page {} of {}", page + 1, file.display());
                // Garbage in the place of the header is no database.
                assert!(page == 0 && how == Damage::Garbage || what.contains(&place), "{how:?}: {what}");
                named += usize::from(what.contains(&place));
            }
            // The reading of all pages finds whatever an answer may rest on.
            let found = store::check_file(&url(&file));
            assert!(found.is_err() || found.is_ok_and(|found| found.damaged.is_some()), "{page}: {how:?}");
        }
        println!("{tried} pages damaged, {named} met by the list");
        assert!(named * 2 > tried, "most pages hold what is listed: {named} of {tried}");
    });
}

#[test]
fn a_list_over_three_damaged_leaves_is_refused_whatever_was_done_to_them() {
    run(async {
        let folder = tempfile::tempdir().unwrap();
        let (file, bytes, expected) = filled(folder.path()).await;
        let leaves: Vec<_> =
            (1..bytes.len() / PAGE).filter(|page| [10, 13].contains(&bytes[page * PAGE])).collect();
        for how in DAMAGES {
            let mut damaged = bytes.clone();
            leaves[leaves.len() / 2..].iter().take(3).for_each(|page| damage(&mut damaged, *page, how));
            put(&file, &damaged);
            let refused = whole_or_refused(&file, &expected).await;
            assert!(refused.is_some_and(|what| what.contains("page ")), "{how:?}");
        }
        put(&file, &bytes);
        assert_eq!(whole_or_refused(&file, &expected).await, None);
    });
}

#[test]
fn a_long_value_is_whole_or_refused_whichever_of_its_pages_is_damaged() {
    run(async {
        let folder = tempfile::tempdir().unwrap();
        let url = support::file_url(folder.path());
        let store = Store::open(&url, options()).unwrap();
        let long: String = (0..8_000).map(|n| format!("{n} ")).collect();
        store.write(move |tx: &mut Tx<'_>| fill(tx, 10, &long)).await.unwrap();
        let (expected, file) = (list(&store).await.unwrap(), folder.path().join("long.db"));
        store::backup_file(&url, &file).unwrap();
        let bytes = fs::read(&file).unwrap();
        // Overflow pages begin with the number of the next one, and hold text alone.
        let holds_text = |page: &usize| {
            bytes[page * PAGE + 4..page * PAGE + PAGE - 8].iter().all(|byte| b" 0123456789".contains(byte))
        };
        let pages: Vec<_> = (1..bytes.len() / PAGE).filter(holds_text).collect();
        assert!(pages.len() > 50, "{}", pages.len());
        for (at, page) in pages.iter().step_by(6).enumerate() {
            let mut damaged = bytes.clone();
            damage(&mut damaged, *page, DAMAGES[at % DAMAGES.len()]);
            put(&file, &damaged);
            let refused = whole_or_refused(&file, &expected).await;
            assert!(refused.is_some_and(|what| what.contains(&format!("page {} of", page + 1))), "{page}");
        }
    });
}

/// SQLite reads the beginning of an overflow page without the rest where a value ends within it. 512, 1,024 or 2,048 bytes of it are
/// as long as a page of another file would be.
#[test]
fn a_value_that_ends_within_a_page_is_read_whole_however_much_of_the_page_it_takes() {
    run(async {
        let folder = tempfile::tempdir().unwrap();
        let url = support::file_url(folder.path());
        let store = Store::open(&url, options()).unwrap();
        let lengths = |tx: &mut Tx<'_>| -> Result<(), Error> {
            for around in [1_350_i64, 1_862, 2_886] {
                for length in around - 60..around + 60 {
                    let (id, text) = (tx.new_id(), "t".repeat(length as usize));
                    let rest = vec![7_u8; 9_000 - length as usize];
                    tx.insert_row(INSERT_LONG, params![COMPANY, id, text.as_str(), length, rest.as_slice()])?;
                }
            }
            Ok(())
        };
        store.write(lengths).await.unwrap();
        let (expected, file) = (list(&store).await.unwrap(), folder.path().join("long.db"));
        assert_eq!(expected.len(), 360);
        store::backup_file(&url, &file).unwrap();
        assert_eq!(whole_or_refused(&file, &expected).await, None);
    });
}

#[test]
fn a_file_that_was_cut_off_is_refused() {
    run(async {
        let folder = tempfile::tempdir().unwrap();
        let (file, bytes, expected) = filled(folder.path()).await;
        for pages in [1, 2, bytes.len() / PAGE / 2, bytes.len() / PAGE - 1] {
            put(&file, &bytes[..pages * PAGE]);
            assert!(whole_or_refused(&file, &expected).await.is_some(), "{pages} pages");
        }
    });
}

#[test]
fn a_new_store_has_checksums_which_its_header_says_and_a_header_that_denies_them_is_not_believed() {
    run(async {
        let folder = tempfile::tempdir().unwrap();
        let (file, bytes, expected) = filled(folder.path()).await;
        let created = fs::read(folder.path().join("test.db")).unwrap();
        assert_eq!((created[RESERVED_AT as usize], bytes[RESERVED_AT as usize]), (8, 8));
        let store = Store::open(&url(&file), options()).unwrap();
        assert_eq!(store.operator_caution(), None);
        drop(store);
        assert_eq!(
            store::check_file(&url(&file)).map(|found| (found.damaged, found.checksums)).unwrap(),
            (None, true)
        );
        put(&file, &bytes);
        let opened = fs::OpenOptions::new().write(true).open(&file).unwrap();
        for room in [0, 9, 12, 72] {
            opened.write_all_at(&[room], RESERVED_AT).unwrap();
            let refused = whole_or_refused(&file, &expected).await.unwrap();
            assert!(refused.contains("malformed") || refused.contains("page 1 of"), "{room}: {refused}");
        }
        assert_eq!(Store::open("sqlite::memory:", options()).unwrap().operator_caution(), None);
    });
}

#[test]
fn a_page_that_was_damaged_in_the_log_is_refused_and_not_copied_into_the_file() {
    run(async {
        let folder = tempfile::tempdir().unwrap();
        let url = support::file_url(folder.path());
        let store = Store::open(&url, options()).unwrap();
        store.write(|tx: &mut Tx<'_>| fill(tx, ROWS, "a text of the log")).await.unwrap();
        assert_eq!(store::check_file(&url).unwrap().damaged, None);
        let log = folder.path().join("test.db-wal");
        let (bytes, expected) = (fs::read(&log).unwrap(), list(&store).await.unwrap());
        let frames = (bytes.len() - LOG_HEADER) / (FRAME_HEADER + PAGE);
        assert!(frames > 50, "{frames}");
        let opened = fs::OpenOptions::new().write(true).open(&log).unwrap();
        for frame in frames / 2..frames {
            let at = LOG_HEADER + frame * (FRAME_HEADER + PAGE) + FRAME_HEADER + PAGE / 2;
            opened.write_all_at(&[bytes[at] ^ 4], at as u64).unwrap();
        }
        let found = store::check_file(&url).unwrap().damaged.unwrap();
        assert!(found.contains(" in the log of ") && found.contains("test.db"), "{found}");
        let refused = store::backup_file(&url, &folder.path().join("copy.db")).unwrap_err().to_string();
        assert!(refused.contains("the store is damaged"), "{refused}");
        match list(&store).await {
            // From what was read before.
            Ok(rows) => assert_eq!(rows, expected),
            Err(error) => assert!(matches!(error, Error::Damaged(_)), "{error}"),
        }
        drop(store);
        assert_eq!(fs::metadata(&log).unwrap().len(), bytes.len() as u64, "the log is not done with");
    });
}

/// The units are larger than the page cache, so that pages spill to the WAL before COMMIT and are overwritten there.
#[test]
fn what_a_large_unit_writes_twice_and_reads_again_is_not_taken_for_damage() {
    run(async {
        let folder = tempfile::tempdir().unwrap();
        let (file, url) = (folder.path().join("test.db"), support::file_url(folder.path()));
        let store = Store::open(&url, options()).unwrap();
        let large = |text: u8| String::from_utf8(vec![text; 3_000]).unwrap();
        let unit = move |tx: &mut Tx<'_>| {
            fill(tx, 6_000, &large(b'a'))?;
            let before = rows(tx)?;
            for text in [b'b', b'c'] {
                tx.change_rows(CHANGE, params![COMPANY, large(text).as_str()])?.rows();
            }
            let after = rows(tx)?;
            assert!(before.iter().all(|(text, _)| text.starts_with(['a', 'c'])));
            assert!(after.iter().all(|(text, _)| text.starts_with('c')));
            Ok::<_, Error>(())
        };
        let refused = move |tx: &mut Tx<'_>| unit(tx).and(Err::<(), _>(Error::Full));
        for round in 1..=2 {
            assert!(matches!(store.write(refused).await, Err(Error::Full)), "{:?}", store.damage_found());
            store.write(unit).await.unwrap();
            assert_eq!(list(&store).await.unwrap().len(), 6_000 * round);
        }
        let odd = |tx: &mut Tx<'_>| tx.change_rows(DELETE_ODD, params![COMPANY]).map(|odd| odd.rows());
        store.write(odd).await.unwrap();
        store.write(|tx: &mut Tx<'_>| fill(tx, 5_000, &"d".repeat(3_000))).await.unwrap();
        assert_eq!((list(&store).await.unwrap().len(), store.damage_found()), (11_000, None));
        // Larger than the page cache, so that pages are written before the header.
        let copy = folder.path().join("copy.db");
        store::backup_file(&url, &copy).unwrap();
        drop(store);
        let connection = rusqlite::Connection::open(&file).unwrap();
        connection.execute_batch("VACUUM").unwrap();
        drop(connection);
        for file in [file, copy] {
            let found = store::check_file(&self::url(&file)).unwrap();
            assert_eq!((found.damaged, found.checksums), (None, true));
            let store = Store::open(&self::url(&file), options()).unwrap();
            assert_eq!(list(&store).await.unwrap().len(), 11_000);
        }
    });
}

#[test]
fn a_store_without_checksums_says_so_goes_on_and_is_given_them_by_one_command() {
    run(async {
        let folder = tempfile::tempdir().unwrap();
        let (file, _, expected) = filled(folder.path()).await;
        let old = folder.path().join("old.db");
        support::without_checksums(&file, &old);
        let url = url(&old);
        assert_eq!(fs::read(&old).unwrap()[RESERVED_AT as usize], 0);
        let store = Store::open(&url, options()).unwrap();
        assert!(store.operator_caution().is_some_and(|told| told.contains("stipend check --add-checksums")));
        store
            .write(|tx: &mut Tx<'_>| {
                tx.change_rows(CHANGE, params![COMPANY, "changed"]).map(|all| all.rows())
            })
            .await
            .unwrap();
        let found = store::check_file(&url).unwrap();
        assert_eq!((found.damaged, found.checksums), (None, false));
        // What a killed process leaves: the changes are in the log alone.
        let killed = folder.path().join("killed.db");
        fs::copy(&old, &killed).unwrap();
        fs::copy(folder.path().join("old.db-wal"), folder.path().join("killed.db-wal")).unwrap();
        drop(store);

        for file in [old, killed] {
            let url = self::url(&file);
            let added = store::add_checksums(&url, &options()).unwrap().unwrap();
            assert!(added.set_aside.iter().any(|aside| aside.starts_with(folder.path())), "{added:?}");
            assert!(store::add_checksums(&url, &options()).unwrap().is_none(), "a second time");
            let found = store::check_file(&url).unwrap();
            assert_eq!((found.damaged, found.checksums, found.bytes), (None, true, added.bytes));
            let store = Store::open(&url, options()).unwrap();
            let rows = list(&store).await.unwrap();
            assert_eq!((rows.len(), store.operator_caution()), (expected.len(), None));
            assert!(rows.iter().all(|(text, _)| text == "changed"));
        }
    });
}
