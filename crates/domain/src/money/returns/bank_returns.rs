//! Bank returns: returned payments and notifications of change, matched by trace number.
//!
//! Each record is processed once, identified by the file's digest and its number in the file, so that a file can be read again after a
//! crash. Records that match no payment, or cannot be read, are stored as unknown; nothing is discarded.

use ach::back::{Back, What, read_back};
use rules::Named;
use serde_json::json;
use store::{Store, Tx, params};
use strum::{EnumString, IntoStaticStr, VariantArray};
use uuid::Uuid;

use super::{corrections, recovery, voids};
use crate::access::tokens::Caller;
use crate::company::companies;
use crate::contractors::accounts::rows::{self as of_contractors, BankAccount};
use crate::error::Error;
use crate::events;
use crate::money::bank::settings::OPERATOR;
use crate::money::batches::{contractors, net_pay, support, taxes, transit};
use crate::money::files::compose;
use crate::money::ledger::purpose::Purpose;
use crate::money::ledger::rows::{self, Batch, BatchKind, Entry, EntryState, OfCompany};
use crate::people::payment_methods::rows as accounts;
use crate::platform::audit;
use crate::platform::hooks::{self, ContractorAspect, EmployeeAspect};

/// The result of processing a record of the bank's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum BankReturnState {
    /// a payment was returned
    #[strum(serialize = "returned")]
    Returned,
    /// a correction of an account was requested, which has yet to be decided
    #[strum(serialize = "correction")]
    Correction,
    /// it concerns a known payment and changes nothing
    #[strum(serialize = "noted")]
    Noted,
    /// it matches no payment, or cannot be read
    #[strum(serialize = "unknown")]
    Unknown,
}

store::record! {
    /// A record of a file that the bank sent.
    #[derive(Debug, Clone)]
    pub struct BankReturn in "bank_returns" {
        key {
            /// SHA-256 of the file, hexadecimal
            pub digest: String = "file_digest",
            /// number of the record in the file, from 1
            pub record: i64,
        }
        fixed {
            /// trace number of the payment that it concerns, or of the record; empty if it names none
            pub trace: String,
            /// R01 to R85, or C01 to C14
            pub code: Option<String>,
            /// amount of the record, in cents
            pub cents: i64,
            /// the result
            pub state: BankReturnState as text,
            /// why it is unknown or cannot be read, or what remains to be done about it
            pub why: Option<String>,
            /// the company of the payment
            pub entry_company: Option<Uuid>,
            /// the payment
            pub entry: Option<Uuid> = "entry_id",
        }
        times { created_at }
    }
}

store::statements! {
    records BankReturn;
    NEWEST = store::text!(BankReturn::SELECT, " ORDER BY created_at DESC, file_digest, record LIMIT $2 OFFSET $3");
    IN_STATE = store::text!(BankReturn::SELECT, " AND state = $2 ORDER BY created_at DESC, file_digest, record LIMIT $3 OFFSET $4");
}

/// Counts of the records read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Report {
    /// returned payments
    pub returned: usize,
    /// corrections of accounts
    pub corrections: usize,
    /// records without effect
    pub noted: usize,
    /// records that match no payment or cannot be read
    pub unknown: usize,
    /// records that had already been processed
    pub before: usize,
}

/// Processes a file that the bank sent. What cannot be read is kept as unknown, and keeps nothing else from being processed.
///
/// # Errors
/// It is no ACH file at all, in one line; a store error.
pub async fn process_bank_file(store: &Store, file: &[u8]) -> Result<Report, Error> {
    let digest = compose::sha256_hex(file);
    let sent = read_back(file).map_err(|error| Error::Unreadable(error.to_string()))?;
    let mut report = Report::default();
    for back in sent.known {
        let digest = digest.clone();
        let state = store.write(move |tx| take_one(tx, &digest, &back)).await?;
        report.count_record(state);
    }
    for kept in sent.kept {
        let row = BankReturn {
            digest: digest.clone(),
            record: saturating_i64(kept.record),
            trace: kept.trace,
            code: None,
            cents: saturating_i64(kept.cents),
            state: BankReturnState::Unknown,
            why: Some(kept.why),
            entry_company: None,
            entry: None,
        };
        let state = store.write(move |tx| store_record(tx, &row)).await?;
        report.count_record(state);
    }
    Ok(report)
}

impl Report {
    fn count_record(&mut self, state: Option<BankReturnState>) {
        let counter = match state {
            None => &mut self.before,
            Some(BankReturnState::Returned) => &mut self.returned,
            Some(BankReturnState::Correction) => &mut self.corrections,
            Some(BankReturnState::Noted) => &mut self.noted,
            Some(BankReturnState::Unknown) => &mut self.unknown,
        };
        *counter += 1;
    }
}

