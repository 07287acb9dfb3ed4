//! The worker's upkeep besides due jobs: chains of jobs that must not break, payrolls whose job is gone, and metrics.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use domain::datasets;
use domain::error::Error;
use domain::events::newest;
use domain::money::files::pickup;
use domain::money::views::open_items;
use domain::pay::payrolls::calendar::missed;
use domain::pay::payrolls::closing::recovery;
use domain::platform::jobs;
use domain::platform::law::Missing;
use domain::platform::moments;
use jiff::SignedDuration;
use store::{Clock, Store, Tx};
use tokio::sync::watch;

/// Interval of the upkeep.
const PAUSE: Duration = Duration::from_secs(60);
/// Missing tables of a year that a line of the log names one by one.
const FEW: usize = 3;

/// Schedules at start-up what must never stop: retention, sealing, the pay periods of every schedule.
pub(super) async fn schedule_upkeep(store: &Store) {
    match jobs::end_leases_of_the_dead(store).await {
        Ok(0) => {}
        Ok(held) => tracing::warn!(held, "jobs that were running when the process ended are resumed"),
        Err(error) => tracing::error!(?error, "leases of an ended process could not be released"),
    }
    if let Err(error) = jobs::begin_housekeeping(store).await {
        tracing::error!(?error, "retention and the sealing of the audit log could not be scheduled");
    }
    match recovery::resume_schedules(store).await {
        Ok(0) => {}
        Ok(resumed) => {
            tracing::warn!(resumed, "rescheduled pay schedules that had no job for their next pay period")
        }
        Err(error) => tracing::error!(?error, "pay schedules could not be checked"),
    }
}

/// Updates the metrics of the store until `stop`, in a process that leaves the jobs to others.
pub async fn update_metrics(store: Store, mut stop: watch::Receiver<bool>) {
    let mut upkeep = Upkeep::default();
    while !*stop.borrow() {
        upkeep.time_is_believed(&store).await;
        upkeep.update_store_metrics(&store).await;
        tokio::select! {
            () = tokio::time::sleep(PAUSE) => {}
            _ = stop.changed() => {}
        }
    }
}

/// How far this node's clock is behind others, in microseconds; negative if it is ahead.
struct Offsets {
    /// behind the newest change in the store
    store: Option<i64>,
    /// the same, if it is too far
    too_far: Option<i64>,
    /// behind the clock of the database server
    server: Option<i64>,
}

impl Offsets {
    fn read_offsets(tx: &mut Tx<'_>) -> Result<Self, Error> {
        let now = tx.now().as_microsecond();
        let server = tx.server_time()?.map(|time| time.as_microsecond() - now);
        Ok(Self { store: newest::clock_lag(tx)?, too_far: newest::too_far_behind(tx)?, server })
    }

