//! Request bodies: reading them, and turning them into commands.
//!
//! A body is read into a struct of [`Field`]s, which never fails for well-formed JSON, and becomes a command of the domain
//! by `into()`. [`input!`](crate::input) declares such a struct. Use cases check the fields, every violation at once.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use rules::{Amount, Named, check};
use serde::de::{DeserializeOwned, Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use utoipa::__dev::ComposeSchema;
use utoipa::ToSchema;
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, OneOfBuilder, SchemaType, Type};
use utoipa::openapi::{Ref, RefOr, Schema};

use domain::Error;
use domain::patch::Patch;

use crate::named::{Enum, schema_of};
use crate::values::IdText;

/// Deepest nesting of a body.
const DEPTH: usize = 32;
/// Most items of a list in a body.
pub const LIST: usize = 1_000;

/// One field of a body, read and described as `T` says. It becomes a [`Patch`] of a command by `into()`.
pub struct Field<T: Wire>(pub Patch<T::Value>);

impl<T: Wire> Default for Field<T> {
    fn default() -> Self {
        Self(Patch::Absent)
    }
}

impl<T: Wire<Value: Clone>> Clone for Field<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T: Wire> fmt::Debug for Field<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<T: Wire<Value: PartialEq>> PartialEq for Field<T> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<T: Wire, U: From<T::Value>> From<Field<T>> for Patch<U> {
    fn from(field: Field<T>) -> Self {
        match field.0 {
            Patch::Absent => Self::Absent,
            Patch::Null => Self::Null,
            Patch::Value(value) => Self::Value(value.into()),
            Patch::Invalid(expected) => Self::Invalid(expected),
        }
    }
}

/// A type of a field.
pub trait Wire {
    /// What a command takes of it.
    type Value;
    /// What the field must be, to complete the message "<key> must be …".
    const EXPECTED: &'static str;
    /// The value, if the JSON has the right type.
    fn from_json(value: Value) -> Option<Self::Value>;
    /// The value, or what the field must be.
    fn read_json(value: Value) -> Result<Self::Value, Cow<'static, str>> {
        Self::from_json(value).ok_or(Cow::Borrowed(Self::EXPECTED))
    }
    /// The schema of the type.
    fn schema() -> RefOr<Schema>;
    /// Adds the schemas to which the description refers.
    fn schemas(_: &mut Vec<(String, RefOr<Schema>)>) {}
}

/// Longest word of a list in a body, in characters.
const WORD: usize = 255;

/// Text for which nothing narrower is described.
impl Wire for String {
    type Value = Self;
    const EXPECTED: &'static str = "text of at most 10,000 characters";
    fn from_json(value: Value) -> Option<Self> {
        let Value::String(text) = value else { return None };
        (text.chars().count() <= 10_000).then_some(text)
    }
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new().schema_type(Type::String).max_length(Some(10_000)).into()
    }
}

impl Wire for bool {
    type Value = Self;
    const EXPECTED: &'static str = "true or false";
    fn from_json(value: Value) -> Option<Self> {
        value.as_bool()
    }
    fn schema() -> RefOr<Schema> {
        bool::compose(Vec::new())
    }
}

impl Wire for i64 {
    type Value = Self;
    const EXPECTED: &'static str = "a whole number";
    fn from_json(value: Value) -> Option<Self> {
        value.as_i64()
    }
    fn schema() -> RefOr<Schema> {
        i64::compose(Vec::new())
    }
}

/// How amounts are written.
pub const DECIMAL: &str = r"^[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$";

/// Money and rates: a JSON number or its text. The digits are parsed as sent.
impl Wire for Amount {
    type Value = Self;
    const EXPECTED: &'static str =
        "a decimal number such as 19.75, as a number or as text, with at most 6 places";
    fn from_json(value: Value) -> Option<Self> {
        match value {
            Value::Number(number) => Amount::parse(number.as_str()).ok(),
            Value::String(text) => Amount::parse(&text).ok(),
            _ => None,
        }
    }
    fn schema() -> RefOr<Schema> {
        let either = SchemaType::from_iter([Type::String, Type::Number]);
        ObjectBuilder::new()
            .schema_type(either)
            .description(Some("decimal, as text or as a number"))
            .pattern(Some(DECIMAL))
            .into()
    }
}

