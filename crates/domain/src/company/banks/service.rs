//! What can be done with a company's bank account. Which account is the current one, and how many wrong answers there
//! were, is decided from rows that were read; so every change first takes the guard of the company's accounts.

use rules::Named;
use rules::company::deposits::{TRIES, amount, choose, matches};
use rules::payment::{account_number, account_type, routing_number};
use rules::{Amount, Checks, Violation};
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use super::rows;
use super::rows::{Account, Verification};
use crate::access::tokens::Caller;
use crate::company::banks::shapes;
use crate::company::banks::shapes::{CreateAccount, TestDeposits, VerifyAccount};
use crate::company::forms as company_forms;
use crate::error::Error;
use crate::events;
use crate::platform::audit;

/// Table of the record, in audit entries.
pub const TABLE: &str = "company_bank_accounts";

/// The company's bank account, as a list.
///
/// # Errors
/// A store error.
pub fn list(tx: &mut Tx<'_>, caller: &Caller) -> Result<Vec<shapes::CompanyBankAccount>, Error> {
    let found = rows::current(tx, caller.company)?;
    found.iter().map(|account| view(tx, caller, account)).collect()
}

/// Adds the account in place of the one before; true if it is a new one, false if it is the same as before.
///
/// # Errors
/// Every violation of the input; a store error.
pub fn create(
    tx: &mut Tx<'_>,
    caller: &Caller,
    input: &CreateAccount,
) -> Result<(bool, shapes::CompanyBankAccount), Error> {
    guard(tx, caller)?;
    let mut checks = Checks::new();
    let routing = input.routing_number.required("routing_number", &mut checks, |k, v| routing_number(k, v));
    let number = input.account_number.required("account_number", &mut checks, |k, v| account_number(k, v));
    let kind = input.account_type.required("account_type", &mut checks, |k, v| account_type(k, v));
    checks.finish()?;
    let (Some(routing), Some(number), Some(kind)) = (routing, number, kind) else {
        return Err(Error::Internal);
    };

    let fingerprint = rows::fingerprint(tx, caller.company, &routing, &number)?;
    let before = rows::current(tx, caller.company)?;
    if let Some(same) = before.as_ref().filter(|b| b.fingerprint == fingerprint && b.account_type == kind) {
        return Ok((false, view(tx, caller, same)?));
    }
    if let Some(before) = before {
        assert!(rows::replace(tx, caller.company, before.id)?, "the row was read under the guard");
        audit::record(tx, caller, "deleted", (TABLE, before.id), &json!({}))?;
        events::emit_of_company(tx, caller.company, events::COMPANY_BANK_ACCOUNT_DELETED, before.id)?;
    }
    let (id, now) = (tx.new_id(), tx.now());
    let account = Account {
        id,
        account_type: kind,
        routing_number: tx.seal(rows::place(caller.company, id, "routing_number"), routing.as_bytes())?,
        account_number: tx.seal(rows::place(caller.company, id, "account_number"), number.as_bytes())?,
        fingerprint,
        verification: Verification::AwaitingDeposits,
        deposits: None,
        tries: 0,
        verified_at: None,
        version: 1,
        created_at: now,
    };
    rows::insert(tx, caller.company, &account)?;
    audit::record(tx, caller, "created", (TABLE, id), &json!({}))?;
    events::emit_of_company(tx, caller.company, events::COMPANY_BANK_ACCOUNT_CREATED, id)?;
    company_forms::service::refresh(tx, caller)?;
    Ok((true, view(tx, caller, &account)?))
}

