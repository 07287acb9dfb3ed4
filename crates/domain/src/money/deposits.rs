//! Tax deposits: which liabilities of payrolls are deposited together, when a deposit is due, and its outcome.
//!
//! A payroll that is processed while its company's taxes are deposited yields parts, one for each of its taxes that the agency accepts by
//! ACH. The rules (`rules::deposits`) divide the parts among deposits, anew with each payroll that is added or cancelled, until a deposit
//! is staged ([`super::batches::taxes`]): its payment is then made, and later parts go into another deposit. The unemployment tax that credit
//! reductions add for a year belongs to no payroll: it is calculated in the new year, and goes into the deposit of the fourth quarter.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use jiff::civil::Date;
use rules::days::Days;
use rules::deposits::types::DepositTypes;
use rules::deposits::{Form, Schedule};
use rules::taxes::TaxBook;
use rules::{Amount, Named};
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::record::Cursor;
use store::{Row, Tx, params};
use strum::{EnumString, IntoStaticStr, VariantArray};
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::company::taxes::{deposit_schedules, rows as details};
use crate::error::Error;
use crate::paging::{AskedDays, Listed, Page, SortBy};
use crate::pay::books::{Account, Posting};
use crate::platform::{audit, law};

mod plan;
mod taken;

use plan::plan_deposits;
pub use taken::{form_of, left_out, record_of_year, year_of_record};
use taken::{look_at_credits, on_return};

/// Banking days before the due date on which a deposit's file is made, as for payrolls and their check dates.
const BANKING_DAYS: u8 = 2;
/// Maximum parts divided at once: those of one open period, and carried-over unemployment tax.
const MOST_PARTS: i64 = 20_000;
/// Maximum deposits of a company that are read at once: enough for far more than ten years.
const MOST: i64 = 5_000;

/// The state of a deposit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum DepositState {
    /// its file will be made before the due date
    #[strum(serialize = "scheduled")]
    Scheduled,
    /// its payment goes into a file
    #[strum(serialize = "staged")]
    Staged,
    /// the bank has the file
    #[strum(serialize = "sent")]
    Sent,
    /// the payment was returned: its taxes are owed again
    #[strum(serialize = "returned")]
    Returned,
    /// the employer pays, for the reason given
    #[strum(serialize = "manual")]
    Manual,
    /// nothing is left to be deposited
    #[strum(serialize = "canceled")]
    Canceled,
}

/// The part of a deposit that pays one tax in one account of the books.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Share {
    /// name of the account
    account: String,
    /// code of the tax
    pub code: String,
    /// cents
    pub cents: i64,
}

impl TaxDeposit {
    /// Returns the first and the last day of the tax period that it counts toward.
    pub fn tax_period(&self) -> Days {
        let first = match self.form {
            Form::F941 => self.period_end.month() - 2,
            Form::F940 | Form::F944 => 1,
        };
        Days { first: jiff::civil::date(self.period_end.year(), first, 1), last: self.period_end }
    }

    /// Returns the cents that the agency has been sent.
    pub fn paid_cents(&self) -> i64 {
        if self.state == DepositState::Sent { self.cents } else { 0 }
    }
}

impl Share {
    /// Returns the account of the books in which it is owed.
    pub fn ledger_account(&self) -> Option<Account> {
        Account::parse(&self.account)
    }

    /// Returns the label of the tax; its code if the tax book does not have it.
    pub fn tax_label(&self) -> &str {
        TaxBook::built_in().of_code(&self.code).map_or(&self.code, |entry| &entry.label)
    }
}

store::record! {
    /// A deposit of taxes.
    #[derive(Debug, Clone)]
    pub struct TaxDeposit in "tax_deposits" {
        key {
            /// identifier
            pub id: Uuid,
        }
        fixed {
            /// the agency: `US`
            pub authority: String,
            /// the return that it counts toward
            pub form: Form as text,
        }
        fields {
            /// its first check date
            pub first_day: Date,
            /// its last check date
            pub last_day: Date,
            /// last day of the tax period
            pub period_end: Date,
            /// its due date
            pub due: Date,
            /// whether it is due on the next business day because of its amount
            pub next_day: bool,
            /// its state
            pub state: DepositState as text,
            /// why the employer pays, or why it was returned
            pub reason: Option<String>,
            /// what it pays
            pub amounts: Vec<Share> as json,
            /// its total
            pub cents: i64,
            /// the payment to the agency
            pub batch: Option<Uuid> = "batch_id",
            /// the debit that funds it
            pub debit: Option<Uuid> = "debit_id",
            /// its settlement date, once the bank has the file
            pub settles_on: Option<Date>,
        }
        times { created_at, updated_at }
        version
    }
}

