//! Previews the paycheck for a gross pay without a payroll, with the inputs and year-to-date sums that a payroll would read and by the
//! same rules. Nothing is stored.

use std::collections::BTreeSet;

use jiff::ToSpan;
use jiff::civil::Date;
use rules::Amount;
use rules::days::Days;
use rules::explain::{Node, Recorder};
use rules::payroll::garnishment::Garnishment;
use rules::payroll::schedule::PaySchedule;
use rules::payroll::{FixedKind, FixedPay, Paycheck, StateTax, calculate_paycheck};
use rules::taxes::Payer;
use rules::withholding::federal::PayFrequency;
use store::Tx;
use uuid::Uuid;

use crate::error::Error;
use crate::pay::pay_schedules::schedule_spans;
use crate::pay::payrolls::calendar::members::Member;
use crate::pay::payrolls::facts::context::Context;
use crate::pay::payrolls::facts::same_period::SamePeriod;
use crate::pay::payrolls::facts::tables::PayrollTables;
use crate::pay::payrolls::record::payroll::Payroll;
use crate::pay::payrolls::record::sums::Sums;
use crate::pay::payrolls::record::warning::Warning;
use crate::pay::payrolls::run::snapshot;
use crate::pay::payrolls::run::snapshot::Snapshot;
use crate::people::employees::Employee;
use crate::records::IdRange;
use crate::withholding::garnishments::rows::Garnishment as Order;

/// Days before and after a check date between which the pay period that is paid next lies.
const LONGEST: i64 = 400;

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
    /// warnings of the records and tables that a payroll would show too, of those that bear on what is withheld
    pub warnings: Vec<Warning>,
}

/// Keys of the warnings of a paycheck's inputs that bear on what is withheld from a given pay; the others concern how pay is earned or
/// paid out, and the employer's taxes.
const BEARING: [&str; 16] = [
    "certificate_contradicts_address",
    "fica_exemption_not_applied",
    "no_form_w4",
    "no_state_certificate",
    "order_taken_after_death",
    "paid_after_death",
    "place_not_known",
    "previous_rate_used",
    "previous_year_tables",
    "state_wages_in_doubt",
    "support_ended_with_death",
    "tax_wages_in_doubt",
    "w4_exemption_ends",
    "w4_exemption_over",
    "work_days_not_known",
    "zip_not_of_state",
];

