//! Rows of the books.

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::civil::Date;
use rules::days::Days;
use rules::taxes::TaxBook;
use rules::{Named, Violation};
use store::record::Cursor;
use store::{Json, Row, Tx, params};
use uuid::Uuid;

use super::accounts::{Account, Way};
use crate::error::Error;

/// Table of the postings.
pub const TABLE: &str = "payroll_postings";
/// Table of their lines.
const LINES: &str = "payroll_posting_lines";
/// The payroll id of postings without a payroll.
const OF_NONE: Uuid = Uuid::nil();
/// Maximum number of lines, and of payments, that are added up: those of far more than ten years.
const MOST_LINES: i64 = 200_000;

macro_rules! posting {
    () => {
        "SELECT run_id, payroll_id, check_date, paychecks, posted_at, paid_on, in_transit, reversed_at, reverses FROM payroll_postings \
         WHERE company_id = $1"
    };
}

macro_rules! line {
    () => {
        "SELECT l.run_id, l.account, l.agency, l.code, l.name, l.department, l.job, l.amount FROM payroll_posting_lines l"
    };
}

store::statements! {
    INSERT = "INSERT INTO payroll_postings (company_id, run_id, payroll_id, check_date, paychecks, posted_at, paid_on, reverses) \
              VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    INSERT_LINE = "INSERT INTO payroll_posting_lines (company_id, run_id, line, account, agency, code, name, department, job, amount) \
                   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
    REVERSE = "UPDATE payroll_postings SET reversed_at = $1 WHERE company_id = $2 AND run_id = $3 AND reversed_at IS NULL";
    PAID = "UPDATE payroll_postings SET paid_on = $1, in_transit = $4 WHERE company_id = $2 AND run_id = $3 AND paid_on IS NULL";
    OF_RUN = concat!(posting!(), " AND run_id = $2");
    BETWEEN = concat!(posting!(), " AND ((check_date BETWEEN $2 AND $3) OR (paid_on BETWEEN $2 AND $3)) ORDER BY check_date, run_id LIMIT $4");
    LINES_OF = concat!(line!(), " WHERE l.company_id = $1 AND l.run_id = $2 ORDER BY l.line");
    LINES_BETWEEN = concat!(line!(), " JOIN payroll_postings p ON p.company_id = l.company_id AND p.run_id = l.run_id \
                    WHERE l.company_id = $1 AND ((p.check_date BETWEEN $2 AND $3) OR (p.paid_on BETWEEN $2 AND $3)) \
                    ORDER BY l.run_id, l.line LIMIT $4");
    ACCRUED = "SELECT l.account, l.agency, l.code, l.name, l.amount, p.check_date \
               FROM payroll_posting_lines l JOIN payroll_postings p ON p.company_id = l.company_id AND p.run_id = l.run_id \
               WHERE l.company_id = $1 AND p.reversed_at IS NULL AND p.check_date <= $2 \
               AND l.account IN ('employee_taxes_payable', 'employer_taxes_payable', 'garnishments_payable', 'benefits_payable', \
               'employee_receivables', 'backup_withholding_payable') \
               ORDER BY l.run_id, l.line LIMIT $3";
    DAYS_OF = "SELECT MIN(p.check_date), MAX(p.check_date) \
               FROM payroll_posting_lines l JOIN payroll_postings p ON p.company_id = l.company_id AND p.run_id = l.run_id \
               WHERE l.company_id = $1 AND l.account = $2 AND l.agency = $3 \
               AND l.code = $4 AND (l.code <> '' OR l.name = $5)";
    TAXES = "SELECT l.code, l.amount, p.check_date \
             FROM payroll_posting_lines l JOIN payroll_postings p ON p.company_id = l.company_id AND p.run_id = l.run_id \
             WHERE l.company_id = $1 AND p.reversed_at IS NULL AND p.check_date BETWEEN $2 AND $3 AND l.agency = $4 \
             AND l.account IN ('employee_taxes_payable', 'employer_taxes_payable') ORDER BY l.run_id, l.line LIMIT $5";
    OWED_BY = "SELECT l.amount FROM payroll_posting_lines l \
               JOIN payroll_postings p ON p.company_id = l.company_id AND p.run_id = l.run_id WHERE l.company_id = $1 \
               AND p.reversed_at IS NULL AND l.account = 'employee_receivables' AND l.agency = $2 \
               UNION ALL SELECT s.amount FROM liability_payments s WHERE s.company_id = $1 \
               AND s.account = 'employee_receivables' AND s.agency = $2";
    OWED_FOR = "SELECT amount FROM liability_payments WHERE company_id = $1 AND account = 'contractors_payable' AND code = $2";
    SETTLED = "SELECT account, agency, code, name, amount FROM liability_payments WHERE company_id = $1 AND paid_on <= $2 \
               AND account <> 'funds_in_transit' ORDER BY id LIMIT $3";
    PAY = "INSERT INTO liability_payments (company_id, id, account, agency, code, name, amount, paid_on, memo, created_at, in_transit) \
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
    PAYMENTS = "SELECT id, account, agency, code, name, amount, paid_on, memo, created_at, in_transit FROM liability_payments WHERE company_id = $1 \
                AND paid_on BETWEEN $2 AND $3 ORDER BY paid_on, id LIMIT $4";
}

