//! Repayments: returned or held amounts that are paid again, as the employer decides, or by rule.

use rules::{Checks, Violation};
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use super::followers::{create_follower, find_guarded_entry, let_go, refund_employer, refusal_error};
use super::lifecycle::{MOST_CENTS, add_entry, look_again};
use super::{contractors, net_pay, support};
use crate::access::tokens::Caller;
use crate::company::banks::rows as banks;
use crate::contractors::accounts::rows as of_contractors;
use crate::error::Error;
use crate::events;
use crate::money::funding::{self, Mode};
use crate::money::ledger::purpose::Purpose;
use crate::money::ledger::rows::{Batch, BatchKind, Entry, EntryState};
use crate::patch::{Patch, as_is};
use crate::pay::payrolls::record::rows as payrolls;
use crate::people::payment_methods::{payable, rows as accounts, service as methods};
use crate::platform::audit;

/// How to pay a held amount: exactly one of the two fields.
#[derive(Debug, Clone, Default)]
pub struct PayAgain {
    /// an account of the employee
    pub bank_account_uuid: Patch<String>,
    /// whether the employer writes a check
    pub by_check: Patch<bool>,
}

impl PayAgain {
    /// Returns the chosen way to pay.
    ///
    /// # Errors
    /// 422 for every violation, and if both or neither fields are given.
    fn payment_way(&self) -> Result<To, Error> {
        let mut checks = Checks::new();
        let account = self.bank_account_uuid.optional("bank_account_uuid", &mut checks, |key, text| {
            text.parse::<Uuid>().map_err(|_| Violation::invalid(key, format!("{key} must be a UUID")))
        });
        let by_check = self.by_check.optional("by_check", &mut checks, as_is).unwrap_or(false);
        checks.finish()?;
        match (account, by_check) {
            (Some(account), false) => Ok(To::Account(account)),
            (None, true) => Ok(To::Check),
            _ => {
                let message = "Send either bank_account_uuid, or by_check as true.";
                Err(Error::from(Violation::invalid("bank_account_uuid", message)))
            }
        }
    }
}

/// Pays an amount that was returned, or held from the start, as the employer chooses.
///
/// # Errors
/// As [`pay_again`]; 422 for every violation of the input.
pub fn as_told(tx: &mut Tx<'_>, caller: &Caller, id: Uuid, input: &PayAgain) -> Result<(), Error> {
    Entry::find(tx, caller.company, id)?.ok_or(Error::NotFound)?;
    pay_again(tx, caller, id, input.payment_way()?)
}

/// How a held amount is paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum To {
    /// to this account of the employee
    Account(Uuid),
    /// by check, which the employer writes
    Check,
    /// to the child support agency
    Agency,
    /// by the employer, who has recorded it as a payment of the liability
    Employer,
}

/// Pays an amount that was returned, or held from the start, in another way. Returned child support is paid to its agency again, or by the
/// employer.
///
/// # Errors
/// "Not found"; 422 for a payment whose amount is not held, and for an account that cannot be paid; a store error.
pub fn pay_again(tx: &mut Tx<'_>, caller: &Caller, id: Uuid, to: To) -> Result<(), Error> {
    let company = caller.company;
    let (batch, mut entry) = find_guarded_entry(tx, company, id)?;
    let of_support = matches!(batch.kind, BatchKind::Support | BatchKind::SupportAgain);
    let of_pay = matches!(batch.kind, BatchKind::Pay | BatchKind::Again);
    if entry.state == EntryState::PaidByEmployer {
        return Err(refusal_error(
            "the employer has paid the amount, and recorded it as a payment of net pay payable",
        ));
    }
    let was_reversed = entry.state == EntryState::Reversed;
    let is_owed = matches!(entry.state, EntryState::Returned | EntryState::Held)
        || (was_reversed && to == To::Employer);
    if !(of_pay || of_support) || !is_owed {
        return Err(refusal_error(
            "only pay and child support that was returned or is held can be paid again",
        ));
    }
    if entry.cents > MOST_CENTS && to != To::Check {
        return Err(refusal_error("the amount exceeds the maximum of an ACH entry: pay it by check"));
    }
    let came_back = entry.state == EntryState::Returned;
    entry.state = if to == To::Employer { EntryState::PaidByEmployer } else { EntryState::Replaced };
    assert!(entry.update(tx, company)?, "the row was read under its guard");
    let told = match to {
        // The operator returns what was reversed to the employer.
        To::Employer if was_reversed => json!({ "by": "employer" }),
        To::Check | To::Employer => {
            // A wire funds all employees, whether or not they have an account.
            let by_wire = funding::of_payroll(tx, company, entry.payroll)?.mode == Mode::Wire;
            if came_back || entry.debited || by_wire {
                refund_employer(tx, company, &entry)?;
            }
            // The employer's own record of the payment is its posting.
            if of_pay && to == To::Check {
                settled_by_check(tx, company, &batch, &entry, came_back)?;
            }
            if !came_back {
                pay_what_is_left(tx, company, &batch)?;
            }
            json!({ "by": if to == To::Check { "check" } else { "employer" } })
        }
        To::Account(_) if of_support => {
            return Err(refusal_error("child support is paid to its agency, or by the employer (by_check)"));
        }
        To::Account(account) => {
            to_account(tx, caller, &entry, account)?;
            json!({ "by": "direct_deposit", "account": account })
        }
        To::Agency if of_support => {
            support::pay_again(tx, company, &entry)?;
            json!({ "by": "direct_deposit", "to": "agency" })
        }
        To::Agency => return Err(refusal_error("only child support is paid to an agency")),
    };
    if of_support {
        events::emit_of_company(tx, company, events::NOTIFICATION_SUPPORT_RETURNED_RESOLVED, id)?;
    }
    audit::record_audit_entry(tx, caller, "paid_again", (Entry::TABLE, id), &told)
}

