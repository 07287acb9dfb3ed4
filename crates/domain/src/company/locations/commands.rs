//! Inputs of the use cases of locations.

pub use super::rows::{CreateLocation, UpdateLocation};
