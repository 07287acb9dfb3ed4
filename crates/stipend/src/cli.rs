//! The command line. Exit codes: 0 success, 1 failure, 2 wrong usage. Errors go to standard error, in one line that
//! says what to do; results go to standard output.

mod accounts;
mod audit;
mod bank;
mod bank_settings;
mod clock;
mod companies;
mod data;
mod deposits;
mod dev;
mod groups;
mod jobs;
mod new_hires;
mod offboarding;
mod opening;
mod production;
mod recovery;
mod returns;
mod running;
mod serving;
mod stores;
mod wrong_use;

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use clap_complete::Shell;
use jiff::SignedDuration;
use serde::Serialize;
use serde_json::json;

use self::accounts::{AppCommand, UserCommand};
use self::audit::AuditCommand;
use self::bank::BankCommand;
use self::clock::ClockCommand;
use self::companies::CompanyCommand;
use self::data::DataCommand;
use self::dev::DevArgs;
use self::jobs::JobsCommand;
use self::new_hires::NewHiresCommand;
use self::opening::{join_messages, open_public, open_store, run_unit};
use self::returns::ReturnsCommand;
use self::running::ServiceArgs;
use self::serving::ServeArgs;
use self::stores::{CopyArgs, KeysCommand};
use crate::{serve, telemetry, tools};
use interface::config::Settings;
use interface::openapi::collection::build_collection;
use pages::routes;

/// Embedded payroll: the service, a demo world for developers, and the operator's tools.
#[derive(Parser)]
#[command(name = "stipend", version, max_term_width = 100, arg_required_else_help = true)]
#[command(after_help = "Examples:\n  stipend dev --memory\n  stipend serve --config stipend.toml\n\n\
                      `stipend COMMAND --help` has the options of a command, and examples.")]
