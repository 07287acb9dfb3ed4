//! Rows of departments and their members.

use std::collections::HashMap;

use store::{Tx, params};
use uuid::Uuid;

use crate::error::Error;
use crate::records::IdRange;

store::record! {
    /// A department.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Department in "departments" {
        key {
            /// identifier
            pub id: Uuid,
        }
        fields {
            /// title
            pub title: String,
        }
        times { created_at, updated_at }
        version
    }
}

store::record! {
    /// Membership of an employee in a department.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct DepartmentMember in "department_members" {
        key {
            /// the employee
            pub employee: Uuid = "employee_id",
        }
        fields {
            /// the department
            pub department: Uuid = "department_id",
        }
        times { created_at, updated_at }
        version
    }
}

store::statements! {
    records Department, DepartmentMember;
    OF_COMPANY = store::text!(Department::SELECT, " ORDER BY id");
    MEMBERS = store::text!(DepartmentMember::SELECT, " ORDER BY employee_id");
    MEMBERS_OF = store::text!(DepartmentMember::SELECT, " AND department_id = $2 ORDER BY employee_id");
    BETWEEN = store::text!(DepartmentMember::SELECT, " AND employee_id BETWEEN $2 AND $3 ORDER BY employee_id");
}

/// Returns the departments of a company, oldest first.
pub fn of_company(tx: &mut Tx<'_>, company: Uuid) -> Result<Vec<Department>, Error> {
    Ok(tx.try_query(OF_COMPANY, params![company], Department::read)?)
}

/// Returns the members of all of a company's departments, sorted by employee.
pub fn list_members(tx: &mut Tx<'_>, company: Uuid) -> Result<Vec<DepartmentMember>, Error> {
    Ok(tx.try_query(MEMBERS, params![company], DepartmentMember::read)?)
}

/// Returns the members of a department, sorted by employee.
pub fn members_of(tx: &mut Tx<'_>, company: Uuid, department: Uuid) -> Result<Vec<DepartmentMember>, Error> {
    Ok(tx.try_query(MEMBERS_OF, params![company, department], DepartmentMember::read)?)
}

/// Returns the departments of an inclusive range of employees, keyed by employee.
pub fn departments_of_employees(
    tx: &mut Tx<'_>,
    company: Uuid,
    IdRange { first, last }: IdRange,
) -> Result<HashMap<Uuid, Department>, Error> {
    let members = tx.try_query(BETWEEN, params![company, first, last], DepartmentMember::read)?;
    if members.is_empty() {
        return Ok(HashMap::new());
    }
    let departments: HashMap<Uuid, Department> =
        of_company(tx, company)?.into_iter().map(|one| (one.id, one)).collect();
    let named = |one: DepartmentMember| Some((one.employee, departments.get(&one.department)?.clone()));
    Ok(members.into_iter().filter_map(named).collect())
}

/// Announces the first query of [`departments_of_employees`] (see [`Tx::announce`]).
pub fn announce_between(
    tx: &mut Tx<'_>,
    company: Uuid,
    IdRange { first, last }: IdRange,
) -> Result<(), Error> {
    Ok(tx.announce_query(BETWEEN, params![company, first, last])?)
}
