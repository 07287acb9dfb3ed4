//! Use cases of companies' bank accounts. Every change takes the guard of the company's accounts before it reads the current account and
//! the number of failed attempts.

use rules::Named;
use rules::company::deposits::{TRIES, amounts_match, choose_amounts, parse_amount};
use rules::payment::{AccountType, account_number, account_type, routing_number};
use rules::{Amount, Checks, Violation};
use serde_json::json;
use store::Tx;
use uuid::Uuid;
use zeroize::Zeroizing;

use super::commands::{CreateAccount, VerifyAccount};
use super::rows;
use super::rows::{Account, Verification};
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::events;
use crate::platform::audit;
use crate::platform::hooks;

/// Table of the record, in audit entries.
pub const TABLE: &str = Account::TABLE;

/// An account with its numbers, as far as they may be shown.
#[derive(Clone)]
pub struct AccountDetails {
    /// the account
    pub account: Account,
    /// nine digits
    pub routing_number: String,
    /// masked except for the last digits
    pub hidden_account_number: String,
}

store::hidden!(AccountDetails);

/// The amounts of the test deposits of an account, in dollars.
#[derive(Debug, Clone, Copy)]
pub struct TestDeposits {
    /// one amount
    pub deposit_1: Amount,
    /// the other amount
    pub deposit_2: Amount,
}

/// The company's current bank account, as a list.
pub fn list_accounts(tx: &mut Tx<'_>, caller: &Caller) -> Result<Vec<AccountDetails>, Error> {
    let found = rows::current_account(tx, caller.company)?;
    found.into_iter().map(|account| account_details(tx, caller, account)).collect()
}

/// Adds an account, replacing the current one; false if it is the same account.
///
/// # Errors
/// Every violation of the input; a store error.
pub fn create_account(
    tx: &mut Tx<'_>,
    caller: &Caller,
    input: &CreateAccount,
) -> Result<(bool, AccountDetails), Error> {
    lock_company_accounts(tx, caller)?;
    let mut checks = Checks::new();
    let routing = input.routing_number.required("routing_number", &mut checks, |k, v| routing_number(k, v));
    let number = input.account_number.required("account_number", &mut checks, |k, v| account_number(k, v));
    let kind = input.account_type.required("account_type", &mut checks, |k, v| account_type(k, v));
    checks.finish()?;
    let (Some(routing), Some(number), Some(kind)) = (routing, number, kind) else {
        return Err(Error::internal("a field is missing that was checked"));
    };

    let before = rows::current_account(tx, caller.company)?;
    if let Some(before) = before {
        if before.account_type == kind && before.has_numbers(tx, caller.company, &routing, &number)? {
            return Ok((false, account_details(tx, caller, before)?));
        }
        disable_account(tx, caller, &before)?;
    }
    let (id, now) = (tx.new_id(), tx.now());
    let account = Account {
        id,
        account_type: kind,
        routing_number: tx
            .seal_field(rows::sealed_field_place(caller.company, id, "routing_number"), routing.as_bytes())?,
        account_number: tx
            .seal_field(rows::sealed_field_place(caller.company, id, "account_number"), number.as_bytes())?,
        verification: Verification::AwaitingDeposits,
        deposits: None,
        tries: 0,
        verified_at: None,
        version: 1,
        created_at: now,
    };
    account.insert(tx, caller.company)?;
    audit::record_audit_entry(tx, caller, "created", (TABLE, id), &json!({}))?;
    events::emit_of_company(tx, caller.company, events::COMPANY_BANK_ACCOUNT_CREATED, id)?;
    events::emit_of_company(tx, caller.company, events::NOTIFICATION_BANK_ACCOUNT_CREATED, id)?;
    hooks::company_changed(tx, caller)?;
    Ok((true, account_details(tx, caller, account)?))
}

