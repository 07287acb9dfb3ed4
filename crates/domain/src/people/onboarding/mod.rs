//! Onboarding of an employee: where it stands, what is still open, and the moves from one status to the next.
//!
//! Which steps are complete and which moves are allowed is decided in `rules::onboarding`; here the facts are read
//! and the moves are written down, each with its event. Services that change an employee's data call
//! [`service::after_change`] in the same unit of work: so the status moves by itself, whichever way the data came.

pub mod service;
pub mod shapes;