/// Chooses the test deposits of an account and gives their amounts, to be paid into it. A second call gives the same.
///
/// # Errors
/// "Not found", 422 for an account that has proved itself; a store error.
pub fn send_test_deposits(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<TestDeposits, Error> {
    guard(tx, caller)?;
    let account = find(tx, caller, id)?;
    if account.verification == Verification::Verified {
        return Err(Violation::operation("The bank account is verified; it takes no test deposits.").into());
    }
    let cents = match account.deposits(tx, caller.company)? {
        Some(cents) => cents,
        None => {
            let cents = choose(tx.random::<8>());
            let mut after = Account { verification: Verification::Ready, ..account.clone() };
            after.set_deposits(tx, caller.company, cents)?;
            change(tx, caller, &account, &after)?;
            cents
        }
    };
    audit::record(tx, caller, "test_deposits_told", (TABLE, id), &json!({}))?;
    let dollars = |cents: i64| Amount::from_cents(cents).to_text(2);
    Ok(TestDeposits { deposit_1: dollars(cents.0), deposit_2: dollars(cents.1) })
}

/// How an attempt to verify an account went.
#[derive(Debug)]
pub enum Verified {
    /// the amounts are right
    Right(Box<shapes::CompanyBankAccount>),
    /// they are not; that is counted
    Wrong(Violation),
}

/// Compares the amounts that the company read off its statement. A wrong answer is counted, so this does not fail: the
/// count must outlive it.
///
/// # Errors
/// "Not found", every violation of the input, 422 for an account that cannot be verified now; a store error.
pub fn verify(tx: &mut Tx<'_>, caller: &Caller, id: Uuid, input: &VerifyAccount) -> Result<Verified, Error> {
    guard(tx, caller)?;
    let account = find(tx, caller, id)?;
    let mut checks = Checks::new();
    let first = input.deposit_1.required("deposit_1", &mut checks, |k, v| amount(k, *v));
    let second = input.deposit_2.required("deposit_2", &mut checks, |k, v| amount(k, *v));
    checks.finish()?;
    let (Some(first), Some(second)) = (first, second) else { return Err(Error::Internal) };
    let refused = match account.verification {
        Verification::Verified => Some("The bank account is verified already."),
        Verification::AwaitingDeposits => Some("The test deposits have not been made yet."),
        Verification::Ready if account.tries >= TRIES => {
            Some("The amounts were wrong too often; add the bank account anew.")
        }
        Verification::Ready => None,
    };
    if let Some(message) = refused {
        return Err(Violation::operation(message).into());
    }
    let cents = account.deposits(tx, caller.company)?.ok_or(Error::Internal)?;
    if matches(cents, (first, second)) {
        let now = tx.now();
        let after =
            Account { verification: Verification::Verified, verified_at: Some(now), ..account.clone() };
        change(tx, caller, &account, &after)?;
        events::emit_of_company(tx, caller.company, events::COMPANY_BANK_ACCOUNT_VERIFIED, id)?;
        return Ok(Verified::Right(Box::new(view(tx, caller, &after)?)));
    }
    let after = Account { tries: account.tries + 1, ..account.clone() };
    assert!(rows::update(tx, caller.company, &after)?, "the row was read under the guard");
    audit::record(
        tx,
        caller,
        "verification_failed",
        (TABLE, id),
        &json!({ "tries": [account.tries, after.tries] }),
    )?;
    let left = TRIES - after.tries;
    let message =
        format!("The amounts are not those of the test deposits; {left} of {TRIES} tries are left.");
    Ok(Verified::Wrong(Violation::operation(message)))
}

fn guard(tx: &mut Tx<'_>, caller: &Caller) -> Result<(), Error> {
    Ok(tx.guard(caller.company, TABLE, caller.company)?)
}

fn find(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<Account, Error> {
    rows::current(tx, caller.company)?.filter(|account| account.id == id).ok_or(Error::NotFound)
}

fn change(tx: &mut Tx<'_>, caller: &Caller, before: &Account, after: &Account) -> Result<(), Error> {
    assert!(rows::update(tx, caller.company, after)?, "the row was read under the guard");
    let changes =
        json!({ "verification_status": [before.verification.as_str(), after.verification.as_str()] });
    audit::record(tx, caller, "updated", (TABLE, after.id), &changes)?;
    events::emit_of_company(tx, caller.company, events::COMPANY_BANK_ACCOUNT_UPDATED, after.id)
}

fn view(tx: &mut Tx<'_>, caller: &Caller, account: &Account) -> Result<shapes::CompanyBankAccount, Error> {
    let hidden = account.hidden_account_number(tx, caller.company)?;
    Ok(shapes::CompanyBankAccount {
        uuid: account.id,
        company_uuid: caller.company,
        account_type: account.account_type.as_str(),
        routing_number: account.routing_number(tx, caller.company)?,
        name: format!("{} {hidden}", account.account_type.as_str()),
        hidden_account_number: hidden,
        verification_status: account.verification.as_str(),
        verification_type: "bank_deposits",
        plaid_status: None,
        last_cached_balance: None,
        balance_fetched_date: None,
    })
}
