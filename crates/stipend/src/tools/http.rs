//! A small client of the service for commands: JSON in, JSON out.

use std::time::Duration;

use axum::http::{Request, header};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Bytes;
use serde_json::Value;

use background::delivery::client::{Sender, TRY_TIME};
use domain::events::delivery::address::Policy;

/// Maximum bytes of a response.
const LARGEST: usize = 16 << 20;

/// How long a service may take to report whether it can serve.
const READY_TIME: Duration = Duration::from_secs(5);

/// A running service, called with one token.
pub struct Api {
    sender: Sender,
    base: String,
    token: String,
}

impl Api {
    /// The service at `base`, such as `http://127.0.0.1:8080`.
    pub fn new(base: &str, token: &str) -> Self {
        let anywhere = Policy { private: true, ports: Vec::new() };
        Self {
            sender: Sender::new(&anywhere),
            base: base.trim_end_matches('/').to_owned(),
            token: token.to_owned(),
        }
    }

    /// The underlying client.
    pub fn sender(&self) -> &Sender {
        &self.sender
    }

    /// Calls an operation.
    ///
    /// # Errors
    /// One line: the service cannot be reached, or it refused.
    pub async fn call_operation(
        &self,
        method: &str,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Value, String> {
        let request = Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.base))
            .header(header::AUTHORIZATION, format!("Bearer {}", self.token))
            .header(header::CONTENT_TYPE, "application/json");
        let body = body.map_or_else(Bytes::new, |body| Bytes::from(body.to_string()));
        let request = request.body(Full::new(body)).map_err(|error| format!("{}: {error}", self.base))?;
        let unreachable = |why: &dyn std::fmt::Display| {
            format!(
                "{} does not answer ({why}); is `stipend dev` running there? Choose with --url",
                self.base
            )
        };
        let answered = tokio::time::timeout(TRY_TIME, self.sender.http_client().request(request)).await;
        let answered = answered.map_err(|_| unreachable(&"it takes too long"))?;
        let (head, body) = answered.map_err(|error| unreachable(&error))?.into_parts();
        let body = tokio::time::timeout(TRY_TIME, Limited::new(body, LARGEST).collect()).await;
        let body =
            body.map_err(|_| unreachable(&"it takes too long"))?.map_err(|error| unreachable(&error))?;
        let value: Value = serde_json::from_slice(&body.to_bytes()).unwrap_or(Value::Null);
        if head.status.is_success() {
            return Ok(value);
        }
        let why: Vec<_> =
            value["errors"].as_array().into_iter().flatten().filter_map(|e| e["message"].as_str()).collect();
        Err(format!("{method} {path} was refused with {}: {}", head.status.as_u16(), why.join(" ")))
    }
}

/// What a service reports at `/readyz`: the reasons only to whoever has its metrics token.
///
/// # Errors
/// One line: it cannot be reached, or why it cannot serve.
pub async fn readiness_text(base: &str, metrics_token: Option<&str>) -> Result<String, String> {
    let api = Api::new(base, "");
    let mut request = Request::get(format!("{}/readyz", api.base));
    if let Some(token) = metrics_token {
        request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
    }
    let request = request.body(Full::new(Bytes::new()));
    let request = request.map_err(|error| format!("{base}: {error}"))?;
    let asked = async {
        let answer = api.sender.http_client().request(request).await;
        let answer = answer.map_err(|error| format!("it cannot be reached: {}", innermost_cause(&error)))?;
        let (head, body) = answer.into_parts();
        let body = Limited::new(body, LARGEST).collect().await.map_err(|error| error.to_string())?;
        let text = String::from_utf8_lossy(&body.to_bytes()).trim().to_owned();
        if head.status.is_success() { Ok(text) } else { Err(text) }
    };
    let answered = tokio::time::timeout(READY_TIME, asked).await;
    answered.unwrap_or_else(|_| Err("it takes too long".to_owned())).map_err(|why| format!("{base}: {why}"))
}

/// The innermost cause of an error, such as a refused connection.
fn innermost_cause(error: &(dyn std::error::Error + 'static)) -> String {
    let mut last = error;
    while let Some(source) = last.source() {
        last = source;
    }
    last.to_string()
}

/// The token, or how to supply one.
///
/// # Errors
/// One line that says what to do.
pub fn require_token<'a>(
    given: Option<&'a str>,
    kept: Option<&'a str>,
    kind: &str,
) -> Result<&'a str, String> {
    let missing = || {
        format!(
            "no `stipend dev` runs here, so a {kind} is needed: --token, or --world with what `stipend dev --json` printed"
        )
    };
    given.or(kept).ok_or_else(missing)
}
