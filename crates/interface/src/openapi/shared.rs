//! The published form of the description: parameters and responses that several operations share are components, and each operation and
//! each component is one line. Written out for each operation, they would be half of it.

use std::collections::HashMap;

use serde_json::{Map, Value};

/// What a component is called: a parameter by its own name, a response by its status.
struct Part {
    /// section of `components`
    section: &'static str,
    /// name, if it is the first of that name
    name: String,
    value: Value,
}

/// Replaces the parameters and the responses that occur more than once by references to components.
pub(super) fn share_components(tree: &mut Value) {
    let mut counted: Vec<(Part, usize)> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for part in described_operations(tree).flat_map(parts_of) {
        let key = key_of(part.section, &part.name, &part.value);
        match places.get(&key) {
            Some(place) => counted[*place].1 += 1,
            None => {
                places.insert(key, counted.len());
                counted.push((part, 1));
            }
        }
    }
    counted.retain(|(_, times)| *times > 1);
    // The most frequent one of a name has it alone.
    counted.sort_by_key(|(_, times)| std::cmp::Reverse(*times));
    let mut references = HashMap::new();
    let mut components: Map<String, Value> = Map::new();
    for (Part { section, name, value }, _) in counted {
        let held = components.entry(section).or_insert_with(|| Value::Object(Map::new()));
        let Some(held) = held.as_object_mut() else { continue };
        let own = (1..).map(|number| if number == 1 { name.clone() } else { format!("{name}.{number}") });
        let own = own.into_iter().find(|own| !held.contains_key(own)).unwrap_or_default();
        references.insert(key_of(section, &name, &value), format!("#/components/{section}/{own}"));
        held.insert(own, value);
    }
    for operation in operations_mut(tree) {
        insert_references(operation, &references);
    }
    if let Some(all) = tree.get_mut("components").and_then(Value::as_object_mut) {
        all.extend(components);
    }
}

fn key_of(section: &str, name: &str, value: &Value) -> String {
    format!("{section} {name} {value}")
}

fn described_operations(tree: &Value) -> impl Iterator<Item = &Value> {
    let items = tree["paths"].as_object().into_iter().flatten();
    items.filter_map(|(_, item)| item.as_object()).flatten().map(|(_, operation)| operation)
}

fn operations_mut(tree: &mut Value) -> impl Iterator<Item = &mut Value> {
    let items = tree.get_mut("paths").and_then(Value::as_object_mut).into_iter().flatten();
    items.filter_map(|(_, item)| item.as_object_mut()).flatten().map(|(_, operation)| operation)
}

fn parts_of(operation: &Value) -> Vec<Part> {
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    let parameters = parameters.map(|value| Part {
        section: "parameters",
        name: value["name"].as_str().unwrap_or_default().to_owned(),
        value: value.clone(),
    });
    let responses = operation["responses"].as_object().into_iter().flatten();
    let responses = responses.map(|(status, value)| Part {
        section: "responses",
        name: status.clone(),
        value: value.clone(),
    });
    parameters.chain(responses).collect()
}

fn insert_references(operation: &mut Value, references: &HashMap<String, String>) {
    let replace = |section: &str, name: &str, value: &mut Value| {
        if let Some(to) = references.get(&key_of(section, name, value)) {
            *value = serde_json::json!({ "$ref": to });
        }
    };
    for parameter in operation.get_mut("parameters").and_then(Value::as_array_mut).into_iter().flatten() {
        let name = parameter["name"].as_str().unwrap_or_default().to_owned();
        replace("parameters", &name, parameter);
    }
    for (status, response) in
        operation.get_mut("responses").and_then(Value::as_object_mut).into_iter().flatten()
    {
        replace("responses", status, response);
    }
}

/// Returns the description as text: each operation, each component and each other entry on a line of its own.
pub(super) fn format_description(tree: &Value) -> String {
    let mut text = String::new();
    write_to(&mut text, tree, 0);
    text
}

/// How deep the levels are that have a line for each entry: the document, `paths` and `components`, and each path and section.
const DEPTH: usize = 3;

fn write_to(text: &mut String, value: &Value, depth: usize) {
    let Some(map) = value.as_object().filter(|map| depth < DEPTH && !map.is_empty()) else {
        text.push_str(&value.to_string());
        return;
    };
    for (number, (key, value)) in map.iter().enumerate() {
        text.push_str(if number == 0 { "{\n" } else { ",\n" });
        text.push_str(&Value::from(key.as_str()).to_string());
        text.push(':');
        write_to(text, value, depth + 1);
    }
    text.push_str("\n}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openapi::{full_description, publish_description};

    /// Puts what a reference to a parameter or a response leads to in its place.
    fn dereferenced(mut tree: Value) -> Value {
        let components = tree["components"].clone();
        let follow = |value: &mut Value| {
            if let Some(place) = value["$ref"].as_str().and_then(|name| name.strip_prefix("#/components")) {
                *value = components.pointer(place).unwrap().clone();
            }
        };
        for operation in operations_mut(&mut tree) {
            operation
                .get_mut("parameters")
                .and_then(Value::as_array_mut)
                .into_iter()
                .flatten()
                .for_each(follow);
            let responses =
                operation.get_mut("responses").and_then(Value::as_object_mut).into_iter().flatten();
            responses.for_each(|(_, response)| follow(response));
        }
        let components = tree["components"].as_object_mut().unwrap();
        components.shift_remove("parameters").unwrap();
        components.shift_remove("responses").unwrap();
        tree
    }

    #[test]
    fn nothing_is_lost_by_sharing_parameters_and_responses() {
        let api = crate::routes::published_description();
        let text = publish_description(&api);
        let (published, whole) = (serde_json::from_str(&text).unwrap(), full_description(&api));
        assert_eq!(dereferenced(published), whole);
        let apart = whole.to_string().len();
        assert!(text.len() < apart * 7 / 10, "{} bytes, {apart} with all written out", text.len());
        assert!(text.lines().all(|line| line.len() < 100_000), "an operation is a line");
    }
}
