//! `stipend app …` and `stipend user …`: who may call the service, and who may authorize it. Secrets are printed once,
//! for people or with `--json`, and not stored in readable form. Revoking is in [`super::offboarding`].

use clap::{Args, Subcommand};
use jiff::tz::TimeZone;
use rules::Checks;
use rules::Named;
use rules::check;
use serde_json::{Value, json};
use store::Tx;
use uuid::Uuid;

use super::offboarding;
use super::offboarding::{ManageApp, ManageUser};
use super::opening::by_option;
use super::serving::local_address;
use super::{StoreArgs, join_messages, load_settings, print_result, run_unit};
use crate::telemetry;
use domain::Error;
use domain::access::applications;
use domain::access::applications::{Created, NewApplication};
use domain::access::scope;
use domain::access::scope::Scopes;
use domain::access::tokens::Caller;
use domain::access::users::Role;
use domain::access::users::service as people;
use domain::access::users::service::RoleHolder;
use domain::company::companies;
use domain::platform::audit;
use domain::version::ApiVersion;

#[derive(Subcommand)]
pub(super) enum AppCommand {
    /// Create an application; its secrets are shown once
    #[command(
        after_help = "Example:\n  stipend app create --name 'Point of sale' --redirect-uri https://pos.example/callback"
    )]
    Create(NewApp),
    #[command(flatten)]
    Manage(ManageApp),
}

#[derive(Args)]
pub(super) struct NewApp {
    /// Its name, shown to the user who is asked to consent
    #[arg(long)]
    name: String,
    /// Redirect URI, compared character by character; can be given several times
    #[arg(long = "redirect-uri", value_name = "URL")]
    redirect_uris: Vec<String>,
    /// A public client, which cannot keep a secret: it gets none, and must use PKCE
    #[arg(long)]
    public: bool,
    /// Scope that it may ever get; can be given several times; all by default
    #[arg(long = "scope", value_name = "SCOPE")]
    scopes: Vec<String>,
    /// Version for requests that select none; the newest by default
    #[arg(long, value_name = "DATE", default_value = ApiVersion::NEWEST.as_str())]
    api_version: String,
    /// Refuse requests with fields or parameters that no operation reads; without it they are told in X-Unknown-Fields
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    store: StoreArgs,
}

#[derive(Subcommand)]
pub(super) enum UserCommand {
    /// Create an administrator of a company, or give one a role; a new password is shown once
    #[command(
        after_help = "Example:\n  stipend user create --email ann@diner.example --first-name Ann --last-name Lee \\\n    \
                            --company 0197a1b2-… --role primary_admin"
    )]
    Create(NewUser),
    #[command(flatten)]
    Manage(ManageUser),
}

#[derive(Args)]
pub(super) struct NewUser {
    /// Sign-in name
    #[arg(long)]
    email: String,
    /// First name; an existing user's name is not changed
    #[arg(long)]
    first_name: String,
    /// Last name; as above
    #[arg(long)]
    last_name: String,
    /// The company to administer; can be given several times
    #[arg(long = "company", value_name = "UUID", required = true)]
    companies: Vec<Uuid>,
    /// primary_admin, full_access_admin or limited_admin; by default an existing role is kept, and a new user has full
    /// access
    #[arg(long)]
    role: Option<String>,
    /// Create a new password for a user who has one
    #[arg(long)]
    new_password: bool,
    #[command(flatten)]
    store: StoreArgs,
}

/// Runs a command about applications.
pub(super) async fn run_app_command(command: AppCommand, json: bool) -> Result<(), String> {
    match command {
        AppCommand::Create(new) => create_application(new, json).await,
        AppCommand::Manage(command) => offboarding::manage_app(command).await,
    }
}

/// Runs a command about administrators.
pub(super) async fn run_user_command(command: UserCommand, json: bool) -> Result<(), String> {
    match command {
        UserCommand::Create(new) => create_user(new, json).await,
        UserCommand::Manage(command) => offboarding::manage_user(command).await,
    }
}

/// The scopes given as options; all scopes if there are none.
pub(super) fn asked_scopes(names: &[String]) -> Result<Scopes, String> {
    if let Some(wrong) = names.iter().find(|name| !scope::ALL.contains(&name.as_str())) {
        return Err(format!(
            "{wrong} is not a scope; GET /.well-known/oauth-authorization-server lists them"
        ));
    }
    Ok(if names.is_empty() { Scopes::ALL } else { Scopes::parse(&names.join(" ")) })
}

/// Options whose names differ from the fields that they set.
const OPTIONS: &[(&str, &str)] = &[("redirect_uris", "--redirect-uri"), ("scopes", "--scope")];

