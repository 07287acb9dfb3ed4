//! Entering several people in one piece, each with addresses, job, pay, department and bank accounts.
//!
//! A batch is done at once. Each person is entered as anybody else is; what of a person is refused is told with it, and the rest
//! stays: a wrong bank account keeps nobody from being entered. A key of the caller's makes sure that a batch is done once.

use jiff::Timestamp;
use rules::{Amount, Category, Checks, Named, Violation, check};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::{Tx, params};
use strum::{EnumString, IntoStaticStr, VariantArray};
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::error::{Error, violations_json};
use crate::patch::{self, Patch, as_is};
use crate::pay::compensations;
use crate::pay::compensations::commands::{CreateJob, UpdateCompensation};
use crate::people::addresses;
use crate::people::addresses::commands::{CreateHomeAddress, CreateWorkAddress};
use crate::people::departments::rows::Department;
use crate::people::departments::service as departments;
use crate::people::employees::named;
use crate::people::payment_methods::commands::{BankAccountInput, SplitInput, UpdatePaymentMethod};
use crate::people::payment_methods::rows::DIRECT_DEPOSIT;
use crate::people::payment_methods::service as payment_methods;
use crate::people::profiles;
use crate::people::profiles::commands::CreateEmployee;
use crate::platform::audit;
use crate::records::{id_of, parse_id, version_text};

/// Maximum people of a batch: they are entered in one unit of work.
pub const MOST: usize = 50;
/// Maximum bank accounts of a person.
const MOST_ACCOUNTS: usize = 10;
/// Maximum characters of an identifier of the caller's.
const EXTERNAL_ID: usize = 255;
/// What can be done with the people of a batch.
pub const ACTIONS: [&str; 1] = ["create"];
/// Who can be in a batch.
pub const ENTITIES: [&str; 1] = ["employee"];

/// Enters several people.
#[derive(Debug, Clone, Default)]
pub struct CreateBatch {
    /// a UUID of the caller's choice, for one batch of the company
    pub idempotency_key: Patch<String>,
    /// one of [`ACTIONS`]
    pub batch_action: Patch<String>,
    /// at most [`MOST`] people
    pub batch: Patch<Vec<Item>>,
}

/// Somebody who is entered.
#[derive(Debug, Clone, Default)]
pub struct Item {
    /// one of [`ENTITIES`]
    pub entity_type: Patch<String>,
    /// who it is
    pub person: Patch<Person>,
    /// where the person lives
    pub home_address: Patch<Home>,
    /// where the person works
    pub work_address: Patch<Work>,
    /// the job
    pub job: Patch<CreateJob>,
    /// the department
    pub department: Patch<Membership>,
    /// what the job pays
    pub compensation: Patch<Pay>,
    /// accounts that pay is sent to
    pub bank_accounts: Patch<Vec<Account>>,
}

/// Who somebody is.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "fields are those of the record")]
pub struct Person {
    /// what the caller calls the person
    pub external_id: Patch<String>,
    pub first_name: Patch<String>,
    pub last_name: Patch<String>,
    pub middle_initial: Patch<String>,
    pub preferred_first_name: Patch<String>,
    pub email: Patch<String>,
    pub work_email: Patch<String>,
    /// nine digits, with dashes or without
    pub ssn: Patch<String>,
    pub date_of_birth: Patch<String>,
    pub self_onboarding: Patch<bool>,
}

/// Where somebody lives.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "fields are those of the record")]
pub struct Home {
    pub street_1: Patch<String>,
    pub street_2: Patch<String>,
    pub city: Patch<String>,
    pub state: Patch<String>,
    pub zip: Patch<String>,
    /// `USA`
    pub country: Patch<String>,
    /// false: a place of work is a location of the company
    pub work_from_home: Patch<bool>,
}

/// Where somebody works.
#[derive(Debug, Clone, Default)]
pub struct Work {
    /// a location of the company
    pub location_uuid: Patch<String>,
}

/// To which department somebody belongs.
#[derive(Debug, Clone, Default)]
pub struct Membership {
    /// the department
    pub department_uuid: Patch<String>,
}

/// What a job pays.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "fields are those of the record")]
pub struct Pay {
    pub rate: Patch<Amount>,
    pub payment_unit: Patch<String>,
    pub flsa_status: Patch<String>,
}

