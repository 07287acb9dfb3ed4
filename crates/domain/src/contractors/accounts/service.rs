//! Use cases of the bank account and the payment method of a contractor. Every change first takes the contractor's guard.

use rules::contractor::PayBy;
use rules::{Checks, Named, Violation};
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use super::BankAccountDetails;
use super::rows::{self, BankAccount};
use crate::access::tokens::Caller;
use crate::contractors::records::service::{find_contractor, find_guarded};
use crate::contractors::records::{self, Contractor};
use crate::error::Error;
use crate::events;
use crate::paging::{Listed, Page};
use crate::patch::{self, Patch, as_is};
use crate::people::payment_methods::commands::BankAccountInput;
use crate::people::payment_methods::entered::{NewAccount, read_account};
use crate::platform::hooks::ContractorAspect;
use crate::platform::{audit, hooks};
use crate::records::{Changes, version_text};

/// Table name of bank accounts in audit entries.
pub const ACCOUNT: &str = BankAccount::TABLE;
/// Name of payment methods in versions and audit entries. A contractor has one, identified by the contractor's id.
pub const METHOD: &str = "contractor_payment_methods";

/// Sets how a contractor is paid.
#[derive(Debug, Clone, Default)]
pub struct UpdateContractorPaymentMethod {
    /// the version as last read
    pub version: Patch<String>,
    /// the name of a [`PayBy`]
    pub kind: Patch<PayBy>,
}

/// How a contractor is paid, with the account used.
pub struct PaymentMethodDetails {
    /// the contractor
    pub contractor: Contractor,
    /// the account; `None` for checks
    pub account: Option<BankAccountDetails>,
}

store::hidden!(PaymentMethodDetails);

impl PaymentMethodDetails {
    /// Its version.
    pub fn version(&self) -> String {
        version_text(METHOD, self.contractor.id, self.contractor.payment_method_version)
    }
}

/// Returns the contractor's bank account, also while pay goes by check.
///
/// # Errors
/// "Not found"; a store error.
pub fn contractor_account(
    tx: &mut Tx<'_>,
    caller: &Caller,
    contractor: Uuid,
) -> Result<Option<BankAccountDetails>, Error> {
    let contractor = find_contractor(tx, caller, contractor)?.id;
    let held = rows::account_of_contractor(tx, caller.company, contractor)?;
    held.map(|account| account_details(tx, caller, account)).transpose()
}

/// Enters the contractor's bank account, or replaces its data, and switches to direct deposit.
///
/// # Errors
/// "Not found", every violation of the input; a store error.
pub fn set_account(
    tx: &mut Tx<'_>,
    caller: &Caller,
    contractor: Uuid,
    input: &BankAccountInput,
) -> Result<BankAccountDetails, Error> {
    let contractor = find_guarded(tx, caller, contractor)?;
    let new = read_account(input)?;
    let account = match rows::account_of_contractor(tx, caller.company, contractor.id)? {
        Some(before) => replace_account(tx, caller, before, new)?,
        None => {
            let id = tx.new_id();
            let account = seal_account(tx, caller, new, (contractor.id, id, 1))?;
            account.insert(tx, caller.company)?;
            audit::record_audit_entry(tx, caller, "created", (ACCOUNT, id), &json!({}))?;
            emit_account_event(tx, caller, events::CONTRACTOR_BANK_ACCOUNT_CREATED, &account)?;
            account
        }
    };
    // The version changes with the account too: whoever read the method before has seen another account.
    save_method(tx, caller, &contractor, PayBy::DirectDeposit)?;
    account_details(tx, caller, account)
}

/// Replaces the data of an account. The same data changes nothing.
fn replace_account(
    tx: &mut Tx<'_>,
    caller: &Caller,
    before: BankAccount,
    new: NewAccount,
) -> Result<BankAccount, Error> {
    let mut changes = Changes::new();
    changes.record_difference("name", &before.name, &new.name);
    changes.record_difference("account_type", &before.account_type.as_str(), &new.account_type.as_str());
    let routing_before = before.routing_number(tx, caller.company)?;
    changes.note_secret("routing_number", routing_before != new.routing_number);
    let number_before = before.account_number(tx, caller.company)?;
    changes.note_secret("account_number", *number_before != *new.account_number);
    if changes.is_empty() {
        return Ok(before);
    }
    let same =
        ["routing_number", "account_number", "account_type"].iter().all(|field| !changes.has_change(field));
    let sealed = seal_account(tx, caller, new, (before.contractor, before.id, before.version))?;
    // Renaming an account with a returned payment does not make it another account.
    let returned_code = before.returned_code.clone().filter(|_| same);
    let after = BankAccount { returned_code, returned_at: before.returned_at, ..sealed };
    assert!(after.update(tx, caller.company)?, "the row was read under its guard");
    audit::record_audit_entry(tx, caller, "updated", (ACCOUNT, after.id), &changes.to_json())?;
    emit_account_event(tx, caller, events::CONTRACTOR_BANK_ACCOUNT_UPDATED, &after)?;
    Ok(after)
}

/// Returns how the contractor is paid.
///
/// # Errors
/// "Not found"; a store error.
pub fn get_method(tx: &mut Tx<'_>, caller: &Caller, contractor: Uuid) -> Result<PaymentMethodDetails, Error> {
    let contractor = find_contractor(tx, caller, contractor)?;
    with_account(tx, caller, contractor)
}

