//! Options for opening a store: its tables, keys and limits, and its maintenance.

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use crate::clock::Clock;
use crate::disk::Disk;
use crate::migrate::{self, Migration};
use crate::placement::Placements;
use crate::seal::MasterKeys;
use crate::statement::Sql;
use crate::watched::Watch;

/// The tables of a store, with a value that the code that owns them can access in every unit.
#[derive(Clone, Copy)]
pub struct Schema {
    /// Every migration, oldest first
    pub migrations: &'static [Migration],
    /// The placement of each table in a database of several servers
    pub placements: Placements,
    /// Returned by [`Tx::extension`](crate::Tx::extension); the store never looks inside
    pub extension: &'static (dyn Any + Send + Sync),
}

impl From<&'static [Migration]> for Schema {
    fn from(migrations: &'static [Migration]) -> Self {
        Self { migrations, placements: &[], extension: &() }
    }
}

/// How a store is opened.
pub struct Options {
    /// The source of time
    pub clock: Clock,
    /// A seed makes ids and tokens repeatable; never for real use
    pub seed: Option<u64>,
    /// The keys that wrap each owner's data key
    pub keys: MasterKeys,
    /// Every migration, oldest first
    pub migrations: &'static [Migration],
    /// The placement of each table in a database of several servers
    pub placements: Placements,
    /// Told how many tables are distributed, and of how many, while opening distributes them; `None` logs it
    pub placing: Option<Arc<dyn Fn(usize, usize) + Send + Sync>>,
    /// What [`Tx::extension`](crate::Tx::extension) returns to the code that owns the tables
    pub extension: &'static (dyn Any + Send + Sync),
    /// Whether pending migrations are applied on opening; otherwise they are an error
    pub migrate: bool,
    /// Whether a missing store is created; otherwise it is an error. Tests and demo worlds create theirs; with real
    /// data the operator asks for it once, because a mistyped address must not look like an empty store
    pub create: bool,
    /// Reading threads (SQLite) or connections (PostgreSQL); `None` chooses a number that suits the machine and the
    /// server
    pub threads: Option<usize>,
    /// Maximum number of waiting units; further units, and those that would wait too long, are refused with
    /// [`Error::Busy`](crate::Error::Busy)
    pub queue: usize,
    /// How long a unit may run, and for how long it is retried after conflicts
    pub unit_limit: Duration,
    /// Maximum size of a file store in pages; `None` is the engine's own limit
    pub max_pages: Option<u32>,
    /// How long a file store's writer keeps adding units to a group
    pub group_time: Duration,
    /// Maintenance of the store's file; `None` disables it
    pub care: Option<Care>,
    /// Intercepts a file store's disk operations, in a simulation
    pub disk: Option<Arc<dyn Disk>>,
    /// How to find the time of the store's latest change; `None` trusts the machine's clock alone
    pub latest: Option<Latest>,
    /// Selects what a test clock showed, and what the machine's clock showed then (null for one that stands still): the clock follows it.
    /// `None` ignores test clocks
    pub test_clock: Option<Sql>,
    /// The address of a server's replica, for reads that may run there
    /// ([`Store::read_anywhere`](crate::Store::read_anywhere))
    pub replica: Option<String>,
    /// Observes every write, in tests
    pub watch: Option<Arc<dyn Watch>>,
}

/// Maintenance of a store's file while it is served: the process ends if the file is deleted or replaced, and every page
/// is read periodically. Once damage is found, every unit fails with [`Error::Damaged`](crate::Error::Damaged).
#[derive(Debug, Clone, Copy)]
pub struct Care {
    /// the pause between two full reads of all pages
    pub check_every: Duration,
}

/// Finds the time of a store's latest change: the clock starts no earlier. Otherwise a machine whose clock was set back
/// while the service was down would date changes of records before their previous changes.
#[derive(Debug, Clone, Copy)]
pub struct Latest {
    /// selects moments; may return no row
    pub statement: Sql,
    /// the tables that it reads, except those that every server of a cluster has in full
    pub tables: &'static [&'static str],
    /// if the machine's clock is farther behind than this, the store refuses to open
    pub most: Option<Duration>,
    /// whether the machine's clock is trusted even if the store has later changes, whose dates are then wrong
    /// ([`Tx::dated_ahead`](crate::Tx::dated_ahead))
    pub may_go_back: bool,
    /// if the machine's clock is farther ahead than this, an operator must confirm it
    /// ([`Store::unconfirmed_step`](crate::Store::unconfirmed_step))
    pub longest_rest: Option<Duration>,
}

impl Options {
    /// Sets defaults for every field that can have one.
    pub fn new(clock: Clock, keys: MasterKeys, schema: impl Into<Schema>) -> Self {
        let Schema { migrations, placements, extension } = schema.into();
        Self {
            clock,
            seed: None,
            keys,
            migrations,
            placements,
            placing: None,
            extension,
            migrate: true,
            create: true,
            threads: None,
            queue: 4_096,
            unit_limit: Duration::from_secs(5),
            max_pages: None,
            group_time: Duration::from_millis(10),
            care: None,
            disk: None,
            latest: None,
            test_clock: None,
            replica: None,
            watch: None,
        }
    }
}

impl Options {
    pub(crate) fn permits(&self) -> migrate::Permits {
        migrate::Permits { migrate: self.migrate, create: self.create }
    }
}
