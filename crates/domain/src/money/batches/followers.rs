//! Batches that follow another payment: the amount of an entry is paid, refunded or taken back, with its own debit where none was made.

use rules::Violation;
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use super::debits::{self, NewDebit, funded_at};
use super::lifecycle::{add_entry, by_wire, hold_batch, new_batch, new_entry, release_batch};
use super::transit;
use crate::access::tokens::Caller;
use crate::company::banks::rows as banks;
use crate::company::companies;
use crate::error::Error;
use crate::money::bank::settings;
use crate::money::funding::{self, Mode};
use crate::money::ledger::rows::{self, Batch, BatchKind, Entry, EntryState, HeldBy};
use crate::platform::audit;

/// Creates an empty batch, and an entry for it that follows another entry.
pub(in crate::money) fn create_follower(
    tx: &mut Tx<'_>,
    company: Uuid,
    entry: &Entry,
    kind: BatchKind,
) -> Result<(Batch, Entry), Error> {
    let before = Batch::find(tx, company, entry.batch)?.ok_or(Error::NotFound)?;
    let mut batch = new_batch(tx, before.payment_subject(), kind);
    if matches!(kind, BatchKind::Again | BatchKind::Reversal) {
        batch.holders = before.holders;
    }
    batch.insert(tx, company)?;
    let mut next = new_entry(tx, &batch, entry.cents, &entry.name);
    (next.employee, next.account, next.replaces) = (entry.employee, entry.account, Some(entry.id));
    (next.contractor, next.contractor_payment) = (entry.contractor, entry.contractor_payment);
    next.account_type = entry.account_type;
    Ok((batch, next))
}

/// Returns the entry and its batch, under the guard of its payroll.
pub(in crate::money) fn find_guarded_entry(
    tx: &mut Tx<'_>,
    company: Uuid,
    id: Uuid,
) -> Result<(Batch, Entry), Error> {
    let found = Entry::find(tx, company, id)?.ok_or(Error::NotFound)?;
    rows::lock_payroll_batches(tx, company, found.payroll)?;
    let entry = Entry::find(tx, company, id)?.ok_or(Error::NotFound)?;
    let batch = Batch::find(tx, company, entry.batch)?.ok_or(Error::NotFound)?;
    Ok((batch, entry))
}

/// Releases a follow-up payment for the next file. The employer was already debited for a returned amount, but not for one that was held
/// from the start: a held amount gets its own debit, or waits for the payroll's wire.
pub(in crate::money) fn let_go(tx: &mut Tx<'_>, company: Uuid, batch: Batch) -> Result<(), Error> {
    let Some(settings) = settings::find_settings(tx)? else {
        return hold_batch(tx, company, batch, HeldBy::NoBank);
    };
    let funding = funding::of_payroll(tx, company, batch.payroll)?;
    // Nothing is refunded from a wire that has not arrived.
    if funding.mode == Mode::Wire && batch.kind == BatchKind::Refund {
        return by_wire(tx, company, batch.payroll, vec![batch]);
    }
    let Some(held) = debits::held_before(tx, company, &batch)? else {
        return release_batch(tx, company, batch, None);
    };
    if funding.mode == Mode::Wire {
        return by_wire(tx, company, batch.payroll, vec![batch]);
    }
    // Whether that debit has settled is checked when the file is made.
    if held.debited {
        return release_batch(tx, company, batch, None);
    }
    let debit = match debits::of_payroll(tx, company, batch.payroll, Some(held.id))? {
        Some(debit) => Some(debit),
        None => {
            let (subject, cents) = (batch.payment_subject(), batch.cents);
            let wanted = NewDebit { subject, kind: BatchKind::Debit, cents, held: Some(held.id) };
            debits::make_debit(tx, company, &settings, wanted)?
        }
    };
    let Some(debit) = debit else { return hold_batch(tx, company, batch, HeldBy::NoCompanyAccount) };
    let due = funded_at(tx, &settings, funding, &debit);
    release_batch(tx, company, batch, due)
}

/// Stores an amount that the employer pays by check from the start, because a payment to its account was returned and the employee has no
/// other account. It is held if it was funded and cannot be refunded.
pub(in crate::money) fn by_check_at_once(
    tx: &mut Tx<'_>,
    company: Uuid,
    mut entry: Entry,
) -> Result<(), Error> {
    let by_wire = funding::of_payroll(tx, company, entry.payroll)?.mode == Mode::Wire;
    if by_wire && banks::paying_account(tx, company)?.is_none() {
        return Ok(entry.insert(tx, company)?);
    }
    entry.state = EntryState::Replaced;
    entry.insert(tx, company)?;
    if by_wire {
        refund_employer(tx, company, &entry)?;
    }
    let caller = Caller::for_service(company, companies::time_zone(tx, company)?);
    audit::record_audit_entry(tx, &caller, "paid_again", (Entry::TABLE, entry.id), &json!({ "by": "check" }))
}

/// Refunds the employer for an amount that it has funded and now pays by check: a returned one, or a held one. If the operator's account
/// was debited, nothing is refunded automatically.
pub(super) fn refund_employer(tx: &mut Tx<'_>, company: Uuid, entry: &Entry) -> Result<(), Error> {
    if !transit::is_funded(tx, company, entry.payroll)? {
        return Ok(());
    }
    let account = banks::paying_account(tx, company)?.ok_or_else(|| {
        refusal_error("the refund goes to the company's bank account, but none is verified")
    })?;
    let (routing, number) = (account.routing_number(tx, company)?, account.account_number(tx, company)?);
    let name = companies::find_company(tx, company)?.ok_or(Error::NotFound)?.name;
    let (mut batch, mut next) = create_follower(tx, company, entry, BatchKind::Refund)?;
    (next.employee, next.contractor, next.contractor_payment) = (None, None, None);
    (next.account, next.account_type) = (Some(account.id), account.account_type);
    next.name = name;
    next.seal_fields(tx, company, (&routing, &number), None)?;
    add_entry(tx, company, &mut batch, next)?;
    let_go(tx, company, batch)
}

/// Returns the refusal of what cannot be done with a payment.
pub(super) fn refusal_error(message: &str) -> Error {
    Error::from(Violation::new("base", rules::Category::InvalidOperation, message))
}
