//! New-hire reports on the wire.

use domain::people::new_hires::{Employer, Report, files};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

/// A new-hire report of an employee.
#[derive(Serialize, ToSchema)]
pub struct NewHireReport {
    /// the employee
    pub employee_uuid: Uuid,
    #[serde(flatten)]
    content: NewHireReportContent,
}

store::hidden!(NewHireReport);

impl NewHireReport {
    /// The report of a hire.
    pub fn new(employer: &Employer, report: Report) -> Self {
        Self { employee_uuid: report.person.id, content: NewHireReportContent::new(employer, report) }
    }
}

/// The content of a new-hire report, without the Social Security number.
#[derive(Serialize, ToSchema)]
pub struct NewHireReportContent {
    /// first name
    pub first_name: String,
    /// one letter
    pub middle_initial: Option<String>,
    /// last name
    pub last_name: String,
    /// home address on the first day; null if unknown
    pub home_address: Option<ReportAddress>,
    /// first day of work, or first day back, YYYY-MM-DD; of a contractor the day from which on the report is due
    #[schema(format = Date)]
    pub hire_date: String,
    /// whether this is a rehire
    pub rehired: bool,
    /// two letters of the work state; null without a work address
    pub state: Option<String>,
    /// the deadline for the report, YYYY-MM-DD
    #[schema(format = Date)]
    pub due_on: String,
    /// days after the hire within which the state requires it
    pub days: i32,
    /// source of the deadline
    pub source: String,
    /// the directory that receives the report; null if its name is not known
    pub directory: Option<String>,
    /// website of the directory; null if not known
    pub website: Option<String>,
    /// the company
    pub employer: ReportEmployer,
    /// the file for a state's directory that contains the report; null if there is none
    pub filing: Option<NewHireFiling>,
    /// missing data that the report requires: ssn, home_address, work_address, ein or filing_address
    pub missing: Vec<&'static str>,
}

store::hidden!(NewHireReportContent);

/// The file that contains a report.
#[derive(Debug, Serialize, ToSchema)]
pub struct NewHireFiling {
    /// two letters of the state whose directory the file is for
    pub directory: String,
    /// when it was written, YYYY-MM-DD
    #[schema(format = Date)]
    pub written_on: String,
    /// when the file was filed, YYYY-MM-DD; null until recorded
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

/// An address in a report.
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

/// The employer in a report.
#[derive(Serialize, ToSchema)]
pub struct ReportEmployer {
    /// legal name
    pub name: String,
    /// nine digits; null if not on file
    pub ein: Option<String>,
    /// the company's filing address; null if there is none
    pub address: Option<ReportAddress>,
}

impl NewHireReportContent {
    /// The content of a report.
    pub fn new(employer: &Employer, report: Report) -> Self {
        let missing = report.missing_data(employer);
        let Report { person, home, hired, rehired, state, rule, filing } = report;
        Self {
            first_name: person.first_name,
            middle_initial: person.middle_initial,
            last_name: person.last_name,
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
