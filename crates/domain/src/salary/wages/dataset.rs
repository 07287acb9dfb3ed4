//! The wage statistics as a kind of reference data that can be imported.

use std::sync::{Arc, OnceLock};

use super::read;
use super::statistics::Statistics;
use crate::platform::reference::{Bundle, Dataset, Faults, Packed, Request, Vintage};

impl Dataset for Statistics {
    const KIND: &'static str = "wages";
    const BUILT_IN: Bundle =
        Bundle { vintage: "2025-05", bytes: include_bytes!("../../../../../data/packed/wages.bin") };

    fn built_in() -> &'static OnceLock<Arc<Vintage<Self>>> {
        static CELL: OnceLock<Arc<Vintage<Statistics>>> = OnceLock::new();
        &CELL
    }

    fn open(bytes: &[u8]) -> Result<Self, String> {
        Self::from_packed(bytes)
    }

    fn read(request: &Request<'_>, before: Option<&Self>) -> Result<Packed, Faults> {
        let (vintage, release) = read::read_release(request, before)?;
        Ok(Packed { vintage, bytes: release.pack() })
    }

    fn rows(&self) -> usize {
        self.len()
    }

    fn changes(&self, before: &Self) -> Vec<String> {
        self.changes_since(before)
    }

    fn template() -> String {
        "all_data_M_YYYY.xlsx as published, the flat files of a release, or the .csv files of the folder data/wages\n".to_owned()
    }
}
