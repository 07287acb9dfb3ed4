//! Reversals: pay that the bank has is taken back, within five banking days.

use jiff::civil::Date;
use rules::{Checks, Named as _, check};
use serde_json::json;
use store::{Store, Tx};
use uuid::Uuid;

use super::followers::{create_follower, find_guarded_entry, refusal_error};
use super::lifecycle::{add_entry, release_batch, save_batch};
use super::{contractors, net_pay};
use crate::access::tokens::Caller;
use crate::company::companies;
use crate::contractors::payments::rows::{self as payments, Payment};
use crate::contractors::payments::service;
use crate::error::Error;
use crate::money::bank::banking_days::{MOST_DAYS_OF_REVERSALS, banking_days_after, earliest_settlement};
use crate::money::ledger::bank_files;
use crate::money::ledger::purpose::Purpose;
use crate::money::ledger::rows::{self, Batch, BatchKind, BatchState, Entry, EntryState};
use crate::patch::{Patch, as_is};
use crate::pay::payrolls::closing::reversals;
use crate::pay::payrolls::closing::reversals::{Category, Money, Reversal, ReversalState};
use crate::platform::audit;

/// Entries read at once.
const AT_ONCE: i64 = 100;

/// Why pay is reversed.
#[derive(Debug, Clone)]
pub struct Why {
    /// the kind of reason, from which it follows whether wages and taxes are undone
    pub category: Category,
    /// the reason, in words
    pub reason: String,
}

impl Why {
    /// Returns the reason; without words, those of its kind.
    pub fn new(category: Category, reason: Option<String>) -> Self {
        let words = match category {
            Category::PaidTwice => "The employee was paid twice.",
            Category::WrongAmount => "The amount was wrong.",
            Category::WrongAccount => "It went to the wrong account.",
            Category::NotOwed => "The pay was not owed.",
        };
        Self { category, reason: reason.unwrap_or_else(|| words.to_owned()) }
    }
}

/// Maximum characters of a reason.
const REASON: usize = 255;

/// Reverses a payment, as the employer asks.
#[derive(Debug, Clone, Default)]
pub struct ReversePayment {
    /// the kind of reason; paid twice when left out
    pub category: Patch<Category>,
    /// the reason, in words; those of its kind when left out
    pub reason: Patch<String>,
}

/// Reverses a payment that the bank has, as the employer asks.
///
/// # Errors
/// Every violation of the input; as [`reverse_for`].
pub fn as_told(tx: &mut Tx<'_>, caller: &Caller, id: Uuid, input: &ReversePayment) -> Result<(), Error> {
    let mut checks = Checks::new();
    let category = input.category.optional("category", &mut checks, as_is).unwrap_or(Category::PaidTwice);
    let reason =
        input.reason.optional("reason", &mut checks, |key, text| check::validate_text(key, text, REASON));
    checks.finish()?;
    reverse_for(tx, caller, id, &Why::new(category, reason))
}

