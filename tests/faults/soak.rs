//! R17: a mixed load without end. Reads, lists, changes with keys, repetitions of them, payrolls now and then, and a
//! receiver of webhooks, while the test clock goes on by hours, so that months pass and what is kept for days is swept
//! away. Three quarters of a minute; twenty minutes with STIPEND_LONG=1; or as many seconds as STIPEND_SOAK_SECONDS
//! says.
//!
//! Every round makes the same requests and moves the clock by the same time, so that what is kept for a number of days
//! comes to a number of rows and stays there. The first half is the warm-up. Over the second half, by least squares:
//!
//! * memory grows by at most [`MEMORY_A_ROUND`] for each round, beside what is cached of a larger file;
//! * open files grow by less than one in all;
//! * rows of events, deliveries, tries and stored answers grow by less than a twentieth, although as many are made as swept;
//! * the file grows by no more than the rows account for that are kept for good (records, audit entries, finished work).
//!
//! And always: the write-ahead log stays below its bound, and the oldest row of each kind is no older than it may be.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use domain::SCHEMA;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use store::{Clock, MasterKeys, Options, Sql, Store, params};

use crate::binary::Running;
use crate::disk::create;
use crate::receiver::Receiver;
use crate::world::{Home, call, memory, subscribe, until};

store::statements! {
    EVENTS = "SELECT count(*), min(created_at) FROM events";
    DELIVERIES = "SELECT count(*), min(finished_at) FROM deliveries";
    TRIES = "SELECT count(*), min(at) FROM delivery_tries";
    ANSWERS = "SELECT count(*), min(created_at) FROM idempotency";
    JOBS = "SELECT count(*), min(finished_at) FROM jobs";
    AUDIT = "SELECT count(*), min(created_at) FROM audit";
    PEOPLE = "SELECT count(*), min(created_at) FROM employees";
}

/// What is swept: how old its rows may become, in days: as long as they are kept, and until the next sweep.
const SWEPT: [(&str, Sql, i64); 4] =
    [("events", EVENTS, 31), ("deliveries", DELIVERIES, 2), ("tries", TRIES, 2), ("answers", ANSWERS, 2)];

/// When it begins by the test clock, which stands still but for what each round moves it by. It ends within the year,
/// for which tax tables are held.
const BEGIN: &str = "2026-01-05T17:00:00Z";
const WITHIN_DAYS: u64 = 340;
/// At least: what is kept for thirty days is swept during the whole second half.
const LEAST_DAYS: u64 = 90;
/// Who changes things, each somebody else.
const WRITERS: usize = 4;
/// Bytes for each round that would be a leak: less than one object for each of its forty requests.
const MEMORY_A_ROUND: i64 = 1_024;
/// Bytes of a row that is kept for good, with its indexes, at most.
const KEPT_ROW: i64 = 2_048;
/// The write-ahead log: it is copied back from 64 MiB on, while more comes in, and past twice that the writer waits.
const LOG: i64 = 132 << 20;

/// What was seen at one moment.
#[derive(Clone)]
struct Sample {
    round: i64,
    memory: i64,
    files: i64,
    log: i64,
    store: i64,
    swept: [i64; 4],
    kept: i64,
}

/// Growth over the rounds of some samples, by least squares: the slope times the distance.
fn growth(samples: &[Sample], of: impl Fn(&Sample) -> i64) -> i64 {
    let count = i128::try_from(samples.len()).unwrap();
    let point = |sample: &Sample| (i128::from(sample.round), i128::from(of(sample)));
    let (mut x, mut y, mut xy, mut xx) = (0, 0, 0, 0);
    for (one, other) in samples.iter().map(point) {
        (x, y, xy, xx) = (x + one, y + other, xy + one * other, xx + one * one);
    }
    let distance = i128::from(samples.last().unwrap().round - samples[0].round);
    i64::try_from(distance * (count * xy - x * y) / (count * xx - x * x)).unwrap()
}

/// The store, looked at beside the service.
struct Look {
    store: Store,
    runtime: tokio::runtime::Runtime,
    path: String,
}

