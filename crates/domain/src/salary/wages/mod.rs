//! Wage statistics: what occupations are paid in each area of the country, and in which area a ZIP code lies.
//!
//! `release` is a release of the Occupational Employment and Wage Statistics as it is published, and its packed form;
//! `read` reads the published files; `statistics` is what the service keeps of it in memory. `zip_areas` holds the area
//! of each ZIP code.

mod read;
pub mod release;
pub mod statistics;
pub mod zip_areas;
