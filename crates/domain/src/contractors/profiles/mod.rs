//! Contractors with what belongs to them, as they are listed, read and updated.

use jiff::civil::Date;

use super::addresses::ContractorAddress;
use super::records::Contractor;
use crate::people::departments::rows::Department;

pub mod rows;
pub mod service;

/// A contractor with address and department.
#[derive(Debug, Clone)]
pub struct Profile {
    /// the record
    pub contractor: Contractor,
    /// `None` until it is entered
    pub address: Option<ContractorAddress>,
    /// the department
    pub department: Option<Department>,
    /// the day that the response is for
    pub today: Date,
    /// whether a planned or recent dismissal can be cancelled
    pub dismissal_cancelable: bool,
    /// whether a planned or recent rehire can be cancelled
    pub rehire_cancelable: bool,
    /// the name of the company, if it was asked for
    pub company_name: Option<String>,
}
