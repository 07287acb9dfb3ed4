//! Companies: identity, status, and facts that affect a migration.
//!
//! `rows` has the record, `traits` the facts, `service` creates a company. Reading a company with its other records is
//! in [`profile`](super::profile).

pub mod rows;
pub mod service;
pub mod traits;

pub use rows::{find_company, time_zone};
