//! A temporary PostgreSQL server for the tests.
//!
//! Whatever stipend does on SQLite it must do on PostgreSQL too, so the tests need a real server, and
//! one that nobody has to set up or clean up after. Each test crate includes this file with `#[path]`;
//! the first test of a process that asks for [`server`] starts one, and each test then takes an empty
//! database of its own from [`Server::database`].
//!
//! A test process may end in ways that run no destructor: an abort, a `kill -9`, a time limit. So the
//! server belongs to a small shell script ([`KEEPER`]) that reads from a pipe whose other end this
//! process holds. However this process ends, the kernel closes the pipe; the script then stops its
//! server and removes its directory. It is in a process group of its own, so that Ctrl-C reaches the
//! tests and not the script, which would otherwise be gone before it had cleaned up.
//!
//! PostgreSQL refuses to run as root; started by root, the script and all it does run as `postgres`,
//! or as `nobody` where there is no such user.
//!
//! Three variables change this: `STIPEND_TEST_POSTGRES=postgres://user@host:port` uses a server that is
//! already running (the databases are left behind in it), `STIPEND_TEST_REQUIRE_POSTGRES=1` makes
//! the lack of a server a failure instead of a skipped half, and `STIPEND_TEST_CITUS=1` makes the server a
//! cluster of three.

#![allow(dead_code, clippy::unwrap_used, clippy::expect_used)]

#[path = "citus.rs"]
pub mod citus;

use std::collections::hash_map::RandomState;
use std::env;
use std::ffi::OsStr;
use std::hash::{BuildHasher, Hasher};
use std::io::{self, BufRead, BufReader, PipeReader, PipeWriter, Write};
use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{OnceLock, atomic::AtomicU32, atomic::Ordering};

/// The oldest major version that stipend supports.
const OLDEST: u32 = 15;

/// The beginning of both scripts: a folder that goes, with the server in it, when the script ends.
macro_rules! in_a_folder {
    () => {
        r#"
dir=$(mktemp -d "${TMPDIR:-/tmp}/stipend-pg.XXXXXX" 2>/dev/null || mktemp -d /tmp/stipend-pg.XXXXXX) || exit 1
finish() {
    "$bin/pg_ctl" stop -D "$dir/data" -m immediate -t 30 >/dev/null 2>&1
    rm -rf "$dir"
}
trap finish EXIT
trap 'exit 1' HUP INT TERM
"#
    };
}

/// The end of both scripts: the server runs for as long as standard input is open.
macro_rules! until_the_end {
    () => {
        r#"
"$bin/pg_ctl" start -D "$dir/data" -l "$dir/log" -w -t 60 >/dev/null </dev/null ||
    { tail -n 20 "$dir/log"; exit 1; }
echo ready
read -r _
"#
    };
}

