//! The answers themselves, one of each operation and of each kind of refusal. With a seed and a clock that stands
//! they are the same in every run and on both engines; the files beside this one hold them.

use std::cell::RefCell;

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::support::{Answer, Company, Engine, NOBODY, Target, World, on_both_engines, operations};

async fn world(engine: Engine) -> World {
    engine
        .own_world_with(|setup| {
            setup.seed = Some(7);
            setup.settings.dev = true;
        })
        .await
}

/// How long a try of a webhook really took is no part of an answer's shape.
fn without_durations(mut body: Value) -> Value {
    match &mut body {
        Value::Array(items) => items.iter_mut().for_each(|item| *item = without_durations(item.take())),
        Value::Object(fields) => {
            for (name, value) in fields.iter_mut() {
                *value = if name == "duration_ms" { 0.into() } else { without_durations(value.take()) };
            }
        }
        _ => {}
    }
    body
}

/// What an answer says, without what concerns only its request.
fn told(answer: &Answer) -> Value {
    let mut headers = serde_json::Map::new();
    for name in [
        "content-type",
        "x-service-api-version",
        "allow",
        "www-authenticate",
        "x-total-count",
        "x-total-pages",
    ] {
        if !answer.header(name).is_empty() {
            headers.insert(name.to_owned(), answer.header(name).into());
        }
    }
    let body = match answer.header("content-type") {
        "application/json" => beginning(without_durations(answer.json())),
        "application/pdf" => "a PDF".into(),
        _ => answer.text().into(),
    };
    json!({ "status": answer.status.as_u16(), "headers": headers, "body": body })
}

/// A list of hundreds by its first items and its length.
fn beginning(body: Value) -> Value {
    match body.as_array() {
        Some(list) if list.len() > 100 => json!({ "first": list[..3], "items": list.len() }),
        _ => body,
    }
}

/// Maximum items of a list in the documentation.
const SHOWN: usize = 2;

/// An answer as the documentation shows it: lists by their first items.
fn short(body: Value) -> Value {
    match body {
        Value::Array(items) => items.into_iter().take(SHOWN).map(short).collect(),
        Value::Object(fields) => fields.into_iter().map(|(name, value)| (name, short(value))).collect(),
        other => other,
    }
}

/// The answers that the documentation shows are those that were given.
fn compare_with_the_documentation(answers: &[(String, Value)]) {
    let shown: serde_json::Map<_, _> =
        answers.iter().map(|(name, told)| (name.clone(), short(told["body"].clone()))).collect();
    let text = serde_json::to_string_pretty(&shown).unwrap() + "\n";
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/examples/answers.json");
    if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        std::fs::write(file, &text).unwrap();
    }
    assert!(
        std::fs::read_to_string(file).unwrap() == text,
        "tests/examples/answers.json is old: INSTA_UPDATE=always renews it"
    );
}

/// Compares the answers of both engines with each other and with the files; gives them.
fn compare(answers: impl AsyncFn(Engine) -> Vec<(String, Value)>) -> Vec<(String, Value)> {
    let first = RefCell::new(None);
    on_both_engines(async |engine: Engine| {
        let answers = answers(engine).await;
        let mut first = first.borrow_mut();
        let first = first.get_or_insert_with(|| answers.clone());
        for (one, other) in first.iter().zip(&answers) {
            assert_eq!(one, other);
        }
        assert_eq!(first.len(), answers.len());
    });
    let answers = first.into_inner().unwrap_or_default();
    for (name, answer) in &answers {
        let text = serde_json::to_string_pretty(answer).unwrap();
        insta::with_settings!({ omit_expression => true }, { assert_snapshot!(file_name(name), text) });
    }
    answers
}

/// An operation's name as that of a file.
fn file_name(name: &str) -> String {
    name.replace("/v1/", "/").replace(" /", "-").replace('/', "-").replace(['{', '}'], "")
}

#[test]
fn each_operation_answers_as_it_did() {
    let answers = compare(async |engine: Engine| {
        let target = Target::of(world(engine).await.company().await).await;
        let mut answers = Vec::new();
        for operation in operations() {
            if ["/metrics", "/openapi.json"].contains(&operation.route.as_str()) {
                continue; // figures of the process; a file of its own
            }
            let answer = target.send(operation).await.is(operation.success);
            let mut told = told(&answer);
            if operation.route == "/readyz" {
                // What follows is how the engine keeps what it is given.
                assert!(told["body"].as_str().unwrap().starts_with("ready\n"), "{told}");
                told["body"] = json!("ready\n");
            }
            answers.push((operation.name(), told));
        }
        answers
    });
    compare_with_the_documentation(&answers);
}

