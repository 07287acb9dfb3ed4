//! `stipend bank settings …`: how the operator's bank receives files.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use domain::money::bank::settings::{self, Debit, Terms};
use domain::money::funding;
use jiff::civil::{Time, time};
use rules::Amount;
use serde_json::{Value, json};
use store::Tx;

use super::opening::{read_file, run_unit_of};
use super::{StoreArgs, print_result, run_unit};
use crate::telemetry;

#[derive(Subcommand)]
pub(super) enum SettingsCommand {
    /// Set how the bank receives files; omitted options get their defaults
    #[command(
        after_help = "Example:\n  stipend bank settings set --company-id 1999999999 --origin ' 021000021' \\\n    \
                      --origin-name Stipend --bank-routing 021000021 --bank-name 'First Bank' --folder /var/spool/bank"
    )]
    Set(Box<SetArgs>),
    /// Show how the bank receives files
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
    /// Ten characters that identify the originator to the bank
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
    /// Ten characters that identify the sender of the file to the bank
    #[arg(long)]
    origin: String,
    /// Name of the sender of the file
    #[arg(long)]
    origin_name: String,
    /// Modifier of the first file of a day
    #[arg(long, default_value_t = 'A')]
    first_modifier: char,
    /// Folder into which files are written
    #[arg(long)]
    folder: PathBuf,
    /// When files are created, in Pacific time: 16:00 or later
    #[arg(long, value_name = "TIME", default_value_t = time(16, 0, 0, 0))]
    cut_off: Time,
    /// Send late payments for same-day settlement
    #[arg(long)]
    same_day: bool,
    /// Which account pays
    #[arg(long, value_enum, default_value = "company")]
    debit: DebitArg,
    /// Routing number of the operator's account
    #[arg(long)]
    offset_routing: Option<String>,
    /// File with the number of the operator's account: command lines are visible to other users
    #[arg(long, value_name = "FILE")]
    offset_account_file: Option<PathBuf>,
    /// Maximum dollars of credits in a file
    #[arg(long, value_name = "DOLLARS", value_parser = parse_cents)]
    file_limit: Option<i64>,
    /// Maximum dollars of credits of a company per day
    #[arg(long, value_name = "DOLLARS", value_parser = parse_cents)]
    company_limit: Option<i64>,
    /// Maximum dollars of credits per day
    #[arg(long, value_name = "DOLLARS", value_parser = parse_cents)]
    day_limit: Option<i64>,
    /// Dollars of credits above which a file waits for `stipend bank approve`
    #[arg(long, value_name = "DOLLARS", value_parser = parse_cents)]
    approval_above: Option<i64>,
    /// JSON file with the account to which companies send wires: bank_name, bank_address, recipient_name,
    /// recipient_address, routing, account
    #[arg(long, value_name = "FILE")]
    wire_to: Option<PathBuf>,
    /// Deposit federal taxes of companies with a recorded schedule (`stipend bank deposits schedule`)
    #[arg(long)]
    deposit_taxes: bool,
    #[command(flatten)]
    store: StoreArgs,
}

/// Dollars as whole cents.
fn parse_cents(text: &str) -> Result<i64, String> {
    let amount = Amount::parse(text).map_err(|_| "must be dollars, such as 250000.00".to_owned())?;
    Ok(amount.cents_half_up())
}

/// Runs the command.
pub(super) async fn run_settings_command(command: SettingsCommand, json: bool) -> Result<(), String> {
    match command {
        SettingsCommand::Set(args) => set_settings(*args, json).await,
        SettingsCommand::Show { store } => show_settings(&store, json).await,
    }
}

async fn show_settings(store: &StoreArgs, json: bool) -> Result<(), String> {
    let found = run_unit(store, settings::find_settings).await?;
    let told = found.map(|settings| settings_json(&settings));
    let none =
        || "no bank is set: no files are made, and payrolls count as paid on their pay dates".to_owned();
    let text = told.as_ref().map_or_else(none, |told| format!("{told:#}"));
    print_result(json, &text, &told)
}

async fn set_settings(args: SetArgs, json: bool) -> Result<(), String> {
    let account = args.offset_account_file.as_deref().map(read_file).transpose()?;
    let wire = match &args.wire_to {
        None => None,
        Some(path) => {
            let told = serde_json::from_str(&read_file(path)?);
            Some(told.map_err(|error| format!("{} does not say where wires go: {error}", path.display()))?)
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
        wire,
        deposit_taxes: args.deposit_taxes,
    };
    let folder = args.folder;
    let put = move |tx: &mut Tx<'_>| {
        funding::refuse_without_place(tx, &terms)?;
        settings::replace_settings(tx, &terms, account.as_deref().map(str::trim))
    };
    let told = settings_json(&run_unit_of(&args.store, OPTIONS, put).await?);
    // Files are written by the nodes that run background work, which may not include this machine.
    if !folder.is_dir() {
        telemetry::notify_operator(&format!(
            "stipend: there is no folder {} on this machine; it must be there, with the right to write, on every node that does background work",
            folder.display()
        ));
    }
    print_result(json, &format!("{told:#}"), &told)
}

/// Options whose names differ from the fields that they set.
const OPTIONS: &[(&str, &str)] = &[("offset_account", "--offset-account-file"), ("wire", "--wire-to")];

/// The settings without the account number.
fn settings_json(settings: &settings::BankSettings) -> Value {
    json!({ "terms": settings.terms, "offset_account": settings.offset_account.as_ref().map(|_| "***") })
}
