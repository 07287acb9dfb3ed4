//! Reads on a replica: a standby that follows the primary, and may be behind it.
//!
//! A read on a replica must see everything committed before it was requested, on whichever node. So
//! each read first asks the primary where its log ends, which is one small statement for all reads that wait at the moment,
//! and goes to the replica once that has replayed its log so far. One that does not within [`WAIT`], that is gone, or that follows
//! another history than the primary's is let alone for [`REST`]: its reads are done by the primary, as without a replica.
//!
//! A log position does not identify the cluster: a server of another cluster, or another database of the same one, is no replica
//! ([`Origin`]). And an address may lead to several standbys, of which one is ahead of another. So a session on which is read
//! ([`Follower`]) looks whether its server is the one that was found to be far enough, and where it is another one, asks that, too.

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

/// How long a replica may take to replay what is committed already.
const WAIT: Duration = Duration::from_millis(50);
/// Between two looks at how far it is.
const LOOK: Duration = Duration::from_millis(1);
/// How long a read waits for what is found out about the replica.
const PATIENCE: Duration = Duration::from_millis(150);
/// How long a replica is let alone that could not be used.
const REST: Duration = Duration::from_secs(1);
/// Reads that may wait at once.
const MOST: usize = 4_096;

/// Where the primary's log ends, with everything that was acknowledged: what is acknowledged is flushed, unless that is not waited
/// for. The name of the file that is written tells the history (timeline).
const END: &str = "SELECT CASE WHEN current_setting('synchronous_commit') = 'off' THEN pg_current_wal_insert_lsn() \
                   ELSE pg_current_wal_flush_lsn() END - '0/0', \
                   CAST(CAST('x' || left(pg_walfile_name(pg_current_wal_flush_lsn()), 8) AS bit(32)) AS integer)";
/// How far a replica is, and in which history for certain: that of its last checkpoint, which may be an earlier one for a while
/// after another server has become the primary, and is never a later one. Nothing where it is none.
const REACHED: &str = "SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() - '0/0' END, \
                       (SELECT timeline_id FROM pg_control_checkpoint())";

/// Which server this is, and whose data it has; the table is the one that the address leads to with its `search_path`.
const ABOUT: &str = "SELECT pg_postmaster_start_time() || ' ' || concat_ws(' ', inet_server_addr(), inet_server_port()), \
                     concat_ws('/', current_database(), CAST(to_regclass('schema_migrations') AS oid)), \
                     (SELECT system_identifier FROM pg_control_system())";
/// The same of a server that does not tell everybody which cluster it belongs to. There the moment at which the store was made has to do.
const ABOUT_ITSELF: &str = "SELECT pg_postmaster_start_time() || ' ' || concat_ws(' ', inet_server_addr(), inet_server_port()), \
                            concat_ws('/', current_database(), CAST(to_regclass('schema_migrations') AS oid), \
                            (SELECT min(finished_at) FROM schema_migrations)), NULL";

/// Whose data a server has: the same on a primary and its standbys, and on no other server.
#[derive(Clone)]
struct Origin {
    /// its system identifier, if the server reports it
    cluster: Option<String>,
    /// the database, and the table in it that each store has
    store: String,
}

/// A server, and whose data it has.
#[derive(Clone)]
struct About {
    /// when it was started, and its address: of two servers not the same
    server: String,
    origin: Origin,
}

impl About {
    fn of(session: &mut Session) -> Option<Self> {
        let said = session.simple(ABOUT).or_else(|_| session.simple(ABOUT_ITSELF)).ok()?;
        let [server, store, cluster]: [Option<String>; 3] = said.into_iter().next()?.try_into().ok()?;
        Some(Self { server: server?, origin: Origin { cluster, store: store? } })
    }
}

