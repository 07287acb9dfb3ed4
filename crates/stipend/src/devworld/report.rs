//! The printed report of the demo world for its developer: identifiers, tokens and passwords, as JSON for programs (its
//! shape is part of the command line's interface) and as a short text for people.

use interface::demo::{Company, User, World};
use serde::{Deserialize, Serialize};

use super::environment;

/// A report that was read back: the world, and the URL of the service that printed it.
#[derive(Debug, Deserialize)]
pub struct ParsedReport {
    /// URL of the API
    pub base_url: String,
    /// URL of the hosted pages
    pub flow_url: String,
    /// the world itself
    #[serde(flatten)]
    pub world: World,
}

impl ParsedReport {
    /// The report as it was printed.
    pub fn as_report(&self) -> Report<'_> {
        Report::new(&self.base_url, &self.flow_url, &self.world)
    }
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
    /// URL at which users sign in to authorize the demo application
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
            authorize_url: authorize_url(base_url, world),
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
        text += "\nWho signs in, to the console and to authorize the application:\n";
        for User { email, password, role, .. } in &self.world.users {
            text += &format!("  {email}  {password}  ({role})\n");
        }
        text += &self.connection_text();
        if self.world.companies.first().is_some_and(|company| company.access_token.is_some()) {
            let variables = environment::of_examples(self.base_url, self.world);
            let exported = variables.map(|(name, value)| format!("{name}={value}")).join(" ");
            text += "\nTry, in another terminal:\n";
            text += &format!("  export {exported}\n");
            text += "  curl -H \"Authorization: Bearer $TOKEN\" $BASE/v1/companies/$COMPANY/employees\n";
        }
        text + "\nEverything as JSON: stipend dev --json. Stop with Ctrl-C.\n"
    }

    /// How a company that no partner manages is connected: the URL, and what the scripts in `examples` read.
    fn connection_text(&self) -> String {
        let Some((company, user)) = self.to_connect() else { return String::new() };
        let application = &self.world.application;
        let variables = [
            ("CLIENT_ID", &application.client_id),
            ("CLIENT_SECRET", &application.client_secret),
            ("REDIRECT_URI", &application.redirect_uri),
            ("EMAIL", &user.email),
            ("PASSWORD", &user.password),
            ("SIGNATORY", &company.signatory_email),
        ];
        let variables: Vec<_> = variables.iter().map(|(name, value)| format!("{name}={value}")).collect();
        format!(
            "\nTo connect {}, its administrator authorizes the application at\n  {}\nor, without a browser, examples/authorize.sh and \
             examples/migration.sh do, after\n  export {}\n",
            company.name,
            self.authorize_url,
            variables.join(" "),
        )
    }

    /// The first company without a token, with somebody who administers no other.
    fn to_connect(&self) -> Option<(&Company, &User)> {
        let company = self.world.companies.iter().find(|company| company.access_token.is_none())?;
        let user = self.world.users.iter().find(|user| user.companies == [company.uuid])?;
        Some((company, user))
    }
}

/// The URL of an authorization request of the demo application.
fn authorize_url(base_url: &str, world: &World) -> String {
    let application = &world.application;
    let query = form_urlencoded::Serializer::new(String::new())
        .append_pair("client_id", &application.client_id)
        .append_pair("redirect_uri", &application.redirect_uri)
        .append_pair("response_type", "code")
        .finish();
    format!("{base_url}/oauth/authorize?{query}")
}
