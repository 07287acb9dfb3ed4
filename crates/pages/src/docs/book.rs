//! The description of the interface, laid out for readers: areas with their operations, parameters, and shapes as rows
//! of a table. It is made once, from the published description, and holds nothing of the running service.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde_json::Value;

use super::areas::AREAS;
use domain::version::{ApiVersion, Change};
use interface::error::Kind;
use interface::examples;
use interface::form::MEDIA_TYPE;
use interface::version::Difference;

/// Shapes within shapes that are laid out; deeper ones are named.
const DEPTH: usize = 6;

/// The whole interface.
#[derive(Debug)]
pub struct Book {
    /// areas in the order in which a partner meets them
    pub areas: Vec<Area>,
}

/// Operations that belong together.
#[derive(Debug)]
pub struct Area {
    /// its name in addresses
    pub slug: String,
    /// its name
    pub name: String,
    /// what it is about
    pub about: &'static str,
    /// its operations
    pub operations: Vec<Operation>,
}

/// One operation.
#[derive(Debug)]
pub struct Operation {
    /// its name in addresses
    pub id: String,
    /// method and route
    pub name: String,
    /// HTTP method
    pub method: String,
    /// path with its parameters in braces
    pub route: String,
    /// one line
    pub summary: String,
    /// paragraphs
    pub description: Vec<String>,
    /// the token that it takes, in words
    pub token: &'static str,
    /// whether that is the application's own
    pub of_application: bool,
    /// whether any is needed
    pub needs_token: bool,
    /// the scope that it needs
    pub scope: Option<String>,
    /// of path, query and header
    pub parameters: Vec<Row>,
    /// fields of the body
    pub body: Option<Shape>,
    /// what it answers when it went well
    pub answers: Vec<Answer>,
    /// how it refuses
    pub refusals: Vec<Refusal>,
    /// differences between versions that touch it
    pub differences: Vec<Difference>,
    /// an answer, as it was given
    pub example: Option<String>,
    /// the status of that answer
    pub success: u16,
}

/// A parameter or a field.
#[derive(Debug, Clone)]
pub struct Row {
    /// its name
    pub name: String,
    /// path, query or header; empty for a field
    pub place: String,
    /// its type, in words
    pub kind: String,
    /// whether it must be there
    pub required: bool,
    /// what it means
    pub description: String,
    /// the values that it can have, where they are few
    pub values: Vec<String>,
    /// the value that counts when it is left out
    pub default: Option<String>,
    /// the fields in it
    pub fields: Vec<Row>,
}

/// What a body holds.
#[derive(Debug, Clone, Default)]
pub struct Shape {
    /// its type, in words
    pub kind: String,
    /// what it is
    pub description: String,
    /// values that it can have, where they are few
    pub values: Vec<String>,
    /// its fields
    pub fields: Vec<Row>,
}

/// An answer of success.
#[derive(Debug)]
pub struct Answer {
    /// HTTP status
    pub status: String,
    /// what it means
    pub description: String,
    /// what it holds
    pub shape: Option<Shape>,
}

/// A refusal by status.
#[derive(Debug)]
pub struct Refusal {
    /// HTTP status
    pub status: u16,
    /// when
    pub description: String,
    /// names of the kinds of errors that it comes with
    pub kinds: Vec<&'static str>,
}