store::statements! {
    records TaxDeposit;
    OF_COMPANY = store::text!(TaxDeposit::SELECT, " ORDER BY id DESC LIMIT $2 OFFSET $3");
    ALL_OF_COMPANY = store::text!(TaxDeposit::SELECT, " ORDER BY id DESC LIMIT $2");
    COUNT = "SELECT count(*) FROM tax_deposits WHERE company_id = $1";
    SCHEDULED = store::text!(TaxDeposit::SELECT, " AND state = 'scheduled' ORDER BY id LIMIT $2");
    OPEN = "SELECT count(*) FROM tax_deposits WHERE company_id = $1 AND (state = 'scheduled' OR state = 'staged')";
    MADE = store::text!(TaxDeposit::SELECT, " AND (state = 'staged' OR state = 'sent') ORDER BY id LIMIT $2");
    LARGE = "SELECT last_day FROM tax_deposits WHERE company_id = $1 AND next_day = true AND state <> 'scheduled' \
             AND state <> 'canceled' ORDER BY last_day DESC LIMIT $2";
    // Across companies: for the operator.
    OF_ALL = store::text!("SELECT company_id, ", TaxDeposit::COLUMNS, " FROM tax_deposits WHERE due >= $1 ORDER BY due, id \
                           LIMIT $2 OFFSET $3");
    PART = "INSERT INTO tax_deposit_parts (company_id, run_id, account, agency, code, form, check_date, cents, deposit_id) \
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, NULL)";
    OPEN_PARTS = "SELECT p.run_id, p.account, p.agency, p.code, p.form, p.check_date, p.cents, p.deposit_id FROM tax_deposit_parts p \
                  LEFT JOIN tax_deposits d ON d.company_id = p.company_id AND d.id = p.deposit_id \
                  WHERE p.company_id = $1 AND (d.id IS NULL OR d.state = 'scheduled') \
                  ORDER BY p.check_date, p.run_id, p.account, p.code LIMIT $2";
    MADE_PARTS = "SELECT p.form, p.check_date, p.cents FROM tax_deposit_parts p \
                  JOIN tax_deposits d ON d.company_id = p.company_id AND d.id = p.deposit_id \
                  WHERE p.company_id = $1 AND p.check_date >= $2 AND d.state <> 'scheduled' \
                  ORDER BY p.check_date, p.run_id, p.account, p.code LIMIT $3";
    ASSIGN = "UPDATE tax_deposit_parts SET deposit_id = $1 WHERE company_id = $2 AND run_id = $3 AND account = $4 AND agency = $5 AND code = $6";
    NOT_CANCELED = store::text!(TaxDeposit::SELECT, " AND state <> 'canceled' ORDER BY due, id LIMIT $2");
    ITEMS = "SELECT b.payroll_id, p.code, p.cents FROM tax_deposit_parts p \
             JOIN payroll_postings b ON b.company_id = p.company_id AND b.run_id = p.run_id \
             WHERE p.company_id = $1 AND p.deposit_id = $2 ORDER BY p.run_id, p.account, p.code LIMIT $3";
    FORGET = "DELETE FROM tax_deposit_parts WHERE company_id = $1 AND run_id = $2 AND (deposit_id IS NULL OR deposit_id IN \
              (SELECT id FROM tax_deposits WHERE company_id = $1 AND state = 'scheduled'))";
}

/// Takes the guard under which the deposits of a company are changed.
pub fn lock_deposits(tx: &mut Tx<'_>, company: Uuid) -> Result<(), Error> {
    Ok(tx.take_guard(company, TaxDeposit::TABLE, company)?)
}

/// Returns a deposit of a company.
///
/// # Errors
/// "Not found"; a store error.
pub fn get_deposit(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<TaxDeposit, Error> {
    TaxDeposit::find(tx, company, id)?.ok_or(Error::NotFound)
}

/// Returns deposits of a company, newest first, and the number of all of them.
pub fn of_company(
    tx: &mut Tx<'_>,
    company: Uuid,
    (most, offset): (i64, i64),
) -> Result<(Vec<TaxDeposit>, i64), Error> {
    let found = tx.try_query(OF_COMPANY, params![company, most, offset], TaxDeposit::read)?;
    let count = tx.find_row(COUNT, params![company], |row| row.get::<i64>(0))?.unwrap_or(0);
    Ok((found, count))
}

/// The jurisdiction of all deposits: the federal government.
pub const JURISDICTION: &str = "US";

/// Which deposits are listed, and in which order: that of their due dates unless another is asked for.
#[derive(Debug, Default)]
pub struct DepositFilter {
    /// `US` or states; `None` for all
    pub jurisdictions: Option<Vec<String>>,
    /// when they are due
    pub due: AskedDays,
    /// when the agency is paid
    pub sent: AskedDays,
    /// first day of their period
    pub period_start: AskedDays,
    /// last day of their period
    pub period_end: AskedDays,
    /// the least and the most of their amounts
    pub amount: (Option<Amount>, Option<Amount>),
    /// order, most significant first
    pub sort: Vec<SortBy<DepositKey>>,
}

/// Sort keys of deposits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum DepositKey {
    /// amount owed
    #[strum(serialize = "amount")]
    Amount,
    /// when it is due
    #[strum(serialize = "due_date")]
    Due,
    /// when the agency is paid; those that are not sent last
    #[strum(serialize = "payment_sent_on")]
    Sent,
    /// last day of the period
    #[strum(serialize = "period_end")]
    PeriodEnd,
    /// first day of the period
    #[strum(serialize = "period_start")]
    PeriodStart,
}

