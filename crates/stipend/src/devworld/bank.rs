//! The bank of the demo world, and the accounts of the agencies that it pays. All of it is made up: the routing number belongs to no
//! bank, and the files go into a folder that nobody reads.

use std::fs;
use std::path::{Path, PathBuf};

use domain::money::bank::settings::{self, Debit, Terms};
use domain::{Error, datasets};
use jiff::civil::time;
use rules::check::STATES;
use store::Store;
use tempfile::TempDir;

/// A routing number with a right check digit that is not assigned to a bank.
pub(super) const ROUTING: &str = "123456780";
/// The vintage of the agencies' accounts.
const VINTAGE: &str = "2026-02-01";

/// The folder of the bank: kept beside the store of a world that is kept, otherwise removed with this value.
#[derive(Debug)]
pub struct BankFolder {
    path: PathBuf,
    _temporary: Option<TempDir>,
}

impl BankFolder {
    /// The folder, created if it does not exist.
    ///
    /// # Errors
    /// One line if it cannot be created.
    pub fn open_folder(kept: Option<PathBuf>) -> Result<Self, String> {
        let temporary = match kept {
            Some(_) => None,
            None => Some(
                tempfile::tempdir()
                    .map_err(|error| format!("no folder for the demo world's bank can be made: {error}"))?,
            ),
        };
        let path =
            kept.or_else(|| temporary.as_ref().map(|folder| folder.path().to_owned())).unwrap_or_default();
        let unusable = |error| format!("the folder {} cannot be made: {error}", path.display());
        fs::create_dir_all(&path).map_err(unusable)?;
        let path = fs::canonicalize(&path).map_err(unusable)?;
        Ok(Self { path, _temporary: temporary })
    }
}

/// Sets up the bank, with an account of the agency of every state.
///
/// # Errors
/// One line; a violation would be a bug in the world.
pub async fn set_up(store: &Store, folder: &BankFolder) -> Result<(), String> {
    let terms = bank_terms(&folder.path);
    let put = store.write(move |tx| settings::replace_settings(tx, &terms, None).map(drop)).await;
    put.map_err(|error: Error| {
        format!("the bank of the demo world could not be set up: {}", error.to_line())
    })?;
    let table = folder.path.join(".agencies.csv");
    fs::write(&table, agency_accounts_csv())
        .map_err(|error| format!("{} cannot be written: {error}", table.display()))?;
    let imported =
        datasets::import_file(store, "agency-banks", &table, Some(VINTAGE), false, &|_, _| ()).await;
    fs::remove_file(&table).map_err(|error| format!("{} cannot be removed: {error}", table.display()))?;
    imported.map(drop)
}

fn bank_terms(folder: &Path) -> Terms {
    Terms {
        company_id: "9999999999".to_owned(),
        company_name: None,
        bank_routing: ROUTING.to_owned(),
        bank_name: "DEMO BANK, MADE UP".to_owned(),
        origin: format!(" {ROUTING}"),
        origin_name: "STIPEND DEMO".to_owned(),
        first_modifier: 'A',
        folder: folder.display().to_string(),
        cut_off: time(16, 0, 0, 0),
        same_day: false,
        debit: Debit::Company,
        offset_routing: None,
        file_limit: None,
        company_limit: None,
        day_limit: None,
        approval_above: None,
        wire: None,
        deposit_taxes: false,
    }
}

/// A made-up account of the agency of each state.
fn agency_accounts_csv() -> String {
    let mut rows = String::from("state,name,routing_number,account_number,account_type,source\n");
    for (number, (state, _)) in (90_000_001..).zip(STATES) {
        rows +=
            &format!("{state},DEMO {state} AGENCY,{ROUTING},{number},Checking,made up for the demo world\n");
    }
    rows
}
