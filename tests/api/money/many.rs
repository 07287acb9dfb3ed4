//! More payments than are read at once, in one file. STIPEND_LONG=1 makes it a hundred thousand, and tells how long each step takes.

use domain::money::batches::lifecycle;
use std::time::Duration;

use ach::read::read_entries;
use domain::Error;
use domain::money::files::Taker;
use domain::money::files::{self, compose};
use domain::money::ledger::purpose::Subject;
use domain::money::ledger::rows::{self, Batch, BatchKind, BatchState, Entry, EntryState};
use jiff::civil::date;
use store::{Clock, Tx};
use uuid::Uuid;

use super::{BANKS, bank, files_in};
use crate::support::{Engine, World, on_both_engines};

/// Entries that are made in one unit.
const AT_ONCE: i64 = 500;

/// The payment at a place, of so many cents.
fn entry(tx: &mut Tx<'_>, company: Uuid, batch: &Batch, place: i64) -> Result<Entry, Error> {
    let mut entry = Entry {
        place: Some(place),
        receiver: format!("E-{place}"),
        state: EntryState::Sent,
        ..lifecycle::new_entry(tx, batch, place, "Ana Silva")
    };
    entry.seal_fields(tx, company, (BANKS[0], &number(place)), None)?;
    Ok(entry)
}

fn number(place: i64) -> String {
    format!("{}", 1_000_000 + place)
}

/// A batch of so many payments that may go into a file.
async fn ready(world: &World, company: Uuid, many: i64) {
    let store = &world.app.store;
    let fine = |error: Error| -> Batch { panic!("{error:?}") };
    let made = store.write(move |tx| {
        let payroll = Subject::of_payroll(tx.new_id(), date(2026, 6, 18));
        let batch = lifecycle::new_batch(tx, payroll, BatchKind::Again);
        rows::lock_payroll_batches(tx, company, batch.payroll)?;
        batch.insert(tx, company)?;
        Ok(batch)
    });
    let made = made.await.unwrap_or_else(fine);
    let mut after = 0;
    while after < many {
        let (batch, last) = (made.clone(), many.min(after + AT_ONCE));
        let some = store.write(move |tx| {
            rows::lock_payroll_batches(tx, company, batch.payroll)?;
            for place in after + 1..=last {
                entry(tx, company, &batch, place)?.insert(tx, company)?;
            }
            Ok(batch.clone())
        });
        some.await.unwrap_or_else(fine);
        after = last;
    }
    let whole = store.write(move |tx| {
        rows::lock_payroll_batches(tx, company, made.payroll)?;
        let mut batch =
            Batch { state: BatchState::Ready, due: Some(tx.now()), entries: many, ..made.clone() };
        (batch.cents, batch.largest) = (many * (many + 1) / 2, many);
        assert!(batch.update(tx, company)?);
        Ok(batch)
    });
    whole.await.unwrap_or_else(fine);
}

#[test]
fn a_batch_of_more_payments_than_are_read_at_once_is_in_its_file_whole() {
    let many = if std::env::var_os("STIPEND_LONG").is_some() { 100_000 } else { 2_100 };
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let folder = bank(&world, |_| {}).await;
        let company = world.company().await;
        ready(&world, company.id, many).await;
        let store = &world.app.store;
        let mut marks = vec![Clock::monotonic()];
        let file = store.write(compose::next).await;
        let file = file.unwrap_or_else(|error: Error| panic!("{error:?}")).unwrap();
        marks.push(Clock::monotonic());
        let file = files::stage_file(store, file).await.unwrap();
        marks.push(Clock::monotonic());
        files::give_file(store, &file).await.unwrap();
        let id = file.id;
        let written = store.write(move |tx| files::record_file_written(tx, id, Taker::Tool)).await;
        written.unwrap_or_else(|error: Error| panic!("{error:?}"));
        marks.push(Clock::monotonic());
        let took: Vec<Duration> = marks.windows(2).map(|two| two[1].saturating_sub(two[0])).collect();
        println!(
            "{many} payments: recorded in {:?}, staged in {:?}, given in {:?}",
            took[0], took[1], took[2]
        );

        let files = files_in(folder.path());
        assert_eq!(files.len(), 1);
        assert_eq!(compose::sha256_hex(&files[0].1), file.digest);
        let entries = read_entries(&files[0].1).unwrap();
        assert_eq!(entries.len() as i64, many);
        for (place, entry) in (1..).zip(&entries) {
            let trace = format!("09100001{place:07}");
            let expected = (number(place), place.unsigned_abs(), trace);
            assert_eq!((entry.account.clone(), entry.cents, entry.trace.clone()), expected);
        }
    });
}
