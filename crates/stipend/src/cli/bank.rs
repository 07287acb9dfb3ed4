//! `stipend bank …`: how the operator's bank takes files of payments, the files, and what came back for them.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use domain::Error;
use domain::access::tokens::Caller;
use domain::company::companies;
use domain::money::funding::{self, Funding, Mode};
use domain::money::rows::{self, BankFile};
use domain::money::settings::{self, Debit, Terms};
use domain::money::{files, prepare};
use jiff::civil::{Time, time};
use rules::{Amount, Named};
use serde_json::{Value, json};
use store::Tx;
use uuid::Uuid;

use super::opening::unit;
use super::{StoreArgs, messages, open, print_result, run_unit};

/// Files that are listed at once.
const AT_ONCE: i64 = 100;
/// Batches that are let go on at once.
const MOST_RETRIED: i64 = 1_000;

#[derive(Subcommand)]
pub(super) enum BankCommand {
    /// How the bank takes files; without it none are made
    #[command(
        subcommand,
        after_help = "Example:\n  stipend bank settings show --database-url sqlite:stipend.db"
    )]
    Settings(SettingsCommand),
    /// Say what the credits of a company wait for
    #[command(after_help = "Example:\n  stipend bank fund UUID --after debit --days 2")]
    Fund(FundArgs),
    /// List files, the newest first
    #[command(after_help = "Example:\n  stipend bank files --database-url sqlite:stipend.db")]
    Files {
        #[command(flatten)]
        store: StoreArgs,
    },
    /// Show a file with its batches
    #[command(after_help = "Example:\n  stipend bank show UUID --database-url sqlite:stipend.db")]
    Show(FileArgs),
    /// Approve a file whose credits are beyond the limit for one pair of eyes
    #[command(after_help = "Example:\n  stipend bank approve UUID --by 'Ann Lee'")]
    Approve {
        #[command(flatten)]
        file: FileArgs,
        /// Who approves
        #[arg(long, value_name = "NAME")]
        by: String,
    },
    /// Take a file back that the bank does not have; its payments are held until `stipend bank retry`
    #[command(after_help = "Example:\n  stipend bank void UUID --database-url sqlite:stipend.db")]
    Void(FileArgs),
    /// Let payments go on that are held, once their reason is gone
    #[command(after_help = "Example:\n  stipend bank retry --database-url sqlite:stipend.db")]
    Retry {
        #[command(flatten)]
        store: StoreArgs,
    },
}

#[derive(Subcommand)]
pub(super) enum SettingsCommand {
    /// Say how the bank takes files; what is not said is as by default
    #[command(
        after_help = "Example:\n  stipend bank settings set --company-id 1999999999 --bank-routing 021000021 --bank-name 'First Example \
                      Bank' --origin ' 021000021' --origin-name Stipend --folder /var/spool/bank"
    )]
    Set(Box<SetArgs>),
    /// Show how the bank takes files
    #[command(after_help = "Example:\n  stipend bank settings show --database-url sqlite:stipend.db")]
    Show {
        #[command(flatten)]
        store: StoreArgs,
    },
}

#[derive(Clone, Copy, ValueEnum)]
enum DebitArg {
    /// Each employer's account
    Company,
    /// The operator's account
    Offset,
}

