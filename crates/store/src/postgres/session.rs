//! One connection to the primary.
//!
//! A session is synchronous, as units are, and every wait has a timeout: a server may stop responding without notice
//! (its machine stopped, its network cut), and an endless wait would lose a storage thread. A session that times out is
//! dropped, never canceled: a server reports a COMMIT that is canceled while it waits for a standby as done.
//!
//! Statements are buffered and sent when an answer is needed, and answers arrive in the order of the statements. So
//! BEGIN is sent with the first statement, statements whose result is not needed ([`Connection::insert`], guards) with
//! the next one whose result is, and COMMIT with the last. If one fails, the server skips the rest up to the end of the
//! group, COMMIT included. Rows that a guard protects are still read after it is held: the server starts a statement
//! only when the previous one is done, and under READ COMMITTED each sees what was committed by then.
//!
//! Inserted rows are gathered, too, and those of one table are sent as few statements ([`rows`]), before any other
//! statement is queued.

mod answers;
mod by_server;
mod connection;
mod rows;

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use super::line::Line;
use super::messages::{self, Inbox, Prepared};
use super::servers::Servers;
use super::values::{Oid, Place};
use crate::Sql;
use crate::tx::{Connection, Fault};
use crate::unit::Access;
use crate::value::Value;
pub(super) use rows::Gathered;

/// How many bytes and statements may be gathered before they are sent: their answers fit into the socket buffers, so
/// that neither side waits for the other to read.
pub(super) const MOST_BYTES: usize = 128 << 10;
const MOST_STATEMENTS: usize = 256;

const BEGIN_READING: Sql = Sql::from_macro("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
const BEGIN_WRITING: Sql = Sql::from_macro("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE");
const COMMIT: Sql = Sql::from_macro("COMMIT");
const ROLLBACK: Sql = Sql::from_macro("ROLLBACK");
/// The settings of a pool's session: the isolation of a group of statements without BEGIN (writing units state theirs);
/// no JIT compilation of statements, all of which are short; and the cheaper compression for wide values, if the server
/// was built with it.
const POOLED: &str = "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY; SET jit = off; \
     SELECT set_config(name, 'lz4', false) FROM pg_settings WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals)";

/// Makes the server use indexes, however few rows a table has or seems to have. The plan of a prepared statement is
/// kept, so one that scans a small table would still scan it as the table grows, until the server next gathers
/// statistics. Every statement has a suitable index, except on a few tables that a test names.
pub(super) const BY_INDEX: &str = "SET enable_seqscan = off; SET enable_bitmapscan = off";

/// Whether the database has Citus: its tables may then be distributed, and a statement is meant for one server.
const IS_SPREAD: &str = "SELECT 1 FROM pg_extension WHERE extname = 'citus'";

/// An answer that is still outstanding.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Owed {
    /// to the BEGIN of a unit
    Begin,
    /// to a statement whose outcome is not awaited
    Done,
    /// the same, with the number of rows that it inserts
    Rows(u8),
    /// to a statement whose result is awaited
    Asked,
    /// the description of a statement's parameters and columns
    Description,
    Commit,
    /// to statements as text, up to the end of the group
    Text,
    /// the end of a group
    End,
}

/// The state of a session.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Doing {
    /// idle, or running single statements
    Nothing,
    /// a unit in a transaction; whether its BEGIN has been queued
    Unit { access: Access, begun: bool },
    /// a unit whose statements are one group, and so one transaction; whether the group is closed
    Group { closed: bool },
    /// a trial run of a unit, to record its statements; it gets no answers
    Ahead,
    /// the second run of a unit, with the answers to its recorded statements; its inserts are gathered
    Answered,
}

/// The outcome of a unit whose COMMIT was requested.
pub(super) enum Ended {
    Committed,
    /// nothing was written
    Before(Fault),
    /// the outcome is unknown
    Unknown,
}

/// An announced statement.
struct Announced {
    prepared: Arc<Prepared>,
    /// the statement and its values, as they were sent
    bound: Vec<u8>,
    /// its answer, if another statement was run before it
    rows: Option<Vec<Box<[u8]>>>,
}

/// The statements of a trial run, and their answers.
pub(super) struct Asked(VecDeque<Announced>);

