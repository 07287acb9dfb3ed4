//! Use cases of employees together with their records.

use std::collections::HashMap;

use jiff::civil::Date;
use rules::onboarding::Status;
use rules::{Category, Checks, Violation, check};
use store::Tx;
use uuid::Uuid;

use super::commands::{CreateEmployee, Include, UpdateEmployee};
use super::rows;
use super::rows::EmployeeFilter;
use super::{Profile, ShownEmployee};
use crate::access::tokens::Caller;
use crate::company::companies;
use crate::error::Error;
use crate::events;
use crate::paging::{Listed, Page};
use crate::patch::{self, as_is};
use crate::pay::compensations;
use crate::pay::compensations::rows::Pay;
use crate::pay::time_off;
use crate::people::addresses;
use crate::people::departments;
use crate::people::employees::Employee;
use crate::people::employees::rows as employees;
use crate::people::employees::service::{TABLE, find_guarded};
use crate::people::employment;
use crate::people::employment::Employment;
use crate::platform::audit;
use crate::platform::hooks;
use crate::platform::hooks::EmployeeAspect;
use crate::records::{Changes, IdRange, version_text};
use crate::version::Change;
use crate::withholding::garnishments::service as garnishments;

/// Creates an employee.
///
/// # Errors
/// Every violation of the input; a store error.
pub fn create_employee(tx: &mut Tx<'_>, caller: &Caller, input: &CreateEmployee) -> Result<Profile, Error> {
    let (employee, birth_date) = enter_employee(tx, caller, input, false)?;
    // A new employee has no jobs, addresses or garnishments to look up.
    Ok(Profile {
        employee: employee.into(),
        birth_date,
        pay: Pay::default(),
        employment: Employment::default(),
        time_off: Vec::new(),
        garnishments: Vec::new(),
        department: None,
        today: caller.today(tx),
        home_addresses: Vec::new(),
        company_name: None,
    })
}

/// Stores a new employee, or one who left before the company used the service (`historical`); returns the record and the date of birth.
///
/// # Errors
/// Every violation of the input; a store error.
pub fn enter_employee(
    tx: &mut Tx<'_>,
    caller: &Caller,
    input: &CreateEmployee,
    historical: bool,
) -> Result<(Employee, Option<Date>), Error> {
    let today = caller.today(tx);
    let mut checks = Checks::new();
    let mut employee = Employee { historical, created_at: tx.now(), version: 1, ..Employee::default() };
    employee.fill(input, &mut checks);
    let birth =
        input.date_of_birth.optional("date_of_birth", &mut checks, |k, v| check::birth_date(k, *v, today));
    let ssn = input.ssn.optional("ssn", &mut checks, optional_ssn).flatten();
    let self_onboarding =
        input.self_onboarding.optional("self_onboarding", &mut checks, as_is).unwrap_or(false);
    let no_email = input.email.value().is_none_or(|email| email.trim().is_empty());
    if self_onboarding && caller.version.includes_change(Change::EmailForSelfOnboarding) && no_email {
        checks.push(Violation::invalid("email", "email can't be blank for an employee with self-onboarding"));
    }
    checks.finish()?;

    let id = tx.new_id();
    employee.id = id;
    employee.employee_code = employees::new_code(tx);
    employee.payment_method = employees::CHECK.to_owned();
    if self_onboarding {
        employee.status = Status::SelfOnboardingPendingInvite;
    }
    let mut entered = Changes::default();
    entered.note_secret("ssn", ssn.is_some());
    entered.note_secret("date_of_birth", birth.is_some());
    let employee = Draft { employee, birth, ssn }.seal_record(tx, caller, &entered)?;
    employees::insert_employee(tx, caller.company, &employee)?;
    audit::record_audit_entry(tx, caller, "created", (TABLE, id), &serde_json::json!({}))?;
    events::emit_event(tx, caller.company, events::EMPLOYEE_CREATED, id)?;
    if self_onboarding {
        events::emit_event(tx, caller.company, events::EMPLOYEE_MARKED_FOR_SELF_ONBOARDING, id)?;
    }
    Ok((employee, birth))
}

