//! The payments of tax deposits: staged in time, posted when the bank has their file, and owed again if they are returned.
//!
//! A deposit has two batches, which name it as their payroll: a credit to the agency with a TXP addendum, and the debit that funds it. They
//! are filed like all batches ([`crate::money::files::compose`], [`crate::money::files`]), so that a crash duplicates none.

use std::collections::{BTreeMap, BTreeSet};

use ach::addendum::TaxDeposit as Addendum;
use jiff::civil::Date;
use rules::deposits::types::{DepositType, DepositTypes};
use rules::{Category, Named, Violation};
use store::Tx;
use uuid::Uuid;

use super::debits::{self, NewDebit, funded_at};
use super::lifecycle::{add_entry, hold_batch, new_batch, new_entry, release_batch};
use super::transit;
use crate::access::tokens::Caller;
use crate::company::companies;
use crate::company::taxes::rows as details;
use crate::error::Error;
use crate::money::bank::receiving_banks::ReceivingBank;
use crate::money::bank::settings::{self, BankSettings};
use crate::money::bank::tax_agencies;
use crate::money::deposits::{self, DepositState, Share, TaxDeposit};
use crate::money::funding::{self, Mode};
use crate::money::ledger::purpose::Subject;
use crate::money::ledger::rows::{self, Batch, BatchKind, BatchState, HeldBy};
use crate::pay::books::liabilities;
use crate::pay::books::rows as books;
use crate::pay::books::rows::{LiabilityPayment, Owed};
use crate::platform::{confirmations, law};

/// Maximum cents of an entry.
const MOST_CENTS: i64 = ach::entry::MOST_CENTS.cast_signed();
/// Why the employer pays.
pub const NO_AGENCY: &str = "no account of the agency is imported and confirmed";

/// The same, if the codes of a return are not confirmed.
pub const DOUBTFUL_CODE: &str =
    "the codes of its return are unconfirmed until the operator confirms them (stipend data doubtful)";

/// What is needed to pay a deposit.
struct Ready {
    settings: BankSettings,
    agency: ReceivingBank,
    addendum: String,
}

