//! Retry schedule of failed deliveries.
//!
//! There are at most sixteen retries, the last one within three days of the first attempt (specification,
//! Limits). Delays grow by a factor of 1.87 starting at ten seconds and are measured from the first attempt,
//! so that slow responses do not push the last retry out of the three days. Jitter only shortens a delay, by
//! at most a tenth: receivers that failed together are not retried together, and intervals still grow.
//!
//! The schedule is a compile-time table. Times are milliseconds since the first attempt.

/// Maximum number of retries.
pub const RETRIES: u32 = 16;
/// Window of all retries, in milliseconds from the first attempt: three days.
pub const WINDOW: i64 = 72 * 3_600_000;
/// First delay, in milliseconds.
const FIRST: i64 = 10_000;
/// Growth factor of delays, in hundredths.
const GROWTH: i64 = 187;
/// A retry that is late by less than this still takes place; a later one is superseded by the next. A first
/// attempt that timed out must not cost the first retry.
const GRACE: i64 = 15_000;

/// Offsets of the retries from the first attempt.
const OFFSETS: [i64; RETRIES as usize] = {
    let mut offsets = [0; RETRIES as usize];
    let (mut delay, mut offset, mut slot) = (FIRST, 0, 0);
    while slot < offsets.len() {
        offset += delay;
        offsets[slot] = offset;
        delay = delay * GROWTH / 100;
        slot += 1;
    }
    offsets
};

const _: () = assert!(OFFSETS[RETRIES as usize - 1] <= WINDOW, "the last retry lies within the three days");
const _: () = assert!(OFFSETS[RETRIES as usize - 1] > WINDOW / 10 * 9, "and uses them");

/// A scheduled retry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retry {
    /// 1-based position in the schedule, up to [`RETRIES`]
    pub used: u32,
    /// Milliseconds after the first attempt.
    pub at: i64,
}

/// Returns the retry after a failed attempt; `None` if it was the last one.
///
/// `used` retries have been used; the attempt ended `elapsed` milliseconds after the first one began. `asked`
/// is the delay in milliseconds requested by the receiver (`Retry-After`): it extends the delay, but not
/// beyond [`WINDOW`]. `chance` is the jitter: 0 keeps the delay, 255 shortens it by a tenth.
pub fn next(used: u32, elapsed: i64, asked: i64, chance: u8) -> Option<Retry> {
    if elapsed >= WINDOW {
        return None;
    }
    let earliest = elapsed.saturating_add(asked.max(0)).min(WINDOW);
    let mut before = if used == 0 { 0 } else { *OFFSETS.get(used as usize - 1)? };
    for (slot, &offset) in OFFSETS.iter().enumerate().skip(used as usize) {
        let last = slot + 1 == OFFSETS.len();
        if last || offset + GRACE > earliest {
            let planned = offset - (offset - before) / 10 * i64::from(chance) / 255;
            return Some(Retry {
                used: u32::try_from(slot).unwrap_or(RETRIES) + 1,
                at: planned.max(earliest),
            });
        }
        before = offset;
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns the times of all attempts on a receiver that always fails; each attempt takes `takes` milliseconds.
    fn schedule(takes: i64, asked: i64, chance: impl Fn(u32) -> u8) -> Vec<i64> {
        let (mut times, mut used) = (vec![0], 0);
        while let Some(retry) = next(used, times[times.len() - 1] + takes, asked, chance(used)) {
            used = retry.used;
            times.push(retry.at);
        }
        times
    }

    #[test]
    fn a_receiver_that_always_fails_is_tried_seventeen_times_in_three_days() {
        let times = schedule(5, 0, |_| 0);
        assert_eq!(times.len(), 17);
        assert_eq!(times[..5], [0, 10_000, 28_700, 63_669, 129_061]);
        assert!((WINDOW / 10 * 9..=WINDOW).contains(&times[16]), "{times:?}");
    }

    #[test]
    fn a_receiver_that_lets_every_try_run_out_of_time_is_tried_as_often() {
        assert_eq!(schedule(10_000, 0, |_| 255).len(), 17);
    }

    #[test]
    fn retry_after_lengthens_a_delay_but_not_beyond_the_three_days() {
        assert_eq!(
            next(0, 100, 40_000, 0),
            Some(Retry { used: 2, at: 40_100 }),
            "the first delay has passed by then"
        );
        assert_eq!(next(0, 100, 1, 0).unwrap().at, 10_000, "a shorter time changes nothing");
        assert_eq!(next(3, 70_000, i64::MAX, 0), Some(Retry { used: 16, at: WINDOW }));
        assert_eq!(next(3, 70_000, -5, 0).unwrap().at, 129_061);
    }

    #[test]
    fn after_a_long_standstill_one_try_makes_up_for_all_that_were_missed() {
        let day = 24 * 3_600_000;
        let next = next(2, day, 0, 0).unwrap();
        assert!(next.at > day && next.used > 10, "{next:?}");
    }

    #[test]
    fn nothing_follows_the_last_try_or_the_three_days() {
        assert_eq!(next(RETRIES, 1_000, 0, 0), None);
        assert_eq!(next(RETRIES + 9, 1_000, 0, 0), None);
        assert_eq!(next(0, WINDOW, 0, 0), None);
    }

    proptest! {
        #[test]
        fn intervals_grow_whatever_chance_does(chances in proptest::array::uniform16(any::<u8>())) {
            let times = schedule(3, 0, |used| chances[used as usize % 16]);
            prop_assert_eq!(times.len(), 17);
            let gaps: Vec<_> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
            prop_assert!(gaps.windows(2).all(|pair| pair[1] > pair[0]), "{:?}", gaps);
            prop_assert!(times[16] <= WINDOW);
        }

        #[test]
        fn chance_only_shortens(used in 0_u32..16, chance: u8) {
            let longest = next(used, 0, 0, 0).unwrap().at;
            let at = next(used, 0, 0, chance).unwrap().at;
            prop_assert!(at <= longest && at >= longest / 10 * 8);
        }

        #[test]
        fn a_retry_lies_after_what_was_and_within_the_window(
            used in 0_u32..20, elapsed in 0..WINDOW * 2, asked in -1_i64..WINDOW * 2, chance: u8,
        ) {
            if let Some(retry) = next(used, elapsed, asked, chance) {
                prop_assert!(retry.at >= elapsed && retry.at <= WINDOW);
                prop_assert!(retry.used > used && retry.used <= RETRIES);
            }
        }
    }
}
