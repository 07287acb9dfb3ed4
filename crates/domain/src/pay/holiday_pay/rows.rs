//! Rows of holiday pay policies and of their employees.

use std::collections::BTreeSet;

use rules::Named;
use rules::holiday_pay::Holiday;
use serde_json::json;
use store::record::Cursor;
use store::{Json, Row, Tx, params};
use uuid::Uuid;

use crate::error::Error;

/// Table of the policies, also in versions, audit entries and for guards.
pub const TABLE: &str = "holiday_pay_policies";

store::statements! {
    FIND = "SELECT holidays, version FROM holiday_pay_policies WHERE company_id = $1";
    INSERT = "INSERT INTO holiday_pay_policies (company_id, holidays, version, created_at, updated_at) VALUES ($1, $2, 1, $3, $3)";
    UPDATE = "UPDATE holiday_pay_policies SET holidays = $1, version = version + 1, updated_at = $2 WHERE company_id = $3 AND version = $4";
    DELETE = "DELETE FROM holiday_pay_policies WHERE company_id = $1";
    EMPLOYEES = "SELECT employee_id FROM holiday_pay_employees WHERE company_id = $1 ORDER BY employee_id";
    EMPLOYEES_BETWEEN = "SELECT employee_id FROM holiday_pay_employees WHERE company_id = $1 AND employee_id BETWEEN $2 AND $3 \
                         ORDER BY employee_id";
    ADD = "INSERT INTO holiday_pay_employees (company_id, employee_id) VALUES ($1, $2) ON CONFLICT (company_id, employee_id) DO NOTHING";
    REMOVE = "DELETE FROM holiday_pay_employees WHERE company_id = $1 AND employee_id = $2";
    REMOVE_ALL = "DELETE FROM holiday_pay_employees WHERE company_id = $1";
}

/// A company's policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// the holidays that are paid, in the order of the year
    pub holidays: Vec<Holiday>,
    /// counter of updates
    pub version: i64,
}

fn policy(row: &Row<'_>) -> Result<Policy, store::Error> {
    let mut next = Cursor::new(row, TABLE, 0);
    Ok(Policy { holidays: next.json("holidays")?, version: next.plain("version")? })
}

fn employee(row: &Row<'_>) -> Result<Uuid, store::Error> {
    Cursor::new(row, "holiday_pay_employees", 0).plain("employee_id")
}

/// The company's policy, if it has one.
///
/// # Errors
/// A store error.
pub fn find(tx: &mut Tx<'_>, company: Uuid) -> Result<Option<Policy>, Error> {
    Ok(tx.try_find(FIND, params![company], policy)?)
}

/// Stores a new policy.
///
/// # Errors
/// A store error.
pub fn insert(tx: &mut Tx<'_>, company: Uuid, holidays: &[Holiday]) -> Result<(), Error> {
    let now = tx.now();
    Ok(tx.insert(INSERT, params![company, Json(&names(holidays)), now])?)
}

/// Stores changed holidays, or the same ones under a new version; returns `false` if the stored version is a different one.
///
/// # Errors
/// A store error.
pub fn update(tx: &mut Tx<'_>, company: Uuid, changed: &Policy) -> Result<bool, Error> {
    let now = tx.now();
    let names = names(&changed.holidays);
    Ok(tx.change(UPDATE, params![Json(&names), now, company, changed.version])?.one())
}

/// Deletes the policy and its employees.
///
/// # Errors
/// A store error.
pub fn delete(tx: &mut Tx<'_>, company: Uuid) -> Result<(), Error> {
    for statement in [REMOVE_ALL, DELETE] {
        let _there_may_be_none = tx.change(statement, params![company])?.rows();
    }
    Ok(())
}

/// The employees of the policy, in order.
///
/// # Errors
/// A store error.
pub fn employees(tx: &mut Tx<'_>, company: Uuid) -> Result<Vec<Uuid>, Error> {
    Ok(tx.try_query(EMPLOYEES, params![company], employee)?)
}

/// The employees of the policy between two (both included).
///
/// # Errors
/// A store error.
pub fn employees_between(
    tx: &mut Tx<'_>,
    company: Uuid,
    (first, last): (Uuid, Uuid),
) -> Result<BTreeSet<Uuid>, Error> {
    Ok(tx.try_query(EMPLOYEES_BETWEEN, params![company, first, last], employee)?.into_iter().collect())
}

/// Adds an employee; returns `false` if already there.
///
/// # Errors
/// A store error.
pub fn add(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<bool, Error> {
    Ok(tx.change(ADD, params![company, employee])?.one())
}

/// Removes an employee; returns `false` if not there.
///
/// # Errors
/// A store error.
pub fn remove(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<bool, Error> {
    Ok(tx.change(REMOVE, params![company, employee])?.one())
}

fn names(holidays: &[Holiday]) -> String {
    let names: Vec<_> = holidays.iter().map(|holiday| holiday.as_str()).collect();
    json!(names).to_string()
}
