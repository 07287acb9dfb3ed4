//! A small Citus cluster for the tests: a coordinator and workers, each a PostgreSQL server of its own, in the place of the
//! one server that tests use else. `STIPEND_TEST_CITUS=1` asks for it; then whatever runs on PostgreSQL runs on the
//! cluster, through the coordinator.

use std::ffi::OsStr;
use std::io;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

use super::{Kept, Server, binaries, keep, unprivileged};

/// Runs a server on each of the ports `$2`, `$3` and so on, as the keeper of a single one does.
///
/// Few shards: there are few companies, and each shard of each table is a table of its own.
const KEEPER: &str = r#"
bin=$1
shift
umask 077
trap '' PIPE
room=$(df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 { print $4 }')
[ "${room:-0}" -lt 8000000 ] || TMPDIR=/dev/shm
dir=$(mktemp -d "${TMPDIR:-/tmp}/stipend-citus.XXXXXX" 2>/dev/null || mktemp -d /tmp/stipend-citus.XXXXXX) || exit 1
finish() {
    for data in "$dir"/node*; do "$bin/pg_ctl" stop -D "$data" -m immediate -t 30 >/dev/null 2>&1; done
    rm -rf "$dir"
}
trap finish EXIT
trap 'exit 1' HUP INT TERM
for port; do
    data=$dir/node$port
    "$bin/initdb" -D "$data" -U stipend -A trust -E UTF8 --locale=C --no-sync --no-instructions \
        >"$dir/log" 2>&1 || { cat "$dir/log"; exit 1; }
    cat >>"$data/postgresql.conf" <<CONF
listen_addresses = '127.0.0.1'
port = $port
unix_socket_directories = '$dir'
shared_preload_libraries = 'citus'
max_connections = 300
max_prepared_transactions = 600
max_worker_processes = 64
fsync = off
synchronous_commit = off
full_page_writes = off
autovacuum = off
citus.shard_count = 4
citus.node_conninfo = 'sslmode=disable'
citus.enable_statistics_collection = off
citus.recover_2pc_interval = 5s
CONF
    "$bin/pg_ctl" start -D "$data" -l "$dir/log" -w -t 60 >/dev/null </dev/null ||
        { tail -n 20 "$dir/log"; exit 1; }
done
echo ready
read -r _
"#;

/// Whether tests are to run on a cluster.
pub fn wanted() -> bool {
    std::env::var("STIPEND_TEST_CITUS").is_ok_and(|value| value == "1")
}

/// A cluster of the caller's own with so many workers, if tests are to run on clusters.
pub fn own_cluster(workers: usize) -> Option<Server> {
    wanted().then(|| cluster(&binaries().unwrap(), workers).unwrap_or_else(|reason| panic!("{reason}")))
}

/// Starts a coordinator and so many workers.
pub(super) fn cluster(bin: &Path, workers: usize) -> Result<Server, String> {
    let (ports, kept) = start(bin, workers)?;
    let mut bases = ports.iter().map(|port| format!("postgres://stipend@127.0.0.1:{port}"));
    let server = Server::at(bases.next().unwrap_or_default(), Some(bin), Some(kept));
    Ok(Server { workers: bases.collect(), ..server })
}

/// Starts the servers: their ports, the coordinator's first, and what keeps them running.
fn start(bin: &Path, workers: usize) -> Result<(Vec<u16>, Kept), String> {
    let failed = |e: io::Error| format!("no cluster: {e}");
    let listeners: Vec<_> =
        (0..=workers).map(|_| TcpListener::bind("127.0.0.1:0")).collect::<Result<_, _>>().map_err(failed)?;
    let ports = listeners.iter().map(|listener| listener.local_addr().map(|address| address.port()));
    let ports: Vec<u16> = ports.collect::<Result<_, _>>().map_err(failed)?;
    drop(listeners);
    let of_ports: Vec<String> = ports.iter().map(u16::to_string).collect();
    let arguments = std::iter::once(bin.as_os_str()).chain(of_ports.iter().map(OsStr::new));
    keep(KEEPER, "stipend-citus", arguments).map(|kept| (ports, kept))
}

/// What makes an empty database a cluster's: first on each server, then on the coordinator. One database after the other: joining
/// passes on the roles, which all databases of a server share.
pub fn join(psql: &Path, bases: &[String], name: &str) {
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let run = |url: String, statements: &[String]| {
        let mut command = Command::new(psql);
        command.args(["-X", "-q", "-v", "ON_ERROR_STOP=1", "-o", "/dev/null", "-d", &url]);
        statements.iter().for_each(|statement| {
            command.args(["-c", statement]);
        });
        let output = command.output().unwrap();
        assert!(output.status.success(), "{statements:?}: {}", String::from_utf8_lossy(&output.stderr));
    };
    for base in bases {
        run(
            format!("{base}/postgres"),
            &[format!("CREATE DATABASE {name} TEMPLATE template0 STRATEGY file_copy")],
        );
        run(format!("{base}/{name}"), &["CREATE EXTENSION citus".to_owned()]);
    }
    let port = |base: &String| base.rsplit(':').next().unwrap().to_owned();
    let mut joined = vec![format!("SELECT citus_set_coordinator_host('127.0.0.1', {})", port(&bases[0]))];
    joined
        .extend(bases[1..].iter().map(|base| format!("SELECT citus_add_node('127.0.0.1', {})", port(base))));
    run(format!("{}/{name}", bases[0]), &joined);
}

/// What tests do to the servers of a cluster.
impl Server {
    /// The address of a database as the first worker of a cluster has it.
    pub fn at_worker(&self, url: &str) -> String {
        url.replacen(&self.base, &self.workers[0], 1)
    }

    /// Has each server of a cluster keep what it commits in this database, although it is killed.
    pub fn keeps_what_it_commits(&self, url: &str) {
        let name = url.rsplit('/').next().unwrap();
        for base in std::iter::once(&self.base).chain(&self.workers) {
            self.run(
                &format!("{base}/{name}"),
                &format!("ALTER DATABASE {name} SET synchronous_commit = on"),
            );
        }
    }

    /// Kills the server of a cluster that has a company; where its data are.
    pub fn kill_home_of(&self, url: &str, company: &str) -> PathBuf {
        self.kill(&self.home_of(url, "companies", company))
    }

    /// The port of the server of a cluster that has the rows of a table with this value of the distribution column.
    pub fn home_of(&self, url: &str, table: &str, key: &str) -> String {
        let home = format!(
            "SELECT nodeport FROM pg_dist_shard_placement WHERE shardid = \
             get_shard_id_for_distribution_column('{table}', '{key}'::uuid)"
        );
        self.run(url, &home)
    }

    /// The address of a database as the server of a cluster with this port has it.
    pub fn at_port(&self, url: &str, port: &str) -> String {
        let base = self.workers.iter().chain([&self.base]).find(|base| base.ends_with(&format!(":{port}")));
        url.replacen(&self.base, base.unwrap(), 1)
    }

    /// Kills the worker of a cluster with this port; where its data are.
    pub fn kill(&self, port: &str) -> PathBuf {
        let base = self.workers.iter().find(|base| base.ends_with(&format!(":{port}"))).unwrap();
        let data = self.run(&format!("{base}/postgres"), "SHOW data_directory");
        let file = std::fs::read_to_string(format!("{data}/postmaster.pid")).unwrap();
        // Whoever notices that the first process is gone ends by itself.
        let killed = Command::new("kill").args(["-KILL", file.lines().next().unwrap()]).status().unwrap();
        assert!(killed.success());
        data.into()
    }

    /// Shuts a server down, as an operator does: whoever is connected is disconnected.
    pub fn stop_fast(&self, data: &Path) {
        let mut command = unprivileged(&self.psql.with_file_name("pg_ctl").display().to_string());
        command.args(["stop", "-m", "fast", "-t", "60", "-D"]).arg(data).current_dir("/");
        let stopped = command.env("LC_ALL", "C").stdin(Stdio::null()).stdout(Stdio::null()).status().unwrap();
        assert!(stopped.success(), "the server does not stop");
    }

    /// Starts a server again that was killed.
    pub fn revive(&self, data: &Path) {
        // As long as a process of the server that was killed is left, it does not start.
        let starts = || {
            let mut command = unprivileged(&self.psql.with_file_name("pg_ctl").display().to_string());
            command
                .args(["start", "-w", "-t", "60", "-l"])
                .arg(data.with_file_name("log"))
                .arg("-D")
                .arg(data);
            command.current_dir("/").env("LC_ALL", "C").stdin(Stdio::null()).stdout(Stdio::null());
            command.status().unwrap().success()
        };
        let started = (0..20).any(|_| {
            starts() || {
                std::thread::sleep(std::time::Duration::from_millis(500));
                false
            }
        });
        assert!(started, "the server does not start again");
    }
}
