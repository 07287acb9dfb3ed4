//! Notices to child support agencies: that an employee with an order has left, and of lump sums before they are paid.
//!
//! An employer promptly notifies the agency that an employee with an income withholding order has left, with the last known address and the
//! new employer if known (45 CFR 303.100(e)(1)(x)). The fields are those of the notification in the federal form of the order (OMB
//! 0970-0154). The service does not send it.

use jiff::civil::Date;
use rules::Amount;
use rules::final_pay::Separation;
use rules::payroll::garnishment::{Agencies, GarnishmentTerms, Payee, WithheldToDate};
use store::record::Cursor;
use store::{Row, Tx, params};
use uuid::Uuid;

use super::garnishments::lump_sums::LumpSum;
use super::garnishments::rows::Garnishment;
use super::garnishments::{agencies, lump_sums, rows};
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::events;
use crate::pay::payrolls::facts::year_to_date::withheld_to_date;
use crate::people::addresses;
use crate::people::addresses::rows::HomeAddress;
use crate::people::employees::Employee;
use crate::people::employment;
use crate::people::employment::rows::Termination;

store::statements! {
    // Of those who have an order of child support.
    ENDED = store::text!(Termination::SELECT, " AND effective_date < $2 AND (SELECT count(*) FROM garnishments g \
             WHERE g.company_id = $1 AND g.employee_id = terminations.employee_id AND g.support_state IS NOT NULL) > 0 \
             AND id < $3 ORDER BY id DESC LIMIT $4");
    LAST_PAYMENT = "SELECT check_date, amount FROM garnishment_withholdings WHERE company_id = $1 AND garnishment_id = $2 \
                    ORDER BY check_date DESC, payroll_id DESC LIMIT 1";
    TAKEN_AFTER = "SELECT check_date, amount FROM garnishment_withholdings WHERE company_id = $1 AND garnishment_id = $2 \
                   AND check_date > $3";
}

/// Terminations that are read at once; all are read in the end, because an agency is told of each.
const AT_ONCE: i64 = 50;

/// The notice of one order.
#[derive(Debug, Clone)]
pub struct Notice {
    /// the employee
    pub employee: Uuid,
    /// first and last name
    pub name: String,
    /// the order
    pub garnishment: Uuid,
    /// the payee
    pub payee: Payee,
    /// the agency, if it is in the table
    pub agency: Option<String>,
    /// whether the order is active
    pub order_active: bool,
    /// what it is about
    pub about: About,
    /// ten digits, if on file
    pub phone: Option<String>,
    /// last known home address, if on file
    pub home: Option<HomeAddress>,
    /// check date and dollars of the last payment, if anything was withheld
    pub last_payment: Option<(Date, Amount)>,
}

/// The subject of a notice.
#[derive(Debug, Clone)]
pub enum About {
    /// the employee has left
    Left {
        /// last day of work
        last_day: Date,
        /// the new employer, if known
        new_employer: Option<String>,
        /// how the employment ended, if known
        separation: Option<Separation>,
    },
    /// a payment that has to be reported to the agency before it is made
    LumpSum(LumpSum),
}

impl About {
    fn notice_day(&self) -> Date {
        match self {
            Self::Left { last_day, .. } => *last_day,
            Self::LumpSum(sum) => sum.check_date,
        }
    }
}

/// The notices about all former employees with a child support order that had not ended, inactive ones included, and about lump sums
/// found by the last calculations of payrolls, latest first. Rehired employees are not among the former.
pub fn list_notices(tx: &mut Tx<'_>, caller: &Caller) -> Result<Vec<Notice>, Error> {
    let today = caller.today(tx);
    let agencies = agencies::current_agencies(tx)?;
    let mut notices = Vec::new();
    let mut last = Uuid::max();
    loop {
        let some = tx.try_query(ENDED, params![caller.company, today, last, AT_ONCE], Termination::read)?;
        let Some(oldest) = some.last() else { break };
        last = oldest.id;
        for termination in &some {
            of_termination(tx, caller, &agencies, termination, &mut notices)?;
        }
    }
    for sum in lump_sums::list_lump_sums(tx, caller.company)? {
        let Some(order) = rows::find_garnishment(tx, caller.company, sum.garnishment)? else { continue };
        notices.extend(make_notice(tx, caller, &agencies, order, About::LumpSum(sum))?);
    }
    notices.sort_by_key(|notice| std::cmp::Reverse(notice.about.notice_day()));
    Ok(notices)
}

