//! What can be done with an employee's bank accounts and payment method.
//!
//! Every change first takes the guard of the employee, because what an account gets is decided from the others that
//! were read.

use std::collections::HashSet;

use rules::Named;
use rules::payment::{
    AccountType, Split, SplitBy, account_number, account_type, check_splits, routing_number,
};
use rules::{Amount, Checks, Violation, check};
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use super::plan::Plan;
use super::rows;
use super::rows::{BankAccount, CHECK, DIRECT_DEPOSIT, Method};
use super::view;
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::events;
use crate::events::EventType;
use crate::field;
use crate::field::{Field, as_is};
use crate::paging::{Listed, Page};
use crate::people::employees::Employee;
use crate::people::employees::service::{find, find_guarded};
use crate::people::onboarding;
use crate::people::payment_methods::shapes::{
    BankAccountInput, EmployeeBankAccount, EmployeePaymentMethod, SplitInput, UpdateEmployeePaymentMethod,
};
use crate::platform::audit;
use crate::records::{Changes, parse_id, room_for, version_text};
use crate::version::Change;

/// Table of bank accounts, in audit entries.
pub const ACCOUNT: &str = "employee_bank_accounts";
/// Table of payment methods, in versions and audit entries. An employee has one, so it goes by the employee's id.
pub const METHOD: &str = "employee_payment_methods";
/// Bank accounts that an employee can have at the most.
const MOST: usize = 20;
/// Characters of an account's name at the most.
const NAME: usize = 100;
/// An amount of one, in millionths.
const ONE: i64 = 1_000_000;

/// A page of the employee's bank accounts, in the order of creation.
///
/// # Errors
/// "Not found"; a store error.
pub fn list_accounts(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    page: Page,
) -> Result<Listed<EmployeeBankAccount>, Error> {
    let employee = find(tx, caller, employee)?.id;
    let accounts = rows::accounts(tx, caller.company, employee)?;
    let told: Result<Vec<_>, _> =
        accounts.iter().map(|account| view::account(tx, caller.company, account)).collect();
    Ok(Listed::slice(page, told?))
}

/// Adds a bank account and pays to it.
///
/// # Errors
/// "Not found", every violation of the input; a store error.
pub fn create_account(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    input: &BankAccountInput,
) -> Result<EmployeeBankAccount, Error> {
    let employee = find_guarded(tx, caller, employee)?;
    let told = read_account(input)?;
    let mut accounts = ids(&rows::accounts(tx, caller.company, employee.id)?);
    room_for("bank accounts of an employee", accounts.len(), MOST)?;

    let id = tx.new_id();
    let account = told.seal(tx, caller, employee.id, id, 1)?;
    rows::insert_account(tx, caller.company, &account)?;
    audit::record(tx, caller, "created", (ACCOUNT, id), &json!({}))?;
    emit(tx, caller, events::BANK_ACCOUNT_CREATED, &account)?;

    let before = rows::method(tx, caller.company, &employee)?;
    accounts.push(id);
    let plan = match before.plan.clone() {
        Some(plan) => Some(plan.with(id)),
        None => Plan::to_newest(&accounts),
    };
    let after = Method { kind: DIRECT_DEPOSIT, plan, version: before.version };
    save_method(tx, caller, &employee, &before, &after)?;
    onboarding::service::after_change(tx, caller, employee.id)?;
    view::account(tx, caller.company, &account)
}

/// Replaces what is held of a bank account. An update that repeats what is held changes nothing.
///
/// # Errors
/// "Not found", every violation of the input; a store error.
pub fn update_account(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    id: Uuid,
    input: &BankAccountInput,
) -> Result<EmployeeBankAccount, Error> {
    let before = find_account_guarded(tx, caller, employee, id)?;
    let told = read_account(input)?;
    let routing_before = before.routing_number(tx, caller.company)?;
    let fingerprint = rows::fingerprint(tx, caller.company, &told.account_number)?;

    let mut changes = Changes::new();
    changes.note("name", &before.name, &told.name);
    changes.note("account_type", &before.account_type.as_str(), &told.account_type.as_str());
    changes.note_secret("routing_number", routing_before != told.routing_number);
    changes.note_secret("account_number", before.fingerprint != fingerprint);
    if changes.is_empty() {
        return view::account(tx, caller.company, &before);
    }
    let after = told.seal(tx, caller, before.employee, id, before.version)?;
    assert!(rows::update_account(tx, caller.company, &after)?, "the row was read under its guard");
    audit::record(tx, caller, "updated", (ACCOUNT, id), &changes.to_json())?;
    emit(tx, caller, events::BANK_ACCOUNT_UPDATED, &after)?;
    onboarding::service::after_change(tx, caller, after.employee)?;
    view::account(tx, caller.company, &after)
}