/// An account that pay is sent to.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "fields are those of the record")]
pub struct Account {
    pub name: Patch<String>,
    pub account_type: Patch<String>,
    pub routing_number: Patch<String>,
    pub account_number: Patch<String>,
    /// `Direct Deposit`
    pub kind: Patch<String>,
    /// the same for every account of a person
    pub split_by: Patch<String>,
    /// percent or cents; null for the rest
    pub split_amount: Patch<Amount>,
}

/// How a batch, or a person of it, came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum Status {
    /// everybody was entered with all that belongs to them
    #[strum(serialize = "completed")]
    Completed,
    /// some were, or some without all that belongs to them
    #[strum(serialize = "partial_success")]
    PartialSuccess,
    /// nobody was
    #[strum(serialize = "failed")]
    Failed,
}

/// What became of a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entered {
    /// what the caller calls the person
    pub external_id: String,
    /// place in the batch, from 0
    pub index: usize,
    /// the employee, if entered
    pub employee: Option<Uuid>,
    /// what was refused, as the items of an answer's `errors`
    pub errors: Vec<Value>,
}

impl Entered {
    /// `success`, `partial_success` or `failed`.
    pub fn status(&self) -> &'static str {
        match (self.employee, self.errors.is_empty()) {
            (None, _) => "failed",
            (Some(_), true) => "success",
            (Some(_), false) => "partial_success",
        }
    }
}

/// Somebody who was not looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Excluded {
    /// what the caller calls the person
    pub external_id: String,
    /// why, for programs
    pub category: String,
    /// why, in words
    pub message: String,
}

store::record! {
    /// A batch that was done.
    #[derive(Debug, Clone)]
    pub struct Batch in "people_batches" {
        key {
            /// identifier
            pub id: Uuid,
        }
        fixed {
            /// the caller's
            pub idempotency_key: String,
            /// how it came out
            pub status: Status as text,
            /// what became of the people
            pub results: Vec<Entered> as json,
            /// who was not looked at
            pub exclusions: Vec<Excluded> as json,
        }
        times {
            /// when it was done
            pub created_at: Timestamp,
        }
    }
}

store::statements! {
    records Batch;
    OF_KEY = store::text!(Batch::SELECT, " AND idempotency_key = $2 LIMIT 1");
}

