//! The chart of accounts: the purpose of each account, and its number and name in the company's books.

use std::collections::BTreeMap;

use rules::{Checks, Named, Violation, check};
use serde_json::json;
use store::record::Cursor;
use store::{Row, Tx, params};
use strum::{EnumString, IntoStaticStr, VariantArray};
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::error::Error;
use crate::patch::{self, Patch, as_is};
use crate::platform::audit;
use crate::records::Changes;

/// Table of the numbers and names, in audit entries and for its guard.
const TABLE: &str = "ledger_accounts";
store::statements! {
    ACCOUNTS = "SELECT account, number, name FROM ledger_accounts WHERE company_id = $1";
    PUT_ACCOUNT = "INSERT INTO ledger_accounts (company_id, account, number, name, updated_at) VALUES ($1, $2, $3, $4, $5) \
                   ON CONFLICT (company_id, account) DO UPDATE SET number = excluded.number, name = excluded.name, \
                   updated_at = excluded.updated_at";
}

/// Maximum characters of a number.
const NUMBER: usize = 20;
/// Maximum characters of a name.
const NAME: usize = 100;

/// How net pay is paid: the code of its lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum Way {
    /// by paper check
    #[strum(serialize = "check")]
    Check,
    /// by this service, to bank accounts
    #[strum(serialize = "direct_deposit")]
    Deposit,
    /// by the partner
    #[strum(serialize = "partner")]
    Partner,
}

impl Way {
    /// What its lines are called.
    pub fn line_name(self) -> &'static str {
        match self {
            Self::Check => "Check",
            Self::Deposit => "Direct deposit",
            Self::Partner => "Partner",
        }
    }
}

/// An account, by purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, VariantArray, IntoStaticStr, EnumString)]
pub enum Account {
    /// the bank account that payroll is paid from
    #[strum(serialize = "cash")]
    Cash,
    /// what the bank account was debited for, or was sent by wire, until it is paid out or comes back
    #[strum(serialize = "funds_in_transit")]
    FundsInTransit,
    /// what employees owe: pay that they were given and that was not owed, until it is paid back
    #[strum(serialize = "employee_receivables")]
    EmployeeReceivables,
    /// net pay owed to employees until it is paid out
    #[strum(serialize = "net_pay_payable")]
    NetPayPayable,
    /// what contractors are owed until they are paid
    #[strum(serialize = "contractors_payable")]
    ContractorsPayable,
    /// taxes withheld from employees, until they are paid
    #[strum(serialize = "employee_taxes_payable")]
    EmployeeTaxesPayable,
    /// taxes of the employer, until they are paid
    #[strum(serialize = "employer_taxes_payable")]
    EmployerTaxesPayable,
    /// backup withholding from contractors, until it is paid
    #[strum(serialize = "backup_withholding_payable")]
    BackupWithholdingPayable,
    /// amounts withheld for garnishments, until they are paid
    #[strum(serialize = "garnishments_payable")]
    GarnishmentsPayable,
    /// deductions and contributions of benefits, until they are paid
    #[strum(serialize = "benefits_payable")]
    BenefitsPayable,
    /// tips that employees received in cash: wages that are not paid again
    #[strum(serialize = "cash_tips")]
    CashTips,
    /// wages
    #[strum(serialize = "wages")]
    Wages,
    /// pay of contractors
    #[strum(serialize = "contractor_pay")]
    ContractorPay,
    /// taxes of the employer
    #[strum(serialize = "employer_taxes")]
    EmployerTaxes,
    /// the company's contributions to benefits
    #[strum(serialize = "benefit_contributions")]
    BenefitContributions,
    /// reimbursed expenses
    #[strum(serialize = "reimbursements")]
    Reimbursements,
    /// fees that the company keeps for administering garnishments
    #[strum(serialize = "garnishment_fees")]
    GarnishmentFees,
    /// the remainder of amounts that are not whole cents
    #[strum(serialize = "rounding")]
    Rounding,
}

impl Account {
    /// Whether it is owed to those who are paid, until they are.
    pub fn is_net_pay(self) -> bool {
        matches!(self, Self::NetPayPayable | Self::ContractorsPayable)
    }

    /// The default number and name.
    pub fn default_name(self) -> (&'static str, &'static str) {
        match self {
            Self::Cash => ("1000", "Payroll bank account"),
            Self::FundsInTransit => ("1050", "Payroll funds in transit"),
            Self::EmployeeReceivables => ("1200", "Owed by employees"),
            Self::NetPayPayable => ("2100", "Net pay payable"),
            Self::ContractorsPayable => ("2150", "Contractors payable"),
            Self::EmployeeTaxesPayable => ("2210", "Employee payroll taxes payable"),
            Self::EmployerTaxesPayable => ("2220", "Employer payroll taxes payable"),
            Self::BackupWithholdingPayable => ("2230", "Backup withholding payable"),
            Self::GarnishmentsPayable => ("2300", "Garnishments payable"),
            Self::BenefitsPayable => ("2400", "Employee benefits payable"),
            Self::CashTips => ("2500", "Cash tips clearing"),
            Self::Wages => ("6000", "Wages and salaries"),
            Self::ContractorPay => ("6050", "Contractors"),
            Self::EmployerTaxes => ("6100", "Employer payroll taxes"),
            Self::BenefitContributions => ("6200", "Employer benefit contributions"),
            Self::Reimbursements => ("6300", "Reimbursed expenses"),
            Self::GarnishmentFees => ("6400", "Fees for garnishments"),
            Self::Rounding => ("6900", "Payroll rounding"),
        }
    }
}

