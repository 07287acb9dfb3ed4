//! Rows of batches, entries and files.
//!
//! Batches and entries belong to a company. A file contains batches of many companies and belongs to the operator: its row, and the few
//! statements that find batches through files, reach across companies, and no company sees any of it.

use jiff::Timestamp;
use jiff::civil::Date;
use rules::Named;
use rules::payment::AccountType;
use serde::{Deserialize, Serialize};
use store::record::Cursor;
use store::{Row, Tx, params};
use strum::{EnumString, IntoStaticStr, VariantArray};
use uuid::Uuid;

use super::purpose::{Purpose, Subject};
use crate::error::Error;
use crate::money::bank::settings::OPERATOR;
use crate::paging::Page;
use crate::records::MOST_TOGETHER;

/// Whose accounts are in a batch: the network has a class of entries for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum Holders {
    /// people (PPD)
    #[strum(serialize = "people")]
    People,
    /// organizations (CCD)
    #[strum(serialize = "organizations")]
    Organizations,
}

/// The kind of payments in a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum BatchKind {
    /// net pay, to employees' accounts, or the pay of contractors
    #[strum(serialize = "pay")]
    Pay,
    /// child support, to agencies
    #[strum(serialize = "support")]
    Support,
    /// the debit that funds them, from the employer's account or the operator's
    #[strum(serialize = "debit")]
    Debit,
    /// returned or held pay, paid again to another account
    #[strum(serialize = "again")]
    Again,
    /// returned child support, paid again
    #[strum(serialize = "support_again")]
    SupportAgain,
    /// refund to the employer, who pays a returned or held amount by check
    #[strum(serialize = "refund")]
    Refund,
    /// reversal of pay
    #[strum(serialize = "reversal")]
    Reversal,
    /// a returned debit, presented again
    #[strum(serialize = "redebit")]
    Redebit,
    /// a tax deposit, to its agency
    #[strum(serialize = "tax")]
    Tax,
    /// the debit that funds it, from the employer's account or the operator's
    #[strum(serialize = "tax_debit")]
    TaxDebit,
}

impl BatchKind {
    /// Whether the accounts of its entries are credited.
    pub fn is_credit(self) -> bool {
        match self {
            Self::Pay | Self::Support | Self::Again | Self::SupportAgain | Self::Refund | Self::Tax => true,
            Self::Debit | Self::Reversal | Self::Redebit | Self::TaxDebit => false,
        }
    }

    /// Returns whose accounts it credits or debits; the pay of businesses goes to organizations.
    pub fn account_holders(self) -> Holders {
        match self {
            Self::Pay | Self::Again | Self::Reversal => Holders::People,
            Self::Support
            | Self::SupportAgain
            | Self::Refund
            | Self::Debit
            | Self::Redebit
            | Self::Tax
            | Self::TaxDebit => Holders::Organizations,
        }
    }

    /// Returns its name in lists of transactions.
    pub fn transaction_type(self, purpose: Purpose) -> &'static str {
        let of_contractors = purpose == Purpose::Contractors;
        match self {
            Self::Pay if of_contractors => "Credit contractor pay",
            Self::Again if of_contractors => "Credit contractor pay again",
            Self::Reversal if of_contractors => "Reverse contractor pay",
            Self::Pay => "Credit employee pay",
            Self::Support => "Credit child support",
            Self::Debit => "Debit employer",
            Self::Again => "Credit employee pay again",
            Self::SupportAgain => "Credit child support again",
            Self::Refund => "Refund employer",
            Self::Reversal => "Reverse employee pay",
            Self::Redebit => "Debit employer again",
            Self::Tax => "Credit tax agency",
            Self::TaxDebit => "Debit employer taxes",
        }
    }

    /// Returns the description that receivers see on their statements: that of wages is for employees alone (Nacha Operating Rules, standard
    /// description PAYROLL).
    pub fn statement_description(self, purpose: Purpose) -> &'static str {
        match self {
            Self::Pay | Self::Again | Self::Debit if purpose == Purpose::Contractors => "CONTRACTOR",
            Self::Pay | Self::Again => "PAYROLL",
            Self::Support | Self::SupportAgain => "CHILD SUPP",
            Self::Refund => "REFUND",
            Self::Debit => "PAYROLL",
            Self::Tax | Self::TaxDebit => "TAXPAYMENT",
            Self::Reversal => "REVERSAL",
            // Nacha Operating Rules, Subsection 2.12.4.3: these words, in a batch of their own.
            Self::Redebit => "RETRY PYMT",
        }
    }
}

