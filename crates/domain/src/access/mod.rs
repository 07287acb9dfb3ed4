//! Who may do what: applications, tokens, users, OAuth.

pub mod applications;
pub mod connections;
pub mod oauth;
pub mod scope;
pub mod themes;
pub mod tokens;
pub mod users;
