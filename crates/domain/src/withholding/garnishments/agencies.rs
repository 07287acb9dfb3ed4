//! The child support agencies in use: the deployer's own table, or the built-in one.
//!
//! Orders are checked against the agencies inside a transaction, so an import takes effect for every transaction that begins after it.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use jiff::{Timestamp, tz::TimeZone};
use rules::payroll::garnishment::{Agencies, ManualReason};
use store::Tx;

use crate::error::Error;
use crate::money::bank::{agencies as receivers, settings};
use crate::platform::reference;
use crate::platform::reference::source::text_file;
use crate::platform::reference::{Bundle, Dataset, Faults, Packed, Request, Vintage, first_lines};

/// Maximum size of a file, in bytes.
const LARGEST: u64 = 4 << 20;

/// The agencies in use.
///
/// # Errors
/// A store error; an imported table that cannot be opened.
pub fn current_agencies(tx: &mut Tx<'_>) -> Result<Arc<Vintage<Agencies>>, Error> {
    reference::current_vintage(tx)
}

/// The agencies in use, as the service can pay them today: without a bank that takes its files the employer pays every agency, and with one
/// those whose receiving bank is not imported.
///
/// # Errors
/// A store error; an imported table that cannot be opened.
pub fn as_paid(tx: &mut Tx<'_>) -> Result<Agencies, Error> {
    let agencies = Agencies::clone(&**current_agencies(tx)?);
    if !settings::is_set(tx)? {
        return Ok(agencies.leave_to_employer(|_| Some(ManualReason::NoBank)));
    }
    let banks = receivers::current_agency_banks(tx)?;
    Ok(agencies
        .leave_to_employer(|state| banks.row_of_agency(state).is_none().then_some(ManualReason::NoAccount)))
}

/// Announces the queries of [`as_paid`] (see [`Tx::announce`]).
pub fn announce_as_paid(tx: &mut Tx<'_>) -> Result<(), Error> {
    reference::announce_current::<Agencies>(tx)?;
    settings::announce_is_set(tx)?;
    receivers::announce_current(tx)
}

impl Dataset for Agencies {
    const KIND: &'static str = "agencies";
    const BUILT_IN: Bundle = Bundle { vintage: "2026-07", bytes: Self::BUILT_IN_FILE };

    fn built_in() -> &'static OnceLock<Arc<Vintage<Self>>> {
        static CELL: OnceLock<Arc<Vintage<Agencies>>> = OnceLock::new();
        &CELL
    }

    fn open(bytes: &[u8]) -> Result<Self, String> {
        Self::parse(bytes).map_err(|error| error.to_string())
    }

    /// The table is stored as text. Without a vintage, it is named by the date of the file's last modification.
    fn read(request: &Request<'_>, _: Option<&Self>) -> Result<Packed, Faults> {
        let vintage = match request.vintage {
            Some(vintage) => vintage.to_owned(),
            None => last_changed(request.path)?,
        };
        let bytes = text_file(request, LARGEST)?.into_bytes();
        Self::open(&bytes)?;
        Ok(Packed { vintage, bytes })
    }

    fn rows(&self) -> usize {
        self.iter().len()
    }

    fn changes(&self, before: &Self) -> Vec<String> {
        let changed =
            |agency: &rules::payroll::garnishment::Agency| match before.agency_of_state(&agency.state) {
                None => Some(format!("{} is new: {}", agency.state, agency.name)),
                Some(old) if old != agency => Some(format!("{} has changed: {}", agency.state, agency.name)),
                Some(_) => None,
            };
        let gone = before.iter().filter(|agency| self.agency_of_state(&agency.state).is_none());
        let gone = gone.map(|agency| format!("{} is removed: {}", agency.state, agency.name));
        self.iter().filter_map(changed).chain(gone).collect()
    }

    fn template() -> String {
        first_lines(&String::from_utf8_lossy(Self::BUILT_IN_FILE))
    }
}

/// The day on which a file was last changed, such as 2026-11-30.
fn last_changed(path: &Path) -> Result<String, String> {
    let unreadable = |error: &dyn std::fmt::Display| format!("{} cannot be read: {error}", path.display());
    let changed = path.metadata().and_then(|about| about.modified()).map_err(|error| unreadable(&error))?;
    let moment = Timestamp::try_from(changed).map_err(|error| unreadable(&error))?;
    Ok(moment.to_zoned(TimeZone::UTC).date().to_string())
}
