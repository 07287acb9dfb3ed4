//! The expected course of a payroll's payments: when the company is debited, when employees are paid, and what the payments wait for.

use crate::money::ledger::bank_files;
use crate::pay::payrolls::record::deadlines::submission_deadline;
use jiff::Timestamp;
use jiff::civil::Date;
use rules::payroll::holidays;
use store::Tx;
use uuid::Uuid;

use crate::error::Error;
use crate::money::bank::banking_days::{
    banking_days_after, day_start_in_california, earliest_settlement, today_in_california,
};
use crate::money::bank::settings::{self, Terms};
use crate::money::funding::wires::{self, WireInRequest, WireStatus};
use crate::money::funding::{self, Funding, Mode};
use crate::money::ledger::rows::{self, Batch, BatchKind, BatchState};
use crate::pay::payrolls::record::payroll::Payroll;

/// How the payrolls of a company are paid.
#[derive(Debug)]
pub struct Ways {
    terms: Option<Terms>,
    funding: Funding,
}

/// The expected course of a payroll's payments.
#[derive(Debug)]
pub struct Expected {
    /// whether payments are made at all: a bank is set, not everything is paid by check or by the partner, and the payroll was not paid
    /// before there was a bank
    pub generated: bool,
    /// what they wait for besides the deadline
    pub waits_for: Mode,
    /// when employees are paid: never before the check date
    pub check_date: Date,
    /// when the file that debits the company is made; without a debit, the time by which the money has to be available
    pub debit: Timestamp,
    /// the wire that funds them
    pub wire: Option<WireInRequest>,
}

/// Returns how the payrolls of a company are paid.
pub fn payment_ways(tx: &mut Tx<'_>, company: Uuid) -> Result<Ways, Error> {
    let terms = settings::find_settings(tx)?.map(|settings| settings.terms);
    Ok(Ways { terms, funding: funding::of_company(tx, company)? })
}

/// Returns the expected payments of a payroll that is planned for a check date.
pub fn of_payroll(
    tx: &mut Tx<'_>,
    company: Uuid,
    ways: &Ways,
    (payroll, planned): (&Payroll, Date),
) -> Result<Expected, Error> {
    let deadline = submission_deadline(planned);
    let by_bank = !(payroll.check_only || payroll.partner_pays && payroll.totals.paid_by_bank() == 0);
    let made = if payroll.is_processed() { rows::of_payroll(tx, company, payroll.id)? } else { Vec::new() };
    // Whatever bank is set afterwards, no payments are made for a payroll that was paid without one.
    let was_paid_otherwise = payroll.paid_at.is_some() && made.is_empty();
    let Some(terms) = ways.terms.as_ref().filter(|_| by_bank && !was_paid_otherwise) else {
        let waits_for = Mode::None;
        return Ok(Expected {
            generated: false,
            waits_for,
            check_date: planned,
            debit: deadline,
            wire: None,
        });
    };
    let (mut wire, mut funding) = (None, ways.funding);
    if payroll.is_processed() {
        wire = wires::of_payroll(tx, company, payroll.id)?;
        funding = funding::of_payroll(tx, company, payroll.id)?;
    }
    let (debit, now) = (terms.cut_off_of(deadline), tx.now());
    let arrived = wire.as_ref().is_some_and(|wire| wire.status == WireStatus::Approved);
    let settles = match last_settlement_date(tx, &made, terms)? {
        Some(day) => day,
        None => match funding.mode {
            // Credits in no file after the cut-off are held, and settle as soon as they can.
            Mode::None if now > debit && is_owed(payroll, &made) => earliest_settlement(now, terms.same_day),
            Mode::None => planned,
            Mode::Debit => after_debit(tx, &made, terms, (funding, debit))?,
            Mode::Wire if arrived || now <= debit => planned,
            Mode::Wire => earliest_settlement(now, terms.same_day),
        },
    };
    // For a check date that is not a banking day, banks settle on the banking day before. If the partner pays, only agencies wait for a
    // bank.
    let in_time = payroll.partner_pays || settles <= holidays::banking_day_until(planned);
    let check_date = if in_time { planned } else { settles };
    Ok(Expected { generated: true, waits_for: funding.mode, check_date, debit, wire })
}

/// Whether credits of a payroll have yet to be made or filed.
fn is_owed(payroll: &Payroll, made: &[Batch]) -> bool {
    let void = |batch: &Batch| batch.state == BatchState::Void;
    payroll.is_processed() && payroll.paid_at.is_none() && (made.is_empty() || !made.iter().all(void))
}

/// Returns when the money for a payroll leaves the company's account: when its debit settles, or would settle if filed at the cut-off. A
/// wire has to arrive by the deadline.
pub fn debited_on(tx: &mut Tx<'_>, company: Uuid, payroll: &Payroll) -> Result<Date, Error> {
    let subject = payroll.is_processed().then_some(payroll.id);
    debit_day(tx, company, subject, payroll.check_date)
}

/// As [`debited_on`], for anything that is paid on a check date; without an identifier, for what is only planned.
pub fn debit_day(
    tx: &mut Tx<'_>,
    company: Uuid,
    subject: Option<Uuid>,
    check_date: Date,
) -> Result<Date, Error> {
    let deadline = submission_deadline(check_date);
    let Ways { terms, mut funding } = payment_ways(tx, company)?;
    if let Some(id) = subject {
        let made = rows::of_payroll(tx, company, id)?;
        let filed =
            made.iter().find(|batch| batch.kind == BatchKind::Debit).and_then(|batch| batch.effective);
        if let Some(day) = filed {
            return Ok(day);
        }
        funding = funding::of_payroll(tx, company, id)?;
    }
    Ok(match terms {
        Some(_) if funding.mode == Mode::Wire => today_in_california(deadline),
        Some(terms) => earliest_settlement(terms.cut_off_of(deadline), terms.same_day),
        None => earliest_settlement(deadline, false),
    })
}

/// Returns when the last of the filed credits settles.
fn last_settlement_date(tx: &mut Tx<'_>, made: &[Batch], terms: &Terms) -> Result<Option<Date>, Error> {
    let mut last = None;
    for batch in made.iter().filter(|batch| matches!(batch.kind, BatchKind::Pay | BatchKind::Support)) {
        let Some(effective) = batch.effective else { continue };
        // A file that the bank does not have yet may be late.
        let settles = match bank_files::settlement_date_at_bank(tx, batch)? {
            Some(day) => day,
            None => effective.max(earliest_settlement(tx.now(), terms.same_day)),
        };
        last = last.max(Some(settles));
    }
    Ok(last)
}

/// Returns when credits settle that wait for a number of banking days after the debit settles.
fn after_debit(
    tx: &mut Tx<'_>,
    made: &[Batch],
    terms: &Terms,
    (funding, debit): (Funding, Timestamp),
) -> Result<Date, Error> {
    let now = tx.now();
    let filed = match made.iter().find(|batch| batch.kind == BatchKind::Debit) {
        Some(batch) => bank_files::settlement_date_at_bank(tx, batch)?,
        None => None,
    };
    let debited = filed.unwrap_or_else(|| earliest_settlement(debit.max(now), terms.same_day));
    let funded = day_start_in_california(banking_days_after(debited, funding.days));
    Ok(earliest_settlement(funded.max(now), terms.same_day))
}
