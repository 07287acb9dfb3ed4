//! Every error of the service, and the one place that turns it into a response.
//!
//! Rules report [`Violation`]s; services add "not found" and "stale"; the edge adds what concerns the request itself.
//! All of them become `{"errors": [{error_key, category, message, metadata?, errors?}]}`. Details for the operator
//! alone (why the store failed) are logged here and never sent.
//!
//! Each item has `metadata.docs_url`, the place in `/docs` that explains its [`Kind`]. The service's URL is known only
//! to `http::front`, which writes the body: a handler's response merely carries the [`Error`].

mod kinds;

use std::borrow::Cow;
use std::fmt::Display;

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use domain::error::Stale;
use rules::{Category, Violation};
use serde_json::{Map, Value, json};

pub use kinds::{Explained, Kind};

/// Why a request was refused or could not be served.
#[derive(Debug, Clone)]
pub enum Error {
    /// No such record in the caller's company; the same bytes whether it exists elsewhere or nowhere.
    NotFound,
    /// The result has expired: 410.
    Expired,
    /// Rules were violated: 422.
    Violations(Vec<Violation>),
    /// A required value is missing or refers to nothing, in cases where the specification demands 400 together with the
    /// violated rules.
    Malformed(Vec<Violation>),
    /// The record can never be changed again: 409.
    Settled(Violation),
    /// The record has changed since the version that was sent: 409.
    Stale(Stale),
    /// The request cannot be read: 400.
    Unreadable(String),
    /// No operation has this path; the nearest one, if one is near: 404.
    UnknownAddress(Option<String>),
    /// The operation is documented for the public interface, and this service does not have it: 404, with the reason.
    NotServed(&'static str),
    /// It is switched off in the service's settings: 404, with the setting that switches it on.
    Off(&'static str),
    /// 401: there is no token in the request.
    NoToken(&'static str),
    /// 401, with what was wrong with the token.
    Unauthorized(&'static str),
    /// The token is of the wrong kind: 403.
    WrongToken(&'static str),
    /// The token lacks this scope: 403.
    MissingScope(&'static str),
    /// The version in the header is not supported: 406.
    Version(String),
    /// Too many requests; retry after this many seconds: 429.
    TooManyRequests(u64),
    /// The body is larger than this many bytes: 413.
    TooLarge(usize),
    /// The content type is not JSON: 415.
    NotJson,
    /// The body is compressed, or coded in another way: 415.
    Coded,
    /// The content type is not a multipart form: 415.
    NotForm,
    /// The path exists, but accepts only the methods named here: 405.
    MethodNotAllowed(String),
    /// `stipend dev` was called by a host name that is not its own: 421.
    UnknownHost,
    /// The client took too long to send its body: 408.
    TooSlow,
    /// The memory for bodies and responses is exhausted: 503.
    NoRoom,
    /// This node cannot do it now, with the reason: 503.
    NotNow(String),
    /// The store failed.
    Store(store::Error),
    /// An invariant does not hold, or a handler panicked: 500. The cause appears only in the log.
    Internal(Cow<'static, str>),
}

impl From<domain::Error> for Error {
    fn from(error: domain::Error) -> Self {
        match error {
            domain::Error::NotFound => Self::NotFound,
            domain::Error::Expired => Self::Expired,
            domain::Error::Violations(violations) => Self::Violations(violations),
            domain::Error::Malformed(violations) => Self::Malformed(violations),
            domain::Error::Settled(violation) => Self::Settled(violation),
            domain::Error::Stale(stale) => Self::Stale(stale),
            domain::Error::Unreadable(why) => Self::Unreadable(why),
            domain::Error::Withdrawn => Self::Unauthorized("The token is unknown or was revoked."),
            domain::Error::MissingScope(scope) => Self::MissingScope(scope),
            domain::Error::NotNow(why) => Self::NotNow(why),
            domain::Error::Store(error) => Self::Store(error),
            domain::Error::Internal(cause) => Self::Internal(cause),
        }
    }
}

impl From<store::Error> for Error {
    fn from(error: store::Error) -> Self {
        Self::Store(error)
    }
}

impl store::MaybeStore for Error {
    fn in_store(&self) -> Option<&store::Error> {
        if let Self::Store(error) = self { Some(error) } else { None }
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

/// A number of bytes, for display.
fn in_words(bytes: usize) -> String {
    match bytes >> 20 {
        0 => format!("{} kB", bytes >> 10),
        megabytes => format!("{megabytes} MB"),
    }
}

impl Error {
    /// A violated invariant, described without personal data.
    pub fn internal(what: impl Into<Cow<'static, str>>) -> Self {
        Self::Internal(what.into())
    }

    /// An operation that should not fail did: what was attempted, and the error.
    pub fn failed_operation<E: Display>(what: &'static str) -> impl FnOnce(E) -> Self {
        move |error| domain::Error::failed_operation(what)(error).into()
    }

    /// The cause of a server-side failure, for the log; `None` for errors that the caller can fix.
    pub fn cause(&self) -> Option<String> {
        match self {
            Self::Store(error) => Some(error.to_string()),
            Self::NotNow(why) => Some(why.clone()),
            Self::Internal(cause) => Some(cause.to_string()),
            _ => None,
        }
    }

    /// The HTTP status of this error.
    pub fn status(&self) -> StatusCode {
        match self {
            Self::NotFound | Self::UnknownAddress(_) | Self::NotServed(_) | Self::Off(_) => {
                StatusCode::NOT_FOUND
            }
            Self::Expired => StatusCode::GONE,
            Self::Violations(_) => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Malformed(_) => StatusCode::BAD_REQUEST,
            Self::Settled(_) => StatusCode::CONFLICT,
            Self::Stale(_) => StatusCode::CONFLICT,
            Self::Unreadable(_) => StatusCode::BAD_REQUEST,
            Self::NoToken(_) | Self::Unauthorized(_) => StatusCode::UNAUTHORIZED,
            Self::WrongToken(_) | Self::MissingScope(_) => StatusCode::FORBIDDEN,
            Self::Version(_) => StatusCode::NOT_ACCEPTABLE,
            Self::TooManyRequests(_) => StatusCode::TOO_MANY_REQUESTS,
            Self::TooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
            Self::NotJson | Self::Coded | Self::NotForm => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::MethodNotAllowed(_) => StatusCode::METHOD_NOT_ALLOWED,
            Self::UnknownHost => StatusCode::MISDIRECTED_REQUEST,
            Self::TooSlow => StatusCode::REQUEST_TIMEOUT,
            Self::NoRoom | Self::NotNow(_) => StatusCode::SERVICE_UNAVAILABLE,
            Self::Store(
                store::Error::Busy
                | store::Error::Away(_)
                | store::Error::Full
                | store::Error::Disk(_)
                | store::Error::Unknown
                | store::Error::Newer { .. }
                | store::Error::MissingKey(_)
                | store::Error::Damaged(_),
            ) => StatusCode::SERVICE_UNAVAILABLE,
            Self::Store(_) | Self::Internal(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// The body of the response. `base` is the public URL of the service.
    pub fn body(&self, base: &str) -> Value {
        let mut items = self.items();
        items.iter_mut().for_each(|item| add_explanation_url(item, base));
        json!({ "errors": items.into_iter().map(Value::from).collect::<Vec<_>>() })
    }

    /// The items of `errors`, for results that are stored rather than returned.
    pub fn stored_items(&self) -> Value {
        self.items().into_iter().map(Value::from).collect()
    }

    fn items(&self) -> Vec<Item> {
        let request = |kind: Kind, message: &str| vec![Item::new(kind, "request", message)];
        match self {
            Self::NotFound => request(
                Kind::NotFound,
                "There is no such record in this company. Check the identifier, and whose token it is.",
            ),
            Self::Expired => request(Kind::Expired, "It has expired; request a new one."),
            Self::UnknownAddress(near) => request(Kind::UnknownAddress, &unknown_address(near.as_deref())),
            Self::NotServed(why) => request(Kind::UnknownAddress, &not_served(why)),
            Self::Off(why) => request(Kind::NotFound, why),
            Self::Violations(violations) | Self::Malformed(violations) => {
                violations.iter().map(Item::from_violation).collect()
            }
            Self::Settled(violation) => vec![Item::from_violation(violation)],
            Self::Stale(stale) => vec![stale_item(stale)],
            Self::Unreadable(why) => request(Kind::MalformedRequest, why),
            Self::NoToken(why) | Self::Unauthorized(why) => request(Kind::InvalidToken, why),
            Self::WrongToken(why) => request(Kind::MissingPermissions, why),
            Self::MissingScope(scope) => {
                let message = format!(
                    "The token does not have the scope {scope}; GET /v1/token_info lists the ones it has."
                );
                request(Kind::MissingScope, &message)
            }
            Self::Version(why) => request(Kind::InvalidApiVersion, why),
            Self::TooManyRequests(seconds) => {
                request(Kind::RateLimitExceeded, &format!("Too many requests; try again in {seconds} s."))
            }
            Self::MethodNotAllowed(allowed) => {
                request(Kind::MethodNotAllowed, &format!("This path accepts only {allowed}."))
            }
            _ => vec![self.of_service()],
        }
    }

    /// The item for errors of the transport or of the service itself.
    fn of_service(&self) -> Item {
        let request = |kind: Kind, message: &str| Item::new(kind, "request", message);
        match self {
            Self::TooLarge(most) => request(
                Kind::BodyTooLarge,
                &format!("The body is larger than {}: send less at a time.", in_words(*most)),
            ),
            Self::NotJson => request(
                Kind::NotJson,
                "The body must be JSON, with the header Content-Type: application/json.",
            ),
            Self::Coded => request(
                Kind::NotJson,
                "The body must be sent as it is, without compression and without the header Content-Encoding.",
            ),
            Self::NotForm => request(
                Kind::NotForm,
                "The body must be a form with a file, with the header Content-Type: multipart/form-data and its boundary.",
            ),
            Self::UnknownHost => request(
                Kind::UnknownHost,
                "stipend dev answers only as localhost, 127.0.0.1, [::1] or its --public-url.",
            ),
            Self::TooSlow => {
                request(Kind::BodyTooSlow, "The body did not arrive in time. Check Content-Length.")
            }
            Self::NoRoom => Item::new(
                Kind::Unavailable,
                "base",
                "The service has reached its memory limit for requests and responses; nothing \
                 was changed. Try again shortly.",
            ),
            Self::NotNow(why) => Item::new(Kind::Unavailable, "base", why.as_str()),
            Self::Store(error) => of_store(error),
            _ => internal_item(),
        }
    }
}

/// The item for what a store could not do.
fn of_store(error: &store::Error) -> Item {
    match error {
        store::Error::Unknown => Item::new(
            Kind::OutcomeUnknown,
            "base",
            "Whether the request took effect is not known; repeat it with its Idempotency-Key to find out.",
        ),
        store::Error::Newer { .. } => Item::new(
            Kind::Unavailable,
            "base",
            "A newer version of the service, which is being deployed, has written a record that this version does not \
             understand; nothing was changed. Try again shortly.",
        ),
        store::Error::MissingKey(_) => Item::new(
            Kind::Unavailable,
            "base",
            "This node does not have the company's key yet; nothing was changed. Try again shortly: another \
             node may answer.",
        ),
        store::Error::Damaged(_) => Item::new(
            Kind::Unavailable,
            "base",
            "The store of the service is damaged; it cannot answer requests until the operator has restored \
             it; nothing was changed.",
        ),
        store::Error::Away(_) => Item::new(
            Kind::Unavailable,
            "base",
            "A database server that this request needs does not answer; nothing was changed. Try again shortly.",
        ),
        store::Error::Busy | store::Error::Full | store::Error::Disk(_) => Item::new(
            Kind::Unavailable,
            "base",
            "The service cannot take this request at the moment; nothing was changed. Try again shortly.",
        ),
        _ => internal_item(),
    }
}

fn internal_item() -> Item {
    Item::new(
        Kind::InternalError,
        "request",
        "Something went wrong in the service; nothing was changed. The operator finds the reason in the log, \
         under the X-Request-Id of this answer.",
    )
}

fn unknown_address(near: Option<&str>) -> String {
    match near {
        Some(near) => format!("Unknown path. The nearest one is {near}."),
        None => "Unknown path. /docs lists all operations.".to_owned(),
    }
}

fn not_served(why: &str) -> String {
    format!("This operation is not served: {why}. /docs/compatibility says what is served.")
}

/// One item of `errors`.
struct Item {
    kind: Kind,
    key: String,
    message: String,
    metadata: Map<String, Value>,
    errors: Option<Vec<Item>>,
}

impl Item {
    fn new(kind: Kind, key: impl Into<String>, message: impl Into<String>) -> Self {
        Self { kind, key: key.into(), message: message.into(), metadata: Map::new(), errors: None }
    }

    fn from_violation(violation: &Violation) -> Self {
        let mut made = Self::new(violation.category.into(), &*violation.key, &*violation.message);
        made.metadata
            .extend(violation.metadata.as_ref().and_then(Value::as_object).cloned().unwrap_or_default());
        if violation.category == Category::NestedErrors {
            made.errors = Some(violation.errors.iter().map(Self::from_violation).collect());
        }
        made
    }
}

impl From<Item> for Value {
    fn from(item: Item) -> Self {
        let mut made = Map::new();
        made.insert("error_key".to_owned(), item.key.into());
        made.insert("category".to_owned(), item.kind.explained().category.into());
        made.insert("message".to_owned(), item.message.into());
        if !item.metadata.is_empty() {
            made.insert("metadata".to_owned(), item.metadata.into());
        }
        if let Some(errors) = item.errors {
            made.insert("errors".to_owned(), errors.into_iter().map(Self::from).collect());
        }
        made.into()
    }
}

/// Adds the URL of the explanation to an item and to its nested items.
fn add_explanation_url(item: &mut Item, base: &str) {
    let place = format!("{base}/docs/errors#{}", item.kind.explained().name);
    item.metadata.insert("docs_url".to_owned(), place.into());
    item.errors.iter_mut().flatten().for_each(|inner| add_explanation_url(inner, base));
}

fn stale_item(stale: &Stale) -> Item {
    let mut made = Item::new(
        Kind::InvalidResourceVersion,
        "base",
        "The record was changed by somebody else since you read it. Read it again, or send the current version.",
    );
    made.metadata.insert("current_version".to_owned(), stale.current.clone().into());
    made.metadata.insert("differing_fields".to_owned(), stale.differing.clone().into());
    made
}

/// The cause of a server error, on its way to `http::front`, which logs it with the request.
#[derive(Debug, Clone)]
pub struct Cause(pub String);

impl Cause {
    /// Attaches the cause to an error page, if it is a server error.
    pub fn attach_cause(response: &mut Response, error: &Error) {
        if let Some(cause) = error.cause() {
            response.extensions_mut().insert(Self(cause));
        }
    }

    /// Takes the attached cause.
    pub fn take_cause(response: &mut Response) -> Option<String> {
        response.extensions_mut().remove::<Self>().map(|Self(cause)| cause)
    }
}

/// An error on its way to `http::front`, which writes its body.
#[derive(Debug, Clone)]
pub struct Refused(pub Error);

impl Refused {
    /// Writes the body of a response that carries a refusal; others stay as they are.
    pub fn complete_response(response: &mut Response, base: &str) {
        if let Some(Self(error)) = response.extensions_mut().remove::<Self>() {
            *response.body_mut() = Body::from(error.body(base).to_string());
        }
    }
}

impl IntoResponse for Error {
    fn into_response(self) -> Response {
        let status = self.status();
        let mut response = (status, [(header::CONTENT_TYPE, "application/json")]).into_response();
        let headers = response.headers_mut();
        match &self {
            // A request without credentials gets no error code (RFC 6750, section 3.1).
            Self::NoToken(_) => {
                headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            Self::Unauthorized(_) => {
                let refused = HeaderValue::from_static("Bearer error=\"invalid_token\"");
                headers.insert(header::WWW_AUTHENTICATE, refused);
            }
            Self::TooManyRequests(seconds) => {
                headers.insert(header::RETRY_AFTER, (*seconds).into());
            }
            Self::NoRoom | Self::NotNow(_) | Self::Store(_) if status == StatusCode::SERVICE_UNAVAILABLE => {
                headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
            }
            _ => {}
        }
        Cause::attach_cause(&mut response, &self);
        response.extensions_mut().insert(Refused(self));
        response
    }
}