/// Calculates the paycheck of an employee for a given pay and garnishments. `None` if there are no tax tables for the year of payment
/// or an earlier one.
pub fn of_pay(
    tx: &mut Tx<'_>,
    company: Uuid,
    employee: &Employee,
    pay: Pay,
    orders: &[Order],
) -> Result<Option<Preview>, Error> {
    let day = pay.check_date;
    let Days { first: start, last: end } = days_of(tx, company, employee.id, pay)?;
    let payroll = Payroll::new((Uuid::nil(), tx.now()), Days { first: start, last: end }, day, pay.frequency);
    // The newest tax tables up to the year of payment.
    let Ok(tables) = PayrollTables::read_for_check_date(tx, day, true)? else { return Ok(None) };
    let taken_in_period = taken_in_period(tx, company, pay, employee.id)?;
    let context = Context::read(tx, company, payroll, tables)?;
    let (tables, tables_of) = (&context.tables, context.tables.year);
    let common = tables.terms_of(&context.payroll);
    let Snapshot { mut inputs, sums, .. } =
        snapshot::read_paycheck_inputs(tx, &context, &[Member::from_employee(employee)])?
            .pop()
            .ok_or_else(|| Error::internal("an employee of a preview has no inputs"))?;
    inputs.state.supplied = pay.state_income_tax;
    // The pay is that of a period without other payrolls, whose weeks are not charged yet.
    inputs.taxed_before.values_mut().for_each(|before| before.forget_weeks_from(start));
    let mut of = inputs.to_rules_employee(&common, tables);
    // The pay is given, whatever the jobs would pay; taxes by the hour are due on the hours of a salary.
    of.other_taxes.hours = rules::payroll::worked_hours(&common, &of.jobs);
    of.jobs.clear();
    of.fixed = vec![FixedPay::new(FixedKind::Earnings, 0, pay.gross)];
    // It is regular pay: no supplemental wages count toward their limit.
    of.year_to_date.supplemental_wages = Amount::ZERO;
    let payroll_takes = std::mem::take(&mut of.garnishments);
    of.garnishments = orders.iter().map(|order| as_taken(order, &payroll_takes, &sums, day)).collect();
    let mut recorder = Recorder::default();
    let paycheck = calculate_paycheck(&mut recorder, &common, &of)
        .ok_or_else(|| Error::internal("the pay of a preview exceeds the largest amount"))?;
    let dues = of.other_taxes.situation.due_taxes().iter().zip(&paycheck.other_taxes);
    let own = dues.filter(|(_, line)| line.of_employee);
    let bears = |warning: &Warning| BEARING.contains(&warning.key.as_str());
    Ok(Some(Preview {
        warnings: inputs.warnings.iter().filter(|one| bears(one)).cloned().collect(),
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

/// Returns the first and the last day that the pay is for: those of the pay period of the employee's schedule that is paid on the check
/// date, or next after it; with another frequency or without a schedule, those of a pay period that ends on it.
fn days_of(tx: &mut Tx<'_>, company: Uuid, employee: Uuid, pay: Pay) -> Result<Days, Error> {
    let day = pay.check_date;
    let follows = schedule_spans::of_employee(tx, company, employee, day)?;
    let schedule = follows.map(|follows| follows.schedule).filter(|one| one.frequency == pay.frequency);
    if let Some(schedule) = schedule {
        let periods = schedule.pay_periods()?;
        let (from, until) = (day.saturating_sub(LONGEST.days()), day.saturating_add(LONGEST.days()));
        if let Some(paid) = periods.periods(from, until).find(|period| period.check_date >= day) {
            return Ok(Days { first: paid.start, last: paid.end });
        }
    }
    let period = PaySchedule::ending_on(pay.frequency, day).period_of(day);
    Ok(Days { first: period.start, last: period.end })
}

fn taken_in_period(tx: &mut Tx<'_>, company: Uuid, pay: Pay, employee: Uuid) -> Result<Amount, Error> {
    let day = pay.check_date;
    let payroll = Payroll::new((Uuid::nil(), tx.now()), Days { first: day, last: day }, day, pay.frequency);
    let period = SamePeriod::read_around_last_day(tx, company, &payroll)?;
    let earlier = period.results_between(tx, company, IdRange::only(employee))?;
    let taken = earlier.values().flat_map(|earlier| earlier.garnishments.values());
    taken
        .copied()
        .try_fold(Amount::ZERO, Amount::checked_add)
        .ok_or_else(|| Error::internal("the deductions of a pay period exceed the largest amount"))
}

/// Returns a garnishment as a payroll takes it: with the sums to date, and no more than is still owed. One that a payroll does not take is
/// not active, or has ended with the employee's death.
fn as_taken(
    order: &Order,
    payroll_takes: &[Garnishment<Uuid>],
    sums: &Sums,
    check_date: Date,
) -> Garnishment<Uuid> {
    if let Some(taken) = payroll_takes.iter().find(|one| one.id == order.id) {
        return taken.clone();
    }
    let mut terms = order.terms.clone();
    terms.ends_on = Some(check_date.saturating_sub(1.day()));
    let withheld = sums.garnishment_to_date(order.id, check_date.year());
    Garnishment { id: order.id, since: order.precedence_date(), terms, withheld }
}

/// Returns the figures that the garnishments depend on, and the garnishments: the first part of net pay. Employer amounts, which affect
/// none of them, are omitted.
fn until_garnishments(figures: Vec<Node>, employee: &rules::payroll::Employee<'_, Uuid>) -> Vec<Node> {
    let Some(net) = figures.into_iter().find(|node| node.step.figure == "net_pay") else { return Vec::new() };
    let Some((settled, _)) = net.step.inputs.first() else { return Vec::new() };
    let settled = net.because.iter().rfind(|node| node.step.figure == *settled).cloned();
    let mut figures = settled.map(|settled| settled.because).unwrap_or_default();
    let dues = employee.other_taxes.situation.due_taxes().iter();
    let of_employer: BTreeSet<&str> =
        dues.filter(|due| due.payer == Payer::Employer).map(|due| due.code.as_str()).collect();
    figures.retain(|node| {
        !node.step.figure.starts_with("futa") && !of_employer.contains(node.step.figure.as_ref())
    });
    figures
}
