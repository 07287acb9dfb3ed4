//! The row of a file under its guard, and what follows from its state.

use std::collections::HashSet;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use rules::{Category, Violation};
use store::{Row, Tx, params};
use uuid::Uuid;

use super::rows::{self, BankFile, Batch, BatchState, FileState, Pickup};
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::money::bank::settings::OPERATOR;
use crate::records::MOST_TOGETHER;

store::statements! {
    // Those that wait for the bank, and voided ones: few, however many the bank has had.
    NOT_WRITTEN = "SELECT id FROM bank_files WHERE company_id = $1 AND state <> 'written' LIMIT $2";
}

/// The files that the bank does not have. They are read by themselves: files are the operator's, and may be on another server than the
/// payments of a company.
pub(in crate::money) struct NotWritten(HashSet<Uuid>);

impl NotWritten {
    /// Reads them.
    ///
    /// # Errors
    /// 422 for more than can be read at once; a store error.
    pub(in crate::money) fn read_unwritten(tx: &mut Tx<'_>) -> Result<Self, Error> {
        let id = |row: &Row<'_>| Ok::<_, store::Error>(row.get::<Uuid>(0));
        let found = tx.try_query_all(NOT_WRITTEN, params![OPERATOR], MOST_TOGETHER, id)?;
        Ok(Self(found.into_iter().collect()))
    }

    /// Whether the bank has the file of a batch; not if it is in none.
    pub(in crate::money) fn is_written(&self, file: Option<Uuid>) -> bool {
        file.is_some_and(|file| !self.0.contains(&file))
    }
}

/// Returns the settlement date of a batch; `None` until the bank has it.
pub(in crate::money) fn settlement_date_at_bank(
    tx: &mut Tx<'_>,
    batch: &Batch,
) -> Result<Option<Date>, Error> {
    let file = match batch.file {
        Some(file) if batch.state == BatchState::Filed => Some(rows::find_file(tx, file)?),
        _ => None,
    };
    let written = file.is_some_and(|file| file.state == FileState::Written);
    Ok(batch.effective.filter(|_| written))
}

/// Returns the operator as the one who acts on files.
pub(in crate::money) fn operator_caller() -> Caller {
    Caller::for_operator(OPERATOR, TimeZone::UTC)
}

/// Returns a file under the guard of files.
pub(in crate::money) fn find_guarded_file(tx: &mut Tx<'_>, id: Uuid) -> Result<BankFile, Error> {
    tx.take_guard(OPERATOR, BankFile::TABLE, OPERATOR)?;
    rows::find_file(tx, id)
}

/// Stores a file that was read under its guard.
pub(in crate::money) fn save_file(tx: &mut Tx<'_>, file: &mut BankFile) -> Result<(), Error> {
    assert!(file.update(tx, OPERATOR)?, "the row was read under its guard");
    file.version += 1;
    Ok(())
}

/// Takes the guard of files, and refuses a payment whose file is being voided. The guard comes before those of payrolls.
pub(in crate::money) fn refuse_taken_back(tx: &mut Tx<'_>, batch: &Batch) -> Result<(), Error> {
    let Some(file) = batch.file else { return Ok(()) };
    let file = find_guarded_file(tx, file)?;
    if file.state == FileState::Written && file.pickup == Some(Pickup::Stopped) {
        return Err(Error::from(Violation::new(
            "file",
            Category::InvalidOperation,
            "the file of the payment is being voided (stipend bank void): finish that first",
        )));
    }
    Ok(())
}
