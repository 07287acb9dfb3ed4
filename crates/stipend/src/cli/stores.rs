//! Commands about a whole store: its schema, copies of it, and its keys.

use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use clap::{Args, Subcommand};
use serde_json::{Value, json};
use store::{Clock, MasterKeys, Options, Restored, Rotation, Store};

use super::opening::{open_with, run_unit_on};
use super::{StoreArgs, load_settings, open_public, open_store, print_result};
use crate::tools::progress::Bar;
use domain::events::webhooks::outbox;
use domain::platform::audit;
use domain::{MIGRATIONS, PLACEMENTS, SCHEMA, sealed};
use interface::config::Settings;
use uuid::Uuid;

#[derive(Subcommand)]
pub(super) enum KeysCommand {
    /// Print a new master key
    #[command(after_help = "Example:\n  stipend keys new > master.key && chmod 600 master.key")]
    New,
    /// Rewrap every data key under the first of the configured master keys
    #[command(
        after_help = "--data gives every company and application a new data key, waits for a minute, and seals all fields again, \
                            while the service runs; cut off, it goes on when it is given again.\n\nPut the new key on the first line of the key file, above the old one; restart the service; \
                            run this; then remove the old key.\n\nExample:\n  \
                            STIPEND_MASTER_KEY_FILE=master.key stipend keys rotate --database-url sqlite:stipend.db"
    )]
    Rotate(RotateArgs),
}

#[derive(Args)]
pub(super) struct RotateArgs {
    /// Rotate the data keys too: reseal every field under new ones
    #[arg(long)]
    data: bool,
    /// With --data: if other nodes have to learn of the new keys first, print when to continue instead of waiting
    #[arg(long, requires = "data")]
    no_wait: bool,
    #[command(flatten)]
    store: StoreArgs,
}

#[derive(Args)]
pub(super) struct CopyArgs {
    /// The store to copy: sqlite:PATH or postgres://…
    #[arg(long, value_name = "URL")]
    from: String,
    /// The new store: sqlite:PATH of a new file, or postgres://… of a database without rows
    #[arg(long, value_name = "URL")]
    to: String,
}

/// Migrates the schema, and creates the store if permitted.
pub(super) fn migrate_store(args: &StoreArgs, create: bool, json: bool) -> Result<(), String> {
    let settings = load_settings(args)?;
    // Shown only where tables are distributed.
    let bar = Arc::new(OnceLock::<Bar>::new());
    let shown = Arc::clone(&bar);
    let opened = open_with(&settings, settings.master_keys()?, move |options| {
        (options.create, options.migrate) = (create, true);
        options.placing = Some(Arc::new(move |done, of| {
            shown.get_or_init(Bar::default).show_progress(done as u64, of as u64)
        }));
    });
    drop(bar);
    let newest = MIGRATIONS.last().map_or("", |migration| migration.name);
    let mut text = format!("the schema is that of {newest}");
    if let Some(standing) = opened?.distribution() {
        text.push_str(&format!("; {standing}"));
    }
    print_result(json, &text, &json!({ "schema": newest }))
}

/// Distributes the tables of a store over several servers.
pub(super) fn distribute_store(args: &StoreArgs, json: bool) -> Result<(), String> {
    let url = load_settings(args)?.database_url;
    let started = Clock::monotonic();
    let placed = tokio::task::block_in_place(|| {
        let bar = Bar::default();
        let placed = store::distribute_tables(&url, PLACEMENTS, &|done, of, _| {
            bar.show_progress(done as u64, of as u64)
        });
        drop(bar);
        placed
    });
    let placed = placed.map_err(|error| error.to_string())?;
    let seconds = Clock::monotonic().saturating_sub(started).as_secs();
    let text = match placed.len() {
        0 => "every table is distributed already".to_owned(),
        count => format!("{count} tables were distributed over the servers in {seconds} s"),
    };
    print_result(json, &text, &json!({ "tables": placed }))
}

/// Copies a file store while it is in use.
pub(super) fn back_up_store(file: &Path, args: &StoreArgs, json: bool) -> Result<(), String> {
    store::backup_file(&load_settings(args)?.database_url, file).map_err(|error| error.to_string())?;
    let size = std::fs::metadata(file).map_err(|error| error.to_string())?.len();
    let text = format!("{} holds the store, {} KB; the master key is not in it", file.display(), size >> 10);
    print_result(json, &text, &json!({ "file": file, "bytes": size }))
}

/// Restores a backup in the place of a file store.
pub(super) fn restore_store(file: &Path, replace: bool, args: &StoreArgs, json: bool) -> Result<(), String> {
    let settings = load_settings(args)?;
    let options = Options::new(Clock::from_system(), settings.master_keys()?, SCHEMA);
    let started = Clock::monotonic();
    let restored = store::restore_file(&settings.database_url, file, replace, &options);
    let Restored { bytes, schema, set_aside } = restored.map_err(|error| error.to_string())?;
    let seconds = Clock::monotonic().saturating_sub(started).as_secs();
    let newest = MIGRATIONS.last().map(|migration| migration.name);
    let mut text = format!("{} KB were checked and restored in {seconds} s", bytes >> 10);
    if schema.as_deref() != newest {
        text.push_str("; the schema is older than this program: bring it up to date with `stipend migrate`");
    }
    for aside in &set_aside {
        text.push_str(&format!("\nset aside: {}", aside.display()));
    }
    print_result(json, &text, &json!({ "bytes": bytes, "schema": schema, "set_aside": set_aside }))
}

