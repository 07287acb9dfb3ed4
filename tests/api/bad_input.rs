//! Whatever a client sends, it is told what was wrong with it, and nothing has changed. The requests are made from
//! the description of every operation, so that a new field is tried as soon as it is described.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::support::{Answer, Engine, NOBODY, Operation, Target, description, on_both_engines, operations};

/// Operations with a token and a body.
fn with_body() -> impl Iterator<Item = &'static Operation> {
    operations().iter().filter(|o| o.needs_a_token() && o.takes_json())
}

/// Runs `attempts` for each of these operations on records of its own, and looks whether anything has changed: after
/// each whether an event or an entry of the audit log tells of a change, and at the end all there is.
async fn nothing_changes(
    engine: Engine,
    operations: impl Iterator<Item = &'static Operation>,
    attempts: impl AsyncFn(&Target, &Operation, &Value),
) {
    let world = engine.world().await;
    let target = Target::of(world.company().await).await;
    let before = target.all_there_is().await;
    let known = target.changes_told().await;
    for operation in operations {
        let body = target.body(operation).await;
        attempts(&target, operation, &body).await;
        assert_eq!(target.changes_told().await, known, "{} changed something", operation.name());
    }
    assert_eq!(target.all_there_is().await, before);
}

async fn send(target: &Target, operation: &Operation, body: impl Into<axum::body::Bytes>) -> Answer {
    target.company.call(&operation.method, target.path(operation)).raw(body).send().await
}

/// The right body with one field replaced.
fn with(body: &Value, field: &str, value: Value) -> Value {
    let mut body = body.clone();
    body[field] = value;
    body
}

#[test]
fn what_is_no_json_object_is_refused_as_unreadable() {
    on_both_engines(async |engine: Engine| {
        nothing_changes(engine, with_body(), async |target, operation, body| {
            let text = body.to_string();
            let (first, rest) = text.split_once(',').unwrap_or((&text, "}"));
            let deep = format!(
                "{}\"deep\":{}{}}}",
                &text.replace('}', ","),
                "[".repeat(100_000),
                "]".repeat(100_000)
            );
            let mut invalid_utf8 = text.clone().into_bytes();
            invalid_utf8.splice(2..2, [0xff, 0xfe]);
            let wrong: Vec<Vec<u8>> = vec![
                b"{".to_vec(),
                b"\0".to_vec(),
                b"nul".to_vec(),
                text[..text.len() - 1].into(),
                format!("{text} {text}").into(),
                format!("{text}x").into(),
                format!("\u{feff}{text}").into(),
                format!("[{text}]").into(),
                deep.into(),
                invalid_utf8,
                b"[]".to_vec(),
                b"7".to_vec(),
                b"null".to_vec(),
                b"\"text\"".to_vec(),
                b"true".to_vec(),
                format!("{first},{}{}", first.trim_start_matches('{'), format!(",{rest}").replace(",}", "}"))
                    .into(),
            ];
            for bytes in wrong {
                let shown = String::from_utf8_lossy(&bytes).chars().take(200).collect::<String>();
                let answer = send(target, operation, bytes).await;
                assert_eq!(answer.status, 400, "{} with {shown}: {}", operation.name(), answer.text());
            }
        })
        .await;
    });
}

#[test]
fn a_list_of_values_does_not_pass_for_an_object() {
    on_both_engines(async |engine: Engine| {
        nothing_changes(engine, with_body(), async |target, operation, body| {
            // The fields in their order, but without their names.
            let described = operation.fields().into_iter().map(|(name, _)| body.get(&name).cloned());
            let values: Vec<Value> = described.map(Option::unwrap_or_default).collect();
            let answer = send(target, operation, json!(values).to_string()).await;
            assert_eq!(answer.status, 400, "{}: {}", operation.name(), answer.text());
        })
        .await;
    });
}

