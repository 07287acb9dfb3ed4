//! `stipend listen`: events for a program on this machine. The command subscribes with an address of its own, proves
//! that it owns it, and hands every event on, byte for byte and with its signature, telling in one line what came of it
//! ([`Said`]). The verification token is handed on, too: the program needs it to check signatures. What the program
//! answers is what the service is answered, so that a failure is retried as it would be. At the end the subscription is
//! removed.

use std::collections::HashSet;
use std::io::{IsTerminal, Write};
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
use crate::serve::Terms;
use background::delivery::sign;
use domain::events::webhooks::types::{NAMES, Types};

/// Headers that are handed on.
const HANDED_ON: [&str; 5] =
    ["x-service-signature", "x-gusto-signature", "webhook-id", "webhook-timestamp", "webhook-signature"];
/// How long the verification call may take to come.
const PATIENCE: Duration = Duration::from_secs(15);
/// Missed events that are fetched at most: the newest ones.
const MOST_MISSED: usize = 10_000;
/// Events that are remembered, to recognize one that comes again.
const REMEMBERED: usize = 100_000;

/// What to listen for.
pub struct Options {
    /// where events are forwarded to; without it they are only printed
    pub forward_to: Option<String>,
    /// subscription types; none is all
    pub types: Vec<String>,
    /// how far back to fetch what was missed
    pub since: Option<SignedDuration>,
    /// where the service can reach this command
    pub receive_at: String,
    /// a line of JSON for each event, instead of one for people
    pub json: bool,
}

/// The listening end.
struct Ear {
    api: Arc<Api>,
    forward_to: Option<String>,
    form: Form,
    tokens: mpsc::UnboundedSender<String>,
    /// whether the service's clock stands
    clock_stands: bool,
    heard: Mutex<Received>,
}

/// What came so far.
#[derive(Default)]
struct Received {
    /// events that were handed on, to recognise one that comes again
    known: HashSet<String>,
    events: usize,
    failed: usize,
    /// whether it was said that a clock that stands brings no further tries
    told_of_clock: bool,
}

/// How a failed delivery comes again while the service's clock stands.
const CLOCK_STANDS: &str = "The service's clock stands: a delivery that failed comes again when the clock is moved on, with \
                            POST /v1/test_helpers/clock/advance, such as {\"seconds\": 300}, or in the console.";

/// Listens until `stop` says so.
///
/// # Errors
/// One line: the service refused, or cannot be reached.
pub async fn listen_for_events(
    api: Api,
    options: Options,
    mut stop: watch::Receiver<bool>,
) -> Result<(), String> {
    let api = Arc::new(api);
    let types: Vec<_> =
        if options.types.is_empty() { NAMES.map(str::to_owned).to_vec() } else { options.types };
    let listener = TcpListener::bind(&options.receive_at).await.map_err(|error| {
        format!("cannot listen on {}: {error}; choose with --receive-at", options.receive_at)
    })?;
    let address = listener.local_addr().map_err(|error| error.to_string())?;
    let (tokens, mut came) = mpsc::unbounded_channel();
    // Only a demo has such a clock.
    let clock = api.call_operation("GET", "/v1/test_helpers/clock", None).await.unwrap_or_default();
    let ear = Arc::new(Ear {
        clock_stands: clock["stands"] == true,
        api: Arc::clone(&api),
        forward_to: options.forward_to,
        form: Form::of_output(options.json),
        tokens,
        heard: Mutex::default(),
    });
    let router = Router::new().route("/", post(receive_webhook)).with_state(Arc::clone(&ear));
    let terms =
        Terms { connections: 256, per_address: 0, answer_time: Duration::from_secs(30), as_partner: false };
    tokio::spawn(crate::serve::serve_connections(listener, router, terms, stop.clone()));

    let body = json!({ "url": format!("http://{address}/"), "subscription_types": types });
    let made = api.call_operation("POST", "/v1/webhook_subscriptions", Some(&body)).await?;
    let path = format!("/v1/webhook_subscriptions/{}", made["uuid"].as_str().unwrap_or_default());
    let outcome = async {
        let token = tokio::time::timeout(PATIENCE, came.recv()).await.ok().flatten();
        let token = token.ok_or_else(|| {
            format!(
                "the service did not post a verification token to http://{address}/; can it reach this machine? \
                 Choose the address with --receive-at"
            )
        })?;
        let verify = json!({ "verification_token": token });
        api.call_operation("PUT", &format!("{path}/verify"), Some(&verify)).await?;
        let to = ear.forward_to.as_deref().unwrap_or("nowhere (set --forward-to)");
        ear.print_note(&format!("Listening. Events are forwarded to {to}\nTheir secret is {token}\nStop with Ctrl-C."));
        if let Some(since) = options.since {
            ear.fetch_missed(since, &types, &token).await?;
        }
        stop.wait_for(|stop| *stop).await.ok();
        Ok(())
    }
    .await;
    api.call_operation("DELETE", &path, None).await.ok();
    let heard = ear.heard.lock().await;
    ear.print_note(&format!(
        "{} events, {} not accepted. The subscription is removed.",
        heard.events, heard.failed
    ));
    outcome
}