/// The state of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum BatchState {
    /// its entries are being made
    #[strum(serialize = "preparing")]
    Preparing,
    /// it goes into the next file after it is due
    #[strum(serialize = "ready")]
    Ready,
    /// it waits for the operator, for the reason given
    #[strum(serialize = "held")]
    Held,
    /// it is in a file
    #[strum(serialize = "filed")]
    Filed,
    /// it never goes into a file
    #[strum(serialize = "void")]
    Void,
}

/// What holds a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum HeldBy {
    /// the company has no verified account
    #[strum(serialize = "no_company_account")]
    NoCompanyAccount,
    /// there are no bank settings
    #[strum(serialize = "no_bank")]
    NoBank,
    /// a limit of the operator
    #[strum(serialize = "limit")]
    Limit,
    /// a wire that has not arrived
    #[strum(serialize = "no_wire")]
    NoWire,
    /// the debit that funds it was returned
    #[strum(serialize = "debit_returned")]
    DebitReturned,
    /// a returned debit of the company has not been recovered
    #[strum(serialize = "not_recovered")]
    NotRecovered,
    /// the operator voided its file
    #[strum(serialize = "file_voided")]
    FileVoided,
}

impl HeldBy {
    /// Says why, to those who read it.
    pub fn reason_text(self) -> &'static str {
        match self {
            Self::NoCompanyAccount => "the company has no verified bank account that funds payroll",
            Self::NoBank => "no bank settings exist",
            Self::Limit => "its credits exceed a limit",
            Self::NoWire => "the wire that funds it has not arrived",
            Self::DebitReturned => "the debit that funds it was returned",
            Self::NotRecovered => "a returned debit of the company has not been recovered",
            Self::FileVoided => "its file was voided",
        }
    }
}

/// The state of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum EntryState {
    /// it goes, or went, with its batch
    #[strum(serialize = "sent")]
    Sent,
    /// it is held: there is no account to pay, or the amount exceeds the maximum of an entry
    #[strum(serialize = "held")]
    Held,
    /// it was returned; the amount is held
    #[strum(serialize = "returned")]
    Returned,
    /// its amount was paid in another way
    #[strum(serialize = "replaced")]
    Replaced,
    /// the employer paid its amount, and recorded that as a payment of the liability
    #[strum(serialize = "paid_by_employer")]
    PaidByEmployer,
    /// it was reversed
    #[strum(serialize = "reversed")]
    Reversed,
}

/// The state of a file. Each step is its own unit, so a crash leaves one of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum FileState {
    /// it waits for approval
    #[strum(serialize = "awaiting_approval")]
    AwaitingApproval,
    /// its entries have their positions; nothing is written
    #[strum(serialize = "recorded")]
    Recorded,
    /// it is complete in the private subfolder
    #[strum(serialize = "staged")]
    Staged,
    /// the bank's tool has it, or can take it
    #[strum(serialize = "written")]
    Written,
    /// it was voided before the bank had it
    #[strum(serialize = "void")]
    Void,
}

/// The state of the command for a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum Pickup {
    /// it has not been run yet
    #[strum(serialize = "waiting")]
    Waiting,
    /// it runs, or was running when the process ended
    #[strum(serialize = "running")]
    Running,
    /// it reported a failure
    #[strum(serialize = "failed")]
    Failed,
    /// it has taken the file
    #[strum(serialize = "done")]
    Done,
    /// it is not run: the file is being voided
    #[strum(serialize = "stopped")]
    Stopped,
}

