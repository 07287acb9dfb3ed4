//! Cancels payrolls of several companies of an application in one request.
//!
//! A batch is processed synchronously, in one unit of work: each payroll is cancelled by the usual use case, which refuses before it
//! changes anything, so the refusal of one is reported with it and the others are cancelled. The caller's idempotency key ensures that a
//! batch is processed once; its results can be read for a day.

use std::collections::HashSet;

use rules::{Checks, Violation, check};
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use crate::access::tokens;
use crate::access::tokens::Caller;
use crate::batch;
use crate::company::companies;
use crate::error::Error;
use crate::patch::Patch;
use crate::pay::payrolls::closing::lifecycle;
use crate::pay::payrolls::service as payrolls;
use crate::platform::audit;
use crate::records::parse_id;

store::statements! {
    INSERT = "INSERT INTO payroll_batches (application_id, id, idempotency_key, results, created_at) VALUES ($1, $2, $3, $4, $5)";
    FIND = "SELECT id, idempotency_key, results, created_at FROM payroll_batches WHERE application_id = $1 AND id = $2";
    OF_KEY = "SELECT id FROM payroll_batches WHERE application_id = $1 AND idempotency_key = $2 LIMIT 1";
}

/// Table of the record, and kind of the guard of an application's keys.
const TABLE: &str = "payroll_batches";
/// The scope that a token for the company must have.
const RUN: &str = "payrolls:run";
/// Maximum payrolls of a batch.
pub const MOST: usize = 100;
/// Maximum characters of a key.
const KEY: usize = 255;
/// The types of entities that a batch can have.
pub const ENTITIES: [&str; 1] = ["payroll"];
/// The action of a batch.
pub const CANCEL: &str = "cancel";

/// Cancels several payrolls.
pub type CreateBatch = batch::CreateBatch<PayrollItem>;

/// A payroll to cancel.
#[derive(Debug, Clone, Default)]
pub struct PayrollItem {
    /// one of [`ENTITIES`]
    pub entity_type: Patch<String>,
    /// the payroll
    pub uuid: Patch<String>,
    /// its company
    pub company_uuid: Patch<String>,
}

/// A payroll of a batch, and its company.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Named {
    /// the payroll
    pub payroll: Uuid,
    /// the company that the request names as its owner
    pub company: Uuid,
}

impl batch::Item for PayrollItem {
    const ACTION: &'static str = CANCEL;
    const MOST: usize = MOST;
    const ENTITIES: &'static [&'static str] = &ENTITIES;
    type Name = Named;

    fn entity_type(&self) -> &Patch<String> {
        &self.entity_type
    }

    fn read_name(&self, checks: &mut Checks) -> Option<Named> {
        let id = |key: &str, id: &String| {
            parse_id(id).ok_or_else(|| Violation::invalid(key, format!("{key} must be a UUID")))
        };
        let payroll = self.uuid.required("uuid", checks, id);
        let company = self.company_uuid.required("company_uuid", checks, id);
        Some(Named { payroll: payroll?, company: company? })
    }
}

/// The outcome for a payroll.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Outcome {
    /// index in the request, from 0
    pub index: usize,
    /// the payroll
    pub payroll: Uuid,
    /// why it could not be cancelled; `None` if it is cancelled, or was not submitted
    pub refused: Option<String>,
}

/// A payroll that was not processed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Excluded {
    /// index in the request, from 0
    pub index: usize,
    /// the payroll and its company
    pub named: Named,
    /// why
    pub why: Exclusion,
}

/// Why a payroll was not processed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Exclusion {
    /// there is none in a company that the application may run payroll for
    NotFound,
    /// it is listed twice
    DuplicateOperation,
}

/// The outcomes of a batch.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Results {
    /// payrolls that were processed
    pub outcomes: Vec<Outcome>,
    /// payrolls that were not
    pub excluded: Vec<Excluded>,
}

/// A batch.
pub type Batch = batch::Kept<Results>;

const STATEMENTS: batch::Statements =
    batch::Statements { table: TABLE, what: "batch", insert: INSERT, find: FIND, of_key: OF_KEY };

/// A batch of the caller's application.
///
/// # Errors
/// "Not found"; "gone" a day after it was processed; a store error.
pub fn find_batch(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<Batch, Error> {
    let application = caller.application_id()?;
    Batch::find_batch(tx, STATEMENTS, application, id)
}

/// Cancels the payrolls of a batch.
///
/// # Errors
/// Every violation of the input; 409 for a key that was used; a store error.
pub fn create_batch(tx: &mut Tx<'_>, caller: &Caller, input: &CreateBatch) -> Result<Batch, Error> {
    let application = caller.application_id()?;
    let (idempotency_key, payrolls) = input.read_items(|key, text| check::validate_text(key, text, KEY))?;
    let payrolls = payrolls.into_iter().map(|(named, _)| named);
    let process = |tx: &mut Tx<'_>| batch_results(tx, caller, application, payrolls);
    let made = Batch::process_once(tx, STATEMENTS, application, idempotency_key, process)?;
    audit::record_audit_entry(tx, caller, "created", (TABLE, made.id), &json!({}))?;
    Ok(made)
}

fn batch_results(
    tx: &mut Tx<'_>,
    caller: &Caller,
    application: Uuid,
    payrolls: impl Iterator<Item = Named>,
) -> Result<Results, Error> {
    let (mut results, mut seen) = (Results::default(), HashSet::new());
    for (index, named) in payrolls.enumerate() {
        if !seen.insert(named.payroll) {
            results.excluded.push(Excluded { index, named, why: Exclusion::DuplicateOperation });
            continue;
        }
        let refused = match cancel_payroll(tx, caller, application, named)? {
            Fate::Cancelled => None,
            Fate::Refused(why) => Some(why),
            Fate::NotFound => {
                results.excluded.push(Excluded { index, named, why: Exclusion::NotFound });
                continue;
            }
        };
        results.outcomes.push(Outcome { index, payroll: named.payroll, refused });
    }
    Ok(results)
}

/// What became of a payroll.
enum Fate {
    /// it is cancelled, or was not submitted
    Cancelled,
    /// it could not be cancelled, and why
    Refused(String),
    /// the application does not reach such a payroll
    NotFound,
}

fn cancel_payroll(tx: &mut Tx<'_>, caller: &Caller, application: Uuid, named: Named) -> Result<Fate, Error> {
    let company = named.company;
    if !tokens::reaches_company(tx, company, application, RUN)? {
        return Ok(Fate::NotFound);
    }
    let inside = Caller { company, zone: companies::time_zone(tx, company)?, ..caller.clone() };
    match payrolls::find_payroll(tx, &inside, named.payroll) {
        Ok(found) if found.submitted_at.is_none() => return Ok(Fate::Cancelled),
        Ok(_) => {}
        Err(Error::NotFound) => return Ok(Fate::NotFound),
        Err(error) => return Err(error),
    }
    match lifecycle::cancel_payroll(tx, &inside, named.payroll) {
        Ok(_) => Ok(Fate::Cancelled),
        Err(Error::Violations(why)) => {
            Ok(Fate::Refused(why.into_iter().map(|one| one.message).collect::<Vec<_>>().join(" ")))
        }
        Err(error) => Err(error),
    }
}
