//! Payments of contractors: the entries of a group, made once it can no longer be cancelled, and what becomes of them.
//!
//! They are filed, returned, paid again and reversed like pay of employees. Each payment is posted by itself: it is paid in the books once the bank
//! has its file ([`settle_group`]), and what is held stays owed.

use jiff::civil::Date;
use rules::Named as _;
use rules::contractor::ContractorType;
use store::record::Cursor;
use store::{Row, Store, Tx, params};
use uuid::Uuid;

use super::followers;
use super::lifecycle::{add_entry, new_batch, new_entry, save_batch};
use super::releases::release_all;
use super::transit;
use crate::access::tokens::Caller;
use crate::company::companies;
use crate::contractors::accounts::rows::{self as accounts, BankAccount};
use crate::contractors::payments::rows::{self as payments, Group, Method, Payment};
use crate::contractors::payments::service;
use crate::contractors::records::rows::Contractor;
use crate::error::Error;
use crate::money::bank::settings;
use crate::money::ledger::bank_files::NotWritten;
use crate::money::ledger::purpose::Subject;
use crate::money::ledger::rows::{self, Batch, BatchKind, BatchState, Entry, EntryState, Holders};
use crate::pay::books::liabilities;
use crate::pay::books::rows::{self as books, LiabilityPayment, Owed};
use crate::platform::jobs;

store::statements! {
    // Where the payments of a group stand. A payment follows another one when that came back, or was held.
    MADE = "SELECT e.contractor_payment_id, e.state, e.place, b.file_id FROM payment_entries e \
            JOIN payment_batches b ON b.company_id = e.company_id AND b.id = e.batch_id WHERE e.company_id = $1 AND e.payroll_id = $2 \
            AND e.contractor_payment_id IS NOT NULL AND (b.kind = 'pay' OR b.kind = 'again') AND b.state <> 'void' ORDER BY e.id";
}

/// Payments made in one unit.
const AT_ONCE: i64 = 100;

/// Makes the entries of a group, and releases held ones; no-op for a group that was cancelled.
pub async fn prepare_group_payments(store: &Store, company: Uuid, group: Uuid) -> Result<(), Error> {
    while store.write(move |tx| prepare_some_entries(tx, company, group)).await? {}
    store.write(move |tx| finish_batches(tx, company, group)).await?;
    store.write(move |tx| settle_group(tx, company, group)).await
}

