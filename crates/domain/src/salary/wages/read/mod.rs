//! Reads a release of the wage statistics: the workbook with all data (`all_data_M_2025.xlsx`), the flat files of the
//! time series (`oe.data.*`, `oe.area`, …), or tables in the layout of `data/wages`; each alone, in a folder or in a
//! zip file.
//!
//! Every cell that is used is checked, and every error is reported with its location. The statistics also contain
//! industries; only the figures for all industries together are used.

mod cell;
mod known;
mod series;
mod table;
mod workbook;

use rules::salary::AreaKind;

use self::known::Before;
use super::release::Release;
use crate::platform::reference::source::Files;
use crate::platform::reference::{Faults, Request};

/// The release in the files of a request, with the name of its vintage.
///
/// # Errors
/// The errors of the files.
pub fn read_release(request: &Request<'_>, before: Before<'_>) -> Result<(String, Release), Faults> {
    let mut files = Files::at_path(request.path, request.progress)?;
    let names = files.file_names();
    let mut faults = Faults::default();
    let is = |what: fn(&str) -> bool| names.iter().any(|name| what(name));
    let (stated, mut release) = if is(workbook::is_one) {
        workbook::read_workbook(&mut files, before, &mut faults)?
    } else if is(series::is_one) {
        series::read_newest_year(&mut files, before, &mut faults)?
    } else if is(table::is_one) {
        (None, table::read_tables(&mut files, before, &mut faults)?)
    } else {
        let why = format!(
            "{}: no workbook (all_data_M_2025.xlsx), no time series (oe.data.0.Current) and no table (.csv)",
            request.path.display()
        );
        return Err(why.into());
    };
    release.check(&mut faults);
    if let Some(before) = before.filter(|_| !request.fewer) {
        // Metropolitan areas are redefined every ten years; states stay.
        let gone = before.all_areas().filter(|(code, area)| {
            area.kind == AreaKind::State && !release.state_areas().any(|(held, _)| held == *code)
        });
        for (code, area) in gone {
            faults.push(|| {
                format!("area {code:07}, {}, is missing: the file is not the whole release", area.name)
            });
        }
    }
    faults.finish()?;
    let vintage = request.vintage.map(str::to_owned).or(stated);
    let vintage = vintage.ok_or_else(|| "the vintage must be given: the files do not state it".to_owned())?;
    Ok((vintage, release))
}
