//! Webhook subscriptions of a partner application: which events it receives, at which URL, and the token that
//! authenticates both sides.
//!
//! A subscription begins `pending`: a token is posted to its URL, and returning that token proves control of the URL.
//! The token is also the secret that signs deliveries (specification, Webhook subscription). [`service`] has the use
//! cases of subscriptions, [`redelivery`] those of deliveries, beyond the specification: the log of attempts,
//! redelivery and replays. [`outbox`] creates the deliveries of new events; `background::delivery` sends them.

pub mod commands;
pub mod outbox;
pub mod redelivery;
pub mod rows;
pub mod service;
pub mod types;
