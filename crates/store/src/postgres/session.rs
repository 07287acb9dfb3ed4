//! One connection to the primary.
//!
//! A session is synchronous, as units are, and every wait has a timeout: a server may stop responding without notice (its machine
//! stopped, its network cut), and an endless wait would lose a storage thread. A session that was
//! kept waiting too long is dropped, never cancelled: a COMMIT that is cancelled while it waits for a standby is reported
//! as done.
//!
//! Statements are buffered and sent when an answer is needed, and answers come in the order of what was
//! asked. So BEGIN is sent with the first statement, statements without a needed result ([`Connection::insert`], guards) with
//! the next one whose result is needed, and COMMIT with the last of them. If one fails, the server skips the rest up to
//! the end of the group, COMMIT included. What a guard protects is read after it all the same: the server takes up a statement only
//! when the one before is done, and under READ COMMITTED each sees what was committed until then.
//!
//! Rows that are inserted are gathered, too, and those of one table sent as few statements ([`rows`]), before anything
//! else is asked.

mod answers;
mod connection;
mod rows;

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use super::line::Line;
use super::messages::{self, Inbox, Prepared};
use super::values::{Oid, Place};
use crate::Sql;
use crate::tx::{Connection, Fault};
use crate::unit::Access;
use crate::value::Value;
pub(super) use rows::Gathered;

/// What may be gathered until it is sent: the answers to so many statements fit into the buffers between, so that neither side
/// waits for the other to read.
pub(super) const MOST_BYTES: usize = 128 << 10;
const MOST_STATEMENTS: usize = 256;

const BEGIN_READING: Sql = Sql::from_macro("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
const BEGIN_WRITING: Sql = Sql::from_macro("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE");
const COMMIT: Sql = Sql::from_macro("COMMIT");
const ROLLBACK: Sql = Sql::from_macro("ROLLBACK");
/// What a session of a pool sets: what a group of statements without BEGIN is (units that write say what they are); that
/// statements, all of which are short, are not compiled each time that they look long; and that wide values are compressed by the
/// method that costs a fraction, where the server was built with it.
const POOLED: &str = "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY; SET jit = off; \
     SELECT set_config(name, 'lz4', false) FROM pg_settings WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals)";

/// Whether tables are spread over several servers: there a statement is for one of them.
const IS_SPREAD: &str = "SELECT 1 FROM pg_extension WHERE extname = 'citus'";

/// An answer that is still to come.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Owed {
    /// of the BEGIN of a unit
    Begin,
    /// of a statement whose outcome nobody waits for
    Done,
    /// the same, of one that makes so many rows
    Rows(u8),
    /// of a statement that somebody waits for
    Asked,
    /// what the parameters and columns of a statement are
    Description,
    Commit,
    /// of statements as text, up to the end
    Text,
    /// the end of a group
    End,
}

/// What a session is doing.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Doing {
    /// nothing, or statements one by one
    Nothing,
    /// a unit in a transaction; whether its BEGIN is among what was asked
    Unit { access: Access, begun: bool },
    /// a unit whose statements are one group and so one transaction; whether the group is closed
    Group { closed: bool },
    /// a unit that is run to learn what it asks; it gets no answer
    Ahead,
    /// a unit that was run ahead, and gets the answers that are here; what it inserts is gathered
    Answered,
}

/// How a unit ended that was to be kept.
pub(super) enum Ended {
    Committed,
    /// nothing of it is there
    Before(Fault),
    /// nobody knows
    Unknown,
}

/// A statement that was announced.
struct Announced {
    prepared: Arc<Prepared>,
    /// it and its values, as they were sent
    bound: Vec<u8>,
    /// its answer, where something else was asked before it
    rows: Option<Vec<Box<[u8]>>>,
}

/// What a unit that was run ahead has asked, and the answers.
pub(super) struct Asked(VecDeque<Announced>);

/// A connection with its prepared statements.
pub(crate) struct Session {
    pub(super) line: Line,
    inbox: Inbox,
    /// what is not sent yet, and how many of the answers owed are to it
    pub(super) out: Vec<u8>,
    unsent: usize,
    pub(super) owed: VecDeque<Owed>,
    prepared: HashMap<&'static str, Arc<Prepared>>,
    /// the same by where their text lies, which is looked up sooner; one text may lie in several places
    by_place: HashMap<(usize, usize), Arc<Prepared>>,
    /// inserts of several rows, by where the text of the insert of one lies
    of_rows: HashMap<(usize, usize, usize), Arc<Prepared>>,
    described: (Box<[Oid]>, Box<[Oid]>),
    places: Vec<Place>,
    announced: VecDeque<Announced>,
    gathered: Gathered,
    doing: Doing,
    /// times that this unit has waited for the server, other than for statements to be prepared
    waits: u32,
    /// a unit asked for more than one group
    outgrown: bool,
    /// the unit did what those that share a transaction cannot: it changed what is there, took a guard, or asked again after it had
    /// written
    apart: bool,
    /// its number among the connections of its store
    lane: u8,
    /// tables lie on several servers
    spread: bool,
    /// the server has sent a warning since the last answer
    warned: bool,
    /// nothing comes any more
    dead: bool,
}

