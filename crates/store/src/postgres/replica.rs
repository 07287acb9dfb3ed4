//! Reads on a replica: a standby that follows the primary, and may be behind it.
//!
//! A read on a replica must see everything committed before it was requested, on any node. So each read first queries
//! the primary for the end of its log, with one small statement for all reads waiting at the moment, and goes to the
//! replica once the replica has replayed up to that position. A replica that does not get there within [`WAIT`], is
//! unreachable, or is on another timeline than the primary is not used for [`REST`]: the primary runs its reads, as if
//! there were no replica.
//!
//! A log position does not identify the cluster: a server of another cluster, or another database of the same one, is
//! not a replica ([`Origin`]). An address may also lead to several standbys, one ahead of another. So a reading session
//! ([`Follower`]) compares its server with the one that was found to be far enough ahead, and checks the position of
//! any other server itself.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};
use tokio::sync::oneshot;

use super::hosts::Hosts;
use super::session::Session;
use crate::Clock;
use crate::queue::Queue;
use crate::tx::Fault;

/// How long a replica may take to replay what has been committed.
const WAIT: Duration = Duration::from_millis(50);
/// Interval between two checks of its position.
const LOOK: Duration = Duration::from_millis(1);
/// How long a read waits for the result of such a check.
const PATIENCE: Duration = Duration::from_millis(150);
/// How long an unusable replica is not used.
const REST: Duration = Duration::from_secs(1);
/// Maximum number of reads that wait at once.
const MOST: usize = 4_096;

/// The end of the primary's log, which includes everything acknowledged: a commit is acknowledged after its flush,
/// unless the server is configured not to wait for that. The name of the current log file contains the timeline.
const END: &str = "SELECT CASE WHEN current_setting('synchronous_commit') = 'off' THEN pg_current_wal_insert_lsn() \
                   ELSE pg_current_wal_flush_lsn() END - '0/0', \
                   CAST(CAST('x' || left(pg_walfile_name(pg_current_wal_flush_lsn()), 8) AS bit(32)) AS integer)";
/// The position of a replica, and a timeline that it has certainly reached: that of its last checkpoint. After another
/// server has become the primary, this may be an earlier timeline for a while, but never a later one. The position is
/// NULL on a server that is not a standby.
const REACHED: &str = "SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() - '0/0' END, \
                       (SELECT timeline_id FROM pg_control_checkpoint())";

/// The identity of the server and of its data; the table is the one that the address's `search_path` finds.
const ABOUT: &str = "SELECT pg_postmaster_start_time() || ' ' || concat_ws(' ', inet_server_addr(), inet_server_port()), \
                     concat_ws('/', current_database(), CAST(to_regclass('schema_migrations') AS oid)), \
                     (SELECT system_identifier FROM pg_control_system())";
/// The same for a server that does not reveal its cluster identifier to every user. The store's creation time stands in
/// for it.
const ABOUT_ITSELF: &str = "SELECT pg_postmaster_start_time() || ' ' || concat_ws(' ', inet_server_addr(), inet_server_port()), \
                            concat_ws('/', current_database(), CAST(to_regclass('schema_migrations') AS oid), \
                            (SELECT min(finished_at) FROM schema_migrations)), NULL";

/// The identity of a server's data: the same on a primary and its standbys, and on no other server.
#[derive(Clone)]
struct Origin {
    /// its system identifier, if the server reports it
    cluster: Option<String>,
    /// the database, and in it the table that every store has
    store: String,
}

/// A server, and the identity of its data.
#[derive(Clone)]
struct About {
    /// its start time and address, which no two servers share
    server: String,
    origin: Origin,
}

impl About {
    fn read_server(session: &mut Session) -> Option<Self> {
        let said = session.run_text(ABOUT).or_else(|_| session.run_text(ABOUT_ITSELF)).ok()?;
        let [server, store, cluster]: [Option<String>; 3] = said.into_iter().next()?.try_into().ok()?;
        Some(Self { server: server?, origin: Origin { cluster, store: store? } })
    }
}

impl Origin {
    /// Returns why a server with the other data cannot replace one with these, if it cannot.
    fn difference_from(&self, other: &Self) -> Option<&'static str> {
        match (&self.cluster, &other.cluster) {
            (Some(one), Some(two)) if one != two => {
                Some("it does not follow the primary: it is of another cluster")
            }
            _ if self.store != other.store => Some(
                "its address leads to another database or schema than that of the primary, or it has no store yet",
            ),
            _ => None,
        }
    }
}