store::record! {
    /// Payments of one payroll, one tax deposit or one group of contractors that go into a file together.
    #[derive(Debug, Clone)]
    pub struct Batch in "payment_batches" {
        key {
            /// identifier
            pub id: Uuid,
        }
        fixed {
            /// the payroll, the deposit, or the group of contractor payments
            pub payroll: Uuid = "payroll_id",
            /// which of them it is
            pub purpose: Purpose as text,
            /// kind of the payments
            pub kind: BatchKind as text,
            /// whose accounts they are
            pub holders: Holders as text,
            /// check date of the payroll; due date of the deposit
            pub check_date: Date,
        }
        fields {
            /// its state
            pub state: BatchState as text,
            /// what holds it
            pub held_by: Option<HeldBy> as text,
            /// why it is held, in words
            pub reason: Option<String>,
            /// whether its pay is owed again in the books: the file that it went with was voided
            pub owed_again: bool,
            /// when it may be filed
            pub due: Option<Timestamp>,
            /// its settlement date, once it is in a file
            pub effective: Option<Date>,
            /// entries with a position
            pub entries: i64,
            /// their total
            pub cents: i64,
            /// the largest of them, in cents
            pub largest: i64,
            /// the last employee or contractor payment whose payments have been prepared
            pub prepared_to: Option<Uuid>,
            /// the file
            pub file: Option<Uuid> = "file_id",
            /// its number in the file, from 1
            pub number: Option<i64>,
            /// number of traces before those of this batch
            pub first_trace: Option<i64>,
        }
        times {
            /// creation time
            pub created_at: Timestamp,
            updated_at,
        }
        version
    }
}

store::record! {
    /// A payment.
    #[derive(Debug, Clone)]
    pub struct Entry in "payment_entries" {
        key {
            /// identifier
            pub id: Uuid,
        }
        fixed {
            /// its batch
            pub batch: Uuid = "batch_id",
            /// the payroll, the deposit, or the group of contractor payments
            pub payroll: Uuid = "payroll_id",
            /// the employee, for pay and garnishments
            pub employee: Option<Uuid> = "employee_id",
            /// the contractor, for the pay of one
            pub contractor: Option<Uuid> = "contractor_id",
            /// the contractor's payment
            pub contractor_payment: Option<Uuid> = "contractor_payment_id",
            /// the account of the employee, the contractor or the employer; `None` for an agency's or the operator's
            pub account: Option<Uuid> = "account_id",
            /// the garnishment, for a payment to an agency
            pub garnishment: Option<Uuid> = "garnishment_id",
            /// checking or savings
            pub account_type: AccountType as text,
            /// sealed
            pub routing_number: Option<Vec<u8>> as secret,
            /// sealed
            pub account_number: Option<Vec<u8>> as secret,
            /// amount
            pub cents: i64,
            /// the originator's id for the receiver
            pub receiver: String,
            /// the receiver's name
            pub name: String,
            /// payment information, sealed
            pub addendum: Option<Vec<u8>> as secret,
            /// the entry that it reverses, pays again, presents again, refunds or funds
            pub replaces: Option<Uuid>,
        }
        fields {
            /// its position in the batch, from 1; `None` for one that is held
            pub place: Option<i64>,
            /// its state
            pub state: EntryState as text,
            /// the bank's return code
            pub code: Option<String>,
            /// when it was returned
            pub returned_on: Option<Date>,
            /// whether it is held although the employer was debited for it
            pub debited: bool,
        }
        times { created_at, updated_at }
        version
    }
}

