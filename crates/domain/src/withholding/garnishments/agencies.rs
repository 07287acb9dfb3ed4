//! The agencies in force: the deployer's own table, or the one that comes with the program.
//!
//! Orders are checked against the agencies inside a transaction, which reads the pointer to the imported vintage; the
//! parsed table is cached by the checksum of its bytes. An import takes effect for every transaction that begins after
//! it.

use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use jiff::{Timestamp, tz::TimeZone};
use rules::payroll::garnishment::Agencies;
use store::Tx;

use crate::error::Error;
use crate::platform::reference::source::Files;
use crate::platform::reference::{Bundle, Dataset, Faults, Packed, Request, Vintage, imported, rows};

/// Maximum size of a file, in bytes.
const LARGEST: u64 = 4 << 20;

/// The imported table that was parsed last, with the checksum of its bytes.
static OPENED: Mutex<Option<(String, Arc<Agencies>)>> = Mutex::new(None);

/// The agencies in force.
///
/// # Errors
/// A store error.
pub fn current(tx: &mut Tx<'_>) -> Result<Arc<Agencies>, Error> {
    let built_in = || Ok(Arc::clone(Agencies::built_in()));
    let Some(pointer) = imported::<Agencies>(tx)? else { return built_in() };
    let known = OPENED.lock().unwrap_or_else(PoisonError::into_inner).clone();
    if let Some((_, agencies)) = known.filter(|(checksum, _)| *checksum == pointer.checksum) {
        return Ok(agencies);
    }
    let bytes = rows::bytes(tx, Agencies::KIND, &pointer.checksum)?.unwrap_or_default();
    match Agencies::parse(&bytes) {
        Ok(agencies) => {
            let agencies = Arc::new(agencies);
            let opened = Some((pointer.checksum, Arc::clone(&agencies)));
            *OPENED.lock().unwrap_or_else(PoisonError::into_inner) = opened;
            Ok(agencies)
        }
        Err(why) => {
            // It was checked when it was imported, so the operator has to know.
            tracing::error!(vintage = pointer.vintage, %why, "imported agencies cannot be opened");
            built_in()
        }
    }
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

    /// The table is stored as text. Without a vintage, that of the file is the day of its last modification.
    fn read(request: &Request<'_>, _: Option<&Self>) -> Result<Packed, Faults> {
        use std::io::Read as _;
        let vintage = match request.vintage {
            Some(vintage) => vintage.to_owned(),
            None => last_changed(request.path)?,
        };
        let mut files = Files::at(request.path, request.progress)?.open(|_| true)?;
        let (Some((name, input)), None) = (files.pop(), files.pop()) else {
            return Err("the agencies are one file, not a folder of several".to_owned().into());
        };
        let mut bytes = Vec::new();
        let read = input.take(LARGEST + 1).read_to_end(&mut bytes);
        read.map_err(|error| format!("{name} cannot be read: {error}"))?;
        if bytes.len() as u64 > LARGEST {
            return Err(format!("{name} is larger than {} MB", LARGEST >> 20).into());
        }
        Self::parse(&bytes).map_err(|error| format!("{name}: {error}"))?;
        Ok(Packed { vintage, bytes })
    }

    fn rows(&self) -> usize {
        self.iter().len()
    }

    fn changes(&self, before: &Self) -> Vec<String> {
        let changed = |agency: &rules::payroll::garnishment::Agency| match before.of(&agency.state) {
            None => Some(format!("{} is new: {}", agency.state, agency.name)),
            Some(old) if old != agency => Some(format!("{} has changed: {}", agency.state, agency.name)),
            Some(_) => None,
        };
        let gone = before.iter().filter(|agency| self.of(&agency.state).is_none());
        let gone = gone.map(|agency| format!("{} is no longer held: {}", agency.state, agency.name));
        self.iter().filter_map(changed).chain(gone).collect()
    }
}

/// The day on which a file was last changed, such as 2026-11-30.
fn last_changed(path: &Path) -> Result<String, String> {
    let unreadable = |error: &dyn std::fmt::Display| format!("{} cannot be read: {error}", path.display());
    let changed = path.metadata().and_then(|about| about.modified()).map_err(|error| unreadable(&error))?;
    let moment = Timestamp::try_from(changed).map_err(|error| unreadable(&error))?;
    Ok(moment.to_zoned(TimeZone::UTC).date().to_string())
}
