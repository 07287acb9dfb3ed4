//! Who may do what: applications, tokens, users, OAuth; and that a request that is repeated is done once.

pub mod applications;
pub mod connections;
pub mod idempotency;
pub mod oauth;
pub mod scope;
pub mod themes;
pub mod tokens;
pub mod users;
