//! The payments of a processed payroll, made once it can no longer be cancelled.
//!
//! Entries are made for a limited number of employees at a time, and the progress is recorded, so that a crash never duplicates one. Then
//! one unit adds the debit that funds them and releases the batches for a file.

use store::{Store, Tx};
use uuid::Uuid;

use super::lifecycle::{add_entry, new_batch, new_entry, save_batch};
use super::payees::Payees;
use super::releases::release_all;
use super::{followers, net_pay, support};
use crate::error::Error;
use crate::money::bank::settings;
use crate::money::ledger::purpose::Subject;
use crate::money::ledger::rows::{self, Batch, BatchKind, BatchState};
use crate::pay::payrolls::closing::processing;
use crate::pay::payrolls::record::payroll::Payroll;
use crate::pay::payrolls::record::results;
use crate::pay::payrolls::record::results::Outcome;
use crate::pay::payrolls::record::rows as payrolls;
use crate::people::payment_methods::payable;
use crate::people::payment_methods::rows::BankAccount;
use crate::platform::jobs;
use crate::records::IdRange;

/// Employees whose payments are made in one unit.
const AT_ONCE: i64 = 100;

/// Makes the payments of a payroll, and releases held ones; no-op if it is no longer processed, or nothing is left to release.
pub async fn prepare_payroll_payments(store: &Store, company: Uuid, payroll: Uuid) -> Result<(), Error> {
    while store.write(move |tx| prepare_some_payments(tx, company, payroll)).await? {}
    store.write(move |tx| finish_batches(tx, company, payroll)).await
}

/// Makes the payments of some employees; returns whether there may be more.
pub fn prepare_some_payments(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<bool, Error> {
    rows::lock_payroll_batches(tx, company, id)?;
    let Some((payroll, run)) = find_payable_payroll(tx, company, id)? else { return Ok(false) };
    if settings::find_settings(tx)?.is_none() || payroll.check_only {
        return Ok(false);
    }
    let mut made = rows::of_payroll(tx, company, id)?;
    let Some(mut pay) = preparing_batch(tx, company, &payroll, &mut made, BatchKind::Pay)? else {
        return Ok(false);
    };
    let some = results::outcomes_after(tx, company, run, pay.prepared_to.unwrap_or(Uuid::nil()), AT_ONCE)?;
    let (Some(first), Some(last)) = (some.first(), some.last()) else { return Ok(false) };
    let Some(mut to_agencies) = preparing_batch(tx, company, &payroll, &mut made, BatchKind::Support)? else {
        return Ok(false);
    };
    pay.prepared_to = Some(last.employee);
    let payees =
        Payees::read_payees(tx, company, run, IdRange { first: first.employee, last: last.employee })?;
    for outcome in &some {
        if !payroll.partner_pays {
            pay_employee(tx, company, &mut pay, (outcome, &payees))?;
        }
        for deduction in outcome.read_paycheck()?.deductions.iter().filter(|one| one.support) {
            support::pay_support(tx, company, &mut to_agencies, deduction.id)?;
        }
    }
    save_batch(tx, company, &pay)?;
    save_batch(tx, company, &to_agencies)?;
    Ok(true)
}

/// Returns the payroll with its calculation, if it is processed.
fn find_payable_payroll(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<Option<(Payroll, Uuid)>, Error> {
    let payroll = payrolls::find_payroll(tx, company, id)?;
    let payroll = payroll.filter(Payroll::is_processed);
    Ok(payroll.and_then(|payroll| payroll.run.map(|run| (payroll, run))))
}

/// Returns the batch of a kind that is being prepared, created if missing; `None` if it has already been prepared.
fn preparing_batch(
    tx: &mut Tx<'_>,
    company: Uuid,
    payroll: &Payroll,
    made: &mut Vec<Batch>,
    kind: BatchKind,
) -> Result<Option<Batch>, Error> {
    if let Some(at) = made.iter().position(|batch| batch.kind == kind) {
        let batch = made.swap_remove(at);
        return Ok((batch.state == BatchState::Preparing).then_some(batch));
    }
    let batch = new_batch(tx, Subject::of_payroll(payroll.id, payroll.check_date), kind);
    batch.insert(tx, company)?;
    Ok(Some(batch))
}

/// Adds the pay of an employee to a batch, by account.
fn pay_employee(
    tx: &mut Tx<'_>,
    company: Uuid,
    batch: &mut Batch,
    (outcome, payees): (&Outcome, &Payees),
) -> Result<(), Error> {
    let splits = outcome.read_paycheck()?.splits;
    if splits.iter().all(|(_, cents)| *cents <= 0) {
        return Ok(());
    }
    let name = payees.employee_name(outcome.employee)?;
    for (account, cents) in splits.into_iter().filter(|(_, cents)| *cents > 0) {
        let mut entry = new_entry(tx, batch, cents, name);
        (entry.employee, entry.account) = (Some(outcome.employee), Some(account));
        let found = payees.account(account).filter(|one| one.employee == outcome.employee);
        let is_returned = found.is_some_and(|one| one.returned_code.is_some());
        let found =
            if is_returned { instead_of_returned(tx, company, outcome.employee, payees)? } else { found };
        // The amount is held if the account is gone: the employer decides. What cannot go to an account that had a payment returned, and
        // has no other, is paid by check.
        match found {
            Some(found) => {
                (entry.account, entry.account_type) = (Some(found.id), found.account_type);
                let routing = found.routing_number(tx, company)?;
                let number = found.account_number(tx, company)?;
                entry.seal_fields(tx, company, (&routing, &number), None)?;
                add_entry(tx, company, batch, entry)?;
            }
            None if is_returned => followers::by_check_at_once(tx, company, entry)?,
            None => add_entry(tx, company, batch, entry)?,
        }
    }
    Ok(())
}

/// Returns the account that receives what cannot go to one that had a payment returned.
fn instead_of_returned<'p>(
    tx: &mut Tx<'_>,
    company: Uuid,
    employee: Uuid,
    payees: &'p Payees,
) -> Result<Option<&'p BankAccount>, Error> {
    let other = payable::of_employee(tx, company, employee)?.last_account();
    Ok(other.and_then(|id| payees.account(id)).filter(|one| one.employee == employee))
}

/// Adds the debit, and releases the batches for a file.
pub fn finish_batches(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<(), Error> {
    rows::lock_payroll_batches(tx, company, id)?;
    let Some((payroll, _)) = find_payable_payroll(tx, company, id)? else { return Ok(()) };
    if release_all(tx, company, Subject::of_payroll(id, payroll.check_date))? {
        return Ok(());
    }
    let made = rows::of_payroll(tx, company, id)?;
    await_what_is_left(tx, company, &payroll, &made)
}

/// Handles a payroll without payments to release. If nothing goes to a bank, it is paid by check or by hand on the check date; if
/// everything has already gone to the bank, it is paid now; held amounts stay unpaid.
fn await_what_is_left(
    tx: &mut Tx<'_>,
    company: Uuid,
    payroll: &Payroll,
    made: &[Batch],
) -> Result<(), Error> {
    if payroll.paid_at.is_some() || !net_pay::is_all_made(tx, company, payroll.id)? {
        return Ok(());
    }
    if !made.iter().any(|batch| batch.kind.is_credit() && batch.entries > 0) {
        return processing::await_pay_date(tx, company, payroll);
    }
    // In its own job: the payroll's guard comes before that of its payments.
    let now = tx.now();
    jobs::schedule_job(tx, company, jobs::JobKind::PayrollPaid, payroll.id, now)
}
