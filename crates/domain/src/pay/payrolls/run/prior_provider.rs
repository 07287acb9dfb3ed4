//! Pay from another provider earlier in the year, recalculated by the rules of this service, so that wage bases, caps and year-to-date
//! totals are the same as if this service had paid it.
//!
//! The taxable wages of each tax follow from earnings and benefits, by the law of the pay date. Amounts withheld and paid are taken as
//! reported; for those not reported yet, [`Replayed::suggested`] has the amounts that the rules would have withheld.

use std::collections::BTreeMap;

use jiff::civil::Date;
use rules::days::Days;
use rules::explain::NoTrace;
use rules::payroll::benefits::kind::GROUP_TERM_LIFE;
use rules::payroll::benefits::{Benefit, BenefitElection, BenefitType, Contribution, Exclusions};
use rules::payroll::{FixedKind, FixedPay, Job, YearToDate, calculate_paycheck};
use rules::taxes::{Applies, BookEntry, Situation, Sums as TaxSums, TaxBook, TaxId};
use rules::window::Window;
use rules::withholding::federal::PayFrequency;
use rules::withholding::state::StateTables;
use rules::{Amount, Checks, Violation};
use store::record::Cursor;
use store::{Row, Tx, params};
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::error::Error;
use crate::pay::payrolls::calendar::members::Member;
use crate::pay::payrolls::entry::salaried;
use crate::pay::payrolls::facts::context::Context;
use crate::pay::payrolls::facts::opening;
use crate::pay::payrolls::facts::tables::PayrollTables;
use crate::pay::payrolls::record::paycheck::{BenefitPaid, to_stored_paycheck};
use crate::pay::payrolls::record::paycheck_inputs::PaycheckInputs;
use crate::pay::payrolls::record::payroll::Payroll;
use crate::pay::payrolls::record::settings;
use crate::pay::payrolls::record::sums::Sums;
use crate::pay::payrolls::record::taxes::TaxPaid;
use crate::pay::payrolls::run::earlier_pay;
use crate::pay::payrolls::run::snapshot;
use crate::pay::payrolls::run::snapshot::AT_ONCE;
use crate::pay::payrolls::run::snapshot::Snapshot;

store::statements! {
    UNFINISHED = "SELECT p.status FROM external_payrolls p \
                  JOIN external_payroll_items i ON i.company_id = p.company_id AND i.payroll_id = p.id \
                  JOIN payroll_results r ON r.company_id = i.company_id AND r.employee_id = i.employee_id \
                  WHERE p.company_id = $1 AND p.status <> 'processed' AND r.run_id = $2 AND p.check_date >= $3 LIMIT 1";
    EMPLOYEES_AFTER = "SELECT id FROM employees WHERE company_id = $1 AND id > $2 ORDER BY id LIMIT $3";
}

/// A tax that applies to the company's employees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApplicableTax {
    /// code and payer
    pub id: TaxId,
    /// name as printed on a pay stub
    pub name: String,
    /// whether it depends on where employees live
    pub resident: bool,
}

/// A pay date of another provider.
#[derive(Debug, Clone)]
pub struct PayElsewhere {
    /// first and last day of the pay period
    pub period: Days,
    /// when employees were paid
    pub check_date: Date,
    /// each employee's pay
    pub employees: BTreeMap<Uuid, PriorPay>,
}

/// An employee's pay, as reported.
#[derive(Debug, Clone, Default)]
pub struct PriorPay {
    /// earnings
    pub lines: Vec<(FixedKind, Amount)>,
    /// hours worked and hours off
    pub hours: (Amount, Amount),
    /// whether the earnings include a salary, whose hours are not reported
    pub salary: bool,
    /// benefits
    pub benefits: Vec<GivenBenefit>,
    /// taxes as withheld and paid
    pub taxes: BTreeMap<TaxId, Amount>,
}

