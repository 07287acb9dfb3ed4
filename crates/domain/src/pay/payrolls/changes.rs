//! What was changed of a company's records while a payroll was calculated, of what bears on pay.
//!
//! Every change has an entry in the audit log. A calculation notes those of the last minute when it begins, and looks at
//! the end which others there are: units end within seconds, so that what was begun a minute before is there or never
//! will be. Most of them concern one employee, whose paycheck alone is worked out again.

use std::collections::{BTreeSet, HashSet};

use jiff::ToSpan;
use store::record::Cursor;
use store::{Row, Tx, lowest_id, params};
use uuid::Uuid;

use crate::error::Error;

store::statements! {
    // What bears on pay. Somebody who has just been entered is not paid yet.
    SINCE = "SELECT id, entity_type, entity_id FROM audit WHERE company_id = $1 AND id >= $2 AND action <> 'document_requested' \
             AND NOT (entity_type = 'employees' AND action = 'created') AND entity_type IN \
             ('employees', 'employee_jobs', 'compensations', 'work_addresses', 'locations', 'employee_federal_taxes', \
             'employee_state_taxes', 'employee_payment_methods', 'employee_bank_accounts', 'garnishments', 'company_benefits', \
             'employee_benefits', 'opening_balances', 'payroll_settings') ORDER BY id LIMIT $3";
    OF_JOB = "SELECT employee_id FROM employee_jobs WHERE company_id = $1 AND id = $2";
    OF_COMPENSATION = "SELECT j.employee_id FROM compensations c JOIN employee_jobs j ON j.company_id = c.company_id AND j.id = c.job_id \
                       WHERE c.company_id = $1 AND c.id = $2";
    OF_WORK_ADDRESS = "SELECT employee_id FROM work_addresses WHERE company_id = $1 AND id = $2";
    OF_BANK_ACCOUNT = "SELECT employee_id FROM employee_bank_accounts WHERE company_id = $1 AND id = $2";
    OF_GARNISHMENT = "SELECT employee_id FROM garnishments WHERE company_id = $1 AND id = $2";
    OF_BENEFIT = "SELECT employee_id FROM employee_benefits WHERE company_id = $1 AND id = $2";
}

/// Entries of the log that are told apart. Where more was changed within a minute, everybody is worked out again.
const MOST_ENTRIES: i64 = 2_000;
/// Employees that are worked out again one by one.
const MOST_EMPLOYEES: usize = 200;

/// The entries of the log that bear on pay, at a moment.
#[derive(Debug)]
pub struct Moment {
    /// the lowest id that is looked at
    since: Uuid,
    seen: HashSet<Uuid>,
    /// whether there were too many to tell them apart
    many: bool,
}

/// What was changed since a moment.
#[derive(Debug, PartialEq, Eq)]
pub enum Changed {
    /// nothing that bears on pay
    Nothing,
    /// records of these employees
    Employees(BTreeSet<Uuid>),
    /// records of the company, such as a location, or more than is told apart
    Everything,
}

struct Entry {
    id: Uuid,
    kind: String,
    entity: Uuid,
}

impl Moment {
    /// This one.
    ///
    /// # Errors
    /// A store error.
    pub fn now(tx: &mut Tx<'_>, company: Uuid) -> Result<Self, Error> {
        let since = lowest_id(tx.now() - 60.seconds());
        Self::at(tx, company, since)
    }

    /// This one, as far as entries that an earlier one looks at are concerned.
    ///
    /// # Errors
    /// A store error.
    pub fn again(&self, tx: &mut Tx<'_>, company: Uuid) -> Result<Self, Error> {
        Self::at(tx, company, self.since)
    }

    fn at(tx: &mut Tx<'_>, company: Uuid, since: Uuid) -> Result<Self, Error> {
        let entries = entries(tx, company, since)?;
        let many = i64::try_from(entries.len()).is_ok_and(|count| count >= MOST_ENTRIES);
        Ok(Self { since, seen: entries.into_iter().map(|entry| entry.id).collect(), many })
    }

    /// What was changed since then.
    ///
    /// # Errors
    /// A store error.
    pub fn changed(&self, tx: &mut Tx<'_>, company: Uuid) -> Result<Changed, Error> {
        let found = entries(tx, company, self.since)?;
        let many = i64::try_from(found.len()).is_ok_and(|count| count >= MOST_ENTRIES);
        if self.many || many {
            return Ok(Changed::Everything);
        }
        let mut employees = BTreeSet::new();
        for entry in found.iter().filter(|entry| !self.seen.contains(&entry.id)) {
            match employee_of(tx, company, entry)? {
                Some(employee) => employees.insert(employee),
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

fn entries(tx: &mut Tx<'_>, company: Uuid, since: Uuid) -> Result<Vec<Entry>, Error> {
    let read = |row: &Row<'_>| {
        let mut next = Cursor::new(row, "audit", 0);
        Ok::<_, store::Error>(Entry {
            id: next.plain("id")?,
            kind: next.plain("entity_type")?,
            entity: next.plain("entity_id")?,
        })
    };
    Ok(tx.try_query(SINCE, params![company, since, MOST_ENTRIES], read)?)
}

/// Whose record was changed; `None` for one of the company, and for one that is no longer there.
fn employee_of(tx: &mut Tx<'_>, company: Uuid, entry: &Entry) -> Result<Option<Uuid>, Error> {
    let statement = match entry.kind.as_str() {
        "employees"
        | "employee_federal_taxes"
        | "employee_state_taxes"
        | "employee_payment_methods"
        | "opening_balances" => return Ok(Some(entry.entity)),
        "employee_jobs" => OF_JOB,
        "compensations" => OF_COMPENSATION,
        "work_addresses" => OF_WORK_ADDRESS,
        "employee_bank_accounts" => OF_BANK_ACCOUNT,
        "garnishments" => OF_GARNISHMENT,
        "employee_benefits" => OF_BENEFIT,
        _ => return Ok(None),
    };
    let read = |row: &Row<'_>| Cursor::new(row, "audit", 0).plain::<Uuid>("employee_id");
    Ok(tx.try_find(statement, params![company, entry.entity], read)?)
}
