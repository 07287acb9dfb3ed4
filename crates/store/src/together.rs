//! Work that is done once for all callers that request it at the same time.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The kinds of such work, by name.
#[derive(Default)]
pub(crate) struct Together(Mutex<HashMap<&'static str, Arc<Turns>>>);

/// One kind of work. Each run has a number.
#[derive(Default)]
struct Turns {
    /// the number of the latest run that was begun
    begun: AtomicU64,
    /// the number of the latest run that was completed; locked during a run
    done: tokio::sync::Mutex<u64>,
}

impl Together {
    /// Waits for a run that begins after this call, or does the run.
    ///
    /// A run in progress may have begun too early for a caller that arrives during it, so the first of those waiting
    /// does another run, for all of them.
    pub async fn run_once<E>(
        &self,
        what: &'static str,
        work: impl Future<Output = Result<(), E>>,
    ) -> Result<(), E> {
        let turns = {
            let mut kinds = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(kinds.entry(what).or_default())
        };
        let before = turns.begun.load(Ordering::SeqCst);
        let mut done = turns.done.lock().await;
        if *done > before {
            return Ok(());
        }
        let this = turns.begun.fetch_add(1, Ordering::SeqCst) + 1;
        work.await?;
        *done = this;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use tokio::sync::Notify;
    use tokio::{join, task::yield_now};

    use super::*;

    #[tokio::test]
    async fn those_who_come_while_it_is_done_share_one_more_turn() {
        let (together, turns, gate) = (Together::default(), Cell::new(0), Notify::new());
        let one = async |passes: bool| {
            let work = async {
                if passes {
                    gate.notified().await;
                }
                turns.set(turns.get() + 1);
                Ok::<(), ()>(())
            };
            together.run_once("numbers", work).await.unwrap();
            turns.get()
        };
        let opened = async {
            yield_now().await;
            assert_eq!(turns.get(), 0, "the first is still at it");
            gate.notify_one();
        };
        // Callers begin in this order, so each later one finds the first one's run in progress.
        let (first, second, third, fourth, ()) = join!(one(true), one(false), one(false), one(false), opened);
        assert_eq!((first, second, third, fourth), (1, 2, 2, 2));
    }

    #[tokio::test]
    async fn a_turn_that_failed_counts_for_nobody() {
        let together = Together::default();
        assert_eq!(together.run_once("numbers", async { Err("no") }).await, Err("no"));
        let done = Cell::new(false);
        let work = async {
            done.set(true);
            Ok::<(), &str>(())
        };
        together.run_once("numbers", work).await.unwrap();
        assert!(done.get());
    }
}
