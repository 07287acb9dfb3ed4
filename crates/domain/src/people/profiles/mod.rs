//! Employees with their jobs, pay and addresses: how they are listed, read, created and updated.

use jiff::civil::Date;

use crate::pay::compensations::rows::Pay;
use crate::pay::time_off::enrolled::Enrolled;
use crate::people::addresses::Dated;
use crate::people::addresses::rows::HomeAddress;
use crate::people::departments::rows::Department;
use crate::people::employment::Employment;
use crate::withholding::garnishments::service::GarnishmentDetails;

pub mod commands;
pub mod membership;
pub mod rows;
pub mod service;
pub mod shown;

pub use shown::ShownEmployee;

/// An employee with its records.
pub struct Profile {
    /// the record
    pub employee: ShownEmployee,
    /// the date of birth, unsealed
    pub birth_date: Option<Date>,
    /// jobs and compensations
    pub pay: Pay,
    /// terminations and rehires
    pub employment: Employment,
    /// active time off policies, with their balances
    pub time_off: Vec<Enrolled>,
    /// in the order of creation; empty for callers that may not read them
    pub garnishments: Vec<GarnishmentDetails>,
    /// the employee's department
    pub department: Option<Department>,
    /// the day as of which the current compensation is determined
    pub today: Date,
    /// in the order of creation; empty unless included
    pub home_addresses: Vec<Dated<HomeAddress>>,
    /// name of the employer; `None` unless included
    pub company_name: Option<String>,
}

store::hidden!(Profile);