/// Agency of federal taxes.
const FEDERAL: &str = "US";

/// The posting of a processed payroll.
#[derive(Debug, Clone)]
pub struct Posting {
    /// the calculation
    pub run: Uuid,
    /// the payroll; `None` for what is owed once for a year
    pub payroll: Option<Uuid>,
    /// the day of its lines: the pay date
    pub check_date: Date,
    /// number of paychecks by department; those without a department under an empty name
    pub paychecks: BTreeMap<String, i64>,
    /// when it was posted
    pub posted_at: Timestamp,
    /// when net pay was paid out
    pub paid_on: Option<Date>,
    /// whether what the bank paid of it was paid out of funds in transit rather than the bank account
    pub in_transit: bool,
    /// when the payroll was cancelled
    pub reversed_at: Option<Timestamp>,
    /// the calculation of which it takes back a paycheck that was not owed
    pub reverses: Option<Uuid>,
    /// its lines; they sum to zero
    pub lines: Vec<BookLine>,
}

impl Posting {
    /// A posting of a federal tax that the employer owes beside those of paychecks; negative cents are owed less. The expense is named after
    /// the tax unless it has a `reason`.
    pub fn of_employer_tax(tx: &mut Tx<'_>, day: Date, code: &str, reason: Option<&str>, cents: i64) -> Self {
        let label = TaxBook::built_in().of_code(code).map_or(code, |entry| &entry.label);
        let line = |account, agency: &str, name: &str, cents| {
            let [agency, code, name, department, job] = [agency, code, name, "", ""].map(str::to_owned);
            BookLine { account, agency, code, name, department, job, cents }
        };
        Self {
            run: tx.new_id(),
            payroll: None,
            check_date: day,
            paychecks: BTreeMap::new(),
            posted_at: tx.now(),
            paid_on: None,
            in_transit: false,
            reversed_at: None,
            reverses: None,
            lines: vec![
                line(Account::EmployerTaxes, "", reason.unwrap_or(label), cents),
                line(Account::EmployerTaxesPayable, FEDERAL, label, -cents),
            ],
        }
    }

    /// Whether it is what a contractor was paid, or the opposite.
    pub fn is_of_contractor(&self) -> bool {
        self.lines.iter().any(|line| line.account == Account::ContractorsPayable)
    }
}

/// A line of the books.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BookLine {
    /// the account
    pub account: Account,
    /// who receives it: `US`, a state as `US-TX`, a locality as `US-PA/` and its key, a kind of garnishment, or a contractor; the employee who
    /// owes it; otherwise empty
    pub agency: String,
    /// code of a tax, or of the [`Way`] in which net pay is paid, or the payment of a contractor; empty for anything else
    pub code: String,
    /// the earning, tax, benefit or garnishment, as shown
    pub name: String,
    /// the department whose employees earned it; empty without one
    pub department: String,
    /// the title of the job; empty if the line does not belong to a single job
    pub job: String,
    /// cents: positive for a debit, negative for a credit
    pub cents: i64,
}

/// Returns the code of a line or of a liability if it is that of a tax.
pub fn tax_code(code: String) -> Option<String> {
    let is_other = code.is_empty() || Way::parse(&code).is_some() || code.parse::<Uuid>().is_ok();
    (!is_other).then_some(code)
}

impl BookLine {
    /// Whether it is net pay that is paid in this way.
    pub fn is_paid(&self, way: Way) -> bool {
        self.code == way.as_str()
    }
}

