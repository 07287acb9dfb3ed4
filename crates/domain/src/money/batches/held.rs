//! Payments of a company that are held together, with the reason, and their release by the company itself.
//!
//! What an account, a wire or a recovery resolves is released by that, and what the operator has taken back from the bank is the operator's to
//! release. What remains is a limit of the operator: it is applied again to the next file, so that nobody exceeds it.

use rules::Violation;
use serde_json::json;
use store::Tx;

use super::lifecycle::look_again;
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::money::ledger::rows::{self, Batch, BatchState, HeldBy};
use crate::platform::audit;

impl Batch {
    /// Whether a limit of the operator holds it, and nothing else.
    pub fn is_held_by_limit(&self) -> bool {
        self.state == BatchState::Held && self.held_by == Some(HeldBy::Limit)
    }
}

/// Returns the held payments of a company, in the order in which they were made.
///
/// # Errors
/// 422 for more than can be read at once; a store error.
pub fn list_held_payments(tx: &mut Tx<'_>, caller: &Caller) -> Result<Vec<Batch>, Error> {
    rows::held_of(tx, caller.company)
}

/// Checks what a limit holds again: it goes with the next file unless the limit still holds it. Returns what was held.
///
/// # Errors
/// 422 if something is held and none of it by a limit alone; a store error.
pub fn release_held_payments(tx: &mut Tx<'_>, caller: &Caller) -> Result<Vec<Batch>, Error> {
    let company = caller.company;
    let held = list_held_payments(tx, caller)?;
    // The payments of a payroll are released together.
    let is_limited = |batch: &Batch| {
        let mut of_it = held.iter().filter(|other| other.payroll == batch.payroll);
        of_it.all(Batch::is_held_by_limit)
    };
    let limited: Vec<&Batch> = held.iter().filter(|batch| is_limited(batch)).collect();
    if limited.is_empty() && !held.is_empty() {
        return Err(Error::from(Violation::invalid_operation(
            "Nothing is held by a limit alone: GET /v1/companies/{company_uuid}/held_payments says what the payments wait for.",
        )));
    }
    let now = tx.now();
    for batch in &limited {
        rows::lock_payroll_batches(tx, company, batch.payroll)?;
        look_again(tx, company, batch, now)?;
        let told = json!({ "reason": batch.reason });
        audit::record_audit_entry(tx, caller, "checked_again", (Batch::TABLE, batch.id), &told)?;
    }
    Ok(held)
}