fn saturating_i64<T: TryInto<i64>>(number: T) -> i64 {
    number.try_into().unwrap_or(i64::MAX)
}

/// Stores the result of a record; returns `None` if it had already been processed.
fn store_record(tx: &mut Tx<'_>, row: &BankReturn) -> Result<Option<BankReturnState>, Error> {
    tx.take_guard(OPERATOR, BankReturn::TABLE, OPERATOR)?;
    if BankReturn::find(tx, OPERATOR, row.digest.clone(), row.record)?.is_some() {
        return Ok(None);
    }
    row.insert(tx, OPERATOR)?;
    Ok(Some(row.state))
}

fn take_one(tx: &mut Tx<'_>, digest: &str, back: &Back) -> Result<Option<BankReturnState>, Error> {
    tx.take_guard(OPERATOR, BankReturn::TABLE, OPERATOR)?;
    if BankReturn::find(tx, OPERATOR, digest.to_owned(), saturating_i64(back.record))?.is_some() {
        return Ok(None);
    }
    let code = match &back.what {
        What::Return { code, .. } | What::Change { code, .. } => code.clone(),
    };
    let mut row = BankReturn {
        digest: digest.to_owned(),
        record: saturating_i64(back.record),
        trace: back.original_trace.clone(),
        code: Some(code.clone()),
        cents: saturating_i64(back.cents),
        state: BankReturnState::Unknown,
        why: None,
        entry_company: None,
        entry: None,
    };
    match find_payment(tx, back)? {
        Err(why) => row.why = Some(why.to_owned()),
        Ok((of, entry)) => {
            (row.entry_company, row.entry) = (Some(of.company), Some(entry.id));
            row.state = match &back.what {
                What::Return { .. } => record_return(tx, &of, entry, &code)?,
                What::Change { correction, .. } => {
                    let noted = corrections::record_correction(tx, of.company, &entry, (&code, correction))?;
                    if !noted && entry.account.is_none() {
                        row.why = Some(corrections::OF_OTHERS.to_owned());
                    }
                    if noted { BankReturnState::Correction } else { BankReturnState::Noted }
                }
            };
        }
    }
    row.insert(tx, OPERATOR)?;
    Ok(Some(row.state))
}

type Found = Result<(OfCompany, Entry), &'static str>;

/// Returns the payment that a record refers to, or why no payment matches.
fn find_payment(tx: &mut Tx<'_>, back: &Back) -> Result<Found, Error> {
    let (bank, place) = back.original_trace.split_at(8);
    let Ok(place) = place.parse::<i64>() else { return Ok(Err("its trace number is not a number")) };
    let Some((of, entry)) = rows::by_trace(tx, place)? else {
        return Ok(Err("no payment has its trace number"));
    };
    let file = match of.batch.file {
        Some(file) => Some(rows::find_file(tx, file)?),
        None => None,
    };
    if !file.is_some_and(|file| file.header.bank_routing.starts_with(bank)) {
        return Ok(Err("its trace number belongs to another bank"));
    }
    let is_return = matches!(back.what, What::Return { .. });
    if is_return && saturating_i64::<u64>(back.cents) != entry.cents {
        return Ok(Err("its amount differs from that of the payment with its trace number"));
    }
    Ok(Ok((of, entry)))
}

/// Records the return of a payment: its amount is held, and the employee's account is no longer paid. The debit of a company has to be
/// recovered; a tax deposit or child support is owed to the agency again.
fn record_return(
    tx: &mut Tx<'_>,
    of: &OfCompany,
    entry: Entry,
    code: &str,
) -> Result<BankReturnState, Error> {
    let company = of.company;
    rows::lock_payroll_batches(tx, company, entry.payroll)?;
    let mut entry = Entry::find(tx, company, entry.id)?.ok_or(Error::NotFound)?;
    if entry.code.is_some() {
        return Ok(BankReturnState::Noted);
    }
    let caller = Caller::for_service(company, companies::time_zone(tx, company)?);
    entry.state = EntryState::Returned;
    (entry.code, entry.returned_on) = (Some(code.to_owned()), Some(caller.today(tx)));
    assert!(entry.update(tx, company)?, "the row was read under its guard");
    audit::record_audit_entry(tx, &caller, "returned", (Entry::TABLE, entry.id), &json!({ "code": code }))?;
    if is_pay(&of.batch) {
        flag_account(tx, &caller, &entry, code)?;
        let settled = voids::came_back(tx, company, &of.batch, entry.clone())?;
        match of.batch.purpose {
            Purpose::Contractors => contractors::record_return(tx, company, &of.batch, &entry)?,
            Purpose::Payroll if !settled => {
                net_pay::record_returned_pay(tx, company, &of.batch, entry.cents)?
            }
            Purpose::Payroll | Purpose::TaxDeposit => {}
        }
    }
    match of.batch.kind {
        BatchKind::Tax => taxes::record_deposit_return(tx, &caller, of.batch.payroll, code)?,
        BatchKind::Support | BatchKind::SupportAgain => {
            support::record_support_return(tx, &caller, &of.batch, &entry)?
        }
        _ => {}
    }
    if matches!(of.batch.kind, BatchKind::Debit | BatchKind::TaxDebit | BatchKind::Redebit)
        && entry.account.is_some()
    {
        let what = (-entry.cents, "Debit of the bank account that was returned");
        transit::moved_today(tx, company, of.batch.payment_subject(), what)?;
        recovery::open_case(tx, &caller, &of.batch, code)?;
    }
    Ok(BankReturnState::Returned)
}

