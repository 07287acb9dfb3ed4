//! Files for states whose layout is missing or in doubt.

use rules::Violation;
use store::Tx;

use crate::error::Error;
use crate::platform::confirmations;

/// What is known of the file that a state takes.
pub(super) struct Doubt<'a> {
    /// the file, such as `file of wages for TN`
    pub what: String,
    /// why no file is written; empty if one is
    pub without_file: &'a str,
    /// where its figures are, in a sentence
    pub figures: &'static str,
    /// the key under which an operator confirms it
    pub key: String,
    /// where its layout is from
    pub source: &'a str,
    /// the tables that hold it
    pub tables: &'static str,
}

impl Doubt<'_> {
    /// Refuses a file that is not written, and one in doubt that is not confirmed.
    ///
    /// # Errors
    /// 422 that says why; a store error.
    pub(super) fn refuse(&self, tx: &mut Tx<'_>) -> Result<(), Error> {
        let Self { what, without_file, figures, key, source, tables } = self;
        if !without_file.is_empty() {
            let message = format!("No {what} is written: {without_file}. {figures}");
            return Err(Error::from(Violation::invalid_operation(message)));
        }
        if confirmations::is_awaiting_confirmation(tx, key)? {
            let message = format!(
                "The {what} is in doubt ({source}): compare it with the agency's specification ({tables}), then confirm it (stipend data \
                 confirm {key})."
            );
            return Err(Error::from(Violation::invalid_operation(message)));
        }
        Ok(())
    }
}
