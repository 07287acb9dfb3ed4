//! Lump sums that have to be reported to an agency before they are paid, as found by the last calculation of a payroll.
//!
//! A calculation replaces what an earlier one of the payroll found. An event reports employees with a new amount; amounts that were
//! reported before are not reported again.

use std::collections::BTreeSet;

use jiff::civil::Date;
use rules::Amount;
use store::{Tx, params};
use uuid::Uuid;

use crate::error::Error;
use crate::events;
use crate::records::Millionths;

store::record! {
    /// A payment that has to be reported to the agency of a support order.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct LumpSum in "lump_sum_notices" {
        key {
            /// the payroll that pays it
            pub payroll: Uuid = "payroll_id",
            /// the order
            pub garnishment: Uuid = "garnishment_id",
        }
        fixed {
            /// the employee
            pub employee: Uuid = "employee_id",
            /// the check date
            pub check_date: Date,
            /// dollars
            pub amount: Amount as Millionths,
            /// days that the agency has to answer
            pub days: i64,
            /// the section of law that requires the report
            pub section: String,
        }
        times { created_at }
    }
}

store::statements! {
    records LumpSum;
    OF_PAYROLL = store::text!(LumpSum::SELECT, " AND payroll_id = $2");
    LATEST = store::text!(LumpSum::SELECT, " ORDER BY check_date DESC, payroll_id, garnishment_id LIMIT $2 OFFSET $3");
    FORGET = "DELETE FROM lump_sum_notices WHERE company_id = $1 AND payroll_id = $2";
}

/// Rows that are read at once.
const AT_ONCE: i64 = 50;

/// Puts what a calculation found in the place of what an earlier one did, and tells of employees of whom an amount is new.
pub fn replace_lump_sums(
    tx: &mut Tx<'_>,
    company: Uuid,
    payroll: Uuid,
    found: &[LumpSum],
) -> Result<(), Error> {
    let before = tx.try_query(OF_PAYROLL, params![company, payroll], LumpSum::read)?;
    delete_lump_sums(tx, company, payroll)?;
    let mut new = BTreeSet::new();
    for one in found {
        one.insert(tx, company)?;
        if !before.contains(one) {
            new.insert(one.employee);
        }
    }
    new.into_iter().try_for_each(|employee| {
        events::emit_event(tx, company, events::EMPLOYEE_LUMP_SUM_TO_REPORT, employee)
    })
}

/// Deletes what a deleted payroll had found.
pub fn delete_lump_sums(tx: &mut Tx<'_>, company: Uuid, payroll: Uuid) -> Result<(), Error> {
    let _as_many_as_there_were = tx.change_rows(FORGET, params![company, payroll])?.rows();
    Ok(())
}

/// All of them, the latest by day of payment first.
pub fn list_lump_sums(tx: &mut Tx<'_>, company: Uuid) -> Result<Vec<LumpSum>, Error> {
    let mut found: Vec<LumpSum> = Vec::new();
    loop {
        let some = tx.try_query(LATEST, params![company, AT_ONCE, found.len() as i64], LumpSum::read)?;
        if some.is_empty() {
            return Ok(found);
        }
        found.extend(some);
    }
}
