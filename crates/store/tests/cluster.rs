//! A store on a cluster of three servers of which one is killed, and one whose distribution was interrupted. Runs with
//! STIPEND_TEST_CITUS=1 (tests/cluster/run), one test after the other: they share the servers.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends where it fails")]

#[path = "../../../tests/support/postgres.rs"]
mod postgres_server;
mod support;

use std::collections::BTreeSet;
use std::time::Duration;

use postgres_server::Server;
use store::{Clock, Error, Options, Placement, Placements, Schema, Store, Tx, params};
use support::MIGRATIONS;
use tokio::runtime::Runtime;
use uuid::Uuid;

store::statements! {
    ADD = "INSERT INTO counters (company_id, n) VALUES ($1, $2)";
    COUNT = "UPDATE counters SET n = n + 1 WHERE company_id = $1";
    ONE = "SELECT n FROM counters WHERE company_id = $1";
    SOME = "SELECT c.company_id, c.n, CAST(NULL AS text) FROM counters c WHERE c.n >= $1 AND NOT EXISTS \
            (SELECT 1 FROM samples s WHERE s.company_id = c.company_id AND s.t = $2) ORDER BY c.n, c.company_id LIMIT $3";
    SAMPLE = "INSERT INTO samples (company_id, id, t, at) VALUES ($1, $2, $3, $4)";
    EVERYWHERE = "INSERT INTO master_keys (master_id, sealed, created_at) VALUES ($1, $2, $3)";
}

const fn with(column: &'static str) -> Placement {
    Placement::By { column, beside: "counters" }
}

const PLACEMENTS: Placements = &[
    ("counters", with("company_id")),
    ("samples", with("company_id")),
    ("guards", with("company_id")),
    ("data_keys", with("owner_id")),
    ("data_key_rotations", Placement::Everywhere),
    ("master_keys", Placement::Everywhere),
    ("schema_lease", Placement::Everywhere),
    ("schema_migrations", Placement::Everywhere),
];
/// As an earlier version placed them.
const BEFORE: Placements = &[
    ("counters", with("company_id")),
    ("samples", with("company_id")),
    ("guards", with("company_id")),
    ("data_keys", with("owner_id")),
    ("data_key_rotations", Placement::Everywhere),
    ("master_keys", Placement::By { column: "master_id", beside: "master_keys" }),
    ("schema_lease", Placement::Everywhere),
    ("schema_migrations", Placement::Everywhere),
];

const SCHEMA: Schema = Schema { migrations: MIGRATIONS, placements: PLACEMENTS, extension: &() };
/// How long an answer may take, whatever it is: a unit runs for five seconds at most, and may wait as long.
const BOUND: Duration = Duration::from_secs(6);

fn open(url: &str, placements: Placements, migrate: bool) -> Result<Store, Error> {
    Store::open(url, Options { placements, migrate, ..support::options(MIGRATIONS) })
}

/// The cluster; `None` where none is asked for.
fn cluster() -> Option<&'static Server> {
    postgres_server::citus::wanted().then(|| postgres_server::server().unwrap())
}

fn placed(server: &Server, url: &str) -> String {
    server.run(url, "SELECT count(*) FROM pg_dist_partition")
}

fn since(begun: Duration) -> Duration {
    Clock::monotonic().saturating_sub(begun)
}

fn company(number: u128) -> Uuid {
    Uuid::from_u128((0x0197_a1b2_0000_7000_8000 << 48) + number * 7_919)
}

/// How a company's write and read come out, each with how long it took.
fn serve(runtime: &Runtime, store: &Store, company: Uuid) -> (Result<(), Error>, Duration) {
    let begun = Clock::monotonic();
    let done = runtime.block_on(async {
        store
            .write(move |tx: &mut Tx<'_>| {
                assert!(tx.change_rows(COUNT, params![company])?.is_one());
                Ok::<_, Error>(())
            })
            .await?;
        let read = move |tx: &mut Tx<'_>| tx.find_row(ONE, params![company], |row| row.get::<i64>(0));
        assert!(store.read(read).await?.is_some());
        Ok(())
    });
    (done, since(begun))
}

