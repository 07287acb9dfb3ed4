//! The queue in which units wait for a storage thread, and its admission control.
//!
//! A caller that would wait too long is refused at once, while it can still retry elsewhere or later, and admitted
//! callers are answered in time: under overload, excess requests cost only their refusal. The expected wait follows
//! from the number of waiting units and from how long units took recently ([`Pace`]).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, TrySendError, bounded};

use crate::Error;
use crate::unit::Unit;

/// How long a unit may be expected to wait for its turn.
const WAIT: Duration = Duration::from_millis(200);
/// This many are admitted at any pace: they may all share the next commit.
const ALWAYS: usize = 256;
/// The longest time that counts for one unit: a few slow units must not turn away callers that can wait.
const LONGEST: Duration = Duration::from_millis(1);

/// The sending end of a queue.
#[derive(Clone)]
pub(crate) struct Queue {
    units: Sender<Box<dyn Unit>>,
    pace: Arc<Pace>,
}

/// The receiving end, for storage threads.
#[derive(Clone)]
pub(crate) struct Waiting {
    pub units: Arc<Receiver<Box<dyn Unit>>>,
    pub pace: Arc<Pace>,
}

/// Creates a queue that holds `limit` units.
pub(crate) fn create_queue(limit: usize) -> (Queue, Waiting) {
    let (sender, units) = bounded(limit);
    let pace = Arc::new(Pace::default());
    (Queue { units: sender, pace: Arc::clone(&pace) }, Waiting { units: Arc::new(units), pace })
}

impl Queue {
    /// Appends a unit.
    ///
    /// # Errors
    /// [`Error::Busy`] when there is no room, or the unit would wait too long; [`Error::Unknown`] when no thread takes
    /// units any more.
    pub fn put_unit(&self, unit: Box<dyn Unit>) -> Result<(), Error> {
        if self.is_stuck() || self.pace.is_too_long(self.units.len()) {
            return Err(Error::Busy);
        }
        self.units.try_send(unit).map_err(|refused| match refused {
            TrySendError::Full(_) => Error::Busy,
            TrySendError::Disconnected(_) => Error::Unknown,
        })
    }

    /// Whether all threads that take units from it wait for a disk that does not answer.
    pub fn is_stuck(&self) -> bool {
        self.pace.stuck.load(Ordering::Relaxed)
    }

    /// Returns the number of waiting units.
    pub fn len(&self) -> usize {
        self.units.len()
    }
}

/// How long a unit recently held up those behind it.
#[derive(Default)]
pub(crate) struct Pace {
    /// a moving average in nanoseconds
    each: AtomicU64,
    /// see [`Queue::is_stuck`]
    stuck: AtomicBool,
}

impl Pace {
    /// Counts `units` that were done within `took` by one of `threads` threads.
    pub fn count_units(&self, units: usize, took: Duration, threads: usize) {
        let done = u128::try_from(units.max(1) * threads.max(1)).unwrap_or(1);
        let each = (took.as_nanos() / done).min(LONGEST.as_nanos());
        let each = u64::try_from(each).unwrap_or(0);
        let before = self.each.load(Ordering::Relaxed);
        // Two threads that update at once lose one of the updates, which hardly changes the average.
        self.each.store(before - before / 8 + each / 8, Ordering::Relaxed);
    }

    /// Notes whether the threads wait for a disk that does not answer.
    pub fn set_stuck(&self, stuck: bool) {
        self.stuck.store(stuck, Ordering::Relaxed);
    }

    fn is_too_long(&self, waiting: usize) -> bool {
        waiting > ALWAYS
            && u128::from(self.each.load(Ordering::Relaxed)) * (waiting as u128) > WAIT.as_nanos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pace after many units in a row that took `each`.
    fn after(each: Duration) -> Pace {
        let pace = Pace::default();
        (0..200).for_each(|_| pace.count_units(1, each, 1));
        pace
    }

    #[test]
    fn a_unit_is_let_in_as_long_as_those_before_it_are_done_in_a_fifth_of_a_second() {
        let pace = after(Duration::from_micros(100));
        assert!(!pace.is_too_long(1_900));
        assert!(pace.is_too_long(2_100));
    }

    #[test]
    fn a_few_long_units_turn_nobody_away() {
        let pace = after(Duration::from_micros(50));
        pace.count_units(1, Duration::from_secs(3), 1);
        assert!(!pace.is_too_long(1_000));
        assert!(!after(Duration::from_secs(3)).is_too_long(ALWAYS), "so many are always let in");
    }

    #[test]
    fn units_that_share_a_commit_and_threads_that_share_a_queue_make_the_wait_shorter() {
        let pace = Pace::default();
        (0..200).for_each(|_| pace.count_units(100, Duration::from_millis(10), 1));
        assert!(!pace.is_too_long(1_900), "a hundred in ten milliseconds");
        let pace = Pace::default();
        (0..200).for_each(|_| pace.count_units(1, Duration::from_millis(1), 10));
        assert!(!pace.is_too_long(1_900), "ten threads, a millisecond each");
        assert!(pace.is_too_long(2_100));
    }
}
