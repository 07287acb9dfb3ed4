//! How much at once a receiver is trusted with, and which room its tries take place in.
//!
//! Every receiver begins with one try at a time and gets one more with each quick acknowledgement; a failure or a slow
//! answer takes it back to one. A receiver that has shown to be quick works in a room of its own, and retries in another, so
//! that a thousand receivers that never answer fill only the room of the unproven, one place each.

use std::time::Duration;

/// Tries at once that one receiver can come to.
const MOST: usize = 256;
/// From so many tries at once on a receiver counts as proven.
const PROVEN: usize = 4;
/// A quick answer.
const QUICK: Duration = Duration::from_secs(1);

/// What is known of a receiver, since this process started.
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
    /// How many tries may run at once.
    pub fn at_once(self) -> usize {
        self.at_once
    }

    /// Notes the end of a try.
    pub fn note(&mut self, succeeded: bool, took: Duration) {
        self.at_once = if succeeded && took < QUICK { (self.at_once + 1).min(MOST) } else { 1 };
    }

    /// The room in which its tries run.
    pub fn room(self, retries: bool) -> Room {
        if retries {
            Room::Retries
        } else if self.at_once >= PROVEN {
            Room::Proven
        } else {
            Room::Unproven
        }
    }
}

/// Rooms that do not take each other's places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Room {
    /// first tries of receivers that answered quickly
    Proven,
    /// first tries of all others
    Unproven,
    /// retries
    Retries,
}

/// The places that are taken in each room.
#[derive(Debug, Default)]
pub struct Rooms([usize; 3]);

impl Rooms {
    /// Tries at once in a room.
    pub const fn size(room: Room) -> usize {
        match room {
            Room::Proven => 512,
            Room::Unproven => 2_048,
            Room::Retries => 1_024,
        }
    }

    /// Takes a place, if there is one.
    pub fn enter(&mut self, room: Room) -> bool {
        let free = self.0[room as usize] < Self::size(room);
        self.0[room as usize] += usize::from(free);
        free
    }

    /// Gives a place back.
    pub fn leave(&mut self, room: Room) {
        self.0[room as usize] = self.0[room as usize].saturating_sub(1);
    }

    /// Places that are taken.
    pub fn taken(&self) -> usize {
        self.0.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receiver_earns_its_room_by_quick_answers_and_loses_it_by_one_slow_or_failed_one() {
        let mut standing = Standing::default();
        assert_eq!(standing.room(false), Room::Unproven);
        (0..300).for_each(|_| standing.note(true, Duration::from_millis(5)));
        assert_eq!((standing.at_once(), standing.room(false)), (MOST, Room::Proven));
        standing.note(true, Duration::from_secs(9));
        assert_eq!((standing.at_once(), standing.room(false)), (1, Room::Unproven));
        (0..3).for_each(|_| standing.note(true, Duration::from_millis(5)));
        standing.note(false, Duration::from_millis(5));
        assert_eq!(standing, Standing::default());
    }

    #[test]
    fn a_room_that_is_full_leaves_the_others_alone() {
        let mut rooms = Rooms::default();
        while rooms.enter(Room::Unproven) {}
        assert!(rooms.enter(Room::Proven) && rooms.enter(Room::Retries));
        rooms.leave(Room::Unproven);
        assert!(rooms.enter(Room::Unproven) && !rooms.enter(Room::Unproven));
        assert_eq!(rooms.taken(), 2_050);
    }
}