#[test]
fn each_kind_of_refusal_reads_as_it_did() {
    compare(async |engine: Engine| {
        let world = world(engine).await;
        let target = Target::of(world.company().await).await;
        refusals(&target.company, target.id("employee_id"), &world).await
    });
}

async fn refusals(company: &Company, employee: &str, world: &World) -> Vec<(String, Value)> {
    let reader = company.with_scopes("employees:write").await;
    let people = "/v1/companies/{company}/employees";
    let record = format!("/v1/employees/{employee}");
    let get = |path: &str| company.call("GET", path);
    let put = |path: &str, body: Value| company.call("PUT", path).json(&body);
    let post = |path: &str, body: Value| company.call("POST", path).json(&body);
    let status = format!("{record}/onboarding_status");
    let flows = "/v1/companies/{company}/flows";
    post(people, json!({ "first_name": "Bo", "last_name": "Lee" }))
        .header("idempotency-key", "k")
        .send()
        .await
        .is(201);
    let calls = [
        ("400-malformed", company.call("POST", people).raw("{\"first_name\":")),
        ("400-a-list", company.call("POST", people).raw("[]")),
        ("400-idempotency-key", post(people, json!({})).header("idempotency-key", "k".repeat(256))),
        ("401-no-token", world.call("GET", &record)),
        ("401-unknown-token", world.call("GET", &record).bearer("unknown")),
        (
            "401-wrong-scheme",
            world.call("GET", &record).header("authorization", format!("Token {}", company.token)),
        ),
        ("403-system-token", world.call("GET", &record).bearer(&world.system_token)),
        ("403-scope", reader.call("GET", &record)),
        ("404-record", get(&format!("/v1/employees/{NOBODY}"))),
        ("404-address", get("/v1/nowhere")),
        ("405-method", company.call("PATCH", &record)),
        ("406-version", get(&record).header("x-service-api-version", "2023-01-01")),
        (
            "409-stale",
            put(&record, json!({ "version": "0".repeat(32), "first_name": "Bo", "ssn": "412551018" })),
        ),
        ("413-too-large", company.call("POST", people).raw(" ".repeat((1 << 20) + 1))),
        ("415-no-json", company.call("POST", people).body("first_name=Bo")),
        ("415-no-form", company.call("POST", "/v1/companies/{company}/attachments").raw("{}")),
        ("421-host", get(&record).replace_header("host", "evil.example")),
        ("422-blank", post(people, json!({}))),
        (
            "422-types",
            post(people, json!({ "first_name": 7, "last_name": [], "self_onboarding": "yes", "ssn": 7 })),
        ),
        ("422-version-missing", put(&record, json!({ "first_name": "Bo" }))),
        ("422-idempotency-key", post(people, json!({ "first_name": "Al" })).header("idempotency-key", "k")),
        ("422-query", get(&format!("{people}?page=0&per=101&onboarded=maybe&include=all&sort_by=age"))),
        ("422-finish", put(&status, json!({ "onboarding_status": "onboarding_completed" }))),
        ("422-move", put(&status, json!({ "onboarding_status": "self_onboarding_awaiting_admin_review" }))),
        ("422-status", put(&status, json!({ "onboarding_status": "done" }))),
        (
            "422-mark",
            put(&status, json!({ "onboarding_steps": [{ "id": "admin_review", "completed": true }] })),
        ),
        (
            "422-flow",
            post(flows, json!({ "flow_type": "x", "entity_type": "Employee", "entity_uuid": NOBODY })),
        ),
        ("422-location", post(&format!("{record}/work_addresses"), json!({ "location_uuid": NOBODY }))),
        ("422-clock", world.call("POST", "/v1/test_helpers/clock/advance").json(&json!({ "seconds": -1 }))),
    ];
    let mut answers = Vec::new();
    for (name, call) in calls {
        let answer = call.send().await;
        assert!(name.starts_with(answer.status.as_str()), "{name}: {}", answer.text());
        answers.push((format!("refusal-{name}"), told(&answer)));
    }
    answers
}