/// A member of a closed set.
impl<T: Named> Wire for Enum<T> {
    type Value = T;
    const EXPECTED: &'static str = "one of the names that are described";
    fn from_json(value: Value) -> Option<T> {
        T::parse(value.as_str()?)
    }
    fn read_json(value: Value) -> Result<T, Cow<'static, str>> {
        Ok(check::read_name(value.as_str().unwrap_or_default())?)
    }
    fn schema() -> RefOr<Schema> {
        schema_of::<T>().into()
    }
}

/// The schema that also allows null.
pub fn nullable_schema(schema: RefOr<Schema>) -> RefOr<Schema> {
    OneOfBuilder::new().item(schema).item(ObjectBuilder::new().schema_type(Type::Null)).into()
}

/// Makes structs of fields usable as field values: objects inside a body.
#[macro_export]
macro_rules! objects {
    ($($name:ident: $expected:literal),+ $(,)?) => {
        $(impl $crate::field::Wire for $name {
            type Value = Self;
            const EXPECTED: &'static str = $expected;
            fn from_json(value: serde_json::Value) -> Option<Self> {
                if value.is_object() { serde_json::from_value(value).ok() } else { None }
            }
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
                utoipa::openapi::Ref::from_schema_name(<Self as utoipa::ToSchema>::name()).into()
            }
            fn schemas(schemas: &mut Vec<(String, utoipa::openapi::RefOr<utoipa::openapi::Schema>)>) {
                let name = <Self as utoipa::ToSchema>::name().into_owned();
                schemas.push((name, <Self as utoipa::PartialSchema>::schema()));
                <Self as utoipa::ToSchema>::schemas(schemas);
            }
        })+
    };
}

/// A list of words.
#[derive(Debug)]
pub enum Words {}

impl Wire for Words {
    type Value = Vec<String>;
    const EXPECTED: &'static str = "a list of words of at most 255 characters, with at most 1,000 items";
    fn from_json(value: Value) -> Option<Vec<String>> {
        let fits = |items: &Vec<Value>| items.len() <= LIST;
        let words: Vec<String> = if value.as_array().is_some_and(fits) {
            serde_json::from_value(value).ok()?
        } else {
            return None;
        };
        words.iter().all(|word| word.chars().count() <= WORD).then_some(words)
    }
    fn schema() -> RefOr<Schema> {
        let word = ObjectBuilder::new().schema_type(Type::String).max_length(Some(WORD));
        ArrayBuilder::new().items(word).max_items(Some(LIST)).into()
    }
}

impl ComposeSchema for Words {
    fn compose(_: Vec<RefOr<Schema>>) -> RefOr<Schema> {
        Self::schema()
    }
}

impl ToSchema for Words {}

/// A list of identifiers, as they were sent.
#[derive(Debug)]
pub enum Ids {}

impl Wire for Ids {
    type Value = Vec<String>;
    const EXPECTED: &'static str = "a list of identifiers with at most 1,000 items";
    fn from_json(value: Value) -> Option<Vec<String>> {
        Words::from_json(value)
    }
    fn schema() -> RefOr<Schema> {
        ArrayBuilder::new().items(IdText::schema()).max_items(Some(LIST)).into()
    }
}

impl ComposeSchema for Ids {
    fn compose(_: Vec<RefOr<Schema>>) -> RefOr<Schema> {
        Self::schema()
    }
}

impl ToSchema for Ids {}

/// Pairs of text.
#[derive(Debug)]
pub enum Pairs {}

impl Wire for Pairs {
    type Value = BTreeMap<String, String>;
    const EXPECTED: &'static str = "an object whose values are text";
    fn from_json(value: Value) -> Option<BTreeMap<String, String>> {
        serde_json::from_value(value).ok()
    }
    fn schema() -> RefOr<Schema> {
        BTreeMap::<String, String>::compose(vec![String::compose(Vec::new()), String::compose(Vec::new())])
    }
}

impl ComposeSchema for Pairs {
    fn compose(_: Vec<RefOr<Schema>>) -> RefOr<Schema> {
        Self::schema()
    }
}

impl ToSchema for Pairs {}

/// A list of objects.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct List<T>(pub Vec<T>);

impl<T, C: From<T>> From<List<T>> for Vec<C> {
    fn from(list: List<T>) -> Self {
        list.0.into_iter().map(C::from).collect()
    }
}

