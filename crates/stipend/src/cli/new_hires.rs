//! `stipend new-hires …`: files of new-hire reports for a state's directory, and recording that they were filed.

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use domain::access::tokens::Caller;
use domain::company::companies;
use domain::contractors::new_hires as reports;
use domain::people::new_hires::files::{self, WantedFile, Written};
use jiff::civil::Date;
use rules::check;
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use super::{StoreArgs, print_result, run_unit};
use domain::Error;
use domain::paging::AskedDays;

#[derive(Subcommand)]
pub(super) enum NewHiresCommand {
    /// Write new-hire reports into a file for a state's directory; it contains Social Security numbers
    #[command(
        after_help = "Hires that were written before are left out. The file must not exist yet, and is for its owner alone.\n\n\
                            Example:\n  stipend new-hires file --company UUID --state FL --out hires.txt"
    )]
    File(FileArgs),
    /// Write the reports of contractors as a table to be entered at a state's directory; it contains Social Security numbers
    #[command(
        after_help = "No directory that asks for contractors is known to take the file of new hires. The table must not exist yet, and is\n\
                      for its owner alone.\n\n\
                      Example:\n  stipend new-hires contractors --company UUID --state CA --out contractors.csv"
    )]
    Contractors(ContractorsArgs),
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
pub(super) struct ContractorsArgs {
    /// The company
    #[arg(long, value_name = "UUID")]
    company: Uuid,
    /// Two letters of the state to which they are reported; defaults to all
    #[arg(long, value_name = "STATE")]
    state: Option<String>,
    /// The table; must not exist yet
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// First day on which a report is due from; defaults to 60 days back
    #[arg(long, value_name = "DATE")]
    from: Option<Date>,
    /// Last such day; defaults to today
    #[arg(long, value_name = "DATE")]
    until: Option<Date>,
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
pub(super) async fn run_new_hires_command(command: NewHiresCommand, json: bool) -> Result<(), String> {
    match command {
        NewHiresCommand::File(args) => write_new_hire_file(args, json).await,
        NewHiresCommand::Contractors(args) => write_contractor_file(args, json).await,
        NewHiresCommand::Filed(args) => record_filing(args, json).await,
    }
}

async fn write_new_hire_file(args: FileArgs, json: bool) -> Result<(), String> {
    let FileArgs { company, state, out, from, until, multistate, again, store } = args;
    let wanted = WantedFile { directory: state.clone(), from, until, multistate, again };
    let unit = move |tx: &mut Tx<'_>| {
        let operator = operator_of_company(tx, company)?;
        files::write_filing(tx, &operator, &wanted)
    };
    let hires = save_new_file(&out, &store, unit, "; write the hires --again").await?;
    let text = format!("{hires} hires for the directory of {state} in {}", out.display());
    print_result(json, &text, &json!({ "state": state, "hires": hires, "file": out }))
}

async fn write_contractor_file(args: ContractorsArgs, json: bool) -> Result<(), String> {
    let ContractorsArgs { company, state, out, from, until, store } = args;
    let known = state.as_deref().map(|state| check::parse_state("--state", state)).transpose();
    known.map_err(|unknown| unknown.message)?;
    let to = state.clone();
    let unit = move |tx: &mut Tx<'_>| {
        let operator = operator_of_company(tx, company)?;
        reports::write_reports(tx, &operator, to.as_deref(), AskedDays { from, until })
    };
    let contractors = save_new_file(&out, &store, unit, "").await?;
    let text = format!("{contractors} contractors in {}", out.display());
    print_result(json, &text, &json!({ "state": state, "contractors": contractors, "file": out }))
}

/// Saves what a unit writes in a new file of its owner alone, and returns how many persons are in it.
async fn save_new_file(
    out: &Path,
    store: &StoreArgs,
    unit: impl Fn(&mut Tx<'_>) -> Result<Written, Error> + Send + 'static,
    advice: &str,
) -> Result<usize, String> {
    let failed = |error: std::io::Error| format!("{} cannot be written: {error}", out.display());
    // The file is created first: hires are recorded as written only if that succeeds.
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(out).map_err(failed)?;
    let written = match run_unit(store, unit).await {
        Ok(written) => written,
        Err(why) => {
            std::fs::remove_file(out).ok();
            return Err(why);
        }
    };
    let kept = file.write_all(written.content.as_bytes()).and_then(|()| file.sync_all());
    kept.map_err(|error| format!("{} cannot be written: {error}{advice}", out.display()))?;
    Ok(written.hires)
}

async fn record_filing(args: FiledArgs, json: bool) -> Result<(), String> {
    let FiledArgs { company, state, on, store } = args;
    let directory = state.clone();
    let unit = move |tx: &mut Tx<'_>| {
        let operator = operator_of_company(tx, company)?;
        files::record_filing(tx, &operator, &directory, on)
    };
    let hires = run_unit(&store, unit).await?;
    let text = format!("{hires} hires were filed with the directory of {state} on {on}");
    print_result(json, &text, &json!({ "state": state, "hires": hires, "filed_on": on.to_string() }))
}

/// The operator, acting on the records of a company.
fn operator_of_company(tx: &mut Tx<'_>, company: Uuid) -> Result<Caller, Error> {
    companies::find_company(tx, company)?.ok_or(Error::NotFound)?;
    Ok(Caller::for_operator(company, companies::time_zone(tx, company)?))
}
