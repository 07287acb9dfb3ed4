//! All payments of a year, in stretches of employees, so that memory does not grow with their number.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::{Date, date};
use returns::Payment;
use store::Tx;
use uuid::Uuid;

use super::payments;
use crate::error::Error;
use crate::pay::external_payrolls::rows as external;
use crate::pay::external_payrolls::rows::{ExternalPayroll, Status};
use crate::pay::payrolls::opening;
use crate::pay::payrolls::paid as results;
use crate::pay::payrolls::rows as payrolls;
use crate::pay::payrolls::rows::Payroll;

/// Paychecks of a payroll that are read at a time.
const STRETCH: i64 = 100;

/// The payments of an employee in a year.
#[derive(Debug, Clone, Default)]
pub struct Gathered {
    /// in the order of pay dates
    pub payments: Vec<Payment>,
    /// first and last day of the pay periods that were paid
    pub periods: Vec<(Date, Date)>,
    /// whether pay before the service is known only as totals of the year, without pay dates
    pub has_totals_alone: bool,
}

/// Calls `take` for each employee who was paid in a year, in order of their ids.
///
/// # Errors
/// A paycheck can't be read; what `take` returns; a store error.
pub fn year(
    tx: &mut Tx<'_>,
    company: Uuid,
    year: i16,
    mut take: impl FnMut(&mut Tx<'_>, Uuid, Gathered) -> Result<(), Error>,
) -> Result<(), Error> {
    let days = (date(year, 1, 1), date(year, 12, 31));
    let payrolls = payrolls::processed(tx, company, days)?;
    let of_others: BTreeMap<Uuid, ExternalPayroll> = external::of_company(tx, company)?
        .into_iter()
        .filter(|one| one.status == Status::Processed && one.check_date.year() == year)
        .map(|one| (one.id, one))
        .collect();
    let mut after = Uuid::nil();
    loop {
        let (mut found, last) = stretch(tx, company, &payrolls, after)?;
        // Those of other providers, up to the last employee of the stretch.
        let (first, mut told) = (following(after), BTreeSet::new());
        for (payroll, employee, item) in external::items_between(tx, company, (first, last))? {
            let Some(payroll) = of_others.get(&payroll) else { continue };
            told.insert(employee);
            let of = found.entry(employee).or_default();
            of.payments.push(payments::of_external(payroll, &item));
            of.periods.push((payroll.start, payroll.end));
        }
        for (employee, sums) in opening::sums_between(tx, company, (first, last))? {
            // Payrolls of other providers are part of the totals.
            if sums.years.contains_key(&year) && !told.contains(&employee) {
                found.entry(employee).or_default().has_totals_alone = true;
            }
        }
        for (employee, mut gathered) in found {
            gathered.payments.sort_by_key(|payment| payment.pay_date);
            take(tx, employee, gathered)?;
        }
        if last == Uuid::max() {
            return Ok(());
        }
        after = last;
    }
}

/// Reads the next paychecks of each payroll, and returns those of the employees whom all of them have reached, with the last of these;
/// `Uuid::max` at the end.
fn stretch(
    tx: &mut Tx<'_>,
    company: Uuid,
    payrolls: &[Payroll],
    after: Uuid,
) -> Result<(BTreeMap<Uuid, Gathered>, Uuid), Error> {
    let (mut found, mut reached) = (BTreeMap::<Uuid, Gathered>::new(), Uuid::max());
    for payroll in payrolls {
        let Some(run) = payroll.run else { continue };
        let some = results::after(tx, company, run, after, STRETCH)?;
        if let Some(last) = some.last().filter(|_| some.len() == usize::try_from(STRETCH).unwrap_or(0)) {
            reached = reached.min(last.employee);
        }
        for outcome in some.iter().filter(|outcome| outcome.employee <= reached) {
            let of = found.entry(outcome.employee).or_default();
            of.payments.push(payments::of_paycheck(payroll, outcome)?);
            of.periods.push((payroll.start, payroll.end));
        }
    }
    found.retain(|employee, _| *employee <= reached);
    Ok((found, reached))
}

/// Returns the id that follows another one.
fn following(id: Uuid) -> Uuid {
    Uuid::from_u128(id.as_u128().saturating_add(1))
}
