//! Logs: one JSON object per line on standard error (or plain text for a developer), never with personal data. What is
//! logged about a request is decided in `http`; this module only writes it.
//!
//! The reader of the log cannot slow down the service: a thread writes the lines, and a line that does not fit into the
//! queue, or cannot be written, is dropped and counted ([`lines`]).

mod lines;

use std::io::{IsTerminal, Write};
use std::panic::PanicHookInfo;
use std::sync::mpsc;
use std::time::Duration;

use tracing_subscriber::EnvFilter;

use self::lines::Lines;

/// How long the end of the process waits for the last lines.
const LAST_LINES: Duration = Duration::from_millis(500);

/// The log that was started; its last lines are written when it is dropped, if the reader still accepts them.
#[must_use]
pub struct Log(Lines);

impl Drop for Log {
    fn drop(&mut self) {
        self.0.wait_until_written(LAST_LINES);
    }
}

/// Starts logging; `filter` is, for example, `info`.
///
/// # Errors
/// One line when the filter cannot be read.
pub fn start_logging(filter: &str, plain: bool) -> Result<Log, String> {
    let unstarted = |error: &dyn std::fmt::Display| format!("logging could not be started: {error}");
    let filter = parse_filter(filter).map_err(|why| format!("the setting log is wrong: {why}"))?;
    let written = Lines::to_standard_error().map_err(|error| unstarted(&error))?;
    // The library's own errors would bypass the thread, and panic if standard error cannot be written.
    let lines = tracing_subscriber::fmt().log_internal_errors(false);
    let lines = lines.with_env_filter(filter).with_writer(written.clone());
    let started = if plain {
        lines.compact().with_target(false).with_ansi(std::io::stderr().is_terminal()).try_init()
    } else {
        lines.json().flatten_event(true).with_current_span(false).with_span_list(false).try_init()
    };
    started.map_err(|error| unstarted(&error))?;
    std::panic::set_hook(Box::new(log_panic));
    Ok(Log(written))
}

/// Parses a filter. A single word must be a level: the library would take any other word for a module, and log nothing
/// else.
fn parse_filter(filter: &str) -> Result<EnvFilter, String> {
    const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];
    for directive in filter.split(',') {
        let level = directive.rsplit('=').next().unwrap_or_default();
        if !LEVELS.contains(&level.to_ascii_lowercase().as_str()) {
            return Err(format!("`{level}` is not a level; the levels are {}", LEVELS.join(", ")));
        }
    }
    EnvFilter::try_new(filter).map_err(|error| error.to_string())
}

/// Logs a panic. Rust's own hook writes to standard error directly, and so waits for its reader.
fn log_panic(info: &PanicHookInfo<'_>) {
    let message = info.payload_as_str().unwrap_or("no message");
    let place = info.location().map(tracing::field::display);
    tracing::error!(message, place, "panic");
}

/// Prints one line for the operator, and continues if standard error cannot be written.
pub fn notify_operator(line: &str) {
    let (done, ended) = mpsc::channel::<()>();
    let line = format!("{line}\n");
    // In its own thread: a full pipe that is never read would block this one for ever.
    std::thread::spawn(move || {
        std::io::stderr().write_all(line.as_bytes()).ok();
        drop(done);
    });
    ended.recv_timeout(LAST_LINES).ok();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_names_levels_and_nothing_that_would_silence_the_log() {
        for right in ["info", "WARN", "off", "info,interface=debug", "warn,store=trace"] {
            assert!(parse_filter(right).is_ok(), "{right}");
        }
        for wrong in ["", "warning", "loud", "interface", "info,interface", "info,interface=loud", "info,"] {
            let why = parse_filter(wrong).unwrap_err();
            assert!(why.contains("the levels are off, error, warn, info, debug, trace"), "{wrong}: {why}");
        }
    }
}
