//! What is to be paid to agencies, or was: what payrolls withheld for child support, per payroll and order, and whether
//! the service pays it or the employer does.
//!
//! The record for the bank is made when the list is read. It names everything but the employee's Social Security
//! number, which never leaves the service: X stands for its digits, and whoever pays puts them in.

use jiff::ToSpan;
use jiff::civil::{Date, Weekday};
use rules::Amount;
use rules::payroll::garnishment::{Addendum, Agencies, Agency, MedicalSupport, Payee, addendum};
use rules::payroll::holidays::is_banking_day;
use store::{Row, Tx, params};
use uuid::Uuid;

use super::agencies;
use super::shapes::ChildSupportRemittance;
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::paging::{Listed, Page};
use crate::people::employees;

/// The conditions of a list: $1 company, $2 payroll, $3 and $4 the days of payment. A condition that is NULL holds.
macro_rules! filtered {
    () => {
        " FROM garnishment_withholdings WHERE company_id = $1 AND (payroll_id = $2 OR $2 IS NULL) \
         AND check_date BETWEEN $3 AND $4 AND remittance IS NOT NULL"
    };
}

store::statements! {
    LIST = concat!("SELECT payroll_id, garnishment_id, employee_id, check_date, off_cycle, amount, support_state, agency, fips_code, \
           case_number, order_number, remittance_number, remittance, remittance_reason", filtered!(),
           " ORDER BY check_date, payroll_id, garnishment_id LIMIT $5 OFFSET $6");
    COUNT = concat!("SELECT count(*)", filtered!());
}

/// The Social Security number in a record for the bank.
const HIDDEN_SSN: &str = "XXXXXXXXX";

/// A line as it is stored.
struct Line {
    payroll: Uuid,
    garnishment: Uuid,
    employee: Uuid,
    check_date: Date,
    off_cycle: bool,
    amount: Amount,
    agency: String,
    payee: Payee,
    remittance: String,
    reason: Option<String>,
}

fn line(row: &Row<'_>) -> Line {
    Line {
        payroll: row.get(0),
        garnishment: row.get(1),
        employee: row.get(2),
        check_date: row.get(3),
        off_cycle: row.get(4),
        amount: Amount::from_millionths(row.get(5)),
        agency: row.get::<Option<String>>(7).unwrap_or_default(),
        payee: Payee {
            state: row.get(6),
            fips_code: row.get(8),
            case_number: row.get(9),
            order_number: row.get(10),
            remittance_number: row.get(11),
        },
        remittance: row.get(12),
        reason: row.get(13),
    }
}

/// Which lines of the list.
#[derive(Debug, Clone)]
pub struct Filter {
    /// only those of this payroll
    pub payroll: Option<Uuid>,
    /// paid on this day or later
    pub from: Date,
    /// paid on this day or before
    pub until: Date,
    /// the page of the list
    pub page: Page,
}

/// A page of the list.
///
/// # Errors
/// 422 when an unpaged list is too long; a store error.
pub fn list(
    tx: &mut Tx<'_>,
    caller: &Caller,
    asked: &Filter,
) -> Result<Listed<ChildSupportRemittance>, Error> {
    let (limit, offset) = asked.page.bounds();
    let Filter { payroll, from, until, .. } = *asked;
    let lines = tx.query(LIST, params![caller.company, payroll, from, until, limit, offset], line)?;
    let agencies = agencies::current(tx)?;
    let mut told = Vec::with_capacity(lines.len());
    for line in lines {
        told.push(tell(tx, caller, line, &agencies)?);
    }
    Listed::new(asked.page, told, || {
        let count = tx.find(COUNT, params![caller.company, payroll, from, until], |row| row.get::<i64>(0))?;
        Ok(count.unwrap_or(0))
    })
}

fn tell(
    tx: &mut Tx<'_>,
    caller: &Caller,
    line: Line,
    agencies: &Agencies,
) -> Result<ChildSupportRemittance, Error> {
    let employee = employees::Employee::find(tx, caller.company, line.employee)?;
    let agency = agencies.of(&line.payee.state);
    let identifier = agency
        .and_then(|agency| agency.required.first())
        .and_then(|needed| line.payee.identifier(*needed))
        .or(line.payee.case_number.as_deref());
    let addendum = employee.zip(identifier).and_then(|(employee, case_identifier)| {
        addendum(&Addendum {
            case_identifier,
            pay_date: line.check_date,
            amount: line.amount,
            ssn: HIDDEN_SSN,
            medical: MedicalSupport::No,
            first_name: &employee.first_name,
            last_name: &employee.last_name,
            fips_code: &line.payee.fips_code,
            terminated: false,
        })
    });
    Ok(ChildSupportRemittance {
        payroll_uuid: line.payroll,
        garnishment_uuid: line.garnishment,
        employee_uuid: line.employee,
        check_date: line.check_date,
        off_cycle: line.off_cycle,
        state: line.payee.state,
        agency: line.agency,
        fips_code: line.payee.fips_code,
        case_number: line.payee.case_number,
        order_number: line.payee.order_number,
        remittance_number: line.payee.remittance_number,
        amount: line.amount.to_text(2),
        remittance: line.remittance,
        remittance_reason: line.reason,
        due_on: agency.and_then(|agency| due_on(agency, line.check_date)),
        addendum,
    })
}

/// The last day on which the agency wants what was withheld on a pay date. Business days are Monday to Friday without
/// the holidays of banks.
fn due_on(agency: &Agency, check_date: Date) -> Option<Date> {
    let within = agency.remit_within?;
    if !within.business {
        return check_date.checked_add(i64::from(within.days).days()).ok();
    }
    let mut day = check_date;
    for _ in 0..within.days {
        day = day.tomorrow().ok()?;
        while !is_banking_day(day) || matches!(day.weekday(), Weekday::Saturday | Weekday::Sunday) {
            day = day.tomorrow().ok()?;
        }
    }
    Some(day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_withheld_is_due_some_days_after_the_pay_date() {
        let due = |state: &str, day: &str| {
            let agency = Agencies::built_in().of(state).unwrap();
            due_on(agency, day.parse().unwrap()).map(|day| day.to_string())
        };
        // Seven business days over two weekends and Memorial Day; five calendar days; not known.
        assert_eq!(due("OH", "2026-05-15").as_deref(), Some("2026-05-27"));
        assert_eq!(due("WI", "2026-05-15").as_deref(), Some("2026-05-20"));
        assert_eq!(due("CA", "2026-05-15"), None);
    }
}
