//! Payments of contractors: the entries of a group, made once it can no longer be cancelled, and what becomes of them.
//!
//! They are filed, returned, paid again and reversed like pay of employees. Each payment is posted by itself: it is paid in the books once the bank
//! has its file ([`settle`]), and what is held stays owed.

use rules::Named as _;
use rules::contractor::ContractorType;
use serde_json::json;
use store::record::Cursor;
use store::{Row, Store, Tx, params};
use uuid::Uuid;

use super::again::{self, Why};
use super::prepare::{add, new_batch, new_entry, release_all, save};
use super::purpose::Subject;
use super::rows::{self, Batch, BatchState, Entry, EntryState, FileState, Holders, Kind};
use super::{corrections, settings};
use crate::access::tokens::Caller;
use crate::company::companies;
use crate::contractors::accounts::rows::{self as accounts, BankAccount};
use crate::contractors::payments::rows as payments;
use crate::contractors::payments::rows::{Group, Method, Payment};
use crate::contractors::payments::service;
use crate::contractors::records::rows::Contractor;
use crate::error::Error;
use crate::events;
use crate::pay::books::Account;
use crate::pay::books::liabilities;
use crate::pay::books::rows::{self as books, LiabilityPayment};
use crate::platform::audit;
use crate::platform::hooks::{self, ContractorAspect};

store::statements! {
    // Where the payments of a group stand. A payment follows another one when that came back, or was held.
    MADE = "SELECT e.contractor_payment_id, e.state, e.place, f.state FROM payment_entries e \
            JOIN payment_batches b ON b.company_id = e.company_id AND b.id = e.batch_id \
            LEFT JOIN bank_files f ON f.company_id = $3 AND f.id = b.file_id WHERE e.company_id = $1 AND e.payroll_id = $2 \
            AND e.contractor_payment_id IS NOT NULL AND (b.kind = 'pay' OR b.kind = 'again') AND b.state <> 'void' ORDER BY e.id";
}

/// Payments made in one unit.
const AT_ONCE: i64 = 100;

/// Makes the entries of a group, and releases held ones; no-op for a group that was cancelled.
///
/// # Errors
/// A store error.
pub async fn prepare(store: &Store, company: Uuid, group: Uuid) -> Result<(), Error> {
    while store.write(move |tx| some(tx, company, group)).await? {}
    store.write(move |tx| finish(tx, company, group)).await?;
    store.write(move |tx| settle(tx, company, group)).await
}