/// Disables the account, so that the company has none.
///
/// # Errors
/// "Not found"; a violation while payments from it are open; a store error.
pub fn delete_account(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<(), Error> {
    lock_company_accounts(tx, caller)?;
    let account = find_account(tx, caller, id)?;
    hooks::bank_account_to_go(tx, caller)?;
    disable_account(tx, caller, &account)?;
    hooks::company_changed(tx, caller)
}

/// Chooses the amounts of an account's test deposits; a second call returns the same amounts.
///
/// # Errors
/// "Not found", a violation if the account is verified; a store error.
pub fn send_test_deposits(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<TestDeposits, Error> {
    lock_company_accounts(tx, caller)?;
    let account = find_account(tx, caller, id)?;
    if account.verification == Verification::Verified {
        return Err(
            Violation::invalid_operation("The bank account is verified; it takes no test deposits.").into()
        );
    }
    let cents = match account.test_deposit_amounts(tx, caller.company)? {
        Some(cents) => cents,
        None => {
            let cents = choose_amounts(tx.random::<8>());
            let mut after = Account { verification: Verification::Ready, ..account.clone() };
            after.set_deposits(tx, caller.company, cents)?;
            store_account_change(tx, caller, &account, &after)?;
            cents
        }
    };
    audit::record_audit_entry(tx, caller, "test_deposits_told", (TABLE, id), &json!({}))?;
    Ok(TestDeposits { deposit_1: Amount::from_cents(cents.0), deposit_2: Amount::from_cents(cents.1) })
}

/// Result of an attempt to verify an account.
#[derive(Debug)]
pub enum Verified {
    /// the amounts are right
    Right(Box<AccountDetails>),
    /// the amounts are wrong
    Wrong(Violation),
}

/// Verifies an account by the amounts of its test deposits. Wrong amounts are not an error, so that the failed attempt is
/// committed.
///
/// # Errors
/// "Not found", every violation of the input, a violation if the account cannot be verified now; a store error.
pub fn verify_account(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    input: &VerifyAccount,
) -> Result<Verified, Error> {
    lock_company_accounts(tx, caller)?;
    let account = find_account(tx, caller, id)?;
    let mut checks = Checks::new();
    let first = input.deposit_1.required("deposit_1", &mut checks, |k, v| parse_amount(k, *v));
    let second = input.deposit_2.required("deposit_2", &mut checks, |k, v| parse_amount(k, *v));
    checks.finish()?;
    let (Some(first), Some(second)) = (first, second) else {
        return Err(Error::internal("a field is missing that was checked"));
    };
    let refused = match account.verification {
        Verification::Verified => Some("The bank account is verified already."),
        Verification::AwaitingDeposits => Some("The test deposits have not been made yet."),
        Verification::Ready if account.tries >= TRIES => {
            Some("Too many wrong attempts; add the bank account again.")
        }
        Verification::Ready => None,
    };
    if let Some(message) = refused {
        return Err(Violation::invalid_operation(message).into());
    }
    let cents = account
        .test_deposit_amounts(tx, caller.company)?
        .ok_or_else(|| Error::internal("an account that awaits test deposits has none"))?;
    if amounts_match(cents, (first, second)) {
        let now = tx.now();
        let after =
            Account { verification: Verification::Verified, verified_at: Some(now), ..account.clone() };
        store_account_change(tx, caller, &account, &after)?;
        events::emit_of_company(tx, caller.company, events::COMPANY_BANK_ACCOUNT_VERIFIED, id)?;
        events::emit_of_company(tx, caller.company, events::NOTIFICATION_BANK_ACCOUNT_RESOLVED, id)?;
        hooks::bank_account_verified(tx, caller)?;
        return Ok(Verified::Right(Box::new(account_details(tx, caller, after)?)));
    }
    let after = Account { tries: account.tries + 1, ..account.clone() };
    assert!(after.update(tx, caller.company)?, "the row was read under the guard");
    audit::record_audit_entry(
        tx,
        caller,
        "verification_failed",
        (TABLE, id),
        &json!({ "tries": [account.tries, after.tries] }),
    )?;
    let left = TRIES - after.tries;
    let message = format!("The amounts do not match the test deposits; {left} of {TRIES} attempts are left.");
    Ok(Verified::Wrong(Violation::invalid_operation(message)))
}

fn disable_account(tx: &mut Tx<'_>, caller: &Caller, account: &Account) -> Result<(), Error> {
    let id = account.id;
    assert!(rows::replace_account(tx, caller.company, id)?, "the row was read under the guard");
    audit::record_audit_entry(tx, caller, "deleted", (TABLE, id), &json!({}))?;
    events::emit_of_company(tx, caller.company, events::COMPANY_BANK_ACCOUNT_DELETED, id)?;
    if account.verification == Verification::Verified {
        return Ok(());
    }
    events::emit_of_company(tx, caller.company, events::NOTIFICATION_BANK_ACCOUNT_RESOLVED, id)
}

/// Takes the guard under which the accounts of a company are changed.
pub fn lock_company_accounts(tx: &mut Tx<'_>, caller: &Caller) -> Result<(), Error> {
    Ok(tx.take_guard(caller.company, TABLE, caller.company)?)
}

fn find_account(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<Account, Error> {
    rows::current_account(tx, caller.company)?.filter(|account| account.id == id).ok_or(Error::NotFound)
}

/// A bank's correction of an account; `None` fields are correct.
pub struct Corrected {
    /// nine digits
    pub routing_number: Option<String>,
    /// account number
    pub account_number: Option<Zeroizing<String>>,
    /// checking or savings
    pub account_type: Option<AccountType>,
}

store::hidden!(Corrected);

/// Corrects an account as its bank requests, if it still has the numbers (`sent`) that the bank refers to. Its verification status is kept:
/// it is the same account.
///
/// # Errors
/// 422 for an account that is no longer current, or has other numbers, and for invalid numbers; a store error.
pub fn correct_account(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    sent: (&str, &str),
    right: &Corrected,
) -> Result<(), Error> {
    lock_company_accounts(tx, caller)?;
    let company = caller.company;
    let counts = [rows::current_account(tx, company)?, rows::paying_account(tx, company)?];
    let found = counts.into_iter().flatten().find(|account| account.id == id);
    let gone = || {
        Error::from(Violation::invalid_operation(
            "The company's account or its numbers have changed since the bank's correction: decline it.",
        ))
    };
    let before = found.ok_or_else(gone)?;
    let held = (before.routing_number(tx, company)?, before.account_number(tx, company)?);
    if (held.0.as_str(), held.1.as_str()) != sent {
        return Err(gone());
    }
    let routing = match &right.routing_number {
        Some(text) => routing_number("routing_number", text)?,
        None => held.0,
    };
    let number = match &right.account_number {
        Some(text) => account_number("account_number", text)?,
        None => held.1.to_string(),
    };
    let after = Account {
        account_type: right.account_type.unwrap_or(before.account_type),
        routing_number: tx
            .seal_field(rows::sealed_field_place(company, id, "routing_number"), routing.as_bytes())?,
        account_number: tx
            .seal_field(rows::sealed_field_place(company, id, "account_number"), number.as_bytes())?,
        ..before
    };
    assert!(after.update(tx, company)?, "the row was read under the guard");
    audit::record_audit_entry(tx, caller, "corrected", (TABLE, id), &json!({}))?;
    events::emit_of_company(tx, company, events::COMPANY_BANK_ACCOUNT_UPDATED, id)?;
    hooks::company_changed(tx, caller)
}

fn store_account_change(
    tx: &mut Tx<'_>,
    caller: &Caller,
    before: &Account,
    after: &Account,
) -> Result<(), Error> {
    assert!(after.update(tx, caller.company)?, "the row was read under the guard");
    let changes =
        json!({ "verification_status": [before.verification.as_str(), after.verification.as_str()] });
    audit::record_audit_entry(tx, caller, "updated", (TABLE, after.id), &changes)?;
    events::emit_of_company(tx, caller.company, events::COMPANY_BANK_ACCOUNT_UPDATED, after.id)
}

fn account_details(tx: &mut Tx<'_>, caller: &Caller, account: Account) -> Result<AccountDetails, Error> {
    let hidden_account_number = account.hidden_account_number(tx, caller.company)?;
    let routing_number = account.routing_number(tx, caller.company)?;
    Ok(AccountDetails { account, routing_number, hidden_account_number })
}
