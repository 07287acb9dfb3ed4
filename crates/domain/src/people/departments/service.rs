//! Use cases of departments. Every change takes the guard of all of the company's departments.

use std::collections::BTreeSet;

use rules::{Checks, Violation, check};
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use super::rows;
use super::rows::{Department, DepartmentMember};
use crate::access::tokens::Caller;
use crate::contractors::records as contractors;
use crate::error::{Error, Stale};
use crate::patch::{self, Patch};
use crate::people::employees;
use crate::people::employees::named::NamedEmployee;
use crate::platform::audit;
use crate::platform::hooks;
use crate::records::{Changes, room_for, version_text};

/// Table of the record, for versions, audit entries and the guard.
pub const TABLE: &str = Department::TABLE;
/// Maximum number of departments per company.
const MOST: usize = 500;
/// Maximum length of a title, in characters.
const TITLE: usize = 100;

/// A new department.
#[derive(Debug, Clone, Default)]
pub struct CreateDepartment {
    /// title
    pub title: Patch<String>,
}

/// Renames a department.
#[derive(Debug, Clone, Default)]
pub struct UpdateDepartment {
    /// version as last read
    pub version: Patch<String>,
    /// title
    pub title: Patch<String>,
}

/// Adds people to a department or removes them.
#[derive(Debug, Clone, Default)]
pub struct ChangeMembers {
    /// version as last read
    pub version: Patch<String>,
    /// employees to add or remove
    pub employees: Patch<Vec<NamedEmployee>>,
    /// contractors to add or remove
    pub contractors: Patch<Vec<NamedEmployee>>,
}

/// A department with its members.
#[derive(Debug, Clone)]
pub struct DepartmentDetails {
    /// the record
    pub department: Department,
    /// employees, sorted by id
    pub employees: Vec<Uuid>,
    /// contractors, sorted by id
    pub contractors: Vec<Uuid>,
}

/// Returns the company's departments, oldest first.
pub fn list_departments(tx: &mut Tx<'_>, caller: &Caller) -> Result<Vec<DepartmentDetails>, Error> {
    let members = rows::list_members(tx, caller.company)?;
    let contractors = contractors::rows::department_contractors(tx, caller.company)?;
    let details = |department: Department| {
        let own = members.iter().filter(|member| member.department == department.id);
        let hired = contractors.iter().filter(|(_, of)| *of == department.id);
        DepartmentDetails {
            employees: own.map(|member| member.employee).collect(),
            contractors: hired.map(|(contractor, _)| *contractor).collect(),
            department,
        }
    };
    Ok(rows::of_company(tx, caller.company)?.into_iter().map(details).collect())
}