/// The companies that a search over all of them finds.
fn search(runtime: &Runtime, store: &Store) -> BTreeSet<Uuid> {
    let all = |tx: &mut Tx<'_>| {
        let read = |row: &store::Row<'_>| {
            assert_eq!(row.get::<Option<String>>(2), None);
            assert!(row.get::<i64>(1) >= 1);
            Ok::<_, Error>(row.get::<Uuid>(0))
        };
        tx.query_by_server(&["counters", "samples"], SOME, params![1_i64, "it's out", 1_000_i64], read)
    };
    runtime.block_on(store.read(all)).unwrap().into_iter().collect()
}

fn until(what: &str, mut holds: impl FnMut() -> bool) -> Duration {
    let begun = Clock::monotonic();
    while !holds() {
        assert!(since(begun) < Duration::from_secs(30), "it never happened that {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
    since(begun)
}

/// A store with forty companies, one of which is left out of searches.
fn filled(runtime: &Runtime, url: &str) -> (Store, Vec<Uuid>) {
    let store = open(url, PLACEMENTS, true).unwrap();
    let companies: Vec<Uuid> = (1..=40).map(company).collect();
    for company in companies.clone() {
        let add = move |tx: &mut Tx<'_>| tx.insert_row(ADD, params![company, 1_i64]);
        runtime.block_on(store.write(add)).unwrap();
    }
    let out = companies[0];
    let sample = move |tx: &mut Tx<'_>| {
        let (id, now) = (tx.new_id(), tx.now());
        tx.insert_row(SAMPLE, params![out, id, "it's out", now])
    };
    runtime.block_on(store.write(sample)).unwrap();
    (store, companies)
}

#[test]
fn a_server_that_is_down_is_its_own_companies_and_searches_leave_them_out() {
    let Some(server) = cluster() else { return };
    let runtime = Runtime::new().unwrap();
    let url = server.database();
    server.keeps_what_it_commits(&url);
    let (store, companies) = filled(&runtime, &url);
    let standing = store.distribution().unwrap();
    assert_eq!((standing.placed, standing.of), (PLACEMENTS.len(), PLACEMENTS.len()));
    let home = |company: &Uuid| server.home_of(&url, "counters", &company.to_string());
    let victim = home(&companies[1]);
    let (gone, left): (Vec<Uuid>, Vec<Uuid>) = companies.iter().partition(|company| home(company) == victim);
    assert!(gone.len() > 3 && left.len() > 3, "both have companies: {} and {}", gone.len(), left.len());
    let shown: BTreeSet<Uuid> = companies[1..].iter().copied().collect();
    assert_eq!(search(&runtime, &store), shown, "the one that is out is not found");
    assert!(store.silent_servers().is_empty());

    let data = server.kill(&victim);
    // At once, and not only when somebody has noticed.
    let found = search(&runtime, &store);
    let noticed = until("the server is known to be down", || !store.silent_servers().is_empty());
    assert_eq!(store.silent_servers(), [format!("127.0.0.1:{victim}")]);
    let expected: BTreeSet<Uuid> = left.iter().copied().filter(|company| *company != companies[0]).collect();
    assert_eq!(found, expected, "the first search after the server was killed");
    assert_eq!(search(&runtime, &store), expected);
    let (mut slowest, mut slowest_refusal) = (Duration::ZERO, Duration::ZERO);
    for company in &left {
        let (done, took) = serve(&runtime, &store, *company);
        done.unwrap();
        slowest = slowest.max(took);
    }
    std::thread::sleep(Duration::from_secs(1));
    for company in &gone {
        let (refused, took) = serve(&runtime, &store, *company);
        assert!(matches!(&refused, Err(Error::Away(at)) if at.ends_with(&victim)), "{refused:?}");
        slowest_refusal = slowest_refusal.max(took);
    }
    println!("noticed after {noticed:?}; served within {slowest:?}; refused within {slowest_refusal:?}");
    assert!(slowest < BOUND && slowest_refusal < Duration::from_secs(1), "what is known costs no wait");
    // What every server has can be read, and not written; and that can be known before.
    let (one, other) = (gone[0], left[0]);
    let known = runtime.block_on(store.write(move |tx: &mut Tx<'_>| {
        Ok::<_, Error>((
            tx.all_servers_answer(),
            tx.home_answers("counters", one)?,
            tx.home_answers("counters", other)?,
        ))
    }));
    assert_eq!(known.unwrap(), (false, false, true));
    let everywhere = |tx: &mut Tx<'_>| {
        let now = tx.now();
        tx.insert_row(EVERYWHERE, params!["one", &[1_u8; 4].to_vec(), now])
    };
    assert!(matches!(runtime.block_on(store.write(everywhere)), Err(Error::Away(_))));

    // A node that starts meanwhile serves the same.
    let second = open(&url, PLACEMENTS, true).unwrap();
    assert_eq!(second.silent_servers().len(), 1);
    serve(&runtime, &second, other).0.unwrap();
    assert_eq!(search(&runtime, &second), expected);

    server.revive(&data);
    let back = until("the server is known to be back", || store.silent_servers().is_empty());
    println!("back {back:?} after the server was there again");
    gone.iter().for_each(|company| serve(&runtime, &store, *company).0.unwrap());
    assert_eq!(search(&runtime, &store), shown);
    runtime.block_on(store.write(everywhere)).unwrap();
}

