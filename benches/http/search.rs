//! The search for occupations over HTTP, against the same search in memory in this process: what an answer costs beside
//! finding it. The queries are those of `tests/search/queries.csv` and their beginnings, as somebody types them.

use std::hint::black_box;
use std::path::Path;
use std::time::Duration;

use domain::platform::reference::Vintage;
use domain::salary::occupations::data::Occupations;
use rustix::time::{ClockId, clock_gettime};
use serde_json::Value;

use crate::Outcome;
use crate::load::Connection;
use crate::process::stipend;

const QUERIES: &str = include_str!("../../tests/search/queries.csv");
/// How often each query is sent.
const TIMES: u32 = 5;
/// The processor's time for an answer over that for finding it: what is enough, and what would be good.
const GOALS: (f64, f64) = (4.0, 2.0);

/// Measures the whole answer (at most 100 occupations) and a page of ten.
pub async fn section(folder: &Path) -> Outcome<()> {
    let mut process = stipend(&[
        "dev",
        "--memory",
        "--seed",
        "1",
        "--without-history",
        "--json",
        "--listen",
        "127.0.0.1:0",
    ])?;
    let (line, _) = process.first_line(folder)?;
    let report: Value = serde_json::from_str(&line).map_err(|error| format!("no JSON: {error}"))?;
    let address = report["base_url"].as_str().and_then(|url| url.strip_prefix("http://"));
    process.address = address.and_then(|address| address.parse().ok()).ok_or("dev printed no base_url")?;
    let token = report["companies"][0]["access_token"].as_str().unwrap_or_default();

    let whole = QUERIES.lines().skip(1).filter_map(|line| line.split(',').next());
    let queries: Vec<&str> =
        whole.flat_map(|query| (3..=query.len()).map(move |end| query[..end].trim())).collect();
    let queries: Vec<&str> = queries.into_iter().filter(|query| query.len() >= 3).collect();
    let kernel = in_memory(&queries);
    println!("search for occupations, {} queries {TIMES} times each, one after the other", queries.len());
    println!("  in memory     {kernel:>8.1} us of CPU");
    let mut connection = Connection::open(process.address).await?;
    for (name, more) in [("page of ten", "&page=1&per=10"), ("whole answer", "")] {
        let requests: Vec<String> = queries
            .iter()
            .map(|query| {
                format!(
                    "GET /v1/salary_estimates/occupations?search={}{more} HTTP/1.1\r\nHost: localhost\r\n\
                     Authorization: Bearer {token}\r\n\r\n",
                    query.replace(' ', "%20")
                )
            })
            .collect();
        let (mut bytes, mut spent) = (0, Duration::ZERO);
        // The first time opens the tables and does not count.
        for time in 0..=TIMES {
            let before = process.cpu()?;
            for request in &requests {
                let (status, body) = connection.exchange(request.as_bytes()).await?;
                if status != 200 {
                    return Err(format!("{request} was answered {status}"));
                }
                bytes += body.len();
            }
            if time > 0 {
                spent += process.cpu()? - before;
            }
        }
        let each = spent.as_secs_f64() * 1e6 / f64::from(TIMES) / queries.len() as f64;
        let verdict = match each / kernel {
            ratio if ratio <= GOALS.1 => "aim met",
            ratio if ratio <= GOALS.0 => "floor met",
            _ => "above the floor",
        };
        println!(
            "  {name:<13} {each:>8.1} us of CPU, {:.2} times (at most {}, aim {}: {verdict}), {} bytes",
            each / kernel,
            GOALS.0,
            GOALS.1,
            bytes / requests.len() / (TIMES as usize + 1)
        );
    }
    println!();
    process.stop()
}

/// Microseconds of processor time for a search.
fn in_memory(queries: &[&str]) -> f64 {
    let data = Vintage::<Occupations>::built_in();
    let before = processor_seconds();
    for _ in 0..TIMES {
        for query in queries {
            black_box(data.data.search_occupations(black_box(query)));
        }
    }
    (processor_seconds() - before) * 1e6 / f64::from(TIMES) / queries.len() as f64
}

fn processor_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
