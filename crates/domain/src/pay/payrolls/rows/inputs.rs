//! Rows of what was entered for the employees of a payroll.

use store::{Json, Row, Tx, params};
use uuid::Uuid;

use crate::error::Error;

store::statements! {
    INPUT = "SELECT employee_id, excluded, inputs, version FROM payroll_inputs \
             WHERE company_id = $1 AND payroll_id = $2 AND employee_id = $3";
    INPUTS_BETWEEN = "SELECT employee_id, excluded, inputs, version FROM payroll_inputs \
                      WHERE company_id = $1 AND payroll_id = $2 AND employee_id BETWEEN $3 AND $4 ORDER BY employee_id";
    INSERT_INPUT = "INSERT INTO payroll_inputs (company_id, payroll_id, employee_id, excluded, inputs, version, updated_at) \
                    VALUES ($1, $2, $3, $4, $5, $6, $7)";
    UPDATE_INPUT = "UPDATE payroll_inputs SET excluded = $1, inputs = $2, version = version + 1, updated_at = $3 \
                    WHERE company_id = $4 AND payroll_id = $5 AND employee_id = $6 AND version = $7";
}

/// What was entered for an employee.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputRow {
    /// whose it is
    pub employee: Uuid,
    /// whether the employee is left out
    pub excluded: bool,
    /// lines, as JSON
    pub inputs: String,
    /// counter of updates; 0 before the first
    pub version: i64,
}

fn input(row: &Row<'_>) -> InputRow {
    InputRow {
        employee: row.get(0),
        excluded: row.get(1),
        inputs: row.json(2).unwrap_or("{}").to_owned(),
        version: row.get(3),
    }
}

/// What was entered for an employee, if anything was.
///
/// # Errors
/// A store error.
pub fn find_input(
    tx: &mut Tx<'_>,
    company: Uuid,
    payroll: Uuid,
    employee: Uuid,
) -> Result<Option<InputRow>, Error> {
    Ok(tx.find(INPUT, params![company, payroll, employee], input)?)
}

/// What was entered for the employees between two, in order.
///
/// # Errors
/// A store error.
pub fn inputs_between(
    tx: &mut Tx<'_>,
    company: Uuid,
    payroll: Uuid,
    (first, last): (Uuid, Uuid),
) -> Result<Vec<InputRow>, Error> {
    Ok(tx.query(INPUTS_BETWEEN, params![company, payroll, first, last], input)?)
}

/// Stores what was entered for an employee for the first time.
///
/// # Errors
/// A store error.
pub fn insert_input(tx: &mut Tx<'_>, company: Uuid, payroll: Uuid, new: &InputRow) -> Result<(), Error> {
    let now = tx.now();
    let parameters =
        params![company, payroll, new.employee, new.excluded, Json(&new.inputs), new.version, now];
    Ok(tx.insert(INSERT_INPUT, parameters)?)
}

/// Stores what was entered for an employee, if its version is still that of `changed`; else nothing.
///
/// # Errors
/// A store error.
pub fn update_input(
    tx: &mut Tx<'_>,
    company: Uuid,
    payroll: Uuid,
    changed: &InputRow,
) -> Result<bool, Error> {
    let now = tx.now();
    let parameters = params![
        changed.excluded,
        Json(&changed.inputs),
        now,
        company,
        payroll,
        changed.employee,
        changed.version
    ];
    Ok(tx.change(UPDATE_INPUT, parameters)?.one())
}
