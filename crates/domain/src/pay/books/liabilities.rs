//! Payroll liabilities: taxes, garnishments and benefits owed until a payment is recorded, and, below zero, what employees owe.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use jiff::civil::Date;
use rules::amount::MAX_AMOUNT;
use rules::days::Days;
use rules::{Amount, Checks, Violation, check};
use sha2::{Digest, Sha256};
use store::Tx;
use uuid::{Builder, Uuid};

use super::accounts::{Account, liability_details};
use super::rows;
use super::rows::{Accrued, LiabilityPayment, Owed, Settled};
use crate::access::tokens::Caller;
use crate::digest;
use crate::error::Error;
use crate::events;
use crate::paging::AskedDays;
use crate::patch::Patch;
use crate::platform::audit;
use crate::records::id_of;

/// Table of the payments, in audit entries and for its guard.
const TABLE: &str = "liability_payments";
/// Maximum characters of a note.
const MEMO: usize = 255;
/// Maximum number of payments in one list.
const MOST: i64 = 1_000;
/// Name of what an employee owes.
pub const OVERPAYMENT: &str = "Pay that was not owed";
/// What one payment can take back of those before it.
const LEAST: Amount = Amount::from_millionths(-MAX_AMOUNT.millionths());

/// The amount owed to one agency for one tax, benefit or kind of garnishment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Liability {
    /// identifier, stable across reads
    pub id: Uuid,
    /// the account
    pub account: Account,
    /// who receives it; the employee who owes it
    pub agency: String,
    /// code of a tax; empty for anything else
    pub code: String,
    /// the tax, benefit or garnishment, as shown
    pub name: String,
    /// cents that payrolls have accrued
    pub accrued: i64,
    /// cents that were paid
    pub paid: i64,
    /// the first and the last pay date that it comes from; with nothing accrued, of the payrolls that were cancelled or are paid later
    pub check_dates: Days,
}

impl Liability {
    /// Cents that are still owed.
    pub fn balance(&self) -> i64 {
        self.accrued - self.paid
    }

    /// What it is owed for, and to whom.
    pub fn debt_key(&self) -> Owed {
        Owed::new(self.account, &self.agency, &self.code, &self.name)
    }
}

/// A liability has no record of its own: its identifier is derived from account, agency and tax, or name.
pub fn liability_id(company: Uuid, Owed { account, agency, code, name }: &Owed) -> Uuid {
    let mut hash = Sha256::new();
    digest::hash_part(&mut hash, company.as_bytes());
    let account: &str = (*account).into();
    for part in ["liability", account, agency, code, name] {
        digest::hash_part(&mut hash, part.as_bytes());
    }
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash.finalize()[..16]);
    Builder::from_custom_bytes(bytes).into_uuid()
}

/// The liabilities as of a day, by account, agency and name; with `open` only those whose balance is not zero.
///
/// A payment outlives what it paid: after the payrolls were cancelled, and before their pay date, it is a balance below zero.
pub fn list_liabilities(
    tx: &mut Tx<'_>,
    company: Uuid,
    day: Date,
    open: bool,
) -> Result<Vec<Liability>, Error> {
    let mut paid = rows::paid_until(tx, company, day)?;
    let liability = |owed: Owed, Accrued { cents: accrued, check_dates, name }: Accrued, paid: i64| {
        let id = liability_id(company, &owed);
        let Owed { account, agency, code, .. } = owed;
        Liability { id, account, agency, code, name, accrued, paid, check_dates }
    };
    let mut found: Vec<Liability> = Vec::new();
    for (owed, accrued) in rows::accrued_until(tx, company, day)? {
        let paid = paid.remove(&owed).map_or(0, |paid| paid.cents);
        found.push(liability(owed, accrued, paid));
    }
    for (owed, Settled { cents, name }) in paid.into_iter().filter(|(_, paid)| paid.cents != 0) {
        let check_dates = rows::days_of(tx, company, &owed)?.unwrap_or(Days { first: day, last: day });
        found.push(liability(owed, Accrued { cents: 0, check_dates, name }, cents));
    }
    found.sort_by(|a, b| {
        (a.account, &a.agency, &a.name, &a.code).cmp(&(b.account, &b.agency, &b.name, &b.code))
    });
    found.retain(|one| if open { one.balance() != 0 } else { one.accrued != 0 || one.paid != 0 });
    Ok(found)
}

/// Takes the guard under which payments of a company's liabilities are recorded.
pub fn guard_payments(tx: &mut Tx<'_>, company: Uuid) -> Result<(), Error> {
    Ok(tx.take_guard(company, TABLE, company)?)
}

/// Records a payment of a liability.
#[derive(Debug, Clone, Default)]
pub struct RecordPayment {
    /// the liability
    pub liability_uuid: Patch<String>,
    /// dollars; a negative amount reverses earlier payments, or records what an employee has paid back
    pub amount: Patch<Amount>,
    /// when it was paid
    pub paid_on: Patch<Date>,
    /// a note
    pub memo: Patch<String>,
    /// held payments of net pay that the payment settles; all of them when left out, and none for other liabilities
    pub ach_transaction_uuids: Patch<Vec<String>>,
}