fn is_pay(batch: &Batch) -> bool {
    matches!(batch.kind, BatchKind::Pay | BatchKind::Again)
}

/// Records on the employee's or contractor's account that a payment to it was returned. The partner gets an event for the account.
fn flag_account(tx: &mut Tx<'_>, caller: &Caller, entry: &Entry, code: &str) -> Result<(), Error> {
    if entry.contractor.is_some() {
        return flag_contractor(tx, caller, entry, code);
    }
    let (Some(employee), Some(account)) = (entry.employee, entry.account) else { return Ok(()) };
    tx.take_guard(caller.company, "employee", employee)?;
    let held = accounts::employee_accounts(tx, caller.company, employee)?;
    let Some(mut account) = held.into_iter().find(|one| one.id == account) else { return Ok(()) };
    // Its numbers may have changed since, and the bank has said nothing about the new ones.
    let company = caller.company;
    let numbers = (account.routing_number(tx, company)?, account.account_number(tx, company)?);
    if !corrections::is_still(tx, company, entry, (&numbers.0, &numbers.1))? {
        return Ok(());
    }
    let before = account.returned_code.replace(code.to_owned());
    account.returned_at = Some(tx.now());
    assert!(account.update(tx, caller.company)?, "the row was read under its guard");
    let told = json!({ "returned_code": code });
    audit::record_audit_entry(tx, caller, "updated", ("employee_bank_accounts", account.id), &told)?;
    events::emit_of_employee(tx, caller.company, events::BANK_ACCOUNT_UPDATED, account.id, employee)?;
    if before.is_some() {
        return Ok(());
    }
    // Payrolls that are calculated and not submitted pay another way now.
    hooks::employee_changed(tx, caller, employee, EmployeeAspect::PaymentMethod)?;
    let event = events::NOTIFICATION_RETURNED_ACCOUNT_CREATED;
    events::emit_of_employee(tx, caller.company, event, account.id, employee)
}

/// Records on a contractor's account that a payment to it was returned, unless its numbers have changed since.
fn flag_contractor(tx: &mut Tx<'_>, caller: &Caller, entry: &Entry, code: &str) -> Result<(), Error> {
    let company = caller.company;
    let (Some(contractor), Some(account)) = (entry.contractor, entry.account) else { return Ok(()) };
    tx.take_guard(company, "contractor", contractor)?;
    let Some(mut account) = of_contractors::find_account(tx, company, account)? else { return Ok(()) };
    let numbers = (account.routing_number(tx, company)?, account.account_number(tx, company)?);
    if !corrections::is_still(tx, company, entry, (&numbers.0, &numbers.1))? {
        return Ok(());
    }
    account.returned_code = Some(code.to_owned());
    account.returned_at = Some(tx.now());
    assert!(account.update(tx, company)?, "the row was read under its guard");
    audit::record_audit_entry(
        tx,
        caller,
        "updated",
        (BankAccount::TABLE, account.id),
        &json!({ "returned_code": code }),
    )?;
    let event = events::CONTRACTOR_BANK_ACCOUNT_UPDATED;
    events::emit_of_contractor(tx, company, event, account.id, contractor)?;
    hooks::contractor_changed(tx, caller, contractor, ContractorAspect::PaymentMethod)
}

/// Returns a page of the bank's records, newest first; optionally only those that match no payment.
pub fn list_bank_returns(
    tx: &mut Tx<'_>,
    unknown: bool,
    (most, offset): (i64, i64),
) -> Result<Vec<BankReturn>, Error> {
    if unknown {
        let state = BankReturnState::Unknown.as_str();
        return Ok(tx.try_query(IN_STATE, params![OPERATOR, state, most, offset], BankReturn::read)?);
    }
    Ok(tx.try_query(NEWEST, params![OPERATOR, most, offset], BankReturn::read)?)
}
