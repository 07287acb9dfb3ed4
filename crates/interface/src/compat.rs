//! Which documented operations and events of the public interface are served: one declaration, from which `stipend compat` prints
//! docs/compatibility.md, and `/docs/compatibility` is made.
//!
//! `data/documented_operations.csv` and `data/documented_events.csv` list what is documented, as facts: area, method
//! and path of operations, subscription type and name of events. What is served follows from this service's description
//! and from the events that it emits; only operations served without their full content are declared here. The versions
//! in which an operation differs come from the list of differences between the versions.

use std::collections::BTreeSet;

use domain::events;
use domain::version::Change;
use serde_json::{Value, json};

use crate::version::describe_change;

/// The documented operations: area, method, path.
const DOCUMENTED: &str = include_str!("../../../data/documented_operations.csv");

/// The documented events: subscription type, name.
const DOCUMENTED_EVENTS: &str = include_str!("../../../data/documented_events.csv");

/// Operations that truthfully return empty results, because the service has none of what they list.
const EMPTY: [&str; 4] = [
    "GET /v1/companies/{}/custom_fields",
    "GET /v1/companies/{}/information_requests",
    "GET /v1/companies/{}/reverse_wire_transactions",
    "GET /v1/employees/{}/custom_fields",
];

/// Operations that are partly served, and which part.
const PARTS: [(&str, &str); 5] = [
    (
        "PUT /v1/companies/{}/payment_configs",
        "partner_owned_disbursement; speed and limit are accepted only with the values in force",
    ),
    (
        "POST /v1/companies/{}/reports",
        "account numbers show only their last digits; the donations column is empty",
    ),
    ("POST /v1/companies/{}/payrolls/skip", "Hired employee is refused: regular payrolls pay new employees"),
    (
        "GET /v1/companies/{}/notifications",
        "returned debits and payments, missed paydays, final wages to be paid apart, days that no pay schedule covers, accounts to verify, forms to sign, and employees awaiting review",
    ),
    ("POST /v1/companies/{}/flows", "the flow types in docs/onboarding.md; reverse_wire_accounts is refused"),
];

/// Unsupported operations, and why.
const REFUSED: [(&str, &str); 4] = [
    (
        "PUT /v1/information_requests/{}/submit",
        "the service sends no information requests: onboarding and approval decide whether a company may run payroll",
    ),
    (
        "GET /v1/invoices/{}",
        "the service issues no invoices: the partner, or an operator for the partner, runs it",
    ),
    (
        "POST /v1/plaid/processor_token",
        "bank accounts are verified by test deposits; no bank aggregator is connected",
    ),
    (
        "POST /v1/provision",
        "companies are created by POST /v1/partner_managed_companies or connect by OAuth; there is no page to claim an account",
    ),
];

/// Events that are not sent, and why.
const NOT_SENT: [(&str, &str); 2] = [
    (
        "company.payroll_transfer_completed",
        "documented by name only; what another provider paid is recorded as external payrolls, which have their own events",
    ),
    (
        "employee.payment_method.deleted",
        "payment methods are never deleted: without a bank account the method becomes Check (employee.payment_method_type_updated)",
    ),
];

/// The status of a documented operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// it is served
    Served,
    /// partly served, and which part
    Part(&'static str),
    /// truthfully returns an empty result
    Empty,
    /// not served (404 with the reason)
    Refused(&'static str),
}

/// A documented operation.
#[derive(Debug, Clone)]
pub struct Row {
    /// its area
    pub area: &'static str,
    /// method
    pub method: &'static str,
    /// its path, as documented
    pub path: &'static str,
    /// its status
    pub standing: Standing,
    /// the versions in which it differs from the one before
    pub differs: Vec<&'static str>,
}

impl Standing {
    /// The status in words.
    pub fn words(self) -> String {
        match self {
            Self::Served => "served".to_owned(),
            Self::Part(which) => format!("in part: {which}"),
            Self::Empty => "served, empty".to_owned(),
            Self::Refused(why) => format!("not served: {why}"),
        }
    }
}

/// A documented event.
#[derive(Debug, Clone, Copy)]
pub struct EventRow {
    /// its subscription type
    pub subscription_type: &'static str,
    /// its name
    pub name: &'static str,
    /// whether the service emits it
    pub emitted: bool,
    /// why it does not; empty for one that it does
    pub why: &'static str,
}

/// Every documented event, in the order of the subscription types.
pub fn event_table() -> Vec<EventRow> {
    let lines = DOCUMENTED_EVENTS.lines().skip(1).filter_map(|line| line.split_once(','));
    lines
        .map(|(subscription_type, name)| {
            let emitted = events::ALL_TYPES.iter().any(|one| one.name == name);
            let why = if emitted { "" } else { reason_unsent(name) };
            EventRow { subscription_type, name, emitted, why }
        })
        .collect()
}

/// Why an event is not sent.
fn reason_unsent(name: &str) -> &'static str {
    NOT_SENT.iter().find(|(unsent, _)| *unsent == name).map_or("", |(_, why)| why)
}

