//! `stipend data …`: importing reference data, and which vintages are in use.

use std::path::PathBuf;

use clap::Subcommand;

use serde_json::json;
use store::Tx;

use super::opening::run_unit_on;
use super::{StoreArgs, load_settings, open_public, print_line, print_result};
use crate::tools::progress::Bar;
use domain::datasets;
use domain::platform::confirmations;

#[derive(Subcommand)]
pub(super) enum DataCommand {
    /// Import a newer vintage, all or nothing; a running service uses it within seconds
    #[command(
        after_help = "Example:\n  stipend data import wages all_data_M_2026.xlsx --database-url sqlite:stipend.db"
    )]
    Import {
        /// The kind of data, such as wages; `stipend data status` lists the kinds
        kind: String,
        /// The file as published, or CSV in the layout of the project's data folder
        file: PathBuf,
        /// Name of the vintage (2026-05), if the file does not contain it
        #[arg(long)]
        vintage: Option<String>,
        /// Import the file even if it has far fewer rows than the data in use
        #[arg(long)]
        fewer_rows: bool,
        #[command(flatten)]
        store: StoreArgs,
    },
    /// Show what an import would change, and import nothing
    #[command(
        after_help = "Example:\n  stipend data diff payroll-taxes payroll_taxes.csv --database-url sqlite:stipend.db"
    )]
    Diff {
        /// The kind of data, such as payroll-taxes; `stipend data status` lists the kinds
        kind: String,
        /// The file, as for an import
        file: PathBuf,
        /// Name of the vintage (2026-05), if the file does not contain it
        #[arg(long)]
        vintage: Option<String>,
        /// Accept the file even if it has far fewer rows than the data in use
        #[arg(long)]
        fewer_rows: bool,
        #[command(flatten)]
        store: StoreArgs,
    },
    /// Print an empty file of a kind, to be filled in and imported
    #[command(after_help = "Example:\n  stipend data template payroll-taxes > payroll_taxes.csv")]
    Template {
        /// Such as payroll-taxes; `stipend data status` lists the kinds
        kind: String,
    },
    /// List unverified figures of the tax tables, which are used only once they are confirmed
    #[command(after_help = "Example:\n  stipend data doubtful --database-url sqlite:stipend.db")]
    Doubtful(StoreArgs),
    /// Confirm that unverified figures were checked against the authority's notice: the next calculation uses them
    #[command(
        after_help = "Example:\n  stipend data confirm PA_RESIDENCE WV_PARKERSBURG --database-url sqlite:stipend.db"
    )]
    Confirm {
        /// Such as PA_RESIDENCE; `stipend data doubtful` lists them
        #[arg(required = true)]
        keys: Vec<String>,
        /// Withdraw the confirmation
        #[arg(long)]
        withdraw: bool,
        #[command(flatten)]
        store: StoreArgs,
    },
    /// Show which vintage of each kind is in use, and which tables of law are missing
    #[command(after_help = "Example:\n  stipend data status --database-url sqlite:stipend.db")]
    Status(StoreArgs),
}

/// Imports data, or lists what is in use.
pub(super) async fn run_data_command(act: DataCommand, json: bool) -> Result<(), String> {
    match act {
        DataCommand::Import { kind, file, vintage, fewer_rows, store } => {
            let store = open_public(&load_settings(&store)?)?;
            let bar = Bar::default();
            let show = |done, of| bar.show_progress(done, of);
            let done =
                datasets::import_file(&store, &kind, &file, vintage.as_deref(), fewer_rows, &show).await;
            drop(bar);
            let done = done?;
            print_result(json, &done.to_text(), &done)
        }
        DataCommand::Diff { kind, file, vintage, fewer_rows, store } => {
            let store = open_public(&load_settings(&store)?)?;
            let found = datasets::diff_import(&store, &kind, &file, vintage.as_deref(), fewer_rows).await?;
            print_result(json, &found.to_text(), &found)
        }
        DataCommand::Template { kind } => {
            print_line(datasets::template_of_kind(&kind)?.trim_end_matches('\n'))
        }
        DataCommand::Doubtful(args) => list_doubtful_figures(&args, json).await,
        DataCommand::Confirm { keys, withdraw, store } => {
            let store = open_public(&load_settings(&store)?)?;
            let given = keys.clone();
            run_unit_on(&store, move |tx: &mut Tx<'_>| datasets::confirm_figures(tx, &given, !withdraw))
                .await?;
            let what = if withdraw { "No longer confirmed" } else { "Confirmed" };
            let text = format!("{what}: {}. It holds from the next calculation on.", keys.join(", "));
            print_result(json, &text, &json!({ "keys": keys, "confirmed": !withdraw }))
        }
        DataCommand::Status(args) => {
            let found = datasets::dataset_status(&open_public(&load_settings(&args)?)?).await?;
            print_result(json, &datasets::status_table(&found), &found)
        }
    }
}

/// Lists unverified figures, one per line.
async fn list_doubtful_figures(args: &StoreArgs, json: bool) -> Result<(), String> {
    let store = open_public(&load_settings(args)?)?;
    let figures = run_unit_on(&store, confirmations::list_figures).await?;
    let line = |figure: &confirmations::Figure| {
        let state =
            if figure.confirmed_at.is_some() { "confirmed" } else { figure.doubtful.confidence.into() };
        format!(
            "{:<28} {state:<12} {} ({})",
            figure.doubtful.key, figure.doubtful.name, figure.doubtful.source
        )
    };
    let text: Vec<String> = figures.iter().map(line).collect();
    let value: Vec<_> = figures
        .iter()
        .map(|figure| {
            json!({ "key": figure.doubtful.key, "name": figure.doubtful.name,
                    "confidence": <&str>::from(figure.doubtful.confidence), "source": figure.doubtful.source,
                    "confirmed_at": figure.confirmed_at.map(|at| at.to_string()) })
        })
        .collect();
    print_result(json, &text.join("\n"), &value)
}
