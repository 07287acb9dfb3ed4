//! Deposits of federal taxes that this service did not make: those of a provider before, and the employer's own. They count for the return of
//! their period (line 13 of Form 941).

use jiff::Timestamp;
use jiff::civil::{Date, date};
use returns::format_dollars;
use rules::deposits::Form;
use rules::{Amount, Checks, Named as _, Violation};
use serde_json::json;
use store::{Tx, params};
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::error::Error;
use crate::platform::audit;

/// Maximum deposits of a company: a deposit a week for decades.
const MOST: i64 = 5_000;
/// Maximum characters of a receipt.
const MOST_TEXT: usize = 200;
/// The most cents of a deposit.
const MOST_CENTS: i64 = 1_000_000_000_000;

store::record! {
    /// A deposit that this service did not make.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct OutsideDeposit in "outside_deposits" {
        key {
            /// identifier
            pub id: Uuid,
        }
        fixed {
            /// the return that it counts toward
            pub form: Form as text,
            /// last day of the tax period
            pub period_end: Date,
            /// cents
            pub cents: i64,
        }
        fields {
            /// when it was paid
            pub paid_on: Date,
            /// the agency's receipt
            pub receipt: String,
        }
        times {
            /// when it was told
            pub created_at: Timestamp,
            updated_at,
        }
        version
    }
}

store::statements! {
    records OutsideDeposit;
    OF_COMPANY = store::text!(OutsideDeposit::SELECT, " ORDER BY period_end, paid_on, id LIMIT $2");
}

/// A deposit to be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewDeposit {
    /// the return that it counts toward
    pub form: Form,
    /// the year of its period
    pub year: i16,
    /// the quarter, from 1 to 4, of Form 941
    pub quarter: Option<i8>,
    /// dollars
    pub amount: Amount,
    /// when it was paid
    pub paid_on: Date,
    /// the agency's receipt
    pub receipt: String,
}

/// Returns the deposits of a company, by their periods.
///
/// # Errors
/// 422 if there are more than can be read at once; a store error.
pub fn of_company(tx: &mut Tx<'_>, company: Uuid) -> Result<Vec<OutsideDeposit>, Error> {
    Ok(tx.try_query_all(OF_COMPANY, params![company], MOST, OutsideDeposit::read)?)
}

/// Returns what was deposited for a period of a return, in cents.
///
/// # Errors
/// As [`of_company`].
pub fn of_period(tx: &mut Tx<'_>, company: Uuid, (form, period_end): (Form, Date)) -> Result<i64, Error> {
    let all = of_company(tx, company)?.into_iter();
    Ok(all.filter(|one| one.form == form && one.period_end == period_end).map(|one| one.cents).sum())
}

fn lock_outside_deposits(tx: &mut Tx<'_>, company: Uuid) -> Result<(), Error> {
    Ok(tx.take_guard(company, OutsideDeposit::TABLE, company)?)
}

/// Keeps a deposit.
///
/// # Errors
/// Every violation at once: an amount that is not positive, a day in the future, a quarter where none belongs, a missing receipt; a store error.
pub fn add_outside_deposit(
    tx: &mut Tx<'_>,
    caller: &Caller,
    new: &NewDeposit,
) -> Result<OutsideDeposit, Error> {
    let company = caller.company;
    let mut checks = Checks::new();
    let cents = new.amount.cents_half_up();
    checks.require(cents > 0 && cents <= MOST_CENTS && new.amount == Amount::from_cents(cents), || {
        Violation::invalid(
            "amount",
            format!("amount must be dollars and cents from 0.01 to {}", format_dollars(MOST_CENTS)),
        )
    });
    let today = caller.today(tx);
    checks.require(new.paid_on <= today, || {
        Violation::invalid("paid_on", format!("paid_on must not be after today, {today}"))
    });
    let receipt = new.receipt.trim();
    checks.require(!receipt.is_empty() && receipt.chars().count() <= MOST_TEXT, || {
        Violation::invalid("receipt", format!("receipt must have 1 to {MOST_TEXT} characters"))
    });
    let period_end = match (new.form, new.quarter) {
        (Form::F941, Some(number)) => returns::Quarter::new(new.year, number).map(returns::Quarter::last_day),
        (Form::F941, None) | (Form::F940 | Form::F944, Some(_)) => None,
        (Form::F940 | Form::F944, None) => Some(date(new.year, 12, 31)),
    };
    checks.require(period_end.is_some(), || {
        Violation::invalid(
            "quarter",
            "quarter must be from 1 to 4 for Form 941, and belongs to no other form",
        )
    });
    checks.finish()?;
    let period_end = period_end.ok_or_else(|| Error::internal("the period was checked"))?;
    lock_outside_deposits(tx, company)?;
    let now = tx.now();
    let deposit = OutsideDeposit {
        id: tx.new_id(),
        form: new.form,
        period_end,
        cents,
        paid_on: new.paid_on,
        receipt: receipt.to_owned(),
        created_at: now,
        version: 1,
    };
    deposit.insert(tx, company)?;
    let shown = json!({ "form": deposit.form.as_str(), "period_end": period_end, "amount": format_dollars(cents), "paid_on": deposit.paid_on,
                        "receipt": deposit.receipt });
    audit::record_audit_entry(tx, caller, "created", (OutsideDeposit::TABLE, deposit.id), &shown)?;
    Ok(deposit)
}

/// Takes a deposit back that was told by mistake.
///
/// # Errors
/// "Not found"; a store error.
pub fn remove_outside_deposit(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<OutsideDeposit, Error> {
    let company = caller.company;
    lock_outside_deposits(tx, company)?;
    let held = OutsideDeposit::find(tx, company, id)?.ok_or(Error::NotFound)?;
    assert!(held.delete(tx, company)?, "the row was read under its guard");
    let shown = json!({ "form": held.form.as_str(), "period_end": held.period_end, "amount": format_dollars(held.cents) });
    audit::record_audit_entry(tx, caller, "deleted", (OutsideDeposit::TABLE, id), &shown)?;
    Ok(held)
}
