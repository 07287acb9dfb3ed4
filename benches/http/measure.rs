//! Rounds on ours and on the bare server by turns, and what they come to.

use std::fmt;
use std::rc::Rc;
use std::time::Duration;

use crate::Outcome;
use crate::load::{self, Make, Round};
use crate::process::Process;

/// A workload on both servers.
pub struct Plan {
    /// its word
    pub name: &'static str,
    /// requests under way at once
    pub connections: usize,
    /// the only good answer of ours
    pub status: u16,
    /// CPU of the bare server over ours: what is enough, and what would be good
    pub goals: (f64, f64),
    /// requests to ours
    pub ours: Make,
    /// requests to the bare server
    pub bare: Make,
}

/// Figures of a server for one workload.
struct Side {
    rounds: Vec<(Round, Duration)>,
    /// what a database server used beside, a request in microseconds
    beside: Vec<f64>,
    next: u64,
}

impl Side {
    const fn new() -> Self {
        Self { rounds: Vec::new(), beside: Vec::new(), next: 0 }
    }

    async fn round(
        &mut self,
        plan: &Plan,
        (process, make, status): (&Process, &Make, u16),
        time: Duration,
    ) -> Outcome<()> {
        let (before, server_before) = (process.cpu()?, process.cpu_of_server());
        let round = load::round(process.address, make, self.next, plan.connections, status, time).await?;
        self.next += round.requests + plan.connections as u64;
        if round.requests == 0 {
            return Err(format!("{}: nothing was answered", plan.name));
        }
        self.rounds.push((round, process.cpu()? - before));
        if let (Some(before), Some(after)) = (server_before, process.cpu_of_server()) {
            self.beside.push(after.saturating_sub(before).as_secs_f64() * 1e6 / round.requests as f64);
        }
        Ok(())
    }

    fn median(&self, figure: impl Fn(&(Round, Duration)) -> f64) -> f64 {
        median(self.rounds.iter().map(figure))
    }

    fn rate(&self) -> f64 {
        self.median(|(round, _)| round.requests as f64 / round.took.as_secs_f64())
    }

    fn micros(&self) -> f64 {
        self.median(micros)
    }
}

fn micros((round, cpu): &(Round, Duration)) -> f64 {
    cpu.as_secs_f64() * 1e6 / round.requests as f64
}

/// What a workload came to.
pub struct Line {
    name: &'static str,
    rates: (f64, f64),
    micros: (f64, f64),
    range: (f64, f64),
    beside: Option<f64>,
    goals: (f64, f64),
    p50: f64,
    p99: f64,
    bodies: (u64, u64),
}

/// How often and how long a workload is measured.
#[derive(Clone, Copy)]
pub struct Rounds {
    pub count: usize,
    pub time: Duration,
    /// how long a process that was not asked before is asked before it counts
    pub warm_up: Duration,
}

/// Measures a workload in rounds by turns; `ours` gives the process for each.
pub async fn interleaved(
    plan: &Plan,
    ours: &mut dyn FnMut() -> Outcome<Rc<Process>>,
    bare: &Process,
    rounds: Rounds,
) -> Outcome<Line> {
    let (mut a, mut b, mut warm) = (Side::new(), Side::new(), None);
    for _ in 0..rounds.count {
        let ours = ours()?;
        if warm != Some(ours.id()) {
            warm = Some(ours.id());
            a.round(plan, (&ours, &plan.ours, plan.status), rounds.warm_up).await?;
            b.round(plan, (bare, &plan.bare, 200), rounds.warm_up).await?;
            a.rounds.pop();
            a.beside.pop();
            b.rounds.pop();
        }
        a.round(plan, (&ours, &plan.ours, plan.status), rounds.time).await?;
        b.round(plan, (bare, &plan.bare, 200), rounds.time).await?;
    }
    let ratios = a.rounds.iter().zip(&b.rounds).map(|(a, b)| micros(b) / micros(a));
    Ok(Line {
        name: plan.name,
        rates: (a.rate(), b.rate()),
        micros: (a.micros(), b.micros()),
        range: range(ratios),
        beside: (!a.beside.is_empty()).then(|| median(a.beside.iter().copied())),
        goals: plan.goals,
        p50: a.median(|(round, _)| round.p50.as_secs_f64() * 1e3),
        p99: a.median(|(round, _)| round.p99.as_secs_f64() * 1e3),
        bodies: (
            a.rounds.first().map_or(0, |(round, _)| round.body),
            b.rounds.first().map_or(0, |(round, _)| round.body),
        ),
    })
}

impl Line {
    /// CPU time a request in microseconds: ours, and the bare server's.
    pub const fn micros(&self) -> (f64, f64) {
        self.micros
    }

    /// The table's head; "us" is CPU time a request in microseconds.
    pub const HEAD: &'static str = "  work        ours/s     bare/s  ratio   ours us  bare us  CPU ratio (range)     \
                                    floor   aim               p50 ms  p99 ms  bodies";
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ratio = self.micros.1 / self.micros.0;
        let verdict = match self.goals {
            (floor, _) if ratio < floor => "below floor",
            (_, aim) if ratio < aim => "floor met",
            _ => "aim met",
        };
        write!(
            f,
            "  {:<8} {:>8.0}  {:>9.0}  {:>5.2}  {:>8.1} {:>8.1}  {:>9.3} ({:.2}-{:.2})  {:>8.2}  {:>4.2}  {:<11}  {:>6.2}  {:>6.2}  {}/{} B",
            self.name,
            self.rates.0,
            self.rates.1,
            self.rates.0 / self.rates.1,
            self.micros.0,
            self.micros.1,
            ratio,
            self.range.0,
            self.range.1,
            self.goals.0,
            self.goals.1,
            verdict,
            self.p50,
            self.p99,
            self.bodies.0,
            self.bodies.1,
        )?;
        match self.beside {
            Some(beside) => write!(f, "  and {beside:.1} us of the database server"),
            None => Ok(()),
        }
    }
}

/// A goal in words.
pub const fn met(is: bool) -> &'static str {
    if is { "met" } else { "not met" }
}

/// The figure in the middle.
pub fn median(figures: impl Iterator<Item = f64>) -> f64 {
    let mut figures: Vec<f64> = figures.collect();
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The least figure and the most.
pub fn range(figures: impl Iterator<Item = f64>) -> (f64, f64) {
    figures.fold((f64::MAX, 0.0_f64), |(least, most), figure| (least.min(figure), most.max(figure)))
}

/// The one in the middle.
pub fn median_time(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
