//! Previews the paycheck for a gross pay without a payroll, with the inputs and year-to-date sums that a payroll would read and by the
//! same rules. Nothing is stored.

use std::collections::BTreeSet;

use jiff::civil::Date;
use rules::Amount;
use rules::explain::{Node, Recorder};
use rules::payroll::garnishment::{Garnishment, WithheldToDate};
use rules::payroll::{FixedKind, FixedPay, Paycheck, StateTax, paycheck};
use rules::taxes::Payer;
use rules::withholding::federal::PayFrequency;
use store::Tx;
use uuid::Uuid;

use super::context::Context;
use super::same_period::SamePeriod;
use super::snapshot;
use super::tables::PayrollTables;
use crate::error::Error;
use crate::pay::payrolls::rows::Payroll;
use crate::pay::payrolls::schedule::members::Member;
use crate::people::employees::Employee;
use crate::withholding::garnishments::rows::Garnishment as Order;

/// The pay to preview.
#[derive(Debug, Clone, Copy)]
pub struct Pay {
    /// pay before taxes and deductions
    pub gross: Amount,
    /// pay frequency
    pub frequency: PayFrequency,
    /// the pay date
    pub check_date: Date,
    /// state income tax of the work state, instead of the result of its formula
    pub state_income_tax: Option<Amount>,
}

/// The result of a preview.
#[derive(Debug)]
pub struct Preview {
    /// the paycheck, with the given garnishments in the given order
    pub paycheck: Paycheck<Uuid>,
    /// the employee's state and local taxes, by code
    pub other_taxes: Vec<(String, Amount)>,
    /// how benefits, taxes and garnishments were calculated
    pub explanation: Vec<Node>,
    /// the work state, two letters; `None` without a work address
    pub state: Option<String>,
    /// whether the state has no tax on wages
    pub no_state_tax: bool,
    /// the year whose tax tables were used
    pub tables_of: i16,
    /// garnishment amounts withheld by other payrolls of the pay period that contains the pay date
    pub taken_in_period: Amount,
}

/// Calculates the paycheck of an employee for a given pay and garnishments. `None` if there are no tax tables for the year of payment
/// or an earlier one.
///
/// # Errors
/// A store error.
pub fn of_pay(
    tx: &mut Tx<'_>,
    company: Uuid,
    employee: &Employee,
    pay: Pay,
    orders: &[Order],
) -> Result<Option<Preview>, Error> {
    // An unsaved payroll of one day.
    let day = pay.check_date;
    let payroll = Payroll::new((Uuid::nil(), tx.now()), (day, day), day, pay.frequency);
    // The newest tax tables up to the year of payment.
    let Ok(tables) = PayrollTables::read(tx, day, true)? else { return Ok(None) };
    let taken_in_period = taken_in_period(tx, company, &payroll, employee.id)?;
    let context = Context::read(tx, company, payroll, tables)?;
    let (tables, tables_of) = (&context.tables, context.tables.year);
    let common = tables.terms(&context.payroll);
    let (_, mut inputs, sums) = snapshot::inputs(tx, &context, &[Member::of(employee)])?
        .pop()
        .ok_or_else(|| Error::internal("an employee of a preview has no inputs"))?;
    inputs.state.supplied = pay.state_income_tax;
    // Only the given garnishments count.
    inputs.garnishments.clear();
    let mut of = inputs.employee(&common, tables);
    // The pay is given, whatever the jobs would pay.
    of.jobs.clear();
    of.fixed = vec![FixedPay::new(FixedKind::Earnings, 0, pay.gross)];
    // It is regular pay: no supplemental wages count toward their limit.
    of.year_to_date.supplemental_wages = Amount::ZERO;
    let year = pay.check_date.year();
    of.garnishments =
        orders.iter().map(|order| garnishment(order, sums.garnishment(order.id, year))).collect();
    let mut recorder = Recorder::default();
    let paycheck = paycheck(&mut recorder, &common, &of)
        .ok_or_else(|| Error::internal("the pay of a preview exceeds the largest amount"))?;
    let dues = of.other_taxes.situation.dues().iter().zip(&paycheck.other_taxes);
    let own = dues.filter(|(_, line)| line.of_employee);
    Ok(Some(Preview {
        other_taxes: own.map(|(due, line)| (due.code.clone(), line.sums.amount)).collect(),
        paycheck,
        explanation: until_garnishments(recorder.finish(), &of),
        no_state_tax: of.states.iter().any(|state| {
            state.tax.state() == inputs.state.state
                && matches!(state.tax, StateTax::NoTax { .. } | StateTax::NotWithheld { .. })
        }),
        state: Some(inputs.state.state).filter(|state| !state.is_empty()),
        tables_of,
        taken_in_period,
    }))
}

fn taken_in_period(
    tx: &mut Tx<'_>,
    company: Uuid,
    payroll: &Payroll,
    employee: Uuid,
) -> Result<Amount, Error> {
    let period = SamePeriod::around(tx, company, payroll)?;
    let earlier = period.between(tx, company, (employee, employee))?;
    let taken = earlier.values().flat_map(|earlier| earlier.garnishments.values());
    taken
        .copied()
        .try_fold(Amount::ZERO, Amount::checked_add)
        .ok_or_else(|| Error::internal("the deductions of a pay period exceed the largest amount"))
}

fn garnishment(order: &Order, withheld: WithheldToDate) -> Garnishment<Uuid> {
    Garnishment { id: order.id, since: order.since(), terms: order.terms.clone(), withheld }
}

/// Returns the figures that the garnishments depend on, and the garnishments: the first part of net pay. Employer amounts, which affect
/// none of them, are omitted.
fn until_garnishments(figures: Vec<Node>, employee: &rules::payroll::Employee<'_, Uuid>) -> Vec<Node> {
    let Some(net) = figures.into_iter().find(|node| node.step.figure == "net_pay") else { return Vec::new() };
    let Some((settled, _)) = net.step.inputs.first() else { return Vec::new() };
    let settled = net.because.iter().rfind(|node| node.step.figure == *settled).cloned();
    let mut figures = settled.map(|settled| settled.because).unwrap_or_default();
    let dues = employee.other_taxes.situation.dues().iter();
    let of_employer: BTreeSet<&str> =
        dues.filter(|due| due.payer == Payer::Employer).map(|due| due.code.as_str()).collect();
    figures.retain(|node| {
        !node.step.figure.starts_with("futa") && !of_employer.contains(node.step.figure.as_ref())
    });
    figures
}
