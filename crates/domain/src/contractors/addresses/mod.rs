//! Where contractors live or have their seat: one address each, without a date.

pub mod rows;
pub mod service;

pub use rows::ContractorAddress;
