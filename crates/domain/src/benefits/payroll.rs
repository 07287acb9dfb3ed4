//! What payroll needs of benefits: the windows of employees, what the year took and gave so far, and the place
//! where a processed payroll writes down what it took and gave.

use std::collections::HashMap;

use jiff::civil::date;
use rules::Amount;
use rules::payroll::benefits::{Benefit, BenefitToDate};
use store::Tx;
use uuid::Uuid;

use super::rows::{employee, payroll};
use crate::error::Error;

pub use payroll::Item;

/// The benefits of the employees between two (both included), all windows of each. Those of an employee stand in the
/// order in which benefits were enrolled, which is the order in which [`rules::payroll::benefits::calculate`] takes
/// them; it picks the windows that hold the last day of a pay period.
///
/// # Errors
/// A store error.
pub fn of_employees(
    tx: &mut Tx<'_>,
    company: Uuid,
    first: Uuid,
    last: Uuid,
) -> Result<HashMap<Uuid, Vec<Benefit<Uuid>>>, Error> {
    let mut found: HashMap<Uuid, Vec<Benefit<Uuid>>> = HashMap::new();
    for (employee, benefit) in employee::with_benefits(tx, company, first, last)? {
        found.entry(employee).or_default().push(benefit);
    }
    found.values_mut().for_each(|benefits| in_order_of_enrolment(benefits));
    Ok(found)
}

/// The benefits of one employee, as [`of_employees`] gives them.
///
/// # Errors
/// A store error.
pub fn of_employee(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<Vec<Benefit<Uuid>>, Error> {
    Ok(of_employees(tx, company, employee, employee)?.remove(&employee).unwrap_or_default())
}

/// A benefit was enrolled when its first window was made; later windows do not move it back.
pub(super) fn in_order_of_enrolment(benefits: &mut [Benefit<Uuid>]) {
    let mut first: HashMap<Uuid, Uuid> = HashMap::new();
    for benefit in benefits.iter() {
        let known = first.entry(benefit.company_benefit).or_insert(benefit.record);
        *known = (*known).min(benefit.record);
    }
    benefits.sort_by_key(|b| (first.get(&b.company_benefit).copied(), b.record));
}

/// What each benefit took from the employee and gave in the payrolls of a year that are written down so far.
///
/// # Errors
/// A store error.
///
/// # Panics
/// Beyond what an amount can hold, which a year's bounded items never reach.
pub fn year_to_date(
    tx: &mut Tx<'_>,
    company: Uuid,
    employee: Uuid,
    year: i16,
) -> Result<Vec<BenefitToDate<Uuid>>, Error> {
    let (first, last) = (date(year, 1, 1), date(year, 12, 31));
    let mut taken: Vec<BenefitToDate<Uuid>> = Vec::new();
    for item in payroll::of_employee(tx, company, employee, first, last)? {
        let place = taken.iter().position(|t| t.company_benefit == item.company_benefit);
        let place = place.unwrap_or_else(|| {
            taken.push(BenefitToDate {
                company_benefit: item.company_benefit,
                code: item.benefit_type,
                deduction: Amount::ZERO,
                contribution: Amount::ZERO,
            });
            taken.len() - 1
        });
        let plus = |one: Amount, other| {
            one.checked_add(other).unwrap_or_else(|| panic!("a year of bounded items has a sum"))
        };
        let so_far = &mut taken[place];
        so_far.deduction = plus(so_far.deduction, item.employee_deduction);
        so_far.contribution = plus(so_far.contribution, item.company_contribution);
    }
    Ok(taken)
}

/// Writes down what a processed payroll took and gave. A payroll that is processed again forgets first.
///
/// # Errors
/// A store error.
pub fn record(tx: &mut Tx<'_>, company: Uuid, items: &[Item]) -> Result<(), Error> {
    items.iter().try_for_each(|item| payroll::insert(tx, company, item))
}

/// Forgets what a payroll took and gave, when it was cancelled.
///
/// # Errors
/// A store error.
pub fn forget(tx: &mut Tx<'_>, company: Uuid, payroll: Uuid) -> Result<(), Error> {
    payroll::delete_of_payroll(tx, company, payroll)
}

/// Forgets what a payroll took from an employee and gave for a benefit, when it was cancelled.
///
/// # Errors
/// A store error.
pub fn forget_one(tx: &mut Tx<'_>, company: Uuid, of: (Uuid, Uuid, Uuid)) -> Result<(), Error> {
    payroll::delete(tx, company, of)
}
