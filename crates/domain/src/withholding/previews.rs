//! Previews: what would be withheld from a given pay, and why, without a payroll.
//!
//! The pay is given by the caller, or is the pay of the primary job on the company's schedule. Taxes and benefits are calculated as in a
//! payroll (`run::preview`): from the employee's certificates and benefits, and the year-to-date amounts. Nothing is stored.

use std::borrow::Cow;

use jiff::civil::Date;
use rules::compensation::annualized_pay;
use rules::explain::{NoTrace, Node};
use rules::payroll::garnishment::{Deduction, Remittance, disposable_earnings};
use rules::withholding::federal::PayFrequency;
use rules::{Amount, Category, Rounding, Violation};
use store::Tx;
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::benefits::service::may_see_of_pay;
use crate::error::Error;
use crate::pay::compensations;
use crate::pay::pay_schedules::schedule_spans;
use crate::pay::payrolls::run::preview;
use crate::pay::payrolls::run::preview::{Pay, Preview as Previewed};
use crate::pay::payrolls::views::concealed;
use crate::people::employees;
use crate::people::employees::Employee;
use crate::platform::law;
use crate::withholding::garnishments::commands::PreviewPay;
use crate::withholding::garnishments::{agencies, rows, withheld};

/// The pay frequency if none is given and there is no pay schedule.
const ASSUMED: PayFrequency = PayFrequency::EveryOtherWeek;

/// What would be withheld for all garnishments of an employee.
#[derive(Debug, Clone)]
pub struct Preview {
    /// the pay
    pub pay: PreviewedPay,
    /// by garnishment, in the order of creation
    pub deductions: Vec<PreviewedDeduction>,
    /// the sum of the deductions
    pub total: Amount,
    /// what needs attention
    pub warnings: Vec<Warning>,
    /// how each figure follows from others
    pub explanation: Vec<Node>,
}

/// What would be withheld for one garnishment.
#[derive(Debug, Clone)]
pub struct Explanation {
    /// the pay
    pub pay: PreviewedPay,
    /// the deduction
    pub deduction: PreviewedDeduction,
    /// the deductions for the employee's other garnishments
    pub others: Vec<PreviewedDeduction>,
    /// what needs attention
    pub warnings: Vec<Warning>,
    /// how each figure follows from others
    pub explanation: Vec<Node>,
}

/// The pay that is garnished.
#[derive(Debug, Clone)]
pub struct PreviewedPay {
    /// gross pay
    pub gross: Amount,
    /// whether the gross pay was not given, so that it is the pay of the primary job
    pub gross_is_assumed: bool,
    /// pay frequency
    pub frequency: PayFrequency,
    /// whether the frequency was not given, and there is no pay schedule
    pub frequency_is_assumed: bool,
    /// check date
    pub check_date: Date,
    /// work state; `None` without a work address
    pub state: Option<String>,
    /// taxes required by law, by name
    pub taxes: Vec<(String, Amount)>,
    /// gross pay less these taxes
    pub disposable_earnings: Amount,
}

/// What would be withheld for a garnishment.
#[derive(Debug, Clone)]
pub struct PreviewedDeduction {
    /// description of the garnishment
    pub description: String,
    /// the amount; its id is that of the garnishment
    pub deduction: Deduction<Uuid>,
    /// who remits it; `None` unless child support
    pub remittance: Option<Remittance>,
}

/// Something that needs attention.
#[derive(Debug, Clone)]
pub struct Warning {
    /// machine-readable code
    pub key: Cow<'static, str>,
    /// readable text
    pub message: String,
}

impl Warning {
    fn new(key: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self { key: key.into(), message: message.into() }
    }
}

/// What would be withheld for all garnishments of an employee.
///
/// # Errors
/// "Not found"; 422 if the pay is neither given nor known; a store error.
pub fn preview_garnishments(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    command: &PreviewPay,
) -> Result<Preview, Error> {
    let employee = employees::service::find_employee(tx, caller, employee)?;
    calculate_preview(tx, caller, &employee, command)
}

/// What would be withheld for one garnishment.
///
/// # Errors
/// "Not found"; 422 if the pay is neither given nor known; a store error.
pub fn explain_garnishment(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    command: &PreviewPay,
) -> Result<Explanation, Error> {
    let record = rows::find_garnishment(tx, caller.company, id)?.ok_or(Error::NotFound)?;
    let employee = employees::service::find_employee(tx, caller, record.employee)?;
    let Preview { pay, deductions, warnings, mut explanation, .. } =
        calculate_preview(tx, caller, &employee, command)?;
    let (own, others): (Vec<_>, Vec<_>) = deductions.into_iter().partition(|one| one.deduction.id == id);
    let own_figures = [format!("deduction {id}"), format!("employer_fee {id}")];
    let of_others = |node: &Node| {
        let figure = &node.step.figure;
        let is_of_one = figure.starts_with("deduction ") || figure.starts_with("employer_fee ");
        is_of_one && !own_figures.iter().any(|own| own == figure)
    };
    explanation.retain(|node| !of_others(node));
    let deduction = own
        .into_iter()
        .next()
        .ok_or_else(|| Error::internal("a preview has no deduction of its own garnishment"))?;
    Ok(Explanation { pay, deduction, others, warnings, explanation })
}

