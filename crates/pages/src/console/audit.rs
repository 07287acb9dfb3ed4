//! Who did what in a company, and how far the log is sealed.

use std::collections::HashMap;

use askama::Template;
use axum::Router;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use axum::routing::get;
use serde_json::{Map, Value};
use store::Tx;
use uuid::Uuid;

use super::ROWS;
use super::access;
use super::access::For;
use super::employees::full_name;
use super::frame;
use super::frame::Frame;
use super::show::{Dates, plain_words, pretty_json, truncate_to_page};
use domain::access::applications;
use domain::access::users::rows as users;
use domain::company::companies::rows as companies;
use domain::company::locations;
use domain::contractors::payments::rows::Payment;
use domain::contractors::records as contractors;
use domain::pay::payrolls;
use domain::people::employees;
use domain::platform::audit;
use domain::platform::audit::seals;
use domain::records::parse_id;
use domain::withholding::garnishments::rows as garnishments;
use interface::app::App;
use interface::error::Error;
use interface::http::Id;
use interface::query::Query;

pub(super) fn routes() -> Router<App> {
    Router::new().route("/console/companies/{company}/audit", get(list_audit_entries))
}

struct Line {
    at: String,
    /// who did what to which record
    sentence: String,
    entity: Uuid,
    ip: String,
    request_id: String,
    /// what was changed: field, before, after
    differences: Vec<(String, String, String)>,
    /// further details; empty if there are none
    changes: String,
    sealed: bool,
}

/// The newest seal of the log.
struct Newest {
    number: i64,
    at: String,
    text: String,
}

#[derive(Template)]
#[template(path = "console/audit.html")]
struct AuditPage<'a> {
    frame: &'a Frame,
    seal: Option<Newest>,
    lines: Vec<Line>,
    older: Option<Uuid>,
    newest: bool,
}

async fn list_audit_entries(
    State(app): State<App>,
    Path(Id(company)): Path<Id>,
    query: Query,
    request: Request,
) -> Response {
    let before = query.text_value("before").and_then(parse_id);
    access::show_page(&app, request, For::Company(company, "company_admin:read"), move |tx, visit| {
        let mut found = audit::entries_before(tx, company, before.unwrap_or(Uuid::max()), ROWS + 1)?;
        let older = truncate_to_page(&mut found, |entry| entry.id);
        let dates = visit.frame.dates;
        let seal = seals::newest_seal(tx, company)?;
        let through = seal.as_ref().map(|seal| seal.through);
        let mut names = HashMap::new();
        let mut lines = Vec::with_capacity(found.len());
        for entry in &found {
            let key = (entry.actor_kind.clone(), entry.actor);
            if !names.contains_key(&key) {
                let name = name_of(tx, company, &entry.actor_kind, entry.actor)?;
                names.insert(key.clone(), name);
            }
            let (differences, changes) = parse_changes(&entry.changes);
            lines.push(Line {
                differences,
                at: dates.format_moment(entry.created_at),
                sentence: entry_sentence(
                    names.get(&key).map_or("", |name| name),
                    &entry.action,
                    &singular_record_name(&entry.entity_type),
                    name_of_record(tx, company, &entry.entity_type, entry.entity, dates)?.as_deref(),
                ),
                entity: entry.entity,
                ip: entry.ip.clone(),
                request_id: entry.request_id.clone(),
                sealed: through.is_some_and(|through| entry.id <= through),
                changes,
            });
        }
        frame::render_page(&AuditPage {
            frame: &visit.frame,
            seal: seal.map(|seal| Newest {
                number: seal.number,
                at: dates.format_moment(seal.at),
                text: hex::encode(&seal.seal),
            }),
            older,
            newest: before.is_none(),
            lines,
        })
    })
    .await
}

