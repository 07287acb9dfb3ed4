//! How long it takes to find an occupation, to open the reference data, and how much memory they take.
//!
//! ```text
//! cargo bench -p stipend --bench search
//! ```
//!
//! The queries are those of `tests/search/queries.csv`, every beginning of them from three letters on (somebody types),
//! and each with one letter left out. Every query is answered five times, and the quickest counts: what else runs on
//! the machine is not asked about.

#![allow(clippy::unwrap_used, reason = "a bench that meets what it does not expect ends")]

use std::time::Duration;

use domain::platform::reference::{Dataset, Vintage};
use domain::salary::occupations::data::Occupations;
use domain::salary::wages::statistics::Statistics;
use domain::salary::wages::zip_areas::ZipAreas;
use store::Clock;

const QUERIES: &str = include_str!("../tests/search/queries.csv");

fn queries() -> Vec<(&'static str, Vec<String>)> {
    let whole: Vec<&str> = QUERIES.lines().skip(1).filter_map(|line| line.split(',').next()).collect();
    let beginnings = whole.iter().flat_map(|query| (3..query.len()).map(|end| query[..end].to_owned()));
    let misspelt = whole.iter().flat_map(|query| {
        (1..query.len())
            .map(|at| format!("{}{}", &query[..at], &query[at + 1..]))
            .filter(|query| query.len() >= 3)
    });
    vec![
        ("whole queries", whole.iter().map(|query| (*query).to_owned()).collect()),
        ("beginnings of them", beginnings.collect()),
        ("one letter left out", misspelt.collect()),
    ]
}

/// Kilobytes of memory that the process holds.
fn held() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap_or_default();
    line.split_ascii_whitespace().nth(1).and_then(|kb| kb.parse().ok()).unwrap_or(0)
}

fn open<D: Dataset>() {
    let (before, started) = (held(), Clock::monotonic());
    let vintage = Vintage::<D>::built_in();
    let took = Clock::monotonic() - started;
    println!(
        "{:<12} {:>7} rows  {:>5} KB packed  opened in {:>5.1?}  {:>6} KB held",
        D::KIND,
        vintage.data.rows(),
        D::BUILT_IN.bytes.len() >> 10,
        took,
        held().saturating_sub(before)
    );
}

fn main() {
    open::<ZipAreas>();
    open::<Statistics>();
    open::<Occupations>();
    println!("{} KB in all", held());
    let data = Vintage::<Occupations>::built_in();
    let mut all = Vec::new();
    for (name, queries) in queries() {
        let mut times: Vec<Duration> = Vec::new();
        for query in &queries {
            let once = || {
                let started = Clock::monotonic();
                std::hint::black_box(data.data.search_occupations(std::hint::black_box(query)));
                Clock::monotonic() - started
            };
            times.push((0..5).map(|_| once()).min().unwrap());
        }
        report(name, times.clone());
        all.extend(times);
    }
    report("all", all);
}

fn report(name: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let at = |percent: usize| times[(times.len() * percent / 100).min(times.len() - 1)];
    println!(
        "{name:<20} {:>5} queries  p50 {:>7.1?}  p90 {:>7.1?}  p99 {:>7.1?}  longest {:>7.1?}",
        times.len(),
        at(50),
        at(90),
        at(99),
        times[times.len() - 1]
    );
}