/// The position of a server, and its timeline.
#[derive(Clone, Copy)]
struct Place {
    at: i64,
    history: i64,
}

impl Place {
    /// Queries a server; `None` if it reports no position.
    fn query_position(session: &mut Session, statement: &str) -> Result<Option<Self>, Fault> {
        let said = session.run_text(statement)?;
        let number = |text: &Option<String>| text.as_ref()?.parse::<i64>().ok();
        Ok(match said.first().map(Vec::as_slice) {
            Some([at, history]) => number(at).zip(number(history)).map(|(at, history)| Self { at, history }),
            _ => None,
        })
    }

    fn has_all(&self, end: &Self) -> bool {
        self.history == end.history && self.at >= end.at
    }
}

/// Waits until a server has replayed everything up to `end`, within the time limit; returns its position, or why it
/// cannot be used.
fn wait_for_position(session: &mut Session, end: &Place) -> Result<Place, &'static str> {
    let until = Clock::monotonic() + WAIT;
    loop {
        match Place::query_position(session, REACHED) {
            Ok(Some(place)) if place.has_all(end) => return Ok(place),
            Ok(Some(place)) if place.history != end.history => {
                return Err("it is on another timeline than the primary");
            }
            Ok(Some(_)) if Clock::monotonic() < until => std::thread::sleep(LOOK),
            Ok(Some(_)) => return Err("it is behind"),
            Ok(None) => return Err("it is no standby"),
            Err(_) => return Err("it does not say how far it is"),
        }
    }
}

/// The result of the last check: the server at the replica's address that had replayed up to a position of the
/// primary's log.
#[derive(Clone)]
pub(crate) struct Found {
    about: About,
    end: Place,
}

type Last = Arc<Mutex<Option<Found>>>;

/// The replica of a store.
pub(crate) struct Replica {
    pub reads: Queue,
    asked: Sender<oneshot::Sender<()>>,
    usable: Arc<AtomicBool>,
    unfit: Arc<Mutex<Option<&'static str>>>,
}

impl Replica {
    /// Creates the replica, and the job that checks it on a thread of its own. Readers consult `last`.
    pub fn new(reads: Queue, primary: Arc<Hosts>, replica: Arc<Hosts>, last: Last) -> (Self, Lookout) {
        let (asked, asking) = bounded(MOST);
        let usable = Arc::new(AtomicBool::new(true));
        let unfit = Arc::default();
        let side = |hosts| Side { hosts, on: None };
        let lookout = Lookout {
            asking,
            usable: Arc::clone(&usable),
            unfit: Arc::clone(&unfit),
            primary: side(primary),
            replica: side(replica),
            last,
        };
        (Self { reads, asked, usable, unfit }, lookout)
    }

    /// Creates a replica that is never read from, given the reason.
    pub fn never_read(reads: Queue, why: &'static str) -> Self {
        let (asked, _) = bounded(0);
        Self { reads, asked, usable: Arc::default(), unfit: Arc::new(Mutex::new(Some(why))) }
    }

    /// Waits until the replica has replayed everything committed so far; `false` if that takes too long.
    pub async fn has_all(&self) -> bool {
        if !self.usable.load(Ordering::Relaxed) {
            return false;
        }
        let (tell, told) = oneshot::channel();
        if self.asked.try_send(tell).is_err() {
            return false;
        }
        matches!(tokio::time::timeout(PATIENCE, told).await, Ok(Ok(())))
    }

    /// Returns why it is currently not used for reads.
    pub fn reason_unfit(&self) -> Option<&'static str> {
        *self.unfit.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Compares the replica with the primary.
pub(crate) struct Lookout {
    asking: Receiver<oneshot::Sender<()>>,
    usable: Arc<AtomicBool>,
    unfit: Arc<Mutex<Option<&'static str>>>,
    primary: Side,
    replica: Side,
    last: Last,
}

impl Lookout {
    /// Checks the replica at the start, whenever a read asks, and each second while it cannot be used, until the store
    /// is closed.
    pub fn run_checks(mut self) {
        self.check_replica(Vec::new());
        loop {
            let usable = self.usable.load(Ordering::Relaxed);
            let first = match self.asking.recv_timeout(if usable { Duration::MAX } else { REST }) {
                Ok(first) => Some(first),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return,
            };
            let waiting = first.into_iter().chain(self.asking.try_iter().take(MOST)).collect();
            self.check_replica(waiting);
        }
    }

