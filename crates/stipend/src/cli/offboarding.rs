//! `stipend app …` and `stipend user …` beyond creation: lists, and what the operator revokes. Each act is an entry in
//! the audit log. Lists are JSON, one object per line.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use jiff::tz::TimeZone;
use rules::Named;
use serde_json::{Value, json};
use store::{Store, Tx};
use uuid::Uuid;

use super::accounts::asked_scopes;
use super::opening::{by_option, run_unit_on, unreadable_file_error};
use super::{StoreArgs, load_settings, open_store, print_line};
use domain::Error;
use domain::access::themes::{Color, Theme};
use domain::access::tokens::Caller;
use domain::company::partners::service as partners;
use domain::offboarding::{applications, people};

#[derive(Subcommand)]
pub(super) enum ManageApp {
    /// Every application, one per line
    #[command(after_help = "Example:\n  stipend app list --database-url sqlite:stipend.db")]
    List(StoreArgs),
    /// Disable an application; can be undone with `enable`
    #[command(
        after_help = "Its tokens are refused within a second, it gets no others, and nothing is delivered to it. What happens \
                            meanwhile is not\ndelivered afterwards; GET /v1/events has it.\n\nExample:\n  stipend app disable UUID"
    )]
    Disable(App),
    /// Undo `disable`
    #[command(after_help = "Example:\n  stipend app enable UUID")]
    Enable(App),
    /// Delete a disabled application, with its tokens, its subscriptions and its connections
    #[command(after_help = "Example:\n  stipend app disable UUID && stipend app delete UUID")]
    Delete(App),
    /// Give an application a new secret and a new API token, shown once; the previous ones are revoked at once
    #[command(
        after_help = "Tokens of companies go on: the new secret is needed when the next one of them is renewed, within two hours.\n\nExample:\n  \
                            stipend app rotate-secret UUID"
    )]
    RotateSecret(App),
    /// Extend an application's scopes, for instance by those of a newer version of the program
    #[command(
        after_help = "Its API token, its system tokens and those of companies that it manages can do so at once. A company whose administrator \
                            consented\ngoes on as before until somebody consents again.\n\nExample:\n  stipend app add-scopes UUID --scope holiday_pay_policies:read"
    )]
    AddScopes {
        #[command(flatten)]
        app: App,
        /// Scope to add; can be given several times; all by default
        #[arg(long = "scope", value_name = "SCOPE")]
        scopes: Vec<String>,
    },
    /// Set the look of an application's hosted pages: name, colors, logo, and where the last page leads
    #[command(
        after_help = "Omitted options fall back to the service's default theme; without any option the default is restored. Colours are checked for contrast.\n\nExample:\n  \
                            stipend app theme UUID --display-name 'Point of sale' --accent '#8a1c5b' --logo logo.png --return-url https://pos.example/people"
    )]
    Theme(AppTheme),
    /// Revoke an application's tokens; its connections remain
    #[command(
        after_help = "Without --company, those of every company, and its system tokens. Companies consent again; a partner gets \
                            tokens for\nthose that it manages from nobody else, so prefer rotate-secret there.\n\nExample:\n  stipend app sign-out UUID --company UUID"
    )]
    SignOut {
        #[command(flatten)]
        app: App,
        /// Only tokens for this company
        #[arg(long, value_name = "UUID")]
        company: Option<Uuid>,
    },
    /// End an application's connection with a company: tokens, hosted links and document URLs
    #[command(after_help = "Example:\n  stipend app revoke-consent UUID --company UUID")]
    RevokeConsent {
        #[command(flatten)]
        app: App,
        /// The company
        #[arg(long, value_name = "UUID")]
        company: Uuid,
    },
}

#[derive(Args)]
pub(super) struct App {
    /// The application's client_id
    #[arg(value_name = "UUID")]
    id: Uuid,
    #[command(flatten)]
    store: StoreArgs,
}