/// Makes the payment of a deposit that is due soon, or releases its held payment. Idempotent.
pub fn stage_deposit_payment(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<(), Error> {
    rows::lock_payroll_batches(tx, company, id)?;
    deposits::lock_deposits(tx, company)?;
    let caller = Caller::for_service(company, companies::time_zone(tx, company)?);
    let deposit = deposits::get_deposit(tx, company, id)?;
    match deposit.state {
        DepositState::Scheduled => make_deposit_payment(tx, &caller, deposit),
        DepositState::Staged | DepositState::Sent | DepositState::Returned => go_on(tx, company, &deposit),
        DepositState::Manual | DepositState::Canceled => Ok(()),
    }
}

/// Pays a deposit that was returned, or left to the employer.
///
/// # Errors
/// "Not found"; 422 if it is neither, is paid by hand or still cannot be paid; a store error.
pub fn pay_deposit_again(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<TaxDeposit, Error> {
    rows::lock_payroll_batches(tx, caller.company, id)?;
    deposits::lock_deposits(tx, caller.company)?;
    let deposit = deposits::get_deposit(tx, caller.company, id)?;
    if !matches!(deposit.state, DepositState::Returned | DepositState::Manual) {
        return Err(refusal_error(
            "only a deposit that was returned, or is left to the employer, can be paid again",
        ));
    }
    make_deposit_payment(tx, caller, deposit)?;
    let after = deposits::get_deposit(tx, caller.company, id)?;
    match after.state {
        DepositState::Staged => Ok(after),
        DepositState::Canceled => Err(refusal_error("it was paid by hand: nothing is left to be deposited")),
        _ => Err(refusal_error(after.reason.as_deref().unwrap_or("it cannot be paid"))),
    }
}

fn refusal_error(message: &str) -> Error {
    Error::from(Violation::new("base", Category::InvalidOperation, message))
}

/// Makes the payment of a deposit's unpaid amount.
fn make_deposit_payment(tx: &mut Tx<'_>, caller: &Caller, mut deposit: TaxDeposit) -> Result<(), Error> {
    let company = caller.company;
    deposit.amounts = unpaid_shares(tx, company, &deposit)?;
    deposit.cents = deposit.amounts.iter().map(|share| share.cents).sum();
    if deposit.cents <= 0 {
        (deposit.state, deposit.reason) = (DepositState::Canceled, Some("it was paid by hand".to_owned()));
        return deposits::save_deposit(tx, caller, &mut deposit, "canceled");
    }
    let ready = match check_ready_to_pay(tx, company, &deposit)? {
        Ok(ready) => ready,
        Err(why) => {
            (deposit.state, deposit.reason) = (DepositState::Manual, Some(why.to_owned()));
            return deposits::save_deposit(tx, caller, &mut deposit, "left_to_employer");
        }
    };
    let mut credit = new_batch(tx, Subject::of_deposit(deposit.id, deposit.due), BatchKind::Tax);
    credit.insert(tx, company)?;
    let mut entry = new_entry(tx, &credit, deposit.cents, &ready.agency.name);
    entry.account_type = ready.agency.account_type;
    let (routing, account) = (&ready.agency.routing, &ready.agency.account);
    entry.seal_fields(tx, company, (routing, account), Some(&ready.addendum))?;
    add_entry(tx, company, &mut credit, entry)?;
    (deposit.batch, deposit.settles_on) = (Some(credit.id), None);
    let_go(tx, company, &mut deposit, &ready.settings, credit)?;
    deposit.state = DepositState::Staged;
    deposits::save_deposit(tx, caller, &mut deposit, "staged")
}

/// Releases the credit of a deposit for a file with its debit, which is made once. Without an account to debit, the credit is held.
fn let_go(
    tx: &mut Tx<'_>,
    company: Uuid,
    deposit: &mut TaxDeposit,
    settings: &BankSettings,
    credit: Batch,
) -> Result<(), Error> {
    let held = match deposit.debit {
        Some(id) => Batch::find(tx, company, id)?,
        None => {
            let (subject, cents) = (credit.payment_subject(), credit.cents);
            let wanted = NewDebit { subject, kind: BatchKind::TaxDebit, cents, held: None };
            debits::make_debit(tx, company, settings, wanted)?
        }
    };
    let Some(debit) = held else {
        deposit.reason = Some(HeldBy::NoCompanyAccount.reason_text().to_owned());
        return hold_batch(tx, company, credit, HeldBy::NoCompanyAccount);
    };
    (deposit.debit, deposit.reason) = (Some(debit.id), None);
    let funding = funding::of_company(tx, company)?;
    let due = funded_at(tx, settings, funding, &debit);
    release_batch(tx, company, credit, due)
}

/// Releases a deposit's held payment: its file was voided, a limit was exceeded, or there was no account to debit.
fn go_on(tx: &mut Tx<'_>, company: Uuid, deposit: &TaxDeposit) -> Result<(), Error> {
    let Some(settings) = settings::find_settings(tx)? else { return Ok(()) };
    let made = rows::of_payroll(tx, company, deposit.id)?;
    let held = made.into_iter().filter(|batch| batch.state == BatchState::Held);
    let (credits, debits): (Vec<_>, Vec<_>) = held.partition(|batch| batch.kind.is_credit());
    for debit in debits {
        release_batch(tx, company, debit, None)?;
    }
    let Some(credit) = credits.into_iter().find(|batch| deposit.batch == Some(batch.id)) else {
        return Ok(());
    };
    let mut after = deposit.clone();
    let_go(tx, company, &mut after, &settings, credit)?;
    if (after.debit, &after.reason) == (deposit.debit, &deposit.reason) {
        return Ok(());
    }
    let caller = Caller::for_service(company, companies::time_zone(tx, company)?);
    deposits::save_deposit(tx, &caller, &mut after, "staged")
}

/// Returns what is needed to pay a deposit, or why the employer pays.
fn check_ready_to_pay(
    tx: &mut Tx<'_>,
    company: Uuid,
    deposit: &TaxDeposit,
) -> Result<Result<Ready, &'static str>, Error> {
    let Some(settings) = settings::find_settings(tx)?.filter(|settings| settings.terms.deposit_taxes) else {
        return Ok(Err("taxes are no longer deposited (stipend bank settings set)"));
    };
    if funding::of_company(tx, company)?.mode == Mode::Wire {
        return Ok(Err("the company funds payroll by wire and is not debited"));
    }
    let agencies = tax_agencies::current_tax_agency_banks(tx)?;
    let Some(row) = agencies.confirmed_bank(&deposit.authority) else { return Ok(Err(NO_AGENCY)) };
    let agency = row.bank.clone();
    let ein = match details::find_federal(tx, company)? {
        Some(federal) => federal.ein(tx, company)?,
        None => None,
    };
    let Some(ein) = ein else { return Ok(Err("the company has no employer identification number")) };
    if deposit.cents > MOST_CENTS {
        return Ok(Err("its amount exceeds the maximum of an ACH entry"));
    }
    let confirmed = confirmations::confirmed_keys(tx)?;
    let codes = law::in_force::<DepositTypes>(tx)?;
    Ok(deposit_addendum(&codes, deposit, ein, &confirmed).map(|addendum| Ready {
        settings,
        agency,
        addendum,
    }))
}

/// Returns the payment information of a deposit, or why there is none.
fn deposit_addendum(
    codes: &DepositTypes,
    deposit: &TaxDeposit,
    taxpayer: String,
    confirmed: &BTreeSet<String>,
) -> Result<String, &'static str> {
    const NO_CODE: &str = "the agency has no code for one of its taxes";
    let mut amounts: BTreeMap<&str, u64> = BTreeMap::new();
    let mut told: Option<&DepositType> = None;
    for share in &deposit.amounts {
        let row = codes.of_tax(&deposit.authority, deposit.form, &share.code, deposit.last_day);
        let row = row.ok_or(NO_CODE)?;
        if !row.is_usable(confirmed) {
            return Err(DOUBTFUL_CODE);
        }
        *amounts.entry(&row.amount_type).or_default() += share.cents.unsigned_abs();
        told = Some(row);
    }
    let told = told.ok_or(NO_CODE)?;
    let addendum = Addendum {
        taxpayer,
        tax: told.tax_type.clone(),
        period: told.period(deposit.period_end),
        amounts: amounts.into_iter().map(|(kind, cents)| (kind.to_owned(), cents)).collect(),
    };
    addendum.write_segment().map_err(|_| "its payment information does not fit into a file")
}