    fn record_offsets(&self) {
        let seconds = |micros: i64| SignedDuration::from_micros(micros).as_secs_f64();
        if let Some(behind) = self.store {
            // A clock is always ahead of the newest change, by the time since that change.
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

/// Interval of worker heartbeats, and of warnings about an untrusted clock.
const SEEN: Duration = Duration::from_secs(600);

fn is_due(last: Option<Duration>, now: Duration) -> bool {
    last.is_none_or(|last| now.saturating_sub(last) >= SEEN)
}

/// The upkeep of one worker.
#[derive(Default)]
pub(super) struct Upkeep {
    seen: Option<Duration>,
    told: Option<Duration>,
    last: Option<Duration>,
    reported: HashSet<String>,
    missing: Vec<Missing>,
}

impl Upkeep {
    /// Whether jobs that depend on the clock may run. While they may not, a warning is logged every ten minutes.
    pub(super) async fn time_is_believed(&mut self, store: &Store) -> bool {
        let believed = moments::is_believed(store).await.unwrap_or_else(|error| {
            tracing::warn!(?error, "could not read whether the clock was confirmed");
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
                 Retention, expiry and due work wait; set the clock and restart, or confirm it: stipend clock confirm"
            );
        }
        believed
    }

    /// Runs the upkeep, unless it ran within the interval.
    pub(super) async fn run_if_due(&mut self, store: &Store) {
        let now = Clock::monotonic();
        if self.last.is_some_and(|last| now.saturating_sub(last) < PAUSE) {
            return;
        }
        self.last = Some(now);
        if is_due(self.seen, now) {
            match store.write(|tx: &mut Tx<'_>| moments::note_seen(tx)).await {
                Ok(()) => self.seen = Some(now),
                Err(error) => tracing::warn!(?error, "the worker's heartbeat could not be stored"),
            }
        }
        match recovery::fail_abandoned(store).await {
            Ok(0) => {}
            Ok(failed) => {
                tracing::warn!(failed, "payrolls whose background job was gone are marked as failed")
            }
            Err(error) => tracing::error!(?error, "payrolls in progress could not be checked"),
        }
        self.update_store_metrics(store).await;
    }

    /// Sets the metrics of the store.
    async fn update_store_metrics(&mut self, store: &Store) {
        match store.read(|tx: &mut Tx<'_>| Offsets::read_offsets(tx)).await {
            Ok(offsets) => offsets.record_offsets(),
            Err(error) => tracing::warn!(?error, "this node's clock could not be compared with the store"),
        }
        // Without the companies of a server that does not answer the figures would be wrong: they stay as they were.
        if !store.silent_servers().is_empty() {
            return;
        }
        let counted = store.read(|tx: &mut Tx<'_>| {
            let late = open_items::of_all(tx)?.count_late_items() + pickup::count_failed_pickups(tx)?;
            let missed = missed::count_missed_payrolls(tx)?;
            Ok::<_, Error>((
                (jobs::dead_letters::count_failed_jobs(tx)?, late, missed),
                jobs::work::unknown_job_kinds(tx)?,
            ))
        });
        match counted.await {
            Ok((counts, unknown)) => self.report_counts(counts, &unknown),
            Err(error) => tracing::warn!(?error, "due jobs could not be counted"),
        }
        match store.read(|tx: &mut Tx<'_>| datasets::missing_entries(tx)).await {
            Ok(missing) => self.report_missing(missing),
            Err(error) => tracing::error!(?error, "the tables of law could not be checked"),
        }
    }

    /// Sets the metric of missing tables, and logs once, in one line, those that are missing since the last look.
    fn report_missing(&mut self, missing: Vec<Missing>) {
        metrics::gauge!("law_tables_missing").set(u32::try_from(missing.len()).unwrap_or(u32::MAX));
        let new: Vec<_> = missing.iter().filter(|table| !self.missing.contains(table)).collect();
        if !new.is_empty() {
            tracing::warn!(
                tables = new.len(),
                "tables of law are missing, in whole or in part: {}; which parts, and how they are imported: stipend data status",
                missing_by_year(&new)
            );
        }
        self.missing = missing;
    }

    /// Sets the metrics, and logs each unknown kind once: it is left to a newer node.
    fn report_counts(&mut self, (given_up, late, missed): (i64, i64, i64), unknown: &[(String, i64)]) {
        let gauge = |count: i64| u32::try_from(count).unwrap_or(u32::MAX);
        metrics::gauge!("jobs_given_up_waiting").set(gauge(given_up));
        metrics::gauge!("payments_late_waiting").set(gauge(late));
        metrics::gauge!("paydays_missed_waiting").set(gauge(missed));
        metrics::gauge!("jobs_unknown_waiting").set(gauge(unknown.iter().map(|(_, count)| count).sum()));
        for (kind, count) in unknown {
            if self.reported.insert(kind.clone()) {
                tracing::warn!(kind, count, "jobs of a kind unknown to this version are left to newer nodes");
            }
        }
    }
}

/// The tables that are missing, by year: their names where they are few, else how many they are. Before a year begins most of its tables are
/// missing, and a line of all names would hide the rest of a start.
fn missing_by_year(tables: &[&Missing]) -> String {
    let mut by_year: BTreeMap<i16, Vec<&str>> = BTreeMap::new();
    for table in tables {
        by_year.entry(table.year).or_default().push(table.kind);
    }
    let of_year = by_year.iter().map(|(year, kinds)| match kinds.len() {
        ..=FEW => format!("{} of {year}", kinds.join(", ")),
        many => format!("{many} of {year}"),
    });
    of_year.collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_year_that_has_hardly_any_tables_is_one_number_in_the_log() {
        let table = |kind, year| Missing { kind, year, of: Vec::new() };
        let few = [table("futa-credit-reductions", 2026), table("local-taxes", 2027)];
        let named = |tables: &[Missing]| missing_by_year(&tables.iter().collect::<Vec<_>>());
        assert_eq!(named(&few), "futa-credit-reductions of 2026; local-taxes of 2027");
        let many: Vec<_> =
            ["a", "b", "c", "d"].map(|kind| table(kind, 2027)).into_iter().chain(few).collect();
        assert_eq!(named(&many), "futa-credit-reductions of 2026; 5 of 2027");
    }
}