#[derive(Args)]
pub(super) struct AppTheme {
    #[command(flatten)]
    app: App,
    /// Name of the product, shown at the top of the pages
    #[arg(long, value_name = "NAME")]
    display_name: Option<String>,
    /// Color of buttons and links, such as '#8a1c5b'
    #[arg(long, value_name = "COLOR")]
    accent: Option<String>,
    /// The same in dark mode; derived from --accent by default
    #[arg(long, value_name = "COLOR")]
    accent_dark: Option<String>,
    /// A PNG image of at most 48 kB
    #[arg(long, value_name = "FILE")]
    logo: Option<PathBuf>,
    /// Where the last page leads if the link has no redirect_url
    #[arg(long, value_name = "URL")]
    return_url: Option<String>,
}

impl AppTheme {
    /// The theme that the options describe; `None` without any option.
    fn theme_from_options(&self) -> Result<Option<Theme>, String> {
        let color = |option: &str, text: &Option<String>| match text
            .as_deref()
            .map(|text| (text, Color::parse(text)))
        {
            None => Ok(None),
            Some((_, Some(color))) => Ok(Some(color)),
            Some((text, None)) => {
                Err(format!("{option} must be # and six hexadecimal digits, and is {text}"))
            }
        };
        let logo = match &self.logo {
            None => None,
            Some(path) => Some(std::fs::read(path).map_err(|error| unreadable_file_error(path, &error))?),
        };
        let theme = Theme {
            display_name: self.display_name.clone(),
            accent: color("--accent", &self.accent)?,
            accent_dark: color("--accent-dark", &self.accent_dark)?,
            logo,
            return_url: self.return_url.clone(),
        };
        if theme == Theme::default() {
            return Ok(None);
        }
        theme.check_and_complete().map(Some).map_err(|wrong| by_option(wrong, &[]))
    }
}

async fn set_theme(asked: AppTheme) -> Result<(), String> {
    let theme = asked.theme_from_options()?;
    act_on_app(asked.app, move |tx, id| {
        applications::set_theme(tx, &service_operator(), id, theme.as_ref())?;
        let shown = theme.as_ref().map(|theme| {
            json!({ "display_name": theme.display_name, "accent": theme.accent.map(Color::to_text),
                    "accent_dark": theme.accent_dark.map(Color::to_text), "logo": theme.logo.is_some(),
                    "return_url": theme.return_url })
        });
        Ok(json!({ "client_id": id, "theme": shown }))
    })
    .await
}

#[derive(Subcommand)]
pub(super) enum ManageUser {
    /// Every administrator with their companies, one per line
    #[command(after_help = "Example:\n  stipend user list --database-url sqlite:stipend.db")]
    List(StoreArgs),
    /// Disable an administrator: ends sessions and revokes the tokens consented to; can be undone with `enable`
    #[command(after_help = "Example:\n  stipend user disable ann@diner.example")]
    Disable(User),
    /// Undo `disable`; ended sessions and revoked tokens are not restored
    #[command(after_help = "Example:\n  stipend user enable ann@diner.example")]
    Enable(User),
    /// Delete a disabled administrator, with every role
    #[command(
        after_help = "Example:\n  stipend user disable ann@diner.example && stipend user delete ann@diner.example"
    )]
    Delete(User),
    /// Give an administrator a new password, shown once; every session ends
    #[command(after_help = "Example:\n  stipend user rotate-secret ann@diner.example")]
    RotateSecret(User),
    /// End every session of an administrator
    #[command(after_help = "Example:\n  stipend user sign-out ann@diner.example")]
    SignOut(User),
    /// Revoke the tokens to which an administrator consented, in every company
    #[command(after_help = "Example:\n  stipend user revoke-consent ann@diner.example")]
    RevokeConsent(User),
}

#[derive(Args)]
pub(super) struct User {
    /// Sign-in name
    #[arg(value_name = "EMAIL")]
    email: String,
    #[command(flatten)]
    store: StoreArgs,
}

/// The operator, acting on a record that belongs to no company.
fn service_operator() -> Caller {
    Caller::for_operator(Uuid::nil(), TimeZone::UTC)
}

