//! Minimum wages: which of them hold at a place of work on a day.
//!
//! `table` holds the rows of the data set and finds those that apply to a place; `dataset` imports newer ones; `places`
//! finds the county of an address; `service` and `api` answer what a location's minimum wages are. Rules of one
//! authority, place, type and condition share one uuid whatever their figure is, so that a choice made today follows
//! the wage when it rises, and a newer data set leaves the uuids as they are.

pub mod dataset;
pub mod places;
pub mod service;
pub mod shapes;
pub mod table;

pub use table::{Authority, Place, Table};