#[derive(Args)]
pub(super) struct SetArgs {
    /// Ten characters by which the bank knows the originator
    #[arg(long)]
    company_id: String,
    /// What receivers see; the name of the employer by default
    #[arg(long)]
    company_name: Option<String>,
    /// Routing number of the bank
    #[arg(long)]
    bank_routing: String,
    /// Name of the bank
    #[arg(long)]
    bank_name: String,
    /// Ten characters by which the bank knows the sender of the file
    #[arg(long)]
    origin: String,
    /// Name of the sender of the file
    #[arg(long)]
    origin_name: String,
    /// Modifier of the first file of a day
    #[arg(long, default_value_t = 'A')]
    first_modifier: char,
    /// Folder that files go into
    #[arg(long)]
    folder: PathBuf,
    /// When files are made, on clocks in California: 16:00 or later
    #[arg(long, value_name = "TIME", default_value_t = time(16, 0, 0, 0))]
    cut_off: Time,
    /// Let payments that are late settle on the same day
    #[arg(long)]
    same_day: bool,
    /// Which account pays
    #[arg(long, value_enum, default_value = "company")]
    debit: DebitArg,
    /// Routing number of the operator's account
    #[arg(long)]
    offset_routing: Option<String>,
    /// File with the number of the operator's account: a command line is seen by others
    #[arg(long, value_name = "FILE")]
    offset_account_file: Option<PathBuf>,
    /// Most dollars of credits in a file
    #[arg(long, value_name = "DOLLARS", value_parser = cents)]
    file_limit: Option<i64>,
    /// Most dollars of credits of a company on a day
    #[arg(long, value_name = "DOLLARS", value_parser = cents)]
    company_limit: Option<i64>,
    /// Most dollars of credits on a day
    #[arg(long, value_name = "DOLLARS", value_parser = cents)]
    day_limit: Option<i64>,
    /// Dollars of credits above which a file waits for `stipend bank approve`
    #[arg(long, value_name = "DOLLARS", value_parser = cents)]
    approval_above: Option<i64>,
    #[command(flatten)]
    store: StoreArgs,
}

#[derive(Clone, Copy, ValueEnum)]
enum AfterArg {
    /// Nothing: credits go with the debit
    None,
    /// The debit, so many banking days after it settles
    Debit,
}

#[derive(Args)]
pub(super) struct FundArgs {
    /// The company
    #[arg(value_name = "UUID")]
    company: Uuid,
    /// What its credits wait for
    #[arg(long, value_enum)]
    after: AfterArg,
    /// Banking days after the debit settles
    #[arg(long, default_value_t = 2)]
    days: i64,
    #[command(flatten)]
    store: StoreArgs,
}

#[derive(Args)]
pub(super) struct FileArgs {
    /// The file, as `stipend bank files` names it
    #[arg(value_name = "UUID")]
    file: Uuid,
    #[command(flatten)]
    store: StoreArgs,
}

/// Dollars as whole cents.
fn cents(text: &str) -> Result<i64, String> {
    let amount = Amount::parse(text).map_err(|_| "must be dollars, such as 250000.00".to_owned())?;
    Ok(amount.cents_half_up())
}

/// Does what was asked.
pub(super) async fn act(command: BankCommand, json: bool) -> Result<(), String> {
    match command {
        BankCommand::Settings(SettingsCommand::Set(args)) => set(*args, json).await,
        BankCommand::Settings(SettingsCommand::Show { store }) => {
            let found = run_unit(&store, settings::find).await?;
            let told = found.map(|settings| shown(&settings));
            let text = told.as_ref().map_or_else(
                || {
                    "no bank is set: no files are made, and payrolls count as paid on their pay dates"
                        .to_owned()
                },
                |told| format!("{told:#}"),
            );
            print_result(json, &text, &told)
        }
        BankCommand::Fund(args) => fund(args, json).await,
        BankCommand::Files { store } => {
            let found = run_unit(&store, |tx| rows::files(tx, AT_ONCE, 0)).await?;
            let text = match found.as_slice() {
                [] => "no files were made".to_owned(),
                found => found.iter().map(line).collect::<Vec<_>>().join("\n"),
            };
            print_result(json, &text, &found.iter().map(file).collect::<Vec<_>>())
        }
        BankCommand::Show(args) => show(&args, json).await,
        BankCommand::Approve { file: args, by } => {
            let done = run_unit(&args.store, move |tx| files::approve(tx, args.file, &by)).await?;
            print_result(json, &line(&done), &file(&done))
        }
        BankCommand::Void(args) => {
            let store = open(&super::settings(&args.store)?)?;
            let done = files::void(&store, args.file).await.map_err(|error| match error {
                Error::NotFound => "there is no such file".to_owned(),
                Error::Violations(wrong) => messages(wrong),
                other => format!("it could not be taken back: {other:?}"),
            })?;
            print_result(json, &line(&done), &file(&done))
        }
        BankCommand::Retry { store } => {
            let store = open(&super::settings(&store)?)?;
            let begun = unit(&store, |tx| prepare::retry(tx, MOST_RETRIED)).await?;
            print_result(json, &format!("{begun} batches are looked at again"), &json!({ "batches": begun }))
        }
    }
}

