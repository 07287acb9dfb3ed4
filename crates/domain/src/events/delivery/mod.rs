//! Deliveries of events in the store, and the allowed addresses. `background::delivery` makes the calls.

pub mod address;
pub mod rows;
pub mod tries;
