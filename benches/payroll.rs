//! Speed of a whole payroll: `cargo bench -p stipend --bench payroll`.
//!
//! A payroll is read, calculated and stored on SQLite, in a file, beside a stream of durable creates for another
//! company, whose waiting times are told. Everybody has one job with hours entered, two benefits, one order of child
//! support, a Form W-4, direct deposit, and works in a state with an income tax. Then the payroll is processed, and
//! another one calculated on top of it. Being slow is never an error here: each figure is printed beside its goal.
//!
//! Options, after `--`: numbers of employees (default 1000 10000 100000), `--rate N` creates a second (default 200),
//! and `--postgres URL` for an empty database of the other engine.

#![allow(clippy::float_arithmetic, clippy::unwrap_used, clippy::expect_used, reason = "figures for people")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use domain::Error;
use domain::SCHEMA;
use domain::access::tokens::Caller;
use domain::company::companies;
use domain::patch::Patch;
use domain::pay::payrolls::rows as payrolls;
use domain::pay::payrolls::rows::{Payroll, Request};
use domain::pay::payrolls::{processing, run};
use domain::people::profiles::commands::CreateEmployee;
use domain::people::{employees, profiles};
use jiff::civil::{Date, date};
use rules::withholding::federal::PayFrequency;
use store::{Clock, Json, MasterKeys, Options, Store, Tx, params};
use uuid::Uuid;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

store::statements! {
    LOCATION = "INSERT INTO locations (company_id, id, phone_number, street_1, city, state, zip, country, mailing_address, \
                filing_address, active, version, created_at, updated_at) \
                VALUES ($1, $2, '2175550142', '4 Cedar Row', 'Springfield', 'IL', '62701', 'USA', true, true, true, 1, $3, $3)";
    COMPANY_BENEFIT = "INSERT INTO company_benefits (company_id, id, benefit_type, active, description, \
                       responsible_for_employer_taxes, responsible_for_employee_w2, version, created_at, updated_at) \
                       VALUES ($1, $2, $3, true, $4, false, false, 1, $5, $5)";
    EMPLOYEE = "INSERT INTO employees (company_id, id, first_name, last_name, search_name, employee_code, date_of_birth, \
                onboarding_status, marked_steps, payment_method, i9_document, onboarded_at, version, created_at, updated_at) \
                VALUES ($1, $2, $3, 'Okafor', $3, $4, $5, 'onboarding_completed', 0, 'Direct Deposit', false, $6, 1, $6, $6)";
    JOB = "INSERT INTO employee_jobs (company_id, employee_id, id, title, hire_date, is_primary, two_percent_shareholder, \
           version, created_at, updated_at) VALUES ($1, $2, $3, 'Cook', $4, true, false, 1, $5, $5)";
    PAY = "INSERT INTO compensations (company_id, employee_id, job_id, id, rate, payment_unit, flsa_status, effective_date, \
           adjust_for_minimum_wage, minimum_wages, version, created_at, updated_at) \
           VALUES ($1, $2, $3, $4, $5, 'Hour', 'Nonexempt', $6, false, $7, 1, $8, $8)";
    WORK = "INSERT INTO work_addresses (company_id, employee_id, id, location_id, effective_date, version, created_at, updated_at) \
            VALUES ($1, $2, $3, $4, $5, 1, $6, $6)";
    W4 = "INSERT INTO employee_federal_taxes (company_id, employee_id, w4_data_type, filing_status, two_jobs, dependents_amount, \
          other_income, deductions, extra_withholding, version, created_at, updated_at) \
          VALUES ($1, $2, 'rev_2020_w4', $3, false, 0, 0, 0, 0, 1, $4, $4)";
    PLAN = "INSERT INTO employee_payment_methods (company_id, employee_id, split_by, splits, version, created_at, updated_at) \
            VALUES ($1, $2, 'Percentage', $3, 1, $4, $4)";
    BENEFIT = "INSERT INTO employee_benefits (company_id, employee_id, company_benefit_id, id, effective_date, active, \
               employee_deduction, deduct_as_percentage, contribution_type, contribution_value, contribution_tiers, elective, catch_up, \
               coverage_salary_multiplier, version, created_at, updated_at) \
               VALUES ($1, $2, $3, $4, $5, true, $6, $7, 'amount', 25000000, $8, false, false, 0, 1, $9, $9)";
    ORDER = "INSERT INTO garnishments (company_id, employee_id, id, active, description, court_ordered, garnishment_type, amount, \
             deduct_as_percentage, pay_period_maximum, recurring, support_state, fips_code, payment_period, case_number, version, \
             created_on, created_at, updated_at) \
             VALUES ($1, $2, $3, true, 'Child support', true, 'child_support', 50000000, true, 300000000, true, 'AL', '01000', \
             'Every other week', 'AL-77', 1, $4, $5, $5)";
    ENTERED = "INSERT INTO payroll_inputs (company_id, payroll_id, employee_id, excluded, inputs, version, updated_at) \
               VALUES ($1, $2, $3, false, $4, 1, $5)";
}