fn calculate_preview(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: &Employee,
    command: &PreviewPay,
) -> Result<Preview, Error> {
    let (pay, frequency_is_assumed) = pay_of(tx, caller, employee, command)?;
    let records = rows::of_employee(tx, caller.company, employee.id)?;
    let Some(mut found) = preview::of_pay(tx, caller.company, employee, pay, &records)? else {
        let tables = law::federal_withholding(tx)?;
        let first = tables.iter().next().map_or(0, |of_year| of_year.year);
        let message = format!("check_date must be in {first} or later: earlier tax tables are not available");
        return Err(Error::from(Violation::new("check_date", Category::InvalidParameter, message)));
    };
    // The employer's taxes do not affect garnishments.
    let bearing = found.paycheck.warnings.iter().filter(|one| !one.is_of_employer());
    let mut warnings: Vec<_> =
        bearing.map(|one| Warning::new(one.key(), law::warning_message(one))).collect();
    // A payroll for the same days shows these, too.
    warnings.extend(found.warnings.iter().map(|one| Warning::new(one.key.clone(), one.message.clone())));
    if found.tables_of != pay.check_date.year() {
        let message = format!("The tax tables of {} were used.", found.tables_of);
        warnings.push(Warning::new("tables_of_an_earlier_year", message));
    }
    if found.no_state_tax && command.state_income_tax.is_some() {
        let message = "No income tax is withheld for the work state, so state_income_tax was not deducted.";
        warnings.push(Warning::new("state_income_tax_not_used", message));
    }
    if found.taken_in_period > Amount::ZERO {
        let message = format!(
            "Payrolls of the pay period of check_date have already withheld {} for garnishments. The preview is for a pay period without \
             them: another payroll of that period withholds only what its orders and limits leave.",
            found.taken_in_period
        );
        warnings.push(Warning::new("taken_in_pay_period", message));
    }
    let mut explanation = std::mem::take(&mut found.explanation);
    let benefits = found.paycheck.benefits.iter();
    let hidden = benefits.filter(|line| !may_see_of_pay(caller, line.kind)).map(|line| line.record);
    concealed::conceal_benefits(&mut explanation, &hidden.collect::<Vec<_>>());
    let agencies = agencies::as_paid(tx)?;
    let each = found.paycheck.garnishments.iter().map(|deduction| deduction.amount);
    let total = each.fold(Amount::ZERO, |sum, amount| sum.checked_add(amount).unwrap_or(sum));
    let pay = previewed_pay(&found, &pay, (command.gross.is_none(), frequency_is_assumed));
    let deductions = records.into_iter().zip(found.paycheck.garnishments).map(|(record, deduction)| {
        let remittance = withheld::remittance_of(&record, &agencies, false);
        PreviewedDeduction { description: record.description, deduction, remittance }
    });
    Ok(Preview { pay, deductions: deductions.collect(), total, warnings, explanation })
}

fn previewed_pay(
    found: &Previewed,
    pay: &Pay,
    (gross_is_assumed, frequency_is_assumed): (bool, bool),
) -> PreviewedPay {
    let of_paycheck = &found.paycheck.taxes;
    let taxes = [
        ("social_security", of_paycheck.social_security),
        ("medicare", of_paycheck.medicare),
        ("additional_medicare", of_paycheck.additional_medicare),
        ("federal_income_tax", of_paycheck.federal_income),
        ("state_income_tax", of_paycheck.state_income),
    ];
    let taxes = taxes.map(|(name, amount)| (name.to_owned(), amount)).into_iter();
    let taxes: Vec<(String, Amount)> = taxes.chain(found.other_taxes.iter().cloned()).collect();
    PreviewedPay {
        gross: found.paycheck.gross,
        gross_is_assumed,
        frequency: pay.frequency,
        frequency_is_assumed,
        check_date: pay.check_date,
        state: found.state.clone(),
        disposable_earnings: disposable_earnings(&mut NoTrace, found.paycheck.gross, &taxes),
        taxes,
    }
}

/// The pay to preview, and whether its frequency is assumed.
fn pay_of(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: &Employee,
    command: &PreviewPay,
) -> Result<(Pay, bool), Error> {
    let today = caller.today(tx);
    let schedule = match command.frequency {
        Some(frequency) => Some(frequency),
        None => {
            let follows = schedule_spans::of_employee(tx, caller.company, employee.id, today)?;
            follows.map(|follows| follows.schedule.frequency)
        }
    };
    let frequency = schedule.unwrap_or(ASSUMED);
    let gross = match command.gross {
        Some(gross) => Some(gross),
        None => usual_pay(tx, caller, employee, frequency, today)?,
    };
    let Some(gross) = gross else {
        let message = "gross is needed: the pay of the employee's primary job is not known";
        return Err(Error::from(Violation::missing("gross", message)));
    };
    let check_date = command.check_date.unwrap_or(today);
    let pay = Pay { gross, frequency, check_date, state_income_tax: command.state_income_tax };
    Ok((pay, schedule.is_none()))
}

/// The pay of the primary job for a pay period; an hourly employee is assumed to work full time.
fn usual_pay(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: &Employee,
    frequency: PayFrequency,
    today: Date,
) -> Result<Option<Amount>, Error> {
    let pay = compensations::rows::of_employee(tx, caller.company, employee.id)?;
    let terms =
        pay.primary_job().and_then(|job| pay.compensation_on(job.id, today)).map(|pay| pay.pay_terms());
    let periods = frequency.periods_per_year();
    let of_period = terms
        .filter(|terms| terms.rate > Amount::ZERO)
        .and_then(|terms| annualized_pay(&terms, Some(periods)))
        .and_then(|year| year.mul_ratio(1, periods, Rounding::HalfUp));
    Ok(of_period.map(|amount| amount.round_to_cents(Rounding::HalfUp)))
}
