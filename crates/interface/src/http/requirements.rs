//! What an operation requires, read from its description.

use std::collections::HashMap;
use std::sync::OnceLock;

use axum::http::Method;
use utoipa::openapi::path::{Operation, PathItem};
use utoipa::openapi::{OpenApi, RefOr};

use crate::form;
use crate::unknown::Known;

/// The tokens that an operation accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// a company token
    Company,
    /// a system or API token
    System,
    /// either
    Any,
}

/// What an operation requires.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requirement {
    /// kind of token
    pub access: Access,
    /// scope, where one is named
    pub scope: Option<&'static str>,
    /// whether it takes a form with a file instead of JSON
    pub takes_a_form: bool,
    /// whether it takes a body, which GET does in one operation alone
    pub takes_a_body: bool,
    /// what it reads of a request
    pub known: &'static Known,
}

/// What each operation requires, by route.
#[derive(Debug, Default)]
pub struct Requirements(HashMap<String, Vec<(Method, Requirement)>>);

impl Requirements {
    /// Reads the requirements from the description.
    ///
    /// # Panics
    /// When an operation names a scope that does not exist, or is not in the description as JSON: a bug. Without its requirement it would
    /// need no token.
    pub fn from_description(api: &OpenApi) -> Self {
        let known = known_fields(api);
        let mut routes = HashMap::new();
        for (path, item) in &api.paths.paths {
            let needs: Vec<_> = path_operations(item)
                .into_iter()
                .filter_map(|(method, operation)| {
                    // The developers' operations, which only some descriptions have, need no token.
                    operation.security.as_ref()?;
                    let name = format!("{} {path}", method.as_str().to_lowercase());
                    let known =
                        known.get(&name).unwrap_or_else(|| panic!("{name} is not in the description"));
                    operation_requirement(operation, known).map(|needs| (method, needs))
                })
                .collect();
            routes.insert(path.clone(), needs);
        }
        Self(routes)
    }

    /// What `method` of `route` requires, if it needs a token.
    pub fn get(&self, route: &str, method: &Method) -> Option<&Requirement> {
        let method = if method == Method::HEAD { &Method::GET } else { method };
        self.0.get(route)?.iter().find(|(m, _)| m == method).map(|(_, needs)| needs)
    }

    /// Every operation that needs a token, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Method, &Requirement)> {
        self.0.iter().flat_map(|(route, needs)| needs.iter().map(|(m, needs)| (route.as_str(), m, needs)))
    }
}

/// The operations of a path with their methods.
pub fn path_operations(item: &PathItem) -> Vec<(Method, &Operation)> {
    let all = [
        (Method::GET, &item.get),
        (Method::POST, &item.post),
        (Method::PUT, &item.put),
        (Method::PATCH, &item.patch),
        (Method::DELETE, &item.delete),
    ];
    all.into_iter().filter_map(|(method, operation)| operation.as_ref().map(|o| (method, o))).collect()
}

/// What each operation reads. Of operations that need a token every service in a process has the same description.
fn known_fields(api: &OpenApi) -> &'static HashMap<String, Known> {
    static KNOWN: OnceLock<HashMap<String, Known>> = OnceLock::new();
    KNOWN.get_or_init(|| {
        let api = serde_json::to_value(api).unwrap_or_else(|error| panic!("the description: {error}"));
        let paths = api["paths"].as_object().into_iter().flatten();
        let operations = paths.flat_map(|(path, item)| {
            item.as_object().into_iter().flatten().map(move |(method, operation)| (path, method, operation))
        });
        operations
            .map(|(path, method, operation)| {
                (format!("{method} {path}"), Known::from_operation(&api, operation))
            })
            .collect()
    })
}

fn operation_requirement(operation: &Operation, known: &'static Known) -> Option<Requirement> {
    // The description's own form is the only one that gives access to names and scopes.
    let security = serde_json::to_value(operation.security.as_ref()?).unwrap_or_default();
    let mut access = None;
    let mut scope = None;
    for entry in security.as_array()? {
        for (name, scopes) in entry.as_object()? {
            let this = if name == "company_access" { Access::Company } else { Access::System };
            access = Some(if access.is_some_and(|other| other != this) { Access::Any } else { this });
            if let Some(named) = scopes.get(0).and_then(|scope| scope.as_str()) {
                let known = domain::access::scope::ALL.into_iter().find(|known| *known == named);
                scope = Some(known.unwrap_or_else(|| panic!("{named} is no scope")));
            }
        }
    }
    let takes_a_form = matches!(&operation.request_body, Some(RefOr::T(body))
        if body.content.contains_key(form::MEDIA_TYPE));
    let takes_a_body = operation.request_body.is_some();
    access.map(|access| Requirement { access, scope, takes_a_form, takes_a_body, known })
}
