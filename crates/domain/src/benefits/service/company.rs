//! Use cases of the benefits that a company offers.

use rules::payroll::benefits::BenefitType;
use rules::{Checks, Violation, check};
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use super::{COMPANY_BENEFITS, COMPANY_PHI, EMPLOYEE_PHI, check_benefit_access, may_see};
use crate::access::tokens::Caller;
use crate::benefits::commands::{CreateCompanyBenefit, UpdateCompanyBenefit};
use crate::benefits::rows::company as rows;
use crate::benefits::rows::company::{CompanyBenefit, CompanyBenefitUsage};
use crate::benefits::rows::employee;
use crate::benefits::rows::employee::EmployeeBenefit;
use crate::error::Error;
use crate::events;
use crate::paging::{Listed, Page};
use crate::patch::{self, Patch, as_is, some};
use crate::platform::audit;
use crate::records::{Changes, room_for, version_text};

/// Maximum number of characters of a description.
const DESCRIPTION: usize = 255;
/// Maximum number of benefits of a company.
const MOST: usize = 500;

/// Selects benefits of a company.
#[derive(Debug, Clone, Default)]
pub struct CompanyBenefitFilter {
    /// only active, or only inactive ones
    pub active: Option<bool>,
    /// only of these types
    pub types: Option<Vec<i64>>,
    /// whether to count enrolled employees
    pub enrollment_count: bool,
}

/// The company's benefits in the order of creation, except health information that the caller may not see.
pub fn list_company_benefits(
    tx: &mut Tx<'_>,
    caller: &Caller,
    filter: &CompanyBenefitFilter,
) -> Result<Vec<CompanyBenefitUsage>, Error> {
    let today = caller.today(tx);
    let mut found = rows::list_benefits(tx, caller.company)?;
    found.retain(|CompanyBenefitUsage { benefit, .. }| {
        filter.active.is_none_or(|active| active == benefit.active)
            && filter.types.as_ref().is_none_or(|types| types.contains(&benefit.kind.code))
            && may_see(caller, benefit.kind, COMPANY_PHI)
    });
    if filter.enrollment_count {
        for one in &mut found {
            one.enrollment_count =
                Some(employee::count_enrolled_employees(tx, caller.company, one.benefit.id, today)?);
        }
    }
    Ok(found)
}

/// A company benefit with its employees' records.
#[derive(Debug, Clone)]
pub struct CompanyBenefitDetails {
    /// the benefit
    pub company_benefit: CompanyBenefitUsage,
    /// the employees' records, if requested
    pub employee_benefits: Option<Vec<EmployeeBenefit>>,
}

/// The benefit; with `employees` also the current record of each employee or, with `all`, every record.
///
/// # Errors
/// "Not found"; a missing scope; a store error.
pub fn get_company_benefit(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    employees: bool,
    all: bool,
) -> Result<CompanyBenefitDetails, Error> {
    let company_benefit = super::find_company_benefit(tx, caller, id)?;
    let kind = company_benefit.benefit.kind;
    check_benefit_access(caller, kind, COMPANY_PHI)?;
    let mut details = CompanyBenefitDetails { company_benefit, employee_benefits: None };
    if employees {
        if !caller.scopes.contains("employee_benefits:read") {
            return Err(Error::MissingScope("employee_benefits:read"));
        }
        check_benefit_access(caller, kind, EMPLOYEE_PHI)?;
        let today = if all { None } else { Some(caller.today(tx)) };
        let windows = employee::list_benefit_windows(tx, caller.company, id, today, Page::Whole)?;
        details.employee_benefits = Some(Listed::new(Page::Whole, windows, || Ok(0_i64))?.items);
    }
    Ok(details)
}

/// Creates a benefit.
///
/// # Errors
/// Every violation of the input; a missing scope; a store error.
pub fn create_company_benefit(
    tx: &mut Tx<'_>,
    caller: &Caller,
    input: &CreateCompanyBenefit,
) -> Result<CompanyBenefitUsage, Error> {
    tx.take_guard(caller.company, COMPANY_BENEFITS, caller.company)?;
    let mut checks = Checks::new();
    let kind = benefit_type(&input.benefit_type, &mut checks);
    let mut new = CompanyBenefit {
        id: tx.new_id(),
        kind: kind.unwrap_or(&rules::payroll::benefits::kind::ALL[0]),
        active: input.active.optional("active", &mut checks, as_is).unwrap_or(true),
        description: input
            .description
            .required("description", &mut checks, read_description)
            .unwrap_or_default(),
        responsible_for_employer_taxes: false,
        responsible_for_employee_w2: false,
        catch_up_type: None,
        excluded_earnings: None,
        version: 1,
    };
    for (key, field, target) in [
        (
            "responsible_for_employer_taxes",
            &input.responsible_for_employer_taxes,
            &mut new.responsible_for_employer_taxes,
        ),
        (
            "responsible_for_employee_w2",
            &input.responsible_for_employee_w2,
            &mut new.responsible_for_employee_w2,
        ),
    ] {
        *target = field.optional(key, &mut checks, as_is).unwrap_or(false);
    }
    input.catch_up_type.update_or_clear("catch_up_type", &mut checks, some, &mut new.catch_up_type);
    if kind.is_some() {
        check_catch_up_type(&new, &mut checks);
    }
    checks.finish()?;
    check_benefit_access(caller, new.kind, COMPANY_PHI)?;
    room_for("company benefits", rows::list_benefits(tx, caller.company)?.len(), MOST)?;
    new.insert(tx, caller.company)?;
    audit::record_audit_entry(tx, caller, "created", (COMPANY_BENEFITS, new.id), &json!({}))?;
    events::emit_event(tx, caller.company, events::COMPANY_BENEFIT_CREATED, new.id)?;
    Ok(CompanyBenefitUsage { benefit: new, used: false, enrollment_count: None })
}

