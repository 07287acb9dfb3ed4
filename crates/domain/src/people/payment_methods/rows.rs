//! Rows of bank accounts and payment methods. The accounts of an employee are read in order of creation.

use jiff::Timestamp;
use rules::Named;
use rules::payment::{AccountType, Split, SplitBy, mask_account_number};
use serde::{Deserialize, Serialize};
use store::{Place, Tx, params};
use uuid::Uuid;
use zeroize::Zeroizing;

use super::plan::Plan;
use crate::error::Error;
use crate::people::employees::Employee;
pub use crate::people::employees::rows::{CHECK, DIRECT_DEPOSIT};
use crate::records::{IdRange, MOST_TOGETHER};

store::record! {
    /// A bank account of an employee. Its numbers are sealed.
    #[derive(Debug, Clone)]
    pub struct BankAccount in "employee_bank_accounts" {
        key {
            /// the employee
            pub employee: Uuid = "employee_id",
            /// identifier
            pub id: Uuid,
        }
        fields {
            /// the employee's name for it
            pub name: String,
            /// checking or savings
            pub account_type: AccountType as text,
            /// sealed
            pub routing_number: Vec<u8> as secret,
            /// sealed
            pub account_number: Vec<u8> as secret,
            /// return code of the last payment to it; while set, nothing more is paid to it
            pub returned_code: Option<String>,
            /// when a payment to it was last returned
            pub returned_at: Option<Timestamp>,
        }
        times { created_at, updated_at }
        version
    }
}

store::record! {
    /// The split of an employee's pay among bank accounts.
    struct Division in "employee_payment_methods" {
        key {
            /// the employee
            employee: Uuid = "employee_id",
        }
        fields {
            /// `None` if pay is not split
            split_by: Option<SplitBy> as text,
            /// by priority
            splits: Vec<StoredSplit> as json,
        }
        times { created_at, updated_at }
        version
    }
}

store::statements! {
    records BankAccount, Division;
    ACCOUNTS = store::text!(BankAccount::SELECT, " AND employee_id = $2 ORDER BY id");
    // The moment is the least that there is: an index leads to what was returned, whenever that was.
    RETURNED = store::text!(BankAccount::SELECT, " AND returned_at >= $2 AND returned_code IS NOT NULL ORDER BY id LIMIT $3");
    ACCOUNT = store::text!(BankAccount::SELECT, " AND id = $2 LIMIT 1");
    HAS_ACCOUNT = "SELECT id FROM employee_bank_accounts WHERE company_id = $1 AND employee_id = $2 LIMIT 1";
    DELETE_ACCOUNTS = "DELETE FROM employee_bank_accounts WHERE company_id = $1 AND employee_id = $2";
    DIVISIONS_BETWEEN = store::text!(Division::SELECT, " AND employee_id BETWEEN $2 AND $3 AND split_by IS NOT NULL ORDER BY employee_id");
    SET_TYPE = "UPDATE employees SET payment_method = $1, updated_at = $2 WHERE company_id = $3 AND id = $4";
}

impl BankAccount {
    /// Returns the routing number, unsealed.
    pub fn routing_number(&self, tx: &mut Tx<'_>, company: Uuid) -> Result<String, Error> {
        Ok(tx
            .unseal_text(sealed_field_place(company, self.id, "routing_number"), &self.routing_number)?
            .to_string())
    }

    /// Returns the account number, unsealed.
    pub fn account_number(&self, tx: &mut Tx<'_>, company: Uuid) -> Result<Zeroizing<String>, Error> {
        Ok(tx.unseal_text(sealed_field_place(company, self.id, "account_number"), &self.account_number)?)
    }

    /// Returns the last digits of the account number, the only part of it that leaves the service.
    pub fn hidden_account_number(&self, tx: &mut Tx<'_>, company: Uuid) -> Result<String, Error> {
        Ok(mask_account_number(&self.account_number(tx, company)?))
    }
}

/// Returns the place of a sealed field of a bank account.
pub fn sealed_field_place(company: Uuid, account: Uuid, column: &'static str) -> Place {
    Place { owner: company, table: "employee_bank_accounts", row: account, column }
}

/// Returns the accounts of the company's employees that receive no payments because one was returned.
pub fn returned_accounts(tx: &mut Tx<'_>, company: Uuid) -> Result<Vec<BankAccount>, Error> {
    Ok(tx.try_query_all(
        RETURNED,
        params![company, Timestamp::UNIX_EPOCH],
        MOST_TOGETHER,
        BankAccount::read,
    )?)
}