/// Sets how the contractor is paid. The account is kept for later.
///
/// # Errors
/// "Not found", 409 for a stale version, every violation of the input; a store error.
pub fn update_method(
    tx: &mut Tx<'_>,
    caller: &Caller,
    contractor: Uuid,
    input: &UpdateContractorPaymentMethod,
) -> Result<PaymentMethodDetails, Error> {
    let contractor = find_guarded(tx, caller, contractor)?;
    let mut checks = Checks::new();
    let version = patch::check_version(&input.version, &mut checks);
    let kind = input.kind.required("type", &mut checks, as_is);
    if kind == Some(PayBy::DirectDeposit)
        && rows::account_of_contractor(tx, caller.company, contractor.id)?.is_none()
    {
        checks.push(Violation::invalid_operation("Direct Deposit needs a bank account: add one first."));
    }
    checks.finish()?;
    let Some(kind) = kind else { unreachable!("a method without a type is refused") };
    let changes = payment_method_changes(&contractor, kind);
    let current = version_text(METHOD, contractor.id, contractor.payment_method_version);
    changes.expect_version(&version.unwrap_or_default(), current)?;
    if !changes.is_empty() {
        save_method(tx, caller, &contractor, kind)?;
    }
    get_method(tx, caller, contractor.id)
}

/// Returns how the company's contractors are paid, all of them or only one, oldest first.
pub fn list_details(
    tx: &mut Tx<'_>,
    caller: &Caller,
    wanted: impl Fn(&Contractor) -> bool,
    page: Page,
) -> Result<Listed<PaymentMethodDetails>, Error> {
    let found: Vec<_> =
        records::rows::of_company(tx, caller.company)?.into_iter().filter(|one| wanted(one)).collect();
    Listed::slice(page, found).try_map(|one| with_account(tx, caller, one))
}

/// Deletes the bank account and the payment method of a contractor who is being deleted.
pub fn delete_contractor_accounts(tx: &mut Tx<'_>, caller: &Caller, contractor: Uuid) -> Result<(), Error> {
    if let Some(held) = rows::account_of_contractor(tx, caller.company, contractor)? {
        assert!(held.delete(tx, caller.company)?, "the row was read under its guard");
        emit_account_event(tx, caller, events::CONTRACTOR_BANK_ACCOUNT_DELETED, &held)?;
    }
    if find_contractor(tx, caller, contractor)?.payment_method.is_some() {
        events::emit_event(tx, caller.company, events::CONTRACTOR_PAYMENT_METHOD_DELETED, contractor)?;
    }
    Ok(())
}

fn with_account(
    tx: &mut Tx<'_>,
    caller: &Caller,
    contractor: Contractor,
) -> Result<PaymentMethodDetails, Error> {
    let account = match contractor.payment_method {
        Some(PayBy::DirectDeposit) => rows::account_of_contractor(tx, caller.company, contractor.id)?,
        Some(PayBy::Check) | None => None,
    };
    let account = account.map(|account| account_details(tx, caller, account)).transpose()?;
    Ok(PaymentMethodDetails { contractor, account })
}

fn account_details(
    tx: &mut Tx<'_>,
    caller: &Caller,
    account: BankAccount,
) -> Result<BankAccountDetails, Error> {
    let routing_number = account.routing_number(tx, caller.company)?;
    let hidden_account_number = account.hidden_account_number(tx, caller.company)?;
    Ok(BankAccountDetails { account, routing_number, hidden_account_number })
}

/// Seals the data of an account with the contractor, the account's id and its version.
fn seal_account(
    tx: &mut Tx<'_>,
    caller: &Caller,
    new: NewAccount,
    (contractor, id, version): (Uuid, Uuid, i64),
) -> Result<BankAccount, Error> {
    let place = |column| rows::sealed_field_place(caller.company, id, column);
    Ok(BankAccount {
        contractor,
        id,
        routing_number: tx.seal_field(place("routing_number"), new.routing_number.as_bytes())?,
        account_number: tx.seal_field(place("account_number"), new.account_number.as_bytes())?,
        name: new.name,
        account_type: new.account_type,
        returned_code: None,
        returned_at: None,
        version,
    })
}

fn payment_method_changes(before: &Contractor, kind: PayBy) -> Changes {
    let mut changes = Changes::new();
    changes.record_difference("type", &before.payment_method.map(PayBy::as_str), &Some(kind.as_str()));
    changes
}

/// Stores how the contractor is paid, and emits an event if the type changes. Always increments the version.
fn save_method(tx: &mut Tx<'_>, caller: &Caller, before: &Contractor, kind: PayBy) -> Result<(), Error> {
    let after = Contractor { payment_method: Some(kind), ..before.clone() };
    assert!(records::rows::set_method(tx, caller.company, &after)?, "the row was read under its guard");
    let changes = payment_method_changes(before, kind);
    if !changes.is_empty() {
        audit::record_audit_entry(tx, caller, "updated", (METHOD, before.id), &changes.to_json())?;
        let event = events::CONTRACTOR_PAYMENT_METHOD_TYPE_UPDATED;
        events::emit_event(tx, caller.company, event, before.id)?;
    }
    hooks::contractor_changed(tx, caller, before.id, ContractorAspect::PaymentMethod)
}

fn emit_account_event(
    tx: &mut Tx<'_>,
    caller: &Caller,
    event: events::EventType,
    account: &BankAccount,
) -> Result<(), Error> {
    events::emit_of_contractor(tx, caller.company, event, account.id, account.contractor)
}
