//! Accounts of a payroll's employees to which a payment was returned. A payroll that was calculated before cannot be submitted: its
//! calculation is discarded. Calculated again, it pays another way by rule, so that nobody has to decide.

use jiff::civil::Date;
use rules::Named as _;
use store::Tx;
use strum::{EnumString, IntoStaticStr, VariantArray};
use uuid::Uuid;

use crate::error::Error;
use crate::pay::payrolls::calendar::members;
use crate::pay::payrolls::record::payroll::Payroll;
use crate::pay::payrolls::record::results;
use crate::people::employees::Employee;
use crate::people::payment_methods::payable;
use crate::people::payment_methods::rows::{self as accounts, DIRECT_DEPOSIT};

/// Type of the blocker.
pub const RETURNED_ACCOUNT: &str = "returned_bank_account";

/// An account of an employee of the payroll to which a payment was returned, and how its part is paid instead.
#[derive(Debug, Clone)]
pub struct ReturnedAccount {
    /// the employee
    pub employee: Uuid,
    /// first and last name
    pub name: String,
    /// the account
    pub account: Uuid,
    /// the last digits of its number
    pub hidden_account_number: String,
    /// return code
    pub code: String,
    /// how its part is paid
    pub instead: Instead,
    /// whether the payroll is calculated that way
    pub resolved: bool,
    /// pay date of the payroll
    pub check_date: Date,
}

/// How the part of an account that can't be paid is paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum Instead {
    /// to the employee's other accounts
    #[strum(serialize = "pay_to_other_accounts")]
    OtherAccounts,
    /// by check
    #[strum(serialize = "pay_by_check")]
    Check,
}

impl ReturnedAccount {
    /// Returns what has to be known, in words.
    pub fn message(&self) -> String {
        let Self { name, hidden_account_number, code, .. } = self;
        let instead = match self.instead {
            Instead::OtherAccounts => "its part is paid to the employee's other accounts",
            Instead::Check => "the employee is paid by check",
        };
        format!(
            "A bank returned the last payment to the account {hidden_account_number} of {name} ({code}): {instead}"
        )
    }

    /// Returns how its part is paid, as a key.
    pub fn payment_option(&self) -> &'static str {
        self.instead.as_str()
    }
}

/// Returns the accounts that a payroll would pay if no payment to them had been returned; none once it is submitted.
pub fn of_payroll(tx: &mut Tx<'_>, company: Uuid, payroll: &Payroll) -> Result<Vec<ReturnedAccount>, Error> {
    let mut found = Vec::new();
    if payroll.submitted_at.is_some() || payroll.check_only || payroll.skipped {
        return Ok(found);
    }
    let run = payroll.run.filter(|_| payroll.calculated_at.is_some());
    for account in accounts::returned_accounts(tx, company)? {
        let Some(member) = members::find_member(tx, company, payroll, account.employee)? else { continue };
        let resolved = match run {
            Some(run) => results::find_outcome(tx, company, run, account.employee)?.is_some(),
            None => false,
        };
        let payable = payable::of_employee(tx, company, account.employee)?;
        let left_out = payable.left_out.iter().any(|one| one.account == account.id);
        if member.payment_method != DIRECT_DEPOSIT || !left_out {
            continue;
        }
        let Some(employee) = Employee::find(tx, company, account.employee)? else { continue };
        found.push(ReturnedAccount {
            employee: account.employee,
            name: format!("{} {}", employee.first_name, employee.last_name),
            account: account.id,
            hidden_account_number: account.hidden_account_number(tx, company)?,
            code: account.returned_code.unwrap_or_default(),
            instead: if payable.plan.is_some() { Instead::OtherAccounts } else { Instead::Check },
            resolved,
            check_date: payroll.check_date,
        });
    }
    Ok(found)
}
