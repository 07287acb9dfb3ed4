//! Request metrics: counts and durations.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};
use std::time::Duration;

use axum::http::{Method, StatusCode};

/// The metrics of one route: a request is counted by method and status, and its duration is recorded by method. Looking
/// up a metric by its labels costs more than the rest of the bookkeeping, so handles are cached.
#[derive(Default)]
pub struct Figures(RwLock<HashMap<String, Vec<Figure>>>);

struct Figure {
    method: &'static str,
    status: u16,
    requests: metrics::Counter,
    seconds: metrics::Histogram,
}

impl Figures {
    /// Counts a request.
    pub fn count_request(&self, method: &Method, route: &str, status: StatusCode, took: Duration) {
        let (method, status) = (method_label(method), status.as_u16());
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let same = |figure: &&Figure| figure.status == status && figure.method == method;
        if let Some(figure) = known.get(route).and_then(|figures| figures.iter().find(same)) {
            return figure.add_request(took);
        }
        drop(known);
        let labels =
            [("method", method.to_owned()), ("route", route.to_owned()), ("status", status.to_string())];
        let requests = metrics::counter!("http_requests_total", &labels);
        let seconds = metrics::histogram!("http_request_seconds", &labels[..2]);
        let figure = Figure { method, status, requests, seconds };
        figure.add_request(took);
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        known.entry(route.to_owned()).or_default().push(figure);
    }
}

/// The method as a label; unknown methods share one label, so that callers cannot create more.
fn method_label(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        Method::PATCH => "PATCH",
        _ => "other",
    }
}

impl Figure {
    fn add_request(&self, took: Duration) {
        self.requests.increment(1);
        self.seconds.record(took);
    }
}
