//! `stipend bank …`: the settings for the operator's bank, payment files, and the bank's returns.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use domain::Error;
use domain::access::tokens::Caller;
use domain::company::companies;
use domain::money::batches::lifecycle;
use domain::money::batches::repayments::{self, To};
use domain::money::batches::reversals::{self, Why};
use domain::money::files;
use domain::money::funding::{self, Funding, Mode};
use domain::money::ledger::purpose::Purpose;
use domain::money::ledger::rows::{self, BankFile};
use domain::money::returns::{bank_returns, corrections};
use domain::money::views::open_items;
use domain::pay::payrolls::closing::reversals::Category;
use rules::{Amount, Named};
use serde_json::{Value, json};
use store::Tx;
use uuid::Uuid;

use super::bank_settings::{self, SettingsCommand};
use super::deposits::{self, DepositsCommand};
use super::opening::{error_line, in_pages, run_unit_of, run_unit_on, unreadable_file_error};
use super::recovery::{self, RecoveryCommand};
use super::{StoreArgs, open_store, print_result, run_unit};

/// Files, and records received from the bank, that are read at once.
const AT_ONCE: i64 = 1_000;
/// Batches that are retried at once.
const MOST_RETRIED: i64 = 1_000;
/// Maximum bytes of a file from the bank.
const LARGEST: u64 = 256 << 20;

#[derive(Subcommand)]
pub(super) enum BankCommand {
    /// How the bank receives files; without settings none are created
    #[command(
        subcommand,
        after_help = "Example:\n  stipend bank settings show --database-url sqlite:stipend.db"
    )]
    Settings(SettingsCommand),
    /// Set what the credits of a company wait for
    #[command(after_help = "Example:\n  stipend bank fund UUID --after debit --days 2")]
    Fund(FundArgs),
    /// Record that a wire of a company has arrived
    #[command(after_help = "Example:\n  stipend bank wire UUID UUID")]
    Wire(EntryArgs),
    /// List files, newest first
    #[command(after_help = "Example:\n  stipend bank files --database-url sqlite:stipend.db")]
    Files {
        #[command(flatten)]
        store: StoreArgs,
    },
    /// Show a file with its batches
    #[command(after_help = "Example:\n  stipend bank show UUID --database-url sqlite:stipend.db")]
    Show(FileArgs),
    /// Approve a file whose credits exceed the approval limit
    #[command(after_help = "Example:\n  stipend bank approve UUID --by 'Ann Lee'")]
    Approve {
        #[command(flatten)]
        file: FileArgs,
        /// Who approves
        #[arg(long, value_name = "NAME")]
        by: String,
    },
    /// Void a file that the bank has not received; its payments are held until `stipend bank retry`
    #[command(after_help = "Example:\n  stipend bank void UUID --database-url sqlite:stipend.db")]
    Void(FileArgs),
    /// Process a file from the bank: returned payments and corrections of accounts
    #[command(
        after_help = "A file can be read again: each of its records is taken once.\n\nExample:\n  stipend bank read returns.ach"
    )]
    Read {
        /// The file
        file: PathBuf,
        #[command(flatten)]
        store: StoreArgs,
    },
    /// List entries received from the bank, newest first
    #[command(after_help = "Example:\n  stipend bank returns --unknown")]
    Returns {
        /// Only entries that match no payment of the service
        #[arg(long)]
        unknown: bool,
        #[command(flatten)]
        store: StoreArgs,
    },
    /// Pay a returned or held payment to another account of the employee, by check, or, for child support, to the
    /// agency again
    #[command(
        after_help = "Examples:\n  stipend bank pay-again UUID UUID --account UUID\n  stipend bank pay-again UUID UUID --by-check\n  \
                      stipend bank pay-again UUID UUID --to-agency"
    )]
    PayAgain {
        #[command(flatten)]
        entry: EntryArgs,
        /// An account of the employee
        #[arg(long, value_name = "UUID", required_unless_present_any = ["by_check", "to_agency"])]
        account: Option<Uuid>,
        /// The employer writes a check
        #[arg(long, conflicts_with = "account")]
        by_check: bool,
        /// Returned child support goes to the agency again, to its account according to the current data
        #[arg(long, conflicts_with_all = ["account", "by_check"])]
        to_agency: bool,
    },
    /// Reverse a payment that the bank has received, within five banking days
    #[command(after_help = "Examples:\n  stipend bank reverse UUID UUID\n  \
                            stipend bank reverse UUID UUID --category not-owed --reason 'She left on 1 June'")]
    Reverse {
        #[command(flatten)]
        entry: EntryArgs,
        #[command(flatten)]
        why: WhyArgs,
    },
    /// Reverse all pay in a file, within five banking days
    #[command(after_help = "Example:\n  stipend bank reverse-file UUID")]
    ReverseFile {
        #[command(flatten)]
        file: FileArgs,
        #[command(flatten)]
        why: WhyArgs,
    },
    /// List a company's corrections of accounts that are still undecided
    #[command(after_help = "Example:\n  stipend bank corrections UUID")]
    Corrections {
        /// The company
        #[arg(value_name = "UUID")]
        company: Uuid,
        #[command(flatten)]
        store: StoreArgs,
    },
    /// Apply or decline the bank's correction of an account: an employee's once the employer has agreed, and the
    /// company's own
    #[command(
        after_help = "Examples:\n  stipend bank correct UUID UUID\n  stipend bank correct UUID UUID --decline"
    )]
    Correct {
        #[command(flatten)]
        correction: EntryArgs,
        /// Decline the correction
        #[arg(long)]
        decline: bool,
    },
    /// Returned debits of companies, and how they are recovered
    #[command(
        subcommand,
        after_help = "Example:\n  stipend bank recovery list --database-url sqlite:stipend.db"
    )]
    Recovery(RecoveryCommand),
    /// Deposits of federal taxes, and the companies' deposit schedules
    #[command(
        subcommand,
        after_help = "Example:\n  stipend bank deposits list --database-url sqlite:stipend.db"
    )]
    Deposits(DepositsCommand),
    /// List held payments, by payroll or single ones, and those that should be in a file by now, with the reason
    #[command(after_help = "Example:\n  stipend bank held --database-url sqlite:stipend.db")]
    Held {
        #[command(flatten)]
        store: StoreArgs,
    },
    /// Release held payments once the reason is gone
    #[command(after_help = "Example:\n  stipend bank retry --database-url sqlite:stipend.db")]
    Retry {
        #[command(flatten)]
        store: StoreArgs,
    },
}

