//! Logs: one JSON object a line on standard error (or plain text for a developer), never with personal data. What
//! is logged of a request is decided in `http`; here only how it is written.

use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;

/// Starts logging; `filter` is such as `info`.
///
/// # Errors
/// One line when the filter cannot be read.
pub fn start(filter: &str, plain: bool) -> Result<(), String> {
    let filter = EnvFilter::try_new(filter).map_err(|error| format!("the setting log is wrong: {error}"))?;
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    let started = if plain {
        lines.compact().with_target(false).with_ansi(std::io::stderr().is_terminal()).try_init()
    } else {
        lines.json().flatten_event(true).with_current_span(false).with_span_list(false).try_init()
    };
    started.map_err(|error| format!("logging could not be started: {error}"))
}
