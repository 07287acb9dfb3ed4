//! Null in a body: taken where the description says so, and refused by name everywhere else.

use serde_json::Value;

use crate::support::{Engine, Operation, Target, description, on_both_engines, operations};

/// Where the description says less than is true, since one shape serves two operations: a new record takes null for what
/// is left out, of which an update says that it is needed; a code for what a garnishment is cannot leave a support order; and how
/// time off is earned says whether a rate is needed.
const ALSO_TAKEN: [&str; 6] = [
    "company_contribution",
    "contribute_as_percentage",
    "child_support",
    "garnishment_type",
    "accrual_rate",
    "accrual_rate_unit",
];

/// The optional fields of an operation's body, and whether their description takes null.
fn described(operation: &Operation) -> Vec<(String, bool)> {
    let api = description();
    let schema = &operation.description["requestBody"]["content"]["application/json"]["schema"];
    let named =
        |schema: &Value| schema["$ref"].as_str().map(|name| name.rsplit('/').next().unwrap().to_owned());
    let schema = named(schema).map_or(schema, |name| &api["components"]["schemas"][name]);
    let null = Value::from("null");
    let takes = |field: &Value| {
        let either = field["oneOf"].as_array().or(field["anyOf"].as_array()).cloned().unwrap_or_default();
        field["type"].as_array().is_some_and(|types| types.contains(&null))
            || either.iter().any(|one| one["type"] == null)
    };
    let fields = schema["properties"].as_object().cloned().unwrap_or_default();
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let optional = fields.iter().filter(|(name, _)| !required.contains(&Value::from(name.as_str())));
    optional.map(|(name, field)| (name.clone(), takes(field))).collect()
}

/// Whether an answer refuses a field by its name.
fn refuses(answer: &Value, field: &str) -> bool {
    let errors = answer["errors"].as_array().cloned().unwrap_or_default();
    errors.iter().any(|error| {
        let key = error["error_key"].as_str().unwrap_or_default();
        key == field || key.starts_with(&format!("{field}.")) || key.starts_with(&format!("{field}["))
    })
}

#[test]
fn null_is_taken_where_the_description_says_so_and_refused_by_name_elsewhere() {
    on_both_engines(async |engine: Engine| {
        let target = Target::of(engine.own_world().await.company().await).await;
        let (mut wrong, mut asked) = (Vec::new(), 0);
        for operation in operations().iter().filter(|operation| operation.takes_json()) {
            for (field, nullable) in described(operation) {
                target.prepare(operation).await;
                let mut body = target.body(operation).await;
                if !body.is_object() {
                    continue;
                }
                body[&field] = Value::Null;
                let path = target.path(operation);
                let call = target.company.world.call(&operation.method, path).json(&body);
                let answer = call.bearer(target.token(operation)).send().await;
                let taken = answer.status.is_success() || !refuses(&answer.json(), &field);
                asked += 1;
                if taken != nullable && !ALSO_TAKEN.contains(&field.as_str()) {
                    wrong.push(format!("{} {field}: {} {}", operation.name(), answer.status, answer.text()));
                }
            }
        }
        assert!(wrong.is_empty(), "of {asked}:\n{}", wrong.join("\n"));
    });
}