/// The amounts of a benefit.
#[derive(Debug, Clone)]
pub struct GivenBenefit {
    /// the company's benefit
    pub company_benefit: Uuid,
    /// the company's name for it
    pub name: String,
    /// its type
    pub kind: &'static BenefitType,
    /// the employee's amount in dollars
    pub deduction: Amount,
    /// the company's amount in dollars
    pub contribution: Amount,
}

/// The results of the pay dates.
#[derive(Debug, Default)]
pub struct Replayed {
    sums: BTreeMap<Uuid, Sums>,
    /// taxes that the rules would have withheld on the last pay date, by employee
    pub suggested: BTreeMap<Uuid, Vec<(TaxId, Amount)>>,
}

/// Calculates pay dates, given in chronological order.
///
/// # Errors
/// 422 if tables are missing or an amount is too large to calculate; a store error.
pub fn replay_pay_dates(tx: &mut Tx<'_>, company: Uuid, pays: &[PayElsewhere]) -> Result<Replayed, Error> {
    let mut replayed = Replayed::default();
    for pay in pays {
        let context = calculation_context(tx, company, pay.period, pay.check_date)?;
        let members: Vec<Member> = pay.employees.keys().map(|id| Member::without_name(*id)).collect();
        replayed.suggested.clear();
        for some in members.chunks(usize::try_from(AT_ONCE).unwrap_or(usize::MAX)) {
            for Snapshot { employee, inputs, .. } in snapshot::read_paycheck_inputs(tx, &context, some)? {
                let given = &pay.employees[&employee];
                let sums = replayed.sums.remove(&employee).unwrap_or_default();
                let (sums, suggested) = replay_pay(&context, inputs, given, sums)?;
                replayed.sums.insert(employee, sums);
                replayed.suggested.insert(employee, suggested);
            }
        }
    }
    Ok(replayed)
}

/// Stores the results of a year's pay dates as the opening balances of each employee; garnishment sums stored before are kept.
///
/// # Errors
/// 422 if a payroll of the year or a later one has paid an employee; a store error.
pub fn store_opening_balances(
    tx: &mut Tx<'_>,
    caller: &Caller,
    year: i16,
    replayed: &Replayed,
) -> Result<(), Error> {
    for (employee, sums) in &replayed.sums {
        refuse_paid(tx, caller.company, *employee, year)?;
        opening::put_sums(tx, caller, *employee, year, sums.clone())?;
    }
    Ok(())
}

/// Refuses a payroll that pays employees with an unfinished external payroll of its year or a later one: once the payroll has paid them,
/// the external payroll could never count.
pub(in crate::pay::payrolls) fn refuse_unfinished(
    tx: &mut Tx<'_>,
    company: Uuid,
    one: &Payroll,
    checks: &mut Checks,
) -> Result<(), Error> {
    let Some(run) = one.run else { return Ok(()) };
    let since = jiff::civil::date(one.check_date.year(), 1, 1);
    let is_processing = |status: &str| match status {
        "processing" => Some(true),
        "unprocessed" => Some(false),
        _ => None,
    };
    let read = |row: &Row<'_>| Cursor::new(row, "external_payrolls", 0).read_text("status", is_processing);
    if let Some(is_processing) = tx.try_find(UNFINISHED, params![company, run, since], read)? {
        let message = if is_processing {
            "External payrolls of its employees are being finished, which changes the sums of the year; try again in a moment."
        } else {
            "External payrolls of its employees are unfinished, and can never count once this payroll has paid them; finish or delete \
             them first."
        };
        checks.push(Violation::invalid_operation(message));
    }
    Ok(())
}

/// Whether a payroll of this service for the year or a later one has paid an employee.
pub fn is_paid(tx: &mut Tx<'_>, company: Uuid, employee: Uuid, year: i16) -> Result<bool, Error> {
    crate::pay::payrolls::record::results::is_paid_since(tx, company, employee, jiff::civil::date(year, 1, 1))
}

