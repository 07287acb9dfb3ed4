//! Enters several people in one request, each with addresses, job, pay, department and bank accounts.
//!
//! A batch is processed synchronously. Each person is entered through the usual use cases; rejected parts are reported with the person and
//! the rest is kept, so an invalid bank account does not prevent a person from being entered. The caller's idempotency key ensures that a
//! batch is processed once.

mod entering;

use jiff::Timestamp;
use jiff::civil::Date;
use rules::compensation::{FlsaStatus, PaymentUnit};
use rules::{Amount, Checks, Named, Violation, check};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::{Tx, params};
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::batch;
pub use crate::batch::BatchStatus;
use crate::error::Error;
use crate::events;
use crate::patch::Patch;
use crate::pay::compensations::commands::CreateJob;
use crate::people::addresses::commands::Residence;
use crate::platform::audit;
use crate::records::parse_id;

/// Maximum number of people in a batch, because they are entered in one unit of work.
pub const MOST: usize = 50;
/// Maximum length of an external id, in characters.
const EXTERNAL_ID: usize = 255;
/// The types of people in a batch.
pub const ENTITIES: [&str; 1] = ["employee"];

/// Enters several people. The key is a UUID.
pub type CreateBatch = batch::CreateBatch<PersonItem>;

/// A person to enter.
#[derive(Debug, Clone, Default)]
pub struct PersonItem {
    /// one of [`ENTITIES`]
    pub entity_type: Patch<String>,
    /// personal details
    pub person: Patch<NewPerson>,
    /// home address
    pub home_address: Patch<Home>,
    /// work address
    pub work_address: Patch<Work>,
    /// the job
    pub job: Patch<CreateJob>,
    /// the department
    pub department: Patch<Membership>,
    /// the pay of the job
    pub compensation: Patch<Pay>,
    /// bank accounts that pay is sent to
    pub bank_accounts: Patch<Vec<Account>>,
}

impl batch::Item for PersonItem {
    const MOST: usize = MOST;
    const ENTITIES: &'static [&'static str] = &ENTITIES;
    /// the caller's id for the person
    type Name = String;

    fn entity_type(&self) -> &Patch<String> {
        &self.entity_type
    }

    fn read_name(&self, checks: &mut Checks) -> Option<String> {
        self.person.required("person", checks, |_, _| Ok(()));
        let person = self.person.value()?;
        let mut inner = Checks::new();
        let text = |key: &str, text: &String| check::validate_text(key, text, EXTERNAL_ID);
        let external_id = person.external_id.required("external_id", &mut inner, text);
        checks.extend(inner.finish().err().map(|errors| Violation::nested("person", errors)));
        external_id
    }
}

/// Personal details.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "fields are those of the record")]
pub struct NewPerson {
    /// the caller's id for the person
    pub external_id: Patch<String>,
    pub first_name: Patch<String>,
    pub last_name: Patch<String>,
    pub middle_initial: Patch<String>,
    pub preferred_first_name: Patch<String>,
    pub email: Patch<String>,
    pub work_email: Patch<String>,
    /// nine digits, with or without dashes
    pub ssn: Patch<String>,
    pub date_of_birth: Patch<Date>,
    pub self_onboarding: Patch<bool>,
}

/// Home address.
#[derive(Debug, Clone, Default)]
pub struct Home {
    /// street, city, state and ZIP code
    pub residence: Residence,
    /// always `USA`
    pub country: Patch<String>,
    /// whether the employee works at home; creates a company location there unless an active one exists
    pub work_from_home: Patch<bool>,
}

/// Work address.
#[derive(Debug, Clone, Default)]
pub struct Work {
    /// a location of the company
    pub location_uuid: Patch<String>,
}

/// Department.
#[derive(Debug, Clone, Default)]
pub struct Membership {
    /// the department
    pub department_uuid: Patch<String>,
}

/// Pay of a job.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "fields are those of the record")]
pub struct Pay {
    pub rate: Patch<Amount>,
    pub payment_unit: Patch<PaymentUnit>,
    pub flsa_status: Patch<FlsaStatus>,
}

/// A bank account for pay.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "fields are those of the record")]
pub struct Account {
    pub name: Patch<String>,
    pub account_type: Patch<String>,
    pub routing_number: Patch<String>,
    pub account_number: Patch<String>,
    /// always `Direct Deposit`
    pub kind: Patch<String>,
    /// same for every account of a person
    pub split_by: Patch<String>,
    /// percent or cents; null for the remainder
    pub split_amount: Patch<Amount>,
}

/// The result for a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entered {
    /// the caller's id for the person
    pub external_id: String,
    /// index in the batch, from 0
    pub index: usize,
    /// the employee, if entered
    pub employee: Option<Uuid>,
    /// violations, in the format of a response's `errors`
    pub errors: Vec<Value>,
}

