//! The farthest values that a field can be sent: a date at the end of the calendar, the largest number, text that no database takes. Both
//! engines answer each alike, and neither with a fault of the service. A third of the values for each field; all of them with STIPEND_LONG=1.

use std::sync::Mutex;

use serde_json::{Value, json};

use crate::dice::Dice;
use crate::support::{Answer, Engine, Target, on_both_engines, operations};

/// Operations on one company before another one is taken: some of them end or delete much of what is there.
const A_COMPANY: usize = 25;

fn extremes() -> Vec<Value> {
    vec![
        json!("9999-12-31"),
        json!("-9999-01-01"),
        json!("2199-12-31"),
        json!("1900-01-01"),
        json!("9999-12-30T22:00:00Z"),
        json!("-009999-01-02T01:59:59Z"),
        json!("2199-12-31T23:59:59Z"),
        json!("1900-01-01T00:00:00Z"),
        json!(i64::MAX),
        json!(i64::MIN),
        json!(u64::MAX),
        json!(-1),
        json!("9223372036854775807"),
        json!("92233720368547758.07"),
        json!("999999999999.99"),
        json!("0.000001"),
        json!("\u{0}"),
        json!("\u{10FFFF}"),
        json!("\u{202E}"),
        json!("=1+1"),
        json!("x".repeat(100_000)),
        json!(""),
    ]
}

/// The places in a body that hold a single value.
fn leaves(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            fields.iter().for_each(|(name, inner)| leaves(inner, &format!("{at}/{name}"), found))
        }
        Value::Array(items) => {
            items.iter().take(1).for_each(|inner| leaves(inner, &format!("{at}/0"), found));
        }
        _ => found.push(at.to_owned()),
    }
}

/// What an answer says, without ids, versions and moments, which differ.
fn essence(answer: &Answer) -> String {
    let mut faults = Vec::new();
    collect(&serde_json::from_str(&answer.text()).unwrap_or_default(), &mut faults);
    format!("{} {}", answer.status.as_u16(), faults.join(" "))
}

fn collect(told: &Value, into: &mut Vec<String>) {
    for error in told["errors"].as_array().into_iter().flatten() {
        into.push(format!("{}:{}", error["error_key"], error["category"]));
        collect(error, into);
    }
}

#[test]
fn both_engines_answer_the_farthest_value_of_every_field_alike() {
    let all = std::env::var_os("STIPEND_LONG").is_some();
    let told = Mutex::new(Vec::<Vec<(String, String)>>::new());
    on_both_engines(async |engine: Engine| {
        let world = engine.own_world_with(|setup| setup.seed = Some(7)).await;
        let mut answers = Vec::new();
        let taken: Vec<_> = operations()
            .iter()
            .filter(|o| o.takes_json() && !o.route.contains("/test_helpers/clock"))
            .collect();
        for (batch, some) in taken.chunks(A_COMPANY).enumerate() {
            let target = Target::of(world.company().await).await;
            // The right bodies name versions, which are there before anything is changed.
            let mut bodies = Vec::with_capacity(some.len());
            for operation in some {
                bodies.push(target.body(operation).await);
            }
            let places = some.iter().zip(&bodies).enumerate().flat_map(|(number, (operation, right))| {
                let mut places = Vec::new();
                leaves(right, "", &mut places);
                places.retain(|place| !place.ends_with("version"));
                places.into_iter().map(move |place| (batch * A_COMPANY + number, *operation, right, place))
            });
            for (number, operation, right, place) in places {
                for (index, value) in extremes().into_iter().enumerate() {
                    let mut dice = Dice::new(number as u64, &format!("{place} {index}"));
                    if !all && dice.below(3) > 0 {
                        continue;
                    }
                    let mut body = right.clone();
                    *body.pointer_mut(&place).unwrap() = value.clone();
                    let call = target.company.call(&operation.method, target.path(operation)).json(&body);
                    let answer = call.send().await;
                    let shown = value.to_string().chars().take(40).collect::<String>();
                    let what = format!("{} with {place} = {shown}", operation.name());
                    assert!(answer.status.as_u16() < 500, "{what}: {} {}", answer.status, answer.text());
                    answers.push((what, essence(&answer)));
                }
            }
        }
        assert!(answers.len() > 1_000, "{} answers", answers.len());
        told.lock().unwrap().push(answers);
    });
    let told = told.into_inner().unwrap();
    if let [one, other] = &told[..] {
        let differ: Vec<_> = one.iter().zip(other).filter(|(a, b)| a != b).collect();
        assert!(differ.is_empty(), "{} differ: {:#?}", differ.len(), &differ[..differ.len().min(10)]);
        assert_eq!(one.len(), other.len());
    }
}
