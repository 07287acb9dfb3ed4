//! Which documented operations of the public interface are served: one declaration, from which `stipend compat` prints
//! docs/compatibility.md.
//!
//! `data/documented_operations.csv` lists the operations that are documented, as facts: area, method and path. What is served is
//! read from the description of this service; only what is served without its full content is declared here.

use std::collections::BTreeSet;

use serde_json::Value;

/// The documented operations: area, method, path.
const DOCUMENTED: &str = include_str!("../../../data/documented_operations.csv");

/// Operations that answer truly with nothing, because the service has none of what they list.
const EMPTY: [&str; 4] = [
    "GET /v1/companies/{}/custom_fields",
    "GET /v1/companies/{}/information_requests",
    "GET /v1/companies/{}/recovery_cases",
    "GET /v1/employees/{}/custom_fields",
];

/// Operations of which a part is served, and which.
const PARTS: [(&str, &str); 6] = [
    ("PUT /v1/companies/{}/payment_configs", "takes what is in force; every other value is refused"),
    (
        "POST /v1/companies/{}/reports",
        "account numbers by their last digits; the column of donations is empty",
    ),
    ("POST /v1/companies/{}/payrolls/skip", "regular payrolls"),
    ("POST /v1/companies/{}/pay_schedules/assign", "type single"),
    ("POST /v1/companies/{}/pay_schedules/assignment_preview", "type single"),
    ("GET /v1/companies/{}/notifications", "employees who wait for a review"),
];

/// How a documented operation stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// it is served
    Served,
    /// a part of it is served, and which
    Part(&'static str),
    /// it answers truly with nothing
    Empty,
    /// there is no such address: 404 or 405
    Refused,
}

/// A documented operation.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// what it is about
    pub area: &'static str,
    /// method
    pub method: &'static str,
    /// path, as it is documented
    pub path: &'static str,
    /// how it stands
    pub standing: Standing,
}

/// Every documented operation, as it stands by a description of the service, in the order of the areas.
pub fn table(description: &str) -> Vec<Row> {
    let served = served(description);
    let lines = DOCUMENTED.lines().skip(1).filter_map(|line| {
        let mut cells = line.splitn(3, ',');
        Some((cells.next()?, cells.next()?, cells.next()?))
    });
    let row = |(area, method, path): (&'static str, &'static str, &'static str)| {
        let name = format!("{method} {}", without_names(path));
        let standing = match PARTS.iter().find(|(part, _)| *part == name) {
            _ if !served.contains(&name) => Standing::Refused,
            Some((_, which)) => Standing::Part(which),
            None if EMPTY.contains(&name.as_str()) => Standing::Empty,
            None => Standing::Served,
        };
        Row { area, method, path, standing }
    };
    lines.map(row).collect()
}

/// The operations of a description, without the names of their parameters.
fn served(description: &str) -> BTreeSet<String> {
    let api: Value = serde_json::from_str(description)
        .unwrap_or_else(|error| panic!("the description is no JSON: {error}"));
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

/// The table as docs/compatibility.md has it.
pub fn markdown(description: &str) -> String {
    let rows = table(description);
    let count = |wanted: fn(Standing) -> bool| rows.iter().filter(|row| wanted(row.standing)).count();
    let mut page = format!(
        "# Compatibility\n\nWhich of the {} documented operations of the public interface are served, in every dated version alike: {} \
         in full, {} in part, {} empty because there is nothing to list, {} not. An address that is not served answers 404 or 405. \
         `stipend compat` prints this page.\n",
        rows.len(),
        count(|one| one == Standing::Served),
        count(|one| matches!(one, Standing::Part(_))),
        count(|one| one == Standing::Empty),
        count(|one| one == Standing::Refused),
    );
    let mut area = "";
    for row in rows {
        if row.area != area {
            area = row.area;
            page += &format!("\n## {area}\n\n| operation | |\n|---|---|\n");
        }
        let standing = match row.standing {
            Standing::Served => "served".to_owned(),
            Standing::Part(which) => format!("in part: {which}"),
            Standing::Empty => "served, empty".to_owned(),
            Standing::Refused => "not served".to_owned(),
        };
        page += &format!("| `{} {}` | {standing} |\n", row.method, row.path);
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_declared_is_documented() {
        let documented: Vec<_> =
            table("{}").iter().map(|row| format!("{} {}", row.method, without_names(row.path))).collect();
        let declared = EMPTY.iter().chain(PARTS.iter().map(|(name, _)| name));
        for name in declared {
            assert!(documented.iter().any(|one| one == name), "{name}");
        }
        assert!(
            table("{}").iter().all(|row| row.standing == Standing::Refused),
            "nothing is served by an empty description"
        );
    }
}
