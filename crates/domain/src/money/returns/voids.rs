//! Paychecks that were paid and not owed, made void by the employer: their wages and taxes are undone, and what was paid is owed by the
//! employee, or came back.
//!
//! The operator's reversal with the reason `not_owed` ([`crate::money::batches::reversals::reverse_for`]) does the same with the money debited again, within five
//! banking days.

use rules::{Checks, Violation, check};
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::error::Error;
use crate::money::batches::net_pay;
use crate::money::ledger::rows::{self, Batch, Entry, EntryState};
use crate::patch::{Patch, as_is};
use crate::pay::books::rows as books;
use crate::pay::payrolls::closing::reversals;
use crate::pay::payrolls::closing::reversals::{Category, Money, Reversal, ReversalState};
use crate::pay::payrolls::record::results;
use crate::pay::payrolls::service;
use crate::platform::audit;

/// Maximum characters of a reason.
const REASON: usize = 255;

/// Makes a paycheck void.
#[derive(Debug, Clone, Default)]
pub struct VoidPaycheck {
    /// why it was not owed, in words
    pub reason: Patch<String>,
    /// whether the employee never had the money, or has given it back; otherwise the employee owes it
    pub returned: Patch<bool>,
}

/// Makes a paycheck of a paid payroll void.
///
/// # Errors
/// "Not found"; 422 for every violation of the input; for a payroll that was not paid, or was paid in another year; for pay of which a part is
/// held, was returned or reversed; as [`reversals::void_paycheck`].
pub fn void_paycheck(
    tx: &mut Tx<'_>,
    caller: &Caller,
    (payroll, employee): (Uuid, Uuid),
    input: &VoidPaycheck,
) -> Result<Reversal, Error> {
    let company = caller.company;
    let mut checks = Checks::new();
    let reason =
        input.reason.required("reason", &mut checks, |key, text| check::validate_text(key, text, REASON));
    let returned = input.returned.optional("returned", &mut checks, as_is).unwrap_or(false);
    checks.finish()?;
    reversals::guard_paychecks(tx, company, payroll)?;
    rows::lock_payroll_batches(tx, company, payroll)?;
    let found = service::find_payroll(tx, caller, payroll)?;
    let run = found.run.filter(|_| found.is_processed()).ok_or(Error::NotFound)?;
    let outcome = results::find_outcome(tx, company, run, employee)?.ok_or(Error::NotFound)?;
    if books::posting_of(tx, company, run)?.is_none_or(|posting| posting.paid_on.is_none()) {
        return Err(refusal_error(
            "The pay of this payroll has not gone out: cancel the payroll, or make the paycheck void once it is paid.",
        ));
    }
    // What is paid back in a later year stays wages of the year in which it was paid (Publication 15, section 13, "Wage repayments").
    if found.check_date.year() < caller.today(tx).year() {
        return Err(refusal_error(
            "The paycheck is of another year: its wages stay income of that year, and what is paid back later corrects only Social \
             Security and Medicare (Publication 15, section 13), with Forms 941-X and W-2c.",
        ));
    }
    let parts = rows::of_paycheck(tx, company, payroll, employee)?;
    let gone = |state| matches!(state, EntryState::Sent | EntryState::Replaced | EntryState::PaidByEmployer);
    if parts.iter().any(|part| !gone(part.state)) {
        return Err(refusal_error(
            "A part of this pay is held, was returned or reversed: pay it again, or record that it was paid, first.",
        ));
    }
    let reversal = Reversal {
        id: tx.new_id(),
        payroll,
        employee,
        category: Category::NotOwed,
        reason: reason.unwrap_or_default(),
        cents: outcome.check_amount.cents_half_up(),
        money: if returned { Money::Returned } else { Money::Owed },
        state: ReversalState::Approved,
        version: 1,
        created_at: tx.now(),
    };
    reversal.insert(tx, company)?;
    reversals::void_paycheck(tx, caller, (payroll, employee), &reversal)?;
    let told = json!({ "category": "not_owed", "reason": reversal.reason, "cents": reversal.cents, "returned": returned });
    audit::record_audit_entry(tx, caller, "voided", (Reversal::TABLE, reversal.id), &told)?;
    let all = results::outcomes_after(tx, company, run, Uuid::nil(), 1)?.is_empty();
    reversals::notify_reversal(tx, company, payroll, all)?;
    Ok(reversal)
}

/// Settles a returned payment of a paycheck that was made void: nobody is paid again, and the employee owes it no more. Returns false for other
/// pay.
pub(in crate::money) fn came_back(
    tx: &mut Tx<'_>,
    company: Uuid,
    batch: &Batch,
    mut entry: Entry,
) -> Result<bool, Error> {
    let found = reversals::of_payroll(tx, company, entry.payroll)?;
    let void = found.into_iter().find(|one| one.category.is_void() && Some(one.employee) == entry.employee);
    let Some(void) = void.filter(|one| one.money != Money::Debited) else { return Ok(false) };
    entry.version += 1;
    entry.state = EntryState::Replaced;
    assert!(entry.update(tx, company)?, "the row was read under its guard");
    if void.money == Money::Owed {
        net_pay::given_back(tx, company, batch, (entry.cents, void.employee))?;
    }
    Ok(true)
}

fn refusal_error(message: &str) -> Error {
    Error::from(Violation::invalid_operation(message))
}
