//! An operator's file, read and checked before anything is changed.

use jiff::ToSpan;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use store::Clock;

use crate::platform::reference::{Dataset, LARGEST, Packed, Request, Vintage, vintage_checksum};

/// Minimum size of a new vintage, in percent of the rows of the previous one. Truncated files, or imports with a file missing, have fewer.
/// Releases differ by a few percent from year to year.
const LEAST_KEPT: usize = 90;

/// The imported vintage that a new one would replace, if there is one.
pub(super) type Before = Option<(String, Vec<u8>)>;

/// A vintage that is ready to store.
pub(super) struct Prepared {
    pub packed: Packed,
    /// name of the vintage that it replaces
    pub before: String,
    pub checksum: String,
    pub rows: usize,
    pub changes: Vec<String>,
}

/// Reads and checks the file, and opens the result as the service will.
pub(super) fn prepare_vintage<D: Dataset>(
    request: &Request<'_>,
    before: &Before,
) -> Result<Prepared, String> {
    let built_in = Vintage::<D>::built_in();
    let imported = match before {
        Some((vintage, bytes)) if vintage.as_str() >= D::BUILT_IN.vintage => {
            // A fault in the previous vintage must not keep a better one from being imported.
            Vintage::<D>::open(vintage, bytes).ok()
        }
        _ => None,
    };
    let before = imported.as_ref().unwrap_or(&built_in);
    let packed = D::read(request, Some(&before.data)).map_err(|faults| {
        format!(
            "{}: nothing was imported, because of {} error(s):\n  {faults}",
            request.path.display(),
            faults.count()
        )
    })?;
    if packed.bytes.len() > LARGEST {
        return Err(format!("nothing was imported: the data is larger than {} MB", LARGEST >> 20));
    }
    // Imports of one day are numbered.
    if packed.vintage.as_str() < before.name.split('+').next().unwrap_or_default() {
        return Err(format!(
            "nothing was imported: this data is of {}, and the data in use is of {}",
            packed.vintage, before.name
        ));
    }
    let checksum = vintage_checksum(&packed.bytes);
    let opened = D::open(&packed.bytes).map_err(|why| format!("nothing was imported: {why}"))?;
    let (held, found) = (before.data.rows(), opened.rows());
    if !request.fewer && found * 100 < held * LEAST_KEPT {
        return Err(format!(
            "nothing was imported: there are {found} rows, and {held} in the data in use, so the file is probably incomplete; \
             allow fewer rows to import it anyway"
        ));
    }
    Ok(Prepared {
        rows: opened.rows(),
        before: before.name.clone(),
        changes: opened.changes(&before.data),
        checksum,
        packed,
    })
}

/// Refuses a vintage name that does not sort before later ones: names are compared as dates.
pub(super) fn check_vintage(name: &str) -> Result<(), String> {
    let whole = match name.len() {
        4 => format!("{name}-01-01"),
        7 => format!("{name}-01"),
        _ => name.to_owned(),
    };
    let digits = whole.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    let day = whole.parse::<Date>().ok().filter(|_| digits && whole.len() == 10);
    let day = day.ok_or_else(|| {
        format!("a vintage is a year, a month or a day, such as 2026-06-01, and not {name:?}")
    })?;
    let last = Clock::from_system().now().to_zoned(TimeZone::UTC).date().saturating_add(1.year());
    if day > last {
        return Err(format!(
            "the vintage {name} is more than a year ahead, and would block every other until then"
        ));
    }
    Ok(())
}
