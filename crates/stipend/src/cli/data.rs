//! `stipend data …`: newer reference data, and which are in use.

use std::path::PathBuf;

use clap::Subcommand;

use super::{StoreArgs, open_public, print_result, settings};
use crate::tools::progress::Bar;
use domain::datasets;

#[derive(Subcommand)]
pub(super) enum DataCommand {
    /// Load a newer vintage, all of it or nothing; a running service follows within seconds
    #[command(
        after_help = "Example:\n  stipend data import wages all_data_M_2026.xlsx --database-url sqlite:stipend.db"
    )]
    Import {
        /// What the file holds, such as wages; `stipend data status` lists the kinds
        kind: String,
        /// The file as it was published, or CSV in the layout of the project's data folder
        file: PathBuf,
        /// Name of the vintage (2026-05), where the file does not say it
        #[arg(long)]
        vintage: Option<String>,
        /// Take the file even if it has far fewer rows than the data in use
        #[arg(long)]
        fewer_rows: bool,
        #[command(flatten)]
        store: StoreArgs,
    },
    /// Print the layout of a kind's files, to be filled and imported
    #[command(after_help = "Example:\n  stipend data template payroll-taxes > payroll_taxes.csv")]
    Template {
        /// Such as payroll-taxes; `stipend data status` lists the kinds
        kind: String,
    },
    /// Show which vintage of each kind is in use, and which tables of law are missing
    #[command(after_help = "Example:\n  stipend data status --database-url sqlite:stipend.db")]
    Status(StoreArgs),
}

/// Loads data, or says which are in use.
pub(super) async fn act(act: DataCommand, json: bool) -> Result<(), String> {
    match act {
        DataCommand::Import { kind, file, vintage, fewer_rows, store } => {
            let store = open_public(&settings(&store)?)?;
            let bar = Bar::default();
            let show = |done, of| bar.show(done, of);
            let done = datasets::import(&store, &kind, &file, vintage.as_deref(), fewer_rows, &show).await;
            drop(bar);
            let done = done?;
            print_result(json, &done.to_text(), &done)
        }
        DataCommand::Template { kind } => {
            print!("{}", datasets::template(&kind)?);
            Ok(())
        }
        DataCommand::Status(args) => {
            let found = datasets::status(&open_public(&settings(&args)?)?).await?;
            print_result(json, &datasets::table(&found), &found)
        }
    }
}