/// Refuses an employee whom a payroll of the year or a later one has paid, because the year's sums are already in use.
///
/// # Errors
/// 422 that names the employee; a store error.
pub fn refuse_paid(tx: &mut Tx<'_>, company: Uuid, employee: Uuid, year: i16) -> Result<(), Error> {
    if is_paid(tx, company, employee, year)? {
        return Err(Error::from(Violation::invalid_operation(format!(
            "A payroll of {year} or later has paid the employee {employee}; what was paid elsewhere counts only before the first one."
        ))));
    }
    Ok(())
}

/// Returns the taxes that apply to the company's employees on a pay date, federal ones first.
///
/// # Errors
/// 422 if tables are missing; a store error.
pub fn applicable_taxes(
    tx: &mut Tx<'_>,
    company: Uuid,
    period: Days,
    check_date: Date,
) -> Result<Vec<ApplicableTax>, Error> {
    let context = calculation_context(tx, company, period, check_date)?;
    let federal = TaxBook::built_in().federal_taxes().map(|entry| ApplicableTax {
        id: entry.id.clone(),
        name: entry.label.clone(),
        resident: false,
    });
    let mut taxes: Vec<ApplicableTax> = federal.collect();
    let certificates = context.tables.held.state_certificates.certificates_of_year(check_date.year());
    let (mut others, mut after) = (BTreeMap::new(), Uuid::nil());
    loop {
        let read = |row: &Row<'_>| Cursor::new(row, "employees", 0).read_plain::<Uuid>("id");
        let ids = tx.try_query(EMPLOYEES_AFTER, params![company, after, AT_ONCE], read)?;
        let Some(last) = ids.last() else { break };
        after = *last;
        let members: Vec<Member> = ids.into_iter().map(Member::without_name).collect();
        let terms = context.tables.terms_of(&context.payroll);
        for Snapshot { inputs, .. } in snapshot::read_paycheck_inputs(tx, &context, &members)? {
            let situation = context.tables.situation_in(&inputs.circumstances, &terms);
            for tax in of_situation(&situation, &inputs.state.state, certificates) {
                others.entry(tax.id.clone()).or_insert(tax);
            }
        }
    }
    taxes.extend(others.into_values());
    Ok(taxes)
}

/// Returns the state and local taxes of a situation; without state tables, the income tax of the work state. States that do not tax wages
/// have no income tax.
fn of_situation(situation: &Situation, work: &str, certificates: &StateTables) -> Vec<ApplicableTax> {
    let states =
        situation.states().iter().filter(|income| income.withheld).map(|income| income.state.as_str());
    let mut states: Vec<&str> = states.collect();
    if situation.states().is_empty() && !work.is_empty() {
        states.push(work);
    }
    states.retain(|state| certificates.get(state).is_none_or(|certificate| certificate.wage_tax));
    let states = states.into_iter().map(|state| {
        let BookEntry { id, label: name, .. } = TaxBook::built_in().income_of_state(state).into_owned();
        ApplicableTax { id, name, resident: false }
    });
    let dues = situation.due_taxes().iter().map(|due| ApplicableTax {
        id: due.id(),
        name: due.name(),
        resident: matches!(due.tax.applies, Applies::Residence | Applies::ResidenceJanuary),
    });
    states.chain(dues).collect()
}

fn calculation_context(
    tx: &mut Tx<'_>,
    company: Uuid,
    period: Days,
    check_date: Date,
) -> Result<Context, Error> {
    let earlier_years = settings::of_company(tx, company)?.previous_year_tables;
    let tables = PayrollTables::read_for_check_date(tx, check_date, earlier_years)?;
    let tables = tables.map_err(|missing| {
        let first = missing.first().map_or_else(|| "the tables of the year".to_owned(), ToString::to_string);
        Violation::invalid_operation(format!("Payment on {check_date}: {first}"))
    })?;
    // An unsaved payroll: no inputs were entered for it here.
    let payroll = Payroll::new((Uuid::nil(), tx.now()), period, check_date, frequency_of_period(period));
    Context::read(tx, company, payroll, tables)
}

