//! A small Citus cluster for the tests: a coordinator and two workers, each a PostgreSQL server of its own, in the place of
//! the one server that tests use else. `STIPEND_TEST_CITUS=1` asks for it; then whatever runs on PostgreSQL runs on the
//! cluster, through the coordinator.

use std::ffi::OsStr;
use std::io;
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use super::{Kept, keep};

/// Runs three servers on the ports `$2`, `$3` and `$4`, as the keeper of a single one does.
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

/// Starts the servers: their ports, the coordinator's first, and what keeps them running.
pub fn start(bin: &Path) -> Result<(Vec<u16>, Kept), String> {
    let failed = |e: io::Error| format!("no cluster: {e}");
    let listeners: Vec<_> =
        (0..3).map(|_| TcpListener::bind("127.0.0.1:0")).collect::<Result<_, _>>().map_err(failed)?;
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
