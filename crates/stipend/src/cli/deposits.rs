//! `stipend bank deposits …`: deposits of federal taxes, the companies' deposit schedules, and what they pay by hand.

use clap::{Args, Subcommand, ValueEnum};
use domain::Error;
use domain::access::tokens::Caller;
use domain::company::companies;
use domain::money::bank::banking_days;
use domain::money::batches::taxes;
use domain::money::deposits::{self, TaxDeposit};
use domain::money::manual_payments::manual_taxes::{self, ByHand};
use domain::money::views::open_items;
use jiff::ToSpan;
use jiff::civil::Date;
use rules::deposits::Schedule;
use rules::{Amount, Named};
use serde_json::{Value, json};
use store::Tx;
use uuid::Uuid;

use super::bank::EntryArgs;
use super::opening::in_pages;
use super::{StoreArgs, print_result, run_unit};

/// Deposits listed at once.
const AT_ONCE: i64 = 1_000;
/// What a list of deposits does not include.
const BY_HAND: &str = "Taxes of states and places, and what is paid with a return, are paid by hand: stipend bank deposits by-hand UUID";
/// Days back for which deposits of all companies are listed.
const DAYS: i64 = 31;

#[derive(Subcommand)]
pub(super) enum DepositsCommand {
    /// List deposits: a company's, newest first, or all that are due or were due in the last 31 days
    #[command(
        after_help = "Examples:\n  stipend bank deposits list --database-url sqlite:stipend.db\n  stipend bank deposits list --company UUID"
    )]
    List {
        /// Only deposits of this company
        #[arg(long, value_name = "UUID")]
        company: Option<Uuid>,
        #[command(flatten)]
        store: StoreArgs,
    },
    /// List taxes that no deposit pays, by agency: state and local taxes, what is paid with a return, and what is left
    /// to the employer
    #[command(after_help = "Example:\n  stipend bank deposits by-hand UUID --database-url sqlite:stipend.db")]
    ByHand {
        /// The company
        #[arg(value_name = "UUID")]
        company: Uuid,
        #[command(flatten)]
        store: StoreArgs,
    },
    /// Set a company's deposit schedule, which follows from its lookback period; without one the company makes its own
    /// deposits
    #[command(
        after_help = "What is stated holds for payrolls that are processed afterwards, and for deposits that are scheduled: they are \
                      divided again.\n\nExamples:\n  \
                      stipend bank deposits schedule UUID --every monthly --from 2027-01-01\n  \
                      stipend bank deposits schedule UUID --every quarterly --from 2027-01-01\n  \
                      stipend bank deposits schedule UUID --every none --from 2027-04-01"
    )]
    Schedule(ScheduleArgs),
    /// Retry a deposit that was returned, or left to the employer
    #[command(after_help = "Example:\n  stipend bank deposits again UUID UUID")]
    Again(EntryArgs),
}

#[derive(Clone, Copy, ValueEnum)]
enum EveryArg {
    /// By the 15th of the following month
    Monthly,
    /// By Wednesday and Friday
    Semiweekly,
    /// By the end of the month after the quarter, whatever the year's liability: only with Form 944
    Quarterly,
    /// The company deposits itself
    None,
}

#[derive(Args)]
pub(super) struct ScheduleArgs {
    /// The company
    #[arg(value_name = "UUID")]
    company: Uuid,
    /// How often it deposits
    #[arg(long, value_enum)]
    every: EveryArg,
    /// The first check date to which this applies: usually January 1
    #[arg(long, value_name = "DATE")]
    from: Date,
    #[command(flatten)]
    store: StoreArgs,
}

/// Runs the command.
pub(super) async fn run_deposits_command(command: DepositsCommand, json: bool) -> Result<(), String> {
    match command {
        DepositsCommand::List { company, store } => list_deposits(company, &store, json).await,
        DepositsCommand::ByHand { company, store } => by_hand_of(company, &store, json).await,
        DepositsCommand::Schedule(args) => set_deposit_schedule(args, json).await,
        DepositsCommand::Again(deposit) => {
            let after = deposit.run_as_operator(taxes::pay_deposit_again).await?;
            let told = json!({ "deposit": after.id, "state": after.state.as_str() });
            print_result(json, "it will be in the next file", &told)
        }
    }
}

