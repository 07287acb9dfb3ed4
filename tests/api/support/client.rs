//! One request and its answer. What holds for every answer is looked at here, whatever the test is about.

use rules::Named;
use std::net::SocketAddr;

use axum::body::{Body, Bytes};
use axum::extract::ConnectInfo;
use axum::http::{HeaderMap, Request, StatusCode, header, request};
use domain::access::oauth::reasons::Reason;
use http_body_util::BodyExt;
use interface::error::Kind;
use serde_json::Value;
use tower::ServiceExt;

use super::World;

/// What stands between the parts of a form.
const BOUNDARY: &str = "----part-of-a-form";

/// A request that can be sent.
pub struct Call {
    world: World,
    request: request::Builder,
    body: Body,
    what: String,
    may_be_too_many: bool,
    stays: bool,
}

impl World {
    /// A request without a token.
    pub fn call(&self, method: &str, path: impl AsRef<str>) -> Call {
        let path = path.as_ref();
        let mut request = Request::builder().method(method).uri(path).header("host", "localhost");
        // Why it is or is not ready a service says to its operator alone.
        if path == "/readyz" {
            request = request.header("authorization", format!("Bearer {}", super::OPERATOR));
        }
        Call {
            world: self.clone(),
            request,
            body: Body::empty(),
            what: format!("{method} {path}"),
            may_be_too_many: false,
            stays: false,
        }
    }
}

impl Call {
    pub fn header(self, name: &str, value: impl AsRef<[u8]>) -> Self {
        Self { request: self.request.header(name, value.as_ref()), ..self }
    }

    /// Comes from this address of the network.
    pub fn from(self, peer: &str) -> Self {
        let peer: SocketAddr = peer.parse().unwrap();
        Self { request: self.request.extension(ConnectInfo(peer)), ..self }
    }

    /// Sends another value instead of the one that is there.
    pub fn replace_header(mut self, name: &'static str, value: &'static str) -> Self {
        let headers = self.request.headers_mut().unwrap();
        headers.insert(name, value.parse().unwrap());
        self
    }

    pub fn bearer(self, token: &str) -> Self {
        self.header("authorization", format!("Bearer {token}"))
    }

    /// Names the date version that is asked for.
    pub fn version(self, date: &str) -> Self {
        self.header("x-service-api-version", date)
    }

    pub fn json(self, body: &Value) -> Self {
        self.raw(body.to_string())
    }

    /// A body that says of itself that it is JSON.
    pub fn raw(self, body: impl Into<Bytes>) -> Self {
        self.header("content-type", "application/json").body(body)
    }

    pub fn body(self, body: impl Into<Bytes>) -> Self {
        Self { body: Body::from(body.into()), ..self }
    }

    /// A form of texts and files: name, name of the file, content.
    pub fn form<'a>(self, parts: impl IntoIterator<Item = (&'a str, Option<&'a str>, &'a [u8])>) -> Self {
        let mut body = Vec::new();
        for (name, file_name, content) in parts {
            let file_name = file_name.map(|file| format!("; filename=\"{file}\"")).unwrap_or_default();
            let head =
                format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"{file_name}\r\n\r\n");
            body.extend([head.as_bytes(), content, b"\r\n"].concat());
        }
        body.extend(format!("--{BOUNDARY}--\r\n").into_bytes());
        self.header("content-type", format!("multipart/form-data; boundary={BOUNDARY}")).body(body)
    }

    /// One of so many that 503 is a right answer, too.
    pub fn among_too_many(self) -> Self {
        Self { may_be_too_many: true, ..self }
    }

    /// Does not read what a form is answered with.
    pub fn staying(self) -> Self {
        Self { stays: true, ..self }
    }

    /// Sends it; as a browser does, the kept answer to a form is read where it sends the browser to.
    pub async fn send(self) -> Answer {
        let (world, stays) = (self.world.clone(), self.stays);
        let sent = |name| self.request.headers_ref().and_then(|headers| headers.get(name)).cloned();
        let kept = ["cookie", "accept-language"].map(|name| (name, sent(name)));
        let answer = self.send_alone().await;
        if stays || answer.status != StatusCode::SEE_OTHER || !answer.header("location").contains("answer=") {
            return answer;
        }
        let read = world.call("GET", answer.header("location"));
        let read = kept.into_iter().fold(read, |read, (name, value)| match value {
            Some(value) => read.header(name, value),
            None => read,
        });
        // A page outside of a flow reads it from a cookie.
        let sealed =
            answer.header("set-cookie").split(';').next().filter(|cookie| cookie.contains("-answer="));
        let read = match sealed {
            Some(cookie) => read.header("cookie", cookie),
            None => read,
        };
        read.send_alone().await
    }

    async fn send_alone(self) -> Answer {
        self.world.tick();
        let request = self.request.body(self.body).unwrap_or_else(|error| panic!("{}: {error}", self.what));
        let response = self.world.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        let answer = Answer { status: parts.status, headers: parts.headers, body, what: self.what };
        let refused = self.may_be_too_many && answer.status == StatusCode::SERVICE_UNAVAILABLE;
        assert!(refused || !answer.status.is_server_error(), "{answer:?}");
        answer.check();
        answer
    }
}

/// What came back.
#[derive(Debug, Clone)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Bytes,
    what: String,
}

