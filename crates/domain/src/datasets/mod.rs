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

pub use import::{Difference, Imported, diff, import};
pub use kinds::{KINDS, Kind, template};
pub use status::{Counting, Status, counting, missing, status, table};

/// Confirms unconfirmed figures, or withdraws their confirmation, with an audit entry that lists the keys that changed.
///
/// # Errors
/// As [`confirmations::put`].
pub fn confirm(tx: &mut Tx<'_>, keys: &[String], confirmed: bool) -> Result<(), Error> {
    let before = confirmations::confirmed(tx)?;
    confirmations::put(tx, keys, confirmed)?;
    let changed: BTreeSet<&String> = keys.iter().filter(|key| before.contains(*key) != confirmed).collect();
    if changed.is_empty() {
        return Ok(());
    }
    let action = if confirmed { "confirmed" } else { "withdrawn" };
    audit::by_operator(tx, action, ("confirmed_figures", Uuid::nil()), &json!({ "keys": changed }))
}
