//! Deliveries of events in the store, and where they may go. The calls themselves are made by `background::delivery`.

pub mod address;
pub mod rows;
pub mod tries;
