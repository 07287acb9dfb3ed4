//! Two processes write one file, with savepoints, rollbacks and caches so small that pages spill to the log long before COMMIT; one
//! of them is killed now and then. A model says what each must read at any moment, and what a copy holds that is taken as a
//! crash would leave the file: everything that was committed, and nothing that was rolled back.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends where it fails")]

#[path = "../../../tests/support/dice.rs"]
mod dice;

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use dice::Dice;
use rusqlite::{Connection, OpenFlags};

/// Names the file that a child opens.
const ROLE: &str = "STIPEND_TEST_TWO_PROCESSES";
const TEST: &str =
    "what_one_process_rolled_back_never_reaches_the_log_and_what_the_other_committed_never_leaves_it";
const STEPS: u64 = 250;
const KEYS: i64 = 300;
/// Content that follows from the number of a row, so that a page of another row is noticed.
const CONTENT: &str = "replace(hex(zeroblob(n % 900)), '0', char(97 + n % 26))";

type Rows = BTreeMap<i64, i64>;

fn connect(file: &Path) -> Connection {
    // The store registers the VFS when it is linked.
    assert!(store::own_statements().len() > 1);
    Connection::open_with_flags_and_vfs(file, OpenFlags::default(), c"checksums").unwrap()
}

fn rows(connection: &Connection) -> rusqlite::Result<String> {
    let mut statement =
        connection.prepare_cached(&format!("SELECT k, n, b = {CONTENT} FROM t ORDER BY k"))?;
    let mut found = statement.query([])?;
    let mut text = String::new();
    while let Some(row) = found.next()? {
        let (key, number, right): (i64, i64, bool) = (row.get(0)?, row.get(1)?, row.get(2)?);
        text.push_str(&format!("{key}={number}{} ", if right { "" } else { "!" }));
    }
    Ok(text)
}

/// The child: runs the statements that it is told, one a line; a blank line lists all rows.
fn obey(file: &Path) {
    let connection = connect(file);
    connection
        .execute_batch("PRAGMA synchronous = FULL; PRAGMA cache_size = 10; PRAGMA wal_autocheckpoint = 0")
        .unwrap();
    rows(&connection).unwrap();
    // The model knows who is busy.
    connection.busy_timeout(std::time::Duration::ZERO).unwrap();
    println!("> ready");
    for line in std::io::stdin().lines().map_while(Result::ok) {
        let done = if line.is_empty() { rows(&connection) } else { run(&connection, &line) };
        let told = done.unwrap_or_else(|error| match error.sqlite_error_code() {
            Some(rusqlite::ErrorCode::DatabaseBusy) => "busy".to_owned(),
            _ => format!("failed: {error}"),
        });
        println!("> {told}");
    }
}

/// Some statements answer with a row.
fn run(connection: &Connection, sql: &str) -> rusqlite::Result<String> {
    let mut statement = connection.prepare(sql)?;
    let mut found = statement.query([])?;
    while found.next()?.is_some() {}
    Ok("done".to_owned())
}

/// What a process is doing, according to the model.
enum Doing {
    Nothing,
    /// in a transaction, which reads what was committed when it began
    Reading(Rows),
    /// in a transaction that writes: the rows at each savepoint, and those of now
    Writing {
        savepoints: Vec<Rows>,
        now: Rows,
    },
}

struct Process {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    doing: Doing,
}

