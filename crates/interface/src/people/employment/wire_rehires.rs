//! Rehires on the wire.

use domain::people::employment::rehires::{Returning, TABLE};
use domain::people::employment::{commands, service};
use domain::records::version_text;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::field::Field;
use crate::input;
use crate::values::{AskedAgain, DateText, IdText, LineText, Separation, VersionText};

/// The rehire of a former employee.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Rehire {
    /// concurrency token, to be sent with an update
    pub version: String,
    /// first day back at work, YYYY-MM-DD
    #[schema(format = Date)]
    pub effective_date: String,
    /// whether the new hire is reported to the state
    pub file_new_hire_report: bool,
    /// one of the company's locations
    pub work_location_uuid: Uuid,
    /// part_time, full_time, part_time_eligible, variable, seasonal or not_set; omitted if unknown
    #[serde(skip_serializing_if = "Option::is_none")]
    pub employment_status: Option<String>,
    /// whether the employee owns more than 2 % of an S corporation; omitted if unknown
    #[serde(skip_serializing_if = "Option::is_none")]
    pub two_percent_shareholder: Option<bool>,
    /// the employee
    pub employee_uuid: Uuid,
    /// whether it has taken effect
    pub active: bool,
    /// what must be renewed: the new-hire report after 60 days away, Form I-9 three years after the hire, and a review
    /// of Form W-4; pay and the state's certificate if they were never entered (an extension)
    pub steps_to_answer_again: Vec<AskedAgain>,
}

impl From<Returning> for Rehire {
    fn from(Returning { rehire, active, again }: Returning) -> Self {
        Self {
            version: version_text(TABLE, rehire.id, rehire.version),
            effective_date: rehire.effective_date.to_string(),
            file_new_hire_report: rehire.file_new_hire_report,
            work_location_uuid: rehire.work_location,
            employment_status: rehire.employment_status,
            two_percent_shareholder: rehire.two_percent_shareholder,
            employee_uuid: rehire.employee,
            active,
            steps_to_answer_again: again.into_iter().map(AskedAgain::from).collect(),
        }
    }
}

/// A period of employment.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Employment {
    /// first day, YYYY-MM-DD
    #[schema(format = Date)]
    pub hire_date: String,
    /// last day of work, YYYY-MM-DD; null while employed
    #[schema(format = Date)]
    pub termination_date: Option<String>,
    /// how the employment ended, as a claim for unemployment benefits asks; null while employed, and if unknown (an
    /// extension)
    pub separation: Option<Separation>,
    /// whether the new hire is reported to the state; omitted for the first employment
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_new_hire_report: Option<bool>,
    /// whether the employee owns more than 2 % of an S corporation
    pub two_percent_shareholder: bool,
    /// part_time, full_time, part_time_eligible or variable; omitted if unknown, and for other values
    #[serde(skip_serializing_if = "Option::is_none")]
    pub employment_status: Option<String>,
}

impl From<service::EmploymentSpan> for Employment {
    fn from(span: service::EmploymentSpan) -> Self {
        // Existing clients reject `seasonal` and `not_set` here.
        let told = ["part_time", "full_time", "part_time_eligible", "variable"];
        let status = span.rehire.as_ref().and_then(|rehire| rehire.employment_status.clone());
        Self {
            hire_date: span.first.to_string(),
            separation: span.separation.map(Separation::from),
            termination_date: span.last.map(|day| day.to_string()),
            file_new_hire_report: span.rehire.map(|rehire| rehire.file_new_hire_report),
            two_percent_shareholder: span.two_percent_shareholder,
            employment_status: status.filter(|status| told.contains(&status.as_str())),
        }
    }
}

input! {
    /// A rehire.
    CreateRehire => commands::CreateRehire {
        /// first day back at work, YYYY-MM-DD, after the last day of work
        #[schema(required)]
        effective_date: DateText,
        /// whether the new hire is to be reported to the state
        #[schema(required)]
        file_new_hire_report: bool,
        /// one of the company's locations
        #[schema(required)]
        work_location_uuid: IdText,
        /// part_time, full_time, part_time_eligible, variable, seasonal or not_set; other values are stored as not_set
        #[schema(nullable)]
        employment_status: LineText,
        /// whether the employee owns more than 2 % of an S corporation
        #[schema(nullable)]
        two_percent_shareholder: bool,
    }

    /// The new values of a rehire; all required fields of a new one are required again.
    UpdateRehire => commands::UpdateRehire {
        /// the version as last read
        #[schema(required)]
        version: VersionText,
        /// first day back at work, YYYY-MM-DD
        #[schema(required)]
        effective_date: DateText,
        /// whether the new hire is to be reported to the state
        #[schema(required)]
        file_new_hire_report: bool,
        /// one of the company's locations
        #[schema(required)]
        work_location_uuid: IdText,
        /// as for a new one; null clears it
        #[schema(nullable)]
        employment_status: LineText,
        /// as for a new one; null clears it
        #[schema(nullable)]
        two_percent_shareholder: bool,
    }
}
