//! The reference data of salary estimates.

use store::Store;

use super::occupations::data::Occupations;
use super::wages::statistics::Statistics;
use super::wages::zip_areas::ZipAreas;
use crate::platform::reference::Live;

/// Occupations and wages, each in the newest vintage.
pub struct Reference {
    /// occupations and their titles
    pub occupations: Live<Occupations>,
    /// wages by area and occupation
    pub wages: Live<Statistics>,
    /// the area of each ZIP code
    pub zip_areas: Live<ZipAreas>,
}

impl Reference {
    /// Access to a store; nothing is opened until it is needed.
    pub fn new(store: &Store) -> Self {
        Self { occupations: Live::new(store), wages: Live::new(store), zip_areas: Live::new(store) }
    }
}
