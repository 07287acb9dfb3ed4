//! Records which approved days payrolls have paid.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;
use rules::days::Days;
use rules::time_off::RequestStatus;
use store::Tx;
use uuid::Uuid;

use super::rows;
use super::rows::TimeOffRequest;
use crate::error::Error;
use crate::events;

/// Records that a processed calculation has paid an employee's requested days between two days (both included): the days listed for each
/// request or, if none are listed, all of its days. Requests declined since the calculation are unchanged.
pub fn record_paid_days(
    tx: &mut Tx<'_>,
    company: Uuid,
    employee: Uuid,
    (run, days): (Uuid, Days),
    requests: &BTreeMap<Uuid, &[Date]>,
) -> Result<(), Error> {
    if requests.is_empty() {
        return Ok(());
    }
    tx.take_guard(company, "employee", employee)?;
    for (id, paid) in requests {
        let Some(request) = TimeOffRequest::find(tx, company, employee, *id)? else { continue };
        if request.status != RequestStatus::Approved {
            continue;
        }
        let mut held = rows::days_of(tx, company, &request)?;
        for day in &mut held {
            let is_paid = paid.is_empty() || paid.contains(&day.day);
            if is_paid && day.run.is_none() && (days.first..=days.last).contains(&day.day) {
                day.run = Some(run);
                assert!(day.update(tx, company)?, "the row was read under the employee's guard");
            }
        }
        if held.iter().all(|day| day.run.is_some()) {
            set_status(tx, company, request, RequestStatus::Consumed)?;
        }
    }
    Ok(())
}

/// Reverses [`record_paid_days`] for a calculation and an employee, when the payroll is cancelled.
pub fn reverse_paid_days(tx: &mut Tx<'_>, company: Uuid, employee: Uuid, run: Uuid) -> Result<(), Error> {
    if rows::days_of_run(tx, company, employee, run)?.is_empty() {
        return Ok(());
    }
    tx.take_guard(company, "employee", employee)?;
    let mut requests = BTreeSet::new();
    for mut day in rows::days_of_run(tx, company, employee, run)? {
        day.run = None;
        assert!(day.update(tx, company)?, "the row was read under the employee's guard");
        requests.insert(day.request);
    }
    for id in requests {
        let request = TimeOffRequest::find(tx, company, employee, id)?;
        if let Some(request) = request.filter(|one| one.status == RequestStatus::Consumed) {
            set_status(tx, company, request, RequestStatus::Approved)?;
        }
    }
    Ok(())
}

/// Reverses [`record_paid_days`] for a calculation and one employee without results; returns whether there was one.
pub fn forget_rest(tx: &mut Tx<'_>, company: Uuid, run: Uuid) -> Result<bool, Error> {
    let Some(employee) = rows::rest_of_run(tx, company, run)? else { return Ok(false) };
    reverse_paid_days(tx, company, employee, run)?;
    Ok(true)
}

fn set_status(
    tx: &mut Tx<'_>,
    company: Uuid,
    request: TimeOffRequest,
    status: RequestStatus,
) -> Result<(), Error> {
    let after = TimeOffRequest { status, ..request };
    assert!(after.update(tx, company)?, "the row was read under the employee's guard");
    events::emit_of_employee(tx, company, events::TIME_OFF_REQUEST_UPDATED, after.id, after.employee)
}
