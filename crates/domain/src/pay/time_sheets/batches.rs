//! Several time sheets in one request, to create or to change.
//!
//! A batch is processed synchronously and as a whole: one sheet that is invalid, or two shifts of an employee that overlap, refuse all of
//! them. The sender's idempotency key, unique per company and application, ensures that it is processed once.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use rules::{Checks, Named as _, Violation, check};
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::{Tx, params};
use strum::{EnumString, IntoStaticStr, VariantArray};
use uuid::Uuid;

use super::rows::TimeSheet;
use super::service;
use super::service::TimeSheetFields;
use crate::access::tokens::Caller;
use crate::batch;
use crate::error::Error;
use crate::events;
use crate::patch::{Patch, as_is};
use crate::platform::audit;
use crate::records::parse_id;

/// Maximum time sheets of a batch.
pub const MOST: usize = 500;
/// Maximum characters of a key, and of the sender's name of a sheet.
const KEY: usize = 255;

/// What a batch does with its time sheets.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString, Serialize, Deserialize,
)]
pub enum Action {
    /// creates them
    #[strum(serialize = "create")]
    Create,
    /// changes their given fields
    #[strum(serialize = "update")]
    Update,
}

/// Creates or changes several time sheets.
#[derive(Debug, Clone, Default)]
pub struct CreateBatch {
    /// the sender's key
    pub idempotency_key: Patch<String>,
    /// an [`Action`] by name; by default, to create
    pub batch_action: Patch<Action>,
    /// 1 to [`MOST`] time sheets
    pub batch: Patch<Vec<TimeSheetItem>>,
}

/// A time sheet of a batch.
#[derive(Debug, Clone, Default)]
pub struct TimeSheetItem {
    /// the sender's name of the sheet, unique in the batch
    pub external_id: Patch<String>,
    /// the sheet to change
    pub uuid: Patch<String>,
    /// its fields
    pub sheet: TimeSheetFields,
}

/// What became of a time sheet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// index in the batch, from 0
    pub index: usize,
    /// the sender's name of the sheet
    pub external_id: String,
    /// the time sheet
    pub sheet: Uuid,
}

store::record! {
    /// A processed batch.
    #[derive(Debug, Clone)]
    pub struct Batch in "time_sheet_batches" {
        key {
            /// identifier
            pub id: Uuid,
        }
        fixed {
            /// the application that sent it
            pub application: Uuid = "application_id",
            /// its key
            pub idempotency_key: String,
            /// what it did
            pub action: Action as text = "batch_action",
            /// its time sheets
            pub results: Vec<Outcome> as json,
        }
        times {
            /// time of processing
            pub created_at: Timestamp,
        }
    }
}

store::statements! {
    records Batch;
    OF_KEY = store::text!(Batch::SELECT, " AND application_id = $2 AND idempotency_key = $3 LIMIT 1");
}

