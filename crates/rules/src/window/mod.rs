//! Date ranges that never overlap: when an employee benefit is in force.
//!
//! A window has a first day and optionally a last one, both inclusive. At most one window of an employee and
//! company benefit is in force on any day. [`place_window`] creates or updates a window and returns the new list, or
//! the window it overlaps. [`timeline`] works in the other direction: from the desired state of days to the
//! changes that lead there.
//!
//! Source: specification, Effective-dated employee benefit windows, rules 2 to 6.

pub mod timeline;

use crate::violation::Violation;
use jiff::ToSpan;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Default first day of a window, before any payroll.
pub const BASELINE: Date = jiff::civil::date(1970, 1, 1);

/// The days from `effective` to `expiration`, inclusive; open-ended without an expiration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    /// First day.
    pub effective: Date,
    /// Last day; `None` for an open-ended window.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expiration: Option<Date>,
}

impl Window {
    /// Whether the window contains `day`.
    pub fn contains(self, day: Date) -> bool {
        self.effective <= day && day <= self.last()
    }

    /// Whether the windows overlap.
    pub fn overlaps(self, other: Self) -> bool {
        self.effective <= other.last() && other.effective <= self.last()
    }

    /// Returns the last day; for an open-ended window the last day of the calendar.
    fn last(self) -> Date {
        self.expiration.unwrap_or(Date::MAX)
    }
}

impl std::fmt::Display for Window {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.expiration {
            Some(last) => write!(f, "{} to {last}", self.effective),
            None => write!(f, "{} on, without an end", self.effective),
        }
    }
}

/// The window of an existing record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExistingWindow<K> {
    /// Record.
    pub key: K,
    /// Window.
    pub window: Window,
}

/// How a window is placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Creates a record: an open-ended window that began earlier is closed on the day before.
    Create,
    /// Updates a record: no other window changes.
    Update,
}

/// Why a window cannot be placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlacementError<K> {
    /// It ends before it starts.
    EndsBeforeStart,
    /// It overlaps this window.
    Overlap(ExistingWindow<K>),
}

/// Returns the windows after placing `placed`, by date. An update replaces the window of the same key. A
/// creation closes the open-ended window that began earlier on the day before; no other window changes.
pub fn place_window<K: Copy + PartialEq>(
    held: &[ExistingWindow<K>],
    act: Action,
    placed: ExistingWindow<K>,
) -> Result<Vec<ExistingWindow<K>>, PlacementError<K>> {
    let ExistingWindow { window, .. } = placed;
    if window.expiration.is_some_and(|last| last < window.effective) {
        return Err(PlacementError::EndsBeforeStart);
    }
    let mut windows = Vec::with_capacity(held.len() + 1);
    for other in held.iter().filter(|other| other.key != placed.key) {
        let mut other = *other;
        let open_before = other.window.expiration.is_none() && other.window.effective < window.effective;
        if act == Action::Create && open_before {
            // The day before a later day is always representable.
            other.window.expiration = window.effective.yesterday().ok();
        }
        if other.window.overlaps(window) {
            return Err(PlacementError::Overlap(other));
        }
        windows.push(other);
    }
    windows.push(placed);
    windows.sort_by_key(|held| held.window.effective);
    Ok(windows)
}

/// Returns the window in force on `day`.
pub fn in_force_on<K>(held: &[ExistingWindow<K>], day: Date) -> Option<&ExistingWindow<K>> {
    held.iter().find(|held| held.window.contains(day))
}

impl<K: std::fmt::Display> PlacementError<K> {
    /// Converts the error to a violation of the window's fields, with the overlapping window in the metadata.
    pub fn violation(&self, entity_type: &str) -> Violation {
        match self {
            Self::EndsBeforeStart => {
                Violation::invalid("expiration_date", "expiration_date must not be before effective_date")
            }
            Self::Overlap(ExistingWindow { key, window }) => {
                let message = format!(
                    "effective_date and expiration_date overlap another window of this benefit: {key}, from {window}; \
                     end or move that one first"
                );
                Violation::invalid("effective_date", message).with_metadata(json!({
                    "entity_type": entity_type,
                    "entity_uuid": key.to_string(),
                    "effective_date": window.effective.to_string(),
                    "expiration_date": window.expiration.map(|day| day.to_string()),
                }))
            }
        }
    }
}

/// Returns the next day; `None` after the last day of the calendar.
fn next_day(day: Date) -> Option<Date> {
    day.checked_add(1.day()).ok()
}

#[cfg(test)]
mod tests;
