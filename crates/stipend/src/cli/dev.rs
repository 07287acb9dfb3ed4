//! `stipend dev`: the service for a developer, with a demo world, a test clock, and without limits that would be in the
//! way.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use domain::platform::moments;
use interface::config::Settings;
use interface::demo::World;
use jiff::Timestamp;
use store::{Clock, Store};

use super::opening::open_with;
use super::serving::{ServeArgs, run_service, serve_settings};
use crate::devworld::Home;
use crate::devworld::bank::BankFolder;
use crate::devworld::report::Report;
use crate::{devworld, telemetry};

#[derive(Args)]
pub(super) struct DevArgs {
    #[command(flatten)]
    serve: ServeArgs,
    /// Seed from which the ids and tokens of the demo world are derived
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Initial time; it stands still, and only the test clock moves it
    #[arg(long, value_name = "TIME")]
    clock: Option<Timestamp>,
    /// Leave out the company with a year of past payrolls, for test suites that restart the service often
    #[arg(long)]
    without_history: bool,
    /// Write URLs, tokens and ids as environment variables to this file, including those that the end-to-end suite of
    /// the published React components reads
    #[arg(long, value_name = "FILE")]
    write_env: Option<PathBuf>,
}

/// Runs the service for a developer until it is asked to stop.
pub(super) async fn run_dev_service(args: DevArgs, json: bool) -> Result<(), String> {
    let mut settings = without_limits(serve_settings(&args.serve)?);
    let _log = telemetry::start_logging(&settings.log, true)?;
    let chosen = args.serve.memory
        || args.serve.store.database_url.is_some()
        || std::env::var_os("STIPEND_DATABASE_URL").is_some();
    let home = Home::for_store(if chosen { Some(&settings.database_url) } else { None })?;
    settings.database_url.clone_from(&home.database_url);
    // Held until the process ends: a second process would have its own clock, and its own world.
    let _held = home.lock_home()?;
    if settings.master_key.is_none() && settings.master_key_file.is_none() {
        settings.master_key = Some(home.master_key()?.into());
    }
    // It must exist as long as files are made.
    let bank = BankFolder::open_folder(home.bank_folder())?;
    let (store, world) = open_world(&args, &settings, &home, &bank).await?;
    let world = Arc::new(world);
    settings.demo = Some(Arc::clone(&world));
    // Dropped, and so removed, at the end of this function, when no client is served any more.
    let mut announced = None;
    let ready = |base_url: &str, settings: &Settings| {
        if let Some(file) = &args.write_env
            && let Err(error) = devworld::environment::write_environment_file(file, base_url, &world)
        {
            tracing::error!(file = %file.display(), %error, "the environment file could not be written");
        }
        let report = Report::new(base_url, settings.flow_url.as_deref().unwrap_or(base_url), &world);
        announced = devworld::running::announce_report(&report.to_json()).unwrap_or_else(|error| {
            tracing::warn!(%error, "`stipend listen` and `stipend trigger` will not find this service by themselves");
            None
        });
        let text = if json { report.to_json() } else { report.to_text() };
        // A reader that closed standard output does not want a message.
        writeln!(std::io::stdout(), "{text}").ok();
    };
    let served = run_service(settings, store, ready).await;
    drop((announced, bank));
    served
}

/// Turns off what would be in a developer's way.
fn without_limits(mut settings: Settings) -> Settings {
    settings.dev = true;
    settings.test_helpers = true;
    settings.rate_limit = 0;
    settings.token_rate_limit = 0;
    settings.address_rate_limit = 0;
    settings.webhook_verifications = 0;
    if settings.frame_origins.is_empty() {
        // An evaluator embeds the documents in a page on their own machine.
        settings.frame_origins = ["http://localhost:*", "http://127.0.0.1:*"].map(str::to_owned).to_vec();
    }
    settings
}

/// The store of a location with its demo world, which is created if it does not exist.
async fn open_world(
    args: &DevArgs,
    settings: &Settings,
    home: &Home,
    bank: &BankFolder,
) -> Result<(Store, World), String> {
    let kept = home.find_world(args.seed)?;
    if kept.is_none() {
        home.begin_world()?;
    }
    let present = args.clock.unwrap_or_else(|| Clock::from_system().now());
    // One of the companies has a past, which the clock traverses while the world is built.
    let past = if kept.is_some() || args.without_history { None } else { devworld::story_begins(present) };
    let clock = match (past, args.clock) {
        (past, Some(standing)) => Clock::standing_at(past.unwrap_or(standing)),
        (Some(past), None) => Clock::running_from(past),
        (None, None) => Clock::from_system(),
    };
    let store = open_with(settings, settings.master_keys()?, |options| {
        (options.create, options.migrate) = (true, settings.migrate);
        options.clock = clock;
        options.seed = args.seed;
        // It is this command that says what the test clock shows.
        options.test_clock = None;
    })?;
    if let Some(world) = kept {
        note_clock(&store).await;
        return Ok((store, world));
    }
    match store.read(devworld::is_in_use).await {
        Ok(false) => {}
        Ok(true) => {
            return Err("the store holds companies or applications, and no demo world: choose another place, with --memory or --database-url".to_owned());
        }
        Err(error) => return Err(format!("the store cannot be read: {}", error.to_line())),
    }
    devworld::bank::set_up(&store, bank).await?;
    let world = devworld::build_world(&store, args.seed, present).await;
    let world = world.map_err(|error| {
        let why = error.to_line();
        format!("the demo world could not be built: {why}; in a store that holds something already choose another place: --memory, or --database-url")
    })?;
    if args.clock.is_none() {
        // Real time has passed since then.
        store.clock().advance_to(Clock::from_system().now());
    }
    home.save_world(args.seed, &world)?;
    note_clock(&store).await;
    Ok((store, world))
}

/// Records what the store's clock shows, for commands beside this one. A full store is served nevertheless: what it holds can be read.
async fn note_clock(store: &Store) {
    let stands = store.clock().is_standing();
    let noted = store.write(move |tx| moments::note_test_clock(tx, stands)).await;
    if let Err(error) = noted.map_err(|error: domain::Error| error.to_line()) {
        tracing::warn!(
            "commands beside this one do not know the test clock, because it cannot be recorded: {error}"
        );
    }
}
