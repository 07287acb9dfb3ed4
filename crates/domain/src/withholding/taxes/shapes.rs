//! The value of an answer on the wire, for `company::taxes` alone: goes away when that area has its own wire structs.

use serde_json::Value;
use utoipa::openapi::schema::{ObjectBuilder, SchemaType, Type};
use utoipa::openapi::{RefOr, Schema};

use crate::field::Wire;

/// The value of an answer, before the question has said of which kind it must be.
#[derive(Debug, Clone)]
pub struct AnswerValue(pub Value);

impl Wire for AnswerValue {
    const EXPECTED: &'static str = "text, a number, or true or false";
    fn from_json(value: Value) -> Option<Self> {
        matches!(value, Value::String(_) | Value::Number(_) | Value::Bool(_)).then_some(Self(value))
    }
    fn schema() -> RefOr<Schema> {
        answer_value()
    }
}

/// How such a value is described.
pub fn answer_value() -> RefOr<Schema> {
    let any = SchemaType::from_iter([Type::String, Type::Number, Type::Boolean]);
    ObjectBuilder::new().schema_type(any).description(Some("text, number, or true or false")).into()
}
