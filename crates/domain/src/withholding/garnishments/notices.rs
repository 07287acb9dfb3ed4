//! What child support agencies are told when somebody with an order leaves.
//!
//! An employer tells the agency promptly that an employee with an income withholding order has left, with the last known
//! address and the new employer where known (45 CFR 303.100(e)(1)(x)). The fields are those
//! of the notification in the federal form of the order (OMB 0970-0154). The service does not send it.

use jiff::civil::Date;
use rules::Amount;
use rules::payroll::garnishment::Payee;
use store::record::Cursor;
use store::{Row, Tx, params};
use uuid::Uuid;

use super::{agencies, rows};
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::events;
use crate::people::addresses;
use crate::people::addresses::rows::HomeAddress;
use crate::people::employees::Employee;
use crate::people::employment;

store::statements! {
    LAST_PAYMENT = "SELECT check_date, amount FROM garnishment_withholdings WHERE company_id = $1 AND garnishment_id = $2 \
                    ORDER BY check_date DESC, payroll_id DESC LIMIT 1";
}

/// Terminations that are looked at, the latest first.
const MOST: i64 = 1_000;

/// The notice of one order.
#[derive(Debug, Clone)]
pub struct Notice {
    /// who left
    pub employee: Uuid,
    /// first and last name
    pub name: String,
    /// the order
    pub garnishment: Uuid,
    /// whom it is paid to
    pub payee: Payee,
    /// the agency, where the table has it
    pub agency: Option<String>,
    /// last day of work
    pub last_day: Date,
    /// by whom the employee is employed now, where that is known
    pub new_employer: Option<String>,
    /// ten digits, where held
    pub phone: Option<String>,
    /// last known home address, where held
    pub home: Option<HomeAddress>,
    /// pay date and dollars of the last payment, if anything was withheld
    pub last_payment: Option<(Date, Amount)>,
}

/// The notices of everybody who has left and has an active order of child support, the latest first. Whoever has come back
/// is not among them.
///
/// # Errors
/// A store error.
pub fn list(tx: &mut Tx<'_>, caller: &Caller) -> Result<Vec<Notice>, Error> {
    let today = caller.today(tx);
    let agencies = agencies::current(tx)?;
    let mut notices = Vec::new();
    for termination in employment::rows::ended(tx, caller.company, today, MOST)? {
        let id = termination.employee;
        let held = employment::rows::of_employee(tx, caller.company, id)?;
        if held.termination(today).is_none_or(|last| last.id != termination.id) {
            continue;
        }
        let Some(employee) = Employee::find(tx, caller.company, id)? else { continue };
        for order in rows::of_employee(tx, caller.company, id)? {
            let Some(payee) = order.payee.clone().filter(|_| order.terms.active) else { continue };
            let homes = addresses::rows::homes(tx, caller.company, id)?;
            let home = rules::effective::active(&homes, today, |home| home.effective_date).cloned();
            notices.push(Notice {
                employee: id,
                name: format!("{} {}", employee.first_name, employee.last_name),
                garnishment: order.id,
                agency: agencies.of(&payee.state).map(|agency| agency.name.clone()),
                payee,
                last_day: termination.effective_date,
                new_employer: termination.new_employer.clone(),
                phone: employee.phone.clone(),
                home,
                last_payment: last_payment(tx, caller.company, order.id)?,
            });
        }
    }
    Ok(notices)
}

/// Somebody has left: tells it where the agency of an order is to be told.
///
/// # Errors
/// A store error.
pub fn employment_ended(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Result<(), Error> {
    let orders = rows::of_employee(tx, caller.company, employee)?;
    if orders.iter().any(|order| order.terms.active && order.payee.is_some()) {
        events::emit(tx, caller.company, events::EMPLOYEE_SUPPORT_ORDER_LEAVES, employee)?;
    }
    Ok(())
}

fn last_payment(tx: &mut Tx<'_>, company: Uuid, garnishment: Uuid) -> Result<Option<(Date, Amount)>, Error> {
    let read = |row: &Row<'_>| {
        let mut next = Cursor::new(row, "garnishment_withholdings", 0);
        let (day, amount) = (next.plain("check_date")?, next.plain("amount")?);
        Ok::<_, store::Error>((day, Amount::from_millionths(amount)))
    };
    Ok(tx.try_find(LAST_PAYMENT, params![company, garnishment], read)?)
}
