//! What runs besides requests: due jobs, the deletion of old rows, and webhook delivery.

pub mod delivery;
pub mod liveness;
mod pickup;
pub mod retention;
pub mod worker;

pub use worker::update_metrics;
