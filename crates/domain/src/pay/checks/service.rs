//! Use cases of paper checks. Every change takes the guard of all checks of the company.

use std::collections::BTreeMap;

use rules::{Checks, Violation, check};
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use super::rows;
use super::rows::{Check, TABLE};
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::paging::{Listed, Page};
use crate::patch::{Patch, as_is};
use crate::platform::audit;
use crate::records::Changes;

/// The number of a company's first check, unless another is given.
const FIRST: i64 = 1_001;
/// The highest number: as many digits as fit on a check.
pub const HIGHEST: i64 = 9_999_999_999;
/// Maximum characters of a reason.
const REASON: usize = 255;

/// An amount to be paid by check.
#[derive(Debug, Clone, Copy)]
pub struct Payable {
    /// the payee
    pub employee: Uuid,
    /// cents
    pub cents: i64,
}

/// Numbers the checks of employees who are paid by check. An existing check is kept, and another is issued for the amount beyond it,
/// unless a first number is given: then every check is reissued, and the earlier ones are void.
///
/// # Errors
/// 422 for numbers that are already used or too high; a store error.
pub fn issue_checks(
    tx: &mut Tx<'_>,
    caller: &Caller,
    (payroll, run): (Uuid, Uuid),
    payables: &[Payable],
    start: Option<i64>,
) -> Result<Vec<Check>, Error> {
    let company = caller.company;
    tx.take_guard(company, TABLE, company)?;
    let mut held: BTreeMap<Uuid, Vec<Check>> = BTreeMap::new();
    if start.is_none() {
        for check in rows::of_run(tx, company, run)? {
            held.entry(check.employee).or_default().push(check);
        }
    }
    let left = |held: &BTreeMap<Uuid, Vec<Check>>, one: &Payable| {
        one.cents - held.get(&one.employee).into_iter().flatten().map(|check| check.cents).sum::<i64>()
    };
    let missing = payables.iter().filter(|one| left(&held, one) > 0).count();
    let missing = i64::try_from(missing).unwrap_or(i64::MAX);
    let first = match start {
        Some(start) => start,
        None => rows::last_check_number(tx, company)?.map_or(FIRST, |last| last + 1),
    };
    let last = first.saturating_add(missing - 1);
    if last > HIGHEST {
        let why = format!(
            "starting_check_number is too high: {missing} numbers from {first} on would exceed {HIGHEST}"
        );
        return Err(Violation::invalid("starting_check_number", why).into());
    }
    if let Some(taken) = rows::first_used_number(tx, company, (first, last))? {
        let next = rows::last_check_number(tx, company)?.map_or(FIRST, |last| last + 1);
        let why = format!(
            "starting_check_number must start a range of unused numbers: {taken} is taken, {next} is the next free one"
        );
        return Err(Violation::invalid("starting_check_number", why).into());
    }
    if start.is_some() {
        rows::void_run(tx, company, run, "issued again under another number")?;
    }
    let (now, mut numbers) = (tx.now(), first..);
    let mut checks = Vec::with_capacity(payables.len());
    for payable in payables {
        let (employee, cents) = (payable.employee, left(&held, payable));
        checks.extend(held.remove(&employee).into_iter().flatten());
        if cents <= 0 {
            continue;
        }
        let number = numbers.next().unwrap_or(HIGHEST);
        let (issued_at, voided_at, void_reason) = (now, None, None);
        let new = Check { number, payroll, run, employee, cents, issued_at, voided_at, void_reason };
        rows::insert_check(tx, company, &new)?;
        checks.push(new);
    }
    if missing > 0 {
        let changes = json!({ "first": [null, first], "last": [null, last] });
        audit::record_audit_entry(tx, caller, "checks_issued", ("payrolls", payroll), &changes)?;
    }
    Ok(checks)
}

/// Marks the checks of a cancelled payroll as void.
pub fn void_run(tx: &mut Tx<'_>, company: Uuid, run: Uuid) -> Result<(), Error> {
    tx.take_guard(company, TABLE, company)?;
    rows::void_run(tx, company, run, "the payroll was cancelled")
}

/// Marks the checks of an employee in a calculation as void.
pub fn void_of(
    tx: &mut Tx<'_>,
    caller: &Caller,
    (run, employee): (Uuid, Uuid),
    reason: &str,
) -> Result<(), Error> {
    tx.take_guard(caller.company, TABLE, caller.company)?;
    let held = rows::of_run(tx, caller.company, run)?.into_iter();
    for check in held.filter(|check| check.employee == employee) {
        if rows::mark_check_void(tx, caller.company, check.number, reason)? {
            let changes = json!({ "number": check.number, "void_reason": [null, reason] });
            audit::record_audit_entry(tx, caller, "check_voided", ("payrolls", check.payroll), &changes)?;
        }
    }
    Ok(())
}

/// A page of the checks, highest number first.
///
/// # Errors
/// 422 for a list that is too long to be read at once; a store error.
pub fn list_checks(tx: &mut Tx<'_>, caller: &Caller, page: Page) -> Result<Listed<Check>, Error> {
    let found = rows::list_checks(tx, caller.company, page)?;
    Listed::new(page, found, || rows::count_checks(tx, caller.company))
}

/// Voids a check.
#[derive(Debug, Clone, Default)]
pub struct VoidCheck {
    /// why
    pub reason: Patch<String>,
}

/// Marks a check as void; its number is never used again. No-op for a check that is already void.
///
/// # Errors
/// "Not found"; every violation of the input; a store error.
pub fn void_check(tx: &mut Tx<'_>, caller: &Caller, number: i64, input: &VoidCheck) -> Result<Check, Error> {
    tx.take_guard(caller.company, TABLE, caller.company)?;
    rows::find_check(tx, caller.company, number)?.ok_or(Error::NotFound)?;
    let mut checks = Checks::new();
    let reason =
        input.reason.required("reason", &mut checks, |key, text| check::validate_text(key, text, REASON));
    checks.finish()?;
    let Some(reason) = reason else { unreachable!("a void check without a reason is refused") };
    if !rows::mark_check_void(tx, caller.company, number, &reason)? {
        return rows::find_check(tx, caller.company, number)?.ok_or(Error::NotFound);
    }
    let changes = json!({ "number": number, "void_reason": [null, reason] });
    let found = rows::find_check(tx, caller.company, number)?.ok_or(Error::NotFound)?;
    audit::record_audit_entry(tx, caller, "check_voided", ("payrolls", found.payroll), &changes)?;
    Ok(found)
}

/// Sets how checks are printed.
#[derive(Debug, Clone, Default)]
pub struct UpdateCheckSettings {
    /// whether the MICR line is printed
    pub micr_line: Patch<bool>,
}

/// Sets how checks are printed; returns whether the MICR line is.
///
/// # Errors
/// Every violation of the input; a store error.
pub fn update_settings(tx: &mut Tx<'_>, caller: &Caller, input: &UpdateCheckSettings) -> Result<bool, Error> {
    tx.take_guard(caller.company, TABLE, caller.company)?;
    let before = rows::micr_line(tx, caller.company)?;
    let mut checks = Checks::new();
    let mut after = before;
    input.micr_line.update("micr_line", &mut checks, as_is, &mut after);
    checks.finish()?;
    let mut changes = Changes::new();
    changes.record_difference("micr_line", &before, &after);
    if !changes.is_empty() {
        rows::set_micr_line(tx, caller.company, after)?;
        audit::record_audit_entry(
            tx,
            caller,
            "updated",
            ("check_settings", caller.company),
            &changes.to_json(),
        )?;
    }
    Ok(after)
}
