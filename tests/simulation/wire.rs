//! Requests of simulated clients, and the answers that come back; straight to the router.

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::Request;
use http_body_util::BodyExt;
use serde_json::Value;
use tower::ServiceExt;

/// A request as a client keeps it, so that it can be sent again.
#[derive(Debug, Clone)]
pub struct Ask {
    pub method: &'static str,
    pub path: String,
    /// the value of `Authorization`
    pub token: String,
    /// `Idempotency-Key`; reading has none
    pub key: Option<String>,
    pub body: Option<Value>,
}

impl Ask {
    /// A request that reads.
    pub fn get(path: impl Into<String>, token: &str) -> Self {
        Self { method: "GET", path: path.into(), token: format!("Bearer {token}"), key: None, body: None }
    }

    /// A request that writes.
    pub fn write(method: &'static str, path: impl Into<String>, token: &str, body: Value) -> Self {
        let body = (!body.is_null()).then_some(body);
        Self { method, path: path.into(), token: format!("Bearer {token}"), key: None, body }
    }

    /// As it is written down.
    pub fn told(&self) -> String {
        let (key, body) = (self.key.as_deref().unwrap_or("-"), self.body.as_ref());
        let body = body.map_or_else(String::new, Value::to_string);
        format!("{} {} key={key} {body}", self.method, self.path)
    }
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    pub status: u16,
    pub body: Bytes,
}

impl Told {
    pub fn good(&self) -> bool {
        (200..300).contains(&self.status)
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body; null where there is none.
    pub fn json(&self) -> Value {
        if self.body.is_empty() {
            return Value::Null;
        }
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    /// The identifier of the record that it tells of.
    pub fn id(&self) -> String {
        text(&self.json(), "uuid")
    }
}

/// The text at a field, which must be there.
#[track_caller]
pub fn text(record: &Value, field: &str) -> String {
    record[field].as_str().unwrap_or_else(|| panic!("no {field} in {record}")).to_owned()
}

/// Sends a request, and waits for its answer.
pub async fn send(router: Router, ask: Ask) -> Told {
    let body = ask.body.as_ref().map_or_else(Bytes::new, |body| Bytes::from(body.to_string()));
    send_as(router, ask, "application/json", body).await
}

/// Sends a request with a body that says of itself what it is.
pub async fn send_as(router: Router, ask: Ask, content: &str, body: Bytes) -> Told {
    let mut request = Request::builder().method(ask.method).uri(&ask.path).header("host", "localhost");
    if !ask.token.is_empty() {
        request = request.header("authorization", &ask.token);
    }
    if let Some(key) = &ask.key {
        request = request.header("idempotency-key", key);
    }
    let request = request.header("content-type", content).body(Body::from(body)).unwrap();
    let (parts, body) = router.oneshot(request).await.unwrap().into_parts();
    Told { status: parts.status.as_u16(), body: body.collect().await.unwrap().to_bytes() }
}
