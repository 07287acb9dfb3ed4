//! A year of full-time work, for conversions between yearly, weekly and hourly pay.

/// Hours in a full-time year: 52 weeks of 40 hours (29 CFR 778.113(b); Bureau of Labor Statistics, OEWS technical notes).
pub const HOURS_PER_YEAR: i64 = WEEKS_PER_YEAR * 40;
/// Weeks in a year.
pub const WEEKS_PER_YEAR: i64 = 52;
