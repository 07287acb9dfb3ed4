//! Restarts workers that end unexpectedly, and reports which are down.

use std::collections::BTreeSet;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use store::{Clock, Store};
use tokio::sync::watch;

use crate::delivery;
use crate::delivery::Courier;
use crate::worker::{Worker, end_of};

/// Pauses before a worker is restarted, from the first to the longest.
const PAUSES: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(60));

/// Which workers of this process are down at the moment.
#[derive(Debug, Default)]
pub struct Liveness(Mutex<BTreeSet<&'static str>>);

impl Liveness {
    /// The first worker that is down, if any.
    pub fn first_down_worker(&self) -> Option<&'static str> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).first().copied()
    }

    /// Records that a worker is down, or that it runs.
    pub fn record_worker_state(&self, worker: &'static str, gone: bool) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if gone {
            all.insert(worker);
        } else {
            all.remove(worker);
        }
    }
}

/// Runs due jobs and delivers events until `stop`.
pub async fn run_background_work(
    store: Store,
    worker: Arc<Worker>,
    courier: Arc<Courier>,
    liveness: Arc<Liveness>,
    stop: watch::Receiver<bool>,
) {
    let jobs = keep_running("jobs", &liveness, stop.clone(), || {
        let (worker, stop) = (Arc::clone(&worker), stop.clone());
        async move { worker.run_until_stopped(stop).await }
    });
    let deliveries = keep_running("deliveries", &liveness, stop.clone(), || {
        delivery::run_dispatcher(store.clone(), Arc::clone(&courier), stop.clone())
    });
    tokio::join!(jobs, deliveries);
}

/// Runs a worker until `stop`, and restarts it if it ends before that or panics.
async fn keep_running<F: Future<Output = ()> + Send + 'static>(
    name: &'static str,
    liveness: &Liveness,
    mut stop: watch::Receiver<bool>,
    begin: impl Fn() -> F,
) {
    let ends = metrics::counter!("worker_panics_total", "worker" => name);
    // Present from the start, so that alerts can look for an increase.
    ends.increment(0);
    let mut pause = PAUSES.0;
    while !*stop.borrow() {
        let begun = Clock::monotonic();
        let task = tokio::spawn(begin());
        liveness.record_worker_state(name, false);
        let ended = task.await;
        if *stop.borrow() {
            return;
        }
        if Clock::monotonic().saturating_sub(begun) > PAUSES.1 {
            pause = PAUSES.0;
        }
        let reason = ended.as_ref().err().map_or("it ended unexpectedly", end_of);
        liveness.record_worker_state(name, true);
        ends.increment(1);
        tracing::error!(
            worker = name,
            reason,
            seconds = pause.as_secs(),
            "a worker ended; it is restarted after a pause"
        );
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            _ = stop.changed() => {}
        }
        pause = (pause * 2).min(PAUSES.1);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[tokio::test]
    async fn a_worker_that_panics_is_reported_as_down_and_restarts() {
        let (liveness, begun) = (Arc::new(Liveness::default()), Arc::new(AtomicUsize::new(0)));
        let (stopping, stop) = watch::channel(false);
        let kept = tokio::spawn({
            let (liveness, begun, stop) = (Arc::clone(&liveness), Arc::clone(&begun), stop.clone());
            async move {
                let begin = || {
                    let (first, mut stop) = (begun.fetch_add(1, Ordering::SeqCst) == 0, stop.clone());
                    async move {
                        assert!(!first, "the first one fails");
                        stop.changed().await.ok();
                    }
                };
                keep_running("jobs", &liveness, stop.clone(), begin).await;
            }
        });
        while begun.load(Ordering::SeqCst) < 1 || liveness.first_down_worker().is_none() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        assert_eq!(liveness.first_down_worker(), Some("jobs"));
        while begun.load(Ordering::SeqCst) < 2 || liveness.first_down_worker().is_some() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        assert_eq!((begun.load(Ordering::SeqCst), liveness.first_down_worker()), (2, None));
        stopping.send(true).unwrap();
        kept.await.unwrap();
    }
}
