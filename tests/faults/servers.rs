//! Up to three PostgreSQL servers on this machine, one of which is the primary: mostly it commits what one of the two standbys
//! has on its disk (`synchronous_standby_names = 'ANY 1 (…)'`). They can be killed, stopped and replaced.
//!
//! What stands for the software that looks after a cluster is [`Cluster::fail_over`]: a primary that refuses
//! connections three times in a row is given up, the standby that is furthest is promoted, and the other one follows
//! it.
//!
//! As in tests/support/postgres.rs the servers belong to a small script that ends them when this process ends, however
//! it ends.

use std::io::{BufRead, BufReader, PipeWriter};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::line::Line;
use crate::postgres::{binaries, unprivileged};
use crate::world::until;

/// Makes a directory, says where, and when its standard input closes ends the servers in it and removes it.
const KEEPER: &str = r#"
bin=$1
umask 077
trap '' PIPE
dir=$(mktemp -d "${TMPDIR:-/tmp}/stipend-cluster.XXXXXX" 2>/dev/null || mktemp -d /tmp/stipend-cluster.XXXXXX) || exit 1
finish() {
    for data in "$dir"/data-*; do
        [ ! -f "$data/postmaster.pid" ] || kill -CONT "$(head -n 1 "$data/postmaster.pid")" 2>/dev/null
        "$bin/pg_ctl" stop -D "$data" -m immediate -t 20 >/dev/null 2>&1
    done
    rm -rf "$dir"
}
trap finish EXIT
trap 'exit 1' HUP INT TERM
echo "$dir"
read -r _
"#;

/// What is set on each server.
const SETTINGS: &str = "
listen_addresses = '127.0.0.1'
max_connections = 100
wal_level = replica
max_wal_senders = 10
wal_keep_size = '256MB'
hot_standby = on
synchronous_commit = on
wal_retrieve_retry_interval = '200ms'
";
/// fsync is off because nothing here loses what the kernel holds: a server that was killed comes back as a new one, out
/// of another's data.
const UNSYNCED: &str = "
fsync = off
full_page_writes = off
";
/// A commit waits for one of the standbys.
const SYNCHRONOUS: &str = "
synchronous_standby_names = 'ANY 1 (n0, n1, n2)'
";

/// The servers.
pub struct Cluster {
    bin: PathBuf,
    folder: PathBuf,
    ports: Vec<u16>,
    primary: usize,
    _keeper: (Child, PipeWriter),
}

impl Cluster {
    /// A primary with an empty database, and two standbys that follow it, one of which has what is committed.
    pub fn new() -> Self {
        Self::with(2, &[SYNCHRONOUS, UNSYNCED].concat())
    }

    /// A primary alone that keeps what it commits.
    #[allow(dead_code, reason = "for what is measured")]
    pub fn durable() -> Self {
        Self::with(0, "")
    }

    /// A primary that keeps what it commits, on its own disk and on that of one of its two standbys.
    #[allow(dead_code, reason = "for what is measured")]
    pub fn durable_twice() -> Self {
        Self::with(2, SYNCHRONOUS)
    }

    /// A primary with an empty database, and a standby that follows it, as it can, and for which no commit waits.
    pub fn with_replica() -> Self {
        Self::with(1, UNSYNCED)
    }

