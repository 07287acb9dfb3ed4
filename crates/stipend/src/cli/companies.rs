//! `stipend company …`: the operator's decisions about companies, and what the operator does in place of a bank and of
//! whoever vets a company before it may run payroll. Each act is an audit entry of the operator; results are printed as
//! JSON.

use clap::{Args, Subcommand};
use rules::Named;
use rules::company::parse_ein;
use rules::{Checks, check};
use serde_json::{Value, json};
use store::Tx;
use uuid::Uuid;

use super::{StoreArgs, join_messages, print_line, run_unit};
use domain::Error;
use domain::access::tokens::Caller;
use domain::company::banks as company_banks;
use domain::company::companies;
use domain::company::companies::service::{NAME, NewCompany};
use domain::company::companies::traits;
use domain::company::companies::traits::Trait;
use domain::company::profile::Profile;
use domain::company::setup::service as setup;
use domain::company::signatories::IdentityCheck;
use domain::company::signatories::service as signatories;

#[derive(Subcommand)]
pub(super) enum CompanyCommand {
    /// Create a company that no partner manages; its administrator then connects it with an application
    #[command(
        after_help = "Example:\n  stipend company create --name 'Harbor Lane Books LLC' --ein 74-1852097\n  \
                            stipend user create --company UUID --role primary_admin …"
    )]
    Create(NewCompanyArgs),
    /// Approve a company that has finished its onboarding: its EIN has been checked
    #[command(after_help = "Example:\n  stipend company approve UUID --database-url sqlite:stipend.db")]
    Approve(Company),
    /// Suspend a company: it can neither run payroll nor migrate
    #[command(after_help = "Example:\n  stipend company suspend UUID --database-url sqlite:stipend.db")]
    Suspend(Company),
    /// End a suspension
    #[command(after_help = "Example:\n  stipend company reinstate UUID --database-url sqlite:stipend.db")]
    Reinstate(Company),
    /// Print the two test deposit amounts that verify the company's bank account
    #[command(
        after_help = "Pay both amounts into the account, within one or two banking days. The company reads them off \
                            its statement\nand tells them with PUT /v1/companies/{id}/bank_accounts/{id}/verify.\n\nExample:\n  \
                            stipend company test-deposits UUID --database-url sqlite:stipend.db"
    )]
    TestDeposits(Company),
    /// Record the result of checking the signatory's identity outside the service
    #[command(
        after_help = "It holds until the signatory's name, birthday or SSN changes. With Fail nothing can be signed.\n\nExample:\n  \
                            stipend company identity UUID Pass --database-url sqlite:stipend.db"
    )]
    Identity {
        #[command(flatten)]
        company: Company,
        /// Pass or Fail
        outcome: String,
    },
    /// Record what the company has or uses besides payroll, which affects its migration to a partner
    #[command(after_help = "Example:\n  stipend company note UUID integration Ledger")]
    Note(Fact),
    /// Delete such a record
    #[command(after_help = "Example:\n  stipend company forget UUID integration Ledger")]
    Forget(Fact),
}

#[derive(Args)]
pub(super) struct NewCompanyArgs {
    /// Legal name
    #[arg(long)]
    name: String,
    /// Trade name
    #[arg(long)]
    trade_name: Option<String>,
    /// Employer identification number
    #[arg(long)]
    ein: Option<String>,
    #[command(flatten)]
    store: StoreArgs,
}

#[derive(Args)]
pub(super) struct Company {
    /// The company
    #[arg(value_name = "UUID")]
    company: Uuid,
    #[command(flatten)]
    store: StoreArgs,
}

#[derive(Args)]
pub(super) struct Fact {
    #[command(flatten)]
    company: Company,
    /// tier, managed_benefit, time_off_policy, integration, marijuana_business or high_risk_business
    kind: String,
    /// Its name, such as premium
    name: String,
}

/// Runs the command.
pub(super) async fn run_company_command(command: CompanyCommand) -> Result<(), String> {
    match command {
        CompanyCommand::Create(new) => create_company(new).await,
        CompanyCommand::Approve(company) => change_company_status(&company, setup::approve_company).await,
        CompanyCommand::Suspend(company) => change_company_status(&company, setup::suspend_company).await,
        CompanyCommand::Reinstate(company) => change_company_status(&company, setup::reinstate_company).await,
        CompanyCommand::TestDeposits(company) => test_deposits(&company).await,
        CompanyCommand::Identity { company, outcome } => record_identity_check(&company, &outcome).await,
        CompanyCommand::Note(fact) => change_trait(fact, traits::record_fact).await,
        CompanyCommand::Forget(fact) => change_trait(fact, traits::delete_fact).await,
    }
}

