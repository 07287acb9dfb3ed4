//! A file store whose disk fails at each step of a unit of work: the unit is stored whole or not at all, no caller
//! is told otherwise, and later units succeed.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends where it fails")]

#[path = "../../../tests/support/postgres.rs"]
mod postgres_server;
mod support;

use std::sync::{Arc, Mutex};

use store::disk::{Disk, Step, Trouble};
use store::{Error, Store, Tx, params};
use uuid::Uuid;

store::statements! {
    INSERT = "INSERT INTO samples (company_id, id, n) VALUES ($1, $2, $3)";
    COUNT = "SELECT count(*) FROM samples";
}

/// Has one step go wrong; a process that is gone stays so.
#[derive(Default)]
struct Once(Mutex<(usize, Option<(usize, Trouble)>)>);

impl Once {
    fn arm(&self, at: usize, trouble: Trouble) {
        *self.0.lock().unwrap() = (0, Some((at, trouble)));
    }
}

impl Disk for Once {
    fn meet_step(&self, step: Step) -> Result<(), Trouble> {
        let mut state = self.0.lock().unwrap();
        let (met, trouble) = &mut *state;
        let Some((at, what)) = *trouble else { return Ok(()) };
        if step == Step::Read {
            return if what == Trouble::Gone && *met > at { Err(what) } else { Ok(()) };
        }
        *met += 1;
        match what {
            Trouble::Gone if *met > at => Err(what),
            _ if *met == at + 1 && step != Step::Committed => Err(what),
            _ => Ok(()),
        }
    }
}

async fn two_rows(store: &Store) -> Result<(), Error> {
    let unit = |tx: &mut Tx<'_>| {
        for _ in 0..2 {
            let id = tx.new_id();
            tx.insert_row(INSERT, params![Uuid::from_u128(1), id, 7_i64])?;
        }
        Ok(())
    };
    store.write(unit).await
}

async fn count(store: &Store) -> i64 {
    let count = |tx: &mut Tx<'_>| tx.find_row(COUNT, params![], |row| row.get::<i64>(0));
    store.read(count).await.unwrap().unwrap()
}

#[test]
fn a_unit_is_there_whole_or_not_at_all_whatever_step_its_disk_fails_at() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let troubles =
        [Trouble::Full { ended: false }, Trouble::Full { ended: true }, Trouble::Busy, Trouble::Gone];
    // Begin, two changes, the commit, and the moment after it.
    for (trouble, at) in troubles.into_iter().flat_map(|trouble| (0..5).map(move |at| (trouble, at))) {
        let folder = tempfile::tempdir().unwrap();
        let url = support::file_url(folder.path());
        let disk = Arc::new(Once::default());
        let mut options = support::options(support::MIGRATIONS);
        options.disk = Some(Arc::clone(&disk) as Arc<dyn Disk>);
        let store = Store::open(&url, options).unwrap();
        runtime.block_on(two_rows(&store)).unwrap();
        disk.arm(at, trouble);
        let told = runtime.block_on(two_rows(&store));
        // A unit that had to be undone is run again, and may then find room.
        let committed = told.is_ok() || (trouble == Trouble::Gone && at == 4);
        match trouble {
            Trouble::Gone => assert!(told.is_err(), "nobody hears of it"),
            Trouble::Busy => assert!(committed || matches!(told, Err(Error::Busy)), "{told:?} at {at}"),
            Trouble::Full { .. } => {
                assert!(committed || matches!(told, Err(Error::Full)), "{told:?} at {at}")
            }
        }
        assert!(committed || at < 4, "what is committed needs neither room nor time: {trouble:?}");
        // After the end of the process another one opens the file.
        let store = if trouble == Trouble::Gone {
            drop(store);
            support::open(&url)
        } else {
            store
        };
        assert_eq!(runtime.block_on(count(&store)), if committed { 4 } else { 2 }, "{trouble:?} at {at}");
        runtime.block_on(two_rows(&store)).unwrap();
        assert_eq!(runtime.block_on(count(&store)), if committed { 6 } else { 4 }, "{trouble:?} at {at}");
    }
}