async fn set(args: SetArgs, json: bool) -> Result<(), String> {
    let account = match &args.offset_account_file {
        None => None,
        Some(path) => {
            let read = std::fs::read_to_string(path);
            Some(read.map_err(|error| format!("{} cannot be read: {error}", path.display()))?)
        }
    };
    let terms = Terms {
        company_id: args.company_id,
        company_name: args.company_name,
        bank_routing: args.bank_routing,
        bank_name: args.bank_name,
        origin: args.origin,
        origin_name: args.origin_name,
        first_modifier: args.first_modifier,
        folder: args.folder.display().to_string(),
        cut_off: args.cut_off,
        same_day: args.same_day,
        debit: match args.debit {
            DebitArg::Company => Debit::Company,
            DebitArg::Offset => Debit::Offset,
        },
        offset_routing: args.offset_routing,
        file_limit: args.file_limit,
        company_limit: args.company_limit,
        day_limit: args.day_limit,
        approval_above: args.approval_above,
    };
    let put = move |tx: &mut Tx<'_>| settings::put(tx, &terms, account.as_deref().map(str::trim));
    let told = shown(&run_unit(&args.store, put).await?);
    print_result(json, &format!("{told:#}"), &told)
}

/// The settings without the number of the account.
fn shown(settings: &settings::BankSettings) -> Value {
    json!({ "terms": settings.terms, "offset_account": settings.offset_account.as_ref().map(|_| "***") })
}

async fn fund(args: FundArgs, json: bool) -> Result<(), String> {
    let (company, days) = (args.company, args.days);
    let mode = match args.after {
        AfterArg::None => Mode::None,
        AfterArg::Debit => Mode::Debit,
    };
    run_unit(&args.store, move |tx| {
        companies::find(tx, company)?.ok_or(Error::NotFound)?;
        let caller = Caller::operator(company, companies::time_zone(tx, company)?);
        funding::put(tx, &caller, Funding { mode, days })
    })
    .await?;
    let told = json!({ "company": company, "mode": mode.as_str(), "days": days });
    print_result(json, &told.to_string(), &told)
}

async fn show(args: &FileArgs, json: bool) -> Result<(), String> {
    let id = args.file;
    let (found, batches) =
        run_unit(&args.store, move |tx| Ok((rows::file(tx, id)?, rows::of_file(tx, id)?))).await?;
    let batch = |one: &rows::OfCompany| {
        let batch = &one.batch;
        json!({ "company": one.company, "payroll": batch.payroll, "kind": batch.kind.as_str(), "entries": batch.entries,
                "amount": Amount::from_cents(batch.cents).to_text(2), "effective": batch.effective, "state": batch.state.as_str() })
    };
    let batches: Vec<Value> = batches.iter().map(batch).collect();
    let mut told = file(&found);
    let lines: Vec<String> = batches.iter().map(Value::to_string).collect();
    told["batches"] = Value::Array(batches);
    print_result(json, &format!("{}\n{}", line(&found), lines.join("\n")), &told)
}

/// A file in one line for people.
fn line(file: &BankFile) -> String {
    let BankFile { id, name, entries, .. } = file;
    let dollars = |cents| Amount::from_cents(cents).to_text(2);
    format!(
        "{id}  {name}  {}  {entries} entries, credits {}, debits {}, sha256 {}",
        file.state.as_str(),
        dollars(file.credits),
        dollars(file.debits),
        file.digest
    )
}

fn file(file: &BankFile) -> Value {
    let dollars = |cents| Amount::from_cents(cents).to_text(2);
    json!({ "uuid": file.id, "name": file.name, "state": file.state.as_str(), "day": file.day, "batch_count": file.batches,
            "entries": file.entries, "credits": dollars(file.credits), "debits": dollars(file.debits),
            "digest": file.digest, "written_at": file.written_at })
}
