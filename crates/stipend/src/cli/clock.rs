//! `stipend clock …`: confirms the machine's time when the service does not trust it.

use clap::Subcommand;
use domain::Error;
use domain::events::newest;
use domain::platform::{audit, moments};
use serde_json::json;
use store::{MasterKeys, Tx};
use uuid::Uuid;

use super::opening::{open_with, run_unit_on};
use super::{StoreArgs, load_settings, print_result};

#[derive(Subcommand)]
pub(super) enum ClockCommand {
    /// Confirm that this machine's clock is right; due work that waits for it resumes within a second
    #[command(after_help = "Example:\n  date && stipend clock confirm --database-url sqlite:stipend.db")]
    Confirm(StoreArgs),
}

/// Confirms the time.
pub(super) async fn confirm_time(args: &StoreArgs, json: bool) -> Result<(), String> {
    // What is confirmed is the machine's time, even if the store has later changes.
    let store = open_with(&load_settings(args)?, MasterKeys::no_keys(), |options| {
        (options.latest, options.test_clock) = (None, None);
    })?;
    let (changed, now) = run_unit_on(&store, |tx: &mut Tx<'_>| {
        let changed = newest::newest_change(tx)?;
        let confirmed = moments::confirm_time(tx)?;
        let told = json!({ "last_change": changed.map(|at| at.to_string()) });
        audit::by_operator(tx, "confirmed", ("clock", Uuid::nil()), &told)?;
        Ok::<_, Error>((changed, confirmed))
    })
    .await?;
    let told = changed.map_or_else(|| "never".to_owned(), |at| format!("{at:.0}"));
    let text = format!("It is {now:.0}. The store was last changed: {told}. What waited for this goes on.");
    let value = json!({ "confirmed_at": now.to_string(), "last_change": changed.map(|at| at.to_string()) });
    print_result(json, &text, &value)
}
