//! Adds approved hours to a payroll: employees in groups, each group in one unit of work.
//!
//! Hours are entered by day, like any entry, with the same checks: they replace hours of the same job and name that were entered
//! otherwise. All approved sheets of an employee in the pay period count, also those of an earlier sync, so a sync can be repeated. If a
//! group
//! is refused, its employees are tried one by one, and the errors of those who fail are reported.

use std::collections::BTreeMap;

use jiff::civil::Date;
use rules::days::Days;
use rules::{Amount, Violation};
use serde_json::{Value, json};
use store::{Store, Tx};
use uuid::Uuid;

use super::rows;
use super::rows::{Classification, PayrollSync, SyncStatus, TimeSheet, TimeSheetStatus};
use super::service::TABLE;
use crate::access::tokens::Caller;
use crate::company::companies;
use crate::error::{Error, violations_json};
use crate::events;
use crate::paging::Page;
use crate::patch::Patch;
use crate::pay::payrolls::record::commands::{HourlyLine, PreparePayroll, UpdateEmployee, UpdatePayroll};
use crate::pay::payrolls::record::kinds::HourlyKind;
use crate::pay::payrolls::record::payroll::Payroll;
use crate::pay::payrolls::record::rows as payrolls;
use crate::pay::payrolls::service;
use crate::platform::audit;

/// Employees whose hours are entered in one unit of work.
const AT_ONCE: i64 = 50;
/// Maximum number of an employee's sheets in a pay period.
const MOST_SHEETS: i64 = 500;
/// Maximum number of errors stored with a sync.
const MOST_ERRORS: usize = 200;

/// The outcome of a sync.
#[derive(Debug, Default)]
struct SyncNotes {
    /// number of employees whose hours are in the payroll
    synced: usize,
    errors: Vec<Value>,
    /// numbers of sheets that are not approved, and of approved ones without hours
    left_out: [usize; 2],
}

/// Runs a sync; no-op for one that is complete.
///
/// # Errors
/// A store error. What is wrong with the hours is stored with the sync.
pub async fn run_sync(store: &Store, company: Uuid, id: Uuid) -> Result<(), Error> {
    let begun = store.write(move |tx| begin_sync(tx, company, id)).await?;
    let Some(sync) = begun else { return Ok(()) };
    let days = Days { first: sync.start_date, last: sync.end_date };
    let (mut told, mut after) = (SyncNotes::default(), Uuid::nil());
    loop {
        let found = store.read(move |tx| rows::worked_between(tx, company, days, after, AT_ONCE)).await?;
        let Some(last) = found.last() else { break };
        after = *last;
        enter_group(store, company, sync.payroll, days, found, &mut told).await?;
    }
    store.write(move |tx| finish_sync(tx, company, id, &told)).await
}

/// Enters the hours of some employees, one by one if all together are refused.
async fn enter_group(
    store: &Store,
    company: Uuid,
    payroll: Uuid,
    days: Days,
    employees: Vec<Uuid>,
    told: &mut SyncNotes,
) -> Result<(), Error> {
    let group = employees.clone();
    match store.write(move |tx| enter_hours(tx, company, (payroll, days), &group)).await {
        Ok(entered) => told.add_group(&entered),
        Err(Error::Violations(violations)) if employees.len() == 1 => {
            told.add_violations(employees[0], &violations)
        }
        Err(Error::Violations(_)) => {
            for employee in employees {
                match store.write(move |tx| enter_hours(tx, company, (payroll, days), &[employee])).await {
                    Ok(entered) => told.add_group(&entered),
                    Err(Error::Violations(violations)) => told.add_violations(employee, &violations),
                    Err(error) => return Err(error),
                }
            }
        }
        Err(error) => return Err(error),
    }
    Ok(())
}