/// Runs a server on port `$2`, with the binaries in `$1`, for as long as its standard input is open; with TLS, if the
/// folder `$3` holds `server.crt` and `server.key`. Prints `ready` once the server accepts connections; anything else it prints says why it does not.
///
/// The settings trade safety for speed: the data need not outlive the process, let alone a power cut, and no database
/// lives long enough to be cleaned up in.
const KEEPER: &str = concat!(
    r#"
bin=$1 port=$2 certificates=$3
umask 077
trap '' PIPE
# In memory where there is room for databases of a thousand files each: the file system says how much it may take, not
# whether that is there.
room=$(df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 { print $4 }')
free=$(awk '/^MemAvailable:/ { print $2 }' /proc/meminfo 2>/dev/null)
[ "${room:-0}" -lt 8000000 ] || [ "${free:-0}" -lt 8000000 ] || TMPDIR=/dev/shm
"#,
    in_a_folder!(),
    r#"
"$bin/initdb" -D "$dir/data" -U stipend -A trust -E UTF8 --locale=C --no-sync --no-instructions \
    >"$dir/log" 2>&1 || { cat "$dir/log"; exit 1; }

cat >>"$dir/data/postgresql.conf" <<CONF
listen_addresses = '127.0.0.1'
port = $port
unix_socket_directories = '$dir'
max_connections = 300
fsync = off
synchronous_commit = off
full_page_writes = off
autovacuum = off
CONF
if [ -n "$certificates" ]; then
    # The server refuses a key that others may read, and one that is not its own.
    cat "$certificates/server.crt" >"$dir/server.crt" && cat "$certificates/server.key" >"$dir/server.key" || exit 1
    printf "ssl = on\nssl_cert_file = '%s'\nssl_key_file = '%s'\n" "$dir/server.crt" "$dir/server.key" \
        >>"$dir/data/postgresql.conf"
fi
"#,
    until_the_end!()
);

/// Runs a standby on port `$2`, with the binaries in `$1`, of the server at `$3`, for as long as its standard input is open. Prints as
/// [`KEEPER`] does.
const STANDBY: &str = concat!(
    r#"
bin=$1 port=$2 primary=$3
umask 077
trap '' PIPE
"#,
    in_a_folder!(),
    r#"
"$bin/pg_basebackup" -D "$dir/data" -d "$primary/postgres" -R --checkpoint=fast --no-sync >"$dir/log" 2>&1 ||
    { cat "$dir/log"; exit 1; }
printf "port = %s\nunix_socket_directories = '%s'\n" "$port" "$dir" >>"$dir/data/postgresql.conf"
"#,
    until_the_end!()
);

/// What keeps servers running that we started: held, never used.
pub type Kept = (Child, PipeWriter);

/// A running PostgreSQL server.
pub struct Server {
    /// Where it is: `postgres://user@host:port`.
    base: String,
    /// The `psql` to create databases with. The one next to the server starts in a fraction of the
    /// time that Debian's wrapper in `/usr/bin` takes to choose a version.
    psql: PathBuf,
    /// Tells the databases of this process from those of others on a shared server.
    process: u64,
    databases: AtomicU32,
    /// The other servers of a cluster.
    workers: Vec<String>,
    _keeper: Option<Kept>,
}

/// The server of this process, started by the first call; `None`, having said why on standard error,
/// when there is no PostgreSQL here.
///
/// # Panics
///
/// When there is none and `STIPEND_TEST_REQUIRE_POSTGRES=1`.
pub fn server() -> Option<&'static Server> {
    static SERVER: OnceLock<Result<Server, String>> = OnceLock::new();
    let required = env::var("STIPEND_TEST_REQUIRE_POSTGRES").is_ok_and(|value| value == "1");
    let server = SERVER.get_or_init(|| {
        let server = find();
        if let (Err(reason), false) = (&server, required) {
            // Not `eprintln!`, whose output the test harness keeps to itself when a test passes.
            let _ = writeln!(io::stderr(), "\n{reason}\n");
        }
        server
    });
    match server {
        Ok(server) => Some(server),
        Err(reason) => {
            assert!(!required, "{reason}");
            None
        }
    }
}

impl Server {
    fn at(base: String, bin: Option<&Path>, keeper: Option<Kept>) -> Self {
        Self {
            base,
            psql: bin.map_or_else(|| "psql".into(), |bin| bin.join("psql")),
            process: RandomState::new().build_hasher().finish(),
            databases: AtomicU32::new(0),
            workers: Vec::new(),
            _keeper: keeper,
        }
    }

    /// Creates an empty database and returns its URL.
    pub fn database(&self) -> String {
        // Not template1, which cannot be copied while anything is connected to it.
        self.copy("template0")
    }

    /// Creates a database with all that is in the one at `url`, to which nobody may be connected, and returns its URL.
    pub fn database_like(&self, url: &str) -> String {
        self.copy(url.rsplit('/').next().unwrap())
    }

    fn copy(&self, template: &str) -> String {
        let number = self.databases.fetch_add(1, Ordering::Relaxed);
        let name = format!("test_{:016x}_{number}", self.process);
        if !self.workers.is_empty() {
            assert_eq!(template, "template0", "a database of a cluster is never copied");
            let bases: Vec<_> = std::iter::once(&self.base).chain(&self.workers).cloned().collect();
            citus::join(&self.psql, &bases, &name);
            return format!("{}/{name}", self.base);
        }
        // File by file: for so few tables half the work of writing each page to the log.
        let create = format!("CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy");
        self.run(&format!("{}/postgres", self.base), &create);
        format!("{}/{name}", self.base)
    }