/// A payment of a liability; of [`Account::FundsInTransit`], what was moved there from the bank account.
#[derive(Debug, Clone)]
pub struct LiabilityPayment {
    /// identifier
    pub id: Uuid,
    /// the account
    pub account: Account,
    /// who was paid
    pub agency: String,
    /// code of a tax; empty for anything else
    pub code: String,
    /// the tax, benefit or garnishment, as shown
    pub name: String,
    /// cents; negative for a reversal
    pub cents: i64,
    /// when
    pub paid_on: Date,
    /// a note
    pub memo: Option<String>,
    /// when it was recorded
    pub created_at: Timestamp,
    /// whether it was paid out of funds in transit rather than the bank account
    pub in_transit: bool,
}

/// Posts a payroll.
pub fn insert_posting(tx: &mut Tx<'_>, company: Uuid, new: &Posting) -> Result<(), Error> {
    let paychecks = store::record::serialize_json(TABLE, "paychecks", &new.paychecks)?;
    let payroll = new.payroll.unwrap_or(OF_NONE);
    let row = params![
        company,
        new.run,
        payroll,
        new.check_date,
        Json(&paychecks),
        new.posted_at,
        new.paid_on,
        new.reverses
    ];
    tx.insert_row(INSERT, row)?;
    for (place, line) in (1_i64..).zip(&new.lines) {
        let BookLine { account, agency, code, name, department, job, cents } = line;
        let row =
            params![company, new.run, place, account.as_str(), agency, code, name, department, job, *cents];
        tx.insert_row(INSERT_LINE, row)?;
    }
    Ok(())
}

/// Reverses a cancelled payroll, under its guard. No-op if it was not posted.
pub fn reverse_posting(tx: &mut Tx<'_>, company: Uuid, run: Uuid) -> Result<(), Error> {
    let now = tx.now();
    let _was_posted = tx.change_rows(REVERSE, params![now, company, run])?.rows();
    Ok(())
}

/// Records that net pay was paid out, with what the bank paid of it out of funds in transit or out of the bank account, under the guard of the
/// payroll; returns false if that was done before, or nothing was posted.
pub fn record_net_pay_paid(
    tx: &mut Tx<'_>,
    company: Uuid,
    run: Uuid,
    (day, in_transit): (Date, bool),
) -> Result<bool, Error> {
    Ok(tx.change_rows(PAID, params![day, company, run, in_transit])?.is_one())
}

fn read_posting(row: &Row<'_>) -> Result<Posting, store::Error> {
    let mut next = Cursor::new(row, TABLE, 0);
    Ok(Posting {
        run: next.read_plain("run_id")?,
        payroll: Some(next.read_plain("payroll_id")?).filter(|id| *id != OF_NONE),
        check_date: next.read_plain("check_date")?,
        paychecks: next.read_json("paychecks")?,
        posted_at: next.read_plain("posted_at")?,
        paid_on: next.read_plain("paid_on")?,
        in_transit: next.read_plain("in_transit")?,
        reversed_at: next.read_plain("reversed_at")?,
        reverses: next.read_plain("reverses")?,
        lines: Vec::new(),
    })
}

fn read_posting_line(row: &Row<'_>) -> Result<(Uuid, BookLine), store::Error> {
    let mut next = Cursor::new(row, LINES, 0);
    let run = next.read_plain("run_id")?;
    let line = BookLine {
        account: next.read_text("account", Account::parse)?,
        agency: next.read_plain("agency")?,
        code: next.read_plain("code")?,
        name: next.read_plain("name")?,
        department: next.read_plain("department")?,
        job: next.read_plain("job")?,
        cents: next.read_plain("amount")?,
    };
    Ok((run, line))
}

/// The posting of a calculation, if it was posted.
pub fn posting_of(tx: &mut Tx<'_>, company: Uuid, run: Uuid) -> Result<Option<Posting>, Error> {
    let Some(found) = tx.try_find(OF_RUN, params![company, run], read_posting)? else { return Ok(None) };
    let lines = tx.try_query(LINES_OF, params![company, run], read_posting_line)?;
    Ok(Some(Posting { lines: lines.into_iter().map(|(_, line)| line).collect(), ..found }))
}

/// The payrolls whose pay date, or whose payment, lies between two days (both included), with their lines. At most `most` of each,
/// plus one.
pub fn postings_between(
    tx: &mut Tx<'_>,
    company: Uuid,
    Days { first: from, last: until }: Days,
    (postings, lines): (i64, i64),
) -> Result<(Vec<Posting>, usize), Error> {
    let mut found = tx.try_query(BETWEEN, params![company, from, until, postings + 1], read_posting)?;
    let read = tx.try_query(LINES_BETWEEN, params![company, from, until, lines + 1], read_posting_line)?;
    let count = read.len();
    let mut by_run: BTreeMap<Uuid, Vec<BookLine>> = BTreeMap::new();
    for (run, line) in read {
        by_run.entry(run).or_default().push(line);
    }
    for one in &mut found {
        one.lines = by_run.remove(&one.run).unwrap_or_default();
    }
    Ok((found, count))
}

