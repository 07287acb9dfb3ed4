//! The employees paid in a section of a payroll, and their accounts: read in two statements, regardless of their number.

use std::collections::HashMap;

use store::record::Cursor;
use store::{Row, Tx, params};
use uuid::Uuid;

use crate::error::Error;
use crate::people::payment_methods::rows::BankAccount;
use crate::records::IdRange;

/// Selects only employees of the calculation: any number of other employees may lie between two of them.
const STRETCH: &str = "WHERE r.company_id = $1 AND r.run_id = $2 AND r.employee_id BETWEEN $3 AND $4";

store::statements! {
    NAMES = store::text!("SELECT e.id, e.first_name, e.last_name FROM payroll_results r \
            JOIN employees e ON e.company_id = r.company_id AND e.id = r.employee_id ", STRETCH);
    ACCOUNTS = store::text!("SELECT ", store::columns!(BankAccount, "a."), " FROM payroll_results r \
               JOIN employee_bank_accounts a ON a.company_id = r.company_id AND a.employee_id = r.employee_id ", STRETCH);
}

/// Employees and their accounts.
#[derive(Debug)]
pub struct Payees {
    names: HashMap<Uuid, String>,
    accounts: HashMap<Uuid, BankAccount>,
}

impl Payees {
    /// Returns the employees whom a calculation pays, from one id to another.
    pub fn read_payees(
        tx: &mut Tx<'_>,
        company: Uuid,
        run: Uuid,
        IdRange { first, last }: IdRange,
    ) -> Result<Self, Error> {
        let span = params![company, run, first, last];
        let name = |row: &Row<'_>| {
            let mut next = Cursor::new(row, "employees", 0);
            let id: Uuid = next.read_plain("id")?;
            let (first, last): (String, String) =
                (next.read_plain("first_name")?, next.read_plain("last_name")?);
            Ok::<_, store::Error>((id, format!("{first} {last}")))
        };
        let names = tx.try_query(NAMES, span, name)?.into_iter().collect();
        let accounts = tx.try_query(ACCOUNTS, span, BankAccount::read)?;
        Ok(Self { names, accounts: accounts.into_iter().map(|account| (account.id, account)).collect() })
    }

    /// Returns the first and last name of an employee.
    ///
    /// # Errors
    /// "Not found" for an employee whom the calculation does not pay.
    pub fn employee_name(&self, employee: Uuid) -> Result<&str, Error> {
        self.names.get(&employee).map(String::as_str).ok_or(Error::NotFound)
    }

    /// Returns an account of one of the employees.
    pub fn account(&self, id: Uuid) -> Option<&BankAccount> {
        self.accounts.get(&id)
    }
}
