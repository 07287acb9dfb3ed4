//! Reasonable salary estimates, and the statistics that they are based on.

pub mod estimates;
pub mod occupations;
pub mod reference;
pub mod wages;
