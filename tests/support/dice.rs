//! Chance that comes again: SplitMix64, from one seed.

#![allow(
    dead_code,
    clippy::unwrap_used,
    reason = "each test crate uses a part of it, and a test ends where it fails"
)]

/// Whatever is decided by chance is decided by dice.
#[derive(Debug, Clone)]
pub struct Dice(u64);

impl Dice {
    /// Dice of their own for each use, so that one that rolls more often changes nothing for the others.
    pub fn new(seed: u64, usage: &str) -> Self {
        let mut dice = Self(seed);
        for byte in usage.bytes() {
            dice.0 = dice.roll() ^ u64::from(byte);
        }
        dice
    }

    /// Any number.
    pub fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number from 0 to below `most`.
    pub fn below(&mut self, most: usize) -> usize {
        usize::try_from(self.roll() % most.max(1) as u64).unwrap()
    }

    /// A number between two, both included.
    pub fn between(&mut self, least: i64, most: i64) -> i64 {
        let sides = u64::try_from(most - least + 1).unwrap();
        least + i64::try_from(self.roll() % sides).unwrap()
    }

    /// Whether something happens that happens in so many of a hundred cases.
    pub fn percent(&mut self, chance: usize) -> bool {
        self.below(100) < chance
    }

    /// One of several.
    pub fn of<'a, T>(&mut self, some: &'a [T]) -> &'a T {
        &some[self.below(some.len())]
    }

    /// One of several, if there is any.
    pub fn any<'a, T>(&mut self, some: &'a [T]) -> Option<&'a T> {
        if some.is_empty() { None } else { Some(self.of(some)) }
    }

    /// The place of one among several that come more or less often.
    pub fn weighted(&mut self, weights: &[usize]) -> usize {
        let mut left = self.below(weights.iter().sum());
        weights
            .iter()
            .position(|weight| {
                let here = left < *weight;
                left = left.wrapping_sub(*weight);
                here
            })
            .unwrap()
    }
}
