//! What the worker looks after beside due work itself: chains that must not break, payrolls whose work is gone, and
//! figures of what waits.

use std::collections::HashSet;
use std::time::Duration;

use domain::datasets;
use domain::error::Error;
use domain::events::newest;
use domain::money::{pickup, standing};
use domain::pay::payrolls::processing::posting::CatchUp;
use domain::pay::payrolls::recovery;
use domain::platform::jobs;
use domain::platform::law::Missing;
use domain::platform::moments;
use jiff::SignedDuration;
use store::{Clock, Store, Tx};
use tokio::sync::watch;

/// Between two looks.
const PAUSE: Duration = Duration::from_secs(60);

/// Takes up at a start what must go on for ever: sweeping, sealing, the pay periods of every schedule.
pub(super) async fn begin(store: &Store) {
    match jobs::end_leases_of_the_dead(store).await {
        Ok(0) => {}
        Ok(held) => tracing::warn!(held, "work that was under way when the process ended begins again"),
        Err(error) => tracing::error!(?error, "leases of a process that ended could not be ended"),
    }
    if let Err(error) = jobs::begin_housekeeping(store).await {
        tracing::error!(
            ?error,
            "the sweeping of old rows and the sealing of the audit log could not be scheduled"
        );
    }
    match recovery::resume_schedules(store).await {
        Ok(0) => {}
        Ok(resumed) => {
            tracing::warn!(resumed, "pay schedules for whose next pay period nothing waited go on")
        }
        Err(error) => tracing::error!(?error, "pay schedules could not be looked through"),
    }
}

/// Keeps the figures that tell how the store stands, for a process that leaves the work itself to others, until `stop` says so.
pub async fn watch(store: Store, mut stop: watch::Receiver<bool>) {
    let mut upkeep = Upkeep::default();
    while !*stop.borrow() {
        upkeep.time_is_believed(&store).await;
        upkeep.count(&store).await;
        tokio::select! {
            () = tokio::time::sleep(PAUSE) => {}
            _ = stop.changed() => {}
        }
    }
}

/// How far this node's clock is behind others, in microseconds; negative where it is ahead.
struct Offsets {
    /// behind the newest change in the store
    store: Option<i64>,
    /// the same, where it is too far
    too_far: Option<i64>,
    /// behind the clock of the database server
    server: Option<i64>,
}

impl Offsets {
    fn read(tx: &mut Tx<'_>) -> Result<Self, Error> {
        let now = tx.now().as_microsecond();
        let server = tx.server_time()?.map(|time| time.as_microsecond() - now);
        Ok(Self { store: newest::behind(tx)?, too_far: newest::too_far_behind(tx)?, server })
    }

    fn record(&self) {
        let seconds = |micros: i64| SignedDuration::from_micros(micros).as_secs_f64();
        if let Some(behind) = self.store {
            // Ahead of the newest change is what a clock is all the time, by however long nothing was changed.
            metrics::gauge!("clock_behind_store_seconds").set(seconds(behind.max(0)));
        }
        if let Some(behind) = self.too_far {
            tracing::warn!(
                seconds = behind / 1_000_000,
                "this node's clock is behind the newest change in the store: it calculates no payrolls"
            );
        }
        if let Some(behind) = self.server {
            metrics::gauge!("clock_behind_server_seconds").set(seconds(behind));
        }
    }
}

/// Between two notes that a worker is at work, and between two words about a time that is not believed.
const SEEN: Duration = Duration::from_secs(600);

fn is_due(last: Option<Duration>, now: Duration) -> bool {
    last.is_none_or(|last| now.saturating_sub(last) >= SEEN)
}

/// The looks of one worker.
#[derive(Default)]
pub(super) struct Upkeep {
    seen: Option<Duration>,
    told: Option<Duration>,
    last: Option<Duration>,
    reported: HashSet<String>,
    missing: Vec<Missing>,
    books: CatchUp,
}

