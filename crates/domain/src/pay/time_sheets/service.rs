//! Operations on time sheets.
//!
//! Every change takes the guard of the employee's sheets, as does a sync before it reads them.

use std::collections::BTreeMap;

use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use rules::{Amount, Category, Checks, Named, Violation, check};
use serde_json::json;
use store::Tx;
use strum::{EnumString, IntoStaticStr, VariantArray};
use uuid::Uuid;

use super::overlaps;
use super::rows;
use super::rows::{Classification, Entry, TimeSheet, TimeSheetStatus};
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::paging::{Listed, MOST, Page, SortBy};
use crate::patch::{self, Patch, as_is};
use crate::pay::compensations::rows as pay;
use crate::people::employees;
use crate::platform::audit;
use crate::records::{Changes, id_of, version_text};

/// Table of the record, in versions and audit entries, and for guards.
pub const TABLE: &str = TimeSheet::TABLE;
/// Maximum entries of a sheet.
const MOST_ENTRIES: usize = 20;
/// Maximum pairs of metadata.
const MOST_PAIRS: usize = 50;
/// Maximum characters of a key of metadata.
const PAIR_KEY: usize = 100;
/// Maximum characters of a value of metadata.
const PAIR_VALUE: usize = 500;
/// Maximum hours of a shift.
const SHIFT_HOURS: i64 = 24;
/// Millionths of an hour by which hours may exceed their shift, because its beginning and end are rounded to the nearest quarter of an hour.
const ROUNDING: i64 = 250_000;
/// Who can work a shift.
pub const ENTITY_TYPES: [&str; 2] = ["Employee", "Contractor"];

/// Creates a time sheet, or changes its given fields.
#[derive(Debug, Clone, Default)]
pub struct TimeSheetFields {
    /// the version as last read; only to change a sheet
    pub version: Patch<String>,
    /// who worked
    pub entity_uuid: Patch<String>,
    /// `Employee`
    pub entity_type: Patch<String>,
    /// the job; the primary one when left out
    pub job_uuid: Patch<String>,
    /// name of the time zone of the work
    pub time_zone: Patch<String>,
    /// when the shift began
    pub shift_started_at: Patch<String>,
    /// when it ended; left out while it runs
    pub shift_ended_at: Patch<String>,
    /// key-value pairs of text
    pub metadata: Patch<BTreeMap<String, String>>,
    /// its hours; they replace all entries
    pub entries: Patch<Vec<EntryFields>>,
}

/// Hours of a shift.
#[derive(Debug, Clone, Default)]
pub struct EntryFields {
    /// which entry of the sheet; a new one when left out
    pub uuid: Patch<String>,
    /// hours with at most three decimal places
    pub hours_worked: Patch<Amount>,
    /// a [`Classification`] by name
    pub pay_classification: Patch<Classification>,
}

/// Approves or rejects a time sheet.
#[derive(Debug, Clone, Default)]
pub struct Decision {
    /// the version as last read
    pub version: Patch<String>,
}

/// The sort keys of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum SortKey {
    /// when it was reported
    #[strum(serialize = "created_at")]
    CreatedAt,
    /// when it was last changed
    #[strum(serialize = "updated_at")]
    UpdatedAt,
    /// when the shift began
    #[strum(serialize = "shift_started_at")]
    ShiftStartedAt,
    /// when it ended; for a running shift, when it began
    #[strum(serialize = "shift_ended_at")]
    ShiftEndedAt,
}

/// Filter of a list of time sheets.
#[derive(Debug, Clone, Default)]
pub struct TimeSheetFilter {
    /// only of these employees
    pub employees: Option<Vec<Uuid>>,
    /// only of contractors, of whom there are none
    pub contractors: bool,
    /// only with this status
    pub status: Option<TimeSheetStatus>,
    /// only sheets reported after this moment
    pub after: Option<Timestamp>,
    /// only sheets reported before this moment
    pub before: Option<Timestamp>,
    /// the sort keys, most significant first
    pub sort: Vec<SortBy<SortKey>>,
}

