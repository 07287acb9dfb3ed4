//! Speed of a whole payroll: `cargo bench -p stipend --bench payroll`.
//!
//! A payroll is read, calculated and stored on SQLite, in a file, beside a stream of durable creates for another
//! company, whose waiting times are told. Everybody has one job with hours entered, two benefits, one order of child
//! support, a Form W-4, direct deposit, and works in a state with an income tax. Then the payroll is processed, and
//! another one calculated on top of it. Being slow is never an error here: each figure is printed beside its goal.
//!
//! Options, after `--`: numbers of employees (default 1000 10000 100000), `--rate N` creates a second (default 200),
//! and `--postgres URL` for an empty database of the other engine, or `--postgres temporary` for a server of its own,
//! without fsync: `-- 150000 --postgres temporary` is the largest company there.

#![allow(clippy::float_arithmetic, clippy::unwrap_used, clippy::expect_used, reason = "figures for people")]

#[path = "payroll/fixture.rs"]
mod fixture;
#[path = "../tests/support/postgres.rs"]
mod postgres;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use domain::SCHEMA;
use domain::access::tokens::Caller;
use domain::patch::Patch;
use domain::pay::payrolls::closing::processing;
use domain::people::profiles;
use domain::people::profiles::commands::CreateEmployee;
use store::{Clock, MasterKeys, Options, Store, Tx};
use uuid::Uuid;

use fixture::{calculate, company, employee, payroll, request, submit};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Employees made in one unit.
const AT_ONCE: usize = 500;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let after = |name: &str| {
        let at = words.iter().position(|word| word == name)?;
        words.get(at + 1).cloned()
    };
    let rate = after("--rate").and_then(|rate| rate.parse().ok()).unwrap_or(200_u64).clamp(1, 100_000);
    let mut counts = Vec::new();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        match word.parse::<usize>() {
            Ok(count) => counts.push(count),
            Err(_) => drop(rest.next()),
        }
    }
    if counts.is_empty() {
        counts = vec![1_000, 10_000, 100_000];
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    println!(
        "payrolls of one job, two benefits, one order, income tax of a state; {rate} creates a second beside them"
    );
    println!(
        "{:>9}  {:<12} {:>8} {:>8} {:>11} {:>11} {:>9} {:>9} {:>9} {:>9}",
        "employees", "what", "total", "cpu", "each", "cpu each", "own", "mapped", "p50", "p99"
    );
    for count in counts {
        let (server, address) = match after("--postgres").as_deref() {
            Some("temporary") => {
                let Some(server) = postgres::server() else { return };
                (Some(server), Some(server.database()))
            }
            given => (None, given.map(str::to_owned)),
        };
        runtime.block_on(measure(count, rate, address, server));
    }
}

/// Has a server of our own gather statistics of its tables, as any other does by itself within a minute: without any, it sorts all of
/// a company for each page.
fn gather_statistics(server: Option<&postgres::Server>, url: &str) {
    if let Some(server) = server {
        server.run(url, "ANALYZE");
    }
}

/// Seconds of processor time of this process so far.
fn processor() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Megabytes that a line of the process's status tells.
fn megabytes(name: &str) -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with(name)).unwrap_or_default();
    line.split_ascii_whitespace().nth(1).and_then(|kb| kb.parse::<f64>().ok()).unwrap_or(0.0) / 1024.0
}

/// The most memory of this process while something was done, in megabytes.
#[derive(Clone, Copy, Default)]
struct Peak {
    /// what it allocated
    own: f64,
    /// pages of the file that the engine has mapped: they are the system's cache, which takes them back when it needs them
    mapped: f64,
}

/// Looks at the memory of this process until it is told to stop.
fn watch_memory(stop: Arc<AtomicBool>) -> std::thread::JoinHandle<Peak> {
    std::thread::spawn(move || {
        let mut peak = Peak::default();
        while !stop.load(Ordering::Relaxed) {
            peak.own = peak.own.max(megabytes("RssAnon:"));
            peak.mapped = peak.mapped.max(megabytes("RssFile:"));
            std::thread::sleep(Duration::from_millis(10));
        }
        peak
    })
}