impl Session {
    /// A session on a line on which the server has let one begin.
    pub(super) fn on(line: Line) -> Self {
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
            warned: false,
            dead: false,
        }
    }

    /// Makes a session one of a pool. Units that are one group rest on it.
    pub(super) fn pooled(mut self, lane: u8) -> Result<Self, Fault> {
        self.batch(POOLED)?;
        self.lane = lane;
        self.spread = !self.simple(IS_SPREAD)?.is_empty();
        Ok(self)
    }

    /// Begins a unit. With `one_group` it has no BEGIN and no COMMIT: it must not need two waits.
    pub(super) fn start(&mut self, access: Access, one_group: bool) {
        self.doing = match one_group {
            true => Doing::Group { closed: false },
            false => Doing::Unit { access, begun: false },
        };
        (self.waits, self.outgrown, self.apart) = (0, false, false);
        self.gathered = Gathered::default();
    }

    /// Begins a transaction that units share. What they ask ahead comes behind its BEGIN.
    pub(super) fn start_shared(&mut self) -> Result<(), Fault> {
        self.start(Access::Write, false);
        self.begin_unit()
    }

    /// Begins a unit that is run to learn what it asks.
    pub(super) fn start_ahead(&mut self) {
        self.doing = Doing::Ahead;
    }

    /// What the unit that was run ahead has asked.
    pub(super) fn asked(&mut self) -> Asked {
        Asked(std::mem::take(&mut self.announced))
    }

    /// Asks what units have asked that were run ahead, as one group.
    pub(super) fn fetch(&mut self, asked: &mut [Asked]) -> Result<(), Fault> {
        self.exchange()?;
        for announced in asked.iter_mut().flat_map(|asked| &mut asked.0) {
            let mut rows = Vec::new();
            self.answer(|bytes, _| rows.push(bytes.into()))?;
            announced.rows = Some(rows);
        }
        Ok(())
    }

    /// Begins a unit that has asked this, which was fetched.
    pub(super) fn start_answered(&mut self, asked: Asked) {
        (self.doing, self.announced) = (Doing::Answered, asked.0);
        (self.waits, self.outgrown) = (0, false);
        self.gathered = Gathered::default();
    }

    /// What the unit has inserted that was answered ahead.
    pub(super) fn gathered(&mut self) -> Gathered {
        std::mem::take(&mut self.gathered)
    }

    /// Commits a transaction that units shared, with what they inserted.
    pub(super) fn commit_shared(&mut self, mut gathered: Gathered) -> Ended {
        gathered.sort();
        self.go_on_shared();
        self.gathered = gathered;
        self.commit()
    }

    /// Ends a transaction that units shared, of which nothing is kept.
    pub(super) fn leave_shared(&mut self) {
        self.go_on_shared();
        self.leave();
    }

    fn go_on_shared(&mut self) {
        self.doing = Doing::Unit { access: Access::Write, begun: true };
        self.waits = 1;
    }

    /// Whether the unit may share a transaction with others, as far as it has come.
    pub(super) fn can_share(&self) -> bool {
        !self.apart && self.waits < 2 && !self.spread
    }

    /// Whether the unit would have needed a second wait.
    pub(super) fn outgrown(&self) -> bool {
        self.outgrown
    }

    /// How often the unit has waited.
    pub(super) fn waits(&self) -> u32 {
        self.waits
    }

    /// Ends a unit of which nothing is kept, or that kept nothing. The answer is read before the next one.
    pub(super) fn leave(&mut self) {
        self.forget_announced();
        self.gathered = Gathered::default();
        let unsent = std::mem::take(&mut self.unsent);
        self.owed.truncate(self.owed.len() - unsent);
        self.out.clear();
        let begun = matches!(self.doing, Doing::Unit { begun: true, .. });
        self.doing = Doing::Nothing;
        // A BEGIN that was never sent is gone with the rest.
        if begun && self.waits > 0 && !self.dead {
            // A broken connection is detected at its next use.
            let _ = self
                .ask(ROLLBACK, &[], Owed::Done)
                .and_then(|_| self.close_group())
                .and_then(|()| self.send());
        }
    }

    /// Commits a unit.
    pub(super) fn commit(&mut self) -> Ended {
        self.forget_announced();
        if let Err(fault) = self.ask_gathered() {
            return self.refused(fault);
        }
        let Doing::Unit { begun: true, .. } = self.doing else {
            self.doing = Doing::Nothing;
            return Ended::Committed;
        };
        // COMMIT is sent only on a line that has answered this unit: one that broke while idle leaves no doubt about the outcome.
        if self.waits == 0
            && let Err(fault) = self.exchange().and_then(|()| self.settle())
        {
            self.leave();
            return Ended::Before(fault);
        }
        if let Err(fault) = self.ask(COMMIT, &[], Owed::Commit).and_then(|_| self.close_group()) {
            self.leave();
            return Ended::Before(fault);
        }
        if self.send().is_err() {
            return Ended::Unknown;
        }
        while let Some(next) = self.owed.front().copied() {
            self.warned = false;
            match (self.complete(|_, _| {}), next) {
                // The server has committed here, and says that it did nowhere else.
                (Ok(_), Owed::Commit) if self.warned => return Ended::Unknown,
                (Ok(_), _) => {}
                (Err(Fault::Lost), _) if self.dead => return Ended::Unknown,
                (Err(fault @ (Fault::Conflict | Fault::Taken { .. })), Owed::Commit) => {
                    return self.refused(fault);
                }
                (Err(_), Owed::Commit) => return Ended::Unknown,
                // Not the server found fault, but we, and it went on.
                (Err(_), _) if self.owed.contains(&Owed::Commit) => return Ended::Unknown,
                // The server passed over COMMIT.
                (Err(fault), _) => return self.refused(fault),
            }
        }
        self.doing = Doing::Nothing;
        Ended::Committed
    }

    fn refused(&mut self, fault: Fault) -> Ended {
        self.leave();
        Ended::Before(fault)
    }

    pub(super) fn owe(&mut self, answer: Owed) {
        self.owed.push_back(answer);
        self.unsent += 1;
    }

    /// Adds a statement to what is asked, behind its BEGIN.
    fn ask(&mut self, sql: Sql, params: &[Value<'_>], answer: Owed) -> Result<Arc<Prepared>, Fault> {
        if matches!(self.doing, Doing::Group { closed: true } | Doing::Answered) {
            self.outgrown = true;
            return Err(Fault::Conflict);
        }
        if !self.gathered.is_empty() {
            self.apart = true;
            self.ask_gathered()?;
        }
        let prepared = self.prepare(sql)?;
        self.begin_unit()?;
        messages::bind(&mut self.out, &prepared, params)?;
        messages::execute(&mut self.out);
        self.owe(answer);
        Ok(prepared)
    }

    /// Asks for the unit's BEGIN, where that was not done yet.
    fn begin_unit(&mut self) -> Result<(), Fault> {
        let Doing::Unit { access, begun: false } = self.doing else { return Ok(()) };
        self.doing = Doing::Unit { access, begun: true };
        self.ask(if access == Access::Read { BEGIN_READING } else { BEGIN_WRITING }, &[], Owed::Begin)
            .map(drop)
    }

    /// Has the server read a statement, the first time that it is asked for on this connection. It overtakes what is not sent
    /// yet, so that no group ends before its time.
    pub(super) fn prepare(&mut self, sql: Sql) -> Result<Arc<Prepared>, Fault> {
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

    /// As [`Session::prepare`], for so many rows of an insert of one that has so many parameters.
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
        let read = messages::parse(&mut self.out, &name, text).and_then(|()| {
            self.owe(Owed::Description);
            messages::sync(&mut self.out);
            self.owe(Owed::End);
            self.send()?;
            self.settle()
        });
        (self.out, self.unsent) = waiting;
        self.owed.extend(overtaken);
        read?;
        let (parameters, columns) = std::mem::take(&mut self.described);
        Ok(Arc::new(Prepared { name, parameters, columns }))
    }

    /// Notes that the unit does what one that shares a transaction may not; it is run again by itself.
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
        messages::sync(&mut self.out);
        self.owe(Owed::End);
        Ok(())
    }

    /// Sends what was gathered, to wait for the answers.
    fn exchange(&mut self) -> Result<(), Fault> {
        self.close_group()?;
        self.waits += 1;
        self.send()
    }

    pub(super) fn send(&mut self) -> Result<(), Fault> {
        if self.dead {
            return Err(Fault::Lost);
        }
        self.unsent = 0;
        let sent = self.line.send(&self.out);
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
            self.line.send(&messages::TERMINATE).ok();
        }
    }
}