/// Returns the group, unless it was cancelled, or is not paid through the bank.
fn payable(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<Option<Group>, Error> {
    let found = Group::find(tx, company, id)?;
    Ok(found.filter(|group| group.cancelled_at.is_none() && group.by_bank))
}

/// Makes some entries; returns whether there may be more.
fn some(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<bool, Error> {
    rows::guard(tx, company, id)?;
    let Some(group) = payable(tx, company, id)? else { return Ok(false) };
    if settings::find(tx)?.is_none() {
        return Ok(false);
    }
    let subject = Subject::contractors(id, group.check_date);
    let mut made = rows::of_payroll(tx, company, id)?;
    let Some(mut people) = take(tx, company, subject, (&mut made, Holders::People))? else {
        return Ok(false);
    };
    let reached = people.prepared_to.unwrap_or(Uuid::nil());
    let some = payments::after(tx, company, (id, reached), AT_ONCE)?;
    let Some(last) = some.last() else { return Ok(false) };
    let Some(mut businesses) = take(tx, company, subject, (&mut made, Holders::Organizations))? else {
        return Ok(false);
    };
    people.prepared_to = Some(last.id);
    for payment in some.iter().filter(|one| one.goes_to_account()) {
        let contractor = Contractor::find(tx, company, payment.contractor)?.ok_or(Error::NotFound)?;
        let batch = match contractor.kind {
            ContractorType::Individual => &mut people,
            ContractorType::Business => &mut businesses,
        };
        pay(tx, company, batch, (payment, &contractor))?;
    }
    save(tx, company, &people)?;
    save(tx, company, &businesses)?;
    Ok(true)
}

/// Returns the batch for accounts of people or of organizations that is being prepared, created if missing; `None` once it is prepared.
fn take(
    tx: &mut Tx<'_>,
    company: Uuid,
    subject: Subject,
    (made, holders): (&mut Vec<Batch>, Holders),
) -> Result<Option<Batch>, Error> {
    let is_it = |batch: &Batch| batch.kind == Kind::Pay && batch.holders == holders;
    if let Some(at) = made.iter().position(is_it) {
        let batch = made.swap_remove(at);
        return Ok((batch.state == BatchState::Preparing).then_some(batch));
    }
    let batch = Batch { holders, ..new_batch(tx, subject, Kind::Pay) };
    batch.insert(tx, company)?;
    Ok(Some(batch))
}

/// Adds a payment to a batch. Without an account it is held, and if the last payment to the account was returned, it is paid by check.
fn pay(
    tx: &mut Tx<'_>,
    company: Uuid,
    batch: &mut Batch,
    (payment, contractor): (&Payment, &Contractor),
) -> Result<(), Error> {
    let cents = payment.net().cents_half_up();
    let mut entry = new_entry(tx, batch, cents, &contractor.name());
    (entry.contractor, entry.contractor_payment) = (Some(contractor.id), Some(payment.id));
    match accounts::of(tx, company, contractor.id)? {
        None => add(tx, company, batch, entry),
        Some(account) if account.returned_code.is_some() => {
            entry.account = Some(account.id);
            again::by_check_at_once(tx, company, entry)
        }
        Some(account) => {
            address(tx, company, &mut entry, &account)?;
            add(tx, company, batch, entry)
        }
    }
}

/// Gives an entry the account of its contractor.
pub(super) fn address(
    tx: &mut Tx<'_>,
    company: Uuid,
    entry: &mut Entry,
    account: &BankAccount,
) -> Result<(), Error> {
    (entry.account, entry.account_type) = (Some(account.id), account.account_type);
    let (routing, number) = (account.routing_number(tx, company)?, account.account_number(tx, company)?);
    entry.seal(tx, company, (&routing, &number), None)
}

/// Adds the debit, and releases the batches for a file.
fn finish(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<(), Error> {
    rows::guard(tx, company, id)?;
    let Some(group) = payable(tx, company, id)? else { return Ok(()) };
    let _nothing_may_be_left = release_all(tx, company, Subject::contractors(id, group.check_date))?;
    Ok(())
}

/// Records which payments of a group are made by now: those in a file that the bank has, those paid by check instead, those by check on the check
/// date, and, without a bank, all on the check date. The partner reports its own.
///
/// # Errors
/// A store error.
pub fn settle(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<(), Error> {
    payments::guard(tx, company, id)?;
    let Some(group) = Group::find(tx, company, id)?.filter(|group| group.cancelled_at.is_none()) else {
        return Ok(());
    };
    let today = tx.now().to_zoned(companies::time_zone(tx, company)?).date();
    let has_come = today >= group.check_date;
    let entries = tx.try_query(MADE, params![company, id, settings::OPERATOR], standing)?;
    let mut made = Vec::new();
    for payment in payments::of_group(tx, company, id)? {
        // The last entry of a payment says where it stands: one that follows another comes after it.
        let last = entries.iter().rfind(|(of, _)| *of == payment.id).map(|(_, made)| *made);
        let is_made = match (payment.method, last) {
            (Method::Historical, _) => true,
            (Method::Check, _) => has_come,
            (Method::DirectDeposit, Some(made)) => made,
            (Method::DirectDeposit, None) => has_come && !group.by_bank && !group.partner_pays,
        };
        if is_made {
            made.push(payment);
        }
    }
    service::made(tx, company, made)
}

/// Reads a payment of a contractor, and whether an entry made it.
fn standing(row: &Row<'_>) -> Result<(Uuid, bool), store::Error> {
    let mut next = Cursor::new(row, Entry::TABLE, 0);
    let payment = next.plain("contractor_payment_id")?;
    let state = next.text("state", EntryState::parse)?;
    let place: Option<i64> = next.plain("place")?;
    let file = next.text_or_null("file state", FileState::parse)?;
    let is_written = place.is_some() && file == Some(FileState::Written);
    Ok((payment, is_written || state == EntryState::Replaced))
}

/// Records on a contractor's account that a payment to it was returned, unless its numbers have changed since.
pub(super) fn flag(tx: &mut Tx<'_>, caller: &Caller, entry: &Entry, code: &str) -> Result<(), Error> {
    let company = caller.company;
    let (Some(contractor), Some(account)) = (entry.contractor, entry.account) else { return Ok(()) };
    tx.guard(company, "contractor", contractor)?;
    let Some(mut account) = accounts::account(tx, company, account)? else { return Ok(()) };
    let numbers = (account.routing_number(tx, company)?, account.account_number(tx, company)?);
    if !corrections::is_still(tx, company, entry, (&numbers.0, &numbers.1))? {
        return Ok(());
    }
    account.returned_code = Some(code.to_owned());
    account.returned_at = Some(tx.now());
    assert!(account.update(tx, company)?, "the row was read under its guard");
    audit::record(
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

/// Reverses a payment that the bank has. If it was not owed, it is void; otherwise the contractor is owed it until it is recorded how it was paid.
pub(super) fn reverse(tx: &mut Tx<'_>, caller: &Caller, id: Uuid, why: &Why) -> Result<(), Error> {
    let company = caller.company;
    let found = Entry::find(tx, company, id)?.ok_or(Error::NotFound)?;
    payments::guard(tx, company, found.payroll)?;
    let (batch, entry) = again::guarded(tx, company, id)?;
    let payment = entry.contractor_payment.ok_or(Error::NotFound)?;
    let cents = entry.cents;
    let name = entry.name.clone();
    again::debit_back(tx, caller, entry)?;
    if why.category.is_void() {
        service::void(tx, caller, payment)?;
    } else {
        note(tx, company, (&batch, &name), (-cents, "Pay that was reversed"))?;
    }
    let told = json!({ "category": why.category.as_str(), "reason": why.reason, "cents": cents });
    audit::record(tx, caller, "reversed", (Payment::TABLE, payment), &told)
}

/// Records that a payment could not be taken back after all.
pub(super) fn left_with(
    tx: &mut Tx<'_>,
    company: Uuid,
    (batch, entry): (&Batch, &Entry),
) -> Result<(), Error> {
    note(tx, company, (batch, &entry.name), (entry.cents, "Pay whose reversal was given up"))
}

/// Posts a payment of what a contractor is owed; negative for one that was taken back.
fn note(
    tx: &mut Tx<'_>,
    company: Uuid,
    (batch, name): (&Batch, &str),
    (cents, what): (i64, &str),
) -> Result<(), Error> {
    liabilities::guard(tx, company)?;
    let caller = Caller::service(company, companies::time_zone(tx, company)?);
    let new = LiabilityPayment {
        id: tx.new_id(),
        account: Account::ContractorsPayable,
        agency: String::new(),
        code: String::new(),
        name: name.to_owned(),
        cents,
        paid_on: caller.today(tx),
        memo: Some(format!("{what}: contractors of {}", batch.check_date)),
        created_at: tx.now(),
    };
    books::pay(tx, company, &new)
}