/// A connection with its prepared statements.
pub(crate) struct Session {
    pub(super) line: Line,
    inbox: Inbox,
    /// bytes not sent yet, and how many outstanding answers belong to them
    pub(super) out: Vec<u8>,
    unsent: usize,
    pub(super) owed: VecDeque<Owed>,
    prepared: HashMap<&'static str, Arc<Prepared>>,
    /// the same by the address of their text, which is faster to look up; one text may have several addresses
    by_place: HashMap<(usize, usize), Arc<Prepared>>,
    /// inserts of several rows, by the address of the text of the one-row insert
    of_rows: HashMap<(usize, usize, usize), Arc<Prepared>>,
    described: (Box<[Oid]>, Box<[Oid]>),
    places: Vec<Place>,
    announced: VecDeque<Announced>,
    gathered: Gathered,
    doing: Doing,
    /// how often this unit has waited for the server, except to prepare statements
    waits: u32,
    /// whether the unit needed more than one group
    outgrown: bool,
    /// whether the unit did what units in a shared transaction must not: it changed existing rows, took a guard, or read
    /// again after it had written
    apart: bool,
    /// its number among the connections of its store
    lane: u8,
    /// whether the database has Citus, so that its tables may be distributed over several servers
    spread: bool,
    /// the other servers of a cluster
    servers: Option<Arc<Servers>>,
    /// whether the server has sent a warning since the last answer
    warned: bool,
    /// whether the connection is broken
    dead: bool,
}

impl Session {
    /// Begins a session on a connection that the server has accepted.
    pub(super) fn on_line(line: Line) -> Self {
        Self {
            line,
            inbox: Inbox::new(),
            out: Vec::new(),
            unsent: 0,
            owed: VecDeque::new(),
            prepared: HashMap::new(),
            by_place: HashMap::new(),
            of_rows: HashMap::new(),
            described: Default::default(),
            places: Vec::new(),
            announced: VecDeque::new(),
            gathered: Gathered::default(),
            doing: Doing::Nothing,
            waits: 0,
            outgrown: false,
            apart: false,
            lane: 0,
            spread: false,
            servers: None,
            warned: false,
            dead: false,
        }
    }

    /// Configures a session for a pool. Units that run as one group depend on it.
    pub(super) fn for_pool(mut self, lane: u8) -> Result<Self, Fault> {
        self.run_batch(&format!("{BY_INDEX}; {POOLED}"))?;
        self.lane = lane;
        self.spread = !self.run_text(IS_SPREAD)?.is_empty();
        Ok(self)
    }

    /// Leaves out, from here on, what is on servers of the cluster that do not answer.
    pub(super) fn leaving_out_silent(mut self, servers: Option<&Arc<Servers>>) -> Self {
        self.servers = servers.cloned();
        self
    }

    /// Begins a unit. With `one_group` it has no BEGIN and no COMMIT, and must not need a second round trip.
    pub(super) fn start_unit(&mut self, access: Access, one_group: bool) {
        self.doing = match one_group {
            true => Doing::Group { closed: false },
            false => Doing::Unit { access, begun: false },
        };
        (self.waits, self.outgrown, self.apart) = (0, false, false);
        self.gathered = Gathered::default();
    }

    /// Begins a transaction that units share. Their recorded statements follow its BEGIN.
    pub(super) fn start_shared(&mut self) -> Result<(), Fault> {
        self.start_unit(Access::Write, false);
        self.begin_unit()
    }

    /// Begins the trial run of a unit.
    pub(super) fn start_ahead(&mut self) {
        self.doing = Doing::Ahead;
    }

    /// Takes the statements that the trial run has recorded.
    pub(super) fn take_statements(&mut self) -> Asked {
        Asked(std::mem::take(&mut self.announced))
    }

    /// Sends the statements that several trial runs recorded, as one group, and reads their answers.
    pub(super) fn fetch_answers(&mut self, asked: &mut [Asked]) -> Result<(), Fault> {
        self.exchange_messages()?;
        for announced in asked.iter_mut().flat_map(|asked| &mut asked.0) {
            let mut rows = Vec::new();
            self.read_answer(|bytes, _| rows.push(bytes.into()))?;
            announced.rows = Some(rows);
        }
        Ok(())
    }

    /// Begins the second run of a unit, whose answers have been fetched.
    pub(super) fn start_answered(&mut self, asked: Asked) {
        (self.doing, self.announced) = (Doing::Answered, asked.0);
        (self.waits, self.outgrown) = (0, false);
        self.gathered = Gathered::default();
    }

    /// Takes the rows that the second run has inserted.
    pub(super) fn take_gathered(&mut self) -> Gathered {
        std::mem::take(&mut self.gathered)
    }

