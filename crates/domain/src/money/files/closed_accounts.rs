//! Payments whose account was deleted, or had a payment returned, after they were made but before the bank has them: their file, or the
//! debit that funds them, may have waited. What was meant for an account that had a payment returned is then paid by rule.

use serde_json::json;
use store::{Tx, params};
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::company::companies;
use crate::error::Error;
use crate::money::batches::lifecycle::save_batch;
use crate::money::batches::{debits, repayments};
use crate::money::ledger::rows;
use crate::money::ledger::rows::{Batch, BatchKind, BatchState, Entry, EntryState};
use crate::platform::audit;

store::statements! {
    GONE = store::text!("SELECT ", store::columns!(Entry, "e."), " FROM payment_entries e \
           LEFT JOIN employee_bank_accounts a ON a.company_id = e.company_id AND a.id = e.account_id \
           LEFT JOIN contractor_bank_accounts c ON c.company_id = e.company_id AND c.id = e.account_id \
           WHERE e.company_id = $1 AND e.batch_id = $2 AND e.place > 0 AND e.account_id IS NOT NULL \
           AND ((a.id IS NULL AND c.id IS NULL) OR a.returned_code IS NOT NULL OR c.returned_code IS NOT NULL) \
           ORDER BY e.place DESC LIMIT $3");
    CLOSE_UP = "UPDATE payment_entries SET place = place - 1, updated_at = $4 WHERE company_id = $1 AND batch_id = $2 AND place > $3";
    LARGEST = "SELECT cents FROM payment_entries WHERE company_id = $1 AND batch_id = $2 AND place > 0 ORDER BY cents DESC LIMIT 1";
}

/// Payments read at once.
const AT_ONCE: i64 = 1_000;

/// Whether a batch pays into an account that can no longer be paid.
pub(in crate::money) fn has_closed_account(
    tx: &mut Tx<'_>,
    company: Uuid,
    batch: &Batch,
) -> Result<bool, Error> {
    Ok(pays_out(batch) && !closed_account_entries(tx, company, batch, 1)?.is_empty())
}

fn pays_out(batch: &Batch) -> bool {
    matches!(batch.kind, BatchKind::Pay | BatchKind::Again)
}

fn closed_account_entries(
    tx: &mut Tx<'_>,
    company: Uuid,
    batch: &Batch,
    most: i64,
) -> Result<Vec<Entry>, Error> {
    Ok(tx.try_query(GONE, params![company, batch.id, most], Entry::read)?)
}

/// Holds a batch's payments into such accounts, under the guard of its payroll, before the batch is in a file. If no other payment is left,
/// the batch is void.
pub(in crate::money) fn hold_closed_account_entries(
    tx: &mut Tx<'_>,
    company: Uuid,
    batch: &mut Batch,
) -> Result<(), Error> {
    if !has_closed_account(tx, company, batch)? {
        return Ok(());
    }
    let caller = Caller::for_service(company, companies::time_zone(tx, company)?);
    if batch.kind == BatchKind::Again {
        return take_back(tx, &caller, batch);
    }
    let mut held = Vec::new();
    loop {
        let some = closed_account_entries(tx, company, batch, AT_ONCE)?;
        if some.is_empty() {
            break;
        }
        for mut entry in some {
            let now = tx.now();
            let place = entry.place.take();
            (entry.state, entry.debited) = (EntryState::Held, true);
            assert!(entry.update(tx, company)?, "the row was read under its guard");
            tx.change_rows(CLOSE_UP, params![company, batch.id, place, now])?.rows();
            batch.entries -= 1;
            batch.cents -= entry.cents;
            audit::record_audit_entry(
                tx,
                &caller,
                "held",
                (Entry::TABLE, entry.id),
                &json!({ "account": entry.account }),
            )?;
            held.push(entry);
        }
    }
    batch.largest = tx.find_row(LARGEST, params![company, batch.id], |row| row.get::<i64>(0))?.unwrap_or(0);
    if batch.entries == 0 {
        batch.state = BatchState::Void;
    }
    save_batch(tx, company, batch)?;
    batch.version += 1;
    held.iter().try_for_each(|entry| repayments::by_rule(tx, &caller, entry))
}

/// Undoes the decision on how a returned or held amount is paid: its account is gone, so a new decision is needed.
fn take_back(tx: &mut Tx<'_>, caller: &Caller, batch: &mut Batch) -> Result<(), Error> {
    let company = caller.company;
    if let Some(mut before) = rows::followed_entry(tx, company, batch)? {
        let came_back = before.code.is_some();
        before.state = if came_back { EntryState::Returned } else { EntryState::Held };
        before.debited |=
            !came_back && debits::of_payroll(tx, company, batch.payroll, Some(before.id))?.is_some();
        assert!(before.update(tx, company)?, "the row was read under its guard");
        audit::record_audit_entry(
            tx,
            caller,
            "held",
            (Entry::TABLE, before.id),
            &json!({ "account": before.account }),
        )?;
    }
    (batch.state, batch.reason) = (BatchState::Void, Some("its account is gone".to_owned()));
    save_batch(tx, company, batch)?;
    batch.version += 1;
    Ok(())
}
