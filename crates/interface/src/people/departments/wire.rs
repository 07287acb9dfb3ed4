//! Departments on the wire.

use domain::access::tokens::Caller;
use domain::people::departments::service;
use domain::people::departments::service::{DepartmentDetails, TABLE};
use domain::people::employees::named::Person;
use domain::records::version_text;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::field::{Field, List};
use crate::input;
use crate::values::{IdText, VersionText};

/// A department.
#[derive(Debug, Serialize, ToSchema)]
pub struct Department {
    /// identifier
    pub uuid: Uuid,
    /// the company
    pub company_uuid: Uuid,
    /// its name
    pub title: String,
    /// concurrency token, to be sent with an update; changes also when employees are added or removed
    pub version: String,
    /// its employees
    pub employees: Vec<DepartmentMember>,
    /// always empty
    #[schema(value_type = Vec<Object>)]
    pub contractors: [(); 0],
}

/// An employee of a department.
#[derive(Debug, Serialize, ToSchema)]
pub struct DepartmentMember {
    /// the employee
    pub uuid: Uuid,
}

impl Department {
    /// The response for `caller`.
    pub fn new(caller: &Caller, DepartmentDetails { department, employees }: DepartmentDetails) -> Self {
        Self {
            uuid: department.id,
            company_uuid: caller.company,
            version: version_text(TABLE, department.id, department.version),
            title: department.title,
            employees: employees.into_iter().map(|uuid| DepartmentMember { uuid }).collect(),
            contractors: [],
        }
    }
}

input! {
    /// A new department.
    CreateDepartment => service::CreateDepartment {
        /// its name, at most 100 characters
        #[schema(required)]
        title: String,
    }

    /// The new name of a department.
    UpdateDepartment => service::UpdateDepartment {
        /// the version as last read
        #[schema(required)]
        version: VersionText,
        /// its name, at most 100 characters
        #[schema(required)]
        title: String,
    }

    /// People to add to a department, or to remove.
    ChangeDepartmentMembers => service::ChangeMembers {
        /// the version of the department as last read
        #[schema(required)]
        version: VersionText,
        /// at most 1,000 employees of the company
        employees: List<PersonOfDepartment>,
        /// must be empty: contractors are not paid by this service
        contractors: List<PersonOfDepartment>,
    }

    /// A person.
    PersonOfDepartment => Person {
        /// identifier
        #[schema(required)]
        uuid: IdText,
    }
}