    /// Commits a shared transaction, with the rows that its units inserted.
    pub(super) fn commit_shared(&mut self, mut gathered: Gathered) -> Ended {
        gathered.sort_rows();
        self.go_on_shared();
        self.gathered = gathered;
        self.commit_unit()
    }

    /// Rolls back a shared transaction.
    pub(super) fn leave_shared(&mut self) {
        self.go_on_shared();
        self.leave_unit();
    }

    fn go_on_shared(&mut self) {
        self.doing = Doing::Unit { access: Access::Write, begun: true };
        self.waits = 1;
    }

    /// Whether the unit has so far done nothing that keeps it from sharing a transaction with others.
    pub(super) fn can_share(&self) -> bool {
        !self.apart && self.waits < 2 && !self.spread
    }

    /// Whether the unit would have needed a second round trip.
    pub(super) fn has_outgrown_group(&self) -> bool {
        self.outgrown
    }

    /// Returns how often the unit has waited for the server.
    pub(super) fn wait_count(&self) -> u32 {
        self.waits
    }

    /// Ends a unit that wrote nothing, or rolls it back. The answer is read before the next unit's.
    pub(super) fn leave_unit(&mut self) {
        self.forget_announced();
        self.gathered = Gathered::default();
        let unsent = std::mem::take(&mut self.unsent);
        self.owed.truncate(self.owed.len() - unsent);
        self.out.clear();
        let begun = matches!(self.doing, Doing::Unit { begun: true, .. });
        self.doing = Doing::Nothing;
        // A BEGIN that was never sent is discarded with the rest.
        if begun && self.waits > 0 && !self.dead {
            // A broken connection is detected at its next use.
            let _ = self
                .queue_statement(ROLLBACK, &[], Owed::Done)
                .and_then(|_| self.close_group())
                .and_then(|()| self.send_messages());
        }
    }

    /// Commits a unit.
    pub(super) fn commit_unit(&mut self) -> Ended {
        self.forget_announced();
        if let Err(fault) = self.ask_gathered() {
            return self.refuse_commit(fault);
        }
        let Doing::Unit { begun: true, .. } = self.doing else {
            self.doing = Doing::Nothing;
            return Ended::Committed;
        };
        // COMMIT is sent only on a connection that has answered this unit: one that broke while idle leaves no doubt
        // about the outcome.
        if self.waits == 0
            && let Err(fault) = self.exchange_messages().and_then(|()| self.settle_answers())
        {
            self.leave_unit();
            return Ended::Before(fault);
        }
        if let Err(fault) = self.queue_statement(COMMIT, &[], Owed::Commit).and_then(|_| self.close_group()) {
            self.leave_unit();
            return Ended::Before(fault);
        }
        if self.send_messages().is_err() {
            return Ended::Unknown;
        }
        while let Some(next) = self.owed.front().copied() {
            self.warned = false;
            match (self.complete_answer(|_, _| {}), next) {
                // The coordinator has committed, and reports that another server has not.
                (Ok(_), Owed::Commit) if self.warned => return Ended::Unknown,
                (Ok(_), _) => {}
                (Err(Fault::Lost), _) if self.dead => return Ended::Unknown,
                (Err(fault @ (Fault::Conflict | Fault::Taken { .. })), Owed::Commit) => {
                    return self.refuse_commit(fault);
                }
                (Err(_), Owed::Commit) => return Ended::Unknown,
                // The error was detected on this side, and the server continued.
                (Err(_), _) if self.owed.contains(&Owed::Commit) => return Ended::Unknown,
                // The server skipped COMMIT.
                (Err(fault), _) => return self.refuse_commit(fault),
            }
        }
        self.doing = Doing::Nothing;
        Ended::Committed
    }

    fn refuse_commit(&mut self, fault: Fault) -> Ended {
        self.leave_unit();
        Ended::Before(fault)
    }

    pub(super) fn owe_answer(&mut self, answer: Owed) {
        self.owed.push_back(answer);
        self.unsent += 1;
    }