async fn receive_webhook(State(ear): State<Arc<Ear>>, headers: HeaderMap, body: Bytes) -> StatusCode {
    let value: Value = serde_json::from_slice(&body).unwrap_or_default();
    let headers: Vec<(&'static str, String)> = HANDED_ON
        .into_iter()
        .filter_map(|name| Some((name, headers.get(name)?.to_str().ok()?.to_owned())))
        .collect();
    let status = ear.hand_on(&value, &headers, body, "").await;
    if let Some(token) = value["verification_token"].as_str() {
        // Verified by this command, whether or not the program took note.
        ear.tokens.send(token.to_owned()).ok();
        return StatusCode::OK;
    }
    status.unwrap_or(StatusCode::BAD_GATEWAY)
}

impl Ear {
    /// Hands a call on, and says in a line what came of it. The status that the program answered; `None` when it did
    /// not.
    async fn hand_on(
        &self,
        value: &Value,
        headers: &[(&'static str, String)],
        body: Bytes,
        note: &'static str,
    ) -> Option<StatusCode> {
        let started = Clock::monotonic();
        let result = match &self.forward_to {
            // The moment is needed only for dates in Retry-After, which are ignored here.
            Some(to) => {
                let reply = self.api.sender().post(to, headers, body, Timestamp::UNIX_EPOCH).await;
                reply.map(|reply| reply.status)
            }
            None => Ok(StatusCode::OK.as_u16()),
        };
        let taken = result.as_ref().is_ok_and(|status| (200..300).contains(status));
        let id = value["uuid"].as_str().unwrap_or_default();
        let mut heard = self.heard.lock().await;
        let mut note = note;
        if !id.is_empty() {
            if heard.known.len() >= REMEMBERED {
                heard.known.clear();
            }
            let new = heard.known.insert(id.to_owned());
            heard.events += usize::from(new);
            heard.failed += usize::from(!taken);
            note = if new { note } else { "again" };
        }
        let said = Said {
            at: Clock::from_system().now(),
            event: value["event_type"].as_str().unwrap_or("verification token"),
            entity: value["entity_uuid"].as_str().unwrap_or_default(),
            id,
            result: &result,
            millis: Clock::monotonic().saturating_sub(started).as_millis(),
            note,
        };
        self.print_line(&said.event_line(self.form));
        if !taken && !id.is_empty() && self.clock_stands && !std::mem::replace(&mut heard.told_of_clock, true)
        {
            self.print_note(CLOCK_STANDS);
        }
        StatusCode::from_u16(result.ok()?).ok()
    }

    /// Hands on the events since then that were not delivered to this command, oldest first.
    async fn fetch_missed(&self, since: SignedDuration, types: &[String], token: &str) -> Result<(), String> {
        let mut wanted = Types::default();
        for name in types {
            wanted.add_type(name);
        }
        let mut missed: Vec<Value> = Vec::new();
        let (mut after, mut from) = (String::new(), None);
        'pages: loop {
            let path = format!("/v1/events?sort_order=desc&limit=100{after}");
            let page = self.api.call_operation("GET", &path, None).await?;
            let Some(last) = page.as_array().and_then(|page| page.last()) else { break };
            after = format!("&starting_after_uuid={}", last["uuid"].as_str().unwrap_or_default());
            for event in page.as_array().into_iter().flatten() {
                let at = event["timestamp"].as_i64().unwrap_or_default();
                // The newest event says the service's time, which a test clock may have moved.
                let from =
                    *from.get_or_insert(at.min(Clock::from_system().now().as_second()) - since.as_secs());
                if at < from || missed.len() == MOST_MISSED {
                    break 'pages;
                }
                let text = |key: &str| event[key].as_str().unwrap_or_default();
                if wanted.hear_of(text("event_type"), text("entity_type")) {
                    missed.push(event.clone());
                }
            }
        }
        for (place, event) in missed.iter().rev().enumerate() {
            let id = event["uuid"].as_str().unwrap_or_default();
            if self.heard.lock().await.known.contains(id) {
                continue; // it came while the list was read
            }
            // The list gives the very objects that are delivered, so that writing one again gives its bytes.
            let body = event.to_string();
            let headers = sign::signature_headers(
                (token, None),
                id,
                Clock::from_system().now().as_second(),
                body.as_bytes(),
            );
            if self.hand_on(event, &headers, Bytes::from(body), "missed").await.is_none() {
                let left = missed.len() - place;
                self.print_note(&format!(
                    "Nothing answers there: {left} missed events were skipped. Start the program, and listen again."
                ));
                break;
            }
        }
        Ok(())
    }

    /// Prints something that is no event.
    fn print_note(&self, text: &str) {
        if matches!(self.form, Form::Text { .. }) {
            self.print_line(text);
        } else {
            writeln!(std::io::stderr(), "{text}").ok();
        }
    }

    /// A reader that closed standard output wants no message.
    fn print_line(&self, text: &str) {
        writeln!(std::io::stdout(), "{text}").ok();
    }
}

/// How a line is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Text { colours: bool },
    Json,
}

impl Form {
    /// Colours are for a terminal whose user did not turn them off (no-color.org).
    fn of_output(json: bool) -> Self {
        let off = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        if json { Self::Json } else { Self::Text { colours: !off && std::io::stdout().is_terminal() } }
    }
}

/// What came of one event.
struct Said<'a> {
    at: Timestamp,
    event: &'a str,
    entity: &'a str,
    id: &'a str,
    /// the status that the program answered, or why it did not
    result: &'a Result<u16, String>,
    millis: u128,
    /// `missed` for one that was fetched, `again` for one that came before
    note: &'a str,
}

