//! Minimum wages: which ones are in force at a work location on a day.
//!
//! `table` has the rows of the data set and finds those that apply to a location; `dataset` imports newer ones; `service` finds the
//! minimum wages of a location. The figures of one authority, place, type and condition over time are one rule with one uuid: a
//! compensation
//! that has chosen a rule follows its newer figures, and a newer data set keeps the uuids.

pub mod dataset;
pub mod service;
pub mod table;

pub use table::{Authority, FEDERAL_MINIMUM_WAGE, Place, Table};
