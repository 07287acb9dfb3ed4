//! Delivery of events: from the outbox to the receivers, at least once, with a record of every attempt.
//!
//! | module | what it does |
//! |---|---|
//! | here | the task that takes what is due and stores outcomes |
//! | `tries` | one try: taking a delivery, the call, what follows from it |
//! | `round` | what one unit of work stores and claims |
//! | `standing` | how many deliveries a receiver gets at once |
//! | `client`, `sign` | the call itself: its limits, and its signature |
//! | `astray` | for tests: URLs that lead to no public address |
//! | [`domain::events::webhooks::outbox`] | numbers committed events and makes their deliveries |
//! | [`domain::events::delivery::rows`] | deliveries and tries in the store: leases, outcomes |
//! | [`domain::events::delivery::address`] | which addresses may receive deliveries |
//!
//! One task ([`run_dispatcher`]) coordinates. Each round is one unit of work that stores the outcomes of finished attempts,
//! numbers new events, and claims due deliveries up to the free capacity; then the calls are made, each in its own
//! task, without a database connection. A crash loses nothing: what was claimed and not settled is due again when its
//! lease expires. Several nodes can do this side by side.
//!
//! While the test clock is being advanced ([`Courier::stand_still`]) no task claims anything: the clock alone makes the
//! attempts, in order of their time.

#[cfg(test)]
mod astray;
pub mod client;
mod round;
pub mod sign;
pub mod standing;
pub mod tries;

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use store::{Clock, Store, Tx};
use tokio::sync::{OwnedRwLockReadGuard, OwnedRwLockWriteGuard, RwLock, mpsc, watch};
use tokio::task::JoinSet;
use uuid::Uuid;

use client::Sender;
use domain::error::Error;
use domain::events::delivery::address::Policy;
use domain::events::delivery::rows;
use domain::events::delivery::rows::{Key, Lane};
use domain::events::webhooks::outbox;
use round::{Done, Round, one_round};
use standing::{Room, Rooms, Standing};
use tries::{Outcome, Parcel};

/// Interval at which the store is polled for due deliveries, besides after commits of this process.
const LOOK: Duration = Duration::from_secs(1);
/// Minimum time between two polls.
const REST: Duration = Duration::from_millis(20);
/// After a commit or an outcome, how long to wait for further ones, so that they share a unit of work.
const GATHER: Duration = Duration::from_millis(2);
/// From this many concurrent attempts on, outcomes are batched, too.
const MANY: usize = 64;
/// Deliveries claimed in one unit, and outcomes stored in one.
const AT_ONCE: usize = 256;
/// Lanes found by one poll, and receivers that are remembered.
const LANES: usize = 10_000;
/// How long running attempts may take to end when the process is asked to stop.
const GRACE: Duration = Duration::from_secs(9);

/// Delivers webhooks: shared by the worker, the test clock and the operations on subscriptions.
pub struct Courier {
    /// makes the calls
    pub sender: Sender,
    /// which addresses may be called
    pub policy: Policy,
    gate: Arc<RwLock<()>>,
}

/// Nothing is delivered in the background while this exists.
pub type StandStill = OwnedRwLockWriteGuard<()>;

impl Courier {
    /// A courier with this configuration.
    pub fn new(policy: Policy) -> Self {
        Self { sender: Sender::new(&policy), policy, gate: Arc::default() }
    }

    /// The same, with all calls answered in place of the network.
    pub fn answered_by(policy: Policy, receiver: Arc<dyn client::Receive>) -> Self {
        let courier = Self::new(policy);
        Self { sender: courier.sender.answered_by(receiver), ..courier }
    }

    /// Waits until running attempts have ended and are stored, and lets no new ones begin.
    pub async fn stand_still(&self) -> StandStill {
        Arc::clone(&self.gate).write_owned().await
    }

    /// Makes one attempt at each of these deliveries, each at its moment, for the test clock. They are made in order until a receiver
    /// fails; its other ones are then made at once, because one that does not answer would keep the clock waiting for each.
    pub async fn try_some(&self, store: &Store, due: Vec<(Timestamp, Key)>) -> Result<(), Error> {
        let Some(&(last, _)) = due.last() else { return Ok(()) };
        let parcels = store.write(move |tx| claim_parcels(tx, &due)).await?;
        let (mut outcomes, mut failed, mut others) = (Vec::new(), HashSet::new(), JoinSet::new());
        for (at, parcel) in parcels {
            let subscription = parcel.delivery.key.subscription;
            if failed.contains(&subscription) {
                let sender = self.sender.clone();
                others.spawn(async move { parcel.send_call(&sender, at, || at).await });
                continue;
            }
            let outcome = parcel.send_call(&self.sender, at, || at).await;
            if !outcome.is_acknowledged() {
                failed.insert(subscription);
            }
            outcomes.push(outcome);
        }
        outcomes.extend(others.join_all().await);
        outcomes.iter().for_each(record_attempt_metrics);
        let unreachable = store.write(move |tx| tries::store_outcomes(tx, &outcomes)).await?;
        for (application, subscription) in unreachable {
            report_unreachable(subscription);
            for retries in [false, true] {
                let lane = Lane { application, subscription, retries };
                while store.write(move |tx| tries::claim_due_deliveries(tx, lane, last, 0)).await?.more {}
            }
        }
        Ok(())
    }
}

