//! The inputs of a payroll's employees.

use store::{Tx, params};
use uuid::Uuid;

use crate::error::Error;
use crate::pay::payrolls::record::entered::Entered;
use crate::records::{IdRange, rows_of};

store::record! {
    /// The inputs of an employee in a payroll. An employee without inputs has no row, unless the payroll is for chosen employees.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Input in "payroll_inputs" {
        key {
            /// the payroll
            pub payroll: Uuid = "payroll_id",
            /// the employee
            pub employee: Uuid = "employee_id",
        }
        fields {
            /// whether the employee is excluded
            pub excluded: bool,
            /// hours, amounts and other inputs
            pub entered: Entered as json = "inputs",
        }
        times { updated_at }
        version
    }
}

store::statements! {
    records Input;
    INPUTS_BETWEEN = store::text!(Input::SELECT, " AND payroll_id = $2 AND employee_id BETWEEN $3 AND $4 ORDER BY employee_id");
    ENTERED = "SELECT p.id FROM payrolls p JOIN payroll_inputs i ON i.company_id = p.company_id AND i.payroll_id = p.id \
               WHERE p.company_id = $1 AND i.employee_id = $2 LIMIT 1";
    INPUTS_OF = store::text!(
        Input::SELECT,
        " AND payroll_id = $2 AND employee_id IN ($3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)"
    );
}

impl Input {
    /// Returns empty inputs, with version 0.
    pub fn new(payroll: Uuid, employee: Uuid) -> Self {
        Self { payroll, employee, excluded: false, entered: Entered::default(), version: 0 }
    }
}

/// Returns the inputs of the employees between two (both included), in order.
pub fn inputs_between(
    tx: &mut Tx<'_>,
    company: Uuid,
    payroll: Uuid,
    IdRange { first, last }: IdRange,
) -> Result<Vec<Input>, Error> {
    Ok(tx.try_query(INPUTS_BETWEEN, params![company, payroll, first, last], Input::read)?)
}

/// Whether a payroll names the employee, or has inputs for them.
pub fn is_entered(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<bool, Error> {
    Ok(tx.find_row(ENTERED, params![company, employee], |_| ())?.is_some())
}

/// Returns the inputs of some employees.
pub fn inputs_of(
    tx: &mut Tx<'_>,
    company: Uuid,
    payroll: Uuid,
    employees: &[Uuid],
) -> Result<Vec<Input>, Error> {
    rows_of(tx, INPUTS_OF, params![company, payroll], employees, Input::read)
}
