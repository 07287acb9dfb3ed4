//! Reasonable salary estimates, and the statistics that they rest on.

pub mod estimates;
pub mod occupations;
pub mod reference;
pub mod wages;
