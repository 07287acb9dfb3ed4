//! Use cases of the records of an employee's benefits.

use std::collections::HashMap;

use jiff::civil::Date;
use rules::payroll::benefits::{BenefitElection, BenefitType, election};
use rules::window::{Action, BASELINE, Window};
use rules::{Checks, Violation, effective};
use store::Tx;
use uuid::Uuid;

use super::windows::{MOST, benefit_changes, store_changed, store_deleted, store_new, windows_after_placing};
use super::{EMPLOYEE_BENEFITS, EMPLOYEE_PHI, GUARD, check_benefit_access, may_see};
use crate::access::tokens::Caller;
use crate::benefits::commands::{CreateEmployeeBenefit, TermsPatch, UpdateEmployeeBenefit};
use crate::benefits::rows::company;
use crate::benefits::rows::company::CompanyBenefit;
use crate::benefits::rows::employee as rows;
use crate::benefits::rows::employee::EmployeeBenefit;
use crate::error::Error;
use crate::paging::{Listed, Page};
use crate::patch::{self, Patch, as_is, some};
use crate::people::employees;
use crate::records::{parse_id, room_for, version_text};
use crate::version;

/// A page of the employee's records in the order of creation: the current one of each benefit or, with `all`, every
/// record, except health information that the caller may not see.
///
/// # Errors
/// "Not found"; a store error.
pub fn list_employee_benefits(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    all: bool,
    page: Page,
) -> Result<Listed<EmployeeBenefit>, Error> {
    employees::service::find_employee(tx, caller, employee)?;
    let today = caller.today(tx);
    let kinds = company_benefit_types(tx, caller)?;
    let mut windows = rows::of_employee(tx, caller.company, employee)?;
    windows.retain(|w| kinds.get(&w.company_benefit).is_some_and(|kind| may_see(caller, kind, EMPLOYEE_PHI)));
    if !all {
        let current: Vec<Uuid> = current_of_each(&windows, today).into_iter().map(|w| w.id).collect();
        windows.retain(|w| current.contains(&w.id));
    }
    Ok(Listed::slice(page, windows))
}

/// The types of the company's benefits.
pub(super) fn company_benefit_types(
    tx: &mut Tx<'_>,
    caller: &Caller,
) -> Result<HashMap<Uuid, &'static BenefitType>, Error> {
    let benefits = company::list_benefits(tx, caller.company)?;
    Ok(benefits.into_iter().map(|usage| (usage.benefit.id, usage.benefit.kind)).collect())
}

/// The current record of each benefit.
fn current_of_each(windows: &[EmployeeBenefit], today: Date) -> Vec<&EmployeeBenefit> {
    let mut by_benefit: HashMap<Uuid, Vec<&EmployeeBenefit>> = HashMap::new();
    for window in windows {
        by_benefit.entry(window.company_benefit).or_default().push(window);
    }
    by_benefit.values().filter_map(|of_one| current_window(of_one, today)).collect()
}

/// The current window of a benefit: the one in force, or else the last one, or else the next one. They do not overlap,
/// so if any is in force it is the last that has begun.
pub(super) fn current_window<'w>(
    windows: &[&'w EmployeeBenefit],
    today: Date,
) -> Option<&'w EmployeeBenefit> {
    effective::active_record(windows, today, |w| w.window.effective).copied()
}

/// A page of the records of a company benefit: the current one of each employee or, with `all`, every record.
///
/// # Errors
/// "Not found"; a missing scope; a store error.
pub fn list_of_benefit(
    tx: &mut Tx<'_>,
    caller: &Caller,
    benefit: Uuid,
    all: bool,
    page: Page,
) -> Result<Listed<EmployeeBenefit>, Error> {
    let found = super::find_company_benefit(tx, caller, benefit)?;
    check_benefit_access(caller, found.benefit.kind, EMPLOYEE_PHI)?;
    let today = if all { None } else { Some(caller.today(tx)) };
    let windows = rows::list_benefit_windows(tx, caller.company, benefit, today, page)?;
    Listed::new(page, windows, || rows::count_benefit_windows(tx, caller.company, benefit, all))
}