impl Book {
    /// The book of the interface.
    ///
    /// # Panics
    /// When the description names an area that has no place in the book: a mistake in the program.
    pub fn get() -> &'static Self {
        static BOOK: OnceLock<Book> = OnceLock::new();
        BOOK.get_or_init(|| {
            let text = crate::routes::description_text();
            let api = serde_json::from_str(&text).unwrap_or_else(|error| panic!("no description: {error}"));
            Self::of(&api)
        })
    }

    fn of(api: &Value) -> Self {
        let mut areas: Vec<Area> = AREAS
            .iter()
            .map(|(name, about)| Area {
                slug: slug(name),
                name: (*name).to_owned(),
                about,
                operations: Vec::new(),
            })
            .collect();
        for (route, item) in api["paths"].as_object().into_iter().flatten() {
            for (method, described) in item.as_object().into_iter().flatten() {
                let area = text(&described["tags"][0]);
                let place = areas.iter_mut().find(|one| one.name == area);
                let place = place.unwrap_or_else(|| panic!("{area} is missing in docs/areas.rs"));
                place.operations.push(Reader { api }.operation(&method.to_uppercase(), route, described));
            }
        }
        areas.retain(|area| !area.operations.is_empty());
        Self { areas }
    }

    /// Every operation with its area.
    pub fn operations(&self) -> impl Iterator<Item = (&Area, &Operation)> {
        self.areas.iter().flat_map(|area| area.operations.iter().map(move |one| (area, one)))
    }
}

/// A name as it stands in addresses.
fn slug(name: &str) -> String {
    name.to_lowercase().replace(' ', "-")
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// A value as it is sent.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

struct Reader<'a> {
    api: &'a Value,
}

impl<'a> Reader<'a> {
    fn operation(&self, method: &str, route: &str, described: &Value) -> Operation {
        let name = format!("{method} {route}");
        let (token, of_application, scope) = token(described);
        let differences = Change::ALL.map(interface::version::difference).into_iter();
        let differences = differences.filter(|one| one.operations.contains(&&*name)).collect();
        let answers = described["responses"].as_object().into_iter().flatten();
        let answers = answers.filter(|(status, _)| status.starts_with('2')).map(|(status, answer)| Answer {
            status: status.clone(),
            description: text(&answer["description"]),
            shape: self.content(answer),
        });
        let example = examples::answer(&name).map(|answer| {
            serde_json::to_string_pretty(answer).unwrap_or_else(|error| panic!("{name}: {error}"))
        });
        Operation {
            id: text(&described["operationId"]),
            name: name.clone(),
            method: method.to_owned(),
            route: route.to_owned(),
            summary: text(&described["summary"]),
            description: text(&described["description"]).split("\n\n").map(str::to_owned).collect(),
            token,
            of_application,
            needs_token: described.get("security").is_some(),
            scope,
            parameters: described["parameters"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|one| self.parameter(one))
                .collect(),
            body: self.content(&described["requestBody"]),
            answers: answers.collect(),
            refusals: refusals(described),
            differences,
            example,
            success: examples::status(&name),
        }
    }

    fn parameter(&self, described: &Value) -> Row {
        let mut row = self.row(
            &text(&described["name"]),
            &described["schema"],
            described["required"] == true,
            &mut Vec::new(),
        );
        row.place = text(&described["in"]);
        row.description = text(&described["description"]);
        row
    }

    /// What a body or an answer holds, as JSON, as a form or as a document.
    fn content(&self, described: &Value) -> Option<Shape> {
        let content = described["content"].as_object()?;
        let (kind, of) =
            content.iter().find(|(kind, _)| *kind == "application/json").or(content.iter().next())?;
        match kind.as_str() {
            "application/json" => Some(self.shape(&of["schema"], &mut Vec::new())),
            MEDIA_TYPE => Some(Shape { kind: kind.clone(), ..self.shape(&of["schema"], &mut Vec::new()) }),
            _ => Some(Shape { kind: kind.clone(), ..Shape::default() }),
        }
    }

    fn row(&self, name: &str, schema: &'a Value, required: bool, seen: &mut Vec<&'a str>) -> Row {
        let shape = self.shape(schema, seen);
        let own = text(&schema["description"]);
        Row {
            name: name.to_owned(),
            place: String::new(),
            kind: shape.kind,
            required,
            description: if own.is_empty() { shape.description } else { own },
            values: shape.values,
            default: schema.get("default").map(plain),
            fields: shape.fields,
        }
    }

