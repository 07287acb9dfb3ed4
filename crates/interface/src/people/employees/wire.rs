//! Employees on the wire.

use domain::access::tokens::Caller;
use domain::people::employees::service;
use domain::people::employment::service::Standing;
use domain::people::forms;
use domain::people::profiles::{Profile, commands};
use domain::records::version_text;
use rules::Named;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::field::Field;
use crate::input;
use crate::pay::compensations::wire::Job;
use crate::pay::time_off::wire::EligiblePaidTimeOff;
use crate::people::addresses::wire::HomeAddress;
use crate::people::employment::wire::Termination;
use crate::values::{
    DateText, EmailText, InitialText, Onboarding, OptionalLineText, PersonName, PhoneText, SsnText,
    VersionText, text_or_empty,
};
use crate::withholding::garnishments::wire::Garnishment;

/// An employee of the company.
#[derive(Serialize, ToSchema)]
pub struct Employee {
    /// identifier
    pub uuid: Uuid,
    /// first name
    pub first_name: String,
    /// one letter
    pub middle_initial: Option<String>,
    /// last name
    pub last_name: String,
    /// preferred first name
    pub preferred_first_name: Option<String>,
    /// personal e-mail address; if there is none, null, and an empty string before version 2025-11-15
    pub email: Option<String>,
    /// e-mail address at work; if there is none, null, and an empty string before version 2025-11-15
    pub work_email: Option<String>,
    /// ten digits
    pub phone: Option<String>,
    /// the company
    pub company_uuid: Uuid,
    /// name of the company; with include=company_name
    #[serde(skip_serializing_if = "Option::is_none")]
    pub company_name: Option<String>,
    /// always null
    pub manager_uuid: Option<Uuid>,
    /// concurrency token, to be sent with an update
    pub version: String,
    /// title of the employee's department; null if there is none
    pub department: Option<String>,
    /// the employee's department; null if there is none
    pub department_uuid: Option<Uuid>,
    /// short code assigned by the service
    pub employee_code: String,
    /// employment status of somebody who works: full_time, part_time_under_twenty_hours, part_time_twenty_plus_hours,
    /// variable or seasonal according to the last rehire that says so, and full_time otherwise; null before the first day of
    /// work and after the last one
    pub current_employment_status: Option<&'static str>,
    /// onboarding status
    pub onboarding_status: Onboarding,
    /// whether onboarding is finished
    pub onboarded: bool,
    /// which documents are required
    pub onboarding_documents_config: DocumentsConfig,
    /// whether the employment has ended: from the day after the last day of work
    pub terminated: bool,
    /// whether the employee left before the company moved to the service
    pub historical: bool,
    /// whether the employee owns more than 2 % of an S corporation; null without a job
    pub two_percent_shareholder: Option<bool>,
    /// whether an SSN is on file
    pub has_ssn: bool,
    /// always empty: the SSN never leaves the service
    pub ssn: &'static str,
    /// YYYY-MM-DD
    #[schema(format = Date)]
    pub date_of_birth: Option<String>,
    /// `Direct Deposit` or `Check`
    pub payment_method: String,
    /// title of the primary job; omitted if there is none
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// hire date of the primary job; omitted if there is none
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hired_at: Option<String>,
    /// FLSA status of the primary job; omitted if there is none, or without compensations:read
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flsa_status: Option<&'static str>,
    /// jobs, the primary one first
    pub jobs: Vec<Job>,
    /// the employee's time off policies, with balances
    pub eligible_paid_time_off: Vec<EligiblePaidTimeOff>,
    /// the termination of the current employment, if any
    pub terminations: Vec<Termination>,
    /// garnishments in the order of creation, including inactive ones; empty without garnishments:read
    pub garnishments: Vec<Garnishment>,
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

store::hidden!(Employee);

/// What the query parameter `include` adds to an employee.
#[derive(Debug, Default, Clone, Copy)]
pub struct Include {
    /// every compensation of a job, not only the current one
    pub all_compensations: bool,
    /// every home address
    pub all_home_addresses: bool,
    /// the home address in effect
    pub current_home_address: bool,
    /// the name of the company
    pub company_name: bool,
    /// the (always empty) list of custom fields
    pub custom_fields: bool,
    /// whether a portal invitation was sent (always false)
    pub portal_invitations: bool,
}

impl From<Include> for commands::Include {
    fn from(include: Include) -> Self {
        Self {
            home_addresses: include.all_home_addresses || include.current_home_address,
            company_name: include.company_name,
        }
    }
}

impl Employee {
    /// The response for `caller`.
    pub fn new(caller: &Caller, details: Profile, include: Include) -> Self {
        let Profile {
            employee,
            birth_date,
            pay,
            employment,
            time_off,
            garnishments,
            department,
            today,
            home_addresses,
            company_name,
        } = details;
        let termination = employment.current_termination(today).cloned();
        let job = |job| Job::new(caller, job, &pay, today, include.all_compensations);
        let jobs: Vec<Job> = pay.jobs.iter().map(job).collect();
        let primary = pay.jobs.iter().find(|job| job.is_primary);
        let current = primary.and_then(|job| pay.compensation_on(job.id, today));
        let flsa = current.filter(|_| caller.scopes.contains("compensations:read"));
        let works = primary.is_some_and(|job| job.hire_date <= today) && !employment.is_terminated(today);
        let documents = forms::service::documents_config(caller.company, employee.id, employee.i9_document);
        let homes: Vec<_> =
            home_addresses.into_iter().map(|one| HomeAddress::new(caller.version, one)).collect();
        let current_home = homes.iter().find(|home| home.active && include.current_home_address).cloned();
        Self {
            uuid: employee.id,
            company_uuid: caller.company,
            version: version_text(service::TABLE, employee.id, employee.version),
            onboarded: employee.onboarded,
            onboarding_status: employee.status.into(),
            onboarding_documents_config: documents.into(),
            has_ssn: employee.has_ssn,
            date_of_birth: birth_date.map(|day| day.to_string()),
            title: primary.and_then(|job| job.title.clone()),
            hired_at: primary.map(|job| job.hire_date.to_string()),
            two_percent_shareholder: primary.map(|job| job.two_percent_shareholder),
            flsa_status: flsa.map(|pay| pay.pay_terms().flsa.as_str()),
            jobs,
            first_name: employee.first_name,
            middle_initial: employee.middle_initial,
            last_name: employee.last_name,
            preferred_first_name: employee.preferred_first_name,
            email: text_or_empty(caller.version, employee.email),
            work_email: text_or_empty(caller.version, employee.work_email),
            phone: employee.phone,
            employee_code: employee.employee_code,
            payment_method: employee.payment_method,
            manager_uuid: None,
            department_uuid: department.as_ref().map(|one| one.id),
            department: department.map(|one| one.title),
            current_employment_status: works.then(|| employment.working_time(today).unwrap_or("full_time")),
            terminated: employment.is_terminated(today),
            historical: employee.historical,
            ssn: "",
            eligible_paid_time_off: time_off.into_iter().map(EligiblePaidTimeOff::from).collect(),
            terminations: termination
                .map(|one| Termination::from(Standing::as_of_day(one, today)))
                .into_iter()
                .collect(),
            garnishments: garnishments.into_iter().map(Garnishment::from).collect(),
            company_name,
            current_home_address: current_home,
            all_home_addresses: include.all_home_addresses.then_some(homes),
            custom_fields: include.custom_fields.then_some([]),
            partner_portal_invitation_sent: include.portal_invitations.then_some(false),
        }
    }
}

/// The documents required of an employee.
#[derive(Debug, Serialize, ToSchema)]
pub struct DocumentsConfig {
    /// null while no document is required
    pub uuid: Option<Uuid>,
    /// whether Form I-9 is required
    pub i9_document: bool,
}

impl From<forms::service::DocumentsConfig> for DocumentsConfig {
    fn from(config: forms::service::DocumentsConfig) -> Self {
        Self { uuid: config.uuid, i9_document: config.i9_document }
    }
}

input! {
    /// A new employee.
    CreateEmployee => commands::CreateEmployee {
        /// first name, at most 100 letters, digits, spaces, hyphens, apostrophes and dots
        #[schema(required)]
        first_name: PersonName,
        /// one letter
        #[schema(nullable)]
        middle_initial: InitialText,
        /// last name, as the first
        #[schema(required)]
        last_name: PersonName,
        /// personal e-mail address; required for self-onboarding from version 2026-02-01
        #[schema(nullable)]
        email: EmailText,
        /// e-mail address at work
        #[schema(nullable)]
        work_email: EmailText,
        /// telephone number: ten digits, with or without punctuation and the country code 1
        #[schema(nullable)]
        phone: PhoneText,
        /// YYYY-MM-DD
        #[schema(nullable)]
        date_of_birth: DateText,
        /// nine digits
        #[schema(nullable)]
        ssn: SsnText,
        /// preferred first name
        #[schema(nullable)]
        preferred_first_name: OptionalLineText,
        /// true: the employee enters personal data on hosted pages
        #[schema(nullable)]
        self_onboarding: bool,
    }

    /// What an update changes; omitted fields keep their values.
    UpdateEmployee => commands::UpdateEmployee {
        /// the version as last read
        #[schema(required)]
        version: VersionText,
        /// first name
        first_name: PersonName,
        /// one letter; null clears it
        #[schema(nullable)]
        middle_initial: InitialText,
        /// last name
        last_name: PersonName,
        /// personal e-mail address; null clears it
        #[schema(nullable)]
        email: EmailText,
        /// e-mail address at work; null clears it
        #[schema(nullable)]
        work_email: EmailText,
        /// telephone number, ten digits; null clears it
        #[schema(nullable)]
        phone: PhoneText,
        /// YYYY-MM-DD; null clears it
        #[schema(nullable)]
        date_of_birth: DateText,
        /// nine digits; empty or null leaves it unchanged
        #[schema(nullable)]
        ssn: SsnText,
        /// preferred first name; null clears it
        #[schema(nullable)]
        preferred_first_name: OptionalLineText,
        /// whether the employee owns more than 2 % of an S corporation; stored with the primary job
        #[schema(nullable)]
        two_percent_shareholder: bool,
    }
}