    fn with(standbys: usize, further: &str) -> Self {
        let bin = binaries().expect("tests/faults/run leaves this out where there is no PostgreSQL");
        let (stdin, alive) = std::io::pipe().unwrap();
        let (said, stdout) = std::io::pipe().unwrap();
        let mut keeper = unprivileged("sh");
        keeper.args(["-c", KEEPER, "stipend-cluster"]).arg(&bin).current_dir("/").process_group(0);
        let keeper = keeper.stdin(stdin).stdout(stdout).spawn().unwrap();
        let mut folder = String::new();
        BufReader::new(said).read_line(&mut folder).unwrap();
        let free = || std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let ports = [free(), free(), free()].map(|port| port.local_addr().unwrap().port()).to_vec();
        let cluster = Self { bin, folder: folder.trim().into(), ports, primary: 0, _keeper: (keeper, alive) };
        let data = cluster.data(0);
        let made =
            ["-A", "trust", "-U", "stipend", "-E", "UTF8", "--locale=C", "--no-sync", "--no-instructions"];
        cluster.command("initdb", &[&["-D", data.as_str()], made.as_slice()].concat());
        let settings =
            format!("{SETTINGS}{further}unix_socket_directories = '{}'\n", cluster.folder.display());
        let append = "cat >>\"$0\"";
        let mut write = unprivileged("sh")
            .args(["-c", append, &format!("{data}/postgresql.conf")])
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        std::io::Write::write_all(&mut write.stdin.take().unwrap(), settings.as_bytes()).unwrap();
        assert!(write.wait().unwrap().success());
        cluster.start(0);
        (1..=standbys).for_each(|node| cluster.join(node));
        cluster.sql(0, "CREATE DATABASE stipend TEMPLATE template0").unwrap();
        cluster
    }

    /// The address that names all of them.
    pub fn url(&self) -> String {
        Self::url_of(&self.ports)
    }

    /// The ways to all of them that can be cut, and the address that names those.
    pub fn lines(&self) -> (Vec<Line>, String) {
        let lines: Vec<_> = self.ports.iter().map(|port| Line::to(*port)).collect();
        let ports: Vec<_> = lines.iter().map(|line| line.port).collect();
        (lines, Self::url_of(&ports))
    }

    fn url_of(ports: &[u16]) -> String {
        let hosts: Vec<_> = ports.iter().map(|port| format!("127.0.0.1:{port}")).collect();
        format!("postgres://stipend@{}/stipend?target_session_attrs=read-write", hosts.join(","))
    }

    /// The address of one of them alone.
    pub fn url_at(&self, node: usize) -> String {
        format!("postgres://stipend@127.0.0.1:{}/stipend", self.ports[node])
    }

    pub fn primary(&self) -> usize {
        self.primary
    }

    pub fn standbys(&self) -> impl Iterator<Item = usize> + use<> {
        let primary = self.primary;
        (0..3).filter(move |node| *node != primary)
    }

    /// A statement on one of them; what it answers.
    pub fn sql(&self, node: usize, statement: &str) -> Result<String, String> {
        psql(&self.bin, self.ports[node], statement)
    }

    /// Ends a server with everything that belongs to it, at once.
    pub fn kill(&self, node: usize) {
        self.signal("-KILL", node);
    }

    /// Stops a server where it stands: its connections stay open, and nothing is said.
    pub fn pause(&self, node: usize) {
        self.signal("-STOP", node);
    }

    pub fn resume(&self, node: usize) {
        self.signal("-CONT", node);
    }

    /// Waits until the primary is seen to be gone, and has the furthest standby take its place.
    pub fn fail_over(&mut self) {
        let mut refused = 0;
        until("the primary refuses connections", || {
            refused = if self.sql(self.primary, "SELECT 1").is_err() { refused + 1 } else { 0 };
            refused == 3
        });
        let far = |node: usize| -> u64 {
            let far = self.sql(node, "SELECT pg_last_wal_receive_lsn() - '0/0'").unwrap();
            far.parse().unwrap()
        };
        let next = self.standbys().max_by_key(|node| far(*node)).unwrap();
        let other = self.standbys().find(|node| *node != next).unwrap();
        assert_eq!(self.sql(next, "SELECT pg_promote(true, 30)").unwrap(), "t");
        let follow = format!("ALTER SYSTEM SET primary_conninfo = '{}'", self.line_to(next));
        self.sql(other, &follow).unwrap();
        self.sql(other, "SELECT pg_reload_conf()").unwrap();
        self.primary = next;
    }