/// Returns the unpaid part of a deposit. Payments that the employer has recorded apply to the oldest amounts that no deposit pays.
fn unpaid_shares(tx: &mut Tx<'_>, company: Uuid, deposit: &TaxDeposit) -> Result<Vec<Share>, Error> {
    liabilities::guard_payments(tx, company)?;
    let accrued = books::accrued_until(tx, company, deposit.last_day)?;
    let by_hand = books::paid_until(tx, company, Date::MAX)?;
    let mut by_hand: BTreeMap<Owed, i64> =
        by_hand.into_iter().map(|(owed, paid)| (owed, paid.cents)).collect();
    let mut deposited: BTreeMap<Owed, i64> = BTreeMap::new();
    for made in deposits::deposits_in_payment(tx, company)? {
        for share in &made.amounts {
            let Some(owed) = owed_liability(&made, share) else { continue };
            if made.state == DepositState::Sent {
                *by_hand.entry(owed.clone()).or_default() -= share.cents;
            }
            if made.last_day <= deposit.last_day {
                *deposited.entry(owed).or_default() += share.cents;
            }
        }
    }
    let left = |share: &Share| -> Option<Share> {
        let owed = owed_liability(deposit, share)?;
        let of = |sums: &BTreeMap<Owed, i64>| sums.get(&owed).copied().unwrap_or(0);
        let open =
            accrued.get(&owed).map_or(0, |accrued| accrued.cents) - of(&deposited) - of(&by_hand).max(0);
        let mut left = share.clone();
        left.cents = left.cents.min(open);
        Some(left).filter(|left| left.cents > 0)
    };
    Ok(deposit.amounts.iter().filter_map(left).collect())
}

/// Returns the liability in the books that a part of a deposit pays.
pub(in crate::money) fn owed_liability(deposit: &TaxDeposit, share: &Share) -> Option<Owed> {
    Some(Owed::new(share.ledger_account()?, &deposit.authority, &share.code, ""))
}

