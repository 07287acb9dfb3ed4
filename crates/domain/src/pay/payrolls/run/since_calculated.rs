//! Changes of records that affect a payroll between its calculation and its submission, or until now.
//!
//! Some changes discard the calculation, such as changed hours or a changed employment. The rest (pay rates, certificates, orders,
//! benefits, addresses) leave it as it is: in a large company something changes every hour, and nothing could ever be submitted. So
//! these changes are reported on submission. Every change has an entry in the audit log, as do the calculation and the submission. The
//! entries that the calculation had seen are stored with the payroll ([`Seen`]), because entries of the same minute may be committed in
//! a different order than their ids.

use std::collections::BTreeSet;

use store::record::Cursor;
use store::{Row, Tx, params};
use uuid::Uuid;

use crate::error::Error;
use crate::pay::payrolls::calendar::members;
use crate::pay::payrolls::record::payroll::{Payroll, Seen};
use crate::pay::payrolls::run::changes::{BEARS_ON_PAY, EMPLOYEE};
use crate::people::profiles::membership::ARE_MEMBERS;

/// Maximum number of employees listed by id; the rest are only counted.
const NAMED: usize = 25;
/// Maximum number of log entries read.
const MOST_ENTRIES: i64 = 2_000;

store::statements! {
    // In addition to the parameters of members: $13 the calculation, $14 the highest id, $15 the highest id of a submission, $16 the
    // maximum number of entries, $17 the first id, unless it is the entry of the calculation.
    SINCE = store::text!(
        "SELECT x.id, x.entity_type, x.employee_id, CASE WHEN \
         (SELECT count(*) FROM payroll_results q WHERE q.company_id = $1 AND q.run_id = $13 AND q.employee_id = x.employee_id) > 0 OR (",
        ARE_MEMBERS,
        ") THEN x.employee_id END FROM (SELECT a.id, a.entity_type, ", EMPLOYEE, " AS employee_id FROM audit a \
         WHERE a.company_id = $1 AND a.id > coalesce($17, (SELECT c.id FROM audit c WHERE c.company_id = $1 AND c.id > $13 \
         AND c.entity_type = 'payrolls' AND c.entity_id = $2 AND c.action = 'calculated' ORDER BY c.id LIMIT 1), $14) \
         AND a.id < coalesce((SELECT s.id FROM audit s WHERE s.company_id = $1 AND s.id > $13 AND s.id < $15 \
         AND s.entity_type = 'payrolls' AND s.entity_id = $2 AND s.action = 'submitted' ORDER BY s.id LIMIT 1), $14) AND ",
        BEARS_ON_PAY,
        " ORDER BY a.id LIMIT $16) x LEFT JOIN employees e ON e.company_id = $1 AND e.id = x.employee_id ORDER BY x.id"
    );
    // $2 the payroll, $3 its calculation, $4 the first id.
    BEFORE = store::text!(
        "SELECT count(*) FROM audit a WHERE a.company_id = $1 AND a.id >= $4 AND a.id < (SELECT c.id FROM audit c WHERE c.company_id = $1 \
         AND c.id > $3 AND c.entity_type = 'payrolls' AND c.entity_id = $2 AND c.action = 'calculated' ORDER BY c.id LIMIT 1) AND ",
        BEARS_ON_PAY
    );
}

/// The changes since a payroll was calculated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedSince {
    /// the first employees of the payroll whose records were changed, in order of their ids
    pub employees: Vec<Uuid>,
    /// the number of such employees
    pub count: usize,
    /// tables of changed records that belong to the company, or that were deleted
    pub others: BTreeSet<String>,
    /// whether there may be more: the log was not read to its end
    pub more: bool,
}

