//! All payments of a year, in spans of employees, so that memory does not grow with their number.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::{Date, date};
use returns::{Payment, Quarter};
use rules::Amount;
use rules::days::Days;
use rules::payroll::Worked;
use store::Tx;
use uuid::Uuid;

use super::payments;
use crate::error::Error;
use crate::pay::external_payrolls::rows as external;
use crate::pay::external_payrolls::rows::{ExternalPayroll, ExternalPayrollStatus};
use crate::pay::payrolls::facts::opening;
use crate::pay::payrolls::record::paycheck_inputs::PaycheckInputs;
use crate::pay::payrolls::record::payroll::Payroll;
use crate::pay::payrolls::record::results::Outcome;
use crate::pay::payrolls::record::taxes::TaxPaid;
use crate::pay::payrolls::record::{results, rows as payrolls};
use crate::records::IdRange;

/// Paychecks of a payroll that are read at a time.
const STRETCH: i64 = 100;

/// The payments of an employee in a year.
#[derive(Debug, Clone, Default)]
pub struct Gathered {
    /// in the order of pay dates
    pub payments: Vec<Payment>,
    /// first and last day of the pay periods that were paid
    pub periods: Vec<Days>,
    /// whether pay before the service is known only as totals of the year, without pay dates
    pub has_totals_alone: bool,
    /// taxes of each payment
    pub taxes: Vec<OfQuarter>,
    /// withheld taxes, and the employer's share of them, of payments that another provider made, in cents by pay date: they are in its books
    pub elsewhere: Vec<(Date, i64)>,
    /// what was worked for each paycheck of this service
    pub work: Vec<Work>,
}

/// What was worked for a paycheck.
#[derive(Debug, Clone)]
pub struct Work {
    /// the quarter of its pay date
    pub quarter: Quarter,
    /// the state whose unemployment insurance covers the work, if it is known
    pub state: Option<String>,
    /// hours worked, in millionths
    pub hours: i64,
    /// first and last day of the pay period
    pub period: Days,
}

/// A tax of a payment, by the quarter of its pay date.
#[derive(Debug, Clone)]
pub struct OfQuarter {
    /// the quarter
    pub quarter: Quarter,
    /// the tax
    pub tax: TaxPaid,
    /// whether another provider paid it, and told no wages
    pub lacks_wages: bool,
}

/// The payments of some employees in a year.
#[derive(Debug, Clone)]
pub struct ReturnPeriod {
    /// by employee
    pub found: BTreeMap<Uuid, Gathered>,
    /// the last employee that was looked at; `None` at the end
    pub last: Option<Uuid>,
}

