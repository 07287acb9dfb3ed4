//! Files that a command of the operator takes from the folder: the service runs it after a file is written.
//!
//! | step | unit | command |
//! |---|---|---|
//! | begin | the file is marked as running, so that it cannot be voided | |
//! | run | | takes it, or fails |
//! | end | it is marked as done, or as failed with the reason | |
//!
//! A crash between the last two steps leaves the file marked as running, and the command is run again: it recognizes by the digest that it
//! has already seen the file. For a file marked as done, the command is never run again.

use std::path::{Path, PathBuf};

use jiff::tz::TimeZone;
use rules::{Category, Named, Violation};
use serde_json::json;
use store::{Tx, params};
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::error::Error;
use crate::money::bank::settings::{self, OPERATOR};
use crate::money::ledger::bank_files::{find_guarded_file, save_file};
use crate::money::ledger::rows::{BankFile, FileState, Pickup};
use crate::platform::{audit, jobs};

store::statements! {
    FAILED = "SELECT count(*) FROM bank_files WHERE company_id = $1 AND pickup = 'failed'";
}

/// What the command is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handed {
    /// path of the file
    pub path: PathBuf,
    /// SHA-256 of its text, hexadecimal
    pub digest: String,
}

/// Schedules the command for a file that was just written.
pub(in crate::money) fn schedule_pickup(tx: &mut Tx<'_>, file: &mut BankFile) -> Result<(), Error> {
    file.pickup = Some(Pickup::Waiting);
    let now = tx.now();
    jobs::schedule_job(tx, OPERATOR, jobs::JobKind::BankPickup, file.id, now)
}

/// Starts the command for a file; `None` if there is no longer anything to run.
///
/// # Errors
/// "Not found"; missing settings; a store error.
pub fn begin_pickup(tx: &mut Tx<'_>, id: Uuid) -> Result<Option<Handed>, Error> {
    let mut file = find_guarded_file(tx, id)?;
    let wanted = matches!(file.pickup, Some(Pickup::Waiting | Pickup::Running | Pickup::Failed));
    if file.state != FileState::Written || !wanted {
        return Ok(None);
    }
    let settings = settings::find_settings(tx)?;
    let settings = settings.ok_or_else(|| Error::internal("the bank settings are missing".to_owned()))?;
    if file.pickup != Some(Pickup::Running) {
        file.pickup = Some(Pickup::Running);
        save_file(tx, &mut file)?;
    }
    let path = Path::new(&settings.terms.folder).join(&file.name);
    Ok(Some(Handed { path, digest: file.digest }))
}

/// Records the result of the command: that it has taken the file, or why it has not.
///
/// # Errors
/// "Not found"; a store error.
pub fn end_pickup(tx: &mut Tx<'_>, id: Uuid, outcome: &Result<(), String>) -> Result<(), Error> {
    let mut file = find_guarded_file(tx, id)?;
    if file.pickup != Some(Pickup::Running) {
        return Ok(());
    }
    let (pickup, note) = match outcome {
        Ok(()) => (Pickup::Done, None),
        Err(why) => (Pickup::Failed, Some(why.clone())),
    };
    (file.pickup, file.pickup_note) = (Some(pickup), note);
    save_file(tx, &mut file)?;
    let told = json!({ "pickup": pickup.as_str(), "why": file.pickup_note });
    audit::record_audit_entry(
        tx,
        &Caller::for_operator(OPERATOR, TimeZone::UTC),
        "picked_up",
        (BankFile::TABLE, id),
        &told,
    )
}

/// Returns the number of files that the command failed to take.
pub fn count_failed_pickups(tx: &mut Tx<'_>) -> Result<i64, store::Error> {
    Ok(tx.find_row(FAILED, params![OPERATOR], |row| row.get::<i64>(0))?.unwrap_or(0))
}

/// Marks a file that is to be voided, so that the command does not take it. The file was read under its guard.
pub(in crate::money) fn stop_pickup(tx: &mut Tx<'_>, mut file: BankFile) -> Result<BankFile, Error> {
    match file.pickup {
        Some(Pickup::Stopped) => Ok(file),
        None | Some(Pickup::Waiting | Pickup::Failed) => {
            file.pickup = Some(Pickup::Stopped);
            save_file(tx, &mut file)?;
            Ok(file)
        }
        Some(Pickup::Running | Pickup::Done) => Err(Error::from(Violation::new(
            "file",
            Category::InvalidOperation,
            "the command has the file, or may have it: ask the bank to delete it, or reverse it",
        ))),
    }
}

/// Removes the mark from a file that was not voided because it is no longer in its folder.
pub(in crate::money) fn let_go(tx: &mut Tx<'_>, id: Uuid) -> Result<(), Error> {
    let mut file = find_guarded_file(tx, id)?;
    if file.state == FileState::Written && file.pickup == Some(Pickup::Stopped) {
        file.pickup = None;
        save_file(tx, &mut file)?;
    }
    Ok(())
}
