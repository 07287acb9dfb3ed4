//! What would be taken from a given pay, and why, without a payroll.
//!
//! The pay is what the caller says, or what the primary job pays on the schedule of the company. What it comes to is
//! found as in a payroll ([`payrolls::preview`]): by the employee's certificates, benefits and what was paid and taken
//! before in the year. Nothing is stored.

use jiff::civil::Date;
use rules::Named;
use rules::compensation::annualised;
use rules::explain::{NoTrace, Node};
use rules::payroll::garnishment::{
    Deduction, ManualReason, PAYMENT_PERIODS, Remittance, disposable_earnings,
};
use rules::withholding::federal::PayFrequency;
use rules::{Amount, Category, Checks, Rounding, Violation, check};
use store::Tx;
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::error::Error;
use crate::paging::Query;
use crate::pay::payrolls::preview::{FIRST_YEAR, Pay, Preview};
use crate::pay::{compensations, pay_schedules, payrolls};
use crate::people::employees;
use crate::people::employees::Employee;
use crate::withholding::garnishments::{agencies, rows, shapes, withheld};
use crate::withholding::taxes;

/// How often somebody is paid where nobody says it.
const ASSUMED: PayFrequency = PayFrequency::EveryOtherWeek;

/// What a caller says of the pay.
#[derive(Debug, Clone)]
pub struct Asked {
    gross: Option<Amount>,
    frequency: Option<PayFrequency>,
    state_income_tax: Option<Amount>,
    check_date: Option<Date>,
}

impl Asked {
    /// Reads the query.
    ///
    /// # Errors
    /// 422 with every violation.
    pub fn read(query: &Query) -> Result<Self, Error> {
        let mut checks = Checks::new();
        let mut money = |key: &str| query.text(key).and_then(|text| checks.take(money(key, text)));
        let (gross, state_income_tax) = (money("gross"), money("state_income_tax"));
        let frequency = query.text("pay_frequency").and_then(|text| {
            let known = PAYMENT_PERIODS.map(PayFrequency::as_str);
            let parse = |text: &str| PAYMENT_PERIODS.into_iter().find(|period| period.as_str() == text);
            checks.take(check::named("pay_frequency", text, &known, parse))
        });
        let check_date = query.text("check_date").and_then(|day| checks.take(check::date("check_date", day)));
        checks.finish()?;
        Ok(Self { gross, frequency, state_income_tax, check_date })
    }
}

fn money(key: &str, text: &str) -> Result<Amount, Violation> {
    let fits = |amount: &Amount| {
        (Amount::ZERO..=rules::amount::MAX_AMOUNT).contains(amount)
            && amount.round_to_cents(Rounding::Down) == *amount
    };
    Amount::parse(text).ok().filter(fits).ok_or_else(|| {
        let message = format!("{key} must be an amount of at least 0.00 with at most 2 decimal places");
        Violation::new(key, Category::InvalidParameter, message)
    })
}

/// What would be taken for all garnishments of an employee.
///
/// # Errors
/// "Not found"; 422 where the pay is neither given nor known; a store error.
pub fn preview(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    asked: &Asked,
) -> Result<shapes::GarnishmentPreview, Error> {
    let employee = employees::service::find(tx, caller, employee)?;
    let taken = calculate(tx, caller, &employee, asked)?;
    Ok(shapes::GarnishmentPreview {
        total: taken.total.to_text(2),
        deductions: taken.deductions,
        explanation: taken.nodes.iter().map(Node::to_json).collect(),
        pay: taken.pay,
        warnings: taken.warnings,
    })
}

/// What would be taken for one garnishment.
///
/// # Errors
/// "Not found"; 422 where the pay is neither given nor known; a store error.
pub fn explain(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    asked: &Asked,
) -> Result<shapes::GarnishmentExplanation, Error> {
    let record = rows::find(tx, caller.company, id)?.ok_or(Error::NotFound)?;
    let employee = employees::service::find(tx, caller, record.employee)?;
    let taken = calculate(tx, caller, &employee, asked)?;
    let is_it = |told: &shapes::PreviewedDeduction| told.garnishment_uuid == id;
    let (own, others): (Vec<_>, Vec<_>) = taken.deductions.into_iter().partition(is_it);
    let figure = format!("deduction {id}");
    let of_others = |node: &&Node| node.step.figure.starts_with("deduction ") && node.step.figure != figure;
    Ok(shapes::GarnishmentExplanation {
        garnishment_uuid: id,
        deduction: own.into_iter().next().ok_or(Error::Internal)?,
        others,
        explanation: taken.nodes.iter().filter(|node| !of_others(node)).map(Node::to_json).collect(),
        pay: taken.pay,
        warnings: taken.warnings,
    })
}

/// What a pay comes to.
struct Taken {
    pay: shapes::PreviewedPay,
    deductions: Vec<shapes::PreviewedDeduction>,
    total: Amount,
    warnings: Vec<shapes::PreviewWarning>,
    nodes: Vec<Node>,
}

