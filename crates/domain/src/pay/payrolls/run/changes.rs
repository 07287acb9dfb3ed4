//! Detects changes of a company's records that affect pay while a payroll is being calculated.
//!
//! Every change has an entry in the audit log. A calculation notes the entries of the last minute when it begins, and looks for others
//! when it ends: units of work end within seconds, so one that began a minute earlier has been committed by then or never will be. Most
//! changes concern one employee, and then only that employee's paycheck is recalculated.

use std::collections::{BTreeSet, HashSet};

use jiff::{SignedDuration, Timestamp};
use store::record::Cursor;
use store::{Row, Tx, lowest_id, params};
use uuid::Uuid;

use crate::error::Error;
use crate::pay::payrolls::record::payroll::Seen;

/// SQL condition: the audit entry `a` affects pay. A newly created employee is not paid yet, and a new time off request is not
/// approved yet.
pub(in crate::pay::payrolls) const BEARS_ON_PAY: &str = "a.action NOT IN ('document_requested', 'links_ended', 'confirmed', 'confirmation_failed') \
     AND NOT (a.entity_type IN ('employees', 'time_off_requests') AND a.action = 'created') \
     AND ((a.entity_type = 'pay_schedules' AND a.action = 'assigned') \
     OR (a.entity_type = 'payrolls' AND a.action = 'cancelled') \
     OR a.entity_type IN ('employees', 'employee_jobs', 'compensations', 'work_addresses', 'home_addresses', 'locations', \
     'company_federal_taxes', 'company_tax_answers', 'employee_federal_taxes', 'employee_state_taxes', 'employee_payment_methods', \
     'employee_bank_accounts', 'garnishments', 'company_benefits', 'employee_benefits', 'section603_statuses', \
     'benefit_amounts_elsewhere', 'opening_balances', 'payroll_settings', 'terminations', 'rehires', 'recurring_reimbursements', \
     'earning_types', 'holiday_pay_policies', 'time_off_policies', 'time_off_requests'))";

/// SQL expression: the employee an audit entry `a` of company $1 concerns; null for the company's own records, and for deleted records.
pub(in crate::pay::payrolls) const EMPLOYEE: &str = "CASE WHEN a.entity_type IN ('employees', 'employee_federal_taxes', 'employee_state_taxes', \
     'employee_payment_methods', 'opening_balances', 'section603_statuses', 'benefit_amounts_elsewhere') THEN a.entity_id \
     WHEN a.entity_type = 'employee_jobs' THEN (SELECT r.employee_id FROM employee_jobs r WHERE r.company_id = $1 AND r.id = a.entity_id) \
     WHEN a.entity_type = 'compensations' THEN (SELECT r.employee_id FROM compensations r WHERE r.company_id = $1 AND r.id = a.entity_id) \
     WHEN a.entity_type = 'work_addresses' THEN (SELECT r.employee_id FROM work_addresses r WHERE r.company_id = $1 AND r.id = a.entity_id) \
     WHEN a.entity_type = 'home_addresses' THEN (SELECT r.employee_id FROM home_addresses r WHERE r.company_id = $1 AND r.id = a.entity_id) \
     WHEN a.entity_type = 'employee_bank_accounts' \
     THEN (SELECT r.employee_id FROM employee_bank_accounts r WHERE r.company_id = $1 AND r.id = a.entity_id) \
     WHEN a.entity_type = 'garnishments' THEN (SELECT r.employee_id FROM garnishments r WHERE r.company_id = $1 AND r.id = a.entity_id) \
     WHEN a.entity_type = 'employee_benefits' \
     THEN (SELECT r.employee_id FROM employee_benefits r WHERE r.company_id = $1 AND r.id = a.entity_id) \
     WHEN a.entity_type = 'recurring_reimbursements' \
     THEN (SELECT r.employee_id FROM recurring_reimbursements r WHERE r.company_id = $1 AND r.id = a.entity_id) \
     WHEN a.entity_type = 'time_off_requests' \
     THEN (SELECT r.employee_id FROM time_off_requests r WHERE r.company_id = $1 AND r.id = a.entity_id) END";

store::statements! {
    IDS = store::text!("SELECT a.id FROM audit a WHERE a.company_id = $1 AND a.id >= $2 AND ", BEARS_ON_PAY, " ORDER BY a.id LIMIT $3");
    SINCE = store::text!("SELECT a.id, ", EMPLOYEE, " FROM audit a WHERE a.company_id = $1 AND a.id >= $2 AND ", BEARS_ON_PAY,
                         " ORDER BY a.id LIMIT $3");
    COUNT = store::text!("SELECT count(*) FROM audit a WHERE a.company_id = $1 AND a.id >= $2 AND ", BEARS_ON_PAY);
}