#[test]
fn a_server_that_is_shut_down_in_the_middle_is_never_an_error_of_the_service() {
    let Some(server) = cluster() else { return };
    let runtime = Runtime::new().unwrap();
    let url = server.database();
    let (store, companies) = filled(&runtime, &url);
    let victim = server.home_of(&url, "counters", &companies[1].to_string());
    let data = server.run(&server.at_port(&url, &victim), "SHOW data_directory");
    let stop = std::sync::atomic::AtomicBool::new(false);
    let (mut done, mut refused) = (0, 0);
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..4)
            .map(|first| {
                let (store, companies, stop) = (&store, &companies, &stop);
                scope.spawn(move || {
                    let runtime = Runtime::new().unwrap();
                    let (mut done, mut refused) = (0, 0);
                    for company in companies.iter().skip(first).cycle() {
                        if stop.load(std::sync::atomic::Ordering::Relaxed) {
                            return (done, refused);
                        }
                        match serve(&runtime, store, *company) {
                            (Ok(()), _) => done += 1,
                            (Err(Error::Away(_) | Error::Busy | Error::Unknown), took) => {
                                assert!(took < 2 * BOUND, "{took:?}");
                                refused += 1;
                            }
                            (Err(error), _) => panic!("{error:?}"),
                        }
                    }
                    unreachable!("the companies are endless")
                })
            })
            .collect();
        std::thread::sleep(Duration::from_millis(500));
        server.stop_fast(data.as_ref());
        std::thread::sleep(Duration::from_secs(3));
        server.revive(data.as_ref());
        std::thread::sleep(Duration::from_secs(1));
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        for writer in writers {
            let (some, not) = writer.join().unwrap();
            (done, refused) = (done + some, refused + not);
        }
    });
    println!("shut down under load: {done} served, {refused} refused");
    assert!(done > 40 && refused > 0);
}

