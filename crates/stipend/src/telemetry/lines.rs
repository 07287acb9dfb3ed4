//! Log lines on their way to standard error: a bounded queue, and a thread that writes its content.
//!
//! A thread that logs never waits, and does not wake another thread for each line. If a pipe is not emptied, its reader
//! is gone, or a disk is full, lines are lost, and `log_lines_dropped_total` counts them; the service is not affected
//! otherwise. Once lines can be written again, one of them reports how many are missing.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;

use store::Clock;
use tracing_subscriber::fmt::MakeWriter;

/// Maximum of queued lines.
const LINES: usize = 8_192;
/// Maximum bytes of queued lines.
const BYTES: usize = 4 << 20;

/// How long lines are gathered, and how many of them at most are written at once.
const MOMENT: Duration = Duration::from_millis(1);
const TOGETHER: usize = 64;

/// Takes lines; clones share the queue.
#[derive(Clone)]
pub struct Lines {
    queue: SyncSender<Vec<u8>>,
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    /// bytes that are queued or being written
    waiting: AtomicUsize,
    dropped: AtomicU64,
}

impl State {
    fn drop_one(&self) {
        self.dropped.fetch_add(1, Ordering::Relaxed);
        metrics::counter!("log_lines_dropped_total").increment(1);
    }
}

impl Lines {
    /// Starts the thread that writes to standard error.
    ///
    /// # Errors
    /// If there is no standard error, or the thread cannot be started.
    pub fn to_standard_error() -> io::Result<Self> {
        // Its own handle: the standard library's is locked while a write blocks.
        Self::to_writer(File::from(io::stderr().as_fd().try_clone_to_owned()?))
    }

    fn to_writer(out: impl Write + Send + 'static) -> io::Result<Self> {
        let (queue, lines) = sync_channel(LINES);
        let state = Arc::new(State::default());
        let shared = Arc::clone(&state);
        std::thread::Builder::new()
            .name("log".to_owned())
            .spawn(move || write_lines(out, &lines, &shared))?;
        Ok(Self { queue, state })
    }

    /// Waits until everything queued so far is written, or the time is up.
    pub fn wait_until_written(&self, most: Duration) {
        let end = Clock::monotonic() + most;
        while self.state.waiting.load(Ordering::Acquire) > 0 && Clock::monotonic() < end {
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    fn queue_line(&self, line: &[u8]) {
        let waiting = self.state.waiting.fetch_add(line.len(), Ordering::AcqRel);
        if waiting + line.len() > BYTES || self.queue.try_send(line.to_vec()).is_err() {
            self.state.waiting.fetch_sub(line.len(), Ordering::AcqRel);
            self.state.drop_one();
        }
    }
}

/// Writes until every sender is gone, gathering the lines of a moment.
fn write_lines(mut out: impl Write, lines: &Receiver<Vec<u8>>, state: &State) {
    let (mut reported, mut torn) = (0, false);
    while let Ok(first) = lines.recv() {
        // A thread that logs while this one waits for lines has to wake it, which costs more than the line.
        std::thread::sleep(MOMENT);
        let more = std::iter::from_fn(|| lines.try_recv().ok()).take(TOGETHER - 1);
        let mut text = Vec::new();
        // A partly written line is terminated before the next one begins.
        if torn {
            text.push(b'\n');
        }
        let before = text.len();
        std::iter::once(first).chain(more).for_each(|line| text.extend(line));
        let bytes = text.len() - before;
        let lost = write_all(&mut out, &text);
        state.waiting.fetch_sub(bytes, Ordering::AcqRel);
        torn = !lost.is_empty();
        if torn {
            let of_lines = lost.len().saturating_sub(bytes);
            lost[of_lines..].iter().filter(|byte| **byte == b'\n').for_each(|_| state.drop_one());
            continue;
        }
        let dropped = state.dropped.load(Ordering::Relaxed);
        if dropped > reported {
            tracing::warn!(lines = dropped - reported, "lines of the log were dropped");
            reported = dropped;
        }
    }
}

/// Writes as much as possible; returns the rest.
fn write_all<'t>(out: &mut impl Write, text: &'t [u8]) -> &'t [u8] {
    let mut rest = text;
    while !rest.is_empty() {
        match out.write(rest) {
            Ok(0) => break,
            Ok(written) => rest = &rest[written..],
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => break,
        }
    }
    rest
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Line<'a>;

