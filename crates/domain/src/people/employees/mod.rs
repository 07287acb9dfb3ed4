//! Employees: the person, without work and pay.
//!
//! `rows` holds the record (SSN and date of birth sealed), `commands` and `service` what can be done with it.

use jiff::civil::Date;
use uuid::Uuid;

use crate::pay::compensations::rows::Pay;
use crate::people::addresses::Dated;
use crate::people::addresses::rows::HomeAddress;

pub mod commands;
pub mod rows;
pub mod service;

pub use rows::Employee;

/// An employee with the records that belong to it.
#[derive(Debug)]
pub struct EmployeeDetails {
    /// the record
    pub employee: Employee,
    /// the date of birth, unsealed
    pub birth_date: Option<Date>,
    /// jobs and compensations
    pub pay: Pay,
    /// the day on which the current compensation is determined
    pub today: Date,
    /// in the order of creation; empty unless included
    pub home_addresses: Vec<Dated<HomeAddress>>,
    /// name of the employer; none unless included
    pub company_name: Option<String>,
}

/// Which documents an employee is asked for.
#[derive(Debug, Clone, Copy)]
pub struct DocumentsConfig {
    /// none while no document is asked for
    pub uuid: Option<Uuid>,
    /// whether Form I-9 is asked for
    pub i9_document: bool,
}
