//! Use cases of external payrolls.
//!
//! Every change takes a guard shared by all external payrolls of the company, because they are finished together.

use std::collections::BTreeMap;

use jiff::civil::Date;
use rules::days::Days;
use rules::taxes::TaxId;
use rules::{Amount, Checks, Violation};
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use super::commands::{CreateExternalPayroll, UpdateExternalPayroll};
use super::items;
use super::items::{Applicable, Item};
use super::rows;
use super::rows::{ExternalPayroll, ExternalPayrollStatus, MOST};
use crate::access::tokens::Caller;
use crate::benefits;
use crate::error::Error;
use crate::events;
use crate::paging::{Listed, Page};
use crate::patch;
use crate::patch::as_is;
use crate::pay::earning_types;
use crate::pay::payrolls::run::prior_provider;
use crate::pay::payrolls::run::prior_provider::{PayElsewhere, PriorPay};
use crate::people::employees;
use crate::platform::audit;
use crate::records::{id_of, room_for};

/// Table of the record, in audit entries and for guards.
pub(super) const TABLE: &str = ExternalPayroll::TABLE;
/// Maximum number of employees in one request.
const MOST_ITEMS: usize = 1_000;
/// Maximum number of employees in an external payroll.
const MOST_EMPLOYEES: usize = 10_000;
/// Maximum number of days in a pay period.
const LONGEST_PERIOD: i32 = 366;

/// An external payroll with its items, and the earnings, benefits and taxes that they can refer to.
#[derive(Debug, Clone)]
pub struct Details {
    /// the record
    pub payroll: ExternalPayroll,
    /// items by employee
    pub items: BTreeMap<Uuid, Item>,
    /// earnings, benefits and taxes that lines can refer to
    pub applicable: Applicable,
}

/// Returns a page of the external payrolls, ordered by pay date.
pub fn list_external_payrolls(
    tx: &mut Tx<'_>,
    caller: &Caller,
    page: Page,
) -> Result<Listed<ExternalPayroll>, Error> {
    Ok(Listed::slice(page, rows::of_company(tx, caller.company)?))
}