/// Records that the bank has the payment of a deposit: its taxes are posted as paid.
pub(in crate::money) fn record_deposit_sent(
    tx: &mut Tx<'_>,
    company: Uuid,
    batch: &Batch,
) -> Result<(), Error> {
    deposits::lock_deposits(tx, company)?;
    let mut deposit = deposits::get_deposit(tx, company, batch.payroll)?;
    if deposit.state != DepositState::Staged || deposit.batch != Some(batch.id) {
        return Ok(());
    }
    let caller = Caller::for_service(company, companies::time_zone(tx, company)?);
    (deposit.state, deposit.reason, deposit.settles_on) = (DepositState::Sent, None, batch.effective);
    post_deposit(tx, &caller, &deposit, 1)?;
    deposits::save_deposit(tx, &caller, &mut deposit, "sent")
}

/// Records on a deposit why its payment is held.
pub(in crate::money) fn record_deposit_hold(
    tx: &mut Tx<'_>,
    company: Uuid,
    batch: &Batch,
    why: &str,
) -> Result<(), Error> {
    deposits::lock_deposits(tx, company)?;
    let mut deposit = deposits::get_deposit(tx, company, batch.payroll)?;
    if deposit.state != DepositState::Staged || deposit.batch != Some(batch.id) {
        return Ok(());
    }
    let caller = Caller::for_service(company, companies::time_zone(tx, company)?);
    deposit.reason = Some(why.to_owned());
    deposits::save_deposit(tx, &caller, &mut deposit, "held")
}

/// Records the return of a deposit's payment: its taxes are owed again.
pub(in crate::money) fn record_deposit_return(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    code: &str,
) -> Result<(), Error> {
    deposits::lock_deposits(tx, caller.company)?;
    let mut deposit = deposits::get_deposit(tx, caller.company, id)?;
    if deposit.state != DepositState::Sent {
        return Ok(());
    }
    (deposit.state, deposit.reason) = (DepositState::Returned, Some(format!("the bank returned it: {code}")));
    post_deposit(tx, caller, &deposit, -1)?;
    deposits::save_deposit(tx, caller, &mut deposit, "returned")
}

/// Records that the file with the payment of a deposit was voided before the bank had it.
pub(in crate::money) fn taken_back(tx: &mut Tx<'_>, company: Uuid, batch: &Batch) -> Result<(), Error> {
    deposits::lock_deposits(tx, company)?;
    let mut deposit = deposits::get_deposit(tx, company, batch.payroll)?;
    if deposit.state != DepositState::Sent || deposit.batch != Some(batch.id) {
        return Ok(());
    }
    let caller = Caller::for_service(company, companies::time_zone(tx, company)?);
    post_deposit(tx, &caller, &deposit, -1)?;
    (deposit.state, deposit.settles_on) = (DepositState::Staged, None);
    deposits::save_deposit(tx, &caller, &mut deposit, "taken_back")
}

/// Posts what a deposit pays, or reverses the posting.
fn post_deposit(tx: &mut Tx<'_>, caller: &Caller, deposit: &TaxDeposit, sign: i64) -> Result<(), Error> {
    liabilities::guard_payments(tx, caller.company)?;
    let today = caller.today(tx);
    let (paid_on, created_at) = (deposit.settles_on.map_or(today, |day| day.max(today)), tx.now());
    let what = if sign < 0 { "Deposit that was not made after all" } else { "Deposit" };
    let in_transit = transit::is_funded(tx, caller.company, deposit.id)?;
    let memo = format!("{what}: Form {}, due {}", deposit.form.as_str(), deposit.due);
    for share in &deposit.amounts {
        let Some(Owed { account, agency, code, .. }) = owed_liability(deposit, share) else { continue };
        let cents = sign * share.cents;
        let id = tx.new_id();
        let (name, memo) = (share.tax_label().to_owned(), Some(memo.clone()));
        let new = LiabilityPayment {
            id,
            account,
            agency,
            code,
            name,
            cents,
            paid_on,
            memo,
            created_at,
            in_transit,
        };
        books::insert_liability_payment(tx, caller.company, &new)?;
    }
    Ok(())
}

/// Whether taxes are to be deposited, but the account of the agency is not confirmed.
///
/// # Errors
/// A store error; an imported table that cannot be opened.
pub fn lacks_agency(tx: &mut Tx<'_>) -> Result<bool, Error> {
    let wanted = settings::find_settings(tx)?.is_some_and(|settings| settings.terms.deposit_taxes);
    Ok(wanted && tax_agencies::current_tax_agency_banks(tx)?.confirmed_bank(FEDERAL).is_none())
}

/// The agency of federal taxes, as named in the books.
const FEDERAL: &str = "US";
