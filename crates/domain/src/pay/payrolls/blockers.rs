//! What stands in the way of running payroll.
//!
//! A company that was approved has gone through its onboarding, or somebody vouched for it: only what no payroll can be
//! worked out without is asked of it. Of any other company each open step of its onboarding blocks, and the approval.
//! Of the keys that the interface knows, those of reviews and investigations never occur, for this service does none. A debit that came back blocks until it is recovered.

use jiff::civil::Date;
use rules::company::Status;
use rules::company::setup::Step;
use rules::{Category, Violation};
use serde_json::json;
use store::Tx;

use super::calculation::tables;
use super::schedule::members;
use super::{rows, settings};
use crate::access::tokens::Caller;
use crate::company::companies::rows::Company;
use crate::company::{companies, locations, setup as company_setup, signatories};
use crate::error::Error;
use crate::money::cases;
use crate::pay::pay_schedules::rows as schedules;

/// Something that blocks running payroll.
#[derive(Debug, Clone)]
pub struct Blocker {
    /// a key for programs
    pub key: &'static str,
    /// what has to be done
    pub message: String,
}

/// Every blocker, with its message.
pub const ALL: [(&str, &str); 16] = [
    ("contractor_only_company", "The company has contractors only; they are not paid by payrolls."),
    ("suspended", "The company is suspended."),
    ("needs_onboarding", "Finish the onboarding of the company."),
    ("needs_approval", "The company has to be approved."),
    ("missing_addresses", "Add the location from which the company files."),
    ("missing_federal_tax_setup", "Add the company's federal tax details."),
    ("missing_industry_selection", "Say in which industry the company works."),
    ("missing_bank_info", "Add the bank account that payroll is paid from."),
    ("missing_bank_verification", "Verify the bank account that payroll is paid from."),
    ("missing_employee_setup", "Onboard at least one employee."),
    ("missing_signatory", "Add somebody who signs for the company."),
    ("missing_forms", "Sign the forms of the company."),
    ("missing_pay_schedule", "Create a pay schedule."),
    ("missing_state_tax_setup", "Answer what the states ask of an employer."),
    (
        "pending_recovery_case",
        "A debit of the company came back, and has to be recovered first: see its recovery cases.",
    ),
    (MISSING_TABLES, "The tax tables of the year of payment are not held: the operator imports them."),
];

/// The blocker of a payroll whose date no tables cover; its message names the tables.
const MISSING_TABLES: &str = "missing_tax_tables";

/// What stands in the way of running the company's next payroll.
///
/// # Errors
/// "Not found"; a store error.
pub fn list(tx: &mut Tx<'_>, caller: &Caller) -> Result<Vec<Blocker>, Error> {
    let today = caller.today(tx);
    let next = rows::next_check_date(tx, caller.company)?.map_or(today, |day| day.max(today));
    blockers_on(tx, caller, next)
}

/// What stands in the way of running a payroll that is paid on a day.
fn blockers_on(tx: &mut Tx<'_>, caller: &Caller, check_date: Date) -> Result<Vec<Blocker>, Error> {
    let company = companies::rows::find(tx, caller.company)?.ok_or(Error::NotFound)?;
    let mut keys = Vec::new();
    if company.contractor_only {
        keys.push("contractor_only_company");
    }
    if company.company_status == Status::Suspended {
        keys.push("suspended");
    }
    if cases::block(tx, caller.company)? {
        keys.push("pending_recovery_case");
    }
    if company.company_status == Status::Approved {
        keys.extend(indispensable(tx, caller)?);
    } else {
        keys.extend(not_settled(tx, caller, &company)?);
    }
    let mut blockers: Vec<Blocker> =
        keys.into_iter().map(|key| Blocker { key, message: message(key).to_owned() }).collect();
    let settings = settings::of_company(tx, caller.company)?;
    let missing = tables::missing(tx, check_date, settings.previous_year_tables)?;
    blockers.extend(
        missing.iter().map(|table| Blocker {
            key: MISSING_TABLES,
            message: format!("Payment on {check_date}: {table}"),
        }),
    );
    Ok(blockers)
}

/// What no payroll can be worked out without.
fn indispensable(tx: &mut Tx<'_>, caller: &Caller) -> Result<Vec<&'static str>, Error> {
    let places = locations::rows::of_company(tx, caller.company)?;
    let mut keys = Vec::new();
    if !places.iter().any(|place| place.filing_address) {
        keys.push("missing_addresses");
    }
    if !members::any(tx, caller.company)? {
        keys.push("missing_employee_setup");
    }
    if schedules::default_of(tx, caller.company)?.is_none() {
        keys.push("missing_pay_schedule");
    }
    Ok(keys)
}

/// What a company that is not approved yet has not settled.
fn not_settled(tx: &mut Tx<'_>, caller: &Caller, company: &Company) -> Result<Vec<&'static str>, Error> {
    let (finished, open) = company_setup::service::open_steps(tx, caller, company)?;
    let mut keys = vec![if finished { "needs_approval" } else { "needs_onboarding" }];
    for step in open {
        keys.push(match step {
            Step::AddAddresses => "missing_addresses",
            Step::FederalTaxSetup => "missing_federal_tax_setup",
            Step::SelectIndustry => "missing_industry_selection",
            Step::AddBankInfo => "missing_bank_info",
            Step::AddEmployees => "missing_employee_setup",
            Step::StateSetup => "missing_state_tax_setup",
            Step::PayrollSchedule => "missing_pay_schedule",
            Step::SignAllForms => "missing_forms",
            Step::VerifyBankInfo => "missing_bank_verification",
            Step::ExternalPayroll => continue,
        });
    }
    if signatories::rows::of_company(tx, caller.company)?.is_none() {
        keys.push("missing_signatory");
    }
    Ok(keys)
}

fn message(key: &str) -> &'static str {
    let found = ALL.iter().find(|(name, _)| *name == key);
    found.map_or_else(|| panic!("{key} is no blocker"), |(_, message)| message)
}

/// Refuses a payroll that is paid on a day, where blockers stand in its way.
///
/// # Errors
/// 422 with every blocker; a store error.
pub fn refuse_blocked(tx: &mut Tx<'_>, caller: &Caller, check_date: Date) -> Result<(), Error> {
    let blockers = blockers_on(tx, caller, check_date)?;
    if blockers.is_empty() {
        return Ok(());
    }
    let violations = blockers.iter().map(|blocker| {
        let violation = Violation::new("base", Category::PayrollBlocker, blocker.message.as_str());
        violation.with_metadata(json!({ "key": blocker.key }))
    });
    Err(Error::Violations(violations.collect()))
}
