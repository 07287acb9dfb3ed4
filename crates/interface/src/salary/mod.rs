//! Reasonable salary estimates, and the statistics that they use.

pub mod estimates;
pub mod occupations;
