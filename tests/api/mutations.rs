//! Requests that nobody thought of: right ones, changed by chance, thousands of them. Whatever is made of them, the
//! service answers, never with a fault of its own, and a refusal says what was wrong. A failing one is found again by
//! its number. Three thousand on each engine; a hundred thousand with STIPEND_LONG=1.

use serde_json::Value;

use crate::dice::Dice;
use crate::support::{Engine, Operation, Target, on_both_engines, operations};

/// Requests to one company before another one is taken: by then much of it is deleted, suspended or finished.
const A_COMPANY: u64 = 250;

/// What values are replaced by, as JSON.
const HOSTILE: &[&str] = &[
    "null",
    "true",
    "0",
    "-1",
    "1e400",
    "1e-400",
    "-0.0",
    "18446744073709551616",
    "99999999999999999999999999999999",
    "\"\"",
    "\" \"",
    "\"\\u0000\"",
    "\"\\ud800\"",
    "\"\\u202e\"",
    "\"NaN\"",
    "\"1e5\"",
    "\"-5.00\"",
    "\"0.001\"",
    "\"999999999999999.99\"",
    "\"9223372036854775807\"",
    "\"0000-00-00\"",
    "\"0001-01-01\"",
    "\"9999-12-31\"",
    "\"-009999-01-01\"",
    "\"2026-02-30\"",
    "\"2026-02-28T25:61:00Z\"",
    "\"'; DROP TABLE employees; --\"",
    "\"00000000-0000-0000-0000-000000000000\"",
    "\"ffffffff-ffff-ffff-ffff-ffffffffffff\"",
    "\"TX\"",
    "\"tx\"",
    "\"https://127.0.0.1/\"",
    "\"javascript:alert(1)\"",
    "\"../../etc/passwd\"",
    "[]",
    "{}",
    "[[[[]]]]",
    "[null]",
    "{\"a\":{\"b\":[]}}",
    "\"%00%ff\"",
    "\"٣٤\"",
    "\"𝟙\"",
];

/// Somewhere in a value, something else.
fn change(dice: &mut Dice, value: &mut Value) {
    let deeper = dice.below(3) > 0;
    match value {
        Value::Object(fields) if deeper && !fields.is_empty() => {
            let name = fields.keys().nth(dice.below(fields.len())).unwrap().clone();
            match dice.below(8) {
                0 => drop(fields.remove(&name)),
                1 => {
                    let twin = fields[&name].clone();
                    fields.insert(name.to_uppercase(), twin);
                }
                _ => change(dice, &mut fields[&name]),
            }
        }
        Value::Array(items) if deeper && !items.is_empty() => match dice.below(4) {
            0 => {
                let again = items[0].clone();
                items.extend(std::iter::repeat_n(again, 1_200));
            }
            _ => {
                let at = dice.below(items.len());
                change(dice, &mut items[at]);
            }
        },
        other => {
            *other = serde_json::from_str(dice.of::<&str>(HOSTILE))
                .unwrap_or_else(|_| "\u{fffd}".repeat(5_000).into())
        }
    }
}

/// The text of a body, changed as JSON or as bytes.
fn body(dice: &mut Dice, right: &Value) -> Vec<u8> {
    let mut value = right.clone();
    for _ in 0..=dice.below(3) {
        change(dice, &mut value);
    }
    let mut bytes = value.to_string().into_bytes();
    if dice.below(4) == 0 && !bytes.is_empty() {
        let at = dice.below(bytes.len());
        match dice.below(4) {
            0 => bytes[at] = u8::try_from(dice.below(256)).unwrap(),
            1 => bytes.truncate(at),
            2 => bytes.insert(at, u8::try_from(dice.below(256)).unwrap()),
            _ => {
                let tail = bytes[at..].to_vec();
                bytes.extend(tail);
            }
        }
    }
    bytes
}

/// A query with parameters that the operation knows, doubled ones and unknown ones.
fn query(dice: &mut Dice, operation: &Operation) -> String {
    let known = operation.query_parameters();
    let mut parts = Vec::new();
    for _ in 0..dice.below(4) {
        let name = if known.is_empty() || dice.below(6) == 0 { "page" } else { dice.of(&known).0.as_str() };
        let value = dice.of(HOSTILE).trim_matches('"');
        let bytes = value.bytes().map(|byte| format!("%{byte:02X}")).collect::<String>();
        parts.push(format!(
            "{name}={}",
            if dice.below(2) == 0 { bytes } else { dice.below(3_000).to_string() }
        ));
    }
    parts.join(["&", ";", "&&"][dice.below(3)])
}

/// The right body of each operation, as long as nothing has been changed; null where it takes none.
async fn right_bodies(target: &Target, all: &[&Operation]) -> Vec<Value> {
    let mut bodies = Vec::with_capacity(all.len());
    for operation in all {
        bodies.push(if operation.takes_json() { target.body(operation).await } else { Value::Null });
    }
    bodies
}

#[test]
fn requests_changed_by_chance_are_answered_and_never_with_a_fault_of_the_service() {
    let requests = if std::env::var_os("STIPEND_LONG").is_some() { 100_000 } else { 3_000 };
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world().await;
        let all: Vec<_> = operations().iter().filter(|o| !o.route.contains("/test_helpers/clock")).collect();
        let mut target = Target::of(world.company().await).await;
        let mut bodies = right_bodies(&target, &all).await;
        let (mut good, mut refused, mut locked_out) = (0, 0, false);
        let mut refusals = std::collections::BTreeMap::<u16, u32>::new();
        for number in 0..requests {
            // One of the operations takes all tokens away.
            if number % A_COMPANY == A_COMPANY - 1 || std::mem::take(&mut locked_out) {
                target = Target::of(world.company().await).await;
                bodies = right_bodies(&target, &all).await;
            }
            let mut dice = Dice::new(number, "");
            let at = dice.below(all.len());
            let (operation, right) = (&all[at], &bodies[at]);
            let mut path = target.path(operation);
            if dice.below(8) == 0 && path.starts_with("/v1/") {
                let at = path.len() - dice.below(path.len().min(20));
                path = format!("{}%{:02X}{}", &path[..at], dice.below(256), &path[at..]);
            }
            let query = if dice.below(4) == 0 { query(&mut dice, operation) } else { String::new() };
            if !query.is_empty() {
                path = format!("{path}?{query}");
            }
            let bytes = match dice.below(4) {
                _ if right.is_null() => Vec::new(),
                0 => right.to_string().into_bytes(),
                _ => body(&mut dice, right),
            };
            let shown = String::from_utf8_lossy(&bytes).chars().take(600).collect::<String>();
            let call = target.company.call(&operation.method, &path);
            let answer = if bytes.is_empty() { call.send().await } else { call.raw(bytes).send().await };
            let told =
                format!("request {number}, {} {path} with {shown}: {}", operation.method, answer.text());
            assert!(answer.status.as_u16() < 500, "{told}");
            if answer.status.is_success() || answer.status.is_redirection() {
                good += 1;
            } else {
                refused += 1;
                locked_out = answer.status == 401 && operation.needs_a_token();
                *refusals.entry(answer.status.as_u16()).or_default() += 1;
                let explained = answer.text().contains("\"errors\"")
                    || answer.text().contains("\"error\"")
                    || answer.text().contains("<html");
                assert!(explained || operation.method == "HEAD", "{told}");
            }
        }
        println!("{requests} requests: {good} answered well, {refused} refused with a reason, {refusals:?}");
        assert!(
            good > requests / 10 && refused > requests / 10,
            "{good} and {refused}: chance has lost its touch"
        );
    });
}
