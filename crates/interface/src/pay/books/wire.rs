//! The books on the wire.

use domain::pay::books::accounts::{self, Chart};
use domain::pay::books::rows::tax_code;
use domain::pay::books::{journal, liabilities, rows};
use domain::pay::reports::table::{Cell, Table};
use jiff::civil::Date;
use rules::{Amount, Named};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::field::{Field, Ids, List};
use crate::input;
use crate::moment::format_moment;
use crate::values::{DateText, Decimal, IdText, LedgerAccountName, LedgerNumberText, LineText, LongLineText};

fn dollars_text(cents: i64) -> String {
    Amount::from_cents(cents).to_text(2)
}

fn nonempty_text(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}

/// A line of the journal.
#[derive(Debug, Serialize, ToSchema)]
pub struct JournalLine {
    /// date of the entry: the check date of a payroll, or the date of a payment
    #[schema(value_type = String, format = Date)]
    pub date: Date,
    /// `payroll`, `reversal`, `transfer` (between the bank account and funds in transit), `net_pay`, `payment`, or
    /// `reduced_credit` (federal unemployment tax of a year for which no payroll is charged)
    pub reason: &'static str,
    /// the payroll
    pub payroll_uuid: Option<Uuid>,
    /// the payment of a liability
    pub liability_payment_uuid: Option<Uuid>,
    /// purpose of the account, such as `wages`
    pub account: &'static str,
    /// the number that the company gave the account
    #[serde(rename = "account_number")]
    pub number: String,
    /// the name that the company gave the account
    pub account_name: String,
    /// the payee: `US`, a state as `US-TX`, a locality as `US-PA/` and its key, `child_support`, the uuid of a contractor; null if there is
    /// none
    pub agency: Option<String>,
    /// the earning, tax, benefit or garnishment
    pub description: String,
    /// stable code of a tax, such as `US_SS`; null for anything else
    pub tax_code: Option<String>,
    /// the department of the employees who earned it
    pub department: Option<String>,
    /// the job title
    pub job: Option<String>,
    /// decimal text, dollars
    pub debit: String,
    /// decimal text, dollars
    pub credit: String,
    /// a note on a payment
    pub memo: Option<String>,
}

impl From<journal::JournalLine> for JournalLine {
    fn from(found: journal::JournalLine) -> Self {
        let journal::JournalLine { date, reason, payroll, payment, memo, number, account_name, line } = found;
        Self {
            date,
            reason: reason.as_str(),
            payroll_uuid: payroll,
            liability_payment_uuid: payment,
            account: line.account.as_str(),
            number,
            account_name,
            agency: nonempty_text(line.agency),
            description: line.name,
            tax_code: tax_code(line.code),
            department: nonempty_text(line.department),
            job: nonempty_text(line.job),
            debit: dollars_text(line.cents.max(0)),
            credit: dollars_text((-line.cents).max(0)),
            memo,
        }
    }
}

/// The lines as a table.
pub fn journal_table(lines: Vec<journal::JournalLine>) -> Table {
    let columns = [
        "date",
        "reason",
        "payroll_uuid",
        "liability_payment_uuid",
        "account",
        "account_number",
        "account_name",
        "agency",
        "description",
        "department",
        "job",
        "debit",
        "credit",
        "memo",
        "tax_code",
    ];
    let mut table = Table::new("Journal", &columns);
    for line in lines {
        let cents = line.line.cents;
        let line = JournalLine::from(line);
        table.rows.push(vec![
            Cell::from_text(line.date.to_string()),
            Cell::from_text(line.reason),
            Cell::from_optional_text(line.payroll_uuid.map(|id| id.to_string())),
            Cell::from_optional_text(line.liability_payment_uuid.map(|id| id.to_string())),
            Cell::from_text(line.account),
            Cell::from_text(line.number),
            Cell::from_text(line.account_name),
            Cell::from_optional_text(line.agency),
            Cell::from_text(line.description),
            Cell::from_optional_text(line.department),
            Cell::from_optional_text(line.job),
            Cell::from_cents(cents.max(0)),
            Cell::from_cents((-cents).max(0)),
            Cell::from_optional_text(line.memo),
            Cell::from_optional_text(line.tax_code),
        ]);
    }
    table
}

/// The number and name of each account.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChartOfAccounts {
    /// the accounts
    pub accounts: Vec<LedgerAccount>,
}

/// An account of the journal.
#[derive(Debug, Serialize, ToSchema)]
pub struct LedgerAccount {
    /// its purpose, such as `wages`
    pub key: &'static str,
    /// its number
    pub number: String,
    /// its name
    pub name: String,
}

