//! Windows of days that never overlap: when a benefit of an employee is in force.
//!
//! A window has a first day and perhaps a last one; both belong to it. Of the windows that belong together
//! (those of one employee and one company benefit) at most one is in force on any day. [`place`] is the one
//! place where that is decided: it takes the windows there are and one that is to be created or changed, and
//! gives the new list, or the window that stands in the way. [`timeline`] works the other way round: from the
//! days as somebody wishes them to the changes that lead there.
//!
//! Source: specification, Effective-dated employee benefit windows, rules 2 to 6.

pub mod timeline;

use crate::violation::Violation;
use jiff::ToSpan;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// The first day of a window that says none: before every payroll.
pub const BASELINE: Date = jiff::civil::date(1970, 1, 1);

/// The days from `effective` to `expiration`; without an expiration they do not end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    /// first day
    pub effective: Date,
    /// last day; `None` while the window is open
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expiration: Option<Date>,
}

impl Window {
    /// Whether `day` is one of the window's.
    pub fn contains(self, day: Date) -> bool {
        self.effective <= day && day <= self.last()
    }

    /// Whether the two have a day in common.
    pub fn overlaps(self, other: Self) -> bool {
        self.effective <= other.last() && other.effective <= self.last()
    }

    /// The last day; of an open window, the last of the calendar.
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

/// A window and the record that it belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExistingWindow<K> {
    /// the record
    pub key: K,
    /// its days
    pub window: Window,
}

/// What is to be done with a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// the record is new: an open window that began before it is closed on the day before it
    Create,
    /// the record is there: nothing but its own window moves
    Update,
}

/// Why a window cannot stand where it was to be placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlacementError<K> {
    /// it would end before it begins
    EndsBeforeStart,
    /// this window has a day in common with it
    Overlap(ExistingWindow<K>),
}

/// The windows after `placed` was put among them, in the order of their days. An update replaces the window of
/// the same key. On creation, the open window that began earlier ends on the day before: it is the only
/// other one that changes, and only then.
///
/// # Errors
/// The refusal; then nothing changes.
pub fn place<K: Copy + PartialEq>(
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
            // The day before a day after another one is in the calendar.
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

/// The window that is in force on `day`.
pub fn on<K>(held: &[ExistingWindow<K>], day: Date) -> Option<&ExistingWindow<K>> {
    held.iter().find(|held| held.window.contains(day))
}

impl<K: std::fmt::Display> PlacementError<K> {
    /// The refusal as a violation of the window's own fields, with the clashing window in the metadata.
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

/// The day after; `None` after the last day of the calendar.
fn after(day: Date) -> Option<Date> {
    day.checked_add(1.day()).ok()
}

#[cfg(test)]
mod tests;
