//! Rows of time sheets, and of syncs into payrolls.

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::civil::Date;
use rules::days::Days;
use rules::{Amount, Named};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use store::record::Cursor;
use store::{Row, Tx, params};
use strum::{EnumString, IntoStaticStr, VariantArray};
use uuid::Uuid;

use crate::error::Error;

/// The status of a time sheet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum TimeSheetStatus {
    /// nobody has decided
    #[strum(serialize = "pending")]
    Pending,
    /// its hours are not paid
    #[strum(serialize = "rejected")]
    Rejected,
    /// a sync adds its hours to the payroll
    #[strum(serialize = "approved")]
    Approved,
}

/// How hours are paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, VariantArray, IntoStaticStr, EnumString)]
pub enum Classification {
    /// at the rate of pay
    #[default]
    #[strum(serialize = "Regular")]
    Regular,
    /// at one and a half times the rate
    #[strum(serialize = "Overtime")]
    Overtime,
    /// at twice the rate
    #[strum(serialize = "Double overtime")]
    DoubleOvertime,
}

/// Hours of a shift with one classification.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// identifier
    pub id: Uuid,
    /// millionths of an hour
    pub hours: i64,
    /// the classification, stored by name
    #[serde(with = "by_name")]
    pub classification: Classification,
}

impl Entry {
    /// The hours.
    pub fn hours(&self) -> Amount {
        Amount::from_millionths(self.hours)
    }
}

/// Names of [`Classification`] in stored JSON.
mod by_name {
    use rules::Named;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    use super::Classification;

    pub(super) fn serialize<S: Serializer>(kind: &Classification, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(kind.as_str())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Classification, D::Error> {
        let name = String::deserialize(from)?;
        Classification::parse(&name).ok_or_else(|| D::Error::custom("no classification of hours"))
    }
}

store::record! {
    /// A shift of an employee.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct TimeSheet in "time_sheets" {
        key {
            /// identifier
            pub id: Uuid,
        }
        fixed {
            /// who worked
            pub employee: Uuid = "employee_id",
        }
        fields {
            /// the status
            pub status: TimeSheetStatus as text,
            /// the job; the primary one if `None`
            pub job: Option<Uuid> = "job_id",
            /// name of the time zone of the work
            pub time_zone: String,
            /// when the shift began
            pub started_at: Timestamp,
            /// when it ended; `None` while it runs
            pub ended_at: Option<Timestamp>,
            /// the day on which it began, in its time zone
            pub day: Date,
            /// the application's metadata
            pub metadata: BTreeMap<String, String> as json,
            /// its hours
            pub entries: Vec<Entry> as json,
            /// when its hours were added to a payroll
            pub synced_at: Option<Timestamp> = "synced_to_payroll_at",
        }
        times {
            /// when it was reported
            pub created_at: Timestamp,
            /// when it was last changed
            pub updated_at: Timestamp,
        }
        version
    }
}

/// The status of a sync.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum SyncStatus {
    /// it waits for the worker
    #[strum(serialize = "pending")]
    Pending,
    /// hours are being added to the payroll
    #[strum(serialize = "in_progress")]
    InProgress,
    /// all hours are in the payroll
    #[strum(serialize = "success")]
    Success,
    /// no hours are in the payroll
    #[strum(serialize = "failure")]
    Failure,
    /// the hours of some employees are in the payroll
    #[strum(serialize = "partial_success")]
    PartialSuccess,
}

store::record! {
    /// A sync, which adds approved hours of a pay period to its payroll.
    #[derive(Debug, Clone)]
    pub struct PayrollSync in "payroll_syncs" {
        key {
            /// identifier
            pub id: Uuid,
        }
        fixed {
            /// the payroll
            pub payroll: Uuid = "payroll_id",
            /// its pay schedule
            pub pay_schedule: Uuid = "pay_schedule_id",
            /// first day of the pay period
            pub start_date: Date,
            /// its last day
            pub end_date: Date,
        }
        fields {
            /// the status
            pub status: SyncStatus as text,
            /// the errors, as items of a response's `errors`
            pub errors: Vec<Value> as json,
            /// what was left out, in words
            pub warnings: Vec<String> as json,
            /// when it was completed
            pub completed_at: Option<Timestamp>,
        }
        times {
            /// when it was requested
            pub created_at: Timestamp,
            updated_at,
        }
        version
    }
}