/// Claims deliveries for the test clock, each at its moment.
fn claim_parcels(tx: &mut Tx<'_>, due: &[(Timestamp, Key)]) -> Result<Vec<(Timestamp, Parcel)>, Error> {
    let mut parcels = Vec::with_capacity(due.len());
    for (at, key) in due {
        let found = domain::events::webhooks::rows::find_for_delivery(tx, key.application, key.subscription)?;
        let Some((subscription, delivery)) = found.zip(rows::find_delivery(tx, *key)?) else { continue };
        let parcel = tries::take_one(tx, &subscription, delivery, *at)?;
        parcels.extend(parcel.map(|parcel| (*at, parcel)));
    }
    Ok(parcels)
}

/// What the coordinating task knows of a lane.
#[derive(Default)]
struct Queue {
    /// claimed, and waiting for a slot
    waiting: VecDeque<Parcel>,
    running: usize,
    /// whether the store may have more that is due
    more: bool,
}

/// A finished attempt, with the slot that it used.
struct Ended {
    lane: Lane,
    room: Room,
    outcome: Outcome,
}

struct Dispatcher {
    store: Store,
    courier: Arc<Courier>,
    lanes: HashMap<Lane, Queue>,
    standings: HashMap<Uuid, Standing>,
    rooms: Rooms,
    outcomes: Vec<Outcome>,
    /// keeps the gate open for claimed deliveries that are not stored yet
    pass: Option<OwnedRwLockReadGuard<()>>,
    ended: mpsc::UnboundedSender<Ended>,
    /// whether there may be events without a number
    new_events: bool,
    /// whether the store should be polled before the next interval
    look_again: bool,
}

/// Delivers until `stop`; then lets running attempts end, and releases claimed deliveries that were not attempted.
pub async fn run_dispatcher(store: Store, courier: Arc<Courier>, mut stop: watch::Receiver<bool>) {
    let (ended, mut endings) = mpsc::unbounded_channel();
    let mut commits = store.watch_commits();
    let mut dispatcher = Dispatcher {
        store,
        courier,
        lanes: HashMap::new(),
        standings: HashMap::new(),
        rooms: Rooms::default(),
        outcomes: Vec::new(),
        pass: None,
        ended,
        new_events: true,
        look_again: false,
    };
    let mut looked = None;
    while !*stop.borrow() {
        let now = Clock::monotonic();
        let rest = if dispatcher.look_again { REST } else { LOOK };
        if looked.is_none_or(|at| now.saturating_sub(at) >= rest) {
            looked = Some(now);
            // Commits of other processes are not announced to this one.
            dispatcher.new_events |= !dispatcher.look_again;
            dispatcher.look_again = false;
            dispatcher.find_due_lanes().await;
        }
        let again = dispatcher.run_round().await;
        dispatcher.start_waiting();
        if again {
            continue;
        }
        tokio::select! {
            _ = commits.changed() => dispatcher.new_events = true,
            Some(ending) = endings.recv() => dispatcher.take_back(ending),
            () = tokio::time::sleep(if dispatcher.look_again { REST } else { LOOK }) => {}
            _ = stop.changed() => {}
        }
        dispatcher.wait_for_work(&mut endings).await;
        dispatcher.new_events |= commits.has_changed().unwrap_or(false);
        commits.mark_unchanged();
        while let Ok(ending) = endings.try_recv() {
            dispatcher.take_back(ending);
        }
    }
    dispatcher.finish_running(&mut endings).await;
}

impl Dispatcher {
    /// Waits briefly for more to do. When few attempts run, outcomes are stored without delay: a response that is not
    /// stored when the process dies is delivered twice.
    async fn wait_for_work(&mut self, endings: &mut mpsc::UnboundedReceiver<Ended>) {
        if self.rooms.used_slots() >= MANY {
            tokio::time::sleep(GATHER).await;
        } else if self.outcomes.is_empty()
            && let Ok(Some(ending)) = tokio::time::timeout(GATHER, endings.recv()).await
        {
            self.take_back(ending);
        }
    }

