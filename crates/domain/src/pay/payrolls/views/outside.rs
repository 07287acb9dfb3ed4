//! Warnings about people whom a regular payroll does not pay, and who therefore have no paycheck to show them: days of work before the last
//! day that no payroll pays, pay for days after it, and data entered for them in this payroll.
//!
//! They reflect the current data, until the payroll is submitted.

use crate::pay::payrolls::calendar::submitted;
use std::collections::BTreeMap;

use rules::Amount;
use store::record::Cursor;
use store::{Row, Tx, params};
use uuid::Uuid;

use crate::error::Error;
use crate::pay::payrolls::calendar::members;
use crate::pay::payrolls::record::inputs::Input;
use crate::pay::payrolls::record::payroll::Payroll;
use crate::pay::payrolls::record::texts::ENTERED_NOT_PAID;
use crate::pay::payrolls::record::warning::Warning;
use crate::pay::payrolls::warnings::{late_employment, owed};
use crate::people::employees::Employee;
use crate::records::IdRange;

/// Number of people read at once.
const MOST: i64 = 500;

store::statements! {
    // Entries are of people who were in the payroll when they were made, so their employment was changed after the payroll was.
    ENTERED = "SELECT DISTINCT i.employee_id FROM payroll_inputs i WHERE i.company_id = $1 AND i.payroll_id = $2 AND i.excluded = false AND i.employee_id > $4 \
               AND (i.employee_id IN (SELECT t.employee_id FROM terminations t WHERE t.company_id = $1 AND t.updated_at >= $3) \
               OR i.employee_id IN (SELECT r.employee_id FROM rehires r WHERE r.company_id = $1 AND r.updated_at >= $3)) \
               ORDER BY i.employee_id LIMIT $5";
}

/// Somebody whom the payroll does not pay.
#[derive(Debug, Clone)]
pub struct Outside {
    /// the employee
    pub employee: Uuid,
    /// first and last name
    pub name: String,
    /// warnings that need attention
    pub warnings: Vec<Warning>,
}

/// Returns the people whom an open regular payroll does not pay and who have warnings, in order of their ids.
pub fn unpaid_people_with_warnings(
    tx: &mut Tx<'_>,
    company: Uuid,
    payroll: &Payroll,
) -> Result<Vec<Outside>, Error> {
    if payroll.off_cycle || payroll.submitted_at.is_some() || payroll.skipped {
        return Ok(Vec::new());
    }
    let before = submitted::submitted_before(tx, company, payroll)?;
    let everybody = IdRange::ALL;
    let late = late_employment::late_employment_findings(tx, company, (payroll, &before), everybody)?;
    let mut found: BTreeMap<Uuid, Vec<Warning>> =
        owed::warnings_of_unsettled(tx, company, late)?.into_iter().collect();
    for employee in changed_since_made(tx, company, payroll)? {
        let input = Input::find(tx, company, payroll.id, employee)?;
        found.entry(employee).or_default().extend(input.as_ref().and_then(not_paid));
    }
    let mut outside = Vec::new();
    for (employee, warnings) in found {
        if warnings.is_empty() || members::find_member(tx, company, payroll, employee)?.is_some() {
            continue;
        }
        let Some(person) = Employee::find(tx, company, employee)? else { continue };
        let name = format!("{} {}", person.first_name, person.last_name);
        outside.push(Outside { employee, name, warnings });
    }
    Ok(outside)
}

/// Returns people who may have inputs in a payroll, and whose employment was changed after the payroll was created.
fn changed_since_made(tx: &mut Tx<'_>, company: Uuid, payroll: &Payroll) -> Result<Vec<Uuid>, Error> {
    let read = |row: &Row<'_>| Cursor::new(row, Input::TABLE, 0).read_plain::<Uuid>("employee_id");
    let (mut found, mut last) = (Vec::new(), Uuid::nil());
    loop {
        let parameters = params![company, payroll.id, payroll.created_at, last, MOST];
        let page = tx.try_query(ENTERED, parameters, read)?;
        let Some(latest) = page.last() else { return Ok(found) };
        last = *latest;
        found.extend(page);
    }
}

/// Returns a warning about entered hours and amounts; `None` if there are none.
fn not_paid(input: &Input) -> Option<Warning> {
    let entered = &input.entered;
    let off = entered.time_off.iter().map(|line| line.hours_taken() + line.paid_out.unwrap_or(Amount::ZERO));
    let hours: Amount = entered.hourly.iter().map(|line| line.hours).chain(off).sum();
    let fixed = entered.fixed.iter().map(|line| line.amount);
    let custom = entered.custom.iter().map(|line| line.amount);
    let expenses = entered.reimbursements.iter().map(|line| line.amount);
    let amount: Amount = fixed.chain(custom).chain(expenses).sum();
    (hours > Amount::ZERO || amount > Amount::ZERO).then(|| {
        let (hours, amount) = (hours.to_text(3), amount.to_text(2));
        ENTERED_NOT_PAID.to_warning(&[("hours", &hours), ("amount", &amount)])
    })
}