/// Who did what: `Ann Lee (user) changed the employee Grace Kim`.
fn entry_sentence(actor: &str, action: &str, kind: &str, name: Option<&str>) -> String {
    let did = match action {
        "updated" => "changed",
        "created" => "added",
        "written" => "wrote",
        "disassociated" => "ended the connection of",
        "onboarding" => "advanced the onboarding of",
        "onboarding_finished" => "finished the onboarding of",
        "calculation_requested" => "requested the calculation of",
        "processing_failed" => "could not process",
        "document_requested" => "asked for a document of",
        "requested_token" => "asked for the token of",
        "checked_identity" => "recorded the identity check of",
        "test_deposits_told" => "revealed the test deposits of",
        "people_added" => "added people to",
        "people_removed" => "removed people from",
        "dismissed" => "dismissed",
        "dismissal_cancelled" => "cancelled the dismissal of",
        "rehired" => "rehired",
        "rehire_cancelled" => "cancelled the rehire of",
        "employees_added" => "added employees to",
        "employees_removed" => "removed employees from",
        "balances_set" => "set balances of",
        "paid_again" => "paid again",
        "links_ended" => "ended links of",
        "employer_signed" => "signed for the employer",
        "verification_failed" => "failed to verify",
        "confirmation_failed" => "failed to confirm",
        other => other,
    };
    let did = did.replace('_', " ");
    let article = match (name, action) {
        (Some(_), _) => "the",
        (None, "created") if kind.starts_with(['a', 'e', 'i', 'o', 'u']) => "an",
        (None, "created") => "a",
        (None, _) => "the",
    };
    let name = name.map(|name| format!(" {name}")).unwrap_or_default();
    format!("{actor} {did} {article} {kind}{name}")
}

/// The display name of a record, if it has one.
pub(super) fn name_of_record(
    tx: &mut Tx<'_>,
    company: Uuid,
    table: &str,
    id: Uuid,
    dates: Dates,
) -> Result<Option<String>, Error> {
    Ok(match table {
        contractors::service::TABLE => {
            contractors::Contractor::find(tx, company, id)?.map(|found| found.name())
        }
        employees::service::TABLE => employees::Employee::find(tx, company, id)?
            .map(|found| full_name(&found.first_name, &found.last_name)),
        payrolls::record::payroll::TABLE => payrolls::record::rows::find_payroll(tx, company, id)?
            .map(|found| format!("of {}", dates.format_day(found.check_date))),
        "companies" => companies::find_company(tx, id)?.filter(|_| id == company).map(|found| found.name),
        locations::service::TABLE => locations::rows::Location::find(tx, company, id)?
            .map(|found| format!("at {}, {}", found.street_1, found.city)),
        garnishments::TABLE => match garnishments::find_garnishment(tx, company, id)? {
            Some(order) => name_of_employee(tx, company, order.employee)?
                .map(|name| format!("{} of {name}", order.description)),
            None => None,
        },
        "contractor_payments" => match Payment::find(tx, company, id)? {
            Some(paid) => contractors::Contractor::find(tx, company, paid.contractor)?
                .map(|found| format!("of {}", found.name())),
            None => None,
        },
        // What an employee has once, such as Form W-4 and the payment method, has the employee's id.
        _ => name_of_employee(tx, company, id)?.map(|name| format!("of {name}")),
    })
}