/// The record.
///
/// # Errors
/// "Not found"; a missing scope; a store error.
pub fn find_employee_benefit(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<EmployeeBenefit, Error> {
    let (employee, benefit) =
        rows::find_employee_and_benefit(tx, caller.company, id)?.ok_or(Error::NotFound)?;
    check_benefit_access(
        caller,
        super::find_company_benefit(tx, caller, benefit)?.benefit.kind,
        EMPLOYEE_PHI,
    )?;
    let windows = rows::of_benefit(tx, caller.company, employee, benefit)?;
    windows.into_iter().find(|w| w.id == id).ok_or(Error::NotFound)
}

/// Creates a record. Without dates, it is the open baseline. An open record that began earlier ends on the day before.
///
/// # Errors
/// "Not found"; every violation of the input; a missing scope; a store error.
pub fn create_employee_benefit(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    input: &CreateEmployeeBenefit,
) -> Result<EmployeeBenefit, Error> {
    let id = input.company_benefit_uuid.value().and_then(|id| parse_id(id));
    let benefit = company_benefit_guarded(tx, caller, id)?;
    employees::service::find_guarded(tx, caller, employee)?;
    let mut checks = Checks::new();
    let benefit = input.company_benefit_uuid.required("company_benefit_uuid", &mut checks, |key, _| {
        let message = format!("{key} must be the uuid of one of the company's benefits");
        benefit.ok_or_else(|| Violation::invalid(key, message))
    });
    if let Some(benefit) = &benefit {
        check_benefit_access(caller, benefit.kind, EMPLOYEE_PHI)?;
    }
    patch::refuse_null("active", &input.terms.active, &mut checks);
    patch::refuse_null("employee_deduction", &input.terms.employee_deduction, &mut checks);
    patch::refuse_null("deduct_as_percentage", &input.terms.deduct_as_percentage, &mut checks);
    patch::refuse_null("elective", &input.terms.elective, &mut checks);
    let draft = Draft::new(
        caller,
        benefit.as_ref().map(|benefit| benefit.kind),
        &input.terms,
        (&input.effective_date, &input.expiration_date),
        &mut checks,
    );
    let Some(benefit) = benefit else { return Err(Error::from(checks.finish().err().unwrap_or_default())) };
    let held = rows::of_benefit(tx, caller.company, employee, benefit.id)?;
    enroll_employee(tx, caller, (employee, &benefit), draft, &held, checks)
}

/// Whether a record enrolls the employee: it is active and has not ended.
pub(super) fn is_enrolling((active, window): (bool, Window), today: Date) -> bool {
    active && window.expiration.is_none_or(|last| last >= today)
}

/// Refuses a record that enrolls somebody in a benefit that the company has made inactive: nothing would be taken.
pub(super) fn require_offered(benefit: &CompanyBenefit, enrolls: bool, checks: &mut Checks) {
    checks.require(benefit.active || !enrolls, || {
        Violation::invalid(
            "active",
            "active must be false while the company benefit is inactive: make the company benefit active first",
        )
    });
}

/// The company benefit under its guard, if there is one of this id.
pub(super) fn company_benefit_guarded(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Option<Uuid>,
) -> Result<Option<CompanyBenefit>, Error> {
    let Some(id) = id else { return Ok(None) };
    tx.take_guard(caller.company, GUARD, id)?;
    Ok(company::find_benefit(tx, caller.company, id)?.map(|usage| usage.benefit))
}

/// A new record.
pub(super) struct Draft {
    pub window: Window,
    /// whether the dates are valid: otherwise overlaps are not checked
    pub dated: bool,
    pub active: bool,
    pub terms: BenefitElection,
}

impl Draft {
    /// Reads a new record; without a `kind`, the amounts are not validated by type.
    pub fn new(
        caller: &Caller,
        kind: Option<&BenefitType>,
        input: &TermsPatch,
        (effective_date, expiration_date): (&Patch<Date>, &Patch<Date>),
        checks: &mut Checks,
    ) -> Self {
        let mut draft = Self {
            window: Window { effective: BASELINE, expiration: None },
            dated: true,
            active: true,
            terms: BenefitElection::default(),
        };
        let mut dates = Checks::new();
        if let Some(first) = effective_date.optional("effective_date", &mut dates, as_is) {
            draft.window.effective = first;
        }
        draft.window.expiration = expiration_date.optional("expiration_date", &mut dates, as_is);
        draft.dated = dates.is_empty();
        checks.extend(dates.finish().err().unwrap_or_default());
        input.apply_to_terms(&mut draft.terms, &mut draft.active, checks);
        if let Some(kind) = kind {
            elective_by_type(caller, kind, &input.elective, &mut draft.terms, checks);
            checks.extend(election::check_election(&draft.terms, kind));
        }
        draft
    }
}

/// From version 2026-02-01 on, `elective` of a SIMPLE IRA is determined by its type: filled in, or refused if different.
fn elective_by_type(
    caller: &Caller,
    kind: &BenefitType,
    sent: &Patch<bool>,
    terms: &mut BenefitElection,
    checks: &mut Checks,
) {
    let Some(elective) =
        kind.elective_by_type().filter(|_| caller.version.includes_change(version::Change::ElectiveByType))
    else {
        return;
    };
    checks.require(sent.value().is_none_or(|sent| *sent == elective), || {
        Violation::invalid("elective", format!("elective must be {elective} for {}", kind.name))
    });
    terms.elective = elective;
}

/// Stores a draft among the existing windows, unless a check failed.
pub(super) fn enroll_employee(
    tx: &mut Tx<'_>,
    caller: &Caller,
    (employee, benefit): (Uuid, &CompanyBenefit),
    draft: Draft,
    held: &[EmployeeBenefit],
    mut checks: Checks,
) -> Result<EmployeeBenefit, Error> {
    let id = tx.new_id();
    if draft.dated {
        require_offered(benefit, is_enrolling((draft.active, draft.window), caller.today(tx)), &mut checks);
    }
    let placed = if draft.dated {
        checks.take_value(windows_after_placing(held, Action::Create, id, draft.window))
    } else {
        None
    };
    checks.finish()?;
    room_for("records of one benefit of an employee", held.len(), MOST)?;
    let Draft { window, active, terms, .. } = draft;
    let new =
        EmployeeBenefit { company_benefit: benefit.id, employee, id, window, active, terms, version: 1 };
    store_new(tx, caller, held, &placed.unwrap_or_default(), &new)?;
    Ok(new)
}

/// The record with all windows of its benefit, under the guards.
fn find_guarded(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
) -> Result<(EmployeeBenefit, Vec<EmployeeBenefit>, CompanyBenefit), Error> {
    // The employee and benefit of a record never change, so they can be read before the guards are taken.
    let (employee, benefit) =
        rows::find_employee_and_benefit(tx, caller.company, id)?.ok_or(Error::NotFound)?;
    let benefit = super::find_company_benefit_guarded(tx, caller, benefit)?.benefit;
    employees::service::find_guarded(tx, caller, employee)?;
    check_benefit_access(caller, benefit.kind, EMPLOYEE_PHI)?;
    let held = rows::of_benefit(tx, caller.company, employee, benefit.id)?;
    let found = held.iter().find(|w| w.id == id).cloned().ok_or(Error::NotFound)?;
    Ok((found, held, benefit))
}

/// Updates the given fields. No other record changes.
///
/// # Errors
/// "Not found", 409 for a stale version, every violation of the input, a missing scope; a store error.
pub fn update_employee_benefit(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    input: &UpdateEmployeeBenefit,
) -> Result<EmployeeBenefit, Error> {
    let (before, held, benefit) = find_guarded(tx, caller, id)?;
    let change = Change {
        version: &input.version,
        dates: (&input.effective_date, &input.expiration_date),
        terms: &input.terms,
    };
    change.apply(tx, caller, &before, &held, &benefit)
}

/// An update, part of several commands.
pub(super) struct Change<'b> {
    pub version: &'b Patch<String>,
    pub dates: (&'b Patch<Date>, &'b Patch<Date>),
    pub terms: &'b TermsPatch,
}

