//! All kinds of reference data: `stipend data import` and `stipend data status`.
//!
//! `kinds` lists them, `prepare` reads and checks an operator's file, `import` compares it and takes it into use, `status` says which vintages
//! are in use and what is missing from them.

mod import;
mod kinds;
mod prepare;
mod status;

use std::collections::BTreeSet;

use serde_json::json;
use store::Tx;
use uuid::Uuid;

use crate::error::Error;
use crate::platform::{audit, confirmations};

pub use import::{Difference, Imported, diff_import, import_file};
pub use kinds::{DatasetKind, KINDS, template_of_kind};
pub use status::{Counting, DatasetStatus, dataset_status, missing_entries, status_table, vintages_in_use};

/// Confirms unconfirmed figures, or withdraws their confirmation, with an audit entry that lists the keys that changed.
///
/// # Errors
/// As [`confirmations::set_confirmed`].
pub fn confirm_figures(tx: &mut Tx<'_>, keys: &[String], confirmed: bool) -> Result<(), Error> {
    let before = confirmations::confirmed_keys(tx)?;
    confirmations::set_confirmed(tx, keys, confirmed)?;
    let changed: BTreeSet<&String> = keys.iter().filter(|key| before.contains(*key) != confirmed).collect();
    if changed.is_empty() {
        return Ok(());
    }
    let action = if confirmed { "confirmed" } else { "withdrawn" };
    audit::by_operator(tx, action, ("confirmed_figures", Uuid::nil()), &json!({ "keys": changed }))
}