/// Returns the pay frequency of pay periods of this length.
pub fn frequency_of_period(Days { first: start, last: end }: Days) -> PayFrequency {
    match (end - start).get_days() + 1 {
        ..=7 => PayFrequency::EveryWeek,
        8..=14 => PayFrequency::EveryOtherWeek,
        15..=16 => PayFrequency::TwicePerMonth,
        _ => PayFrequency::Monthly,
    }
}

/// Returns the sums including one pay of an employee, and the taxes that the rules would have withheld from it.
fn replay_pay(
    context: &Context,
    mut inputs: PaycheckInputs,
    given: &PriorPay,
    sums: Sums,
) -> Result<(Sums, Vec<(TaxId, Amount)>), Error> {
    let (payroll, tables) = (&context.payroll, &context.tables);
    let year = payroll.check_date.year();
    // Only pay from elsewhere counts as earlier pay.
    inputs.year_to_date = YearToDate::default();
    inputs.taxed_before.clear();
    inputs.opened = None;
    inputs.benefits_to_date.clear();
    inputs.supplied_taxes.clear();
    inputs.state.supplied = None;
    inputs.garnishments.clear();
    inputs.payment = None;
    inputs.leave.clear();
    earlier_pay::add_sums(&mut inputs, &tables.held.state_programs, &sums, year);
    let held = std::mem::take(&mut inputs.benefits);
    inputs.benefits =
        given.benefits.iter().map(|benefit| benefit_as_reported(benefit, payroll.end, &held)).collect();
    let terms = tables.terms_of(payroll);
    let too_large =
        || Violation::invalid_operation("The amounts of the external payroll are too large to calculate.");
    let mut of = inputs.to_rules_employee(&terms, tables);
    of.jobs.clear();
    of.reimbursements.clear();
    of.other_taxes.hours = Some(taxable_hours(payroll, &inputs, given).ok_or_else(too_large)?);
    of.fixed = given.lines.iter().map(|(kind, amount)| FixedPay::new(*kind, 0, *amount)).collect();
    let situation = of.other_taxes.situation.clone();
    let mut made = calculate_paycheck(&mut NoTrace, &terms, &of).ok_or_else(too_large)?;
    let suggested = made.tax_lines(&situation).into_iter().map(|line| (line.id, line.amount)).collect();

    let actual = |id: &TaxId| given.taxes.get(id).copied().unwrap_or(Amount::ZERO);
    for (due, line) in situation.due_taxes().iter().zip(&mut made.other_taxes) {
        let more = actual(&due.id()).checked_sub(line.sums.amount).ok_or_else(too_large)?;
        for sums in [&mut line.after.year, &mut line.after.quarter, &mut line.after.month] {
            *sums = with_more(*sums, more).ok_or_else(too_large)?;
        }
    }
    let mut noted = to_stored_paycheck(&made, &inputs, &situation, true);
    take_reported(&mut noted.taxes, &given.taxes);
    noted.benefits = given.benefits.iter().map(benefit_paid).collect();
    let taken = noted.taxes_of_employee().map(|tax| tax.amount).sum::<Amount>()
        + noted.benefits.iter().map(|benefit| benefit.deduction).sum::<Amount>()
        + made.cash_tips;
    made.net = (made.gross - taken).max(Amount::ZERO);
    let circumstances = &inputs.circumstances;
    Ok((sums.with_paycheck((year, true, circumstances), &made, &situation, &noted), suggested))
}

/// Returns the hours that taxes on hours use: the reported ones, or else the standard hours of a salary less hours off. `None` on
/// overflow.
fn taxable_hours(payroll: &Payroll, inputs: &PaycheckInputs, given: &PriorPay) -> Option<Amount> {
    let (worked, off) = given.hours;
    let stands = |job: &&Job| job.compensations.last().is_some_and(|last| last.terms.stands_for_hours());
    // An employee who is now paid by the hour may have had a salary then; an owner's draw is not a salary.
    let job = inputs.jobs.iter().find(stands).or_else(|| inputs.jobs.first().filter(|_| !inputs.is_owner()));
    match job {
        Some(job) if given.salary && worked == Amount::ZERO => {
            Some(salaried::of_days(payroll, &job.days_held())?.checked_sub(off)?.max(Amount::ZERO))
        }
        _ => Some(worked),
    }
}