impl Entered {
    /// Returns `success`, `partial_success` or `failed`.
    pub fn status(&self) -> &'static str {
        match (self.employee, self.errors.is_empty()) {
            (None, _) => "failed",
            (Some(_), true) => "success",
            (Some(_), false) => "partial_success",
        }
    }
}

/// A person who was not processed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Excluded {
    /// the caller's id for the person
    pub external_id: String,
    /// machine-readable reason
    pub category: String,
    /// human-readable reason
    pub message: String,
}

store::record! {
    /// A processed batch.
    #[derive(Debug, Clone)]
    pub struct Batch in "people_batches" {
        key {
            /// identifier
            pub id: Uuid,
        }
        fixed {
            /// the idempotency key
            pub idempotency_key: String,
            /// status
            pub status: BatchStatus as text,
            /// results of the people processed
            pub results: Vec<Entered> as json,
            /// people who were not processed
            pub exclusions: Vec<Excluded> as json,
        }
        times {
            /// time of processing
            pub created_at: Timestamp,
        }
    }
}

store::statements! {
    records Batch;
    OF_KEY = store::text!(Batch::SELECT, " AND idempotency_key = $2 LIMIT 1");
}

/// Returns a batch.
///
/// # Errors
/// "Not found", including a batch deleted by the retention policy; a store error.
pub fn get_batch(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<Batch, Error> {
    Batch::find(tx, caller.company, id)?.ok_or(Error::NotFound)
}

/// Enters the people of a batch.
///
/// # Errors
/// Every violation of the batch as a whole; 409 for an idempotency key that was already used; a store error. Violations of a person are
/// reported with the person.
pub fn create_batch(tx: &mut Tx<'_>, caller: &Caller, input: &CreateBatch) -> Result<Batch, Error> {
    let (idempotency_key, items) = input.read_items(|key, text| {
        let why = || Violation::invalid(key, format!("{key} must be a UUID"));
        parse_id(text).map(|id| id.to_string()).ok_or_else(why)
    })?;
    tx.take_guard(caller.company, Batch::TABLE, caller.company)?;
    let used = tx.try_find(OF_KEY, params![caller.company, idempotency_key.as_str()], Batch::read)?;
    if let Some(used) = used {
        return Err(batch::key_was_used("batch", used.id));
    }
    let (mut results, mut exclusions): (Vec<Entered>, Vec<Excluded>) = (Vec::new(), Vec::new());
    for (index, (external_id, item)) in items.into_iter().enumerate() {
        if results.iter().any(|one| one.external_id == external_id) {
            let message = "external_id is listed twice in the batch; the first was used".to_owned();
            exclusions.push(Excluded { external_id, category: "duplicate".to_owned(), message });
            continue;
        }
        results.push(entering::enter_person(tx, caller, (index, external_id), item)?);
    }
    let all = |status: &str| results.iter().all(|one| one.status() == status);
    let status = match () {
        () if all("success") => BatchStatus::Completed,
        () if all("failed") => BatchStatus::Failed,
        () => BatchStatus::PartialSuccess,
    };
    let batch = Batch { id: tx.new_id(), idempotency_key, status, results, exclusions, created_at: tx.now() };
    batch.insert(tx, caller.company)?;
    audit::record_audit_entry(tx, caller, "created", (Batch::TABLE, batch.id), &json!({}))?;
    let event = match status {
        BatchStatus::Failed => events::PEOPLE_BATCH_FAILED,
        BatchStatus::Completed | BatchStatus::PartialSuccess => events::PEOPLE_BATCH_COMPLETED,
    };
    events::emit_of_batch(tx, caller.company, event, batch.id)?;
    Ok(batch)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_of_a_person_follows_from_its_parts() {
        let of = |employee, errors: usize| {
            let errors = vec![json!({}); errors];
            Entered { external_id: "7".to_owned(), index: 0, employee, errors }.status()
        };
        assert_eq!(of(Some(Uuid::nil()), 0), "success");
        assert_eq!(of(Some(Uuid::nil()), 1), "partial_success");
        assert_eq!(of(None, 1), "failed");
    }

    #[test]
    fn a_person_is_identified_by_the_callers_id() {
        let named = |person: Patch<NewPerson>| {
            let mut checks = Checks::new();
            let name = batch::Item::read_name(&PersonItem { person, ..PersonItem::default() }, &mut checks);
            (name, checks.finish().err().map(|told| told[0].key.clone()))
        };
        let hired = NewPerson { external_id: Patch::Value("hr-1".to_owned()), ..NewPerson::default() };
        assert_eq!(named(Patch::Value(hired)), (Some("hr-1".to_owned()), None));
        let wrong = (None, Some("person".to_owned()));
        assert_eq!([named(Patch::Value(NewPerson::default())), named(Patch::Null)], [wrong.clone(), wrong]);
    }
}