/// Returns the changes since a payroll was calculated, up to its submission if it was submitted; `None` if nothing changed, or if the
/// payroll is not calculated.
pub fn changes_since_calculation(
    tx: &mut Tx<'_>,
    company: Uuid,
    payroll: &Payroll,
) -> Result<Option<ChangedSince>, Error> {
    let Some(run) = payroll.run.filter(|_| payroll.calculated_at.is_some()) else { return Ok(None) };
    let submitted = if payroll.submitted_at.is_some() { Uuid::max() } else { Uuid::nil() };
    // A calculation of an earlier version did not store the entries it had seen.
    let seen = payroll.seen.as_ref().filter(|seen| seen.run == run);
    let known = seen.and_then(|seen| Some((seen.from, seen.entries.as_ref()?)));
    let most = MOST_ENTRIES + known.map_or(0, |(_, entries)| i64::try_from(entries.len()).unwrap_or(0));
    let from = known.map(|(from, _)| from);
    let more = [run.into(), Uuid::max().into(), submitted.into(), most.into(), from.into()];
    let read = |row: &Row<'_>| {
        let mut next = Cursor::new(row, "audit", 0);
        let (id, kind): (Uuid, String) = (next.read_plain("id")?, next.read_plain("entity_type")?);
        let (of, paid): (Option<Uuid>, Option<Uuid>) =
            (next.read_plain("entity_id")?, next.read_plain("entity_id")?);
        Ok::<_, store::Error>((id, (kind, of, paid)))
    };
    let found = tx.try_query(SINCE, &members::member_parameters(company, payroll, &more), read)?;
    let is_new = |id: &Uuid| known.is_none_or(|(_, entries)| !entries.contains(id));
    let found = found.into_iter().filter(|(id, _)| is_new(id)).map(|(_, entry)| entry).collect();
    Ok(summarize_changes(found, has_missed_entries(tx, company, payroll, seen)?))
}

/// Whether the number of entries before a calculation differs from the number it had seen, if these were too many to store individually.
fn has_missed_entries(
    tx: &mut Tx<'_>,
    company: Uuid,
    payroll: &Payroll,
    seen: Option<&Seen>,
) -> Result<bool, Error> {
    let Some(seen) = seen.filter(|seen| seen.entries.is_none()) else { return Ok(false) };
    let counted =
        tx.find_row(BEFORE, params![company, payroll.id, seen.run, seen.from], |row| row.get::<i64>(0))?;
    Ok(counted.unwrap_or(0) != seen.count)
}

/// Summarizes log entries, given as table, employee concerned, and the employee again if the payroll pays them. `missed` is whether
/// there are other entries.
fn summarize_changes(found: Vec<(String, Option<Uuid>, Option<Uuid>)>, missed: bool) -> Option<ChangedSince> {
    let more = missed || i64::try_from(found.len()).is_ok_and(|entries| entries >= MOST_ENTRIES);
    let (mut employees, mut others) = (BTreeSet::new(), BTreeSet::new());
    for (kind, of, paid) in found {
        match of {
            None => drop(others.insert(kind)),
            // Employees whom this payroll does not pay are omitted.
            Some(_) => employees.extend(paid),
        }
    }
    let nothing = employees.is_empty() && others.is_empty() && !more;
    let count = employees.len();
    let employees = employees.into_iter().take(NAMED).collect();
    (!nothing).then_some(ChangedSince { employees, count, others, more })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(kind: &str, of: u128, is_paid: bool) -> (String, Option<Uuid>, Option<Uuid>) {
        let of = Some(of).filter(|of| *of > 0).map(Uuid::from_u128);
        (kind.to_owned(), of, of.filter(|_| is_paid))
    }

    #[test]
    fn employees_are_counted_once_and_only_the_first_of_them_are_named() {
        let entries = (1..=30).chain(1..=30).map(|of| entry("compensations", of, true)).collect();
        let told = summarize_changes(entries, false).unwrap();
        assert_eq!((told.count, told.employees.len(), told.more), (30, NAMED, false));
        assert_eq!(told.employees[0], Uuid::from_u128(1));
    }

    #[test]
    fn unpaid_employees_are_omitted_and_company_records_are_listed_by_table() {
        assert_eq!(summarize_changes(vec![entry("garnishments", 1, false)], false), None);
        let told = summarize_changes(vec![entry("locations", 0, false), entry("locations", 0, false)], false)
            .unwrap();
        assert_eq!((told.count, told.others), (0, BTreeSet::from(["locations".to_owned()])));
    }

    #[test]
    fn where_the_log_is_not_read_to_its_end_there_may_be_more() {
        let most = usize::try_from(MOST_ENTRIES).unwrap();
        assert!(summarize_changes(vec![entry("garnishments", 1, false); most], false).unwrap().more);
        assert!(summarize_changes(Vec::new(), true).unwrap().more);
    }
}