/// Returns the group, unless it was cancelled, or is not paid through the bank.
fn find_payable_group(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<Option<Group>, Error> {
    let found = Group::find(tx, company, id)?;
    Ok(found.filter(|group| group.cancelled_at.is_none() && group.by_bank))
}

/// Makes some entries; returns whether there may be more.
fn prepare_some_entries(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<bool, Error> {
    rows::lock_payroll_batches(tx, company, id)?;
    let Some(group) = find_payable_group(tx, company, id)? else { return Ok(false) };
    if settings::find_settings(tx)?.is_none() {
        return Ok(false);
    }
    let subject = Subject::of_contractors(id, group.check_date);
    let mut made = rows::of_payroll(tx, company, id)?;
    let Some(mut people) = preparing_batch(tx, company, subject, (&mut made, Holders::People))? else {
        return Ok(false);
    };
    let reached = people.prepared_to.unwrap_or(Uuid::nil());
    let some = payments::payments_after(tx, company, (id, reached), AT_ONCE)?;
    let Some(last) = some.last() else { return Ok(false) };
    let Some(mut businesses) = preparing_batch(tx, company, subject, (&mut made, Holders::Organizations))?
    else {
        return Ok(false);
    };
    people.prepared_to = Some(last.id);
    for payment in some.iter().filter(|one| one.goes_to_account()) {
        let contractor = Contractor::find(tx, company, payment.contractor)?.ok_or(Error::NotFound)?;
        let batch = match contractor.kind {
            ContractorType::Individual => &mut people,
            ContractorType::Business => &mut businesses,
        };
        add_payment(tx, company, batch, (payment, &contractor))?;
    }
    save_batch(tx, company, &people)?;
    save_batch(tx, company, &businesses)?;
    Ok(true)
}

/// Returns the batch for accounts of people or of organizations that is being prepared, created if missing; `None` once it is prepared.
fn preparing_batch(
    tx: &mut Tx<'_>,
    company: Uuid,
    subject: Subject,
    (made, holders): (&mut Vec<Batch>, Holders),
) -> Result<Option<Batch>, Error> {
    let is_it = |batch: &Batch| batch.kind == BatchKind::Pay && batch.holders == holders;
    if let Some(at) = made.iter().position(is_it) {
        let batch = made.swap_remove(at);
        return Ok((batch.state == BatchState::Preparing).then_some(batch));
    }
    let batch = Batch { holders, ..new_batch(tx, subject, BatchKind::Pay) };
    batch.insert(tx, company)?;
    Ok(Some(batch))
}

/// Adds a payment to a batch. Without an account it is held, and if the last payment to the account was returned, it is paid by check.
fn add_payment(
    tx: &mut Tx<'_>,
    company: Uuid,
    batch: &mut Batch,
    (payment, contractor): (&Payment, &Contractor),
) -> Result<(), Error> {
    let cents = payment.net().cents_half_up();
    let mut entry = new_entry(tx, batch, cents, &contractor.name());
    (entry.contractor, entry.contractor_payment) = (Some(contractor.id), Some(payment.id));
    match accounts::account_of_contractor(tx, company, contractor.id)? {
        None => add_entry(tx, company, batch, entry),
        Some(account) if account.returned_code.is_some() => {
            entry.account = Some(account.id);
            followers::by_check_at_once(tx, company, entry)
        }
        Some(account) => {
            address_entry(tx, company, &mut entry, &account)?;
            add_entry(tx, company, batch, entry)
        }
    }
}

/// Gives an entry the account of its contractor.
pub(in crate::money) fn address_entry(
    tx: &mut Tx<'_>,
    company: Uuid,
    entry: &mut Entry,
    account: &BankAccount,
) -> Result<(), Error> {
    (entry.account, entry.account_type) = (Some(account.id), account.account_type);
    let (routing, number) = (account.routing_number(tx, company)?, account.account_number(tx, company)?);
    entry.seal_fields(tx, company, (&routing, &number), None)
}

/// Adds the debit, and releases the batches for a file.
fn finish_batches(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<(), Error> {
    rows::lock_payroll_batches(tx, company, id)?;
    let Some(group) = find_payable_group(tx, company, id)? else { return Ok(()) };
    let _nothing_may_be_left = release_all(tx, company, Subject::of_contractors(id, group.check_date))?;
    Ok(())
}

/// Records which payments of a group are made by now: those in a file that the bank has, those paid by check instead, those by check on the check
/// date, and, without a bank, all on the check date. The partner reports its own.
pub fn settle_group(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<(), Error> {
    payments::lock_group(tx, company, id)?;
    let Some(group) = Group::find(tx, company, id)?.filter(|group| group.cancelled_at.is_none()) else {
        return Ok(());
    };
    let today = tx.now().to_zoned(companies::time_zone(tx, company)?).date();
    let has_come = today >= group.check_date;
    let files = NotWritten::read_unwritten(tx)?;
    let entries = tx.try_query(MADE, params![company, id], |row| read_payment_state(row, &files))?;
    let is_funded = transit::is_funded(tx, company, id)?;
    let (mut otherwise, mut by_bank) = (Vec::new(), Vec::new());
    for payment in payments::of_group(tx, company, id)? {
        // The last entry of a payment says where it stands: one that follows another comes after it.
        let last = entries.iter().rfind(|(of, _)| *of == payment.id).map(|(_, made)| *made);
        let is_made = match (payment.method, last) {
            (Method::Historical, _) => true,
            (Method::Check, _) => has_come,
            (Method::DirectDeposit, Some(made)) => made != Made::NotYet,
            (Method::DirectDeposit, None) => has_come && !group.by_bank && !group.partner_pays,
        };
        if is_made && is_funded && last == Some(Made::ByBank) {
            by_bank.push(payment);
        } else if is_made {
            otherwise.push(payment);
        }
    }
    service::record_payments_made(tx, company, by_bank, true)?;
    service::record_payments_made(tx, company, otherwise, false)
}

/// Whether, and how, an entry made the payment of a contractor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Made {
    /// the bank has its file
    ByBank,
    /// it is paid by check instead
    ByCheck,
    /// it is waiting or held
    NotYet,
}

/// Reads a payment of a contractor, and what became of an entry for it.
fn read_payment_state(row: &Row<'_>, files: &NotWritten) -> Result<(Uuid, Made), store::Error> {
    let mut next = Cursor::new(row, Entry::TABLE, 0);
    let payment = next.read_plain("contractor_payment_id")?;
    let state = next.read_text("state", EntryState::parse)?;
    let place: Option<i64> = next.read_plain("place")?;
    let is_written = place.is_some() && files.is_written(next.read_plain("file_id")?);
    let made = match state {
        _ if is_written => Made::ByBank,
        EntryState::Replaced => Made::ByCheck,
        _ => Made::NotYet,
    };
    Ok((payment, made))
}

/// Records that a payment could not be taken back after all.
pub(in crate::money) fn left_with(
    tx: &mut Tx<'_>,
    company: Uuid,
    (batch, entry): (&Batch, &Entry),
) -> Result<(), Error> {
    note_today(tx, company, (batch, entry), (entry.cents, "Pay whose reversal was given up"))
}

/// Records that the bank has payments of a batch that were owed again: they had come back, or their file was voided. What was not posted as paid
/// before is posted by [`settle_group`].
pub(in crate::money) fn went_out(tx: &mut Tx<'_>, company: Uuid, batch: &Batch) -> Result<(), Error> {
    payments::lock_group(tx, company, batch.payroll)?;
    let funded = transit::is_funded(tx, company, batch.payroll)?;
    for_each_entry(tx, company, batch, |tx, entry| {
        if is_owed_again(tx, company, entry)? {
            post_settled_payment(
                tx,
                company,
                (batch, entry),
                (entry.cents, "Pay that goes with another file"),
                funded,
            )?;
        }
        Ok(())
    })
}

/// Records that the file with a batch was voided before the bank had it: what was posted as paid is owed until it goes with another file.
pub(in crate::money) fn taken_back(tx: &mut Tx<'_>, company: Uuid, batch: &Batch) -> Result<(), Error> {
    let funded = transit::is_funded(tx, company, batch.payroll)?;
    for_each_entry(tx, company, batch, |tx, entry| {
        owed_again(tx, company, (batch, entry), "Pay whose file was voided", funded)
    })
}

/// Records that the bank returned a payment: the contractor is owed it until it is paid again.
pub(in crate::money) fn record_return(
    tx: &mut Tx<'_>,
    company: Uuid,
    batch: &Batch,
    entry: &Entry,
) -> Result<(), Error> {
    let funded = transit::is_funded(tx, company, batch.payroll)?;
    owed_again(tx, company, (batch, entry), "Pay that was returned", funded)
}

/// Records that a payment is paid by the employer's check in place of the account. One that is not posted as paid is posted by its own job: the
/// guard of its group comes before that of its entries.
pub(super) fn by_check(tx: &mut Tx<'_>, company: Uuid, batch: &Batch, entry: &Entry) -> Result<(), Error> {
    if is_owed_again(tx, company, entry)? {
        let what = (entry.cents, "Pay by check in place of an account");
        return post_settled_payment(tx, company, (batch, entry), what, false);
    }
    let now = tx.now();
    jobs::schedule_job(tx, company, jobs::JobKind::ContractorPaid, batch.payroll, now)
}

/// Calls a function for each entry of a batch that has a position.
fn for_each_entry(
    tx: &mut Tx<'_>,
    company: Uuid,
    batch: &Batch,
    mut act: impl FnMut(&mut Tx<'_>, &Entry) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut after = 0;
    loop {
        let some = rows::entries_after(tx, company, batch.id, after, AT_ONCE)?;
        let Some(last) = some.last() else { return Ok(()) };
        after = last.place.unwrap_or(after);
        for entry in &some {
            act(tx, entry)?;
        }
    }
}

/// Whether the books owe a payment that they had as paid before.
fn is_owed_again(tx: &mut Tx<'_>, company: Uuid, entry: &Entry) -> Result<bool, Error> {
    let Some(payment) = entry.contractor_payment else { return Ok(false) };
    Ok(books::owed_for(tx, company, payment)? > 0)
}

/// Posts that a payment is owed again, if it is posted as paid. What is void is not owed.
fn owed_again(
    tx: &mut Tx<'_>,
    company: Uuid,
    (batch, entry): (&Batch, &Entry),
    what: &str,
    funded: bool,
) -> Result<(), Error> {
    let Some(payment) = entry.contractor_payment else { return Ok(()) };
    let is_void = Payment::find(tx, company, payment)?.is_none_or(|one| one.voided_at.is_some());
    let is_paid = books::posting_of(tx, company, payment)?.is_some_and(|posting| posting.paid_on.is_some());
    if is_void || !is_paid || is_owed_again(tx, company, entry)? {
        return Ok(());
    }
    post_settled_payment(tx, company, (batch, entry), (-entry.cents, what), funded)
}

/// Posts a payment of what a contractor is owed as of its settlement, out of funds in transit (`in_transit`) or of the bank account; negative
/// for one that came back.
fn post_settled_payment(
    tx: &mut Tx<'_>,
    company: Uuid,
    (batch, entry): (&Batch, &Entry),
    (cents, what): (i64, &str),
    in_transit: bool,
) -> Result<(), Error> {
    let paid_on = transit::posting_day(tx, company, batch)?;
    post_payment(tx, company, (batch, entry), (cents, what), (paid_on, in_transit))
}

/// Posts today, out of the bank account, a payment that was taken back, or left with the contractor after all.
pub(super) fn note_today(
    tx: &mut Tx<'_>,
    company: Uuid,
    of: (&Batch, &Entry),
    what: (i64, &str),
) -> Result<(), Error> {
    let today = Caller::for_service(company, companies::time_zone(tx, company)?).today(tx);
    post_payment(tx, company, of, what, (today, false))
}

fn post_payment(
    tx: &mut Tx<'_>,
    company: Uuid,
    (batch, entry): (&Batch, &Entry),
    (cents, what): (i64, &str),
    (paid_on, in_transit): (Date, bool),
) -> Result<(), Error> {
    let (Some(contractor), Some(payment)) = (entry.contractor, entry.contractor_payment) else {
        return Ok(());
    };
    liabilities::guard_payments(tx, company)?;
    let Owed { account, agency, code, .. } = Owed::to_contractor(contractor, payment);
    let new = LiabilityPayment {
        id: tx.new_id(),
        account,
        agency,
        code,
        name: entry.name.clone(),
        cents,
        paid_on,
        memo: Some(format!("{what}: contractors of {}", batch.check_date)),
        created_at: tx.now(),
        in_transit,
    };
    books::insert_liability_payment(tx, company, &new)
}