async fn list_deposits(company: Option<Uuid>, store: &StoreArgs, json: bool) -> Result<(), String> {
    let found = run_unit(store, move |tx| {
        let today = banking_days::today_in_california(tx.now());
        let found = match company {
            Some(company) => {
                let page = |tx: &mut Tx<'_>, offset| deposits::of_company(tx, company, (AT_ONCE, offset));
                let found = in_pages(tx, AT_ONCE, |tx, offset| Ok(page(tx, offset)?.0))?;
                found.into_iter().map(|one| (company, one)).collect()
            }
            None => {
                let from = today.saturating_sub(DAYS.days());
                in_pages(tx, AT_ONCE, |tx, offset| deposits::due_from(tx, from, (AT_ONCE, offset)))?
            }
        };
        let told = found.into_iter().map(|(company, one)| {
            let one = open_items::of_deposit(tx, company, one)?;
            Ok::<_, Error>(deposit_json(company, &one, open_items::is_late(&one, today)))
        });
        told.collect::<Result<Vec<_>, _>>()
    })
    .await?;
    let mut lines: Vec<String> = found.iter().map(Value::to_string).collect();
    if lines.is_empty() {
        lines.push("there are no deposits".to_owned());
    }
    lines.push(BY_HAND.to_owned());
    print_result(json, &lines.join("\n"), &found)
}

async fn by_hand_of(company: Uuid, store: &StoreArgs, json: bool) -> Result<(), String> {
    let found = run_unit(store, move |tx: &mut Tx<'_>| {
        companies::find_company(tx, company)?.ok_or(Error::NotFound)?;
        let caller = Caller::for_operator(company, companies::time_zone(tx, company)?);
        manual_taxes::list_manual_taxes(tx, &caller)
    })
    .await?;
    let line = |one: &ByHand| {
        let due = one.due.map_or_else(|| "day not known".to_owned(), |day| format!("due {day}"));
        format!("{}  {}  {}  {due}: {}", one.agency, one.tax, format_dollars(one.cents), one.why)
    };
    let lines: Vec<String> = found.iter().map(line).collect();
    let text = if lines.is_empty() { "nothing is paid by hand".to_owned() } else { lines.join("\n") };
    let told = |one: &ByHand| {
        json!({ "agency": one.agency, "code": one.code, "tax": one.tax, "amount": format_dollars(one.cents), "first_check_date": one.check_dates.first,
                "last_check_date": one.check_dates.last, "due": one.due, "reason": one.why })
    };
    print_result(json, &text, &found.iter().map(told).collect::<Vec<_>>())
}

fn format_dollars(cents: i64) -> String {
    Amount::from_cents(cents).to_text(2)
}

async fn set_deposit_schedule(args: ScheduleArgs, json: bool) -> Result<(), String> {
    let (company, from) = (args.company, args.from);
    let every = match args.every {
        EveryArg::Monthly => Some(Schedule::Monthly),
        EveryArg::Semiweekly => Some(Schedule::Semiweekly),
        EveryArg::Quarterly => Some(Schedule::Quarterly),
        EveryArg::None => None,
    };
    run_unit(&args.store, move |tx: &mut Tx<'_>| {
        companies::find_company(tx, company)?.ok_or(Error::NotFound)?;
        let caller = Caller::for_operator(company, companies::time_zone(tx, company)?);
        deposits::set_deposit_schedule(tx, &caller, (from, every))
    })
    .await?;
    let told = json!({ "company": company, "from": from, "every": every.map(Named::as_str) });
    print_result(json, &told.to_string(), &told)
}

fn deposit_json(company: Uuid, one: &TaxDeposit, late: bool) -> Value {
    let amounts = one.amounts.iter().map(|share| {
        let account = share.ledger_account().map(Named::as_str);
        json!({ "account": account, "code": share.code, "tax": share.tax_label(), "amount": format_dollars(share.cents) })
    });
    json!({ "company_uuid": company, "uuid": one.id, "authority": one.authority, "form": one.form.as_str(),
            "first_check_date": one.first_day, "last_check_date": one.last_day, "period_end": one.period_end, "due": one.due,
            "next_day": one.next_day, "state": one.state.as_str(), "late": late, "reason": one.reason, "amount": format_dollars(one.cents),
            "amounts": amounts.collect::<Vec<_>>(), "settles_on": one.settles_on })
}
