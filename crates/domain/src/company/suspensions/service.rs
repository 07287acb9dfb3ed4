//! Use cases of suspensions.

use rules::company::Status;
use rules::{Checks, Violation, check};
use serde_json::json;
use store::Tx;

use super::rows;
use super::rows::Suspension;
use crate::access::tokens::Caller;
use crate::company::{companies, setup};
use crate::error::Error;
use crate::patch::{Patch, as_is};
use crate::platform::audit;
use crate::records::room_for;

/// Table of the record, in audit entries.
const TABLE: &str = "company_suspensions";
/// Maximum suspensions of a company.
const MOST: usize = 100;
/// Maximum characters of a comment.
const COMMENTS: usize = 1_000;

/// Reasons for a suspension.
pub const REASONS: [&str; 5] =
    ["switching_provider", "shutting_down", "acquired", "no_more_employees", CHANGING_EIN];
/// The reason that requires the operator, because another EIN is another employer.
const CHANGING_EIN: &str = "changing_ein_or_entity_type";
/// What happens to taxes that were collected and not paid yet.
pub const TAX_METHODS: [&str; 2] = ["pay_taxes", "refund_taxes"];
/// Where a company can go.
pub const PROVIDERS: [&str; 27] = [
    "accountant",
    "adp",
    "adp_total_source",
    "bamboo_hr",
    "bank_or_financial_institution",
    "check",
    "deel",
    "homebase",
    "insperity",
    "intuit_or_quickbooks",
    "justworks",
    "manual",
    "namely",
    "onpay",
    "other",
    "oyster",
    "patriot",
    "paychex",
    "paycom",
    "paylocity",
    "remote",
    "rippling",
    "square",
    "surepayroll",
    "trinet",
    "velocity_global",
    "zenefits",
];

/// Suspends a company at its own request.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "fields are those of the record")]
pub struct CreateSuspension {
    pub reason: Patch<String>,
    pub leaving_for: Patch<String>,
    pub reconcile_tax_method: Patch<String>,
    pub file_quarterly_forms: Patch<bool>,
    pub file_yearly_forms: Patch<bool>,
    pub comments: Patch<String>,
}

/// Every suspension that the company requested, oldest first.
pub fn list_suspensions(tx: &mut Tx<'_>, caller: &Caller) -> Result<Vec<Suspension>, Error> {
    rows::of_company(tx, caller.company)
}

/// Suspends the company from today on.
///
/// # Errors
/// Every violation of the input; 422 for a company that is already suspended; a store error.
pub fn create_suspension(
    tx: &mut Tx<'_>,
    caller: &Caller,
    input: &CreateSuspension,
) -> Result<Suspension, Error> {
    tx.take_guard(caller.company, setup::service::TABLE, caller.company)?;
    let company = companies::find_company(tx, caller.company)?.ok_or(Error::NotFound)?;
    let mut checks = Checks::new();
    let new = read_suspension(tx, caller, input, &mut checks);
    checks.require(company.company_status != Status::Suspended, || {
        Violation::invalid_operation("The company is already suspended.")
    });
    checks.finish()?;
    let new = new.unwrap_or_else(|| unreachable!("a suspension with missing fields is refused"));
    room_for("suspensions of a company", rows::of_company(tx, caller.company)?.len(), MOST)?;
    new.insert(tx, caller.company)?;
    audit::record_audit_entry(tx, caller, "created", (TABLE, new.id), &json!({ "reason": new.reason }))?;
    setup::service::suspend_company(tx, caller)?;
    Ok(new)
}

fn read_suspension(
    tx: &mut Tx<'_>,
    caller: &Caller,
    input: &CreateSuspension,
    checks: &mut Checks,
) -> Option<Suspension> {
    let reason = input.reason.required("reason", checks, |key, sent| check::one_of(key, sent, &REASONS));
    checks.require(reason != Some(CHANGING_EIN), || {
        let why = format!(
            "reason must not be {CHANGING_EIN}: another EIN is another employer; create a company for it"
        );
        Violation::invalid("reason", why)
    });
    let provider = |key: &str, sent: &String| check::one_of(key, sent, &PROVIDERS);
    let leaving_for = match reason {
        Some("switching_provider") => input.leaving_for.required("leaving_for", checks, provider),
        _ => input.leaving_for.optional("leaving_for", checks, provider),
    };
    let text = |key: &str, sent: &String| check::validate_text(key, sent, COMMENTS);
    let comments = match leaving_for {
        Some("other") => input.comments.required("comments", checks, text),
        _ => {
            let text = |key: &str, sent: &String| check::optional_text(key, Some(sent), COMMENTS);
            input.comments.optional("comments", checks, text).flatten()
        }
    };
    let method = |key: &str, sent: &String| check::one_of(key, sent, &TAX_METHODS);
    let method = input.reconcile_tax_method.required("reconcile_tax_method", checks, method);
    let quarterly = input.file_quarterly_forms.required("file_quarterly_forms", checks, as_is);
    let yearly = input.file_yearly_forms.required("file_yearly_forms", checks, as_is);
    Some(Suspension {
        id: tx.new_id(),
        effective_date: caller.today(tx),
        reason: reason?.to_owned(),
        leaving_for: leaving_for.map(str::to_owned),
        reconcile_tax_method: method?.to_owned(),
        file_quarterly_forms: quarterly?,
        file_yearly_forms: yearly?,
        comments,
        version: 1,
    })
}