/// Fields that take amounts, as text or as numbers.
const AMOUNTS: &[&str] = &[
    "annual_net_revenue",
    "amount_sent",
    "hours_worked",
    "ytd_company_contribution_amount",
    "ytd_employee_deduction_amount",
    "rate",
    "split_amount",
    "dependents_amount",
    "other_income",
    "deductions",
    "extra_withholding",
    "employee_deduction",
    "employee_deduction_annual_maximum",
    "company_contribution_annual_maximum",
    "coverage_amount",
    "coverage_salary_multiplier",
    "company_contribution",
    "gross_pay",
    "amount",
    "annual_maximum",
    "pay_period_maximum",
    "total_amount",
    "net_pay",
    "fast_payment_limit",
    "accrual_rate",
    "accrual_rate_unit",
    "carryover_limit_hours",
    "max_accrual_hours_per_year",
    "max_hours",
    "regular_hours_worked",
    "overtime_hours_worked",
    "double_overtime_hours_worked",
    "pto_hours_used",
    "sick_hours_used",
    "hourly_rate",
    "wage",
    "hours",
    "bonus",
    "reimbursement",
];

/// Fields that are not looked at with this body, so that nothing in them can be wrong: what is asked of those alone
/// who are neither citizens nor permanent residents, and who helped, which only Form I-9 asks.
fn is_read(operation: &Operation, field: &str) -> bool {
    let only_for_some = ["document_type", "document_number", "country", "expiration_date"];
    match operation.route.rsplit('/').next() {
        Some("i9_authorization") => !only_for_some.contains(&field),
        Some("sign") => !field.starts_with("preparer"),
        _ => true,
    }
}

/// Lists of names and amounts that are taken as objects, too, as they are read.
const BY_NAME: [&str; 2] = ["wages", "taxes"];

/// Values that a field of this type does not take.
fn wrong_values(field: &str, kind: &str) -> Vec<Value> {
    let numbers = ["0", "-1", "1.5", "1e400", "1000000000000000000000000000000", "123456789"];
    let numbers = numbers.map(|number| serde_json::from_str(number).unwrap());
    let others =
        [json!(true), json!("text"), json!([]), json!({}), json!([[]]), json!([7]), json!({ "a": 1 })];
    let fits = |value: &Value| match kind {
        "string" => value.is_string() || (AMOUNTS.contains(&field) && value.is_number()),
        "boolean" => value.is_boolean(),
        "integer" | "number" => value.is_number(),
        "object" => value.is_object(),
        // An empty list names nothing that could be wrong.
        "array" => *value == json!([]) || (BY_NAME.contains(&field) && value.is_object()),
        other => panic!(
            "{field} is described as {other}, which these tests do not know {:?}",
            crate::support::description()["components"]["schemas"]["UpdateLocation"]
        ),
    };
    numbers.into_iter().chain(others).filter(|value| !fits(value)).collect()
}

#[test]
fn a_field_of_the_wrong_type_is_named() {
    on_both_engines(async |engine: Engine| {
        nothing_changes(engine, with_body(), async |target, operation, body| {
            let fields = operation.fields();
            assert!(!fields.is_empty(), "{} describes no fields", operation.name());
            for (field, kind) in fields.into_iter().filter(|(field, _)| is_read(operation, field)) {
                for value in wrong_values(&field, &kind) {
                    let sent = with(body, &field, value);
                    let refused = send(target, operation, sent.to_string()).await.refused(422);
                    let named = refused.keys().iter().any(|key| key.starts_with(field.as_str()));
                    // Of two ways to say the same thing the first is named.
                    let named = named || field == "minimum_wages";
                    assert!(named, "{}: {field} in {sent} was answered {refused:?}", operation.name());
                }
            }
        })
        .await;
    });
}

/// Text outside the described bounds of a field, if it has any. No pattern takes letters with accents.
fn outside(described: &Value) -> impl Iterator<Item = String> {
    let bound = |key: &str| described[key].as_u64().map(|length| length as usize);
    let odd = described["pattern"].is_string().then(|| "é".to_owned());
    let long = bound("maxLength").map(|most| "a".repeat(most + 1));
    let short = bound("minLength").map(|least| "a".repeat(least - 1));
    odd.into_iter().chain(long).chain(short)
}

