//! Locations: the places where a company's people work, one of which gets its mail and one of which it files from.
//!
//! `rows` holds the record, `fields` the checks that every postal address shares, `commands` and `service` what can be
//! done with a location.

pub mod commands;
pub mod fields;
pub mod rows;
pub mod service;