/// The number and name of each account.
#[derive(Debug, Clone, Default)]
pub struct Chart(BTreeMap<Account, (String, String)>);

impl Chart {
    /// The chart of a company.
    pub fn of_company(tx: &mut Tx<'_>, company: Uuid) -> Result<Self, Error> {
        let read = |row: &Row<'_>| {
            let mut next = Cursor::new(row, TABLE, 0);
            let account = next.read_text("account", Account::parse)?;
            Ok::<_, store::Error>((account, (next.read_plain("number")?, next.read_plain("name")?)))
        };
        Ok(Self(tx.try_query(ACCOUNTS, params![company], read)?.into_iter().collect()))
    }

    /// The number and name of an account.
    pub fn name(&self, account: Account) -> (&str, &str) {
        match self.0.get(&account) {
            Some((number, name)) => (number, name),
            None => account.default_name(),
        }
    }

    /// Every account with its number and name.
    pub fn numbered_accounts(&self) -> impl Iterator<Item = (Account, &str, &str)> {
        Account::VARIANTS.iter().map(|account| {
            let (number, name) = self.name(*account);
            (*account, number, name)
        })
    }
}

/// Sets numbers and names of accounts.
#[derive(Debug, Clone, Default)]
pub struct UpdateChart {
    /// the accounts that change
    pub accounts: Patch<Vec<ChartEntry>>,
}

/// The number or name of an account.
#[derive(Debug, Clone, Default)]
pub struct ChartEntry {
    /// which
    pub key: Patch<Account>,
    /// its number
    pub number: Patch<String>,
    /// its name
    pub name: Patch<String>,
}

/// Sets numbers and names of accounts; accounts left out are unchanged.
///
/// # Errors
/// Every violation of the input; a store error.
pub fn update_chart(tx: &mut Tx<'_>, caller: &Caller, input: &UpdateChart) -> Result<Chart, Error> {
    tx.take_guard(caller.company, TABLE, caller.company)?;
    let before = Chart::of_company(tx, caller.company)?;
    let mut after = before.clone();
    let mut checks = Checks::new();
    patch::refuse_null("accounts", &input.accounts, &mut checks);
    let sent = patch::check_items("accounts", &input.accounts, Account::VARIANTS.len(), &mut checks);
    for (place, entry) in sent.iter().enumerate() {
        let key = |field: &str| format!("accounts[{place}].{field}");
        let account = entry.key.required(&key("key"), &mut checks, as_is);
        let number =
            entry.number.optional(&key("number"), &mut checks, |key, text| check_account_number(key, text));
        let name =
            entry.name.optional(&key("name"), &mut checks, |key, text| check::validate_text(key, text, NAME));
        let Some(account) = account else { continue };
        let (old_number, old_name) = before.name(account);
        let new =
            (number.unwrap_or_else(|| old_number.to_owned()), name.unwrap_or_else(|| old_name.to_owned()));
        after.0.insert(account, new);
    }
    let mut numbers: Vec<&str> = after.numbered_accounts().map(|(_, number, _)| number).collect();
    numbers.sort_unstable();
    checks.require(numbers.windows(2).all(|two| two[0] != two[1]), || {
        Violation::invalid("accounts", "accounts must have different numbers")
    });
    checks.finish()?;
    let mut changes = Changes::new();
    let now = tx.now();
    for (account, number, name) in after.numbered_accounts() {
        if before.name(account) != (number, name) {
            changes.record_difference(account.as_str(), &before.name(account), &(number, name));
            let row = params![caller.company, account.as_str(), number, name, now];
            let _put = tx.change_rows(PUT_ACCOUNT, row)?.is_one();
        }
    }
    if !changes.is_empty() {
        audit::record_audit_entry(tx, caller, "updated", (TABLE, caller.company), &changes.to_json())?;
    }
    Ok(after)
}

fn check_account_number(key: &str, text: &str) -> Result<String, Violation> {
    let text = check::validate_text(key, text, NUMBER)?;
    if text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b':')) {
        return Ok(text);
    }
    Err(Violation::invalid(key, format!("{key} must consist of letters, digits, \"-\", \".\" and \":\"")))
}

/// An audit entry's description of a liability that was paid.
pub(super) fn liability_details(account: Account, agency: &str, name: &str) -> serde_json::Value {
    json!({ "account": account.as_str(), "agency": agency, "name": name })
}
