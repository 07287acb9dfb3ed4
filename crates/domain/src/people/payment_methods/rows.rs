//! Rows of bank accounts and payment methods. The accounts of an employee are read in the order of creation.

use rules::Named;
use rules::payment::{AccountType, Split, SplitBy, masked};
use serde::{Deserialize, Serialize};
use store::{Json, Place, Row, Tx, params};
use uuid::Uuid;
use zeroize::Zeroizing;

use super::plan::Plan;
use crate::error::Error;
use crate::people::employees::Employee;

/// The columns of a bank account, in the order in which [`account`] reads them.
macro_rules! account_columns {
    () => {
        "id, employee_id, name, account_type, routing_number, account_number, fingerprint, version"
    };
}

store::statements! {
    ACCOUNTS = concat!("SELECT ", account_columns!(), " FROM employee_bank_accounts WHERE company_id = $1 AND employee_id = $2 ORDER BY id");
    HAS_ACCOUNT = "SELECT id FROM employee_bank_accounts WHERE company_id = $1 AND employee_id = $2 LIMIT 1";
    INSERT_ACCOUNT = "INSERT INTO employee_bank_accounts (company_id, employee_id, id, name, account_type, routing_number, \
                      account_number, fingerprint, version, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 1, $9, $9)";
    UPDATE_ACCOUNT = "UPDATE employee_bank_accounts SET name = $1, account_type = $2, routing_number = $3, account_number = $4, \
                      fingerprint = $5, version = version + 1, updated_at = $6 \
                      WHERE company_id = $7 AND employee_id = $8 AND id = $9 AND version = $10";
    DELETE_ACCOUNT = "DELETE FROM employee_bank_accounts WHERE company_id = $1 AND employee_id = $2 AND id = $3";
    DELETE_ACCOUNTS = "DELETE FROM employee_bank_accounts WHERE company_id = $1 AND employee_id = $2";
    FIND_METHOD = "SELECT split_by, splits, version FROM employee_payment_methods WHERE company_id = $1 AND employee_id = $2";
    PLANS_BETWEEN = "SELECT employee_id, split_by, splits FROM employee_payment_methods \
                     WHERE company_id = $1 AND employee_id BETWEEN $2 AND $3 AND split_by IS NOT NULL ORDER BY employee_id";
    INSERT_METHOD = "INSERT INTO employee_payment_methods (company_id, employee_id, split_by, splits, version, created_at, updated_at) \
                     VALUES ($1, $2, $3, $4, 1, $5, $5)";
    UPDATE_METHOD = "UPDATE employee_payment_methods SET split_by = $1, splits = $2, version = version + 1, updated_at = $3 \
                     WHERE company_id = $4 AND employee_id = $5 AND version = $6";
    DELETE_METHOD = "DELETE FROM employee_payment_methods WHERE company_id = $1 AND employee_id = $2";
    SET_TYPE = "UPDATE employees SET payment_method = $1, updated_at = $2 WHERE company_id = $3 AND id = $4";
}

/// A bank account of an employee. Its numbers stay sealed until somebody asks for them.
#[derive(Debug, Clone)]
pub struct BankAccount {
    /// identifier
    pub id: Uuid,
    /// whose account it is
    pub employee: Uuid,
    /// what the employee calls it
    pub name: String,
    /// checking or savings
    pub account_type: AccountType,
    /// sealed
    pub routing_number: Vec<u8>,
    /// sealed
    pub account_number: Vec<u8>,
    /// a digest of the account number
    pub fingerprint: Vec<u8>,
    /// counter of updates
    pub version: i64,
}

fn account(row: &Row<'_>) -> BankAccount {
    let account_type = row.get::<&str>(3);
    BankAccount {
        id: row.get(0),
        employee: row.get(1),
        name: row.get(2),
        account_type: AccountType::parse(account_type)
            .unwrap_or_else(|| panic!("{account_type} is no type of account")),
        routing_number: row.get(4),
        account_number: row.get(5),
        fingerprint: row.get(6),
        version: row.get(7),
    }
}

impl BankAccount {
    /// The routing number, opened.
    ///
    /// # Errors
    /// A store error.
    pub fn routing_number(&self, tx: &mut Tx<'_>, company: Uuid) -> Result<String, Error> {
        Ok(tx.unseal_text(place(company, self.id, "routing_number"), &self.routing_number)?.to_string())
    }