/// A batch.
///
/// # Errors
/// "Not found", also for one that was swept; a store error.
pub fn get(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<Batch, Error> {
    Batch::find(tx, caller.company, id)?.ok_or(Error::NotFound)
}

/// Enters the people of a batch.
///
/// # Errors
/// Every violation of the batch as a whole; 409 for a key that was used; a store error. What is wrong with a person is told with it.
pub fn create(tx: &mut Tx<'_>, caller: &Caller, input: &CreateBatch) -> Result<Batch, Error> {
    let mut checks = Checks::new();
    let key = input.idempotency_key.required("idempotency_key", &mut checks, |key, text| {
        let why = || Violation::invalid(key, format!("{key} must be a UUID"));
        parse_id(text).map(|id| id.to_string()).ok_or_else(why)
    });
    let action = |key: &str, name: &String| check::one_of(key, name, &ACTIONS).map(drop);
    input.batch_action.required("batch_action", &mut checks, action);
    let items = people(&input.batch, &mut checks);
    checks.finish()?;
    let Some(idempotency_key) = key else { unreachable!("a batch without a key is refused") };
    tx.guard(caller.company, Batch::TABLE, caller.company)?;
    let used = tx.try_find(OF_KEY, params![caller.company, idempotency_key.as_str()], Batch::read)?;
    if let Some(used) = used {
        let message = "idempotency_key was used for another batch; read that one, or send a key of its own";
        let taken = Violation::new("idempotency_key", Category::DuplicateOperation, message);
        return Err(Error::Settled(taken.with_metadata(json!({ "request_uuid": used.id }))));
    }
    let (mut results, mut exclusions): (Vec<Entered>, Vec<Excluded>) = (Vec::new(), Vec::new());
    for (index, (external_id, person, item)) in items.into_iter().enumerate() {
        if results.iter().any(|one| one.external_id == external_id) {
            let message = "external_id stands in the batch twice; the first was taken".to_owned();
            exclusions.push(Excluded { external_id, category: "duplicate".to_owned(), message });
            continue;
        }
        results.push(enter(tx, caller, (index, external_id), person, item)?);
    }
    let all = |status: &str| results.iter().all(|one| one.status() == status);
    let status = match () {
        () if all("success") => Status::Completed,
        () if all("failed") => Status::Failed,
        () => Status::PartialSuccess,
    };
    let batch = Batch { id: tx.new_id(), idempotency_key, status, results, exclusions, created_at: tx.now() };
    batch.insert(tx, caller.company)?;
    audit::record(tx, caller, "created", (Batch::TABLE, batch.id), &json!({}))?;
    Ok(batch)
}

/// The people of a batch, each with what the caller calls it.
fn people<'i>(batch: &'i Patch<Vec<Item>>, checks: &mut Checks) -> Vec<(String, &'i Person, &'i Item)> {
    batch.required("batch", checks, |key, items| {
        let why = || Violation::invalid(key, format!("{key} must have 1 to {MOST} items"));
        if (1..=MOST).contains(&items.len()) { Ok(()) } else { Err(why()) }
    });
    let items = batch.value().map_or(&[] as &[_], Vec::as_slice);
    let mut found = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate().take(MOST) {
        let mut own = Checks::new();
        let entity = |key: &str, name: &String| check::one_of(key, name, &ENTITIES).map(drop);
        item.entity_type.required("entity_type", &mut own, entity);
        item.person.required("person", &mut own, |_, _| Ok(()));
        let mut external_id = None;
        if let Patch::Value(person) = &item.person {
            let mut inner = Checks::new();
            let text = |key: &str, text: &String| check::text(key, text, EXTERNAL_ID);
            external_id = person.external_id.required("external_id", &mut inner, text);
            own.extend(inner.finish().err().map(|errors| Violation::nested("person", errors)));
        }
        if let Err(errors) = own.finish() {
            checks.push(Violation::nested("batch", errors).with_metadata(json!({ "index": index })));
        }
        found.extend(external_id.zip(item.person.value()).map(|(id, person)| (id, person, item)));
    }
    found
}

/// Enters a person with what belongs to it.
fn enter(
    tx: &mut Tx<'_>,
    caller: &Caller,
    (index, external_id): (usize, String),
    person: &Person,
    item: &Item,
) -> Result<Entered, Error> {
    let mut told = Vec::new();
    let made = profiles::service::create(tx, caller, &person.employee());
    let employee = part("person", made, &mut told)?.map(|profile| profile.employee.id);
    if let Some(employee) = employee {
        add_all(tx, caller, employee, item, &mut told)?;
    }
    let errors = violations_json(&told).as_array().cloned().unwrap_or_default();
    Ok(Entered { external_id, index, employee, errors })
}