/// The contents of a file header other than its time, stored with the file so that later settings do not change it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Heading {
    /// routing number of the bank
    pub bank_routing: String,
    /// the bank's name
    pub bank_name: String,
    /// the bank's id for the sender
    pub origin: String,
    /// the sender's name
    pub origin_name: String,
    /// the bank's id for the originator
    pub company_id: String,
    /// what receivers see instead of the employer's name
    pub company_name: Option<String>,
}

store::record! {
    /// A file for the bank.
    #[derive(Debug, Clone)]
    pub struct BankFile in "bank_files" {
        key {
            /// identifier
            pub id: Uuid,
        }
        fixed {
            /// its file name in the folder
            pub name: String,
            /// the day in California on which it was made
            pub day: Date,
            /// modifier that distinguishes files of one day
            pub modifier: String,
            /// the contents of its header
            pub header: Heading as json,
            /// creation time
            pub made: Timestamp,
            /// number of batches
            pub batches: i64,
            /// number of entries
            pub entries: i64,
            /// total debits, in cents
            pub debits: i64,
            /// total credits, in cents
            pub credits: i64,
            /// number of traces before its own
            pub first_trace: i64,
            /// its sequence number; 0 for files from before sequence numbers were stored
            pub place: i64,
        }
        fields {
            /// SHA-256 of its text, hexadecimal
            pub digest: String,
            /// its state
            pub state: FileState as text,
            /// the folder in which it was staged
            pub folder: Option<Uuid>,
            /// the attempt to stage it that counts
            pub attempt: Option<Uuid>,
            /// when it was given to the bank
            pub written_at: Option<Timestamp>,
            /// the state of the operator's command for it, if there is one
            pub pickup: Option<Pickup> as text,
            /// why the command has not taken it
            pub pickup_note: Option<String>,
        }
        times { created_at, updated_at }
        version
    }
}

store::statements! {
    records Batch, Entry, BankFile;
    OF_PAYROLL = store::text!(Batch::SELECT, " AND payroll_id = $2 ORDER BY id LIMIT $3");
    BATCH_ENTRIES = store::text!(Entry::SELECT, " AND batch_id = $2 AND place > $3 ORDER BY place LIMIT $4");
    PAYROLL_ENTRIES = store::text!(Entry::SELECT, " AND payroll_id = $2 ORDER BY id LIMIT $3 OFFSET $4");
    OF_PAYCHECK = store::text!("SELECT ", store::columns!(Entry, "e."), " FROM payment_entries e JOIN payment_batches b \
                  ON b.company_id = e.company_id AND b.id = e.batch_id WHERE e.company_id = $1 AND e.payroll_id = $2 AND e.employee_id = $3 \
                  AND (b.kind = 'pay' OR (b.kind = 'again' AND b.state <> 'void')) ORDER BY e.id");
    LEFT = "SELECT e.id FROM payment_entries e JOIN payment_batches b ON b.company_id = e.company_id AND b.id = e.batch_id \
            WHERE e.company_id = $1 AND e.payroll_id = $2 AND (b.kind = 'pay' OR (b.kind = 'again' AND b.state <> 'void')) \
            AND (e.state = 'sent' OR e.state = 'held' OR e.state = 'returned') LIMIT 1";
    // Across companies: what goes into a file, and what is in one.
    READY = store::text!("SELECT company_id, ", Batch::COLUMNS, " FROM payment_batches WHERE state = 'ready' AND due <= $1 \
            ORDER BY due, company_id, payroll_id, id LIMIT $2");
    HELD_OF = store::text!(Batch::SELECT, " AND state = 'held' ORDER BY id LIMIT $2");
    HELD = store::text!("SELECT company_id, ", Batch::COLUMNS, " FROM payment_batches WHERE state = 'held' \
           ORDER BY company_id, id LIMIT $1");
    OF_FILE = store::text!("SELECT company_id, ", Batch::COLUMNS, " FROM payment_batches WHERE file_id = $1 ORDER BY number LIMIT $2");
    BY_TRACE = store::text!("SELECT company_id, ", Batch::COLUMNS, " FROM payment_batches WHERE first_trace < $1 \
               AND first_trace + entries >= $1 ORDER BY updated_at DESC LIMIT 1");
    AT_PLACE = store::text!(Entry::SELECT, " AND batch_id = $2 AND place = $3");
    OPEN = "SELECT count(*) FROM payment_batches WHERE company_id = $1 \
            AND (state = 'preparing' OR state = 'ready' OR state = 'held')";
    UNFINISHED = store::text!(BankFile::SELECT, " AND (state = 'recorded' OR state = 'staged') ORDER BY id LIMIT $2");
    OF_DAY = store::text!(BankFile::SELECT, " AND day = $2 ORDER BY id LIMIT $3");
    LAST_FILE = store::text!(BankFile::SELECT, " ORDER BY place DESC, id DESC LIMIT 1");
    FILES = store::text!(BankFile::SELECT, " ORDER BY id DESC LIMIT $2 OFFSET $3");
}

