//! Converts the published description into the book's operations, shapes and rows.

use domain::version::Change;
use interface::error::Kind;
use interface::examples;
use interface::form::MEDIA_TYPE;
use serde_json::Value;

use super::{Answer, Operation, Refusal, Row, Shape};

/// Maximum nesting of shapes that are laid out; deeper ones are only named.
const DEPTH: usize = 6;

pub(super) fn plain_text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// A value in wire form.
fn wire_form(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

pub(super) struct Reader<'a> {
    pub(super) api: &'a Value,
}

impl<'a> Reader<'a> {
    pub(super) fn read_operation(&self, method: &str, route: &str, described: &Value) -> Operation {
        let name = format!("{method} {route}");
        let (token, of_application, scope) = required_token(described);
        let differences = Change::ALL.map(interface::version::describe_change).into_iter();
        let differences = differences.filter(|one| one.operations.contains(&&*name)).collect();
        let answers = described["responses"].as_object().into_iter().flatten();
        let answers = answers.filter(|(status, _)| status.starts_with('2')).map(|(status, answer)| Answer {
            status: status.clone(),
            description: plain_text(&answer["description"]),
            shape: self.content_shape(answer),
        });
        let example = examples::example_answer(&name).map(|answer| {
            serde_json::to_string_pretty(answer).unwrap_or_else(|error| panic!("{name}: {error}"))
        });
        Operation {
            id: plain_text(&described["operationId"]),
            name: name.clone(),
            method: method.to_owned(),
            route: route.to_owned(),
            summary: plain_text(&described["summary"]),
            description: plain_text(&described["description"]).split("\n\n").map(str::to_owned).collect(),
            token,
            of_application,
            needs_token: described.get("security").is_some(),
            scope,
            parameters: described["parameters"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|one| self.parameter_row(one))
                .collect(),
            body: self.content_shape(&described["requestBody"]),
            answers: answers.collect(),
            refusals: documented_refusals(described),
            differences,
            example,
            success: examples::success_status(&name),
        }
    }

    fn parameter_row(&self, described: &Value) -> Row {
        let mut row = self.schema_row(
            &plain_text(&described["name"]),
            &described["schema"],
            described["required"] == true,
            &mut Vec::new(),
        );
        row.place = plain_text(&described["in"]);
        row.description = plain_text(&described["description"]);
        row
    }

    /// The content of a body or a response, as JSON, as a form or as a document.
    fn content_shape(&self, described: &Value) -> Option<Shape> {
        let content = described["content"].as_object()?;
        let (kind, of) =
            content.iter().find(|(kind, _)| *kind == "application/json").or(content.iter().next())?;
        match kind.as_str() {
            "application/json" => Some(self.schema_shape(&of["schema"], &mut Vec::new())),
            MEDIA_TYPE => {
                Some(Shape { kind: kind.clone(), ..self.schema_shape(&of["schema"], &mut Vec::new()) })
            }
            _ => Some(Shape { kind: kind.clone(), ..Shape::default() }),
        }
    }

    fn schema_row(&self, name: &str, schema: &'a Value, required: bool, seen: &mut Vec<&'a str>) -> Row {
        let shape = self.schema_shape(schema, seen);
        let own = plain_text(&schema["description"]);
        Row {
            name: name.to_owned(),
            place: String::new(),
            kind: shape.kind,
            required,
            description: if own.is_empty() { shape.description } else { own },
            values: shape.values,
            default: schema.get("default").map(wire_form),
            fields: shape.fields,
        }
    }

    /// A schema in words and rows. `seen` contains the enclosing shapes, so that a recursive one terminates.
    fn schema_shape(&self, schema: &'a Value, seen: &mut Vec<&'a str>) -> Shape {
        if let Some(reference) = schema["$ref"].as_str() {
            let name = reference.rsplit('/').next().unwrap_or_default();
            if seen.contains(&name) || seen.len() >= DEPTH {
                return Shape { kind: format!("object ({name})"), ..Shape::default() };
            }
            seen.push(name);
            let mut shape = self.schema_shape(&self.api["components"]["schemas"][name], seen);
            seen.pop();
            if let Some(own) = schema["description"].as_str() {
                own.clone_into(&mut shape.description);
            }
            return shape;
        }
        if let Some(several) = ["oneOf", "anyOf", "allOf"].iter().find_map(|key| schema[*key].as_array()) {
            return self.combined_shape(schema, several, seen);
        }
        let (kind, nullable) = kind_of(schema);
        let mut made = Shape { description: plain_text(&schema["description"]), ..Shape::default() };
        made.values = schema["enum"].as_array().into_iter().flatten().map(wire_form).collect();
        made.kind = match kind {
            "array" => {
                let items = self.schema_shape(&schema["items"], seen);
                (made.fields, made.values) = (items.fields, items.values);
                format!("list of {}", plural_type(&items.kind))
            }
            "object" => {
                made.fields = self.field_rows(schema, seen);
                "object".to_owned()
            }
            kind => type_in_words(kind, schema),
        };
        if nullable {
            made.kind += " or null";
        }
        made
    }

