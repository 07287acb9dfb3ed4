//! Reads benefits and garnishments for payrolls, and records the amounts of a processed payroll with them and with time off.

use std::collections::{HashMap, HashSet};

use jiff::civil::Date;
use rules::Amount;
use rules::payroll::benefits::Benefit;
use rules::payroll::garnishment::{Garnishment, ManualReason, Remittance, WithheldToDate};
use store::Tx;
use uuid::Uuid;

use crate::benefits;
use crate::error::Error;
use crate::pay::books::rows as books;
use crate::pay::payrolls::record::paycheck::{BenefitPaid, Paid};
use crate::pay::payrolls::record::paycheck_inputs::{GarnishmentInput, RecurringInput};
use crate::pay::payrolls::record::payroll::Payroll;
use crate::pay::payrolls::record::results::Outcome;
use crate::pay::payrolls::record::time_off::LeaveInput;
use crate::pay::{reimbursements, time_off};
use crate::people::employees;
use crate::records::IdRange;
use crate::withholding::garnishments;
use crate::withholding::garnishments::agencies;
use crate::withholding::garnishments::withheld;
use crate::withholding::garnishments::withheld::{Payday, Taken};

/// Reads the active benefits of the employees between two (both included), whether or not they are in force.
pub fn active_benefits(
    tx: &mut Tx<'_>,
    company: Uuid,
    IdRange { first, last }: IdRange,
) -> Result<HashMap<Uuid, Vec<Benefit<Uuid>>>, Error> {
    let mut found = benefits::payroll::of_employees(tx, company, first, last)?;
    found.values_mut().for_each(|list| list.retain(|one| one.active && one.company_active));
    Ok(found)
}

/// Reads the active garnishments of the employees between two (both included), without the amounts withheld before.
pub fn active_garnishments(
    tx: &mut Tx<'_>,
    company: Uuid,
    bounds: IdRange,
) -> Result<HashMap<Uuid, Vec<GarnishmentInput>>, Error> {
    garnishments_and(&HashSet::new(), tx, company, bounds)
}

/// Like [`active_garnishments()`], plus inactive ones for which earlier payrolls of the pay period withheld something (`taken`): they withhold
/// nothing more, but count toward the limits of the period.
pub fn garnishments_and(
    taken: &HashSet<Uuid>,
    tx: &mut Tx<'_>,
    company: Uuid,
    IdRange { first, last }: IdRange,
) -> Result<HashMap<Uuid, Vec<GarnishmentInput>>, Error> {
    let mut found: HashMap<Uuid, Vec<GarnishmentInput>> = HashMap::new();
    let held = if taken.is_empty() {
        garnishments::rows::active_between(tx, company, first, last)?
    } else {
        let mut all = garnishments::rows::garnishments_of_employees(tx, company, IdRange { first, last })?;
        all.retain(|one| one.terms.active || taken.contains(&one.id));
        all
    };
    if held.is_empty() {
        return Ok(found);
    }
    let agencies = agencies::as_paid(tx)?;
    let is_support = held.iter().any(|one| one.payee.is_some());
    let nameless = if is_support {
        employees::rows::without_ssn(tx, company, IdRange { first, last })?
    } else {
        HashSet::new()
    };
    for record in held {
        let paid = withheld::remittance_of(&record, &agencies, false);
        let reason = paid.and_then(Remittance::reason);
        let since = record.precedence_date();
        let still_owed = match record.overpayment_agreed_on {
            Some(_) => Some(Amount::from_cents(books::owed_by(tx, company, record.employee)?.max(0))),
            None => None,
        };
        found.entry(record.employee).or_default().push(GarnishmentInput {
            name: record.name().to_owned(),
            manual: reason.filter(|reason| *reason != ManualReason::Information),
            payment_information_missing: reason == Some(ManualReason::Information)
                || (paid == Some(Remittance::Automatic) && nameless.contains(&record.employee)),
            still_owed,
            issuing_state: record.payee.as_ref().map(|payee| payee.state.clone()),
            garnishment: Garnishment {
                id: record.id,
                since,
                terms: record.terms,
                withheld: WithheldToDate::default(),
            },
        });
    }
    Ok(found)
}

/// Reads the recurring reimbursements of the employees between two (both included); empty for an off-cycle payroll.
pub fn recurring_reimbursements(
    tx: &mut Tx<'_>,
    company: Uuid,
    payroll: &Payroll,
    bounds: IdRange,
) -> Result<HashMap<Uuid, Vec<RecurringInput>>, Error> {
    let mut found: HashMap<Uuid, Vec<RecurringInput>> = HashMap::new();
    if payroll.off_cycle {
        return Ok(found);
    }
    for one in reimbursements::rows::active_between(tx, company, bounds)? {
        let line = RecurringInput { id: one.id, description: one.description, amount: one.amount };
        found.entry(one.employee).or_default().push(line);
    }
    Ok(found)
}