    /// A schema in words and rows. `seen` holds the shapes around it, so that one that holds itself comes to an end.
    fn shape(&self, schema: &'a Value, seen: &mut Vec<&'a str>) -> Shape {
        if let Some(reference) = schema["$ref"].as_str() {
            let name = reference.rsplit('/').next().unwrap_or_default();
            if seen.contains(&name) || seen.len() >= DEPTH {
                return Shape { kind: format!("object ({name})"), ..Shape::default() };
            }
            seen.push(name);
            let mut shape = self.shape(&self.api["components"]["schemas"][name], seen);
            seen.pop();
            if let Some(own) = schema["description"].as_str() {
                own.clone_into(&mut shape.description);
            }
            return shape;
        }
        if let Some(several) = ["oneOf", "anyOf", "allOf"].iter().find_map(|key| schema[*key].as_array()) {
            return self.several(schema, several, seen);
        }
        let (kind, nullable) = kind_of(schema);
        let mut made = Shape { description: text(&schema["description"]), ..Shape::default() };
        made.values = schema["enum"].as_array().into_iter().flatten().map(plain).collect();
        made.kind = match kind {
            "array" => {
                let items = self.shape(&schema["items"], seen);
                (made.fields, made.values) = (items.fields, items.values);
                format!("list of {}", plural(&items.kind))
            }
            "object" => {
                made.fields = self.fields(schema, seen);
                "object".to_owned()
            }
            kind => word(kind, schema),
        };
        if nullable {
            made.kind += " or null";
        }
        made
    }

    fn fields(&self, schema: &'a Value, seen: &mut Vec<&'a str>) -> Vec<Row> {
        let needed: Vec<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let fields = schema["properties"].as_object().into_iter().flatten();
        fields.map(|(name, of)| self.row(name, of, needed.contains(&name.as_str()), seen)).collect()
    }

    /// A schema that is one of several, or what several say together.
    fn several(&self, schema: &'a Value, several: &'a [Value], seen: &mut Vec<&'a str>) -> Shape {
        let others: Vec<&Value> = several.iter().filter(|one| one["type"] != "null").collect();
        let nullable = others.len() < several.len();
        let mut shapes: Vec<Shape> = others.iter().map(|one| self.shape(one, seen)).collect();
        let mut made = Shape { description: text(&schema["description"]), ..Shape::default() };
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

/// A type as people call it.
fn word(kind: &str, schema: &Value) -> String {
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

fn plural(kind: &str) -> String {
    match kind {
        "text" => "texts".to_owned(),
        "any value" => "values".to_owned(),
        kind if kind.starts_with("list") => kind.replacen("list", "lists", 1),
        kind => format!("{kind}s"),
    }
}

/// The token that an operation takes, in words; whether it is the application's; the scope.
fn token(described: &Value) -> (&'static str, bool, Option<String>) {
    let entries = described["security"].as_array();
    let named = |name: &str| entries.into_iter().flatten().find_map(|entry| entry.get(name));
    let (company, system) = (named("company_access"), named("system_access"));
    let scope = company.or(system).and_then(|scopes| scopes[0].as_str()).map(str::to_owned);
    match (company, system) {
        (Some(_), Some(_)) => ("a company's token, or the application's system token", false, scope),
        (Some(_), None) => ("a company's token", false, scope),
        (None, Some(_)) => ("the application's system token", true, scope),
        (None, None) => ("none", false, scope),
    }
}

/// Whether an operation needs a token, and whether that is the application's own.
pub fn needs(name: &str) -> (bool, bool) {
    static NEEDS: OnceLock<BTreeMap<String, (bool, bool)>> = OnceLock::new();
    let needs = NEEDS.get_or_init(|| {
        let described = Book::get()
            .operations()
            .map(|(_, one)| (one.name.clone(), (one.needs_token, one.of_application)));
        described.collect()
    });
    needs.get(name).copied().unwrap_or_default()
}

/// The summary of an operation.
pub fn summary(name: &str) -> &'static str {
    let mut operations = Book::get().operations();
    operations.find(|(_, one)| one.name == name).map_or("", |(_, one)| &one.summary)
}

fn refusals(described: &Value) -> Vec<Refusal> {
    let area = text(&described["tags"][0]);
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
            let of_status = Kind::ALL.into_iter().filter(fits).map(Kind::explained);
            let of_status = of_status.filter(|kind| kind.statuses.contains(&status));
            // The token endpoint speaks as RFC 6749 says, not in the errors of the interface.
            let own = area != "OAuth" || described.get("security").is_some();
            Refusal {
                status,
                description: text(&answer["description"]),
                kinds: if own { of_status.map(|kind| kind.name).collect() } else { vec!["oauth"] },
            }
        })
        .collect();
    refusals.sort_by_key(|one| one.status);
    refusals
}

