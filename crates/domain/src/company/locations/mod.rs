//! Locations: the places where a company's people work, one of which gets its mail and one of which it files from.
//!
//! `rows` holds the record, `fields` the checks that every postal address shares, `service` what can be done with
//! a location, `api` the operations.

pub mod fields;
pub mod rows;
pub mod service;
pub mod shapes;
