//! Reports of new hires on the wire.

use domain::people::new_hires::{Employer, Report, files};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

/// What is reported of a new hire, but for the Social Security number.
#[derive(Serialize, ToSchema)]
pub struct NewHireReport {
    /// who was hired
    pub employee_uuid: Uuid,
    /// first name
    pub first_name: String,
    /// one letter
    pub middle_initial: Option<String>,
    /// last name
    pub last_name: String,
    /// where the employee lives on the first day; null where not held
    pub home_address: Option<ReportAddress>,
    /// first day of work, or first day back, YYYY-MM-DD
    #[schema(format = Date)]
    pub hire_date: String,
    /// whether the employee came back
    pub rehired: bool,
    /// two letters of the state of work; null without a place of work
    pub state: Option<String>,
    /// the last day for the report, YYYY-MM-DD
    #[schema(format = Date)]
    pub due_on: String,
    /// days after the hire that the state leaves
    pub days: i32,
    /// where the days are from
    pub source: String,
    /// the directory that takes the report; null where its name is not held
    pub directory: Option<String>,
    /// the site of the directory; null where not held
    pub website: Option<String>,
    /// the employer
    pub employer: ReportEmployer,
    /// that it was written into a file for a state's directory; null where it was not
    pub filing: Option<NewHireFiling>,
    /// what the report needs and is not held: ssn, home_address, work_address, ein or filing_address
    pub missing: Vec<&'static str>,
}

store::hidden!(NewHireReport);

/// That a report was written into a file.
#[derive(Debug, Serialize, ToSchema)]
pub struct NewHireFiling {
    /// two letters of the state whose directory the file is for
    pub directory: String,
    /// when it was written, YYYY-MM-DD
    #[schema(format = Date)]
    pub written_on: String,
    /// when the file was filed, YYYY-MM-DD; null until somebody has said so
    #[schema(format = Date)]
    pub filed_on: Option<String>,
}

impl From<files::NewHireFiling> for NewHireFiling {
    fn from(of: files::NewHireFiling) -> Self {
        Self {
            directory: of.directory,
            written_on: of.written_on.to_string(),
            filed_on: of.filed_on.map(|day| day.to_string()),
        }
    }
}

/// An address of a report.
#[derive(Serialize, ToSchema)]
pub struct ReportAddress {
    /// house number and street
    pub street_1: String,
    /// second address line
    pub street_2: Option<String>,
    /// city
    pub city: String,
    /// two letters
    pub state: String,
    /// ZIP code
    pub zip: String,
}

/// The employer of a report.
#[derive(Serialize, ToSchema)]
pub struct ReportEmployer {
    /// legal name
    pub name: String,
    /// nine digits; null where not held
    pub ein: Option<String>,
    /// the address that the company files from; null where there is none
    pub address: Option<ReportAddress>,
}

impl NewHireReport {
    /// The report of a hire.
    pub fn new(employer: &Employer, report: Report) -> Self {
        let missing = report.missing(employer);
        let Report { employee, home, hired, rehired, state, rule, filing } = report;
        Self {
            employee_uuid: employee.id,
            first_name: employee.first_name,
            middle_initial: employee.middle_initial,
            last_name: employee.last_name,
            home_address: home.map(|home| ReportAddress {
                street_1: home.street_1,
                street_2: home.street_2,
                city: home.city,
                state: home.state,
                zip: home.zip,
            }),
            hire_date: hired.to_string(),
            rehired,
            state,
            due_on: rule.due_on(hired).to_string(),
            days: rule.days,
            source: rule.source.clone(),
            directory: rule.directory.clone(),
            website: rule.website.clone(),
            filing: filing.map(NewHireFiling::from),
            employer: ReportEmployer {
                name: employer.name.clone(),
                ein: employer.ein.clone(),
                address: employer.address.clone().map(|place| ReportAddress {
                    street_1: place.street_1,
                    street_2: place.street_2,
                    city: place.city,
                    state: place.state,
                    zip: place.zip,
                }),
            },
            missing,
        }
    }
}
