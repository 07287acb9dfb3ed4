//! How far long work is, on standard error, where somebody looks at it.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicU64, Ordering};

/// A bar that is drawn again when its percentage changes, and on a terminal alone.
pub struct Bar {
    shown: AtomicU64,
    watched: bool,
}

/// Shown when nothing is.
const NOTHING: u64 = u64::MAX;
/// Characters of a full bar.
const WIDTH: u64 = 25;

impl Default for Bar {
    fn default() -> Self {
        Self { shown: AtomicU64::new(NOTHING), watched: std::io::stderr().is_terminal() }
    }
}

impl Bar {
    /// Tells that `done` of `of` are done.
    pub fn show(&self, done: u64, of: u64) {
        let percent = (done.min(of) * 100).checked_div(of).unwrap_or(100);
        if self.watched && self.shown.swap(percent, Ordering::Relaxed) != percent {
            let full = usize::try_from(percent * WIDTH / 100).unwrap_or(0);
            let width = usize::try_from(WIDTH).unwrap_or(0);
            eprint!("\r[{:<width$}] {percent:>3} %", "=".repeat(full));
            std::io::stderr().flush().ok();
        }
    }

    /// Leaves the line empty.
    pub fn clear(&self) {
        if self.watched && self.shown.swap(NOTHING, Ordering::Relaxed) != NOTHING {
            eprint!("\r{}\r", " ".repeat(40));
        }
    }
}