impl Upkeep {
    /// Whether what falls due by the clock may be done. While it may not, that is said each ten minutes.
    pub(super) async fn time_is_believed(&mut self, store: &Store) -> bool {
        let believed = moments::is_believed(store).await.unwrap_or_else(|error| {
            tracing::warn!(?error, "it could not be read whether the time was confirmed");
            false
        });
        metrics::gauge!("clock_unconfirmed").set(u8::from(!believed));
        let now = Clock::monotonic();
        if let Some(step) = store.unconfirmed_step()
            && is_due(self.told, now)
        {
            self.told = Some(now);
            tracing::error!(
                last_change = %step.from, now = %step.to,
                "more than a day lies between the last change in the store and the start: the machine's clock may be wrong. \
                 Sweeping, expiry and due work wait; set the clock and start again, or say that it is right: stipend clock confirm"
            );
        }
        believed
    }

    /// Looks, unless it did so a moment ago.
    pub(super) async fn look(&mut self, store: &Store) {
        let now = Clock::monotonic();
        if self.last.is_some_and(|last| now.saturating_sub(last) < PAUSE) {
            return;
        }
        self.last = Some(now);
        if is_due(self.seen, now) {
            match store.write(|tx: &mut Tx<'_>| moments::note_seen(tx)).await {
                Ok(()) => self.seen = Some(now),
                Err(error) => tracing::warn!(?error, "it could not be noted that a worker is at work"),
            }
        }
        match recovery::fail_abandoned(store).await {
            Ok(0) => {}
            Ok(failed) => {
                tracing::warn!(failed, "payrolls whose work in the background was gone are noted as failed")
            }
            Err(error) => tracing::error!(?error, "payrolls under way could not be looked through"),
        }
        // Some at each look, so that due work does not wait for all of them.
        match self.books.step(store).await {
            Ok(0) => {}
            Ok(posted) => tracing::info!(posted, "payrolls of an earlier version were posted in the books"),
            Err(error) => {
                tracing::error!(?error, "payrolls of an earlier version could not be posted in the books")
            }
        }
        self.count(store).await;
    }

    /// Sets the figures that tell how the store stands.
    async fn count(&mut self, store: &Store) {
        match store.read(|tx: &mut Tx<'_>| Offsets::read(tx)).await {
            Ok(offsets) => offsets.record(),
            Err(error) => tracing::warn!(?error, "this node's clock could not be compared with the store"),
        }
        let counted = store.read(|tx: &mut Tx<'_>| {
            let late = standing::of_all(tx)?.late() + pickup::failed(tx)?;
            Ok::<_, Error>((jobs::dead_letters::count(tx)?, jobs::work::unknown(tx)?, late))
        });
        match counted.await {
            Ok((given_up, unknown, late)) => self.report((given_up, late), &unknown),
            Err(error) => tracing::warn!(?error, "due work could not be counted"),
        }
        match store.read(|tx: &mut Tx<'_>| datasets::missing(tx)).await {
            Ok(missing) => self.report_missing(missing),
            Err(error) => tracing::error!(?error, "the tables of law could not be looked through"),
        }
    }

    /// Sets the figure of missing tables, and says of each once that it is missing.
    fn report_missing(&mut self, missing: Vec<Missing>) {
        metrics::gauge!("law_tables_missing").set(u32::try_from(missing.len()).unwrap_or(u32::MAX));
        for table in missing.iter().filter(|table| !self.missing.contains(table)) {
            tracing::warn!(kind = table.kind, year = table.year, "{table}");
        }
        self.missing = missing;
    }

    /// Sets the figures, and says of each unknown kind once that it is left to a newer node.
    fn report(&mut self, (given_up, late): (i64, i64), unknown: &[(String, i64)]) {
        let gauge = |count: i64| u32::try_from(count).unwrap_or(u32::MAX);
        metrics::gauge!("jobs_given_up_waiting").set(gauge(given_up));
        metrics::gauge!("payments_late_waiting").set(gauge(late));
        metrics::gauge!("jobs_unknown_waiting").set(gauge(unknown.iter().map(|(_, count)| count).sum()));
        for (kind, count) in unknown {
            if self.reported.insert(kind.clone()) {
                tracing::warn!(
                    kind,
                    count,
                    "due work of a kind that this version does not know is left to newer nodes"
                );
            }
        }
    }
}