    /// Finds the lanes in which something has become due: retries, and what another process left.
    async fn find_due_lanes(&mut self) {
        let now = self.store.clock().now();
        match self.store.read(move |tx| rows::lanes_due(tx, now, LANES)).await {
            Ok(lanes) => lanes.into_iter().for_each(|lane| self.lane_queue(lane).more = true),
            Err(error) => tracing::warn!(?error, "could not read due deliveries"),
        }
        if self.standings.len() > LANES {
            self.standings.clear();
        }
        self.lanes.retain(|_, queue| queue.more || queue.running > 0 || !queue.waiting.is_empty());
        let open = u32::try_from(self.rooms.used_slots()).unwrap_or(u32::MAX);
        metrics::gauge!("webhook_tries_running").set(open);
    }

    fn lane_queue(&mut self, lane: Lane) -> &mut Queue {
        self.lanes.entry(lane).or_default()
    }

    fn standing_of(&self, subscription: Uuid) -> Standing {
        self.standings.get(&subscription).copied().unwrap_or_default()
    }

    /// How many more deliveries of a lane may be claimed: twice the number that may run, so that slots do not stay
    /// empty during a query.
    fn room_for(&self, lane: Lane, queue: &Queue) -> usize {
        let held = queue.waiting.len() + queue.running;
        (2 * self.standing_of(lane.subscription).at_once()).saturating_sub(held)
    }

    /// Stores outcomes, numbers events, and claims up to the free capacity. Returns whether there is more to do at
    /// once.
    async fn run_round(&mut self) -> bool {
        // While the test clock waits at the gate, claimed deliveries are completed and nothing new begins.
        let pass = Arc::clone(&self.courier.gate).try_read_owned().ok();
        let outcomes: Arc<[Outcome]> = self.outcomes.iter().take(AT_ONCE).cloned().collect();
        let number = self.new_events && pass.is_some();
        let mut wanted = Vec::new();
        let mut total = 0;
        for (lane, queue) in self.lanes.iter().filter(|(_, queue)| queue.more && pass.is_some()) {
            let room = self.room_for(*lane, queue).min(AT_ONCE - total);
            if room > 0 {
                total += room;
                wanted.push((*lane, room as i64));
            }
            if total == AT_ONCE {
                break;
            }
        }
        if outcomes.is_empty() && !number && wanted.is_empty() {
            return false;
        }
        let (stored, now) = (outcomes.len(), self.store.clock().now());
        let round = Round { outcomes, number, wanted, now };
        let whole = round.clone();
        match self.store.write(move |tx: &mut Tx<'_>| one_round(tx, &whole)).await {
            Ok(done) => {
                self.outcomes.drain(..stored);
                self.new_events = number && done.numbered as i64 == outbox::AT_ONCE;
                // Woken by something other than an event: a verification call, or a repeated one.
                self.look_again |= number && done.numbered == 0;
                let again = self.new_events || !self.outcomes.is_empty();
                self.pass = self.pass.take().or(pass);
                let took = self.apply_round(done);
                self.let_go();
                again || took
            }
            Err(Error::Store(store::Error::Away(server))) => {
                tracing::warn!(
                    server,
                    "a round of deliveries lacks a server; its parts are stored one by one"
                );
                self.pass = self.pass.take().or(pass);
                self.in_parts(round).await;
                self.let_go();
                tokio::time::sleep(Duration::from_millis(200)).await;
                false
            }
            Err(error) => {
                tracing::warn!(?error, "a round of deliveries could not be stored; it is retried");
                tokio::time::sleep(Duration::from_millis(200)).await;
                self.let_go();
                false
            }
        }
    }

    /// Does a round part by part, because a server of a cluster is missing: what needs it waits, and the rest does not.
    async fn in_parts(&mut self, round: Round) {
        let Round { outcomes, number, wanted, now } = round;
        let mut parts = Vec::new();
        if number {
            parts.push(Round { outcomes: Arc::default(), number, wanted: Vec::new(), now });
        }
        let mut of_applications: BTreeMap<Uuid, Vec<Outcome>> = BTreeMap::new();
        for outcome in outcomes.iter() {
            of_applications.entry(outcome.delivery.key.application).or_default().push(outcome.clone());
        }
        for outcomes in of_applications.into_values() {
            parts.push(Round { outcomes: outcomes.into(), number: false, wanted: Vec::new(), now });
        }
        for lane in wanted {
            parts.push(Round { outcomes: Arc::default(), number: false, wanted: vec![lane], now });
        }
        for part in parts {
            let whole = part.clone();
            match self.store.write(move |tx: &mut Tx<'_>| one_round(tx, &whole)).await {
                Ok(done) => {
                    let stored: HashSet<_> = part.outcomes.iter().map(Outcome::claim_key).collect();
                    self.outcomes.retain(|outcome| !stored.contains(&outcome.claim_key()));
                    self.new_events &= !part.number;
                    self.apply_round(done);
                }
                Err(error) => {
                    // It is found again by the next look.
                    for (lane, _) in &part.wanted {
                        self.lane_queue(*lane).more = false;
                    }
                    tracing::warn!(
                        ?error,
                        "a part of a round of deliveries could not be stored; it is retried"
                    );
                }
            }
        }
    }