/// Records the amounts of a processed payroll with benefits, garnishments and time off.
pub fn record_outcomes(
    tx: &mut Tx<'_>,
    company: Uuid,
    (payroll, run): (&Payroll, Uuid),
    outcomes: &[Outcome],
) -> Result<(), Error> {
    // Chosen employees may lie far apart; reading ranges would also read everybody between them.
    let together = if payroll.chosen_employees { 1 } else { outcomes.len().max(1) };
    outcomes.chunks(together).try_for_each(|some| record_some(tx, company, (payroll, run), some))
}

fn record_some(
    tx: &mut Tx<'_>,
    company: Uuid,
    (payroll, run): (&Payroll, Uuid),
    outcomes: &[Outcome],
) -> Result<(), Error> {
    let (Some(first), Some(last)) = (outcomes.first(), outcomes.last()) else { return Ok(()) };
    let (check_date, off_cycle) = (payroll.check_date, payroll.off_cycle);
    let payday = Payday { payroll: payroll.id, run, check_date, off_cycle };
    let mut taken = Vec::new();
    for outcome in outcomes {
        let paid = outcome.read_paycheck()?;
        benefits::payroll::record_payroll_benefits(
            tx,
            company,
            &benefit_items(payroll, run, outcome, &paid),
        )?;
        for one in &paid.deductions {
            let (amount, remittance) = (one.amount, one.remittance()?);
            taken.push(Taken { garnishment: one.id, amount, remittance });
        }
        let effects: Vec<_> = paid.leave.iter().filter_map(LeaveInput::balance_effect).collect();
        let of_payroll = time_off::payroll::Payday { payroll: payroll.id, run, end: payroll.end };
        time_off::payroll::record_time_off(tx, company, outcome.employee, of_payroll, &effects)?;
        let requests = paid.requested.iter().map(|one| (one.request, one.days.as_slice())).collect();
        let days = payroll.days();
        time_off::requests::payroll::record_paid_days(tx, company, outcome.employee, (run, days), &requests)?;
        if !effects.is_empty() {
            time_off::turns::settle_policy_year(tx, company, outcome.employee, payroll.start)?;
        }
    }
    withheld::record_withholdings(
        tx,
        company,
        &payday,
        IdRange { first: first.employee, last: last.employee },
        &taken,
    )
}

/// Returns a paycheck's deductions and contributions for benefits.
fn benefit_items(
    payroll: &Payroll,
    run: Uuid,
    outcome: &Outcome,
    paid: &Paid,
) -> Vec<benefits::payroll::BenefitItem> {
    let item = |line: &BenefitPaid| benefits::payroll::BenefitItem {
        company_benefit: line.company_benefit,
        employee: outcome.employee,
        payroll: payroll.id,
        employee_benefit: line.record,
        benefit_type: line.code,
        payroll_type: if payroll.off_cycle { "Off-cycle" } else { "Regular" }.to_owned(),
        check_date: payroll.check_date,
        period_start: Some(payroll.start),
        period_end: Some(payroll.end),
        gross_pay: outcome.gross,
        imputed_pay: line.imputed,
        employee_deduction: line.deduction,
        company_contribution: line.contribution,
        run: Some(run),
    };
    paid.benefits.iter().map(item).collect()
}

/// Reverses [`record_outcomes`] for a calculation when the payroll is canceled; records of a later calculation of the payroll stay.
pub fn reverse_recorded_outcomes(
    tx: &mut Tx<'_>,
    company: Uuid,
    (payroll, run): (Uuid, Uuid),
    outcomes: &[Outcome],
) -> Result<(), Error> {
    for outcome in outcomes {
        let paid = outcome.read_paycheck()?;
        for line in &paid.benefits {
            let of = (line.company_benefit, outcome.employee, payroll);
            benefits::payroll::forget_one(tx, company, of, run)?;
        }
        withheld::delete_withholdings(
            tx,
            company,
            (payroll, run),
            paid.deductions.iter().map(|line| line.id),
        )?;
        if !paid.leave.is_empty() {
            time_off::payroll::reverse_time_off(tx, company, outcome.employee, run)?;
        }
        if !paid.requested.is_empty() {
            time_off::requests::payroll::reverse_paid_days(tx, company, outcome.employee, run)?;
        }
        if !paid.leave.is_empty() {
            time_off::turns::settle_policy_year(tx, company, outcome.employee, Date::MIN)?;
        }
    }
    Ok(())
}

/// Reverses some of the records of a calculation whose results are gone; returns whether there were any.
pub fn forget_rest(tx: &mut Tx<'_>, company: Uuid, (payroll, run): (Uuid, Uuid)) -> Result<bool, Error> {
    let items = benefits::payroll::forget_rest(tx, company, payroll, run)?;
    let withheld = withheld::forget_rest(tx, company, payroll, run)?;
    let balance = time_off::payroll::forget_rest(tx, company, run)?;
    let requests = time_off::requests::payroll::forget_rest(tx, company, run)?;
    Ok(items + withheld > 0 || balance || requests)
}
