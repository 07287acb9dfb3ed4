//! Who may do what: applications, tokens, users, OAuth.

pub mod me;
pub mod oauth;