#[test]
fn text_outside_its_described_bounds_is_refused() {
    on_both_engines(async |engine: Engine| {
        let tried = Cell::new(0);
        nothing_changes(engine, with_body(), async |target, operation, body| {
            for (field, described) in operation.described_fields() {
                for text in outside(&described).filter(|_| is_read(operation, &field)) {
                    let sent = with(body, &field, json!(text));
                    let answer = send(target, operation, sent.to_string()).await;
                    let is_refused = [409, 422].contains(&answer.status.as_u16());
                    assert!(
                        is_refused,
                        "{}: {field} in {sent} was answered {}",
                        operation.name(),
                        answer.text()
                    );
                    tried.set(tried.get() + 1);
                }
            }
        })
        .await;
        assert!(tried.get() > 100, "{} texts were tried", tried.get());
    });
}

/// The schema itself: what a reference names, or the first of alternatives that is not null.
fn resolved(schema: &Value) -> &Value {
    let named = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next());
    if let Some(name) = named {
        return resolved(&description()["components"]["schemas"][name]);
    }
    let alternatives = ["oneOf", "anyOf", "allOf"].iter().find_map(|parts| schema[parts].as_array());
    let first = alternatives.and_then(|parts| parts.iter().find(|part| part["type"] != "null"));
    first.map_or(schema, resolved)
}

/// The texts inside objects and lists of a body, each as its place and what is described of it.
fn inner_texts<'s>(body: &Value, schema: &'s Value, at: &str, found: &mut Vec<(String, &'s Value)>) {
    let schema = resolved(schema);
    match body {
        Value::Object(fields) => fields.iter().for_each(|(name, value)| {
            inner_texts(value, &schema["properties"][name], &format!("{at}/{name}"), found);
        }),
        Value::Array(items) => items.iter().enumerate().for_each(|(place, item)| {
            inner_texts(item, &schema["items"], &format!("{at}/{place}"), found);
        }),
        Value::String(_) if at.matches('/').count() > 1 => found.push((at.to_owned(), schema)),
        _ => {}
    }
}

#[test]
fn text_inside_objects_and_lists_of_a_body_is_refused_outside_its_described_bounds() {
    on_both_engines(async |engine: Engine| {
        let (tried, taken) = (Cell::new(0), RefCell::new(Vec::new()));
        // A batch of people tells of each of them, and enters the others.
        let operations = with_body().filter(|one| !one.route.ends_with("/people_batches"));
        nothing_changes(engine, operations, async |target, operation, body| {
            let schema = &operation.description["requestBody"]["content"]["application/json"]["schema"];
            let mut texts = Vec::new();
            inner_texts(body, schema, "", &mut texts);
            let is_ignored = |described: &Value| {
                described["description"].as_str().is_some_and(|told| told.starts_with("ignored"))
            };
            for (at, described) in texts.into_iter().filter(|(_, described)| !is_ignored(described)) {
                for text in outside(described) {
                    let mut sent = body.clone();
                    *sent.pointer_mut(&at).unwrap() = json!(text);
                    let answer = send(target, operation, sent.to_string()).await;
                    let is_refused = [400, 409, 422].contains(&answer.status.as_u16());
                    let shown = text.chars().take(20).collect::<String>();
                    if !is_refused {
                        taken.borrow_mut().push(format!(
                            "{}: {at} is {shown:?}: {}",
                            operation.name(),
                            answer.status
                        ));
                    }
                    tried.set(tried.get() + 1);
                }
            }
        })
        .await;
        assert!(taken.borrow().is_empty(), "{taken:?}");
        assert!(tried.get() > 30, "{} texts were tried", tried.get());
    });
}

