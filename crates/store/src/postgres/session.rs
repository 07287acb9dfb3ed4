//! One connection to the primary, and the finding of it.
//!
//! The driver beneath is asynchronous; a session is synchronous, as units are. The difference is what a wait may cost:
//! every one ends, for a server may fall silent without a word (its machine stopped, its network cut), and what waits
//! for it without end is a storage thread that nobody gets back. A session that was kept waiting too long is dropped,
//! never cancelled: a COMMIT that is cancelled while it waits for a standby is reported as done.
//!
//! An address may name several hosts. Each is given its own time, the handshake included, so that one that is silent
//! does not keep the others from being asked; the one that was the primary last is asked first.

use std::collections::HashMap;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use futures_core::Stream;
use jiff::Timestamp;
use tokio::runtime::Runtime;
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::config::TargetSessionAttrs;
use tokio_postgres::error::SqlState;
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{AsyncMessage, Client, Config, NoTls, RowStream, SimpleQueryMessage, Socket, Statement};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::{fault, tls, type_of};
use crate::copy::{Kind, Put};
use crate::tx::{Connection, Fault};
use crate::value::{Row, Value};
use crate::{Error, Sql};

/// How long a server may take to let a session begin: if it is the only one, and if there are others to ask.
const THE_ONLY_HOST: Duration = Duration::from_secs(5);
const ONE_OF_SEVERAL: Duration = Duration::from_secs(2);
/// Beyond the time that the server itself sets for a statement: then it is not slow, but silent.
const SILENCE: Duration = Duration::from_secs(1);
/// Rows taken from the server before they are handed on.
const ROWS_AT_ONCE: usize = 1_000;

/// Where the primary may be.
pub(crate) struct Hosts {
    each: Vec<Config>,
    /// how the way there is protected; none is not at all
    tls: Option<MakeRustlsConnect>,
    /// the one that was the primary last
    last: AtomicUsize,
    /// no server was the primary; reported once, however many threads find it out
    none: AtomicBool,
    patience: Duration,
    unit_limit: Duration,
}

impl Hosts {
    /// Reads the address. With several hosts the one that takes writes is wanted, said or not.
    pub(crate) fn parse(url: &str, unit_limit: Duration) -> Result<Self, Error> {
        let (url, security) = tls::take(url)?;
        // The address holds a password: it is never repeated in an error.
        let mut given: Config =
            url.parse().map_err(|_| Error::Open("the postgres:// address cannot be read".to_owned()))?;
        given.ssl_mode(security.mode);
        let count = given.get_hosts().len().max(given.get_hostaddrs().len());
        let patience = if count > 1 { ONE_OF_SEVERAL } else { THE_ONLY_HOST };
        let limit = unit_limit.as_millis();
        // Whoever is gone in the middle of a unit lets go of its rows soon, not when the network notices: in hours.
        let options = format!(
            "-c statement_timeout={limit} -c lock_timeout={limit} -c timezone=UTC \
             -c idle_in_transaction_session_timeout={}",
            2 * limit
        );
        let each = (0..count).map(|at| {
            let mut config = only(&given, at);
            config.application_name("stipend").options(&options);
            // Of several addresses of one name there is time to ask a second one.
            config.connect_timeout(patience / 2);
            // A server that vanished without a word is noticed about as soon as a unit's time is up.
            config.keepalives_idle(Duration::from_secs(10)).tcp_user_timeout(unit_limit * 2);
            if count > 1 {
                config.target_session_attrs(TargetSessionAttrs::ReadWrite);
            }
            config
        });
        Ok(Self {
            each: each.collect(),
            tls: security.connector,
            last: AtomicUsize::new(0),
            none: AtomicBool::new(false),
            patience,
            unit_limit,
        })
    }