async fn record_identity_check(company: &Company, outcome: &str) -> Result<(), String> {
    let names = IdentityCheck::names().join(" or ");
    let outcome =
        IdentityCheck::parse(outcome).ok_or_else(|| format!("OUTCOME must be {names}, not {outcome}"))?;
    let noted =
        as_operator(company, move |tx, caller| match signatories::note_identity(tx, caller, outcome) {
            Ok(_) => Ok(true),
            Err(Error::NotFound) => Ok(false),
            Err(error) => Err(error),
        });
    if !noted.await? {
        return Err("the company has no signatory".to_owned());
    }
    print_line(
        &json!({ "uuid": company.company, "identity_verification_status": outcome.as_str() }).to_string(),
    )
}

async fn create_company(args: NewCompanyArgs) -> Result<(), String> {
    let mut checks = Checks::new();
    let text = |key: &str, value: &str| check::validate_text(key, value, NAME);
    let name = checks.take_value(text("--name", &args.name));
    let trade_name = args.trade_name.and_then(|name| checks.take_value(text("--trade-name", &name)));
    let number = args.ein.and_then(|number| checks.take_value(parse_ein("--ein", &number)));
    checks.finish().map_err(join_messages)?;
    let new = NewCompany {
        name: name.unwrap_or_default(),
        trade_name,
        ein: number,
        contractor_only: false,
        is_partner_managed: false,
    };
    let nobody = Caller::for_operator(Uuid::nil(), jiff::tz::TimeZone::UTC);
    let made =
        run_unit(&args.store, move |tx| companies::service::create_company(tx, &nobody, new.clone())).await?;
    print_line(&json!({ "uuid": made.company }).to_string())
}

type Decision = fn(&mut Tx<'_>, &Caller) -> Result<Profile, Error>;

/// Changes a company's status, and prints it.
async fn change_company_status(args: &Company, decision: Decision) -> Result<(), String> {
    let company = as_operator(args, decision).await?.company;
    let status = company.company_status.as_str();
    print_line(&json!({ "uuid": args.company, "name": company.name, "company_status": status }).to_string())
}

async fn test_deposits(args: &Company) -> Result<(), String> {
    let deposits = as_operator(args, |tx, caller| {
        let id = caller.company;
        let Some(account) = company_banks::rows::current_account(tx, id)? else { return Ok(None) };
        let deposits = company_banks::service::send_test_deposits(tx, caller, account.id)?;
        let routing_number = account.routing_number(tx, id)?;
        Ok(Some(json!({ "bank_account": account.id, "account_type": account.account_type.as_str(),
                        "routing_number": routing_number, "account_number": &*account.account_number(tx, id)?,
                        "deposit_1": deposits.deposit_1.to_text(2), "deposit_2": deposits.deposit_2.to_text(2) })))
    });
    let deposits: Value = deposits.await?.ok_or("the company has no bank account")?;
    print_line(&deposits.to_string())
}

async fn change_trait(
    Fact { company, kind, name }: Fact,
    act: fn(&mut Tx<'_>, &Caller, Trait, &str) -> Result<(), Error>,
) -> Result<(), String> {
    let known = || Trait::names().join(", ");
    let kind = Trait::parse(&kind).ok_or_else(|| format!("{kind} is none of {}", known()))?;
    let name = check::validate_text("NAME", &name, NAME).map_err(|wrong| join_messages(vec![wrong]))?;
    let noted = json!({ "uuid": company.company, kind.as_str(): name });
    as_operator(&company, move |tx, caller| act(tx, caller, kind, &name)).await?;
    print_line(&noted.to_string())
}

/// Runs one unit as the operator, for an existing company.
async fn as_operator<T: Send + 'static>(
    args: &Company,
    unit: impl Fn(&mut Tx<'_>, &Caller) -> Result<T, Error> + Send + 'static,
) -> Result<T, String> {
    let id = args.company;
    let done = run_unit(&args.store, move |tx| {
        companies::find_company(tx, id)?.ok_or(Error::NotFound)?;
        let zone = companies::time_zone(tx, id)?;
        unit(tx, &Caller::for_operator(id, zone))
    });
    done.await
}
