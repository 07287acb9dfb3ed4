//! Names that no operation reads: fields of a body, and parameters of a query, that the description does not have.
//!
//! They are told in [`HEADER`] and in the log, so that a misspelt name, or one that a newer client sends, is noticed on its first day;
//! for an application in strict mode they are refused. What an operation reads is taken from the description, where each of its fields
//! stands once.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use axum::http::{HeaderName, HeaderValue};
use form_urlencoded::parse;
use rules::{Category, Violation};
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

/// Lists the names of a request that were not read.
pub const HEADER: HeaderName = HeaderName::from_static("x-unknown-fields");

/// Names that are told of one request.
const MOST: usize = 20;
/// Characters of a name that are told.
const LONGEST: usize = 100;
/// How a reader that keeps every digit shows a number.
const NUMBER: &str = "$serde_json::private::Number";
/// Levels of a body that are described: further ones may hold anything.
const DEEPEST: usize = 12;

/// What an operation reads of a request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Known {
    query: BTreeSet<String>,
    body: Shape,
}

/// What a value may hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Shape {
    /// whether it may hold anything
    anything: bool,
    /// fields of an object
    fields: BTreeMap<String, Shape>,
    /// what fields hold whose names are data
    others: Option<Box<Shape>>,
    /// items of a list
    items: Option<Box<Shape>>,
}

impl Shape {
    /// The shape of a schema of the description.
    fn from_schema(api: &Value, schema: &Value, depth: usize) -> Self {
        if depth > DEEPEST {
            return Self { anything: true, ..Self::default() };
        }
        if let Some(name) = schema["$ref"].as_str() {
            let pointer = name.trim_start_matches('#');
            return api
                .pointer(pointer)
                .map_or_else(Self::default, |named| Self::from_schema(api, named, depth + 1));
        }
        let mut shape = Self::default();
        let mut described =
            schema["type"].is_string() || schema["type"].is_array() || schema.get("enum").is_some();
        for (name, field) in schema["properties"].as_object().into_iter().flatten() {
            described = true;
            shape.fields.insert(name.clone(), Self::from_schema(api, field, depth + 1));
        }
        for several in ["allOf", "oneOf", "anyOf"] {
            for one in schema[several].as_array().into_iter().flatten() {
                described = true;
                shape.join_shape(Self::from_schema(api, one, depth + 1));
            }
        }
        if let Some(items) = schema.get("items") {
            shape.items = Some(Box::new(Self::from_schema(api, items, depth + 1)));
        }
        match schema.get("additionalProperties") {
            Some(Value::Bool(open)) => shape.anything |= *open,
            Some(others) => shape.others = Some(Box::new(Self::from_schema(api, others, depth + 1))),
            // An object of which nothing is said.
            None => shape.anything |= schema["type"] == "object" && shape.fields.is_empty(),
        }
        shape.anything |= !described;
        shape
    }

    /// Adds what a value of another shape may hold.
    fn join_shape(&mut self, other: Self) {
        self.anything |= other.anything;
        for (name, shape) in other.fields {
            self.fields.entry(name).or_default().join_shape(shape);
        }
        for (mine, its) in [(&mut self.others, other.others), (&mut self.items, other.items)] {
            match (mine.as_mut(), its) {
                (Some(mine), Some(its)) => mine.join_shape(*its),
                (None, Some(its)) => *mine = Some(its),
                (_, None) => {}
            }
        }
    }

    /// What a field may hold; `None` if there is none of this name.
    fn field(&self, name: &str) -> Option<&Self> {
        self.fields.get(name).or(self.others.as_deref())
    }
}

impl Known {
    /// What an operation of the description reads.
    pub fn from_operation(api: &Value, operation: &Value) -> Self {
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        let query = parameters.filter(|one| one["in"] == "query").filter_map(|one| one["name"].as_str());
        let content = operation["requestBody"]["content"].as_object().into_iter().flatten();
        let mut body = Shape::default();
        for (_, content) in content {
            body.join_shape(Shape::from_schema(api, &content["schema"], 0));
        }
        Self { query: query.map(str::to_owned).collect(), body }
    }

    /// The names in a query and a body that the operation does not read, each once, in order. A body that is no JSON has none.
    pub fn unread_names(&self, query: Option<&str>, body: &[u8]) -> Vec<String> {
        let mut found = BTreeSet::new();
        for (name, _) in parse(query.unwrap_or_default().as_bytes()) {
            // Lists are also written with brackets.
            let plain = name.split_once('[').map_or(&*name, |(plain, _)| plain);
            if !self.query.contains(&*name) && !self.query.contains(plain) && found.len() < MOST {
                found.insert(printable_name(&format!("?{name}")));
            }
        }
        if !body.is_empty() {
            let walk = Walk { shape: &self.body, path: &mut String::new(), found: &mut found };
            // What cannot be read is refused by the operation.
            let _broken = walk.deserialize(&mut serde_json::Deserializer::from_slice(body));
        }
        found.into_iter().collect()
    }
}