/// Adds the notices of a termination, unless the employee has come back since.
fn of_termination(
    tx: &mut Tx<'_>,
    caller: &Caller,
    agencies: &Agencies,
    termination: &Termination,
    notices: &mut Vec<Notice>,
) -> Result<(), Error> {
    let (id, today) = (termination.employee, caller.today(tx));
    let held = employment::rows::of_employee(tx, caller.company, id)?;
    if held.current_termination(today).is_none_or(|last| last.id != termination.id) {
        return Ok(());
    }
    for order in rows::of_employee(tx, caller.company, id)? {
        if !is_binding_order(tx, caller.company, &order, termination.effective_date)? {
            continue;
        }
        let about = About::Left {
            last_day: termination.effective_date,
            new_employer: termination.new_employer.clone(),
            separation: termination.separation,
        };
        notices.extend(make_notice(tx, caller, agencies, order, about)?);
    }
    Ok(())
}

/// The notice of an order; `None` for one that is no child support.
fn make_notice(
    tx: &mut Tx<'_>,
    caller: &Caller,
    agencies: &Agencies,
    order: Garnishment,
    about: About,
) -> Result<Option<Notice>, Error> {
    let Some(payee) = order.payee else { return Ok(None) };
    let Some(employee) = Employee::find(tx, caller.company, order.employee)? else { return Ok(None) };
    let homes = addresses::rows::home_addresses(tx, caller.company, employee.id)?;
    let today = caller.today(tx);
    let home = rules::effective::active_record(&homes, today, |home| home.effective_date).cloned();
    Ok(Some(Notice {
        employee: employee.id,
        name: format!("{} {}", employee.first_name, employee.last_name),
        garnishment: order.id,
        order_active: order.terms.active,
        agency: agencies.agency_of_state(&payee.state).map(|agency| agency.name.clone()),
        payee,
        about,
        phone: employee.phone,
        home,
        last_payment: last_payment(tx, caller.company, order.id)?,
    }))
}

/// Emits an event if the agency of an order has to be notified that an employee has left.
pub fn employment_ended(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Result<(), Error> {
    let today = caller.today(tx);
    let held = employment::rows::of_employee(tx, caller.company, employee)?;
    let last_day = held.current_termination(today).map_or(today, |last| last.effective_date);
    for order in rows::of_employee(tx, caller.company, employee)? {
        if is_binding_order(tx, caller.company, &order, last_day)? {
            return events::emit_event(tx, caller.company, events::EMPLOYEE_SUPPORT_ORDER_LEAVES, employee);
        }
    }
    Ok(())
}

/// Emits the same event for an order that is entered after the employee has left, or paid to another agency from then on: that agency does
/// not know. Follows `garnishment_entered` and `payee_changed`.
pub fn order_of_former_employee(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    garnishment: Uuid,
) -> Result<(), Error> {
    let today = caller.today(tx);
    let held = employment::rows::of_employee(tx, caller.company, employee)?;
    let Some(last) = held.current_termination(today).filter(|last| last.is_active(today)) else {
        return Ok(());
    };
    let Some(order) = rows::find_garnishment(tx, caller.company, garnishment)? else { return Ok(()) };
    if is_binding_order(tx, caller.company, &order, last.effective_date)? {
        events::emit_event(tx, caller.company, events::EMPLOYEE_SUPPORT_ORDER_LEAVES, employee)?;
    }
    Ok(())
}

/// Whether it is a child support order that the employer held when the employee left: an agency is not notified of an order that was
/// already paid in full, or that its issuer had ended, which `ends_on` says. What the last wages pay of it does not count.
///
/// An inactive order is held, too: that it is inactive does not say that the agency has released it, and orders are often made inactive
/// because the employee leaves.
fn is_binding_order(
    tx: &mut Tx<'_>,
    company: Uuid,
    order: &Garnishment,
    last_day: Date,
) -> Result<bool, Error> {
    let terms = &GarnishmentTerms { active: true, ..order.terms.clone() };
    if order.payee.is_none() || terms.is_over(&WithheldToDate::default(), last_day) {
        return Ok(false);
    }
    if terms.most_times().is_none() && terms.total_amount.is_none() {
        return Ok(true);
    }
    let of = (order.employee, order.id);
    let mut withheld = withheld_to_date(tx, company, of, last_day.year())?;
    for (_, amount) in tx.try_query(TAKEN_AFTER, params![company, order.id, last_day], read_payment)? {
        withheld.times -= 1;
        withheld.total = withheld.total.checked_sub(amount).unwrap_or(Amount::ZERO);
    }
    Ok(!terms.is_over(&withheld, last_day))
}

fn last_payment(tx: &mut Tx<'_>, company: Uuid, garnishment: Uuid) -> Result<Option<(Date, Amount)>, Error> {
    Ok(tx.try_find(LAST_PAYMENT, params![company, garnishment], read_payment)?)
}

/// Check date and dollars.
fn read_payment(row: &Row<'_>) -> Result<(Date, Amount), store::Error> {
    let mut next = Cursor::new(row, "garnishment_withholdings", 0);
    let (day, amount) = (next.read_plain("check_date")?, next.read_plain("amount")?);
    Ok((day, Amount::from_millionths(amount)))
}
