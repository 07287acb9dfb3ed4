//! The row of a file under its guard, and what follows from its state.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use rules::{Category, Violation};
use store::Tx;
use uuid::Uuid;

use super::rows::{self, BankFile, Batch, BatchState, FileState, Pickup};
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::money::bank::settings::OPERATOR;

/// Returns the settlement date of a batch; `None` until the bank has it.
///
/// # Errors
/// A store error.
pub(in crate::money) fn settles(tx: &mut Tx<'_>, batch: &Batch) -> Result<Option<Date>, Error> {
    let file = match batch.file {
        Some(file) if batch.state == BatchState::Filed => Some(rows::file(tx, file)?),
        _ => None,
    };
    let written = file.is_some_and(|file| file.state == FileState::Written);
    Ok(batch.effective.filter(|_| written))
}

/// Returns the operator as the one who acts on files.
pub(in crate::money) fn operator() -> Caller {
    Caller::operator(OPERATOR, TimeZone::UTC)
}

/// Returns a file under the guard of files.
pub(in crate::money) fn guarded(tx: &mut Tx<'_>, id: Uuid) -> Result<BankFile, Error> {
    tx.guard(OPERATOR, BankFile::TABLE, OPERATOR)?;
    rows::file(tx, id)
}

/// Stores a file that was read under its guard.
pub(in crate::money) fn save(tx: &mut Tx<'_>, file: &mut BankFile) -> Result<(), Error> {
    assert!(file.update(tx, OPERATOR)?, "the row was read under its guard");
    file.version += 1;
    Ok(())
}

/// Takes the guard of files, and refuses a payment whose file is being voided. The guard comes before those of payrolls.
pub(in crate::money) fn refuse_taken_back(tx: &mut Tx<'_>, batch: &Batch) -> Result<(), Error> {
    let Some(file) = batch.file else { return Ok(()) };
    let file = guarded(tx, file)?;
    if file.state == FileState::Written && file.pickup == Some(Pickup::Stopped) {
        return Err(Error::from(Violation::new(
            "file",
            Category::InvalidOperation,
            "the file of the payment is being voided (stipend bank void): finish that first",
        )));
    }
    Ok(())
}