    /// A standby that follows this server, which has everything that was committed by now.
    pub fn standby(&self) -> Standby {
        let bin = self.psql.parent().unwrap();
        let port = free_port().unwrap();
        let of_port = port.to_string();
        let arguments = [bin.as_os_str(), OsStr::new(&of_port), OsStr::new(&self.base)];
        let keeper = keep(STANDBY, "stipend-standby", arguments).unwrap_or_else(|reason| panic!("{reason}"));
        Standby { port, psql: self.psql.clone(), _keeper: keeper }
    }

    /// Runs a statement in the database at `url`, beside stipend; what it answers.
    pub fn run(&self, url: &str, statement: &str) -> String {
        run(&self.psql, url, statement)
    }
}

/// A database of this process's server that goes when it is dropped, with whatever is still connected to it.
pub struct Database(String);

impl Database {
    pub fn at(url: &str) -> Self {
        Self(url.to_owned())
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let Some(server) = server() else { return };
        // In a cluster a database is one on each server; the tests that want one are few.
        if server.workers.is_empty() {
            let name = self.0.rsplit('/').next().unwrap();
            server.run(&format!("{}/postgres", server.base), &format!("DROP DATABASE {name} WITH (FORCE)"));
        }
    }
}

/// A server that follows another one.
pub struct Standby {
    pub port: u16,
    psql: PathBuf,
    _keeper: Kept,
}

impl Standby {
    /// The address of a database of the primary, here.
    pub fn at(&self, url: &str) -> String {
        format!("postgres://stipend@127.0.0.1:{}/{}", self.port, url.rsplit('/').next().unwrap())
    }

    /// Runs a statement; what it answers.
    pub fn run(&self, statement: &str) -> String {
        run(&self.psql, &self.at("/postgres"), statement)
    }
}

fn run(psql: &Path, url: &str, statement: &str) -> String {
    let output = Command::new(psql)
        .args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", url, "-c", statement])
        .stdin(Stdio::null())
        .output()
        .unwrap_or_else(|e| panic!("{} does not run: {e}", psql.display()));
    assert!(output.status.success(), "{statement}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// The server that the environment names, or else a new one.
fn find() -> Result<Server, String> {
    let bin = binaries();
    if let Some(base) = env::var("STIPEND_TEST_POSTGRES").ok().filter(|base| !base.is_empty()) {
        return Ok(Server::at(base.trim_end_matches('/').to_owned(), bin.as_deref(), None));
    }
    let bin = bin.ok_or_else(|| missing("was not found"))?;
    if citus::wanted() {
        return citus::cluster(&bin, 2);
    }
    own(&bin, None)
}

/// A server of its own with this certificate and key, by which it offers TLS; `None` where there is no PostgreSQL.
pub fn server_with_tls(certificates: &Path) -> Option<Server> {
    let bin = binaries()?;
    Some(own(&bin, Some(certificates)).unwrap_or_else(|reason| panic!("{reason}")))
}

/// A server of its own, to be followed by standbys; `None` where there is no PostgreSQL.
pub fn server_to_follow() -> Option<Server> {
    let bin = binaries()?;
    let server = own(&bin, None).unwrap_or_else(|reason| panic!("{reason}"));
    // What is not flushed is not sent to standbys either, which would be behind by that.
    let of_all = format!("{}/postgres", server.base);
    server.run(&of_all, "ALTER SYSTEM SET synchronous_commit = on");
    server.run(&of_all, "SELECT pg_reload_conf()");
    Some(server)
}

/// Starts a server.
fn own(bin: &Path, certificates: Option<&Path>) -> Result<Server, String> {
    // Another process can take the port between our choosing it and the server's binding it.
    let mut reason = String::new();
    for _ in 0..3 {
        match start(bin, certificates) {
            Ok((port, keeper)) => {
                let base = format!("postgres://stipend@127.0.0.1:{port}");
                return Ok(Server::at(base, Some(bin), Some(keeper)));
            }
            Err(e) => reason = e,
        }
    }
    Err(format!("{}\n{reason}", missing("did not start")))
}

fn missing(what: &str) -> String {
    format!(
        "PostgreSQL {OLDEST} {what}: the PostgreSQL half of these tests did not run. Install \
         postgresql-{OLDEST} or later, or set STIPEND_TEST_POSTGRES=postgres://user@host:port."
    )
}

/// The directory of the server's binaries: the one on `PATH`, or else the newest that Debian's
/// packages, which keep them off `PATH`, have installed.
pub fn binaries() -> Option<PathBuf> {
    let mut packaged: Vec<(u32, PathBuf)> = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path().join("bin"))))
        .collect();
    packaged.sort_by(|a, b| b.cmp(a));
    env::split_paths(&env::var_os("PATH").unwrap_or_default())
        .chain(packaged.into_iter().map(|(_, bin)| bin))
        .filter(|bin| ["initdb", "pg_ctl", "psql"].iter().all(|name| bin.join(name).is_file()))
        .find(|bin| version(bin).is_some_and(|version| version >= OLDEST))
}