    fn make_writer(&'a self) -> Line<'a> {
        Line(self)
    }
}

/// Queues one line, which is always written as a whole.
pub struct Line<'a>(&'a Lines);

impl Write for Line<'_> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.0.queue_line(line);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Sender, channel};

    use super::*;

    /// Writes when it is allowed to, and is a full disk when it receives `false`.
    struct Slow(Receiver<bool>, Sender<Vec<u8>>);

    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if !self.0.recv().unwrap_or(true) {
                return Err(io::ErrorKind::StorageFull.into());
            }
            self.1.send(bytes.to_vec()).ok();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn slow() -> (Lines, Sender<bool>, Receiver<Vec<u8>>) {
        let ((go, allowed), (written, seen)) = (channel(), channel());
        (Lines::to_writer(Slow(allowed, written)).unwrap(), go, seen)
    }

    #[test]
    fn what_nobody_takes_is_dropped_and_counted_and_holds_a_bounded_room() {
        let (lines, _go, _seen) = slow();
        let line = vec![b'x'; 1 << 10];
        (0..10_000).for_each(|_| lines.queue_line(&line));
        assert!(lines.state.waiting.load(Ordering::Relaxed) <= BYTES);
        let dropped = lines.state.dropped.load(Ordering::Relaxed);
        assert_eq!(dropped, 10_000 - (BYTES / line.len()) as u64);
        lines.wait_until_written(Duration::from_millis(10));
    }

    #[test]
    fn many_short_lines_are_bounded_by_their_number() {
        let (lines, _go, _seen) = slow();
        (0..10_000).for_each(|_| lines.queue_line(b"x\n"));
        let dropped = lines.state.dropped.load(Ordering::Relaxed);
        // Some may be on their way already.
        let most = 10_000 - LINES as u64;
        assert!((most - TOGETHER as u64..=most).contains(&dropped), "{dropped}");
    }

    #[test]
    fn lines_of_a_moment_are_written_at_once_and_in_their_order() {
        let (lines, go, seen) = slow();
        let text: Vec<String> = (0..20).map(|number| format!("line {number}\n")).collect();
        text.iter().for_each(|line| lines.queue_line(line.as_bytes()));
        (0..20).for_each(|_| go.send(true).unwrap());
        lines.wait_until_written(Duration::from_secs(5));
        let written: Vec<Vec<u8>> = seen.try_iter().collect();
        assert!(written.len() < 20, "{} pieces", written.len());
        assert_eq!(String::from_utf8(written.concat()).unwrap(), text.concat());
    }

    #[test]
    fn of_lines_that_are_written_together_those_that_had_no_room_are_counted() {
        /// Has room for so many bytes.
        struct Room(usize);
        impl Write for Room {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                let fits = bytes.len().min(self.0);
                self.0 -= fits;
                Ok(fits)
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let lost = write_all(&mut Room(9), b"first\nsecond\nthird\n");
        assert_eq!(lost, b"ond\nthird\n");
    }

    #[test]
    fn a_line_that_cannot_be_written_is_counted_and_the_next_one_stands_alone() {
        let (lines, go, seen) = slow();
        for (line, takes) in [("first\n", true), ("second\n", false), ("third\n", true)] {
            lines.queue_line(line.as_bytes());
            go.send(takes).unwrap();
            lines.wait_until_written(Duration::from_secs(5));
        }
        let text: Vec<u8> = seen.try_iter().flatten().collect();
        assert_eq!(String::from_utf8(text).unwrap(), "first\n\nthird\n");
        assert_eq!(lines.state.dropped.load(Ordering::Relaxed), 1);
    }
}
