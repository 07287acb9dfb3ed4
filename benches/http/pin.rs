//! One core for the load, another one for whatever is measured.

use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

/// Replaces this process by itself on the load's core. Comes back only where that is not possible.
pub fn run_again_pinned(words: &[String]) {
    let (Some((load, _)), Ok(program)) = (cores(), std::env::current_exe()) else { return };
    let mut command = Command::new("taskset");
    command.args(["-c", &load.to_string()]).arg(program).args(words).args(["--role", "load"]);
    // Told to the process that follows, which sees only its own core.
    let error = command.env(CORES, format!("{load},{}", cores().map_or(0, |(_, server)| server))).exec();
    eprintln!("taskset did not run: {error}");
}

/// A command on the server's core, where there is one.
pub fn on_server_core(program: &str) -> Command {
    match cores() {
        None => Command::new(program),
        Some((_, server)) => {
            let mut command = Command::new("taskset");
            command.args(["-c", &server.to_string(), program]);
            command
        }
    }
}

/// What was pinned, for the reader of the figures.
pub fn told() -> String {
    match cores() {
        Some((load, server)) => format!("load on core {load}, servers on core {server}"),
        None => "nothing is pinned: this needs taskset and two cores; compare ratios with care".to_owned(),
    }
}

/// Names the two cores to the process that was pinned.
const CORES: &str = "HTTP_BENCH_CORES";

/// The cores of load and server.
fn cores() -> Option<(usize, usize)> {
    if let Ok(told) = std::env::var(CORES) {
        let (load, server) = told.split_once(',')?;
        return Some((load.parse().ok()?, server.parse().ok()?));
    }
    let taskset = Command::new("taskset").arg("-V").stdout(Stdio::null()).stderr(Stdio::null()).status();
    taskset.ok().filter(std::process::ExitStatus::success)?;
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?.trim();
    let mut allowed = list.split(',').flat_map(|part| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        first.parse::<usize>().unwrap_or(0)..=last.parse::<usize>().unwrap_or(0)
    });
    let first = allowed.next()?;
    Some((first, allowed.last()?))
}
