//! Finding the primary.
//!
//! An address may name several hosts. Each gets its own time limit, which includes the handshake, so that a silent host
//! does not keep the others from being tried; the host that was the primary last is tried first. Each server, even a
//! single one, is checked for being the primary: during a failover an address (a name, a proxy) may lead to a standby
//! for a moment, and a session with it would stay there when the address leads to the primary again.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use tokio_postgres::Config;
use tokio_postgres::config::{Host, TargetSessionAttrs};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::line::Line;
use super::session::Session;
use super::tls;
use crate::Error;

/// How long a server may take to accept a session if it is the only one, and if there are others to try.
const THE_ONLY_HOST: Duration = Duration::from_secs(5);
const ONE_OF_SEVERAL: Duration = Duration::from_secs(2);
/// Margin beyond the server's own statement timeout: after that the server counts as silent, not slow.
const SILENCE: Duration = Duration::from_secs(1);

/// A query that is run on a server before it is used, and the required answer.
type Asked = (&'static str, &'static str);

/// Not a standby. A primary whose operator made transactions read-only by default is still the primary.
const PRIMARY: Asked = ("SELECT pg_is_in_recovery()", "f");
const TAKES_WRITES: Asked = ("SHOW transaction_read_only", "off");
const TAKES_NO_WRITES: Asked = ("SHOW transaction_read_only", "on");

/// Where the primary may be found.
pub(crate) struct Hosts {
    each: Vec<Config>,
    /// the check that a server must pass; `None` accepts any server
    wanted: Option<Asked>,
    /// how the connection is protected; `None` for no TLS
    tls: Option<MakeRustlsConnect>,
    /// the host that was the primary last
    last: AtomicUsize,
    /// whether the last attempt found no suitable host; logged once, however many threads notice
    none: AtomicBool,
    patience: Duration,
    unit_limit: Duration,
}

impl Hosts {
    /// Parses the address. With several hosts, the one that accepts writes is required, even if the address does not say
    /// so.
    pub(crate) fn parse_address(url: &str, unit_limit: Duration) -> Result<Self, Error> {
        let (url, security) = tls::take_options(url)?;
        let mut given: Config = url.parse().map_err(|_| tls::unreadable_address())?;
        given.ssl_mode(security.mode);
        let count = given.get_hosts().len().max(given.get_hostaddrs().len());
        let patience = if count > 1 { ONE_OF_SEVERAL } else { THE_ONLY_HOST };
        let patience = given.get_connect_timeout().copied().unwrap_or(patience);
        let limit = unit_limit.as_millis();
        // If a client vanishes in the middle of a unit, its row locks are released soon, not when TCP notices, which
        // takes hours. The address's own options come first: a search_path is kept, and a timeout set there is
        // overridden.
        let options = format!(
            "{} -c statement_timeout={limit} -c lock_timeout={limit} -c timezone=UTC \
             -c idle_in_transaction_session_timeout={}",
            given.get_options().unwrap_or_default(),
            2 * limit
        );
        let each = (0..count).map(|at| {
            let mut config = with_one_host(&given, at);
            config.application_name("stipend").options(&options);
            config
        });
        let wanted = match given.get_target_session_attrs() {
            TargetSessionAttrs::ReadOnly if count == 1 => TAKES_NO_WRITES,
            TargetSessionAttrs::Any if count == 1 => PRIMARY,
            _ => TAKES_WRITES,
        };
        Ok(Self {
            each: each.collect(),
            wanted: Some(wanted),
            tls: security.connector,
            last: AtomicUsize::new(0),
            none: AtomicBool::new(false),
            patience,
            unit_limit,
        })
    }

    /// Accepts any of these hosts, whether or not it accepts writes.
    pub(super) fn of_any_kind(self) -> Self {
        Self { wanted: None, ..self }
    }

    /// Uses these hosts for reading only: a single named host may be a standby.
    pub(super) fn for_reading(self) -> Self {
        let wanted = self.wanted.filter(|wanted| *wanted != PRIMARY);
        Self { wanted, ..self }
    }

    /// Opens a session with the first suitable host that accepts one; the error is what each host answered.
    pub(crate) fn connect(&self) -> Result<Session, String> {
        let first = self.last.load(Ordering::Relaxed);
        let mut reasons = Vec::new();
        for step in 0..self.each.len() {
            let at = (first + step) % self.each.len();
            match self.begin_session(&self.each[at]) {
                Ok(session) => {
                    self.last.store(at, Ordering::Relaxed);
                    if self.none.swap(false, Ordering::Relaxed) {
                        tracing::warn!("the database server is reachable again");
                    }
                    return Ok(session);
                }
                Err(reason) => reasons.push(reason),
            }
        }
        if reasons.is_empty() {
            reasons.push("the address names no host".to_owned());
        }
        let reason = reasons.join("; ");
        if !self.none.swap(true, Ordering::Relaxed) {
            tracing::warn!(reason, "the database server cannot be reached");
        }
        Err(reason)
    }

    fn begin_session(&self, host: &Config) -> Result<Session, String> {
        let limit = self.unit_limit + SILENCE;
        let mut session = Session::on_line(Line::open_line(host, self.tls.as_ref(), self.patience, limit)?);
        let Some(wanted) = self.wanted else { return Ok(session) };
        let said = session.run_text(wanted.0).map_err(|f| f.into_error().to_string())?;
        match said.iter().flatten().any(|found| found.as_deref() == Some(wanted.1)) {
            true => Ok(session),
            false if wanted == PRIMARY => {
                Err("the server is a standby, which is read-only: the address must lead to the primary"
                    .to_owned())
            }
            false => Err("target_session_attrs is not met: the server is read-only where writes are required, or the reverse".to_owned()),
        }
    }
}

/// Returns the same address with only one of its hosts.
fn with_one_host(given: &Config, at: usize) -> Config {
    let mut config = Config::new();
    if let Some(host) = given.get_hosts().get(at) {
        match host {
            Host::Tcp(name) => config.host(name),
            Host::Unix(path) => config.host_path(path),
        };
    }
    if let Some(address) = given.get_hostaddrs().get(at) {
        config.hostaddr(*address);
    }
    if let Some(port) = given.get_ports().get(at).or_else(|| given.get_ports().first()) {
        config.port(*port);
    }
    if let Some(user) = given.get_user() {
        config.user(user);
    }
    if let Some(password) = given.get_password() {
        config.password(password);
    }
    if let Some(name) = given.get_dbname() {
        config.dbname(name);
    }
    config
        .ssl_mode(given.get_ssl_mode())
        .ssl_negotiation(given.get_ssl_negotiation())
        .channel_binding(given.get_channel_binding())
        .keepalives(given.get_keepalives());
    config
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_address_asks_of_a_session_is_kept_and_our_limits_come_after_it() {
        let url = "postgres://pay@one,two/pay?options=-csearch_path%3Dpay%20-cstatement_timeout%3D0&connect_timeout=3";
        let hosts =
            Hosts::parse_address(url, Duration::from_secs(5)).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((hosts.each.len(), hosts.patience), (2, Duration::from_secs(3)));
        for host in &hosts.each {
            let options = host.get_options().unwrap();
            let asked = options.find("-csearch_path=pay -cstatement_timeout=0").unwrap();
            assert!(asked < options.find("-c statement_timeout=5000").unwrap(), "{options}");
        }
        let hosts = Hosts::parse_address("postgres://pay@one/pay", Duration::from_secs(5))
            .unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(hosts.patience, THE_ONLY_HOST);
        assert!(hosts.each[0].get_options().unwrap().trim_start().starts_with("-c statement_timeout=5000"));
    }
}