#[derive(Clone, Copy, ValueEnum)]
enum AfterArg {
    /// Nothing: credits are sent with the debit
    None,
    /// The debit, this many banking days after it settles
    Debit,
    /// A wire, until `stipend bank wire` records its arrival; the company is not debited
    Wire,
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
    /// The file, as `stipend bank files` lists it
    #[arg(value_name = "UUID")]
    file: Uuid,
    #[command(flatten)]
    store: StoreArgs,
}

#[derive(Args)]
pub(super) struct EntryArgs {
    /// The company
    #[arg(value_name = "COMPANY")]
    company: Uuid,
    /// The payment, as listed by GET /v1/companies/{id}/ach_transactions, the correction, the wire, or the recovery
    /// case
    #[arg(value_name = "UUID")]
    pub(super) id: Uuid,
    #[command(flatten)]
    store: StoreArgs,
}

#[derive(Args)]
pub(super) struct WhyArgs {
    /// Why: wages and taxes are undone only if the pay was not owed
    #[arg(long, value_enum, default_value_t = Reason::PaidTwice)]
    category: Reason,
    /// The reason in words, which the company reads
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

/// Why pay is reversed.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Reason {
    /// The employee was paid twice: the money comes back, wages and taxes stay
    PaidTwice,
    /// The amount was wrong, and the right one is paid otherwise
    WrongAmount,
    /// It went to the account of somebody else
    WrongAccount,
    /// The pay was not owed: the whole paycheck is void
    NotOwed,
}

impl WhyArgs {
    fn reversal_reason(self) -> Why {
        let category = match self.category {
            Reason::PaidTwice => Category::PaidTwice,
            Reason::WrongAmount => Category::WrongAmount,
            Reason::WrongAccount => Category::WrongAccount,
            Reason::NotOwed => Category::NotOwed,
        };
        Why::new(category, self.reason)
    }
}

