//! Moves everything from one store into a new one, on the other engine or the same.
//!
//! The tables and their columns are those of the migrations, so that a new table is copied without anybody thinking of
//! it. The source is read in one transaction: what arrives is one committed state. It arrives whole or not at all: a
//! file is filled beside its place and moved there at the end, and a server commits once. Sealed fields travel as they
//! are, with the data keys that open them; the master key does not travel, for no store holds it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::dialect::{Dialect, split};
use crate::postgres::Session;
use crate::sqlite::Engine;
use crate::tx::{Connection, Fault};
use crate::value::{Row, Value};
use crate::{Error, Migration, Sql, apart, migrate, postgres, sqlite};

/// Rows between two reports of how far the copy is.
const REPORT: u64 = 10_000;

/// A table that was copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopiedTable {
    /// its name
    pub name: String,
    /// how many rows
    pub rows: u64,
}

/// Copies all rows of the store at `from` into a new one at `to`: a file that does not exist, or a database of a server
/// without rows. `progress` is told now and then how many rows of how many have arrived.
///
/// # Errors
/// [`Error::Open`] with one sentence for the operator; the target is then as it was, but for empty tables.
pub fn copy(
    from: &str,
    to: &str,
    migrations: &[Migration],
    progress: &(dyn Fn(u64, u64) + Sync),
) -> Result<Vec<CopiedTable>, Error> {
    apart(|| {
        let tables = tables(migrations);
        let mut source = Source::open(from, migrations)?;
        let mut target = Target::open(to, migrations, &tables)?;
        match target.take(&tables, &mut source, progress) {
            Ok(copied) => target.finish().map(|()| copied),
            Err(fault) => {
                target.abandon();
                Err(Error::Open(format!("nothing was copied: {}", fault.into_error())))
            }
        }
    })
}

/// A table, as the migrations make it.
struct Table {
    name: String,
    columns: Vec<(String, Kind)>,
    /// names of columns
    primary_key: String,
}

/// The type word of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Uuid,
    Int,
    Bool,
    Text,
    Date,
    Instant,
    Bytes,
    Json,
}

const KINDS: [(&str, Kind); 8] = [
    ("uuid", Kind::Uuid),
    ("bigint", Kind::Int),
    ("boolean", Kind::Bool),
    ("text", Kind::Text),
    ("date", Kind::Date),
    ("instant", Kind::Instant),
    ("bytes", Kind::Bytes),
    ("json", Kind::Json),
];

/// Every table of the migrations, in their order.
///
/// # Panics
/// When a migration makes a table in another way than all of them do; a test reads the real ones.
fn tables(migrations: &[Migration]) -> Vec<Table> {
    migrations.iter().flat_map(|migration| split(migration.text)).filter_map(|text| table(&text)).collect()
}

fn table(statement: &str) -> Option<Table> {
    let rest = statement.strip_prefix("CREATE TABLE IF NOT EXISTS ")?;
    let (name, rest) = rest.split_once('(').unwrap_or_else(|| panic!("no columns in {statement}"));
    let (columns, rest) = rest.split_once("PRIMARY KEY").unwrap_or_else(|| panic!("no key in {statement}"));
    let key = rest.trim_start().trim_start_matches('(');
    let (primary_key, _) = key.split_once(')').unwrap_or_else(|| panic!("no key in {statement}"));
    let column = |text: &str| {
        let mut words = text.split_whitespace();
        let (name, word) = (words.next()?, words.next()?);
        let kind = KINDS.iter().find(|(known, _)| *known == word).map(|(_, kind)| *kind);
        Some((name.to_owned(), kind.unwrap_or_else(|| panic!("{word} is no type word: {statement}"))))
    };
    let columns = columns.split(',').filter_map(column).collect();
    Some(Table { name: name.trim().to_owned(), columns, primary_key: primary_key.trim().to_owned() })
}

impl Table {
    fn names(&self) -> String {
        self.columns.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ")
    }

    fn count(&self) -> Sql {
        sql(format!("SELECT count(*) FROM {}", self.name))
    }