    /// Checks on behalf of the waiting reads, and logs a change.
    fn check_replica(&mut self, waiting: Vec<oneshot::Sender<()>>) {
        let found = self.find_server();
        let unfit = found.as_ref().err().copied();
        let before =
            std::mem::replace(&mut *self.unfit.lock().unwrap_or_else(PoisonError::into_inner), unfit);
        match unfit {
            Some(why) if before != unfit => {
                tracing::warn!(why, "the replica is not used for reads; they go to the primary");
            }
            None if before.is_some() => tracing::info!("the replica is used for reads again"),
            _ => {}
        }
        let Ok(found) = found else {
            // Dropping the waiting reads sends them to the primary.
            return self.usable.store(false, Ordering::Relaxed);
        };
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(found);
        self.usable.store(true, Ordering::Relaxed);
        for one in waiting {
            one.send(()).ok();
        }
    }

    /// Returns the server at the replica's address if it has replayed everything committed, else why it cannot be used.
    fn find_server(&mut self) -> Result<Found, &'static str> {
        const NO_PRIMARY: &str = "the primary is not reached, or does not say where its log ends";
        let (primary, its) = self.primary.open_session().ok_or(NO_PRIMARY)?;
        let Ok(Some(end)) = Place::query_position(primary, END) else {
            self.primary.on = None;
            return Err(NO_PRIMARY);
        };
        let origin = its.origin.clone();
        let (replica, about) =
            self.replica.open_session().ok_or("it is not reached, or does not say what it is")?;
        let about = about.clone();
        let has_all = match origin.difference_from(&about.origin) {
            None => wait_for_position(replica, &end).map(drop),
            Some(why) => Err(why),
        };
        if let Err(why) = has_all {
            // By the next check the address may lead to another server, or to another table.
            self.replica.on = None;
            return Err(why);
        }
        Ok(Found { about, end })
    }
}

/// One of the two servers.
struct Side {
    hosts: Arc<Hosts>,
    on: Option<(Session, About)>,
}

impl Side {
    /// Returns the session and the identity of its server, connecting if necessary; `None` if that fails.
    fn open_session(&mut self) -> Option<(&mut Session, &About)> {
        if self.on.is_none() {
            let mut session = self.hosts.connect().ok()?;
            let about = About::read_server(&mut session)?;
            if about.origin.cluster.is_none() {
                tracing::warn!(
                    "a database server does not report its cluster identifier: whether the replica follows the primary is judged by database and table alone"
                );
            }
            self.on = Some((session, about));
        }
        self.on.as_mut().map(|(session, about)| (session, &*about))
    }
}

/// The state that a thread consults to read from the replica.
pub(super) struct Follower {
    last: Last,
    /// the server of its session, and that server's position when it was last asked
    on: Option<(About, Option<Place>)>,
    /// until when the replica is not used, by the monotonic clock
    rests_until: Duration,
}

impl Follower {
    pub fn new(last: &Last) -> Self {
        Self { last: Arc::clone(last), on: None, rests_until: Duration::ZERO }
    }

    /// Whether the replica must not be used now.
    pub fn is_resting(&self) -> bool {
        Clock::monotonic() < self.rests_until
    }

    /// Records the server of a new session.
    pub fn begin_session(&mut self, session: &mut Session) {
        self.on = About::read_server(session).map(|about| (about, None));
    }

    /// Whether the session's server has replayed what the current reads require. Usually it is the server that the last
    /// check found, and is not queried again.
    pub fn has_all(&mut self, session: &mut Session) -> bool {
        let Some(found) = self.last.lock().unwrap_or_else(PoisonError::into_inner).clone() else {
            return false;
        };
        let Some((about, reached)) = &mut self.on else {
            self.rests_until = Clock::monotonic() + REST;
            return false;
        };
        if about.server == found.about.server || reached.is_some_and(|place| place.has_all(&found.end)) {
            return true;
        }
        let place = match found.about.origin.difference_from(&about.origin) {
            None => wait_for_position(session, &found.end).ok(),
            Some(_) => None,
        };
        if place.is_none() {
            self.rests_until = Clock::monotonic() + REST;
        }
        *reached = place;
        place.is_some()
    }
}