/// Returns a department.
///
/// # Errors
/// "Not found"; a store error.
pub fn get_department(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<DepartmentDetails, Error> {
    let department = Department::find(tx, caller.company, id)?.ok_or(Error::NotFound)?;
    let members = rows::members_of(tx, caller.company, id)?;
    let contractors = contractors::rows::members_of(tx, caller.company, id)?;
    let employees = members.into_iter().map(|one| one.employee).collect();
    Ok(DepartmentDetails { department, employees, contractors })
}

/// Creates a department.
///
/// # Errors
/// Every violation of the input; a store error.
pub fn create_department(
    tx: &mut Tx<'_>,
    caller: &Caller,
    input: &CreateDepartment,
) -> Result<DepartmentDetails, Error> {
    tx.take_guard(caller.company, TABLE, caller.company)?;
    let mut checks = Checks::new();
    let title = input.title.required("title", &mut checks, check_title);
    checks.finish()?;
    let Some(title) = title else { unreachable!("a department without a title is refused") };
    room_for("departments of a company", rows::of_company(tx, caller.company)?.len(), MOST)?;
    let new = Department { id: tx.new_id(), title, version: 1 };
    new.insert(tx, caller.company)?;
    audit::record_audit_entry(tx, caller, "created", (TABLE, new.id), &json!({}))?;
    get_department(tx, caller, new.id)
}

/// Renames a department.
///
/// # Errors
/// "Not found"; 409 for a stale version; every violation of the input; a store error.
pub fn update_department(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    input: &UpdateDepartment,
) -> Result<DepartmentDetails, Error> {
    let before = find_guarded(tx, caller, id)?;
    let mut after = before.clone();
    let mut checks = Checks::new();
    let version = patch::check_version(&input.version, &mut checks);
    if let Some(title) = input.title.required("title", &mut checks, check_title) {
        after.title = title;
    }
    checks.finish()?;
    let changes = Changes::from(Department::changes(&before, &after));
    changes.expect_version(&version.unwrap_or_default(), version_text(TABLE, id, before.version))?;
    if !changes.is_empty() {
        assert!(after.update(tx, caller.company)?, "the row was read under its guard");
        audit::record_audit_entry(tx, caller, "updated", (TABLE, id), &changes.to_json())?;
    }
    get_department(tx, caller, id)
}

/// Deletes a department without members.
///
/// # Errors
/// "Not found"; 422 if it has members; a store error.
pub fn delete_department(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<(), Error> {
    let old = find_guarded(tx, caller, id)?;
    let is_empty = rows::members_of(tx, caller.company, id)?.is_empty()
        && contractors::rows::members_of(tx, caller.company, id)?.is_empty();
    if !is_empty {
        let message = "The department has members; remove them first.";
        return Err(Error::from(Violation::invalid_operation(message)));
    }
    assert!(old.delete(tx, caller.company)?, "the row was read under its guard");
    audit::record_audit_entry(tx, caller, "deleted", (TABLE, id), &json!({}))?;
    hooks::department_deleted(tx, caller, id)
}

/// Adds people to a department, moving those who belong to another, or removes them, ignoring those who are not members.
///
/// # Errors
/// "Not found"; 409 for a stale version; every violation of the input; a store error.
pub fn change_members(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    input: &ChangeMembers,
    adds: bool,
) -> Result<DepartmentDetails, Error> {
    let before = find_guarded(tx, caller, id)?;
    let people = check_people(tx, caller, &before, input)?;
    for contractor in &people.contractors {
        let held = contractors::service::find_guarded(tx, caller, *contractor)?.department;
        let department = if adds { Some(id) } else { held.filter(|held| *held != id) };
        if held != department {
            let company = caller.company;
            let stored = contractors::rows::set_department(tx, company, *contractor, department)?;
            assert!(stored, "the row was read under its guard");
        }
    }
    for employee in &people.employees {
        match DepartmentMember::find(tx, caller.company, *employee)? {
            Some(held) if adds && held.department != id => {
                let moved = DepartmentMember { department: id, ..held };
                assert!(moved.update(tx, caller.company)?, "the row was read under its guard");
            }
            Some(held) if !adds && held.department == id => {
                assert!(held.delete(tx, caller.company)?, "the row was read under its guard");
            }
            None if adds => {
                DepartmentMember { employee: *employee, department: id, version: 1 }
                    .insert(tx, caller.company)?;
            }
            Some(_) | None => {}
        }
    }
    record_member_change(tx, caller, &before, if adds { "people_added" } else { "people_removed" }, &people)
}

/// Removes the membership of an employee who is being deleted.
pub fn delete_membership(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Result<(), Error> {
    if DepartmentMember::find(tx, caller.company, employee)?.is_none() {
        return Ok(());
    }
    tx.take_guard(caller.company, TABLE, caller.company)?;
    if let Some(held) = DepartmentMember::find(tx, caller.company, employee)? {
        assert!(held.delete(tx, caller.company)?, "the row was read under its guard");
    }
    Ok(())
}

fn find_guarded(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<Department, Error> {
    tx.take_guard(caller.company, TABLE, caller.company)?;
    Department::find(tx, caller.company, id)?.ok_or(Error::NotFound)
}

/// Who is added to a department, or removed.
struct People {
    employees: BTreeSet<Uuid>,
    contractors: BTreeSet<Uuid>,
}

/// Checks a request and returns its distinct people.
fn check_people(
    tx: &mut Tx<'_>,
    caller: &Caller,
    before: &Department,
    input: &ChangeMembers,
) -> Result<People, Error> {
    let mut checks = Checks::new();
    let version = patch::check_version(&input.version, &mut checks);
    let employees = employees::named::read_employee_ids(tx, caller, &input.employees, &mut checks)?;
    let company = caller.company;
    let kind = ("contractors", "a contractor");
    let contractors = employees::named::read_people_ids(&input.contractors, kind, &mut checks, |id| {
        Ok(contractors::Contractor::find(tx, company, id)?.is_some())
    })?;
    checks.finish()?;
    let current = version_text(TABLE, before.id, before.version);
    if version.is_some_and(|version| version != current) {
        let sent = [("employees", &input.employees), ("contractors", &input.contractors)].into_iter();
        let sent = sent.filter(|(_, people)| people.value().is_some());
        return Err(Error::Stale(Stale { current, differing: sent.map(|(field, _)| field).collect() }));
    }
    Ok(People { employees, contractors })
}

/// Increments the department's version and records who was added or removed. No-op if nobody was sent.
fn record_member_change(
    tx: &mut Tx<'_>,
    caller: &Caller,
    before: &Department,
    what: &'static str,
    people: &People,
) -> Result<DepartmentDetails, Error> {
    let People { employees, contractors } = people;
    if !employees.is_empty() || !contractors.is_empty() {
        assert!(before.update(tx, caller.company)?, "the row was read under its guard");
        let who = json!({ "employees": employees, "contractors": contractors });
        audit::record_audit_entry(tx, caller, what, (TABLE, before.id), &who)?;
    }
    if !employees.is_empty() {
        hooks::departments_changed(tx, caller, employees)?;
    }
    get_department(tx, caller, before.id)
}

#[expect(clippy::ptr_arg, reason = "has the shape of every other check")]
fn check_title(key: &str, text: &String) -> Result<String, Violation> {
    check::validate_text(key, text, TITLE)
}