/// What came of a part: nothing where it is refused, which is told under its name.
fn part<T>(key: &str, made: Result<T, Error>, told: &mut Vec<Violation>) -> Result<Option<T>, Error> {
    match made {
        Ok(made) => Ok(Some(made)),
        Err(Error::Violations(errors) | Error::Malformed(errors)) => {
            told.push(Violation::nested(key, errors));
            Ok(None)
        }
        Err(Error::Settled(error)) => {
            told.push(Violation::nested(key, vec![error]));
            Ok(None)
        }
        Err(Error::NotFound) => {
            told.push(Violation::invalid(key, format!("{key} must name a record of the company")));
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// The value of a part that was sent; null counts as left out.
fn sent<'p, T>(key: &str, field: &'p Patch<T>, told: &mut Vec<Violation>) -> Option<&'p T> {
    let mut checks = Checks::new();
    field.optional(key, &mut checks, |_, _| Ok(()));
    told.extend(checks.finish().err().into_iter().flatten());
    field.value()
}

fn add_all(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    item: &Item,
    told: &mut Vec<Violation>,
) -> Result<(), Error> {
    if let Some(job) = sent("job", &item.job, told) {
        let made = compensations::service::jobs::create(tx, caller, employee, job);
        let made = part("job", made, told)?;
        match (made, sent("compensation", &item.compensation, told)) {
            (Some(job), Some(pay)) => {
                let changed = pay_for(tx, caller, &job, pay);
                part("compensation", changed, told)?;
            }
            (Some(_), None) => {
                told.push(Violation::invalid("compensation", "compensation can't be blank with a job"));
            }
            (None, _) => {}
        }
    } else if sent("compensation", &item.compensation, told).is_some() {
        told.push(Violation::invalid("job", "job can't be blank with a compensation"));
    }
    if let Some(home) = sent("home_address", &item.home_address, told) {
        let made = add_home(tx, caller, employee, home);
        part("home_address", made, told)?;
    }
    if let Some(work) = sent("work_address", &item.work_address, told) {
        let work =
            CreateWorkAddress { location_uuid: work.location_uuid.clone(), ..CreateWorkAddress::default() };
        let made = addresses::service::create_work(tx, caller, employee, &work);
        part("work_address", made, told)?;
    }
    if let Some(department) = sent("department", &item.department, told) {
        let joined = join(tx, caller, employee, department);
        part("department", joined, told)?;
    }
    if sent("bank_accounts", &item.bank_accounts, told).is_some() {
        let made = add_accounts(tx, caller, employee, &item.bank_accounts);
        part("bank_accounts", made, told)?;
    }
    Ok(())
}

impl Person {
    fn employee(&self) -> CreateEmployee {
        CreateEmployee {
            first_name: self.first_name.clone(),
            last_name: self.last_name.clone(),
            middle_initial: self.middle_initial.clone(),
            preferred_first_name: self.preferred_first_name.clone(),
            email: self.email.clone(),
            work_email: self.work_email.clone(),
            ssn: match &self.ssn {
                Patch::Value(ssn) => Patch::Value(ssn.replace('-', "")),
                other => other.clone(),
            },
            date_of_birth: self.date_of_birth.clone(),
            self_onboarding: self.self_onboarding.clone(),
            ..CreateEmployee::default()
        }
    }
}

/// Sets what a new job pays: it has a compensation already, from the first day of work on.
fn pay_for(
    tx: &mut Tx<'_>,
    caller: &Caller,
    job: &compensations::service::jobs::JobDetails,
    pay: &Pay,
) -> Result<(), Error> {
    let first = job.pay.of_job(job.job.id).first();
    let first = first.ok_or_else(|| Error::internal("a new job has no compensation"))?;
    let table = compensations::service::COMPENSATIONS;
    let change = UpdateCompensation {
        version: Patch::Value(version_text(table, first.id, first.version)),
        rate: pay.rate.clone(),
        payment_unit: pay.payment_unit.clone(),
        flsa_status: pay.flsa_status.clone(),
        ..UpdateCompensation::default()
    };
    let mut checks = Checks::new();
    pay.rate.required("rate", &mut checks, as_is);
    pay.payment_unit.required("payment_unit", &mut checks, |_, _| Ok(()));
    pay.flsa_status.required("flsa_status", &mut checks, |_, _| Ok(()));
    checks.finish()?;
    compensations::service::compensations::update(tx, caller, first.id, &change).map(drop)
}

fn add_home(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid, home: &Home) -> Result<(), Error> {
    let mut checks = Checks::new();
    let country = |key: &str, name: &String| check::one_of(key, name, &["USA"]).map(drop);
    home.country.optional("country", &mut checks, country);
    home.work_from_home.optional("work_from_home", &mut checks, |key, flag| match flag {
        false => Ok(()),
        true => {
            let why =
                format!("{key} must be false: create a location at the home, and send it as work_address");
            Err(Violation::invalid(key, why))
        }
    });
    checks.finish()?;
    let home = CreateHomeAddress {
        street_1: home.street_1.clone(),
        street_2: home.street_2.clone(),
        city: home.city.clone(),
        state: home.state.clone(),
        zip: home.zip.clone(),
        ..CreateHomeAddress::default()
    };
    addresses::service::create_home(tx, caller, employee, &home).map(drop)
}

fn join(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid, to: &Membership) -> Result<(), Error> {
    let mut checks = Checks::new();
    let id = to.department_uuid.required("department_uuid", &mut checks, |_, id| Ok(id_of(id)));
    checks.finish()?;
    let held = departments::get(tx, caller, id.unwrap_or_default())?.department;
    let change = departments::ChangeMembers {
        version: Patch::Value(version_text(Department::TABLE, held.id, held.version)),
        employees: Patch::Value(vec![named::Person { uuid: Patch::Value(employee.to_string()) }]),
        contractors: Patch::Absent,
    };
    departments::change_members(tx, caller, held.id, &change, true).map(drop)
}

/// Adds the accounts, and divides pay among them.
fn add_accounts(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    accounts: &Patch<Vec<Account>>,
) -> Result<(), Error> {
    let mut checks = Checks::new();
    let accounts = patch::items("bank_accounts", accounts, MOST_ACCOUNTS, &mut checks);
    let by = accounts.first().map_or(&Patch::Absent, |first| &first.split_by);
    for account in accounts {
        let kind = |key: &str, name: &String| check::one_of(key, name, &[DIRECT_DEPOSIT]).map(drop);
        account.kind.required("type", &mut checks, kind);
        account.split_by.required("split_by", &mut checks, |key, _| {
            let why = || Violation::invalid(key, format!("{key} must be the same for every account"));
            if account.split_by == *by { Ok(()) } else { Err(why()) }
        });
    }
    checks.finish()?;
    let mut splits = Vec::with_capacity(accounts.len());
    for (number, account) in (1..).zip(accounts) {
        let name = match &account.name {
            Patch::Absent | Patch::Null => Patch::Value(format!("Account {number}")),
            name => name.clone(),
        };
        let input = BankAccountInput {
            name,
            routing_number: account.routing_number.clone(),
            account_number: account.account_number.clone(),
            account_type: account.account_type.clone(),
        };
        let made = payment_methods::create_account(tx, caller, employee, &input)?;
        splits.push(SplitInput {
            uuid: Patch::Value(made.account.id.to_string()),
            priority: Patch::Value(number),
            split_amount: account.split_amount.clone(),
        });
    }
    if splits.is_empty() {
        return Ok(());
    }
    let method = payment_methods::get_method(tx, caller, employee)?;
    let change = UpdatePaymentMethod {
        version: Patch::Value(version_text(payment_methods::METHOD, employee, method.method.version)),
        kind: Patch::Value(DIRECT_DEPOSIT.to_owned()),
        split_by: by.clone(),
        splits: Patch::Value(splits),
    };
    payment_methods::update_method(tx, caller, employee, &change).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_came_out_as_its_parts_did() {
        let of = |employee, errors: usize| {
            let errors = vec![json!({}); errors];
            Entered { external_id: "7".to_owned(), index: 0, employee, errors }.status()
        };
        assert_eq!(of(Some(Uuid::nil()), 0), "success");
        assert_eq!(of(Some(Uuid::nil()), 1), "partial_success");
        assert_eq!(of(None, 1), "failed");
    }

    #[test]
    fn a_batch_names_every_person_that_cannot_be_read() {
        let person = |id: Patch<String>| Patch::Value(Person { external_id: id, ..Person::default() });
        let employee = || Patch::Value("employee".to_owned());
        let good =
            Item { entity_type: employee(), person: person(Patch::Value("1".to_owned())), ..Item::default() };
        let nameless = Item { entity_type: employee(), person: person(Patch::Absent), ..Item::default() };
        let other =
            Item { entity_type: Patch::Value("robot".to_owned()), person: Patch::Null, ..Item::default() };
        let mut checks = Checks::new();
        assert_eq!(people(&Patch::Value(vec![good, nameless, other]), &mut checks).len(), 1);
        let told = checks.finish().unwrap_err();
        let places: Vec<_> = told.iter().map(|one| one.metadata.as_ref().unwrap()["index"].clone()).collect();
        assert_eq!(places, [json!(1), json!(2)]);
        assert_eq!(told[1].errors.len(), 2);
    }

    #[test]
    fn a_batch_has_at_least_one_person_and_at_most_so_many() {
        for wrong in [Vec::new(), vec![Item::default(); MOST + 1]] {
            let mut checks = Checks::new();
            people(&Patch::Value(wrong), &mut checks);
            assert!(checks.finish().unwrap_err()[0].message.contains("1 to 50"));
        }
    }
}
