//! A paycheck that no payroll holds: what a gross pay would come to, by the inputs and the sums of the year that a
//! payroll would read, and by the same rules. Nothing is stored.

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

/// The pay that is looked at.
#[derive(Debug, Clone, Copy)]
pub struct Pay {
    /// before anything is taken
    pub gross: Amount,
    /// how often such a pay is paid
    pub frequency: PayFrequency,
    /// the day of payment
    pub check_date: Date,
    /// income tax of the state of work, in the place of what its formula gives
    pub state_income_tax: Option<Amount>,
}

/// What a pay comes to.
#[derive(Debug)]
pub struct Preview {
    /// the paycheck; its garnishments are those that were given, in their order
    pub paycheck: Paycheck<Uuid>,
    /// the employee's taxes of states and places, by code
    pub other_taxes: Vec<(String, Amount)>,
    /// how benefits, taxes and garnishments came about
    pub explanation: Vec<Node>,
    /// the state of work, two letters; none without a work address
    pub state: Option<String>,
    /// whether the state taxes no wages
    pub no_state_tax: bool,
    /// the year whose tax tables were used
    pub tables_of: i16,
    /// what other payrolls of the pay period in which the day of payment lies took for the garnishments
    pub taken_in_period: Amount,
}

/// The paycheck of an employee for a pay from which these garnishments are taken. `None` where no tax tables of the
/// year of payment or of one before it are held.
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
    // A payroll of one day, which is stored nowhere.
    let day = pay.check_date;
    let payroll = Payroll::new((Uuid::nil(), tx.now()), (day, day), day, pay.frequency);
    // By the newest tax tables that are not younger than the pay.
    let Ok(tables) = PayrollTables::read(tx, day, true)? else { return Ok(None) };
    let taken_in_period = taken_in_period(tx, company, &payroll, employee.id)?;
    let context = Context::read(tx, company, payroll, tables)?;
    let (tables, tables_of) = (&context.tables, context.tables.year);
    let common = tables.terms(&context.payroll);
    let (_, mut inputs, sums) = snapshot::inputs(tx, &context, &[Member::of(employee)])?
        .pop()
        .ok_or_else(|| Error::internal("an employee of a preview has no inputs"))?;
    inputs.state.supplied = pay.state_income_tax;
    // Only the garnishments that were given count.
    inputs.garnishments.clear();
    let mut of = inputs.employee(&common, tables);
    // The pay is given, whatever the jobs would bring.
    of.jobs.clear();
    of.fixed = vec![FixedPay::new(FixedKind::Earnings, 0, pay.gross)];
    // It is regular pay: none of it counts against the limit of supplemental wages.
    of.year_to_date.supplemental_wages = Amount::ZERO;
    let year = pay.check_date.year();
    of.garnishments =
        orders.iter().map(|order| garnishment(order, sums.garnishment(order.id, year))).collect();
    let mut recorder = Recorder::default();
    let paycheck = paycheck(&mut recorder, &common, &of)
        .ok_or_else(|| Error::internal("the pay of a preview is larger than an amount can be"))?;
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
        .ok_or_else(|| Error::internal("what a pay period took is larger than an amount can be"))
}

fn garnishment(order: &Order, withheld: WithheldToDate) -> Garnishment<Uuid> {
    Garnishment { id: order.id, since: order.since(), terms: order.terms.clone(), withheld }
}

/// The figures that the garnishments rest on, and the garnishments: what net pay begins with. What the employer owes
/// bears on none of them.
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
