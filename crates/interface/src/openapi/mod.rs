//! The OpenAPI 3.1 description, generated from the routes themselves.
//!
//! What all operations share (the version header, the idempotency key, the error responses) is added here, so that the
//! routes declare only their own parts.

pub mod collection;
mod shared;

use serde::Serialize;
use serde_json::{Value, json};
use utoipa::openapi::path::{Operation, Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{
    ComponentsBuilder, ContentBuilder, InfoBuilder, LicenseBuilder, OpenApi, OpenApiBuilder, Ref, Required,
    Response, ResponseBuilder, Schema,
};
use utoipa::{PartialSchema, ToSchema};

use crate::examples;
use crate::named::IN_PLACE;
use crate::values::ErrorCategory;
use domain::version::ApiVersion;

/// An error response.
#[derive(Debug, Serialize, ToSchema)]
pub struct ErrorAnswer {
    /// everything that was wrong
    pub errors: Vec<ErrorItem>,
}

/// One thing that was wrong.
#[derive(Debug, Serialize, ToSchema)]
pub struct ErrorItem {
    /// the field at fault, `base` for the record as a whole, `request` for the call
    pub error_key: String,
    /// kind of error, such as `invalid_attribute_value`
    #[schema(value_type = ErrorCategory)]
    pub category: String,
    /// human-readable: what was wrong and what would be right
    pub message: String,
    /// machine-readable details
    #[schema(value_type = Option<Object>)]
    pub metadata: Option<Value>,
    /// nested errors, only with the category `nested_errors`
    #[schema(no_recursion)]
    pub errors: Option<Vec<ErrorItem>>,
}

/// The frame into which the routes are put.
pub fn description_frame() -> OpenApi {
    let token = |description: &str| {
        let mut http = Http::new(HttpAuthScheme::Bearer);
        http.description = Some(description.to_owned());
        SecurityScheme::Http(http)
    };
    let components = ComponentsBuilder::new()
        .security_scheme("company_access", token("Access token of one company"))
        .security_scheme(
            "system_access",
            token("Token of an application; an API token is sent with the scheme `Token`"),
        )
        .schema("ErrorItem", ErrorItem::schema())
        .schema("ErrorAnswer", ErrorAnswer::schema());
    OpenApiBuilder::new()
        .info(
            InfoBuilder::new()
                .title("stipend")
                .version(env!("CARGO_PKG_VERSION"))
                .description(Some("Embedded payroll: the interface for partner applications."))
                .license(Some(
                    LicenseBuilder::new().name("Apache-2.0").identifier(Some("Apache-2.0")).build(),
                ))
                .build(),
        )
        .components(Some(components.build()))
        .build()
}

/// Adds to each operation what all of them share.
pub fn complete_operations(mut api: OpenApi) -> OpenApi {
    for item in api.paths.paths.values_mut() {
        let operations = [
            (&mut item.get, false),
            (&mut item.post, true),
            (&mut item.put, true),
            (&mut item.patch, true),
            (&mut item.delete, true),
        ];
        for (operation, writes) in operations {
            let Some(operation) = operation else { continue };
            if operation.security.is_some() {
                add_shared_parts(operation, writes);
                declare_health_scope(operation);
            }
            let head =
                ResponseBuilder::new().description("The head of the request is larger than 32 kB").build();
            operation.responses.responses.entry("431".to_owned()).or_insert(head.into());
            let unreadable = refusal_response("The query string, or the body, cannot be read");
            operation.responses.responses.entry("400".to_owned()).or_insert(unreadable.into());
        }
    }
    api
}

/// Adds to an operation on benefits the scope that it needs for a health plan: without it, it is refused, or the plan is left out.
fn declare_health_scope(operation: &mut Operation) {
    let described = serde_json::to_value(&operation.security).unwrap_or_default();
    let scope = described[0]["company_access"][0].as_str().unwrap_or_default();
    let area = ["company_benefits", "employee_benefits"]
        .into_iter()
        .find(|area| scope.split(':').next() == Some(area));
    let (Some(area), Some(security)) = (area, &mut operation.security) else { return };
    let both = [scope.to_owned(), format!("{area}:read:phi")];
    security.push(SecurityRequirement::new("company_access", both));
}

/// The description as it is published: what several operations share stands once.
pub fn publish_description(api: &OpenApi) -> String {
    let mut tree = full_description(api);
    shared::share_components(&mut tree);
    shared::format_description(&tree)
}

/// The whole description, in which each operation has all that belongs to it. A field of a body has the schema of its type (`Field<String>` is a string): its wrapper,
/// and the null that stands for "omitted", are not part of the API. A closed set is inlined where it is used.
pub fn full_description(api: &OpenApi) -> Value {
    let mut tree = serde_json::to_value(api).unwrap_or_default();
    let mut fields = serde_json::Map::new();
    if let Some(schemas) = tree.pointer_mut("/components/schemas").and_then(Value::as_object_mut) {
        let names: Vec<String> = schemas
            .keys()
            .filter(|name| name.starts_with("Field_") || name.starts_with(IN_PLACE))
            .cloned()
            .collect();
        for name in names {
            fields.extend(
                schemas.shift_remove(&name).map(|schema| (format!("#/components/schemas/{name}"), schema)),
            );
        }
    }
    put_in_place(&mut tree, &fields);
    take_null_in_updates(&mut tree);
    tree["servers"] = json!([{ "url": "/", "description": "The service that serves this description" }]);
    say_where_no_token_is_needed(&mut tree);
    add_examples(&mut tree);
    tree
}

/// In an update, null is allowed for a field that may be omitted: it clears a field that can be empty, and leaves any
/// other unchanged. A shape that also creates records describes only what is true of both; signing and migrating a
/// company are acts, not updates.
fn take_null_in_updates(tree: &mut Value) {
    let (mut updates, mut others) = (Vec::new(), Vec::new());
    let paths = tree.get("paths").and_then(Value::as_object).into_iter().flatten();
    let items = paths.filter_map(|(path, item)| Some((path, item.as_object()?)));
    for (path, method, operation) in
        items.flat_map(|(path, item)| item.iter().map(move |(m, o)| (path, m, o)))
    {
        let place = "/requestBody/content/application~1json/schema/$ref";
        let Some(name) = operation.pointer(place).and_then(Value::as_str) else { continue };
        let is_act = path.ends_with("/sign") || path.ends_with("/migrate");
        let known = if method == "put" && !is_act { &mut updates } else { &mut others };
        known.extend(name.rsplit('/').next().map(str::to_owned));
    }
    for name in updates.into_iter().filter(|name| !others.contains(name)) {
        let Some(schema) = tree.pointer_mut(&format!("/components/schemas/{name}")) else { continue };
        let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
        let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
        for (name, field) in properties.into_iter().flatten() {
            // A version is required, or absent; the split of pay is sent anew when its unit changes; the object around
            // payment configs may be omitted, but null has no meaning there.
            let settled = matches!(name.as_str(), "version" | "splits" | "payment_configs");
            if !settled && !required.iter().any(|one| one == name) {
                or_null(field);
            }
        }
    }
}

/// Adds null to the types of a field.
fn or_null(field: &mut Value) {
    let Some(map) = field.as_object_mut() else { return };
    let null = json!({ "type": "null" });
    match map.get("type").cloned() {
        Some(Value::Array(types)) if types.iter().any(|one| one == "null") => return,
        Some(Value::Array(types)) => {
            map.insert("type".to_owned(), types.into_iter().chain([json!("null")]).collect());
        }
        Some(one) => {
            map.insert("type".to_owned(), json!([one, "null"]));
        }
        None => {
            if let Some(either) = map.get_mut("oneOf").and_then(Value::as_array_mut) {
                if !either.contains(&null) {
                    either.push(null);
                }
            } else if let Some(reference) = map.shift_remove("$ref") {
                map.insert("oneOf".to_owned(), Value::Array(vec![json!({ "$ref": reference }), null]));
            }
            return;
        }
    }
    if let Some(names) = map.get_mut("enum").and_then(Value::as_array_mut)
        && !names.contains(&Value::Null)
    {
        names.push(Value::Null);
    }
}

/// An operation without a token says so explicitly: if omitted, `security` would be that of the whole description.
fn say_where_no_token_is_needed(tree: &mut Value) {
    let paths = tree.get_mut("paths").and_then(Value::as_object_mut);
    for operation in paths.into_iter().flatten().filter_map(|(_, item)| item.as_object_mut()).flatten() {
        if let Some(operation) = operation.1.as_object_mut() {
            operation.entry("security").or_insert_with(|| json!([]));
        }
    }
}

/// Adds to each operation an example of its body and of its response. A placeholder in braces stands for an identifier
/// from an earlier response; an example identifier replaces it, since the placeholder would not match the schema.
fn add_examples(tree: &mut Value) {
    for examples::Call { method, route, status, body, .. } in examples::example_calls() {
        let place = format!("/paths/{}/{}", route.replace('/', "~1"), method.to_lowercase());
        let Some(operation) = tree.pointer_mut(&place) else { continue };
        if let (Ok(mut body), Some(content)) = (
            serde_json::from_str::<Value>(body),
            operation.pointer_mut("/requestBody/content/application~1json"),
        ) {
            fill_placeholders(&mut body);
            content["example"] = body;
        }
        let answer =
            examples::example_answer(&format!("{method} {route}")).filter(|answer| !answer.is_string());
        let content = operation.pointer_mut(&format!("/responses/{status}/content/application~1json"));
        if let (Some(answer), Some(content)) = (answer, content) {
            content["example"] = shorten_example(answer).clone();
        }
    }
}

/// Replaces the placeholders of a body by identifiers.
fn fill_placeholders(node: &mut Value) {
    const EXAMPLE: &str = "018f4f3e-7c1a-7b3d-9e52-3a6d1c0b8f47";
    match node {
        Value::Object(map) => {
            for (key, value) in map.iter_mut() {
                match value {
                    Value::String(text) if key.ends_with("uuid") && text.starts_with('{') => {
                        *text = EXAMPLE.to_owned();
                    }
                    value => fill_placeholders(value),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(fill_placeholders),
        _ => {}
    }
}

/// Makes an example match its schema: of a list of hundreds only the first items are kept, without their number.
fn shorten_example(answer: &Value) -> &Value {
    match answer.get("first") {
        Some(first) if answer.get("items").is_some() => first,
        _ => answer,
    }
}

fn put_in_place(node: &mut Value, fields: &serde_json::Map<String, Value>) {
    match node {
        Value::Object(map) => {
            let target = map.get("$ref").and_then(Value::as_str).and_then(|name| fields.get(name));
            if let Some(Value::Object(field)) = target {
                let description = map.get("description").cloned();
                *map = field.clone();
                map.extend(description.map(|text| ("description".to_owned(), text)));
            }
            if map.get("default") == Some(&Value::Null) {
                map.shift_remove("default");
            }
            map.values_mut().for_each(|value| put_in_place(value, fields));
            if let Some(either) = type_or_null(map) {
                *map = either;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| put_in_place(item, fields)),
        _ => {}
    }
}

/// Rewrites "type or null" as the type with null among its types, and among its values if it is a closed set: client
/// generators support that form. A reference to a schema is left as it is.
fn type_or_null(map: &serde_json::Map<String, Value>) -> Option<serde_json::Map<String, Value>> {
    let [one, other] = map.get("oneOf")?.as_array()?.as_slice() else { return None };
    let null = json!({ "type": "null" });
    let schema = if *one == null { other } else { one };
    if *one != null && *other != null {
        return None;
    }
    let mut schema = schema.as_object()?.clone();
    let types = schema.get("type")?;
    let types = types.as_array().cloned().unwrap_or_else(|| vec![types.clone()]);
    schema.insert("type".to_owned(), types.into_iter().chain([json!("null")]).collect());
    if let Some(names) = schema.get("enum").and_then(Value::as_array).cloned() {
        schema.insert("enum".to_owned(), names.into_iter().chain([Value::Null]).collect());
    }
    schema.extend(map.get("description").map(|text| ("description".to_owned(), text.clone())));
    Some(schema)
}

fn add_shared_parts(operation: &mut Operation, writes: bool) {
    let parameters = operation.parameters.get_or_insert_default();
    parameters.push(version_header().into());
    if writes {
        parameters.push(header_parameter(
            "Idempotency-Key",
            "Up to 255 visible characters. The first answer is given again to a request with the same key.",
            ObjectBuilder::new().schema_type(Type::String).max_length(Some(255)).into(),
        ).into());
    }
    let mut refusals = vec![
        ("401", "The token is missing, unknown, expired or revoked"),
        ("403", "The token is of the wrong kind, or lacks the scope"),
        ("404", "There is no such record in the token's company"),
        ("406", "The version is not served"),
        ("422", "A rule was broken; every violation is listed"),
        ("429", "Too many requests; see Retry-After"),
        ("503", "The service cannot take the request now; see Retry-After"),
    ];
    if writes {
        refusals.extend([
            ("409", "The record was changed since the version that was sent"),
            ("413", "The body is larger than 1 MB"),
            ("415", "The body is not JSON"),
        ]);
    }
    for (status, description) in refusals {
        operation
            .responses
            .responses
            .entry(status.to_owned())
            .or_insert_with(|| refusal_response(description).into());
    }
}

fn version_header() -> Parameter {
    let dates = ApiVersion::ALL.map(ApiVersion::as_str);
    let schema = ObjectBuilder::new()
        .schema_type(Type::String)
        .enum_values(Some(dates))
        .default(Some(ApiVersion::NEWEST.as_str().into()));
    header_parameter(
        "X-Service-API-Version",
        "Date version of the interface; left out, the one of the application, which is the newest one when it was created",
        schema.into(),
    )
}

fn header_parameter(name: &str, description: &str, schema: Schema) -> Parameter {
    ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Header)
        .required(Required::False)
        .description(Some(description))
        .schema(Some(schema))
        .build()
}

fn refusal_response(description: &str) -> Response {
    let content = ContentBuilder::new().schema(Some(Ref::from_schema_name("ErrorAnswer"))).build();
    ResponseBuilder::new().description(description).content("application/json", content).build()
}

#[cfg(test)]
mod tests {
    use rules::Named;

    use super::*;

    #[test]
    fn a_closed_set_stands_where_it_is_used_and_null_is_one_of_its_values() {
        let api = full_description(&crate::routes::published_description());
        let text = api.to_string();
        assert!(!text.contains(IN_PLACE) && !text.contains("Field_"));
        let field = |name: &str| &api["components"]["schemas"]["Company"]["properties"][name];
        let company_status = &field("company_status")["enum"];
        assert_eq!(*company_status, json!(rules::company::Status::names()));
        assert_eq!(field("funding_type")["type"], json!(["string", "null"]));
        assert_eq!(field("funding_type")["enum"], json!(["ach", null]));
    }
}
