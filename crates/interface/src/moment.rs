//! Moments on the wire.

use jiff::Timestamp;

/// A moment in UTC to the millisecond.
pub fn format_moment(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_written_in_utc_to_the_millisecond() {
        let at = Timestamp::from_microsecond(1_750_000_000_120_999).unwrap();
        assert_eq!(format_moment(at), "2025-06-15T15:06:40.120Z");
    }
}
