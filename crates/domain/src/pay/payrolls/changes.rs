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

use crate::benefits::rows::employee as employee_benefits;
use crate::error::Error;
use crate::pay::compensations::rows as pay;
use crate::pay::reimbursements;
use crate::people::addresses;
use crate::withholding::garnishments;

/// What bears on pay, since an id. Somebody who has just been entered is not paid yet.
macro_rules! since {
    () => {
        " FROM audit WHERE company_id = $1 AND id >= $2 AND action <> 'document_requested' \
         AND NOT (entity_type = 'employees' AND action = 'created') AND ((entity_type = 'pay_schedules' AND action = 'assigned') \
         OR (entity_type = 'payrolls' AND action = 'cancelled') \
         OR entity_type IN ('employees', 'employee_jobs', 'compensations', 'work_addresses', 'home_addresses', 'locations', \
         'company_tax_answers', 'employee_federal_taxes', \
         'employee_state_taxes', 'employee_payment_methods', 'employee_bank_accounts', 'garnishments', 'company_benefits', \
         'employee_benefits', 'section603_statuses', 'benefit_amounts_elsewhere', 'opening_balances', 'payroll_settings', 'terminations', 'rehires', 'recurring_reimbursements'))"
    };
}

store::statements! {
    SINCE = concat!("SELECT id, entity_type, entity_id", since!(), " ORDER BY id LIMIT $3");
    COUNT = concat!("SELECT count(*)", since!());
    OF_BANK_ACCOUNT = "SELECT employee_id FROM employee_bank_accounts WHERE company_id = $1 AND id = $2";
}

/// Maximum number of log entries that are looked at one by one; more within a minute are only counted.
const MOST_ENTRIES: i64 = 2_000;
/// Employees that are worked out again one by one.
const MOST_EMPLOYEES: usize = 200;

/// The entries of the log that bear on pay, at a moment.
#[derive(Debug, Clone)]
pub struct Moment {
    /// the lowest id that is looked at
    since: Uuid,
    entries: Entries,
}

#[derive(Debug, Clone)]
enum Entries {
    /// their ids
    Known(HashSet<Uuid>),
    /// how many, where they are too many to look at one by one: after an import of a company's people, for a minute
    Counted(i64),
}

/// What was changed since a moment, of what bears on pay.
#[derive(Debug, PartialEq, Eq)]
pub enum Changed {
    /// nothing
    Nothing,
    /// records of these employees
    Employees(BTreeSet<Uuid>),
    /// records of the company, such as a location, or too many to look at one by one
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
        let entries = match entries(tx, company, since)? {
            Some(entries) => Entries::Known(entries.into_iter().map(|entry| entry.id).collect()),
            None => Entries::Counted(count(tx, company, since)?),
        };
        Ok(Self { since, entries })
    }

    /// What was changed since then.
    ///
    /// # Errors
    /// A store error.
    pub fn changed(&self, tx: &mut Tx<'_>, company: Uuid) -> Result<Changed, Error> {
        let seen = match &self.entries {
            Entries::Known(seen) => seen,
            Entries::Counted(before) if count(tx, company, self.since)? == *before => {
                return Ok(Changed::Nothing);
            }
            Entries::Counted(_) => return Ok(Changed::Everything),
        };
        let Some(found) = entries(tx, company, self.since)? else { return Ok(Changed::Everything) };
        let mut employees = BTreeSet::new();
        for entry in found.iter().filter(|entry| !seen.contains(&entry.id)) {
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

/// The entries since an id; `None` where there are too many.
fn entries(tx: &mut Tx<'_>, company: Uuid, since: Uuid) -> Result<Option<Vec<Entry>>, Error> {
    let read = |row: &Row<'_>| {
        let mut next = Cursor::new(row, "audit", 0);
        Ok::<_, store::Error>(Entry {
            id: next.plain("id")?,
            kind: next.plain("entity_type")?,
            entity: next.plain("entity_id")?,
        })
    };
    let found = tx.try_query(SINCE, params![company, since, MOST_ENTRIES], read)?;
    let many = i64::try_from(found.len()).is_ok_and(|count| count >= MOST_ENTRIES);
    Ok((!many).then_some(found))
}

fn count(tx: &mut Tx<'_>, company: Uuid, since: Uuid) -> Result<i64, Error> {
    Ok(tx.find(COUNT, params![company, since], |row| row.get::<i64>(0))?.unwrap_or(0))
}

/// Whose record was changed; `None` for one of the company, and for one that is no longer there.
fn employee_of(tx: &mut Tx<'_>, company: Uuid, entry: &Entry) -> Result<Option<Uuid>, Error> {
    let id = entry.entity;
    Ok(match entry.kind.as_str() {
        "employees"
        | "employee_federal_taxes"
        | "employee_state_taxes"
        | "employee_payment_methods"
        | "opening_balances"
        | "section603_statuses"
        | "benefit_amounts_elsewhere" => Some(id),
        "employee_jobs" => pay::employee_of_job(tx, company, id)?,
        "compensations" => pay::employee_of_compensation(tx, company, id)?,
        "work_addresses" => addresses::rows::find_work(tx, company, id)?.map(|work| work.employee),
        "home_addresses" => addresses::rows::find_home(tx, company, id)?.map(|home| home.employee),
        "employee_bank_accounts" => {
            let read = |row: &Row<'_>| Cursor::new(row, "employee_bank_accounts", 0).plain("employee_id");
            tx.try_find(OF_BANK_ACCOUNT, params![company, id], read)?
        }
        "garnishments" => garnishments::rows::find(tx, company, id)?.map(|order| order.employee),
        "recurring_reimbursements" => reimbursements::rows::find(tx, company, id)?.map(|one| one.employee),
        "employee_benefits" => employee_benefits::key(tx, company, id)?.map(|(employee, _)| employee),
        _ => None,
    })
}
