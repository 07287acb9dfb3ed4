//! What stands in the way of running payroll.

use rules::{Category, Violation};
use serde_json::json;
use store::Tx;

use super::members;
use super::shapes::Blocker;
use crate::auth::Caller;
use crate::error::Error;
use crate::pay_schedules::rows as schedules;
use crate::{companies, locations};

/// What stands in the way of running payroll.
///
/// # Errors
/// "Not found"; a store error.
pub fn list(tx: &mut Tx<'_>, caller: &Caller) -> Result<Vec<Blocker>, Error> {
    let company = companies::rows::find(tx, caller.company)?.ok_or(Error::NotFound)?;
    let places = locations::rows::of_company(tx, caller.company)?;
    let has_schedule = schedules::of_employees(tx, caller.company)?.is_some();
    let has_people = members::any(tx, caller.company)?;
    let all = [
        (
            "contractor_only_company",
            company.contractor_only,
            "The company has contractors only; they are not paid by payrolls.",
        ),
        ("suspended", company.company_status == "Suspended", "The company is suspended."),
        ("needs_approval", company.company_status == "Not Approved", "The company has to be approved."),
        (
            "missing_addresses",
            !places.iter().any(|place| place.filing_address),
            "Add the location from which the company files.",
        ),
        ("missing_employee_setup", !has_people, "Onboard at least one employee."),
        ("missing_pay_schedule", !has_schedule, "Create a pay schedule."),
    ];
    Ok(all
        .into_iter()
        .filter(|(_, blocks, _)| *blocks)
        .map(|(key, _, message)| Blocker { key, message })
        .collect())
}

/// Refuses what payroll blockers stand in the way of.
///
/// # Errors
/// 422 with every blocker; a store error.
pub fn refuse_blocked(tx: &mut Tx<'_>, caller: &Caller) -> Result<(), Error> {
    let blockers = list(tx, caller)?;
    if blockers.is_empty() {
        return Ok(());
    }
    let told = blockers.iter().map(|blocker| {
        let violation = Violation::new("base", Category::PayrollBlocker, blocker.message);
        violation.with_metadata(json!({ "key": blocker.key }))
    });
    Err(Error::Violations(told.collect()))
}
