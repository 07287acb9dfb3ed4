//! What would be taken from a given pay, and why, without a payroll.
//!
//! The pay is what the caller says, or what the primary job pays on the schedule of the company. Of it the taxes go that
//! law requires: federal income tax by the employee's Form W-4, Social Security and Medicare, and the income tax of the
//! state of work where the caller tells it. What was paid before in the year counts for the garnishments, but not for the
//! wage bases of the taxes: the answer says so where that can matter. Nothing is stored.

use jiff::civil::Date;
use rules::compensation::annualised;
use rules::explain::{Node, Operation, Recorder, Step, Trace};
use rules::payroll::YearToDate;
use rules::payroll::garnishment::{
    self as rule, Deduction, ManualReason, PAYMENT_PERIODS, Remittance, SupportLimits, deduct,
    disposable_earnings,
};
use rules::payroll::taxes::{PayrollTaxes, fica};
use rules::withholding::federal::{FederalTables, FilingStatus, PayFrequency, W4, withhold};
use rules::withholding::state::StateTables;
use rules::{Amount, Category, Checks, Rounding, Violation, check};
use store::Tx;
use uuid::Uuid;

use crate::auth::Caller;
use crate::employees::Employee;
use crate::error::Error;
use crate::garnishments::{agencies, api, rows, withheld};
use crate::minimum_wages::service::{place_of_employee, table};
use crate::minimum_wages::table::{Authority, Place, WageType};
use crate::paging::Query;
use crate::{compensations, employees, pay_schedules, taxes};