/// How many operations are served in full, in part, and with empty results, and how many are not served.
pub fn count_operations(rows: &[Row]) -> [usize; 4] {
    let count = |wanted: fn(Standing) -> bool| rows.iter().filter(|row| wanted(row.standing)).count();
    [
        count(|one| one == Standing::Served),
        count(|one| matches!(one, Standing::Part(_))),
        count(|one| one == Standing::Empty),
        count(|one| matches!(one, Standing::Refused(_))),
    ]
}

/// The versions from which on an operation differs, the oldest first.
fn differing_versions(name: &str) -> Vec<&'static str> {
    let touches = |operation: &str| {
        operation
            .split_once(' ')
            .is_some_and(|(method, path)| format!("{method} {}", without_names(path)) == name)
    };
    let versions = Change::ALL.iter().map(|change| describe_change(*change));
    let versions = versions.filter(|one| one.operations.iter().any(|operation| touches(operation)));
    let versions: BTreeSet<&'static str> = versions.map(|one| one.version).collect();
    versions.into_iter().collect()
}

/// Every documented operation, as it stands by a description of the service, in the order of the areas.
pub fn compatibility_table(description: &str) -> Vec<Row> {
    let served = served_operations(description);
    let lines = DOCUMENTED.lines().skip(1).filter_map(|line| {
        let mut cells = line.splitn(3, ',');
        Some((cells.next()?, cells.next()?, cells.next()?))
    });
    let row = |(area, method, path): (&'static str, &'static str, &'static str)| {
        let name = format!("{method} {}", without_names(path));
        let standing = match PARTS.iter().find(|(part, _)| *part == name) {
            _ if !served.contains(&name) => Standing::Refused(reason_not_served(&name)),
            Some((_, which)) => Standing::Part(which),
            None if EMPTY.contains(&name.as_str()) => Standing::Empty,
            None => Standing::Served,
        };
        Row { area, method, path, standing, differs: differing_versions(&name) }
    };
    lines.map(row).collect()
}

/// Why an operation is not served; `None` if it is.
fn reason_not_served(name: &str) -> &'static str {
    REFUSED.iter().find(|(refused, _)| *refused == name).map_or("", |(_, why)| why)
}

/// Why the operation at an address is not served although it is documented; `None` for any other address.
pub fn why_not_served(method: &str, path: &str) -> Option<&'static str> {
    let sent: Vec<&str> = path.split('/').collect();
    let is_at = |documented: &str| {
        let parts: Vec<&str> = documented.split('/').collect();
        let fits = |(part, sent): (&&str, &&str)| part == sent || *part == "{}" && !sent.is_empty();
        parts.len() == sent.len() && parts.iter().zip(&sent).all(fits)
    };
    let refused = REFUSED.iter().filter_map(|(name, why)| Some((name.split_once(' ')?, *why)));
    let mut found = refused.filter(|((of, documented), _)| *of == method && is_at(documented));
    found.next().map(|(_, why)| why)
}

/// The operations of a description, with parameter names removed.
fn served_operations(description: &str) -> BTreeSet<String> {
    let api: Value = serde_json::from_str(description)
        .unwrap_or_else(|error| panic!("the description is not JSON: {error}"));
    let paths = api["paths"].as_object().into_iter().flatten();
    let methods = paths.filter_map(|(path, item)| Some((path, item.as_object()?)));
    let name = |path: &str, method: &str| format!("{} {}", method.to_uppercase(), without_names(path));
    methods.flat_map(|(path, item)| item.keys().map(move |method| name(path, method))).collect()
}

/// A path without the names of its parameters, which differ from one description to another.
fn without_names(path: &str) -> String {
    let parts = path.split('/').map(|part| if part.starts_with('{') { "{}" } else { part });
    parts.collect::<Vec<_>>().join("/")
}