impl Batch {
    /// Returns what its payments belong to.
    pub fn payment_subject(&self) -> Subject {
        Subject { id: self.payroll, purpose: self.purpose, day: self.check_date }
    }
}

/// A batch with its company.
#[derive(Debug, Clone)]
pub struct OfCompany {
    /// the company
    pub company: Uuid,
    /// the batch
    pub batch: Batch,
}

fn of_company(row: &Row<'_>) -> Result<OfCompany, store::Error> {
    let company = Cursor::new(row, Batch::TABLE, 0).read_plain("company_id")?;
    Ok(OfCompany { company, batch: Batch::read_from(row, 1)? })
}

/// Returns the batches of a payroll, a deposit or a group of contractor payments, oldest first.
pub fn of_payroll(tx: &mut Tx<'_>, company: Uuid, payroll: Uuid) -> Result<Vec<Batch>, Error> {
    Ok(tx.try_query_all(OF_PAYROLL, params![company, payroll], MOST_TOGETHER, Batch::read)?)
}

/// Returns batches of all companies that may go into a file, at most `most`.
pub fn ready_batches(tx: &mut Tx<'_>, most: i64) -> Result<Vec<OfCompany>, Error> {
    let now = tx.now();
    Ok(tx.try_query(READY, params![now, most], of_company)?)
}

/// Returns the number of a company's batches that are not in a file yet but may go into one.
pub fn count_open(tx: &mut Tx<'_>, company: Uuid) -> Result<i64, Error> {
    Ok(tx.find_row(OPEN, params![company], |row| row.get::<i64>(0))?.unwrap_or(0))
}

/// Returns batches of all companies that wait for the operator, at most `most`.
pub fn held_batches(tx: &mut Tx<'_>, most: i64) -> Result<Vec<OfCompany>, Error> {
    Ok(tx.try_query(HELD, params![most], of_company)?)
}

/// Returns the batches of a company that wait for the operator.
pub fn held_of(tx: &mut Tx<'_>, company: Uuid) -> Result<Vec<Batch>, Error> {
    Ok(tx.try_query_all(HELD_OF, params![company], MOST_TOGETHER, Batch::read)?)
}

/// Returns the batches of a file, in order.
pub fn of_file(tx: &mut Tx<'_>, file: Uuid) -> Result<Vec<OfCompany>, Error> {
    Ok(tx.try_query_all(OF_FILE, params![file], MOST_TOGETHER, of_company)?)
}

/// Returns the newest entry with a number among the originator's traces.
pub fn by_trace(tx: &mut Tx<'_>, number: i64) -> Result<Option<(OfCompany, Entry)>, Error> {
    let Some(found) = tx.try_find(BY_TRACE, params![number], of_company)? else { return Ok(None) };
    let place = number - found.batch.first_trace.unwrap_or(0);
    let entry = tx.try_find(AT_PLACE, params![found.company, found.batch.id, place], Entry::read)?;
    Ok(entry.map(|entry| (found, entry)))
}

