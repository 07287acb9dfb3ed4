//! Pay that was taken back from an employee's account, by paycheck: why, and what follows for wages and taxes.
//!
//! Whether wages and taxes are undone follows the [`Category`]. If the wages were owed (the employee was paid twice, the wrong amount, or the
//! wrong account), only the money comes back, and net pay is owed until the employer records how it was paid otherwise. If they were not
//! owed, the whole paycheck is void: it is kept as it was, apart from those that count, and everything that adds up paychecks is without it.

use jiff::Timestamp;
use rules::{Named, Violation};
use store::record::{Cursor, JsonText};
use store::{Json, Row, Tx, params};
use strum::{EnumString, IntoStaticStr, VariantArray};
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::error::Error;
use crate::events;
use crate::money::deposits;
use crate::paging::{Listed, Page};
use crate::pay::books::rows as books;
use crate::pay::checks::service as register;
use crate::pay::payrolls::closing::processing::posting;
use crate::pay::payrolls::facts::{employments, sources, year_to_date};
use crate::pay::payrolls::record::lines::StoredPaycheck;
use crate::pay::payrolls::record::payroll::{Payroll, TABLE};
use crate::pay::payrolls::record::results;
use crate::pay::payrolls::record::results::Outcome;
use crate::pay::payrolls::record::totals::RunningTotals;
use crate::pay::payrolls::service::details;
use crate::platform::hooks::{self, PayCause, PayChange};

/// Why pay is taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum Category {
    /// the employee was paid twice
    #[strum(serialize = "paid_twice")]
    PaidTwice,
    /// the amount was wrong, and the right one is paid otherwise
    #[strum(serialize = "wrong_amount")]
    WrongAmount,
    /// it went to the account of somebody else
    #[strum(serialize = "wrong_account")]
    WrongAccount,
    /// the wages were not owed
    #[strum(serialize = "not_owed")]
    NotOwed,
}

impl Category {
    /// Whether the paycheck is void, with its wages and taxes.
    pub fn is_void(self) -> bool {
        self == Self::NotOwed
    }
}

/// What happens with the money of a reversal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum Money {
    /// it is debited from the account to which it was paid
    #[strum(serialize = "debited")]
    Debited,
    /// the employee never had it, or has given it back
    #[strum(serialize = "returned")]
    Returned,
    /// the employee has it, and owes it until it is paid back
    #[strum(serialize = "owed")]
    Owed,
}

/// The state of a reversal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum ReversalState {
    /// the payment is debited, or will be with the next file
    #[strum(serialize = "approved")]
    Approved,
    /// its days were over before the bank had its file: the money stays with the employee
    #[strum(serialize = "given_up")]
    GivenUp,
}

store::record! {
    /// Pay of a paycheck that was taken back.
    #[derive(Debug, Clone)]
    pub struct Reversal in "payroll_reversals" {
        key {
            /// identifier
            pub id: Uuid,
        }
        fixed {
            /// the payroll
            pub payroll: Uuid = "payroll_id",
            /// whose pay it was
            pub employee: Uuid = "employee_id",
            /// why
            pub category: Category as text,
            /// the reason, in words
            pub reason: String,
            /// what is taken back
            pub cents: i64,
            /// what happens with the money
            pub money: Money as text,
        }
        fields {
            /// its state
            pub state: ReversalState as text,
        }
        times {
            /// when it was approved
            pub created_at: Timestamp,
            updated_at,
        }
        version
    }
}

store::statements! {
    records Reversal;
    LIST = store::text!(Reversal::SELECT, " AND state = 'approved' ORDER BY created_at, id LIMIT $2 OFFSET $3");
    COUNT = "SELECT count(*) FROM payroll_reversals WHERE company_id = $1 AND state = 'approved'";
    OF_PAYROLL = store::text!(Reversal::SELECT, " AND payroll_id = $2 AND state = 'approved' ORDER BY created_at, id");
    KEEP = "INSERT INTO voided_paychecks (company_id, run_id, employee_id, payroll_id, gross, net, check_amount, paycheck, facts, \
            year_to_date, voided_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
    VOIDED = "SELECT employee_id, gross, net, check_amount, paycheck, facts, year_to_date FROM voided_paychecks \
              WHERE company_id = $1 AND run_id = $2 AND employee_id = $3";
    LATER = "SELECT p.id FROM payrolls p JOIN payroll_results o ON o.company_id = p.company_id AND o.run_id = p.run_id \
             WHERE p.company_id = $1 AND p.id <> $2 AND p.submitted_at IS NOT NULL AND p.base_number >= $3 AND o.employee_id = $4 LIMIT 1";
}

/// Returns a page of a company's reversals, oldest first.
///
/// # Errors
/// 422 when an unpaged list is too long; a store error.
pub fn list_reversals(tx: &mut Tx<'_>, caller: &Caller, page: Page) -> Result<Listed<Reversal>, Error> {
    let (limit, offset) = page.limit_and_offset();
    let found = tx.try_query(LIST, params![caller.company, limit, offset], Reversal::read)?;
    Listed::new(page, found, || {
        Ok(tx.find_row(COUNT, params![caller.company], |row| row.get::<i64>(0))?.unwrap_or(0))
    })
}

/// Returns the reversals of a payroll.
pub fn of_payroll(tx: &mut Tx<'_>, company: Uuid, payroll: Uuid) -> Result<Vec<Reversal>, Error> {
    Ok(tx.try_query(OF_PAYROLL, params![company, payroll], Reversal::read)?)
}