/// The first year for which there are tax tables.
const FIRST_YEAR: i16 = 2025;
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
) -> Result<api::GarnishmentPreview, Error> {
    let employee = employees::service::find(tx, caller, employee)?;
    let taken = calculate(tx, caller, &employee, asked)?;
    let total = taken.deductions.iter().map(|(_, deduction)| deduction.amount);
    let total = total.fold(Amount::ZERO, |sum, amount| sum.checked_add(amount).unwrap_or(sum));
    Ok(api::GarnishmentPreview {
        deductions: taken.deductions.iter().map(|(told, _)| told).cloned().collect(),
        total: total.to_text(2),
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
) -> Result<api::GarnishmentExplanation, Error> {
    let record = rows::find(tx, caller.company, id)?.ok_or(Error::NotFound)?;
    let employee = employees::service::find(tx, caller, record.employee)?;
    let taken = calculate(tx, caller, &employee, asked)?;
    let is_it = |told: &api::PreviewedDeduction| told.garnishment_uuid == id;
    let (own, others): (Vec<_>, Vec<_>) = taken.deductions.into_iter().map(|(told, _)| told).partition(is_it);
    let figure = format!("deduction {id}");
    let of_others = |node: &&Node| node.step.figure.starts_with("deduction ") && node.step.figure != figure;
    Ok(api::GarnishmentExplanation {
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
    pay: api::PreviewedPay,
    deductions: Vec<(api::PreviewedDeduction, Deduction<Uuid>)>,
    warnings: Vec<api::PreviewWarning>,
    nodes: Vec<Node>,
}

fn calculate(tx: &mut Tx<'_>, caller: &Caller, employee: &Employee, asked: &Asked) -> Result<Taken, Error> {
    let today = caller.today(tx);
    let check_date = asked.check_date.unwrap_or(today);
    let pay = Pay::of(tx, caller, employee, asked, today)?;
    let place = place_of_employee(tx, caller, employee.id, check_date)?;
    let state = place.map(|place| place.state);
    let mut recorder = Recorder::default();
    let mut warnings = Vec::new();
    let taxes = taxes_of(
        tx,
        caller,
        employee,
        (&pay, asked),
        (check_date, state.as_deref()),
        &mut recorder,
        &mut warnings,
    )?;
    let disposable = disposable_earnings(&mut recorder, pay.gross, &taxes);

    let records = rows::of_employee(tx, caller.company, employee.id)?;
    let so_far = withheld::so_far(tx, caller.company, employee.id, check_date.year())?;
    let garnishments: Vec<_> = records
        .iter()
        .map(|record| rule::Garnishment {
            id: record.id,
            since: record.since(),
            terms: &record.terms,
            so_far: so_far.get(&record.id).copied().unwrap_or_default(),
        })
        .collect();
    let limits = SupportLimits::built_in().of(state.as_deref().unwrap_or_default());
    let deductions = deduct(
        &mut recorder,
        &rule::Pay {
            disposable_earnings: disposable,
            frequency: pay.frequency,
            limits,
            federal_minimum_wage: federal_minimum_wage(tx, check_date)?,
        },
        &garnishments,
    );
    let agencies = agencies::current(tx)?;
    let told = records.iter().zip(deductions).map(|(record, deduction)| {
        let remittance = withheld::remittance_of(record, &agencies, false);
        (tell(record, &deduction, remittance), deduction)
    });
    let tax = |(name, amount): &(String, Amount)| api::PreviewedTax {
        name: name.clone(),
        amount: amount.to_text(2),
    };
    Ok(Taken {
        deductions: told.collect(),
        pay: api::PreviewedPay {
            gross: pay.gross.to_text(2),
            gross_is_assumed: asked.gross.is_none(),
            pay_frequency: pay.frequency.as_str(),
            pay_frequency_is_assumed: pay.frequency_is_assumed,
            check_date,
            state,
            taxes: taxes.iter().map(tax).collect(),
            disposable_earnings: disposable.to_text(2),
        },
        warnings,
        nodes: recorder.finish(),
    })
}

fn tell(
    record: &rows::Garnishment,
    deduction: &Deduction<Uuid>,
    remittance: Option<Remittance>,
) -> api::PreviewedDeduction {
    api::PreviewedDeduction {
        garnishment_uuid: record.id,
        description: record.description.clone(),
        amount: deduction.amount.to_text(2),
        asked: deduction.asked.to_text(2),
        current_support: deduction.current_support.to_text(2),
        arrears: deduction.arrears.to_text(2),
        remittance: remittance.map(Remittance::as_str),
        remittance_reason: remittance.and_then(Remittance::reason).map(ManualReason::as_str),
    }
}

/// The pay that is looked at.
struct Pay {
    gross: Amount,
    frequency: PayFrequency,
    frequency_is_assumed: bool,
}

impl Pay {
    fn of(
        tx: &mut Tx<'_>,
        caller: &Caller,
        employee: &Employee,
        asked: &Asked,
        today: Date,
    ) -> Result<Self, Error> {
        let schedule = match asked.frequency {
            Some(frequency) => Some(frequency),
            None => pay_schedules::rows::of_employees(tx, caller.company)?
                .map(|schedule| schedule.terms.frequency),
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
        Ok(Self { gross, frequency, frequency_is_assumed: schedule.is_none() })
    }
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
    let terms = pay.primary().and_then(|job| pay.current(job.id, today)).map(|pay| pay.terms);
    let periods = frequency.periods_per_year();
    let of_period = terms
        .filter(|terms| terms.rate > Amount::ZERO)
        .and_then(|terms| annualised(&terms, Some(periods)))
        .and_then(|year| year.mul_ratio(1, periods, Rounding::HalfUp));
    Ok(of_period.map(|amount| amount.round_to_cents(Rounding::HalfUp)))
}

/// The taxes that law requires to be withheld, by the names of the explanation.
fn taxes_of(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: &Employee,
    (pay, asked): (&Pay, &Asked),
    (check_date, state): (Date, Option<&str>),
    trace: &mut Recorder,
    warnings: &mut Vec<api::PreviewWarning>,
) -> Result<Vec<(String, Amount)>, Error> {
    let year = check_date.year();
    let unknown = || {
        let message =
            format!("check_date must lie in {FIRST_YEAR} or later: earlier tax tables are not held");
        Error::from(Violation::new("check_date", Category::InvalidParameter, message))
    };
    let newest = |find: fn(i16) -> bool| (FIRST_YEAR..=year).rev().find(|year| find(*year));
    let tables = newest(|year| FederalTables::built_in(year).is_some()).and_then(FederalTables::built_in);
    let rates = newest(|year| PayrollTaxes::built_in(year).is_some()).and_then(PayrollTaxes::built_in);
    let (tables, rates) = tables.zip(rates).ok_or_else(unknown)?;

    let stored = taxes::rows::find_federal(tx, caller.company, employee.id)?;
    let without_form = W4::Rev2020 {
        filing_status: FilingStatus::Single,
        two_jobs: false,
        dependents_amount: Amount::ZERO,
        other_income: Amount::ZERO,
        deductions: Amount::ZERO,
        extra_withholding: Amount::ZERO,
    };
    let has_form = stored.is_some();
    let w4 = stored.map_or(without_form, |stored| stored.w4);
    let federal = withhold(tables, &w4, pay.gross, pay.frequency);
    trace.leaf(|| {
        let step = Step::new("federal_income_tax", Operation::Given, federal)
            .input("gross_pay", pay.gross)
            .input("pay_frequency", pay.frequency.as_str())
            .input("tables_of", tables.year.to_string())
            .source("IRS Publication 15-T, Worksheet 1A");
        if has_form { step } else { step.note("There is no Form W-4 yet: withheld as from a single person.") }
    });
    let before = YearToDate::default();
    let fica = fica(trace, rates, pay.gross, &before).ok_or(Error::Internal)?;
    let mut taxes = vec![
        ("federal_income_tax".to_owned(), federal),
        ("social_security".to_owned(), fica.social_security),
        ("medicare".to_owned(), fica.medicare),
        ("additional_medicare".to_owned(), fica.additional_medicare),
    ];
    if tables.year != year {
        warnings.push(warning(
            "tables_of_an_earlier_year",
            format!("The tax tables of {} were used.", tables.year),
        ));
    }
    if let Some(amount) = asked.state_income_tax {
        taxes.push(("state_income_tax".to_owned(), amount));
        trace.leaf(|| Step::new("state_income_tax", Operation::Given, amount).note("As the request says."));
    } else if let Some(why) = no_state_tax(state) {
        warnings.push(warning("state_tax_not_withheld", why));
    }
    Ok(taxes)
}

fn warning(key: &'static str, message: String) -> api::PreviewWarning {
    api::PreviewWarning { key, message }
}

/// Why the income tax of the state of work is missing; none where the state has no tax on wages.
fn no_state_tax(state: Option<&str>) -> Option<String> {
    let Some(state) = state else {
        return Some(
            "No work address is known: federal limits hold, and no income tax of a state is taken off. \
             Send state_income_tax where one is withheld."
                .to_owned(),
        );
    };
    let taxed = StateTables::built_in().get(state).is_none_or(|tables| tables.wage_tax);
    taxed.then(|| {
        format!(
            "The income tax of {state} is not taken off here, so that disposable earnings are too high by it. Send \
             state_income_tax with its amount."
        )
    })
}

/// The federal minimum wage on a day.
///
/// # Errors
/// A store error.
pub fn federal_minimum_wage(tx: &mut Tx<'_>, day: Date) -> Result<Amount, Error> {
    let table = table(tx)?;
    let rows = table.at(&Place::of("", "", ""), day);
    let federal = |row: &&&crate::minimum_wages::table::MinimumWage| {
        row.authority == Authority::Federal && row.wage_type == WageType::Regular
    };
    // Before the first day that the table holds, the figure of that day.
    let wage = rows.iter().find(federal).map(|row| row.wage);
    Ok(wage.unwrap_or(FEDERAL_MINIMUM_WAGE))
}

/// The federal minimum wage since 24 July 2009 (29 USC 206(a)(1)(C)), where the table says none.
const FEDERAL_MINIMUM_WAGE: Amount = Amount::from_cents(725);