/// Reads every page of a file store, after adding checksums if requested.
pub(super) fn check_store(add_checksums: bool, args: &StoreArgs, json: bool) -> Result<(), String> {
    let settings = load_settings(args)?;
    let mut set_aside = Vec::new();
    if add_checksums {
        let options = Options::new(Clock::from_system(), settings.master_keys()?, SCHEMA);
        let added =
            store::add_checksums(&settings.database_url, &options).map_err(|error| error.to_string())?;
        set_aside = added.map_or_else(Vec::new, |added| added.set_aside);
    }
    let checked = store::check_file(&settings.database_url).map_err(|error| error.to_string())?;
    if let Some(damaged) = checked.damaged {
        return Err(format!("the store is damaged: {damaged}"));
    }
    let has =
        if checked.checksums { "have checksums" } else { "have no checksums; --add-checksums adds them" };
    let mut text = format!("every page of {} KB was read and is whole; pages {has}", checked.bytes >> 10);
    for aside in &set_aside {
        text.push_str(&format!("\nset aside: {}", aside.display()));
    }
    let value = json!({ "bytes": checked.bytes, "checksums": checked.checksums, "set_aside": set_aside });
    print_result(json, &text, &value)
}

/// Copies everything into a new store.
pub(super) async fn copy_store(args: CopyArgs, json: bool) -> Result<(), String> {
    settle_events(&args.from).await?;
    let started = Clock::monotonic();
    let copied = tokio::task::block_in_place(|| {
        let bar = Bar::default();
        let copied = store::copy_store(&args.from, &args.to, SCHEMA, &|done, of| bar.show_progress(done, of));
        drop(bar);
        copied
    });
    let copied = copied.map_err(|error| error.to_string())?;
    let rows: u64 = copied.iter().map(|table| table.rows).sum();
    let seconds = Clock::monotonic().saturating_sub(started).as_secs();
    let tables: serde_json::Map<String, Value> =
        copied.iter().map(|table| (table.name.clone(), Value::from(table.rows))).collect();
    let text = format!(
        "{rows} rows of {} tables were copied in {seconds} s, and verified by count; serve the copy with the same master key",
        copied.len()
    );
    print_result(json, &text, &json!({ "rows": rows, "tables": tables }))
}

/// Numbers every event and creates its deliveries. The engines number events at different moments, so an unnumbered
/// event would be skipped on the other engine.
async fn settle_events(from: &str) -> Result<(), String> {
    if from.strip_prefix("sqlite:").is_some_and(|path| !Path::new(path).is_file()) {
        return Err(format!("there is no store at {from}"));
    }
    let settings = Settings { database_url: from.to_owned(), ..Settings::load(None)? };
    let source: Store = open_public(&settings)?;
    outbox::number_all(&source)
        .await
        .map_err(|error| format!("the events could not be numbered: {}", error.to_line()))
}

/// Creates a master key, or changes to another one.
pub(super) async fn run_keys_command(command: KeysCommand, json: bool) -> Result<(), String> {
    match command {
        KeysCommand::New => {
            let key = MasterKeys::generate_key();
            print_result(json, &key, &json!({ "master_key": *key }))
        }
        KeysCommand::Rotate(args) => {
            let store = open_store(&load_settings(&args.store)?)?;
            let wrapped = store.rotate_keys().await.map_err(|error| error.to_string())?;
            if wrapped > 0 {
                note_rotation(&store, json!({ "wrapped": wrapped })).await?;
            }
            let text = format!("{wrapped} data keys were wrapped under the current master key");
            if !args.data {
                return print_result(json, &text, &json!({ "wrapped": wrapped }));
            }
            let (after, data) = rotate_data_keys(&store, args.no_wait).await?;
            print_result(json, &format!("{text}\n{after}"), &json!({ "wrapped": wrapped, "data": data }))
        }
    }
}

/// Records a change of keys in the audit log.
async fn note_rotation(store: &Store, told: Value) -> Result<(), String> {
    run_unit_on(store, move |tx| audit::by_operator(tx, "rotated", ("data_keys", Uuid::nil()), &told)).await
}

/// Rotates the data keys; returns the result in words and as data.
async fn rotate_data_keys(store: &Store, no_wait: bool) -> Result<(String, Value), String> {
    loop {
        match store.rotate_data_keys(&sealed::SEALED).await.map_err(|error| error.to_string())? {
            Rotation::Done { owners, fields } => {
                let text = format!(
                    "{fields} fields of {owners} owners were resealed; their old data keys are deleted in two days"
                );
                let told = json!({ "owners": owners, "fields": fields });
                note_rotation(store, told.clone()).await?;
                return Ok((text, told));
            }
            Rotation::Waiting(until) if no_wait => {
                let text = format!(
                    "new data keys were created; from {until:.0} on, run the command again to reseal the fields"
                );
                return Ok((text, json!({ "go_on_from": until })));
            }
            Rotation::Waiting(until) => {
                let rest = Duration::try_from(until.duration_since(store.clock().now())).unwrap_or_default();
                eprintln!("new data keys were created; every node knows them in {} s", rest.as_secs() + 1);
                tokio::time::sleep(rest + Duration::from_millis(10)).await;
            }
        }
    }
}