const START: Date = date(2026, 6, 1);
const END: Date = date(2026, 6, 14);
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
        runtime.block_on(measure(count, rate, after("--postgres")));
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

async fn measure(count: usize, rate: u64, postgres: Option<String>) {
    let folder =
        tempfile::Builder::new().prefix("bench-payroll-").tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let url = postgres.unwrap_or_else(|| format!("sqlite:{}", folder.path().join("bench.db").display()));
    let keys = MasterKeys::parse(&"ab".repeat(32)).unwrap();
    let store = Store::open(&url, Options::new(Clock::system(), keys, SCHEMA)).unwrap();
    let (company, location, benefits) = company(&store).await;
    let (other, ..) = self::company(&store).await;
    let [first, second] = [payroll(&store, company, 0).await, payroll(&store, company, 14).await];
    for some in (0..count).collect::<Vec<_>>().chunks(AT_ONCE) {
        let numbers = some.to_vec();
        let make = move |tx: &mut Tx<'_>| {
            numbers
                .iter()
                .try_for_each(|number| employee(tx, company, location, benefits, [first, second], *number))
        };
        store.write(make).await.unwrap();
    }
    // The stream alone first, so that there is something to compare with.
    step(&store, other, rate, count, "stream alone", tokio::time::sleep(Duration::from_secs(2))).await;
    request(&store, company, first).await;
    step(&store, other, rate, count, "calculate", calculate(&store, company, first)).await;
    submit(&store, company, first).await;
    step(&store, other, rate, count, "process", async {
        processing::process(&store, company, first).await.unwrap()
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
    let goal = match name {
        "calculate" | "calculate 2" if count == 100_000 => {
            let met = |good: bool| if good { "yes" } else { "no" };
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
                let caller = Caller::service(company, jiff::tz::TimeZone::UTC);
                let new = CreateEmployee {
                    first_name: Patch::Value("Robin".to_owned()),
                    last_name: Patch::Value("Haddad".to_owned()),
                    ..CreateEmployee::default()
                };
                profiles::service::create(tx, &caller, &new).map(drop)
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

async fn calculate(store: &Store, company: Uuid, payroll: Uuid) {
    run::calculate(store, company, payroll).await.unwrap();
    let told = store.read(move |tx| payrolls::find(tx, company, payroll)).await.unwrap().unwrap();
    assert_eq!(told.request, Some(Request::CalculateSuccess), "{}", told.request_errors);
}

async fn company(store: &Store) -> (Uuid, Uuid, [Uuid; 2]) {
    let made = store.write(|tx| {
        let (id, location, now) = (tx.new_id(), tx.new_id(), tx.now());
        let company = companies::rows::Company {
            company_status: rules::company::Status::Approved,
            is_partner_managed: true,
            time_zone: "America/Chicago".to_owned(),
            ..companies::rows::Company::new(id, "Bench".to_owned(), now)
        };
        companies::rows::insert(tx, &company)?;
        tx.insert(LOCATION, params![id, location, now])?;
        let benefits = [tx.new_id(), tx.new_id()];
        tx.insert(COMPANY_BENEFIT, params![id, benefits[0], 1_i64, "Medical", now])?;
        tx.insert(COMPANY_BENEFIT, params![id, benefits[1], 5_i64, "401(k)", now])?;
        Ok::<_, Error>((id, location, benefits))
    });
    made.await.unwrap()
}

/// A payroll of two weeks, some days after those of the first one.
async fn payroll(store: &Store, company: Uuid, days: i64) -> Uuid {
    let made = store.write(move |tx| {
        let later = |day: Date| day.saturating_add(jiff::Span::new().days(days));
        let new = Payroll::new(
            (tx.new_id(), tx.now()),
            (later(START), later(END)),
            later(date(2026, 6, 19)),
            PayFrequency::EveryOtherWeek,
        );
        payrolls::insert(tx, company, &new)?;
        Ok::<_, Error>(new.id)
    });
    made.await.unwrap()
}

async fn request(store: &Store, company: Uuid, payroll: Uuid) {
    let change = |payroll: &mut Payroll| payroll.request = Some(Request::Calculating);
    changed(store, company, payroll, change).await;
}

async fn submit(store: &Store, company: Uuid, payroll: Uuid) {
    let change = |payroll: &mut Payroll| {
        payroll.request = Some(Request::Submitting);
        payroll.submitted_at = payroll.calculated_at;
    };
    changed(store, company, payroll, change).await;
}

async fn changed(
    store: &Store,
    company: Uuid,
    payroll: Uuid,
    change: impl Fn(&mut Payroll) + Send + 'static,
) {
    let written = store.write(move |tx| {
        let mut one = payrolls::find(tx, company, payroll)?.unwrap();
        change(&mut one);
        assert!(payrolls::update(tx, company, &one)?);
        Ok::<_, Error>(())
    });
    written.await.unwrap();
}

fn employee(
    tx: &mut Tx<'_>,
    company: Uuid,
    location: Uuid,
    benefits: [Uuid; 2],
    entered: [Uuid; 2],
    number: usize,
) -> Result<(), Error> {
    let (id, now, since) = (tx.new_id(), tx.now(), date(2020, 1, 6));
    let number = i64::try_from(number).unwrap();
    let born = tx.seal(employees::rows::place(company, id, "date_of_birth"), b"1980-02-03")?;
    let name = format!("Robin {number}");
    let code = format!("{number:06}");
    tx.insert(EMPLOYEE, params![company, id, &name, &code, &born[..], now])?;
    let (job, pay, work, order) = (tx.new_id(), tx.new_id(), tx.new_id(), tx.new_id());
    let cents = 1_500 + number * 37 % 4_000;
    tx.insert(JOB, params![company, id, job, since, now])?;
    tx.insert(PAY, params![company, id, job, pay, cents * 10_000, since, Json("[]"), now])?;
    tx.insert(WORK, params![company, id, work, location, since, now])?;
    let status = if number % 3 == 0 { "Married" } else { "Single" };
    tx.insert(W4, params![company, id, status, now])?;
    let splits = format!(r#"[{{"account":"{}","priority":1,"amount":100}}]"#, tx.new_id());
    tx.insert(PLAN, params![company, id, Json(&splits), now])?;
    let terms = [(benefits[0], 120_000_000_i64, false), (benefits[1], 5_000_000, true)];
    for (benefit, deduction, percent) in terms {
        let window = tx.new_id();
        tx.insert(
            BENEFIT,
            params![company, id, benefit, window, since, deduction, percent, Json("[]"), now],
        )?;
    }
    tx.insert(ORDER, params![company, id, order, since, now])?;
    let hours = (6_000 + number * 53 % 2_000) * 10_000;
    let lines = format!(r#"{{"hourly":[{{"job":"{job}","kind":"Regular Hours","hours":{hours}}}]}}"#);
    for payroll in entered {
        tx.insert(ENTERED, params![company, payroll, id, Json(&lines), now])?;
    }
    Ok(())
}
