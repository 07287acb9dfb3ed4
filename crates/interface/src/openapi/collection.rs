//! A collection of requests in the format of Postman, made of the description: a folder for each area, and in it each operation with the
//! example of its body. What belongs to whoever imports it is a variable: address, tokens, company, and the identifiers of other records.

use std::collections::BTreeSet;

use domain::version::ApiVersion;
use serde_json::{Map, Value, json};

/// The published format of collections.
const FORMAT: &str = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json";
/// Where the service listens if it is not told otherwise.
const BASE_URL: &str = "http://127.0.0.1:8080";
/// The parameters that are the company of the token.
const COMPANY: [&str; 2] = ["company_id", "company_uuid"];
/// The methods of operations, in the order of the requests.
const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

/// The collection of a description in which each operation has all that belongs to it.
pub fn build_collection(described: &Value) -> Value {
    let (mut folders, mut records) = (Vec::<(String, Vec<Value>)>::new(), BTreeSet::new());
    for (path, item) in described["paths"].as_object().into_iter().flatten() {
        for method in METHODS {
            let Some(operation) = item.get(method) else { continue };
            let area = operation["tags"][0].as_str().unwrap_or("Operations");
            let request = collection_request(described, (method, path), operation, &mut records);
            match folders.iter_mut().find(|(name, _)| name == area) {
                Some((_, requests)) => requests.push(request),
                None => folders.push((area.to_owned(), vec![request])),
            }
        }
    }
    folders.sort_by(|one, other| one.0.cmp(&other.0));
    let folders: Vec<_> =
        folders.into_iter().map(|(name, item)| json!({ "name": name, "item": item })).collect();
    json!({
        "info": { "name": described["info"]["title"], "description": described["info"]["description"], "schema": FORMAT },
        "auth": bearer_auth("token"),
        "variable": collection_variables(records),
        "item": folders,
    })
}

/// What is set once for all requests. An identifier that is set here counts wherever an address takes it.
fn collection_variables(records: BTreeSet<String>) -> Vec<Value> {
    let newest = ApiVersion::NEWEST.as_str();
    let own = [
        ("base_url", BASE_URL, "The address of the service"),
        ("token", "", "An access token of the company"),
        ("system_token", "", "A token of the application"),
        ("company", "", "The company of the token"),
        ("version", newest, "The date version of the interface"),
    ];
    let own = own
        .map(|(key, value, description)| json!({ "key": key, "value": value, "description": description }));
    own.into_iter().chain(records.into_iter().map(|key| json!({ "key": key, "value": "" }))).collect()
}

fn bearer_auth(variable: &str) -> Value {
    json!({ "type": "bearer", "bearer": [{ "key": "token", "value": format!("{{{{{variable}}}}}"), "type": "string" }] })
}

fn collection_request(
    described: &Value,
    (method, path): (&str, &str),
    operation: &Value,
    records: &mut BTreeSet<String>,
) -> Value {
    let parameters: Vec<&Value> = operation["parameters"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|parameter| resolve_reference(described, parameter))
        .collect();
    let of_place = |place: &'static str| parameters.iter().filter(move |one| one["in"] == place).copied();
    let mut headers: Vec<Value> = of_place("header").map(request_header).collect();
    let mut request = Map::new();
    request.insert("method".to_owned(), method.to_uppercase().into());
    request.insert("url".to_owned(), request_url(path, of_place("path"), of_place("query"), records));
    request.insert("description".to_owned(), operation["description"].clone());
    if let Some(auth) = request_auth(operation) {
        request.insert("auth".to_owned(), auth);
    }
    if let Some((kind, body)) = request_body(described, &operation["requestBody"]["content"]) {
        headers.extend(kind.map(|kind| json!({ "key": "Content-Type", "value": kind })));
        request.insert("body".to_owned(), body);
    }
    request.insert("header".to_owned(), headers.into());
    let keeps_body = method == "get" && request.contains_key("body");
    let mut item = json!({ "name": operation["summary"], "request": request });
    if keeps_body {
        // Postman sends no body with GET unless it is told to.
        item["protocolProfileBehavior"] = json!({ "disableBodyPruning": true });
    }
    item
}

/// The part of a description that a reference leads to, or what is described in place.
fn resolve_reference<'d>(described: &'d Value, part: &'d Value) -> &'d Value {
    let path = part["$ref"].as_str().and_then(|to| to.strip_prefix('#'));
    path.and_then(|path| described.pointer(path)).unwrap_or(part)
}

fn request_url<'p>(
    path: &str,
    in_path: impl Iterator<Item = &'p Value>,
    in_query: impl Iterator<Item = &'p Value>,
    records: &mut BTreeSet<String>,
) -> Value {
    let parts: Vec<String> = path.split('/').skip(1).map(part_of_path).collect();
    let variables: Vec<_> = in_path
        .filter_map(|parameter| {
            let name = parameter["name"].as_str()?;
            let variable = if COMPANY.contains(&name) { "company" } else { name };
            if variable == name {
                records.insert(name.to_owned());
            }
            let value = format!("{{{{{variable}}}}}");
            Some(json!({ "key": name, "value": value, "description": parameter["description"] }))
        })
        .collect();
    let query: Vec<_> = in_query
        .map(|parameter| {
            json!({ "key": parameter["name"], "value": example_value(parameter), "description": parameter["description"],
                    "disabled": parameter["required"] != true })
        })
        .collect();
    json!({ "raw": format!("{{{{base_url}}}}/{}", parts.join("/")), "host": ["{{base_url}}"], "path": parts,
            "variable": variables, "query": query })
}