/// The versions, newest first, with what each brought.
pub fn versions() -> Vec<(&'static str, Vec<Difference>)> {
    let mut versions: Vec<_> = ApiVersion::ALL
        .into_iter()
        .map(|version| {
            let of_version = Change::ALL.into_iter().filter(|change| change.since() == version);
            (version.as_str(), of_version.map(interface::version::difference).collect())
        })
        .collect();
    versions.reverse();
    versions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_says_in_words_what_it_does_takes_and_answers() {
        let mut silent = Vec::new();
        for (_, one) in Book::get().operations() {
            let name = &one.name;
            if one.summary.is_empty() || one.description.iter().all(String::is_empty) {
                silent.push(format!("{name}: a description"));
            }
            if one.example.is_none() && !examples::answers_without_json(name) {
                silent.push(format!("{name}: an example of its answer"));
            }
            for row in &one.parameters {
                if row.description.is_empty() {
                    silent.push(format!("{name}: {}", row.name));
                }
            }
        }
        assert!(silent.is_empty(), "{silent:#?}");
    }

    fn silent_rows(place: &str, rows: &[Row], silent: &mut Vec<String>) {
        for row in rows {
            let place = format!("{place}.{}", row.name);
            if row.description.is_empty() {
                silent.push(place.clone());
            }
            silent_rows(&place, &row.fields, silent);
        }
    }

    #[test]
    fn every_field_of_a_body_and_of_an_answer_says_what_it_means() {
        let mut silent = Vec::new();
        for (_, one) in Book::get().operations() {
            let shapes = one.body.iter().chain(one.answers.iter().filter_map(|answer| answer.shape.as_ref()));
            shapes.for_each(|shape| silent_rows(&one.id, &shape.fields, &mut silent));
        }
        assert!(silent.is_empty(), "{silent:#?}");
    }

    #[test]
    fn a_difference_names_operations_that_there_are() {
        let known: Vec<&str> = Book::get().operations().map(|(_, one)| &*one.name).collect();
        for (_, differences) in versions() {
            for one in differences {
                for operation in one.operations {
                    assert!(known.contains(operation), "{operation}");
                }
                assert!(AREAS.iter().any(|(name, _)| *name == one.area), "{}", one.area);
            }
        }
    }

    /// The differences as docs/versions.md has them.
    fn as_a_page() -> String {
        let mut page = String::new();
        for (version, differences) in
            versions().into_iter().filter(|(_, differences)| !differences.is_empty())
        {
            page += &format!("\n## {version}\n");
            for one in differences {
                page += &format!("\n**{}.** {}\n{}\n\n", one.area, one.change, one.action);
                for operation in one.operations {
                    page += &format!("* `{operation}`\n");
                }
            }
        }
        page + "\n"
    }

    #[test]
    fn the_page_of_versions_tells_the_differences_that_the_code_makes() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/versions.md");
        let text = std::fs::read_to_string(file).unwrap();
        let (before, rest) = text.split_once("differences.rs -->\n").unwrap();
        let (described, after) = rest.split_once("<!-- end of differences -->").unwrap();
        if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
            let renewed =
                format!("{before}differences.rs -->\n{}<!-- end of differences -->{after}", as_a_page());
            std::fs::write(file, renewed).unwrap();
        } else {
            assert!(described == as_a_page(), "docs/versions.md is old: INSTA_UPDATE=always renews it");
        }
    }
}
