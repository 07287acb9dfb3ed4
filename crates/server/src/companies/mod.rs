//! Companies and their signatories.

pub mod api;
pub mod rows;
pub mod service;

pub use rows::{find, time_zone};
