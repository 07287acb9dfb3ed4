//! The end of external payrolls: what they come to is worked out in stretches of employees and becomes their opening balances;
//! then they are processed. A crash leaves a stretch done or not done, and doing it again comes to the same.

use std::collections::BTreeMap;

use rules::Violation;
use serde_json::json;
use store::{Store, Tx};
use uuid::Uuid;

use super::items::Item;
use super::rows;
use super::rows::{ExternalPayroll, Status};
use super::service;
use super::service::TABLE;
use crate::access::tokens::Caller;
use crate::company::companies;
use crate::error::Error;
use crate::events;
use crate::pay::payrolls::elsewhere;
use crate::platform::{audit, jobs};

/// Employees whose sums are worked out in one unit of work.
const AT_ONCE: i64 = 50;

/// Has the external payrolls finished in the background; from now on they cannot be changed.
///
/// # Errors
/// 422 where there is none to finish, or a payroll has paid one of their employees in the year; a store error.
pub fn request(tx: &mut Tx<'_>, caller: &Caller) -> Result<(), Error> {
    tx.guard(caller.company, TABLE, caller.company)?;
    let held = rows::of_company(tx, caller.company)?;
    let open: Vec<_> = held.into_iter().filter(|one| one.status == Status::Unprocessed).collect();
    if open.is_empty() {
        return Err(Error::from(Violation::operation("There is no external payroll that was not finished.")));
    }
    for payroll in &open {
        for employee in rows::items(tx, caller.company, payroll.id)?.into_keys() {
            elsewhere::refuse_paid(tx, caller.company, employee, payroll.check_date.year())?;
        }
    }
    for payroll in open {
        move_to(tx, caller, payroll, Status::Processing)?;
    }
    let now = tx.now();
    jobs::schedule(tx, caller.company, jobs::Kind::ExternalPayrollsFinish, caller.company, now)
}

/// Does what [`request`] asked for.
///
/// # Errors
/// 422 where tables of the year are missing meanwhile, or a payroll has paid an employee; a store error.
pub async fn run(store: &Store, company: Uuid) -> Result<(), Error> {
    let mut after = Uuid::nil();
    while let Some(last) = store.write(move |tx| open_some(tx, company, after)).await? {
        after = last;
    }
    store.write(move |tx| processed(tx, company)).await
}

/// Opens the balances of some employees; the last of them, if there were any.
fn open_some(tx: &mut Tx<'_>, company: Uuid, after: Uuid) -> Result<Option<Uuid>, Error> {
    tx.guard(company, TABLE, company)?;
    let employees = rows::employees_after(tx, company, after, AT_ONCE)?;
    let (Some(first), Some(last)) = (employees.first().copied(), employees.last().copied()) else {
        return Ok(None);
    };
    let caller = Caller::service(company, companies::time_zone(tx, company)?);
    let mut items: BTreeMap<Uuid, BTreeMap<Uuid, Item>> = BTreeMap::new();
    for (payroll, employee, item) in rows::items_between(tx, company, (first, last))? {
        items.entry(payroll).or_default().insert(employee, item);
    }
    let payrolls = rows::of_company(tx, company)?;
    for (year, of_year) in by_year(&payrolls) {
        let mut pays = Vec::with_capacity(of_year.len());
        for payroll in of_year {
            let of_payroll = items.get(&payroll.id);
            pays.push(service::pay(payroll, of_payroll.into_iter().flatten())?);
        }
        for pay in &pays {
            for employee in pay.employees.keys() {
                elsewhere::refuse_paid(tx, company, *employee, year)?;
            }
        }
        let replayed = elsewhere::replay(tx, company, &pays)?;
        elsewhere::open(tx, &caller, year, replayed)?;
    }
    Ok(Some(last))
}

/// The external payrolls of the years that are being finished, with those of the same year that are finished already.
fn by_year(payrolls: &[ExternalPayroll]) -> BTreeMap<i16, Vec<&ExternalPayroll>> {
    let mut years: BTreeMap<i16, Vec<&ExternalPayroll>> = BTreeMap::new();
    for payroll in payrolls.iter().filter(|one| one.status != Status::Unprocessed) {
        years.entry(payroll.check_date.year()).or_default().push(payroll);
    }
    years.retain(|_, of_year| of_year.iter().any(|one| one.status == Status::Processing));
    years
}

fn processed(tx: &mut Tx<'_>, company: Uuid) -> Result<(), Error> {
    tx.guard(company, TABLE, company)?;
    let caller = Caller::service(company, companies::time_zone(tx, company)?);
    for payroll in rows::of_company(tx, company)? {
        if payroll.status == Status::Processing {
            move_to(tx, &caller, payroll, Status::Processed)?;
        }
    }
    Ok(())
}

fn move_to(
    tx: &mut Tx<'_>,
    caller: &Caller,
    mut payroll: ExternalPayroll,
    status: Status,
) -> Result<(), Error> {
    use rules::Named;
    let noted = json!({ "status": [payroll.status.as_str(), status.as_str()] });
    payroll.status = status;
    assert!(payroll.update(tx, caller.company)?, "the row was read under its guard");
    audit::record(tx, caller, "updated", (TABLE, payroll.id), &noted)?;
    events::emit(tx, caller.company, events::EXTERNAL_PAYROLL_UPDATED, payroll.id)
}
