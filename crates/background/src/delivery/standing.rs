//! How many attempts at once each receiver gets, and in which pool they run.
//!
//! Every receiver starts with one attempt at a time and gets one more with each quick acknowledgement; a failure or a slow response resets
//! it to one. Receivers that have proved quick run in a pool of their own, and retries in another, so a thousand receivers that never
//! respond fill only the pool of the unproven, one slot each.

use std::time::Duration;

/// Maximum of concurrent attempts of one receiver.
const MOST: usize = 256;
/// From this many concurrent attempts on, a receiver counts as proven.
const PROVEN: usize = 4;
/// A response within this time is quick.
const QUICK: Duration = Duration::from_secs(1);

/// What is known of a receiver since this process started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    at_once: usize,
}

impl Default for Standing {
    fn default() -> Self {
        Self { at_once: 1 }
    }
}

impl Standing {
    /// How many attempts may run at once.
    pub fn at_once(self) -> usize {
        self.at_once
    }

    /// Records the end of an attempt.
    pub fn record_attempt(&mut self, succeeded: bool, took: Duration) {
        self.at_once = if succeeded && took < QUICK { (self.at_once + 1).min(MOST) } else { 1 };
    }

    /// The pool in which its attempts run.
    pub fn attempt_pool(self, retries: bool) -> Room {
        if retries {
            Room::Retries
        } else if self.at_once >= PROVEN {
            Room::Proven
        } else {
            Room::Unproven
        }
    }
}

/// Pools, whose slots are independent of each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Room {
    /// first attempts of receivers that responded quickly
    Proven,
    /// first attempts of all others
    Unproven,
    /// retries
    Retries,
}

/// The used slots of each pool.
#[derive(Debug, Default)]
pub struct Rooms([usize; 3]);

impl Rooms {
    /// Slots of a pool.
    pub const fn slot_count(room: Room) -> usize {
        match room {
            Room::Proven => 512,
            Room::Unproven => 2_048,
            Room::Retries => 1_024,
        }
    }

    /// Takes a slot, if one is free.
    pub fn take_slot(&mut self, room: Room) -> bool {
        let free = self.0[room as usize] < Self::slot_count(room);
        self.0[room as usize] += usize::from(free);
        free
    }

    /// Releases a slot.
    pub fn release_slot(&mut self, room: Room) {
        self.0[room as usize] = self.0[room as usize].saturating_sub(1);
    }

    /// Used slots.
    pub fn used_slots(&self) -> usize {
        self.0.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receiver_gains_slots_by_quick_responses_and_loses_them_by_a_slow_or_failed_one() {
        let mut standing = Standing::default();
        assert_eq!(standing.attempt_pool(false), Room::Unproven);
        (0..300).for_each(|_| standing.record_attempt(true, Duration::from_millis(5)));
        assert_eq!((standing.at_once(), standing.attempt_pool(false)), (MOST, Room::Proven));
        standing.record_attempt(true, Duration::from_secs(9));
        assert_eq!((standing.at_once(), standing.attempt_pool(false)), (1, Room::Unproven));
        (0..3).for_each(|_| standing.record_attempt(true, Duration::from_millis(5)));
        standing.record_attempt(false, Duration::from_millis(5));
        assert_eq!(standing, Standing::default());
    }

    #[test]
    fn a_full_pool_does_not_affect_the_others() {
        let mut rooms = Rooms::default();
        while rooms.take_slot(Room::Unproven) {}
        assert!(rooms.take_slot(Room::Proven) && rooms.take_slot(Room::Retries));
        rooms.release_slot(Room::Unproven);
        assert!(rooms.take_slot(Room::Unproven) && !rooms.take_slot(Room::Unproven));
        assert_eq!(rooms.used_slots(), 2_050);
    }
}
