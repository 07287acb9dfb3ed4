//! Companies: identity, status, and facts that affect a migration.
//!
//! `rows` holds the record, `traits` the facts, `commands` and `service` the use cases.

pub mod commands;
pub mod rows;
pub mod service;
pub mod traits;

pub use rows::{find, time_zone};