    /// Files hold rows in the order in which they are wanted; a server is asked for that of the key.
    fn select(&self, dialect: Dialect) -> Sql {
        let order = match dialect {
            Dialect::Sqlite => String::new(),
            Dialect::Postgres => format!(" ORDER BY {}", self.primary_key),
        };
        sql(format!("SELECT {} FROM {}{order}", self.names(), self.name))
    }

    fn insert(&self) -> Sql {
        let places: Vec<_> = (1..=self.columns.len()).map(|number| format!("${number}")).collect();
        sql(format!("INSERT INTO {} ({}) VALUES ({})", self.name, self.names(), places.join(", ")))
    }

    fn values<'r>(&self, row: &Row<'r>) -> Vec<Value<'r>> {
        let value = |(at, (_, kind)): (usize, &(String, Kind))| match kind {
            Kind::Uuid => row.get::<Option<uuid::Uuid>>(at).into(),
            Kind::Int => row.get::<Option<i64>>(at).into(),
            Kind::Bool => row.get::<Option<bool>>(at).into(),
            Kind::Text => row.get::<Option<&str>>(at).into(),
            Kind::Date => row.get::<Option<jiff::civil::Date>>(at).into(),
            Kind::Instant => row.get::<Option<jiff::Timestamp>>(at).into(),
            Kind::Bytes => row.get::<Option<&[u8]>>(at).into(),
            Kind::Json => row.json(at).map_or(Value::Null, Value::Json),
        };
        self.columns.iter().enumerate().map(value).collect()
    }
}

/// A statement that is made of the migrations' own words. There are a few for each table, once in a process.
fn sql(text: String) -> Sql {
    Sql::from_macro(Box::leak(text.into_boxed_str()))
}

fn count(connection: &mut dyn Connection, table: &Table) -> Result<u64, Fault> {
    let mut rows = 0;
    connection.query(table.count(), &[], &mut |row| rows = row.get::<i64>(0))?;
    Ok(rows.unsigned_abs())
}

/// Where rows come from: one committed state.
struct Source {
    connection: Box<dyn Connection>,
    dialect: Dialect,
}

impl Source {
    fn open(url: &str, migrations: &[Migration]) -> Result<Self, Error> {
        let (connection, dialect, begin): (Box<dyn Connection>, _, _) = match url.strip_prefix("sqlite:") {
            Some(path) if !Path::new(path).is_file() => {
                return Err(Error::Open(format!("there is no store in {path}")));
            }
            Some(path) => (Box::new(sqlite::reader(path, Duration::ZERO)?), Dialect::Sqlite, "BEGIN"),
            None => (
                Box::new(postgres::patient(url)?),
                Dialect::Postgres,
                "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
            ),
        };
        let mut source = Self { connection, dialect };
        migrate::run(&mut *source.connection, dialect, migrations, false)?;
        let begun = source.connection.batch(begin);
        begun.map_err(|fault| Error::Open(format!("the store cannot be read: {}", fault.into_error())))?;
        Ok(source)
    }
}

/// Where rows go.
enum Target {
    File { engine: Engine, filling: PathBuf, path: PathBuf },
    Server(Session),
}

impl Target {
    fn open(url: &str, migrations: &[Migration], tables: &[Table]) -> Result<Self, Error> {
        let Some(path) = url.strip_prefix("sqlite:") else {
            let mut session = postgres::patient(url)?;
            migrate::run(&mut session, Dialect::Postgres, migrations, true)?;
            for table in tables {
                if count(&mut session, table).map_err(Fault::into_error)? > 0 {
                    let full = format!("the target must be empty, but its table {} has rows", table.name);
                    return Err(Error::Open(full));
                }
            }
            session.batch("BEGIN").map_err(Fault::into_error)?;
            return Ok(Self::Server(session));
        };
        let path = PathBuf::from(path);
        if path.exists() {
            return Err(Error::Open(format!("the target must be a new file, but {} exists", path.display())));
        }
        let mut filling = path.clone().into_os_string();
        filling.push(".filling");
        let filling = PathBuf::from(filling);
        // What a copy left behind that was killed.
        std::fs::remove_file(&filling).ok();
        let mut engine = sqlite::filler(&filling.to_string_lossy())?;
        migrate::run(&mut engine, Dialect::Sqlite, migrations, true)?;
        engine.batch("BEGIN").map_err(Fault::into_error)?;
        Ok(Self::File { engine, filling, path })
    }

