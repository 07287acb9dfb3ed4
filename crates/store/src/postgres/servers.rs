//! The servers of a cluster, as seen from the one that the store is connected to: which of them do not answer.
//!
//! A statement about one company is run by the server that has its records, and fails if that server does not answer;
//! every other company is served as before. A statement about all companies would fail as well, so it is run on the
//! servers that answer (see [`super::session`]), and nothing waits for one that is known not to.
//!
//! A thread of its own asks each server every second, and at once when a statement has failed for want of one.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};

use super::hosts::Hosts;
use super::session::Session;
use crate::tx::Fault;
use crate::{Clock, Error};

/// Interval between two checks of all servers.
const LOOK: Duration = Duration::from_secs(1);
/// How long a server may take to answer a check, in milliseconds.
const PATIENCE_MILLIS: u32 = 1_500;
/// For how long a unit is still retried after the server that it needs was found silent: a server that restarts is back
/// by then, and one that is gone must not hold up the connections that other companies need.
const HOPE: Duration = Duration::from_secs(1);

/// The other servers of the cluster that take part in commits.
const OTHERS: &str = "SELECT nodename, nodeport FROM pg_dist_node WHERE noderole = 'primary' \
                      AND groupid <> (SELECT groupid FROM pg_dist_local_group LIMIT 1) ORDER BY nodename, nodeport";

/// A server of the cluster, as the cluster itself names it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Server {
    pub name: String,
    pub port: i64,
}

impl fmt::Display for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.name, self.port)
    }
}

/// A server that does not answer, and since when, by the monotonic clock.
#[derive(Debug, Clone)]
struct Silent {
    server: Server,
    since: Duration,
}

/// The servers that do not answer.
pub(crate) struct Servers {
    silent: Arc<Mutex<Vec<Silent>>>,
    asked: Sender<()>,
}

impl Servers {
    /// Checks every server once, and starts the thread that goes on doing so until the store is closed.
    pub fn watch_servers(hosts: &Arc<Hosts>) -> Result<(Arc<Self>, JoinHandle<()>), Error> {
        let (asked, asking) = bounded(1);
        let silent = Arc::default();
        let mut lookout =
            Lookout { hosts: Arc::clone(hosts), session: None, silent: Arc::clone(&silent), asking };
        lookout.check_servers();
        let thread = std::thread::Builder::new().name("store-servers".to_owned());
        let thread = thread.spawn(move || lookout.run_checks());
        let thread = thread.map_err(|e| Error::Open(format!("a storage thread cannot be started: {e}")))?;
        Ok((Arc::new(Self { silent, asked }), thread))
    }

    /// The servers that do not answer.
    pub fn silent_servers(&self) -> Vec<Server> {
        self.known_silent().iter().map(|silent| silent.server.clone()).collect()
    }

    /// Whether every server answers.
    pub fn all_answer(&self) -> bool {
        self.known_silent().is_empty()
    }

    /// Has the servers checked at once, because a statement has failed for want of one.
    pub fn suspect_servers(&self) {
        // A check that is requested already has not begun.
        self.asked.try_send(()).ok();
    }

    /// Whether a unit that failed for want of a server need not be retried: no server has come back for a while.
    pub fn is_hopeless(&self) -> bool {
        let now = Clock::monotonic();
        let mut known = self.known_silent().into_iter().peekable();
        known.peek().is_some() && known.all(|silent| now.saturating_sub(silent.since) >= HOPE)
    }

    fn known_silent(&self) -> Vec<Silent> {
        self.silent.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Servers of which these are known not to answer, and which nobody checks.
    #[cfg(test)]
    pub fn of_silent(servers: &[(&str, i64)], since: Duration) -> Self {
        let silent = servers
            .iter()
            .map(|(name, port)| Silent { server: Server { name: (*name).to_owned(), port: *port }, since });
        Self { silent: Arc::new(Mutex::new(silent.collect())), asked: bounded(1).0 }
    }
}

/// Checks the servers, on a thread and a connection of its own.
struct Lookout {
    hosts: Arc<Hosts>,
    session: Option<Session>,
    silent: Arc<Mutex<Vec<Silent>>>,
    asking: Receiver<()>,
}

impl Lookout {
    fn run_checks(mut self) {
        loop {
            match self.asking.recv_timeout(LOOK) {
                Ok(()) | Err(RecvTimeoutError::Timeout) => self.check_servers(),
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    /// Checks every server, and logs what has changed. If the store's own server does not answer, nothing is known of
    /// the others, and what was known stays.
    fn check_servers(&mut self) {
        let Some(found) = self.find_silent() else {
            self.session = None;
            return;
        };
        let mut silent = self.silent.lock().unwrap_or_else(PoisonError::into_inner);
        for server in &found {
            if silent.iter().all(|known| known.server != *server) {
                tracing::error!(%server, "a server of the cluster does not answer: its companies are not served");
            }
        }
        for known in silent.iter().filter(|known| !found.contains(&known.server)) {
            tracing::warn!(server = %known.server, "a server of the cluster answers again");
        }
        let now = Clock::monotonic();
        let since = |server: &Server| {
            silent.iter().find(|known| known.server == *server).map_or(now, |known| known.since)
        };
        *silent =
            found.iter().map(|server| Silent { server: server.clone(), since: since(server) }).collect();
        metrics::gauge!("store_servers_silent").set(u32::try_from(found.len()).unwrap_or(u32::MAX));
    }

    /// The servers that do not answer; `None` if the store's own one does not.
    fn find_silent(&mut self) -> Option<Vec<Server>> {
        if self.session.is_none() {
            let mut session = self.hosts.connect().ok()?;
            session.run_text(&format!("SET statement_timeout = {PATIENCE_MILLIS}")).ok()?;
            self.session = Some(session);
        }
        let session = self.session.as_mut()?;
        let mut silent = Vec::new();
        for row in session.run_text(OTHERS).ok()? {
            let [Some(name), Some(port)] = row.as_slice() else { continue };
            let server = Server { name: name.clone(), port: port.parse().ok()? };
            match session.run_text(&check_statement(&server)) {
                Ok(said) if said.iter().flatten().flatten().any(|said| said == "t") => {}
                Err(Fault::Lost) => return None,
                Ok(_) | Err(_) => silent.push(server),
            }
        }
        Some(silent)
    }
}

/// The statement that checks a server. The name is the cluster's own record.
fn check_statement(server: &Server) -> String {
    format!("SELECT citus_check_connection_to_node('{}', {})", server.name.replace('\'', "''"), server.port)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_is_retried_for_a_second_after_its_server_was_lost_and_then_refused_at_once() {
        let now = Clock::monotonic();
        assert!(!Servers::of_silent(&[], now).is_hopeless(), "all answer: the connection alone was lost");
        let lost = Servers::of_silent(&[("10.0.0.7", 5432)], now);
        assert!(!lost.is_hopeless() && !lost.all_answer());
        std::thread::sleep(HOPE);
        assert!(lost.is_hopeless());
        assert_eq!(lost.silent_servers()[0].to_string(), "10.0.0.7:5432");
    }

    #[test]
    fn the_name_of_a_server_is_a_literal_whatever_is_in_it() {
        let server = Server { name: "it's".to_owned(), port: 5432 };
        assert_eq!(check_statement(&server), "SELECT citus_check_connection_to_node('it''s', 5432)");
    }
}
