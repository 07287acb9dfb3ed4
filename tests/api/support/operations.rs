//! Every operation of the interface. What an operation needs and takes is read from its description; how a right call of it looks
//! is said in tests/examples/calls.json. An operation without an entry there fails the tests that are made from the table, and
//! that is what the table is for.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use interface::examples::{self, FormPart, parameters_of};
use serde_json::Value;

/// One operation: its description and its entry in the table.
#[derive(Debug, Clone)]
pub struct Operation {
    pub method: String,
    pub route: String,
    /// status of success
    pub success: u16,
    /// what its description says
    pub description: Value,
    pub(super) body: &'static str,
    pub(super) form: &'static [FormPart],
}

/// The description of the interface, with all that belongs to each operation.
pub fn description() -> &'static Value {
    static API: OnceLock<Value> = OnceLock::new();
    API.get_or_init(pages::routes::expanded_description)
}

/// Every operation that is described, in the order of the table.
pub fn operations() -> &'static [Operation] {
    static ALL: OnceLock<Vec<Operation>> = OnceLock::new();
    ALL.get_or_init(read_operations)
}

fn read_operations() -> Vec<Operation> {
    let api = description();
    let mut described = BTreeMap::new();
    for (route, item) in api["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            described.insert((method.to_uppercase(), route.clone()), operation.clone());
        }
    }
    let mut operations = Vec::new();
    for examples::Call { method, route, status: success, body, form, .. } in examples::example_calls() {
        let description = described.remove(&(method.clone(), route.clone())).unwrap_or_else(|| {
            panic!("{method} {route} stands in the table of examples, but not in the description")
        });
        let (method, route, success) = (method.clone(), route.clone(), *success);
        operations.push(Operation { method, route, success, description, body, form });
    }
    let missing: Vec<_> = described.keys().collect();
    assert!(missing.is_empty(), "tests/examples/calls.json does not say how to call {missing:?}");
    operations
}

impl Operation {
    /// As it is named in messages.
    pub fn name(&self) -> String {
        format!("{} {}", self.method, self.route)
    }

    /// The tokens that it takes, and the scope that it needs.
    pub fn security(&self) -> Option<(Vec<String>, Option<String>)> {
        let entries = self.description["security"].as_array().filter(|entries| !entries.is_empty())?;
        let kinds = entries.iter().flat_map(|entry| entry.as_object().unwrap().keys().cloned()).collect();
        let scope = entries.iter().flat_map(|entry| entry.as_object().unwrap().values()).next();
        Some((kinds, scope.and_then(|scopes| scopes[0].as_str()).map(str::to_owned)))
    }

    /// Every scope that its description names: the one that it needs, and those that some of its calls need as well.
    pub fn declared_scopes(&self) -> Vec<String> {
        let entries = self.description["security"].as_array().into_iter().flatten();
        let scopes = entries.flat_map(|entry| entry.as_object().unwrap().values());
        scopes
            .flat_map(|scopes| scopes.as_array().unwrap())
            .map(|scope| scope.as_str().unwrap().to_owned())
            .collect()
    }

    /// Whether it takes only a token of an application.
    pub fn is_for_applications(&self) -> bool {
        // A subscription is the application's, although a company's token verifies it, too.
        let subscription = self.route.starts_with("/v1/webhook_subscriptions");
        self.security().is_some_and(|(kinds, _)| kinds == ["system_access"]) || subscription
    }

    /// The area that it belongs to.
    pub fn tag(&self) -> &str {
        self.description["tags"][0].as_str().unwrap_or_default()
    }

    pub fn needs_a_token(&self) -> bool {
        self.security().is_some()
    }

    /// Whether what it tells or does belongs to a company. The types of benefits and the agencies are the same for all.
    pub fn is_of_a_company(&self) -> bool {
        !self.route.starts_with("/v1/benefits")
            && self.route != "/v1/garnishments/child_support"
            && self.route != "/v1/salary_estimates/occupations"
    }

    pub fn takes_a_body(&self) -> bool {
        self.takes_json() || !self.form.is_empty()
    }

    pub fn takes_json(&self) -> bool {
        !self.body.is_empty()
    }

    /// The parameters of its path.
    pub fn path_parameters(&self) -> Vec<&str> {
        parameters_of(&self.route)
    }

    /// The parameters of its query with their types.
    pub fn query_parameters(&self) -> Vec<(String, String)> {
        let all = self.description["parameters"].as_array().cloned().unwrap_or_default();
        let query = all.iter().filter(|parameter| parameter["in"] == "query");
        query.map(|parameter| (super::text(parameter, "name"), type_of(&parameter["schema"]))).collect()
    }

    /// The fields of its body with their types, as they are described.
    pub fn fields(&self) -> Vec<(String, String)> {
        self.described_fields().into_iter().map(|(name, schema)| (name, type_of(&schema))).collect()
    }

    /// The fields of the body, with their schemas.
    pub fn described_fields(&self) -> Vec<(String, Value)> {
        let schema = resolved(&self.description["requestBody"]["content"]["application/json"]["schema"]);
        let properties = schema["properties"].as_object().cloned().unwrap_or_default();
        properties.into_iter().map(|(name, schema)| (name, resolved(&schema).clone())).collect()
    }
}

/// Whether the operation at a path takes only a token of an application.
pub fn is_for_applications(path: &str) -> bool {
    static ROUTES: OnceLock<Vec<String>> = OnceLock::new();
    let of_applications = || operations().iter().filter(|o| o.is_for_applications()).map(|o| o.route.clone());
    let routes = ROUTES.get_or_init(|| of_applications().collect());
    let path = path.split('?').next().unwrap_or(path);
    let fits = |route: &String| {
        let same = |(name, given): (&str, &str)| name == given || name.starts_with('{');
        route.split('/').count() == path.split('/').count() && route.split('/').zip(path.split('/')).all(same)
    };
    routes.iter().any(fits)
}

fn last(reference: &str) -> &str {
    reference.rsplit('/').next().unwrap_or(reference)
}

/// The schema that a reference leads to; any other schema itself.
fn resolved(schema: &Value) -> &Value {
    schema["$ref"].as_str().map_or(schema, |name| &description()["components"]["schemas"][last(name)])
}

/// The type of a value, `null` left aside.
fn type_of(schema: &Value) -> String {
    let schema = resolved(schema);
    let either = schema["oneOf"].as_array().and_then(|all| all.iter().find(|one| one["type"] != "null"));
    if let Some(one) = either {
        return type_of(one);
    }
    let named = |types: &[Value]| types.iter().find(|name| **name != "null").cloned();
    let name = schema["type"].as_array().map_or_else(|| Some(schema["type"].clone()), |types| named(types));
    name.as_ref().and_then(Value::as_str).unwrap_or("any").to_owned()
}