/// Runs a command about an application.
pub(super) async fn manage_app(command: ManageApp) -> Result<(), String> {
    match command {
        ManageApp::List(store) => list_applications(&store).await,
        ManageApp::Theme(asked) => set_theme(asked).await,
        ManageApp::Disable(app) => act_on_app(app, |tx, id| {
            applications::disable_application(tx, &service_operator(), id)?;
            Ok(json!({ "client_id": id, "disabled": true }))
        })
        .await,
        ManageApp::Enable(app) => act_on_app(app, |tx, id| {
            applications::enable_application(tx, &service_operator(), id)?;
            Ok(json!({ "client_id": id, "disabled": false }))
        })
        .await,
        ManageApp::RotateSecret(app) => act_on_app(app, |tx, id| {
            let new = applications::rotate_secret(tx, &service_operator(), id)?;
            let text = |token: Option<domain::access::tokens::Token>| token.map(|token| token.text);
            Ok(json!({ "client_id": id, "client_secret": text(new.secret), "api_token": text(new.api_token) }))
        })
        .await,
        ManageApp::AddScopes { app, scopes } => {
            let more = asked_scopes(&scopes)?;
            act_on_app(app, move |tx, id| {
                let (added, tokens) = applications::add_scopes(tx, &service_operator(), id, more)?;
                Ok(json!({ "client_id": id, "added": added, "changed_tokens": tokens }))
            })
            .await
        }
        ManageApp::Delete(app) => delete_application(app).await,
        ManageApp::SignOut { app, company } => sign_out_application(app, company).await,
        ManageApp::RevokeConsent { app, company } => act_on_app(app, move |tx, id| {
            let inside = applications::operator_in(tx, company)?;
            partners::revoke_consent(tx, &inside, id)?;
            Ok(json!({ "client_id": id, "company": company, "connected": false }))
        })
        .await,
    }
}

