//! Amounts of a payroll that the employer pays by check in place of returned or held payments.

use std::collections::BTreeMap;

use store::record::Cursor;
use store::{Row, Tx, params};
use uuid::Uuid;

use crate::error::Error;

store::statements! {
    // Amounts paid again that no payment to another account follows: pay, not child support.
    OF_PAYROLL = "SELECT e.id, e.employee_id, e.cents FROM payment_entries e WHERE e.company_id = $1 AND e.payroll_id = $2 \
                  AND e.state = 'replaced' AND e.employee_id IS NOT NULL AND e.garnishment_id IS NULL \
                  AND NOT EXISTS (SELECT 1 FROM payment_entries n JOIN payment_batches b ON b.company_id = n.company_id AND b.id = n.batch_id \
                  WHERE n.company_id = e.company_id AND n.payroll_id = e.payroll_id AND n.replaces = e.id AND b.kind = 'again' AND b.state <> 'void') \
                  AND e.id > $3 ORDER BY e.id LIMIT $4";
}

/// Payments read at once.
const AT_ONCE: i64 = 1_000;

/// Returns the cents paid by check, by employee.
pub fn of_payroll(tx: &mut Tx<'_>, company: Uuid, payroll: Uuid) -> Result<BTreeMap<Uuid, i64>, Error> {
    let read = |row: &Row<'_>| {
        let mut next = Cursor::new(row, "payment_entries", 0);
        let (id, employee): (Uuid, Uuid) = (next.read_plain("id")?, next.read_plain("employee_id")?);
        Ok::<_, store::Error>((id, employee, next.read_plain::<i64>("cents")?))
    };
    let (mut sums, mut after) = (BTreeMap::new(), Uuid::nil());
    loop {
        let some = tx.try_query(OF_PAYROLL, params![company, payroll, after, AT_ONCE], read)?;
        let Some((last, ..)) = some.last() else { return Ok(sums) };
        after = *last;
        for (_, employee, cents) in some {
            *sums.entry(employee).or_default() += cents;
        }
    }
}