/// The time sheets of the company, oldest first or as sorted.
///
/// # Errors
/// 422 if more sheets would have to be searched than a list can have; a store error.
pub fn list_time_sheets(
    tx: &mut Tx<'_>,
    caller: &Caller,
    filter: &TimeSheetFilter,
    page: Page,
) -> Result<Listed<TimeSheet>, Error> {
    if filter.contractors {
        return Ok(Listed::slice(page, Vec::new()));
    }
    let moments = (filter.after.unwrap_or(Timestamp::UNIX_EPOCH), filter.before.unwrap_or(Timestamp::MAX));
    let mut found = rows::created_between(tx, caller.company, moments, MOST + 1)?;
    if found.len() as i64 > MOST {
        let message = format!(
            "after and before must be given: the company has more than {MOST} time sheets in that time"
        );
        return Err(Error::from(Violation::new("after", Category::InvalidParameter, message)));
    }
    found.retain(|sheet| {
        filter.employees.as_ref().is_none_or(|some| some.contains(&sheet.employee))
            && filter.status.is_none_or(|status| status == sheet.status)
    });
    for one in filter.sort.iter().rev() {
        let moment = |sheet: &TimeSheet| match one.key {
            SortKey::CreatedAt => sheet.created_at,
            SortKey::UpdatedAt => sheet.updated_at,
            SortKey::ShiftStartedAt => sheet.started_at,
            SortKey::ShiftEndedAt => sheet.ended_at.unwrap_or(sheet.started_at),
        };
        found.sort_by(|a, b| {
            let order = moment(a).cmp(&moment(b));
            if one.descending { order.reverse() } else { order }
        });
    }
    Ok(Listed::slice(page, found))
}

