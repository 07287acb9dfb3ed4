//! Processes that are measured: started, found out about, and ended whatever happens.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use store::Clock;

use crate::{Outcome, pin};

/// How long a process may take to answer, or to end.
const PATIENCE: Duration = Duration::from_secs(30);

/// A process of ours. It ends with its handle.
pub struct Process {
    command: Command,
    child: Option<Child>,
    /// where it listens
    pub address: SocketAddr,
    log: Option<PathBuf>,
    /// user and database as the processes of a server name them that work for it
    database: Option<String>,
}

/// `stipend` with these arguments, not yet started.
pub fn stipend(words: &[&str]) -> Outcome<Process> {
    let mut command = pin::on_server_core(env!("CARGO_BIN_EXE_stipend"));
    command.args(words).stdin(Stdio::null());
    for (name, _) in std::env::vars_os() {
        if name.as_encoded_bytes().starts_with(b"STIPEND_") {
            command.env_remove(name);
        }
    }
    Ok(Process { command, child: None, address: free_address()?, log: None, database: None })
}

/// This program in another role, started; its first line of output with it.
pub fn role(name: &str) -> Outcome<(Process, String)> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = pin::on_server_core(&program.to_string_lossy());
    command.args(["--role", name]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut process = Process { command, child: None, address: free_address()?, log: None, database: None };
    let child = process.start()?;
    let line = first_line_of(child)?;
    Ok((process, line))
}

/// The bare server.
pub fn bare() -> Outcome<Process> {
    let (mut process, line) = role("bare")?;
    process.address = line.parse().map_err(|_| format!("the bare server said {line:?}"))?;
    Ok(process)
}

/// A temporary PostgreSQL server with an empty database, if there is one here.
pub fn postgres() -> Outcome<Option<(String, Process)>> {
    let (process, line) = role("postgres")?;
    Ok((line != "none").then_some((line, process)))
}

/// `perf record` on a process for as long as the handle lives.
pub fn perf(pid: u32, file: &Path) -> Outcome<Process> {
    let mut command = Command::new("perf");
    command
        .args(["record", "-q", "-e", "cpu-clock", "-F", "1999", "-g", "-p", &pid.to_string(), "-o"])
        .arg(file);
    let mut process = Process { command, child: None, address: free_address()?, log: None, database: None };
    process.start()?;
    Ok(process)
}

impl Process {
    /// A setting in its environment.
    pub fn setting(&mut self, name: &str, value: impl AsRef<OsStr>) -> &mut Self {
        self.command.env(format!("STIPEND_{name}"), value);
        self
    }

    fn start(&mut self) -> Outcome<&mut Child> {
        let child = self.command.spawn();
        let child =
            child.map_err(|error| format!("{:?} does not run: {error}", self.command.get_program()))?;
        Ok(self.child.insert(child))
    }

    fn log_into(&mut self, folder: &Path) -> Outcome<()> {
        let log = folder.join("stderr.log");
        let file = File::create(&log).map_err(|error| format!("{}: {error}", log.display()))?;
        self.command.stderr(file);
        self.log = Some(log);
        Ok(())
    }

