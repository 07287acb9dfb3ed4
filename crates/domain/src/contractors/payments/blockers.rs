//! What prevents payments of contractors: the company's standing, its bank account, and contractors whose accounts cannot be paid. The latter are paid
//! by check if the caller chooses that.

use rules::company::Status;
use rules::{Category, Named as _, Violation};
use serde_json::json;
use store::Tx;
use strum::{EnumString, IntoStaticStr, VariantArray};
use uuid::Uuid;

use super::entered::Planned;
use super::rows::Method;
use crate::access::tokens::Caller;
use crate::company::banks::rows as banks;
use crate::company::{companies, setup};
use crate::contractors::accounts::rows as accounts;
use crate::error::Error;
use crate::money::funding::cases;
use crate::pay::payrolls::record::commands::SubmissionBlocker;
use crate::pay::payrolls::service::blockers::PayrollBlockerKind as OfPayroll;
use crate::pay::payrolls::service::submission_blockers::RETURNED_ACCOUNT;

/// A blocker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocker {
    /// its kind
    pub kind: PaymentBlockerKind,
    /// the contractor, if it concerns one
    pub contractor: Option<Uuid>,
    /// what has to be done, in words
    pub message: String,
}

/// The kinds of blockers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PaymentBlockerKind {
    /// one that blocks payrolls, too
    OfPayroll(OfPayroll),
    /// a contractor has no account
    NoAccount,
    /// a payment to a contractor's account was returned
    ReturnedAccount,
}

/// How a blocker can be resolved with the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum Choice {
    /// the contractor is paid by check
    #[strum(serialize = "pay_by_check")]
    Check,
}

impl PaymentBlockerKind {
    /// Returns its key in the API.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OfPayroll(kind) => kind.as_str(),
            Self::NoAccount => "missing_contractor_bank_account",
            Self::ReturnedAccount => RETURNED_ACCOUNT,
        }
    }

    /// Returns how it can be resolved with the request; `None` if something else has to be done first.
    pub fn choice(self) -> Option<Choice> {
        match self {
            Self::OfPayroll(_) => None,
            Self::NoAccount | Self::ReturnedAccount => Some(Choice::Check),
        }
    }
}

/// Returns what prevents payments; historical ones are records alone.
pub(super) fn payment_blockers(
    tx: &mut Tx<'_>,
    caller: &Caller,
    planned: &[Planned],
    partner_pays: bool,
) -> Result<Vec<Blocker>, Error> {
    let company = caller.company;
    if planned.iter().all(|one| one.method == Method::Historical) {
        return Ok(Vec::new());
    }
    let to_accounts: Vec<&Planned> =
        planned.iter().filter(|one| one.method == Method::DirectDeposit).collect();
    let mut kinds = of_company(tx, caller)?;
    if !to_accounts.is_empty() && !partner_pays {
        match banks::current_account(tx, company)? {
            None => kinds.push(OfPayroll::MissingBankInfo),
            Some(_) if banks::paying_account(tx, company)?.is_none() => {
                kinds.push(OfPayroll::MissingBankVerification)
            }
            Some(_) => {}
        }
    }
    let general = |kind: OfPayroll| Blocker {
        kind: PaymentBlockerKind::OfPayroll(kind),
        contractor: None,
        message: remedy_text(kind).to_owned(),
    };
    let mut found: Vec<Blocker> = kinds.into_iter().map(general).collect();
    for one in to_accounts.into_iter().filter(|_| !partner_pays) {
        let (id, name) = (one.contractor.id, one.contractor.name());
        let (kind, why) = match accounts::account_of_contractor(tx, company, id)? {
            None => (PaymentBlockerKind::NoAccount, format!("{name} has no bank account")),
            Some(account) => match account.returned_code {
                None => continue,
                Some(code) => (
                    PaymentBlockerKind::ReturnedAccount,
                    format!("A bank returned the last payment to the account of {name} ({code})"),
                ),
            },
        };
        let message = format!("{why}: add one, or pay by check.");
        found.push(Blocker { kind, contractor: Some(id), message });
    }
    Ok(found)
}

/// Returns what has to be done, in words that fit payments of contractors.
fn remedy_text(kind: OfPayroll) -> &'static str {
    match kind {
        OfPayroll::MissingBankInfo => "Add the bank account that contractors are paid from.",
        OfPayroll::MissingBankVerification => "Verify the bank account that contractors are paid from.",
        other => other.message(),
    }
}

fn of_company(tx: &mut Tx<'_>, caller: &Caller) -> Result<Vec<OfPayroll>, Error> {
    let company = companies::rows::find_company(tx, caller.company)?.ok_or(Error::NotFound)?;
    let mut kinds = Vec::new();
    match company.company_status {
        Status::Approved => {}
        Status::Suspended => kinds.push(OfPayroll::Suspended),
        _ => {
            let (finished, _) = setup::service::open_steps(tx, caller, &company)?;
            kinds.push(if finished { OfPayroll::NeedsApproval } else { OfPayroll::NeedsOnboarding });
        }
    }
    if cases::are_payrolls_blocked(tx, caller.company)? {
        kinds.push(OfPayroll::PendingRecoveryCase);
    }
    Ok(kinds)
}

/// Applies the caller's choices, and refuses what is left.
///
/// # Errors
/// 422 with every blocker that no choice resolves.
pub(super) fn resolve_blockers(
    planned: &mut [Planned],
    blockers: &[Blocker],
    chosen: &[SubmissionBlocker],
) -> Result<(), Error> {
    let is_chosen = |kind: PaymentBlockerKind| {
        let choice = kind.choice();
        chosen.iter().any(|one| {
            let sent = one.selected_option.value().and_then(|text| Choice::parse(text));
            one.blocker_type.value().is_some_and(|text| text == kind.as_str())
                && sent.is_some()
                && sent == choice
        })
    };
    let mut left = Vec::new();
    for blocker in blockers {
        match blocker.contractor.filter(|_| is_chosen(blocker.kind)) {
            Some(contractor) => {
                let of_one = planned.iter_mut().filter(|one| one.contractor.id == contractor);
                of_one.for_each(|one| one.method = Method::Check);
            }
            None => {
                let violation = Violation::new("base", Category::PayrollBlocker, blocker.message.as_str());
                let told = json!({ "key": blocker.kind.as_str(), "contractor_uuid": blocker.contractor });
                left.push(violation.with_metadata(told));
            }
        }
    }
    if left.is_empty() { Ok(()) } else { Err(Error::Violations(left)) }
}
