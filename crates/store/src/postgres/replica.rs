//! Reads on a replica: a standby that follows the primary, and may be behind it.
//!
//! Nobody must miss on a replica what was committed before he asked, his own change least of all, whichever node made it. So
//! each read first asks the primary where its log ends, which is one small statement for all reads that wait at the moment,
//! and goes to the replica once that has replayed its log so far. One that does not within [`WAIT`], that is gone, or that follows
//! another history than the primary's is let alone for [`REST`]: its reads are done by the primary, as without a replica.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};
use tokio::sync::oneshot;

use super::hosts::Hosts;
use super::session::Session;
use crate::Clock;
use crate::queue::Queue;

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

/// The replica of a store.
pub(crate) struct Replica {
    pub reads: Queue,
    asked: Sender<oneshot::Sender<()>>,
    usable: Arc<AtomicBool>,
}

impl Replica {
    /// The replica, and what has to run on a thread of its own for it.
    pub fn new(reads: Queue, primary: Arc<Hosts>, replica: Arc<Hosts>) -> (Self, Lookout) {
        let (asked, asking) = bounded(MOST);
        let usable = Arc::new(AtomicBool::new(true));
        let side = |hosts| Side { hosts, session: None };
        let lookout =
            Lookout { asking, usable: Arc::clone(&usable), primary: side(primary), replica: side(replica) };
        (Self { reads, asked, usable }, lookout)
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
}

/// Compares the two servers.
pub(crate) struct Lookout {
    asking: Receiver<oneshot::Sender<()>>,
    usable: Arc<AtomicBool>,
    primary: Side,
    replica: Side,
}

impl Lookout {
    /// Looks whenever somebody asks, and each second while the replica cannot be used, until the store is closed.
    pub fn run(mut self) {
        loop {
            let usable = self.usable.load(Ordering::Relaxed);
            let first = match self.asking.recv_timeout(if usable { Duration::MAX } else { REST }) {
                Ok(first) => Some(first),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return,
            };
            let waiting: Vec<_> = first.into_iter().chain(self.asking.try_iter().take(MOST)).collect();
            let has_all = self.has_all();
            if has_all != usable {
                match has_all {
                    true => tracing::info!("the replica is read from"),
                    false => tracing::warn!(
                        "the replica is behind or gone: what it would be asked, the primary is"
                    ),
                }
            }
            self.usable.store(has_all, Ordering::Relaxed);
            if has_all {
                // Whoever does not wait any more reads on the primary.
                for one in waiting {
                    one.send(()).ok();
                }
            }
        }
    }

    fn has_all(&mut self) -> bool {
        let Some((end, history)) = self.primary.ask(END) else { return false };
        let until = Clock::monotonic() + WAIT;
        loop {
            match self.replica.ask(REACHED) {
                Some((reached, of)) if of == history && reached >= end => return true,
                Some((_, of)) if of == history && Clock::monotonic() < until => std::thread::sleep(LOOK),
                _ => return false,
            }
        }
    }
}

/// One of the two servers.
struct Side {
    hosts: Arc<Hosts>,
    session: Option<Session>,
}

impl Side {
    /// A place in the log, and a history; nothing where the server does not tell.
    fn ask(&mut self, statement: &str) -> Option<(i64, i64)> {
        if self.session.is_none() {
            self.session = self.hosts.connect().ok();
        }
        let said = self.session.as_mut()?.simple(statement);
        let Ok(rows) = said else {
            self.session = None;
            return None;
        };
        let number = |text: &Option<String>| text.as_ref()?.parse::<i64>().ok();
        match rows.first()?.as_slice() {
            [place, history] => Some((number(place)?, number(history)?)),
            _ => None,
        }
    }
}