#[test]
fn a_distribution_that_was_interrupted_is_completed_by_migrate_and_refused_by_everything_else() {
    let Some(server) = cluster() else { return };
    let url = server.database();
    // As a process that was killed after its migrations, and after its third table, left it.
    drop(open(&url, PLACEMENTS.split_at(3).0, true).unwrap());
    assert_eq!(placed(server, &url), "3");
    let refused = open(&url, PLACEMENTS, false).err().unwrap().to_string();
    assert!(
        refused.starts_with("3 of 8 tables are distributed") && refused.contains("`stipend migrate`"),
        "{refused}"
    );
    assert_eq!(placed(server, &url), "3", "whoever is refused changes nothing");
    let store = open(&url, PLACEMENTS, true).unwrap();
    assert_eq!((placed(server, &url).as_str(), store.distribution().unwrap().placed), ("8", 8));
    drop(store);
    drop(open(&url, PLACEMENTS, false).unwrap());
    // Killed before its first table.
    let url = server.database();
    drop(open(&url, &[], true).unwrap());
    assert_eq!(placed(server, &url), "0");
    drop(open(&url, PLACEMENTS, true).unwrap());
    assert_eq!(placed(server, &url), "8");
}

#[test]
fn a_store_made_on_one_server_stays_there_and_says_so_until_it_is_distributed() {
    let Some(server) = cluster() else { return };
    let runtime = Runtime::new().unwrap();
    let url = server.database();
    let store = open(&url, &[], true).unwrap();
    runtime.block_on(store.write(|tx: &mut Tx<'_>| tx.insert_row(ADD, params![company(1), 1_i64]))).unwrap();
    drop(store);
    let store = open(&url, PLACEMENTS, true).unwrap();
    let standing = store.distribution().unwrap();
    assert!(standing.of_one_server && standing.placed == 0 && placed(server, &url) == "0");
    drop(store);
    assert_eq!(store::distribute_tables(&url, PLACEMENTS, &|_, _, _| {}).unwrap().len(), PLACEMENTS.len());
    assert_eq!(search(&runtime, &open(&url, PLACEMENTS, false).unwrap()), BTreeSet::from([company(1)]));
}

#[test]
fn a_table_that_an_earlier_version_placed_elsewhere_is_moved_with_its_rows() {
    let Some(server) = cluster() else { return };
    let url = server.database();
    drop(open(&url, BEFORE, true).unwrap());
    let rows = server.run(&url, "SELECT count(*) FROM master_keys");
    assert_eq!(rows, "1", "the key of the store is there");
    assert!(open(&url, PLACEMENTS, false).err().unwrap().to_string().starts_with("7 of 8 tables"));
    drop(open(&url, PLACEMENTS, true).unwrap());
    let kind = "SELECT partmethod FROM pg_dist_partition WHERE logicalrelid = 'master_keys'::regclass";
    assert_eq!(
        (server.run(&url, kind).as_str(), server.run(&url, "SELECT count(*) FROM master_keys").as_str()),
        ("n", "1")
    );
}

#[test]
fn a_copy_into_an_empty_cluster_is_distributed_and_one_out_of_it_is_whole() {
    let Some(server) = cluster() else { return };
    let runtime = Runtime::new().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| format!("sqlite:{}", folder.path().join(name).display());
    let (store, companies) = filled(&runtime, &file("from.db"));
    drop(store);
    let url = server.database();
    store::copy_store(&file("from.db"), &url, SCHEMA, &|_, _| {}).unwrap();
    assert_eq!(placed(server, &url), "8");
    let homes = "SELECT count(DISTINCT nodeport) FROM pg_dist_shard_placement WHERE shardid IN \
                 (SELECT get_shard_id_for_distribution_column('counters', company_id) FROM counters)";
    assert_eq!(server.run(&url, homes), "2", "the companies are on both workers");
    let copied = open(&url, PLACEMENTS, false).unwrap();
    assert_eq!(search(&runtime, &copied), companies[1..].iter().copied().collect());
    drop(copied);
    let out = store::copy_store(&url, &file("back.db"), SCHEMA, &|_, _| {}).unwrap();
    assert_eq!(out.iter().find(|table| table.name == "counters").unwrap().rows, 40);
}
