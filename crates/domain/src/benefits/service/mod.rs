//! Use cases of benefits.
//!
//! A unit that changes windows takes the guard of the company benefit, then those of its employees in ascending order,
//! and reads only then. Only `windows` stores windows.

pub mod bulk;
pub mod company;
pub mod effect;
pub mod employee;
pub mod exclusions;
pub mod planning;
pub mod summary;
pub mod supported;
pub mod timeline;
mod windows;

pub use windows::contribution_json;

use rules::payroll::benefits::BenefitType;
use store::Tx;
use uuid::Uuid;

use super::rows::company::CompanyBenefitUsage;
use crate::access::tokens::Caller;
use crate::error::Error;

/// Table of company benefits, in versions and audit entries.
pub const COMPANY_BENEFITS: &str = "company_benefits";
/// Table of employees' benefits, in versions and audit entries.
pub const EMPLOYEE_BENEFITS: &str = "employee_benefits";

/// Kind of the guard of a company benefit, which keeps it while employees are enrolled.
const GUARD: &str = "company_benefit";

/// Scope for company benefits that are health information.
const COMPANY_PHI: &str = "company_benefits:read:phi";
/// Scope for employees' benefits.
const EMPLOYEE_READ: &str = "employee_benefits:read";
/// Scope for employees' benefits that are health information.
const EMPLOYEE_PHI: &str = "employee_benefits:read:phi";

/// Whether the caller may see benefits of this type: health information requires a scope of its own.
fn may_see(caller: &Caller, kind: &BenefitType, scope: &str) -> bool {
    !kind.is_health_information() || caller.scopes.contains(scope)
}

/// Whether the caller may see what a benefit of this type takes and gives of an employee's pay.
pub fn may_see_of_pay(caller: &Caller, kind: &BenefitType) -> bool {
    caller.scopes.contains(EMPLOYEE_READ) && may_see(caller, kind, EMPLOYEE_PHI)
}

/// Fails if the caller may not see benefits of this type.
fn check_benefit_access(caller: &Caller, kind: &BenefitType, scope: &'static str) -> Result<(), Error> {
    if may_see(caller, kind, scope) { Ok(()) } else { Err(Error::MissingScope(scope)) }
}

/// The company benefit, or "not found".
fn find_company_benefit(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<CompanyBenefitUsage, Error> {
    super::rows::company::find_benefit(tx, caller.company, id)?.ok_or(Error::NotFound)
}

/// As [`find_company_benefit`], under its guard.
fn find_company_benefit_guarded(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
) -> Result<CompanyBenefitUsage, Error> {
    tx.take_guard(caller.company, GUARD, id)?;
    find_company_benefit(tx, caller, id)
}

/// Deletes the benefits of an employee who is being deleted.
pub fn delete_employee_benefits(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Result<(), Error> {
    super::high_earners::delete_decisions(tx, caller.company, employee)?;
    super::other_companies::delete_contributions(tx, caller.company, employee)?;
    super::rows::employee::delete_of_employee(tx, caller.company, employee)
}
