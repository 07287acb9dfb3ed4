//! `stipend new-hires …`: files of new-hire reports for a state's directory, and recording that they were filed.

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use domain::access::tokens::Caller;
use domain::company::companies;
use domain::people::new_hires::files::{self, Wanted};
use jiff::civil::Date;
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use super::{StoreArgs, print_result, run_unit};
use domain::Error;

#[derive(Subcommand)]
pub(super) enum NewHiresCommand {
    /// Write new-hire reports into a file for a state's directory; it contains Social Security numbers
    #[command(
        after_help = "Hires that were written before are left out. The file must not exist yet, and is for its owner alone.\n\n\
                            Example:\n  stipend new-hires file --company UUID --state FL --out hires.txt"
    )]
    File(FileArgs),
    /// Record that the files for a state's directory were filed
    #[command(after_help = "Example:\n  stipend new-hires filed --company UUID --state FL --on 2026-03-16")]
    Filed(FiledArgs),
}

#[derive(Args)]
pub(super) struct FileArgs {
    /// The company
    #[arg(long, value_name = "UUID")]
    company: Uuid,
    /// Two letters of the state whose directory the file is for
    #[arg(long, value_name = "STATE")]
    state: String,
    /// The file; must not exist yet
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// First hire date; defaults to 60 days back
    #[arg(long, value_name = "DATE")]
    from: Option<Date>,
    /// Last hire date; defaults to today
    #[arg(long, value_name = "DATE")]
    until: Option<Date>,
    /// Hires in all states, for an employer that reports everybody to one state
    #[arg(long)]
    multistate: bool,
    /// Include hires that are in an earlier file
    #[arg(long)]
    again: bool,
    #[command(flatten)]
    store: StoreArgs,
}

#[derive(Args)]
pub(super) struct FiledArgs {
    /// The company
    #[arg(long, value_name = "UUID")]
    company: Uuid,
    /// Two letters of the state whose directory the files were for
    #[arg(long, value_name = "STATE")]
    state: String,
    /// The filing date
    #[arg(long, value_name = "DATE")]
    on: Date,
    #[command(flatten)]
    store: StoreArgs,
}

/// Runs the command.
pub(super) async fn act(command: NewHiresCommand, json: bool) -> Result<(), String> {
    match command {
        NewHiresCommand::File(args) => file(args, json).await,
        NewHiresCommand::Filed(args) => filed(args, json).await,
    }
}

async fn file(args: FileArgs, json: bool) -> Result<(), String> {
    let FileArgs { company, state, out, from, until, multistate, again, store } = args;
    let failed = |error: std::io::Error| format!("{} cannot be written: {error}", out.display());
    // The file is created first: hires are recorded as written only if that succeeds.
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&out).map_err(failed)?;
    let wanted = Wanted { directory: state.clone(), from, until, multistate, again };
    let unit = move |tx: &mut Tx<'_>| {
        let operator = operator(tx, company)?;
        files::write(tx, &operator, &wanted)
    };
    let written = match run_unit(&store, unit).await {
        Ok(written) => written,
        Err(why) => {
            std::fs::remove_file(&out).ok();
            return Err(why);
        }
    };
    let kept = file.write_all(written.content.as_bytes()).and_then(|()| file.sync_all());
    kept.map_err(|error| format!("{} cannot be written: {error}; write the hires --again", out.display()))?;
    let text = format!("{} hires for the directory of {state} in {}", written.hires, out.display());
    print_result(json, &text, &json!({ "state": state, "hires": written.hires, "file": out }))
}

async fn filed(args: FiledArgs, json: bool) -> Result<(), String> {
    let FiledArgs { company, state, on, store } = args;
    let directory = state.clone();
    let unit = move |tx: &mut Tx<'_>| {
        let operator = operator(tx, company)?;
        files::filed(tx, &operator, &directory, on)
    };
    let hires = run_unit(&store, unit).await?;
    let text = format!("{hires} hires were filed with the directory of {state} on {on}");
    print_result(json, &text, &json!({ "state": state, "hires": hires, "filed_on": on.to_string() }))
}

/// The operator, acting on the records of a company.
fn operator(tx: &mut Tx<'_>, company: Uuid) -> Result<Caller, Error> {
    companies::find(tx, company)?.ok_or(Error::NotFound)?;
    Ok(Caller::operator(company, companies::time_zone(tx, company)?))
}