    /// Records the result of a round. Returns whether there are lanes that have not been looked into.
    fn apply_round(&mut self, done: Done) -> bool {
        for (lane, taken) in done.taken {
            let queue = self.lane_queue(lane);
            queue.more = taken.more;
            queue.waiting.extend(taken.parcels);
        }
        let mut found = false;
        for lane in done.lanes {
            let queue = self.lane_queue(lane);
            queue.more = true;
            let queue = &self.lanes[&lane];
            found |= self.room_for(lane, queue) > 0;
        }
        for (application, subscription) in done.unreachable {
            report_unreachable(subscription);
            for retries in [false, true] {
                self.lane_queue(Lane { application, subscription, retries }).more = true;
            }
        }
        found
    }

    /// Lets the gate close once nothing is claimed any more.
    fn let_go(&mut self) {
        let idle = |queue: &Queue| queue.running == 0 && queue.waiting.is_empty();
        if self.outcomes.is_empty() && self.lanes.values().all(idle) {
            self.pass = None;
        }
    }

    /// Starts waiting deliveries for which there is a slot.
    fn start_waiting(&mut self) {
        let clock = self.store.clock().clone();
        for (lane, queue) in &mut self.lanes {
            let standing = self.standings.get(&lane.subscription).copied().unwrap_or_default();
            let room = standing.attempt_pool(lane.retries);
            while queue.running < standing.at_once() && !queue.waiting.is_empty() {
                if !self.rooms.take_slot(room) {
                    break;
                }
                let Some(parcel) = queue.waiting.pop_front() else { break };
                queue.running += 1;
                let (lane, ended, sender) = (*lane, self.ended.clone(), self.courier.sender.clone());
                let clock = clock.clone();
                tokio::spawn(async move {
                    let outcome = parcel.send_call(&sender, clock.now(), || clock.now()).await;
                    // The receiving end is dropped only when the process ends.
                    ended.send(Ended { lane, room, outcome }).ok();
                });
            }
        }
    }

    fn take_back(&mut self, Ended { lane, room, outcome }: Ended) {
        self.rooms.release_slot(room);
        self.lane_queue(lane).running -= 1;
        self.standings
            .entry(lane.subscription)
            .or_default()
            .record_attempt(outcome.is_acknowledged(), outcome.took);
        record_attempt_metrics(&outcome);
        self.outcomes.push(outcome);
    }

    /// Waits for running attempts, stores their outcomes, and releases the rest.
    async fn finish_running(&mut self, endings: &mut mpsc::UnboundedReceiver<Ended>) {
        let end = tokio::time::Instant::now() + GRACE;
        while self.rooms.used_slots() > 0 {
            match tokio::time::timeout_at(end, endings.recv()).await {
                Ok(Some(ending)) => self.take_back(ending),
                _ => break,
            }
        }
        let now = self.store.clock().now();
        let outcomes: Arc<[Outcome]> = self.outcomes.drain(..).collect();
        let waiting = self.lanes.values_mut().flat_map(|queue| queue.waiting.drain(..));
        let back: Vec<_> = waiting.map(|parcel| (parcel.delivery.key, parcel.delivery.claims)).collect();
        let unit = move |tx: &mut Tx<'_>| {
            tries::store_outcomes(tx, &outcomes)?;
            for (key, claims) in &back {
                rows::release_delivery(tx, *key, *claims, now)?;
            }
            Ok::<_, Error>(())
        };
        if let Err(error) = self.store.write(unit).await {
            tracing::warn!(
                ?error,
                "the last deliveries could not be stored; they are repeated when their lease expires"
            );
        }
    }
}

fn report_unreachable(subscription: Uuid) {
    metrics::counter!("webhook_subscriptions_unreachable_total").increment(1);
    tracing::error!(%subscription, "a webhook subscription is unreachable: deliveries to it failed for three days");
}

fn record_attempt_metrics(outcome: &Outcome) {
    let result = match &outcome.result {
        Ok(reply) if reply.is_acknowledged() => "acknowledged",
        Ok(_) => "refused",
        Err(_) => "unanswered",
    };
    metrics::counter!("webhook_tries_total", "result" => result).increment(1);
    metrics::histogram!("webhook_try_seconds").record(outcome.took);
}
