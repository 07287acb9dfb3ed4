//! Releasing what was prepared for a payroll or a group of contractor payments, with the debit that funds it.

use store::Tx;
use uuid::Uuid;

use super::debits::{self, funded_at};
use super::followers;
use super::lifecycle::{by_wire, hold_batch, release_batch, save_batch};
use crate::error::Error;
use crate::money::bank::settings;
use crate::money::funding::{self, Mode};
use crate::money::ledger::purpose::Subject;
use crate::money::ledger::rows::{self, Batch, BatchKind, BatchState, HeldBy};

/// Adds the debit, and releases everything of a subject that was prepared or is held, under its guard; returns false if there are no credits to
/// release.
pub(in crate::money) fn release_all(tx: &mut Tx<'_>, company: Uuid, subject: Subject) -> Result<bool, Error> {
    let made = rows::of_payroll(tx, company, subject.id)?;
    let settings = settings::find_settings(tx)?;
    let waiting = |batch: &&Batch| matches!(batch.state, BatchState::Preparing | BatchState::Held);
    let waiting: Vec<Batch> = made.iter().filter(waiting).cloned().collect();
    let (credits, others): (Vec<_>, Vec<_>) = waiting.into_iter().partition(|batch| batch.kind.is_credit());
    for batch in others {
        release_batch(tx, company, batch, None)?;
    }
    // A follow-up payment has its own debit, or no longer needs one.
    let (credits, followers): (Vec<_>, Vec<_>) =
        credits.into_iter().partition(|batch| matches!(batch.kind, BatchKind::Pay | BatchKind::Support));
    for batch in followers {
        followers::let_go(tx, company, batch)?;
    }
    let (full, empty): (Vec<_>, Vec<_>) = credits.into_iter().partition(|batch| batch.entries > 0);
    for mut batch in empty {
        batch.state = BatchState::Void;
        save_batch(tx, company, &batch)?;
    }
    let total: i64 = full.iter().map(|batch| batch.cents).sum();
    let (Some(settings), false) = (settings, full.is_empty()) else { return Ok(false) };
    let funding = funding::of_payroll(tx, company, subject.id)?;
    if funding.mode == Mode::Wire {
        by_wire(tx, company, subject.id, full)?;
        return Ok(true);
    }
    let debit = match debits::of_payroll(tx, company, subject.id, None)? {
        Some(debit) => Some(debit),
        None => {
            let wanted = debits::NewDebit { subject, kind: BatchKind::Debit, cents: total, held: None };
            debits::make_debit(tx, company, &settings, wanted)?
        }
    };
    let Some(debit) = debit else {
        full.into_iter().try_for_each(|batch| hold_batch(tx, company, batch, HeldBy::NoCompanyAccount))?;
        return Ok(true);
    };
    let due = funded_at(tx, &settings, funding, &debit);
    full.into_iter().try_for_each(|batch| release_batch(tx, company, batch, due))?;
    Ok(true)
}