    /// Starts it as a server and returns the time until its first good answer.
    pub fn listen(&mut self, folder: &Path) -> Outcome<Duration> {
        self.log_into(folder)?;
        let address = self.address.to_string();
        self.command.args(["--listen", &address]).stdout(Stdio::null());
        let started = Clock::monotonic();
        self.start()?;
        loop {
            if answers(self.address) {
                return Ok(Clock::monotonic() - started);
            }
            self.still_runs()?;
            if Clock::monotonic() - started > PATIENCE {
                return Err(self.failed("did not answer"));
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Starts it and returns the first line that it prints, with the time until then.
    pub fn first_line(&mut self, folder: &Path) -> Outcome<(String, Duration)> {
        self.log_into(folder)?;
        self.command.stdout(Stdio::piped());
        let started = Clock::monotonic();
        let line = first_line_of(self.start()?);
        match line {
            Ok(line) if !line.is_empty() => Ok((line, Clock::monotonic() - started)),
            _ => Err(self.failed("printed nothing")),
        }
    }

    fn failed(&self, what: &str) -> String {
        let said = self.log.as_ref().and_then(|log| std::fs::read_to_string(log).ok()).unwrap_or_default();
        let last = said.lines().last().unwrap_or("nothing");
        format!("{:?} {what}; it said: {last}", self.command.get_program())
    }

    /// Refuses to go on with a process that has ended.
    pub fn still_runs(&mut self) -> Outcome<()> {
        match self.child.as_mut().map(Child::try_wait) {
            Some(Ok(None)) => Ok(()),
            _ => Err(self.failed("has ended")),
        }
    }

    /// Asks it to stop and waits for it.
    pub fn stop(mut self) -> Outcome<()> {
        self.signal(Signal::TERM);
        let asked = Clock::monotonic();
        while self.still_runs().is_ok() {
            if Clock::monotonic() - asked > PATIENCE {
                return Err(self.failed("did not stop"));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }

    fn signal(&self, signal: Signal) {
        let pid = self.child.as_ref().map(Pid::from_child);
        pid.map(|pid| kill_process(pid, signal));
    }

    /// Its number.
    pub fn id(&self) -> u32 {
        self.child.as_ref().map_or(0, Child::id)
    }

    /// CPU time used so far, by all of its threads.
    pub fn cpu(&self) -> Outcome<Duration> {
        cpu_of(Path::new(&format!("/proc/{}/stat", self.id())))
    }

    /// It keeps its data in the database of this address.
    pub fn stores_in(&mut self, url: &str) {
        // postgres://user@host:port/database
        let (user, at) = url.trim_start_matches("postgres://").split_once('@').unwrap_or_default();
        self.database = at.rsplit('/').next().map(|database| format!(" {user} {database} "));
    }

    /// CPU time used so far by the processes of the database server that work for it, where it has one. What the server writes
    /// behind them is not among it.
    pub fn cpu_of_server(&self) -> Option<Duration> {
        let database = self.database.as_deref()?;
        let processes = std::fs::read_dir("/proc").ok()?.flatten().filter_map(|entry| {
            let title = std::fs::read(entry.path().join("cmdline")).ok()?;
            let title = String::from_utf8_lossy(&title).into_owned();
            let of_it = title.starts_with("postgres: ") && title.contains(database);
            of_it.then(|| cpu_of(&entry.path().join("stat")).ok())?
        });
        Some(processes.sum())
    }

    /// Resident memory in kilobytes.
    pub fn resident(&self) -> Outcome<u64> {
        let path = format!("/proc/{}/status", self.id());
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
        let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        line.and_then(|line| line.split_whitespace().next()?.parse().ok())
            .ok_or(format!("{path} has no VmRSS"))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let perf = self.command.get_program() == "perf";
        if perf {
            // It writes its file on the way out.
            self.signal(Signal::INT);
        }
        let Some(mut child) = self.child.take() else { return };
        // A role ends when its input does, and puts away what it started.
        let is_role = child.stdin.take().is_some();
        let asked = Clock::monotonic();
        while (perf || is_role) && Clock::monotonic() - asked < PATIENCE {
            if !matches!(child.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        child.kill().ok();
        child.wait().ok();
    }
}

/// Waits until whoever started this process lets go of it.
pub fn until_input_ends() {
    std::io::stdin().read_to_end(&mut Vec::new()).ok();
}

fn cpu_of(path: &Path) -> Outcome<Duration> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    // The name, in brackets, may hold spaces. utime and stime are fields 14 and 15, in hundredths of a second.
    let fields = text.rsplit_once(") ").map_or("", |(_, rest)| rest).split(' ').skip(11).take(2);
    let ticks: u64 = fields.filter_map(|field| field.parse::<u64>().ok()).sum();
    Ok(Duration::from_millis(ticks * 10))
}

fn first_line_of(child: &mut Child) -> Outcome<String> {
    let output = child.stdout.as_mut().ok_or("the output is not held")?;
    let mut line = String::new();
    BufReader::new(output).read_line(&mut line).map_err(|error| error.to_string())?;
    Ok(line.trim().to_owned())
}

fn free_address() -> Outcome<SocketAddr> {
    let found = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    found.map_err(|error| format!("no free port: {error}"))
}

fn answers(address: SocketAddr) -> bool {
    let ask = || -> std::io::Result<bool> {
        let mut stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(answer.starts_with("HTTP/1.1 200 "))
    };
    ask().unwrap_or(false)
}
