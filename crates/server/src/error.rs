//! Every refusal of the service, and the one place that turns it into an answer.
//!
//! Rules report [`Violation`]s; services add "not found" and "stale"; the edge adds what concerns the request
//! itself. All of them become `{"errors": [{error_key, category, message, metadata?, errors?}]}`. What only the
//! operator should know (why the store failed) is logged here and never sent.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use rules::{Category, Violation};
use serde_json::{Map, Value, json};

/// Why a request was refused or could not be served.
#[derive(Debug, Clone)]
pub enum Error {
    /// No such record in the caller's company; the same bytes whether it exists elsewhere or nowhere.
    NotFound,
    /// Rules were broken: 422.
    Violations(Vec<Violation>),
    /// Something needed is missing or names nothing there is, where the specification asks for 400 beside the
    /// broken rules.
    Malformed(Vec<Violation>),
    /// The record is settled for ever: 409.
    Settled(Violation),
    /// The record has changed since the version that was sent: 409.
    Stale(Stale),
    /// The request cannot be read: 400.
    Unreadable(String),
    /// 401, with what was wrong with the token.
    Unauthorized(&'static str),
    /// The token is of the wrong kind: 403.
    WrongToken(&'static str),
    /// The token lacks this scope: 403.
    MissingScope(&'static str),
    /// The version header cannot be served: 406.
    Version(String),
    /// Too many requests; try again after so many seconds: 429.
    TooManyRequests(u64),
    /// The body is larger than allowed: 413.
    TooLarge,
    /// The body is not JSON by its content type: 415.
    NotJson,
    /// The path exists, the method does not: 405.
    MethodNotAllowed,
    /// `stipend dev` was called by a name that is not its own: 421.
    UnknownHost,
    /// The client took too long to send its body: 408.
    TooSlow,
    /// The store could not do it.
    Store(store::Error),
    /// A handler panicked: 500. The reason is in the log.
    Internal,
}

/// What a caller needs to know to repeat an update that came too late.
#[derive(Debug, Clone)]
pub struct Stale {
    /// the version to send
    pub current: String,
    /// fields whose stored value differs from the one that was sent
    pub differing: Vec<&'static str>,
}

impl From<store::Error> for Error {
    fn from(error: store::Error) -> Self {
        Self::Store(error)
    }
}

impl From<Vec<Violation>> for Error {
    fn from(violations: Vec<Violation>) -> Self {
        Self::Violations(violations)
    }
}

impl From<Violation> for Error {
    fn from(violation: Violation) -> Self {
        Self::Violations(vec![violation])
    }
}

impl Error {
    /// The HTTP status of this refusal.
    pub fn status(&self) -> StatusCode {
        match self {
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::Violations(_) => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Malformed(_) => StatusCode::BAD_REQUEST,
            Self::Settled(_) => StatusCode::CONFLICT,
            Self::Stale(_) => StatusCode::CONFLICT,
            Self::Unreadable(_) => StatusCode::BAD_REQUEST,
            Self::Unauthorized(_) => StatusCode::UNAUTHORIZED,
            Self::WrongToken(_) | Self::MissingScope(_) => StatusCode::FORBIDDEN,
            Self::Version(_) => StatusCode::NOT_ACCEPTABLE,
            Self::TooManyRequests(_) => StatusCode::TOO_MANY_REQUESTS,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::NotJson => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::UnknownHost => StatusCode::MISDIRECTED_REQUEST,
            Self::TooSlow => StatusCode::REQUEST_TIMEOUT,
            Self::Store(store::Error::Busy | store::Error::Full | store::Error::Unknown) => {
                StatusCode::SERVICE_UNAVAILABLE
            }
            Self::Store(_) | Self::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// The body of the answer.
    pub fn body(&self) -> Value {
        json!({ "errors": self.items() })
    }

    /// The items of the answer's `errors`.
    fn items(&self) -> Vec<Value> {
        let request = |category: &str, message: &str| vec![item("request", category, message)];
        match self {
            Self::NotFound => {
                request("not_found", "There is no such record in this company, or no such address.")
            }
            Self::Violations(violations) | Self::Malformed(violations) => {
                violations.iter().map(violation_item).collect()
            }
            Self::Settled(violation) => vec![violation_item(violation)],
            Self::Stale(stale) => vec![stale_item(stale)],
            Self::Unreadable(why) => request("invalid_parameter", why),
            Self::Unauthorized(why) => request("invalid_token", why),
            Self::WrongToken(why) => request("missing_permissions", why),
            Self::MissingScope(scope) => {
                request("missing_oauth_scopes", &format!("The token does not have the scope {scope}."))
            }
            Self::Version(why) => request("invalid_api_version", why),
            Self::TooManyRequests(seconds) => request(
                "rate_limit_exceeded",
                &format!("Too many requests with this token; try again in {seconds} s."),
            ),
            Self::TooLarge => request("invalid_parameter", "The body is larger than 1 MB."),
            Self::NotJson => {
                request("invalid_parameter", "The body must be JSON, with content-type application/json.")
            }
            Self::MethodNotAllowed => request(
                "invalid_parameter",
                "This address does not take this method; the Allow header names those it takes.",
            ),
            Self::UnknownHost => request(
                "invalid_parameter",
                "stipend dev answers only as localhost, 127.0.0.1, [::1] or its --public-url.",
            ),
            Self::TooSlow => request("invalid_parameter", "The body did not arrive in time."),
            Self::Store(store::Error::Unknown) => vec![item(
                "base",
                "third_party_service_unavailable",
                "Whether the request took effect is not known; repeat it with its Idempotency-Key to find out.",
            )],
            Self::Store(store::Error::Busy | store::Error::Full) => vec![item(
                "base",
                "third_party_service_unavailable",
                "The service cannot take this request at the moment; nothing was changed. Try again shortly.",
            )],
            Self::Store(_) | Self::Internal => {
                request("internal_error", "Something went wrong in the service; nothing was changed.")
            }
        }
    }
}

fn item(key: &str, category: &str, message: &str) -> Value {
    json!({ "error_key": key, "category": category, "message": message })
}

fn violation_item(violation: &Violation) -> Value {
    let mut made = Map::new();
    made.insert("error_key".to_owned(), violation.key.as_str().into());
    made.insert("category".to_owned(), violation.category.as_str().into());
    made.insert("message".to_owned(), violation.message.as_str().into());
    if let Some(metadata) = &violation.metadata {
        made.insert("metadata".to_owned(), metadata.clone());
    }
    if violation.category == Category::NestedErrors {
        made.insert("errors".to_owned(), violation.errors.iter().map(violation_item).collect());
    }
    Value::Object(made)
}

fn stale_item(stale: &Stale) -> Value {
    let mut made = item(
        "base",
        Category::InvalidResourceVersion.as_str(),
        "The record was changed by somebody else since you read it. Read it again, or send the current version.",
    );
    made["metadata"] = json!({ "current_version": stale.current, "differing_fields": stale.differing });
    made
}

impl IntoResponse for Error {
    fn into_response(self) -> Response {
        if let Self::Store(error) = &self {
            match error {
                store::Error::Busy => tracing::warn!("a unit of work was refused: the store is busy"),
                other => tracing::error!(reason = %other, "a unit of work failed"),
            }
        }
        let status = self.status();
        let body = self.body().to_string();
        let mut response = (status, [(header::CONTENT_TYPE, "application/json")], body).into_response();
        let headers = response.headers_mut();
        match self {
            Self::Unauthorized(_) => {
                headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            Self::TooManyRequests(seconds) => {
                headers.insert(header::RETRY_AFTER, seconds.into());
            }
            Self::Store(_) if status == StatusCode::SERVICE_UNAVAILABLE => {
                headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
            }
            _ => {}
        }
        response
    }
}
