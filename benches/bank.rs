//! Speed of a file for the bank: `cargo bench -p stipend --bench bank`.
//!
//! Payments that are ready become a file: it is recorded, written into the folder, given, and marked. Being slow is never an error
//! here: each figure is printed beside its goal, 100,000 payments in 2 s.
//!
//! Options, after `--`: numbers of payments (default 1000 100000), and `--postgres URL` for an empty database of the other engine.

#![allow(clippy::float_arithmetic, clippy::unwrap_used, clippy::expect_used, reason = "figures for people")]

use domain::money::bank::settings;
use domain::money::bank::settings::{Debit, Terms};
use domain::money::batches::lifecycle;
use domain::money::files::Taker;
use domain::money::files::{self, compose};
use domain::money::ledger::purpose::Subject;
use domain::money::ledger::rows;
use domain::money::ledger::rows::{Batch, BatchKind, BatchState, Entry, EntryState};
use domain::{Error, SCHEMA};
use jiff::civil::{date, time};
use store::{Clock, MasterKeys, Options, Store, Tx};
use uuid::Uuid;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Payments that are made in one unit.
const AT_ONCE: i64 = 500;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let at = words.iter().position(|word| word == "--postgres");
    let postgres = at.and_then(|at| words.get(at + 1).cloned());
    let mut counts: Vec<i64> = words.iter().filter_map(|word| word.parse().ok()).collect();
    if counts.is_empty() {
        counts = vec![1_000, 100_000];
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    println!("{:>9}  {:>9} {:>9} {:>9} {:>9}", "payments", "recorded", "staged", "given", "in all");
    let folder =
        tempfile::Builder::new().prefix("bench-bank-").tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let url = postgres.unwrap_or_else(|| format!("sqlite:{}", folder.path().join("bench.db").display()));
    let keys = MasterKeys::parse(&"ab".repeat(32)).unwrap();
    let store = Store::open(&url, Options::new(Clock::from_system(), keys, SCHEMA)).unwrap();
    let spool = folder.path().join("spool");
    std::fs::create_dir(&spool).unwrap();
    let terms = terms(spool.display().to_string());
    runtime.block_on(async {
        store.write(move |tx| settings::replace_settings(tx, &terms, None)).await.unwrap();
        for count in counts {
            measure(&store, count).await;
        }
    });
}

async fn measure(store: &Store, count: i64) {
    ready(store, count).await;
    let mut marks = vec![Clock::monotonic()];
    let next = store.write(compose::next).await.unwrap().unwrap();
    marks.push(Clock::monotonic());
    let file = files::stage_file(store, next).await.unwrap();
    marks.push(Clock::monotonic());
    files::give_file(store, &file).await.unwrap();
    store.write(move |tx| files::record_file_written(tx, file.id, Taker::Tool)).await.unwrap();
    marks.push(Clock::monotonic());
    let seconds = |from: usize, to: usize| marks[to].saturating_sub(marks[from]).as_secs_f64();
    let met = if seconds(0, 3) < 2.0 { "yes" } else { "no" };
    let goal = if count == 100_000 { format!("  (2 s: {met})") } else { String::new() };
    println!(
        "{count:>9}  {:>7.2} s {:>7.2} s {:>7.2} s {:>7.2} s{goal}",
        seconds(0, 1),
        seconds(1, 2),
        seconds(2, 3),
        seconds(0, 3)
    );
}

/// A batch of so many payments that may go into a file.
async fn ready(store: &Store, count: i64) {
    let made = store.write(|tx| {
        let (company, payroll) = (tx.new_id(), Subject::of_payroll(tx.new_id(), date(2026, 6, 18)));
        rows::lock_payroll_batches(tx, company, payroll.id)?;
        let batch = lifecycle::new_batch(tx, payroll, BatchKind::Again);
        let whole = domain::company::companies::rows::Company::new(company, "Bench".to_owned(), tx.now());
        domain::company::companies::rows::insert_company(tx, &whole)?;
        batch.insert(tx, company)?;
        Ok::<_, Error>((company, batch))
    });
    let (company, made) = made.await.unwrap();
    let mut after = 0;
    while after < count {
        let (batch, last) = (made.clone(), count.min(after + AT_ONCE));
        let some = move |tx: &mut Tx<'_>| {
            rows::lock_payroll_batches(tx, company, batch.payroll)?;
            (after + 1..=last).try_for_each(|place| payment(tx, company, &batch, place))
        };
        store.write(some).await.unwrap();
        after = last;
    }
    let whole = move |tx: &mut Tx<'_>| {
        rows::lock_payroll_batches(tx, company, made.payroll)?;
        let ready = Batch { state: BatchState::Ready, due: Some(tx.now()), entries: count, ..made.clone() };
        let whole = Batch { cents: count * (count + 1) / 2, largest: count, ..ready };
        assert!(whole.update(tx, company)?);
        Ok::<_, Error>(())
    };
    store.write(whole).await.unwrap();
}

/// The payment at a place, of so many cents.
fn payment(tx: &mut Tx<'_>, company: Uuid, batch: &Batch, place: i64) -> Result<(), Error> {
    let new = lifecycle::new_entry(tx, batch, place, "Robin Haddad");
    let mut entry = Entry { place: Some(place), state: EntryState::Sent, ..new };
    entry.seal_fields(tx, company, ("021000021", &(1_000_000 + place).to_string()), None)?;
    Ok(entry.insert(tx, company)?)
}

/// Settings of a bank that does not exist.
fn terms(folder: String) -> Terms {
    Terms {
        company_id: "1999999999".to_owned(),
        company_name: None,
        bank_routing: "091000019".to_owned(),
        bank_name: "FIRST EXAMPLE BANK".to_owned(),
        origin: " 091000019".to_owned(),
        origin_name: "STIPEND".to_owned(),
        first_modifier: 'A',
        folder,
        cut_off: time(16, 0, 0, 0),
        same_day: false,
        deposit_taxes: false,
        debit: Debit::Company,
        offset_routing: None,
        file_limit: None,
        company_limit: None,
        day_limit: None,
        approval_above: None,
        wire: None,
    }
}
