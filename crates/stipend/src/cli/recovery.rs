//! `stipend bank recovery …`: returned debits of companies, and their recovery.

use clap::Subcommand;
use domain::money::funding::cases::{self, RecoveryCase};
use domain::money::returns::recovery::{self, Close};
use rules::{Amount, Named};
use serde_json::{Value, json};
use uuid::Uuid;

use super::bank::EntryArgs;
use super::{StoreArgs, print_result, run_unit};

/// Cases listed at once.
const AT_ONCE: i64 = 1_000;

#[derive(Subcommand)]
pub(super) enum RecoveryCommand {
    /// List the open cases of all companies
    #[command(after_help = "Example:\n  stipend bank recovery list --database-url sqlite:stipend.db")]
    List {
        #[command(flatten)]
        store: StoreArgs,
    },
    /// Present a debit again, after R01 and R09, at most twice
    #[command(after_help = "Example:\n  stipend bank recovery redebit UUID UUID")]
    Redebit(EntryArgs),
    /// Close a case by hand: the money arrived in another way, or is written off
    #[command(
        after_help = "Examples:\n  stipend bank recovery close UUID UUID --recovered\n  stipend bank recovery close UUID UUID --lost"
    )]
    Close {
        #[command(flatten)]
        case: EntryArgs,
        /// The money arrived in another way
        #[arg(long, required_unless_present = "lost", conflicts_with = "lost")]
        recovered: bool,
        /// The money is written off; the company's payrolls remain blocked, unless its credits wait for wires
        #[arg(long)]
        lost: bool,
    },
}

/// Runs the command.
pub(super) async fn run_recovery_command(command: RecoveryCommand, json: bool) -> Result<(), String> {
    match command {
        RecoveryCommand::List { store } => {
            let found = run_unit(&store, |tx| cases::unrecovered_cases(tx, AT_ONCE)).await?;
            let found: Vec<Value> =
                found.iter().map(|(company, case)| recovery_case_json(*company, case)).collect();
            let text = found.iter().map(Value::to_string).collect::<Vec<_>>().join("\n");
            print_result(json, if found.is_empty() { "there is nothing to recover" } else { &text }, &found)
        }
        RecoveryCommand::Redebit(case) => {
            case.run_as_operator(recovery::redebit_company).await?;
            print_result(json, "the debit will be in the next file", &json!({ "redebit": case.id }))
        }
        RecoveryCommand::Close { case, recovered, .. } => {
            let how = if recovered { Close::Recovered } else { Close::Lost };
            case.run_as_operator(move |tx, caller, id| recovery::close_case(tx, caller, id, how)).await?;
            print_result(json, "it is closed", &json!({ "closed": case.id, "recovered": recovered }))
        }
    }
}

fn recovery_case_json(company: Uuid, case: &RecoveryCase) -> Value {
    let dollars = |cents| Amount::from_cents(cents).to_text(2);
    json!({ "company_uuid": company, "uuid": case.id, "payroll_uuid": case.payroll, "status": case.status.as_str(),
            "code": case.code, "outstanding": dollars(case.outstanding_cents), "debited": dollars(case.event_cents),
            "debited_on": case.debited_on, "check_date": case.check_date, "tries": case.tries })
}
