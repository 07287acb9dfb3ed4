//! Use cases of the bank accounts and the payment method of an employee.
//!
//! Every change first takes the employee's guard, because the share of an account depends on the others.

use std::collections::{HashMap, HashSet};

use rules::Named;
use rules::payment::{Split, SplitBy, check_splits};
use rules::{Amount, Checks, Violation, check};
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use super::commands::{BankAccountInput, SplitInput, UpdatePaymentMethod};
use super::entered::{NewAccount, read_account};
use super::plan::Plan;
use super::rows;
use super::rows::{BankAccount, CHECK, DIRECT_DEPOSIT, Method};
use super::{BankAccountDetails, PaymentDetails, PaymentMethodDetails, SplitDetails};
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::events;
use crate::events::EventType;
use crate::paging::{Listed, Page};
use crate::patch::{self, Patch, as_is};
use crate::people::employees::Employee;
use crate::people::employees::service::{find_employee, find_guarded};
use crate::people::profiles;
use crate::people::profiles::membership::Membership;
use crate::people::profiles::rows::EmployeeFilter;
use crate::platform::audit;
use crate::platform::hooks;
use crate::platform::hooks::EmployeeAspect;
use crate::records::{Changes, parse_id, room_for, version_text};
use crate::version::Change;

/// Table name of bank accounts in audit entries.
pub const ACCOUNT: &str = "employee_bank_accounts";
/// Table name of payment methods in versions and audit entries. An employee has one, identified by the employee's id.
pub const METHOD: &str = "employee_payment_methods";
/// Maximum number of bank accounts of an employee.
pub const MOST: usize = 20;
/// 1 as an amount, in millionths.
const ONE: i64 = 1_000_000;

/// Returns a page of the employee's bank accounts, in order of creation.
///
/// # Errors
/// "Not found"; a store error.
pub fn list_accounts(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    page: Page,
) -> Result<Listed<BankAccountDetails>, Error> {
    let employee = find_employee(tx, caller, employee)?.id;
    let accounts = rows::employee_accounts(tx, caller.company, employee)?;
    let details: Result<Vec<_>, _> =
        accounts.into_iter().map(|account| account_details(tx, caller, account)).collect();
    Ok(Listed::slice(page, details?))
}

/// Adds a bank account and switches the employee to direct deposit.
///
/// # Errors
/// "Not found", every violation of the input; a store error.
pub fn create_account(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    input: &BankAccountInput,
) -> Result<BankAccountDetails, Error> {
    let employee = find_guarded(tx, caller, employee)?;
    let new = read_account(input)?;
    let mut accounts = account_ids(&rows::employee_accounts(tx, caller.company, employee.id)?);
    room_for("bank accounts of an employee", accounts.len(), MOST)?;

    let id = tx.new_id();
    let account = new.seal_account(tx, caller, employee.id, id, 1)?;
    account.insert(tx, caller.company)?;
    audit::record_audit_entry(tx, caller, "created", (ACCOUNT, id), &json!({}))?;
    emit_account_event(tx, caller, events::BANK_ACCOUNT_CREATED, &account)?;

    let before = rows::payment_method(tx, caller.company, (employee.id, &employee.payment_method))?;
    accounts.push(id);
    let plan = match before.plan.clone() {
        Some(plan) => Some(plan.with_added_account(id)),
        None => Plan::to_newest(&accounts),
    };
    let after = Method { kind: DIRECT_DEPOSIT, plan, version: before.version };
    save_method(tx, caller, &employee, &before, &after)?;
    hooks::employee_changed(tx, caller, employee.id, EmployeeAspect::PaymentMethod)?;
    account_details(tx, caller, account)
}