impl Said<'_> {
    fn event_line(&self, form: Form) -> String {
        let Self { at, event, entity, id, result, millis, note } = self;
        let colours = match form {
            Form::Json => {
                return json!({ "at": at.to_string(), "event_type": event, "event_uuid": id, "entity_uuid": entity,
                               "status": result.as_ref().ok(), "failure": result.as_ref().err(),
                               "duration_ms": millis, "note": note })
                .to_string();
            }
            Form::Text { colours } => colours,
        };
        let paint = |code: &str, text: String| {
            if colours && !text.is_empty() { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text }
        };
        let (status, why) = match result {
            Ok(status) => (status.to_string(), String::new()),
            Err(why) => ("---".to_owned(), why.clone()),
        };
        let green = result.as_ref().is_ok_and(|status| (200..300).contains(status));
        let parts = [
            paint("2", at.to_zoned(jiff::tz::TimeZone::system()).strftime("%H:%M:%S").to_string()),
            paint(if green { "32" } else { "31" }, status),
            format!("{event:<36}"),
            format!("{millis:>5} ms"),
            paint("2", (*id).to_owned()),
            paint("33", (*note).to_owned()),
            paint("31", why),
        ];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("  ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said<'a>(result: &'a Result<u16, String>, note: &'a str) -> Said<'a> {
        let at = Timestamp::UNIX_EPOCH;
        Said { at, event: "employee.created", entity: "e", id: "0199", result, millis: 12, note }
    }

    #[test]
    fn a_line_tells_time_status_event_and_duration_in_columns() {
        let plain = Form::Text { colours: false };
        let (fine, refused) = (Ok(204), Err("no connection: refused".to_owned()));
        let line = said(&fine, "").event_line(plain);
        assert!(
            line.ends_with(":00:00  204  employee.created                         12 ms  0199"),
            "{line}"
        );
        let line = said(&refused, "missed").event_line(plain);
        assert!(line.contains("  ---  employee.created"), "{line}");
        assert!(line.ends_with("12 ms  0199  missed  no connection: refused"), "{line}");
    }

    #[test]
    fn colours_add_nothing_but_colours() {
        let strip = |line: &str| {
            let parts: Vec<_> = line.split('\u{1b}').collect();
            let rest = parts[1..].iter().map(|part| part.split_once('m').unwrap().1);
            parts[0].to_owned() + &rest.collect::<String>()
        };
        for (result, code) in
            [(Ok(200), "\u{1b}[32m200"), (Ok(500), "\u{1b}[31m500"), (Err("x".to_owned()), "\u{1b}[31m---")]
        {
            let line = said(&result, "again").event_line(Form::Text { colours: true });
            assert!(line.contains(code), "{line:?}");
            assert_eq!(strip(&line), said(&result, "again").event_line(Form::Text { colours: false }));
        }
    }

    #[test]
    fn for_programs_a_line_is_an_object() {
        let line: Value = serde_json::from_str(&said(&Ok(204), "").event_line(Form::Json)).unwrap();
        assert_eq!((&line["event_type"], &line["status"]), (&json!("employee.created"), &json!(204)));
        assert!(line["failure"].is_null());
    }
}
