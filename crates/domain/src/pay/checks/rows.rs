//! Rows of checks.

use jiff::Timestamp;
use store::record::Cursor;
use store::{Row, Tx, params};
use uuid::Uuid;

use crate::error::Error;
use crate::paging::Page;

/// Table of the checks, in audit entries and for its guard.
pub const TABLE: &str = "payroll_checks";

macro_rules! select {
    () => {
        "SELECT number, payroll_id, run_id, employee_id, amount, issued_at, voided_at, void_reason FROM payroll_checks \
         WHERE company_id = $1"
    };
}

store::statements! {
    ISSUE = "INSERT INTO payroll_checks (company_id, number, payroll_id, run_id, employee_id, amount, issued_at) \
             VALUES ($1, $2, $3, $4, $5, $6, $7)";
    VOID = "UPDATE payroll_checks SET voided_at = $1, void_reason = $2 WHERE company_id = $3 AND number = $4 AND voided_at IS NULL";
    VOID_RUN = "UPDATE payroll_checks SET voided_at = $1, void_reason = $2 WHERE company_id = $3 AND run_id = $4 AND voided_at IS NULL";
    ONE = concat!(select!(), " AND number = $2");
    OF_RUN = concat!(select!(), " AND run_id = $2 AND voided_at IS NULL ORDER BY number");
    LIST = concat!(select!(), " ORDER BY number DESC LIMIT $2 OFFSET $3");
    COUNT = "SELECT count(*) FROM payroll_checks WHERE company_id = $1";
    LAST = "SELECT max(number) FROM payroll_checks WHERE company_id = $1";
    TAKEN = "SELECT number FROM payroll_checks WHERE company_id = $1 AND number BETWEEN $2 AND $3 ORDER BY number LIMIT 1";
    SETTINGS = "SELECT micr_line FROM check_settings WHERE company_id = $1";
    PUT_SETTINGS = "INSERT INTO check_settings (company_id, micr_line, updated_at) VALUES ($1, $2, $3) \
                    ON CONFLICT (company_id) DO UPDATE SET micr_line = excluded.micr_line, updated_at = excluded.updated_at";
}

/// A check.
#[derive(Debug, Clone)]
pub struct Check {
    /// its number
    pub number: i64,
    /// the payroll
    pub payroll: Uuid,
    /// the calculation that it pays
    pub run: Uuid,
    /// the payee
    pub employee: Uuid,
    /// cents
    pub cents: i64,
    /// when the number was given
    pub issued_at: Timestamp,
    /// when it became void
    pub voided_at: Option<Timestamp>,
    /// why
    pub void_reason: Option<String>,
}

fn read_check(row: &Row<'_>) -> Result<Check, store::Error> {
    let mut next = Cursor::new(row, TABLE, 0);
    Ok(Check {
        number: next.read_plain("number")?,
        payroll: next.read_plain("payroll_id")?,
        run: next.read_plain("run_id")?,
        employee: next.read_plain("employee_id")?,
        cents: next.read_plain("amount")?,
        issued_at: next.read_plain("issued_at")?,
        voided_at: next.read_plain("voided_at")?,
        void_reason: next.read_plain("void_reason")?,
    })
}

/// Stores a new check; under the guard of the company's checks.
pub fn insert_check(tx: &mut Tx<'_>, company: Uuid, new: &Check) -> Result<(), Error> {
    let Check { number, payroll, run, employee, cents, issued_at, .. } = *new;
    Ok(tx.insert_row(ISSUE, params![company, number, payroll, run, employee, cents, issued_at])?)
}

/// Marks a check as void; returns `false` if it already is.
pub fn mark_check_void(tx: &mut Tx<'_>, company: Uuid, number: i64, reason: &str) -> Result<bool, Error> {
    let now = tx.now();
    Ok(tx.change_rows(VOID, params![now, reason, company, number])?.is_one())
}

/// Marks the checks of a calculation as void.
pub fn void_run(tx: &mut Tx<'_>, company: Uuid, run: Uuid, reason: &str) -> Result<(), Error> {
    let now = tx.now();
    let _there_may_be_none = tx.change_rows(VOID_RUN, params![now, reason, company, run])?.rows();
    Ok(())
}

/// The check with a number.
pub fn find_check(tx: &mut Tx<'_>, company: Uuid, number: i64) -> Result<Option<Check>, Error> {
    Ok(tx.try_find(ONE, params![company, number], read_check)?)
}

/// The checks of a calculation that are not void, by number.
pub fn of_run(tx: &mut Tx<'_>, company: Uuid, run: Uuid) -> Result<Vec<Check>, Error> {
    Ok(tx.try_query(OF_RUN, params![company, run], read_check)?)
}

/// A page of the company's checks, highest number first.
pub fn list_checks(tx: &mut Tx<'_>, company: Uuid, page: Page) -> Result<Vec<Check>, Error> {
    let (limit, offset) = page.limit_and_offset();
    Ok(tx.try_query(LIST, params![company, limit, offset], read_check)?)
}

/// The number of checks.
pub fn count_checks(tx: &mut Tx<'_>, company: Uuid) -> Result<i64, Error> {
    Ok(tx.find_row(COUNT, params![company], |row| row.get::<i64>(0))?.unwrap_or(0))
}

/// The highest number used; `None` before the first.
pub fn last_check_number(tx: &mut Tx<'_>, company: Uuid) -> Result<Option<i64>, Error> {
    Ok(tx.find_row(LAST, params![company], |row| row.get::<Option<i64>>(0))?.flatten())
}

/// The lowest used number between two (both included).
pub fn first_used_number(
    tx: &mut Tx<'_>,
    company: Uuid,
    (first, last): (i64, i64),
) -> Result<Option<i64>, Error> {
    Ok(tx.find_row(TAKEN, params![company, first, last], |row| row.get::<i64>(0))?)
}

/// Whether the MICR line is printed.
pub fn micr_line(tx: &mut Tx<'_>, company: Uuid) -> Result<bool, Error> {
    Ok(tx.find_row(SETTINGS, params![company], |row| row.get::<bool>(0))?.unwrap_or(false))
}

/// Sets whether the MICR line is printed; under the guard of the company's checks.
pub fn set_micr_line(tx: &mut Tx<'_>, company: Uuid, micr_line: bool) -> Result<(), Error> {
    let now = tx.now();
    let _put = tx.change_rows(PUT_SETTINGS, params![company, micr_line, now])?.is_one();
    Ok(())
}