struct Cli {
    /// Print the result as JSON, and nothing else on standard output
    #[arg(long, global = true, display_order = 900)]
    json: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// The whole service with a demo world and a clock that can be moved; needs nothing
    #[command(
        after_help = "Examples:\n  stipend dev --memory --seed 7 --json\n  stipend dev --write-env e2e/local.config.env"
    )]
    Dev(DevArgs),
    /// The service for production
    #[command(
        after_help = "Example:\n  STIPEND_MASTER_KEY_FILE=master.key stipend serve --database-url sqlite:stipend.db"
    )]
    Serve {
        #[command(flatten)]
        serve: ServeArgs,
        #[command(flatten)]
        first: FirstArgs,
    },
    /// Ask a running service whether it can serve; exits with 1 if it cannot; for health checks
    #[command(after_help = "Example:\n  stipend health --url http://127.0.0.1:8080")]
    Health {
        /// URL of the service; that of the settings by default
        #[arg(long, value_name = "URL", value_parser = running::web_address)]
        url: Option<String>,
        #[command(flatten)]
        store: StoreArgs,
    },
    /// Background work only, in addition to `serve --no-worker` on the same database
    #[command(after_help = "Example:\n  stipend worker --config stipend.toml")]
    Worker(StoreArgs),
    /// Bring the database to the newest schema
    #[command(
        after_help = "Examples:\n  stipend migrate --database-url sqlite:stipend.db\n  stipend migrate --create --database-url sqlite:new.db"
    )]
    Migrate {
        #[command(flatten)]
        store: StoreArgs,
        #[command(flatten)]
        first: FirstArgs,
    },
    /// Copy everything into a new store, on the other engine or the same
    #[command(
        after_help = "Stop the service first: what is written meanwhile stays behind. The target must be a new file, or a database \
                            without rows;\nit arrives whole or not at all, and takes the same master key.\n\nExample:\n  stipend copy \
                            --from sqlite:stipend.db --to postgres://stipend@db.example/stipend"
    )]
    Copy(CopyArgs),
    /// Distribute the tables of a PostgreSQL store over the servers of its Citus cluster
    #[command(
        after_help = "Stop the service first: rows are moved. Give the coordinator's address. Cut off, it goes on when it is given again; \
                            a new store is\nspread by `stipend migrate --create`.\n\nExample:\n  stipend distribute --database-url \
                            postgres://stipend@coordinator.example/stipend"
    )]
    Distribute(StoreArgs),
    /// Copy a file store while it is in use
    #[command(after_help = "Example:\n  stipend backup /backups/monday.db --database-url sqlite:stipend.db")]
    Backup {
        /// The copy; must not exist yet
        file: PathBuf,
        #[command(flatten)]
        store: StoreArgs,
    },
    /// Restore a backup of a file store, after checking its integrity and that the master keys open it
    #[command(
        after_help = "Stop the service first. What is in the place already is kept beside it under another name with --replace, and \
                            an error without.\n\nExample:\n  stipend restore /backups/monday.db --database-url sqlite:stipend.db"
    )]
    Restore {
        /// The backup
        file: PathBuf,
        /// Set aside the existing store, with its log
        #[arg(long)]
        replace: bool,
        #[command(flatten)]
        store: StoreArgs,
    },
    /// Read every page of a file store, and report damage and whether pages have checksums; exits with 1 if it is
    /// damaged
    #[command(
        after_help = "A store may be in use meanwhile. To add checksums, stop the service first: a copy that has them takes the \
                            place of the store,\nwhich is kept beside it under another name.\n\nExamples:\n  stipend check --database-url \
                            sqlite:stipend.db\n  stipend check --add-checksums --database-url sqlite:stipend.db\n  stipend check \
                            --production --backup /backups --config stipend.toml"
    )]
    Check {
        /// Instead check what a service for real people needs: key, TLS, backup, watching, tables; exits with 1 if
        /// something is open
        #[arg(long, conflicts_with = "add_checksums")]
        production: bool,
        /// The newest backup, or the folder that holds it
        #[arg(long, value_name = "PATH", requires = "production")]
        backup: Option<PathBuf>,
        /// Add page checksums to a store that has none
        #[arg(long)]
        add_checksums: bool,
        #[command(flatten)]
        store: StoreArgs,
    },
    /// Master keys
    #[command(subcommand, after_help = "Example:\n  stipend keys new > master.key && chmod 600 master.key")]
    Keys(KeysCommand),
    /// Partner applications
    #[command(
        subcommand,
        after_help = "Example:\n  stipend app create --name 'Point of sale' --redirect-uri https://pos.example/callback"
    )]
    App(AppCommand),
    /// Administrators of companies
    #[command(
        subcommand,
        after_help = "Example:\n  stipend user create --email ann@diner.example --first-name Ann --last-name Lee --company UUID"
    )]
    User(UserCommand),
    /// The operator's decisions about companies
    #[command(
        subcommand,
        after_help = "Example:\n  stipend company approve UUID --database-url sqlite:stipend.db"
    )]
    Company(CompanyCommand),
    /// Payment files for the operator's bank
    #[command(subcommand, after_help = "Example:\n  stipend bank files --database-url sqlite:stipend.db")]
    Bank(BankCommand),
    /// Reference data: wage statistics and the like
    #[command(subcommand, after_help = "Example:\n  stipend data status --database-url sqlite:stipend.db")]
    Data(DataCommand),
    /// Background jobs that failed permanently
    #[command(subcommand, after_help = "Example:\n  stipend jobs list --database-url sqlite:stipend.db")]
    Jobs(JobsCommand),
    /// Reports of new hires for a state's directory
    #[command(
        subcommand,
        after_help = "Example:\n  stipend new-hires file --company UUID --state FL --out hires.txt"
    )]
    NewHires(NewHiresCommand),
    /// Returns of employment taxes: what a year comes to
    #[command(subcommand, after_help = "Example:\n  stipend returns show --company UUID --year 2026")]
    Returns(ReturnsCommand),
    /// Confirm the machine's clock where the service does not trust it
    #[command(subcommand, after_help = "Example:\n  stipend clock confirm --database-url sqlite:stipend.db")]
    Clock(ClockCommand),
    /// The audit log: who did what, and whether it was tampered with
    #[command(subcommand, after_help = "Example:\n  stipend audit verify --database-url sqlite:stipend.db")]
    Audit(AuditCommand),
    /// Print the demo world of the `stipend dev` running on this machine again: companies, tokens, and who signs in
    #[command(after_help = "Examples:\n  stipend world\n  stipend world --json")]
    World {
        /// URL of the service, if several run
        #[arg(long, value_name = "URL", value_parser = running::web_address)]
        url: Option<String>,
    },
    /// Forward events to a program on this machine and print each one
    #[command(after_help = "Example:\n  stipend listen --forward-to http://127.0.0.1:3000/hooks --since 2h")]
    Listen {
        /// URL to which each event is posted; without it events are only printed
        #[arg(long, value_name = "URL", value_parser = running::web_address)]
        forward_to: Option<String>,
        /// Subscription types, separated by commas, such as Employee,Payroll; all by default
        #[arg(long, value_delimiter = ',')]
        types: Vec<String>,
        /// Also fetch missed events this far back, such as 2h
        #[arg(long, value_name = "TIME")]
        since: Option<SignedDuration>,
        /// URL at which the service reaches this command
        #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:0")]
        receive_at: String,
        #[command(flatten)]
        service: ServiceArgs,
    },
    /// Make an event happen in the demo world, through the calls that lead to it
    #[command(
        after_help = "Examples:\n  stipend trigger employee.created\n  stipend trigger payroll.paid --world world.json"
    )]
    Trigger {
        /// Such as employee.created; --list names them
        #[arg(required_unless_present = "list")]
        event: Option<String>,
        /// Print the events that can be made to happen, one per line
        #[arg(long)]
        list: bool,
        /// The company; that of the demo world by default
        #[arg(long, value_name = "UUID")]
        company: Option<String>,
        #[command(flatten)]
        service: ServiceArgs,
    },
    /// Verify a webhook signature and explain a mismatch
    #[command(after_help = "Example:\n  stipend verify-signature --secret TOKEN --signature VALUE body.json")]
    VerifySignature {
        /// The subscription's verification token
        #[arg(long)]
        secret: String,
        /// The value of X-Service-Signature
        #[arg(long)]
        signature: String,
        /// The body as received; - for standard input
        file: PathBuf,
    },
    /// Print the OpenAPI 3.1 description
    #[command(
        after_help = "Examples:\n  stipend openapi > openapi.json\n  stipend openapi --postman > stipend.postman_collection.json"
    )]
    Openapi {
        /// Print it as a collection for Postman: folders by area, and variables for URL, tokens and company
        #[arg(long)]
        postman: bool,
    },
    /// Print which documented operations of the public interface are served
    #[command(after_help = "Examples:\n  stipend compat > docs/compatibility.md\n  stipend compat --json")]
    Compat,
    /// Print a script that completes commands and options in a shell
    #[command(
        after_help = "Examples:\n  stipend completions bash > /etc/bash_completion.d/stipend\n  stipend completions zsh > ~/.zfunc/_stipend"
    )]
    Completions {
        /// bash, elvish, fish, powershell or zsh
        shell: Shell,
    },
}