async fn act_on_app(
    app: App,
    act: impl Fn(&mut Tx<'_>, Uuid) -> Result<Value, Error> + Send + 'static,
) -> Result<(), String> {
    let store = open_store(&load_settings(&app.store)?)?;
    print_line(&run_unit_on(&store, move |tx| act(tx, app.id)).await?.to_string())
}

async fn list_applications(args: &StoreArgs) -> Result<(), String> {
    let store = open_store(&load_settings(args)?)?;
    let mut after = Uuid::nil();
    loop {
        let listed = run_unit_on(&store, move |tx| applications::list_applications(tx, after)).await?;
        let Some(last) = listed.last() else { return Ok(()) };
        after = last.application.id;
        for applications::Listed { application, companies } in &listed {
            let line = json!({
                "client_id": application.id, "name": application.name, "public": application.is_public(),
                "redirect_uris": application.redirect_uris, "api_version": application.version.as_str(),
                "companies": companies, "disabled_at": application.disabled_at.map(|at| at.to_string()),
            });
            print_line(&line.to_string())?;
        }
    }
}

/// Calls `act` for every company that an application is connected to, several companies in each unit.
async fn for_its_companies(
    store: &Store,
    id: Uuid,
    act: impl Fn(&mut Tx<'_>, &Caller) -> Result<u64, Error> + Clone + Send + 'static,
) -> Result<u64, String> {
    let (mut after, mut sum) = (Uuid::nil(), 0);
    loop {
        let act = act.clone();
        let (last, done) = run_unit_on(store, move |tx| {
            let companies = applications::companies_of(tx, id, after)?;
            let mut done = 0;
            for company in &companies {
                let inside = applications::operator_in(tx, *company)?;
                done += act(tx, &inside)?;
            }
            Ok((companies.last().copied(), done))
        })
        .await?;
        sum += done;
        let Some(last) = last else { return Ok(sum) };
        after = last;
    }
}

async fn sign_out_application(app: App, company: Option<Uuid>) -> Result<(), String> {
    let (store, id) = (open_store(&load_settings(&app.store)?)?, app.id);
    let ended = match company {
        Some(company) => {
            run_unit_on(&store, move |tx| {
                let inside = applications::operator_in(tx, company)?;
                applications::sign_out_of(tx, &inside, id)
            })
            .await?
        }
        None => {
            let own =
                run_unit_on(&store, move |tx| applications::sign_out(tx, &service_operator(), id)).await?;
            own + for_its_companies(&store, id, move |tx, inside| applications::sign_out_of(tx, inside, id))
                .await?
        }
    };
    print_line(&json!({ "client_id": id, "ended_tokens": ended }).to_string())
}

async fn delete_application(app: App) -> Result<(), String> {
    let (store, id) = (open_store(&load_settings(&app.store)?)?, app.id);
    // Checked before anything is revoked, so that a mistyped identifier has no effect.
    run_unit_on(&store, move |tx| applications::find_deletable_application(tx, id)).await?;
    let companies = for_its_companies(&store, id, move |tx, inside| {
        partners::revoke_consent(tx, inside, id)?;
        Ok(1)
    })
    .await?;
    run_unit_on(&store, move |tx| applications::delete_application(tx, &service_operator(), id)).await?;
    print_line(&json!({ "client_id": id, "deleted": true, "ended_connections": companies }).to_string())
}

/// Runs a command about an administrator.
pub(super) async fn manage_user(command: ManageUser) -> Result<(), String> {
    match command {
        ManageUser::List(store) => list_users(&store).await,
        ManageUser::Disable(user) => {
            act_on_user(user, |tx, email| {
                let people::Ended { sessions, tokens } =
                    people::disable_user(tx, &service_operator(), email)?;
                Ok(json!({ "disabled": true, "ended_sessions": sessions, "ended_tokens": tokens }))
            })
            .await
        }
        ManageUser::Enable(user) => {
            act_on_user(user, |tx, email| {
                people::enable_user(tx, &service_operator(), email)?;
                Ok(json!({ "disabled": false }))
            })
            .await
        }
        ManageUser::Delete(user) => {
            act_on_user(user, |tx, email| {
                people::delete_user(tx, &service_operator(), email)?;
                Ok(json!({ "deleted": true }))
            })
            .await
        }
        ManageUser::RotateSecret(user) => {
            act_on_user(user, |tx, email| {
                Ok(json!({ "password": people::rotate_secret(tx, &service_operator(), email)? }))
            })
            .await
        }
        ManageUser::SignOut(user) => {
            act_on_user(user, |tx, email| {
                Ok(json!({ "ended_sessions": people::sign_out(tx, &service_operator(), email)? }))
            })
            .await
        }
        ManageUser::RevokeConsent(user) => {
            act_on_user(user, |tx, email| Ok(json!({ "ended_tokens": people::revoke_consent(tx, email)? })))
                .await
        }
    }
}

async fn act_on_user(
    user: User,
    act: impl Fn(&mut Tx<'_>, &str) -> Result<Value, Error> + Send + 'static,
) -> Result<(), String> {
    let store = open_store(&load_settings(&user.store)?)?;
    let email = user.email.clone();
    let mut told = run_unit_on(&store, move |tx| act(tx, &email)).await?;
    told["email"] = json!(user.email);
    print_line(&told.to_string())
}

async fn list_users(args: &StoreArgs) -> Result<(), String> {
    let store = open_store(&load_settings(args)?)?;
    let mut after = Uuid::nil();
    loop {
        let listed = run_unit_on(&store, move |tx| people::list_users(tx, after)).await?;
        let Some(last) = listed.last() else { return Ok(()) };
        after = last.user.id;
        for people::Listed { user, companies } in &listed {
            let roles = companies.iter().map(|one| json!({ "uuid": one.company, "role": one.role.as_str() }));
            let line = json!({
                "uuid": user.id, "email": user.email, "first_name": user.first_name, "last_name": user.last_name,
                "has_password": user.password_hash.is_some(), "companies": roles.collect::<Vec<_>>(),
                "disabled_at": user.disabled_at.map(|at| at.to_string()),
            });
            print_line(&line.to_string())?;
        }
    }
}