/// Replaces the data of a bank account. An update with the same data changes nothing.
///
/// # Errors
/// "Not found", every violation of the input; a store error.
pub fn update_account(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    id: Uuid,
    input: &BankAccountInput,
) -> Result<BankAccountDetails, Error> {
    let before = find_account_guarded(tx, caller, employee, id)?;
    let new = read_account(input)?;
    let routing_before = before.routing_number(tx, caller.company)?;
    let number_before = before.account_number(tx, caller.company)?;

    let mut changes = Changes::new();
    changes.record_difference("name", &before.name, &new.name);
    changes.record_difference("account_type", &before.account_type.as_str(), &new.account_type.as_str());
    changes.note_secret("routing_number", routing_before != new.routing_number);
    changes.note_secret("account_number", *number_before != *new.account_number);
    if changes.is_empty() {
        return account_details(tx, caller, before);
    }
    let same = !changes.has_change("routing_number")
        && !changes.has_change("account_number")
        && !changes.has_change("account_type");
    let sealed = new.seal_account(tx, caller, before.employee, id, before.version)?;
    // Renaming an account with a returned payment does not make it another account.
    let returned_code = before.returned_code.clone().filter(|_| same);
    let after = BankAccount { returned_code, returned_at: before.returned_at, ..sealed };
    assert!(after.update(tx, caller.company)?, "the row was read under its guard");
    audit::record_audit_entry(tx, caller, "updated", (ACCOUNT, id), &changes.to_json())?;
    emit_account_event(tx, caller, events::BANK_ACCOUNT_UPDATED, &after)?;
    if before.returned_code.is_some() && !same {
        emit_account_event(tx, caller, events::NOTIFICATION_RETURNED_ACCOUNT_RESOLVED, &after)?;
    }
    hooks::employee_changed(tx, caller, after.employee, EmployeeAspect::PaymentMethod)?;
    account_details(tx, caller, after)
}

/// Deletes a bank account. Its share goes to the last remaining one; if none remains, the employee is paid by check.
///
/// # Errors
/// "Not found"; a store error.
pub fn delete_account(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid, id: Uuid) -> Result<(), Error> {
    let account = find_account_guarded(tx, caller, employee, id)?;
    let employee = find_employee(tx, caller, account.employee)?;
    if !account.delete(tx, caller.company)? {
        return Err(Error::NotFound);
    }
    audit::record_audit_entry(tx, caller, "deleted", (ACCOUNT, id), &json!({}))?;
    emit_account_event(tx, caller, events::BANK_ACCOUNT_DELETED, &account)?;
    if account.returned_code.is_some() {
        emit_account_event(tx, caller, events::NOTIFICATION_RETURNED_ACCOUNT_RESOLVED, &account)?;
    }

    let before = rows::payment_method(tx, caller.company, (employee.id, &employee.payment_method))?;
    let left = account_ids(&rows::employee_accounts(tx, caller.company, employee.id)?);
    let mut after = Method { kind: before.kind, plan: None, version: before.version };
    if left.is_empty() {
        after.kind = CHECK;
    } else if before.kind == DIRECT_DEPOSIT {
        let plan = before.plan.clone().and_then(|plan| plan.without_account(id));
        after.plan = plan.or_else(|| Plan::to_newest(&left));
    }
    save_method(tx, caller, &employee, &before, &after)?;
    hooks::employee_changed(tx, caller, employee.id, EmployeeAspect::PaymentMethod)
}

/// Gives the share of an account to another account of the employee, under the employee's guard; no-op without direct deposit or a share.
///
/// # Errors
/// "Not found"; a store error.
pub fn redirect_share(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    (from, to): (Uuid, Uuid),
) -> Result<(), Error> {
    let employee = find_guarded(tx, caller, employee)?;
    let before = rows::payment_method(tx, caller.company, (employee.id, &employee.payment_method))?;
    let share = |plan: &Plan| plan.splits.iter().any(|one| one.account == from && one.amount != Some(0));
    if before.kind != DIRECT_DEPOSIT || !before.plan.as_ref().is_some_and(share) {
        return Ok(());
    }
    let after = Method {
        plan: before.plan.clone().map(|plan| plan.with_redirected_share(from, to)),
        ..before.clone()
    };
    save_method(tx, caller, &employee, &before, &after)?;
    hooks::employee_changed(tx, caller, employee.id, EmployeeAspect::PaymentMethod)
}