/// Deletes a bank account; its share goes to the last one that remains, and without any the employee is paid by
/// check.
///
/// # Errors
/// "Not found"; a store error.
pub fn delete_account(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid, id: Uuid) -> Result<(), Error> {
    let account = find_account_guarded(tx, caller, employee, id)?;
    let employee = find(tx, caller, account.employee)?;
    if !rows::delete_account(tx, caller.company, employee.id, id)? {
        return Err(Error::NotFound);
    }
    audit::record(tx, caller, "deleted", (ACCOUNT, id), &json!({}))?;
    emit(tx, caller, events::BANK_ACCOUNT_DELETED, &account)?;

    let before = rows::method(tx, caller.company, &employee)?;
    let left = ids(&rows::accounts(tx, caller.company, employee.id)?);
    let mut after = Method { kind: before.kind, plan: None, version: before.version };
    if left.is_empty() {
        after.kind = CHECK;
    } else if before.kind == DIRECT_DEPOSIT {
        let plan = before.plan.clone().and_then(|plan| plan.without(id));
        after.plan = plan.or_else(|| Plan::to_newest(&left));
    }
    save_method(tx, caller, &employee, &before, &after)?;
    onboarding::service::after_change(tx, caller, employee.id)
}

/// How the employee is paid.
///
/// # Errors
/// "Not found"; a store error.
pub fn get_method(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Result<EmployeePaymentMethod, Error> {
    let employee = find(tx, caller, employee)?;
    let method = rows::method(tx, caller.company, &employee)?;
    let accounts = rows::accounts(tx, caller.company, employee.id)?;
    view::method(tx, caller.company, employee.id, &method, &accounts)
}

/// Says how the employee is paid.
///
/// # Errors
/// "Not found", 409 for a stale version, every violation of the input; a store error.
pub fn update_method(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    input: &UpdateEmployeePaymentMethod,
) -> Result<EmployeePaymentMethod, Error> {
    let employee = find_guarded(tx, caller, employee)?;
    let before = rows::method(tx, caller.company, &employee)?;
    let accounts = ids(&rows::accounts(tx, caller.company, employee.id)?);
    let mut checks = Checks::new();
    let version = field::version(&input.version, &mut checks);
    let kind = input.kind.required("type", &mut checks, |k, v| check::one_of(k, v, &[CHECK, DIRECT_DEPOSIT]));
    let by = input.split_by.optional("split_by", &mut checks, split_by);
    let splits = input.splits.optional("splits", &mut checks, |_, splits| Ok(splits.clone()));
    let plan = match kind {
        Some(DIRECT_DEPOSIT) if accounts.is_empty() => {
            without_account(caller, splits.as_deref(), &mut checks);
            None
        }
        Some(DIRECT_DEPOSIT) => {
            let by_is_blank = matches!(input.split_by, Field::Absent | Field::Null);
            wanted_plan(&before, &accounts, (by, by_is_blank), splits, &mut checks)
        }
        // Checks are not divided.
        _ => None,
    };
    checks.finish()?;

    let after = Method { kind: kind.unwrap_or(before.kind), plan, version: before.version };
    let changes = changes(&before, &after);
    let current = version_text(METHOD, employee.id, before.version);
    changes.expect_version(&version.unwrap_or_default(), current)?;
    if !changes.is_empty() {
        save_method(tx, caller, &employee, &before, &after)?;
        onboarding::service::after_change(tx, caller, employee.id)?;
    }
    get_method(tx, caller, employee.id)
}

/// Forgets how an employee is paid, who is being deleted.
///
/// # Errors
/// A store error.
pub fn forget(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Result<(), Error> {
    rows::delete_all(tx, caller.company, employee)
}

/// Direct deposit to an employee who has no account to be paid to.
fn without_account(caller: &Caller, splits: Option<&[SplitInput]>, checks: &mut Checks) {
    if caller.version.has(Change::DirectDepositNeedsAccount) {
        checks.push(Violation::operation("Direct Deposit needs a bank account: add one first."));
    } else if splits.is_some_and(|splits| !splits.is_empty()) {
        // Older versions take the type alone; it is divided once there is an account.
        checks.push(not_an_account());
    }
}

/// How pay is to be divided among the accounts, of which there is at least one.
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
            Violation::invalid("splits", "splits can't be blank where split_by changes")
        });
        return plan;
    };
    let by = by.or(present.filter(|_| by_is_blank).map(|plan| plan.by));
    if by.is_none() && by_is_blank {
        checks.push(Violation::invalid("split_by", "split_by can't be blank beside splits"));
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
    let amount = split.split_amount.optional("split_amount", &mut own, whole);
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

/// Percent or cents: `100` and `100.0` are the same.
fn whole(key: &str, amount: &Amount) -> Result<i64, Violation> {
    let millionths = amount.millionths();
    if millionths % ONE == 0 {
        return Ok(millionths / ONE);
    }
    Err(Violation::invalid(key, format!("{key} must be a whole number of percent or cents")))
}

#[expect(clippy::ptr_arg, reason = "has the shape of every other check")]
fn split_by(key: &str, text: &String) -> Result<SplitBy, Violation> {
    check::named(key, text, &[SplitBy::Percentage, SplitBy::Amount].map(SplitBy::as_str), SplitBy::parse)
}

/// What a request says of a bank account, before anything is sealed.
struct ToldAccount {
    name: String,
    account_type: AccountType,
    routing_number: String,
    account_number: String,
}

fn read_account(input: &BankAccountInput) -> Result<ToldAccount, Error> {
    let mut checks = Checks::new();
    let name = input.name.required("name", &mut checks, |k, v| check::text(k, v, NAME));
    let routing_number =
        input.routing_number.required("routing_number", &mut checks, |k, v| routing_number(k, v));
    let account_number =
        input.account_number.required("account_number", &mut checks, |k, v| account_number(k, v));
    let account_type = input.account_type.required("account_type", &mut checks, |k, v| account_type(k, v));
    checks.finish()?;
    Ok(ToldAccount {
        name: name.unwrap_or_default(),
        account_type: account_type.unwrap_or(AccountType::Checking),
        routing_number: routing_number.unwrap_or_default(),
        account_number: account_number.unwrap_or_default(),
    })
}

impl ToldAccount {
    fn seal(
        self,
        tx: &mut Tx<'_>,
        caller: &Caller,
        employee: Uuid,
        id: Uuid,
        version: i64,
    ) -> Result<BankAccount, Error> {
        let place = |column| rows::place(caller.company, id, column);
        Ok(BankAccount {
            id,
            employee,
            routing_number: tx.seal(place("routing_number"), self.routing_number.as_bytes())?,
            account_number: tx.seal(place("account_number"), self.account_number.as_bytes())?,
            fingerprint: rows::fingerprint(tx, caller.company, &self.account_number)?,
            name: self.name,
            account_type: self.account_type,
            version,
        })
    }
}

fn ids(accounts: &[BankAccount]) -> Vec<Uuid> {
    accounts.iter().map(|account| account.id).collect()
}

/// The employee's bank account under the employee's guard.
fn find_account_guarded(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    id: Uuid,
) -> Result<BankAccount, Error> {
    let employee = find_guarded(tx, caller, employee)?.id;
    let accounts = rows::accounts(tx, caller.company, employee)?;
    accounts.into_iter().find(|account| account.id == id).ok_or(Error::NotFound)
}

/// Stores how the employee is paid, and tells of another type. The version moves on in any case: what the splits
/// may name has changed where they have not.
fn save_method(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: &Employee,
    before: &Method,
    after: &Method,
) -> Result<(), Error> {
    let saved = rows::save_method(tx, caller.company, employee.id, after)?;
    assert!(saved, "the row was read under its guard");
    let changes = changes(before, after);
    if !changes.is_empty() {
        audit::record(tx, caller, "updated", (METHOD, employee.id), &changes.to_json())?;
    }
    if changes.has("type") {
        events::emit(tx, caller.company, events::EMPLOYEE_PAYMENT_METHOD_TYPE_UPDATED, employee.id)?;
    }
    Ok(())
}

fn changes(before: &Method, after: &Method) -> Changes {
    let by = |method: &Method| method.plan.as_ref().map(|plan| plan.by.as_str());
    let splits = |method: &Method| {
        let splits = method.plan.as_ref().map(|plan| plan.splits.iter());
        splits.map(|splits| {
            let told = splits.map(|split| {
                json!({ "uuid": split.account, "priority": split.priority, "split_amount": split.amount })
            });
            told.collect::<Vec<_>>()
        })
    };
    let mut changes = Changes::new();
    changes.note("type", &before.kind, &after.kind);
    changes.note("split_by", &by(before), &by(after));
    changes.note("splits", &splits(before), &splits(after));
    changes
}

fn emit(tx: &mut Tx<'_>, caller: &Caller, event: EventType, account: &BankAccount) -> Result<(), Error> {
    events::emit_of_employee(tx, caller.company, event, account.id, account.employee)
}

#[cfg(test)]
#[path = "service_tests.rs"]
mod tests;