/// Where data is stored.
#[derive(Args)]
struct StoreArgs {
    /// Configuration file (TOML); the environment (STIPEND_…) and options override it
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// sqlite:PATH or postgres://…
    #[arg(long, value_name = "URL")]
    database_url: Option<String>,
}

/// Options used once per store.
#[derive(Args)]
struct FirstArgs {
    /// Create the store if it does not exist. For the first start only: later, a mistyped URL would silently create an empty store
    #[arg(long)]
    create: bool,
}

/// Runs the command given on the process's command line.
pub fn main() -> ExitCode {
    serve::take_memory_in_small_pages();
    if std::env::args_os().len() <= 1 {
        // A reader that closed standard output has read enough.
        groups::grouped_command_line().print_help().ok();
        return ExitCode::SUCCESS;
    }
    let read =
        groups::grouped_command_line().try_get_matches().and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = match read {
        Ok(cli) => cli,
        Err(error) if error.use_stderr() => {
            return report_failure(&wrong_use::usage_error(&error, Cli::command()), 2);
        }
        Err(help) => {
            write!(std::io::stdout(), "{help}").ok();
            return ExitCode::SUCCESS;
        }
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let outcome = match runtime {
        Ok(runtime) => runtime.block_on(run(cli.command, cli.json)),
        Err(error) => Err(format!("the runtime could not be started: {error}")),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => report_failure(&message, 1),
    }
}

fn report_failure(message: &str, code: u8) -> ExitCode {
    telemetry::notify_operator(&format!("stipend: {message}"));
    ExitCode::from(code)
}

async fn run(command: Command, json: bool) -> Result<(), String> {
    serve::meet_file_size_limit().map_err(|error| error.to_string())?;
    match command {
        Command::Dev(args) => dev::run_dev_service(args, json).await,
        Command::Serve { serve: args, first } => serving::serve_until_stopped(&args, &first).await,
        Command::Worker(args) => serving::work_until_stopped(&args).await,
        Command::Health { url, store } => serving::check_health(url, &store, json).await,
        Command::Migrate { store, first } => stores::migrate_store(&store, first.create, json),
        Command::Copy(args) => stores::copy_store(args, json).await,
        Command::Distribute(args) => stores::distribute_store(&args, json),
        Command::Backup { file, store } => stores::back_up_store(&file, &store, json),
        Command::Restore { file, replace, store } => stores::restore_store(&file, replace, &store, json),
        Command::Check { production: true, backup, store, .. } => {
            production::check_production(&store, backup.as_deref(), json).await
        }
        Command::Check { add_checksums, store, .. } => stores::check_store(add_checksums, &store, json),
        Command::Keys(command) => stores::run_keys_command(command, json).await,
        Command::App(command) => accounts::run_app_command(command, json).await,
        Command::User(command) => accounts::run_user_command(command, json).await,
        Command::Company(command) => companies::run_company_command(command).await,
        Command::Data(command) => data::run_data_command(command, json).await,
        Command::Clock(ClockCommand::Confirm(store)) => clock::confirm_time(&store, json).await,
        Command::Bank(command) => bank::run_bank_command(command, json).await,
        Command::Jobs(command) => jobs::run_jobs_command(command, json).await,
        Command::NewHires(command) => new_hires::run_new_hires_command(command, json).await,
        Command::Returns(command) => returns::run_returns_command(command, json).await,
        Command::Audit(AuditCommand::Verify(args)) => audit::verify_chains(args, json).await,
        Command::Audit(AuditCommand::ExportSeals(args)) => audit::export_seals(args).await,
        Command::World { url } => running::print_world(url.as_deref(), json),
        Command::Listen { forward_to, types, since, receive_at, service } => {
            let (url, world) = service.find_service()?;
            let kept = world.as_ref().map(|world| world.system_access_token.as_str());
            let token = tools::http::require_token(service.token.as_deref(), kept, "system token")?;
            let api = tools::http::Api::new(&url, token);
            let stop = serve::stop_signal().map_err(|error| error.to_string())?;
            let options = tools::listen::Options { forward_to, types, since, receive_at, json };
            tools::listen::listen_for_events(api, options, stop).await
        }
        Command::Trigger { event: Some(event), company, service, list: false } => {
            trigger_event(&service, company, &event).await?;
            print_result(json, &format!("{event} happened"), &json!({ "event": event, "happened": true }))
        }
        Command::Trigger { .. } => {
            let names: Vec<_> = tools::trigger::event_names().collect();
            print_result(json, &names.join("\n"), &names)
        }
        Command::VerifySignature { secret, signature, file } => {
            verify_signature(&secret, &signature, &file, json)
        }
        Command::Openapi { postman: false } => print_line(&routes::description_text()),
        Command::Openapi { postman: true } => {
            print_line(&format!("{:#}", build_collection(&routes::expanded_description())))
        }
        Command::Compat => {
            let description = routes::description_text();
            let text = interface::compat::table_as_markdown(&description);
            print_result(json, text.trim_end(), &interface::compat::table_as_json(&description))
        }
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "stipend", &mut script);
            std::io::stdout().write_all(&script).map_err(|error| error.to_string())
        }
    }
}