/// Replaces the calculated amounts with those reported; their wages follow from the earnings. A reported tax that does not apply to the
/// employee is kept with its amount alone.
fn take_reported(taxes: &mut Vec<TaxPaid>, reported: &BTreeMap<TaxId, Amount>) {
    for tax in &mut *taxes {
        tax.amount = reported.get(&tax.id).copied().unwrap_or_default();
    }
    for (id, amount) in reported {
        if !taxes.iter().any(|tax| tax.id == *id) {
            taxes.push(TaxPaid::reported_by_code(id.clone(), *amount));
        }
    }
}

/// Returns a tax's sums plus the amount paid above (or below) the amount calculated by the rules, but never below zero.
fn with_more(sums: TaxSums, more: Amount) -> Option<TaxSums> {
    let plus = |amount: Amount| Some(amount.checked_add(more)?.max(Amount::ZERO));
    Some(TaxSums { amount: plus(sums.amount)?, whole: plus(sums.whole)?, ..sums })
}

/// Returns a benefit with exactly the reported amounts. Group-term life insurance keeps the coverage on file for the employee on these
/// days, because its cost is wages regardless of the amount the company paid (26 USC 79).
fn benefit_as_reported(benefit: &GivenBenefit, day: Date, held: &[Benefit<Uuid>]) -> Benefit<Uuid> {
    let insures = |one: &&Benefit<Uuid>| {
        one.company_benefit == benefit.company_benefit && one.kind.code == GROUP_TERM_LIFE
    };
    let insured = held.iter().find(insures).map(|one| &one.terms);
    Benefit {
        company_benefit: benefit.company_benefit,
        record: benefit.company_benefit,
        name: benefit.name.clone(),
        kind: benefit.kind,
        window: Window { effective: day, expiration: Some(day) },
        terms: BenefitElection {
            deduction: benefit.deduction,
            contribution: Contribution::Amount(benefit.contribution),
            catch_up: benefit.kind.takes_catch_up(),
            coverage_amount: insured.and_then(|terms| terms.coverage_amount),
            coverage_salary_multiplier: insured
                .map_or(Amount::ZERO, |terms| terms.coverage_salary_multiplier),
            reduces_taxable_income: insured.and_then(|terms| terms.reduces_taxable_income),
            ..BenefitElection::default()
        },
        active: true,
        company_active: true,
        excluded: Exclusions::default(),
        missed: None,
        recovers: false,
    }
}

fn benefit_paid(benefit: &GivenBenefit) -> BenefitPaid {
    BenefitPaid {
        company_benefit: benefit.company_benefit,
        record: benefit.company_benefit,
        code: benefit.kind.code,
        name: benefit.name.clone(),
        deduction: benefit.deduction,
        contribution: benefit.contribution,
        imputed: Amount::ZERO,
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn how_often_wages_are_paid_follows_from_the_length_of_the_pay_period() {
        let of = |days: i8| frequency_of_period(Days { first: date(2026, 3, 1), last: date(2026, 3, days) });
        assert_eq!(
            [7, 14, 15, 31].map(of),
            [
                PayFrequency::EveryWeek,
                PayFrequency::EveryOtherWeek,
                PayFrequency::TwicePerMonth,
                PayFrequency::Monthly
            ]
        );
    }

    #[test]
    fn what_was_paid_elsewhere_counts_as_it_was_paid_and_never_below_nothing() {
        let sums = TaxSums {
            amount: Amount::from_cents(1_000),
            whole: Amount::from_cents(1_200),
            ..TaxSums::default()
        };
        let less = with_more(sums, Amount::from_cents(-1_100)).unwrap();
        assert_eq!((less.amount, less.whole), (Amount::ZERO, Amount::from_cents(100)));
    }
}