impl From<Chart> for ChartOfAccounts {
    fn from(chart: Chart) -> Self {
        let accounts = chart.numbered_accounts().map(|(account, number, name)| LedgerAccount {
            key: account.as_str(),
            number: number.to_owned(),
            name: name.to_owned(),
        });
        Self { accounts: accounts.collect() }
    }
}

input! {
    /// New numbers and names of accounts.
    UpdateChartOfAccounts => accounts::UpdateChart {
        /// the accounts to change; omitted fields keep their values
        #[schema(required)]
        accounts: List<LedgerAccountInput>,
    }

    /// A new number or name of an account.
    LedgerAccountInput => accounts::ChartEntry {
        /// the account, as named in the chart of accounts
        #[schema(required)]
        key: LedgerAccountName,
        /// at most 20 letters, digits, `-`, `.` and `:`
        #[schema(nullable)]
        number: LedgerNumberText,
        /// at most 100 characters
        #[schema(nullable)]
        name: LineText,
    }

    /// A payment of a liability.
    RecordLiabilityPayment => liabilities::RecordPayment {
        /// the liability, as named in the list of liabilities
        #[schema(required)]
        liability_uuid: IdText,
        /// dollars, at most what is owed; a negative amount corrects an earlier record, or records what an employee has paid back
        /// (`employee_receivables`)
        #[schema(required, value_type = Decimal)]
        amount: Amount,
        /// YYYY-MM-DD: the date of the payment, today at the latest
        #[schema(required)]
        paid_on: DateText,
        /// a note, at most 255 characters
        #[schema(nullable)]
        memo: LongLineText,
        /// for held pay (`net_pay_payable`, `contractors_payable`): the held payments that the payment settles, all of them when left out; `amount` is what is held
        /// of them. What is recorded here is not paid again by `pay_again`
        #[schema(nullable)]
        ach_transaction_uuids: Ids,
    }
}

/// A liability for a tax, a benefit or garnishments.
#[derive(Debug, Serialize, ToSchema)]
pub struct Liability {
    /// identifier
    pub uuid: Uuid,
    /// `employee_taxes_payable`, `employer_taxes_payable`, `garnishments_payable`, `benefits_payable`, `net_pay_payable`, or
    /// `contractors_payable` (a payment that came back); or, below zero, `employee_receivables`: what an employee owes
    pub account: &'static str,
    /// the payee, as in the journal; for `employee_receivables` the uuid of the employee
    pub agency: Option<String>,
    /// the tax, benefit or garnishment
    pub description: String,
    /// stable code of a tax, such as `US_SS`; null for anything else
    pub tax_code: Option<String>,
    /// decimal text, dollars accrued by payrolls
    pub accrued: String,
    /// decimal text, dollars paid
    pub paid: String,
    /// decimal text, dollars still owed
    pub balance: String,
    /// first check date included
    #[schema(value_type = String, format = Date)]
    pub first_check_date: Date,
    /// last check date included
    #[schema(value_type = String, format = Date)]
    pub last_check_date: Date,
}

impl From<liabilities::Liability> for Liability {
    fn from(found: liabilities::Liability) -> Self {
        Self {
            uuid: found.id,
            account: found.account.as_str(),
            accrued: dollars_text(found.accrued),
            paid: dollars_text(found.paid),
            balance: dollars_text(found.balance()),
            first_check_date: found.check_dates.first,
            last_check_date: found.check_dates.last,
            agency: nonempty_text(found.agency),
            description: found.name,
            tax_code: tax_code(found.code),
        }
    }
}

/// A payment of a liability.
#[derive(Debug, Serialize, ToSchema)]
pub struct LiabilityPayment {
    /// identifier
    pub uuid: Uuid,
    /// the account of the liability
    pub account: &'static str,
    /// the payee
    pub agency: Option<String>,
    /// the tax, benefit or garnishment
    pub description: String,
    /// stable code of a tax, such as `US_SS`; null for anything else
    pub tax_code: Option<String>,
    /// decimal text, dollars
    pub amount: String,
    /// the date of the payment
    #[schema(value_type = String, format = Date)]
    pub paid_on: Date,
    /// a note
    pub memo: Option<String>,
    /// when it was recorded
    #[schema(format = DateTime)]
    pub created_at: String,
}

impl From<rows::LiabilityPayment> for LiabilityPayment {
    fn from(found: rows::LiabilityPayment) -> Self {
        Self {
            uuid: found.id,
            account: found.account.as_str(),
            agency: nonempty_text(found.agency),
            description: found.name,
            tax_code: tax_code(found.code),
            amount: dollars_text(found.cents),
            paid_on: found.paid_on,
            memo: found.memo,
            created_at: format_moment(found.created_at),
        }
    }
}