/// The major version, out of `postgres (PostgreSQL) 15.4 …`.
fn version(bin: &Path) -> Option<u32> {
    let said = output(Command::new(bin.join("postgres")).arg("--version"))?;
    let number = said.split_whitespace().nth(2)?;
    number.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

fn free_port() -> Result<u16, String> {
    let listener = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    listener.map(|address| address.port()).map_err(|e| format!("no free port: {e}"))
}

/// Starts a server and waits until it accepts connections.
fn start(bin: &Path, certificates: Option<&Path>) -> Result<(u16, Kept), String> {
    let port = free_port()?;
    let of_port = port.to_string();
    let arguments =
        [bin.as_os_str(), OsStr::new(&of_port), certificates.unwrap_or(Path::new("")).as_os_str()];
    keep(KEEPER, "stipend-pg", arguments).map(|kept| (port, kept))
}

/// Runs a script that keeps servers up for as long as its pipe is open, and waits until it says that they accept connections.
fn keep<'a>(
    script: &str,
    name: &str,
    arguments: impl IntoIterator<Item = &'a OsStr>,
) -> Result<Kept, String> {
    let failed = |e| format!("no shell: {e}");
    let (stdin, alive) = io::pipe().map_err(failed)?;
    let (said, stdout) = io::pipe().map_err(failed)?;
    let keeper = unprivileged("sh")
        .args(["-c", script, name])
        .args(arguments)
        .env("LC_ALL", "C")
        // Ours may be closed to the user that the server runs as.
        .current_dir("/")
        .process_group(0)
        .stdin(stdin)
        .stderr(stdout.try_clone().map_err(failed)?)
        .stdout(stdout)
        .spawn()
        .map_err(failed)?;
    ready(said).map(|()| (keeper, alive))
}

/// Waits for the script to say `ready`; if it ends instead, what it said is the reason.
fn ready(said: PipeReader) -> Result<(), String> {
    let mut reason = String::new();
    for line in BufReader::new(said).lines().map_while(Result::ok) {
        if line == "ready" {
            return Ok(());
        }
        reason = reason + &line + "\n";
    }
    Err(reason)
}

/// A command that runs `program` as this user, or, when that is root, as one that PostgreSQL accepts.
pub fn unprivileged(program: &str) -> Command {
    let id = |args: &[&str]| output(Command::new("id").args(args)).map(|id| id.trim().to_owned());
    if id(&["-u"]).is_none_or(|uid| uid != "0") {
        return Command::new(program);
    }
    let (user, group) = ["postgres", "nobody"]
        .into_iter()
        .find_map(|user| Some((user, id(&["-g", user])?)))
        .unwrap_or(("65534", "65534".to_owned()));
    let setpriv = output(Command::new("setpriv").arg("--version")).is_some();
    let mut command = Command::new(if setpriv { "setpriv" } else { "runuser" });
    if setpriv {
        command.args(["--reuid", user, "--regid", &group, "--clear-groups"]);
    } else {
        command.args(["-u", user]);
    }
    command.args(["--", program]);
    command
}

/// What a command prints, if it succeeds.
fn output(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}
