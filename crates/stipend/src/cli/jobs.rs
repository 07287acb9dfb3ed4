//! `stipend jobs …`: background jobs that failed permanently, why, and retrying them.

use clap::{Args, Subcommand};
use domain::Error;
use domain::access::tokens::Caller;
use domain::company::companies;
use domain::platform::jobs::dead_letters::{self, JobRecord};
use jiff::tz::TimeZone;
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use super::opening::{error_line, in_pages};
use super::{StoreArgs, load_settings, open_public, print_result};

#[derive(Subcommand)]
pub(super) enum JobsCommand {
    /// List failed jobs, newest first
    #[command(
        after_help = "Examples:\n  stipend jobs list --database-url sqlite:stipend.db\n  stipend jobs list --company UUID --json"
    )]
    List {
        /// Only this company
        #[arg(long, value_name = "UUID")]
        company: Option<Uuid>,
        #[command(flatten)]
        store: StoreArgs,
    },
    /// Show a job, whatever its state
    #[command(after_help = "Example:\n  stipend jobs show UUID --database-url sqlite:stipend.db")]
    Show {
        /// The job, as `stipend jobs list` lists it
        #[arg(value_name = "UUID")]
        id: Uuid,
        #[command(flatten)]
        store: StoreArgs,
    },
    /// Retry a job that failed permanently
    #[command(
        after_help = "A running service takes it up within a second.\n\nExamples:\n  stipend jobs retry UUID --database-url \
                            sqlite:stipend.db\n  stipend jobs retry --all"
    )]
    Retry(RetryArgs),
}

#[derive(Args)]
pub(super) struct RetryArgs {
    /// The job, as `stipend jobs list` lists it
    #[arg(value_name = "UUID", required_unless_present = "all", conflicts_with = "all")]
    id: Option<Uuid>,
    /// All failed jobs, up to a thousand
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    store: StoreArgs,
}

/// Runs the command.
pub(super) async fn run_jobs_command(command: JobsCommand, json: bool) -> Result<(), String> {
    match command {
        JobsCommand::List { company, store } => {
            let store = open_public(&load_settings(&store)?)?;
            if let Some(company) = company.filter(|id| !id.is_nil())
                && store
                    .read(move |tx| companies::find_company(tx, company))
                    .await
                    .map_err(job_error)?
                    .is_none()
            {
                return Err(format!("there is no company {company}"));
            }
            let found = store.read(move |tx| {
                in_pages(tx, dead_letters::MOST, |tx, offset| dead_letters::given_up(tx, company, offset))
            });
            let found = found.await.map_err(job_error)?;
            let text = match found.as_slice() {
                [] => "no work was given up".to_owned(),
                found => found.iter().map(describe_job).collect::<Vec<_>>().join("\n"),
            };
            print_result(json, &text, &found)
        }
        JobsCommand::Show { id, store } => {
            let store = open_public(&load_settings(&store)?)?;
            let found = store.read(move |tx| dead_letters::find_job(tx, id)).await.map_err(job_error)?;
            print_result(json, &describe_job(&found), &found)
        }
        JobsCommand::Retry(args) => retry_jobs(args, json).await,
    }
}

async fn retry_jobs(args: RetryArgs, json: bool) -> Result<(), String> {
    let store = open_public(&load_settings(&args.store)?)?;
    let wanted = match args.id {
        Some(id) => vec![store.read(move |tx| dead_letters::find_job(tx, id)).await.map_err(job_error)?],
        None => store.read(|tx| dead_letters::given_up(tx, None, 0)).await.map_err(job_error)?,
    };
    let mut begun = Vec::new();
    for JobRecord { company, id, .. } in wanted {
        // Nothing here depends on the time zone.
        let retry = move |tx: &mut Tx<'_>| {
            dead_letters::retry_job(tx, &Caller::for_operator(company, TimeZone::UTC), id)
        };
        if store.write(retry).await.map_err(job_error)? {
            begun.push(id);
        }
    }
    if let (Some(id), true) = (args.id, begun.is_empty()) {
        return Err(format!(
            "{id} was not given up; stipend jobs list lists the jobs that failed permanently"
        ));
    }
    let text = format!("{} jobs queued for retry", begun.len());
    print_result(json, &text, &json!({ "retried": begun }))
}

/// A job in one line of text.
fn describe_job(job: &JobRecord) -> String {
    let JobRecord { id, kind, company, entity, state, tries, .. } = job;
    let failed = match (&job.failed_at, &job.reason) {
        (Some(at), Some(reason)) => format!("; failed {tries} times, last at {at:.0}: {reason}"),
        _ => String::new(),
    };
    format!("{id}  {kind}  {state}  company {company}, record {entity}, due {:.0}{failed}", job.due)
}

fn job_error(error: Error) -> String {
    error_line(error, "there is no such job; stipend jobs list lists the jobs that failed permanently")
}