store::statements! {
    records TimeSheet, PayrollSync;
    EMPLOYEE_OF = "SELECT employee_id FROM time_sheets WHERE company_id = $1 AND id = $2";
    CREATED_BETWEEN = store::text!(TimeSheet::SELECT, " AND created_at > $2 AND created_at < $3 ORDER BY created_at, id LIMIT $4");
    WORKED_BETWEEN = "SELECT DISTINCT employee_id FROM time_sheets WHERE company_id = $1 AND day BETWEEN $2 AND $3 \
                      AND employee_id > $4 ORDER BY employee_id LIMIT $5";
    OF_EMPLOYEE = store::text!(TimeSheet::SELECT, " AND employee_id = $2 AND day BETWEEN $3 AND $4 ORDER BY day, id LIMIT $5");
    APPROVED_WITHIN = store::text!(TimeSheet::SELECT, " AND employee_id = $2 AND day BETWEEN $3 AND $4 AND status = 'approved' AND id <> $5 \
                      AND (started_at = $6 OR (started_at < $7 AND ended_at > $6)) ORDER BY started_at, id LIMIT 1");
    FORGET = "DELETE FROM time_sheets WHERE company_id = $1 AND employee_id = $2";
}

/// The employee of a sheet.
pub fn employee_of(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<Option<Uuid>, Error> {
    Ok(tx.try_find(EMPLOYEE_OF, params![company, id], read_employee_id)?)
}

fn read_employee_id(row: &Row<'_>) -> Result<Uuid, store::Error> {
    Cursor::new(row, TimeSheet::TABLE, 0).read_plain("employee_id")
}

/// At most `most` sheets reported between two moments (neither included), oldest first.
pub fn created_between(
    tx: &mut Tx<'_>,
    company: Uuid,
    (after, before): (Timestamp, Timestamp),
    most: i64,
) -> Result<Vec<TimeSheet>, Error> {
    Ok(tx.try_query(CREATED_BETWEEN, params![company, after, before, most], TimeSheet::read)?)
}

/// The next employees after one with a shift between two days (both included), at most `most`.
pub fn worked_between(
    tx: &mut Tx<'_>,
    company: Uuid,
    Days { first: from, last: until }: Days,
    after: Uuid,
    most: i64,
) -> Result<Vec<Uuid>, Error> {
    Ok(tx.try_query(WORKED_BETWEEN, params![company, from, until, after, most], read_employee_id)?)
}

/// At most `most` of an employee's sheets between two days (both included), by day.
pub fn of_employee(
    tx: &mut Tx<'_>,
    company: Uuid,
    employee: Uuid,
    Days { first: from, last: until }: Days,
    most: i64,
) -> Result<Vec<TimeSheet>, Error> {
    Ok(tx.try_query(OF_EMPLOYEE, params![company, employee, from, until, most], TimeSheet::read)?)
}

/// The first other approved sheet of the same employee, among those between two days (both included), that overlaps a sheet which ends
/// at a moment.
pub(super) fn approved_within(
    tx: &mut Tx<'_>,
    company: Uuid,
    sheet: &TimeSheet,
    Days { first: from, last: until }: Days,
    ended: Timestamp,
) -> Result<Option<TimeSheet>, Error> {
    let parameters = params![company, sheet.employee, from, until, sheet.id, sheet.started_at, ended];
    Ok(tx.try_find(APPROVED_WITHIN, parameters, TimeSheet::read)?)
}

/// Deletes the sheets of an employee who is deleted.
pub fn delete_employee_sheets(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<(), Error> {
    let _there_may_be_none = tx.change_rows(FORGET, params![company, employee])?.rows();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_are_stored_with_the_name_of_their_classification() {
        let entry =
            Entry { id: Uuid::nil(), hours: 7_500_000, classification: Classification::DoubleOvertime };
        let stored = serde_json::to_value(entry).unwrap();
        assert_eq!(stored["classification"], "Double overtime");
        assert_eq!(serde_json::from_value::<Entry>(stored).unwrap(), entry);
    }
}
