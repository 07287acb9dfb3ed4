//! Whether a storage thread waits for its disk, and since when: a call to a hung disk never returns, and cannot be
//! interrupted, so another thread has to notice.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::Clock;

/// A wait of this length is told: far longer than a healthy disk takes for a commit.
pub(crate) const LONG: Duration = Duration::from_millis(1_200);
/// After a wait of this length whoever waits behind the thread is refused.
pub(crate) const TOO_LONG: Duration = Duration::from_secs(2);

/// When a thread went into the engine, by the monotonic clock in milliseconds; 0 while it is not there.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pulse(Arc<AtomicU64>);

/// Marks a thread as being in the engine, until it is dropped.
pub(crate) struct Inside<'p> {
    pulse: &'p Pulse,
    /// what was marked before: one call of the engine may be part of another
    before: u64,
}

impl Pulse {
    /// Goes into the engine, which is expected to take up to `expected` without any fault of the disk.
    pub fn enter_engine(&self, expected: Duration) -> Inside<'_> {
        let begun = now_millis().saturating_add(as_millis(expected)).max(1);
        Inside { pulse: self, before: self.0.swap(begun, Ordering::Relaxed) }
    }

    /// Shows that the engine goes on.
    pub fn record_beat(&self) {
        if self.0.load(Ordering::Relaxed) != 0 {
            self.0.store(now_millis().max(1), Ordering::Relaxed);
        }
    }

    /// How long the thread has been in the engine without a sign of life.
    pub fn silent_time(&self) -> Duration {
        match self.0.load(Ordering::Relaxed) {
            0 => Duration::ZERO,
            since => Duration::from_millis(now_millis().saturating_sub(since)),
        }
    }
}

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        // What the outer call has already done does not count against the rest of it.
        let since = if self.before == 0 { 0 } else { self.before.max(now_millis()) };
        self.pulse.0.store(since, Ordering::Relaxed);
    }
}

fn now_millis() -> u64 {
    as_millis(Clock::monotonic())
}

fn as_millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// The threads of a store, with what they are called.
#[derive(Debug, Default)]
pub(crate) struct Pulses(pub Vec<(&'static str, Pulse)>);

impl Pulses {
    /// The thread that has been silent the longest, if that is long.
    pub fn longest_silent(&self) -> Option<(&'static str, Duration)> {
        let each = self.0.iter().map(|(name, pulse)| (*name, pulse.silent_time()));
        each.max_by_key(|(_, silence)| *silence).filter(|(_, silence)| *silence >= LONG)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_silent_only_while_it_is_in_the_engine_and_nothing_goes_on_there() {
        let pulse = Pulse::default();
        let pulses = Pulses(vec![("store-writer", pulse.clone())]);
        assert_eq!((pulse.silent_time(), pulses.longest_silent()), (Duration::ZERO, None));
        let inside = pulse.enter_engine(Duration::ZERO);
        std::thread::sleep(Duration::from_millis(60));
        assert!(pulse.silent_time() >= Duration::from_millis(50));
        pulse.record_beat();
        assert!(pulse.silent_time() < Duration::from_millis(50));
        std::thread::sleep(LONG);
        assert!(pulses.longest_silent().is_some_and(|(name, _)| name == "store-writer"));
        drop(inside);
        assert_eq!(pulses.longest_silent(), None);
        let patient = pulse.enter_engine(Duration::from_secs(5));
        assert_eq!(pulse.silent_time(), Duration::ZERO, "as long as that is expected");
        drop(patient);
        pulse.record_beat();
        assert_eq!(pulse.silent_time(), Duration::ZERO);
    }
}
