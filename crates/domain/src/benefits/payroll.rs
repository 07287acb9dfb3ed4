//! What payroll needs from benefits: the records of employees, the year-to-date deductions and contributions, and the storage of those of a
//! processed payroll.

use std::collections::HashMap;

use jiff::civil::{Date, date};
use rules::Amount;
use rules::days::Days;
use rules::payroll::benefits::{Benefit, BenefitToDate, Group};
use store::Tx;
use uuid::Uuid;

use super::rows::{employee, payroll};
use crate::error::Error;
use crate::records::IdRange;

pub use payroll::BenefitItem;

/// The benefits of the employees from `first` to `last`, with all their windows. Those of an employee are in the order
/// of enrollment, in which [`rules::payroll::benefits::calculate`] takes them; it picks the windows that contain the
/// last day of a pay period.
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
    found.values_mut().for_each(|benefits| sort_by_enrollment(benefits));
    Ok(found)
}

/// The benefits of one employee, as [`of_employees`] returns them.
pub fn of_employee(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<Vec<Benefit<Uuid>>, Error> {
    Ok(of_employees(tx, company, employee, employee)?.remove(&employee).unwrap_or_default())
}

/// Sorts by enrollment, which is the creation of a benefit's first window.
pub(super) fn sort_by_enrollment(benefits: &mut [Benefit<Uuid>]) {
    let mut first: HashMap<Uuid, Uuid> = HashMap::new();
    for benefit in benefits.iter() {
        let known = first.entry(benefit.company_benefit).or_insert(benefit.record);
        *known = (*known).min(benefit.record);
    }
    benefits.sort_by_key(|b| (first.get(&b.company_benefit).copied(), b.record));
}

/// Deductions and contributions of each benefit in the payrolls of a year that are stored so far.
///
/// # Errors
/// A store error.
///
/// # Panics
/// On overflow, which a year of bounded items cannot cause.
pub fn year_to_date(
    tx: &mut Tx<'_>,
    company: Uuid,
    employee: Uuid,
    year: i16,
) -> Result<Vec<BenefitToDate<Uuid>>, Error> {
    let (first, last) = (date(year, 1, 1), date(year, 12, 31));
    let mut to_date: Vec<BenefitToDate<Uuid>> = Vec::new();
    for item in payroll::of_employee(tx, company, employee, first, last)? {
        let place = to_date.iter().position(|t| t.company_benefit == item.company_benefit);
        let place = place.unwrap_or_else(|| {
            to_date.push(BenefitToDate::new(item.company_benefit, item.benefit_type));
            to_date.len() - 1
        });
        let so_far = &mut to_date[place];
        so_far.deduction = add_benefit_amounts(&item, so_far.deduction, item.employee_deduction)?;
        so_far.contribution = add_benefit_amounts(&item, so_far.contribution, item.company_contribution)?;
    }
    Ok(to_date)
}

/// The sum of two amounts of a benefit.
fn add_benefit_amounts(item: &BenefitItem, one: Amount, other: Amount) -> Result<Amount, Error> {
    let benefit = item.company_benefit;
    one.checked_add(other).ok_or_else(|| {
        Error::internal(format!(
            "the total of benefit_payroll_items of benefit {benefit} exceeds the maximum amount"
        ))
    })
}

/// The opening balances of a year for each benefit.
pub fn opening_balances(
    tx: &mut Tx<'_>,
    company: Uuid,
    employee: Uuid,
    year: i16,
) -> Result<Vec<BenefitToDate<Uuid>>, Error> {
    let found = payroll::opening_balances(tx, company, employee, year)?.into_iter();
    let amount = Amount::from_millionths;
    Ok(found
        .map(|(benefit, (code, deduction, contribution))| BenefitToDate {
            deduction: amount(deduction),
            contribution: amount(contribution),
            ..BenefitToDate::new(benefit, code)
        })
        .collect())
}

/// Deductions and contributions of benefits with a monthly limit, of a range of employees (ends included), in payrolls other than the given
/// one that are paid in the month of a day.
pub fn of_month(
    tx: &mut Tx<'_>,
    company: Uuid,
    bounds: IdRange,
    (day, payroll): (Date, Uuid),
) -> Result<Vec<(Uuid, BenefitToDate<Uuid>)>, Error> {
    let mut found = Vec::new();
    for item in payroll::of_month(
        tx,
        company,
        bounds,
        Days { first: day.first_of_month(), last: day.last_of_month() },
    )? {
        if item.payroll != payroll && !Group::of_month(item.benefit_type).is_empty() {
            let in_month = add_benefit_amounts(&item, item.employee_deduction, item.company_contribution)?;
            let nothing = BenefitToDate::new(item.company_benefit, item.benefit_type);
            found.push((item.employee, BenefitToDate { in_month, ..nothing }));
        }
    }
    Ok(found)
}

/// Stores what a processed payroll deducted and contributed, replacing what is left of an earlier calculation that is being reversed.
pub fn record_payroll_benefits(tx: &mut Tx<'_>, company: Uuid, items: &[BenefitItem]) -> Result<(), Error> {
    items.iter().try_for_each(|item| payroll::store_item(tx, company, item))
}

/// Deletes what a calculation of a payroll deducted from an employee and contributed for a benefit, by benefit, employee and payroll;
/// nothing that another calculation wrote.
pub fn forget_one(tx: &mut Tx<'_>, company: Uuid, of: (Uuid, Uuid, Uuid), run: Uuid) -> Result<(), Error> {
    payroll::delete_of_run(tx, company, of, run)
}

/// Deletes some of the items of a calculation, of any employee; returns how many.
pub fn forget_rest(tx: &mut Tx<'_>, company: Uuid, payroll: Uuid, run: Uuid) -> Result<u64, Error> {
    payroll::delete_some_of_run(tx, company, payroll, run)
}