impl Change<'_> {
    /// Executes the update and returns the updated record.
    pub fn apply(
        &self,
        tx: &mut Tx<'_>,
        caller: &Caller,
        before: &EmployeeBenefit,
        held: &[EmployeeBenefit],
        benefit: &CompanyBenefit,
    ) -> Result<EmployeeBenefit, Error> {
        let kind = benefit.kind;
        let mut after = before.clone();
        let mut checks = Checks::new();
        let version = patch::check_version(self.version, &mut checks);
        let (first, last) = self.dates;
        first.update("effective_date", &mut checks, as_is, &mut after.window.effective);
        last.update_or_clear("expiration_date", &mut checks, some, &mut after.window.expiration);
        let dates_sent = !matches!((first, last), (Patch::Absent, Patch::Absent));
        self.terms.apply_update(dates_sent, &mut after.terms, &mut after.active, &mut checks);
        if after.terms != before.terms {
            elective_by_type(caller, kind, &self.terms.elective, &mut after.terms, &mut checks);
            checks.extend(election::check_election(&after.terms, kind));
        }
        let today = caller.today(tx);
        let [was, is] = [before, &after].map(|one| is_enrolling((one.active, one.window), today));
        require_offered(benefit, is && !was, &mut checks);
        if after.window != before.window {
            checks.take_value(windows_after_placing(held, Action::Update, after.id, after.window));
        }
        checks.finish()?;
        let changes = benefit_changes(before, &after);
        let current = version_text(EMPLOYEE_BENEFITS, before.id, before.version);
        changes.expect_version(&version.unwrap_or_default(), current)?;
        if !changes.is_empty() {
            store_changed(tx, caller, before, &after)?;
            after.version += 1;
        }
        Ok(after)
    }
}

/// Deletes a record. No other record changes.
///
/// # Errors
/// "Not found"; a missing scope; a store error.
pub fn delete_employee_benefit(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<(), Error> {
    let (found, ..) = find_guarded(tx, caller, id)?;
    store_deleted(tx, caller, &found)
}
