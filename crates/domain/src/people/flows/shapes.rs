//! `POST /v1/companies/{company_uuid}/flows`.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;
use utoipa::openapi::{ObjectBuilder, RefOr, Schema};

use crate::field::{Field, Wire};

/// For whom a link is made, and what it leads through.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct CreateFlow {
    /// `employee_self_management`, or some of `employee_form_signing`, `employee_federal_setup`,
    /// `employee_state_setup` and `deductions`, separated by commas
    #[schema(required)]
    pub flow_type: Field<String>,
    /// `Employee`
    #[schema(required)]
    pub entity_type: Field<String>,
    /// the employee
    #[schema(required)]
    pub entity_uuid: Field<String>,
    /// kept for clients that send it; these flows have no options
    pub options: Field<Options>,
}

/// An object that is not looked into.
#[derive(Debug, Clone, Default, ToSchema)]
#[schema(value_type = Object)]
pub struct Options(pub Map<String, Value>);

impl Wire for Options {
    const EXPECTED: &'static str = "an object";
    fn from_json(value: Value) -> Option<Self> {
        if let Value::Object(map) = value { Some(Self(map)) } else { None }
    }
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new().into()
    }
}

/// A link to hosted pages.
#[derive(Debug, Serialize, ToSchema)]
pub struct Flow {
    /// to be handed to the employee; dies an hour after its last use, a day after it was made at the latest
    pub url: String,
}