async fn measure(count: usize, rate: u64, postgres: Option<String>, server: Option<&postgres::Server>) {
    let folder =
        tempfile::Builder::new().prefix("bench-payroll-").tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let url = postgres.unwrap_or_else(|| format!("sqlite:{}", folder.path().join("bench.db").display()));
    let keys = MasterKeys::parse(&"ab".repeat(32)).unwrap();
    let store = Store::open(&url, Options::new(Clock::from_system(), keys, SCHEMA)).unwrap();
    let (company, location, benefits) = company(&store).await;
    let (other, ..) = fixture::company(&store).await;
    let [first, second] = [payroll(&store, company, 0).await, payroll(&store, company, 14).await];
    for some in (0..count).collect::<Vec<_>>().chunks(AT_ONCE) {
        let numbers = some.to_vec();
        let make = move |tx: &mut Tx<'_>| {
            numbers
                .iter()
                .try_for_each(|number| employee(tx, company, location, benefits, &[first, second], *number))
        };
        store.write(make).await.unwrap();
    }
    gather_statistics(server, &url);
    // The stream alone first, so that there is something to compare with.
    step(&store, other, rate, count, "stream alone", tokio::time::sleep(Duration::from_secs(2))).await;
    request(&store, company, first).await;
    step(&store, other, rate, count, "calculate", calculate(&store, company, first)).await;
    submit(&store, company, first).await;
    step(&store, other, rate, count, "process", async {
        processing::process_payroll(&store, company, first).await.unwrap()
    })
    .await;
    request(&store, company, second).await;
    step(&store, other, rate, count, "calculate 2", calculate(&store, company, second)).await;
}

/// Does something beside the stream, and prints what it took.
async fn step(
    store: &Store,
    other: Uuid,
    rate: u64,
    count: usize,
    name: &str,
    work: impl std::future::Future<Output = ()>,
) {
    let stop = Arc::new(AtomicBool::new(false));
    let memory = watch_memory(Arc::clone(&stop));
    let stream = tokio::spawn(stream(store.clone(), other, rate, Arc::clone(&stop)));
    let (started, spent) = (Clock::monotonic(), processor());
    work.await;
    let took = Clock::monotonic().saturating_sub(started).as_secs_f64();
    let cpu = processor() - spent;
    stop.store(true, Ordering::Relaxed);
    let peak = memory.join().unwrap();
    let mut waits = stream.await.unwrap();
    waits.sort_unstable();
    let at = |part: f64| {
        let place = (waits.len() as f64 * part) as usize;
        waits.get(place.min(waits.len().saturating_sub(1))).map_or(0.0, |wait| wait.as_secs_f64() * 1e3)
    };
    let met = |good: bool| if good { "yes" } else { "no" };
    let goal = match name {
        "calculate" | "process" | "calculate 2" if count == 150_000 => {
            format!("  (15 s: {}, 200 MB of its own: {})", met(took <= 15.0), met(peak.own < 200.0))
        }
        "calculate" | "calculate 2" if count == 100_000 => {
            format!(
                "  (5 s: {}, 3 s: {}, 200 MB of its own: {}, p99 50 ms: {})",
                met(took <= 5.0),
                met(took <= 3.0),
                met(peak.own < 200.0),
                met(at(0.99) < 50.0)
            )
        }
        _ => String::new(),
    };
    println!(
        "{count:>9}  {name:<12} {took:>6.2} s {cpu:>6.2} s {:>8.1} us {:>8.1} us {:>6.0} MB {:>6.0} MB {:>6.2} ms {:>6.2} ms{goal}",
        took / count as f64 * 1e6,
        cpu / count as f64 * 1e6,
        peak.own,
        peak.mapped,
        at(0.5),
        at(0.99),
    );
}

/// Creates employees of another company, each at its time whether those before are done or not; how long each waited.
async fn stream(store: Store, company: Uuid, rate: u64, stop: Arc<AtomicBool>) -> Vec<Duration> {
    let mut tick = tokio::time::interval(Duration::from_micros(1_000_000 / rate));
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Burst);
    let mut running = Vec::new();
    let begun = Clock::monotonic();
    for number in 0.. {
        tick.tick().await;
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let due = begun + tick.period() * number;
        let store = store.clone();
        running.push(tokio::spawn(async move {
            let create = move |tx: &mut Tx<'_>| {
                let caller = Caller::for_service(company, jiff::tz::TimeZone::UTC);
                let new = CreateEmployee {
                    first_name: Patch::Value("Robin".to_owned()),
                    last_name: Patch::Value("Haddad".to_owned()),
                    ..CreateEmployee::default()
                };
                profiles::service::create_employee(tx, &caller, &new).map(drop)
            };
            store.write(create).await.unwrap();
            Clock::monotonic().saturating_sub(due)
        }));
    }
    let mut waits = Vec::new();
    for one in running {
        waits.push(one.await.unwrap());
    }
    waits
}
