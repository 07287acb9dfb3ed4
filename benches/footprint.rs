//! What stored payrolls weigh: `cargo bench -p stipend --bench footprint`.
//!
//! On a temporary PostgreSQL server, companies of 25 employees are paid some times over; how many bytes (rows and indexes) and
//! how many rows each table has is asked after half of the payrolls and at the end. From the difference follows what one
//! paycheck adds for good, and from that what a year of a large population comes to: docs/performance.md, What growth costs.
//!
//! Options, after `--`: `--companies N` (default 40) and `--payrolls N`, an even number (default 6).

#![allow(clippy::float_arithmetic, clippy::unwrap_used, clippy::expect_used, reason = "figures for people")]

#[path = "payroll/fixture.rs"]
mod fixture;
#[path = "../tests/support/postgres.rs"]
mod postgres;

use std::collections::BTreeMap;
use std::process::{Command, Stdio};

use domain::SCHEMA;
use domain::pay::payrolls::closing::processing;
use store::{Clock, MasterKeys, Options, Store, Tx};
use uuid::Uuid;

/// Employees of each company: ten million in 400,000 companies.
const EACH: usize = 25;
/// The population that the sum is made for.
const PEOPLE: f64 = 10_000_000.0;
/// Payrolls of a year, one each second week.
const A_YEAR: f64 = 26.0;
/// A table as the server counts it: with its indexes, and what is stored apart.
const SIZES: &str = "SELECT c.relname, pg_total_relation_size(c.oid), (xpath('/row/n/text()', query_to_xml(format('SELECT count(*) AS n \
                     FROM %I', c.relname), false, true, '')))[1]::text FROM pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace \
                     WHERE c.relkind = 'r' AND s.nspname = 'public' ORDER BY 1";

/// Bytes and rows of each table.
type Sizes = BTreeMap<String, (f64, f64)>;

fn sizes(url: &str) -> Sizes {
    let psql = postgres::binaries().unwrap().join("psql");
    // Room that only waits to be used again is no growth.
    let vacuum = ["-X", "-q", "-d", url, "-c", "VACUUM FULL"];
    assert!(Command::new(&psql).args(vacuum).stdin(Stdio::null()).status().unwrap().success());
    let asked = Command::new(&psql)
        .args(["-X", "-q", "-A", "-t", "-F", " ", "-d", url, "-c", SIZES])
        .output()
        .unwrap();
    assert!(asked.status.success(), "{}", String::from_utf8_lossy(&asked.stderr));
    let told = String::from_utf8(asked.stdout).unwrap();
    let line = |line: &str| {
        let [table, bytes, rows] = line.split(' ').collect::<Vec<_>>().try_into().unwrap();
        (table.to_owned(), (bytes.parse().unwrap(), rows.parse().unwrap()))
    };
    told.lines().map(line).collect()
}

/// A company whose people are paid by some payrolls.
struct Paid {
    id: Uuid,
    payrolls: Vec<Uuid>,
}

async fn make(store: &Store, payrolls: usize) -> Paid {
    let (id, location, benefits) = fixture::company(store).await;
    let mut entered = Vec::new();
    for number in 0..payrolls {
        entered.push(fixture::payroll(store, id, i64::try_from(number).unwrap() * 14).await);
    }
    let all = entered.clone();
    let people = store.write(move |tx: &mut Tx<'_>| {
        (0..EACH).try_for_each(|number| fixture::employee(tx, id, location, benefits, &all, number))
    });
    people.await.unwrap();
    Paid { id, payrolls: entered }
}

async fn pay(store: &Store, company: &Paid, number: usize) {
    let payroll = company.payrolls[number];
    fixture::request(store, company.id, payroll).await;
    fixture::calculate(store, company.id, payroll).await;
    fixture::submit(store, company.id, payroll).await;
    processing::process_payroll(store, company.id, payroll).await.unwrap();
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let after = |name: &str, usual: usize| {
        let at = words.iter().position(|word| word == name);
        at.and_then(|at| words.get(at + 1)?.parse().ok()).unwrap_or(usual)
    };
    let (companies, payrolls) = (after("--companies", 40), after("--payrolls", 6).max(2) / 2 * 2);
    let Some(server) = postgres::server() else { return };
    let url = server.database();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let keys = MasterKeys::parse(&"ab".repeat(32)).unwrap();
    let store = Store::open(&url, Options::new(Clock::from_system(), keys, SCHEMA)).unwrap();
    let mut stages = vec![sizes(&url)];
    runtime.block_on(async {
        let mut all = Vec::new();
        for _ in 0..companies {
            all.push(make(&store, payrolls).await);
        }
        stages.push(sizes(&url));
        for half in [0..payrolls / 2, payrolls / 2..payrolls] {
            for number in half {
                for company in &all {
                    pay(&store, company, number).await;
                }
            }
            stages.push(sizes(&url));
        }
    });
    tell(&stages, companies, payrolls);
}

fn tell(stages: &[Sizes], companies: usize, payrolls: usize) {
    let people = (companies * EACH) as f64;
    let paychecks = people * (payrolls / 2) as f64;
    let [empty, made, half, paid] = stages else { unreachable!("four stages") };
    println!(
        "{companies} companies of {EACH}, {payrolls} payrolls; bytes with indexes, in rows of each table\n"
    );
    println!("{:<28} {:>16} {:>9} {:>16} {:>9}", "table", "an employee", "rows", "a paycheck", "rows");
    let (mut standing, mut growing) = ((0.0, 0.0), (0.0, 0.0));
    for (table, (bytes, rows)) in paid {
        let at = |stage: &Sizes| stage.get(table).copied().unwrap_or_default();
        // What was entered for the payrolls to come is there from the beginning: it belongs to paychecks.
        let entered = table == "payroll_inputs";
        let share = if entered { people * payrolls as f64 } else { people };
        let once = ((at(made).0 - at(empty).0) / share, (at(made).1 - at(empty).1) / share);
        let each = ((bytes - at(half).0) / paychecks, (rows - at(half).1) / paychecks);
        let (once, each) = if entered { ((0.0, 0.0), once) } else { (once, each) };
        if once.0 + each.0 >= 1.0 {
            println!("{table:<28} {:>14.0} B {:>9.2} {:>14.0} B {:>9.2}", once.0, once.1, each.0, each.1);
        }
        standing = (standing.0 + once.0, standing.1 + once.1);
        growing = (growing.0 + each.0, growing.1 + each.1);
    }
    println!(
        "{:<28} {:>14.0} B {:>9.2} {:>14.0} B {:>9.2}\n",
        "together", standing.0, standing.1, growing.0, growing.1
    );
    let year = (growing.0 * A_YEAR * PEOPLE, growing.1 * A_YEAR * PEOPLE);
    println!("ten million employees, paid each second week:");
    println!("  {:.2} TB stand, and {:.2} TB come each year", standing.0 * PEOPLE / 1e12, year.0 / 1e12);
    println!(
        "  {:.1} thousand million rows stand, and {:.1} come each year",
        standing.1 * PEOPLE / 1e9,
        year.1 / 1e9
    );
    println!("  {:.0} million paychecks a year, {:.0} rows each", A_YEAR * PEOPLE / 1e6, growing.1);
}
