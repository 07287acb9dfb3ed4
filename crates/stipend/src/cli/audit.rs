//! `stipend audit …`: whether the audit log is unchanged since it was written.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::opening::{error_line, read_file};
use super::{StoreArgs, load_settings, open_store};
use domain::Error;
use domain::platform::audit::seals;
use domain::platform::audit::seals::Chain;

#[derive(Subcommand)]
pub(super) enum AuditCommand {
    /// Recompute every seal of the audit log from its entries, and report mismatches
    #[command(
        after_help = "Exit code 1 when something does not fit. The newest seal of each company, kept elsewhere, later shows \
                            that the end of\nits chain is still there.\n\nExamples:\n  stipend audit verify --database-url sqlite:stipend.db\n  \
                            stipend audit verify --company UUID --seal 3f9a…"
    )]
    Verify(VerifyArgs),
    /// Write the newest seal of every company, to be kept elsewhere and compared with the store later
    #[command(
        after_help = "Example:\n  stipend audit export-seals --database-url sqlite:stipend.db > seals.jsonl"
    )]
    ExportSeals(StoreArgs),
}

/// A line of the exported seals.
#[derive(Serialize, Deserialize)]
struct Noted {
    company: Uuid,
    seals: i64,
    newest: String,
}

#[derive(Args)]
pub(super) struct VerifyArgs {
    /// Only this company
    #[arg(long, value_name = "UUID")]
    company: Option<Uuid>,
    /// A seal recorded earlier that must be in the company's chain
    #[arg(long, value_name = "SEAL", requires = "company", value_parser = parse_seal)]
    seal: Option<String>,
    /// Seals written by an earlier `stipend audit export-seals`; each must be in its company's chain
    #[arg(long, value_name = "FILE", conflicts_with_all = ["company", "seal"])]
    seals: Option<PathBuf>,
    #[command(flatten)]
    store: StoreArgs,
}

/// A seal, as `stipend audit verify` and `export-seals` print it.
fn parse_seal(text: &str) -> Result<String, String> {
    match hex::decode(text) {
        Ok(bytes) if bytes.len() == 32 => Ok(text.to_ascii_lowercase()),
        _ => Err("must be 64 hexadecimal digits".to_owned()),
    }
}

fn audit_error(error: Error) -> String {
    error_line(error, "there is no such company")
}

/// Checks one chain, or all of them.
pub(super) async fn verify_chains(args: VerifyArgs, json: bool) -> Result<(), String> {
    let store = open_store(&load_settings(&args.store)?)?;
    let (mut chains, mut broken) = (0_u64, 0_u64);
    let mut report = |chain: &Chain| {
        // Records of no company have a chain only if there are any.
        if chain.company.is_nil() && chain.seals + chain.unsealed == 0 && chain.broken.is_none() {
            return Ok(());
        }
        chains += 1;
        broken += u64::from(chain.broken.is_some());
        super::print_result(json, &describe_chain(chain), chain)
    };
    if let Some(company) = args.company {
        let chain =
            seals::check_seal_chain(&store, company, args.seal.as_deref()).await.map_err(audit_error)?;
        // A company that exists, or did, has entries, or else its chain is broken.
        if chain.seals + chain.unsealed == 0 && chain.broken.is_none() {
            return Err(format!("there is no company {company}"));
        }
        report(&chain)?;
    } else {
        let mut noted = args.seals.as_deref().map_or_else(|| Ok(BTreeMap::new()), read_exported_seals)?;
        let mut next = seals::next(&store, None).await.map_err(audit_error)?;
        while let Some(company) = next {
            let seal = noted.remove(&company);
            report(&seals::check_seal_chain(&store, company, seal.as_deref()).await.map_err(audit_error)?)?;
            next = seals::next(&store, Some(company)).await.map_err(audit_error)?;
        }
        // Companies all of whose records were deleted.
        for (company, seal) in noted {
            report(&seals::check_seal_chain(&store, company, Some(&seal)).await.map_err(audit_error)?)?;
        }
    }
    match broken {
        0 => Ok(()),
        _ => Err(format!("the audit log was changed: {broken} of {chains} chains do not fit")),
    }
}

/// Writes the newest seal of every company, one JSON object per line.
pub(super) async fn export_seals(args: StoreArgs) -> Result<(), String> {
    let store = open_store(&load_settings(&args)?)?;
    let mut next = seals::next(&store, None).await.map_err(audit_error)?;
    while let Some(company) = next {
        let chain = seals::check_seal_chain(&store, company, None).await.map_err(audit_error)?;
        if let Some(why) = chain.broken {
            return Err(format!("the chain of {company} does not fit: {why}"));
        }
        if let Some(newest) = chain.newest {
            let line = serde_json::to_string(&Noted { company, seals: chain.seals, newest });
            super::print_line(&line.map_err(|error| error.to_string())?)?;
        }
        next = seals::next(&store, Some(company)).await.map_err(audit_error)?;
    }
    Ok(())
}

/// The newest of the seals exported earlier, by company.
fn read_exported_seals(file: &Path) -> Result<BTreeMap<Uuid, String>, String> {
    let text = read_file(file)?;
    let read = |(place, line): (usize, &str)| {
        let noted: Noted = serde_json::from_str(line)
            .map_err(|error| format!("{} line {}: {error}", file.display(), place + 1))?;
        Ok((noted.company, noted.newest))
    };
    text.lines().enumerate().map(read).collect()
}

/// A chain in one line of text.
fn describe_chain(chain: &Chain) -> String {
    let Chain { company, seals, entries, unsealed, .. } = chain;
    let end = match (&chain.broken, &chain.newest) {
        (Some(why), _) => format!("BROKEN: {why}"),
        (None, Some(newest)) => format!("newest seal {newest}"),
        (None, None) => "no seal yet".to_owned(),
    };
    format!("{company}  {entries} entries under {seals} seals, {unsealed} not yet sealed; {end}")
}
