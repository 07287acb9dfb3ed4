//! What a developer is told of the demo world: identifiers, tokens and passwords, as JSON for programs (its shape is
//! part of the command line's interface) and as a short text for people.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// The demo world as `--json` prints it, without the addresses of the running process.
#[derive(Debug, Clone, Serialize, Deserialize)]
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

/// The partner application.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Application {
    /// OAuth client_id
    pub client_id: String,
    /// OAuth client_secret
    pub client_secret: String,
    /// sent as `Authorization: Token …`
    pub api_token: String,
    /// the only registered one
    pub redirect_uri: String,
}

/// A company of the demo world.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Company {
    /// identifier
    pub uuid: Uuid,
    /// legal name
    pub name: String,
    /// `embedded`, or `standalone` when it is not connected yet
    pub kind: String,
    /// left out for a company that is not connected
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access_token: Option<String>,
    /// left out for a company that is not connected
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refresh_token: Option<String>,
    /// where people work
    pub locations: Vec<Location>,
    /// who works there
    pub employees: Vec<Employee>,
    /// what the company offers
    pub company_benefits: Vec<Benefit>,
    /// its pay schedule, if it has one
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pay_schedule_uuid: Option<Uuid>,
    /// its next payroll, if there is one
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payroll_uuid: Option<Uuid>,
    /// who signs
    pub signatory_email: String,
}

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

/// Somebody who can sign in.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct User {
    /// sign-in name
    pub email: String,
    /// made for this world
    pub password: String,
    /// `primary_admin`, `full_access_admin` or `limited_admin`
    pub role: String,
    /// companies that the user administers
    pub companies: Vec<Uuid>,
}

/// What a report tells, read back: the world, and where the service that printed it answers.
#[derive(Debug, Deserialize)]
pub struct Told {
    /// where the interface is
    pub base_url: String,
    /// the world itself
    #[serde(flatten)]
    pub world: World,
}

/// The world with the addresses of the running process.
#[derive(Debug, Serialize)]
pub struct Report<'a> {
    /// where the interface is
    pub base_url: &'a str,
    /// where the hosted pages are
    pub flow_url: &'a str,
    /// where the interface is described
    pub docs_url: String,
    /// where one can look at what the service holds and does
    pub console_url: String,
    /// where people sign in to authorize an application
    pub authorize_url: String,
    /// the world itself
    #[serde(flatten)]
    pub world: &'a World,
}

impl<'a> Report<'a> {
    /// Addresses under `base_url`.
    pub fn new(base_url: &'a str, flow_url: &'a str, world: &'a World) -> Self {
        Self {
            base_url,
            flow_url,
            docs_url: format!("{base_url}/docs"),
            console_url: format!("{base_url}/console"),
            authorize_url: format!("{base_url}/oauth/authorize"),
            world,
        }
    }

    /// One line of JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_else(|error| panic!("a report is always JSON: {error}"))
    }

    /// A short text with a first request to try.
    pub fn to_text(&self) -> String {
        let mut text = format!("\nstipend dev is ready at {}\n", self.base_url);
        text += &format!("Look around in the console: {}\n", self.console_url);
        text += &format!("Read the documentation, whose examples run here: {}\n", self.docs_url);
        for company in &self.world.companies {
            text += &format!("\n{} ({})\n  company       {}\n", company.name, company.kind, company.uuid);
            if let Some(token) = &company.access_token {
                text += &format!("  access token  {token}\n");
            }
            for employee in &company.employees {
                text += &format!("  {}  {} ({})\n", employee.uuid, employee.name, employee.onboarding_status);
            }
        }
        text += &format!("\nsystem token    {}\n", self.world.system_access_token);
        if let Some((company, token)) = self.first_company() {
            let base = self.base_url;
            text += "\nTry, in another terminal:\n";
            text += &format!("  export BASE={base} TOKEN={token} COMPANY={company}\n");
            text += "  curl -H \"Authorization: Bearer $TOKEN\" $BASE/v1/companies/$COMPANY/employees\n";
        }
        text + "\nEverything as JSON: stipend dev --json. Stop with Ctrl-C.\n"
    }

    fn first_company(&self) -> Option<(Uuid, &str)> {
        let company = self.world.companies.first()?;
        Some((company.uuid, company.access_token.as_deref()?))
    }
}