    fn take(
        &mut self,
        tables: &[Table],
        source: &mut Source,
        progress: &dyn Fn(u64, u64),
    ) -> Result<Vec<CopiedTable>, Fault> {
        let mut counts = Vec::with_capacity(tables.len());
        for table in tables {
            counts.push(count(&mut *source.connection, table)?);
        }
        let of = counts.iter().sum();
        let mut arrived = 0;
        let mut copied = Vec::with_capacity(tables.len());
        for (table, expected) in tables.iter().zip(counts) {
            let before = arrived;
            self.fill(table, source, &mut || {
                arrived += 1;
                if arrived % REPORT == 0 {
                    progress(arrived, of);
                }
            })?;
            let there = match self {
                Self::File { engine, .. } => count(engine, table)?,
                Self::Server(session) => count(session, table)?,
            };
            if (there, arrived - before) != (expected, expected) {
                let name = &table.name;
                return Err(Fault::Other(format!("of {expected} rows of {name} {there} arrived")));
            }
            copied.push(CopiedTable { name: table.name.clone(), rows: expected });
        }
        progress(of, of);
        Ok(copied)
    }

    /// Reads the rows of a table and writes them as they come.
    fn fill(&mut self, table: &Table, source: &mut Source, one: &mut dyn FnMut()) -> Result<(), Fault> {
        let select = table.select(source.dialect);
        let mut feed = |put: &mut Put<'_>| {
            let mut outcome = Ok(());
            source.connection.query(select, &[], &mut |row| {
                if outcome.is_ok() {
                    outcome = put(&table.values(row));
                    one();
                }
            })?;
            outcome
        };
        match self {
            Self::File { engine, .. } => {
                let insert = table.insert();
                feed(&mut |values| engine.execute(insert, values).map(drop))
            }
            Self::Server(session) => {
                let kinds: Vec<Kind> = table.columns.iter().map(|(_, kind)| *kind).collect();
                session.copy_in(&table.name, &table.names(), &kinds, &mut feed)
            }
        }
    }

    /// Lets the copy be seen, once it is on the disk.
    fn finish(self) -> Result<(), Error> {
        let failed = |error: &dyn std::fmt::Display| Error::Open(format!("the copy cannot be kept: {error}"));
        match self {
            Self::Server(mut session) => session.batch("COMMIT").map_err(|fault| failed(&fault.into_error())),
            Self::File { mut engine, filling, path } => {
                engine.batch("COMMIT").map_err(|fault| failed(&fault.into_error()))?;
                drop(engine);
                let kept = || {
                    std::fs::File::open(&filling)?.sync_all()?;
                    std::fs::rename(&filling, &path)?;
                    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
                    std::fs::File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
                };
                kept().map_err(|error: std::io::Error| failed(&error))
            }
        }
    }

    fn abandon(self) {
        match self {
            Self::Server(mut session) => {
                session.batch("ROLLBACK").ok();
            }
            Self::File { engine, filling, .. } => {
                drop(engine);
                std::fs::remove_file(filling).ok();
            }
        }
    }
}

/// Takes the values of one row.
pub(crate) type Put<'p> = dyn FnMut(&[Value<'_>]) -> Result<(), Fault> + 'p;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_read_from_its_migration_with_columns_types_and_key() {
        let made = table(
            "CREATE TABLE IF NOT EXISTS pay (\n  id uuid NOT NULL,\n  note text,\n  at instant,\n  PRIMARY KEY (id, at)\n) IN ORDER OF ARRIVAL",
        )
        .unwrap();
        assert_eq!((made.name.as_str(), made.primary_key.as_str()), ("pay", "id, at"));
        assert_eq!(made.names(), "id, note, at");
        assert_eq!(
            made.columns.iter().map(|(_, kind)| *kind).collect::<Vec<_>>(),
            [Kind::Uuid, Kind::Text, Kind::Instant]
        );
        assert_eq!(made.insert().text(), "INSERT INTO pay (id, note, at) VALUES ($1, $2, $3)");
        assert!(table("CREATE INDEX IF NOT EXISTS by_note ON pay (note)").is_none());
    }
}
