//! Time that two sheets of an employee have in common, which would be paid twice: a shift that was reported once more, or whose times are
//! wrong. Both are taken as they are reported, because nobody has decided on them; only one of them is approved.

use jiff::ToSpan;
use rules::Violation;
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use super::rows;
use super::rows::TimeSheet;
use crate::error::Error;

/// Days around that of a shift on which one begins that overlaps: shifts last a day at most, and time zones lie up to a day apart.
const AROUND: i64 = 2;

/// Refuses the approval of a shift some of whose time is that of an approved one. Holds under the guard of the employee's sheets.
///
/// # Errors
/// 422 that names the other sheet; a store error.
pub(super) fn refuse(tx: &mut Tx<'_>, company: Uuid, sheet: &TimeSheet) -> Result<(), Error> {
    let Some(ended) = sheet.ended_at else { return Ok(()) };
    let days = (sheet.day.saturating_sub(AROUND.days()), sheet.day.saturating_add(AROUND.days()));
    let Some(other) = rows::approved_within(tx, company, sheet, days, ended)? else { return Ok(()) };
    let until = other.ended_at.unwrap_or(other.started_at);
    let message = format!(
        "The time of the shift is that of the approved time sheet {} ({} to {}), and would be paid twice; reject one of them, or \
         correct its times.",
        other.id, other.started_at, until
    );
    let entity = json!({ "entity_type": "TimeSheet", "entity_uuid": other.id });
    Err(Error::from(Violation::operation(message).with_metadata(entity)))
}
