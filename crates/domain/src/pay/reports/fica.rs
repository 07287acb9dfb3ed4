//! Social Security and Medicare wages, by employee and year.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use jiff::civil::date;
use rules::days::Days;
use rules::{Amount, Violation};
use store::Tx;
use uuid::Uuid;

use super::table::{Cell, Table};
use crate::error::Error;
use crate::pay::payrolls::facts::opening;
use crate::pay::payrolls::record::sums::Sums;
use crate::pay::payrolls::record::{results, rows as payrolls};
use crate::people::employees::Employee;

/// Number of paychecks read at a time.
const STRETCH: i64 = 200;
/// Maximum number of paychecks in one report.
const MOST: usize = 100_000;

/// Returns the wages of the years between two (both included), from the last processed paycheck of each year or, for employees without one,
/// from opening balances.
///
/// # Errors
/// 422 if there are too many paychecks; a store error.
pub(super) fn fica_wages_table(
    tx: &mut Tx<'_>,
    company: Uuid,
    (start, end): (i16, i16),
) -> Result<Table, Error> {
    // Year-to-date sums grow in the order of processing.
    let all = payrolls::processed_payrolls(
        tx,
        company,
        Days { first: date(start, 1, 1), last: date(end, 12, 31) },
    )?;
    let mut held: BTreeMap<(Uuid, i16), [Amount; 2]> = BTreeMap::new();
    let mut read = 0;
    for payroll in all {
        let Some(run) = payroll.run else { continue };
        let (year, mut after) = (payroll.check_date.year(), Uuid::nil());
        loop {
            let some = results::outcomes_after(tx, company, run, after, STRETCH)?;
            let Some(last) = some.last() else { break };
            after = last.employee;
            read += some.len();
            if read > MOST {
                let why =
                    format!("start_year must be closer to end_year: there are more than {MOST} paychecks");
                return Err(Violation::invalid("start_year", why).into());
            }
            for outcome in &some {
                if let Some(sums) = Sums::read_from_outcome(outcome)?.years.get(&year) {
                    let wages = [sums.social_security_wages(), sums.medicare_wages()];
                    held.insert((outcome.employee, year), wages);
                }
            }
        }
    }
    add_opened(tx, company, start..=end, &mut held)?;
    let columns = [
        "employee_uuid",
        "employee_first_name",
        "employee_last_name",
        "year",
        "social_security_wages",
        "medicare_wages",
    ];
    let mut table = Table::new("Annual FICA wages of employees", &columns);
    let mut name: Option<(Uuid, Option<Employee>)> = None;
    for ((employee, year), wages) in held {
        if name.as_ref().is_none_or(|(id, _)| *id != employee) {
            name = Some((employee, Employee::find(tx, company, employee)?));
        }
        let person = name.as_ref().and_then(|(_, person)| person.as_ref());
        let mut row = vec![
            Cell::from_text(employee.to_string()),
            Cell::from_optional_text(person.map(|person| person.first_name.as_str())),
            Cell::from_optional_text(person.map(|person| person.last_name.as_str())),
            Cell::from_text(year.to_string()),
        ];
        row.extend(wages.map(Cell::Amount));
        table.rows.push(row);
    }
    Ok(table)
}

/// Adds employees whom no payroll here has paid in a year: they left earlier, or are not paid yet.
fn add_opened(
    tx: &mut Tx<'_>,
    company: Uuid,
    years: RangeInclusive<i16>,
    held: &mut BTreeMap<(Uuid, i16), [Amount; 2]>,
) -> Result<(), Error> {
    let mut after = Uuid::nil();
    loop {
        let some = opening::opening_sums_after(tx, company, after, STRETCH)?;
        let Some((last, _)) = some.last() else { return Ok(()) };
        after = *last;
        for (employee, opened) in &some {
            for (year, sums) in opened.years.iter().filter(|(year, _)| years.contains(year)) {
                let wages = [sums.social_security_wages(), sums.medicare_wages()];
                held.entry((*employee, *year)).or_insert(wages);
            }
        }
    }
}
