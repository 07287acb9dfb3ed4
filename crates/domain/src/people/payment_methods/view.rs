//! How bank accounts and payment methods are told: account numbers masked, always.

use std::collections::HashMap;

use store::Tx;
use uuid::Uuid;

use super::rows::{BankAccount, Method};
use super::service;
use crate::error::Error;
use crate::people::payment_methods::shapes;
use crate::records::version_text;
use rules::Named;

/// A bank account.
pub fn account(
    tx: &mut Tx<'_>,
    company: Uuid,
    account: &BankAccount,
) -> Result<shapes::EmployeeBankAccount, Error> {
    Ok(shapes::EmployeeBankAccount {
        uuid: account.id,
        employee_uuid: account.employee,
        name: account.name.clone(),
        account_type: account.account_type.as_str(),
        routing_number: account.routing_number(tx, company)?,
        hidden_account_number: account.hidden_account_number(tx, company)?,
    })
}

/// How an employee with these accounts is paid.
pub fn method(
    tx: &mut Tx<'_>,
    company: Uuid,
    employee: Uuid,
    method: &Method,
    accounts: &[BankAccount],
) -> Result<shapes::EmployeePaymentMethod, Error> {
    let by_id: HashMap<Uuid, &BankAccount> = accounts.iter().map(|account| (account.id, account)).collect();
    let mut splits = Vec::new();
    for split in method.plan.iter().flat_map(|plan| &plan.splits) {
        // A deleted account leaves the splits in the same unit.
        let account = by_id.get(&split.account).ok_or(Error::Internal)?;
        splits.push(shapes::PaymentMethodSplit {
            uuid: account.id,
            name: account.name.clone(),
            hidden_account_number: account.hidden_account_number(tx, company)?,
            priority: split.priority,
            split_amount: split.amount,
        });
    }
    Ok(shapes::EmployeePaymentMethod {
        version: version_text(service::METHOD, employee, method.version),
        kind: method.kind,
        split_by: method.plan.as_ref().map(|plan| plan.by.as_str()),
        splits: method.plan.is_some().then_some(splits),
    })
}