impl<T: DeserializeOwned + ToSchema> Wire for List<T> {
    type Value = Self;
    const EXPECTED: &'static str = "a list of objects with at most 1,000 items";
    fn from_json(value: Value) -> Option<Self> {
        // Deserialized into a struct, a list would be accepted as its fields in their order.
        let fits = |items: &Vec<Value>| items.len() <= LIST && items.iter().all(Value::is_object);
        if value.as_array().is_some_and(fits) { serde_json::from_value(value).ok().map(Self) } else { None }
    }
    fn schema() -> RefOr<Schema> {
        ArrayBuilder::new().items(Ref::from_schema_name(T::name())).max_items(Some(LIST)).into()
    }
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((T::name().into_owned(), T::schema()));
        T::schemas(schemas);
    }
}

impl<T: DeserializeOwned + ToSchema> ComposeSchema for List<T> {
    fn compose(_: Vec<RefOr<Schema>>) -> RefOr<Schema> {
        <Self as Wire>::schema()
    }
}

impl<T: DeserializeOwned + ToSchema> ToSchema for List<T> {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        <Self as Wire>::schemas(schemas);
    }
}

impl<'de, T: Wire> Deserialize<'de> for Field<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match Value::deserialize(deserializer)? {
            Value::Null => Self(Patch::Null),
            value => Self(Patch::read(T::read_json(value))),
        })
    }
}

// A field's schema is that of its type: whether it may be omitted is described separately.
impl<T: Wire> ComposeSchema for Field<T> {
    fn compose(_: Vec<RefOr<Schema>>) -> RefOr<Schema> {
        T::schema()
    }
}

impl<T: Wire> ToSchema for Field<T> {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        T::schemas(schemas);
    }
}

/// Only for the description, which asks for the default of an omitted field: none.
impl<T: Wire> Serialize for Field<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_none()
    }
}

/// Reads a body. An empty one is treated as an object without fields, so that operations whose fields are all optional
/// accept it.
///
/// # Errors
/// 400 for JSON that is malformed, nested too deeply, not an object, or has a duplicate field.
pub fn read_body<T: DeserializeOwned>(body: &[u8]) -> Result<T, Error> {
    let body = if body.trim_ascii().is_empty() { b"{}" } else { body };
    // Deserialized into a struct, a list would be accepted as its fields in their order.
    let other = match body.trim_ascii_start().first() {
        Some(b'[') => Some("a list"),
        Some(b'"') => Some("text"),
        Some(b'0'..=b'9' | b'-' | b't' | b'f' | b'n') => Some("a single value"),
        _ => None,
    };
    if let Some(other) = other {
        return Err(Error::Unreadable(format!("The body must be a JSON object in braces, not {other}.")));
    }
    let depth = nesting_depth(body);
    if depth > DEPTH {
        return Err(Error::Unreadable(format!("The body is nested more than {DEPTH} levels deep.")));
    }
    // Deserializing the outermost object into a struct detects its duplicate fields; this checks the nested objects.
    let looked = if depth > 1 { serde_json::from_slice::<EachFieldOnce>(body).map(drop) } else { Ok(()) };
    let read = looked.and_then(|()| serde_json::from_slice(body));
    read.map_err(|error| {
        let why = if error.is_data() { "The body names a field twice" } else { "The body is not valid JSON" };
        let (line, column) = (error.line(), error.column());
        // What the library says of the syntax quotes nothing of the body, unlike what it says of values.
        let said = error.to_string();
        let what = said.split_once(" at line ").map(|(what, _)| what).filter(|_| !error.is_data());
        let what = what.map(|what| format!(": {what}")).unwrap_or_default();
        Error::Unreadable(format!("{why}{what} (line {line}, column {column})."))
    })
}

/// JSON without duplicate fields in any object: which of two was meant is unknown.
struct EachFieldOnce;

impl<'de> Deserialize<'de> for EachFieldOnce {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Walk)
    }
}

struct Walk;

impl<'de> Visitor<'de> for Walk {
    type Value = EachFieldOnce;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<EachFieldOnce, E> {
        Ok(EachFieldOnce)
    }

    fn visit_i64<E>(self, _: i64) -> Result<EachFieldOnce, E> {
        Ok(EachFieldOnce)
    }

    fn visit_u64<E>(self, _: u64) -> Result<EachFieldOnce, E> {
        Ok(EachFieldOnce)
    }

    fn visit_str<E>(self, _: &str) -> Result<EachFieldOnce, E> {
        Ok(EachFieldOnce)
    }