fn name_of_employee(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<Option<String>, Error> {
    let found = employees::Employee::find(tx, company, id)?;
    Ok(found.map(|found| full_name(&found.first_name, &found.last_name)))
}

/// The same for the record of a background job, by the job's kind.
pub(super) fn name_of_work(
    tx: &mut Tx<'_>,
    company: Uuid,
    kind: &str,
    id: Uuid,
    dates: Dates,
) -> Result<Option<String>, Error> {
    let table = match kind.split('.').next() {
        Some("employee") => employees::service::TABLE,
        Some("contractor") => contractors::service::TABLE,
        Some("payroll") => payrolls::record::payroll::TABLE,
        _ => return Ok(None),
    };
    let name = name_of_record(tx, company, table, id, dates)?;
    Ok(name
        .map(|name| if table == payrolls::record::payroll::TABLE { format!("Payroll {name}") } else { name }))
}

/// A table's name as the name of one row: `employee_benefits` is an employee benefit.
fn singular_record_name(table: &str) -> String {
    let words = table.replace('_', " ");
    match words.strip_suffix("ies").map(|stem| format!("{stem}y")) {
        Some(one) => one,
        None if words.ends_with("ss") || words.ends_with("us") => words,
        None if words.ends_with("sses") => words.trim_end_matches("es").to_owned(),
        None => words.trim_end_matches('s').to_owned(),
    }
}

/// Whether a text is a code word, such as `self_onboarding_invited`.
fn is_word(text: &str) -> bool {
    text.contains('_') && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
}

/// The fields of an entry with a value before and one after; and any further details, as JSON.
pub(super) fn parse_changes(changes: &str) -> (Vec<(String, String, String)>, String) {
    let Ok(Value::Object(all)) = serde_json::from_str::<Value>(changes) else {
        return (Vec::new(), pretty_json(changes));
    };
    let plain = |value: &Value| match value {
        Value::Null => Some("nothing".to_owned()),
        // An identifier means nothing to people, and two of them may be a list.
        Value::String(text) if parse_id(text).is_some() => None,
        Value::String(text) if is_word(text) => Some(plain_words(text)),
        Value::String(text) => Some(text.clone()),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        Value::Array(_) | Value::Object(_) => None,
    };
    let mut differences = Vec::new();
    let mut rest = Map::new();
    for (field, value) in all {
        match value.as_array().map(Vec::as_slice) {
            Some([before, after]) if plain(before).is_some() && plain(after).is_some() => differences.push((
                plain_words(&field),
                plain(before).unwrap_or_default(),
                plain(after).unwrap_or_default(),
            )),
            _ => drop(rest.insert(field, value)),
        }
    }
    let rest = if rest.is_empty() { String::new() } else { pretty_json(&Value::Object(rest).to_string()) };
    (differences, rest)
}

/// The actor's name; for a deleted one, kind and identifier.
fn name_of(tx: &mut Tx<'_>, company: Uuid, kind: &str, id: Uuid) -> Result<String, Error> {
    let named = match kind {
        "application" => applications::find_application(tx, &id.to_string())?.map(|found| found.name),
        "employee" => employees::Employee::find(tx, company, id)?
            .map(|found| full_name(&found.first_name, &found.last_name)),
        "contractor" => contractors::Contractor::find(tx, company, id)?.map(|found| found.name()),
        "user" => users::find_user(tx, id)?.map(|found| found.email),
        "employer" => return Ok("The employer, on a hosted page".to_owned()),
        "service" => return Ok("The service".to_owned()),
        "operator" => return Ok("The operator".to_owned()),
        _ => None,
    };
    Ok(match named {
        Some(name) => format!("{name} ({kind})"),
        None => format!("{kind} {id}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_told_with_what_was_before_and_after_and_the_rest_as_it_is() {
        let (differences, rest) =
            parse_changes(r#"{"end": [null, true], "ended": {"links": 2}, "rate": ["20.00", "22.00"]}"#);
        let told: Vec<_> = differences.iter().map(|(a, b, c)| (a.as_str(), b.as_str(), c.as_str())).collect();
        assert_eq!(told, [("End", "nothing", "true"), ("Rate", "20.00", "22.00")]);
        assert!(rest.contains("links"));
        assert_eq!(super::parse_changes("{}"), (Vec::new(), String::new()));
        let ids = r#"{"employees": ["019b76da-a800-7018-8000-0f63d00ac747", "019b76da-a800-701c-8000-9442134ba571"]}"#;
        let (none, listed) = super::parse_changes(ids);
        assert!(none.is_empty() && listed.contains("9442134ba571"), "a list of two records is no change");
    }

    #[test]
    fn an_entry_is_a_sentence() {
        let told = |action, kind, name| entry_sentence("Ann Lee (user)", action, kind, name);
        assert_eq!(
            told("updated", "employee", Some("Grace Kim")),
            "Ann Lee (user) changed the employee Grace Kim"
        );
        assert_eq!(told("created", "employee benefit", None), "Ann Lee (user) added an employee benefit");
        assert_eq!(told("deleted", "location", None), "Ann Lee (user) deleted the location");
    }

    #[test]
    fn a_row_goes_by_what_it_is() {
        let named =
            ["employee_benefits", "companies", "home_addresses", "employees"].map(singular_record_name);
        assert_eq!(named, ["employee benefit", "company", "home address", "employee"]);
    }
}
