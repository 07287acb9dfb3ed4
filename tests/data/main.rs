//! What is packed into the program is what the tables in `data/` say.
//!
//! After a change of a table: `STIPEND_RENEW=1 cargo test -p stipend --test data`, which writes the packed files anew.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends where it fails")]

mod releases;
mod search;

use std::path::{Path, PathBuf};

use domain::platform::reference::columns::uncompressed_bytes;
use domain::platform::reference::{Dataset, Request, Vintage};
use domain::salary::occupations::data::Occupations;
use domain::salary::wages::statistics::Statistics;
use domain::salary::wages::zip_areas::ZipAreas;

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data")
}

/// The bytes that the tables at `path` give, against those at `packed`.
fn packed_is_what_the_tables_say<D: Dataset>(path: &str, packed: &str) {
    let request = Request {
        path: &data().join(path),
        vintage: Some(D::BUILT_IN.vintage),
        fewer: false,
        progress: &|_, _| {},
    };
    let read = D::read(&request, None).unwrap_or_else(|faults| panic!("{path}: {faults}"));
    if std::env::var_os("STIPEND_RENEW").is_some() {
        std::fs::write(data().join("packed").join(packed), &read.bytes).unwrap();
        return;
    }
    assert_eq!(read.vintage, D::BUILT_IN.vintage);
    assert!(
        uncompressed_bytes(&read.bytes) == uncompressed_bytes(D::BUILT_IN.bytes),
        "data/packed/{packed} is not made of data/{path}"
    );
    assert!(Vintage::<D>::built_in().data.rows() > 0);
}

#[test]
fn the_packed_areas_of_zip_codes_are_those_of_the_table() {
    packed_is_what_the_tables_say::<ZipAreas>("zip_areas.csv.gz", "zip_areas.bin");
}

#[test]
fn the_packed_wages_are_those_of_the_tables() {
    packed_is_what_the_tables_say::<Statistics>("wages", "wages.bin");
}

#[test]
fn the_packed_occupations_are_those_of_the_tables() {
    packed_is_what_the_tables_say::<Occupations>("occupations", "occupations.bin");
}
