//! Whether an employee's catch-up contributions of a year have to be Roth contributions, as the company decided. Without a decision, the
//! wages paid by payrolls here in the previous year determine it.

use rules::{Checks, Violation};
use serde_json::json;
use store::record::Cursor;
use store::{Row, Tx, params};
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::error::Error;
use crate::patch::{Patch, as_is};
use crate::people::employees;
use crate::platform::audit;
use crate::records::IdRange;

store::statements! {
    OF_EMPLOYEE = "SELECT id, effective_year, is_high_earner FROM section603_statuses WHERE company_id = $1 AND employee_id = $2 \
                   ORDER BY effective_year";
    BETWEEN = "SELECT employee_id, is_high_earner FROM section603_statuses WHERE company_id = $1 \
               AND employee_id BETWEEN $2 AND $3 AND effective_year = $4 ORDER BY employee_id";
    INSERT = "INSERT INTO section603_statuses (company_id, employee_id, effective_year, id, is_high_earner, version, created_at, \
              updated_at) VALUES ($1, $2, $3, $4, $5, 1, $6, $6)";
    UPDATE = "UPDATE section603_statuses SET is_high_earner = $1, version = version + 1, updated_at = $2 \
              WHERE company_id = $3 AND employee_id = $4 AND effective_year = $5";
    FORGET = "DELETE FROM section603_statuses WHERE company_id = $1 AND employee_id = $2";
}

/// Table of the record, in audit entries.
const TABLE: &str = "section603_statuses";
/// The years for which a decision can be made.
const YEARS: std::ops::RangeInclusive<i64> = 2_000..=2_199;

/// A decision for a year.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HighEarnerStatus {
    /// identifier
    pub id: Uuid,
    /// the year of the contributions
    pub year: i64,
    /// whether catch-up contributions have to be Roth contributions
    pub is_high_earner: bool,
}

/// Makes the decision for a year.
#[derive(Debug, Clone, Default)]
pub struct Decide {
    /// the year of the contributions
    pub effective_year: Patch<i64>,
    /// whether catch-up contributions have to be Roth contributions
    pub is_high_earner: Patch<bool>,
}

/// Changes the decision for a year.
#[derive(Debug, Clone, Default)]
pub struct DecideAnew {
    /// whether catch-up contributions have to be Roth contributions
    pub is_high_earner: Patch<bool>,
}

/// The decisions, by year.
///
/// # Errors
/// "Not found"; a store error.
pub fn list_decisions(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
) -> Result<Vec<HighEarnerStatus>, Error> {
    let employee = employees::service::find_employee(tx, caller, employee)?.id;
    of_employee(tx, caller.company, employee)
}

fn of_employee(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<Vec<HighEarnerStatus>, Error> {
    let read = |row: &Row<'_>| {
        let mut next = Cursor::new(row, TABLE, 0);
        let (id, year) = (next.read_plain("id")?, next.read_plain("effective_year")?);
        Ok::<_, store::Error>(HighEarnerStatus {
            id,
            year,
            is_high_earner: next.read_plain("is_high_earner")?,
        })
    };
    Ok(tx.try_query(OF_EMPLOYEE, params![company, employee], read)?)
}

/// The decision for a year.
///
/// # Errors
/// "Not found"; 422 for an invalid year; a store error.
pub fn find_decision(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    year: &str,
) -> Result<HighEarnerStatus, Error> {
    // "Not found" for the employee comes before an invalid year.
    let held = list_decisions(tx, caller, employee)?;
    let year = year_of(year)?;
    held.into_iter().find(|one| one.year == year).ok_or(Error::NotFound)
}

fn year_of(text: &str) -> Result<i64, Violation> {
    let year = text.parse().ok().filter(|year| YEARS.contains(year));
    year.ok_or_else(|| out_of_range("effective_year"))
}

fn out_of_range(key: &str) -> Violation {
    Violation::invalid(key, format!("{key} must be between {} and {}", YEARS.start(), YEARS.end()))
}

/// Makes the decision for a year.
///
/// # Errors
/// "Not found"; every violation of the input; 409 if it was already made; a store error.
pub fn create_decision(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    input: &Decide,
) -> Result<HighEarnerStatus, Error> {
    let employee = employees::service::find_guarded(tx, caller, employee)?.id;
    let mut checks = Checks::new();
    let year = input.effective_year.required("effective_year", &mut checks, |key, year| {
        if YEARS.contains(year) { Ok(*year) } else { Err(out_of_range(key)) }
    });
    let decided = input.is_high_earner.required("is_high_earner", &mut checks, as_is);
    checks.finish()?;
    let (Some(year), Some(is_high_earner)) = (year, decided) else {
        unreachable!("a decision with missing fields is refused")
    };
    if of_employee(tx, caller.company, employee)?.iter().any(|one| one.year == year) {
        let message = format!("effective_year {year} has already been decided: update it");
        return Err(Error::Settled(Violation::invalid("effective_year", message)));
    }
    let (id, now) = (tx.new_id(), tx.now());
    tx.insert_row(INSERT, params![caller.company, employee, year, id, is_high_earner, now])?;
    audit::record_audit_entry(
        tx,
        caller,
        "created",
        (TABLE, employee),
        &json!({ "effective_year": [null, year] }),
    )?;
    Ok(HighEarnerStatus { id, year, is_high_earner })
}

/// Changes the decision for a year. Calculated payrolls keep what they were calculated with.
///
/// # Errors
/// "Not found", also if no decision was made; every violation of the input; a store error.
pub fn update_decision(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    year: &str,
    input: &DecideAnew,
) -> Result<HighEarnerStatus, Error> {
    let employee = employees::service::find_guarded(tx, caller, employee)?.id;
    let before = find_decision(tx, caller, employee, year)?;
    let mut checks = Checks::new();
    let decided = input.is_high_earner.required("is_high_earner", &mut checks, as_is);
    checks.finish()?;
    let after = HighEarnerStatus { is_high_earner: decided.unwrap_or(before.is_high_earner), ..before };
    if after != before {
        let now = tx.now();
        let row = params![after.is_high_earner, now, caller.company, employee, after.year];
        assert!(tx.change_rows(UPDATE, row)?.is_one(), "the row was read under its guard");
        let noted = json!({ "is_high_earner": [before.is_high_earner, after.is_high_earner] });
        audit::record_audit_entry(tx, caller, "updated", (TABLE, employee), &noted)?;
    }
    Ok(after)
}

/// The decision for an employee and a year, if there is one.
pub fn decision_for_year(
    tx: &mut Tx<'_>,
    company: Uuid,
    employee: Uuid,
    year: i16,
) -> Result<Option<bool>, Error> {
    Ok(decisions_for_employees(tx, company, IdRange::only(employee), year)?.pop().map(|(_, decided)| decided))
}

/// The decisions for a range of employees (ends included) and a year.
pub fn decisions_for_employees(
    tx: &mut Tx<'_>,
    company: Uuid,
    IdRange { first, last }: IdRange,
    year: i16,
) -> Result<Vec<(Uuid, bool)>, Error> {
    let read = |row: &Row<'_>| {
        let mut next = Cursor::new(row, TABLE, 0);
        Ok::<_, store::Error>((next.read_plain("employee_id")?, next.read_plain("is_high_earner")?))
    };
    Ok(tx.try_query(BETWEEN, params![company, first, last, i64::from(year)], read)?)
}

/// Deletes the decisions, with the employee.
pub fn delete_decisions(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<(), Error> {
    let _there_may_be_none = tx.change_rows(FORGET, params![company, employee])?.rows();
    Ok(())
}
