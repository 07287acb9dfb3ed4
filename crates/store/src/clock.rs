//! The one source of time. All code reads the time from a [`Clock`], so that tests, the demo world and its test clock
//! can stop or move time.
//!
//! A running clock is an anchor (the wall clock, read once at start) plus the time that has passed since boot. It does
//! not follow later steps of the wall clock in either direction: a code that is valid for ten minutes stays valid for
//! ten minutes, and no record is updated before it was created. NTP disciplines the rate of the boot clock as it does
//! that of the wall clock, so the two do not drift apart while the process lives. After a restart the clock continues
//! no earlier than the latest change in the store ([`crate::Latest`]), however the machine's clock was set in the
//! meantime.
//!
//! The time is read through the C library, so that a test can interpose a clock of its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use jiff::Timestamp;
use rustix::time::{ClockId, clock_gettime};

/// Reads the time, to the microsecond. Clones share one clock.
#[derive(Clone, Debug)]
pub struct Clock(Arc<Kind>);

#[derive(Debug)]
enum Kind {
    /// Wall clock at start minus time since boot at start, plus how far the test clock was moved; in microseconds.
    Running { anchor: i64, moved: AtomicI64 },
    /// Stands still until it is moved; in microseconds since 1970.
    Standing(AtomicI64),
}

impl Clock {
    /// Creates a clock that starts at the wall clock's time and is then counted by the boot clock.
    pub fn from_system() -> Self {
        let wall = clock_gettime(ClockId::Realtime);
        let wall = wall.tv_sec * 1_000_000 + wall.tv_nsec / 1_000;
        Self(Arc::new(Kind::Running { anchor: wall - since_boot(), moved: AtomicI64::new(0) }))
    }

    /// Creates a clock that shows `at` now and then runs in real time: for a demo world that begins in the past.
    pub fn running_from(at: Timestamp) -> Self {
        Self(Arc::new(Kind::Running { anchor: at.as_microsecond() - since_boot(), moved: AtomicI64::new(0) }))
    }

    /// Creates a clock that shows `at` until it is moved.
    pub fn standing_at(at: Timestamp) -> Self {
        Self(Arc::new(Kind::Standing(AtomicI64::new(at.as_microsecond()))))
    }

    /// Returns the current time.
    pub fn now(&self) -> Timestamp {
        let micros = match &*self.0 {
            Kind::Running { anchor, moved } => anchor + since_boot() + moved.load(Ordering::Acquire),
            Kind::Standing(at) => at.load(Ordering::Acquire),
        };
        // The range of Timestamp is years -9999 to 9999; a clock outside it would be a broken machine.
        Timestamp::from_microsecond(micros).unwrap_or(Timestamp::MAX)
    }

    /// Moves the clock to `to`. Time never goes back: no-op if `to` is in the past.
    pub fn advance_to(&self, to: Timestamp) {
        let now = self.now();
        match &*self.0 {
            Kind::Running { moved, .. } => {
                moved.fetch_add((to.as_microsecond() - now.as_microsecond()).max(0), Ordering::AcqRel);
            }
            Kind::Standing(at) => {
                at.fetch_max(to.as_microsecond(), Ordering::AcqRel);
            }
        }
    }

    /// Shows `to` from now on, also if it is in the past: for a command beside a service whose test clock was moved.
    pub fn follow_clock(&self, to: Timestamp) {
        let now = self.now();
        match &*self.0 {
            Kind::Running { moved, .. } => {
                moved.fetch_add(to.as_microsecond() - now.as_microsecond(), Ordering::AcqRel);
            }
            Kind::Standing(at) => at.store(to.as_microsecond(), Ordering::Release),
        }
    }

    /// Whether the clock stands still until it is moved.
    pub fn is_standing(&self) -> bool {
        matches!(&*self.0, Kind::Standing(_))
    }

    /// Returns the machine's time, whatever the test clock shows: for what others compare with their own clocks.
    pub fn wall_time() -> Timestamp {
        let time = clock_gettime(ClockId::Realtime);
        Timestamp::from_microsecond(time.tv_sec * 1_000_000 + time.tv_nsec / 1_000).unwrap_or(Timestamp::MAX)
    }

    /// Returns the time since an arbitrary moment, unaffected by the test clock: for timeouts and durations.
    pub fn monotonic() -> Duration {
        let time = clock_gettime(ClockId::Monotonic);
        Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
    }
}

/// Returns the microseconds since the machine started, including suspended time.
fn since_boot() -> i64 {
    let time = clock_gettime(ClockId::Boottime);
    time.tv_sec * 1_000_000 + time.tv_nsec / 1_000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_standing_clock_moves_only_when_told_and_never_back() {
        let start: Timestamp = "2026-11-21T09:00:00Z".parse().unwrap();
        let later: Timestamp = "2026-11-22T09:00:00Z".parse().unwrap();
        let clock = Clock::standing_at(start);
        assert_eq!(clock.now(), start);
        clock.advance_to(later);
        clock.advance_to(start);
        assert_eq!(clock.now(), later);
    }

    #[test]
    fn a_clock_that_begins_in_the_past_is_moved_to_the_present() {
        let start: Timestamp = "2026-01-02T09:00:00Z".parse().unwrap();
        let clock = Clock::running_from(start);
        assert!(clock.now() >= start && clock.now() < start + jiff::Span::new().hours(1));
        let present = Clock::from_system().now();
        clock.advance_to(present);
        assert!(clock.now() >= present);
    }

    #[test]
    fn a_clock_that_follows_another_shows_its_time_also_in_the_past() {
        let past: Timestamp = "2020-01-01T00:00:00Z".parse().unwrap();
        for clock in [Clock::from_system(), Clock::standing_at(Clock::wall_time())] {
            clock.follow_clock(past);
            assert!(clock.now() >= past && clock.now() < past + jiff::Span::new().hours(1));
        }
        assert!(Clock::standing_at(past).is_standing() && !Clock::from_system().is_standing());
    }

    #[test]
    fn a_running_clock_goes_on_from_where_it_was_moved() {
        let clock = Clock::from_system();
        let to = clock.now() + jiff::Span::new().hours(48);
        clock.advance_to(to);
        assert!(clock.now() >= to);
    }
}