/// Collects the fields of text of a schema that describe neither words, nor a format, nor a length.
fn without_bounds(schema: &Value, at: &str, seen: &mut BTreeSet<String>, found: &mut BTreeSet<String>) {
    const BOUNDS: [&str; 6] = ["enum", "const", "pattern", "minLength", "maxLength", "format"];
    if let Some(name) = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
        if seen.insert(name.to_owned()) {
            without_bounds(&description()["components"]["schemas"][name], name, seen, found);
        }
        return;
    }
    for parts in ["allOf", "oneOf", "anyOf"] {
        let parts = schema[parts].as_array().into_iter().flatten();
        parts.for_each(|part| without_bounds(part, at, seen, found));
    }
    let kind = &schema["type"];
    let is_text = kind == "string" || kind.as_array().is_some_and(|kinds| kinds.contains(&json!("string")));
    if is_text && BOUNDS.iter().all(|bound| schema[bound].is_null()) {
        found.insert(at.to_owned());
    }
    for (name, inner) in schema["properties"].as_object().into_iter().flatten() {
        without_bounds(inner, &format!("{at}.{name}"), seen, found);
    }
    if schema["items"].is_object() {
        without_bounds(&schema["items"], &format!("{at}[]"), seen, found);
    }
}

#[test]
fn every_field_of_text_in_a_body_describes_what_it_takes() {
    let (mut seen, mut found) = (BTreeSet::new(), BTreeSet::new());
    for operation in operations() {
        for (_, content) in operation.description["requestBody"]["content"].as_object().into_iter().flatten()
        {
            without_bounds(&content["schema"], &operation.name(), &mut seen, &mut found);
        }
    }
    assert!(seen.len() > 100, "{} schemas were looked at", seen.len());
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn text_that_nothing_can_show_is_refused_in_every_field() {
    on_both_engines(async |engine: Engine| {
        nothing_changes(engine, with_body(), async |target, operation, body| {
            let texts = operation.fields().into_iter().filter(|(_, kind)| kind == "string");
            for (field, _) in texts.filter(|(field, _)| is_read(operation, field)) {
                let wrong =
                    ["a\0b".to_owned(), "\0".to_owned(), "a\u{1b}[2J".to_owned(), "x".repeat(100_000)];
                for text in wrong {
                    let shown = text.chars().take(20).collect::<String>();
                    let answer = send(target, operation, with(body, &field, text.into()).to_string()).await;
                    let expected = if field == "version" { 409 } else { 422 };
                    assert_eq!(answer.status, expected, "{}: {field} is {shown:?}", operation.name());
                }
            }
        })
        .await;
    });
}

#[test]
fn a_word_that_is_not_in_the_list_is_refused_with_the_list() {
    let lists = [
        ("payment_unit", "hourly", "Hour, Week, Month, Year, Paycheck"),
        ("flsa_status", "nonexempt", "Exempt, Salaried Nonexempt, Nonexempt, Owner"),
        ("onboarding_status", "onboarded", "admin_onboarding_incomplete, self_onboarding_pending_invite"),
        ("flow_type", "contractor_onboarding", "employee_self_management"),
        ("entity_type", "Contractor", "Employee"),
        ("country", "US", "USA"),
        ("limit_option", "Couple", "Family, Individual, Joint Filing or Single"),
        (
            "deduction_reduces_taxable_income",
            "yes",
            "unset, reduces_taxable_income, does_not_reduce_taxable_income",
        ),
        ("catch_up_type", "late", "elective, deemed"),
        ("state", "ZZ", "CA"),
    ];
    on_both_engines(async |engine: Engine| {
        let mut tried = Vec::new();
        nothing_changes(engine, with_body(), async |target, operation, body| {
            for (field, wrong, allowed) in lists {
                // The statuses of contractors are others.
                let is_another = field == "onboarding_status" && operation.route.contains("/contractors/");
                if !is_another
                    && is_read(operation, field)
                    && operation.fields().iter().any(|(name, _)| name == field)
                {
                    let answer = send(target, operation, with(body, field, wrong.into()).to_string()).await;
                    let text = answer.is(422).text();
                    assert!(text.contains(allowed), "{}: {field}: {text}", operation.name());
                }
            }
        })
        .await;
        for operation in with_body() {
            tried.extend(operation.fields().into_iter().map(|(name, _)| name));
        }
        assert!(lists.iter().all(|(field, ..)| tried.iter().any(|name| name == field)));
    });
}

#[test]
fn an_update_needs_the_version_as_last_read() {
    on_both_engines(async |engine: Engine| {
        let versioned = with_body().filter(|o| o.fields().iter().any(|(name, _)| name == "version"));
        nothing_changes(engine, versioned, async |target, operation, body| {
            let mut missing = body.clone();
            missing.as_object_mut().unwrap().shift_remove("version");
            for body in [missing, with(body, "version", Value::Null)] {
                let refused = send(target, operation, body.to_string()).await.refused(422);
                assert_eq!(refused.fault(), ("version", "missing_parameter"), "{}", operation.name());
            }
            let current = &body["version"];
            for stale in ["", "7", "0123456789abcdef0123456789abcdef"] {
                let refused = send(target, operation, with(body, "version", stale.into()).to_string())
                    .await
                    .refused(409);
                assert_eq!(refused.fault(), ("base", "invalid_resource_version"), "{}", operation.name());
                let told = &refused.only()["metadata"];
                assert_eq!(&told["current_version"], current, "{}", operation.name());
                let differing = told["differing_fields"].as_array().unwrap();
                let sends_fields = body.as_object().is_some_and(|fields| fields.len() > 1);
                assert!(!differing.is_empty() || !sends_fields, "{}", operation.name());
                let is_sent = |field: &Value| body.get(field.as_str().unwrap()).is_some();
                assert!(differing.iter().all(is_sent), "{}: {differing:?}", operation.name());
            }
        })
        .await;
    });
}

#[test]
fn identifiers_in_a_body_must_be_those_of_records() {
    on_both_engines(async |engine: Engine| {
        nothing_changes(engine, with_body(), async |target, operation, body| {
            for field in ["location_uuid", "entity_uuid", "company_benefit_uuid"]
                .into_iter()
                .filter(|field| body.get(field).is_some())
            {
                let short = text_without_hyphens(&body[field]);
                for wrong in ["", "7", NOBODY, "../x", "' OR 1=1 --", &short] {
                    let sent = with(body, field, wrong.into()).to_string();
                    let refused = send(target, operation, sent).await.refused(422);
                    assert!(refused.keys().contains(&field), "{}: {refused:?}", operation.name());
                }
            }
        })
        .await;
    });
}

fn text_without_hyphens(id: &Value) -> String {
    id.as_str().unwrap().replace('-', "")
}

#[test]
fn a_body_may_have_a_megabyte_and_has_to_be_json() {
    on_both_engines(async |engine: Engine| {
        nothing_changes(engine, with_body(), async |target, operation, body| {
            let name = operation.name();
            let large = with(body, "padding", "x".repeat(1 << 20).into()).to_string();
            assert_eq!(send(target, operation, large.clone()).await.status, 413, "{name}");
            let path = target.path(operation);
            let call = || target.company.call(&operation.method, &path);
            let declared =
                call().header("content-length", "1048577").header("content-type", "application/json");
            declared.send().await.refused(413);
            for wrong in ["text/plain", "application/x-www-form-urlencoded", "application/jsonx", "json", ""]
            {
                let answer = call().header("content-type", wrong).body(body.to_string()).send().await;
                assert_eq!(
                    answer.refused(415).fault(),
                    ("request", "invalid_parameter"),
                    "{name} as {wrong}"
                );
            }
            assert_eq!(call().body(body.to_string()).send().await.status, 415, "{name} without a type");
        })
        .await;
        // A body of exactly a megabyte is read, and so is JSON with a charset.
        let company = engine.world().await.company().await;
        let mut body = json!({ "first_name": "Ana", "last_name": "Lee", "padding": "" });
        body["padding"] = "x".repeat((1 << 20) - body.to_string().len()).into();
        assert_eq!(body.to_string().len(), 1 << 20);
        let call = company.call("POST", "/v1/companies/{company}/employees");
        call.header("content-type", "Application/JSON; charset=utf-8")
            .body(body.to_string())
            .send()
            .await
            .is(201);
    });
}

#[test]
fn lists_in_a_body_have_at_most_a_thousand_items_of_the_right_kind() {
    on_both_engines(async |engine: Engine| {
        let lists = with_body().filter(|o| o.fields().iter().any(|(_, kind)| kind == "array"));
        nothing_changes(engine, lists, async |target, operation, body| {
            for (field, _) in operation.fields().into_iter().filter(|(_, kind)| kind == "array") {
                let many: Vec<Value> =
                    (0..1_001).map(|_| json!({ "id": "federal_tax_setup", "uuid": NOBODY })).collect();
                let unnamed = json!([["federal_tax_setup", true]]);
                for wrong in [
                    json!(many),
                    json!([null]),
                    json!(["x"]),
                    json!([[]]),
                    unnamed,
                    json!([{ "id": 7, "uuid": 7 }]),
                ] {
                    let shown = wrong.to_string().chars().take(60).collect::<String>();
                    let answer = send(target, operation, with(body, &field, wrong).to_string()).await;
                    // An occupation without a code is what the specification answers 400.
                    let right = answer.status == 422 || (field == "occupations" && answer.status == 400);
                    assert!(right, "{}: {field} is {shown}: {}", operation.name(), answer.status);
                }
            }
        })
        .await;
    });
}

#[test]
fn an_item_of_a_list_names_each_field_once() {
    on_both_engines(async |engine: Engine| {
        let lists = with_body().filter(|o| o.fields().iter().any(|(_, kind)| kind == "array"));
        nothing_changes(engine, lists, async |target, operation, _| {
            for (field, _) in operation.fields().into_iter().filter(|(_, kind)| kind == "array") {
                let item =
                    r#"{"id": "x", "id": "federal_tax_setup", "completed": true, "uuid": "x", "uuid": "y"}"#;
                let answer = send(target, operation, format!(r#"{{"{field}": [{item}]}}"#)).await;
                assert!(answer.status.is_client_error(), "{}: {field}", operation.name());
            }
        })
        .await;
    });
}

#[test]
fn a_query_that_makes_no_sense_is_refused_or_finds_nothing() {
    on_both_engines(async |engine: Engine| {
        let lists = operations().iter().filter(|o| !o.query_parameters().is_empty() && o.needs_a_token());
        nothing_changes(engine, lists, async |target, operation, _| {
            let get = async |query: String| {
                let path = target.path(operation);
                let path = format!("{path}{}{query}", if path.contains('?') { '&' } else { '?' });
                target.company.call(&operation.method, path).send().await
            };
            for (name, kind) in operation.query_parameters() {
                let wrong: &[&str] = match (name.as_str(), kind.as_str()) {
                    ("per", _) => &["0", "-1", "101", "1e1", "x", "9999999999999999999999", "1.0"],
                    ("page", _) => &["0", "-1", "1000001", "x", "9999999999999999999999", "0x1"],
                    (_, "boolean") => &["maybe", "1", "TRUE", "true,false"],
                    ("include" | "sort_by", _) => &["everything", "name:up", "all_compensations;", "id,name"],
                    _ => &[],
                };
                for value in wrong {
                    let refused = get(format!("{name}={value}")).await.refused(422);
                    assert_eq!(
                        refused.0[0]["error_key"],
                        name.as_str(),
                        "{} {name}={value}",
                        operation.name()
                    );
                    assert_eq!(
                        refused.0[0]["category"],
                        "invalid_parameter",
                        "{} {name}={value}",
                        operation.name()
                    );
                }
                // Nothing that stands in a query is the service's fault.
                for value in
                    ["%00", "%FF%FE", "%", "'; DROP TABLE employees; --", "%25%5f", "%F0%9F%92%B6", "a%0Ab"]
                {
                    let value = value.replace(' ', "+");
                    let answer = get(format!("{name}={value}")).await;
                    assert!(
                        answer.status == 200 || answer.status.is_client_error(),
                        "{} {name}={value}",
                        operation.name()
                    );
                }
            }
            get(format!("x={}", "7".repeat(9_000))).await.refused(400);
            get("client_secret=x".to_owned()).await.refused(400);
        })
        .await;
    });
}