/// Records that a held or returned amount is paid by the employer's check.
fn settled_by_check(
    tx: &mut Tx<'_>,
    company: Uuid,
    batch: &Batch,
    entry: &Entry,
    came_back: bool,
) -> Result<(), Error> {
    match batch.purpose {
        Purpose::Contractors => contractors::by_check(tx, company, batch, entry),
        Purpose::Payroll | Purpose::TaxDeposit => {
            net_pay::by_check_after_all(tx, company, batch, (entry.cents, came_back))
        }
    }
}

/// Pays a held amount whose account had a payment returned: to the employee's other account, or by check without one. What cannot be
/// refunded to the employer stays held.
pub(in crate::money) fn by_rule(tx: &mut Tx<'_>, caller: &Caller, entry: &Entry) -> Result<(), Error> {
    let Some(account) = entry.account else { return Ok(()) };
    let (is_returned, other) = match (entry.employee, entry.contractor) {
        (Some(employee), _) => {
            let account = accounts::find_account(tx, caller.company, account)?;
            let other = payable::of_employee(tx, caller.company, employee)?.last_account();
            (account.is_some_and(|one| one.returned_code.is_some()), other)
        }
        // A contractor has one account.
        (None, Some(_)) => {
            let account = of_contractors::find_account(tx, caller.company, account)?;
            (account.is_some_and(|one| one.returned_code.is_some()), None)
        }
        (None, None) => return Ok(()),
    };
    if !is_returned {
        return Ok(());
    }
    let to = match other {
        Some(other) => To::Account(other),
        None if banks::paying_account(tx, caller.company)?.is_some() => To::Check,
        None => return Ok(()),
    };
    pay_again(tx, caller, entry.id, to)
}

fn to_account(tx: &mut Tx<'_>, caller: &Caller, entry: &Entry, account: Uuid) -> Result<(), Error> {
    let company = caller.company;
    if let Some(contractor) = entry.contractor {
        return to_contractor(tx, company, entry, (contractor, account));
    }
    let employee = entry.employee.ok_or(Error::NotFound)?;
    let held = accounts::employee_accounts(tx, company, employee)?;
    let account = held.iter().find(|one| one.id == account).ok_or_else(|| {
        Error::from(Violation::invalid(
            "bank_account_uuid",
            "bank_account_uuid must be an account of the employee",
        ))
    })?;
    if account.returned_code.is_some() {
        return Err(refusal_error("the last payment to this account was returned: choose another"));
    }
    // What follows goes there, too.
    let closed = held.iter().filter(|one| Some(one.id) == entry.account && one.returned_code.is_some());
    for closed in closed.map(|one| one.id).collect::<Vec<_>>() {
        methods::redirect_share(tx, caller, employee, (closed, account.id))?;
    }
    let (routing, number) = (account.routing_number(tx, company)?, account.account_number(tx, company)?);
    let (mut batch, mut next) = create_follower(tx, company, entry, BatchKind::Again)?;
    (next.account, next.account_type) = (Some(account.id), account.account_type);
    next.seal_fields(tx, company, (&routing, &number), None)?;
    add_entry(tx, company, &mut batch, next)?;
    let_go(tx, company, batch)
}

/// Pays an amount to the account of its contractor, whose numbers must have changed since a payment to it was returned.
fn to_contractor(
    tx: &mut Tx<'_>,
    company: Uuid,
    entry: &Entry,
    (contractor, account): (Uuid, Uuid),
) -> Result<(), Error> {
    let found =
        of_contractors::account_of_contractor(tx, company, contractor)?.filter(|one| one.id == account);
    let account = found.ok_or_else(|| {
        let message = "bank_account_uuid must be the account of the contractor";
        Error::from(Violation::invalid("bank_account_uuid", message))
    })?;
    if account.returned_code.is_some() {
        return Err(refusal_error(
            "the last payment to this account was returned: enter another, or pay by check",
        ));
    }
    let (mut batch, mut next) = create_follower(tx, company, entry, BatchKind::Again)?;
    contractors::address_entry(tx, company, &mut next, &account)?;
    add_entry(tx, company, &mut batch, next)?;
    let_go(tx, company, batch)
}

/// Re-evaluates an unpaid payroll: the held amount may have been the last thing it was waiting for.
fn pay_what_is_left(tx: &mut Tx<'_>, company: Uuid, batch: &Batch) -> Result<(), Error> {
    let payroll = payrolls::find_payroll(tx, company, batch.payroll)?;
    if payroll.is_none_or(|payroll| payroll.paid_at.is_some()) {
        return Ok(());
    }
    let now = tx.now();
    look_again(tx, company, batch, now)
}