    fn field_rows(&self, schema: &'a Value, seen: &mut Vec<&'a str>) -> Vec<Row> {
        let needed: Vec<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let fields = schema["properties"].as_object().into_iter().flatten();
        fields.map(|(name, of)| self.schema_row(name, of, needed.contains(&name.as_str()), seen)).collect()
    }

    /// A schema that is one of several, or the combination of several.
    fn combined_shape(&self, schema: &'a Value, several: &'a [Value], seen: &mut Vec<&'a str>) -> Shape {
        let others: Vec<&Value> = several.iter().filter(|one| one["type"] != "null").collect();
        let nullable = others.len() < several.len();
        let mut shapes: Vec<Shape> = others.iter().map(|one| self.schema_shape(one, seen)).collect();
        let mut made = Shape { description: plain_text(&schema["description"]), ..Shape::default() };
        let mut kinds: Vec<String> = Vec::new();
        for shape in &mut shapes {
            if made.description.is_empty() {
                made.description.clone_from(&shape.description);
            }
            if !kinds.contains(&shape.kind) {
                kinds.push(shape.kind.clone());
            }
            for field in shape.fields.drain(..) {
                if !made.fields.iter().any(|known| known.name == field.name) {
                    made.fields.push(field);
                }
            }
            made.values.append(&mut shape.values);
        }
        made.kind = kinds.join(" or ");
        if nullable {
            made.kind += " or null";
        }
        made
    }
}

/// The type of a schema, and whether it may be null.
fn kind_of(schema: &Value) -> (&str, bool) {
    match &schema["type"] {
        Value::String(kind) => (kind, false),
        Value::Array(kinds) => {
            let named: Vec<&str> =
                kinds.iter().filter_map(Value::as_str).filter(|kind| *kind != "null").collect();
            let nullable = named.len() < kinds.len();
            // Amounts are text or numbers.
            if named.len() > 1 {
                ("amount", nullable)
            } else {
                (named.first().copied().unwrap_or("any"), nullable)
            }
        }
        _ => ("any", false),
    }
}

/// The name of a type in words.
fn type_in_words(kind: &str, schema: &Value) -> String {
    match (kind, schema["format"].as_str()) {
        ("string", Some("uuid")) => "UUID",
        ("string", Some("date-time")) => "moment (ISO 8601)",
        ("string", Some("date")) => "date",
        ("string", _) => "text",
        ("integer", _) => "whole number",
        ("number", _) => "number",
        ("amount", _) => "decimal, as text or number",
        ("boolean", _) => "true or false",
        _ => "any value",
    }
    .to_owned()
}

fn plural_type(kind: &str) -> String {
    match kind {
        "text" => "texts".to_owned(),
        "any value" => "values".to_owned(),
        kind if kind.starts_with("list") => kind.replacen("list", "lists", 1),
        kind => format!("{kind}s"),
    }
}

/// The token that an operation requires, in words; whether it is the application's; the scope. Where either will do, the one that
/// is described first is shown.
fn required_token(described: &Value) -> (&'static str, bool, Option<String>) {
    let entries = described["security"].as_array();
    let of_application = described["security"][0].get("system_access").is_some();
    let named = |name: &str| entries.into_iter().flatten().find_map(|entry| entry.get(name));
    let (company, system) = (named("company_access"), named("system_access"));
    let scope = company.or(system).and_then(|scopes| scopes[0].as_str()).map(str::to_owned);
    match (company, system) {
        (Some(_), Some(_)) => ("a company's token, or the application's system token", of_application, scope),
        (Some(_), None) => ("a company's token", false, scope),
        (None, Some(_)) => ("the application's system token", true, scope),
        (None, None) => ("none", false, scope),
    }
}

fn documented_refusals(described: &Value) -> Vec<Refusal> {
    let area = plain_text(&described["tags"][0]);
    let fits = |kind: &Kind| match kind {
        Kind::PayrollBlocker => area == "Payrolls",
        Kind::MigrationBlocker => area == "Company migration",
        Kind::UnknownAddress | Kind::UnknownHost => false,
        _ => true,
    };
    let answers = described["responses"].as_object().into_iter().flatten();
    let refused = answers.filter_map(|(status, answer)| Some((status.parse::<u16>().ok()?, answer)));
    let mut refusals: Vec<Refusal> = refused
        .filter(|(status, _)| *status >= 400)
        .map(|(status, answer)| {
            let of_status = Kind::ALL.iter().copied().filter(fits).map(Kind::explained);
            let of_status = of_status.filter(|kind| kind.statuses.contains(&status));
            // The token endpoint uses the errors of RFC 6749, not those of the API.
            let own = area != "OAuth" || described.get("security").is_some();
            Refusal {
                status,
                description: plain_text(&answer["description"]),
                kinds: if own { of_status.map(|kind| kind.name).collect() } else { vec!["oauth"] },
            }
        })
        .collect();
    refusals.sort_by_key(|one| one.status);
    refusals
}
