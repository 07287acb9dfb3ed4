//! `stipend serve` and `stipend worker`, and the check whether a service can serve.

use clap::Args;
use interface::config::Settings;
use interface::operations;
use pages::routes;
use serde_json::json;
use store::Store;
use tokio::net::TcpListener;

use super::opening::open_service;
use super::{FirstArgs, StoreArgs, load_settings, print_result};
use crate::held::{self, Held};
use crate::{serve, telemetry, tools};

#[derive(Args)]
pub(super) struct ServeArgs {
    #[command(flatten)]
    pub(super) store: StoreArgs,
    /// Address to listen on; port 0 chooses a free one
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<String>,
    /// SQLite without a file
    #[arg(long)]
    pub(super) memory: bool,
    /// URL at which clients reach the service
    #[arg(long, value_name = "URL")]
    public_url: Option<String>,
    /// URL at which employees reach the hosted pages
    #[arg(long, value_name = "URL")]
    flow_url: Option<String>,
    /// Leave background work to `stipend worker`
    #[arg(long)]
    no_worker: bool,
}

/// Serves until the process is asked to stop.
pub(super) async fn serve_until_stopped(args: &ServeArgs, first: &FirstArgs) -> Result<(), String> {
    let settings = serve_settings(args)?;
    let _log = telemetry::start_logging(&settings.log, false)?;
    serve::keep_memory_to_itself();
    settings.warn_of_open_key_file();
    serve::warn_of_file_size_limit();
    let store = open_service(&settings, first.create)?;
    let _held = if settings.worker { Some(the_only_worker(&settings)?) } else { None };
    run_service(settings, store, |_, _| {}).await
}

/// Works in the background until the process is asked to stop.
pub(super) async fn work_until_stopped(args: &StoreArgs) -> Result<(), String> {
    let settings = load_settings(args)?;
    let _log = telemetry::start_logging(&settings.log, false)?;
    serve::keep_memory_to_itself();
    settings.warn_of_open_key_file();
    serve::warn_of_file_size_limit();
    let store = open_service(&settings, false)?;
    let _held = the_only_worker(&settings)?;
    let stop = serve::stop_signal().map_err(|error| error.to_string())?;
    let (app, _) = routes::build_service(store, settings);
    app.work_in_background(stop).await;
    Ok(())
}

/// Reserves a file store for the background work of this process, until the returned value is dropped: jobs that were
/// running when another process ended are resumed at the start. On a server several processes work side by side.
fn the_only_worker(settings: &Settings) -> Result<Held, String> {
    let Some(file) = held::file_of(&settings.database_url) else { return Ok(Held::Alone) };
    held::reserve_store(&settings.database_url)?.ok_or_else(|| {
        let file = file.display();
        format!("another process does the background work of {file}; end it, or start this one as `stipend serve --no-worker`")
    })
}

pub(super) fn serve_settings(args: &ServeArgs) -> Result<Settings, String> {
    let mut settings = load_settings(&args.store)?;
    if let Some(listen) = &args.listen {
        settings.listen.clone_from(listen);
    }
    if args.memory {
        "sqlite::memory:".clone_into(&mut settings.database_url);
    }
    settings.public_url = args.public_url.clone().or(settings.public_url);
    settings.flow_url = args.flow_url.clone().or(settings.flow_url);
    settings.worker &= !args.no_worker;
    Ok(settings)
}

/// Listens, passes the address to `ready`, and serves until the process is asked to stop.
pub(super) async fn run_service(
    mut settings: Settings,
    store: Store,
    ready: impl FnOnce(&str, &Settings),
) -> Result<(), String> {
    // A client that knows the address may already ask the process to stop.
    let stop = serve::stop_signal().map_err(|error| error.to_string())?;
    let listener = TcpListener::bind(&settings.listen).await.map_err(|error| {
        format!("cannot listen on {}: {error}; choose another address with --listen", settings.listen)
    })?;
    let address = listener.local_addr().map_err(|error| error.to_string())?;
    if settings.public_url.is_none() && address.ip().is_unspecified() {
        tracing::warn!(
            %address,
            "no public_url is set: links and addresses that are handed out name an address that nobody can open"
        );
    }
    let base_url = settings.public_url.clone().unwrap_or_else(|| format!("http://{address}"));
    settings.flow_url.get_or_insert_with(|| base_url.clone());
    settings.public_url.get_or_insert_with(|| base_url.clone());
    operations::record_metrics()?;
    let (terms, worker) = (serve::Terms::from_settings(&settings), settings.worker);
    let (app, router) = routes::build_service(store, settings);
    let beside = tokio::spawn({
        let (app, stop) = (app.clone(), stop.clone());
        async move { if worker { app.work_in_background(stop).await } else { app.watch_store(stop).await } }
    });
    ready(&base_url, &app.settings);
    tracing::info!(%address, "listening");
    serve::serve_connections(listener, router, terms, stop).await;
    beside.await.ok();
    Ok(())
}

/// Checks whether a service can serve.
pub(super) async fn check_health(url: Option<String>, store: &StoreArgs, json: bool) -> Result<(), String> {
    let settings = load_settings(store)?;
    let url = url.unwrap_or_else(|| format!("http://{}", local_address(&settings.listen)));
    let told = match tools::http::readiness_text(&url, settings.metrics_token.as_deref()).await {
        Ok(told) => told,
        Err(why) if json => {
            print_result(json, &why, &json!({ "ready": false, "told": why }))?;
            return Err(why);
        }
        Err(why) => return Err(why),
    };
    print_result(json, &told, &json!({ "ready": true, "told": told }))
}

/// The URL on this machine of a service that listens on `listen`.
pub(super) fn local_address(listen: &str) -> String {
    match listen.rsplit_once(':') {
        Some(("0.0.0.0", port)) => format!("127.0.0.1:{port}"),
        Some(("[::]", port)) => format!("[::1]:{port}"),
        _ => listen.to_owned(),
    }
}
