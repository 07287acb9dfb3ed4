//! Endpoints for the operator's tools: is the process alive, can it serve, how is it doing.

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use domain::readiness::{Condition, Node, node_conditions, of_this_node};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use sha2::{Digest, Sha256};
use std::sync::OnceLock;
use std::time::Duration;
use store::Clock;
use subtle::ConstantTimeEq;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::error::Error;

/// Operations for the operator.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(healthz))
        .routes(routes!(readyz))
        .routes(routes!(metrics_text))
        .routes(routes!(openapi_json))
}

/// How long the store has to answer a check of readiness.
const PATIENCE: Duration = Duration::from_millis(1_500);
/// How old the status may be that is told without a token.
const READINESS_FOR: Duration = Duration::from_secs(1);

/// How often recorded samples are aggregated.
const FOLD: Duration = Duration::from_secs(5);

/// Upper bounds of the histogram's buckets, in seconds.
const BUCKETS: [f64; 12] = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0];

/// Counters that exist from the start with the value zero, so that an alert sees the first increment: an increase is
/// computed between two samples, and a missing counter has none.
const FROM_THE_START: [&str; 4] = [
    "log_lines_dropped_total",
    "oauth_code_reuse_total",
    "oauth_refresh_reuse_total",
    "webhook_subscriptions_unreachable_total",
];

/// The process-wide recorder, once [`record_metrics`] has installed it, or why it could not.
static RECORDER: OnceLock<Result<PrometheusHandle, String>> = OnceLock::new();

/// Starts recording metrics, and aggregates them every few seconds, so that they do not accumulate when nothing scrapes
/// them.
///
/// # Errors
/// One line: metrics cannot be recorded.
pub fn record_metrics() -> Result<(), String> {
    let recorder = RECORDER.get_or_init(install_recorder).as_ref().map_err(Clone::clone)?;
    described_metrics().for_each(|(name, what)| describe_metric(name, what));
    metrics::gauge!("build_info", "version" => env!("CARGO_PKG_VERSION")).set(1);
    FROM_THE_START.iter().for_each(|name| metrics::counter!(*name).increment(0));
    tokio::spawn(async move {
        loop {
            tokio::time::sleep(FOLD).await;
            recorder.run_upkeep();
        }
    });
    Ok(())
}

fn install_recorder() -> Result<PrometheusHandle, String> {
    let builder = PrometheusBuilder::new().set_buckets(&BUCKETS);
    let installed = builder.and_then(PrometheusBuilder::install_recorder);
    installed.map_err(|error| format!("metrics cannot be recorded: {error}"))
}

/// The guide for operators, whose table of figures says what each of them counts.
const GUIDE: &str = include_str!("../../../docs/operations.md");

/// The figures of the guide's table: name, and what it counts.
fn described_metrics() -> impl Iterator<Item = (&'static str, &'static str)> {
    let table = GUIDE.split_once("| figure | what it counts |").map_or("", |(_, rest)| rest);
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let cells = rows.filter_map(|row| row.trim_matches(['|', ' ']).split_once(" | "));
    cells.flat_map(|(names, what)| {
        let names = names.split('`').skip(1).step_by(2);
        names.filter(|name| name.contains('_')).map(move |name| (name, what))
    })
}

/// Adds the line of help to a figure.
fn describe_metric(name: &'static str, what: &'static str) {
    match name {
        "http_request_seconds" | "webhook_try_seconds" => metrics::describe_histogram!(name, what),
        counter if counter.ends_with("_total") => metrics::describe_counter!(counter, what),
        gauge => metrics::describe_gauge!(gauge, what),
    }
}

/// Notes what the process takes of the machine, where the system tells it as Linux does.
fn note_process() {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB"));
    if let Some(kilobytes) = resident.and_then(|text| text.parse::<u32>().ok()) {
        metrics::gauge!("process_resident_memory_kilobytes").set(kilobytes);
    }
    if let Ok(open) = std::fs::read_dir("/proc/self/fd") {
        metrics::gauge!("process_open_fds").set(u32::try_from(open.count()).unwrap_or(u32::MAX));
    }
}