/// What is owed, and to whom: a tax by its code, a benefit or a garnishment by its name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Owed {
    /// the account
    pub account: Account,
    /// who receives it
    pub agency: String,
    /// code of a tax, or of the [`Way`] in which net pay is paid, or the payment of a contractor; empty for anything else
    pub code: String,
    /// name of a benefit or a garnishment; empty for a tax and for net pay, whose labels identify nothing
    pub name: String,
}

impl Owed {
    /// Identifies the net pay that this service pays.
    pub fn net_pay() -> Self {
        Self::new(Account::NetPayPayable, "", Way::Deposit.as_str(), "")
    }

    /// Identifies what a contractor is owed for a payment.
    pub fn to_contractor(contractor: Uuid, payment: Uuid) -> Self {
        Self::new(Account::ContractorsPayable, &contractor.to_string(), &payment.to_string(), "")
    }

    /// Identifies what a line of the books is owed for.
    pub fn new(account: Account, agency: &str, code: &str, name: &str) -> Self {
        let name = if code.is_empty() { name } else { "" };
        Self { account, agency: agency.to_owned(), code: code.to_owned(), name: name.to_owned() }
    }
}

/// The amount accrued.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accrued {
    /// cents
    pub cents: i64,
    /// the first and the last pay date
    pub check_dates: Days,
    /// the tax, benefit or garnishment, as last shown
    pub name: String,
}

/// The amount paid.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settled {
    /// cents
    pub cents: i64,
    /// the tax, benefit or garnishment, as last shown
    pub name: String,
}

/// A line of the books for a tax.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaxAccrued {
    /// its pay date
    pub day: Date,
    /// the tax
    pub code: String,
    /// cents
    pub cents: i64,
}

/// The amounts accrued until a day. Reversed payrolls do not count.
///
/// # Errors
/// 422 for too many lines to add up; a store error.
pub fn accrued_until(tx: &mut Tx<'_>, company: Uuid, until: Date) -> Result<BTreeMap<Owed, Accrued>, Error> {
    let lines = tx.try_query(ACCRUED, params![company, until, MOST_LINES + 1], |row| {
        let mut next = Cursor::new(row, LINES, 0);
        let (owed, name) = read_owed(&mut next)?;
        let (cents, day): (i64, Date) = (next.read_plain("amount")?, next.read_plain("check_date")?);
        Ok::<_, store::Error>((owed, name, cents, day))
    })?;
    refuse_too_many(lines.len())?;
    let mut sums: BTreeMap<Owed, Accrued> = BTreeMap::new();
    for (owed, name, cents, day) in lines {
        let none = || Accrued { cents: 0, check_dates: Days { first: day, last: day }, name: String::new() };
        let sum = sums.entry(owed).or_insert_with(none);
        // Liabilities are credits.
        sum.cents -= cents;
        sum.check_dates = Days { first: sum.check_dates.first.min(day), last: sum.check_dates.last.max(day) };
        sum.name = name;
    }
    Ok(sums)
}

