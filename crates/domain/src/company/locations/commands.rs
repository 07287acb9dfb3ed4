//! What can be asked for a location.

pub use super::rows::{CreateLocation, UpdateLocation};