/// What an application in strict mode is told.
pub fn unknown_violations(names: &[String]) -> Vec<Violation> {
    let one = |name: &String| {
        Violation::new(name, Category::InvalidAttributeValue, format!("{name} is not read by this operation"))
    };
    names.iter().map(one).collect()
}

/// The value of [`HEADER`].
pub fn unknown_header(names: &[String]) -> Option<HeaderValue> {
    HeaderValue::from_str(&names.join(", ")).ok()
}

/// A name as it may stand in a header.
fn printable_name(name: &str) -> String {
    let plain = |letter: char| if letter.is_ascii_graphic() && letter != ',' { letter } else { '_' };
    name.chars().take(LONGEST).map(plain).collect()
}

/// Reads a body without keeping it, beside what it may hold.
struct Walk<'a> {
    shape: &'a Shape,
    path: &'a mut String,
    found: &'a mut BTreeSet<String>,
}

impl Walk<'_> {
    fn reborrow<'b>(&'b mut self, shape: &'b Shape) -> Walk<'b> {
        Walk { shape, path: self.path, found: self.found }
    }
}

impl<'de> DeserializeSeed<'de> for Walk<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Walk<'_> {
    type Value = ();

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        let shape = self.shape;
        while let Some(name) = map.next_key::<Cow<'_, str>>()? {
            // With arbitrary precision a number is a map, too.
            if name == NUMBER {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            let outer = self.path.len();
            if outer > 0 {
                self.path.push('.');
            }
            self.path.push_str(&name);
            match shape.field(&name) {
                Some(field) => map.next_value_seed(self.reborrow(field))?,
                None => {
                    if !shape.anything && self.found.len() < MOST {
                        self.found.insert(printable_name(self.path));
                    }
                    map.next_value::<IgnoredAny>()?;
                }
            }
            self.path.truncate(outer);
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<(), A::Error> {
        let nothing = Shape { anything: true, ..Shape::default() };
        let items = self.shape.items.as_deref().unwrap_or(&nothing);
        let outer = self.path.len();
        self.path.push_str("[]");
        while list.next_element_seed(self.reborrow(items))?.is_some() {}
        self.path.truncate(outer);
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn known() -> Known {
        let api = json!({ "components": { "schemas": {
            "Pay": { "type": "object", "properties": { "rate": { "type": "string" }, "next": { "$ref": "#/components/schemas/Pay" } } },
        } } });
        let operation = json!({
            "parameters": [{ "in": "query", "name": "page" }, { "in": "query", "name": "include" }, { "in": "path", "name": "id" }],
            "requestBody": { "content": { "application/json": { "schema": { "type": "object", "properties": {
                "first_name": { "type": ["string", "null"] },
                "pays": { "type": "array", "items": { "oneOf": [{ "type": "null" }, { "$ref": "#/components/schemas/Pay" }] } },
                "labels": { "type": "object", "additionalProperties": { "$ref": "#/components/schemas/Pay" } },
                "free": {},
            } } } } },
        });
        Known::from_operation(&api, &operation)
    }

    #[test]
    fn a_name_that_is_not_read_is_told_with_its_place_and_once() {
        let body = json!({
            "frist_name": "Ann", "first_name": "Ann", "free": { "any": { "thing": 1 } },
            "pays": [{ "rate": "1", "rates": 2 }, { "rates": 3, "next": { "rate": "1", "x": [] } }],
            "labels": { "whatever": { "rate": "1", "y": null } },
        });
        let told = known().unread_names(Some("page=2&limit=5&include[]=a&id=7"), body.to_string().as_bytes());
        let expected = ["?id", "?limit", "frist_name", "labels.whatever.y", "pays[].next.x", "pays[].rates"];
        assert_eq!(told, expected);
        assert_eq!(unknown_header(&told).unwrap(), expected.join(", "));
    }

    #[test]
    fn what_is_read_is_not_told_and_what_is_broken_is_told_as_far_as_it_was_read() {
        assert!(known().unread_names(None, b"").is_empty());
        assert!(known().unread_names(None, br#"{"first_name":1.50,"pays":null,"labels":{}}"#).is_empty());
        assert_eq!(known().unread_names(None, br#"{"a":1,"first_name""#), ["a"]);
    }

    #[test]
    fn however_many_names_there_are_few_are_told_and_none_breaks_the_header() {
        let many: serde_json::Map<_, _> =
            (0..1_000).map(|n| (format!("n\u{e9}\r\n,{n}"), json!(n))).collect();
        let told = known().unread_names(None, Value::from(many).to_string().as_bytes());
        assert_eq!(told.len(), MOST);
        assert!(
            unknown_header(&told).is_some() && told.iter().all(|name| name.starts_with("n_")),
            "{told:?}"
        );
        let long = known().unread_names(None, json!({ "x".repeat(9_000): 1 }).to_string().as_bytes());
        assert_eq!(long[0].len(), LONGEST);
    }
}
