//! The demo world of `stipend dev`, as printed for its developer: identifiers, tokens and passwords. Its JSON is part
//! of the command line's interface.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// The demo world as `--json` prints it, without the addresses of the running process.
#[derive(Clone, Serialize, Deserialize)]
pub struct World {
    /// the partner application
    pub application: Application,
    /// token for the application's own operations
    pub system_access_token: String,
    /// companies, the embedded one first
    pub companies: Vec<Company>,
    /// people who can sign in
    pub users: Vec<User>,
}

store::hidden!(World);

/// The partner application.
#[derive(Clone, Serialize, Deserialize)]
pub struct Application {
    /// OAuth client_id
    pub client_id: String,
    /// OAuth client_secret
    pub client_secret: String,
    /// sent as `Authorization: Token …`
    pub api_token: String,
    /// the only registered redirect URI
    pub redirect_uri: String,
}

store::hidden!(Application);

/// A company of the demo world.
#[derive(Clone, Serialize, Deserialize)]
pub struct Company {
    /// identifier
    pub uuid: Uuid,
    /// legal name
    pub name: String,
    /// `embedded`, or `standalone` if it is not connected yet
    pub kind: String,
    /// omitted for a company that is not connected
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access_token: Option<String>,
    /// omitted for a company that is not connected
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refresh_token: Option<String>,
    /// where people work
    pub locations: Vec<Location>,
    /// its employees
    pub employees: Vec<Employee>,
    /// its benefits
    pub company_benefits: Vec<Benefit>,
    /// its pay schedule, if there is one
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pay_schedule_uuid: Option<Uuid>,
    /// its next payroll, if there is one
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payroll_uuid: Option<Uuid>,
    /// its signatory
    pub signatory_email: String,
}

store::hidden!(Company);

/// A location of the demo world.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Location {
    /// identifier
    pub uuid: Uuid,
    /// two letters
    pub state: String,
    /// ZIP code
    pub zip: String,
}

/// An employee of the demo world.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Employee {
    /// identifier
    pub uuid: Uuid,
    /// first and last name
    pub name: String,
    /// the primary job
    pub job_uuid: Uuid,
    /// its current compensation
    pub compensation_uuid: Uuid,
    /// where onboarding stands
    pub onboarding_status: String,
}

/// A company benefit of the demo world.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Benefit {
    /// identifier
    pub uuid: Uuid,
    /// such as `401(k)`
    pub description: String,
}

/// A user who can sign in.
#[derive(Clone, Serialize, Deserialize)]
pub struct User {
    /// sign-in name
    pub email: String,
    /// created for this world
    pub password: String,
    /// `primary_admin`, `full_access_admin` or `limited_admin`
    pub role: String,
    /// companies that the user administers
    pub companies: Vec<Uuid>,
}

store::hidden!(User);