/// A time sheet.
///
/// # Errors
/// "Not found"; a store error.
pub fn get_time_sheet(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<TimeSheet, Error> {
    TimeSheet::find(tx, caller.company, id)?.ok_or(Error::NotFound)
}

/// Reports a shift, which is then pending.
///
/// # Errors
/// Every violation of the input; a store error.
pub fn create_time_sheet(
    tx: &mut Tx<'_>,
    caller: &Caller,
    input: &TimeSheetFields,
) -> Result<TimeSheet, Error> {
    let mut checks = Checks::new();
    input.entity_type.required("entity_type", &mut checks, entity_type);
    let employee = input.entity_uuid.required("entity_uuid", &mut checks, |_, id| Ok(id_of(id)));
    let known = match employee {
        Some(id) => employees::Employee::find(tx, caller.company, id)?.is_some(),
        None => true,
    };
    checks.require(known, || {
        Violation::invalid("entity_uuid", "entity_uuid must be the uuid of an employee of the company")
    });
    let now = tx.now();
    let mut new = TimeSheet {
        id: tx.new_id(),
        employee: employee.unwrap_or_default(),
        status: TimeSheetStatus::Pending,
        job: None,
        time_zone: String::new(),
        started_at: now,
        ended_at: None,
        day: now.to_zoned(TimeZone::UTC).date(),
        metadata: BTreeMap::new(),
        entries: Vec::new(),
        synced_at: None,
        created_at: now,
        updated_at: now,
        version: 1,
    };
    for (key, field) in [("time_zone", &input.time_zone), ("shift_started_at", &input.shift_started_at)] {
        // Fields that were sent are validated with the rest.
        if matches!(field, Patch::Absent | Patch::Null) {
            field.required(key, &mut checks, |_, _| Ok(()));
        }
    }
    apply_fields(tx, caller, input, (&mut new, false), &mut checks)?;
    checks.finish()?;
    new.insert(tx, caller.company)?;
    audit::record_audit_entry(tx, caller, "created", (TABLE, new.id), &json!({}))?;
    Ok(new)
}

/// Changes the given fields of a time sheet, which is then pending again.
///
/// # Errors
/// "Not found"; 409 for a stale version; 422 for hours that are in a payroll; every violation of the input; a store error.
pub fn update_time_sheet(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    input: &TimeSheetFields,
) -> Result<TimeSheet, Error> {
    let before = find_guarded(tx, caller, id)?;
    let mut after = before.clone();
    let mut checks = Checks::new();
    let version = patch::check_version(&input.version, &mut checks);
    input.entity_type.optional("entity_type", &mut checks, entity_type);
    input.entity_uuid.optional("entity_uuid", &mut checks, |key, id| match id_of(id) == before.employee {
        true => Ok(()),
        false => {
            let why = format!(
                "{key} must stay as it is: delete the time sheet, and create one for the other employee"
            );
            Err(Violation::invalid(key, why))
        }
    });
    apply_fields(tx, caller, input, (&mut after, true), &mut checks)?;
    checks.finish()?;
    let changes = Changes::from(TimeSheet::changes(&before, &after));
    expect_version(&changes, version.as_deref(), &before)?;
    refuse_synced(&before)?;
    if changes.is_empty() {
        return Ok(before);
    }
    after.status = TimeSheetStatus::Pending;
    let changes = Changes::from(TimeSheet::changes(&before, &after));
    save_time_sheet(tx, caller, after, "updated", &changes)
}

/// Approves or rejects a time sheet.
///
/// # Errors
/// "Not found"; 409 for a stale version; 422 for hours that are in a payroll, and for the approval of a shift that is running or
/// overlaps an approved one; a store error.
pub fn decide_time_sheet(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    version: &Patch<String>,
    status: TimeSheetStatus,
) -> Result<TimeSheet, Error> {
    let before = find_guarded(tx, caller, id)?;
    let mut checks = Checks::new();
    let version = patch::check_version(version, &mut checks);
    checks.finish()?;
    let after = TimeSheet { status, ..before.clone() };
    let changes = Changes::from(TimeSheet::changes(&before, &after));
    // A decision sends no fields that could differ.
    expect_version(&Changes::new(), version.as_deref(), &before)?;
    refuse_synced(&before)?;
    if status == TimeSheetStatus::Approved && before.ended_at.is_none() {
        let message = "The shift has not ended; set shift_ended_at, then approve it.";
        return Err(Error::from(Violation::invalid_operation(message)));
    }
    if changes.is_empty() {
        return Ok(before);
    }
    if status == TimeSheetStatus::Approved {
        overlaps::refuse_overlap(tx, caller.company, &before)?;
    }
    save_time_sheet(tx, caller, after, status.as_str(), &changes)
}

/// Deletes a time sheet.
///
/// # Errors
/// "Not found"; 409 for a stale version; 422 for hours that are in a payroll; a store error.
pub fn delete_time_sheet(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    version: &Patch<String>,
) -> Result<(), Error> {
    let old = find_guarded(tx, caller, id)?;
    let mut checks = Checks::new();
    let version = patch::check_version(version, &mut checks);
    checks.finish()?;
    expect_version(&Changes::new(), version.as_deref(), &old)?;
    refuse_synced(&old)?;
    if !old.delete(tx, caller.company)? {
        return Err(Error::NotFound); // with its employee, under the guard of the employee
    }
    audit::record_audit_entry(tx, caller, "deleted", (TABLE, id), &json!({}))
}

fn find_guarded(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<TimeSheet, Error> {
    let employee = rows::employee_of(tx, caller.company, id)?.ok_or(Error::NotFound)?;
    tx.take_guard(caller.company, TABLE, employee)?;
    get_time_sheet(tx, caller, id)
}

fn expect_version(changes: &Changes, version: Option<&str>, held: &TimeSheet) -> Result<(), Error> {
    changes.expect_version(version.unwrap_or_default(), version_text(TABLE, held.id, held.version))
}

fn refuse_synced(sheet: &TimeSheet) -> Result<(), Error> {
    if sheet.synced_at.is_none() {
        return Ok(());
    }
    let message = "The hours are in a payroll, so the time sheet cannot be changed; change the hours in the payroll instead.";
    Err(Error::from(Violation::invalid_operation(message)))
}

fn save_time_sheet(
    tx: &mut Tx<'_>,
    caller: &Caller,
    after: TimeSheet,
    action: &'static str,
    changes: &Changes,
) -> Result<TimeSheet, Error> {
    if !after.update(tx, caller.company)? {
        return Err(Error::NotFound); // it was deleted with its employee, under the guard of the employee
    }
    audit::record_audit_entry(tx, caller, action, (TABLE, after.id), &changes.to_json())?;
    get_time_sheet(tx, caller, after.id)
}

/// Applies the fields that were sent; `is_held` says whether the sheet already exists.
fn apply_fields(
    tx: &mut Tx<'_>,
    caller: &Caller,
    input: &TimeSheetFields,
    (sheet, is_held): (&mut TimeSheet, bool),
    checks: &mut Checks,
) -> Result<(), Error> {
    let jobs = pay::of_employee(tx, caller.company, sheet.employee)?;
    let job = |key: &str, id: &String| {
        let id = id_of(id);
        let known = jobs.jobs.iter().any(|job| job.id == id);
        let why = || Violation::invalid(key, format!("{key} must be the uuid of a job of the employee"));
        if known { Ok(Some(id)) } else { Err(why()) }
    };
    input.job_uuid.update_or_clear("job_uuid", checks, job, &mut sheet.job);
    input.time_zone.update("time_zone", checks, time_zone, &mut sheet.time_zone);
    let mut shift = Checks::new();
    input.shift_started_at.update(
        "shift_started_at",
        &mut shift,
        |k, v| check::parse_moment(k, v),
        &mut sheet.started_at,
    );
    let ended = |key: &str, text: &String| check::parse_moment(key, text).map(Some);
    input.shift_ended_at.update_or_clear("shift_ended_at", &mut shift, ended, &mut sheet.ended_at);
    // A new sheet without a start is refused for that reason alone.
    let is_known = shift.is_empty() && (is_held || input.shift_started_at.value().is_some());
    checks.extend(shift.finish().err().into_iter().flatten());
    if let Some(ended) = sheet.ended_at.filter(|_| is_known) {
        let longest = sheet.started_at + SHIFT_HOURS.hours();
        checks.require((sheet.started_at..=longest).contains(&ended), || {
            let why = format!("shift_ended_at must lie within {SHIFT_HOURS} hours after shift_started_at");
            Violation::invalid("shift_ended_at", why)
        });
    }
    let zone = TimeZone::get(&sheet.time_zone).unwrap_or(TimeZone::UTC);
    sheet.day = sheet.started_at.to_zoned(zone).date();
    input.metadata.update("metadata", checks, check_metadata, &mut sheet.metadata);
    if let Patch::Value(_) = &input.entries {
        let sent = patch::check_items("entries", &input.entries, MOST_ENTRIES, checks);
        sheet.entries = read_entries(tx, sent, &sheet.entries, checks);
    } else {
        input.entries.optional("entries", checks, |_, _| Ok(()));
    }
    let hours: i64 = sheet.entries.iter().map(|entry| entry.hours).sum();
    checks.require(hours <= SHIFT_HOURS * 1_000_000, || {
        Violation::invalid("entries", format!("entries must have at most {SHIFT_HOURS} hours together"))
    });
    if let Some(ended) = sheet.ended_at.filter(|ended| is_known && *ended >= sheet.started_at) {
        let lasted = hours_between(sheet.started_at, ended);
        checks.require(hours <= lasted.millionths() + ROUNDING, || beyond_the_shift(lasted));
    }
    Ok(())
}

/// Returns the hours that passed between two moments, which the clock may have been turned in; to three decimal places, rounded up.
fn hours_between(from: Timestamp, until: Timestamp) -> Amount {
    let seconds = i128::from(until.as_second() - from.as_second());
    let thousandths = (seconds * 1_000 + 3_599) / 3_600;
    Amount::from_millionths(i64::try_from(thousandths).unwrap_or(i64::MAX / 1_000) * 1_000)
}

fn beyond_the_shift(lasted: Amount) -> Violation {
    let lasted = lasted.to_text(3);
    let message = format!(
        "entries must not have more hours together than the shift lasted, {lasted}, by more than a quarter of an hour, to which its beginning \
         and end may be rounded (29 CFR 785.48(b)): correct shift_started_at, shift_ended_at or the hours"
    );
    Violation::invalid("entries", message)
}

/// The entries that were sent, replacing those of a sheet.
fn read_entries(tx: &mut Tx<'_>, sent: &[EntryFields], held: &[Entry], checks: &mut Checks) -> Vec<Entry> {
    let mut made = Vec::with_capacity(sent.len());
    for (index, entry) in sent.iter().enumerate() {
        let mut own = Checks::new();
        let id = entry.uuid.optional("uuid", &mut own, |key, id| {
            let id = id_of(id);
            let known = held.iter().any(|one| one.id == id);
            let why =
                || Violation::invalid(key, format!("{key} must be the uuid of an entry of the time sheet"));
            if known { Ok(id) } else { Err(why()) }
        });
        let hours = entry.hours_worked.required("hours_worked", &mut own, check_entry_hours);
        let classification = entry.pay_classification.optional("pay_classification", &mut own, as_is);
        match own.finish() {
            Ok(()) => made.push(Entry {
                id: id.unwrap_or_else(|| tx.new_id()),
                hours: hours.unwrap_or_default(),
                classification: classification.unwrap_or_default(),
            }),
            Err(errors) => {
                let at_index = json!({ "index": index });
                checks.push(Violation::nested("entries", errors).with_metadata(at_index));
            }
        }
    }
    made
}

fn check_entry_hours(key: &str, hours: &Amount) -> Result<i64, Violation> {
    let (millionths, most) = (hours.millionths(), SHIFT_HOURS * 1_000_000);
    if (1_000..=most).contains(&millionths) && millionths % 1_000 == 0 {
        return Ok(millionths);
    }
    let why = format!("{key} must lie between 0.001 and {SHIFT_HOURS}, with at most 3 decimal places");
    Err(Violation::invalid(key, why))
}

#[expect(clippy::ptr_arg, reason = "has the shape of every other check")]
fn entity_type(key: &str, name: &String) -> Result<(), Violation> {
    match check::one_of(key, name, &ENTITY_TYPES)? {
        "Employee" => Ok(()),
        _ => Err(Violation::invalid(
            key,
            format!("{key} must be Employee: the hours of contractors are entered with their payments"),
        )),
    }
}

#[expect(clippy::ptr_arg, reason = "has the shape of every other check")]
fn time_zone(key: &str, name: &String) -> Result<String, Violation> {
    let unknown = |_| {
        let why = format!("{key} must be the name of a time zone such as America/Los_Angeles");
        Violation::invalid(key, why)
    };
    TimeZone::get(name).map_err(unknown).map(|zone| zone.iana_name().unwrap_or(name).to_owned())
}

fn check_metadata(
    key: &str,
    pairs: &BTreeMap<String, String>,
) -> Result<BTreeMap<String, String>, Violation> {
    let fits = |(name, value): (&String, &String)| {
        let readable = |text: &str| !text.contains('\0');
        (1..=PAIR_KEY).contains(&name.chars().count())
            && value.chars().count() <= PAIR_VALUE
            && readable(name)
            && readable(value)
    };
    if pairs.len() <= MOST_PAIRS && pairs.iter().all(fits) {
        return Ok(pairs.clone());
    }
    let why = format!(
        "{key} must have at most {MOST_PAIRS} pairs, with keys of 1 to {PAIR_KEY} and values of at most {PAIR_VALUE} characters"
    );
    Err(Violation::invalid(key, why))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hour_that_summer_time_takes_is_no_hour_of_a_shift() {
        let of =
            |from: &str, until: &str| hours_between(from.parse().unwrap(), until.parse().unwrap()).to_text(3);
        // In Chicago the clock goes from 2 to 3 on 8 March 2026, and from 2 to 1 on 1 November.
        assert_eq!(of("2026-03-07T22:00:00-06:00", "2026-03-08T06:00:00-05:00"), "7.000");
        assert_eq!(of("2026-10-31T22:00:00-05:00", "2026-11-01T06:00:00-06:00"), "9.000");
        assert_eq!(of("2026-06-01T08:00:00-05:00", "2026-06-01T08:20:00-05:00"), "0.334");
    }

    #[test]
    fn hours_of_an_entry_have_three_decimals_and_fit_into_a_day() {
        let of = |text: &str| check_entry_hours("hours_worked", &Amount::parse(text).unwrap()).ok();
        assert_eq!(of("0.001"), Some(1_000));
        assert_eq!(of("24"), Some(24_000_000));
        for wrong in ["0", "0.0005", "-1", "24.001", "7.1234"] {
            assert_eq!(of(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_moment_needs_its_offset() {
        assert!(check::parse_moment("shift_started_at", "2026-06-15T09:00:00-07:00").is_ok());
        assert!(check::parse_moment("shift_started_at", "2026-06-15T09:00:00.000Z").is_ok());
        for wrong in ["2026-06-15T09:00:00", "2026-06-15", "nine"] {
            let why = check::parse_moment("shift_started_at", wrong).unwrap_err();
            assert!(why.message.contains("offset"), "{wrong}");
        }
    }

    #[test]
    fn a_time_zone_is_one_that_there_is() {
        let of = |name: &str| time_zone("time_zone", &name.to_owned()).ok();
        assert_eq!(of("America/Denver").as_deref(), Some("America/Denver"));
        assert_eq!(of("Mars/Olympus"), None);
    }

    #[test]
    fn metadata_is_bounded() {
        let of = |pairs: &[(&str, String)]| {
            check_metadata("metadata", &pairs.iter().map(|(k, v)| ((*k).to_owned(), v.clone())).collect())
                .is_ok()
        };
        assert!(of(&[("shift", "x".repeat(500))]) && of(&[]));
        assert!(!of(&[("shift", "x".repeat(501))]) && !of(&[("", "x".to_owned())]));
    }
}
