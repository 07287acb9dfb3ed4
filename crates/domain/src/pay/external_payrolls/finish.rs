//! Finishes external payrolls: their sums are calculated in batches of employees and become opening balances; then the external payrolls
//! are processed. A crash leaves each batch either done or not done, and repeating a batch gives the same result. Everything is calculated
//! before anything is stored: if a calculation fails, the external payrolls are reopened and can be changed or finished again.

use std::collections::{BTreeMap, BTreeSet};

use rules::Violation;
use serde_json::json;
use store::{Store, Tx};
use uuid::Uuid;

use super::items::Item;
use super::rows;
use super::rows::{ExternalPayroll, ExternalPayrollStatus};
use super::service;
use super::service::TABLE;
use crate::access::tokens::Caller;
use crate::company::companies;
use crate::error::Error;
use crate::events;
use crate::pay::payrolls::facts::opening;
use crate::pay::payrolls::run::prior_provider;
use crate::pay::payrolls::run::prior_provider::Replayed;
use crate::platform::hooks::{PayCause, PayChange};
use crate::platform::{audit, hooks, jobs};
use crate::records::IdRange;

/// Number of employees whose sums are calculated in one unit of work.
const AT_ONCE: i64 = 50;

/// Schedules a background job that finishes the external payrolls. From then on they cannot be changed.
///
/// # Errors
/// 422 if there is none to finish, or if a payroll of the same year or a later one has paid one of their employees; a store error.
pub fn request_finish(tx: &mut Tx<'_>, caller: &Caller) -> Result<(), Error> {
    opening::guard_submissions(tx, caller.company)?;
    tx.take_guard(caller.company, TABLE, caller.company)?;
    let held = rows::of_company(tx, caller.company)?;
    let open: Vec<_> =
        held.into_iter().filter(|one| one.status == ExternalPayrollStatus::Unprocessed).collect();
    if open.is_empty() {
        return Err(Error::from(Violation::invalid_operation("There is no unfinished external payroll.")));
    }
    for payroll in &open {
        for employee in rows::items_of_payroll(tx, caller.company, payroll.id)?.into_keys() {
            prior_provider::refuse_paid(tx, caller.company, employee, payroll.check_date.year())?;
        }
    }
    for payroll in open {
        move_to(tx, caller, payroll, ExternalPayrollStatus::Processing)?;
    }
    let now = tx.now();
    jobs::schedule_job(tx, caller.company, jobs::JobKind::ExternalPayrollsFinish, caller.company, now)
}

/// Runs the job that [`request_finish`] scheduled. Reopens the external payrolls if they cannot be finished.
pub async fn finish_external_payrolls(store: &Store, company: Uuid) -> Result<(), Error> {
    match open_all(store, company).await {
        Err(Error::Violations(violations)) => {
            let why: Vec<_> = violations.iter().map(|violation| violation.message.as_str()).collect();
            tracing::warn!(%company, why = why.join(" "), "external payrolls could not be finished, and are reopened");
            store.write(move |tx| move_all(tx, company, ExternalPayrollStatus::Unprocessed)).await
        }
        opened => {
            opened?;
            store.write(move |tx| move_all(tx, company, ExternalPayrollStatus::Processed)).await
        }
    }
}

async fn open_all(store: &Store, company: Uuid) -> Result<(), Error> {
    let (mut spans, mut after) = (Vec::new(), Uuid::nil());
    while let Some(worked_out) = store.read(move |tx| work_out(tx, company, after)).await? {
        after = worked_out.last;
        spans.push(worked_out.by_year);
    }
    for by_year in spans {
        store.write(move |tx| open_some(tx, company, &by_year)).await?;
    }
    Ok(())
}

/// The calculated sums of some employees.
struct WorkedOut {
    /// last of these employees
    last: Uuid,
    by_year: BTreeMap<i16, Replayed>,
}

