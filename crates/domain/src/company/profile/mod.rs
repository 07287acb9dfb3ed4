//! Reading and updating a company with its other records.

pub mod commands;
pub mod service;

pub use service::Profile;