/// Check whether the process is alive
///
/// Answers for as long as the process runs, whatever the state of the store. For a supervisor that restarts it.
#[utoipa::path(get, path = "/healthz", tag = "Operations", responses((status = 200, description = "It is")))]
async fn healthz() -> &'static str {
    "ok\n"
}

/// Whether requests can be served: the store answers, and nothing that serves them is gone
///
/// For a load balancer: 503 while the store does not answer or is damaged, or a storage thread or a worker of this process is
/// gone. Otherwise 200. With `Authorization: Bearer <metrics_token>`, and under `stipend dev`, the answer says why: the first line
/// begins with `ready`, and each further one names a condition to look into; docs/operations.md lists them. Without it the answer
/// is `ready` or `not ready`, and at most a second old.
#[utoipa::path(get, path = "/readyz", tag = "Operations",
    responses((status = 200, description = "They can"), (status = 503, description = "They cannot")))]
async fn readyz(State(app): State<App>, headers: HeaderMap) -> Response {
    if is_operator(&app, &headers) {
        return check_readiness(&app).await.into_response();
    }
    let status = app.readiness.status(check_readiness(&app)).await;
    (status, if status.is_success() { "ready\n" } else { "not ready\n" }).into_response()
}

/// The last status that was told to whoever has no token, with the monotonic time at which it was found.
#[derive(Debug, Default)]
pub struct Readiness(tokio::sync::Mutex<Option<(Duration, StatusCode)>>);

impl Readiness {
    /// The last status, or a new one if it is older than a second. However many ask, the store is asked once.
    async fn status(&self, now: impl Future<Output = (StatusCode, String)>) -> StatusCode {
        let mut last = self.0.lock().await;
        if let Some((found, status)) = *last
            && Clock::monotonic().saturating_sub(found) < READINESS_FOR
        {
            return status;
        }
        let (status, _) = now.await;
        *last = Some((Clock::monotonic(), status));
        status
    }
}

/// Whether a request has the operator's token; under `stipend dev` everybody is the operator.
fn is_operator(app: &App, headers: &HeaderMap) -> bool {
    let sent = headers.get(header::AUTHORIZATION).map(HeaderValue::as_bytes).unwrap_or_default();
    let wanted = app.settings.metrics_token.as_ref().map(|token| format!("Bearer {token}"));
    app.settings.dev || wanted.is_some_and(|wanted| bool::from(wanted.as_bytes().ct_eq(sent)))
}

/// The status and its reasons.
async fn check_readiness(app: &App) -> (StatusCode, String) {
    let thread = app.store.ended_thread().map(|name| format!("the thread {name} is gone\n"));
    let damaged = app.store.damage_found().map(|what| format!("the store is damaged: {what}\n"));
    let hung = app.store.hung_thread().map(|(name, silence)| {
        format!(
            "the disk of the store does not answer: the thread {name} has waited for {} s\n",
            silence.as_secs()
        )
    });
    let worker = || {
        app.liveness
            .first_down_worker()
            .map(|name| format!("the worker of {name} is gone; it begins again\n"))
    };
    if let Some(reason) = damaged.or(thread).or(hung).or_else(worker) {
        tracing::warn!(reason = reason.trim_end(), "not ready");
        return (StatusCode::SERVICE_UNAVAILABLE, reason);
    }
    let node = Node {
        silent_servers: app.store.silent_servers(),
        distribution: app.store.distribution(),
        unfit_replica: app.store.unfit_replica(),
        store_is_full: app.store.is_full(),
        works: app.settings.worker,
    };
    match conditions_of(app, node).await {
        Ok(found) => {
            let mut lines =
                vec![app.store.unconfirmed_step().map_or_else(|| "ready".to_owned(), clock_wait_text)];
            lines.extend(app.store.durability().map(str::to_owned));
            let distributed = app.store.distribution().filter(|standing| standing.placed == standing.of);
            lines.extend(distributed.map(|standing| standing.to_string()));
            lines.extend(app.store.operator_caution().map(str::to_owned));
            lines.extend(found.iter().map(ToString::to_string));
            (StatusCode::OK, format!("{}\n", lines.join("\n")))
        }
        Err(error) => {
            tracing::warn!(?error, "not ready");
            (StatusCode::SERVICE_UNAVAILABLE, "the store does not answer\n".to_owned())
        }
    }
}

