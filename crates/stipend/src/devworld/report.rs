//! The printed report of the demo world for its developer: identifiers, tokens and passwords, as JSON for programs (its
//! shape is part of the command line's interface) and as a short text for people.

use interface::demo::World;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// A report that was read back: the world, and the URL of the service that printed it.
#[derive(Debug, Deserialize)]
pub struct ParsedReport {
    /// URL of the API
    pub base_url: String,
    /// the world itself
    #[serde(flatten)]
    pub world: World,
}

/// The world with the URLs of the running process.
#[derive(Debug, Serialize)]
pub struct Report<'a> {
    /// URL of the API
    pub base_url: &'a str,
    /// URL of the hosted pages
    pub flow_url: &'a str,
    /// URL of the API documentation
    pub docs_url: String,
    /// URL of the console, which shows the service's records and activity
    pub console_url: String,
    /// URL at which users sign in to authorize an application
    pub authorize_url: String,
    /// the world itself
    #[serde(flatten)]
    pub world: &'a World,
}

impl<'a> Report<'a> {
    /// The URLs under `base_url`.
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
