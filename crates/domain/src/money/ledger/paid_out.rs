//! Where the net pay of a paycheck went: to which accounts, by check, back to the employer, or nowhere yet.

use store::record::Cursor;
use store::{Row, Tx, params};
use uuid::Uuid;

use crate::error::Error;

store::statements! {
    // A payment that another one follows is told with that one.
    OF_PAYCHECK = "SELECT e.account_id, e.cents, e.state FROM payment_entries e \
                   JOIN payment_batches b ON b.company_id = e.company_id AND b.id = e.batch_id WHERE e.company_id = $1 AND e.payroll_id = $2 \
                   AND e.employee_id = $3 AND e.garnishment_id IS NULL AND (b.kind = 'pay' OR (b.kind = 'again' AND b.state <> 'void')) \
                   AND NOT EXISTS (SELECT 1 FROM payment_entries n JOIN payment_batches m ON m.company_id = n.company_id AND m.id = n.batch_id \
                   WHERE n.company_id = e.company_id AND n.payroll_id = e.payroll_id AND n.replaces = e.id AND m.kind = 'again' \
                   AND m.state <> 'void') ORDER BY e.id";
}

/// A part of net pay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// amount
    pub cents: i64,
    /// where it went
    pub whereto: Whereto,
}

/// Where a part of net pay went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Whereto {
    /// to an account
    Account(Uuid),
    /// to an account, from which it was debited again
    Reversed(Uuid),
    /// the employer pays it, by check or otherwise
    Employer,
    /// to nobody yet: it is held, or came back
    Held,
}

/// Returns the parts of an employee's net pay in a payroll; empty while the service makes no payments for it.
pub fn of_paycheck(
    tx: &mut Tx<'_>,
    company: Uuid,
    payroll: Uuid,
    employee: Uuid,
) -> Result<Vec<Part>, Error> {
    let read = |row: &Row<'_>| {
        let mut next = Cursor::new(row, "payment_entries", 0);
        let (account, cents): (Option<Uuid>, i64) =
            (next.read_plain("account_id")?, next.read_plain("cents")?);
        let state: String = next.read_plain("state")?;
        let whereto = match (state.as_str(), account) {
            ("sent", Some(account)) => Whereto::Account(account),
            ("reversed", Some(account)) => Whereto::Reversed(account),
            ("replaced" | "paid_by_employer", _) => Whereto::Employer,
            _ => Whereto::Held,
        };
        Ok::<_, store::Error>(Part { cents, whereto })
    };
    Ok(tx.try_query(OF_PAYCHECK, params![company, payroll, employee], read)?)
}