/// The conditions of a node and its store. In a cluster a node is ready as long as the server that it is connected to answers: what others
/// cannot tell is a condition of its own, and no reason to serve nobody.
async fn conditions_of(app: &App, node: Node) -> Result<Vec<Condition>, domain::Error> {
    const LATE: domain::Error = domain::Error::Store(store::Error::Busy);
    let is_cluster = node.distribution.is_some();
    if is_cluster {
        let own = app.store.read(|tx| tx.server_time().map_err(domain::Error::Store));
        tokio::time::timeout(PATIENCE, own).await.unwrap_or(Err(LATE))?;
    }
    let of_node = node.clone();
    let all = app.store.read(move |tx| node_conditions(tx, &of_node));
    match tokio::time::timeout(PATIENCE, all).await.unwrap_or(Err(LATE)) {
        Err(error) if is_cluster => {
            tracing::warn!(?error, "the conditions of the whole store could not be read");
            let mut found = of_this_node(&Node { silent_servers: app.store.silent_servers(), ..node });
            found.push(Condition::NotCounted);
            Ok(found)
        }
        found => found,
    }
}

/// The first line while the machine's clock is not confirmed.
fn clock_wait_text(step: store::Step) -> String {
    let store::Step { from, to } = step;
    format!(
        "ready; retention, expiry and due work wait: the store was last changed at {from:.0} and the clock showed {to:.0} at the \
         start; say that it is right with stipend clock confirm"
    )
}

/// Read metrics in the Prometheus text format
///
/// Needs `Authorization: Bearer <metrics_token>`; open under `stipend dev`.
#[utoipa::path(get, path = "/metrics", tag = "Operations",
    responses((status = 200, description = "The figures", body = String, content_type = "text/plain"),
              (status = 401, description = "The token is missing or wrong"),
              (status = 404, description = "Metrics are off: no metrics_token is set")))]
async fn metrics_text(State(app): State<App>, headers: HeaderMap) -> Result<Response, Error> {
    let allowed = is_operator(&app, &headers);
    let recorder = RECORDER.get().and_then(|recorder| recorder.as_ref().ok());
    let Some(recorder) = recorder.filter(|_| app.settings.dev || app.settings.metrics_token.is_some()) else {
        return Err(Error::Off("Metrics are off: set metrics_token."));
    };
    if !allowed {
        return Err(Error::Unauthorized(
            "Metrics need Authorization: Bearer with the setting metrics_token.",
        ));
    }
    let (writing, reading) = app.store.waiting_units();
    for (queue, waiting) in [("write", writing), ("read", reading)] {
        let waiting = u32::try_from(waiting).unwrap_or(u32::MAX);
        metrics::gauge!("store_units_waiting", "queue" => queue).set(waiting);
    }
    metrics::gauge!("store_full").set(u8::from(app.store.is_full()));
    metrics::gauge!("store_damaged").set(u8::from(app.store.damage_found().is_some()));
    let held = u32::try_from(app.budget.reserved_bytes() >> 10).unwrap_or(u32::MAX);
    metrics::gauge!("held_kilobytes").set(held);
    note_process();
    recorder.run_upkeep();
    Ok(([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], recorder.render()).into_response())
}