/// Reverses a payment that the employee received twice: the money comes back, and wages and taxes stay.
///
/// # Errors
/// As [`reverse_for`].
pub fn reverse_payment(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<(), Error> {
    reverse_for(tx, caller, id, &Why::new(Category::PaidTwice, None))
}

/// Reverses a payment that the bank has: debits the same amount from the same account, within five banking days. Pay that was not owed is
/// reversed with all payments of its paycheck, which becomes void; otherwise the net pay is owed until it is paid in another way.
///
/// # Errors
/// "Not found"; 422 for a payment that the bank does not have, that was returned or reversed, or that is too old; as [`reversals::void_paycheck`].
pub fn reverse_for(tx: &mut Tx<'_>, caller: &Caller, id: Uuid, why: &Why) -> Result<(), Error> {
    let company = caller.company;
    let found = Entry::find(tx, company, id)?.ok_or(Error::NotFound)?;
    let batch = Batch::find(tx, company, found.batch)?.ok_or(Error::NotFound)?;
    bank_files::refuse_taken_back(tx, &batch)?;
    if batch.purpose == Purpose::Contractors {
        return reverse_of_contractor(tx, caller, id, why);
    }
    if why.category.is_void() {
        reversals::guard_paychecks(tx, company, found.payroll)?;
    }
    let (batch, entry) = find_guarded_entry(tx, company, id)?;
    let (payroll, employee) = (entry.payroll, entry.employee);
    let parts = match employee.filter(|_| why.category.is_void()) {
        Some(employee) => whole_paycheck(tx, company, (payroll, employee), entry)?,
        None => vec![entry],
    };
    let cents = parts.iter().map(|one| one.cents).sum();
    for one in parts {
        debit_back(tx, caller, one)?;
    }
    let Some(employee) = employee else {
        return Err(refusal_error("only pay of an employee can be reversed"));
    };
    let reversal = Reversal {
        id: tx.new_id(),
        payroll,
        employee,
        category: why.category,
        reason: why.reason.clone(),
        cents,
        money: Money::Debited,
        state: ReversalState::Approved,
        version: 1,
        created_at: tx.now(),
    };
    reversal.insert(tx, company)?;
    if why.category.is_void() {
        reversals::void_paycheck(tx, caller, (payroll, employee), &reversal)?;
    } else {
        net_pay::taken_from_employee(tx, company, &batch, cents)?;
    }
    let told = json!({ "category": why.category.as_str(), "reason": why.reason, "cents": cents });
    audit::record_audit_entry(tx, caller, "reversed", (Reversal::TABLE, reversal.id), &told)?;
    let all = !rows::any_pay_left(tx, company, payroll)?;
    reversals::notify_reversal(tx, company, payroll, all)
}

/// Returns all payments of a paycheck, of which one is given, that were made to accounts.
fn whole_paycheck(
    tx: &mut Tx<'_>,
    company: Uuid,
    (payroll, employee): (Uuid, Uuid),
    one: Entry,
) -> Result<Vec<Entry>, Error> {
    let mut parts = rows::of_paycheck(tx, company, payroll, employee)?;
    if parts.iter().any(|part| matches!(part.state, EntryState::Held | EntryState::Returned)) {
        return Err(refusal_error(
            "a part of this pay is held or was returned: pay it again, or record that it was paid, first",
        ));
    }
    parts.retain(|part| part.state == EntryState::Sent && part.id != one.id);
    parts.insert(0, one);
    Ok(parts)
}

/// Debits a payment from the account to which it went.
pub(in crate::money) fn debit_back(tx: &mut Tx<'_>, caller: &Caller, mut entry: Entry) -> Result<(), Error> {
    let company = caller.company;
    let batch = Batch::find(tx, company, entry.batch)?.ok_or(Error::NotFound)?;
    let given = bank_files::settlement_date_at_bank(tx, &batch)?;
    let of_pay = matches!(batch.kind, BatchKind::Pay | BatchKind::Again) && entry.state == EntryState::Sent;
    let (Some(effective), true) = (given, of_pay) else {
        return Err(refusal_error("only pay that the bank has and that was not returned can be reversed"));
    };
    let last = reversible_until(effective);
    if earliest_settlement(tx.now(), false) > last {
        return Err(refusal_error(&format!(
            "a reversal had to settle by {last}, five banking days after the payment"
        )));
    }
    let Some(opened) = entry.open_fields(tx, company)? else {
        return Err(refusal_error("the payment has no account"));
    };
    let (mut back, mut next) = create_follower(tx, company, &entry, BatchKind::Reversal)?;
    next.seal_fields(tx, company, (&opened.routing, &opened.account), None)?;
    add_entry(tx, company, &mut back, next)?;
    release_batch(tx, company, back, None)?;
    entry.state = EntryState::Reversed;
    assert!(entry.update(tx, company)?, "the row was read under its guard");
    audit::record_audit_entry(tx, caller, "reversed", (Entry::TABLE, entry.id), &json!({}))
}

/// Abandons a reversal that missed its deadline: the money stays with the employee, who owes it if the paycheck is void.
pub(in crate::money) fn give_up(tx: &mut Tx<'_>, company: Uuid, mut batch: Batch) -> Result<(), Error> {
    let caller = Caller::for_service(company, companies::time_zone(tx, company)?);
    for entry in rows::entries_after(tx, company, batch.id, 0, AT_ONCE)? {
        let Some(before) = entry.replaces else { continue };
        let found = Entry::find(tx, company, before)?.filter(|one| one.state == EntryState::Reversed);
        let Some(mut before) = found else { continue };
        before.state = EntryState::Sent;
        assert!(before.update(tx, company)?, "the row was read under its guard");
        let given_up = reversals::of_payroll(tx, company, before.payroll)?;
        let given_up = given_up.into_iter().rfind(|one| Some(one.employee) == before.employee);
        let owed_by = given_up.as_ref().filter(|one| one.category.is_void()).map(|one| one.employee);
        if let Some(mut reversal) = given_up {
            reversal.state = ReversalState::GivenUp;
            assert!(reversal.update(tx, company)?, "the row was read under its guard");
        }
        match batch.purpose {
            Purpose::Contractors => contractors::left_with(tx, company, (&batch, &before))?,
            _ => net_pay::left_with_employee(tx, company, &batch, (before.cents, owed_by))?,
        }
        audit::record_audit_entry(tx, &caller, "reversal_given_up", (Entry::TABLE, before.id), &json!({}))?;
    }
    (batch.state, batch.reason) = (BatchState::Void, Some("its five banking days had passed".to_owned()));
    save_batch(tx, company, &batch)
}

/// Returns the last day on which a reversal can settle (Nacha Operating Rules, Subsection 2.9.1: within five banking days of the
/// settlement of the payment).
pub(in crate::money) fn reversible_until(effective: Date) -> Date {
    banking_days_after(effective, MOST_DAYS_OF_REVERSALS)
}

/// Reverses all pay in a file that can be reversed; returns the number of payments.
///
/// # Errors
/// "Not found"; 422 for a file that is too old; a store error.
pub async fn reverse_file(store: &Store, id: Uuid) -> Result<usize, Error> {
    reverse_file_for(store, id, Why::new(Category::PaidTwice, None)).await
}

/// As [`reverse_file`], for a reason.
///
/// # Errors
/// As [`reverse_for`].
pub async fn reverse_file_for(store: &Store, id: Uuid, why: Why) -> Result<usize, Error> {
    let batches = store.read(move |tx| rows::find_file(tx, id).and_then(|_| rows::of_file(tx, id))).await?;
    let mut reversed = 0;
    for one in batches.into_iter().filter(|one| matches!(one.batch.kind, BatchKind::Pay | BatchKind::Again)) {
        let (company, batch, mut after) = (one.company, one.batch.id, 0);
        loop {
            let some = store.read(move |tx| rows::entries_after(tx, company, batch, after, AT_ONCE)).await?;
            let Some(last) = some.last() else { break };
            after = last.place.unwrap_or(after);
            for entry in some.into_iter().filter(|entry| entry.state == EntryState::Sent) {
                let why = why.clone();
                let act = move |tx: &mut Tx<'_>| {
                    let caller = Caller::for_operator(company, companies::time_zone(tx, company)?);
                    // Another payment of the same paycheck may have been reversed with it.
                    if Entry::find(tx, company, entry.id)?.is_none_or(|one| one.state != EntryState::Sent) {
                        return Ok(());
                    }
                    reverse_for(tx, &caller, entry.id, &why)
                };
                store.write(act).await?;
                reversed += 1;
            }
        }
    }
    Ok(reversed)
}

/// Reverses a payment that the bank has. If it was not owed, it is void; otherwise the contractor is owed it until it is recorded how it was paid.
fn reverse_of_contractor(tx: &mut Tx<'_>, caller: &Caller, id: Uuid, why: &Why) -> Result<(), Error> {
    let company = caller.company;
    let found = Entry::find(tx, company, id)?.ok_or(Error::NotFound)?;
    payments::lock_group(tx, company, found.payroll)?;
    let (batch, entry) = find_guarded_entry(tx, company, id)?;
    let payment = entry.contractor_payment.ok_or(Error::NotFound)?;
    let cents = entry.cents;
    debit_back(tx, caller, entry.clone())?;
    if why.category.is_void() {
        service::void_payment(tx, caller, payment)?;
    } else {
        contractors::note_today(tx, company, (&batch, &entry), (-cents, "Pay that was reversed"))?;
    }
    let told = json!({ "category": why.category.as_str(), "reason": why.reason, "cents": cents });
    audit::record_audit_entry(tx, caller, "reversed", (Payment::TABLE, payment), &told)
}
