//! Rows of recurring reimbursements, in the order of creation.

use jiff::Timestamp;
use rules::Amount;
use store::{Tx, params};
use uuid::Uuid;

use crate::error::Error;
use crate::records::{IdRange, Millionths};

store::record! {
    /// An expense reimbursed with every regular payroll.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct RecurringReimbursement in "recurring_reimbursements" {
        key {
            /// the employee
            pub employee: Uuid = "employee_id",
            /// identifier
            pub id: Uuid,
        }
        fields {
            /// what it is for
            pub description: String,
            /// dollars per payroll
            pub amount: Amount as Millionths,
            /// whether it is still paid
            pub active: bool,
        }
        times {
            /// when the record was created
            pub created_at: Timestamp,
            /// when it was last updated
            pub updated_at: Timestamp,
        }
        version
    }
}

store::statements! {
    records RecurringReimbursement;
    OF_EMPLOYEE = store::text!(RecurringReimbursement::SELECT, " AND employee_id = $2 ORDER BY id");
    BETWEEN = store::text!(RecurringReimbursement::SELECT, " AND employee_id BETWEEN $2 AND $3 AND active = true \
                                                            ORDER BY employee_id, id");
    FIND_BY_ID = store::text!(RecurringReimbursement::SELECT, " AND id = $2");
    FORGET = "DELETE FROM recurring_reimbursements WHERE company_id = $1 AND employee_id = $2";
}

/// Every recurring reimbursement of the employee, including ended ones.
pub fn of_employee(
    tx: &mut Tx<'_>,
    company: Uuid,
    employee: Uuid,
) -> Result<Vec<RecurringReimbursement>, Error> {
    Ok(tx.try_query(OF_EMPLOYEE, params![company, employee], RecurringReimbursement::read)?)
}

/// Those of the employees between two (both included) that are still paid.
pub fn active_between(
    tx: &mut Tx<'_>,
    company: Uuid,
    IdRange { first, last }: IdRange,
) -> Result<Vec<RecurringReimbursement>, Error> {
    Ok(tx.try_query(BETWEEN, params![company, first, last], RecurringReimbursement::read)?)
}

/// The recurring reimbursement, if it is one of the company's employees', ended or not.
pub fn find_reimbursement(
    tx: &mut Tx<'_>,
    company: Uuid,
    id: Uuid,
) -> Result<Option<RecurringReimbursement>, Error> {
    Ok(tx.try_find(FIND_BY_ID, params![company, id], RecurringReimbursement::read)?)
}

/// Deletes those of an employee who is being deleted.
pub fn delete_employee_reimbursements(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<(), Error> {
    let _there_may_be_none = tx.change_rows(FORGET, params![company, employee])?.rows();
    Ok(())
}