/// Records a payment of a liability. It cannot exceed the balance less what pending deposits (`on_its_way`) cover, and a reversal
/// cannot exceed what was paid.
///
/// # Errors
/// Every violation of the input; a store error.
pub fn record_liability_payment(
    tx: &mut Tx<'_>,
    caller: &Caller,
    input: &RecordPayment,
    on_its_way: &BTreeMap<Owed, i64>,
) -> Result<LiabilityPayment, Error> {
    guard_payments(tx, caller.company)?;
    let today = caller.today(tx);
    // Liabilities of future pay dates are included, so they can be paid ahead.
    let all = list_liabilities(tx, caller.company, Date::MAX, false)?;
    let mut checks = Checks::new();
    let liability = input.liability_uuid.required("liability_uuid", &mut checks, |key, text| {
        let id = id_of(text);
        let found = all.iter().find(|one| one.id == id);
        found.ok_or_else(|| {
            Violation::invalid(key, format!("{key} must be the uuid of a liability of this company"))
        })
    });
    let amount = input.amount.required("amount", &mut checks, check_payment_cents);
    let paid_on = input.paid_on.required("paid_on", &mut checks, |key, day| {
        if *day <= today {
            return Ok(*day);
        }
        Err(Violation::invalid(key, format!("{key} must not lie in the future")))
    });
    let memo = input.memo.optional("memo", &mut checks, |key, text| check::validate_text(key, text, MEMO));
    let named = input.ach_transaction_uuids.optional("ach_transaction_uuids", &mut checks, |_, _| Ok(()));
    checks.require(named.is_none() || liability.is_none_or(|one| one.account.is_net_pay()), || {
        Violation::invalid(
            "ach_transaction_uuids",
            "ach_transaction_uuids can only be named for held pay (net_pay_payable, contractors_payable)",
        )
    });
    if let (Some(liability), Some(cents)) = (liability, amount) {
        let under_way = on_its_way.get(&liability.debt_key()).copied().unwrap_or(0);
        checks.require(payable_range(liability, under_way).contains(&cents), || {
            amount_out_of_range(liability, under_way)
        });
    }
    checks.finish()?;
    let (Some(liability), Some(cents), Some(paid_on)) = (liability, amount, paid_on) else {
        unreachable!("a payment with missing fields is refused")
    };
    let Liability { account, agency, code, name, .. } = liability.clone();
    let new = LiabilityPayment {
        id: tx.new_id(),
        account,
        agency,
        code,
        name,
        cents,
        paid_on,
        memo,
        created_at: tx.now(),
        in_transit: false,
    };
    rows::insert_liability_payment(tx, caller.company, &new)?;
    let changes = liability_details(new.account, &new.agency, &new.name);
    audit::record_audit_entry(tx, caller, "created", (TABLE, new.id), &changes)?;
    events::emit_event(tx, caller.company, events::LIABILITY_PAYMENT_CREATED, new.id)?;
    Ok(new)
}

/// The amounts that a payment of a liability can have, in cents.
fn payable_range(liability: &Liability, under_way: i64) -> RangeInclusive<i64> {
    if liability.account == Account::EmployeeReceivables {
        return liability.balance().min(0)..=(-liability.paid).max(0);
    }
    // What is owed may be below zero; a part of what was paid can be taken back all the same.
    // Net pay that is held counts as a payment below zero, of which nothing can be taken back.
    -liability.paid.max(0)..=(liability.balance() - under_way).max(0)
}

fn amount_out_of_range(liability: &Liability, under_way: i64) -> Violation {
    let allowed = payable_range(liability, under_way);
    let [least, most] = [allowed.start(), allowed.end()].map(|cents| Amount::from_cents(*cents).to_text(2));
    let message = if liability.account == Account::EmployeeReceivables {
        format!(
            "amount must lie between {least} (all that the employee owes is paid back) and {most} (taking back what was recorded)"
        )
    } else {
        let but = if under_way > 0 { " and not covered by a pending deposit" } else { "" };
        format!("amount must lie between {least} (reversing all payments) and {most} (what is owed{but})")
    };
    Violation::invalid("amount", message)
}

/// The payments between two days.
///
/// # Errors
/// 422 if there are too many; a store error.
pub fn list_liability_payments(
    tx: &mut Tx<'_>,
    caller: &Caller,
    asked: AskedDays,
) -> Result<Vec<LiabilityPayment>, Error> {
    let days = super::journal::journal_period(caller.today(tx), asked)?;
    let mut found = rows::liability_payments_between(tx, caller.company, days, MOST)?;
    if i64::try_from(found.len()).unwrap_or(i64::MAX) > MOST {
        let why = format!("end_date must be closer to start_date: there are more than {MOST} payments");
        return Err(Violation::invalid("end_date", why).into());
    }
    found.retain(|one| one.account != Account::FundsInTransit);
    Ok(found)
}

/// Cents, not zero; less than that takes a payment back.
fn check_payment_cents(key: &str, amount: &Amount) -> Result<i64, Violation> {
    let cents = check::validate_dollars(key, *amount, LEAST..=MAX_AMOUNT)?.cents_half_up();
    if cents == 0 {
        return Err(Violation::invalid(key, format!("{key} must not be 0.00")));
    }
    Ok(cents)
}