    /// Queues a statement, after BEGIN.
    fn queue_statement(
        &mut self,
        sql: Sql,
        params: &[Value<'_>],
        answer: Owed,
    ) -> Result<Arc<Prepared>, Fault> {
        if matches!(self.doing, Doing::Group { closed: true } | Doing::Answered) {
            self.outgrown = true;
            return Err(Fault::Conflict);
        }
        if !self.gathered.is_empty() {
            self.apart = true;
            self.ask_gathered()?;
        }
        let prepared = self.prepare_statement(sql)?;
        self.begin_unit()?;
        messages::put_bind(&mut self.out, &prepared, params)?;
        messages::put_execute(&mut self.out);
        self.owe_answer(answer);
        Ok(prepared)
    }

    /// Queues the unit's BEGIN, unless it is queued already.
    fn begin_unit(&mut self) -> Result<(), Fault> {
        let Doing::Unit { access, begun: false } = self.doing else { return Ok(()) };
        self.doing = Doing::Unit { access, begun: true };
        self.queue_statement(
            if access == Access::Read { BEGIN_READING } else { BEGIN_WRITING },
            &[],
            Owed::Begin,
        )
        .map(drop)
    }

    /// Makes the server parse a statement when it is first used on this connection. The request is sent ahead of what is
    /// queued, so that no group ends early.
    pub(super) fn prepare_statement(&mut self, sql: Sql) -> Result<Arc<Prepared>, Fault> {
        let text = sql.text();
        let key = (text.as_ptr().addr(), text.len());
        if let Some(prepared) = self.by_place.get(&key) {
            return Ok(Arc::clone(prepared));
        }
        if let Some(prepared) = self.prepared.get(text).cloned() {
            self.by_place.insert(key, Arc::clone(&prepared));
            return Ok(prepared);
        }
        let prepared = self.prepare_text(text)?;
        self.prepared.insert(text, Arc::clone(&prepared));
        self.by_place.insert(key, Arc::clone(&prepared));
        Ok(prepared)
    }

    /// As [`Session::prepare_statement`], for a multi-row form of an insert, given the number of rows and of parameters in each.
    fn prepare_rows(&mut self, sql: Sql, rows: usize, parameters: usize) -> Result<Arc<Prepared>, Fault> {
        let text = sql.text();
        let key = (text.as_ptr().addr(), text.len(), rows);
        if let Some(prepared) = self.of_rows.get(&key) {
            return Ok(Arc::clone(prepared));
        }
        let text = sql.of_rows(rows, parameters);
        let text = text.ok_or_else(|| Fault::Other("not an insert of one row".to_owned()))?;
        let prepared = self.prepare_text(&text)?;
        self.of_rows.insert(key, Arc::clone(&prepared));
        Ok(prepared)
    }

    fn prepare_text(&mut self, text: &str) -> Result<Arc<Prepared>, Fault> {
        self.read_all_aside()?;
        let number = self.prepared.len() + self.of_rows.len();
        let name = format!("s{number}\0").into_bytes().into_boxed_slice();
        let waiting = (std::mem::take(&mut self.out), std::mem::take(&mut self.unsent));
        let overtaken = self.owed.split_off(self.owed.len() - waiting.1);
        let read = messages::put_parse(&mut self.out, &name, text).and_then(|()| {
            self.owe_answer(Owed::Description);
            messages::put_sync(&mut self.out);
            self.owe_answer(Owed::End);
            self.send_messages()?;
            self.settle_answers()
        });
        (self.out, self.unsent) = waiting;
        self.owed.extend(overtaken);
        read?;
        let (parameters, columns) = std::mem::take(&mut self.described);
        Ok(Arc::new(Prepared { name, parameters, columns }))
    }

    /// Records that the unit does what a unit in a shared transaction must not; it will be rerun alone.
    fn must_not_share(&mut self) -> Result<(), Fault> {
        self.apart = true;
        if !matches!(self.doing, Doing::Ahead | Doing::Answered) {
            return Ok(());
        }
        self.outgrown = true;
        Err(Fault::Conflict)
    }

    fn close_group(&mut self) -> Result<(), Fault> {
        if let Doing::Group { closed } = &mut self.doing {
            *closed = true;
        }
        messages::put_sync(&mut self.out);
        self.owe_answer(Owed::End);
        Ok(())
    }

    /// Sends what was gathered, before waiting for the answers.
    fn exchange_messages(&mut self) -> Result<(), Fault> {
        self.close_group()?;
        self.waits += 1;
        self.send_messages()
    }

    pub(super) fn send_messages(&mut self) -> Result<(), Fault> {
        if self.dead {
            return Err(Fault::Lost);
        }
        self.unsent = 0;
        let sent = self.line.send_bytes(&self.out);
        self.out.clear();
        sent.map_err(|_| {
            self.dead = true;
            Fault::Lost
        })
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if !self.dead {
            self.line.send_bytes(&messages::TERMINATE).ok();
        }
    }
}