fn calculate(tx: &mut Tx<'_>, caller: &Caller, employee: &Employee, asked: &Asked) -> Result<Taken, Error> {
    let (pay, frequency_is_assumed) = pay_of(tx, caller, employee, asked)?;
    let records = rows::of_employee(tx, caller.company, employee.id)?;
    let Some(found) = payrolls::preview::of_pay(tx, caller.company, employee, pay, &records)? else {
        let message =
            format!("check_date must lie in {FIRST_YEAR} or later: earlier tax tables are not held");
        return Err(Error::from(Violation::new("check_date", Category::InvalidParameter, message)));
    };
    let mut warnings: Vec<_> =
        found.paycheck.warnings.iter().map(|w| warning(w.key(), w.message())).collect();
    if taxes::rows::find_federal(tx, caller.company, employee.id)?.is_none() {
        let message =
            "The employee has given no Form W-4: federal income tax is withheld as from a single person.";
        warnings.push(warning("no_form_w4", message.to_owned()));
    }
    if found.tables_of != pay.check_date.year() {
        let message = format!("The tax tables of {} were used.", found.tables_of);
        warnings.push(warning("tables_of_an_earlier_year", message));
    }
    if found.no_state_tax && asked.state_income_tax.is_some() {
        let message = "The state of work taxes no wages: state_income_tax was not taken off.";
        warnings.push(warning("state_income_tax_not_used", message.to_owned()));
    }
    let agencies = agencies::current(tx)?;
    let deductions = records.iter().zip(&found.paycheck.garnishments);
    let each = found.paycheck.garnishments.iter().map(|taken| taken.amount);
    Ok(Taken {
        total: each.fold(Amount::ZERO, |sum, amount| sum.checked_add(amount).unwrap_or(sum)),
        deductions: deductions
            .map(|(record, taken)| tell(record, taken, withheld::remittance_of(record, &agencies, false)))
            .collect(),
        pay: previewed(&found, &pay, (asked.gross.is_none(), frequency_is_assumed)),
        warnings,
        nodes: found.explanation,
    })
}

fn previewed(found: &Preview, pay: &Pay, (gross_is_assumed, assumed): (bool, bool)) -> shapes::PreviewedPay {
    let taxes = &found.paycheck.taxes;
    let named = [
        ("social_security", taxes.social_security),
        ("medicare", taxes.medicare),
        ("additional_medicare", taxes.additional_medicare),
        ("federal_income_tax", taxes.federal_income),
        ("state_income_tax", taxes.state_income),
    ];
    let disposable = disposable_earnings(&mut NoTrace, found.paycheck.gross, &named);
    let tax =
        |(name, amount): (&'static str, Amount)| shapes::PreviewedTax { name, amount: amount.to_text(2) };
    shapes::PreviewedPay {
        gross: found.paycheck.gross.to_text(2),
        gross_is_assumed,
        pay_frequency: pay.frequency.as_str(),
        pay_frequency_is_assumed: assumed,
        check_date: pay.check_date,
        state: found.state.clone(),
        taxes: named.into_iter().map(tax).collect(),
        disposable_earnings: disposable.to_text(2),
    }
}

fn tell(
    record: &rows::Garnishment,
    deduction: &Deduction<Uuid>,
    remittance: Option<Remittance>,
) -> shapes::PreviewedDeduction {
    shapes::PreviewedDeduction {
        garnishment_uuid: record.id,
        description: record.description.clone(),
        amount: deduction.amount.to_text(2),
        asked: deduction.requested.to_text(2),
        current_support: deduction.current_support.to_text(2),
        arrears: deduction.arrears.to_text(2),
        remittance: remittance.map(Remittance::as_str),
        remittance_reason: remittance.and_then(Remittance::reason).map(ManualReason::as_str),
    }
}

/// The pay that is looked at, and whether nobody says how often it is paid.
fn pay_of(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: &Employee,
    asked: &Asked,
) -> Result<(Pay, bool), Error> {
    let today = caller.today(tx);
    let schedule = match asked.frequency {
        Some(frequency) => Some(frequency),
        None => {
            pay_schedules::rows::of_employees(tx, caller.company)?.map(|schedule| schedule.frequency)
        }
    };
    let frequency = schedule.unwrap_or(ASSUMED);
    let gross = match asked.gross {
        Some(gross) => Some(gross),
        None => usual_pay(tx, caller, employee, frequency, today)?,
    };
    let Some(gross) = gross else {
        let message = "gross is needed: the pay of the employee's primary job is not known";
        return Err(Error::from(Violation::missing("gross", message)));
    };
    let check_date = asked.check_date.unwrap_or(today);
    let pay = Pay { gross, frequency, check_date, state_income_tax: asked.state_income_tax };
    Ok((pay, schedule.is_none()))
}

/// What the primary job pays in a pay period; an hourly employee is taken to work full time.
fn usual_pay(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: &Employee,
    frequency: PayFrequency,
    today: Date,
) -> Result<Option<Amount>, Error> {
    let pay = compensations::rows::of_employee(tx, caller.company, employee.id)?;
    let terms = pay.primary().and_then(|job| pay.current(job.id, today)).map(|pay| pay.terms());
    let periods = frequency.periods_per_year();
    let of_period = terms
        .filter(|terms| terms.rate > Amount::ZERO)
        .and_then(|terms| annualised(&terms, Some(periods)))
        .and_then(|year| year.mul_ratio(1, periods, Rounding::HalfUp));
    Ok(of_period.map(|amount| amount.round_to_cents(Rounding::HalfUp)))
}

fn warning(key: &'static str, message: String) -> shapes::PreviewWarning {
    shapes::PreviewWarning { key, message }
}
