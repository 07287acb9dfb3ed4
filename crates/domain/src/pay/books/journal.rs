//! The journal: every entry of the books between two days, in the order of days.

use jiff::ToSpan;
use jiff::civil::Date;
use rules::Violation;
use rules::days::Days;
use store::Tx;
use strum::{EnumString, IntoStaticStr, VariantArray};
use uuid::Uuid;

use super::accounts::{Account, Chart, Way};
use super::rows;
use super::rows::{BookLine, LiabilityPayment, Posting};
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::paging::{AskedDays, Listed, Page};

/// Maximum number of payrolls, and of payments, in one query of the journal.
const MOST: i64 = 1_000;
/// Maximum number of lines in one query of the journal.
const MOST_LINES: i64 = 50_000;
/// Maximum days between the first and the last day.
const DAYS: i32 = 366;

/// Why an entry was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, VariantArray, IntoStaticStr, EnumString)]
pub enum Reason {
    /// a payroll was processed
    #[strum(serialize = "payroll")]
    Payroll,
    /// a contractor was paid
    #[strum(serialize = "contractor_payment")]
    ContractorPayment,
    /// it was cancelled, or a paycheck of it was not owed and taken back
    #[strum(serialize = "reversal")]
    Reversal,
    /// money moved between the bank account and funds in transit
    #[strum(serialize = "transfer")]
    Transfer,
    /// its net pay, or a contractor's pay, was paid out
    #[strum(serialize = "net_pay")]
    NetPay,
    /// a liability was paid
    #[strum(serialize = "payment")]
    Payment,
    /// the credit against unemployment tax was reduced for a year
    #[strum(serialize = "reduced_credit")]
    ReducedCredit,
}

/// An entry: lines of one day that sum to zero.
#[derive(Debug, Clone)]
pub struct Entry {
    /// the day
    pub date: Date,
    /// why it was made
    pub reason: Reason,
    /// the payroll; `None` for a payment, and for what is owed once for a year
    pub payroll: Option<Uuid>,
    /// the payment of a liability
    pub payment: Option<Uuid>,
    /// a note
    pub memo: Option<String>,
    /// its lines
    pub lines: Vec<BookLine>,
}

/// A line with its entry, and the number and name of its account.
#[derive(Debug, Clone)]
pub struct JournalLine {
    /// the day
    pub date: Date,
    /// why it was made
    pub reason: Reason,
    /// the payroll
    pub payroll: Option<Uuid>,
    /// the payment of a liability
    pub payment: Option<Uuid>,
    /// a note
    pub memo: Option<String>,
    /// number of the account
    pub number: String,
    /// name of the account
    pub account_name: String,
    /// the line
    pub line: BookLine,
}

/// The requested first and last day; by default, those of the current year.
///
/// # Errors
/// 422 for days in the wrong order, or more than a year apart.
pub fn journal_period(today: Date, AskedDays { from, until }: AskedDays) -> Result<Days, Error> {
    let year = until.or(from).unwrap_or(today).year();
    let from = from.unwrap_or_else(|| jiff::civil::date(year, 1, 1));
    let until = until.unwrap_or_else(|| jiff::civil::date(year, 12, 31).max(from));
    if until < from {
        return Err(Violation::invalid("end_date", "end_date must not lie before start_date").into());
    }
    if until > from.saturating_add(i64::from(DAYS).days()) {
        let why = format!("end_date must be at most {DAYS} days after start_date");
        return Err(Violation::invalid("end_date", why).into());
    }
    Ok(Days { first: from, last: until })
}

