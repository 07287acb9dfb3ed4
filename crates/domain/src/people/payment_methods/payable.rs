//! The split of pay among the accounts that can be paid: nothing more is sent to an account to which a payment was returned. Its share goes
//! to the other accounts, as that of a deleted account does, and without another one the employee is paid by check.

use std::collections::HashMap;

use store::Tx;
use uuid::Uuid;

use super::plan::Plan;
use super::rows::{self, BankAccount};
use crate::error::Error;
use crate::records::IdRange;

/// The split of an employee's pay among accounts that can be paid.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Payable {
    /// the split; `None` if pay goes by check, because no account is left
    pub plan: Option<Plan>,
    /// accounts with a share that are not paid
    pub left_out: Vec<LeftOut>,
}

/// An account that is not paid because a payment to it was returned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// the account
    pub account: Uuid,
    /// return code of the last payment to it
    pub code: String,
    /// the last digits of its number
    pub hidden_account_number: String,
}

impl Payable {
    /// Returns the account that receives what can't be sent to another one: the last with a share.
    pub fn last_account(&self) -> Option<Uuid> {
        let splits = self.plan.as_ref()?.splits.iter().rev();
        splits.into_iter().find(|split| split.amount != Some(0)).map(|split| split.account)
    }
}

/// Returns how the pay of a range of employees (ends included) is divided; omits employees without a split.
pub fn payables_of_employees(
    tx: &mut Tx<'_>,
    company: Uuid,
    bounds: IdRange,
) -> Result<HashMap<Uuid, Payable>, Error> {
    let plans = rows::plans_between(tx, company, bounds)?;
    let mut returned: HashMap<Uuid, Vec<BankAccount>> = HashMap::new();
    if !plans.is_empty() {
        for account in rows::returned_accounts(tx, company)? {
            returned.entry(account.employee).or_default().push(account);
        }
    }
    let mut found = HashMap::with_capacity(plans.len());
    for (employee, plan) in plans {
        let mut payable = Payable { plan: Some(plan), left_out: Vec::new() };
        for account in returned.remove(&employee).unwrap_or_default() {
            payable.leave_out(tx, company, &account)?;
        }
        found.insert(employee, payable);
    }
    Ok(found)
}

/// Returns how the pay of an employee is divided.
pub fn of_employee(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<Payable, Error> {
    Ok(payables_of_employees(tx, company, IdRange::only(employee))?.remove(&employee).unwrap_or_default())
}

impl Payable {
    fn leave_out(&mut self, tx: &mut Tx<'_>, company: Uuid, account: &BankAccount) -> Result<(), Error> {
        let Some(plan) = self.plan.take() else { return Ok(()) };
        let is_paid = plan.splits.iter().any(|one| one.account == account.id && one.amount != Some(0));
        self.plan = plan.without_account(account.id);
        if is_paid {
            self.left_out.push(LeftOut {
                account: account.id,
                code: account.returned_code.clone().unwrap_or_default(),
                hidden_account_number: account.hidden_account_number(tx, company)?,
            });
        }
        Ok(())
    }
}
