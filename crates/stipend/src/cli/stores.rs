//! What is done with a whole store: its schema, copies of it, and the keys that wrap its keys.

use std::path::Path;

use clap::{Args, Subcommand};
use serde_json::{Value, json};
use store::{Clock, MasterKeys, Store};

use super::{StoreArgs, open, open_public, open_with, print_result, settings};
use crate::tools::progress::Bar;
use domain::MIGRATIONS;
use domain::events::webhooks::outbox;
use interface::config::Settings;

#[derive(Subcommand)]
pub(super) enum KeysCommand {
    /// Print a new master key
    #[command(after_help = "Example:\n  stipend keys new > master.key && chmod 600 master.key")]
    New,
    /// Wrap every data key under the first of the configured master keys
    #[command(
        after_help = "Put the new key on the first line of the key file, above the old one; restart the service; \
                            run this; then remove the old key.\n\nExample:\n  \
                            STIPEND_MASTER_KEY_FILE=master.key stipend keys rotate --database-url sqlite:stipend.db"
    )]
    Rotate(StoreArgs),
}

#[derive(Args)]
pub(super) struct CopyArgs {
    /// The store to be copied: sqlite:PATH or postgres://…
    #[arg(long, value_name = "URL")]
    from: String,
    /// Where to: sqlite:PATH of a new file, or postgres://… of a database without rows
    #[arg(long, value_name = "URL")]
    to: String,
}

/// Brings the schema up to date, of a new store where one may be made.
pub(super) fn migrate(args: &StoreArgs, create: bool, json: bool) -> Result<(), String> {
    let settings = Settings { migrate: true, ..settings(args)? };
    open_with(&settings, settings.master_keys()?, |options| options.create = create)?;
    let newest = MIGRATIONS.last().map_or("", |migration| migration.name);
    print_result(json, &format!("the schema is that of {newest}"), &json!({ "schema": newest }))
}

/// Copies a file store beside those who use it.
pub(super) fn backup(file: &Path, args: &StoreArgs, json: bool) -> Result<(), String> {
    store::backup(&settings(args)?.database_url, file).map_err(|error| error.to_string())?;
    let size = std::fs::metadata(file).map_err(|error| error.to_string())?.len();
    let text = format!("{} holds the store, {} KB; the master key is not in it", file.display(), size >> 10);
    print_result(json, &text, &json!({ "file": file, "bytes": size }))
}

/// Copies everything into a new store.
pub(super) async fn copy(args: CopyArgs, json: bool) -> Result<(), String> {
    settle_events(&args.from).await?;
    let started = Clock::monotonic();
    let copied = tokio::task::block_in_place(|| {
        let bar = Bar::default();
        let copied = store::copy(&args.from, &args.to, MIGRATIONS, &|done, of| bar.show(done, of));
        drop(bar);
        copied
    });
    let copied = copied.map_err(|error| error.to_string())?;
    let rows: u64 = copied.iter().map(|table| table.rows).sum();
    let seconds = Clock::monotonic().saturating_sub(started).as_secs();
    let tables: serde_json::Map<String, Value> =
        copied.iter().map(|table| (table.name.clone(), Value::from(table.rows))).collect();
    let text = format!(
        "{rows} rows of {} tables were copied in {seconds} s, and as many are there; serve the copy with the same master key",
        copied.len()
    );
    print_result(json, &text, &json!({ "rows": rows, "tables": tables }))
}

/// Gives each event its number and its deliveries. The engines number events at different moments, so that one
/// without a number would be passed over on the other.
async fn settle_events(from: &str) -> Result<(), String> {
    if from.strip_prefix("sqlite:").is_some_and(|path| !Path::new(path).is_file()) {
        return Err(format!("there is no store at {from}"));
    }
    let settings = Settings { database_url: from.to_owned(), migrate: false, ..Settings::load(None)? };
    let source: Store = open_public(&settings)?;
    outbox::number_all(&source).await.map_err(|error| format!("the events could not be numbered: {error:?}"))
}

/// Makes a master key, or changes to another.
pub(super) async fn keys(command: KeysCommand, json: bool) -> Result<(), String> {
    match command {
        KeysCommand::New => {
            let key = MasterKeys::generate();
            print_result(json, &key, &json!({ "master_key": *key }))
        }
        KeysCommand::Rotate(args) => {
            let store = open(&settings(&args)?)?;
            let changed = store.rotate_keys().await.map_err(|error| error.to_string())?;
            let text = format!("{changed} data keys were wrapped under the current master key");
            print_result(json, &text, &json!({ "wrapped": changed }))
        }
    }
}