impl EntryArgs {
    /// Runs one unit as the operator, for an existing company.
    pub(super) async fn run_as_operator<T: Send + 'static>(
        &self,
        act: impl Fn(&mut Tx<'_>, &Caller, Uuid) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, String> {
        let (company, id) = (self.company, self.id);
        let unit = move |tx: &mut Tx<'_>| {
            companies::find_company(tx, company)?.ok_or(Error::NotFound)?;
            let caller = Caller::for_operator(company, companies::time_zone(tx, company)?);
            act(tx, &caller, id)
        };
        run_unit(&self.store, unit).await
    }
}

/// Runs the command.
pub(super) async fn run_bank_command(command: BankCommand, json: bool) -> Result<(), String> {
    match command {
        BankCommand::Settings(command) => bank_settings::run_settings_command(command, json).await,
        BankCommand::Fund(args) => set_prefunding(args, json).await,
        BankCommand::Wire(wire) => {
            wire.run_as_operator(domain::money::returns::recovery::wire_arrived).await?;
            print_result(json, "the wire has arrived", &json!({ "approved": wire.id }))
        }
        BankCommand::Files { store } => {
            let found = read_all_pages(&store, rows::list_files).await?;
            let text = match found.as_slice() {
                [] => "no files were made".to_owned(),
                found => found.iter().map(file_line).collect::<Vec<_>>().join("\n"),
            };
            print_result(json, &text, &found.iter().map(file_json).collect::<Vec<_>>())
        }
        BankCommand::Show(args) => show_file(&args, json).await,
        BankCommand::Approve { file: args, by } => {
            let done = run_unit(&args.store, move |tx| files::approve_file(tx, args.file, &by)).await?;
            print_result(json, &file_line(&done), &file_json(&done))
        }
        BankCommand::Void(args) => {
            let store = open_store(&super::load_settings(&args.store)?)?;
            let done = files::void_file(&store, args.file).await.map_err(file_error)?;
            print_result(json, &file_line(&done), &file_json(&done))
        }
        BankCommand::Read { file, store } => read_return_file(&file, &store, json).await,
        BankCommand::Returns { unknown, store } => list_returns(unknown, &store, json).await,
        BankCommand::PayAgain { entry, account, to_agency, .. } => {
            let to = match account {
                Some(account) => To::Account(account),
                None if to_agency => To::Agency,
                None => To::Check,
            };
            entry.run_as_operator(move |tx, caller, id| repayments::pay_again(tx, caller, id, to)).await?;
            print_result(json, "it is paid again", &json!({ "paid_again": entry.id }))
        }
        BankCommand::Reverse { entry, why } => {
            let why = why.reversal_reason();
            entry.run_as_operator(move |tx, caller, id| reversals::reverse_for(tx, caller, id, &why)).await?;
            print_result(json, "it will be reversed with the next file", &json!({ "reversed": entry.id }))
        }
        BankCommand::ReverseFile { file, why } => {
            let store = open_store(&super::load_settings(&file.store)?)?;
            let done = reversals::reverse_file_for(&store, file.file, why.reversal_reason())
                .await
                .map_err(file_error)?;
            print_result(json, &format!("{done} payments will be reversed"), &json!({ "reversed": done }))
        }
        BankCommand::Corrections { company, store } => list_corrections(company, &store, json).await,
        BankCommand::Correct { correction, decline } => {
            let done = correction
                .run_as_operator(move |tx, caller, id| {
                    corrections::decide_correction(tx, caller, id, !decline)
                })
                .await?;
            let state = done.state.as_str();
            print_result(json, state, &json!({ "uuid": done.id, "state": state }))
        }
        BankCommand::Recovery(command) => recovery::run_recovery_command(command, json).await,
        BankCommand::Deposits(command) => deposits::run_deposits_command(command, json).await,
        BankCommand::Held { store } => list_waiting_payments(&store, json).await,
        BankCommand::Retry { store } => {
            let store = open_store(&super::load_settings(&store)?)?;
            let begun = run_unit_on(&store, |tx| lifecycle::retry_held_batches(tx, MOST_RETRIED)).await?;
            print_result(json, &format!("{begun} batches queued for retry"), &json!({ "batches": begun }))
        }
    }
}