/// Updates the fields that were sent and keeps the rest.
///
/// # Errors
/// "Not found", 409 for a stale version, every violation of the input; a store error.
pub fn update_employee(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    input: &UpdateEmployee,
) -> Result<Profile, Error> {
    let before = find_guarded(tx, caller, id)?;
    let today = caller.today(tx);
    let birth_before = employees::birth_date(tx, caller.company, &before)?;
    let ssn_before = employees::unseal_ssn(tx, caller.company, &before)?;
    let mut draft = Draft { employee: before.clone(), birth: birth_before, ssn: None };
    let (version, shareholder) = draft.apply_update(input, today)?;

    let ssn_before = ssn_before.as_deref();
    let new_ssn = draft.ssn.as_ref().is_some_and(|ssn| ssn_before != Some(ssn));
    let mut changes = Changes::from(Employee::changes(&before, &draft.employee));
    changes.note_secret("date_of_birth", draft.birth != birth_before);
    changes.note_secret("ssn", new_ssn);
    let shareholder_before = compensations::service::is_two_percent_shareholder(tx, caller, id)?;
    let mut with_share = changes.clone();
    with_share.record_difference(
        "two_percent_shareholder",
        &shareholder_before,
        &shareholder.or(shareholder_before),
    );
    with_share.expect_version(&version, version_text(TABLE, id, before.version))?;
    let shareholder_changed = match shareholder {
        Some(flag) => compensations::service::set_shareholder(tx, caller, id, flag)?,
        None => false,
    };
    // The ownership is stored with the job but is part of the response, so the employee's version changes too.
    if !changes.is_empty() || shareholder_changed {
        let after = draft.seal_record(tx, caller, &changes)?;
        assert!(after.update(tx, caller.company)?, "the row was read under its guard");
        audit::record_audit_entry(tx, caller, "updated", (TABLE, id), &with_share.to_json())?;
        events::emit_event(tx, caller.company, events::EMPLOYEE_UPDATED, id)?;
        hooks::employee_changed(tx, caller, id, EmployeeAspect::Person)?;
    }
    get_employee(tx, caller, id, Include::default())
}

/// A record with new or changed fields, before anything is sealed.
struct Draft {
    employee: Employee,
    birth: Option<Date>,
    ssn: Option<String>,
}

impl Draft {
    /// Sets the fields that were sent; returns the version, and whether the employee owns more than 2 %.
    fn apply_update(&mut self, input: &UpdateEmployee, today: Date) -> Result<(String, Option<bool>), Error> {
        let Self { employee, birth, ssn } = self;
        let mut checks = Checks::new();
        let version = patch::check_version(&input.version, &mut checks);
        employee.apply(input, &mut checks);
        let birth_date = |k: &str, v: &Date| check::birth_date(k, *v, today).map(Some);
        input.date_of_birth.update_or_clear("date_of_birth", &mut checks, birth_date, birth);
        // Clients send the SSN back empty, as they received it, which is not a change.
        input.ssn.update_or_clear("ssn", &mut checks, optional_ssn, ssn);
        let shareholder =
            input.two_percent_shareholder.optional("two_percent_shareholder", &mut checks, as_is);
        checks.finish()?;
        Ok((version.unwrap_or_default(), shareholder))
    }

    /// Returns the record to store: changed secrets are sealed, and the search name is set from the name.
    fn seal_record(self, tx: &mut Tx<'_>, caller: &Caller, changes: &Changes) -> Result<Employee, Error> {
        let Self { mut employee, birth, ssn } = self;
        let place = |column| employees::sealed_field_place(caller.company, employee.id, column);
        employee.search_name = employees::search_name(&employee.first_name, &employee.last_name);
        if changes.has_change("ssn")
            && let Some(ssn) = &ssn
        {
            employee.ssn = Some(tx.seal_field(place("ssn"), ssn.as_bytes())?);
            employee.ssn_digest = Some(employees::ssn_digest(tx, caller.company, ssn)?);
        }
        if changes.has_change("date_of_birth") {
            let sealed = birth.map(|day| tx.seal_field(place("date_of_birth"), day.to_string().as_bytes()));
            employee.date_of_birth = sealed.transpose()?;
        }
        Ok(employee)
    }
}

/// Returns the employee with its records.
///
/// # Errors
/// "Not found"; a store error.
pub fn get_employee(tx: &mut Tx<'_>, caller: &Caller, id: Uuid, include: Include) -> Result<Profile, Error> {
    rows::announce_employee(tx, caller.company, id)?;
    announce_details(tx, caller, std::iter::once(id))?;
    let employee = rows::find_employee(tx, caller.company, id)?;
    employee_profiles(tx, caller, vec![employee], include)?.pop().ok_or(Error::NotFound)
}