/// Returns an external payroll with its items.
///
/// # Errors
/// "Not found"; 422 if the tables of its year are missing; a store error.
pub fn find_external_payroll(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<Details, Error> {
    let payroll = ExternalPayroll::find(tx, caller.company, id)?.ok_or(Error::NotFound)?;
    payroll_with_items(tx, caller, payroll)
}

fn payroll_with_items(tx: &mut Tx<'_>, caller: &Caller, payroll: ExternalPayroll) -> Result<Details, Error> {
    let items = rows::items_of_payroll(tx, caller.company, payroll.id)?;
    let applicable = applicable_lines(tx, caller, &payroll)?;
    Ok(Details { payroll, items, applicable })
}

fn applicable_lines(
    tx: &mut Tx<'_>,
    caller: &Caller,
    payroll: &ExternalPayroll,
) -> Result<Applicable, Error> {
    let benefits = benefits::rows::company::list_benefits(tx, caller.company)?;
    let period = Days { first: payroll.start, last: payroll.end };
    Ok(Applicable {
        earnings: earning_types::rows::of_company(tx, caller.company)?,
        benefits: benefits.into_iter().map(|usage| usage.benefit).collect(),
        taxes: prior_provider::applicable_taxes(tx, caller.company, period, payroll.check_date)?,
    })
}

/// Creates an empty external payroll with a pay date in the current year.
///
/// # Errors
/// Every violation of the input; 422 if there are too many external payrolls, or if they are being finished; a store error.
pub fn create_external_payroll(
    tx: &mut Tx<'_>,
    caller: &Caller,
    input: &CreateExternalPayroll,
) -> Result<Details, Error> {
    tx.take_guard(caller.company, TABLE, caller.company)?;
    let today = caller.today(tx);
    let mut checks = Checks::new();
    let paid = input.check_date.required("check_date", &mut checks, |key, day| paid_on(key, *day, today));
    let start = input.payment_period_start_date.required("payment_period_start_date", &mut checks, as_is);
    let end = input.payment_period_end_date.required("payment_period_end_date", &mut checks, as_is);
    if let (Some(start), Some(end)) = (start, end) {
        checks.require(start <= end && (end - start).get_days() < LONGEST_PERIOD, || {
            let key = "payment_period_end_date";
            Violation::invalid(
                key,
                format!("{key} must not be before payment_period_start_date, or more than a year after it"),
            )
        });
    }
    let held = rows::of_company(tx, caller.company)?;
    refuse_processing(&held, &mut checks);
    checks.finish()?;
    room_for("external payrolls of a company", held.len(), MOST)?;
    let (Some(check_date), Some(start), Some(end)) = (paid, start, end) else {
        unreachable!("an external payroll without its days is refused")
    };
    let status = ExternalPayrollStatus::Unprocessed;
    let (created_at, updated_at) = (tx.now(), tx.now());
    let new = ExternalPayroll {
        id: tx.new_id(),
        status,
        check_date,
        start,
        end,
        created_at,
        updated_at,
        version: 1,
    };
    new.insert(tx, caller.company)?;
    audit::record_audit_entry(tx, caller, "created", (TABLE, new.id), &json!({}))?;
    events::emit_event(tx, caller.company, events::EXTERNAL_PAYROLL_CREATED, new.id)?;
    payroll_with_items(tx, caller, new)
}

fn paid_on(key: &str, day: Date, today: Date) -> Result<Date, Violation> {
    if day <= today && day.year() == today.year() {
        return Ok(day);
    }
    Err(Violation::invalid(key, format!("{key} must lie in this year, and not after today")))
}

fn refuse_processing(held: &[ExternalPayroll], checks: &mut Checks) {
    checks.require(held.iter().all(|one| one.status != ExternalPayrollStatus::Processing), || {
        Violation::invalid_operation("The external payrolls are being finished; try again in a moment.")
    });
}

/// Sets the items of employees: replaces all stored items or, with `replace_fields`, only the named lines.
///
/// # Errors
/// "Not found"; every violation of the input; 422 if it is finished or being finished; a store error.
pub fn update_external_payroll(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    input: &UpdateExternalPayroll,
) -> Result<Details, Error> {
    let payroll = find_open(tx, caller, id)?;
    let applicable = applicable_lines(tx, caller, &payroll)?;
    let before = rows::items_of_payroll(tx, caller.company, id)?;
    let mut checks = Checks::new();
    let stays = input.replace_fields.optional("replace_fields", &mut checks, as_is).unwrap_or(false);
    let mut after = if stays { before.clone() } else { BTreeMap::new() };
    if input.external_payroll_items.value().is_none() {
        input.external_payroll_items.required("external_payroll_items", &mut checks, |_, _| Ok(()));
    }
    let sent =
        patch::check_items("external_payroll_items", &input.external_payroll_items, MOST_ITEMS, &mut checks);
    for fields in sent {
        let employee = fields.employee_uuid.required("employee_uuid", &mut checks, |_, id| Ok(id_of(id)));
        let known = match employee {
            Some(employee) => employees::Employee::find(tx, caller.company, employee)?.is_some(),
            None => true,
        };
        checks.require(known, || {
            Violation::invalid(
                "employee_uuid",
                "employee_uuid must be the uuid of an employee of the company",
            )
        });
        let held = employee.and_then(|employee| after.get(&employee).cloned()).unwrap_or_default();
        let item = items::apply_item_fields(held, fields, &applicable, &mut checks);
        let Some(employee) = employee else { continue };
        if before.get(&employee) != Some(&item) {
            refuse_paid(tx, caller, (employee, &payroll), &mut checks)?;
        }
        after.insert(employee, item);
    }
    checks.finish()?;
    if after.len() > MOST_EMPLOYEES {
        room_for("employees of an external payroll", after.len(), MOST_EMPLOYEES)?;
    }
    if after != before {
        if before.keys().any(|employee| !after.contains_key(employee)) {
            rows::delete_items(tx, caller.company, id)?;
        }
        for (employee, item) in &after {
            rows::put_item(tx, caller.company, id, *employee, item)?;
        }
        let noted = json!({ "external_payroll_items": [before.len(), after.len()] });
        save_external_payroll(tx, caller, &payroll, &noted)?;
    }
    Ok(Details { payroll, items: after, applicable })
}

/// Rejects an item for an employee whom a payroll here has paid in the same year or later, because the external payroll could never be
/// finished.
fn refuse_paid(
    tx: &mut Tx<'_>,
    caller: &Caller,
    (employee, payroll): (Uuid, &ExternalPayroll),
    checks: &mut Checks,
) -> Result<(), Error> {
    let year = payroll.check_date.year();
    if prior_provider::is_paid(tx, caller.company, employee, year)? {
        checks.push(Violation::invalid(
            "employee_uuid",
            format!(
                "employee_uuid must be the uuid of an employee whom no payroll of {year} or later has paid here: what was paid elsewhere counts \
                 only before the first one"
            ),
        ));
    }
    Ok(())
}

fn save_external_payroll(
    tx: &mut Tx<'_>,
    caller: &Caller,
    payroll: &ExternalPayroll,
    noted: &serde_json::Value,
) -> Result<(), Error> {
    assert!(payroll.update(tx, caller.company)?, "the row was read under its guard");
    audit::record_audit_entry(tx, caller, "updated", (TABLE, payroll.id), noted)?;
    events::emit_event(tx, caller.company, events::EXTERNAL_PAYROLL_UPDATED, payroll.id)
}

/// Deletes an unfinished external payroll and the tax amounts owed up to it.
///
/// # Errors
/// "Not found"; 422 if it is finished or being finished; a store error.
pub fn delete_external_payroll(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<(), Error> {
    let payroll = find_open(tx, caller, id)?;
    rows::delete_items(tx, caller.company, id)?;
    rows::forget_owed(tx, caller.company, id)?;
    assert!(payroll.delete(tx, caller.company)?, "the row was read under its guard");
    audit::record_audit_entry(tx, caller, "deleted", (TABLE, id), &json!({}))?;
    events::emit_event(tx, caller.company, events::EXTERNAL_PAYROLL_DELETED, id)
}

fn find_open(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<ExternalPayroll, Error> {
    tx.take_guard(caller.company, TABLE, caller.company)?;
    let payroll = ExternalPayroll::find(tx, caller.company, id)?.ok_or(Error::NotFound)?;
    if payroll.status != ExternalPayrollStatus::Unprocessed {
        return Err(Error::from(Violation::invalid_operation(
            "The external payroll is finished and can no longer be changed.",
        )));
    }
    Ok(payroll)
}

/// Calculates the taxes that the rules would have withheld and charged for an external payroll, taking the earlier ones of the year as
/// entered. Stores nothing.
///
/// # Errors
/// "Not found"; 422 if no earnings are entered yet, or if tables are missing; a store error.
pub fn calculate_taxes(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
) -> Result<BTreeMap<Uuid, Vec<(TaxId, Amount)>>, Error> {
    let payroll = ExternalPayroll::find(tx, caller.company, id)?.ok_or(Error::NotFound)?;
    let own = rows::items_of_payroll(tx, caller.company, id)?;
    if own.values().all(|item| item.earnings.is_empty()) {
        return Err(Error::from(Violation::invalid_operation(
            "Taxes are calculated from earnings and benefits: enter them in external_payroll_items first.",
        )));
    }
    let mut pays = Vec::new();
    for one in rows::of_company(tx, caller.company)? {
        let before = (one.check_date, one.id) < (payroll.check_date, payroll.id);
        if one.check_date.year() == payroll.check_date.year() && before {
            let mut items = rows::items_of_payroll(tx, caller.company, one.id)?;
            items.retain(|employee, _| own.contains_key(employee));
            pays.push(pay_elsewhere(&one, items.iter())?);
        }
    }
    pays.push(pay_elsewhere(&payroll, own.iter())?);
    let mut suggested = prior_provider::replay_pay_dates(tx, caller.company, &pays)?.suggested;
    // Only taxes that can be entered are suggested: paychecks have an income tax line even for states without an income tax, but such a
    // line cannot be entered here.
    let applicable = applicable_lines(tx, caller, &payroll)?;
    let is_applicable = |id: &TaxId| applicable.taxes.iter().any(|tax| tax.id == *id);
    for taxes in suggested.values_mut() {
        taxes.retain(|(id, _)| is_applicable(id));
    }
    Ok(suggested)
}

/// Converts an external payroll to the input of the rules.
pub(super) fn pay_elsewhere<'i>(
    payroll: &ExternalPayroll,
    items: impl Iterator<Item = (&'i Uuid, &'i Item)>,
) -> Result<PayElsewhere, Error> {
    let employees = items.map(|(employee, item)| Ok((*employee, item.to_rules_input()?)));
    let employees = employees.collect::<Result<BTreeMap<Uuid, PriorPay>, Error>>()?;
    Ok(PayElsewhere {
        period: Days { first: payroll.start, last: payroll.end },
        check_date: payroll.check_date,
        employees,
    })
}