    /// A session with the first host that gives one; else what each of them said.
    pub(crate) fn connect(&self) -> Result<Session, String> {
        let first = self.last.load(Ordering::Relaxed);
        let mut reasons = Vec::new();
        for step in 0..self.each.len() {
            let at = (first + step) % self.each.len();
            match Session::begin(&self.each[at], self.tls.as_ref(), self.patience, self.unit_limit + SILENCE)
            {
                Ok(session) => {
                    self.last.store(at, Ordering::Relaxed);
                    if self.none.swap(false, Ordering::Relaxed) {
                        tracing::warn!("the database server is reached again");
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
}

/// The same address with one of its hosts.
fn only(given: &Config, at: usize) -> Config {
    let mut config = Config::new();
    if let Some(host) = given.get_hosts().get(at) {
        match host {
            tokio_postgres::config::Host::Tcp(name) => config.host(name),
            tokio_postgres::config::Host::Unix(path) => config.host_path(path),
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
        .keepalives(given.get_keepalives())
        .target_session_attrs(given.get_target_session_attrs());
    config
}

/// Hands on what the server says, to whom it is said; the end, or an error, is the last.
type Listen = dyn FnMut(&mut Context<'_>) -> Poll<Option<Result<AsyncMessage, tokio_postgres::Error>>> + Send;

/// The line to the server. Nothing is read from it but while somebody waits.
struct Wire {
    listen: Box<Listen>,
    runtime: Runtime,
    /// how long a wait may take; nothing where statements may take their time
    limit: Option<Duration>,
    /// the server has sent a warning
    warned: bool,
    /// nothing comes any more
    dead: bool,
}

impl Wire {
    /// Waits for the answer to a call.
    fn wait<T>(&mut self, call: impl Future<Output = Result<T, tokio_postgres::Error>>) -> Result<T, Fault> {
        let Self { listen, runtime, limit, warned, dead } = self;
        if *dead {
            return Err(Fault::Lost);
        }
        let mut call = pin!(call);
        let answered = poll_fn(|cx| {
            while let Poll::Ready(said) = listen(cx) {
                match said {
                    Some(Ok(AsyncMessage::Notice(notice))) => *warned |= *notice.code() == SqlState::WARNING,
                    Some(Ok(_)) => {}
                    Some(Err(error)) => {
                        *dead = true;
                        return Poll::Ready(Err(fault(&error)));
                    }
                    None => {
                        *dead = true;
                        return Poll::Ready(Err(Fault::Lost));
                    }
                }
            }
            call.as_mut().poll(cx).map_err(|error| fault(&error))
        });
        let answer = runtime.block_on(async {
            match *limit {
                Some(limit) => tokio::time::timeout(limit, answered).await.ok(),
                None => Some(answered.await),
            }
        });
        answer.unwrap_or_else(|| {
            self.dead = true;
            tracing::warn!("the database server fell silent; the connection is dropped");
            Err(Fault::Lost)
        })
    }
}

/// A connection with its prepared statements.
pub(crate) struct Session {
    client: Client,
    wire: Wire,
    prepared: HashMap<&'static str, Statement>,
}

impl Session {
    fn begin(
        config: &Config,
        tls: Option<&MakeRustlsConnect>,
        patience: Duration,
        limit: Duration,
    ) -> Result<Self, String> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|e| format!("no connection can be made: {e}"))?;
        match tls {
            None => Self::greet(runtime, config, patience, limit, NoTls),
            Some(tls) => Self::greet(runtime, config, patience, limit, tls.clone()),
        }
    }

    fn greet<T>(
        runtime: Runtime,
        config: &Config,
        patience: Duration,
        limit: Duration,
        tls: T,
    ) -> Result<Self, String>
    where
        T: MakeTlsConnect<Socket>,
        T::Stream: Send + 'static,
    {
        let greeted = runtime.block_on(async { tokio::time::timeout(patience, config.connect(tls)).await });
        let (client, mut connection) = match greeted {
            Ok(greeted) => greeted.map_err(|e| super::chain(&e))?,
            Err(_) => return Err("the server did not answer in time".to_owned()),
        };
        let listen = Box::new(move |cx: &mut Context<'_>| connection.poll_message(cx));
        let wire = Wire { listen, runtime, limit: Some(limit), warned: false, dead: false };
        Ok(Self { client, wire, prepared: HashMap::new() })
    }

    /// Lets statements take their time, on this side and on the other.
    pub(crate) fn patient(mut self) -> Result<Self, Fault> {
        self.batch("SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0")?;
        self.wire.limit = None;
        Ok(self)
    }

    /// Has the server read a statement; what it finds wrong with it.
    pub(crate) fn check(&mut self, sql: Sql) -> Result<(), Fault> {
        self.wire.wait(self.client.prepare(sql.text())).map(drop)
    }

    /// Takes a lock that lasts as long as this connection; whether nobody else has it.
    pub(crate) fn take_lock(&mut self, number: i64) -> Result<bool, Fault> {
        let asked = format!("SELECT pg_try_advisory_lock({number})");
        let said = self.wire.wait(self.client.simple_query(&asked))?;
        let is_true = |message: &SimpleQueryMessage| match message {
            SimpleQueryMessage::Row(row) => row.get(0) == Some("t"),
            _ => false,
        };
        Ok(said.iter().any(is_true))
    }

    /// How the server would go about a statement, whatever its parameters are.
    pub(crate) fn explain(&mut self, sql: Sql) -> Result<String, Fault> {
        // Prepared by name, so that the types of parameters are found out as they are when it is run.
        let text = sql.text();
        let generic = "SET plan_cache_mode = force_generic_plan; DEALLOCATE ALL";
        self.batch(&format!("{generic}; PREPARE explained AS {text}"))?;
        let most = (1..).find(|number| !text.contains(&format!("${number}"))).unwrap_or(1);
        let values = vec!["NULL"; most - 1].join(", ");
        let execute = if most == 1 { "explained".to_owned() } else { format!("explained ({values})") };
        let said = self.wire.wait(self.client.simple_query(&format!("EXPLAIN EXECUTE {execute}")))?;
        let lines = said.iter().filter_map(|message| match message {
            SimpleQueryMessage::Row(row) => row.get(0),
            _ => None,
        });
        Ok(lines.collect::<Vec<_>>().join("\n"))
    }

    fn prepare(&mut self, sql: Sql) -> Result<Statement, Fault> {
        if let Some(statement) = self.prepared.get(sql.text()) {
            return Ok(statement.clone());
        }
        let statement = self.wire.wait(self.client.prepare(sql.text()))?;
        self.prepared.insert(sql.text(), statement.clone());
        Ok(statement)
    }

    /// Ends the transaction. `Ok(false)` when the server warned: it has committed here, and nowhere else.
    pub(crate) fn commit(&mut self) -> Result<bool, Fault> {
        self.wire.warned = false;
        self.batch("COMMIT").map(|()| !self.wire.warned)
    }

    /// Streams rows into a table; `feed` is handed what takes them.
    pub(crate) fn copy_in(
        &mut self,
        table: &str,
        names: &str,
        kinds: &[Kind],
        feed: &mut dyn FnMut(&mut Put<'_>) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let types: Vec<Type> = kinds.iter().map(|kind| type_of(*kind)).collect();
        let statement = format!("COPY {table} ({names}) FROM STDIN BINARY");
        let sink = self.wire.wait(self.client.copy_in(&statement))?;
        let mut writer = pin!(BinaryCopyInWriter::new(sink, &types));
        feed(&mut |values| {
            let values: Vec<&(dyn ToSql + Sync)> = values.iter().map(|value| value as _).collect();
            self.wire.wait(writer.as_mut().write(&values))
        })?;
        self.wire.wait(writer.finish()).map(drop)
    }
}

impl Connection for Session {
    fn execute(&mut self, sql: Sql, params: &[Value<'_>]) -> Result<u64, Fault> {
        let statement = self.prepare(sql)?;
        self.wire.wait(self.client.execute_raw(&statement, params))
    }

    fn query(&mut self, sql: Sql, params: &[Value<'_>], each: &mut dyn FnMut(&Row<'_>)) -> Result<(), Fault> {
        let statement = self.prepare(sql)?;
        let mut some = Vec::new();
        let (mut rows, mut ended) = self.wire.wait(async {
            let mut rows = Box::pin(self.client.query_raw(&statement, params).await?);
            let ended = take(rows.as_mut(), &mut some).await?;
            Ok((rows, ended))
        })?;
        loop {
            // Not while the wire is waited for: whoever is handed a row may wait for another server.
            some.drain(..).for_each(|row| each(&Row::new(&row)));
            if ended {
                return Ok(());
            }
            ended = self.wire.wait(take(rows.as_mut(), &mut some))?;
        }
    }

    fn server_time(&mut self) -> Result<Option<Timestamp>, Fault> {
        let asked = "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS bigint)";
        let said = self.wire.wait(self.client.simple_query(asked))?;
        let micros = said.iter().find_map(|message| match message {
            SimpleQueryMessage::Row(row) => row.get(0)?.parse().ok(),
            _ => None,
        });
        Ok(micros.and_then(|micros| Timestamp::from_microsecond(micros).ok()))
    }

    fn batch(&mut self, sql: &str) -> Result<(), Fault> {
        self.wire.wait(self.client.batch_execute(sql))
    }
}

/// Takes the next rows of an answer; whether they were the last.
async fn take(
    mut rows: Pin<&mut RowStream>,
    into: &mut Vec<tokio_postgres::Row>,
) -> Result<bool, tokio_postgres::Error> {
    while into.len() < ROWS_AT_ONCE {
        match poll_fn(|cx| rows.as_mut().poll_next(cx)).await {
            Some(row) => into.push(row?),
            None => return Ok(true),
        }
    }
    Ok(false)
}