impl TaxDeposit {
    /// Returns the day on which the agency is paid, once the bank has the payment.
    pub fn sent_on(&self) -> Option<Date> {
        self.settles_on.filter(|_| self.state == DepositState::Sent)
    }
}

impl DepositFilter {
    fn matches_deposit(&self, one: &TaxDeposit) -> bool {
        let Days { first, last } = one.tax_period();
        let (least, most) = self.amount;
        let amount = Amount::from_cents(one.cents);
        self.jurisdictions.as_ref().is_none_or(|asked| asked.iter().any(|one| one == JURISDICTION))
            && self.due.include(Some(one.due))
            && self.sent.include(one.sent_on())
            && self.period_start.include(Some(first))
            && self.period_end.include(Some(last))
            && least.is_none_or(|least| least <= amount)
            && most.is_none_or(|most| amount <= most)
    }

    fn compare_deposits(&self, one: &TaxDeposit, other: &TaxDeposit) -> Ordering {
        let by_key = |sort: &SortBy<DepositKey>| {
            let last = Date::MAX;
            let found = match sort.key {
                DepositKey::Amount => one.cents.cmp(&other.cents),
                DepositKey::Due => one.due.cmp(&other.due),
                DepositKey::Sent => one.sent_on().unwrap_or(last).cmp(&other.sent_on().unwrap_or(last)),
                DepositKey::PeriodEnd => one.tax_period().last.cmp(&other.tax_period().last),
                DepositKey::PeriodStart => one.tax_period().first.cmp(&other.tax_period().first),
            };
            if sort.descending { found.reverse() } else { found }
        };
        self.sort.iter().map(by_key).find(|found| found.is_ne()).unwrap_or(Ordering::Equal)
    }
}

/// Returns the deposits of a company that are not canceled, as asked.
pub fn list_deposits(
    tx: &mut Tx<'_>,
    company: Uuid,
    filter: &DepositFilter,
    page: Page,
) -> Result<Listed<TaxDeposit>, Error> {
    let mut found = tx.try_query(NOT_CANCELED, params![company, MOST], TaxDeposit::read)?;
    found.retain(|one| filter.matches_deposit(one));
    found.sort_by(|one, other| filter.compare_deposits(one, other));
    Ok(Listed::slice(page, found))
}

/// What a deposit pays of a tax.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DepositItem {
    /// the payroll; `None` for what is owed once for a year
    pub payroll: Option<Uuid>,
    /// code of the tax
    pub code: String,
    /// cents, of employees and employer together
    pub cents: i64,
}

/// Returns what a deposit pays, by payroll and tax.
///
/// # Errors
/// 422 if there is more than can be read at once; a store error.
pub fn deposit_items(tx: &mut Tx<'_>, company: Uuid, deposit: Uuid) -> Result<Vec<DepositItem>, Error> {
    let read = |row: &Row<'_>| {
        let mut next = Cursor::new(row, "tax_deposit_parts", 0);
        let (payroll, code) = (next.read_plain::<Uuid>("payroll_id")?, next.read_plain::<String>("code")?);
        Ok::<_, store::Error>(((payroll, code), next.read_plain::<i64>("cents")?))
    };
    let mut sums: BTreeMap<(Uuid, String), i64> = BTreeMap::new();
    for (of, cents) in tx.try_query_all(ITEMS, params![company, deposit], MOST_PARTS, read)? {
        *sums.entry(of).or_default() += cents;
    }
    let item = |((payroll, code), cents): ((Uuid, String), i64)| DepositItem {
        payroll: Some(payroll).filter(|id| !id.is_nil()),
        code,
        cents,
    };
    Ok(sums.into_iter().map(item).collect())
}

/// Returns every deposit of a company, newest first.
///
/// # Errors
/// 422 if there are more than can be read at once; a store error.
pub fn all_of_company(tx: &mut Tx<'_>, company: Uuid) -> Result<Vec<TaxDeposit>, Error> {
    Ok(tx.try_query_all(ALL_OF_COMPANY, params![company], MOST, TaxDeposit::read)?)
}

