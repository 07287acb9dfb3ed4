//! Identifiers and randomness of a unit of work.
//!
//! Ids are UUIDv7: the first 48 bits are the moment in milliseconds, followed by the microseconds and a counter within
//! the unit, so that ids sort in the order of their creation; 50 random bits follow. Ids are names, not secrets: tokens
//! and codes take 256 bits from [`UnitRandom::fill_bytes`].
//!
//! With a seed each unit has its own generator, seeded with the seed and the unit's number, so the same requests in the
//! same order give the same ids and tokens. Without a seed the system's generator is used.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use jiff::Timestamp;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use uuid::Uuid;

/// Returns the lowest id that could have been created at a moment: ids begin with their time in milliseconds.
pub fn lowest_id(moment: Timestamp) -> Uuid {
    let millis = u128::try_from(moment.as_millisecond()).unwrap_or(0);
    Uuid::from_u128(millis << 80)
}

/// The source of randomness for the units of one store.
#[derive(Debug)]
pub struct Randomness {
    seed: Option<u64>,
    units: AtomicU64,
    /// The frozen time part of ids in microseconds, or `i64::MIN` if it is not frozen.
    fixed_time: AtomicI64,
    /// The time part of the newest unit: the next unit's is later, even while the clock stands still.
    newest: AtomicI64,
}

impl Randomness {
    /// Uses the system's generator or, with a seed, a repeatable one (never for real use).
    pub fn new(seed: Option<u64>) -> Self {
        Self {
            seed,
            units: AtomicU64::new(0),
            fixed_time: AtomicI64::new(i64::MIN),
            newest: AtomicI64::new(i64::MIN),
        }
    }

    /// Freezes the time part of new ids, or with `None` lets it follow the clock again. With a frozen time part the ids
    /// of a seeded demo world do not depend on when it is built.
    pub fn fix_id_time(&self, at: Option<Timestamp>) {
        self.fixed_time.store(at.map_or(i64::MIN, Timestamp::as_microsecond), Ordering::Release);
    }

    /// Numbers the next units from `unit` on, and returns the number that would have been next. What a seeded world draws
    /// afterwards depends only on the units since this call, not on how many came before.
    pub fn continue_at(&self, unit: u64) -> u64 {
        self.units.swap(unit, Ordering::AcqRel)
    }

    /// Returns a random name that distinguishes this process from others on the same store; not drawn from the seeded
    /// sequence.
    pub fn node(&self) -> Uuid {
        UnitRandom::unseeded_unit(Timestamp::UNIX_EPOCH).id()
    }

    /// Returns a random byte for jitter; not drawn from the seeded sequence.
    pub(crate) fn jitter(&self) -> u8 {
        let mut byte = [0_u8; 1];
        UnitRandom::unseeded_unit(Timestamp::UNIX_EPOCH).fill_bytes(&mut byte);
        byte[0]
    }

    fn later_than_the_newest(&self, micros: i64) -> i64 {
        let later = |newest: i64| micros.max(newest.saturating_add(1));
        let before =
            self.newest.fetch_update(Ordering::AcqRel, Ordering::Acquire, |newest| Some(later(newest)));
        later(before.unwrap_or_else(|newest| newest))
    }

    pub(crate) fn begin_unit(&self, now: Timestamp) -> UnitRandom {
        let number = self.units.fetch_add(1, Ordering::Relaxed);
        let fixed = self.fixed_time.load(Ordering::Acquire);
        // One microsecond per unit, so that ids sort in the order of units while the clock, or the time part, stands
        // still.
        let micros = if fixed == i64::MIN {
            self.later_than_the_newest(now.as_microsecond())
        } else {
            fixed.saturating_add(i64::try_from(number).unwrap_or(i64::MAX))
        };
        let generator = self.seed.map(|seed| {
            let mut bytes = [0_u8; 32];
            bytes[..8].copy_from_slice(&seed.to_le_bytes());
            bytes[8..16].copy_from_slice(&number.to_le_bytes());
            StdRng::from_seed(bytes)
        });
        UnitRandom { generator, micros: micros.unsigned_abs(), made: 0 }
    }
}

/// The randomness of one unit of work.
pub(crate) struct UnitRandom {
    generator: Option<StdRng>,
    micros: u64,
    made: u64,
}

impl UnitRandom {
    /// Draws from the system's generator even if the store has a seed.
    pub(crate) fn unseeded_unit(now: Timestamp) -> Self {
        Self { generator: None, micros: now.as_microsecond().unsigned_abs(), made: 0 }
    }

    pub(crate) fn fill_bytes(&mut self, bytes: &mut [u8]) {
        match &mut self.generator {
            Some(generator) => generator.fill_bytes(bytes),
            #[expect(
                clippy::disallowed_methods,
                reason = "the one place that may ask the system's generator"
            )]
            None => rand::rng().fill_bytes(bytes),
        }
    }

    /// Creates a UUIDv7 (RFC 9562): later ids of a unit sort after earlier ones.
    pub(crate) fn id(&mut self) -> Uuid {
        let mut random = [0_u8; 8];
        self.fill_bytes(&mut random);
        let millis = self.micros / 1_000;
        let sub_millis = (self.micros % 1_000) << 2;
        // 14 bits of counter and 48 random bits fill the 62 bits after the variant.
        let counter = self.made & 0x3FFF;
        self.made += 1;
        let high = (millis << 16) | 0x7000 | sub_millis;
        let low = (0b10 << 62) | (counter << 48) | (u64::from_le_bytes(random) >> 16);
        Uuid::from_u64_pair(high, low)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_a_unit_are_version_7_and_sort_in_the_order_they_were_made() {
        let now: Timestamp = "2026-11-21T09:00:00.123456Z".parse().unwrap();
        let mut unit = Randomness::new(None).begin_unit(now);
        let ids: Vec<Uuid> = (0..2_000).map(|_| unit.id()).collect();
        assert!(ids.is_sorted());
        assert!(ids.iter().all(|id| id.get_version_num() == 7));
    }

    #[test]
    fn the_same_seed_gives_the_same_ids_and_another_seed_others() {
        let now = Timestamp::UNIX_EPOCH;
        let first = |seed| Randomness::new(Some(seed)).begin_unit(now).id();
        assert_eq!(first(7), first(7));
        assert_ne!(first(7), first(8));
    }

    #[test]
    fn units_of_one_seed_do_not_repeat_each_other() {
        let randomness = Randomness::new(Some(7));
        assert_ne!(
            randomness.begin_unit(Timestamp::UNIX_EPOCH).id(),
            randomness.begin_unit(Timestamp::UNIX_EPOCH).id()
        );
    }

    #[test]
    fn ids_sort_in_the_order_of_units_even_while_the_clock_stands_still() {
        let randomness = Randomness::new(None);
        let now: Timestamp = "2026-11-21T09:00:00Z".parse().unwrap();
        let ids: Vec<Uuid> = (0..500).map(|_| randomness.begin_unit(now).id()).collect();
        assert!(ids.is_sorted());
    }

    #[test]
    fn a_fixed_time_part_makes_ids_independent_of_the_clock() {
        let fixed: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
        let first = |now: &str| {
            let randomness = Randomness::new(Some(7));
            randomness.fix_id_time(Some(fixed));
            randomness.begin_unit(now.parse().unwrap()).id()
        };
        assert_eq!(first("2026-11-21T09:00:00Z"), first("2027-11-21T09:00:00Z"));
    }
}
