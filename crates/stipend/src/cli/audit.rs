//! `stipend audit verify`: whether the audit log is as it was written.

use clap::{Args, Subcommand};
use uuid::Uuid;

use super::{StoreArgs, open, settings};
use domain::platform::audit::seals;
use domain::platform::audit::seals::Chain;

#[derive(Subcommand)]
pub(super) enum AuditCommand {
    /// Make every seal of the audit log again from its entries, and say what does not fit
    #[command(
        after_help = "Exit code 1 when something does not fit. The newest seal of each company, kept elsewhere, later shows \
                            that the end of\nits chain is still there.\n\nExamples:\n  stipend audit verify --database-url sqlite:stipend.db\n  \
                            stipend audit verify --company UUID --seal 3f9a…"
    )]
    Verify(VerifyArgs),
}

#[derive(Args)]
pub(super) struct VerifyArgs {
    /// Of this company alone
    #[arg(long, value_name = "UUID")]
    company: Option<Uuid>,
    /// A seal that was noted before and must be in the company's chain
    #[arg(long, value_name = "SEAL", requires = "company")]
    seal: Option<String>,
    #[command(flatten)]
    store: StoreArgs,
}

/// Checks one chain, or all of them.
pub(super) async fn verify(args: VerifyArgs, json: bool) -> Result<(), String> {
    let store = open(&settings(&args.store)?)?;
    let failed = |error| format!("the audit log could not be read: {error:?}");
    let (mut chains, mut broken) = (0_u64, 0_u64);
    let mut report = |chain: &Chain| {
        // What belongs to no company has a chain only where there is something of the kind.
        if chain.company.is_nil() && chain.seals + chain.unsealed == 0 && chain.broken.is_none() {
            return Ok(());
        }
        chains += 1;
        broken += u64::from(chain.broken.is_some());
        super::print_result(json, &describe(chain), chain)
    };
    if let Some(company) = args.company {
        let chain = seals::check(&store, company, args.seal.as_deref()).await.map_err(failed)?;
        report(&chain)?;
    } else {
        let mut next = seals::next(&store, None).await.map_err(failed)?;
        while let Some(company) = next {
            report(&seals::check(&store, company, None).await.map_err(failed)?)?;
            next = seals::next(&store, Some(company)).await.map_err(failed)?;
        }
    }
    match broken {
        0 => Ok(()),
        _ => Err(format!("the audit log was changed: {broken} of {chains} chains do not fit")),
    }
}

/// A chain in one line for people.
fn describe(chain: &Chain) -> String {
    let Chain { company, seals, entries, unsealed, .. } = chain;
    let end = match (&chain.broken, &chain.newest) {
        (Some(why), _) => format!("BROKEN: {why}"),
        (None, Some(newest)) => format!("newest seal {newest}"),
        (None, None) => "no seal yet".to_owned(),
    };
    format!("{company}  {entries} entries under {seals} seals, {unsealed} not yet sealed; {end}")
}
