//! A progress bar for long commands, on standard error if that is a terminal.

use indicatif::{ProgressBar, ProgressStyle};

/// A bar that shows a percentage, and is removed when it is dropped.
pub struct Bar(ProgressBar);

impl Default for Bar {
    fn default() -> Self {
        let bar = ProgressBar::no_length();
        // The default style stands in where the template cannot be read.
        if let Ok(style) = ProgressStyle::with_template("[{bar:25}] {percent:>3} %") {
            bar.set_style(style.progress_chars("=  "));
        }
        Self(bar)
    }
}

impl Bar {
    /// Shows that `done` of `total` are done.
    pub fn show_progress(&self, done: u64, total: u64) {
        self.0.set_length(total);
        self.0.set_position(done);
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
