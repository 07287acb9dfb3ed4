//! Balances of a company's employees, with the hours accrued and taken in the calendar year.

use std::collections::{BTreeMap, HashMap};

use jiff::civil::Date;
use rules::Amount;
use rules::time_off::Reason;
use store::Tx;
use uuid::Uuid;

use super::ledger::too_large;
use super::rows::{Enrollment, TimeOffPolicy};
use super::{requests, rows};
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::paging::{Listed, Page};
use crate::records::IdRange;

/// The employees and policies whose balances to list; all if `None`.
#[derive(Debug, Clone, Default)]
pub struct BalanceFilter {
    /// employees
    pub employees: Option<Vec<Uuid>>,
    /// policies
    pub policies: Option<Vec<Uuid>>,
}

/// The balances of an employee.
#[derive(Debug, Clone)]
pub struct EmployeeBalances {
    /// the employee
    pub employee: Uuid,
    /// one for each active policy
    pub balances: Vec<Balance>,
}

/// A balance.
#[derive(Debug, Clone)]
pub struct Balance {
    /// the policy
    pub policy: Uuid,
    /// hours that can be taken; `None` if time off is unlimited
    pub hours: Option<Amount>,
    /// hours accrued in the calendar year
    pub accrued: Amount,
    /// hours taken in the calendar year
    pub used: Amount,
    /// hours in pending requests
    pub pending: Amount,
}

/// Lists the balances of employees with an active policy, ordered by employee.
///
/// # Errors
/// 422 if the list is too long to return at once; a store error.
pub fn list_balances(
    tx: &mut Tx<'_>,
    caller: &Caller,
    filter: &BalanceFilter,
    page: Page,
) -> Result<Listed<EmployeeBalances>, Error> {
    let policies: HashMap<Uuid, TimeOffPolicy> = rows::list_policies(tx, caller.company)?
        .into_iter()
        .filter(|one| one.is_in_use() && filter.policies.as_ref().is_none_or(|asked| asked.contains(&one.id)))
        .map(|one| (one.id, one))
        .collect();
    let asked = |employee: &Uuid| filter.employees.as_ref().is_none_or(|asked| asked.contains(employee));
    let mut held: BTreeMap<Uuid, Vec<Enrollment>> = BTreeMap::new();
    for one in rows::enrolled_between(tx, caller.company, IdRange::ALL)? {
        if policies.contains_key(&one.policy) && asked(&one.employee) {
            held.entry(one.employee).or_default().push(one);
        }
    }
    let all = held.len();
    let listed = Listed::slice(page, held.into_iter().collect());
    let listed = Listed { paging: listed.paging, ..Listed::new(page, listed.items, || Ok(all as i64))? };
    let (moved, waiting) = (of_year(tx, caller, &listed.items)?, pending_hours(tx, caller, &listed.items)?);
    let hours =
        |employee, policy, reason| moved.get(&(employee, policy, reason)).copied().unwrap_or_default();
    Ok(listed.map(|(employee, held)| EmployeeBalances {
        employee,
        balances: held
            .into_iter()
            .map(|one| Balance {
                policy: one.policy,
                hours: policies.get(&one.policy).filter(|of| !of.is_unlimited()).map(|_| one.balance),
                accrued: hours(employee, one.policy, Moved::Earned),
                used: hours(employee, one.policy, Moved::Taken),
                pending: waiting.get(&(employee, one.policy)).copied().unwrap_or_default(),
            })
            .collect(),
    }))
}

/// Sums the hours of pending requests, by employee and policy.
fn pending_hours(
    tx: &mut Tx<'_>,
    caller: &Caller,
    listed: &[(Uuid, Vec<Enrollment>)],
) -> Result<HashMap<(Uuid, Uuid), Amount>, Error> {
    let (Some((first, _)), Some((last, _))) = (listed.first(), listed.last()) else {
        return Ok(HashMap::new());
    };
    let mut sums: HashMap<(Uuid, Uuid), Amount> = HashMap::new();
    for waiting in requests::rows::pending_hours(tx, caller.company, IdRange { first: *first, last: *last })?
    {
        let sum = sums.entry((waiting.employee, waiting.policy)).or_default();
        *sum = sum.checked_add(waiting.hours).ok_or_else(too_large)?;
    }
    Ok(sums)
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Moved {
    Earned,
    Taken,
}

/// Sums the hours accrued and taken in the calendar year, by employee and policy.
fn of_year(
    tx: &mut Tx<'_>,
    caller: &Caller,
    listed: &[(Uuid, Vec<Enrollment>)],
) -> Result<HashMap<(Uuid, Uuid, Moved), Amount>, Error> {
    let (Some((first, _)), Some((last, _))) = (listed.first(), listed.last()) else {
        return Ok(HashMap::new());
    };
    let today = caller.today(tx);
    let begins = Date::new(today.year(), 1, 1).unwrap_or(today);
    let mut sums: HashMap<(Uuid, Uuid, Moved), Amount> = HashMap::new();
    for change in
        rows::balance_changes_since(tx, caller.company, IdRange { first: *first, last: *last }, begins)?
    {
        let (moved, hours) = match change.reason {
            Reason::Accrual => (Moved::Earned, change.hours),
            Reason::Use | Reason::UnlimitedUse => {
                (Moved::Taken, Amount::from_millionths(-change.hours.millionths()))
            }
            _ => continue,
        };
        let sum = sums.entry((change.employee, change.policy, moved)).or_default();
        *sum = sum.checked_add(hours).ok_or_else(too_large)?;
    }
    Ok(sums)
}
