//! Operations on employees, and their shapes.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::field::Field;
use crate::pay::compensations::shapes::Job;
use crate::people::addresses::shapes::HomeAddress;

/// An employee of the company.
#[derive(Debug, Serialize, ToSchema)]
pub struct Employee {
    /// identifier
    pub uuid: Uuid,
    /// first name
    pub first_name: String,
    /// one letter
    pub middle_initial: Option<String>,
    /// last name
    pub last_name: String,
    /// name that the person goes by
    pub preferred_first_name: Option<String>,
    /// personal e-mail address
    pub email: Option<String>,
    /// e-mail address at work
    pub work_email: Option<String>,
    /// ten digits
    pub phone: Option<String>,
    /// the employer
    pub company_uuid: Uuid,
    /// name of the employer; with include=company_name
    #[serde(skip_serializing_if = "Option::is_none")]
    pub company_name: Option<String>,
    /// always null
    pub manager_uuid: Option<Uuid>,
    /// concurrency token, to be sent with an update
    pub version: String,
    /// always null
    pub department: Option<String>,
    /// always null
    pub department_uuid: Option<Uuid>,
    /// short code given by the service
    pub employee_code: String,
    /// always null: nobody has said it
    pub current_employment_status: Option<&'static str>,
    /// where onboarding stands
    pub onboarding_status: &'static str,
    /// whether onboarding is finished
    pub onboarded: bool,
    /// which documents are asked for
    pub onboarding_documents_config: DocumentsConfig,
    /// whether the employment has ended
    pub terminated: bool,
    /// whether the employee was carried over from before the service
    pub historical: bool,
    /// whether the employee owns more than 2 % of an S corporation; null without a job
    pub two_percent_shareholder: Option<bool>,
    /// whether an SSN is held
    pub has_ssn: bool,
    /// always empty: the SSN never leaves the service
    pub ssn: &'static str,
    /// YYYY-MM-DD
    pub date_of_birth: Option<String>,
    /// `Direct Deposit` or `Check`
    pub payment_method: String,
    /// title of the primary job; left out while there is none
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// hire date of the primary job; left out while there is none
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hired_at: Option<String>,
    /// overtime status of the primary job; left out while there is none, or without compensations:read
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flsa_status: Option<&'static str>,
    /// jobs, the primary one first
    pub jobs: Vec<Job>,
    /// always empty
    #[schema(value_type = Vec<Object>)]
    pub eligible_paid_time_off: [(); 0],
    /// always empty
    #[schema(value_type = Vec<Object>)]
    pub terminations: [(); 0],
    /// always empty here; see the employee's garnishments
    #[schema(value_type = Vec<Object>)]
    pub garnishments: [(); 0],
    /// with include=current_home_address
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_home_address: Option<HomeAddress>,
    /// with include=all_home_addresses
    #[serde(skip_serializing_if = "Option::is_none")]
    pub all_home_addresses: Option<Vec<HomeAddress>>,
    /// with include=custom_fields; always empty
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<Object>>)]
    pub custom_fields: Option<[(); 0]>,
    /// with include=portal_invitations; always false
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partner_portal_invitation_sent: Option<bool>,
}

/// Which documents an employee is asked for.
#[derive(Debug, Serialize, ToSchema)]
pub struct DocumentsConfig {
    /// null while no document is asked for
    pub uuid: Option<Uuid>,
    /// whether Form I-9 is asked for
    pub i9_document: bool,
}

/// A new employee.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(default)]
#[derive(Default)]
pub struct CreateEmployee {
    /// first name, at most 100 letters, spaces, hyphens, apostrophes and dots
    #[schema(required)]
    pub first_name: Field<String>,
    /// one letter
    pub middle_initial: Field<String>,
    /// last name, as the first
    #[schema(required)]
    pub last_name: Field<String>,
    /// personal e-mail address; needed for self-onboarding from version 2026-02-01 on
    pub email: Field<String>,
    /// e-mail address at work
    pub work_email: Field<String>,
    /// YYYY-MM-DD
    pub date_of_birth: Field<String>,
    /// nine digits
    pub ssn: Field<String>,
    /// name that the person goes by
    pub preferred_first_name: Field<String>,
    /// true: the employee enters personal data on hosted pages
    pub self_onboarding: Field<bool>,
}

/// What an update changes; what is left out stays.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct UpdateEmployee {
    /// the version as last read
    #[schema(required)]
    pub version: Field<String>,
    /// first name
    pub first_name: Field<String>,
    /// one letter; null clears it
    pub middle_initial: Field<String>,
    /// last name
    pub last_name: Field<String>,
    /// personal e-mail address; null clears it
    pub email: Field<String>,
    /// e-mail address at work; null clears it
    pub work_email: Field<String>,
    /// YYYY-MM-DD; null clears it
    pub date_of_birth: Field<String>,
    /// nine digits; empty or null leaves it
    pub ssn: Field<String>,
    /// name that the person goes by; null clears it
    pub preferred_first_name: Field<String>,
    /// whether the employee owns more than 2 % of an S corporation; kept with the primary job
    pub two_percent_shareholder: Field<bool>,
}
