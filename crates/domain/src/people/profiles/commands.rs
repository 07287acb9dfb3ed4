//! Inputs of the use cases of profiles. Fields are as in [`Employee`](crate::people::employees::Employee).

use crate::patch::Patch;

/// Creates an employee.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "fields are those of the record")]
pub struct CreateEmployee {
    pub first_name: Patch<String>,
    pub middle_initial: Patch<String>,
    pub last_name: Patch<String>,
    pub email: Patch<String>,
    pub work_email: Patch<String>,
    pub date_of_birth: Patch<String>,
    pub ssn: Patch<String>,
    pub preferred_first_name: Patch<String>,
    /// true: the employee enters personal data on hosted pages
    pub self_onboarding: Patch<bool>,
}

/// Updates the fields that are given and keeps the rest.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "fields are those of the record")]
pub struct UpdateEmployee {
    pub version: Patch<String>,
    pub first_name: Patch<String>,
    pub middle_initial: Patch<String>,
    pub last_name: Patch<String>,
    pub email: Patch<String>,
    pub work_email: Patch<String>,
    pub date_of_birth: Patch<String>,
    pub ssn: Patch<String>,
    pub preferred_first_name: Patch<String>,
    /// whether the employee owns more than 2 % of an S corporation; kept with the primary job
    pub two_percent_shareholder: Patch<bool>,
}

/// What is read in addition to an employee, jobs and pay.
#[derive(Debug, Default, Clone, Copy)]
pub struct Include {
    /// the home addresses
    pub home_addresses: bool,
    /// the name of the company
    pub company_name: bool,
}
