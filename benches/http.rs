//! Speed over HTTP: `cargo bench -p stipend --bench http`.
//!
//! The real `stipend serve` is measured against bare servers on the same stack, in interleaved rounds of one run.
//! Server and load generator have a core each where `taskset` can see to it. Absolute figures follow the machine and
//! what else it does; the ratios are what counts, that of CPU time per request more than that of requests a second.
//! Being slow is never an error here: each figure is printed beside its floor and its aim.
//!
//! Employees are read and listed who have nothing but their data (`read`, `list`), and a mix with jobs, time off, orders, departures and
//! planned returns (`mix`, `mixlist`).
//!
//! Options, after `--`: words that choose (`read`, `mix`, `list`, `mixlist`, `create`, `counted`, `jobs`, `quiet`, `pages`, `search`,
//! `postgres`, `start`; none is all of these; `growth` takes minutes, and with `postgres` asks that engine, too), `--rounds N`,
//! `--seconds N` a round, and `--profile FILE`, which keeps `perf record` of the last round on the measured server.

#![allow(clippy::float_arithmetic, reason = "figures for people")]

#[path = "http/bare.rs"]
mod bare;
#[path = "http/growth.rs"]
mod growth;
#[path = "../tests/support/line.rs"]
mod line;
#[path = "http/load.rs"]
mod load;
#[path = "http/measure.rs"]
mod measure;
#[path = "http/mix.rs"]
mod mix;
#[path = "http/pages.rs"]
mod pages;
#[path = "http/pin.rs"]
mod pin;
#[path = "../tests/support/postgres.rs"]
mod postgres;
#[path = "http/process.rs"]
mod process;
#[path = "http/search.rs"]
mod search;
#[allow(
    dead_code,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "the servers of the tests can do more than is measured"
)]
#[path = "../tests/faults/servers.rs"]
mod servers;
#[path = "http/world.rs"]
mod world;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::rc::Rc;
use std::time::Duration;

use measure::{Line, Plan, Rounds};
use process::{Process, stipend};
use world::World;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The words of the workloads.
const WORKLOADS: [&str; 5] = ["read", "mix", "list", "mixlist", "create"];

/// What can go wrong, as one line for whoever runs this.
pub type Outcome<T> = Result<T, String>;

