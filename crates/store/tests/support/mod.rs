//! A store per test and engine.

#![allow(
    dead_code,
    clippy::unwrap_used,
    reason = "each test crate uses a part of it, and a test ends where it fails"
)]

use std::path::Path;
use std::sync::Arc;

use std::sync::mpsc;

use store::{Clock, Error, MasterKeys, Migration, Options, Store, Tx};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use uuid::Uuid;

use crate::postgres_server;

/// The part of the schema that the store needs for itself: the tables before those of payroll.
const OF_THE_STORE: &str = {
    let schema = include_str!("../../../../migrations/0001_schema.sql");
    let (text, end) = (schema.as_bytes(), b"-- Applications, tokens");
    let mut at = 0;
    loop {
        let mut same = 0;
        while same < end.len() && text[at + same] == end[same] {
            same += 1;
        }
        if same == end.len() {
            break schema.split_at(at).0;
        }
        at += 1;
    }
};

pub const MIGRATIONS: &[Migration] = &[
    Migration { name: "0001_schema", text: OF_THE_STORE },
    Migration {
        name: "0002_samples",
        text: "CREATE TABLE IF NOT EXISTS samples (company_id uuid NOT NULL, id uuid NOT NULL, t text, n bigint, \
               flag boolean, day date, at instant, b bytes, j json, digest bytes, PRIMARY KEY (company_id, id));
               CREATE TABLE IF NOT EXISTS counters (company_id uuid NOT NULL, n bigint NOT NULL, PRIMARY KEY (company_id));",
    },
];

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    File,
    Memory,
    Server,
}

/// An empty database.
pub struct Bench {
    kind: Kind,
    url: String,
    /// removed with the last handle
    _folder: Arc<TempDir>,
}

impl Bench {
    fn new(kind: Kind) -> Option<Self> {
        let folder = Arc::new(TempDir::new().unwrap());
        let url = match kind {
            Kind::File => file_url(folder.path()),
            Kind::Memory => "sqlite::memory:".to_owned(),
            Kind::Server => postgres_server::server()?.database(),
        };
        Some(Self { kind, url, _folder: folder })
    }

    pub fn fresh(&self) -> Self {
        Self::new(self.kind).unwrap()
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    pub fn is_file(&self) -> bool {
        self.kind == Kind::File
    }

    pub fn is_memory(&self) -> bool {
        self.kind == Kind::Memory
    }

    pub fn open(&self) -> Store {
        self.open_with(|_| {})
    }

    pub fn open_with(&self, change: impl FnOnce(&mut Options)) -> Store {
        let mut options = options(MIGRATIONS);
        change(&mut options);
        Store::open(&self.url, options).unwrap()
    }
}

/// Every migration but the last: a database that was migrated by half.
pub const FIRST_HALF: &[Migration] = MIGRATIONS.split_at(1).0;

pub fn options(migrations: &'static [Migration]) -> Options {
    let mut options =
        Options::new(Clock::from_system(), MasterKeys::parse(&"ab".repeat(32)).unwrap(), migrations);
    options.threads = Some(8);
    options
}

pub fn open(url: &str) -> Store {
    try_open(url, true).unwrap()
}

pub fn try_open(url: &str, migrate: bool) -> Result<Store, store::Error> {
    Store::open(url, Options { migrate, ..options(MIGRATIONS) })
}

pub fn open_with_one_connection(url: &str) -> Store {
    Store::open(url, Options { threads: Some(1), ..options(MIGRATIONS) }).unwrap()
}

pub fn open_with_migrations(url: &str, migrations: &'static [Migration]) -> Store {
    Store::open(url, options(migrations)).unwrap()
}

/// Has units that write, or that read, wait for the only connection of a store while another one is run, and returns what each came
/// to, in their order.
pub async fn at_once<T: Send + 'static>(
    store: &Store,
    writes: bool,
    units: impl IntoIterator<Item = impl Future<Output = T> + Send + 'static>,
) -> Vec<T> {
    let (started, has_started) = mpsc::channel();
    let (go, may_go) = mpsc::channel::<()>();
    let may_go = std::sync::Mutex::new(may_go);
    let first = tokio::spawn({
        let store = store.clone();
        async move {
            let block = move |_: &mut Tx<'_>| {
                // Run once more because of another unit, it finds nobody to wait for.
                started.send(()).ok();
                may_go.lock().unwrap().recv().ok();
                Ok::<_, Error>(())
            };
            if writes { store.write(block).await } else { store.read(block).await }
        }
    });
    tokio::task::spawn_blocking(move || has_started.recv().unwrap()).await.unwrap();
    let waiting: Vec<_> = units.into_iter().map(tokio::spawn).collect();
    while store.waiting_units().0 + store.waiting_units().1 < waiting.len() {
        tokio::task::yield_now().await;
    }
    go.send(()).unwrap();
    drop(go);
    first.await.unwrap().unwrap();
    let mut came = Vec::new();
    for unit in waiting {
        came.push(unit.await.unwrap());
    }
    came
}

pub fn file_url(folder: &Path) -> String {
    format!("sqlite:{}", folder.join("test.db").display())
}

/// Copies a store into a file whose pages have no checksums, as those that were made before there were any.
pub fn without_checksums(from: &Path, to: &Path) {
    let flags = rusqlite::OpenFlags::default();
    let connection = rusqlite::Connection::open_with_flags_and_vfs(from, flags, c"unix").unwrap();
    connection.execute("VACUUM INTO ?1", [format!("file:{}?reserve=0", to.display())]).unwrap();
}

/// Whose rows tests write.
pub fn company() -> Uuid {
    Uuid::from_u128(0xC0)
}

/// The identifier of a row.
pub fn id(number: i64) -> Uuid {
    Uuid::from_u128(u128::try_from(number).unwrap())
}

pub fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

/// Runs a test on a file, in memory, and on a server where there is one.
pub fn on_both_engines(test: impl AsyncFn(Bench)) {
    let runtime = runtime();
    for kind in [Kind::File, Kind::Memory, Kind::Server] {
        if let Some(bench) = Bench::new(kind) {
            runtime.block_on(test(bench));
        }
    }
}