    /// The account number, opened, for its mark and its last digits.
    ///
    /// # Errors
    /// A store error.
    pub fn account_number(&self, tx: &mut Tx<'_>, company: Uuid) -> Result<Zeroizing<String>, Error> {
        Ok(tx.unseal_text(place(company, self.id, "account_number"), &self.account_number)?)
    }

    /// The last digits of the number: more of it never leaves the service.
    ///
    /// # Errors
    /// A store error.
    pub fn hidden_account_number(&self, tx: &mut Tx<'_>, company: Uuid) -> Result<String, Error> {
        Ok(masked(&self.account_number(tx, company)?))
    }
}

/// The place of a sealed field of a bank account.
pub fn place(company: Uuid, account: Uuid, column: &'static str) -> Place {
    Place { owner: company, table: "employee_bank_accounts", row: account, column }
}

/// A digest by which equal account numbers of one company are found.
///
/// # Errors
/// A store error.
pub fn fingerprint(tx: &mut Tx<'_>, company: Uuid, account_number: &str) -> Result<Vec<u8>, Error> {
    Ok(tx.fingerprint(company, "employee_bank_accounts.account_number", account_number.as_bytes())?.to_vec())
}

/// The employee's bank accounts.
///
/// # Errors
/// A store error.
pub fn accounts(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<Vec<BankAccount>, Error> {
    Ok(tx.query(ACCOUNTS, params![company, employee], account)?)
}

/// Whether the employee is paid by direct deposit and has an account for it.
///
/// # Errors
/// A store error.
pub fn deposits(tx: &mut Tx<'_>, company: Uuid, employee: &Employee) -> Result<bool, Error> {
    Ok(employee.payment_method == DIRECT_DEPOSIT
        && tx.find(HAS_ACCOUNT, params![company, employee.id], |_| ())?.is_some())
}

/// Stores a new bank account.
///
/// # Errors
/// A store error.
pub fn insert_account(tx: &mut Tx<'_>, company: Uuid, new: &BankAccount) -> Result<(), Error> {
    let now = tx.now();
    let parameters = params![
        company,
        new.employee,
        new.id,
        &new.name,
        new.account_type.as_str(),
        &new.routing_number,
        &new.account_number,
        &new.fingerprint,
        now
    ];
    Ok(tx.insert(INSERT_ACCOUNT, parameters)?)
}

/// Stores what the record says, if its version is still that of `changed`; else nothing.
///
/// # Errors
/// A store error.
pub fn update_account(tx: &mut Tx<'_>, company: Uuid, changed: &BankAccount) -> Result<bool, Error> {
    let now = tx.now();
    let parameters = params![
        &changed.name,
        changed.account_type.as_str(),
        &changed.routing_number,
        &changed.account_number,
        &changed.fingerprint,
        now,
        company,
        changed.employee,
        changed.id,
        changed.version
    ];
    Ok(tx.change(UPDATE_ACCOUNT, parameters)?.one())
}

/// Deletes a bank account.
///
/// # Errors
/// A store error.
pub fn delete_account(tx: &mut Tx<'_>, company: Uuid, employee: Uuid, id: Uuid) -> Result<bool, Error> {
    Ok(tx.change(DELETE_ACCOUNT, params![company, employee, id])?.one())
}

/// Deletes everything that is held of how an employee is paid.
///
/// # Errors
/// A store error.
pub fn delete_all(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<(), Error> {
    for statement in [DELETE_ACCOUNTS, DELETE_METHOD] {
        let _there_may_be_none = tx.change(statement, params![company, employee])?.rows();
    }
    Ok(())
}

/// The type of payment that stands for checks.
pub const CHECK: &str = "Check";
/// The type of payment that stands for transfers to bank accounts.
pub const DIRECT_DEPOSIT: &str = "Direct Deposit";

/// How an employee is paid.
#[derive(Debug, Clone)]
pub struct Method {
    /// [`CHECK`] or [`DIRECT_DEPOSIT`]
    pub kind: &'static str,
    /// how pay is divided among accounts; none for checks, and while there is no account
    pub plan: Option<Plan>,
    /// counter of updates; 0 until the first one
    pub version: i64,
}

/// A split as it is stored. The names are those of rows written long ago: they never change.
#[derive(Serialize, Deserialize)]
struct StoredSplit {
    account: Uuid,
    priority: i64,
    amount: Option<i64>,
}

/// How the employee is paid.
///
/// # Errors
/// A store error.
pub fn method(tx: &mut Tx<'_>, company: Uuid, employee: &Employee) -> Result<Method, Error> {
    let kind = if employee.payment_method == DIRECT_DEPOSIT { DIRECT_DEPOSIT } else { CHECK };
    let found = tx.find(FIND_METHOD, params![company, employee.id], |row| {
        (row.get::<Option<String>>(0), row.json(1).unwrap_or("[]").to_owned(), row.get::<i64>(2))
    })?;
    let Some((by, splits, version)) = found else { return Ok(Method { kind, plan: None, version: 0 }) };
    let plan = by.map(|by| Plan {
        by: SplitBy::parse(&by).unwrap_or_else(|| panic!("{by} is no way to divide pay")),
        splits: read_splits(&splits),
    });
    Ok(Method { kind, plan, version })
}

/// How the pay of the employees between two (both included) is divided, where it is, in order.
///
/// # Errors
/// A store error.
pub fn plans_between(
    tx: &mut Tx<'_>,
    company: Uuid,
    (first, last): (Uuid, Uuid),
) -> Result<Vec<(Uuid, Plan)>, Error> {
    Ok(tx.query(PLANS_BETWEEN, params![company, first, last], |row| {
        let by = row.get::<&str>(1);
        let by = SplitBy::parse(by).unwrap_or_else(|| panic!("{by} is no way to divide pay"));
        (row.get(0), Plan { by, splits: read_splits(row.json(2).unwrap_or("[]")) })
    })?)
}

fn read_splits(stored: &str) -> Vec<Split<Uuid>> {
    let splits: Vec<StoredSplit> = serde_json::from_str(stored)
        .unwrap_or_else(|error| panic!("splits are stored in another form: {error}"));
    let splits = splits.into_iter();
    splits
        .map(|split| Split { account: split.account, priority: split.priority, amount: split.amount })
        .collect()
}

fn stored_splits(plan: &Option<Plan>) -> String {
    let splits = plan.iter().flat_map(|plan| &plan.splits).map(|split| StoredSplit {
        account: split.account,
        priority: split.priority,
        amount: split.amount,
    });
    let splits: Vec<_> = splits.collect();
    serde_json::to_string(&splits).unwrap_or_else(|error| panic!("splits are always JSON: {error}"))
}

/// Stores how an employee is paid, if the version is still that of `changed`; else nothing. The version of the
/// employee's record stays: a bank account that was added must not refuse an update of the name.
///
/// # Errors
/// A store error.
pub fn save_method(tx: &mut Tx<'_>, company: Uuid, employee: Uuid, changed: &Method) -> Result<bool, Error> {
    let now = tx.now();
    let by = changed.plan.as_ref().map(|plan| plan.by.as_str());
    let splits = stored_splits(&changed.plan);
    if changed.version == 0 {
        tx.insert(INSERT_METHOD, params![company, employee, by, Json(&splits), now])?;
    } else {
        let parameters = params![by, Json(&splits), now, company, employee, changed.version];
        if !tx.change(UPDATE_METHOD, parameters)?.one() {
            return Ok(false);
        }
    }
    Ok(tx.change(SET_TYPE, params![changed.kind, now, company, employee])?.one())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_stored_long_ago_are_still_read() {
        let stored = r#"[{"account":"00000000-0000-0000-0000-000000000001","priority":1,"amount":2500},
                         {"account":"00000000-0000-0000-0000-000000000002","priority":2,"amount":null}]"#;
        let splits = read_splits(stored);
        assert_eq!((splits[0].account, splits[0].amount), (Uuid::from_u128(1), Some(2_500)));
        assert_eq!((splits[1].priority, splits[1].amount), (2, None));
        let plan = Plan { by: SplitBy::Amount, splits };
        assert_eq!(read_splits(&stored_splits(&Some(plan.clone()))), plan.splits);
        assert_eq!(stored_splits(&None), "[]");
    }
}
