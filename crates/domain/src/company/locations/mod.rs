//! Locations: where a company's employees work, including its mailing address and its filing address.
//!
//! `rows` has the record, `fields` the checks shared by all postal addresses, `places` the answers about them, `commands` and `service` the use cases.

pub mod commands;
pub mod fields;
pub mod places;
pub mod rows;
pub mod service;