/// Calculates the sums of the next employees; `None` after the last.
fn work_out(tx: &mut Tx<'_>, company: Uuid, after: Uuid) -> Result<Option<WorkedOut>, Error> {
    let employees = rows::employees_after(tx, company, after, AT_ONCE)?;
    let (Some(first), Some(last)) = (employees.first().copied(), employees.last().copied()) else {
        return Ok(None);
    };
    let mut items: BTreeMap<Uuid, BTreeMap<Uuid, Item>> = BTreeMap::new();
    for (payroll, employee, item) in rows::items_between(tx, company, IdRange { first, last })? {
        items.entry(payroll).or_default().insert(employee, item);
    }
    let payrolls = rows::of_company(tx, company)?;
    let mut by_year = BTreeMap::new();
    for (year, of_year) in self::by_year(&payrolls) {
        let concerned = employees_being_finished(&of_year, &items);
        for employee in &concerned {
            prior_provider::refuse_paid(tx, company, *employee, year)?;
        }
        let mut pays = Vec::with_capacity(of_year.len());
        for payroll in of_year {
            let of_payroll = items.get(&payroll.id).into_iter().flatten();
            pays.push(service::pay_elsewhere(
                payroll,
                of_payroll.filter(|(employee, _)| concerned.contains(employee)),
            )?);
        }
        by_year.insert(year, prior_provider::replay_pay_dates(tx, company, &pays)?);
    }
    Ok(Some(WorkedOut { last, by_year }))
}

/// Stores the calculated opening balances of some employees. Until the external payrolls are processed, neither they nor the set of
/// employees paid by payrolls can change.
fn open_some(tx: &mut Tx<'_>, company: Uuid, by_year: &BTreeMap<i16, Replayed>) -> Result<(), Error> {
    opening::guard_submissions(tx, company)?;
    tx.take_guard(company, TABLE, company)?;
    let caller = Caller::for_service(company, companies::time_zone(tx, company)?);
    for (year, replayed) in by_year {
        prior_provider::store_opening_balances(tx, &caller, *year, replayed)?;
    }
    Ok(())
}

/// Returns the employees with items in an external payroll that is being finished. The balances of all others are unchanged, because a
/// payroll may have paid them since.
fn employees_being_finished(
    of_year: &[&ExternalPayroll],
    items: &BTreeMap<Uuid, BTreeMap<Uuid, Item>>,
) -> BTreeSet<Uuid> {
    let processing = of_year.iter().filter(|one| one.status == ExternalPayrollStatus::Processing);
    processing.filter_map(|one| items.get(&one.id)).flat_map(BTreeMap::keys).copied().collect()
}

/// Returns the external payrolls of the years being finished, including those of the same years that are already finished.
fn by_year(payrolls: &[ExternalPayroll]) -> BTreeMap<i16, Vec<&ExternalPayroll>> {
    let mut years: BTreeMap<i16, Vec<&ExternalPayroll>> = BTreeMap::new();
    for payroll in payrolls.iter().filter(|one| one.status != ExternalPayrollStatus::Unprocessed) {
        years.entry(payroll.check_date.year()).or_default().push(payroll);
    }
    years.retain(|_, of_year| of_year.iter().any(|one| one.status == ExternalPayrollStatus::Processing));
    years
}

fn move_all(tx: &mut Tx<'_>, company: Uuid, status: ExternalPayrollStatus) -> Result<(), Error> {
    tx.take_guard(company, TABLE, company)?;
    let caller = Caller::for_service(company, companies::time_zone(tx, company)?);
    for payroll in rows::of_company(tx, company)? {
        if payroll.status == ExternalPayrollStatus::Processing {
            move_to(tx, &caller, payroll, status)?;
        }
    }
    Ok(())
}

fn move_to(
    tx: &mut Tx<'_>,
    caller: &Caller,
    mut payroll: ExternalPayroll,
    status: ExternalPayrollStatus,
) -> Result<(), Error> {
    use rules::Named;
    let noted = json!({ "status": [payroll.status.as_str(), status.as_str()] });
    payroll.status = status;
    assert!(payroll.update(tx, caller.company)?, "the row was read under its guard");
    audit::record_audit_entry(tx, caller, "updated", (TABLE, payroll.id), &noted)?;
    events::emit_event(tx, caller.company, events::EXTERNAL_PAYROLL_UPDATED, payroll.id)?;
    if status == ExternalPayrollStatus::Processed {
        let change = PayChange { cause: PayCause::External, record: payroll.id, day: payroll.check_date };
        hooks::pay_changed(tx, caller.company, change)?;
    }
    Ok(())
}