/// Units of work end within seconds, and the clocks of nodes differ by less than this.
const LOOK_BACK: SignedDuration = SignedDuration::from_secs(60);
/// Maximum number of entries stored individually with a payroll.
const MOST_KEPT: usize = 500;
/// Maximum number of log entries read individually; if there are more within a minute, they are only counted.
const MOST_ENTRIES: i64 = 2_000;
/// Maximum number of employees recalculated individually.
const MOST_EMPLOYEES: usize = 200;

/// The audit entries that affect pay, as seen at one moment.
#[derive(Debug, Clone)]
pub struct Moment {
    /// the lowest entry id considered
    since: Uuid,
    entries: Entries,
}

#[derive(Debug, Clone)]
enum Entries {
    /// their ids
    Known(HashSet<Uuid>),
    /// their number, if there are too many to read individually, as in the minute after a bulk import
    Counted(i64),
}

/// The changes since a moment that affect pay.
#[derive(Debug, PartialEq, Eq)]
pub enum Changed {
    /// nothing
    Nothing,
    /// records of these employees
    Employees(BTreeSet<Uuid>),
    /// records of the company, such as a location, or too many to read individually
    Everything,
}

impl Moment {
    /// Reads the current moment.
    pub fn read_now(tx: &mut Tx<'_>, company: Uuid) -> Result<Self, Error> {
        let since = lowest_id(tx.now() - LOOK_BACK);
        Self::read_since(tx, company, since)
    }

    /// Reads the current moment, from the same lowest entry id as `self`.
    pub fn read_again(&self, tx: &mut Tx<'_>, company: Uuid) -> Result<Self, Error> {
        Self::read_since(tx, company, self.since)
    }

    fn read_since(tx: &mut Tx<'_>, company: Uuid, since: Uuid) -> Result<Self, Error> {
        let id = |row: &Row<'_>| Cursor::new(row, "audit", 0).read_plain::<Uuid>("id");
        let ids = tx.try_query(IDS, params![company, since, MOST_ENTRIES], id)?;
        let entries = match are_all(&ids) {
            true => Entries::Known(ids.into_iter().collect()),
            false => Entries::Counted(count_audit_entries(tx, company, since)?),
        };
        Ok(Self { since, entries })
    }

    /// Returns the part to store with the calculated payroll, if nothing has changed since.
    pub fn entries_seen(&self, run: Uuid, now: Timestamp) -> Seen {
        // Any unit of work that began earlier has been committed by now, or never will be.
        let recent = lowest_id(now - LOOK_BACK);
        match &self.entries {
            Entries::Known(seen) => {
                let entries: BTreeSet<Uuid> = seen.iter().copied().filter(|id| *id >= recent).collect();
                let count = i64::try_from(entries.len()).unwrap_or(i64::MAX);
                Seen {
                    run,
                    from: recent,
                    entries: Some(entries).filter(|some| some.len() <= MOST_KEPT),
                    count,
                }
            }
            Entries::Counted(count) => Seen { run, from: self.since, entries: None, count: *count },
        }
    }

    /// Returns the changes since this moment.
    pub fn changes_since(&self, tx: &mut Tx<'_>, company: Uuid) -> Result<Changed, Error> {
        let seen = match &self.entries {
            Entries::Known(seen) => seen,
            Entries::Counted(before) if count_audit_entries(tx, company, self.since)? == *before => {
                return Ok(Changed::Nothing);
            }
            Entries::Counted(_) => return Ok(Changed::Everything),
        };
        let read = |row: &Row<'_>| {
            let mut next = Cursor::new(row, "audit", 0);
            Ok::<_, store::Error>((
                next.read_plain::<Uuid>("id")?,
                next.read_plain::<Option<Uuid>>("entity_id")?,
            ))
        };
        let found = tx.try_query(SINCE, params![company, self.since, MOST_ENTRIES], read)?;
        if !are_all(&found) {
            return Ok(Changed::Everything);
        }
        let mut employees = BTreeSet::new();
        for (_, employee) in found.iter().filter(|(id, _)| !seen.contains(id)) {
            match employee {
                Some(employee) => employees.insert(*employee),
                None => return Ok(Changed::Everything),
            };
        }
        Ok(match employees.len() {
            0 => Changed::Nothing,
            count if count > MOST_EMPLOYEES => Changed::Everything,
            _ => Changed::Employees(employees),
        })
    }
}

/// Whether the entries that were read are complete.
fn are_all<T>(found: &[T]) -> bool {
    i64::try_from(found.len()).is_ok_and(|count| count < MOST_ENTRIES)
}

fn count_audit_entries(tx: &mut Tx<'_>, company: Uuid, since: Uuid) -> Result<i64, Error> {
    Ok(tx.find_row(COUNT, params![company, since], |row| row.get::<i64>(0))?.unwrap_or(0))
}
