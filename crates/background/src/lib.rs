//! What runs beside requests: work that falls due, old rows that are swept away, and the delivery of webhooks.

pub mod delivery;
pub mod liveness;
mod pickup;
pub mod retention;
pub mod worker;

pub use worker::watch;
