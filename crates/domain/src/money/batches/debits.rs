//! Debits that fund credits: which account they debit, which credits they fund, and when credits that wait for their debit may be filed.
//!
//! The credits of a payroll, or of a tax deposit, are debited together. An amount that was held at that time was not debited: when it is
//! paid later, it gets its own debit, whose entry refers to the held entry ([`Entry::replaces`]).

use jiff::Timestamp;
use rules::payment::AccountType;
use store::Tx;
use uuid::Uuid;
use zeroize::Zeroizing;

use super::lifecycle::{MOST_CENTS, add_entry, new_batch, new_entry, release_batch};
use crate::company::banks;
use crate::company::companies;
use crate::error::Error;
use crate::money::bank::banking_days::{banking_days_after, day_start_in_california, earliest_settlement};
use crate::money::bank::settings::{self, BankSettings, Debit};
use crate::money::funding::{Funding, Mode};
use crate::money::ledger::purpose::Subject;
use crate::money::ledger::rows;
use crate::money::ledger::rows::{Batch, BatchKind, BatchState, Entry};

/// An account to debit.
struct Payer {
    routing: String,
    number: Zeroizing<String>,
    account_type: AccountType,
    /// the company's account; `None` for the operator's
    account: Option<Uuid>,
}

/// A debit to create.
#[derive(Debug, Clone, Copy)]
pub(in crate::money) struct NewDebit {
    /// what it funds
    pub(in crate::money) subject: Subject,
    /// [`Kind::Debit`] or [`Kind::TaxDebit`]
    pub(in crate::money) kind: BatchKind,
    /// amount
    pub(in crate::money) cents: i64,
    /// the entry that was held when the others were debited, if the debit funds only that one
    pub(in crate::money) held: Option<Uuid>,
}

/// Creates a debit and releases it for the next file; `None` if there is no account to debit.
pub(in crate::money) fn make_debit(
    tx: &mut Tx<'_>,
    company: Uuid,
    settings: &BankSettings,
    wanted: NewDebit,
) -> Result<Option<Batch>, Error> {
    let Some(payer) = find_payer(tx, company, settings)? else { return Ok(None) };
    let name = companies::find_company(tx, company)?.ok_or(Error::NotFound)?.name;
    let mut batch = new_batch(tx, wanted.subject, wanted.kind);
    let mut left = wanted.cents;
    // Stored first: entries refer to it.
    batch.insert(tx, company)?;
    while left > 0 {
        let part = left.min(MOST_CENTS);
        let mut entry = new_entry(tx, &batch, part, &name);
        (entry.account, entry.account_type) = (payer.account, payer.account_type);
        entry.replaces = wanted.held;
        entry.seal_fields(tx, company, (&payer.routing, &payer.number), None)?;
        add_entry(tx, company, &mut batch, entry)?;
        left -= part;
    }
    release_batch(tx, company, batch.clone(), None)?;
    Ok(Some(batch))
}

fn find_payer(tx: &mut Tx<'_>, company: Uuid, settings: &BankSettings) -> Result<Option<Payer>, Error> {
    match settings.terms.debit {
        Debit::Company => {
            let Some(found) = banks::rows::paying_account(tx, company)? else { return Ok(None) };
            let (routing, number) = (found.routing_number(tx, company)?, found.account_number(tx, company)?);
            Ok(Some(Payer { routing, number, account_type: found.account_type, account: Some(found.id) }))
        }
        Debit::Offset => {
            let number = settings::offset_account(tx, settings)?;
            let (Some(routing), Some(number)) = (settings.terms.offset_routing.clone(), number) else {
                return Ok(None);
            };
            Ok(Some(Payer { routing, number, account_type: AccountType::Checking, account: None }))
        }
    }
}

/// Returns the debit that funds the credits of a payroll, or a single entry that was held when the others were debited.
pub(in crate::money) fn of_payroll(
    tx: &mut Tx<'_>,
    company: Uuid,
    payroll: Uuid,
    held: Option<Uuid>,
) -> Result<Option<Batch>, Error> {
    for batch in rows::of_payroll(tx, company, payroll)? {
        if batch.kind != BatchKind::Debit {
            continue;
        }
        if rows::first_entry(tx, company, &batch)?.is_some_and(|entry| entry.replaces == held) {
            return Ok(Some(batch));
        }
    }
    Ok(None)
}

/// Returns the entry that was held when its payroll was paid and that a batch now pays. The batch has its own debit, unless the employer
/// was already debited for the held entry ([`Entry::debited`]).
pub(in crate::money) fn held_before(
    tx: &mut Tx<'_>,
    company: Uuid,
    batch: &Batch,
) -> Result<Option<Entry>, Error> {
    if batch.kind != BatchKind::Again {
        return Ok(None);
    }
    // A returned entry was debited, and has a return code.
    Ok(rows::followed_entry(tx, company, batch)?.filter(|before| before.code.is_none()))
}

/// Returns the debit that funds a batch of credits; `None` if there is none, or none yet.
pub(in crate::money) fn of_credits(
    tx: &mut Tx<'_>,
    company: Uuid,
    batch: &Batch,
) -> Result<Option<Batch>, Error> {
    match batch.kind {
        BatchKind::Pay | BatchKind::Support => of_payroll(tx, company, batch.payroll, None),
        BatchKind::Again => match held_before(tx, company, batch)? {
            Some(held) => match of_payroll(tx, company, batch.payroll, Some(held.id))? {
                None if held.debited => of_payroll(tx, company, batch.payroll, None),
                own => Ok(own),
            },
            None => Ok(None),
        },
        BatchKind::Tax => {
            let made = rows::of_payroll(tx, company, batch.payroll)?;
            Ok(made.into_iter().find(|one| one.kind == BatchKind::TaxDebit))
        }
        BatchKind::SupportAgain
        | BatchKind::Refund
        | BatchKind::Debit
        | BatchKind::Reversal
        | BatchKind::Redebit
        | BatchKind::TaxDebit => Ok(None),
    }
}

/// Returns when credits that wait for their debit may be filed; `None` if they wait for nothing, or if the debit is already in a file: its
/// settlement date is then known, and is checked when the next file is made.
pub(in crate::money) fn funded_at(
    tx: &Tx<'_>,
    settings: &BankSettings,
    funding: Funding,
    debit: &Batch,
) -> Option<Timestamp> {
    let waits = funding.mode == Mode::Debit && debit.state != BatchState::Filed;
    waits.then(|| {
        let settles = earliest_settlement(tx.now(), settings.terms.same_day);
        day_start_in_california(banking_days_after(settles, funding.days))
    })
}
