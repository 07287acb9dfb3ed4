//! Rows of holiday pay policies and of their employees.

use std::collections::BTreeSet;

use rules::Named;
use rules::holiday_pay::Holiday;
use serde_json::json;
use store::record::Cursor;
use store::{Json, Row, Tx, params};
use uuid::Uuid;

use crate::error::Error;
use crate::records::IdRange;

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

fn read_policy(row: &Row<'_>) -> Result<Policy, store::Error> {
    let mut next = Cursor::new(row, TABLE, 0);
    Ok(Policy { holidays: next.read_json("holidays")?, version: next.read_plain("version")? })
}

fn read_employee_id(row: &Row<'_>) -> Result<Uuid, store::Error> {
    Cursor::new(row, "holiday_pay_employees", 0).read_plain("employee_id")
}

/// The company's policy, if it has one.
pub fn find_policy(tx: &mut Tx<'_>, company: Uuid) -> Result<Option<Policy>, Error> {
    Ok(tx.try_find(FIND, params![company], read_policy)?)
}

/// Stores a new policy.
pub fn insert_policy(tx: &mut Tx<'_>, company: Uuid, holidays: &[Holiday]) -> Result<(), Error> {
    let now = tx.now();
    Ok(tx.insert_row(INSERT, params![company, Json(&holiday_names_json(holidays)), now])?)
}

/// Stores changed holidays, or the same ones under a new version; returns `false` if the stored version is a different one.
pub fn update_policy(tx: &mut Tx<'_>, company: Uuid, changed: &Policy) -> Result<bool, Error> {
    let now = tx.now();
    let names = holiday_names_json(&changed.holidays);
    Ok(tx.change_rows(UPDATE, params![Json(&names), now, company, changed.version])?.is_one())
}

/// Deletes the policy and its employees.
pub fn delete_policy(tx: &mut Tx<'_>, company: Uuid) -> Result<(), Error> {
    for statement in [REMOVE_ALL, DELETE] {
        let _there_may_be_none = tx.change_rows(statement, params![company])?.rows();
    }
    Ok(())
}

/// The employees of the policy, in order.
pub fn policy_employees(tx: &mut Tx<'_>, company: Uuid) -> Result<Vec<Uuid>, Error> {
    Ok(tx.try_query(EMPLOYEES, params![company], read_employee_id)?)
}

/// The employees of the policy between two (both included).
pub fn employees_between(
    tx: &mut Tx<'_>,
    company: Uuid,
    IdRange { first, last }: IdRange,
) -> Result<BTreeSet<Uuid>, Error> {
    Ok(tx
        .try_query(EMPLOYEES_BETWEEN, params![company, first, last], read_employee_id)?
        .into_iter()
        .collect())
}

/// Adds an employee; returns `false` if already there.
pub fn add_policy_employee(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<bool, Error> {
    Ok(tx.change_rows(ADD, params![company, employee])?.is_one())
}

/// Removes an employee; returns `false` if not there.
pub fn remove_policy_employee(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<bool, Error> {
    Ok(tx.change_rows(REMOVE, params![company, employee])?.is_one())
}

fn holiday_names_json(holidays: &[Holiday]) -> String {
    let names: Vec<_> = holidays.iter().map(|holiday| holiday.as_str()).collect();
    json!(names).to_string()
}
