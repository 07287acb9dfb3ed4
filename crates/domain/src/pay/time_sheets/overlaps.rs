//! Overlapping time sheets of an employee, which would be paid twice: a shift that was reported again, or with wrong times. Both are
//! accepted as reported, because nobody has decided on them; only one of them can be approved.

use jiff::ToSpan;
use rules::Violation;
use rules::days::Days;
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use super::rows;
use super::rows::TimeSheet;
use crate::error::Error;

/// Maximum number of days between the dates of two overlapping shifts: shifts last a day at most, and time zones differ by up to a day.
const AROUND: i64 = 2;

/// Refuses the approval of a shift that overlaps an approved one. Runs under the guard of the employee's sheets.
///
/// # Errors
/// 422 that names the other sheet; a store error.
pub(super) fn refuse_overlap(tx: &mut Tx<'_>, company: Uuid, sheet: &TimeSheet) -> Result<(), Error> {
    let Some(ended) = sheet.ended_at else { return Ok(()) };
    let days = Days {
        first: sheet.day.saturating_sub(AROUND.days()),
        last: sheet.day.saturating_add(AROUND.days()),
    };
    let Some(other) = rows::approved_within(tx, company, sheet, days, ended)? else { return Ok(()) };
    let until = other.ended_at.unwrap_or(other.started_at);
    let message = format!(
        "The shift overlaps the approved time sheet {} ({} to {}) and would be paid twice; reject one of them, or \
         correct its times.",
        other.id, other.started_at, until
    );
    let entity = json!({ "entity_type": "TimeSheet", "entity_uuid": other.id });
    Err(Error::from(Violation::invalid_operation(message).with_metadata(entity)))
}