/// Updates the given fields; the type never changes. A benefit can be made inactive while employees have it: their records stay, and
/// nothing is deducted or contributed until it is active again.
///
/// # Errors
/// "Not found", 409 for a stale version, every violation of the input, a missing scope; a store error.
pub fn update_company_benefit(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    input: &UpdateCompanyBenefit,
) -> Result<CompanyBenefitUsage, Error> {
    let CompanyBenefitUsage { benefit: before, used, .. } =
        super::find_company_benefit_guarded(tx, caller, id)?;
    check_benefit_access(caller, before.kind, COMPANY_PHI)?;
    let mut after = before.clone();
    let mut checks = Checks::new();
    let version = patch::check_version(&input.version, &mut checks);
    input.active.update("active", &mut checks, as_is, &mut after.active);
    input.description.update("description", &mut checks, read_description, &mut after.description);
    let employer_taxes = &mut after.responsible_for_employer_taxes;
    input.responsible_for_employer_taxes.update(
        "responsible_for_employer_taxes",
        &mut checks,
        as_is,
        employer_taxes,
    );
    let w2 = &mut after.responsible_for_employee_w2;
    input.responsible_for_employee_w2.update("responsible_for_employee_w2", &mut checks, as_is, w2);
    input.catch_up_type.update_or_clear("catch_up_type", &mut checks, some, &mut after.catch_up_type);
    check_catch_up_type(&after, &mut checks);
    checks.finish()?;

    let changes = Changes::from(CompanyBenefit::changes(&before, &after));
    changes
        .expect_version(&version.unwrap_or_default(), version_text(COMPANY_BENEFITS, id, before.version))?;
    if !changes.is_empty() {
        assert!(after.update(tx, caller.company)?, "the row was read under its guard");
        audit::record_audit_entry(tx, caller, "updated", (COMPANY_BENEFITS, id), &changes.to_json())?;
        events::emit_event(tx, caller.company, events::COMPANY_BENEFIT_UPDATED, id)?;
        after.version += 1;
    }
    Ok(CompanyBenefitUsage { benefit: after, used, enrollment_count: None })
}

/// Deletes a benefit that nothing uses.
///
/// # Errors
/// "Not found"; 422 while an employee's benefit or an item of a payroll refers to it; a missing scope; a store error.
pub fn delete_company_benefit(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<(), Error> {
    let CompanyBenefitUsage { benefit, used, .. } = super::find_company_benefit_guarded(tx, caller, id)?;
    check_benefit_access(caller, benefit.kind, COMPANY_PHI)?;
    if used {
        return Err(Error::from(Violation::invalid_operation(
            "The benefit is used by records of employees or by payrolls and cannot be deleted.",
        )));
    }
    if !benefit.delete(tx, caller.company)? {
        return Err(Error::NotFound);
    }
    audit::record_audit_entry(tx, caller, "deleted", (COMPANY_BENEFITS, id), &json!({}))?;
    events::emit_event(tx, caller.company, events::COMPANY_BENEFIT_DELETED, id)
}

fn benefit_type(field: &Patch<i64>, checks: &mut Checks) -> Option<&'static BenefitType> {
    if matches!(field, Patch::Absent | Patch::Null) {
        checks.push(Violation::missing("base", "benefit_type is needed: GET /v1/benefits lists the types"));
        return None;
    }
    field.optional("benefit_type", checks, |key, code| {
        let unknown =
            || Violation::invalid(key, "benefit_type must be one of the types listed by GET /v1/benefits");
        BenefitType::find_by_code(*code).ok_or_else(unknown)
    })
}

#[expect(clippy::ptr_arg, reason = "has the shape of every other check")]
fn read_description(key: &str, value: &String) -> Result<String, Violation> {
    check::validate_text(key, value, DESCRIPTION)
}

fn check_catch_up_type(benefit: &CompanyBenefit, checks: &mut Checks) {
    checks.require(benefit.catch_up_type.is_none() || benefit.kind.marks.retirement, || {
        let message = format!("catch_up_type is only for retirement plans, not for {}", benefit.kind.name);
        Violation::invalid("catch_up_type", message)
    });
}