/// What an employee owes, in cents: pay that was not owed, less what was paid back or recovered.
pub fn owed_by(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<i64, Error> {
    let employee = employee.to_string();
    Ok(tx.query_rows(OWED_BY, params![company, &employee], |row| row.get::<i64>(0))?.into_iter().sum())
}

/// What a contractor is owed of a payment that was posted as paid, in cents: it came back, or its file was voided.
pub fn owed_for(tx: &mut Tx<'_>, company: Uuid, payment: Uuid) -> Result<i64, Error> {
    let payment = payment.to_string();
    let paid = tx.query_rows(OWED_FOR, params![company, &payment], |row| row.get::<i64>(0))?;
    Ok(-paid.into_iter().sum::<i64>())
}

/// The first and the last pay date of all payrolls that came to something owed, the reversed ones included.
pub fn days_of(tx: &mut Tx<'_>, company: Uuid, owed: &Owed) -> Result<Option<Days>, Error> {
    let Owed { account, agency, code, name } = owed;
    let found = tx.try_find(DAYS_OF, params![company, account.as_str(), agency, code, name], |row| {
        let mut next = Cursor::new(row, TABLE, 0);
        let days: (Option<Date>, Option<Date>) =
            (next.read_plain("check_date")?, next.read_plain("check_date")?);
        Ok::<_, store::Error>(days)
    })?;
    Ok(found.and_then(|(first, last)| Some(Days { first: first?, last: last? })))
}

/// An agency's taxes accrued between two days (both included), line by line. Reversed payrolls do not count.
///
/// # Errors
/// 422 for too many lines to add up; a store error.
pub fn taxes_between(
    tx: &mut Tx<'_>,
    company: Uuid,
    agency: &str,
    Days { first: from, last: until }: Days,
) -> Result<Vec<TaxAccrued>, Error> {
    let lines = tx.try_query(TAXES, params![company, from, until, agency, MOST_LINES + 1], |row| {
        let mut next = Cursor::new(row, LINES, 0);
        let (code, cents) = (next.read_plain("code")?, next.read_plain::<i64>("amount")?);
        // Liabilities are credits.
        Ok::<_, store::Error>(TaxAccrued { day: next.read_plain("check_date")?, code, cents: -cents })
    })?;
    refuse_too_many(lines.len())?;
    Ok(lines)
}

/// The amounts paid until a day.
///
/// # Errors
/// 422 for too many payments to add up; a store error.
pub fn paid_until(tx: &mut Tx<'_>, company: Uuid, until: Date) -> Result<BTreeMap<Owed, Settled>, Error> {
    let payments = tx.try_query(SETTLED, params![company, until, MOST_LINES + 1], |row| {
        let mut next = Cursor::new(row, "liability_payments", 0);
        let (owed, name) = read_owed(&mut next)?;
        Ok::<_, store::Error>((owed, name, next.read_plain::<i64>("amount")?))
    })?;
    refuse_too_many(payments.len())?;
    let mut sums: BTreeMap<Owed, Settled> = BTreeMap::new();
    for (owed, name, cents) in payments {
        let sum = sums.entry(owed).or_default();
        sum.cents += cents;
        sum.name = name;
    }
    Ok(sums)
}

/// A sum of only some of the lines would be wrong, so none is returned.
fn refuse_too_many(rows: usize) -> Result<(), Error> {
    if i64::try_from(rows).unwrap_or(i64::MAX) <= MOST_LINES {
        return Ok(());
    }
    let message = format!("There are more than {MOST_LINES} lines to add up.");
    Err(Violation::invalid_operation(message).into())
}

/// Reads what is owed, and its name as shown.
fn read_owed(next: &mut Cursor<'_, '_>) -> Result<(Owed, String), store::Error> {
    let account = next.read_text("account", Account::parse)?;
    let [agency, code, name]: [String; 3] =
        [next.read_plain("agency")?, next.read_plain("code")?, next.read_plain("name")?];
    Ok((Owed::new(account, &agency, &code, &name), name))
}

/// Stores a payment of a liability.
pub fn insert_liability_payment(tx: &mut Tx<'_>, company: Uuid, new: &LiabilityPayment) -> Result<(), Error> {
    let LiabilityPayment { id, account, agency, code, name, cents, paid_on, memo, created_at, in_transit } =
        new;
    let row = params![
        company,
        *id,
        account.as_str(),
        agency,
        code,
        name,
        *cents,
        *paid_on,
        memo,
        *created_at,
        *in_transit
    ];
    Ok(tx.insert_row(PAY, row)?)
}

/// The payments between two days (both included), at most `most` plus one.
pub fn liability_payments_between(
    tx: &mut Tx<'_>,
    company: Uuid,
    Days { first: from, last: until }: Days,
    most: i64,
) -> Result<Vec<LiabilityPayment>, Error> {
    Ok(tx.try_query(PAYMENTS, params![company, from, until, most + 1], |row| {
        let mut next = Cursor::new(row, "liability_payments", 0);
        let id = next.read_plain("id")?;
        let (Owed { account, agency, code, .. }, name) = read_owed(&mut next)?;
        Ok::<_, store::Error>(LiabilityPayment {
            id,
            account,
            agency,
            code,
            name,
            cents: next.read_plain("amount")?,
            paid_on: next.read_plain("paid_on")?,
            memo: next.read_plain("memo")?,
            created_at: next.read_plain("created_at")?,
            in_transit: next.read_plain("in_transit")?,
        })
    })?)
}
