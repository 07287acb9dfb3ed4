//! Wage statistics: what occupations are paid in each area of the country, and in which area a ZIP code lies.
//!
//! `zip_areas` holds the area of each ZIP code.

pub mod zip_areas;