/// Announces the queries of [`employee_profiles`], if there are any employees, so that they take one round trip.
fn announce_details(
    tx: &mut Tx<'_>,
    caller: &Caller,
    ids: impl Iterator<Item = Uuid> + Clone,
) -> Result<(), Error> {
    let Some(bounds) = IdRange::spanning(ids.clone()) else { return Ok(()) };
    compensations::rows::announce_pay_queries(tx, caller.company, ids)?;
    employment::rows::announce_between(tx, caller.company, bounds)?;
    time_off::enrolled::announce_active(tx, caller.company, bounds)?;
    garnishments::announce_of_employees(tx, caller, bounds)?;
    departments::rows::announce_between(tx, caller.company, bounds)
}

/// Returns employees with their records. Those of a page are read as one range per table, because the rows of each table
/// are in the order of employees.
fn employee_profiles(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employees: Vec<ShownEmployee>,
    include: Include,
) -> Result<Vec<Profile>, Error> {
    let today = caller.today(tx);
    let mut pay = compensations::rows::of_employees(tx, caller.company, employees.iter().map(|e| e.id))?;
    let ids = employees.iter().map(|employee| employee.id);
    let bounds = IdRange::spanning(ids);
    let mut employments = match bounds {
        Some(bounds) => employment::rows::employments_of_employees(tx, caller.company, bounds)?,
        None => HashMap::new(),
    };
    let mut time_off = match bounds {
        Some(bounds) => time_off::enrolled::active_policies(tx, caller.company, bounds)?,
        None => HashMap::new(),
    };
    let mut garnishments = match bounds {
        Some(bounds) => garnishments::of_employees(tx, caller, bounds)?,
        None => HashMap::new(),
    };
    let mut departments = match bounds {
        Some(bounds) => departments::rows::departments_of_employees(tx, caller.company, bounds)?,
        None => HashMap::new(),
    };
    let company_name = match include.company_name {
        true => companies::find_company(tx, caller.company)?.map(|company| company.name),
        false => None,
    };
    let mut details = Vec::with_capacity(employees.len());
    for employee in employees {
        let birth_date = employee.birth_date(tx, caller.company)?;
        let home_addresses = match include.home_addresses {
            true => addresses::service::home_addresses(tx, caller, employee.id)?,
            false => Vec::new(),
        };
        details.push(Profile {
            birth_date,
            pay: remove_entry(&mut pay, employee.id).unwrap_or_default(),
            employment: remove_entry(&mut employments, employee.id).unwrap_or_default(),
            time_off: remove_entry(&mut time_off, employee.id).unwrap_or_default(),
            garnishments: remove_entry(&mut garnishments, employee.id).unwrap_or_default(),
            department: remove_entry(&mut departments, employee.id),
            today,
            home_addresses,
            company_name: company_name.clone(),
            employee,
        });
    }
    Ok(details)
}

/// Removes an employee's entry. `HashMap::remove` hashes the key even if the map is empty, which those of terminations and garnishments are
/// on most pages.
fn remove_entry<T>(of: &mut HashMap<Uuid, T>, employee: Uuid) -> Option<T> {
    if of.is_empty() { None } else { of.remove(&employee) }
}

/// Returns a page of the company's employees.
///
/// # Errors
/// 422 for a list that is too long to return whole, and for a cursor in a list that is not in order of creation;
/// a store error.
pub fn list_employees(
    tx: &mut Tx<'_>,
    caller: &Caller,
    filter: &EmployeeFilter,
    include: Include,
    page: Page,
) -> Result<Listed<Profile>, Error> {
    if page.last_seen_row().is_some() && !filter.is_by_age() {
        return Err(Error::from(Violation::new(
            "starting_after_uuid",
            Category::InvalidParameter,
            "starting_after_uuid requires the order of creation: omit uuids, and any sort_by other than created_at",
        )));
    }
    let today = caller.today(tx);
    let mut found = rows::list_employees(tx, caller.company, filter, page, today)?;
    let more = page.cut_extra_row(&mut found);
    announce_details(tx, caller, found.iter().map(|employee| employee.id))?;
    if filter.ids.is_none() && matches!(page, Page::Part { .. }) {
        rows::announce_count(tx, caller.company, filter, today, page)?;
    }
    let details = employee_profiles(tx, caller, found, include)?;
    if filter.ids.is_some() {
        return Ok(Listed::slice(page, details));
    }
    let listed =
        Listed::new(page, details, || rows::count_employees(tx, caller.company, filter, today, page))?;
    Ok(if filter.is_by_age() { listed.going_on(more, |one| one.employee.id) } else { listed })
}

/// Checks an SSN that may be empty, as in responses.
#[expect(clippy::ptr_arg, reason = "has the shape of every other check")]
fn optional_ssn(key: &str, value: &String) -> Result<Option<String>, Violation> {
    if value.is_empty() { Ok(None) } else { check::parse_ssn(key, value).map(Some) }
}