/// Returns entries of a batch after a position, in order.
pub fn entries_after(
    tx: &mut Tx<'_>,
    company: Uuid,
    batch: Uuid,
    after: i64,
    most: i64,
) -> Result<Vec<Entry>, Error> {
    Ok(tx.try_query(BATCH_ENTRIES, params![company, batch, after, most], Entry::read)?)
}

/// Returns the first entry of a batch.
pub fn first_entry(tx: &mut Tx<'_>, company: Uuid, batch: &Batch) -> Result<Option<Entry>, Error> {
    Ok(entries_after(tx, company, batch.id, 0, 1)?.into_iter().next())
}

/// Returns the entry that the payment of a batch follows: one that was returned, held or reversed.
pub fn followed_entry(tx: &mut Tx<'_>, company: Uuid, batch: &Batch) -> Result<Option<Entry>, Error> {
    match first_entry(tx, company, batch)?.and_then(|entry| entry.replaces) {
        Some(before) => Ok(Entry::find(tx, company, before)?),
        None => Ok(None),
    }
}

/// Returns a page of the entries of a payroll, including held ones.
pub fn entries_of_payroll(
    tx: &mut Tx<'_>,
    company: Uuid,
    payroll: Uuid,
    page: Page,
) -> Result<Vec<Entry>, Error> {
    let (limit, offset) = page.limit_and_offset();
    Ok(tx.try_query(PAYROLL_ENTRIES, params![company, payroll, limit, offset], Entry::read)?)
}

/// Returns the payments of an employee's net pay in a payroll, including those that follow others.
pub fn of_paycheck(
    tx: &mut Tx<'_>,
    company: Uuid,
    payroll: Uuid,
    employee: Uuid,
) -> Result<Vec<Entry>, Error> {
    Ok(tx.try_query(OF_PAYCHECK, params![company, payroll, employee], Entry::read)?)
}

/// Whether net pay of a payroll was paid to an account, or may still be, and was not reversed.
pub fn any_pay_left(tx: &mut Tx<'_>, company: Uuid, payroll: Uuid) -> Result<bool, Error> {
    Ok(tx.find_row(LEFT, params![company, payroll], |_| ())?.is_some())
}

/// Returns the files in progress, oldest first.
pub fn unfinished_files(tx: &mut Tx<'_>) -> Result<Vec<BankFile>, Error> {
    Ok(tx.try_query_all(UNFINISHED, params![OPERATOR], MOST_TOGETHER, BankFile::read)?)
}

/// Returns the files of a day.
pub fn files_of_day(tx: &mut Tx<'_>, day: Date) -> Result<Vec<BankFile>, Error> {
    Ok(tx.try_query_all(OF_DAY, params![OPERATOR, day], MOST_TOGETHER, BankFile::read)?)
}

/// Returns the file that was made last.
pub fn last_file(tx: &mut Tx<'_>) -> Result<Option<BankFile>, Error> {
    Ok(tx.try_find(LAST_FILE, params![OPERATOR], BankFile::read)?)
}

/// Returns files, newest first.
pub fn list_files(tx: &mut Tx<'_>, most: i64, offset: i64) -> Result<Vec<BankFile>, Error> {
    Ok(tx.try_query(FILES, params![OPERATOR, most, offset], BankFile::read)?)
}

/// Returns a file.
///
/// # Errors
/// "Not found"; a store error.
pub fn find_file(tx: &mut Tx<'_>, id: Uuid) -> Result<BankFile, Error> {
    BankFile::find(tx, OPERATOR, id)?.ok_or(Error::NotFound)
}

/// Takes the guard under which a payroll's batches and entries are changed.
pub fn lock_payroll_batches(tx: &mut Tx<'_>, company: Uuid, payroll: Uuid) -> Result<(), Error> {
    Ok(tx.take_guard(company, Batch::TABLE, payroll)?)
}
