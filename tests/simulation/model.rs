//! What clients were told, and must find again: the records that were acknowledged, as they were acknowledged last, and
//! the events that acknowledged changes must have left behind.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde_json::{Map, Value};

use crate::wire::text;

/// A kind of record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Location,
    Employee,
    Job,
    Compensation,
    Benefit,
    Garnishment,
    Estimate,
}

impl Kind {
    /// Where records of the kind are read.
    pub fn path(self, id: &str) -> String {
        let kind = match self {
            Self::Location => "locations",
            Self::Employee => "employees",
            Self::Job => "jobs",
            Self::Compensation => "compensations",
            Self::Benefit => "employee_benefits",
            Self::Garnishment => "garnishments",
            Self::Estimate => "salary_estimates",
        };
        format!("/v1/{kind}/{id}")
    }

    /// What only a client changes.
    fn fields(self) -> &'static [&'static str] {
        match self {
            Self::Location => &["street_1", "street_2", "city", "state", "zip", "phone_number"],
            Self::Employee => &["first_name", "last_name", "preferred_first_name", "email"],
            Self::Job => &["title", "hire_date"],
            Self::Compensation => &["rate", "payment_unit", "flsa_status", "effective_date"],
            Self::Benefit => {
                &["employee_deduction", "effective_date", "company_benefit_uuid", "employee_uuid"]
            }
            Self::Garnishment => &["amount", "active", "garnishment_type", "description"],
            Self::Estimate => &["result", "zip_code", "occupations", "accepted_at", "employee_job_uuid"],
        }
    }

    /// The events of making, changing and deleting one, as far as nothing else causes them.
    fn event(self, what: &str) -> Option<String> {
        match (self, what) {
            (Self::Location, "created" | "updated") => Some(format!("location.{what}")),
            (Self::Employee, "created" | "updated" | "deleted") => Some(format!("employee.{what}")),
            (Self::Compensation, "updated") => Some(format!("employee_job_compensation.{what}")),
            (Self::Benefit, "created" | "deleted") => Some(format!("employee_benefit.{what}")),
            _ => None,
        }
    }
}

/// When a record says that it was changed last.
pub fn moment(told: &Value) -> Option<Timestamp> {
    told["updated_at"].as_str().map(|at| at.parse().unwrap())
}

/// A record as it was acknowledged last.
#[derive(Debug, Clone)]
pub struct Record {
    pub kind: Kind,
    /// the place of its company
    pub tenant: usize,
    pub id: String,
    /// the employee that it belongs to; for a job's pay the job's employee
    pub owner: String,
    fields: Map<String, Value>,
    pub version: String,
    versions: BTreeSet<String>,
    /// when it was changed last, as far as it tells
    updated_at: Option<Timestamp>,
    /// whether it is as it is for ever
    pub settled: bool,
    /// the bytes in which a settled one is told
    bytes: Option<String>,
}

/// A subscription to events.
#[derive(Debug, Clone)]
pub struct Subscription {
    pub id: String,
    pub url: String,
    pub types: Vec<String>,
    /// since when it is known to be verified
    pub verified: Option<Timestamp>,
    pub removed: bool,
}

/// A payroll, of the schedule or outside of it.
#[derive(Debug, Clone)]
pub struct Payroll {
    pub id: String,
    pub tenant: usize,
    /// whether it was submitted, and not taken back since
    pub submitted: bool,
    /// whether it was read as processed, and not taken back since
    pub processed: bool,
}

/// What an application holds of a company.
#[derive(Debug, Clone)]
pub struct Connection {
    pub tenant: usize,
    pub access: String,
    pub refresh: String,
    pub expires: Timestamp,
}

/// See the module.
#[derive(Debug, Default)]
pub struct Model {
    pub records: BTreeMap<String, Record>,
    /// records that were deleted, and whose
    pub deleted: BTreeMap<String, (Kind, usize)>,
    /// events by type and record
    pub events: BTreeMap<(String, String), usize>,
    /// employees whose onboarding moved: each status is an update, too, and some come with time
    pub onboarding: BTreeSet<String>,
    pub subscriptions: Vec<Subscription>,
    pub payrolls: Vec<Payroll>,
    pub connections: Vec<Connection>,
    /// counts up, so that each value is another one
    pub number: u64,
}