/// `{name}` of a description is `:name` here.
fn part_of_path(part: &str) -> String {
    match part.strip_prefix('{').and_then(|part| part.strip_suffix('}')) {
        Some(name) => format!(":{name}"),
        None => part.to_owned(),
    }
}

/// A value to begin with; empty where none is told.
fn example_value(parameter: &Value) -> String {
    let told = [&parameter["example"], &parameter["schema"]["default"], &parameter["schema"]["enum"][0]];
    match told.into_iter().find(|value| !value.is_null()) {
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
        None => String::new(),
    }
}

/// The version is sent, everything else where the client wants it.
fn request_header(parameter: &Value) -> Value {
    let name = parameter["name"].as_str().unwrap_or_default();
    let is_version = name.ends_with("-API-Version");
    let value = if is_version { "{{version}}" } else { "" };
    json!({ "key": name, "value": value, "description": parameter["description"], "disabled": !is_version })
}

/// How a request is authorized if not by the token of a company, which is that of the collection.
fn request_auth(operation: &Value) -> Option<Value> {
    let kinds = operation["security"].as_array()?;
    if kinds.is_empty() {
        return Some(json!({ "type": "noauth" }));
    }
    let takes_token = kinds.iter().any(|kind| kind.get("company_access").is_some());
    (!takes_token).then(|| bearer_auth("system_token"))
}

/// The body, and its type if the header has to name it.
fn request_body(described: &Value, content: &Value) -> Option<(Option<&'static str>, Value)> {
    if let Some(sent) = content.get("application/json") {
        let raw = serde_json::to_string_pretty(&sent["example"]).unwrap_or_default();
        let options = json!({ "raw": { "language": "json" } });
        return Some((Some("application/json"), json!({ "mode": "raw", "raw": raw, "options": options })));
    }
    let form = resolve_reference(described, content.get("multipart/form-data")?.get("schema")?);
    let fields = form["properties"].as_object().into_iter().flatten();
    let fields: Vec<_> = fields
        .map(|(name, field)| {
            let kind = if field["format"] == "binary" { "file" } else { "text" };
            json!({ "key": name, "type": kind, "description": field["description"] })
        })
        .collect();
    Some((None, json!({ "mode": "formdata", "formdata": fields })))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described() -> Value {
        let id =
            json!({ "name": "company_id", "in": "path", "required": true, "description": "The company" });
        let get = json!({ "tags": ["People"], "summary": "List people", "description": "All of them.",
                          "security": [{ "company_access": ["people:read"] }],
                          "parameters": [{ "$ref": "#/components/parameters/company_id" },
                                         { "name": "X-Service-API-Version", "in": "header" },
                                         { "name": "per", "in": "query", "schema": { "default": 25 } }] });
        let put = json!({ "tags": ["Applications"], "summary": "Change one", "security": [{ "system_access": [] }],
                          "parameters": [{ "name": "person_id", "in": "path" }],
                          "requestBody": { "content": { "application/json": { "example": { "name": "Ann" } } } } });
        let sent = json!({ "tags": ["People"], "summary": "Attach", "security": [],
                           "requestBody": { "content": { "multipart/form-data": { "schema": { "$ref": "#/components/schemas/Form" } } } } });
        let form =
            json!({ "properties": { "category": { "type": "string" }, "document": { "format": "binary" } } });
        json!({ "info": { "title": "stipend" },
                "paths": { "/v1/companies/{company_id}/people": { "get": get, "post": sent }, "/v1/people/{person_id}": { "put": put } },
                "components": { "parameters": { "company_id": id }, "schemas": { "Form": form } } })
    }

    #[test]
    fn areas_are_folders_and_whatever_belongs_to_the_caller_is_a_variable() {
        let made = build_collection(&described());
        let folders: Vec<_> = made["item"].as_array().unwrap().iter().map(|one| &one["name"]).collect();
        assert_eq!(folders, ["Applications", "People"]);
        let variables: Vec<_> = made["variable"].as_array().unwrap().iter().map(|one| &one["key"]).collect();
        assert_eq!(variables, ["base_url", "token", "system_token", "company", "version", "person_id"]);
        let list = &made["item"][1]["item"][0]["request"];
        assert_eq!(list["url"]["raw"], "{{base_url}}/v1/companies/:company_id/people");
        assert_eq!(list["url"]["variable"][0]["value"], "{{company}}");
        assert_eq!(
            (&list["url"]["query"][0]["value"], &list["url"]["query"][0]["disabled"]),
            (&json!("25"), &json!(true))
        );
        assert_eq!(
            (&list["header"][0]["value"], &list["header"][0]["disabled"]),
            (&json!("{{version}}"), &json!(false))
        );
        assert_eq!(list.get("auth"), None, "the collection's own");
    }

    #[test]
    fn bodies_are_the_examples_and_forms_have_their_files() {
        let made = build_collection(&described());
        let change = &made["item"][0]["item"][0]["request"];
        assert_eq!(change["body"]["raw"], "{\n  \"name\": \"Ann\"\n}");
        assert_eq!(change["auth"]["bearer"][0]["value"], "{{system_token}}");
        assert_eq!(change["url"]["variable"][0]["value"], "{{person_id}}");
        let attach = &made["item"][1]["item"][1]["request"];
        assert_eq!(attach["auth"]["type"], "noauth");
        let kinds: Vec<_> =
            attach["body"]["formdata"].as_array().unwrap().iter().map(|one| &one["type"]).collect();
        assert_eq!(kinds, ["text", "file"]);
    }
}