fn begin_sync(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<Option<PayrollSync>, Error> {
    let Some(sync) = PayrollSync::find(tx, company, id)? else { return Ok(None) };
    match sync.status {
        SyncStatus::Pending => {
            let begun = PayrollSync { status: SyncStatus::InProgress, ..sync };
            Ok(begun.update(tx, company)?.then_some(begun))
        }
        // Another node had started it.
        SyncStatus::InProgress => Ok(Some(sync)),
        SyncStatus::Success | SyncStatus::Failure | SyncStatus::PartialSuccess => Ok(None),
    }
}

fn finish_sync(tx: &mut Tx<'_>, company: Uuid, id: Uuid, told: &SyncNotes) -> Result<(), Error> {
    let Some(sync) = PayrollSync::find(tx, company, id)? else { return Ok(()) };
    let status = match (told.errors.is_empty(), told.synced) {
        (true, _) => SyncStatus::Success,
        (false, 0) => SyncStatus::Failure,
        (false, _) => SyncStatus::PartialSuccess,
    };
    let done = PayrollSync {
        status,
        errors: told.errors.iter().take(MOST_ERRORS).cloned().collect(),
        warnings: told.sync_warnings(),
        completed_at: Some(tx.now()),
        ..sync
    };
    match done.update(tx, company)? {
        true => events::emit_event(tx, company, events::PAYROLL_SYNC_COMPLETED, id),
        // Another node was quicker.
        false => Ok(()),
    }
}

/// Marks a sync as failed after its job failed permanently.
pub fn fail_if_abandoned(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<(), Error> {
    let Some(sync) = PayrollSync::find(tx, company, id)? else { return Ok(()) };
    if sync.completed_at.is_some() {
        return Ok(());
    }
    let given_up = Violation::invalid_operation("the job failed permanently; request the sync again");
    let errors = violations_json(&[given_up]).as_array().cloned().unwrap_or_default();
    let told = SyncNotes { errors, ..SyncNotes::default() };
    finish_sync(tx, company, id, &told)
}

/// The hours entered for a group of employees.
#[derive(Debug, Default)]
struct Group {
    synced: usize,
    left_out: [usize; 2],
}

impl SyncNotes {
    fn add_group(&mut self, group: &Group) {
        self.synced += group.synced;
        self.left_out = [self.left_out[0] + group.left_out[0], self.left_out[1] + group.left_out[1]];
    }

    fn add_violations(&mut self, employee: Uuid, violations: &[Violation]) {
        // Violations of hours already name the employee; those of the payroll as a whole do not.
        let of_employee = |one: &Violation| {
            let named = one.metadata.as_ref().and_then(|metadata| metadata["entity_uuid"].as_str());
            match named {
                Some(_) => one.clone(),
                None => {
                    one.clone().with_metadata(json!({ "entity_type": "Employee", "entity_uuid": employee }))
                }
            }
        };
        let told: Vec<_> = violations.iter().map(of_employee).collect();
        self.errors.extend(violations_json(&told).as_array().cloned().unwrap_or_default());
    }

    fn sync_warnings(&self) -> Vec<String> {
        let [undecided, empty] = self.left_out;
        let told = [
            (undecided, "are not approved and were left out"),
            (empty, "are approved without entries, so no hours were added to the payroll"),
        ];
        let told = told.into_iter().filter(|(count, _)| *count > 0);
        told.map(|(count, what)| format!("time sheets of the pay period: {count} {what}")).collect()
    }
}

fn enter_hours(
    tx: &mut Tx<'_>,
    company: Uuid,
    (payroll, days): (Uuid, Days),
    employees: &[Uuid],
) -> Result<Group, Error> {
    let caller = Caller::for_service(company, companies::time_zone(tx, company)?);
    let payroll = prepare_payroll(tx, &caller, payroll)?;
    let mut group = Group::default();
    let (mut lines, mut entered) = (Vec::new(), Vec::new());
    for employee in employees {
        tx.take_guard(company, TABLE, *employee)?;
        let sheets = rows::of_employee(tx, company, *employee, days, MOST_SHEETS + 1)?;
        if sheets.len() as i64 > MOST_SHEETS {
            let why = format!("an employee has at most {MOST_SHEETS} time sheets in a pay period");
            return Err(Error::from(Violation::invalid_operation(why)));
        }
        let (approved, others): (Vec<_>, Vec<_>) =
            sheets.into_iter().partition(|sheet| sheet.status == TimeSheetStatus::Approved);
        group.left_out[0] += others.iter().filter(|sheet| sheet.status == TimeSheetStatus::Pending).count();
        group.left_out[1] += approved.iter().filter(|sheet| sheet.entries.is_empty()).count();
        let hours = sum_hours(&approved);
        if hours.is_empty() {
            continue;
        }
        let version = service::current_version(tx, company, &payroll, *employee)?;
        lines.push(UpdateEmployee {
            employee_uuid: Patch::Value(employee.to_string()),
            version: Patch::Value(version),
            hourly_compensations: Patch::Value(hours),
            ..UpdateEmployee::default()
        });
        entered.extend(approved);
        group.synced += 1;
    }
    if lines.is_empty() {
        return Ok(group);
    }
    let update = UpdatePayroll { employee_compensations: Patch::Value(lines), ..UpdatePayroll::default() };
    service::update_payroll(tx, &caller, payroll.id, &update)?;
    mark_sheets_synced(tx, &caller, payroll.id, entered)?;
    Ok(group)
}

/// The payroll, prepared for data entry.
fn prepare_payroll(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<Payroll, Error> {
    let gone = || {
        Error::from(Violation::invalid_operation(
            "the payroll no longer exists; request a sync of the pay period again",
        ))
    };
    let payroll = payrolls::find_payroll(tx, caller.company, id)?.ok_or_else(gone)?;
    if payroll.prepared {
        return Ok(payroll);
    }
    let one = Page::Part { page: 1, per: 1 };
    let made = service::prepare_payroll(tx, caller, id, &PreparePayroll::default(), &[], one)?;
    Ok(made.0.payroll)
}

/// The hours of sheets by job, day and kind.
fn sum_hours(sheets: &[TimeSheet]) -> Vec<HourlyLine> {
    let mut sums: BTreeMap<(Option<Uuid>, Date, HourlyKind), i64> = BTreeMap::new();
    for sheet in sheets {
        for entry in &sheet.entries {
            let kind = match entry.classification {
                Classification::Regular => HourlyKind::Regular,
                Classification::Overtime => HourlyKind::Overtime,
                Classification::DoubleOvertime => HourlyKind::DoubleOvertime,
            };
            *sums.entry((sheet.job, sheet.day, kind)).or_default() += entry.hours;
        }
    }
    let line = |((job, day, kind), hours): ((Option<Uuid>, Date, HourlyKind), i64)| HourlyLine {
        name: Patch::Value(kind.as_str().to_owned()),
        hours: Patch::Value(Amount::from_millionths(hours)),
        job_uuid: job.map_or(Patch::Absent, |job| Patch::Value(job.to_string())),
        date: Patch::Value(day),
        ..HourlyLine::default()
    };
    sums.into_iter().map(line).collect()
}

/// Records that the hours of sheets are in a payroll.
fn mark_sheets_synced(
    tx: &mut Tx<'_>,
    caller: &Caller,
    payroll: Uuid,
    sheets: Vec<TimeSheet>,
) -> Result<(), Error> {
    let now = tx.now();
    for sheet in sheets.into_iter().filter(|sheet| sheet.synced_at.is_none()) {
        let synced = TimeSheet { synced_at: Some(now), ..sheet };
        assert!(synced.update(tx, caller.company)?, "the row was read under its guard");
        let what = json!({ "payroll": [null, payroll] });
        audit::record_audit_entry(tx, caller, "synced", (TABLE, synced.id), &what)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use jiff::civil::date;

    use super::super::rows::Entry;
    use super::*;

    fn sheet(day: Date, job: Option<Uuid>, entries: &[(i64, Classification)]) -> TimeSheet {
        let entry = |(hours, classification): &(i64, Classification)| Entry {
            id: Uuid::nil(),
            hours: hours * 1_000_000,
            classification: *classification,
        };
        TimeSheet {
            id: Uuid::nil(),
            employee: Uuid::nil(),
            status: TimeSheetStatus::Approved,
            job,
            time_zone: "America/Denver".to_owned(),
            started_at: Timestamp::UNIX_EPOCH,
            ended_at: Some(Timestamp::UNIX_EPOCH),
            day,
            metadata: BTreeMap::new(),
            entries: entries.iter().map(entry).collect(),
            synced_at: None,
            created_at: Timestamp::UNIX_EPOCH,
            updated_at: Timestamp::UNIX_EPOCH,
            version: 1,
        }
    }

    #[test]
    fn hours_of_shifts_of_one_day_job_and_kind_add_up() {
        let day = date(2026, 6, 15);
        let job = Some(Uuid::from_u128(7));
        let lines = sum_hours(&[
            sheet(day, None, &[(4, Classification::Regular)]),
            sheet(day, None, &[(4, Classification::Regular), (1, Classification::Overtime)]),
            sheet(day, job, &[(2, Classification::Regular)]),
            sheet(date(2026, 6, 16), None, &[(3, Classification::DoubleOvertime)]),
        ]);
        let told: Vec<_> = lines
            .iter()
            .map(|line| {
                let hours = line.hours.value().unwrap().to_text(3);
                (
                    line.date.value().unwrap().to_string(),
                    line.name.value().unwrap().as_str(),
                    hours,
                    line.job_uuid.value().is_some(),
                )
            })
            .collect();
        assert_eq!(
            told,
            [
                ("2026-06-15".to_owned(), "Regular Hours", "8.000".to_owned(), false),
                ("2026-06-15".to_owned(), "Overtime", "1.000".to_owned(), false),
                ("2026-06-16".to_owned(), "Double overtime", "3.000".to_owned(), false),
                ("2026-06-15".to_owned(), "Regular Hours", "2.000".to_owned(), true),
            ]
        );
    }

    #[test]
    fn what_was_left_out_is_told_in_words() {
        let told = SyncNotes { left_out: [2, 0], ..SyncNotes::default() };
        assert_eq!(
            told.sync_warnings(),
            ["time sheets of the pay period: 2 are not approved and were left out"]
        );
        assert!(SyncNotes::default().sync_warnings().is_empty());
    }
}