/// Returns a bank account of any employee of the company.
pub fn find_account(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<Option<BankAccount>, Error> {
    Ok(tx.try_find(ACCOUNT, params![company, id], BankAccount::read)?)
}

/// Returns the employee's bank accounts.
pub fn employee_accounts(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<Vec<BankAccount>, Error> {
    Ok(tx.try_query(ACCOUNTS, params![company, employee], BankAccount::read)?)
}

/// Whether the employee is paid by direct deposit and has an account for it.
pub fn uses_direct_deposit(tx: &mut Tx<'_>, company: Uuid, employee: &Employee) -> Result<bool, Error> {
    Ok(employee.payment_method == DIRECT_DEPOSIT
        && tx.find_row(HAS_ACCOUNT, params![company, employee.id], |_| ())?.is_some())
}

/// Deletes all data about how an employee is paid.
pub fn delete_all(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<(), Error> {
    for statement in [DELETE_ACCOUNTS, Division::DELETE] {
        let _there_may_be_none = tx.change_rows(statement, params![company, employee])?.rows();
    }
    Ok(())
}

/// How an employee is paid.
#[derive(Debug, Clone)]
pub struct Method {
    /// [`CHECK`] or [`DIRECT_DEPOSIT`]
    pub kind: &'static str,
    /// the split among accounts; `None` for checks, and without accounts
    pub plan: Option<Plan>,
    /// counter of updates; 0 before the first one
    pub version: i64,
}

/// A split as stored. The field names are those in stored rows and never change.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct StoredSplit {
    account: Uuid,
    priority: i64,
    amount: Option<i64>,
}

impl From<&Split<Uuid>> for StoredSplit {
    fn from(split: &Split<Uuid>) -> Self {
        Self { account: split.account, priority: split.priority, amount: split.amount }
    }
}

impl From<StoredSplit> for Split<Uuid> {
    fn from(stored: StoredSplit) -> Self {
        Self { account: stored.account, priority: stored.priority, amount: stored.amount }
    }
}

impl Division {
    fn into_plan(self) -> Option<Plan> {
        let splits = self.splits.into_iter().map(Split::from).collect();
        self.split_by.map(|by| Plan { by, splits })
    }
}

/// Returns how an employee is paid whose record has the payment type `kind`.
pub fn payment_method(
    tx: &mut Tx<'_>,
    company: Uuid,
    (employee, kind): (Uuid, &str),
) -> Result<Method, Error> {
    let kind = [CHECK, DIRECT_DEPOSIT].into_iter().find(|known| *known == kind);
    let unknown = || {
        store::Unread::unknown("holds none of the payment methods")
            .into_error(Employee::TABLE, "payment_method")
    };
    let kind = kind.ok_or_else(unknown)?;
    let Some(division) = Division::find(tx, company, employee)? else {
        return Ok(Method { kind, plan: None, version: 0 });
    };
    Ok(Method { kind, version: division.version, plan: division.into_plan() })
}

/// Returns the splits of a range of employees (ends included), in order of employees; omits employees without one.
pub fn plans_between(
    tx: &mut Tx<'_>,
    company: Uuid,
    IdRange { first, last }: IdRange,
) -> Result<Vec<(Uuid, Plan)>, Error> {
    let divisions = tx.try_query(DIVISIONS_BETWEEN, params![company, first, last], Division::read)?;
    let divisions = divisions.into_iter();
    Ok(divisions.filter_map(|division| Some((division.employee, division.into_plan()?))).collect())
}

/// Stores how an employee is paid if the version is still that of `changed`; returns whether it was. Does not change the version of the
/// employee's record, because adding a bank account must not cause an update of the name to be refused.
pub fn save_method(tx: &mut Tx<'_>, company: Uuid, employee: Uuid, changed: &Method) -> Result<bool, Error> {
    let splits = changed.plan.iter().flat_map(|plan| &plan.splits);
    let mut division = Division {
        employee,
        split_by: changed.plan.as_ref().map(|plan| plan.by),
        splits: splits.map(StoredSplit::from).collect(),
        version: changed.version,
    };
    if division.version == 0 {
        division.version = 1;
        division.insert(tx, company)?;
    } else if !division.update(tx, company)? {
        return Ok(false);
    }
    let now = tx.now();
    Ok(tx.change_rows(SET_TYPE, params![changed.kind, now, company, employee])?.is_one())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_in_older_formats_can_still_be_read() {
        let stored = r#"[{"account":"00000000-0000-0000-0000-000000000001","priority":1,"amount":2500},
                         {"account":"00000000-0000-0000-0000-000000000002","priority":2,"amount":null}]"#;
        let stored: Vec<StoredSplit> = serde_json::from_str(stored).unwrap();
        let splits: Vec<Split<Uuid>> = stored.into_iter().map(Split::from).collect();
        assert_eq!((splits[0].account, splits[0].amount), (Uuid::from_u128(1), Some(2_500)));
        assert_eq!((splits[1].priority, splits[1].amount), (2, None));
        let stored: Vec<_> = splits.iter().map(StoredSplit::from).collect();
        let again: Vec<StoredSplit> = serde_json::from_str(&serde_json::to_string(&stored).unwrap()).unwrap();
        assert_eq!(again, stored);
    }
}