/// The entries between two days (both included), in their order.
///
/// # Errors
/// 422 if there are too many; a store error.
pub fn list_entries(tx: &mut Tx<'_>, company: Uuid, days: Days) -> Result<Vec<Entry>, Error> {
    let (postings, lines) = rows::postings_between(tx, company, days, (MOST, MOST_LINES))?;
    let payments = rows::liability_payments_between(tx, company, days, MOST)?;
    let too_many = |count: usize, most: i64| i64::try_from(count).unwrap_or(i64::MAX) > most;
    if too_many(postings.len(), MOST) || too_many(lines, MOST_LINES) || too_many(payments.len(), MOST) {
        let why = format!(
            "end_date must be closer to start_date: there are more than {MOST} payrolls or payments, or more than \
                           {MOST_LINES} lines"
        );
        return Err(Violation::invalid("end_date", why).into());
    }
    let mut entries: Vec<Entry> = postings.iter().flat_map(of_posting).collect();
    entries.extend(payments.into_iter().map(of_payment));
    entries.retain(|entry| (days.first..=days.last).contains(&entry.date));
    // The sort is stable: a payroll comes before its reversal.
    entries.sort_by_key(|entry| entry.date);
    Ok(entries)
}

fn of_posting(posting: &Posting) -> Vec<Entry> {
    let entry = |date, reason, lines| Entry {
        date,
        reason,
        payroll: posting.payroll,
        payment: None,
        memo: None,
        lines,
    };
    let why = match (posting.reverses, posting.payroll) {
        (Some(_), _) => Reason::Reversal,
        (None, Some(_)) => Reason::Payroll,
        (None, None) if posting.is_of_contractor() => Reason::ContractorPayment,
        (None, None) => Reason::ReducedCredit,
    };
    let mut entries = vec![entry(posting.check_date, why, posting.lines.clone())];
    if posting.reversed_at.is_some() {
        let opposite = posting.lines.iter().map(|line| BookLine { cents: -line.cents, ..line.clone() });
        entries.push(entry(posting.check_date, Reason::Reversal, opposite.collect()));
    }
    if let Some(day) = posting.paid_on {
        let owed = posting.lines.iter().filter(|line| line.account.is_net_pay());
        let lines = owed.flat_map(|line| {
            let by_bank = line.account == Account::ContractorsPayable || line.is_paid(Way::Deposit);
            let paid =
                BookLine { account: payment_source_account(posting.in_transit && by_bank), ..line.clone() };
            [BookLine { cents: -line.cents, ..line.clone() }, paid]
        });
        entries.push(entry(day, Reason::NetPay, lines.collect()));
    }
    entries
}

/// Returns the account that a payment is paid out of.
fn payment_source_account(in_transit: bool) -> Account {
    if in_transit { Account::FundsInTransit } else { Account::Cash }
}

fn of_payment(payment: LiabilityPayment) -> Entry {
    let LiabilityPayment { id, account, agency, code, name, cents, paid_on, memo, in_transit, .. } = payment;
    let is_transfer = account == Account::FundsInTransit;
    let line = |account, cents| BookLine {
        account,
        agency: agency.clone(),
        code: code.clone(),
        name: name.clone(),
        department: String::new(),
        job: String::new(),
        cents,
    };
    Entry {
        date: paid_on,
        reason: if is_transfer { Reason::Transfer } else { Reason::Payment },
        payroll: None,
        payment: (!is_transfer).then_some(id),
        memo,
        lines: vec![line(account, cents), line(payment_source_account(in_transit), -cents)],
    }
}

/// The lines of the journal between two days, with the company's numbers and names of accounts.
///
/// # Errors
/// 422 if the days are too far apart, or there are too many lines; a store error.
pub fn list_journal_lines(
    tx: &mut Tx<'_>,
    caller: &Caller,
    asked: AskedDays,
    page: Page,
) -> Result<Listed<JournalLine>, Error> {
    let days = journal_period(caller.today(tx), asked)?;
    let chart = Chart::of_company(tx, caller.company)?;
    let entries = list_entries(tx, caller.company, days)?;
    let lines = entries.into_iter().flat_map(|entry| {
        let Entry { date, reason, payroll, payment, memo, lines } = entry;
        let named = |line: BookLine| {
            let (number, name) = chart.name(line.account);
            JournalLine {
                date,
                reason,
                payroll,
                payment,
                memo: memo.clone(),
                number: number.to_owned(),
                account_name: name.to_owned(),
                line,
            }
        };
        lines.into_iter().map(named).collect::<Vec<_>>()
    });
    let listed = Listed::slice(page, lines.collect());
    Listed::new(page, listed.items, || Ok(listed.paging.map_or(0, |(.., total)| total)))
}