    fn visit_unit<E>(self) -> Result<EachFieldOnce, E> {
        Ok(EachFieldOnce)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<EachFieldOnce, A::Error> {
        while items.next_element::<EachFieldOnce>()?.is_some() {}
        Ok(EachFieldOnce)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<EachFieldOnce, A::Error> {
        let mut names: Vec<Cow<'de, str>> = Vec::new();
        while let Some(name) = fields.next_key::<Cow<'de, str>>()? {
            if names.contains(&name) {
                return Err(A::Error::custom("a field is named twice"));
            }
            if names.len() < LIST {
                names.push(name);
            }
            fields.next_value::<EachFieldOnce>()?;
        }
        Ok(EachFieldOnce)
    }
}

/// The nesting depth of objects and lists.
fn nesting_depth(body: &[u8]) -> usize {
    let (mut depth, mut deepest, mut in_text, mut escaped) = (0_usize, 0, false, false);
    for byte in body {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            b'[' | b'{' if !in_text => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' if !in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

/// Declares the body of an operation: a struct of [`Field`]s with its description, and the command that it becomes,
/// which has fields of the same names. Fields after `+` go into a part of the command. `Field` must be in scope,
/// because the derived description refers to it by that name.
///
/// ```text
/// input! {
///     /// A new location.
///     CreateLocation => commands::CreateLocation {
///         /// ten digits
///         #[schema(required)]
///         phone_number: String,
///     }
/// }
/// ```
#[macro_export]
macro_rules! input {
    ($($(#[$about:meta])* $name:ident => $command:ty { $($(#[$field_about:meta])* $field:ident: $type:ty,)* }
        $(+ $part:ident: $part_type:ty { $($(#[$part_about:meta])* $part_field:ident: $in_part:ty,)* })?)+) => {$(
        $(#[$about])*
        #[derive(Debug, Default, Clone, serde::Deserialize, utoipa::ToSchema)]
        #[serde(default)]
        pub struct $name {
            $($(#[$field_about])* pub $field: Field<$type>,)*
            $($($(#[$part_about])* pub $part_field: Field<$in_part>,)*)?
        }

        impl From<$name> for $command {
            fn from(body: $name) -> Self {
                Self {
                    $($field: body.$field.into(),)*
                    $($part: {
                        type Part = $part_type;
                        #[allow(clippy::needless_update, reason = "most bodies set all fields of the part")]
                        Part { $($part_field: body.$part_field.into(),)* ..Part::default() }
                    },)?
                }
            }
        }
    )+};
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Deserialize)]
    struct Sample {
        #[serde(default)]
        name: Field<String>,
        #[serde(default)]
        amount: Field<Amount>,
    }

    fn read(text: &str) -> Result<Sample, Error> {
        read_body(text.as_bytes())
    }

    #[test]
    fn an_absent_field_a_null_and_a_wrong_type_are_told_apart() {
        assert!(matches!(read("{}").unwrap().name, Field(Patch::Absent)));
        assert!(matches!(read(r#"{"name":null}"#).unwrap().name, Field(Patch::Null)));
        assert!(matches!(read(r#"{"name":7}"#).unwrap().name, Field(Patch::Invalid(_))));
        assert!(
            matches!(read(r#"{"name":"Ann"}"#).unwrap().name, Field(Patch::Value(name)) if name == "Ann")
        );
    }

    #[test]
    fn an_amount_is_read_exactly_from_a_number_and_from_text() {
        for text in [r#"{"amount":40.1}"#, r#"{"amount":"40.10"}"#] {
            assert_eq!(read(text).unwrap().amount.0.value(), Some(&Amount::from_millionths(40_100_000)));
        }
        for wrong in
            [r#"{"amount":1e400}"#, r#"{"amount":"NaN"}"#, r#"{"amount":0.1234567}"#, r#"{"amount":[1]}"#]
        {
            assert!(matches!(read(wrong).unwrap().amount, Field(Patch::Invalid(_))), "{wrong}");
        }
    }

    #[test]
    fn what_is_no_readable_json_object_is_refused() {
        let deep = format!(r#"{{"name":{}{}}}"#, "[".repeat(100_000), "]".repeat(100_000));
        for wrong in [
            "{",
            "[]",
            "7",
            "\u{0}",
            r#"{"name":"a","name":"b"}"#,
            r#"{"x":[{"y":1,"y":2}]}"#,
            r#"{"name":"a"} x"#,
            &deep,
        ] {
            assert!(matches!(read(wrong), Err(Error::Unreadable(_))));
        }
        assert!(matches!(read_body::<Sample>(b"{\"name\":\"\xff\"}"), Err(Error::Unreadable(_))));
    }

    #[test]
    fn brackets_inside_text_do_not_count_as_nesting() {
        assert!(read(&format!(r#"{{"name":"{}\""}}"#, "[".repeat(200))).is_ok());
    }
}
