//! Three PostgreSQL servers that pg_auto_failover looks after: a monitor notices that the primary is gone, and has a
//! standby take its place. Used in the long form, where its programs are installed (Debian: pg-auto-failover-cli and
//! postgresql-15-auto-failover); else tests/faults/run says that it did not run.
//!
//! The timers are tuned as an operator would who wants to be back within a quarter of a minute.

use std::io::{BufRead, BufReader, PipeWriter};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Child;

use crate::postgres::{binaries, unprivileged};
use crate::servers::{descendants, psql, signal_all};

/// Makes a monitor and three servers in a directory of its own, says where and then `ready`, and when its standard
/// input closes ends all of them.
const KEEPER: &str = r#"
bin=$1 base=$2
umask 077
trap '' PIPE
dir=$(mktemp -d /tmp/stipend-auto.XXXXXX) || exit 1
export PATH=$bin:$PATH HOME="$dir" LC_ALL=C
export XDG_CONFIG_HOME="$dir/config" XDG_DATA_HOME="$dir/share" XDG_RUNTIME_DIR="$dir/run"
mkdir "$dir/config" "$dir/share" "$dir/run"
cd "$dir" || exit 1
finish() {
    for name in n0 n1 n2 monitor; do
        kill -QUIT "$(cat "$dir/pid-$name" 2>/dev/null)" 2>/dev/null
    done
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        kill -0 "$(cat "$dir/pid-monitor" 2>/dev/null)" 2>/dev/null || break
        sleep 0.5
    done
    for name in n0 n1 n2 monitor; do
        pg_ctl stop -D "$dir/$name" -m immediate -t 10 >/dev/null 2>&1
    done
    rm -rf "$dir"
}
trap finish EXIT
trap 'exit 1' HUP INT TERM
sql() {
    psql -X -q -h 127.0.0.1 -U "$(id -un)" "$@" >/dev/null 2>&1
}
failed() {
    tail -n 20 "$dir/log-$1"
    exit 1
}
echo "$dir"
pg_autoctl create monitor --pgdata "$dir/monitor" --pgport "$base" --hostname 127.0.0.1 --auth trust --no-ssl \
    >"$dir/log-monitor" 2>&1 || failed monitor
pg_autoctl run --pgdata "$dir/monitor" >>"$dir/log-monitor" 2>&1 &
echo $! >"$dir/pid-monitor"
until sql -p "$base" -d pg_auto_failover -c 'SELECT 1'; do sleep 0.2; done
for setting in health_check_period=1000 health_check_timeout=1000 health_check_max_retries=1 \
    health_check_retry_delay=500 node_considered_unhealthy_timeout=3000 primary_demote_timeout=3000; do
    sql -p "$base" -d pg_auto_failover -c "ALTER SYSTEM SET pgautofailover.${setting%=*} = ${setting#*=}"
done
sql -p "$base" -d pg_auto_failover -c 'SELECT pg_reload_conf()'
for node in 0 1 2; do
    pg_autoctl create postgres --pgdata "$dir/n$node" --pgport $((base + 1 + node)) --hostname 127.0.0.1 \
        --name "n$node" --auth trust --no-ssl --username stipend --dbname stipend \
        --monitor "postgres://autoctl_node@127.0.0.1:$base/pg_auto_failover" >"$dir/log-n$node" 2>&1 &
    made=$!
    # The copy of the primary's data waits for its next checkpoint.
    while kill -0 $made 2>/dev/null; do
        [ $node = 0 ] || sql -p $((base + 1)) -d postgres -c CHECKPOINT
        sleep 0.3
    done
    wait $made || failed "n$node"
    pg_autoctl run --pgdata "$dir/n$node" >>"$dir/log-n$node" 2>&1 &
    echo $! >"$dir/pid-n$node"
    sleep 1
done
for _ in $(seq 120); do
    pg_autoctl show state --pgdata "$dir/monitor" >"$dir/state" 2>&1
    if [ "$(grep -c ' secondary |  *secondary$' "$dir/state")" = 2 ] && grep -q ' primary |  *primary$' "$dir/state"; then
        echo ready
        read -r _
        exit
    fi
    sql -p $((base + 1)) -d postgres -c CHECKPOINT
    sleep 0.5
done
cat "$dir/state"
"#;

/// The servers, without the monitor.
pub struct AutoFailover {
    bin: PathBuf,
    folder: PathBuf,
    base: u16,
    _keeper: (Child, PipeWriter),
}

impl AutoFailover {
    /// A primary and two synchronous standbys.
    pub fn new() -> Self {
        let bin = binaries().expect("tests/faults/run leaves this out where there is no PostgreSQL");
        let base = four_free_ports();
        let (stdin, alive) = std::io::pipe().unwrap();
        let (said, stdout) = std::io::pipe().unwrap();
        let mut keeper = unprivileged("bash");
        keeper.args(["-c", KEEPER, "stipend-auto"]).arg(&bin).arg(base.to_string());
        let keeper = keeper.current_dir("/").process_group(0).stdin(stdin).stdout(stdout).spawn().unwrap();
        let mut said = BufReader::new(said).lines().map_while(Result::ok);
        let folder = said.next().unwrap().into();
        let second = said.next().unwrap_or_default();
        assert_eq!(second, "ready", "{}", said.collect::<Vec<_>>().join("\n"));
        Self { bin, folder, base, _keeper: (keeper, alive) }
    }

    fn ports(&self) -> impl Iterator<Item = u16> {
        (1..=3).map(|node| self.base + node)
    }

    /// The address that names all three.
    pub fn url(&self) -> String {
        let hosts: Vec<_> = self.ports().map(|port| format!("127.0.0.1:{port}")).collect();
        format!("postgres://stipend@{}/stipend?target_session_attrs=read-write", hosts.join(","))
    }

    /// Ends the primary and what looks after it on its machine, all at once.
    pub fn kill_primary(&self) {
        let is_primary =
            |port: &u16| psql(&self.bin, *port, "SELECT pg_is_in_recovery()").is_ok_and(|told| told == "f");
        let port = self.ports().find(is_primary).expect("a primary");
        let name = format!("pid-n{}", port - self.base - 1);
        let root = std::fs::read_to_string(self.folder.join(name)).unwrap().trim().to_owned();
        let mut all = vec![root.clone()];
        all.extend(descendants(&root));
        signal_all("-KILL", &all);
    }
}

/// The first of four ports in a row that nobody listens on.
fn four_free_ports() -> u16 {
    let bind = |port: u16| std::net::TcpListener::bind(("127.0.0.1", port)).ok();
    loop {
        let base = bind(0).unwrap().local_addr().unwrap().port();
        if base < u16::MAX - 3 && (base..=base + 3).all(|port| bind(port).is_some()) {
            return base;
        }
    }
}