/// The whole of a paged list, read in one unit.
async fn read_all_pages<T: Send + 'static>(
    store: &StoreArgs,
    page: impl Fn(&mut Tx<'_>, i64, i64) -> Result<Vec<T>, Error> + Send + 'static,
) -> Result<Vec<T>, String> {
    run_unit(store, move |tx| in_pages(tx, AT_ONCE, |tx, offset| page(tx, AT_ONCE, offset))).await
}

async fn list_corrections(company: Uuid, store: &StoreArgs, json: bool) -> Result<(), String> {
    let found = run_unit(store, move |tx| {
        companies::find_company(tx, company)?.ok_or(Error::NotFound)?;
        corrections::open_corrections(tx, company)
    })
    .await?;
    let shown = |one: &corrections::Correction| json!({ "uuid": one.id, "code": one.code, "employee_uuid": one.of_employee(), "bank_account_uuid": one.account });
    let found: Vec<Value> = found.iter().map(shown).collect();
    let text = found.iter().map(Value::to_string).collect::<Vec<_>>().join("\n");
    print_result(json, if found.is_empty() { "no corrections are pending" } else { &text }, &found)
}

/// The error of a file, in one line.
fn file_error(error: Error) -> String {
    match error {
        Error::Unreadable(why) => format!("the file cannot be read, and nothing of it was processed: {why}"),
        other => error_line(other, "there is no such file"),
    }
}

async fn read_return_file(path: &std::path::Path, store: &StoreArgs, json: bool) -> Result<(), String> {
    let size = std::fs::metadata(path).map_err(|error| unreadable_file_error(path, &error))?.len();
    if size > LARGEST {
        return Err(format!("{} is larger than {} MB", path.display(), LARGEST >> 20));
    }
    let file = std::fs::read(path).map_err(|error| unreadable_file_error(path, &error))?;
    let store = open_store(&super::load_settings(store)?)?;
    let report = bank_returns::process_bank_file(&store, &file).await.map_err(file_error)?;
    let bank_returns::Report { returned, corrections, noted, unknown, before } = report;
    let value = json!({ "returned": returned, "corrections": corrections, "noted": noted, "unknown": unknown, "before": before });
    let text = format!(
        "{returned} returned, {corrections} corrections, {noted} noted, {unknown} unknown, {before} taken before"
    );
    print_result(json, &text, &value)
}

async fn list_returns(unknown: bool, store: &StoreArgs, json: bool) -> Result<(), String> {
    let found = read_all_pages(store, move |tx, most, offset| {
        bank_returns::list_bank_returns(tx, unknown, (most, offset))
    })
    .await?;
    let shown = |one: &bank_returns::BankReturn| {
        json!({ "trace": one.trace, "code": one.code, "amount": Amount::from_cents(one.cents).to_text(2),
                "state": one.state.as_str(), "why": one.why, "company_uuid": one.entry_company, "uuid": one.entry })
    };
    let found: Vec<Value> = found.iter().map(shown).collect();
    let text = found.iter().map(Value::to_string).collect::<Vec<_>>().join("\n");
    print_result(json, if found.is_empty() { "the bank has sent nothing" } else { &text }, &found)
}