impl Look {
    fn new(home: &Home) -> Self {
        let keys = MasterKeys::parse(&std::fs::read_to_string(home.key_file()).unwrap()).unwrap();
        let mut options = Options::new(Clock::from_system(), keys, SCHEMA);
        options.threads = Some(1);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let path = home.url().strip_prefix("sqlite:").unwrap().to_owned();
        Self { store: Store::open(&home.url(), options).unwrap(), runtime, path }
    }

    /// How many rows, and the oldest.
    fn rows(&self, sql: Sql) -> (i64, Option<Timestamp>) {
        let read = self.store.read(move |tx| tx.find_row(sql, params![], |row| (row.get(0), row.get(1))));
        self.runtime.block_on(read).unwrap_or_else(|error: store::Error| panic!("{error}")).unwrap()
    }

    fn sample(&self, round: i64, pid: u32) -> Sample {
        let size = |path: &str| std::fs::metadata(path).map_or(0, |file| file.len().cast_signed());
        let files = std::fs::read_dir(format!("/proc/{pid}/fd")).unwrap().count();
        Sample {
            round,
            memory: memory(pid).cast_signed() << 10,
            files: i64::try_from(files).unwrap(),
            log: size(&format!("{}-wal", self.path)),
            store: size(&self.path),
            swept: SWEPT.map(|(_, sql, _)| self.rows(sql).0),
            kept: [AUDIT, PEOPLE, JOBS].map(|sql| self.rows(sql).0).iter().sum(),
        }
    }
}

/// Forty requests, the same in every round but for what they write.
fn round(service: &Running, people: &[String], number: usize, step: Duration, requests: &AtomicUsize) {
    let bearer = format!("Bearer {}", service.token());
    let employees = format!("/v1/companies/{}/employees", service.company());
    let ask = |method: &str, path: &str, more: &str, body: &str| -> Value {
        requests.fetch_add(1, Ordering::Relaxed);
        call(service, &format!("{bearer}{more}"), method, path, body)
    };
    std::thread::scope(|scope| {
        for (writer, person) in people.iter().enumerate().take(WRITERS) {
            let (ask, employees, path) = (&ask, &employees, format!("/v1/employees/{person}"));
            scope.spawn(move || {
                let version = ask("GET", &path, "", "")["version"].clone();
                let name = if number.is_multiple_of(2) { "Sam" } else { "Alex" };
                let body = json!({ "version": version, "preferred_first_name": name }).to_string();
                let key = format!("\r\nidempotency-key: soak-{number}-{writer}");
                let first = ask("PUT", &path, &key, &body);
                assert_eq!(ask("PUT", &path, &key, &body), first, "the same answer again");
                for _ in 0..6 {
                    ask("GET", &path, "", "");
                }
                ask("GET", &format!("{employees}?per=25"), "", "");
            });
        }
    });
    if number.is_multiple_of(10) {
        requests.fetch_add(1, Ordering::Relaxed);
        assert_eq!(create(service, &format!("soak-{number}")).unwrap().0, 201);
    }
    if number.is_multiple_of(40) {
        let payrolls = format!("/v1/companies/{}/payrolls", service.company());
        let open = ask("GET", &format!("{payrolls}?processing_statuses=unprocessed"), "", "");
        let path = format!("{payrolls}/{}", open[0]["uuid"].as_str().unwrap());
        ask("PUT", &format!("{path}/calculate"), "", "{}");
        until("the payroll was calculated", || {
            let told = ask("GET", &path, "", "");
            let request = &told["processing_request"];
            let known = ["calculating", "calculate_success"].map(Value::from).contains(&request["status"]);
            assert!(known, "round {number}: {request}");
            request["status"] == "calculate_success"
        });
    }
    let step = json!({ "seconds": step.as_secs() }).to_string();
    ask("POST", "/v1/test_helpers/clock/advance", "", &step);
}