/// A batch of the caller's application.
///
/// # Errors
/// "Not found", also if it was deleted by the retention; a store error.
pub fn find_batch(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<Batch, Error> {
    let application = caller.application_id()?;
    let found = Batch::find(tx, caller.company, id)?;
    found.filter(|batch| batch.application == application).ok_or(Error::NotFound)
}

/// Creates or changes the time sheets of a batch.
///
/// # Errors
/// Every violation, by time sheet; 409 for a key that was used; a store error.
pub fn create_batch(tx: &mut Tx<'_>, caller: &Caller, input: &CreateBatch) -> Result<Batch, Error> {
    let application = caller.application_id()?;
    let mut checks = Checks::new();
    let text = |key: &str, text: &String| check::validate_text(key, text, KEY);
    let idempotency_key = input.idempotency_key.required("idempotency_key", &mut checks, text);
    let action = input.batch_action.optional("batch_action", &mut checks, as_is);
    input.batch.required("batch", &mut checks, |key, items| {
        let why = || Violation::invalid(key, format!("{key} must have 1 to {MOST} items"));
        if (1..=MOST).contains(&items.len()) { Ok(()) } else { Err(why()) }
    });
    checks.finish()?;
    let (Some(idempotency_key), Some(items)) = (idempotency_key, input.batch.value()) else {
        unreachable!("both are required")
    };
    tx.take_guard(caller.company, Batch::TABLE, caller.company)?;
    let used = params![caller.company, application, idempotency_key.as_str()];
    if let Some(used) = tx.try_find(OF_KEY, used, Batch::read)? {
        return Err(batch::key_was_used("batch", used.id));
    }
    let action = action.unwrap_or(Action::Create);
    let results = enter_time_sheets(tx, caller, action, items)?;
    let batch =
        Batch { id: tx.new_id(), application, idempotency_key, action, results, created_at: tx.now() };
    batch.insert(tx, caller.company)?;
    audit::record_audit_entry(tx, caller, "created", (Batch::TABLE, batch.id), &json!({}))?;
    for event in [events::TIME_SHEETS_BATCH_PROCESSING, events::TIME_SHEETS_BATCH_COMPLETED] {
        events::emit_of_batch(tx, caller.company, event, batch.id)?;
    }
    Ok(batch)
}

/// Enters the time sheets in their order.
fn enter_time_sheets(
    tx: &mut Tx<'_>,
    caller: &Caller,
    action: Action,
    items: &[TimeSheetItem],
) -> Result<Vec<Outcome>, Error> {
    let mut checks = Checks::new();
    let refuse =
        |index: usize, errors| Violation::nested("batch", errors).with_metadata(json!({ "index": index }));
    let (mut results, mut names) = (Vec::with_capacity(items.len()), BTreeSet::new());
    let mut shifts: BTreeMap<Uuid, Vec<(usize, TimeSheet)>> = BTreeMap::new();
    for (index, item) in items.iter().enumerate() {
        match enter_time_sheet(tx, caller, action, item, &mut names) {
            Ok((external_id, sheet)) => {
                results.push(Outcome { index, external_id, sheet: sheet.id });
                shifts.entry(sheet.employee).or_default().push((index, sheet));
            }
            Err(Error::Violations(errors)) => checks.push(refuse(index, errors)),
            Err(error) => return Err(error),
        }
    }
    for of_employee in shifts.values_mut() {
        of_employee.sort_by_key(|(_, sheet)| sheet.started_at);
        for pair in of_employee.windows(2) {
            let ((first, earlier), (index, later)) = (&pair[0], &pair[1]);
            if earlier.ended_at.is_some_and(|end| later.started_at < end) {
                let message = format!("shift_started_at lies in the shift of item {first} of the batch");
                checks.push(refuse(*index, vec![Violation::invalid("shift_started_at", message)]));
            }
        }
    }
    checks.finish()?;
    Ok(results)
}

/// Enters a time sheet; returns the sender's name of it, too.
fn enter_time_sheet(
    tx: &mut Tx<'_>,
    caller: &Caller,
    action: Action,
    item: &TimeSheetItem,
    names: &mut BTreeSet<String>,
) -> Result<(String, TimeSheet), Error> {
    let mut checks = Checks::new();
    let external_id = item.external_id.required("external_id", &mut checks, |key, text| {
        let name = check::validate_text(key, text, KEY)?;
        let is_new = names.insert(name.clone());
        is_new.then_some(name).ok_or_else(|| Violation::invalid(key, format!("{key} is in the batch twice")))
    });
    let unknown = || Violation::invalid("uuid", "uuid must be that of a time sheet of the company");
    let sheet = match action {
        Action::Create => service::create_time_sheet(tx, caller, &item.sheet),
        Action::Update => {
            let id = item.uuid.required("uuid", &mut checks, |_, id| parse_id(id).ok_or_else(unknown));
            match id {
                Some(id) => service::update_time_sheet(tx, caller, id, &item.sheet),
                None => Err(Error::Violations(Vec::new())),
            }
        }
    };
    let sheet = match sheet {
        Ok(sheet) => Some(sheet),
        Err(Error::Violations(errors)) => {
            checks.extend(errors);
            None
        }
        Err(Error::NotFound) => {
            checks.push(unknown());
            None
        }
        Err(Error::Stale(stale)) => {
            let message = format!("version is not the current one, {}", stale.current);
            checks.push(Violation::invalid("version", message));
            None
        }
        Err(error) => return Err(error),
    };
    checks.finish()?;
    let (Some(external_id), Some(sheet)) = (external_id, sheet) else {
        unreachable!("a missing one is refused")
    };
    Ok((external_id, sheet))
}