fn main() -> ExitCode {
    let mut words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let role = words.iter().position(|word| word == "--role").map(|at| words.split_off(at));
    let outcome = match role.as_ref().and_then(|role| role.get(1)).map(String::as_str) {
        Some("bare") => bare::serve(),
        Some("postgres") => postgres_role(),
        Some("durable") => cluster_role(&servers::Cluster::durable()),
        Some("standbys") => cluster_role(&servers::Cluster::durable_twice()),
        Some(_) => run(&words),
        None => {
            // Comes back only where the process cannot be pinned.
            pin::run_again_pinned(&words);
            run(&words)
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("http bench: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Keeps a temporary PostgreSQL server for as long as standard input is open, on the server's core.
fn postgres_role() -> Outcome<()> {
    match postgres::server() {
        None => println!("none"),
        Some(server) => {
            println!("{}", server.database());
            process::until_input_ends();
        }
    }
    Ok(())
}

/// Keeps PostgreSQL servers that sync what they commit, as long.
fn cluster_role(cluster: &servers::Cluster) -> Outcome<()> {
    println!("{}", cluster.url_at(cluster.primary()));
    process::until_input_ends();
    Ok(())
}

/// What was asked for on the command line.
struct Options {
    words: Vec<String>,
    rounds: usize,
    seconds: u64,
    profile: Option<PathBuf>,
}

impl Options {
    fn parse(words: &[String]) -> Outcome<Self> {
        let mut options = Self { words: Vec::new(), rounds: 5, seconds: 2, profile: None };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut number =
                || words.next().and_then(|n| n.parse::<u64>().ok()).filter(|n| (1..=600).contains(n));
            let wrong = || format!("{word} needs a whole number from 1 to 600");
            match word.as_str() {
                "--rounds" => options.rounds = usize::try_from(number().ok_or_else(wrong)?).unwrap_or(1),
                "--seconds" => options.seconds = number().ok_or_else(wrong)?,
                "--profile" => {
                    options.profile = Some(words.next().ok_or("--profile needs a file")?.into());
                }
                "read" | "mix" | "list" | "mixlist" | "create" | "counted" | "jobs" | "quiet" | "pages"
                | "search" | "postgres" | "start" | "growth" => {
                    options.words.push(word.clone());
                }
                other => return Err(format!("{other} is no option; see the top of benches/http.rs")),
            }
        }
        Ok(options)
    }

    /// Whether a section was chosen: by its own word, or because none was named.
    fn section(&self, name: &str) -> bool {
        self.words.is_empty() || self.words.iter().any(|word| word == name)
    }

    /// The chosen ones of some workloads; all when none of them was named.
    fn plan(&self, mut plans: Vec<Plan>) -> Vec<Plan> {
        if self.words.iter().any(|word| WORKLOADS.contains(&word.as_str())) {
            plans.retain(|plan| self.words.iter().any(|word| word == plan.name));
        }
        plans
    }

    /// Whether the sections about the ordinary store run: a word for another section alone leaves them out.
    fn ordinary(&self) -> bool {
        self.words.is_empty() || self.words.iter().any(|word| WORKLOADS.contains(&word.as_str()))
    }
}

fn run(words: &[String]) -> Outcome<()> {
    let options = Options::parse(words)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| format!("the runtime could not be started: {error}"))?;
    runtime.block_on(sections(&options))
}

async fn sections(options: &Options) -> Outcome<()> {
    println!("{}", pin::told());
    let folder = tempfile::Builder::new().prefix("bench-http-").tempdir_in(env!("CARGO_TARGET_TMPDIR"));
    let folder = folder.map_err(|error| format!("no folder for the stores: {error}"))?;
    let folder = folder.path();
    let bare = process::bare()?;
    println!(
        "{} rounds of {} s each way; store on disk in {}\n",
        options.rounds,
        options.seconds,
        env!("CARGO_TARGET_TMPDIR")
    );

    let world = World::on_file(&folder.join("world.db")).await?;
    if options.ordinary() {
        // As it is started where nobody says otherwise: it logs what is written.
        let memory = on_file(options, "SQLite, log=info, to a file", (&world, "info"), folder, &bare).await?;
        println!(
            "memory of the service: {} idle after the start (goal < 60 MB: {}), {} after the load\n",
            megabytes(memory.idle),
            measure::met(memory.idle < 60_000),
            megabytes(memory.loaded)
        );
    }
    if options.section("quiet") {
        on_file(options, "SQLite, log=warn", (&world, "warn"), folder, &bare).await?;
    }
    if options.section("counted") {
        on_file(options, "SQLite, keys that are counted", (&world.counting(), "info"), folder, &bare).await?;
    }
    if options.section("jobs") {
        let world = world.with_jobs(folder).await?;
        let title = "SQLite, a job and its pay each";
        on_file(options, title, (&world, "info"), folder, &bare).await?;
    }
    if options.section("start") {
        start(&world, folder)?;
    }
    if options.section("pages") {
        pages::section(folder).await?;
    }
    if options.section("search") {
        search::section(folder).await?;
    }
    // Takes minutes and gigabytes: only when it is named.
    if options.words.iter().any(|word| word == "growth") {
        let time = Duration::from_secs(options.seconds);
        let pace = growth::Pace { folder, bare: &bare, rounds: options.rounds, time };
        growth::section(pace, options.words.iter().any(|word| word == "postgres")).await?;
    } else if options.section("postgres") {
        on_postgres(options, folder, &bare).await?;
    }
    Ok(())
}

/// Resident kilobytes of the service at the most.
#[derive(Default)]
struct Memory {
    /// as soon as it answered
    idle: u64,
    /// after a round
    loaded: u64,
}

/// Workloads on a service with a file, as a table. Each round has a process of its own on a fresh copy of the world:
/// all start from the same rows.
async fn on_file(
    options: &Options,
    title: &str,
    (world, log): (&World, &str),
    folder: &Path,
    bare: &Process,
) -> Outcome<Memory> {
    let time = Duration::from_secs(options.seconds);
    let rounds = Rounds { count: options.rounds, time, warm_up: time / 10 };
    let mut memory = Memory::default();
    let mut last: Option<(Rc<Process>, Option<Process>)> = None;
    let mut fresh = || {
        if let Some((before, _)) = last.take() {
            memory.loaded = memory.loaded.max(before.resident()?);
        }
        let process = Rc::new(serve(world, folder, log)?);
        memory.idle = memory.idle.max(process.resident()?);
        let profile = options.profile.as_deref().map(|file| process::perf(process.id(), file));
        last = Some((Rc::clone(&process), profile.transpose()?));
        Ok(process)
    };
    table(title, &options.plan(world.plans()), &mut fresh, bare, rounds).await?;
    if let Some((last, _)) = &last {
        memory.loaded = memory.loaded.max(last.resident()?);
    }
    Ok(memory)
}

/// Measures workloads, and prints a line for each; `ours` gives the process for each round.
async fn table(
    title: &str,
    plans: &[Plan],
    ours: &mut dyn FnMut() -> Outcome<Rc<Process>>,
    bare: &Process,
    rounds: Rounds,
) -> Outcome<()> {
    println!("{title}\n{}", Line::HEAD);
    for plan in plans {
        println!("{}", measure::interleaved(plan, ours, bare, rounds).await?);
    }
    println!();
    Ok(())
}

/// The service on a copy of the world, once it answers.
fn serve(world: &World, folder: &Path, log: &str) -> Outcome<Process> {
    let copy = world.copy(folder)?;
    let mut process = stipend(&["serve", "--database-url", &copy])?;
    process.setting("MASTER_KEY", &world.master_key).setting("RATE_LIMIT", "1000000").setting("LOG", log);
    process.listen(folder)?;
    Ok(process)
}

/// Time to the first answer.
fn start(world: &World, folder: &Path) -> Outcome<()> {
    let mut serve_times = Vec::new();
    let mut dev_times = Vec::new();
    for _ in 0..5 {
        let mut process = stipend(&["serve", "--database-url", &world.copy(folder)?])?;
        process.setting("MASTER_KEY", &world.master_key);
        serve_times.push(process.listen(folder)?);
        drop(process);
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
        let (_, took) = process.first_line(folder)?;
        dev_times.push(took);
    }
    let (serve, dev) = (measure::median_time(&mut serve_times), measure::median_time(&mut dev_times));
    println!("start, median of 5");
    println!(
        "  serve, 1,000 employees on file: first answer after {:.1} ms (goal < 100 ms: {})",
        serve.as_secs_f64() * 1e3,
        measure::met(serve < Duration::from_millis(100))
    );
    println!(
        "  dev --memory: its line of JSON after {:.0} ms (goal < 1 s: {})\n",
        dev.as_secs_f64() * 1e3,
        measure::met(dev < Duration::from_secs(1))
    );
    Ok(())
}

async fn on_postgres(options: &Options, folder: &Path, bare: &Process) -> Outcome<()> {
    if process::postgres()?.is_none() {
        return Ok(());
    }
    // The order of those who wait: nobody, the disk, the disk and another server's.
    on_server(options, folder, bare, "postgres", "without fsync").await?;
    on_server(options, folder, bare, "durable", "with fsync").await?;
    on_server(options, folder, bare, "standbys", "with fsync and two standbys, one of which has to have it")
        .await
}

async fn on_server(options: &Options, folder: &Path, bare: &Process, role: &str, how: &str) -> Outcome<()> {
    let (_server, url) = process::role(role)?;
    let world = World::on_url(&url, folder).await?;
    let mut process = stipend(&["serve", "--database-url", &url])?;
    process.setting("MASTER_KEY", &world.master_key).setting("RATE_LIMIT", "1000000");
    process.stores_in(&url);
    process.listen(folder)?;
    let time = Duration::from_secs(options.seconds);
    let rounds = Rounds { count: options.rounds, time, warm_up: time };
    let mut process = Rc::new(process);
    let title =
        format!("PostgreSQL {how} (on the server's core; CPU of the service, and of the server beside)");
    let ours = &mut || Ok(Rc::clone(&process));
    table(&title, &options.plan(world.plans_on_a_server()), ours, bare, rounds).await?;
    Rc::get_mut(&mut process).map_or(Ok(()), Process::still_runs)
}

fn megabytes(kilobytes: u64) -> String {
    format!("{:.1} MB", kilobytes as f64 / 1e3)
}
