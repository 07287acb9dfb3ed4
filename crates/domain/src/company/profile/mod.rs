//! A company with what belongs to it, as it is read and updated.

pub mod commands;
pub mod service;

pub use service::Profile;