/// Returns a paycheck that is void.
pub fn find_voided_paycheck(
    tx: &mut Tx<'_>,
    company: Uuid,
    run: Uuid,
    employee: Uuid,
) -> Result<Option<Outcome>, Error> {
    let read = |row: &Row<'_>| {
        let mut next = Cursor::new(row, "voided_paychecks", 0);
        let employee = next.read_plain("employee_id")?;
        let mut amount = |field| next.read_plain(field).map(rules::Amount::from_millionths);
        let (gross, net, check_amount) = (amount("gross")?, amount("net")?, amount("check_amount")?);
        Ok::<_, store::Error>(Outcome {
            employee,
            gross,
            net,
            check_amount,
            paycheck: next.read_stored::<JsonText, _>("paycheck")?,
            facts: next.read_stored::<JsonText, _>("facts")?,
            year_to_date: next.read_stored::<JsonText, _>("year_to_date")?,
        })
    };
    Ok(tx.try_find(VOIDED, params![company, run, employee], read)?)
}

/// Takes the guards under which a paycheck is made void; they come before that of payments.
pub fn guard_paychecks(tx: &mut Tx<'_>, company: Uuid, payroll: Uuid) -> Result<(), Error> {
    tx.take_guard(company, TABLE, company)?;
    Ok(tx.take_guard(company, TABLE, payroll)?)
}

/// Makes a paycheck of a processed payroll void, under its guards: it is kept as it was, and its wages, taxes, deductions, hours off and
/// postings are undone as of the payroll's own pay date. The reversal identifies the posting.
///
/// # Errors
/// "Not found"; 422 if a later payroll builds on the paycheck, or if it cannot be read; a store error.
pub fn void_paycheck(
    tx: &mut Tx<'_>,
    caller: &Caller,
    (payroll, employee): (Uuid, Uuid),
    reversal: &Reversal,
) -> Result<(), Error> {
    let (company, owed) = (caller.company, reversal.money == Money::Owed);
    let mut payroll = details::find_payroll(tx, caller, payroll)?;
    let run = payroll.run.filter(|_| payroll.is_processed()).ok_or(Error::NotFound)?;
    let outcome = results::find_outcome(tx, company, run, employee)?.ok_or(Error::NotFound)?;
    let later = params![company, payroll.id, payroll.run_number, employee];
    if tx.find_row(LATER, later, |_| ())?.is_some() {
        return Err(Error::from(Violation::invalid_operation(
            "A later payroll builds on this paycheck, so it cannot be made void: take its wages back on the next payroll, with a Correction \
             Payment below zero (reverse the money alone as paid_twice, wrong_amount or wrong_account).",
        )));
    }
    let Some(inputs) = outcome.readable_inputs(run) else {
        return Err(Error::from(Violation::invalid_operation(
            "The paycheck was made by another version and cannot be read.",
        )));
    };
    tx.take_guard(company, "payroll_runs", run)?;
    employments::payroll_cancelled(tx, caller, &payroll)?;
    let paycheck = outcome.read_paycheck()?;
    let mut taken = RunningTotals::new(payroll.partner_pays);
    taken.add_paycheck(StoredPaycheck { outcome: &outcome, paid: &paycheck, inputs: Some(&inputs) });
    payroll.totals = payroll.totals.without_paychecks(&taken.into_totals());
    let posting = posting::reversing_posting(tx, company, &payroll, (&outcome, reversal.id, owed))?;
    books::insert_posting(tx, company, &posting)?;
    deposits::accrue_taxes(tx, company, &posting)?;
    sources::reverse_recorded_outcomes(tx, company, (payroll.id, run), std::slice::from_ref(&outcome))?;
    insert_voided_paycheck(tx, company, &payroll, (run, &outcome))?;
    results::delete_outcome(tx, company, run, employee)?;
    year_to_date::restore_earlier_paycheck(tx, company, run, employee)?;
    if !owed {
        register::void_of(tx, caller, (run, employee), "the paycheck was not owed and was reversed")?;
    }
    details::store_payroll(tx, caller, &mut payroll, "paycheck_voided")?;
    let change = PayChange { cause: PayCause::Voided, record: payroll.id, day: payroll.check_date };
    hooks::pay_changed(tx, company, change)
}

fn insert_voided_paycheck(
    tx: &mut Tx<'_>,
    company: Uuid,
    payroll: &Payroll,
    (run, outcome): (Uuid, &Outcome),
) -> Result<(), Error> {
    let now = tx.now();
    let row = params![
        company,
        run,
        outcome.employee,
        payroll.id,
        outcome.gross.millionths(),
        outcome.net.millionths(),
        outcome.check_amount.millionths(),
        Json(&outcome.paycheck),
        Json(&outcome.facts),
        Json(&outcome.year_to_date),
        now
    ];
    Ok(tx.insert_row(KEEP, row)?)
}

/// Tells that pay of a payroll was reversed: all of it, or a part.
pub fn notify_reversal(tx: &mut Tx<'_>, company: Uuid, payroll: Uuid, all: bool) -> Result<(), Error> {
    let event = if all { events::PAYROLL_REVERSED } else { events::PAYROLL_PARTIALLY_REVERSED };
    events::emit_event(tx, company, event, payroll)
}
