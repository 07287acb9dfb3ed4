//! `stipend listen`: events for a program on this machine. The command subscribes with an address of its own, proves
//! that it owns it, and hands every event on, byte for byte and with its signature, telling in one line what came of it.
//! The verification token is handed on, too: the program needs it to check signatures. At the end the subscription is
//! removed.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use store::Clock;
use tokio::net::TcpListener;
use tokio::sync::{Mutex, mpsc, watch};

use super::http::Api;
use crate::delivery::sign;
use crate::webhooks::types::NAMES;

/// Headers that are handed on.
const HANDED_ON: [&str; 5] =
    ["x-service-signature", "x-gusto-signature", "webhook-id", "webhook-timestamp", "webhook-signature"];
/// How long the verification call may take to come.
const PATIENCE: Duration = Duration::from_secs(15);

/// What to listen for.
pub struct Options {
    /// where events are handed on to
    pub forward_to: String,
    /// subscription types; none is all
    pub types: Vec<String>,
    /// how far back to fetch what was missed
    pub since: Option<SignedDuration>,
    /// where the service can reach this command
    pub receive_at: String,
}

/// The listening end.
struct Ear {
    api: Arc<Api>,
    forward_to: String,
    tokens: mpsc::UnboundedSender<String>,
    /// events that were handed on; one that comes twice is told apart
    known: Mutex<std::collections::HashSet<String>>,
}

/// Listens until `stop` says so.
///
/// # Errors
/// One line: the service refused, or cannot be reached.
pub async fn run(api: Api, options: Options, mut stop: watch::Receiver<bool>) -> Result<(), String> {
    let api = Arc::new(api);
    let types: Vec<_> =
        if options.types.is_empty() { NAMES.map(str::to_owned).to_vec() } else { options.types };
    let listener = TcpListener::bind(&options.receive_at).await.map_err(|error| {
        format!("cannot listen on {}: {error}; choose with --receive-at", options.receive_at)
    })?;
    let address = listener.local_addr().map_err(|error| error.to_string())?;
    let (tokens, mut came) = mpsc::unbounded_channel();
    let ear = Arc::new(Ear {
        api: Arc::clone(&api),
        forward_to: options.forward_to,
        tokens,
        known: Mutex::default(),
    });
    let router = Router::new().route("/", post(receive)).with_state(Arc::clone(&ear));
    tokio::spawn(crate::serve::serve(listener, router, 256, stop.clone()));

    let body = json!({ "url": format!("http://{address}/"), "subscription_types": types });
    let made = api.call("POST", "/v1/webhook_subscriptions", Some(&body)).await?;
    let path = format!("/v1/webhook_subscriptions/{}", made["uuid"].as_str().unwrap_or_default());
    let outcome = async {
        let token = tokio::time::timeout(PATIENCE, came.recv()).await.ok().flatten();
        let token =
            token.ok_or("the service did not post a verification token; can it reach this machine?")?;
        let verify = json!({ "verification_token": token });
        api.call("PUT", &format!("{path}/verify"), Some(&verify)).await?;
        println!("listening; events are handed on to {}; their secret is {token}", ear.forward_to);
        if let Some(since) = options.since {
            ear.fetch_missed(since, &types, &token).await?;
        }
        stop.wait_for(|stop| *stop).await.ok();
        Ok(())
    }
    .await;
    api.call("DELETE", &path, None).await.ok();
    outcome
}

async fn receive(State(ear): State<Arc<Ear>>, headers: HeaderMap, body: Bytes) -> StatusCode {
    let value: Value = serde_json::from_slice(&body).unwrap_or_default();
    let headers: Vec<(&'static str, String)> = HANDED_ON
        .into_iter()
        .filter_map(|name| Some((name, headers.get(name)?.to_str().ok()?.to_owned())))
        .collect();
    let status = ear.hand_on(&value, &headers, body).await;
    if let Some(token) = value["verification_token"].as_str() {
        // Verified by this command, whether or not the program took note.
        ear.tokens.send(token.to_owned()).ok();
        return StatusCode::OK;
    }
    status
}

impl Ear {
    /// Hands a call on, says in a line what came of it, and gives the status that the service is answered.
    async fn hand_on(&self, value: &Value, headers: &[(&'static str, String)], body: Bytes) -> StatusCode {
        let started = Clock::monotonic();
        let now = Timestamp::UNIX_EPOCH; // only for dates in Retry-After, which are not looked at here
        let result = self.api.sender().post(&self.forward_to, headers, body, now).await;
        let took = Clock::monotonic().saturating_sub(started).as_millis();
        let name = value["event_type"].as_str().unwrap_or("verification token");
        let id = value["uuid"].as_str().unwrap_or_default();
        if !id.is_empty() {
            self.known.lock().await.insert(id.to_owned());
        }
        match result {
            Ok(reply) => {
                println!("{name}  {id}  {}  {took} ms", reply.status);
                StatusCode::from_u16(reply.status).unwrap_or(StatusCode::BAD_GATEWAY)
            }
            Err(why) => {
                println!("{name}  {id}  {why}  {took} ms");
                StatusCode::BAD_GATEWAY
            }
        }
    }

    /// Hands on the events since then that were not delivered to this command.
    async fn fetch_missed(&self, since: SignedDuration, types: &[String], token: &str) -> Result<(), String> {
        let mut wanted = crate::webhooks::types::Types::default();
        types.iter().for_each(|name| {
            wanted.add(name);
        });
        // The newest event tells the service's time, which a test clock may have moved.
        let newest = self.api.call("GET", "/v1/events?sort_order=desc&limit=1", None).await?;
        let Some(newest) = newest[0]["timestamp"].as_i64() else { return Ok(()) };
        let from = newest.min(Clock::system().now().as_second()) - since.as_secs();
        let mut after = String::new();
        loop {
            let page = self.api.call("GET", &format!("/v1/events?limit=100{after}"), None).await?;
            let Some(last) = page.as_array().and_then(|page| page.last()) else { return Ok(()) };
            after = format!("&starting_after_uuid={}", last["uuid"].as_str().unwrap_or_default());
            for event in page.as_array().into_iter().flatten() {
                let text = |key: &str| event[key].as_str().unwrap_or_default();
                let hears = wanted.hear_of(text("event_type"), text("entity_type"));
                let known = self.known.lock().await.contains(text("uuid"));
                if known || !hears || event["timestamp"].as_i64().is_none_or(|at| at < from) {
                    continue;
                }
                // The list gives the very objects that are delivered, so that writing one again gives its bytes.
                let body = event.to_string();
                let time = Clock::system().now().as_second();
                let headers = sign::headers((token, None), text("uuid"), time, body.as_bytes());
                self.hand_on(event, &headers, Bytes::from(body)).await;
            }
        }
    }
}
