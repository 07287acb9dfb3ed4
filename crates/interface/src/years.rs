//! Figures of years that were shown lately: the next view reads them only if something has changed.

use std::sync::Arc;

use domain::Error;
use domain::returns::known_years::KnownYear;
use quick_cache::sync::Cache;
use store::Tx;
use uuid::Uuid;

/// Years that are kept. Each has a few numbers for everybody who was paid.
const YEARS: usize = 16;

/// Figures by company and year.
pub struct Years(Cache<(Uuid, i16), Arc<KnownYear>>);

impl Default for Years {
    fn default() -> Self {
        Self(Cache::new(YEARS))
    }
}

impl Years {
    /// Returns the figures of a year, as they are now.
    ///
    /// # Errors
    /// "Not found"; 422 for a year whose rates are not known; a store error.
    pub fn known_year(&self, tx: &mut Tx<'_>, company: Uuid, year: i16) -> Result<Arc<KnownYear>, Error> {
        if let Some(known) = self.0.get(&(company, year))
            && known.is_current(tx, company)?
        {
            return Ok(known);
        }
        let read = Arc::new(KnownYear::read_year(tx, company, year)?);
        self.0.insert((company, year), Arc::clone(&read));
        Ok(read)
    }
}
