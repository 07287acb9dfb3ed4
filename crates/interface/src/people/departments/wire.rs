//! Departments on the wire.

use domain::access::tokens::Caller;
use domain::people::departments::service;
use domain::people::departments::service::{DepartmentDetails, TABLE};
use domain::people::employees::named::NamedEmployee;
use domain::records::version_text;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::field::{Field, List};
use crate::input;
use crate::values::{IdText, LineText, VersionText};

/// A department.
#[derive(Debug, Serialize, ToSchema)]
pub struct Department {
    /// identifier
    pub uuid: Uuid,
    /// the company
    pub company_uuid: Uuid,
    /// its name
    pub title: String,
    /// concurrency token, to be sent with an update; changes also when people are added or removed
    pub version: String,
    /// its employees
    pub employees: Vec<DepartmentMember>,
    /// its contractors
    pub contractors: Vec<DepartmentMember>,
}

/// A person of a department.
#[derive(Debug, Serialize, ToSchema)]
pub struct DepartmentMember {
    /// the employee, or the contractor
    pub uuid: Uuid,
}

impl Department {
    /// The response for `caller`.
    pub fn new(caller: &Caller, details: DepartmentDetails) -> Self {
        let DepartmentDetails { department, employees, contractors } = details;
        let members = |ids: Vec<Uuid>| ids.into_iter().map(|uuid| DepartmentMember { uuid }).collect();
        Self {
            uuid: department.id,
            company_uuid: caller.company,
            version: version_text(TABLE, department.id, department.version),
            title: department.title,
            employees: members(employees),
            contractors: members(contractors),
        }
    }
}

input! {
    /// A new department.
    CreateDepartment => service::CreateDepartment {
        /// its name, at most 100 characters
        #[schema(required)]
        title: LineText,
    }

    /// The new name of a department.
    UpdateDepartment => service::UpdateDepartment {
        /// the version as last read
        #[schema(required)]
        version: VersionText,
        /// its name, at most 100 characters
        #[schema(required)]
        title: LineText,
    }

    /// People to add to a department, or to remove.
    ChangeDepartmentMembers => service::ChangeMembers {
        /// the version of the department as last read
        #[schema(required)]
        version: VersionText,
        /// at most 1,000 employees of the company
        employees: List<PersonOfDepartment>,
        /// at most 1,000 contractors of the company
        contractors: List<PersonOfDepartment>,
    }

    /// A person.
    PersonOfDepartment => NamedEmployee {
        /// identifier
        #[schema(required)]
        uuid: IdText,
    }
}