/// Calls `take` for each employee who was paid in a year, in order of their ids.
///
/// # Errors
/// A paycheck can't be read; what `take` returns; a store error.
pub fn for_each_paid_in_year(
    tx: &mut Tx<'_>,
    company: Uuid,
    year: i16,
    mut take: impl FnMut(&mut Tx<'_>, Uuid, Gathered) -> Result<(), Error>,
) -> Result<(), Error> {
    let sources = Sources::read_sources(tx, company, year)?;
    let mut after = Uuid::nil();
    loop {
        let ReturnPeriod { found, last } = sources.next_payments(tx, company, after)?;
        for (employee, gathered) in found {
            take(tx, employee, gathered)?;
        }
        let Some(last) = last else { return Ok(()) };
        after = last;
    }
}

/// Returns the payments of the next employees after one, in order of their ids.
///
/// # Errors
/// A paycheck can't be read; a store error.
pub fn payments_after(tx: &mut Tx<'_>, company: Uuid, year: i16, after: Uuid) -> Result<ReturnPeriod, Error> {
    Sources::read_sources(tx, company, year)?.next_payments(tx, company, after)
}

/// The payrolls of a year, of this service and of others.
struct Sources {
    year: i16,
    payrolls: Vec<Payroll>,
    of_others: BTreeMap<Uuid, ExternalPayroll>,
}

impl Sources {
    fn read_sources(tx: &mut Tx<'_>, company: Uuid, year: i16) -> Result<Self, Error> {
        let payrolls = payrolls::processed_payrolls(tx, company, days_of(year))?;
        Ok(Self { year, payrolls, of_others: of_others(tx, company, year)? })
    }

    fn next_payments(&self, tx: &mut Tx<'_>, company: Uuid, after: Uuid) -> Result<ReturnPeriod, Error> {
        let (mut found, last) = next_paychecks(tx, company, &self.payrolls, after)?;
        // Those of other providers, up to the last employee of the span.
        add_others(
            tx,
            company,
            (self.year, &self.of_others),
            IdRange { first: next_id(after), last },
            &mut found,
        )?;
        for gathered in found.values_mut() {
            gathered.payments.sort_by_key(|payment| payment.pay_date);
        }
        Ok(ReturnPeriod { found, last: Some(last).filter(|last| *last != Uuid::max()) })
    }
}

/// Returns the payments of an employee in a year.
///
/// # Errors
/// A paycheck can't be read; a store error.
pub fn of_employee(tx: &mut Tx<'_>, company: Uuid, employee: Uuid, year: i16) -> Result<Gathered, Error> {
    let mut found = BTreeMap::from([(employee, Gathered::default())]);
    for payroll in payrolls::processed_payrolls(tx, company, days_of(year))? {
        let Some(run) = payroll.run else { continue };
        if let Some(outcome) = results::find_outcome(tx, company, run, employee)? {
            add_paycheck(&mut found, &payroll, &outcome)?;
        }
    }
    let of_others = of_others(tx, company, year)?;
    add_others(tx, company, (year, &of_others), IdRange::only(employee), &mut found)?;
    let mut gathered = found.remove(&employee).unwrap_or_default();
    gathered.payments.sort_by_key(|payment| payment.pay_date);
    Ok(gathered)
}

fn days_of(year: i16) -> Days {
    Days { first: date(year, 1, 1), last: date(year, 12, 31) }
}

/// Returns the processed payrolls of other providers in a year.
fn of_others(tx: &mut Tx<'_>, company: Uuid, year: i16) -> Result<BTreeMap<Uuid, ExternalPayroll>, Error> {
    let all = external::of_company(tx, company)?.into_iter();
    let wanted =
        all.filter(|one| one.status == ExternalPayrollStatus::Processed && one.check_date.year() == year);
    Ok(wanted.map(|one| (one.id, one)).collect())
}

fn add_paycheck(
    found: &mut BTreeMap<Uuid, Gathered>,
    payroll: &Payroll,
    outcome: &Outcome,
) -> Result<(), Error> {
    let of = found.entry(outcome.employee).or_default();
    let paid = outcome.read_paycheck()?;
    let inputs = outcome.read_inputs()?;
    let state = inputs.circumstances.covering_state();
    of.payments.push(payments::of_paycheck(payroll, outcome, (&paid, &inputs))?);
    let quarter = Quarter::containing_day(payroll.check_date);
    of.work.push(Work {
        quarter,
        state: state.map(str::to_owned),
        hours: hours_worked(&inputs),
        period: Days { first: payroll.start, last: payroll.end },
    });
    of.taxes.extend(paid.taxes.into_iter().map(|tax| OfQuarter { quarter, tax, lacks_wages: false }));
    of.periods.push(Days { first: payroll.start, last: payroll.end });
    Ok(())
}

/// The hours that were entered, in millionths.
fn hours_worked(inputs: &PaycheckInputs) -> i64 {
    let ranges = inputs.jobs.iter().flat_map(|job| job.worked.iter().chain(&job.by_week));
    ranges.filter_map(Worked::total_hours).map(Amount::millionths).sum()
}

/// Adds what other providers paid to the employees from the first to the last.
fn add_others(
    tx: &mut Tx<'_>,
    company: Uuid,
    (year, of_others): (i16, &BTreeMap<Uuid, ExternalPayroll>),
    employees: IdRange,
    found: &mut BTreeMap<Uuid, Gathered>,
) -> Result<(), Error> {
    let mut told = BTreeSet::new();
    for (payroll, employee, item) in external::items_between(tx, company, employees)? {
        let Some(payroll) = of_others.get(&payroll) else { continue };
        told.insert(employee);
        let of = found.entry(employee).or_default();
        let payment = payments::of_external(payroll, &item);
        of.elsewhere.push((payment.pay_date, payment.tax_liability()));
        of.payments.push(payment);
        let quarter = Quarter::containing_day(payroll.check_date);
        let lines = payments::of_item(&item).into_iter().zip(&item.taxes);
        of.taxes.extend(lines.map(|(tax, line)| OfQuarter {
            quarter,
            tax,
            lacks_wages: line.taxable.is_none(),
        }));
        of.periods.push(Days { first: payroll.start, last: payroll.end });
    }
    for (employee, sums) in opening::sums_between(tx, company, employees)? {
        // Payrolls of other providers are part of the totals.
        if sums.years.contains_key(&year) && !told.contains(&employee) {
            found.entry(employee).or_default().has_totals_alone = true;
        }
    }
    Ok(())
}

/// Reads the next paychecks of each payroll, and returns those of the employees whom all of them have reached, with the last of these;
/// `Uuid::max` at the end.
fn next_paychecks(
    tx: &mut Tx<'_>,
    company: Uuid,
    payrolls: &[Payroll],
    after: Uuid,
) -> Result<(BTreeMap<Uuid, Gathered>, Uuid), Error> {
    let (mut found, mut reached) = (BTreeMap::<Uuid, Gathered>::new(), Uuid::max());
    for payroll in payrolls {
        let Some(run) = payroll.run else { continue };
        let some = results::outcomes_after(tx, company, run, after, STRETCH)?;
        if let Some(last) = some.last().filter(|_| some.len() == usize::try_from(STRETCH).unwrap_or(0)) {
            reached = reached.min(last.employee);
        }
        for outcome in some.iter().filter(|outcome| outcome.employee <= reached) {
            add_paycheck(&mut found, payroll, outcome)?;
        }
    }
    found.retain(|employee, _| *employee <= reached);
    Ok((found, reached))
}

/// Returns the id that follows another one.
fn next_id(id: Uuid) -> Uuid {
    Uuid::from_u128(id.as_u128().saturating_add(1))
}