impl Origin {
    /// Why a server with the other's data cannot stand in for one with these.
    fn differs(&self, other: &Self) -> Option<&'static str> {
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

/// How far a server is, and in which history.
#[derive(Clone, Copy)]
struct Place {
    at: i64,
    history: i64,
}

impl Place {
    /// Asks a server; `None` if it does not answer.
    fn of(session: &mut Session, statement: &str) -> Result<Option<Self>, Fault> {
        let said = session.simple(statement)?;
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

/// Waits until a server has everything up to `end`, as long as it may take; how far it is, or why it cannot be used.
fn reaches(session: &mut Session, end: &Place) -> Result<Place, &'static str> {
    let until = Clock::monotonic() + WAIT;
    loop {
        match Place::of(session, REACHED) {
            Ok(Some(place)) if place.has_all(end) => return Ok(place),
            Ok(Some(place)) if place.history != end.history => {
                return Err("it follows another history than the primary");
            }
            Ok(Some(_)) if Clock::monotonic() < until => std::thread::sleep(LOOK),
            Ok(Some(_)) => return Err("it is behind"),
            Ok(None) => return Err("it is no standby"),
            Err(_) => return Err("it does not say how far it is"),
        }
    }
}

/// What was found of the replica last: the server at its address that had everything up to a place in the primary's log.
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
    /// The replica, and what has to run on a thread of its own for it. `last` is what those go by who read there.
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

    /// Waits until the replica has everything that is committed by now; false where that takes too long.
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

    /// Why it is not read from at the moment.
    pub fn unfit(&self) -> Option<&'static str> {
        *self.unfit.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Compares the two servers.
pub(crate) struct Lookout {
    asking: Receiver<oneshot::Sender<()>>,
    usable: Arc<AtomicBool>,
    unfit: Arc<Mutex<Option<&'static str>>>,
    primary: Side,
    replica: Side,
    last: Last,
}

impl Lookout {
    /// Looks at the start, whenever somebody asks, and each second while the replica cannot be used, until the store is closed.
    pub fn run(mut self) {
        self.look(Vec::new());
        loop {
            let usable = self.usable.load(Ordering::Relaxed);
            let first = match self.asking.recv_timeout(if usable { Duration::MAX } else { REST }) {
                Ok(first) => Some(first),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return,
            };
            let waiting = first.into_iter().chain(self.asking.try_iter().take(MOST)).collect();
            self.look(waiting);
        }
    }

    /// Looks for those who wait, and says so where it is another thing than before.
    fn look(&mut self, waiting: Vec<oneshot::Sender<()>>) {
        let found = self.find();
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
            // Callers that no longer wait read on the primary.
            return self.usable.store(false, Ordering::Relaxed);
        };
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(found);
        self.usable.store(true, Ordering::Relaxed);
        for one in waiting {
            one.send(()).ok();
        }
    }

    /// The server at the replica's address, where it has everything that is committed; else why it cannot be used.
    fn find(&mut self) -> Result<Found, &'static str> {
        const NO_PRIMARY: &str = "the primary is not reached, or does not say where its log ends";
        let (primary, its) = self.primary.session().ok_or(NO_PRIMARY)?;
        let Ok(Some(end)) = Place::of(primary, END) else {
            self.primary.on = None;
            return Err(NO_PRIMARY);
        };
        let origin = its.origin.clone();
        let (replica, about) =
            self.replica.session().ok_or("it is not reached, or does not say what it is")?;
        let about = about.clone();
        let has_all = match origin.differs(&about.origin) {
            None => reaches(replica, &end).map(drop),
            Some(why) => Err(why),
        };
        if let Err(why) = has_all {
            // There may be another server at the address, and another table by then.
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
    /// The session, and the identity of its server; `None` if there is none.
    fn session(&mut self) -> Option<(&mut Session, &About)> {
        if self.on.is_none() {
            let mut session = self.hosts.connect().ok()?;
            let about = About::of(&mut session)?;
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

/// What a thread goes by that reads on the replica.
pub(super) struct Follower {
    last: Last,
    /// the server of its session, and how far that was when it was asked
    on: Option<(About, Option<Place>)>,
    /// until when it is let alone, by the monotonic clock
    rests_until: Duration,
}

impl Follower {
    pub fn new(last: &Last) -> Self {
        Self { last: Arc::clone(last), on: None, rests_until: Duration::ZERO }
    }

    /// Whether nothing is to be asked for now.
    pub fn rests(&self) -> bool {
        Clock::monotonic() < self.rests_until
    }

    /// Notes which server a new session is with.
    pub fn begin(&mut self, session: &mut Session) {
        self.on = About::of(session).map(|about| (about, None));
    }

    /// Whether the server of the session has everything that whoever reads now was promised. Most often it is the one that was found to
    /// have it, and is not asked again.
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
        let place = match found.about.origin.differs(&about.origin) {
            None => reaches(session, &found.end).ok(),
            Some(_) => None,
        };
        if place.is_none() {
            self.rests_until = Clock::monotonic() + REST;
        }
        *reached = place;
        place.is_some()
    }
}