impl Process {
    fn start(file: &Path) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", TEST, "--nocapture"])
            .env(ROLE, file)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        let mut process = Self { child, input, output, doing: Doing::Nothing };
        assert_eq!(process.told(), "ready");
        process
    }

    fn tell(&mut self, line: &str) -> String {
        writeln!(self.input, "{line}").unwrap();
        self.told()
    }

    fn told(&mut self) -> String {
        let mut told = String::new();
        loop {
            told.clear();
            assert!(self.output.read_line(&mut told).unwrap() > 0, "the process has ended");
            // The test harness says something, too.
            if let Some(at) = told.find("> ") {
                return told[at + 2..].trim_end().to_owned();
            }
        }
    }

    fn must(&mut self, line: &str) {
        let told = self.tell(line);
        assert_eq!(told, "done", "{line}");
    }

    fn reads(&mut self, expected: &Rows) {
        let told = self.tell("");
        assert_eq!(told, text(expected), "what a process reads");
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

fn text(rows: &Rows) -> String {
    let each: Vec<_> = rows.iter().map(|(key, number)| format!("{key}={number}")).collect();
    each.join(" ")
}

/// One file, its two processes, and what was committed.
struct World {
    folder: tempfile::TempDir,
    processes: [Process; 2],
    committed: Rows,
    dice: Dice,
    /// whose turn it is
    turn: usize,
    copies: u32,
}

impl World {
    fn new(seed: u64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("two.db");
        let first = connect(&file);
        first.pragma_update(None, "journal_mode", "WAL").unwrap();
        first
            .execute_batch("CREATE TABLE t (k INTEGER PRIMARY KEY, n INTEGER NOT NULL, b TEXT NOT NULL); CREATE INDEX i ON t (n, b)")
            .unwrap();
        let processes = [(); 2].map(|()| Process::start(&file));
        Self {
            folder,
            processes,
            committed: Rows::new(),
            dice: Dice::new(seed, "two processes"),
            turn: 0,
            copies: 0,
        }
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("two.db")
    }

    fn step(&mut self) {
        // Whole transactions of one fall between two steps of the other.
        if self.dice.percent(12) {
            self.turn = 1 - self.turn;
        }
        let at = self.turn;
        match self.processes[at].doing {
            Doing::Nothing => self.outside(at),
            Doing::Reading(ref seen) => {
                let seen = seen.clone();
                self.processes[at].reads(&seen);
                if self.dice.below(3) == 0 {
                    self.processes[at].must("COMMIT");
                    self.processes[at].doing = Doing::Nothing;
                }
            }
            Doing::Writing { .. } => self.inside(at),
        }
    }

    /// A step of a process that is in no transaction.
    fn outside(&mut self, at: usize) {
        let busy = matches!(self.processes[1 - at].doing, Doing::Writing { .. });
        let process = &mut self.processes[at];
        match self.dice.below(20) {
            0..9 => {
                let told = process.tell("BEGIN IMMEDIATE");
                assert_eq!(told, if busy { "busy" } else { "done" });
                if !busy {
                    process.doing = Doing::Writing { savepoints: Vec::new(), now: self.committed.clone() };
                }
            }
            9..12 => {
                process.must("BEGIN");
                process.reads(&self.committed);
                process.doing = Doing::Reading(self.committed.clone());
            }
            12..17 => process.reads(&self.committed),
            17 => process.must("PRAGMA wal_checkpoint(TRUNCATE)"),
            18 => process.must("PRAGMA wal_checkpoint(PASSIVE)"),
            _ => self.kill(at),
        }
    }

    /// A step of a process in a transaction that writes.
    fn inside(&mut self, at: usize) {
        let (from, size) = (self.dice.between(0, KEYS), self.dice.between(1, 90));
        let (number, kind) = (self.dice.between(0, 99_999), self.dice.below(44));
        let process = &mut self.processes[at];
        let Doing::Writing { savepoints, now } = &mut process.doing else { unreachable!() };
        match kind {
            0..14 => {
                now.extend((from..from + size).map(|key| (key, number + key)));
                let rows = format!(
                    "WITH RECURSIVE r(k, n) AS (VALUES ({from}, {number} + {from}) UNION ALL SELECT k + 1, n + 1 FROM r WHERE k + 1 < {from} + {size}) \
                     INSERT OR REPLACE INTO t SELECT k, n, {CONTENT} FROM r"
                );
                process.must(&rows);
            }
            14..16 => {
                now.retain(|key, _| !(from..from + size).contains(key));
                process.must(&format!("DELETE FROM t WHERE k >= {from} AND k < {from} + {size}"));
            }
            16 => {
                now.values_mut().for_each(|held| *held += 1);
                process.must("UPDATE t SET n = n + 1, b = replace(hex(zeroblob((n + 1) % 900)), '0', char(97 + (n + 1) % 26))");
            }
            17..21 => {
                savepoints.push(now.clone());
                let name = savepoints.len();
                process.must(&format!("SAVEPOINT s{name}"));
            }
            21..25 if !savepoints.is_empty() => {
                let name = savepoints.len();
                *now = savepoints[name - 1].clone();
                process.must(&format!("ROLLBACK TO s{name}"));
            }
            25..27 if !savepoints.is_empty() => {
                let name = savepoints.len();
                savepoints.pop();
                process.must(&format!("RELEASE s{name}"));
            }
            27..30 => {
                let now = now.clone();
                process.reads(&now);
            }
            30..36 => {
                process.must("ROLLBACK");
                process.doing = Doing::Nothing;
            }
            36..43 => {
                let now = now.clone();
                process.must("COMMIT");
                process.doing = Doing::Nothing;
                self.committed = now;
                self.crash_copy();
            }
            43 => self.kill(at),
            _ => {}
        }
    }

    fn kill(&mut self, at: usize) {
        self.processes[at] = Process::start(&self.file());
    }

    /// The file and its log as a crash would leave them hold what was committed.
    fn crash_copy(&mut self) {
        self.copies += 1;
        let copy = self.folder.path().join("copy.db");
        for end in ["", "-wal"] {
            let name = |file: &Path| PathBuf::from(format!("{}{end}", file.display()));
            fs::copy(name(&self.file()), name(&copy)).unwrap();
        }
        {
            let connection = connect(&copy);
            assert_eq!(rows(&connection).unwrap().trim_end(), text(&self.committed), "after a crash");
        }
        for end in ["", "-wal", "-shm"] {
            fs::remove_file(format!("{}{end}", copy.display())).ok();
        }
    }

    fn end(mut self) -> u32 {
        for process in &mut self.processes {
            if matches!(process.doing, Doing::Reading(_) | Doing::Writing { .. }) {
                process.must("ROLLBACK");
            }
        }
        let committed = self.committed.clone();
        self.processes.iter_mut().for_each(|process| process.reads(&committed));
        let connection = connect(&self.file());
        let whole: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
        assert_eq!(whole, "ok");
        self.copies
    }
}

#[test]
fn what_one_process_rolled_back_never_reaches_the_log_and_what_the_other_committed_never_leaves_it() {
    if let Some(file) = std::env::var_os(ROLE) {
        return obey(Path::new(&file));
    }
    let worlds = if std::env::var_os("STIPEND_LONG").is_some() { 600 } else { 12 };
    let mut copies = 0;
    for seed in 0..worlds {
        println!("world {seed}");
        let mut world = World::new(seed);
        (0..STEPS).for_each(|_| world.step());
        copies += world.end();
    }
    assert!(copies > worlds as u32, "{copies} commits");
    println!("R36: {worlds} worlds, {copies} commits, each compared after a crash");
}