    /// Makes a standby, anew, out of the primary's data.
    pub fn join(&self, node: usize) {
        let data = self.data(node);
        std::fs::remove_dir_all(&data).ok();
        let from = self.line_to(self.primary);
        self.command("pg_basebackup", &["-D", &data, "-d", &from, "-R", "--checkpoint=fast", "--no-sync"]);
        self.start(node);
        let streams = format!(
            "SELECT count(*) FROM pg_stat_replication WHERE application_name = 'n{node}' AND state = 'streaming'"
        );
        until("the standby follows", || self.sql(self.primary, &streams).is_ok_and(|count| count == "1"));
    }

    fn line_to(&self, node: usize) -> String {
        format!("host=127.0.0.1 port={} user=stipend dbname=postgres", self.ports[node])
    }

    fn data(&self, node: usize) -> String {
        self.folder.join(format!("data-{node}")).display().to_string()
    }

    fn start(&self, node: usize) {
        let (data, log) = (self.data(node), self.folder.join(format!("log-{node}")).display().to_string());
        let options = format!("-p {} -c cluster_name=n{node}", self.ports[node]);
        self.command("pg_ctl", &["start", "-D", &data, "-l", &log, "-w", "-t", "60", "-o", &options]);
    }

    /// One of PostgreSQL's programs, as the user to whom the servers belong.
    fn command(&self, program: &str, arguments: &[&str]) {
        let mut command = unprivileged(&self.bin.join(program).display().to_string());
        command
            .args(arguments)
            .current_dir("/")
            .env("LC_ALL", "C")
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        let done = command.status().unwrap();
        assert!(done.success(), "{program} {arguments:?}");
    }

    fn signal(&self, signal: &str, node: usize) {
        let file = std::fs::read_to_string(format!("{}/postmaster.pid", self.data(node))).unwrap();
        let first = file.lines().next().unwrap().to_owned();
        // Whoever starts processes comes first, so that it starts no further ones.
        let mut all = vec![first.clone()];
        all.extend(children(&first));
        signal_all(signal, &all);
        if signal == "-KILL" {
            until("the server is gone", || {
                !PathBuf::from(format!("/proc/{first}/cmdline")).exists() || ended(&first)
            });
        }
    }
}

/// A statement on the server at a port; what it answers.
pub fn psql(bin: &Path, port: u16, statement: &str) -> Result<String, String> {
    let mut psql = Command::new(bin.join("psql"));
    psql.env("PGCONNECT_TIMEOUT", "2").args([
        "-X",
        "-q",
        "-A",
        "-t",
        "-v",
        "ON_ERROR_STOP=1",
        "-U",
        "stipend",
    ]);
    psql.args(["-h", "127.0.0.1", "-d", "postgres", "-p", &port.to_string(), "-c", statement]);
    let done = psql.stdin(Stdio::null()).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    if done.status.success() { Ok(text(&done.stdout)) } else { Err(text(&done.stderr)) }
}

/// Sends a signal to processes of which some may have ended meanwhile.
pub fn signal_all(signal: &str, processes: &[String]) {
    Command::new("kill").arg(signal).args(processes).stderr(Stdio::null()).status().unwrap();
}

/// The processes below a process.
pub fn descendants(parent: &str) -> Vec<String> {
    let children = children(parent);
    let below = children.iter().flat_map(|child| descendants(child)).collect::<Vec<_>>();
    children.into_iter().chain(below).collect()
}

/// The processes that a process started, out of /proc: state and parent follow the name, which may hold anything.
fn children(parent: &str) -> Vec<String> {
    let numbers = std::fs::read_dir("/proc").unwrap().flatten();
    let numbers = numbers.filter_map(|entry| entry.file_name().into_string().ok());
    numbers.filter(|number| stat(number).is_some_and(|(_, of)| of == parent)).collect()
}

fn ended(process: &str) -> bool {
    stat(process).is_none_or(|(state, _)| state == "Z")
}

/// State and parent of a process.
fn stat(process: &str) -> Option<(String, String)> {
    process.parse::<u32>().ok()?;
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let mut rest = stat.rsplit_once(')')?.1.split_whitespace().map(str::to_owned);
    Some((rest.next()?, rest.next()?))
}