impl Answer {
    fn check(&self) {
        let Self { status, what, .. } = self;
        // What is nobody's secret may be kept: the face of an application and the files of pages, whose addresses change with them, and the
        // description, which has a tag.
        let is_kept = status.is_success() || *status == StatusCode::NOT_MODIFIED;
        let kept = [
            (" /flow-theme/", "public, max-age=3600"),
            (" /assets/", "public, max-age=31536000, immutable"),
            (" /openapi.json", "no-cache"),
        ];
        let kept = kept.into_iter().find(|(path, _)| is_kept && what.contains(path));
        let keeping = kept.map_or("no-store", |(_, keeping)| keeping);
        assert_eq!(self.header("cache-control"), keeping, "{what}");
        assert_eq!(self.header("x-content-type-options"), "nosniff", "{what}");
        assert!(!self.header("x-request-id").is_empty(), "{what}");
        let is_page = self.header("content-type").starts_with("text/html");
        let is_oauth = what.starts_with("POST /oauth/") && !matches!(status.as_u16(), 405 | 406);
        if is_oauth && status.is_client_error() && !is_page {
            let told = self.json();
            assert!(told["error"].is_string() && told["error_description"].is_string(), "{what}: {told}");
            let place = told["error_uri"].as_str().unwrap_or_default().rsplit_once("/docs/errors#");
            let known = |place: &str| Reason::ALL.iter().any(|reason| reason.page_anchor() == place);
            assert!(place.is_some_and(|(_, place)| known(place)), "{what}: {told}");
            assert_eq!(told.as_object().unwrap().len(), 3, "{what}: {told}");
        } else if !status.is_success() && !status.is_redirection() && !is_page && !what.starts_with("HEAD") {
            check_items(&self.json()["errors"], what);
        }
        if *status == StatusCode::UNAUTHORIZED {
            // Only a token that was sent can be invalid (RFC 6750, section 3.1).
            let schemes: &[&str] = match is_oauth {
                true => &["Basic realm=\"stipend\""],
                false => &["Bearer", "Bearer error=\"invalid_token\""],
            };
            assert!(schemes.contains(&self.header("www-authenticate")), "{what}");
        }
    }

    /// The answer, if its status is the one expected.
    #[track_caller]
    pub fn is(self, status: u16) -> Self {
        assert_eq!(self.status.as_u16(), status, "{} was answered {}", self.what, self.text());
        self
    }

    #[track_caller]
    pub fn ok(self) -> Value {
        self.is(200).json()
    }

    #[track_caller]
    pub fn created(self) -> Value {
        self.is(201).json()
    }

    #[track_caller]
    pub fn deleted(self) {
        assert!(self.is(204).body.is_empty());
    }

    #[track_caller]
    pub fn refused(self, status: u16) -> Refusal {
        let answer = self.is(status).json();
        Refusal(answer["errors"].as_array().unwrap().clone())
    }

    /// The items of a list.
    #[track_caller]
    pub fn list(&self) -> Vec<Value> {
        self.clone().ok().as_array().unwrap().clone()
    }

    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{}: {error}: {} {}", self.what, self.status, self.text()))
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// A header's value; empty where there is none.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// Everything that goes over the line, for a search.
    pub fn everything(&self) -> String {
        format!("{:?} {}", self.headers, self.text())
    }

    /// Status, content type and body: what must not tell one case from another.
    pub fn essence(&self) -> (u16, String, Bytes) {
        (self.status.as_u16(), self.header(header::CONTENT_TYPE.as_str()).to_owned(), self.body.clone())
    }
}

/// Every item of a refusal says where, what kind, and what would be right; and nothing else.
fn check_items(items: &Value, what: &str) {
    let items = items.as_array().filter(|items| !items.is_empty());
    for item in items.unwrap_or_else(|| panic!("{what} was refused without errors")) {
        for key in ["error_key", "category", "message"] {
            assert!(item[key].as_str().is_some_and(|text| !text.is_empty()), "{what}: {item}");
        }
        for key in item.as_object().unwrap().keys() {
            assert!(
                ["error_key", "category", "message", "metadata", "errors"].contains(&&**key),
                "{what}: {key}"
            );
        }
        let docs = item["metadata"]["docs_url"].as_str().unwrap_or_default();
        let kind = docs.rsplit_once("/docs/errors#").map_or("", |(_, kind)| kind);
        assert!(Kind::ALL.iter().any(|one| one.explained().name == kind), "{what}: {docs:?} leads nowhere");
        assert_eq!(item.get("errors").is_some(), item["category"] == "nested_errors", "{what}: {item}");
        if let Some(deeper) = item.get("errors") {
            check_items(deeper, what);
        }
    }
}

/// The items of a refusal.
#[derive(Debug)]
pub struct Refusal(pub Vec<Value>);

impl Refusal {
    /// What was at fault, in the order of the answer.
    pub fn keys(&self) -> Vec<&str> {
        self.0.iter().map(|item| item["error_key"].as_str().unwrap()).collect()
    }

    pub fn categories(&self) -> Vec<&str> {
        self.0.iter().map(|item| item["category"].as_str().unwrap()).collect()
    }

    /// The only item.
    #[track_caller]
    pub fn only(&self) -> &Value {
        assert_eq!(self.0.len(), 1, "{self:?}");
        &self.0[0]
    }

    /// Key, category of the only item.
    #[track_caller]
    pub fn fault(&self) -> (&str, &str) {
        let item = self.only();
        (item["error_key"].as_str().unwrap(), item["category"].as_str().unwrap())
    }

    pub fn message(&self) -> &str {
        self.only()["message"].as_str().unwrap()
    }
}