async fn list_waiting_payments(store: &StoreArgs, json: bool) -> Result<(), String> {
    let (found, payments) = run_unit(store, |tx| {
        Ok((open_items::list_open_batches(tx, MOST_RETRIED)?, open_items::held_payments(tx, MOST_RETRIED)?))
    })
    .await?;
    let shown = |one: &rows::OfCompany| {
        let batch = &one.batch;
        let subject = match batch.purpose {
            Purpose::Payroll => "payroll_uuid",
            Purpose::TaxDeposit => "deposit_uuid",
            Purpose::Contractors => "contractor_payment_group_uuid",
        };
        json!({ "company_uuid": one.company, subject: batch.payroll, "kind": batch.kind.as_str(), "check_date": batch.check_date,
                "amount": Amount::from_cents(batch.cents).to_text(2), "state": batch.state.as_str(),
                "reason": batch.reason.as_deref().unwrap_or("it is waiting for a file; see the service log for the reason") })
    };
    let one = |one: &open_items::HeldPayment| {
        let (company, entry) = (one.company, &one.entry);
        let payroll = entry.contractor.is_none().then_some(entry.payroll);
        json!({ "company_uuid": company, "payroll_uuid": payroll, "uuid": entry.id, "employee_uuid": entry.employee,
                "contractor_uuid": entry.contractor, "contractor_payment_uuid": entry.contractor_payment,
                "kind": one.kind.as_str(), "check_date": one.check_date, "amount": Amount::from_cents(entry.cents).to_text(2),
                "state": entry.state.as_str(),
                "reason": format!("{}: stipend bank pay-again {company} {}", one.hold_reason(), entry.id) })
    };
    let found: Vec<Value> = found.iter().map(shown).chain(payments.iter().map(one)).collect();
    let text = found.iter().map(Value::to_string).collect::<Vec<_>>().join("\n");
    print_result(json, if found.is_empty() { "nothing is held" } else { &text }, &found)
}

async fn set_prefunding(args: FundArgs, json: bool) -> Result<(), String> {
    let (company, days) = (args.company, args.days);
    let mode = match args.after {
        AfterArg::None => Mode::None,
        AfterArg::Debit => Mode::Debit,
        AfterArg::Wire => Mode::Wire,
    };
    // The account to which wires go is one of the bank settings.
    let options = [("wire", "--wire-to of `stipend bank settings set`")];
    run_unit_of(&args.store, &options, move |tx| {
        companies::find_company(tx, company)?.ok_or(Error::NotFound)?;
        let caller = Caller::for_operator(company, companies::time_zone(tx, company)?);
        funding::store_funding(tx, &caller, Funding { mode, days })
    })
    .await?;
    let told = json!({ "company": company, "mode": mode.as_str(), "days": days });
    print_result(json, &told.to_string(), &told)
}

async fn show_file(args: &FileArgs, json: bool) -> Result<(), String> {
    let id = args.file;
    let (found, batches) =
        run_unit(&args.store, move |tx| Ok((rows::find_file(tx, id)?, rows::of_file(tx, id)?))).await?;
    let batch = |one: &rows::OfCompany| {
        let batch = &one.batch;
        json!({ "company": one.company, "payroll": batch.payroll, "kind": batch.kind.as_str(), "entries": batch.entries,
                "amount": Amount::from_cents(batch.cents).to_text(2), "effective": batch.effective, "state": batch.state.as_str() })
    };
    let batches: Vec<Value> = batches.iter().map(batch).collect();
    let mut told = file_json(&found);
    let lines: Vec<String> = batches.iter().map(Value::to_string).collect();
    told["batches"] = Value::Array(batches);
    print_result(json, &format!("{}\n{}", file_line(&found), lines.join("\n")), &told)
}

/// A file in one line of text.
fn file_line(file: &BankFile) -> String {
    let BankFile { id, name, entries, .. } = file;
    let dollars = |cents| Amount::from_cents(cents).to_text(2);
    let pickup = file.pickup.map_or(String::new(), |pickup| format!(", {}", pickup.as_str()));
    let note = file.pickup_note.as_ref().map_or(String::new(), |why| format!(" ({why})"));
    format!(
        "{id}  {name}  {}{pickup}{note}  {entries} entries, credits {}, debits {}, sha256 {}",
        file.state.as_str(),
        dollars(file.credits),
        dollars(file.debits),
        file.digest
    )
}

fn file_json(file: &BankFile) -> Value {
    let dollars = |cents| Amount::from_cents(cents).to_text(2);
    json!({ "uuid": file.id, "name": file.name, "state": file.state.as_str(), "day": file.day, "batch_count": file.batches,
            "entries": file.entries, "credits": dollars(file.credits), "debits": dollars(file.debits),
            "digest": file.digest, "written_at": file.written_at,
            "pickup": file.pickup.map(|pickup| pickup.as_str()), "pickup_note": file.pickup_note })
}
