//! What was entered for the employees of a payroll.

use store::{Tx, params};
use uuid::Uuid;

use crate::error::Error;
use crate::pay::payrolls::entered::Entered;
use crate::records::rows_of;

store::record! {
    /// What was entered for an employee of a payroll. An employee for whom nothing was entered has no row, unless the
    /// payroll is for chosen employees.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Input in "payroll_inputs" {
        key {
            /// the payroll
            pub payroll: Uuid = "payroll_id",
            /// the employee
            pub employee: Uuid = "employee_id",
        }
        fields {
            /// whether the employee is left out
            pub excluded: bool,
            /// hours, amounts and the rest
            pub entered: Entered as json = "inputs",
        }
        times { updated_at }
        version
    }
}

store::statements! {
    records Input;
    INPUTS_BETWEEN = store::text!(Input::SELECT, " AND payroll_id = $2 AND employee_id BETWEEN $3 AND $4 ORDER BY employee_id");
    INPUTS_OF = store::text!(
        Input::SELECT,
        " AND payroll_id = $2 AND employee_id IN ($3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)"
    );
}

impl Input {
    /// Nothing entered yet; its version is 0.
    pub fn new(payroll: Uuid, employee: Uuid) -> Self {
        Self { payroll, employee, excluded: false, entered: Entered::default(), version: 0 }
    }
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
) -> Result<Vec<Input>, Error> {
    Ok(tx.try_query(INPUTS_BETWEEN, params![company, payroll, first, last], Input::read)?)
}

/// What was entered for some employees.
///
/// # Errors
/// A store error.
pub fn inputs_of(
    tx: &mut Tx<'_>,
    company: Uuid,
    payroll: Uuid,
    employees: &[Uuid],
) -> Result<Vec<Input>, Error> {
    rows_of(tx, INPUTS_OF, params![company, payroll], employees, Input::read)
}