impl Model {
    /// A number that was not used before.
    pub fn next(&mut self) -> u64 {
        self.number += 1;
        self.number
    }

    /// A name that was not used before: letters alone.
    pub fn name(&mut self, first: &str) -> String {
        let letters = self.next().to_string();
        let letters = letters.bytes().map(|digit| char::from(digit - b'0' + b'a'));
        format!("{first} {}", letters.collect::<String>())
    }

    /// An event of an acknowledged change.
    pub fn expect(&mut self, event: &str, record: &str) {
        *self.events.entry((event.to_owned(), record.to_owned())).or_default() += 1;
    }

    /// A record that was acknowledged as made.
    pub fn made(&mut self, kind: Kind, tenant: usize, owner: &str, told: &Value) {
        let id = text(told, "uuid");
        let record = Record {
            kind,
            tenant,
            id: id.clone(),
            owner: owner.to_owned(),
            fields: Map::new(),
            version: String::new(),
            versions: BTreeSet::new(),
            updated_at: None,
            settled: false,
            bytes: None,
        };
        assert!(self.records.insert(id.clone(), record).is_none(), "{id} was made twice");
        if let Some(event) = kind.event("created") {
            self.expect(&event, &id);
        }
        self.learn(&id, told);
    }

    /// A record that was acknowledged as changed.
    pub fn changed(&mut self, id: &str, told: &Value) {
        if let Some(event) = self.records[id].kind.event("updated") {
            self.expect(&event, id);
        }
        let record = &self.records[id];
        if let Some(version) = told["version"].as_str() {
            let fresh = !record.versions.contains(version);
            assert!(fresh, "{id} was updated, and has version {version} again");
        }
        self.learn(id, told);
    }

    /// Takes a record as it was told.
    fn learn(&mut self, id: &str, told: &Value) {
        let record = self.records.get_mut(id).unwrap();
        let pick = |name: &&str| ((*name).to_owned(), told[*name].clone());
        record.fields = record.kind.fields().iter().map(pick).collect();
        if let Some(version) = told["version"].as_str() {
            version.clone_into(&mut record.version);
            record.versions.insert(version.to_owned());
        }
        let updated = moment(told);
        assert!(updated >= record.updated_at, "{id}: {updated:?} comes before {:?}", record.updated_at);
        record.updated_at = updated;
    }

    /// A record that others end by what they do: its version is read again, what it says must not differ.
    pub fn moved(&mut self, id: &str, told: &Value) {
        let record = self.records.get_mut(id).unwrap();
        let version = text(told, "version");
        record.versions.insert(version.clone());
        record.version = version;
    }

    /// A record that was acknowledged as deleted, with what belongs to it.
    pub fn delete(&mut self, id: &str) {
        let record = self.records.remove(id).unwrap();
        if let Some(event) = record.kind.event("deleted") {
            self.expect(&event, id);
        }
        self.deleted.insert(id.to_owned(), (record.kind, record.tenant));
        if record.kind == Kind::Employee {
            let of: Vec<_> = self.records.values().filter(|one| one.owner == id).cloned().collect();
            for one in of {
                self.records.remove(&one.id);
                self.deleted.insert(one.id, (one.kind, one.tenant));
            }
        }
    }

    /// Compares a record with how it is read.
    pub fn check(&mut self, id: &str, read: &str) {
        let told: Value = serde_json::from_str(read).unwrap();
        let record = self.records.get_mut(id).unwrap();
        for (name, value) in &record.fields {
            assert_eq!(&told[name], value, "{:?} {id} was acknowledged with another {name}", record.kind);
        }
        if !record.version.is_empty() {
            assert_eq!(told["version"], record.version, "{:?} {id} has another version", record.kind);
        }
        assert_eq!(moment(&told), record.updated_at, "{:?} {id} was updated at another time", record.kind);
        if record.settled {
            let bytes = record.bytes.get_or_insert_with(|| read.to_owned());
            assert_eq!(*bytes, read, "{id} was settled and has changed");
        }
    }

    /// The records of a kind, in order.
    pub fn of(&self, kind: Kind) -> Vec<Record> {
        self.records.values().filter(|record| record.kind == kind).cloned().collect()
    }
}
