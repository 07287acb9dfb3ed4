//! Wage statistics: the wages of occupations in each area of the country, and the area of a ZIP code.
//!
//! `release` is a release of the Occupational Employment and Wage Statistics as published, and its packed format;
//! `read` reads the published files, `dataset` imports them; `statistics` is the part that the service keeps in memory. `zip_areas` has the
//! area of each ZIP code.

mod dataset;
mod read;
pub mod release;
pub mod statistics;
pub mod zip_areas;
