//! Logs: one JSON object a line on standard error (or plain text for a developer), never with personal data. What
//! is logged of a request is decided in `http`; here only how it is written.
//!
//! The reader of the log decides nothing about the service: a line is handed to a thread that writes it, and what does
//! not fit, or cannot be written, is dropped and counted ([`lines`]).

mod lines;

use std::io::{IsTerminal, Write};
use std::panic::PanicHookInfo;
use std::sync::mpsc;
use std::time::Duration;

use tracing_subscriber::EnvFilter;

use self::lines::Lines;

/// How long the end of the process waits for the last lines.
const LAST_LINES: Duration = Duration::from_millis(500);

/// The log that was started; its last lines are written when it is dropped, as far as somebody takes them.
#[must_use]
pub struct Log(Lines);

impl Drop for Log {
    fn drop(&mut self) {
        self.0.wait(LAST_LINES);
    }
}

/// Starts logging; `filter` is such as `info`.
///
/// # Errors
/// One line when the filter cannot be read.
pub fn start(filter: &str, plain: bool) -> Result<Log, String> {
    let unstarted = |error: &dyn std::fmt::Display| format!("logging could not be started: {error}");
    let filter = EnvFilter::try_new(filter).map_err(|error| format!("the setting log is wrong: {error}"))?;
    let written = Lines::to_standard_error().map_err(|error| unstarted(&error))?;
    // Its own complaints would go to standard error past the thread, and panic where that cannot be written.
    let lines = tracing_subscriber::fmt().log_internal_errors(false);
    let lines = lines.with_env_filter(filter).with_writer(written.clone());
    let started = if plain {
        lines.compact().with_target(false).with_ansi(std::io::stderr().is_terminal()).try_init()
    } else {
        lines.json().flatten_event(true).with_current_span(false).with_span_list(false).try_init()
    };
    started.map_err(|error| unstarted(&error))?;
    std::panic::set_hook(Box::new(panicked));
    Ok(Log(written))
}

/// Logs a panic. The hook that Rust brings writes to standard error itself, and so waits for its reader.
fn panicked(info: &PanicHookInfo<'_>) {
    let message = info.payload_as_str().unwrap_or("no message");
    let place = info.location().map(tracing::field::display);
    tracing::error!(message, place, "panic");
}

/// Prints one line for the operator, and goes on if standard error takes none.
pub fn notify_operator(line: &str) {
    let (done, ended) = mpsc::channel::<()>();
    let line = format!("{line}\n");
    // A thread of its own: a pipe that is full and never read would hold this one for ever.
    std::thread::spawn(move || {
        std::io::stderr().write_all(line.as_bytes()).ok();
        drop(done);
    });
    ended.recv_timeout(LAST_LINES).ok();
}