/// Creates an application.
async fn create_application(args: NewApp, json: bool) -> Result<(), String> {
    let version = ApiVersion::parse(&args.api_version).ok_or_else(|| {
        format!("--api-version must be one of {}", ApiVersion::ALL.map(ApiVersion::as_str).join(", "))
    })?;
    let scopes = asked_scopes(&args.scopes)?;
    let (name, redirect_uris, public, strict) = (args.name, args.redirect_uris, args.public, args.strict);
    let new = NewApplication { name, redirect_uris, public, scopes, version, strict };
    let new = new.check_input().map_err(|wrong| by_option(wrong, OPTIONS))?;
    let created = run_unit(&args.store, move |tx| {
        let created = applications::create_application(tx, &new)?;
        let told = json!({ "name": new.name, "public": new.public, "scopes": new.scopes.to_text(), "strict": new.strict });
        audit::by_operator(tx, "created", ("applications", created.id), &told)?;
        Ok(created)
    })
    .await?;
    let next = next_step(&created, &args.store)?;
    let mut shown = json!({ "client_id": created.id });
    for (key, token) in [("client_secret", created.secret), ("api_token", created.api_token)] {
        if let Some(token) = token {
            shown[key] = Value::from(token.text);
        }
    }
    print_result(json, &value_lines(&shown), &shown)?;
    telemetry::notify_operator(&next);
    Ok(())
}

/// The next steps for a new application. Secrets are not repeated, because this text may end up in a log.
fn next_step(created: &Created, store: &StoreArgs) -> Result<String, String> {
    let settings = load_settings(store)?;
    let base = settings.public_url.unwrap_or_else(|| format!("http://{}", local_address(&settings.listen)));
    let link = format!("{base}/oauth/authorize?client_id={}&redirect_uri=…&response_type=code", created.id);
    Ok(match &created.api_token {
        Some(_) => format!(
            "Keep the secrets: they are not shown again.\nNext: create a company with POST {base}/v1/partner_managed_companies and \
             the header `Authorization: Token API_TOKEN`,\nor connect one: send its administrator to {link}"
        ),
        None => format!(
            "Next: connect a company: send its administrator to {link}&code_challenge=…&code_challenge_method=S256"
        ),
    })
}

/// Creates an administrator.
async fn create_user(args: NewUser, json: bool) -> Result<(), String> {
    let read = |role: &str| {
        Role::parse(role).ok_or_else(|| format!("--role must be one of {}", Role::names().join(", ")))
    };
    let role = args.role.as_deref().map(read).transpose()?;
    let mut checks = Checks::new();
    let first_name = checks.take_value(check::person_name("--first-name", &args.first_name));
    let last_name = checks.take_value(check::person_name("--last-name", &args.last_name));
    let email = checks.take_value(check::validate_email("--email", &args.email));
    checks.finish().map_err(join_messages)?;
    let person = RoleHolder {
        first_name: first_name.unwrap_or_default(),
        last_name: last_name.unwrap_or_default(),
        email: email.unwrap_or_default(),
        phone: None,
    };
    let (companies, new_password) = (args.companies, args.new_password);
    let given =
        run_unit(&args.store, move |tx| grant_role(tx, &person, &companies, role, new_password)).await?;
    print_result(json, &value_lines(&given), &given)
}

/// What was created, for people: a line for each value.
fn value_lines(shown: &Value) -> String {
    let members = shown.as_object().into_iter().flatten();
    let width = shown.as_object().into_iter().flatten().map(|(name, _)| name.len()).max().unwrap_or_default();
    let line = |(name, value): (&String, &Value)| {
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let all = value.as_array().map(|all| all.iter().map(text).collect::<Vec<_>>().join(", "));
        let value = all.unwrap_or_else(|| text(value));
        format!("{name:width$}  {value}")
    };
    members.map(line).collect::<Vec<_>>().join("\n")
}

fn grant_role(
    tx: &mut Tx<'_>,
    person: &RoleHolder,
    companies: &[Uuid],
    role: Option<Role>,
    new_password: bool,
) -> Result<Value, Error> {
    let is_new = people::is_unknown(tx, &person.email)?;
    let mut given = Role::FullAccess;
    for company in companies {
        if companies::find_company(tx, *company)?.is_none() {
            return Err(Error::NotFound);
        }
        let caller = Caller::for_operator(*company, TimeZone::UTC);
        given = match role {
            Some(role) => role,
            None => people::role_of(tx, &caller, &person.email)?.unwrap_or(Role::FullAccess),
        };
        people::give_role(tx, &caller, person, given)?;
    }
    let user = people::find_or_create_user(tx, person)?;
    let mut account =
        json!({ "uuid": user.id, "email": user.email, "role": given.as_str(), "companies": companies });
    if is_new {
        audit::by_operator(tx, "created", ("users", user.id), &json!({}))?;
    }
    if new_password || user.password_hash.is_none() {
        account["password"] = Value::from(people::new_password(tx, user.id)?);
        let was = if user.password_hash.is_some() { "replaced" } else { "given" };
        audit::by_operator(tx, "rotated", ("users", user.id), &json!({ "password": was }))?;
    }
    Ok(account)
}
