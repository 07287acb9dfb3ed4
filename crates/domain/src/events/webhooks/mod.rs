//! Webhook subscriptions of a partner application: which events it wants, where they go, and the token that proves
//! both sides.
//!
//! A subscription begins `pending`: a token is posted to its address, and whoever sends that token back has shown to
//! own the address; the token is also the secret that signs (specification, Webhook subscription). `api` and `service`
//! are the operations of the interface; `log` those on deliveries, beyond the specification: every try, delivering
//! again, replacing the secret. How events get there is [`crate::events::delivery`].

pub mod again;
pub mod log;
pub mod rows;
pub mod service;
pub mod shapes;
pub mod types;