/// The table in docs/compatibility.md.
pub fn table_as_markdown(description: &str) -> String {
    let rows = compatibility_table(description);
    let [full, part, empty, refused] = count_operations(&rows);
    let events = event_table();
    let mut page = format!(
        "# Compatibility\n\nWhich of the {} documented operations of the public interface are served, in every date version: {full} in full, \
         {part} in part, {empty} with empty results because there is nothing to list, and {refused} not at all: these return 404 with the \
         reason that is given here. For an operation that changed with a date version, that version is named; docs/versions.md \
         describes the change. Of {} documented events, {} are sent. `stipend compat` prints this page.\n",
        rows.len(),
        events.len(),
        events.iter().filter(|event| event.emitted).count(),
    );
    let mut area = "";
    for row in rows {
        if row.area != area {
            area = row.area;
            page += &format!("\n## {area}\n\n| operation | | differs from |\n|---|---|---|\n");
        }
        let (standing, differs) = (row.standing.words(), row.differs.join(", "));
        page += &format!("| `{} {}` | {standing} | {differs} |\n", row.method, row.path);
    }
    page += "\n## Events\n\n| subscription type | event | |\n|---|---|---|\n";
    for event in events {
        let sent = if event.emitted { "sent".to_owned() } else { format!("not sent: {}", event.why) };
        page += &format!("| {} | `{}` | {sent} |\n", event.subscription_type, event.name);
    }
    page
}

/// The same as JSON.
pub fn table_as_json(description: &str) -> Value {
    let operations = compatibility_table(description).into_iter().map(|row| {
        let (standing, note) = match row.standing {
            Standing::Served => ("served", None),
            Standing::Part(which) => ("in_part", Some(which)),
            Standing::Empty => ("empty", None),
            Standing::Refused(why) => ("not_served", Some(why)),
        };
        json!({ "area": row.area, "method": row.method, "path": row.path, "standing": standing, "note": note,
                "differs_from": row.differs })
    });
    let events = event_table().into_iter().map(|event| {
        let why = Some(event.why).filter(|why| !why.is_empty());
        json!({ "subscription_type": event.subscription_type, "event_type": event.name, "sent": event.emitted, "note": why })
    });
    json!({ "operations": operations.collect::<Vec<_>>(), "events": events.collect::<Vec<_>>() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_told_the_same_as_people() {
        let described = json!({ "paths": { "/v1/benefits": { "get": {} } } }).to_string();
        let told = super::table_as_json(&described);
        let operations = told["operations"].as_array().unwrap();
        assert_eq!(operations.len(), compatibility_table("{}").len());
        let one =
            operations.iter().find(|one| one["path"] == "/v1/benefits" && one["method"] == "GET").unwrap();
        assert_eq!((&one["standing"], &one["note"]), (&json!("served"), &Value::Null));
        let refused = operations.iter().find(|one| one["path"] == "/v1/plaid/processor_token").unwrap();
        assert_eq!(refused["standing"], "not_served");
        assert!(refused["note"].as_str().unwrap().contains("test deposits"), "{refused}");
        let sent = told["events"].as_array().unwrap().iter().filter(|event| event["sent"] == true).count();
        assert_eq!(sent, event_table().iter().filter(|event| event.emitted).count());
    }

    #[test]
    fn events_that_are_sent_are_told_apart_from_those_that_are_not() {
        let sent = |name: &str| event_table().into_iter().find(|event| event.name == name).unwrap().emitted;
        assert!(sent("payroll.processed") && sent("external_payroll.created"));
        assert!(sent("contractor.created") && !sent("company.payroll_transfer_completed"));
        for event in event_table() {
            assert_eq!(event.emitted, event.why.is_empty(), "{}", event.name);
        }
        let known: Vec<_> = event_table().iter().map(|event| event.name).collect();
        assert!(NOT_SENT.iter().all(|(name, _)| known.contains(name) && !sent(name)));
    }

    #[test]
    fn an_operation_that_differs_between_versions_names_the_version() {
        let rows = compatibility_table("{}");
        let prepare = rows.iter().find(|row| row.path.ends_with("{payroll_id}/prepare")).unwrap();
        assert!(prepare.differs.contains(&"2026-06-15"), "{:?}", prepare.differs);
    }

    #[test]
    fn what_is_declared_is_documented() {
        let documented: Vec<_> = compatibility_table("{}")
            .iter()
            .map(|row| format!("{} {}", row.method, without_names(row.path)))
            .collect();
        let declared = EMPTY.iter().chain(PARTS.iter().chain(&REFUSED).map(|(name, _)| name));
        for name in declared {
            assert!(documented.iter().any(|one| one == name), "{name}");
        }
        assert!(
            compatibility_table("{}").iter().all(|row| matches!(row.standing, Standing::Refused(_))),
            "nothing is served by an empty description"
        );
    }
}