/// Read the OpenAPI description
///
/// The same description from which operations, tokens and scopes are enforced.
#[utoipa::path(get, path = "/openapi.json", tag = "Operations",
    responses((status = 200, description = "OpenAPI 3.1", body = serde_json::Value)))]
async fn openapi_json(State(app): State<App>, headers: HeaderMap) -> Response {
    static TEXT: OnceLock<(String, String)> = OnceLock::new();
    let (text, tag) = TEXT.get_or_init(|| {
        let text = (app.description)();
        let tag = hex::encode(&Sha256::digest(&text)[..16]);
        (text, tag)
    });
    let known = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    let is_known = known
        .flat_map(|value| value.split(','))
        .any(|one| one.trim().trim_start_matches("W/").trim_matches('"') == tag);
    let caching = [(header::ETAG, format!("\"{tag}\"")), (header::CACHE_CONTROL, "no-cache".to_owned())];
    match is_known {
        true => (StatusCode::NOT_MODIFIED, caching).into_response(),
        false => (caching, [(header::CONTENT_TYPE, "application/json")], text.as_str()).into_response(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

    fn sources(folder: &Path, text: &mut String) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                sources(&path, text);
            } else {
                text.push_str(&fs::read_to_string(path).unwrap_or_default());
            }
        }
    }

    #[test]
    fn the_dashboard_and_the_alerts_ask_for_figures_that_the_service_keeps() {
        let mut code = String::new();
        sources(&Path::new(ROOT).join("crates"), &mut code);
        let kept = |name: &str| code.contains(&format!("!(\"{name}\""));
        let mut asked = 0;
        for file in ["packaging/dashboard.json", "packaging/alerts.yml"] {
            let text = fs::read_to_string(Path::new(ROOT).join(file)).unwrap();
            let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
            let figures = ["_total", "_seconds", "_waiting", "_running"];
            for name in words.filter(|word| figures.iter().any(|end| word.ends_with(end))) {
                assert!(kept(name), "{file} asks for {name}, which nobody counts");
                asked += 1;
            }
        }
        assert!(asked >= 10, "only {asked} figures are asked for");
    }

    #[test]
    fn the_guide_says_of_every_figure_what_it_counts() {
        let mut code = String::new();
        sources(&Path::new(ROOT).join("crates"), &mut code);
        let kept = ["counter", "gauge", "histogram"].map(|kind| format!("{kind}!(\""));
        let mut names: Vec<&str> = Vec::new();
        for start in &kept {
            let found = code.split(start.as_str()).skip(1).filter_map(|rest| rest.split('"').next());
            names.extend(found.filter(|name| name.contains('_')));
        }
        let described: Vec<_> = super::described_metrics().map(|(name, _)| name).collect();
        for name in &names {
            assert!(described.contains(name), "{name} is missing in the table of docs/operations.md");
        }
        assert!(names.len() > 30 && described.iter().all(|name| code.contains(&format!("\"{name}\""))));
    }

    #[test]
    fn a_start_that_cannot_record_metrics_fails_and_says_why() {
        // The process records them in another way already.
        metrics::set_global_recorder(metrics::NoopRecorder).unwrap();
        let failed = super::record_metrics().unwrap_err();
        assert!(failed.starts_with("metrics cannot be recorded: failed to install"), "{failed}");
        assert_eq!(super::record_metrics(), Err(failed), "it is told each time");
    }

    #[test]
    fn counters_whose_rise_is_an_alert_are_there_from_the_start() {
        let alerts = fs::read_to_string(Path::new(ROOT).join("packaging/alerts.yml")).unwrap();
        let rises: Vec<_> =
            alerts.split("increase(").skip(1).filter_map(|rest| rest.split('[').next()).collect();
        assert!(rises.len() >= 5, "{rises:?}");
        let by_workers = "worker_panics_total";
        for name in rises {
            assert!(super::FROM_THE_START.contains(&name) || name == by_workers, "{name}");
        }
        // A sum of two is nothing while one of them is not there.
        assert!(!alerts.contains(" + increase("));
    }
}
