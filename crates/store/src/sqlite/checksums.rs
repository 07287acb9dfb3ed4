//! Page checksums as the engine reports them; `checksums.c` writes and verifies them below SQLite.

use std::ffi::CStr;

use rusqlite::OptionalExtension as _;

use super::{Engine, classify_fault};
use crate::Error;
use crate::tx::Fault;

/// The VFS that verifies checksums. It is requested by name, so that a program built without it fails to open a store
/// instead of opening it unverified.
pub(super) const VFS: &CStr = c"checksums";

/// Bytes reserved at the end of each page.
pub(super) const RESERVED: u8 = 8;

/// The warning for a store created before there were checksums.
pub(super) const MISSING: &str = "the pages of the store's file have no checksums, so that damage may shorten a list before it is found; \
                                  stipend check --add-checksums adds them while the service is stopped";

impl Engine {
    /// Whether the pages of the file have checksums.
    pub(super) fn has_checksums(&self) -> Result<bool, Error> {
        self.pragma("page_checksums").map(|value| value.as_deref() == Some("1")).map_err(Fault::into_error)
    }

    /// Returns the page that failed verification on this connection, if any.
    pub(super) fn damaged_page(&self) -> Option<String> {
        let page = self.pragma("damaged_page").ok().flatten();
        page.map(|page| format!("{page} does not match its checksum"))
    }

    /// Returns why a statement failed. For damage the reason names the page and the file if a checksum identifies the page.
    pub(super) fn explain_fault(&self, error: rusqlite::Error) -> Fault {
        match classify_fault(error) {
            Fault::Damaged(reason) => Fault::Damaged(self.damaged_page().unwrap_or(reason)),
            other => other,
        }
    }

    fn pragma(&self, name: &str) -> Result<Option<String>, Fault> {
        let value = self.handle.pragma_query_value(None, name, |row| row.get(0));
        value.optional().map_err(classify_fault)
    }
}