/// Returns deposits of all companies that are due on or after a day, with their companies, in order of due date.
pub fn due_from(
    tx: &mut Tx<'_>,
    day: Date,
    (most, offset): (i64, i64),
) -> Result<Vec<(Uuid, TaxDeposit)>, Error> {
    let read = |row: &Row<'_>| {
        let company = Cursor::new(row, TaxDeposit::TABLE, 0).read_plain("company_id")?;
        Ok::<_, store::Error>((company, TaxDeposit::read_from(row, 1)?))
    };
    Ok(tx.try_query(OF_ALL, params![day, most, offset], read)?)
}

/// Returns the number of a company's deposits that have yet to go to the bank.
pub fn count_open(tx: &mut Tx<'_>, company: Uuid) -> Result<i64, Error> {
    Ok(tx.find_row(OPEN, params![company], |row| row.get::<i64>(0))?.unwrap_or(0))
}

/// Returns the deposits whose payments are in progress or made, and not returned.
pub fn deposits_in_payment(tx: &mut Tx<'_>, company: Uuid) -> Result<Vec<TaxDeposit>, Error> {
    Ok(tx.try_query_all(MADE, params![company], MOST, TaxDeposit::read)?)
}

/// Stores a deposit that was read under its guard, with an audit entry.
pub fn save_deposit(
    tx: &mut Tx<'_>,
    caller: &Caller,
    deposit: &mut TaxDeposit,
    action: &'static str,
) -> Result<(), Error> {
    assert!(deposit.update(tx, caller.company)?, "the row was read under its guard");
    deposit.version += 1;
    audit_deposit(tx, caller, deposit, action)
}

fn audit_deposit(
    tx: &mut Tx<'_>,
    caller: &Caller,
    deposit: &TaxDeposit,
    action: &'static str,
) -> Result<(), Error> {
    let told = json!({ "form": deposit.form.as_str(), "due": deposit.due, "cents": deposit.cents,
                       "state": deposit.state.as_str(), "reason": deposit.reason });
    audit::record_audit_entry(tx, caller, action, (TaxDeposit::TABLE, deposit.id), &told)
}

/// Sets the deposit schedule that applies from a day on. Scheduled deposits are divided again at once: if the schedule was set too late,
/// they may be due before the next payroll is processed.
///
/// # Errors
/// As [`deposit_schedules::record_schedule`].
pub fn set_deposit_schedule(
    tx: &mut Tx<'_>,
    caller: &Caller,
    (from, schedule): (Date, Option<Schedule>),
) -> Result<(), Error> {
    deposit_schedules::record_schedule(tx, caller, (from, schedule))?;
    lock_deposits(tx, caller.company)?;
    // Parts from before the company began to make its own deposits stay as they are.
    if schedule.is_none() {
        return Ok(());
    }
    plan_deposits(tx, caller.company)
}

/// Adds the taxes of a payroll that are deposited, in the unit that posts the payroll.
pub fn accrue_taxes(tx: &mut Tx<'_>, company: Uuid, posting: &Posting) -> Result<(), Error> {
    if left_out(tx, company, posting.check_date)?.is_some() {
        return Ok(());
    }
    let filed = details::find_federal(tx, company)?.map(|federal| federal.filing_form);
    let codes = law::in_force::<DepositTypes>(tx)?;
    lock_deposits(tx, company)?;
    let owed = |account| matches!(account, Account::EmployeeTaxesPayable | Account::EmployerTaxesPayable);
    for line in posting.lines.iter().filter(|line| owed(line.account)) {
        let of_tax = (line.agency.as_str(), line.code.as_str());
        let Some(form) = on_return(&codes, filed, of_tax, posting.check_date) else { continue };
        if form == Form::F940 && posting.payroll.is_some() {
            look_at_credits(tx, company, posting.check_date.year())?;
        }
        let account: &str = line.account.into();
        let row = params![
            company,
            posting.run,
            account,
            &line.agency,
            &line.code,
            form.as_str(),
            posting.check_date,
            -line.cents
        ];
        tx.insert_row(PART, row)?;
    }
    plan_deposits(tx, company)
}

/// Removes the parts of a cancelled payroll. A payroll can be cancelled until the files of its check date are made, and its deposits are
/// staged only after that.
pub fn take_back(tx: &mut Tx<'_>, company: Uuid, run: Uuid) -> Result<(), Error> {
    lock_deposits(tx, company)?;
    if tx.change_rows(FORGET, params![company, run])?.rows() == 0 {
        return Ok(());
    }
    plan_deposits(tx, company)
}