/// Returns how the employee is paid.
///
/// # Errors
/// "Not found"; a store error.
pub fn get_method(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Result<PaymentMethodDetails, Error> {
    let employee = find_employee(tx, caller, employee)?;
    let method = rows::payment_method(tx, caller.company, (employee.id, &employee.payment_method))?;
    let parts = payment_shares(tx, caller, employee.id, &method)?;
    let splits = parts.into_iter().map(|(split, details)| SplitDetails {
        account: details.account.id,
        name: details.account.name,
        hidden_account_number: details.hidden_account_number,
        priority: split.priority,
        amount: split.amount,
    });
    Ok(PaymentMethodDetails { employee: employee.id, splits: splits.collect(), method })
}

/// Returns how the employees in a list are paid, with the accounts used.
///
/// # Errors
/// 422 if the list is filtered by both an employee and a payroll; a store error.
pub fn list_details(
    tx: &mut Tx<'_>,
    caller: &Caller,
    (employee, payroll): (Option<Uuid>, Option<Membership>),
    page: Page,
) -> Result<Listed<PaymentDetails>, Error> {
    if employee.is_some() && payroll.is_some() {
        let message = "employee_uuid and payroll_uuid exclude each other: send one of them.";
        return Err(Error::from(Violation::invalid_operation(message)));
    }
    let filter =
        EmployeeFilter { ids: employee.map(|employee| vec![employee]), payroll, ..EmployeeFilter::default() };
    let today = caller.today(tx);
    let found = profiles::rows::list_employees(tx, caller.company, &filter, page, today)?;
    let mut details = Vec::with_capacity(found.len());
    for employee in found {
        let method = rows::payment_method(tx, caller.company, (employee.id, &employee.payment_method))?;
        let parts = payment_shares(tx, caller, employee.id, &method)?;
        details.push(PaymentDetails { employee, method, parts });
    }
    if filter.ids.is_some() {
        return Ok(Listed::slice(page, details));
    }
    Listed::new(page, details, || profiles::rows::count_employees(tx, caller.company, &filter, today, page))
}

/// Returns the shares of a payment with their accounts, by priority.
fn payment_shares(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    method: &Method,
) -> Result<Vec<(Split<Uuid>, BankAccountDetails)>, Error> {
    let Some(plan) = &method.plan else { return Ok(Vec::new()) };
    let mut accounts: HashMap<Uuid, BankAccount> = rows::employee_accounts(tx, caller.company, employee)?
        .into_iter()
        .map(|account| (account.id, account))
        .collect();
    let mut parts = Vec::with_capacity(plan.splits.len());
    for split in &plan.splits {
        // The unit that deletes an account also removes it from the splits.
        let account = accounts.remove(&split.account).ok_or_else(|| {
            Error::internal("employee_payment_methods names a bank account that is not there")
        })?;
        parts.push((*split, account_details(tx, caller, account)?));
    }
    Ok(parts)
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

/// Sets how the employee is paid.
///
/// # Errors
/// "Not found", 409 for a stale version, every violation of the input; a store error.
pub fn update_method(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    input: &UpdatePaymentMethod,
) -> Result<PaymentMethodDetails, Error> {
    let employee = find_guarded(tx, caller, employee)?;
    let before = rows::payment_method(tx, caller.company, (employee.id, &employee.payment_method))?;
    let accounts = account_ids(&rows::employee_accounts(tx, caller.company, employee.id)?);
    let mut checks = Checks::new();
    let version = patch::check_version(&input.version, &mut checks);
    let kind = input.kind.required("type", &mut checks, |k, v| check::one_of(k, v, &[CHECK, DIRECT_DEPOSIT]));
    let by = input.split_by.optional("split_by", &mut checks, split_by);
    let splits = input.splits.optional("splits", &mut checks, |_, splits| Ok(splits.clone()));
    // For an employee paid by check, clients have no splits and send an empty list.
    let splits = splits.filter(|splits| !splits.is_empty());
    let plan = match kind {
        Some(DIRECT_DEPOSIT) if accounts.is_empty() => {
            without_account(caller, splits.as_deref(), &mut checks);
            None
        }
        Some(DIRECT_DEPOSIT) => {
            let by_is_blank = matches!(input.split_by, Patch::Absent | Patch::Null);
            wanted_plan(&before, &accounts, (by, by_is_blank), splits, &mut checks)
        }
        // Checks are not split.
        _ => None,
    };
    checks.finish()?;

    let after = Method { kind: kind.unwrap_or(before.kind), plan, version: before.version };
    let changes = method_changes(&before, &after);
    let current = version_text(METHOD, employee.id, before.version);
    changes.expect_version(&version.unwrap_or_default(), current)?;
    if !changes.is_empty() {
        save_method(tx, caller, &employee, &before, &after)?;
        hooks::employee_changed(tx, caller, employee.id, EmployeeAspect::PaymentMethod)?;
    }
    get_method(tx, caller, employee.id)
}

/// Deletes the bank accounts and the payment method of an employee who is being deleted.
pub fn delete_payment_records(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Result<(), Error> {
    rows::delete_all(tx, caller.company, employee)
}

/// Checks direct deposit for an employee without an account.
fn without_account(caller: &Caller, splits: Option<&[SplitInput]>, checks: &mut Checks) {
    if caller.version.includes_change(Change::DirectDepositNeedsAccount) {
        checks.push(Violation::invalid_operation("Direct Deposit needs a bank account: add one first."));
    } else if splits.is_some() {
        // Older versions of the API accept the type alone; pay is split once there is an account.
        checks.push(not_an_account());
    }
}

/// Returns the requested split of pay among the accounts, of which there is at least one.
fn wanted_plan(
    before: &Method,
    accounts: &[Uuid],
    (by, by_is_blank): (Option<SplitBy>, bool),
    splits: Option<Vec<SplitInput>>,
    checks: &mut Checks,
) -> Option<Plan> {
    let present = before.plan.clone();
    let Some(sent) = splits else {
        let plan = present.or_else(|| Plan::to_newest(accounts));
        let by_present = plan.as_ref().map(|plan| plan.by);
        checks.require(by.is_none() || by == by_present, || {
            Violation::invalid("splits", "splits can't be blank if split_by changes")
        });
        return plan;
    };
    let by = by.or(present.filter(|_| by_is_blank).map(|plan| plan.by));
    if by.is_none() && by_is_blank {
        checks.push(Violation::invalid("split_by", "split_by can't be blank if splits is sent"));
    }
    let mut splits = Vec::new();
    for (place, split) in (1..).zip(&sent) {
        splits.extend(read_split(place, split, accounts, checks));
    }
    let by = by.filter(|_| splits.len() == sent.len())?;
    checks.extend(check_splits(by, &splits));
    let named: HashSet<Uuid> = splits.iter().map(|split| split.account).collect();
    checks.require(named.len() == splits.len(), || {
        Violation::invalid("splits", "splits must name each bank account once")
    });
    splits.sort_by_key(|split| split.priority);
    Some(Plan { by, splits })
}

fn read_split(place: i64, split: &SplitInput, accounts: &[Uuid], checks: &mut Checks) -> Option<Split<Uuid>> {
    let mut own = Checks::new();
    let account = split.uuid.required("uuid", &mut own, |_, id| {
        parse_id(id).filter(|id| accounts.contains(id)).ok_or_else(not_an_account)
    });
    let priority = split.priority.optional("priority", &mut own, as_is);
    let amount = split.split_amount.optional("split_amount", &mut own, check_whole_number);
    match own.finish() {
        Ok(()) => Some(Split { account: account?, priority: priority.unwrap_or(place), amount }),
        Err(violations) => {
            checks.extend(violations);
            None
        }
    }
}

fn not_an_account() -> Violation {
    Violation::invalid("splits", "splits may name only bank accounts of this employee")
}

/// Converts an amount to whole percent or cents: `100` and `100.0` are the same.
fn check_whole_number(key: &str, amount: &Amount) -> Result<i64, Violation> {
    let millionths = amount.millionths();
    if millionths % ONE == 0 {
        return Ok(millionths / ONE);
    }
    Err(Violation::invalid(key, format!("{key} must be a whole number of percent or cents")))
}

#[expect(clippy::ptr_arg, reason = "has the shape of every other check")]
fn split_by(key: &str, text: &String) -> Result<SplitBy, Violation> {
    check::parse_named(
        key,
        text,
        &[SplitBy::Percentage, SplitBy::Amount].map(SplitBy::as_str),
        SplitBy::parse,
    )
}

impl NewAccount {
    fn seal_account(
        self,
        tx: &mut Tx<'_>,
        caller: &Caller,
        employee: Uuid,
        id: Uuid,
        version: i64,
    ) -> Result<BankAccount, Error> {
        let place = |column| rows::sealed_field_place(caller.company, id, column);
        Ok(BankAccount {
            id,
            employee,
            routing_number: tx.seal_field(place("routing_number"), self.routing_number.as_bytes())?,
            account_number: tx.seal_field(place("account_number"), self.account_number.as_bytes())?,
            name: self.name,
            account_type: self.account_type,
            returned_code: None,
            returned_at: None,
            version,
        })
    }
}

fn account_ids(accounts: &[BankAccount]) -> Vec<Uuid> {
    accounts.iter().map(|account| account.id).collect()
}

/// Takes the employee's guard and returns the bank account.
fn find_account_guarded(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    id: Uuid,
) -> Result<BankAccount, Error> {
    let employee = find_guarded(tx, caller, employee)?.id;
    let accounts = rows::employee_accounts(tx, caller.company, employee)?;
    accounts.into_iter().find(|account| account.id == id).ok_or(Error::NotFound)
}

/// Stores how the employee is paid, and emits an event if the type changes. Always increments the version: even if the
/// splits are unchanged, the accounts that they may use have changed.
fn save_method(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: &Employee,
    before: &Method,
    after: &Method,
) -> Result<(), Error> {
    let saved = rows::save_method(tx, caller.company, employee.id, after)?;
    assert!(saved, "the row was read under its guard");
    let changes = method_changes(before, after);
    if !changes.is_empty() {
        audit::record_audit_entry(tx, caller, "updated", (METHOD, employee.id), &changes.to_json())?;
    }
    if changes.has_change("type") {
        events::emit_event(tx, caller.company, events::EMPLOYEE_PAYMENT_METHOD_TYPE_UPDATED, employee.id)?;
    }
    Ok(())
}

fn method_changes(before: &Method, after: &Method) -> Changes {
    let by = |method: &Method| method.plan.as_ref().map(|plan| plan.by.as_str());
    let splits = |method: &Method| {
        let splits = method.plan.as_ref().map(|plan| plan.splits.iter());
        splits.map(|splits| {
            let shown = splits.map(|split| {
                json!({ "uuid": split.account, "priority": split.priority, "split_amount": split.amount })
            });
            shown.collect::<Vec<_>>()
        })
    };
    let mut changes = Changes::new();
    changes.record_difference("type", &before.kind, &after.kind);
    changes.record_difference("split_by", &by(before), &by(after));
    changes.record_difference("splits", &splits(before), &splits(after));
    changes
}

fn emit_account_event(
    tx: &mut Tx<'_>,
    caller: &Caller,
    event: EventType,
    account: &BankAccount,
) -> Result<(), Error> {
    events::emit_of_employee(tx, caller.company, event, account.id, account.employee)
}