#[test]
fn r17_under_a_load_without_end_nothing_grows_but_what_is_kept() {
    let seconds = std::env::var("STIPEND_SOAK_SECONDS").ok().map(|text| text.parse().unwrap());
    let time = Duration::from_secs(seconds.unwrap_or(if crate::long() { 1_200 } else { 45 }));
    // Long runs make more rounds in as many months, and leave the machine to others, too.
    let (step, pause) = if time > Duration::from_secs(120) { (1, 150) } else { (6, 0) };
    let (step, pause) = (Duration::from_hours(step), Duration::from_millis(pause));
    let (home, receiver, requests) = (Home::new(), Receiver::new(), AtomicUsize::new(0));
    let service = Running::dev_with(
        &["--database-url", &home.url(), "--clock", BEGIN],
        &[("STIPEND_DELIVERY_DAYS", "1")],
    );
    subscribe(&service, &receiver);
    let people: Vec<_> =
        (0..WRITERS).map(|number| create(&service, &format!("person-{number}")).unwrap().1).collect();
    let look = Look::new(&home);
    let (begun, mut samples, mut number) = (Clock::monotonic(), Vec::new(), 0);
    let mut next = Duration::ZERO;
    loop {
        let now = Clock::monotonic() - begun;
        if now >= next {
            samples.push(look.sample(i64::try_from(number).unwrap(), service.pid()));
            next += time / 100;
        }
        let days = step.as_secs() * number as u64 / 86_400;
        if days >= WITHIN_DAYS || now >= time && days >= LEAST_DAYS {
            break;
        }
        round(&service, &people, number, step, &requests);
        number += 1;
        std::thread::sleep(pause);
    }
    let bearer = format!("Bearer {}", service.token());
    let clock = call(&service, &bearer, "GET", "/v1/test_helpers/clock", "");
    let clock: Timestamp = clock["now"].as_str().unwrap().parse().unwrap();
    report(&samples, requests.into_inner(), clock);
    let ages = SWEPT.map(|(name, sql, most)| (name, look.rows(sql).1, most));
    holds(&samples, clock, step, &ages);
    assert_eq!(service.stop().0, Some(0));
}

fn report(samples: &[Sample], requests: usize, clock: Timestamp) {
    let (first, last) = (&samples[0], &samples[samples.len() - 1]);
    println!("R17: {} rounds, {requests} requests, to {clock:.0} by the test clock", last.round);
    for sample in samples.iter().step_by(samples.len().div_ceil(8)).chain([last]) {
        println!(
            "R17: round {:>6}: {:>4} MB of memory, {} open files, log {} MB, store {} MB, {:?} rows that are swept, {} that are kept",
            sample.round,
            sample.memory >> 20,
            sample.files,
            sample.log >> 20,
            sample.store >> 20,
            sample.swept,
            sample.kept - first.kept
        );
    }
}

fn holds(samples: &[Sample], clock: Timestamp, step: Duration, ages: &[(&str, Option<Timestamp>, i64)]) {
    let half = &samples[samples.len() / 2..];
    let rounds = half[half.len() - 1].round - half[0].round;
    let memory = growth(half, |sample| sample.memory);
    let (store, kept) = (growth(half, |sample| sample.store), growth(half, |sample| sample.kept));
    let files = growth(half, |sample| sample.files * 100);
    let log = samples.iter().map(|sample| sample.log).max().unwrap();
    let swept: Vec<_> = (0..SWEPT.len())
        .map(|at| (SWEPT[at].0, growth(half, |sample| sample.swept[at]), half[0].swept[at]))
        .collect();
    println!(
        "R17: over the second half ({rounds} rounds): memory {} kB, open files {files} hundredths, store {} kB with {kept} rows \
         that are kept, log {} MB at most; rows that are swept {swept:?}",
        memory >> 10,
        store >> 10,
        log >> 20
    );
    // What the file grows by may lie in memory, too; and the allocator takes memory in steps of some megabytes, one of
    // which may fall into the second half of a short run.
    assert!(memory < MEMORY_A_ROUND * rounds + store.max(0) + (12 << 20), "memory grows: {memory}");
    assert!(files < 100, "open files grow: {files}");
    assert!(log < LOG, "the log grows to {log}");
    assert!(store < KEPT_ROW * kept + (2 << 20), "the file grows by {store} for {kept} rows");
    for (name, grown, before) in swept {
        assert!(grown < before / 20 + 50, "{name} grow by {grown} from {before}");
    }
    for (name, oldest, days) in ages {
        let most = SignedDuration::from_hours(days * 24) + SignedDuration::try_from(step).unwrap();
        let oldest = oldest.unwrap_or_else(|| panic!("no {name} at all"));
        assert!(clock.duration_since(oldest) < most, "{name} of {oldest} at {clock}");
    }
}