async fn trigger_event(service: &ServiceArgs, company: Option<String>, event: &str) -> Result<(), String> {
    tools::trigger::check_event(event)?;
    let (url, world) = service.find_service()?;
    let demo = world.as_ref().and_then(|world| world.companies.first());
    let kept = demo.and_then(|company| company.access_token.as_deref());
    let token = tools::http::require_token(service.token.as_deref(), kept, "company token")?.to_owned();
    let company = company.or_else(|| demo.map(|company| company.uuid.to_string()));
    let company = company.ok_or("a company is needed: --company (stipend dev --json prints its uuid)")?;
    tools::trigger::trigger_event(tools::trigger::Stage { url, token, company, world }, event).await
}

fn verify_signature(secret: &str, signature: &str, file: &Path, json: bool) -> Result<(), String> {
    let mut body = Vec::new();
    let read = if file == Path::new("-") {
        std::io::stdin().read_to_end(&mut body).map(drop)
    } else {
        std::fs::read(file).map(|bytes| body = bytes)
    };
    read.map_err(|error| opening::unreadable_file_error(file, &error))?;
    match tools::signature::check_signature(secret, signature, &body) {
        tools::signature::Verdict::Right => {
            print_result(json, "the signature is right", &json!({ "right": true }))
        }
        tools::signature::Verdict::Wrong(why) => {
            if json {
                print_line(&json!({ "right": false, "why": why }).to_string())?;
            }
            Err(format!("the signature is wrong: {why}"))
        }
    }
}

/// Prints a command's result: `text` for people, `value` as JSON.
fn print_result(json: bool, text: &str, value: &impl Serialize) -> Result<(), String> {
    print_line(&if json { json!(value).to_string() } else { text.to_owned() })
}

fn print_line(text: &str) -> Result<(), String> {
    writeln!(std::io::stdout(), "{text}").map_err(|error| error.to_string())
}

fn load_settings(args: &StoreArgs) -> Result<Settings, String> {
    let mut settings = Settings::load(args.config.as_deref())?;
    for warning in settings.warnings() {
        writeln!(std::io::stderr(), "warning: {warning}").map_err(|error| error.to_string())?;
    }
    if let Some(url) = &args.database_url {
        settings.database_url.clone_from(url);
    }
    Ok(settings)
}
