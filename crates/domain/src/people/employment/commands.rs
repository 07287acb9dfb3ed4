//! Inputs of the use cases of employment. Fields are as in [`Termination`](super::Termination).

use crate::patch::Patch;
use jiff::civil::Date;
use rules::final_pay::Separation;

/// Ends an employment.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "fields are those of the record")]
pub struct CreateTermination {
    pub effective_date: Patch<Date>,
    pub run_termination_payroll: Patch<bool>,
    pub separation: Patch<Separation>,
    pub new_employer: Patch<String>,
}

/// Updates a termination that has not taken effect.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "fields are those of the record")]
pub struct UpdateTermination {
    pub version: Patch<String>,
    pub effective_date: Patch<Date>,
    pub run_termination_payroll: Patch<bool>,
    pub separation: Patch<Separation>,
    pub new_employer: Patch<String>,
}

/// Plans the rehire of an employee.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "fields are those of the record")]
pub struct CreateRehire {
    pub effective_date: Patch<Date>,
    pub file_new_hire_report: Patch<bool>,
    pub work_location_uuid: Patch<String>,
    pub employment_status: Patch<String>,
    pub two_percent_shareholder: Patch<bool>,
}

/// Updates a rehire that has not taken effect.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "fields are those of the record")]
pub struct UpdateRehire {
    pub version: Patch<String>,
    pub effective_date: Patch<Date>,
    pub file_new_hire_report: Patch<bool>,
    pub work_location_uuid: Patch<String>,
    pub employment_status: Patch<String>,
    pub two_percent_shareholder: Patch<bool>,
}

impl UpdateRehire {
    /// Returns the same fields as the input of a new rehire.
    pub fn create_command(&self) -> CreateRehire {
        CreateRehire {
            effective_date: self.effective_date.clone(),
            file_new_hire_report: self.file_new_hire_report.clone(),
            work_location_uuid: self.work_location_uuid.clone(),
            employment_status: self.employment_status.clone(),
            two_percent_shareholder: self.two_percent_shareholder.clone(),
        }
    }
}
